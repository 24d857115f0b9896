"""The end of an ONNX graph: from decisions in double precision to what comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.export._graph import Graph

_COLUMNS = np.array([1])  # the axis that is summed or squeezed


def add_label(graph: Graph, labels: NDArray[Any], values: str, dtype: str) -> None:
    """Add labels, chosen in double precision, and scores."""
    several = len(labels) > 2
    if several:
        places = graph.add("ArgMax", values, axis=1, keepdims=0)
    else:
        values = graph.add("Squeeze", values, graph.constant(_COLUMNS))
        places = graph.cast(graph.add("Greater", values, graph.constant(0.0)), "int64")
    graph.add("Gather", graph.constant(labels), places, axis=0, name="label")
    graph.cast(values, dtype, name="scores")
    graph.output("label", "string" if labels.dtype == object else "int64", "N")
    graph.output("scores", dtype, *(["N", len(labels)] if several else ["N"]))


def add_value(graph: Graph, values: str, dtype: str) -> None:
    """Add the values of a regression."""
    graph.cast(graph.add("Squeeze", values, graph.constant(_COLUMNS)), dtype, name="value")
    graph.output("value", dtype, "N")


def add_probabilities(graph: Graph, values: str, dtype: str, n_classes: int) -> None:
    """Add the logistic function of decisions; with more than two classes those of all, divided by their sum."""
    chances = graph.add("Sigmoid", values)
    if n_classes == 2:
        first = graph.add("Sub", graph.constant(1.0), chances)
        shares = graph.add("Concat", first, chances, axis=1)
    else:
        total = graph.add("ReduceSum", chances, graph.constant(_COLUMNS), keepdims=1)
        hopeless = graph.add("Equal", total, graph.constant(0.0))  # the differences of decisions are what is left
        divided = graph.add("Div", chances, graph.add("Where", hopeless, graph.constant(1.0), total))
        shares = graph.add("Where", hopeless, graph.add("Softmax", values, axis=1), divided)
    graph.cast(shares, dtype, name="probabilities")
    graph.output("probabilities", dtype, "N", n_classes)

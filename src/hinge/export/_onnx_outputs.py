"""The outputs of an ONNX graph, from decision values in double precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.class_scheme import pairs
from hinge.exceptions import ExportError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.export._onnx_graph import GraphBuilder

    OnnxLabels = NDArray[np.int64] | NDArray[np.object_]

_COLUMN_AXIS = np.array([1])


def as_onnx_labels(classes: NDArray[np.generic]) -> OnnxLabels:
    """Return labels as ONNX has them: int64, or strings in an array of objects."""
    if classes.dtype.kind == "U" or (classes.dtype == object and all(isinstance(label, str) for label in classes)):
        return classes.astype(object)
    numbers = _as_int64(classes)
    if numbers is None:
        raise ExportError(
            f"Labels must be strings or 64-bit integers in an ONNX graph, got {classes.tolist()[:10]!r}; "
            "train with such labels."
        )
    return numbers


def add_label(graph: GraphBuilder, labels: OnnxLabels, values: str, dtype: str) -> str:
    """Add the outputs `label`, decided in double precision, and `scores`; return the numbers of the labels."""
    if len(labels) > 2:
        numbers = graph.add("ArgMax", values, axis=1, keepdims=0)
    else:
        values = graph.add("Squeeze", values, graph.constant(_COLUMN_AXIS))
        numbers = graph.cast(graph.add("Greater", values, graph.constant(0.0)), "int64")
    _add_outputs(graph, labels, numbers, values, dtype)
    return numbers


def add_vote(graph: GraphBuilder, labels: OnnxLabels, values: str, dtype: str) -> str:
    """Add the outputs `label` and `scores` of one-vs-one decisions (see `hinge._model.class_scheme.OneVsOne`).

    Returns the numbers of the labels.
    """
    first, second = pairs(len(labels))
    sides = np.zeros((len(first), len(labels)))  # what a positive value of a pair says for the classes
    sides[np.arange(len(first)), first], sides[np.arange(len(first)), second] = 1.0, -1.0
    is_first = graph.cast(graph.add("Greater", values, graph.constant(0.0)), "float64")
    swings = graph.add("MatMul", is_first, graph.constant(sides))
    votes = graph.add("Add", swings, graph.constant(np.bincount(second, minlength=len(labels)).astype(np.float64)))
    confidence = graph.add("MatMul", values, graph.constant(sides))
    scale = graph.add("Mul", graph.add("Add", graph.add("Abs", confidence), graph.constant(1.0)), graph.constant(3.0))
    scores = graph.add("Add", votes, graph.add("Div", confidence, scale))
    numbers = graph.add("ArgMax", votes, axis=1, keepdims=0)
    _add_outputs(graph, labels, numbers, scores, dtype)
    return numbers


def _add_outputs(graph: GraphBuilder, labels: OnnxLabels, numbers: str, scores: str, dtype: str) -> None:
    graph.add("Gather", graph.constant(labels), numbers, axis=0, name="label")
    graph.cast(scores, dtype, name="scores")
    graph.output("label", "string" if labels.dtype == object else "int64", "N")
    graph.output("scores", dtype, *(["N", len(labels)] if len(labels) > 2 else ["N"]))


def add_value(graph: GraphBuilder, values: str, dtype: str) -> None:
    """Add the output `value` of a regression."""
    graph.cast(graph.add("Squeeze", values, graph.constant(_COLUMN_AXIS)), dtype, name="value")
    graph.output("value", dtype, "N")


def add_probabilities(graph: GraphBuilder, values: str, dtype: str, n_classes: int) -> None:
    """Add the logistic function of the decision values; with more than two classes, divided by its sum over classes."""
    logistic = graph.add("Sigmoid", values)
    if n_classes == 2:
        first = graph.add("Sub", graph.constant(1.0), logistic)
        probabilities = graph.add("Concat", first, logistic, axis=1)
    else:
        total = graph.add("ReduceSum", logistic, graph.constant(_COLUMN_AXIS), keepdims=1)
        is_zero = graph.add("Equal", total, graph.constant(0.0))  # underflow: softmax still compares the decisions
        divided = graph.add("Div", logistic, graph.add("Where", is_zero, graph.constant(1.0), total))
        probabilities = graph.add("Where", is_zero, graph.add("Softmax", values, axis=1), divided)
    graph.cast(probabilities, dtype, name="probabilities")
    graph.output("probabilities", dtype, "N", n_classes)


def _as_int64(labels: NDArray[Any]) -> NDArray[np.int64] | None:
    """Return labels as int64, or None if they are not integers or do not fit."""
    if labels.dtype.kind not in "biuf" or not np.isfinite(labels).all():
        return None
    if labels.dtype.kind == "u" and int(labels.max()) >= 2**63:
        return None
    if labels.dtype.kind == "f" and bool((np.abs(labels) >= 2**63).any() or (labels != np.round(labels)).any()):
        return None
    return labels.astype(np.int64)

"""Calibrated probabilities in ONNX graphs, in double precision; the maths: `hinge._calibration`."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from hinge._calibration import IsotonicCalibration, SigmoidCalibration, TemperatureScaling
from hinge._model.class_scheme import pairs
from hinge.exceptions import ExportError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.export._onnx_graph import GraphBuilder

_COLUMN_AXIS = np.array([1])


def add_confidences(graph: GraphBuilder, values: str, n_classes: int) -> str:
    """Add, for each class, the decision value against the strongest other class (`OneVsOne.confidences`)."""
    columns = []
    first, second = pairs(n_classes)
    for place in range(n_classes):
        own = np.flatnonzero((first == place) | (second == place))
        signs = np.where(first[own] == place, 1.0, -1.0)
        signed = graph.add("Mul", graph.add("Gather", values, graph.constant(own), axis=1), graph.constant(signs))
        columns.append(graph.add("ReduceMin", signed, axes=[1], keepdims=1))
    return graph.add("Concat", *columns, axis=1)


def add_calibrated(  # noqa: PLR0917
    graph: GraphBuilder, calibration: object, scores: str, numbers: str, dtype: str, n_classes: int
) -> None:
    """Add the output `probabilities`, whose largest is that of the label, given by its number."""
    chances = add_chances(calibration, graph, scores)
    if n_classes == 2:
        chances = graph.add("Concat", graph.add("Sub", graph.constant(1.0), chances), chances, axis=1)
    elif not isinstance(calibration, TemperatureScaling):
        total = graph.add("ReduceSum", chances, graph.constant(_COLUMN_AXIS), keepdims=1)
        chances = graph.add("Div", chances, total)
    graph.cast(_add_agreement(graph, chances, numbers, n_classes), dtype, name="probabilities")
    graph.output("probabilities", dtype, "N", n_classes)


def _add_agreement(graph: GraphBuilder, chances: str, numbers: str, n_classes: int) -> str:
    """Add what `hinge._calibration.agreeing` does."""
    places = graph.add("Unsqueeze", numbers, graph.constant(_COLUMN_AXIS))
    is_chosen = graph.add("Equal", places, graph.constant(np.arange(n_classes)[None, :]))
    zero, axis = graph.constant(0.0), graph.constant(_COLUMN_AXIS)
    own = graph.add("ReduceSum", graph.add("Where", is_chosen, chances, zero), axis, keepdims=1)
    others = graph.add("Where", is_chosen, zero, chances)
    ordered = graph.add_first("TopK", others, graph.constant(np.array([n_classes])), axis=1)
    sums = graph.add("CumSum", ordered, graph.constant(np.array(1)))
    counts = graph.constant(np.arange(2.0, n_classes + 2.0)[None, :])
    means = graph.add("Div", graph.add("Add", own, sums), counts)
    shared = graph.add("Max", graph.add("ReduceMax", means, axes=[1], keepdims=1), own)
    return graph.add("Where", is_chosen, shared, graph.add("Min", chances, shared))


@singledispatch
def add_chances(calibration: object, graph: GraphBuilder, scores: str) -> str:  # noqa: ARG001
    """Add the probability of each column of scores, not yet normalised."""
    raise ExportError(f"Probabilities by {type(calibration).__name__} cannot be exported; set calibration=None.")


@add_chances.register(TemperatureScaling)
def _(calibration: TemperatureScaling, graph: GraphBuilder, scores: str) -> str:
    scaled = graph.add("Div", scores, graph.constant(calibration.temperature))
    return graph.add("Softmax" if calibration.n_columns > 1 else "Sigmoid", scaled)


@add_chances.register(SigmoidCalibration)
def _(calibration: SigmoidCalibration, graph: GraphBuilder, scores: str) -> str:
    product = graph.add("Mul", scores, graph.constant(calibration.slopes[None, :]))
    return graph.add("Sigmoid", graph.add("Add", product, graph.constant(calibration.offsets[None, :])))


@add_chances.register(IsotonicCalibration)
def _(calibration: IsotonicCalibration, graph: GraphBuilder, scores: str) -> str:
    columns = []
    for m, (knots, chances) in enumerate(zip(calibration.knots, calibration.chances, strict=True)):
        score = graph.add("Gather", scores, graph.constant(np.array([m])), axis=1)
        columns.append(_add_interpolation(graph, score, knots, chances))
    return graph.add("Concat", *columns, axis=1)


def _add_interpolation(
    graph: GraphBuilder, score: str, knots: NDArray[np.float64], chances: NDArray[np.float64]
) -> str:
    """Add linear interpolation: how far the score has come on each piece, times its slope."""
    if len(knots) == 1:
        return graph.add("Add", graph.add("Mul", score, graph.constant(0.0)), graph.constant(chances[:1]))
    lengths = np.diff(knots)
    gone = graph.add("Sub", score, graph.constant(knots[None, :-1]))
    part = graph.add("Min", graph.add("Max", gone, graph.constant(0.0)), graph.constant(lengths[None, :]))
    slopes = (np.diff(chances) / lengths)[:, None]
    return graph.add("Add", graph.add("MatMul", part, graph.constant(slopes)), graph.constant(chances[:1]))

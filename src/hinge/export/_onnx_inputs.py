"""The front of an ONNX graph: from its inputs to the matrix of features, in double precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge.export._errors import ExportError

if TYPE_CHECKING:
    from hinge.export._graph import Graph
    from hinge.tables import Column, Preparation

OUTPUTS = ("label", "scores", "probabilities", "value")


def plain_matrix(graph: Graph, n_features: int, dtype: str) -> str:
    """Add the input `X` of the features themselves; return the name of the matrix."""
    return _double(graph, graph.input("X", dtype, n_features), dtype)


def prepared_matrix(graph: Graph, preparation: Preparation, dtype: str) -> str:
    """Add an input for each raw column, or one for all where they have no names; return the name of the matrix."""
    if preparation.columns is None:
        X = plain_matrix(graph, preparation.n_features, dtype)
    else:
        taken = [column.name for column in preparation.columns if column.name in OUTPUTS]
        if taken:
            raise ExportError(
                f"An ONNX graph has a result {taken[0]!r}, so that no column may be called so; rename it."
            )
        fill = preparation.missing == "fill"
        parts = [
            _number(graph, column, dtype, fill=fill)
            if column.categories is None
            else _category(graph, column, ignore=preparation.unknown == "ignore")
            for column in preparation.columns
        ]
        X = graph.add("Concat", *parts, axis=1)
    scaling = preparation.scaling
    if scaling.factor is None:
        return X
    if scaling.offset is not None:
        X = graph.add("Sub", X, graph.constant(scaling.offset))
    return graph.add("Mul", X, graph.constant(scaling.factor))


def _number(graph: Graph, column: Column, dtype: str, *, fill: bool) -> str:
    values = _double(graph, graph.input(column.name, dtype, 1), dtype)
    if not fill:
        return values
    absent = graph.add("IsNaN", values)
    return graph.add("Where", absent, graph.constant(np.array([[column.mean]])), values)


def _category(graph: Graph, column: Column, *, ignore: bool) -> str:
    """Add the features of a category; where unknown ones are not to be ignored, evaluation fails on them."""
    raw = graph.input(column.name, "string", 1)
    categories = list(column.categories or ())
    coded = graph.add("OneHotEncoder", raw, domain="ai.onnx.ml", cats_strings=categories, zeros=int(ignore))
    return graph.cast(graph.add("Squeeze", coded, graph.constant(np.array([1]))), "float64")


def _double(graph: Graph, name: str, dtype: str) -> str:
    return name if dtype == "float64" else graph.cast(name, "float64")

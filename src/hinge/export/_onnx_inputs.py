"""The inputs of an ONNX graph, as a matrix of features in double precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import ExportError
from hinge.export._model_access import unsupported_column
from hinge.io import is_number
from hinge.tables import MISSING, BooleanColumn, CategoryColumn, NumberColumn

if TYPE_CHECKING:
    from hinge.export._onnx_graph import GraphBuilder
    from hinge.tables import Column, Preparation

_OUTPUTS = ("label", "scores", "probabilities", "value")


def add_input(graph: GraphBuilder, n_features: int, dtype: str) -> str:
    """Add the input `X` of features; return the name of the matrix."""
    return _as_double(graph, graph.input("X", dtype, n_features), dtype)


def add_prepared_inputs(graph: GraphBuilder, preparation: Preparation, dtype: str) -> str:
    """Add one input per raw column, or one for all if they have no names; return the name of the matrix."""
    if preparation.columns is None:
        X = add_input(graph, preparation.n_features, dtype)
    else:
        taken = [column.name for column in preparation.columns if column.name in _OUTPUTS]
        if taken:
            raise ExportError(
                f"No column may have the name {taken[0]!r}, which is an output of the ONNX graph; rename it."
            )
        fill = preparation.missing == "fill"
        used = [column for column in preparation.columns if column.width]
        ignore = preparation.unknown == "ignore"
        words = preparation.missing_values
        parts = [_add_column(graph, column, dtype, words, fill=fill, ignore=ignore) for column in used]
        X = graph.add("Concat", *parts, axis=1)
    scaling = preparation.scaling
    if scaling.factor is None:
        return X
    if scaling.offset is not None:
        X = graph.add("Sub", X, graph.constant(scaling.offset))
    return graph.add("Mul", X, graph.constant(scaling.factor))


def _add_column(
    graph: GraphBuilder, column: Column, dtype: str, words: tuple[str, ...], *, fill: bool, ignore: bool
) -> str:
    if isinstance(column, NumberColumn):
        return _add_numbers(graph, column, dtype, words, fill=fill)
    if isinstance(column, CategoryColumn):
        return _add_categories(graph, column.name, column.categories, words, ignore=ignore)
    if isinstance(column, BooleanColumn):
        return _add_boolean(graph, column, words, fill=fill, ignore=ignore)
    raise unsupported_column(column)


def _add_numbers(graph: GraphBuilder, column: NumberColumn, dtype: str, words: tuple[str, ...], *, fill: bool) -> str:
    values = _as_double(graph, graph.input(column.name, dtype, 1), dtype)
    for mark in (float(word) for word in words if is_number(word)):  # words are NaN in an input of numbers
        same = graph.add("Equal", values, graph.constant(np.array([[mark]], dtype=dtype).astype(np.float64)))
        values = graph.add("Where", same, graph.constant(np.array([[np.nan]])), values)
    if not fill:
        return values
    missing = graph.add("IsNaN", values)
    return graph.add("Where", missing, graph.constant(np.array([[column.mean]])), values)


def _add_categories(
    graph: GraphBuilder, name: str, categories: tuple[str, ...], missing: tuple[str, ...], *, ignore: bool
) -> str:
    """Add the one-hot features of a category; evaluation fails for unknown ones unless they are ignored."""
    raw = graph.input(name, "string", 1)
    words = sorted(MISSING.union(missing) - {*categories}) if "" in categories else []  # they count as the empty text
    known = [*categories, *words]
    encoded = graph.add("OneHotEncoder", raw, domain="ai.onnx.ml", cats_strings=known, zeros=int(ignore))
    features = graph.cast(graph.add("Squeeze", encoded, graph.constant(np.array([1]))), "float64")
    if not words:
        return features
    places = [*range(len(categories)), *[categories.index("")] * len(words)]
    return graph.add("MatMul", features, graph.constant(np.eye(len(categories))[places]))


def _add_boolean(
    graph: GraphBuilder, column: BooleanColumn, missing: tuple[str, ...], *, fill: bool, ignore: bool
) -> str:
    """Add the feature of yes and no, in the usual spellings; the share of yes for missing and for ignored values."""
    values = dict.fromkeys(_spellings(column.false), 0.0) | dict.fromkeys(_spellings(column.true), 1.0)
    if fill:
        values |= dict.fromkeys(sorted(MISSING.union(missing) - {*values}), column.mean)
    raw = graph.input(column.name, "string", 1)
    encoded = graph.add("OneHotEncoder", raw, domain="ai.onnx.ml", cats_strings=[*values], zeros=int(ignore))
    known = graph.cast(graph.add("Squeeze", encoded, graph.constant(np.array([1]))), "float64")
    differences = np.array([[value - column.mean] for value in values.values()])
    return graph.add("Add", graph.add("MatMul", known, graph.constant(differences)), graph.constant(column.mean))


def _spellings(word: str) -> list[str]:
    """Return a word as people write it; a graph cannot ignore upper and lower case."""
    return list(dict.fromkeys((word, word.lower(), word.upper(), word.capitalize())))


def _as_double(graph: GraphBuilder, name: str, dtype: str) -> str:
    return name if dtype == "float64" else graph.cast(name, "float64")

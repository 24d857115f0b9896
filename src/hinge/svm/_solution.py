"""Decisions in the form of LIBSVM, from the state of a fitted model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from hinge._model.class_scheme import pairs
from hinge._model.threads import count_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.types import Rows


def decide(model: Any, X: Rows) -> NDArray[np.float64]:
    """Return one column per pair of classes, positive for the first one, of checked rows or kernel values."""
    state = model._state
    if state.storage.sparse:
        X = csr_matrix(X)
    predictor = state.make_snapshot()
    arranged: NDArray[np.float64] = state.table.arrange(predictor.decide(X, count_threads(None)))
    return -arranged if len(state.table) == 2 else arranged


def votes(decisions: NDArray[np.float64], n_classes: int) -> NDArray[np.intp]:
    """Return the class with most votes per row, the first of several; a value of 0 is a vote for the second class."""
    counts = np.zeros((len(decisions), n_classes), dtype=np.intp)
    for column, (first, second) in enumerate(zip(*pairs(n_classes), strict=True)):
        is_first = decisions[:, column] > 0
        counts[:, first] += is_first
        counts[:, second] += ~is_first
    chosen: NDArray[np.intp] = counts.argmax(axis=1)
    return chosen


def explicit_rows(rows: NDArray[np.float64]) -> csr_matrix:
    """Return rows of coefficients as a sparse matrix that stores zeros too, as LIBSVM expects."""
    n_rows, n_columns = rows.shape
    columns = np.tile(np.arange(n_columns, dtype=np.int32), n_rows)
    return csr_matrix((rows.ravel(), columns, np.arange(n_rows + 1) * n_columns), shape=rows.shape)

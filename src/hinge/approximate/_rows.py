"""Rows with encoded targets, as the native linear models take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge._fit.tasks import Task
    from hinge._model.labels import ClassTable
    from hinge._model.types import Rows


@dataclass(frozen=True)
class EncodedRows:
    """Some rows of a stream, or a training set.

    Attributes
    ----------
    X : ndarray or CSR matrix
        Checked rows.
    targets : ndarray of shape (n,)
        Class numbers, or the target values of a regression.
    weights : ndarray of shape (n,)
        Weights; rows of weight 0 are skipped.
    first : int
        Position of the first row in the stream.
    """

    X: Rows
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]
    first: int

    @classmethod
    def encode(cls, task: Task, data: TrainingData, table: ClassTable, first: int = 0) -> EncodedRows:
        """Encode training data."""
        return cls(data.X, task.targets(data, table).astype(np.float64, copy=False), data.costs, first)

    def __len__(self) -> int:
        return len(self.targets)

    def part(self, rows: slice, X: Rows | None = None) -> EncodedRows:
        """Return some of the rows; `X` is given if they are converted to another storage."""
        block = self.X[rows] if X is None else X
        return EncodedRows(block, self.targets[rows], self.weights[rows], self.first + rows.start)

    @property
    def used(self) -> NDArray[np.intp]:
        """Indices of the rows whose weight is above zero."""
        return np.flatnonzero(self.weights > 0)

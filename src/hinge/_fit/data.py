"""Checked training data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hinge._model.validation import TakenRows
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from hinge._model.labels import ClassTable
    from hinge._model.types import Labels, Rows, Values


@dataclass(frozen=True)
class TrainingData:
    """Checked rows with their targets and weights.

    Attributes
    ----------
    X : ndarray, CSR matrix or TakenRows
        The rows.
    y : ndarray of shape (n,)
        Labels, or the target values of a regression.
    weights : ndarray of shape (n,)
        Sample weights.
    costs : ndarray of shape (n,)
        Upper bounds of the coefficients: `C` times sample weight times class weight. Rows of cost 0 are skipped.
    metadata : dict
        Passed to scikit-learn's callbacks.
    ids : sequence of hashable
        One id per row, for models that can forget examples; empty for others.
    features : dict
        The fitted attributes with the number and the names of the features.
    used : ndarray of shape (n,)
        Mask of the rows whose cost is above zero.
    is_all_used : bool
        Whether no row has cost 0.
    """

    X: Rows
    y: Labels
    weights: NDArray[np.float64]
    costs: NDArray[np.float64]
    metadata: dict[str, NDArray[np.float64]]
    ids: Sequence[Hashable] = ()
    features: Values = field(default_factory=dict)
    used: NDArray[np.bool_] = field(init=False, repr=False)
    is_all_used: bool = field(init=False, repr=False)

    def __len__(self) -> int:
        return len(self.y)

    def __post_init__(self) -> None:
        used = self.costs > 0
        vars(self).update(used=used, is_all_used=np.count_nonzero(used) == len(used))

    @property
    def used_labels(self) -> Labels:
        """Labels of the rows whose cost is above zero."""
        return self.y if self.is_all_used else self.y[self.used]

    @property
    def used_rows(self) -> Rows:
        """The rows whose cost is above zero, as an array or a CSR matrix."""
        rows = self.X.array() if type(self.X) is TakenRows else self.X
        return rows if self.is_all_used else rows[self.used]

    def part(self, rows: slice) -> TrainingData:
        """Return some of the rows."""
        if rows.start == 0 and rows.stop == len(self):
            return self
        weights, costs = self.weights[rows], self.costs[rows]
        return TrainingData(self.X[rows], self.y[rows], weights, costs, {}, self.ids[rows], self.features)

    def selected(self, rows: NDArray[np.bool_]) -> TrainingData:
        """Return the rows of a mask, without ids."""
        taken = self.X.array() if type(self.X) is TakenRows else self.X
        return TrainingData(taken[rows], self.y[rows], self.weights[rows], self.costs[rows], {})

    def class_numbers(self, table: ClassTable) -> NDArray[np.int32]:
        """Return the native class number of each row; 0 for rows of cost 0."""
        if self.is_all_used:
            return table.encode(self.y)
        numbers = np.zeros(len(self.y), dtype=np.int32)
        numbers[self.used] = table.encode(self.y[self.used])
        return numbers

    def require_weight(self) -> None:
        """Raise DataError if no row has a positive weight."""
        if not self.used.any():
            raise DataError(
                "At least one row must have a weight above zero, got none; omit sample_weight to use all rows."
            )

"""A model that learns and predicts dictionaries of features."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor

from hinge import streaming
from hinge.exceptions import DataError, ParameterError, listed
from hinge.river._columns import Columns, read_entries
from hinge.river._frames import read_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from hinge._model.types import Rows
    from hinge.river._columns import Entries, Features
    from hinge.river._frames import Frame

    Model: TypeAlias = Any  # an estimator with `partial_fit`
    Target: TypeAlias = Any  # one label or value per row

_MIN_ROWS_FOR_SPARE = 4096
_MAX_COLUMNS = 2**26  # the most that a model file may have
_MAX_DENSE_COLUMNS = 256  # wider rows become sparse if they are mostly zero
_MIN_FILL = 1 / 8  # share of non-zero values below which wide rows become sparse

_TASKS = {"classification": is_classifier, "regression": is_regressor, "one-class learning": is_outlier_detector}


class DictModel:
    """An estimator of this package, and the columns of the features that it has learned.

    The estimator gets dense rows with exactly the features of the first call. When a feature appears that has no
    column, columns are added to the estimator, half as many again as needed, so that this happens rarely.

    Parameters
    ----------
    model : estimator
        An estimator that is not fitted. It is cloned.
    task : {"classification", "regression", "one-class learning"}
        What it must be able to learn.

    Attributes
    ----------
    model : estimator
        The clone, which learns.
    columns : Columns
        The column of each feature.
    is_fitted : bool
        Whether it has learned something.
    """

    def __init__(self, model: Model, task: str) -> None:
        _require_usable(model, task)
        self.model: Model = clone(model)
        self.columns = Columns()
        self.is_fitted = False

    def learn(self, x: Features, *target: Target) -> None:
        """Learn one dictionary; `target` is a list with its label, or nothing."""
        row: Rows | None = self.columns.quick_row(x) if self.is_fitted else None
        if row is None:
            entries = read_entries(x)
            if not self.is_fitted or not self.columns.knows_all(entries.keys()):
                self._learn_entries([entries], *target)
                return
            row = self.columns.rows([entries])
        self.model.partial_fit(row, *target)

    def learn_frame(self, frame: Frame, *target: Target, cuts: Sequence[int] = ()) -> None:
        """Learn the rows of a data frame, in calls that end before the rows `cuts`."""
        names, values, entries = read_frame(frame, dense=not self.columns.sparse)
        if values is None:
            if entries:
                self._learn_entries(entries, *target, cuts=cuts)
            return
        absent = np.isnan(values)
        new = self.columns.missing([[name for place, name in enumerate(names) if not absent[:, place].all()]])
        fill = np.count_nonzero(np.nan_to_num(values)) / len(values)
        self._learn(new, fill, lambda: self.columns.place(names, values), *target, cuts=cuts)

    def row(self, x: Features) -> Rows:
        """Return the row of a dictionary to predict."""
        row: Rows | None = self.columns.quick_row(x)
        return self.columns.rows([read_entries(x)]) if row is None else row

    def frame_rows(self, frame: Frame) -> Rows:
        """Return the rows of a data frame to predict."""
        names, values, entries = read_frame(frame, dense=not self.columns.sparse)
        return self.columns.rows(entries) if values is None else self.columns.place(names, values)

    def _learn_entries(self, entries: Sequence[Entries], *target: Target, cuts: Sequence[int] = ()) -> None:
        """Learn examples given by their entries, after adding columns for those that have none."""
        new, fill = self.columns.missing(entries), sum(map(len, entries)) / len(entries)
        self._learn(new, fill, lambda: self.columns.rows(entries), *target, cuts=cuts)

    def _learn(
        self,
        new: Sequence[Hashable],
        fill: float,
        make_rows: Callable[[], Rows],
        *target: Target,
        cuts: Sequence[int] = (),
    ) -> None:
        """Add columns for new features and learn rows, which have `fill` values other than 0 on average."""
        self._make_room(new, fill)
        self.columns.add(new)
        rows = make_rows()
        first, *others = pairwise([0, *cuts, rows.shape[0]])
        try:
            self._learn_part(rows, first, *target)
        except (TypeError, ValueError):  # invalid input: nothing was learned
            self.columns.drop_last(len(new))
            raise
        for part in others:
            self._learn_part(rows, part, *target)

    def _learn_part(self, rows: Rows, part: tuple[int, int], *target: Target) -> None:
        here = slice(*part)
        self.model.partial_fit(rows[here], *(values[here] for values in target))
        self.is_fitted = True

    def _make_room(self, new: Sequence[Hashable], fill: float) -> None:
        """Make the rows of the model wide enough for new features; they become sparse if they are mostly zero."""
        columns, n = self.columns, len(self.columns.names) + len(new)
        if self.is_fitted and n <= columns.width:
            return
        if n > _MAX_COLUMNS:
            raise DataError(
                f"There must be at most {_MAX_COLUMNS:,} features, got {n:,}; use river.preprocessing.FeatureHasher."
            )
        may_be_sparse = isinstance(self.model.get_params().get("kernel"), str)  # not all kernel functions can be
        is_sparse = columns.sparse or (may_be_sparse and n > _MAX_DENSE_COLUMNS and fill < _MIN_FILL * n)
        width = max(n, 1)
        if self.is_fitted:
            # Spare columns would count in gamma="scale", which follows the first rows of a stream.
            spare = n // 2 if getattr(self.model, "n_seen_", 0) >= _MIN_ROWS_FOR_SPARE else 0
            width = min(n + spare, _MAX_COLUMNS)
            _require_growing(self.model, new)
            streaming.add_features(self.model, width, sparse=is_sparse)
        columns.width, columns.sparse = width, is_sparse


def _require_growing(model: Model, new: Sequence[Hashable]) -> None:
    if not hasattr(model, "add_features") and not hasattr(model, "stream_traits"):
        raise DataError(
            f"{type(model).__name__} cannot learn features that appear later, got {listed(new, most=3)}; "
            "the first row must have all of them."
        )


def _require_usable(model: Model, task: str) -> None:
    """Raise ParameterError unless a model is an estimator for the task that has not learned anything."""
    name = type(model).__name__
    if isinstance(model, type) or not all(hasattr(model, method) for method in ("get_params", "partial_fit")):
        raise ParameterError(f"model must be an estimator with partial_fit, got {name}; pass one such as OnlineSVC().")
    if not _TASKS[task](model):
        raise ParameterError(f"model must be an estimator for {task}, got {name}; use another class of hinge.river.")
    params = model.get_params()
    if params.get("kernel") == "precomputed":
        raise ParameterError("kernel must be a function of the features, got 'precomputed'; choose another kernel.")
    if hasattr(model, "__sklearn_is_fitted__") and model.__sklearn_is_fitted__():
        raise ParameterError(f"model must not be fitted, got a fitted {name}; pass sklearn.base.clone(model).")

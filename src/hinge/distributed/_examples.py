"""Labelled examples of one or more partitions, and partitions as tasks."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hinge._model.labels import class_factors
from hinge._model.validation import check_weights
from hinge.active._rows import count_rows, take_rows
from hinge.distributed._engine import array_with_chunks, is_array, is_frame, partition_tasks, task, unique_token
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import Labels, RowsLike
    from hinge.distributed._engine import Collection, DaskArray, Task


@dataclass(frozen=True)
class Examples:
    """Examples with labels, as the user gave them.

    Attributes
    ----------
    X : ndarray, CSR matrix or DataFrame
        Examples.
    y : ndarray of shape (n,)
        Labels or targets.
    weights : ndarray of shape (n,)
        Sample weights.
    rows : ndarray of shape (n,)
        Row numbers of the examples: within their partition at first, later within the whole data set.
    """

    X: RowsLike
    y: Labels
    weights: NDArray[np.float64]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.y)

    def take(self, positions: NDArray[np.intp]) -> Examples:
        """Return the examples at some positions."""
        return Examples(take_rows(self.X, positions), self.y[positions], self.weights[positions], self.rows[positions])

    def with_weight(self, model: BaseEstimator, first_row: int = 0) -> Examples:
        """Return the examples whose sample weight and class weight are positive.

        Parameters
        ----------
        model : estimator
            Provides the class weights, if it has any.
        first_row : int, default=0
            Row number of the first row of the partition in the whole data set.
        """
        factors = class_factors(getattr(model, "class_weight", None), self.y, self.weights)
        positions = np.flatnonzero((self.weights > 0) & (factors > 0))
        used = self if len(positions) == len(self) else self.take(positions)
        return Examples(used.X, used.y, used.weights, used.rows + first_row)

    def without(self, rows: NDArray[np.int64]) -> Examples:
        """Return the examples except those with some row numbers."""
        return self.take(np.flatnonzero(~np.isin(self.rows, rows)))


def concatenate(parts: Sequence[Examples]) -> Examples:
    """Concatenate sets of examples.

    Examples
    --------
    >>> import numpy as np
    >>> part = Examples(np.eye(2), np.array([0, 1]), np.ones(2), np.arange(2))
    >>> concatenate([part, part]).y.tolist()
    [0, 1, 0, 1]
    """
    filled = [part for part in parts if len(part)] or list(parts[:1])
    if len(filled) == 1:
        return filled[0]
    columns = zip(*((part.y, part.weights, part.rows) for part in filled), strict=True)
    return Examples(_stack([part.X for part in filled]), *(np.concatenate(column) for column in columns))


def example_tasks(X: Collection, y: ArrayLike | Collection, sample_weight: ArrayLike | Collection | None) -> list[Task]:
    """Return one task per partition whose result is an `Examples`; nothing is computed yet."""
    token = unique_token()  # of all three, which may share steps
    examples, sizes = partition_tasks(X, token)
    labels = _align("y", y, X, sizes, token)
    if sample_weight is None:
        return [task(_check_partition, *pair) for pair in zip(examples, labels, strict=True)]
    weights = _align("sample_weight", sample_weight, X, sizes, token)
    return [task(_check_partition, *triple) for triple in zip(examples, labels, weights, strict=True)]


def _align(name: str, values: ArrayLike | Collection, X: Collection, sizes: list[int | None], token: str) -> list[Task]:
    """Return values as tasks, one per partition of X."""
    if not is_array(values) and not is_frame(values):
        values = _split(name, values, sizes)
    if is_array(values) and is_array(X):
        values = _rechunk(name, values, X)
    n_dimensions = getattr(values, "ndim", 1)
    if n_dimensions != 1:
        raise DataError(f"{name} must have one dimension, got {n_dimensions}; select one column.")
    tasks, _ = partition_tasks(values, token)
    if len(tasks) != len(sizes):
        raise DataError(
            f"{name} must have the partitions of X, got {len(tasks)} and {len(sizes)} of unknown sizes; take both from "
            "the same collection, or make arrays of them and call compute_chunk_sizes()."
        )
    return tasks


def _split(name: str, values: ArrayLike, sizes: list[int | None]) -> Collection:
    """Return values in memory as a dask array with the partition sizes of X."""
    held, known = np.asarray(values), [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        raise DataError(
            f"{name} must be a dask array or Series if partitions of X have unknown sizes, "
            f"got {type(values).__name__}; take it from the collection that X comes from."
        )
    if held.shape[:1] != (sum(known),):
        raise DataError(f"{name} must have one value per row of X, {sum(known)}, got shape {held.shape}.")
    return array_with_chunks(held, tuple(known))


def _rechunk(name: str, values: DaskArray, X: DaskArray) -> DaskArray:
    """Return a dask array with the chunks of X, if they are known."""
    if values.chunks[0] == X.chunks[0] or np.isnan([values.shape[0], X.shape[0]]).any():
        return values
    if values.shape[0] != X.shape[0]:
        raise DataError(f"{name} must have one value per row of X, {X.shape[0]}, got {values.shape[0]}.")
    return values.rechunk({0: X.chunks[0]})


def _check_partition(X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Examples:
    n_rows, labels = count_rows(X), np.asarray(y)
    if len(labels) != n_rows:
        raise DataError(
            f"The partitions of y must have as many rows as those of X, got {len(labels)} and {n_rows} in one of them; "
            "take both from the same collection."
        )
    weights = check_weights(sample_weight, n_rows)
    return Examples(X, labels, weights, np.arange(n_rows, dtype=np.int64))


def _stack(blocks: list[Any]) -> RowsLike:
    """Concatenate blocks of rows of one kind."""
    if hasattr(blocks[0], "iloc"):
        return import_module("pandas").concat(blocks)  # installed, since these are DataFrames
    if sparse.issparse(blocks[0]):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate(blocks)

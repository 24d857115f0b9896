"""Examples of one partition, and partitions as tasks."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hinge._model.labels import class_factors
from hinge._model.validation import check_weights
from hinge.active._rows import count_rows, take_rows
from hinge.distributed._engine import as_array, blocks, is_array, is_frame, task
from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hinge.distributed._engine import Collection, Task


@dataclass(frozen=True)
class Part:
    """Some examples with labels, as the user gave them.

    Attributes
    ----------
    X : ndarray, CSR matrix or DataFrame
        Examples.
    y : ndarray of shape (n,)
        Labels or targets.
    weights : ndarray of shape (n,)
        Weights.
    rows : ndarray of shape (n,)
        Places of the examples: in their partition at first, later in all partitions together.
    """

    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.y)

    def take(self, places: NDArray[Any]) -> Part:
        """Return some of the examples."""
        return Part(take_rows(self.X, places), self.y[places], self.weights[places], self.rows[places])

    def used(self, model: Any, first: int = 0) -> Part:
        """Return the examples that have a weight, their own and that of their class.

        Parameters
        ----------
        model : estimator
            Its class weights count, where it has any.
        first : int, default=0
            Where the partition begins among all examples.
        """
        factors = class_factors(getattr(model, "class_weight", None), self.y, self.weights)
        places = np.flatnonzero((self.weights > 0) & (factors > 0))
        part = self if len(places) == len(self) else self.take(places)
        return Part(part.X, part.y, part.weights, part.rows + first)

    def without(self, rows: NDArray[np.int64]) -> Part:
        """Return the examples that do not stand at some places among all."""
        return self.take(np.flatnonzero(~np.isin(self.rows, rows)))


def joined(parts: Sequence[Part]) -> Part:
    """Return the examples of several parts as one.

    Examples
    --------
    >>> import numpy as np
    >>> part = Part(np.eye(2), np.array([0, 1]), np.ones(2), np.arange(2))
    >>> joined([part, part]).y.tolist()
    [0, 1, 0, 1]
    """
    filled = [part for part in parts if len(part)] or list(parts[:1])
    if len(filled) == 1:
        return filled[0]
    columns = zip(*((part.y, part.weights, part.rows) for part in filled), strict=True)
    return Part(_stacked([part.X for part in filled]), *(np.concatenate(column) for column in columns))


def partitions(X: Collection, y: Any, sample_weight: Any) -> list[Task]:
    """Return one task a partition whose result is a `Part`; nothing is computed, let alone brought here."""
    examples, sizes = blocks(X)
    labels = _beside("y", y, X, sizes)
    if sample_weight is None:
        return [task(_part, *pair) for pair in zip(examples, labels, strict=True)]
    weights = _beside("sample_weight", sample_weight, X, sizes)
    return [task(_part, *triple) for triple in zip(examples, labels, weights, strict=True)]


def _beside(name: str, values: Any, X: Collection, sizes: list[int | None]) -> list[Task]:
    """Return values as tasks, one for each partition of X."""
    if not is_array(values) and not is_frame(values):
        values = _in_chunks(name, values, sizes)
    if is_array(values) and is_array(X):
        values = _aligned(name, values, X)
    if getattr(values, "ndim", 1) != 1:
        raise DataError(f"{name} must have one dimension, got {values.ndim}; name the column that is meant.")
    tasks, _ = blocks(values)
    if len(tasks) != len(sizes):
        raise DataError(
            f"{name} must have the partitions of X, got {len(tasks)} and {len(sizes)} of unknown sizes; take both from "
            "the same collection, or make arrays of them and call compute_chunk_sizes()."
        )
    return tasks


def _in_chunks(name: str, values: Any, sizes: list[int | None]) -> Collection:
    """Return values that are in memory in pieces as long as the partitions of X."""
    held, known = np.asarray(values), [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        raise DataError(
            f"{name} must be a dask array or Series where partitions of X have unknown sizes, "
            f"got {type(values).__name__}; take it from the collection that X comes from."
        )
    if held.shape[:1] != (sum(known),):
        raise DataError(f"{name} must have one value a row of X, {sum(known)}, got shape {held.shape}.")
    return as_array(held, tuple(known))


def _aligned(name: str, values: Any, X: Any) -> Any:
    """Return a dask array with the chunks of X, if they are known."""
    if values.chunks[0] == X.chunks[0] or np.isnan([values.shape[0], X.shape[0]]).any():
        return values
    if values.shape[0] != X.shape[0]:
        raise DataError(f"{name} must have one value a row of X, {X.shape[0]}, got {values.shape[0]}.")
    return values.rechunk({0: X.chunks[0]})


def _part(X: Any, y: Any, sample_weight: Any = None) -> Part:
    n_rows, labels = count_rows(X), np.asarray(y)
    if len(labels) != n_rows:
        raise DataError(
            f"The partitions of y must have the rows of those of X, got one of {len(labels)} beside one of {n_rows}; "
            "take both from the same collection."
        )
    weights = check_weights(sample_weight, n_rows)
    return Part(X, labels, weights, np.arange(n_rows, dtype=np.int64))


def require_kernel_of_rows(model: Any) -> None:
    """Refuse kernel values in place of rows: a part has other columns than all."""
    if isinstance(model.kernel, str) and model.kernel == "precomputed":
        raise ParameterError("kernel must not be 'precomputed' over partitions, which stand apart; give a function.")


def renumber(model: Any, rows: NDArray[np.int64]) -> None:
    """Let a model call examples, which it has numbered in the order it was given them, by their places among all."""
    state = model._state
    arrays, values = state.to_arrays()
    if "ids" in arrays:
        model._state = state.from_arrays(arrays | {"ids": rows[arrays["ids"]]}, values, state.kernel.function)


def _stacked(blocks_of_rows: list[Any]) -> Any:
    """Return blocks of rows as one, of the same kind."""
    if hasattr(blocks_of_rows[0], "iloc"):
        pandas: Any = import_module("pandas")  # it is there, since these are its frames
        return pandas.concat(blocks_of_rows)
    if sparse.issparse(blocks_of_rows[0]):
        return sparse.vstack(blocks_of_rows, format="csr")
    return np.concatenate(blocks_of_rows)

"""Training on data larger than memory: an iterator of chunks, or a function that returns one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from hinge._fit import driver
from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from typing import TypeGuard

    from hinge.approximate._estimator import ApproximateEstimator

Chunk: TypeAlias = tuple[Any, ...]  # (X, y) or (X, y, sample_weight), not yet checked
Chunks: TypeAlias = Iterator[Chunk] | Callable[[], Iterable[Chunk]]


def fit_chunks(estimator: ApproximateEstimator, chunks: Chunks) -> None:
    """Learn a stream of chunks from scratch: the first pass as `partial_fit` would, later ones in random order."""
    estimator._check_params(streaming=True)
    if estimator.early_stopping:
        raise ParameterError("early_stopping must be False with chunks, which are not stored; set epochs instead.")
    with driver.replacing(estimator) as fresh:
        random = check_random_state(estimator.random_state)
        n_passes = 1 if isinstance(estimator.epochs, str) else estimator.epochs
        if n_passes > 1:
            estimator._require_no_forgetting()
        for number, chunks_of_pass in enumerate(_passes(chunks, n_passes)):
            n_rows = _learn_pass(fresh, chunks_of_pass, random if number else None)
            if n_rows == 0:
                raise DataError(
                    f"There must be examples in each pass, got none in pass {number + 1}; "
                    "a function must return a new iterator each time."
                )
            if number == 0:
                fresh._require_complete_stream()
                fresh.end_stream()


def _learn_pass(model: ApproximateEstimator, chunks: Iterable[Chunk], random: np.random.RandomState | None) -> int:
    """Learn one pass, and return its number of rows; later passes get `random`, which orders their rows."""
    n_rows = 0
    for X, y, weights in map(_unpack, chunks):
        n_rows += len(y)
        if not len(y):
            continue
        if random is None:
            driver.partial_fit(model, X, y, None, weights)
        else:
            model._learn_again(X, y, weights, random)
    return n_rows


def is_chunks(X: object, y: object, sample_weight: object) -> TypeGuard[Chunks]:
    """Return True if X is an iterator of chunks, or a function that returns one, rather than rows."""
    if y is None and (isinstance(X, (str, PathLike)) or _is_list_of_chunks(X)):
        raise DataError(
            "Chunks must come from an iterator or from a function that returns one, got "
            f"a {type(X).__name__}; give iter(list), or hinge.datasets.read(path, chunk_size=10_000) for a file."
        )
    if not (isinstance(X, Iterator) or (callable(X) and not hasattr(X, "shape"))):
        return False
    if y is not None or sample_weight is not None:
        raise DataError(
            "y and sample_weight must be left out with an iterator or a function, whose chunks hold them; "
            "each chunk is (X, y) or (X, y, sample_weight)."
        )
    return True


def _is_list_of_chunks(X: object) -> bool:
    """Return True for a list of pairs of rows and labels."""
    return isinstance(X, (list, tuple)) and bool(X) and isinstance(X[0], tuple) and np.ndim(X[0][0]) == 2


def _passes(chunks: Chunks, epochs: int) -> Iterator[Iterable[Chunk]]:
    """Yield the chunks of each pass."""
    if not callable(chunks):
        if epochs > 1:
            raise ParameterError(
                f"epochs must be 1 for an iterator, which can be consumed once, got {epochs}; "
                "give a function that returns one, which is called for each pass."
            )
        yield chunks
        return
    for _ in range(epochs):
        found = chunks()
        if not isinstance(found, Iterable):
            raise DataError(f"The function must return an iterator of chunks, got {type(found).__name__}.")
        yield found


def _unpack(chunk: object) -> Chunk:
    """Check a chunk; return its rows, labels and weights or None."""
    if not isinstance(chunk, (tuple, list)) or len(chunk) not in (2, 3):
        raise DataError(
            f"Each chunk must be a pair (X, y), or (X, y, sample_weight), got {type(chunk).__name__}; "
            "hinge.datasets.read(path, chunk_size=...) yields such pairs."
        )
    if not hasattr(chunk[1], "__len__"):
        raise DataError(f"Each chunk must hold labels for its rows, got {type(chunk[1]).__name__}; give (X, y).")
    return chunk[0], chunk[1], chunk[2] if len(chunk) == 3 else None

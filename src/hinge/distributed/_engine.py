"""dask, and all that is said to it: this is the only importer of it.

A task is a function without side effects and what it is called with, so that dask may run it again when a worker is
lost. Nothing is scattered: data and models are nodes of the graph, which dask sends once to each worker that needs
them, and finds again.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._model.params import whole
from hinge._model.threads import count_threads
from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    from numpy.typing import DTypeLike

Task = Any  # a dask.delayed.Delayed: the future result of a function
Collection = Any  # a dask array, DataFrame or Series


def require_dask() -> ModuleType:
    """Return the package dask, which is imported only when it is needed."""
    try:
        import dask.array  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("hinge.distributed needs the package dask; install hinge[dask].") from error
    package: ModuleType = dask
    return package


class Engine:
    """Where tasks run: on the workers of a client, or on dask's scheduler for a single machine.

    Parameters
    ----------
    client : distributed.Client or None
        The client; None for the current one, if there is one.
    retries : int
        How often dask may run a task again that failed. Tasks of a worker that is lost are always run again.
    """

    def __init__(self, client: Any, retries: Any) -> None:
        self._dask = require_dask()
        self._client = _current_client(self._dask) if client is None else _checked_client(client)
        self._retries = whole("retries", retries, at_least=0, hint="a usual value is 2")
        threads = [count_threads(None)] if self._client is None else list(self._client.nthreads().values())
        self.workers = max(1, len(threads))
        self._threads = sum(threads)

    def threads_each(self, n_tasks: int) -> int:
        """Return how many threads each of some tasks may have that run at the same time."""
        return max(1, self._threads // n_tasks)

    def keep(self, tasks: Sequence[Task]) -> list[Task]:
        """Run tasks and leave their results where they are; what is returned stands for these."""
        if self._client is None:
            return list(self._dask.persist(*tasks))
        kept: list[Task] = self._client.persist(list(tasks), retries=self._retries)
        return kept

    def results(self, tasks: Sequence[Task]) -> list[Any]:
        """Run tasks and return their results; the error of a task is raised here."""
        if self._client is None:
            return list(self._dask.compute(*tasks))
        results: list[Any] = self._client.gather(self._client.compute(list(tasks), retries=self._retries))
        return results


@contextmanager
def heavy_models() -> Iterator[None]:
    """Let models travel from here without a warning of dask about the size of its graph: they have no other way."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        yield


def task(function: Callable[..., Any], *arguments: Any) -> Task:
    """Return a function and its arguments, other tasks among them, as a task that has not run."""
    return require_dask().delayed(function, pure=False)(*arguments)


def node(value: Any) -> Task:
    """Return a value as a node of the graph: it is sent to each worker once, however many tasks use it."""
    return require_dask().delayed(value, pure=False, traverse=False)


def is_array(value: Any) -> bool:
    """Tell whether a value is a dask array."""
    return isinstance(value, require_dask().array.Array)


def is_frame(value: Any) -> bool:
    """Tell whether a value is a dask DataFrame or Series."""
    return bool(require_dask().is_dask_collection(value)) and hasattr(value, "divisions")


def as_array(values: Any, chunks: tuple[int, ...]) -> Collection:
    """Return values in memory as a dask array with chunks of given sizes."""
    return require_dask().array.from_array(values, chunks=(chunks,))


def blocks(X: Collection) -> tuple[list[Task], list[int | None]]:
    """Return the partitions of a collection as tasks, all columns together, and their numbers of rows where known."""
    if is_frame(X):
        tasks = list(X.to_delayed())
        return tasks, [None] * len(tasks)
    if not is_array(X):
        raise DataError(
            f"X must be a dask array or DataFrame, got {type(X).__name__}; "
            "what fits into memory is faster with the methods of the model."
        )
    whole_rows = X.rechunk({1: -1}) if X.ndim == 2 and X.numblocks[1] > 1 else X
    sizes = [None if np.isnan(size) else int(size) for size in X.chunks[0]]
    return list(whole_rows.to_delayed().ravel()), sizes


def array_of(tasks: Sequence[Task], sizes: Sequence[int | None], columns: tuple[int, ...], dtype: DTypeLike) -> Any:
    """Return the dask array whose blocks of rows are the results of tasks."""
    array = require_dask().array
    shapes = [(np.nan if size is None else size, *columns) for size in sizes]
    parts = [array.from_delayed(each, shape=shape, dtype=dtype) for each, shape in zip(tasks, shapes, strict=True)]
    return array.concatenate(parts, allow_unknown_chunksizes=True)


def _current_client(dask: ModuleType) -> Any:
    """Return the client that dask would use by itself, or None."""
    if dask.config.get("scheduler", None) not in (None, "dask.distributed", "distributed"):
        return None
    try:
        import distributed  # noqa: PLC0415

        started: Any = distributed
        return _checked_client(started.default_client())
    except (ImportError, ValueError):  # not installed; nobody has started one
        return None


def _checked_client(client: Any) -> Any:
    if not all(hasattr(client, verb) for verb in ("compute", "persist", "gather", "nthreads")):
        raise ParameterError(f"client must be a dask.distributed.Client or None, got {client!r}; None finds it itself.")
    if client.asynchronous:
        raise ParameterError("client must not be asynchronous, since the result is waited for; start another one.")
    return client

"""The only module that imports dask.

A task is a function without side effects and its arguments, so that dask can run it again when a worker is lost.
Nothing is scattered: data and models are nodes of the task graph, which dask sends once to each worker that needs them
and recomputes when they are lost.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

import numpy as np

from hinge._model.params import whole
from hinge._model.threads import count_threads
from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    import dask.array
    import dask.dataframe
    from dask.delayed import Delayed
    from distributed import Client
    from numpy.typing import ArrayLike, DTypeLike

    DaskArray: TypeAlias = dask.array.Array
    Collection: TypeAlias = DaskArray | dask.dataframe.DataFrame | dask.dataframe.Series
    Task: TypeAlias = Delayed  # the future result of a function
    DaskClient: TypeAlias = Client


def require_dask() -> ModuleType:
    """Return the package dask, which is imported only when it is needed."""
    try:
        import dask.array  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("hinge.distributed needs the package dask; install hinge-svm[dask].") from error
    package: ModuleType = dask
    return package


class Engine:
    """Runs tasks on the workers of a client, or on dask's scheduler for a single machine.

    Parameters
    ----------
    client : distributed.Client or None
        The client; None for the current one, if there is one.
    retries : int
        How often dask may run a failed task again. Tasks of a lost worker are always run again.
    """

    def __init__(self, client: DaskClient | None, retries: int) -> None:
        self._dask = require_dask()
        self._client = _current_client(self._dask) if client is None else _check_client(client)
        self._retries = whole("retries", retries, at_least=0, hint="a usual value is 2")
        threads = [count_threads(None)] if self._client is None else list(self._client.nthreads().values())
        self.n_workers = max(1, len(threads))
        self._n_threads = sum(threads)

    def threads_per_task(self, n_tasks: int) -> int:
        """Return the number of threads for each of some tasks that run at the same time."""
        return max(1, self._n_threads // n_tasks)

    def persist(self, tasks: Sequence[Task]) -> list[Task]:
        """Run tasks and keep their results on the workers; the tasks returned stand for these results."""
        if self._client is None:
            return list(self._dask.persist(*tasks))
        return list(self._client.persist(list(tasks), retries=self._retries))

    def compute(self, tasks: Sequence[Task]) -> list[Any]:
        """Run tasks and return their results; raises the error of a task that fails."""
        if self._client is None:
            return list(self._dask.compute(*tasks))
        return list(self._client.gather(self._client.compute(list(tasks), retries=self._retries)))


@contextmanager
def allow_large_graph() -> Iterator[None]:
    """Suppress dask's warning about large graphs: models have to be part of the graph."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        yield


def task(function: Callable[..., object], *arguments: object) -> Task:
    """Return a call of a function, other tasks among its arguments, as a task that has not run."""
    return require_dask().delayed(function, pure=False)(*arguments)


def shared_value(value: object) -> Task:
    """Return a value as a node of the graph: dask sends it to each worker once, however many tasks use it."""
    return require_dask().delayed(value, pure=False, traverse=False)


def is_array(value: object) -> bool:
    """Return whether a value is a dask array."""
    return isinstance(value, require_dask().array.Array)


def is_frame(value: object) -> bool:
    """Return whether a value is a dask DataFrame or Series."""
    return bool(require_dask().is_dask_collection(value)) and hasattr(value, "divisions")


def array_with_chunks(values: ArrayLike, chunks: tuple[int, ...]) -> Collection:
    """Return values in memory as a dask array with chunks of given sizes."""
    return require_dask().array.from_array(values, chunks=(chunks,))


def unique_token() -> str:
    """Return what distinguishes the keys of one call from those of all others."""
    return uuid4().hex


def partition_tasks(X: Collection, token: str | None = None) -> tuple[list[Task], list[int | None]]:
    """Return one task per partition, with all columns, and the numbers of rows where they are known.

    The tasks have keys of their own. dask optimises each computation by itself, so that two computations on X may give
    one key different tasks; a scheduler that still knows the first then fails at the second (dask issue 9888).

    Parameters
    ----------
    X : dask array, DataFrame or Series
        The partitions.
    token : str, default=None
        Collections that share steps also share their results if their tasks are made with one token. None: a new one.

    Returns
    -------
    tasks, sizes : list of Task, list of int or None
        The tasks, and the numbers of rows.
    """
    token = token or unique_token()
    if is_frame(X):
        tasks = _with_own_keys(list(X.to_delayed()), X, token)
        return tasks, [None] * len(tasks)
    if not is_array(X):
        raise DataError(
            f"X must be a dask array or DataFrame, got {type(X).__name__}; "
            "for data in memory, the methods of the model are faster."
        )
    whole_rows = X.rechunk({1: -1}) if X.ndim == 2 and X.numblocks[1] > 1 else X
    sizes = [None if np.isnan(size) else int(size) for size in X.chunks[0]]
    return _with_own_keys(list(whole_rows.to_delayed().ravel()), whole_rows, token), sizes


def array_from_tasks(
    tasks: Sequence[Task], sizes: Sequence[int | None], columns: tuple[int, ...], dtype: DTypeLike
) -> DaskArray:
    """Return the dask array whose blocks of rows are the results of tasks."""
    array = require_dask().array
    shapes = [(np.nan if size is None else size, *columns) for size in sizes]
    parts = [array.from_delayed(each, shape=shape, dtype=dtype) for each, shape in zip(tasks, shapes, strict=True)]
    return array.concatenate(parts, allow_unknown_chunksizes=True)


def _with_own_keys(tasks: list[Task], whole: Collection, token: str) -> list[Task]:
    """Return tasks that compute the same as the partitions of a collection under other keys.

    Optimised graphs do not hold results that are on workers already, so that these are added from the collection.
    """
    # dask.graph_manipulation.clone loses dependencies.
    from dask._task_spec import TaskRef, convert_legacy_graph  # noqa: PLC0415
    from dask.highlevelgraph import HighLevelGraph  # noqa: PLC0415

    if not tasks:
        return []
    graph = convert_legacy_graph(dict(tasks[0].__dask_graph__()))  # of all partitions
    held = {key: value for key, value in dict(whole.__dask_graph__()).items() if isinstance(value, TaskRef)}
    names = {key: _renamed(key, token) for key in (*graph, *held)}
    renamed = {names[key]: node.substitute(names, key=names[key]) for key, node in graph.items()}
    renamed |= {names[key]: future for key, future in held.items()}
    layer = f"partitions-{token}-{uuid4().hex}"
    layers = HighLevelGraph({layer: renamed}, {layer: set()})
    return [type(each)(names[each.key], layers, layer=layer) for each in tasks]


def _renamed(key: Any, token: str) -> Any:
    """Return another key; dask's dashboard groups tasks by what is before the token."""
    return (f"{key[0]}-{token}", *key[1:]) if isinstance(key, tuple) else f"{key}-{token}"


def _current_client(package: ModuleType) -> DaskClient | None:
    """Return the client that dask would use by itself, if there is one."""
    if package.config.get("scheduler", None) not in (None, "dask.distributed", "distributed"):
        return None
    try:
        from distributed import default_client  # noqa: PLC0415

        return _check_client(default_client())
    except (ImportError, ValueError):  # not installed, or no client was started
        return None


def _check_client(client: DaskClient) -> DaskClient:
    if not all(hasattr(client, method) for method in ("compute", "persist", "gather", "nthreads")):
        raise ParameterError(
            f"client must be a dask.distributed.Client or None, got {client!r}; None uses the current client."
        )
    if client.asynchronous:
        raise ParameterError("client must not be asynchronous, since the call waits for the result; start another one.")
    return client

"""Active learning over a pool that is spread over partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hinge.active._acquisition import acquisition_scores, margin_score
from hinge.active._rows import count_rows, take_rows
from hinge.active._selection import QueryOptions, top_n
from hinge.distributed._engine import Engine, partition_tasks, shared_value, task
from hinge.distributed._model_access import worker_copy
from hinge.distributed._statistics import row_offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import RowsLike
    from hinge.active._selection import Seed
    from hinge.distributed._engine import Collection, DaskClient, Task


@dataclass(frozen=True)
class PartitionBest:
    """The best rows of one partition, with their scores."""

    n_rows: int
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class LocatedRows:
    """Row numbers of the whole data set, and the partitions that hold them."""

    rows: NDArray[np.int64]
    offsets: NDArray[np.int64]
    partitions: NDArray[np.int64]

    @classmethod
    def locate(cls, sizes: Sequence[int], rows: NDArray[np.int64]) -> LocatedRows:
        """Find the partitions of rows, given the sizes of all partitions.

        Examples
        --------
        >>> import numpy as np
        >>> located = LocatedRows.locate([2, 0, 3], np.array([4, 0, 2]))
        >>> located.partitions.tolist(), located.rows_in(2).tolist()
        ([2, 0, 2], [2, 0])
        """
        offsets = row_offsets(sizes)
        return cls(rows, offsets, np.searchsorted(offsets, rows, side="right") - 1)

    def rows_in(self, partition: int) -> NDArray[np.int64]:
        """Return the rows in one partition, counted from its first row."""
        rows: NDArray[np.int64] = self.rows[self.partitions == partition] - self.offsets[partition]
        return rows


def query(  # noqa: PLR0917
    model: BaseEstimator,
    X: Collection,
    n: int = 1,
    strategy: str = "boundary",
    sample: int | None = None,
    random_state: Seed = None,
    *,
    client: DaskClient | None = None,
    retries: int = 2,
) -> NDArray[np.int64]:
    """Select the rows of a distributed pool whose labels are expected to help a model most.

    Each partition scores its own rows and returns its n best. The result is that of `hinge.active.query` on the whole
    pool with `spread=0`: near-duplicates in different partitions are not recognised.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with `decision_function` or `predict_proba`. It is sent once to each worker.
    X : dask array or DataFrame of shape (n_rows, n_features)
        The pool: examples without labels.
    n : int, default=1
        Number of rows to return.
    strategy : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        What makes a row worth labelling; see `hinge.active.query`.
    sample : int, default=None
        Score only this many random rows; None scores all.
    random_state : int, RandomState instance or None, default=None
        Seed of the random draws.
    client : distributed.Client, default=None
        Where to run; None uses the current client or, without one, the threads of this process.
    retries : int, default=2
        How often dask may run a failed task again.

    Returns
    -------
    ndarray of shape (n,)
        Row numbers over all partitions, best first; of equally good rows the first.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC, active, distributed
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OnlineSVC().fit(X, y)
    >>> rows = distributed.query(model, da.from_array(X, chunks=(50, 4)), n=3)
    >>> bool((rows == active.query(model, X, n=3, spread=0)).all())
    True
    """
    options = QueryOptions.validate(n, strategy, sample, random_state)
    engine = Engine(client, retries)
    tasks, sizes = partition_tasks(X)
    if options.strategy in ("boundary", "positive") and options.sample is None:
        return _query_all(engine, model, options, tasks)
    known = [size for size in sizes if size is not None]
    known = known if len(known) == len(tasks) else engine.compute([task(count_rows, rows) for rows in tasks])
    rows = options.candidates(sum(known))
    if rows is None:
        return _query_all(engine, model, options, tasks)
    if options.strategy == "random":
        return rows
    # For "autoactive" too: another round of tasks costs more than the scores of all its candidates.
    scores = _score_rows(engine, model, options.strategy, tasks, LocatedRows.locate(known, rows))
    return rows[options.select(scores, margin_score(model))]


def _query_all(engine: Engine, model: BaseEstimator, options: QueryOptions, tasks: Sequence[Task]) -> NDArray[np.int64]:
    """Return the best of all rows, from the best of each partition."""
    shared = shared_value(worker_copy(model))
    found = engine.compute([task(_best_of_partition, shared, options.strategy, options.n, rows) for rows in tasks])
    sizes = [each.n_rows for each in found]
    options.check_pool_size(sum(sizes))
    rows = np.concatenate([each.rows + offset for each, offset in zip(found, row_offsets(sizes), strict=True)])
    return rows[top_n(np.concatenate([each.scores for each in found]), options.n)]


def _score_rows(
    engine: Engine, model: BaseEstimator, strategy: str, tasks: Sequence[Task], located: LocatedRows
) -> NDArray[np.float64]:
    """Return the scores of some rows, in their order; partitions without any of them are not touched."""
    shared = shared_value(worker_copy(model))
    partitions = np.unique(located.partitions).tolist()
    calls = [task(_score_in_partition, shared, strategy, tasks[each], located.rows_in(each)) for each in partitions]
    scores = np.empty(len(located.rows))
    for partition, found in zip(partitions, engine.compute(calls), strict=True):
        scores[located.partitions == partition] = found
    return scores


def _best_of_partition(model: BaseEstimator, strategy: str, n: int, X: RowsLike) -> PartitionBest:
    n_rows = count_rows(X)
    if not n_rows:
        return PartitionBest(0, np.zeros(0, dtype=np.int64), np.zeros(0))
    scores = acquisition_scores(model, X, strategy)
    rows = top_n(scores, n)
    return PartitionBest(n_rows, rows, scores[rows])


def _score_in_partition(
    model: BaseEstimator, strategy: str, X: RowsLike, rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    return acquisition_scores(model, take_rows(X, rows), strategy)

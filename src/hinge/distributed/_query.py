"""The most informative examples of a pool that is spread over partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.active._choose import Question, best
from hinge.active._rows import count_rows, take_rows
from hinge.active._score import margin_merit, merits
from hinge.distributed._engine import Engine, blocks, node, task
from hinge.distributed._predict import ready

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hinge.distributed._engine import Collection, Task


@dataclass(frozen=True)
class Found:
    """Rows of one partition that may be among the best, or the rows asked about, with their merits."""

    n_rows: int
    places: NDArray[np.int64]
    merits: NDArray[np.float64]


@dataclass(frozen=True)
class Wanted:
    """Rows to look at, and the partitions that have them."""

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    owners: NDArray[np.int64]

    @classmethod
    def among(cls, sizes: Sequence[int], rows: NDArray[np.int64]) -> Wanted:
        """Return rows with their partitions, of given sizes.

        Examples
        --------
        >>> import numpy as np
        >>> wanted = Wanted.among([2, 0, 3], np.array([4, 0, 2]))
        >>> wanted.owners.tolist(), wanted.places_in(2).tolist()
        ([2, 0, 2], [2, 0])
        """
        starts = _starts(sizes)
        return cls(rows, starts, np.searchsorted(starts, rows, side="right") - 1)

    def places_in(self, owner: int) -> NDArray[np.int64]:
        """Return the places of those rows that a partition has, counted from its beginning."""
        places: NDArray[np.int64] = self.rows[self.owners == owner] - self.starts[owner]
        return places


def query(  # noqa: PLR0917
    model: Any,
    X: Collection,
    n: int = 1,
    strategy: str = "boundary",
    sample: int | None = None,
    random_state: Any = None,
    *,
    client: Any = None,
    retries: int = 2,
) -> NDArray[np.int64]:
    """Return the rows of a distributed pool whose labels would teach a model most.

    Partitions score their rows where they are and send their n best. The answer is that of `hinge.active.query` on the
    whole pool with `spread=0`: rows that are far from each other would have to be compared.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with `decision_function` or `predict_proba`. It goes once to each worker.
    X : dask array or DataFrame of shape (n_rows, n_features)
        The pool: examples without labels.
    n : int, default=1
        How many rows to return.
    strategy : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        What makes a row worth asking about; see `hinge.active.query`.
    sample : int, default=None
        Look at that many random rows only; None looks at all.
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    client : distributed.Client, default=None
        Where to run; None is the current client, or dask's own threads where there is none.
    retries : int, default=2
        How often dask may run a task again that failed.

    Returns
    -------
    ndarray of shape (n,)
        Places of rows in all partitions together, best first; of equal rows the one that comes first.

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
    question = Question.checked(n, strategy, sample, random_state)
    engine = Engine(client, retries)
    tasks, sizes = blocks(X)
    if question.strategy in ("boundary", "positive") and question.sample is None:
        return _of_all(engine, model, question, tasks)
    known = [size for size in sizes if size is not None]
    known = known if len(known) == len(tasks) else engine.results([task(count_rows, rows) for rows in tasks])
    rows = question.candidates(sum(known))
    if rows is None:
        return _of_all(engine, model, question, tasks)
    if question.strategy == "random":
        return rows
    values = _merits_among(engine, model, question.strategy, tasks, Wanted.among(known, rows))
    return rows[question.chosen(values, margin_merit(model))]


def _of_all(engine: Engine, model: Any, question: Question, tasks: Sequence[Task]) -> NDArray[np.int64]:
    """Return the best of all rows: of the best of each partition."""
    shared = node(ready(model))
    found = engine.results([task(_best_of, shared, question.strategy, question.n, rows) for rows in tasks])
    question.require(sum(each.n_rows for each in found))
    starts = _starts([each.n_rows for each in found])
    places = np.concatenate([each.places + start for each, start in zip(found, starts, strict=True)])
    return places[best(np.concatenate([each.merits for each in found]), question.n)]


def _merits_among(
    engine: Engine, model: Any, strategy: str, tasks: Sequence[Task], wanted: Wanted
) -> NDArray[np.float64]:
    """Return the merits of some rows, in their order; only partitions that have one of them are looked at."""
    shared = node(ready(model))
    asked = np.unique(wanted.owners).tolist()
    scoring = [task(_merits_of, shared, strategy, tasks[owner], wanted.places_in(owner)) for owner in asked]
    values = np.empty(len(wanted.rows))
    for owner, part in zip(asked, engine.results(scoring), strict=True):
        values[wanted.owners == owner] = part
    return values


def _best_of(model: Any, strategy: str, n: int, X: Any) -> Found:
    n_rows = count_rows(X)
    if not n_rows:
        return Found(0, np.zeros(0, dtype=np.int64), np.zeros(0))
    values = merits(model, X, strategy)
    places = best(values, n)
    return Found(n_rows, places, values[places])


def _merits_of(model: Any, strategy: str, X: Any, places: NDArray[np.int64]) -> NDArray[np.float64]:
    return merits(model, take_rows(X, places), strategy)


def _starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return where each partition begins among all rows."""
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)

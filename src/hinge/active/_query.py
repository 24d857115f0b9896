"""The function `query`: score the candidates and select the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge.active._acquisition import acquisition_scores, margin_score
from hinge.active._diversity import CANDIDATES_PER_ROW, diverse_batch
from hinge.active._rows import count_rows, take_rows
from hinge.active._selection import QueryOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import RowsLike
    from hinge.active._selection import Seed

    TakeRows = Callable[[RowsLike, NDArray[np.int64]], RowsLike]


def query(  # noqa: PLR0917
    model: BaseEstimator | None,
    X: RowsLike,
    n: int = 1,
    strategy: str = "boundary",
    sample: int | None = None,
    random_state: Seed = None,
    *,
    spread: float = 0.2,
    target: object = None,
) -> NDArray[np.int64]:
    """Select the rows of a pool whose labels are expected to help a model most.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with `decision_function` or `predict_proba`. "random" does not use it.
    X : array-like, CSR matrix or DataFrame of shape (n_rows, n_features)
        The pool: examples without labels.
    n : int, default=1
        Number of rows to return.
    strategy : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        "boundary": the rows closest to the decision boundary; with more than two classes, those whose two best classes
        have the closest scores. "positive": the rows with the largest scores, to find more examples of a rare class;
        with more than two classes, the largest score of any class. "autoactive": draw random rows until five of them
        (or n) are inside the margin, at most 100, and return those closest to the boundary; it explores while the model
        knows little, and it is cheap. Inside the margin is a distance of less than 1 from the boundary, for `OnlineSVC`
        1 + delta / 2 with delta = `kkt_violation()`, as in the LASVM paper. "random": any rows.
    sample : int, default=None
        Score only this many random rows. 50 is nearly as good as all and much faster on a large pool. None scores all
        rows; "autoactive" never scores more than 100.
    random_state : int, RandomState instance or None, default=None
        Seed of the random draws.
    spread : float, default=0.2
        With n above 1, rows closer to each other than this share of the typical distance are near-duplicates, and
        only the best of them is returned as long as there are enough others. 0 returns the n best rows whatever they
        are.
    target : object, default=None
        The class that "positive" looks for. None means the second of two classes, for which decision values are
        positive, or any of more than two classes.

    Returns
    -------
    ndarray of shape (n,)
        Row indices, best first; of equally good rows the first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC
    >>> from hinge.active import query
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OnlineSVC(gamma=1.0).partial_fit(X[::10], y[::10])
    >>> rows = query(model, X, n=5)  # ask somebody for their labels, then
    >>> model.partial_fit(X[rows], y[rows]).n_seen_
    20
    """
    options = QueryOptions.validate(n, strategy, sample, random_state, spread, target)
    return select_rows(model, X, options, options.candidates(count_rows(X)))


def select_rows(
    model: BaseEstimator | None,
    X: RowsLike,
    options: QueryOptions,
    candidates: NDArray[np.int64] | None,
    take: TakeRows = take_rows,
) -> NDArray[np.int64]:
    """Select rows among candidates (None for all rows); `take` returns rows in the form that the model accepts."""
    if options.strategy == "random" and candidates is not None:
        return candidates
    if options.strategy == "autoactive" and candidates is not None:
        scores = _score_until_enough(lambda rows: _score(model, take(X, rows), options), model, options, candidates)
    else:
        scores = _score(model, X if candidates is None else take(X, candidates), options)
    n_ranked = options.n * (CANDIDATES_PER_ROW if options.n > 1 else 1)
    ranked = options.select(scores, margin_score(model), n_ranked)
    return diverse_batch(X, ranked if candidates is None else candidates[ranked], options.n, options.spread)


def _score(model: BaseEstimator | None, X: RowsLike, options: QueryOptions) -> NDArray[np.float64]:
    return acquisition_scores(model, X, options.strategy, options.target)


def _score_until_enough(
    score: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    model: BaseEstimator | None,
    options: QueryOptions,
    candidates: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Score candidates in their order until enough lie inside the margin, and none beyond that."""
    scores, inside = np.empty(0), margin_score(model)
    while len(scores) < len(candidates):
        n_missing = options.enough_inside - int(np.count_nonzero(scores > inside))
        if n_missing <= 0:
            break
        scores = np.concatenate([scores, score(candidates[len(scores) : len(scores) + n_missing])])
    return scores

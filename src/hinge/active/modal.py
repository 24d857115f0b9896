"""Query strategies for modAL: `strategy` returns a function that its learners accept.

modAL itself is not imported. Give its learners a `Continued` model, so that each `teach` learns only the new rows.
(`teach` of modAL 0.4.2 needs scikit-learn below 1.8.)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import check_random_state

from hinge.active._acquisition import acquisition_scores
from hinge.active._model_access import can_choose
from hinge.active._query import query
from hinge.active._rows import take_rows
from hinge.active._selection import QueryOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import RowsLike
    from hinge.active._selection import Seed

    RowsAndScores = tuple[NDArray[np.int64], NDArray[np.float64]]

__all__ = ["strategy"]


def strategy(
    name: str = "boundary", sample: int | None = None, random_state: Seed = None, *, spread: float = 0.2
) -> Callable[..., RowsAndScores]:
    """Return a query strategy for modAL that selects rows as `hinge.active.query` does.

    The strategy takes a learner (or any classifier), a pool and `n_instances`. It returns the selected rows, best
    first, and their scores, which `learner.query(X, return_metrics=True)` passes on. While the model does not know two
    classes, it draws rows at random.

    Parameters
    ----------
    name : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        What makes a row worth labelling, as in `query`.
    sample : int, default=None
        Score only this many random rows. None scores all.
    random_state : int, RandomState instance or None, default=None
        Seed of the random draws, which differ from call to call.
    spread : float, default=0.2
        Minimum distance between the rows of one call, as in `query`.

    Returns
    -------
    callable
        The strategy, for the parameter `query_strategy` of a learner. It can be pickled.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC
    >>> from hinge.active import modal
    >>> X, y = load_iris(return_X_y=True)
    >>> boundary = modal.strategy("boundary", random_state=0)
    >>> model = OnlineSVC(gamma=1.0, random_state=0).fit(X[::10], y[::10])
    >>> rows, scores = boundary(model, X, n_instances=3)  # as ActiveLearner(model, query_strategy=boundary) does
    >>> len(rows), bool((scores <= 0).all())
    (3, True)
    """
    QueryOptions.validate(1, name, sample, random_state, spread)
    return partial(_query_modal, name, sample, check_random_state(random_state), spread)


def _query_modal(  # noqa: PLR0917
    name: str,
    sample: int | None,
    random: np.random.RandomState,
    spread: float,
    /,
    classifier: BaseEstimator,
    X_pool: RowsLike,
    n_instances: int = 1,
) -> RowsAndScores:
    model = _scoring_model(classifier)
    if name == "random" or not can_choose(model):
        return query(None, X_pool, n_instances, "random", random_state=random), np.zeros(n_instances)
    chosen = query(model, X_pool, n_instances, name, sample, random, spread=spread)
    return chosen, acquisition_scores(model, take_rows(X_pool, chosen), name)


def _scoring_model(classifier: BaseEstimator) -> BaseEstimator:
    """Return the estimator with scores; learners of modAL hide the decision function of theirs."""
    inner = getattr(classifier, "estimator", None)
    is_hidden = hasattr(inner, "decision_function") and not hasattr(classifier, "decision_function")
    return inner if is_hidden and can_choose(inner) else classifier

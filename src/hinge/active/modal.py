"""Questions of this package in modAL: `strategy` makes a query strategy for its learners.

modAL itself is not imported: its strategies are plain functions. Give its learners a `Continued` model, and each
`teach` learns the new rows only. (modAL 0.4.2 can teach with scikit-learn below 1.8 only.)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from hinge.active._adapting import can_choose
from hinge.active._choose import Question
from hinge.active._query import query
from hinge.active._rows import take_rows
from hinge.active._score import merits

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Chosen = tuple[NDArray[np.int64], NDArray[np.float64]]

__all__ = ["strategy"]


def strategy(
    name: str = "boundary", sample: int | None = None, random_state: Any = None, *, spread: float = 0.2
) -> Callable[..., Chosen]:
    """Return a query strategy of modAL that asks as `hinge.active.query` does.

    It is called with a learner (or any classifier), a pool and `n_instances`, and returns the rows chosen, best first,
    and what each is worth, which `learner.query(X, return_metrics=True)` hands on. A model that knows nothing yet, or
    one class only, has rows drawn at random.

    Parameters
    ----------
    name : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        What makes a row worth asking about, as in `query`.
    sample : int, default=None
        Look at that many random rows only. None looks at all.
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices; from one call to the next they differ.
    spread : float, default=0.2
        How far apart the rows of one question are, as in `query`.

    Returns
    -------
    callable
        The strategy, `query_strategy` of a learner. It can be pickled.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC
    >>> from hinge.active import modal
    >>> X, y = load_iris(return_X_y=True)
    >>> ask = modal.strategy("boundary", random_state=0)
    >>> model = OnlineSVC(gamma=1.0, random_state=0).fit(X[::10], y[::10])
    >>> rows, merits = ask(model, X, n_instances=3)  # ActiveLearner(model, query_strategy=ask) does the same
    >>> len(rows), bool((merits <= 0).all())
    (3, True)
    """
    Question.checked(1, name, sample, random_state, spread)
    return partial(_ask, name, sample, check_random_state(random_state), spread)


def _ask(  # noqa: PLR0917
    name: str,
    sample: int | None,
    random: np.random.RandomState,
    spread: float,
    /,
    classifier: Any,
    X_pool: Any,
    n_instances: int = 1,
) -> Chosen:
    model = _scoring(classifier)
    if name == "random" or not can_choose(model):
        return query(None, X_pool, n_instances, "random", random_state=random), np.zeros(n_instances)
    chosen = query(model, X_pool, n_instances, name, sample, random, spread=spread)
    return chosen, merits(model, take_rows(X_pool, chosen), name)


def _scoring(classifier: Any) -> Any:
    """Return what gives scores: a learner of modAL hides the decision values of its estimator."""
    inner = getattr(classifier, "estimator", None)
    hides = hasattr(inner, "decision_function") and not hasattr(classifier, "decision_function")
    return inner if hides and can_choose(inner) else classifier

"""The question itself: score the candidates, choose among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hinge.active._apart import LOOKED_AT, apart
from hinge.active._choose import Question
from hinge.active._rows import count_rows, take_rows
from hinge.active._score import margin_merit, merits

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    Take = Callable[[Any, NDArray[np.int64]], Any]


def query(  # noqa: PLR0917
    model: Any,
    X: Any,
    n: int = 1,
    strategy: str = "boundary",
    sample: int | None = None,
    random_state: Any = None,
    *,
    spread: float = 0.2,
    target: Any = None,
) -> NDArray[np.int64]:
    """Return the rows of a pool whose labels would teach a model most.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with `decision_function` or `predict_proba`.
    X : array-like, CSR matrix or DataFrame of shape (n_rows, n_features)
        The pool: examples without labels.
    n : int, default=1
        How many rows to return.
    strategy : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        "boundary": the rows closest to the decision boundary; with more than two classes, those whose two best classes
        have the closest scores. "positive": the largest scores, to find more of a rare class; with more than two
        classes, the largest of any class. "autoactive": random rows are looked at until five of them (or n) are inside
        the margin, at most 100, and the closest to the boundary among those are returned: it explores while the model
        knows little, and costs little. "random": any rows.
    sample : int, default=None
        Look at that many random rows only, 50 for example, which is nearly as good and does not score the whole pool.
        None looks at all; autoactive at no more than 100.
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    spread : float, default=0.2
        With n above 1, of rows closer together than this share of the typical distance only the best is taken, as
        long as there are others nearly as good: two answers about the same thing teach hardly more than one. 0
        returns the n best rows, whatever they are.
    target : object, default=None
        The class that "positive" looks for. None is the second of two classes, which decision functions are positive
        for, and any of more.

    Returns
    -------
    ndarray of shape (n,)
        Indices of rows, best first; of equally good rows the one that comes first.

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
    question = Question.checked(n, strategy, sample, random_state, spread, target)
    rows = question.candidates(count_rows(X))
    return choose(model, X, question, rows)


def choose(
    model: Any, X: Any, question: Question, rows: NDArray[np.int64] | None, take: Take = take_rows
) -> NDArray[np.int64]:
    """Return the rows that answer a question among candidates, None for all; `take` returns rows for the model."""
    if question.strategy == "random" and rows is not None:
        return rows
    looked_at = X if rows is None else take(X, rows)
    values = merits(model, looked_at, question.strategy, question.target)
    ranked = question.chosen(values, margin_merit(model), question.n * (LOOKED_AT if question.n > 1 else 1))
    if rows is None:
        return apart(X, ranked, question.n, question.spread)
    return apart(X, rows[ranked], question.n, question.spread)

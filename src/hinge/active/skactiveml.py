"""Questions of this package in scikit-activeml, and a classifier there that goes on learning from `fit` to `fit`.

This is the only importer of that package: `pip install 'hinge[skactiveml]'`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone

from hinge._model.params import number
from hinge.active._adapting import can_choose
from hinge.active._choose import Question
from hinge.active._continued import Continued
from hinge.active._query import choose
from hinge.active._score import merits
from hinge.exceptions import ParameterError

try:
    from skactiveml.base import (
        SingleAnnotatorPoolQueryStrategy,
        SingleAnnotatorStreamQueryStrategy,
        SkactivemlClassifier,
    )
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.utils import MISSING_LABEL, check_equal_missing_label, check_type
except ImportError as error:
    raise ImportError(
        "hinge.active.skactiveml needs the package scikit-activeml; pip install 'hinge[skactiveml]'."
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["ContinuedClassifier", "HingeQuery", "HingeStreamQuery"]


class HingeQuery(SingleAnnotatorPoolQueryStrategy):
    """Query strategy that asks as `hinge.active.query` does.

    Utilities are minus the distance from the decision boundary or, with "positive", the decision value itself. Rows
    that were not looked at, or are too similar to a better one, have none. While the classifier knows nothing, or one
    class only, rows are drawn at random.

    Parameters
    ----------
    strategy : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        What makes a row worth asking about, as in `query`.
    sample : int, default=None
        Look at that many random candidates only. None looks at all.
    missing_label : scalar, str, NaN or None, default=NaN
        What stands for a label that is missing.
    random_state : int, RandomState instance or None, default=None
        Seed of the random choices.
    spread : float, default=0.2
        How far apart the rows of a batch are, as in `query`.

    Examples
    --------
    >>> import numpy as np
    >>> from skactiveml.classifier import SklearnClassifier
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC
    >>> from hinge.active.skactiveml import HingeQuery
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.full(len(X), np.nan)
    >>> y[::10] = truth[::10]
    >>> classifier = SklearnClassifier(OnlineSVC(gamma=1.0, random_state=0), classes=[0, 1, 2])
    >>> rows = HingeQuery("boundary").query(X, y, classifier, batch_size=3)
    >>> bool(np.isnan(y[rows]).all())
    True
    """

    def __init__(
        self,
        strategy: str = "boundary",
        sample: int | None = None,
        missing_label: Any = MISSING_LABEL,
        random_state: Any = None,
        *,
        spread: float = 0.2,
    ) -> None:
        super().__init__(missing_label=missing_label, random_state=random_state)
        self.strategy = strategy
        self.sample = sample
        self.spread = spread

    def query(  # noqa: PLR0917
        self,
        X: Any,
        y: Any,
        clf: Any,
        fit_clf: bool = True,
        sample_weight: Any = None,
        candidates: Any = None,
        batch_size: int = 1,
        return_utilities: bool = False,
    ) -> Any:
        """Return the rows whose labels would teach a classifier most.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            All rows, with and without labels.
        y : array-like of shape (n_samples,)
            Their labels, `missing_label` where there is none.
        clf : skactiveml.base.SkactivemlClassifier
            The classifier, such as `SklearnClassifier(OnlineSVC())`.
        fit_clf : bool, default=True
            Fit a clone of the classifier to X and y first, from nothing. False takes the classifier as it is.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights for that fit.
        candidates : array-like of shape (n_candidates,) or (n_candidates, n_features), default=None
            Rows of X to choose from, by their numbers, or other rows. None for all rows without a label.
        batch_size : int, default=1
            How many rows to choose.
        return_utilities : bool, default=False
            Return the utilities as well.

        Returns
        -------
        query_indices : ndarray of shape (batch_size,)
            Rows of X, or of the candidates if these are other rows; best first.
        utilities : ndarray of shape (batch_size, n_samples) or (batch_size, n_candidates)
            What rows were worth when each of the batch was chosen; NaN for those that could not be.
        """
        X, y, candidates, batch_size, return_utilities = self._validate_data(
            X, y, candidates, batch_size, return_utilities, reset=True
        )
        rows, mapping = self._transform_candidates(candidates, X, y)
        model = _ready(clf, X, y, sample_weight, fit_clf)
        check_equal_missing_label(clf.missing_label, self.missing_label_)
        question = Question.checked(batch_size, self.strategy, self.sample, self.random_state_, self.spread)
        chosen, values = _chosen(question, model, rows, with_values=return_utilities)
        places = chosen if mapping is None else mapping[chosen]
        if not return_utilities:
            return places
        utilities = np.full((batch_size, len(rows if mapping is None else X)), np.nan)
        utilities[:, slice(None) if mapping is None else mapping] = values
        for number_before, place in enumerate(places[:-1], start=1):
            utilities[number_before:, place] = np.nan
        return places, utilities


class HingeStreamQuery(SingleAnnotatorStreamQueryStrategy):
    """Query strategy for streams: ask about rows inside the margin, as long as the budget allows.

    Utilities are minus the distance from the decision boundary. While the classifier knows nothing, or one class only,
    every row is worth asking about.

    Parameters
    ----------
    threshold : float, default=1.0
        Rows closer to the decision boundary than this are asked about; 1 is the margin of a support vector machine.
    budget : float, default=None
        The share of rows that may be asked about, above 0 and up to 1. None for 0.1.
    random_state : int, RandomState instance or None, default=None
        Not used, present so that all strategies are called alike.

    Examples
    --------
    >>> from skactiveml.classifier import SklearnClassifier
    >>> from hinge import OnlineSVC
    >>> from hinge.active.skactiveml import HingeStreamQuery
    >>> classifier = SklearnClassifier(OnlineSVC(kernel="linear"), classes=[0, 1]).fit([[-1.0], [1.0]], [0, 1])
    >>> strategy = HingeStreamQuery(budget=0.5)
    >>> rows = [[0.5], [3.0], [0.25], [-2.0]]
    >>> asked = strategy.query(rows, classifier)
    >>> asked.tolist()
    [2]
    >>> strategy = strategy.update(rows, asked)
    """

    def __init__(self, threshold: float = 1.0, budget: float | None = None, random_state: Any = None) -> None:
        super().__init__(budget=budget, random_state=random_state)
        self.threshold = threshold

    def query(  # noqa: PLR0917
        self,
        candidates: Any,
        clf: Any,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        fit_clf: bool = False,
        return_utilities: bool = False,
    ) -> Any:
        """Return the rows of a piece of the stream to ask about; nothing changes until `update`.

        Parameters
        ----------
        candidates : array-like of shape (n_candidates, n_features)
            The next rows of the stream.
        clf : skactiveml.base.SkactivemlClassifier
            The classifier.
        X, y : array-like, default=None
            Rows and labels for a fit of a clone of the classifier.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights for that fit.
        fit_clf : bool, default=False
            Whether to do that fit.
        return_utilities : bool, default=False
            Return the utilities as well.

        Returns
        -------
        queried_indices : ndarray
            Numbers of rows among the candidates, ascending.
        utilities : ndarray of shape (n_candidates,)
            What each row is worth.
        """
        candidates, return_utilities = self._validate_data(candidates, return_utilities)
        threshold = number("threshold", self.threshold, above=0, hint="a usual value is 1.0")
        model = _ready(clf, X, y, sample_weight, fit_clf)
        utilities = np.zeros(len(candidates)) if model is None else merits(model, candidates, "boundary")
        seen, asked, chosen = self._seen, self._asked, []
        for row, utility in enumerate(utilities):
            seen += 1
            if -utility < threshold and asked + 1 <= self.budget_ * seen:
                asked += 1
                chosen.append(row)
        indices = np.array(chosen, dtype=np.int64)
        return (indices, utilities) if return_utilities else indices

    def update(
        self,
        candidates: Any,
        queried_indices: Any,
        budget_manager_param_dict: dict[str, Any] | None = None,
    ) -> Self:
        """Count rows that have passed and those that were asked about.

        Parameters
        ----------
        candidates : array-like of shape (n_candidates, n_features)
            The rows of the stream that `query` was called with.
        queried_indices : array-like of int
            Those that were asked about.
        budget_manager_param_dict : dict, default=None
            Not used, present so that all strategies are called alike.

        Returns
        -------
        self : object
            The strategy.
        """
        del budget_manager_param_dict
        candidates, _ = self._validate_data(candidates, False)
        self._seen += len(candidates)
        self._asked += len(np.atleast_1d(queried_indices))
        return self

    def _validate_data(self, candidates: Any, return_utilities: Any, *arguments: Any, **more: Any) -> Any:
        if not hasattr(self, "_seen"):
            self._seen = self._asked = 0
        return super()._validate_data(candidates, return_utilities, *arguments, **more)


class ContinuedClassifier(SklearnClassifier):
    """`SklearnClassifier` of a `Continued` model whose `fit` goes on from the one before.

    `SklearnClassifier` copies its estimator, as it was given, at each `fit`, so that nothing could ever be gone on
    with. Query with `fit_clf=False` after `fit`: otherwise strategies fit a clone, which begins from nothing.

    Parameters
    ----------
    estimator : Continued
        The model. It stays as it is; what has been learned is in `estimator_`.
    include_unlabeled_samples, classes, missing_label, cost_matrix, random_state
        As in `SklearnClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from hinge import IncrementalSVC
    >>> from hinge.active import Continued
    >>> from hinge.active.skactiveml import ContinuedClassifier, HingeQuery
    >>> X, truth = load_iris(return_X_y=True)
    >>> y, strategy = np.full(len(X), np.nan), HingeQuery(random_state=0)
    >>> y[::30] = truth[::30]
    >>> classifier = ContinuedClassifier(Continued(IncrementalSVC(gamma=0.5)), classes=[0, 1, 2])
    >>> for _ in range(20):
    ...     rows = strategy.query(X, y, classifier.fit(X, y), fit_clf=False)
    ...     y[rows] = truth[rows]
    >>> classifier.fit(X, y).estimator_.estimator_.n_seen_  # 5 rows at first, 20 answers, and no row twice
    25
    """

    estimator: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Make the model one of the rows that have labels, with as little learning as that takes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            All rows.
        y : array-like of shape (n_samples,)
            Their labels, `missing_label` where there is none.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        self : object
            The classifier.
        """
        if not isinstance(self.estimator, Continued):
            raise ParameterError(
                f"estimator must be a Continued, got {type(self.estimator).__name__}; put it into one."
            )
        with self._lending():
            super().fit(X, y, sample_weight=sample_weight)
        return self

    @contextmanager
    def _lending(self) -> Iterator[None]:
        """Let the model of the last fit be taken for the estimator, of which a copy would be made."""
        given = self.estimator
        if "estimator_" in vars(self):
            self.estimator_.set_params(**given.get_params())
            self.estimator = _Lent(self.estimator_)
        try:
            yield
        finally:
            self.estimator = given


class _Lent:
    """A model that is its own copy."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.model


def _ready(clf: Any, X: Any, y: Any, sample_weight: Any, fit_clf: Any) -> Any:
    """Return a classifier that can choose, fitted if that is wished, or None while it knows too little."""
    check_type(clf, "clf", SkactivemlClassifier)
    check_type(fit_clf, "fit_clf", bool)
    if fit_clf:
        clf = clone(clf).fit(X, y) if sample_weight is None else clone(clf).fit(X, y, sample_weight)
    is_fitted = getattr(clf, "is_fitted_", True)  # False where its estimator refused the labels so far
    return clf if is_fitted and can_choose(getattr(clf, "estimator_", clf)) else None


def _chosen(
    question: Question, model: Any, X: Any, *, with_values: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows that answer a question, and what all rows are worth, NaN for those that could not be chosen."""
    if model is None or question.strategy == "random":
        question = Question(question.n, "random", None, question.random_state)
        return choose(None, X, question, question.candidates(len(X))), np.zeros(len(X))
    looked_at = question.candidates(len(X))
    chosen, values = choose(model, X, question, looked_at), np.full(len(X), np.nan)
    if with_values:
        rows = slice(None) if looked_at is None else looked_at
        values[rows] = merits(model, X[rows], question.strategy)
        passed_over = values > values[chosen].min()  # better, yet too similar, or not looked at any more
        passed_over[chosen] = False
        values[passed_over] = np.nan
    return chosen, values

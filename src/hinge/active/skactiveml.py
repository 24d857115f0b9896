"""Query strategies for scikit-activeml, and a classifier for it whose `fit` continues from the previous `fit`.

Only this module imports scikit-activeml: `pip install 'hinge-svm[skactiveml]'`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import clone

from hinge._model.params import number
from hinge.active._acquisition import acquisition_scores
from hinge.active._continued import Continued
from hinge.active._model_access import can_choose
from hinge.active._query import select_rows
from hinge.active._rows import count_rows
from hinge.active._selection import QueryOptions
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
        "hinge.active.skactiveml needs the package scikit-activeml; pip install 'hinge-svm[skactiveml]'."
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._selection import Seed

    Rows = NDArray[np.int64]
    Utilities = NDArray[np.float64]

__all__ = ["ContinuedClassifier", "HingeQuery", "HingeStreamQuery"]


class HingeQuery(SingleAnnotatorPoolQueryStrategy):
    """Query strategy that selects rows as `hinge.active.query` does.

    Utilities are minus the distance from the decision boundary or, with "positive", the decision value itself. They are
    NaN for rows that were not scored and for near-duplicates of a better row. While the classifier does not know two
    classes, rows are drawn at random.

    Parameters
    ----------
    strategy : {"boundary", "positive", "autoactive", "random"}, default="boundary"
        What makes a row worth labelling, as in `query`.
    sample : int, default=None
        Score only this many random candidates. None scores all.
    missing_label : scalar, str, NaN or None, default=NaN
        Marks a missing label.
    random_state : int, RandomState instance or None, default=None
        Seed of the random draws.
    spread : float, default=0.2
        Minimum distance between the rows of a batch, as in `query`.

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
        missing_label: object = MISSING_LABEL,
        random_state: Seed = None,
        *,
        spread: float = 0.2,
    ) -> None:
        super().__init__(missing_label=missing_label, random_state=random_state)
        self.strategy = strategy
        self.sample = sample
        self.spread = spread

    def query(  # noqa: PLR0917
        self,
        X: ArrayLike,
        y: ArrayLike,
        clf: BaseEstimator,
        fit_clf: bool = True,
        sample_weight: ArrayLike | None = None,
        candidates: ArrayLike | None = None,
        batch_size: int = 1,
        return_utilities: bool = False,
    ) -> Rows | tuple[Rows, Utilities]:
        """Select the rows whose labels are expected to help a classifier most.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            All rows, with and without labels.
        y : array-like of shape (n_samples,)
            Labels; `missing_label` marks unlabelled rows.
        clf : skactiveml.base.SkactivemlClassifier
            The classifier, such as `SklearnClassifier(OnlineSVC())`.
        fit_clf : bool, default=True
            Fit a clone of the classifier to X and y first. False uses the classifier as it is.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights for that fit.
        candidates : array-like of shape (n_candidates,) or (n_candidates, n_features), default=None
            Indices of the rows of X to choose from, or other rows. None for all unlabelled rows.
        batch_size : int, default=1
            Number of rows to select.
        return_utilities : bool, default=False
            Whether to return the utilities as well.

        Returns
        -------
        query_indices : ndarray of shape (batch_size,)
            Indices into X, or into the candidates if these are other rows; best first.
        utilities : ndarray of shape (batch_size, n_samples) or (batch_size, n_candidates)
            Utilities at each selection of the batch; NaN for rows that could not be selected.
        """
        X, y, candidates, batch_size, return_utilities = self._validate_data(
            X, y, candidates, batch_size, return_utilities, reset=True
        )
        rows, mapping = self._transform_candidates(candidates, X, y)
        model = _prepare_classifier(clf, X, y, sample_weight, fit_clf)
        check_equal_missing_label(clf.missing_label, self.missing_label_)
        options = QueryOptions.validate(batch_size, self.strategy, self.sample, self.random_state_, self.spread)
        chosen, scores = _select(options, model, rows, with_scores=return_utilities)
        indices: Rows = chosen if mapping is None else mapping[chosen]
        if not return_utilities:
            return indices
        utilities = np.full((batch_size, count_rows(rows if mapping is None else X)), np.nan)
        utilities[:, slice(None) if mapping is None else mapping] = scores
        for n_selected, index in enumerate(indices[:-1], start=1):
            utilities[n_selected:, index] = np.nan
        return indices, utilities


class HingeStreamQuery(SingleAnnotatorStreamQueryStrategy):
    """Query strategy for streams: select rows inside the margin, as long as the budget allows.

    Utilities are minus the distance from the decision boundary. While the classifier does not know two classes,
    every row is selected within the budget.

    Parameters
    ----------
    threshold : float, default=1.0
        Rows closer to the decision boundary than this are selected; 1 is the margin of a support vector machine.
    budget : float, default=None
        Share of the rows that may be selected, above 0 and up to 1. None means 0.1.
    random_state : int, RandomState instance or None, default=None
        Ignored; present for API consistency.

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

    def __init__(self, threshold: float = 1.0, budget: float | None = None, random_state: Seed = None) -> None:
        super().__init__(budget=budget, random_state=random_state)
        self.threshold = threshold

    def query(  # noqa: PLR0917
        self,
        candidates: ArrayLike,
        clf: BaseEstimator,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        fit_clf: bool = False,
        return_utilities: bool = False,
    ) -> Rows | tuple[Rows, Utilities]:
        """Select the rows of a chunk of the stream to label; nothing changes until `update` is called.

        Parameters
        ----------
        candidates : array-like of shape (n_candidates, n_features)
            The next rows of the stream.
        clf : skactiveml.base.SkactivemlClassifier
            The classifier.
        X, y : array-like, default=None
            Rows and labels to fit a clone of the classifier to.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights for that fit.
        fit_clf : bool, default=False
            Whether to fit the clone.
        return_utilities : bool, default=False
            Whether to return the utilities as well.

        Returns
        -------
        queried_indices : ndarray
            Indices into the candidates, ascending.
        utilities : ndarray of shape (n_candidates,)
            Minus the distance of each row from the decision boundary.
        """
        candidates, return_utilities = self._validate_data(candidates, return_utilities)
        threshold = number("threshold", self.threshold, above=0, hint="a usual value is 1.0")
        model = _prepare_classifier(clf, X, y, sample_weight, fit_clf)
        utilities = np.zeros(len(candidates)) if model is None else acquisition_scores(model, candidates, "boundary")
        n_seen, n_queried, chosen = self._n_seen, self._n_queried, []
        for row, utility in enumerate(utilities):
            n_seen += 1
            if -utility < threshold and n_queried + 1 <= self.budget_ * n_seen:
                n_queried += 1
                chosen.append(row)
        indices = np.array(chosen, dtype=np.int64)
        return (indices, utilities) if return_utilities else indices

    def update(
        self,
        candidates: ArrayLike,
        queried_indices: ArrayLike,
        budget_manager_param_dict: dict[str, object] | None = None,
    ) -> Self:
        """Count the rows of the stream and those that were queried.

        Parameters
        ----------
        candidates : array-like of shape (n_candidates, n_features)
            The rows that `query` was called with.
        queried_indices : array-like of int
            Indices of the rows that were queried.
        budget_manager_param_dict : dict, default=None
            Ignored; present for API consistency.

        Returns
        -------
        self : object
            The strategy.
        """
        del budget_manager_param_dict
        candidates, _ = self._validate_data(candidates, False)
        self._n_seen += len(candidates)
        self._n_queried += len(np.atleast_1d(queried_indices))
        return self

    def _validate_data(
        self, candidates: ArrayLike, return_utilities: bool, *args: object, **kwargs: object
    ) -> tuple[NDArray[np.float64], bool]:
        if not hasattr(self, "_n_seen"):
            self._n_seen = self._n_queried = 0
        validated: tuple[NDArray[np.float64], bool] = super()._validate_data(
            candidates, return_utilities, *args, **kwargs
        )
        return validated


class ContinuedClassifier(SklearnClassifier):
    """`SklearnClassifier` of a `Continued` model whose `fit` continues from the previous `fit`.

    `SklearnClassifier` copies the given estimator at each `fit`, and loses what it has learned. Query with
    `fit_clf=False` after `fit`: otherwise strategies fit a clone, which starts from scratch.

    Parameters
    ----------
    estimator : Continued
        The model. It is never modified; the fitted model is `estimator_`.
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

    estimator: BaseEstimator

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Make the model one of the labelled rows, with as little training as possible.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            All rows.
        y : array-like of shape (n_samples,)
            Labels; `missing_label` marks unlabelled rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights.

        Returns
        -------
        self : object
            The classifier.
        """
        if not isinstance(self.estimator, Continued):
            raise ParameterError(
                f"estimator must be a Continued, got {type(self.estimator).__name__}; wrap it: Continued(estimator)."
            )
        with self._reuse_fitted_model():
            super().fit(X, y, sample_weight=sample_weight)
        return self

    @contextmanager
    def _reuse_fitted_model(self) -> Iterator[None]:
        """Make `SklearnClassifier.fit`, which deep-copies `estimator`, continue with the fitted model instead."""
        given = self.estimator
        if "estimator_" in vars(self):
            self.estimator_.set_params(**given.get_params())
            self.estimator = _NotCopied(self.estimator_)
        try:
            yield
        finally:
            self.estimator = given


class _NotCopied:
    """Wraps a model so that `deepcopy` returns the model itself."""

    def __init__(self, model: BaseEstimator) -> None:
        self.model = model

    def __getattr__(self, name: str) -> object:
        return getattr(self.model, name)

    def __deepcopy__(self, memo: dict[int, object]) -> BaseEstimator:
        return self.model


def _prepare_classifier(
    clf: BaseEstimator, X: ArrayLike | None, y: ArrayLike | None, sample_weight: ArrayLike | None, fit_clf: bool
) -> BaseEstimator | None:
    """Return a classifier that can choose rows, fitted if `fit_clf` is set; None if it does not know two classes."""
    check_type(clf, "clf", SkactivemlClassifier)
    check_type(fit_clf, "fit_clf", bool)
    if fit_clf:
        clf = clone(clf).fit(X, y) if sample_weight is None else clone(clf).fit(X, y, sample_weight)
    is_fitted = getattr(clf, "is_fitted_", True)  # False if its estimator has rejected the labels
    return clf if is_fitted and can_choose(getattr(clf, "estimator_", clf)) else None


def _select(
    options: QueryOptions, model: BaseEstimator | None, X: NDArray[np.float64], *, with_scores: bool
) -> tuple[Rows, Utilities]:
    """Return the selected rows and the scores of all rows, which are NaN for rows that could not be selected."""
    if model is None or options.strategy == "random":
        options = QueryOptions(options.n, "random", None, options.random_state)
        return select_rows(None, X, options, options.candidates(len(X))), np.zeros(len(X))
    candidates = options.candidates(len(X))
    chosen, scores = select_rows(model, X, options, candidates), np.full(len(X), np.nan)
    if with_scores:
        rows = slice(None) if candidates is None else candidates
        scores[rows] = acquisition_scores(model, X[rows], options.strategy)
        skipped = scores > scores[chosen].min()  # near-duplicates, or candidates that autoactive did not reach
        skipped[chosen] = False
        scores[skipped] = np.nan
    return chosen, scores

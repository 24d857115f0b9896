"""The estimator `RaceSearchCV`."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_method_params, _num_samples

from hinge._fit.progress import with_callbacks
from hinge._model.params import check_threads, number, random_seed, whole
from hinge._model.threads import count_threads
from hinge._terminal import Terminal
from hinge.exceptions import DataError, ParameterError, SearchWarning, sentence
from hinge.model_selection._grid import around, default_settings, listed_settings
from hinge.model_selection._losses import Measure
from hinge.model_selection._race import Event, Propose, Race
from hinge.model_selection._results import table_of
from hinge.model_selection._rungs import make_rungs
from hinge.model_selection._trial import Trials

if TYPE_CHECKING:
    from hinge._model.types import RandomStateLike, Values

_MIN_ROWS = 4  # fewer cannot be learned and tested


class RaceSearchCV(BaseSearchCV):
    """Choose parameters by a race: settings that are worse leave early, the last few are compared carefully.

    A replacement of `GridSearchCV` and `HalvingGridSearchCV`. All settings learn a small part of the rows and are
    tested on the same other rows. Those that are worse than the leader by a test on paired differences leave, and the
    next rung has more rows. Near-ties and settings that may catch up go on, as long as a rung costs about one or two
    fits of all rows. At the end, the last few settings are compared on all rows: each half is predicted by models of
    the other half, or each fold of `cv` by models of the other folds.

    Parameters
    ----------
    estimator : estimator
        The estimator, or a pipeline.
    param_grid : dict or list of dict, default=None
        Values, or distributions with a method `rvs`, by name of the parameter. None: `C` and `gamma` around the median
        distance of the rows, refined around the leader during the race.
    scoring : str or callable, default=None
        One score, as in `GridSearchCV`; None: that of the estimator (accuracy for classifiers).
    cv : int, splitter, iterable or "loo", default=None
        How the last settings are compared. None: by halves; fewer than 2000 rows by five folds, in which all settings
        take part. "loo": by exact leave-one-out, for `IncrementalSVC`.
    max_time : float, default=None
        Seconds for the search and the final fit; None: no limit. Without enough time, the best setting so far is taken,
        and a warning says so. A fit that has begun is not interrupted.
    refit : bool or callable, default=True
        Fit the best setting to all rows. A callable is given `cv_results_` and returns the index of the best setting.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of the rows, and of draws from distributions.
    n_jobs : int, default=None
        Number of settings that are tried at once, in threads. None means one, -1 as many as processors.
    verbose : int, default=0
        Print a line per rung on standard error.
    confidence : float, default=0.95
        Lower bound of the probability that the best setting is not dropped as worse by chance, in all rungs together.
    n_candidates : int, default=100
        Number of draws if `param_grid` has distributions.

    Attributes
    ----------
    best_estimator_ : estimator
        The best setting, fitted to all rows. After Ctrl-C: the leader's model, fitted to the rows of the last rung.
    best_params_ : dict
        The best setting.
    best_score_ : float
        Its score on rows that its models had not learned: those of the confirming rungs. Where halves confirm, it is
        the score of models of half of the rows.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays
        One row per setting: `params`, `param_NAME`, `mean_test_score`, `rank_test_score` and so on as in
        `GridSearchCV`; `rung`, at which it left (the number of rungs if it stayed); `reason` ("worse", "no place",
        "failed", or empty); `n_resources`, the rows of its last model; `rungK_test_score`. `std_test_score` is the
        standard error of the score.
    n_rungs_ : int
        Number of rungs planned.
    stopped_ : str
        Where `max_time` ended the race; empty if it did not.
    search_time_, refit_time_ : float
        Seconds of the race and of the final fit.

    See Also
    --------
    sklearn.model_selection.GridSearchCV : Tries all settings on all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hinge import OnlineSVC
    >>> from hinge.model_selection import RaceSearchCV
    >>> X, y = load_digits(return_X_y=True)
    >>> search = RaceSearchCV(OnlineSVC(), {"C": [1, 10], "gamma": [0.0001, 0.001, 0.1]}, random_state=0).fit(X, y)
    >>> search.best_params_["gamma"], search.best_score_ > 0.98
    (0.001, True)
    """

    _parameter_constraints: Any = {}  # noqa: RUF012  (fit checks parameters, with the messages of this package)

    def __init__(
        self,
        estimator: Any,
        param_grid: Any = None,
        *,
        scoring: Any = None,
        cv: Any = None,
        max_time: float | None = None,
        refit: Any = True,
        random_state: RandomStateLike = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        confidence: float = 0.95,
        n_candidates: int = 100,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv
        self.max_time = max_time
        self.refit = refit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.confidence = confidence
        self.n_candidates = n_candidates

    @with_callbacks
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Choose the best setting, and fit it to all rows.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Training examples.
        y : array-like of shape (n,), default=None
            Targets.
        **params : dict
            Arguments of the estimator's `fit`. Arrays with one value per row are cut like the rows; `groups` goes to
            the splitter `cv`.

        Returns
        -------
        self : object
            The search, which now predicts with the best setting.
        """
        start = time.monotonic()
        self._check_params()
        X, y, fit_params, groups = self._check_data(X, y, params)
        measure = Measure(self.estimator, self.scoring)
        race = self._prepare(X, y, fit_params, groups, measure)
        self.scorer_, self.multimetric_ = measure.scorer, False
        try:
            race.run()
        except KeyboardInterrupt:
            self._conclude(race, start)
            model = race.front_model() if self.refit else None
            if model is not None:
                self.best_estimator_ = model
            raise
        self._conclude(race, start)
        self._warn_if_stopped(race)
        self._warn_of_failures(race)
        if self.refit:
            self._fit_best(X, y, fit_params)
        return self

    def _check_params(self) -> None:
        if self.max_time is not None:
            number("max_time", self.max_time, above=0, hint="seconds; None sets no limit")
        if number("confidence", self.confidence, above=0, hint="a usual value is 0.95") >= 1:
            raise ParameterError(f"confidence must be below 1, got {self.confidence!r}; a usual value is 0.95.")
        whole("n_candidates", self.n_candidates, at_least=1, hint="a usual value is 100")
        check_threads(self.n_jobs)
        if not callable(self.refit) and not isinstance(self.refit, (bool, np.bool_)):
            raise ParameterError(f"refit must be True, False or a function of cv_results_, got {self.refit!r}.")
        if isinstance(self.cv, str) and self.cv != "loo":
            raise ParameterError(f"cv must be None, a number of folds, a splitter or 'loo', got {self.cv!r}.")

    def _check_data(self, X: Any, y: Any, params: Values) -> tuple[Any, Any, Values, Any]:
        """Return rows that can be cut, labels as an array, the arguments of `fit`, and groups."""
        X, y = indexable(X, y)
        fit_params = _check_method_params(X, params)
        groups = fit_params.pop("groups", None)
        if y is None and get_tags(self.estimator).target_tags.required:
            clone(self.estimator).fit(X, y)  # says what is missing
        if y is not None:
            y = column_or_1d(y, warn=True) if np.ndim(y) != 1 else np.asarray(y)
            assert_all_finite(y, input_name="y")
            if is_classifier(self.estimator):
                check_classification_targets(y)
                _require_two_classes(y, fit_params.get("sample_weight"))
        return X, y, fit_params, groups

    def _prepare(self, X: Any, y: Any, fit_params: Values, groups: Any, measure: Measure) -> Race:
        classifies = is_classifier(self.estimator)
        random = np.random.RandomState(random_seed(self.random_state))
        settings, propose = self._settings(X, y, random)
        n_rows = _num_samples(X)
        counts = np.unique(y, return_counts=True)[1] if classifies else np.array([n_rows, n_rows])
        is_enough = n_rows >= _MIN_ROWS and bool((counts > 1).sum() > 1)
        if not is_enough and len(settings) > 1 and len(counts) > 1 and n_rows > 1:  # with less, fit itself complains
            few = f"{n_rows} rows" if n_rows < _MIN_ROWS else "Classes with a single row"
            message = f"{few} cannot be both learned and tested, so that the setting chosen is a guess; pass more rows."
            warnings.warn(message, SearchWarning, stacklevel=4)
        if is_enough and self.param_grid is not None and len(settings) > n_rows:
            message = f"{len(settings)} settings compete for {n_rows} rows, so that chance decides; use a smaller grid."
            warnings.warn(message, SearchWarning, stacklevel=4)
        n_jobs = 1 if self.n_jobs is None else count_threads(self.n_jobs)
        return Race(
            settings,
            make_rungs(X, y, self.cv, groups, random, stratify=classifies) if is_enough else [],
            Trials(self.estimator, X, y, fit_params, measure, single_thread=n_jobs > 1),
            confidence=self.confidence,
            propose=propose,
            max_time=self.max_time,
            n_jobs=n_jobs,
            report=self._report,
            observe=self._observe,
        )

    def _settings(self, X: Any, y: Any, random: np.random.RandomState) -> tuple[list[Values], Propose | None]:
        """Return the settings that take part, and what proposes those that join."""
        if self.param_grid is None:
            return default_settings(self.estimator, X, y, random), around
        return listed_settings(self.param_grid, self.n_candidates, random), None

    def _report(self, line: str) -> None:
        if self.verbose:
            Terminal().print(line, highlight=False)

    def _observe(self, event: Event) -> None:
        """Be told of every group of trials; subclasses may show them."""

    def _conclude(self, race: Race, start: float) -> None:
        """Set the attributes that do not need the final fit."""
        self.cv_results_ = table_of(race)
        self.stopped_ = race.stopped
        self.n_rungs_ = len(race.rungs)
        best = (
            self.refit(self.cv_results_)
            if callable(self.refit)
            else int(np.argmin(self.cv_results_["rank_test_score"]))
        )
        self.best_index_ = int(best)
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.search_time_ = time.monotonic() - start

    def _warn_if_stopped(self, race: Race) -> None:
        if not race.stopped:
            return
        tested = sum(bool(setting.losses) for setting in race.settings)
        guess = "the best so far" if tested else "a guess, as no setting could be tested"
        message = (
            f"max_time={self.max_time} ended the search {race.stopped}; {self.best_params_} is {guess}. "
            "Allow more time, or pass a smaller grid."
        )
        warnings.warn(message, SearchWarning, stacklevel=4)

    def _warn_of_failures(self, race: Race) -> None:
        failed = sum(setting.reason == "failed" for setting in race.settings)
        if failed:
            message = f"{failed} of {len(race.settings)} settings failed, the first with: {sentence(race.errors[0])}."
            warnings.warn(message, SearchWarning, stacklevel=4)

    def _fit_best(self, X: Any, y: Any, fit_params: Values) -> None:
        begin = time.monotonic()
        best = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
        best.fit(X, y, **fit_params) if y is not None else best.fit(X, **fit_params)
        self.best_estimator_ = best
        self.refit_time_ = time.monotonic() - begin
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_ = best.feature_names_in_


def _require_two_classes(y: Any, sample_weight: Any) -> None:
    """Raise DataError if weights leave only one class; without weights, the estimator says so."""
    if sample_weight is not None and np.shape(sample_weight) == np.shape(y):
        used = np.asarray(sample_weight) > 0
        if len(np.unique(y)) > len(np.unique(y[used])) == 1:
            raise DataError("fit needs examples of at least two classes, but sample_weight leaves only one class.")

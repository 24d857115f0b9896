from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.callback import ProgressBar
from sklearn.datasets import load_digits, make_classification, make_moons
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hinge import IncrementalSVC, OnlineSVC, SearchWarning
from hinge.exceptions import DataError, ParameterError
from hinge.model_selection import RaceSearchCV, _race
from hinge.model_selection._grid import default_settings
from hinge.model_selection._rungs import make_rungs, stratified_order

GRID = {"C": [0.01, 1.0, 100.0], "gamma": [0.001, 1.0, 1000.0]}


@pytest.fixture(scope="module")
def moons():
    X, y = make_moons(3000, noise=0.2, random_state=0)
    return X.astype(np.float32), np.array(["left", "right"])[y]


@pytest.fixture(scope="module")
def raced(moons):
    return RaceSearchCV(OnlineSVC(random_state=0), GRID, random_state=0).fit(*moons)


@parametrize_with_checks([RaceSearchCV(OnlineSVC(), {"C": [1, 10]}, random_state=0)])
def test_scikit_learn_estimator(estimator, check):
    check(estimator)


def test_finds_a_setting_as_good_as_grid_search(moons, raced):
    X, y = make_moons(5000, noise=0.2, random_state=1)
    y = np.array(["left", "right"])[y]
    grid = GridSearchCV(SVC(), GRID, cv=3).fit(*moons)
    assert raced.score(X, y) > grid.score(X, y) - 0.01
    assert raced.best_score_ == pytest.approx(raced.score(X, y), abs=0.02)


def test_winner_is_the_plain_fit_of_the_best_setting(moons, raced):
    again = OnlineSVC(random_state=0, **raced.best_params_).fit(*moons)
    assert np.array_equal(again.decision_function(moons[0]), raced.decision_function(moons[0]))
    assert raced.classes_.tolist() == ["left", "right"]
    assert raced.n_features_in_ == 2


def test_results_tell_when_each_setting_left(raced):
    results = raced.cv_results_
    assert len(results["params"]) == 9
    assert results["rank_test_score"][raced.best_index_] == 1
    assert results["mean_test_score"][raced.best_index_] == raced.best_score_
    stayed = results["rung"] == raced.n_rungs_
    assert stayed[raced.best_index_]
    assert set(results["reason"][stayed]) == {""}
    assert set(results["reason"][~stayed]) <= {"worse", "no place"}
    for rung in range(raced.n_rungs_):
        tested = ~np.isnan(results[f"rung{rung}_test_score"])
        assert np.array_equal(tested, results["rung"] >= rung)
    bad = [params["gamma"] == 1000.0 for params in results["params"]]
    assert (results["reason"][bad] == "worse").all()


def test_same_choice_for_any_number_of_threads(moons, raced):
    threads = RaceSearchCV(OnlineSVC(random_state=0), GRID, random_state=0, n_jobs=2).fit(*moons)
    assert threads.best_params_ == raced.best_params_
    assert np.array_equal(threads.cv_results_["mean_test_score"], raced.cv_results_["mean_test_score"], equal_nan=True)


def test_screening_never_tests_on_rows_it_learned(moons):
    rungs = make_rungs(*moons, None, None, 0, stratify=True)
    sizes = [len(rung.train) for rung in rungs]
    assert sizes == sorted(sizes)
    assert all(not set(rung.train) & set(rung.test) for rung in rungs)
    first, second = rungs[-2:]
    assert set(first.test) == set(second.train)
    assert len(first.train) + len(first.test) == 3000


def test_every_beginning_of_the_order_is_stratified():
    y = np.repeat([0, 1, 2], [900, 90, 10])
    order = stratified_order(y, 1000, np.random.RandomState(0))
    for n in (100, 250, 500):
        assert np.abs(np.bincount(y[order[:n]], minlength=3) - np.array([0.9, 0.09, 0.01]) * n).max() <= 1


def test_folds_are_those_of_cross_validation(moons):
    X, y = moons[0][:600], moons[1][:600]
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    search = RaceSearchCV(SVC(), {"C": [1.0, 1.1]}, cv=folds, random_state=0).fit(X, y)
    scores = cross_val_score(SVC(**search.best_params_), X, y, cv=folds)
    assert search.best_score_ == pytest.approx(scores.mean(), abs=1e-12)


def test_leave_one_out_is_exact():
    X, y = make_moons(60, noise=0.3, random_state=0)
    search = RaceSearchCV(IncrementalSVC(gamma=2.0), {"C": [1.0, 10.0]}, cv="loo", random_state=0).fit(X, y)
    for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        refits = [
            SVC(gamma=2.0, tol=1e-8, **params).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] == y[i]
            for i in range(60)
        ]
        assert score == pytest.approx(np.mean(refits))


@pytest.mark.parametrize(
    "kernel",
    ["sigmoid", *(pytest.param(kernel, marks=pytest.mark.slow) for kernel in ("rbf", "linear", "poly", "laplacian"))],
)
def test_default_grid_of_each_kernel(kernel):
    X, y = load_digits(return_X_y=True)
    search = RaceSearchCV(OnlineSVC(kernel=kernel, random_state=0), random_state=0, cv=2).fit(X[:240], y[:240])
    assert search.best_score_ > (0.7 if kernel == "sigmoid" else 0.85)


def test_default_grid_does_not_depend_on_the_scale():
    X, _ = load_digits(return_X_y=True)
    gammas = [
        {s["gamma"] * scale**2 for s in default_settings(OnlineSVC(), X * scale, None, np.random.RandomState(0))}
        for scale in (1.0, 100.0)
    ]
    assert np.allclose(sorted(gammas[0]), sorted(gammas[1]))


def test_settings_around_the_leader_join(moons):
    search = RaceSearchCV(OnlineSVC(random_state=0), random_state=0).fit(*moons)
    grid = default_settings(OnlineSVC(), moons[0], None, np.random.RandomState(0))
    assert len(search.cv_results_["params"]) > len(grid)


class Curve(ClassifierMixin, BaseEstimator):
    """Knows the labels, and errs at a rate that falls with a power of the rows learned."""

    def __init__(self, rate=1.0, power=0.0):
        self.rate = rate
        self.power = power

    def fit(self, X, y):
        self.classes_, self.error_ = np.unique(y), self.rate * len(y) ** -self.power
        return self

    def predict(self, X):
        return np.where(X[:, 1] < self.error_, 1 - X[:, 0], X[:, 0]).astype(int)


@pytest.mark.parametrize("n", [5000, 20_000])
def test_setting_that_is_best_among_many_rows_only_comes_to_the_end(n):
    """Large gammas on covtype are the worst among 300 rows, and the best among 10 000."""
    random = np.random.RandomState(0)
    y = random.randint(2, size=n)
    X = np.column_stack([y, random.uniform(size=n)])
    late, others = {"rate": 1.2, "power": 0.35}, [{"rate": rate, "power": 0.05} for rate in (0.21, 0.22, 0.23, 0.24)]
    grid = [{name: [value] for name, value in setting.items()} for setting in (late, *others)]
    search = RaceSearchCV(Curve(), grid, random_state=0).fit(X, y)
    first = search.cv_results_["rung0_test_score"]
    assert first[0] == first.min()
    assert search.best_params_ == late


def test_sparse_text_and_pipelines():
    words = [["ball", "goal", "team"], ["vote", "law", "party"]]
    random = np.random.RandomState(0)
    y = random.randint(2, size=300)
    X = sparse.csr_matrix(random.uniform(size=(300, 1000)) < 0.01, dtype=np.float32)
    X = sparse.hstack([X, sparse.csr_matrix(y[:, None] * 2.0)]).tocsr()
    assert RaceSearchCV(OnlineSVC(), random_state=0).fit(X, y).best_score_ > 0.9
    texts = [" ".join(random.choice([*words[label], "the", "a_word"], 6)) for label in y]
    search = RaceSearchCV(make_pipeline(TfidfVectorizer(), OnlineSVC()), random_state=0).fit(texts, y)
    assert search.best_score_ > 0.9
    assert set(search.best_params_) == {"onlinesvc__C", "onlinesvc__gamma"}


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1", "roc_auc", "neg_log_loss"])
def test_scores_of_imbalanced_classes(scoring):
    X, y = make_classification(2400, weights=[0.9], flip_y=0.02, random_state=0)
    if scoring == "neg_log_loss":
        model, grid, best = LogisticRegression(), {"C": [1e-6, 1.0]}, {"C": 1.0}
    else:
        model, grid, best = SVC(class_weight="balanced"), {"gamma": [100.0, 0.01]}, {"gamma": 0.01}
    search = RaceSearchCV(model, grid, scoring=scoring, random_state=0).fit(X, y)
    assert search.best_params_ == best
    halves = StratifiedKFold(2, shuffle=True, random_state=1)  # the race confirms with models of half of the rows
    expected = cross_val_score(search.best_estimator_, X, y, scoring=scoring, cv=halves).mean()
    assert search.best_score_ == pytest.approx(expected, abs=0.05)


def test_regression_and_draws_from_distributions():
    random = np.random.RandomState(0)
    X = random.normal(size=(2500, 5))
    y = X.sum(axis=1) + random.normal(size=2500)
    search = RaceSearchCV(Ridge(), {"alpha": loguniform(1e-3, 1e6)}, n_candidates=12, random_state=0).fit(X, y)
    assert len(search.cv_results_["params"]) == 12
    assert search.score(X, y) > 0.8
    assert search.best_params_["alpha"] < 1000


def test_callbacks_weights_and_clone(moons, capsys):
    search = clone(RaceSearchCV(OnlineSVC(), {"C": [1, 10]}, random_state=0)).set_callbacks(ProgressBar())
    search.fit(*moons, sample_weight=np.ones(3000))
    assert search.best_params_["C"] in (1, 10)


def test_settings_that_fail_leave_and_errors_of_all_are_raised(moons):
    with pytest.warns(SearchWarning, match="1 of 2 settings failed, the first with: C must be"):
        search = RaceSearchCV(OnlineSVC(random_state=0), {"C": [-1.0, 1.0]}, random_state=0).fit(*moons)
    assert search.best_params_ == {"C": 1.0}
    assert search.cv_results_["reason"].tolist() == ["failed", ""]
    with pytest.raises(ParameterError, match="C must be"):
        RaceSearchCV(OnlineSVC(), {"C": [-1.0, -2.0]}).fit(*moons)


def failing_score(y, predictions):
    raise ZeroDivisionError("no such luck")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"param_grid": {}, "cv": "folds"}, "cv must be"),
        ({"param_grid": []}, "at least one setting"),
        ({"param_grid": {}}, "None makes a grid for the data"),
        ({"param_grid": 5}, "param_grid must be a dictionary"),
        ({"param_grid": GRID, "scoring": "neg_log_loss"}, "calibration='sigmoid'"),
        ({"param_grid": {"C": []}}, "no value for C"),
        ({"param_grid": GRID, "scoring": make_scorer(failing_score)}, "scorer of the search failed: no such luck"),
        ({"param_grid": GRID, "scoring": lambda *_: np.nan}, "finite number"),
        ({"param_grid": GRID, "scoring": ["accuracy", "f1"]}, "single score"),
        ({"param_grid": GRID, "max_time": 0}, "max_time"),
        ({"param_grid": GRID, "confidence": 1.0}, "confidence must be below 1"),
        ({"param_grid": GRID, "cv": "loo"}, "IncrementalSVC"),
    ],
)
def test_bad_input(moons, options, words):
    X, y = moons[0][:100], moons[1][:100]
    with pytest.raises(ParameterError, match=words):
        RaceSearchCV(OnlineSVC(), **options).fit(X, y)


def test_fold_with_one_class_is_refused(moons):
    y = np.repeat(["left", "right"], 50)
    halves = [(np.arange(50), np.arange(50, 100))]
    with pytest.raises(DataError, match="Fold 1 of cv leaves only one class"):
        RaceSearchCV(OnlineSVC(), GRID, cv=halves).fit(moons[0][:100], y)


def test_more_settings_than_rows_is_chance():
    X, y = make_moons(20, random_state=0)
    with pytest.warns(SearchWarning, match="30 settings compete for 20 rows"):
        RaceSearchCV(OnlineSVC(), {"C": np.arange(1, 31).tolist()}, random_state=0).fit(X, y)


def test_single_setting_has_a_score_and_a_single_row_of_a_class_gives_a_guess(moons):
    search = RaceSearchCV(OnlineSVC(random_state=0), {"C": [10.0]}, random_state=0).fit(*moons)
    assert 0.9 < search.best_score_ < 1.0
    X, y = moons[0][:40], np.where(np.arange(40) == 0, "left", "right")
    with pytest.warns(SearchWarning, match="single row.*is a guess"):
        RaceSearchCV(OnlineSVC(), GRID, random_state=0).fit(X, y)


def test_too_little_time_gives_a_guess_and_says_so(moons):
    with pytest.warns(SearchWarning, match="a guess, as no setting could be tested"):
        search = RaceSearchCV(OnlineSVC(), GRID, max_time=1e-9, random_state=0).fit(*moons)
    assert search.best_params_ == {"C": 1.0, "gamma": 1.0}
    assert search.predict(moons[0][:5]).shape == (5,)


def test_time_ends_the_race_with_the_best_so_far(moons, monkeypatch):
    clock = iter(np.arange(0.0, 1e6, 1.0))  # a second passes whenever the race looks at the clock
    monkeypatch.setattr(_race.time, "monotonic", lambda: next(clock))
    with pytest.warns(SearchWarning, match="the best so far"):
        search = RaceSearchCV(OnlineSVC(random_state=0), GRID, max_time=4, random_state=0).fit(*moons)
    assert search.cv_results_["n_resources"].max() < 3000 / 2
    assert search.best_params_["gamma"] == 1.0


class Interrupting(OnlineSVC):
    """A model whose third large fit is interrupted."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Interrupting.fits += len(y) > 700
        if Interrupting.fits == 2:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_interrupt_keeps_the_best_so_far(moons, n_jobs):
    Interrupting.fits = 0
    search = RaceSearchCV(Interrupting(random_state=0), GRID, random_state=0, n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        search.fit(*moons)
    assert search.best_params_["gamma"] == 1.0
    assert search.score(*moons) > 0.9


def test_scores_are_measured_on_held_out_rows():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(2400, 5)), random.randint(2, size=2400)  # nothing to learn
    search = RaceSearchCV(OnlineSVC(random_state=0), {"C": [1.0, 1e4], "gamma": [1.0, 10.0]}, random_state=0).fit(X, y)
    assert search.best_score_ == pytest.approx(0.5, abs=0.06)
    assert search.search_time_ <= time.monotonic()

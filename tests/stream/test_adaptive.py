from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import hinge
from hinge.exceptions import DataError, ParameterError
from hinge.stream import AdaptiveSVC

SMALL = {"windows": (20, 60), "max_informative": 60}
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))]


@parametrize_with_checks([AdaptiveSVC(), AdaptiveSVC(kernel="linear", standardize=False, **SMALL)])
def test_scikit_learn_estimator(estimator, check):
    check(estimator)


def _rotating(n, seed=0, switches=()):
    """Return rows whose label is the sign of a direction that turns by 180 degrees at each switch."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    sign = (-1.0) ** np.searchsorted(switches, np.arange(n), side="right")
    return X, np.where(sign * (X[:, 0] + X[:, 1]) > 0, "up", "down")


def _right(model, X, y):
    """Predict, then learn each row."""
    right = []
    for row in range(len(y)):
        right.append(row > 0 and model.predict(X[row : row + 1])[0] == y[row])
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    return np.array(right)


def test_rows_one_by_one_equal_one_call():
    X, y = _rotating(400, switches=(200,))
    single, batch = AdaptiveSVC(**SMALL), AdaptiveSVC(**SMALL)
    right = _right(single, X, y)
    batch.partial_fit(X, y)
    assert single.progressive_accuracy_ == batch.progressive_accuracy_ == right[1:].mean()
    np.testing.assert_array_equal(single.decision_function(X), batch.decision_function(X))
    np.testing.assert_array_equal(clone(single).fit(X, y).decision_function(X), batch.decision_function(X))


def test_asking_changes_nothing():
    X, y = _rotating(300)
    asked, silent = AdaptiveSVC(**SMALL), AdaptiveSVC(**SMALL)
    for row in range(len(y)):
        if row:
            asked.predict(X[:3])
            asked.predict(X[row : row + 1])
        asked.partial_fit(X[row : row + 1], y[row : row + 1])
    silent.partial_fit(X, y)
    np.testing.assert_array_equal(asked.decision_function(X), silent.decision_function(X))


@pytest.mark.parametrize("seed", SEEDS)
def test_dates_drifts(seed):
    X, y = _rotating(1500, seed, switches=(500, 1000))
    times = [f"day {t}" for t in range(1500)]
    model = AdaptiveSVC().partial_fit(X, y, times=times)
    assert len(model.drifts_) == 2
    for drift, true in zip(model.drifts_, (500, 1000), strict=True):
        assert true < drift.position < true + 150
        assert abs(drift.start - true) < 60
        assert drift.error_before < 0.15
        assert drift.error_after > 0.3
        assert drift.time == f"day {drift.position}"
        assert drift.start_time == f"day {drift.start}"


@pytest.mark.slow
def test_recovers_from_drift_as_a_fresh_model_learns():
    X, y = _rotating(2000, switches=(1000,))
    right = _right(AdaptiveSVC(), X, y)
    fresh = _right(AdaptiveSVC(), X[1000:], y[1000:])
    assert right[1200:].mean() >= fresh[200:].mean() - 0.02


@pytest.mark.parametrize("seed", SEEDS)
def test_stationary_streams_have_no_drifts(seed):
    X, y = _rotating(2000, seed)
    flip = np.random.default_rng(seed).random(2000) < 0.1
    y = np.where(flip, np.where(y == "up", "down", "up"), y)
    model = AdaptiveSVC().partial_fit(X, y)
    assert model.drifts_ == []
    assert model.progressive_accuracy_ > 0.8


def test_never_much_below_the_class_before():
    """Features say nothing, but labels come in runs."""
    rng = np.random.default_rng(0)
    y = np.repeat(rng.integers(3, size=100), rng.integers(5, 30, size=100))
    X = rng.normal(size=(len(y), 3))
    model = AdaptiveSVC(**SMALL).partial_fit(X, y)
    assert model.progressive_accuracy_ >= (y[1:] == y[:-1]).mean() - 0.01


def test_new_classes_at_any_time():
    rng = np.random.default_rng(0)
    y = np.repeat([3, 1, 2, 0], 150)
    y[300:] = rng.permutation(y)[300:]
    X = np.eye(4)[y] + rng.normal(scale=0.2, size=(600, 4))
    model = AdaptiveSVC(**SMALL)
    for row in range(600):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.decision_function(X).shape == (600, 4)
    assert model.score(X[300:], y[300:]) > 0.97


def test_expected_classes_are_known_before_they_appear():
    model = AdaptiveSVC().partial_fit([[0.0], [1.0]], ["a", "b"], classes=["c", "b", "a"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.decision_function([[0.0]]).shape == (1, 3)


@pytest.mark.parametrize("cut", [1, 100, 350])
def test_pickled_models_go_on_identically(cut):
    X, y = _rotating(600, switches=(300,))
    model = AdaptiveSVC(**SMALL).partial_fit(X[:cut], y[:cut])
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.decision_function(X), copy.decision_function(X))
    model.partial_fit(X[cut:], y[cut:])
    copy.partial_fit(X[cut:], y[cut:])
    np.testing.assert_array_equal(model.decision_function(X), copy.decision_function(X))
    assert model.drifts_ == copy.drifts_


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C": 0}, "C must be"),
        ({"windows": ()}, "windows must"),
        ({"windows": (50, 1)}, "windows must"),
        ({"windows": 50}, "windows must"),
        ({"max_informative": 1}, "max_informative must"),
        ({"kernel": "precomputed"}, "kernel must"),
        ({"delta": -1}, "delta must"),
        ({"standardize": 3}, "standardize must"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ParameterError, match=words):
        AdaptiveSVC(**parameters).partial_fit([[0.0], [1.0]], [0, 1])


def test_bad_input_changes_nothing():
    X, y = _rotating(100)
    model = AdaptiveSVC(**SMALL).partial_fit(X, y)
    before = model.decision_function(X)
    for rows, labels, times in (([[np.nan] * 4], ["up"], None), (X[:, :2], y, None), (X, y, [1])):
        with pytest.raises(ValueError, match=r"NaN|features|times"):
            model.partial_fit(rows, labels, times=times)
    with pytest.raises(DataError):
        model.partial_fit(X[:1], [1.0])
    with pytest.raises(ParameterError, match="changed"):
        model.set_params(C=2.0).partial_fit(X[:1], y[:1])
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.n_seen_ == 100


def test_values_too_large_for_the_memories_are_refused_or_standardised():
    X, y = _rotating(100)
    with pytest.raises(DataError, match="standardize"):
        AdaptiveSVC(**SMALL, standardize=False).fit(1e30 * X, y)
    large = AdaptiveSVC(**SMALL).fit(1e30 * X, y)
    assert large.progressive_accuracy_ == AdaptiveSVC(**SMALL).fit(X, y).progressive_accuracy_


def test_hinge_save_says_what_to_do_instead(tmp_path):
    X, y = _rotating(50)
    with pytest.raises(hinge.ModelFileError, match="use pickle"):
        hinge.save(AdaptiveSVC(**SMALL).fit(X, y), tmp_path / "model.hinge")

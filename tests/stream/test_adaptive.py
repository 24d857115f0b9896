from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from hinge import OnlineSVC, streaming
from hinge.exceptions import DataError, ParameterError
from hinge.stream import AdaptiveSVC

SMALL = {"windows": (20, 60), "max_informative": 60}
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))]


# A row of weight 2 takes one place in a window, two rows take two, and rows of weight 0 change nobody's place.
NOT_COPIES = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "the result depends on the number and the order of the examples",
)


@parametrize_with_checks([AdaptiveSVC()], expected_failed_checks=lambda _: NOT_COPIES)
def test_scikit_learn_estimator(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [AdaptiveSVC(kernel="linear", standardize=False, **SMALL)], expected_failed_checks=lambda _: NOT_COPIES
)
def test_other_settings(estimator, check):
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


@pytest.mark.parametrize("standardize", [True, False])
def test_a_window_of_equal_rows_leaves_the_width_as_it_was(standardize):
    """The mean of equal rows has rounding errors, and gamma="scale" was the inverse of their square: all values NaN."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 3)), np.repeat(["a", "b", "c"], 20)
    X, y = np.vstack([X, np.repeat([[1032.1, 0.1, 1e-3]], 90, axis=0)]), np.append(y, np.repeat("c", 90))
    model = AdaptiveSVC(standardize=standardize, **SMALL).partial_fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.predict(X[-1:]) == ["c"]


def test_rows_one_by_one_equal_one_call():
    X, y = _rotating(400, switches=(200,))
    single, batch = AdaptiveSVC(**SMALL), AdaptiveSVC(**SMALL)
    right = _right(single, X, y)
    batch.partial_fit(X, y)
    assert single.progressive_score_ == batch.progressive_score_
    assert single.progressive_score_.n_mistakes == (~right[1:]).sum()
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
    assert model.progressive_score_.error < 0.2


def test_never_much_below_the_class_before():
    """Features say nothing, but labels come in runs."""
    rng = np.random.default_rng(0)
    y = np.repeat(rng.integers(3, size=100), rng.integers(5, 30, size=100))
    X = rng.normal(size=(len(y), 3))
    model = AdaptiveSVC(**SMALL).partial_fit(X, y)
    assert model.progressive_score_.error <= (y[1:] != y[:-1]).mean() + 0.01


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
    with pytest.raises(ParameterError, match="must stay what they were"):
        model.set_params(C=2.0).partial_fit(X[:1], y[:1])
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.n_seen_ == 100


def test_values_too_large_for_single_precision_are_refused_or_standardised():
    X, y = _rotating(100)
    with pytest.raises(DataError, match="standardize"):
        AdaptiveSVC(**SMALL, standardize=False).fit(1e30 * X, y)
    large = AdaptiveSVC(**SMALL).fit(1e30 * X, y)
    assert large.progressive_score_ == AdaptiveSVC(**SMALL).fit(X, y).progressive_score_


def test_one_class_has_the_decisions_of_the_other_classifiers():
    X = np.random.default_rng(0).normal(size=(20, 3))
    model, other = (kind().partial_fit(X, np.zeros(20, dtype=int)) for kind in (AdaptiveSVC, OnlineSVC))
    np.testing.assert_array_equal(model.decision_function(X[:3]), other.decision_function(X[:3]))
    np.testing.assert_array_equal(model.predict(X[:3]), other.predict(X[:3]))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stream_may_begin_with_rows_of_weight_zero(threads):
    X, y = _rotating(60)
    model = AdaptiveSVC(**SMALL).partial_fit(X[:5], y[:5], sample_weight=np.zeros(5))
    ask = model.decision_function if threads == 1 else in_another_thread(model.decision_function)
    np.testing.assert_array_equal(ask(X[:3]), np.zeros(3))
    with pytest.raises(DataError, match="must know a class"):
        model.predict(X)
    whole = AdaptiveSVC(**SMALL).partial_fit(X, y, sample_weight=np.arange(60) >= 5)
    np.testing.assert_array_equal(model.partial_fit(X[5:], y[5:]).decision_function(X), whole.decision_function(X))


def in_another_thread(function):
    """Return a function that computes in another thread, where a snapshot answers."""

    def compute(rows):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(function, rows).result()

    return compute


def test_weights_multiply_the_penalty():
    """All examples of weight 3 are the same problem as C times 3; rows of weight 0 are as if they were not there."""
    X, y = _rotating(300)
    weights = np.where(np.arange(300) % 5 == 4, 0.0, 3.0)
    weighted = AdaptiveSVC(C=0.1, **SMALL).partial_fit(X, y, sample_weight=weights)
    plain = AdaptiveSVC(C=0.3, **SMALL).partial_fit(X[weights > 0], y[weights > 0])
    np.testing.assert_allclose(weighted.decision_function(X), plain.decision_function(X), atol=1e-9)
    assert weighted.progressive_score_ == plain.progressive_score_
    assert (weighted.n_seen_, plain.n_seen_) == (300, 240)
    assert set(weighted.support_) <= set(np.flatnonzero(weights))


def test_rows_of_weight_0_keep_the_dates_right():
    X, y = _rotating(1200, switches=(600,))
    weights = np.arange(1200) % 3 > 0
    times = [f"day {t}" for t in range(1200)]
    model = AdaptiveSVC().partial_fit(X, y, sample_weight=weights, times=times)
    (drift,) = model.drifts_
    assert 600 < drift.position < 800
    assert abs(drift.start - 600) < 60
    assert weights[[drift.position, drift.start]].all()
    assert (drift.time, drift.start_time) == (f"day {drift.position}", f"day {drift.start}")


def test_sparse_rows_give_the_same_model():
    X, y = _rotating(150)
    X[np.abs(X) < 0.7] = 0.0
    dense, sparse = AdaptiveSVC(**SMALL).fit(X, y), AdaptiveSVC(**SMALL).fit(csr_matrix(X), y)
    np.testing.assert_array_equal(dense.decision_function(X), sparse.decision_function(csr_matrix(X)))


@pytest.mark.parametrize("standardize", [True, False])
def test_features_can_be_added(standardize):
    X, y = _rotating(300)
    model = AdaptiveSVC(**SMALL, standardize=standardize).partial_fit(X[:150], y[:150])
    before = model.decision_function(X)
    streaming.add_features(model, 6, sparse=True)
    wide = np.pad(X, ((0, 0), (0, 2)))
    np.testing.assert_array_equal(model.decision_function(wide), before)
    assert model.partial_fit(wide[150:], y[150:]).score(wide, y) > 0.9
    assert (model.n_features_in_, model.progressive_score_.n_examples) == (6, 300)
    with pytest.raises(ParameterError, match="features cannot be removed"):
        streaming.add_features(model, 2)


def test_support_vectors_are_examples_of_the_stream():
    X, y = _rotating(200)
    model = AdaptiveSVC(**SMALL).partial_fit(X, y)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    labels = np.repeat(model.classes_, model.n_support_)
    np.testing.assert_array_equal(labels, y[model.support_])
    assert len(labels) == model.model_size_ == streaming.model_size(model) <= streaming.model_size(model, fast=True)
    assert model.fit_status_ == 0
    assert not hasattr(model, "dual_coef_")


def test_the_streaming_protocol():
    X, y = _rotating(200)
    model = AdaptiveSVC(**SMALL).partial_fit(X, y)
    assert streaming.traits(model).task == "classification"
    assert streaming.progressive_score(model).n_examples == 200
    assert streaming.storage(model).n_features == 4
    spread = np.clip(((X - X.mean(axis=0)) / X.std(axis=0))[-60:], -5, 5).var(axis=0).sum()
    assert streaming.kernel(model).gamma == pytest.approx(1 / spread, rel=0.3)
    labels, scores = streaming.predict_with_scores(model, X)
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_array_equal(scores[:, 0], model.decision_function(X))


@pytest.mark.slow
def test_a_class_that_pauses_comes_back():
    """Classes that pause come back: the window of informative examples, or the first examples, relearn them."""
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(400) % 2, np.zeros(1500, dtype=int), np.arange(400) % 2])
    X = rng.normal(size=(len(y), 3)) + 2.0 * y[:, None]
    model = AdaptiveSVC().partial_fit(X, y)
    assert model.score(X[-200:], y[-200:]) > 0.9

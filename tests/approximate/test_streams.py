"""Streams: however they are cut, packed, interrupted by copies, the model is the same."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from hinge import ApproximateSVC, ApproximateSVR

from .common import assert_identical, snapshot

SETTINGS = {
    "nystroem": {},
    "asset": {"steps": "asset", "loss": "squared_hinge"},
    "fourier": {"approximation": "fourier", "loss": "log_loss"},
    "last": {"average_last": 5, "fit_intercept": False},
    "forgetting": {"half_life": 30.0},
}


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(4)
    X = random.normal(size=(260, 4)) * (random.random((260, 4)) < 0.7)
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + 0.2 * random.normal(size=260), [-0.5, 0.6])
    return X, y, random.uniform(0.1, 2.0, 260)


def make(kind=ApproximateSVC, **parameters):
    return kind(**{"n_components": 20, "gamma": 0.4, "C": 2.0, "random_state": 3, "epochs": 3} | parameters)


def cut(n, pieces):
    """Return slices that begin at some rows."""
    return [slice(start, stop) for start, stop in zip([0, *pieces], [*pieces, n], strict=True)]


def answers(model, X):
    return model.predict(X) if isinstance(model, ApproximateSVR) else model.decision_function(X)


def learned(model, X, y, weights, pieces):
    for rows in cut(len(y), pieces):
        model.partial_fit(X[rows], y[rows], sample_weight=weights[rows])
    return model


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_any_cut_gives_the_same_model(data, settings):
    X, y, weights = data
    whole = make(**settings).partial_fit(X, y, classes=[0, 1, 2], sample_weight=weights)
    for pieces in (range(1, 260), [1], [3, 4, 5], [15, 16, 17, 63, 64, 65], [79, 80, 81], [100, 200], [2, 30, 31, 250]):
        first = make(**settings).partial_fit(X[:1], y[:1], classes=[0, 1, 2], sample_weight=weights[:1])
        rest = learned(first, X[1:], y[1:], weights[1:], [piece - 1 for piece in pieces if piece > 1])
        np.testing.assert_allclose(answers(rest, X), answers(whole, X), atol=1e-7)
        assert rest.n_seen_ == whole.n_seen_ == 260
        assert rest.n_iter_ == whole.n_iter_
        if "approximation" not in settings:
            np.testing.assert_array_equal(rest.support_, whole.support_)


def test_any_cut_of_a_regression(data):
    X, _, weights = data
    values = 30.0 + 5.0 * X[:, 0] * X[:, 1]
    whole = make(ApproximateSVR).partial_fit(X, values, sample_weight=weights)
    for pieces in (range(1, 260), [15, 16, 17, 63, 64, 65], [100, 200]):
        rest = learned(make(ApproximateSVR), X, values, weights, pieces)
        np.testing.assert_allclose(answers(rest, X), answers(whole, X), atol=1e-6)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_rows_of_weight_zero_change_nothing(data, settings, verb):
    X, y, weights = data
    random = np.random.default_rng(0)
    places = np.sort(random.permutation(520)[:260])
    wide, labels, costs = random.normal(size=(520, 4)), np.full(520, 9), np.zeros(520)
    wide[places], labels[places], costs[places] = X, y, weights
    plain, padded = make(**settings), make(**settings)
    getattr(plain, verb)(X, y, sample_weight=weights)
    getattr(padded, verb)(wide, labels, sample_weight=costs)
    np.testing.assert_array_equal(padded.decision_function(X), plain.decision_function(X))
    assert padded.classes_.tolist() == [0, 1, 2]
    assert padded.n_seen_ == 520
    if "approximation" not in settings:
        np.testing.assert_array_equal(padded.support_, places[plain.support_])


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_dense_and_sparse(data, settings, verb):
    X, y, weights = data
    dense, sparse = make(**settings), make(**settings)
    getattr(dense, verb)(X, y, sample_weight=weights)
    getattr(sparse, verb)(csr_matrix(X), y, sample_weight=weights)
    np.testing.assert_allclose(dense.decision_function(X), sparse.decision_function(X), atol=1e-6)
    np.testing.assert_allclose(dense.decision_function(csr_matrix(X)), sparse.decision_function(X), atol=1e-6)


def test_the_container_may_change(data):
    X, y, weights = data
    plain = learned(make(), X, y, weights, [100])
    for containers in ((np.asarray, csr_matrix), (csr_matrix, np.asarray), (csr_matrix, np.asfortranarray)):
        model = make()
        for container, rows in zip(containers, cut(260, [100]), strict=True):
            model.partial_fit(container(X[rows]), y[rows], sample_weight=weights[rows])
        np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("steps", ["asset", "adaptive"])
@pytest.mark.parametrize("after", [1, 2, 4, 10, 16, 40, 79, 80, 81, 200])
def test_copies_go_on_alike(data, after, steps):
    X, y, _ = data
    model = make(steps=steps).partial_fit(X[:after], y[:after])
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model), pickle.loads(pickle.dumps(copy.deepcopy(model)))]
    for each in copies:
        assert_identical(each, model)
        np.testing.assert_array_equal(each.decision_function(X), model.decision_function(X))
    for start in range(after, 260, 50):
        for each in (model, *copies):
            each.partial_fit(X[start : start + 50], y[start : start + 50])
    for each in copies:
        assert_identical(each, model)
    assert not hasattr(clone(model), "_state")


def test_a_copy_is_another_model(data):
    X, y, _ = data
    model = make().partial_fit(X[:30], y[:30])
    held, twin = snapshot(model), copy.deepcopy(model)
    twin.partial_fit(X[30:], y[30:])
    arrays, _ = snapshot(model)
    for name, array in held[0].items():
        np.testing.assert_array_equal(arrays[name], array)
    shallow = copy.copy(model)
    shallow.fit(X, y)
    assert model.n_seen_ == 30


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_predicting_changes_nothing(data, settings):
    X, y, weights = data
    plain, curious = make(**settings), make(**settings)
    for rows in cut(260, range(20, 260, 20)):
        for each in (plain, curious):
            each.partial_fit(X[rows], y[rows], sample_weight=weights[rows])
        curious.decision_function(X)
        _ = (curious.component_coef_, curious.intercept_, pickle.dumps(curious), curious.predict(X[:3]))
    np.testing.assert_allclose(curious.decision_function(X), plain.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_chunks_are_calls_of_partial_fit(data, settings):
    X, y, weights = data
    pieces = cut(260, [50, 51, 120, 200])
    by_calls = make(epochs=1, **settings)
    for rows in pieces:
        by_calls.partial_fit(X[rows], y[rows], sample_weight=weights[rows])
    chunks = [(X[rows], y[rows], weights[rows]) for rows in pieces]
    for source in (iter(chunks), (list(chunk) for chunk in chunks), lambda: chunks):
        assert_identical(make(epochs=1, **settings).fit(source), by_calls)
    used = make(epochs=1, **settings).fit(X[::-1], y[::-1])
    assert_identical(used.fit(iter(chunks)), by_calls)
    without = make(epochs=1, **settings).fit((X[rows], y[rows]) for rows in pieces)
    assert_identical(without, learned(make(**settings), X, y, np.ones(260), [50, 51, 120, 200]))


def test_the_number_of_passes(data):
    X, y, _ = data
    assert make(epochs=7).fit(X, y).n_iter_ == 7 * 260
    assert make(epochs="auto").fit(X, y).n_iter_ == 3 * 260  # Newton steps follow
    small = make(epochs="auto", loss="log_loss").fit(X, y)
    large = make(epochs="auto").fit(np.tile(X, (100, 1)), np.tile(y, 100))
    assert small.n_iter_ == 100 * 260
    assert 3 * 26_000 <= large.n_iter_ < 30 * 26_000
    once = make(epochs=1).fit(iter([(X, y)]))
    for source in (iter([(X, y)]), lambda: [(X, y)]):  # a stream is gone through once
        assert make(epochs="auto").fit(source).n_iter_ == once.n_iter_


@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
def test_several_passes_over_chunks(data, kind):
    X, y, _ = data
    calls = []

    def source():
        calls.append(len(calls))
        for start in range(0, 260, 100):
            yield X[start : start + 100], y[start : start + 100]

    once, often = make(kind, epochs=1).fit(source), make(kind, epochs=30).fit(source)
    assert len(calls) == 31
    assert once.n_seen_ == often.n_seen_ == 260
    assert often.n_iter_ == once.n_iter_ + 29 * 260
    fitted = make(kind, epochs=30).fit(X, y)
    assert often.score(X, y) > once.score(X, y) - 0.02
    assert abs(often.score(X, y) - fitted.score(X, y)) < 0.05
    if kind is ApproximateSVC:
        often.partial_fit(X, y)  # a stream may follow
        assert often.n_seen_ == 520


def test_a_stream_may_follow_a_training_set(data):
    X, y, _ = data
    model = make().fit(X[:200], y[:200])
    steps, landmarks = model.n_iter_, model.support_
    model.partial_fit(X[200:], y[200:])
    assert model.n_iter_ == steps + 60
    assert model.n_seen_ == 260
    np.testing.assert_array_equal(model.support_, landmarks)
    assert model.score(X, y) > 0.7


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_new_classes_at_any_call(data, settings):
    X, y, _ = data
    order = np.argsort(y[:150] == 0, kind="stable")  # the class that sorts first comes last
    model, named, classes = make(**settings), make(**settings), [0, 1, 2]
    for row in np.concatenate([order, np.arange(150, 260)]):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
        named.partial_fit(X[row : row + 1], y[row : row + 1], classes=classes)
        decisions = model.decision_function(X[:5])
        known = len(model.classes_)
        assert decisions.shape == ((5, known) if known > 2 else (5,))
        assert np.isfinite(decisions).all()
        assert set(model.predict(X[:5])) <= set(model.classes_)
    assert model.classes_.tolist() == named.classes_.tolist() == [0, 1, 2]
    assert abs(model.score(X, y) - named.score(X, y)) < 0.15
    assert model.component_coef_.shape == (3, model.n_components_)


def test_names_of_classes(data):
    X, y, weights = data
    plain = make().fit(X, y, weights)
    for names in (np.array(["oak", "ash", "elm"]), np.array([7, -3, 100]), np.array([2.0, 0.0, 1.0])):
        model = make().fit(X, names[y], weights)
        order = np.argsort(names)
        np.testing.assert_array_equal(model.classes_, names[order])
        np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X)[:, order])
        np.testing.assert_array_equal(model.predict(X), names[plain.predict(X)])


def test_two_classes_are_mirror_images(data):
    X, y, weights = data
    for verb in ("fit", "partial_fit"):
        for loss in ("hinge", "squared_hinge", "log_loss"):
            model, mirror = make(loss=loss), make(loss=loss)
            getattr(model, verb)(X, y > 0, sample_weight=weights)
            getattr(mirror, verb)(X, y <= 0, sample_weight=weights)
            np.testing.assert_allclose(mirror.decision_function(X), -model.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_change_nothing(settings, dtype):
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 12)).astype(dtype)
    y = random.integers(0, 9, 3000)
    X[:, 0] += y
    for verb in ("fit", "partial_fit"):
        models = [make(n_components=128, n_jobs=n_jobs, epochs=2, gamma=0.05, **settings) for n_jobs in (1, 3)]
        for model in models:
            getattr(model, verb)(X, y)
            assert_identical(model, models[0])
            np.testing.assert_array_equal(model.decision_function(X), models[0].decision_function(X))


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_memory_for_features_changes_nothing(data, settings):
    X, y, weights = data
    large = make(epochs=4, cache_size=10, **settings).fit(X, y, weights)
    small = make(epochs=4, cache_size=1e-3, **settings).fit(X, y, weights)
    np.testing.assert_array_equal(small.component_coef_, large.component_coef_)
    np.testing.assert_array_equal(small.intercept_, large.intercept_)
    assert small.n_kernel_evals_ == 4 * large.n_kernel_evals_


def test_the_same_seed_the_same_model(data):
    X, y, _ = data
    for verb in ("fit", "partial_fit"):
        for seed in (0, 5, np.random.RandomState(8)):
            first, second = (make(random_state=copy.deepcopy(seed)) for _ in range(2))
            getattr(first, verb)(X, y)
            getattr(second, verb)(X, y)
            assert_identical(first, second)
    assert (make(random_state=0).fit(X, y).support_ != make(random_state=1).fit(X, y).support_).any()


def test_random_landmarks_of_a_stream():
    """Any of the first examples may be drawn, late ones as often as early ones."""
    X, y = np.linspace(0, 1, 400)[:, None], np.arange(400) % 2
    counts = np.zeros(400)
    for seed in range(60):
        model = make(random_state=seed).partial_fit(X, y)
        assert len(model.support_) == 20
        counts[model.support_] += 1
    assert counts[80:].sum() == 0
    assert abs(counts[:40].sum() - counts[40:80].sum()) < 6 * np.sqrt(1200 * 0.25)
    assert counts.max() < 40

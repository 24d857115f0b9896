"""Streams that forget: `OnlineSVC(half_life=)`."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_moons
from sklearn.svm import SVC

import hinge
from hinge import OnlineSVC, ParameterError


def turning(n_rows, seed=0, noise=0.25):
    """Return moons that make half a turn."""
    X, y = make_moons(n_rows, noise=noise, random_state=seed)
    angle = np.pi * np.arange(n_rows) / n_rows
    X = X - [0.5, 0.25]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.c_[cos * X[:, 0] - sin * X[:, 1], sin * X[:, 0] + cos * X[:, 1]], y


def stream(model, X, y, size=10, weights=None):
    for start in range(0, len(y), size):
        rows = slice(start, start + size)
        model.partial_fit(
            X[rows], y[rows], classes=np.unique(y), sample_weight=None if weights is None else weights[rows]
        )
    return model


def bounds(model):
    """Return the ids and the bounds of all members."""
    arrays = model._state.native.state()
    return arrays["ids"][arrays["members"]], arrays["member_costs"]


@pytest.mark.parametrize(("half_life", "leap"), [(1, 1), (7.5, 1), (200, 3)])
def test_bounds_halve_with_age(half_life, leap):
    X, y = turning(700)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 3.0], 700)
    model = stream(OnlineSVC(C=10, gamma=1.0, half_life=half_life), X, y, weights=weights)
    model._state.native.check_invariants()
    ids, found = bounds(model)
    age = 699 - ids
    assert age.max() <= 6 * half_life + leap
    shares = found / (10 * weights[ids])
    assert (shares <= np.exp2((leap - 1 - age) / half_life) * (1 + 1e-9)).all()
    assert (shares >= np.exp2(-(age + leap) / half_life) * (1 - 1e-9)).all()


@pytest.mark.parametrize("C", [0.5, 100.0])
def test_the_optimum_is_that_of_weighted_rows(C):
    X, y = turning(600)
    model = stream(OnlineSVC(C=C, gamma=1.0, half_life=150, tol=1e-4), X, y)
    ids, found = bounds(model)
    weights = np.zeros(600)
    weights[ids] = found / C
    assert len(ids) == 600 or C < 1.0  # there is room for all; where C is small, the reserve is small
    exact = SVC(C=C, gamma=1.0, tol=1e-5).fit(X, y, weights)
    np.testing.assert_allclose(model.finish().decision_function(X), exact.decision_function(X), atol=0.01)
    assert model.kkt_violation() <= 1e-4


def test_follows_a_change_that_others_miss():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 2))
    y = (X[:, 0] * X[:, 1] > 0) ^ (np.arange(3000) >= 1500)
    scores = {
        half_life: stream(OnlineSVC(C=10, gamma=0.5, half_life=half_life), X[:2000], y[:2000]).score(X[2000:], y[2000:])
        for half_life in (None, 100)
    }
    assert scores[100] > 0.9
    assert scores[None] < scores[100] - 0.03


def test_size_stops_growing():
    X, y = turning(4000, noise=0.35)
    model = OnlineSVC(gamma=1.0, half_life=100)
    sizes = [
        stream(model, X[start : start + 1000], y[start : start + 1000], 250)._state.native.n_retained
        for start in range(0, 4000, 1000)
    ]
    assert max(sizes) <= 602


@pytest.mark.parametrize(
    ("settings", "sparse"),
    [({}, False), ({}, True), ({"max_support": 60}, False), ({"max_gap": None}, False), ({"max_gap": 1.0}, True)],
)
def test_chunks_of_any_size_give_the_same_model(settings, sparse):
    X, y = turning(500)
    X = csr_matrix(X) if sparse else X
    models = [stream(OnlineSVC(C=20, gamma=1.0, half_life=80, **settings), X, y, size) for size in (1, 7, 500)]
    for other in models[1:]:
        np.testing.assert_array_equal(np.sort(other.support_), np.sort(models[0].support_))
        np.testing.assert_allclose(other.decision_function(X), models[0].decision_function(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kinds", [2, 3])
def test_a_saved_stream_goes_on_alike(tmp_path, kinds):
    X, y = turning(1200)
    y = np.where((X[:, 0] > 0.8) & (kinds > 2), 2, y)
    model = stream(OnlineSVC(C=20, gamma=1.0, half_life=70), X[:900], y[:900])
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    for each in (model, loaded):
        stream(each, X[900:], y[900:])
        each._state.native.check_invariants()
    np.testing.assert_array_equal(loaded.support_, model.support_)
    np.testing.assert_allclose(loaded.dual_coef_, model.dual_coef_, rtol=1e-5, atol=1e-5)


def test_fit_ignores_it_and_its_rows_age_afterwards():
    X, y = turning(500)
    plain, forgetting = (OnlineSVC(gamma=1.0, half_life=each, random_state=0).fit(X, y) for each in (None, 50))
    np.testing.assert_array_equal(plain.decision_function(X), forgetting.decision_function(X))
    stream(forgetting, X[:100], y[:100])
    ids, found = bounds(forgetting)
    np.testing.assert_allclose(found[ids < 500], 0.25, rtol=0.03)


@pytest.mark.filterwarnings("ignore::hinge.StreamWarning")  # a class stays away, on purpose
def test_a_class_that_was_forgotten_can_come_back():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(400, 2)), np.repeat([0, 1, 0], [50, 300, 50])
    X[y == 1] += 4
    model = stream(OnlineSVC(gamma=0.5, half_life=20), X[:350], y[:350])
    assert set(y[bounds(model)[0]]) == {1}
    stream(model, X[350:], y[350:])
    assert model.score(X, y) > 0.95
    model._state.native.check_invariants()


def test_a_late_class_learns_what_is_held_at_its_age():
    X, y = turning(600)
    y[500:] = np.where(X[500:, 0] > 0.8, 2, y[500:])
    model = OnlineSVC(gamma=1.0, half_life=100)
    for start in range(0, 600, 10):
        model.partial_fit(X[start : start + 10], y[start : start + 10])
    model._state.native.check_invariants()
    ids, found = bounds(model)
    np.testing.assert_allclose(found, np.exp2(-(599 - ids) / 100), rtol=0.02)


def test_rows_of_weight_zero_are_no_rows():
    X, y = turning(300)
    weights = np.tile([1.0, 0.0], 150)
    models = [
        stream(OnlineSVC(gamma=1.0, half_life=30), X, y, weights=weights),
        stream(OnlineSVC(gamma=1.0, half_life=30), X[::2], y[::2], 5),
    ]
    np.testing.assert_allclose(models[0].decision_function(X), models[1].decision_function(X), atol=1e-9)


@pytest.mark.parametrize("half_life", [0.5, 0, -1, "long", np.nan, True])
def test_invalid_half_lives(half_life):
    with pytest.raises(
        ParameterError, match=r"half_life must be a finite number of at least 1, got .*; None forgets nothing"
    ):
        OnlineSVC(half_life=half_life).partial_fit([[0.0], [1.0]], [0, 1])

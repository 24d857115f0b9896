"""Models that learn a stream are about as accurate as `SVC` fitted on the rows seen so far, at every moment."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits, make_circles, make_moons
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import hinge
from hinge import OnlineSVC

COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
MOMENTS = (200, 1000, 2000)


def moons(seed):
    return make_moons(4000, noise=0.35, random_state=seed)


def circles(seed):
    return make_circles(4000, noise=0.15, factor=0.6, random_state=seed)


def wrong_labels(seed):
    """Return four quadrants, with a fifth of the labels drawn at random."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(4000, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    return X, np.where(random.random(len(y)) < 0.2, random.integers(0, 2, len(y)), y)


def shuffled(X, y, seed):
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


def cancer(seed):
    X, y = load_breast_cancer(return_X_y=True)
    return shuffled(StandardScaler().fit_transform(X), y, seed)


def digits(seed):
    X, y = load_digits(return_X_y=True)
    return shuffled(X / 16, y, seed)


def heavy_tails(seed):
    """Return rows whose few outliers have decisions far from those of all others."""
    random = np.random.default_rng(seed)
    X = random.standard_t(1.5, size=(2700, 6))
    y = X[:, 0] + 0.5 * np.tanh(X[:, 1]) + 0.3 * random.normal(size=len(X)) > 0
    return X, y.astype(int)


def differences(data, C, factor, seed):
    """Return the accuracies of a stream minus those of `SVC` at several moments, in points."""
    X, y = data(seed)
    n_train = len(y) // 2
    gamma = factor / (X.shape[1] * X.var())
    model, start, found = OnlineSVC(C=C, gamma=gamma), 0, []
    for end in [moment for moment in MOMENTS if moment <= n_train]:
        model.partial_fit(X[start:end], y[start:end], classes=np.unique(y))
        exact = OneVsRestClassifier(SVC(C=C, gamma=gamma)).fit(X[:end], y[:end])  # as this model
        found.append(100 * (model.score(X[n_train:], y[n_train:]) - exact.score(X[n_train:], y[n_train:])))
        start = end
    return found


@pytest.mark.parametrize("data", [moons, circles, wrong_labels, cancer, digits])
def test_a_stream_is_as_accurate_as_svc(data):
    found = [gap for C in (1.0, 10.0, 100.0) for gap in differences(data, C, 1.0, 0)]
    assert np.mean(found) > -0.5
    assert min(found) > -3.0


@pytest.mark.slow
@pytest.mark.parametrize("factor", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("data", [moons, circles, wrong_labels, cancer])
def test_at_every_cost_and_order(data, factor):
    found = [gap for C in COSTS for seed in range(4) for gap in differences(data, C, factor, seed)]
    assert np.mean(found) > -0.5
    assert min(found) > -3.0


@pytest.mark.parametrize("C", [10, 100])
def test_a_first_call_with_3000_rows(C):
    """With one step per example, some of these had .448 (C=100) and .681 (C=10), where `SVC` has .885."""
    for seed in range(3):
        X, y = make_moons(6000, noise=0.35, random_state=seed)
        exact = SVC(C=C).fit(X[:3000], y[:3000]).score(X[3000:], y[3000:])
        assert OnlineSVC(C=C).partial_fit(X[:3000], y[:3000]).score(X[3000:], y[3000:]) > exact - 0.01


def test_the_plain_rule_is_less_accurate():
    """The test above can fail: one step per example leaves the moons far behind at C=100."""
    (X, y), rows = moons(0), 2000
    plain = OnlineSVC(C=100, max_gap=None).partial_fit(X[:rows], y[:rows])
    assert plain.score(X[rows:], y[rows:]) < SVC(C=100).fit(X[:rows], y[:rows]).score(X[rows:], y[rows:]) - 0.05


@pytest.mark.parametrize("data", [moons, circles])
def test_the_reserve_grows_with_the_error_rate(data):
    """Without that, the mean is -3.7 (moons) and -4.3 (circles)."""
    assert np.mean([gap for seed in (0, 1) for gap in differences(data, 1000.0, 3.0, seed)[1:]]) > -1.5


def test_the_first_rows_with_heavy_tails():
    """A violation that is small beside the decisions of outliers is half the spread of the others: -4.0 at worst."""
    found = []
    for seed in range(12):
        X, y = heavy_tails(seed)
        gamma = 1.0 / (X.shape[1] * X.var())
        model, exact = (each(C=1.0, gamma=gamma) for each in (OnlineSVC, SVC))
        model.partial_fit(X[:200], y[:200])
        exact.fit(X[:200], y[:200])
        found.append(100 * (model.score(X[200:], y[200:]) - exact.score(X[200:], y[200:])))
    assert min(found) > -1.5


def rings(seed):
    """Return six rings without noise, for which the kernel of gamma="scale" is much too wide."""
    random = np.random.default_rng(seed)
    radius, angle = 6 * random.random(5000), 2 * np.pi * random.random(5000)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)], radius.astype(int) % 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_many_steps_per_example(seed):
    """By single steps alone the budget did not suffice: violations of 1.8 to 4, and up to 10 points lost."""
    X, y = rings(seed)
    gamma = 1.0 / (X.shape[1] * X.var())
    model = OnlineSVC(C=1000, gamma=gamma).partial_fit(X[:2500], y[:2500])
    exact = SVC(C=1000, gamma=gamma).fit(X[:2500], y[:2500])
    assert model.kkt_violation() < 0.5
    assert model.score(X[2500:], y[2500:]) > exact.score(X[2500:], y[2500:]) - 0.03


@pytest.mark.parametrize("C", [1.0, 100.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_chunks_of_any_size_give_the_same_model(C, sparse):
    X, y = wrong_labels(0)
    X, y = csr_matrix(X[:1500]) if sparse else X[:1500], y[:1500]
    models = []
    for size in (1, 7, 1500):
        model = OnlineSVC(C=C, gamma=1.0)
        for start in range(0, 1500, size):
            model.partial_fit(X[start : start + size], y[start : start + size])
        models.append(model)
    for other in models[1:]:
        np.testing.assert_array_equal(np.sort(other.support_), np.sort(models[0].support_))
        np.testing.assert_allclose(other.decision_function(X), models[0].decision_function(X), rtol=1e-5, atol=1e-6)


def test_a_saved_stream_goes_on_alike(tmp_path):
    """What upkeep remembers is in the file: the step credit, and how far the reserve reaches."""
    X, y = wrong_labels(1)
    model = OnlineSVC(C=50, gamma=1.0).partial_fit(X[:2500], y[:2500])
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    for each in (model, loaded):
        each.partial_fit(X[2500:3000], y[2500:3000])
    np.testing.assert_array_equal(loaded.support_, model.support_)
    np.testing.assert_allclose(loaded.dual_coef_, model.dual_coef_, rtol=1e-5, atol=1e-5)


def test_the_reserve_is_bounded():
    """Easy examples stay close to the margin for a while, but no more than a thousand of them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 2)) + 4 * random.integers(0, 2, size=(6000, 1))
    y = X.sum(axis=1) > 4
    model = OnlineSVC().partial_fit(X, y)
    assert model._state.native.n_retained <= len(model.support_) + 1250


@pytest.mark.filterwarnings("ignore::hinge.StreamWarning")
def test_a_stream_saved_in_a_pause_waits_on(tmp_path):
    """The length of the pause, and the usual and the recent share of mistakes, are in the file."""
    X, y = wrong_labels(2)
    pause = 1000 + np.flatnonzero(y[1000:])[:800]
    model = OnlineSVC(C=10, gamma=1.0).partial_fit(X[:1000], y[:1000]).partial_fit(X[pause[:50]], y[pause[:50]])
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge")
    for each in (model, loaded):
        each.partial_fit(X[pause[50:]], y[pause[50:]])
    np.testing.assert_array_equal(loaded.support_, model.support_)
    np.testing.assert_allclose(loaded.dual_coef_, model.dual_coef_, rtol=1e-5, atol=1e-5)


@pytest.mark.filterwarnings("ignore::hinge.StreamWarning")
def test_a_model_that_waits_learns_what_is_new():
    """Class 0 of the second half is somewhere else, where class 1 pauses: its mistakes are more than usual."""
    found, known = [], []
    for seed in range(3):
        random = np.random.default_rng(seed)
        y = random.integers(0, 2, 1500)
        X = random.normal(size=(1500, 2)) + [4, 0] * y[:, None]
        model = OnlineSVC(gamma=0.5).partial_fit(X, y)
        elsewhere = random.normal(loc=[8, 0], size=(1400, 2))
        model.partial_fit(np.vstack([random.normal(size=(400, 2)), elsewhere[:400]]), np.zeros(800))
        found.append(np.mean(model.predict(elsewhere[400:]) == 0))
        known.append(model.score(X, y))
    assert np.mean(found) > 0.95
    assert np.mean(known) > 0.95


@pytest.mark.filterwarnings("ignore::hinge.StreamWarning")
def test_one_class_alone_fills_no_more_than_the_reserve():
    X = np.random.default_rng(0).normal(size=(5000, 2))
    model = OnlineSVC(gamma=0.5).partial_fit(X, np.zeros(5000), classes=[0, 1])
    assert model._state.native.n_retained <= 1000
    other = OnlineSVC(gamma=0.5).partial_fit(X + 4, np.ones(5000), classes=[0, 1])
    assert other._state.native.n_retained <= 1000
    model.partial_fit(X[:500] + 3, np.ones(500))
    exact = SVC(gamma=0.5).fit(np.vstack([X, X[:500] + 3]), np.r_[np.zeros(5000), np.ones(500)])
    test = np.random.default_rng(1).normal(size=(2000, 2))
    score = np.mean(model.predict(test) == 0) + np.mean(model.predict(test + 3) == 1)
    assert score > np.mean(exact.predict(test) == 0) + np.mean(exact.predict(test + 3) == 1) - 0.04


def test_a_class_may_stay_away_for_long():
    X, y = make_moons(7000, noise=0.3, random_state=0)
    later = 1500 + np.flatnonzero(y[1500:5000] == 0)
    model = OnlineSVC().partial_fit(X[:1500], y[:1500])
    before = model.score(X[5000:], y[5000:])
    with pytest.warns(hinge.StreamWarning, match="no example of the class"):
        model.partial_fit(X[later], y[later])
    assert model.score(X[5000:], y[5000:]) > before - 0.02


def test_finishing_keeps_the_reserve():
    X, y = make_moons(2300, noise=0.35, random_state=0)
    model, finished = OnlineSVC(C=1000), OnlineSVC(C=1000)
    for start in range(0, 300, 10):
        rows = slice(start, start + 10)
        model.partial_fit(X[rows], y[rows])
        finished.partial_fit(X[rows], y[rows]).finish()
    assert finished.score(X[300:], y[300:]) > model.score(X[300:], y[300:]) - 0.02


def test_a_loaded_stream_keeps_its_reserve_when_it_finishes(tmp_path):
    X, y = make_moons(1000, noise=0.35, random_state=0)
    model = OnlineSVC().partial_fit(X, y)
    hinge.save(model, tmp_path / "model.hinge")
    loaded = hinge.load(tmp_path / "model.hinge").finish()
    assert loaded._state.native.n_retained == model.finish()._state.native.n_retained > len(model.support_)
    assert (fitted := OnlineSVC().fit(X, y).finish())._state.native.n_retained == len(fitted.support_)

"""What Algorithm 1 of the ASSET paper takes as given: lambda, B, D_G, M, the draws, the rank of the kernel matrix."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

import hinge
from hinge import ApproximateSVC, ApproximateSVR
from hinge.exceptions import ParameterError

from .common import features
from .reference import Machine


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    return X, np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] > 0.0, 1, -1)


def make(**parameters):
    return ApproximateSVC(**({"C": 3.0, "gamma": 0.3, "n_components": 25, "random_state": 7} | parameters))


def native(model):
    return model._state.native.state()


@pytest.mark.parametrize("steps", ["asset", "asset*"])
@pytest.mark.parametrize("n_total", [None, 100, 5000])
def test_steps_of_a_stream_become_shorter(data, steps, n_total):
    """A far outlier changes the weights by eta_j |x|: eta_j falls as 1 / sqrt(j), or as 1 / j."""
    X, y = data
    power = 0.5 if steps == "asset" else 1.0
    C = 300 / (n_total or 10_000)  # the weights stay inside their ball
    model = make(C=C, steps=steps, fit_intercept=False, approximation="fourier", n_total=n_total)
    lengths, numbers = [], (50, 350)
    for start, stop in ((0, 49), (50, 349)):
        model.partial_fit(X[start:stop], y[start:stop], classes=[-1, 1])
        row = X[stop : stop + 1]
        wrong = -np.sign(features(model, row) @ native(model)["weights"])
        before = native(model)["weights"]
        model.partial_fit(row, wrong.astype(int))
        shrunk = (1 - shrinking(model, steps, stop + 1)) * before
        moved = native(model)["weights"] - shrunk
        lengths.append(np.linalg.norm(moved) / np.linalg.norm(features(model, row)))
    assert lengths[1] / lengths[0] == pytest.approx((numbers[0] / numbers[1]) ** power, rel=1e-6)


def shrinking(model, steps, j):
    """Return eta_j lambda."""
    lam = 1.0 / (model.C * (model.n_total or 10_000))
    return 1.0 / j if steps == "asset*" else lam * np.sqrt(1.0 / lam) / np.sqrt(j)


def test_the_intercept_of_a_long_stream_comes_to_rest(data):
    X, y = data
    rows = np.random.default_rng(1).integers(0, 400, 20_000)
    model = make(C=1.0, steps="asset", approximation="fourier", n_total=20_000)
    model.partial_fit(X[rows], y[rows], classes=[-1, 1])
    jumps, before = [], native(model)["bias"]
    for row in rows[:200]:
        model.partial_fit(X[row : row + 1], y[row : row + 1])
        jumps.append(abs(native(model)["bias"] - before).max())
        before = native(model)["bias"]
    longest = np.sqrt(2 * 20_000) / np.sqrt(2.0) / np.sqrt(20_000)  # D_X / (D_G sqrt j), with |x|^2 = 1 on average
    assert 0.9 * longest < max(jumps) <= longest * (1 + 1e-9)


def test_lambda_of_a_training_set_stays_in_the_stream_that_follows(data):
    X, y = data
    model = make(steps="asset*", fit_intercept=False, epochs=1).fit(X[:300], y[:300])
    assert native(model)["penalty_total"] == 300
    model.partial_fit(X[300:], y[300:])
    assert native(model)["penalty_total"] == 300
    assert np.linalg.norm(native(model)["weights"]) <= np.sqrt(3.0 * 300) * (1 + 1e-12)


@pytest.mark.parametrize("given", [{"max_intercept": 0.05}, {"gradient_bound": 40.0}, {"max_intercept": 1e3}])
@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
def test_given_bounds(data, given, kind):
    X, y = data
    model = kind(C=3.0, gamma=0.3, approximation="fourier", n_components=25, steps="asset", random_state=0, **given)
    options = {"C": 3.0, "loss": model.loss, "epsilon": getattr(model, "epsilon", 0.0), "n_total": 10_000}
    machine = Machine(np.ones(25), 1.0, steps="asset", **options, **given)
    model.partial_fit(X, y)
    sign = 1.0 if kind is ApproximateSVR or model._state.table.numbers[0] == 0 else -1.0
    machine.learn(features(model, X), sign * y)
    np.testing.assert_allclose(native(model)["weights"], machine.weights, atol=1e-9 * np.abs(machine.weights).max())
    np.testing.assert_allclose(native(model)["bias"], machine.bias, atol=1e-9)
    if "max_intercept" in given and kind is ApproximateSVC:
        assert abs(model.intercept_) <= given["max_intercept"]


@pytest.mark.parametrize("approximation", ["nystroem", "fourier"])
def test_subgradients_are_measured_on_a_sample(data, approximation):
    """D_G^2 is the mean of |x|^2 + 1 over M random examples at the first iterate, which is zero."""
    X, y = data
    exact = make(steps="asset", approximation=approximation, gradient_sample=200_000, epochs=1).fit(X, y)
    expected = np.sum(features(exact, X) ** 2, axis=1).mean()
    assert exact._state.features.typical == pytest.approx(expected, rel=0.01)
    values = [
        make(steps="asset", approximation=approximation, gradient_sample=5, epochs=1, random_state=seed)
        .fit(X, y)
        ._state.features.typical
        for seed in range(3)
    ]
    assert len(set(values)) == 3


def test_independent_draws(data, monkeypatch):
    """Every row has the same chance at every step: the numbers of visits are multinomial."""
    X, y = data
    orders = []
    learn = hinge.approximate._state.ApproximateState.learn
    monkeypatch.setattr(
        hinge.approximate._state.ApproximateState,
        "learn",
        lambda self, rows, order, monitor: orders.append(order) or learn(self, rows, order, monitor),
    )
    make(steps="asset", with_replacement=True, epochs=50).fit(X, y)
    counts = np.bincount(np.concatenate(orders), minlength=400)
    assert counts.sum() == 50 * 400
    assert 0.8 < counts.var() / 50 < 1.25
    orders.clear()
    make(steps="asset", epochs=50).fit(X, y)
    assert (np.bincount(np.concatenate(orders), minlength=400) == 50).all()


@pytest.mark.parametrize(
    ("settings", "average_last"),
    [
        ({"steps": "asset", "gradient_bound": 5.0, "fit_intercept": False}, 100),
        ({"steps": "asset", "gradient_bound": 5.0, "with_replacement": True, "rank": 9}, 0.5),
        ({"steps": "asset", "gradient_bound": 5.0, "max_intercept": 0.3}, 1),
        ({"steps": "asset*", "fit_intercept": False, "with_replacement": True}, 1),
        ({"steps": "asset*", "fit_intercept": False, "rank": 9}, 100),
    ],
)
def test_fit_is_algorithm_1(data, monkeypatch, settings, average_last):
    """Written line by line from the paper: (14) to (16), Algorithm 1, section 3.3."""
    X, y = data
    orders, learn = [], hinge.approximate._state.ApproximateState.learn
    monkeypatch.setattr(
        hinge.approximate._state.ApproximateState,
        "learn",
        lambda self, rows, order, monitor: orders.append(order) or learn(self, rows, order, monitor),
    )
    model = make(average_last=average_last, epochs=3, **settings).fit(X, y)
    S = model.support_vectors_
    values, vectors = np.linalg.eigh(rbf_kernel(S, S, gamma=0.3))
    d = settings.get("rank", 25)
    V = rbf_kernel(X, S, gamma=0.3) @ vectors[:, -d:] / np.sqrt(values[-d:])
    lam = 1.0 / (3.0 * len(X))
    radius = 1.0 / np.sqrt(lam)
    B = settings.get("max_intercept", radius) if settings.get("fit_intercept", True) else 0.0
    draws = np.concatenate(orders)
    first = len(draws) - (average_last if average_last >= 1 else round(average_last * len(draws))) + 1
    gamma, b, mean, mean_b, total = np.zeros(d), 0.0, np.zeros(d), 0.0, 0.0
    for j, i in enumerate(draws, 1):
        eta = np.hypot(radius, B) / (5.0 * np.sqrt(j)) if settings["steps"] == "asset" else 1.0 / (lam * j)
        wrong = y[i] * (V[i] @ gamma + b) < 1.0
        gamma = (1.0 - eta * lam) * gamma + eta * wrong * y[i] * V[i]
        gamma *= min(1.0, radius / max(np.linalg.norm(gamma), 1e-300))
        b = np.clip(b + eta * wrong * y[i], -B, B)
        if j >= first:
            mean, mean_b = (total * mean + eta * gamma) / (total + eta), (total * mean_b + eta * b) / (total + eta)
            total += eta
    expected = V @ mean + mean_b
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("cache_size", [0.001, 200])
def test_independent_draws_learn(data, cache_size):
    X, y = data
    model = make(steps="asset", with_replacement=True, epochs=30, cache_size=cache_size).fit(X, y)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("rank", [1, 7, 24, 25, 100])
def test_rank_of_the_kernel_matrix(data, rank):
    """The features have the inner products of the best approximation of this rank, (14) and (15) of the paper."""
    X, y = data
    model = make(steps="asset", rank=rank, epochs=1).fit(X, y)
    S = model.support_vectors_
    values, vectors = np.linalg.eigh(rbf_kernel(S, S, gamma=0.3))
    d = min(rank, 25)
    inverse = (vectors[:, -d:] / values[-d:]) @ vectors[:, -d:].T
    expected = rbf_kernel(X, S, gamma=0.3) @ inverse @ rbf_kernel(S, X, gamma=0.3)
    found = features(model, X)
    assert found.shape[1] == model.n_components_ == d
    np.testing.assert_allclose(found @ found.T, expected, atol=1e-9)


@pytest.mark.parametrize("threshold", [1e-16, 0.01, 0.3, 2.0, 1e9])
def test_absolute_threshold(data, threshold):
    X, y = data
    model = make(steps="asset", eigen_threshold=threshold, relative_threshold=False, epochs=1).fit(X, y)
    S = model.support_vectors_
    values = np.linalg.eigvalsh(rbf_kernel(S, S, gamma=0.3))
    assert model.n_components_ == max(1, np.count_nonzero(values >= threshold))


def test_files_keep_what_is_needed_to_go_on(data, tmp_path):
    X, y = data
    model = make(steps="asset", n_total=900, max_intercept=2.0, gradient_sample=10, rank=9).fit(X[:200], y[:200])
    hinge.save(model, tmp_path / "model.hinge")
    again = hinge.load(tmp_path / "model.hinge")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(
        again.partial_fit(X[200:], y[200:]).decision_function(X),
        model.partial_fit(X[200:], y[200:]).decision_function(X),
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"steps": "asset*"}, r"fit_intercept must be False with steps='asset\*'"),
        ({"n_total": 5}, "n_total must be None with steps='adaptive'"),
        ({"steps": "asset*", "fit_intercept": False, "max_intercept": 1.0}, "max_intercept must be None with steps="),
        ({"steps": "asset", "fit_intercept": False, "max_intercept": 1.0}, "max_intercept must be None with steps="),
        ({"steps": "asset", "n_total": 0}, "n_total must be a whole number of at least 1"),
        ({"steps": "asset", "gradient_bound": 0.0}, "gradient_bound must be"),
        ({"steps": "asset", "gradient_bound": 1.0, "gradient_sample": 5}, "gradient_sample must be None when"),
        ({"rank": 0}, "rank must be a whole number of at least 1"),
        ({"rank": 3, "approximation": "fourier"}, "rank must be None with approximation='fourier'"),
        ({"eigen_threshold": 2.0}, "eigen_threshold must be a fraction of the largest eigenvalue"),
        ({"with_replacement": 2}, "with_replacement must be"),
    ],
)
def test_bad_parameters(data, settings, message):
    with pytest.raises(ParameterError, match=message):
        make(**settings).fit(*data)

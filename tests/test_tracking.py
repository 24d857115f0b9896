"""Tracking is what its paper says, step by step, and keeps what the paper promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinge import ParameterError, RobustOnlineSVC, TrackingSVC
from hinge._model.params import random_seed

MASK = 2**64 - 1
SEED = random_seed(0)


def mixed(value):
    """SplitMix, from which the native code makes its picks."""
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def draw(example, step):
    return mixed((mixed(SEED ^ mixed(example)) + step) & MASK)


class Slow:
    """Algorithms 1 and 2, and the variant of section 5.2, on a matrix of kernel values."""

    def __init__(self, K, y, *, C, n_steps, process, keep="all"):
        self.K, self.y, self.C, self.n_steps, self.process, self.keep = K, y, C, n_steps, process, keep
        self.alpha, self.mean, self.held = np.zeros(len(y)), np.zeros(len(y)), []

    def coordinate_step(self, i):
        gradient, end = self.y[i] - self.K[i] @ self.alpha, self.C * self.y[i]
        self.alpha[i] = np.clip(self.alpha[i] + gradient / self.K[i, i], min(0, end), max(0, end))

    def see(self, t):
        self.held.append(t)
        if self.process:
            self.coordinate_step(t)
        self.mean[:] = 0.0
        for k in range(1, self.n_steps + 1):
            i = self.pick(t, k)
            if i is not None:
                self.coordinate_step(i)
            self.mean += (self.alpha - self.mean) / k
        if self.keep == "support":
            self.held = [i for i in self.held if self.alpha[i] != 0 or abs(self.mean[i]) > 1e-12]

    def pick(self, t, k):
        number = draw(t, k)
        if self.keep == "all":
            return number % (t + 1)
        support = np.flatnonzero(self.alpha).tolist()
        return min(support, key=lambda i: mixed(number ^ i)) if number % (t + 1) < len(support) else None


def unit_ball(n, seed=0, features=4):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, features))
    return X / np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True)), random.choice([-1, 1], n)


def coefficients(model, n, *, averaged):
    """Return the coefficients of all examples of a stream of two classes, before or after the average."""
    arrays = model._state.native.state()
    alpha = arrays["alpha"] - (arrays["lag"] / arrays["terms"][0] if averaged and arrays["terms"][0] else 0.0)
    result = np.zeros(n)
    result[arrays["ids"][arrays["members"]]] = model._state.table.sign * alpha
    return result


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    ("process", "keep", "C"), [(True, "all", 0.5), (False, "all", 3.0), (True, "support", 0.5), (True, "support", 3.0)]
)
def test_each_step_is_that_of_the_paper(kernel, process, keep, C):
    X, y = unit_ball(60)
    y = np.where(X[:, 0] > 0.1 * y, 1, -1)  # some structure, so that coefficients come and go
    K = X @ X.T if kernel == "linear" else np.exp(-2.0 * ((X[:, None] - X) ** 2).sum(axis=2))
    slow = Slow(K, y, C=C, n_steps=7, process=process, keep=keep)
    model = TrackingSVC(C=C, kernel=kernel, gamma=2.0, n_steps=7, process=process, keep=keep, random_state=0)
    for t in range(len(y)):
        slow.see(t)
        model.partial_fit(X[t : t + 1], y[t : t + 1], classes=[-1, 1])
        np.testing.assert_allclose(coefficients(model, len(y), averaged=False), slow.alpha, atol=1e-10)
        np.testing.assert_allclose(coefficients(model, len(y), averaged=True), slow.mean, atol=1e-10)
        assert model._state.native.n_retained == len(slow.held)
    np.testing.assert_allclose(model.decision_function(X), K @ slow.mean, atol=1e-10)
    plain = TrackingSVC(C=C, kernel=kernel, gamma=2.0, n_steps=7, process=process, keep=keep, random_state=0)
    plain.set_params(average=False).partial_fit(X, y)
    np.testing.assert_allclose(plain.decision_function(X), K @ slow.alpha, atol=1e-10)


def test_only_examples_with_a_coefficient_are_kept():
    X, y = unit_ball(300, seed=1)
    y = np.where(X[:, 0] + 0.2 * y > 0, 1, -1)
    model = TrackingSVC(C=1.0, gamma=1.0, keep="support", random_state=0)
    for start in range(0, 300, 20):
        model.partial_fit(X[start : start + 20], y[start : start + 20], classes=[-1, 1])
        assert model._state.native.n_retained == len(model.support_)
    assert len(model.support_) < 250
    every = TrackingSVC(C=1.0, gamma=1.0, random_state=0).partial_fit(X, y)
    assert every._state.native.n_retained == 300
    assert model.score(X, y) > every.score(X, y) - 0.03


def test_new_examples_must_be_processed_where_others_leave():
    with pytest.raises(ParameterError, match="process must be True when keep is 'support'"):
        TrackingSVC(keep="support", process=False).fit([[0.0], [1.0]], [0, 1])


def test_more_steps_smaller_gap():
    X, y = unit_ball(300, seed=2)
    y = np.where(X[:, 0] + 0.3 * y > 0, 1, -1)
    gaps = [TrackingSVC(n_steps=K, random_state=0).partial_fit(X, y).duality_gap() for K in (1, 4, 16, 64)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 10 * gaps[-1]


def test_the_gap_costs_no_kernel_values():
    X, y = unit_ball(100)
    model = TrackingSVC(random_state=0).partial_fit(X, y)
    before = model.n_kernel_evals_
    model.duality_gap()
    assert model.n_kernel_evals_ == before


def test_seeds():
    X, y = unit_ball(80, seed=3)
    first, same, other = (TrackingSVC(random_state=seed).fit(X, y).decision_function(X) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def dual(K, y, alpha):
    return alpha @ y - 0.5 * alpha @ K @ alpha


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed", "function"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_measures_are_those_of_the_answer(average, kernel, dtype):
    """Gap, objective and violation by hand, of the coefficients that `predict` uses."""
    X, y = unit_ball(80, seed=4)
    X, C = X.astype(dtype), 2.0
    K = (X @ X.T if kernel == "linear" else np.exp(-2.0 * ((X[:, None] - X) ** 2).sum(axis=2))).astype(np.float64)
    kernels = {"function": lambda A, B: np.exp(-2.0 * ((A[:, None] - B) ** 2).sum(axis=2))}
    rows = K.astype(dtype) if kernel == "precomputed" else X
    model = TrackingSVC(C=C, kernel=kernels.get(kernel, kernel), gamma=2.0, average=average, n_steps=5, random_state=0)
    model.partial_fit(rows, y)
    alpha = coefficients(model, 80, averaged=average)
    gradient = y - K @ alpha
    primal = 0.5 * alpha @ K @ alpha + C * np.maximum(0.0, 1.0 - y * (K @ alpha)).sum()
    low, high = np.minimum(0.0, C * y), np.maximum(0.0, C * y)
    violation = max(gradient[alpha < high].max(), -gradient[alpha > low].min())
    rtol = 1e-9 if dtype == np.float64 else 1e-5
    for arguments in ((), (rows, y)):
        assert model.dual_objective(*arguments) == pytest.approx(dual(K, y, alpha), rel=rtol)
        assert model.duality_gap(*arguments) == pytest.approx(primal - dual(K, y, alpha), rel=10 * rtol)
        assert model.kkt_violation(*arguments) == pytest.approx(violation, rel=10 * rtol)
    assert np.abs(model.decision_function(rows) - K @ alpha).max() < 1e-5


def test_the_certificate_encloses_the_optimum():
    X, y = unit_ball(200, seed=5)
    optimum = RobustOnlineSVC(C=3.0, gamma=1.0, variant="full", tol=1e-9).partial_fit(X, y).finish().dual_objective()
    for steps in (1, 10, 100):
        model = TrackingSVC(C=3.0, gamma=1.0, n_steps=steps, random_state=0).partial_fit(X, y)
        assert model.dual_objective() <= optimum + 1e-7
        assert optimum <= model.dual_objective() + model.duality_gap() + 1e-7


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("size", [0.3, 1.0, 5.0])
def test_the_bound_is_above_that_of_the_theorem(kernel, size):
    """R sqrt(2 x) + x / C with x = D / (K T), where D may be replaced by any larger number."""
    X, y = unit_ball(150, seed=6)
    X *= size
    C, n_steps = 0.7, 4
    optimum = RobustOnlineSVC(C=C, kernel=kernel, gamma=1.0, variant="full", tol=1e-9).partial_fit(X, y).finish()
    model = TrackingSVC(C=C, kernel=kernel, gamma=1.0, n_steps=n_steps, random_state=0).partial_fit(X, y)
    radius = np.linalg.norm(X, axis=1).max() if kernel == "linear" else 1.0
    share = optimum.dual_objective() / (n_steps * 150)
    theorem = radius * np.sqrt(2 * share) + share / C
    assert theorem <= model.gap_bound() <= radius * np.sqrt(2 * C / n_steps) + 1 / n_steps + 1e-12
    assert model.duality_gap() / (C * 150) <= model.gap_bound()


@pytest.mark.parametrize(
    ("settings", "weights"),
    [({"average": False}, None), ({"keep": "support"}, None), ({"kernel": "poly"}, None), ({}, [1.0] * 39 + [2.0])],
)
def test_no_bound_without_its_conditions(settings, weights):
    model = TrackingSVC(random_state=0, **settings).fit(*unit_ball(40), sample_weight=weights)
    with pytest.raises(ParameterError, match="use duality_gap for other models"):
        model.gap_bound()


def gain(alpha, gradient, curvature, y, C):
    """The dual gain of the best step of one coefficient."""
    length = np.clip(gradient / curvature, np.minimum(0, C * y) - alpha, np.maximum(0, C * y) - alpha)
    return length * (gradient - 0.5 * curvature * length)


def mu(x, C):
    return np.sqrt(2.0 * x) + x / C


TEACHERS = ("random", "plane", "sorted", "opposed")
streams = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10**6),
        "n": st.integers(2, 30),
        "C": st.sampled_from([0.05, 0.5, 1.0, 10.0]),
        "n_steps": st.sampled_from([1, 2, 5, 10]),
        "kernel": st.sampled_from(["linear", "rbf"]),
        "teacher": st.sampled_from(TEACHERS),
    }
)


class Course:
    """A stream and the model that follows it; the last teacher always says the opposite of what the model says."""

    def __init__(self, *, seed, n, C, n_steps, kernel, teacher, process, picks=0):
        self.C, self.teacher = C, teacher
        self.X, self.y = unit_ball(n, seed=seed, features=1 + seed % 5)
        self.y[:] = np.where(self.X[:, 0] > 0, 1, -1) if teacher != "random" else self.y
        if teacher == "sorted":
            self.X, self.y = self.X[np.argsort(self.y)], np.sort(self.y)
        self.K = self.X @ self.X.T if kernel == "linear" else np.exp(-((self.X[:, None] - self.X) ** 2).sum(axis=2))
        options = {"C": C, "kernel": kernel, "gamma": 1.0}
        self.model = TrackingSVC(**options, n_steps=n_steps, process=process, random_state=picks)
        self.exact = RobustOnlineSVC(**options, variant="full", tol=1e-9)
        self.processed = 0.0  # gains of the first steps of Algorithm 2

    def learn(self, t):
        row = slice(t, t + 1)
        if self.teacher == "opposed" and t > 0:
            self.y[t] = -1 if self.model.decision_function(self.X[row])[0] > 0 else 1
        alpha = coefficients(self.model, len(self.y), averaged=False) if t else np.zeros(len(self.y))
        gradient = self.y[t] - self.K[t] @ alpha
        self.processed += gain(0.0, gradient, self.K[t, t], self.y[t], self.C)
        for each in (self.model, self.exact):
            each.partial_fit(self.X[row], self.y[row], classes=[-1, 1])

    def primal(self, alpha, t):
        f = self.K @ alpha
        return 0.5 * alpha @ f + self.C * np.maximum(0.0, 1.0 - self.y[:t] * f[:t]).sum()

    def optimum(self):
        return self.exact.finish().dual_objective()


@settings(deadline=None, max_examples=40)
@given(stream=streams, process=st.booleans())
def test_lemma_1(stream, process):
    course, C = Course(**stream, process=process), stream["C"]
    for t in range(stream["n"]):
        course.learn(t)
        alpha, seen = coefficients(course.model, stream["n"], averaged=False), slice(t + 1)
        gradient = (course.y - course.K @ alpha)[seen]
        gains = gain(alpha[seen], gradient, np.diag(course.K)[seen], course.y[seen], C)
        gap = course.primal(alpha, t + 1) - dual(course.K, course.y, alpha)
        assert gap / (C * (t + 1)) <= mu(gains.mean(), C) + 1e-9
        mean = coefficients(course.model, stream["n"], averaged=True)
        expected = dual(course.K, course.y, mean)
        assert course.model.dual_objective() == pytest.approx(expected, abs=1e-9)
        assert course.model.duality_gap() == pytest.approx(course.primal(mean, t + 1) - expected, abs=1e-9)


@settings(deadline=None, max_examples=15, derandomize=True)
@given(stream=streams, process=st.booleans())
def test_theorems_2_and_3(stream, process):
    """The bounds are for the mean over all picks; that over some runs will do, since they are rarely tight."""
    C, n, excess, left_to_gain = stream["C"], stream["n"], [], []
    for picks in range(8):
        course = Course(**stream, process=process, picks=picks)
        for t in range(n):
            course.learn(t)
            mean = coefficients(course.model, n, averaged=True)
            excess.append((course.primal(mean, t + 1) - course.optimum()) / (C * (t + 1)))
        left_to_gain.append(course.optimum() - (course.processed if process else 0.0))
    assert min(excess) >= -1e-7
    assert min(left_to_gain) >= -1e-7
    assert np.mean(excess) <= mu(max(np.mean(left_to_gain), 0.0) / (stream["n_steps"] * n), C) + 1e-7

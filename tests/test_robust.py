"""The robust machines solve the problem they should, and wrong labels do them less harm."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import make_moons

from hinge import ParameterError, RobustOnlineSVC

VARIANTS = ("ramp", "hinge", "ignore", "full")
GAMMA = 1.0


def gram(X):
    return np.exp(-GAMMA * ((X[:, None] - X) ** 2).sum(axis=2))


def solved(K, y, costs):
    """Return the largest value of the dual without a bias, by a solver that has nothing to do with ours."""

    def negative(alpha):
        f = K @ alpha
        return 0.5 * alpha @ f - alpha @ y, f - y

    ends = costs * y
    bounds = list(zip(np.minimum(ends, 0), np.maximum(ends, 0), strict=True))
    options = {"maxiter": 10**5, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-9}
    return -minimize(negative, np.zeros(len(y)), jac=True, bounds=bounds, method="L-BFGS-B", options=options).fun


def moons(n=60, noise=0.25, seed=0):
    X, y = make_moons(n, noise=noise, random_state=seed)
    return X, 2 * y - 1


def flipped(n, share, seed=0):
    """Moons with wrong labels, and their right labels."""
    X, right = moons(n, noise=0.12, seed=seed)
    wrong = np.random.default_rng(seed).random(n) < share
    return X, np.where(wrong, -right, right), right


def members(model):
    """Return label, lower end, width and coefficient of all members of the only machine."""
    arrays = model._state.native.state()
    y = np.where(arrays["labels"][arrays["members"]] == 1, 1, -1)
    return y, arrays["member_lows"], arrays["member_costs"], arrays["alpha"]


class Slow:
    """The four variants on a matrix of kernel values, all sums from scratch."""

    def __init__(self, K, y, *, C, variant, warmup, max_idle, clean_every, reprocess="both", ramp=-1.0, tol=1e-3):
        self.K, self.y, self.C, self.variant, self.ramp, self.tol = K, y, C, variant, ramp, tol
        self.warmup, self.max_idle, self.clean_every = warmup, max_idle, clean_every
        self.n_moves = 1 if reprocess == "one" else 2
        self.alpha, self.low, self.held = np.zeros(len(y)), np.minimum(0.0, C * y), []
        self.admitted, self.cleaned = [0, 0, 0], [0, 0, 0]

    def gradient(self):
        return self.y - self.K @ self.alpha

    def side(self, score):
        return 0 if score < self.ramp else 2 if score > 1.0 else 1

    def target(self):
        h = self.C * (self.y * self.gradient())[self.held]
        support = max(1, np.count_nonzero(self.alpha))
        return np.sqrt(max(0.0, (h**2).sum() - h.sum() ** 2 / support))

    def gap(self):
        g, low, alpha = self.gradient()[self.held], self.low[self.held], self.alpha[self.held]
        return (np.maximum(low * g, (low + self.C) * g) - alpha * g).sum()

    def coordinate_step(self, i):
        wanted = self.alpha[i] + self.gradient()[i] / self.K[i, i]
        self.alpha[i] = np.clip(wanted, self.low[i], self.low[i] + self.C)

    def reprocess(self):
        """Move the one that violates most, or one each way; tell whether there were any."""
        g, alpha, low = self.gradient(), self.alpha, self.low
        rise = max((i for i in self.held if alpha[i] < low[i] + self.C), key=lambda i: g[i], default=None)
        fall = min((i for i in self.held if alpha[i] > low[i]), key=lambda i: g[i], default=None)
        violation = {i: size for i, size in ((fall, -g[fall]), (rise, g[rise])) if i is not None and size > self.tol}
        for i in sorted(violation, key=violation.get, reverse=True)[: self.n_moves]:
            self.coordinate_step(i)
        return bool(violation)

    def see(self, t):
        side, support = self.side(self.y[t] * (self.K[t] @ self.alpha)), np.count_nonzero(self.alpha)
        trusted = support > self.warmup
        if self.variant == "ignore" and (side == 2 or (side == 0 and trusted)):
            return
        enough = max(self.C, self.target())
        if self.variant == "ramp" and side == 0 and trusted:
            self.low[t] = np.minimum(0.0, -self.C * self.y[t])
        self.held.append(t)
        self.admitted[side] += 1
        self.coordinate_step(t)
        while self.gap() > enough and self.reprocess():
            pass
        if sum(self.admitted) % self.clean_every == 0 and self.variant != "full":
            self.clean()

    def clean(self):
        g = self.gradient()
        idle = sorted((i for i in self.held if self.alpha[i] == 0), key=lambda i: abs(g[i]))
        for i in idle[self.max_idle :]:
            self.cleaned[self.side(self.y[i] * (self.y[i] - g[i]))] += 1
            self.held.remove(i)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("C", [1.0, 10.0])
@pytest.mark.parametrize("reprocess", ["one", "both"])
def test_each_step_is_that_of_the_paper(variant, C, reprocess):
    X, y, _ = flipped(150, 0.2)
    settings = {"C": C, "variant": variant, "warmup": 15, "max_idle": 6, "clean_every": 8, "reprocess": reprocess}
    slow, model = Slow(gram(X), y, **settings), RobustOnlineSVC(gamma=GAMMA, **settings)
    for t in range(150):
        slow.see(t)
        model.partial_fit(X[t : t + 1], y[t : t + 1], classes=[-1, 1])
        alpha, arrays = np.zeros(150), model._state.native.state()
        alpha[arrays["ids"][arrays["members"]]] = arrays["alpha"]
        np.testing.assert_allclose(alpha, slow.alpha, atol=1e-9 * C)
        assert sorted(arrays["ids"]) == sorted(slow.held)
    assert model.n_admitted_.tolist() == [slow.admitted]
    assert model.n_cleaned_.tolist() == [slow.cleaned]
    assert (variant == "ramp") == bool((slow.low != np.minimum(0, C * y)).any())


class TestOptimum:
    @pytest.mark.parametrize("variant", ["full", "hinge"])
    @pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
    def test_it_is_that_of_another_solver(self, variant, C):
        X, y = moons()
        model = RobustOnlineSVC(C=C, gamma=GAMMA, variant=variant, tol=1e-8, random_state=0).fit(X, y).finish()
        assert model.dual_objective() == pytest.approx(solved(gram(X), y, np.full(len(y), C)), rel=1e-6)
        assert model.kkt_violation(X, y) <= 1e-8
        assert model.duality_gap(X, y) <= 1e-6 * C * len(y)

    def test_with_weights(self):
        X, y = moons()
        weights = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
        model = RobustOnlineSVC(gamma=GAMMA, variant="full", tol=1e-8, random_state=0)
        model.fit(X, y, sample_weight=weights).finish()
        assert model.dual_objective() == pytest.approx(solved(gram(X), y, weights), rel=1e-6)
        assert model.duality_gap(X, y, sample_weight=weights) <= 1e-5

    def test_those_who_left_are_not_missed(self):
        X, y = moons(200)
        model = RobustOnlineSVC(gamma=GAMMA, variant="hinge", max_idle=10, clean_every=7, epochs=20, random_state=0)
        model.fit(X, y).finish()
        assert model._state.native.n_retained < 140
        assert model.dual_objective() == pytest.approx(solved(gram(X), y, np.ones(len(y))), rel=1e-3)

    def test_learning_goes_on_after_it(self):
        X, y = moons(200)
        model = RobustOnlineSVC(gamma=GAMMA).partial_fit(X[:100], y[:100]).finish().partial_fit(X[100:], y[100:])
        assert model.n_seen_ == 200


@pytest.mark.parametrize("C", [0.3, 30.0])
def test_the_gap_is_primal_minus_dual(C):
    X, y = moons(150)
    K, model = gram(X), RobustOnlineSVC(C=C, gamma=GAMMA, variant="full")
    for start, end in ((0, 1), (1, 2), (2, 20), (20, 150)):
        model.partial_fit(X[start:end], y[start:end], classes=[-1, 1])
        alpha = np.zeros(150)
        alpha[model.support_] = model.dual_coef_[0]
        f = K @ alpha
        primal = 0.5 * alpha @ f + C * np.maximum(0.0, 1.0 - y[:end] * f[:end]).sum()
        dual = alpha @ y - 0.5 * alpha @ f
        assert model.duality_gap() == pytest.approx(primal - dual, abs=1e-9)
        assert model.duality_gap(X[:end], y[:end]) == pytest.approx(primal - dual, abs=1e-9)


def test_a_ramp_that_never_ends_is_the_hinge():
    X, y, _ = flipped(400, 0.2)
    endless = RobustOnlineSVC(C=10, gamma=GAMMA, variant="ramp", ramp=-1e9, warmup=0, random_state=0).fit(X, y)
    hinge = RobustOnlineSVC(C=10, gamma=GAMMA, variant="hinge", random_state=0).fit(X, y)
    np.testing.assert_array_equal(endless.decision_function(X), hinge.decision_function(X))
    np.testing.assert_array_equal(endless.dual_coef_, hinge.dual_coef_)


class TestOutliers:
    def test_their_coefficients_never_help_them(self):
        X, y, _ = flipped(400, 0.2)
        model, outliers = RobustOnlineSVC(C=10, gamma=GAMMA, warmup=10), 0
        for row in range(400):
            model.partial_fit(X[row : row + 1], y[row : row + 1], classes=[-1, 1])
            label, low, cost, alpha = members(model)
            beyond = (low < 0) == (label > 0)
            assert (alpha[beyond] * label[beyond] <= 0).all()
            assert (alpha[~beyond] * label[~beyond] >= 0).all()
            assert ((alpha >= low) & (alpha <= low + cost)).all()
            outliers = max(outliers, beyond.sum())
        assert outliers > 10

    @pytest.mark.parametrize("variant", ["hinge", "ignore", "full"])
    def test_other_variants_name_none(self, variant):
        X, y, _ = flipped(300, 0.2)
        label, low, _, _ = members(RobustOnlineSVC(C=10, gamma=GAMMA, warmup=0, variant=variant).partial_fit(X, y))
        assert ((low < 0) == (label < 0)).all()

    def test_none_before_there_are_enough_support_vectors(self):
        X, y, _ = flipped(300, 0.2)
        model = RobustOnlineSVC(C=10, gamma=GAMMA, warmup=10**6).partial_fit(X, y)
        hinge = RobustOnlineSVC(C=10, gamma=GAMMA, variant="hinge").partial_fit(X, y)
        np.testing.assert_array_equal(model.dual_coef_, hinge.dual_coef_)


class TestCounters:
    @pytest.mark.parametrize("variant", VARIANTS)
    def test_who_came_and_left_is_who_is_there(self, variant):
        X, y, _ = flipped(500, 0.2)
        model = RobustOnlineSVC(C=10, gamma=GAMMA, variant=variant, warmup=20, max_idle=10, clean_every=10)
        model.partial_fit(X, y)
        assert model.n_admitted_.shape == model.n_cleaned_.shape == (1, 3)
        assert model.n_admitted_.sum() - model.n_cleaned_.sum() == model._state.native.n_retained
        if variant != "ignore":
            assert model.n_admitted_.sum() == 500
        if variant == "full":
            assert model.n_cleaned_.sum() == 0

    def test_ignored_are_the_flat_parts(self):
        X, y, _ = flipped(500, 0.2)
        model = RobustOnlineSVC(C=10, gamma=GAMMA, variant="ignore", warmup=0).partial_fit(X, y)
        left, slope, right = model.n_admitted_[0]
        assert (left, right) == (0, 0)
        assert 0 < slope < 500

    def test_one_row_a_class(self, three):
        X, y = three
        model = RobustOnlineSVC(gamma=GAMMA, variant="full").partial_fit(X, 7 - y)
        assert model.n_admitted_.sum(axis=1).tolist() == [150] * 3
        for place, label in enumerate(model.classes_):
            alone = RobustOnlineSVC(gamma=GAMMA, variant="full").partial_fit(X, 7 - y == label)
            np.testing.assert_array_equal(alone.n_admitted_[0], model.n_admitted_[place])

    def test_idle_examples_are_few(self):
        X, y, _ = flipped(600, 0.1)
        model = RobustOnlineSVC(gamma=GAMMA, max_idle=5, clean_every=1, warmup=20).partial_fit(X, y)
        assert model._state.native.n_retained - len(model.support_) <= 5


def clouds(n, share, seed):
    """Two clouds in ten dimensions, where there is much room for wrong labels to be learned; then the right labels."""
    random = np.random.default_rng(seed)
    right = random.choice([-1, 1], n)
    X = random.normal(size=(n, 10)) / np.sqrt(10)
    X[:, 0] += right
    return X, np.where(random.random(n) < share, -right, right), right


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
def test_wrong_labels(share):
    (X, y, _), (X_test, _, right) = clouds(1000, share, seed=0), clouds(1000, 0.0, seed=1)
    model = {
        variant: RobustOnlineSVC(C=100, gamma=0.5, variant=variant, random_state=0).fit(X, y)
        for variant in ("ramp", "ignore", "hinge")
    }
    error = {variant: 1.0 - each.score(X_test, right) for variant, each in model.items()}
    assert error["ramp"] < 0.9 * error["hinge"]
    assert len(model["ramp"].support_) < 0.7 * len(model["hinge"].support_)
    assert len(model["ignore"].support_) < 0.7 * len(model["hinge"].support_)


@pytest.mark.parametrize("variant", ["ramp", "hinge", "ignore"])
@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_gradients_stay_true_when_members_leave(variant, C, n_classes):
    """With a small C all members of a class may be at their bound: nobody can take over what one of them gives up."""
    random = np.random.default_rng(n_classes)
    X = random.normal(size=(150, 3))
    model = RobustOnlineSVC(C=C, gamma=0.5, variant=variant, max_support=6, warmup=3)
    model.partial_fit(X, random.integers(0, n_classes, 150))
    arrays = model._state.native.state()
    K = np.exp(-0.5 * np.square(arrays["values"][:, None] - arrays["values"]).sum(axis=2))
    for machine, part in enumerate(np.split(np.arange(len(arrays["alpha"])), np.cumsum(arrays["member_counts"])[:-1])):
        members = arrays["members"][part]
        positive = 1 if len(arrays["member_counts"]) == 1 else machine
        y = np.where(arrays["labels"][members] == positive, 1.0, -1.0)
        expected = y - K[np.ix_(members, members)] @ arrays["alpha"][part]
        np.testing.assert_allclose(arrays["gradient"][part], expected, atol=1e-12)


@pytest.mark.parametrize("variant", ["ramp", "hinge", "ignore"])
def test_bounded_memory(variant):
    X, y, right = flipped(1000, 0.1)
    model = RobustOnlineSVC(gamma=2.0, variant=variant, max_support=60, warmup=20)
    for start in range(0, 1000, 50):
        model.partial_fit(X[start : start + 50], y[start : start + 50])
        assert model._state.native.n_retained <= 60
    assert np.isfinite(model.decision_function(X)).all()
    assert model.score(X, right) > 0.85


def test_the_ramp_is_not_measured_on_other_examples():
    X, y, _ = flipped(200, 0.1)
    model = RobustOnlineSVC(gamma=GAMMA, warmup=20).fit(X, y)
    assert model.duality_gap() >= 0
    assert model.finish().kkt_violation() <= model.tol
    for measure in (model.duality_gap, model.kkt_violation):
        with pytest.raises(ParameterError, match="X must be None for the ramp loss"):
            measure(X, y)


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"variant": "soft"}, "variant must be one of 'ramp', 'hinge', 'ignore', 'full', got 'soft'"),
        ({"ramp": np.nan}, "ramp must be a finite number"),
        ({"reprocess": "two"}, "reprocess must be one of 'both', 'one', got 'two'"),
        ({"warmup": -1}, "warmup must be a whole number of at least 0"),
        ({"max_idle": 1.5}, "max_idle must be a whole number of at least 0"),
        ({"clean_every": 0}, "clean_every must be a whole number of at least 1"),
        ({"max_support": 1}, "max_support must be a whole number of at least 2"),
        ({"max_support": 9, "variant": "full"}, "max_support must be None for variant 'full'"),
        ({"ramp": 1}, "ramp must be below 1"),
        ({"epochs": "auto"}, "epochs must be a whole number of at least 1"),
        ({"C": 0}, "C must be a finite number above 0"),
        ({"tol": 0}, "tol must be a finite number above 0"),
    ],
)
def test_parameters_that_make_no_sense(parameters, complaint):
    with pytest.raises(ParameterError, match=complaint):
        RobustOnlineSVC(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(("variant", "expected"), [("ignore", 0), ("ramp", 100), ("hinge", 100)])
def test_default_warmup(variant, expected):
    """LASVM-I of the paper skips examples from the first on."""
    assert RobustOnlineSVC(variant=variant)._check_params(streaming=False).warmup == expected


def test_ignoring_begins_with_the_first_example():
    X, y, _ = flipped(300, 0.2)
    model = RobustOnlineSVC(C=10, gamma=GAMMA, variant="ignore").partial_fit(X, y)
    assert model.n_admitted_[0, 0] == model.n_admitted_[0, 2] == 0
    assert model.n_admitted_[0, 1] > 0

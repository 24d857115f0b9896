"""The perceptrons are those of a few lines of Python, and keep to Novikoff's bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

from hinge import KernelPerceptron, ParameterError


def slow(K, y, order, *, weights=None, average=False, budget=None, margin=0.0, eviction="balanced"):
    """Return the coefficients of a kernel perceptron that visits examples in an order."""
    alpha, total, held = np.zeros(len(y)), np.zeros(len(y)), []
    for t in order:
        if y[t] * (K[t] @ alpha) <= margin:
            alpha[t] += y[t] * (1.0 if weights is None else weights[t])
            held = [*held, t] if t not in held else held
            if budget is not None and len(held) > budget:
                leaving = (least_useful if eviction == "balanced" else easiest)(K, y, alpha, held)
                alpha[leaving], total[leaving] = 0.0, 0.0
                held.remove(leaving)
        total += alpha
    return total / len(order) if average else alpha


def least_useful(K, y, alpha, held):
    """Return the misclassified member that is farthest off, if there are too many, or else the easiest one."""
    scores = {i: y[i] * (K[i] @ alpha) for i in held}
    is_noisy = sum(score < -1e-9 for score in scores.values()) > 0.1 * len(held)

    def eagerness(i):
        if sum(y[j] == y[i] for j in held) == 1:
            return -np.inf
        return 1 - scores[i] if is_noisy and scores[i] < -1e-9 else scores[i] - abs(alpha[i]) * K[i, i] - 1

    return max(held, key=eagerness)


def easiest(K, y, alpha, held):
    """Return the member of step 4b of the budget perceptron."""
    return max(held, key=lambda i: y[i] * (K[i] @ alpha - alpha[i] * K[i, i]))


def problem(n=150, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.3 * random.normal(size=n) > 0.7, 1, -1)
    return X, y, np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))


def coefficients(model, n):
    result = np.zeros(n)
    result[model.support_] = model.dual_coef_[0]
    return result


def test_an_average_may_be_asked_for_later():
    X, y, _ = problem()
    late = KernelPerceptron(gamma=0.5).partial_fit(X[:-1], y[:-1]).set_params(average=True).partial_fit(X[-1:], y[-1:])
    always = KernelPerceptron(gamma=0.5, average=True).partial_fit(X, y)
    np.testing.assert_allclose(late.decision_function(X), always.decision_function(X), atol=1e-12)


def test_an_average_has_no_bound():
    with pytest.raises(ParameterError, match="average must be False when max_support is set"):
        KernelPerceptron(average=True, max_support=7).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(("average", "budget"), [(False, None), (True, None), (False, 7)])
@pytest.mark.parametrize("margin", [0.0, 0.4, -0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_stream(average, margin, budget, weighted):
    X, y, K = problem()
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    model = KernelPerceptron(gamma=0.5, average=average, margin=margin, max_support=budget)
    model.partial_fit(X, y, sample_weight=weights)
    wanted = slow(K, y, range(len(y)), weights=weights, average=average, margin=margin, budget=budget)
    np.testing.assert_allclose(coefficients(model, len(y)), wanted, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), K @ wanted, atol=1e-10)
    assert budget is None or len(model.support_) <= budget
    assert model.intercept_.tolist() == [0.0]


@pytest.mark.parametrize("margin", [0.0, 0.4])
@pytest.mark.parametrize("budget", [1, 3, 20])
@pytest.mark.parametrize("seed", range(3))
def test_the_budget_perceptron_of_the_paper(margin, budget, seed):
    X, y, K = problem(seed=seed)
    model = KernelPerceptron(gamma=0.5, margin=margin, max_support=budget, eviction="margin").partial_fit(X, y)
    wanted = slow(K, y, range(len(y)), margin=margin, budget=budget, eviction="margin")
    np.testing.assert_allclose(coefficients(model, len(y)), wanted, atol=1e-12)
    assert np.count_nonzero(wanted) == budget
    ours = slow(K, y, range(len(y)), margin=margin, budget=budget)
    assert budget < 20 or not np.array_equal(ours, wanted)  # the rules differ on these data


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("epochs", [1, 2, 5])
def test_several_passes(average, epochs, monkeypatch):
    X, y, K = problem()
    monkeypatch.setattr("hinge._fit.passes.seeds_first", lambda order, numbers: order)
    model = KernelPerceptron(gamma=0.5, average=average, epochs=epochs, random_state=0).fit(X, y)
    random = np.random.RandomState(0)
    random.randint(np.iinfo(np.int32).max)
    order = np.concatenate([random.permutation(len(y)) for _ in range(epochs)]).tolist()
    wanted = slow(K, y, order, average=average)
    np.testing.assert_allclose(coefficients(model, len(y)), wanted, atol=1e-12)


def test_averages_are_better_on_noisy_data():
    X, y, _ = problem(1500)
    X_test, y_test, _ = problem(500, seed=1)
    plain, averaged = (
        KernelPerceptron(gamma=0.5, average=average, random_state=0).fit(X, y).score(X_test, y_test)
        for average in (False, True)
    )
    assert averaged > plain
    assert averaged > 0.85


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 60), features=st.integers(1, 6), gap=st.floats(0.02, 0.5))
def test_novikoff(seed, n, features, gap):
    """At most (R / gamma)^2 mistakes, whatever the order, where a plane has margin gamma."""
    random = np.random.default_rng(seed)
    direction = random.normal(size=features)
    direction /= np.linalg.norm(direction)
    X = random.normal(size=(n, features))
    y = np.where(X @ direction > 0, 1, -1)
    X += gap * y[:, None] * direction  # now every example is on its side by `gap` at least
    radius = np.linalg.norm(X, axis=1).max()
    model = KernelPerceptron(kernel="linear")
    for _ in range(20):
        model.partial_fit(X, y, classes=[-1, 1])
    assert model.n_iter_ <= (radius / gap) ** 2


def test_separable_data_are_learned():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    y = np.where(X[:, 0] > 0, "right", "left")
    X[:, 0] += 0.2 * np.sign(X[:, 0])
    model = KernelPerceptron(kernel="linear", epochs=100, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0


def test_weights_make_long_steps():
    model = KernelPerceptron(kernel="linear").partial_fit([[1.0]], [1], classes=[0, 1], sample_weight=[2.5])
    assert model.dual_coef_.tolist() == [[2.5]]
    heavy = KernelPerceptron(kernel="linear", class_weight={1: 4.0}).partial_fit([[1.0]], [1], classes=[0, 1])
    assert heavy.dual_coef_.tolist() == [[4.0]]


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"max_support": 0}, "max_support must be a whole number of at least 1, got 0; None sets no bound"),
        ({"margin": np.inf}, "margin must be a finite number"),
        ({"average": "yes"}, "average must be True or False"),
        ({"epochs": 0}, "epochs must be a whole number of at least 1"),
    ],
)
def test_parameters_that_make_no_sense(parameters, complaint):
    with pytest.raises(ParameterError, match=complaint):
        KernelPerceptron(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_there_is_nothing_to_measure():
    assert not any(hasattr(KernelPerceptron(), name) for name in ("C", "tol", "duality_gap", "kkt_violation", "finish"))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_vote(kernel, container, n_classes):
    """Ask every decision function that the perceptron had after an example, and count."""
    if kernel == "precomputed" and container is csr_matrix:
        pytest.skip("kernel values are dense")
    random = np.random.default_rng(0)
    X, noise = random.normal(size=(120, 3)) + 2.0, random.normal(size=120)
    y = np.digitize(X[:, 0] * X[:, 1] - 4.0 + noise, [0.0, 1.5][: n_classes - 1])
    rows = container(rbf_kernel(X, gamma=0.5) if kernel == "precomputed" else X)
    model = KernelPerceptron(kernel=kernel, gamma=0.5)
    balance = 0.0
    for t in range(120):
        model.partial_fit(rows[t : t + 1], y[t : t + 1], classes=range(n_classes))
        balance = balance + np.sign(model.decision_function(rows))
    expected = (balance > 0).astype(int) if n_classes == 2 else balance.argmax(axis=1)
    decided = balance != 0 if n_classes == 2 else np.diff(np.sort(balance, axis=1)[:, -2:]).ravel() > 0
    assert decided.mean() > 0.9
    np.testing.assert_array_equal(model.vote(rows)[decided], expected[decided])
    assert (model.vote(rows) != model.predict(rows)).any()


def test_no_vote_without_all_mistakes():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] > 0
    for parameters in ({"max_support": 5}, {"epochs": 2}):
        model = KernelPerceptron(random_state=0, **parameters).fit(X, y)
        with pytest.raises(ParameterError, match="max_support must be None and epochs 1 for a vote"):
            model.vote(X)

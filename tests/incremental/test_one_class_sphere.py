"""`IncrementalOneClassSVM` with a sphere agrees with a slow solver, and with the plane where both are equal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel

from hinge import IncrementalOneClassSVM

KERNELS = [
    ({"kernel": "rbf", "gamma": 0.3}, lambda A, B: rbf_kernel(A, B, 0.3)),
    ({"kernel": "laplacian", "gamma": 0.3}, lambda A, B: laplacian_kernel(A, B, 0.3)),
    ({"kernel": "linear"}, linear_kernel),
    ({"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0}, lambda A, B: polynomial_kernel(A, B, 2, 0.5, 1.0)),
]
EACH = pytest.mark.parametrize(("parameters", "kernel"), KERNELS, ids=[named["kernel"] for named, _ in KERNELS])


@pytest.fixture
def cloud():
    """Examples around a centre away from the origin; integers, so that some of them are equal."""
    return np.random.default_rng(0).integers(-3, 6, size=(50, 3)).astype(float)


def solve_sphere(K, costs, total):
    """Return coefficients and squared radius of the smallest soft sphere, by pairs that gain most.

    It minimises a'Ka / 2 - total * diag(K)'a / 2 over 0 <= a <= costs with the sum `total`.
    """
    coefficients = np.minimum(costs, np.maximum(0.0, total - np.concatenate([[0.0], np.cumsum(costs)[:-1]])))
    diagonal = np.diag(K)
    for _ in range(100_000):
        gradient = total * diagonal / 2 - K @ coefficients
        may_rise, may_fall = coefficients < costs, coefficients > 0
        up = int(np.where(may_rise, gradient, -np.inf).argmax())
        excess = np.where(may_fall, gradient[up] - gradient, -np.inf)
        if not may_rise.any() or excess.max() <= 1e-12 * total * np.abs(K).max():
            break
        curvature = np.maximum(diagonal[up] + diagonal - 2 * K[up], 1e-12)
        down = int(np.where(excess > 0, excess**2 / curvature, -np.inf).argmax())
        room = costs[up] - coefficients[up], coefficients[down]
        step = min(excess[down] / curvature[down], *room)
        coefficients[up] = costs[up] if step == room[0] else coefficients[up] + step
        coefficients[down] = 0.0 if step == room[1] else coefficients[down] - step
    ends = [gradient[may_rise].max(initial=-np.inf), gradient[may_fall].min(initial=np.inf)]
    bias = np.mean([end for end in ends if np.isfinite(end)])
    return coefficients, coefficients @ K @ coefficients / total**2 + 2 * bias / total


def assert_same(model, kernel, X, costs, queries):
    total = 1.0 if model.C else model.nu * costs.sum()
    coefficients, radius = solve_sphere(kernel(X, X), costs, total)
    centre = coefficients / total
    own = np.array([kernel(row[None], row[None])[0, 0] for row in queries])
    distances = own - 2 * kernel(queries, X) @ centre + centre @ kernel(X, X) @ centre
    scale = np.abs(own).max()
    np.testing.assert_allclose(model.score_samples(queries), -distances, atol=1e-7 * scale)
    np.testing.assert_allclose(model.decision_function(queries), radius - distances, atol=1e-7 * scale)
    assert model.offset_ == pytest.approx(-radius, abs=1e-7 * scale)


@EACH
def test_fit(cloud, parameters, kernel):
    queries = np.random.default_rng(1).normal(size=(20, 3)) * 3
    model = IncrementalOneClassSVM(nu=0.23, shape="sphere", **parameters).fit(cloud)
    assert_same(model, kernel, cloud, np.ones(50), queries)
    model = IncrementalOneClassSVM(C=0.07, shape="sphere", **parameters).fit(cloud)
    assert_same(model, kernel, cloud, np.full(50, 0.07), queries)


@EACH
def test_weights_and_forgetting(cloud, parameters, kernel):
    weights = np.random.default_rng(2).uniform(0.3, 2.0, 50)
    model = IncrementalOneClassSVM(nu=0.31, shape="sphere", **parameters)
    for start in range(0, 50, 10):
        model.partial_fit(cloud[start : start + 10], sample_weight=weights[start : start + 10])
    model.forget(range(3, 33))
    kept = np.r_[0:3, 33:50]
    assert_same(model, kernel, cloud[kept], weights[kept], cloud)
    assert model.kkt_violation() < 1e-6


@EACH
def test_sparse_rows_and_functions(cloud, parameters, kernel):
    model = IncrementalOneClassSVM(nu=0.2, shape="sphere", **parameters).fit(cloud)
    sparse = IncrementalOneClassSVM(nu=0.2, shape="sphere", **parameters).fit(csr_matrix(cloud))
    function = IncrementalOneClassSVM(nu=0.2, shape="sphere", kernel=kernel).fit(cloud)
    expected = model.score_samples(cloud)
    for other in (sparse, function):
        np.testing.assert_allclose(other.score_samples(cloud), expected, atol=1e-8 * np.abs(expected).max())
        np.testing.assert_allclose(other.score_samples(csr_matrix(cloud)), expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_distances_without_an_optimum(cloud):
    """With an indefinite kernel, distances still refer to the centre that was found."""
    model = IncrementalOneClassSVM(nu=0.23, shape="sphere", kernel="sigmoid", gamma=0.02, coef0=0.1).fit(cloud)
    centre, vectors = model.dual_coef_[0] / model.dual_coef_.sum(), model.support_vectors_
    own = np.tanh(0.02 * (cloud**2).sum(axis=1) + 0.1)
    length = centre @ sigmoid_kernel(vectors, vectors, 0.02, 0.1) @ centre
    distances = own - 2 * sigmoid_kernel(cloud, vectors, 0.02, 0.1) @ centre + length
    np.testing.assert_allclose(model.score_samples(cloud), -distances, atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("rule", [{"nu": 0.17}, {"C": 0.05}])
def test_constant_diagonal_gives_the_plane(cloud, kernel, rule):
    X = cloud + np.random.default_rng(3).normal(scale=0.1, size=cloud.shape)  # no duplicates: one solution only
    plane, ball = (
        IncrementalOneClassSVM(kernel=kernel, gamma=0.1, shape=shape, **rule).fit(X) for shape in ("plane", "sphere")
    )
    np.testing.assert_array_equal(plane.support_, ball.support_)
    np.testing.assert_allclose(plane.dual_coef_, ball.dual_coef_, atol=1e-8)
    np.testing.assert_array_equal(plane.predict(X), ball.predict(X))
    total = plane.dual_coef_.sum()
    np.testing.assert_allclose(ball.decision_function(X), 2 / total * plane.decision_function(X), atol=1e-8)


def test_smallest_sphere_around_points():
    points = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.2, 0.3]])
    model = IncrementalOneClassSVM(C=1.0, kernel="linear", shape="sphere").fit(points + np.array([5.0, -3.0]))
    assert model.offset_ == pytest.approx(-1.0)
    np.testing.assert_allclose(model.score_samples([[5.0, -3.0], [6.0, -2.0]]), [0.0, -2.0], atol=1e-9)
    model.forget([0])  # the other three still have the same circle around them
    assert model.offset_ == pytest.approx(-1.0)
    model.forget([1])
    np.testing.assert_allclose(model.score_samples([[5.0, -3.0]]), [0.0], atol=1e-9)
    assert model.offset_ == pytest.approx(-1.0)
    model.forget([3])  # left: (0, 1) and (0.2, 0.3)
    assert model.offset_ == pytest.approx(-(0.2**2 + 0.7**2) / 4)


def test_precomputed(cloud):
    K = rbf_kernel(cloud, gamma=0.1)
    model = IncrementalOneClassSVM(nu=0.2, kernel="precomputed", shape="sphere").fit(K)
    reference = IncrementalOneClassSVM(nu=0.2, gamma=0.1, shape="sphere").fit(cloud)
    np.testing.assert_allclose(model.score_samples(K), reference.score_samples(cloud), atol=1e-9)
    np.testing.assert_allclose(model.decision_function(K), reference.decision_function(cloud), atol=1e-9)


def test_precomputed_diagonal_must_be_constant(cloud):
    K = linear_kernel(cloud)
    model = IncrementalOneClassSVM(nu=0.2, kernel="precomputed", shape="sphere")
    with pytest.raises(ValueError, match="must have a constant diagonal"):
        model.fit(K)
    assert not hasattr(model, "n_features_in_")
    K = rbf_kernel(cloud, gamma=0.1)
    model.partial_fit(K[:10])
    before = model.score_samples(K)
    K[20, 20] = 1.5
    with pytest.raises(ValueError, match="must have a constant diagonal"):
        model.partial_fit(K[10:30])
    assert model.n_seen_ == 10
    np.testing.assert_array_equal(model.score_samples(K), before)
    twice = 2 * K[10:20]
    with pytest.raises(ValueError, match="must have a constant diagonal"):
        model.partial_fit(twice)


def test_invalid_kernel_function(cloud):
    calls = []

    def kernel(A, B):
        calls.append(len(A))
        return linear_kernel(A, B) if not broken else np.zeros(3)

    broken = False
    model = IncrementalOneClassSVM(nu=0.2, kernel=kernel, shape="sphere").fit(cloud)
    broken = True
    with pytest.raises(ValueError, match="one value per pair"):
        model.predict(cloud)

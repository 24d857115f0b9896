"""Rows whose features are too large: refused where that can be seen beforehand, else passed over."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import ApproximateSVC, ApproximateSVR, DataError

CLASSIFIERS = ["hinge", "squared_hinge", "log_loss"]


@pytest.fixture
def problem():
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 3))
    return X, (X[:, 0] + 0.3 * random.normal(size=600) > 0).astype(int)


@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_kernel_values_that_overflow_are_refused(problem, dtype, method, container):
    X, y = problem[0].astype(dtype), problem[1]
    far = X.copy()
    far[300] = 1e14 if dtype == np.float32 else 1e110
    for kind in (ApproximateSVC, ApproximateSVR):
        model = kind(kernel="poly", gamma=1.0, n_components=20, random_state=0).fit(container(X), y)
        before = model.predict(X)
        with pytest.raises(DataError, match=r"^Kernel values must be at most .*; scale the features\.$"):
            getattr(model, method)(container(far), y)
        np.testing.assert_array_equal(model.predict(X), before)


def far_kernel(value, calls):
    """Return a kernel one of whose values, for one row that is no landmark, is given."""

    def kernel(A, B):
        K = A @ B.T + 1.0
        far = A[:, 0] > 50
        calls.append(far.any())
        K[far, 0] = value
        return K

    return kernel


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("steps", ["adaptive", "asset"])
@pytest.mark.parametrize("loss", CLASSIFIERS)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_one_value_of_a_kernel_function(problem, verb, loss, steps, dtype):
    X, y = problem[0].astype(dtype), problem[1]
    X[300, 0] = 60.0
    calls, value = [], 1e38 if dtype == np.float32 else 1e300
    model = ApproximateSVC(
        kernel=far_kernel(value, calls), n_components=10, epochs=2, loss=loss, steps=steps, random_state=0
    )
    getattr(model, verb)(X, y)
    assert 300 not in model.support_
    assert any(calls)
    assert np.isfinite(model.component_coef_).all()
    if steps == "adaptive":
        assert model.score(X, y) > 0.75


@pytest.mark.parametrize("loss", CLASSIFIERS)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize(("dtype", "size"), [(np.float32, 1e4), (np.float64, 1e6), (np.float64, 1e20)])
def test_weights_of_the_paper_stay_within_their_bound(problem, verb, loss, dtype, size):
    X, y = problem[0].astype(dtype), problem[1]
    X[300] = size
    model = ApproximateSVC(
        kernel="poly", gamma=1.0, n_components=10, epochs=2, loss=loss, steps="asset", n_total=600, random_state=0
    )
    getattr(model, verb)(X, y)
    assert np.linalg.norm(model.component_coef_) <= np.sqrt(600) * (1 + 1e-3)


def test_values_that_overflow_are_refused(problem):
    X, _ = problem
    with pytest.raises(DataError, match="y must hold values"):
        ApproximateSVR().fit(X, np.full(600, 1e150))

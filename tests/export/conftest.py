"""Models that several tests of exports share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from hinge import OnlineSVC

KERNELS = ("linear", "poly", "rbf", "sigmoid")


class Problem:
    """Examples of some classes that overlap, half of their entries zero, and models of them."""

    def __init__(self, n_classes, dtype=np.float64, *, sparse=False, offset=0.0):
        X, self.y = make_blobs(160, 6, centers=n_classes, cluster_std=4.0, random_state=1)
        X = np.where(X > 0, X / 4, 0.0) + offset
        self.dense = X.astype(dtype)
        self.X = csr_matrix(self.dense) if sparse else self.dense

    def model(self, kernel="rbf", labels=None, **parameters):
        y = self.y if labels is None else np.asarray(labels)[self.y]
        settings = {"gamma": 0.2, "coef0": 0.5, "degree": 2, "random_state": 0} | parameters
        return OnlineSVC(kernel=kernel, **settings).fit(self.X, y)


@pytest.fixture(autouse=True)
def one_thread():
    """Use one thread: LIBSVM's threads spin while they wait, which takes seconds on busy machines."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def problem():
    return Problem


def clear(decisions, limit=1e-6):
    """Rows whose class does not depend on rounding."""
    if decisions.ndim == 1:
        return np.abs(decisions) > limit
    ordered = np.sort(decisions, axis=1)
    return ordered[:, -1] - ordered[:, -2] > limit


@pytest.fixture
def same_classes():
    """A check that two sets of labels agree wherever the decision is not a tie."""

    def check(found, model, X, limit=1e-6):
        rows = clear(model.decision_function(X), limit)
        assert rows.mean() > 0.9
        np.testing.assert_array_equal(np.asarray(found)[rows], model.predict(X)[rows])

    return check

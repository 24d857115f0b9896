"""What several tests of approximate models share."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.metrics.pairwise import pairwise_kernels

KERNELS = {
    "linear": {},
    "rbf": {"gamma": 0.3},
    "poly": {"gamma": 0.5, "coef0": 1.0, "degree": 2},
    "sigmoid": {"gamma": 0.05, "coef0": 0.1},
    "laplacian": {"gamma": 0.2},
}


def values(kernel, A, B):
    """Return kernel values as scikit-learn computes them."""
    A, B = (rows.toarray() if issparse(rows) else rows for rows in (A, B))
    return pairwise_kernels(np.asarray(A, float), np.asarray(B, float), metric=kernel, **KERNELS[kernel])


def scaled_features(model, X):
    """Return the features that the machines of a model see, whose weights have different penalties."""
    state = model._state
    native = state.features.native(state.kernel, state.storage)
    X = csr_matrix(X) if state.storage.sparse else np.ascontiguousarray(X)
    ((_, batch),) = state.storage.batches(X.astype(state.storage.dtype))
    return native.features(batch).astype(float)


def features(model, X):
    """Return features whose inner products are nearly kernel values."""
    return scaled_features(model, X) / np.sqrt(model._state.features.arrays["penalty"])


def snapshot(model):
    """Return all that a model knows, as plain values that can be compared."""
    arrays, numbers = model._state.to_arrays()
    return {name: np.array(array) for name, array in arrays.items()}, numbers


def assert_identical(model, other):
    """Compare two models bit by bit."""
    (arrays, numbers), (others, other_numbers) = snapshot(model), snapshot(other)
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name], err_msg=name)
    assert numbers | {"options": None} == other_numbers | {"options": None}


def losses(name, answers, targets, epsilon=0.0):
    """Return the loss of each answer; of classifiers the targets are -1 and 1."""
    if name == "log_loss":
        return np.logaddexp(0.0, -targets * answers)
    regression = name.endswith("insensitive")
    past = np.maximum(np.abs(targets - answers) - epsilon if regression else 1.0 - targets * answers, 0.0)
    return past**2 if name.startswith("squared") else past


def objective(name, C, examples, machine, *, epsilon=0.0, costs=1.0):
    """Return what support vector machines minimise."""
    (rows, targets), (weights, constant) = examples, machine
    return 0.5 * weights @ weights + C * np.sum(costs * losses(name, rows @ weights + constant, targets, epsilon))

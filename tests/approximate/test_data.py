"""Approximate models on real data sets, which the folder named by HINGE_DATA holds as svmlight files."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from hinge import ApproximateSVC

pytestmark = pytest.mark.slow


def read(data_folder, name, n_features):
    return load_svmlight_file(str(data_folder / f"{name}.bz2"), n_features=n_features, dtype=np.float32)


def errors(data_folder, name, n_features, n_components, prepare, **parameters):
    X, y = prepare(*read(data_folder, name, n_features))
    test, labels = prepare(*read(data_folder, f"{name}.t", n_features))
    found = []
    for seed in range(3):
        model = ApproximateSVC(n_components=n_components, random_state=seed, **parameters).fit(X, y)
        found.append(100.0 * (1.0 - model.score(test, labels)))
    return np.mean(found)


def low_and_high(X, y):
    return X.toarray() / np.float32(255), y > 4


def test_a9a(data_folder):
    error = errors(data_folder, "a9a", 123, 512, lambda X, y: (X.toarray(), y), C=1000.0, gamma=0.001)
    assert abs(error - 15.1) < 0.3


def test_mnist(data_folder):
    # The paper takes pixels as they are in its files; here they are divided by 255.
    error = errors(data_folder, "mnist", 784, 512, low_and_high, C=100.0, gamma=0.01)
    assert error < 4.0 + 0.3


def test_rcv1_is_sparse(data_folder):
    (X, y), (test, labels) = (read(data_folder, name, 47236) for name in ("rcv1-ccat", "rcv1-ccat.t"))
    model = ApproximateSVC(C=10.0, gamma=1.0, n_components=512, epochs=3, random_state=0).fit(X, y)
    assert model.support_vectors_.format == "csr"
    assert model.score(test, labels) > 0.88
    stream = ApproximateSVC(kernel="linear", n_components=512, random_state=0)
    for start in range(0, len(y), 1000):
        stream.partial_fit(X[start : start + 1000], y[start : start + 1000])
    assert stream.score(test, labels) > 0.88

"""The insides of models that learn, forget, are copied and asked; and models that are broken on purpose."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import hinge

from .invariants import check

MAKERS = {
    "online": lambda: hinge.OnlineSVC(gamma=0.5, cache_size=0.01),
    "robust": lambda: hinge.RobustOnlineSVC(gamma=0.5),
    "tracking": lambda: hinge.TrackingSVC(gamma=0.5),
    "perceptron": lambda: hinge.KernelPerceptron(gamma=0.5, max_support=7),
    "incremental": lambda: hinge.IncrementalSVC(gamma=0.5),
    "one-class": lambda: hinge.IncrementalOneClassSVM(gamma=0.5),
    "approximate": lambda: hinge.ApproximateSVC(n_components=10, random_state=0),
    "regression": lambda: hinge.ApproximateSVR(n_components=10, random_state=0),
}


def rows(seed, n=60, features=4, density=0.6):
    """Return rows with many zeros, some all zero, and labels of classes that come one after the other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features)) * (rng.random((n, features)) < density)
    return X, np.minimum(rng.integers(0, 4, n), np.arange(n) // 8)


def learn(model, X, y):
    one_class = isinstance(model, hinge.IncrementalOneClassSVM)
    model.partial_fit(X) if one_class else model.partial_fit(X, y)
    check(model)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("container", [np.asarray, csr_matrix])
@pytest.mark.parametrize("name", MAKERS)
def test_what_must_hold_holds(name, container, dtype):
    X, y = rows(0)
    X = container(X.astype(dtype))
    model = MAKERS[name]()
    check(model)
    for start in range(0, 60, 20):
        learn(model, X[start : start + 20], y[start : start + 20])
        model.predict(X)
        check(model)
        model = pickle.loads(pickle.dumps(model))
        check(model)
    if hasattr(model, "forget"):
        model.forget([0, 5, 30])
        check(model)


@pytest.mark.parametrize("make", [hinge.IncrementalSVC, hinge.IncrementalOneClassSVM])
@pytest.mark.parametrize("seed", [3, 4, 5, 9, 13, 26])
def test_rows_of_zeros_are_told_to_be_equal(make, seed):
    """With the linear kernel they have no length at all: rounding must not make two members of the margin of them."""
    X, y = rows(seed, n=40, features=3, density=0.25)
    model = make(kernel="linear")
    for start in range(0, 40, 5):
        learn(model, X[start : start + 5], y[start : start + 5] % 2)
    model.forget(list(range(0, 40, 3)))
    check(model)


@pytest.mark.parametrize(("name", "key", "sentence"), [
    ("online", "gradient", "a gradient is not the label less the sum"),
    ("online", "alpha", "outside its box|do not sum to zero"),
    ("robust", "gradient", "a gradient is not the label less the sum"),
])  # fmt: skip
def test_broken_models_are_found_out(name, key, sentence):
    X, y = rows(1)
    model = MAKERS[name]().fit(X, y)
    arrays, values, function = model._state.__getstate__()
    model._state = type(model._state).from_arrays(arrays | {key: arrays[key] + 0.3}, values, function)
    with pytest.raises(RuntimeError, match=sentence):
        check(model)

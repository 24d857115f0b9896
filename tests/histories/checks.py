"""What holds for every model after every step."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.metrics.pairwise import pairwise_kernels

import hinge

ROUNDING = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-4}  # of sums, in units of the sum of sizes

SHOWN = (
    "support_",
    "n_support_",
    "dual_coef_",
    "intercept_",
    "coef_",
    "n_components_",
    "n_margin_",
    "n_bounded_",
    "n_admitted_",
    "n_cleaned_",
    "n_iter_",
    "n_kernel_evals_",
    "n_seen_",
    "ids_",
    "classes_",
)


def check_alike(model, other):
    """Two models show the same to the last bit."""
    for name in SHOWN:
        assert hasattr(model, name) == hasattr(other, name), name
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(model, name), getattr(other, name), err_msg=name)


def check_answers(machine):
    """Answers are finite numbers of the right shape, and labels are those that the numbers speak for."""
    model, policy, X = machine.model, machine.policy, machine.queries
    assert model.n_seen_ == machine.expected.n_seen
    if not machine.holds_something:
        with pytest.raises(hinge.DataError, match="must hold examples"):
            model.predict(X)
        return
    answers = machine.answers(model)
    assert np.isfinite(answers).all(), answers
    if policy.is_classifier:
        check_classes(machine, answers)
    elif policy.has_values:
        assert answers.shape == (len(X),)
    else:
        assert model.predict(X).tolist() == np.where(answers >= 0, 1, -1).tolist()
        if not machine.problem.wild:
            np.testing.assert_allclose(model.score_samples(X) - model.offset_, answers, rtol=1e-9, atol=1e-9)


def check_classes(machine, answers):
    model, expected = machine.model, machine.expected.classes(machine)
    classes = model.classes_.tolist()
    assert classes == sorted(classes)
    assert set(classes) == expected or (machine.expected.is_window and set(classes) > expected)
    said = model.predict(machine.queries)
    if len(classes) > 2:
        assert answers.shape == (len(said), len(classes))
        assert said.tolist() == model.classes_[answers.argmax(axis=1)].tolist()
    else:
        assert answers.shape == said.shape
        places = ((answers > 0) & (len(classes) == 2)).astype(int)
        assert said.tolist() == model.classes_[places].tolist()
    assert model.score(machine.queries, said) == 1.0
    if hasattr(model, "predict_proba"):
        chances = model.predict_proba(machine.queries)
        assert chances.shape == (len(said), len(classes))
        assert (chances >= 0).all()
        np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)


def check_expansion(machine):
    """The support vectors are rows of the stream, and their sum is the answer."""
    model, expected, problem = machine.known, machine.expected, machine.problem
    if getattr(model, "approximation", None) == "fourier":
        return
    places, coefficients = model.support_, model.dual_coef_
    assert len(set(places.tolist())) == len(places)
    # The first map of a stream may be that of a row of weight 0.
    assert all(expected.used[place] or (place == 0 and hasattr(model, "approximation")) for place in places)
    assert model._state.support().counts.sum() == len(places)
    check_bounds(machine, coefficients)
    if problem.precomputed:
        check_sum(machine, machine.queries[:, places])
        return
    vectors, dtype = dense(model.support_vectors_), model._state.storage.dtype
    given = np.array([expected.rows[place] for place in places]).reshape(vectors.shape)
    slack = np.finfo(dtype).eps * np.abs(given).max(initial=0.0)  # a shift is subtracted and added again
    np.testing.assert_allclose(vectors, given.astype(dtype), rtol=0, atol=4 * slack)
    if not problem.wild:
        queries = machine.policy.seen(machine.queries, machine.model)
        check_sum(machine, kernel_values(model, queries, vectors) if len(vectors) else np.zeros((len(queries), 0)))


def check_bounds(machine, coefficients):
    """No coefficient is larger than its cost, and no machine holds more than it may."""
    model = machine.known
    if isinstance(model, (hinge.OnlineSVC, hinge.RobustOnlineSVC, hinge.TrackingSVC, hinge.IncrementalSVC)):
        assert (np.abs(coefficients) <= machine.expected.largest * (1 + 1e-9)).all()
    assert (np.count_nonzero(coefficients, axis=1) <= machine.expected.most).all()


def check_sum(machine, K):
    model = machine.known
    if getattr(model, "shape", None) == "sphere" or not machine.holds_something:
        return
    coefficients, constants = model.dual_coef_, model.intercept_
    shown = K @ coefficients.T + constants
    answers = machine.answers(machine.model).reshape(len(K), -1)
    sizes = np.abs(K) @ np.abs(coefficients.T) + np.abs(constants) + 1.0
    assert (np.abs(shown - answers) <= ROUNDING[model._state.storage.dtype] * sizes).all()


def kernel_values(model, A, B):
    """Return kernel values as scikit-learn computes them."""
    kernel = model._state.kernel
    if kernel.function is not None:
        return kernel.function(A, B)
    names = {"rbf": ("gamma",), "laplacian": ("gamma",), "poly": ("gamma", "coef0", "degree"), "linear": ()}[
        kernel.name
    ]
    return pairwise_kernels(A, B, metric=kernel.name, **{name: getattr(kernel, name) for name in names})


def dense(X):
    return X.toarray() if issparse(X) else X

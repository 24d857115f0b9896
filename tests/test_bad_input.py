"""Whatever is wrong with the input: one clear sentence, and a model that had learned something is what it was."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

from hinge import OnlineSVC


def with_entry(X, value):
    X = X.copy()
    X[3, 1] = value
    return X


EXAMPLES = {
    "NaN": (lambda X: with_entry(X, np.nan), "contains NaN"),
    "infinity": (lambda X: with_entry(X, np.inf), "contains infinity"),
    "sparse NaN": (lambda X: csr_matrix(with_entry(X, np.nan)), "contains NaN"),
    "empty": (lambda X: X[:0], "0 sample"),
    "no features": (lambda X: X[:, :0], "0 feature"),
    "one-dimensional": (lambda X: X[:, 0], "Expected 2D array"),
    "three-dimensional": (lambda X: X[:, :, None], "dim 3"),
    "too large to square": (lambda X: with_entry(X, 1e200), "X must hold values of at most .*, got 1e"),
    "sparse, too large to square": (lambda X: csr_matrix(with_entry(X, -1e200)), "X must hold values of at most"),
    "complex": (lambda X: X + 1j, "Complex data not supported"),
    "text": (lambda X: X.astype(str).astype(object) + "x", "could not convert string to float"),
    "objects": (lambda X: np.array([[{}, {}]] * len(X)), "must be a string or a"),
    "masked": (lambda X: np.ma.masked_greater(X, 0), r"X must not be masked, got \d+ masked entries; fill them"),
}
LABELS = {
    "too few": (lambda y: y[:-1], "inconsistent numbers of samples"),
    "continuous": (lambda y: y + 0.5, "Unknown label type: continuous"),
    "NaN": (lambda y: np.where(y == 0, np.nan, 1.0), "contains NaN"),
    "two columns": (lambda y: np.stack([y, y], axis=1), "y should be a 1d array"),
    "none": (lambda y: None, "requires y to be passed"),
    "mixed": (lambda y: np.array([1, "a"] * (len(y) // 2), dtype=object), "all text or all numbers"),
    "mixed list": (lambda y: [1, "a"] * (len(y) // 2), "all text or all numbers, got a mixture of int, str"),
    "nothing and text": (lambda y: [None, "a"] * (len(y) // 2), "all text or all numbers, got a mixture of NoneType"),
    "complex": (lambda y: y + 0j, "Complex data not supported"),
    "not a time": (lambda y: np.array(["NaT"] * len(y), dtype="M8[D]"), "y must hold known dates or times, got NaT"),
    "masked": (lambda y: np.ma.masked_equal(y, 1), "Labels must not be masked, got 60 masked entries"),
    "too long for one type": (lambda y: [2**53 + 1, 7.0] * (len(y) // 2), "9007199254740993, which float64 cannot"),
    "of different lengths": (lambda y: [[1], [2, 3]] * (len(y) // 2), "one value, got lists of different lengths"),
    "bytes and text": (lambda y: ["a", b"a"] * (len(y) // 2), "got a mixture of bytes, str"),
    "dictionaries": (lambda y: np.array([{}] * len(y), dtype=object), "Unknown label type"),
}
WEIGHTS = {
    "negative": (lambda n: -np.ones(n), "must not be negative, got -1"),
    "NaN": (lambda n: np.full(n, np.nan), "must be finite"),
    "too few": (lambda n: np.ones(n - 1), r"shape \(120,\), got shape \(119,\)"),
    "two columns": (lambda n: np.ones((n, 2)), "one value per row"),
    "text": (lambda n: ["heavy"] * n, "must hold numbers"),
    "masked": (lambda n: np.ma.masked_equal(np.arange(n), 3), "sample_weight must not be masked, got 1 masked"),
}


@pytest.fixture
def learned(two):
    """A model that knows something, and what it says."""
    X, y = two
    model = OnlineSVC(gamma=1.0).partial_fit(X, y)
    return model, X, y, model.decision_function(X)


def expect_unchanged(learned, verb, complaint, *arguments, **keywords):
    model, X, _, decisions = learned
    fresh = OnlineSVC(**model.get_params())
    with pytest.raises((ValueError, TypeError), match=complaint):
        getattr(fresh, verb)(*arguments, **keywords)
    assert not hasattr(fresh, "classes_")
    known = set(vars(model))
    with pytest.raises((ValueError, TypeError), match=complaint):
        getattr(model, verb)(*arguments, **keywords)
    assert set(vars(model)) == known
    assert model.n_features_in_ == 2
    assert model.n_seen_ == 120
    np.testing.assert_array_equal(model.decision_function(X), decisions)


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(learned, verb, name):
    spoil, complaint = EXAMPLES[name]
    expect_unchanged(learned, verb, complaint, spoil(learned[1]), learned[2])


@pytest.mark.parametrize("name", EXAMPLES)
def test_queries(learned, name):
    spoil, complaint = EXAMPLES[name]
    with pytest.raises((ValueError, TypeError), match=complaint):
        learned[0].predict(spoil(learned[1]))


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("name", LABELS)
def test_labels(learned, verb, name):
    spoil, complaint = LABELS[name]
    expect_unchanged(learned, verb, complaint, learned[1], spoil(learned[2]))


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("name", WEIGHTS)
def test_weights(learned, verb, name):
    spoil, complaint = WEIGHTS[name]
    expect_unchanged(learned, verb, complaint, learned[1], learned[2], sample_weight=spoil(120))


def test_another_number_of_features(learned):
    model, X, y, decisions = learned
    for verb in (lambda: model.partial_fit(X[:, :1], y), lambda: model.predict(np.hstack([X, X]))):
        with pytest.raises(ValueError, match="is expecting 2 features as input"):
            verb()
    np.testing.assert_array_equal(model.decision_function(X), decisions)


def test_one_class_in_fit(learned):
    expect_unchanged_after_fit(learned, np.zeros(120), None)


def test_one_class_left_by_the_weights(learned):
    expect_unchanged_after_fit(learned, learned[2], (learned[2] == 1).astype(float))


def expect_unchanged_after_fit(learned, y, weights):
    model, X, _, decisions = learned
    with pytest.raises(ValueError, match="at least two classes, got only one class"):
        model.fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(model.decision_function(X), decisions)


def test_no_weight_at_all(two):
    with pytest.raises(ValueError, match="weight above zero"):
        OnlineSVC().fit(*two, sample_weight=np.zeros(120))


def test_labels_of_another_type(learned):
    model, X, y, decisions = learned
    with pytest.raises(ValueError, match="of the type of the known ones"):
        model.partial_fit(X, y.astype(str))
    assert model.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(model.decision_function(X), decisions)


def test_sparse_precomputed(two):
    X, y = two
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        OnlineSVC(kernel="precomputed").fit(csr_matrix(rbf_kernel(X)), y)


def test_precomputed_stream_longer_than_its_columns(two):
    X, y = two
    K = rbf_kernel(X)
    model = OnlineSVC(kernel="precomputed").partial_fit(K[:100], y[:100])
    decisions = model.decision_function(K)
    with pytest.raises(ValueError, match="got 120 columns for 130 examples"):
        model.partial_fit(K[:30], y[:30])
    assert model.n_seen_ == 100
    np.testing.assert_array_equal(model.decision_function(K), decisions)
    model.partial_fit(K[100:], y[100:])


class Moody:
    """A kernel that fails when told to."""

    def __init__(self):
        self.fails = None
        self.calls = 0

    def __call__(self, A, B):
        values = A @ B.T
        self.calls += self.fails is not None
        if self.fails == "raises" and self.calls > 2:
            raise RuntimeError("out of order")
        return values * np.nan if self.fails == "nan" else values


@pytest.mark.parametrize("failure", ["raises", "nan"])
def test_kernel_function_that_fails_half_way(two, failure):
    X, y = two
    moody = Moody()
    model = OnlineSVC(kernel=moody).partial_fit(X[:60], y[:60])
    support, decisions = model.support_, model.decision_function(X)
    moody.fails = failure
    for verb in (model.finish, lambda: model.partial_fit(X[60:], y[60:] + 2), lambda: model.fit(X[60:], y[60:] + 2)):
        with pytest.raises((RuntimeError, ValueError), match=r"out of order|NaN"):
            verb()
    moody.fails = None
    assert model.n_seen_ == 60
    assert model.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(model.support_, support)
    np.testing.assert_array_equal(model.decision_function(X), decisions)
    model.partial_fit(X[60:], y[60:])


@pytest.mark.parametrize(
    "name",
    ["classes_", "support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_", "n_iter_", "n_seen_"],
)
def test_attributes_before_learning(name):
    assert not hasattr(OnlineSVC(), name)


@pytest.mark.parametrize("verb", ["duality_gap", "dual_objective", "kkt_violation", "finish"])
def test_verbs_before_learning(verb):
    with pytest.raises(ValueError, match="not fitted yet"):
        getattr(OnlineSVC(), verb)()


def test_measures_of_unknown_labels(learned):
    model, X, y, _ = learned
    with pytest.raises(ValueError, match=r"must be one of \[0, 1\]"):
        model.duality_gap(X, y + 1)


@pytest.mark.parametrize("row", [1e19, -1e19, np.nan, -np.inf])
def test_ready_rows_of_a_float32_model(two, row):
    X, y = two[0].astype(np.float32), two[1]
    model = OnlineSVC(gamma=1.0).partial_fit(X, y)
    decisions = model.decision_function(X)
    for verb in (lambda: model.partial_fit(with_entry(X, row), y), lambda: model.predict(with_entry(X, row))):
        with pytest.raises(ValueError, match=r"X must hold values of at most|contains"):
            verb()
    assert model.n_seen_ == 120
    np.testing.assert_array_equal(model.decision_function(X), decisions)


@pytest.mark.parametrize("gamma", [1e39, 1e-60])
def test_gamma_beyond_the_precision(two, gamma):
    X, y = two
    model = OnlineSVC(gamma=gamma)
    with pytest.raises(ValueError, match=r"gamma must be a number that the precision of X, float32, can hold"):
        model.fit(X.astype(np.float32), y)
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("size", [1e-160, 2e153])
def test_gamma_of_examples_beyond_the_precision(two, size):
    X, y = np.tile(two[0], (40, 1)), np.tile(two[1], 40)
    model = OnlineSVC()
    with pytest.raises(ValueError, match="gamma='scale' must be a number that float64 can hold"):
        model.fit(X / np.abs(X).max() * size, y)
    assert not hasattr(model, "n_features_in_")

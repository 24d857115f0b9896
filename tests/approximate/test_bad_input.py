"""Everything that must be refused: with one clear sentence, and the model as it was."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import ApproximateSVC, ApproximateSVR
from hinge.exceptions import DataError, HingeError, ParameterError

from .common import assert_identical

WRONG = {
    "C": [0, -1.0, np.nan, np.inf, "1", None, True, 10**400, 1e-310, 1e-101, 1e101, 1e300],
    "kernel": ["RBF", None, 3, b"rbf"],
    "degree": [-1, 2.5, None, 10**6],
    "gamma": [0, -1, "wide", None, np.inf],
    "coef0": [np.nan, "0", None],
    "approximation": ["nystrom", None, 1],
    "n_components": [0, -3, 10.0, "512", None, True, 2**40],
    "eigen_threshold": [-1e-9, 1.0, 2, np.nan, "0", True],
    "loss": ["log", None, 0],
    "fit_intercept": [2, "yes", None],
    "steps": ["sgd", None],
    "epochs": [0, -1, 1.5, None, True],
    "average_last": [0, -1, 0.0, -0.5, 1.5, np.nan, None, "half", True, 1e-310, 1e-7],
    "early_stopping": [2, "no", None],
    "validation_fraction": [0, 1, 1.5, -0.1, None, np.nan],
    "n_iter_no_change": [0, 1.5, None],
    "tol": [np.nan, None, np.inf],
    "cache_size": [0, -1, None, np.nan],
    "verbose": [2, None],
    "random_state": [-1, 1.5, "seed", 2**32],
    "n_jobs": [0, -2, 1.5],
}
ONLY = {"class_weight": (ApproximateSVC, ["even", {0: -1}, {0: np.nan}, 3]), "epsilon": (ApproximateSVR, [-0.1, None])}
CASES = [(kind, name, value) for kind in (ApproximateSVC, ApproximateSVR) for name in WRONG for value in WRONG[name]]
CASES += [(kind, name, value) for name, (kind, values) in ONLY.items() for value in values]


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    return X, (X[:, 0] > 0).astype(int)


def make(kind=ApproximateSVC, **parameters):
    return kind(**{"n_components": 8, "gamma": 0.5, "random_state": 0, "epochs": 2} | parameters)


def refuses(model, action, kind, match=r".+"):
    """Check that something is refused with one sentence, and leaves a fitted model as it was."""
    held = model._state.copy() if hasattr(model, "_state") else None
    with pytest.raises(kind, match=match) as raised:
        action()
    message = str(raised.value)
    assert message.endswith(".")
    assert "\n" not in message
    if held is None:
        assert not hasattr(model, "_state")
        assert not hasattr(model, "n_features_in_")
        return message
    kept = make(type(model))
    kept._state = held
    assert_identical(model, kept)
    return message


@pytest.mark.parametrize(("kind", "name", "value"), CASES)
def test_parameters(data, kind, name, value):
    X, y = data
    for verb in ("fit", "partial_fit"):
        fresh = make(kind, **{name: value})
        message = refuses(fresh, lambda fresh=fresh, verb=verb: getattr(fresh, verb)(X, y), ParameterError, name)
        assert message.startswith(f"{name} must ")
    model = make(kind).fit(X, y)
    model.set_params(**{name: value})
    refuses(model, lambda: model.partial_fit(X, y), ParameterError, name)
    refuses(model, lambda: model.fit(X, y), ParameterError, name)


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid", "precomputed", lambda A, B: A @ B.T])
def test_fourier_features_of_other_kernels(data, kernel):
    X, y = data
    model = make(kernel=kernel, approximation="fourier")
    refuses(model, lambda: model.fit(X, y), ParameterError, "approximation='nystroem' takes any kernel")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("approximation", "fourier"),
        ("n_components", 9),
        ("eigen_threshold", 0.1),
        ("loss", "log_loss"),
        ("fit_intercept", False),
        ("steps", "asset"),
        ("kernel", "linear"),
        ("gamma", 0.7),
    ],
)
def test_parameters_that_must_not_change(data, name, value):
    X, y = data
    model = make().partial_fit(X, y)
    model.set_params(**{name: value})
    refuses(model, lambda: model.partial_fit(X, y), ParameterError, name)
    model.fit(X, y)  # from nothing, with other parameters, is no trouble
    assert model.n_seen_ == 60


def test_parameters_that_may_change(data):
    X, y = data
    model = make().partial_fit(X, y)
    model.set_params(C=5.0, average_last=10, n_jobs=1, cache_size=1, epochs=7, class_weight={0: 2.0})
    assert model.partial_fit(X, y).n_seen_ == 120


def test_balanced_class_weights_need_all_examples(data):
    X, y = data
    model = make(class_weight="balanced").fit(X, y)
    refuses(model, lambda: model.partial_fit(X, y), ParameterError, "class_weight")
    refuses(model, lambda: model.set_params(epochs=1).fit(iter([(X, y)])), ParameterError, "class_weight")


def test_one_class(data):
    X, y = data
    model = make()
    refuses(model, lambda: model.fit(X, np.zeros(60)), DataError, "two classes")
    refuses(model, lambda: model.fit(X, y, 1.0 * (y == 0)), DataError, "two classes")
    model.fit(X, y)
    refuses(model, lambda: model.fit(X, np.zeros(60)), DataError, "two classes")


@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("fitted", [False, True])
def test_examples(data, kind, verb, fitted):
    X, y = data
    bad = X.copy()
    bad[3, 1] = np.nan
    model = make(kind)
    if fitted:
        model.partial_fit(X, y)
    learn = getattr(model, verb)
    for rows, labels in (
        (bad, y),
        (np.where(np.isnan(bad), np.inf, bad), y),
        (X, y[:-1]),
        (X[0], y[:1]),
        (X[:0], y[:0]),
        (X, None),
        (X.astype(complex), y),
        (X[:, :, None], y),
        (csr_matrix(bad), y),
        (X * 1e200, y),
    ):
        held = model._state.copy() if fitted else None
        with pytest.raises(ValueError, match=r".+"):
            learn(rows, labels)
        assert (model._state.n_seen == held.n_seen) if fitted else not hasattr(model, "_state")
    if fitted:
        with pytest.raises(ValueError, match="features"):
            model.partial_fit(X[:, :2], y)
        assert model.n_seen_ == 60


@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
@pytest.mark.parametrize(
    ("weights", "match"),
    [
        (np.zeros(60), "weight above zero"),
        (np.full(60, -1.0), "negative"),
        (np.full(60, np.nan), "finite"),
        (np.ones(59), "one value per row"),
        (np.ones((60, 1)), "one value per row"),
        (["heavy"] * 60, "numbers"),
    ],
)
def test_weights(data, kind, weights, match):
    X, y = data
    for verb in ("fit", "partial_fit") if np.any(weights) else ("fit",):  # a stream may begin with rows of weight 0
        fresh = make(kind)
        learn = getattr(fresh, verb)
        refuses(fresh, lambda learn=learn: learn(X, y, sample_weight=weights), DataError, match)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_of_a_regression(data, bad):
    X, y = data
    y = y.astype(float)
    model = make(ApproximateSVR).fit(X, y)
    held = model.predict(X)
    y[5] = bad
    for verb in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            getattr(model, verb)(X, y)
        with pytest.raises(ValueError, match=r".+"):
            getattr(model, verb)(X, ["a"] * 60)
    np.testing.assert_array_equal(model.predict(X), held)


@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
@pytest.mark.parametrize("fitted", [False, True])
def test_chunks(data, kind, fitted):
    X, y = data
    model = make(kind, epochs=1)
    if fitted:
        model.fit(X, y)
    refuses(model, lambda: model.fit(iter([])), DataError, "There must be .* got none")
    refuses(model, lambda: model.fit(lambda: iter([])), DataError, "There must be .* got none")
    for chunk in (X, (X,), (X, y, y, y), None, "XY", {"X": X, "y": y}):
        refuses(model, lambda chunk=chunk: model.fit(iter([(X, y), chunk])), DataError, "pair")
    with pytest.raises(ValueError, match="features"):
        model.fit(iter([(X, y), (X[:, :2], y)]))
    refuses(model, lambda: model.set_params(epochs=2).fit(iter([(X, y)])), ParameterError, "epochs must be 1")
    model.set_params(early_stopping=True)
    refuses(model, lambda: model.fit(lambda: iter([(X, y)])), ParameterError, "early_stopping")
    assert hasattr(model, "_state") == fitted


def test_chunks_of_one_class(data):
    X, y = data
    model = make(epochs=1)
    refuses(model, lambda: model.fit(iter([(X, np.zeros(60, dtype=int))] * 2)), DataError, r"two classes, got only 0;")
    model.fit(X, y)
    refuses(model, lambda: model.fit(iter([(X, np.zeros(60))])), DataError, "two classes")


def test_a_source_that_fails(data):
    X, y = data
    model = make(epochs=1).fit(X, y)
    held = model._state.copy()

    def source():
        yield X[:20], y[:20]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        model.fit(source())
    kept = make()
    kept._state = held
    assert_identical(model, kept)


def test_no_labels(data):
    X, _ = data
    for kind in (ApproximateSVC, ApproximateSVR):
        fresh = make(kind)
        with pytest.raises(ValueError, match="requires y"):
            fresh.fit(X)
        with pytest.raises(ValueError, match="requires y"):
            fresh.partial_fit(X, None)


def test_too_few_rows_to_hold_some_out(data):
    X, _ = data
    model = make(early_stopping=True, validation_fraction=0.9)
    refuses(model, lambda: model.fit(X[:2], [0, 1]), DataError, "early_stopping")


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_a_kernel_function_that_fails(data, verb):
    X, y = data
    calls = []

    def kernel(A, B):
        calls.append(len(A))
        if len(calls) > allowed:
            raise RuntimeError("no more kernel values today")
        return A @ B.T

    allowed = 10**9
    model = make(kernel=kernel).partial_fit(X[:20], y[:20])
    expected = model.decision_function(X)
    before = len(calls)
    getattr(model, verb)(X, y)
    total = len(calls) - before
    model = make(kernel=kernel).partial_fit(X[:20], y[:20])
    for share in range(total):
        allowed, held = 10**9, model.n_seen_
        calls.clear()
        allowed = share
        with pytest.raises(RuntimeError, match="no more kernel values today"):
            getattr(model, verb)(X, y)
        allowed = 10**9
        assert model.n_seen_ == held == 20
        np.testing.assert_array_equal(model.decision_function(X), expected)
    assert getattr(model, verb)(X, y).n_seen_ == (80 if verb == "partial_fit" else 60)


@pytest.mark.parametrize("answer", [np.ones(3), np.full((60, 60), np.nan), "text", None])
def test_a_kernel_function_that_returns_nonsense(data, answer):
    X, y = data
    model = make(kernel=lambda A, B: answer)
    refuses(model, lambda: model.fit(X, y), HingeError)
    refuses(model, lambda: model.partial_fit(X, y), HingeError)


def test_precomputed_kernels(data):
    X, y = data
    K = X @ X.T
    model = make(kernel="precomputed")
    refuses(model, lambda: model.fit(K[:, :50], y), DataError, "square")
    model.fit(K, y)
    refuses(model, lambda: model.partial_fit(K, y), DataError, "column for every example")
    with pytest.raises((TypeError, ValueError), match="dense"):
        model.fit(csr_matrix(K), y)


def test_not_fitted(data):
    X, _ = data
    model = make(loss="log_loss")
    for verb in ("predict", "decision_function", "predict_proba"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(model, verb)(X)
    for name in ("component_coef_", "intercept_", "classes_", "n_components_", "support_", "n_iter_", "n_seen_"):
        assert not hasattr(model, name)


def test_probabilities_are_those_of_log_loss(data):
    X, y = data
    assert not hasattr(make().fit(X, y), "predict_proba")
    assert hasattr(make(loss="log_loss").fit(X, y), "predict_proba")
    assert not hasattr(make(loss=3), "predict_proba")


def test_probabilities_of_another_loss(data):
    X, y = data
    model = make().fit(X, y).set_params(loss="log_loss")
    refuses(model, lambda: model.predict_proba(X), ParameterError, "^loss must stay what it was")
    model.set_params(loss="hinge")
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("kind", [ApproximateSVC, ApproximateSVR])
@pytest.mark.parametrize("bad", [3, 99, 10**8, -1, -5])
def test_columns_that_are_not_there(data, kind, bad):
    X, y = data
    broken = csr_matrix(X)
    broken.indices[0 if bad < 0 else 2] = bad  # still in order
    fresh, model = make(kind), make(kind).fit(csr_matrix(X), y)
    for verb in ("fit", "partial_fit"):
        for each in (fresh, model):
            learn = getattr(each, verb)
            refuses(each, lambda learn=learn: learn(broken, y), DataError, "^The indices of sparse examples must be")
    refuses(model, lambda: model.predict(broken), DataError, "^The indices of sparse examples must be")


@pytest.mark.parametrize("name", ["C", "average_last"])
def test_parameters_at_their_bounds(data, name):
    X, y = data
    for value in (1e-100, 1e100) if name == "C" else (1e-6, 1.0, 1, 10**9):
        for steps in ("adaptive", "asset"):
            for loss in ("hinge", "squared_hinge", "log_loss"):
                for intercept in (True, False):
                    model = make(steps=steps, loss=loss, fit_intercept=intercept, **{name: value}).fit(X, y)
                    assert np.isfinite(model.component_coef_).all()
                    assert np.isfinite(model.decision_function(X)).all()

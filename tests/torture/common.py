"""Shared by the tests of extreme input: the estimators, the containers, and what must hold afterwards.

Quick tests try a few cases of each grid, slow tests more, and slow tests with `HINGE_EXAMPLES=20` nearly all.
"""

from __future__ import annotations

import itertools
import os
import warnings

import numpy as np
from scipy.sparse import csr_matrix, issparse
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from hinge import (
    ApproximateSVC,
    ApproximateSVR,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    RobustOnlineSVC,
    TrackingSVC,
)

KERNELS = ["rbf", "linear", "poly", "laplacian", "sigmoid"]
MAKERS = {
    "online": OnlineSVC,
    "converge": lambda: OnlineSVC(epochs="converge"),
    "one pass": lambda: OnlineSVC(epochs=1, finishing=False),
    "small gaps": lambda: OnlineSVC(epochs=1, max_gap=1e-3),
    "max_support=2": lambda: OnlineSVC(max_support=2),
    "ramp": lambda: RobustOnlineSVC(warmup=2),
    "hinge": lambda: RobustOnlineSVC(variant="hinge"),
    "ignore": lambda: RobustOnlineSVC(variant="ignore", warmup=2),
    "full": lambda: RobustOnlineSVC(variant="full"),
    "robust max_support=2": lambda: RobustOnlineSVC(max_support=2),
    "tracking": TrackingSVC,
    "cheap tracking": lambda: TrackingSVC(keep="support", average=False),
    "perceptron": KernelPerceptron,
    "averaged": lambda: KernelPerceptron(average=True),
    "perceptron max_support=1": lambda: KernelPerceptron(max_support=1),
    "incremental": IncrementalSVC,
    "window": lambda: IncrementalSVC(max_examples=2),
    "plane": IncrementalOneClassSVM,
    "sphere": lambda: IncrementalOneClassSVM(shape="sphere"),
    "one-class window": lambda: IncrementalOneClassSVM(max_examples=2),
    "nystroem": lambda: ApproximateSVC(n_components=10, epochs=3),
    "fourier": lambda: ApproximateSVC(n_components=10, epochs=3, approximation="fourier"),
    "log loss": lambda: ApproximateSVC(n_components=10, epochs=3, loss="log_loss"),
    "asset": lambda: ApproximateSVC(n_components=10, epochs=3, steps="asset"),
    "regression": lambda: ApproximateSVR(n_components=10, epochs=3),
    "squared regression": lambda: ApproximateSVR(n_components=10, epochs=3, loss="squared_epsilon_insensitive"),
}
EXACT = ["online", "converge", "incremental"]  # these solve the problem of SVC
CONTAINERS = {
    "dense": lambda X: X.toarray() if issparse(X) else X,
    "sparse": csr_matrix,
    "dense float32": lambda X: CONTAINERS["dense"](X).astype(np.float32),
    "sparse float32": lambda X: csr_matrix(X, dtype=np.float32),
}
VERBS = ["fit", "partial_fit"]

_FACTOR = float(os.environ.get("HINGE_EXAMPLES", "1"))
_KERNEL_PARAMETERS = {
    "linear": [],
    "laplacian": ["gamma"],
    "poly": ["gamma", "coef0", "degree"],
    "sigmoid": ["gamma", "coef0"],
}


def make(name, **parameters):
    """Return an estimator; parameters that it does not have are ignored."""
    model = MAKERS[name]()
    known = model.get_params()
    return model.set_params(random_state=0, **{key: value for key, value in parameters.items() if key in known})


def overlapping(n=24, n_features=3, seed=0):
    """Return two overlapping classes."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, n_features))
    return X, (X[:, 0] + 0.5 * random.normal(size=n) > 0).astype(int)


def try_grid(name, data, parameters=({},), kernels=KERNELS, *, every):
    """Try one out of `every` cases of a grid; each estimator starts at another case."""
    cases = list(itertools.product(data, parameters, kernels, CONTAINERS, VERBS))
    start = 7919 * list(MAKERS).index(name)
    for place in range(start, start + len(cases), max(1, round(every / _FACTOR))):
        case = cases[place % len(cases)]
        try:
            _try_case(name, *case, data)
        except BaseException as error:
            error.add_note(f"{name}: {case}")
            raise


def _try_case(name, rows, parameters, kernel, container, verb, data):  # noqa: PLR0917
    if name == "fourier" and kernel not in ("rbf", "laplacian"):
        return
    X, y, weights = data[rows]()
    with np.errstate(over="ignore"):  # values too large for float32 become infinity
        X = CONTAINERS[container](X)
    exact = name in EXACT and (verb == "fit" or name == "incremental")
    model = make(name, kernel=kernel, **({"tol": 1e-8} if exact else {}) | parameters)
    warned = []
    refusal = learn_or_refuse(model, verb, X, y, weights, warned=warned)
    comparable = exact and kernel != "sigmoid" and parameters.get("tol", 0.0) < 1
    if comparable and refusal is None and not warned:
        assert_agrees(model, X, y, weights)


def train(model, verb, X, y, weights=None):
    """Train a model; one-class models need no labels."""
    labels = () if isinstance(model, IncrementalOneClassSVM) else (y,)
    return getattr(model, verb)(X, *labels, sample_weight=weights)


def outputs(model, X):
    """Return the numeric predictions of a model."""
    return model.predict(X) if isinstance(model, ApproximateSVR) else model.decision_function(X)


def measures(model):
    """Return the coefficients and the measures of a model."""
    names = ["dual_coef_", "intercept_", "coef_"]
    found = {name: np.asarray(getattr(model, name)) for name in names if hasattr(model, name)}
    verbs = ["dual_objective", "duality_gap", "kkt_violation"]
    return found | {verb: np.asarray(getattr(model, verb)()) for verb in verbs if hasattr(model, verb)}


def learn_or_refuse(model, verb, X, y, weights=None, *, warned=None):
    """Train a model and predict: the results must be finite, or a refusal in one sentence, which is returned.

    Everything else (NaN, another error, a warning of NumPy) fails the test. A convergence warning is allowed, and added
    to `warned`.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            train(model, verb, X, y, weights)
            predicted = outputs(model, X)
        except ValueError as error:
            refusal = str(error)
            assert refusal.endswith(".")  # a sentence
            return refusal
        model.predict(X)
        found = measures(model)
    if warned is not None:
        warned += [str(warning.message) for warning in caught]
    for name, values in (found | {"outputs": predicted}).items():
        assert np.isfinite(values).all(), (name, values)
    return None


def kernel_matrix(X, kernel, **parameters):
    """Return kernel values in double precision."""
    X = X.astype(np.float64)
    if kernel == "rbf":  # from differences, which are exact where products are not
        X = X.toarray() if issparse(X) else X
        return np.exp(-parameters["gamma"] * cdist(X, X, "sqeuclidean"))
    return pairwise_kernels(X, metric=kernel, **{name: parameters[name] for name in _KERNEL_PARAMETERS[kernel]})


def dual(K, coefficients):
    """Return the dual objective of signed coefficients."""
    return float(np.abs(coefficients).sum() - 0.5 * coefficients @ K @ coefficients)


def peer(K, y, C, weights=None):
    """Return the coefficients and decisions of scikit-learn's SVC, or None if it does not converge."""
    used = np.flatnonzero(np.ones(len(y)) if weights is None else weights)
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            model = SVC(kernel="precomputed", C=C, tol=1e-10, max_iter=200_000)
            model.fit(K[np.ix_(used, used)], y[used], None if weights is None else weights[used])
        except ValueError:  # it finds no solution either
            return None
    if caught:
        return None
    coefficients = np.zeros(len(y))
    coefficients[used[model.support_]] = model.dual_coef_.ravel()
    return coefficients, model.decision_function(K[:, used])


def assert_agrees(model, X, y, weights=None):
    """Check that the solution is feasible, is no worse than that of SVC, and makes the same decisions.

    SVC stores kernel values in float32, and so do models of float32 rows.
    """
    settings = model.get_params()
    chosen = {"gamma": model._state.kernel.gamma, "coef0": settings["coef0"], "degree": settings["degree"]}
    with np.errstate(all="ignore"):
        K = kernel_matrix(X, settings["kernel"], **chosen)
    found = peer(K, y, settings["C"], weights) if np.isfinite(K).all() else None
    if found is None:
        return
    theirs, decisions = found
    ours = np.zeros(len(y))
    ours[model.support_] = model.dual_coef_.ravel()
    bounds = settings["C"] * (np.ones(len(y)) if weights is None else weights)
    assert (np.abs(ours) <= bounds * (1 + 1e-12)).all()
    assert abs(ours.sum()) <= 1e-9 * np.abs(ours).sum()
    off = 3e-7 * np.abs(theirs).sum() * np.abs(K).max()
    best = dual(K, theirs)
    noise = (off if X.dtype == np.float32 else 1e-14 * off) * np.abs(theirs).sum()
    assert dual(K, ours) >= best - 1e-6 * abs(best) - noise
    share = np.abs(theirs) / np.where(bounds > 0, bounds, 1.0)
    if ((share > 1e-9) & (share < 1 - 1e-9)).any():  # else the bias is not unique
        near = 1e-4 * max(1.0, np.abs(decisions).max()) + off
        np.testing.assert_allclose(model.decision_function(X), decisions, rtol=0, atol=near)

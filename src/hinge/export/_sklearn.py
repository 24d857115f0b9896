"""Models as estimators of scikit-learn alone, for places where hinge is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDClassifier
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from hinge.export._sklearn_steps import preparation_steps, scaler
from hinge.export._view import Fourier, View, taken_apart

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_LIBSVM = ("linear", "poly", "rbf", "sigmoid", "precomputed")
_PARAMETERS = {"poly": ("gamma", "coef0", "degree"), "sigmoid": ("gamma", "coef0"), "rbf": ("gamma",)}
_PARAMETERS["laplacian"] = ("gamma",)


def to_sklearn(model: Any) -> Any:
    """Return a model as a fitted estimator of scikit-learn, which predicts the same.

    Parameters
    ----------
    model : estimator
        A fitted classifier of this package, or an `ApproximateSVR`.

    Returns
    -------
    sklearn.svm.SVC, sklearn.svm.SVR or sklearn.pipeline.Pipeline
        With two classes and a kernel that `SVC` has, an `SVC`. As usual with `SVC`, one whose support vectors are
        dense takes dense examples only. Otherwise, since `SVC` has a machine for each pair of classes and here there is
        one a class, a pipeline: kernel values against the support vectors, then a `LinearSVC` whose weights are the
        coefficients. A regression becomes an `SVR`, or a pipeline that ends with a `LinearSVR`. Fourier features
        come from an `RBFSampler`, and a model with `predict_proba` ends with an `SGDClassifier`, which has it as well.
        All can be pickled, and need hinge only if the kernel is a function. A `PreparedClassifier` gets
        steps in front that do as its preparation does; named columns are then those of a data frame, where columns of
        numbers hold numbers and columns of categories hold texts.

    Examples
    --------
    >>> from hinge import OnlineSVC
    >>> model = OnlineSVC(gamma=0.5).fit([[0.0], [2.0]], ["no", "yes"])
    >>> to_sklearn(model)
    SVC(gamma=0.5)
    >>> to_sklearn(model).predict([[1.5]]).tolist()
    ['yes']
    """
    model, preparation = taken_apart(model)
    view = View.of(model)
    before = [] if preparation is None else preparation_steps(preparation)
    in_steps = view.fourier is not None or len(view.classes) > 2 or hasattr(model, "predict_proba")
    if in_steps or view.kernel.name not in _LIBSVM:
        return make_pipeline(*before, *_steps(view, model))
    machine = _machine(view, model)
    return make_pipeline(*before, machine) if before else machine


def _machine(view: View, model: Any) -> SVC | SVR:
    """Return an SVC or SVR that was given our solution in place of its own.

    It is fitted to next to nothing first, so that whatever else it expects of itself is there. Inside, LIBSVM's values
    are positive for the first class, those that it shows are not; a regression has one sign only.
    """
    kernel = view.kernel
    parameters = {name: getattr(kernel, name) for name in _PARAMETERS.get(kernel.name, ())}
    made, sign = (SVR, 1.0) if view.regression else (SVC, -1.0)
    svc = made(**_cost(model), kernel=kernel.name, cache_size=model.cache_size, **parameters)
    svc.fit(_blank(view), np.array([-1.0, 1.0]) if view.regression else view.classes)
    precomputed = kernel.name == "precomputed"
    coefficients, vectors = view.coefficients, _double(view)
    svc.support_ = view.columns.astype(np.int32)
    svc.support_vectors_ = np.zeros((0, 0)) if precomputed else vectors
    svc._n_support = (view.counts.repeat(2) if view.regression else view.counts).astype(np.int32)
    svc.dual_coef_ = _with_zeros(coefficients) if view.sparse else coefficients
    signed = np.ascontiguousarray(sign * coefficients)
    svc._dual_coef_ = _with_zeros(signed) if view.sparse else signed
    svc.intercept_ = view.intercepts.copy()
    svc._intercept_ = sign * view.intercepts
    svc.shape_fit_ = (view.n_features if precomputed else int(model.n_seen_), view.n_features)
    svc.n_features_in_ = view.n_features
    if view.feature_names is not None:
        svc.feature_names_in_ = view.feature_names
    return svc


def _with_zeros(row: NDArray[np.float64]) -> csr_matrix:
    """Return a row of coefficients as a sparse matrix that has an entry for each, as LIBSVM wants, also for zeros."""
    return csr_matrix((row[0], np.arange(row.shape[1], dtype=np.int32), [0, row.shape[1]]), shape=row.shape)


def _cost(model: Any) -> dict[str, float]:
    """Return what says how errors cost, and the tolerance of a model, if it has them."""
    return {name: float(value) for name, value in model.get_params().items() if name in ("C", "tol", "epsilon")}


def _blank(view: View) -> Any:
    """Return the two examples that an SVC is fitted to."""
    if view.kernel.name == "precomputed":
        return np.eye(2)
    shape = (2, view.n_features)
    return csr_matrix(shape, dtype=np.float64) if view.sparse else np.zeros(shape)


def _steps(view: View, model: Any) -> list[Any]:
    """Return the steps from examples to classes."""
    steps = [_values(view) if view.fourier is None else _sampler(view, view.fourier)]
    if view.centre is not None:  # they lie far from zero, where squares lose digits
        steps.insert(0, scaler(view.centre, None, view.n_features))
    if view.feature_names is not None:
        steps[0].feature_names_in_ = view.feature_names
    return [*steps, _last_step(view, model)]


def _last_step(view: View, model: Any) -> Any:
    """Return the linear machines over kernel values or features."""
    machines = LinearSVR(**_cost(model)) if view.regression else LinearSVC(**_cost(model))
    if hasattr(model, "predict_proba"):
        machines = SGDClassifier(loss="log_loss")
    machines.coef_ = view.coefficients[0] if view.regression else view.coefficients
    machines.intercept_ = view.intercepts.copy()
    machines.n_features_in_ = view.n_support
    machines.n_iter_ = int(model.n_iter_)
    if not view.regression:
        machines.classes_ = view.classes
    return machines


def _sampler(view: View, fourier: Fourier) -> RBFSampler:
    """Return the step that makes Fourier features."""
    step = RBFSampler(gamma=view.kernel.gamma, n_components=view.n_support)
    step.fit(csr_matrix((1, view.n_features)))
    step.random_weights_ = fourier.frequencies.astype(np.float64)
    step.random_offset_ = fourier.phases.astype(np.float64)
    return step


def _values(view: View) -> FunctionTransformer:
    """Return the step that finds kernel values against the support vectors."""
    kernel, vectors = view.kernel, _double(view)
    function: Callable[..., Any] = pairwise_kernels
    settings: dict[str, Any] = {"Y": vectors, "metric": kernel.name}
    settings |= {name: getattr(kernel, name) for name in _PARAMETERS.get(kernel.name, ())}
    if kernel.name == "precomputed":
        function, settings = np.take, {"indices": view.columns, "axis": 1}
    elif kernel.name == "callable":
        function, settings = call_kernel, {"vectors": view.vectors, "kernel": kernel.function}
    elif view.centre is not None:
        settings["Y"] = vectors - view.centre
    sparse = kernel.name != "precomputed"
    step = FunctionTransformer(function, validate=True, accept_sparse=sparse, kw_args=settings, check_inverse=False)
    return step.fit(csr_matrix((1, view.n_features)) if sparse else np.zeros((1, view.n_features)))


def call_kernel(X: Any, vectors: Any, kernel: Callable[[Any, Any], Any]) -> Any:
    """Return the values of a kernel function of the user, whatever its arguments are called."""
    return kernel(X, vectors)


def _double(view: View) -> Any:
    """Return the support vectors in double precision, in the form that LIBSVM reads."""
    return view.vectors.astype(np.float64, copy=False)

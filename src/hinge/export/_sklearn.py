"""Convert models to estimators of scikit-learn, for places where hinge is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDClassifier
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM

from hinge._model.sparse_rows import explicit_rows
from hinge.export._calibrated import calibrated
from hinge.export._exported_model import ExportedModel, FourierFeatures
from hinge.export._model_access import split_preparation
from hinge.export._sklearn_steps import preparation_steps, scaler

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.export._exported_model import Vectors

_SVC_KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")
_PARAMETERS = {
    "poly": ("gamma", "coef0", "degree"),
    "sigmoid": ("gamma", "coef0"),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
}


def to_sklearn(model: BaseEstimator) -> BaseEstimator:
    """Convert a model to a fitted estimator of scikit-learn that makes the same predictions.

    Parameters
    ----------
    model : estimator
        A fitted model of this package.

    Returns
    -------
    sklearn.svm.SVC, sklearn.svm.SVR or sklearn.pipeline.Pipeline
        An `SVC` for two classes, or more with `multi_class="ovo"`, and a kernel that `SVC` has; if its support vectors
        are dense, it takes only dense examples. Otherwise a pipeline: kernel values against the support vectors, then a
        `LinearSVC` whose weights are the coefficients. A regression becomes an `SVR`, or a pipeline that ends with a
        `LinearSVR`. Fourier features become an `RBFSampler`, and a model of log-odds ends with an `SGDClassifier`,
        which has `predict_proba` too. With `calibration="temperature"`, the result is a `CalibratedClassifierCV`; it
        chooses the class of the largest probability, so that the other methods might contradict the model and are
        refused. All can be pickled, and need hinge only if the kernel is a function.
        The pipeline of a `PreparedClassifier` starts with steps for its preparation; named columns are those of a
        DataFrame with numbers in numeric columns and strings in others. Missing texts must be empty, and columns of
        dates need hinge.

    Examples
    --------
    >>> from hinge import OnlineSVC
    >>> model = OnlineSVC(gamma=0.5).fit([[0.0], [2.0]], ["no", "yes"])
    >>> to_sklearn(model)
    SVC(gamma=0.5)
    >>> to_sklearn(model).predict([[1.5]]).tolist()
    ['yes']
    """
    model, preparation = split_preparation(model)
    exported = ExportedModel.of(model, None if preparation is None else preparation.answers)
    before = [] if preparation is None else preparation_steps(preparation)
    is_svc = len(exported.classes) <= 2 or exported.is_one_vs_one
    needs_pipeline = exported.fourier is not None or not is_svc or exported.has_log_odds
    if exported.is_one_vs_one:
        exported.require_kernel(_SVC_KERNELS, "A one-vs-one model of scikit-learn")
    if needs_pipeline or exported.kernel.name not in _SVC_KERNELS:
        return calibrated(exported, make_pipeline(*before, *_pipeline_steps(exported, model)))
    svm = _build_svm(exported, model)
    return calibrated(exported, make_pipeline(*before, svm) if before else svm)


def _build_svm(exported: ExportedModel, model: BaseEstimator) -> SVC | SVR | OneClassSVM:
    """Return an SVC or SVR with our solution.

    It is fitted to one blank example per class first, which sets its other attributes. The private attributes of a
    classifier of two classes have the opposite sign of the public ones, as in LIBSVM.
    """
    kernel = exported.kernel
    parameters = {name: getattr(kernel, name) for name in _PARAMETERS.get(kernel.name, ())}
    kind = OneClassSVM if exported.is_one_class else SVR if exported.is_regression else SVC
    sign = -1.0 if len(exported.classes) == 2 else 1.0
    if not isinstance(model.cache_size, str):  # "auto": scikit-learn has a default of its own
        parameters["cache_size"] = model.cache_size
    training = _training_parameters(model)
    if exported.is_one_class:
        training = {name: value for name, value in training.items() if name == "tol"}
    svc = kind(kernel=kernel.name, **parameters)
    svc.fit(_blank_examples(exported), exported.classes if len(exported.classes) else np.array([-1.0, 1.0]))
    svc.set_params(**training)  # only now: LIBSVM would not come to an end with C=inf
    precomputed = kernel.name == "precomputed"
    coefficients, vectors = exported.dual_coef, _double_vectors(exported)
    svc.support_ = exported.columns.astype(np.int32)
    svc.support_vectors_ = np.zeros((0, 0)) if precomputed else vectors
    counts = exported.counts if len(exported.classes) else np.full(2, exported.n_support)
    svc._n_support = counts.astype(np.int32)
    svc.dual_coef_ = explicit_rows(coefficients) if exported.is_sparse else coefficients
    signed = np.ascontiguousarray(sign * coefficients)
    svc._dual_coef_ = explicit_rows(signed) if exported.is_sparse else signed
    svc.intercept_ = exported.intercepts.copy()
    svc._intercept_ = sign * exported.intercepts
    if exported.is_one_class:
        svc.offset_ = -svc.intercept_
    svc.shape_fit_ = (exported.n_features if precomputed else int(model.n_seen_), exported.n_features)
    svc.n_features_in_ = exported.n_features
    if exported.feature_names is not None:
        svc.feature_names_in_ = exported.feature_names
    return svc


def _training_parameters(model: BaseEstimator) -> dict[str, float]:
    """Return C, tol and epsilon, if the model has them."""
    return {
        name: float(value)
        for name, value in model.get_params().items()
        if name in ("C", "tol", "epsilon") and value is not None
    }


def _blank_examples(exported: ExportedModel) -> Vectors:
    """Return the examples that an SVC is fitted to: one per class, two for a regression."""
    count = max(2, len(exported.classes))
    if exported.kernel.name == "precomputed":
        return np.eye(count)
    shape = (count, exported.n_features)
    return csr_matrix(shape, dtype=np.float64) if exported.is_sparse else np.zeros(shape)


def _pipeline_steps(exported: ExportedModel, model: BaseEstimator) -> list[BaseEstimator]:
    """Return the steps from examples to classes."""
    steps = [_kernel_step(exported) if exported.fourier is None else _fourier_step(exported, exported.fourier)]
    if exported.centre is not None:  # far from zero, squares lose precision
        steps.insert(0, scaler(exported.centre, None, exported.n_features))
    if exported.feature_names is not None:
        steps[0].feature_names_in_ = exported.feature_names
    return [*steps, _last_step(exported, model)]


def _last_step(exported: ExportedModel, model: BaseEstimator) -> LinearSVC | LinearSVR | SGDClassifier:
    """Return the linear model over kernel values or features."""
    if exported.has_log_odds:
        linear = SGDClassifier(loss="log_loss")
    else:
        kind = LinearSVR if exported.is_regression else LinearSVC
        linear = kind(**_training_parameters(model))
    linear.coef_ = exported.coefficients[0] if exported.is_regression else exported.coefficients
    linear.intercept_ = exported.intercepts.copy()
    linear.n_features_in_ = exported.n_support
    linear.n_iter_ = int(model.n_iter_)
    if not exported.is_regression:
        linear.classes_ = exported.classes
    return linear


def _fourier_step(exported: ExportedModel, fourier: FourierFeatures) -> RBFSampler:
    """Return the step that computes Fourier features."""
    step = RBFSampler(gamma=exported.kernel.gamma, n_components=exported.n_support)
    step.fit(csr_matrix((1, exported.n_features)))
    step.random_weights_ = fourier.frequencies.astype(np.float64)
    step.random_offset_ = fourier.phases.astype(np.float64)
    return step


def _kernel_step(exported: ExportedModel) -> FunctionTransformer:
    """Return the step that computes kernel values against the support vectors."""
    kernel, vectors = exported.kernel, _double_vectors(exported)
    function: Callable[..., NDArray[np.floating]] = pairwise_kernels
    settings: dict[str, object] = {"Y": vectors, "metric": kernel.name}
    settings |= {name: getattr(kernel, name) for name in _PARAMETERS.get(kernel.name, ())}
    if kernel.name == "precomputed":
        function, settings = np.take, {"indices": exported.columns, "axis": 1}
    elif kernel.name == "callable":
        function, settings = call_kernel, {"vectors": exported.vectors, "kernel": kernel.function}
    elif exported.centre is not None:
        settings["Y"] = vectors - exported.centre
    sparse = kernel.name != "precomputed"
    step = FunctionTransformer(function, validate=True, accept_sparse=sparse, kw_args=settings, check_inverse=False)
    return step.fit(csr_matrix((1, exported.n_features)) if sparse else np.zeros((1, exported.n_features)))


def call_kernel(
    X: Vectors, vectors: Vectors, kernel: Callable[[Vectors, Vectors], NDArray[np.floating]]
) -> NDArray[np.floating]:
    """Call a kernel function of the user with positional arguments, whatever their names are."""
    return kernel(X, vectors)


def _double_vectors(exported: ExportedModel) -> Vectors:
    """Return the support vectors in double precision."""
    vectors: Vectors = exported.vectors.astype(np.float64, copy=False)
    return vectors

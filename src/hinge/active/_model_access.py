"""What active learning needs to know about a model beyond `fit`, `predict` and its scores.

This is the only module of `hinge.active` that uses private parts of estimators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from hinge._fit.classifier import KernelClassifier
from hinge._model.kernels import KernelSpec
from hinge._model.validation import PooledRows
from hinge.active._rows import count_rows
from hinge.online import OnlineSVC
from hinge.tables import PreparedClassifier

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import RowsLike

_MAX_DOUBLE_BYTES = 1 << 28  # pools up to this size are converted to float64 once for models that need float64


def is_fitted(model: BaseEstimator) -> bool:
    """Return whether a model can predict."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def can_choose(model: BaseEstimator, target: object = None) -> bool:
    """Return whether a model can rank rows: it is fitted, and to at least two classes if it has classes.

    Examples
    --------
    >>> from hinge import OnlineSVC
    >>> can_choose(OnlineSVC()), can_choose(OnlineSVC().partial_fit([[0.0]], [1]))
    (False, False)
    >>> can_choose(OnlineSVC().partial_fit([[0.0], [1.0]], [1, 2]))
    True
    """
    return is_fitted(model) and knows_classes(model, target)


def knows_classes(model: BaseEstimator, target: object = None) -> bool:
    """Return whether a fitted model knows two classes, `target` among them; models without `classes_` pass."""
    classes = getattr(model, "classes_", None)
    return classes is None or (len(classes) > 1 and (target is None or target in classes))


def can_revise(model: BaseEstimator) -> bool:
    """Return whether a model knows its examples by ids and can forget and relabel them."""
    return hasattr(model, "forget") and hasattr(model, "relabel") and has_fit_parameter(model, "ids")


def learns_incrementally(model: BaseEstimator) -> bool:
    """Return whether a model is one of this package that keeps learning from single examples."""
    return isinstance(model, (KernelClassifier, PreparedClassifier))


def _innermost(model: BaseEstimator) -> BaseEstimator:
    """Return the classifier inside a search, a pipeline or a table."""
    model = getattr(model, "best_estimator_", model)
    model = model[-1] if isinstance(model, Pipeline) else model
    return model.model if isinstance(model, PreparedClassifier) else model


def largest_violation(model: BaseEstimator) -> float:
    """Return by how much examples of LASVM may still violate the optimality conditions (delta); 0 for other models.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> largest_violation(SVC())
    0.0
    """
    model = _innermost(model)
    return model.kkt_violation() if isinstance(model, OnlineSVC) else 0.0


def has_margin(model: BaseEstimator) -> bool:
    """Return whether a model is a support vector machine, whose decision values are 1 on the margin."""
    model = _innermost(model)
    if isinstance(model, SVC):
        return len(model.classes_) == 2  # with more classes the columns are votes
    return model._has_margin if isinstance(model, KernelClassifier) else isinstance(model, LinearSVC)


def resolve_gamma(model: BaseEstimator, X: RowsLike) -> None:
    """Replace `gamma="scale"` of an unfitted model of this package by its value for all rows of a pool."""
    if isinstance(model, KernelClassifier) and model.gamma == "scale" and not callable(model.kernel):
        values = X.to_numpy() if hasattr(X, "to_numpy") else X
        weights = np.ones(count_rows(X))
        spec = KernelSpec.resolve(model.kernel, model.degree, model.gamma, model.coef0, X=values, weights=weights)
        model.set_params(gamma=spec.gamma)


def pooled_rows(model: BaseEstimator, X: RowsLike) -> PooledRows | None:
    """Return a pool that is checked once; None for models of other packages and for DataFrames."""
    if hasattr(X, "iloc") or not isinstance(model, KernelClassifier):
        return None
    pool = PooledRows(X)
    entries = pool.X.size if isinstance(pool.X, np.ndarray) else pool.X.nnz
    if can_revise(model) and pool.X.dtype != np.float64 and 8 * entries <= _MAX_DOUBLE_BYTES:
        return PooledRows(pool.X.astype(np.float64))
    return pool


def take_pooled(model: BaseEstimator, pool: PooledRows, rows: NDArray[np.int64]) -> RowsLike:
    """Return rows of a pool in the form that a fitted model of this package checks fastest."""
    return model._take_rows(pool, rows)


def without_lock(attributes: dict[str, object]) -> dict[str, object]:
    """Return the attributes of an object for pickling; its lock is not copied."""
    return {name: value for name, value in attributes.items() if name != "_lock"}

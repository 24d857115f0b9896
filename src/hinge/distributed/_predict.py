"""Answers about partitions, computed where they are, when they are asked for."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from hinge.active._rows import count_rows
from hinge.distributed._engine import array_of, blocks, node, task
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from hinge.distributed._engine import Collection


def predict(model: Any, X: Collection) -> Any:
    """Return what a model says about distributed examples, lazily.

    Parameters
    ----------
    model : estimator
        Any fitted estimator. It is copied at once, and goes once to each worker.
    X : dask array or DataFrame of shape (n, n_features)
        Examples.

    Returns
    -------
    dask array of shape (n,)
        Labels, or values of a regression; nothing is computed until they are asked for.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC, distributed
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OnlineSVC().fit(X, y)
    >>> answers = distributed.predict(model, da.from_array(X, chunks=(50, 4)))
    >>> bool((answers.compute() == model.predict(X)).all())
    True
    """
    return _answers(model, "predict", X, (), _label_type(model))


def decision_function(model: Any, X: Collection) -> Any:
    """Return decision values of distributed examples, lazily.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with this method. It is copied at once, and goes once to each worker.
    X : dask array or DataFrame of shape (n, n_features)
        Examples.

    Returns
    -------
    dask array of shape (n,) or (n, n_classes)
        As the model's own method gives them.
    """
    n_classes = len(getattr(model, "classes_", ()))
    return _answers(model, "decision_function", X, (n_classes,) if n_classes > 2 else (), np.float64)


def predict_proba(model: Any, X: Collection) -> Any:
    """Return probabilities of the classes of distributed examples, lazily.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with this method. It is copied at once, and goes once to each worker.
    X : dask array or DataFrame of shape (n, n_features)
        Examples.

    Returns
    -------
    dask array of shape (n, n_classes)
        As the model's own method gives them.
    """
    return _answers(model, "predict_proba", X, (len(getattr(model, "classes_", ())),), np.float64)


def score_samples(model: Any, X: Collection) -> Any:
    """Return how usual distributed examples are, lazily.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with this method. It is copied at once, and goes once to each worker.
    X : dask array or DataFrame of shape (n, n_features)
        Examples.

    Returns
    -------
    dask array of shape (n,)
        As the model's own method gives them.
    """
    return _answers(model, "score_samples", X, (), np.float64)


def ready(model: Any) -> Any:
    """Return a copy of a fitted model for tasks, of which a worker runs as many at a time as it has threads."""
    check_is_fitted(model)
    copied = copy.deepcopy(model)
    inner = getattr(copied, "model", copied)  # a prepared model has one inside
    if hasattr(inner, "n_jobs") and inner.n_jobs is None:
        inner.n_jobs = 1
    return copied


def _answers(model: Any, method: str, X: Collection, columns: tuple[int, ...], dtype: DTypeLike) -> Any:
    tasks, sizes = blocks(X)
    if not hasattr(model, method):
        raise ParameterError(f"model must have {method}, got {type(model).__name__}; use another estimator.")
    shared = node(ready(model))
    return array_of([task(_answer, shared, method, rows, columns, dtype) for rows in tasks], sizes, columns, dtype)


def _answer(model: Any, method: str, X: Any, columns: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    if not count_rows(X):
        return np.zeros((0, *columns), dtype=dtype)
    return np.asarray(getattr(model, method)(X)).astype(dtype, copy=False)


def _label_type(model: Any) -> Any:
    """Return the type of what `predict` returns."""
    if hasattr(model, "classes_"):
        return model.classes_.dtype
    return np.int64 if is_outlier_detector(model) else np.float64

"""Lazy predictions, computed where the partitions are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import is_outlier_detector

from hinge.active._rows import count_rows
from hinge.distributed._engine import array_from_tasks, partition_tasks, shared_value, task
from hinge.distributed._model_access import worker_copy
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import RowsLike
    from hinge.distributed._engine import Collection, DaskArray


def predict(model: BaseEstimator, X: Collection) -> DaskArray:
    """Predict the labels or values of distributed examples, lazily.

    Parameters
    ----------
    model : estimator
        Any fitted estimator. It is copied at once and sent once to each worker.
    X : dask array or DataFrame of shape (n, n_features)
        Examples.

    Returns
    -------
    dask array of shape (n,)
        Labels, or values of a regression; call `compute()` to get them.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC, distributed
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OnlineSVC().fit(X, y)
    >>> predictions = distributed.predict(model, da.from_array(X, chunks=(50, 4)))
    >>> bool((predictions.compute() == model.predict(X)).all())
    True
    """
    return _apply(model, "predict", X, (), _prediction_dtype(model))


def decision_function(model: BaseEstimator, X: Collection) -> DaskArray:
    """Compute the decision values of distributed examples, lazily.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with this method. It is copied at once and sent once to each worker.
    X : dask array or DataFrame of shape (n, n_features)
        Examples.

    Returns
    -------
    dask array of shape (n,) or (n, n_classes)
        As the method of the model returns them.
    """
    n_classes = len(getattr(model, "classes_", ()))
    return _apply(model, "decision_function", X, (n_classes,) if n_classes > 2 else (), np.float64)


def predict_proba(model: BaseEstimator, X: Collection) -> DaskArray:
    """Compute the class probabilities of distributed examples, lazily.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with this method. It is copied at once and sent once to each worker.
    X : dask array or DataFrame of shape (n, n_features)
        Examples.

    Returns
    -------
    dask array of shape (n, n_classes)
        As the method of the model returns them.
    """
    return _apply(model, "predict_proba", X, (len(getattr(model, "classes_", ())),), np.float64)


def score_samples(model: BaseEstimator, X: Collection) -> DaskArray:
    """Score distributed examples by how normal they are, lazily.

    Parameters
    ----------
    model : estimator
        Any fitted estimator with this method. It is copied at once and sent once to each worker.
    X : dask array or DataFrame of shape (n, n_features)
        Examples.

    Returns
    -------
    dask array of shape (n,)
        As the method of the model returns them.
    """
    return _apply(model, "score_samples", X, (), np.float64)


def _apply(model: BaseEstimator, method: str, X: Collection, columns: tuple[int, ...], dtype: DTypeLike) -> DaskArray:
    """Return a method of a model applied to each partition, as a lazy array."""
    tasks, sizes = partition_tasks(X)
    if not hasattr(model, method):
        raise ParameterError(f"model must have {method}, got {type(model).__name__}; use another estimator.")
    shared = shared_value(worker_copy(model))
    calls = [task(_apply_to_partition, shared, method, rows, columns, dtype) for rows in tasks]
    return array_from_tasks(calls, sizes, columns, dtype)


def _apply_to_partition(
    model: BaseEstimator, method: str, X: RowsLike, columns: tuple[int, ...], dtype: DTypeLike
) -> NDArray[np.generic]:
    if not count_rows(X):
        return np.zeros((0, *columns), dtype=dtype)
    return np.asarray(getattr(model, method)(X)).astype(dtype, copy=False)


def _prediction_dtype(model: BaseEstimator) -> DTypeLike:
    """Return the type of what `predict` returns."""
    if hasattr(model, "classes_"):
        dtype: DTypeLike = model.classes_.dtype
        return dtype
    return np.int64 if is_outlier_detector(model) else np.float64

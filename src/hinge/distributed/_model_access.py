"""What distributed training changes inside models.

This is the only module of `hinge.distributed` that uses private parts of estimators.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from hinge._model.params import random_seed
from hinge.approximate._averaging import average_models, start_model, train_one_pass
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

__all__ = [
    "average_models",
    "check_parameters",
    "random_seed",
    "renumber_examples",
    "set_n_seen",
    "start_model",
    "train_one_pass",
    "worker_copy",
]


def check_parameters(model: BaseEstimator) -> None:
    """Raise ParameterError for parameters that `fit` or a partition cannot use."""
    if isinstance(model.kernel, str) and model.kernel == "precomputed":
        raise ParameterError(
            "kernel must not be 'precomputed' over partitions, which have different columns; use a kernel function."
        )
    model._check_params(streaming=False)


def worker_copy(model: BaseEstimator) -> BaseEstimator:
    """Return a copy of a fitted model that uses one thread, since a worker runs one task per thread."""
    check_is_fitted(model)
    copied = copy.deepcopy(model)
    inner = getattr(copied, "model", copied)  # prepared models wrap another one
    if hasattr(inner, "n_jobs") and inner.n_jobs is None:
        inner.n_jobs = 1
    return copied


def renumber_examples(model: BaseEstimator, rows: NDArray[np.int64]) -> None:
    """Replace the numbers of the examples in a model, which count from 0, by row numbers of the whole data set."""
    state = model._state
    arrays, values = state.to_arrays()
    if "ids" in arrays:
        model._state = state.from_arrays(arrays | {"ids": rows[arrays["ids"]]}, values, state.kernel.function)


def set_n_seen(model: BaseEstimator, n_rows: int) -> None:
    """Set the number of examples seen, so that later examples are numbered after the rows of the whole data set."""
    model._state.n_seen = n_rows

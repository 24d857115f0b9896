"""Training on data in several partitions, by iterative parameter mixing.

All models share one feature map. In each round, every partition is learned in one pass from a common model, and the
resulting models are averaged. No function changes the models that it gets, so that a pass can be repeated when a worker
has failed.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from sklearn.utils import check_random_state

from hinge._fit import driver
from hinge._model.threads import one_blas_thread
from hinge.approximate._estimator import ApproximateEstimator
from hinge.approximate._landmarks import choose_map
from hinge.approximate._rows import EncodedRows
from hinge.approximate._state import LINEAR_ARRAYS
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from hinge._model.types import MatrixLike
    from hinge.approximate._state import ApproximateState

Model = TypeVar("Model", bound=ApproximateEstimator)

# The average gets the largest of these counts.
_COUNTS = ("n_steps", "n_examples", "n_kernel_evals")


def start_model(  # noqa: PLR0917
    model: Model,
    X: MatrixLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    n_examples: int | None = None,
) -> Model:
    """Return an untrained model whose kernel, feature map and classes come from a sample of the rows.

    Parameters
    ----------
    model : estimator
        An estimator with the parameters to use.
    X, y, sample_weight : array-like
        A sample of the rows of all partitions.
    classes : array-like, default=None
        All classes, if the model is a classifier.
    n_examples : int, default=None
        Number of rows in all partitions.
    """
    model._require_no_forgetting()
    started = copy.deepcopy(model)
    options = started._check_params(streaming=True)
    first, data, features = driver.first_state(started, options, X, y, sample_weight, classes)
    state = cast("ApproximateState", first)
    with driver.installing(started, state, features, fresh=True), one_blas_thread():
        state.extend(started._task.classes(data.used_labels, state.table, classes))
        rows = EncodedRows.encode(started._task, data, state.table)
        choose_map(state, rows, rows.used, check_random_state(model.random_state))
        state.n_seen = len(data) if n_examples is None else n_examples
        options = state.options
        state.use(options.with_linear(total=state.n_seen))  # the native model keeps the number of all rows
        state.use(options)
    return started


def train_one_pass(
    model: Model, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, seed: int = 0
) -> Model:
    """Return a copy of the model after a pass over one partition in random order."""
    trained = copy.deepcopy(model)
    trained._learn_again(X, y, sample_weight, check_random_state(seed))
    return trained


def average_models(models: Sequence[Model], shares: Sequence[float]) -> Model:
    """Return the weighted average of models with the same feature map."""
    if not models or not sum(shares) > 0:
        raise DataError("Averaging needs at least one model with a share above zero, got none.")
    states = [cast("ApproximateState", model._fitted_state()) for model in models]
    parts = [state.to_arrays() for state in states]
    portions = np.asarray(shares, dtype=np.float64) / np.sum(shares)
    arrays = dict(parts[0][0])
    for name in LINEAR_ARRAYS:
        arrays[name] = sum(portion * part[name] for portion, (part, _) in zip(portions, parts, strict=True))
    for name in _COUNTS:
        arrays[name] = np.max([part[name] for part, _ in parts], axis=0)
    mean = copy.copy(models[0])
    mean._state = type(states[0]).from_arrays(arrays, parts[0][1], states[0].kernel.function)
    return mean

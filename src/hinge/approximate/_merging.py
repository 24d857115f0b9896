"""Training over parts that lie in different places: one map for all, a pass over each part, models averaged.

Local passes from a common model, then the average of the results, and again: iterative parameter mixing. Each function
leaves the models that it is given as they were, so that a part can be gone over again when a machine has failed.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from sklearn.utils import check_random_state

from hinge._fit import driver
from hinge._model.threads import one_blas_thread
from hinge.approximate._estimator import ApproximateEstimator
from hinge.approximate._learner import part_of
from hinge.approximate._learning import resolve_map
from hinge.approximate._state import CLOCK, MACHINES
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hinge.approximate._state import ApproximateState

Model = TypeVar("Model", bound=ApproximateEstimator)

# Entries of the clock that are counted: those of the learner that made most of them stand for all.
_COUNTS = [CLOCK.index(name) for name in ("steps", "examples", "evaluations")]


def begin(  # noqa: PLR0917
    model: Model, X: Any, y: Any, sample_weight: Any = None, classes: Any = None, n_examples: int | None = None
) -> Model:
    """Return a model with its kernel, its map and its classes settled by a sample of rows, which knows nothing yet.

    Parameters
    ----------
    model : estimator
        The parameters.
    X, y, sample_weight : array-like
        A sample of the rows of all parts.
    classes : array-like, default=None
        All classes, where the model is a classifier.
    n_examples : int, default=None
        Rows in all parts.
    """
    begun = copy.deepcopy(model)
    options = begun._check_params(streaming=True)
    state, data, features = driver.first_state(begun, options, X, y, sample_weight, classes)
    with driver.publishing(begun, state, features, fresh=True), one_blas_thread():
        part = part_of(begun, state, data, 0)
        resolve_map(state, part, part.used, check_random_state(model.random_state))
        state.n_seen = len(data) if n_examples is None else n_examples
        wanted = state.options
        state.use(replace(wanted, total=state.n_seen))  # so that the machines know the size of the whole
        state.use(wanted)
    return begun


def go_over(model: Model, X: Any, y: Any, sample_weight: Any = None, seed: int = 0) -> Model:
    """Return the model after a pass over one part, in random order."""
    changed = copy.deepcopy(model)
    changed._learn_again(X, y, sample_weight, check_random_state(seed))
    return changed


def averaged(models: Sequence[Model], shares: Sequence[float]) -> Model:
    """Return the weighted mean of models over one map."""
    if not models or not sum(shares) > 0:
        raise DataError("There must be at least one model with a share to average, got none.")
    states = [cast("ApproximateState", model._fitted_state()) for model in models]
    parts = [state.to_arrays() for state in states]
    portions = np.asarray(shares, dtype=np.float64) / np.sum(shares)
    arrays = dict(parts[0][0])
    for name in MACHINES:
        arrays[name] = sum(portion * part[name] for portion, (part, _) in zip(portions, parts, strict=True))
    arrays["clock"][_COUNTS] = np.max([part["clock"][_COUNTS] for part, _ in parts], axis=0)
    mean = copy.copy(models[0])
    mean._state = type(states[0]).from_arrays(arrays, parts[0][1], states[0].kernel.function)
    return mean

"""Give examples of an exact model other labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge._fit import driver
from hinge._model.labels import class_factors, one_each
from hinge._model.overflow import check_coefficients, product
from hinge.exceptions import DataError, ParameterError
from hinge.incremental import _learner as exact
from hinge.incremental._state import ExactState

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge import _core
    from hinge._model.types import ClassWeight, IdList, Labels
    from hinge.incremental._svc import IncrementalSVC


def relabel(estimator: IncrementalSVC, ids: IdList, y: ArrayLike) -> None:
    """Relabel examples by their ids."""
    positions, labels = check_relabelling(estimator, ids, y, "relabel")
    with driver.revising(estimator, ExactState, n_rows=len(positions)) as (state, monitor), state.syncing_ids():
        if len(labels):
            _relabel(estimator.class_weight, state, positions, labels, monitor)
    exact.warn_if_violated(exact.exact_state(estimator), estimator.tol)


def check_relabelling(
    estimator: IncrementalSVC, ids: IdList, y: ArrayLike, method: str
) -> tuple[NDArray[np.int64], Labels]:
    """Return the positions of the examples and their new labels."""
    if estimator.class_weight == "balanced":
        raise ParameterError(
            f"class_weight must be None or a dictionary in {method}, got 'balanced', which depends on the labels "
            "of a whole training set; pass the weights as a dictionary, or call fit with the right labels."
        )
    known = exact.exact_state(estimator).ids
    positions = known.find(ids, ordered=True)
    labels = one_each(y, len(positions), "y")
    for name in known.at(positions[known.are_weightless(positions)]):
        raise DataError(
            f"Examples of weight 0 must be forgotten and learned again to get another label, got {name!r}; "
            "they are not held."
        )
    return positions, labels


def new_costs(
    class_weight: ClassWeight, state: ExactState, positions: NDArray[np.int64], labels: Labels
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the class numbers that examples have, and the costs that they get with other labels."""
    native = state.native
    places = np.searchsorted(native.held(), positions)
    before = native.labels()[places]
    ratios = _ratios(class_weight, np.array([state.table.label(each) for each in before]), labels)
    costs = product(native.costs()[places], ratios)
    check_coefficients(native.n_retained * float(costs.max()), 1.0)
    return before, costs


def _relabel(
    class_weight: ClassWeight,
    state: ExactState,
    positions: NDArray[np.int64],
    labels: Labels,
    monitor: _core.Monitor | None,
) -> None:
    native = state.native
    before, costs = new_costs(class_weight, state, positions, labels)
    weightless = costs == 0  # the class weight of the new label is 0: such rows are not held
    state.extend(state.table.extended(labels[~weightless]))
    class_numbers = np.full(len(labels), -1, dtype=np.int32)
    class_numbers[~weightless] = state.table.encode(labels[~weightless])
    changed = (class_numbers != before) & ~weightless
    native.relabel(positions[changed], class_numbers[changed], costs[changed], monitor)
    native.forget(positions[weightless], monitor)
    state.ids.mark_weightless(positions[weightless])


def _ratios(class_weight: ClassWeight, before: Labels, after: Labels) -> NDArray[np.float64]:
    """Return the class weight of each new label divided by that of the old one."""
    ones = np.ones(len(after))
    divisors = class_factors(class_weight, before, ones)
    if not divisors.all():
        label = before[divisors == 0].tolist()[0]
        raise ParameterError(
            f"class_weight must be above 0 for {label!r} while such examples are held, got 0; "
            "set it back to what they were learned with."
        )
    return class_factors(class_weight, after, ones) / divisors

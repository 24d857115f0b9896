"""Labels that the other examples contradict, and what single examples change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from hinge._fit.progress import progress_bar
from hinge._model.overflow import require_finite
from hinge._model.params import whole
from hinge._model.threads import one_blas_thread
from hinge.exceptions import DataError
from hinge.incremental import _learner as exact
from hinge.incremental import _relabelling as relabelling

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import ArrayLike, NDArray

    from hinge import _core
    from hinge._model.types import IdList, MatrixLike
    from hinge.incremental._state import ExactState
    from hinge.incremental._svc import IncrementalSVC


class Suspect(NamedTuple):
    """An example that the model without it predicts wrongly, and by how much."""

    id: Hashable
    label: Hashable
    prediction: Hashable
    margin: float


def find_suspects(estimator: IncrementalSVC, n: int) -> list[Suspect]:
    """Return the examples of the smallest leave-one-out margins, if these are negative."""
    whole("n", n, at_least=1, hint="twenty is usual")
    state = exact.exact_state(estimator)
    margins, places, decisions = leave_one_out_margins(estimator)
    table, ids = state.table, state.held_ids()
    labels, predictions = table.classes[places].tolist(), table.choose(decisions).tolist()
    is_wrong = [margins[row] < 0 and labels[row] != predictions[row] for row in range(len(ids))]
    order = [row for row in np.argsort(margins, kind="stable") if is_wrong[row]][:n]
    return [Suspect(ids[row], labels[row], predictions[row], float(margins[row])) for row in order]


def leave_one_out_margins(
    estimator: IncrementalSVC,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the leave-one-out margin of each example held, the place of its class, and its decision values.

    The margin is the decision value of the label minus that of the best other class; one-vs-one, the least decision
    value of the label against another class.
    """
    table, sums = exact.leave_one_out(estimator)
    decisions = table.arrange(sums)
    places = np.argsort(table.numbers)[exact.exact_state(estimator).native.labels()]
    if len(table) <= 2:
        return 2 * np.where(places == 1, decisions[:, 0], -decisions[:, 0]), places, decisions
    own = np.take_along_axis(table.confidences(decisions), places[:, None], axis=1)[:, 0]
    if table.scheme.name == "ovo":
        return own, places, decisions
    others = decisions.copy()
    np.put_along_axis(others, places[:, None], -np.inf, axis=1)
    return own - others.max(axis=1), places, decisions


def compute_influence(
    estimator: IncrementalSVC, X: MatrixLike, ids: IdList | None, y: ArrayLike | None
) -> NDArray[np.float64]:
    """Return the changes of the decision function at some rows, one for each example."""
    known = exact.exact_state(estimator)
    ids = known.held_ids() if ids is None else ids
    positions, numbers, costs = _changes(estimator, known, ids, y)
    state = known.state_to_change()
    rows = estimator._check_queries(X, known.make_snapshot())  # predictions in other threads use the snapshot
    try:
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            parts = [
                state.native.influence(cast("_core.Batch64", batch), positions, numbers, costs, monitor)
                for _, batch in state.storage.batches(rows)
            ]
    finally:
        known.drop_snapshot()
    changes = require_finite(np.concatenate(parts, axis=2)).swapaxes(1, 2)  # examples, rows, binary models
    arranged = state.table.arrange(changes.reshape(-1, changes.shape[2])).reshape(*changes.shape[:2], -1)
    return arranged if len(state.table) > 2 else arranged[:, :, 0]


def _changes(
    estimator: IncrementalSVC, state: ExactState, ids: IdList, y: ArrayLike | None
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return the positions of examples, the class numbers they would have (-1: none), and their costs then."""
    if y is None:
        positions = state.ids.find(ids, ordered=True)
        weightless = state.ids.are_weightless(positions)
        if weightless.any():
            (name, *_) = state.ids.at(positions[weightless])
            raise DataError(f"Examples of weight 0 have no influence, got {name!r}; leave it out.")
        return positions, np.full(len(positions), -1, dtype=np.int32), np.zeros(len(positions))
    positions, labels = relabelling.check_relabelling(estimator, ids, y, "influence")
    unknown = set(labels.tolist()) - set(state.table.classes.tolist())
    if unknown:
        raise DataError(f"Labels must be among classes_ in influence, got {min(unknown, key=str)!r}.")
    _, costs = relabelling.new_costs(estimator.class_weight, state, positions, labels)
    return positions, np.where(costs > 0, state.table.encode(labels), -1).astype(np.int32), costs

"""p-values of labels by full conformal prediction, computed natively."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from hinge._fit.progress import progress_bar
from hinge._model.labels import class_factors
from hinge._model.overflow import product
from hinge._model.threads import one_blas_thread
from hinge.conformal._ranks import require_rows
from hinge.exceptions import ParameterError
from hinge.incremental import exact_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._model.types import Labels, MatrixLike
    from hinge.incremental import IncrementalSVC


def label_p_values(
    estimator: IncrementalSVC, X: MatrixLike, *, within_class: bool, alpha: float | None = None
) -> NDArray[np.float64]:
    """Return one p-value per row and class; with `alpha`, only whether they exceed it is certain."""
    require_rows(estimator.kernel)
    known = exact_state(estimator)
    state = known.state_to_change()
    costs = _costs(estimator, state.table.classes)[np.argsort(state.table.numbers)]
    rows = estimator._check_queries(X, known.make_snapshot())  # predictions in other threads use the snapshot
    try:
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            parts = [
                state.native.p_values(cast("_core.Batch64", batch), costs, within_class, alpha, monitor)
                for _, batch in state.storage.batches(rows)
            ]
    finally:
        known.drop_snapshot()
    return np.concatenate(parts)[:, state.table.numbers] if parts else np.empty((0, len(state.table)))


def _costs(estimator: IncrementalSVC, classes: Labels) -> NDArray[np.float64]:
    """Return the cost that a row has in each class."""
    if estimator.class_weight == "balanced":
        raise ParameterError("class_weight must be None or a dictionary for p-values, got 'balanced'.")
    ones = np.ones(len(classes))
    costs = product(ones, estimator._cost, class_factors(estimator.class_weight, classes, ones))
    if not costs.all():
        raise ParameterError("class_weight must be above 0 for p-values, got 0; leave the class out.")
    return costs

"""p-values of labels by full conformal prediction, computed natively."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Question:
    """What is asked about rows.

    Attributes
    ----------
    within_class : bool
        Rank a row among the examples of the candidate label only.
    strictly : bool
        Count only examples that fit worse, not those that fit as badly.
    alpha : float or None
        Whether p-values exceed it is enough.
    """

    within_class: bool
    strictly: bool = False
    alpha: float | None = None


def label_p_values(
    estimator: IncrementalSVC, X: MatrixLike, question: Question, label: object = None
) -> NDArray[np.float64]:
    """Return one p-value per row and class; only that of one label if it is given, and 0 for the others."""
    require_rows(estimator.kernel)
    known = exact_state(estimator)
    state = known.state_to_change()
    costs = _costs(estimator, state.table.classes)
    if label is not None:
        costs[state.table.classes != label] = 0.0
    costs = costs[np.argsort(state.table.numbers)]
    rows = estimator._check_queries(X, known.make_snapshot())  # predictions in other threads use the snapshot
    how = (question.within_class, question.strictly, question.alpha)
    try:
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            parts = [
                state.native.p_values(cast("_core.Batch64", batch), costs, *how, monitor)
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

"""Forget examples of a solved training set: solve the problem without them, from the coefficients of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hinge._fit import driver
from hinge._fit.exact_solver import ExactSolver
from hinge._fit.leave_one_out import record_left_out
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.params import random_seed
from hinge._model.support import signed_coefficients
from hinge._model.threads import one_blas_thread
from hinge.exceptions import DataError
from hinge.svm._learner import warn_early
from hinge.svm._state import SvmState

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.types import MatrixLike


def forget(
    estimator: KernelEstimator, rows: ArrayLike, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> None:
    """Solve the training set without some rows, and without those forgotten before."""
    options = estimator._options(streaming=False)
    before = driver.state_of(estimator, SvmState)
    estimator._learner.require_unchanged(estimator, before, options)
    data = estimator._task.check(estimator, X, y, sample_weight, before)
    if len(data) != before.n_seen:
        raise DataError(
            f"X must hold the {before.n_seen} rows that the model has learned, in their order, got {len(data)} rows."
        )
    forgotten = np.union1d(before.forgotten, _checked(rows, len(data)))
    left = _without(data, forgotten)
    lost = [label for label in before.table.classes.tolist() if label not in set(left.y[left.used].tolist())]
    if lost:
        raise DataError(f"Every class must keep an example, got none of {lost[0]!r}; call fit with the rows left.")
    state = SvmState(before.kernel, options, before.storage, before.table)
    state.take_over(before, forgotten)
    with driver.installing(estimator, state, driver.features_of(estimator), fresh=True), one_blas_thread():
        _solve(estimator, before, state, left)


def _solve(estimator: KernelEstimator, before: SvmState, state: SvmState, left: TrainingData) -> None:
    tasks = FitTasks(estimator, state, left, None)
    arrays = before.native.state()
    kept = np.flatnonzero(left.used[arrays["ids"]])
    order = kept[np.argsort(arrays["ids"][kept])]
    with progress_bar(bool(estimator.verbose)) as bar, state.monitored(bar) as monitor:
        solver = ExactSolver(state, left, random_seed(estimator.random_state), tasks, monitor)
        converged = solver.solve_from(arrays["ids"][order], signed_coefficients(arrays)[:, order].T)
        if before.decisions is not None:
            state.record_decisions()
            record_left_out(state, left)
    if not converged:
        warn_early(estimator, state)


def _checked(rows: ArrayLike, n: int) -> NDArray[np.int64]:
    given = np.atleast_1d(np.asarray(rows))
    if given.ndim != 1 or given.dtype.kind not in "iu" or (given.size and not 0 <= given.min() <= given.max() < n):
        raise DataError(f"rows must be numbers of rows of X, from 0 to {n - 1}, got {rows!r}.")
    return given.astype(np.int64)


def _without(data: TrainingData, forgotten: NDArray[np.int64]) -> TrainingData:
    costs = data.costs.copy()
    costs[forgotten] = 0.0
    return replace(data, costs=costs)

"""How exact SVMs learn: the training set is solved; a stream goes on from there as that of an `OnlineSVC`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hinge._fit.convergence import warn
from hinge._fit.drafts import solve
from hinge._fit.exact_solver import ExactSolver
from hinge._fit.learner import KernelLearner
from hinge._fit.leave_one_out import record_left_out
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.kernels import KernelSpec
from hinge._model.overflow import check_overflow
from hinge._model.params import random_seed
from hinge._model.types import is_sparse
from hinge._model.validation import Storage
from hinge.exceptions import DataError
from hinge.svm._problem import NO_BOUND, SvmData
from hinge.svm._state import SvmState

if TYPE_CHECKING:
    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.labels import ClassTable
    from hinge._model.options import SolverOptions
    from hinge._model.types import Gamma, Rows


class SvmLearner(KernelLearner[SvmState]):
    """How exact SVMs learn."""

    def new_state(
        self, estimator: KernelEstimator, data: TrainingData, options: SolverOptions, table: ClassTable
    ) -> SvmState:
        """Return an empty state; gamma does not depend on weights."""
        name, degree, gamma, coef0 = estimator._kernel_params
        kernel = KernelSpec(cast("str", name), _gamma(gamma, data.X), float(coef0), int(degree))
        if name == "precomputed":
            kernel = KernelSpec(name)
        state = SvmState(kernel, options, Storage.of(data.X), table)
        state.describe(cast("SvmData", data))
        return state

    def require_learnable(self, state: SvmState, data: TrainingData, *, whole: bool) -> None:
        """Raise DataError for kernel values that would overflow, or that are not a square matrix in `fit`."""
        if not whole:
            super().require_learnable(state, data, whole=whole)
            return
        unbounded = bool((data.costs >= NO_BOUND).any())
        check_overflow(data.X, state.kernel, np.zeros(0) if unbounded else data.costs)
        if state.kernel.name == "precomputed" and data.X.shape[0] != data.X.shape[1]:
            raise DataError(f"The kernel values of a training set must be a square matrix, got shape {data.X.shape}.")

    def train(self, estimator: KernelEstimator, state: SvmState, data: TrainingData) -> None:
        """Solve the training set."""
        tasks = FitTasks(estimator, state, data, None)
        with progress_bar(bool(estimator.verbose)) as bar, state.monitored(bar) as monitor:
            try:
                converged = self._solve(estimator, state, data, tasks, monitor)
            finally:  # what was found until Ctrl-C, or until time was up, has probabilities, too
                record_left_out(state, data)
        tasks.end()
        if not converged and not tasks.stopped:
            warn_early(estimator, state)

    def _solve(
        self,
        estimator: KernelEstimator,
        state: SvmState,
        data: TrainingData,
        tasks: FitTasks,
        monitor: _core.Monitor | None,
    ) -> bool:
        return solve(state, data, random_seed(estimator.random_state), tasks, monitor)


class OneClassLearner(SvmLearner):
    """How one-class SVMs learn: coefficients between 0 and the weights, with nu times the sum of these as their sum.

    All rows are positive examples of a classifier, and pairs keep the sum of coefficients. As in LIBSVM, the first rows
    begin at their bounds. Decision values of the classifier are those of the one-class problem plus 1.
    """

    def _solve(
        self,
        estimator: KernelEstimator,
        state: SvmState,
        data: TrainingData,
        tasks: FitTasks,
        monitor: _core.Monitor | None,
    ) -> bool:
        solver = ExactSolver(state, data, random_seed(estimator.random_state), tasks, monitor)
        return solver.solve_with_sum(float(cast("Any", estimator).nu))


def warn_early(estimator: KernelEstimator, state: SvmState) -> None:
    """Warn that the solver stopped before the tolerance was reached."""
    max_iter = cast("Any", estimator).max_iter
    warn(state, f"Solver terminated early (max_iter={max_iter}); scale the features, lower C or raise tol.")


def _gamma(gamma: Gamma, X: Rows) -> float:
    """Return gamma as scikit-learn computes it."""
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto":
        return 1.0 / float(X.shape[1])
    variance = float((X.multiply(X)).mean() - X.mean() ** 2 if is_sparse(X) else X.var())
    return 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0

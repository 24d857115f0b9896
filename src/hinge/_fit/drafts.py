"""Solve a training set of double precision: large ones first in single precision, which takes half the time.

LIBSVM keeps kernel values in single precision, too. Here these only make a draft: its coefficients are taken over, the
gradients of all rows near the margin are computed in double precision, and the solution goes on from there until no row
violates the optimality conditions. Sums of rows farther away may be off by a few times the largest error of those that
were computed twice; a sweep asks all that this could turn into violators.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge._fit.exact_solver import ExactSolver
from hinge._fit.progress import FitTasks
from hinge._model.overflow import check_overflow
from hinge._model.state import State
from hinge._model.validation import Storage
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._model.types import Rows

_MIN_ROWS = 3000  # solving fewer rows takes less time than the gradients
_LARGEST_COST = 1e6  # of larger coefficients single precision loses all that matters


def solve(state: State, data: TrainingData, seed: int, tasks: FitTasks, monitor: _core.Monitor | None) -> bool:
    """Solve a training set from an empty state; return whether that succeeded. Parameters are those of ExactSolver."""
    solver = ExactSolver(state, data, seed, tasks, monitor)
    rows = _single(state, data)
    if rows is None:
        return solver.solve()
    storage = replace(state.storage, dtype=np.dtype(np.float32))
    draft = State(state.kernel, state.options, storage, state.table)
    tasks.step("draft", lambda: _draft(draft, replace(data, X=rows), seed, monitor, solver, state))
    return not tasks.stopped and solver.complete()


def _draft(  # noqa: PLR0917
    draft: State, data: TrainingData, seed: int, monitor: _core.Monitor | None, solver: ExactSolver, state: State
) -> None:
    """Solve a training set in single precision, and let the solver of the other state begin with the result."""
    native: Any = draft.native
    first = ExactSolver(draft, data, seed, FitTasks(None, draft, data, None), monitor, keeps_idle=True)
    try:
        first.solve()
    finally:  # after Ctrl-C, too
        if draft.is_usable and draft.has_learned:
            solver.begin_with(first.guess())
            target: Any = state.native
            target.count(native.binary_steps.astype(np.int64), native.n_kernel_evals)


def _single(state: State, data: TrainingData) -> Rows | None:
    """Return the rows in single precision if a draft is worth while."""
    options: Any = state.options
    n_used = int(np.count_nonzero(data.used))
    if state.storage.dtype != np.float64 or n_used < _MIN_ROWS or options.max_steps is not None:
        return None
    if state.kernel.function is not None or state.kernel.name == "precomputed" or data.costs.max() > _LARGEST_COST:
        return None
    values: Any = data.X.data if state.storage.sparse else data.X
    single = Storage(np.dtype(np.float32), state.storage.sparse, state.storage.n_features)
    if max(-values.min(initial=0.0), values.max(initial=0.0)) > single.largest:
        return None
    rows: Any = data.X.astype(np.float32)
    try:
        check_overflow(rows, state.kernel, data.costs)
    except DataError:
        return None
    return rows

"""Settings on one rung: train models, and test them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params, _num_samples

from hinge._fit.estimator import KernelEstimator
from hinge.exceptions import ParameterError
from hinge.model_selection._grid import final_step
from hinge.model_selection._rungs import width_of
from hinge.model_selection._sharing import Group, Sharing
from hinge.online import OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hinge._model.types import Values
    from hinge.model_selection._losses import Measure
    from hinge.model_selection._rungs import Rung


@dataclass
class Trial:
    """What one setting has shown on one rung; there is no model if it shared kernel values with others."""

    losses: NDArray[np.float64]
    model: Any = None
    fit_time: float = 0.0
    score_time: float = 0.0
    work: float = 1.0
    test_work: float = 0.0
    shared: bool = False
    error: Exception | None = None


class Trials:
    """Trains and tests settings on the rows of one training set.

    Parameters
    ----------
    estimator : estimator
        The estimator; it is cloned for each trial.
    X, y : array-like
        The training set.
    fit_params : dict
        Arguments of `fit`; those with one value per row are cut like the rows.
    measure : Measure
        The losses.
    single_thread : bool
        Whether each model trains in one thread, because trials run in several.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any, fit_params: Values, measure: Measure, *, single_thread: bool
    ) -> None:
        self.n_rows = _num_samples(X)
        self.measure = measure
        self._estimator = estimator
        self._X, self._y = X, y
        self._fit_params = fit_params
        self._single_thread = single_thread
        self._sharing = Sharing(estimator) if measure.by_row and not fit_params else None
        self._lock = Lock()
        self._cut: tuple[Rung, tuple[Any, Any, Values], tuple[Any, Any]] | None = None

    def groups(self, settings: Sequence[Values], rung: Rung) -> list[Group]:
        """Return settings that run together: those that share kernel values, others alone."""
        if self._sharing is None or rung.leave_one_out:
            return [Group([place]) for place in range(len(settings))]
        (X, y, _), (X_test, _) = self._rows(rung)
        return self._sharing.groups(settings, X, y, X_test)

    def run(self, group: Group, settings: Sequence[Values], rung: Rung) -> list[Trial]:
        """Train and test the settings of a group; an error of `fit` is part of the result."""
        if group.kernels is None:
            return [self._run_alone(settings[place], rung) for place in group.places]
        (X, y, _), (_, y_test) = self._rows(rung)
        start = time.perf_counter()
        solutions = group.kernels.solve(group.gamma, group.costs)
        seconds = (time.perf_counter() - start) / len(solutions)
        trials = []
        for solution in solutions:
            losses = self.measure.losses_of(solution.predictions, y_test)
            work = _work(solution.n_held * len(y), solution.n_steps * solution.n_held, width_of(X))
            test_work = _test_work(solution.n_held * len(y_test), width_of(X))
            trials.append(Trial(losses, None, seconds, 0.0, work, test_work, shared=True))
        return trials

    def fit(self, params: Values, rung: Rung) -> Any:
        """Train a setting on the rows of a rung."""
        model = self._make(params, rung)
        X, y, fit_params = self._rows(rung)[0]
        return model.fit(X, y, **fit_params) if y is not None else model.fit(X, **fit_params)

    def _run_alone(self, params: Values, rung: Rung) -> Trial:
        start = time.perf_counter()
        try:
            model = self.fit(params, rung)
        except Exception as error:  # noqa: BLE001  (a setting may be invalid while others are not)
            return Trial(np.empty(0), error=error)
        fitted = time.perf_counter()
        losses = self._losses(model, rung)
        work = work_of(model, self._rows(rung)[0][0], len(rung.test))
        return Trial(losses, model, fitted - start, time.perf_counter() - fitted, *work)

    def _make(self, params: Values, rung: Rung) -> Any:
        model = clone(self._estimator).set_params(**clone(params, safe=False))
        prefix, last = final_step(model)
        if self._single_thread and "n_jobs" in last.get_params() and last.n_jobs is None:
            model.set_params(**{f"{prefix}n_jobs": 1})
        if isinstance(last, OnlineSVC) and last.epochs == "auto" and not rung.confirms:
            # A screening rung compares many settings: one pass each, as on large sets, instead of exact solutions.
            model.set_params(**{f"{prefix}epochs": 1})
        return model

    def _losses(self, model: Any, rung: Rung) -> NDArray[np.float64]:
        if rung.leave_one_out:
            if not hasattr(model, "leave_one_out") or not self.measure.by_row:
                raise ParameterError(
                    "cv='loo' must be used with IncrementalSVC, and with scoring None, 'accuracy' or "
                    "'balanced_accuracy'; other estimators have no exact leave-one-out."
                )
            return self.measure.losses_of(model.leave_one_out(), self._rows(rung)[0][1])
        return self.measure.losses(model, *self._rows(rung)[1])

    def _rows(self, rung: Rung) -> tuple[tuple[Any, Any, Values], tuple[Any, Any]]:
        """Return what a rung learns and tests on; the rows are cut once for all settings."""
        with self._lock:
            if self._cut is None or self._cut[0] is not rung:
                X, y = _safe_split(self._estimator, self._X, self._y, rung.train)
                fit_params = _check_method_params(self._X, self._fit_params, indices=rung.train)
                test = _safe_split(self._estimator, self._X, self._y, rung.test, rung.train)
                self._cut = rung, (X, y, fit_params), test
            return self._cut[1:]


def work_of(model: Any, X: Any, n_tested: int) -> tuple[float, float]:
    """Return how much work a fit and a test were: in about nanoseconds for our kernel machines, else 1 and 0.

    It counts kernel values and solver steps instead of time, so that a race does not depend on what else the machine
    does.
    """
    _, last = final_step(model)
    if not isinstance(last, KernelEstimator) or not hasattr(last, "dual_coef_"):
        return 1.0, 0.0
    width, size = width_of(X), last.model_size_
    return _work(last.n_kernel_evals_, last.n_iter_ * size, width), _test_work(n_tested * size, width)


def _work(n_values: int, n_changes: int, width: float) -> float:
    return float(n_values * (width / 15 + 2) + n_changes)


def _test_work(n_values: int, width: float) -> float:
    return float(n_values * (width / 15 + 0.5))  # all at once

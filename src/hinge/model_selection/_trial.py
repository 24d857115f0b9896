"""One setting on one rung: train a model, and test it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params, _num_samples

from hinge._fit.estimator import KernelEstimator
from hinge.exceptions import ParameterError
from hinge.model_selection._grid import final_step
from hinge.online import OnlineSVC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.types import Values
    from hinge.model_selection._losses import Measure
    from hinge.model_selection._rungs import Rung


@dataclass
class Trial:
    """What one setting has shown on one rung."""

    losses: NDArray[np.float64]
    model: Any = None
    fit_time: float = 0.0
    score_time: float = 0.0
    work: float = 1.0
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

    def run(self, params: Values, rung: Rung) -> Trial:
        """Train a setting on the rows of a rung and test it; an error of `fit` is part of the result."""
        model = self._make(params, rung)
        X, y = _safe_split(model, self._X, self._y, rung.train)
        fit_params = _check_method_params(self._X, self._fit_params, indices=rung.train)
        start = time.perf_counter()
        try:
            model.fit(X, y, **fit_params) if y is not None else model.fit(X, **fit_params)
        except Exception as error:  # noqa: BLE001  (a setting may be invalid while others are not)
            return Trial(np.empty(0), error=error)
        fitted = time.perf_counter()
        losses = self._losses(model, rung)
        return Trial(losses, model, fitted - start, time.perf_counter() - fitted, work_of(model, X, len(rung.test)))

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
            _, y = _safe_split(model, self._X, self._y, rung.train)
            return self.measure.losses_of(model.leave_one_out(), y)
        X, y = _safe_split(model, self._X, self._y, rung.test, rung.train)
        return self.measure.losses(model, X, y)


def work_of(model: Any, X: Any, n_tested: int) -> float:
    """Return how much work a trial was: in about nanoseconds for our kernel machines, 1 for all others.

    It counts kernel values and solver steps instead of time, so that a race does not depend on what else the machine
    does.
    """
    _, last = final_step(model)
    if not isinstance(last, KernelEstimator) or not hasattr(last, "dual_coef_"):
        return 1.0
    width = X.nnz / X.shape[0] if sparse.issparse(X) else last.n_features_in_
    n_values = last.n_kernel_evals_ + n_tested * last.model_size_
    return float(n_values * (width / 15 + 2) + last.n_iter_ * last.model_size_)

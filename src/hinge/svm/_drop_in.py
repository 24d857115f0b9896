"""What the replacements of scikit-learn's estimators share: their solver instead of LIBSVM, their decisions.

scikit-learn's estimators call LIBSVM in six methods, which have had these names and arguments since 2012. A replacement
overrides these and nothing else, so that parameters, checks, attributes and messages are scikit-learn's own.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from hinge import _core
from hinge._fit.progress import progress_bar
from hinge._model.threads import count_threads
from hinge.exceptions import DataError
from hinge.svm._solution import explicit_rows

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from hinge._model.state import State
    from hinge._model.types import Rows
    from hinge.svm._solve import Solver


class DropIn:
    """Mixin before a class of `sklearn.svm` that replaces its solver."""

    _state: State

    @abstractmethod
    def _solve(
        self, X: Rows, y: NDArray[np.float64], sample_weight: NDArray[np.float64], kernel: str, random_seed: int
    ) -> None:
        """Solve the problem of checked rows or kernel values."""

    @abstractmethod
    def _read_solution(self) -> None:
        """Set the fitted attributes that LIBSVM would have set; `fit` of scikit-learn derives the others."""

    @abstractmethod
    def _raw_decisions(self, X: Any) -> NDArray[np.float64]:
        """Return decision values of checked rows or kernel values as LIBSVM returns them."""

    @abstractmethod
    def _predict_codes(self, X: Rows) -> NDArray[np.intp]:
        """Return predictions of checked rows or kernel values as LIBSVM returns them."""

    # --- the methods that scikit-learn calls; X is whatever a kernel function takes ---

    def _dense_fit(  # noqa: PLR0917
        self: Any,
        X: Any,
        y: NDArray[np.float64],
        sample_weight: NDArray[np.float64],
        solver_type: int,
        kernel: str,
        random_seed: int,
    ) -> None:
        vars(self).pop("_state", None)
        if self._effective_probability is True:
            super()._dense_fit(X, y, sample_weight, solver_type, kernel, random_seed)  # type: ignore[misc]
            return
        if callable(self.kernel):
            self._BaseLibSVM__Xfit = X  # where scikit-learn looks for it
            X = self._compute_kernel(X)
            if X.shape[0] != X.shape[1]:
                raise DataError(f"A kernel function must return a square matrix in fit, got shape {X.shape}.")
        self._solve(X, y, sample_weight, kernel, random_seed)

    def _sparse_fit(  # noqa: PLR0917
        self: Any,
        X: csr_matrix,
        y: NDArray[np.float64],
        sample_weight: NDArray[np.float64],
        solver_type: int,
        kernel: str,
        random_seed: int,
    ) -> None:
        vars(self).pop("_state", None)
        if self._effective_probability is True:
            super()._sparse_fit(X, y, sample_weight, solver_type, kernel, random_seed)  # type: ignore[misc]
            return
        X = csr_matrix(X)
        X.sum_duplicates()
        self._solve(X, y, sample_weight, kernel, random_seed)

    def _dense_decision_function(self: Any, X: Any) -> NDArray[np.float64]:
        if "_state" not in vars(self):
            return super()._dense_decision_function(X)  # type: ignore[misc,no-any-return]
        decisions: NDArray[np.float64] = self._raw_decisions(X)
        return decisions

    def _sparse_decision_function(self: Any, X: csr_matrix) -> NDArray[np.float64]:
        if "_state" not in vars(self):
            return super()._sparse_decision_function(X)  # type: ignore[misc,no-any-return]
        decisions: NDArray[np.float64] = self._raw_decisions(X)
        return decisions

    def _dense_predict(self: Any, X: Any) -> NDArray[np.intp]:
        if "_state" not in vars(self):
            return super()._dense_predict(X)  # type: ignore[misc,no-any-return]
        codes: NDArray[np.intp] = self._predict_codes(self._compute_kernel(X))
        return codes

    def _sparse_predict(self: Any, X: csr_matrix) -> NDArray[np.intp]:
        if "_state" not in vars(self):
            return super()._sparse_predict(X)  # type: ignore[misc,no-any-return]
        codes: NDArray[np.intp] = self._predict_codes(X)
        return codes

    # --- for the subclasses ---

    def _watched(self: Any) -> AbstractContextManager[_core.Monitor | None]:
        return progress_bar(bool(self.verbose))

    def _solver_options(self: Any, *, streaming: bool = False) -> _core.LasvmOptions:
        return _core.LasvmOptions(
            cache_bytes=int(min(float(self.cache_size) * 2**20, 2**62)),
            threads=count_threads(None),
            multi_class="ovo",
            tolerance=float(self.tol),
            max_steps=None if self.max_iter == -1 else int(self.max_iter),
            streaming=streaming,
            upkeep=streaming,
        )

    def _take(self: Any, solver: Solver) -> None:
        """Take over a solution."""
        self._state = solver.state
        self.fit_status_ = int(not solver.converged)
        self._read_solution()
        self._warn_from_fit_status()

    def _set_coefficients(self: Any, coefficients: NDArray[np.float64], intercepts: NDArray[np.float64]) -> None:
        self.dual_coef_ = explicit_rows(coefficients) if self._sparse else coefficients
        self.intercept_ = intercepts
        self._probA, self._probB = np.empty(0), np.empty(0)


def weights_of(sample_weight: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return one weight per row; scikit-learn passes an empty array for none, and has checked the length."""
    if sample_weight.ndim != 1:
        raise DataError(f"sample_weight must have one dimension, got shape {sample_weight.shape}.")
    return sample_weight if len(sample_weight) else np.ones(n)

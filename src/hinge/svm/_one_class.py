"""The estimator `OneClassSVM`: scikit-learn's, with another solver inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import sklearn.svm
from scipy.sparse import csr_matrix

from hinge._model.kernels import KernelSpec
from hinge.exceptions import DataError
from hinge.svm._drop_in import DropIn, weights_of
from hinge.svm._solution import decide
from hinge.svm._solve import solve_one_class

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge import _core
    from hinge._model.types import Rows


class OneClassSVM(DropIn, sklearn.svm.OneClassSVM):
    """Exact one-class support vector machine: `sklearn.svm.OneClassSVM` with another solver.

    It is a subclass of scikit-learn's estimator and has its parameters, attributes, methods, checks and messages; see
    its documentation. Only the solver and the decision function are replaced, as in `hinge.svm.SVC`.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel. A callable gets two lists of examples of any type, and returns the matrix of kernel values.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of rbf, poly and sigmoid.
    coef0 : float, default=0.0
        Independent term of poly and sigmoid.
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    nu : float, default=0.5
        Upper bound of the fraction of outliers, lower bound of that of support vectors.
    shrinking : bool, default=True
        Without effect.
    cache_size : float, default=200
        Size of the kernel cache in MB.
    verbose : bool, default=False
        Show a progress bar.
    max_iter : int, default=-1
        Largest number of steps; -1 for no limit.

    See Also
    --------
    hinge.IncrementalOneClassSVM : Exact learning and forgetting, example by example.

    Examples
    --------
    >>> from hinge.svm import OneClassSVM
    >>> OneClassSVM(gamma=0.5, nu=0.5).fit([[0.0], [0.1], [0.2], [5.0]]).predict([[0.1], [9.0]]).tolist()
    [1, -1]
    """

    def _solve(
        self,
        X: Rows,
        y: NDArray[np.float64],
        sample_weight: NDArray[np.float64],
        kernel: str,
        random_seed: int,  # noqa: ARG002
    ) -> None:
        weights = weights_of(sample_weight, len(y))
        if not (weights > 0).any():
            raise DataError("At least one row must have a weight above zero, got zero or negative weights only.")
        spec = KernelSpec(kernel, float(self._gamma), float(self.coef0), int(self.degree))
        with self._watched() as monitor:
            solver = solve_one_class(X, np.maximum(weights, 0.0), float(self.nu), spec, self._solver_options(), monitor)
        self._take(solver)

    def _read_solution(self) -> None:
        state = self._state
        support = state.support()
        coefficients = support.coefficients
        self.support_ = support.ids.astype(np.int32)
        self.support_vectors_ = np.empty((0, 0)) if state.kernel.name == "precomputed" else support.vectors
        self._n_support = np.full(2, len(support.ids), dtype=np.int32)
        self._set_coefficients(coefficients, state.native.bias - 1.0)
        native = cast("_core.KernelModel64", state.native)
        self._num_iter = native.binary_steps.astype(np.int32)

    def _raw_decisions(self, X: Any) -> NDArray[np.float64]:
        return -decide(self, csr_matrix(X) if self._sparse else X) - 1.0

    def _predict_codes(self, X: Rows) -> NDArray[np.intp]:
        return np.where(self._raw_decisions(X).ravel() > 0, 1, -1)

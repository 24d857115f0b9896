"""The estimator `SVC`: scikit-learn's, with another solver inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import sklearn.svm

from hinge._model.kernels import KernelSpec
from hinge.exceptions import DataError
from hinge.svm._drop_in import DropIn, weights_of
from hinge.svm._solution import decide, votes
from hinge.svm._solve import Problem, Solver
from hinge.svm._streams import learn_more

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge import _core
    from hinge._model.types import Labels, MatrixLike, Rows


class SVC(DropIn, sklearn.svm.SVC):
    """Exact support vector classifier: `sklearn.svm.SVC` with a faster solver.

    It is a subclass of scikit-learn's estimator and has its parameters, attributes, methods, checks and messages; see
    its documentation. Only the solver and the decision function are replaced. Training can be interrupted (Ctrl-C),
    and a fitted model goes on learning with `partial_fit`.

    Differences, all of them within `tol`:

    - Where the solution is not unique (duplicate rows, kernels that are not strictly positive definite), other
      coefficients may describe the same function; so may the last digits that `tol` leaves open.
    - `shrinking=False` has no effect: shrinking does not change the solution.
    - `verbose=True` shows a progress bar on standard error instead of LIBSVM's log.
    - With `probability=True`, which scikit-learn deprecates, LIBSVM itself is used.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors; `inf` for a hard margin.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel. A callable gets two lists of examples of any type, and returns the matrix of kernel values.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of rbf, poly and sigmoid.
    coef0 : float, default=0.0
        Independent term of poly and sigmoid.
    shrinking : bool, default=True
        Without effect.
    probability : bool, default="deprecated"
        Whether to enable `predict_proba`.
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    cache_size : float, default=200
        Size of the kernel cache in MB.
    class_weight : dict or "balanced", default=None
        Factors of `C` per class.
    verbose : bool, default=False
        Show a progress bar.
    max_iter : int, default=-1
        Largest number of steps of each binary model; -1 for no limit.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of the decision function: one column per class, or one per pair of classes.
    break_ties : bool, default=False
        Break ties of votes by the decision function.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which large training sets are visited.

    See Also
    --------
    hinge.OnlineSVC : Learns streams; one pass instead of the exact solution.
    hinge.IncrementalSVC : Exact learning and forgetting, example by example.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> SVC().fit(X, y).score(X, y) > 0.95
    True
    """

    classes_: Labels
    class_weight_: NDArray[np.float64]
    shape_fit_: tuple[int, ...]

    def _solve(
        self, X: Rows, y: NDArray[np.float64], sample_weight: NDArray[np.float64], kernel: str, random_seed: int
    ) -> None:
        weights = weights_of(sample_weight, len(y))
        _require_classes(y, weights)
        codes, used = y.astype(np.intp), weights > 0
        costs = np.zeros(len(y))
        costs[used] = float(self.C) * self.class_weight_[codes][used] * weights[used]
        spec = KernelSpec(kernel, float(self._gamma), float(self.coef0), int(self.degree))
        problem = Problem(X, self.classes_[codes], costs, spec, self._solver_options(), random_seed)
        with self._watched() as monitor:
            solver = Solver(problem, monitor)
            solver.solve()
        self._take(solver)

    def _read_solution(self) -> None:
        state, native = self._state, cast("_core.KernelModel64", self._state.native)
        support, table = state.support(), state.table
        sign = -1.0 if len(table) == 2 else 1.0  # LIBSVM's functions are positive for the first class
        self.support_ = support.ids.astype(np.int32)
        self.support_vectors_ = np.empty((0, 0)) if state.kernel.name == "precomputed" else support.vectors
        self._n_support = support.counts
        coefficients = sign * table.pack(support.coefficients, support.counts)
        self._set_coefficients(coefficients, sign * table.arrange(state.native.bias[None, :]).ravel())
        self._num_iter = np.abs(table.arrange(native.binary_steps[None, :])).ravel().astype(np.int32)

    def _raw_decisions(self, X: Any) -> NDArray[np.float64]:
        return decide(self, X)

    def _predict_codes(self, X: Rows) -> NDArray[np.intp]:
        codes: NDArray[np.intp] = np.searchsorted(self.classes_, self._state.table.classes)
        return codes[votes(decide(self, X), len(codes))]

    # --- going on ---

    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more examples, and stay near the solution for all of them. The first call is `fit`.

        The model goes on as an `OnlineSVC` with these parameters, which keeps support vectors and examples near the
        margin rather than the training set; then it is finished. `gamma` stays what it was.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.
        y : array-like of shape (n,)
            Labels; new classes may appear.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect.
        sample_weight : array-like of shape (n,), default=None
            Weights.

        Returns
        -------
        self : object
            The estimator.
        """
        if not hasattr(self, "support_"):
            fitted: Self = self.fit(X, y, sample_weight)
            return fitted
        learn_more(self, X, y, classes, sample_weight)
        return self

    def _go_on(self, classes: Labels) -> None:
        """Set the fitted attributes after the state has learned more."""
        factors = dict(zip(self.classes_.tolist(), self.class_weight_.tolist(), strict=True))
        self.class_weight_ = np.array([factors.get(label, 1.0) for label in classes.tolist()])
        self.classes_ = classes
        self.shape_fit_ = (self._state.n_seen, *self.shape_fit_[1:])
        self._read_solution()
        self._intercept_, self._dual_coef_ = self.intercept_.copy(), self.dual_coef_
        if len(classes) == 2:  # as in `fit` of scikit-learn
            self.intercept_, self.dual_coef_ = -self.intercept_, -self.dual_coef_
        self.n_iter_ = self._num_iter


def _require_classes(y: NDArray[np.float64], weights: NDArray[np.float64]) -> None:
    """Raise DataError unless rows of two classes have positive weights."""
    present = np.unique(y[weights > 0])
    if not len(present):
        raise DataError("At least one row must have a weight above zero, got zero or negative weights only.")
    if len(present) < 2:
        raise DataError("Rows of at least two classes must have weights above zero, got rows of one class.")

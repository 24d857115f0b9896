"""The estimator `OneClassSVM`: that of scikit-learn, with another solver inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import OutlierMixin

from hinge._fit import driver
from hinge._fit.progress import with_callbacks
from hinge._model.locking import reads, writes
from hinge._model.params import number
from hinge.exceptions import ParameterError
from hinge.svm._estimator import SvmEstimator
from hinge.svm._learner import OneClassLearner
from hinge.svm._problem import SvmOneClass
from hinge.svm._state import SvmState

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge import _core
    from hinge._model.types import Gamma, Kernel, MatrixLike


class OneClassSVM(OutlierMixin, SvmEstimator):
    """Exact one-class support vector machine: `sklearn.svm.OneClassSVM` with another solver.

    Parameters, methods and fitted attributes are those of scikit-learn's estimator, with their types and shapes; see
    its documentation.

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

    _task = SvmOneClass()
    _learner = OneClassLearner(SvmState)

    def __init__(
        self,
        *,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    def _check_params(self, *, streaming: bool) -> _core.LasvmOptions:
        if number("nu", self.nu, above=0, hint="a usual value is 0.1") > 1:
            raise ParameterError(f"nu must be at most 1, got {self.nu!r}; it is a fraction of the training set.")
        return super()._check_params(streaming=streaming)

    @writes
    @with_callbacks
    def fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Solve a training set.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Training examples; with `kernel="precomputed"` the square matrix of kernel values. If the kernel is a
            function, anything that it takes.
        y : Ignored
            For pipelines.
        sample_weight : array-like of shape (n,), default=None
            Weights. Rows of zero or negative weight are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return driver.fit(self, X, None, sample_weight)

    def decision_function(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute signed distances to the boundary; outliers have negative values.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against the training set.

        Returns
        -------
        ndarray of shape (n,)
            Decision values.
        """
        return self._raw_decisions(X)[1].ravel() - 1.0

    def score_samples(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the decision values without the offset.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against the training set.

        Returns
        -------
        ndarray of shape (n,)
            `decision_function` plus `offset_`.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: MatrixLike) -> NDArray[np.intp]:
        """Predict whether examples are inliers or outliers.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against the training set.

        Returns
        -------
        ndarray of shape (n,)
            +1 for inliers, -1 for outliers.
        """
        return np.where(self.decision_function(X) > 0, 1, -1)

    @property
    @reads
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors."""
        return np.array([len(self._fitted_state().support().ids)], dtype=np.int32)

    @property
    @reads
    def intercept_(self) -> NDArray[np.float64]:
        """Constant of the decision function."""
        return self._fitted_state().native.bias - 1.0

    @property
    def offset_(self) -> NDArray[np.float64]:
        """Minus `intercept_`: the offset between `score_samples` and `decision_function`."""
        return -self.intercept_

    @property
    def n_iter_(self) -> int:
        """Number of steps."""
        return int(self._steps_per_model[0])

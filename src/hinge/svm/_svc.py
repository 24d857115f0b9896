"""The estimator `SVC`: that of scikit-learn, with another solver inside."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Self, cast

import numpy as np
from sklearn.exceptions import NotFittedError

from hinge._fit import driver
from hinge._fit.classifier import SupportVectorClassifier
from hinge._fit.convergence import caller_depth
from hinge._fit.progress import with_callbacks
from hinge._model.locking import reads, writes
from hinge._model.params import check_class_weight, choice, flag, number
from hinge._model.stream_watch import NO_RISKS
from hinge._model.types import available_if
from hinge.exceptions import ParameterError
from hinge.svm._estimator import SvmEstimator
from hinge.svm._forgetting import forget
from hinge.svm._learner import SvmLearner
from hinge.svm._platt import platt_numbers
from hinge.svm._problem import SvmClassification
from hinge.svm._state import SvmState

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge import _core
    from hinge._calibration import Decisions
    from hinge._model.stream_watch import StreamRisks
    from hinge._model.types import ClassWeight, Gamma, Kernel, Labels, MatrixLike, RandomStateLike

_HARD_MARGIN = float("inf")


def _has_probabilities(model: SVC) -> bool:
    if model.calibration is None:
        raise AttributeError("predict_proba is not available when probability=False.")
    return True


class SVC(SvmEstimator, SupportVectorClassifier):
    """Exact support vector classifier: `sklearn.svm.SVC` with a faster solver.

    Parameters, methods and fitted attributes are those of scikit-learn's estimator, with their types and shapes; see
    its documentation. Training can be interrupted (Ctrl-C), and a fitted model goes on learning with `partial_fit`.

    Differences:

    - Where the solution is not unique (duplicate rows, kernels that are not strictly positive definite), other
      coefficients may describe the same function; so may the last digits that `tol` leaves open.
    - `shrinking=False` has no effect: shrinking does not change the solution.
    - `verbose=True` shows a progress bar on standard error instead of LIBSVM's log.
    - With `probability=True`, which scikit-learn deprecates, probabilities are calibrated on decision values that
      training examples would have had if left out, without further fits. They agree with `predict`.

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

    _task = SvmClassification(double=True)
    _learner = SvmLearner(SvmState)

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: ClassWeight = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: RandomStateLike = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def _check_params(self, *, streaming: bool) -> _core.LasvmOptions:
        if self.C != _HARD_MARGIN:
            number("C", self.C, above=0, hint="a usual value is 1.0; inf makes a hard margin")
        check_class_weight(self.class_weight, streaming=False)  # a stream goes on with the weights of `fit`
        choice("decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))
        flag("break_ties", self.break_ties)
        if self.probability != "deprecated":
            flag("probability", self.probability)
        return super()._check_params(streaming=streaming)

    @property
    def _stream_risks(self) -> StreamRisks:
        return NO_RISKS

    # --- learning ---

    @writes
    @with_callbacks
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, max_time: float | None = None
    ) -> Self:
        """Solve a training set.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Training examples; with `kernel="precomputed"` the square matrix of kernel values. If the kernel is a
            function, anything that it takes.
        y : array-like of shape (n,)
            Labels of any type, of at least two classes.
        sample_weight : array-like of shape (n,), default=None
            Factors of `C` per row. Rows of zero or negative weight are left out.
        max_time : float, default=None
            Seconds to learn for. After that, the model keeps what it has found, and a ConvergenceWarning says so. None:
            no limit.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        driver.fit(self, X, y, sample_weight, max_time=max_time)
        if self.probability != "deprecated":
            warnings.warn(
                "The `probability` parameter was deprecated in scikit-learn 1.9 and will be removed in its version "
                "1.11; use `OnlineSVC(calibration=...)`, or `CalibratedClassifierCV(SVC(), ensemble=False)`, instead "
                "of `SVC(probability=True)`.",
                FutureWarning,
                stacklevel=caller_depth(),
            )
        return self

    @writes
    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more examples, and stay near the solution for all of them. The first call is `fit`.

        The model goes on as an `OnlineSVC` with these parameters, which keeps support vectors and examples near the
        margin rather than the training set. `gamma` and the class weights stay what they were.

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
        if "_state" not in vars(self):
            return driver.fit(self, X, y, sample_weight)
        if callable(self.kernel):
            raise ParameterError(
                "kernel must be the name of a kernel to go on learning, got a function; OnlineSVC learns with them."
            )
        driver.partial_fit(self, X, y, classes, sample_weight)
        self._state.grown()
        return self

    @writes
    def forget(self, rows: ArrayLike, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forget examples: the model is then the solution of the training set without them.

        The model keeps support vectors rather than the training set, so that is needed again. It is solved from the
        coefficients that are left, which takes a fraction of the time of `fit`. `gamma` and the class weights stay
        what they were. An `IncrementalSVC` forgets without the training set, since it holds it.

        Parameters
        ----------
        rows : array-like of int, or int
            Rows of X to forget. Those forgotten before stay forgotten.
        X : array-like or CSR matrix of shape (n, n_features)
            All examples that the model has learned, in their order.
        y : array-like of shape (n,)
            Their labels.
        sample_weight : array-like of shape (n,), default=None
            Their weights.

        Returns
        -------
        self : object
            The estimator.

        Examples
        --------
        >>> from hinge.svm import SVC
        >>> X, y = [[0.0], [1.0], [2.0], [9.0]], [0, 0, 1, 0]
        >>> SVC(C=10).fit(X, y).forget(3, X, y).predict([[9.0]]).tolist()
        [1]
        """
        forget(self, rows, X, y, sample_weight)
        return self

    # --- predictions ---

    def decision_function(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the decision function.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against the training set.

        Returns
        -------
        ndarray of shape (n,), (n, n_classes) or (n, n_classes * (n_classes - 1) / 2)
            With two classes one value per example, positive for `classes_[1]`. With more, and
            `decision_function_shape="ovo"`, one value per pair of classes, positive for the first of the two; with
            "ovr", one per class: votes, and a part below one third by which ties can be broken.
        """
        if self.decision_function_shape == "ovr":
            return super().decision_function(X)
        decisions = self._sign * self._class_decisions(X)[1]
        return decisions if len(self.classes_) > 2 else decisions.ravel()

    def predict(self, X: MatrixLike) -> Labels:
        """Predict the class of examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against the training set.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        self._fitted_state()
        if not self.break_ties:
            return super().predict(X)
        if self.decision_function_shape == "ovo":
            raise ParameterError("break_ties must be False when decision_function_shape is 'ovo', got True.")
        table, decisions = self._class_decisions(X)
        if len(table) <= 2:
            return table.choose(decisions)
        places = table.scores(decisions).argmax(axis=1)
        chosen: Labels = table.classes[places]
        return chosen

    @available_if(_has_probabilities)
    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute probabilities; only with `probability=True`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Probabilities of the classes.
        """
        self._record()
        known, found = self._svm_state(), super().predict_proba(X)
        if len(known.table) == len(known.classes.labels):
            return found
        places = np.searchsorted(known.classes.labels, np.sort(known.table.classes))
        everywhere = np.zeros((len(found), len(known.classes.labels)))
        everywhere[:, places] = found  # classes whose examples have no weight are never expected
        return everywhere

    def _record(self) -> Decisions:
        """Return the decision values that probabilities are fitted to."""
        record = self._fitted_state().decisions
        if record is None:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False; call fit again with "
                "probability=True."
            )
        return record

    @property
    def calibration(self) -> str | None:  # type: ignore[override]
        """How decision values become probabilities."""
        return None if self.probability == "deprecated" or not self.probability else "sigmoid"

    # --- fitted attributes ---

    @property
    def _sign(self) -> float:
        """Factor of the coefficients: of several classes the first is positive, also if weights leave only two."""
        return -1.0 if len(self._svm_state().table) == 2 < len(self.classes_) else 1.0

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Constants of the decision functions, one per binary model."""
        return self._sign * super().intercept_

    @property
    @reads
    def classes_(self) -> Labels:
        """Labels, sorted."""
        return self._svm_state().classes.labels

    @property
    @reads
    def class_weight_(self) -> NDArray[np.float64]:
        """Factor of `C` of each class."""
        return self._svm_state().classes.class_weight

    @property
    def n_iter_(self) -> NDArray[np.int32]:  # type: ignore[override]
        """Number of steps of each binary model."""
        return self._steps_per_model

    @property
    def probA_(self) -> NDArray[np.float64]:  # noqa: N802
        """Slopes of the probabilities; empty unless `probability=True`."""
        return self._platt("probA_", 0)

    @property
    def probB_(self) -> NDArray[np.float64]:  # noqa: N802
        """Offsets of the probabilities; empty unless `probability=True`."""
        return self._platt("probB_", 1)

    def _platt(self, name: str, which: int) -> NDArray[np.float64]:
        state = self._svm_state()
        warnings.warn(
            f"Attribute `{name}` was deprecated in scikit-learn 1.9 and will be removed in its version 1.11.",
            FutureWarning,
            stacklevel=caller_depth(),
        )
        if state.decisions is None or self.calibration is None:
            return np.empty(0)
        return platt_numbers(state.decisions, state.table)[which]

    def _svm_state(self) -> SvmState:
        return cast("SvmState", self._fitted_state())

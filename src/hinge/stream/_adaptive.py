"""The estimator `AdaptiveSVC`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from hinge._fit import driver
from hinge._fit.classifier import KernelClassifier
from hinge._fit.tasks import Classification
from hinge._model.locking import lock_of, reads, writes
from hinge._model.options import AdaptiveOptions
from hinge._model.params import check_kernel, choice, flag, number, whole
from hinge._model.stream_watch import StreamRisks
from hinge.exceptions import ParameterError
from hinge.stream._detector import check_detector
from hinge.stream._learner import StreamLearner, require_small
from hinge.stream._state import AdaptiveState
from hinge.streaming import StreamTraits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from hinge._model.labels import ClassTable
    from hinge._model.options import SolverOptions
    from hinge._model.predictor import Predictor
    from hinge._model.types import Gamma, MatrixLike, Rows
    from hinge.stream._drift import Drift

# These numbers, and those in cpp/window_vote.cpp, were chosen on the development streams of `benchmarks.streams`.
_GAMMA_FACTORS = (1 / 16, 1.0)  # a wide kernel for smooth boundaries, and the one asked for
_C_FACTOR = 10.0
_MAX_SCORE = 5.0  # standard scores are cut off here
_MAX_UPDATES = 10_000  # of gradients, per example and binary problem
_MAX_CAPACITY = 10_000  # a window model holds the square of it as kernel values
_WITH_GAMMA = ("rbf", "poly", "sigmoid", "laplacian")
_KERNELS = ("linear", *_WITH_GAMMA)
_RISKS = StreamRisks(fixed_scale=False)  # scales follow the stream, and windows and votes its classes


class AdaptiveSVC(KernelClassifier):
    """Support vector machines for streams that change: several windows, a weighted vote, and a drift detector.

    A *window model* is a support vector machine over part of the stream: the last 50, 200 and 1000 examples, each with
    the kernel asked for and with a wider one, and the last 1000 *informative* examples, whose margin was too small when
    they came. All share rows and kernel values. One more predictor repeats the class of the previous example. The
    prediction is the vote of all, weighted by their recent accuracy.

    ADWIN watches the mistakes. When they have become more frequent, the change is listed in `drifts_`, and the window
    models forget the examples before it.

    Each window model is kept near its optimum by a few steps per example. Short windows reach it up to `tol`; with
    noisy labels, windows of 1000 examples stay some way off, which hardly changes their predictions. The bias is
    penalised like the other weights. With more than two classes, there is one binary model per class against the
    rest.

    Parameters
    ----------
    C : float, default=1.0
        Penalty for examples inside or on the wrong side of the margin, as in `sklearn.svm.SVC`, for the longest window
        with the kernel asked for; the other window models, which hold fewer examples or have a wider kernel, use 10 C.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian"}, default="rbf"
        Kernel function.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient of rbf, poly, sigmoid and laplacian; the wider kernel has a sixteenth of it. "scale" is
        1 / (n_features * X.var()) of the last examples, and follows the stream; "auto" is 1 / n_features.
    coef0 : float, default=0.0
        Independent term of the poly and sigmoid kernels.
    tol : float, default=0.05
        Violation of the optimality conditions at which the steps of a window model stop, if they do not exhaust their
        budget per example before.
    windows : sequence of int, default=(50, 200, 1000)
        Lengths of the windows. The memory needed grows with the square of the longest.
    max_informative : int or None, default=1000
        Number of informative examples to keep; None does without this window.
    standardize : bool, default=True
        Divide each feature by its standard deviation, after subtracting its mean, over the longest window. Both follow
        the stream: they are computed again after 1, 2, 4, ... examples, each time the longest window has been
        replaced, and at each drift. Values further than five deviations from the mean are moved there.
    delta : float or None, default=0.002
        Significance level of the drift detector: bounds the chance of a false alarm at each check. None detects no
        drifts. Not used by a `detector` of your own.
    detector : object, default=None
        A drift detector to use instead of ADWIN, with a method `update(value)`, which is given 1 for a mistake and 0
        otherwise, and an attribute `drift_detected`, as all of `river.drift` have. The model learns with a copy of it.
        A detector tells when, but not since when: `start` is then where a cut of the last 5000 predictions separates
        the shares of mistakes most clearly. Such a model can be pickled, but not saved by `hinge.save`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    drifts_ : list of Drift
        The changes detected, with `position`, `start`, `error_before`, `error_after`, `time` and `start_time`.
    progressive_score_ : ProgressiveScore
        Counts of predictions of examples just before learning them, and of mistakes.
    n_seen_ : int
        Number of examples given so far.
    support_ : ndarray of shape (n_support,)
        Positions in the stream of the examples that have a coefficient in some window model, grouped by class.
    support_vectors_ : ndarray of shape (n_support, n_features)
        These examples.
    n_support_ : ndarray of shape (n_classes,)
        Their number per class.
    model_size_ : int
        Their number.
    n_iter_ : int
        Number of steps so far; each changed one coefficient of one window model.
    n_kernel_evals_ : int
        Number of kernel values computed so far to learn.
    fit_status_ : int
        Always 0.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    See Also
    --------
    hinge.OnlineSVC : Learns from all examples, and forgets none.
    hinge.IncrementalSVC : Learns and forgets examples of your choice.

    References
    ----------
    A. Bifet, R. Gavaldà. Learning from Time-Changing Data with Adaptive Windowing. SDM 2007.

    M. Herbster, M. K. Warmuth. Tracking the Best Expert. Machine Learning 32, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from hinge.stream import AdaptiveSVC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> y = np.where(np.arange(2000) < 1000, X[:, 0] > 0, X[:, 0] < 0)
    >>> model = AdaptiveSVC().partial_fit(X, y)
    >>> [drift.position > 1000 for drift in model.drifts_]
    [True]
    >>> model.predict([[2.0, 0.0], [-2.0, 0.0]]).tolist()
    [False, True]
    """

    stream_traits = StreamTraits(is_ordered=True, dtype="float64")
    _task = Classification(double=True)
    _learner = StreamLearner()  # type: ignore[assignment]  # the base class is narrower than the protocol

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 0.05,
        windows: Sequence[int] = (50, 200, 1000),
        max_informative: int | None = 1000,
        standardize: bool = True,
        delta: float | None = 0.002,
        detector: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.windows = windows
        self.max_informative = max_informative
        self.standardize = standardize
        self.delta = delta
        self.detector = detector

    @writes
    def fit(  # type: ignore[override]  # no max_time: partial_fit learns in parts of any length
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Forget everything and learn a stream from its beginning.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples, in the order of the stream. Sparse rows are stored as dense ones.
        y : array-like of shape (n,)
            Labels, of at least two classes.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row, see `partial_fit`.

        Returns
        -------
        self : object
            The estimator.
        """
        with driver.replacing(self) as fresh:
            driver.partial_fit(fresh, X, y, None, sample_weight)
            self._task.require_enough(fresh._state.table)
        return self

    @writes
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        times: Sequence[Any] | None = None,
    ) -> Self:
        """Learn more examples, in the order given; calls of any length give the same model.

        Ctrl-C stops after a row; `n_seen_` tells how many were learned.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples. Sparse rows are stored as dense ones.
        y : array-like of shape (n,)
            Labels; new classes may appear at any time.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect, if they are known beforehand.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row, in every window that the row is in. Rows of weight 0 are skipped. A row
            of weight 2 is not the same as two rows: it takes one place in a window, and counts once for votes, scales
            and the drift detector.
        times : sequence of length n, default=None
            When each example happened, for `drifts_`: dates, numbers, any objects.

        Returns
        -------
        self : object
            The estimator.
        """
        return driver.partial_fit(self, X, y, classes, sample_weight, cast("Any", times))

    def decision_function(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the votes for each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Votes between 0 and 1 that add up to 1; they are not calibrated probabilities. With two classes the vote
            for `classes_[1]` minus that for `classes_[0]`; -1 while there is only one class.
        """
        return super().decision_function(X)

    @property
    @reads
    def drifts_(self) -> list[Drift]:
        """The changes detected."""
        return list(driver.state_of(self, AdaptiveState).drifts)

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Not available: several models vote."""
        raise AttributeError("An AdaptiveSVC has no dual_coef_, since several models vote; see support_vectors_.")

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Not available: several models vote."""
        raise AttributeError("An AdaptiveSVC has no intercept_, since several models vote; see decision_function.")

    @property
    def _stream_risks(self) -> StreamRisks:
        return _RISKS

    @property
    def _has_margin(self) -> bool:
        return False  # decision values are votes

    def _class_decisions(self, X: MatrixLike) -> tuple[ClassTable, NDArray[np.float64]]:
        lock = lock_of(self)
        if lock.has_readers or lock.is_writing:
            return super()._class_decisions(X)
        return self._own_decisions(X)

    @reads
    def _own_decisions(self, X: MatrixLike) -> tuple[ClassTable, NDArray[np.float64]]:
        """Ask the model itself as long as one thread uses it: it then learns the row asked last faster."""
        lock_of(self).note_reader()
        state = driver.state_of(self, AdaptiveState)
        return state.table, state.table.arrange(state.decide_now(self._check_queries(X, state)))

    def _check_queries(self, X: MatrixLike, predictor: Predictor | AdaptiveState) -> Rows:
        rows = super()._check_queries(X, cast("Predictor", predictor))
        require_small(driver.state_of(self, AdaptiveState), rows)
        return rows

    def _decide(self, predictor: Predictor, rows: Rows) -> NDArray[np.float64]:
        return predictor.decide(rows, 1)

    def _parameters(self) -> tuple[Any, ...]:
        """Return the values of all parameters; `get_params` takes longer than the rest of a call."""
        kernel, windows = (self.kernel, self.degree, self.gamma, self.coef0), self.windows
        lengths = tuple(windows) if isinstance(windows, (list, tuple, np.ndarray)) else windows
        return (self.C, *kernel, self.tol, lengths, self.max_informative, self.standardize, self.delta)

    def _check_params(self, *, streaming: bool) -> SolverOptions:  # noqa: ARG002
        state: AdaptiveState | None = vars(self).get("_state")
        parameters = self._parameters()
        if state is not None and state.options.parameters == parameters:  # checked when learning began
            return state.options
        choice("kernel", self.kernel, _KERNELS)
        check_kernel(*self._kernel_params)
        check_detector(self.detector)
        factors = _GAMMA_FACTORS if self.kernel in _WITH_GAMMA else (1.0,)
        return AdaptiveOptions(
            parameters=parameters,
            windows=self._window_choices(last=len(factors) - 1),
            gamma_factors=factors,
            gamma_follows=isinstance(self.gamma, str) and self.gamma == "scale",
            limit=_MAX_SCORE if flag("standardize", self.standardize) else 0.0,
            tolerance=number("tol", self.tol, above=0, hint="a usual value is 0.05"),
            max_updates=_MAX_UPDATES,
            delta=None if self.delta is None else number("delta", self.delta, above=0, hint="a usual value is 0.002"),
        )

    def _window_choices(self, last: int) -> tuple[tuple[int, int, float, bool], ...]:
        """Return kernel, length, C and selectivity of each window model; kernel `last` is the one asked for."""
        C, hint = number("C", self.C, above=0, hint="a usual value is 1.0"), "a usual choice is (50, 200, 1000)"
        if np.ndim(self.windows) != 1 or np.size(self.windows) == 0:
            raise ParameterError(f"windows must be a list of at least one length, got {self.windows!r}; {hint}.")
        sizes = [whole("windows", length, at_least=2, at_most=_MAX_CAPACITY, hint=hint) for length in self.windows]
        choices = [(0, size, C * _C_FACTOR, False) for size in sizes]
        choices += [(last, size, C if size == max(sizes) else C * _C_FACTOR, False) for size in sizes]
        if self.max_informative is not None:
            hint = "None does without this window"
            size = whole("max_informative", self.max_informative, at_least=2, at_most=_MAX_CAPACITY, hint=hint)
            choices.append((last, size, C * _C_FACTOR, True))
        return tuple(dict.fromkeys(choices))  # a kernel without gamma has no wider one

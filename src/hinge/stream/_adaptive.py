"""The estimator `AdaptiveSVC`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from hinge._model.labels import ClassTable, as_classes
from hinge._model.params import check_kernel, choice, flag, number, whole
from hinge._model.validation import Storage, check_examples, check_queries, is_ready
from hinge.exceptions import DataError, ParameterError
from hinge.stream._state import MemoryOptions, StreamState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from hinge._model.types import Array, Gamma, Labels, MatrixLike
    from hinge.stream._drift import Drift

# These numbers, and those in `_state`, were chosen on the development streams of `benchmarks.streams`.
_GAMMA_FACTORS = (1 / 16, 1.0)  # a wide kernel for smooth boundaries, and the one asked for
_C_FACTOR = 10.0
_MAX_SCORE = 5.0  # standard scores are cut off here
_MAX_UPDATES = 10_000  # of gradients, per example and binary problem
_MAX_CAPACITY = 10_000  # a memory holds the square of it as kernel values
_WITH_GAMMA = ("rbf", "poly", "sigmoid", "laplacian")
_KERNELS = ("linear", *_WITH_GAMMA)


class AdaptiveSVC(ClassifierMixin, BaseEstimator):
    """Support vector machines for streams that change: several memories, a weighted vote, and a drift detector.

    A *memory* is a support vector machine over part of the stream: the last 50, 200 and 1000 examples, each with the
    kernel asked for and with a wider one, and the last 1000 *informative* examples, whose margin was too small when
    they came. All share rows and kernel values. One more predictor answers the class of the previous example. The
    answer is the vote of all, weighted by how well each did lately.

    ADWIN watches the mistakes. When they have become more frequent, the change is listed in `drifts_`, and the
    memories forget the examples before it.

    Each memory is kept near its optimum by a few steps per example. Short windows reach it up to `tol`; with noisy
    labels, windows of 1000 examples stay some way off, which hardly changes their predictions. The bias is penalised
    like the other weights. With more than two classes, there is one binary machine per class against the rest.

    Not thread-safe. `hinge.save` does not know this estimator; use pickle.

    Parameters
    ----------
    C : float, default=1.0
        Penalty for examples inside or on the wrong side of the margin, as in `sklearn.svm.SVC`, for the longest window
        with the kernel asked for; the other memories, which hold fewer examples or have a wider kernel, use 10 C.
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
        Violation of the optimality conditions at which the steps of a memory stop, if they do not exhaust their budget
        per example before.
    windows : sequence of int, default=(50, 200, 1000)
        Lengths of the windows. Memory grows with the square of the longest.
    max_informative : int or None, default=1000
        Number of informative examples to keep; None does without this memory.
    standardize : bool, default=True
        Divide each feature by its standard deviation, after subtracting its mean, over the longest window. Both follow
        the stream: they are computed again after 1, 2, 4, ... examples, each time the longest window has been
        replaced, and at each drift. Values further than five deviations from the mean are moved there.
    delta : float or None, default=0.002
        Significance level of the drift detector: bounds the chance of a false alarm at each check. None detects no
        drifts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    drifts_ : list of Drift
        The changes detected, with `position`, `start`, `error_before`, `error_after`, `time` and `start_time`.
    n_seen_ : int
        Number of examples learned.
    progressive_accuracy_ : float
        Share of the examples that were predicted correctly just before they were learned.
    n_features_in_ : int
        Number of features.

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

    _state: StreamState

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

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Forget everything and learn a stream from its beginning.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Examples, in the order of the stream.
        y : array-like of shape (n,)
            Labels.

        Returns
        -------
        self : object
            The estimator.
        """
        rows, labels = self._check_rows(X, y, None)
        state = self._new_state(rows.shape[1], ClassTable.of(labels))
        _learn(state, rows, labels, None)
        self._state = state
        return self

    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None, times: Sequence[Any] | None = None
    ) -> Self:
        """Learn more examples, in the order given; calls of any length give the same model.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Examples.
        y : array-like of shape (n,)
            Labels; new classes may appear at any time.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect, if they are known beforehand.
        times : sequence of length n, default=None
            When each example happened, for `drifts_`: dates, numbers, any objects.

        Returns
        -------
        self : object
            The estimator.
        """
        state: StreamState | None = vars(self).get("_state")
        if state is not None and times is None and classes is None and self._learn_ready_rows(state, X, y):
            return self
        rows, labels = self._check_rows(X, y, state)
        if times is not None and len(times) != len(labels):
            raise DataError(f"times must have one entry per row, {len(labels)} in all, got {len(times)}.")
        table = ClassTable.of(labels[:0]) if state is None else state.table
        if classes is not None:
            table = table.extended(as_classes(classes))
        table = table.extended(labels)
        if state is None:
            state = self._new_state(rows.shape[1], table)
        else:
            self._require_unchanged(state)
        state.know(table)
        self._state = state
        _learn(state, rows, labels, times)
        return self

    def decision_function(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the votes for each class.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Votes between 0 and 1 that add up to 1; they are not calibrated probabilities. With two classes the vote
            for `classes_[1]` minus that for `classes_[0]`.
        """
        votes = self._votes(X)
        return votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 else votes if votes.shape[1] > 2 else votes.ravel()

    def predict(self, X: MatrixLike) -> Labels:
        """Predict the class of examples that might come next in the stream.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        votes = self._votes(X)
        chosen: Labels = self._state.table.classes[votes.argmax(axis=1)]
        return chosen

    @property
    def classes_(self) -> Labels:
        """The classes, sorted."""
        return self._fitted().table.classes

    @property
    def drifts_(self) -> list[Drift]:
        """The changes detected."""
        return list(self._fitted().drifts)

    @property
    def n_seen_(self) -> int:
        """Number of examples learned."""
        return self._fitted().n_seen

    @property
    def progressive_accuracy_(self) -> float:
        """Share of the examples, but the first, that were predicted correctly just before they were learned."""
        state = self._fitted()
        return state.n_right / max(state.n_seen - 1, 1)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def _fitted(self) -> StreamState:
        if "_state" not in vars(self):  # scikit-learn's check is slow
            check_is_fitted(self)
        return self._state

    def _votes(self, X: MatrixLike) -> NDArray[np.float64]:
        state = self._fitted()
        rows = check_queries(self, X, _storage(state), sparse=False)
        self._require_small(rows)
        return state.votes(rows)

    def _learn_ready_rows(self, state: StreamState, X: MatrixLike, y: ArrayLike) -> bool:
        """Learn rows that need no conversion, of known classes; others take the slow checks, and this returns False."""
        if not (is_ready(X, _storage(state), self) and type(y) is np.ndarray and y.shape == X.shape[:1]):
            return False
        numbers = [state.numbers.get(label) for label in y.tolist()] if y.dtype == state.table.classes.dtype else [None]
        if None in numbers:
            return False
        self._require_unchanged(state)
        self._require_small(X)
        for row, class_number in zip(X, numbers, strict=True):
            state.learn(row, class_number)  # type: ignore[arg-type]
        return True

    def _check_rows(self, X: MatrixLike, y: ArrayLike, state: StreamState | None) -> tuple[Array, Labels]:
        rows, labels = check_examples(self, X, y, None if state is None else _storage(state), sparse=False)
        self._require_small(rows)
        return rows.astype(np.float64, copy=False), labels

    def _require_small(self, rows: Array) -> None:
        """Raise DataError for values that are not standardised and whose squares the memories cannot hold."""
        largest = _storage_of(rows.shape[1], np.float32).largest
        if not self.standardize and np.abs(rows).max() > largest:
            raise DataError(
                f"X must hold values of at most {largest:.3g} in size without standardize; scale the features."
            )

    def _require_unchanged(self, state: StreamState) -> None:
        if state.parameters != self._parameters():
            raise ParameterError("Parameters were changed after learning began; call fit, or use a new estimator.")

    def _parameters(self) -> tuple[Any, ...]:
        """Return the values of all parameters; `get_params` takes longer than learning a row."""
        kernel = (self.kernel, self.degree, self.gamma, self.coef0)
        return (self.C, *kernel, self.tol, tuple(self.windows), self.max_informative, self.standardize, self.delta)

    def _new_state(self, n_features: int, table: ClassTable) -> StreamState:
        choice("kernel", self.kernel, _KERNELS)
        check_kernel(self.kernel, self.degree, self.gamma, self.coef0)
        delta = None if self.delta is None else number("delta", self.delta, above=0, hint="a usual value is 0.002")
        return StreamState(self._memory_options(n_features), table, delta, self._parameters())

    def _window_lengths(self) -> list[int]:
        hint = "a usual choice is (50, 200, 1000)"
        if np.ndim(self.windows) != 1 or np.size(self.windows) == 0:
            raise ParameterError(f"windows must be a list of at least one length, got {self.windows!r}; {hint}.")
        return [whole("windows", length, at_least=2, at_most=_MAX_CAPACITY, hint=hint) for length in self.windows]

    def _memory_options(self, n_features: int) -> MemoryOptions:
        C = number("C", self.C, above=0, hint="a usual value is 1.0")
        factors = _GAMMA_FACTORS if self.kernel in _WITH_GAMMA else (1.0,)
        last, windows = len(factors) - 1, self._window_lengths()
        choices = [(0, size, C * _C_FACTOR, False) for size in windows]
        choices += [(last, size, C if size == max(windows) else C * _C_FACTOR, False) for size in windows]
        if self.max_informative is not None:
            hint = "None does without this memory"
            size = whole("max_informative", self.max_informative, at_least=2, at_most=_MAX_CAPACITY, hint=hint)
            choices.append((last, size, C * _C_FACTOR, True))
        gamma = -1.0 if self.gamma == "scale" else 1.0 / n_features if self.gamma == "auto" else float(self.gamma)
        return MemoryOptions(
            n_features,
            (self.kernel, gamma, float(self.coef0), int(self.degree)),
            factors,
            list(dict.fromkeys(choices)),  # a kernel without gamma has no wider one
            _MAX_SCORE if flag("standardize", self.standardize) else 0.0,
            number("tol", self.tol, above=0, hint="a usual value is 0.05"),
            _MAX_UPDATES,
        )


def _storage(state: StreamState) -> Storage:
    return _storage_of(state.options.n_features)


@lru_cache  # called for every row
def _storage_of(n_features: int, dtype: type[np.floating[Any]] = np.float64) -> Storage:
    return Storage(np.dtype(dtype), sparse=False, n_features=n_features)


def _learn(state: StreamState, rows: Array, labels: Labels, times: Sequence[Any] | None) -> None:
    for place, class_number in enumerate(state.table.encode(labels).tolist()):
        state.learn(rows[place], class_number, None if times is None else times[place])

"""The base class of approximate classifiers and regressors."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from hinge import _core
from hinge._fit import driver
from hinge._fit.estimator import KernelEstimator
from hinge._fit.progress import with_callbacks
from hinge._model.locking import reads, writes
from hinge._model.options import ApproximateOptions
from hinge._model.params import bound, choice, flag, number, whole, whole_or_word
from hinge.approximate._chunks import fit_chunks, is_chunks
from hinge.approximate._finishing import can_finish
from hinge.approximate._learner import ApproximateLearner, resolve_kernel
from hinge.approximate._maps import WITH_FREQUENCIES
from hinge.approximate._state import ApproximateState
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.types import Labels, MatrixLike, Rows
    from hinge._model.validation import PooledRows
    from hinge.approximate._chunks import Chunks

_AUTO_VISITS = 100_000  # epochs="auto" visits about so many rows in all passes
_MIN_PASSES = 3
_MIN_COST = 1e-100
_MIN_SHARE = 1e-6
_MAX_TOTAL = 10**15
# Which parameters of Algorithm 1 of the ASSET paper each rule uses.
_USED_BY: dict[str, set[str]] = {
    "adaptive": set(),
    "asset": {"n_total", "max_intercept", "gradient_bound", "gradient_sample"},
    "asset*": {"n_total"},
}


class ApproximateEstimator(KernelEstimator):
    """A linear model over approximate features of a kernel; see `ApproximateSVC` for the parameters."""

    C: float
    loss: str
    approximation: str
    n_components: int
    eigen_threshold: float | None
    relative_threshold: bool
    rank: int | None
    fit_intercept: bool
    steps: str
    n_total: int | None
    max_intercept: float | None
    gradient_bound: float | None
    gradient_sample: int | None
    with_replacement: bool
    epochs: int | str
    average_last: float
    half_life: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    tol: float

    _learner: ClassVar[ApproximateLearner] = ApproximateLearner()
    _losses: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def _validation_score(self, state: ApproximateState, X: Rows, y: Labels, weights: NDArray[np.float64]) -> float:
        """Compute the score of a state on checked rows that it has not learned."""

    def _approximate_options(self) -> ApproximateOptions:
        """Convert the parameters that all approximate models share to options."""
        common = self._common_options()
        approximation = choice("approximation", self.approximation, ("nystroem", "fourier"))
        if approximation == "fourier" and self.kernel not in WITH_FREQUENCIES:
            raise ParameterError(
                f"kernel must be 'rbf' or 'laplacian' with approximation='fourier', got {self.kernel!r}; "
                "approximation='nystroem' takes any kernel."
            )
        whole_or_word("epochs", self.epochs, ("auto",), at_least=1, hint="'auto' chooses a number for you")
        self._check_stopping()
        n_components = whole("n_components", self.n_components, at_least=1, hint="a usual value is 512")
        threshold, rank = self._check_threshold(), self._check_rank(approximation)
        average_share, average_steps = self._averaging()
        flag("with_replacement", self.with_replacement)
        linear = _core.LinearOptions(
            **common,
            loss=choice("loss", self.loss, self._losses),
            intercept=flag("fit_intercept", self.fit_intercept),
            steps=self._check_steps(),
            cost=self._check_cost(),
            penalty_total=self._check_total(),
            max_intercept=_positive("max_intercept", self.max_intercept),
            gradient_bound=_positive("gradient_bound", self.gradient_bound),
            average_share=average_share,
            average_steps=average_steps,
            half_life=self._check_half_life(),
        )
        relative = flag("relative_threshold", self.relative_threshold)
        sample = bound("gradient_sample", self.gradient_sample, at_least=1)
        return ApproximateOptions(linear, approximation, n_components, threshold, relative, rank, sample)

    def _check_steps(self) -> str:
        """Return the step rule, or raise ParameterError if another parameter does not go with it."""
        steps = choice("steps", self.steps, ("adaptive", "asset", "asset*"))
        if steps == "asset*" and self.fit_intercept:
            raise ParameterError(
                "fit_intercept must be False with steps='asset*', whose lengths need a strongly convex objective, got "
                "True; use steps='asset'."
            )
        used = _USED_BY[steps] if self.fit_intercept else _USED_BY[steps] - {"max_intercept"}
        for name in sorted(_USED_BY["asset"] - used):
            if getattr(self, name) is not None:
                raise ParameterError(
                    f"{name} must be None with steps={steps!r} and fit_intercept={self.fit_intercept!r}, which do not "
                    f"use it, got {getattr(self, name)!r}."
                )
        if self.gradient_bound is not None and self.gradient_sample is not None:
            raise ParameterError("gradient_sample must be None when gradient_bound is given; leave one of them out.")
        return steps

    def _check_rank(self, approximation: str) -> int | None:
        if self.rank is not None and approximation == "fourier":
            raise ParameterError(
                f"rank must be None with approximation='fourier', got {self.rank!r}; n_components is the number of "
                "Fourier features."
            )
        return bound("rank", self.rank, at_least=1)

    def _check_cost(self) -> float:
        cost = number("C", self.C, above=0, hint="a usual value is 1.0")
        if not _MIN_COST <= cost <= 1 / _MIN_COST:
            raise ParameterError(
                f"C must be from {_MIN_COST:g} to {1 / _MIN_COST:g}, got {cost:g}; a usual value is 1.0."
            )
        return cost

    def _check_stopping(self) -> None:
        flag("early_stopping", self.early_stopping)
        share = number("validation_fraction", self.validation_fraction, above=0, hint="a usual value is 0.1")
        if share >= 1:
            raise ParameterError(f"validation_fraction must be below 1, got {share:g}; a usual value is 0.1.")
        whole("n_iter_no_change", self.n_iter_no_change, at_least=1, hint="a usual value is 3")
        number("tol", self.tol, hint="a usual value is 1e-3")

    def _check_total(self) -> float:
        """Return the number of examples that a stream will have; 0 if it is not known."""
        if self.n_total is None:
            return 0.0
        return float(whole("n_total", self.n_total, at_least=1, at_most=_MAX_TOTAL, hint="None means 10 000"))

    def _check_half_life(self) -> float | None:
        if self.half_life is None:
            return None
        return number("half_life", self.half_life, at_least=1, hint="None forgets nothing")

    def _check_threshold(self) -> float | None:
        if self.eigen_threshold is None:
            return None
        threshold = number("eigen_threshold", self.eigen_threshold, at_least=0, hint="None chooses one for you")
        if self.relative_threshold and not threshold < 1:
            raise ParameterError(
                f"eigen_threshold must be a fraction of the largest eigenvalue, from 0 to below 1, got {threshold:g}; "
                "None chooses one for you."
            )
        return threshold

    def _averaging(self) -> tuple[float, int]:
        """Convert `average_last` to a share of the steps and a number of steps; one of them is 0."""
        last = self.average_last
        if isinstance(last, (int, np.integer)) and not isinstance(last, bool):
            return 0.0, whole("average_last", last, at_least=1, hint="0.5 is usual")
        share = number("average_last", last, above=0, hint="0.5, the last half of the steps, is usual")
        if not _MIN_SHARE <= share <= 1:
            raise ParameterError(
                f"average_last must be a share from {_MIN_SHARE:g} to 1.0 or a whole number of steps, got "
                f"{share:g}; 0.5 is usual."
            )
        return share, 0

    def _resolve_kernel(self, X: Rows, weights: NDArray[np.float64]) -> KernelSpec:
        """Return the kernel; the rows decide gamma if it is not a number."""
        return resolve_kernel(self, X, weights)

    def _n_passes(self, state: ApproximateState, n_rows: int) -> int:
        """Return the number of passes over `n_rows` rows; "auto" makes more passes over small training sets."""
        if not isinstance(self.epochs, str):
            return self.epochs
        n_passes = _MIN_PASSES if self._finishes(state, n_rows) else _AUTO_VISITS // max(n_rows, 1)
        return int(np.clip(n_passes, _MIN_PASSES, 100))

    def _finishes(self, state: ApproximateState, n_rows: int) -> bool:
        """Return whether Newton steps follow the passes over `n_rows` rows."""
        is_auto = isinstance(self.epochs, str) and not self.early_stopping
        return is_auto and can_finish(state.options, n_rows)

    def _require_complete_stream(self) -> None:
        """Raise DataError if a complete stream has too few classes."""

    def _take_rows(self, pool: PooledRows, rows: NDArray[np.int64]) -> Rows:
        return pool.X[rows]  # feature maps need arrays

    @writes
    def fit(
        self,
        X: MatrixLike | Chunks,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        max_time: float | None = None,
    ) -> Self:
        """Learn a training set, or a stream of chunks, from scratch, discarding what was learned before.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features), iterator, or callable
            Examples. For data larger than memory, pass an iterator of chunks (X, y) or (X, y, sample_weight) instead,
            without `y`, such as `hinge.datasets.read(path, chunk_size=10_000)`; it is consumed once, so `epochs` must
            be 1. A function without arguments that returns such an iterator is called for each pass. The rows of
            chunks are learned in the order given: shuffle them if they are sorted by class.
        y : array-like of shape (n,)
            Labels of any type, of at least two classes; the target values of a regressor.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row. Rows of weight 0 are left out.
        max_time : float, default=None
            Seconds to learn arrays for. After that, the model keeps what it has learned, and a ConvergenceWarning tells
            how far it got. None: no limit.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if is_chunks(X, y, sample_weight):
            if max_time is not None:
                raise ParameterError("max_time must be None for chunks, which can end at any time by themselves.")
            fit_chunks(self, X)
        else:
            self._fit_rows(X, y, sample_weight, max_time)
        return self

    @with_callbacks
    def _fit_rows(
        self, X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None, max_time: float | None
    ) -> Self:
        return driver.fit(self, X, y, sample_weight, max_time=max_time)

    @writes
    def end_stream(self) -> Self:
        """Mark the end of the first pass over a stream.

        If the stream was too short for its last feature map, this makes one of all its rows. Call it before
        `learn_again`.

        Returns
        -------
        self : object
            The estimator.
        """
        with driver.revising(self, ApproximateState) as (state, monitor):
            self._learner.end_stream(self, state, monitor)
        return self

    @writes
    def learn_again(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        random_state: np.random.RandomState | None = None,
    ) -> Self:
        """Learn rows of a later pass over a stream, in random order.

        `partial_fit` would count them as new examples, which changes the penalty of the weights.

        Parameters
        ----------
        X, y, sample_weight : array-like
            Rows that `partial_fit` has learned before.
        random_state : RandomState, default=None
            Chooses the order of the rows; None uses the parameter `random_state`.

        Returns
        -------
        self : object
            The estimator.
        """
        self._fitted_state()
        random = check_random_state(self.random_state) if random_state is None else random_state
        self._learn_again(X, y, sample_weight, random)
        return self

    def _require_no_forgetting(self) -> None:
        """Raise ParameterError if the model forgets: in a later pass no row is older than another."""
        if self.half_life is not None:
            raise ParameterError(
                f"half_life must be None if rows are learned again, got {self.half_life!r}; "
                "set it afterwards, or learn each row once."
            )

    def _learn_again(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None, random: np.random.RandomState
    ) -> None:
        self._require_no_forgetting()
        data = self._task.check(self, X, y, sample_weight, self._state)
        with driver.revising(self, ApproximateState) as (state, _):
            self._learner.learn_again(self, state, data, random)

    @property
    @reads
    def component_coef_(self) -> NDArray[np.float64]:
        """Averaged weights of the features of the map, one row per binary model."""
        return driver.state_of(self, ApproximateState).weights()

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Averaged weights of the columns of X, one row per binary model; for linear kernels only."""
        if self.kernel != "linear":
            raise AttributeError(
                f"Only a model with a linear kernel has coef_, got kernel={self.kernel!r}; component_coef_ has the "
                "weights of its features."
            )
        return self.component_coef_

    @property
    @reads
    def n_components_(self) -> int:
        """Number of features: the rank of the landmarks, or the number of frequencies."""
        return self._fitted_state().native.n_retained


def _positive(name: str, value: float | None) -> float | None:
    """Return a number above zero or None, or raise ParameterError."""
    return None if value is None else number(name, value, above=0, hint="None chooses one for you")

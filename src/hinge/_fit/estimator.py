"""The base class of all estimators: parameters, fitted attributes, predictions and copies."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from hinge._fit.progress import CallbackSupportMixin
from hinge._model.cache import cache_megabytes
from hinge._model.locking import lock_of, reads
from hinge._model.params import check_kernel, check_seed, check_threads, flag
from hinge._model.stream_watch import NO_RISKS
from hinge._model.threads import count_threads
from hinge._model.validation import check_queries, is_ready

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge._fit.learner import Learner
    from hinge._fit.passes import PassPlan
    from hinge._fit.tasks import Task
    from hinge._model.options import CommonOptions, SolverOptions
    from hinge._model.predictor import Predictor
    from hinge._model.progressive import ProgressiveScore
    from hinge._model.state import State
    from hinge._model.stream_watch import StreamRisks
    from hinge._model.types import ClassWeight, Gamma, Kernel, MatrixLike, RandomStateLike, Rows, Values
    from hinge._model.validation import PooledRows
    from hinge.streaming import StreamTraits

_SNAPSHOT_POLL_S = 0.005  # a prediction that waits for a brief call looks so often for a snapshot of the next one


class KernelEstimator(CallbackSupportMixin, BaseEstimator):
    """A kernel model that keeps learning.

    A subclass sets `_task` and `_learner`, has the parameters below and more of its own, and converts them to solver
    options in `_check_params`. `_fit.driver` does the rest.
    """

    kernel: Kernel
    degree: int
    gamma: Gamma
    coef0: float
    cache_size: float | str
    verbose: bool
    random_state: RandomStateLike
    n_jobs: int | None
    class_weight: ClassWeight = None
    calibration: str | None = None

    _task: ClassVar[Task]
    _learner: ClassVar[Learner[Any]]
    stream_traits: ClassVar[StreamTraits]
    _state: State

    # --- parameters ---

    @abstractmethod
    def _check_params(self, *, streaming: bool) -> SolverOptions:
        """Convert the parameters to solver options; raise ParameterError if they are invalid."""

    def _common_options(self) -> CommonOptions:
        """Convert the parameters that all estimators share to options."""
        check_kernel(*self._kernel_params)
        check_seed(self.random_state)
        check_threads(self.n_jobs)
        flag("verbose", self.verbose)
        megabytes = cache_megabytes(self.cache_size)
        return {"cache_bytes": int(min(megabytes * 2**20, 2**62)), "threads": count_threads(self.n_jobs)}

    def _options(self, *, streaming: bool) -> SolverOptions:
        """Return the solver options for a call that learns; subclasses may draw a seed."""
        return self._check_params(streaming=streaming)

    @property
    def _kernel_params(self) -> tuple[Kernel, int, Gamma, float]:
        return self.kernel, self.degree, self.gamma, self.coef0

    @property
    def _stream_risks(self) -> StreamRisks:
        """The shapes of streams that spoil the model."""
        return NO_RISKS

    @property
    def _cost(self) -> float:
        """Upper bound of the coefficient of an example of weight 1."""
        return 1.0

    def _selection_seed(self) -> int:
        """Return the seed for drawing candidates, if the solver selects examples."""
        return 0

    def _pass_plan(self, data: TrainingData) -> PassPlan:
        """Return the passes that `fit` makes over a training set."""
        raise NotImplementedError

    # --- the fitted model ---

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def _fitted_state(self) -> State:
        """Return the state, or raise NotFittedError."""
        if "_state" not in vars(self):  # scikit-learn's check is slow, and every call needs the state
            check_is_fitted(self)
        return self._state

    def _predictor(self) -> Predictor:
        """Return an immutable snapshot of the state for predictions.

        While another thread learns, it is the snapshot made before. There is none during brief calls, and it waits for
        these; a long call that follows publishes one, which ends the wait.
        """
        lock = lock_of(self)
        while (ready := self._fitted_state().predictor) is None:
            if not lock.is_writing:
                return self._make_snapshot()
            if lock.lock.acquire(timeout=_SNAPSHOT_POLL_S):
                try:
                    return self._make_snapshot()
                finally:
                    lock.lock.release()
        return ready

    @reads
    def _make_snapshot(self) -> Predictor:
        lock_of(self).note_reader()
        return self._fitted_state().make_snapshot()

    def _check_queries(self, X: MatrixLike, predictor: Predictor) -> Rows:
        """Return checked rows to predict."""
        return check_queries(self, X, predictor.storage, sparse=predictor.kernel.name != "precomputed")

    def _raw_decisions(self, X: MatrixLike) -> tuple[Predictor, NDArray[np.float64]]:
        """Return the snapshot, and its decision values, one column per native binary model."""
        predictor = self._predictor()
        return predictor, self._decide(predictor, self._check_queries(X, predictor))

    def _decide(self, predictor: Predictor, rows: Rows) -> NDArray[np.float64]:
        """Return decision values of checked rows."""
        check_threads(self.n_jobs)
        return predictor.decide(rows, count_threads(self.n_jobs))

    def _take_rows(self, pool: PooledRows, rows: NDArray[np.int64]) -> Rows:
        """Return some rows of a pool in the form that is fastest to predict or learn."""
        taken = pool.take(rows)
        return taken if is_ready(taken, self._fitted_state().storage, self) else pool.X[rows]

    # --- fitted attributes ---

    @property
    @reads
    def support_(self) -> NDArray[np.int64]:
        """Positions of the support vectors in the stream (after `fit`: rows of X), grouped by class."""
        return self._fitted_state().support().ids

    @property
    @reads
    def support_vectors_(self) -> Rows:
        """Support vectors in the order of `support_`; with a precomputed kernel an array without columns."""
        support = self._fitted_state().support()
        return support.vectors if self._state.kernel.name != "precomputed" else support.vectors[:, :0]

    @property
    @reads
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors per class."""
        return self._fitted_state().support().counts

    @property
    @reads
    def dual_coef_(self) -> NDArray[np.float64]:
        """Signed coefficients of the support vectors: one row for two classes, else one per class; ovo: as in `SVC`."""
        state = self._fitted_state()
        support = state.support()
        return state.table.pack(support.coefficients, support.counts)

    @property
    @reads
    def intercept_(self) -> NDArray[np.float64]:
        """Constant of each binary model, in the order of `dual_coef_` or of pairs of classes."""
        state = self._fitted_state()
        return state.table.arrange(state.native.bias[None, :]).ravel()

    @property
    @reads
    def n_iter_(self) -> int:
        """Number of solver steps so far in all binary models; each changed one coefficient or a pair."""
        return self._fitted_state().native.n_steps

    @property
    @reads
    def n_kernel_evals_(self) -> int:
        """Number of kernel values computed so far."""
        return self._fitted_state().native.n_kernel_evals

    @property
    def n_seen_(self) -> int:
        """Number of examples learned so far: after Ctrl-C in `partial_fit`, the rows from there on are the next."""
        return self._fitted_state().n_seen

    @property
    def fit_status_(self) -> int:
        """0 if the last training call converged, 1 if it issued a ConvergenceWarning."""
        return int(not self._fitted_state().converged)

    @property
    def progressive_score_(self) -> ProgressiveScore:
        """Counts of examples predicted just before learning them, and of mistakes, since creation or loading."""
        return self._fitted_state().progressive_score

    @property
    @reads
    def model_size_(self) -> int:
        """Number of support vectors, or of features of an approximate model."""
        return self._fitted_state().size()

    # --- copies ---

    @reads
    def _copied_state(self) -> State:
        """Return a copy of the state."""
        return self._fitted_state().copy()

    @reads
    def __getstate__(self) -> Values:
        # Copy the state while the lock is held: pickle serialises it later, when another thread may be learning.
        parts = {name: value for name, value in super().__getstate__().items() if name != "_lock"}
        if parts.get("_state") is not None and self._state.is_usable:
            parts["_state"] = self._copied_state()
        return parts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

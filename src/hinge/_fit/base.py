"""The template of every model here: fit, partial_fit, decide and predict over one state object."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

from hinge._fit.convergence import CUT_SHORT, warn_not_converged
from hinge._fit.progress import CallbackSupportMixin, progress_bar, with_callbacks
from hinge._model.attributes import FittedAttributes
from hinge._model.interrupts import Abandoned
from hinge._model.kernels import KernelSpec, check_gram
from hinge._model.labels import ClassTable, as_classes, as_labels, class_factors
from hinge._model.locking import reads, writes
from hinge._model.overflow import check_overflow, product, require_finite
from hinge._model.params import check_class_weight, check_kernel, check_seed, check_threads, flag, number
from hinge._model.state import State
from hinge._model.threads import count_threads, one_blas_thread
from hinge._model.validation import PooledRows, Storage, check_examples, check_queries, check_weights, is_ready
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hinge import _core
    from hinge._model.options import CommonOptions, SolverOptions

FITTED = ("_state", "n_features_in_", "feature_names_in_")


@dataclass(frozen=True)
class TrainingData:
    """Checked examples, ready to be learned."""

    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64]
    costs: NDArray[np.float64]  # C, if there is one, times weights; rows of cost 0 are passed over
    metadata: dict[str, Any]  # what scikit-learn's callbacks are told besides
    names: Sequence[Hashable] = ()  # the ids of the rows, in models that can be asked to forget them

    @property
    def used(self) -> NDArray[np.bool_]:
        """The rows that count."""
        return self.costs > 0

    def numbers(self, table: ClassTable) -> NDArray[np.int32]:
        """Return the native class number of every row; of rows that do not count, any."""
        numbers = np.zeros(len(self.y), dtype=np.int32)
        numbers[self.used] = table.encode(self.y[self.used])
        return numbers


class StreamingEstimator(FittedAttributes, CallbackSupportMixin, BaseEstimator):
    """A kernel machine that keeps learning, whatever it learns.

    A class that inherits from it has the parameters named below and some of its own, and checks them in
    `_check_params`.
    """

    kernel: str | Callable[[Any, Any], Any]
    degree: int
    gamma: str | float
    coef0: float
    cache_size: float
    verbose: bool
    random_state: Any
    n_jobs: int | None

    _state_class: type[State] = State

    @abstractmethod
    def _check_params(self, *, streaming: bool) -> SolverOptions:
        """Refuse parameters that make no sense, before anything changes; return what they mean to the machines."""

    def _common_options(self, *, streaming: bool) -> CommonOptions:  # noqa: ARG002
        """Check the parameters that all models share, and return the options that they mean."""
        check_kernel(self.kernel, self.degree, self.gamma, self.coef0)
        check_seed(self.random_state)
        check_threads(self.n_jobs)
        flag("verbose", self.verbose)
        megabytes = number("cache_size", self.cache_size, above=0, hint="it is in megabytes, a usual value is 200")
        return {"cache_bytes": int(min(megabytes * 2**20, 2**62)), "threads": count_threads(self.n_jobs)}

    def _options(self, *, streaming: bool) -> SolverOptions:
        """Return what the parameters mean in a call that learns; such a call may draw a seed besides."""
        return self._check_params(streaming=streaming)

    def _require_same(self, state: State) -> None:
        """Refuse parameters that no longer say what the coefficients of a state belong to."""
        state.kernel.require_same(self.kernel, self.degree, self.gamma, self.coef0)

    def _first_state(self, data: TrainingData, options: SolverOptions, table: ClassTable) -> State:
        kernel = KernelSpec.resolve(self.kernel, self.degree, self.gamma, self.coef0, X=data.X, weights=data.weights)
        return self._state_class(kernel, options, Storage.of(data.X), table)

    def _named(self, data: TrainingData, state: State | None, ids: Any) -> TrainingData:  # noqa: ARG002
        """Return the data with ids for its rows, in models that can be asked to forget them."""
        return data

    def _bounds(self, data: TrainingData) -> NDArray[np.float64]:
        """Return the largest coefficients that rows may get."""
        return data.costs

    def _require_columns(self, state: State, data: TrainingData, *, whole: bool) -> None:
        """Refuse kernel values that leave no room, or that cannot be those of the next examples of the stream."""
        check_overflow(data.X, state.kernel, self._bounds(data))
        if state.kernel.name != "precomputed":
            return
        first, n, columns = state.n_seen, len(data.y), state.storage.n_features
        if whole and n != columns:
            raise DataError(f"A precomputed kernel must be a square matrix in fit, got {n} rows and {columns} columns.")
        if first + n > columns:
            raise DataError(
                f"A precomputed kernel must have a column for every example of the stream, got {columns} columns for "
                f"{first + n} examples; give all columns from the first call on."
            )
        check_gram(data.X[:, first : first + n])

    def _learn(self, data: TrainingData, options: SolverOptions) -> None:
        """Learn the next examples of the stream."""
        state = self._state
        state.use(options)
        first = state.n_seen
        state.n_seen += len(data.y)  # at once: places must stay unique if the call is interrupted
        with state.products(), progress_bar(self.verbose) as bar, state.watched(bar) as monitor:
            self._show(data, first, monitor)

    def _show(self, data: TrainingData, first: int, monitor: _core.Monitor | None) -> None:
        """Show examples, which are at some place in the stream, to the machines once, in the order given."""
        state = self._state
        native, numbers = state.native, data.numbers(state.table)
        seed = self._selection_seed()
        for rows, batch in state.storage.batches(data.X):
            order = np.arange(rows.stop - rows.start, dtype=np.int64)
            costs, place = data.costs[rows], first + rows.start
            outcome = native.learn(batch, numbers[rows], costs, place, order, seed, monitor)
            state.tested.count(outcome)
            if outcome.stalled and state.warns_when_stalled:
                warn_not_converged(CUT_SHORT)

    def _selection_seed(self) -> int:
        """Return the seed with which a model draws the examples that it selects among."""
        return 0

    def _few(self, pool: PooledRows, rows: NDArray[np.int64]) -> Any:
        """Return a few rows of a pool in the form that takes the least time here."""
        taken = pool.take(rows)
        return taken if is_ready(taken, self._known().storage, self) else pool.X[rows]

    def _queries(self, X: Any) -> Any:
        """Return checked examples that the model is asked about."""
        state = self._known()
        return check_queries(self, X, state.storage, sparse=state.kernel.name != "precomputed")

    def _native_decisions(self, X: Any) -> tuple[ClassTable, NDArray[np.float64]]:
        """Return decision values of checked examples, one column a machine, and the classes that the machines knew."""
        state = self._known()
        check_threads(self.n_jobs)
        threads = count_threads(self.n_jobs)
        with state.products():
            decisions = state.decide(X, threads)
        return state.table, decisions if state.kernel.is_bounded else require_finite(decisions)

    @reads
    def _copied_state(self) -> State:
        """Return what the model knows at one moment; another thread may be waiting to learn."""
        return self._known().copy()

    @reads
    def __getstate__(self) -> dict[str, Any]:
        # Pickle would come to the state later, when another thread may be in the middle of learning.
        parts = {name: value for name, value in super().__getstate__().items() if name != "_turn"}
        if parts.get("_state") is not None and self._state.is_usable:
            parts["_state"] = self._copied_state()
        return parts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags


class StreamingClassifier(ClassifierMixin, StreamingEstimator):
    """A kernel classifier that keeps learning.

    A class that inherits from it says in `_train` how a whole training set is gone through.
    """

    class_weight: Mapping[Any, float] | str | None

    @property
    @reads
    def classes_(self) -> NDArray[Any]:
        """The labels known so far, sorted."""
        return self._known().table.classes

    @property
    def _cost(self) -> float:
        """The cost of an example of weight 1."""
        return 1.0

    def _common_options(self, *, streaming: bool) -> CommonOptions:
        options = super()._common_options(streaming=streaming)
        check_class_weight(self.class_weight, streaming=streaming)
        return options

    @abstractmethod
    def _train(self, data: TrainingData) -> None:
        """Go through the training set, starting from an empty `_state`."""

    @writes
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn a training set from nothing; what was known before is forgotten.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples. float32 and float64 are taken as they are, other numbers become float64. With a precomputed
            kernel: the square matrix of kernel values.
        y : array-like of shape (n,)
            Labels of any type, of two classes at least.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row (in a perceptron, the step). Rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None, ids: Any = None) -> Self:
        options = self._options(streaming=False)
        with unchanged_on_error(self, anew=True):
            data = self._named(self._lesson(*self._checked(X, y, None), sample_weight), None, ids)
            require_weight(data)
            table = ClassTable.of(data.y[data.used])
            if len(table) < 2:
                raise DataError(
                    "fit needs examples of at least two classes, got only one class of positive weight, "
                    f"{table.classes.tolist()[0]!r}; partial_fit may start with one."
                )
            state = self._first_state(data, options, table)
            self._require_columns(state, data, whole=True)
            state.n_seen = len(data.y)
            self._state = state
            with one_blas_thread():
                self._train(data)
        return self

    @writes
    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more examples, in the order given.

        The first call settles the kernel (`gamma="scale"` looks at its examples only), the precision and whether
        examples are kept dense or sparse. Later input is converted to that.

        Shuffle a stream that is sorted by class: every example is seen once, and while only one class has come only
        some of its examples are kept.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples. With a precomputed kernel the columns stand for all examples that will ever be learned: the
            t-th example of the stream is column t.
        y : array-like of shape (n,)
            Labels; new classes may appear at any call.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect, if they are known beforehand.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row (in a perceptron, the step). Rows of weight 0 are passed over.

        Returns
        -------
        self : object
            The estimator.
        """
        return self._partial_fit(X, y, classes, sample_weight)

    def _partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: ArrayLike | None, ids: Any = None
    ) -> Self:
        options = self._options(streaming=True)
        with unchanged_on_error(self):
            before = getattr(self, "_state", None)
            data = self._named(self._lesson(*self._checked(X, y, before), sample_weight), before, ids)
            self._state = self._next_state(before, data, options, classes)
            self._learn(data, options)
        return self

    @reads
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how far examples are on either side.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            With two classes one value an example, positive for `classes_[1]`; with more, one value a class.
        """
        table, decisions = self._decisions(X)
        return decisions if len(table) > 2 else decisions.ravel()

    @reads
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely class of examples; waits while another thread is inside `partial_fit`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        table, decisions = self._decisions(X)
        return table.choose(decisions)

    def _decisions(self, X: Any) -> tuple[ClassTable, NDArray[np.float64]]:
        """Return arranged decision values, and the classes that the machines knew when they gave them."""
        table, decisions = self._native_decisions(self._queries(X))
        return table, table.arrange(decisions)

    def _checked(self, X: Any, y: Any, state: State | None) -> tuple[Any, NDArray[Any]]:
        """Return checked examples and labels; the way of single rows with known labels is short."""
        if state is None:
            return check_examples(self, X, y, None, sparse=self.kernel != "precomputed")
        if is_ready(X, state.storage, self) and isinstance(y, (list, np.ndarray)):
            labels = as_labels(y)
            plain = labels.shape == X.shape[:1] and labels.dtype.kind != "c"
            if plain and state.table.positions(labels) is not None:
                return X, labels
        return check_examples(self, X, y, state.storage, sparse=self.kernel != "precomputed")

    def _lesson(self, X: Any, y: NDArray[Any], sample_weight: ArrayLike | None) -> TrainingData:
        weights = check_weights(sample_weight, len(y))
        costs = product(weights, self._cost, class_factors(self.class_weight, y, weights))
        return TrainingData(X, y, weights, costs, {} if sample_weight is None else {"sample_weight": weights})

    def _next_state(
        self, state: State | None, data: TrainingData, options: SolverOptions, classes: ArrayLike | None
    ) -> State:
        """Return the state that goes on learning, with all classes known."""
        known = ClassTable.of(data.y[:0]) if state is None else state.table
        named = known.extended(as_classes(classes)) if classes is not None else known
        table = named.extended(data.y[data.used])
        if state is None:
            require_weight(data)
            state = self._first_state(data, options, table)
        else:
            self._require_same(state)
        self._require_columns(state, data, whole=False)
        state = state.expendable()
        state.extend(table)
        return state


def random_seed(random_state: Any) -> int:
    """Return a seed for choices that the native code makes by itself."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def require_weight(data: TrainingData) -> None:
    """Refuse examples none of which counts."""
    if not data.used.any():
        raise DataError("Some row must have a weight above zero, got none; leave sample_weight out to use all rows.")


@contextmanager
def unchanged_on_error(estimator: Any, *, anew: bool = False) -> Iterator[None]:
    """Give an estimator back what it had learned when something goes wrong inside.

    Ctrl-C keeps a new state that can be used; one that began from nothing, as `anew` says, also must have learned
    something.
    """
    before = {name: vars(estimator)[name] for name in FITTED if name in vars(estimator)}
    try:
        yield
    except BaseException as error:
        state = vars(estimator).get("_state")
        usable = state is not None and state is not before.get("_state") and state.is_usable
        begun = anew or "_state" not in before
        if not usable or isinstance(error, (Exception, Abandoned)) or (begun and not state.has_learned):
            for name in FITTED:
                vars(estimator).pop(name, None)
            vars(estimator).update(before)
        raise

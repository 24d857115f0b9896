"""What approximate classifiers and regressors have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from operator import attrgetter
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from sklearn.utils import check_random_state

from hinge import _core
from hinge._fit.base import FITTED, StreamingEstimator, TrainingData, unchanged_on_error
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.kernels import KernelSpec
from hinge._model.locking import reads
from hinge._model.options import ApproximateOptions
from hinge._model.params import choice, flag, number, whole, whole_or_word
from hinge._model.threads import one_blas_thread
from hinge.approximate._learning import Part, Training, begin, end, stream
from hinge.approximate._maps import WITH_FREQUENCIES
from hinge.approximate._state import ApproximateState
from hinge.approximate._validating import Validation
from hinge.exceptions import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.labels import ClassTable
    from hinge._model.options import SolverOptions
    from hinge._model.state import State
    from hinge._model.validation import PooledRows

_MANY_STEPS = 100_000
_LEAST = 1e-100  # C
_SMALLEST_SHARE = 1e-6

# What the weights of a model belong to.
_SETTLED = {
    "approximation": "approximation",
    "n_components": "n_components",
    "eigen_threshold": "eigen_threshold",
    "loss": "linear.loss",
    "fit_intercept": "linear.intercept",
    "steps": "linear.adaptive",
}


class ApproximateEstimator(StreamingEstimator):
    """A linear machine over approximate features of a kernel.

    A class that inherits from it says in `_targets` what the machines are to learn, and has the parameters named below.
    """

    C: float
    loss: str
    approximation: str
    n_components: int
    eigen_threshold: float | None
    fit_intercept: bool
    steps: str
    epochs: int | str
    average_last: float
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    tol: float

    _state_class = ApproximateState
    _losses: tuple[str, ...] = ()

    @abstractmethod
    def _targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.float64]:
        """Return what the machines are to learn: class numbers or values."""

    @abstractmethod
    def _beginning(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> tuple[TrainingData, ApproximateState]:
        """Return checked examples and a new state that they settle."""

    @abstractmethod
    def _more(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        """Return checked examples of a model that has learned some; nothing about them may be new."""

    @abstractmethod
    def _take(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Learn the next examples of a stream."""

    @abstractmethod
    def _validation_score(self, X: Any, y: NDArray[Any], weights: NDArray[np.float64]) -> float:
        """Return how well the model answers checked rows that it has not learned."""

    def _approximate_options(self, *, streaming: bool) -> ApproximateOptions:
        """Check the parameters that all approximate models share."""
        common = self._common_options(streaming=streaming)
        approximation = choice("approximation", self.approximation, ("nystroem", "fourier"))
        if approximation == "fourier" and self.kernel not in WITH_FREQUENCIES:
            raise ParameterError(
                f"kernel must be 'rbf' or 'laplacian' with approximation='fourier', got {self.kernel!r}; "
                "approximation='nystroem' takes any kernel."
            )
        whole_or_word("epochs", self.epochs, ("auto",), at_least=1, hint="'auto' chooses a number for you")
        self._check_stopping()
        n_components = whole("n_components", self.n_components, at_least=1, hint="a usual value is 512")
        threshold = self._checked_threshold()
        average_share, average_steps = self._averaging()
        linear = _core.LinearOptions(
            **common,
            loss=choice("loss", self.loss, self._losses),
            intercept=flag("fit_intercept", self.fit_intercept),
            adaptive=choice("steps", self.steps, ("adaptive", "asset")) == "adaptive",
            cost=self._checked_cost(),
            average_share=average_share,
            average_steps=average_steps,
        )
        return ApproximateOptions(linear, approximation, n_components, threshold)

    def _checked_cost(self) -> float:
        cost = number("C", self.C, above=0, hint="a usual value is 1.0")
        if not _LEAST <= cost <= 1 / _LEAST:
            raise ParameterError(f"C must be from {_LEAST:g} to {1 / _LEAST:g}, got {cost:g}; a usual value is 1.0.")
        return cost

    def _check_stopping(self) -> None:
        flag("early_stopping", self.early_stopping)
        share = number("validation_fraction", self.validation_fraction, above=0, hint="a usual value is 0.1")
        if share >= 1:
            raise ParameterError(f"validation_fraction must be below 1, got {share:g}; a usual value is 0.1.")
        whole("n_iter_no_change", self.n_iter_no_change, at_least=1, hint="a usual value is 3")
        number("tol", self.tol, hint="a usual value is 1e-3")

    def _checked_threshold(self) -> float | None:
        if self.eigen_threshold is None:
            return None
        threshold = number("eigen_threshold", self.eigen_threshold, hint="None chooses one for you")
        if not 0 <= threshold < 1:
            raise ParameterError(
                f"eigen_threshold must be a part of the largest eigenvalue, from 0 to below 1, got {threshold:g}; "
                "None chooses one for you."
            )
        return threshold

    def _averaging(self) -> tuple[float, int]:
        """Return what `average_last` means: a share of the steps, or a number of them."""
        last = self.average_last
        if isinstance(last, (int, np.integer)) and not isinstance(last, bool):
            return 0.0, whole("average_last", last, at_least=1, hint="0.5 is usual")
        share = number("average_last", last, above=0, hint="0.5, the last half of the steps, is usual")
        if not _SMALLEST_SHARE <= share <= 1:
            raise ParameterError(
                f"average_last must be a share from {_SMALLEST_SHARE:g} to 1.0 or a whole number of steps, got "
                f"{share:g}; 0.5 is usual."
            )
        return share, 0

    def _require_same(self, state: State) -> None:
        super()._require_same(state)
        meant = {"steps": self.steps == "adaptive", "eigen_threshold": self._checked_threshold()}
        for name, field in _SETTLED.items():
            now = getattr(self, name)
            if meant.get(name, now) != attrgetter(field)(state.options):
                raise ParameterError(
                    f"{name} must stay what it was when learning began, got {now!r}; "
                    "set it back, or call fit to start from nothing."
                )

    def _few(self, pool: PooledRows, rows: NDArray[np.int64]) -> Any:
        return pool.X[rows]  # panels are made of arrays

    def _learn(self, data: TrainingData, options: SolverOptions) -> None:
        state = self._known_state()
        if not state.is_usable:
            with one_blas_thread():
                begin(state, self._part(data, 0), self._settled, self.random_state)
        super()._learn(data, options)

    def _settled(self, X: Any, weights: NDArray[np.float64]) -> KernelSpec:
        """Return the kernel with its width settled by some examples, if it is not given."""
        return KernelSpec.resolve(self.kernel, self.degree, self.gamma, self.coef0, X=X, weights=weights)

    def _passes(self, n_rows: int) -> int:
        """Return how many passes to make over so many rows; small sets take more, which cost little."""
        return int(np.clip(_MANY_STEPS // max(n_rows, 1), 3, 100)) if isinstance(self.epochs, str) else self.epochs

    def _bounds(self, data: TrainingData) -> NDArray[np.float64]:
        return data.costs / np.finfo(np.float64).max  # only how weights compare matters, if they are numbers

    def _part(self, data: TrainingData, first: int) -> Part:
        return Part(data.X, self._targets(data, self._state.table), data.costs, first)

    def _train(self, data: TrainingData) -> None:
        """Go through the training set, starting from an empty `_state`."""
        state, part = self._known_state(), self._part(data, 0)
        epochs = self._passes(len(part.used))
        training = Training(state, part, check_random_state(self.random_state), epochs)
        tasks = FitTasks(self, data.X, data.y, data.metadata, epochs)
        validation = None
        if self.early_stopping:
            held = training.hold_out(self.validation_fraction)
            X, y, weights = data.X[held], data.y[held], data.costs[held]
            score = lambda: self._validation_score(X, y, weights)  # noqa: E731
            validation = Validation(state, score, tol=self.tol, patience=self.n_iter_no_change)
        with progress_bar(self.verbose) as bar, state.watched(bar) as monitor:
            training.run(tasks, monitor, validation.is_enough if validation else lambda: False)
        if validation:
            validation.bring_back_best()
        tasks.end()

    def _show(self, data: TrainingData, first: int, monitor: _core.Monitor | None) -> None:
        state = self._known_state()
        part = self._part(data, first)
        for rows, block in state.storage.blocks(part.X):
            piece = Part(block, part.targets[rows], part.weights[rows], first + rows.start)
            stream(state, piece, self._settled, self.random_state, monitor)

    def _fit_chunks(self, chunks: Any) -> None:
        """Learn a stream of chunks from nothing: the first pass as `partial_fit` would, later ones in random order."""
        self._check_params(streaming=True)
        if self.early_stopping:
            raise ParameterError("early_stopping must be False with chunks, which are not kept; set epochs instead.")
        random = check_random_state(self.random_state)
        with unchanged_on_error(self, anew=True):
            for name in FITTED:
                self.__dict__.pop(name, None)
            epochs = 1 if isinstance(self.epochs, str) else self.epochs
            for number_of_pass, chunks_of_pass in enumerate(passes_over(chunks, epochs)):
                n_rows = 0
                for X, y, weights in map(unpacked, chunks_of_pass):
                    n_rows += len(y)
                    if number_of_pass == 0 and len(y):
                        self._take(X, y, weights)
                    elif len(y):
                        self._rehearse(X, y, weights, random)
                if n_rows == 0:
                    raise DataError(
                        f"There must be examples in each pass, got none in pass {number_of_pass + 1}; "
                        "a function must return a new iterator each time."
                    )
                if number_of_pass == 0:
                    self._require_enough()
                    self._end_stream()

    def _end_stream(self) -> None:
        """Draw landmarks from all examples where a stream was too short for its last map, before any further pass."""
        state = self._known_state()
        with one_blas_thread(), progress_bar(self.verbose) as bar, state.watched(bar) as monitor:
            end(state, self._settled, self.random_state, monitor)

    def _require_enough(self) -> None:
        """Refuse a stream that has come to its end and has too little in it."""

    def _rehearse(self, X: Any, y: Any, sample_weight: Any, random: np.random.RandomState) -> None:
        """Learn examples again that are counted already, in random order."""
        options = cast("ApproximateOptions", self._check_params(streaming=True))
        state, part = self._known_state(), self._part(self._more(X, y, sample_weight), 0)
        native = state.use(options.with_linear(total=max(state.native.n_examples, 1)))
        with one_blas_thread(), progress_bar(self.verbose) as bar, state.watched(bar) as monitor:
            for rows, batch in state.storage.batches(part.X):
                order = random.permutation(rows.stop - rows.start)
                native.learn(batch, part.targets[rows], part.weights[rows], rows.start, order, monitor)
        state.use(options)

    def _known_state(self) -> ApproximateState:
        return cast("ApproximateState", self._state)

    @property
    @reads
    def coef_(self) -> NDArray[np.float64]:
        """The averaged weights of the features, a row for each machine; with the linear kernel, of the columns of X."""
        return cast("ApproximateState", self._known()).weights()

    @property
    @reads
    def n_components_(self) -> int:
        """The number of features: the rank of the sample, or the number of frequencies."""
        return self._known().native.n_retained


def is_chunks(X: Any, y: Any, sample_weight: Any) -> bool:
    """Tell whether something is a stream of chunks rather than rows: an iterator, or a function that returns one."""
    if y is None and (isinstance(X, (str, PathLike)) or _is_list_of_chunks(X)):
        raise DataError(
            "Chunks must come from an iterator or from a function that returns one, got "
            f"a {type(X).__name__}; give iter(list), or hinge.datasets.read(path, chunk_size=10_000) for a file."
        )
    if not (isinstance(X, Iterator) or (callable(X) and not hasattr(X, "shape"))):
        return False
    if y is not None or sample_weight is not None:
        raise DataError(
            "y and sample_weight must be left out with an iterator or a function, whose chunks hold them; "
            "each chunk is (X, y) or (X, y, sample_weight)."
        )
    return True


def _is_list_of_chunks(X: Any) -> bool:
    """Tell whether something is a list of pairs of rows and labels."""
    return isinstance(X, (list, tuple)) and bool(X) and isinstance(X[0], tuple) and np.ndim(X[0][0]) == 2


def passes_over(chunks: Any, epochs: int) -> Iterator[Iterable[Any]]:
    """Yield the chunks of each pass."""
    if not callable(chunks):
        if epochs > 1:
            raise ParameterError(
                f"epochs must be 1 for an iterator, which can be gone through once, got {epochs}; "
                "give a function that returns one, which is called for each pass."
            )
        yield chunks
        return
    for _ in range(epochs):
        found = chunks()
        if not isinstance(found, Iterable):
            raise DataError(f"The function must return an iterator of chunks, got {type(found).__name__}.")
        yield found


def unpacked(chunk: Any) -> tuple[Any, Any, Any]:
    """Return the rows, labels and weights of a chunk."""
    if not isinstance(chunk, (tuple, list)) or len(chunk) not in (2, 3):
        raise DataError(
            f"Each chunk must be a pair (X, y), or (X, y, sample_weight), got {type(chunk).__name__}; "
            "hinge.datasets.read(path, chunk_size=...) yields such pairs."
        )
    if not hasattr(chunk[1], "__len__"):
        raise DataError(f"Each chunk must hold labels for its rows, got {type(chunk[1]).__name__}; give (X, y).")
    return chunk[0], chunk[1], chunk[2] if len(chunk) == 3 else None

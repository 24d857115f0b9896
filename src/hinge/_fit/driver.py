"""The common implementation of `fit` and `partial_fit`.

An estimator has a task (what to learn), a learner (how) and parameters. The driver validates all input before anything
changes, runs the learner, and installs the result:

- `fit` trains a new state. The old one answers predictions until the new one is complete.
- `partial_fit` and the other calls that change a state work on it in place. Models with a kernel function of the user,
  which may fail at any time, work on a copy instead.
- Invalid input raises before anything changes. After an error in `fit`, or in a kernel function, the estimator is what
  it was before. After Ctrl-C it keeps what has been learned, if that is usable. A warning turned into an error by a
  filter leaves the rows before it learned.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from hinge._fit.convergence import warn, warn_not_converged
from hinge._fit.progress import progress_bar
from hinge._fit.stream_warnings import watch_stream, watch_training_set
from hinge._model.interrupts import StepInterrupted
from hinge._model.locking import lock_of
from hinge._model.params import number
from hinge._model.progressive import ProgressiveScore
from hinge._model.state import State
from hinge._model.threads import one_blas_thread
from hinge._model.time_limit import TimeIsUp, TimeLimit
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._fit.tasks import Task
    from hinge._model.options import SolverOptions
    from hinge._model.types import IdList, MatrixLike, Values

Estimator = TypeVar("Estimator", bound="KernelEstimator")
StateT = TypeVar("StateT", bound=State)

FEATURES = ("n_features_in_", "feature_names_in_")


def fit(
    estimator: Estimator,
    X: MatrixLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    ids: IdList | None = None,
    *,
    max_time: float | None = None,
) -> Estimator:
    """Learn a training set from scratch, for at most some seconds."""
    task, learner = estimator._task, estimator._learner
    if max_time is not None:
        max_time = number("max_time", max_time, above=0, hint="seconds; None sets no limit")
    options = estimator._options(streaming=False)
    blank = unfitted(estimator)
    data = learner.with_ids(task.check(blank, X, y, sample_weight, None), None, ids)
    data.require_weight()
    table = task.classes(data.used_labels, None, None)
    task.require_enough(table)
    state = learner.new_state(estimator, data, options, table)
    learner.require_learnable(state, data, whole=True)
    state.n_seen = len(data)
    if estimator.calibration is not None:
        state.record_decisions()
    features = features_of(blank)
    with limiting(estimator, state, max_time), installing(estimator, state, features, fresh=True), one_blas_thread():
        learner.train(estimator, state, replace(data, features=features))
    state.progressive_score = ProgressiveScore()  # the passes of `fit` are not a stream
    watch_training_set(estimator, state, data)
    return estimator


def partial_fit(  # noqa: PLR0917
    estimator: Estimator,
    X: MatrixLike,
    y: ArrayLike | None,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
    ids: IdList | None = None,
) -> Estimator:
    """Learn the next rows of a stream."""
    options = estimator._options(streaming=True)
    before: State | None = vars(estimator).get("_state")
    if before is None:
        state, data, features = first_state(estimator, options, X, y, sample_weight, classes, ids)
    else:
        state, features = before, features_of(estimator)
        data = estimator._task.check(estimator, X, y, sample_weight, state)
        data = estimator._learner.with_ids(data, state, ids)
        estimator._learner.require_unchanged(estimator, state, options)
    table = estimator._task.classes(data.used_labels, state.table, classes)
    estimator._learner.require_learnable(state, data, whole=False)
    state = state.state_to_change()
    brief = _is_brief(estimator, state, len(data))
    with installing(estimator, state, features, fresh=before is None, brief=brief):
        if estimator.calibration is not None:
            state.record_decisions()
        state.announce(classes)
        for part in [data] if table is state.table else _parts(estimator._task, data, state, classes):
            estimator._learner.learn(estimator, state, part, options)
    watch_stream(estimator, state, data)
    return estimator


def _parts(task: Task, data: TrainingData, state: State, announced: ArrayLike | None) -> Iterator[TrainingData]:
    """Yield the next rows of a stream in parts, after telling the state which classes a part brings."""
    state.extend(task.classes(data.y[:0], state.table, announced))
    for part in task.parts(data, state.table):
        state.extend(task.classes(part.used_labels, state.table, None))
        yield part


def first_state(  # noqa: PLR0917
    estimator: KernelEstimator,
    options: SolverOptions,
    X: MatrixLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    classes: ArrayLike | None,
    ids: IdList | None = None,
) -> tuple[State, TrainingData, Values]:
    """Return a new state for the first rows of a stream, these rows validated, and their feature attributes."""
    task, learner = estimator._task, estimator._learner
    blank = unfitted(estimator)
    data = learner.with_ids(task.check(blank, X, y, sample_weight, None), None, ids)
    table = task.classes(data.y[:0], None, classes)
    return learner.start_stream(estimator, data, options, table), data, features_of(blank)


def finish(estimator: Estimator) -> Estimator:
    """Optimise the examples that an estimator holds until no violation exceeds its tolerance."""
    streaming: bool = getattr(state_of(estimator, State).options, "streaming", False)  # a stream keeps its reserve
    with revising(estimator, State, streaming=streaming) as (state, monitor):
        stalled = state.native.finish(monitor).stalled
        if stalled:
            warn_not_converged(state, "Finishing stalled")
    return estimator


@contextmanager
def revising(
    estimator: KernelEstimator, state_class: type[StateT], n_rows: int | None = None, *, streaming: bool = False
) -> Iterator[tuple[StateT, _core.Monitor | None]]:
    """Yield the state of an estimator to change, and the monitor for native calls; `n_rows` if few rows change."""
    options = estimator._options(streaming=streaming)
    known = state_of(estimator, state_class)
    estimator._learner.require_unchanged(estimator, known, options)
    state = known.state_to_change()
    brief = n_rows is not None and _is_brief(estimator, state, n_rows)
    with installing(estimator, state, features_of(estimator), brief=brief):
        state.use(options)
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.monitored(bar) as monitor:
            yield state, monitor


@contextmanager
def limiting(estimator: KernelEstimator, state: State, max_time: float | None) -> Iterator[None]:
    """Limit the seconds of a block that installs a state; when they are over, it keeps what it has learned and warns.

    Raise ParameterError if it has learned nothing.
    """
    state.limit = None if max_time is None else TimeLimit(max_time)
    try:
        yield
    except TimeIsUp:
        if vars(estimator).get("_state") is not state:
            raise ParameterError(
                f"max_time must leave time to learn some examples, got {max_time!r} seconds; allow more."
            ) from None
        warn(state, f"{state.limit}; allow more time, or call partial_fit with the other rows.")
    finally:
        state.limit = None


@contextmanager
def installing(
    estimator: KernelEstimator, state: State, features: Values, *, fresh: bool = False, brief: bool = False
) -> Iterator[None]:
    """Make a state that of an estimator when the block completes.

    Parameters
    ----------
    estimator : estimator
        The estimator. Meanwhile, predictions in other threads use a snapshot of its present state.
    state : State
        The present state, which the block changes in place, or a new one that replaces it.
    features : dict
        The fitted attributes with the number and the names of the features.
    fresh : bool
        Whether the state is new: after Ctrl-C it is kept only if it has learned something.
    brief : bool
        Whether the block takes less time than a snapshot; predictions in other threads then wait for it.
    """
    before: State | None = vars(estimator).get("_state")
    if before is not None:
        _prepare_readers(before, in_place=before is state, brief=brief)
    state.converged = True
    try:
        yield
    except BaseException as error:
        is_kept = (
            state.is_usable and (not fresh or state.has_learned) and not isinstance(error, (Exception, StepInterrupted))
        )
        if state is not before and is_kept:
            _install(estimator, state, features)
        raise
    finally:
        state.forget_derived()
        _refresh_snapshot(estimator, state)
    if state is not before:
        _install(estimator, state, features)


def _is_brief(estimator: KernelEstimator, state: State, n_rows: int) -> bool:
    return state.is_brief(n_rows, has_readers=lock_of(estimator).has_readers)


def _prepare_readers(state: State, *, in_place: bool, brief: bool) -> None:
    """Make or drop the snapshot that other threads predict with while a state changes or is replaced."""
    if in_place and brief:
        state.drop_snapshot()
    elif state.is_usable:
        state.make_snapshot()


def _refresh_snapshot(estimator: KernelEstimator, state: State) -> None:
    """Discard the snapshot of a state that has changed; replace it at once if other threads are using it."""
    if state.predictor is not None and state.is_usable and lock_of(estimator).has_readers:
        state.renew_snapshot()
    else:
        state.drop_snapshot()


@contextmanager
def replacing(estimator: Estimator) -> Iterator[Estimator]:
    """Yield an unfitted estimator with the same parameters; the estimator gets what it learns in the block."""
    fresh = unfitted(estimator)
    before: State | None = vars(estimator).get("_state")
    if before is not None and before.is_usable:
        before.make_snapshot()
    try:
        yield fresh
    except BaseException as error:
        if not isinstance(error, (Exception, StepInterrupted)) and "_state" in vars(fresh) and fresh._state.is_usable:
            _install(estimator, fresh._state, features_of(fresh))
        raise
    _install(estimator, fresh._state, features_of(fresh))


def _install(estimator: KernelEstimator, state: State, features: Values) -> None:
    """Replace state and features at once, so that other threads see either the old or the new ones."""
    attributes = estimator.__dict__
    for name in FEATURES:
        if name in attributes and name not in features:
            del attributes[name]
    attributes.update(features, _state=state)


def state_of(estimator: KernelEstimator, state_class: type[StateT]) -> StateT:
    """Return the state of an estimator, which must be of the given class; raise NotFittedError if there is none."""
    state = estimator._fitted_state()
    if not isinstance(state, state_class):
        raise TypeError(f"The state must be of class {state_class.__name__}, got {type(state).__name__}.")
    return state


def features_of(estimator: KernelEstimator) -> Values:
    """Return the fitted attributes with the number and the names of the features."""
    return {name: vars(estimator)[name] for name in FEATURES if name in vars(estimator)}


def unfitted(estimator: Estimator) -> Estimator:
    """Return an unfitted estimator with the same parameters; unlike `clone`, it does not copy them."""
    blank = object.__new__(type(estimator))
    fitted = ("_state", "_lock", *FEATURES)
    blank.__dict__.update({name: value for name, value in vars(estimator).items() if name not in fitted})
    return blank

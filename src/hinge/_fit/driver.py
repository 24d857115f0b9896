"""The one skeleton of `fit` and `partial_fit`.

An estimator brings a task (what is learned), a learner (how) and its parameters. The driver checks everything before
anything changes, lets the learner work, and publishes the result:

- `fit` trains a new state. The old one answers predictions until the new one is complete.
- `partial_fit` and the other calls that change a state work on it in place. Models with a kernel function of the user,
  which may fail at any time, work on a copy instead.
- Invalid input raises before anything changes. After an error in `fit`, or in a kernel function, the estimator is what
  it was before. After Ctrl-C it keeps what has been learned, if that is usable. A warning turned into an error by a
  filter leaves the rows before it learned.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from hinge._fit.convergence import warn_not_converged
from hinge._fit.progress import progress_bar
from hinge._model.interrupts import Abandoned
from hinge._model.state import State
from hinge._model.threads import one_blas_thread

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hinge import _core
    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.options import SolverOptions

Estimator = TypeVar("Estimator", bound="KernelEstimator")
StateT = TypeVar("StateT", bound=State)

FEATURES = ("n_features_in_", "feature_names_in_")


def fit(
    estimator: Estimator, X: Any, y: Any, sample_weight: ArrayLike | None, ids: Iterable[Hashable] | None = None
) -> Estimator:
    """Learn a training set from scratch."""
    task, learner = estimator._task, estimator._learner
    options = estimator._options(streaming=False)
    blank = unfitted(estimator)
    data = learner.name_rows(task.check(blank, X, y, sample_weight, None), None, ids)
    data.require_weight()
    table = task.classes(data, None, None)
    task.require_enough(table)
    state = learner.new_state(estimator, data, options, table)
    learner.require_learnable(state, data, whole=True)
    state.n_seen = len(data)
    features = features_of(blank)
    with publishing(estimator, state, features, fresh=True), one_blas_thread():
        learner.train(estimator, state, replace(data, features=features))
    return estimator


def partial_fit(  # noqa: PLR0917
    estimator: Estimator,
    X: Any,
    y: Any,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
    ids: Iterable[Hashable] | None = None,
) -> Estimator:
    """Learn the next rows of a stream."""
    options = estimator._options(streaming=True)
    before: State | None = vars(estimator).get("_state")
    if before is None:
        state, data, features = first_state(estimator, options, X, y, sample_weight, classes, ids)
    else:
        state, features = before, features_of(estimator)
        data = estimator._task.check(estimator, X, y, sample_weight, state)
        data = estimator._learner.name_rows(data, state, ids)
        estimator._learner.require_unchanged(estimator, state, options)
    table = estimator._task.classes(data, state.table, classes)
    estimator._learner.require_learnable(state, data, whole=False)
    state = state.expendable()
    brief = len(data) <= state.brief_rows
    with publishing(estimator, state, features, fresh=before is None, brief=brief):
        state.announce(classes)
        state.extend(table)
        estimator._learner.learn(estimator, state, data, options)
    return estimator


def first_state(  # noqa: PLR0917
    estimator: KernelEstimator,
    options: SolverOptions,
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None,
    classes: ArrayLike | None,
    ids: Iterable[Hashable] | None = None,
) -> tuple[Any, TrainingData, dict[str, Any]]:
    """Return the empty state that the first rows of a stream call for, these rows checked, and their features."""
    task, learner = estimator._task, estimator._learner
    blank = unfitted(estimator)
    data = learner.name_rows(task.check(blank, X, y, sample_weight, None), None, ids)
    table = task.classes(data, None, classes)
    data.require_weight()
    return learner.new_state(estimator, data, options, table), data, features_of(blank)


def finish(estimator: Estimator) -> Estimator:
    """Optimise the examples that an estimator holds until no violation exceeds its tolerance."""
    with revising(estimator, State) as (state, monitor):
        stalled = state.native.finish(monitor).stalled
        if stalled:
            warn_not_converged(state, "Finishing stalled")
    return estimator


@contextmanager
def revising(estimator: KernelEstimator, state_class: type[StateT]) -> Iterator[tuple[StateT, _core.Monitor | None]]:
    """Give the state of an estimator to change, and the monitor for native calls."""
    options = estimator._options(streaming=False)
    known = state_of(estimator, state_class)
    estimator._learner.require_unchanged(estimator, known, options)
    state = known.expendable()
    with publishing(estimator, state, features_of(estimator)):
        state.use(options)
        with one_blas_thread(), progress_bar(estimator.verbose) as bar, state.watched(bar) as monitor:
            yield state, monitor


@contextmanager
def publishing(
    estimator: KernelEstimator, state: State, features: dict[str, Any], *, fresh: bool = False, brief: bool = False
) -> Iterator[None]:
    """Make a state the one of an estimator when the work inside is done.

    Parameters
    ----------
    estimator : estimator
        Other threads get its predictions from the present state meanwhile; while brief work is done they wait.
    state : State
        The present state itself, which the work changes in place, or one that is to take its place.
    features : dict
        The attributes that say how many features there are, and what they are called.
    fresh : bool
        The state began with nothing: after Ctrl-C it is kept only if it has learned something.
    brief : bool
        The work takes less time than a prediction.
    """
    before: State | None = vars(estimator).get("_state")
    if before is not None and not brief and before.is_usable:
        before.publish()
    elif before is state:
        state.retract()
    try:
        yield
    except BaseException as error:
        is_kept = state.is_usable and (not fresh or state.has_learned) and not isinstance(error, (Exception, Abandoned))
        if state is not before and is_kept:
            _publish(estimator, state, features)
        raise
    finally:
        state.retract()
    if state is not before:
        _publish(estimator, state, features)


@contextmanager
def replacing(estimator: Estimator) -> Iterator[Estimator]:
    """Give an unfitted estimator with the same parameters; what it learns inside becomes the estimator's."""
    fresh = unfitted(estimator)
    before: State | None = vars(estimator).get("_state")
    if before is not None and before.is_usable:
        before.publish()
    try:
        yield fresh
    except BaseException as error:
        if not isinstance(error, (Exception, Abandoned)) and "_state" in vars(fresh) and fresh._state.is_usable:
            _publish(estimator, fresh._state, features_of(fresh))
        raise
    _publish(estimator, fresh._state, features_of(fresh))


def _publish(estimator: KernelEstimator, state: State, features: dict[str, Any]) -> None:
    """Replace state and features in one step, so that other threads see either all of the old or all of the new."""
    attributes = estimator.__dict__
    for name in FEATURES:
        if name in attributes and name not in features:
            del attributes[name]
    attributes.update(features, _state=state)


def state_of(estimator: KernelEstimator, state_class: type[StateT]) -> StateT:
    """Return the state of an estimator, which is of a known class, or raise NotFittedError."""
    state = estimator._fitted_state()
    if not isinstance(state, state_class):
        raise TypeError(f"The state must be of class {state_class.__name__}, got {type(state).__name__}.")
    return state


def features_of(estimator: KernelEstimator) -> dict[str, Any]:
    """Return the number and names of the features of an estimator."""
    return {name: vars(estimator)[name] for name in FEATURES if name in vars(estimator)}


def unfitted(estimator: Estimator) -> Estimator:
    """Return an estimator with the same parameters that has learned nothing; unlike `clone` it copies no parameter."""
    blank = object.__new__(type(estimator))
    fitted = ("_state", "_lock", *FEATURES)
    blank.__dict__.update({name: value for name, value in vars(estimator).items() if name not in fitted})
    return blank

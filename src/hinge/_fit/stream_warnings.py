"""Warnings about streams that spoil a model; docs/guide/bad-streams.md has the measurements behind them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from hinge import _core
from hinge._fit.convergence import caller_depth
from hinge._model.stream_watch import StreamWatch
from hinge.exceptions import StreamWarning

if TYPE_CHECKING:
    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.state import State

_MAX_RATIO = 10.0  # of gamma="scale" by recent rows to the value in use
_MAX_VIOLATION = 2.0  # the upkeep aims at 0.4
_MAX_BEHIND = 1000  # rows after which the violation was larger, minus those after which it was not


def watch_training_set(estimator: KernelEstimator, state: State, data: TrainingData) -> None:
    """Note the classes of a training set, which may stay away from the stream that follows."""
    watch = _watch_of(estimator, state)
    if watch.classes is not None:
        watch.classes.start(data.y[data.used])


def watch_stream(estimator: KernelEstimator, state: State, data: TrainingData) -> None:
    """Note rows that were learned; warn once if the stream is in a shape that this estimator does not survive."""
    watch = _watch_of(estimator, state)
    if watch.has_warned:
        return
    labels = data.used_labels
    watch.note_labels(labels)
    has_scale = estimator.gamma == "scale" and state.kernel.has_gamma and state.has_final_kernel
    follows_scale = watch.risks.fixed_scale and has_scale
    if len(labels) and (follows_scale or watch.needs_rows(sparse=state.storage.sparse)):
        watch.note_rows(data.used_rows, follows_scale=follows_scale)
    message = _class_message(watch) or _row_message(watch) or _scale_message(watch, state)
    message = message or _behind_message(watch, state, len(labels))
    if message is not None:
        watch.has_warned = True
        warnings.warn(message, StreamWarning, stacklevel=caller_depth())


def _watch_of(estimator: KernelEstimator, state: State) -> StreamWatch:
    """Return what the state remembers of its stream; it is reset if a parameter changes the risks."""
    risks = estimator._stream_risks
    if state.watch is None or state.watch.risks != risks:
        state.watch = StreamWatch(risks)
    return state.watch


def _class_message(watch: StreamWatch) -> str | None:
    classes = watch.classes
    if classes is None:
        return None
    if watch.risks.one_class_first and classes.only_class is not None:
        return (
            f"All of the first {classes.n_rows} rows have the label {classes.only_class!r}, and the first rows decide "
            "what the model can tell apart; shuffle the stream."
        )
    if watch.risks.pause is None or classes.pause is None:
        return None
    pause = classes.pause
    return (
        f"For {pause.length} rows or more there was no example of the class {pause.label!r}, which had "
        f"{100 * pause.share:.1f} % of the rows before, and the model may lose it; shuffle the stream, mix in older "
        "rows, or use TrackingSVC or IncrementalSVC without max_examples, which keep all examples."
    )


def _row_message(watch: StreamWatch) -> str | None:
    if watch.repetition is not None and watch.repetition.n_different is not None:
        return (
            f"Only {watch.repetition.n_different} of the last 1000 rows were different, and repetitions displace what "
            "the model knows about other rows; drop repeated rows from the stream."
        )
    if watch.order is not None and watch.order.feature is not None:
        return (
            f"The last 1000 rows were sorted by the feature in column {watch.order.feature}, and the model may lose "
            "what it knows about others; shuffle the stream, or use OnlineSVC with its default parameters."
        )
    return None


def _scale_message(watch: StreamWatch, state: State) -> str | None:
    variance, used = watch.scale.variance, state.kernel.gamma
    if not variance or 1 / _MAX_RATIO < (wanted := 1.0 / (variance * state.storage.n_features)) / used < _MAX_RATIO:
        return None
    return (
        f"gamma='scale' is {used:.3g} by the first rows, but would be {wanted:.3g} by the last 1000; scale the "
        "features, or give gamma as a number and start again."
    )


def _behind_message(watch: StreamWatch, state: State, n_rows: int) -> str | None:
    if not isinstance(state.options, _core.LasvmOptions) or not state.options.upkeep:
        return None
    violation = float(state.native.violation.max(initial=0.0))
    watch.n_behind = max(watch.n_behind + (n_rows if violation > _MAX_VIOLATION else -n_rows), 0)
    if watch.n_behind < _MAX_BEHIND:
        return None
    return (
        f"The model has not kept up with its optimum for {watch.n_behind} rows: the largest violation is "
        f"{violation:.2g} where 0.4 is the aim; call finish() before predicting, or choose a smaller C."
    )

"""Warnings about streams that spoil a model; docs/bad-streams.md has the measurements behind them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from hinge._fit.convergence import caller_depth
from hinge.exceptions import StreamWarning

if TYPE_CHECKING:
    from hinge._fit.data import TrainingData
    from hinge._fit.estimator import KernelEstimator
    from hinge._model.state import State


def watch_stream(estimator: KernelEstimator, state: State, data: TrainingData) -> None:
    """Note rows that were learned; warn once if the stream is in a shape that this estimator does not survive."""
    watch, risks = state.watch, estimator._stream_risks
    if not risks or watch.has_warned:
        return
    data = data if data.is_all_used else data.selected(data.used)
    message = None
    pause = watch.find_pause(data.y)
    if "one class first" in risks and watch.only_class is not None:
        message = (
            f"All of the first {watch.n_rows} rows have the label {watch.only_class!r}, and the first rows decide what "
            "the model can tell apart; shuffle the stream."
        )
    elif "pause" in risks and pause is not None:
        label, length, share = pause
        message = (
            f"For {length} rows or more there was no example of the class {label!r}, which had {100 * share:.1f} % of "
            "the rows before, and the model may forget it; shuffle the stream, mix in older rows, or use TrackingSVC "
            "or IncrementalSVC without max_examples, which do not forget."
        )
    elif "repetition" in risks and (n_different := watch.find_repetition(data.X)) is not None:
        message = (
            f"Only {n_different} of the last 1000 rows were different, and repetitions displace what the model knows "
            "about other rows; drop repeated rows from the stream."
        )
    if message is not None:
        watch.has_warned = True
        warnings.warn(message, StreamWarning, stacklevel=caller_depth())

"""Advice on when to stop labelling, in plain words.

The advice is to stop when the predictions no longer change as labels accumulate: Cohen's kappa between the models at
successive points of the learning curve is at least 0.99 three times in a row (Bloodgood and Vijay-Shanker, CoNLL 2009).
The points are at fixed numbers of labels, each a quarter more than the last. So the advice is a function of the labels
and survives a restart.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from sklearn.metrics import cohen_kappa_score

from hinge.web._learning_curve import MAX_LABELS, curve_sizes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hinge.web._labels import LabelRecord
    from hinge.web._learning_curve import Point

_STABLE_KAPPA, _STABLE_TIMES = 0.99, 3
_LOW_ACCURACY = 0.9


class StopAdvice(TypedDict):
    """Whether to stop labelling, and why; facts are the figures behind it, in words."""

    stop: bool
    reason: str
    facts: list[str]


def stop_advice(records: Collection[LabelRecord], curve: Sequence[Point], n_examples: int) -> StopAdvice:
    """Return advice for labels, and the learning curve that is known so far."""
    if len(records) == n_examples:
        return _advice(True, "Every example has a label.")
    n_classes = len({record.label for record in records})
    if n_classes < 2:
        return _advice(False, "Label examples of at least two classes, so that the model can learn.")
    points = _spaced(curve)
    if len(points) < 2:
        return _advice(False, "It is too early to tell: there is too little to compare yet.")
    changes = [(before, after, _changed(before, after)) for before, after in pairwise(points)]
    before, after, changed = changes[-1]
    facts = [
        f"Between {one.labels} and {other.labels} labels, {_percent(share)} of the predictions changed."
        for one, other, share in changes[-_STABLE_TIMES:]
    ]
    last = [_kappa(one, other) for one, other in pairwise(points[-_STABLE_TIMES - 1 :])]
    if len(records) > MAX_LABELS:
        facts.append(f"The figures are those of the first {MAX_LABELS} labels.")
    if len(last) == _STABLE_TIMES and min(last) >= _STABLE_KAPPA:
        first = points[-_STABLE_TIMES - 1].labels
        reason = f"The predictions have hardly changed since {first} labels, so more labels are unlikely to help."
        return _advice(True, reason + _low_accuracy(curve[-1]), facts)
    reason = f"The model still learns: the labels {before.labels + 1} to {after.labels} changed {_percent(changed)} of"
    return _advice(False, f"{reason} its predictions.", facts)


def _advice(stop: bool, reason: str, facts: Sequence[str] = ()) -> StopAdvice:
    return {"stop": stop, "reason": reason, "facts": list(facts)}


def _spaced(curve: Sequence[Point]) -> list[Point]:
    """Return the points with predictions at the fixed numbers of labels, without one for the labels of the moment."""
    fixed = set(curve_sizes(MAX_LABELS))
    return [point for point in curve if point.predictions is not None and point.labels in fixed]


def _changed(before: Point, after: Point) -> float:
    return float(np.mean(before.predictions != after.predictions))


def _kappa(before: Point, after: Point) -> float:
    """Return Cohen's kappa; 0 if a model predicts one class only, since agreement may then be chance."""
    one, other = before.predictions, after.predictions
    if one is None or other is None or min(len(np.unique(one)), len(np.unique(other))) < 2:
        return 0.0
    return float(cohen_kappa_score(one, other))


def _low_accuracy(point: Point) -> str:
    if not point.high < _LOW_ACCURACY:  # also if it is unknown
        return ""
    return (
        f" The accuracy stays near {_percent(point.accuracy)}, however: other features of the examples, or a look at "
        "the doubtful labels, can do more than new labels."
    )


def _percent(share: float) -> str:
    """Return a share in words.

    Examples
    --------
    >>> _percent(0.0), _percent(0.004), _percent(0.126)
    ('none', '0.4 %', '13 %')
    """
    if share == 0:
        return "none"
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"

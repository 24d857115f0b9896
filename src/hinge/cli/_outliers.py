"""Models of one class: what they say about rows, in words and in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import roc_auc_score

from hinge.cli._models import is_detector, is_regression

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hinge.cli._material import Examples

NORMAL, OUTLIER = "normal", "outlier"


@dataclass(frozen=True)
class Outliers:
    """What a model of one class says about rows.

    Attributes
    ----------
    rows : int
        Rows that count as normal.
    called : float or None
        The share of them that it calls outliers, in per cent.
    others : int
        Rows that do not count as normal.
    found : float or None
        The share of those that it calls outliers, in per cent.
    roc_area : float or None
        The probability that it thinks a normal row more normal than another one.
    new : bool
        None of these rows was learned.
    """

    rows: int
    called: float | None
    others: int
    found: float | None
    roc_area: float | None
    new: bool


def judge(model: Any, examples: Iterable[Examples], *, new: bool) -> Outliers | None:
    """Return what a model says about examples, if any, whose labels are +1 where they count as normal, else -1."""
    parts = [(y, model.decision_function(X)) for X, y in examples]
    if not parts:
        return None
    normal = np.concatenate([y for y, _ in parts]) > 0
    scores = np.concatenate([decisions for _, decisions in parts])
    outside = scores < 0
    return Outliers(
        rows=int(np.count_nonzero(normal)),
        called=_per_cent(outside[normal]),
        others=int(np.count_nonzero(~normal)),
        found=_per_cent(outside[~normal]),
        roc_area=roc_area(normal, scores),
        new=new,
    )


def roc_area(truth: NDArray[np.bool_], scores: NDArray[np.float64]) -> float | None:
    """Return the area under the ROC curve, where there are rows of both kinds."""
    return float(roc_auc_score(truth, scores)) if len(np.unique(truth)) == 2 else None


def answers(model: Any, X: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return labels, or the values of a regression, and decisions, one column a function, which are computed once."""
    if is_regression(model):
        values: NDArray[np.float64] = model.predict(X)
        return values, values[:, None]
    if is_detector(model):
        decisions = model.decision_function(X)
        return in_words(decisions >= 0), decisions[:, None]
    table, decisions = model._decisions(X)
    return table.choose(decisions), decisions


def in_words(normal: NDArray[np.bool_]) -> NDArray[Any]:
    """Return what is said of rows that are normal, and of rows that are not."""
    return np.where(normal, NORMAL, OUTLIER)


def _per_cent(which: NDArray[np.bool_]) -> float | None:
    return 100.0 * float(np.mean(which)) if len(which) else None

"""How well a model predicts rows whose labels are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hinge.cli._predictions import predict_rows, roc_auc
from hinge.cli._values import ValueScore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hinge.streaming import Model
    from hinge.tables import Answers, Examples


@dataclass(frozen=True)
class OutlierMetrics:
    """How a one-class model judges rows. The fields are those of the JSON output.

    Attributes
    ----------
    rows : int
        Number of normal rows.
    called : float or None
        Percentage of the normal rows that the model calls outliers: false alarms.
    others : int
        Number of rows that are not normal.
    found : float or None
        Percentage of these that the model calls outliers.
    roc_area : float or None
        Area under the ROC curve.
    new : bool
        The model has learned none of these rows.
    """

    rows: int
    called: float | None
    others: int
    found: float | None
    roc_area: float | None
    new: bool


def error_percent(model: Model, examples: Iterable[Examples], answers: Answers | None = None) -> float:
    """Return the percentage of examples that a classifier predicts wrongly."""
    mistakes = total = 0
    for X, y in examples:
        predictions = model.predict(X) if answers is None else predict_rows(model, X, answers)[0]
        mistakes += int(np.sum(predictions != y))
        total += len(y)
    return 100.0 * mistakes / max(total, 1)


def value_score(model: Model, examples: Iterable[Examples], answers: Answers) -> ValueScore:
    """Compare the values that a regressor predicts with the true ones."""
    score = ValueScore()
    for X, y in examples:
        score.add(y, answers.to_values(model.predict(X)))
    return score


def outlier_metrics(model: Model, examples: Iterable[Examples], *, new: bool) -> OutlierMetrics | None:
    """Compare a one-class model with labels that are +1 for normal rows and -1 for others; None without rows."""
    parts = [(y, model.decision_function(X)) for X, y in examples]
    if not parts:
        return None
    is_normal = np.concatenate([y for y, _ in parts]) > 0
    scores = np.concatenate([decisions for _, decisions in parts])
    is_called = scores < 0
    return OutlierMetrics(
        rows=int(np.count_nonzero(is_normal)),
        called=_percent(is_called[is_normal]),
        others=int(np.count_nonzero(~is_normal)),
        found=_percent(is_called[~is_normal]),
        roc_area=roc_auc(is_normal, scores),
        new=new,
    )


def _percent(flags: NDArray[np.bool_]) -> float | None:
    return 100.0 * float(np.mean(flags)) if len(flags) else None

"""When to stop asking for labels: further ones are unlikely to change the model.

Two criteria, evaluated on rows that are drawn from the pool once:

    empty margin        An example beyond the margin, on the side of its class, does not change an exact SVM. When no
                        unlabelled row is inside the margin of any decision function, labels as the model predicts them
                        change nothing (Schohn and Cohn, ICML 2000). Does not apply to models without a margin.
    stable predictions  Predictions for the same rows stop changing as labels accumulate: Cohen's kappa between
                        successive models, at least a tenth more labels apart, is at least 0.99 three times in a row
                        (Bloodgood and Vijay-Shanker, CoNLL 2009, with growing steps).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import cohen_kappa_score
from sklearn.utils import check_random_state

from hinge.active._model_access import has_margin
from hinge.active._rows import take_rows

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import Labels, RowsLike

_MAX_MONITORED_ROWS = 1000
_MIN_NEW_LABELS, _MIN_NEW_LABEL_SHARE = 10, 0.1  # between two comparisons: a number, and a share of all labels
_STABLE_KAPPA, _STABLE_TIMES = 0.99, 3
_MIN_LABELS = 20  # before that, the advice is always to continue


@dataclass(frozen=True)
class Advice:
    """Whether to stop asking for labels.

    Attributes
    ----------
    stop : bool
        Further labels are unlikely to change the model.
    reason : str
        Why, or why not, in one sentence.
    inside : float or None
        Share of the unlabelled rows, among those monitored, that are inside the margin; None if the model has no
        margin, or if no such row is left.
    agreement : float or None
        Cohen's kappa between the last two models compared, from 1 (identical predictions) to 0 (chance); None until
        two models have been compared.
    """

    stop: bool
    reason: str
    inside: float | None = None
    agreement: float | None = None


class StoppingMonitor:
    """Compares the predictions of successive models for the same rows.

    Parameters
    ----------
    rows : ndarray
        All rows of the pool.
    seed : int
        Seed for the choice of the rows to monitor.
    """

    def __init__(self, rows: NDArray[np.int64], seed: int) -> None:
        random = check_random_state(seed)
        chosen = random.choice(rows, _MAX_MONITORED_ROWS, replace=False) if len(rows) > _MAX_MONITORED_ROWS else rows
        self._rows, self._n_rows = np.sort(chosen), len(rows)
        self._predictions: Labels | None = None
        self._n_labels = 0  # at the last comparison
        self._agreements: list[float] = []

    def advise(self, model: BaseEstimator | None, X: RowsLike, labelled: Collection[int]) -> Advice:
        """Return advice about a model; None stands for a model that does not know two classes yet."""
        n = len(labelled)
        if n == self._n_rows:
            return Advice(True, "All rows have labels.")
        if model is None:
            return Advice(False, "The model has not seen two classes yet.")
        rows = take_rows(X, self._rows)
        self._compare(model, rows, n)
        unlabelled = np.array([row not in labelled for row in self._rows.tolist()], dtype=bool)
        inside = _share_inside_margin(model, rows, unlabelled)
        agreement = self._agreements[-1] if self._agreements else None
        stop, reason = self._decide(n, inside, int(unlabelled.sum()))
        return Advice(stop, reason, inside, agreement)

    def _compare(self, model: BaseEstimator, rows: RowsLike, n_labels: int) -> None:
        if n_labels < self._n_labels:  # labels were removed, and the model may change again
            self._agreements.clear()
        elif n_labels < self._n_labels + max(_MIN_NEW_LABELS, _MIN_NEW_LABEL_SHARE * self._n_labels):
            return
        predictions = model.predict(rows)
        if self._predictions is not None:
            self._agreements.append(_kappa(self._predictions, predictions))
        self._predictions, self._n_labels = predictions, n_labels

    def _decide(self, n_labels: int, inside: float | None, n_unlabelled: int) -> tuple[bool, str]:
        if n_labels < _MIN_LABELS:
            return False, f"There are fewer than {_MIN_LABELS} labels."
        if not n_unlabelled:
            return True, "All monitored rows have labels."
        if inside == 0:
            return True, "No unlabelled row is inside the margin, so labels as predicted would change nothing."
        last = self._agreements[-_STABLE_TIMES:]
        if len(last) == _STABLE_TIMES and min(last) >= _STABLE_KAPPA:
            return True, f"The last {_STABLE_TIMES + 1} models agree about the pool (kappa at least {min(last):.3f})."
        if not self._agreements:
            return False, "There are no two models to compare yet; ask again after more labels."
        return False, "The predictions of the model still change."


def _kappa(before: Labels, after: Labels) -> float:
    """Return Cohen's kappa; 0 if a model predicts one class only, since agreement may then be chance."""
    if bool(np.all(before == before[0])) or bool(np.all(after == after[0])):
        return 0.0
    return float(cohen_kappa_score(before, after))


def _share_inside_margin(model: BaseEstimator, rows: RowsLike, unlabelled: NDArray[np.bool_]) -> float | None:
    """Return the share of unlabelled rows that are inside the margin of a decision function."""
    if not has_margin(model) or not unlabelled.any():
        return None
    values = np.abs(np.asarray(model.decision_function(rows), dtype=np.float64))[unlabelled]
    return float((values < 1).any(axis=1).mean() if values.ndim == 2 else (values < 1).mean())

"""When to stop asking: further labels are unlikely to change the model.

Two signs, looked for on rows drawn from the pool once and for all:

    nothing inside     An exact SVM is not changed by an example beyond the margin on the side where it is expected to
                       be. When no row without a label is inside the margin of any machine, labels as the model expects
                       them change nothing (Schohn and Cohn, ICML 2000). Models that have no margin are judged by their
                       answers alone.
    answers settled    The model says the same about the same rows as labels accumulate: Cohen's kappa between
                       successive models, at least a tenth more labels apart, is above 0.99 three times in a row
                       (Bloodgood and Vijay-Shanker, CoNLL 2009, with steps that grow).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import cohen_kappa_score
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import check_random_state

from hinge._fit.base import StreamingClassifier
from hinge.active._rows import take_rows
from hinge.perceptron import KernelPerceptron
from hinge.tables import PreparedClassifier

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

_LOOKED_AT = 1000
_FIRST_STEP, _STEP = 10, 0.1  # labels between two looks: so many, and this share of all
_SETTLED, _TIMES = 0.99, 3
_FEWEST = 20  # labels below which nothing is settled


@dataclass(frozen=True)
class Advice:
    """Whether to go on asking.

    Attributes
    ----------
    stop : bool
        Further labels are unlikely to change the model.
    reason : str
        Why, or why not, in one sentence.
    inside : float or None
        The share of rows without a label, of those looked at, that are inside the margin; None where the model has
        none, and when no such row is left.
    agreement : float or None
        How far the last two models that were looked at agree, from 1 (always) to 0 (as by chance); None while there are
        not two.
    """

    stop: bool
    reason: str
    inside: float | None = None
    agreement: float | None = None


class Adviser:
    """Remembers what successive models said about the same rows.

    Parameters
    ----------
    rows : ndarray
        All rows of the pool.
    seed : int
        Seed of the choice of rows to look at.
    """

    def __init__(self, rows: NDArray[np.int64], seed: int) -> None:
        random = check_random_state(seed)
        some = random.choice(rows, _LOOKED_AT, replace=False) if len(rows) > _LOOKED_AT else rows
        self._rows, self._n_rows = np.sort(some), len(rows)
        self._said: NDArray[Any] | None = None
        self._at = 0
        self._agreements: list[float] = []

    def advise(self, model: Any, X: Any, labelled: Collection[int]) -> Advice:
        """Return advice about a model; None for one that knows too little to be asked."""
        n = len(labelled)
        if n == self._n_rows:
            return Advice(True, "All rows have labels.")
        if model is None:
            return Advice(False, "The model has not seen two classes yet.")
        rows = take_rows(X, self._rows)
        self._compare(model, rows, n)
        is_open = np.array([row not in labelled for row in self._rows.tolist()], dtype=bool)
        inside = _share_inside(model, rows, is_open)
        agreement = self._agreements[-1] if self._agreements else None
        return self._judge(n, inside, agreement, int(is_open.sum()))

    def _compare(self, model: Any, rows: Any, n: int) -> None:
        if n < self._at:  # labels were taken back: what was settled need not be any more
            self._agreements.clear()
        elif n < self._at + max(_FIRST_STEP, _STEP * self._at):
            return
        said = model.predict(rows)
        if self._said is not None:
            self._agreements.append(_agreement(self._said, said))
        self._said, self._at = said, n

    def _judge(self, n: int, inside: float | None, agreement: float | None, n_open: int) -> Advice:
        if n < _FEWEST:
            return Advice(False, f"Fewer than {_FEWEST} labels have come.", inside, agreement)
        if not n_open:
            return Advice(True, "All rows looked at have labels.", inside, agreement)
        if inside == 0:
            reason = "No row without a label is inside the margin: labels as expected would change nothing."
            return Advice(True, reason, inside, agreement)
        last = self._agreements[-_TIMES:]
        if len(last) == _TIMES and min(last) >= _SETTLED:
            reason = f"The last {_TIMES + 1} models say nearly the same about the pool (agreement {min(last):.3f})."
            return Advice(True, reason, inside, agreement)
        reason = "The model still changes its mind."
        if agreement is None:
            reason = "There are no two models to compare yet; ask again after more labels."
        return Advice(False, reason, inside, agreement)


def _agreement(before: NDArray[Any], after: NDArray[Any]) -> float:
    """Return Cohen's kappa; 0 where a model says the same about all rows, as two would agree by chance."""
    if (before == before[0]).all() or (after == after[0]).all():
        return 0.0
    return float(cohen_kappa_score(before, after))


def _share_inside(model: Any, rows: Any, is_open: NDArray[np.bool_]) -> float | None:
    """Return the share of open rows that are inside the margin of a machine."""
    if not _has_margin(model) or not is_open.any():
        return None
    values = np.abs(np.asarray(model.decision_function(rows), dtype=np.float64))[is_open]
    return float((values < 1).any(axis=1).mean() if values.ndim == 2 else (values < 1).mean())


def _has_margin(model: Any) -> bool:
    """Tell whether a model is a support vector machine, whose decision values are 1 on the margin."""
    model = getattr(model, "best_estimator_", model)
    model = model[-1] if isinstance(model, Pipeline) else model
    model = model.model if isinstance(model, PreparedClassifier) else model
    if isinstance(model, SVC):
        return len(model.classes_) == 2  # with more classes the columns are votes
    ours = isinstance(model, StreamingClassifier) and not isinstance(model, KernelPerceptron)
    return ours or isinstance(model, LinearSVC)

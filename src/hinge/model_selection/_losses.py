"""What a race compares: losses of settings on the same rows.

Accuracy and balanced accuracy are means over rows, so each row has a loss of its own. Other scores (F1, ROC AUC, log
loss, a scorer of the user) belong to sets of rows: the test rows are cut into stratified blocks, and each block has a
loss, its score with the opposite sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from hinge.exceptions import ParameterError, sentence

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROWS_PER_BLOCK = 50
_MAX_BLOCKS = 20
_MIN_PER_CLASS = 10  # rows of the rarest class in a block: scores such as F1 are biased where these are few
_CALIBRATE = " Probabilities need the parameter calibration, such as calibration='sigmoid'."
_BY_ROW = (None, "accuracy", "balanced_accuracy")


class Measure:
    """The score of a search, and losses that add up to it.

    Parameters
    ----------
    estimator : estimator
        The estimator whose parameters are chosen.
    scoring : str, callable or None
        As in `GridSearchCV`.

    Attributes
    ----------
    scorer : callable
        The scorer of scikit-learn.
    by_row : bool
        Whether each row has a loss.
    """

    def __init__(self, estimator: Any, scoring: Any) -> None:
        if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
            raise ParameterError(
                f"scoring must be the name of one score or a callable, got {type(scoring).__name__}; "
                "a race compares settings by a single score."
            )
        self.scorer = check_scoring(estimator, scoring)
        self.by_row = is_classifier(estimator) and (scoring is None or scoring in _BY_ROW)
        self._is_balanced = isinstance(scoring, str) and scoring == "balanced_accuracy"

    def losses(self, model: Any, X: Any, y: Any) -> NDArray[np.float64]:
        """Return the losses of a fitted model on test rows, which are in a stratified order."""
        if self.by_row:
            return self.losses_of(model.predict(X), y)
        blocks = _blocks(y, _num_samples(X))
        scores = [self._score(model, _safe_indexing(X, rows), None if y is None else y[rows]) for rows in blocks]
        return -np.array(scores, dtype=np.float64)

    def losses_of(self, predictions: Any, y: Any) -> NDArray[np.float64]:
        """Return one loss per row of predictions."""
        wrong: NDArray[np.float64] = (np.asarray(predictions) != np.asarray(y)).astype(np.float64)
        if self._is_balanced:
            _, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
            wrong *= (len(numbers) / (len(counts) * counts))[numbers]
        return wrong

    def score(self, losses: NDArray[np.float64]) -> float:
        """Return the score that losses add up to."""
        return float(self.by_row - losses.mean())

    def _score(self, model: Any, X: Any, y: Any) -> float:
        try:
            value: Any = self.scorer(model, X) if y is None else self.scorer(model, X, y)
        except Exception as error:
            model.predict(X)  # rows that the model itself cannot predict are not the fault of the scorer
            hint = _CALIBRATE if "predict_proba" in str(error) and "calibration" in model.get_params() else ""
            raise ParameterError(f"The scorer of the search failed: {sentence(error)}.{hint}") from error
        if not isinstance(value, (int, float, np.number)) or not np.isfinite(value):
            raise ParameterError(
                f"The scorer of the search must return a finite number, got {value!r} for {_num_samples(X)} rows."
            )
        return float(value)


def _blocks(y: Any, n: int) -> list[NDArray[np.int64]]:
    """Return the rows of each block; classes are dealt out evenly."""
    rows = np.arange(n)
    n_blocks = max(min(n // _ROWS_PER_BLOCK, _MAX_BLOCKS), 1)
    values = None if y is None else np.unique(y, return_inverse=True, return_counts=True)
    if values is None or len(values[0]) > max(n // 10, 1):  # targets of a regression
        return [rows[start::n_blocks] for start in range(n_blocks)]
    n_blocks = max(min(n_blocks, int(values[2].min()) // _MIN_PER_CLASS), 1)
    by_class = np.argsort(values[1], kind="stable")
    return [np.sort(by_class[start::n_blocks]) for start in range(n_blocks)]

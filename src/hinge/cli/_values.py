"""How well a regressor predicts values."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

RECENT = 1000  # rows of the recent error
PERCENT = ("error", "balanced error")  # measures of races that are shown in percent; others are shown as they are


@dataclass
class ValueScore:
    """Errors of predicted values, collected chunk by chunk.

    Examples
    --------
    >>> score = ValueScore()
    >>> score.add([1.0, 2.0, 3.0], [1.0, 2.0, 5.0])
    >>> score.mean_absolute_error, score.mean_squared_error, score.r2
    (0.6666666666666666, 1.3333333333333333, -1.0)
    """

    n_rows: int = 0
    _absolute: float = 0.0
    _squared: float = 0.0
    _mean: float = 0.0  # of the values
    _spread: float = 0.0  # sum of their squared deviations
    _recent: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    def add(self, values: ArrayLike, predictions: ArrayLike) -> None:
        """Add true and predicted values."""
        y = np.asarray(values, dtype=np.float64)
        if not len(y):
            return
        errors = np.asarray(predictions, dtype=np.float64) - y
        n, m, mean = self.n_rows, len(y), float(y.mean())
        self._spread += float(np.square(y - mean).sum()) + (mean - self._mean) ** 2 * n * m / (n + m)  # Chan's formula
        self._mean += (mean - self._mean) * m / (n + m)
        self._absolute += float(np.abs(errors).sum())
        self._squared += float(np.square(errors).sum())
        self._recent.extend(np.abs(errors[-RECENT:]).tolist())
        self.n_rows += m

    @property
    def mean_absolute_error(self) -> float:
        """The mean of the absolute errors."""
        return self._absolute / max(self.n_rows, 1)

    @property
    def recent_error(self) -> float:
        """The same for the last 1000 rows."""
        return sum(self._recent) / max(len(self._recent), 1)

    @property
    def mean_squared_error(self) -> float:
        """The mean of the squared errors."""
        return self._squared / max(self.n_rows, 1)

    @property
    def r2(self) -> float | None:
        """The share of the variance of the values that is explained; None if all values are the same."""
        return 1.0 - self._squared / self._spread if self._spread > 0 else None

    def to_json(self) -> dict[str, float | int | None]:
        """Return the results as values that JSON can hold."""
        return {
            "rows": self.n_rows,
            "mean_absolute_error": self.mean_absolute_error,
            "mean_squared_error": self.mean_squared_error,
            "r2": self.r2,
        }

    def describe(self) -> str:
        """Return the errors in words."""
        explained = "" if self.r2 is None else f", R2 {self.r2:.4f}"
        return (
            f"mean absolute error {short(self.mean_absolute_error)}, mean squared error "
            f"{short(self.mean_squared_error)} (root {short(self.mean_squared_error**0.5)}){explained}"
        )


def short(value: float) -> str:
    """Return a number with about four digits.

    Examples
    --------
    >>> short(0.123456), short(49531.2), short(3.2e12)
    ('0.1235', '49,531', '3.2e+12')
    """
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


def describe_choice(record: dict[str, Any]) -> str:
    """Describe what was chosen, from the entry in a model file."""
    values = [f"{name}={record[name]:.4g}" for name in ("C", "gamma") if record[name] is not None]
    score = record["score"]
    unit = f"{score:.2f} %" if record["measure"] in PERCENT and score is not None else f"{score or 0:.4f}"
    found = "" if score is None else f", expected {record['measure']} {unit}"
    of = f"the best of {record['settings']:,} settings on {record['rows']:,} rows"
    return f"{', '.join(values)}, features {record['scaling']}: {of}{found}"

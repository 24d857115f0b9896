"""The test `ExchangeabilityMartingale`, which says whether the data have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import BaseEstimator

from hinge._model.params import number
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_BETS = np.array([-1.0, 0.0, 1.0])


class ExchangeabilityMartingale(BaseEstimator):
    """Capital of a gambler who bets that p-values are not uniform: it grows only if the data change.

    The p-values are those of rows in the order in which they came, each by the model that had learned the rows before
    it (`ConformalSVC.learn_with_p_values`). While the rows come from one source in random order, these are independent
    and uniform, and the capital reaches `threshold` with a probability of at most 1 / threshold, however long the
    stream.

    The gambler bets on small p-values, on large ones, or not at all, and moves a share `jump` of the capital between
    the three before each p-value (Vovk's Simple Jumper).

    Parameters
    ----------
    threshold : float, default=100
        Capital at which the data count as changed; 1 / threshold bounds the probability of ever raising a false alarm.
    jump : float, default=0.01
        Share of the capital that is divided again between the bets before each p-value.

    Attributes
    ----------
    capital_ : ndarray of shape (n,)
        Capital after each p-value; 1 at the beginning.
    changed_at_ : int or None
        Number of the first p-value at which the capital was `threshold` or more, or None.

    Examples
    --------
    >>> import numpy as np
    >>> from hinge.conformal import ExchangeabilityMartingale
    >>> rng = np.random.default_rng(0)
    >>> martingale = ExchangeabilityMartingale().update(rng.uniform(size=500))
    >>> martingale.changed_at_ is None
    True
    >>> bool(martingale.update(rng.uniform(size=100) ** 3).changed_at_ > 500)
    True
    """

    def __init__(self, threshold: float = 100.0, jump: float = 0.01) -> None:
        self.threshold = threshold
        self.jump = jump

    def update(self, p_values: ArrayLike) -> Self:
        """Bet on more p-values.

        Parameters
        ----------
        p_values : array-like of shape (n,)
            p-values in the order of the rows; NaN (no p-value) leaves the capital as it is.

        Returns
        -------
        self : object
            The martingale.
        """
        number("threshold", self.threshold, above=0, hint="100 is usual")
        number("jump", self.jump, above=0, hint="0.01 is usual")
        values = np.atleast_1d(np.asarray(p_values, dtype=float))
        if values.ndim != 1 or ((values < 0) | (values > 1)).any():
            raise DataError("p-values must be a list of numbers between 0 and 1, or NaN.")
        before = getattr(self, "log_stakes_", np.full(3, -np.log(3.0)))
        logs = np.empty(len(values))
        for i, p in enumerate(values):
            if not np.isnan(p):
                before = self._after(before, float(p))
            logs[i] = np.logaddexp.reduce(before)
        self.log_stakes_ = before
        self.log_capital_ = np.append(self._logs(), logs)
        return self

    def _after(self, log_stakes: NDArray[np.float64], p: float) -> NDArray[np.float64]:
        """Return the logarithms of the stakes after one bet."""
        total = np.logaddexp.reduce(log_stakes)
        jump = min(float(self.jump), 1.0)
        with np.errstate(divide="ignore"):
            moved = np.logaddexp(np.log1p(-jump) + log_stakes, np.log(jump / 3) + total)
        return np.asarray(moved + np.log1p(_BETS * (p - 0.5)))

    @property
    def capital_(self) -> NDArray[np.float64]:
        """Capital after each p-value; 1 at the beginning."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(self._logs()))

    @property
    def changed_at_(self) -> int | None:
        """Number of the first p-value at which the capital was `threshold` or more, or None."""
        reached = np.flatnonzero(self._logs() >= np.log(self.threshold))
        return int(reached[0]) if len(reached) else None

    def _logs(self) -> NDArray[np.float64]:
        """Return the logarithm of the capital after each p-value so far."""
        return np.asarray(getattr(self, "log_capital_", []), dtype=float)

"""Which settings leave a race: a test on paired losses.

All settings are tested on the same rows, so two of them are compared by the differences of their losses, row by row.
Let s be the setting that is truly best on the rows of a rung. It leaves only if some other setting t has the lowest
loss seen, and the one-sided test of "s is no worse than t" rejects at level a. With S settings and R rungs there are at
most (S - 1) R such tests, so that for a = (1 - confidence) / ((S - 1) R) the best setting stays in the race with at
least the given confidence, whatever the dependence between settings and rungs (union bound).

Losses that are 0 or 1 are compared by the exact sign test (McNemar), other losses by the paired t test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from numpy.typing import NDArray


def level(confidence: float, n_settings: int, n_rungs: int) -> float:
    """Return the level of a single test.

    Examples
    --------
    >>> round(level(0.95, 11, 5), 6)
    0.001
    """
    return (1.0 - confidence) / max((n_settings - 1) * n_rungs, 1)


def is_worse(losses: NDArray[np.float64], alpha: float) -> NDArray[np.bool_]:
    """Return which settings are worse than the leader, by tests of level `alpha`.

    Parameters
    ----------
    losses : ndarray of shape (n_settings, n)
        One loss per setting and row, or per setting and block of rows.
    alpha : float
        The level of each test.

    Examples
    --------
    >>> import numpy as np
    >>> good, equal, bad = np.zeros(20), np.r_[np.zeros(19), 1], np.ones(20)
    >>> is_worse(np.array([equal, good, bad]), 0.001).tolist()
    [False, False, True]
    """
    leader = losses[int(np.argmin(losses.mean(axis=1)))]
    differences = losses - leader
    is_binary = bool(np.isin(losses, (0.0, 1.0)).all())
    p_values = _sign_test(differences) if is_binary else _t_test(differences)
    worse: NDArray[np.bool_] = p_values < alpha
    return worse


def is_near(losses: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which settings are within one standard error of the leader: chance may have made it the leader.

    Examples
    --------
    >>> import numpy as np
    >>> good, equal, bad = np.r_[1, np.zeros(19)], np.r_[np.zeros(19), 1], np.ones(20)
    >>> is_near(np.array([equal, good, bad])).tolist()
    [True, True, False]
    """
    differences = losses - losses[int(np.argmin(losses.mean(axis=1)))]
    n = max(losses.shape[1] - 1, 1)  # a single block has no spread: only the leader is near
    near: NDArray[np.bool_] = differences.mean(axis=1) <= differences.std(axis=1) / np.sqrt(n)
    return near


def admitted(losses: NDArray[np.float64], work: NDArray[np.float64], places: float) -> NDArray[np.bool_]:
    """Return which settings a rung has places for.

    Better settings choose first. A setting needs one place if it takes as much work as the cheapest that is near the
    leader, and more in proportion, up to half of all places: a costly setting must lead by more than chance to go on.

    Parameters
    ----------
    losses : ndarray of shape (n_settings, n)
        One loss per setting and row or block.
    work : ndarray of shape (n_settings,)
        How much work the last model of each setting was, in any unit.
    places : float
        The number of places.

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.array([[0.0, 0.1, 0.0], [0.1, 0.0, 0.1], [0.5, 0.6, 0.4]])
    >>> admitted(losses, np.array([20.0, 1.0, 1.0]), 4).tolist()
    [False, True, True]
    """
    places_needed = np.maximum(work / work[is_near(losses)].min(), 0.25)
    taken = np.zeros(len(losses), dtype=bool)
    most = max(places / 2, 2.0) + 1e-9
    for row in np.argsort(losses.mean(axis=1), kind="stable"):
        if places_needed[row] <= min(places, most):
            taken[row] = True
            places -= places_needed[row]
    return taken


def _sign_test(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of so many more losses than wins among the rows where two settings differ."""
    lost, won = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    p_values: NDArray[np.float64] = stats.binom.sf(lost - 1, lost + won, 0.5)
    return p_values


def _t_test(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one-sided p-values of paired t tests; equal differences, which have no spread, by their signs."""
    n = differences.shape[1]
    mean, spread = differences.mean(axis=1), differences.std(axis=1, ddof=1) if n > 1 else np.zeros(len(differences))
    is_flat = spread <= 1e-12 * np.abs(mean)
    statistic = mean / np.where(is_flat, 1.0, spread / np.sqrt(n))
    p_values: NDArray[np.float64] = np.where(
        is_flat, np.where(mean > 0, 0.5**n, 1.0), stats.t.sf(statistic, max(n - 1, 1))
    )
    return p_values

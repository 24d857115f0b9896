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

_PER_DOUBLING = 0.1  # chosen on seven other sets than those of the documentation, as the budgets of a race


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


def may_catch_up(losses: NDArray[np.float64], n_doublings: float) -> NDArray[np.bool_]:
    """Return which settings may overtake the leader until the rows have doubled so often.

    Some settings (a large gamma or C) are bad among few rows and the best among many, and a test tells nothing of that.
    So a setting stays as long as it is worse by less than 10 % for each time that the rows will double. Losses below 0,
    scores with the opposite sign, have no such scale: there the test alone decides.

    Examples
    --------
    >>> import numpy as np
    >>> may_catch_up(np.array([0.1, 0.12, 0.13]), 2.5).tolist()
    [True, True, False]
    """
    best = float(losses.min())
    may: NDArray[np.bool_] = losses - best <= _PER_DOUBLING * n_doublings * max(best, 0.0)
    return may


def admitted(
    losses: NDArray[np.float64],
    expected: NDArray[np.float64],
    costs: NDArray[np.float64],
    budget: float,
    least: int = 1,
) -> NDArray[np.bool_]:
    """Return which settings take part in a rung that may cost so much.

    Settings choose in turn: the best by present losses, the best by the losses expected after all rows, the second by
    present losses, and so on. Who finds too little of the budget left leaves. So the leader takes part whatever it
    costs, and costs decide only about settings that others beat both now and in the end.

    Parameters
    ----------
    losses, expected : ndarray of shape (n_settings,)
        Present losses, and those expected.
    costs : ndarray of shape (n_settings,)
        What each setting is expected to cost.
    budget : float
        What all of them together may cost.
    least : int
        How many take part whatever they cost.

    Examples
    --------
    >>> import numpy as np
    >>> losses, expected = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.09, 0.19, 0.29, 0.05])
    >>> admitted(losses, expected, np.array([2.0, 9.0, 1.0, 1.0]), 4.5).tolist()
    [True, False, True, True]
    """
    taken = np.zeros(len(losses), dtype=bool)
    in_turn = np.column_stack([np.argsort(losses, kind="stable"), np.argsort(expected, kind="stable")]).ravel()
    for place, row in enumerate(dict.fromkeys(in_turn.tolist())):
        if place < least or costs[row] <= budget:
            taken[row] = True
            budget -= costs[row]
    return taken


def expected_losses(losses: NDArray[np.float64], before: NDArray[np.float64], steps: float) -> NDArray[np.float64]:
    """Return losses that go on to fall as they have since the rung before, on a logarithmic scale of rows.

    Parameters
    ----------
    losses, before : ndarray of shape (n_settings,)
        Losses now and on the rung before; nan if a setting did not take part, which then falls as others do.
    steps : float
        How far ahead, in steps as long as the one from the rung before.

    Examples
    --------
    >>> import numpy as np
    >>> expected_losses(np.array([0.2, 0.2, 0.3]), np.array([0.3, np.nan, 0.5]), 1.0).round(2).tolist()
    [0.1, 0.05, 0.1]
    """
    changes = losses - before
    known = ~np.isnan(changes)
    usual = float(changes[known].mean()) if known.any() else 0.0
    return losses + steps * np.where(known, changes, usual)


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

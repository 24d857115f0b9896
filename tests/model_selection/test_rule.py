"""The statistical rule, against the truth of simulated races."""

from __future__ import annotations

import numpy as np
import pytest

from hinge.model_selection._rule import admitted, is_near, is_worse, level

N_RACES = 400
CONFIDENCE = 0.95


def simulated_losses(random, errors, n, *, shared=0.7):
    """Return 0/1 losses of settings with given error rates; most rows are easy or hard for all of them alike."""
    common, own = random.uniform(size=n), random.uniform(size=(len(errors), n))
    is_common = random.uniform(size=(len(errors), n)) < shared
    return (np.where(is_common, common, own) < np.asarray(errors)[:, None]).astype(float)


def survivors(random, errors, sizes, draw):
    """Run a race in which only the rule decides; return the settings that stay."""
    live = np.arange(len(errors))
    alpha = level(CONFIDENCE, len(errors), len(sizes))
    for size in sizes:
        losses = draw(random, np.asarray(errors)[live], size)
        live = live[~is_worse(losses, alpha)]
    return live


def noisy_losses(random, errors, n):
    """Return skewed losses with given means, as of blocks of log losses."""
    return np.asarray(errors)[:, None] + 0.05 * (random.exponential(size=(len(errors), n)) - 1.0)


@pytest.mark.parametrize(("draw", "sizes"), [(simulated_losses, (200, 400, 800, 1600)), (noisy_losses, (20, 20, 40))])
def test_best_setting_stays_with_the_promised_probability(draw, sizes):
    random = np.random.RandomState(0)
    errors = np.r_[0.10, np.full(29, 0.1005)]  # nothing but near-ties: the worst case for the best setting
    lost = sum(0 not in survivors(random, errors, sizes, draw) for _ in range(N_RACES))
    assert lost <= (1 - CONFIDENCE) * N_RACES


def test_clearly_worse_settings_leave_and_near_ties_go_on():
    random = np.random.RandomState(1)
    errors = [0.10, 0.101, 0.102, 0.18, 0.25, 0.5]
    stays = [survivors(random, errors, (200, 400, 800, 1600), simulated_losses) for _ in range(50)]
    assert all(not {3, 4, 5} & set(live) for live in stays)
    assert np.mean([{0, 1, 2} <= set(live) for live in stays]) > 0.9


def test_sign_test_is_exact():
    losses = np.zeros((2, 30))
    losses[1, :10] = 1  # lost 10, won 0: p = 2^-10
    assert is_worse(losses, 2**-9.9).tolist() == [False, True]
    assert not is_worse(losses, 2**-10.1).any()


def test_equal_differences_need_enough_rows():
    losses = np.array([[0.25, 0.5, 0.75], [0.5, 0.75, 1.0]])
    assert not is_worse(losses, 0.01).any()


def test_costly_near_tie_gives_way_and_costly_winner_does_not():
    random = np.random.RandomState(0)
    losses = simulated_losses(random, [0.1, 0.1, 0.3], 2000)
    losses[1] = losses[0]
    losses[1, np.flatnonzero(losses[0] == 0)[0]] = 1  # one more mistake
    assert is_near(losses).tolist() == [True, True, False]
    assert admitted(losses, np.array([50.0, 1.0, 1.0]), 4).tolist() == [False, True, True]
    assert admitted(losses[[0, 2]], np.array([50.0, 1.0]), 4)[0]


def test_one_block_of_rows():
    """Rare classes leave scores such as ROC AUC one block: its leader has a place, and nothing is rejected."""
    losses = np.array([[-0.9], [-0.8], [-0.95]])
    assert is_near(losses).tolist() == [False, False, True]
    assert admitted(losses, np.ones(3), 2).tolist() == [True, False, True]
    assert not is_worse(losses, 0.05).any()

"""The statistical rule, against the truth of simulated races."""

from __future__ import annotations

import numpy as np
import pytest

from hinge.model_selection._rule import admitted, expected_losses, is_worse, level, may_catch_up

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


def test_cost_decides_only_about_settings_that_are_beaten_now_and_in_the_end():
    losses, costs = np.array([0.10, 0.11, 0.12]), np.array([50.0, 1.0, 1.0])
    assert admitted(losses, losses, costs, 3.0)[0]  # the leader, whatever it costs
    assert admitted(losses[[1, 0, 2]], losses[[1, 0, 2]], costs, 51.0).tolist() == [True, True, False]
    late = np.array([0.10, 0.11, 0.05])  # in the end, the last is best: it chooses second
    assert admitted(losses, late, np.array([1.0, 1.0, 2.0]), 3.0).tolist() == [True, False, True]
    assert admitted(losses, losses, costs, 0.0, least=2).tolist() == [True, True, False]


def test_learning_curves_are_continued_on_a_logarithmic_scale():
    rows = np.array([100.0, 400.0, 6400.0])
    curves = np.array([0.5, 0.4])[:, None] - np.array([0.05, 0.03])[:, None] * np.log2(rows)
    steps = np.log(rows[2] / rows[1]) / np.log(rows[1] / rows[0])
    assert np.allclose(expected_losses(curves[:, 1], curves[:, 0], steps), curves[:, 2])
    unknown = np.full(2, np.nan)
    assert np.array_equal(expected_losses(curves[:, 1], unknown, steps), curves[:, 1])


def test_catching_up_needs_rows_to_come_and_losses_above_zero():
    assert may_catch_up(np.array([0.10, 0.14]), 5.0).all()
    assert may_catch_up(np.array([0.10, 0.14]), 1.0).tolist() == [True, False]
    assert may_catch_up(np.array([-0.95, -0.94]), 5.0).tolist() == [True, False]


def test_one_block_of_rows():
    """Rare classes leave scores such as ROC AUC one block: nothing is rejected."""
    losses = np.array([[-0.9], [-0.8], [-0.95]])
    assert not is_worse(losses, 0.05).any()

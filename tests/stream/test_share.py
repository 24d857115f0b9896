from __future__ import annotations

import math

import numpy as np

from hinge._core import FixedShare


def test_bound_of_herbster_and_warmuth():
    """The expected loss of a random choice by weight exceeds that of the best sequence by at most the known bound."""
    rng = np.random.default_rng(0)
    n, steps, segments, rate, share = 6, 3000, 5, 0.2, 0.002
    best = rng.integers(n, size=segments)
    chances = np.full((steps, n), 0.5)
    chances[np.arange(steps), np.repeat(best, steps // segments)] = 0.05
    mistakes = rng.random((steps, n)) < chances
    weights, loss = FixedShare(n, rate, share), 0.0
    for row in mistakes:
        loss += float(np.dot(weights.weights, row))
        weights.update(row.tolist())
    ideal = mistakes[np.arange(steps), np.repeat(best, steps // segments)].sum()
    switches = segments - 1
    complexity = math.log(n) - switches * math.log(share / n) - (steps - switches) * math.log(1 - share)
    assert loss <= (rate * ideal + complexity) / (1 - math.exp(-rate))


def test_weights_sum_to_one_and_never_vanish():
    weights = FixedShare(3, rate=5.0, share=0.03)
    for _ in range(1000):
        weights.update([True, False, True])
    assert math.isclose(sum(weights.weights), 1.0)
    assert min(weights.weights) >= 0.01 * math.exp(-5.0)

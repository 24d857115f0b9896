"""The six sets of the paper's table 2, with its C and gamma.

Adult, Mnist and Reuters are the paper's own rows. Which rows of Banana and of USPS it trained on is not known: they are
drawn anew for every seed. USPS is given by the LASVM paper, which has the same authors and the same set: it is digit 0
(break-even at 98.62 % with 0.46 % of 1 969 rows wrong means about 328 positive rows, and only the zeros are so many),
and C is 1000 without noise. Table 2 prints C = 1, with which LIBSVM has 475 support vectors and 0.70 % of errors here;
with 1000 it has 300 and 0.42 %, and the paper 237 and 0.46 %.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from experiments import problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from experiments.problems import Problem

ADULT, MNIST, BANANA, REUTERS, USPS, NOISY_USPS = "Adult", "Mnist(8)", "Banana", "Reuters", "USPS", "USPS-N"
NAMES = (ADULT, MNIST, BANANA, REUTERS, USPS, NOISY_USPS)
NOISY = (ADULT, BANANA, NOISY_USPS)
NOISE = 0.1
RAMP = -1.0  # the paper's s
OTHER_RAMPS = (-3.0, -2.0, -0.5, 0.0, 0.5, 0.75)
CACHE = 2000.0  # megabytes, for every method; the paper does not say what it had


@dataclass(frozen=True)
class Source:
    """How a set is made, and how often it is learned in a full run.

    Attributes
    ----------
    load : callable
        Given a seed, the problem.
    rows : pair of int
        Training and test rows of a quick run.
    seeds : int
        Runs of a full run.
    ramp_seeds : int
        Runs with each s that the tables do not have.
    ramps : tuple of float
        These s.
    redrawn : bool
        Whether every seed has other rows; otherwise it is only their order that changes.
    """

    load: Callable[[int], Problem]
    rows: tuple[int, int]
    seeds: int
    ramp_seeds: int = 3
    ramps: tuple[float, ...] = OTHER_RAMPS
    redrawn: bool = False


def problem(name: str, seed: int, *, quick: bool) -> Problem:
    """Return a set, the first rows of it for a quick run."""
    source = SOURCES[name]
    whole = source.load(seed)
    return whole.head(*source.rows) if quick else whole


def _adult(_: int) -> Problem:
    return problems.adult()


def _mnist(_: int) -> Problem:
    return replace(problems.mnist_digit(8), C=100.0, gamma=0.001)


def _banana(seed: int) -> Problem:
    return replace(problems.banana(seed), C=10.0, gamma=1.0)


def _reuters(_: int) -> Problem:
    return replace(problems.reuters(), C=1.0, gamma=0.5)


def _usps(seed: int) -> Problem:
    return problems.usps_small_scale().random_split(seed, 7_329, 1_969)


def _noisy_usps(seed: int) -> Problem:
    return replace(_usps(seed), C=1.0).flip_labels(NOISE, seed)


SOURCES = {  # the quick ones first
    BANANA: Source(_banana, (4_000, 1_300), 10, 10, redrawn=True),
    USPS: Source(_usps, (7_329, 1_969), 5, redrawn=True),
    REUTERS: Source(_reuters, (7_770, 3_299), 5),
    NOISY_USPS: Source(_noisy_usps, (7_329, 1_969), 5, redrawn=True),
    ADULT: Source(_adult, (6_000, 3_000), 2, 1),
    MNIST: Source(_mnist, (6_000, 3_000), 1, 1, (0.0, 0.75)),
}

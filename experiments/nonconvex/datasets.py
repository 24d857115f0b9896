"""The six data sets of table 2 of the paper, with its C and gamma.

Adult, Mnist and Reuters have the rows of the paper. It does not say which rows of Banana and USPS it used: they are
drawn at random for every seed. The LASVM paper, which shares authors and data, determines the rest about USPS. The
digit is 0: a break-even point of 98.62 % with 0.46 % errors in 1,969 rows means about 328 positive rows, and only the
zeros are so many. C is 1000 without noise: table 2 gives C = 1, with which LIBSVM has 475 support vectors and 0.70 %
errors here; with 1000 it has 300 and 0.42 %, and the paper has 237 and 0.46 %.
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
RAMP = -1.0  # s in the paper
OTHER_RAMPS = (-3.0, -2.0, -0.5, 0.0, 0.5, 0.75)
CACHE = 2000.0  # megabytes, for every method; the paper does not give it


@dataclass(frozen=True)
class DatasetSpec:
    """How a data set is created, and how many runs it has.

    Attributes
    ----------
    load : callable
        Creates the problem for a seed.
    rows : pair of int
        Training and test rows of a quick run.
    seeds : int
        Seeds of a full run.
    ramp_seeds : int
        Seeds for each other value of s.
    ramps : tuple of float
        The other values of s.
    depends_on_seed : bool
        Whether every seed has other rows; otherwise it changes only their order.
    """

    load: Callable[[int], Problem]
    rows: tuple[int, int]
    seeds: int
    ramp_seeds: int = 3
    ramps: tuple[float, ...] = OTHER_RAMPS
    depends_on_seed: bool = False


def problem(name: str, seed: int, *, quick: bool) -> Problem:
    """Create a problem, or the first rows of it for a quick run."""
    spec = DATASETS[name]
    whole = spec.load(seed)
    return whole.head(*spec.rows) if quick else whole


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


DATASETS = {  # fast ones first
    BANANA: DatasetSpec(_banana, (4_000, 1_300), 10, 10, depends_on_seed=True),
    USPS: DatasetSpec(_usps, (7_329, 1_969), 5, depends_on_seed=True),
    REUTERS: DatasetSpec(_reuters, (7_770, 3_299), 5),
    NOISY_USPS: DatasetSpec(_noisy_usps, (7_329, 1_969), 5, depends_on_seed=True),
    ADULT: DatasetSpec(_adult, (6_000, 3_000), 2, 1),
    MNIST: DatasetSpec(_mnist, (6_000, 3_000), 1, 1, (0.0, 0.75)),
}

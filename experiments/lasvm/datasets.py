"""The sets of section 3.4 (the paper's figure 7), learned by LIBSVM and by one epoch of LASVM: figures 8 and 9.

LASVM is fitted twice with one seed, without and with the finishing step. The order of visits is the same, so that the
second fit is the first one and the step. Kernel values are single precision, like those of the paper and of LIBSVM.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments import measure, problems
from experiments.experiment import Cell, Measurement
from experiments.problems import Problem
from hinge import OnlineSVC
from hinge.datasets import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from experiments.records import Record

LIBSVM, LASVM = "LIBSVM", "LASVM x1"
SETTING = (
    "C, gamma, tolerance and caches of the paper's figure 7, LIBSVM with 3 GB on Forest. Adult and Reuters are the "
    "paper's very rows, in 5 and 10 orders of visits; Banana, Waveform and USPS are 10 random splits, USPS+N 20. "
    "Waveform is generated. The paper says nothing of scales: those of Waveform, USPS and Forest are, of a few "
    "that were tried, the ones where LIBSVM comes nearest to the paper's LIBSVM; LASVM had no part in that choice. "
    "Forest (100k) is 100 000 random rows of standardised columns with gamma = 0.5, in 2 orders of visits; "
    "Forest (521k) is left out."
)


@dataclass(frozen=True)
class Set:
    """One line of the paper's figure 7.

    Attributes
    ----------
    make : callable
        Given a seed, the problem: the seed draws the split where the paper does not give one, and wrong labels.
    cache : float
        Megabytes for kernel values.
    libsvm_cache : float
        The same for LIBSVM, where more than in the paper makes it affordable.
    seeds : int
        Runs of LASVM, which differ in the order of visits too.
    drawn : bool
        Whether problems differ by seed, so that LIBSVM has to run as often.
    quick_rows, quick_seeds : int
        What a quick run does.
    """

    make: Callable[[int], Problem]
    cache: float = 40.0
    libsvm_cache: float = 40.0
    seeds: int = 10
    drawn: bool = True
    quick_rows: int = 100_000
    quick_seeds: int = 3


def _single(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.asarray(rows, dtype=np.float32)


def waveform(seed: int) -> Problem:
    """Return one of three waves against the rest; columns have mean 0 and deviation 1.

    The paper says neither which wave nor how columns are scaled. The first wave gives LIBSVM a larger error than the
    paper's, columns as they are more support vectors (1 230); the second and the third, scaled, come to its numbers.
    """
    data = load("waveform", random_state=seed)
    means, deviations = data.X_train.mean(axis=0), data.X_train.std(axis=0)
    X, X_test = (_single((rows - means) / deviations) for rows in (data.X_train, data.X_test))
    whole = Problem(X, data.y_train == 1, X_test, data.y_test == 1, C=1.0, gamma=0.05)
    return whole.random_split(seed, 4_000, 1_000)


def usps(seed: int) -> Problem:
    """Return zero against the rest, random 7 291 + 2 007 rows."""
    problem = problems.usps_small_scale()
    return replace(problem, X=_single(problem.X), X_test=_single(problem.X_test)).random_split(seed)


def noisy_usps(seed: int) -> Problem:
    """Return the same with one training label in ten wrong."""
    return replace(usps(seed), C=10.0).flip_labels(0.1, seed)


SETS = {
    "Waveform": Set(waveform),
    "Banana": Set(problems.banana),
    "Reuters": Set(lambda _: problems.reuters(), drawn=False, quick_rows=4_000),
    "USPS": Set(usps),
    "USPS+N": Set(noisy_usps, seeds=20, quick_seeds=2),
    "Adult": Set(lambda _: problems.adult(), seeds=5, drawn=False, quick_rows=6_000, quick_seeds=2),
    "Forest (100k)": Set(
        lambda _: problems.covtype(), 512.0, 3000.0, seeds=2, drawn=False, quick_rows=10_000, quick_seeds=1
    ),
}


def _libsvm(chosen: Set, seed: int, rows: int | None) -> Record:
    problem = _problem(chosen, seed, rows)
    record = measure.fit_and_measure(measure.make_libsvm(problem, cache_size=chosen.libsvm_cache), problem)
    return {**record, "test_rows": len(problem.y_test)}


def _lasvm(chosen: Set, seed: int, rows: int | None) -> Record:
    problem = _problem(chosen, seed, rows)
    online, finished = (
        measure.fit_and_measure(one_epoch(problem, cache=chosen.cache, seed=seed, finish=finish), problem)
        for finish in (False, True)
    )
    before: Record = {f"online_{name}": value for name, value in online.items()}
    return {**finished, "test_rows": len(problem.y_test), **before}


def one_epoch(problem: Problem, *, cache: float, seed: int, finish: bool = True) -> OnlineSVC:
    """Return LASVM with one epoch, with or without the finishing step."""
    return OnlineSVC(
        C=problem.C, gamma=problem.gamma, cache_size=cache, epochs=1, finish=finish, random_state=seed, n_jobs=1
    )


def _problem(chosen: Set, seed: int, rows: int | None) -> Problem:
    problem = chosen.make(seed)
    return problem if rows is None else problem.head(rows, 5_000)


def _cells(quick: bool) -> Iterator[Cell]:
    for name, chosen in SETS.items():
        rows, seeds = (chosen.quick_rows, chosen.quick_seeds) if quick else (None, chosen.seeds)
        for seed in range(seeds):
            yield Cell({"data": name, "method": LASVM, "seed": seed}, partial(_lasvm, chosen, seed, rows))
        for seed in range(seeds if chosen.drawn else 1):
            yield Cell({"data": name, "method": LIBSVM, "seed": seed}, partial(_libsvm, chosen, seed, rows))


MEASUREMENT = Measurement("sets", _cells)

"""The data sets of section 3.4 (figure 7 of the paper), learned by LIBSVM and by one epoch of LASVM: figures 8 and 9.

LASVM is fitted twice with the same seed, without and with the finishing step. The order of the examples is the same, so
that the second fit equals the first one followed by the step. Kernel values are single precision, as in the paper and
in LIBSVM.
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
    "C, gamma, tolerance and caches of figure 7 of the paper; 3 GB for LIBSVM on Forest. Adult and Reuters have "
    "exactly the rows of the paper, in 5 and 10 random orders; Banana, Waveform and USPS have 10 random splits, "
    "USPS+N 20. Waveform is generated. The paper does not give scales. Those of Waveform, USPS and Forest were chosen, "
    "among a few, such that LIBSVM comes closest to the paper's LIBSVM; LASVM did not influence the choice. Forest "
    "(100k) has 100,000 random rows of standardised columns with gamma = 0.5, in 2 random orders; Forest (521k) is "
    "omitted."
)


@dataclass(frozen=True)
class DatasetSpec:
    """One row of figure 7 of the paper.

    Attributes
    ----------
    make : callable
        Creates the problem for a seed, which determines random splits and label noise.
    cache : float
        Megabytes of the kernel cache of LASVM.
    libsvm_cache : float
        Megabytes of the kernel cache of LIBSVM; more than in the paper where it would take too long.
    seeds : int
        Runs of LASVM, which also differ in the order of the examples.
    depends_on_seed : bool
        Whether problems differ by seed, so that LIBSVM has to run for each seed.
    quick_rows, quick_seeds : int
        Rows and seeds of a quick run.
    """

    make: Callable[[int], Problem]
    cache: float = 40.0
    libsvm_cache: float = 40.0
    seeds: int = 10
    depends_on_seed: bool = True
    quick_rows: int = 100_000
    quick_seeds: int = 3


def _to_float32(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.asarray(rows, dtype=np.float32)


def waveform(seed: int) -> Problem:
    """Return one of the three waves against the rest, with standardised columns.

    The paper gives neither the wave nor the scale. With the first wave LIBSVM has a larger error than in the paper,
    with unscaled columns more support vectors (1,230). The second and the third wave, scaled, give the paper's numbers.
    """
    data = load("waveform", random_state=seed)
    means, deviations = data.X_train.mean(axis=0), data.X_train.std(axis=0)
    X, X_test = (_to_float32((rows - means) / deviations) for rows in (data.X_train, data.X_test))
    whole = Problem(X, data.y_train == 1, X_test, data.y_test == 1, C=1.0, gamma=0.05)
    return whole.random_split(seed, 4_000, 1_000)


def usps(seed: int) -> Problem:
    """Return USPS zero against the rest, 7,291 + 2,007 random rows."""
    problem = problems.usps_small_scale()
    return replace(problem, X=_to_float32(problem.X), X_test=_to_float32(problem.X_test)).random_split(seed)


def noisy_usps(seed: int) -> Problem:
    """Return USPS zero against the rest with one training label in ten flipped."""
    return replace(usps(seed), C=10.0).flip_labels(0.1, seed)


DATASETS = {
    "Waveform": DatasetSpec(waveform),
    "Banana": DatasetSpec(problems.banana),
    "Reuters": DatasetSpec(lambda _: problems.reuters(), depends_on_seed=False, quick_rows=4_000),
    "USPS": DatasetSpec(usps),
    "USPS+N": DatasetSpec(noisy_usps, seeds=20, quick_seeds=2),
    "Adult": DatasetSpec(lambda _: problems.adult(), seeds=5, depends_on_seed=False, quick_rows=6_000, quick_seeds=2),
    "Forest (100k)": DatasetSpec(
        lambda _: problems.covtype(), 512.0, 3000.0, seeds=2, depends_on_seed=False, quick_rows=10_000, quick_seeds=1
    ),
}


def _libsvm(spec: DatasetSpec, seed: int, rows: int | None) -> Record:
    problem = _problem(spec, seed, rows)
    record = measure.fit_and_measure(measure.make_libsvm(problem, cache_size=spec.libsvm_cache), problem)
    return {**record, "test_rows": len(problem.y_test)}


def _lasvm(spec: DatasetSpec, seed: int, rows: int | None) -> Record:
    problem = _problem(spec, seed, rows)
    online, finished = (
        measure.fit_and_measure(make_lasvm(problem, cache=spec.cache, seed=seed, finishing=finishing), problem)
        for finishing in (False, True)
    )
    before: Record = {f"online_{name}": value for name, value in online.items()}
    return {**finished, "test_rows": len(problem.y_test), **before}


def make_lasvm(problem: Problem, *, cache: float, seed: int, finishing: bool = True) -> OnlineSVC:
    """Create LASVM with one epoch, with or without the finishing step."""
    return OnlineSVC(
        max_gap=None,
        C=problem.C,
        gamma=problem.gamma,
        cache_size=cache,
        epochs=1,
        finishing=finishing,
        random_state=seed,
        n_jobs=1,
    )


def _problem(spec: DatasetSpec, seed: int, rows: int | None) -> Problem:
    problem = spec.make(seed)
    return problem if rows is None else problem.head(rows, 5_000)


def _cells(quick: bool) -> Iterator[Cell]:
    for name, spec in DATASETS.items():
        rows, seeds = (spec.quick_rows, spec.quick_seeds) if quick else (None, spec.seeds)
        for seed in range(seeds):
            yield Cell({"data": name, "method": LASVM, "seed": seed}, partial(_lasvm, spec, seed, rows))
        for seed in range(seeds if spec.depends_on_seed else 1):
            yield Cell({"data": name, "method": LIBSVM, "seed": seed}, partial(_libsvm, spec, seed, rows))


MEASUREMENT = Measurement("sets", _cells)

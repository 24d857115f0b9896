"""Selection criteria on Adult, which is noisy: the measurement of figures 11 and 12.

Errors are compared with the exact solution of the same split, which LIBSVM finds. The paper calls differences of 0.25
points significant for a single run, and 0.05 points for its mean over 65 runs; here they are 0.25 / sqrt(n) points for
a mean over n runs.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from experiments import problems
from experiments.experiment import Cell, Measurement
from experiments.lasvm.selection import (
    ACTIVE,
    AUTOACTIVE,
    CACHE,
    EXACT,
    GRADIENT,
    LIBSVM,
    RANDOM,
    fit_exact,
    run_selection,
)
from experiments.measure import fit_and_measure, make_libsvm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from experiments.problems import Problem
    from experiments.records import Record, Records

CRITERIA = (RANDOM, GRADIENT, ACTIVE, AUTOACTIVE)
RUNS, QUICK_RUNS = 5, 1
MEANINGFUL_POINTS = 0.05  # points: a meaningful difference of mean errors, by the paper
SIGNIFICANT_POINTS = 0.25  # points: a significant difference of single runs, by the paper
_EARLY = (250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000)
_CHECKPOINTS = {
    GRADIENT: _EARLY,
    ACTIVE: (*_EARLY, 8_000, 10_000, 16_000),
    AUTOACTIVE: (*_EARLY, 8_000, 10_000, 16_000),
    RANDOM: (*_EARLY, 8_000, 12_000, 16_000, 24_000, 32_561),
}
_QUICK_ROWS = (6_000, 4_000)


def _problem(quick: bool, seed: int) -> Problem:
    return problems.adult().random_split(seed, *_QUICK_ROWS) if quick else problems.adult().random_split(seed)


def _checkpoints(quick: bool, criterion: str) -> list[int]:
    if not quick:
        return list(_CHECKPOINTS[criterion])
    return [n for n in _EARLY if n <= (_QUICK_ROWS[0] if criterion == RANDOM else 2_000)]


def _libsvm(quick: bool, seed: int) -> Record:
    problem = _problem(quick, seed)
    return fit_and_measure(make_libsvm(problem, cache_size=CACHE), problem)


def _exact(quick: bool, seed: int) -> Record:
    return fit_exact(_problem(quick, seed), seed)


def _cells(quick: bool) -> Iterator[Cell]:
    seeds = range(QUICK_RUNS if quick else RUNS)
    for seed in seeds:
        yield Cell({"method": EXACT, "seed": seed}, partial(_exact, quick, seed))
        for criterion in CRITERIA:
            yield Cell({"method": criterion, "seed": seed}, partial(_select, quick, criterion, seed))
    yield Cell({"method": LIBSVM, "seed": 0}, partial(_libsvm, quick, 0))


def _select(quick: bool, criterion: str, seed: int) -> list[Record]:
    return run_selection(_problem(quick, seed), criterion, _checkpoints(quick, criterion), seed)


MEASUREMENT = Measurement("selection on adult", _cells)


def excess(records: Records, criterion: str) -> list[tuple[int, float]]:
    """Return, per checkpoint, the number of labels and the mean difference to the exact error."""
    exact_errors = {line["seed"]: float(line["error"]) for line in records.where(method=EXACT)}
    own = records.where(method=criterion)
    result = []
    for labels in sorted(own.unique("labels")):
        lines = [line for line in own.where(labels=labels) if line["seed"] in exact_errors]
        differences = [float(line["error"]) - exact_errors[line["seed"]] for line in lines]
        result.append((labels, sum(differences) / len(differences) if differences else math.nan))
    return result


def noise(records: Records) -> float:
    """Return the significant difference of mean errors."""
    return SIGNIFICANT_POINTS / math.sqrt(max(len(records.where(method=EXACT)), 1))


def first_at_libsvm_error(records: Records, criterion: str) -> Records:
    """Return the records of the first checkpoint with the error of LIBSVM; none if it is never reached."""
    labels = next((labels for labels, above in excess(records, criterion) if above <= MEANINGFUL_POINTS), -1)
    return records.where(method=criterion, labels=labels)


def last_checkpoint(records: Records, criterion: str) -> Records:
    """Return the records of the last checkpoint."""
    own = records.where(method=criterion)
    return own.where(labels=max(own.unique("labels"), default=-1))

"""Active learning with one online iteration per label, or with a new fit per label: the measurement of figure 16.

All methods start with the same few labels and query the example closest to the boundary, among 50 random ones or among
all; RANDOM queries a random example. RETRAIN fits LIBSVM to all labels after each query, LASVM makes one online
iteration.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING

from experiments import problems
from experiments.experiment import Cell, Measurement
from experiments.lasvm.selection import N_INITIAL, POOL, initial_rows
from experiments.measure import cpu_time, make_libsvm, test_error
from hinge import OnlineSVC
from hinge.active import ActiveLearner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from experiments.problems import Labels, Problem
    from experiments.records import Record

REUTERS, USPS = "Reuters", "USPS"
RETRAIN_50, RETRAIN_ALL = "RETRAIN ACTIVE 50", "RETRAIN ACTIVE ALL"
LASVM_50, LASVM_ALL, RANDOM = "LASVM ACTIVE 50", "LASVM ACTIVE ALL", "RANDOM"
ACTIVES = (RETRAIN_ALL, RETRAIN_50, LASVM_ALL, LASVM_50)
METHODS = (*ACTIVES, RANDOM)
CHECKPOINTS = (15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 510)
QUERIES = CHECKPOINTS[-1] - 2 * N_INITIAL
_N_SPLITS = {RETRAIN_ALL: 1, RETRAIN_50: 10, LASVM_ALL: 10, LASVM_50: 10, RANDOM: 10}
_SAMPLED = (RETRAIN_50, LASVM_50)  # methods that score 50 random candidates


def _problem(data: str, seed: int) -> Problem:
    return (problems.reuters if data == REUTERS else problems.usps)().random_split(seed)


def _query_and_learn(data: str, method: str, checkpoints: Sequence[int], seed: int) -> list[Record]:
    """Query and learn labels; with the same seed all methods draw candidates from the same sequence."""
    problem = _problem(data, seed)
    is_refitted = method.startswith("RETRAIN")
    model = make_libsvm(problem) if is_refitted else OnlineSVC(max_gap=None, C=problem.C, gamma=problem.gamma, n_jobs=1)
    learner = ActiveLearner(
        model,
        problem.X,
        random_state=seed,
        strategy="random" if method == RANDOM else "boundary",
        sample=POOL if method in _SAMPLED else None,
    )
    first = initial_rows(problem.y, seed)
    seconds, _ = cpu_time(partial(learner.tell, first, problem.y[first]))
    records: list[Record] = []
    for n_labels in checkpoints:
        seconds += cpu_time(partial(_query_until, learner, problem.y, n_labels))[0]
        finished = learner.model if is_refitted else deepcopy(learner.model).finish()
        records.append({"labels": n_labels, "seconds": seconds, "error": test_error(finished, problem)})
    records[-1]["unfinished"] = test_error(learner.model, problem)
    return records


def _query_until(learner: ActiveLearner, y: Labels, n_labels: int) -> None:
    while len(learner.labels) < n_labels:
        rows = learner.ask()
        learner.tell(rows, y[rows])
    _ = learner.model  # a model that is refitted is refitted on access


def _cells(quick: bool) -> Iterator[Cell]:
    checkpoints = [n_labels for n_labels in CHECKPOINTS if not quick or n_labels <= 100]
    for method in reversed(METHODS):
        for data in (REUTERS, USPS):
            for seed in range(1 if quick else _N_SPLITS[method]):
                key: Record = {"data": data, "method": method, "seed": seed}
                yield Cell(key, partial(_query_and_learn, data, method, checkpoints, seed))


MEASUREMENT = Measurement("asking", _cells)

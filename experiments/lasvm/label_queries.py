"""Active learning with one online iteration per label, or with a new fit per label: the measurement of figure 16.

All methods start with the same few labels and query the example closest to the boundary, among 50 random ones or among
all; RANDOM queries a random example. RETRAIN fits LIBSVM to all labels after each query, LASVM makes one online
iteration. The paper's RETRAIN starts from its last solution, which LIBSVM cannot do. RETRAIN WARM does: it is
`IncrementalSVC`, which moves from the exact solution of the labels so far to that with the new one.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING

from experiments import problems
from experiments.experiment import Cell, Measurement
from experiments.lasvm.selection import N_INITIAL, POOL, initial_rows
from experiments.measure import cpu_time, make_libsvm, test_error
from hinge import IncrementalSVC, OnlineSVC
from hinge.active import ActiveLearner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sklearn.svm import SVC

    from experiments.problems import Labels, Problem
    from experiments.records import Record

REUTERS, USPS = "Reuters", "USPS"
RETRAIN_50, RETRAIN_ALL = "RETRAIN ACTIVE 50", "RETRAIN ACTIVE ALL"
WARM_50, WARM_ALL = "RETRAIN WARM ACTIVE 50", "RETRAIN WARM ACTIVE ALL"
LASVM_50, LASVM_ALL, RANDOM = "LASVM ACTIVE 50", "LASVM ACTIVE ALL", "RANDOM"
ACTIVES = (RETRAIN_ALL, WARM_ALL, RETRAIN_50, WARM_50, LASVM_ALL, LASVM_50)
METHODS = (*ACTIVES, RANDOM)
CHECKPOINTS = (15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 510)
QUERIES = CHECKPOINTS[-1] - 2 * N_INITIAL
_N_SPLITS = dict.fromkeys(METHODS, 10) | {RETRAIN_ALL: 1}
_N_USPS_SPLITS = _N_SPLITS | {WARM_ALL: 4}
_SAMPLED = (RETRAIN_50, WARM_50, LASVM_50)  # methods that score 50 random candidates
_EXACT = (RETRAIN_50, RETRAIN_ALL, WARM_50, WARM_ALL)


def _problem(data: str, seed: int) -> Problem:
    return (problems.reuters if data == REUTERS else problems.usps)().random_split(seed)


def _model(method: str, problem: Problem) -> SVC | IncrementalSVC | OnlineSVC:
    if method in (RETRAIN_50, RETRAIN_ALL):
        return make_libsvm(problem)
    if method in (WARM_50, WARM_ALL):
        return IncrementalSVC(C=problem.C, gamma=problem.gamma, n_jobs=1)
    return OnlineSVC(max_gap=None, C=problem.C, gamma=problem.gamma, n_jobs=1)


def _query_and_learn(data: str, method: str, checkpoints: Sequence[int], seed: int) -> list[Record]:
    """Query and learn labels; with the same seed all methods draw candidates from the same sequence."""
    problem = _problem(data, seed)
    learner = ActiveLearner(
        _model(method, problem),
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
        finished = learner.model if method in _EXACT else deepcopy(learner.model).finish()
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
            for seed in range(1 if quick else (_N_USPS_SPLITS if data == USPS else _N_SPLITS)[method]):
                key: Record = {"data": data, "method": method, "seed": seed}
                yield Cell(key, partial(_query_and_learn, data, method, checkpoints, seed))


MEASUREMENT = Measurement("asking", _cells)

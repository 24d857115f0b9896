"""Asking for labels: learn each answer by one iteration, or train again after each; the measurement of figure 16.

All methods begin with the same few labels and ask about the example nearest to the boundary, among 50 random ones or
among all; RANDOM asks about any. RETRAIN fits LIBSVM to all labels after each answer, LASVM makes one online iteration.
"""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

from experiments import problems
from experiments.experiment import Cell, Measurement
from experiments.lasvm.selection import POOL, SEEDS, first_rows
from experiments.measure import cpu_time, make_libsvm, test_error
from hinge import OnlineSVC
from hinge.active import ActiveLearner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from experiments.problems import Problem
    from experiments.records import Record

REUTERS, USPS = "Reuters", "USPS"
RETRAIN_50, RETRAIN_ALL = "RETRAIN ACTIVE 50", "RETRAIN ACTIVE ALL"
LASVM_50, LASVM_ALL, RANDOM = "LASVM ACTIVE 50", "LASVM ACTIVE ALL", "RANDOM"
ACTIVES = (RETRAIN_ALL, RETRAIN_50, LASVM_ALL, LASVM_50)
METHODS = (*ACTIVES, RANDOM)
CHECKPOINTS = (15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 510)
QUERIES = CHECKPOINTS[-1] - 2 * SEEDS
_SPLITS = {RETRAIN_ALL: 1, RETRAIN_50: 10, LASVM_ALL: 10, LASVM_50: 10, RANDOM: 10}
_STRATEGIES: dict[str, dict[str, Any]] = {
    RETRAIN_50: {"sample": POOL},
    LASVM_50: {"sample": POOL},
    RANDOM: {"strategy": "random"},
}


def _problem(data: str, seed: int) -> Problem:
    return (problems.reuters if data == REUTERS else problems.usps)().random_split(seed)


def _dialogue(data: str, method: str, checkpoints: Sequence[int], seed: int) -> list[Record]:
    """Ask and tell; the same seed draws candidates from the same sequence for every method."""
    problem = _problem(data, seed)
    retrained = method.startswith("RETRAIN")
    model = make_libsvm(problem) if retrained else OnlineSVC(C=problem.C, gamma=problem.gamma, n_jobs=1)
    learner = ActiveLearner(model, problem.X, random_state=seed, **_STRATEGIES.get(method, {}))
    first = first_rows(problem.y, seed)
    seconds, _ = cpu_time(partial(learner.tell, first, problem.y[first]))
    records: list[Record] = []
    for look in checkpoints:
        seconds += cpu_time(partial(_ask_until, learner, problem.y, look))[0]
        finished = learner.model if retrained else deepcopy(learner.model).finish()
        records.append({"labels": look, "seconds": seconds, "error": test_error(finished, problem)})
    records[-1]["unfinished"] = test_error(learner.model, problem)
    return records


def _ask_until(learner: ActiveLearner, y: NDArray[Any], n_labels: int) -> None:
    while len(learner.labels) < n_labels:
        rows = learner.ask()
        learner.tell(rows, y[rows])
    _ = learner.model  # one that is trained again is so when it is looked at


def _cells(quick: bool) -> Iterator[Cell]:
    checkpoints = [look for look in CHECKPOINTS if not quick or look <= 100]
    for method in reversed(METHODS):
        for data in (REUTERS, USPS):
            for seed in range(1 if quick else _SPLITS[method]):
                key: Record = {"data": data, "method": method, "seed": seed}
                yield Cell(key, partial(_dialogue, data, method, checkpoints, seed))


MEASUREMENT = Measurement("asking", _cells)

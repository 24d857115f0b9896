"""One pass over a data set with checkpoints: the measurement of most tables and figures of the paper.

Metrics on the test rows, with positive rows P and decision values f:

- error: per cent of wrong signs;
- prbep: the point where precision equals recall, which is the share of positives among the |P| rows of largest f;
- auc: the area under the ROC curve;
- gmeans: sqrt(sensitivity * specificity), in per cent.

LASVM-G also records its duality gap over all rows seen so far, where rows it no longer holds have coefficient zero, and
over the rows that it holds, which controls its steps. Seconds are those of training alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import roc_auc_score

from experiments.experiment import Cell, Measurement
from experiments.measure import cpu_time, make_libsvm
from experiments.nonconvex.datasets import CACHE, DATASETS, MNIST, NAMES, RAMP, problem
from hinge import OnlineSVC, RobustOnlineSVC

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from experiments.experiment import CellResult
    from experiments.problems import Problem
    from experiments.records import Record, Scalar

FULL, GAP, NONCONVEX, IGNORE, LASVM, LIBSVM = "FULL SVM", "LASVM-G", "LASVM-NC", "LASVM-I", "LASVM", "LIBSVM"
METHODS = (FULL, GAP, NONCONVEX, IGNORE, LASVM, LIBSVM)
STREAMING = METHODS[:-1]
OMITTED = (MNIST, FULL)  # keeps 60,000 rows; 48,000 took 45 CPU minutes
N_INITIAL = 5  # rows of each class at the start, as in `fit`
VARIANTS = {FULL: "full", GAP: "hinge", NONCONVEX: "ramp", IGNORE: "ignore"}
WITH_RAMP = (NONCONVEX, IGNORE)
NO_RAMP = "none"
CHECKPOINTS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # shares of the training rows
_CHEAP_FIRST = (LASVM, IGNORE, NONCONVEX, GAP, LIBSVM, FULL)
ONLINE, END = "online", "end"  # stages


@dataclass(frozen=True)
class Pass:
    """One pass of a method over a data set in a random order."""

    data: str
    method: str
    ramp: Scalar
    seed: int
    quick: bool
    checkpoints: Sequence[float] = CHECKPOINTS

    @property
    def key(self) -> Record:
        """The key of the cell."""
        return {"data": self.data, "method": self.method, "ramp": self.ramp, "seed": self.seed}

    def run(self) -> CellResult:
        """Train, and measure at checkpoints."""
        task = problem(self.data, self.seed, quick=self.quick)
        return _batch(task) if self.method == LIBSVM else self._stream(task)

    def _stream(self, task: Problem) -> list[Record]:
        order = training_order(task, self.seed)
        X, y = task.X[order], task.y[order]
        model = make_model(self.method, task, ramp=self.ramp)
        seconds, start, lines = 0.0, 0, []
        for share in self.checkpoints:
            stop = round(share * len(y))
            seconds += cpu_time(partial(model.partial_fit, X[start:stop], y[start:stop], classes=[False, True]))[0]
            if stop == len(y) and self.method == LASVM:
                seconds += cpu_time(model.finish)[0]
            start = stop
            stage = END if stop == len(y) else ONLINE
            line: Record = {"stage": stage, "seen": stop, "seconds": seconds, **_model_size(model)}
            line |= quality_metrics(model.decision_function(task.X_test), task.y_test)
            if self.method == GAP:
                line |= {"gap": model.duality_gap(X[:stop], y[:stop]), "held_gap": model.duality_gap()}
            lines.append(line)
        return lines


def passes(*, data: Sequence[str] = NAMES, methods: Sequence[str] = METHODS, other_ramps: bool = False) -> Measurement:
    """Create the measurement of passes over some data sets; experiments share the passes they have in common."""

    def cells(quick: bool) -> Iterator[Cell]:
        for name in (name for name in DATASETS if name in data):
            for seed in range(1 if quick else DATASETS[name].seeds):
                for method in (method for method in _CHEAP_FIRST if method in methods and (name, method) != OMITTED):
                    yield from (
                        Cell(each.key, each.run)
                        for each in _runs(name, method, seed, other_ramps=other_ramps, quick=quick)
                    )

    return Measurement("passes", cells)


def make_model(method: str, task: Problem, *, ramp: Scalar = RAMP) -> OnlineSVC | RobustOnlineSVC:
    """Create a streaming method with the parameters of a problem, and the library's defaults otherwise."""
    if method == LASVM:
        return OnlineSVC(max_gap=None, C=task.C, gamma=task.gamma, cache_size=CACHE, n_jobs=1)
    return RobustOnlineSVC(
        C=task.C,
        gamma=task.gamma,
        variant=VARIANTS[method],
        ramp=RAMP if ramp == NO_RAMP else float(ramp),
        cache_size=CACHE,
        n_jobs=1,
    )


def training_order(task: Problem, seed: int) -> NDArray[np.int64]:
    """Return a random order of the training rows in which a few rows of each class come first, as in `fit`."""
    order = np.random.default_rng(seed).permutation(len(task.y))
    labels = task.y[order]
    first = np.sort(np.concatenate([np.flatnonzero(labels == label)[:N_INITIAL] for label in (False, True)]))
    return np.concatenate([order[first], np.delete(order, first)])


def quality_metrics(decisions: NDArray[np.float64], truth: NDArray[np.bool_]) -> Record:
    """Compute the quality metrics of a classifier from decision values and true labels."""
    predicted = decisions > 0
    n_positive = int(np.count_nonzero(truth))
    first = np.argsort(-decisions, kind="stable")[:n_positive]
    sensitivity, specificity = np.mean(predicted[truth]), np.mean(~predicted[~truth])
    return {
        "error": 100 * float(np.mean(predicted != truth)),
        "prbep": 100 * float(np.mean(truth[first])),
        "auc": float(roc_auc_score(truth, decisions)),
        "gmeans": 100 * float(np.sqrt(sensitivity * specificity)),
        "test_rows": len(truth),
        "positive": n_positive,
    }


def _runs(data: str, method: str, seed: int, *, other_ramps: bool, quick: bool) -> Iterator[Pass]:
    spec = DATASETS[data]
    if method in WITH_RAMP:
        yield Pass(data, method, RAMP, seed, quick)
        if other_ramps and seed < spec.ramp_seeds:
            yield from (Pass(data, method, ramp, seed, quick, checkpoints=(1.0,)) for ramp in spec.ramps)
    elif method != LIBSVM or seed == 0 or spec.depends_on_seed:  # the order does not matter to a batch solver
        yield Pass(data, method, NO_RAMP, seed, quick)


def _batch(task: Problem) -> Record:
    model = make_libsvm(task, cache_size=CACHE)
    seconds, _ = cpu_time(partial(model.fit, task.X, task.y))
    line: Record = {"stage": END, "seen": len(task.y), "seconds": seconds, "support": len(model.support_)}
    return line | quality_metrics(model.decision_function(task.X_test), task.y_test)


def _model_size(model: OnlineSVC | RobustOnlineSVC) -> Record:
    return {"support": len(model.support_), "kernel_evals": int(model.n_kernel_evals_)}

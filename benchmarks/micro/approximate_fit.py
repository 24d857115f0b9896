"""Training time of approximate models and of scikit-learn's pipelines, on the tasks of Lee and Wright, 2012."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem

from benchmarks.approximate import OURS, PROBLEMS, SELECTED, Problem, Trainer, grid
from benchmarks.micro import Section
from benchmarks.tasks import Split
from benchmarks.worker import timed
from hinge import ApproximateSVC

SIZES = (512, 1024)
SEEDS = (0, 1, 2)
TOLERANCE = 0.1  # points of error by which a peer may be worse
N_SHOWN = 4  # peers per table
COLUMNS = ("task", "model", "map, s", "training, s", "together, s", "of ours", "error, %", "paper's")


@dataclass(frozen=True)
class Result:
    """One model on one task: the least seconds and the mean error over seeds."""

    title: str
    map_seconds: float
    seconds: float
    error: float

    @property
    def together(self) -> float:
        """Seconds of map and training."""
        return self.map_seconds + self.seconds


def measure(quick: bool, *, full: bool = False) -> Section:
    """Fit our model, the feature map of the peer, and every linear model after it, for each seed."""
    rows: list[tuple[str, ...]] = []
    _runs(PROBLEMS["a9a"], PROBLEMS["a9a"].load().head(2_000, 100), SIZES[0], SELECTED["a9a"], 0)  # warm-up
    for problem in PROBLEMS.values():
        split = problem.load()
        for size in SIZES[:1] if quick else SIZES:
            trainers = list(grid(problem.name)) if full else SELECTED[problem.name]
            part = split.head(5_000, 2_000) if quick else split
            seeds = SEEDS[:1] if quick or full else SEEDS
            ours, *peers = _results(problem, part, size, trainers, seeds)
            rows += _rows(f"{problem.title}, s={size}", ours, peers, problem.errors[size])
    return Section(
        "Map and training (aims: our error at most 0.3 points above the paper's; every pipeline whose error is at most "
        f"{TOLERANCE:g} points above ours, marked *, takes at least 3 times our time)",
        COLUMNS,
        rows,
    )


def _results(
    problem: Problem, split: Split, size: int, trainers: Sequence[Trainer], seeds: Iterable[int]
) -> list[Result]:
    titles = ["ours", *(trainer.title for trainer in trainers)]
    runs = [_runs(problem, split, size, trainers, seed) for seed in seeds]
    results = []
    for title, same in zip(titles, zip(*runs, strict=True), strict=True):
        map_seconds, seconds, errors = zip(*same, strict=True)
        results.append(Result(title, min(map_seconds), min(seconds), mean(errors)))
    return results


def _runs(
    problem: Problem, split: Split, size: int, trainers: Sequence[Trainer], seed: int
) -> list[tuple[float, float, float]]:
    """Return seconds of the map, seconds of training and the error for ours and for every trainer."""
    options = OURS[problem.name, size]
    ours = ApproximateSVC(C=problem.C, gamma=problem.gamma, n_components=size, random_state=seed, **options)
    runs = [(0.0, timed(ours.fit, split.X, split.y)[0], _error(ours, split.X_test, split.y_test))]
    nystroem = Nystroem(gamma=problem.gamma, n_components=size, random_state=seed)
    map_seconds, features = timed(nystroem.fit_transform, split.X)
    features_test = nystroem.transform(split.X_test)
    for trainer in trainers:
        machine = trainer.make(problem.C, len(split.y))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # some stop early on purpose
            seconds = timed(machine.fit, features, split.y)[0]
        runs.append((map_seconds, seconds, _error(machine, features_test, split.y_test)))
    return runs


def _error(model: Any, X: Any, y: Any) -> float:
    return 100 * float(np.mean(model.predict(X) != y))


def _rows(title: str, ours: Result, peers: list[Result], paper: float) -> list[tuple[str, ...]]:
    """Return our row, then the fastest peers that reach our error, then those that come nearest to it."""
    order = sorted(peers, key=lambda peer: (max(peer.error - ours.error, TOLERANCE), peer.together))
    lines: list[tuple[str, ...]] = [
        (title, ours.title, "", "", f"{ours.together:.2f}", "1.0", f"{ours.error:.2f}", f"{paper:.2f}")
    ]
    for peer in order[:N_SHOWN]:
        reached = "*" if peer.error <= ours.error + TOLERANCE else " "
        ratio = f"{peer.together / ours.together:.1f}{reached}"
        seconds = (f"{value:.2f}" for value in (peer.map_seconds, peer.seconds, peer.together))
        lines.append(("", peer.title, *seconds, ratio, f"{peer.error:.2f}", ""))
    return lines

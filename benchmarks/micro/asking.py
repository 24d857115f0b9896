"""Asking for 500 labels: learn each, or train again; figure 16 of Bordes, Ertekin, Weston and Bottou, 2005."""

import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from benchmarks.data import data_folder, read
from benchmarks.micro import Section
from benchmarks.micro.selection import POOL, SEEDS, error_of, first_rows, frame, mixed, write_table
from benchmarks.tasks import TASKS, Split
from benchmarks.worker import timed
from hinge import OnlineSVC
from hinge.active import ActiveLearner
from hinge.datasets import load

QUERIES = 500
LOOKS = (15, 20, 30, 40, 60, 80, 100, 150, 200, 250, 300, 350, 400, 450, 510)
METHODS: dict[str, tuple[type, dict[str, Any]]] = {
    "RETRAIN ACTIVE 50": (SVC, {"sample": POOL}),
    "RETRAIN ACTIVE ALL": (SVC, {}),
    "LASVM ACTIVE 50": (OnlineSVC, {"sample": POOL}),
    "LASVM ACTIVE ALL": (OnlineSVC, {}),
    "RANDOM": (OnlineSVC, {"strategy": "random"}),
}
COLOURS = dict(zip(METHODS, ("#d97706", "#b91c1c", "#2563eb", "#1e3a8a", "#64748b"), strict=True))
COLUMNS = (
    "data",
    "method",
    "error at 60, %",
    "at 150",
    "at 510",
    "unfinished",
    "processor s",
    "of LASVM ACTIVE 50",
    "ms a question: mean, or median / 95 % / longest",
)


@dataclass(frozen=True)
class Problem:
    """Two classes, their settings, and random splits of the whole set, one a run."""

    title: str
    splits: Sequence[Split]
    C: float
    gamma: float


@dataclass(frozen=True)
class Run:
    """One dialogue: errors of finished copies after some numbers of labels, the last as it was, processor seconds."""

    errors: list[float]
    unfinished: float
    seconds: float


def measure(quick: bool, *, full: bool = False) -> Section:
    """Ask 500 questions with each method, then time single questions over large pools."""
    data_folder()
    looks = [look for look in LOOKS if not quick or look <= 100]
    rows: list[tuple[str, ...]] = []
    results = {}
    for problem in _problems(1 if quick else 10 if full else 3):
        methods = [name for name in METHODS if full or name != "RETRAIN ACTIVE ALL"]
        _dialogue(problem, problem.splits[0], "LASVM ACTIVE 50", 0, looks[:3])  # warms up
        runs = {
            name: [_dialogue(problem, split, name, seed, looks) for seed, split in enumerate(problem.splits)]
            for name in methods
        }
        results[problem.title] = runs
        rows += _rows(problem.title, runs, looks)
    rows += [_latency(*pool) for pool in _pools(quick)]
    return Section(
        f"{looks[-1] - 2 * SEEDS} questions, means of random splits (aims: LASVM ACTIVE 50 takes a hundredth of the "
        "processor time of RETRAIN ACTIVE 50 at the same error; the next question within 50 ms of an answer)",
        COLUMNS,
        rows,
        partial(_save, results, looks),
    )


def _problems(n_splits: int) -> Iterator[Problem]:
    news, digits = TASKS["reuters"].load(), load("usps")
    news = Split(news.X, news.y > 0, news.X_test, news.y_test > 0)
    yield Problem("reuters money-fx", [mixed(news, seed) for seed in range(n_splits)], 1.0, 1.0)
    unit = Split(normalize(digits.X_train), digits.y_train == 0, normalize(digits.X_test), digits.y_test == 0)
    yield Problem("usps, 0 vs rest", [mixed(unit, seed) for seed in range(n_splits)], 1000.0, 2.0)


def _dialogue(problem: Problem, split: Split, name: str, seed: int, looks: Sequence[int]) -> Run:
    """Ask and tell; the same seed draws candidates from the same sequence for every method."""
    kind, options = METHODS[name]
    model = kind(C=problem.C, gamma=problem.gamma)
    learner = ActiveLearner(model, split.X, random_state=seed, **options)
    first = first_rows(split.y, seed)
    seconds = _processor_seconds(learner.tell, first, split.y[first])
    errors = []
    for look in looks:
        seconds += _processor_seconds(_ask_until, learner, split.y, look)
        copy = deepcopy(learner.model)
        errors.append(error_of(copy.finish() if kind is OnlineSVC else copy, split))
    return Run(errors, error_of(learner.model, split), seconds)


def _processor_seconds(action: Callable[..., Any], *arguments: Any) -> float:
    """Return the time of all threads, which does not depend on what else the machine does, as a minute's run would."""
    start = time.process_time()
    action(*arguments)
    return time.process_time() - start


def _ask_until(learner: ActiveLearner, y: NDArray[Any], n_labels: int) -> None:
    while len(learner.labels) < n_labels:
        rows = learner.ask()
        learner.tell(rows, y[rows])
    _ = learner.model  # one that is trained again is so when it is looked at


def _rows(title: str, runs: dict[str, list[Run]], looks: Sequence[int]) -> Iterator[tuple[str, ...]]:
    ours = mean(run.seconds for run in runs["LASVM ACTIVE 50"])
    for number, (name, same) in enumerate(runs.items()):
        means = dict(zip(looks, np.mean([run.errors for run in same], axis=0).tolist(), strict=True))
        seconds = mean(run.seconds for run in same)
        yield (
            title if not number else "",
            name,
            *(f"{means[look]:.2f}" if look in means else "" for look in (60, 150, 510)),
            f"{mean(run.unfinished for run in same):.2f}",
            f"{seconds:.2f}",
            f"{seconds / ours:.1f}",
            f"{1e3 * seconds / (looks[-1] - 2 * SEEDS):.2f}",
        )


def _pools(quick: bool) -> Iterator[tuple[str, NDArray[Any], NDArray[Any], dict[str, Any], int | None]]:
    """Go through large pools: rows, labels, settings, candidates."""
    n_queries = 60 if quick else QUERIES
    digits, y = read("mnist", dense=True)
    X, settings = digits[:10_000] / np.float32(255), {"C": 10.0, "gamma": 0.02, "n_queries": n_queries}
    yield "pool of 10 000, mnist, 8 vs rest", X, y[:10_000] == 8, settings, None
    yield "pool of 10 000, mnist, 10 classes", X, y[:10_000], settings, None
    X, y = read("covtype", dense=True)
    rows = np.random.default_rng(0).integers(len(y), size=10_000 if quick else 1_000_000)
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), np.float32(1e-6))
    X, y, settings = X[rows], y[rows] == 2, {"C": 3.0, "gamma": 0.5, "n_queries": n_queries}
    for sample in (POOL, 1_000):
        yield f"pool of {len(y):,}, covtype, sample={sample}", X, y, settings, sample


def _latency(
    title: str, X: NDArray[Any], y: NDArray[Any], settings: dict[str, Any], sample: int | None
) -> tuple[str, ...]:
    """Return the line of a pool: milliseconds from an answer to the next question."""
    settings = dict(settings)
    n_queries = settings.pop("n_queries")
    first = first_rows(y, 0)
    learner = ActiveLearner(OnlineSVC(**settings), X, sample=sample, random_state=0).tell(first, y[first])
    rows, milliseconds = learner.ask(), []
    for _ in range(n_queries):
        seconds, rows = timed(lambda row: learner.tell(row, y[row]).ask(), rows)
        milliseconds.append(1e3 * seconds)
    median, high = np.percentile(milliseconds, [50, 95])
    last = f"{median:.1f} / {high:.1f} / {max(milliseconds):.1f}"
    return title, "LASVM ACTIVE", *[""] * 6, last


def _save(results: dict[str, dict[str, list[Run]]], looks: Sequence[int], file: Path) -> None:
    """Write all errors into a table, and draw their means."""
    errors = (
        (title, name, number, look, error)
        for title, runs in results.items()
        for name, same in runs.items()
        for number, run in enumerate(same)
        for look, error in zip(looks, run.errors, strict=True)
    )
    write_table(file, ("data", "method", "run", "labels", "error"), errors)
    figure = Figure(figsize=(11, 4.5), layout="constrained", dpi=100)
    for place, (title, runs) in zip(figure.subplots(1, len(results)), results.items(), strict=True):
        for name, same in runs.items():
            means = np.mean([run.errors for run in same], axis=0)
            label = f"{name}, {mean(run.seconds for run in same):.2f} s"
            place.plot(looks, means, marker=".", color=COLOURS[name], label=label)
        place.set_ylim(0, 10)
        frame(place, f"Test error, %: {title}", "labels")
    figure.savefig(file)

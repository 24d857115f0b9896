"""Compare the speed of two installed versions of hinge: `python -m benchmarks.compare OLD_PYTHON NEW_PYTHON`.

Every task runs in a process of its own, alternately under the two interpreters, so that both see the same conditions.
The table shows the median of the ratios new / old of paired runs, for wall-clock time and processor time. Tasks use
parameters that both versions have; "plain" is the papers' rule, `max_gap=None`, whatever the default is. Each
interpreter must have hinge installed, or be given its folder: `PYTHON@FOLDER`.
"""

import argparse
import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.data import MissingDataError, data_folder
from benchmarks.report import print_table
from benchmarks.tasks import TASKS, Split

LIMIT = 1.03  # ratios above are flagged
CACHE_MEGABYTES = 1000
COLUMNS = ("task", "old, s", "new, s", "wall", "processor", "same result", "")

Work = Callable[[], float]
Prepare = Callable[[bool], Work]


@dataclass(frozen=True)
class Run:
    """What one process measured. `result` identifies the model that came out; it need not be the same in both."""

    wall: float
    processor: float
    result: float


def main() -> None:
    """Run the tasks under both interpreters, print the table."""
    options = _options()
    if options.worker:
        print(json.dumps(_measure(options.worker, options.quick)))
        return
    console = Console()
    try:
        data_folder()
    except MissingDataError as reason:
        console.print(f"Skipped. {reason}")
        return
    rows = []
    for task in options.tasks:
        with console.status(task):
            rows.append(_row(task, _alternate(task, options)))
    print_table(
        f"Medians of {options.repeats} pairs of runs; wall and processor: time of new / time of old, limit {LIMIT:g}",
        COLUMNS,
        rows,
        console,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare", description="Compare the speed of two installed versions of hinge."
    )
    parser.add_argument("old", help="interpreter of the old version, or PYTHON@FOLDER")
    parser.add_argument("new", help="interpreter of the new version, or PYTHON@FOLDER")
    parser.add_argument("--tasks", nargs="+", choices=WORKLOADS, default=list(WORKLOADS), metavar="TASK")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each task under each interpreter")
    parser.add_argument("--quick", action="store_true", help="subsamples")
    parser.add_argument("--worker", choices=WORKLOADS, help=argparse.SUPPRESS)
    return parser.parse_args()


def _alternate(task: str, options: argparse.Namespace) -> list[tuple[Run, Run]]:
    """Return pairs of runs, old and new; which goes first changes from pair to pair."""
    pairs = []
    for number in range(options.repeats):
        order = (options.old, options.new) if number % 2 == 0 else (options.new, options.old)
        runs = {name: _run_apart(name, task, options.quick) for name in order}
        pairs.append((runs[options.old], runs[options.new]))
    return pairs


def _run_apart(interpreter: str, task: str, quick: bool) -> Run:
    """Run a task in a process of its own, with the hinge of that interpreter."""
    python, _, folder = interpreter.partition("@")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if folder:
        environment["PYTHONPATH"] = str(Path(folder).resolve())
    command = [python, "-m", "benchmarks.compare", "-", "-", "--worker", task, *(["--quick"] if quick else [])]
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment, cwd=root)
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def _row(task: str, pairs: list[tuple[Run, Run]]) -> tuple[str, ...]:
    wall = median(new.wall / old.wall for old, new in pairs)
    processor = median(new.processor / old.processor for old, new in pairs)
    same = all(np.isclose(old.result, new.result, rtol=1e-6) for old, new in pairs)
    return (
        task,
        f"{median(old.wall for old, _ in pairs):.3f}",
        f"{median(new.wall for _, new in pairs):.3f}",
        f"{wall:.3f}",
        f"{processor:.3f}",
        "yes" if same else "no",
        "SLOWER" if max(wall, processor) > LIMIT else "",
    )


def _measure(task: str, quick: bool) -> dict[str, float]:
    work = WORKLOADS[task](quick)
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    return {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor, "result": result}


def _online(task: str, **options: Any) -> Any:
    from hinge import OnlineSVC  # noqa: PLC0415  only the measured process has hinge

    settings = {"C": TASKS[task].C, "gamma": TASKS[task].gamma, "cache_size": CACHE_MEGABYTES, "random_state": 0}
    return OnlineSVC(**(settings | options))


def _split(task: str, n_rows: int | None, quick: bool) -> Split:
    split = TASKS[task].load()
    n_rows = len(split.y) if n_rows is None else n_rows
    return split.head(min(n_rows, 2000) if quick else n_rows, 1000 if quick else len(split.y_test))


def _fitting(task: str, n_rows: int | None = None, **options: Any) -> Prepare:
    """Return a task that fits `OnlineSVC`."""

    def prepare(quick: bool) -> Work:
        split = _split(task, n_rows, quick)
        _online(task, **options).fit(split.X[:200], split.y[:200])  # loads libraries and starts threads
        return lambda: float(len(_online(task, **options).fit(split.X, split.y).support_))

    return prepare


def _predicting(task: str, n_rows: int) -> Prepare:
    """Return a task that predicts the test rows five times."""

    def prepare(quick: bool) -> Work:
        split = _split(task, n_rows, quick)
        model = _online(task).fit(split.X, split.y)
        model.predict(split.X_test[:100])
        return lambda: float(np.mean([np.mean(model.predict(split.X_test) == split.y_test) for _ in range(5)]))

    return prepare


def _predicting_single_rows(quick: bool) -> Work:
    """Predict one row per call."""
    split = _split("mnist8", 10_000, quick)
    model = _online("mnist8").fit(split.X, split.y)
    n_rows = 500 if quick else 5000
    return lambda: float(sum(bool(model.predict(split.X_test[row : row + 1])[0]) for row in range(n_rows)))


def _small_sets(quick: bool) -> Work:
    """Fit the first rows of several sets, which are solved exactly, with several settings."""
    from hinge import OnlineSVC  # noqa: PLC0415

    splits = [_split(task, n_rows, quick) for task in ("a9a", "reuters", "mnist10") for n_rows in (300, 1500)]
    settings: list[dict[str, Any]] = [{"C": C, "gamma": gamma} for C in (1.0, 100.0) for gamma in ("scale", 0.02)]

    def work() -> float:
        models = [OnlineSVC(**one, random_state=0).fit(split.X, split.y) for split in splits for one in settings]
        return float(sum(len(model.support_) for model in models))

    return work


def _single_rows(**options: Any) -> Prepare:
    """Return a task that learns single rows on top of a fitted model."""

    def prepare(quick: bool) -> Work:
        split = _split("mnist8", 10_000, quick)
        model = _online("mnist8", **options).fit(split.X, split.y)
        n_rows = 200 if quick else 1500

        def work() -> float:
            for row in range(n_rows):
                model.partial_fit(split.X_test[row : row + 1], split.y_test[row : row + 1])
            return float(len(model.support_))

        return work

    return prepare


def _exact_single_rows(quick: bool) -> Work:
    """Learn single rows exactly, then forget them again."""
    from hinge import IncrementalSVC  # noqa: PLC0415

    split = _split("mnist8", 2000, quick)
    n_rows = 100 if quick else 1000
    X = split.X_test[:n_rows].astype(np.float64)
    model = IncrementalSVC(C=10.0, gamma=0.02)
    model.partial_fit(split.X.astype(np.float64), split.y, ids=range(n_rows, n_rows + len(split.y)))

    def work() -> float:
        for row in range(n_rows):
            model.partial_fit(X[row : row + 1], split.y_test[row : row + 1], ids=[row])
        for row in range(n_rows):
            model.forget([row])
        return float(model.dual_objective())

    return work


def _active_learning(**options: Any) -> Prepare:
    """Return a task that asks for one label at a time from a sparse pool."""

    def prepare(quick: bool) -> Work:
        from hinge.active import ActiveLearner  # noqa: PLC0415

        split = _split("reuters", None, quick)
        n_questions = 30 if quick else 150

        def work() -> float:
            learner = ActiveLearner(_online("reuters", **options), split.X, random_state=0)
            rows = learner.ask(10)
            for _ in range(n_questions):
                learner.tell(rows, split.y[rows])
                rows = learner.ask()
            return float(np.mean(learner.model.predict(split.X_test) == split.y_test))

        return work

    return prepare


def _approximate(*, stream: bool) -> Prepare:
    """Return a task that fits `ApproximateSVC`, or learns a stream of chunks."""

    def prepare(quick: bool) -> Work:
        from hinge import ApproximateSVC  # noqa: PLC0415

        split = _split("a9a", None, quick)
        settings: dict[str, Any] = {"C": 1000.0, "gamma": 0.001, "n_components": 512, "random_state": 0}
        ApproximateSVC(**settings | {"n_components": 16}).fit(split.X[:500], split.y[:500])

        def work() -> float:
            model = ApproximateSVC(**settings)
            if stream:
                for start in range(0, len(split.y), 500):
                    chunk = slice(start, start + 500)
                    model.partial_fit(split.X[chunk], split.y[chunk], classes=np.unique(split.y))
            else:
                model.fit(split.X, split.y)
            return float(np.mean(model.predict(split.X_test) == split.y_test))

        return work

    return prepare


WORKLOADS: dict[str, Prepare] = {
    "fit-a9a": _fitting("a9a"),
    "fit-mnist8": _fitting("mnist8"),
    "fit-reuters": _fitting("reuters"),
    "fit-rcv1": _fitting("rcv1"),
    "fit-rcv1-small-cache": _fitting("rcv1", cache_size=200),
    "fit-mnist8-small-cache": _fitting("mnist8", cache_size=8),
    "fit-covtype-20k": _fitting("covtype", 20_000),
    "predict-mnist8": _predicting("mnist8", 10_000),
    "predict-covtype-unit": _predicting("covtype-unit", 20_000),
    "predict-reuters": _predicting("reuters", 7_770),
    "fit-small-sets": _small_sets,
    "predict-single-rows": _predicting_single_rows,
    "partial-fit-single-rows": _single_rows(),
    "partial-fit-single-rows-plain": _single_rows(max_gap=None),
    "exact-learn-and-forget": _exact_single_rows,
    "active-learning": _active_learning(),
    "active-learning-plain": _active_learning(max_gap=None),
    "approximate-fit": _approximate(stream=False),
    "approximate-stream": _approximate(stream=True),
}

if __name__ == "__main__":
    main()

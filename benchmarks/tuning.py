"""How much a race over C and gamma costs, next to one fit of its winner, and what it finds.

`python -m benchmarks.tuning [--tasks a9a usps ...] [--seeds 1 2 3] [--reference] [--output tuning.json]` races the 110
settings of LIBSVM's grid. `--reference` fits every setting to all rows, and reports the lowest test error among them;
that takes long. Times are of the processor, so that other work on the machine counts little.
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid

from benchmarks.tasks import TASKS, Split
from hinge import OnlineSVC, datasets
from hinge.model_selection import RaceSearchCV

GRID = {"C": (2.0 ** np.arange(-5, 16, 2)).tolist(), "gamma": (2.0 ** np.arange(-15, 4, 2)).tolist()}


def _known(name: str) -> Split:
    data = datasets.load(name)
    return Split(data.X_train, data.y_train, data.X_test, data.y_test)


def _shuffled_head(task: str, n_rows: int) -> Split:
    data = TASKS[task].load()
    rows = np.random.RandomState(0).permutation(len(data.y))[:n_rows]
    return Split(data.X[rows], data.y[rows], data.X_test, data.y_test)


LOADERS: dict[str, Callable[[], Split]] = {
    "a9a": TASKS["a9a"].load,
    "mnist8": lambda: _shuffled_head("mnist8", 20_000),
    "mnist10": lambda: _shuffled_head("mnist10", 10_000),
    "usps": lambda: _known("usps"),
    "ijcnn1": lambda: _known("ijcnn1"),
    "reuters": TASKS["reuters"].load,
    "covtype": lambda: _shuffled_head("covtype", 50_000),
}


def processor_seconds(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call, and the processor time that it took."""
    start = time.process_time()
    return work(), time.process_time() - start


def measure(task: str, data: Split, seed: int, *, default_grid: bool, reference: bool) -> dict[str, Any]:
    """Race on one task, fit the winner, and test it."""
    search = RaceSearchCV(OnlineSVC(random_state=seed), None if default_grid else GRID, random_state=seed, refit=False)
    _, search_time = processor_seconds(lambda: search.fit(data.X, data.y))
    winner = OnlineSVC(random_state=seed, **search.best_params_)
    _, fit_time = processor_seconds(lambda: winner.fit(data.X, data.y))
    result = {
        "task": task,
        "seed": seed,
        "grid": "default" if default_grid else "LIBSVM, 110",
        "rows": len(data.y),
        **search.best_params_,
        "search over fit": round((search_time + fit_time) / fit_time, 1),
        "search seconds": round(search_time, 2),
        "fit seconds": round(fit_time, 2),
        "expected error": round(1 - search.best_score_, 5),
        "test error": round(1 - winner.score(data.X_test, data.y_test), 5),
    }
    return result | ({"best of the grid": _best_error(data, seed)} if reference else {})


def _best_error(data: Split, seed: int) -> float:
    """Return the lowest test error of all settings, each fitted to all rows."""
    errors = []
    for params in ParameterGrid(GRID):
        model = OnlineSVC(random_state=seed, **params).fit(data.X, data.y)
        errors.append(1 - float(model.score(data.X_test, data.y_test)))
    return round(min(errors), 5)


def main() -> None:
    """Measure the tasks of the command line, and print one line of JSON each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuning", description=__doc__)
    parser.add_argument("--tasks", nargs="+", choices=LOADERS, default=list(LOADERS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0], help="one race per task and seed")
    parser.add_argument("--default-grid", action="store_true", help="the grid made for the data, instead of LIBSVM's")
    parser.add_argument("--reference", action="store_true", help="also fit all settings to all rows")
    parser.add_argument("--output", type=Path, help="append the lines to this file")
    parser.add_argument("--rows", type=int, help="training rows, drawn at random; then 20 000 rows test")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for task in options.tasks:
        data = LOADERS[task]()
        if options.rows:
            rows = np.random.RandomState(100).permutation(len(data.y))[: options.rows]
            data = Split(data.X[rows], data.y[rows], data.X_test, data.y_test).head(options.rows, 20_000)
        for seed in options.seeds:
            reference = options.reference and seed == options.seeds[0]
            line = json.dumps(measure(task, data, seed, default_grid=options.default_grid, reference=reference))
            print(line, flush=True)
            if options.output:
                with options.output.open("a") as file:
                    file.write(line + "\n")


if __name__ == "__main__":
    main()

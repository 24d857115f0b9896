"""What scikit-learn's searches cost on the tasks of `benchmarks.tuning`, next to a race over the same 110 settings.

`python -m benchmarks.tuning_peers [--tasks usps ijcnn1]` prints processor seconds and test errors of a race on 5000
rows, next to `GridSearchCV(SVC)` on the same rows, whose cost is estimated from some settings drawn at random, one fold
of each; and of a race on all rows, next to `HalvingGridSearchCV` over the SVC of scikit-learn-intelex.
"""

import argparse
import json
import time
import warnings
from typing import Any

import numpy as np
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  (registers the next)
from sklearn.model_selection import HalvingGridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.svm import SVC
from sklearnex import svm as fast

from benchmarks.tasks import Split
from benchmarks.tuning import GRID, LOADERS, processor_seconds
from hinge import OnlineSVC
from hinge.model_selection import RaceSearchCV

N_SAMPLED = 12


def race(X: Any, y: Any, data: Split) -> tuple[float, float]:
    """Return processor seconds and the test error of a race with its final fit."""
    search = RaceSearchCV(OnlineSVC(random_state=1), GRID, random_state=1)
    _, seconds = processor_seconds(lambda: search.fit(X, y))
    return seconds, 1 - float(search.score(data.X_test, data.y_test))


def grid_seconds(X: Any, y: Any) -> float:
    """Return the estimated processor seconds of a grid search with five folds and its final fit."""
    settings = list(ParameterGrid(GRID))
    train, test = next(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    total = 0.0
    for place in np.random.RandomState(0).choice(len(settings), N_SAMPLED, replace=False):
        start = time.process_time()
        SVC(**settings[place]).fit(X[train], y[train]).score(X[test], y[test])
        total += time.process_time() - start
    return total / N_SAMPLED * (5 * len(settings) + 1)


def measure(task: str) -> dict[str, Any]:
    """Compare on one task."""
    data = LOADERS[task]()
    rows = np.random.RandomState(0).permutation(len(data.y))[:5000]
    ours_small, _ = race(data.X[rows], data.y[rows], data)
    grid = grid_seconds(data.X[rows], data.y[rows])
    ours, error = race(data.X, data.y, data)
    halving = HalvingGridSearchCV(fast.SVC(), GRID, cv=5, random_state=0)
    _, seconds = processor_seconds(lambda: halving.fit(data.X, data.y))
    return {
        "task": task,
        "race, 5000 rows": round(ours_small, 2),
        "GridSearchCV, 5000 rows, estimated": round(grid, 1),
        "race": round(ours, 2),
        "race, test error": round(error, 5),
        "halving": round(seconds, 1),
        "halving, test error": round(1 - float(halving.score(data.X_test, data.y_test)), 5),
    }


def main() -> None:
    """Print one line of JSON per task."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tuning_peers", description=__doc__)
    parser.add_argument("--tasks", nargs="+", choices=LOADERS, default=["usps", "ijcnn1"])
    warnings.simplefilter("ignore")
    for task in parser.parse_args().tasks:
        print(json.dumps(measure(task)), flush=True)


if __name__ == "__main__":
    main()

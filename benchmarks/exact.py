"""Compare exact SVCs: `python -m benchmarks.exact [TASK ...] [--models ...] [--again]`.

Every fit runs in a process of its own with default parameters but C and gamma, and rows in double precision. The
results of peers are kept in the temporary folder, since LIBSVM takes an hour or more on some tasks; `--again` measures
them again. The table shows, beside the times, how far apart the dual objectives and the predicted labels are.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.report import print_table
from benchmarks.tasks import EXACT_TASKS, Split

MODULES = {"hinge": "hinge.svm", "intelex": "sklearnex.svm", "sklearn": "sklearn.svm"}
TITLES = {"hinge": "hinge.svm", "intelex": "scikit-learn-intelex", "sklearn": "scikit-learn"}
COLUMNS = ("task", "rows", "model", "fit, s", "CPU, s", "ratio", "SVs", "objective", "same labels", "error, %")
BLOCK = 2000  # rows of kernel values at a time


def main() -> None:
    """Measure what is asked for, and print the table."""
    options = _options()
    if options.worker:
        _work(options.tasks[0], options.models[0], options.rows, Path(options.worker))
        return
    folder = Path(tempfile.gettempdir()) / f"hinge-benchmarks-{os.getuid()}" / "exact"
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Sequence[str]] = []
    for task in options.tasks or EXACT_TASKS:
        results = {model: _result(folder, task, model, options) for model in options.models}
        rows.extend(_table_rows(task, options.rows, results))
    print_table("exact SVCs with default parameters", COLUMNS, rows, Console(width=150))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exact", description="Compare exact SVCs.")
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=" ".join(EXACT_TASKS))
    parser.add_argument("--models", nargs="+", choices=MODULES, default=list(MODULES))
    parser.add_argument("--rows", type=int, help="the first so many rows")
    parser.add_argument("--again", action="store_true", help="measure peers again")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.tasks) - EXACT_TASKS.keys()
    if unknown:
        parser.error(f"unknown: {' '.join(sorted(unknown))}")
    return options


# --- one fit, in a process of its own ---


def _work(task: str, model: str, n_rows: int | None, path: Path) -> None:
    split = _split(task, n_rows)
    C, gamma = EXACT_TASKS[task].C, EXACT_TASKS[task].gamma
    estimator: Any = importlib.import_module(MODULES[model]).SVC
    few = np.concatenate([np.flatnonzero(split.y == label)[:20] for label in np.unique(split.y)])
    estimator(C=C, gamma=gamma).fit(split.X[few], split.y[few])  # loads libraries, starts threads
    svc = estimator(C=C, gamma=gamma)
    start, cpu = time.perf_counter(), time.process_time()
    svc.fit(split.X, split.y)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
    dual = svc.dual_coef_.toarray() if sparse.issparse(svc.dual_coef_) else svc.dual_coef_
    np.savez(
        path,
        times=[seconds, cpu_seconds],
        predicted=svc.predict(split.X_test),
        dual=dual,
        support=svc.support_,
        n_support=svc.n_support_,
    )


def _split(task: str, n_rows: int | None) -> Split:
    split = EXACT_TASKS[task].load()
    if n_rows is not None:
        split = split.head(n_rows, len(split.y_test))
    return Split(split.X.astype(np.float64), split.y, split.X_test.astype(np.float64), split.y_test)


def _result(folder: Path, task: str, model: str, options: argparse.Namespace) -> dict[str, Any]:
    path = folder / f"{task}-{options.rows or 'all'}-{model}.npz"
    if model == "hinge" or options.again or not path.exists():
        command = [sys.executable, "-m", "benchmarks.exact", task, "--models", model, "--worker", str(path)]
        if options.rows:
            command += ["--rows", str(options.rows)]
        subprocess.run(command, check=True)
    with np.load(path) as arrays:
        return dict(arrays) | {"objective": _objective(path, arrays, task, options.rows)}


# --- comparison ---


def _objective(path: Path, arrays: Any, task: str, n_rows: int | None) -> float:
    """Return the dual objective, summed over the pairs of classes; kept beside the results."""
    kept, stamp = path.with_suffix(".json"), path.stat().st_mtime_ns
    if kept.exists():
        known = json.loads(kept.read_text())
        if known["stamp"] == stamp:
            return float(known["objective"])
    split = _split(task, n_rows)
    vectors, gamma = split.X[arrays["support"]], EXACT_TASKS[task].gamma
    objective = _dual_objective(vectors, arrays["dual"], arrays["n_support"], gamma)
    kept.write_text(json.dumps({"stamp": stamp, "objective": objective}))
    return objective


def _dual_objective(vectors: Any, dual: NDArray[np.float64], counts: NDArray[np.int32], gamma: float) -> float:
    """Return sum |a| - a' K a / 2, over all pairs of classes, from coefficients in LIBSVM's layout."""
    starts = np.concatenate([[0], np.cumsum(counts)])
    total = 0.0
    for i, j in combinations(range(len(counts)), 2):
        members = np.r_[starts[i] : starts[i + 1], starts[j] : starts[j + 1]]
        alpha = np.concatenate([dual[j - 1, starts[i] : starts[i + 1]], dual[i, starts[j] : starts[j + 1]]])
        members, alpha = members[alpha != 0], alpha[alpha != 0]
        rows = vectors[members]
        total += float(np.abs(alpha).sum())
        for first in range(0, len(alpha), BLOCK):
            part = slice(first, first + BLOCK)
            total -= 0.5 * float(alpha[part] @ (rbf_kernel(rows[part], rows, gamma=gamma) @ alpha))
    return total


def _table_rows(task: str, n_rows: int | None, results: dict[str, dict[str, Any]]) -> list[Sequence[str]]:
    split = EXACT_TASKS[task].load()
    reference = results.get("sklearn") or next(iter(results.values()))
    ours = results.get("hinge")
    rows: list[Sequence[str]] = []
    for model, result in results.items():
        seconds, cpu = result["times"]
        difference = (result["objective"] - reference["objective"]) / abs(reference["objective"])
        rows.append(
            (
                EXACT_TASKS[task].title,
                f"{len(split.y) if n_rows is None else n_rows:,}",
                TITLES[model],
                f"{seconds:.2f}",
                f"{cpu:.2f}",
                "" if ours is None else f"{seconds / ours['times'][0]:.2f}",
                f"{len(result['support']):,}",
                f"{difference:+.1e}",
                f"{100 * np.mean(result['predicted'] == reference['predicted']):.3f} %",
                f"{100 * np.mean(result['predicted'] != split.y_test):.2f}",
            )
        )
    return rows


if __name__ == "__main__":
    main()

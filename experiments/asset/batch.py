"""The measurement of figure 1 and table 2: every method on every batch task.

Large models of ASSET are trained from scratch with several numbers of passes, so that table 2 can find when an error
was reached. The paper makes 1000 passes and averages the last 100 steps; here there are 30 passes (IJCNN, which takes
longest: 100; COVTYPE: 10) with longer steps, and the average is over the last half of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.kernel_approximation import Nystroem
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from experiments.asset.tasks import BATCH, EXACT, TIMED, problem
from experiments.experiment import Cell, Measurement
from experiments.measure import cpu_time, fit_and_measure, make_libsvm, test_error
from experiments.problems import Problem
from experiments.records import Records
from hinge import ApproximateSVC, OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from experiments.experiment import CellResult
    from experiments.records import Record

ASSET, ASSET_STAR, ONLINE, ADAPTIVE = "ASSET", "ASSET*", "ASSET on-line", "adaptive steps"
PIPELINE, LIBSVM = "Nystroem + LinearSVC", "LIBSVM"
LASVM, UNFINISHED, CONVERGED = "LASVM", "LASVM, not finished", "LASVM, until it converges"
SIZES = tuple(2**power for power in range(1, 11))
LARGE = (512, 1024)  # the sizes of table 2
SAME_ROWS = ("adult", "ijcnn", "mnist")  # tasks with the paper's number of rows, few enough for the exact solution
PASSES_BY_TASK: dict[str, Sequence[int]] = {"ijcnn": (1, 3, 10, 30, 100), "covtype": (10,)}
DEFAULT_PASSES = (1, 3, 10, 30)
CACHE = 2000.0  # megabytes; enough for the features of the largest set

_OPTIONS: dict[str, dict[str, object]] = {
    ASSET: {"steps": "asset"},
    ASSET_STAR: {"steps": "asset*", "fit_intercept": False},
    ONLINE: {"steps": "asset", "approximation": "fourier"},
    ADAPTIVE: {},
}


def _cells(quick: bool) -> Iterator[Cell]:
    for data in TIMED.values():
        yield _cell(data, LIBSVM, 0, 0, quick)
        yield from (_cell(data, PIPELINE, size, 0, quick) for size in LARGE)
        if data not in BATCH:
            for method in (ASSET, ASSET_STAR, ADAPTIVE):
                yield from (_cell(data, method, size, 0, quick) for size in LARGE)
            yield _cell(data, LASVM, 0, 0, quick)
    yield from (_cell(data, CONVERGED, 0, 0, quick) for data in SAME_ROWS)
    yield _cell("adult", UNFINISHED, 0, 0, quick)
    for data in BATCH:
        for size in SIZES:
            for method in (ASSET, ONLINE):
                for seed in range(_n_seeds(data, method, size, quick)):
                    yield _cell(data, method, size, seed, quick)
        for size in LARGE:
            yield _cell(data, ASSET_STAR, size, 0, quick)
            yield _cell(data, ADAPTIVE, size, 0, quick)
        yield _cell(EXACT[data], LASVM, 0, 0, quick)


def _n_seeds(data: str, method: str, size: int, quick: bool) -> int:
    """Return the number of seeds: small models are cheap, and depend more on their random sample."""
    if quick or data == "covtype" or (size > 128 and method == ONLINE):
        return 1
    return 2


def _cell(data: str, method: str, size: int, seed: int, quick: bool) -> Cell:
    key: Record = {"data": data, "method": method, "size": size, "seed": seed}
    checkpoints = PASSES_BY_TASK.get(data, DEFAULT_PASSES)
    if size not in LARGE or method == ONLINE:
        checkpoints = [min(checkpoints[-1], DEFAULT_PASSES[-1])]
    return Cell(key, lambda: _measure(problem(data, quick=quick), method, size, seed, checkpoints))


def _measure(rows: Problem, method: str, size: int, seed: int, checkpoints: Sequence[int]) -> CellResult:
    if method == LIBSVM:
        return fit_and_measure(make_libsvm(rows), rows)
    if method in (LASVM, UNFINISHED, CONVERGED):
        model = OnlineSVC(
            max_gap=None,
            C=rows.C,
            gamma=rows.gamma,
            epochs="converge" if method == CONVERGED else 1,
            finishing=method != UNFINISHED,
            cache_size=1000,
            random_state=seed,
            n_jobs=1,
        )
        return fit_and_measure(model, rows)
    if method == PIPELINE:
        return _pipeline(rows, size, seed)
    if method == ADAPTIVE:
        return _approximate(rows, size, seed, "auto", **_OPTIONS[method])
    return [_approximate(rows, size, seed, epochs, **_OPTIONS[method]) for epochs in checkpoints]


def _approximate(rows: Problem, size: int, seed: int, epochs: int | str, **options: object) -> Record:
    model = ApproximateSVC(
        C=rows.C,
        gamma=rows.gamma,
        n_components=size,
        epochs=epochs,
        cache_size=CACHE,
        random_state=seed,
        n_jobs=1,
    ).set_params(**options)
    seconds, _ = cpu_time(lambda: model.fit(rows.X, rows.y))
    return {
        "passes": round(model.n_iter_ / len(rows.y)),
        "seconds": seconds,
        "error": test_error(model, rows),
        "features": model.n_components_,
        "kernel_evals": model.n_kernel_evals_,
    }


def _pipeline(rows: Problem, size: int, seed: int) -> Record:
    """Fit scikit-learn's Nystroem map and linear SVM with its own stopping rule: like CPNY, with a squared hinge."""
    nystroem = Nystroem(gamma=rows.gamma, n_components=size, random_state=seed)
    model = LinearSVC(C=rows.C, dual=False, random_state=seed)
    with threadpool_limits(1, user_api="blas"):
        map_seconds, features = cpu_time(lambda: nystroem.fit_transform(rows.X))
        seconds, _ = cpu_time(lambda: model.fit(features, rows.y))
        mapped = Problem(features, rows.y, nystroem.transform(rows.X_test), rows.y_test, rows.C, rows.gamma)
    return {
        "passes": int(model.n_iter_),
        "seconds": map_seconds + seconds,
        "error": test_error(model, mapped),
        "features": size,
    }


MEASUREMENT = Measurement("batch", _cells)


def after_most_passes(records: Records, data: str, method: str, size: int) -> Records:
    """Return the records of a method after the largest number of passes."""
    runs = records.where(data=data, method=method, size=size)
    return runs.where(passes=max(runs.unique("passes"), default=0))


def at_pipeline_error(records: Records, data: str, method: str, size: int) -> Records:
    """Return, per seed, the first record with the error of the pipeline, or else the one with the most passes."""
    target = records.where(data=data, method=PIPELINE, size=size).mean("error")
    runs = records.where(data=data, method=method, size=size)
    return Records(_first_at_error(runs.where(seed=seed), target) for seed in runs.unique("seed"))


def exact_error(records: Records, data: str) -> float:
    """Return the error without approximation: that of LASVM, which can train on the most rows."""
    return records.where(data=EXACT[data], method=LASVM).mean("error")


def _first_at_error(run: Records, target: float) -> Record:
    runs = sorted(run, key=lambda record: record["passes"])
    return next((record for record in runs if float(record["error"]) <= target), runs[-1])

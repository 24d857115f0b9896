"""Table 2: training times and test errors of approximations by s = 512 and 1024 landmarks.

The paper measures the test error of ASSET ten times per pass and stops when it reaches that of CPNY, which minimises
the same objective over the same kind of map with its own stopping rule. Here a pipeline of scikit-learn replaces CPNY,
and the error of ASSET is measured after 1, 3, 10, 30, ... passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.asset.batch import (
    ADAPTIVE,
    ASSET,
    ASSET_STAR,
    CONVERGED,
    LARGE,
    LASVM,
    LIBSVM,
    MEASUREMENT,
    PIPELINE,
    SAME_ROWS,
    UNFINISHED,
    after_most_passes,
    at_pipeline_error,
    exact_error,
)
from experiments.asset.paper_numbers import (
    ERRORS,
    ERRORS_EXPLANATION,
    N_TEST,
    SECONDS,
    check_errors,
    compare_error,
    standard_error,
)
from experiments.asset.tasks import BATCH, FEW_TEST, ROWS, TASKS, TIMED
from experiments.experiment import Check, Experiment, Table
from experiments.formatting import count, multiple, percent
from experiments.plotting import plot_comparison, style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.records import Records

METHODS = (ASSET, ASSET_STAR, ADAPTIVE, PIPELINE, LASVM, LIBSVM)
NAMES_IN_PAPER = {PIPELINE: "CPNY", LIBSVM: "SVM-Light"}


def _error(records: Records, data: str, method: str, size: int) -> float:
    """Return the error with as many rows as a method can handle, after the most passes."""
    if method in (ASSET, ASSET_STAR, ADAPTIVE):
        return after_most_passes(records, data, method, size).mean("error")
    if method == LASVM:
        return exact_error(records, data)
    chosen = {"size": size} if method == PIPELINE else {}
    return records.where(data=TIMED[data], method=method, **chosen).mean("error")


def _ratio(records: Records, data: str, method: str, size: int) -> float:
    """Return the time of a method divided by that of LIBSVM on the same rows."""
    rows = TIMED[data]
    if method in (ASSET, ASSET_STAR):
        seconds = at_pipeline_error(records, rows, method, size).mean("seconds")
    else:
        chosen = {"size": size} if method in (ADAPTIVE, PIPELINE) else {}
        seconds = records.where(data=rows, method=method, **chosen).mean("seconds")
    return seconds / records.where(data=rows, method=LIBSVM).mean("seconds")


def _paper_ratio(data: str, method: str, size: int) -> float:
    return SECONDS[data, size].get(method, float("nan")) / SECONDS[data, size][LIBSVM]


def _tabulate(records: Records) -> list[Table]:
    columns = ("s", "task", *(name for method in METHODS for name in _columns(method)))
    errors, ratios = [], []
    for size in LARGE:
        for data in BATCH:
            start = (str(size), TASKS[data].title)
            errors.append((*start, *(text for method in METHODS for text in _error_pair(records, data, method, size))))
            ratios.append((*start, *(text for method in METHODS for text in _ratio_pair(records, data, method, size))))
    return [
        Table(columns, errors, "Test error"),
        Table(columns, ratios, "Training time / LIBSVM (in the paper: / SVM-Light)"),
        _counts(records),
    ]


def _columns(method: str) -> tuple[str, ...]:
    return (method,) if method == ADAPTIVE else (method, f"paper: {NAMES_IN_PAPER.get(method, method)}")


def _error_pair(records: Records, data: str, method: str, size: int) -> tuple[str, ...]:
    ours = percent(_error(records, data, method, size))
    if method in (PIPELINE, LIBSVM) and TIMED[data] != data:
        ours += " (few rows)"
    return (ours,) if method == ADAPTIVE else (ours, percent(ERRORS[data, size][method]))


def _ratio_pair(records: Records, data: str, method: str, size: int) -> tuple[str, ...]:
    ours = multiple(_ratio(records, data, method, size))
    return (ours,) if method == ADAPTIVE else (ours, multiple(_paper_ratio(data, method, size)))


def _counts(records: Records) -> Table:
    """Return counts, which depend little on the machine; the paper does not give them."""
    rows = []
    for size in LARGE:
        for data in BATCH:
            runs = at_pipeline_error(records, TIMED[data], ASSET, size)
            lasvm, libsvm = (records.where(data=TIMED[data], method=method) for method in (LASVM, LIBSVM))
            errors = (runs.mean("error"), _error(records, data, PIPELINE, size))
            numbers = (runs.mean("passes"), runs.mean("features"), runs.mean("kernel_evals"))
            others = (lasvm.mean("support"), lasvm.mean("kernel_evals"), libsvm.mean("support"), libsvm.mean("seconds"))
            rows.append(
                (
                    str(size),
                    f"{TASKS[data].title}, {TASKS[TIMED[data]].note.split(';')[0]}",
                    *map(percent, errors),
                    *map(count, (*numbers, *others)),
                )
            )
    ours = ("error of ASSET", "of the pipeline", "passes of ASSET", "features", "kernel values")
    columns = ("s", "task", *ours, "LASVM: SVs", "kernel values", "LIBSVM: SVs", "seconds")
    return Table(columns, rows, "Counts for the rows of the time measurements")


def _check(records: Records) -> list[Check]:
    return [
        *(check_errors(records, method, f"{method} has the paper's errors") for method in (ASSET, ASSET_STAR)),
        _check_exact(records),
        _check_lasvm(records),
        _check_better_exact(records),
        _check_faster_than_exact(records),
        _check_faster_than_pipeline(records),
    ]


def _check_exact(records: Records) -> Check:
    holds, observed = True, []
    for data in SAME_ROWS:
        ours = records.where(data=data, method=CONVERGED).mean("error")
        agrees, text = compare_error(data, ours, ERRORS[data, 512][LIBSVM])
        holds &= agrees
        observed.append(f"{TASKS[data].title}: {text}")
    return Check(
        "The exact solution has the errors of SVM-Light on the tasks with as many rows (within two standard errors of "
        "the difference between two test sets)",
        holds,
        "; ".join(observed),
    )


def _check_lasvm(records: Records) -> Check:
    unfinished, paper = records.where(method=UNFINISHED).mean("error"), ERRORS["adult", 512][LASVM]
    holds = unfinished > exact_error(records, "adult") + 2
    seen = [f"ADULT, not finished: {percent(unfinished)} ({percent(paper)})"]
    for data in ("mnist", "ijcnn"):
        agrees, text = compare_error(data, exact_error(records, data), ERRORS[data, 512][LASVM])
        holds &= agrees
        seen.append(f"{TASKS[data].title}: {text}")
    return Check(
        "LASVM has the paper's errors on MNIST and IJCNN (with the same tolerance); on ADULT, as long as it is not "
        "finished, it is more than two points worse than the exact solution",
        holds,
        "; ".join(seen),
    )


def _check_better_exact(records: Records) -> Check:
    holds, observed = True, []
    for data in BATCH[1:]:
        few, many = (_error(records, data, ASSET, size) for size in LARGE)
        exact = exact_error(records, data)
        holds &= few > many > exact
        observed.append(f"{TASKS[data].title}: {few:.2f} > {many:.2f} > {exact:.2f}")
    noise = standard_error(ERRORS["adult", 512][LIBSVM], N_TEST["adult"][1])
    beyond = [_error(records, "adult", ASSET, size) - exact_error(records, "adult") for size in LARGE]
    holds &= all(abs(value) <= 2 * noise for value in beyond)
    observed.append(f"ADULT: {beyond[0]:+.2f} and {beyond[1]:+.2f} (± {2 * noise:.2f})")
    return Check(
        "More landmarks are better and exact solvers better still on all tasks but ADULT, where all are equal "
        "(within two standard errors of the test error)",
        holds,
        "; ".join(observed),
    )


def _check_faster_than_exact(records: Records) -> Check:
    ratios = {(data, size): _ratio(records, data, ASSET, size) for size in LARGE for data in BATCH}
    seen = ", ".join(f"{TASKS[data].title} {size}: {multiple(ratio)}" for (data, size), ratio in ratios.items())
    return Check(
        "ASSET trains faster than the exact batch solver on every task at both sizes",
        all(ratio < 1 for ratio in ratios.values()),
        f"time / LIBSVM: {seen}",
    )


def _check_faster_than_pipeline(records: Records) -> Check:
    won, seen = 0, []
    for size in LARGE:
        for data in BATCH:
            ratio = _ratio(records, data, ASSET, size) / _ratio(records, data, PIPELINE, size)
            beyond, noise = _excess(records, data, size)
            won += ratio < 1 and beyond <= 2 * noise
            seen.append(f"{TASKS[data].title} {size}: {beyond:+.2f} (± {2 * noise:.2f}) in {multiple(ratio)}")
    return Check(
        "ASSET is among the fastest in most cases: on at least eight of ten rows it takes less time than the batch "
        "SVM over the same kind of map to a similar error (at most two standard errors of the test error above), as "
        "it does compared with CPNY in the paper",
        won >= 8 and len(records.where(method=PIPELINE)) == len(seen),
        f"points above the pipeline, time / pipeline: {'; '.join(seen)}",
    )


def _excess(records: Records, data: str, size: int) -> tuple[float, float]:
    """Return how many points ASSET is above the pipeline when it stops, and the standard error of a test error."""
    error = _error(records, data, PIPELINE, size)
    n_test = FEW_TEST if TIMED[data] != data else N_TEST[data][1]
    return at_pipeline_error(records, TIMED[data], ASSET, size).mean("error") - error, standard_error(error, n_test)


def _draw(records: Records, figure: Figure) -> None:
    lines = [(data, size) for size in LARGE for data in BATCH]
    names = [f"{TASKS[data].title}, {size}" for data, size in lines]
    errors, seconds = figure.subplots(1, 2, sharey=True)
    shown = (ASSET, PIPELINE, LIBSVM)
    plot_comparison(
        errors, names, {text: values for method in shown for text, values in _errors(records, lines, method)}
    )
    plot_comparison(
        seconds, names, {text: values for method in shown[:2] for text, values in _ratios(records, lines, method)}
    )
    errors.invert_yaxis()  # the panels share this axis: it has been inverted twice
    style_axes(errors, "Test error", "%", "", legend=False)
    style_axes(seconds, "Training time / LIBSVM", "ratio", "", legend=False)
    for axes in (errors, seconds):
        axes.legend(frameon=False, fontsize="small", ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.1))


def _errors(records: Records, lines: list[tuple[str, int]], method: str) -> list[tuple[str, list[float]]]:
    return [
        (method, [_error(records, data, method, size) for data, size in lines]),
        (f"paper: {NAMES_IN_PAPER.get(method, method)}", [ERRORS[line][method] for line in lines]),
    ]


def _ratios(records: Records, lines: list[tuple[str, int]], method: str) -> list[tuple[str, list[float]]]:
    return [
        (method, [_ratio(records, data, method, size) for data, size in lines]),
        (f"paper: {NAMES_IN_PAPER.get(method, method)}", [_paper_ratio(data, method, size) for data, size in lines]),
    ]


EXPERIMENT = Experiment(
    title="Training time and test error with 512 and 1024 landmarks",
    claim="Stopped at the error of CPNY, ASSET and ASSET* are among the fastest in most cases, many times faster than "
    "SVM-Light; more landmarks and exact solvers have fewer errors on all tasks but ADULT, where all are equal.",
    setting="ApproximateSVC(steps='asset') with C and gamma of table 1. Errors are after 30 passes (IJCNN: 100, "
    "COVTYPE: 10), with at most two seeds instead of 50. Times are CPU seconds of one thread, as ratios to LIBSVM on "
    "the same rows: all of IJCNN, 10,000 of ADULT, 20,000 of MNIST and COVTYPE, 5,000 of CCAT. Fewer rows favour "
    "LIBSVM, whose time grows with their square. CPNY and CPSP are not available: scikit-learn's Nystroem and "
    "LinearSVC (squared hinge, own stopping rule) replace CPNY on the same rows, and LIBSVM replaces SVM-Light. The "
    "time of ASSET is that of the fewest passes (1, 3, 10, 30, for IJCNN 100) whose error is at most that of the "
    "pipeline, or else of the most passes. LASVM is OnlineSVC, one pass and finishing, on 100,000 rows of COVTYPE. "
    "Relative to LIBSVM it is far faster than the program of 2005 in the paper, so that ASSET does not always beat it "
    "here. The paper's 18 % for LASVM on ADULT resemble a pass without finishing, which is measured as well. " + ROWS,
    quick="3,000 training and 2,000 test rows of each task, one seed: errors are higher than the paper's.",
    changes="scikit-learn's Nystroem and LinearSVC replace CPNY, and LIBSVM replaces SVM-Light, on fewer rows; 10"
    " to 100 passes, at most two seeds instead of 50, ASSET with an intercept, another sample of CCAT.",
    measurement=MEASUREMENT,
    tabulate=_tabulate,
    check=_check,
    draw=_draw,
    size=(12.0, 6.0),
    explanation=ERRORS_EXPLANATION,
)

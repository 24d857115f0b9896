"""Which example next: figures 11 to 15 of Bordes, Ertekin, Weston and Bottou, 2005.

After some numbers of labels the model is copied, the copy is finished and measured, and the unfinished one goes on.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.data import read
from benchmarks.micro import Section
from benchmarks.tasks import TASKS, Split
from benchmarks.worker import timed
from hinge import OnlineSVC
from hinge.active import ActiveLearner

SEEDS = 5  # of each class, before anything is chosen
POOL = 50
SAME = 0.05  # points between mean errors that mean something, by the paper
QUARTER, THIRD = 0.25, 1 / 3  # of the exact solution's support vectors, and of all labels
STRATEGIES: dict[str, dict[str, Any]] = {
    "RANDOM": {"strategy": "random"},
    "GRADIENT": {"strategy": "random"},  # candidates are drawn at random; their labels decide
    "ACTIVE": {"strategy": "boundary", "sample": POOL},
    "AUTOACTIVE": {"strategy": "autoactive"},
}
WITHOUT_AUTO = ("RANDOM", "GRADIENT", "ACTIVE")
COLOURS = dict(zip(STRATEGIES, ("#64748b", "#d97706", "#2563eb", "#059669"), strict=True))
ADULT_LOOKS = (250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 5_000, 6_000, 8_000)
DIGIT_LOOKS = (250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500, 5_000)
COLUMNS = (
    "data",
    "selection",
    "labels to exact error",
    "SVs then",
    "error at 1/4 SVs, %",
    "labels, last",
    "SVs",
    "error, %",
    "largest rise",
    "s",
)


@dataclass(frozen=True)
class Look:
    """What a finished copy shows after some labels; seconds are those of all choices, lessons, and one finishing."""

    labels: int
    seconds: float
    error: float
    support: float


@dataclass(frozen=True)
class Problem:
    """A training set with its settings, drawn anew for every seed, and what the exact solution has."""

    title: str
    splits: Sequence[Split]
    C: float
    gamma: float
    strategies: Sequence[str]
    looks: Sequence[int]
    random_looks: Sequence[int]  # RANDOM costs little, and needs more labels
    exact: Look | None = None


@dataclass
class Curve:
    """The looks at one strategy, run by run."""

    problem: Problem
    strategy: str
    runs: list[list[Look]] = field(default_factory=list)

    @property
    def means(self) -> list[Look]:
        """The means over the runs."""
        return [_mean(looks) for looks in zip(*self.runs, strict=True)]


def measure(quick: bool, *, full: bool = False) -> Section:
    """Choose among random splits of a9a, the standard one, and mnist, 8 vs rest, with and without wrong labels."""
    curves = []
    for problem in _problems(quick, full):
        for strategy in problem.strategies:
            looks = problem.random_looks if strategy == "RANDOM" else problem.looks
            runs = [_run(problem, split, strategy, looks, seed) for seed, split in enumerate(problem.splits)]
            curves.append(Curve(problem, strategy, runs))
    return Section(
        f"Choosing examples, finished copies, means (aims: AUTOACTIVE on random splits of a9a comes within {SAME:g} "
        "points of the exact error with a quarter of its SVs and a third of the labels; ACTIVE on noisy mnist is calm)",
        COLUMNS,
        [row for curve in curves for row in _rows(curve)],
        partial(_save, curves),
    )


def _problems(quick: bool, full: bool) -> Iterator[Problem]:
    """Go through the problems; a quick run has few rows, a full one all labels and more runs."""
    yield from _adults(quick, full)
    yield from _eights(quick, 5 if full else 1)


def _adults(quick: bool, full: bool) -> Iterator[Problem]:
    split = TASKS["a9a"].split(quick=quick)
    looks = [n for n in ADULT_LOOKS if n <= len(split.y) / 3]
    to_the_end = [*looks, *([2_000, 4_000] if quick else [16_000, len(split.y)])]
    settings: dict[str, Any] = {"C": 100.0, "gamma": 0.005, "strategies": tuple(STRATEGIES)}
    settings |= {"looks": to_the_end if full else looks, "random_looks": to_the_end}
    others = [mixed(split, seed) for seed in range(1 if quick else 20 if full else 5)]
    yield _with_exact(Problem("a9a, random splits", others, **settings))
    yield _with_exact(Problem("a9a, standard split", [split] * (1 if quick else 3), **settings))


def _eights(quick: bool, n_runs: int) -> Iterator[Problem]:
    """Go through the digit 8 against the rest: right labels, then wrong ones in training."""
    split = TASKS["mnist8"].split(quick=quick)
    looks = [n for n in DIGIT_LOOKS if n <= len(split.y) / 3]
    settings: dict[str, Any] = {"C": 1000.0, "gamma": 0.02, "strategies": WITHOUT_AUTO, "looks": looks}
    to_the_end = [*looks, *([] if quick else [15_000, 30_000, 60_000])]
    clean = _with_exact(Problem("mnist-8", [split] * n_runs, **settings, random_looks=to_the_end))
    yield clean
    settings |= {"exact": clean.exact, "random_looks": [*looks, *([] if quick else [8_000])]}  # more takes minutes
    for title, flips in (("10 % of the digits wrong", _wrong_digits), ("10 % of the labels flipped", _flips)):
        noisy = [
            Split(split.X, split.y ^ flips(len(split.y), seed), split.X_test, split.y_test) for seed in range(n_runs)
        ]
        yield Problem(f"mnist-8, {title}", noisy, **settings)


def mixed(split: Split, seed: int) -> Split:
    """Return another split of the same sizes."""
    is_sparse = sparse.issparse(split.X)
    X = sparse.vstack([split.X, split.X_test], format="csr") if is_sparse else np.concatenate([split.X, split.X_test])
    y = np.concatenate([split.y, split.y_test])
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[: len(split.y)], order[len(split.y) :]
    return Split(X[train], y[train], X[test], y[test])


def first_rows(y: NDArray[Any], seed: int) -> NDArray[np.int64]:
    """Return a few rows of each class, whose labels are given before anything is chosen."""
    order = np.random.default_rng(seed).permutation(len(y))
    return np.concatenate([order[y[order] == label][:SEEDS] for label in np.unique(y)])


def _flips(n: int, seed: int) -> NDArray[np.bool_]:
    flipped: NDArray[np.bool_] = np.random.default_rng(seed).random(n) < 0.1
    return flipped


def _wrong_digits(n: int, seed: int) -> NDArray[np.bool_]:
    """Return which examples change sides when one digit in ten is replaced by another one."""
    random = np.random.default_rng(seed)
    digits = read("mnist", dense=True)[1][:n].astype(np.int64)
    given = np.where(random.random(n) < 0.1, (digits + random.integers(1, 10, n)) % 10, digits)
    changed: NDArray[np.bool_] = (given == 8) != (digits == 8)
    return changed


def _with_exact(problem: Problem) -> Problem:
    """Return the problem with the exact solution, as OnlineSVC finds it when it converges: that of SVC."""
    looks = []
    for split in {id(split): split for split in problem.splits}.values():
        model = OnlineSVC(C=problem.C, gamma=problem.gamma, epochs="converge", random_state=0, cache_size=1000)
        seconds = timed(model.fit, split.X, split.y)[0]
        looks.append(Look(len(split.y), seconds, error_of(model, split), len(model.support_)))
    return Problem(**{**vars(problem), "exact": _mean(looks)})


def _run(problem: Problem, split: Split, strategy: str, looks: Sequence[int], seed: int) -> list[Look]:
    """Learn one label at a time, RANDOM as many as come before the next look."""
    first = first_rows(split.y, seed)
    model = OnlineSVC(C=problem.C, gamma=problem.gamma, cache_size=1000)
    learner = ActiveLearner(model, split.X, random_state=seed, **STRATEGIES[strategy]).tell(first, split.y[first])
    results, online = [], 0.0
    for n_labels in looks:
        online += timed(_learn_until, learner, split, strategy, n_labels)[0]
        finishing, finished = timed(lambda: deepcopy(learner.model).finish())
        results.append(Look(n_labels, online + finishing, error_of(finished, split), len(finished.support_)))
    return results


def _learn_until(learner: ActiveLearner, split: Split, strategy: str, n_labels: int) -> None:
    while (missing := n_labels - len(learner.labels)) > 0:
        rows = learner.ask(
            missing if strategy == "RANDOM" else min(POOL, learner.n_open) if strategy == "GRADIENT" else 1
        )
        if strategy == "GRADIENT":
            rows = rows[[_most_misclassified(learner.model, split.X[rows], split.y[rows])]]
        learner.tell(rows, split.y[rows])


def _most_misclassified(model: Any, X: NDArray[Any], y: NDArray[Any]) -> int:
    sides = np.where(y == model.classes_[1], 1, -1)
    return int(np.argmin(sides * model.decision_function(X)))


def error_of(model: Any, split: Split) -> float:
    """Return the per cent of test rows that a model gets wrong."""
    return 100 * float(np.mean(model.predict(split.X_test) != split.y_test))


def _mean(looks: Sequence[Look]) -> Look:
    labels, *others = zip(*(vars(look).values() for look in looks), strict=True)
    return Look(round(mean(labels)), *map(mean, others))


def _rows(curve: Curve) -> Iterator[tuple[str, ...]]:
    """Return the line of a strategy, after that of the exact solution if it is the first."""
    exact, looks = curve.problem.exact, curve.means
    assert exact is not None
    title = ""
    if curve.strategy == curve.problem.strategies[0]:
        title = f"{curve.problem.title} (runs: {len(curve.runs)})"
        last = (f"{exact.labels:,}", f"{exact.support:,.0f}", f"{exact.error:.2f}", "", f"{exact.seconds:.1f}")
        yield title, "exact" if "%" not in title else "exact, right labels", "", "", "", *last
    reached = next((look for look in looks if look.error <= exact.error + SAME), None)
    small = [look for look in looks if look.support <= QUARTER * exact.support]
    last_look = looks[-1]
    yield (
        "",
        curve.strategy,
        f"{reached.labels:,} ({reached.labels / exact.labels:.0%})" if reached else "not reached",
        f"{reached.support:,.0f} ({reached.support / exact.support:.0%})" if reached else "",
        f"{small[-1].error:.2f}" if small else "",
        f"{last_look.labels:,}",
        f"{last_look.support:,.0f}",
        f"{last_look.error:.2f}",
        f"{_largest_rise(curve):+.2f}",
        f"{last_look.seconds:.1f}",
    )


def _largest_rise(curve: Curve) -> float:
    """Return by how much the error has risen from one look to the next, at most; mean over the runs."""
    rises: list[float] = [float(np.diff([look.error for look in run]).max()) for run in curve.runs]
    return mean(rises)


def _save(curves: Sequence[Curve], file: Path) -> None:
    """Write all looks into a table, and draw them."""
    columns = ("data", "selection", "run", "labels", "seconds", "error", "support_vectors")
    looks = (
        (curve.problem.title, curve.strategy, number, *vars(look).values())
        for curve in curves
        for number, run in enumerate(curve.runs)
        for look in run
    )
    write_table(file, columns, looks)
    _draw(curves, file)


def _draw(curves: Sequence[Curve], file: Path) -> None:
    """Draw figures 11 and 12 above, 13 to 15 below."""
    figure = Figure(figsize=(13, 8), layout="constrained", dpi=100)
    axes = figure.subplots(2, 3).ravel().tolist()
    titles = [curve.problem.title for curve in curves]
    adult, clean, noisy = titles[0], next(t for t in titles if t.startswith("mnist")), titles[-1]
    panels = [(adult, "labels"), (adult, "seconds"), (adult, "support"), (clean, "seconds"), (noisy, "seconds")]
    for place, (title, across) in zip(axes, panels, strict=False):
        for curve in curves:
            if curve.problem.title == title:
                _line(place, curve, across, color=COLOURS[curve.strategy], label=curve.strategy)
        _frame(place, title, across, next(curve.problem.exact for curve in curves if curve.problem.title == title))
    for curve in curves:
        if curve.problem.title.startswith("mnist") and curve.strategy != "GRADIENT":
            noise = curve.problem.title.partition(", ")[2]
            style: dict[str, Any] = {"color": COLOURS[curve.strategy], "label": f"{curve.strategy}, {noise or 'clean'}"}
            _line(
                axes[5], curve, "support", linestyle="-" if not noise else "--" if "digits" in noise else ":", **style
            )
    _frame(axes[5], "mnist-8, all noise conditions", "support", curves[-1].problem.exact)
    for place in axes[:3]:
        place.set_ylim(bottom=14.5, top=20)
    for place in axes[3:]:
        place.set_yscale("log")
        place.set_ylim(0.35, 64)
        place.set_yticks(ticks := [0.4, 0.6, 1, 2, 4, 8, 16, 32], labels=[f"{tick:g}" for tick in ticks])
        place.yaxis.set_minor_formatter(NullFormatter())
    figure.savefig(file)


def _line(place: Any, curve: Curve, across: str, **style: Any) -> None:
    looks = curve.means
    place.plot([getattr(look, across) for look in looks], [look.error for look in looks], marker=".", **style)


def _frame(place: Any, title: str, across: str, exact: Look | None) -> None:
    names = {"labels": "labels used", "seconds": "seconds, with one finishing", "support": "support vectors"}
    if exact:
        place.axhline(exact.error, color="#111827", linestyle="--", linewidth=1, label="exact solution")
    if exact and across == "support":
        place.axvline(exact.support, color="#111827", linestyle="--", linewidth=1)
    if across == "seconds":
        place.set_xscale("log")
    frame(place, f"Test error, %: {title}", names[across])


def frame(place: Any, title: str, across: str) -> None:
    """Give a picture its title, the name of what goes across, and a legend."""
    place.set_title(title, loc="left", fontweight="bold", fontsize="medium")
    place.set_xlabel(across)
    place.legend(frameon=False, fontsize="small")
    place.spines[["top", "right"]].set_visible(False)
    place.grid(color="#e6e9ee")


def write_table(file: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write what a picture shows beside it."""
    with file.with_suffix(".csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([columns, *rows])

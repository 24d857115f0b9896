"""Accuracy after streams in bad shape, next to `SVC` on the same rows; the tables of docs/guide/bad-streams.md.

The environment variable BAD_STREAMS names models, separated by semicolons.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.micro import Section
from hinge import (
    ApproximateSVC,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    RobustOnlineSVC,
    StreamWarning,
    TrackingSVC,
)
from hinge.stream import AdaptiveSVC

SEEDS = range(3)
N_MORE = 5_000
CALL = 20  # rows per call of partial_fit
WINDOW = 500
COLLAPSE = 3.0  # points lost against the same model on shuffled rows
ALL_MODELS: dict[str, Callable[[], Any]] = {
    "OnlineSVC": OnlineSVC,
    "OnlineSVC, plain": lambda: OnlineSVC(max_gap=None),
    "OnlineSVC, bounded": lambda: OnlineSVC(max_support=200),
    "RobustOnlineSVC": RobustOnlineSVC,
    "TrackingSVC": lambda: TrackingSVC(random_state=0),
    "KernelPerceptron": KernelPerceptron,
    f"IncrementalSVC, last {WINDOW}": lambda: IncrementalSVC(max_examples=WINDOW, eviction="age"),
    "ApproximateSVC": lambda: ApproximateSVC(random_state=0),
    "AdaptiveSVC": AdaptiveSVC,
}
MODELS = {name: ALL_MODELS[name] for name in os.environ.get("BAD_STREAMS", ";".join(ALL_MODELS)).split(";")}

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Stream:
    """Rows in the order of a stream, and rows to test on."""

    X: Rows
    y: Labels
    X_test: Rows
    y_test: Labels

    def in_order(self, order: NDArray[np.intp]) -> "Stream":
        """Return the stream in another order; rows may be repeated."""
        return replace(self, X=self.X[order], y=self.y[order])

    def noisy_copies(self, candidates: NDArray[np.intp], random: np.random.Generator) -> "Stream":
        """Return `N_MORE` rows near those of some candidates."""
        copies = self.in_order(random.choice(candidates, N_MORE))
        return replace(copies, X=copies.X + 0.05 * self.X.std(axis=0) * random.normal(size=copies.X.shape))

    def then(self, later: "Stream") -> "Stream":
        """Return this stream and then another."""
        return replace(self, X=np.vstack([self.X, later.X]), y=np.concatenate([self.y, later.y]))


@dataclass
class Result:
    """Points above the accuracy of `SVC`, and whether there was a warning, per run."""

    points: list[float] = field(default_factory=list)
    warned: list[bool] = field(default_factory=list)

    def __str__(self) -> str:
        mark = " !" if all(self.warned) else " (!)" if any(self.warned) else ""
        return f"{mean(self.points):+.1f} ({min(self.points):+.1f}){mark}"


def measure(quick: bool) -> Section:
    """Train every model on every shape of stream, over several data sets and seeds."""
    seeds = SEEDS[:1] if quick else SEEDS
    sets = list(_sets())[: 2 if quick else None]
    rows = []
    found: dict[str, dict[str, Result]] = {}
    for title, shape in SHAPES.items():
        peers, results = [], {name: Result() for name in MODELS}
        for X, y in sets:
            for seed in seeds:
                random = np.random.default_rng(seed)
                peers.append(_run(shape(_split(X, y, random), random), results))
        found[title] = results
        rows.append((title, f"{100 * mean(peers):.1f}", *map(str, results.values())))
    rows.append(
        ("collapses, of these warned; survived, of these warned", "", *(_warnings(name, found) for name in MODELS))
    )
    return Section(
        "Accuracy after streams in bad shape, points above SVC on the same rows: mean (worst); !: StreamWarning in all "
        "runs, (!): in some",
        ("stream", "SVC, %", *MODELS),
        rows,
    )


def _warnings(name: str, found: dict[str, dict[str, Result]]) -> str:
    """Count the streams in which a model collapsed, and those in which it did not, and the warnings in each."""
    usual = found["shuffled"][name].points
    runs = [
        (ours < shuffled - COLLAPSE, warned)
        for title, results in found.items()
        if title != "shuffled"
        for ours, shuffled, warned in zip(results[name].points, usual, results[name].warned, strict=True)
    ]
    counts = [[warned for collapsed, warned in runs if collapsed == which] for which in (True, False)]
    return "; ".join(f"{len(each)}, {sum(each)}" for each in counts)


def _run(stream: Stream, results: dict[str, Result]) -> float:
    """Train all models on a stream, add their results, and return the accuracy of SVC."""
    peer = float(SVC().fit(stream.X, stream.y).score(stream.X_test, stream.y_test))
    for name, make in MODELS.items():
        model = make()
        with warnings.catch_warnings(record=True) as issued:
            warnings.simplefilter("always")
            for start in range(0, len(stream.y), CALL):
                model.partial_fit(stream.X[start : start + CALL], stream.y[start : start + CALL])
        results[name].points.append(100 * (float(model.score(stream.X_test, stream.y_test)) - peer))
        results[name].warned.append(any(warning.category is StreamWarning for warning in issued))
    return peer


def _sets() -> Iterator[tuple[Rows, Labels]]:
    yield make_moons(3000, noise=0.3, random_state=0)
    yield load_digits(return_X_y=True)
    X, y = load_breast_cancer(return_X_y=True)
    yield StandardScaler().fit_transform(X), y
    yield make_classification(3000, 10, n_informative=6, n_classes=3, flip_y=0.05, random_state=0)


def _split(X: Rows, y: Labels, random: np.random.Generator) -> Stream:
    test, train = np.split(random.permutation(len(y)), [len(y) // 4])
    return Stream(X[train], y[train], X[test], y[test])


def _shuffled(data: Stream, random: np.random.Generator) -> Stream:  # noqa: ARG001
    return data


def _sorted_by_class(data: Stream, random: np.random.Generator) -> Stream:  # noqa: ARG001
    return data.in_order(np.argsort(data.y, kind="stable"))


def _sorted_by_feature(data: Stream, random: np.random.Generator) -> Stream:  # noqa: ARG001
    return data.in_order(np.argsort(data.X[:, np.argmax(data.X.var(axis=0))]))


def _in_runs(n_rows: int, data: Stream, random: np.random.Generator) -> Stream:
    """Return runs of rows of one class, the classes in turn."""
    left = {label: np.flatnonzero(data.y == label) for label in np.unique(data.y)}
    order: list[NDArray[np.intp]] = []
    while any(len(rows) for rows in left.values()):
        for label in random.permutation(list(left)):
            order.append(left[label][:n_rows])
            left[label] = left[label][n_rows:]
    return data.in_order(np.concatenate(order))


def _one_class_first(data: Stream, random: np.random.Generator) -> Stream:
    return data.noisy_copies(np.flatnonzero(data.y == 0), random).then(data)


def _one_class_missing(data: Stream, random: np.random.Generator) -> Stream:
    return data.then(data.noisy_copies(np.flatnonzero(data.y != data.y.max()), random))


def _one_class_last(data: Stream, random: np.random.Generator) -> Stream:
    return data.then(data.noisy_copies(np.flatnonzero(data.y == 0), random))


def _same_row(data: Stream, random: np.random.Generator) -> Stream:  # noqa: ARG001
    return data.then(data.in_order(np.zeros(N_MORE, dtype=np.intp)))


def _wrong_row(data: Stream, random: np.random.Generator) -> Stream:
    same = _same_row(data, random)
    y = same.y.copy()
    y[len(data.y) :] = next(label for label in np.unique(y) if label != data.y[0])
    return replace(same, y=y)


def _few_rows(data: Stream, random: np.random.Generator) -> Stream:
    return data.then(data.in_order(random.choice(20, N_MORE)))


def _constant_feature(data: Stream, random: np.random.Generator) -> Stream:  # noqa: ARG001
    """Let the feature of the largest variance stay at its mean from half of the stream on, and in the test rows."""
    feature, half = np.argmax(data.X.var(axis=0)), len(data.y) // 2
    X, X_test = data.X.copy(), data.X_test.copy()
    X[half:, feature] = X_test[:, feature] = X[:half, feature].mean()
    return replace(data, X=X, X_test=X_test)


SHAPES: dict[str, Callable[[Stream, np.random.Generator], Stream]] = {
    "shuffled": _shuffled,
    "sorted by class": _sorted_by_class,
    "runs of 50 rows of a class": partial(_in_runs, 50),
    "runs of 100 rows of a class": partial(_in_runs, 100),
    "runs of 300 rows of a class": partial(_in_runs, 300),
    "sorted by a feature": _sorted_by_feature,
    "first 5 000 rows of one class": _one_class_first,
    "then 5 000 rows without one class": _one_class_missing,
    "then 5 000 rows of one class": _one_class_last,
    "then one row 5 000 times": _same_row,
    "then one row with a wrong label 5 000 times": _wrong_row,
    "then 20 rows 250 times each": _few_rows,
    "a feature goes constant half-way": _constant_feature,
}

"""Accuracy after streams in bad shape, next to `SVC` on the same rows; the table of docs/bad-streams.md."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.micro import Section
from hinge import ApproximateSVC, IncrementalSVC, KernelPerceptron, OnlineSVC, RobustOnlineSVC, TrackingSVC

SEEDS = range(5)
CALL = 20  # rows per call of partial_fit
WINDOW = 500
MODELS: dict[str, Callable[[], Any]] = {
    "OnlineSVC": OnlineSVC,
    "RobustOnlineSVC": RobustOnlineSVC,
    "TrackingSVC": lambda: TrackingSVC(random_state=0),
    "KernelPerceptron": KernelPerceptron,
    f"IncrementalSVC, last {WINDOW}": lambda: IncrementalSVC(max_examples=WINDOW, eviction="age"),
    "ApproximateSVC": lambda: ApproximateSVC(random_state=0),
}

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Stream:
    """Rows in the order of a stream, and rows to test on."""

    X: Rows
    y: Labels
    X_test: Rows
    y_test: Labels


def measure(quick: bool) -> Section:
    """Train every model on every shape of stream, over several data sets and seeds."""
    seeds = SEEDS[:1] if quick else SEEDS
    sets = list(_sets())[: 2 if quick else None]
    rows = []
    for title, shape in SHAPES.items():
        results = [_accuracies(shape, data, seed) for data in sets for seed in seeds]
        ours = [
            f"{mean(found):+.1f} ({min(found):+.1f})"
            for found in ([100 * (result[name] - result["SVC"]) for result in results] for name in MODELS)
        ]
        rows.append((title, f"{100 * mean(result['SVC'] for result in results):.1f}", *ours))
    return Section(
        "Accuracy after streams in bad shape, points above SVC on the same rows: mean (worst)",
        ("stream", "SVC, %", *MODELS),
        rows,
    )


def _accuracies(shape: Callable[..., Stream], data: tuple[Rows, Labels], seed: int) -> dict[str, float]:
    random = np.random.default_rng(seed)
    order = random.permutation(len(data[1]))
    X, y = data[0][order], data[1][order]
    n_test = len(y) // 4
    stream = shape(X[n_test:], y[n_test:], X[:n_test], y[:n_test], random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: _learned(make(), stream).score(stream.X_test, stream.y_test) for name, make in MODELS.items()}
    peer = SVC() if len(np.unique(stream.y)) > 1 else None
    found["SVC"] = peer.fit(stream.X, stream.y).score(stream.X_test, stream.y_test) if peer else 0.0
    return found


def _learned(model: Any, stream: Stream) -> Any:
    for start in range(0, len(stream.y), CALL):
        model.partial_fit(stream.X[start : start + CALL], stream.y[start : start + CALL])
    return model


def _sets() -> Iterator[tuple[Rows, Labels]]:
    yield make_moons(3000, noise=0.3, random_state=0)
    yield load_digits(return_X_y=True)
    X, y = load_breast_cancer(return_X_y=True)
    yield StandardScaler().fit_transform(X), y
    yield make_classification(3000, 10, n_informative=6, n_classes=3, flip_y=0.05, random_state=0)


def _shuffled(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:  # noqa: ARG001
    return Stream(X, y, X_test, y_test)


def _sorted_by_class(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:  # noqa: ARG001
    order = np.argsort(y, kind="stable")
    return Stream(X[order], y[order], X_test, y_test)


def _sorted_by_feature(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:  # noqa: ARG001
    order = np.argsort(X[:, np.argmax(X.var(axis=0))])
    return Stream(X[order], y[order], X_test, y_test)


def _one_class_first(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:
    """Begin with 10 000 noisy copies of rows of one class."""
    of_one = np.flatnonzero(y == 0)
    return _joined(_noisy(X, random.choice(of_one, 10_000), random), np.zeros(10_000, dtype=int), X, y, X_test, y_test)


def _pause(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:
    """End with 10 000 noisy copies of rows of all classes but the last."""
    others = random.choice(np.flatnonzero(y != y.max()), 10_000)
    return _joined(X, y, _noisy(X, others, random), y[others], X_test, y_test)


def _only_one_class_later(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:
    """End with 10 000 noisy copies of rows of one class."""
    of_one = random.choice(np.flatnonzero(y == 0), 10_000)
    return _joined(X, y, _noisy(X, of_one, random), y[of_one], X_test, y_test)


def _same_row(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:  # noqa: ARG001
    """End with one row, 10 000 times."""
    return _joined(X, y, np.repeat(X[:1], 10_000, axis=0), np.repeat(y[:1], 10_000), X_test, y_test)


def _few_rows(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:
    """End with twenty rows, 500 times each."""
    again = random.permutation(np.repeat(np.arange(20), 500))
    return _joined(X, y, X[again], y[again], X_test, y_test)


def _wrong_row(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:  # noqa: ARG001
    """End with one row of another label, 10 000 times."""
    wrong = np.full(10_000, y.min() if y[0] != y.min() else y.max())
    return _joined(X, y, np.repeat(X[:1], 10_000, axis=0), wrong, X_test, y_test)


def _constant_feature(X: Rows, y: Labels, X_test: Rows, y_test: Labels, random: np.random.Generator) -> Stream:  # noqa: ARG001
    """Let the feature of the largest variance stay at its mean from half of the stream on, and in the test rows."""
    feature, half = np.argmax(X.var(axis=0)), len(y) // 2
    later, test = X[half:].copy(), X_test.copy()
    later[:, feature] = test[:, feature] = X[:half, feature].mean()
    return _joined(X[:half], y[:half], later, y[half:], test, y_test)


def _noisy(X: Rows, rows: NDArray[np.intp], random: np.random.Generator) -> Rows:
    noisy: Rows = X[rows] + 0.05 * X.std(axis=0) * random.normal(size=(len(rows), X.shape[1]))
    return noisy


def _joined(first: Rows, first_y: Labels, later: Rows, later_y: Labels, X_test: Rows, y_test: Labels) -> Stream:
    return Stream(np.vstack([first, later]), np.concatenate([first_y, later_y]), X_test, y_test)


SHAPES = {
    "shuffled": _shuffled,
    "sorted by class": _sorted_by_class,
    "sorted by a feature": _sorted_by_feature,
    "10 000 rows of one class first": _one_class_first,
    "10 000 rows without the last class at the end": _pause,
    "10 000 rows of one class at the end": _only_one_class_later,
    "the same row 10 000 times at the end": _same_row,
    "the same row with a wrong label 10 000 times": _wrong_row,
    "20 rows, 500 times each, at the end": _few_rows,
    "a feature that goes constant half-way": _constant_feature,
}

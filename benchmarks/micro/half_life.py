"""Accuracy of `OnlineSVC(half_life=)` on streams that change, next to `SVC` with weights that halve with age."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from benchmarks.micro import Section
from hinge import OnlineSVC

N_ROWS, EVERY, N_TEST = 6_000, 1_000, 2_000
HALF_LIVES = (100, 500, 2_000)
COSTS = (0.1, 1.0, 10.0, 100.0)
CHUNK = 50
LEAST_SHARE = 1e-4  # of the weight of the last row that a row of the refitted model has

Rows = tuple[NDArray[np.float64], NDArray[np.int64]]
Concept = Callable[[NDArray[np.float64], np.random.Generator], Rows]


def measure(quick: bool) -> Section:
    """Learn every stream with every half-life and C, and test on the present concept after every thousand rows."""
    columns = ("stream", "half-life", "mean", "worst", "mean accuracy", "held at the end, at half time")
    rows = []
    for name in list(STREAMS)[:2] if quick else STREAMS:
        for half_life in HALF_LIVES[:2] if quick else HALF_LIVES:
            found = [each for C in (COSTS[1:3] if quick else COSTS) for each in _differences(name, half_life, C)]
            points, accuracy, held = (np.array(column) for column in zip(*found, strict=True))
            last, middle = held.reshape(-1, N_ROWS // EVERY)[:, [-1, N_ROWS // EVERY // 2 - 1]].max(axis=0)
            sizes = f"{last}, {middle}"
            cells = (f"{points.mean():.2f}", f"{points.min():.2f}", f"{100 * accuracy.mean():.1f}", sizes)
            rows.append((name, str(half_life), *cells))
    return Section("OnlineSVC(half_life=) minus SVC with such weights, points of accuracy", columns, rows)


def _differences(name: str, half_life: float, C: float) -> Iterator[tuple[float, float, int]]:
    """Yield the difference in points, the accuracy and the number of examples held, at each moment."""
    random = np.random.default_rng(0)
    X, y = STREAMS[name](np.arange(N_ROWS) / N_ROWS, random)
    gamma = 1.0 / (X.shape[1] * X.var())
    model = OnlineSVC(C=C, gamma=gamma, half_life=half_life, n_jobs=1)
    for start in range(0, N_ROWS, CHUNK):
        model.partial_fit(X[start : start + CHUNK], y[start : start + CHUNK], classes=[0, 1])
        seen = start + CHUNK
        if seen % EVERY == 0:
            test = STREAMS[name](np.full(N_TEST, seen / N_ROWS), random)
            shares = np.exp2(-np.arange(seen)[::-1] / half_life)
            used = shares > LEAST_SHARE
            refitted = SVC(C=C, gamma=gamma).fit(X[:seen][used], y[:seen][used], shares[used])
            score = model.score(*test)
            yield 100 * (score - refitted.score(*test)), score, model._state.native.n_retained


def _sea(time: NDArray[np.float64], random: np.random.Generator) -> Rows:
    """Return rows of SEA: the threshold of a sum of two features changes three times; 10 % of the labels are wrong."""
    X = 10 * random.random((len(time), 3))
    threshold = np.array([8.0, 9.0, 7.0, 9.5])[np.minimum((4 * time).astype(int), 3)]
    return X, _flipped(X[:, 0] + X[:, 1] <= threshold, 0.1, random)


def _hyperplane(time: NDArray[np.float64], random: np.random.Generator) -> Rows:
    """Return rows on the two sides of a plane that turns by half a circle."""
    X = random.normal(size=(len(time), 5))
    angle = np.pi * time
    return X, _flipped(np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] > 0, 0.05, random)


def _turning_moons(time: NDArray[np.float64], random: np.random.Generator) -> Rows:
    """Return rows of two moons that make one turn."""
    X, y = make_moons(len(time), noise=0.25, random_state=int(random.integers(1 << 31)))
    X, angle = X - [0.5, 0.25], 2 * np.pi * time
    turned = np.c_[np.cos(angle) * X[:, 0] - np.sin(angle) * X[:, 1], np.sin(angle) * X[:, 0] + np.cos(angle) * X[:, 1]]
    return turned, y


def _moving_blobs(time: NDArray[np.float64], random: np.random.Generator) -> Rows:
    """Return rows of two classes of three blobs each, which move along circles of their own."""
    centres = np.random.default_rng(5)
    place, radius, phase = centres.normal(size=(6, 2)) * 2, 1.5, centres.random(6) * 2 * np.pi
    blob = random.integers(0, 6, len(time))
    angle = phase[blob] + 2 * np.pi * time * np.where(blob % 2, 1, -1)
    X = place[blob] + radius * np.c_[np.cos(angle), np.sin(angle)] + 0.5 * random.normal(size=(len(time), 2))
    return X, blob % 2


def _flipped(labels: NDArray[np.bool_], rate: float, random: np.random.Generator) -> NDArray[np.int64]:
    return (labels ^ (random.random(len(labels)) < rate)).astype(np.int64)


STREAMS: dict[str, Concept] = {
    "SEA": _sea,
    "turning plane": _hyperplane,
    "turning moons": _turning_moons,
    "moving blobs": _moving_blobs,
}

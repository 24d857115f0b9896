"""Accuracy of `OnlineSVC.partial_fit` and of `SVC` fitted on the rows seen so far, at several moments of a stream.

With many classes the reference is one-vs-rest, as in `OnlineSVC`. Streams are two thirds of their data (or the training
part), up to `MAX_ROWS` rows in several random orders; the rest is for testing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.datasets import load_digits, make_circles, make_moons
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.data import data_folder
from benchmarks.micro import Section
from hinge import OnlineSVC
from hinge.datasets import load

MOMENTS = (200, 1000, 5000)
MAX_ROWS, MAX_TEST_ROWS = 6000, 5000
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
FACTORS = (0.3, 3.0)  # of gamma="scale"
ORDERS = 2
CHUNK = 100

Data = tuple[Any, NDArray[Any]]


@dataclass(frozen=True)
class Difference:
    """Accuracy of the stream minus that of `SVC`, in points."""

    stream: str
    cost: float
    rows: int
    points: float


def measure(quick: bool) -> Section:
    """Learn every stream with every setting."""
    data_folder()
    names = list(STREAMS)[:2] if quick else list(STREAMS)
    rows = [_row(name, list(_differences(name, quick))) for name in names]
    columns = ("stream", "mean", "worst", *(f"C={cost:g}: mean, worst" for cost in COSTS))
    return Section(f"partial_fit minus SVC, points of accuracy after {MOMENTS} and all rows", columns, rows)


def _row(name: str, found: list[Difference]) -> tuple[str, ...]:
    points = [each.points for each in found]
    cells = []
    for cost in COSTS:
        own = [each.points for each in found if each.cost == cost]
        cells.append(f"{np.mean(own):.2f}, {min(own):.2f}" if own else "-")
    return (name, f"{np.mean(points):.2f}", f"{min(points):.2f}", *cells)


def _differences(name: str, quick: bool) -> Iterator[Difference]:
    X, y = STREAMS[name]()
    mean_square = X.multiply(X).mean() if issparse(X) else np.square(X).mean()
    scale = 1.0 / (X.shape[1] * (mean_square - X.mean() ** 2))
    for order in range(1 if quick else ORDERS):
        rows = np.random.default_rng(order).permutation(len(y))
        n_train = min(2 * len(y) // 3, MAX_ROWS)
        train, test = rows[:n_train], rows[n_train : n_train + MAX_TEST_ROWS]
        for cost in COSTS[1:4:2] if quick else COSTS:
            for factor in FACTORS:
                settings = {"C": cost, "gamma": factor * scale, "cache_size": 1000}
                for moment, points in _follow((X[train], y[train]), (X[test], y[test]), settings):
                    yield Difference(name, cost, moment, points)


def _follow(train: Data, test: Data, settings: dict[str, Any]) -> Iterator[tuple[int, float]]:
    (X, y), start = train, 0
    model = OnlineSVC(**settings)
    for moment in [*(moment for moment in MOMENTS if moment < len(y)), len(y)]:
        while start < moment:
            stop = min(start + CHUNK, moment)
            model.partial_fit(X[start:stop], y[start:stop], classes=np.unique(y))
            start = stop
        exact = SVC(**settings) if len(np.unique(y)) == 2 else OneVsRestClassifier(SVC(**settings))
        yield moment, 100 * (model.score(*test) - exact.fit(X[:moment], y[:moment]).score(*test))


def _flipped(data: Data, share: float) -> Data:
    X, y = data
    random = np.random.default_rng(0)
    return X, np.where(random.random(len(y)) < share, random.permutation(y), y)


def _known(name: str, n_rows: int, **options: Any) -> Callable[[], Data]:
    def make() -> Data:
        data = load(name)
        some = np.random.default_rng(0).permutation(len(data.y_train))[:n_rows]
        X = data.X_train[some]
        y = data.y_train[some]
        if "positive" in options:
            y = (y == options["positive"]).astype(int)
        if options.get("standard"):
            X = StandardScaler().fit_transform(X.toarray() if issparse(X) else X)
        return (csr_matrix(X) if options.get("sparse") else X.toarray() if issparse(X) else X), y

    return make


def _scaled_digits() -> Data:
    X, y = load_digits(return_X_y=True)
    return X / 16, y


STREAMS: dict[str, Callable[[], Data]] = {
    "moons, noise 0.35": lambda: make_moons(9000, noise=0.35, random_state=0),
    "circles": lambda: make_circles(9000, noise=0.15, factor=0.6, random_state=0),
    "moons, 20 % wrong labels": lambda: _flipped(make_moons(9000, noise=0.1, random_state=1), 0.4),
    "banana": _known("banana", 5300),
    "digits, 10 classes": _scaled_digits,
    "usps, 10 classes": _known("usps", 3000),
    "mnist, 8 vs rest": _known("mnist", 9000, positive=8),
    "a9a, sparse": _known("a9a", 9000, sparse=True),
    "ijcnn1": _known("ijcnn1", 9000),
    "covtype, 2 vs rest": _known("covtype", 9000, positive=2, standard=True),
    "reuters money-fx, sparse": _known("reuters-moneyfx", 7770, sparse=True),
    "rcv1 CCAT, sparse": _known("rcv1-ccat", 6000, sparse=True),
}

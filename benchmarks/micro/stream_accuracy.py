"""Accuracy of models after `partial_fit` and of `SVC` fitted on the rows seen so far, at several moments of a stream.

With many classes the reference is one-vs-rest, as in our models. Streams are two thirds of their data, up to `MAX_ROWS`
rows in several random orders; the rest is for testing. Accuracies are stored as they are found, those of our models
together with the build that gave them, so that a long measurement resumes where it stopped. Environment variables:
STREAM_ACCURACY names models, separated by semicolons; STREAMS is a part of the names of streams; ORDERS is the number
of orders, or the first and the last of them, as in 3-9; LAST is the last moment to look at.
"""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.datasets import load_digits, make_circles, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.data import data_folder
from benchmarks.micro import Section
from hinge import KernelPerceptron, OnlineSVC, RobustOnlineSVC, TrackingSVC, _core
from hinge.datasets import load

MOMENTS = (200, 1000, 5000)
MAX_ROWS, MAX_TEST_ROWS = 6000, 3000
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
FACTORS = (0.3, 3.0)  # of gamma="scale"
CHUNK = 100
LAST = int(os.environ.get("LAST", "0"))
STORE = Path(f"~/.cache/hinge-benchmarks/stream-accuracy{LAST or ''}.jsonl").expanduser()

Data = tuple[Any, NDArray[Any]]
Accuracies = list[tuple[int, float]]
MODELS: dict[str, Callable[..., Any]] = {
    "OnlineSVC": OnlineSVC,
    "OnlineSVC(max_gap=None)": lambda **settings: OnlineSVC(max_gap=None, **settings),
    "OnlineSVC(max_support=300)": lambda **settings: OnlineSVC(max_support=300, **settings),
    "RobustOnlineSVC": RobustOnlineSVC,
    "TrackingSVC": TrackingSVC,
    "KernelPerceptron": lambda C, **settings: KernelPerceptron(**settings),  # noqa: ARG005  has no C
}


@dataclass(frozen=True)
class Setting:
    """A stream, an order of its rows, and parameters."""

    stream: str
    order: int
    cost: float
    factor: float


class Store:
    """Accuracies found so far, as (rows, accuracy), by model, build and setting."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self._found: dict[tuple[Any, ...], Accuracies] = {tuple(key): value for key, value in map(json.loads, lines)}

    def get(self, model: str, build: int, setting: Setting, find: Callable[[], Accuracies]) -> Accuracies:
        """Return stored accuracies, or find and store them."""
        key = (model, build, *astuple(setting))
        if key not in self._found:
            self._found[key] = find()
            with self._path.open("a") as file:
                file.write(json.dumps([key, self._found[key]]) + "\n")
        return self._found[key]


class Part:
    """One order of a stream: rows to learn, rows to test with, and kernel values for `SVC`."""

    def __init__(self, data: Data, name: str, order: int) -> None:
        X, y = data
        rows = np.random.default_rng(order).permutation(len(y))
        n_train = min(2 * len(y) // 3, 5000 if name in SLOW else MAX_ROWS)
        train, test = rows[: min(n_train, LAST or n_train)], rows[n_train : n_train + MAX_TEST_ROWS]
        self.X, self.y, self.X_test, self.y_test = X[train], y[train], X[test], y[test]
        moments = [*(moment for moment in MOMENTS if moment < n_train), n_train]
        self.moments = [moment for moment in moments if moment <= (LAST or n_train)]
        self._kernel: tuple[float, Any, Any] | None = None

    def svc(self, cost: float, gamma: float) -> Accuracies:
        """Return the accuracy of `SVC` fitted on the first rows, at every moment."""
        if self._kernel is None or self._kernel[0] != gamma:  # the same for every C
            self._kernel = gamma, rbf_kernel(self.X, gamma=gamma), rbf_kernel(self.X_test, self.X, gamma=gamma)
        _, K, K_test = self._kernel
        found = []
        for n in self.moments:
            model = SVC(C=cost, kernel="precomputed", cache_size=500)
            model = model if len(np.unique(self.y)) == 2 else OneVsRestClassifier(model)
            found.append((n, float(model.fit(K[:n, :n], self.y[:n]).score(K_test[:, :n], self.y_test))))
        return found

    def stream(self, model: Any) -> Accuracies:
        """Return the accuracy of a model that learns the rows chunk by chunk, at every moment."""
        found, start = [], 0
        for moment in self.moments:
            for begin in range(start, moment, CHUNK):
                chunk = slice(begin, min(begin + CHUNK, moment))
                model.partial_fit(self.X[chunk], self.y[chunk], classes=np.unique(self.y))
            start = moment
            found.append((moment, float(model.score(self.X_test, self.y_test))))
        return found


def measure(quick: bool) -> Section:
    """Learn every stream with every setting."""
    data_folder()
    models = os.environ.get("STREAM_ACCURACY", "OnlineSVC").split(";")
    names = [name for name in STREAMS if os.environ.get("STREAMS", "") in name]
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for order in range(1) if quick else _orders(os.environ.get("ORDERS", "10")):
        for name in names[:2] if quick else names:
            for model, cost, points in _differences(name, order, models, quick):
                found.setdefault((name, model), []).append((cost, points))
    columns = ("stream", "model", "mean", "worst", *(f"C={cost:g}: mean, worst" for cost in COSTS))
    rows = [(*key, *_cells(points)) for key, points in sorted(found.items())]
    return Section(f"partial_fit minus SVC, points of accuracy after {MOMENTS} and all rows", columns, rows)


def _orders(text: str) -> range:
    first, separator, last = text.partition("-")
    return range(int(first), int(last) + 1) if separator else range(int(first))


def _cells(found: list[tuple[float, float]]) -> Iterator[str]:
    points = [each for _, each in found]
    yield from (f"{np.mean(points):.2f}", f"{min(points):.2f}")
    for cost in COSTS:
        own = [each for own_cost, each in found if own_cost == cost]
        yield f"{np.mean(own):.2f}, {min(own):.2f}" if own else "-"


def _differences(name: str, order: int, models: list[str], quick: bool) -> Iterator[tuple[str, float, float]]:
    data = _data(name)
    gamma = scale(data[0])
    part, store, build = Part(data, name, order), Store(STORE), crc32(Path(_core.__file__).read_bytes())
    for factor in FACTORS:
        for cost in COSTS[1:4:2] if quick else COSTS:
            setting, width = Setting(name, order, cost, factor), factor * gamma
            exact = store.get("SVC", 0, setting, partial(part.svc, cost, width))
            for model in models:
                new = MODELS[model](C=cost, gamma=width, cache_size=1000)
                own = store.get(model, build, setting, partial(part.stream, new))
                yield from ((model, cost, 100 * (ours - svc)) for (_, ours), (_, svc) in zip(own, exact, strict=True))


@cache  # reading takes longer than learning
def _data(name: str) -> Data:
    return STREAMS[name]()


def scale(X: Any) -> float:
    """Return `gamma="scale"`, for sparse rows too."""
    mean_square = X.multiply(X).mean() if issparse(X) else np.square(X).mean()
    return float(1.0 / (X.shape[1] * (mean_square - X.mean() ** 2)))


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
SLOW = {"moons, noise 0.35", "circles", "moons, 20 % wrong labels", "a9a, sparse", "covtype, 2 vs rest"}  # for SVC

"""Accuracy of `OnlineSVC` after `partial_fit` and of `SVC`, on streams that played no part in choosing the rules.

As `stream_accuracy`, with generated streams of odd shapes: rare classes, heavy tails, duplicates, weights, many
classes, texts. Seeds make the data and the order; seed 0 has 0.3 and 3 times `gamma="scale"`, seed 1 once, seed 2 3
and 0.1 times. Environment variables: STREAMS is a part of the names of streams, SEEDS the number of seeds. Resumes
where it stopped.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs, make_classification, make_moons
from sklearn.metrics import balanced_accuracy_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from benchmarks.micro import Section
from benchmarks.micro.stream_accuracy import Accuracies, Data, Setting, Store, scale
from hinge import OnlineSVC, StreamWarning, _core

MOMENTS = (200, 1000)
MAX_ROWS = 2500
CHUNKS = {0.1: 7, 1.0: 1, 10.0: 1000, 100.0: 7, 1000.0: 1000}  # rows of a call, by C
FACTORS = ((0.3, 3.0), (1.0,), (3.0, 0.1))  # of gamma="scale", by seed
STORE = Path("~/.cache/hinge-benchmarks/untried-streams.jsonl").expanduser()


@dataclass(frozen=True)
class Stream:
    """How to make the data; weights of rows from labels, and whether the rows come as they are made."""

    make: Callable[[int], Data]
    weigh: Callable[[NDArray[Any], np.random.Generator], NDArray[np.float64]] | None = None
    ordered: bool = False
    slow: bool = False  # if rows come one by one


class Part:
    """Rows of a stream to learn, with weights, and rows to test with."""

    def __init__(self, stream: Stream, seed: int) -> None:
        X, y = stream.make(seed)
        random = np.random.default_rng(100 + seed)
        rows = random.permutation(len(y))
        n_train = 3 * len(y) // 4 if stream.ordered else min(2 * len(y) // 3, MAX_ROWS)
        train, test = rows[:n_train], rows[n_train:]
        train = np.sort(train) if stream.ordered else train
        self.X, self.y, self.X_test, self.y_test = X[train], y[train], X[test], y[test]
        self.weight = stream.weigh(self.y, random) if stream.weigh else np.ones(n_train)
        self.classes = None if stream.ordered else np.unique(y)
        self.moments = [*(moment for moment in MOMENTS if moment < n_train), n_train]

    def svc(self, cost: float, gamma: float) -> Accuracies:
        """Return twice at every moment, plain and balanced, the accuracy of `SVC` fitted on the rows so far."""
        found: Accuracies = []
        for n in self.moments:
            X, y, model = self.X[:n], self.y[:n], SVC(C=cost, gamma=gamma, cache_size=500)
            many = len(np.unique(y)) > 2
            fitted = OneVsRestClassifier(model).fit(X, y) if many else model.fit(X, y, self.weight[:n])
            found += self._test(fitted, n)
        return found

    def stream(self, model: OnlineSVC, chunk: int) -> Accuracies:
        """Return the same of a model that learns the rows chunk by chunk."""
        found: Accuracies = []
        for start, moment in zip([0, *self.moments], self.moments, strict=False):
            for begin in range(start, moment, chunk):
                rows = slice(begin, min(begin + chunk, moment))
                model.partial_fit(self.X[rows], self.y[rows], self.classes, self.weight[rows])
            found += self._test(model, moment)
        return found

    def _test(self, model: Any, n: int) -> Accuracies:
        answers = model.predict(self.X_test)
        balanced = balanced_accuracy_score(self.y_test, answers)
        return [(n, float(np.mean(answers == self.y_test))), (n, float(balanced))]


def measure(quick: bool) -> Section:
    """Learn every stream with every C and gamma, for each seed."""
    names = [name for name in STREAMS if os.environ.get("STREAMS", "") in name]
    seeds = 1 if quick else int(os.environ.get("SEEDS", "3"))
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StreamWarning)
        for name in names[:2] if quick else names:
            found = [each for seed in range(seeds) for each in _differences(name, seed, quick)]
            plain, balanced = np.array(found[::2]), np.array(found[1::2])
            cells = (plain.mean(), plain.min(), balanced.mean(), balanced.min())
            rows.append((name, str(len(plain)), *(f"{each:.1f}" for each in cells)))
    columns = ("stream", "differences", "mean", "worst", "mean, balanced", "worst, balanced")
    return Section(f"partial_fit minus SVC, points of accuracy after {MOMENTS} and all rows", columns, rows)


def _differences(name: str, seed: int, quick: bool) -> Iterator[float]:
    stream = STREAMS[name]
    part, store, build = Part(stream, seed), Store(STORE), crc32(Path(_core.__file__).read_bytes())
    for factor in FACTORS[seed % len(FACTORS)]:
        for cost, chunk in list(CHUNKS.items())[:: 4 if quick else 1]:
            setting, gamma = Setting(name, seed, cost, factor), factor * scale(part.X)
            exact = store.get("SVC", 0, setting, partial(part.svc, cost, gamma))
            model = OnlineSVC(C=cost, gamma=gamma)
            find = partial(part.stream, model, max(chunk, 7) if stream.slow else chunk)
            own = store.get("OnlineSVC", build, setting, find)
            yield from (100 * (ours - svc) for (_, ours), (_, svc) in zip(own, exact, strict=True))


def _classification(n_rows: int, **settings: Any) -> Callable[[int], Data]:
    def make(seed: int) -> Data:
        X, y = make_classification(n_rows, random_state=seed, **settings)
        return X, y

    return make


def _moons(noise: float, dtype: type = np.float64) -> Callable[[int], Data]:
    def make(seed: int) -> Data:
        X, y = make_moons(5000, noise=noise, random_state=seed)
        return X.astype(dtype), y

    return make


def _heavy_tails(seed: int) -> Data:
    random = np.random.default_rng(seed)
    X = random.standard_t(1.5, size=(5000, 6))
    return X, (X[:, 0] + 0.5 * np.tanh(X[:, 1]) + 0.3 * random.normal(size=5000) > 0).astype(int)


def _texts(seed: int) -> Data:
    """Return texts of 40 words of any kind and 8 of a topic, in one text of ten that of the other class."""
    random, n_rows, n_words = np.random.default_rng(seed), 3000, 50_000
    topics, y = random.choice(n_words, size=(2, 300)), random.integers(0, 2, n_rows)
    X = np.zeros((n_rows, 48), dtype=int)
    for i in range(n_rows):
        topic = topics[y[i] if random.random() > 0.1 else 1 - y[i]]
        X[i] = np.r_[(random.pareto(0.6, 40) * 5).astype(int) % n_words, random.choice(topic, 8)]
    texts = csr_matrix((np.ones(X.size), X.ravel(), np.arange(0, X.size + 1, 48)), shape=(n_rows, n_words))
    texts.sum_duplicates()
    texts.data[:] = 1.0
    return normalize(texts), y


def _late_class(seed: int) -> Data:
    """Return four classes of six clouds; the fourth class appears after 60 % of the rows."""
    X, y = make_blobs(5000, centers=6, n_features=3, cluster_std=2.2, random_state=seed)
    known = (y % 4 != 3) | (np.arange(5000) > 3000)
    return X[known], y[known] % 4


def _duplicates(seed: int) -> Data:
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, size=(5000, 4)).astype(float)
    return X, (random.random(5000) < 1 / (1 + np.exp(-2 * (X[:, 0] - 1.5) * (X[:, 1] - 1.5)))).astype(int)


def _exclusive_or(seed: int) -> Data:
    random = np.random.default_rng(seed)
    X = random.normal(size=(5000, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    return X, np.where(random.random(5000) < 0.3, random.integers(0, 2, 5000), y)


def _rings(seed: int) -> Data:
    random = np.random.default_rng(seed)
    radius, angle = 6 * random.random(6000), 2 * np.pi * random.random(6000)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)], radius.astype(int) % 2


def _parity(seed: int) -> Data:
    """Return the parity of five of eight bits, wrong in one row of ten."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, size=(5000, 8)).astype(float)
    return X, ((X[:, :5].sum(axis=1) + (random.random(5000) < 0.1)) % 2).astype(int)


def _some_heavy(y: NDArray[Any], random: np.random.Generator) -> NDArray[np.float64]:
    return np.where(random.random(len(y)) < 0.1, 20.0, 1.0)


def _heavy_positives(y: NDArray[Any], _: np.random.Generator) -> NDArray[np.float64]:
    return np.where(y == 1, 20.0, 1.0)


_RARE: dict[str, Any] = {"n_features": 10, "n_informative": 6, "weights": [0.99], "flip_y": 0.0}
_RARE_NOISY: dict[str, Any] = {"n_features": 8, "n_informative": 5, "weights": [0.97], "flip_y": 0.05}
_LETTERS: dict[str, Any] = {"n_features": 16, "n_informative": 12, "n_classes": 26, "n_clusters_per_class": 1}
STREAMS = {
    "1 % positives": Stream(_classification(6000, **_RARE)),
    "3 % positives of weight 20, 5 % wrong labels": Stream(_classification(6000, **_RARE_NOISY), _heavy_positives),
    "duplicated integer rows": Stream(_duplicates),
    "heavy tails (Student's t, 1.5 degrees of freedom)": Stream(_heavy_tails),
    "single precision, moons": Stream(_moons(0.3, np.float32)),
    "a fourth class that appears after 60 % of the rows": Stream(_late_class, ordered=True),
    "a tenth of the rows of weight 20": Stream(_moons(0.35), _some_heavy),
    "exclusive or, 30 % of the labels drawn at random": Stream(_exclusive_or),
    "200 features, 20 informative": Stream(_classification(4000, n_features=200, n_informative=20, flip_y=0.1)),
    "rings": Stream(_rings),
    "parity": Stream(_parity),
    "26 classes": Stream(_classification(5000, flip_y=0.02, class_sep=2.0, **_LETTERS), slow=True),
    "texts of 50 000 words": Stream(_texts, slow=True),
}

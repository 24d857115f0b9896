"""The learning tasks: rows, labels, C and gamma."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Examples, read


@dataclass(frozen=True)
class Split:
    """Training and test rows of one task."""

    X: Examples
    y: NDArray[Any]
    X_test: Examples
    y_test: NDArray[Any]

    def head(self, n_train: int, n_test: int) -> "Split":
        """Return the first training and test rows."""
        return Split(self.X[:n_train], self.y[:n_train], self.X_test[:n_test], self.y_test[:n_test])


@dataclass(frozen=True)
class Task:
    """A data set with its settings.

    Attributes
    ----------
    name : str
        Short name, as given to `--tasks`.
    title : str
        Name in tables.
    C, gamma : float
        Settings of the RBF kernel SVM, the same for every model.
    peers : tuple of str
        Models of a full run; libsvm takes hours on the other tasks.
    quick_rows : int
        Number of training rows of a quick run.
    load : callable
        Returns all rows.
    """

    name: str
    title: str
    C: float
    gamma: float
    peers: tuple[str, ...]
    quick_rows: int
    load: Callable[[], Split]

    def split(self, *, quick: bool) -> Split:
        """Load the rows of a full or a quick run."""
        everything = self.load()
        return everything.head(self.quick_rows, 5000) if quick else everything


def _a9a() -> Split:
    return Split(*read("a9a", dense=True), *read("a9a", ".t", dense=True))


def _ijcnn1() -> Split:
    return Split(*read("ijcnn1", dense=True), *read("ijcnn1", ".t", dense=True))


def _mnist() -> Split:
    X, y = read("mnist", dense=True)
    X_test, y_test = read("mnist", ".t", dense=True)
    X /= np.float32(255)
    X_test /= np.float32(255)
    return Split(X, y, X_test, y_test)


def _mnist_eight() -> Split:
    digits = _mnist()
    return Split(digits.X, digits.y == 8, digits.X_test, digits.y_test == 8)


def _covtype() -> Split:
    X, y = read("covtype", dense=True)
    means, deviations = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    rows = np.random.RandomState(0).permutation(len(y))[:150_000]
    X, positive = X[rows], y[rows] == 2
    X = ((X - means) / np.where(deviations > 0, deviations, 1.0)).astype(np.float32)
    return Split(X[:100_000], positive[:100_000], X[100_000:], positive[100_000:])


def _reuters() -> Split:
    return Split(*read("reuters-moneyfx", dense=False), *read("reuters-moneyfx", ".t", dense=False))


def _rcv1() -> Split:
    return Split(*read("rcv1-ccat", dense=False), *read("rcv1-ccat", ".t", dense=False))


def _usps() -> Split:
    return Split(*read("usps", dense=True), *read("usps", ".t", dense=True))


def _covtype_unit() -> Split:
    """Return rows scaled to [0, 1], where a large gamma makes float32 distances imprecise."""
    X, y = read("covtype", dense=True)
    lowest, highest = X.min(axis=0), X.max(axis=0)
    rows = np.random.RandomState(0).permutation(len(y))[:30_000]
    X, positive = (X[rows] - lowest) / np.where(highest > lowest, highest - lowest, 1), y[rows] == 2
    return Split(X[:20_000], positive[:20_000], X[20_000:], positive[20_000:])


TASKS = {
    task.name: task
    for task in (
        Task("a9a", "a9a", 100, 0.005, ("sklearn", "intelex"), 4000, _a9a),
        Task("ijcnn1", "ijcnn1", 32, 2.0, ("sklearn", "intelex"), 4000, _ijcnn1),
        Task("mnist8", "mnist, 8 vs rest", 1000, 0.02, ("sklearn", "intelex"), 4000, _mnist_eight),
        Task("mnist10", "mnist, 10 classes", 1000, 0.02, ("intelex",), 4000, _mnist),
        Task("covtype", "covtype, 2 vs rest, 100 000 rows", 3, 0.5, ("intelex",), 6000, _covtype),
        Task("covtype-unit", "covtype in [0, 1], 20 000 rows", 32, 32.0, ("sklearn", "intelex"), 4000, _covtype_unit),
        Task("rcv1", "rcv1 ccat (sparse)", 10, 1.0, ("sklearn", "intelex"), 4000, _rcv1),
        Task("reuters", "reuters money-fx (sparse)", 1, 1.0, ("sklearn", "intelex"), 3000, _reuters),
    )
}

EXACT_TASKS = {name: TASKS[name] for name in ("a9a", "mnist8", "mnist10", "covtype", "ijcnn1", "rcv1")} | {
    task.name: task for task in (Task("usps", "usps, 10 classes", 10, 1 / 128, ("sklearn", "intelex"), 4000, _usps),)
}

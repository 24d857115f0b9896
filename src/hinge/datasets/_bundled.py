"""Data sets that are generated or come with scikit-learn."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from hinge.datasets._dataset import Dataset


def spirals(random_state: int) -> Dataset:
    """Generate two spiral arms that overlap: 40 000 training and 5 000 test points in the plane."""
    random = np.random.default_rng(random_state)
    y = random.integers(0, 2, 45_000)
    turn = 3 * np.pi * np.sqrt(random.uniform(0.02, 1.0, y.size))
    angle = turn + np.pi * y
    X = turn[:, None] / (3 * np.pi) * np.column_stack([np.cos(angle), np.sin(angle)])
    X += random.normal(scale=0.1, size=X.shape)
    return _split("spirals", X, y, n_train=40_000, C=10.0, gamma=10.0)


def waveform(random_state: int) -> Dataset:
    """Generate Breiman's waveform problem: three classes, 21 features, 5 000 training and 5 000 test rows.

    Each example is a random convex combination of two of three triangular waves, plus noise of unit variance.
    """
    random = np.random.default_rng(random_state)
    position = np.arange(1, 22)
    waves = np.maximum(6 - np.abs(position - np.array([[7], [15], [11]])), 0)
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    y = random.integers(0, 3, 10_000)
    share = random.uniform(size=(y.size, 1))
    X = share * waves[first[y]] + (1 - share) * waves[second[y]] + random.normal(size=(y.size, position.size))
    return _split("waveform", X, y, n_train=5_000, C=1.0, gamma=0.02)


def digits(random_state: int) -> Dataset:
    """Load scikit-learn's 8 x 8 handwritten digits, pixels between 0 and 1: 1 200 training and 597 test rows."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(random_state).permutation(len(y))
    return _split("digits", X[order] / 16.0, y[order], n_train=1200, C=10.0, gamma=0.1)


def _split(name: str, X: NDArray[np.float64], y: NDArray[np.int64], *, n_train: int, C: float, gamma: float) -> Dataset:
    return Dataset(name, X[:n_train], y[:n_train], X[n_train:], y[n_train:], C, gamma)


BUNDLED: dict[str, Callable[[int], Dataset]] = {"spirals": spirals, "waveform": waveform, "digits": digits}

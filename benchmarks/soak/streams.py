"""Where examples come from: clouds that wander without end, and files that are read again and again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import dump_svmlight_file, load_digits

from hinge.io import Rows, open_source

BATCH = 20
N_CLASSES, N_FEATURES = 6, 16
NAMES = np.array(["ape", "bee", "cat", "dog", "elk", "fox"])
NEWCOMER = 20_000  # examples until another class appears
TURN = 60_000  # examples in which a cloud goes round once, more or less: each has a speed of its own
WRONG = 0.02  # share of labels drawn at random

Batch = tuple[Any, NDArray[Any]]


def drifting(seed: int) -> Iterator[Batch]:
    """Yield examples of clouds that wander; two classes at first, then more."""
    random = np.random.default_rng(seed)
    sides = random.normal(scale=1.1, size=(2, N_CLASSES, N_FEATURES))
    speeds = random.uniform(0.5, 1.5, size=(N_CLASSES, 1)) * 2 * np.pi / TURN
    n_drawn = 0
    while True:
        centres = np.cos(speeds * n_drawn) * sides[0] + np.sin(speeds * n_drawn) * sides[1]
        n_known = min(N_CLASSES, 2 + n_drawn // NEWCOMER)
        numbers = random.integers(n_known, size=BATCH)
        X = random.normal(centres[numbers])
        wrong = random.random(BATCH) < WRONG
        yield X, NAMES[np.where(wrong, random.integers(n_known, size=BATCH), numbers)]
        n_drawn += BATCH


def from_file(file: Path, n_features: int) -> Iterator[Batch]:
    """Yield the rows of a svmlight file, from the beginning again after its end."""
    while True:
        for chunk in open_source(file).chunks(BATCH):
            assert isinstance(chunk, Rows)
            assert chunk.y is not None
            chunk.X.resize(len(chunk), n_features + 1)
            yield chunk.X, chunk.y


def write_digits(folder: Path) -> Path:
    """Write the bundled digits, shuffled, where the public sets are not at hand."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    file = folder / "digits.svm"
    dump_svmlight_file(X[order], y[order], str(file), zero_based=False)
    return file

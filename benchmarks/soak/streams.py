"""Streams of examples: endlessly drifting clusters, and files that are read repeatedly."""

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
NEW_CLASS_EVERY = 20_000  # examples
DRIFT_PERIOD = 60_000  # examples until a cluster returns, on average
WRONG = 0.02  # share of random labels

Batch = tuple[Any, NDArray[Any]]


def drifting(seed: int) -> Iterator[Batch]:
    """Yield examples of drifting clusters; two classes at first, then more."""
    random = np.random.default_rng(seed)
    sides = random.normal(scale=1.1, size=(2, N_CLASSES, N_FEATURES))
    speeds = random.uniform(0.5, 1.5, size=(N_CLASSES, 1)) * 2 * np.pi / DRIFT_PERIOD
    n_drawn = 0
    while True:
        centres = np.cos(speeds * n_drawn) * sides[0] + np.sin(speeds * n_drawn) * sides[1]
        n_known = min(N_CLASSES, 2 + n_drawn // NEW_CLASS_EVERY)
        numbers = random.integers(n_known, size=BATCH)
        X = random.normal(centres[numbers])
        wrong = random.random(BATCH) < WRONG
        yield X, NAMES[np.where(wrong, random.integers(n_known, size=BATCH), numbers)]
        n_drawn += BATCH


def from_file(file: Path, n_features: int) -> Iterator[Batch]:
    """Yield the rows of an svmlight file, again and again."""
    while True:
        for chunk in open_source(file).chunks(BATCH):
            assert isinstance(chunk, Rows)
            assert chunk.y is not None
            chunk.X.resize(len(chunk), n_features + 1)
            yield chunk.X, chunk.y


def write_digits(folder: Path) -> Path:
    """Write the bundled digits, shuffled, for use without the public data sets."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    file = folder / "digits.svm"
    dump_svmlight_file(X[order], y[order], str(file), zero_based=False)
    return file

"""The streams: those bundled with river, its generators with drift, and two real tables in the order of their files.

`REPORTED` are the ten streams of the comparison. `DEVELOPMENT` are others, on which the settings of `AdaptiveSVC` were
chosen; no reported stream influenced them.
"""

import bz2
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from river import datasets
from river.datasets import synth
from sklearn.datasets import load_digits

from benchmarks.data import data_folder
from hinge.datasets import load

Stream: TypeAlias = tuple[NDArray[np.float64], NDArray[Any]]
Source: TypeAlias = Callable[[int], Stream]  # takes the largest number of rows

_SYMBOLS = (1, 2, 3)  # columns of kddcup99 that hold words


def _collect(rows: Iterable[Any], n_rows: int) -> Stream:
    pairs = list(islice(rows, n_rows))
    names = sorted(pairs[0][0], key=str)
    X = np.array([[float(x[name]) for name in names] for x, _ in pairs])
    return X, np.unique([str(y) for _, y in pairs], return_inverse=True)[1]


def _abrupt(concepts: list[Any]) -> Source:
    """Return a stream that changes from one concept to the next at once, at equal distances."""

    def rows(n_rows: int) -> Iterator[Any]:
        share = -(-n_rows // len(concepts))
        for concept in concepts:
            yield from islice(concept, share)

    return lambda n_rows: _collect(rows(n_rows), n_rows)


def _gradual(concepts: list[Any]) -> Source:
    """Return a stream that mixes two concepts for a while at each change."""

    def rows(n_rows: int) -> Iterator[Any]:
        share = n_rows // len(concepts)
        stream = concepts[-1]
        for concept in reversed(concepts[:-1]):
            stream = synth.ConceptDriftStream(concept, stream, position=share, width=max(share // 4, 1), seed=1)
        return iter(stream)

    return lambda n_rows: _collect(rows(n_rows), n_rows)


def _plain(make: Callable[[], Any]) -> Source:
    return lambda n_rows: _collect(make(), n_rows)


def _sea(seed: int) -> list[Any]:
    return [synth.SEA(variant=variant, noise=0.1, seed=seed + variant) for variant in (0, 1, 2, 3)]


def _led(seed: int) -> list[Any]:
    return [
        synth.LEDDrift(seed=seed + moved, noise_percentage=0.1, irrelevant_features=True, n_drift_features=moved)
        for moved in (1, 3, 5, 7)
    ]


def _covtype(n_rows: int) -> Stream:
    X, y = np.zeros((n_rows, 54)), np.zeros(n_rows, dtype=np.int64)
    with bz2.open(data_folder() / "covtype.bz2", "rt") as lines:
        for row, line in enumerate(islice(lines, n_rows)):
            label, *entries = line.split()
            y[row] = int(label)
            for entry in entries:
                column, value = entry.split(":")
                X[row, int(column) - 1] = float(value)
    return X, y


def _kddcup(n_rows: int) -> Stream:
    """Read connections: numbers as they are, one column per word, one class per kind of attack."""
    with bz2.open(data_folder() / "kddcup99-10pct.csv.bz2", "rt") as lines:
        cells = [line.rstrip(".\n").split(",") for line in islice(lines, n_rows)]
    table = np.array(cells)
    numbers = np.delete(table[:, :-1], _SYMBOLS, axis=1).astype(np.float64)
    words = [(table[:, [column]] == np.unique(table[:, column])).astype(np.float64) for column in _SYMBOLS]
    return np.hstack([numbers, *words]), table[:, -1]


def _in_file_order(name: str) -> Source:
    def rows(n_rows: int) -> Stream:
        data = load(name)
        X = data.X_train[:n_rows]
        return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64), data.y_train[:n_rows]

    return rows


def _digits(n_rows: int) -> Stream:
    """Return digits whose pixels are mirrored half-way."""
    X, y = load_digits(return_X_y=True)
    half = len(y) // 2
    return np.vstack([X[:half], X[half:, ::-1]])[:n_rows], y[:n_rows]


REPORTED: dict[str, Source] = {
    "phishing": _plain(datasets.Phishing),
    "bananas": _plain(datasets.Bananas),
    "segments": _plain(datasets.ImageSegments),
    "sea-abrupt": _abrupt(_sea(42)),
    "sea-gradual": _gradual(_sea(142)),
    "hyperplane": _plain(
        lambda: synth.Hyperplane(seed=42, n_features=10, n_drift_features=5, mag_change=0.001, noise_percentage=0.05)
    ),
    "rbf-drift": _plain(
        lambda: synth.RandomRBFDrift(
            seed_model=42, seed_sample=42, n_classes=5, n_features=10, n_centroids=50, change_speed=0.001
        )
    ),
    "led-drift": _abrupt(_led(42)),
    "covtype": _covtype,
    "kddcup99": _kddcup,
}

DEVELOPMENT: dict[str, Source] = {
    "agrawal": _abrupt([synth.Agrawal(classification_function=f, seed=7, perturbation=0.05) for f in (0, 3, 6)]),
    "sine": _abrupt([synth.Sine(classification_function=f, seed=7, has_noise=False) for f in (0, 1, 2, 3)]),
    "sine-gradual": _gradual([synth.Sine(classification_function=f, seed=8, has_noise=True) for f in (0, 3, 2)]),
    "mixed": _gradual([synth.Mixed(classification_function=f, seed=7) for f in (0, 1, 0)]),
    "stagger": _abrupt([synth.STAGGER(classification_function=f, seed=7) for f in (0, 1, 2)]),
    "tree": _abrupt([synth.RandomTree(seed_tree=s, seed_sample=s, n_classes=3) for s in (1, 2)]),
    "waveform": _plain(lambda: synth.Waveform(seed=7, has_noise=True)),
    "planes": _plain(
        lambda: synth.Hyperplane(seed=7, n_features=5, n_drift_features=2, mag_change=0.01, noise_percentage=0.1)
    ),
    "rbf": _plain(lambda: synth.RandomRBF(seed_model=7, seed_sample=7, n_classes=4, n_features=6, n_centroids=30)),
    "digits": _digits,
    "a9a": _in_file_order("a9a"),
    "ijcnn1": _in_file_order("ijcnn1"),
    "usps": _in_file_order("usps"),
}

SOURCES = REPORTED | DEVELOPMENT

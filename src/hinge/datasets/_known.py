"""Public sets that do not come with the package: read from a folder, or fetched once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.datasets._assembly import dense_rows, network_rows, sparse_rows
from hinge.datasets._dataset import Dataset
from hinge.datasets._download import cache_folder, fetch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_PACKINGS = (".bz2", "", ".gz", ".xz")

# Elevation, aspect, slope, four distances and three hill shades: the largest sizes in the whole set.
_LARGEST_MEASURES = (3858, 360, 66, 1397, 601, 7117, 254, 254, 254, 7173)


@dataclass(frozen=True)
class KnownSet:
    """What is known of a public set before it is read.

    Attributes
    ----------
    name : str
        As given to `load`.
    about : str
        One line: what it is, how it is split, and what is done to its values.
    n_train, n_test : int
        Rows of both halves.
    n_features : int
        Columns after reading.
    C, gamma : float
        Settings of an RBF machine that suit it.
    stem : str
        Name of the file of the training half without the suffix of its packing.
    has_test_file : bool
        The test half is a file of its own, with ".t" after the stem; else the last rows of the one file are set aside.
    mixed : bool
        They are first brought into a random order, always the same.
    sparse : bool
        Rows become a CSR matrix.
    addresses : dict from str to str
        Where each stem can be fetched.
    change : callable or None
        What is done to dense rows and labels, in place where it can be.
    """

    name: str
    about: str
    n_train: int
    n_test: int
    n_features: int
    C: float
    gamma: float
    stem: str
    has_test_file: bool = True
    mixed: bool = False
    sparse: bool = False
    addresses: dict[str, str] = field(default_factory=dict)
    change: Callable[[Any, NDArray[Any]], tuple[Any, NDArray[Any]]] | None = None


def load_known(name: str) -> Dataset:
    """Load a public set by name.

    Parameters
    ----------
    name : str
        A key of `KNOWN`. Its files are looked for in the folder named by HINGE_DATA, then in the folder of fetched
        files (HINGE_CACHE, or `hinge` in the user's folder of caches), plain or packed; those that have a public
        address are fetched if they are in neither.

    Returns
    -------
    Dataset
        Training and test rows, float32, with settings that suit them.
    """
    known = KNOWN[name]
    if name == "kddcup99":
        X, y, X_test, y_test = network_rows(_find(known, known.stem), name, known.n_train + known.n_test)
    elif known.has_test_file:
        X, y = _read(known, known.stem, known.n_train)
        X_test, y_test = _read(known, f"{known.stem}.t", known.n_test)
    else:
        whole, labels = _read(known, known.stem, known.n_train + known.n_test)
        if known.mixed:
            order = np.random.default_rng(0).permutation(len(labels))
            whole, labels = whole[order], labels[order]
        X, X_test = whole[: known.n_train], whole[known.n_train :]
        y, y_test = labels[: known.n_train], labels[known.n_train :]
    return Dataset(name, X, y, X_test, y_test, known.C, known.gamma)


def _read(known: KnownSet, stem: str, n_rows: int) -> tuple[Any, NDArray[Any]]:
    rows = sparse_rows if known.sparse else dense_rows
    X, y = rows(_find(known, stem), known.name, n_rows, known.n_features)
    return known.change(X, y) if known.change else (X, y)


def _find(known: KnownSet, stem: str) -> Path:
    """Return the path of a file, which is fetched if it is not there."""
    for folder in _folders():
        for packing in _PACKINGS:
            if (path := folder / f"{stem}{packing}").is_file():
                return path
    if stem not in known.addresses:
        files = f"{known.stem}.bz2 and {known.stem}.t.bz2" if known.has_test_file else f"{known.stem}.bz2"
        raise FileNotFoundError(
            f"{known.name} has no public address that is known here; put {files} into the folder named by HINGE_DATA."
        )
    address = known.addresses[stem]
    suffix = Path(address).suffix
    path = cache_folder() / f"{stem}{suffix if suffix in _PACKINGS else ''}"
    fetch(address, path)
    return path


def _folders() -> list[Path]:
    given = os.environ.get("HINGE_DATA")
    if given and not Path(given).is_dir():
        raise FileNotFoundError(f"HINGE_DATA must name a folder, got {given}.")
    return [Path(given), cache_folder()] if given else [cache_folder()]


def _from_bytes(X: Any, y: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    X /= np.float32(255)
    return X, y


def _digits_from_zero(X: Any, y: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """Call the digits 0 to 9; some copies of the set call them 1 to 10."""
    return X, y - 1 if y.max() == 10 else y


def _measures_to_one(X: Any, y: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    X[:, :10] /= np.array(_LARGEST_MEASURES, dtype=np.float32)
    return X, y


def _libsvm(kind: str, *files: str) -> dict[str, str]:
    return {file.removesuffix(".bz2"): f"{_LIBSVM}/{kind}/{file}" for file in files}


KNOWN: dict[str, KnownSet] = {
    known.name: known
    for known in (
        KnownSet(
            "mnist",
            "handwritten digits, 28 x 28 pixels divided by 255",
            *(60_000, 10_000, 784, 1000.0, 0.02, "mnist"),
            addresses=_libsvm("multiclass", "mnist.bz2", "mnist.t.bz2"),
            change=_from_bytes,
        ),
        KnownSet(
            "a9a",
            "who earns more than 50 000 dollars a year: Adult in 123 indicators",
            *(32_561, 16_281, 123, 100.0, 0.005, "a9a"),
            addresses=_libsvm("binary", "a9a", "a9a.t"),
        ),
        KnownSet(
            "banana",
            "two bent clouds in the plane; the first 4 000 rows are for training",
            *(4_000, 1_300, 2, 10.0, 1.0, "banana"),
            has_test_file=False,
        ),
        KnownSet(
            "usps",
            "handwritten digits of the post, 16 x 16 pixels between -1 and 1",
            *(7_291, 2_007, 256, 10.0, 0.0078125, "usps"),
            addresses=_libsvm("multiclass", "usps.bz2", "usps.t.bz2"),
            change=_digits_from_zero,
        ),
        KnownSet(
            "covtype",
            "seven kinds of forest; each of the ten measures is divided by its largest size, 100 000 random rows are "
            "for testing (the file is ordered by place)",
            *(481_012, 100_000, 54, 3.0, 8.0, "covtype"),
            has_test_file=False,
            mixed=True,
            addresses=_libsvm("multiclass", "covtype.bz2"),
            change=_measures_to_one,
        ),
        KnownSet(
            "ijcnn1",
            "misfires of an engine, a time series in order",
            *(49_990, 91_701, 22, 32.0, 2.0, "ijcnn1"),
            addresses=_libsvm("binary", "ijcnn1.bz2", "ijcnn1.t.bz2"),
        ),
        KnownSet(
            "reuters-moneyfx",
            "newswire articles about money and exchange rates, or not: 8 315 words",
            *(7_770, 3_299, 8_315, 1.0, 1.0, "reuters-moneyfx"),
            sparse=True,
        ),
        KnownSet(
            "rcv1-ccat",
            "newswire articles about companies and industry, or not: 47 236 words",
            *(14_401, 13_212, 47_236, 1.0, 1.0, "rcv1-ccat"),
            sparse=True,
        ),
        KnownSet(
            "kddcup99",
            "kinds of network connections, the tenth of the KDD cup 1999: logarithms of 38 numbers divided by their "
            "largest, and indicators of 80 names; every fifth row is for testing",
            *(395_217, 98_804, 118, 10.0, 0.1, "kddcup99-10pct.csv"),
            has_test_file=False,
            addresses={"kddcup99-10pct.csv": f"{_UCI}/kddcup99-mld/kddcup.data_10_percent.gz"},
        ),
    )
}

"""Public data sets that are not bundled: read from a folder, or downloaded once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hinge.datasets._dataset import Dataset
from hinge.datasets._download import RemoteFile, download
from hinge.datasets._known_files import read_connections, read_dense, read_sparse

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge.io import Matrix

    Classes = NDArray[np.int64]

_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
_SUFFIXES = (".bz2", "", ".gz", ".xz")

# Elevation, aspect, slope, four distances and three hill shades: the largest values in the whole set.
_COVTYPE_LARGEST = (3858, 360, 66, 1397, 601, 7117, 254, 254, 254, 7173)


@dataclass(frozen=True)
class KnownSet:
    """A public data set: what must be known before its files are read.

    Attributes
    ----------
    name : str
        As given to `load`.
    description : str
        One line: the content, the split, and the preprocessing.
    n_train, n_test : int
        Number of training and test rows.
    n_features : int
        Number of columns after reading.
    C, gamma : float
        Settings of an RBF model that suit the set.
    file_name : str
        Name of the training file without the suffix of its compression.
    has_test_file : bool
        The test rows are in a file of their own, with ".t" after the name; else they are the last rows of the one file.
    shuffled : bool
        The rows are shuffled before the split, always in the same order.
    sparse : bool
        Rows become a CSR matrix.
    downloads : dict from str to RemoteFile
        Where each file can be downloaded. Sets without a public address have none.
    preprocess : callable or None
        Changes dense rows and labels after reading, in place where possible.
    """

    name: str
    description: str
    n_train: int
    n_test: int
    n_features: int
    C: float
    gamma: float
    file_name: str
    has_test_file: bool = True
    shuffled: bool = False
    sparse: bool = False
    downloads: dict[str, RemoteFile] = field(default_factory=dict)
    preprocess: Callable[[Matrix, Classes], tuple[Matrix, Classes]] | None = None


def load_known(name: str) -> Dataset:
    """Load a public set by name.

    Parameters
    ----------
    name : str
        A key of `KNOWN`. Its files, plain or compressed, are read from the folder named by HINGE_DATA. Files that are
        not there are downloaded once to the user's cache (or the folder named by HINGE_CACHE).

    Returns
    -------
    Dataset
        Training and test rows in float32, with settings that suit them.
    """
    known = KNOWN[name]
    if name == "kddcup99":
        parts = read_connections(_find(known, known.file_name), name, known.n_train + known.n_test)
        return Dataset(name, *parts, known.C, known.gamma)
    X, y = _read(known, known.file_name, known.n_train if known.has_test_file else known.n_train + known.n_test)
    if known.has_test_file:
        X_test, y_test = _read(known, f"{known.file_name}.t", known.n_test)
        return Dataset(name, X, y, X_test, y_test, known.C, known.gamma)
    if known.shuffled:
        order = np.random.default_rng(0).permutation(len(y))
        X, y = X[order], y[order]
    cut = known.n_train
    return Dataset(name, X[:cut], y[:cut], X[cut:], y[cut:], known.C, known.gamma)


def _read(known: KnownSet, file_name: str, n_rows: int) -> tuple[Matrix, Classes]:
    read_rows = read_sparse if known.sparse else read_dense
    X, y = read_rows(_find(known, file_name), known.name, n_rows, known.n_features)
    return known.preprocess(X, y) if known.preprocess else (X, y)


def _find(known: KnownSet, file_name: str) -> Path:
    """Return the path of a file in HINGE_DATA or in the cache, where it is downloaded if necessary."""
    if folder := _data_folder():
        for suffix in _SUFFIXES:
            if (path := folder / f"{file_name}{suffix}").is_file():
                return path
    if file_name in known.downloads:
        return download(known.downloads[file_name])
    files = f"{known.file_name}.bz2 and {known.file_name}.t.bz2" if known.has_test_file else f"{known.file_name}.bz2"
    raise FileNotFoundError(f"{known.name} cannot be downloaded; put {files} into the folder named by HINGE_DATA.")


def _data_folder() -> Path | None:
    given = os.environ.get("HINGE_DATA")
    if given and not Path(given).is_dir():
        raise FileNotFoundError(f"HINGE_DATA must name a folder, got {given}.")
    return Path(given) if given else None


def _divide_by_255(X: Matrix, y: Classes) -> tuple[Matrix, Classes]:
    X /= np.float32(255)
    return X, y


def _digits_from_zero(X: Matrix, y: Classes) -> tuple[Matrix, Classes]:
    """Call the digits 0 to 9; some copies of the set call them 1 to 10."""
    return X, y - 1 if y.max() == 10 else y


def _scale_measures(X: Matrix, y: Classes) -> tuple[Matrix, Classes]:
    X[:, :10] /= np.array(_COVTYPE_LARGEST, dtype=np.float32)
    return X, y


def _from_libsvm(kind: str, checksums: dict[str, str | None]) -> dict[str, RemoteFile]:
    return {
        name.removesuffix(".bz2"): RemoteFile(f"{_LIBSVM}/{kind}/{name}", name, checksum)
        for name, checksum in checksums.items()
    }


KNOWN: dict[str, KnownSet] = {
    known.name: known
    for known in (
        KnownSet(
            "mnist",
            "handwritten digits, 28 x 28 pixels divided by 255",
            *(60_000, 10_000, 784, 1000.0, 0.02, "mnist"),
            downloads=_from_libsvm("multiclass", {"mnist.bz2": None, "mnist.t.bz2": None}),
            preprocess=_divide_by_255,
        ),
        KnownSet(
            "a9a",
            "who earns more than 50 000 dollars a year: Adult with 123 binary features",
            *(32_561, 16_281, 123, 100.0, 0.005, "a9a"),
            downloads=_from_libsvm("binary", {"a9a": None, "a9a.t": None}),
        ),
        KnownSet(
            "banana",
            "two curved clouds in the plane; the first 4 000 rows are for training",
            *(4_000, 1_300, 2, 10.0, 1.0, "banana"),
            has_test_file=False,
        ),
        KnownSet(
            "usps",
            "handwritten digits from envelopes, 16 x 16 pixels between -1 and 1",
            *(7_291, 2_007, 256, 10.0, 0.0078125, "usps"),
            downloads=_from_libsvm(
                "multiclass",
                {  # as torchvision has them
                    "usps.bz2": "md5:ec16c51db3855ca6c91edd34d0e9b197",
                    "usps.t.bz2": "md5:8ea070ee2aca1ac39742fdd1ef5ed118",
                },
            ),
            preprocess=_digits_from_zero,
        ),
        KnownSet(
            "covtype",
            "seven kinds of forest; each of the ten measurements is divided by its largest value, 100 000 random rows "
            "are for testing",
            *(481_012, 100_000, 54, 3.0, 8.0, "covtype"),
            has_test_file=False,
            shuffled=True,
            downloads=_from_libsvm("multiclass", {"covtype.bz2": None}),
            preprocess=_scale_measures,
        ),
        KnownSet(
            "ijcnn1",
            "misfires of an engine: a time series, in order",
            *(49_990, 91_701, 22, 32.0, 2.0, "ijcnn1"),
            downloads=_from_libsvm("binary", {"ijcnn1.bz2": None, "ijcnn1.t.bz2": None}),
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
            "kinds of network connections, 10 % of the KDD cup 1999: logarithms of 38 numbers divided by their "
            "maximum, and 80 binary features; every fifth row is for testing",
            *(395_217, 98_804, 118, 10.0, 0.1, "kddcup99-10pct.csv"),
            has_test_file=False,
            downloads={
                "kddcup99-10pct.csv": RemoteFile(  # the copy that scikit-learn uses
                    "https://ndownloader.figshare.com/files/5976042",
                    "kddcup99-10pct.csv.gz",
                    "sha256:8045aca0d84e70e622d1148d7df782496f6333bf6eb979a1b0837c42a9fd9561",
                )
            },
        ),
    )
}

"""Read the public data sets from the folder named by HINGE_DATA, and cache them in a form that loads quickly.

Parsing compressed svmlight text takes longer than most fits, so every set is parsed once and cached as an uncompressed
`.npz` in the temporary folder. Loading that is one allocation and one read, so the peak memory of a benchmark is not
that of a parser.
"""

import os
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file

Examples: TypeAlias = Any  # rows of a float32 array or of a CSR matrix

N_FEATURES = {
    "a9a": 123,
    "banana": 2,
    "covtype": 54,
    "ijcnn1": 22,
    "mnist": 784,
    "rcv1-ccat": 47236,
    "reuters-moneyfx": 8315,
    "usps": 256,
}


class MissingDataError(Exception):
    """The data folder does not exist; benchmarks are skipped."""


def data_folder() -> Path:
    """Return the folder named by HINGE_DATA."""
    name = os.environ.get("HINGE_DATA")
    if not name:
        raise MissingDataError(
            "Set HINGE_DATA to the folder with a9a.bz2, mnist.bz2, covtype.bz2, ... to run the benchmarks."
        )
    folder = Path(name)
    if not folder.is_dir():
        raise MissingDataError(f"HINGE_DATA names {folder}, which is not a folder.")
    return folder


def read(name: str, half: str = "", *, dense: bool) -> tuple[Examples, NDArray[np.float64]]:
    """Read the training or test rows of a set as float32, with their labels.

    Parameters
    ----------
    name : str
        Name of the set, a key of `N_FEATURES`.
    half : str
        Empty for the training rows, ".t" for the test rows.
    dense : bool
        Return an array, or a CSR matrix.
    """
    cached = _cache_file(f"{name}{half}-{'dense' if dense else 'sparse'}")
    if not cached.exists():
        _parse(name, half, dense, cached)
    with np.load(cached) as arrays:
        y = arrays["y"]
        if dense:
            return arrays["X"], y
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        return sparse.csr_matrix(parts, shape=(len(y), N_FEATURES[name])), y


def _cache_file(stem: str) -> Path:
    folder = Path(tempfile.gettempdir()) / f"hinge-benchmarks-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"{stem}.npz"


def _parse(name: str, half: str, dense: bool, cached: Path) -> None:
    source = data_folder() / f"{name}{half}.bz2"
    if not source.exists():
        raise MissingDataError(f"{source} does not exist.")
    X, y = load_svmlight_file(str(source), n_features=N_FEATURES[name], dtype=np.float32)
    if dense:
        arrays = {"X": X.toarray(), "y": y}
    else:
        X.sort_indices()
        indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        arrays = {"data": X.data, "indices": indices, "indptr": indptr, "y": y}
    temporary = cached.with_suffix(f".{os.getpid()}.npz")
    np.savez(temporary, **arrays)
    temporary.replace(cached)

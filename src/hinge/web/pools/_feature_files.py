"""Features that were computed elsewhere, such as embeddings: .npy and .parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.exceptions import DataError
from hinge.io import arrow

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from hinge.web.pools._base import Pool


def read_features(path: Path, pool: Pool) -> NDArray[np.float32]:
    """Read the features of all examples of a pool."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path} of features.")
    if path.suffix.lower() == ".npy":
        X = _read_npy(path)
    elif path.suffix.lower() == ".parquet":
        X = _read_parquet(path, pool)
    else:
        raise DataError(f"Features must be in a .npy or .parquet file, got {path.name}.")
    if X.ndim != 2 or X.shape[1] < 1 or X.dtype.kind not in "fiu":
        raise DataError(f"{path.name} must hold a matrix of numbers, got {X.dtype} of shape {X.shape}.")
    if X.shape[0] != len(pool):
        raise DataError(f"{path.name} must have one row for each of the {len(pool)} examples, got {X.shape[0]}.")
    if not np.isfinite(X).all():
        row = int(np.flatnonzero(~np.isfinite(X).all(axis=1))[0])
        raise DataError(f"{path.name} must hold finite numbers only, but row {row} has others.")
    return np.ascontiguousarray(X, dtype=np.float32)


def _read_npy(path: Path) -> NDArray[Any]:
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except (ValueError, OSError, EOFError) as error:
        raise DataError(f"{path.name} cannot be read as a .npy file: {str(error).rstrip('.')}.") from None


def _read_parquet(path: Path, pool: Pool) -> NDArray[Any]:
    """Read the numeric columns, or the columns of lists of numbers; in the order of the keys, if there are any."""
    try:
        table = arrow("pyarrow.parquet").read_table(path)
    except (ValueError, OSError) as error:
        raise DataError(f"{path.name} cannot be read as Parquet: {str(error).rstrip('.')}.") from None
    keys = [str(key) for key in table["key"].to_pylist()] if "key" in table.column_names else None
    parts = []
    for name in table.column_names:
        if name != "key":
            values = np.array(table[name].to_pylist())
            parts.append(values[:, None] if values.ndim == 1 else values)
    X = np.concatenate(parts, axis=1) if parts else np.empty((0, 0))
    if keys is None:
        return X
    places = {key: place for place, key in enumerate(keys)}
    wanted = [pool.key(row) for row in range(len(pool))]
    if missing := [key for key in wanted if key not in places]:
        raise DataError(f"{path.name} has no row with the key {missing[0]!r}; it needs one for each example.")
    return np.asarray(X[[places[key] for key in wanted]])

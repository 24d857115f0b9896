"""The readers that are fuzzed: how a file is used, and how inputs are changed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack
from sklearn.exceptions import ConvergenceWarning

import hinge
from fuzz._byte_damage import damage_bytes
from fuzz._model_damage import damage_model
from fuzz._npz_damage import damage_npz
from fuzz._outcome import require, require_sentence
from fuzz._text_damage import Damage, damage_csv, damage_libsvm, damage_svmlight
from hinge.datasets import read
from hinge.export import from_libsvm
from hinge.io import Chunk, Rows, Table, open_source

_N_ROWS = 8  # to predict and learn
_MAX_FEATURES = 1 << 20  # of models that are used
_SMALL_CHUNK = 3  # rows, compared with large chunks


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes
    ----------
    suffix : str
        The suffix of its files.
    use : callable
        Reads a file, uses the result, and returns what happened; raises the library's errors for refusals.
    damage : callable
        Changes an input at random; may fail if it cannot parse the input.
    """

    suffix: str
    use: Callable[[Path], str]
    damage: Damage


def use_model(file: Path) -> str:
    """Load a model and use it."""
    return _use(hinge.load(file), file)


def use_libsvm(file: Path) -> str:
    """Read a LIBSVM model and use it."""
    return _use(from_libsvm(file), file)


def _use(model: Any, file: Path) -> str:
    """Predict, inspect, learn, forget and save; a refusal is fine, nonsense results are not."""
    inner = getattr(model, "model", model)
    if inner.n_features_in_ > _MAX_FEATURES:  # the native code takes 16 bytes for each
        return "read"
    X, labels = _examples(model)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            _require_finite_decisions(model, X)
            _inspect(inner)
            model.partial_fit(X, labels)
            getattr(inner, "finish", lambda: None)()
            getattr(inner, "duality_gap", float)()
            _require_finite_decisions(model, X)
            if hasattr(inner, "ids_"):
                inner.forget(inner.ids_[::5])
            hinge.save(model, file)
            hinge.load(file)
    except hinge.HingeError as error:
        require_sentence(str(error))
        return "read, but refuses to go on"
    return "read"


def _examples(model: Any) -> tuple[Any, Any]:
    """Return rows for a model, and labels for them."""
    inner, preparation = getattr(model, "model", model), getattr(model, "preparation", None)
    labels = np.resize(getattr(inner, "classes_", np.zeros(1)), _N_ROWS)
    if preparation is not None and preparation.columns is not None:
        row = [getattr(column, "categories", (0.5,))[0] for column in preparation.columns]
        return np.array([row] * _N_ROWS, dtype=object), labels
    features = inner.n_features_in_
    if inner._state.kernel.name == "precomputed":
        return np.ones((_N_ROWS, features)), labels
    if inner._state.storage.sparse:
        places = np.arange(_N_ROWS), np.arange(_N_ROWS) % features
        return csr_matrix((np.ones(_N_ROWS), places), shape=(_N_ROWS, features)), labels
    return np.eye(_N_ROWS, features), labels


def _require_finite_decisions(model: Any, X: Any) -> None:
    answer = model.predict(X)
    require(len(answer) == _N_ROWS, "not one prediction per row")
    values = model.decision_function(X) if hasattr(model, "decision_function") else answer
    require(bool(np.isfinite(values).all()), "its decisions are not finite, and it does not say so")


def _inspect(model: Any) -> None:
    """Read the attributes of a model; models with Fourier features have no support vectors."""
    fourier = model.get_params().get("approximation") == "fourier"
    for name in ("component_coef_",) if fourier else ("support_vectors_", "dual_coef_"):
        getattr(model, name)
    with suppress(AttributeError):  # spheres have none
        require(bool(np.isfinite(model.intercept_).all()), "its intercept is not finite")


def use_rows(file: Path, **options: Any) -> str:
    """Read a data file in small and in large chunks, as arrays, and without knowing its format."""
    unnamed = file.with_suffix("")
    unnamed.write_bytes(file.read_bytes())
    with suppress(hinge.HingeError):
        for _ in open_source(unnamed).chunks():
            pass
    small = _contents(open_source(file, **options).chunks(_SMALL_CHUNK))
    large = _contents(open_source(file, **options).chunks())
    require(small == large, "rows depend on the size of chunks")
    X, y = read(file, **options)
    require(X.shape[0] == len(y), "not one label per row")
    require(bool(np.isfinite(X.data if issparse(X) else X).all()), "it read numbers that are not finite")
    return "read"


def _contents(chunks: Iterator[Chunk]) -> list[object]:
    """Return the contents of chunks in a form that can be compared."""
    held = list(chunks)
    tables = [chunk for chunk in held if isinstance(chunk, Table)]
    if tables:
        names = list(tables[0].columns)
        columns = [[_plain(value) for table in tables for value in table.columns[name].tolist()] for name in names]
        return [names, columns, list(chain.from_iterable(table.lines for table in tables))]
    rows = [chunk for chunk in held if isinstance(chunk, Rows)]
    labels = [_plain(value) for part in rows if part.y is not None for value in part.y.tolist()]
    if not issparse(rows[0].X):
        return [np.concatenate([part.X for part in rows]).tobytes(), labels]
    width = max(part.X.shape[1] for part in rows)
    parts = [csr_matrix((p.X.data, p.X.indices, p.X.indptr), shape=(len(p), width)) for p in rows]
    X = vstack(parts, format="csr")
    require(bool(X.nnz == 0 or 0 <= X.indices.min() <= X.indices.max() < width), "indices outside the matrix")
    return [X.data.tobytes(), X.indices.tobytes(), X.indptr.tobytes(), labels]


def _plain(value: str | float | None) -> str | None:
    """Return a comparable value: whether numbers are integers (without -0) depends on the chunk."""
    return value if value is None or isinstance(value, str) else repr(float(value) + 0.0)


TARGETS = {
    "model": Target(".hinge", use_model, damage_model),
    "libsvm": Target(".model", use_libsvm, damage_libsvm),
    "svmlight": Target(".svm", use_rows, damage_svmlight),
    "csv": Target(".csv", use_rows, damage_csv),
    "npz": Target(".npz", use_rows, damage_npz),
    "parquet": Target(".parquet", use_rows, damage_bytes),
}

"""The readers that are fuzzed: what is done with a file, and how inputs are changed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
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
from hinge.io import Rows, open_source

_ROWS = 8  # that a model is asked about
_WIDEST = 1 << 20  # features of models that are used
_FEW = 3  # rows a chunk, to be compared with large chunks


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes
    ----------
    suffix : str
        What names of its files end in.
    use : callable
        Reads a file, uses what came, and says how it went; refusals are the library's errors.
    damage : callable
        Makes another input of one, with a source of randomness; may fail on what it cannot take apart.
    """

    suffix: str
    use: Callable[[Path], str]
    damage: Damage


def use_model(file: Path) -> str:
    """Load a model and use it as its owner would."""
    return _use(hinge.load(file), file)


def use_libsvm(file: Path) -> str:
    """Read a model of LIBSVM and use it."""
    return _use(from_libsvm(file), file)


def _use(model: Any, file: Path) -> str:
    """Decide, look, learn, forget and save; a refusal in words is fine, a model that says nonsense is not."""
    inner = getattr(model, "model", model)
    if inner.n_features_in_ > _WIDEST:  # up to MAX_FEATURES; the native code takes 16 bytes for each
        return "read"
    X, labels = _examples(model)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            _require_sense(model, X)
            _look_at(inner)
            model.partial_fit(X, labels)
            getattr(inner, "finish", lambda: None)()
            getattr(inner, "duality_gap", float)()
            _require_sense(model, X)
            if hasattr(inner, "ids_"):
                inner.forget(inner.ids_[::5])
            hinge.save(model, file)
            hinge.load(file)
    except hinge.HingeError as error:
        require_sentence(str(error))
        return "read, but refuses to go on"
    return "read"


def _examples(model: Any) -> tuple[Any, Any]:
    """Return rows that a model can be asked about, and labels for them."""
    inner, preparation = getattr(model, "model", model), getattr(model, "preparation", None)
    labels = np.resize(getattr(inner, "classes_", np.zeros(1)), _ROWS)
    if preparation is not None and preparation.columns is not None:
        row = [0.5 if column.categories is None else column.categories[0] for column in preparation.columns]
        return np.array([row] * _ROWS, dtype=object), labels
    features = inner.n_features_in_
    if inner._state.kernel.name == "precomputed":
        return np.ones((_ROWS, features)), labels
    if inner._state.storage.sparse:
        places = np.arange(_ROWS), np.arange(_ROWS) % features
        return csr_matrix((np.ones(_ROWS), places), shape=(_ROWS, features)), labels
    return np.eye(_ROWS, features), labels


def _require_sense(model: Any, X: Any) -> None:
    answer = model.predict(X)
    require(len(answer) == _ROWS, "not one answer a row")
    values = model.decision_function(X) if hasattr(model, "decision_function") else answer
    require(bool(np.isfinite(values).all()), "it decides by numbers that are not finite, and does not say so")


def _look_at(model: Any) -> None:
    """Ask for what a model shows of itself; Fourier features have no support vectors."""
    fourier = model.get_params().get("approximation") == "fourier"
    for name in ("coef_",) if fourier else ("support_vectors_", "dual_coef_"):
        getattr(model, name)
    with suppress(AttributeError):  # spheres have none
        require(bool(np.isfinite(model.intercept_).all()), "its intercept is not finite")


def use_rows(file: Path, **options: Any) -> str:
    """Read a data file in small and in large chunks, as arrays, and without being told its format."""
    unnamed = file.with_suffix("")
    unnamed.write_bytes(file.read_bytes())
    with suppress(hinge.HingeError):
        for _ in open_source(unnamed).chunks():
            pass
    small = _gathered(open_source(file, **options).chunks(_FEW))
    large = _gathered(open_source(file, **options).chunks())
    require(small == large, "rows depend on the size of chunks")
    X, y = read(file, **options)
    require(X.shape[0] == len(y), "not one label a row")
    require(bool(np.isfinite(X.data if issparse(X) else X).all()), "it read numbers that are not finite")
    return "read"


def _gathered(chunks: Any) -> list[Any]:
    """Return all that is in chunks, in a form that can be compared."""
    held = list(chunks)
    if not isinstance(held[0], Rows):
        names = list(held[0].columns)
        columns = [[_plain(value) for chunk in held for value in chunk.columns[name].tolist()] for name in names]
        return [names, columns, list(chain.from_iterable(chunk.lines for chunk in held))]
    labels = [_plain(value) for chunk in held if chunk.y is not None for value in chunk.y.tolist()]
    if not issparse(held[0].X):
        return [np.concatenate([chunk.X for chunk in held]).tobytes(), labels]
    width = max(chunk.X.shape[1] for chunk in held)
    X = vstack(
        [csr_matrix((c.X.data, c.X.indices, c.X.indptr), shape=(c.X.shape[0], width)) for c in held], format="csr"
    )
    require(bool(X.nnz == 0 or 0 <= X.indices.min() <= X.indices.max() < width), "indices outside the matrix")
    return [X.data.tobytes(), X.indices.tobytes(), X.indptr.tobytes(), labels]


def _plain(value: Any) -> str | None:
    """Return a value so that it can be compared: whether numbers are integers, without a -0, depends on the chunk."""
    return value if value is None or isinstance(value, str) else repr(float(value) + 0.0)


TARGETS = {
    "model": Target(".hinge", use_model, damage_model),
    "libsvm": Target(".model", use_libsvm, damage_libsvm),
    "svmlight": Target(".svm", use_rows, damage_svmlight),
    "csv": Target(".csv", use_rows, damage_csv),
    "npz": Target(".npz", use_rows, damage_npz),
    "parquet": Target(".parquet", use_rows, damage_bytes),
}

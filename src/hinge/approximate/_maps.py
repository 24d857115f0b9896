"""Feature maps: features whose inner products are kernel values, nearly.

Nystroem: with K the kernel values among a sample S of the examples, K = Q D Q', the features of x are D^-1/2 Q' k_S(x).
Eigenvalues near zero are left out, so the rank follows from the data. Fourier: sqrt(2/d) cos(<v, x> + b) with v drawn
from the spectral density of the kernel and b uniform; it needs no examples.

For adaptive steps the features of Nystroem are scaled, each by sqrt(h) with 1/h its mean square, D/s, and a little
more: stochastic gradients crawl along directions in which the data hardly vary, and this evens them out. The penalty
of a squared weight is then h, so that the norm which is penalised stays what it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix, issparse

from hinge import _core
from hinge._model.overflow import check_kernel_size
from hinge._model.validation import Storage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.options import ApproximateOptions
    from hinge._model.state import Arrays

_FLOOR = 3e-4  # mean squares below this part of their sum are not evened out any further: they are mostly noise
_ROUNDING = 1e-15
# Eigenvalues up to this part of the largest are mostly rounding.
_THRESHOLDS = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-7}

WITH_FREQUENCIES = ("rbf", "laplacian")


@dataclass(frozen=True)
class Features:
    """A feature map as plain arrays.

    Attributes
    ----------
    arrays : dict
        Nystroem: `values` (or `data`, `indices`, `indptr`), `ids` and `labels` of the landmarks, and `projection`.
        Fourier: `frequencies` and `phases`. Both: `shift`, which is subtracted from dense rows first, and `penalty`.
    typical : float
        The mean square of the length of features.
    """

    arrays: Arrays
    typical: float

    @property
    def is_expansion(self) -> bool:
        """A function of these features is a kernel expansion over landmarks."""
        return "projection" in self.arrays

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.arrays["penalty"])

    def landmarks(self, storage: Storage) -> Any:
        """Return the examples that the features of Nystroem refer to."""
        return rows_from_arrays(self.arrays, storage)

    def native(self, kernel: KernelSpec, storage: Storage) -> Any:
        """Return the map for the native code."""
        kind: Any = _core.Map32 if storage.dtype == np.float32 else _core.Map64
        arrays = self.arrays
        if not self.is_expansion:
            return kind.fourier(arrays["frequencies"], arrays["phases"], arrays["shift"], storage.sparse)
        ((_, batch),) = storage.batches(self.landmarks(storage))
        native = kernel.native(storage.dtype)
        return kind.nystroem(native, batch, arrays["ids"], arrays["shift"], arrays["projection"])


@dataclass(frozen=True)
class Sample:
    """Some examples of known places in the stream."""

    X: Any
    ids: NDArray[np.int64]
    labels: NDArray[np.int32]


def nystroem(sample: Sample, kernel: KernelSpec, options: ApproximateOptions) -> Features:
    """Return the map whose landmarks are a sample."""
    storage = Storage.of(sample.X)
    shift = _shift(sample.X, kernel)
    values, vectors = eigh(_kernel_values(sample, kernel, shift), driver="evd", overwrite_a=True)
    wanted = options.eigen_threshold
    threshold = _THRESHOLDS[storage.dtype] if wanted is None else max(wanted, _ROUNDING)
    kept = values > max(threshold * values[-1], 0.0)
    if not kept.any():  # the kernel is zero: one feature, which is zero as well
        kept[-1], values[-1], vectors[:] = True, 1.0, 0.0
    values, vectors = values[kept], vectors[:, kept]
    spread = values / len(sample.ids)
    penalty = 1.0 / (spread + _FLOOR * spread.sum()) if options.linear.adaptive else np.ones(len(values))
    projection = np.ascontiguousarray(_held((vectors * (np.sqrt(penalty) / np.sqrt(values))).T, storage.dtype))
    arrays = {"ids": sample.ids, "labels": sample.labels, "projection": projection, "shift": shift, "penalty": penalty}
    return Features(arrays | rows_as_arrays(sample.X), float((penalty * spread).sum()))


def fourier(first: Any, kernel: KernelSpec, options: ApproximateOptions, random: np.random.RandomState) -> Features:
    """Return a map with random frequencies; the first row of the stream says where examples lie."""
    storage = Storage.of(first)
    shape = (storage.n_features, options.n_components)
    if kernel.name == "rbf":
        frequencies = np.sqrt(2.0 * kernel.gamma) * random.standard_normal(shape)
    else:
        frequencies = kernel.gamma * random.standard_cauchy(shape)
    arrays = {
        "frequencies": _held(frequencies, storage.dtype),
        "phases": random.uniform(0.0, 2.0 * np.pi, options.n_components).astype(storage.dtype),
        "shift": _shift(first, kernel) if _is_far(first, kernel) else np.zeros(0, dtype=storage.dtype),
        "penalty": np.ones(options.n_components),
    }
    return Features(arrays, 1.0)


def _held(values: NDArray[np.float64], dtype: Any) -> NDArray[Any]:
    """Return numbers in a precision; those that it cannot hold become the largest that it can."""
    largest = float(np.finfo(dtype).max)
    return np.clip(values, -largest, largest).astype(dtype)


def _shift(X: Any, kernel: KernelSpec) -> NDArray[Any]:
    """Return what to subtract from rows: kernels of differences lose fewer digits near zero."""
    if issparse(X) or kernel.name not in WITH_FREQUENCIES:
        return np.zeros(0, dtype=X.dtype)
    return np.asarray(X.mean(axis=0, dtype=np.float64), dtype=X.dtype)


def _is_far(first: Any, kernel: KernelSpec) -> bool:
    """Tell whether cosines would lose digits, a row being so many wavelengths away from zero.

    Otherwise nothing is subtracted, so that dense and sparse rows have the same features.
    """
    entries = np.asarray(first.data, dtype=np.float64)
    with np.errstate(over="ignore"):  # infinity is far
        if kernel.name == "rbf":
            length = np.sqrt(kernel.gamma) * np.linalg.norm(entries)
        else:
            length = kernel.gamma * np.abs(entries).sum()
    return bool(length > 1e-4 / np.finfo(first.dtype).eps)


def _kernel_values(sample: Sample, kernel: KernelSpec, shift: NDArray[Any]) -> NDArray[np.float64]:
    """Return the kernel values among the landmarks in double precision, whatever that of the examples."""
    X = sample.X.astype(np.float64)
    storage = Storage.of(X)
    ((_, batch),) = storage.batches(X)
    native, unused = kernel.native(np.float64), np.zeros((1, len(sample.ids)))
    kind: Any = _core.Map64
    values = kind.nystroem(native, batch, sample.ids, shift.astype(np.float64), unused).features(batch, raw=True)
    check_kernel_size(float(np.abs(values).max()), sample.X.dtype)
    symmetric: NDArray[np.float64] = 0.5 * (values + values.T)
    return symmetric


def rows_as_arrays(X: Any) -> Arrays:
    """Return dense or CSR rows as arrays of the types that the native code reads."""
    if not issparse(X):
        return {"values": np.ascontiguousarray(X)}
    return {
        "data": X.data,
        "indices": X.indices.astype(np.int32, copy=False),
        "indptr": X.indptr.astype(np.int64, copy=False),
    }


def rows_from_arrays(arrays: Arrays, storage: Storage) -> Any:
    """Return the rows that `rows_as_arrays` took apart, which have an id each."""
    if not storage.sparse:
        return arrays["values"]
    shape = (len(arrays["ids"]), storage.n_features)
    return csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)

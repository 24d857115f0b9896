"""Feature maps: features whose inner products approximate kernel values.

Nystroem: with K the kernel values among a sample S of s examples (the landmarks) and K = Q D Q', the features of x are
D^-1/2 Q' k_S(x). Eigenvalues near zero are dropped, so the data decide the rank, unless a smaller one is given.

Fourier: the features are sqrt(2/d) cos(<v, x> + b), with v drawn from the spectral density of the kernel and b uniform.
They need no examples.

For adaptive steps, Nystroem features are whitened: each is multiplied by sqrt(h), where 1/h is its mean square D/s plus
a small constant. Stochastic gradients converge slowly along directions of small variance, and whitening equalises the
variances. The penalty of a squared weight is h, so that the regularisation does not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

from hinge import _core
from hinge._model.first_examples import rows_as_arrays, rows_from_arrays
from hinge._model.overflow import check_kernel_size
from hinge._model.types import is_sparse
from hinge._model.validation import Storage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.options import ApproximateOptions
    from hinge._model.types import Array, Arrays, DType, Rows

_WHITENING_FLOOR = 3e-4  # of the sum of the mean squares: smaller ones are mostly noise, and not whitened fully
_MIN_THRESHOLD = 1e-15
# Eigenvalues up to this fraction of the largest are mostly rounding errors.
_DEFAULT_THRESHOLDS = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-7}

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
        Mean squared norm of the features.
    """

    arrays: Arrays
    typical: float

    @property
    def is_expansion(self) -> bool:
        """True if a linear function of the features is a kernel expansion over landmarks."""
        return "projection" in self.arrays

    @property
    def dimension(self) -> int:
        """Number of features."""
        return len(self.arrays["penalty"])

    def landmarks(self, storage: Storage) -> Rows:
        """Return the landmarks of a Nystroem map."""
        return rows_from_arrays(self.arrays, storage)

    def native(self, kernel: KernelSpec, storage: Storage) -> Any:
        """Build the native map, a Map32 or Map64."""
        kind: Any = _core.Map32 if storage.dtype == np.float32 else _core.Map64
        arrays = self.arrays
        if not self.is_expansion:
            return kind.fourier(arrays["frequencies"], arrays["phases"], arrays["shift"], storage.sparse)
        ((_, batch),) = storage.batches(self.landmarks(storage))
        native = kernel.native(storage.dtype)
        return kind.nystroem(native, batch, arrays["ids"], arrays["shift"], arrays["projection"])


@dataclass(frozen=True)
class Sample:
    """Examples that become landmarks, with their positions in the stream and class numbers."""

    X: Rows
    ids: NDArray[np.int64]
    labels: NDArray[np.int32]


def nystroem(sample: Sample, kernel: KernelSpec, options: ApproximateOptions) -> Features:
    """Build the Nystroem map of a sample."""
    storage = Storage.of(sample.X)
    shift = _shift(sample.X, kernel)
    values, vectors = eigh(_kernel_values(sample, kernel, shift), driver="evd", overwrite_a=True)
    kept = _kept_eigenvalues(values, options, storage.dtype)
    if not kept.any():  # all kernel values are zero: keep one feature, which is zero
        kept[-1], values[-1], vectors[:] = True, 1.0, 0.0
    values, vectors = values[kept], vectors[:, kept]
    spread = values / len(sample.ids)
    penalty = 1.0 / (spread + _WHITENING_FLOOR * spread.sum()) if options.is_adaptive else np.ones(len(values))
    projection = np.ascontiguousarray(_clipped((vectors * (np.sqrt(penalty) / np.sqrt(values))).T, storage.dtype))
    arrays = {"ids": sample.ids, "labels": sample.labels, "projection": projection, "shift": shift, "penalty": penalty}
    return Features(arrays | rows_as_arrays(sample.X), float((penalty * spread).sum()))


def _kept_eigenvalues(values: NDArray[np.float64], options: ApproximateOptions, dtype: DType) -> NDArray[np.bool_]:
    """Return which eigenvalues, in ascending order, are large enough, at most `rank` of them."""
    given = options.eigen_threshold
    if given is not None and not options.relative_threshold:
        kept = values >= max(given, np.finfo(np.float64).tiny)
    else:
        threshold = _DEFAULT_THRESHOLDS[dtype] if given is None else max(given, _MIN_THRESHOLD)
        kept = values > max(threshold * values[-1], 0.0)
    if options.rank is not None:
        kept[: -options.rank] = False
    return kept


def fourier(first: Rows, kernel: KernelSpec, options: ApproximateOptions, random: np.random.RandomState) -> Features:
    """Build a map with random frequencies; the first row of the stream decides the shift."""
    storage = Storage.of(first)
    arrays = {
        "frequencies": _frequencies(storage, options.n_components, kernel, random),
        "phases": random.uniform(0.0, 2.0 * np.pi, options.n_components).astype(storage.dtype),
        "shift": _shift(first, kernel) if _is_far(first, kernel) else np.zeros(0, dtype=storage.dtype),
        "penalty": np.ones(options.n_components),
    }
    return Features(arrays, 1.0)


def widen_fourier(arrays: Arrays, kernel: KernelSpec, storage: Storage, random: np.random.RandomState) -> Arrays:
    """Draw frequencies for the features that a storage has beyond those of a map; the old ones stay.

    Sparse rows have no shift, so it moves to the phases.
    """
    before, phases, shift = arrays["frequencies"], arrays["phases"], arrays["shift"]
    more = Storage(storage.dtype, storage.sparse, storage.n_features - len(before))
    if storage.sparse and shift.size:
        phases = (phases - np.mod(shift.astype(np.float64) @ before, 2.0 * np.pi)).astype(storage.dtype)
    frequencies = np.vstack([before, _frequencies(more, len(phases), kernel, random)])
    return {"frequencies": frequencies, "phases": phases}


def _frequencies(storage: Storage, n: int, kernel: KernelSpec, random: np.random.RandomState) -> Array:
    """Draw n frequencies per column from the spectral density of a kernel."""
    shape = (storage.n_features, n)
    if kernel.name == "rbf":
        return _clipped(np.sqrt(2.0 * kernel.gamma) * random.standard_normal(shape), storage.dtype)
    return _clipped(kernel.gamma * random.standard_cauchy(shape), storage.dtype)


def _clipped(values: NDArray[np.float64], dtype: DType) -> Array:
    """Convert numbers to a precision; those too large for it become its largest number."""
    largest = float(np.finfo(dtype).max)
    return np.clip(values, -largest, largest).astype(dtype)


def _shift(X: Rows, kernel: KernelSpec) -> Array:
    """Return the vector to subtract from rows: kernels of differences lose fewer digits near zero."""
    if is_sparse(X) or kernel.name not in WITH_FREQUENCIES:
        return np.zeros(0, dtype=X.dtype)
    return np.asarray(X.mean(axis=0, dtype=np.float64), dtype=X.dtype)


def _is_far(first: Rows, kernel: KernelSpec) -> bool:
    """Return True if cosines would lose digits because a row is many wavelengths away from zero.

    Otherwise there is no shift, so that dense and sparse rows have the same features.
    """
    entries = np.asarray(first.data, dtype=np.float64)
    with np.errstate(over="ignore"):  # infinity is far
        if kernel.name == "rbf":
            length = np.sqrt(kernel.gamma) * np.linalg.norm(entries)
        else:
            length = kernel.gamma * np.abs(entries).sum()
    return bool(length > 1e-4 / np.finfo(first.dtype).eps)


def _kernel_values(sample: Sample, kernel: KernelSpec, shift: Array) -> NDArray[np.float64]:
    """Compute the kernel values among the landmarks in double precision."""
    X = sample.X.astype(np.float64)
    storage = Storage.of(X)
    ((_, batch),) = storage.batches(X)
    native, unused = kernel.native(np.float64), np.zeros((1, len(sample.ids)))
    kind: Any = _core.Map64
    values = kind.nystroem(native, batch, sample.ids, shift.astype(np.float64), unused).features(batch, raw=True)
    check_kernel_size(float(np.abs(values).max()), sample.X.dtype)
    symmetric: NDArray[np.float64] = 0.5 * (values + values.T)
    return symmetric

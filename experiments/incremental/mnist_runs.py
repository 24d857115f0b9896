"""MNIST one by one: the library and the two plain programmes on growing parts of ten problems.

The paper gives neither C nor the scale of the pixels. With pixels from 0 to 1 and C = 1, sigma = 30 has the shares of
support vectors that the paper reports, 15 % with the RBF kernel and 5 % with the linear one (of 10 000 examples, means
over the digits); with pixels to 255 all examples would be support vectors. Each run learns the same random rows in the
same order; its clock is read when it passes one of the sizes.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.svm import SVC

from experiments.experiment import Cell, Measurement
from experiments.incremental.memory_layouts import Contiguous, Gathered
from experiments.incremental.numpy_solver import Plain
from experiments.measure import cpu_time
from experiments.problems import load_cached
from hinge import IncrementalSVC, OnlineSVC
from hinge._model.threads import one_blas_thread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from experiments.incremental.memory_layouts import Layout
    from experiments.records import Record

C, SIGMA = 1.0, 30.0
GAMMA = 1 / (2 * SIGMA**2)
SIZES = (1_000, 2_000, 3_000, 5_000, 10_000)
FEW = (500, 1_000, 2_000)  # of a quick run, and of the plain programmes on most digits
LONG = {"linear": (8,), "rbf": (0, 1, 8)}  # digits with runs to 10 000, and to 3 000 of the plain programmes
PROFILED = 8
FITTED = (8, 0)  # LIBSVM is fitted to a hard one and an easy one; all digits of a quick run
LIBRARY, CONTIGUOUS, GATHERED = "C++", "Algorithm 3", "Algorithm 4"
LIBSVM, LASVM = "LIBSVM", "LASVM"
LAYOUTS: dict[str, type[Layout]] = {CONTIGUOUS: Contiguous, GATHERED: Gathered}
SETTINGS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
    "rbf": {"kernel": "rbf", "gamma": GAMMA},
}
DIGITS = tuple(range(10))


def value(kernel: str, products: NDArray[np.float64], norms: NDArray[np.float64], norm: float) -> NDArray[np.float64]:
    """Return kernel values by inner products and squared norms."""
    if kernel == "linear":
        return products
    if kernel == "poly":
        return np.asarray((products + 1.0) ** 2)
    return np.asarray(np.exp((2.0 * products - norms - norm) * GAMMA))


@lru_cache(maxsize=1)
def _drawn() -> tuple[NDArray[np.float64], NDArray[Any]]:
    data = load_cached("mnist")
    rows = np.random.default_rng(0).permutation(len(data.y_train))[: SIZES[-1]]
    return data.X_train[rows].astype(np.float64), data.y_train[rows]


def rows_of(digit: int, n_rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return random rows, and labels 1 for a digit and -1 for all others."""
    X, y = _drawn()
    return X[:n_rows], np.where(y[:n_rows] == digit, 1.0, -1.0)


def by_library(kernel: str, digit: int, sizes: Sequence[int]) -> list[Record]:
    """Learn one by one with the library."""
    X, y = rows_of(digit, sizes[-1])
    model = IncrementalSVC(C=C, n_jobs=1, **SETTINGS[kernel])
    records: list[Record] = []
    seconds, start = 0.0, 0
    for size in sizes:
        seconds += cpu_time(partial(model.partial_fit, X[start:size], y[start:size]))[0]
        start = size
        records.append({"n": size, "seconds": seconds, "support": len(model.support_), "steps": int(model.n_iter_)})
        records[-1]["kernel_evals"] = int(model.n_kernel_evals_)
    return records


def by_plain(kernel: str, digit: int, sizes: Sequence[int], method: str) -> list[Record]:
    """Learn one by one with a plain programme; the seconds of each operation come along."""
    X, y = rows_of(digit, sizes[-1])
    records: list[Record] = []
    seconds = 0.0
    with one_blas_thread():
        machine = Plain(LAYOUTS[method](X, y, partial(value, kernel)), C)
        for size in sizes:
            seconds += cpu_time(partial(machine.learn, size))[0]
            records.append({"n": size, "seconds": seconds, "support": machine.n_support, "steps": machine.n_steps})
            records[-1] |= {f"in {name}": spent for name, spent in machine.layout.clock.seconds.items()}
    return records


def by_libsvm(kernel: str, digit: int, size: int) -> Record:
    """Fit LIBSVM once."""
    X, y = rows_of(digit, size)
    model = SVC(C=C, cache_size=1000, **SETTINGS[kernel])
    seconds, _ = cpu_time(partial(model.fit, X, y))
    return {"n": size, "seconds": seconds, "support": len(model.support_)}


def by_lasvm(kernel: str, digit: int, size: int) -> Record:
    """Count support vectors: LASVM, finished, has those of the exact solution but for a few."""
    X, y = rows_of(digit, size)
    model = OnlineSVC(C=C, n_jobs=1, random_state=0, **SETTINGS[kernel])
    seconds, _ = cpu_time(partial(model.fit, X, y))
    return {"n": size, "seconds": seconds, "support": len(model.support_)}


def _cells(kernel: str, quick: bool) -> Iterator[Cell]:
    for digit in FITTED if quick else DIGITS:
        own, plain = _sizes(kernel, digit, quick)
        whole = FEW[-1] if quick else SIZES[-1]
        yield Cell(_key(kernel, digit, LIBRARY), partial(by_library, kernel, digit, own))
        yield Cell(_key(kernel, digit, LASVM), partial(by_lasvm, kernel, digit, whole))
        if digit in FITTED:
            yield Cell(_key(kernel, digit, LIBSVM), partial(by_libsvm, kernel, digit, whole))
        for method in LAYOUTS:
            yield Cell(_key(kernel, digit, method), partial(by_plain, kernel, digit, plain, method))


def _sizes(kernel: str, digit: int, quick: bool) -> tuple[Sequence[int], Sequence[int]]:
    """Return the sizes of the library and of the plain programmes."""
    if quick:
        return FEW, FEW
    return (SIZES, SIZES[:3]) if digit in LONG[kernel] else (SIZES[:4], FEW)


def _key(kernel: str, digit: int, method: str) -> dict[str, str | int]:
    return {"kernel": kernel, "digit": digit, "method": method}


def _profile_cells(quick: bool) -> Iterator[Cell]:
    for kernel in SETTINGS:
        for method in LAYOUTS:
            sizes = FEW if quick else (FEW[0], *SIZES[:3])
            yield Cell(_key(kernel, PROFILED, method), partial(by_plain, kernel, PROFILED, sizes, method))


SCALING = {kernel: Measurement(f"scaling-{kernel}", partial(_cells, kernel)) for kernel in ("linear", "rbf")}
PROFILE = Measurement("profile", _profile_cells)

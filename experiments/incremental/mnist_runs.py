"""MNIST learned one by one: the library, the paper's programs in C++ and in NumPy, on growing parts of ten problems.

The paper gives neither C nor the scale of the pixels. With pixels from 0 to 1, C = 1 and sigma = 30, the shares of
support vectors are those of the paper: 15 % with the RBF kernel and 5 % with the linear one (of 10,000 examples, means
over the digits). With pixels up to 255 all examples would be support vectors. Each run learns the same random rows in
the same order, and records its time at several sizes.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from experiments.experiment import Cell, Measurement
from experiments.incremental.memory_layouts import ContiguousLayout, CopyingLayout
from experiments.incremental.native_solver import ALGORITHM_3, ALGORITHM_4, COPIES, NativeSolver
from experiments.incremental.numpy_solver import NumpySolver
from experiments.measure import cpu_time
from experiments.problems import load_cached
from hinge import IncrementalSVC, OnlineSVC

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from experiments.incremental.memory_layouts import Layout
    from experiments.problems import Labels
    from experiments.records import Record

C, SIGMA = 1.0, 30.0
DIGITS = tuple(range(10))
GAMMA = 1 / (2 * SIGMA**2)
SIZES = (1_000, 2_000, 3_000, 5_000, 10_000)
SMALL_SIZES = (500, 1_000, 2_000)  # of a quick run, and of the NumPy programs on most digits
LONG_RUN_DIGITS = {"linear": (8,), "rbf": (0, 1, 8)}  # digits with 3,000 rows for the NumPy programs
UP_TO_5000 = (4, 5, 6, 7, 9)  # digits with 5,000 rows for the C++ programs with the linear kernel
PROFILED_DIGIT = 8
LIBSVM_DIGITS = (8, 0)  # a hard and an easy digit, for LIBSVM and for quick runs
LIBRARY, CONTIGUOUS, COPYING = "C++", "Algorithm 3", "Algorithm 4"
NATIVE_COPIES, NATIVE_4, NATIVE_3 = "C++, copies", "C++, Algorithm 4", "C++, Algorithm 3"
LIBSVM, LASVM = "LIBSVM", "LASVM"
NATIVE = {NATIVE_3: ALGORITHM_3, NATIVE_4: ALGORITHM_4, NATIVE_COPIES: COPIES}
LAYOUTS: dict[str, type[Layout]] = {CONTIGUOUS: ContiguousLayout, COPYING: CopyingLayout}
SETTINGS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
    "rbf": {"kernel": "rbf", "gamma": GAMMA},
}


def kernel_values(
    kernel: str, products: NDArray[np.float64], norms: NDArray[np.float64], norm: float
) -> NDArray[np.float64]:
    """Compute kernel values from inner products and squared norms."""
    if kernel == "linear":
        return products
    if kernel == "poly":
        return np.asarray((products + 1.0) ** 2)
    return np.asarray(np.exp((2.0 * products - norms - norm) * GAMMA))


@lru_cache(maxsize=1)
def _random_rows() -> tuple[NDArray[np.float64], Labels]:
    data = load_cached("mnist")
    rows = np.random.default_rng(0).permutation(len(data.y_train))[: SIZES[-1]]
    return data.X_train[rows].astype(np.float64), data.y_train[rows]


def one_against_rest(digit: int, n_rows: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return random rows with labels 1 for a digit and -1 for the others."""
    X, y = _random_rows()
    return X[:n_rows], np.where(y[:n_rows] == digit, 1.0, -1.0)


def run_library(kernel: str, digit: int, sizes: Sequence[int]) -> list[Record]:
    """Learn one by one with the library."""
    X, y = one_against_rest(digit, sizes[-1])
    model = IncrementalSVC(C=C, n_jobs=1, **SETTINGS[kernel])
    records: list[Record] = []
    seconds, start = 0.0, 0
    for size in sizes:
        seconds += cpu_time(partial(model.partial_fit, X[start:size], y[start:size]))[0]
        start = size
        records.append({"n": size, "seconds": seconds, "support": len(model.support_), "steps": int(model.n_iter_)})
        records[-1]["kernel_evals"] = int(model.n_kernel_evals_)
    return records


def run_numpy(kernel: str, digit: int, sizes: Sequence[int], method: str) -> list[Record]:
    """Learn one by one with a NumPy program; return the seconds of each operation as well."""
    X, y = one_against_rest(digit, sizes[-1])
    records: list[Record] = []
    seconds = 0.0
    with threadpool_limits(1, user_api="blas"):
        solver = NumpySolver(LAYOUTS[method](X, y, partial(kernel_values, kernel)), C)
        for size in sizes:
            seconds += cpu_time(partial(solver.learn, size))[0]
            records.append({"n": size, "seconds": seconds, "support": solver.n_support, "steps": solver.n_steps})
            records[-1] |= {f"in {name}": spent for name, spent in solver.layout.clock.seconds.items()}
    return records


def run_native(kernel: str, digit: int, sizes: Sequence[int], method: str) -> list[Record]:
    """Learn one by one with a C++ program of the paper; return the seconds of each operation as well."""
    X, y = one_against_rest(digit, sizes[-1])
    records: list[Record] = []
    seconds = 0.0
    with threadpool_limits(1, user_api="blas"):
        solver = NativeSolver(X, y, kernel=kernel, gamma=GAMMA, C=C, layout=NATIVE[method])
        for size in sizes:
            seconds += cpu_time(partial(solver.learn, size))[0]
            records.append({"n": size, "seconds": seconds, "support": solver.n_support, "steps": solver.n_steps})
            records[-1] |= {f"in {name}": spent for name, spent in solver.seconds.items()}
    return records


def run_libsvm(kernel: str, digit: int, size: int) -> Record:
    """Fit LIBSVM once."""
    X, y = one_against_rest(digit, size)
    model = SVC(C=C, cache_size=1000, **SETTINGS[kernel])
    seconds, _ = cpu_time(partial(model.fit, X, y))
    return {"n": size, "seconds": seconds, "support": len(model.support_)}


def run_lasvm(kernel: str, digit: int, size: int) -> Record:
    """Count support vectors: LASVM with finishing has nearly those of the exact solution."""
    X, y = one_against_rest(digit, size)
    model = OnlineSVC(C=C, n_jobs=1, random_state=0, **SETTINGS[kernel])
    seconds, _ = cpu_time(partial(model.fit, X, y))
    return {"n": size, "seconds": seconds, "support": len(model.support_)}


def _cells(kernel: str, quick: bool) -> Iterator[Cell]:
    sizes = SMALL_SIZES if quick else SIZES
    for digit in LIBSVM_DIGITS if quick else DIGITS:
        yield Cell(_key(kernel, digit, LIBRARY), partial(run_library, kernel, digit, sizes))
        native_sizes = SIZES[:4] if kernel == "linear" and digit in UP_TO_5000 and not quick else sizes
        for method in (NATIVE_3, NATIVE_4):
            yield Cell(_key(kernel, digit, method), partial(run_native, kernel, digit, native_sizes, method))
        numpy_sizes = SIZES[:3] if digit in LONG_RUN_DIGITS[kernel] and not quick else SMALL_SIZES
        for method in LAYOUTS:
            yield Cell(_key(kernel, digit, method), partial(run_numpy, kernel, digit, numpy_sizes, method))
        yield Cell(_key(kernel, digit, LASVM), partial(run_lasvm, kernel, digit, sizes[-1]))
        if digit in LIBSVM_DIGITS:
            yield Cell(_key(kernel, digit, LIBSVM), partial(run_libsvm, kernel, digit, sizes[-1]))
    if kernel == "rbf":  # the paper compares it with the linear kernel
        for digit in LIBSVM_DIGITS:
            yield Cell(_key("linear", digit, NATIVE_3), partial(run_native, "linear", digit, sizes, NATIVE_3))


def _key(kernel: str, digit: int, method: str) -> dict[str, str | int]:
    return {"kernel": kernel, "digit": digit, "method": method}


def _profile_cells(quick: bool) -> Iterator[Cell]:
    digit = PROFILED_DIGIT
    sizes, numpy_sizes = (SMALL_SIZES, SMALL_SIZES) if quick else (SIZES, (SMALL_SIZES[0], *SIZES[:3]))
    for kernel in SETTINGS:
        for method in LAYOUTS:
            yield Cell(_key(kernel, digit, method), partial(run_numpy, kernel, digit, numpy_sizes, method))
        for method in NATIVE:
            is_slow = method == NATIVE_COPIES or (kernel, method) == ("poly", NATIVE_4)  # up to 15 minutes
            native_sizes = sizes[:-1] if is_slow and not quick else sizes
            yield Cell(_key(kernel, digit, method), partial(run_native, kernel, digit, native_sizes, method))


SCALING = {kernel: Measurement(f"scaling-{kernel}", partial(_cells, kernel)) for kernel in ("linear", "rbf")}
PROFILE = Measurement("profile", _profile_cells)

"""The programs of the paper in C++: Algorithm 1 with Algorithm 3 or 4, compiled when an experiment first needs them.

The sources are in `native/`. They are no part of the library, which does without both algorithms, and so they are
compiled by the system's compiler (`c++`, or the one named by CXX) instead of with the package. Inner products and sums
come from SciPy's BLAS, as in the library.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy.linalg import cython_blas

from hinge.io.atomic import replacing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

SOURCES = Path(__file__).parent / "native"
OUTPUT = Path(__file__).parents[1] / "output" / "native"
FLAGS = ("-std=c++20", "-O3", "-shared", "-fPIC")
OPERATIONS = (  # in the order of the enumeration in native/matrices.hpp
    *("kernel", "selection", "gamma: matrix", "gamma: product", "beta", "augmentation", "kappa", "inverse", "rest"),
)
KERNELS = ("linear", "poly", "rbf")
COPIES, ALGORITHM_4, ALGORITHM_3 = range(3)  # layouts
_BLAS_NAMES = ("ddot", "daxpy", "dgemv", "dgemm")


class NativeSolver:
    """An exact SVM that learns one example after the other, in C++.

    Parameters
    ----------
    X, y : arrays
        The examples, and their labels -1 and 1.
    kernel : {"linear", "poly", "rbf"}
        The kernel; polynomials have degree 2.
    gamma : float
        Coefficient of the RBF kernel.
    C : float
        Upper bound of the coefficients.
    layout : int
        `COPIES`: one-dimensional storage and Algorithm 4, as in the paper's Matlab program. `ALGORITHM_4` and
        `ALGORITHM_3`: the paper's storage, and the two ways to compute gamma.
    """

    def __init__(self, X: Vector, y: Vector, *, kernel: str, gamma: float, C: float, layout: int) -> None:
        self._program = _program()
        self._X, self._y = np.ascontiguousarray(X), np.ascontiguousarray(y)  # the program holds pointers to both
        self._handle: int | None = self._program.solver_create(
            _pointer(self._X), _pointer(self._y), *X.shape, KERNELS.index(kernel), gamma, C, layout, _blas()
        )
        self._read()

    def learn(self, until: int) -> None:
        """Learn the rows before `until`, one by one."""
        self._program.solver_learn(self._handle, until)
        self._read()

    @property
    def n_support(self) -> int:
        """The number of support vectors."""
        return int(np.count_nonzero(self.alpha))

    def _read(self) -> None:
        self.alpha, seconds = np.empty(len(self._y)), np.empty(len(OPERATIONS))
        threshold = ctypes.c_double()
        self.n_steps: int = self._program.solver_read(
            self._handle, _pointer(self.alpha), ctypes.byref(threshold), _pointer(seconds)
        )
        self.threshold = threshold.value
        self.seconds = {name: float(spent) for name, spent in zip(OPERATIONS, seconds, strict=True) if spent}

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._program.solver_delete(self._handle)


class _Program(Protocol):
    """The functions of native/solver.cpp."""

    solver_create: Any
    solver_learn: Any
    solver_read: Any
    solver_delete: Any


@lru_cache(maxsize=1)
def _program() -> _Program:
    program = ctypes.CDLL(str(_compile()))
    handle, pointer, count = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
    real, number = ctypes.c_double, ctypes.c_int
    program.solver_create.argtypes = [pointer, pointer, count, count, number, real, real, number, pointer]
    program.solver_create.restype = handle
    program.solver_learn.argtypes = [handle, count]
    program.solver_learn.restype = None
    program.solver_read.argtypes = [handle, pointer, pointer, pointer]
    program.solver_read.restype = count
    program.solver_delete.argtypes = [handle]
    program.solver_delete.restype = None
    return program


def _compile() -> Path:
    """Compile the sources unless it has been done; a cell that needs them is skipped without a compiler."""
    sources = sorted(SOURCES.glob("*.cpp"))
    texts = b"".join(file.read_bytes() for file in sorted(SOURCES.iterdir()))
    compiler = os.environ.get("CXX", "c++")
    target = OUTPUT / f"{hashlib.sha256(compiler.encode() + texts).hexdigest()[:16]}.so"
    if target.exists():
        return target
    if shutil.which(compiler) is None:
        raise FileNotFoundError(
            f"The programs of the paper need a C++ compiler, and {compiler} was not found; set CXX."
        )
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with replacing(target) as unfinished:
        subprocess.run([compiler, *FLAGS, *map(str, sources), "-o", str(unfinished)], check=True)  # noqa: S603
    return target


@lru_cache(maxsize=1)
def _blas() -> ctypes.Array[ctypes.c_void_p]:
    """Return the addresses of the BLAS functions that SciPy has loaded; capsules are named by their signatures."""
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.argtypes, get_name.restype = [ctypes.py_object], ctypes.c_char_p
    get_pointer.argtypes, get_pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    capsules = (cython_blas.__pyx_capi__[name] for name in _BLAS_NAMES)
    return (ctypes.c_void_p * len(_BLAS_NAMES))(*(get_pointer(capsule, get_name(capsule)) for capsule in capsules))


def _pointer(array: Vector) -> int:
    return array.ctypes.data

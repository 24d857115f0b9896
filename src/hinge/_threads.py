"""How many threads the native code may use, and the matrix products it borrows from SciPy's BLAS."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from scipy.linalg import cython_blas, cython_lapack
from threadpoolctl import ThreadpoolController

from hinge import _core

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

# SciPy publishes the addresses of its BLAS and LAPACK routines: nothing to link, and no second BLAS in the process.
_core.set_blas(
    {name: cython_blas.__pyx_capi__[name] for name in ("sgemm", "dgemm", "sgemv", "dgemv")}
    | {"dgesv": cython_lapack.__pyx_capi__["dgesv"]}
)


@functools.cache
def _blas() -> ThreadpoolController:
    # Looking for the loaded libraries takes milliseconds, asking a known one takes none.
    return ThreadpoolController().select(user_api="blas")


def count_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for.

    None follows the limits that surround the call (an environment variable, `threadpoolctl`, a worker of joblib):
    it means as many threads as the BLAS would use by itself.
    """
    if n_jobs is None:
        return max((library.num_threads or 1 for library in _blas().lib_controllers), default=_processors())
    return _processors() if n_jobs == -1 else n_jobs


def one_blas_thread() -> AbstractContextManager[object]:
    """Hold the BLAS at one thread.

    The native code splits its work into tiles of a fixed size and gives each to one of its own threads. With one thread
    in the BLAS as well, a tile has the same value whoever computes it: results do not depend on the number of threads.
    """
    limiter: AbstractContextManager[object] = _blas().limit(limits=1)
    return limiter


@functools.cache
def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

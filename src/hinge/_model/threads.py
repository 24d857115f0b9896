"""How many threads the native code may use, and the matrix products it borrows from SciPy's BLAS."""

from __future__ import annotations

import functools
import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scipy.linalg import cython_blas, cython_lapack
from threadpoolctl import ThreadpoolController

from hinge import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_THREADS = 1024  # a number from a file may be anything

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
        return _held.threads() or _processors()
    return _processors() if n_jobs == -1 else min(n_jobs, MOST_THREADS)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold the BLAS at one thread.

    The native code splits its work into tiles of a fixed size and gives each to one of its own threads. With one thread
    in the BLAS as well, a tile has the same value whoever computes it: results do not depend on the number of threads.
    Most libraries have one setting for the whole process: it stays until the last thread of Python has left.
    """
    own = [(library, library.num_threads) for library in _libraries(of_thread=True)]
    _held.enter()
    try:
        for library, _ in own:
            library.set_num_threads(1)
        yield
    finally:
        for library, number in own:
            library.set_num_threads(number)
        _held.leave()


class _HeldLibraries:
    """The libraries with one setting for the whole process, and how many contexts hold them at one thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._holders: list[int] = []  # threads, once for each context
        self._before: list[int] = []

    def enter(self) -> None:
        with self._lock:
            if not self._holders:
                self._before = [library.num_threads for library in _libraries(of_thread=False)]
                self._set([1 for _ in self._before])
            self._holders.append(threading.get_ident())

    def leave(self) -> None:
        with self._lock:
            self._holders.remove(threading.get_ident())
            if not self._holders and self._set(self._before):
                _release()

    def threads(self) -> int:
        """Return the most threads that a library uses when nobody holds it; 0 when there is no library."""
        with self._lock:
            shared = self._before if self._holders else [lib.num_threads for lib in _libraries(of_thread=False)]
            own = [library.num_threads for library in _libraries(of_thread=True)]
        return max((number or 1 for number in shared + own), default=0)

    def before_fork(self) -> None:
        """Let nobody else be in the middle of a change: threadpoolctl has a lock, which a child would find held."""
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        """Let the others go on."""
        self._lock.release()

    def after_fork(self) -> None:
        """Forget the other threads, none of which is there in a child process."""
        self._lock = threading.RLock()
        left = [holder for holder in self._holders if holder == threading.get_ident()]
        if self._holders and not left:
            self._set(self._before)
        self._holders = left

    def _set(self, numbers: list[int]) -> bool:
        """Set the numbers of threads; return False when they were one to begin with."""
        if all(number == 1 for number in self._before):
            return False
        _release()
        for library, number in zip(_libraries(of_thread=False), numbers, strict=True):
            library.set_num_threads(number)
        return True


_held = _HeldLibraries()
os.register_at_fork(
    before=_held.before_fork, after_in_parent=_held.after_fork_in_parent, after_in_child=_held.after_fork
)


@functools.cache
def _libraries(*, of_thread: bool) -> list[Any]:
    """Return the libraries whose setting belongs to the calling thread, or those where it belongs to the process."""
    return [lib for lib in _blas().lib_controllers if (_layer(lib) == "openmp") == of_thread]


def _layer(library: Any) -> Any:
    return library.threading_layer if library.internal_api == "openblas" else None


def _release() -> None:
    # Newer versions of threadpoolctl ignore all threads but the first that changed OpenBLAS, until it lets go.
    for library in _libraries(of_thread=False):
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)  # of all of them
            return


@functools.cache
def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

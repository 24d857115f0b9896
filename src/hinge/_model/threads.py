"""Number of threads of the native code, and the BLAS of SciPy that it calls."""

from __future__ import annotations

import functools
import os
import threading
from typing import TYPE_CHECKING, Any

from scipy.linalg import cython_blas, cython_lapack
from threadpoolctl import ThreadpoolController

from hinge import _core

if TYPE_CHECKING:
    from types import TracebackType

MAX_THREADS = 1024  # `n_jobs` of a loaded model may be any number

# SciPy exports the addresses of its BLAS and LAPACK routines: nothing to link, and no second BLAS in the process.
_core.set_blas(
    {name: cython_blas.__pyx_capi__[name] for name in ("sgemm", "dgemm", "sgemv", "dgemv")}
    | {"dgesv": cython_lapack.__pyx_capi__["dgesv"]}
)


@functools.cache
def _blas() -> ThreadpoolController:
    # Searching for the loaded libraries takes milliseconds.
    return ThreadpoolController().select(user_api="blas")


def count_threads(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for.

    None means as many threads as the BLAS would use: it respects environment variables, `threadpoolctl` and the
    workers of joblib.
    """
    if n_jobs is None:
        return _held.threads() or _processors()
    return _processors() if n_jobs == -1 else min(n_jobs, MAX_THREADS)


class one_blas_thread:  # noqa: N801
    """A context that limits the BLAS to one thread.

    The native code splits its work into tiles of a fixed size and gives each tile to one of its own threads. With one
    BLAS thread per tile, results do not depend on the number of threads. Most libraries have one setting for the whole
    process, which is restored when the last Python thread leaves this context.
    """

    def __enter__(self) -> None:
        self._own = [(library, library.num_threads) for library in _libraries(of_thread=True)]
        _held.enter()
        try:
            for library, _ in self._own:
                library.set_num_threads(1)
        except BaseException:  # Ctrl-C
            self.__exit__(None, None, None)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for library, number in self._own:
            library.set_num_threads(number)
        _held.leave()


class _HeldLibraries:
    """Counts the contexts that limit the libraries with one setting for the whole process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._holders: list[int] = []  # thread identifiers, one per context
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
        """Return the largest number of threads of a library outside our contexts; 0 if there is no library."""
        with self._lock:
            shared = self._before if self._holders else [lib.num_threads for lib in _libraries(of_thread=False)]
            own = [library.num_threads for library in _libraries(of_thread=True)]
        return max((number or 1 for number in shared + own), default=0)

    def before_fork(self) -> None:
        """Wait until no thread changes a setting: a child process would inherit the locked lock of threadpoolctl."""
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        """Release the lock of `before_fork`."""
        self._lock.release()

    def after_fork(self) -> None:
        """Discard the other threads, which do not exist in a child process."""
        self._lock = threading.RLock()
        left = [holder for holder in self._holders if holder == threading.get_ident()]
        if self._holders and not left:
            self._set(self._before)
        self._holders = left

    def _set(self, numbers: list[int]) -> bool:
        """Set the numbers of threads; return False if all libraries used one thread from the start."""
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
    """Return the libraries with a setting per thread, or those with one for the process."""
    return [lib for lib in _blas().lib_controllers if (_layer(lib) == "openmp") == of_thread]


def _layer(library: Any) -> str | None:
    return library.threading_layer if library.internal_api == "openblas" else None


def _release() -> None:
    # Newer versions of threadpoolctl ignore all threads but the first that changed OpenBLAS, until it is released.
    for library in _libraries(of_thread=False):
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)
            return


@functools.cache
def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

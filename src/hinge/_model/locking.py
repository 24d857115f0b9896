"""One lock per model, for methods that change it.

Predictions use an immutable snapshot of the model, and take the lock only to make one. A call that learns holds the
lock until it returns, and so does a method that reads what learning changes. Waiting threads release the interpreter
lock, and Ctrl-C interrupts them.

The thread that learns calls the kernel function of the user. That function must not wait for another thread that
changes the same model.
"""

from __future__ import annotations

import atexit
import os
import threading
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar
from weakref import WeakSet

from hinge import _core

if TYPE_CHECKING:
    from collections.abc import Callable

_EXIT_TIMEOUT_S = 10.0  # the exiting process waits so long for threads that learn; they usually stop within 0.1 s

Params = ParamSpec("Params")
Result = TypeVar("Result")
Model = TypeVar("Model")


class ModelLock:
    """A reentrant lock with a flag for methods that change the model.

    Attributes
    ----------
    lock : RLock
        The lock; `with` acquires it, so that Ctrl-C cannot leave it locked.
    is_writing : bool
        Whether the owner of the lock changes the model.
    is_inconsistent : bool
        Whether another thread was changing the model when this process was forked; that thread does not exist here.
    has_readers : bool
        Whether another thread than the one that changes the model has predicted with it.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.is_writing = False
        self.is_inconsistent = False
        self.has_readers = False
        self._writer = threading.get_ident()
        _locks.add(self)

    def require_not_writing(self) -> None:
        """Raise RuntimeError if the owner of the lock already changes the model, so that this call is nested."""
        if self.is_writing:
            raise RuntimeError(
                "The model cannot be changed from inside its own kernel function or callback; change a copy, or wait "
                "until the call returns."
            )

    def note_writer(self) -> None:
        """Note which thread changes the model."""
        self._writer = threading.get_ident()

    def note_reader(self) -> None:
        """Note that the calling thread predicts; `has_readers` is set if another one changes the model."""
        self.has_readers = self.has_readers or threading.get_ident() != self._writer

    def require_consistent(self) -> None:
        """Raise RuntimeError if the fork of this process interrupted a change of the model."""
        if self.is_inconsistent:
            raise RuntimeError(
                "The model cannot be used in this process: another thread was changing it when the process was forked; "
                "fork before or after learning, or spawn processes, which get complete copies."
            )

    def after_fork(self) -> None:
        """Replace the lock in a child process if a thread of the parent holds it."""
        if self.lock.acquire(blocking=False):
            self.lock.release()
        else:
            self.is_inconsistent = self.is_inconsistent or self.is_writing
            self.lock = threading.RLock()

    def __reduce__(self) -> tuple[type[ModelLock], tuple[()]]:
        return ModelLock, ()  # a copied model gets a new lock


def lock_of(model: object) -> ModelLock:
    """Return the lock of a model, created on first use."""
    known: ModelLock | None = vars(model).get("_lock")
    return vars(model).setdefault("_lock", ModelLock()) if known is None else known


def reads(method: Callable[Concatenate[Model, Params], Result]) -> Callable[Concatenate[Model, Params], Result]:
    """Decorate a method that reads what learning changes; it waits while another thread learns."""

    @wraps(method)
    def locked(self: Model, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        lock = lock_of(self)
        with lock.lock:
            lock.require_consistent()
            return method(self, *args, **kwargs)

    return locked


def writes(method: Callable[Concatenate[Model, Params], Result]) -> Callable[Concatenate[Model, Params], Result]:
    """Decorate a method that changes a model; only one thread at a time runs such methods."""

    @wraps(method)
    def locked(self: Model, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        lock = lock_of(self)
        with lock.lock:
            lock.require_consistent()
            lock.require_not_writing()
            lock.is_writing = True
            lock.note_writer()
            try:
                return method(self, *args, **kwargs)
            finally:
                lock.is_writing = False

    return locked


_locks: WeakSet[ModelLock] = WeakSet()


def _after_fork() -> None:
    _core.after_fork()
    for lock in list(_locks):
        lock.after_fork()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_core.close, _EXIT_TIMEOUT_S)

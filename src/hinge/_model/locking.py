"""One lock per model, for those who change it.

Predictions take no lock: they are answered from an immutable snapshot of the model. Learning takes the lock from the
beginning of a call to its end, and so does whoever reads parts of the model that learning changes. Waiting threads do
not hold the interpreter lock, and Ctrl-C reaches them.

A kernel function of the user is called by the thread that learns. It must not wait for another thread that wants to
change the same model.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakSet

from hinge import _core

_EXIT_TIMEOUT_S = 10.0  # how long the end of the process waits for threads that learn; they stop within a tenth

Params = ParamSpec("Params")
Result = TypeVar("Result")
Model = TypeVar("Model")


class ModelLock:
    """A reentrant lock that knows whether its owner changes the model.

    Attributes
    ----------
    lock : RLock
        Taken by `with`, which Ctrl-C cannot interrupt halfway.
    is_writing : bool
        The owner changes the model.
    is_torn : bool
        When this process was forked, another thread was changing the model; that thread does not exist here.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.is_writing = False
        self.is_torn = False
        _locks.add(self)

    def require_rest(self) -> None:
        """Raise RuntimeError if the owner changes the model already: the call comes from inside that work."""
        if self.is_writing:
            raise RuntimeError(
                "The model cannot be changed from inside its own kernel function or callback; change a copy, or wait "
                "until the call returns."
            )

    def require_whole(self) -> None:
        """Raise RuntimeError if the model was left half changed."""
        if self.is_torn:
            raise RuntimeError(
                "The model cannot be used in this process: another thread was changing it when the process was forked; "
                "fork before or after learning, or spawn processes, which get complete copies."
            )

    def after_fork(self) -> None:
        """Replace the lock in a child process if a thread that is gone holds it."""
        if self.lock.acquire(blocking=False):
            self.lock.release()
        else:
            self.is_torn = self.is_torn or self.is_writing
            self.lock = threading.RLock()

    def __reduce__(self) -> tuple[type[ModelLock], tuple[()]]:
        return ModelLock, ()  # a copy of a model has a lock of its own


def lock_of(model: object) -> ModelLock:
    """Return the lock of a model."""
    known: ModelLock | None = vars(model).get("_lock")
    return vars(model).setdefault("_lock", ModelLock()) if known is None else known


def reads(method: Callable[Concatenate[Model, Params], Result]) -> Callable[Concatenate[Model, Params], Result]:
    """Decorate a method that reads what learning changes: it waits while another thread learns."""

    @wraps(method)
    def locked(self: Model, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        lock = lock_of(self)
        with lock.lock:
            lock.require_whole()
            return method(self, *args, **kwargs)

    return locked


def writes(method: Callable[Concatenate[Model, Params], Result]) -> Callable[Concatenate[Model, Params], Result]:
    """Decorate a method that changes a model: one thread at a time."""

    @wraps(method)
    def locked(self: Model, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        lock = lock_of(self)
        with lock.lock:
            lock.require_whole()
            lock.require_rest()
            lock.is_writing = True
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

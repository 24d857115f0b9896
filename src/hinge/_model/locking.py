"""One thread at a time: whose turn it is to use a model.

The native machines have locks of their own, but a model is more than its machines: names of classes and examples,
counts, what is gathered for the next feature map. So each model has a turn, which a thread holds from the beginning of
a call to its end. Others wait for it without the lock of the interpreter, and Ctrl-C reaches them there.

A kernel function of the user is called by the thread whose turn it is. It must not wait for another thread that uses
the same model, which would wait for it.
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

_PATIENCE = 10.0  # seconds that the end of the process waits for threads that learn; they stop within a tenth

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Model = TypeVar("Model")


class Turn:
    """Held by the thread that uses a model, which may take it again.

    Attributes
    ----------
    lock : RLock
        The lock itself. It is taken by `with`, which Ctrl-C cannot come in between.
    changing : bool
        Whoever holds it changes the model.
    torn : bool
        Whoever held it when this process was forked changed the model, and does not exist here.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.changing = False
        self.torn = False
        _turns.add(self)

    def require_whole(self) -> None:
        """Refuse a model that was left half-way."""
        if self.torn:
            raise RuntimeError(
                "The model must not be used here: another thread was changing it when this process was forked, and "
                "left it half-way; fork before or after, or spawn processes, which get whole copies."
            )

    def require_rest(self) -> None:
        """Refuse a change in the middle of another, which comes from a kernel function or a callback."""
        if self.changing:
            raise RuntimeError(
                "The model must not be changed from inside its own work, got a call from its kernel function or from a "
                "callback; change a copy, or wait until the work is done."
            )

    def after_fork(self) -> None:
        """Let go of the turn if the thread that held it is not there any more."""
        if self.lock.acquire(blocking=False):
            self.lock.release()
        else:
            self.torn = self.torn or self.changing
            self.lock = threading.RLock()

    def __reduce__(self) -> tuple[type[Turn], tuple[()]]:
        return Turn, ()  # a copy of a model has a turn of its own


def turn_of(model: object) -> Turn:
    """Return the turn of a model."""
    known: Turn | None = vars(model).get("_turn")
    return vars(model).setdefault("_turn", Turn()) if known is None else known


def reads(method: Callable[Concatenate[Model, Given], Answer]) -> Callable[Concatenate[Model, Given], Answer]:
    """Decorate a method that asks a model something: it waits for its turn."""

    @wraps(method)
    def waiting(self: Model, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        turn = turn_of(self)
        with turn.lock:
            turn.require_whole()
            return method(self, *args, **kwargs)

    return waiting


def writes(method: Callable[Concatenate[Model, Given], Answer]) -> Callable[Concatenate[Model, Given], Answer]:
    """Decorate a method that changes a model: it waits for its turn, and nobody sees what is half done."""

    @wraps(method)
    def waiting(self: Model, /, *args: Given.args, **kwargs: Given.kwargs) -> Answer:
        turn = turn_of(self)
        with turn.lock:
            turn.require_whole()
            turn.require_rest()
            turn.changing = True
            try:
                return method(self, *args, **kwargs)
            finally:
                turn.changing = False

    return waiting


_turns: WeakSet[Turn] = WeakSet()


def _after_fork() -> None:
    _core.after_fork()
    for turn in list(_turns):
        turn.after_fork()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_core.close, _PATIENCE)

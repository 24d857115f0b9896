"""Checks of the parameters of estimators, functions and commands; each raises ParameterError for an invalid value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeGuard

import numpy as np
from sklearn.utils import check_random_state

from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from hinge._model.types import RandomStateLike

_MAX_WHOLE = 2**31 - 1  # the native code stores such numbers as 32-bit integers

KERNELS = ("linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed")


def number(name: str, value: object, *, above: float | None = None, at_least: float | None = None, hint: str) -> float:
    """Return a value as a float; raise ParameterError unless it is a finite number within the bounds.

    Examples
    --------
    >>> number("C", 10, above=0, hint="a usual value is 1.0")
    10.0
    >>> number("C", -1, above=0, hint="a usual value is 1.0")
    Traceback (most recent call last):
    ...
    hinge.exceptions.ParameterError: C must be a finite number above 0, got -1; a usual value is 1.0.
    """
    real = float(value) if _is_finite(value) else math.nan  # compared as a float: rounding may reach the bound
    if math.isnan(real) or (above is not None and real <= above) or (at_least is not None and real < at_least):
        bound = "" if above is None else f" above {above:g}"
        bound = bound if at_least is None else f" of at least {at_least:g}"
        raise ParameterError(f"{name} must be a finite number{bound}, got {value!r}; {hint}.")
    return real


def whole(name: str, value: object, *, at_least: int, at_most: int = _MAX_WHOLE, hint: str) -> int:
    """Return a value as an int; raise ParameterError unless it is a whole number between two bounds."""
    if not _is_whole(value) or value < at_least:
        raise ParameterError(f"{name} must be a whole number of at least {at_least}, got {value!r}; {hint}.")
    if value > at_most:
        raise ParameterError(f"{name} must be a whole number of at most {at_most}, got {value!r}; {hint}.")
    return int(value)


def bound(name: str, value: object, *, at_least: int) -> int | None:
    """Return an upper bound as an int, or None for no bound."""
    return None if value is None else whole(name, value, at_least=at_least, hint="None sets no bound")


def choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """Return a value; raise ParameterError unless it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(word) for word in choices)
        raise ParameterError(f"{name} must be one of {listed}, got {value!r}; choose one of these.")
    return value


def flag(name: str, value: object) -> bool:
    """Return a value as a bool; raise ParameterError unless it is True, False, 1 or 0."""
    if value is True or value is False:
        return value
    if not isinstance(value, (Integral, np.bool_)) or value not in (0, 1):
        raise ParameterError(f"{name} must be True or False, got {value!r}; choose one of the two.")
    return bool(value)


def whole_or_word(name: str, value: object, words: tuple[str, ...], *, at_least: int, hint: str) -> int | str:
    """Return one of the given words, or a whole number of at least `at_least`."""
    return value if isinstance(value, str) and value in words else whole(name, value, at_least=at_least, hint=hint)


def check_kernel(kernel: object, degree: object, gamma: object, coef0: object) -> None:
    """Raise ParameterError for an unknown kernel or invalid parameters of a kernel."""
    is_function = callable(kernel) and not isinstance(kernel, type)
    if not is_function and not (isinstance(kernel, str) and kernel in KERNELS):
        listed = ", ".join(repr(word) for word in KERNELS)
        raise ParameterError(
            f"kernel must be one of {listed} or a function of two sets of examples, got {kernel!r}; "
            "choose one of these."
        )
    whole("degree", degree, at_least=0, at_most=1000, hint="a usual value is 3")
    if not (isinstance(gamma, str) and gamma in ("scale", "auto")):
        number("gamma", gamma, above=0, hint="'scale' and 'auto' choose one for you")
    number("coef0", coef0, hint="a usual value is 0.0")


def check_class_weight(class_weight: object, *, streaming: bool) -> None:
    """Raise ParameterError for invalid class weights; "balanced" needs all examples, so it is invalid in a stream."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced" and not streaming):
        return
    if isinstance(class_weight, str) and class_weight == "balanced":
        raise ParameterError(
            "class_weight must be None or a dictionary in partial_fit, got 'balanced'; "
            "give the weights as a dictionary, or use fit, which sees all examples."
        )
    if not isinstance(class_weight, Mapping):
        raise ParameterError(
            f"class_weight must be None, 'balanced' or a dictionary of label and weight, got {class_weight!r}; "
            "choose one of these."
        )
    for label, weight in class_weight.items():
        if not _is_finite(weight) or weight < 0:
            raise ParameterError(
                f"class_weight must hold finite numbers of at least 0, got {weight!r} for class {label!r}; "
                "give every class a positive weight."
            )


def check_seed(random_state: object) -> None:
    """Raise ParameterError unless a value can seed a random generator."""
    seed = _is_whole(random_state) and 0 <= random_state < 2**32
    if not (seed or random_state is None or isinstance(random_state, np.random.RandomState)):
        raise ParameterError(
            f"random_state must be None, a whole number from 0 to 2**32 - 1 or a RandomState, got {random_state!r}; "
            "a number makes results repeatable."
        )


def random_seed(random_state: RandomStateLike) -> int:
    """Draw a seed for the native code."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def check_threads(n_jobs: object) -> None:
    """Raise ParameterError unless `n_jobs` is None, -1 or a positive whole number."""
    if n_jobs is None:
        return
    if not _is_whole(n_jobs) or (n_jobs < 1 and n_jobs != -1):
        raise ParameterError(
            f"n_jobs must be None, -1 or a whole number of at least 1, got {n_jobs!r}; -1 means all processors."
        )
    if n_jobs > _MAX_WHOLE:
        raise ParameterError(f"n_jobs must be at most {_MAX_WHOLE}, got {n_jobs!r}; -1 means all processors.")


def _is_finite(value: object) -> TypeGuard[float]:
    """Return True for numbers that a float can represent."""
    try:
        return _is_real(value) and math.isfinite(value)
    except OverflowError:  # a huge whole number
        return False


# isinstance with an abstract class is slow, and `partial_fit` of one row checks every parameter: try exact types first.


def _is_real(value: object) -> TypeGuard[float]:
    return type(value) is float or type(value) is int or (isinstance(value, Real) and not isinstance(value, bool))


def _is_whole(value: object) -> TypeGuard[int]:
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))

"""Checks of parameters: one clear sentence for a value that makes no sense, before anything else happens."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from hinge.exceptions import ParameterError

_MOST = 2**31 - 1  # what the native code can count
_PLAIN: dict[type, tuple[type, ...]] = {Real: (float, int), Integral: (int,)}

KERNELS = ("linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed")


def number(name: str, value: Any, *, above: float | None = None, at_least: float | None = None, hint: str) -> float:
    """Return a finite number, above a bound or not below one, if there is one.

    Examples
    --------
    >>> number("C", 10, above=0, hint="a usual value is 1.0")
    10.0
    >>> number("C", -1, above=0, hint="a usual value is 1.0")
    Traceback (most recent call last):
    ...
    hinge.exceptions.ParameterError: C must be a finite number above 0, got -1; a usual value is 1.0.
    """
    real = float(value) if _is_finite(value) else math.nan  # a fraction above a bound may be rounded to it
    if math.isnan(real) or (above is not None and real <= above) or (at_least is not None and real < at_least):
        bound = "" if above is None else f" above {above:g}"
        bound = bound if at_least is None else f" of at least {at_least:g}"
        raise ParameterError(f"{name} must be a finite number{bound}, got {value!r}; {hint}.")
    return real


def whole(name: str, value: Any, *, at_least: int, at_most: int = _MOST, hint: str) -> int:
    """Return a whole number between two bounds."""
    if not _is(value, Integral) or value < at_least:
        raise ParameterError(f"{name} must be a whole number of at least {at_least}, got {value!r}; {hint}.")
    if value > at_most:
        raise ParameterError(f"{name} must be a whole number of at most {at_most}, got {value!r}; {hint}.")
    return int(value)


def bound(name: str, value: Any, *, at_least: int) -> int | None:
    """Return a bound that None takes away."""
    return None if value is None else whole(name, value, at_least=at_least, hint="None sets no bound")


def choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return one of some words."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(word) for word in choices)
        raise ParameterError(f"{name} must be one of {listed}, got {value!r}; choose one of these.")
    return value


def flag(name: str, value: Any) -> bool:
    """Return True or False; 0 and 1 will do as well."""
    if not isinstance(value, (Integral, np.bool_)) or value not in (0, 1):
        raise ParameterError(f"{name} must be True or False, got {value!r}; choose one of the two.")
    return bool(value)


def whole_or_word(name: str, value: Any, words: tuple[str, ...], *, at_least: int, hint: str) -> int | str:
    """Return a whole number that reaches a bound, or one of some words."""
    return value if isinstance(value, str) and value in words else whole(name, value, at_least=at_least, hint=hint)


def check_kernel(kernel: Any, degree: Any, gamma: Any, coef0: Any) -> None:
    """Refuse kernel parameters that make no sense."""
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


def check_class_weight(class_weight: Any, *, streaming: bool) -> None:
    """Refuse class weights that make no sense; "balanced" needs to see all examples, so a stream cannot have it."""
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


def check_seed(random_state: Any) -> None:
    """Refuse what cannot seed random numbers."""
    seed = _is(random_state, Integral) and 0 <= random_state < 2**32
    if not (seed or random_state is None or isinstance(random_state, np.random.RandomState)):
        raise ParameterError(
            f"random_state must be None, a whole number from 0 to 2**32 - 1 or a RandomState, got {random_state!r}; "
            "a number makes results repeatable."
        )


def random_seed(random_state: Any) -> int:
    """Draw a seed for random choices of the native code."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def check_threads(n_jobs: Any) -> None:
    """Refuse a number of threads that makes no sense."""
    if n_jobs is not None and (not _is(n_jobs, Integral) or (n_jobs < 1 and n_jobs != -1)):
        raise ParameterError(
            f"n_jobs must be None, -1 or a whole number of at least 1, got {n_jobs!r}; -1 means all processors."
        )
    if n_jobs is not None and n_jobs > _MOST:
        raise ParameterError(f"n_jobs must be at most {_MOST}, got {n_jobs!r}; -1 means all processors.")


def _is_finite(value: Any) -> bool:
    """Tell whether a value is a number that a float can hold."""
    try:
        return _is(value, Real) and math.isfinite(value)
    except OverflowError:  # a huge whole number
        return False


def _is(value: Any, kind: type) -> bool:
    """Tell whether a value is a number of a kind; True and False are not."""
    # Asking an abstract class takes much longer, and streams of single rows come by for every parameter.
    return type(value) in _PLAIN[kind] or (isinstance(value, kind) and not isinstance(value, bool))

"""The exceptions and warnings of this package. All exceptions are also `ValueError`, as scikit-learn's users expect."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DataError", "ExportError", "HingeError", "KernelError", "ParameterError", "SearchWarning", "StreamWarning"]

_LONGEST = 400  # characters of a complaint; it may quote the file
_LONGEST_QUOTE = 60
_LONGEST_LIST = 12


class HingeError(Exception):
    """Anything that this package refuses to do."""


class ParameterError(HingeError, ValueError, TypeError):
    """A parameter of an estimator has a value that makes no sense; also a `TypeError`, as in scikit-learn."""


class DataError(HingeError, ValueError):
    """Examples, labels or weights that cannot be learned from."""


class KernelError(HingeError, ValueError):
    """A kernel function given by the user returned something that is not a matrix of kernel values."""


class ExportError(HingeError, ValueError):
    """A model that another format cannot express, or a file of that format that cannot be read."""


class SearchWarning(UserWarning):
    """A search for parameters ended early, or its result is mostly chance."""


class StreamWarning(UserWarning):
    """The rows of `partial_fit` come in an order that spoils the model, such as sorted by class."""


def sentence(text: object) -> str:
    """Return a text as the rest of a sentence: on one line, without its full stop, and not endless.

    Examples
    --------
    >>> sentence("C must be above 0.")
    'C must be above 0'
    """
    line = " ".join(str(text).split()).rstrip(".")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} [...]"


def quoted(value: object) -> str:
    """Return something that a file says, shortened for a sentence about it."""
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]} [...]"


def listed(names: Sequence[object], most: int = _LONGEST_LIST) -> str:
    """Return the first of some names, for a sentence about them.

    Examples
    --------
    >>> listed(["age", "city"]), listed(range(100))
    ("'age', 'city'", '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...')
    """
    shown = ", ".join(quoted(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, ..."

"""What the columns of a table are to whoever labels it: the label, a text, pixels, or names that teach nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.exceptions import DataError
from hinge.tables._columns import numbers, texts
from hinge.tables._labels import find_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.io import Table

    Columns = dict[str, NDArray[Any]]

_FEWEST_PIXELS = 64
_SENTENCE = 4  # words on average
_MOST_CATEGORIES = 200  # of a column that can be learned from a few labels
_FEW_ROWS = 20  # too few to tell names from categories
_NO_LABEL = ""


def label_of(table: Table, known: str | None) -> str | None:
    """Return the column of the labels: as told, else one with a usual name, if there is one."""
    if known is not None:
        return find_label(list(table.columns), known)
    return find_label([*table.columns, _NO_LABEL], None) or None


def text_of(columns: Columns, wanted: str | None) -> str | None:
    """Return the column of texts to show: as told, else the one with most words, if it holds sentences.

    Examples
    --------
    >>> import numpy as np
    >>> columns = {"id": ["a", "b"], "said": ["We like it very much.", "It broke the day it came."]}
    >>> columns = {name: np.array(values, dtype=object) for name, values in columns.items()}
    >>> text_of(columns, None), text_of({"id": columns["id"]}, None), text_of(columns, "id")
    ('said', None, 'id')
    """
    if wanted is not None:
        if wanted not in columns:
            names = ", ".join(map(repr, columns))
            raise DataError(f"There must be a column {wanted!r} with the texts, got {names}.")
        return wanted
    words = {name: _mean_words(values) for name, values in columns.items() if values.dtype == object}
    best = max(words, key=lambda name: words[name], default=None)
    return best if best is not None and words[best] >= _SENTENCE and is_names(columns[best]) else None


def as_texts(values: NDArray[Any], name: str) -> list[str]:
    """Return a column of texts, missing ones as the empty text."""
    if numbers(values) is not None:
        raise DataError(f"Column {name!r} must hold texts to be shown as such, got nothing but numbers.")
    return ["" if value is None else str(value).strip() for value in values.tolist()]


def converted(columns: Columns) -> dict[str, NDArray[Any]]:
    """Return columns that hold nothing but numbers as such, NaN where they are missing; others as they are."""
    found = {name: numbers(values) if values.dtype == object else values for name, values in columns.items()}
    return {name: columns[name] if values is None else values for name, values in found.items()}


def may_be_pixels(columns: Columns, *, certain: bool) -> bool:
    """Tell whether converted columns can be pixels; complain if they cannot, and somebody has said that they are."""
    if not certain and len(columns) < _FEWEST_PIXELS:
        return False
    bad = [name for name, values in columns.items() if values.dtype == object or not np.isfinite(values).all()]
    if bad and certain:
        raise DataError(
            f"Column {bad[0]!r} must hold numbers, one in each row, to be shown as pixels; correct it, "
            "or name it as the label if it is (--known COLUMN)."
        )
    return not bad


def names_only(columns: Columns) -> list[str]:
    """Return those of converted columns that hold names and sentences, which are shown but cannot be learned.

    Examples
    --------
    >>> import numpy as np
    >>> names_only({"who": np.array([f"Ann {number}." for number in range(30)], dtype=object), "age": np.arange(30)})
    ['who']
    """
    return [name for name, values in columns.items() if values.dtype == object and is_names(values)]


def is_names(values: NDArray[Any]) -> bool:
    """Tell whether texts hardly occur twice, or are too many to be categories."""
    n_different = len(set(texts(values)))
    most = min(_MOST_CATEGORIES, len(values) // 2 if len(values) > _FEW_ROWS else len(values) - 1)
    return n_different > most


def _mean_words(values: NDArray[Any]) -> float:
    counts = [len(value.split()) for value in values[:: max(1, len(values) // 1000)].tolist() if isinstance(value, str)]
    return sum(counts) / max(1, len(counts))

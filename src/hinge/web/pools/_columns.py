"""The roles of the columns of a table: label, text, pixels, or names from which nothing can be learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import DataError
from hinge.tables._labels import find_label
from hinge.tables._values import numbers, texts

if TYPE_CHECKING:
    from hinge.io import Table
    from hinge.web.pools._source_rows import Column, Columns

_MIN_PIXELS = 64
_MIN_MEAN_WORDS = 4  # of a column of sentences
_MAX_CATEGORIES = 200  # of a column from which a few labels suffice to learn
_MIN_ROWS = 20  # needed to distinguish names from categories
_NO_LABEL = ""


def label_column(table: Table, known: str | None) -> str | None:
    """Return the label column: the given one, or one with a common name, if there is one."""
    if known is not None:
        return find_label(list(table.columns), known)
    return find_label([*table.columns, _NO_LABEL], None) or None


def text_column(columns: Columns, wanted: str | None) -> str | None:
    """Return the text column: the given one, or the one with most words if it contains sentences.

    Examples
    --------
    >>> import numpy as np
    >>> columns = {"id": ["a", "b"], "said": ["We like it very much.", "It broke the day it came."]}
    >>> columns = {name: np.array(values, dtype=object) for name, values in columns.items()}
    >>> text_column(columns, None), text_column({"id": columns["id"]}, None), text_column(columns, "id")
    ('said', None, 'id')
    """
    if wanted is not None:
        if wanted not in columns:
            names = ", ".join(map(repr, columns))
            raise DataError(f"There is no text column {wanted!r}; the columns are {names}.")
        return wanted
    words = {name: _mean_words(values) for name, values in columns.items() if values.dtype == object}
    best = max(words, key=lambda name: words[name], default=None)
    return best if best is not None and words[best] >= _MIN_MEAN_WORDS and are_names(columns[best]) else None


def as_texts(values: Column, name: str) -> list[str]:
    """Return a column as strings; missing values become empty strings."""
    if numbers(values) is not None:
        raise DataError(f"Column {name!r} must contain texts to be shown as text, got only numbers.")
    return ["" if value is None else str(value).strip() for value in values.tolist()]


def parse_numbers(columns: Columns) -> Columns:
    """Convert columns that contain only numbers, with NaN for missing values; leave others unchanged."""
    found = {name: numbers(values) if values.dtype == object else values for name, values in columns.items()}
    return {name: columns[name] if values is None else values for name, values in found.items()}


def may_be_pixels(columns: Columns, *, certain: bool) -> bool:
    """Return whether converted columns can be pixels; raise an error if they cannot but must be (`certain`)."""
    if not certain and len(columns) < _MIN_PIXELS:
        return False
    bad = [name for name, values in columns.items() if values.dtype == object or not np.isfinite(values).all()]
    if bad and certain:
        raise DataError(
            f"Column {bad[0]!r} must contain a number in each row to be shown as pixels; correct it, "
            "or specify it as the label (--known COLUMN)."
        )
    return not bad


def name_columns(columns: Columns) -> list[str]:
    """Return the converted columns of names and sentences, which are shown but not learned.

    Examples
    --------
    >>> import numpy as np
    >>> name_columns({"who": np.array([f"Ann {number}." for number in range(30)], dtype=object), "age": np.arange(30)})
    ['who']
    """
    return [name for name, values in columns.items() if values.dtype == object and are_names(values)]


def are_names(values: Column) -> bool:
    """Return whether most texts occur only once, or there are too many different ones to be categories."""
    n_distinct = len(set(texts(values)))
    max_categories = min(_MAX_CATEGORIES, len(values) // 2 if len(values) > _MIN_ROWS else len(values) - 1)
    return n_distinct > max_categories


def _mean_words(values: Column) -> float:
    counts = [len(value.split()) for value in values[:: max(1, len(values) // 1000)].tolist() if isinstance(value, str)]
    return sum(counts) / max(1, len(counts))

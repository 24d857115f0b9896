"""What a pool is, and what all pools have in common: keys, digests, labels that came with the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Literal, Protocol

from hinge.exceptions import DataError

Kind = Literal["image", "text", "table"]
View = dict[str, Any]  # ready for JSON

_FEW = 5  # files named in a message
_DIGITS = 12  # of a row number; no pool is longer


class Pool(Protocol):
    """Examples to label.

    Attributes
    ----------
    name : str
        What the pool is called: the file or folder without its endings.
    kind : {"image", "text", "table"}
        How its examples are shown.
    X : ndarray or CSR matrix of shape (n, n_features)
        Their features, ready for a model.
    known : mapping from int to str
        Labels that came with the data, by row.
    notes : sequence of str
        Sentences for whoever opened the pool: what was left out, and why.
    """

    name: str
    kind: Kind
    X: Any
    known: Mapping[int, str]
    notes: Sequence[str]

    def __len__(self) -> int:
        """Return the number of examples."""

    def key(self, row: int) -> str:
        """Return the name under which labels of an example are kept."""

    def row_of(self, key: str) -> int | None:
        """Return the row of an example, None if there is none of that name."""

    def digest(self, row: int) -> str:
        """Return 16 hexadecimal digits that change when the example does."""

    def view(self, row: int) -> View:
        """Return how an example is shown."""

    def image(self, row: int) -> bytes:
        """Return the image of an example as PNG or JPEG; images only."""

    def wrapped(self, model: Any) -> Any:
        """Return a model as it is saved: one that takes rows of such files, where that takes a preparation."""


class BasePool:
    """What all pools have in common; see `Pool`.

    Parameters
    ----------
    name : str
        What the pool is called.
    X : ndarray or CSR matrix
        Features.
    known : mapping from int to str
        Labels that came with the data.
    keys : sequence of str, default=None
        Names of the examples, all different; None: the numbers of their rows.
    notes : sequence of str, default=()
        Sentences for whoever opened the pool.
    """

    def __init__(
        self,
        name: str,
        X: Any,
        known: Mapping[int, str],
        *,
        keys: Sequence[str] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if X.shape[0] < 2:
            raise DataError(f"There must be at least two examples to label, and {name} has {X.shape[0]}; add some.")
        self.name, self.X, self.known, self.notes = name, X, known, notes
        self._keys = keys
        self._rows = None if keys is None else {key: row for row, key in enumerate(keys)}

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def key(self, row: int) -> str:
        """Return the name under which labels of an example are kept."""
        row = self.checked(row)
        return str(row) if self._keys is None else self._keys[row]

    def row_of(self, key: str) -> int | None:
        """Return the row of an example, None if there is none of that name."""
        if self._rows is not None:
            return self._rows.get(key)
        if not (key.isascii() and key.isdecimal() and len(key) <= _DIGITS and str(int(key)) == key):
            return None
        return int(key) if int(key) < len(self) else None

    def checked(self, row: int) -> int:
        """Return a row, which must be one of the pool's."""
        if not 0 <= row < len(self):
            raise DataError(f"A row must be a number from 0 to {len(self) - 1}, got {row}; ask for another.")
        return row

    def image(self, row: int) -> bytes:
        """Refuse to draw what is no image."""
        raise DataError(f"Row {row} of {self.name} is not an image; ask for its view instead.")

    def wrapped(self, model: Any) -> Any:
        """Return the model itself: nothing has to be known to make features of more examples."""
        return model


def digest_of(*parts: bytes) -> str:
    """Return a short hash of some bytes.

    Examples
    --------
    >>> digest_of(b"one", b"two") == digest_of(b"onetwo"), len(digest_of(b""))
    (True, 16)
    """
    hashed = new_digest()
    for part in parts:
        hashed.update(part)
    return hashed.hexdigest()


def new_digest() -> blake2b:
    """Return the hash that all digests are made with, so far of nothing."""
    return blake2b(digest_size=8)


def left_out(names: Sequence[str], reason: str) -> list[str]:
    """Return a sentence about files that are left out, if there are some.

    Examples
    --------
    >>> left_out(["a.png"], "cannot be read as images")
    ['1 file is left out, as it cannot be read as images: a.png.']
    >>> left_out([], "cannot be read")
    []
    """
    if not names:
        return []
    shown = ", ".join(names[:_FEW]) + (", ..." if len(names) > _FEW else "")
    what = "1 file is left out, as it" if len(names) == 1 else f"{len(names):,} files are left out, as each"
    return [f"{what} {reason}: {shown}."]

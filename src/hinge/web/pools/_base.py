"""The interface of pools, and what they have in common: keys, digests, labels that came with the data."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, NamedTuple, NotRequired, Protocol, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from hinge.exceptions import DataError
from hinge.incremental import IncrementalSVC
from hinge.online import OnlineSVC
from hinge.tables import PreparedClassifier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind = Literal["image", "text", "table"]
Features: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | csr_matrix
Model: TypeAlias = OnlineSVC | IncrementalSVC
SavedModel: TypeAlias = Model | PreparedClassifier

_MAX_LISTED = 5  # files named in a message
_MAX_DIGITS = 12  # of a row number; no pool is longer


class ImageView(TypedDict):
    """An image: its size in pixels and, if it is sent along, the file in base64."""

    kind: Literal["image"]
    width: int
    height: int
    data: NotRequired[str]


class TextView(TypedDict):
    """A text, and pairs of column and value of the other columns of its row."""

    kind: Literal["text"]
    text: str
    cells: NotRequired[list[list[str]]]


class TableView(TypedDict):
    """A row of a table: pairs of column and value."""

    kind: Literal["table"]
    cells: list[list[str]]


View: TypeAlias = ImageView | TextView | TableView


class FeatureSet(NamedTuple):
    """Features of all examples, and the kernel that suits them; None: that of the settings."""

    X: Features
    kernel: str | None = None


class Pool(Protocol):
    """Examples to label.

    Attributes
    ----------
    name : str
        The name of the file or folder without its suffixes.
    kind : {"image", "text", "table"}
        How its examples are shown.
    X : ndarray or CSR matrix of shape (n, n_features)
        Their features for the model.
    feature_sets : dict
        All kinds of features by name, the default first.
    known : mapping from int to str
        Labels that came with the data, by row.
    notes : sequence of str
        Sentences about what was left out, and why.
    """

    name: str
    kind: Kind
    X: Features
    feature_sets: dict[str, FeatureSet]
    known: Mapping[int, str]
    notes: Sequence[str]

    def __len__(self) -> int:
        """Return the number of examples."""

    def key(self, row: int) -> str:
        """Return the stable name of an example, under which its label is stored."""

    def row_of(self, key: str) -> int | None:
        """Return the row of an example; None if there is no such key."""

    def digest(self, row: int) -> str:
        """Return a hash of the example: 16 hexadecimal digits."""

    def view(self, row: int) -> View:
        """Return what the page shows of an example."""

    def image(self, row: int) -> bytes:
        """Return the image of an example as PNG or JPEG; raise `DataError` if it is not an image."""

    def add_features(self, name: str, X: Features) -> None:
        """Add features that were computed elsewhere, and make them the default."""

    def wrap_model(self, model: Model) -> SavedModel:
        """Return the model to save: one that accepts rows of files such as that of the pool."""


class BasePool:
    """The common part of all pools; see `Pool`.

    Parameters
    ----------
    name : str
        The name of the pool.
    X : ndarray or CSR matrix
        Features.
    known : mapping from int to str
        Labels that came with the data.
    keys : sequence of str, default=None
        Unique names of the examples; None uses the row numbers.
    notes : sequence of str, default=()
        Sentences about what was left out, and why.
    """

    def __init__(
        self,
        name: str,
        X: Features,
        known: Mapping[int, str],
        *,
        keys: Sequence[str] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if X.shape[0] < 2:
            raise DataError(f"There must be at least two examples to label, but {name} has {X.shape[0]}; add more.")
        self.name, self.X, self.known, self.notes = name, X, known, notes
        self.feature_sets = {"columns": FeatureSet(X)}
        self._keys = keys
        self._rows = None if keys is None else {key: row for row, key in enumerate(keys)}

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def key(self, row: int) -> str:
        """Return the stable name of an example, under which its label is stored."""
        row = self.check_row(row)
        return str(row) if self._keys is None else self._keys[row]

    def row_of(self, key: str) -> int | None:
        """Return the row of an example; None if there is no such key."""
        if self._rows is not None:
            return self._rows.get(key)
        if not (key.isascii() and key.isdecimal() and len(key) <= _MAX_DIGITS and str(int(key)) == key):
            return None
        return int(key) if int(key) < len(self) else None

    def add_features(self, name: str, X: Features) -> None:
        """Add features that were computed elsewhere, and make them the default."""
        if X.shape[0] != len(self):
            raise DataError(f"{name} must have one row for each of the {len(self)} examples, got {X.shape[0]}.")
        self.feature_sets = {name: FeatureSet(X), **self.feature_sets}
        self.X = X

    def check_row(self, row: int) -> int:
        """Return a row; raise an error if the pool does not have it."""
        if not 0 <= row < len(self):
            raise DataError(f"A row must be a number from 0 to {len(self) - 1}, got {row}.")
        return row

    def image(self, row: int) -> bytes:
        """Raise an error: the examples are not images."""
        raise DataError(f"Row {row} of {self.name} is not an image; use its view instead.")

    def wrap_model(self, model: Model) -> SavedModel:
        """Return the model itself: features do not depend on the pool."""
        return model


def short_digest(*parts: bytes) -> str:
    """Compute a short hash of bytes.

    Examples
    --------
    >>> short_digest(b"one", b"two") == short_digest(b"onetwo"), len(short_digest(b""))
    (True, 16)
    """
    hashed = new_digest()
    for part in parts:
        hashed.update(part)
    return hashed.hexdigest()


def new_digest() -> blake2b:
    """Return a new hash object of the kind used for all digests."""
    return blake2b(digest_size=8)


def left_out_notes(names: Sequence[str], reason: str) -> list[str]:
    """Return a sentence about files that were left out; an empty list if there are none.

    Examples
    --------
    >>> left_out_notes(["a.png"], "cannot be read as an image")
    ['1 file was left out because it cannot be read as an image: a.png.']
    >>> left_out_notes([], "cannot be read")
    []
    """
    if not names:
        return []
    shown = ", ".join(names[:_MAX_LISTED]) + (", ..." if len(names) > _MAX_LISTED else "")
    what = "1 file was left out because it" if len(names) == 1 else f"{len(names):,} files were left out because each"
    return [f"{what} {reason}: {shown}."]

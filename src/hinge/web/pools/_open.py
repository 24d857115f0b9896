"""One door to all pools: `open_pool`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse, vstack

from hinge import datasets
from hinge._model.params import choice
from hinge.exceptions import DataError, ParameterError
from hinge.io import Table, open_source
from hinge.web.pools import _columns
from hinge.web.pools._folder import look_into
from hinge.web.pools._pixels import PixelPool, common_scale, shape_of
from hinge.web.pools._raw import RawRows, RawTable, joined, label_texts
from hinge.web.pools._tables import TablePool, features_of, settled
from hinge.web.pools._texts import SUFFIXES as TEXT_SUFFIXES
from hinge.web.pools._texts import TextPool, pool_of_files, pool_of_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge.io import Rows
    from hinge.web.pools._columns import Columns
    from hinge.web.pools._pixels import Shape
    from hinge.web.pools._pool import Pool
    from hinge.web.pools._raw import Raw

    Watch = Callable[[float | None], None]

SHOWS = ("auto", "image", "text", "table")
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")

_ENDINGS = (".gz", ".bz2", ".xz", ".csv", ".tsv", ".parquet", ".npz", ".svm", ".svmlight", ".libsvm", ".txt")
_OWN_LABELS = ("label", "y")  # what labels are called that stand in no column
_MOST_CLASSES = 1000


@dataclass(frozen=True)
class Wishes:
    """What the user wants: see `open_pool`."""

    show: str = "auto"
    text: str | None = None
    shape: Shape | None = None
    known: str | None = None

    def __post_init__(self) -> None:
        choice("show", self.show, SHOWS)
        if self.text is not None and self.show not in ("auto", "text"):
            raise ParameterError(f"show must be 'text' where a column of texts is named, got {self.show!r}.")
        if self.shape is not None and (self.show not in ("auto", "image") or self.text is not None):
            raise ParameterError("shape must be left out where examples are not images, as it is theirs.")

    def require_only(self, name: str, show: str, *possible: str) -> None:
        """Refuse wishes that make no sense for a source."""
        given = [wish for wish in ("text", "shape", "known") if getattr(self, wish) is not None]
        for wish in given:
            if wish not in possible:
                raise ParameterError(f"{wish} must be left out for {name}, which has no columns; got a value for it.")
        if self.show not in ("auto", show):
            raise ParameterError(f"{name} can only be shown as {show}, got show={self.show!r}.")


def open_pool(
    source: str,
    *,
    show: str = "auto",
    text: str | None = None,
    shape: Shape | None = None,
    known: str | None = None,
    watch: Watch = lambda _: None,
) -> Pool:
    r"""Open examples to label.

    Parameters
    ----------
    source : str
        A data set known by name ("digits"), an svmlight, CSV, Parquet or npz file, a .txt file (one text a line), or a
        folder: its images (PNG, JPEG, GIF, BMP, WebP) or, where it has none, its .txt files, also those in the folders
        inside. Hidden files do not count, nor do links that lead out of the folder.
    show : {"auto", "image", "text", "table"}, default="auto"
        How rows of a file are shown. "auto": as images, if they hold as many numbers as a square of 8 to 64 pixels and
        neighbours are alike; as texts, if a column holds sentences; else as tables.
    text : str, default=None
        The column that holds the texts. None takes the one with most words.
    shape : tuple of int, default=None
        Height and width of images that are rows of a file; None takes a square.
    known : str, default=None
        Where labels stand that are known already: a column (rows where it is empty or "-" have none), "label" for
        svmlight and npz files and for sets known by name, "folder" where sub-folders are labels. None: nothing is
        known; what looks like a label is neither shown nor learned.
    watch : callable, default=None
        Told how far reading has come, from 0 to 1, or None where that is not known.

    Returns
    -------
    Pool
        The examples. Columns of a table become features as by `hinge train`, missing values filled in; columns of names
        (texts that hardly occur twice) are shown only. Texts become features by `text_features`, images by
        `image_features`.

    Examples
    --------
    >>> from hinge.web.pools import open_pool
    >>> pool = open_pool("digits")
    >>> len(pool), pool.kind, pool.view(17)
    (1797, 'image', {'kind': 'image', 'width': 8, 'height': 8})
    >>> with open("fruit.csv", "w") as file:
    ...     _ = file.write("colour,weight,fruit\ngreen,150,pear\nyellow,120,\n")
    >>> pool = open_pool("fruit.csv", known="fruit")
    >>> pool.view(1), pool.known
    ({'kind': 'table', 'cells': [['colour', 'yellow'], ['weight', '120']]}, {0: 'pear'})
    """
    wishes = Wishes(show, text, shape, known)
    path = Path(source)
    if not _exists(path) and source in datasets.names():
        return _of_dataset(source, wishes)
    if source == "-":
        raise DataError("Examples to label must be in a file or a folder, got the standard input; save it to a file.")
    if not _exists(path):
        raise FileNotFoundError(
            f"There is no file {source}, and no data set of that name; known are {', '.join(datasets.names())}."
        )
    if path.is_dir():
        return _of_folder(path, wishes, watch)
    if path.suffix.lower() in IMAGE_SUFFIXES:
        raise DataError(f"{path.name} is a single image; give the folder that holds the images.")
    if path.suffix.lower() in TEXT_SUFFIXES:
        wishes.require_only(path.name, "text")
        return pool_of_lines(path, _name_of(path))
    return _of_file(path, wishes, watch)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # names that no file can have
        return False


def _name_of(path: Path) -> str:
    name = path.name
    while name.lower().endswith(_ENDINGS) and Path(name).stem:
        name = Path(name).stem
    return name


def _of_folder(path: Path, wishes: Wishes, watch: Watch) -> Pool:
    if wishes.show != "text":
        folder = look_into(path, IMAGE_SUFFIXES)
        if folder.keys:
            from hinge.web.pools._images import pool_of_images  # noqa: PLC0415  needs Pillow

            wishes.require_only(folder.name, "image", "known")
            return pool_of_images(folder, wishes.known, watch)
    folder = look_into(path, TEXT_SUFFIXES)
    if not folder.keys:
        wanted = "" if wishes.show == "text" else f"images ({', '.join(IMAGE_SUFFIXES)}) or "
        raise DataError(f"The folder {path} must hold {wanted}text files (.txt), and there is none.")
    wishes.require_only(folder.name, "text", "known")
    return pool_of_files(folder, wishes.known, watch)


def _of_dataset(name: str, wishes: Wishes) -> Pool:
    """Return a set that is known by name: all rows of a bundled one, of others those for training."""
    if wishes.text is not None or wishes.show == "text":
        raise ParameterError(f"{name} can only be shown as images or tables, as it has no texts.")
    data = datasets.load(name)
    X, y = data.X_train, data.y_train
    if name in datasets.BUNDLED:
        X, y = _below(X, data.X_test), np.concatenate([y, data.y_test])
    raw = RawRows(X)
    shape = _shape(raw, X.shape, wishes)
    return _row_pool(shape, name, X, _labels(y, name, wishes.known), raw=raw)


def _below(first: Any, second: Any) -> Any:
    return vstack([first, second], format="csr") if issparse(first) else np.concatenate([first, second])


def _of_file(path: Path, wishes: Wishes, watch: Watch) -> Pool:
    source = open_source(path)
    if not source.repeatable:
        raise DataError(f"{path} must be a file that can be opened again; save the rows to one.")
    chunks = []
    for chunk in source.chunks():
        chunks.append(chunk)
        watch(source.share_read())
    whole = joined(chunks)
    del chunks[:]
    if isinstance(whole, Table):
        return _of_table(whole, _name_of(path), wishes)
    return _of_rows(whole, _name_of(path), wishes)


def _of_rows(rows: Rows, name: str, wishes: Wishes) -> Pool:
    """Return rows of numbers as images or tables."""
    if wishes.text is not None or wishes.show == "text":
        raise ParameterError(f"{name} can only be shown as images or tables, as it has no texts.")
    known = _labels(rows.y, name, wishes.known)
    preparation = settled(rows)
    raw = RawRows(rows.X, preparation.first_index if rows.indexed else 0)
    shape = _shape(raw, (len(rows), preparation.n_features), wishes, open_end=rows.indexed)
    if shape is not None:
        preparation = replace(preparation, scaling=common_scale(raw, preparation.n_features))
    X = features_of(rows, preparation)
    return _row_pool(shape, name, X, known, raw=raw, preparation=preparation)


def _of_table(table: Table, name: str, wishes: Wishes) -> Pool:
    """Return rows of a table as texts, images or tables."""
    label = _columns.label_of(table, wishes.known)
    known = {} if wishes.known is None or label is None else _labels(table.columns[label], name, wishes.known, label)
    columns = {column: values for column, values in table.columns.items() if column != label}
    text = _columns.text_of(columns, wishes.text) if wishes.show in ("auto", "text") and not wishes.shape else None
    if wishes.show == "text" and text is None:
        raise DataError(f"{name} must have a column of texts to be shown as texts; name it (--text COLUMN).")
    if text is not None:
        return TextPool(name, _columns.as_texts(columns[text], text), known)
    return _of_columns(table, _columns.converted(columns), wishes, label=label, known=known, name=name)


def _of_columns(
    table: Table, columns: Columns, wishes: Wishes, *, label: str | None, known: dict[int, str], name: str
) -> Pool:
    """Return rows of a table as images or tables; its columns come converted, without that of the labels."""
    raw, shape = RawTable(columns), None
    certain = wishes.show == "image" or wishes.shape is not None
    if wishes.show != "table" and _columns.may_be_pixels(columns, certain=certain):
        shape = _shape(raw, (len(table), len(columns)), wishes)
    as_numbers = Table(table.columns | columns, table.lines, table.named)
    if shape is None:
        raw = RawTable({column: table.columns[column] for column in columns})
        preparation = settled(as_numbers, label=label, drop=_columns.names_only(columns), fill=True)
    else:
        preparation = replace(settled(as_numbers, label=label, scale="none"), scaling=common_scale(raw, len(columns)))
    X = features_of(as_numbers, preparation)
    return _row_pool(shape, name, X, known, raw=raw, preparation=preparation)


def _shape(raw: Raw, size: tuple[int, int], wishes: Wishes, *, open_end: bool = False) -> Shape | None:
    if wishes.show == "table":
        return None
    return shape_of(raw, *size, show=wishes.show, wanted=wishes.shape, open_end=open_end)


def _row_pool(shape: Shape | None, *arguments: Any, **more: Any) -> Pool:
    return TablePool(*arguments, **more) if shape is None else PixelPool(shape, *arguments, **more)


def _labels(y: NDArray[Any] | None, name: str, known: str | None, column: str | None = None) -> dict[int, str]:
    """Return the labels that are known, if they are wanted."""
    if known is None:
        return {}
    if column is None and known not in _OWN_LABELS:
        raise DataError(f"known must be 'label' for {name}, whose labels stand in no column, got {known!r}.")
    if y is None:
        raise DataError(f"{name} has no labels, so that none are known; leave known out.")
    labels = label_texts(y)
    if len(set(labels.values())) > _MOST_CLASSES:
        raise DataError(f"Labels must be classes, at most {_MOST_CLASSES} of them, got more in {column or name!r}.")
    return labels

"""Opening any kind of pool: `open_pool`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hinge import datasets
from hinge._model.params import choice
from hinge.exceptions import DataError, ParameterError
from hinge.io import Table, open_source
from hinge.web.pools import _columns
from hinge.web.pools._feature_files import read_features
from hinge.web.pools._folder import find_files
from hinge.web.pools._pixels import PixelPool, common_scaling, image_shape
from hinge.web.pools._source_rows import NumericRows, TableRows, concatenate, label_texts, stack
from hinge.web.pools._tables import TablePool, compute_features, fit_preparation
from hinge.web.pools._texts import SUFFIXES as TEXT_SUFFIXES
from hinge.web.pools._texts import TextPool, pool_of_files, pool_of_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hinge.io import Rows
    from hinge.tables import Preparation
    from hinge.web.pools._base import Features, Pool
    from hinge.web.pools._pixels import Shape
    from hinge.web.pools._source_rows import Columns, SourceRows

    Watch = Callable[[float | None], None]

SHOWS = ("auto", "image", "text", "table")
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")

_SUFFIXES = (".gz", ".bz2", ".xz", ".csv", ".tsv", ".parquet", ".npz", ".svm", ".svmlight", ".libsvm", ".txt")
_LABEL_NAMES = ("label", "y")  # of labels that are not in a named column
_MAX_CLASSES = 1000


@dataclass(frozen=True)
class PoolOptions:
    """The options of `open_pool`."""

    show: str = "auto"
    text: str | None = None
    shape: Shape | None = None
    known: str | None = None

    def __post_init__(self) -> None:
        choice("show", self.show, SHOWS)
        if self.text is not None and self.show not in ("auto", "text"):
            raise ParameterError(f"show must be 'text' if a text column is given, got {self.show!r}.")
        if self.shape is not None and (self.show not in ("auto", "image") or self.text is not None):
            raise ParameterError(
                "shape must be omitted if the examples are not images, because it is the shape of an image."
            )

    def check_supported(self, name: str, show: str, *supported: str) -> None:
        """Raise an error if an option is given that a source without columns does not support."""
        for option in ("text", "shape", "known"):
            if getattr(self, option) is not None and option not in supported:
                raise ParameterError(f"{option} must be omitted for {name}, which has no columns.")
        if self.show not in ("auto", show):
            raise ParameterError(f"{name} can only be shown as {show}, got show={self.show!r}.")


def open_pool(
    source: str,
    *,
    show: str = "auto",
    text: str | None = None,
    shape: Shape | None = None,
    known: str | None = None,
    features: str | None = None,
    watch: Watch = lambda _: None,
) -> Pool:
    r"""Open examples to label.

    Parameters
    ----------
    source : str
        The name of a data set ("digits"), an svmlight, CSV, Parquet or npz file, a .txt file (one text per line), or a
        folder: its images (PNG, JPEG, GIF, BMP, WebP) or, if it has none, its .txt files, including subfolders. Hidden
        files and links that lead out of the folder are ignored.
    show : {"auto", "image", "text", "table"}, default="auto"
        How rows of a file are shown. "auto": as images if they are squares of 8 to 64 pixels whose neighbours are
        similar, as text if a column contains sentences, and as tables otherwise.
    text : str, default=None
        The text column. None selects the one with most words.
    shape : tuple of int, default=None
        Height and width of images that are rows of a file. None assumes a square.
    known : str, default=None
        The source of existing labels: a column (rows where it is empty or "-" have none), "label" for svmlight and
        npz files and for named data sets, "folder" if the names of subfolders are labels. None: there are none, and a
        column that looks like a label is neither shown nor learned.
    features : str, default=None
        A file of features that were computed elsewhere, such as embeddings: .npy with one row per example, or .parquet
        with numeric columns and, if the rows are in another order, a column `key`.
    watch : callable, default=None
        Called with the fraction that has been read, from 0 to 1, or None if it is unknown.

    Returns
    -------
    Pool
        The examples. Columns of a table become features as in `hinge train`, with missing values filled in; columns of
        names (mostly unique texts) are shown but not learned. Texts are converted by `text_features`, images by
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
    options = PoolOptions(show, text, shape, known)
    pool = _open(source, options, watch)
    if features is not None:
        pool.add_features(Path(features).name, read_features(Path(features), pool))
    return pool


def _open(source: str, options: PoolOptions, watch: Watch) -> Pool:
    path = Path(source)
    if not _exists(path) and source in datasets.names():
        return _open_dataset(source, options)
    if source == "-":
        raise DataError(
            "Examples to label must be in a file or a folder, not on the standard input; save them to a file."
        )
    if not _exists(path):
        raise FileNotFoundError(
            f"There is no file {source}, and no data set of that name; the data sets are {', '.join(datasets.names())}."
        )
    if path.is_dir():
        return _open_folder(path, options, watch)
    if path.suffix.lower() in IMAGE_SUFFIXES:
        raise DataError(f"{path.name} is a single image; give the folder that holds the images.")
    if path.suffix.lower() in TEXT_SUFFIXES:
        options.check_supported(path.name, "text")
        return pool_of_lines(path, _base_name(path))
    return _open_file(path, options, watch)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # invalid file names
        return False


def _base_name(path: Path) -> str:
    name = path.name
    while name.lower().endswith(_SUFFIXES) and Path(name).stem:
        name = Path(name).stem
    return name


def _open_folder(path: Path, options: PoolOptions, watch: Watch) -> Pool:
    if options.show != "text":
        folder = find_files(path, IMAGE_SUFFIXES)
        if folder.keys:
            from hinge.web.pools._images import pool_of_images  # noqa: PLC0415  needs Pillow

            options.check_supported(folder.name, "image", "known")
            return pool_of_images(folder, options.known, watch)
    folder = find_files(path, TEXT_SUFFIXES)
    if not folder.keys:
        images = "" if options.show == "text" else f"images ({', '.join(IMAGE_SUFFIXES)}) or "
        raise DataError(f"The folder {path} contains no {images}text files (.txt); give another folder.")
    options.check_supported(folder.name, "text", "known")
    return pool_of_files(folder, options.known, watch)


def _open_dataset(name: str, options: PoolOptions) -> Pool:
    """Return a pool of a named data set: all rows of a bundled one, the training rows of others."""
    if options.text is not None or options.show == "text":
        raise ParameterError(f"{name} can only be shown as images or tables because it contains no texts.")
    data = datasets.load(name)
    X, y = data.X_train, data.y_train
    if name in datasets.BUNDLED:
        X, y = stack([X, data.X_test]), np.concatenate([y, data.y_test])
    source = NumericRows(X)
    shape = _shape(source, X.shape, options)
    return _make_pool(shape, name, X, _labels(y, name, options.known), source=source)


def _open_file(path: Path, options: PoolOptions, watch: Watch) -> Pool:
    source = open_source(path)
    if not source.repeatable:
        raise DataError(f"{path} must be a file that can be read more than once; save the rows to a file.")
    chunks = []
    for chunk in source.chunks():
        chunks.append(chunk)
        watch(source.share_read())
    data = concatenate(chunks)
    del chunks[:]  # frees memory
    if isinstance(data, Table):
        return _pool_of_table(data, _base_name(path), options)
    return _pool_of_rows(data, _base_name(path), options)


def _pool_of_rows(rows: Rows, name: str, options: PoolOptions) -> Pool:
    """Return a pool of numeric rows, shown as images or tables."""
    if options.text is not None or options.show == "text":
        raise ParameterError(f"{name} can only be shown as images or tables because it contains no texts.")
    known = _labels(rows.y, name, options.known)
    preparation = fit_preparation(rows)
    source = NumericRows(rows.X, preparation.first_index if rows.indexed else 0)
    shape = _shape(source, (len(rows), preparation.n_features), options, open_end=rows.indexed)
    if shape is not None:
        preparation = replace(preparation, scaling=common_scaling(source, preparation.n_features))
    X = compute_features(rows, preparation)
    return _make_pool(shape, name, X, known, source=source, preparation=preparation)


def _pool_of_table(table: Table, name: str, options: PoolOptions) -> Pool:
    """Return a pool of the rows of a table, shown as text, images or tables."""
    label = _columns.label_column(table, options.known)
    known = {} if options.known is None or label is None else _labels(table.columns[label], name, options.known, label)
    columns = {column: values for column, values in table.columns.items() if column != label}
    text = (
        _columns.text_column(columns, options.text) if options.show in ("auto", "text") and not options.shape else None
    )
    if options.show == "text" and text is None:
        raise DataError(f"{name} must have a text column to be shown as text; name it (--text COLUMN).")
    if text is not None:
        others = {column: values for column, values in columns.items() if column != text}
        texts = _columns.as_texts(columns[text], text)
        return TextPool(name, texts, known, others=TableRows(others) if others else None)
    return _pool_of_columns(table, _columns.parse_numbers(columns), options, label=label, known=known, name=name)


def _pool_of_columns(
    table: Table, columns: Columns, options: PoolOptions, *, label: str | None, known: dict[int, str], name: str
) -> Pool:
    """Return a pool of the rows of a table, shown as images or tables; `columns` are converted, without the label."""
    source, shape = TableRows(columns), None
    certain = options.show == "image" or options.shape is not None
    if options.show != "table" and _columns.may_be_pixels(columns, certain=certain):
        shape = _shape(source, (len(table), len(columns)), options)
    as_numbers = Table(table.columns | columns, table.lines, table.named)
    if shape is None:
        source = TableRows({column: table.columns[column] for column in columns})
        preparation = fit_preparation(as_numbers, label=label, drop=_columns.name_columns(columns), fill=True)
    else:
        preparation = replace(
            fit_preparation(as_numbers, label=label, scale="none"), scaling=common_scaling(source, len(columns))
        )
    X = compute_features(as_numbers, preparation)
    return _make_pool(shape, name, X, known, source=source, preparation=preparation)


def _shape(source: SourceRows, size: tuple[int, int], options: PoolOptions, *, open_end: bool = False) -> Shape | None:
    if options.show == "table":
        return None
    return image_shape(source, *size, show=options.show, wanted=options.shape, open_end=open_end)


def _make_pool(
    shape: Shape | None,
    name: str,
    X: Features,
    known: dict[int, str],
    *,
    source: SourceRows,
    preparation: Preparation | None = None,
) -> Pool:
    if shape is None:
        return TablePool(name, X, known, source=source, preparation=preparation)
    return PixelPool(shape, name, X, known, source=source, preparation=preparation)


def _labels(y: NDArray[np.generic] | None, name: str, known: str | None, column: str | None = None) -> dict[int, str]:
    """Return the existing labels by row, if requested."""
    if known is None:
        return {}
    if column is None and known not in _LABEL_NAMES:
        raise DataError(f"known must be 'label' for {name}, whose labels are not in a named column, got {known!r}.")
    if y is None:
        raise DataError(f"{name} contains no labels; omit known.")
    labels = label_texts(y)
    if len(set(labels.values())) > _MAX_CLASSES:
        raise DataError(f"There can be at most {_MAX_CLASSES} classes, got more in {column or name!r}.")
    return labels

"""Pools of pixel rows, shown as grey images."""

from __future__ import annotations

import math
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

from hinge.exceptions import DataError
from hinge.tables import Scaling
from hinge.web.pools._tables import RowPool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hinge.tables import Preparation
    from hinge.web.pools._base import Features, ImageView, Kind
    from hinge.web.pools._source_rows import SourceRows

Shape = tuple[int, int]  # height and width

_MIN_AUTO_SIDE, _MAX_AUTO_SIDE = 8, 64  # of squares that can be recognized as images
_MAX_SIDE = 1024  # of any image
_MAX_SAMPLED_ROWS = 400
_MAX_NEIGHBOUR_RATIO = 0.8  # of the difference between neighbours to that between any two pixels
_MIN_GREY_LEVELS = 4  # zeros and ones are rarely images


class PixelPool(RowPool):
    """Rows of pixels, shown as images.

    Parameters
    ----------
    shape : tuple of int
        Height and width of the images.
    name, X, known, source, preparation
        See `RowPool`.
    """

    kind: Kind = "image"

    def __init__(
        self,
        shape: Shape,
        name: str,
        X: Features,
        known: Mapping[int, str],
        *,
        source: SourceRows,
        preparation: Preparation | None = None,
    ) -> None:
        super().__init__(name, X, known, source=source, preparation=preparation)
        self._shape = shape
        self._low, self._high = source.extremes()

    def view(self, row: int) -> ImageView:
        """Return the size of the image."""
        self.check_row(row)
        return {"kind": "image", "width": self._shape[1], "height": self._shape[0]}

    def image(self, row: int) -> bytes:
        """Return the image as PNG: black is the minimum of the whole file, white the maximum."""
        values = self._source.numbers([self.check_row(row)])[0]
        scaled = (values - self._low) / ((self._high - self._low) or 1.0)
        grey = np.zeros(math.prod(self._shape), dtype=np.uint8)
        grey[: len(values)] = np.rint(255 * scaled)
        return grey_png(grey.reshape(self._shape))


def image_shape(
    source: SourceRows, n_rows: int, n_features: int, *, show: str, wanted: Shape | None, open_end: bool
) -> Shape | None:
    """Return the height and width of the images that the rows represent; None if they are not images.

    Parameters
    ----------
    source : SourceRows
        The numeric rows.
    n_rows, n_features : int
        The number of rows, and of numbers per row.
    show : {"auto", "image"}
        Whether to recognize images, or to require them.
    wanted : tuple of int or None
        The shape given by the user.
    open_end : bool
        Whether trailing zeros may be missing from the file, as in svmlight files.
    """
    if wanted is not None:
        _check_shape(wanted, n_features, open_end=open_end)
        return wanted
    side = math.isqrt(n_features)
    if open_end and side * (side + 1) < n_features < (side + 1) ** 2:
        side += 1  # the last line of pixels is incomplete
    square = side * side == n_features or (open_end and side * side > n_features)
    if show == "image":
        if not square or side > _MAX_SIDE:
            raise DataError(
                f"Rows must have a square number of features to be shown as images, got {n_features}; "
                "give the shape of the images (--shape HEIGHTxWIDTH), or show the rows as tables."
            )
        return side, side
    likely = square and _MIN_AUTO_SIDE <= side <= _MAX_AUTO_SIDE
    return (side, side) if likely and _are_images(source, n_rows, side) else None


def common_scaling(source: SourceRows, n_features: int) -> Scaling:
    """Return a scaling of all pixels by one factor, so that rarely used pixels are not amplified."""
    largest = max(map(abs, source.extremes()))
    if largest <= 1:
        return Scaling()
    return Scaling(np.full(n_features, 1 / largest), description=f"divided by {largest:g}")


def grey_png(pixels: NDArray[np.uint8]) -> bytes:
    """Encode a grey image as PNG.

    Examples
    --------
    >>> import numpy as np
    >>> grey_png(np.zeros((8, 8), dtype=np.uint8))[1:4]
    b'PNG'
    """
    height, width = pixels.shape
    lines = np.zeros((height, width + 1), dtype=np.uint8)  # each line starts with its filter type: none
    lines[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)  # 8-bit grey
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_part(name, content) for name, content in parts)


def _png_part(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)


def _check_shape(wanted: Shape, n_features: int, *, open_end: bool) -> None:
    height, width = wanted
    if not (1 <= height <= _MAX_SIDE and 1 <= width <= _MAX_SIDE):
        raise DataError(f"Images must be 1 to {_MAX_SIDE} pixels high and wide, got {height}x{width}.")
    if height * width != n_features and not (open_end and height * width > n_features):
        raise DataError(
            f"The shape {height}x{width} has {height * width} pixels, but the rows have {n_features} numbers; "
            "give the height and width of the images."
        )


def _are_images(source: SourceRows, n_rows: int, side: int) -> bool:
    """Return whether numbers look like pixels: in a common range, many of them grey, and neighbours similar."""
    low, high = source.extremes()
    if low < -1 or not 0 < high <= 255:
        return False
    rows = np.unique(np.linspace(0, n_rows - 1, _MAX_SAMPLED_ROWS).astype(np.int64))
    values = source.numbers(rows)
    if len(np.unique(values)) < _MIN_GREY_LEVELS:
        return False
    pixels = np.zeros((len(rows), side * side))
    pixels[:, : values.shape[1]] = values
    images = pixels.reshape(-1, side, side)
    shuffled = pixels[:, np.random.default_rng(0).permutation(side * side)]
    expected = np.abs(np.diff(shuffled, axis=1)).mean()
    return bool(max(np.abs(np.diff(images, axis=axis)).mean() for axis in (1, 2)) < _MAX_NEIGHBOUR_RATIO * expected)

"""Rows of pixels, shown as grey images."""

from __future__ import annotations

import math
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge.exceptions import DataError
from hinge.tables import Scaling
from hinge.web.pools._tables import RowPool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.web.pools._pool import Kind, View
    from hinge.web.pools._raw import Raw

Shape = tuple[int, int]  # height and width

_SMALLEST, _LARGEST = 8, 64  # sides of squares that are taken for images by themselves
_LONGEST = 1024  # side of any image
_LOOKED_AT = 400  # rows
_ALIKE = 0.8  # neighbours in an image differ less than that share of what any two of its pixels do
_FEW_GREYS = 4  # ones and zeros are rarely images


class PixelPool(RowPool):
    """Rows of pixels, shown as images.

    Parameters
    ----------
    shape : tuple of int
        Height and width of the images.
    *arguments, **more : Any
        As of `RowPool`.
    """

    kind: Kind = "image"

    def __init__(self, shape: Shape, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._shape = shape
        self._low, self._high = self._raw.extremes()

    def view(self, row: int) -> View:
        """Return the size of the image."""
        self.checked(row)
        return {"kind": "image", "width": self._shape[1], "height": self._shape[0]}

    def image(self, row: int) -> bytes:
        """Return the image as PNG: black is the smallest number of the whole file, white the largest."""
        values = self._raw.numbers([self.checked(row)])[0]
        shares = (values - self._low) / ((self._high - self._low) or 1.0)
        grey = np.zeros(math.prod(self._shape), dtype=np.uint8)
        grey[: len(values)] = np.rint(255 * shares)
        return grey_png(grey.reshape(self._shape))


def shape_of(
    raw: Raw, n_rows: int, n_features: int, *, show: str, wanted: Shape | None, open_end: bool
) -> Shape | None:
    """Return height and width of the images that rows are, None if they are none.

    Parameters
    ----------
    raw : Raw
        The rows, nothing but numbers.
    n_rows, n_features : int
        How many there are, and how many numbers each has.
    show : {"auto", "image"}
        Whether it has to be asked if they are images.
    wanted : tuple of int or None
        The shape that the user named.
    open_end : bool
        Zeros at the end of rows are not in the file, as in svmlight files, so that there may be more features.
    """
    if wanted is not None:
        _require_fit(wanted, n_features, open_end=open_end)
        return wanted
    side = math.isqrt(n_features)
    if open_end and side * (side + 1) < n_features < (side + 1) ** 2:
        side += 1  # the last line of pixels has begun
    square = side * side == n_features or (open_end and side * side > n_features)
    if show == "image":
        if not square or side > _LONGEST:
            raise DataError(
                f"Rows must have a square number of features to be shown as images, got {n_features}; "
                "give the shape of the images (--shape HEIGHTxWIDTH), or show rows as tables."
            )
        return side, side
    likely = square and _SMALLEST <= side <= _LARGEST
    return (side, side) if likely and _are_images(raw, n_rows, side) else None


def common_scale(raw: Raw, n_features: int) -> Scaling:
    """Return the scaling of pixels: all by one number, as a pixel of the rim is not brighter for being rarely used."""
    largest = max(map(abs, raw.extremes()))
    if largest <= 1:
        return Scaling()
    return Scaling(np.full(n_features, 1 / largest), description=f"divided by {largest:g}")


def grey_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a grey image as PNG.

    Examples
    --------
    >>> import numpy as np
    >>> grey_png(np.zeros((8, 8), dtype=np.uint8))[1:4]
    b'PNG'
    """
    height, width = pixels.shape
    lines = np.zeros((height, width + 1), dtype=np.uint8)  # each begins with the number of its filter: none
    lines[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)  # 8 bits, grey
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_part(name, content) for name, content in parts)


def _png_part(name: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(name + content)
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", checksum)


def _require_fit(wanted: Shape, n_features: int, *, open_end: bool) -> None:
    height, width = wanted
    if not (1 <= height <= _LONGEST and 1 <= width <= _LONGEST):
        raise DataError(f"Images must be between 1 and {_LONGEST} pixels high and wide, got {height}x{width}.")
    if height * width != n_features and not (open_end and height * width > n_features):
        raise DataError(
            f"The shape {height}x{width} has {height * width} pixels, but rows have {n_features} numbers; "
            "give height and width of the images."
        )


def _are_images(raw: Raw, n_rows: int, side: int) -> bool:
    """Tell whether numbers are like pixels: of one range, many of them grey, and neighbours much alike."""
    low, high = raw.extremes()
    if low < -1 or not 0 < high <= 255:
        return False
    rows = np.unique(np.linspace(0, n_rows - 1, _LOOKED_AT).astype(np.int64))
    values = raw.numbers(rows)
    if len(np.unique(values)) < _FEW_GREYS:
        return False
    pixels = np.zeros((len(rows), side * side))
    pixels[:, : values.shape[1]] = values
    images = pixels.reshape(-1, side, side)
    mixed = pixels[:, np.random.default_rng(0).permutation(side * side)]
    usual = np.abs(np.diff(mixed, axis=1)).mean()
    return bool(max(np.abs(np.diff(images, axis=axis)).mean() for axis in (1, 2)) < _ALIKE * usual)

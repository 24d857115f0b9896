"""What the model sees of an image, without downloads: grey pixels, colours, and shapes.

Colours: histograms of 4 x 4 x 4 colours, for the whole image and for its four quarters, as square roots, so that
distances are those of Hellinger. Shapes: histograms of gradient orientations (Dalal and Triggs, CVPR 2005), 9
orientations in cells of 8 x 8 pixels of an image of 64 x 64, normalized in blocks of 2 x 2 cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

SIDE = 64  # of the square from which colours and shapes are computed
_LEVELS = 4  # of each colour
_CELL, _ORIENTATIONS = 8, 9
_CLIP = 0.2  # of a normalized block, as in the paper
SQUARE_FEATURES = 320 + 1764  # of colours and shapes
KINDS = ("pixels", "colours", "shapes", "colours and shapes")


def colours(square: NDArray[np.uint8]) -> Floats:
    """Return the colour histograms of an image of SIDE x SIDE pixels with three channels.

    Examples
    --------
    >>> import numpy as np
    >>> found = colours(np.zeros((SIDE, SIDE, 3), dtype=np.uint8))
    >>> found.shape, float(np.linalg.norm(found).round(3))
    ((320,), 1.0)
    """
    levels = (square // (256 // _LEVELS)).astype(np.int64)
    index = (levels[..., 0] * _LEVELS + levels[..., 1]) * _LEVELS + levels[..., 2]
    half = SIDE // 2
    parts = [index, index[:half, :half], index[:half, half:], index[half:, :half], index[half:, half:]]
    counts = [np.bincount(part.ravel(), minlength=_LEVELS**3) / part.size for part in parts]
    return np.sqrt(np.concatenate(counts) / len(parts)).astype(np.float32)


def shapes(square: NDArray[np.uint8]) -> Floats:
    """Return the histograms of gradient orientations of an image of SIDE x SIDE pixels with three channels.

    Examples
    --------
    >>> import numpy as np
    >>> stripes = np.zeros((SIDE, SIDE, 3), dtype=np.uint8)
    >>> stripes[:, ::8] = 255
    >>> shapes(stripes).shape, float(np.linalg.norm(shapes(stripes)).round(3))
    ((1764,), 1.0)
    """
    values = np.sqrt(square.astype(np.float32) / 255)
    dy, dx = np.gradient(values, axis=(0, 1))
    strength = np.hypot(dx, dy)
    best = strength.argmax(axis=2)[..., None]  # the channel of the strongest gradient
    dx, dy = (np.take_along_axis(each, best, axis=2)[..., 0] for each in (dx, dy))
    strength = np.hypot(dx, dy)
    angle = np.mod(np.arctan2(dy, dx), np.pi) * (_ORIENTATIONS / np.pi)
    lower = np.floor(angle)
    share = angle - lower
    n = SIDE // _CELL
    cell = np.repeat(np.arange(n), _CELL)
    place = (cell[:, None] * n + cell[None, :]) * _ORIENTATIONS
    cells = np.zeros(n * n * _ORIENTATIONS)
    for bin_, weight in ((lower, 1 - share), (lower + 1, share)):
        index = place + np.mod(bin_.astype(np.int64), _ORIENTATIONS)
        cells += np.bincount(index.ravel(), (strength * weight).ravel(), minlength=len(cells))
    return _normalized_blocks(cells.reshape(n, n, _ORIENTATIONS))


def _normalized_blocks(cells: NDArray[np.float64]) -> Floats:
    parts = [cells[:-1, :-1], cells[:-1, 1:], cells[1:, :-1], cells[1:, 1:]]
    blocks = np.concatenate(parts, axis=2)
    for limit in (_CLIP, 1.0):
        blocks = np.minimum(blocks / np.sqrt((blocks**2).sum(axis=2, keepdims=True) + 1e-6), limit)
    flat = blocks.ravel()
    return (flat / max(float(np.linalg.norm(flat)), 1e-9)).astype(np.float32)


def all_kinds(pixels: Floats, squares: Floats) -> dict[str, Floats]:
    """Return the features of each kind, given pixels, and colours beside shapes, one image per row."""
    n_colours = (_LEVELS**3) * 5
    return {
        "pixels": pixels,
        "colours": np.ascontiguousarray(squares[:, :n_colours]),
        "shapes": np.ascontiguousarray(squares[:, n_colours:]),
        "colours and shapes": squares,
    }

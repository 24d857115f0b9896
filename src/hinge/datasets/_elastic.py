"""Endless stream of mnist digits with random elastic deformations, generated on the fly.

A deformation displaces the position at which each pixel of the new image is sampled from the original. The
displacements are sums of a few smooth fields with random weights: Gaussian bumps around the knots of a coarse grid (the
smoothed noise of Simard, Steinkraus and Platt, 2003), and the fields of an affine map. The displacements of many images
are therefore one product of two small matrices.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from sklearn.utils import check_random_state

from hinge._model.params import bound, check_seed, choice, number, whole
from hinge.datasets._known import load_known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hinge.datasets._dataset import Labels
    from hinge.io import Matrix

    Digits: TypeAlias = NDArray[np.int64]
    Pixels: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

_SIDE = 28
_PADDED_SIDE = _SIDE + 2  # a border of one empty pixel: positions outside the image are empty
_BLOCK_SIZE = 250  # images generated together, for any size of chunks: few enough to stay in the CPU cache
_BUMP_WIDTH = 4.0  # standard deviation of a bump in pixels; also the distance between the knots
_BUMP_RMS = 0.6  # root mean square of the displacements by bumps, in pixels
_MAX_TILT = 0.07  # change of an entry of the affine map's matrix
_MAX_SHIFT = 0.75  # pixels


def elastic_digits(
    n_examples: int | None = None,
    *,
    part: str = "train",
    chunk_size: int = 1000,
    strength: float = 1.0,
    dtype: str = "float32",
    random_state: int | np.random.RandomState | None = None,
) -> Iterator[tuple[Pixels, Digits]]:
    """Generate mnist digits with random elastic deformations, in chunks.

    Each example is a random digit of mnist, deformed by a smooth random field and by a small affine map, in the spirit
    of the infinite mnist of Loosli, Canu and Bottou (2007). Images are generated on demand, about twenty thousand per
    second, and memory does not grow with their number. `load` describes where the mnist files come from.

    Parameters
    ----------
    n_examples : int, default=None
        Total number of examples; None generates examples forever.
    part : {"train", "test"}, default="train"
        Whether the training or the test digits of mnist are deformed.
    chunk_size : int, default=1000
        Rows per chunk; the last chunk may have fewer. The examples do not depend on it.
    strength : float, default=1.0
        Scale of the deformations. At 1.0, the smooth field displaces a pixel by 0.6 pixels (root mean square), shifts
        reach 0.75 pixels, and rotations, shears and scalings reach 7 % each; all grow in proportion.
    dtype : {"float32", "float64"}, default="float32"
        Precision of the examples.
    random_state : int, RandomState instance or None, default=None
        Seed. The same seed gives the same examples; a longer stream starts with the examples of a shorter one.

    Yields
    ------
    X : array of shape (chunk_size, 784)
        Pixels between 0 and 1, row by row.
    y : array of shape (chunk_size,)
        The digits, 0 to 9.

    Examples
    --------
    >>> from hinge.datasets import elastic_digits
    >>> for X, y in elastic_digits(5000, random_state=0):  # doctest: +SKIP
    ...     model.partial_fit(X, y, classes=range(10))
    """
    choice("part", part, ("train", "test"))
    choice("dtype", dtype, ("float64", "float32"))
    bound("n_examples", n_examples, at_least=0)
    whole("chunk_size", chunk_size, at_least=1, hint="a usual value is 1000")
    number("strength", strength, above=0, hint="a usual value is 1.0")
    check_seed(random_state)
    random = np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return _chunks(_blocks(part, strength, random), n_examples, chunk_size, dtype)


def _chunks(
    blocks: Iterator[tuple[NDArray[np.float32], Digits]], n_examples: int | None, size: int, dtype: str
) -> Iterator[tuple[Pixels, Digits]]:
    """Split blocks of one size into chunks of another."""
    n_made, n_left = 0, 0
    block, digits = np.empty((0, _SIDE**2), np.float32), np.empty(0, np.int64)
    while n_examples is None or n_made < n_examples:
        n_rows = size if n_examples is None else min(size, n_examples - n_made)
        X, y = np.empty((n_rows, _SIDE**2), dtype), np.empty(n_rows, np.int64)
        n_filled = 0
        while n_filled < n_rows:
            if not n_left:
                block, digits = next(blocks)
                n_left = len(digits)
            n_taken, first = min(n_left, n_rows - n_filled), len(digits) - n_left
            X[n_filled : n_filled + n_taken] = block[first : first + n_taken]
            y[n_filled : n_filled + n_taken] = digits[first : first + n_taken]
            n_filled, n_left = n_filled + n_taken, n_left - n_taken
        n_made += n_rows
        yield X, y


def _blocks(part: str, strength: float, random: np.random.Generator) -> Iterator[tuple[NDArray[np.float32], Digits]]:
    images, digits = _digits()[part]
    fields, n_bumps = _fields()
    while True:
        chosen = random.integers(len(digits), size=_BLOCK_SIZE)
        bumps = random.normal(scale=strength, size=(2, _BLOCK_SIZE, n_bumps))
        affine = random.uniform(-strength, strength, (2, _BLOCK_SIZE, len(fields) - n_bumps))
        weights = np.concatenate([bumps, affine], axis=2, dtype=np.float32, casting="same_kind")
        yield _deform(images[chosen], weights @ fields), digits[chosen]


def _deform(images: NDArray[np.uint8], displacements: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sample every pixel at its displaced position by bilinear interpolation in the padded image."""
    rows, columns = np.indices((_SIDE, _SIDE), dtype=np.float32).reshape(2, 1, -1) + 1
    row, column = displacements[0] + rows, displacements[1] + columns
    for position in (row, column):
        np.clip(position, 0, _PADDED_SIDE - 1.001, out=position)
    whole_row, whole_column = row.astype(np.int32), column.astype(np.int32)
    row -= whole_row
    column -= whole_column
    corner = whole_row * _PADDED_SIDE + whole_column
    corner += np.arange(len(images), dtype=np.int32)[:, None] * _PADDED_SIDE**2
    pixels = images.reshape(-1).astype(np.float32)
    upper = _interpolate(pixels, corner, column)
    corner += _PADDED_SIDE
    lower = _interpolate(pixels, corner, column)
    lower -= upper
    lower *= row
    lower += upper
    lower /= 255
    return np.clip(lower, 0, 1, out=lower)  # rounding can leave the interval


def _interpolate(
    pixels: NDArray[np.float32], left: NDArray[np.int32], fraction: NDArray[np.float32]
) -> NDArray[np.float32]:
    value = pixels.take(left)
    step = pixels[1:].take(left)
    step -= value
    step *= fraction
    value += step
    return value


def _fields() -> tuple[NDArray[np.float32], int]:
    """Return displacement fields for weights of unit size, one per row, and how many of them are bumps."""
    position = np.arange(_SIDE) - (_SIDE - 1) / 2
    knots = np.arange(-4, 5) * _BUMP_WIDTH
    bump = np.exp(-((position - knots[:, None]) ** 2) / (2 * _BUMP_WIDTH**2))
    bumps = np.einsum("ai,bj->abij", bump, bump).reshape(-1, _SIDE**2)
    bumps *= _BUMP_RMS / np.sqrt((bumps**2).sum(axis=0).mean())
    row, column = np.meshgrid(position, position, indexing="ij")
    affine = np.stack([_MAX_TILT * row, _MAX_TILT * column, np.full_like(row, _MAX_SHIFT)])
    return np.concatenate([bumps, affine.reshape(3, -1)]).astype(np.float32), len(bumps)


@lru_cache(maxsize=1)
def _digits() -> dict[str, tuple[NDArray[np.uint8], Digits]]:
    """Return the training and test images as bytes, each with a border of empty pixels, and their labels."""
    data = load_known("mnist")
    return {"train": _pad(data.X_train, data.y_train), "test": _pad(data.X_test, data.y_test)}


def _pad(X: Matrix, y: Labels) -> tuple[NDArray[np.uint8], Digits]:
    images = np.zeros((len(y), _PADDED_SIDE, _PADDED_SIDE), np.uint8)
    images[:, 1:-1, 1:-1] = np.rint(255 * X).reshape(-1, _SIDE, _SIDE)
    return images, y.astype(np.int64)

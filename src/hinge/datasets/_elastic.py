"""Digits of mnist under random elastic deformations: a stream without end, made while it is read.

A deformation moves the point where every pixel of the new image is looked up in the old one. The moves are sums of a
few smooth fields with random weights: bumps around the knots of a coarse grid (the smoothed noise of Simard, Steinkraus
and Platt, 2003), and the fields of an affine map. The moves of many images are thus one product of two small matrices.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from hinge._model.params import bound, check_seed, choice, number, whole
from hinge.datasets._known import load_known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_SIDE = 28
_FRAME = _SIDE + 2  # a border of one empty pixel: what is looked up outside the image is empty
_AT_A_TIME = 250  # images that are made together, whatever the size of the chunks: few enough to stay in the cache
_SMOOTHNESS = 4.0  # standard deviation of a bump, pixels; also the distance of the knots
_MOVE = 0.6  # root of the mean square of the moves that bumps make, pixels
_LARGEST_TILT = 0.07  # change of an entry of the affine map's matrix
_LARGEST_SHIFT = 0.75  # pixels


def elastic_digits(
    n_examples: int | None = None,
    *,
    part: str = "train",
    chunk_size: int = 1000,
    strength: float = 1.0,
    dtype: str = "float32",
    random_state: Any = None,
) -> Iterator[tuple[NDArray[Any], NDArray[np.int64]]]:
    """Generate digits of mnist under random elastic deformations, in chunks.

    Each example is a random digit of mnist, bent by a smooth random field and by a small affine map, in the spirit of
    the infinite mnist of Loosli, Canu and Bottou (2007). Images are made when they are asked for, some twenty
    thousand a second, and memory does not grow with their number. The files of mnist are found as `load` finds them.

    Parameters
    ----------
    n_examples : int, default=None
        How many in all; None goes on for ever.
    part : {"train", "test"}, default="train"
        The half of mnist whose digits are deformed.
    chunk_size : int, default=1000
        How many at a time; the last chunk may have fewer. The examples do not depend on it.
    strength : float, default=1.0
        By how much digits are deformed. At 1.0, the smooth field moves a pixel by 0.6 pixels (root mean square), shifts
        go up to 0.75 pixels, turns, shears and changes of size up to 7 per cent each; all of them grow with it.
    dtype : {"float32", "float64"}, default="float32"
        Precision of the examples.
    random_state : int, RandomState instance or None, default=None
        Seed; the same one gives the same examples, and a longer stream begins with a shorter one.

    Yields
    ------
    X : array of shape (chunk_size, 784)
        Pixels between 0 and 1, line by line.
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
    blocks: Iterator[tuple[NDArray[Any], NDArray[Any]]], n_examples: int | None, size: int, dtype: str
) -> Iterator[tuple[NDArray[Any], NDArray[np.int64]]]:
    """Cut blocks of one size into chunks of another."""
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


def _blocks(
    part: str, strength: float, random: np.random.Generator
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int64]]]:
    images, digits = _digits()[part]
    fields, n_bumps = _fields()
    while True:
        chosen = random.integers(len(digits), size=_AT_A_TIME)
        bumps = random.normal(scale=strength, size=(2, _AT_A_TIME, n_bumps))
        affine = random.uniform(-strength, strength, (2, _AT_A_TIME, len(fields) - n_bumps))
        weights = np.concatenate([bumps, affine], axis=2, dtype=np.float32, casting="same_kind")
        yield _deformed(images[chosen], weights @ fields), digits[chosen]


def _deformed(images: NDArray[np.uint8], moves: NDArray[np.float32]) -> NDArray[np.float32]:
    """Look every pixel up where its move leads, between four pixels of the framed image."""
    lines, columns = np.indices((_SIDE, _SIDE), dtype=np.float32).reshape(2, 1, -1) + 1
    line, column = moves[0] + lines, moves[1] + columns
    for place in (line, column):
        np.clip(place, 0, _FRAME - 1.001, out=place)
    whole_line, whole_column = line.astype(np.int32), column.astype(np.int32)
    line -= whole_line
    column -= whole_column
    corner = whole_line * _FRAME + whole_column
    corner += np.arange(len(images), dtype=np.int32)[:, None] * _FRAME**2
    pixels = images.reshape(-1).astype(np.float32)
    upper = _between(pixels, corner, column)
    corner += _FRAME
    lower = _between(pixels, corner, column)
    lower -= upper
    lower *= line
    lower += upper
    lower /= 255
    return np.clip(lower, 0, 1, out=lower)  # rounding can leave the interval


def _between(pixels: NDArray[np.float32], left: NDArray[np.int32], share: NDArray[np.float32]) -> NDArray[np.float32]:
    value = pixels.take(left)
    step = pixels[1:].take(left)
    step -= value
    step *= share
    value += step
    return value


def _fields() -> tuple[NDArray[np.float32], int]:
    """Return fields over the pixels, one a row, for weights of unit size; and how many of them are bumps."""
    place = np.arange(_SIDE) - (_SIDE - 1) / 2
    knots = np.arange(-4, 5) * _SMOOTHNESS
    bump = np.exp(-((place - knots[:, None]) ** 2) / (2 * _SMOOTHNESS**2))
    bumps = np.einsum("ai,bj->abij", bump, bump).reshape(-1, _SIDE**2)
    bumps *= _MOVE / np.sqrt((bumps**2).sum(axis=0).mean())
    line, column = np.meshgrid(place, place, indexing="ij")
    affine = np.stack([_LARGEST_TILT * line, _LARGEST_TILT * column, np.full_like(line, _LARGEST_SHIFT)])
    return np.concatenate([bumps, affine.reshape(3, -1)]).astype(np.float32), len(bumps)


@lru_cache(maxsize=1)
def _digits() -> dict[str, tuple[NDArray[np.uint8], NDArray[np.int64]]]:
    """Return the images of both halves as bytes, each in a frame of empty pixels, and their labels."""
    data = load_known("mnist")
    return {"train": _framed(data.X_train, data.y_train), "test": _framed(data.X_test, data.y_test)}


def _framed(X: NDArray[np.float32], y: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    images = np.zeros((len(y), _FRAME, _FRAME), np.uint8)
    images[:, 1:-1, 1:-1] = np.rint(255 * X).reshape(-1, _SIDE, _SIDE)
    return images, y.astype(np.int64)

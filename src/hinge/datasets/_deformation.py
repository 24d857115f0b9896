"""Random deformations of 28 x 28 images, in whole numbers: the same images on every machine.

Let t_x and t_y be the horizontal and vertical derivatives of an image x (its tangent vectors for translations), and f_x
and f_y a field of displacements in pixels. To first order, the image under the field, with thicker or thinner strokes,
is

    x + alpha (f_x t_x + f_y t_y) + beta sqrt(t_x^2 + t_y^2),

shifted by a translation of 0, 1 or 2 whole pixels in one of eight directions. This is the recipe of Loosli, Canu and
Bottou (Training invariant support vector machines using selective sampling, 2007), who made 8 100 000 digits by it:
each of the 60 000 training digits of mnist, and 134 deformations of it. Theirs are also the 761 pairs of precomputed
fields, regular (affine) or random noise smoothed by a Gaussian, and pixels that are bytes.

They did not publish all numbers. Chosen here, before any model was trained on the images:

- derivatives are those of a Gaussian of 0.9 pixels, as in tangent distance (Simard, LeCun, Denker and Victorri, 2000);
- each field is the sum of noise, smoothed by a Gaussian of 4 pixels (Simard, Steinkraus and Platt, 2003) to a root mean
  square of one pixel, and of the four linear fields (rotation, scaling, stretching along the axes and along the
  diagonals) with random coefficients of at most 5 % each; alpha is 1;
- beta is between -0.3 and 0.3, all values equally likely.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import gaussian_filter

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDE = 28
N_FIELDS = 761
_SEED = 2007
_NOISE_WIDTH, _NOISE_RMS, _MAX_LINEAR = 4, 1.0, 0.05
_FIELD_BITS = 8  # displacements are multiples of 1 / 256 pixel
_MAX_THICKENING = 77  # 0.3 in the same unit
_SMOOTH = (2, 15, 30, 15, 2)  # 64 times a Gaussian of 0.9 pixels
_DIFFERENCE = (-6, -20, 0, 20, 6)  # 64 times its derivative: exactly 64 for a slope of 1
_TANGENT_BITS = 12  # one factor of 64 each
_REACH = 2  # pixels to the ends of the filters, and of the longest translation
TRANSLATIONS = (
    (0, 0),
    *((step * down, step * right) for step in (1, 2) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right),
)


def deform(images: NDArray[np.uint8], numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return each image under the deformation of its number.

    Parameters
    ----------
    images : array of shape (n, 28, 28)
        The originals.
    numbers : array of shape (n,)
        Which deformation each image gets. The same number always gives the same deformation.

    Returns
    -------
    array of shape (n, 28, 28)
        The deformed images.
    """
    bits = _scramble(numbers)
    fields = random_fields()[(bits & np.uint64(2**24 - 1)) % np.uint64(N_FIELDS)]
    thickening = (bits >> np.uint64(44)) % np.uint64(2 * _MAX_THICKENING + 1)
    changed = _displace(images, fields, thickening.astype(np.int32) - _MAX_THICKENING)
    shifts = (bits >> np.uint64(24)) % np.uint64(2**20) % np.uint64(len(TRANSLATIONS))
    return _translate(changed, shifts)


def _scramble(numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return 64 random bits per number: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014)."""
    bits = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@lru_cache(maxsize=1)
def random_fields() -> NDArray[np.int32]:
    """Return all displacement fields, of shape (761, 2, 28, 28): horizontal, then vertical, in 1 / 256 pixel."""
    random = np.random.default_rng(_SEED)
    border = 3 * _NOISE_WIDTH
    noise = random.uniform(-1, 1, (N_FIELDS, 2, SIDE + 2 * border, SIDE + 2 * border))
    smooth = gaussian_filter(noise, (0, 0, _NOISE_WIDTH, _NOISE_WIDTH))[..., border:-border, border:-border]
    smooth *= _NOISE_RMS / np.sqrt(np.mean(smooth**2))
    position = np.arange(SIDE) - (SIDE - 1) / 2
    down, right = np.meshgrid(position, position, indexing="ij")
    linear = np.array([[down, -right], [right, down], [right, -down], [down, right]])
    shares = random.uniform(-_MAX_LINEAR, _MAX_LINEAR, (N_FIELDS, len(linear)))
    fields = smooth + np.einsum("nk,kcij->ncij", shares, linear)
    in_units: NDArray[np.int32] = np.rint(2**_FIELD_BITS * fields).astype(np.int32)
    return in_units


def tangents(images: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the horizontal and vertical derivatives of images, 4096 times in grey levels per pixel."""
    padded = np.zeros((len(images), SIDE + 2 * _REACH, SIDE + 2 * _REACH), np.int32)
    padded[:, _REACH:-_REACH, _REACH:-_REACH] = images
    horizontal = _filter(_filter(padded, _SMOOTH, axis=1), _DIFFERENCE, axis=2)
    return horizontal, _filter(_filter(padded, _SMOOTH, axis=2), _DIFFERENCE, axis=1)


def _filter(images: NDArray[np.int32], taps: tuple[int, ...], *, axis: int) -> NDArray[np.int32]:
    """Return sums along an axis; the filter is symmetric, or antisymmetric and zero in the middle."""
    sides = [images[:, k : k + SIDE] if axis == 1 else images[:, :, k : k + SIDE] for k in range(len(taps))]
    sign = -1 if taps[0] < 0 else 1
    total = taps[-1] * (sides[-1] + sign * sides[0])
    total += taps[-2] * (sides[-2] + sign * sides[1])
    if taps[_REACH]:
        total += taps[_REACH] * sides[_REACH]
    return total


def _displace(images: NDArray[np.uint8], fields: NDArray[np.int32], thickening: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Apply the formula at the top; sums stay below 2^30, and IEEE square roots are the same everywhere."""
    horizontal, vertical = tangents(images)
    change = horizontal * fields[:, 0]
    change += vertical * fields[:, 1]
    slope = np.sqrt(horizontal.astype(np.float64) ** 2 + vertical.astype(np.float64) ** 2)
    change += np.rint(slope).astype(np.int32) * thickening[:, None, None]
    change >>= _FIELD_BITS + _TANGENT_BITS
    change += images
    return np.clip(change, 0, 255, out=change).astype(np.uint8)


def _translate(images: NDArray[np.uint8], shifts: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Shift each image by one of the translations; pixels that come in are empty."""
    result = np.zeros_like(images)
    for number, (down, right) in enumerate(TRANSLATIONS):
        rows = np.flatnonzero(shifts == number)
        (to_row, from_row), (to_column, from_column) = _overlap(down), _overlap(right)
        result[rows, to_row, to_column] = images[rows, from_row, from_column]
    return result


def _overlap(step: int) -> tuple[slice, slice]:
    """Return where the pixels that stay inside go, and where they come from, along one axis."""
    there, back = slice(max(step, 0), SIDE + min(step, 0)), slice(max(-step, 0), SIDE + min(-step, 0))
    return there, back

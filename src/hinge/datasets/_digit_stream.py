"""mnist-e: 8 100 000 deformed digits, generated when they are needed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hinge._model.params import whole
from hinge.datasets._deformation import SIDE, deform
from hinge.datasets._known import load_known
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from hinge.datasets._dataset import Dataset

    Pixels = NDArray[np.float32]
    Digits = NDArray[np.int64]

N_ORIGINALS = 60_000
N_DIGITS = 135 * N_ORIGINALS
_CHUNK_SIZE = 1000


class DigitStream:
    """The training digits of mnist and 134 random deformations of each, as a stream of chunks.

    Example number i belongs to the training digit i mod 60 000. The first 60 000 examples are the originals; each
    later one is deformed in a way that depends on i alone: smooth random displacements, a small affine map, thicker or
    thinner strokes, a translation of up to two pixels. This is the recipe of Loosli, Canu and Bottou (2007), whose
    files are known as mnist8m; their images are similar but not the same, since not all numbers of the recipe were
    published.

    Iterating yields pairs (X, y): pixels between 0 and 1 in float32, 1000 rows at a time, and digits.

    Attributes
    ----------
    name : str
        "mnist-e".
    n_examples : int
        8 100 000.
    X_test, y_test : array
        The 10 000 test digits of mnist, not deformed.
    C, gamma : float
        Settings of an RBF model for digits 0-4 against 5-9 (Lee and Wright, 2012).

    Examples
    --------
    >>> from hinge import ApproximateSVC, datasets
    >>> digits = datasets.load("mnist-e")  # doctest: +SKIP
    >>> model = ApproximateSVC(C=digits.C, gamma=digits.gamma)  # doctest: +SKIP
    >>> for X, y in digits.chunks(stop=100_000):  # doctest: +SKIP
    ...     model.partial_fit(X, y, classes=digits.classes)
    """

    name = "mnist-e"
    n_examples = N_DIGITS
    C, gamma = 100.0, 0.01

    def __init__(self) -> None:
        self._images, self._digits, self.X_test, self.y_test = _originals()

    @property
    def classes(self) -> Digits:
        """The distinct labels, sorted."""
        return np.unique(self._digits)

    def __len__(self) -> int:
        return self.n_examples

    def __iter__(self) -> Iterator[tuple[Pixels, Digits]]:
        return self.chunks()

    def chunks(
        self, start: int = 0, stop: int | None = None, *, chunk_size: int = _CHUNK_SIZE
    ) -> Iterator[tuple[Pixels, Digits]]:
        """Yield consecutive examples.

        Parameters
        ----------
        start, stop : int
            The first example, and the one after the last; None is the end of the set.
        chunk_size : int, default=1000
            Rows per chunk; the last chunk may have fewer. The examples do not depend on it.

        Yields
        ------
        X : array of shape (chunk_size, 784)
            Pixels between 0 and 1, row by row.
        y : array of shape (chunk_size,)
            The digits, 0 to 9.
        """
        whole("chunk_size", chunk_size, at_least=1, hint="a usual value is 1000")
        stop = self.n_examples if stop is None else stop
        if not 0 <= start <= stop <= self.n_examples:
            raise ParameterError(
                f"start and stop must satisfy 0 <= start <= stop <= {self.n_examples}, got {start} and {stop}."
            )
        return (self.take(np.arange(first, min(first + chunk_size, stop))) for first in range(start, stop, chunk_size))

    def take(self, numbers: ArrayLike) -> tuple[Pixels, Digits]:
        """Return examples by their numbers.

        Parameters
        ----------
        numbers : array-like of int
            Numbers of examples, from 0 to 8 099 999, in any order.

        Returns
        -------
        X, y : tuple
            Pixels between 0 and 1, of shape (n, 784), and digits.
        """
        rows = np.asarray(numbers).reshape(-1)
        if rows.size and (rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= self.n_examples):
            raise ParameterError(f"numbers must be whole numbers from 0 to {self.n_examples - 1}.")
        rows = rows.astype(np.int64)
        originals = rows % N_ORIGINALS
        images = self._images[originals]
        deformed = rows >= N_ORIGINALS
        images[deformed] = deform(images[deformed], rows[deformed])
        return images.reshape(-1, SIDE**2) / np.float32(255), self._digits[originals]


@lru_cache(maxsize=1)
def _originals() -> tuple[NDArray[np.uint8], Digits, Pixels, Digits]:
    """Return the training digits as bytes, which take a quarter of the memory, and the test digits."""
    data: Dataset = load_known("mnist")
    images = np.rint(255 * np.asarray(data.X_train)).astype(np.uint8).reshape(-1, SIDE, SIDE)
    return images, data.y_train.astype(np.int64), np.asarray(data.X_test), data.y_test.astype(np.int64)

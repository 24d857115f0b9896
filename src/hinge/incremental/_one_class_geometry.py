"""Signed distances from the surface, a plane or a sphere, that encloses the examples of a one-class model.

With coefficients a_i, their sum A and the bias b, the native model computes s(x) = sum_i a_i k(x, x_i) + b. The surface
is where s(x) = 0 for a plane, and where s(x) = A k(x, x) / 2 for a sphere. The centre of the sphere is
c = sum_i a_i phi(x_i) / A. With its radius r,

    r^2 - |phi(x) - c|^2 = (2 / A) (s(x) - A k(x, x) / 2),   r^2 = |c|^2 + 2 b / A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hinge._model.overflow import require_finite

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.types import Rows
    from hinge.incremental._kernel_diagonal import KernelDiagonal

_SURFACE_TOLERANCE = 1e-10  # relative rounding error of s(x) on the surface


@dataclass(frozen=True)
class OneClassGeometry:
    """The surface of a model at one moment.

    Attributes
    ----------
    diagonal : KernelDiagonal or None
        Computes k(x, x), for a sphere; None for a plane.
    bias, total : float
        b and A above.
    squared_norm : float
        |sum_i a_i phi(x_i)|^2.
    residual : float
        Rounding error of the gradients of support vectors on the surface.
    """

    diagonal: KernelDiagonal | None
    bias: float
    total: float
    squared_norm: float
    residual: float

    @property
    def offset(self) -> float:
        """The value of `score_samples` on the surface."""
        if self.diagonal is None:
            return -self.bias
        return -self.squared_norm / self.total**2 - 2.0 * self.bias / self.total

    def signed_distances(self, sums: NDArray[np.float64], X: Rows) -> NDArray[np.float64]:
        """Compute signed distances from the surface, positive inside; squared ones for a sphere.

        Parameters
        ----------
        sums : array of shape (n,)
            The values s(x) of the native model.
        X : array or CSR matrix of shape (n, n_features)
            The checked examples, which only a sphere uses.
        """
        if self.diagonal is None:
            return self._relative_to_surface(sums, np.zeros(1))
        surface = self.total / 2.0 * self.diagonal.of(X)
        return require_finite(2.0 / self.total * self._relative_to_surface(sums, surface))

    def _relative_to_surface(self, sums: NDArray[np.float64], surface: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sums minus their values on the surface; exactly 0 where the two differ by rounding only.

        Otherwise support vectors on the surface would be outliers at random, and the share of outliers could exceed nu.
        """
        differences = sums - surface
        tolerance = 2.0 * self.residual + _SURFACE_TOLERANCE * (abs(self.bias) + np.abs(surface))
        return np.where(np.abs(differences) <= tolerance, 0.0, differences)

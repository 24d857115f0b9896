"""Predictions of one-class models, whatever they learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from sklearn.base import OutlierMixin

from hinge._fit.estimator import KernelEstimator
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.predictor import Predictor
    from hinge._model.types import MatrixLike
    from hinge.incremental._one_class_geometry import OneClassGeometry
    from hinge.incremental._state import ExactPredictor


class OneClassPredictions(OutlierMixin, KernelEstimator):
    """The prediction methods of `IncrementalOneClassSVM`, which use snapshots only."""

    def predict(self, X: MatrixLike) -> NDArray[np.int64]:
        """Predict whether examples are inliers or outliers.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,)
            +1 for inliers, -1 for outliers.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def decision_function(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute signed distances to the boundary; outliers have negative values.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,)
            For a plane, the signed distance times the length of its normal; for a sphere, its squared radius minus the
            squared distance from its centre. 0 for examples on the boundary, up to rounding.
        """
        return self._signed_distances(X)[1]

    def score_samples(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the decision values without the offset.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,)
            `decision_function` plus `offset_`: for a plane, the sum of coefficients times kernel values; for a sphere,
            minus the squared distance from its centre.
        """
        geometry, distances = self._signed_distances(X)
        return distances + geometry.offset

    def _signed_distances(self, X: MatrixLike) -> tuple[OneClassGeometry, NDArray[np.float64]]:
        """Return the surface, and the signed distances of rows to it."""
        predictor = self._predictor()
        rows = self._check_queries(X, predictor)
        sums = self._decide(predictor, rows)[:, 0]
        geometry = self._geometry(predictor)
        return geometry, geometry.signed_distances(sums, rows)

    def _geometry(self, predictor: Predictor) -> OneClassGeometry:
        geometry = cast("ExactPredictor", predictor).geometry
        if geometry is None:
            raise DataError("The model must hold examples to enclose, got none; learn some first.")
        return geometry

    @property
    def offset_(self) -> float:
        """Offset between `score_samples` and `decision_function`."""
        return self._geometry(self._predictor()).offset

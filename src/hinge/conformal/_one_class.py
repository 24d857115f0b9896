"""The estimator `ConformalOneClass`."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np

from hinge._model.locking import reads
from hinge.conformal._ranks import CANDIDATE, p_value, require_rows, single_rows
from hinge.incremental import IncrementalOneClassSVM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.types import MatrixLike


class ConformalOneClass(IncrementalOneClassSVM):
    """Exact outlier detector with p-values: of rows like the examples, at most a share p has a p-value of p or less.

    A row is learned in a copy of the model, and its leave-one-out distance is ranked among those of all examples held.
    Parameters, methods and attributes are those of `IncrementalOneClassSVM`; windows (`max_examples`) keep the
    guarantee only with `eviction="age"`.

    Examples
    --------
    >>> from hinge.conformal import ConformalOneClass
    >>> model = ConformalOneClass(gamma=1.0).fit([[0.0], [0.1], [0.2], [0.3]])
    >>> model.p_values([[5.0]]).tolist()
    [0.2]
    """

    def p_values(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the p-value of each row; the model stays as it is.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            p-values; small ones are outliers.
        """
        require_rows(self.kernel)
        n = len(self.predict(X))  # also checks the rows
        model = self._copied()
        return np.array([_p_value(model, row) for row in single_rows(X, n)])

    @reads
    def _copied(self) -> ConformalOneClass:
        return copy.deepcopy(self)


def _p_value(model: ConformalOneClass, row: MatrixLike) -> float:
    """Return the p-value of one row."""
    return p_value(copy.deepcopy(model).partial_fit(row, ids=[CANDIDATE]).leave_one_out())

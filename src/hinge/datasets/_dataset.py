"""A data set: training and test rows with settings that suit them."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Features: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | csr_matrix
Labels: TypeAlias = NDArray[np.int64] | NDArray[np.str_]


@dataclass(frozen=True)
class Dataset:
    """Rows to learn from, rows to test with, and RBF settings that suit them."""

    name: str
    X_train: Features
    y_train: Labels
    X_test: Features
    y_test: Labels
    C: float
    gamma: float

    @property
    def classes(self) -> Labels:
        """The distinct labels, sorted."""
        return np.unique(np.concatenate([self.y_train, self.y_test]))

"""A data set: training and test rows with settings that suit them."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hinge.io import Matrix

Labels: TypeAlias = NDArray[np.int64] | NDArray[np.str_]


@dataclass(frozen=True)
class Dataset:
    """Rows to learn from, rows to test with, and RBF settings that suit them."""

    name: str
    X_train: Matrix
    y_train: Labels
    X_test: Matrix
    y_test: Labels
    C: float
    gamma: float

    @property
    def classes(self) -> Labels:
        """The distinct labels, sorted."""
        return np.unique(np.concatenate([self.y_train, self.y_test]))

"""What a data set is."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Dataset:
    """Rows to learn from, rows to test with, and RBF settings that suit them."""

    name: str
    X_train: Any  # rows of an array or of a CSR matrix
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    C: float
    gamma: float

    @property
    def classes(self) -> NDArray[Any]:
        """The labels that occur, sorted."""
        return np.unique(np.concatenate([self.y_train, self.y_test]))

"""Models of the folds of a cross-validation."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from hinge.exceptions import DataError, ParameterError
from hinge.streaming import traits

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from hinge.streaming import Model
    from hinge.tables import Labels, Matrix


@dataclass(frozen=True)
class Folds:
    """So many parts of the rows, drawn at random; of each class a similar share in each."""

    number: int

    def __post_init__(self) -> None:
        if self.number < 2:
            raise ParameterError(f"--cv must be at least 2, got {self.number}.")

    def models(self, model: Model, X: Matrix, y: Labels) -> Iterator[tuple[Model, NDArray[np.intp]]]:
        """Yield a model of the same settings that has learned all other rows, and the rows of each part."""
        if len(y) < self.number:
            raise DataError(f"There must be at least as many rows as folds, got {len(y)} for --cv {self.number}.")
        kind = KFold if traits(model).task == "regression" else StratifiedKFold
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class")  # a rare class is missing in some parts
            try:
                parts = list(kind(self.number, shuffle=True, random_state=0).split(X, y))
            except ValueError:
                raise DataError(f"--cv {self.number} needs a class of {self.number} rows or more.") from None
        for train, test in parts:
            yield clone(model).fit(X[train], y[train]), test

"""p-values of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from hinge._model.labels import one_each
from hinge.conformal._full import Question, label_p_values
from hinge.conformal._ranks import single_rows

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import ArrayLike, NDArray

    from hinge._model.types import MatrixLike
    from hinge.conformal._svc import ConformalSVC


def learn_with_p_values(model: ConformalSVC, X: MatrixLike, y: ArrayLike, random: RandomState) -> NDArray[np.float64]:
    """Learn rows one by one; return the smoothed p-value that the label of each had before, or NaN."""
    n = X.shape[0] if hasattr(X, "shape") else len(cast("list[object]", X))
    labels = one_each(y, n, "y")
    found = np.full(n, np.nan)
    for i, row in enumerate(single_rows(X, n)):
        classes = model.classes_ if hasattr(model, "classes_") else np.empty(0, dtype=labels.dtype)
        place = np.flatnonzero(classes == labels[i])
        if len(place):
            found[i] = _smoothed(model, row, classes[place[0]], int(place[0]), random.uniform())
        model.partial_fit(row, labels[i : i + 1])
    return found


def _smoothed(model: ConformalSVC, row: MatrixLike, label: object, place: int, share: float) -> float:
    most = label_p_values(model, row, Question(model.mondrian), label)[0, place]
    least = label_p_values(model, row, Question(model.mondrian, strictly=True), label)[0, place]
    return float(least + share * (most - least))

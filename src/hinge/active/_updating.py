"""How a model learns labels that are added, changed or removed: from single examples where it can, else from scratch.

Exact models add, relabel and forget single examples. Streaming models add single examples and are trained again after a
correction. Any other estimator is fitted to all labels each time.
"""

from __future__ import annotations

from copy import deepcopy
from itertools import chain, count
from typing import TYPE_CHECKING

from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from hinge._model.labels import distinct
from hinge.active._model_access import can_revise, is_fitted, learns_incrementally, resolve_gamma
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.active._rows import Labels, RowsLike


class Updater:
    """Updates a model when labels change; methods return False if the model must be fitted to all labels instead.

    Attributes
    ----------
    is_incremental : bool
        Whether the model learns single examples.
    """

    is_incremental = False

    def add(self, model: BaseEstimator, X: RowsLike, rows: NDArray[np.int64], labels: Labels) -> bool:
        """Learn rows of the pool that had no label."""
        del model, X, rows, labels
        return False

    def relabel(self, model: BaseEstimator, rows: NDArray[np.int64], labels: Labels) -> bool:
        """Change the labels of rows."""
        del model, rows, labels
        return False

    def forget(self, model: BaseEstimator, rows: NDArray[np.int64]) -> bool:
        """Forget rows."""
        del model, rows
        return False


class StreamingUpdater(Updater):
    """Updates models that can only add examples."""

    is_incremental = True

    def add(self, model: BaseEstimator, X: RowsLike, rows: NDArray[np.int64], labels: Labels) -> bool:
        """Learn rows of the pool that had no label."""
        del rows
        model.partial_fit(X, labels)
        return True


class ExactUpdater(Updater):
    """Updates models that know their examples by ids.

    Parameters
    ----------
    prefix : str
        Comes before the row number in the id; without a prefix, the row number itself is the id.
    """

    is_incremental = True

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def add(self, model: BaseEstimator, X: RowsLike, rows: NDArray[np.int64], labels: Labels) -> bool:
        """Learn rows of the pool that had no label."""
        can_fit = len(rows) > 1 and not is_fitted(model) and len(distinct(labels)) > 1
        learn = model.fit if can_fit else model.partial_fit  # both give the same model, and fit is faster
        learn(X, labels, ids=self._ids(rows))
        return True

    def relabel(self, model: BaseEstimator, rows: NDArray[np.int64], labels: Labels) -> bool:
        """Change the labels of rows."""
        model.relabel(self._ids(rows), labels)
        return True

    def forget(self, model: BaseEstimator, rows: NDArray[np.int64]) -> bool:
        """Forget rows."""
        model.forget(self._ids(rows))
        return True

    def _ids(self, rows: NDArray[np.int64]) -> list[str] | list[int]:
        return [f"{self._prefix}{row}" for row in rows] if self._prefix else rows.tolist()


def updater_for(model: BaseEstimator) -> Updater:
    """Return the updater that costs least for a model."""
    if not learns_incrementally(model):
        return Updater()
    if not can_revise(model) or getattr(model, "max_examples", None) is not None:
        return StreamingUpdater()
    # A fitted model already holds examples, whose ids are probably 0, 1, 2, ...
    return ExactUpdater(_unused_prefix(model) if is_fitted(model) else "")


def _unused_prefix(model: BaseEstimator) -> str:
    """Return a prefix that no id of a model starts with; the model may come from another learner."""
    taken = {name.partition(" ")[0] for name in model.ids_ if isinstance(name, str)}
    words = chain(["pool"], (f"pool{n}" for n in count(2)))
    return next(f"{word} " for word in words if word not in taken)


def copy_model(model: BaseEstimator, X: RowsLike) -> BaseEstimator:
    """Return a copy of a classifier to train; for an unfitted one, `gamma="scale"` is computed from the whole pool.

    The first labelled row alone would say too little about the scale.
    """
    if not hasattr(model, "get_params") or not hasattr(model, "fit"):
        raise ParameterError(f"model must be an estimator with fit and predict, got {type(model).__name__}.")
    if not is_classifier(model):
        raise ParameterError(f"model must be a classifier, got {type(model).__name__}.")
    if get_tags(model).input_tags.pairwise:
        raise ParameterError(
            "The kernel of model must not be 'precomputed', since the pool holds examples; use another kernel."
        )
    if is_fitted(model):
        return deepcopy(model)
    copy = clone(model)
    resolve_gamma(copy, X)
    return copy

"""How a model takes labels in: at once where it can, from nothing where it must.

Exact models learn, correct and forget single examples. Streaming ones learn single examples, and a correction means
that all are learned again. Any other estimator is fitted to all labels, each time.
"""

from __future__ import annotations

from copy import deepcopy
from itertools import chain, count
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from hinge._fit.base import StreamingClassifier
from hinge._model.kernels import KernelSpec
from hinge._model.labels import distinct
from hinge._model.validation import PooledRows
from hinge.exceptions import ParameterError
from hinge.tables import PreparedClassifier

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AS_DOUBLES = 1 << 28  # bytes; exact models keep doubles, and to convert a small pool once is better than every time


class Teacher:
    """What to do with a model when labels come or go; False where nothing can be done but fit all again.

    Attributes
    ----------
    goes_on : bool
        Whether the model learns single examples.
    """

    goes_on = False

    def learn(self, model: Any, X: Any, rows: NDArray[np.int64], labels: NDArray[Any]) -> bool:
        """Learn rows of the pool that have got a label."""
        del model, X, rows, labels
        return False

    def correct(self, model: Any, rows: NDArray[np.int64], labels: NDArray[Any]) -> bool:
        """Learn other labels of rows."""
        del model, rows, labels
        return False

    def forget(self, model: Any, rows: NDArray[np.int64]) -> bool:
        """Forget rows."""
        del model, rows
        return False


class Streaming(Teacher):
    """Models that go on learning."""

    goes_on = True

    def learn(self, model: Any, X: Any, rows: NDArray[np.int64], labels: NDArray[Any]) -> bool:
        """Learn rows of the pool that have got a label."""
        del rows
        model.partial_fit(X, labels)
        return True


class Exact(Teacher):
    """Models whose examples have names.

    Parameters
    ----------
    prefix : str
        Stands before the row's number in the name; without one, the number itself is the name.
    """

    goes_on = True

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def learn(self, model: Any, X: Any, rows: NDArray[np.int64], labels: NDArray[Any]) -> bool:
        """Learn rows of the pool that have got a label."""
        several = len(rows) > 1 and not is_fitted(model) and len(distinct(labels)) > 1
        learn = model.fit if several else model.partial_fit  # the same model, sooner
        learn(X, labels, ids=self._names(rows))
        return True

    def correct(self, model: Any, rows: NDArray[np.int64], labels: NDArray[Any]) -> bool:
        """Learn other labels of rows."""
        model.relabel(self._names(rows), labels)
        return True

    def forget(self, model: Any, rows: NDArray[np.int64]) -> bool:
        """Forget rows."""
        model.forget(self._names(rows))
        return True

    def _names(self, rows: NDArray[np.int64]) -> list[Any]:
        return [f"{self._prefix}{row}" for row in rows] if self._prefix else rows.tolist()


def teacher_of(model: Any) -> Teacher:
    """Return the quickest way to teach a model."""
    if not isinstance(model, (StreamingClassifier, PreparedClassifier)):
        return Teacher()
    exact = can_revise(model) and getattr(model, "max_examples", None) is None
    # A model that holds examples already has given them names, most likely 0, 1, 2, ...
    return Exact(_free_prefix(model) if is_fitted(model) else "") if exact else Streaming()


def _free_prefix(model: Any) -> str:
    """Return a prefix that no name in use begins with; the model may come from another learner."""
    taken = {name.partition(" ")[0] for name in model.ids_ if isinstance(name, str)}
    words = chain(["pool"], (f"pool{n}" for n in count(2)))
    return next(f"{word} " for word in words if word not in taken)


def can_revise(model: Any) -> bool:
    """Tell whether a model knows its examples by ids, and can forget and relabel them."""
    return hasattr(model, "forget") and hasattr(model, "relabel") and has_fit_parameter(model, "ids")


def is_fitted(model: Any) -> bool:
    """Tell whether a model can be asked."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def knows_classes(model: Any, target: Any = None) -> bool:
    """Tell whether a fitted model knows two classes, and the one that is looked for; who does not say is believed."""
    classes = getattr(model, "classes_", None)
    return classes is None or (len(classes) > 1 and (target is None or target in classes))


def own_copy(model: Any, X: Any) -> Any:
    """Return a model to teach; of one that knows nothing yet, `gamma="scale"` is settled by the pool.

    A first answer would be all that it had to go by.
    """
    if not hasattr(model, "get_params") or not hasattr(model, "fit"):
        raise ParameterError(f"model must be an estimator, with fit and predict, got {type(model).__name__}.")
    if not is_classifier(model):
        raise ParameterError(f"model must be a classifier, got {type(model).__name__}, which knows no classes.")
    if get_tags(model).input_tags.pairwise:
        raise ParameterError(
            "The kernel of model must not be 'precomputed', got one that is; give the examples and a kernel function."
        )
    if is_fitted(model):
        return deepcopy(model)
    copy = clone(model)
    if isinstance(copy, StreamingClassifier) and copy.gamma == "scale" and not callable(copy.kernel):
        weights = np.ones(X.shape[0])
        values = X if not hasattr(X, "iloc") else X.to_numpy()
        spec = KernelSpec.resolve(copy.kernel, copy.degree, copy.gamma, copy.coef0, X=values, weights=weights)
        copy.set_params(gamma=spec.gamma)
    return copy


def pooled_rows(model: Any, X: Any) -> PooledRows | None:
    """Return a pool whose rows our models take as they are; None for other models, and where columns have names."""
    if hasattr(X, "iloc") or not isinstance(model, StreamingClassifier):
        return None
    pool = PooledRows(X)
    doubles = pool.X.shape[0] * pool.X.shape[1] if isinstance(pool.X, np.ndarray) else pool.X.nnz
    if can_revise(model) and pool.X.dtype != np.float64 and 8 * doubles <= _AS_DOUBLES:
        return PooledRows(pool.X.astype(np.float64))
    return pool

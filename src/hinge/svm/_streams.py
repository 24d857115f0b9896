"""How a fitted SVC goes on: as an `OnlineSVC` with the same parameters, kernel and state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hinge.exceptions import ParameterError
from hinge.online import OnlineSVC

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hinge._model.types import MatrixLike

_SHARED = ("C", "kernel", "degree", "coef0", "tol", "cache_size", "random_state")
_FEATURES = ("n_features_in_", "feature_names_in_")


def as_online(model: Any) -> OnlineSVC:
    """Return an `OnlineSVC` that shares the state of a fitted SVC, and goes on from there."""
    if callable(model.kernel):
        raise ParameterError(
            "kernel must be the name of a kernel to go on learning, got a function; OnlineSVC learns with functions."
        )
    if "_state" not in vars(model):
        raise ParameterError("probability must be False to go on learning; use CalibratedClassifierCV instead.")
    shared = {name: getattr(model, name) for name in _SHARED}
    gamma = model._state.kernel.gamma
    factors = dict(zip(model.classes_.tolist(), model.class_weight_.tolist(), strict=True))
    online = OnlineSVC(
        **shared,
        gamma=gamma,
        class_weight=None if model.class_weight is None else factors,
        verbose=bool(model.verbose),
        multi_class="ovo",
    )
    online._state = model._state
    online.__dict__.update({name: vars(model)[name] for name in _FEATURES if name in vars(model)})
    return online


def learn_more(
    model: Any, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None, sample_weight: ArrayLike | None
) -> None:
    """Learn more examples, and read the solution again."""
    online = as_online(model)
    online.partial_fit(X, y, classes, sample_weight).finish()
    model._state = online._state
    model._go_on(online.classes_)

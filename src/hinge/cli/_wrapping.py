"""Models with and without a preparation of their own."""

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from hinge._model.params import choice
from hinge.cli._models import is_detector, is_regression
from hinge.tables import (
    MISSING_POLICIES,
    UNKNOWN_POLICIES,
    Column,
    OneClassPreparation,
    Preparation,
    PreparedClassifier,
    PreparedDetector,
)

_KINDS = {"b": "truth", "i": "whole", "u": "whole", "f": "number"}


def wrapped(model: Any, preparation: Preparation) -> Any:
    """Return a model that takes rows of a file; where nothing has to be done to them, the model itself does."""
    if preparation.changes_nothing and normal_of(preparation) is None:
        return model
    return (PreparedDetector if is_detector(model) else PreparedClassifier)(model, preparation)


def unwrapped(model: Any, *, missing: str | None = None, unknown: str | None = None) -> tuple[Any, Preparation]:
    """Return the estimator inside a model and how rows become its examples, policies replaced if given."""
    if isinstance(model, (PreparedClassifier, PreparedDetector)):
        estimator, preparation = model.model, model.preparation
    else:
        estimator, preparation = model, _plain(model)
    missing = choice("missing", missing or preparation.missing, MISSING_POLICIES)
    unknown = choice("unknown", unknown or preparation.unknown, UNKNOWN_POLICIES)
    if is_detector(estimator):
        preparation = OneClassPreparation.of(preparation, normal_of(preparation))
    return estimator, replace(preparation, missing=missing, unknown=unknown)


def normal_of(preparation: Preparation) -> str | None:
    """Return the label of rows that count as normal, if somebody has named it."""
    return preparation.normal if isinstance(preparation, OneClassPreparation) else None


def label_kind(labels: NDArray[Any]) -> str:
    """Return how labels like these are read from a file."""
    return _KINDS.get(labels.dtype.kind, "text")


def _plain(model: Any) -> Preparation:
    """Return the preparation that does nothing but read."""
    names = getattr(model, "feature_names_in_", None)
    storage = model._state.storage
    return Preparation(
        model.n_features_in_,
        columns=None if names is None else tuple(Column(name) for name in names),
        label_kind="number" if is_regression(model) else "text" if is_detector(model) else label_kind(model.classes_),
        first_index=1,
        dense=not storage.sparse,
        dtype=storage.dtype.name,
    )

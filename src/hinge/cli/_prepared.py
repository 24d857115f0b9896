"""Models with and without a preparation of their own."""

from dataclasses import replace

from hinge.streaming import Model, storage, traits
from hinge.tables import (
    Labels,
    NumberColumn,
    OneClassPreparation,
    Preparation,
    PreparedClassifier,
    PreparedDetector,
    PreparedRegressor,
    check_policies,
)

_WRAPPERS: dict[str, type[Model]] = {
    "classification": PreparedClassifier,
    "one-class": PreparedDetector,
    "regression": PreparedRegressor,
}
_LABEL_KINDS = {"b": "truth", "i": "whole", "u": "whole", "f": "number"}  # by the kind of a dtype


def join(model: Model, preparation: Preparation) -> Model:
    """Return a model that takes rows as they are in a file: the model itself if they need no preparation."""
    if preparation.changes_nothing and normal_label(preparation) is None:
        return model
    return _WRAPPERS[traits(model).task](model, preparation)


def split(model: Model, *, missing: str | None = None, unknown: str | None = None) -> tuple[Model, Preparation]:
    """Return the estimator inside a model, and its preparation with other policies if they are given."""
    if isinstance(model, (PreparedClassifier, PreparedDetector, PreparedRegressor)):
        estimator, preparation = model.model, model.preparation
    else:
        estimator, preparation = model, _plain_preparation(model)
    check_policies(missing=missing, unknown=unknown)
    if traits(estimator).task == "one-class":
        preparation = OneClassPreparation.of(preparation, normal_label(preparation))
    return estimator, replace(
        preparation, missing=missing or preparation.missing, unknown=unknown or preparation.unknown
    )


def normal_label(preparation: Preparation) -> str | None:
    """Return the label of normal rows, if the user has named it."""
    return preparation.normal if isinstance(preparation, OneClassPreparation) else None


def label_kind(labels: Labels) -> str:
    """Return how to read labels of this type from a file; see `Preparation`."""
    return _LABEL_KINDS.get(labels.dtype.kind, "text")


def _plain_preparation(model: Model) -> Preparation:
    """Return a preparation that only converts rows to the type that a model stores."""
    names = getattr(model, "feature_names_in_", None)
    task, stored = traits(model).task, storage(model)
    return Preparation(
        model.n_features_in_,
        columns=None if names is None else tuple(NumberColumn(name) for name in names),
        label_kind={"regression": "number", "one-class": "text"}.get(task) or label_kind(model.classes_),
        first_index=1,
        dense=not stored.sparse,
        dtype=stored.dtype.name,
    )

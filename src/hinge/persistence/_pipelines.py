"""What is saved for estimators that contain a model and how its rows are prepared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from hinge.persistence._errors import ModelFileError
from hinge.streaming import storage, traits
from hinge.tables import (
    NumberColumn,
    OneClassPreparation,
    Preparation,
    PreparedClassifier,
    PreparedDetector,
    PreparedRegressor,
    Scaling,
    TableModel,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

Affine = tuple["NDArray[np.float64] | float", "NDArray[np.float64] | float"]  # x becomes (x - offset) * factor


def as_saved(model: Any) -> Any:
    """Return the model to save: the prepared model of a table model or pipeline, or the model itself."""
    if isinstance(model, TableModel):
        check_is_fitted(model)
        return model.prepared_
    return _from_pipeline(model) if isinstance(model, Pipeline) else model


def _from_pipeline(pipeline: Pipeline) -> Any:
    """Return the prepared model that predicts what a pipeline of scalers and a model of this package predicts."""
    check_is_fitted(pipeline)
    *steps, (last, model) = pipeline.steps
    if not hasattr(model, "stream_traits"):
        raise _in_the_way(last, model, "the last step must be a model of hinge")
    n_features = model.n_features_in_
    offset, factor = np.zeros(n_features), np.ones(n_features)
    for name, step in steps:
        if step not in (None, "passthrough"):
            shift, scale = _affine(name, step)
            # ((x - offset) * factor - shift) * scale = (x - (offset + shift / factor)) * (factor * scale)
            offset, factor = offset + shift / factor, factor * scale
    stored, names = storage(model), getattr(steps[0][1], "feature_names_in_", None) if steps else None
    if stored.sparse and np.any(offset):
        raise ModelFileError("The pipeline cannot be saved: it subtracts an offset from sparse rows.")
    task = traits(model).task
    preparation = Preparation(
        n_features,
        columns=None if names is None else tuple(NumberColumn(name) for name in names),
        names=() if names is None else tuple(names),
        label_kind="number" if task == "regression" else "text",
        dense=not stored.sparse,
        dtype=stored.dtype.name,
        scaling=Scaling(factor, None if stored.sparse else offset, "scaled by the steps of a pipeline"),
    )
    if task == "one-class":
        return PreparedDetector(model, OneClassPreparation.of(preparation))
    return (PreparedRegressor if task == "regression" else PreparedClassifier)(model, preparation)


def _affine(name: str, step: Any) -> Affine:
    """Return what a scaler subtracts, and what it multiplies by then."""
    if isinstance(step, StandardScaler):
        return (
            step.mean_ if step.with_mean else 0.0,
            1.0 / step.scale_ if step.with_std else 1.0,
        )
    if isinstance(step, RobustScaler):
        return (
            step.center_ if step.with_centering else 0.0,
            1.0 / step.scale_ if step.with_scaling else 1.0,
        )
    if isinstance(step, MaxAbsScaler) and not getattr(step, "clip", False):
        return 0.0, 1.0 / step.scale_
    if isinstance(step, MinMaxScaler) and not step.clip:
        return -step.min_ / step.scale_, step.scale_
    raise _in_the_way(
        name,
        step,
        "only StandardScaler, RobustScaler, MaxAbsScaler and MinMaxScaler without clipping can be saved; for other "
        "columns, use hinge.tables.TableClassifier",
    )


def _in_the_way(name: str, step: Any, reason: str) -> ModelFileError:
    return ModelFileError(f"The pipeline cannot be saved: its step {name!r} is a {type(step).__name__}, and {reason}.")

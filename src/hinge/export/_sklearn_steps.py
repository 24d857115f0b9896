"""A preparation as steps of a pipeline of scikit-learn."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge.tables import Column, Preparation


def preparation_steps(preparation: Preparation) -> list[Any]:
    """Return fitted steps that turn raw rows into the features that the model sees."""
    steps = [] if preparation.columns is None else [_columns(preparation, preparation.columns)]
    scaling = preparation.scaling
    if scaling.factor is not None:
        steps.append(scaler(scaling.offset, scaling.factor, preparation.n_features))
    return steps


def scaler(offset: NDArray[np.float64] | None, factor: NDArray[np.float64] | None, n_features: int) -> StandardScaler:
    """Return the step (x - offset) * factor; None leaves either out."""
    step = StandardScaler(with_mean=offset is not None, with_std=factor is not None)
    step.mean_ = offset
    step.scale_ = None if factor is None else 1.0 / factor
    step.var_ = None if factor is None else np.square(step.scale_)
    step.n_features_in_, step.n_samples_seen_ = n_features, 1
    return step


def _columns(preparation: Preparation, columns: tuple[Column, ...]) -> ColumnTransformer:
    """Return the step that picks columns of a data frame by name and encodes them, in the order of the features."""
    try:
        frames: Any = import_module("pandas")
    except ImportError as error:
        raise ImportError("A pipeline of named columns is one for data frames; run pip install pandas.") from error
    parts = [(f"column{place}", _part(preparation, column), [column.name]) for place, column in enumerate(columns)]
    row = {column.name: [column.categories[0] if column.categories else 0.0] for column in columns}
    step = ColumnTransformer(parts, sparse_threshold=0.0 if preparation.dense else 1.0, verbose_feature_names_out=False)
    return step.fit(frames.DataFrame(row))


def _part(preparation: Preparation, column: Column) -> Any:
    fill = preparation.missing == "fill"
    if column.categories is None:
        return SimpleImputer(strategy="constant", fill_value=column.mean) if fill else "passthrough"
    unknown = "ignore" if preparation.unknown == "ignore" else "error"
    categories = [np.array(column.categories, dtype=object)]
    encoder = OneHotEncoder(categories=categories, handle_unknown=unknown, sparse_output=not preparation.dense)
    if "" not in column.categories:
        return encoder
    return make_pipeline(SimpleImputer(strategy="constant", fill_value="", keep_empty_features=True), encoder)

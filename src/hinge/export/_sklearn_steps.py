"""Convert a preparation to steps of a scikit-learn pipeline."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from hinge.export._model_access import unsupported_column
from hinge.tables import BooleanColumn, CategoryColumn, IdColumn, NumberColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.tables import Column, Preparation


def preparation_steps(preparation: Preparation) -> list[BaseEstimator]:
    """Return fitted steps that convert raw rows to the features of the model."""
    steps = [] if preparation.columns is None else [_column_step(preparation, preparation.columns)]
    scaling = preparation.scaling
    if scaling.factor is not None:
        steps.append(scaler(scaling.offset, scaling.factor, preparation.n_features))
    return steps


def scaler(offset: NDArray[np.float64] | None, factor: NDArray[np.float64] | None, n_features: int) -> StandardScaler:
    """Return the fitted step (x - offset) * factor; None skips one of the two."""
    step = StandardScaler(with_mean=offset is not None, with_std=factor is not None)
    step.mean_ = offset
    step.scale_ = None if factor is None else 1.0 / factor
    step.var_ = None if factor is None else np.square(step.scale_)
    step.n_features_in_, step.n_samples_seen_ = n_features, 1
    return step


def _column_step(preparation: Preparation, columns: tuple[Column, ...]) -> ColumnTransformer:
    """Return the fitted step that selects and encodes the columns of a DataFrame, in the order of the features."""
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise ImportError("A pipeline with named columns needs DataFrames; run pip install pandas.") from error
    parts = [(f"column{number}", _encoder(preparation, column), [column.name]) for number, column in enumerate(columns)]
    row = {column.name: [_valid_value(column)] for column in columns}
    step = ColumnTransformer(parts, sparse_threshold=0.0 if preparation.dense else 1.0, verbose_feature_names_out=False)
    return step.fit(pandas.DataFrame(row))


def _valid_value(column: Column) -> str | float:
    if isinstance(column, BooleanColumn):
        return column.true
    return column.categories[0] if isinstance(column, CategoryColumn) else 0.0


def _encoder(preparation: Preparation, column: Column) -> BaseEstimator | str:
    fill = preparation.missing == "fill"
    if isinstance(column, NumberColumn):
        # Imputers take no columns of booleans, which a data frame may have in place of 0 and 1.
        numbers = FunctionTransformer(np.asarray, kw_args={"dtype": np.float64}, feature_names_out="one-to-one")
        imputer = SimpleImputer(strategy="constant", fill_value=column.mean)
        return make_pipeline(numbers, imputer) if fill else "passthrough"
    if isinstance(column, IdColumn):
        return "drop"
    if isinstance(column, BooleanColumn):
        true = [np.array([column.true], dtype=object)]
        return OneHotEncoder(categories=true, handle_unknown="ignore", sparse_output=not preparation.dense)
    if not isinstance(column, CategoryColumn):
        raise unsupported_column(column)
    unknown = "ignore" if preparation.unknown == "ignore" else "error"
    categories = [np.array(column.categories, dtype=object)]
    encoder = OneHotEncoder(categories=categories, handle_unknown=unknown, sparse_output=not preparation.dense)
    if "" not in column.categories:
        return encoder
    return make_pipeline(SimpleImputer(strategy="constant", fill_value="", keep_empty_features=True), encoder)

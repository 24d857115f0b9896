"""Convert a preparation to steps of a scikit-learn pipeline."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from hinge.export._model_access import unsupported_column
from hinge.tables import BooleanColumn, CategoryColumn, Cells, DateColumn, NumberColumn, TextColumn, without_words

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hinge.tables import Column, Preparation


_DATES = {  # valid dates in each order
    "year-month-day": "2000-01-01",
    "month-day-year": "01/01/2000",
    "day-month-year": "01.01.2000",
    "day-name-year": "1 Jan 2000",
    "name-day-year": "Jan 1, 2000",
    "name-day-time-year": "Sat Jan 1 00:00:00 2000",
    "yearmonthday": "20000101",
    "year-month": "2000-01",
    "name-year": "Jan 2000",
    "time": "00:00",
}


def preparation_steps(preparation: Preparation) -> list[BaseEstimator]:
    """Return fitted steps that convert raw rows to the features of the model."""
    steps = [] if preparation.columns is None else [_column_step(preparation, preparation.columns)]
    if preparation.missing_values:
        steps.insert(0, FunctionTransformer(named_missing, kw_args={"words": preparation.missing_values}))
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
    parts = [
        (f"column{number}", _encoder(preparation, column) if column.width else "drop", _selected(column))
        for number, column in enumerate(columns)
    ]
    row = {column.name: [_valid_value(column)] for column in columns}
    step = ColumnTransformer(parts, sparse_threshold=0.0 if preparation.dense else 1.0, verbose_feature_names_out=False)
    step.fit(pandas.DataFrame(row))
    for number, column in enumerate(columns):
        if isinstance(column, TextColumn) and column.width:
            step.named_transformers_[f"column{number}"].idf_ = np.array(column.weights)
    return step


def named_missing(X: Any, words: tuple[str, ...]) -> Any:
    """Replace the words for missing values in a data frame; a step of a pipeline calls it."""
    named = X.copy()
    for name in X.columns:
        named[name] = without_words(np.asarray(X[name]), words)
    return named


def date_features(X: object, column: DateColumn, missing: str) -> NDArray[np.float64]:
    """Return the features of a column of dates; a step of a pipeline calls it."""
    values = np.asarray(X, dtype=object).ravel()
    return column.compute(column.parse(Cells(values, lambda row: row + 1, missing)))


def _selected(column: Column) -> str | list[str]:
    """Return how to select a column: steps for texts take one dimension, others two."""
    return column.name if isinstance(column, TextColumn) and column.width else [column.name]


def _vectorizer(column: TextColumn) -> TfidfVectorizer:
    words = {word: place for place, word in enumerate(column.words)}
    return TfidfVectorizer(vocabulary=words, token_pattern=r"\w\w+")  # noqa: S106  no password


def _valid_value(column: Column) -> str | float:
    if isinstance(column, BooleanColumn):
        return column.true
    if isinstance(column, DateColumn):
        return _DATES[column.order]
    if isinstance(column, TextColumn):
        return " ".join(column.words)
    return column.categories[0] if isinstance(column, CategoryColumn) else 0.0


def _encoder(preparation: Preparation, column: Column) -> BaseEstimator | str:
    fill = preparation.missing == "fill"
    if isinstance(column, NumberColumn):
        # Imputers take no columns of booleans, which a data frame may have in place of 0 and 1.
        numbers = FunctionTransformer(np.asarray, kw_args={"dtype": np.float64}, feature_names_out="one-to-one")
        imputer = SimpleImputer(strategy="constant", fill_value=column.mean)
        return make_pipeline(numbers, imputer) if fill else "passthrough"
    if isinstance(column, DateColumn):
        return FunctionTransformer(date_features, kw_args={"column": column, "missing": preparation.missing})
    if isinstance(column, TextColumn):
        return _vectorizer(column)
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

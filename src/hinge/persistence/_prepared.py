"""Prepared models: the wrapped model, a JSON object that describes the columns, and two arrays of scales.

One-class models have another field, the label of normal examples.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hinge._fit.classifier import KernelClassifier
from hinge.approximate import ApproximateSVR
from hinge.exceptions import sentence
from hinge.incremental import IncrementalOneClassSVM
from hinge.persistence import _json
from hinge.persistence._columns import column_from_json, column_to_json, number_format
from hinge.persistence._errors import ModelFileError, require
from hinge.persistence._file import Parts
from hinge.persistence._registry import Entry, from_parts, to_parts
from hinge.tables import (
    LABEL_KINDS,
    MAX_FEATURES,
    MISSING_POLICIES,
    UNKNOWN_POLICIES,
    Answers,
    OneClassPreparation,
    Preparation,
    PreparedClassifier,
    PreparedDetector,
    PreparedRegressor,
    Scaling,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.types import Values


FACTOR, OFFSET = "preparation.factor", "preparation.offset"

Prepared = PreparedClassifier | PreparedDetector | PreparedRegressor
Scales = dict[str, "NDArray[np.float64] | None"]

_FIELDS: _json.FieldTypes = {"model": (dict,), "preparation": (dict,)}
# Written only where they matter.
_OPTIONAL: _json.FieldTypes = {"merged": (list,), "missing_values": (list,), "answers": (dict,)}
_ANSWERS: _json.FieldTypes = {
    "decimal": (str,),
    "thousands": (str,),
    "unit": (str,),
    "mean": (int, float),
    "scale": (int, float),
    "threshold": (int, float),
}
_NORMAL: _json.FieldTypes = {"normal": (str, type(None))}
_PREPARATION: _json.FieldTypes = {
    "n_features": (int,),
    "columns": (list, type(None)),
    "names": (list,),
    "label": (str, type(None)),
    "label_kind": (str,),
    "first_index": (int,),
    "dense": (bool,),
    "dtype": (str,),
    "scaling": (str,),
    "missing": (str,),
    "unknown": (str,),
}


def prepared(estimator: type[Prepared]) -> Entry:
    """Return the registry entry of a class of prepared models."""
    return Entry(estimator, _to_parts, partial(_from_parts, estimator))


def _to_parts(model: Prepared) -> Parts:
    if not _fits(type(model), model.model):
        raise ModelFileError(f"A {type(model).__name__} cannot be saved with a {type(model.model).__name__} inside.")
    inner = to_parts(model.model)
    preparation = model.preparation
    scales = {FACTOR: preparation.scaling.factor, OFFSET: preparation.scaling.offset}
    scales = {name: None if values is None else np.asarray(values, dtype=np.float64) for name, values in scales.items()}
    values = _values(preparation)
    try:
        _preparation(_json.parse(_json.write(values)), scales)
    except ModelFileError as error:
        raise ModelFileError(f"The model cannot be saved: {sentence(error)}.") from None
    arrays = inner.arrays | {name: array for name, array in scales.items() if array is not None}
    normal = {"normal": getattr(preparation, "normal", None)} if isinstance(model, PreparedDetector) else {}
    return Parts(arrays, {"model": inner.header, "preparation": values} | normal)


def _fits(estimator: type[Prepared], model: object) -> bool:
    """Return whether a class of prepared models can wrap a model."""
    if isinstance(model, IncrementalOneClassSVM):
        return estimator is PreparedDetector
    return estimator is (PreparedRegressor if isinstance(model, ApproximateSVR) else PreparedClassifier) and isinstance(
        model, (ApproximateSVR, KernelClassifier)
    )


def _values(preparation: Preparation) -> Values:
    values = {name: getattr(preparation, name) for name in _PREPARATION}
    values["scaling"], values["names"] = preparation.scaling.description, list(preparation.names)
    if preparation.missing_values:
        values["missing_values"] = list(preparation.missing_values)
    if preparation.merged:
        values["merged"] = list(preparation.merged)
    if preparation.answers != Answers():
        answers = asdict(preparation.answers)
        values["answers"] = answers.pop("style") | answers
    if preparation.columns is not None:
        values["columns"] = [column_to_json(column) for column in preparation.columns]
    return values


def _from_parts(estimator: type[Prepared], parts: Parts) -> Prepared:
    one_class = estimator is PreparedDetector
    header = _json.fields(parts.header, "its header", _FIELDS | (_NORMAL if one_class else {}))
    arrays = dict(parts.arrays)
    scales = {name: arrays.pop(name, None) for name in (FACTOR, OFFSET)}
    model = from_parts(Parts(arrays, header["model"]))
    require(not isinstance(model, Prepared), "a prepared model holds another one")
    require(_fits(estimator, model), "its model does not match its estimator")
    preparation = _preparation(header["preparation"], scales)
    require(preparation.n_features == model.n_features_in_, "its preparation does not match the features of its model")
    return estimator(model, OneClassPreparation.of(preparation, header["normal"]) if one_class else preparation)


def _preparation(value: object, scales: Scales) -> Preparation:
    more = {name: kinds for name, kinds in _OPTIONAL.items() if isinstance(value, dict) and name in value}
    values = _json.fields(value, "its preparation", _PREPARATION | more)
    answers = _answers(values.pop("answers", None))
    merged = values.setdefault("merged", [])
    require(all(isinstance(label, str) for label in merged), "its merged labels are not strings")
    words = values.setdefault("missing_values", [])
    require(all(isinstance(word, str) for word in words), "its words for missing values are not strings")
    require(not words or values["columns"] is not None, "it has words for missing values, but no columns")
    require(not merged or values["label_kind"] == "text", "it merges labels that are not text")
    for name, allowed in (
        ("label_kind", LABEL_KINDS),
        ("first_index", (0, 1)),
        ("dtype", ("float32", "float64")),
        ("missing", MISSING_POLICIES),
        ("unknown", UNKNOWN_POLICIES),
    ):
        require(values[name] in allowed, f"the field {name!r} of its preparation has an unknown value")
    n_features = values["n_features"]
    require(0 < n_features <= MAX_FEATURES, "its preparation makes no sensible number of features")
    columns = None if values["columns"] is None else tuple(column_from_json(column) for column in values["columns"])
    if columns is not None:
        names = [column.name for column in columns]
        require(len(set(names)) == len(names), "its preparation has a column twice")
        require(sum(column.width for column in columns) == n_features, "its columns do not make up its features")
    names = values["names"]
    require(all(isinstance(name, str) for name in names), "the names of its columns are not strings")
    scaling = _scaling(scales, n_features, values["scaling"], values["dense"])
    tuples = {"names": tuple(names), "merged": tuple(merged), "missing_values": tuple(words)}
    return Preparation(
        **values | tuples | {"columns": columns, "scaling": scaling},
        answers=answers,
    )


def _answers(value: Values | None) -> Answers:
    if value is None:
        return Answers()
    values = _json.fields(value, "its answers", _ANSWERS)
    style = number_format({name: values.pop(name) for name in ("decimal", "thousands", "unit")})
    finite = all(math.isfinite(number) for number in values.values())
    require(finite and values["scale"] > 0, "its answers have invalid numbers")
    return Answers(style, **{name: float(number) for name, number in values.items()})


def _scaling(scales: Scales, n_features: int, words: str, dense: bool) -> Scaling:
    for name, array in scales.items():
        if array is not None:
            fitting = array.shape == (n_features,) and array.dtype == np.float64
            require(fitting and bool(np.isfinite(array).all()), f"{name} is not one finite number per feature")
    factor, offset = scales[FACTOR], scales[OFFSET]
    if offset is not None:
        require(factor is not None and dense, "it subtracts an offset from features that are sparse or not scaled")
    return Scaling(factor, offset, words)

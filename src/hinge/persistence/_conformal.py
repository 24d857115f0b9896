"""Prediction sets around other models: these models, and the scores, labels and folds of the rows to rank among.

The parameter `estimator` is not in the file; a loaded model has the fitted one there, of which `fit` makes a new copy.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from hinge.conformal import CrossConformalClassifier, SplitConformalClassifier
from hinge.exceptions import sentence
from hinge.persistence import _json
from hinge.persistence._check import check_classes
from hinge.persistence._errors import ModelFileError, require
from hinge.persistence._file import Parts
from hinge.persistence._registry import Entry, from_parts, to_parts
from hinge.persistence._values import decode, encode

if TYPE_CHECKING:
    from hinge._model.types import Arrays

Wrapper: TypeAlias = SplitConformalClassifier | CrossConformalClassifier

SCORES, LABELS, FOLDS = "conformal.scores", "conformal.labels", "conformal.folds"
_FIELDS: _json.FieldTypes = {"parameters": (dict,), "models": (list,), "labels": (list,), "label_type": (str,)}


def conformal(wrapper: type[Wrapper]) -> Entry:
    """Return the registry entry of a class of prediction sets around other models."""
    return Entry(wrapper, _to_parts, partial(_from_parts, wrapper))


def _to_parts(wrapper: Wrapper) -> Parts:
    check_is_fitted(wrapper)
    parameters = wrapper.get_params(deep=False)
    del parameters["estimator"]
    labels, places = np.unique(wrapper.labels_, return_inverse=True)
    arrays = {SCORES: np.asarray(wrapper.scores_, dtype=np.float64), LABELS: places.astype(np.int64)}
    models = [wrapper.estimator_]
    if isinstance(wrapper, CrossConformalClassifier):
        arrays[FOLDS] = wrapper.folds_.astype(np.int64)
        models += wrapper.estimators_
    headers = []
    for number, model in enumerate(models):
        inner = to_parts(model)
        arrays |= {_prefix(number) + name: array for name, array in inner.arrays.items()}
        headers.append(inner.header)
    header = {
        "parameters": {name: encode(name, value) for name, value in parameters.items()},
        "models": headers,
        "labels": labels.tolist(),
        "label_type": labels.dtype.str,
    }
    try:
        _check_rows(arrays, header)
    except ModelFileError as error:
        raise ModelFileError(f"The model cannot be saved: {sentence(error)}.") from None
    return Parts(arrays, header)


def _from_parts(kind: type[Wrapper], parts: Parts) -> Wrapper:
    header = _json.fields(parts.header, "its header", _FIELDS)
    arrays = dict(parts.arrays)
    models = [_model(arrays, number, inner) for number, inner in enumerate(header["models"])]
    _check_rows(arrays, header)
    parameters: dict[str, Any] = {name: decode(name, value) for name, value in header["parameters"].items()}
    require(bool(models) and "estimator" not in parameters, "it has no model, or one too many")
    wrapper = kind(models[0], **parameters)  # unknown parameters are TypeErrors, which `load` reports
    wrapper.estimator_, wrapper.classes_ = models[0], models[0].classes_
    wrapper.scores_ = arrays.pop(SCORES)
    wrapper.labels_ = np.array(header["labels"], dtype=np.dtype(header["label_type"]))[arrays.pop(LABELS)]
    if isinstance(wrapper, CrossConformalClassifier):
        _take_folds(wrapper, arrays, models[1:])
    else:
        require(len(models) == 1, "it has more models than it needs")
    require(not arrays, "it has arrays that no model needs")
    return wrapper


def _model(arrays: Arrays, number: int, header: Any) -> Any:
    """Return one of the models, and take its arrays away."""
    start = _prefix(number)
    own = {name.removeprefix(start): arrays.pop(name) for name in list(arrays) if name.startswith(start)}
    nested = isinstance(header, dict) and "models" in header
    require(not nested, "prediction sets in it are around other prediction sets")
    model = from_parts(Parts(own, header))
    require(is_classifier(model) and hasattr(model, "classes_"), "a model in it is not a classifier")
    return model


def _take_folds(wrapper: CrossConformalClassifier, arrays: Arrays, models: list[Any]) -> None:
    folds = arrays.pop(FOLDS, np.zeros(0))
    fitting = folds.dtype == np.int64 and folds.shape == wrapper.scores_.shape
    require(fitting and folds.min() >= 0 and folds.max() < len(models), "its folds do not match its models")
    for model in models:
        require(set(model.classes_.tolist()) <= set(wrapper.classes_.tolist()), "a fold has classes of its own")
        require(model.n_features_in_ == wrapper.estimator_.n_features_in_, "its folds have different features")
    wrapper.estimators_, wrapper.folds_ = models, folds


def _check_rows(arrays: Arrays, header: dict[str, Any]) -> None:
    """Raise `ModelFileError` unless there is a label for each score; that of an unknown label is minus infinity."""
    labels, scores, places = header["labels"], arrays.get(SCORES), arrays.get(LABELS)
    check_classes(labels, header["label_type"], list(range(len(labels))))
    if scores is None or places is None:
        raise ModelFileError("the rows that it ranks have no scores or no labels")
    fitting = scores.dtype == np.float64 and scores.ndim == 1 and places.dtype == np.int64
    require(fitting, "its scores or labels are of the wrong type")
    require(len(scores) > 0 and places.shape == scores.shape, "its scores do not match its labels")
    require(not np.isnan(scores).any() and bool((scores < np.inf).all()), "a score is not a number")
    require(places.min() >= 0 and places.max() < len(labels), "a row has a label that is not there")


def _prefix(number: int) -> str:
    return f"model{number}."

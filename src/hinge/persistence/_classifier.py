"""Classifiers that keep all they know in one state object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hinge._model.locking import reads
from hinge._model.state import SolverOptions, State
from hinge.exceptions import quoted, sentence
from hinge.persistence import _json
from hinge.persistence._check import check_state
from hinge.persistence._errors import ModelFileError, require
from hinge.persistence._file import Arrays, Parts
from hinge.persistence._older import completed
from hinge.persistence._registry import Entry
from hinge.persistence._values import decode, encode

Check = Callable[[Arrays, dict[str, Any], SolverOptions], None]

_FIELDS: dict[str, tuple[type, ...]] = {"parameters": (dict,), "feature_names": (list, type(None)), "state": (dict,)}


def classifier(estimator: type[Any], state: type[Any] = State, check: Check = check_state) -> Entry:
    """Return the entry of a class of streaming classifiers.

    Parameters
    ----------
    estimator : type
        The class, a `KernelClassifier`.
    state : type
        The class of its `_state`, with `to_arrays` and `from_arrays`.
    check : callable
        Raises `ModelFileError` unless arrays and values can have come from `to_arrays`, in a model with such options.
    """
    return Entry(estimator, partial(_take_apart, check=check), partial(_put_together, estimator, state, check))


@reads
def _take_apart(model: Any, check: Check) -> Parts:
    """Return the parts of a model; what could not be loaded again is refused now."""
    check_is_fitted(model)
    parameters = {name: encode(name, value) for name, value in model.get_params(deep=False).items()}
    options = model._check_params(streaming=False)
    model._learner.require_unchanged(model, model._state, options)
    arrays, values = model._state.to_arrays()
    del values["options"]  # they follow from the parameters, and from the machine that the model is loaded on
    try:
        values = _json.parse(_json.write(values))  # as the reader will see them
        check(arrays, values, options)
    except ModelFileError as error:
        raise ModelFileError(f"The model cannot be saved: {sentence(error)}.") from None
    names = getattr(model, "feature_names_in_", None)
    return Parts(
        arrays,
        {"parameters": parameters, "feature_names": None if names is None else names.tolist(), "state": values},
    )


def _put_together(estimator: type[Any], kind: type[Any], check: Check, parts: Parts) -> Any:
    header = _json.fields(parts.header, "its header", _FIELDS)
    model = _with_parameters(estimator, header["parameters"])
    options = model._check_params(streaming=False)
    arrays = completed(parts.arrays)
    check(arrays, header["state"], options)
    state = kind.from_arrays(arrays, header["state"] | {"options": asdict(options)})
    model._learner.require_unchanged(model, state, options)
    state.native  # noqa: B018  built now: the native code looks at the arrays as well
    model._state = state
    model.n_features_in_ = state.storage.n_features
    names = header["feature_names"]
    if names is not None:
        fitting = len(names) == model.n_features_in_ and all(isinstance(name, str) for name in names)
        require(fitting, "the names of its features do not match their number")
        model.feature_names_in_ = np.array(names, dtype=object)
    return model


def _with_parameters(estimator: type[Any], parameters: dict[str, Any]) -> Any:
    known = estimator().get_params(deep=False)
    for name in parameters:
        require(name in known, f"{estimator.__name__} has no parameter {quoted(name)}")
    return estimator(**{name: decode(name, value) for name, value in parameters.items()})

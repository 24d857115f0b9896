"""Estimators in files: parameters, feature names and the state."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hinge import _core
from hinge._model.locking import reads
from hinge._model.options import SolverOptions
from hinge._model.state import State
from hinge._model.types import Arrays, Values
from hinge.exceptions import quoted, sentence
from hinge.persistence import _json
from hinge.persistence._check import check_state
from hinge.persistence._errors import ModelFileError, require
from hinge.persistence._file import Parts
from hinge.persistence._registry import Entry
from hinge.persistence._values import decode, encode

if TYPE_CHECKING:
    from hinge._fit.estimator import KernelEstimator

Check: TypeAlias = Callable[[Arrays, Values, SolverOptions], None]

_FIELDS: dict[str, tuple[type, ...]] = {"parameters": (dict,), "feature_names": (list, type(None)), "state": (dict,)}


def estimator_entry(estimator: type[KernelEstimator], state: type[State] = State, check: Check = check_state) -> Entry:
    """Return the registry entry of a class of estimators.

    Parameters
    ----------
    estimator : type
        The class.
    state : type
        The class of its `_state`, with `to_arrays` and `from_arrays`.
    check : callable
        Raises `ModelFileError` unless arrays and values can have come from `to_arrays`, in a model with such options.
    """
    return Entry(estimator, partial(_to_parts, check=check), partial(_from_parts, estimator, state, check))


@reads
def _to_parts(model: KernelEstimator, check: Check) -> Parts:
    """Convert a model to the parts of a file; raise `ModelFileError` if the file could not be loaded."""
    check_is_fitted(model)
    parameters = {name: encode(name, value) for name, value in model.get_params(deep=False).items()}
    options = model._check_params(streaming=False)
    model._learner.require_unchanged(model, model._state, options)
    arrays, values = model._state.to_arrays()
    del values["options"]  # the parameters decide them, and the number of processors when the model is loaded
    try:
        values = _json.parse(_json.write(values))  # as `load` will read them
        check(arrays, values, options)
    except ModelFileError as error:
        raise ModelFileError(f"The model cannot be saved: {sentence(error)}.") from None
    names = getattr(model, "feature_names_in_", None)
    return Parts(
        arrays,
        {"parameters": parameters, "feature_names": None if names is None else names.tolist(), "state": values},
    )


def _with_later_counts(arrays: Arrays, options: SolverOptions) -> Arrays:
    """Return arrays with the counts that files of earlier releases lack; pauses and recent mistakes begin at zero."""
    if isinstance(options, _core.LasvmOptions) and "seen" in arrays:
        return dict.fromkeys(("since", "recent"), np.zeros_like(arrays["seen"])) | arrays
    return arrays


def _from_parts(estimator: type[KernelEstimator], kind: type[State], check: Check, parts: Parts) -> KernelEstimator:
    header = _json.fields(parts.header, "its header", _FIELDS)
    model = _with_parameters(estimator, header["parameters"])
    options = _resumed_options(model, parts.arrays)
    arrays = _with_later_counts(parts.arrays, options)
    check(arrays, header["state"], options)
    state = kind.from_arrays(arrays, header["state"] | {"options": options})
    model._learner.require_unchanged(model, state, options)
    state.native  # noqa: B018  build it now: the native code checks the arrays as well
    model._state = state
    model.n_features_in_ = state.storage.n_features
    names = header["feature_names"]
    if names is not None:
        fitting = len(names) == model.n_features_in_ and all(isinstance(name, str) for name in names)
        require(fitting, "the names of its features do not match their number")
        model.feature_names_in_ = np.array(names, dtype=object)
    return model


def _resumed_options(model: KernelEstimator, arrays: Arrays) -> SolverOptions:
    """Return the options of a saved model: those of a stream if it has examples in reserve, which `finish` keeps."""
    options = model._check_params(streaming=False)
    has_reserve = isinstance(options, _core.LasvmOptions) and "alpha" in arrays and not np.all(arrays["alpha"])
    if not has_reserve or model.get_params()["class_weight"] == "balanced":  # which is of training sets only
        return options
    return model._check_params(streaming=True)


def _with_parameters(estimator: type[KernelEstimator], parameters: Values) -> KernelEstimator:
    known = estimator().get_params(deep=False)
    for name in parameters:
        require(name in known, f"{estimator.__name__} has no parameter {quoted(name)}")
    return estimator(**{name: decode(name, value) for name, value in parameters.items()})

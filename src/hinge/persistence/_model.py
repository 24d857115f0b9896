"""From an estimator to a file and back."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hinge._state import State
from hinge.online import OnlineSVC
from hinge.persistence._check import check_state
from hinge.persistence._errors import ModelFileError
from hinge.persistence._file import Arrays, read, write
from hinge.persistence._values import decode, encode

ESTIMATORS: dict[str, type[Any]] = {estimator.__name__: estimator for estimator in (OnlineSVC,)}


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file.

    The file is written beside its place and moved there when it is complete. Loading gives a model that decides the
    same to the last bit and goes on learning where this one stopped.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package.
    path : path
        Name of the file, usually with the ending `.hinge`. An existing file is replaced.
    """
    if type(model) not in ESTIMATORS.values():
        raise ModelFileError(f"Only models of hinge can be saved, not {type(model).__name__}.")
    check_is_fitted(model)
    arrays, values = model._state.to_arrays()
    names = getattr(model, "feature_names_in_", None)
    header = {
        "estimator": type(model).__name__,
        "parameters": {name: encode(name, value) for name, value in model.get_params(deep=False).items()},
        "feature_names": None if names is None else names.tolist(),
        "state": values,
    }
    try:
        write(Path(path), arrays, header)
    except TypeError:
        raise ModelFileError("Only models whose labels are numbers or texts can be saved.") from None


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : path
        Name of the file.

    Returns
    -------
    estimator
        The fitted model.
    """
    path = Path(path)
    arrays, header = read(path)
    estimator = ESTIMATORS.get(str(header.get("estimator")))
    if estimator is None:
        raise ModelFileError(f"{path} holds a {header.get('estimator')!r}, which this hinge does not know.")
    try:
        return _build(estimator, arrays, header)
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} is damaged: {str(error).rstrip('.')}.") from None


def _build(estimator: type[Any], arrays: Arrays, header: dict[str, Any]) -> Any:
    check_state(arrays, header["state"])
    model = estimator(**{name: decode(value) for name, value in header["parameters"].items()})
    model._state = State.from_arrays(arrays, header["state"])
    model._state.bank  # noqa: B018  built now, so that what is wrong with it shows here
    model.n_features_in_ = model._state.storage.n_features
    names = header["feature_names"]
    if names is not None:
        if len(names) != model.n_features_in_ or not all(isinstance(name, str) for name in names):
            raise ModelFileError("the names of its features do not match their number")
        model.feature_names_in_ = np.array(names, dtype=object)
    return model

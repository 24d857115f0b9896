"""The estimators that `hinge train --model` offers, and the options that set their parameters.

A new estimator needs its name in `hinge.estimators`, and nothing in this package: `hinge.streaming.traits` tells the
rest.
"""

from collections.abc import Mapping

from hinge.estimators import ESTIMATORS
from hinge.exceptions import ParameterError
from hinge.streaming import Model, check_params, traits

MODELS = {name: kind for name, kind in ESTIMATORS.items() if kind.stream_traits.task != "regression"}
TASKS = ("classification", "regression", "anomaly")
DEFAULT, REGRESSOR = "online", "approximate-regression"
DEFAULT_NU = 0.1  # the default of the estimator, 0.5, would call half of the rows outliers

Parameters = Mapping[str, object]


def make_model(name: str, parameters: Parameters, suggested: Parameters | None = None) -> Model:
    """Create an estimator and check its parameters.

    Parameters
    ----------
    name : str
        A key of `ESTIMATORS`.
    parameters : mapping
        What the user has chosen; None keeps the default.
    suggested : mapping, default=None
        Values that suit the data, used where the estimator has such a parameter and the user has chosen nothing.

    Returns
    -------
    estimator
        Not fitted.
    """
    if name not in ESTIMATORS:
        raise ParameterError(f"The model must be one of {', '.join(MODELS)}, got {name!r}.")
    model = ESTIMATORS[name]()
    defaults = dict(suggested or {})
    if traits(model).task == "one-class":
        defaults |= {"C": None, "nu": DEFAULT_NU}  # C means something else here than for a classifier
    model.set_params(**{key: value for key, value in defaults.items() if key in model.get_params()})
    set_parameters(model, parameters)
    return model


def set_parameters(model: Model, parameters: Parameters) -> None:
    """Set the parameters of an estimator that are not None, and check them."""
    for name, value in parameters.items():
        if value is None:
            continue
        if name not in model.get_params():
            option = {"n_components": "components"}.get(name, name).replace("_", "-")
            raise ParameterError(f"--{option} must be left out: {type(model).__name__} has no such parameter.")
        model.set_params(**{name: value})
    if parameters.get("nu") is not None and model.C is not None:
        raise ParameterError("--nu must be left out with --C: only one of them can limit the outliers.")
    check_params(model)


def choose_model(name: str | None, task: str | None) -> str | None:
    """Return the key of `ESTIMATORS` for a model and a task that the user names; None: the labels decide.

    Examples
    --------
    >>> choose_model(None, "anomaly"), choose_model("approximate", "regression"), choose_model("robust", None)
    ('one-class', 'approximate-regression', 'robust')
    """
    if task is not None and task not in TASKS:
        raise ParameterError(f"--task must be one of {', '.join(TASKS)}, got {task!r}.")
    if name is not None and name not in MODELS:
        raise ParameterError(f"The model must be one of {', '.join(MODELS)}, got {name!r}.")
    if task is None:
        return name
    only = {"regression": "approximate", "anomaly": "one-class"}.get(task)
    is_one_class = name is not None and traits(MODELS[name]).task == "one-class"
    if (only is not None and name not in (None, only)) or (task == "classification" and is_one_class):
        raise ParameterError(f"--model must be {only or 'a classifier'} with --task {task}, got {name!r}.")
    return REGRESSOR if task == "regression" else only or name or DEFAULT


def class_names(model: Model) -> list[str]:
    """Return the names of the classes of a fitted classifier; other estimators have none."""
    return [str(label) for label in model.classes_] if traits(model).task == "classification" else []

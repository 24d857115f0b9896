"""The models that `hinge train --model` offers, and the options that make one."""

from typing import Any

from hinge.approximate import ApproximateSVC, ApproximateSVR
from hinge.estimators import ESTIMATORS
from hinge.exceptions import ParameterError
from hinge.incremental import IncrementalOneClassSVM, IncrementalSVC

# Which of the two approximate models is made depends on the labels.
MODELS = {name: estimator for name, estimator in ESTIMATORS.items() if estimator is not ApproximateSVR}
FEW_OUTLIERS = 0.1  # nu, where nobody says anything else: scikit-learn's half would call half of the rows outliers
_OTHER_NAMES = {"max_support": "budget"}  # what a parameter is called by models that do not have it
_OPTIONS = {"n_components": "components"}  # options that are not called like their parameter


def make(name: str, suited: dict[str, Any] | None = None, **parameters: Any) -> Any:
    """Return an estimator; parameters that are None keep their defaults. Bad ones are refused at once.

    `suited` are values that go well with the data; those that a model has no use for, or that `parameters` name, are
    left out.
    """
    if name not in MODELS:
        raise ParameterError(f"The model must be one of {', '.join(MODELS)}, got {name!r}.")
    model = MODELS[name]()
    known, suited = model.get_params(), suited or {}
    if is_detector(model):
        suited = suited | {"C": None, "nu": FEW_OUTLIERS}  # the C of a classifier is something else
    model.set_params(**{key: value for key, value in suited.items() if key in known})
    return changed(model, parameters)


def changed(model: Any, parameters: dict[str, Any]) -> Any:
    """Give parameters that are not None to an estimator and return it."""
    known = model.get_params()
    for key, value in parameters.items():
        if value is None:
            continue
        own = key if key in known else _OTHER_NAMES.get(key, "")
        if own not in known:
            option = _OPTIONS.get(key, key).replace("_", "-")
            raise ParameterError(f"--{option} must be left out: {type(model).__name__} has no such parameter.")
        model.set_params(**{own: value})
    if parameters.get("nu") is not None and model.C is not None:
        raise ParameterError("--nu must be left out with --C: one of them says how much may stay outside.")
    model._check_params(streaming=True)
    return model


def is_detector(model: Any) -> bool:
    """Tell whether a model knows one class only, and finds what does not belong to it."""
    return isinstance(model, IncrementalOneClassSVM)


def is_exact(model: Any) -> bool:
    """Tell whether a model is exact after each example, so that it holds all of them and needs one pass."""
    return isinstance(model, (IncrementalSVC, IncrementalOneClassSVM))


def is_approximate(model: Any) -> bool:
    """Tell whether a model is made of features, a fixed number of them, rather than of support vectors."""
    return isinstance(model, (ApproximateSVC, ApproximateSVR))


def is_regression(model: Any) -> bool:
    """Tell whether a model answers with values rather than classes."""
    return isinstance(model, ApproximateSVR)


def require_classifier(model: Any, file: Any) -> None:
    """Refuse a regression where classes are wanted."""
    if is_regression(model):
        raise ParameterError(
            f"Only classifiers can be trained or evaluated here, and {file} holds a regression; "
            "hinge.load takes it into Python."
        )


def parts(model: Any) -> str:
    """Return what a model is made of."""
    return "features" if is_approximate(model) else "support vectors"


def n_parts(model: Any) -> int:
    """Return how many of them it has."""
    return int(model.n_components_) if is_approximate(model) else len(model.support_)


def class_names(model: Any) -> list[str]:
    """Return the classes that a model can tell apart."""
    return [] if is_detector(model) or is_regression(model) else [str(label) for label in model.classes_]


def gamma_of(text: str | None) -> float | str | None:
    """Return the value of --gamma: a number, or a word for the estimator to judge.

    Examples
    --------
    >>> gamma_of("0.5"), gamma_of("scale"), gamma_of(None)
    (0.5, 'scale', None)
    """
    try:
        return text if text is None else float(text)
    except ValueError:
        return text

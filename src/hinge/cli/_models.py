"""The models that `hinge train --model` offers, and the options that make one."""

from typing import Any

from hinge._errors import ParameterError
from hinge.online import OnlineSVC

MODELS: dict[str, type[Any]] = {"online": OnlineSVC}


def make(name: str, **parameters: Any) -> Any:
    """Return an estimator; parameters that are None keep their defaults. Bad ones are refused at once."""
    if name not in MODELS:
        raise ParameterError(f"The model must be one of {', '.join(MODELS)}, got {name!r}.")
    model = MODELS[name](**{key: value for key, value in parameters.items() if value is not None})
    model._check_params(streaming=True)
    return model


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

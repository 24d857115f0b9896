"""The error of model files."""

from hinge.exceptions import HingeError


class ModelFileError(HingeError, ValueError):
    """A file that this version cannot read as a model, or a model that cannot be saved."""


def require(condition: bool, message: str) -> None:
    """Raise `ModelFileError` unless a condition holds."""
    if not condition:
        raise ModelFileError(message)

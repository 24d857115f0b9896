"""What can be wrong with a model file."""

from hinge.exceptions import HingeError


class ModelFileError(HingeError, ValueError):
    """A file that is not a model this version can read, or a model that cannot be written to a file."""


def require(condition: bool, complaint: str) -> None:
    """Raise `ModelFileError` unless a condition holds."""
    if not condition:
        raise ModelFileError(complaint)

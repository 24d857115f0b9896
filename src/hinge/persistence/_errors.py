"""What can be wrong with a model file."""

from hinge._errors import HingeError

_LONGEST = 400  # characters of a complaint; it may quote the file
_LONGEST_QUOTE = 60


class ModelFileError(HingeError, ValueError):
    """A file that is not a model this version can read, or a model that cannot be written to a file."""


def require(condition: bool, complaint: str) -> None:
    """Raise `ModelFileError` unless a condition holds."""
    if not condition:
        raise ModelFileError(complaint)


def sentence(text: object) -> str:
    """Return a text as the rest of a sentence: on one line, without its full stop, and not endless.

    Examples
    --------
    >>> sentence("C must be above 0.")
    'C must be above 0'
    """
    line = " ".join(str(text).split()).rstrip(".")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} [...]"


def quoted(value: object) -> str:
    """Return something that a file says, shortened for a sentence about it."""
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]} [...]"

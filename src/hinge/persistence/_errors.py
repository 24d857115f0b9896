"""What can be wrong with a model file."""

from hinge._errors import HingeError


class ModelFileError(HingeError, ValueError):
    """A file that is not a model this version can read, or a model that cannot be written to a file."""

"""What can be wrong with a model on its way to or from another program."""

from hinge.exceptions import HingeError


class ExportError(HingeError, ValueError):
    """A model that the other format cannot express, or a file of that format that cannot be read."""

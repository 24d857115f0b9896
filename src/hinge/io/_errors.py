"""What can be wrong with a data file."""

from hinge.exceptions import HingeError


class DataFileError(HingeError, ValueError):
    """A file that cannot be read as rows of data: damaged, empty, or not of the format it should have."""

"""Kernel support vector machines that keep learning."""

from importlib.metadata import version

from hinge._errors import DataError, HingeError, KernelError, ParameterError
from hinge.online import OnlineSVC
from hinge.persistence import ModelFileError, load, save
from hinge.prepared import PreparedClassifier

__all__ = [
    "DataError",
    "HingeError",
    "KernelError",
    "ModelFileError",
    "OnlineSVC",
    "ParameterError",
    "PreparedClassifier",
    "__version__",
    "load",
    "save",
]

__version__ = version("hinge")

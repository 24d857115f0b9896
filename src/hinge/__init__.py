"""Kernel support vector machines that keep learning."""

from importlib.metadata import version

from hinge import active, datasets, distributed, export
from hinge.approximate import ApproximateSVC, ApproximateSVR
from hinge.exceptions import DataError, HingeError, KernelError, ParameterError
from hinge.export import ExportError
from hinge.incremental import IncrementalOneClassSVM, IncrementalSVC
from hinge.io import DataFileError
from hinge.online import OnlineSVC
from hinge.perceptron import KernelPerceptron
from hinge.persistence import ModelFileError, load, save
from hinge.robust import RobustOnlineSVC
from hinge.tables import PreparedClassifier, PreparedDetector
from hinge.tracking import TrackingSVC

__all__ = [
    "ApproximateSVC",
    "ApproximateSVR",
    "DataError",
    "DataFileError",
    "ExportError",
    "HingeError",
    "IncrementalOneClassSVM",
    "IncrementalSVC",
    "KernelError",
    "KernelPerceptron",
    "ModelFileError",
    "OnlineSVC",
    "ParameterError",
    "PreparedClassifier",
    "PreparedDetector",
    "RobustOnlineSVC",
    "TrackingSVC",
    "__version__",
    "active",
    "datasets",
    "distributed",
    "export",
    "load",
    "save",
]

__version__ = version("hinge")

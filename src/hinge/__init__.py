"""Kernel support vector machines that keep learning.

Public names are imported when they are first used, so that `import hinge` takes milliseconds and `hinge --help` does
not wait for NumPy, SciPy and scikit-learn.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hinge import (
        active,
        conformal,
        datasets,
        distributed,
        export,
        inspection,
        model_selection,
        stream,
        streaming,
        tables,
    )
    from hinge.approximate import ApproximateSVC, ApproximateSVR
    from hinge.exceptions import DataError, HingeError, KernelError, ParameterError, SearchWarning, StreamWarning
    from hinge.export import ExportError
    from hinge.incremental import IncrementalOneClassSVM, IncrementalSVC
    from hinge.io import DataFileError
    from hinge.model_selection import ApproximateSVCCV, IncrementalSVCCV, OnlineSVCCV
    from hinge.online import OnlineSVC
    from hinge.perceptron import KernelPerceptron
    from hinge.persistence import ModelFileError, load, save
    from hinge.robust import RobustOnlineSVC
    from hinge.tables import PreparedClassifier, PreparedDetector, PreparedRegressor
    from hinge.tracking import TrackingSVC

    __version__: str

__all__ = [
    "ApproximateSVC",
    "ApproximateSVCCV",
    "ApproximateSVR",
    "DataError",
    "DataFileError",
    "ExportError",
    "HingeError",
    "IncrementalOneClassSVM",
    "IncrementalSVC",
    "IncrementalSVCCV",
    "KernelError",
    "KernelPerceptron",
    "ModelFileError",
    "OnlineSVC",
    "OnlineSVCCV",
    "ParameterError",
    "PreparedClassifier",
    "PreparedDetector",
    "PreparedRegressor",
    "RobustOnlineSVC",
    "SearchWarning",
    "StreamWarning",
    "TrackingSVC",
    "__version__",
    "active",
    "conformal",
    "datasets",
    "distributed",
    "export",
    "inspection",
    "load",
    "model_selection",
    "save",
    "stream",
    "streaming",
    "tables",
]

_SUBMODULES = (
    *("active", "approximate", "conformal", "datasets", "distributed", "exceptions", "export", "incremental"),
    *(
        "inspection",
        "io",
        "model_selection",
        "online",
        "perceptron",
        "persistence",
        "river",
        "robust",
        "stream",
        "streaming",
        "tables",
        "tracking",
    ),
)
_ORIGINS = {  # the submodule that defines each other name
    "ApproximateSVC": "approximate",
    "ApproximateSVCCV": "model_selection",
    "ApproximateSVR": "approximate",
    "DataError": "exceptions",
    "DataFileError": "io",
    "ExportError": "export",
    "HingeError": "exceptions",
    "IncrementalOneClassSVM": "incremental",
    "IncrementalSVC": "incremental",
    "IncrementalSVCCV": "model_selection",
    "KernelError": "exceptions",
    "KernelPerceptron": "perceptron",
    "ModelFileError": "persistence",
    "OnlineSVC": "online",
    "OnlineSVCCV": "model_selection",
    "ParameterError": "exceptions",
    "PreparedClassifier": "tables",
    "PreparedDetector": "tables",
    "PreparedRegressor": "tables",
    "RobustOnlineSVC": "robust",
    "SearchWarning": "exceptions",
    "StreamWarning": "exceptions",
    "TrackingSVC": "tracking",
    "load": "persistence",
    "save": "persistence",
}


if not TYPE_CHECKING:  # type checkers report names that do not exist

    def __getattr__(name: str) -> object:
        value: object
        if name in _SUBMODULES:
            value = importlib.import_module(f"{__name__}.{name}")
        elif name in _ORIGINS:
            value = getattr(importlib.import_module(f"{__name__}.{_ORIGINS[name]}"), name)
        elif name == "__version__":
            value = importlib.import_module("importlib.metadata").version("hinge-svm")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value  # so that this function is called once per name
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})

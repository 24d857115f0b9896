"""All estimators, by the names that the command line gives them; the command line and persistence use this list."""

from typing import Any

from hinge.approximate import ApproximateSVC, ApproximateSVR
from hinge.incremental import IncrementalOneClassSVM, IncrementalSVC
from hinge.online import OnlineSVC
from hinge.perceptron import KernelPerceptron
from hinge.robust import RobustOnlineSVC
from hinge.stream import AdaptiveSVC
from hinge.tracking import TrackingSVC

ESTIMATORS: dict[str, type[Any]] = {
    "online": OnlineSVC,
    "robust": RobustOnlineSVC,
    "tracking": TrackingSVC,
    "perceptron": KernelPerceptron,
    "incremental": IncrementalSVC,
    "one-class": IncrementalOneClassSVM,
    "adaptive": AdaptiveSVC,
    "approximate": ApproximateSVC,
    "approximate-regression": ApproximateSVR,
}

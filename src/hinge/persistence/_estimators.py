"""The estimators that can be saved. To add one, add it to `ENTRIES`.

`classifier` is for estimators whose `_state` is a `State`, `exact` for an `ExactState`, `approximate` for an
`ApproximateState`, and `prepared` for estimators that contain another one. A new kind of state needs a module like
`_exact`, with a function that checks its arrays and values.
"""

from __future__ import annotations

from hinge.approximate import ApproximateSVC, ApproximateSVR
from hinge.incremental import IncrementalOneClassSVM, IncrementalSVC
from hinge.online import OnlineSVC
from hinge.perceptron import KernelPerceptron
from hinge.persistence._approximate import approximate
from hinge.persistence._classifier import classifier
from hinge.persistence._exact import exact
from hinge.persistence._prepared import prepared
from hinge.persistence._registry import register
from hinge.robust import RobustOnlineSVC
from hinge.tables import PreparedClassifier, PreparedDetector
from hinge.tracking import TrackingSVC

ENTRIES = (
    classifier(OnlineSVC),
    classifier(RobustOnlineSVC),
    classifier(TrackingSVC),
    classifier(KernelPerceptron),
    exact(IncrementalSVC),
    exact(IncrementalOneClassSVM),
    approximate(ApproximateSVC),
    approximate(ApproximateSVR),
    prepared(PreparedClassifier),
    prepared(PreparedDetector),
)


def register_all() -> None:
    """Add all estimators of this package to the registry."""
    for entry in ENTRIES:
        register(entry)

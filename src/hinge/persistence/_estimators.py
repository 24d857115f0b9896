"""The estimators that can be saved: all in `hinge.estimators`, and those that contain another one.

How an estimator is converted to a file depends on its state. A new kind of state needs a module like `_exact`, with a
function that checks its arrays and values, and an entry in `_BY_STATE`.
"""

from __future__ import annotations

from hinge._model.state import State
from hinge.approximate import ApproximateState
from hinge.conformal import ConformalOneClass, ConformalSVC, CrossConformalClassifier, SplitConformalClassifier
from hinge.estimators import ESTIMATORS
from hinge.incremental import ExactState
from hinge.persistence._adaptive import adaptive
from hinge.persistence._approximate import approximate
from hinge.persistence._classifier import estimator_entry
from hinge.persistence._conformal import conformal
from hinge.persistence._exact import exact
from hinge.persistence._prepared import prepared
from hinge.persistence._registry import register
from hinge.persistence._svm import svm
from hinge.stream import AdaptiveState
from hinge.svm import SVC, OneClassSVM
from hinge.tables import PreparedClassifier, PreparedDetector, PreparedRegressor

_BY_STATE = {State: estimator_entry, ExactState: exact, ApproximateState: approximate, AdaptiveState: adaptive}


def register_all() -> None:
    """Add all estimators of this package to the registry."""
    for estimator in ESTIMATORS.values():
        register(_BY_STATE[estimator._learner.state_class](estimator))
    for full in (ConformalSVC, ConformalOneClass):
        register(exact(full))
    for wrapper in (SplitConformalClassifier, CrossConformalClassifier):
        register(conformal(wrapper))
    for exact_svm in (SVC, OneClassSVM):
        register(svm(exact_svm))
    for estimator in (PreparedClassifier, PreparedDetector, PreparedRegressor):
        register(prepared(estimator))

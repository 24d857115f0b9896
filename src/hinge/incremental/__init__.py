"""Exact learning and forgetting, one example at a time."""

from hinge.incremental._ids import Ids
from hinge.incremental._influence import Suspect, leave_one_out_margins
from hinge.incremental._learner import exact_state
from hinge.incremental._one_class import IncrementalOneClassSVM
from hinge.incremental._state import ExactState
from hinge.incremental._svc import IncrementalSVC

__all__ = [
    "ExactState",
    "Ids",
    "IncrementalOneClassSVM",
    "IncrementalSVC",
    "Suspect",
    "exact_state",
    "leave_one_out_margins",
]

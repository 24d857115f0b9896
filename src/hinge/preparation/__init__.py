"""How rows of a file become the numbers that a model learns; the result travels inside the model."""

from hinge.preparation._columns import MISSING_POLICIES, UNKNOWN_POLICIES, Column
from hinge.preparation._labels import KINDS as LABEL_KINDS
from hinge.preparation._preparation import Preparation
from hinge.preparation._scaling import SCALINGS, Scaling
from hinge.preparation._survey import MOST_FEATURES, Survey

__all__ = [
    "LABEL_KINDS",
    "MISSING_POLICIES",
    "MOST_FEATURES",
    "SCALINGS",
    "UNKNOWN_POLICIES",
    "Column",
    "Preparation",
    "Scaling",
    "Survey",
]

"""Tables as people have them: how columns become features, and models that carry this preparation with them."""

from hinge.tables._classifier import PreparedClassifier
from hinge.tables._columns import MISSING_POLICIES, UNKNOWN_POLICIES, Column
from hinge.tables._detector import PreparedDetector
from hinge.tables._labels import KINDS as LABEL_KINDS
from hinge.tables._one_class import OneClassPreparation, OneClassSurvey
from hinge.tables._preparation import Preparation
from hinge.tables._scaling import SCALINGS, Scaling
from hinge.tables._survey import MOST_FEATURES, Survey

__all__ = [
    "LABEL_KINDS",
    "MISSING_POLICIES",
    "MOST_FEATURES",
    "SCALINGS",
    "UNKNOWN_POLICIES",
    "Column",
    "OneClassPreparation",
    "OneClassSurvey",
    "Preparation",
    "PreparedClassifier",
    "PreparedDetector",
    "Scaling",
    "Survey",
]

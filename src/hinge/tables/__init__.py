"""Tables as they are in files: how columns become features, and models that keep this preparation with them."""

from hinge.tables._classifier import PreparedClassifier
from hinge.tables._columns import Column
from hinge.tables._detector import PreparedDetector
from hinge.tables._labels import KINDS as LABEL_KINDS
from hinge.tables._labels import Labels
from hinge.tables._one_class import OneClassPreparation, OneClassSurvey
from hinge.tables._policies import MISSING_POLICIES, SCALINGS, UNKNOWN_POLICIES, check_policies
from hinge.tables._preparation import Examples, Matrix, Preparation
from hinge.tables._scaling import Scaling
from hinge.tables._survey import MAX_FEATURES, Survey

__all__ = [
    "LABEL_KINDS",
    "MAX_FEATURES",
    "MISSING_POLICIES",
    "SCALINGS",
    "UNKNOWN_POLICIES",
    "Column",
    "Examples",
    "Labels",
    "Matrix",
    "OneClassPreparation",
    "OneClassSurvey",
    "Preparation",
    "PreparedClassifier",
    "PreparedDetector",
    "Scaling",
    "Survey",
    "check_policies",
]

"""A model together with the preparation that its examples need."""

from hinge.prepared._classifier import PreparedClassifier
from hinge.prepared._detector import PreparedDetector
from hinge.prepared._one_class import OneClassPreparation, OneClassSurvey

__all__ = ["OneClassPreparation", "OneClassSurvey", "PreparedClassifier", "PreparedDetector"]

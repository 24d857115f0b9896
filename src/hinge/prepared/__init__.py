"""A classifier together with the preparation that its examples need."""

from hinge.prepared._classifier import PreparedClassifier

__all__ = ["PreparedClassifier"]

"""Prediction sets and p-values with a guarantee, by full conformal prediction over the exact models."""

from hinge.conformal._one_class import ConformalOneClass
from hinge.conformal._svc import ConformalSVC

__all__ = ["ConformalOneClass", "ConformalSVC"]

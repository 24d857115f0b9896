"""Prediction sets and p-values with a guarantee, and a test whether the data have changed."""

from hinge.conformal._cross import CrossConformalClassifier
from hinge.conformal._martingale import ExchangeabilityMartingale
from hinge.conformal._one_class import ConformalOneClass
from hinge.conformal._split import SplitConformalClassifier
from hinge.conformal._svc import ConformalSVC

__all__ = [
    "ConformalOneClass",
    "ConformalSVC",
    "CrossConformalClassifier",
    "ExchangeabilityMartingale",
    "SplitConformalClassifier",
]

"""The choice of C, gamma and other parameters by a race between settings."""

from hinge.model_selection._scaled import ScaledSearch
from hinge.model_selection._search import RaceSearchCV
from hinge.model_selection._tuned import ApproximateSVCCV, IncrementalSVCCV, OnlineSVCCV

__all__ = ["ApproximateSVCCV", "IncrementalSVCCV", "OnlineSVCCV", "RaceSearchCV", "ScaledSearch"]

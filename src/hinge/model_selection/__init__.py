"""The choice of C, gamma and other parameters by a race between settings."""

from hinge.model_selection._search import RaceSearchCV

__all__ = ["RaceSearchCV"]

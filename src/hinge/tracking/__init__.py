"""Online SVMs that provably follow the optimum."""

from hinge.tracking._svc import TrackingSVC

__all__ = ["TrackingSVC"]

"""Approximate kernel models of a fixed size, for streams of any length."""

from hinge.approximate._reservoir import Reservoir
from hinge.approximate._state import LINEAR_ARRAYS, SCHEDULE_ARRAYS, ApproximateState
from hinge.approximate._svc import ApproximateSVC
from hinge.approximate._svr import ApproximateSVR

__all__ = ["LINEAR_ARRAYS", "SCHEDULE_ARRAYS", "ApproximateSVC", "ApproximateSVR", "ApproximateState", "Reservoir"]

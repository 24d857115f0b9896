"""Approximate kernel machines of a fixed size, for streams of any length."""

from hinge.approximate._options import ApproximateOptions
from hinge.approximate._reservoir import Reservoir
from hinge.approximate._state import CLOCK, ApproximateState
from hinge.approximate._svc import ApproximateSVC
from hinge.approximate._svr import ApproximateSVR

__all__ = ["CLOCK", "ApproximateOptions", "ApproximateSVC", "ApproximateSVR", "ApproximateState", "Reservoir"]

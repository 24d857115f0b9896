"""From decision values to probabilities: recorded decisions, and the methods that turn them into probabilities."""

from hinge._calibration._decisions import ARRAYS, CAPACITY, PREFIX, Decisions
from hinge._calibration._isotonic import IsotonicCalibration
from hinge._calibration._methods import METHODS, agreeing, method_of
from hinge._calibration._protocol import Calibration
from hinge._calibration._reliability import GROUPS, Reliability, reliability
from hinge._calibration._sigmoid import SigmoidCalibration
from hinge._calibration._temperature import TemperatureScaling

__all__ = [
    "ARRAYS",
    "CAPACITY",
    "GROUPS",
    "METHODS",
    "PREFIX",
    "Calibration",
    "Decisions",
    "IsotonicCalibration",
    "Reliability",
    "SigmoidCalibration",
    "TemperatureScaling",
    "agreeing",
    "method_of",
    "reliability",
]

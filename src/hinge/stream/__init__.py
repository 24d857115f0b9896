"""Learning from streams that change.

`AdaptiveSVC` predicts and learns a stream whose distribution may change at any time, and reports when it did.
`plot_stream` draws its accuracy. Not to be confused with `hinge.streaming`, the functions for tools that train any
estimator batch by batch.
"""

from hinge.stream._adaptive import AdaptiveSVC
from hinge.stream._drift import Drift
from hinge.stream._plot import plot_stream
from hinge.stream._state import AdaptiveState

__all__ = ["AdaptiveSVC", "AdaptiveState", "Drift", "plot_stream"]

"""Active learning: choose the examples whose labels help a model most.

`query` picks rows of a pool for a fitted model; `ActiveLearner` keeps the pool, the labels and the model together.
"""

from hinge.active._continued import Continued
from hinge.active._learner import ActiveLearner
from hinge.active._query import query
from hinge.active._stopping import Advice

__all__ = ["ActiveLearner", "Advice", "Continued", "query"]

"""Which examples are worth a label: `query` asks a model about a pool, `ActiveLearner` is the whole dialogue."""

from hinge.active._advice import Advice
from hinge.active._continued import Continued
from hinge.active._learner import ActiveLearner
from hinge.active._query import query

__all__ = ["ActiveLearner", "Advice", "Continued", "query"]

"""Pictures of how sure a classifier is, and of labels that it contradicts, in the manner of scikit-learn's displays."""

from hinge.inspection._reliability import ReliabilityDisplay
from hinge.inspection._set_sizes import SetSizeDisplay
from hinge.inspection._suspects import SuspectsDisplay

__all__ = ["ReliabilityDisplay", "SetSizeDisplay", "SuspectsDisplay"]

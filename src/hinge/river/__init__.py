"""Models of this package as estimators of River, which learn dictionaries one at a time.

Only this package imports River: `pip install 'hinge-svm[river]'`.
"""

try:
    import river as _river  # noqa: F401
except ImportError as error:
    raise ImportError("hinge.river needs the package river; pip install 'hinge-svm[river]'.") from error

from hinge.river._classifier import HingeClassifier
from hinge.river._detector import HingeAnomalyDetector
from hinge.river._regressor import HingeRegressor

__all__ = ["HingeAnomalyDetector", "HingeClassifier", "HingeRegressor"]

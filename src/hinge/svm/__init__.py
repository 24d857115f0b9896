"""Drop-in replacements for estimators of `sklearn.svm`: change one import."""

from hinge.svm._one_class import OneClassSVM
from hinge.svm._patch import patch_sklearn, unpatch_sklearn
from hinge.svm._state import SvmState
from hinge.svm._svc import SVC

__all__ = ["SVC", "OneClassSVM", "SvmState", "patch_sklearn", "unpatch_sklearn"]

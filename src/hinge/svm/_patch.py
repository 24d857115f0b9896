"""Replace the estimators of scikit-learn by those of this package, for programs that import them from there."""

from __future__ import annotations

import sys
from typing import Any

import sklearn.svm
from sklearn.svm import _classes

from hinge.svm._one_class import OneClassSVM
from hinge.svm._svc import SVC

_OURS: dict[str, type[Any]] = {"SVC": SVC, "OneClassSVM": OneClassSVM}
_THEIRS: dict[str, type[Any]] = {name: getattr(_classes, name) for name in _OURS}


def patch_sklearn() -> None:
    """Make `from sklearn.svm import SVC, OneClassSVM` import the estimators of this package.

    Names that other modules have imported before are replaced in modules of scikit-learn only: call it before your own
    imports. Existing objects stay what they are.

    Examples
    --------
    >>> import sklearn.svm
    >>> patch_sklearn()
    >>> sklearn.svm.SVC.__module__
    'hinge.svm._svc'
    >>> unpatch_sklearn()
    >>> sklearn.svm.SVC.__module__
    'sklearn.svm._classes'
    """
    _replace(_THEIRS, _OURS)


def unpatch_sklearn() -> None:
    """Undo `patch_sklearn`."""
    _replace(_OURS, _THEIRS)


def _replace(before: dict[str, type[Any]], after: dict[str, type[Any]]) -> None:
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "sklearn"]
    for module in {id(each): each for each in [sklearn.svm, _classes, *modules]}.values():
        for name, estimator in before.items():
            if vars(module).get(name) is estimator:
                setattr(module, name, after[name])

"""How exports read a fitted model, and how imports build one.

This is the only module of `hinge.export` that uses private parts of estimators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from hinge._calibration import method_of
from hinge._fit.classifier import KernelClassifier
from hinge.approximate import ApproximateSVR
from hinge.exceptions import ExportError
from hinge.incremental import IncrementalOneClassSVM
from hinge.tables import PreparedClassifier, PreparedDetector, PreparedRegressor, TableModel

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from hinge._calibration import Calibration
    from hinge._model.options import SolverOptions
    from hinge._model.state import State
    from hinge.online import OnlineSVC
    from hinge.tables import Column, Preparation


def split_preparation(model: BaseEstimator) -> tuple[BaseEstimator, Preparation | None]:
    """Return a fitted model, and the preparation of its examples if it has one."""
    preparation = None
    if isinstance(model, TableModel):
        check_is_fitted(model)
        model = model.prepared_
    if isinstance(model, (PreparedClassifier, PreparedDetector, PreparedRegressor)):
        model, preparation = model.model, model.preparation
    if not isinstance(model, (KernelClassifier, ApproximateSVR, IncrementalOneClassSVM)):
        raise ExportError(f"Only models of hinge can be exported, got {type(model).__name__}.")
    check_is_fitted(model)
    return model, preparation


def unsupported_column(column: Column) -> ExportError:
    """Return the error about a column that other formats cannot express."""
    return ExportError(
        f"Columns of dates and of text can be exported to scikit-learn only, and {column.name!r} is one; leave it out "
        "of the training, or convert it to numbers first."
    )


def copy_state(model: BaseEstimator) -> State:
    """Return a copy of what a fitted model knows, taken at one moment even if another thread is training it."""
    state: State = model._copied_state()
    return state


def calibration_of(model: BaseEstimator) -> Calibration | None:
    """Return what turns the decision values of a fitted model into probabilities; None if nothing is calibrated."""
    if not isinstance(model, KernelClassifier):
        return None
    method = method_of(model.calibration)
    return None if method is None else model._calibrated_predictor().calibration(method)


def has_log_odds(model: BaseEstimator) -> bool:
    """Return whether the decision values of a fitted model are log-odds."""
    return isinstance(model, KernelClassifier) and model._has_log_odds


def check_options(model: OnlineSVC) -> SolverOptions:
    """Return the checked parameters of a model as solver options."""
    return model._check_params(streaming=True)


def set_state(model: OnlineSVC, state: State) -> None:
    """Make an unfitted model a fitted one."""
    model._state = state
    model.n_features_in_ = state.storage.n_features

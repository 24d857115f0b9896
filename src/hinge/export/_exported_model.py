"""What all exports read of a model: plain values, the same for every estimator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from scipy.sparse import issparse

from hinge._model.support import Support
from hinge.approximate import ApproximateState, ApproximateSVR
from hinge.exceptions import ExportError
from hinge.export._model_access import calibration_of, copy_state, has_log_odds
from hinge.incremental import IncrementalOneClassSVM
from hinge.stream import AdaptiveSVC
from hinge.tables import Answers

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix
    from sklearn.base import BaseEstimator

    from hinge._calibration import Calibration
    from hinge._model.class_scheme import ClassScheme
    from hinge._model.kernels import KernelSpec
    from hinge._model.state import State
    from hinge._model.types import Arrays

    Vectors: TypeAlias = NDArray[np.floating] | csr_matrix


@dataclass(frozen=True)
class FourierFeatures:
    """Features sqrt(2 / d) cos(<frequency, x> + phase), which replace kernel values."""

    frequencies: NDArray[np.floating]  # (n_features, d)
    phases: NDArray[np.floating]  # (d,)


@dataclass(frozen=True)
class ExportedModel:
    """A fitted model: f_m(x) = sum_s coefficients[m, s] K(x, vectors[s]) + intercepts[m].

    Attributes
    ----------
    kernel : KernelSpec
        The kernel with its resolved parameters.
    classes : ndarray of shape (n_classes,)
        The labels, sorted; at least two. Two classes have one decision function, positive for `classes[1]`. More
        classes have one each, and the largest value decides, or one per pair, which vote (see `scheme`). A regression
        has no classes and one function.
    vectors : ndarray or CSR matrix of shape (n_support, n_features)
        The support vectors, grouped by class; without columns for a precomputed kernel.
    counts : ndarray of shape (n_classes,)
        The number of support vectors of each class.
    columns : ndarray of shape (n_support,)
        Their positions in the stream, which are their columns in a precomputed kernel.
    coefficients : ndarray of shape (n_functions, n_support)
        Signed coefficients.
    intercepts : ndarray of shape (n_functions,)
        Intercepts.
    n_features : int
        Number of columns of the examples.
    centre : ndarray of shape (n_features,) or None
        What the model subtracts from its examples if they are far from zero.
    feature_names : ndarray of shape (n_features,) or None
        Names of the columns, if the model has them.
    scheme : ClassScheme
        How more than two classes became decision functions.
    fourier : FourierFeatures or None
        Features that replace K(x, vectors[s]); the model then has no vectors.
    is_one_class : bool
        The model has no classes: examples with a positive value are normal, and the others outliers.
    calibration : Calibration or None
        What turns decision values into probabilities.
    has_log_odds : bool
        The decision values are log-odds, which are probabilities without calibration.
    """

    kernel: KernelSpec
    classes: NDArray[np.generic]
    vectors: Vectors
    counts: NDArray[np.int32]
    columns: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    n_features: int
    centre: NDArray[np.float64] | None
    feature_names: NDArray[np.object_] | None
    scheme: ClassScheme
    fourier: FourierFeatures | None = None
    is_one_class: bool = False
    calibration: Calibration | None = None
    has_log_odds: bool = False

    @classmethod
    def of(cls, model: BaseEstimator, answers: Answers | None = None) -> ExportedModel:
        """Read a fitted model, or raise ExportError if it cannot be exported.

        Parameters
        ----------
        model : estimator
            The model.
        answers : Answers, default=None
            How its outputs become answers: a threshold is subtracted from the decision values, and values are given in
            the unit of the label.
        """
        found = cls._of(model)
        if answers is None or answers == Answers():
            return found
        if answers.threshold and hasattr(model, "predict_proba"):
            raise ExportError("A model with probabilities and a threshold cannot be exported; train it without one.")
        intercepts = answers.mean + answers.scale * found.intercepts - answers.threshold
        return replace(found, coefficients=answers.scale * found.coefficients, intercepts=intercepts)

    @classmethod
    def _of(cls, model: BaseEstimator) -> ExportedModel:
        if isinstance(model, AdaptiveSVC):
            raise ExportError("An AdaptiveSVC cannot be exported, since several models vote; export an OnlineSVC.")
        state = copy_state(model)
        arrays, _ = state.to_arrays()
        intercepts = state.native.bias
        table = state.table
        is_one_class = isinstance(model, IncrementalOneClassSVM)
        if is_one_class and model.shape != "plane":
            raise ExportError("Only one-class models with shape='plane' can be exported, got a sphere.")
        has_classes = not is_one_class and not isinstance(model, ApproximateSVR)
        if len(table) < 2 and has_classes:
            raise ExportError(
                f"A model must know at least two classes to be exported, got only {table.classes.tolist()}; "
                "train it on examples of another class first."
            )
        fourier = _fourier_features(state, arrays)
        support = state.support() if fourier is None else _without_vectors(state)
        if not support.coefficients.size:
            raise ExportError("A model must have support vectors to be exported, got none; train it first.")
        shift, calibration = arrays["shift"], calibration_of(model)
        return cls(
            kernel=state.kernel,
            classes=table.classes if has_classes else table.classes[:0],
            vectors=support.vectors[:, :0] if state.kernel.name == "precomputed" else support.vectors,
            counts=support.counts,
            columns=support.ids,
            coefficients=support.coefficients,
            intercepts=np.asarray(model.intercept_) if is_one_class else table.arrange(intercepts[None, :]).ravel(),
            n_features=state.storage.n_features,
            centre=shift.astype(np.float64) if shift.size else None,
            feature_names=getattr(model, "feature_names_in_", None),
            scheme=table.scheme,
            fourier=fourier,
            is_one_class=is_one_class,
            calibration=calibration,
            has_log_odds=calibration is None and has_log_odds(model),
        )

    @property
    def is_regression(self) -> bool:
        """Whether the model predicts values rather than classes."""
        return not len(self.classes) and not self.is_one_class

    @property
    def is_one_vs_one(self) -> bool:
        """Whether there is a decision function for each pair of more than two classes."""
        return len(self.classes) > 2 and self.scheme.name == "ovo"

    @property
    def dual_coef(self) -> NDArray[np.float64]:
        """The coefficients in the layout of `dual_coef_`, which is that of LIBSVM for one-vs-one."""
        if not self.is_one_vs_one:
            return self.coefficients
        places = np.repeat(np.arange(len(self.classes)), self.counts)
        return self.scheme.pack(self.coefficients, places, len(self.classes))

    @property
    def n_support(self) -> int:
        """The number of support vectors, or of features."""
        return int(self.coefficients.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether support vectors are CSR rows."""
        return bool(issparse(self.vectors))

    def require_kernel(self, accepted: tuple[str, ...], target: str) -> None:
        """Raise ExportError if the target does not know the kernel."""
        if self.kernel.name in accepted:
            return
        kernel = "a function as kernel" if self.kernel.name == "callable" else f"the kernel {self.kernel.name!r}"
        raise ExportError(f"{target} supports only the kernels {', '.join(accepted)}, got a model with {kernel}.")


def _fourier_features(state: State, arrays: Arrays) -> FourierFeatures | None:
    if not isinstance(state, ApproximateState) or state.features.is_expansion:
        return None
    return FourierFeatures(arrays["frequencies"], arrays["phases"])


def _without_vectors(state: State) -> Support:
    """Return the weights of features as coefficients without support vectors."""
    weights = cast("ApproximateState", state).weights()
    none = np.zeros(0, dtype=np.int64)
    return Support(none, np.zeros((0, state.storage.n_features)), weights, none.astype(np.int32))

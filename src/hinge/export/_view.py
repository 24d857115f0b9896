"""What the writers see of a model: plain values, the same for every estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from hinge._fit.base import StreamingClassifier
from hinge._model.state import Support
from hinge.approximate import ApproximateState, ApproximateSVR
from hinge.export._errors import ExportError
from hinge.tables import PreparedClassifier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.kernels import KernelSpec
    from hinge._model.state import Arrays, State
    from hinge.tables import Preparation


def taken_apart(model: Any) -> tuple[Any, Preparation | None]:
    """Return a fitted classifier or regression, and what is done to its examples before it sees them."""
    preparation = None
    if isinstance(model, PreparedClassifier):
        model, preparation = model.model, model.preparation
    if not isinstance(model, (StreamingClassifier, ApproximateSVR)):
        raise ExportError(f"Only classifiers and regressions of hinge can be exported, got {type(model).__name__}.")
    check_is_fitted(model)
    return model, preparation


@dataclass(frozen=True)
class Fourier:
    """Features sqrt(2 / d) cos(<frequency, x> + phase), which stand in for kernel values."""

    frequencies: NDArray[Any]  # (n_features, d)
    phases: NDArray[Any]  # (d,)


@dataclass(frozen=True)
class View:
    """A fitted model: f_m(x) = sum_s coefficients[m, s] K(x, vectors[s]) + intercepts[m].

    Attributes
    ----------
    kernel : KernelSpec
        The kernel, its parameters settled.
    classes : ndarray of shape (n_classes,)
        The labels, sorted; two at least. With two there is one machine, positive for `classes[1]`, with more one a
        class, and the largest value decides. A regression has none, and one machine.
    vectors : ndarray or CSR matrix of shape (n_support, n_features)
        The support vectors, grouped by class; with a precomputed kernel they have no columns.
    counts : ndarray of shape (n_classes,)
        The number of support vectors of each class.
    columns : ndarray of shape (n_support,)
        Their places in the stream, which are their columns in a precomputed kernel.
    coefficients : ndarray of shape (machines, n_support)
        Signed coefficients.
    intercepts : ndarray of shape (machines,)
        Constants.
    n_features : int
        Columns of the examples to decide.
    centre : ndarray of shape (n_features,) or None
        What the model itself takes off its examples, since they lie far from zero.
    feature_names : ndarray of shape (n_features,) or None
        Names of the columns, if the model knows them.
    fourier : Fourier or None
        Features to be used in place of K(x, vectors[s]); there are no vectors then.
    """

    kernel: KernelSpec
    classes: NDArray[Any]
    vectors: Any
    counts: NDArray[np.int32]
    columns: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    n_features: int
    centre: NDArray[np.float64] | None
    feature_names: NDArray[Any] | None
    fourier: Fourier | None = None

    @classmethod
    def of(cls, model: Any) -> View:
        """Return what a fitted model knows, or say in one sentence why it cannot be exported."""
        state = model._copied_state()
        arrays, _ = state.to_arrays()
        intercepts = state.native.bias
        table = state.table
        if len(table) < 2 and not isinstance(model, ApproximateSVR):
            raise ExportError(
                f"A model must know two classes at least to be exported, got only {table.classes.tolist()}; "
                "let it learn examples of another class first."
            )
        fourier = _fourier(state, arrays)
        support = state.support() if fourier is None else _no_support(state)
        if not support.coefficients.size:
            raise ExportError("A model must have support vectors to be exported, got none; let it learn examples.")
        shift = arrays["shift"]
        return cls(
            kernel=state.kernel,
            classes=table.classes[:0] if isinstance(model, ApproximateSVR) else table.classes,
            vectors=support.vectors[:, :0] if state.kernel.name == "precomputed" else support.vectors,
            counts=support.counts,
            columns=support.ids,
            coefficients=support.coefficients,
            intercepts=table.arrange(intercepts[None, :]).ravel(),
            n_features=state.storage.n_features,
            centre=shift.astype(np.float64) if shift.size else None,
            feature_names=getattr(model, "feature_names_in_", None),
            fourier=fourier,
        )

    @property
    def regression(self) -> bool:
        """The model answers with values rather than classes."""
        return not len(self.classes)

    @property
    def n_support(self) -> int:
        """The number of support vectors, or of features."""
        return int(self.coefficients.shape[1])

    @property
    def sparse(self) -> bool:
        """Whether support vectors are kept as CSR rows."""
        return bool(issparse(self.vectors))

    def require_kernel(self, accepted: tuple[str, ...], target: str) -> None:
        """Refuse kernels that the target does not know; features in place of kernel values are another matter."""
        if self.kernel.name in accepted:
            return
        kernel = "a function as kernel" if self.kernel.name == "callable" else f"the kernel {self.kernel.name!r}"
        raise ExportError(f"{target} knows the kernels {', '.join(accepted)} only, got a model with {kernel}.")


def _fourier(state: State, arrays: Arrays) -> Fourier | None:
    if not isinstance(state, ApproximateState) or state.features.is_expansion:
        return None
    return Fourier(arrays["frequencies"], arrays["phases"])


def _no_support(state: Any) -> Support:
    """Return the weights of features that no examples belong to."""
    weights = state.weights()
    none = np.zeros(0, dtype=np.int64)
    return Support(none, np.zeros((0, state.storage.n_features)), weights, none.astype(np.int32))

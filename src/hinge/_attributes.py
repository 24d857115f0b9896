"""What a fitted model shows, computed when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hinge._state import State


class FittedAttributes:
    """The attributes of `sklearn.svm.SVC` and a few more, read from the state."""

    _state: State

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def _known(self) -> State:
        """Return the state, or raise NotFittedError."""
        check_is_fitted(self)
        return self._state

    @property
    def support_(self) -> NDArray[np.int64]:
        """The support vectors' places in the stream (after `fit`: rows of X), grouped by class."""
        return self._known().support().ids

    @property
    def support_vectors_(self) -> Any:
        """The support vectors in the order of `support_`; with a precomputed kernel an array without columns."""
        support = self._known().support()
        return support.vectors if self._state.kernel.name != "precomputed" else support.vectors[:, :0]

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """The number of support vectors of each class."""
        return self._known().support().counts

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Signed coefficients of the support vectors: one row with two classes, else one row a class."""
        return self._known().support().coefficients

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The constant of each row of `dual_coef_`."""
        table, bias = self._known().together(lambda bank: bank.bias, len)
        return table.arrange(bias[None, :]).ravel()

    @property
    def n_iter_(self) -> int:
        """Steps of the solver so far, each of which changed a coefficient or a pair of them."""
        return self._known().bank.n_steps

    @property
    def n_kernel_evals_(self) -> int:
        """Kernel values computed so far."""
        return self._known().bank.n_kernel_evals

    @property
    def n_seen_(self) -> int:
        """Examples given so far."""
        return self._known().n_seen

"""What a fitted model shows, computed when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sklearn.utils.metaestimators import available_if as _available_if
from sklearn.utils.validation import check_is_fitted

from hinge._model.locking import reads

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from hinge._model.state import State


Method = TypeVar("Method", bound="Callable[..., Any]")


def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Decorate a method that only some models have; unlike scikit-learn's decorator it keeps the type of the method."""
    decorate: Callable[[Method], Method] = _available_if(check)
    return decorate


class FittedAttributes:
    """The attributes of `sklearn.svm.SVC` and a few more, read from the state."""

    _state: State

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_state")

    def _known(self) -> State:
        """Return the state, or raise NotFittedError."""
        if "_state" not in vars(self):  # scikit-learn's check looks at much more, and every call comes through here
            check_is_fitted(self)
        return self._state

    @property
    @reads
    def support_(self) -> NDArray[np.int64]:
        """The support vectors' places in the stream (after `fit`: rows of X), grouped by class."""
        return self._known().support().ids

    @property
    @reads
    def support_vectors_(self) -> Any:
        """The support vectors in the order of `support_`; with a precomputed kernel an array without columns."""
        support = self._known().support()
        return support.vectors if self._state.kernel.name != "precomputed" else support.vectors[:, :0]

    @property
    @reads
    def n_support_(self) -> NDArray[np.int32]:
        """The number of support vectors of each class."""
        return self._known().support().counts

    @property
    @reads
    def dual_coef_(self) -> NDArray[np.float64]:
        """Signed coefficients of the support vectors: one row with two classes, else one row a class."""
        return self._known().support().coefficients

    @property
    @reads
    def intercept_(self) -> NDArray[np.float64]:
        """The constant of each row of `dual_coef_`."""
        state = self._known()
        return state.table.arrange(state.native.bias[None, :]).ravel()

    @property
    @reads
    def n_iter_(self) -> int:
        """Steps of the solver so far, each of which changed a coefficient or a pair of them."""
        return self._known().native.n_steps

    @property
    @reads
    def n_kernel_evals_(self) -> int:
        """Kernel values computed so far."""
        return self._known().native.n_kernel_evals

    @property
    def n_seen_(self) -> int:
        """Examples given so far; it does not wait for a thread that learns, and includes what that was given."""
        return self._known().n_seen

"""The verbs that say how good a solution is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hinge import _core
from hinge._fit.base import StreamingClassifier
from hinge._model.duality import gap_on, violation_on
from hinge._model.locking import reads
from hinge._model.params import number
from hinge._model.threads import one_blas_thread
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from hinge._model.options import CommonOptions
    from hinge._model.state import NativeModel, State


class MeasuredClassifier(StreamingClassifier):
    """A streaming classifier that minimises a cost, and says how good its solution is."""

    C: float
    tol: float

    def _common_options(self, *, streaming: bool) -> CommonOptions:
        options = super()._common_options(streaming=streaming)
        number("C", self.C, above=0, hint="a usual value is 1.0")
        number("tol", self.tol, above=0, hint="a usual value is 1e-3")
        return options

    @property
    def _cost(self) -> float:
        return float(self.C)

    def _solution(self) -> NativeModel:
        """Return the machines, ready to be asked how good their solution is."""
        return self._known().native

    @reads
    def duality_gap(self, X: Any = None, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Return how far the solution is from the optimum: primal minus dual objective, summed over the machines.

        Parameters
        ----------
        X, y : array-like, default=None
            The examples of the problem, for instance the whole training set; None for those the model still holds.
        sample_weight : array-like of shape (n,), default=None
            Weights of the rows of X.

        Returns
        -------
        float
            The gap; the optimum lies between `dual_objective()` and that plus the gap. Models that answer with averaged
            coefficients have the gap of those that they are learning, which they do not average.
        """
        if X is None:
            return float(self._solution().duality_gap.sum())
        return self._measured(gap_on, X, y, sample_weight)

    @reads
    def dual_objective(self, X: Any = None, y: Any = None) -> float:  # noqa: ARG002
        """Return the dual objective, which learning raises; with several machines their sum.

        Parameters
        ----------
        X, y : array-like, default=None
            Change nothing, since examples that the model does not hold have coefficient zero; they are accepted so that
            all measures are called alike.

        Returns
        -------
        float
            The objective.
        """
        return float(self._solution().dual_objective.sum())

    @reads
    def kkt_violation(self, X: Any = None, y: Any = None, sample_weight: ArrayLike | None = None) -> float:
        """Return how far the optimality conditions are violated, at most over the machines.

        Parameters
        ----------
        X, y : array-like, default=None
            Examples to look at besides those that the model holds. Rows equal to one that is held count as that one,
            others have coefficient zero.
        sample_weight : array-like of shape (n,), default=None
            Weights of the rows of X.

        Returns
        -------
        float
            The violation: 0 at the optimum, at most `tol` for a finished solution.
        """
        if X is None:
            return float(self._solution().gap.max(initial=0.0))
        return self._measured(violation_on, X, y, sample_weight)

    def _measured(self, measure: Callable[..., float], X: Any, y: Any, sample_weight: ArrayLike | None) -> float:
        state = self._known()
        _require_convex(state)
        data = self._lesson(*self._checked(X, y, state), sample_weight)
        self._solution()
        with one_blas_thread():
            return measure(state, data.X, data.numbers(state.table), data.costs)


def _has_outliers(state: State) -> bool:
    """Tell whether some example is held whose loss is flat, as the ramp loss leaves behind."""
    arrays = state.native.state()
    counts = arrays["member_counts"]
    positive = np.arange(len(counts)) if len(counts) > 1 else np.ones(1)
    own = arrays["labels"][arrays["members"]] == np.repeat(positive, counts)
    return bool(((arrays["member_lows"] == 0) != own).any())


def _require_convex(state: State) -> None:
    """Refuse to measure a model where the examples given are not the problem that its coefficients solve."""
    options = state.options
    if isinstance(options, _core.RobustOptions) and (options.loss == "ramp" or _has_outliers(state)):
        raise ParameterError(
            "The ramp loss must have its outliers named before its problem is convex, and examples given say none; "
            "call this without examples, which looks at those the model holds."
        )
    if isinstance(options, _core.TrackingOptions) and options.average:
        raise ParameterError(
            "Averaged coefficients must not be measured against the dual of others; "
            "call this without examples, or learn with average=False."
        )

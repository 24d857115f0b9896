"""What approximate models may do, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from hinge import _core
from hinge._model.state import SolverOptions


@dataclass(frozen=True)
class ApproximateOptions(SolverOptions):
    """The options of linear machines over features, besides those that all models share.

    Attributes
    ----------
    approximation : str
        "nystroem" or "fourier".
    n_components : int
        The most features that a map may have.
    eigen_threshold : float or None
        Eigenvalues up to this part of the largest are left out; None suits the precision.
    loss, epsilon : str, float
        The loss of one example.
    intercept, adaptive : bool
        The machines have a constant; their steps are adaptive rather than those of ASSET.
    cost : float
        C.
    total, planned : int
        Examples of a training set, and steps to be made over it; 0 in a stream.
    average_share, average_steps : float, int
        The share of the last steps that is averaged or, where that is 0, their number.
    """

    algorithm: str = "approximate"
    approximation: str = "nystroem"
    n_components: int = 512
    eigen_threshold: float | None = None
    loss: str = "hinge"
    epsilon: float = 0.0
    intercept: bool = True
    adaptive: bool = True
    cost: float = 1.0
    total: int = 0
    planned: int = 0
    average_share: float = 0.5
    average_steps: int = 0

    @property
    def regression(self) -> bool:
        """Targets are values rather than classes."""
        return self.loss.endswith("insensitive")

    def native(self) -> _core.LinearOptions:  # type: ignore[override]
        """Return the options for the native code."""
        options = _core.LinearOptions()
        options.set_loss(self.loss, self.epsilon)
        for name in (
            "intercept",
            "adaptive",
            "cost",
            "total",
            "planned",
            "average_share",
            "average_steps",
            "threads",
            "cache_bytes",
        ):
            setattr(options, name, getattr(self, name))
        return options

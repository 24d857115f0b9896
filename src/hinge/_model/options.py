"""Options of the models: the native option classes, and those that only Python uses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias, TypedDict

from hinge import _core


class CommonOptions(TypedDict):
    """Options that every native model has."""

    cache_bytes: int
    threads: int


@dataclass(frozen=True)
class ApproximateOptions:
    """The options of an approximate model.

    Attributes
    ----------
    linear : LinearOptions
        Options of the linear models over the features.
    approximation : {"nystroem", "fourier"}
        The feature map.
    n_components : int
        Largest number of features.
    eigen_threshold : float or None
        Eigenvalues up to this fraction of the largest are dropped; None chooses a value for the precision.
    """

    linear: _core.LinearOptions
    approximation: str
    n_components: int
    eigen_threshold: float | None

    @property
    def threads(self) -> int:
        """Number of threads."""
        return self.linear.threads

    @property
    def is_regression(self) -> bool:
        """True if the targets are values rather than classes."""
        return self.linear.loss.endswith("insensitive")

    def with_linear(self, **changes: Any) -> Self:
        """Return a copy with some options of the linear models changed."""
        return replace(self, linear=self.linear.replace(**changes))


NativeOptions: TypeAlias = (
    _core.LasvmOptions | _core.RobustOptions | _core.TrackingOptions | _core.PerceptronOptions | _core.ExactOptions
)
SolverOptions: TypeAlias = NativeOptions | ApproximateOptions

"""Options of the models: the native option classes, and those that only Python uses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias, TypedDict

from hinge import _core


class CommonOptions(TypedDict):
    """Options that every native model has."""

    cache_bytes: int
    threads: int


class OnlineOptions(CommonOptions):
    """Options that every native model of online solvers has."""

    multi_class: str


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
    relative_threshold : bool
        Whether the threshold is a fraction of the largest eigenvalue, or an eigenvalue.
    rank : int or None
        Largest number of features of a Nystroem map; None for that of its landmarks.
    gradient_sample : int or None
        Number of examples from which the typical size of features is estimated; None uses the map alone.
    """

    linear: _core.LinearOptions
    approximation: str
    n_components: int
    eigen_threshold: float | None
    relative_threshold: bool = True
    rank: int | None = None
    gradient_sample: int | None = None

    @property
    def threads(self) -> int:
        """Number of threads."""
        return self.linear.threads

    @property
    def is_adaptive(self) -> bool:
        """True if steps are adaptive rather than those of ASSET."""
        return self.linear.steps == "adaptive"

    @property
    def is_regression(self) -> bool:
        """True if the targets are values rather than classes."""
        return self.linear.loss.endswith("insensitive")

    def with_linear(self, **changes: Any) -> Self:
        """Return a copy with some options of the linear models changed."""
        return replace(self, linear=self.linear.replace(**changes))


@dataclass(frozen=True)
class AdaptiveOptions:
    """The options of an adaptive model.

    Attributes
    ----------
    parameters : tuple
        The parameters of the estimator; options are equal if these are.
    windows : tuple of tuple
        For each window model: the number of its kernel, how many examples it holds, C, and whether it is selective.
    gamma_factors : tuple of float
        Each makes one kernel.
    gamma_follows : bool
        Whether gamma is computed again as the stream goes on.
    limit : float
        Where standard scores are cut off; 0 leaves rows as they are.
    tolerance : float
        Largest violation of the optimality conditions.
    max_updates : int
        Largest number of gradient updates per example and binary problem; a step updates all of a window.
    delta : float or None
        Significance level of the drift detector; None detects nothing.
    """

    parameters: tuple[Any, ...]
    windows: tuple[tuple[int, int, float, bool], ...]
    gamma_factors: tuple[float, ...]
    gamma_follows: bool
    limit: float
    tolerance: float
    max_updates: int
    delta: float | None

    @property
    def threads(self) -> int:
        """Number of threads: rows come one by one."""
        return 1


NativeOptions: TypeAlias = (
    _core.LasvmOptions | _core.RobustOptions | _core.TrackingOptions | _core.PerceptronOptions | _core.ExactOptions
)
SolverOptions: TypeAlias = NativeOptions | ApproximateOptions | AdaptiveOptions

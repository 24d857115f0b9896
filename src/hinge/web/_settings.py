"""The settings of a labelling session."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hinge._model.params import KERNELS, bound, check_kernel, choice, number, whole
from hinge.active._selection import STRATEGIES, QueryOptions
from hinge.exceptions import ParameterError
from hinge.incremental import IncrementalSVC
from hinge.online import OnlineSVC

_SOLVERS: dict[str, type[OnlineSVC | IncrementalSVC]] = {"incremental": IncrementalSVC, "online": OnlineSVC}
_PERCENT = 100
_KERNELS = tuple(kernel for kernel in KERNELS if kernel != "precomputed")  # pools have features, not kernel values


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """How examples are chosen, and which model learns the labels.

    Attributes
    ----------
    strategy : {"boundary", "positive", "autoactive", "random"}
        How the next example is chosen; see `hinge.active.query`.
    sample : int or None
        Number of random examples from which the next one is chosen; None considers all.
    check_every : int
        One of this many examples is drawn at random, so that the accuracy can be estimated without bias.
    C : float
        Penalty parameter of the SVM.
    gamma : float, "scale" or "auto"
        Kernel coefficient.
    kernel : {"rbf", "linear", "poly", "sigmoid", "laplacian"}
        The kernel.
    solver : {"incremental", "online"}
        `IncrementalSVC`, which stays exact when a label is changed or deleted, or `OnlineSVC`, for tens of thousands
        of labels.
    target : str or None
        The class that the strategy "positive" searches for.
    overlap : float
        Percentage of the examples that more than one person labels, to measure how well they agree.
    overlap_people : int
        How many people label each of these.
    seed : int or None
        Seed of the random number generator.
    instructions : str or None
        Markdown text that the page shows to people who label.

    Examples
    --------
    >>> SessionSettings(strategy="positive").sample
    1000
    >>> SessionSettings(C=0)
    Traceback (most recent call last):
    ...
    hinge.exceptions.ParameterError: C must be a finite number above 0, got 0; a usual value is 10.
    """

    strategy: str = "boundary"
    sample: int | None = 1000
    check_every: int = 5
    C: float = 10.0
    gamma: float | str = "scale"
    kernel: str = "rbf"
    solver: str = "incremental"
    target: str | None = None
    overlap: float = 0.0
    overlap_people: int = 2
    seed: int | None = None
    instructions: str | None = None

    def __post_init__(self) -> None:
        choice("strategy", self.strategy, STRATEGIES)
        bound("sample", self.sample, at_least=1)
        whole("check_every", self.check_every, at_least=1, hint="a usual value is 5")
        if number("overlap", self.overlap, at_least=0, hint="a usual value is 10") > _PERCENT:
            raise ParameterError(f"overlap must be at most 100 percent, got {self.overlap!r}; a usual value is 10.")
        whole("overlap_people", self.overlap_people, at_least=2, hint="a usual value is 2")
        number("C", self.C, above=0, hint="a usual value is 10")
        choice("kernel", self.kernel, _KERNELS)
        check_kernel(self.kernel, 3, self.gamma, 0.0)
        choice("solver", self.solver, tuple(_SOLVERS))
        QueryOptions.validate(1, self.strategy, None, self.seed, target=self.target)

    def with_kernel(self, kernel: str | None) -> SessionSettings:
        """Return settings with the kernel that suits some features; None, or a kernel of the user, changes nothing."""
        return self if kernel is None or self.kernel != "rbf" else replace(self, kernel=kernel)

    def model(self) -> OnlineSVC | IncrementalSVC:
        """Create an untrained model."""
        return _SOLVERS[self.solver](C=self.C, gamma=self.gamma, kernel=self.kernel)

"""The estimator `RobustOnlineSVC`: a thin front of the native LASVM-G, -NC, -I and FULL machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hinge._measures import MeasuredClassifier
from hinge._params import (
    check_class_weight,
    check_kernel,
    check_seed,
    check_threads,
    choice,
    flag,
    number,
    whole,
)
from hinge._state import SolverOptions
from hinge._threads import count_threads
from hinge._training import make_passes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hinge._base import Lesson

VARIANTS = ("ramp", "hinge", "ignore", "full")


class RobustOnlineSVC(MeasuredClassifier):
    """Online kernel classifier that resists wrong labels: LASVM-G, -NC, -I and FULL, without intercept."""

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Mapping[Any, float] | str | None = None,
        verbose: bool = False,
        random_state: Any = None,
        variant: str = "ramp",
        ramp: float = -1.0,
        warmup: int = 100,
        max_idle: int = 100,
        clean_every: int = 100,
        epochs: int = 1,
        max_support: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.variant = variant
        self.ramp = ramp
        self.warmup = warmup
        self.max_idle = max_idle
        self.clean_every = clean_every
        self.epochs = epochs
        self.max_support = max_support
        self.n_jobs = n_jobs

    def _train(self, lesson: Lesson, options: SolverOptions) -> None:
        make_passes(self, lesson, self.epochs)

    def _check_params(self, *, streaming: bool) -> SolverOptions:
        check_kernel(self.kernel, self.degree, self.gamma, self.coef0)
        check_class_weight(self.class_weight, streaming=streaming)
        check_seed(self.random_state)
        check_threads(self.n_jobs)
        number("C", self.C, above=0, hint="a usual value is 1.0")
        flag("verbose", self.verbose)
        whole("epochs", self.epochs, at_least=1, hint="one pass is usual")
        max_support = self.max_support
        if max_support is not None:
            max_support = whole("max_support", max_support, at_least=2, hint="None sets no bound")
        megabytes = number("cache_size", self.cache_size, above=0, hint="it is in megabytes, a usual value is 200")
        return SolverOptions(
            tolerance=number("tol", self.tol, above=0, hint="a usual value is 1e-3"),
            second_order=False,
            max_gap=None,
            max_support=max_support,
            cache_bytes=int(min(megabytes * 2**20, 2**62)),
            selection="random",
            pool_size=50,
            threads=count_threads(self.n_jobs),
            algorithm="robust",
            loss=choice("variant", self.variant, VARIANTS),
            ramp=number("ramp", self.ramp, hint="a usual value is -1.0"),
            warmup=whole("warmup", self.warmup, at_least=0, hint="a usual value is 100"),
            max_idle=whole("max_idle", self.max_idle, at_least=0, hint="a usual value is 100"),
            clean_every=whole("clean_every", self.clean_every, at_least=1, hint="a usual value is 100"),
        )

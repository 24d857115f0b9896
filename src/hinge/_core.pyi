"""The native core as Python sees it. Arrays are C-contiguous; float32 and float64 have a class each."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

class Kernel:
    """A kernel function and its parameters.

    `name` is one of linear, rbf, poly, sigmoid, laplacian, precomputed, callable. With "callable", `function(A, B)`
    gets two arrays (or CSR matrices) of examples and returns the matrix of kernel values.
    """

    def __init__(
        self,
        name: str,
        gamma: float = 1.0,
        coef0: float = 0.0,
        degree: int = 3,
        function: Callable[[Any, Any], Any] | None = None,
    ) -> None: ...

class Options:
    """What a native may do; plain data."""

    algorithm: str  # lasvm, robust, tracking, perceptron (an ExactModel: incremental); the middle three have no bias
    tolerance: float  # tau
    max_support: int  # members a machine may keep; 0: no bound
    max_steps: int  # of one finishing; 0: as many as it takes
    cache_bytes: int
    threads: int
    # lasvm
    second_order: bool  # pair choice when finishing: second order, or the paper's maximal gradient
    max_gap: float  # delta_max of figure 10; infinity: one REPROCESS an example
    selection: str  # random, gradient, active, autoactive
    pool_size: int
    # robust
    loss: str  # hinge, ramp, ignore, full
    ramp: float  # where the loss becomes flat
    warmup: int  # support vectors before it does
    max_idle: int  # members without a coefficient that may stay
    clean_every: int  # examples between two looks at them
    # tracking
    n_steps: int  # K
    process: bool  # Algorithm 2
    keep_all: bool  # examples without a coefficient stay
    seed: int  # of the random picks
    # tracking, perceptron
    average: bool  # answer with averaged coefficients
    # perceptron
    margin: float  # answers up to this count as mistakes
    # incremental
    max_examples: int  # examples that a machine may hold; 0: no bound
    oldest_first: bool  # the oldest example leaves a full machine, not the least relevant
    problem: str  # classifier, plane, sphere
    nu: float  # plane and sphere: the share of the costs that the coefficients sum to,
    most_total: float  # and the most that they do
    def __init__(self) -> None: ...

class Progress:
    """What the monitor is shown a few times a second."""

    phase: str  # "learn" or "finish"
    seen: int  # examples of this call looked at so far
    total: int
    mistakes: int  # progressive: counted before an example is learned
    support: int
    gap: float  # delta, the largest over the machines

Monitor: TypeAlias = Callable[[Progress], bool]  # False: stop at the next consistent point

class Batch32:
    """Examples of one call, seen without a copy; keeps the arrays alive."""

    @staticmethod
    def dense(X: NDArray[np.float32]) -> Batch32: ...
    @staticmethod
    def sparse(
        data: NDArray[np.float32], indices: NDArray[np.int32], indptr: NDArray[np.int64], n_features: int
    ) -> Batch32: ...
    def pick(self, rows: NDArray[np.int64]) -> Batch32:
        """Return some rows, in the order of their numbers' list; nothing is copied."""

class Batch64:
    @staticmethod
    def dense(X: NDArray[np.float64]) -> Batch64: ...
    @staticmethod
    def sparse(
        data: NDArray[np.float64], indices: NDArray[np.int32], indptr: NDArray[np.int64], n_features: int
    ) -> Batch64: ...
    def pick(self, rows: NDArray[np.int64]) -> Batch64: ...

class Outcome:
    """How one call to `learn` or `finish` went."""

    visited: int  # examples shown to the machines (with active selection fewer than were given)
    inserted: int  # times an example entered a machine
    mistakes: int
    steps: int  # of a coefficient or a pair of them
    stopped: bool  # the monitor asked to stop
    stalled: bool  # finishing, or learning an example, hit its cap before the tolerance

class Predictor32:
    """What a model knew at one moment. It never changes: any number of threads may ask it at the same time."""

    def decide(self, batch: Batch32, threads: int = 1) -> NDArray[np.float64]:
        """Decision values, shape (rows, binaries), bias included, of averaged coefficients where there are some."""

class Predictor64:
    """As Predictor32, in double precision."""

    def decide(self, batch: Batch64, threads: int = 1) -> NDArray[np.float64]: ...

class KernelModel32:
    """One-vs-rest machines over one set of retained examples.

    Classes are numbered in the order in which Python names them; with up to two classes there is one machine whose
    positive class is number 1, with more one machine a class.
    """

    def __init__(self, kernel: Kernel, options: Options, n_features: int, sparse: bool, n_classes: int) -> None: ...
    def set_options(self, options: Options) -> None: ...
    def grow(self, n_classes: int) -> None:
        """Add classes; new machines start from nothing and see the retained examples at the end of the next `learn`."""
    def learn(
        self,
        batch: Batch32,
        labels: NDArray[np.int32],  # class number of every row of the batch
        costs: NDArray[np.float64],  # C times weight of every row (perceptrons: weight); rows of cost 0 are passed over
        first_id: int,  # id of row 0; row r is example first_id + r
        order: NDArray[np.int64],  # rows in the order of visits
        seed: int = 0,  # used by selection other than random
        monitor: Monitor | None = None,
    ) -> Outcome: ...
    def finish(self, monitor: Monitor | None = None) -> Outcome: ...
    def polish(self) -> None:
        """Solve the free coefficients of small machines to rounding."""
    def predictor(self) -> Predictor32:
        """Return what the model knows now, to be asked while the model learns on."""

    broken: bool  # an exception has left it in the middle of a change
    n_binaries: int
    n_retained: int  # examples held
    n_kernel_evals: int
    n_steps: int
    bias: NDArray[np.float64]  # (machines,)
    gap: NDArray[np.float64]  # of each machine: largest violation among held examples, 0 when there is none
    dual_objective: NDArray[np.float64]
    duality_gap: NDArray[np.float64]  # for the examples held
    squared_norm: NDArray[np.float64]  # ||w||^2 of each machine
    extremes: NDArray[np.float64]  # (machines, 2): lowest g that may fall, highest g that may rise
    def coefficients(self) -> NDArray[np.float64]:
        """Signed alpha, shape (machines, n_retained); column order as in `state()["ids"]`."""
    def check_invariants(self) -> None:
        """Raise RuntimeError with a sentence that names what is broken inside, if anything is; for tests."""
    def state(self) -> dict[str, NDArray[Any]]:
        """Everything needed to go on.

        Keys: ids int64 (n,), labels int32 (n,), costs float64 (n,), `values` (n, features) or `data`, `indices`,
        `indptr`, shift (features,) or empty, members int64, member_counts int64 (machines,), member_lows, member_costs,
        alpha, gradient and lag float64, terms float64 (machines,), counters int64, newcomers int64;
        docs/model-format.md says what they mean.
        """
    @staticmethod
    def restore(
        kernel: Kernel, options: Options, n_features: int, sparse: bool, n_classes: int, state: dict[str, NDArray[Any]]
    ) -> KernelModel32: ...

class KernelModel64:
    """As KernelModel32, in double precision throughout."""

    def __init__(self, kernel: Kernel, options: Options, n_features: int, sparse: bool, n_classes: int) -> None: ...
    def set_options(self, options: Options) -> None: ...
    def grow(self, n_classes: int) -> None: ...
    def learn(
        self,
        batch: Batch64,
        labels: NDArray[np.int32],
        costs: NDArray[np.float64],
        first_id: int,
        order: NDArray[np.int64],
        seed: int = 0,
        monitor: Monitor | None = None,
    ) -> Outcome: ...
    def finish(self, monitor: Monitor | None = None) -> Outcome: ...
    def polish(self) -> None: ...
    def predictor(self) -> Predictor64: ...

    broken: bool
    n_binaries: int
    n_retained: int
    n_kernel_evals: int
    n_steps: int
    bias: NDArray[np.float64]
    gap: NDArray[np.float64]
    dual_objective: NDArray[np.float64]
    duality_gap: NDArray[np.float64]
    squared_norm: NDArray[np.float64]
    extremes: NDArray[np.float64]
    def coefficients(self) -> NDArray[np.float64]: ...
    def check_invariants(self) -> None: ...
    def state(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def restore(
        kernel: Kernel, options: Options, n_features: int, sparse: bool, n_classes: int, state: dict[str, NDArray[Any]]
    ) -> KernelModel64: ...

class ExactModel:
    """Machines that are exact after every example, in double precision; else as KernelModel64.

    Classes and machines are numbered as in the other banks. The problem "plane" or "sphere" has one class, number 0,
    and one machine. A native that has forgotten everything may have no class at all.
    """

    def __init__(self, kernel: Kernel, options: Options, n_features: int, sparse: bool, n_classes: int) -> None: ...
    def set_options(self, options: Options) -> None: ...
    def grow(self, n_classes: int) -> None:
        """Add classes; new machines are exact at once."""
    def drop_class(self, number: int) -> None:
        """Take away a class that no example has any more; higher numbers fall by one."""
    def learn(
        self,
        batch: Batch64,
        labels: NDArray[np.int32],
        costs: NDArray[np.float64],
        first_id: int,
        order: NDArray[np.int64],
        seed: int = 0,
        monitor: Monitor | None = None,
    ) -> Outcome: ...
    def adopt(
        self,
        batch: Batch64,
        labels: NDArray[np.int32],
        costs: NDArray[np.float64],
        first_id: int,
        order: NDArray[np.int64],
        alpha: NDArray[np.float64],
    ) -> None:
        """Take in many examples at once, with coefficients near the solution, shape (machines, order)."""
    def forget(self, ids: NDArray[np.int64], monitor: Monitor | None = None) -> int:
        """Forget examples that are held; returns how many, fewer than given only when stopped."""
    def relabel(
        self,
        ids: NDArray[np.int64],
        labels: NDArray[np.int32],
        costs: NDArray[np.float64],
        monitor: Monitor | None = None,
    ) -> int:
        """Give other labels and costs to examples that are held; returns how many got them."""
    def leave_one_out(self, monitor: Monitor | None = None) -> NDArray[np.float64]:
        """Decision values of each held example by the machines without it, shape (held, machines)."""
    broken: bool  # an exception has left it in the middle of a change
    def certify(self) -> None:
        """Compute all gradients from nothing, so that `gap` is a certificate."""
    def held(self) -> NDArray[np.int64]:
        """Ids of the examples held by any machine, in the order of the stream."""
    def class_counts(self) -> NDArray[np.int64]:
        """Examples held of each class."""
    def labels(self) -> NDArray[np.int32]:
        """Class numbers of the examples held, in the order of `held`."""
    def costs(self) -> NDArray[np.float64]:
        """Costs of the examples held, in the order of `held`."""
    def finish(self, monitor: Monitor | None = None) -> Outcome:
        """Do nothing: the machines are finished."""
    def polish(self) -> None:
        """Do nothing."""
    def predictor(self) -> Predictor64: ...

    n_binaries: int
    n_retained: int
    n_kernel_evals: int
    n_steps: int
    bias: NDArray[np.float64]
    gap: NDArray[np.float64]
    dual_objective: NDArray[np.float64]
    duality_gap: NDArray[np.float64]
    squared_norm: NDArray[np.float64]
    extremes: NDArray[np.float64]
    total: NDArray[np.float64]  # what the coefficients of each machine sum to
    residual: NDArray[np.float64]  # largest |g| of free coefficients, as last seen
    n_margin: NDArray[np.int64]  # examples of each machine on the margin
    n_bounded: NDArray[np.int64]  # and at their bounds
    n_refreshed: int  # times that an inverse was found anew
    def check_invariants(self) -> None: ...
    def state(self) -> dict[str, NDArray[Any]]: ...
    @staticmethod
    def restore(
        kernel: Kernel, options: Options, n_features: int, sparse: bool, n_classes: int, state: dict[str, NDArray[Any]]
    ) -> ExactModel: ...

def set_blas(routines: dict[str, Any]) -> None:
    """Hand over the BLAS function pointers (PyCapsules of scipy.linalg.cython_blas)."""

def instruction_set() -> str: ...
def after_fork() -> None:
    """Note, in a child process, that all other threads are gone, and with them whoever used a model."""

def close(seconds: float) -> None:
    """Let banks stop learning, and wait that long for the threads inside them: the interpreter is about to end."""

class LinearOptions:
    """What linear machines over features may do; plain data."""

    intercept: bool
    adaptive: bool  # else the steps of ASSET, or of ASSET* without an intercept
    cost: float  # C
    total: float  # examples in the training set, which fixes lambda; 0: a stream, those that have come so far
    average_share: float  # of the steps, the last ones, in the average; 0: the number below
    average_steps: int
    planned: int  # steps that will be made in all; 0: a stream
    threads: int
    cache_bytes: int  # for features that are kept from pass to pass
    def __init__(self) -> None: ...
    def set_loss(self, name: str, epsilon: float) -> None:
        """Choose hinge, squared_hinge, log_loss, epsilon_insensitive or squared_epsilon_insensitive."""

class Map64:
    """A feature map on its way into a native."""

    @staticmethod
    def nystroem(
        kernel: Kernel, landmarks: Batch64, ids: NDArray[np.int64], shift: NDArray[Any], projection: NDArray[Any]
    ) -> Map64: ...
    @staticmethod
    def fourier(frequencies: NDArray[Any], phases: NDArray[Any], shift: NDArray[Any], sparse: bool) -> Map64: ...
    def features(self, batch: Batch64, raw: bool = False) -> NDArray[np.float64]:
        """Return the features of rows or, with `raw`, the kernel values that those of Nystroem are made of."""

class LinearModel64:
    """Linear machines over the features of one map, which it takes: one a class, or one for a regression."""

    broken: bool  # an error has left it half-way through a step
    n_binaries: int
    n_retained: int  # features
    n_examples: int  # of a weight above zero, each counted once
    n_kernel_evals: int
    n_steps: int
    bias: NDArray[np.float64]  # averaged
    def __init__(
        self,
        map: Map64,  # noqa: A002
        penalty: NDArray[np.float64],
        typical: float,
        options: LinearOptions,
        n_classes: int,
        state: dict[str, NDArray[Any]] | None = None,
    ) -> None: ...
    def set_options(self, options: LinearOptions) -> None: ...
    def grow(self, n_classes: int) -> None: ...
    def learn(
        self,
        batch: Batch64,
        targets: NDArray[np.float64],
        weights: NDArray[np.float64],
        first_id: int,
        order: NDArray[np.int64],
        monitor: Monitor | None = None,
    ) -> Outcome: ...
    def predictor(self) -> Predictor64: ...
    def keep(self, rows: int) -> bool:
        """Keep the features of the rows of one batch, if they fit into the cache, until they are released."""
    def release(self) -> None: ...
    def check_invariants(self) -> None: ...
    def state(self) -> dict[str, NDArray[Any]]: ...
    def recall(self, state: dict[str, NDArray[Any]]) -> None:
        """Go back to what an earlier state of these machines knew."""

Map32 = Map64
LinearModel32 = LinearModel64

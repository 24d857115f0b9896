"""The native core of hinge."""

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeAlias

import numpy
import numpy.typing


Monitor: TypeAlias = Callable[[Progress], bool]  # False: stop at the next consistent point

def set_blas(routines: dict[str, Any]) -> None:
    """
    Take over the BLAS and LAPACK functions of scipy.linalg.cython_blas and cython_lapack.
    """

class Kernel:
    """
    A kernel and its parameters.

    `name` is linear, rbf, poly, sigmoid, laplacian, precomputed or callable. With "callable", `function(A, B)` gets two arrays or CSR
    matrices of examples and returns the matrix of their kernel values.
    """

    def __init__(self, name: str, gamma: float = 1.0, coef0: float = 0.0, degree: int = 3, function: Callable[[Any, Any], Any] | None = None) -> None: ...

class LasvmOptions:
    """Options of LASVM."""

    def __init__(self, *, cache_bytes: int = 200000000, threads: int = 1, multi_class: str = 'ovr', tolerance: float = 0.001, max_gap: float | None = None, upkeep: bool = False, max_support: int | None = None, streaming: bool = True, half_life: float | None = None, max_steps: int | None = None, second_order: bool = True, selection: str = 'random', pool_size: int = 50, when_confident: str = 'visit', max_visits: int | None = None) -> None: ...

    @property
    def cache_bytes(self) -> int:
        """Memory for kernel values or features."""

    @property
    def threads(self) -> int:
        """Threads that may work at the same time."""

    @property
    def multi_class(self) -> str:
        """ovr: a binary model for each class; ovo: for each pair of classes."""

    @property
    def tolerance(self) -> float:
        """Violation of a pair that is worth a step (tau)."""

    @property
    def max_gap(self) -> float | None:
        """
        Repeat REPROCESS while the gap is wider (delta_max); None: once per example.
        """

    @property
    def upkeep(self) -> bool:
        """Stay near the optimum after every example, instead of max_gap."""

    @property
    def max_support(self) -> int | None:
        """Members that a binary model may keep."""

    @property
    def streaming(self) -> bool:
        """Later rows are younger; else all rows are equally old."""

    @property
    def half_life(self) -> float | None:
        """
        Rows after which an example of a stream counts half; None: it counts forever.
        """

    @property
    def max_steps(self) -> int | None:
        """Steps of one finishing; None: as many as it takes, within reason."""

    @property
    def second_order(self) -> bool:
        """Finishing chooses pairs by second-order information."""

    @property
    def selection(self) -> str:
        """Which example comes next: random, gradient, active or autoactive."""

    @property
    def pool_size(self) -> int:
        """Candidates among which the next example is selected."""

    @property
    def when_confident(self) -> str:
        """
        What selection does once candidates lie outside the margin: visit, draw or stop.
        """

    @property
    def max_visits(self) -> int | None:
        """Examples that one call visits by selection; None: all."""

    def __eq__(self, other: object, /) -> bool: ...

    def replace(self, **changes: Any) -> Self:
        """Return the same options with some changes."""

    def to_dict(self) -> dict[str, Any]:
        """Return all options by name."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, values: dict[str, Any], /) -> None: ...

    @property
    def biased(self) -> bool:
        """Binary models have a bias."""

    @property
    def memory(self) -> dict[str, int]:
        """
        Arrays of a saved state in which the solvers remember what they did: numbers per binary model.
        """

class RobustOptions:
    """Options of LASVM-G, LASVM-NC, LASVM-I and FULL."""

    def __init__(self, *, cache_bytes: int = 200000000, threads: int = 1, multi_class: str = 'ovr', tolerance: float = 0.001, loss: str = 'ramp', ramp: float = -1.0, warmup: int = 0, max_idle: int = 0, clean_every: int = 1, move_both: bool = True, max_support: int | None = None) -> None: ...

    @property
    def cache_bytes(self) -> int:
        """Memory for kernel values or features."""

    @property
    def threads(self) -> int:
        """Threads that may work at the same time."""

    @property
    def multi_class(self) -> str:
        """ovr: a binary model for each class; ovo: for each pair of classes."""

    @property
    def tolerance(self) -> float:
        """Gradient of a coefficient that is worth a step."""

    @property
    def loss(self) -> str:
        """hinge (G), ramp (NC), ignore (I) or full (FULL)."""

    @property
    def ramp(self) -> float:
        """Score below which the loss is flat (s)."""

    @property
    def warmup(self) -> int:
        """Support vectors before it is."""

    @property
    def max_idle(self) -> int:
        """Members without a coefficient that cleaning keeps."""

    @property
    def clean_every(self) -> int:
        """Examples between two cleanings."""

    @property
    def move_both(self) -> bool:
        """REPROCESS moves both extremes where both violate; else one."""

    @property
    def max_support(self) -> int | None:
        """Members that a binary model may keep."""

    def __eq__(self, other: object, /) -> bool: ...

    def replace(self, **changes: Any) -> Self:
        """Return the same options with some changes."""

    def to_dict(self) -> dict[str, Any]:
        """Return all options by name."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, values: dict[str, Any], /) -> None: ...

    @property
    def biased(self) -> bool:
        """Binary models have a bias."""

    @property
    def memory(self) -> dict[str, int]:
        """
        Arrays of a saved state in which the solvers remember what they did: numbers per binary model.
        """

class TrackingOptions:
    """Options of the tracking algorithms."""

    def __init__(self, *, cache_bytes: int = 200000000, threads: int = 1, multi_class: str = 'ovr', tolerance: float = 0.001, n_steps: int = 10, process: bool = True, keep_all: bool = True, average: bool = False, seed: int = 0) -> None: ...

    @property
    def cache_bytes(self) -> int:
        """Memory for kernel values or features."""

    @property
    def threads(self) -> int:
        """Threads that may work at the same time."""

    @property
    def multi_class(self) -> str:
        """ovr: a binary model for each class; ovo: for each pair of classes."""

    @property
    def tolerance(self) -> float:
        """Gradient of a coefficient that is worth a step when finishing."""

    @property
    def n_steps(self) -> int:
        """Steps after each example (K)."""

    @property
    def process(self) -> bool:
        """Make a step on the new example first (Algorithm 2)."""

    @property
    def keep_all(self) -> bool:
        """Keep examples without a coefficient; else the variant of section 5.2."""

    @property
    def average(self) -> bool:
        """Predict with averaged coefficients."""

    @property
    def seed(self) -> int:
        """Seed of the random steps."""

    def __eq__(self, other: object, /) -> bool: ...

    def replace(self, **changes: Any) -> Self:
        """Return the same options with some changes."""

    def to_dict(self) -> dict[str, Any]:
        """Return all options by name."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, values: dict[str, Any], /) -> None: ...

    @property
    def biased(self) -> bool:
        """Binary models have a bias."""

    @property
    def memory(self) -> dict[str, int]:
        """
        Arrays of a saved state in which the solvers remember what they did: numbers per binary model.
        """

class PerceptronOptions:
    """Options of kernel perceptrons."""

    def __init__(self, *, cache_bytes: int = 200000000, threads: int = 1, multi_class: str = 'ovr', margin: float = 0.0, average: bool = False, max_support: int | None = None, eviction: str = 'balanced') -> None: ...

    @property
    def cache_bytes(self) -> int:
        """Memory for kernel values or features."""

    @property
    def threads(self) -> int:
        """Threads that may work at the same time."""

    @property
    def multi_class(self) -> str:
        """ovr: a binary model for each class; ovo: for each pair of classes."""

    @property
    def margin(self) -> float:
        """Scores up to this are mistakes."""

    @property
    def average(self) -> bool:
        """Predict with averaged coefficients."""

    @property
    def max_support(self) -> int | None:
        """Members that a binary model may keep."""

    @property
    def eviction(self) -> str:
        """Which member a full binary model evicts."""

    def __eq__(self, other: object, /) -> bool: ...

    def replace(self, **changes: Any) -> Self:
        """Return the same options with some changes."""

    def to_dict(self) -> dict[str, Any]:
        """Return all options by name."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, values: dict[str, Any], /) -> None: ...

    @property
    def biased(self) -> bool:
        """Binary models have a bias."""

    @property
    def memory(self) -> dict[str, int]:
        """
        Arrays of a saved state in which the solvers remember what they did: numbers per binary model.
        """

class ExactOptions:
    """Options of exact incremental and decremental models."""

    def __init__(self, *, cache_bytes: int = 200000000, threads: int = 1, multi_class: str = 'ovr', problem: str = 'classifier', nu: float = 1.0, most_total: float | None = None, max_examples: int | None = None, eviction: str = 'balanced') -> None: ...

    @property
    def cache_bytes(self) -> int:
        """Memory for kernel values or features."""

    @property
    def threads(self) -> int:
        """Threads that may work at the same time."""

    @property
    def multi_class(self) -> str:
        """ovr: a binary model for each class; ovo: for each pair of classes."""

    @property
    def problem(self) -> str:
        """classifier, plane or sphere."""

    @property
    def nu(self) -> float:
        """One-class: the coefficients sum to this share of their bounds,"""

    @property
    def most_total(self) -> float | None:
        """or to this, if that is less."""

    @property
    def max_examples(self) -> int | None:
        """Examples that a binary model may hold."""

    @property
    def eviction(self) -> str:
        """balanced, relevance, weight or age: who leaves a full binary model."""

    def __eq__(self, other: object, /) -> bool: ...

    def replace(self, **changes: Any) -> Self:
        """Return the same options with some changes."""

    def to_dict(self) -> dict[str, Any]:
        """Return all options by name."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, values: dict[str, Any], /) -> None: ...

    @property
    def biased(self) -> bool:
        """Binary models have a bias."""

    @property
    def memory(self) -> dict[str, int]:
        """
        Arrays of a saved state in which the solvers remember what they did: numbers per binary model.
        """

class LinearOptions:
    """Options of linear models over features."""

    def __init__(self, *, cache_bytes: int = 200000000, threads: int = 1, loss: str = 'hinge', epsilon: float = 0.0, intercept: bool = True, steps: str = 'adaptive', cost: float = 1.0, total: float = 0.0, penalty_total: float = 0.0, max_intercept: float | None = None, gradient_bound: float | None = None, average_share: float = 0.5, average_steps: int = 0, planned: int = 0, half_life: float | None = None) -> None: ...

    @property
    def cache_bytes(self) -> int:
        """Memory for kernel values or features."""

    @property
    def threads(self) -> int:
        """Threads that may work at the same time."""

    @property
    def loss(self) -> str:
        """Loss of one example, as scikit-learn names it."""

    @property
    def epsilon(self) -> float:
        """Half the width of the tube of a regression."""

    @property
    def intercept(self) -> bool:
        """Fit a constant."""

    @property
    def steps(self) -> str:
        """Adaptive steps, or those of ASSET or ASSET*."""

    @property
    def cost(self) -> float:
        """C."""

    @property
    def total(self) -> float:
        """Examples in the training set; 0: a stream."""

    @property
    def penalty_total(self) -> float:
        """ASSET: examples that lambda refers to; 0: as before, or the default."""

    @property
    def max_intercept(self) -> float | None:
        """ASSET: largest size of the intercept (B); None: that of the weights."""

    @property
    def gradient_bound(self) -> float | None:
        """ASSET: bound on subgradients (D_G); None: from the features."""

    @property
    def average_share(self) -> float:
        """Share of the last steps that is averaged; 0: average_steps."""

    @property
    def average_steps(self) -> int:
        """Number of last steps that are averaged."""

    @property
    def planned(self) -> int:
        """Steps that will be made in all; 0: a stream."""

    @property
    def half_life(self) -> float | None:
        """
        Rows after which an example of a stream counts half; None: it counts forever.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def replace(self, **changes: Any) -> Self:
        """Return the same options with some changes."""

    def to_dict(self) -> dict[str, Any]:
        """Return all options by name."""

    def __repr__(self) -> str: ...

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, values: dict[str, Any], /) -> None: ...

    @property
    def memory(self) -> dict[str, int]:
        """
        Arrays of a saved state in which the solvers remember what they did: numbers per binary model.
        """

class Outcome:
    """How one call to `learn` or `finish` went."""

    @property
    def visited(self) -> int:
        """
        Examples shown to the binary models; with active selection fewer than were given.
        """

    @property
    def reached(self) -> int:
        """
        Rows of the order, from the first, that need not be given again after a stop.
        """

    @property
    def inserted(self) -> int:
        """Times that an example entered a binary model."""

    @property
    def mistakes(self) -> int:
        """Examples misclassified before they were learned."""

    @property
    def mistakes_at(self) -> numpy.typing.NDArray[numpy.int64]:
        """Which of the examples visited were misclassified, counted from 0."""

    @property
    def recorded_rows(self) -> numpy.typing.NDArray[numpy.int64]:
        """The last rows visited, as many as were to be recorded."""

    @property
    def recorded_decisions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Their decision values before they were learned, one column per binary model.
        """

    @property
    def steps(self) -> int:
        """Steps of a coefficient or a pair of them."""

    @property
    def stopped(self) -> bool:
        """The monitor asked to stop."""

    @property
    def stalled(self) -> bool:
        """A limit on steps was reached before the tolerance."""

class Progress:
    """What the monitor is shown a few times per second."""

    @property
    def phase(self) -> str:
        """learn, finish or steps."""

    @property
    def seen(self) -> int:
        """Examples of this call seen so far."""

    @property
    def total(self) -> int:
        """Examples of this call."""

    @property
    def mistakes(self) -> int:
        """Examples misclassified before they were learned."""

    @property
    def support(self) -> int:
        """Examples held."""

    @property
    def measure(self) -> float:
        """
        Largest violation of a binary model, or the mean loss of linear models.
        """

class Batch32:
    """Examples of one call, without a copy; keeps the arrays alive."""

    @staticmethod
    def dense(X: numpy.typing.NDArray[numpy.float32]) -> Batch32: ...

    @staticmethod
    def sparse(data: numpy.typing.NDArray[numpy.float32], indices: numpy.typing.NDArray[numpy.int32], indptr: numpy.typing.NDArray[numpy.int64], n_features: int) -> Batch32: ...

    def pick(self, rows: numpy.typing.NDArray[numpy.int64]) -> Batch32:
        """Return some rows in the order given, without a copy."""

class Batch64:
    """Examples of one call, without a copy; keeps the arrays alive."""

    @staticmethod
    def dense(X: numpy.typing.NDArray[numpy.float64]) -> Batch64: ...

    @staticmethod
    def sparse(data: numpy.typing.NDArray[numpy.float64], indices: numpy.typing.NDArray[numpy.int32], indptr: numpy.typing.NDArray[numpy.int64], n_features: int) -> Batch64: ...

    def pick(self, rows: numpy.typing.NDArray[numpy.int64]) -> Batch64:
        """Return some rows in the order given, without a copy."""

class Predictor32:
    """
    What a model knew at one moment.

    A predictor never changes, so that any number of threads may use it at the same time, also while its model continues to learn.
    """

    def decide(self, batch: Batch32, threads: int = 1) -> numpy.typing.NDArray[numpy.float64]:
        """
        Compute decision values, shape (rows, binary models), bias included, of averaged coefficients where there are some.
        """

class Predictor64:
    """
    What a model knew at one moment.

    A predictor never changes, so that any number of threads may use it at the same time, also while its model continues to learn.
    """

    def decide(self, batch: Batch64, threads: int = 1) -> numpy.typing.NDArray[numpy.float64]:
        """
        Compute decision values, shape (rows, binary models), bias included, of averaged coefficients where there are some.
        """

class KernelModel32:
    """
    Binary models over one set of retained examples: one for each class against the rest, or one for each pair of classes.

    Classes are numbered in the order in which Python names them. Up to two classes have one binary model, whose positive class is
    number 1. With more classes, `multi_class` of the options decides: model m tells class m from the rest (ovr), or model j (j - 1) / 2 + i
    tells class j, positive, from class i < j (ovo).
    """

    def __init__(self, kernel: Kernel, options: LasvmOptions | RobustOptions | TrackingOptions | PerceptronOptions, n_features: int, sparse: bool, n_classes: int) -> None: ...

    def set_options(self, options: LasvmOptions | RobustOptions | TrackingOptions | PerceptronOptions) -> None: ...

    @property
    def broken(self) -> bool:
        """
        True after an exception in the middle of a change: the model cannot be used any more.
        """

    def grow(self, n_classes: int) -> None:
        """Add classes."""

    def take_outcome(self) -> Outcome | None:
        """
        Return how the last call to `learn` went, also if it was stopped; None if this has been asked before.
        """

    def learn(self, batch: Batch32, labels: numpy.typing.NDArray[numpy.int32], costs: numpy.typing.NDArray[numpy.float64], first_id: int, order: numpy.typing.NDArray[numpy.int64], seed: int = 0, monitor: Monitor | None = None, scored: bool = True, recorded: int = 0) -> Outcome:
        """
        Learn rows in the order given.

        `labels` has the class number of every row of the batch, `costs` C times its weight (perceptrons: its weight); rows of cost 0
        are skipped. Row r is example `first_id + r`. `seed` matters to selected examples only. One-vs-one models that are not `scored` save the
        decisions about classes that a binary model does not see; a mistake is then an example that loses against any other class.
        The outcome has the decision values of the last `recorded` examples, from before they were learned.
        """

    def predictor(self) -> Predictor32:
        """
        Return what the model knows now as a predictor, which stays the same while the model continues to learn.
        """

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """
        Return everything needed to go on; docs/design/model-format.md says what the arrays mean.
        """

    def check_invariants(self) -> None:
        """
        Raise RuntimeError with a sentence that names a broken invariant, if there is one; for tests.
        """

    @staticmethod
    def restore(kernel: Kernel, options: LasvmOptions | RobustOptions | TrackingOptions | PerceptronOptions, n_features: int, sparse: bool, n_classes: int, state: dict[str, numpy.typing.NDArray[Any]]) -> KernelModel32:
        """Return a model that goes on from a saved state."""

    @property
    def n_binaries(self) -> int:
        """Number of binary models."""

    @property
    def n_retained(self) -> int:
        """Examples held."""

    @property
    def n_kernel_evals(self) -> int:
        """Kernel values computed so far."""

    @property
    def n_steps(self) -> int:
        """Steps made so far."""

    @property
    def dual_objective(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def squared_norm(self) -> numpy.typing.NDArray[numpy.float64]:
        """||w||^2 of each binary model."""

    def hold(self, batch: Batch32, labels: numpy.typing.NDArray[numpy.int32], costs: numpy.typing.NDArray[numpy.float64], first_id: int, order: numpy.typing.NDArray[numpy.int64], sums: numpy.typing.NDArray[numpy.float64], alpha: numpy.typing.NDArray[numpy.float64] | None = None) -> None:
        """
        Take in rows of the order without learning them; `finish` then solves for them.

        `sums` has one value per row of the order and binary model: the sum of kernel values, decision value minus bias. NaN keeps the row out of
        that binary model. Coefficients are zero, or those of `alpha`, which has the same shape.
        """

    def held_rows(self, n_rows: int) -> numpy.typing.NDArray[numpy.uint8]:
        """
        Return 1 for each of the first examples of the stream and binary model that holds it.
        """

    def finish(self, monitor: Monitor | None = None, keep_idle: bool = False) -> Outcome:
        """
        Optimise the coefficients of the examples held. LASVM keeps those without a coefficient if `keep_idle`.
        """

    def count(self, steps: numpy.typing.NDArray[numpy.int64], kernel_evals: int) -> None:
        """
        Count what another model did to find coefficients that this one holds: steps of each binary model, and kernel values.
        """

    def polish(self) -> None:
        """Solve the free coefficients of small models to the last digit."""

    def wants_shift(self, batch: Batch32) -> bool:
        """
        Return whether a model that learned these rows from scratch would be more precise.
        """

    def measure_answers(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Measure the coefficients that predictions use, averaged if the model averages.

        Returns, for each binary model, duality gap, dual objective, ||w||^2, lowest gradient that may fall and highest that may rise.
        """

    def coefficients(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Return signed alpha, shape (binary models, retained), in the order of `state()["ids"]`.
        """

    @property
    def bias(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def binary_steps(self) -> numpy.typing.NDArray[numpy.float64]:
        """Steps of each binary model since it was made or restored."""

    @property
    def violation(self) -> numpy.typing.NDArray[numpy.float64]:
        """Largest violation among the examples held, of each binary model."""

    @property
    def extremes(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Lowest gradient that may fall and highest that may rise, shape (binary models, 2).
        """

    @property
    def duality_gap(self) -> numpy.typing.NDArray[numpy.float64]: ...

class KernelModel64:
    """
    Binary models over one set of retained examples: one for each class against the rest, or one for each pair of classes.

    Classes are numbered in the order in which Python names them. Up to two classes have one binary model, whose positive class is
    number 1. With more classes, `multi_class` of the options decides: model m tells class m from the rest (ovr), or model j (j - 1) / 2 + i
    tells class j, positive, from class i < j (ovo).
    """

    def __init__(self, kernel: Kernel, options: LasvmOptions | RobustOptions | TrackingOptions | PerceptronOptions, n_features: int, sparse: bool, n_classes: int) -> None: ...

    def set_options(self, options: LasvmOptions | RobustOptions | TrackingOptions | PerceptronOptions) -> None: ...

    @property
    def broken(self) -> bool:
        """
        True after an exception in the middle of a change: the model cannot be used any more.
        """

    def grow(self, n_classes: int) -> None:
        """Add classes."""

    def take_outcome(self) -> Outcome | None:
        """
        Return how the last call to `learn` went, also if it was stopped; None if this has been asked before.
        """

    def learn(self, batch: Batch64, labels: numpy.typing.NDArray[numpy.int32], costs: numpy.typing.NDArray[numpy.float64], first_id: int, order: numpy.typing.NDArray[numpy.int64], seed: int = 0, monitor: Monitor | None = None, scored: bool = True, recorded: int = 0) -> Outcome:
        """
        Learn rows in the order given.

        `labels` has the class number of every row of the batch, `costs` C times its weight (perceptrons: its weight); rows of cost 0
        are skipped. Row r is example `first_id + r`. `seed` matters to selected examples only. One-vs-one models that are not `scored` save the
        decisions about classes that a binary model does not see; a mistake is then an example that loses against any other class.
        The outcome has the decision values of the last `recorded` examples, from before they were learned.
        """

    def predictor(self) -> Predictor64:
        """
        Return what the model knows now as a predictor, which stays the same while the model continues to learn.
        """

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """
        Return everything needed to go on; docs/design/model-format.md says what the arrays mean.
        """

    def check_invariants(self) -> None:
        """
        Raise RuntimeError with a sentence that names a broken invariant, if there is one; for tests.
        """

    @staticmethod
    def restore(kernel: Kernel, options: LasvmOptions | RobustOptions | TrackingOptions | PerceptronOptions, n_features: int, sparse: bool, n_classes: int, state: dict[str, numpy.typing.NDArray[Any]]) -> KernelModel64:
        """Return a model that goes on from a saved state."""

    @property
    def n_binaries(self) -> int:
        """Number of binary models."""

    @property
    def n_retained(self) -> int:
        """Examples held."""

    @property
    def n_kernel_evals(self) -> int:
        """Kernel values computed so far."""

    @property
    def n_steps(self) -> int:
        """Steps made so far."""

    @property
    def dual_objective(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def squared_norm(self) -> numpy.typing.NDArray[numpy.float64]:
        """||w||^2 of each binary model."""

    def hold(self, batch: Batch64, labels: numpy.typing.NDArray[numpy.int32], costs: numpy.typing.NDArray[numpy.float64], first_id: int, order: numpy.typing.NDArray[numpy.int64], sums: numpy.typing.NDArray[numpy.float64], alpha: numpy.typing.NDArray[numpy.float64] | None = None) -> None:
        """
        Take in rows of the order without learning them; `finish` then solves for them.

        `sums` has one value per row of the order and binary model: the sum of kernel values, decision value minus bias. NaN keeps the row out of
        that binary model. Coefficients are zero, or those of `alpha`, which has the same shape.
        """

    def held_rows(self, n_rows: int) -> numpy.typing.NDArray[numpy.uint8]:
        """
        Return 1 for each of the first examples of the stream and binary model that holds it.
        """

    def finish(self, monitor: Monitor | None = None, keep_idle: bool = False) -> Outcome:
        """
        Optimise the coefficients of the examples held. LASVM keeps those without a coefficient if `keep_idle`.
        """

    def count(self, steps: numpy.typing.NDArray[numpy.int64], kernel_evals: int) -> None:
        """
        Count what another model did to find coefficients that this one holds: steps of each binary model, and kernel values.
        """

    def polish(self) -> None:
        """Solve the free coefficients of small models to the last digit."""

    def wants_shift(self, batch: Batch64) -> bool:
        """
        Return whether a model that learned these rows from scratch would be more precise.
        """

    def measure_answers(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Measure the coefficients that predictions use, averaged if the model averages.

        Returns, for each binary model, duality gap, dual objective, ||w||^2, lowest gradient that may fall and highest that may rise.
        """

    def coefficients(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Return signed alpha, shape (binary models, retained), in the order of `state()["ids"]`.
        """

    @property
    def bias(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def binary_steps(self) -> numpy.typing.NDArray[numpy.float64]:
        """Steps of each binary model since it was made or restored."""

    @property
    def violation(self) -> numpy.typing.NDArray[numpy.float64]:
        """Largest violation among the examples held, of each binary model."""

    @property
    def extremes(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Lowest gradient that may fall and highest that may rise, shape (binary models, 2).
        """

    @property
    def duality_gap(self) -> numpy.typing.NDArray[numpy.float64]: ...

def padded(count: int) -> int:
    """Return the length of a row of so many kernel values."""

def solve_gram(gram: numpy.typing.NDArray[numpy.float32], labels: numpy.typing.NDArray[numpy.float64], costs: numpy.typing.NDArray[numpy.float64], alpha: numpy.typing.NDArray[numpy.float64], gradient: numpy.typing.NDArray[numpy.float64], tolerance: float, max_steps: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], int]:
    """
    Solve binary problems that share a matrix of kernel values.

    Rows of `gram` are padded to `padded(n)` values. Labels are +1 and -1, one row per problem, and alpha and gradient are where to begin.
    Returns new alpha and gradient, one bias per problem, and the number of steps.
    """

class ExactModel:
    """
    Exact binary models, which are optimal after every example; in double precision.

    Classes and binary models are numbered as in a KernelModel. The problem "plane" or "sphere" has one class, number 0, and one
    binary model. A model that has forgotten everything may have no class at all.
    """

    def __init__(self, kernel: Kernel, options: ExactOptions, n_features: int, sparse: bool, n_classes: int) -> None: ...

    def set_options(self, options: ExactOptions) -> None: ...

    @property
    def broken(self) -> bool:
        """
        True after an exception in the middle of a change: the model cannot be used any more.
        """

    def grow(self, n_classes: int) -> None:
        """Add classes."""

    def take_outcome(self) -> Outcome | None:
        """
        Return how the last call to `learn` went, also if it was stopped; None if this has been asked before.
        """

    def learn(self, batch: Batch64, labels: numpy.typing.NDArray[numpy.int32], costs: numpy.typing.NDArray[numpy.float64], first_id: int, order: numpy.typing.NDArray[numpy.int64], seed: int = 0, monitor: Monitor | None = None, scored: bool = True, recorded: int = 0) -> Outcome:
        """
        Learn rows in the order given.

        `labels` has the class number of every row of the batch, `costs` C times its weight (perceptrons: its weight); rows of cost 0
        are skipped. Row r is example `first_id + r`. `seed` matters to selected examples only. One-vs-one models that are not `scored` save the
        decisions about classes that a binary model does not see; a mistake is then an example that loses against any other class.
        The outcome has the decision values of the last `recorded` examples, from before they were learned.
        """

    def predictor(self) -> Predictor64:
        """
        Return what the model knows now as a predictor, which stays the same while the model continues to learn.
        """

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """
        Return everything needed to go on; docs/design/model-format.md says what the arrays mean.
        """

    def check_invariants(self) -> None:
        """
        Raise RuntimeError with a sentence that names a broken invariant, if there is one; for tests.
        """

    @staticmethod
    def restore(kernel: Kernel, options: ExactOptions, n_features: int, sparse: bool, n_classes: int, state: dict[str, numpy.typing.NDArray[Any]]) -> ExactModel:
        """Return a model that goes on from a saved state."""

    @property
    def n_binaries(self) -> int:
        """Number of binary models."""

    @property
    def n_retained(self) -> int:
        """Examples held."""

    @property
    def n_kernel_evals(self) -> int:
        """Kernel values computed so far."""

    @property
    def n_steps(self) -> int:
        """Steps made so far."""

    @property
    def dual_objective(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def squared_norm(self) -> numpy.typing.NDArray[numpy.float64]:
        """||w||^2 of each binary model."""

    def adopt(self, batch: Batch64, labels: numpy.typing.NDArray[numpy.int32], costs: numpy.typing.NDArray[numpy.float64], first_id: int, order: numpy.typing.NDArray[numpy.int64], alpha: numpy.typing.NDArray[numpy.float64], gradient: numpy.typing.NDArray[numpy.float64], monitor: Monitor | None = None) -> None:
        """
        Take in many examples at once.

        Coefficients near the solution and gradients, if known, have the shape (binary models, order). If the monitor stops the call, the
        model keeps these coefficients until it is next changed, and becomes exact then.
        """

    def finish(self, monitor: Monitor | None = None) -> Outcome:
        """Do nothing: the model is optimal."""

    def polish(self) -> None:
        """Do nothing: the model is optimal."""

    def forget(self, ids: numpy.typing.NDArray[numpy.int64], monitor: Monitor | None = None) -> int:
        """
        Forget examples that are held. Return how many were forgotten: fewer than given only when stopped.
        """

    def relabel(self, ids: numpy.typing.NDArray[numpy.int64], labels: numpy.typing.NDArray[numpy.int32], costs: numpy.typing.NDArray[numpy.float64], monitor: Monitor | None = None) -> int:
        """
        Give other labels and costs to examples that are held. Return how many got them.
        """

    def leave_one_out(self, monitor: Monitor | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Compute the decision values of each example held by the models without it, shape (held, binary models).
        """

    def influence(self, batch: Batch64, ids: numpy.typing.NDArray[numpy.int64], labels: numpy.typing.NDArray[numpy.int32], costs: numpy.typing.NDArray[numpy.float64], monitor: Monitor | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Compute by how much the decision values of rows would change without single examples (label -1), or with another label and cost of them, shape (ids, binary models, rows).
        """

    def p_values(self, batch: Batch64, costs: numpy.typing.NDArray[numpy.float64], within_class: bool = False, strictly: bool = False, alpha: float | None = None, monitor: Monitor | None = None) -> numpy.typing.NDArray[numpy.float64]:
        """
        Rank rows with each class as their label among the examples held, by leave-one-out margins: p-values, shape (rows, classes). With alpha they are computed only until it is known whether they exceed it; strictly: only smaller margins count. The costs are those of a row of each class; classes of cost 0 are left out.
        """

    def drop_class(self, number: int) -> None:
        """
        Remove a class that no example has any more; higher numbers fall by one.
        """

    def certify(self) -> None:
        """Compute all gradients again, so that `violation` is a certificate."""

    def held(self) -> numpy.typing.NDArray[numpy.int64]:
        """Return the ids of the examples held, in the order of the stream."""

    def labels(self) -> numpy.typing.NDArray[numpy.int32]:
        """Return the class numbers of the examples held, in that order."""

    def costs(self) -> numpy.typing.NDArray[numpy.float64]:
        """Return the costs of the examples held, in that order."""

    def class_counts(self) -> numpy.typing.NDArray[numpy.int64]:
        """Count the examples held of each class."""

    @property
    def total(self) -> numpy.typing.NDArray[numpy.float64]:
        """Sum of the coefficients of each binary model."""

    @property
    def n_refreshed(self) -> int:
        """Times that an inverse was computed again."""

    @property
    def bias(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def violation(self) -> numpy.typing.NDArray[numpy.float64]:
        """Largest violation among the examples held, of each binary model."""

    @property
    def extremes(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Lowest gradient that may fall and highest that may rise, shape (binary models, 2).
        """

    @property
    def duality_gap(self) -> numpy.typing.NDArray[numpy.float64]: ...

    @property
    def residual(self) -> numpy.typing.NDArray[numpy.float64]:
        """Largest gradient of free coefficients, as last seen."""

    @property
    def n_margin(self) -> numpy.typing.NDArray[numpy.int64]:
        """Examples of each binary model on the margin."""

    @property
    def n_bounded(self) -> numpy.typing.NDArray[numpy.int64]:
        """Examples of each binary model at their bounds."""

class Map32:
    """A feature map on its way into a model."""

    @staticmethod
    def nystroem(kernel: Kernel, landmarks: Batch32, ids: numpy.typing.NDArray[numpy.int64], shift: numpy.typing.NDArray[numpy.float32], projection: numpy.typing.NDArray[numpy.float32]) -> Map32: ...

    @staticmethod
    def fourier(frequencies: numpy.typing.NDArray[numpy.float32], phases: numpy.typing.NDArray[numpy.float32], shift: numpy.typing.NDArray[numpy.float32], sparse: bool) -> Map32: ...

    def features(self, batch: Batch32, raw: bool = False) -> numpy.typing.NDArray[numpy.float32]:
        """
        Compute the features of rows or, with `raw`, the kernel values that those of Nystroem are made of.
        """

class Map64:
    """A feature map on its way into a model."""

    @staticmethod
    def nystroem(kernel: Kernel, landmarks: Batch64, ids: numpy.typing.NDArray[numpy.int64], shift: numpy.typing.NDArray[numpy.float64], projection: numpy.typing.NDArray[numpy.float64]) -> Map64: ...

    @staticmethod
    def fourier(frequencies: numpy.typing.NDArray[numpy.float64], phases: numpy.typing.NDArray[numpy.float64], shift: numpy.typing.NDArray[numpy.float64], sparse: bool) -> Map64: ...

    def features(self, batch: Batch64, raw: bool = False) -> numpy.typing.NDArray[numpy.float64]:
        """
        Compute the features of rows or, with `raw`, the kernel values that those of Nystroem are made of.
        """

class LinearModel32:
    """
    Linear models over the features of one map: one for each class, or one for a regression.
    """

    def __init__(self, map: Map32, penalty: numpy.typing.NDArray[numpy.float64], typical: float, options: LinearOptions, n_classes: int, state: dict[str, numpy.typing.NDArray[Any]] | None = None) -> None: ...

    def set_options(self, options: LinearOptions) -> None: ...

    def grow(self, n_classes: int) -> None:
        """Add classes."""

    def take_outcome(self) -> Outcome | None:
        """
        Return how the last call to `learn` went, also if it was stopped; None if this has been asked before.
        """

    def learn(self, batch: Batch32, targets: numpy.typing.NDArray[numpy.float64], weights: numpy.typing.NDArray[numpy.float64], first_id: int, order: numpy.typing.NDArray[numpy.int64], monitor: Monitor | None = None, recorded: int = 0) -> Outcome: ...

    def predictor(self) -> Predictor32:
        """
        Return what the model knows now as a predictor, which stays the same while the model continues to learn.
        """

    def keep(self, rows: int) -> bool:
        """
        Keep the features of the rows of one batch, if they fit into the cache, until they are released.
        """

    def kept(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        What is kept of these rows: features or kernel values, one row after the other; zeros for rows that were not learned.
        """

    def release(self) -> None: ...

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]: ...

    def check_invariants(self) -> None: ...

    def recall(self, state: dict[str, numpy.typing.NDArray[Any]]) -> None:
        """Go back to what an earlier state knew."""

    @property
    def broken(self) -> bool:
        """
        True after an exception in the middle of a change: the model cannot be used any more.
        """

    @property
    def n_binaries(self) -> int: ...

    @property
    def n_retained(self) -> int:
        """Features."""

    @property
    def n_kernel_evals(self) -> int: ...

    @property
    def n_examples(self) -> int:
        """Examples of positive weight, each counted once."""

    @property
    def n_steps(self) -> int: ...

    @property
    def bias(self) -> numpy.typing.NDArray[numpy.float64]:
        """Averaged."""

class LinearModel64:
    """
    Linear models over the features of one map: one for each class, or one for a regression.
    """

    def __init__(self, map: Map64, penalty: numpy.typing.NDArray[numpy.float64], typical: float, options: LinearOptions, n_classes: int, state: dict[str, numpy.typing.NDArray[Any]] | None = None) -> None: ...

    def set_options(self, options: LinearOptions) -> None: ...

    def grow(self, n_classes: int) -> None:
        """Add classes."""

    def take_outcome(self) -> Outcome | None:
        """
        Return how the last call to `learn` went, also if it was stopped; None if this has been asked before.
        """

    def learn(self, batch: Batch64, targets: numpy.typing.NDArray[numpy.float64], weights: numpy.typing.NDArray[numpy.float64], first_id: int, order: numpy.typing.NDArray[numpy.int64], monitor: Monitor | None = None, recorded: int = 0) -> Outcome: ...

    def predictor(self) -> Predictor64:
        """
        Return what the model knows now as a predictor, which stays the same while the model continues to learn.
        """

    def keep(self, rows: int) -> bool:
        """
        Keep the features of the rows of one batch, if they fit into the cache, until they are released.
        """

    def kept(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        What is kept of these rows: features or kernel values, one row after the other; zeros for rows that were not learned.
        """

    def release(self) -> None: ...

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]: ...

    def check_invariants(self) -> None: ...

    def recall(self, state: dict[str, numpy.typing.NDArray[Any]]) -> None:
        """Go back to what an earlier state knew."""

    @property
    def broken(self) -> bool:
        """
        True after an exception in the middle of a change: the model cannot be used any more.
        """

    @property
    def n_binaries(self) -> int: ...

    @property
    def n_retained(self) -> int:
        """Features."""

    @property
    def n_kernel_evals(self) -> int: ...

    @property
    def n_examples(self) -> int:
        """Examples of positive weight, each counted once."""

    @property
    def n_steps(self) -> int: ...

    @property
    def bias(self) -> numpy.typing.NDArray[numpy.float64]:
        """Averaged."""

class FixedShare:
    """Weights of several predictors by how well they did lately."""

    def __init__(self, n: int, rate: float, share: float) -> None: ...

    def update(self, mistakes: Sequence[bool]) -> None:
        """Change the weights by who was wrong."""

    @property
    def weights(self) -> numpy.typing.NDArray[numpy.float64]: ...

class WindowEnsemble:
    """
    Window models and their vote as they were; they predict while the model continues to learn.
    """

    def votes(self, rows: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
        """Return votes by row and class."""

class AdaptiveModel:
    """
    Support vector machines over several windows of a stream, which share rows and kernel values.
    """

    def __init__(self, n_features: int, kernel: Kernel, gamma_follows: bool, gamma_factors: Sequence[float], windows: Sequence[tuple[int, int, float, bool]], limit: float, tolerance: float, max_updates: int, state: object | None = None, n_seen: int = 0) -> None: ...

    def votes(self, rows: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
        """Return votes by row and class."""

    def decide(self, rows: numpy.typing.NDArray[numpy.float64]) -> numpy.typing.NDArray[numpy.float64]:
        """Return decision values by row, window model and class."""

    def learn(self, row: numpy.typing.NDArray[numpy.float64], class_number: int, weight: float = 1.0) -> int:
        """
        Learn a row; return the class that was predicted before, or -1 for the first row and rows of weight 0.
        """

    def forget_before(self, position: int) -> None:
        """Forget all examples before a position in the stream."""

    def predictor(self) -> WindowEnsemble:
        """
        Return what the model knows now as a predictor, which stays the same while the model continues to learn.
        """

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """
        Return everything needed to go on; docs/design/model-format.md says what the arrays mean.
        """

    @property
    def broken(self) -> bool:
        """
        True after an exception in the middle of a change: the model cannot be used any more.
        """

    @property
    def n_seen(self) -> int:
        """Rows given so far."""

    @property
    def n_classes(self) -> int:
        """Number of classes seen."""

    @property
    def gamma(self) -> float:
        """Kernel coefficient before factors."""

    @property
    def n_retained(self) -> int:
        """Examples held."""

    @property
    def n_steps(self) -> int:
        """Steps made so far."""

    @property
    def n_kernel_evals(self) -> int:
        """Kernel values computed so far to learn."""

    def duality_gaps(self) -> numpy.typing.NDArray[numpy.float64]:
        """Return the duality gap of each window model."""

    def held(self) -> numpy.typing.NDArray[numpy.int64]:
        """Return how many examples each window model holds."""

def set_monitor_interval(milliseconds: int) -> None:
    """
    Set how often long calls ask whether to go on (50 ms): tests that count on a question ask at once, with 0.
    """

def close(seconds: float) -> None:
    """
    Stop models that are learning, and wait that long for the threads inside them: the interpreter is about to end.
    """

def after_fork() -> None:
    """Note, in a child process, that all other threads are gone."""

def instruction_set() -> str:
    """Return the instruction set that the loops were compiled for."""

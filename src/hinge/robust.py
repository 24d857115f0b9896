"""The estimator `RobustOnlineSVC`: a thin front of the native LASVM-G, -NC, -I and FULL machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from hinge import _core
from hinge._fit.measures import MeasuredClassifier
from hinge._fit.passes import finish_now, make_passes
from hinge._model.locking import reads
from hinge._model.params import bound, choice, number, whole
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from hinge._fit.base import TrainingData

_VARIANTS = ("ramp", "hinge", "ignore", "full")


class RobustOnlineSVC(MeasuredClassifier):
    """Online kernel classifier that resists wrong labels.

    With the hinge loss, every example on the wrong side of its margin becomes a support vector and pulls at the
    boundary: wrong labels make a model large and crooked. The ramp loss is flat where an example is hopelessly
    wrong, so that outliers pull no more, and far fewer support vectors remain. After each example the machines
    are improved until their duality gap is small. They have no intercept.

    With more than two classes one machine a class is trained against the rest, over shared kernel values. As with
    `OnlineSVC`, shuffle streams that are sorted by class.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of an example on the wrong side of its margin.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        The kernel. A callable gets two sets of examples and returns the matrix of kernel values.
    degree : int, default=3
        Exponent of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of rbf, poly, sigmoid and laplacian. "scale" is 1 / (n_features * variance of X), where weights count as
        repetitions; "auto" is 1 / n_features. The first call to `partial_fit` settles it.
    coef0 : float, default=0.0
        Constant of poly and sigmoid.
    tol : float, default=1e-3
        Violations of the optimality conditions up to this are left alone.
    cache_size : float, default=200
        Memory for kernel values, in megabytes.
    class_weight : dict or "balanced", default=None
        Factors of `C` by class. "balanced" makes all classes weigh the same, in `fit` only.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which `fit` visits the examples.
    variant : {"ramp", "hinge", "ignore", "full"}, default="ramp"
        "ramp" (LASVM-NC): the ramp loss. "hinge" (LASVM-G): the hinge loss. "ignore" (LASVM-I): the hinge loss, but
        examples on the flat parts of the ramp are passed over. "full" (FULL): the hinge loss, and no example ever
        leaves; the baseline.
    ramp : float, default=-1.0
        Where the ramp becomes flat: examples with y f(x) below it are outliers. Used by "ramp" and "ignore". Below 1;
        with many wrong labels a value nearer to 0 finds more of them.
    warmup : int, default=100
        Support vectors that a machine has before it trusts itself to name outliers.
    max_idle : int, default=200
        Examples without a coefficient that each machine may keep, those nearest to getting one.
    clean_every : int, default=256
        Examples taken in between two looks at those.
    epochs : int, default=1
        Passes over the training set in `fit`.
    max_support : int, default=None
        Examples that each machine may keep. When it is full, the one furthest on the wrong side leaves, or, if there is
        none, the one furthest on the right side without its own help.
    n_jobs : int, default=None
        Threads. None uses as many as the BLAS would, -1 all processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels known so far, sorted.
    support_ : ndarray of shape (n_support,)
        The support vectors' places in the stream (after `fit`: rows of X), grouped by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        The support vectors.
    n_support_ : ndarray of shape (n_classes,)
        The number of support vectors of each class.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Signed coefficients of the support vectors.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Zero: these machines have no constant.
    n_admitted_ : ndarray of shape (1, 3) or (n_classes, 3)
        Examples that each machine has taken in, by where they were when they came: left of the ramp (outliers), on it,
        right of it.
    n_cleaned_ : ndarray of shape (1, 3) or (n_classes, 3)
        Examples that left since they had no coefficient, by where they were when they left.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had some.
    n_iter_ : int
        Steps of the solver so far.
    n_kernel_evals_ : int
        Kernel values computed so far.
    n_seen_ : int
        Examples given so far.

    See Also
    --------
    OnlineSVC : The hinge loss with an intercept, which reaches the solution of `sklearn.svm.SVC`.

    References
    ----------
    Ertekin, Bottou and Giles, "Nonconvex online support vector machines", IEEE PAMI 33, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from hinge import RobustOnlineSVC
    >>> X, y = make_moons(2000, noise=0.1, random_state=0)
    >>> wrong = np.random.default_rng(0).random(2000) < 0.2
    >>> noisy = np.where(wrong, 1 - y, y)
    >>> ramp = RobustOnlineSVC(C=10, gamma=2, random_state=0).fit(X, noisy)
    >>> hinge = RobustOnlineSVC(C=10, gamma=2, random_state=0, variant="hinge").fit(X, noisy)
    >>> ramp.score(X, y) > 0.99, len(ramp.support_) < 0.5 * len(hinge.support_)
    (True, True)
    """

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
        max_idle: int = 200,
        clean_every: int = 256,
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

    @property
    @reads
    def n_admitted_(self) -> NDArray[np.int64]:
        """Examples taken in by each machine: left of the ramp, on it, right of it."""
        return self._known().memory("admitted")

    @property
    @reads
    def n_cleaned_(self) -> NDArray[np.int64]:
        """Examples cleaned away by each machine: left of the ramp, on it, right of it."""
        return self._known().memory("cleaned")

    def finish(self) -> Self:
        """Improve the coefficients of the examples held until none violates the conditions by more than `tol`.

        Returns
        -------
        self : object
            The estimator; `partial_fit` goes on afterwards.
        """
        return finish_now(self)

    def _train(self, data: TrainingData) -> None:
        make_passes(self, data, self.epochs)

    def _check_params(self, *, streaming: bool) -> _core.RobustOptions:
        common = self._common_options(streaming=streaming)
        whole("epochs", self.epochs, at_least=1, hint="one pass is usual")
        if number("ramp", self.ramp, hint="a usual value is -1.0") >= 1:
            raise ParameterError(f"ramp must be below 1, where the loss begins, got {self.ramp!r}; -1.0 is usual.")
        if self.variant == "full" and self.max_support is not None:
            raise ParameterError("max_support must be None for variant 'full', which lets no example go.")
        return _core.RobustOptions(
            **common,
            tolerance=float(self.tol),
            max_support=bound("max_support", self.max_support, at_least=2),
            loss=choice("variant", self.variant, _VARIANTS),
            ramp=float(self.ramp),
            warmup=whole("warmup", self.warmup, at_least=0, hint="a usual value is 100"),
            max_idle=whole("max_idle", self.max_idle, at_least=0, hint="a usual value is 200"),
            clean_every=whole("clean_every", self.clean_every, at_least=1, hint="a usual value is 256"),
        )

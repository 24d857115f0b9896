"""The estimator `TrackingSVC`: a thin front of the native tracking machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hinge import _core
from hinge._fit.base import random_seed
from hinge._fit.measures import MeasuredClassifier
from hinge._fit.passes import make_passes
from hinge._model.params import choice, flag, whole
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hinge._fit.base import TrainingData

_MOST_STEPS = 1_000_000  # for one example: Ctrl-C waits until it is learned


class TrackingSVC(MeasuredClassifier):
    """Online kernel classifier with a guarantee: it stays near the optimum of all examples seen so far.

    After each example it improves the coefficients of `n_steps` examples picked at random among all that it has seen.
    On average over any stream, however chosen, its objective for each unit of cost is then expected to be at most
    sqrt(2 C / n_steps) + 1 / n_steps above the optimum, as long as k(x, x) <= 1. There is no intercept. The price of
    the guarantee is that all examples are kept; `keep="support"` keeps those with a coefficient only.

    With more than two classes one machine a class is trained against the rest, over shared kernel values.

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
        Accepted so that all estimators are called alike; steps are never too small to be made.
    cache_size : float, default=200
        Memory for kernel values, in megabytes.
    class_weight : dict or "balanced", default=None
        Factors of `C` by class. "balanced" makes all classes weigh the same, in `fit` only.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which `fit` visits the examples, and of the random picks.
    n_steps : int, default=10
        Examples picked after each new one.
    process : bool, default=True
        Improve the coefficient of each new example first (Algorithm 2 of the paper); without it (Algorithm 1) the new
        example is one among all others.
    average : bool, default=True
        Answer with the coefficients averaged over the steps made after the last example, as the guarantee asks.
    keep : {"all", "support"}, default="all"
        Which examples to keep: all, or those with a coefficient. Then picks of others are lost, as in section 5.2 of
        the paper, and learning is faster.
    epochs : int, default=1
        Passes over the training set in `fit`.
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
        Signed coefficients of the support vectors, averaged if `average` is set.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Zero: these machines have no constant.
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
    OnlineSVC : More accurate after one pass, without a guarantee.

    References
    ----------
    Usunier, Bordes and Bottou, "Guarantees for approximate incremental SVMs", AISTATS 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import TrackingSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TrackingSVC(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> few, many = TrackingSVC(n_steps=1, random_state=0), TrackingSVC(n_steps=100, random_state=0)
    >>> many.fit(X, y).duality_gap() < few.fit(X, y).duality_gap()
    True
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
        n_steps: int = 10,
        process: bool = True,
        average: bool = True,
        keep: str = "all",
        epochs: int = 1,
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
        self.n_steps = n_steps
        self.process = process
        self.average = average
        self.keep = keep
        self.epochs = epochs
        self.n_jobs = n_jobs

    def _train(self, data: TrainingData) -> None:
        make_passes(self, data, self.epochs)

    def _options(self, *, streaming: bool) -> _core.TrackingOptions:
        return self._check_params(streaming=streaming).replace(seed=random_seed(self.random_state))

    def _check_params(self, *, streaming: bool) -> _core.TrackingOptions:
        common = self._common_options(streaming=streaming)
        whole("epochs", self.epochs, at_least=1, hint="one pass is usual")
        keep_all = choice("keep", self.keep, ("all", "support")) == "all"
        process = flag("process", self.process)
        if not process and not keep_all:
            raise ParameterError(
                "process must be True when keep is 'support', got False; a new example would never get a coefficient."
            )
        return _core.TrackingOptions(
            **common,
            tolerance=float(self.tol),
            n_steps=whole("n_steps", self.n_steps, at_least=1, at_most=_MOST_STEPS, hint="a usual value is 10"),
            process=process,
            average=flag("average", self.average),
            keep_all=keep_all,
        )

"""The estimator `KernelPerceptron`: a thin front of the native perceptrons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hinge import _core
from hinge._fit.base import StreamingClassifier
from hinge._fit.passes import make_passes
from hinge._model.params import bound, flag, number, whole
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hinge._fit.base import TrainingData


class KernelPerceptron(StreamingClassifier):
    """Kernel perceptron: each example that it gets wrong is added to its sum.

    The oldest of online kernel classifiers, and a baseline for the others: plain, averaged, with a margin, or with a
    budget of support vectors. There is no intercept and nothing to be minimised, so that it has no measures such as
    `duality_gap`. On noisy data it gets ever more support vectors.

    With more than two classes one machine a class is trained against the rest, over shared kernel values.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        The kernel. A callable gets two sets of examples and returns the matrix of kernel values.
    degree : int, default=3
        Exponent of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of rbf, poly, sigmoid and laplacian. "scale" is 1 / (n_features * variance of X), where weights count as
        repetitions; "auto" is 1 / n_features. The first call to `partial_fit` settles it.
    coef0 : float, default=0.0
        Constant of poly and sigmoid.
    cache_size : float, default=200
        Memory for kernel values, in megabytes.
    class_weight : dict or "balanced", default=None
        Factors of the weights by class. "balanced" makes all classes weigh the same, in `fit` only.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which `fit` visits the examples.
    average : bool, default=False
        Answer with the mean of the coefficients over all examples seen, which is far more accurate on noisy data. Not
        together with `budget`: support vectors that have left would be missing from the mean.
    budget : int, default=None
        Support vectors that each machine may keep. When it is full, the one leaves that is furthest on the right side
        without its own help. Examples with a wrong label never are: in a long noisy stream they fill the budget, and
        `RobustOnlineSVC` with `max_support` is the better choice.
    margin : float, default=0.0
        Examples with y f(x) up to this count as mistakes.
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
    OnlineSVC : A large margin and fewer support vectors, at little more cost.

    Notes
    -----
    Weights of examples multiply the step that a mistake causes.

    References
    ----------
    Freund and Schapire, "Large margin classification using the perceptron algorithm", ICML 1998.

    Crammer, Kandola and Singer, "Online classification on a budget", NIPS 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import KernelPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelPerceptron(average=True, epochs=10, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> len(KernelPerceptron(budget=10, random_state=0).fit(X, y > 0).support_) <= 10
    True
    """

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        cache_size: float = 200,
        class_weight: Mapping[Any, float] | str | None = None,
        verbose: bool = False,
        random_state: Any = None,
        average: bool = False,
        budget: int | None = None,
        margin: float = 0.0,
        epochs: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.average = average
        self.budget = budget
        self.margin = margin
        self.epochs = epochs
        self.n_jobs = n_jobs

    def _train(self, data: TrainingData) -> None:
        make_passes(self, data, self.epochs)

    def _check_params(self, *, streaming: bool) -> _core.PerceptronOptions:
        common = self._common_options(streaming=streaming)
        whole("epochs", self.epochs, at_least=1, hint="one pass is usual")
        if self.average is True and self.budget is not None:
            raise ParameterError(
                "average must be False when budget is set, got True: support vectors that left miss from the mean."
            )
        return _core.PerceptronOptions(
            **common,
            average=flag("average", self.average),
            max_support=bound("budget", self.budget, at_least=1),
            margin=number("margin", self.margin, hint="a usual value is 0.0"),
        )

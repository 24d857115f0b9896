"""The estimator `KernelPerceptron`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinge import _core
from hinge._fit.classifier import KernelClassifier
from hinge._fit.passes import PassPlan
from hinge._model.params import bound, flag, number, whole
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from hinge._fit.data import TrainingData
    from hinge._model.types import ClassWeight, Gamma, Kernel, RandomStateLike


class KernelPerceptron(KernelClassifier):
    """Kernel perceptron: every misclassified example becomes a support vector.

    The oldest online kernel classifier, and a baseline for the others: plain, averaged, with a margin, or with a
    bounded number of support vectors. It has no intercept. It minimises no objective, so there are no measures such as
    `duality_gap`. On noisy data the number of support vectors keeps growing.

    With more than two classes, one binary model per class is trained against the rest; they share kernel values.

    Parameters
    ----------
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        Kernel function. A callable takes two sets of examples and returns the matrix of kernel values.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient of rbf, poly, sigmoid and laplacian. "scale" is 1 / (n_features * X.var()), where a sample
        weight counts as repetitions; "auto" is 1 / n_features. In a stream, the first 1024 rows
        decide it (see `partial_fit`).
    coef0 : float, default=0.0
        Independent term of the poly and sigmoid kernels.
    cache_size : float, default=200
        Size of the kernel cache in MB.
    class_weight : dict or "balanced", default=None
        Factors of the sample weights per class. "balanced" gives all classes the same total weight, in `fit` only.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which `fit` visits the examples.
    average : bool, default=False
        Predict with the mean of the coefficients over all examples seen, which is far more accurate on noisy data. It
        cannot be combined with `max_support`: evicted support vectors would be missing from the mean.
    max_support : int, default=None
        Largest number of support vectors per binary model. While more than a tenth of them are misclassified, a full
        model evicts the one farthest on the wrong side; otherwise the one that the others classify correctly with the
        largest margin. In noisy streams `RobustOnlineSVC` with `max_support` is the better choice.
    margin : float, default=0.0
        Examples with y f(x) at most this count as mistakes.
    epochs : int, default=1
        Number of passes over the training set in `fit`. A perceptron minimises no objective, so there is no "auto".
    n_jobs : int, default=None
        Number of threads. None means as many as the BLAS uses, -1 all processors. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels known so far, sorted.
    support_ : ndarray of shape (n_support,)
        Positions of the support vectors in the stream (after `fit`: rows of X), grouped by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        Support vectors.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors per class.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Signed coefficients of the support vectors, averaged if `average` is set.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Zero: the model has no intercept.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.
    n_iter_ : int
        Number of solver steps so far, of all binary models together (`sklearn.svm.SVC` has one number each).
    n_kernel_evals_ : int
        Number of kernel values computed so far.
    n_seen_ : int
        Number of examples given so far.
    fit_status_ : int
        0 if the last training call converged, 1 if it issued a ConvergenceWarning.
    progressive_score_ : ProgressiveScore
        Counts of predictions of examples just before learning them, and of mistakes.
    model_size_ : int
        Number of support vectors, or of features of an approximate model.

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
    >>> len(KernelPerceptron(max_support=10, random_state=0).fit(X, y > 0).support_) <= 10
    True
    """

    def __init__(
        self,
        *,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        cache_size: float = 200,
        class_weight: ClassWeight = None,
        verbose: bool = False,
        random_state: RandomStateLike = None,
        average: bool = False,
        max_support: int | None = None,
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
        self.max_support = max_support
        self.margin = margin
        self.epochs = epochs
        self.n_jobs = n_jobs

    def _pass_plan(self, data: TrainingData) -> PassPlan:  # noqa: ARG002
        return PassPlan(self.epochs)

    def _check_params(self, *, streaming: bool) -> _core.PerceptronOptions:
        common = self._classifier_options(streaming=streaming)
        whole("epochs", self.epochs, at_least=1, hint="one pass is usual")
        if self.average is True and self.max_support is not None:
            raise ParameterError(
                "average must be False when max_support is set, got True: evicted support vectors would be missing "
                "from the mean."
            )
        return _core.PerceptronOptions(
            **common,
            average=flag("average", self.average),
            max_support=bound("max_support", self.max_support, at_least=1),
            margin=number("margin", self.margin, hint="a usual value is 0.0"),
        )

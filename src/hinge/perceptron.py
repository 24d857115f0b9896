"""The estimator `KernelPerceptron`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import gen_batches

from hinge import _core
from hinge._fit.classifier import KernelClassifier
from hinge._fit.passes import PassPlan
from hinge._model.kernel_values import kernel_values
from hinge._model.locking import reads
from hinge._model.params import bound, choice, flag, number, whole
from hinge._model.validation import check_queries
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._fit.data import TrainingData
    from hinge._model.state import State
    from hinge._model.types import Arrays, ClassWeight, Gamma, Kernel, Labels, MatrixLike, RandomStateLike, Rows

_ROWS_PER_VOTE = 256  # which bounds the memory for kernel values against all support vectors


class KernelPerceptron(KernelClassifier):
    """Kernel perceptron: every misclassified example becomes a support vector.

    The oldest online kernel classifier, and a baseline for the others: plain, averaged, with a margin, or with a
    bounded number of support vectors. It has no intercept. It minimises no objective, so there are no measures such as
    `duality_gap`. On noisy data the number of support vectors keeps growing.

    The last mistakes decide its answers: over twelve streams, its accuracy after 200, 1000, 5000 and all rows was on
    average 4 to 6 points below that of `sklearn.svm.SVC` with C from 1 to 1000, and up to 38 points below. It cannot be
    relied on at every moment of a stream.

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
    cache_size : float or "auto", default="auto"
        Size of the kernel cache in MB. "auto" is a quarter of the memory of the machine or container, at most 1000;
        it is taken as it is needed.
    class_weight : dict or "balanced", default=None
        Factors of the sample weights per class. "balanced" gives all classes the same total weight, in `fit` only.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which `fit` visits the examples.
    average : bool, default=False
        Predict with the mean of the decision functions over all examples seen, which is far more accurate on noisy
        data. It is not the majority vote of these functions, which `vote` computes. It
        cannot be combined with `max_support`: evicted support vectors would be missing from the mean.
    max_support : int, default=None
        Largest number of support vectors per binary model. It is not reliable on noisy streams: with 20 % wrong labels
        (moons, ten seeds, a bound of 300) accuracy is 0.85, 0.56 at worst, where an SVM of the last 300 rows has 0.95
        and `OnlineSVC(max_support=300)` 0.96.
    eviction : {"balanced", "margin"}, default="balanced"
        Which support vector leaves a full model. "margin": the one that the others classify correctly with the largest
        margin, as in the budget perceptron of Crammer, Kandola and Singer. "balanced": the same, but while more than a
        tenth are misclassified, the one farthest on the wrong side; the last of a class stays.
    margin : float, default=0.0
        Examples with y f(x) at most this count as mistakes.
    epochs : int, default=1
        Number of passes over the training set in `fit`. A perceptron minimises no objective, so there is no "auto".
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one binary model per class against the rest, or one per pair of classes, which vote
        as in `sklearn.svm.SVC`. They share the examples and their kernel values.
    calibration : {"sigmoid", "isotonic", "temperature"}, default=None
        How decision values become probabilities; see `predict_proba`. None: there are none. They are calibrated on
        decision values from before each example was learned.
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
    dual_coef_ : ndarray of shape (1, n_support), (n_classes, n_support) or, with "ovo", (n_classes - 1, n_support)
        Signed coefficients of the support vectors, averaged if `average` is set.
    intercept_ : ndarray of shape (1,), (n_classes,) or, with "ovo", (n_classes * (n_classes - 1) / 2,)
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
        cache_size: float | str = "auto",
        class_weight: ClassWeight = None,
        verbose: bool = False,
        random_state: RandomStateLike = None,
        average: bool = False,
        max_support: int | None = None,
        eviction: str = "balanced",
        margin: float = 0.0,
        epochs: int = 1,
        multi_class: str = "ovr",
        calibration: str | None = None,
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
        self.eviction = eviction
        self.margin = margin
        self.epochs = epochs
        self.multi_class = multi_class
        self.calibration = calibration
        self.n_jobs = n_jobs

    @property
    def _has_margin(self) -> bool:
        return False

    @reads
    def vote(self, X: MatrixLike) -> Labels:
        """Predict by the majority vote of all decision functions that the perceptron had, one per example seen.

        This is the rule of Freund and Schapire. `average=True` predicts with the mean of the same functions instead,
        which takes far less time and is usually as accurate. The vote needs all mistakes in their order, so it is
        available after one pass, without `max_support`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,)
            Labels.

        Examples
        --------
        >>> from sklearn.datasets import make_moons
        >>> from hinge import KernelPerceptron
        >>> X, y = make_moons(500, noise=0.3, random_state=0)
        >>> model = KernelPerceptron(random_state=0).fit(X, y)
        >>> bool((model.vote(X) == y).mean() > model.score(X, y))
        True
        """
        state = self._fitted_state()
        rows = check_queries(self, X, state.storage, sparse=state.storage.sparse)
        table, arrays = state.class_arrays()
        if self.max_support is not None or (arrays["visits"] > state.n_seen).any():
            raise ParameterError(
                "max_support must be None and epochs 1 for a vote, which needs every mistake once and in order; "
                "use average=True instead."
            )
        votes = np.concatenate(
            [_votes(state, arrays, rows[block]) for block in gen_batches(rows.shape[0], _ROWS_PER_VOTE)]
        )
        return table.choose(table.arrange(votes))

    def _pass_plan(self, data: TrainingData) -> PassPlan:  # noqa: ARG002
        return PassPlan(self.epochs)

    def _check_params(self, *, streaming: bool) -> _core.PerceptronOptions:
        common = self._online_options(streaming=streaming)
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
            eviction=choice("eviction", self.eviction, ("balanced", "margin")),
            margin=number("margin", self.margin, hint="a usual value is 0.0"),
        )


def _votes(state: State, arrays: Arrays, X: Rows) -> NDArray[np.float64]:
    """Return the balance of votes per row and binary model: each decision function counts as long as it was in use."""
    values = kernel_values(state, state.vectors(arrays), arrays["ids"], arrays["shift"], X)
    ends = np.cumsum(arrays["member_counts"])
    votes = np.zeros((len(values), len(ends)))
    for binary, (stop, count) in enumerate(zip(ends, arrays["member_counts"], strict=True)):
        members = slice(stop - count, stop)
        alpha, lag = arrays["alpha"][members], arrays["lag"][members]
        times = np.rint(lag / alpha)  # the steps before each mistake, which are missing from its share of the mean
        order = np.argsort(times)
        decisions = np.cumsum(values[:, arrays["members"][members][order]] * alpha[order], axis=1)
        durations = np.diff(times[order], append=arrays["visits"][binary])
        votes[:, binary] = np.sign(decisions) @ durations
    return votes

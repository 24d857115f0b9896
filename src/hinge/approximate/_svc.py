"""The estimator `ApproximateSVC`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, softmax

from hinge._calibration import method_of
from hinge._fit import driver
from hinge._fit.classifier import KernelClassifier
from hinge._model.params import check_class_weight
from hinge._model.stream_watch import StreamRisks
from hinge.approximate._estimator import ApproximateEstimator
from hinge.approximate._state import ApproximateState
from hinge.exceptions import DataError
from hinge.streaming import StreamTraits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hinge._model.options import SolverOptions
    from hinge._model.types import ClassWeight, Gamma, Kernel, Labels, RandomStateLike, Rows


_RISKS = StreamRisks(pause=1000, repetition=True, one_class_first=True)


class ApproximateSVC(ApproximateEstimator, KernelClassifier):  # type: ignore[misc]  # both define `_learner`
    """Kernel classifier of fixed size, for data that need too many support vectors.

    A feature map turns examples into `n_components` features whose inner products approximate the kernel, and linear
    models over them are trained by averaged stochastic gradient descent (ASSET). Neither memory nor the time per
    example grows with the number of examples: streams may be of any length, and with `half_life` they may change. With
    more than two classes, one binary model per class is trained against the rest; they share the feature map.

    Parameters
    ----------
    C : float, default=1.0
        Penalty for examples inside or on the wrong side of the margin. In a stream the regularisation of the weights
        decreases with the number of examples, so that `C` means the same as in `SVC`.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        Kernel function. A callable takes two sets of examples and returns the matrix of kernel values. Fourier features
        exist for rbf and laplacian only.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient of rbf, poly, sigmoid and laplacian. "scale" is 1 / (n_features * X.var()), where a sample
        weight counts as repetitions; "auto" is 1 / n_features. In a stream it is computed again with each new feature
        map of the first examples (see `partial_fit`), and only by the first call for Fourier features.
    coef0 : float, default=0.0
        Independent term of the poly and sigmoid kernels.
    loss : {"hinge", "squared_hinge", "log_loss"}, default="hinge"
        Loss function. "log_loss" is kernel logistic regression and provides `predict_proba`.
    approximation : {"nystroem", "fourier"}, default="nystroem"
        Features from kernel values against a sample of the examples (landmarks), or random Fourier features. Nystroem
        needs fewer features for the same error; Fourier features need no examples beforehand.
    n_components : int, default=512
        Largest number of features. Nystroem may have fewer: the numerical rank of its landmarks.
    eigen_threshold : float, default=None
        Nystroem drops eigenvalues up to this fraction of the largest; None chooses a value for the precision of the
        examples.
    relative_threshold : bool, default=True
        Whether `eigen_threshold` is a fraction of the largest eigenvalue. If False, it is the smallest eigenvalue to
        keep, as in the ASSET paper.
    rank : int, default=None
        Largest number of eigenvalues that Nystroem keeps (d in the paper), if it should be less than `n_components`,
        the number of landmarks (s). None sets no bound.
    fit_intercept : bool, default=True
        Whether to fit an intercept, which is not regularised.
    steps : {"adaptive", "asset", "asset*"}, default="adaptive"
        "adaptive": implicit steps that cannot overshoot, scaled to the features; Nystroem features are whitened first.
        One pass is often enough. "asset": Algorithm 1 of the ASSET paper, with or without an intercept: subgradient
        steps of length D_X / (D_G sqrt(j)), projections and weighted averages. "asset*": step lengths 1 / (lambda j),
        without an intercept only. Steps on squared losses are implicit in any case, since others would swing.
    n_total : int, default=None
        Number of examples that a stream will have: "asset" and "asset*" need lambda = 1 / (C n_total) beforehand, and
        it stays the same. None means 10 000, or the number of rows of a `fit` that came before. `fit` knows its own
        number; with `half_life`, lambda follows from that.
    max_intercept : float, default=None
        Bound B on the size of the intercept in "asset". None: 1 / sqrt(lambda), the bound on the weights.
    gradient_bound : float, default=None
        D_G of "asset", which bounds the length of subgradients. None: it is estimated.
    gradient_sample : int, default=None
        Number of random examples (M in the paper) from which "asset" estimates D_G. None: all landmarks, or the exact
        mean for Fourier features. In streams it is drawn from the rows that the feature map is built from, with Fourier
        features from the first.
    with_replacement : bool, default=False
        Whether `fit` draws each example independently of the others, as Algorithm 1 of the paper does. By default each
        pass visits every example once, in random order.
    epochs : int or "auto", default="auto"
        Largest number of passes over the training set in `fit`. "auto": three. Newton steps to the optimum follow if
        the loss is "hinge", the steps are "adaptive", there are at most 20 000 rows and their features fit into
        `cache_size`; for other losses there are up to a hundred passes over small training sets. One pass over a
        stream of chunks. Features are kept from pass to pass if they fit into `cache_size`, and computed again
        otherwise.
    average_last : float or int, default=0.5
        The model is the average of the last iterates: a fraction of all, or a number of them. Only `fit` with
        `steps="asset"` averages exactly those; otherwise later iterates weigh more, to the same effect.
    half_life : float, default=None
        Number of rows after which an example of a stream counts half, for streams whose rule changes; None: examples
        count forever. `fit` ignores it, since all rows of a training set are equally old; they age with the rows that
        `partial_fit` learns afterwards.
    early_stopping : bool, default=False
        Whether `fit` stops when the accuracy on held-out rows does not improve; the best model is kept.
    validation_fraction : float, default=0.1
        Fraction of the rows to hold out for early stopping.
    n_iter_no_change : int, default=3
        Number of passes without improvement before stopping.
    tol : float, default=1e-3
        Improvements of the score up to this do not count.
    cache_size : float, default=200
        Size of the cache for kernel values or features that `fit` keeps from one pass to the next, in MB.
    class_weight : dict or "balanced", default=None
        Factors of `C` per class. "balanced" gives all classes the same total weight, in `fit` only.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks or frequencies, and of the order in which `fit` visits the examples.
    calibration : {"sigmoid", "isotonic", "temperature"}, default=None
        How decision values become probabilities; see `predict_proba`. None: there are none. With `loss="log_loss"`
        there are probabilities without it. They are calibrated on decision values from before each example was learned.
    n_jobs : int, default=None
        Number of threads. None means as many as the BLAS uses, -1 all processors. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels known so far, sorted.
    component_coef_ : ndarray of shape (1, n_components_) or (n_classes, n_components_)
        Averaged weights of the features of the map.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Linear kernels only: the same, as the features are the columns of X.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Averaged intercepts.
    n_components_ : int
        Number of features of the map.
    support_ : ndarray of shape (n_landmarks,)
        Nystroem: positions of the landmarks in the stream (after `fit`: rows of X), grouped by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_landmarks, n_features)
        Nystroem: the landmarks. The model is a kernel expansion over them.
    n_support_ : ndarray of shape (n_classes,)
        Nystroem: number of landmarks per class.
    dual_coef_ : ndarray of shape (1, n_landmarks) or (n_classes, n_landmarks)
        Nystroem: coefficients of that expansion.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.
    n_iter_ : int
        Number of steps so far; each is a step of all binary models (`sklearn.svm.SVC` has one number each).
    n_kernel_evals_ : int
        Number of kernel values, or Fourier features, computed while learning.
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
    ApproximateSVR : The same for regression.
    OnlineSVC : Keeps as many support vectors as needed.

    References
    ----------
    Lee and Wright, "ASSET: Approximate stochastic subgradient estimation training for support vector machines", 2012.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from hinge import ApproximateSVC
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> model = ApproximateSVC(C=10.0, n_components=100, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.96
    True
    >>> stream = ApproximateSVC(C=10.0, gamma=2.0, loss="log_loss", random_state=0)
    >>> for row, label in zip(X, y):
    ...     _ = stream.partial_fit([row], [label])
    >>> stream.score(X, y) > 0.96
    True
    >>> stream.predict_proba(X[:1]).shape
    (1, 2)

    A stream whose labels are swapped after 2000 rows:

    >>> tracking = ApproximateSVC(C=10.0, gamma=2.0, n_components=100, half_life=100, random_state=0)
    >>> tracking.partial_fit(X, y).partial_fit(X[:1000], 1 - y[:1000]).score(X[1000:], 1 - y[1000:]) > 0.94
    True
    """

    _losses = ("hinge", "squared_hinge", "log_loss")

    stream_traits = StreamTraits(size_unit="features")

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        loss: str = "hinge",
        approximation: str = "nystroem",
        n_components: int = 512,
        eigen_threshold: float | None = None,
        relative_threshold: bool = True,
        rank: int | None = None,
        fit_intercept: bool = True,
        steps: str = "adaptive",
        n_total: int | None = None,
        max_intercept: float | None = None,
        gradient_bound: float | None = None,
        gradient_sample: int | None = None,
        with_replacement: bool = False,
        epochs: int | str = "auto",
        average_last: float = 0.5,
        half_life: float | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 3,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: ClassWeight = None,
        verbose: bool = False,
        random_state: RandomStateLike = None,
        calibration: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.loss = loss
        self.approximation = approximation
        self.n_components = n_components
        self.eigen_threshold = eigen_threshold
        self.relative_threshold = relative_threshold
        self.rank = rank
        self.fit_intercept = fit_intercept
        self.steps = steps
        self.n_total = n_total
        self.max_intercept = max_intercept
        self.gradient_bound = gradient_bound
        self.gradient_sample = gradient_sample
        self.with_replacement = with_replacement
        self.epochs = epochs
        self.average_last = average_last
        self.half_life = half_life
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.calibration = calibration
        self.n_jobs = n_jobs

    def _require_complete_stream(self) -> None:
        if len(self.classes_) < 2:
            raise DataError(
                f"The chunks must hold examples of at least two classes, got only {self.classes_.tolist()[0]!r}; "
                "partial_fit may start with one."
            )

    @property
    def _has_margin(self) -> bool:
        return not self._has_log_odds

    @property
    def _has_log_odds(self) -> bool:
        return self.loss == "log_loss"

    def _from_log_odds(self, decided: NDArray[np.float64]) -> NDArray[np.float64]:
        options = self._check_params(streaming=False)
        self._learner.require_unchanged(self, driver.state_of(self, ApproximateState), options)
        chances = expit(decided)
        if decided.shape[1] == 1:
            return np.column_stack([expit(-decided), chances])
        total = chances.sum(axis=1, keepdims=True)
        is_zero = total == 0.0  # all probabilities underflow: use the differences of the decision values
        found: NDArray[np.float64] = np.where(
            is_zero, softmax(decided, axis=1), chances / np.where(is_zero, 1.0, total)
        )
        return found

    @property
    def _stream_risks(self) -> StreamRisks:
        return _RISKS

    def _check_params(self, *, streaming: bool) -> SolverOptions:
        check_class_weight(self.class_weight, streaming=streaming)
        method_of(self.calibration)
        return self._approximate_options()

    def _validation_score(self, state: ApproximateState, X: Rows, y: Labels, weights: NDArray[np.float64]) -> float:
        table = state.table
        right = table.choose(table.arrange(state.decide(X, state.options.threads))) == y
        return float(np.average(right, weights=weights))

"""The estimator `ApproximateSVC`: a thin front of the linear machines over features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from scipy.special import expit

from hinge._fit.base import StreamingClassifier
from hinge._fit.progress import with_callbacks
from hinge._model.attributes import available_if
from hinge._model.locking import reads, writes
from hinge.approximate._estimator import ApproximateEstimator, is_chunks
from hinge.exceptions import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from hinge._fit.base import TrainingData
    from hinge._model.labels import ClassTable
    from hinge._model.options import SolverOptions
    from hinge.approximate._state import ApproximateState


def _has_probabilities(model: ApproximateSVC) -> bool:
    """Tell whether a model minimises the loss whose answers are log-odds."""
    return model.loss == "log_loss"


class ApproximateSVC(ApproximateEstimator, StreamingClassifier):
    """Kernel classifier of a fixed size, for data where support vectors are too many.

    Examples become `n_components` features whose inner products are nearly the kernel's values, and linear machines
    over them are learned by averaged stochastic gradient steps (ASSET). Memory does not grow with the number of
    examples, and the time for each of them stays the same: streams may be of any length. With more than two classes one
    machine a class is trained against the rest, over one feature map.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of an example on the wrong side of its margin. In a stream the penalty of the weights falls as examples
        come, so that `C` means what it means in `SVC`.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        The kernel. A callable gets two sets of examples and returns the matrix of kernel values. Fourier features are
        for rbf and laplacian.
    degree : int, default=3
        Exponent of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of rbf, poly, sigmoid and laplacian. "scale" is 1 / (n_features * variance of X), where weights count as
        repetitions; "auto" is 1 / n_features. A stream settles it with each new map of its first examples (see
        `partial_fit`), and with its first call if the features are Fourier's.
    coef0 : float, default=0.0
        Constant of poly and sigmoid.
    loss : {"hinge", "squared_hinge", "log_loss"}, default="hinge"
        What an example costs. "log_loss" is kernel logistic regression and gives `predict_proba`.
    approximation : {"nystroem", "fourier"}, default="nystroem"
        Features from kernel values against a sample of the examples, or random Fourier features. Nystroem needs fewer
        features for the same error; Fourier features need no examples beforehand.
    n_components : int, default=512
        The most features. Nystroem may have fewer: as many as its sample has directions that matter.
    eigen_threshold : float, default=None
        Directions of the Nystroem sample whose eigenvalue is at most this part of the largest are left out; None suits
        the precision of the examples.
    fit_intercept : bool, default=True
        The machines have a constant, which is not penalised.
    steps : {"adaptive", "asset"}, default="adaptive"
        "adaptive": steps that cannot overshoot, of a size that suits the features; Nystroem features are evened out
        first. One pass is often enough. "asset": the subgradient steps, projections and weighted averages of the paper;
        without an intercept those of ASSET*.
    epochs : int or "auto", default="auto"
        The most passes over the training set in `fit`. "auto": three, and up to a hundred over small ones, where they
        cost little; one over a stream of chunks. What takes long is kept from pass to pass if it fits into
        `cache_size`, else done again.
    average_last : float or int, default=0.5
        The answer is the average of the last iterates: a share of all, or a number of them. Only `fit` with
        `steps="asset"` cuts them off there; elsewhere later iterates weigh more, to the same effect.
    early_stopping : bool, default=False
        Stop `fit` when the accuracy on a share of the rows, which are not learned, does not improve; the best model
        is kept.
    validation_fraction : float, default=0.1
        That share.
    n_iter_no_change : int, default=3
        Passes without an improvement before it stops.
    tol : float, default=1e-3
        What counts as an improvement.
    cache_size : float, default=200
        Memory for kernel values or features that are kept from one pass of `fit` to the next, in megabytes.
    class_weight : dict or "balanced", default=None
        Factors of `C` by class. "balanced" makes all classes weigh the same, in `fit` only.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample or the frequencies, and of the order in which `fit` visits the examples.
    n_jobs : int, default=None
        Threads. None uses as many as the BLAS would, -1 all processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels known so far, sorted.
    coef_ : ndarray of shape (1, n_components_) or (n_classes, n_components_)
        Averaged weights of the features; with the linear kernel, those of the columns of X instead.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Averaged constants.
    n_components_ : int
        The number of features.
    support_ : ndarray of shape (n_landmarks,)
        Nystroem: places in the stream of the examples in the sample (after `fit`: rows of X), grouped by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_landmarks, n_features)
        Nystroem: the examples in the sample. The model is a kernel expansion over them.
    n_support_ : ndarray of shape (n_classes,)
        Nystroem: how many of each class.
    dual_coef_ : ndarray of shape (1, n_landmarks) or (n_classes, n_landmarks)
        Nystroem: the coefficients of that expansion.
    n_features_in_ : int
        Number of features of the examples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had some.
    n_iter_ : int
        Steps so far.
    n_kernel_evals_ : int
        Kernel values, or Fourier features, computed while learning.
    n_seen_ : int
        Examples given so far.

    See Also
    --------
    ApproximateSVR : The same for regression.
    OnlineSVC : Keeps support vectors, as many as it takes.

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
    """

    _losses = ("hinge", "squared_hinge", "log_loss")

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        loss: str = "hinge",
        approximation: str = "nystroem",
        n_components: int = 512,
        eigen_threshold: float | None = None,
        fit_intercept: bool = True,
        steps: str = "adaptive",
        epochs: int | str = "auto",
        average_last: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 3,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Mapping[Any, float] | str | None = None,
        verbose: bool = False,
        random_state: Any = None,
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
        self.fit_intercept = fit_intercept
        self.steps = steps
        self.epochs = epochs
        self.average_last = average_last
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    @writes
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn a training set, or a stream of chunks, from nothing; what was known before is forgotten.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features), iterator, or callable
            Examples. Or, without `y`, an iterator of chunks (X, y) or (X, y, sample_weight), such as
            `hinge.datasets.read(path, chunk_size=10_000)`, for data larger than memory: it is gone through once, so
            `epochs` must be 1. A function without arguments that returns such an iterator is called for each pass.
            The rows of chunks are learned in the order given: shuffle them if they are sorted by class.
        y : array-like of shape (n,)
            Labels of any type, of two classes at least.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row. Rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if is_chunks(X, y, sample_weight):
            self._fit_chunks(X)
        else:
            self._fit_rows(X, y, sample_weight)
        return self

    @with_callbacks
    def _fit_rows(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Self:
        return self._fit(X, y, sample_weight)

    def _require_enough(self) -> None:
        if len(self.classes_) < 2:
            raise DataError(
                f"The chunks must hold examples of at least two classes, got only {self.classes_.tolist()[0]!r}; "
                "partial_fit may start with one."
            )

    @available_if(_has_probabilities)
    @reads
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, with loss="log_loss".

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n, n_classes)
            With two classes the logistic function of the decision; with more, those of all classes, divided by their
            sum.
        """
        self._require_same(self._known())
        table, decisions = self._decisions(X)
        if len(table) < 2:
            return np.ones((len(decisions), 1))
        chances = expit(decisions)
        if len(table) == 2:
            return np.column_stack([expit(-decisions), chances])
        total = chances.sum(axis=1, keepdims=True)
        hopeless = total == 0.0  # all decisions far below zero: the differences are what is left
        return np.where(hopeless, _softmax(decisions), chances / np.where(hopeless, 1.0, total))

    def _check_params(self, *, streaming: bool) -> SolverOptions:
        return self._approximate_options(streaming=streaming)

    def _targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.float64]:
        return data.numbers(table).astype(np.float64)

    def _beginning(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> tuple[TrainingData, ApproximateState]:
        options = self._check_params(streaming=True)
        data = self._lesson(*self._checked(X, y, None), sample_weight)
        return data, cast("ApproximateState", self._next_state(None, data, options, classes))

    def _more(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        return self._lesson(*self._checked(X, y, self._state), sample_weight)

    def _take(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._partial_fit(X, y, None, sample_weight)

    def _validation_score(self, X: Any, y: NDArray[Any], weights: NDArray[np.float64]) -> float:
        table, decisions = self._native_decisions(X)
        right = table.choose(table.arrange(decisions)) == y
        return float(np.average(right, weights=weights))


def _softmax(decisions: NDArray[np.float64]) -> NDArray[np.float64]:
    raised: NDArray[np.float64] = np.exp(decisions - decisions.max(axis=1, keepdims=True))
    total: NDArray[np.float64] = raised.sum(axis=1, keepdims=True)
    return raised / total

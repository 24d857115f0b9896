"""The estimator `ApproximateSVR`: regression with the linear models of `ApproximateSVC`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import RegressorMixin

from hinge._fit import driver
from hinge._fit.tasks import Regression
from hinge._model.locking import writes
from hinge._model.params import number
from hinge.approximate._estimator import ApproximateEstimator
from hinge.streaming import StreamTraits

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hinge._model.options import SolverOptions
    from hinge._model.types import Gamma, Kernel, Labels, MatrixLike, RandomStateLike, Rows
    from hinge.approximate._state import ApproximateState


class ApproximateSVR(RegressorMixin, ApproximateEstimator):
    """Kernel regression of fixed size, for data that need too many support vectors.

    A feature map turns examples into features whose inner products approximate the kernel, and a linear function of
    them is trained by averaged stochastic gradient descent, as in `ApproximateSVC`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty for errors above `epsilon`.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        Kernel function. Fourier features exist for rbf and laplacian only.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient of rbf, poly, sigmoid and laplacian; see `ApproximateSVC`.
    coef0 : float, default=0.0
        Independent term of the poly and sigmoid kernels.
    epsilon : float, default=0.1
        Errors up to this cost nothing.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        Loss of larger errors: the excess over `epsilon`, or its square.
    approximation : {"nystroem", "fourier"}, default="nystroem"
        Features from kernel values against a sample of the examples (landmarks), or random Fourier features.
    n_components : int, default=512
        Largest number of features.
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
        As in `ApproximateSVC`.
    n_total, max_intercept, gradient_bound, gradient_sample, with_replacement
        As in `ApproximateSVC`.
    epochs : int or "auto", default="auto"
        Largest number of passes over the training set in `fit`, as in `ApproximateSVC`; with "auto", Newton steps
        follow for the loss "epsilon_insensitive".
    average_last : float or int, default=0.5
        The model is the average of the last iterates: a fraction of all, or a number of them.
    half_life : float, default=None
        Number of rows after which an example of a stream counts half, for streams whose rule changes; None: examples
        count forever. `fit` ignores it, since all rows of a training set are equally old; they age with the rows that
        `partial_fit` learns afterwards.
    early_stopping : bool, default=False
        Whether `fit` stops when the score on held-out rows does not improve; the best model is kept.
    validation_fraction : float, default=0.1
        Fraction of the rows to hold out for early stopping.
    n_iter_no_change : int, default=3
        Number of passes without improvement before stopping.
    tol : float, default=1e-3
        Improvements of the score up to this do not count.
    cache_size : float, default=200
        Size of the cache for kernel values or features that `fit` keeps from one pass to the next, in MB.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks or frequencies, and of the order in which `fit` visits the examples.
    n_jobs : int, default=None
        Number of threads. None means as many as the BLAS uses, -1 all processors. Results do not depend on it.

    Attributes
    ----------
    component_coef_ : ndarray of shape (1, n_components_)
        Averaged weights of the features of the map.
    coef_ : ndarray of shape (1, n_features)
        Linear kernels only: the same, as the features are the columns of X.
    intercept_ : ndarray of shape (1,)
        Averaged intercept.
    n_components_ : int
        Number of features of the map.
    support_vectors_, dual_coef_ : ndarray or CSR matrix
        Nystroem: the landmarks, and the coefficients of the model as a kernel expansion over them.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.
    n_iter_ : int
        Number of steps so far.
    n_seen_ : int
        Number of examples given so far.
    fit_status_ : int
        0 if the last training call converged, 1 if it issued a ConvergenceWarning.
    progressive_score_ : ProgressiveScore
        Count of examples predicted just before learning them; regression knows no mistakes, and counts none.
    model_size_ : int
        Number of support vectors, or of features of an approximate model.

    See Also
    --------
    ApproximateSVC : The same for classification.

    Examples
    --------
    >>> import numpy as np
    >>> from hinge import ApproximateSVR
    >>> X = np.linspace(-3, 3, 2000).reshape(-1, 1)
    >>> model = ApproximateSVR(C=10.0, epsilon=0.01, random_state=0).fit(X, np.sin(X).ravel())
    >>> bool(abs(model.predict([[1.0]])[0] - np.sin(1.0)) < 0.05)
    True
    """

    _losses = ("epsilon_insensitive", "squared_epsilon_insensitive")

    _task = Regression()
    stream_traits = StreamTraits(task="regression", size_unit="features")

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        epsilon: float = 0.1,
        loss: str = "epsilon_insensitive",
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
        verbose: bool = False,
        random_state: RandomStateLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.epsilon = epsilon
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
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    @writes
    def partial_fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn more examples, in the order given.

        The first call decides the precision, and whether examples are stored dense or sparse. Later input is converted
        accordingly.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.
        y : array-like of shape (n,)
            Values.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row. Rows of weight 0 are skipped.

        Returns
        -------
        self : object
            The estimator.
        """
        return driver.partial_fit(self, X, y, None, sample_weight)

    def predict(self, X: MatrixLike) -> NDArray[np.float64]:
        """Predict values.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
            Values.
        """
        return self._raw_decisions(X)[1][:, 0]

    def _check_params(self, *, streaming: bool) -> SolverOptions:  # noqa: ARG002
        epsilon = number("epsilon", self.epsilon, at_least=0, hint="a usual value is 0.1")
        return self._approximate_options().with_linear(epsilon=epsilon)

    def _validation_score(self, state: ApproximateState, X: Rows, y: Labels, weights: NDArray[np.float64]) -> float:
        errors = np.square(state.decide(X, state.options.threads)[:, 0] - y)
        arrays = state.native.state()
        spread = float(arrays["target_squares"][0] / arrays["n_steps"][0])  # of targets; a few rows may have none
        return -float(np.average(errors, weights=weights)) / (spread or 1.0)

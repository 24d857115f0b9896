"""The estimator `ApproximateSVR`: regression with the machines of `ApproximateSVC`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from sklearn.base import RegressorMixin

from hinge._fit.base import TrainingData, require_weight, unchanged_on_error
from hinge._fit.progress import with_callbacks
from hinge._model.labels import ClassTable
from hinge._model.locking import reads, writes
from hinge._model.params import number
from hinge._model.threads import one_blas_thread
from hinge._model.validation import check_values, check_weights
from hinge.approximate._estimator import ApproximateEstimator, is_chunks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from hinge._model.options import SolverOptions
    from hinge._model.state import State
    from hinge.approximate._state import ApproximateState

_NO_CLASSES = np.zeros(1, dtype=np.int64)  # the machines of a regression count as those of one class


class ApproximateSVR(RegressorMixin, ApproximateEstimator):
    """Kernel regression of a fixed size, for data where support vectors are too many.

    Examples become features whose inner products are nearly the kernel's values, and a linear function of them is
    learned by averaged stochastic gradient steps, as in `ApproximateSVC`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of an answer that is off by more than `epsilon`.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        The kernel. Fourier features are for rbf and laplacian.
    degree : int, default=3
        Exponent of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of rbf, poly, sigmoid and laplacian; see `ApproximateSVC`.
    coef0 : float, default=0.0
        Constant of poly and sigmoid.
    epsilon : float, default=0.1
        Answers that are off by at most this cost nothing.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        What others cost: how much more they are off, or the square of that.
    approximation : {"nystroem", "fourier"}, default="nystroem"
        Features from kernel values against a sample of the examples, or random Fourier features.
    n_components : int, default=512
        The most features.
    eigen_threshold : float, default=None
        Directions of the Nystroem sample whose eigenvalue is at most this part of the largest are left out; None suits
        the precision of the examples.
    fit_intercept : bool, default=True
        The machine has a constant, which is not penalised.
    steps : {"adaptive", "asset"}, default="adaptive"
        As in `ApproximateSVC`.
    epochs : int or "auto", default="auto"
        The most passes over the training set in `fit`, as in `ApproximateSVC`.
    average_last : float or int, default=0.5
        The answer is the average of the last iterates: a share of all, or a number of them.
    early_stopping : bool, default=False
        Stop `fit` when the score on a share of the rows, which are not learned, does not improve; the best model is
        kept.
    validation_fraction : float, default=0.1
        That share.
    n_iter_no_change : int, default=3
        Passes without an improvement before it stops.
    tol : float, default=1e-3
        What counts as an improvement.
    cache_size : float, default=200
        Memory for kernel values or features that are kept from one pass of `fit` to the next, in megabytes.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample or the frequencies, and of the order in which `fit` visits the examples.
    n_jobs : int, default=None
        Threads. None uses as many as the BLAS would, -1 all processors. The result does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_components_)
        Averaged weights of the features.
    intercept_ : ndarray of shape (1,)
        Averaged constant.
    n_components_ : int
        The number of features.
    support_vectors_, dual_coef_ : ndarray or CSR matrix
        Nystroem: the examples in the sample, and the coefficients of the model as a kernel expansion over them.
    n_features_in_ : int
        Number of features of the examples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had some.
    n_iter_ : int
        Steps so far.
    n_seen_ : int
        Examples given so far.

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

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        epsilon: float = 0.1,
        loss: str = "epsilon_insensitive",
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
        verbose: bool = False,
        random_state: Any = None,
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
        self.fit_intercept = fit_intercept
        self.steps = steps
        self.epochs = epochs
        self.average_last = average_last
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    @writes
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn a training set, or a stream of chunks, from nothing; what was known before is forgotten.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features), iterator, or callable
            Examples; or, without `y`, chunks as in `ApproximateSVC.fit`.
        y : array-like of shape (n,)
            Values.
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
        options = self._options(streaming=False)
        with unchanged_on_error(self, anew=True):
            data = self._lesson(X, y, None, sample_weight)
            self._state = state = self._begun(data, options)
            self._require_columns(state, data, whole=True)
            state.n_seen = len(data.y)
            with one_blas_thread():
                self._train(data)
        return self

    @writes
    def partial_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn more examples, in the order given.

        The first call settles the kernel (`gamma="scale"` looks at its examples only), the precision and whether
        examples are kept dense or sparse. Later input is converted to that.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.
        y : array-like of shape (n,)
            Values.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row. Rows of weight 0 are passed over.

        Returns
        -------
        self : object
            The estimator.
        """
        self._take(X, y, sample_weight)
        return self

    def _take(self, X: Any, y: Any, sample_weight: Any) -> None:
        options = self._options(streaming=True)
        with unchanged_on_error(self):
            before = getattr(self, "_state", None)
            data = self._lesson(X, y, before, sample_weight)
            if before is not None:
                self._require_same(before)
            state = self._begun(data, options) if before is None else before
            self._require_columns(state, data, whole=False)
            self._state = state.expendable()
            self._learn(data, options)

    @reads
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the values of examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n,)
            Values.
        """
        return self._native_decisions(self._queries(X))[1][:, 0]

    def _check_params(self, *, streaming: bool) -> SolverOptions:
        options = self._approximate_options(streaming=streaming)
        return options.with_linear(epsilon=number("epsilon", self.epsilon, at_least=0, hint="a usual value is 0.1"))

    def _lesson(self, X: Any, y: Any, state: State | None, sample_weight: ArrayLike | None) -> TrainingData:
        storage = None if state is None else state.storage
        X, values = check_values(self, X, y, storage, sparse=self.kernel != "precomputed")
        weights = check_weights(sample_weight, len(values))
        return TrainingData(X, values, weights, weights, {} if sample_weight is None else {"sample_weight": weights})

    def _begun(self, data: TrainingData, options: SolverOptions) -> State:
        require_weight(data)
        return self._first_state(data, options, ClassTable.of(_NO_CLASSES))

    def _targets(self, data: TrainingData, table: ClassTable) -> NDArray[np.float64]:  # noqa: ARG002
        return data.y

    def _beginning(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> tuple[TrainingData, ApproximateState]:  # noqa: ARG002
        options = self._check_params(streaming=True)
        data = self._lesson(X, y, None, sample_weight)
        return data, cast("ApproximateState", self._begun(data, options))

    def _more(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        return self._lesson(X, y, self._state, sample_weight)

    def _validation_score(self, X: Any, y: NDArray[Any], weights: NDArray[np.float64]) -> float:
        errors = np.square(self._native_decisions(X)[1][:, 0] - y)
        arrays = self._state.native.state()
        spread = float(arrays["target_squares"][0] / arrays["n_steps"][0])  # of targets; a few rows may have none
        return -float(np.average(errors, weights=weights)) / (spread or 1.0)

"""The estimator `IncrementalOneClassSVM`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from hinge._fit import driver
from hinge._fit.progress import with_callbacks
from hinge._fit.tasks import OneClass
from hinge._model.locking import reads, writes
from hinge._model.overflow import require_finite
from hinge._model.params import choice, number
from hinge.exceptions import DataError, ParameterError
from hinge.incremental import _learner as exact
from hinge.incremental._one_class_predictions import OneClassPredictions
from hinge.incremental._state import ExactState
from hinge.streaming import StreamTraits

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import ArrayLike, NDArray

    from hinge import _core
    from hinge._model.types import Gamma, IdList, Kernel, MatrixLike, RandomStateLike


class IncrementalOneClassSVM(OneClassPredictions):
    """Exact outlier detector that learns and forgets one example at a time.

    After every example learned or forgotten it is the one-class SVM of the examples held, up to rounding, as if it had
    never seen any other; `kkt_violation()` certifies it. Either a hyperplane in feature space separates the examples
    from the origin, as in `sklearn.svm.OneClassSVM`, or a sphere encloses them. If k(x, x) is constant, as with the rbf
    kernel, both have the same coefficients and detect the same outliers.

    Either of two parameters limits the number of outliers:

    - `nu`, if `C` is None: coefficients lie between 0 and the weight of their example and sum to nu times the sum of
      weights. At most a share nu of the examples are outliers and at least that share are support vectors, however many
      are learned or forgotten.
    - `C`, if it is given: coefficients lie between 0 and C times the weight, and sum to 1 (or to C times the sum of
      weights, if that is less). At most 1 / C examples are outliers, so their share shrinks as the model grows.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of outliers among the examples held, above 0 and at most 1. Ignored if `C` is given.
    C : float or None, default=None
        Largest coefficient of an example of weight 1, where coefficients sum to 1; None means that `nu` applies.
    shape : {"plane", "sphere"}, default="plane"
        Whether a hyperplane or a sphere encloses the examples.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        Kernel function. A callable takes two sets of examples and returns the matrix of kernel values. A sphere needs
        k(x, x) of the examples to predict: with "precomputed" the diagonal must be constant.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient of rbf, poly, sigmoid and laplacian. "scale" is 1 / (n_features * X.var()), where a sample
        weight counts as repetitions; "auto" is 1 / n_features. In a stream, the first 1024 rows
        decide it (see `partial_fit`).
    coef0 : float, default=0.0
        Independent term of the poly and sigmoid kernels.
    tol : float, default=1e-3
        A ConvergenceWarning is issued if the optimality conditions are violated by more than this.
    cache_size : float, default=200
        Size of the kernel cache in MB. Kernel values of margin vectors are kept in any case: 8 bytes per margin vector
        and example held.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Ignored: the exact solution involves no random choice. Present so that all estimators have the same parameters.
    max_examples : int or None, default=None
        Size of the window: the largest number of examples to hold; None means no bound.
    eviction : {"age", "relevance", "weight"}, default="age"
        Which example a full window evicts: the oldest, the one that matters least to the solution, or the one with the
        smallest coefficient. The last two evict typical examples and keep outliers: use them for small windows over
        clean data only. "age" also follows data that drift.
    n_jobs : int, default=None
        Number of threads. None means as many as the BLAS uses, -1 all processors. Results do not depend on it.

    Attributes
    ----------
    offset_ : float
        `decision_function` is `score_samples` minus this; for a sphere, minus its squared radius.
    support_ : ndarray of shape (n_support,)
        Positions of the support vectors in the stream (after `fit`: rows of X).
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        Support vectors.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients of the support vectors, all positive. Divided by their sum, they are the weights of the centre of
        a sphere.
    intercept_ : ndarray of shape (1,)
        Constant added to the sum of coefficients times kernel values. For a plane, minus `offset_`.
    ids_ : list
        Ids of the examples held, in the order of the stream.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.
    n_iter_ : int
        Number of solver steps so far.
    n_kernel_evals_ : int
        Number of kernel values computed so far.
    n_seen_ : int
        Number of examples given so far.
    fit_status_ : int
        0 if the last training call converged, 1 if it issued a ConvergenceWarning.
    progressive_score_ : ProgressiveScore
        Counts of examples tested just before learning them; `n_mistakes` are those that the model, after making room
        for them, took for outliers. `error` is the share of new examples that is flagged, to be compared with `nu`.
    model_size_ : int
        Number of support vectors, or of features of an approximate model.

    See Also
    --------
    IncrementalSVC : The same for classification.
    sklearn.svm.OneClassSVM : Batch training of the hyperplane.

    References
    ----------
    Laskov, Gehl, Krüger and Müller, "Incremental support vector learning: analysis, implementation and applications",
    Journal of Machine Learning Research 7, 2006.

    Schölkopf, Platt, Shawe-Taylor, Smola and Williamson, "Estimating the support of a high-dimensional distribution",
    Neural Computation 13, 2001. (The plane.)

    Tax and Duin, "Support vector domain description", Pattern Recognition Letters 20, 1999. (The sphere.)

    Examples
    --------
    >>> from hinge import IncrementalOneClassSVM
    >>> model = IncrementalOneClassSVM(nu=0.2, gamma=0.5)
    >>> X = [[0.0, 0.1], [0.2, 0.0], [0.1, -0.2], [-0.1, 0.0], [0.0, 0.0]]
    >>> model.fit(X, ids=["ann", "bob", "eve", "joe", "sue"]).predict([[0.0, 0.05], [3.0, 3.0]])
    array([ 1, -1])
    >>> model.forget(["eve"]).ids_
    ['ann', 'bob', 'joe', 'sue']

    A sliding window over a stream:

    >>> import numpy as np
    >>> stream = np.random.default_rng(0).normal(size=(300, 2))
    >>> window = IncrementalOneClassSVM(nu=0.1, gamma=0.5, max_examples=100)
    >>> for row in stream:
    ...     window = window.partial_fit([row])
    >>> len(window.ids_), window.n_seen_
    (100, 300)
    >>> bool((window.predict(stream[200:]) == -1).mean() <= 0.1)
    True
    """

    _task = OneClass()
    _learner = exact.ExactLearner(ExactState)
    stream_traits = StreamTraits(is_exact=True, task="one-class", dtype="float64")

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float | None = None,
        shape: str = "plane",
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        random_state: RandomStateLike = None,
        max_examples: int | None = None,
        eviction: str = "age",
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.shape = shape
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.random_state = random_state
        self.max_examples = max_examples
        self.eviction = eviction
        self.n_jobs = n_jobs

    @writes
    @with_callbacks
    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike | None = None,  # noqa: ARG002
        sample_weight: ArrayLike | None = None,
        ids: IdList | None = None,
    ) -> Self:
        """Learn a training set from scratch, discarding what was learned before.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Training examples, converted to float64. With a precomputed kernel: the square matrix of kernel values.
        y : None
            Ignored; present for scikit-learn's API.
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight 2 counts as two. Rows of weight 0 are left out.
        ids : list or array of length n, default=None
            Ids for `forget`: distinct hashable values. None means row numbers.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return driver.fit(self, X, None, sample_weight, ids)

    @writes
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike | None = None,  # noqa: ARG002
        sample_weight: ArrayLike | None = None,
        ids: IdList | None = None,
    ) -> Self:
        """Learn more examples, in the order given.

        `gamma="scale"` is computed again after 4, 16, 64, 256 and 1024 rows, from the examples held, and these are
        learned again if it changes by more than 5 %; then it is final. The first call decides whether examples are
        stored dense or sparse.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples. With a precomputed kernel there must be one column for every example that will ever be
            learned: column t belongs to the t-th example of the stream.
        y : None
            Ignored; present for scikit-learn's API.
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight 2 counts as two. Rows of weight 0 are skipped.
        ids : list or array of length n, default=None
            Ids for `forget`: hashable values that no example held has. None means positions in the stream.

        Returns
        -------
        self : object
            The estimator.
        """
        return driver.partial_fit(self, X, None, None, sample_weight, ids)

    @property
    @reads
    def ids_(self) -> list[Hashable]:
        """Ids of the examples that the model holds, in the order of the stream."""
        return exact.exact_state(self).held_ids()

    @writes
    def forget(self, ids: IdList) -> Self:
        """Forget examples: the model is then the one that never saw them.

        Parameters
        ----------
        ids : list, array, set or a single id
            The ids passed with the examples; by default, their positions in the stream. A string, a number and
            a tuple each count as one id. Ids of rows of weight 0 are accepted, though there is nothing to forget.

        Returns
        -------
        self : object
            The estimator.
        """
        exact.forget(self, ids)
        return self

    @writes
    def leave_one_out(self) -> NDArray[np.float64]:
        """Compute the decision value of each example held by the model that never saw it.

        Returns
        -------
        ndarray of shape (n_held,)
            One value per element of `ids_`, as returned by `decision_function`. The share of negative values estimates
            how many new examples will be flagged as outliers.

        Examples
        --------
        >>> from hinge import IncrementalOneClassSVM
        >>> model = IncrementalOneClassSVM(nu=0.1, gamma=1.0).fit([[0.0], [0.1], [0.2], [0.3], [5.0]])
        >>> (model.leave_one_out() < 0).tolist()
        [True, False, False, True, True]
        """
        state = exact.exact_state(self)
        if state.native.n_retained < 2:
            held = state.native.n_retained
            raise DataError(f"The model must hold at least two examples to leave one out, got {held}.")
        _, sums = exact.leave_one_out(self)
        return self._leave_one_out_distances(state, sums[:, 0])

    def _leave_one_out_distances(self, state: ExactState, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert leave-one-out sums to signed distances, in the order of the stream."""
        if state.options.problem == "plane":
            return sums
        _, arrays = state.class_arrays()
        order = np.argsort(arrays["ids"])
        costs = arrays["costs"][order]
        max_total = np.inf if state.options.most_total is None else state.options.most_total
        totals = np.minimum(max_total, state.options.nu * (costs.sum() - costs))
        return require_finite(2.0 / totals * sums - state.diagonal().of(state.vectors(arrays)[order]))

    @reads
    def kkt_violation(self) -> float:
        """Compute the largest violation of the optimality (KKT) conditions among the examples held.

        All gradients are computed from scratch, so that the result certifies the solution.

        Returns
        -------
        float
            The violation: 0 at the optimum, up to rounding.
        """
        return float(exact.certified(self).violation.max(initial=0.0))

    @reads
    def duality_gap(self) -> float:
        """Compute the duality gap: primal minus dual objective.

        Returns
        -------
        float
            The gap: 0 at the optimum, up to rounding.
        """
        return float(exact.certified(self).duality_gap.sum())

    @reads
    def dual_objective(self) -> float:
        """Compute the dual objective.

        Returns
        -------
        float
            With a the coefficients and K their kernel values, -a'Ka / 2; for a sphere sum(a) a'diag(K) / 2 is added.
        """
        return float(exact.exact_state(self).native.dual_objective.sum())

    def _check_params(self, *, streaming: bool) -> _core.ExactOptions:  # noqa: ARG002
        options = exact.exact_options(self, self._common_options(), exact.ONE_CLASS_EVICTIONS)
        nu = number("nu", self.nu, above=0, hint="it is a fraction, a usual value is 0.5")
        if nu > 1:
            raise ParameterError(f"nu must be at most 1, got {self.nu!r}; it is a fraction, a usual value is 0.5.")
        if self.C is not None:
            number("C", self.C, above=0, hint="None means that nu applies")
        return options.replace(
            problem=choice("shape", self.shape, ("plane", "sphere")),
            nu=nu if self.C is None else 1.0,
            most_total=None if self.C is None else 1.0,
        )

    @property
    def _cost(self) -> float:
        return float(self.C or 1.0)

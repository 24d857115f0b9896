"""The estimator `IncrementalOneClassSVM`: a thin front of the native exact machine that knows one class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from sklearn.base import OutlierMixin

from hinge._fit.base import TrainingData, require_weight, unchanged_on_error
from hinge._fit.progress import with_callbacks
from hinge._model.labels import ClassTable
from hinge._model.locking import reads, writes
from hinge._model.overflow import product
from hinge._model.params import choice, number
from hinge._model.threads import one_blas_thread
from hinge._model.validation import check_rows, check_weights
from hinge.exceptions import DataError, ParameterError
from hinge.incremental._forgetting import Forgetting
from hinge.incremental._kernel_diagonal import require_constant_diagonal
from hinge.incremental._one_class_geometry import leave_one_out_distances, offset, signed_distances

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from hinge._model.state import SolverOptions, State
    from hinge.incremental._state import ExactState

_ONE_CLASS = np.zeros(1, dtype=np.int64)


class IncrementalOneClassSVM(OutlierMixin, Forgetting):
    """Exact outlier detector that learns and forgets one example at a time.

    After every example that comes or goes it is the one-class machine of the examples that it holds, to rounding, as if
    it had never seen any other, with `kkt_violation()` as the certificate. A plane in the space of the kernel separates
    them from the origin, as in `sklearn.svm.OneClassSVM`, or a sphere encloses them. Where k(x, x) is the same for all
    x, as with the rbf kernel, both have the same coefficients and find the same outliers.

    One of two rules says how much may stay outside:

    - `nu`, as long as `C` is None: coefficients lie between 0 and the weight of their example and sum to nu times all
      weights. At most a share nu of the examples are outliers and at least that share are support vectors, however many
      come and go.
    - `C`, when it is given: coefficients lie between 0 and C times the weight, and sum to 1 (to C times all weights, if
      that is less). At most 1 / C examples are outliers, so that their share shrinks as the model grows.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound of the share of outliers among the examples held, above 0 and at most 1. Without use if `C` is
        given.
    C : float or None, default=None
        Largest coefficient of an example of weight 1, where coefficients sum to 1; None leaves the rule to `nu`.
    shape : {"plane", "sphere"}, default="plane"
        What encloses the examples.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        The kernel. A callable gets two sets of examples and returns the matrix of kernel values. A sphere needs k(x, x)
        of examples that it is asked about: with "precomputed" the diagonal must be the same everywhere.
    degree : int, default=3
        Exponent of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of rbf, poly, sigmoid and laplacian. "scale" is 1 / (n_features * variance of X), where weights count as
        repetitions; "auto" is 1 / n_features. The first call to `partial_fit` settles it.
    coef0 : float, default=0.0
        Constant of poly and sigmoid.
    tol : float, default=1e-3
        Accepted so that all estimators are called alike; the solution is exact but for rounding.
    cache_size : float, default=200
        Memory for kernel values, in megabytes; those of margin vectors are held whatever they take, 8 bytes times the
        examples held for each.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Accepted so that all estimators are called alike; nothing is left to chance.
    max_examples : int or None, default=None
        Size of the window: the most examples to hold. None sets no bound.
    eviction : {"age", "relevance"}, default="age"
        Which example leaves a full window: the oldest, or the one that matters least to the model.
    n_jobs : int, default=None
        Threads. None uses as many as the BLAS would, -1 all processors. The result does not depend on it.

    Attributes
    ----------
    offset_ : float
        `decision_function` is `score_samples` minus this; for a sphere, minus its squared radius.
    support_ : ndarray of shape (n_support,)
        The support vectors' places in the stream (after `fit`: rows of X).
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        The support vectors.
    n_support_ : ndarray of shape (1,)
        Their number.
    dual_coef_ : ndarray of shape (1, n_support)
        Their coefficients, all positive. Divided by their sum they are the weights of the centre of a sphere.
    intercept_ : ndarray of shape (1,)
        The constant beside the sum of coefficients times kernel values. For a plane, minus `offset_`.
    ids_ : list
        The ids of the examples held, in the order of the stream.
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
    IncrementalSVC : The same for classes.
    sklearn.svm.OneClassSVM : Learns a whole training set at once.

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

    A window over a stream, whose oldest examples leave:

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

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float | None = None,
        shape: str = "plane",
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        random_state: Any = None,
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
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, ids: Any = None) -> Self:  # noqa: ARG002
        """Learn a training set from nothing; what was known before is forgotten.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples, which become float64. With a precomputed kernel: the square matrix of kernel values.
        y : None
            Not used; it is there because scikit-learn gives it to all estimators.
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight 2 counts as two. Rows of weight 0 are left out.
        ids : list or array of length n, default=None
            Names for `forget`, of any hashable type and all different; None calls examples by their row numbers.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        options = self._options(streaming=False)
        with unchanged_on_error(self, anew=True):
            data = self._named(self._lesson(X, None, sample_weight), None, ids)
            state = self._begun(data, options)
            self._require_columns(state, data, whole=True)
            state.n_seen = len(data.y)
            self._state = state
            with one_blas_thread():
                self._train(data)
        self._warn_if_violated()
        return self

    @writes
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, ids: Any = None) -> Self:  # noqa: ARG002
        """Learn more examples, in the order given.

        The first call settles the kernel (`gamma="scale"` looks at its examples only) and whether examples are kept
        dense or sparse.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples. With a precomputed kernel the columns stand for all examples that will ever be learned: the
            t-th example of the stream is column t.
        y : None
            Not used; it is there because scikit-learn gives it to all estimators.
        sample_weight : array-like of shape (n,), default=None
            Weights; an example of weight 2 counts as two. Rows of weight 0 are passed over.
        ids : list or array of length n, default=None
            Names for `forget`, of any hashable type; none of them may be held already. None calls examples by their
            places in the stream.

        Returns
        -------
        self : object
            The estimator.
        """
        options = self._options(streaming=True)
        with unchanged_on_error(self):
            before = getattr(self, "_state", None)
            data = self._named(self._lesson(X, before, sample_weight), before, ids)
            if before is not None:
                self._require_same(before)
            state = self._begun(data, options) if before is None else before
            self._require_columns(state, data, whole=False)
            self._state = state.expendable()
            self._learn(data, options)
        self._warn_if_violated()
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Tell examples that belong to those held from outliers.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,)
            +1 inside or on the surface, -1 outside.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    @reads
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how far inside examples are; outliers have negative values.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,)
            For a plane the signed distance from it, times the length of its normal; for a sphere its squared radius
            minus the squared distance from its centre. 0 for examples on the surface, but for rounding.
        """
        X = self._queries(X)
        _, sums = self._native_decisions(X)
        return signed_distances(self._known(), sums[:, 0], X)

    @reads
    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return how well examples belong to those held, without a threshold.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,)
            `decision_function` plus `offset_`: for a plane the sum of coefficients times kernel values, for a sphere
            minus the squared distance from its centre.
        """
        return self.decision_function(X) + self.offset_

    @writes
    def leave_one_out(self) -> NDArray[np.float64]:
        """Return the decision value of each example that is held by the model that never saw it.

        Returns
        -------
        ndarray of shape (n_held,)
            One value for each of `ids_`, as `decision_function` gives it. The share of negative ones estimates how many
            new examples will be taken for outliers.

        Examples
        --------
        >>> from hinge import IncrementalOneClassSVM
        >>> model = IncrementalOneClassSVM(nu=0.1, gamma=1.0).fit([[0.0], [0.1], [0.2], [0.3], [5.0]])
        >>> (model.leave_one_out() < 0).tolist()
        [True, False, False, True, True]
        """
        state = self._known()
        if state.native.n_retained < 2:
            held = state.native.n_retained
            raise DataError(f"The model must hold at least two examples to leave one out, got {held}.")
        _, sums = self._left_out()
        return leave_one_out_distances(state, sums[:, 0])

    @reads
    def kkt_violation(self) -> float:
        """Return how far the optimality conditions are violated among the examples held: the certificate.

        All gradients are found from nothing first, so that the answer does not rest on what earlier calls have left.

        Returns
        -------
        float
            The violation: 0 at the optimum, but for rounding.
        """
        return float(self._certified().gap.max(initial=0.0))

    @reads
    def duality_gap(self) -> float:
        """Return how far the solution is from the optimum: primal minus dual objective.

        Returns
        -------
        float
            The gap: 0 at the optimum, but for rounding.
        """
        return float(self._certified().duality_gap.sum())

    @reads
    def dual_objective(self) -> float:
        """Return the dual objective.

        Returns
        -------
        float
            With a the coefficients and K their kernel values, -a'Ka / 2; for a sphere sum(a) a'diag(K) / 2 is added.
        """
        return float(self._known().native.dual_objective.sum())

    @property
    @reads
    def offset_(self) -> float:
        """What `score_samples` is compared with."""
        return offset(self._holding())

    def _check_params(self, *, streaming: bool) -> SolverOptions:
        options = self._exact_options(self._common_options(streaming=streaming))
        nu = number("nu", self.nu, above=0, hint="it is a share, a usual value is 0.5")
        if nu > 1:
            raise ParameterError(f"nu must be at most 1, got {self.nu!r}; it is a share, a usual value is 0.5.")
        if self.C is not None:
            number("C", self.C, above=0, hint="None leaves the rule to nu")
        return replace(
            options,
            problem=choice("shape", self.shape, ("plane", "sphere")),
            nu=nu if self.C is None else 1.0,
            most_total=None if self.C is None else 1.0,
        )

    def _require_same(self, state: State) -> None:
        super()._require_same(state)
        now, then = self._check_params(streaming=True), state.options
        if (now.problem, now.nu, now.most_total) != (then.problem, then.nu, then.most_total):
            rule = f"nu={then.nu:g}" if then.most_total is None else "C in use instead of nu"
            raise ParameterError(
                f"shape, nu and the use of C must stay what they were when learning began (shape={then.problem!r}, "
                f"{rule}); set them back, or call fit to start from nothing."
            )

    def _lesson(self, X: Any, state: State | None, sample_weight: ArrayLike | None) -> TrainingData:
        storage = None if state is None else state.storage
        X = check_rows(self, X, storage, sparse=self.kernel != "precomputed")
        weights = check_weights(sample_weight, X.shape[0])
        metadata = {} if sample_weight is None else {"sample_weight": weights}
        return TrainingData(
            X, np.repeat(_ONE_CLASS, len(weights)), weights, product(weights, float(self.C or 1.0)), metadata
        )

    def _begun(self, data: TrainingData, options: SolverOptions) -> ExactState:
        """Return the state that the first examples settle."""
        require_weight(data)
        state = cast("ExactState", self._first_state(data, options, ClassTable.of(_ONE_CLASS)))
        state.named.update(_ONE_CLASS.tolist())  # it stays when its last example goes
        return state

    def _require_columns(self, state: State, data: TrainingData, *, whole: bool) -> None:
        super()._require_columns(state, data, whole=whole)
        if state.kernel.name == "precomputed" and state.options.problem == "sphere":
            require_constant_diagonal(state, data.X[:, state.n_seen : state.n_seen + len(data.y)])

"""The estimator `IncrementalSVC`: a thin front of the native exact machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from hinge._fit.measures import MeasuredClassifier
from hinge._fit.progress import with_callbacks
from hinge._model.labels import as_classes, class_factors, one_each
from hinge._model.locking import reads, writes
from hinge._model.overflow import check_coefficients, product
from hinge._model.params import choice
from hinge.exceptions import DataError, ParameterError
from hinge.incremental._forgetting import Forgetting
from hinge.incremental._warm_start import is_worthwhile, learn_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from hinge import _core
    from hinge._fit.base import TrainingData
    from hinge._model.state import SolverOptions, State
    from hinge.incremental._state import ExactState


class IncrementalSVC(Forgetting, MeasuredClassifier):
    """Exact support vector machine that learns and forgets one example at a time.

    After every call it is the solution that `sklearn.svm.SVC` would find for the examples that it holds, to rounding,
    with `kkt_violation()` as the certificate. `forget` gives the model that never saw some examples, `relabel` the one
    that saw them with other labels, `leave_one_out` the answer about each example of the model without it; none of
    these starts from nothing. The price is that all examples are kept, and that each takes longer than in `OnlineSVC`.

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
        repetitions; "auto" is 1 / n_features. The first call to `partial_fit` settles it, and forgetting examples of
        that call does not change it: give a number where the width must not depend on what is forgotten.
    coef0 : float, default=0.0
        Constant of poly and sigmoid.
    tol : float, default=1e-3
        A ConvergenceWarning is given when rounding, or a kernel that is not positive semi-definite, leaves the
        optimality conditions violated by more than this.
    cache_size : float, default=200
        Memory for kernel values, in megabytes; those of margin vectors are held whatever they take, 8 bytes times the
        examples held for each.
    class_weight : dict or "balanced", default=None
        Factors of `C` by class. "balanced" makes all classes weigh the same, in `fit` only; the factors stay those of
        the training set when examples of it are forgotten.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Not used, present so that all estimators are called alike: the exact solution leaves nothing to chance.
    max_examples : int, default=None
        Examples that each machine may hold. When it is full, one leaves before the next is learned.
    eviction : {"relevance", "age"}, default="relevance"
        Which one leaves: the one that matters least to the solution, or the oldest.
    n_jobs : int, default=None
        Threads. None uses as many as the BLAS would, -1 all processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels known so far, sorted. A class vanishes when its last example is forgotten or gets another label,
        unless `partial_fit` was told to expect it.
    ids_ : list
        The ids of the examples that the model holds, in the order of the stream.
    support_ : ndarray of shape (n_support,)
        The support vectors' places in the stream (after `fit`: rows of X), grouped by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        The support vectors.
    n_support_ : ndarray of shape (n_classes,)
        The number of support vectors of each class.
    n_margin_ : ndarray of shape (1,) or (n_classes,)
        Examples exactly on the margin, for each decision function.
    n_bounded_ : ndarray of shape (1,) or (n_classes,)
        Examples inside or on the wrong side of it.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Signed coefficients of the support vectors.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants of the decision functions.
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
    OnlineSVC : Nearly as accurate, far faster, and keeps its support vectors only.

    Notes
    -----
    `kkt_violation`, `dual_objective` and `duality_gap` find all gradients from nothing first: what they say is a
    certificate, and does not rest on what earlier calls have left.

    Examples are kept in double precision, whatever the precision of the input.

    Rows of weight 0 have no effect and are not in `ids_`. Their ids are known nevertheless, so that a list of ids to
    forget may hold them.

    References
    ----------
    Cauwenberghs and Poggio, "Incremental and decremental support vector machine learning", NIPS 2000.

    Laskov, Gehl, Krueger and Mueller, "Incremental support vector learning: analysis, implementation and applications",
    JMLR 7, 2006.

    Examples
    --------
    >>> from hinge import IncrementalSVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]
    >>> model = IncrementalSVC(gamma=1.0).partial_fit(X, y, ids=["ann", "bob", "cleo", "dan"])
    >>> model.partial_fit([[1.1]], ["high"], ids=["eve"]).predict([[1.0]]).tolist()
    ['high']
    >>> model.forget("eve").predict([[1.0]]).tolist()
    ['low']
    >>> model.relabel(["bob"], ["high"]).ids_
    ['ann', 'bob', 'cleo', 'dan']
    >>> model.kkt_violation() < 1e-9
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
        max_examples: int | None = None,
        eviction: str = "relevance",
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
        self.max_examples = max_examples
        self.eviction = eviction
        self.n_jobs = n_jobs

    @property
    @reads
    def n_margin_(self) -> NDArray[np.int64]:
        """Examples exactly on the margin, for each decision function."""
        return self._counts(self._known().native.n_margin)

    @property
    @reads
    def n_bounded_(self) -> NDArray[np.int64]:
        """Examples inside or on the wrong side of the margin, for each decision function."""
        return self._counts(self._known().native.n_bounded)

    @writes
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, ids: Any = None) -> Self:
        """Learn a training set from nothing; what was known before is forgotten.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples. With a precomputed kernel: the square matrix of kernel values.
        y : array-like of shape (n,)
            Labels of any type, of two classes at least.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row. Rows of weight 0 are left out.
        ids : array-like of shape (n,), default=None
            What the examples are called, to forget or relabel them later: any hashable values, all different. None
            calls them 0, 1, 2, ...

        Returns
        -------
        self : object
            The fitted estimator.
        """
        self._fit(X, y, sample_weight, ids)
        self._warn_if_violated()
        return self

    @writes
    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ids: Any = None,
    ) -> Self:
        """Learn more examples; the order of examples does not matter to the result.

        The first call settles the kernel (`gamma="scale"` looks at its examples only) and whether examples are kept
        dense or sparse. Later input is converted to that.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples. With a precomputed kernel the columns stand for all examples that will ever be learned: the
            t-th example of the stream is column t.
        y : array-like of shape (n,)
            Labels; new classes may appear at any call.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect, if they are known beforehand. They stay when their last example is forgotten.
        sample_weight : array-like of shape (n,), default=None
            Weights; each multiplies `C` for its row. Rows of weight 0 are passed over.
        ids : array-like of shape (n,), default=None
            What the examples are called, to forget or relabel them later: any hashable values that no example held has.
            None calls them by their places in the stream, 0, 1, 2, ...

        Returns
        -------
        self : object
            The estimator.
        """
        self._partial_fit(X, y, classes, sample_weight, ids)
        self._warn_if_violated()
        return self

    @writes
    def relabel(self, ids: Any, y: Any) -> Self:
        """Give other labels to examples: the model is then the one that saw them with these labels.

        Parameters
        ----------
        ids : list, array or one id by itself
            The ids that the examples were given with; without ids, their places in the stream.
        y : array-like of shape (n_ids,)
            Their labels, in the order of the ids; new classes may appear. `class_weight` applies to them, the weights
            of the examples stay.

        Returns
        -------
        self : object
            The estimator.

        Examples
        --------
        >>> from hinge import IncrementalSVC
        >>> model = IncrementalSVC().partial_fit([[0.0], [1.0], [2.0]], ["lwo", "low", "high"])
        >>> model.relabel(0, "low").classes_.tolist()
        ['high', 'low']
        """
        if self.class_weight == "balanced":
            raise ParameterError(
                "class_weight must be None or a dictionary in relabel, got 'balanced', which follows from the labels "
                "of a whole training set; give the weights as a dictionary, or call fit with the right labels."
            )
        known = self._known().ids
        numbers = known.find(ids, ordered=True)
        labels = one_each(y, len(numbers), "y")
        for name in known.at(numbers[known.are_weightless(numbers)]):
            raise DataError(
                f"Examples of weight 0 must be forgotten and learned again to get another label, got {name!r}; "
                "they are not held."
            )
        with self._revising() as monitor:
            if len(labels):
                self._relabel(numbers, labels, monitor)
        self._warn_if_violated()
        return self

    def _relabel(self, numbers: NDArray[np.int64], labels: NDArray[Any], monitor: Any) -> None:
        state = self._state
        native = state.native
        places = np.searchsorted(native.held(), numbers)
        before = native.labels()[places]
        ratios = self._ratios(np.array([state.table.label(each) for each in before]), labels)
        costs = product(native.costs()[places], ratios)
        check_coefficients(native.n_retained * float(costs.max()), 1.0)
        weightless = costs == 0  # the class weight of the new label is 0: as if such a row were given
        state.extend(state.table.extended(labels[~weightless]))
        numbers_after = np.full(len(labels), -1, dtype=np.int32)
        numbers_after[~weightless] = state.table.encode(labels[~weightless])
        changed = (numbers_after != before) & ~weightless
        native.relabel(numbers[changed], numbers_after[changed], costs[changed], monitor)
        native.forget(numbers[weightless], monitor)
        state.ids.mark_weightless(numbers[weightless])

    @writes
    def leave_one_out(self, method: str = "predict") -> NDArray[Any]:
        """Return what is said about each example that is held by the model that never saw it.

        Parameters
        ----------
        method : {"predict", "decision_function"}, default="predict"
            Labels, or decision values.

        Returns
        -------
        ndarray of shape (n_held,) or (n_held, n_classes)
            One answer for each of `ids_`, as the method of that name gives it.

        Examples
        --------
        >>> from hinge import IncrementalSVC
        >>> X, y = [[0.0], [0.2], [0.4], [2.0], [2.2], [2.4]], ["low", "low", "high", "high", "high", "high"]
        >>> model = IncrementalSVC(gamma=1.0, C=10.0).fit(X, y)
        >>> model.predict(X).tolist()
        ['low', 'low', 'high', 'high', 'high', 'high']
        >>> model.leave_one_out().tolist()
        ['low', 'low', 'low', 'high', 'high', 'high']
        """
        choice("method", method, ("predict", "decision_function"))
        table, values = self._left_out()
        values = table.arrange(values)
        if method == "predict":
            return table.choose(values)
        return values if len(table) > 2 else values.ravel()

    def _solution(self) -> _core.ExactModel:
        return self._certified()

    def _ratios(self, before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.float64]:
        """Return by how much the class weight of each example changes with its label."""
        ones = np.ones(len(after))
        divisors = class_factors(self.class_weight, before, ones)
        if not divisors.all():
            label = before[divisors == 0].tolist()[0]
            raise ParameterError(
                f"class_weight must be above 0 for {label!r} while such examples are held, got 0; "
                "set it back to what they were learned with."
            )
        return class_factors(self.class_weight, after, ones) / divisors

    def _counts(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return counts of the machines in the order of the classes."""
        table = self._state.table
        return counts[table.numbers] if len(table) > 2 else counts

    def _begin(self, data: TrainingData, monitor: _core.Monitor | None) -> None:
        if not is_worthwhile(data, self._state):
            super()._begin(data, monitor)
            return
        with self._state.taking_in(data, 0):
            learn_all(data, self._state, monitor)

    def _checked(self, X: Any, y: Any, state: State | None) -> tuple[Any, NDArray[Any]]:
        X, y = super()._checked(X, y, state)
        return X.astype(np.float64, copy=False), y

    def _next_state(
        self, state: State | None, data: TrainingData, options: SolverOptions, classes: ArrayLike | None
    ) -> ExactState:
        following = cast("ExactState", super()._next_state(state, data, options, classes))
        if classes is not None:
            following.named.update(as_classes(classes).tolist())
        return following

    def _check_params(self, *, streaming: bool) -> SolverOptions:
        return self._exact_options(self._common_options(streaming=streaming))

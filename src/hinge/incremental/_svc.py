"""The estimator `IncrementalSVC`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from hinge._fit import driver
from hinge._fit.classifier import SupportVectorClassifier
from hinge._fit.progress import with_callbacks
from hinge._fit.tasks import Classification
from hinge._model.locking import reads, writes
from hinge._model.params import choice
from hinge._model.stream_watch import NO_RISKS, StreamRisks
from hinge.incremental import _influence as influences
from hinge.incremental import _learner as exact
from hinge.incremental import _relabelling as relabelling
from hinge.incremental._state import ExactState
from hinge.streaming import StreamTraits

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hinge import _core
    from hinge._model.predictor import Predictor
    from hinge._model.types import Array, ClassWeight, Gamma, IdList, Kernel, MatrixLike, RandomStateLike
    from hinge.incremental._influence import Suspect


class IncrementalSVC(SupportVectorClassifier):
    """Exact support vector machine that learns and forgets one example at a time.

    After every call it is the solution that `sklearn.svm.SVC` finds for the examples held, up to rounding;
    `kkt_violation()` certifies it. `forget` returns the model that never saw some examples, `relabel` the one that saw
    them with other labels, `leave_one_out` the prediction for each example by the model without it; none of these
    starts from scratch. The price: all examples are kept, and each takes longer than in `OnlineSVC`.

    With more than two classes, there is one binary model per class, or per pair of classes; they share kernel values.

    Parameters
    ----------
    C : float, default=1.0
        Penalty for examples inside or on the wrong side of the margin, as in `sklearn.svm.SVC`.
    kernel : {"linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed"} or callable, default="rbf"
        Kernel function. A callable takes two sets of examples and returns the matrix of kernel values.
    degree : int, default=3
        Degree of the poly kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient of rbf, poly, sigmoid and laplacian. "scale" is 1 / (n_features * X.var()), where a sample
        weight counts as repetitions; "auto" is 1 / n_features. In a stream, the first 1024 rows
        decide it (see `partial_fit`), and forgetting some of them later does not change it: pass a number if gamma must
        not depend on forgotten rows.
    coef0 : float, default=0.0
        Independent term of the poly and sigmoid kernels.
    tol : float, default=1e-3
        A ConvergenceWarning is issued if rounding, or a kernel that is not positive semi-definite, leaves the
        optimality conditions violated by more than this.
    cache_size : float, default=200
        Size of the kernel cache in MB. Kernel values of margin vectors are kept in any case: 8 bytes per margin vector
        and example held.
    class_weight : dict or "balanced", default=None
        Factors of `C` per class. "balanced" gives all classes the same total weight, in `fit` only; the factors stay
        the same when examples are forgotten.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Ignored, since the exact solution involves no random choice; accepted as by other estimators.
    max_examples : int, default=None
        Size of the window: the largest number of examples per binary model. A full model evicts one before it learns
        the next.
    eviction : {"balanced", "relevance", "weight", "age"}, default="balanced"
        Which example a full window evicts. "balanced" keeps the share of examples that the model misclassified when
        they came at that of the stream: while it is larger, the oldest of these leaves; otherwise an example without
        influence, or else the oldest. In noisy streams recent examples are spared.
        "relevance" evicts the example that matters least to the solution, "weight" the one with the smallest
        coefficient; both fill the window with noise if labels are noisy. "age" evicts the oldest: choose it if the
        data drift, since the other rules may keep old examples forever.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one binary model per class, trained against the rest, or one per pair of classes,
        as in `sklearn.svm.SVC`. With "ovo" every binary model holds the examples of two classes only, and an example
        belongs to fewer of them: learning and forgetting take less time.
    calibration : {"sigmoid", "isotonic", "temperature"}, default=None
        How decision values become probabilities; see `predict_proba`. None: there are none. They are calibrated on
        exact leave-one-out decisions, which are computed when they are first asked for.
    n_jobs : int, default=None
        Number of threads. None means as many as the BLAS uses, -1 all processors. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels known so far, sorted. A class disappears when its last example is forgotten or relabelled, unless it was
        listed in `classes` of `partial_fit`.
    ids_ : list
        Ids of the examples that the model holds, in the order of the stream.
    support_ : ndarray of shape (n_support,)
        Positions of the support vectors in the stream (after `fit`: rows of X), grouped by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        Support vectors.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors per class.
    n_margin_ : ndarray of shape (1,) or (n_binaries,)
        Number of examples exactly on the margin, per decision function.
    n_bounded_ : ndarray of shape (1,) or (n_binaries,)
        Number of examples inside or on the wrong side of the margin, per decision function.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Signed coefficients of the support vectors; with "ovo", n_classes - 1 rows in the layout of `sklearn.svm.SVC`.
    intercept_ : ndarray of shape (1,) or (n_binaries,)
        Intercepts of the decision functions.
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
    OnlineSVC : Nearly as accurate, far faster, and keeps only its support vectors.

    Notes
    -----
    `kkt_violation`, `dual_objective` and `duality_gap` compute all gradients from scratch: they certify the solution
    without relying on values that earlier calls have updated.

    Examples are kept in double precision, whatever the precision of the input.

    Rows of weight 0 have no effect and are not in `ids_`. `forget` accepts their ids nevertheless.

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

    _task = Classification(double=True)
    _learner = exact.ExactLearner(ExactState)
    stream_traits = StreamTraits(is_exact=True, dtype="float64")

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: ClassWeight = None,
        verbose: bool = False,
        random_state: RandomStateLike = None,
        max_examples: int | None = None,
        eviction: str = "balanced",
        multi_class: str = "ovr",
        calibration: str | None = None,
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
        self.multi_class = multi_class
        self.calibration = calibration
        self.n_jobs = n_jobs

    @property
    @reads
    def n_margin_(self) -> NDArray[np.int64]:
        """Number of examples exactly on the margin, per decision function."""
        return self._per_class(exact.exact_state(self).native.n_margin)

    @property
    @reads
    def n_bounded_(self) -> NDArray[np.int64]:
        """Number of examples inside or on the wrong side of the margin, per decision function."""
        return self._per_class(exact.exact_state(self).native.n_bounded)

    @writes
    @with_callbacks
    def fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        ids: IdList | None = None,
        *,
        max_time: float | None = None,
    ) -> Self:
        """Learn a training set from scratch, discarding what was learned before.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Training examples. With a precomputed kernel: the square matrix of kernel values.
        y : array-like of shape (n,)
            Labels of any type, of at least two classes.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row. Rows of weight 0 are left out.
        ids : array-like of shape (n,), default=None
            Ids by which to forget or relabel the examples later: distinct hashable values. None means 0, 1, 2, ...
        max_time : float, default=None
            Seconds to learn for. After that, the model keeps what it has learned, and a ConvergenceWarning tells how
            far it got. None: no limit.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return driver.fit(self, X, y, sample_weight, ids, max_time=max_time)

    @writes
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        ids: IdList | None = None,
    ) -> Self:
        """Learn more examples; the order of examples does not matter to the result.

        `gamma="scale"` is computed again after 4, 16, 64, 256 and 1024 rows, from the examples held, and these are
        learned again if it changes by more than 5 %; then it is final. The first call decides whether examples are
        stored dense or sparse.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples. With a precomputed kernel there must be one column for every example that will ever be
            learned: column t belongs to the t-th example of the stream.
        y : array-like of shape (n,)
            Labels; new classes may appear in any call.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect, if they are known beforehand. They are kept when their last example is forgotten.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row. Rows of weight 0 are skipped.
        ids : array-like of shape (n,), default=None
            Ids by which to forget or relabel the examples later: hashable values that no example held has. None means
            their positions in the stream, 0, 1, 2, ...

        Returns
        -------
        self : object
            The estimator.
        """
        return driver.partial_fit(self, X, y, classes, sample_weight, ids)

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
    def relabel(self, ids: IdList, y: ArrayLike) -> Self:
        """Change the labels of examples: the model is then the one that saw them with the new labels.

        Parameters
        ----------
        ids : list, array or a single id
            The ids passed with the examples; by default, their positions in the stream.
        y : array-like of shape (n_ids,)
            New labels, in the order of the ids; new classes may appear. `class_weight` applies to them; sample weights
            do not change.

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
        relabelling.relabel(self, ids, y)
        return self

    @writes
    def leave_one_out(self, method: str = "predict") -> Array:
        """Predict each example held by the model that never saw it.

        Parameters
        ----------
        method : {"predict", "decision_function"}, default="predict"
            Whether to return labels or decision values.

        Returns
        -------
        ndarray of shape (n_held,) or (n_held, n_classes)
            One prediction per element of `ids_`, as returned by the method of that name.

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
        table, values = exact.leave_one_out(self)
        values = table.arrange(values)
        if method == "predict":
            return table.choose(values)
        return table.scores(values) if len(table) > 2 else values.ravel()

    def _calibrated_predictor(self) -> Predictor:
        """Return a snapshot with the decisions about all examples held, each without itself."""
        ready = self._predictor()
        return ready if ready.decisions is not None else self._leave_all_out()

    @writes
    def _leave_all_out(self) -> Predictor:
        return exact.leave_all_out(self).make_snapshot()

    def suspects(self, n: int = 20) -> list[Suspect]:
        """List the examples whose labels the other examples contradict most.

        Parameters
        ----------
        n : int, default=20
            Number of examples to list at most.

        Returns
        -------
        list of Suspect
            Ids, labels, leave-one-out predictions and margins of the examples that the model without them predicts
            wrongly, the smallest margin first. The margin is the decision value of the label minus that of the best
            other class; with `multi_class="ovo"`, the least decision value of the label against another class.

        Examples
        --------
        >>> from hinge import IncrementalSVC
        >>> X = [[0.0], [0.1], [0.2], [0.3], [0.4], [2.0], [2.2], [2.4]]
        >>> y = ["low", "low", "high", "low", "low", "high", "high", "high"]
        >>> [(each.id, each.prediction) for each in IncrementalSVC(gamma=1.0).fit(X, y).suspects()]
        [(2, 'low')]
        """
        return influences.find_suspects(self, n)

    @writes
    def influence(self, X: MatrixLike, ids: IdList | None = None, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Compute how decisions would change if single examples were forgotten, or had other labels.

        The changes are exact, those of a model that never saw the example or saw it with the other label, and the model
        stays as it is.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows whose decisions are looked at.
        ids : list, array or a single id, default=None
            Examples to change, each alone; None means all, in the order of `ids_`.
        y : array-like of shape (n_ids,), default=None
            Labels that they would have, all of them known; None means that they would be forgotten.

        Returns
        -------
        ndarray of shape (n_ids, n) or (n_ids, n, n_classes)
            The decision function of each changed model minus the present one. With `multi_class="ovo"`, the last axis
            has the pairs of classes (0, 1), (0, 2), ..., (1, 2), ... instead; decisions are positive for the first.

        Examples
        --------
        >>> from hinge import IncrementalSVC
        >>> X, y = [[0.0], [0.2], [0.4], [2.0], [2.2], [2.4]], ["low", "low", "high", "high", "high", "high"]
        >>> model = IncrementalSVC(gamma=1.0, C=10.0).fit(X, y)
        >>> changes = model.influence([[0.3]])
        >>> changes.shape, int(abs(changes[:, 0]).argmax())
        ((6, 1), 2)
        """
        return influences.compute_influence(self, X, ids, y)

    def _names_of(self, positions: NDArray[np.int64]) -> Sequence[Hashable]:
        return exact.exact_state(self).ids.at(positions)

    def _solution(self) -> _core.ExactModel:
        return exact.certified(self)

    def _per_class(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return counts per binary model in the order of `intercept_`."""
        arranged = self._state.table.arrange(counts[None, :].astype(np.float64)).ravel()
        return np.abs(arranged).astype(np.int64)  # one-vs-one changes signs

    @property
    def _stream_risks(self) -> StreamRisks:
        if self.max_examples is None:
            return NO_RISKS
        by_age = self.eviction == "age"
        return StreamRisks(pause=max(int(self.max_examples), 100), repetition=by_age, sorted_rows=by_age)

    def _check_params(self, *, streaming: bool) -> _core.ExactOptions:
        return exact.exact_options(self, self._online_options(streaming=streaming), exact.CLASSIFIER_EVICTIONS)

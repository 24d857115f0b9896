"""The estimator `OnlineSVC`: LASVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from hinge import _core
from hinge._fit import driver
from hinge._fit.classifier import SupportVectorClassifier
from hinge._fit.passes import PassPlan, automatic_plan
from hinge._model.locking import writes
from hinge._model.params import bound, choice, flag, number, random_seed, whole, whole_or_word
from hinge._model.stream_watch import ONLINE_RISKS, StreamRisks
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from hinge._fit.data import TrainingData
    from hinge._model.types import ClassWeight, Gamma, Kernel, RandomStateLike


_RISKS_WITH_RESERVE = StreamRisks(pause=300)  # the reserve outlasts shorter pauses
_SELECTIONS = ("random", "gradient", "active", "autoactive")
_WHEN_CONFIDENT = ("visit", "draw", "stop")
_WORKING_SETS = ("second-order", "first-order")


class OnlineSVC(SupportVectorClassifier):
    """Kernel support vector classifier that learns online, by LASVM.

    `fit` reaches about the accuracy of `sklearn.svm.SVC`, mostly in one pass over large sets; `epochs="converge"`
    reaches its exact solution. Streams may have any length: the model keeps support vectors and, in
    a stream, some examples near the margin (see `max_gap`). With more than two classes, one binary model per class is
    trained against the rest; they share kernel values.

    Shuffle streams that are sorted by class before you pass them to `partial_fit`: an online learner sees each example
    once, and while only one class has been seen, only some of its examples are kept. `fit` shuffles by itself.

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
        decide it (see `partial_fit`).
    coef0 : float, default=0.0
        Independent term of the poly and sigmoid kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is accepted.
    cache_size : float or "auto", default="auto"
        Size of the kernel cache in MB. "auto" is a quarter of the memory of the machine or container, at most 1000;
        it is taken as it is needed.
    class_weight : dict or "balanced", default=None
        Factors of `C` per class. "balanced" gives all classes the same total weight, in `fit` only.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which `fit` visits the examples, and of the random part of `selection`.
    epochs : int, "auto" or "converge", default="auto"
        Number of passes over the training set in `fit`. "auto" solves training sets of up to 2000 rows (10 000 with two
        classes) exactly. In larger ones it makes one pass, or two if the weights of examples differ more than fourfold;
        if these dismissed more than 0.5 % of the rows that the model then gets wrong (noise at a large `C`), it goes on
        to the exact solution. "converge" repeats until no example violates the optimality conditions; only its first
        pass follows `selection`.
    max_support : int, default=None
        Largest number of examples that each binary model holds. A full model evicts one for each new example, by the
        rule "balanced" of `IncrementalSVC`: clean data leave support vectors, noisy data recent examples. With
        `max_gap` other than "auto", the least useful support vector leaves, and noise may collect at large `C`. A model
        that is too small for its stream is less accurate: with 300 examples, from row 1000 on of twelve streams, 2.5
        points below `sklearn.svm.SVC` of all rows on average, and up to 25 where nearly all rows are support vectors.
    half_life : float, default=None
        Number of rows after which an example of a stream counts half, for streams whose rule changes: its bound is
        C * 2^(-age / half_life), times its weights. None: examples count forever. An example leaves after six
        half-lives. `fit` ignores it, since all rows of a training set are equally old; they age with the rows that
        `partial_fit` learns afterwards.
    selection : {"random", "gradient", "active", "autoactive"}, default="random"
        Which example to visit next. "random": in the order given, which `fit` shuffles. "gradient": the most
        misclassified of `pool_size` candidates. "active": the one of them closest to the decision boundary.
        "autoactive": as "active", but the draw ends once five candidates lie inside the margin, or after 100. Visited
        examples are learned if they lie inside the margin or on the wrong side, whichever selection found them.
    pool_size : int, default=50
        Number of candidates for "gradient" and "active".
    when_confident : {"visit", "draw", "stop"}, default="visit"
        What `selection` does after twenty choices in a row that lie outside the margin. "visit": the remaining examples
        are visited in order. "draw": they are still selected one by one, as in the LASVM paper, which takes up to
        `pool_size` times as long. Outliers then come last, and one pass does not see again what they make violate:
        where there are few support vectors, a single outlier can ruin the model. A second pass, or
        `epochs="converge"`, mends it. "stop": the pass ends. Then the labels of the remaining examples are not used,
        and outliers on the wrong side are not learned.
    max_visits : int, default=None
        Largest number of examples that a pass of `fit` visits by `selection`, including the first few; None: all of
        them. Only for selections other than "random".
    working_set : {"second-order", "first-order"}, default="second-order"
        How the finishing step chooses pairs of coefficients: by the expected gain, or by their gradients as in the
        LASVM paper. During passes of `fit`, pairs are always chosen by their gradients.
    max_gap : "auto", float or None, default="auto"
        How closely `partial_fit`, and `fit` without `finishing`, follow the optimum after each example. "auto": they
        repeat REPROCESS until the largest violation is a twentieth of the spread of the decisions (at most 0.4), within
        a budget of steps, and keep 100 to 1000 examples beyond the margin in reserve per binary model (with
        `max_support`, as many as fit). A number repeats REPROCESS until the largest violation is at most this, without
        a reserve. None is the plain rule of the paper, one step per example: at large `C` its predictions are poor
        until `finish` is called.
    finishing : bool, default=True
        End `fit` with the finishing step, which optimises the support vectors until no violation exceeds `tol`.
    multi_class : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one binary model per class against the rest, or one per pair of classes, which vote
        as in `sklearn.svm.SVC`. They share the examples and their kernel values.
    calibration : {"sigmoid", "isotonic", "temperature"}, default=None
        How decision values become probabilities; see `predict_proba`. None: there are none. They are calibrated on
        decision values from before each example was learned; after `fit`, on those that training examples would have
        had if left out.
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
        Signed coefficients of the support vectors.
    intercept_ : ndarray of shape (1,), (n_classes,) or, with "ovo", (n_classes * (n_classes - 1) / 2,)
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
    sklearn.svm.SVC : The exact solution, which needs all examples at once.

    References
    ----------
    Bordes, Ertekin, Weston and Bottou, "Fast kernel classifiers with online and active learning", JMLR 6, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OnlineSVC(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    >>> model.partial_fit(X[:1], y[:1]).n_seen_
    151
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Kernel = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        class_weight: ClassWeight = None,
        verbose: bool = False,
        random_state: RandomStateLike = None,
        epochs: int | str = "auto",
        max_support: int | None = None,
        half_life: float | None = None,
        selection: str = "random",
        pool_size: int = 50,
        when_confident: str = "visit",
        max_visits: int | None = None,
        working_set: str = "second-order",
        max_gap: float | str | None = "auto",
        finishing: bool = True,
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
        self.epochs = epochs
        self.max_support = max_support
        self.half_life = half_life
        self.selection = selection
        self.pool_size = pool_size
        self.when_confident = when_confident
        self.max_visits = max_visits
        self.working_set = working_set
        self.max_gap = max_gap
        self.finishing = finishing
        self.multi_class = multi_class
        self.calibration = calibration
        self.n_jobs = n_jobs

    @writes
    def finish(self) -> Self:
        """Optimise the support vectors until no violation among them exceeds `tol`.

        `fit` calls it at the end unless `finishing=False`. `partial_fit` may continue afterwards.

        Returns
        -------
        self : object
            The estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from hinge import OnlineSVC
        >>> X, y = load_iris(return_X_y=True)
        >>> model = OnlineSVC().partial_fit(X, y).finish()
        >>> model.kkt_violation() <= model.tol
        True
        """
        return driver.finish(self)

    @property
    def _stream_risks(self) -> StreamRisks:
        has_reserve = isinstance(self.max_gap, str) and self.max_support is None
        return _RISKS_WITH_RESERVE if has_reserve else ONLINE_RISKS

    def _pass_plan(self, data: TrainingData) -> PassPlan:
        finishing = bool(self.finishing)
        if self.epochs == "auto":
            unbounded = self.max_support is None and self.selection == "random"
            return automatic_plan(data, finishing=finishing, solvable=finishing and unbounded)
        return PassPlan(until="converged") if self.epochs == "converge" else PassPlan(int(self.epochs), finishing)

    def _gap_rule(self, *, streaming: bool) -> tuple[float | None, bool]:
        """Return the bound of the gap, and whether to stay near the optimum after every example.

        Passes of `fit` that end with the finishing step need neither, as only its result is seen, unless the model is
        bounded: then it must know at every example who may leave.
        """
        if isinstance(self.max_gap, str):
            choice("max_gap", self.max_gap, ("auto",))
            finished = self.finishing or self.epochs == "converge"
            return None, streaming or not finished or self.max_support is not None
        if self.max_gap is None:
            return None, False
        return number("max_gap", self.max_gap, above=0, hint="None makes one step per example"), False

    def _check_half_life(self, *, streaming: bool) -> float | None:
        if self.half_life is None:
            return None
        half_life = number("half_life", self.half_life, at_least=1, hint="None forgets nothing")
        return half_life if streaming else None

    def _selection_seed(self) -> int:
        return 0 if self.selection == "random" else random_seed(self.random_state)

    def _check_params(self, *, streaming: bool) -> _core.LasvmOptions:
        common = self._online_options(streaming=streaming)
        flag("finishing", self.finishing)
        hint = "'auto' and 'converge' choose a number for you"
        epochs = whole_or_word("epochs", self.epochs, ("auto", "converge"), at_least=1, hint=hint)
        if epochs == "converge" and self.max_support is not None:
            raise ParameterError(
                "epochs must be 'auto' or a number of passes when max_support is set, got 'converge'; "
                "a bounded number of support vectors need not converge."
            )
        max_visits = bound("max_visits", self.max_visits, at_least=1)
        if max_visits is not None and self.selection == "random":
            raise ParameterError(
                f"max_visits must be None when selection is 'random', got {self.max_visits!r}; "
                "choose another selection, or pass fewer rows."
            )
        max_gap, upkeep = self._gap_rule(streaming=streaming)
        return _core.LasvmOptions(
            **common,
            tolerance=float(self.tol),
            second_order=choice("working_set", self.working_set, _WORKING_SETS) == "second-order",
            max_gap=max_gap,
            upkeep=upkeep,
            max_support=bound("max_support", self.max_support, at_least=2),
            streaming=streaming,
            half_life=self._check_half_life(streaming=streaming),
            selection=choice("selection", self.selection, _SELECTIONS),
            pool_size=whole("pool_size", self.pool_size, at_least=1, hint="a usual value is 50"),
            when_confident=choice("when_confident", self.when_confident, _WHEN_CONFIDENT),
            max_visits=None if streaming else max_visits,
        )

"""The estimator `OnlineSVC`: a thin front of the native LASVM machines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

from hinge import _core
from hinge._fit.base import random_seed
from hinge._fit.measures import MeasuredClassifier
from hinge._fit.passes import Training, finish_now
from hinge._fit.progress import FitTasks, progress_bar
from hinge._model.params import bound, choice, flag, number, whole, whole_or_word
from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hinge._fit.base import TrainingData


_SELECTIONS = ("random", "gradient", "active", "autoactive")
_WORKING_SETS = ("second-order", "first-order")


class OnlineSVC(MeasuredClassifier):
    """Kernel support vector classifier that learns online, by LASVM.

    One pass over the examples gives about the accuracy of the exact solution; more passes, or `epochs="converge"`, give
    the exact solution of `sklearn.svm.SVC`. `partial_fit` goes on learning for ever: only support vectors are kept.
    With more than two classes one machine a class is trained against the rest, over shared kernel values.

    Shuffle streams that are sorted by class before they go to `partial_fit`: an online learner sees each example once,
    and while only one class has come only some of its examples are kept. `fit` shuffles by itself. `predict` waits
    while another thread is inside `partial_fit` of the same model.

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
        repetitions; "auto" is 1 / n_features. The first call to `partial_fit` settles it.
    coef0 : float, default=0.0
        Constant of poly and sigmoid.
    tol : float, default=1e-3
        How far the optimality conditions may be violated.
    cache_size : float, default=200
        Memory for kernel values, in megabytes.
    class_weight : dict or "balanced", default=None
        Factors of `C` by class. "balanced" makes all classes weigh the same, in `fit` only.
    verbose : bool, default=False
        Show a progress bar on standard error.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which `fit` visits the examples, and of the random part of `selection`.
    epochs : int, "auto" or "converge", default="auto"
        Passes over the training set in `fit`. "auto" is one pass, except that small sets, where it costs little, are
        solved to the last digits. "converge" repeats until no example of the training set violates the conditions; only
        its first pass follows `selection`.
    max_support : int, default=None
        Support vectors that each machine may keep. When it is full, the least useful one leaves.
    selection : {"random", "gradient", "active", "autoactive"}, default="random"
        Which example to visit next: in the order given (shuffled by `fit`), the one furthest on the wrong side among
        `pool_size` candidates, the one nearest to the boundary among them, or the same with as few candidates as do.
    pool_size : int, default=50
        Candidates that "gradient" and "active" look at.
    working_set : {"second-order", "first-order"}, default="second-order"
        How the finishing step chooses pairs of coefficients: by the gain they promise, or by their gradients as LASVM
        was published. While examples come in, pairs are always chosen by their gradients.
    max_gap : float, default=None
        Repeat the inner step after each example until the violation among the support vectors is at most this; None
        does one step.
    finish : bool, default=True
        Bring the violation among the support vectors below `tol` at the end of `fit`.
    n_jobs : int, default=None
        Threads. None uses as many as the BLAS would, -1 all processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels known so far, sorted.
    support_ : ndarray of shape (n_support,)
        The support vectors' places in the stream (after `fit`: rows of X), grouped by class.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        The support vectors.
    n_support_ : ndarray of shape (n_classes,)
        The number of support vectors of each class.
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
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Mapping[Any, float] | str | None = None,
        verbose: bool = False,
        random_state: Any = None,
        epochs: int | str = "auto",
        max_support: int | None = None,
        selection: str = "random",
        pool_size: int = 50,
        working_set: str = "second-order",
        max_gap: float | None = None,
        finish: bool = True,
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
        self.selection = selection
        self.pool_size = pool_size
        self.working_set = working_set
        self.max_gap = max_gap
        self.finish = finish
        self.n_jobs = n_jobs

    @property
    def finish(self) -> Callable[[], Self]:
        """Bring the violation among the support vectors below `tol` now; `partial_fit` goes on afterwards.

        Call it without arguments; it returns the estimator. The parameter of the same name says whether `fit` does so
        at its end; it is read by `get_params` and written by `set_params`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from hinge import OnlineSVC
        >>> X, y = load_iris(return_X_y=True)
        >>> model = OnlineSVC().partial_fit(X, y).finish()
        >>> model.kkt_violation() <= model.tol
        True
        """
        return partial(finish_now, self)

    @finish.setter
    def finish(self, value: bool) -> None:
        self.__dict__["finish"] = value  # where scikit-learn looks for parameters; the property hides it from others

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool, default=True
            Ask parameters that are estimators for theirs as well.

        Returns
        -------
        dict
            Names and values.
        """
        return {**super().get_params(deep=deep), "finish": vars(self)["finish"]}

    def _train(self, data: TrainingData) -> None:
        finish, options = bool(vars(self)["finish"]), cast("_core.LasvmOptions", self._state.options)
        unbounded = options.max_support is None and options.selection == "random"
        exactly = self.epochs == "auto" and finish and unbounded and Training.is_small(data)
        passes = 1 if isinstance(self.epochs, str) else int(self.epochs)
        max_steps = None if exactly or self.epochs == "converge" else passes + finish
        tasks = FitTasks(self, data.X, data.y, data.metadata, max_steps)
        with progress_bar(self.verbose) as bar, self._state.watched(bar) as monitor:
            training = Training(self._state, data, self.random_state, tasks, monitor)
            if exactly:
                training.solve()
            elif self.epochs == "converge":
                training.converge()
            else:
                training.visit(passes, finish=finish)
        tasks.end()

    def _selection_seed(self) -> int:
        return 0 if self.selection == "random" else random_seed(self.random_state)

    def _check_params(self, *, streaming: bool) -> _core.LasvmOptions:
        common = self._common_options(streaming=streaming)
        flag("finish", vars(self)["finish"])
        hint = "'auto' and 'converge' choose a number for you"
        epochs = whole_or_word("epochs", self.epochs, ("auto", "converge"), at_least=1, hint=hint)
        if epochs == "converge" and self.max_support is not None:
            raise ParameterError(
                "epochs must be 'auto' or a number of passes when max_support is set, got 'converge'; "
                "a bounded number of support vectors need not settle."
            )
        max_gap = self.max_gap
        return _core.LasvmOptions(
            **common,
            tolerance=float(self.tol),
            second_order=choice("working_set", self.working_set, _WORKING_SETS) == "second-order",
            max_gap=None if max_gap is None else number("max_gap", max_gap, above=0, hint="None sets no bound"),
            max_support=bound("max_support", self.max_support, at_least=2),
            selection=choice("selection", self.selection, _SELECTIONS),
            pool_size=whole("pool_size", self.pool_size, at_least=1, hint="a usual value is 50"),
        )

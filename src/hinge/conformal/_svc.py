"""The estimator `ConformalSVC`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.utils import check_random_state

from hinge._model.locking import writes
from hinge.conformal._full import Question, label_p_values
from hinge.conformal._ranks import check_alpha
from hinge.conformal._stream import learn_with_p_values
from hinge.incremental import IncrementalSVC

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from hinge._model.types import ClassWeight, Gamma, Kernel, MatrixLike, RandomStateLike


class ConformalSVC(IncrementalSVC):
    """Exact support vector machine whose prediction sets contain the true label with a chosen probability.

    Full conformal prediction: a row is learned with each label in turn, in a copy of the model, and the leave-one-out
    margin of the row is ranked among those of all examples held. The p-value of a label is the share of examples whose
    margin is as small or smaller. No rows are set aside for calibration, and nothing is fitted from scratch.

    If examples and rows are exchangeable, the set of labels whose p-value exceeds `alpha` misses the true label with a
    probability of at most `alpha`. It may be empty, or contain several labels.

    Parameters
    ----------
    C, kernel, degree, gamma, coef0, tol, cache_size, class_weight, verbose, random_state, n_jobs
        As in `IncrementalSVC`. The guarantee is strict if gamma is a number chosen without these examples. Kernels must
        not be "precomputed", and class_weight must not be "balanced", where p-values are asked for.
    alpha : float, default=0.1
        Share of errors that prediction sets may make.
    mondrian : bool, default=False
        Rank a row among the examples of the candidate label only: the guarantee then holds within each class.

    See Also
    --------
    ConformalOneClass : The same for outliers.

    Notes
    -----
    A row that lies beyond the margin with a label costs next to nothing, any other an exact learning step. The margins
    of the other examples are bounded first, and computed exactly only where that does not decide: `predict_set` needs
    few of them. With more than two classes, kernel values of 8 bytes per margin vector, class and example are held
    during a call, so many rows in one call are cheaper than single ones.

    Examples
    --------
    >>> from hinge.conformal import ConformalSVC
    >>> X, y = [[0.0], [0.1], [0.2], [2.0], [2.1], [2.2]], ["low", "low", "low", "high", "high", "high"]
    >>> model = ConformalSVC(gamma=1.0, alpha=0.2).fit(X, y)
    >>> model.predict_set([[0.1], [2.1]]).tolist()
    [[False, True], [True, False]]
    """

    max_examples = None
    eviction = "balanced"

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
        n_jobs: int | None = None,
        alpha: float = 0.1,
        mondrian: bool = False,
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
        self.n_jobs = n_jobs
        self.alpha = alpha
        self.mondrian = mondrian

    @writes
    def p_values(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the p-value of each label for each row; the model stays as it is.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            p-values, in the order of `classes_`.
        """
        return label_p_values(self, X, Question(self.mondrian))

    @writes
    def predict_set(self, X: MatrixLike, alpha: float | None = None) -> NDArray[np.bool_]:
        """Return the labels that a row may have.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Rows.
        alpha : float, default=None
            Share of errors allowed; None means the parameter of that name.

        Returns
        -------
        ndarray of shape (n, n_classes)
            True for the labels in the set of a row, in the order of `classes_`.
        """
        allowed = check_alpha(self.alpha if alpha is None else alpha)
        return label_p_values(self, X, Question(self.mondrian, alpha=allowed)) > allowed

    def learn_with_p_values(
        self, X: MatrixLike, y: ArrayLike, random_state: RandomStateLike = None
    ) -> NDArray[np.float64]:
        """Learn rows one by one, and return the p-value that the label of each had before.

        The p-values are smoothed: examples that fit exactly as well as the row count with a random share. Then they
        are independent and uniform while rows come from one source in random order, which `ExchangeabilityMartingale`
        tests.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples.
        y : array-like of shape (n,)
            Labels.
        random_state : int, RandomState instance or None, default=None
            Draws the random shares.

        Returns
        -------
        ndarray of shape (n,)
            p-values; NaN for a label that no example had before.

        Examples
        --------
        >>> import numpy as np
        >>> from hinge.conformal import ConformalSVC, ExchangeabilityMartingale
        >>> rng = np.random.default_rng(0)
        >>> X = np.concatenate([rng.normal(size=(150, 2)), rng.normal(size=(60, 2)) @ [[0, 1], [1, 0]]])
        >>> y = X[:, 0] > 0
        >>> y[150:] = X[150:, 0] < 0  # from here on, it is the other way round
        >>> p_values = ConformalSVC(gamma=0.5).learn_with_p_values(X, y, random_state=0)
        >>> bool(150 <= ExchangeabilityMartingale().update(p_values).changed_at_ < 180)
        True
        """
        return learn_with_p_values(self, X, y, check_random_state(random_state))

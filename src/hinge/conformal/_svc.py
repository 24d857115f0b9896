"""The estimator `ConformalSVC`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hinge._model.locking import writes
from hinge.conformal._full import label_p_values
from hinge.conformal._ranks import check_alpha
from hinge.incremental import IncrementalSVC

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    Each row and label takes the time of `leave_one_out`: this is for a few hundred examples, more if classes are few.

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
        return label_p_values(self, X, within_class=self.mondrian)

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
        return label_p_values(self, X, within_class=self.mondrian, alpha=allowed) > allowed

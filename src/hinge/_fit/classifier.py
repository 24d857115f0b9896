"""Base classes of classifiers: all kernel classifiers, and those that minimise the objective of an SVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import ClassifierMixin

from hinge._calibration import agreeing, method_of
from hinge._fit import driver, explanations
from hinge._fit.estimator import KernelEstimator
from hinge._fit.learner import KernelLearner
from hinge._fit.progress import with_callbacks
from hinge._fit.tasks import Classification
from hinge._model.class_scheme import SCHEMES
from hinge._model.duality import gap_on, measures_of, require_convex, violation_on
from hinge._model.locking import reads, writes
from hinge._model.params import check_class_weight, choice, number
from hinge._model.state import State
from hinge._model.stream_watch import ONLINE_RISKS
from hinge._model.threads import one_blas_thread
from hinge._model.types import available_if
from hinge.streaming import StreamTraits

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hinge._fit.explanations import Explanation
    from hinge._model.duality import Measured
    from hinge._model.labels import ClassTable
    from hinge._model.options import CommonOptions, OnlineOptions
    from hinge._model.predictor import Predictor
    from hinge._model.stream_watch import StreamRisks
    from hinge._model.types import Labels, MatrixLike


def _has_probabilities(model: KernelClassifier) -> bool:
    """Return True if decision values are calibrated, or are log-odds."""
    return model.calibration is not None or model._has_log_odds


class KernelClassifier(ClassifierMixin, KernelEstimator):
    """A kernel classifier that keeps learning, for any number of classes."""

    _task = Classification()
    _learner = KernelLearner(State)
    stream_traits = StreamTraits()
    multi_class: str = "ovr"

    @property
    def _stream_risks(self) -> StreamRisks:
        return ONLINE_RISKS

    @property
    def _has_margin(self) -> bool:
        """Whether decision values are 1 on the margin."""
        return True

    @property
    @reads
    def classes_(self) -> Labels:
        """Labels known so far, sorted."""
        return self._fitted_state().table.classes

    @property
    @reads
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features, one row per binary model; for linear kernels only."""
        if self.kernel != "linear":
            raise AttributeError(f"Only a model with a linear kernel has coef_, got kernel={self.kernel!r}.")
        support = self._fitted_state().support()
        weights: NDArray[np.float64] = np.asarray(support.vectors.T @ support.coefficients.T, dtype=np.float64).T
        return weights

    def _classifier_options(self, *, streaming: bool) -> CommonOptions:
        """Check the parameters that all classifiers share."""
        options = self._common_options()
        check_class_weight(self.class_weight, streaming=streaming)
        method_of(self.calibration)
        return options

    def _online_options(self, *, streaming: bool) -> OnlineOptions:
        """Check the parameters that all online classifiers share."""
        common = self._classifier_options(streaming=streaming)
        return {**common, "multi_class": choice("multi_class", self.multi_class, SCHEMES)}

    @writes
    @with_callbacks
    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, max_time: float | None = None
    ) -> Self:
        """Learn a training set from scratch, discarding what was learned before.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Training examples. float32 and float64 are used as they are, other numbers become float64. With a
            precomputed kernel: the square matrix of kernel values.
        y : array-like of shape (n,)
            Labels of any type, of at least two classes.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row (in a perceptron, the step). Rows of weight 0 are left out.
        max_time : float, default=None
            Seconds to learn for. After that, the model keeps what it has learned, and a ConvergenceWarning tells how
            far it got. None: no limit.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return driver.fit(self, X, y, sample_weight, max_time=max_time)

    @writes
    def partial_fit(
        self, X: MatrixLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn more examples, in the order given.

        `gamma="scale"` is computed again after 4, 16, 64, 256 and 1024 rows of the stream. If it changes by more than
        5 %, these rows are learned again, so that the model is the one that had this gamma from the first row on. The
        first 1024 rows also decide the precision: as soon as one of them is not float32, the model uses float64. After
        that, both are final, and rows are converted to the precision of the model. Of more than 16 equal rows at the
        beginning, the others do not count, so that no gamma is final before rows differ. The first call decides whether
        examples are stored dense or sparse. How a stream is cut into calls does not matter. A class counts from its
        first row on, or from the call that announces it in `classes`.

        Shuffle a stream that is sorted by class: every example is visited once, and while only one class has been
        seen, only some of its examples are kept.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples. With a precomputed kernel, there must be one column for every example that will ever be
            learned: column t belongs to the t-th example of the stream.
        y : array-like of shape (n,)
            Labels; new classes may appear in any call.
        classes : array-like of shape (n_classes,), default=None
            Classes to expect, if they are known beforehand.
        sample_weight : array-like of shape (n,), default=None
            Weights that multiply `C` per row (in a perceptron, the step). Rows of weight 0 are skipped.

        Returns
        -------
        self : object
            The estimator.
        """
        return driver.partial_fit(self, X, y, classes, sample_weight)

    def decision_function(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the decision function.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            With two classes one value per example, positive for `classes_[1]`; with more, one value per class. With
            `multi_class="ovo"`, these are votes, and a part below one third by which ties can be broken.
        """
        table, decisions = self._class_decisions(X)
        return table.scores(decisions) if len(table) > 2 else decisions.ravel()

    def predict(self, X: MatrixLike) -> Labels:
        """Predict the class of examples.

        Thread-safe. While another thread learns, predictions come from the last complete state.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        table, decisions = self._class_decisions(X)
        return table.choose(decisions)

    @available_if(_has_probabilities)
    def predict_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Predict the probability of each class; only with `calibration`.

        They agree with `predict`: its class always has the largest probability.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Probabilities, in the order of `classes_`; each row sums to one.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from hinge import OnlineSVC
        >>> X, y = load_iris(return_X_y=True)
        >>> model = OnlineSVC(calibration="sigmoid").fit(X, y)
        >>> model.predict_proba(X[:1]).round(1).tolist()
        [[1.0, 0.0, 0.0]]
        """
        method = method_of(self.calibration)
        predictor = self._predictor() if method is None else self._calibrated_predictor()
        decided = predictor.table.arrange(self._decide(predictor, self._check_queries(X, predictor)))
        chosen = predictor.table.choose_places(decided)
        if len(predictor.table) < 2:
            return np.ones((len(decided), 1))
        if method is None:
            return agreeing(self._from_log_odds(decided), chosen)
        return predictor.probabilities(method, decided, chosen)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: MatrixLike) -> NDArray[np.float64]:
        """Predict the logarithm of the probability of each class; see `predict_proba`.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Examples; with a precomputed kernel, their kernel values against all examples of the stream.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Logarithms of probabilities, in the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @property
    def _has_log_odds(self) -> bool:
        """Whether decision values are log-odds, so that probabilities need no calibration."""
        return False

    def _from_log_odds(self, decided: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities for decision values that are log-odds."""
        raise NotImplementedError

    def _calibrated_predictor(self) -> Predictor:
        """Return a snapshot with recorded decision values."""
        return self._predictor()

    def _class_decisions(self, X: MatrixLike) -> tuple[ClassTable, NDArray[np.float64]]:
        """Return the classes, and decision values of the binary models in the order that users see."""
        predictor, decisions = self._raw_decisions(X)
        return predictor.table, predictor.table.arrange(decisions)


class SupportVectorClassifier(KernelClassifier):
    """A classifier that minimises the regularised hinge loss, with measures of its distance to the optimum."""

    C: float
    tol: float

    def _classifier_options(self, *, streaming: bool) -> CommonOptions:
        options = super()._classifier_options(streaming=streaming)
        number("C", self.C, above=0, hint="a usual value is 1.0")
        number("tol", self.tol, above=0, hint="a usual value is 1e-3")
        return options

    @property
    def _cost(self) -> float:
        return float(self.C)

    def _solution(self) -> Measured:
        """Return the measures of the coefficients that predictions use."""
        return measures_of(self._fitted_state())

    @reads
    def duality_gap(
        self, X: MatrixLike | None = None, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Compute the duality gap: primal minus dual objective, summed over the binary models.

        Without X, it follows from numbers that the model keeps, in time proportional to the number of support vectors:
        about 40 µs for 5000 of them, so that it can be watched after every row. With X, all rows are predicted.

        Parameters
        ----------
        X, y : array-like, default=None
            Examples that define the problem, for instance the whole training set; None means those held.
        sample_weight : array-like of shape (n,), default=None
            Weights of the rows of X.

        Returns
        -------
        float
            The gap. The optimum lies between `dual_objective()` and that plus the gap, and so does the primal
            objective of the function that `predict` uses: where coefficients are averaged, the averages are measured.
        """
        if X is None:
            return float(self._solution().duality_gap.sum())
        return self._measure(gap_on, X, y, sample_weight)

    @reads
    def dual_objective(self, X: MatrixLike | None = None, y: ArrayLike | None = None) -> float:  # noqa: ARG002
        """Compute the dual objective, summed over the binary models.

        Learning raises it, that of averaged coefficients with fluctuations.

        Parameters
        ----------
        X, y : array-like, default=None
            Ignored: examples that the model does not hold have coefficient zero. Present so that all measures have the
            same parameters.

        Returns
        -------
        float
            The objective.
        """
        return float(self._solution().dual_objective.sum())

    @reads
    def kkt_violation(
        self, X: MatrixLike | None = None, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Compute the largest violation of the optimality (KKT) conditions over the binary models.

        Parameters
        ----------
        X, y : array-like, default=None
            Examples to check besides those that the model holds. A row equal to an example held has the coefficient of
            that example, other rows have coefficient zero.
        sample_weight : array-like of shape (n,), default=None
            Weights of the rows of X.

        Returns
        -------
        float
            The violation: 0 at the optimum, at most `tol` for a finished solution.
        """
        if X is None:
            return float(self._solution().violation.max(initial=0.0))
        return self._measure(violation_on, X, y, sample_weight)

    def _measure(
        self, measure: Callable[..., float], X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> float:
        state = self._fitted_state()
        require_convex(state)
        data = self._task.check(self, X, y, sample_weight, state)
        rows = data.X.astype(state.storage.dtype, copy=False)
        self._solution()
        with one_blas_thread():
            return measure(state, rows, data.class_numbers(state.table), data.costs)

    @reads
    def explain(self, X: MatrixLike, n: int = 5) -> list[Explanation]:
        """List the examples that pull each decision most, for the predicted class and against it.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows to predict and explain.
        n : int, default=5
            Number of examples listed on either side.

        Returns
        -------
        list of Explanation
            One per row: `label`, `decision`, `intercept`, the lists `supporting` and `opposing` of examples with their
            ids (positions in the stream, unless they were learned with ids of their own), labels and contributions,
            and `rest`, what all other examples contribute. They add up to the decision.

        Examples
        --------
        >>> from hinge import OnlineSVC
        >>> model = OnlineSVC(gamma=1.0).fit([[0.0], [0.5], [2.0], [2.5]], ["low", "low", "high", "high"])
        >>> reason = model.explain([[0.4]], n=1)[0]
        >>> reason.label, reason.supporting[0].label, reason.opposing[0].label
        ('low', 'low', 'high')
        """
        state = self._fitted_state()
        rows, support = self._check_queries(X, state.make_snapshot()), state.support()
        names = self._names_of(support.ids)
        return explanations.explain(state, support, rows, self.predict(X), self.intercept_, names, n)

    @reads
    def sensitivity(self, X: MatrixLike) -> NDArray[np.float64]:
        """Compute the gradient of the decision function: how much it grows per unit of each feature.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, n_features)
            Where to compute it. With a linear kernel it is `coef_` everywhere.

        Returns
        -------
        ndarray of shape (n, n_features) or (n, n_classes, n_features)
            The gradients of the values of `decision_function`: one per row for two classes, else one per class.

        Examples
        --------
        >>> from hinge import OnlineSVC
        >>> model = OnlineSVC(kernel="linear").fit([[0.0, 1.0], [1.0, 1.0]], ["low", "high"])
        >>> (-model.sensitivity([[0.5, 0.5]])).round(3).tolist()
        [[1.0, -0.0]]
        """
        state = self._fitted_state()
        return explanations.sensitivity(state, self._check_queries(X, state.make_snapshot()))

    def _names_of(self, positions: NDArray[np.int64]) -> Sequence[Hashable]:
        """Return the ids of examples by their positions in the stream."""
        return list(positions.tolist())

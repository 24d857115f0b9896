"""The picture `ReliabilityDisplay`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hinge._calibration import GROUPS, reliability
from hinge.exceptions import DataError, ParameterError
from hinge.inspection._display import COLOURS, GRID, MUTED, Display, finish, known_classes, new_axes, require_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from hinge._model.types import MatrixLike


class ReliabilityDisplay(Display):
    """How often predictions of a given probability are right.

    The probability is that of the class predicted, so there may be any number of classes. Rows are divided into groups
    of equal size; points below the diagonal are predictions that were too sure. Use rows that were not learned.

    `from_estimator` or `from_predictions` make it.

    Parameters
    ----------
    probability : array-like of shape (n_groups,)
        Mean probability of the class predicted, by group.
    accuracy : array-like of shape (n_groups,)
        Share of right predictions, by group.
    counts : array-like of shape (n_groups,)
        Number of rows, by group.
    estimator_name : str, default=None
        For the legend.

    Attributes
    ----------
    calibration_error : float
        Mean difference between probability and accuracy over the rows.
    line_ : matplotlib Line2D
        The points.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from hinge import OnlineSVC
    >>> from hinge.inspection import ReliabilityDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OnlineSVC(calibration="temperature", random_state=0).fit(X[::2], y[::2])
    >>> display = ReliabilityDisplay.from_estimator(model, X[1::2], y[1::2], n_groups=3, ax=Figure().subplots())
    >>> display.counts.tolist()
    [25, 25, 25]
    """

    line_: Any

    def __init__(
        self, probability: ArrayLike, accuracy: ArrayLike, counts: ArrayLike, *, estimator_name: str | None = None
    ) -> None:
        self.probability = np.asarray(probability, dtype=float)
        self.accuracy = np.asarray(accuracy, dtype=float)
        self.counts = np.asarray(counts)
        self.estimator_name = estimator_name

    @property
    def calibration_error(self) -> float:
        """Mean difference between probability and accuracy over the rows."""
        return float(np.average(np.abs(self.probability - self.accuracy), weights=self.counts))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        y: ArrayLike,
        *,
        n_groups: int = GROUPS,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the probabilities that a classifier gives.

        Parameters
        ----------
        estimator : estimator
            Fitted classifier with `predict_proba`.
        X : array-like or CSR matrix of shape (n, n_features)
            Rows that it has not learned.
        y : array-like of shape (n,)
            Their labels.
        n_groups : int, default=15
            Number of points.
        name : str, default=None
            For the legend; None means the name of the class.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            For `matplotlib.axes.Axes.plot`.

        Returns
        -------
        ReliabilityDisplay
            The picture, drawn.
        """
        if not hasattr(estimator, "predict_proba"):
            raise ParameterError(
                f"estimator must have predict_proba, but this {type(estimator).__name__} has none; "
                'estimators of hinge have it with calibration="temperature".'
            )
        return cls.from_predictions(
            y,
            estimator.predict_proba(X),
            classes=estimator.classes_,
            n_groups=n_groups,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        n_groups: int = GROUPS,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw given probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels.
        y_prob : array-like of shape (n, n_classes) or (n,)
            Probabilities of all classes, or of the second of two.
        classes : array-like of shape (n_classes,), default=None
            Classes in the order of the columns; None means the sorted labels.
        n_groups : int, default=15
            Number of points.
        name : str, default=None
            For the legend.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            For `matplotlib.axes.Axes.plot`.

        Returns
        -------
        ReliabilityDisplay
            The picture, drawn.
        """
        labels, chances = np.asarray(y_true), np.asarray(y_prob, dtype=float)
        if chances.ndim == 1:
            chances = np.column_stack([1.0 - chances, chances])
        known = known_classes(classes, labels)
        require_columns("y_prob", chances.shape, labels, known)
        if not len(labels):
            raise DataError("There must be at least one row, got none.")
        found = reliability(chances.max(axis=1), known[chances.argmax(axis=1)] == labels, n_groups)
        return cls(*found, estimator_name=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the picture, for instance beside that of another estimator.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str, default=None
            For the legend; None means `estimator_name`.
        **kwargs : dict
            For `matplotlib.axes.Axes.plot`.

        Returns
        -------
        ReliabilityDisplay
            The picture.
        """
        ax = new_axes() if ax is None else ax
        said = name if name is not None else self.estimator_name
        label = f"{said}, error {self.calibration_error:.1%}" if said else f"error {self.calibration_error:.1%}"
        low = min(float(self.probability.min()), float(self.accuracy.min()))
        first = 0.1 * np.floor(10 * max(low - 0.02, 0.0))
        if not any(line.get_label() == "as sure as right" for line in ax.lines):
            ax.plot([0, 1], [0, 1], color=MUTED, linestyle="--", linewidth=1, label="as sure as right")
            ax.set_xlim(first, 1.01)
            ax.set_ylim(first, 1.01)
        else:
            ax.set_xlim(min(first, ax.get_xlim()[0]), 1.01)
            ax.set_ylim(min(first, ax.get_ylim()[0]), 1.01)
        colour = COLOURS[(len(ax.lines) - 1) % len(COLOURS)]
        style: dict[str, Any] = {"marker": "o", "markersize": 4, "label": label, "color": colour}
        (self.line_,) = ax.plot(self.probability, self.accuracy, **(style | kwargs))
        ax.grid(color=GRID, linewidth=0.8)
        finish(ax, "probability of the class predicted", "share of right predictions")
        ax.legend(frameon=False, loc="lower right")
        return self._drawn_on(ax)

"""The picture `SetSizeDisplay`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hinge.exceptions import DataError, ParameterError
from hinge.inspection._display import LIGHT, MAIN, WRONG, Display, finish, known_classes, new_axes, require_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from hinge._model.types import MatrixLike


class SetSizeDisplay(Display):
    """How many labels prediction sets have, and how often they miss the right one.

    `from_estimator` or `from_predictions` make it.

    Parameters
    ----------
    counts : array-like of shape (n_sizes,)
        Number of sets with 0, 1, 2, ... labels.
    missed : array-like of shape (n_sizes,), default=None
        How many of these lack the right label; None if that is not known.
    name : str, default=None
        Title.

    Attributes
    ----------
    mean_size : float
        Labels per set, on average.
    coverage : float or None
        Share of the sets that contain the right label.
    bars_ : matplotlib BarContainer
        The bars.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from hinge.inspection import SetSizeDisplay
    >>> sets = [[True, False], [True, True], [False, True]]
    >>> display = SetSizeDisplay.from_predictions(sets, ["a", "b", "a"], classes=["a", "b"], ax=Figure().subplots())
    >>> display.counts.tolist(), round(display.mean_size, 2), round(display.coverage, 2)
    ([0, 2, 1], 1.33, 0.67)
    """

    bars_: Any

    def __init__(self, counts: ArrayLike, missed: ArrayLike | None = None, *, name: str | None = None) -> None:
        self.counts = np.asarray(counts)
        self.missed = None if missed is None else np.asarray(missed)
        self.name = name

    @property
    def mean_size(self) -> float:
        """Labels per set, on average."""
        return float(np.average(np.arange(len(self.counts)), weights=self.counts))

    @property
    def coverage(self) -> float | None:
        """Share of the sets that contain the right label."""
        return None if self.missed is None else float(1.0 - self.missed.sum() / self.counts.sum())

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        y: ArrayLike | None = None,
        *,
        alpha: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the sizes of the sets of some rows.

        Parameters
        ----------
        estimator : estimator
            Fitted, with `predict_set`.
        X : array-like or CSR matrix of shape (n, n_features)
            Rows that it has not learned.
        y : array-like of shape (n,), default=None
            Their labels, if they are known.
        alpha : float, default=None
            Share of errors allowed; None means the parameter of the estimator.
        name : str, default=None
            Title; None means the name of the class.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            For `matplotlib.axes.Axes.bar`.

        Returns
        -------
        SetSizeDisplay
            The picture, drawn.
        """
        if not hasattr(estimator, "predict_set"):
            kind = type(estimator).__name__
            raise ParameterError(
                f"estimator must have predict_set, but {kind} has none; use ConformalSVC, or SplitConformalClassifier "
                "around this one."
            )
        sets = estimator.predict_set(X, alpha=alpha)
        title = type(estimator).__name__ if name is None else name
        return cls.from_predictions(sets, y, classes=estimator.classes_, name=title, ax=ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        sets: ArrayLike,
        y_true: ArrayLike | None = None,
        *,
        classes: ArrayLike | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the sizes of given sets.

        Parameters
        ----------
        sets : array-like of bool of shape (n, n_classes)
            True for the labels in the set of a row.
        y_true : array-like of shape (n,), default=None
            Labels, if they are known.
        classes : array-like of shape (n_classes,), default=None
            Classes in the order of the columns; None means the sorted labels.
        name : str, default=None
            Title.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            For `matplotlib.axes.Axes.bar`.

        Returns
        -------
        SetSizeDisplay
            The picture, drawn.
        """
        members = np.asarray(sets, dtype=bool)
        if members.ndim != 2 or not len(members):
            raise DataError(f"sets must have one row or more and one column per class, got the shape {members.shape}.")
        sizes, length = members.sum(axis=1), members.shape[1] + 1
        counts = np.bincount(sizes, minlength=length)
        missed = None if y_true is None else np.bincount(sizes[_lacks(members, y_true, classes)], minlength=length)
        return cls(counts, missed, name=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            For `matplotlib.axes.Axes.bar`.

        Returns
        -------
        SetSizeDisplay
            The picture.
        """
        ax = new_axes() if ax is None else ax
        places = np.arange(int(np.flatnonzero(self.counts)[-1]) + 1)
        counts, total = self.counts[places], self.counts.sum()
        is_known = self.missed is not None
        main = {"color": MAIN if is_known else LIGHT, "label": "contain the right label" if is_known else None}
        wrong = np.zeros(len(places)) if self.missed is None else self.missed[places]
        self.bars_ = ax.bar(places, 100 * (counts - wrong) / total, **(main | kwargs))
        if is_known:
            bottom = 100 * (counts - wrong) / total
            ax.bar(places, 100 * wrong / total, bottom=bottom, color=WRONG, label="lack it")
            ax.legend(loc="upper right", framealpha=0.9, edgecolor="none")
        for place, count in zip(places, counts, strict=True):
            ax.annotate(f"{count:,}", (place, 100 * count / total), (0, 2), textcoords="offset points", ha="center")
        ax.set_xticks(places)
        covered = f", {self.coverage:.1%} right" if is_known else ""
        start = f"{self.name}: " if self.name else ""
        ax.set_title(f"{start}{self.mean_size:.2f} labels on average{covered}", fontsize=9, loc="left")
        ax.margins(y=0.12)
        finish(ax, "labels in the set", "share of the rows, %")
        return self._drawn_on(ax)


def _lacks(sets: NDArray[np.bool_], y_true: ArrayLike, classes: ArrayLike | None) -> NDArray[np.bool_]:
    """Return which sets lack the label; a label that is no class is in none."""
    labels = np.ravel(y_true)
    known = known_classes(classes, labels)
    require_columns("sets", sets.shape, labels, known)
    lacks: NDArray[np.bool_] = ~(sets & (labels[:, None] == known)).any(axis=1)
    return lacks

"""The picture `SuspectsDisplay`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import _num_samples

from hinge._model.class_scheme import class_margins
from hinge.exceptions import DataError, ParameterError
from hinge.incremental import Suspect
from hinge.inspection._display import MAIN, Display, finish, known_classes, new_axes, require_columns

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csr_matrix

    from hinge._model.types import MatrixLike

_PER_LINE = 5  # images


class SuspectsDisplay(Display):
    """The examples whose labels are contradicted most, as images or as bars.

    `from_estimator` shows `suspects` of an exact model, `from_predictions` the mistakes of any classifier.

    Parameters
    ----------
    suspects : list of Suspect
        Ids, labels, predictions and margins, the worst first.
    images : ndarray of shape (n, height, width) or (n, height, width, 3), default=None
        Their images; None draws bars.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes; images have axes of their own inside.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_digits
    >>> from hinge import IncrementalSVC
    >>> from hinge.inspection import SuspectsDisplay
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:200], y[:200]
    >>> y[7] = 3  # it shows a seven
    >>> model = IncrementalSVC(C=10, gamma=0.001).fit(X, y)
    >>> display = SuspectsDisplay.from_estimator(model, X, n=5, image_shape=(8, 8), ax=Figure().subplots())
    >>> [(each.label, each.prediction) for each in display.suspects if each.id == 7]
    [(3, 7)]
    """

    def __init__(self, suspects: list[Suspect], images: NDArray[Any] | None = None) -> None:
        self.suspects = suspects
        self.images = images

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike | None = None,
        *,
        ids: Iterable[Hashable] | None = None,
        n: int = 10,
        image_shape: tuple[int, ...] | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the examples of an exact model that all others contradict.

        Parameters
        ----------
        estimator : IncrementalSVC or ConformalSVC
            Fitted, with `suspects`.
        X : array-like or CSR matrix of shape (n, n_features), default=None
            The examples that it has learned, for their images.
        ids : iterable of shape (n,), default=None
            Ids of the rows of X; None means 0, 1, 2, ..., the ids of the estimator if it was given none.
        n : int, default=10
            How many to draw at most.
        image_shape : tuple of int, default=None
            Height and width of the images in the rows of X, and 3 for colours; None draws bars.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            For `matplotlib.axes.Axes.imshow`, or `barh`.

        Returns
        -------
        SuspectsDisplay
            The picture, drawn.
        """
        if not hasattr(estimator, "suspects"):
            raise ParameterError(
                f"estimator must have suspects, as IncrementalSVC has, but {type(estimator).__name__} has none; give "
                "decision values of cross_val_predict to from_predictions."
            )
        found = estimator.suspects(n)
        if image_shape is None:
            return cls(found).plot(ax, **kwargs)
        if X is None:
            raise DataError("X must be given where image_shape is, but is None.")
        names = list(range(_num_samples(X))) if ids is None else list(ids)
        rows = {name: row for row, name in enumerate(names)}
        if missing := [each.id for each in found if each.id not in rows]:
            raise DataError(f"ids must name the rows of X, but the example {missing[0]!r} is not among them.")
        return cls(found, _images(X, [rows[each.id] for each in found], image_shape)).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        decisions: ArrayLike,
        X: MatrixLike | None = None,
        *,
        classes: ArrayLike | None = None,
        ids: Iterable[Hashable] | None = None,
        n: int = 10,
        image_shape: tuple[int, ...] | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the mistakes of any classifier, the worst first.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels.
        decisions : array-like of shape (n,) or (n, n_classes)
            Decision values or probabilities by a model that does not know the rows, for instance those of
            `cross_val_predict`; one column for each class, or only that of the second of two.
        X : array-like or CSR matrix of shape (n, n_features), default=None
            The rows, for their images.
        classes : array-like of shape (n_classes,), default=None
            Classes in the order of the columns; None means the sorted labels.
        ids : iterable of shape (n,), default=None
            Names of the rows; None means 0, 1, 2, ...
        n : int, default=10
            How many to draw at most.
        image_shape : tuple of int, default=None
            Height and width of the images in the rows of X, and 3 for colours; None draws bars.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            For `matplotlib.axes.Axes.imshow`, or `barh`.

        Returns
        -------
        SuspectsDisplay
            The picture, drawn.
        """
        labels, values = np.asarray(y_true), np.asarray(decisions, dtype=float)
        known = known_classes(classes, labels)
        order, found = _worst(labels, values, known, n)
        names = list(range(len(labels))) if ids is None else list(ids)
        suspects = [each._replace(id=names[row]) for row, each in zip(order, found, strict=True)]
        if image_shape is None:
            return cls(suspects).plot(ax, **kwargs)
        if X is None:
            raise DataError("X must be given where image_shape is, but is None.")
        return cls(suspects, _images(X, order, image_shape)).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **kwargs : dict
            For `matplotlib.axes.Axes.imshow`, or `barh`.

        Returns
        -------
        SuspectsDisplay
            The picture.
        """
        count = len(self.suspects)
        if ax is None:
            lines = -(-count // _PER_LINE)
            ax = new_axes(9.0, 0.5 + 2.1 * lines) if self.images is not None else new_axes(6.0, 1.0 + 0.32 * count)
        if not count:
            ax.text(0.5, 0.5, "no label is contradicted", ha="center", va="center", transform=ax.transAxes)
            ax.axis("off")
        elif self.images is None:
            self._draw_bars(ax, kwargs)
        else:
            self._draw_images(ax, self.images, kwargs)
        return self._drawn_on(ax)

    def _draw_bars(self, ax: Axes, options: dict[str, Any]) -> None:
        places = np.arange(len(self.suspects))
        ax.barh(places, [-each.margin for each in self.suspects], **({"color": MAIN} | options))
        said = [f"{each.id}: {each.label}, rather {each.prediction}" for each in self.suspects]
        ax.set_yticks(places, said)
        ax.invert_yaxis()
        finish(ax, "how far the prediction is ahead of the label", "")

    def _draw_images(self, ax: Axes, images: NDArray[Any], options: dict[str, Any]) -> None:
        ax.axis("off")
        columns = min(len(images), _PER_LINE)
        lines = -(-len(images) // columns)
        style = {"cmap": "gray_r", "interpolation": "nearest"} | options
        for place, (suspect, image) in enumerate(zip(self.suspects, images, strict=True)):
            line, column = divmod(place, columns)
            box = (column / columns + 0.01, 1 - (line + 1) / lines, 1 / columns - 0.02, 1 / lines - 0.24 / lines)
            inset = ax.inset_axes(box)
            inset.imshow(image, **style)
            inset.set_title(f"{suspect.id}: {suspect.label},\nrather {suspect.prediction}", fontsize=9)
            inset.set_xticks([])
            inset.set_yticks([])


def _worst(
    labels: NDArray[Any], values: NDArray[np.float64], classes: NDArray[Any], n: int
) -> tuple[list[int], list[Suspect]]:
    """Return the rows whose label has the smallest margins, if these are negative."""
    if values.ndim == 1 and values.min(initial=0.0) >= 0 and values.max(initial=0.0) <= 1:
        values = np.column_stack([1.0 - values, values])  # probabilities
    require_columns("decisions", (len(values), 2) if values.ndim == 1 else values.shape, labels, classes)
    is_known = np.isin(labels, classes)
    if not is_known.all():
        raise DataError(f"Labels must be among classes, got {labels[~is_known][0]!r}.")
    margins = class_margins(values)
    places = np.searchsorted(classes, labels)
    own, best = np.take_along_axis(margins, places[:, None], axis=1)[:, 0], margins.argmax(axis=1)
    order = [row for row in np.argsort(own, kind="stable")[:n].tolist() if own[row] < 0]
    guesses, names = classes[best].tolist(), labels.tolist()
    return order, [Suspect(row, names[row], guesses[row], float(own[row])) for row in order]


def _images(X: MatrixLike, rows: list[int], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return some rows as images."""
    dense = cast("csr_matrix", X)[rows].toarray() if issparse(X) else np.asarray(X)[rows]
    values = np.asarray(dense, dtype=float)
    if len(shape) not in (2, 3) or values.shape[1] != np.prod(shape):
        raise DataError(f"image_shape must be the height and width of images of {values.shape[1]} values, got {shape}.")
    if len(shape) == 3 and values.size:
        values = (values - values.min()) / max(float(np.ptp(values)), 1e-300)
    return values.reshape(-1, *shape)

"""The figure of an evaluation. Imported only when a plot is wanted, because it imports matplotlib."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hinge.cli._confusion import Confusion, Result, labels_of
from hinge.cli._panels import INK, MAX_CONFUSION, draw_confusion, draw_title
from hinge.cli._scores import ScoredRows
from hinge.incremental import Suspect
from hinge.inspection import ReliabilityDisplay, SetSizeDisplay, SuspectsDisplay
from hinge.io.atomic import replacing

_FEWEST_PIXELS = 64
_LIKE_NEIGHBOURS = 0.3  # correlation of neighbouring pixels


def draw_evaluation(file: Path, title: str, result: Result, confusion: Confusion, scores: ScoredRows) -> None:
    """Draw the confusions, how reliable probabilities are, sizes of prediction sets, and the worst contradictions."""
    panels: list[Callable[[Axes], None]] = []
    labels, reliable = labels_of(confusion), scores.reliability
    if len(labels) <= MAX_CONFUSION:
        panels.append(lambda axes: _draw_confusion(axes, labels, confusion))
    if reliable is not None:
        panels.append(lambda axes: _draw_reliability(axes, reliable))
    if scores.sets:
        panels.append(lambda axes: _draw_sets(axes, scores))
    if scores.worst or not panels:
        panels.append(lambda axes: _draw_worst(axes, scores))
    figure = Figure(figsize=(5.4 * len(panels), 4.6), layout="constrained", dpi=120, facecolor="white")
    start = f"{result['cv']}-fold cross-validation of " if "cv" in result else ""
    figure.suptitle(f"{start}{title}: {result['rows']:,} rows, error {result['error']:.2f} %", color=INK, fontsize=12)
    for axes, draw in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        draw(axes)
    with replacing(file) as unfinished:
        figure.savefig(unfinished, format=file.suffix.lstrip(".").lower() or "png")


def _draw_confusion(axes: Axes, labels: list[Any], confusion: Confusion) -> None:
    draw_confusion(axes, labels, confusion)
    draw_title(axes, "Confusions")


def _draw_reliability(axes: Axes, found: Any) -> None:
    ReliabilityDisplay(*found).plot(axes)
    draw_title(axes, "Calibration")


def _draw_sets(axes: Axes, scores: ScoredRows) -> None:
    labels, _, sets = (np.concatenate(part) for part in zip(*scores.sets, strict=True))
    SetSizeDisplay.from_predictions(sets, labels, classes=scores.sets[0][1], ax=axes)


def _draw_worst(axes: Axes, scores: ScoredRows) -> None:
    suspects = [Suspect(each.row, each.label, each.prediction, -each.margin) for each in scores.worst]
    SuspectsDisplay(suspects, _as_images([each.values for each in scores.worst])).plot(axes)
    draw_title(axes, "Labels that are contradicted most, by row")


def _as_images(rows: list[NDArray[np.float64]]) -> NDArray[np.float64] | None:
    """Return rows as images if they look like square ones: neighbouring values are alike."""
    if not rows:
        return None
    side = round(len(rows[0]) ** 0.5)
    if side * side != len(rows[0]) or side * side < _FEWEST_PIXELS:
        return None
    images = np.array(rows, dtype=float).reshape(-1, side, side)
    pairs = ((images[:, :, 1:], images[:, :, :-1]), (images[:, 1:], images[:, :-1]))
    alike = [_correlation(one.ravel(), other.ravel()) for one, other in pairs]
    return images if min(alike) > _LIKE_NEIGHBOURS else None


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    spread = float(one.std() * other.std())
    return float(np.mean((one - one.mean()) * (other - other.mean()))) / spread if spread > 0 else 0.0

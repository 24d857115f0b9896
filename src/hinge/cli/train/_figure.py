"""The figure of a training run. Imported only when a plot is wanted, because it imports matplotlib."""

from collections import Counter
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator, StrMethodFormatter
from scipy.sparse import issparse

from hinge.cli._models import class_names
from hinge.cli._panels import INK, MAX_CONFUSION, MUTED, draw_confusion, draw_title
from hinge.cli._values import short
from hinge.cli.train._compare import SklearnResult
from hinge.cli.train._learn import N_PLOTTED, TrainResult
from hinge.cli.train._race_figure import draw_race
from hinge.cli.train._tune import Tuning
from hinge.io.atomic import replacing
from hinge.streaming import ProgressiveScore, model_size, traits

ONLINE, RECENT, SKLEARN, SIZE = "#2563eb", "#93b4f5", "#d97706", "#0d9488"
CLASS_COLOURS = ("#2563eb", "#dc2626")
MAP_COLOURS = ("#93b4f5", "#c9dafb", "#fbd0d0", "#f2a1a1")
GRID_POINTS = 240
N_BINS = 10  # of probabilities
FORMATS = frozenset(FigureCanvasBase.filetypes)


def draw_training(
    file: Path, name: str, result: TrainResult, peer: SklearnResult | None, tuning: Tuning | None = None
) -> None:
    """Draw the error and the size of the model over time; where they apply, also other panels.

    These are the decision boundary of two features, the confusion matrix and the calibration curve of the test rows,
    and the errors of the settings of C and gamma.
    """
    has_plane = bool(result.recent) and (_is_one_class(result) or len(class_names(result.model)) == 2)
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08)
    panels = (("c", _has_confusion(result)), ("k", _has_calibration(result)), ("r", tuning is not None and tuning.path))
    extra = "".join(key for key, applies in panels if applies)
    mosaic = f"pe{extra};ps{extra}" if has_plane else f"es{extra}"
    size = (11 + 4 * len(extra), 5) if has_plane else (10 + 4 * len(extra), 4)
    figure = Figure(figsize=size, layout=layout, dpi=150, facecolor="white")
    figure.suptitle(f"{name}: {type(result.model).__name__}", color=INK, fontsize=12)
    axes = figure.subplot_mosaic(mosaic)
    _draw_error(axes["e"], result, peer)
    _draw_size(axes["s"], result, peer)
    if has_plane:
        _draw_plane(axes["p"], result)
    if "c" in extra:
        confusion = result.test_classes.confusion if result.test_classes is not None else Counter()
        draw_confusion(axes["c"], result.model.classes_.tolist(), confusion)
        draw_title(axes["c"], "Test rows")
    if "k" in extra:
        _draw_calibration(axes["k"], result)
    if tuning is not None and "r" in extra:
        draw_race(axes["r"], tuning)
    with replacing(file) as unfinished:
        figure.savefig(unfinished, format=file.suffix.lstrip(".").lower())


def _draw_error(axes: Axes, result: TrainResult, peer: SklearnResult | None) -> None:
    seen, error, recent, _ = zip(*result.curve, strict=True)
    is_values = traits(result.model).task == "regression"
    unit, form = ("", short) if is_values else (" %", "{:.2f}".format)
    label = f"of the last {ProgressiveScore.RECENT:,} examples: {form(recent[-1])}{unit}"
    axes.plot(seen, recent, color=RECENT, linewidth=1, label=label)
    label = f"progressive (test-then-train) error: {form(error[-1])}{unit}"
    axes.plot(seen, error, color=ONLINE, linewidth=2, label=label)
    if result.test_error is not None:
        label = f"online, on test rows: {result.test_error:.2f} %"
        axes.plot(seen[-1], result.test_error, "o", color=ONLINE, markersize=7, clip_on=False, zorder=5, label=label)
    if peer is not None and peer.test_error is not None:
        label = f"{peer.name}, on test rows: {peer.test_error:.2f} %"
        axes.axhline(peer.test_error, color=SKLEARN, linestyle="--", label=label)
    late = slice(len(error) // 10, None)
    axes.set_ylim(0, 1.3 * max(*error[late], *recent[late]) or 1.0)
    title = "Wrong about normal or outlier, %" if _is_one_class(result) else "Error, %"
    draw_title(axes, "Mean absolute error" if is_values else title)
    _finish(axes)


def _draw_size(axes: Axes, result: TrainResult, peer: SklearnResult | None) -> None:
    seen, sizes = zip(*((point.n_learned, point.model_size) for point in result.curve), strict=True)
    unit, label = traits(result.model).size_unit, f"online: {model_size(result.model):,} in {result.seconds:.1f} s"
    axes.plot(seen, sizes, color=SIZE, linewidth=2, label=label)
    if len(sizes) > 1 and seen[-1] == seen[-2] and sizes[-1] < sizes[-2]:
        note = f"finishing removes {sizes[-2] - sizes[-1]:,} examples held in reserve"
        axes.plot(seen[-1], sizes[-1], "v", color=SIZE, markersize=6, clip_on=False, zorder=5, label=note)
    if peer is not None and unit == "support vectors":  # which cannot be compared with features
        label = f"{peer.name}: {peer.n_support:,} in {peer.seconds:.1f} s"
        axes.axhline(peer.n_support, color=SKLEARN, linestyle="--", label=label)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    draw_title(axes, unit.capitalize())
    _finish(axes)


def _has_confusion(result: TrainResult) -> bool:
    return result.test_classes is not None and len(class_names(result.model)) <= MAX_CONFUSION


def _has_calibration(result: TrainResult) -> bool:
    return result.test_classes is not None and bool(result.test_classes.probabilities)


def _draw_calibration(axes: Axes, result: TrainResult) -> None:
    """Draw how often rows are of the second class, by the probability that the model gives it."""
    pairs = result.test_classes.probabilities if result.test_classes is not None else []
    probability, is_second = (np.concatenate(part) for part in zip(*pairs, strict=True))
    bins = np.minimum((probability * N_BINS).astype(int), N_BINS - 1)
    used = np.unique(bins)
    axes.plot([0, 1], [0, 1], color=MUTED, linestyle="--", label="perfect")
    axes.plot(
        [probability[bins == each].mean() for each in used],
        [is_second[bins == each].mean() for each in used],
        "o-",
        color=ONLINE,
        label="test rows",
    )
    axes.set_xlabel(f"probability of {result.model.classes_[1]}", color=MUTED)
    axes.set_ylabel("share of the rows", color=MUTED)
    axes.legend(frameon=False, labelcolor=INK, fontsize=9)
    draw_title(axes, "Calibration")


def _finish(axes: Axes) -> None:
    axes.set_xlabel("examples learned", color=MUTED)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(MUTED)
    axes.tick_params(colors=MUTED)
    axes.grid(axis="y", color="#e6e9ee", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, labelcolor=INK, fontsize=9)


def _draw_plane(axes: Axes, result: TrainResult) -> None:
    X = np.concatenate([X.toarray() if issparse(X) else X for X, _ in result.recent])[-N_PLOTTED:]
    y = np.concatenate([y for _, y in result.recent])[-N_PLOTTED:]
    low, high = X.min(), X.max()
    ticks = np.linspace(low, high, GRID_POINTS)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    decision = result.model.decision_function(grid).reshape(GRID_POINTS, GRID_POINTS)
    is_one_class = _is_one_class(result)
    levels, colours = ([0], MAP_COLOURS[1:3][::-1]) if is_one_class else ([-1, 0, 1], MAP_COLOURS)
    axes.contourf(ticks, ticks, decision, levels=[-np.inf, *levels, np.inf], colors=colours)
    axes.contour(ticks, ticks, decision, levels=[0], colors=INK, linewidths=1.6)
    for label, colour in zip([1, -1] if is_one_class else result.model.classes_, CLASS_COLOURS, strict=True):
        axes.plot(*X[y == label].T, ".", color=colour, markersize=2.2, alpha=0.75)
    draw_title(
        axes, "Normal region, latest examples" if is_one_class else "Decision boundary, margins, latest examples"
    )
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_aspect("equal")
    axes.spines[:].set_visible(False)


def _is_one_class(result: TrainResult) -> bool:
    return traits(result.model).task == "one-class"

"""The picture of a training run. Imports matplotlib, so it is imported only when a picture is wanted."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator, StrMethodFormatter
from scipy.sparse import issparse

from hinge.cli._compare import Exact
from hinge.cli._learn import N_SHOWN, Learned
from hinge.cli._models import class_names, is_approximate, is_detector, parts
from hinge.io.atomic import replacing

INK, MUTED = "#22262e", "#8b93a1"
ONLINE, EXACT, SUPPORT = "#2563eb", "#d97706", "#0d9488"
CLASS_COLOURS = ("#2563eb", "#dc2626")
MAP_COLOURS = ("#93b4f5", "#c9dafb", "#fbd0d0", "#f2a1a1")
GRID_POINTS = 240
FORMATS = frozenset(FigureCanvasBase.filetypes)


def draw_training(file: Path, learned: Learned, exact: Exact | None) -> None:
    """Draw the learning curve, the parts of the model over time and, for two classes in the plane, the boundary."""
    plane = bool(learned.shown) and (is_detector(learned.model) or len(class_names(learned.model)) == 2)
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.08)
    figure = Figure(figsize=(11, 5) if plane else (10, 4), layout=layout, dpi=150, facecolor="white")
    axes = figure.subplot_mosaic("pe;ps" if plane else "es")
    _draw_error(axes["e"], learned, exact)
    _draw_parts(axes["s"], learned, exact)
    if plane:
        _draw_plane(axes["p"], learned)
    with replacing(file) as unfinished:
        figure.savefig(unfinished, format=file.suffix.lstrip(".").lower())


def _draw_error(axes: Axes, learned: Learned, exact: Exact | None) -> None:
    seen, error, _ = zip(*learned.curve, strict=True)
    axes.plot(seen, error, color=ONLINE, linewidth=2, label=f"before learning each example: {error[-1]:.2f} %")
    if learned.test_error is not None:
        label = f"online, on test rows: {learned.test_error:.2f} %"
        axes.plot(seen[-1], learned.test_error, "o", color=ONLINE, markersize=7, clip_on=False, zorder=5, label=label)
    if exact is not None and exact.test_error is not None:
        label = f"{exact.name}, on test rows: {exact.test_error:.2f} %"
        axes.axhline(exact.test_error, color=EXACT, linestyle="--", label=label)
    axes.set_ylim(0, 1.3 * max(error[len(error) // 10 :]) or 1.0)
    _title(axes, "Rows misjudged, %" if is_detector(learned.model) else "Error, %")
    _finish(axes)


def _draw_parts(axes: Axes, learned: Learned, exact: Exact | None) -> None:
    seen, _, kept = zip(*learned.curve, strict=True)
    axes.plot(seen, kept, color=SUPPORT, linewidth=2, label=f"online: {learned.n_parts:,} in {learned.seconds:.1f} s")
    if exact is not None and not is_approximate(learned.model):  # features and support vectors cannot be compared
        label = f"{exact.name}: {exact.n_support:,} in {exact.seconds:.1f} s"
        axes.axhline(exact.n_support, color=EXACT, linestyle="--", label=label)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    _title(axes, parts(learned.model).capitalize())
    _finish(axes)


def _title(axes: Axes, text: str) -> None:
    axes.set_title(text, color=INK, fontsize=11, loc="left", fontweight="bold")


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


def _draw_plane(axes: Axes, learned: Learned) -> None:
    X = np.concatenate([X.toarray() if issparse(X) else X for X, _ in learned.shown])[-N_SHOWN:]
    y = np.concatenate([y for _, y in learned.shown])[-N_SHOWN:]
    low, high = X.min(), X.max()
    across = up = np.linspace(low, high, GRID_POINTS)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    decision = learned.model.decision_function(grid).reshape(GRID_POINTS, GRID_POINTS)
    one_class = is_detector(learned.model)
    levels, colours = ([0], MAP_COLOURS[1:3][::-1]) if one_class else ([-1, 0, 1], MAP_COLOURS)
    axes.contourf(across, up, decision, levels=[-np.inf, *levels, np.inf], colors=colours)
    axes.contour(across, up, decision, levels=[0], colors=INK, linewidths=1.6)
    for label, colour in zip([1, -1] if one_class else learned.model.classes_, CLASS_COLOURS, strict=True):
        axes.plot(*X[y == label].T, ".", color=colour, markersize=2.2, alpha=0.75)
    _title(axes, "What is normal, latest examples" if one_class else "Decision boundary, margins, latest examples")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_aspect("equal")
    axes.spines[:].set_visible(False)

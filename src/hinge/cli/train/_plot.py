"""Whether and where to plot a training run. matplotlib is optional and slow to import; only `_figure` imports it."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from hinge.cli.train._compare import SklearnResult
    from hinge.cli.train._learn import TrainResult
    from hinge.cli.train._tune import Tuning

INSTALL_HINT = "none; to get one: pip install 'hinge-svm[plot]'"


def choose_plot_file(wanted: Path | None, *, default: Path | None) -> Path | None:
    """Return where to save the plot; None if the user has not asked for one and matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        if wanted is not None:
            raise ModuleNotFoundError("--plot needs matplotlib; install it with: pip install 'hinge-svm[plot]'")
        return None
    if wanted is not None:
        from hinge.cli.train._figure import FORMATS  # noqa: PLC0415

        if wanted.suffix.lstrip(".").lower() not in FORMATS:
            raise ParameterError(f"--plot must name a file that ends in .png, .svg, .pdf or the like, got {wanted}.")
    return wanted or default


def save_plot(
    file: Path | None,
    result: TrainResult,
    peer: SklearnResult | None,
    terminal: Console,
    *,
    name: str,
    tuning: Tuning | None,
) -> str | None:
    """Save the plot, if there is one to draw, and return its name; an error is reported and must not end the run."""
    if file is None or not result.curve or result.is_interrupted:
        return None
    from hinge.cli.train._figure import draw_training  # noqa: PLC0415

    try:
        draw_training(file, name, result, peer, tuning)
    except OSError as error:
        terminal.print(f"The plot could not be saved: {error}", markup=False)
        return None
    return str(file)

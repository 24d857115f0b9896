"""Whether and where a picture is drawn; matplotlib is optional and slow to import."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from hinge.exceptions import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from hinge.cli._compare import Exact
    from hinge.cli._learn import Learned

NO_PICTURE = "none; for one: pip install 'hinge[plot]'"


def picture_file(wanted: Path | None, *, default: Path | None) -> Path | None:
    """Return where the picture goes: nowhere when nobody asked for it and matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        if wanted is not None:
            raise ModuleNotFoundError("--plot needs matplotlib; install it with: pip install 'hinge[plot]'")
        return None
    if wanted is not None:
        from hinge.cli._picture import FORMATS  # noqa: PLC0415

        if wanted.suffix.lstrip(".").lower() not in FORMATS:
            raise ParameterError(f"--plot must name a file that ends in .png, .svg, .pdf or the like, got {wanted}.")
    return wanted or default


def draw(file: Path | None, learned: Learned, exact: Exact | None, terminal: Console) -> str | None:
    """Draw the picture, if one is wanted; return its name. What goes wrong here must not cost the results."""
    if file is None or not learned.curve or learned.interrupted:
        return None
    from hinge.cli._picture import draw_training  # noqa: PLC0415

    try:
        draw_training(file, learned, exact)
    except OSError as error:
        terminal.print(f"There is no picture: {error}", markup=False)
        return None
    return str(file)

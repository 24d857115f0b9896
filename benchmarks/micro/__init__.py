"""Single measurements, one module each: `python -m benchmarks.micro [NAME ...]`.

Every module has a function `measure(quick)` that returns a `Section`; some also accept `full`, which checks every step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Section:
    """A small table, and optionally a function that draws its figure into a file."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    draw: Callable[[Path], None] | None = None

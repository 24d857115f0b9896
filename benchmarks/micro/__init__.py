"""Single claims, one small module each: `python -m benchmarks.micro [NAME ...]`.

Every module has a function `measure(quick)` that returns a `Section`; some can also look at every step (`full`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Section:
    """A small table, and what draws its picture into a file where there is one."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    draw: Callable[[Path], None] | None = None

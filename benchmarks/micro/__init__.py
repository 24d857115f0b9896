"""Single claims, one small module each: `python -m benchmarks.micro [NAME ...]`.

Every module has a function `measure(quick)` that returns a `Section`.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """A small table."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

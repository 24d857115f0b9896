"""What the command `hinge export` has to know about a file format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sklearn.base import BaseEstimator


@dataclass(frozen=True)
class FileFormat:
    """A file format that models can be written in.

    Attributes
    ----------
    name : str
        As in `hinge export --to NAME`.
    title : str
        The name in messages.
    suffixes : tuple of str
        Suffixes of file names by which the format is recognised.
    write : callable
        Called with a model and a path.
    describe : callable or None
        Returns a phrase about the file of a model.
    has_integer_labels : bool
        Whether labels must be integers. `write` then takes `labels`, the integers to write instead of the labels.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    write: Callable[..., object]
    describe: Callable[[BaseEstimator], str] | None = None
    has_integer_labels: bool = False

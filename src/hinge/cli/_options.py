"""Arguments and options that several commands share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from hinge.exceptions import ParameterError

# Names for help pages, which must not wait for the libraries that need NumPy and SciPy.
MODEL_NAMES = ("online", "robust", "tracking", "perceptron", "incremental", "one-class", "adaptive", "approximate")
EXPORT_FORMATS, EXPORT_SUFFIXES = ("onnx", "libsvm"), (".onnx", ".libsvm", ".model")
COLUMN_KINDS = ("number", "category", "boolean", "date", "text", "id")

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A file written by `hinge train` or `hinge.save`.")]
DataFile = Annotated[str, typer.Argument(metavar="DATA", help="A data file, or - for standard input.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Missing = Annotated[str | None, typer.Option(metavar="error|fill", help="How to handle missing values.")]
Unknown = Annotated[str | None, typer.Option(metavar="error|ignore", help="How to handle unknown categories.")]
Header = Annotated[bool | None, typer.Option("--header/--no-header", help="The first line of a CSV file holds names.")]
BadRows = Annotated[
    str,
    typer.Option("--bad-rows", metavar="error|skip", help="CSV rows with too many or few fields.", show_default=False),
]
Format = Annotated[
    str | None, typer.Option("--format", metavar="NAME", help="svmlight, csv, parquet or npz. [guessed]")
]


def split_names(text: str | None) -> tuple[str, ...]:
    """Split names at commas.

    Examples
    --------
    >>> split_names("age, city")
    ('age', 'city')
    """
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def split_kinds(given: Sequence[str] | None) -> tuple[tuple[str, str], ...]:
    """Split the values of --kind into columns and kinds.

    Examples
    --------
    >>> split_kinds(["zip=category", "a=b=text"])
    (('zip', 'category'), ('a=b', 'text'))
    """
    pairs = [tuple(part.strip() for part in text.rpartition("=")[::2]) for text in given or ()]
    for text, (name, kind) in zip(given or (), pairs, strict=True):
        if not name or not kind:
            raise ParameterError(f"--kind must name a column and its kind, such as zip=category, got {text!r}.")
    return tuple((name, kind) for name, kind in pairs)


def parse_gamma(text: str | None) -> float | str | None:
    """Parse the value of --gamma: a number, or a word that the estimator checks.

    Examples
    --------
    >>> parse_gamma("0.5"), parse_gamma("scale"), parse_gamma(None)
    (0.5, 'scale', None)
    """
    try:
        return text if text is None else float(text)
    except ValueError:
        return text


def offering(*words: str) -> Callable[[], list[str]]:
    """Return a function that offers words for completion in the shell."""
    return lambda: list(words)

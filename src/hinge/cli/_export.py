"""What `hinge export` does: a model for other tools."""

import json
from pathlib import Path

import typer

from hinge.cli._files import is_stream, require_writable, through
from hinge.cli._models import class_names
from hinge.cli._prepared import split
from hinge.exceptions import ParameterError
from hinge.export import FORMATS, FileFormat
from hinge.persistence import load

_NAMES = [each.name for each in FORMATS]
_SUFFIXES = [suffix for each in FORMATS for suffix in each.suffixes]
_NUMBERED = " or ".join(each.title for each in FORMATS if each.has_integer_labels)


def run_export(
    model: Path,
    *,
    output: Path,
    target: str | None,
    number_classes: bool,
    json_only: bool,
) -> None:
    """Write a model in another format; the arguments are those of the command."""
    chosen = _choose_format(output, target, number_classes=number_classes)
    require_writable(output, model)
    loaded = load(model)
    estimator, _ = split(loaded)
    classes = class_names(estimator)
    with through(output) as file:
        chosen.write(loaded, file, **({"labels": range(len(classes))} if number_classes else {}))
    if json_only:
        typer.echo(json.dumps({"file": str(output), "format": chosen.name, "classes": classes}), err=is_stream(output))
        return
    description = chosen.title if chosen.describe is None else f"{chosen.title}, {chosen.describe(estimator)}"
    numbers = ", ".join(f"{number} is {name}" for number, name in enumerate(classes)) if number_classes else ""
    typer.echo(f"{output}: {description}{numbers and '; '}{numbers}", err=is_stream(output))


def _choose_format(output: Path, target: str | None, *, number_classes: bool) -> FileFormat:
    """Return the format that `--to` names or, without it, the suffix of the file."""
    suffix = output.suffix.lower()
    chosen = next((each for each in FORMATS if (target == each.name if target else suffix in each.suffixes)), None)
    if chosen is None:
        raise ParameterError(
            f"--to must be {' or '.join(_NAMES)} unless the file name ends in {', '.join(_SUFFIXES)}, "
            f"got {target or output.name!r}."
        )
    if number_classes and not chosen.has_integer_labels:
        raise ParameterError(
            f"--number-classes is for {_NUMBERED}, whose labels are integers; leave it out for {chosen.title}."
        )
    return chosen

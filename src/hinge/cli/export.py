"""`hinge export`: a model for other tools."""

import json
from pathlib import Path
from typing import Annotated

import typer

from hinge import export as exports
from hinge.cli._files import require_writable
from hinge.cli._models import class_names
from hinge.cli._options import Json, ModelFile
from hinge.cli._prepared import split
from hinge.exceptions import ParameterError
from hinge.persistence import load
from hinge.streaming import Model, traits

FORMATS = {suffix: each.name for each in exports.FORMATS for suffix in each.suffixes}

Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Ends in .onnx, .libsvm or .model.")]
Target = Annotated[str | None, typer.Option("--to", metavar="onnx|libsvm", help="For other file names.")]
Numbered = Annotated[bool, typer.Option("--number-classes", help="Write 0, 1, 2, ... for classes (LIBSVM).")]


def export(
    model: ModelFile,
    *,
    output: Output,
    target: Target = None,
    number_classes: Numbered = False,
    json_only: Json = False,
) -> None:
    """Write a model in ONNX or LIBSVM format.

    Example: hinge export income.hinge -o income.onnx
    """
    target = _choose_target(output, target, number_classes=number_classes)
    require_writable(output, model)
    loaded = load(model)
    estimator, _ = split(loaded)
    if traits(estimator).task == "one-class":
        raise ParameterError(
            f"Only classifiers and regressors can be exported, and {model} is a one-class model; "
            "load it in Python with hinge.load."
        )
    classes = class_names(estimator)
    if target == "onnx":
        exports.to_onnx(loaded, output)
        description = f"ONNX, inputs as in training, {_describe_outputs(estimator)}"
    else:
        exports.to_libsvm(loaded, output, labels=range(len(classes)) if number_classes else None)
        numbers = ", ".join(f"{number} is {name}" for number, name in enumerate(classes))
        description = "LIBSVM model" + (f"; {numbers}" if number_classes else "")
    if json_only:
        typer.echo(json.dumps({"file": str(output), "format": target, "classes": classes}))
    else:
        typer.echo(f"{output}: {description}")


def _choose_target(output: Path, target: str | None, *, number_classes: bool) -> str:
    chosen = target or FORMATS.get(output.suffix.lower(), "")
    if chosen not in FORMATS.values():
        raise ParameterError(
            f"--to must be onnx or libsvm if the file name ends in neither, got {target or output.name!r}."
        )
    if number_classes and chosen == "onnx":
        raise ParameterError("--number-classes is for LIBSVM, whose labels are numbers; leave it out for ONNX.")
    return chosen


def _describe_outputs(estimator: Model) -> str:
    if traits(estimator).task == "regression":
        return "output value"
    has_probabilities = hasattr(estimator, "predict_proba")
    return "outputs label, scores and probabilities" if has_probabilities else "outputs label and scores"

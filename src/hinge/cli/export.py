"""`hinge export`: a model for other tools."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from hinge import export as exports
from hinge.cli._files import require_writable
from hinge.cli._models import class_names, is_detector, is_regression
from hinge.cli._options import Json, ModelFile
from hinge.cli._wrapping import unwrapped
from hinge.exceptions import ParameterError
from hinge.persistence import load

FORMATS = {suffix: each.name for each in exports.FORMATS for suffix in each.suffixes}

Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Ends in .onnx, .libsvm or .model.")]
Target = Annotated[str | None, typer.Option("--to", metavar="onnx|libsvm", help="Needed if the name does not tell.")]
Numbered = Annotated[bool, typer.Option("--number-classes", help="Write 0, 1, 2, ... for classes (LIBSVM).")]


def export(
    model: ModelFile,
    *,
    output: Output,
    target: Target = None,
    number_classes: Numbered = False,
    json_only: Json = False,
) -> None:
    """Write a model in the format of ONNX or of LIBSVM.

    Example: hinge export income.hinge -o income.onnx
    """
    target = target or FORMATS.get(output.suffix.lower())
    if target not in FORMATS.values():
        raise ParameterError(
            f"--to must be onnx or libsvm where the name of the file does not tell, got {target or output.name!r}."
        )
    if number_classes and target == "onnx":
        raise ParameterError("--number-classes is for LIBSVM, whose labels are numbers; leave it out for ONNX.")
    require_writable(output, model)
    estimator = load(model)
    if is_detector(unwrapped(estimator)[0]):
        raise ParameterError(
            f"Only classifiers can be exported, and {model} knows one class; hinge.load takes it into Python."
        )
    classes = class_names(unwrapped(estimator)[0])
    if target == "onnx":
        exports.to_onnx(estimator, output)
        words = f"ONNX, inputs as when the model was trained, {_outputs(estimator)}"
    else:
        exports.to_libsvm(estimator, output, labels=range(len(classes)) if number_classes else None)
        numbers = ", ".join(f"{number} is {name}" for number, name in enumerate(classes))
        words = "LIBSVM model" + (f"; {numbers}" if number_classes else "")
    if json_only:
        typer.echo(json.dumps({"file": str(output), "format": target, "classes": classes}))
    else:
        typer.echo(f"{output}: {words}")


def _outputs(estimator: Any) -> str:
    """Return what comes out of a graph."""
    inner = unwrapped(estimator)[0]
    if is_regression(inner):
        return "output value"
    return "outputs label, scores and probabilities" if hasattr(inner, "predict_proba") else "outputs label and scores"

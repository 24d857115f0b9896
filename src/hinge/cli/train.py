"""`hinge train`: learn example by example, write the model and, if wanted, a comparison and a picture."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hinge._fit.progress import Terminal
from hinge.cli._compare import Exact, solve
from hinge.cli._files import Checkpoint, require_writable, save_or_rescue
from hinge.cli._learn import Learned, learn
from hinge.cli._lesson import Files, Lesson, begun, resumed
from hinge.cli._material import Wishes
from hinge.cli._models import MODELS, class_names, gamma_of
from hinge.cli._options import Format, Header, Json, names
from hinge.cli._plot import NO_PICTURE, draw, picture_file
from hinge.cli._report import describe, show, summarise
from hinge.exceptions import DataError, ParameterError

DEFAULT_MODEL, DEFAULT_PICTURE, DEMONSTRATION = Path("model.hinge"), Path("train.png"), "spirals"
INTERRUPTED = 130

Data = Annotated[str, typer.Argument(help="A file, - for standard input, or a known data set.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="The model. [model.hinge]")]
Resume = Annotated[Path | None, typer.Option(metavar="FILE", help="Go on learning with this model.")]
Test = Annotated[str | None, typer.Option(metavar="FILE", help="Rows to test with at the end.")]
Label = Annotated[str | None, typer.Option(metavar="COLUMN", help="Label column: name, or number from 0.")]
Drop = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns to leave out, with commas.")]
Categorical = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns of numbers that are names.")]
Missing = Annotated[str | None, typer.Option(metavar="error|drop|fill", help="What to do about missing values.")]
Unknown = Annotated[str | None, typer.Option(metavar="error|ignore", help="And about categories not learned.")]
Scale = Annotated[str | None, typer.Option(metavar="HOW", help="auto, standard, largest or none.")]
ModelName = Annotated[str | None, typer.Option("--model", metavar="NAME", help=f"One of: {', '.join(MODELS)}.")]
Cost = Annotated[float | None, typer.Option("--C", metavar="X", help="Cost of an error.")]
Kernel = Annotated[str | None, typer.Option(metavar="NAME", help="rbf, linear, poly, sigmoid or laplacian.")]
Gamma = Annotated[str | None, typer.Option(metavar="X", help="Width of the kernel: a number, scale or auto.")]
MaxSupport = Annotated[int | None, typer.Option(metavar="N", help="Support vectors to keep at most.")]
MaxExamples = Annotated[int | None, typer.Option(metavar="N", help="Examples that an exact model holds at most.")]
Nu = Annotated[float | None, typer.Option(metavar="X", help="Share of outliers at most (one-class). [0.1]")]
Shape = Annotated[str | None, typer.Option(metavar="NAME", help="plane or sphere (one-class).")]
Normal = Annotated[str | None, typer.Option(metavar="LABEL", help="Learn rows of this label only (one-class).")]
Components = Annotated[int | None, typer.Option(metavar="N", help="Features at most (approximate). [512]")]
Approximation = Annotated[str | None, typer.Option(metavar="NAME", help="nystroem or fourier (approximate).")]
Loss = Annotated[str | None, typer.Option(metavar="NAME", help="hinge, squared_hinge or log_loss (approximate).")]
CacheSize = Annotated[float | None, typer.Option(metavar="MB", help="Memory for kernel values. [200]")]
Epochs = Annotated[int, typer.Option(min=1, metavar="N", help="Passes over the rows. [1]", show_default=False)]
Compare = Annotated[bool | None, typer.Option("--compare/--no-compare", help="Train scikit-learn's model as well.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw error and size of the model.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the order of rows. [0]", show_default=False)]


def train(
    data: Data = DEMONSTRATION,
    *,
    output: Output = None,
    resume: Resume = None,
    test: Test = None,
    label: Label = None,
    drop: Drop = None,
    categorical: Categorical = None,
    missing: Missing = None,
    unknown: Unknown = None,
    scale: Scale = None,
    data_format: Format = None,
    header: Header = None,
    model: ModelName = None,
    C: Cost = None,
    kernel: Kernel = None,
    gamma: Gamma = None,
    max_support: MaxSupport = None,
    max_examples: MaxExamples = None,
    nu: Nu = None,
    shape: Shape = None,
    normal: Normal = None,
    components: Components = None,
    approximation: Approximation = None,
    loss: Loss = None,
    cache_size: CacheSize = None,
    epochs: Epochs = 1,
    compare: Compare = None,
    plot: Plot = None,
    seed: Seed = 0,
    json_only: Json = False,
) -> None:
    """Learn from DATA example by example; save a model.

    Example: hinge train adult.csv --label income --missing fill -o income.hinge
    """
    parameters = {"C": C, "kernel": kernel, "gamma": gamma_of(gamma), "max_support": max_support}
    parameters |= {"cache_size": cache_size, "max_examples": max_examples, "nu": nu, "shape": shape}
    parameters |= {"n_components": components, "approximation": approximation, "loss": loss}
    wishes = Wishes(label, names(drop), names(categorical), missing, unknown, scale, normal, seed)
    files = Files(data, test, data_format, header)
    output = output or resume or DEFAULT_MODEL
    picture = picture_file(plot, default=None if files.are_files else DEFAULT_PICTURE)
    require_writable(output, *files.named)
    require_writable(picture, *files.named, resume, output)
    terminal = Terminal(quiet=json_only)
    if resume is not None:
        if model is not None:
            raise ParameterError("--model must be left out with --resume: the file says what the model is.")
        lesson = resumed(resume, files, wishes, parameters)
    else:
        lesson = begun(model or "online", files, wishes, parameters, terminal)
    lesson.require_fitting(epochs=epochs, compare=compare)
    terminal.print(describe(lesson.material, guessed=lesson.label_guessed), highlight=False, markup=False)
    learned = _learn_and_save(lesson, epochs, output, terminal)
    exact = _test(lesson, learned, compare, terminal)
    summary = summarise(lesson.material, learned, exact, epochs) | {"model": str(output)}
    summary["picture"] = draw(picture, learned, exact, terminal)
    if json_only:
        typer.echo(json.dumps(summary))
    elif not learned.interrupted:
        show(summary, Console())
        if picture is None and not files.are_files:
            Console().print(f"Picture: {NO_PICTURE}", markup=False)
    if learned.interrupted:
        terminal.print(f"Stopped after {learned.model.n_seen_:,} examples; the model so far is in {output}.")
        raise typer.Exit(INTERRUPTED)


def _learn_and_save(lesson: Lesson, epochs: int, output: Path, terminal: Console) -> Learned:
    """Learn; whatever ends it, what was learned is in the file."""
    known = class_names(lesson.model) if hasattr(lesson.model, "_state") else None
    checkpoint = Checkpoint(lesson.wrapped, output)
    learned = learn(lesson.model, lesson.material, epochs, checkpoint, terminal)
    save_or_rescue(lesson.wrapped(learned.model), output)
    if learned.failure is not None:
        raise DataError(f"{learned.failure} What was learned before is in {output}.")
    new = [name for name in class_names(learned.model) if known is not None and name not in known]
    if new:
        terminal.print(f"Classes that the model did not know before: {', '.join(new)}.", highlight=False, markup=False)
    return learned


def _test(lesson: Lesson, learned: Learned, compare: bool | None, terminal: Console) -> Exact | None:
    """Test the model, and scikit-learn's beside it if wanted; Ctrl-C leaves this out."""
    if learned.interrupted:
        return None
    try:
        learned.test_error, learned.outliers = lesson.test_error(learned.model), lesson.outliers(learned.model)
        return solve(lesson, terminal) if lesson.compares(compare) else None
    except KeyboardInterrupt:
        learned.interrupted = True
        return None

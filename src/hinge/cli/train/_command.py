"""The options of `hinge train`, and what happens in which order."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hinge import streaming
from hinge._terminal import Terminal
from hinge.cli._files import require_writable
from hinge.cli._interrupts import INTERRUPTED
from hinge.cli._models import MODELS, class_names
from hinge.cli._options import Format, Header, Json, parse_gamma, split_names
from hinge.cli.train._checkpoint import Checkpoint, save_or_rescue
from hinge.cli.train._compare import SklearnResult, train_sklearn
from hinge.cli.train._job import Inputs, TrainJob, new_job, resumed_job
from hinge.cli.train._learn import TrainResult, learn
from hinge.cli.train._plot import INSTALL_HINT, choose_plot_file, save_plot
from hinge.cli.train._report import describe, show, summarise
from hinge.cli.train._sources import PreparationOptions
from hinge.exceptions import DataError, ParameterError

DEFAULT_MODEL, DEFAULT_PLOT, DEMONSTRATION = Path("model.hinge"), Path("train.png"), "spirals"

Data = Annotated[str, typer.Argument(help="A file, - for standard input, or a known data set.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="The model file. [model.hinge]")]
Resume = Annotated[Path | None, typer.Option(metavar="FILE", help="Continue to train this model.")]
Test = Annotated[str | None, typer.Option(metavar="FILE", help="Rows to test the model with.")]
Label = Annotated[str | None, typer.Option(metavar="COLUMN", help="Label column: name, or number from 0.")]
Drop = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns to leave out, separated by commas.")]
Categorical = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns of numbers that are categories.")]
Missing = Annotated[str | None, typer.Option(metavar="error|drop|fill", help="How to handle missing values.")]
Unknown = Annotated[str | None, typer.Option(metavar="error|ignore", help="How to handle unknown categories.")]
Scale = Annotated[str | None, typer.Option(metavar="HOW", help="auto, standard, largest or none.")]
ModelName = Annotated[str | None, typer.Option("--model", metavar="NAME", help=f"One of: {', '.join(MODELS)}.")]
Cost = Annotated[float | None, typer.Option("--C", metavar="X", help="Cost of an error.")]
Kernel = Annotated[str | None, typer.Option(metavar="NAME", help="rbf, linear, poly, sigmoid or laplacian.")]
Gamma = Annotated[str | None, typer.Option(metavar="X", help="Kernel coefficient: a number, scale or auto.")]
MaxSupport = Annotated[int | None, typer.Option(metavar="N", help="Maximum number of support vectors.")]
MaxExamples = Annotated[int | None, typer.Option(metavar="N", help="Maximum number of examples (exact models).")]
Evict = Annotated[str | None, typer.Option(metavar="RULE", help="balanced, relevance, weight or age (exact).")]
Nu = Annotated[float | None, typer.Option(metavar="X", help="Maximum share of outliers (one-class). [0.1]")]
Shape = Annotated[str | None, typer.Option(metavar="NAME", help="plane or sphere (one-class).")]
Normal = Annotated[str | None, typer.Option(metavar="LABEL", help="Learn only rows with this label (one-class).")]
Components = Annotated[int | None, typer.Option(metavar="N", help="Maximum number of features (approximate). [512]")]
Approximation = Annotated[str | None, typer.Option(metavar="NAME", help="nystroem or fourier (approximate).")]
Loss = Annotated[str | None, typer.Option(metavar="NAME", help="hinge, squared_hinge or log_loss (approximate).")]
CacheSize = Annotated[
    float | None, typer.Option(metavar="MB", help="Memory for kernel values. [online models: up to 1000, others: 200]")
]
Epochs = Annotated[int, typer.Option(min=1, metavar="N", help="Passes over the rows. [1]", show_default=False)]
Compare = Annotated[bool | None, typer.Option("--compare/--no-compare", help="Train scikit-learn's model too.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="Plot the error and size of the model.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed for the order of rows. [0]", show_default=False)]


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
    eviction: Evict = None,
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
    """Train a model on DATA, example by example, and save it.

    Example: hinge train adult.csv --label income --missing fill -o income.hinge
    """
    parameters = {"C": C, "kernel": kernel, "gamma": parse_gamma(gamma), "max_support": max_support}
    parameters |= {"cache_size": cache_size, "max_examples": max_examples, "eviction": eviction}
    parameters |= {"nu": nu, "shape": shape}
    parameters |= {"n_components": components, "approximation": approximation, "loss": loss}
    options = PreparationOptions(label, split_names(drop), split_names(categorical), missing, unknown, scale, normal)
    inputs = Inputs(data, test, data_format, header)
    output = output or resume or DEFAULT_MODEL
    plot = choose_plot_file(plot, default=None if inputs.is_file else DEFAULT_PLOT)
    require_writable(output, *inputs.files)
    require_writable(plot, *inputs.files, resume, output)
    terminal = Terminal(quiet=json_only)
    if resume is None:
        job = new_job(model or "online", inputs, options, parameters, seed=seed, terminal=terminal)
    elif model is None:
        job = resumed_job(resume, inputs, options, parameters, seed=seed)
    else:
        raise ParameterError("--model must be left out with --resume: the file holds the kind of model.")
    job.check(epochs=epochs, compare=compare)
    terminal.print(describe(job), highlight=False, markup=False)
    result = _learn_and_save(job, epochs, output, terminal)
    peer = _evaluate(job, result, compare, terminal)
    summary = summarise(job.source, result, peer, epochs) | {"model": str(output)}
    summary["picture"] = save_plot(plot, result, peer, terminal)
    if json_only:
        typer.echo(json.dumps(summary))
    elif not result.is_interrupted:
        show(summary, Console(), hint=INSTALL_HINT if plot is None and not inputs.is_file else None)
    if result.is_interrupted:
        terminal.print(f"Stopped after {result.model.n_seen_:,} examples; the model so far is in {output}.")
        raise typer.Exit(INTERRUPTED)


def _learn_and_save(job: TrainJob, epochs: int, output: Path, terminal: Console) -> TrainResult:
    """Learn, and save what was learned even if learning ends early."""
    known = class_names(job.model) if streaming.is_fitted(job.model) else None
    result = learn(job.model, job.source, epochs, Checkpoint(job.join, output), terminal)
    save_or_rescue(job.join(result.model), output)
    if result.failure is not None:
        raise DataError(f"{result.failure} The model trained on the rows before it is in {output}.")
    new = [name for name in class_names(result.model) if known is not None and name not in known]
    if new:
        terminal.print(f"New classes: {', '.join(new)}.", highlight=False, markup=False)
    return result


def _evaluate(job: TrainJob, result: TrainResult, compare: bool | None, terminal: Console) -> SklearnResult | None:
    """Test the model, and train scikit-learn's for comparison; Ctrl-C skips the rest."""
    if result.is_interrupted:
        return None
    try:
        result.test_error, result.outliers = job.test_error(result.model), job.outlier_metrics(result.model)
        return train_sklearn(job, terminal) if job.is_compared(compare) else None
    except KeyboardInterrupt:
        result.is_interrupted = True
        return None

"""The options of `hinge train`. `_run` does the work; it needs libraries that take a second to import."""

from pathlib import Path
from typing import Annotated, Any

import typer

from hinge.cli._config import Config, SaveConfig, save_config
from hinge.cli._interrupts import exit_on_interrupt
from hinge.cli._options import (
    COLUMN_KINDS,
    MODEL_NAMES,
    BadRows,
    Format,
    Header,
    Json,
    offering,
    parse_gamma,
    split_kinds,
    split_names,
)

DEMONSTRATION = "spirals"

SECTIONS = {  # of the help page; other options come last
    "Files": (
        "output",
        "resume",
        "in_place",
        "test",
        "data_format",
        "header",
        "bad_rows",
        "plot",
        "config",
        "save_config_to",
        "json_only",
    ),
    "Columns": (
        *("label", "drop", "keep", "kind", "categories", "date_columns", "text", "decimal", "thousands", "day_first"),
        *("missing", "missing_values", "unknown", "scale"),
    ),
    "Labels": ("task", "merge_labels", "class_weight", "balance", "threshold", "probabilities", "normal"),
    "Model": (
        *("model", "C", "kernel", "gamma", "max_support", "max_examples", "eviction", "nu", "shape", "components"),
        *("approximation", "loss", "epsilon", "tune", "no_tune"),
    ),
}
KIND_HELP = f"{', '.join(COLUMN_KINDS)}; may be repeated."

Data = Annotated[str, typer.Argument(help="A file, - for standard input, or a known data set.", show_default=False)]
Output = Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="The model file. [model.hinge]")]
Resume = Annotated[Path | None, typer.Option(metavar="FILE", help="Continue to train this model.")]
InPlace = Annotated[bool, typer.Option("--in-place", help="Write the model of --resume to its own file.")]
Test = Annotated[str | None, typer.Option(metavar="FILE", help="Rows to test the model with.")]
Label = Annotated[str | None, typer.Option(metavar="COLUMN", help="Label column: name, or number from 0.")]
Drop = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns to leave out: a,b or x*.")]
Keep = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns to use besides the label.")]
Categories = Annotated[
    str | None, typer.Option("--categories", "--categorical", metavar="COLUMNS", help="Numbers that are categories.")
]
DateColumns = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns of dates.")]
Text = Annotated[str | None, typer.Option(metavar="COLUMNS", help="Columns of sentences.")]
Kind = Annotated[list[str] | None, typer.Option(metavar="COLUMN=KIND", help=KIND_HELP)]
Decimal = Annotated[str | None, typer.Option(metavar=".|,", help="Decimal sign, where 1,234 leaves a choice.")]
Thousands = Annotated[str | None, typer.Option(metavar=".|,|'", help="What groups digits, likewise.")]
DayFirst = Annotated[bool | None, typer.Option("--day-first/--month-first", help="Which of 1/2/2024 is the day.")]
MergeLabels = Annotated[bool | None, typer.Option("--merge-labels", help="Yes, yes and YES are one class.")]
Balance = Annotated[bool, typer.Option("--balance", help="As --class-weight balanced.")]
ClassWeight = Annotated[str | None, typer.Option(metavar="WEIGHTS", help="balanced, or CLASS=WEIGHT,...")]
Threshold = Annotated[str | None, typer.Option(metavar="HOW", help="f1, recall=R or cost=X of the rarer class, or X.")]
Probabilities = Annotated[bool, typer.Option("--probabilities", help="Calibrate probabilities of the classes.")]
Missing = Annotated[str | None, typer.Option(metavar="error|drop|fill", help="How to handle missing values.")]
MissingValues = Annotated[
    str | None,
    typer.Option("--missing-values", metavar="WORDS", help="What stands for missing: ERR,-999."),
]
Unknown = Annotated[str | None, typer.Option(metavar="error|ignore", help="How to handle unknown categories.")]
Scale = Annotated[str | None, typer.Option(metavar="HOW", help="auto, standard, largest, range or none.")]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        autocompletion=offering(*MODEL_NAMES),
        help=f"One of: {', '.join(MODEL_NAMES)}.",
    ),
]
Task = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=offering("classification", "regression", "anomaly"),
        help="classification, regression or anomaly. [auto]",
    ),
]
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
Epsilon = Annotated[float | None, typer.Option(metavar="X", help="Deviations that cost nothing (regression). [0.1]")]
CacheSize = Annotated[float | None, typer.Option(metavar="MB", help="Memory for kernel values. [auto]")]
Tune = Annotated[str | None, typer.Option(metavar="TIME", help="Time to choose C and gamma, such as 90s or 10m. [60s]")]
NoTune = Annotated[bool, typer.Option("--no-tune", help="Leave C and gamma at their defaults.")]
MaxTime = Annotated[str | None, typer.Option(metavar="TIME", help="Time for learning, such as 90s; then stop.")]
Threads = Annotated[int | None, typer.Option("--n-jobs", metavar="N", help="Threads; -1: all processors.")]
Epochs = Annotated[int, typer.Option(min=1, metavar="N", help="Passes over the rows. [1]", show_default=False)]
Compare = Annotated[bool | None, typer.Option("--compare/--no-compare", help="Train scikit-learn's SVC and trees too.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="Plot the error and size of the model.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed for the order of rows. [0]", show_default=False)]


def train(
    ctx: typer.Context,
    data: Data = DEMONSTRATION,
    *,
    config: Config = None,  # noqa: ARG001  read before the others
    save_config_to: SaveConfig = None,
    output: Output = None,
    resume: Resume = None,
    in_place: InPlace = False,
    test: Test = None,
    label: Label = None,
    drop: Drop = None,
    keep: Keep = None,
    categories: Categories = None,
    date_columns: DateColumns = None,
    text: Text = None,
    kind: Kind = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    day_first: DayFirst = None,
    merge_labels: MergeLabels = None,
    balance: Balance = False,
    class_weight: ClassWeight = None,
    threshold: Threshold = None,
    probabilities: Probabilities = False,
    missing: Missing = None,
    missing_values: MissingValues = None,
    unknown: Unknown = None,
    scale: Scale = None,
    data_format: Format = None,
    header: Header = None,
    bad_rows: BadRows = "error",
    task: Task = None,
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
    epsilon: Epsilon = None,
    cache_size: CacheSize = None,
    n_jobs: Threads = None,
    epochs: Epochs = 1,
    tune: Tune = None,
    no_tune: NoTune = False,
    max_time: MaxTime = None,
    compare: Compare = None,
    plot: Plot = None,
    seed: Seed = 0,
    json_only: Json = False,
) -> None:
    """Train a model on DATA, example by example, and save it.

    Example: hinge train adult.csv --label income --missing fill -o income.hinge
    """
    save_config(ctx, save_config_to)
    parameters = {"C": C, "kernel": kernel, "gamma": parse_gamma(gamma), "max_support": max_support}
    parameters |= {"cache_size": cache_size, "max_examples": max_examples, "eviction": eviction}
    parameters |= {"nu": nu, "shape": shape, "n_jobs": n_jobs}
    parameters |= {"n_components": components, "approximation": approximation, "loss": loss, "epsilon": epsilon}
    parameters |= {"calibration": "temperature" if probabilities else None}
    preparation: dict[str, Any] = {"label": label, "drop": split_names(drop), "keep": split_names(keep)}
    kinds = [*(kind or ()), *_as_kind(date_columns, "date"), *_as_kind(text, "text")]
    preparation |= {"missing": missing, "unknown": unknown, "scale": scale, "normal": normal}
    preparation |= {"missing_values": split_names(missing_values)}
    preparation |= {"categorical": split_names(categories), "decimal": decimal, "thousands": thousands}
    preparation |= {"kinds": split_kinds(kinds), "day_first": day_first, "merge_labels": merge_labels}
    with exit_on_interrupt():
        from hinge.cli.train._budget import Budget  # noqa: PLC0415  see above
        from hinge.cli.train._run import run_training  # noqa: PLC0415

    run_training(
        {"data": data, "test": test, "format": data_format, "header": header, "bad_rows": bad_rows},
        preparation,
        parameters,
        output=output,
        resume=resume,
        in_place=in_place,
        model=model,
        task=task,
        class_weight="balanced" if balance else class_weight,
        threshold=threshold,
        epochs=epochs,
        budget=Budget.parse(tune, no_tune=no_tune, max_time=max_time),
        compare=compare,
        plot=plot,
        seed=seed,
        json_only=json_only,
    )


def _as_kind(names: str | None, kind: str) -> list[str]:
    return [f"{name}={kind}" for name in split_names(names)]

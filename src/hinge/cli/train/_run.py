"""What happens in which order when a model is trained."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from hinge import streaming
from hinge._terminal import Terminal
from hinge.cli._files import choose_output, require_writable, through
from hinge.cli._interrupts import INTERRUPTED
from hinge.cli._models import class_names
from hinge.cli._predictions import report_ignored
from hinge.cli.train._budget import Budget
from hinge.cli.train._checkpoint import Checkpoint, keep_copy, save_or_rescue
from hinge.cli.train._classes import describe_neglected, weight_classes
from hinge.cli.train._compare import SklearnResult, train_sklearn
from hinge.cli.train._history import record_run
from hinge.cli.train._job import Inputs, TrainJob, new_job, resumed_job
from hinge.cli.train._learn import TrainResult, learn
from hinge.cli.train._plot import INSTALL_HINT, choose_plot_file, save_plot
from hinge.cli.train._report import describe, show, summarise
from hinge.cli.train._sources import PreparationOptions
from hinge.cli.train._threshold import Decisions, Goal
from hinge.cli.train._trees import TreesResult, train_trees
from hinge.cli.train._tune import tune
from hinge.exceptions import DataError, ParameterError

DEFAULT_PLOT = Path("train.png")


def run_training(
    data: Mapping[str, Any],
    preparation: Mapping[str, Any],
    parameters: Mapping[str, object],
    *,
    output: Path | None,
    resume: Path | None,
    in_place: bool,
    **options: Any,
) -> None:
    """Train a model and write it to a file or a stream; see `_train`."""
    chosen = choose_output(output, resume, in_place=in_place)
    with through(chosen) as file:
        _train(data, preparation, parameters, output=file, resume=resume, is_stream=file != chosen, **options)


def _train(
    data: Mapping[str, Any],
    preparation: Mapping[str, Any],
    parameters: Mapping[str, object],
    *,
    output: Path,
    resume: Path | None,
    is_stream: bool,
    model: str | None,
    task: str | None,
    class_weight: str | None,
    threshold: str | None,
    epochs: int,
    budget: Budget,
    compare: bool | None,
    plot: Path | None,
    seed: int,
    json_only: bool,
) -> None:
    """Train, test, save and report; the arguments are those of `Inputs`, of `PreparationOptions`, and the options."""
    inputs, options = Inputs(**data), PreparationOptions(**preparation)
    plot = choose_plot_file(plot, default=None if inputs.is_file else DEFAULT_PLOT)
    require_writable(output, *inputs.files)
    require_writable(plot, *inputs.files, resume, output)
    terminal = Terminal(quiet=json_only)
    goal = None if threshold is None else Goal.parse(threshold)
    if resume is None:
        job = new_job(model, task, inputs, options, parameters, seed=seed, terminal=terminal)
    elif model is None and task is None:
        job = resumed_job(resume, inputs, options, parameters, seed=seed)
    else:
        raise ParameterError("--model and --task must be left out with --resume: the file holds the kind of model.")
    budget.check(resumes=resume is not None)
    _complete(job, class_weight, goal)
    job.check(epochs=epochs, compare=compare)
    terminal.print(describe(job), highlight=False, markup=False)
    for sentence in [*job.notes, *_keep_existing(output)]:
        terminal.print(sentence, highlight=False, markup=False)
    is_ranked = goal is not None and goal.kind != "value"
    job.tuning = tune(job, dict(parameters), budget, terminal, by_rank=is_ranked)
    result = _learn_and_save(job, epochs, output, terminal, goal=goal, max_time=budget.training)
    if not result.is_interrupted:
        terminal.print("\n".join(describe_neglected(job)), end="", highlight=False, markup=False, soft_wrap=True)
    peer, trees = _evaluate(job, result, compare, terminal)
    if result.test_error is not None:
        record_run(job, result, epochs)
        save_or_rescue(job.join(result.model), output)
    report_ignored(job.ignored, terminal)
    summary = summarise(job.source, result, peer, epochs) | {"model": str(output)}
    summary["tuning"] = None if job.tuning is None else job.tuning.to_json()
    summary["trees"] = None if trees is None else trees.to_json()
    summary["picture"] = save_plot(plot, result, peer, terminal, name=job.source.name, tuning=job.tuning)
    if json_only:
        typer.echo(json.dumps(summary), err=is_stream)
    elif not result.is_interrupted:
        if trees is not None:
            terminal.print(trees.describe(), highlight=False, markup=False, soft_wrap=True)
        show(summary, Console(stderr=is_stream), hint=INSTALL_HINT if plot is None and not inputs.is_file else None)
    if result.is_interrupted:
        terminal.print(f"Stopped after {result.model.n_seen_:,} examples; the model so far is in {output}.")
        raise typer.Exit(INTERRUPTED)


def _complete(job: TrainJob, class_weight: str | None, goal: Goal | None) -> None:
    """Set the weights of classes, and check that there can be a threshold."""
    if class_weight is not None:
        weight_classes(job, class_weight)
    if goal is not None:
        goal.check(job)


def _keep_existing(output: Path) -> list[str]:
    """Copy a model that this run replaces, and say so."""
    return [f"{output} existed; what it held is kept in {keep_copy(output)}."] if output.exists() else []


def _learn_and_save(
    job: TrainJob, epochs: int, output: Path, terminal: Console, *, goal: Goal | None, max_time: float
) -> TrainResult:
    """Learn, and save what was learned even if learning ends early."""
    known = class_names(job.model) if streaming.is_fitted(job.model) else None
    decisions = None if goal is None else Decisions()
    checkpoint = Checkpoint(job.join, output)
    result = learn(job.model, job.source, epochs, checkpoint, terminal, decisions=decisions, max_time=max_time)
    if result.is_out_of_time:
        rows = "" if job.source.n_rows is None else f" of {epochs * job.source.n_rows:,}"
        terminal.print(f"The time is up after {result.n_learned:,}{rows} rows; the model has learned these.")
    if goal is not None and decisions is not None:
        terminal.print(goal.apply(job, decisions), highlight=False, markup=False, soft_wrap=True)
    record_run(job, result, epochs)
    save_or_rescue(job.join(result.model), output)
    if result.failure is not None:
        raise DataError(f"{result.failure} The model trained on the rows before it is in {output}.")
    new = [name for name in class_names(result.model) if known is not None and name not in known]
    if new:
        terminal.print(f"New classes: {', '.join(new)}.", highlight=False, markup=False)
    report_ignored(job.source.ignored, terminal)
    return result


def _evaluate(
    job: TrainJob, result: TrainResult, compare: bool | None, terminal: Console
) -> tuple[SklearnResult | None, TreesResult | None]:
    """Test the model, and train scikit-learn's for comparison; Ctrl-C skips the rest."""
    if result.is_interrupted:
        return None, None
    try:
        result.test_classes, result.outliers = job.class_metrics(result.model), job.outlier_metrics(result.model)
        result.test_values = job.value_score(result.model)
        peer = train_sklearn(job, terminal) if job.is_compared(compare) else None
        return peer, train_trees(job, terminal) if compare else None
    except KeyboardInterrupt:
        result.is_interrupted = True
        return None, None

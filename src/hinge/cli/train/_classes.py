"""Rare classes: weights, and whether a model has learned them at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from hinge.cli._predictions import predict_rows
from hinge.cli.train._sources import InMemorySource
from hinge.exceptions import ParameterError, listed

if TYPE_CHECKING:
    from hinge.cli.train._job import TrainJob

RARE = 0.05  # share of the rows
_MAX_ASKED = 1000  # rows of a rare class


def weight_classes(job: TrainJob, text: str) -> None:
    """Set the weights of classes: those that the user gives, or such that each class counts the same.

    Parameters
    ----------
    job : TrainJob
        The job; its model is changed.
    text : str
        "balanced", or weights such as "yes=5,no=1"; the others are 1.
    """
    if "class_weight" not in job.model.get_params():
        raise ParameterError(f"--class-weight must be left out: {type(job.model).__name__} has no weights of classes.")
    counts = job.source.class_counts
    if counts is None:
        raise ParameterError(
            "--class-weight must be left out with --resume, standard input, values to predict and one-class models: "
            "the rows of each class must be counted before any is learned."
        )
    mean = sum(counts.values()) / len(counts)
    weights = {label: mean / count for label, count in counts.items()} if text == "balanced" else _parse(text, counts)
    job.model.set_params(class_weight=weights)


def _parse(text: str, classes: object) -> dict[object, float]:
    named = {str(label): label for label in classes}  # type: ignore[attr-defined]
    weights = {}
    for part in text.split(","):
        name, sign, weight = (each.strip() for each in part.rpartition("="))
        if not sign or name not in named:
            raise ParameterError(
                f"--class-weight must be balanced or weights of the classes {listed(list(named))}, such as "
                f"{next(iter(named))}=2, got {part.strip()!r}."
            )
        try:
            weights[named[name]] = float(weight)
        except ValueError:
            raise ParameterError(f"--class-weight must give numbers, got {weight!r} for {name}.") from None
    return weights


def describe_neglected(job: TrainJob) -> list[str]:
    """Warn about rare classes of which a trained model recognises no row."""
    counts = job.source.class_counts
    if not counts or not isinstance(job.source, InMemorySource):
        return []
    total = sum(counts.values())
    neglected = [label for label, count in counts.items() if count < RARE * total and not _recognises(job, label)]
    if not neglected:
        return []
    first = neglected[0]
    share = f"{100 * counts[first] / total:.2g} % of the rows"
    what = f"class {first}, which has {share}"
    if len(neglected) > 1:
        what = f"{len(neglected):,} of {len(counts):,} classes, such as {first} with {share}"
    has_threshold = bool(job.source.preparation.answers.threshold)
    threshold = " or --threshold f1" if len(counts) == 2 and not has_threshold else ""
    return [f"The model never predicts {what}; try --class-weight balanced{threshold}.\n"]


def _recognises(job: TrainJob, label: object) -> bool:
    """Tell whether a trained model predicts the class of at least one of its rows."""
    source = cast("InMemorySource", job.source)
    rows = np.flatnonzero(source.y == label)[:_MAX_ASKED]
    return bool(np.any(predict_rows(job.model, source.X[rows], source.preparation.answers)[0] == label))

"""What figure 1 and table 2 ask of the records of the batch tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments._records import Records
from experiments.asset._batch import LASVM, PIPELINE
from experiments.asset._tasks import EXACT

if TYPE_CHECKING:
    from experiments._records import Record


def longest(records: Records, data: str, method: str, size: int) -> Records:
    """Return the runs of a method after the most passes."""
    lines = records.where(data=data, method=method, size=size)
    return lines.where(passes=max(lines.unique("passes"), default=0))


def stopped(records: Records, data: str, method: str, size: int) -> Records:
    """Return the runs of a method when they had reached the error of the pipeline, or after the most passes."""
    target = records.where(data=data, method=PIPELINE, size=size).mean("error")
    lines = records.where(data=data, method=method, size=size)
    return Records(_first(lines.where(seed=seed), target) for seed in lines.unique("seed"))


def exact_error(records: Records, data: str) -> float:
    """Return the error without an approximation: LASVM's, which can be given most rows."""
    return records.where(data=EXACT[data], method=LASVM).mean("error")


def _first(run: Records, target: float) -> Record:
    lines = sorted(run, key=lambda line: line["passes"])
    return next((line for line in lines if float(line["error"]) <= target), lines[-1])

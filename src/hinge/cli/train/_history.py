"""What a model file remembers of the runs that trained it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hinge.cli.train._job import TrainJob
    from hinge.cli.train._learn import TrainResult


def record_run(job: TrainJob, result: TrainResult, epochs: int) -> None:
    """Add this run to the history of its model, or complete its entry."""
    run = {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": job.source.name,
        "rows": result.n_learned // epochs,
        "examples_seen": int(result.model.n_seen_),
        "error": result.progressive_error,
        "test_error": result.test_error,
    }
    if job.tuning is not None:
        run["tuning"] = job.tuning.record()
    result.model.history_ = [*job.history, run]

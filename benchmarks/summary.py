"""The table of the README: one row per task; peers in seconds and as a multiple of our time."""

from collections.abc import Sequence

from benchmarks.models import MODELS
from benchmarks.tasks import TASKS
from benchmarks.worker import Measurement

PEERS = tuple(name for name in MODELS if name != "hinge")
COLUMNS = (
    "task",
    "settings",
    MODELS["hinge"].title,
    *(MODELS[name].title for name in PEERS),
    "test error",
    "error of SVC",
    "predict, ours / best peer",
)


def rows(measurements: Sequence[Measurement]) -> list[tuple[str, ...]]:
    """Return the cells; tasks without a run of hinge are left out."""
    by_task: dict[str, dict[str, Measurement]] = {}
    for one in measurements:
        by_task.setdefault(one.task, {})[one.model] = one
    return [_row(task, runs) for task, runs in by_task.items() if "hinge" in runs]


def _row(name: str, runs: dict[str, Measurement]) -> tuple[str, ...]:
    ours, task = runs["hinge"], TASKS[name]
    peers = [runs[peer] for peer in PEERS if peer in runs]
    fastest = min((peer.predict_seconds for peer in peers), default=None)
    return (
        task.title,
        f"C={task.C:g}, gamma={task.gamma:g}",
        f"{ours.fit_seconds:.2f} s",
        *(_peer(runs.get(peer), ours) for peer in PEERS),
        f"{ours.test_error:.2f} %",
        f"{peers[0].test_error:.2f} %" if peers else "-",
        f"{ours.predict_seconds:.2f} s / {fastest:.2f} s" if fastest else f"{ours.predict_seconds:.2f} s",
    )


def _peer(peer: Measurement | None, ours: Measurement) -> str:
    if peer is None:
        return "-"
    return f"{peer.fit_seconds:.1f} s ({peer.fit_seconds / ours.fit_seconds:.1f}x)"

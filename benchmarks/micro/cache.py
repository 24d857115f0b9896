"""What a small cache of kernel rows costs."""

from benchmarks.micro import Section
from benchmarks.models import MODELS
from benchmarks.tasks import TASKS
from benchmarks.worker import timed

MEGABYTES = (1000, 200, 8)


def measure(quick: bool) -> Section:
    """Fit the same task with caches of different size."""
    task = TASKS["mnist8"]
    split = task.split(quick=quick)
    seconds = {size: timed(MODELS["hinge"].make(task, cache_size=size).fit, split.X, split.y)[0] for size in MEGABYTES}
    return Section(
        f"Size of the cache, {task.title}",
        ("cache_size, MB", "fit, s", f"of cache_size={MEGABYTES[0]}"),
        [(f"{size}", f"{seconds[size]:.2f}", f"{seconds[size] / seconds[MEGABYTES[0]]:.2f}") for size in MEGABYTES],
    )

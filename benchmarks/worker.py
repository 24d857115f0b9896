"""Run one model on one task in a process of its own: `python -m benchmarks.worker TASK MODEL [--quick]`.

The process prints one JSON object. The peak memory is that of this model alone.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks import memory
from benchmarks.models import MODELS
from benchmarks.tasks import TASKS, Split


@dataclass(frozen=True)
class Measurement:
    """The results of one run. Times in seconds, memory in megabytes, error in percent."""

    task: str
    model: str
    fit_seconds: float
    predict_seconds: float
    test_error: float
    n_support: int
    n_kernel_evals: int | None
    peak_memory: float
    extra_memory: float
    fit_processor_seconds: float | None = None  # of all threads, which other work on the machine hardly changes


def timed(action: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Call `action`; return the seconds it took and its result."""
    start = time.perf_counter()
    result = action(*arguments)
    return time.perf_counter() - start, result


def measure(task_name: str, model_name: str, *, quick: bool) -> Measurement:
    """Fit and predict in this process."""
    task = TASKS[task_name]
    split = task.split(quick=quick)
    _warm_up(MODELS[model_name].make(task), split)
    memory.reset_peak()
    baseline = memory.resident()
    model = MODELS[model_name].make(task)
    before = time.process_time()
    fit_seconds, _ = timed(model.fit, split.X, split.y)
    processor_seconds = time.process_time() - before
    predict_seconds, predicted = timed(model.predict, split.X_test)
    peak = memory.peak()
    return Measurement(
        task=task_name,
        model=model_name,
        fit_seconds=fit_seconds,
        predict_seconds=_best(predict_seconds, model.predict, split.X_test),
        test_error=100.0 * float(np.mean(predicted != split.y_test)),
        n_support=len(model.support_),
        n_kernel_evals=_kernel_evals(model),
        peak_memory=peak,
        extra_memory=peak - baseline,
        fit_processor_seconds=processor_seconds,
    )


def measure_in_process(task_name: str, model_name: str, *, quick: bool) -> Measurement:
    """Fit and predict in a new process, and return its measurement."""
    command = [sys.executable, "-m", "benchmarks.worker", task_name, model_name, *(["--quick"] if quick else [])]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Measurement(**json.loads(done.stdout.splitlines()[-1]))


def _warm_up(model: Any, split: Split) -> None:
    """Load libraries and start threads before the measurement."""
    rows = np.concatenate([np.flatnonzero(split.y == label)[:20] for label in np.unique(split.y)])
    model.fit(split.X[rows], split.y[rows]).predict(split.X_test[:20])


def _best(seconds: float, action: Callable[..., Any], *arguments: Any) -> float:
    """Repeat short calls, in which a pause of the machine would show."""
    n_repeats = 2 if seconds < 1.0 else 0
    return min([seconds, *(timed(action, *arguments)[0] for _ in range(n_repeats))])


def _kernel_evals(model: Any) -> int | None:
    count = getattr(model, "n_kernel_evals_", None)
    return None if count is None else int(np.sum(count))


if __name__ == "__main__":
    print(json.dumps(asdict(measure(sys.argv[1], sys.argv[2], quick="--quick" in sys.argv[3:]))))

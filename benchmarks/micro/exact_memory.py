"""Memory of an exact model with 28 000 examples, measured in a process of its own."""

import json
import subprocess
import sys

from benchmarks import memory
from benchmarks.data import data_folder
from benchmarks.micro import Section
from benchmarks.micro.exact_problems import eights
from benchmarks.worker import timed


def measure(quick: bool) -> Section:
    """Learn mnist, 8 vs rest, in one call."""
    data_folder()
    columns = ("examples", "seconds", "support vectors", "peak resident, MB", "of which data and libraries, MB")
    return Section(
        "Memory of exact learning, mnist, 8 vs rest (aim: 28,000 examples in less than 2,000 MB)",
        columns,
        [_measure_in_process(n_rows) for n_rows in ((1_000, 2_000) if quick else (10_000, 28_000))],
    )


def _measure_in_process(n_rows: int) -> list[str]:
    command = [sys.executable, "-m", "benchmarks.micro.exact_memory", str(n_rows)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [f"{value:,.0f}" for value in json.loads(done.stdout.splitlines()[-1])]


def _measure(n_rows: int) -> list[float]:
    data = eights(n_rows)
    memory.reset_peak()
    baseline = memory.resident()
    model = data.learner()
    seconds, _ = timed(model.partial_fit, data.X, data.y)
    return [n_rows, seconds, len(model.support_), memory.peak(), baseline]


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]))))

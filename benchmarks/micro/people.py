"""Several people who label at the same time: the time to the next example, and whether a label is lost."""

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import TypedDict

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.micro import Section

N_ROWS = 20_000
CLASSES = "0,1,2,3,4,5,6,7,8,9"
THINKING_S = 0.3  # mean time per example
CASES = (
    ("one person", 1, THINKING_S),
    ("one person without pauses", 1, 0.0),
    ("ten people", 10, THINKING_S),
    ("ten people without pauses", 10, 0.0),
)
COLUMNS = ("", "labels", "per second", "median, ms", "95 %, ms", "99 %, ms", "max, ms", "lost", "assigned twice")


class ExampleRow(TypedDict):
    """An example in a response."""

    row: int


class Reply(TypedDict):
    """The part of a response that a simulated person needs."""

    example: ExampleRow | None


@dataclass
class PersonLog:
    """The examples that one person saw, the labels that were acknowledged, and the time of each response."""

    assigned: list[int] = field(default_factory=list)
    saved: dict[int, str] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)


def measure(quick: bool) -> Section:
    """Simulate people who label noisy digits through the real command, over the local network interface."""
    seconds = 10.0 if quick else 60.0
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "digits.npz"
        truth = write_digits(data)
        rows = [(title, *_figures(data, truth, people, thinking, seconds)) for title, people, thinking in CASES]
    return Section(
        f"Labelling for {seconds:.0f} s from {N_ROWS:,} digits, {THINKING_S} s per label "
        "(aims: nothing lost, nothing assigned twice, 95 % of the responses to ten people within 200 ms)",
        COLUMNS,
        rows,
    )


def write_digits(data: Path) -> list[str]:
    """Write noisy digits, all of them different; return their labels."""
    X, y = load_digits(return_X_y=True)
    random = np.random.default_rng(0)
    rows = random.integers(len(y), size=N_ROWS)
    np.savez(data, X=np.clip(np.rint(X[rows] + random.normal(scale=2.0, size=(N_ROWS, X.shape[1]))), 0, 16))
    return [str(label) for label in y[rows]]


def _figures(data: Path, truth: Sequence[str], people: int, thinking: float, seconds: float) -> tuple[str, ...]:
    """Measure one case, with its own server and database."""
    with served(data, f"{people} people, {thinking} s") as port, ThreadPoolExecutor(people) as pool:
        end = time.monotonic() + seconds
        tasks = [pool.submit(_label, port, number, truth, thinking, end) for number in range(people)]
        logs = [task.result() for task in tasks]
        stored = stored_labels(port)
    waits = [1e3 * wait for log in logs for wait in log.waits]
    lost = sum(stored.get(row) != label for log in logs for row, label in log.saved.items())
    assigned = [row for log in logs for row in log.assigned]
    figures = [*np.percentile(waits, [50, 95, 99]).tolist(), max(waits)]
    return (
        f"{len(waits):,}",
        f"{len(waits) / seconds:.1f}",
        *(f"{figure:.1f}" for figure in figures),
        f"{lost}",
        f"{len(assigned) - len(set(assigned))}",
    )


@contextmanager
def served(data: Path, name: str, classes: str | None = None) -> Iterator[int]:
    """Run the command; yield its port."""
    database = data.with_name(f"{name}.sqlite")
    options = ["--classes", classes or CLASSES, "--database", str(database), "--port", "0", "--no-browser"]
    command = [sys.executable, "-m", "hinge", "label", str(data), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        address = re.search(r":(\d+)/", process.stdout.readline())
        assert address is not None
        try:
            yield int(address[1])
        finally:
            process.terminate()


def _label(port: int, number: int, truth: Sequence[str], thinking: float, end: float) -> PersonLog:
    """Label one example after another until the time is over."""
    connection, log, random = HTTPConnection("127.0.0.1", port), PersonLog(), np.random.default_rng(number)
    person = f"person {number}".replace(" ", "%20")
    response = ask(connection, person, "next", {})
    while (example := response["example"]) is not None and time.monotonic() < end:
        row = example["row"]
        log.assigned.append(row)
        time.sleep(thinking * random.uniform(0.5, 1.5))
        began = time.perf_counter()
        response = ask(connection, person, "answer", {"row": row, "label": truth[row], "seconds": thinking})
        log.waits.append(time.perf_counter() - began)
        log.saved[row] = truth[row]
    connection.close()
    return log


def ask(connection: HTTPConnection, person: str, what: str, content: dict[str, object]) -> Reply:
    """Send a request of the page; return the response."""
    headers = {"Content-Type": "application/json", "X-Hinge-Person": person}
    connection.request("POST", f"/api/{what}", json.dumps(content), headers)
    response = connection.getresponse()
    if response.status != 200:
        raise RuntimeError(response.read().decode())
    reply: Reply = json.loads(response.read())
    return reply


def stored_labels(port: int) -> dict[int, str]:
    """Return the labels on the server."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/api/export/labels.csv")
    text = connection.getresponse().read().decode()
    connection.close()
    return {int(line["key"]): line["label"] for line in csv.DictReader(io.StringIO(text))}

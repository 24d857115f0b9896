"""People who label at the same time: how long each waits for the next example, and whether a label is lost."""

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
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.micro import Section

N_ROWS = 20_000
CLASSES = "0,1,2,3,4,5,6,7,8,9"
THOUGHT = 0.3  # seconds that somebody looks at an example, on average
CASES = (
    ("one person", 1, THOUGHT),
    ("one person who does not think", 1, 0.0),
    ("ten people", 10, THOUGHT),
    ("ten people who do not think", 10, 0.0),
)
COLUMNS = ("", "labels", "a second", "median, ms", "95 %, ms", "99 %, ms", "longest, ms", "lost", "given twice")


@dataclass
class Visit:
    """What one person saw: examples, labels that were called saved, and how long each answer took."""

    given: list[int] = field(default_factory=list)
    saved: dict[int, str] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)


def measure(quick: bool) -> Section:
    """Let people label noisy digits through the real command, over the network of this computer."""
    seconds = 10.0 if quick else 60.0
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "digits.npz"
        truth = write_digits(data)
        rows = [(title, *_figures(data, truth, people, thought, seconds)) for title, people, thought in CASES]
    return Section(
        f"Labelling for {seconds:.0f} s from {N_ROWS:,} digits, {THOUGHT} s of thought a label "
        "(aims: nothing lost, nothing given twice, ten people answered within 200 ms in 95 % of all cases)",
        COLUMNS,
        rows,
    )


def write_digits(data: Path) -> list[str]:
    """Write digits with noise, so that no two are the same; return their labels."""
    X, y = load_digits(return_X_y=True)
    random = np.random.default_rng(0)
    rows = random.integers(len(y), size=N_ROWS)
    np.savez(data, X=np.clip(np.rint(X[rows] + random.normal(scale=2.0, size=(N_ROWS, X.shape[1]))), 0, 16))
    return [str(label) for label in y[rows]]


def _figures(data: Path, truth: Sequence[str], people: int, thought: float, seconds: float) -> tuple[str, ...]:
    """Return the figures of one case, with a server and a database of its own."""
    with served(data, f"{people} people, {thought} s") as port, ThreadPoolExecutor(people) as pool:
        end = time.monotonic() + seconds
        tasks = [pool.submit(_label, port, number, truth, thought, end) for number in range(people)]
        visits = [task.result() for task in tasks]
        kept = kept_labels(port)
    waits = [1e3 * wait for visit in visits for wait in visit.waits]
    lost = sum(kept.get(row) != label for visit in visits for row, label in visit.saved.items())
    given = [row for visit in visits for row in visit.given]
    figures = [*np.percentile(waits, [50, 95, 99]).tolist(), max(waits)]
    return (
        f"{len(waits):,}",
        f"{len(waits) / seconds:.1f}",
        *(f"{figure:.1f}" for figure in figures),
        f"{lost}",
        f"{len(given) - len(set(given))}",
    )


@contextmanager
def served(data: Path, name: str) -> Iterator[int]:
    """Start the command; yield its port."""
    database = data.with_name(f"{name}.sqlite")
    options = ["--classes", CLASSES, "--database", str(database), "--port", "0", "--no-browser"]
    command = [sys.executable, "-m", "hinge", "label", str(data), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        address = re.search(r":(\d+)/", process.stdout.readline())
        assert address is not None
        try:
            yield int(address[1])
        finally:
            process.terminate()


def _label(port: int, number: int, truth: Sequence[str], thought: float, end: float) -> Visit:
    """Label until the time is over, one example after the other."""
    connection, visit, random = HTTPConnection("127.0.0.1", port), Visit(), np.random.default_rng(number)
    person = f"person {number}".replace(" ", "%20")
    turn = ask(connection, person, "next", {})
    while turn["example"] is not None and time.monotonic() < end:
        row = int(turn["example"]["row"])
        visit.given.append(row)
        time.sleep(thought * random.uniform(0.5, 1.5))
        began = time.perf_counter()
        turn = ask(connection, person, "answer", {"row": row, "label": truth[row], "seconds": thought})
        visit.waits.append(time.perf_counter() - began)
        visit.saved[row] = truth[row]
    connection.close()
    return visit


def ask(connection: HTTPConnection, person: str, what: str, content: dict[str, Any]) -> dict[str, Any]:
    """Send a request of the page; return the answer."""
    headers = {"Content-Type": "application/json", "X-Hinge-Person": person}
    connection.request("POST", f"/api/{what}", json.dumps(content), headers)
    response = connection.getresponse()
    answer: dict[str, Any] = json.loads(response.read())
    if response.status != 200:
        raise RuntimeError(answer["error"])
    return answer


def kept_labels(port: int) -> dict[int, str]:
    """Return the labels that the server has."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/api/export/labels.csv")
    text = connection.getresponse().read().decode()
    connection.close()
    return {int(line["key"]): line["label"] for line in csv.DictReader(io.StringIO(text))}

"""What `hinge bench` does: OnlineSVC and scikit-learn's SVC on the same rows."""

import importlib.util
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from sklearn.svm import SVC

from hinge import datasets
from hinge._terminal import Terminal
from hinge.datasets import Dataset
from hinge.online import OnlineSVC

OURS, SKLEARN, INTEL = "OnlineSVC", "SVC", "SVC, intelex"


@dataclass(frozen=True)
class Measurement:
    """One row of the table, and one entry of the JSON output; the error is in percent."""

    data: str
    model: str
    fit_seconds: float
    predict_seconds: float
    test_error: float
    support_vectors: int


Factory = Callable[[Dataset], Any]  # returns an estimator with the parameters that suit a data set


def run_bench(
    data: list[str] | None,
    *,
    repeats: int,
    json_only: bool,
) -> None:
    """Compare models on data sets; the arguments are those of the command."""
    chosen = [datasets.load_arrays(name) for name in data or ["spirals", "waveform"]]
    terminal = Terminal(quiet=json_only)
    results = [
        _measure(dataset, name, make, repeats, terminal) for dataset in chosen for name, make in _models().items()
    ]
    if json_only:
        typer.echo(json.dumps({"results": [asdict(result) for result in results]}))
    else:
        Console().print(_table(results))


def _models() -> dict[str, Factory]:
    models: dict[str, Factory] = {
        OURS: lambda data: OnlineSVC(C=data.C, gamma=data.gamma, random_state=0),
        SKLEARN: lambda data: SVC(C=data.C, gamma=data.gamma),
    }
    if importlib.util.find_spec("sklearnex") is not None:
        from sklearnex.svm import SVC as IntelSVC  # noqa: PLC0415, N811

        models[INTEL] = lambda data: IntelSVC(C=data.C, gamma=data.gamma)
    return models


def _measure(data: Dataset, name: str, make: Factory, repeats: int, terminal: Console) -> Measurement:
    with terminal.status(f"{data.name}: {name}"):
        runs = [_run(data, name, make(data)) for _ in range(repeats)]
    return min(runs, key=lambda run: run.fit_seconds)


def _run(data: Dataset, name: str, model: Any) -> Measurement:
    start = time.perf_counter()
    model.fit(data.X_train, data.y_train)
    fitted = time.perf_counter()
    predictions = model.predict(data.X_test)
    end = time.perf_counter()
    return Measurement(
        data=data.name,
        model=name,
        fit_seconds=fitted - start,
        predict_seconds=end - fitted,
        test_error=100.0 * float(np.mean(predictions != data.y_test)),
        support_vectors=len(model.support_),
    )


def _table(results: list[Measurement]) -> Table:
    table = Table()
    for name in ("data", "model", "fit, s", "relative", "predict, s", "test error", "SVs"):
        table.add_column(name, justify="left" if name in ("data", "model") else "right")
    ours = {result.data: result.fit_seconds for result in results if result.model == OURS}
    for result in results:
        table.add_row(
            result.data,
            result.model,
            f"{result.fit_seconds:.2f}",
            f"{result.fit_seconds / ours[result.data]:.1f}",
            f"{result.predict_seconds:.2f}",
            f"{result.test_error:.2f} %",
            f"{result.support_vectors:,}",
        )
    return table

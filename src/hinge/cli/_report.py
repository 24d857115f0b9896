"""What `hinge train` says at the end, for people and for machines."""

from typing import Any

from rich.console import Console
from rich.table import Table

from hinge.cli._learn import Exact, Learned, Settings
from hinge.datasets import Dataset

NO_PICTURE = "none; for one: pip install 'hinge[plot]'"


def summarise(dataset: Dataset, settings: Settings, learned: Learned, exact: Exact | None) -> dict[str, Any]:
    """Return all results as plain values."""
    return {
        "data": dataset.name,
        "train_rows": len(dataset.y_train),
        "test_rows": len(dataset.y_test),
        "features": dataset.X_train.shape[1],
        "classes": len(dataset.classes),
        "C": settings.C,
        "gamma": settings.gamma,
        "epochs": settings.epochs,
        "seed": settings.seed,
        "online": {
            "seconds": learned.seconds,
            "test_error": learned.test_error,
            "support_vectors": learned.n_support,
            "progressive_error": learned.progressive_error,
        },
        "svc": exact
        and {
            "seconds": exact.seconds,
            "test_error": exact.test_error,
            "support_vectors": exact.n_support,
        },
    }


def show(summary: dict[str, Any], console: Console) -> None:
    """Print the results as a table."""
    table = Table()
    table.add_column("")
    for column in ("seconds", "test error", "support vectors"):
        table.add_column(column, justify="right")
    for name, key in ((f"hinge OnlineSVC, {_passes(summary['epochs'])}", "online"), ("scikit-learn SVC", "svc")):
        if summary[key] is not None:
            table.add_row(name, *_cells(summary[key]))
    console.print(_title(summary), style="bold", highlight=False)
    console.print(table)
    console.print(f"Error before learning each example: {summary['online']['progressive_error']:.2f} %")
    console.print(f"Model: {summary['model']}")
    console.print(f"Picture: {summary['picture'] or NO_PICTURE}", markup=False)


def _title(summary: dict[str, Any]) -> str:
    rows = f"{summary['train_rows']:,} training rows, {summary['test_rows']:,} test rows"
    shape = f"{summary['features']} features, {summary['classes']} classes"
    return f"{summary['data']}: {rows}, {shape}, C={summary['C']:g}, gamma={summary['gamma']:g}"


def _passes(epochs: int) -> str:
    return "one pass" if epochs == 1 else f"{epochs} passes"


def _cells(result: dict[str, Any]) -> tuple[str, str, str]:
    return f"{result['seconds']:.2f}", f"{result['test_error']:.2f} %", f"{result['support_vectors']:,}"

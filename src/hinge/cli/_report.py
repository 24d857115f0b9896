"""What `hinge train` says: how rows are prepared, and at the end the results, for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from rich.console import Console

    from hinge.cli._compare import Exact
    from hinge.cli._learn import Learned
    from hinge.cli._material import Material
    from hinge.preparation import Column, Preparation

MOST_NAMED = 10  # classes or columns named in a line
MANY_CATEGORIES = 50


def describe(material: Material, *, guessed: bool = False) -> str:
    """Return in a few lines what is learned and what is done to its rows."""
    preparation = material.preparation
    rows = "rows as they come" if material.n_rows is None else _count(material.n_rows, "row")
    lines = [f"{material.name}: {rows}, {_count(preparation.n_features, 'feature')}{_classes(material)}"]
    if preparation.label is not None:
        lines.append(f"label: column {preparation.label!r}" + (", a guess; --label names another" if guessed else ""))
    if preparation.columns is not None:
        lines += _of_columns(preparation.columns, material.n_rows)
    lines.append(f"features: {preparation.scaling.words}; kept {_form(preparation)}")
    if material.in_order:
        lines.append("Rows seem to be sorted by class, and are too many to be shuffled here: shuffle the file first.")
    return "\n".join(lines)


def _of_columns(columns: tuple[Column, ...], n_rows: int | None) -> list[str]:
    """Return which columns are numbers and which are categories, and a word about categories that look like neither."""
    texts = {column.name: len(column.categories) for column in columns if column.categories is not None}
    lines = [_count(len(columns) - len(texts), "column") + " of numbers"]
    if texts:
        named = ", ".join(f"{name} ({number})" for name, number in list(texts.items())[:MOST_NAMED])
        lines[0] += f", {len(texts)} of categories: {named}" + (", ..." if len(texts) > MOST_NAMED else "")
    lines += [
        f"Column {name!r} has {number} different texts in {n_rows:,} rows: --drop leaves it out, if it is a name, "
        "a date or a number that was written with signs."
        for name, number in texts.items()
        if n_rows is not None and number >= MANY_CATEGORIES and number > n_rows / 10
    ]
    return lines


def summarise(material: Material, learned: Learned, exact: Exact | None, epochs: int) -> dict[str, Any]:
    """Return all results as plain values."""
    kernel = learned.model._state.kernel
    return {
        "data": material.name,
        "rows": learned.seen // epochs,
        "features": material.preparation.n_features,
        "classes": [str(label) for label in learned.model.classes_],
        "scaling": material.preparation.scaling.words,
        "label": material.preparation.label,
        "estimator": type(learned.model).__name__,
        "C": learned.model.get_params().get("C"),
        "kernel": kernel.name,
        "gamma": kernel.gamma,
        "epochs": epochs,
        "examples_seen": learned.model.n_seen_,
        "interrupted": learned.interrupted,
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
    tested = summary["online"]["test_error"] is not None
    for column in ("seconds", "support vectors", *(["test error"] if tested else [])):
        table.add_column(column, justify="right")
    ours = f"hinge {summary['estimator']}, {_passes(summary['epochs'])}"
    for name, key in ((ours, "online"), ("scikit-learn SVC", "svc")):
        if summary[key] is not None:
            table.add_row(name, *_cells(summary[key]))
    cost = "" if summary["C"] is None else f"C={summary['C']:g}, "
    console.print(f"{summary['data']}, {cost}{_kernel(summary)}", style="bold", highlight=False)
    console.print(table)
    error = summary["online"]["progressive_error"]
    if error is not None:
        console.print(f"Error before learning each example: {error:.2f} %", highlight=False)
    console.print(f"Model: {summary['model']}", markup=False, highlight=False)
    if summary["picture"] is not None:
        console.print(f"Picture: {summary['picture']}", markup=False, highlight=False)


def _classes(material: Material) -> str:
    if material.classes is None:
        return ""
    named = ", ".join(repr(label) if "," in label else label for label in map(str, material.classes[:MOST_NAMED]))
    named += ", ..." if len(material.classes) > MOST_NAMED else ""
    return f", {len(material.classes)} classes ({named})"


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def _form(preparation: Preparation) -> str:
    return f"{'dense' if preparation.dense else 'sparse'}, {preparation.dtype}"


def _kernel(summary: dict[str, Any]) -> str:
    return "linear" if summary["kernel"] == "linear" else f"{summary['kernel']}, gamma={summary['gamma']:g}"


def _passes(epochs: int) -> str:
    return "one pass" if epochs == 1 else f"{epochs} passes"


def _cells(result: dict[str, Any]) -> list[str]:
    cells = [f"{result['seconds']:.2f}", f"{result['support_vectors']:,}"]
    return cells if result["test_error"] is None else [*cells, f"{result['test_error']:.2f} %"]

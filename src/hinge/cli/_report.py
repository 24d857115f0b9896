"""What `hinge train` says: how rows are prepared, and at the end the results, for people and for machines."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.table import Table

from hinge.cli._models import class_names, is_approximate, parts
from hinge.cli._wrapping import normal_of

if TYPE_CHECKING:
    from rich.console import Console

    from hinge.cli._compare import Exact
    from hinge.cli._learn import Learned
    from hinge.cli._material import Material
    from hinge.cli._outliers import Outliers
    from hinge.tables import Column, Preparation

MOST_NAMED = 10  # classes or columns named in a line
MANY_CATEGORIES = 50
_COLUMNS = (  # of the table of results, in their order
    "seconds",
    "features",
    "support vectors",
    "test error",
    "called outliers",
    "false alarms",
    "found",
    "ROC area",
)


def describe(material: Material, *, guessed: bool = False) -> str:
    """Return in a few lines what is learned and what is done to its rows."""
    preparation = material.preparation
    rows = "rows as they come" if material.n_rows is None else _count(material.n_rows, "row")
    lines = [f"{material.name}: {rows}, {_count(preparation.n_features, 'feature')}{_classes(material)}"]
    if preparation.label is not None:
        lines.append(f"label: column {preparation.label!r}" + (", a guess; --label names another" if guessed else ""))
    if material.one_class:
        lines.append(_of_one_class(material))
    if preparation.columns is not None:
        lines += _of_columns(preparation.columns, material.n_rows)
    lines.append(f"features: {preparation.scaling.words}; kept {_form(preparation)}")
    if material.in_order:
        lines.append("Rows seem to be sorted by class, and are too many to be shuffled here: shuffle the file first.")
    return "\n".join(lines)


def _of_one_class(material: Material) -> str:
    normal = normal_of(material.preparation)
    if normal is None:
        return "one class: learns all rows; --normal names the label of those to learn"
    return f"one class: learns rows with the label {normal}; the others are outliers to find"


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
        "classes": class_names(learned.model),
        "scaling": material.preparation.scaling.words,
        "label": material.preparation.label,
        "estimator": type(learned.model).__name__,
        **_rule(material, learned),
        **_chosen(learned.model),
        "kernel": kernel.name,
        "gamma": kernel.gamma,
        "epochs": epochs,
        "examples_seen": learned.model.n_seen_,
        "interrupted": learned.interrupted,
        "online": {
            "seconds": learned.seconds,
            "test_error": learned.test_error,
            _key(parts(learned.model)): learned.n_parts,
            "progressive_error": learned.progressive_error,
            **_outliers(learned.outliers),
        },
        "svc": exact
        and {
            "estimator": exact.name,
            "seconds": exact.seconds,
            "test_error": exact.test_error,
            "support_vectors": exact.n_support,
            **_outliers(exact.outliers),
        },
    }


def _rule(material: Material, learned: Learned) -> dict[str, Any]:
    """Return what says how much an error costs, or how much may stay outside."""
    names = ("C", "nu", "shape") if material.one_class else ("C",)
    rule = {name: learned.model.get_params().get(name) for name in names}
    if material.one_class:
        rule["nu"] = rule["nu"] if rule["C"] is None else None  # one of them is in use
        rule["normal"] = normal_of(material.preparation)
    return rule


def _chosen(model: Any) -> dict[str, Any]:
    """Return what makes an approximate model."""
    return {name: getattr(model, name) for name in ("approximation", "loss") if is_approximate(model)}


def _key(kind: str) -> str:
    """Return what the number of parts of a kind is called in a summary, where `features` are those of the rows."""
    return "components" if kind == "features" else kind.replace(" ", "_")


def _outliers(outliers: Outliers | None) -> dict[str, Any]:
    return {} if outliers is None else {"outliers": asdict(outliers)}


def show(summary: dict[str, Any], console: Console) -> None:
    """Print the results as a table."""
    rows = {_name(summary, key): _cells(summary[key]) for key in ("online", "svc") if summary[key] is not None}
    table = Table()
    table.add_column("", no_wrap=True)
    columns = [column for column in _COLUMNS if any(column in cells for cells in rows.values())]
    for column in columns:
        table.add_column(column, justify="right")
    for name, cells in rows.items():
        table.add_row(name, *(cells.get(column, "-") for column in columns))
    console.print(f"{summary['data']}, {_settings(summary)}{_kernel(summary)}", style="bold", highlight=False)
    console.print(table)
    error = summary["online"]["progressive_error"]
    if error is not None:
        console.print(f"{_error(summary)} before learning each example: {error:.2f} %", highlight=False)
    if not summary["online"].get("outliers", {}).get("new", True):
        console.print("Counted on the rows of this file; --test names rows that were not learned.")
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


def _name(summary: dict[str, Any], key: str) -> str:
    if key == "svc":
        return f"scikit-learn {summary['svc']['estimator']}"
    passes = "" if "normal" in summary else f", {_passes(summary['epochs'])}"
    return f"hinge {summary['estimator']}{passes}"


def _settings(summary: dict[str, Any]) -> str:
    """Return what was chosen, a comma behind each."""
    chosen = {name: summary.get(name) for name in ("C", "nu")}
    numbers = [f"{name}={value:g}, " for name, value in chosen.items() if value is not None]
    words = [f"{summary[name]}, " for name in ("shape", "approximation", "loss") if name in summary]
    return "".join(numbers + words)


def _error(summary: dict[str, Any]) -> str:
    if "normal" not in summary:
        return "Error"
    return "Called outliers" if summary["normal"] is None else "Misjudged"


def _cells(result: dict[str, Any]) -> dict[str, str]:
    """Return the entries of a row of the table by the names of its columns."""
    cells = {"seconds": f"{result['seconds']:.2f}"}
    cells |= {kind: f"{result[_key(kind)]:,}" for kind in ("features", "support vectors") if _key(kind) in result}
    if result["test_error"] is not None:
        cells["test error"] = f"{result['test_error']:.2f} %"
    outliers = result.get("outliers", {})
    alarms = "called outliers" if outliers.get("found") is None else "false alarms"
    for name, key in ((alarms, "called"), ("found", "found")):
        if outliers.get(key) is not None:
            cells[name] = f"{outliers[key]:.1f} %"
    if outliers.get("roc_area") is not None:
        cells["ROC area"] = f"{outliers['roc_area']:.4f}"
    return cells

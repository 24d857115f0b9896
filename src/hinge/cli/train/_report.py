"""What `hinge train` prints: the preparation of the rows before training, and the results, as a table or as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.table import Table

from hinge.cli._models import class_names
from hinge.cli._prepared import normal_label
from hinge.cli._values import short
from hinge.streaming import kernel, model_size, traits
from hinge.tables import CategoryColumn, NumberColumn

if TYPE_CHECKING:
    from rich.console import Console

    from hinge.cli._values import ValueScore
    from hinge.cli.train._compare import SklearnResult
    from hinge.cli.train._job import TrainJob
    from hinge.cli.train._learn import TrainResult
    from hinge.cli.train._metrics import OutlierMetrics
    from hinge.cli.train._sources import TrainingSource
    from hinge.streaming import Model
    from hinge.tables import Column, Labels

Summary = dict[str, Any]  # the JSON output

MAX_NAMED = 10  # classes or columns named in a line
MANY_CATEGORIES = 50
RARE = 0.2  # a class with less than this part of the rows it would have if all classes were equally frequent
_COLUMNS = (  # of the table of results, in this order
    "seconds",
    "features",
    "support vectors",
    "test error",
    "mean absolute error",
    "mean squared error",
    "R2",
    "called outliers",
    "false alarms",
    "found",
    "ROC area",
)


def describe(job: TrainJob) -> str:
    """Describe in a few lines what is learned and how its rows are prepared."""
    source, preparation = job.source, job.source.preparation
    rows = "rows as they arrive" if source.n_rows is None else _count(source.n_rows, "row")
    lines = [f"{source.name}: {rows}, {_count(preparation.n_features, 'feature')}{_describe_classes(source.classes)}"]
    if preparation.label is not None:
        hint = ", a guess; --label names another" if job.is_label_guessed else ""
        what = ", values to predict" if source.is_regression else ""
        lines.append(f"label: column {preparation.label!r}{what}{hint}")
    if source.is_one_class:
        lines.append(_describe_one_class(source))
    if preparation.columns is not None:
        lines += _describe_columns(preparation.columns, source.n_rows)
    form = f"{'dense' if preparation.dense else 'sparse'}, {preparation.dtype}"
    lines.append(f"features: {preparation.scaling.description}; kept {form}")
    lines += [*source.notes, *_describe_imbalance(job)]
    if source.is_sorted and source.is_shuffled:
        lines.append("Rows seem to be sorted by class, and are too many to shuffle here: shuffle the file first.")
    return "\n".join(lines)


def _describe_classes(classes: Labels | None) -> str:
    if classes is None:
        return ""
    named = ", ".join(repr(label) if "," in label else label for label in map(str, classes[:MAX_NAMED]))
    named += ", ..." if len(classes) > MAX_NAMED else ""
    return f", {len(classes)} classes ({named})"


def _describe_imbalance(job: TrainJob) -> list[str]:
    """Warn about a class so rare that a model may ignore it, unless classes have weights."""
    counts = job.source.class_counts
    if not counts or len(counts) < 2 or job.model.get_params().get("class_weight") is not None:
        return []
    label, least = min(counts.items(), key=lambda item: item[1])
    share = least / sum(counts.values())
    if share * len(counts) >= RARE:
        return []
    advice = "--class-weight balanced lets it count as much as the others, and hinge evaluate shows the recall of each"
    return [f"Class {label} has only {100 * share:.2g} % of the rows; {advice}."]


def _describe_one_class(source: TrainingSource) -> str:
    normal = normal_label(source.preparation)
    if normal is None:
        return "one class: learns all rows; --normal names the label of the rows to learn"
    return f"one class: learns rows with the label {normal}; the others are outliers to find"


def _describe_columns(columns: tuple[Column, ...], n_rows: int | None) -> list[str]:
    """Describe what the columns hold; warn about columns of very many categories."""
    n_categories = {column.name: len(column.categories) for column in columns if isinstance(column, CategoryColumn)}
    lines = [_count(sum(isinstance(column, NumberColumn) for column in columns), "column") + " of numbers"]
    if n_categories:
        named = ", ".join(f"{name} ({number})" for name, number in list(n_categories.items())[:MAX_NAMED])
        lines[0] += f", {len(n_categories)} of categories: {named}" + (", ..." if len(n_categories) > MAX_NAMED else "")
    others = [column.describe() for column in columns if _is_special(column)]
    if others:
        lines.append(f"others: {', '.join(others[:MAX_NAMED])}" + (", ..." if len(others) > MAX_NAMED else ""))
    lines += [
        f"Column {name!r} has {number} different values in {n_rows:,} rows; if these are names, dates or formatted "
        "numbers, leave it out with --drop."
        for name, number in n_categories.items()
        if n_rows is not None and number >= MANY_CATEGORIES and number > n_rows / 10
    ]
    return lines


def _is_special(column: Column) -> bool:
    """Tell whether a column is neither of categories nor of numbers in the usual format."""
    return not isinstance(column, CategoryColumn) and column.describe() != column.name


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def summarise(source: TrainingSource, result: TrainResult, peer: SklearnResult | None, epochs: int) -> Summary:
    """Return all results as values that JSON can hold."""
    fitted_kernel = kernel(result.model)
    return {
        "data": source.name,
        "rows": result.n_learned // epochs,
        "features": source.preparation.n_features,
        "classes": class_names(result.model),
        "scaling": source.preparation.scaling.description,
        "label": source.preparation.label,
        "estimator": type(result.model).__name__,
        **_cost_parameters(source, result.model),
        **_approximation_parameters(result.model),
        "kernel": fitted_kernel.name,
        "gamma": fitted_kernel.gamma,
        "epochs": epochs,
        "examples_seen": result.model.n_seen_,
        "interrupted": result.is_interrupted,
        "out_of_time": result.is_out_of_time,
        "online": {
            "seconds": result.seconds,
            "test_error": result.test_error,
            _size_key(traits(result.model).size_unit): model_size(result.model),
            "progressive_error": result.progressive_error,
            "progressive_error_last_1000": result.recent_error,
            **_values("test_values", result.test_values),
            **_values("progressive_values", result.values if result.values.n_rows else None),
            **_outliers(result.outliers),
        },
        "svc": peer
        and {
            "estimator": peer.name,
            "seconds": peer.seconds,
            "test_error": peer.test_error,
            "support_vectors": peer.n_support,
            **_outliers(peer.outliers),
        },
    }


def _cost_parameters(source: TrainingSource, model: Model) -> Summary:
    """Return the parameters that say how much an error costs, or how many rows may be outliers."""
    parameters = model.get_params()
    if not source.is_one_class:
        return {"C": parameters.get("C")}
    C = parameters["C"]
    nu = parameters["nu"] if C is None else None  # only one of them is in use
    return {"C": C, "nu": nu, "shape": parameters["shape"], "normal": normal_label(source.preparation)}


def _approximation_parameters(model: Model) -> Summary:
    is_approximate = traits(model).size_unit == "features"
    return {name: model.get_params()[name] for name in ("approximation", "loss") if is_approximate}


def _size_key(unit: str) -> str:
    """Return the JSON key of the size of a model; "features" already counts those of the rows."""
    return "components" if unit == "features" else unit.replace(" ", "_")


def _outliers(outliers: OutlierMetrics | None) -> Summary:
    return {} if outliers is None else {"outliers": asdict(outliers)}


def _values(key: str, score: ValueScore | None) -> Summary:
    return {} if score is None else {key: score.to_json()}


def show(summary: Summary, console: Console, *, hint: str | None = None) -> None:
    """Print the results as a table; the hint is printed in place of the name of the plot."""
    rows = {_row_name(summary, key): _cells(summary[key]) for key in ("online", "svc") if summary[key] is not None}
    table = Table()
    table.add_column("", no_wrap=True)
    columns = [column for column in _COLUMNS if any(column in cells for cells in rows.values())]
    for column in columns:
        table.add_column(column, justify="right")
    for name, cells in rows.items():
        table.add_row(name, *(cells.get(column, "-") for column in columns))
    console.print(f"{summary['data']}, {_settings(summary)}", style="bold", highlight=False)
    console.print(table)
    error = summary["online"]["progressive_error"]
    if error is not None:
        recent = summary["online"]["progressive_error_last_1000"]
        text = f"{_error_name(summary)} before learning each example: {error:.2f} %, of the last 1000: {recent:.2f} %"
        console.print(text, highlight=False)
    values = summary["online"].get("progressive_values")
    if values is not None:
        text = (
            f"Before learning each example: mean absolute error {short(values['mean_absolute_error'])}, "
            f"mean squared error {short(values['mean_squared_error'])}, R2 {_to_text(values['r2'])}"
        )
        console.print(text, highlight=False)
    if not summary["online"].get("outliers", {}).get("new", True):
        console.print("Counted on the rows of this file; --test names rows that were not learned.")
    console.print(f"Model: {summary['model']}", markup=False, highlight=False)
    plot = summary["picture"] or hint
    if plot is not None:
        console.print(f"Picture: {plot}", markup=False, highlight=False)


def _row_name(summary: Summary, key: str) -> str:
    if key == "svc":
        return f"scikit-learn {summary['svc']['estimator']}"
    if "normal" in summary:
        return f"hinge {summary['estimator']}"
    return f"hinge {summary['estimator']}, " + ("one pass" if summary["epochs"] == 1 else f"{summary['epochs']} passes")


def _settings(summary: Summary) -> str:
    """Return the parameters of the model, separated by commas."""
    numbers = [f"{name}={summary[name]:g}" for name in ("C", "nu") if summary.get(name) is not None]
    words = [summary[name] for name in ("shape", "approximation", "loss") if name in summary]
    gamma = [] if summary["kernel"] == "linear" else [f"gamma={summary['gamma']:g}"]
    return ", ".join([*numbers, *words, summary["kernel"], *gamma])


def _error_name(summary: Summary) -> str:
    if "normal" not in summary:
        return "Error"
    return "Called outliers" if summary["normal"] is None else "Misjudged"


def _cells(result: Summary) -> dict[str, str]:
    """Return the cells of a row of the table by column."""
    cells = {"seconds": f"{result['seconds']:.2f}"}
    cells |= {
        unit: f"{result[_size_key(unit)]:,}" for unit in ("features", "support vectors") if _size_key(unit) in result
    }
    if result["test_error"] is not None:
        cells["test error"] = f"{result['test_error']:.2f} %"
    if "test_values" in result:
        values = result["test_values"]
        errors = ("mean absolute error", "mean squared error")
        cells |= {name: short(values[name.replace(" ", "_")]) for name in errors}
        cells["R2"] = _to_text(values["r2"])
    outliers = result.get("outliers", {})
    called = "called outliers" if outliers.get("found") is None else "false alarms"
    for name, key in ((called, "called"), ("found", "found")):
        if outliers.get(key) is not None:
            cells[name] = f"{outliers[key]:.1f} %"
    if outliers.get("roc_area") is not None:
        cells["ROC area"] = f"{outliers['roc_area']:.4f}"
    return cells


def _to_text(r2: float | None) -> str:
    return "-" if r2 is None else f"{r2:.4f}"

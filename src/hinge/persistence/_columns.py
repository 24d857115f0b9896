"""Columns of prepared models as JSON objects; `kind` says which class a column is of.

Columns of plain numbers and of categories have no `kind`, so that earlier versions can read them.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hinge.persistence import _json
from hinge.persistence._errors import require
from hinge.tables import (
    DATE_ORDERS,
    DECIMALS,
    THOUSANDS,
    BooleanColumn,
    CategoryColumn,
    Column,
    DateColumn,
    IdColumn,
    NumberColumn,
    NumberFormat,
    TextColumn,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hinge._model.types import Values

_PLAIN: _json.FieldTypes = {"name": (str,), "categories": (list, type(None)), "mean": (int, float)}
_FIELDS: dict[str, _json.FieldTypes] = {
    "number": {"mean": (int, float), "decimal": (str,), "thousands": (str,), "unit": (str,)},
    "boolean": {"true": (str,), "false": (str,), "mean": (int, float)},
    "date": {"order": (str,), "has_time": (bool,), "origin": (int, float), "mean": (int, float), "seasonal": (bool,)},
    "text": {"words": (list,), "weights": (list,)},
    "id": {},
}
_KINDS = {NumberColumn: "number", BooleanColumn: "boolean", DateColumn: "date", TextColumn: "text", IdColumn: "id"}


def column_to_json(column: Column) -> Values:
    """Return a column as values that JSON can hold."""
    if isinstance(column, CategoryColumn):
        return {"name": column.name, "categories": list(column.categories), "mean": 0.0}
    if isinstance(column, NumberColumn) and column.style == NumberFormat():
        return {"name": column.name, "categories": None, "mean": column.mean}
    values = asdict(column)
    values |= values.pop("style", {})
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    return {"kind": _KINDS[type(column)], **values, **lists}


def column_from_json(value: object) -> Column:
    """Return a column after checking its values."""
    if not isinstance(value, dict) or "kind" not in value:
        return _plain_column(_json.fields(value, "a column", _PLAIN))
    kind = value["kind"]
    require(isinstance(kind, str) and kind in _FIELDS, "a column is of an unknown kind")
    value = {"seasonal": True} | value if kind == "date" else value  # not in older files
    values = _json.fields(value, "a column", {"kind": (str,), "name": (str,), **_FIELDS[kind]})
    for name in ("mean", "origin"):
        require(math.isfinite(values.get(name, 0.0)), f"the {name} of a column is not finite")
    return _MAKERS[kind]({name: entry for name, entry in values.items() if name != "kind"})


def _plain_column(values: Values) -> Column:
    categories = values["categories"]
    require(math.isfinite(values["mean"]), "the mean of a column is not finite")
    if categories is None:
        return NumberColumn(values["name"], float(values["mean"]))
    _require_distinct(categories, "the categories of a column are none or repeated")
    return CategoryColumn(values["name"], tuple(categories))


def _number_column(values: Values) -> Column:
    style = number_format({name: values[name] for name in ("decimal", "thousands", "unit")})
    return NumberColumn(values["name"], float(values["mean"]), style)


def number_format(values: Values) -> NumberFormat:
    """Return a format of numbers after checking its separators."""
    decimal, thousands = values["decimal"], values["thousands"]
    sensible = decimal in DECIMALS and thousands in THOUSANDS and decimal != thousands
    require(sensible, "the numbers of a column have an unknown format")
    return NumberFormat(decimal, thousands, values["unit"])


def _boolean_column(values: Values) -> Column:
    words = [values["true"].casefold(), values["false"].casefold(), ""]
    require(len(set(words)) == len(words), "the two words of a column are empty or the same")
    return BooleanColumn(values["name"], values["true"], values["false"], float(values["mean"]))


def _date_column(values: Values) -> Column:
    require(values["order"] in DATE_ORDERS, "the dates of a column have an unknown order")
    return DateColumn(**values | {"origin": float(values["origin"]), "mean": float(values["mean"])})


def _text_column(values: Values) -> Column:
    words, weights = values["words"], values["weights"]
    if words:
        _require_distinct(words, "the words of a column are repeated")
    numbers = all(type(weight) in (int, float) and 0 < weight < math.inf for weight in weights)
    require(numbers and len(words) == len(weights), "the words of a column do not match their weights")
    return TextColumn(values["name"], tuple(words), tuple(map(float, weights)))


def _require_distinct(texts: list[Any], complaint: str) -> None:
    strings = bool(texts) and all(isinstance(text, str) for text in texts)
    require(strings and len(set(texts)) == len(texts), complaint)


_MAKERS: dict[str, Callable[[Values], Column]] = {
    "number": _number_column,
    "boolean": _boolean_column,
    "date": _date_column,
    "text": _text_column,
    "id": lambda values: IdColumn(values["name"]),
}

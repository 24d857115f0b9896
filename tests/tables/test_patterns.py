"""Columns named by patterns, codes with leading zeros, and separators that the user gives."""

import numpy as np
import pytest

from hinge.exceptions import DataError
from hinge.io import Table
from hinge.tables import CategoryColumn, NumberColumn, Survey, TextColumn


def surveyed(columns, **options):
    """Return the preparation of a table of texts with a label column, and what is said about it."""
    n_rows = len(next(iter(columns.values())))
    texts = {name: np.array(values, dtype=object) for name, values in columns.items()}
    label = np.array(["a", "b"] * n_rows, dtype=object)[:n_rows]
    survey = Survey(**options)
    survey.add(Table({**texts, "label": label}, range(2, n_rows + 2), named=True))
    return survey.preparation(), survey.notes


POSTCODES = [f"0{1000 + row % 7}" for row in range(30)]


def test_patterns_choose_columns():
    columns = {name: ["1.5", "2"] * 15 for name in ("x1", "x2", "x3", "y1", "age")}
    names = lambda **options: [column.name for column in surveyed(columns, **options)[0].columns]  # noqa: E731
    assert names(drop=["x*"]) == ["y1", "age"]
    assert names(drop=["x[13]", "age"]) == ["x2", "y1"]
    assert names(keep=["x?", "age"]) == ["x1", "x2", "x3", "age"]
    assert names(keep=["x*"], drop=["x2"]) == ["x1", "x3"]
    kinds = surveyed(columns, kinds={"x*": "category", "x2": "text"})[0].columns
    assert [type(column) for column in kinds[:3]] == [CategoryColumn, TextColumn, CategoryColumn]
    with pytest.raises(DataError, match=r"a column that matches 'z\*', got 'x1', 'x2'"):
        names(drop=["z*"])


def test_a_name_that_looks_like_a_pattern_is_a_name():
    columns = {"a[0]": ["1", "2"] * 15, "a0": ["3", "4"] * 15}
    (column,) = surveyed(columns, drop=["a[0]"])[0].columns
    assert column.name == "a0"


def test_postcodes_are_codes():
    prepared, notes = surveyed({"zip": POSTCODES})
    assert prepared.columns == (CategoryColumn("zip", tuple(sorted(set(POSTCODES)))),)
    assert "codes" in notes[0]
    (column,) = surveyed({"zip": POSTCODES}, kinds={"zip": "number"})[0].columns
    assert isinstance(column, NumberColumn)


@pytest.mark.parametrize("values", [["01", "12"] * 15, ["0.5", "0.7"] * 15, ["0", "100"] * 15, ["100", "205"] * 15])
def test_other_numbers_are_numbers(values):
    (column,) = surveyed({"x": values})[0].columns
    assert isinstance(column, NumberColumn)


@pytest.mark.parametrize(("thousands", "mean"), [(".", 1500.0), (None, 1.5)])
def test_thousands_decide_where_there_is_a_choice(thousands, mean):
    (column,) = surveyed({"x": ["1.000", "2.000"] * 15}, thousands=thousands)[0].columns
    assert column.mean == mean


def test_labels_written_in_several_ways_are_counted():
    survey = Survey()
    labels = np.array(["Yes", "yes", "no", "yes "] * 5, dtype=object)
    survey.add(Table({"x": np.arange(20.0) ** 2, "label": labels}, range(20), named=True))
    survey.preparation()
    assert "'yes' (10)/'Yes' (5)" in survey.notes[0]

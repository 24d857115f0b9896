"""What untidy tables hold: empty columns, codes, signs behind numbers."""

from __future__ import annotations

import numpy as np
import pytest

from hinge.exceptions import DataError
from hinge.io import Table
from hinge.tables import Survey


def survey(columns, **options):
    found = Survey(**options)
    n_rows = len(next(iter(columns.values())))
    table = {name: np.array(values, dtype=object) for name, values in columns.items()}
    found.add(Table(table, np.arange(2, n_rows + 2), True))
    return found


def test_empty_columns_are_left_out_and_said():
    found = survey({"a": ["1", "2"], "b": ["", "NA"], "kind": ["u", "v"], "column 3": ["", ""]})
    preparation = found.preparation()
    assert preparation.label == "kind"  # lines that end with a delimiter have an empty last field
    assert [column.width for column in preparation.columns] == [1, 0, 0]
    assert found.notes == ["Left out, since they hold no value in any row: 'b', 'column 3'."]


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        (["0,123", "-0,456"], -0.1665),
        (["1,234", "0,500"], 0.867),  # thousands do not begin with 0
        (["1,234", "2,000"], 1617.0),
        (["5,00-", "7,00"], 1.0),  # of SAP
        (["5.00- EUR", "7.00 EUR"], 1.0),
    ],
)
def test_what_numbers_mean(values, mean):
    found = survey({"a": values, "kind": ["u", "v"]})
    assert found.preparation().columns[0].mean == pytest.approx(mean)


def test_labels_that_are_codes_keep_their_zeros():
    found = survey({"a": ["1", "2", "3"], "plant": ["0100", "1000", "0100"]}, regression=None)
    assert found.classes.tolist() == ["0100", "1000"]
    assert not found.is_regression


def test_errors_of_spreadsheets_are_missing_values():
    found = survey({"a": ["1", "#DIV/0!", "#WERT!", "3"], "kind": [*"uvuv"]}, missing="fill")
    assert found.preparation().columns[0].mean == 2.0


def test_many_wrong_lines_are_counted():
    found = survey({"a": ["1", "2"], "kind": ["u", "v"]})
    found.problems += [f"line {line} is short." for line in range(300)]
    with pytest.raises(DataError, match=r"line 4 is short.\n- The same is wrong with 295 more lines."):
        found.preparation()

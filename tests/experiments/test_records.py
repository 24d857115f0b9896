"""Records and their CSV files."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.records import Records, normalize_value, read_records, write_records

SCALARS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1),
    st.integers(),
    st.floats(allow_nan=False),
)


@settings(max_examples=25, deadline=None)  # every file is flushed to disk
@given(record=st.dictionaries(st.sampled_from("abcd"), SCALARS, min_size=1))
def test_records_survive_writing_and_reading(record, tmp_path_factory):
    file = tmp_path_factory.mktemp("records") / "table.csv"
    record = {name: normalize_value(value) for name, value in record.items()}
    write_records(file, Records([record, {"e": 1}]))
    assert list(read_records(file)) == [record, {"e": 1}]


def test_numpy_scalars_are_read_as_python_numbers(tmp_path):
    write_records(tmp_path / "a.csv", Records([{"n": np.int64(3), "x": np.float64(0.1), "y": np.float32(0.5)}]))
    assert list(read_records(tmp_path / "a.csv")) == [{"n": 3, "x": 0.1, "y": 0.5}]


def test_mean_of_nothing_is_nan():
    assert math.isnan(Records().mean("error"))
    assert math.isnan(Records([{"error": 1.0}]).standard_error("error"))


def test_curve_has_sorted_x_and_mean_y():
    records = Records({"n": n, "run": run, "error": n + run} for n in (3, 1) for run in (0, 2))
    x, y = records.curve("n", "error")
    np.testing.assert_array_equal(x, [1, 3])
    np.testing.assert_array_equal(y, [2, 4])

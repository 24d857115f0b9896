"""Records: what is written is read, and the questions asked of them."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments._records import Records, normal, read_records, write_records

SCALARS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1),
    st.integers(),
    st.floats(allow_nan=False),
)


@settings(max_examples=25, deadline=None)  # every file is flushed to the disk
@given(line=st.dictionaries(st.sampled_from("abcd"), SCALARS, min_size=1))
def test_what_is_written_is_read(line, tmp_path_factory):
    file = tmp_path_factory.mktemp("records") / "table.csv"
    line = {name: normal(value) for name, value in line.items()}
    write_records(file, Records([line, {"e": 1}]))
    assert list(read_records(file)) == [line, {"e": 1}]


def test_numbers_of_numpy_are_plain_when_read(tmp_path):
    write_records(tmp_path / "a.csv", Records([{"n": np.int64(3), "x": np.float64(0.1), "y": np.float32(0.5)}]))
    assert list(read_records(tmp_path / "a.csv")) == [{"n": 3, "x": 0.1, "y": 0.5}]


def test_nothing_has_no_mean():
    assert math.isnan(Records().mean("error"))
    assert math.isnan(Records([{"error": 1.0}]).spread("error"))


def test_curves_are_means_at_sorted_places():
    records = Records({"n": n, "run": run, "error": n + run} for n in (3, 1) for run in (0, 2))
    across, up = records.curve("n", "error")
    np.testing.assert_array_equal(across, [1, 3])
    np.testing.assert_array_equal(up, [2, 4])

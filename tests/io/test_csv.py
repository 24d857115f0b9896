"""CSV text."""

from __future__ import annotations

import csv
import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hinge.exceptions import ParameterError
from hinge.io import DataFileError, Table, open_source


def write(tmp_path, text, name="a.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def whole(path, n_rows=4096, **options):
    chunks = list(open_source(path, **options).chunks(n_rows))
    assert all(isinstance(chunk, Table) and 0 < len(chunk) <= n_rows for chunk in chunks)
    assert all(column.dtype == object for chunk in chunks for column in chunk.columns.values())
    return {name: np.concatenate([chunk.columns[name] for chunk in chunks]).tolist() for name in chunks[0].columns}


texts = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=8)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[texts] * width), min_size=1, max_size=12)),
    st.integers(1, 14),
    st.sampled_from(",;\t|"),
)
def test_round_trip_of_quoted_texts(tmp_path, rows, n_rows, delimiter):
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL, delimiter=delimiter, lineterminator="\n").writerows(rows)
    path = write(tmp_path, buffer.getvalue())
    columns = whole(path, n_rows, header=False, delimiter=delimiter)
    expected = list(csv.reader(io.StringIO(buffer.getvalue(), newline=""), delimiter=delimiter, skipinitialspace=True))
    assert list(zip(*columns.values(), strict=True)) == [tuple(row) for row in expected] == rows


def test_names_lines_and_texts(tmp_path):
    path = write(tmp_path, '\ufeffcolour, weight\r\n\r\n"red, dark",1.50\r\n"two\r\nlines", NA\r\n \r\n,3\r\n')
    one, two, three = open_source(path).chunks(1)
    assert [chunk.line(0) for chunk in (one, two, three)] == [3, 4, 7]
    (all_rows,) = open_source(path).chunks()
    assert list(all_rows.lines) == [3, 4, 7]
    assert one.named
    assert {name: column.tolist() for name, column in one.columns.items()} == {
        "colour": ["red, dark"],
        "weight": ["1.50"],
    }
    assert whole(path) == {"colour": ["red, dark", "two\r\nlines", ""], "weight": ["1.50", "NA", "3"]}


@pytest.mark.parametrize(
    ("first", "named"), [("a,b", True), ("a,1", False), ("a,", False), ("nan,b", False), ("é,-", True)]
)
def test_header_is_guessed(tmp_path, first, named):
    path = write(tmp_path, f"{first}\nx,2\n")
    assert next(open_source(path).chunks()).named == named
    assert next(open_source(path, header=False).chunks()).named is False
    assert list(whole(path)) == (first.split(",") if named else ["0", "1"])
    assert len(next(iter(whole(path).values()))) == (1 if named else 2)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (",a\n0,5\n", ["column 0", "a"]),  # as pandas writes an index
        ("a,b\nx,y\n", ["a", "b"]),
        ("a,a\nx,y\n", ["0", "1"]),
        ("a,b\n", ["a", "b"]),
    ],
)
def test_header_is_guessed_from_the_second_row(tmp_path, text, names):
    path = write(tmp_path, text + "z,7\n")
    assert list(whole(path)) == names


def test_repeated_names(tmp_path):
    notes = []
    path = write(tmp_path, "a,a,a.1,a,b\nx,1,2,3,4\n")
    (chunk,) = open_source(path).chunks(notes=notes)
    assert list(chunk.columns) == ["a", "a.2", "a.1", "a.3", "b"]
    assert notes == ["a.csv, line 1 repeats names of columns: 'a' again as 'a.2', 'a' again as 'a.3'."]


def test_repeated_names_are_those_of_pandas(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = write(tmp_path, "a,b,a,b,a\nx,1,2,3,4\n")
    assert list(whole(path)) == pandas.read_csv(path).columns.tolist() == ["a", "b", "a.1", "b.1", "a.2"]


@pytest.mark.parametrize("n_rows", [1, 2, 100])
def test_bad_rows_can_be_skipped(tmp_path, n_rows):
    source = open_source(write(tmp_path, "a,b\n1,2\n3\n\n4,5,6\n7\0,8\n9,10\n"), bad_rows="skip")
    for _ in range(2):
        assert [text for chunk in source.chunks(n_rows) for text in chunk.columns["a"]] == ["1", "9"]
        assert len(source.skipped) == 3
    assert source.describe_skipped() == (
        "3 rows were left out, the first because a.csv, line 3 has 1 field; 2 expected, as in the first row."
    )


def test_only_rows_of_csv_files_can_be_skipped(tmp_path):
    with pytest.raises(ParameterError, match="in CSV files only, got a file of the format svmlight"):
        open_source(write(tmp_path, "1 1:2\n", "a.svm"), bad_rows="skip")
    with pytest.raises(ParameterError, match="bad_rows must be one of error, skip, got 'drop'"):
        open_source(write(tmp_path, "a,b\n"), bad_rows="drop")


def test_explicit_header(tmp_path):
    assert whole(write(tmp_path, "1,2\n3,4\n"), header=True) == {"1": ["3"], "2": ["4"]}


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("a;b;c,d\n1;2;3\n", "a.csv", ["a", "b", "c,d"]),
        ("a\tb\n1\t2\n", "a.csv", ["a", "b"]),
        ("a|b|c,d\n1|2|3\n", "a.csv", ["a", "b", "c,d"]),
        ('"a,b,c";d\n1;2\n', "a.csv", ["a,b,c", "d"]),
        ("a,b\tc\n1\t2\n", "a.tsv", ["a,b", "c"]),
        ("a b\n1\n", "a.csv", ["a b"]),
    ],
)
def test_delimiter_is_guessed(tmp_path, text, name, expected):
    assert list(next(open_source(write(tmp_path, text, name)).chunks()).columns) == expected


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ("a,b\n1,2\n\n1,2,3\n", {}, "a.csv, line 4 has 3 fields; 2 expected, as in the first row."),
        ('a,b\n"1\n",2\n7\n', {}, "a.csv, line 4 has 1 field; 2 expected, as in the first row."),
        (b"a,b\n\xc3\xa9,2\n\xe9,2\n", {}, "a.csv, line 3 is not UTF-8 text (byte 0xe9); save the file as UTF-8."),
        ("a,b\n1,2\n\0,2\n", {}, "a.csv, line 3 has a null character; is it a text file? --bad-rows skip leaves"),
        ('a,b\n1,"2\n3,4\n', {}, "a.csv ends inside quotation marks; the record begins at line 2."),
        ("a,b\n", {}, "a.csv has no rows."),
        ("\n\n\n", {}, "a.csv has no rows."),
        ("", {}, "a.csv has no rows."),
        ("a\rb\rc\n", {}, "a.csv, line 1 has line ends of a single CR"),
        ('a,b\n1,"' + "3,4\n" * 50_000, {}, "a.csv, line 2 has a field of more than 131072 characters; is a quot"),
    ],
)
def test_refusals_are_one_sentence(tmp_path, data, options, message):
    with pytest.raises(DataFileError) as caught:
        list(open_source(write(tmp_path, data), **options).chunks(3))
    assert str(caught.value).startswith(message)


def test_endless_line_is_refused_with_little_memory(tmp_path):
    path = tmp_path / "zeros.csv"
    with path.open("wb") as file:
        file.write(b"a,b\n")
        for _ in range(40):
            file.write(b"0" * (1 << 20))
    tracemalloc.start()
    with pytest.raises(DataFileError, match=r"zeros.csv, line 2 has more than 16 MB"):
        list(open_source(path).chunks())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 << 20


def test_memory_does_not_grow_with_the_file(tmp_path):
    peaks = []
    for n_lines in (100, 5_000, 40_000):  # the first file loads the libraries
        path = write(tmp_path, "a,b,c,d\n" + "one,two,three,four hundred and seventeen\n" * n_lines)
        tracemalloc.start()
        assert sum(map(len, open_source(path).chunks(500))) == n_lines
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 2 * peaks[1]

"""Writing and reading label files, which must not change labels."""

from __future__ import annotations

import csv
import gzip
import io
from datetime import UTC, datetime
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from hinge.datasets import read
from hinge.exceptions import DataError, ParameterError
from hinge.io import DataFileError, open_source
from hinge.web import _label_files
from hinge.web._label_files import COLUMNS, FORMATS, read_labels, write_labels
from hinge.web._labels import LabelRecord

MOMENT = datetime(2026, 5, 1, 12, 30, 15, 250, tzinfo=UTC)
CAT = LabelRecord("a", "cat", "ann", "chosen", "0a", 1.25, "dog", 0.5, labelled_at=MOMENT, changed_at=MOMENT)
DOG = LabelRecord("b", "dog", "bob", "random", "0b", labelled_at=MOMENT)


class Examples:
    """A pool that only has keys and features."""

    def __init__(self, keys, X=None):
        self.keys = list(keys)
        self.X = X

    def __len__(self):
        return len(self.keys)

    def key(self, row):
        return self.keys[row]

    def row_of(self, key):
        return self.keys.index(key) if key in self.keys else None

    def digest(self, row):
        return f"{row:016x}"


POOL = Examples("abc")


def written(kind, answers, pool=POOL):
    stream = io.BytesIO()
    write_labels(kind, answers, pool, stream)
    return stream.getvalue()


def labels_of(text, pool=POOL, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return {answer.key: answer.label for answer in read_labels(io.BytesIO(data), pool, **options)}


KEYS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12) | st.text(
    "'=+-@\t\r\n\" ,;x", min_size=1, max_size=5
)
NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=12),
    st.text("'=+-@1.e\" ,;#|", min_size=1, max_size=6),
    st.floats().map(str),
).filter(lambda name: name.strip() == name)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(KEYS, NAMES, NAMES), unique_by=lambda each: each[0], min_size=1, max_size=6))
def test_exported_labels_can_be_imported(rows):
    answers = [LabelRecord(key, label, person, "chosen", "0a", guess=label) for key, label, person in rows]
    pool = Examples(key for key, _, _ in rows)
    read_again = read_labels(io.BytesIO(written("csv", answers, pool)), pool)
    assert [(each.key, each.label, each.person) for each in read_again] == rows
    assert [each.digest for each in read_again] == [pool.digest(row) for row in range(len(rows))]
    assert {each.drawn for each in read_again} == {"chosen"}


@settings(max_examples=100, deadline=None)
@given(NAMES)
def test_formulas_are_escaped_for_spreadsheets(label):
    """A cell is a number or does not start like a formula."""
    text = written("csv", [LabelRecord("a", label, "ann", "chosen", "0a", guess=label)]).decode()
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    for cell in (row["label"], row["guess"]):
        if cell[0] in "=+-@\t\r":
            float(cell)
            assert not set(cell) & set("infa")


def test_csv_has_one_row_per_label():
    text = written("csv", [CAT, DOG]).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0] == {
        "key": "a",
        "label": "cat",
        "person": "ann",
        "seconds": "1.25",
        "labelled_at": MOMENT.isoformat(),
        "changed_at": MOMENT.isoformat(),
        "drawn": "chosen",
        "guess": "dog",
    }
    assert (rows[1]["seconds"], rows[1]["changed_at"], rows[1]["guess"]) == ("", "", "")


def test_parquet_has_types(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "labels.parquet"
    write_labels("parquet", [CAT, DOG, LabelRecord("c", "=1+1", "ann", "chosen", "0c", labelled_at=MOMENT)], POOL, path)
    table = parquet.read_table(path)
    assert tuple(table.column_names) == COLUMNS
    assert str(table.schema.field("labelled_at").type) == "timestamp[us, tz=UTC]"
    assert str(table.schema.field("seconds").type) == "double"
    first, second, third = table.to_pylist()
    assert (first["label"], first["seconds"], first["labelled_at"]) == ("cat", 1.25, MOMENT)
    assert (second["seconds"], second["guess"], second["changed_at"]) == (None, None, None)
    assert third["label"] == "=1+1"  # nothing to disarm here


@pytest.mark.parametrize("kind", FORMATS)
def test_no_labels_are_a_valid_file(kind, tmp_path):
    path = tmp_path / "labels"
    write_labels(kind, [], Examples("abc", np.zeros((3, 2))), path)
    if kind == "parquet":
        assert pytest.importorskip("pyarrow.parquet").read_table(path).num_rows == 0
    else:
        assert path.read_text() == (",".join(COLUMNS) + "\n" if kind == "csv" else "")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_svmlight_has_the_features_of_the_rows(tmp_path, dtype, sparse):
    dense = np.random.default_rng(0).normal(size=(20, 6)).astype(dtype)
    dense[:, 1:4] *= np.random.default_rng(1).random((20, 3)) < 0.5
    dense[:, 5] = 1 / 3  # the last column is there in every row
    pool = Examples(map(str, range(20)), csr_matrix(dense) if sparse else dense)
    rows = [3, 17, 0, 9]
    labels = ["-1", "+2", "2.5", "1e3"]
    answers = [LabelRecord(str(row), label, "ann", "chosen", "00") for row, label in zip(rows, labels, strict=True)]
    write_labels("svm", answers, pool, tmp_path / "labels.svm")
    X, y = read(tmp_path / "labels.svm", dense=True)
    np.testing.assert_array_equal(X.astype(dtype), dense[rows])
    assert y.tolist() == [-1, 2, 2.5, 1000]


def test_svmlight_indices_ascend_even_where_those_of_the_pool_do_not(tmp_path):
    X = csr_matrix((np.array([1.0, 2.0, 0.0]), np.array([2, 0, 1]), np.array([0, 3])), shape=(1, 3))
    assert written("svm", [LabelRecord("a", "7", "ann", "chosen", "0a")], Examples("a", X)) == b"7 1:2 3:1\n"


@pytest.mark.parametrize(
    ("labels", "numbers"),
    [
        (["dog", "cat", "0", "dog"], [2, 1, 0, 2]),
        (["1", "1.0", "1", "1"], [0, 1, 0, 0]),  # two classes must stay two
        (["nan", "inf", "1e999", "nan"], [2, 1, 0, 2]),
        (["é", "1_0", "# 5", "é"], [2, 1, 0, 2]),
    ],
)
def test_svmlight_numbers_labels_that_are_not_numbers(tmp_path, labels, numbers):
    pool = Examples("abcd", np.eye(4) + 1)
    answers = [LabelRecord(key, label, "ann", "chosen", "00") for key, label in zip("abcd", labels, strict=True)]
    write_labels("svm", answers, pool, tmp_path / "labels.svm")
    (chunk,) = open_source(tmp_path / "labels.svm", format="svmlight").chunks()
    assert chunk.y.tolist() == numbers
    comments = (tmp_path / "labels.svm").read_text(encoding="utf-8").splitlines()[: len(set(labels))]
    assert comments == [f"# {number} is {label}" for number, label in enumerate(sorted(set(labels)))]


def test_svmlight_refuses_labels_of_other_examples():
    with pytest.raises(DataError, match="'z' has a label, but is not in the pool"):
        written("svm", [LabelRecord("z", "1", "ann", "chosen", "0a")])


def test_a_format_must_be_known():
    with pytest.raises(ParameterError, match="'csv', 'parquet', 'svm', got 'xls'"):
        written("xls", [])


def test_a_file_is_written_completely_or_not_at_all(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("before")
    broken = SimpleNamespace(**dict.fromkeys(COLUMNS[:-1], "x"))  # has no guess
    with pytest.raises(AttributeError):
        write_labels("csv", [CAT, broken], POOL, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "text",
    [
        "key,label\na,cat\nb,dog\n",
        "\ufeffkey,label\r\na,cat\r\nb,dog",
        "LABEL;Row;remark\ncat;0;x\ndog; 1 ;y\n",
        ' Label ,person,KEY\n cat ,ann,a\n"dog",,b\n\n',
        "key,label\na,cat\nb,dog\na,cat\n",  # the same twice
        "row,key,label\n2,a,cat\n2,b,dog\n",  # the key counts
    ],
)
def test_csv_variants(text):
    assert labels_of(text) == {"a": "cat", "b": "dog"}


def test_the_person_comes_from_the_file_or_the_parameter():
    text = b"key,label,person\na,cat, ann \nb,dog,\n"
    assert [each.person for each in read_labels(io.BytesIO(text), POOL, person="zoe")] == ["ann", "zoe"]


def test_a_file_may_be_compressed(tmp_path):
    path = tmp_path / "labels.csv.gz"
    path.write_bytes(gzip.compress(b"key,label\na,cat\n"))
    assert [answer.label for answer in read_labels(path, POOL)] == ["cat"]


def test_a_stream_stays_open_and_is_not_decompressed():
    stream = io.BytesIO(b"key,label\na,cat\n")
    read_labels(stream, POOL)
    assert not stream.closed
    with pytest.raises(DataFileError):
        labels_of(gzip.compress(b"key,label\na,cat\n"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "The file has no rows"),
        ("key,label\n", "The file has no rows"),
        ("a,cat\nb,dog\n", "line 1 must contain the column names key .* got 'a', 'cat'"),
        ("key,class\na,cat\n", "line 1 must contain the column names"),
        ("key,Label,label\na,cat,dog\n", "line 1 has more than one column 'label'"),
        ("key,label\na,cat\nz,dog\n", "line 3 has the key 'z', which is not in the pool"),
        ("key,label\n,dog\n", "line 2 has the key '', which"),
        ("key,label\na,cat\n\nb,  \n", "line 4 is invalid: A label must have 1 to 100 characters, got 0"),
        (f"key,label\na,{'x' * 101}\n", "line 2 is invalid: .* got 101"),
        ('key,label\na,"c\nt"\n', "line 2 is invalid: A label must not contain control characters"),
        (f"key,label,person\na,cat,{'x' * 41}\n", "line 2 is invalid: A person's name"),
        (
            "key,label\na,cat\nb,dog\na,dog\n",
            "line 4 has the label 'dog' for an example that has the label 'cat' in line 2",
        ),
        ("key,row,label\na,0,cat\na,1,dog\n", "line 3 has the label 'dog'"),
        ("row,label\n3,cat\n", "line 2 must have a row from 0 to 2, got '3'"),
        ("row,label\n-1,cat\n", "got '-1'"),
        ("row,label\n1.5,cat\n", "got '1.5'"),
        (f"row,label\n{'9' * 5000},cat\n", "must have a row from 0 to 2"),
        ("row,label\n٢,cat\n", "must have a row from 0 to 2"),
        ("key,label\na,cat,x\n", "line 2 has 3 fields; 2 expected"),
        ('key,label\na,"cat\n', "ends inside quotation marks"),
        (b"key,label\na,caf\xe9\n", r"line 2 is not UTF-8 text \(byte 0xe9\); save the file as UTF-8"),
        ("key,label\na,cat\n".encode("utf-16"), "line 1"),
        (b"key,label\na,c\0t\n", "line 2 has a null character"),
        ("key,label" + ",x" * 100_000, "line 1 has more than 100000 bytes"),
        (f"key,label\na,{'x' * 200_000}\n", "line 2 has a field of more than"),
    ],
)
def test_an_invalid_line_is_reported_with_its_number(text, complaint):
    with pytest.raises(DataFileError, match=complaint) as caught:
        labels_of(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_too_many_lines_are_refused(monkeypatch):
    monkeypatch.setattr(_label_files, "MAX_LINES", 5)
    assert labels_of("key,label\n" + "a,cat\n" * 4) == {"a": "cat"}
    with pytest.raises(DataFileError, match="at most 5 lines"):
        labels_of("key,label\n" + "a,cat\n" * 5)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_labels(tmp_path / "none.csv", POOL)

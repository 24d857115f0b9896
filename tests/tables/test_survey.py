"""From rows of a file to features: what a survey decides, and its errors."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hinge import DataError
from hinge.io import Rows, Table
from hinge.tables import Survey
from hinge.tables._labels import parse_labels
from hinge.tables._values import Cells, texts


def table(first=2, named=True, **columns):
    arrays = {name: np.array(values, dtype=object) for name, values in columns.items()}
    return Table(arrays, range(first, first + len(next(iter(arrays.values())))), named)


def surveyed(*chunks, scale="none", unknown="error", **options):
    survey = Survey(**options)
    for chunk in chunks:
        survey.add(chunk)
    return survey.preparation(scale=scale, unknown=unknown)


FRUIT = table(colour=["green", "red", "green"], weight=["150", "90", "160"], fruit=["pear", "apple", "pear"])


def test_a_table_becomes_numbers():
    preparation = surveyed(FRUIT, label="fruit")
    X, y = preparation.examples(FRUIT)
    assert preparation.feature_names == ["colour=green", "colour=red", "weight"]
    assert X.tolist() == [[1, 0, 150], [0, 1, 90], [1, 0, 160]]
    assert y.tolist() == ["pear", "apple", "pear"]


def test_categories_come_from_all_chunks_and_columns_in_any_order():
    more = table(first=5, fruit=["fig"], weight=["40"], colour=["blue"])
    survey = Survey(label="fruit")
    survey.add(FRUIT)
    survey.add(more)
    preparation = survey.preparation(scale="none")
    assert preparation.features(more).tolist() == [[1, 0, 0, 40]]
    assert survey.classes.tolist() == ["apple", "fig", "pear"]
    assert survey.n_rows == 4


@pytest.mark.parametrize(
    ("label", "expected"), [("fruit", "fruit"), (0, "colour"), ("1", "weight"), (-1, "fruit"), (None, "fruit")]
)
def test_label_by_name_or_number(label, expected):
    assert surveyed(FRUIT, label=label).label == expected


def test_a_column_with_a_common_name_is_the_label():
    assert surveyed(table(Target=["a", "b"], x=["1", "2"])).label == "Target"


@pytest.mark.parametrize(
    ("labels", "kind", "expected"),
    [
        (["1", "-1"], "whole", [1, -1]),
        (["1.0", "2"], "whole", [1, 2]),
        (["0.5", "2"], "number", [0.5, 2.0]),
        (["1", "one"], "text", ["1", "one"]),
        (["True", "False"], "text", ["True", "False"]),
    ],
)
def test_kinds_of_labels(labels, kind, expected):
    chunk = table(x=["1", "2"], y=labels)
    preparation = surveyed(chunk)
    assert preparation.label_kind == kind
    assert preparation.examples(chunk)[1].tolist() == expected


def test_many_columns_with_missing_values_make_one_sentence():
    columns = {f"c{number}": ["1", ""] for number in range(200)}
    with pytest.raises(DataError, match="column 'c9' has no value in line 3, and so on in 190 more columns") as raised:
        surveyed(table(**columns, y=["a", "b"]))
    assert len(str(raised.value)) < 800


def test_text_labels_may_look_like_numbers_at_first():
    first, second = table(x=["1"], y=["1"]), table(x=["2"], y=["two"])
    survey = Survey()
    survey.add(first)
    survey.add(second)
    assert survey.classes.tolist() == ["1", "two"]
    assert survey.preparation().examples(first)[1].tolist() == ["1"]


class TestMissing:
    chunk = table(first=10, colour=["green", "?", "red"], weight=["1", "3", ""], y=["a", "b", "a"])

    def test_error_names_column_and_line(self):
        both = r"column 'colour' has no value in line 11, column 'weight' has no value in line 12; .*fill.*drop"
        with pytest.raises(DataError, match=both):
            surveyed(self.chunk)

    def test_fill(self):
        preparation = surveyed(self.chunk, missing="fill")
        assert preparation.features(self.chunk).tolist() == [[0, 1, 0, 1], [1, 0, 0, 3], [0, 0, 1, 2]]

    def test_drop(self):
        preparation = surveyed(self.chunk, missing="drop")
        X, y = preparation.examples(self.chunk)
        assert X.tolist() == [[1, 0, 1]]
        assert y.tolist() == ["a"]
        with pytest.raises(DataError, match="in line 12"):  # whoever asks for answers wants one for each row
            preparation.features(table(first=12, colour=["red"], weight=[None], y=["a"]))

    def test_label(self):
        with pytest.raises(DataError, match="Every row must have a label, but line 3 has none"):
            surveyed(table(x=["1", "2"], y=["a", ""]))
        with pytest.raises(DataError, match="line 2 has none"):
            surveyed(table(x=["1", "2"], y=["", "1"]))

    def test_all_of_a_column(self):
        chunk = table(x=["", ""], z=["1", "2"], y=["a", "b"])
        assert surveyed(chunk, missing="fill").features(chunk).tolist() == [[1], [2]]  # left out


def test_unknown_category():
    stranger = table(first=7, colour=["green", "blue"], weight=["1", "2"])
    with pytest.raises(DataError, match=r"'colour' must hold one of the 2 categories .*'blue' in line 8; .*'ignore'"):
        surveyed(FRUIT).features(stranger)
    assert surveyed(FRUIT, unknown="ignore").features(stranger).tolist() == [[1, 0, 1], [0, 0, 2]]


@pytest.mark.parametrize(
    ("options", "chunk", "words"),
    [
        ({"label": "nut"}, FRUIT, r"one of the columns colour, weight, fruit, or the number .* got 'nut'"),
        ({"label": 3}, FRUIT, "got 3"),
        ({"drop": ["nut"]}, FRUIT, "There must be a column 'nut'"),
        ({"categorical": ["nut"]}, FRUIT, "There must be a column 'nut'"),
        (
            {},
            table(x=["1", "2", "x", "3"], y=["a", "b", "a", "b"]),
            "either numbers or categories, got 'x'.* line 4",
        ),
        ({}, table(x=["1", "inf"], y=["a", "b"]), "finite numbers, got infinity in line 3"),
        ({}, table(y=["a", "b"]), "at least one feature"),
        ({}, table(x=[f"text {i}" for i in range(1002)], y=["a", "b"] * 501), "got none; 'x' only name or number"),
        ({"kinds": {"weight": "colour"}}, FRUIT, "kind of column 'weight' must be one of .*'date'.* got 'colour'"),
        ({}, table(x=["1"] * 1002, y=[str(i) for i in range(1002)]), "Labels must be classes, at most 1000"),
    ],
)
def test_errors(options, chunk, words):
    with pytest.raises(ValueError, match=words):
        surveyed(chunk, **options)


def test_numbers_may_be_categories():
    chunk = table(code=["7", "8"], y=["a", "b"])
    preparation = surveyed(chunk, categorical=["code"])
    assert preparation.features(chunk).tolist() == [[1, 0], [0, 1]]


def test_dropped_columns_may_be_absent_later():
    preparation = surveyed(FRUIT, drop=["colour"])
    assert preparation.features(table(weight=["3"])).tolist() == [[3]]


def test_a_table_must_have_its_columns():
    with pytest.raises(DataError, match="There must be a column 'colour', as in training, got 'weight'"):
        surveyed(FRUIT).features(table(weight=["3"]))
    with pytest.raises(DataError, match=r"Rows must have 3 fields .* or 2 without the label, got 1"):
        surveyed(FRUIT).features(table(named=False, **{"0": ["3"]}))
    with pytest.raises(DataError, match="must hold numbers, got 'heavy' in line 2"):
        surveyed(FRUIT).features(table(colour=["red"], weight=["heavy"]))


def test_unnamed_columns_without_the_label():
    chunk = table(first=1, named=False, **{"0": ["a", "b"], "1": ["1", "2"], "2": ["3", "4"]})
    preparation = surveyed(chunk, label=0)
    asked = table(first=1, named=False, **{"0": ["5"], "1": ["6"]})
    assert preparation.features(asked).tolist() == [[5, 6]]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [(["x", "1", "2", "3"], [1, 2]), (["1", "2", "3"], [1, 2]), (["1", "2"], [1, 2])],
    ids=["all columns", "no label", "used columns"],
)
def test_columns_without_names_keep_their_order(fields, expected):
    chunk = table(first=1, named=False, **{"0": ["a", "b"], "1": ["1", "2"], "2": ["3", "4"], "3": ["5", "6"]})
    preparation = surveyed(chunk, label=0, drop=["3"])
    asked = table(first=1, named=False, **{str(place): [field] for place, field in enumerate(fields)})
    assert preparation.features(asked).tolist() == [expected]


def test_numbers_of_labels_count_all_columns():
    chunk = table(a=["1", "2"], b=["x", "y"], c=["3", "4"])
    assert surveyed(chunk, label=1, drop=["a"]).label == "b"
    with pytest.raises(DataError, match="The label must not be dropped, got 'a' for both"):
        surveyed(chunk, label="a", drop=["a"])


@pytest.mark.parametrize(
    ("kind", "value"), [("whole", "0.7"), ("whole", "inf"), ("number", "inf"), ("number", "x"), ("truth", "2")]
)
def test_labels_of_another_kind_are_errors(kind, value):
    good = {"whole": "1", "number": "0.5", "truth": "true"}[kind]
    with pytest.raises(DataError, match=f"got '{value}' in line 3"):
        parse_labels(np.array([good, value], dtype=object), kind, line=lambda place: place + 2)


def test_booleans_read_the_same_from_any_file():
    raw = np.array(["True", "false", "0", "1"], dtype=object)
    assert parse_labels(raw, "truth", line=int).tolist() == [True, False, False, True]


def test_missing_labels_of_numbers():
    chunk = Table({"x": np.arange(3.0), "y": np.array([1.0, np.nan, 2.0])}, range(1, 4), named=True)
    survey = Survey(missing="drop")
    survey.add(chunk)
    assert survey.classes.tolist() == [1, 2]
    assert survey.preparation().examples(chunk)[1].tolist() == [1, 2]
    with pytest.raises(DataError, match="line 2 has none"):
        surveyed(chunk)


def test_numbers_as_categories_are_the_same_from_any_file():
    column = surveyed(table(x=["0.1", "3"], y=["a", "b"]), categorical=["x"]).columns[0]
    values = np.array([0.1, 3.0])
    codes = column.encode(texts(values), Cells(values, line=int))
    assert codes.tolist() == [0, 1]


def test_numbers_have_no_underscores():
    chunk = table(x=["1_000", "2_000"], y=["a", "b"])
    assert surveyed(chunk).columns[0].categories == ("1_000", "2_000")


def test_line_numbers_stay_right_after_rows_are_dropped():
    chunk = Table(
        {"x": np.array(["1", "", "2"], dtype=object), "y": np.array(["1", "2", "3"], dtype=object)},
        [2, 5, 9],
        named=True,
    )
    preparation = surveyed(chunk, missing="drop")
    bad = Table({**chunk.columns, "y": np.array(["1", "2", "three"], dtype=object)}, [2, 5, 9], named=True)
    with pytest.raises(DataError, match="got 'three' in line 9"):
        preparation.examples(bad)


class TestMatrix:
    rows = Rows(csr_matrix([[0.0, 2.0, 0.0], [0.0, 0.0, 4.0]]), np.array([1, -1]), 1, indexed=True)

    def test_other_matrices_have_no_indices(self):
        plain = Rows(csr_matrix([[0.0, 2.0, 0.0], [0.0, 0.0, 4.0]]), np.array([1, -1]), 1)
        preparation = surveyed(plain)
        assert preparation.n_features == 3
        np.testing.assert_array_equal(preparation.features(plain), plain.X.toarray())

    def test_svmlight_counts_from_one(self):
        preparation = surveyed(self.rows)
        assert (preparation.n_features, preparation.first_index) == (2, 1)
        X, y = preparation.examples(self.rows)
        assert X.tolist() == [[2, 0], [0, 4]]
        assert y.tolist() == [1, -1]

    def test_svmlight_counts_from_zero_if_zero_occurs(self):
        last = Rows(csr_matrix([[5.0]]), np.array([1]), 3, indexed=True)
        preparation = surveyed(self.rows, last)
        assert (preparation.n_features, preparation.first_index) == (3, 0)
        assert preparation.features(last).tolist() == [[5, 0, 0]]

    def test_unknown_features(self):
        wide = Rows(csr_matrix([[0, 1.0, 0, 0], [0, 0, 0, 9.0]]), None, 5, indexed=True)
        with pytest.raises(DataError, match=r"numbered from 1 to 2.* got 3 in line 6"):
            surveyed(self.rows).features(wide)
        assert surveyed(self.rows, unknown="ignore").features(wide).tolist() == [[1, 0], [0, 0]]

    def test_mostly_zeros_stay_sparse(self):
        wide = Rows(csr_matrix(([1.0], ([0], [5000])), shape=(1, 5001)), np.array([1]), 1, indexed=True)
        X, _ = surveyed(wide).examples(wide)
        assert X.shape == (1, 5000)
        assert X.nnz == 1

    def test_a_huge_index_takes_no_memory(self):
        hostile = Rows(csr_matrix(([1.0], ([0], [2**31 - 2])), shape=(1, 2**31 - 1)), np.array([1]), 1, indexed=True)
        with pytest.raises(DataError, match="Features must be numbered up to 67,108,864, got 2,147,483,646"):
            surveyed(hostile)
        wide = Rows(csr_matrix(([1.0], ([0], [2**25])), shape=(1, 2**25 + 1)), np.array([1]), 1, indexed=True)
        X, _ = surveyed(wide, scale="auto").examples(wide)
        assert X.shape == (1, 2**25)
        with pytest.raises(ValueError, match="Scaling must be 'none'"):
            surveyed(wide, scale="largest")

    def test_nan(self):
        with pytest.raises(DataError, match="finite"):
            surveyed(Rows(np.array([[np.nan]]), np.array([1]), 1))

    def test_no_labels(self):
        rows = Rows(np.ones((2, 2)), None, 1)
        with pytest.raises(DataError, match="There must be labels"):
            surveyed(rows).examples(rows)

    def test_a_table_of_numbers_is_accepted(self):
        preparation = surveyed(Rows(np.array([[1.0, 2.0]]), np.array([1]), 1))
        assert preparation.features(table(a=["3"], b=["4"])).tolist() == [[3, 4]]
        X, y = preparation.examples(table(a=["3"], y=["1"], b=["4"]))
        assert (X.tolist(), y.tolist()) == ([[3, 4]], [1])

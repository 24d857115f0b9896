"""Files with something above the table, as spreadsheets, banks and old programs write them."""

from __future__ import annotations

import pytest

from hinge.io import DataFileError, open_source

ROWS = "day;amount;kind\n1.2.24;5,00;a\n2.2.24;7,00;b\n3.2.24;8,50;a\n"


def read(path, text, **options):
    path.write_bytes(text.encode())
    notes: list[str] = []
    chunks = list(open_source(path, **options).chunks(2, notes=notes))
    columns = {name: [value for chunk in chunks for value in chunk.columns[name]] for name in chunks[0].columns}
    return columns, [chunk.line(row) for chunk in chunks for row in range(len(chunk))], notes


@pytest.mark.parametrize(
    ("above", "n_lines"),
    [
        ("Account 17\n\n", 2),
        ("Account;;\nIBAN;DE02 1203;\n;;\n", 3),
        ("Report, of sales, in March\n", 1),
        ('"Title; with a semicolon"\nfrom;1.2.24\n', 2),
        ('"Account";"DE02 1203"\n"Period";"1.2. - 3.2."\n"Balance";"5,00 EUR"\n\n', 4),
    ],
)
def test_lines_above_the_table_are_skipped_and_said(tmp_path, above, n_lines):
    columns, lines, notes = read(tmp_path / "bank.csv", above + ROWS)
    assert columns == {"day": ["1.2.24", "2.2.24", "3.2.24"], "amount": ["5,00", "7,00", "8,50"], "kind": [*"aba"]}
    assert lines == [n_lines + place for place in (2, 3, 4)]
    assert len(notes) == 1
    assert f"names in line {n_lines + 1}" in notes[0]


@pytest.mark.parametrize("name", ["sep=;", '"sep=;"'])
def test_the_separator_that_a_spreadsheet_names(tmp_path, name):
    columns, lines, notes = read(tmp_path / "a.csv", f"{name}\r\n" + ROWS.replace("\n", "\r\n"))
    assert columns["kind"] == ["a", "b", "a"]
    assert lines == [3, 4, 5]
    assert not notes


def test_drawn_lines_are_no_rows(tmp_path):
    rule = "-" * 20
    table = f"{rule}\n|Name |Size|\n{rule}\n|M1   |1,5 |\n|M2   |2,5 |\n|-----|----|\n|Sum  |4,0 |\n{rule}\n"
    columns, lines, _ = read(tmp_path / "sap.txt", table, format="csv")
    assert [name.strip() for name in columns] == ["column 0", "Name", "Size", "column 3"]
    assert [text.strip() for text in columns["Size"]] == ["1,5", "2,5", "4,0"]
    assert lines == [4, 5, 7]


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,2\n3,4,5\n6,7,8\n",  # a short row is no table of its own
        ",a,b\n0,x,y\n1,z,w\n",  # an index without a name
        "a;b;\n1;2;\n3;4;\n",
        "1,,x\n2,5,y\n3,6,z\n",  # no names, and a missing value
        "x,,y\nu,v,w\n",
    ],
)
def test_other_tables_begin_in_the_first_line(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(text)
    notes: list[str] = []
    problems: list[str] = []
    chunks = list(open_source(path).chunks(notes=notes, problems=problems))
    assert sum(map(len, chunks)) + len(problems) == text.count("\n") - chunks[0].named
    assert not notes


def test_names_on_request_are_those_of_the_first_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;;\ny;z;w\n1;2;3\n2;3;4\n")
    assert list(next(open_source(path, header=True).chunks()).columns) == ["x", "column 1", "column 2"]


def test_line_ends_of_old_macs(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\r1,2\r")
    with pytest.raises(DataFileError, match=r"line ends of a single CR"):
        list(open_source(path).chunks())


def test_a_field_that_never_ends_is_reported(tmp_path):
    with pytest.raises(DataFileError, match="has a field of more than 131072 characters"):
        read(tmp_path / "data.csv", "a,b\n" + "x" * 140_000 + ",1\n")

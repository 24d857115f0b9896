"""Text files that are not UTF-8."""

import gzip

import pytest

from hinge.io import DataFileError, open_source
from hinge.io._bytes import PIECE

TEXT = "name,town\nJosé,Köln\nZoë,Málaga\n"


def read(path, **options):
    chunks = list(open_source(path, **options).chunks(1))
    return {name: [value for chunk in chunks for value in chunk.columns[name]] for name in chunks[0].columns}


EXPECTED = {"name": ["José", "Zoë"], "town": ["Köln", "Málaga"]}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_encodings_are_found(tmp_path, encoding, pack):
    path = tmp_path / "people.csv"
    path.write_bytes(pack(TEXT.encode(encoding)))
    assert read(path) == EXPECTED


def test_big_endian_with_a_mark(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(b"\xfe\xff" + TEXT.encode("utf-16-be"))
    assert read(path) == EXPECTED


def test_windows_signs(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_bytes("thing,price\ncafé,5 €\n\x81,6\n".encode("cp1252", errors="replace").replace(b"?,", b"\x81,"))
    assert read(path) == {"thing": ["café", "\x81"], "price": ["5 €", "6"]}


def test_characters_may_be_cut_between_reads(tmp_path):
    path = tmp_path / "long.csv"
    rows = ["a,b", *(f"{number},\N{GRINNING FACE}ä" for number in range(PIECE // 8))]
    path.write_bytes(b"\xff\xfe" + b"" + "\n".join(rows).encode("utf-16-le"))
    found = [value for chunk in open_source(path).chunks() for value in chunk.columns["b"]]
    assert found == ["\N{GRINNING FACE}ä"] * (PIECE // 8)


def test_later_blocks_decide(tmp_path):
    path = tmp_path / "late.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 50 + b"\xe9,2\n" + b"1,\xfc\n")
    assert read(path)["a"][50] == "é"
    assert read(path)["b"][51] == "ü"


def test_half_a_character_is_an_error(tmp_path):
    path = tmp_path / "half.csv"
    path.write_bytes(TEXT.encode("utf-16")[:-1])
    with pytest.raises(DataFileError, match=r"half.csv is not valid UTF-16 text"):
        read(path)


def test_svmlight_may_be_utf16(tmp_path):
    path = tmp_path / "rows.svm"
    path.write_bytes("1 1:2 3:4\n".encode("utf-16"))
    assert next(open_source(path).chunks()).X.toarray().tolist() == [[0, 2, 0, 4]]


def test_lines_of_the_wrong_width_are_collected(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("a,b\n1,2\n3\n4,5\n6,7,8\n")
    problems = []
    rows = [value for chunk in open_source(path).chunks(problems=problems) for value in chunk.columns["a"]]
    assert rows == ["1", "4"]
    assert problems == [
        "wide.csv, line 3 has 1 field; 2 expected, as in the first row.",
        "wide.csv, line 5 has 3 fields; 2 expected, as in the first row.",
    ]

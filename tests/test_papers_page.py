"""The page that compares the papers with the code names places that exist, and leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "design" / "papers.md"
if not PAGE.exists():
    pytest.skip("the documents are not there: run the tests from a clone", allow_module_level=True)
ROWS = [line for line in PAGE.read_text().splitlines() if re.match(r"\| (?!paper|experiments \||reprocess|-)", line)]
ROWS = [line for line in ROWS if line.count(" | ") == 2 and "`" in line.split(" | ")[1]]

# Where a name is defined: not where it is imported, called or mentioned.
_PYTHON = r"^\s*(def|class) NAME\b|^\s*(self\.)?(\w+, )*NAME(, \w+)*\s*(:[^=\n]+)?=|^\s+NAME\s*:"
_CPP = (
    r"(struct|class|enum class|enum)\s+NAME\b|[\w>&*](?<!return)\s+(\w+(<T>)?::)?NAME\s*\(|\bNAME\s*(\{|=[^=])|\bNAME;"
    r"|std::vector<[^>]*> [^;]*\bNAME\b"
)


def test_places_exist():
    for row in ROWS:
        places = re.findall(r"`([\w/.]+):(\w+)`", row.split(" | ")[1])
        assert places, f"no place in: {row}"
        for file, name in places:
            path = ROOT / file
            assert path.exists(), f"{file} does not exist, in: {row}"
            header = path.with_suffix(".hpp")
            text = path.read_text() + (header.read_text() if header.exists() else "")
            pattern = (_PYTHON if path.suffix == ".py" else _CPP).replace("NAME", name)
            assert re.search(pattern, text, re.MULTILINE), f"{file} does not define {name}, in: {row}"


def test_every_row_has_a_verdict():
    for row in ROWS:
        assert re.match(r"(same|different)\b", row.split(" | ")[2]), row
    assert len(ROWS) > 90

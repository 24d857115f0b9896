"""The list of file formats: every format writes files, and suffixes are not shared."""

import pytest

from hinge.export import FORMATS


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_formats_write_files(problem, tmp_path, each):
    if each.name == "onnx":
        pytest.importorskip("onnx")
    path = tmp_path / f"model{each.suffixes[0]}"
    each.write(problem(2).model(), path)
    assert path.stat().st_size > 100


def test_suffixes_and_names_are_unique():
    suffixes = [suffix for each in FORMATS for suffix in each.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert len({each.name for each in FORMATS}) == len(FORMATS)

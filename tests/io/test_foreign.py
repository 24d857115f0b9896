"""Files that are something else say what they are."""

import json
import pickle
import zipfile

import numpy as np
import pytest

import hinge
from hinge.io import DataFileError, open_source


def archive(path, *names):
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, "x")


@pytest.fixture
def model(tmp_path):
    """The file of a model."""
    hinge.save(hinge.OnlineSVC().fit([[0.0], [1.0]], ["a", "b"]), tmp_path / "model.hinge")
    return tmp_path / "model.hinge"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"%PDF-1.7\n", "a PDF document"),
        (json.dumps({"rows": [1, 2]}).encode(), "a JSON document"),
        (b'\xef\xbb\xbf\n[{"a": 1}]', "a JSON document"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (pickle.dumps({"a": 1}), "a Python pickle"),
        (b"\x89PNG\r\n", "an image"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an Excel workbook of the old format"),
    ],
)
def test_beginnings(tmp_path, content, words):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(DataFileError, match=f"data.csv is {words}"):
        open_source(path)
    with pytest.raises(hinge.ModelFileError, match=f"data.csv is not a model file but {words}"):
        hinge.load(path)


def test_workbooks_are_no_npz_files(tmp_path):
    archive(tmp_path / "book.xlsx", "[Content_Types].xml", "xl/workbook.xml")
    with pytest.raises(DataFileError, match=r"book.xlsx is an Excel workbook; save it as CSV\.$"):
        open_source(tmp_path / "book.xlsx")
    np.savez(tmp_path / "good.npz", X=np.ones((2, 2)), y=np.arange(2))
    assert len(next(open_source(tmp_path / "good.npz").chunks())) == 2


def test_models_and_data_in_the_wrong_order(tmp_path, model):
    with pytest.raises(DataFileError, match=r"model.hinge is a model, not data; name a data file\.$"):
        open_source(model)
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(hinge.ModelFileError, match=r"rows.csv is not a hinge model: it holds text; a model"):
        hinge.load(tmp_path / "rows.csv")

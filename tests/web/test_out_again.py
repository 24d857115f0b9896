"""What leaves the page: predictions for the whole pool, labels that can be read again, a complete copy of the file."""

from __future__ import annotations

import csv
import io
import json
import shutil
import time
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the extra hinge[label] is not installed")

from hinge.web._label_files import read_labels, write_labels
from hinge.web._labels import LabelRecord
from hinge.web._store import Store

from .pages import is_refused

pytestmark = pytest.mark.usefixtures("long_timeouts")


def test_predictions_for_the_whole_pool(page):
    assert is_refused(page.client.get("/api/export/predictions.csv"), 400)  # no model yet
    page.label(20)
    model = page.session.learning.model()
    expected = model.predict(page.pool.X).tolist()
    labels = page.session.cache.labels()

    lines = list(csv.DictReader(io.StringIO(page.client.get("/api/export/predictions.csv").text)))
    assert [line["key"] for line in lines] == [page.pool.key(row) for row in range(60)]
    assert [line["prediction"] for line in lines] == expected
    assert [line["label"] for line in lines] == [labels.get(row, "") for row in range(60)]
    shares = np.array([[float(line[f"p({name})"]) for name in ("ape", "bee", "cat")] for line in lines])
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-4)
    assert np.allclose(shares.max(axis=1), [float(line["probability"]) for line in lines])

    entries = [json.loads(line) for line in page.client.get("/api/export/predictions.jsonl").text.splitlines()]
    assert [each["prediction"] for each in entries] == expected
    assert [each["label"] for each in entries] == [labels.get(row) for row in range(60)]
    assert np.allclose([list(each["probabilities"].values()) for each in entries], shares)

    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(io.BytesIO(page.client.get("/api/export/predictions.parquet").content)).to_pydict()
    assert table["prediction"] == expected
    assert np.allclose(table["p(bee)"], shares[:, 1], atol=1e-4)


def test_labels_survive_a_round_trip(page, tmp_path):
    rows, _ = page.label(15)
    page.ask(f"labels/{rows[3]}", {"label": "cat"}, "PUT", **{"X-Hinge-Person": "bob"})
    text = page.client.get("/api/export/labels.csv").content
    records = read_labels(io.BytesIO(text), page.pool)
    with Store(tmp_path / "other.db", "test") as store:
        store.import_records(records)
        copy = store.records()
    assert [replace(each, number=None) for each in copy] == [
        replace(each, number=None, margin=None) for each in page.store.records()
    ]


@pytest.mark.parametrize(("column", "value"), [("drawn", "magic"), ("labelled_at", "noon"), ("seconds", "-1")])
def test_invalid_columns_of_an_exported_file(blobs, column, value):
    stream = io.BytesIO()
    write_labels("csv", [LabelRecord("blob 1", "cat", "ann", "chosen", "0f", 1.5)], blobs, stream)
    lines = list(csv.reader(io.StringIO(stream.getvalue().decode())))
    lines[1][lines[0].index(column)] = value
    text = "\n".join(map(",".join, lines)) + "\n"
    with pytest.raises(ValueError, match="line 2 is invalid"):
        read_labels(io.BytesIO(text.encode()), blobs)
    unrelated = text.replace("labelled_at", "noted_at")
    assert read_labels(io.BytesIO(unrelated.encode()), blobs)[0].drawn == "imported"


def test_a_copy_of_the_running_database_is_complete(page, tmp_path, monkeypatch):
    monkeypatch.setattr("hinge.web._connections._CHECKPOINT_S", 0.05)
    page.label(5)
    time.sleep(0.5)  # ten times the pause before the copy on the disk is completed
    page.label(1)
    for _ in range(100):
        shutil.copy(tmp_path / "labels.sqlite", tmp_path / "copy.sqlite")  # without the log beside it
        with Store(tmp_path / "copy.sqlite", "test") as copy:
            if len(copy.records()) == 6:
                return
        for path in tmp_path.glob("copy.sqlite*"):
            path.unlink()
        time.sleep(0.05)
    raise AssertionError("the copy is not complete")

"""Disks that are full or may not be written: a sentence, and what was there stays."""

from __future__ import annotations

import tempfile

import numpy as np
import pytest
from rich.console import Console

import hinge
from experiments.records import Records, write_records
from hinge import ModelFileError, export
from hinge.cli import _files as checkpoints
from hinge.cli._learn import Learned
from hinge.cli._plot import draw
from hinge.web._store import Answer, Store, StoreError

from .common import UNFINISHED, fill, model, mounted

LARGE = model(0, 1500)


def picture(place):
    learned = Learned(LARGE)
    learned.curve = [(n, 1.0, n) for n in range(100)]
    said = Console(file=open("/dev/null", "w"), width=1000)  # noqa: PTH123, SIM115
    with said.file, said.capture() as captured:
        drawn = draw(place, learned, None, said)
    if drawn is None:
        raise OSError(" ".join(captured.get().split()).removeprefix("There is no picture: "))


WRITERS = {
    "model.hinge": lambda place: hinge.save(LARGE, place),
    "model.libsvm": lambda place: export.to_libsvm(LARGE, place),
    "model.onnx": lambda place: export.to_onnx(LARGE, place),
    "table.csv": lambda place: write_records(place, Records([{"x": 0.5, "n": n} for n in range(5000)])),
    "curve.svg": picture,
}


DRAWN = pytest.param("curve.svg", marks=pytest.mark.slow)  # matplotlib takes its time


@pytest.fixture(params=["full", "read-only"])
def disk(request, tmp_path):
    """A disk that takes nothing more, and what it says about that."""
    with mounted(tmp_path / "disk") as lock:
        folder = tmp_path / "disk"

        def close():
            if request.param == "full":
                fill(folder)
            else:
                lock()

        yield folder, close, {"full": "No space left on device", "read-only": "Read-only file system"}[request.param]


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "curve.svg"] + [DRAWN])
def test_what_was_there_stays(disk, name):
    folder, close, reason = disk
    place = folder / name
    place.write_text("old")
    close()
    with pytest.raises((OSError, ModelFileError), match=rf"{name} cannot be written: {reason}\.$"):
        WRITERS[name](place)
    assert place.read_text() == "old"
    assert not list(folder.glob(UNFINISHED))


def test_a_trained_model_is_rescued(disk, tmp_path, monkeypatch):
    folder, close, reason = disk
    close()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(OSError, match=rf"{reason}\. The model is in .*; move it to where it belongs\.$") as refused:
        checkpoints.save_or_rescue(LARGE, folder / "model.hinge")
    rescued = hinge.load(str(refused.value).split("The model is in ")[1].split(" instead")[0])
    X = np.random.default_rng(1).normal(size=(10, 20))
    np.testing.assert_array_equal(rescued.decision_function(X), LARGE.decision_function(X))


def test_checkpoints_wait_for_room(disk, monkeypatch):
    """A save on the way that fails costs nothing: the next one may succeed."""
    folder, close, reason = disk
    place, ballast = folder / "model.hinge", folder / "ballast"
    place.write_text("old")
    monkeypatch.setattr(checkpoints, "EVERY", 0.0)
    checkpoint = checkpoints.Checkpoint(lambda each: each, place)
    close()
    checkpoint.pass_by(LARGE)
    assert place.read_text() == "old"
    if reason.startswith("No space"):
        ballast.unlink()
        checkpoints.Checkpoint(lambda each: each, place).pass_by(LARGE)
        assert hinge.load(place).n_seen_ == LARGE.n_seen_


def test_labels_on_a_full_disk(tmp_path):
    folder = tmp_path / "disk"
    with mounted(folder):
        with Store(folder / "labels.db", "pets") as store:
            kept = [store.record(labelled("first"))]
            fill(folder)
            with pytest.raises(StoreError, match="no room left on its disk"):
                kept.extend(store.record(labelled(f"{number}{'x' * 900}")) for number in range(2000))
            assert store.answers() == kept
        with Store(folder / "labels.db", "pets") as again:
            assert again.answers() == kept
        (folder / "ballast").unlink()
        with Store(folder / "labels.db", "pets") as again:
            kept.append(again.record(labelled("last")))
            assert again.answers() == kept


def labelled(key):
    return Answer(key, "cat", "ann", "chosen", "0f3a")

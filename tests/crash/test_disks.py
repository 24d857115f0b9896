"""Full and read-only disks: one sentence, and the old file stays."""

from __future__ import annotations

import tempfile

import numpy as np
import pytest
from rich.console import Console

import hinge
from experiments.records import Records, write_records
from hinge import ModelFileError, export
from hinge.cli.train import _checkpoint as checkpoints
from hinge.cli.train._learn import CurvePoint, TrainResult
from hinge.cli.train._plot import save_plot
from hinge.web._labels import LabelRecord, StoreError
from hinge.web._store import Store

from .common import TEMPORARY, fill, model, mounted

LARGE = model(0, 1500)


def draw_curve(place):
    result = TrainResult(LARGE)
    result.curve = [CurvePoint(n, 1.0, 1.0, n) for n in range(100)]
    console = Console(file=open("/dev/null", "w"), width=1000)  # noqa: PTH123, SIM115
    with console.file, console.capture() as captured:
        drawn = save_plot(place, result, None, console, name="curve", tuning=None)
    if drawn is None:
        raise OSError(" ".join(captured.get().split()).removeprefix("The plot could not be saved: "))


WRITERS = {
    "model.hinge": lambda place: hinge.save(LARGE, place),
    "model.libsvm": lambda place: export.to_libsvm(LARGE, place),
    "model.onnx": lambda place: export.to_onnx(LARGE, place),
    "table.csv": lambda place: write_records(place, Records([{"x": 0.5, "n": n} for n in range(5000)])),
    "curve.svg": draw_curve,
}


DRAWN = pytest.param("curve.svg", marks=pytest.mark.slow)  # matplotlib is slow to import


@pytest.fixture(params=["full", "read-only"])
def disk(request, tmp_path):
    """A disk that cannot be written to, and its error message."""
    with mounted(tmp_path / "disk") as make_read_only:
        folder = tmp_path / "disk"

        def block():
            if request.param == "full":
                fill(folder)
            else:
                make_read_only()

        yield folder, block, {"full": "No space left on device", "read-only": "Read-only file system"}[request.param]


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "curve.svg"] + [DRAWN])
def test_old_file_stays(disk, name):
    folder, block, reason = disk
    place = folder / name
    place.write_text("old")
    block()
    with pytest.raises((OSError, ModelFileError), match=rf"{name} cannot be written: {reason}\.$"):
        WRITERS[name](place)
    assert place.read_text() == "old"
    assert not list(folder.glob(TEMPORARY))


def test_trained_model_is_rescued(disk, tmp_path, monkeypatch):
    folder, block, reason = disk
    block()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    expected = rf"{reason}\. The model was saved to .*; move it to where it belongs\.$"
    with pytest.raises(OSError, match=expected) as refused:
        checkpoints.save_or_rescue(LARGE, folder / "model.hinge")
    rescued = hinge.load(str(refused.value).split("The model was saved to ")[1].split(" instead")[0])
    X = np.random.default_rng(1).normal(size=(10, 20))
    np.testing.assert_array_equal(rescued.decision_function(X), LARGE.decision_function(X))


def test_failed_checkpoints_are_retried(disk, monkeypatch):
    """A failed checkpoint does no harm: the next one may succeed."""
    folder, block, reason = disk
    place, ballast = folder / "model.hinge", folder / "ballast"
    place.write_text("old")
    monkeypatch.setattr(checkpoints, "INTERVAL_S", 0.0)
    checkpoint = checkpoints.Checkpoint(lambda each: each, place)
    block()
    checkpoint.save_if_due(LARGE)
    assert place.read_text() == "old"
    if reason.startswith("No space"):
        ballast.unlink()
        checkpoints.Checkpoint(lambda each: each, place).save_if_due(LARGE)
        assert hinge.load(place).n_seen_ == LARGE.n_seen_


def test_labels_on_a_full_disk(tmp_path):
    folder = tmp_path / "disk"
    with mounted(folder):
        with Store(folder / "labels.db", "pets") as store:
            kept = [store.add(labelled("first"))]
            fill(folder)
            with pytest.raises(StoreError, match="no space left on its disk"):
                kept.extend(store.add(labelled(f"{number}{'x' * 900}")) for number in range(2000))
            assert store.records() == kept
        with Store(folder / "labels.db", "pets") as again:
            assert again.records() == kept
        (folder / "ballast").unlink()
        with Store(folder / "labels.db", "pets") as again:
            kept.append(again.add(labelled("last")))
            assert again.records() == kept


def labelled(key):
    return LabelRecord(key, "cat", "ann", "chosen", "0f3a")

"""kill -9 at any moment: every file is the complete old one or the complete new one."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

import hinge
from experiments.records import Records, read_records, write_records
from hinge.cli import main
from hinge.cli.train import _checkpoint as checkpoints
from hinge.io import atomic

from .common import TEMPORARY, age, kill, kill_during, model, start


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two models, and the contents of their files."""
    folder, models = tmp_path_factory.mktemp("pair"), [model(0), model(1, 300)]
    for number, each in enumerate(models):
        hinge.save(each, folder / f"{number}.hinge")
    return models, [(folder / f"{number}.hinge").read_bytes() for number in range(2)]


def kill_savers(pair, place, times):
    """Kill processes that save two models in turn; return how many temporary files they leave."""
    models, contents = pair

    def save():
        for each in models:
            hinge.save(each, place)

    hinge.save(models[0], place)
    for _ in range(times):
        kill_during(save, 0.03)
        assert place.read_bytes() in contents
    hinge.load(place)
    return len(list(place.parent.glob(TEMPORARY)))


def test_killed_saves(pair, tmp_path):
    kill_savers(pair, tmp_path / "model.hinge", 3)


@pytest.mark.slow
def test_many_killed_saves(pair, tmp_path):
    place = tmp_path / "model.hinge"
    assert kill_savers(pair, place, 200) > 10  # else the moments were badly chosen
    age(tmp_path)
    hinge.save(pair[0][0], place)
    assert [file.name for file in tmp_path.iterdir()] == [place.name]


def test_only_leftovers_are_removed(pair, tmp_path):
    """Abandoned files are removed; files that are being written, are young or have other names are not."""
    for name in (".hinge-0123456789abcdef.tmp", ".hinge-notes", "model.tmp"):
        (tmp_path / name).write_text("left")
    (tmp_path / ".hinge-link.tmp").symlink_to(tmp_path / "model.tmp")
    with atomic.replacing(tmp_path / "slow.txt") as temporary:
        temporary.write_text("still writing")
        hinge.save(pair[0][0], tmp_path / "model.hinge")
        assert len(list(tmp_path.glob(TEMPORARY))) == 3  # all young
        age(tmp_path)
        hinge.save(pair[0][0], tmp_path / "model.hinge")
        assert temporary.exists()
    assert (tmp_path / "slow.txt").read_text() == "still writing"
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {".hinge-link.tmp", ".hinge-notes", "model.tmp", "slow.txt", "model.hinge"}


def save_together(pair, place, seconds):
    """Let two processes save different models to one file while it is read."""
    models, contents = pair
    hinge.save(models[0], place)
    savers = [start(lambda each=each: hinge.save(each, place)) for each in models]
    until, seen = time.monotonic() + seconds, set()
    while time.monotonic() < until:
        seen.add(contents.index(place.read_bytes()))
        hinge.load(place)
    for saver in savers:
        kill(saver)
    assert place.read_bytes() in contents
    return seen


def test_two_processes_save_to_one_file(pair, tmp_path):
    save_together(pair, tmp_path / "model.hinge", 0.1)


@pytest.mark.slow
def test_two_processes_save_to_one_file_for_seconds(pair, tmp_path):
    assert save_together(pair, tmp_path / "model.hinge", 3.0) == {0, 1}


def test_data_is_synced_before_the_file_is_renamed(pair, tmp_path, monkeypatch):
    """A power failure leaves the old file or the new one: sync the file, rename it, sync the folder."""
    order, sync, move = [], os.fsync, Path.replace

    def recorded_sync(handle):
        order.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")  # noqa: PTH112
        sync(handle)

    def recorded_move(self, target):
        order.append("rename")
        return move(self, target)

    monkeypatch.setattr(atomic.os, "fsync", recorded_sync)
    monkeypatch.setattr(Path, "replace", recorded_move)
    hinge.save(pair[0][0], tmp_path / "model.hinge")
    write_records(tmp_path / "table.csv", Records([{"a": 1}]))
    assert order == ["file", "rename", "folder"] * 2


def command(*arguments):
    """Run a command of `hinge` in this process."""
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as done:
        return done.code
    return 0


@pytest.fixture
def material(tmp_path, monkeypatch):
    """A folder with a data file and a model of it; checkpoints are saved after every few rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checkpoints, "INTERVAL_S", 0.0)
    monkeypatch.setattr(checkpoints, "MAX_TIME_FRACTION", 1e9)
    X = np.random.default_rng(0).normal(size=(3000, 6))
    y = X[:, 0] > X[:, 1] * X[:, 2]
    np.savez("rows.npz", X=X, y=y.astype(int))
    assert command("train", "rows.npz", "-o", "model.hinge", "--no-tune", "--json") == 0
    return tmp_path


def test_checkpoints_do_not_change_the_model(material, capsys):
    capsys.readouterr()
    after = hinge.load("model.hinge")
    checkpoints.INTERVAL_S = 60.0
    assert command("train", "rows.npz", "-o", "other.hinge", "--no-tune", "--json") == 0
    assert json.loads(capsys.readouterr().out)["examples_seen"] == 3000
    X = np.load("rows.npz")["X"]
    expected = hinge.load("other.hinge").decision_function(X)  # saving may change the last digits
    np.testing.assert_allclose(after.decision_function(X), expected, rtol=1e-4, atol=1e-6)


def resume_training():
    command("train", "rows.npz", "--resume", "model.hinge", "--in-place", "--json")


@pytest.mark.slow
def test_killed_trainings_keep_what_was_saved(material):
    seen = [hinge.load("model.hinge").n_seen_]
    for _ in range(25):
        kill_during(resume_training, 0.6)
        seen.append(hinge.load("model.hinge").n_seen_)
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]
    resume_training()
    model = hinge.load("model.hinge")
    assert model.n_seen_ == seen[-1] + 3000
    data = np.load("rows.npz")
    assert model.score(data["X"], data["y"]) > 0.9
    age(material)
    resume_training()
    assert not list(material.glob(TEMPORARY))


@pytest.mark.slow
def test_two_trainings_of_one_file(material):
    """The last one to save wins; the file is never a mix of both."""
    first = hinge.load("model.hinge").n_seen_
    trainings = [start(resume_training) for _ in range(2)]
    until = time.monotonic() + 6
    while time.monotonic() < until:
        assert hinge.load("model.hinge").n_seen_ >= first
    for training in trainings:
        kill(training)
    data = np.load("rows.npz")
    assert hinge.load("model.hinge").score(data["X"], data["y"]) > 0.9


@pytest.mark.slow
def test_killed_tables_keep_their_rows(tmp_path):
    """The tables of the experiments: after each kill the table is complete up to some row."""
    file = tmp_path / "table.csv"

    def measure():
        records = list(read_records(file))
        write_records(file, Records([*records, {"cell": len(records), "error": 0.5}]))

    write_records(file, Records([{"cell": 0, "error": 0.5}]))
    count = 1
    for _ in range(60):
        kill_during(measure, 0.05)
        cells = [line["cell"] for line in read_records(file)]
        assert cells == list(range(len(cells)))
        assert len(cells) >= count
        count = len(cells)
    assert count > 3

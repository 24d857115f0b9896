"""Atomic replacement of files."""

import os

import pytest

import hinge
from hinge.io.atomic import replacing


def test_old_file_stays_until_new_one_is_complete(tmp_path):
    place = tmp_path / "note"
    place.write_text("old")
    with replacing(place) as temporary:
        temporary.write_text("new")
        assert place.read_text() == "old"
    assert place.read_text() == "new"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_failure_leaves_no_temporary_file(tmp_path, error):
    place = tmp_path / "note"
    with pytest.raises(error), replacing(place) as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise error
    assert list(tmp_path.iterdir()) == []


def alarm(*_, **__):
    """Act as a signal handler: TimeoutError is an OSError, but not about files."""
    raise TimeoutError("enough")


@pytest.mark.parametrize(
    ("work", "where"),
    [
        (hinge.save, "os.scandir"),
        (hinge.save, "os.open"),
        (hinge.save, "os.fsync"),
        (hinge.save, "os.replace"),
        (hinge.save, "hinge.io.atomic._lock"),
        (hinge.load, "os.fstat"),
    ],
)
def test_signal_handlers_may_raise_at_any_time(tmp_path, monkeypatch, work, where):
    place, model = tmp_path / "model.hinge", hinge.OnlineSVC().partial_fit([[0.0], [1.0]], [0, 1])
    place.write_text("old")
    with monkeypatch.context() as changed:
        changed.setattr(where, alarm)
        with pytest.raises(TimeoutError, match="enough"):
            work(*([model, place] if work is hinge.save else [place]))
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_model_larger_than_memory(tmp_path, monkeypatch):
    def run_out(*_):
        raise MemoryError

    hinge.save(hinge.OnlineSVC().partial_fit([[0.0], [1.0]], [0, 1]), tmp_path / "model.hinge")
    monkeypatch.setattr("hinge.persistence._save_load.from_parts", run_out)
    with pytest.raises(hinge.ModelFileError, match=r"model\.hinge holds a model that needs more memory"):
        hinge.load(tmp_path / "model.hinge")


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_impossible_file_names(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    model = hinge.OnlineSVC().partial_fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(hinge.ModelFileError, match=r"^'a\\\w+b' cannot be written: .*\.$"):
        hinge.save(model, name)
    with pytest.raises(hinge.ModelFileError, match=r"^'a\\\w+b' is not the name of a file: .*\.$"):
        hinge.load(name)
    with pytest.raises(OSError, match="cannot be written"):
        hinge.export.to_libsvm(model, name)


def test_missing_folders_and_folders_as_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder"), replacing(tmp_path / "nowhere" / "note"):
        pass
    with pytest.raises(IsADirectoryError, match="is a folder"), replacing(tmp_path):
        pass


def test_permissions_and_links_are_kept(tmp_path):
    place, link = tmp_path / "note", tmp_path / "link"
    with replacing(place) as temporary:
        temporary.write_text("first")
    mask = os.umask(0)
    os.umask(mask)
    assert place.stat().st_mode & 0o777 == 0o666 & ~mask
    place.chmod(0o640)
    link.symlink_to(place)
    with replacing(link) as temporary:
        temporary.write_text("second")
    assert link.is_symlink()
    assert place.read_text() == "second"
    assert place.stat().st_mode & 0o777 == 0o640

"""Files that appear complete or not at all."""

import os
import sys

import pytest

import hinge
from hinge.io.atomic import replacing


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path):
    place = tmp_path / "note"
    place.write_text("old")
    with replacing(place) as unfinished:
        unfinished.write_text("new")
        assert place.read_text() == "old"
    assert place.read_text() == "new"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_is_left_behind_by_a_failure(tmp_path, error):
    place = tmp_path / "note"
    with pytest.raises(error), replacing(place) as unfinished:  # noqa: PT012
        unfinished.write_text("half")
        raise error
    assert list(tmp_path.iterdir()) == []


def late(*_, **__):
    """What the handler of an alarm does: TimeoutError is an OSError, but not about files."""
    raise TimeoutError("enough")


@pytest.mark.parametrize(
    ("work", "where"),
    [
        (hinge.save, "os.scandir"),
        (hinge.save, "os.open"),
        (hinge.save, "os.fsync"),
        (hinge.save, "os.replace"),
        (hinge.save, "hinge.io.atomic._hold"),
        (hinge.load, "os.fstat"),
    ],
)
def test_signal_handlers_may_raise_at_any_moment(tmp_path, monkeypatch, work, where):
    place, model = tmp_path / "model.hinge", hinge.OnlineSVC().partial_fit([[0.0], [1.0]], [0, 1])
    place.write_text("old")
    with monkeypatch.context() as changed:
        changed.setattr(where, late)
        with pytest.raises(TimeoutError, match="enough"):
            work(*([model, place] if work is hinge.save else [place]))
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_a_model_larger_than_the_memory(tmp_path, monkeypatch):
    def hungry(*_):
        raise MemoryError

    hinge.save(hinge.OnlineSVC().partial_fit([[0.0], [1.0]], [0, 1]), tmp_path / "model.hinge")
    monkeypatch.setattr("hinge.persistence._save_load.put_together", hungry)
    with pytest.raises(hinge.ModelFileError, match=r"model\.hinge holds a model that needs more memory"):
        hinge.load(tmp_path / "model.hinge")


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_names_that_no_file_can_have(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    model = hinge.OnlineSVC().partial_fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(hinge.ModelFileError, match=r"^'a\\\w+b' cannot be written: .*\.$"):
        hinge.save(model, name)
    with pytest.raises(hinge.ModelFileError, match=r"^'a\\\w+b' is not the name of a file: .*\.$"):
        hinge.load(name)
    with pytest.raises(OSError, match="cannot be written"):
        hinge.export.to_libsvm(model, name)


def test_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder"), replacing(tmp_path / "nowhere" / "note"):
        pass
    with pytest.raises(IsADirectoryError, match="is a folder"), replacing(tmp_path):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of POSIX")
def test_permissions_and_links_stay(tmp_path):
    place, link = tmp_path / "note", tmp_path / "link"
    with replacing(place) as unfinished:
        unfinished.write_text("first")
    mask = os.umask(0)
    os.umask(mask)
    assert place.stat().st_mode & 0o777 == 0o666 & ~mask
    place.chmod(0o640)
    link.symlink_to(place)
    with replacing(link) as unfinished:
        unfinished.write_text("second")
    assert link.is_symlink()
    assert place.read_text() == "second"
    assert place.stat().st_mode & 0o777 == 0o640

"""Files are written atomically, and only regular files are replaced."""

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import hinge
from hinge import ModelFileError, OnlineSVC


@pytest.fixture
def model(problem):
    return OnlineSVC(random_state=0).fit(*problem())


def test_missing_files_and_folders(tmp_path, model):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nothing\.hinge\.$"):
        hinge.load(tmp_path / "nothing.hinge")
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*deep to write model\.hinge to\.$"):
        hinge.save(model, tmp_path / "deep" / "model.hinge")
    (tmp_path / "plain").write_text("")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        hinge.load(tmp_path / "plain" / "model.hinge")
    assert [entry.name for entry in tmp_path.iterdir()] == ["plain"]


def test_folders_pipes_and_devices(tmp_path, model):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, complaint in ((tmp_path, "is a folder"), (pipe, "is a pipe or a device"), ("/dev/null", "is a pipe")):
        with pytest.raises(ModelFileError, match=complaint):
            hinge.load(path)
        with pytest.raises(ModelFileError, match=complaint):
            hinge.save(model, path)
    assert list(tmp_path.iterdir()) == [pipe]
    assert pipe.is_fifo()
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("step", ["os.fsync", "Path.replace", "Path.chmod"])
def test_a_failure_leaves_the_old_file(file, model, monkeypatch, step):
    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    file.write_text("old")
    monkeypatch.setattr(f"hinge.io.atomic.{step}", fail)
    with pytest.raises(ModelFileError, match=r"model\.hinge cannot be written: No space left on device\.$"):
        hinge.save(model, file)
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]


def test_interruption_leaves_the_old_file(file, model, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    file.write_text("old")
    monkeypatch.setattr("hinge.io.atomic.os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        hinge.save(model, file)
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]


def test_disk_quota(file, dense):
    """A limit of the operating system that the arrays exceed."""
    before = dense.read_bytes()
    program = f"""
import resource, hinge
model = hinge.load({str(file)!r})
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    hinge.save(model, {str(file)!r})
except hinge.ModelFileError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "model.hinge cannot be written" in run.stdout
    assert "File too large" in run.stdout
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_the_rename_is_synced_to_disk(file, model, monkeypatch):
    synced = []
    monkeypatch.setattr("hinge.io.atomic.os.fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    hinge.save(model, file)
    assert synced == [file.stat().st_ino, file.parent.stat().st_ino]


def test_permissions(file, model):
    mask = os.umask(0o027)
    try:
        hinge.save(model, file)
        assert file.stat().st_mode & 0o777 == 0o640
        file.chmod(0o604)
        hinge.save(model, str(file))
        assert file.stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(mask)


def test_symbolic_links_stay(tmp_path, model):
    real, link = tmp_path / "real.hinge", tmp_path / "link.hinge"
    link.symlink_to(real)
    hinge.save(model, link)
    assert link.is_symlink()
    assert hinge.load(real).n_seen_ == hinge.load(link).n_seen_ == model.n_seen_
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    with pytest.raises(ModelFileError, match="cannot be written"):
        hinge.save(model, circle)
    with pytest.raises(ModelFileError, match="cannot be read"):
        hinge.load(circle)


def test_the_longest_name_a_folder_can_have(tmp_path, model):
    hinge.save(model, tmp_path / ("x" * 255))
    with pytest.raises(ModelFileError, match="cannot be written"):
        hinge.save(model, tmp_path / ("x" * 256))


def test_readers_and_writers_at_the_same_time(file, model, problem):
    """The last writer wins, and readers always see a complete file."""
    other = OnlineSVC(random_state=0).fit(*problem(3))
    hinge.save(model, file)
    writers = [threading.Thread(target=lambda m=m: [hinge.save(m, file) for _ in range(20)]) for m in (model, other)]
    for writer in writers:
        writer.start()
    found = set()
    while any(writer.is_alive() for writer in writers):
        found.add(len(hinge.load(file).classes_))
    for writer in writers:
        writer.join()
    assert found <= {2, 3}
    assert list(file.parent.iterdir()) == [file]


def test_a_file_that_is_shortened_while_it_is_read(file, dense, monkeypatch):
    """With a memory map this would kill the process."""
    from hinge.persistence import _file

    def shorten(path, table):
        os.truncate(path, 5000)
        return header_of(path, table)

    header_of = _file._header
    monkeypatch.setattr(_file, "_header", shorten)
    with pytest.raises(ModelFileError, match="is damaged"):
        hinge.load(file)


def test_a_huge_file_of_something_else(file):
    with file.open("wb") as handle:
        handle.truncate(1 << 40)  # takes no room on the disk; reading it would take all memory
    with pytest.raises(ModelFileError, match="damaged or not a model file"):
        hinge.load(file)


def test_a_model_file_with_a_huge_tail(dense):
    with dense.open("r+b") as handle:
        handle.truncate(1 << 40)
    with pytest.raises(ModelFileError, match=r"its arrays take .* bytes, but it has"):
        hinge.load(dense)

"""Files that appear complete or not at all."""

import os
import sys

import pytest

from hinge._files import replacing


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

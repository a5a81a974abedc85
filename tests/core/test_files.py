"""Files are complete or absent, and an error names the path that the caller passed."""

import errno
import os
import re
import stat
import sys
from pathlib import Path

import pytest

from masume.core.files import check_writable, locked, make_folder, read_regular, write_atomic
from masume.errors import ConfigError

BOTH = pytest.mark.parametrize("act", [check_writable, lambda path: write_atomic(path, b"x")], ids=["check", "write"])


@BOTH
@pytest.mark.parametrize(
    ("place", "number"),
    [("none/file", errno.ENOENT), ("file/file", errno.ENOTDIR), ("folder", errno.EISDIR), ("..", errno.EISDIR)],
)
def test_an_error_names_the_place_that_was_asked_for(act, place, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=place) as caught:
        act(place)
    assert (caught.value.errno, caught.value.filename) == (number, place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_check_leaves_everything_as_it_was(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    check_writable(tmp_path / "old")
    check_writable(tmp_path / "new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old", b"old")]
    write_atomic(tmp_path / "old", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old", b"new")]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_is_followed_and_stays(is_there, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "file"
    if is_there:
        target.write_bytes(b"old")
    (tmp_path / "one").symlink_to("elsewhere/file")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    check_writable(tmp_path / "two")
    write_atomic(tmp_path / "two", b"new")
    assert target.read_bytes() == b"new"
    assert (tmp_path / "one").is_symlink()
    assert (tmp_path / "two").is_symlink()
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["file"]


@BOTH
def test_links_in_a_circle_are_an_error(act, tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(OSError, match="one") as caught:
        act(tmp_path / "one")
    assert caught.value.errno == errno.ELOOP


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no such files")
@BOTH
def test_what_is_no_regular_file_is_refused_and_stays(act, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for place in ("pipe", "link"):
        with pytest.raises(OSError, match="Not a regular file") as caught:
            act(tmp_path / place)
        assert caught.value.filename == str(tmp_path / place)
    with pytest.raises(OSError, match="Not a regular file"):
        read_regular(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no such file")
@BOTH
def test_a_device_is_refused_and_stays(act):
    with pytest.raises(OSError, match="Not a regular file"):
        act(os.devnull)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_temporary_name_that_somebody_made_a_link_is_not_followed(tmp_path, monkeypatch):
    monkeypatch.setattr("threading.get_ident", lambda: 7)
    (tmp_path / "precious").write_bytes(b"mine")
    (tmp_path / f".file.{os.getpid()}-7.tmp").symlink_to("precious")
    write_atomic(tmp_path / "file", b"new")
    assert (tmp_path / "precious").read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "precious"]


@pytest.mark.parametrize("url", ["s3://bucket/run", "file:///tmp/run"])
def test_a_url_does_not_become_a_folder_named_after_its_scheme(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for act in (make_folder, lambda path: locked(path).__enter__()):
        with pytest.raises(ConfigError, match="out: expected a folder of this machine, got "):
            act(Path(url))
    assert not list(tmp_path.iterdir())


def test_a_folder_is_locked_once(tmp_path):
    told = rf"out: {re.escape(str(tmp_path / 'run'))} is in use by another run"
    with locked(tmp_path / "run"), pytest.raises(ConfigError, match=told), locked(tmp_path / "run"):
        pass
    with locked(tmp_path / "run"):
        pass

"""Files are whole or not there, and an error names the place that was asked for."""

import errno

import pytest

from masume.core.files import check_writable, write_atomic


@pytest.mark.parametrize("act", [check_writable, lambda path: write_atomic(path, b"x")], ids=["check", "write"])
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

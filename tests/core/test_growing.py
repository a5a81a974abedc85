"""A file that only grows has whole lines, whatever happens while one is appended: all that were confirmed, in order."""

import os
import sys

import pytest

from kills import full_disk, killed_everywhere, largest_file
from masume.core import growing, system
from masume.core.growing import GrowingFile

LINES = [b'{"line":%d}\n' % (10**k) for k in range(4)]


@pytest.fixture(params=[True, False], ids=["synced", "grouped"])
def is_synced(request):
    return request.param


def read(found):
    return b"".join(line + b"\n" for line in found.read_lines())


def fill(path, lines=LINES, **options):
    found = GrowingFile(path, **options)
    for line in lines:
        found.append(line)
    return found


def test_what_was_appended_is_read(tmp_path, is_synced):
    found = fill(tmp_path / "file", is_synced=is_synced)
    assert read(found) == (tmp_path / "file").read_bytes() == b"".join(LINES)
    assert read(fill(tmp_path / "file", LINES[:1])) == b"".join([*LINES, LINES[0]])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="no permissions of this kind")
def test_a_new_file_has_the_permissions_that_were_asked_for(tmp_path):
    fill(tmp_path / "file", mode=0o600)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_a_part_of_a_line_is_not_read_and_goes_with_the_next_append(tmp_path):
    path = tmp_path / "file"
    whole = b"".join(LINES)
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        before = read(GrowingFile(path))
        assert before == whole[: whole[:cut].rfind(b"\n") + 1]
        GrowingFile(path).mend()
        assert path.read_bytes() == before
        path.write_bytes(whole[:cut])
        assert read(fill(path, LINES[:1])) == path.read_bytes() == before + LINES[0]


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
def test_a_disk_that_is_full_at_any_byte_takes_a_line_or_leaves_it(tmp_path, is_synced):
    path = tmp_path / "file"
    for size in range(len(b"".join(LINES)) + 1):
        path.unlink(missing_ok=True)
        found, kept = GrowingFile(path, is_synced=is_synced), []
        with largest_file(size):
            for line in LINES:
                try:
                    found.append(line)
                except OSError as error:
                    assert error.filename == str(path)  # noqa: PT017
                else:
                    kept.append(line)
                assert path.exists() == bool(kept)  # no empty file stays
                assert not kept or path.read_bytes() == b"".join(kept)
        assert len(b"".join(kept)) <= size
        found.append(LINES[0])
        assert read(GrowingFile(path)) == path.read_bytes() == b"".join([*kept, LINES[0]])
        assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="no disks of this kind")
def test_a_small_disk_that_fills_and_has_room_again(is_synced):
    with full_disk() as disk:
        path = disk.folder / "file"
        found, count = GrowingFile(path, is_synced=is_synced), 0
        line = b"x" * 700 + b"\n"
        for _ in range(3):
            found.append(line)
            count += 1
            disk.fill(os.getpid())
            while count < 100:
                try:
                    found.append(line)
                except OSError:
                    break
                count += 1
            with pytest.raises(OSError, match="other"):
                GrowingFile(disk.folder / "other").append(line)
            assert path.read_bytes() == count * line
            assert count < 100
            disk.free()
            assert {one.name for one in disk.folder.iterdir()} == {"file"}
        found.append(line)
        assert read(found) == (count + 1) * line


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_kill_9_between_every_two_steps_loses_nothing_that_was_confirmed(tmp_path, is_synced, monkeypatch):
    path = tmp_path / "file"

    def write(file, start, data):  # a kill may come after any byte
        file.seek(start)
        for k in range(len(data)):
            file.write(data[k : k + 1])

    def act(say):
        found = GrowingFile(path, is_synced=is_synced)
        for line in LINES[:2]:
            found.append(line)
            say()
        found.sync()

    monkeypatch.setattr(growing, "_write", write)
    monkeypatch.setattr(system, "sync_file", lambda _file: None)
    monkeypatch.setattr(system, "sync_folder", lambda _folder: None)
    sizes = set()
    for _n, said in killed_everywhere(act, {growing.__file__, growing.write_atomic.__code__.co_filename, __file__}):
        if path.exists():
            sizes.add(path.stat().st_size)
            assert read(GrowingFile(path)) in (b"".join(LINES[:said]), b"".join(LINES[: said + 1]))
        else:
            assert said == 0
        before = read(GrowingFile(path)) if path.exists() else b""
        assert read(fill(path, LINES[3:])) == path.read_bytes() == before + LINES[3]
        path.unlink()
        for left in tmp_path.iterdir():  # of the first line's writing
            assert left.name.startswith(".file.")
            left.unlink()
    assert sizes == {*range(len(LINES[0]), len(b"".join(LINES[:2])) + 1)}


def test_a_line_that_did_not_reach_the_disk_is_not_there(tmp_path, monkeypatch):
    found = fill(tmp_path / "file", LINES[:1])
    sync = system.sync_file

    def fail(_file):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(system, "sync_file", fail)
    with pytest.raises(OSError, match="file"):
        found.append(LINES[1])
    assert read(found) == (tmp_path / "file").read_bytes() == LINES[0]
    monkeypatch.setattr(system, "sync_file", sync)
    found.append(LINES[2])
    assert read(found) == LINES[0] + LINES[2]


def test_what_did_not_reach_the_disk_is_written_again_at_the_next_sync(tmp_path, monkeypatch):
    path = tmp_path / "file"
    found = GrowingFile(path, is_synced=False)
    found.append(LINES[0])
    found.append(LINES[1])
    synced, is_broken = [], True

    def sync(file):
        if is_broken:
            os.pwrite(file, b"\0" * 5, 0)  # what a system forgets
            raise OSError(5, "Input/output error")
        synced.append(path.read_bytes())

    monkeypatch.setattr(system, "sync_file", sync)
    with pytest.raises(OSError, match="file"):
        found.sync()
    found.append(LINES[2])
    is_broken = False
    found.sync()
    assert synced == [b"".join(LINES[:3])]
    found.sync()
    assert len(synced) == 1  # nothing is left to do
    found.append(LINES[3])
    found.sync()
    assert synced[1] == b"".join(LINES)


def test_a_file_that_was_cut_or_removed_is_an_error(tmp_path):
    path = tmp_path / "file"
    found = fill(path, LINES[:2])
    path.write_bytes(LINES[0])
    with pytest.raises(OSError, match="shorter"):
        found.append(LINES[2])
    path.unlink()
    with pytest.raises(FileNotFoundError, match="file"):
        found.append(LINES[2])
    assert not path.exists()

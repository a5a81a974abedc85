"""A run at a URL is the run in a folder, whoever dies; a place that refuses is named, and its keys are not."""

import contextlib
import http.server
import shutil
import threading

import numpy as np
import pytest

import masume
from masume.cli import main
from masume.play import selfplay as running
from masume.play.selfplay import selfplay
from masume.records import replay, store
from masume.records.places import Remote, is_url

pytest.importorskip("pyarrow.fs", reason="the extra `data` is not installed")

CHASER = masume.load("chaser", width=5, height=5, n_blocks=2, n_items=4, turn_limit=6)
CHUNKS = 8


def run(out, **changed):
    arguments = {"num_games": 40, "chunk": 5, "seed": 3, "threads": 2, "replays": 7} | changed
    return selfplay([CHASER], ["random"], out=out, **arguments)


def url(folder):
    return f"file://{folder}"


def files(folder):
    """Return {path: bytes} of all files of a run that do not depend on time."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("[rgp]*/*"))}


def chunks(folder):
    return sorted(shard["chunk"] for shard in store.read_manifest(folder).shards)


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    folder = tmp_path_factory.mktemp("local")
    run(folder)
    return folder


@pytest.fixture
def remote(tmp_path):
    """A complete run at a URL, of which `interrupt` takes something away."""
    run(url(tmp_path / "run"))
    return tmp_path / "run"


def interrupt(folder, *lost):
    """Leave what a run leaves whose chunks all ended but for those lost, and whose end never came."""
    path = folder / "manifest.jsonl"
    path.write_bytes(path.read_bytes().partition(b"\n")[0] + b"\n")
    for chunk in lost:
        (folder / store.line_name(chunk)).unlink()


@pytest.mark.parametrize("form", ["npz", "parquet"])
def test_a_url_holds_the_files_of_a_folder(form, tmp_path):
    summary = run(url(tmp_path / "far"), records=form)
    run(tmp_path / "near", records=form)
    assert summary.out == url(tmp_path / "far")
    assert files(tmp_path / "far") == files(tmp_path / "near") != {}
    far, near = masume.load_records(url(tmp_path / "far")), masume.load_records(tmp_path / "near")
    assert far.verify() == 40
    for name, array in near.items():
        np.testing.assert_array_equal(far[name], array)
    assert chunks(tmp_path / "far") == list(range(CHUNKS))


def test_without_its_end_a_run_loses_nothing(remote, local, monkeypatch):
    interrupt(remote, 2, 5)
    (remote / "records" / "0005.npz").write_bytes(b"half")  # a killed worker's
    assert chunks(remote) == [0, 1, 3, 4, 6, 7]
    assert masume.load_records(url(remote)).num_games == 30
    shutil.copytree(remote, remote.with_name("copy"))
    left = remote / "records" / f".0005.npz.{'0' * 32}.tmp"
    left.write_bytes(b"ha")
    assert masume.load_records(remote.with_name("copy")).verify() == 30  # from a folder too
    played = []
    made = running.Run.play
    monkeypatch.setattr(running.Run, "play", lambda self, chunk, tick: played.append(chunk) or made(self, chunk, tick))
    summary = run(url(remote))
    assert sorted(played) == [2, 5]
    assert summary.games["chaser"].games == 40
    assert files(remote) == files(local)
    assert not left.exists()
    run(remote.with_name("copy"))
    assert files(remote.with_name("copy")) == files(local)
    assert run(url(remote)).games["chaser"].games == 40  # nothing is left to play
    assert sorted(played) == [2, 2, 5, 5]


def test_replays_are_read_from_a_url(remote, local, tmp_path, capsys):
    wanted = [one.to_lines() for one in replay.load(local)]
    assert [one.to_lines() for one in replay.load(url(remote))] == wanted
    assert [one.to_lines() for one in replay.load(url(remote / "replays"))] == wanted
    assert [one.to_lines() for one in replay.load(url(remote / "replays" / "0001.jsonl"))] == wanted[5:]
    assert main(["view", url(remote), "-o", str(tmp_path / "page.html")]) == 0
    assert "7 games" in capsys.readouterr().out
    with pytest.raises(masume.ReplayError, match="nowhere: no replays are at this URL"):
        replay.load(url(tmp_path / "nowhere"))


def test_what_is_there_is_not_overwritten(remote, tmp_path):
    with pytest.raises(masume.ConfigError, match=r"^out: file://.*run holds a run with other seed: 3, not 4$"):
        run(url(remote), seed=4)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("years of work")
    with pytest.raises(masume.ConfigError, match=r"^out: file://.*other is not empty, and holds no self-play run$"):
        run(url(tmp_path / "other"))
    with pytest.raises(masume.ReplayError, match=r"^file://.*other: not a self-play run: manifest.jsonl is missing$"):
        masume.load_records(url(tmp_path / "other"))


def test_damage_is_named(remote):
    interrupt(remote)
    line = remote / store.line_name(3)
    whole = line.read_bytes()
    for data, what in (
        (whole[:-1], "it has no complete line"),
        (whole.replace(b'"chunk":3', b'"chunk":4'), "sha256: does not match the line"),
        ((remote / store.line_name(4)).read_bytes(), "chunk: expected that of the file's name, got 4"),
    ):
        line.write_bytes(data)
        with pytest.raises(masume.ReplayError, match=f"^file://.*manifest/0003.jsonl: {what}$"):
            masume.load_records(url(remote))
    line.write_bytes(whole)
    (remote / "records" / "0006.npz").write_bytes(b"other")
    with pytest.raises(masume.ReplayError, match=r"records/0006.npz: its SHA-256 is not the one in manifest.jsonl$"):
        masume.load_records(url(remote))["ply"]
    (remote / "records" / "0006.npz").unlink()
    with pytest.raises(masume.ReplayError, match=r"records/0006.npz: missing, though manifest.jsonl lists it$"):
        run(url(remote))


@pytest.mark.parametrize("kind", ["records", "replays", "manifest"])
def test_a_file_that_cannot_be_written_ends_the_run_and_commits_nothing_half(kind, tmp_path, local, monkeypatch):
    put = Remote._put

    def refuse(self, key, data):
        if f"/{kind}/.0001." in key:
            raise OSError("the disk is full")
        put(self, key, data)

    with monkeypatch.context() as patch:
        patch.setattr(Remote, "_put", refuse)
        with pytest.raises(OSError, match="the disk is full") as caught:
            run(url(tmp_path), threads=1)
    assert caught.value.filename == f"{url(tmp_path)}/{kind}/0001.{'npz' if kind == 'records' else 'jsonl'}"
    assert 1 not in chunks(tmp_path)
    assert not list(tmp_path.glob("*/.*"))
    run(url(tmp_path))
    assert files(tmp_path) == files(local)


class Refuses(http.server.BaseHTTPRequestHandler):
    """An S3 server that lets nobody in."""

    def do_GET(self):
        text = b"<Error><Code>AccessDenied</Code><Message>not yours</Message></Error>"
        self.send_response(403)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def __getattr__(self, name):
        return self.do_GET if name.startswith("do_") else super().__getattribute__(name)

    def log_message(self, *ignored):
        pass


@pytest.fixture
def closed_bucket(monkeypatch):
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuses) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"s3://key:secret@games/run?scheme=http&region=nowhere&endpoint_override=127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_bucket_that_refuses_is_named_before_anything_is_played(closed_bucket, monkeypatch, capsys):
    pytest.importorskip("pyarrow._s3fs", reason="this pyarrow has no S3")
    monkeypatch.setattr(running.Run, "play", None)
    for look in (run, masume.load_records, replay.load):
        with pytest.raises(OSError, match="ACCESS_DENIED") as caught:
            look(closed_bucket)
        assert str(caught.value.filename).startswith("s3://games/run")
        assert "secret" not in str(caught.value)
    assert main(["selfplay", "chaser", "--games", "3", "--out", closed_bucket]) == 1
    error = capsys.readouterr().err
    assert "masume: s3://games/run/manifest.jsonl: " in error
    assert "secret" not in error


@pytest.mark.parametrize("bad", ["s4://key:secret@games/run", "s3://key:secret@games/run?colour=red"])
def test_a_url_that_pyarrow_does_not_open_is_named_without_its_keys(bad):
    with pytest.raises(masume.ConfigError, match=r"^s[34]://games/run: expected a URL that pyarrow opens: ") as caught:
        run(bad)
    assert "secret" not in str(caught.value)


def test_a_path_is_no_url(tmp_path):
    assert not is_url(tmp_path)
    assert not is_url("C:\\runs")
    assert not is_url("runs/s3://x")
    with contextlib.chdir(tmp_path):
        run("near")
    assert (tmp_path / "near" / "manifest.jsonl").exists()


@pytest.mark.parametrize("scheme", ["gs", "s3"])
def test_a_url_without_a_bucket_is_refused(scheme, tmp_path):
    """pyarrow opens such a URL, and fails at the first file with an error of its own."""
    for look in (run, masume.load_records):
        with pytest.raises(masume.ConfigError, match=f"expected a bucket, as in {scheme}://BUCKET/PATH"):
            look(f"{scheme}://")

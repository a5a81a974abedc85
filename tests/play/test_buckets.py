"""Self-play into a bucket of an S3 server: its workers and whoever started them are killed at random times."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import masume
from masume.records import replay, store

pytest.importorskip("moto", reason="the tests' S3 server is not installed")
pytest.importorskip("pyarrow._s3fs", reason="this pyarrow has no S3")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="workers are found in /proc"),
]

TESTS = Path(__file__).parents[1]
GAMES = 20 * 8
SMALL = ("width=5", "height=4", "n_agents=2", "total_turns=6")
DEATHS = {"main": 5, "workers": 3}  # Ray plays a task again five times


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The options of a URL at the server."""
    log = tmp_path_factory.mktemp("moto") / "log"
    command = [sys.executable, "-c", "from moto.server import main; main(['-H', '127.0.0.1', '-p', '0'])"]
    with log.open("w") as file, subprocess.Popen(command, stderr=file) as process:
        while not (found := re.search(r"Running on http://(\S+)\n", log.read_text())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        yield f"scheme=http&region=us-east-1&endpoint_override={found[1]}"
        process.kill()


@pytest.fixture
def bucket(server, monkeypatch, request):
    """A function that returns the URL of a path in a new bucket."""
    from pyarrow import fs

    for name, value in (("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "secret"), ("EC2_METADATA_DISABLED", "true")):
        monkeypatch.setenv(f"AWS_{name}", value)
    name = request.node.name.replace("_", "-")[:60]
    found, _ = fs.FileSystem.from_uri(f"s3://{name}?{server}&allow_bucket_creation=true")
    found.create_dir(name)
    return lambda path: f"s3://{name}/{path}?{server}"


def start(out, *arguments):
    command = [
        sys.executable, "-m", "masume", "selfplay", "kakomimasu", "--agents", "random", "py:players:Sleepy", "--games",
        str(GAMES), "--seed", "3", "--replays", "20", "--out", str(out), "--threads", "2",
        *(part for field in SMALL for part in ("--set", field)), *arguments,
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def files(place):
    """Return {path: bytes} of all files of a run that its manifest lists."""
    shards = store.read_manifest(place).shards
    return {one["file"]: store.read_checked(place, one) for shard in shards for one in shard["files"].values()}


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    folder = tmp_path_factory.mktemp("buckets") / "local"
    process = start(folder)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 0, error
    return folder


def check(url, local):
    place = store.place_of(url)
    assert files(place) == files(store.place_of(local)) != {}
    assert masume.load_records(url).verify() == GAMES
    assert [one.to_lines() for one in replay.load(url)] == [one.to_lines() for one in replay.load(local)]
    assert store.read_manifest(place).listed == GAMES // 8


def test_the_one_who_started_it_is_killed_again_and_again(bucket, local):
    url, rng, killed = bucket("a/run"), random.Random(1), 0
    for _ in range(DEATHS["main"]):
        process = start(url)
        time.sleep(rng.uniform(0.8, 2.5))
        killed += process.poll() is None
        process.kill()
        process.communicate()
    process = start(url)
    error = process.communicate(timeout=120)[1]
    assert process.returncode == 0, error
    assert killed > 0
    check(url, local)


def workers(process):
    """Return the numbers of the processes that play for this one."""
    parents, names = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            names[int(folder.name)] = (folder / "cmdline").read_bytes()
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    found = []
    for one, name in names.items():
        above = one
        while above in parents and above != process.pid:
            above = parents[above]
        if above == process.pid and name.startswith(b"ray::_play"):
            found.append(one)
    return found


def test_workers_that_save_their_own_chunks_are_killed(bucket, local):
    pytest.importorskip("ray")
    url, rng, killed = bucket("b/run"), random.Random(2), 0
    process = start(url, "--ray")
    while process.poll() is None:
        found = workers(process)
        if found and killed < DEATHS["workers"]:
            time.sleep(rng.uniform(0, 0.4))
            try:
                os.kill(rng.choice(found), signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed += 1
        time.sleep(0.1)
    error = process.communicate()[1]
    assert (process.returncode, killed) == (0, DEATHS["workers"]), error
    check(url, local)


def test_a_bucket_that_is_not_there_is_named(bucket):
    url = bucket("run").replace("s3://", "s3://other-")
    process = start(url)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert "masume: s3://other" in error
    assert "NO_SUCH_BUCKET" in error
    assert "Traceback" not in error

"""Commands with a page: serve, and match and arena with --watch."""

import json
import signal
import subprocess
import sys
import urllib.request

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from masume.core import registry
from masume.records import replay

WAIT_S = 60


def start(folder, *arguments):
    command = [sys.executable, "-m", "masume", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


def get(address):
    with urllib.request.urlopen(address, timeout=WAIT_S) as answer:
        return answer.read().decode()


def test_every_game_has_a_recorded_game():
    assert list(registry.recorded()) == list(registry.own_names())
    for name, path in registry.recorded().items():
        (one,) = replay.load(path)  # plays it again
        assert one.game.name == name
        assert len(one.moves) >= 30


def test_serve_without_a_game_is_a_page_with_the_recorded_games(tmp_path):
    with start(tmp_path, "serve", "--port", "0") as process:
        address = process.stdout.readline().removeprefix("page: ").strip()
        host = process.stdout.readline().partition(" (")[0].removeprefix("host: ")
        assert host.startswith(address)
        assert "<html" in get(address)
        matches = json.loads(get(f"{address}api/lobby"))["matches"]
        assert {match["game"] for match in matches} == set(registry.own_names())
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) == 130
        assert (tmp_path / "replays").is_dir()
        process.communicate()


def test_a_page_beside_a_server_shows_its_game(tmp_path):
    arguments = ("serve", "chaser", "--cool", "greedy", "--hot", "safe", "--page-port", "0", "--start")
    with start(tmp_path, *arguments) as process:
        address = process.stdout.readline().removeprefix("page: ").strip()
        host = process.stdout.readline().partition(" (")[0].removeprefix("host: ").strip()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(host, timeout=WAIT_S).close()
        with opener.open(f"{address}api/events", timeout=WAIT_S) as stream:
            while True:
                line = stream.readline().decode()
                if (
                    line.startswith("data: ")
                    and (found := json.loads(line[6:])["matches"])
                    and found[0]["phase"] == "ready"
                ):
                    break
        request = urllib.request.Request(
            f"{address}api/m/{found[0]['id']}/host", json.dumps({"do": "start"}).encode(),
            {"Content-Type": "application/json", "Origin": address.rstrip("/")},
        )  # fmt: skip
        opener.open(request, timeout=WAIT_S).close()
        told, _errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0
    assert "game 1: greedy" in told


@pytest.mark.parametrize("command", ["match", "arena"])
def test_watch_shows_the_games_and_says_where(tmp_path, command):
    arguments = (command, "nezumi", "--agents", "greedy", "random", "--games", "2", "--watch", "--page-port", "0")
    with start(tmp_path, *arguments) as process:
        told, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0, errors
    assert "page: http://127.0.0.1:" in errors
    assert "greedy" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serve", "--page-port", "70000"), "port"), (("serve", "--delay", "-1"), "delay: expected 0..60000"),
        (("match", "nezumi", "--watch", "--delay", "99999999"), "delay: expected 0..60000"),
    ],
)  # fmt: skip
def test_bad_options_are_explained(tmp_path, arguments, message):
    with start(tmp_path, *arguments) as process:
        _told, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 1
    assert message in errors
    assert "Traceback" not in errors

"""The packager: what was installed works wherever it is called, by whom, and however it was started."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

METHODS = """
import multiprocessing
import os

import masume
from masume.play.selfplay import selfplay


def play(state):
    batch = state.game.batch(4, seed=state.key % 1000, threads=2)
    selfplay([state.game], ["random"], num_games=4, seed=5, threads=2, out=f"{state.game.name} {os.getpid()}")
    return batch.playout(), masume.load_records(f"{state.game.name} {os.getpid()}")["returns"].tolist()


if __name__ == "__main__":
    states = [masume.load(name).new_state(7) for name in ("chaser", "nezumi")]
    here = [play(state) for state in states]
    for method in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(play, states) == here, method
        print(method)
"""
FROZEN = """
import masume.cli
print(*masume.games(), masume.load("battleship").batch(64, seed=1).playout(), flush=True)
raise SystemExit(masume.cli.main())
"""
PLAY = ("play", "chaser", "--agents", "greedy", "random", "--seed", 1, "--out")
SHELL = ("sh", "-c", 'exec "$@"', "sh")  # setpriv itself still runs what only root may
wheel = pytest.mark.parametrize("commands", [pytest.param("wheel", marks=pytest.mark.slow)], indirect=True)


def test_the_commands_work_in_any_folder(person):
    version, _ = person.run("masume", "--version")
    assert version.startswith("masume ")
    shown, _ = person.run("masume", *PLAY, "a game.jsonl")
    assert (person.folder / "a game.jsonl").exists(), shown


def test_processes_of_every_start_method_play_the_same_games(person):
    person.write("methods.py", METHODS)
    told, _ = person.run("python", "methods.py")
    assert {"fork", "spawn", "forkserver"} <= set(told.split()) or sys.platform != "linux"


@pytest.mark.slow
def test_python_without_asserts_and_docstrings_plays_the_same(person):
    """python -OO"""
    plain, _ = person.run("python", "-m", "masume", *PLAY, "plain.jsonl")
    bare, _ = person.run("python", "-OO", "-m", "masume", *PLAY, "bare.jsonl")
    assert bare.replace("bare", "plain") == plain
    moves, _ = person.run("masume", "view", "plain.jsonl", "--log")
    assert person.run("python", "-OO", "-m", "masume", "view", "bare.jsonl", "--log")[0] == moves
    for words in (["--help"], ["new", "bot", "chaser", "--language", "python", "my bot"]):
        person.run("python", "-OO", "-m", "masume", *words)
    bot = "json:python -OO 'my bot/bot.py'"
    told, _ = person.run("python", "-OO", "-m", "masume", "match", "chaser", "--agents", bot, "greedy", "--seed", 2)
    assert "exit code" not in told, told


@pytest.fixture
def shared():
    """Return a folder that every user may enter, whichever folders pytest has."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


@wheel
def test_another_user_plays_with_a_site_folder_that_nobody_may_write(person, shared):
    """Without a home, and with what the installer could write out of reach."""
    (site,) = Path(person.run("python", "-c", "import masume; print(*masume.__path__)")[0].strip()).parents[:1]
    shared.chmod(0o755)
    copied = shared / "site"
    copied.mkdir()
    for part in ("masume", "numpy", "numpy.libs", *(path.name for path in site.glob("masume-*"))):
        shutil.copytree(site / part, copied / part, ignore=shutil.ignore_patterns("__pycache__", "tests"))
    for path in (copied, *copied.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222 | (0o055 if path.is_dir() else 0o044))
    work = shared / "作業 2"
    work.mkdir()
    as_nobody, python = (), f"{sys.base_prefix}/bin/python3.{sys.version_info.minor}"
    if os.getuid() == 0:
        shutil.chown(work, "nobody")
        as_nobody = ("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", *SHELL)
        if Path(python).is_relative_to(Path.home()):  # where only root can look
            python = f"/usr/bin/python3.{sys.version_info.minor}"
    masume = (*as_nobody, python, "-m", "masume")
    person.folder = work
    person.environment |= {"PYTHONPATH": str(copied), "HOME": "/nonexistent", "TMPDIR": str(work)}
    person.run(*masume, *PLAY, "game.jsonl")
    person.run(*masume, "selfplay", "nezumi", "--games", 8, "--out", "run")
    person.run(*masume, "new", "bot", "chaser", "--language", "python", "bot")
    told, _ = person.run(*masume, "match", "chaser", "--agents", f"json:{python} bot/bot.py", "greedy", "--seed", 2)
    assert "exit code" not in told, told
    told, _ = person.run(*masume, "doctor")
    assert "threads       ok" in told
    assert not [*copied.rglob("__pycache__")]


@wheel
def test_a_frozen_program_plays_and_holds_no_extras(person):
    """PyInstaller finds masume's hook by its entry point; extras that are installed stay out."""
    program = person.write("gather.py", FROZEN)
    person.run("python", "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR", program)
    frozen = person.folder / "dist" / "gather" / "gather"
    expected, _ = person.run("python", program, *PLAY, "plain.jsonl")
    person.environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    told, _ = person.run(frozen, *PLAY, "frozen.jsonl")
    assert told.replace("frozen", "plain") == expected
    moves, _ = person.run(frozen, "view", "plain.jsonl", "--log")
    assert person.run(frozen, "view", "frozen.jsonl", "--log")[0] == moves
    person.run(frozen, "view", "frozen.jsonl", "-o", "game.html")
    person.run(frozen, "selfplay", "all", "--games", 10, "--seed", 1, "--threads", 2, "--out", "run")
    person.run(frozen, "info", "terraforming")
    held = {path.name for path in (frozen.parent / "_internal").iterdir()}
    assert {"masume", "numpy"} <= held
    assert held.isdisjoint({"pyarrow", "gymnasium", "pettingzoo", "openskill", "uvicorn", "scipy"})
    _, told = person.run(frozen, "match", "chaser", "--agents", "cmd:true", "greedy", code=1)
    assert "a frozen program starts no programs" in told

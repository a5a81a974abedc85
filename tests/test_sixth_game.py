"""A game consists of a folder in three places: copying one under another name adds a game, without other changes."""

import importlib.util
import shutil
import site
import sys
from pathlib import Path

import pytest

from installs import ROOT, copy_of_checkout, list_tracked, new_venv, pip, run

pytestmark = pytest.mark.slow

ROOMS = ("python/masume", "cython/masume", "tests")
ONE, OTHER = "chaser", "beagle"


def rename(data):
    """Return the bytes of a file of the game, renamed for the new one."""
    for one, other in ((ONE, OTHER), (ONE.capitalize(), OTHER.capitalize())):
        data = data.replace(one.encode(), other.encode())
    return data


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Return a copy of this checkout with one more game, whose engine is the only module that is still to be built."""
    folder = copy_of_checkout(tmp_path_factory.mktemp("sixth"))
    for room in ROOMS:
        for name in list_tracked(f"{room}/{ONE}"):
            path = folder / room / OTHER / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(rename((ROOT / room / ONE / name).read_bytes()))
    for path in (folder / "cython").rglob("_*.pyx"):
        if path.parent.name != OTHER:
            path.unlink()
    return folder


@pytest.fixture(scope="module")
def python(checkout, tmp_path_factory):
    """Return a python with all six games: a wheel of the new one, and the modules that were built here for the rest."""
    folder = tmp_path_factory.mktemp("build")
    options = ("--no-build-isolation", "--no-deps", "-C", f"build-dir={folder}")
    pip(sys.executable, "wheel", *options, "-w", folder / "wheel", checkout)
    (wheel,) = (folder / "wheel").glob("*.whl")
    found = new_venv(folder / "venv")
    pip(found, "install", "--no-deps", wheel)
    home = Path(run(found, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip())
    # what else is installed here, without its .pth files: an editable masume would take precedence
    (home / "others.pth").write_text("".join(f"{path}\n" for path in site.getsitepackages()))
    for path in (ROOT / "cython" / "masume").glob("*/_*.pyx"):
        built = importlib.util.find_spec(f"masume.{path.parent.name}.{path.stem}").origin
        shutil.copy(built, home / "masume" / path.parent.name)
    return found


def test_the_tests_of_all_games_hold_for_a_sixth_game(python, checkout):
    """The contract, commands, page, environments, networks, searches, referee with example bots, benches, campaigns."""
    rooms = ["contract", "commands", "web", "envs", "learn", "search", "play", "render", "referee", "records", "bench"]
    paths = [f"tests/{name}" for name in (*rooms, "test_campaigns.py")]
    told = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *paths, "-k", f"{OTHER} or listed", cwd=checkout)
    assert int(told.split("\n")[-2].split()[0]) > 600, told
    run(python, "tests/fuzz.py", "--game", OTHER, "--cases", 100, cwd=checkout)


def test_the_commands_know_a_sixth_game(python, tmp_path):
    def masume(*arguments):
        return run(python.parent / "masume", *arguments, cwd=tmp_path)

    assert f"\n{OTHER} " in masume("info")
    assert "orchard" in masume("info", OTHER)
    assert f"  {OTHER} " in masume("doctor")
    masume("play", OTHER, "--map", "duel", "--agents", "greedy", "safe", "--out", "one.jsonl")
    masume("view", "one.jsonl", "-o", "one.html")
    assert f"\n{OTHER} " in masume("selfplay", "all", "--games", 60)
    masume("contest", "new", "cup", "--game", OTHER, "--format", "league", "--agents", "a=greedy", "b=safe")
    assert "the contest is over" in masume("contest", "run", "cup", "--auto")


def test_a_network_learns_a_sixth_game(python, tmp_path):
    pytest.importorskip("torch", reason="the extra `sb3` is not installed")
    fields = [f"--set={field}" for field in ("height=4", "width=5", "turn_limit=10", "n_blocks=2", "n_items=4")]
    sizes = ["--iterations", 1, "--games", 4, "--simulations", 2, "--hidden", 8, "--measured", 2]
    run(python.parent / "masume", "train", OTHER, *fields, *sizes, "--out", "run", cwd=tmp_path)
    assert [*(tmp_path / "run").iterdir()]

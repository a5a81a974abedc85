"""A game consists of a folder in three places: copying one under another name adds a game, without other changes."""

import sys

import pytest

from installs import ROOT, copy_of_checkout, list_tracked, new_venv, pip, run

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

ROOMS = ("python/masume", "cython/masume", "tests")
ONE, OTHER = "nezumi", "gerbil"


def rename(data):
    """Return the bytes of a file of the game, renamed for the new one."""
    for one, other in ((ONE, OTHER), (ONE.capitalize(), OTHER.capitalize())):
        data = data.replace(one.encode(), other.encode())
    return data


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """Return a copy of this checkout with one more game."""
    folder = copy_of_checkout(tmp_path_factory.mktemp("sixth"))
    for room in ROOMS:
        for name in list_tracked(f"{room}/{ONE}"):
            path = folder / room / OTHER / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(rename((ROOT / room / ONE / name).read_bytes()))
    return folder


@pytest.fixture(scope="module")
def python(checkout, tmp_path_factory):
    """Return a python with all six games."""
    folder = tmp_path_factory.mktemp("build")
    options = ("--no-build-isolation", "--no-deps", "-C", f"build-dir={folder}")
    pip(sys.executable, "wheel", *options, "-w", folder / "wheel", checkout)
    (wheel,) = (folder / "wheel").glob("*.whl")
    found = new_venv(folder / "venv")
    pip(found, "install", wheel, "pytest", "pytest-benchmark", "hypothesis")
    return found


def test_the_contract_holds_for_a_sixth_game(python, checkout):
    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    told = run(python, *command, "tests/contract", "-k", f"{OTHER} or listed or golden_perfts", cwd=checkout)
    assert int(told.split("\n")[-2].split()[0]) > 200
    run(python, *command, "tests/test_campaigns.py", "-k", OTHER, cwd=checkout)
    run(python, "tests/fuzz.py", "--game", OTHER, "--cases", 300, cwd=checkout)


def test_the_commands_know_a_sixth_game(python, tmp_path):
    def masume(*arguments):
        return run(python.parent / "masume", *arguments, cwd=tmp_path)

    assert f"\n{OTHER} " in masume("info")
    assert "garden" in masume("info", OTHER)
    assert f"  {OTHER} " in masume("doctor")
    masume("play", OTHER, "--stage", "pantry", "--agents", "greedy", "crafty", "--out", "one.jsonl")
    masume("view", "one.jsonl", "-o", "one.html")
    assert f"\n{OTHER} " in masume("selfplay", "all", "--games", 60)

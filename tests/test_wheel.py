"""The package as users get it: the wheel's content, an install from it and from source, plug-ins built against it."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import masume
from installs import BIN, ENVIRONMENT, ROOT, list_tracked, new_venv, pip, run

pytestmark = pytest.mark.slow

MODULES = sorted(f"{path.parent.name}/{path.stem}" for path in (ROOT / "cython" / "masume").glob("*/_*.pyx"))
MAX_WHEEL_SIZE = 3_500_000
MAX_ENGINES_SIZE = 1_650_000


def describe(archive):
    """Return the metadata of a wheel."""
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    return archive.read(name).decode()


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Return the source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    run(sys.executable, "-c", f"from scikit_build_core.build import build_sdist as b; b({str(folder)!r})", cwd=ROOT)
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def source(sdist, tmp_path_factory):
    """Return the unpacked source distribution. Builds leave compiled Python files in it."""
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(sdist) as tar:
        tar.extractall(folder, filter="data")
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """Return a python with only pip, which builds from source as a user's does: in an isolated environment."""
    return new_venv(tmp_path_factory.mktemp("clean") / "venv")


@pytest.fixture(scope="module")
def wheel(source, clean, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    pip(clean, "wheel", "--no-deps", "-C", f"build-dir={folder / 'build'}", "-w", folder / "built", source)
    (built,) = (folder / "built").glob("*.whl")
    platform = f"manylinux_2_28_{os.uname().machine}"
    run(BIN / "auditwheel", "repair", "--only-plat", "--plat", platform, "-w", folder, built)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """Return a python with the wheel and what building a plug-in needs."""
    found = new_venv(tmp_path_factory.mktemp("user") / "venv")
    pip(found, "install", wheel, "setuptools>=70.1", "cython>=3.3", "pytest", "pytest-benchmark", "hypothesis")
    return found


@pytest.fixture(scope="module")
def examples(python, tmp_path_factory):
    """Return the folder of the examples, built and installed."""
    folder = shutil.copytree(ROOT / "examples", tmp_path_factory.mktemp("examples") / "examples")
    pip(python, "install", "--no-build-isolation", "--no-deps", folder / "plugin_game", folder / "driver")
    return folder


def test_the_wheel_holds_what_a_user_needs_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    assert wheel.stat().st_size < MAX_WHEEL_SIZE
    built = {re.sub(r"^masume/|\.cpython-.*\.so$", "", name) for name in names if name.endswith(".so")}
    assert built == {*MODULES, "core/_cyutility"}
    shipped = {f"masume/{name}" for name in list_tracked("python/masume")}
    shipped |= {
        f"masume/{name}.pxd" for name in ("__init__", "core/__init__", "core/bits", "core/guard", "core/provide")
    }
    shipped |= {f"masume/core/{name}.pxd" for name in ("_game", "_playout", "_state")}
    shipped |= {f"masume/include/masume/{name}.h" for name in ("bits", "game", "guard", "rng")}
    assert {name for name in names if name.startswith("masume/") and not name.endswith(".so")} == shipped
    assert {"masume/py.typed", "masume/core/_game.pxd", "masume/include/masume/game.h"} <= shipped
    assert {f"masume/{module}.pyi" for module in MODULES} <= shipped
    others = {name for name in names if not name.startswith("masume/")}
    info = f"masume-{masume.__version__}.dist-info"
    assert all(name.startswith(info) for name in others)
    assert any(name.startswith(info) and name.endswith("LICENSE") for name in others)


def test_the_wheel_runs_with_glibc_2_28_and_its_engines_are_small(wheel):
    assert re.search(r"-manylinux_2_28_\w+\.whl$", wheel.name)
    verdicts = re.findall(r'"manylinux_(\d+)_(\d+)_', run(BIN / "auditwheel", "show", wheel))
    assert max(tuple(map(int, verdict)) for verdict in verdicts) <= (2, 28)
    with zipfile.ZipFile(wheel) as archive:
        engines = [entry.compress_size for entry in archive.infolist() if entry.filename.endswith(".so")]
        metadata = describe(archive)
    assert sum(engines) < MAX_ENGINES_SIZE
    assert "Project-URL" not in metadata
    assert "<img" not in metadata
    assert f"\nVersion: {masume.__version__}\n" in metadata


@pytest.mark.nightly
def test_a_bundle_installs_without_a_network_and_plays(wheel, tmp_path):
    copied = shutil.copy(wheel, tmp_path)
    (folder,) = map(Path, run(sys.executable, ROOT / "packaging" / "bundle.py", copied, "web", "rating").split())
    assert folder.name == f"{wheel.stem}-bundle-web-rating"
    with zipfile.ZipFile(f"{folder}.zip") as archive:
        archive.extractall(tmp_path / "hall")
    hall = tmp_path / "hall" / folder.name
    told = (hall / "README.txt").read_text()
    (requirement,) = re.findall(r"--no-index --find-links \S+ '(.*)'", told)
    assert requirement == "masume[web,rating]"
    found = new_venv(tmp_path / "venv")
    pip(found, "install", "--no-index", "--find-links", hall, requirement)
    pip(found, "check")
    run(found, "-c", "import masume.kakomimasu.server.app, masume.play.ratings, choix", cwd=tmp_path)
    (command,) = re.findall(r"masume/bin/(masume play .*)", told)
    assert run(*[found.parent / "masume", *command.split()[1:]], cwd=tmp_path)


def test_the_source_distribution_holds_the_sources_and_no_product(sdist):
    with tarfile.open(sdist) as tar:
        files = {member.name.partition("/")[2] for member in tar if member.isfile()}
    for folder in ("src", "cython", "python", "examples", "tests", "docs", "benches", "packaging", ".github"):
        assert {f"{folder}/{name}" for name in list_tracked(folder)} <= files, folder
    assert {"README.md", "LICENSE", "CMakeLists.txt", "pyproject.toml", "Makefile"} <= files
    assert not [name for name in files if re.search(r"\.(so|o|whl|pyc)$|^(build|dist|report|\.venv[^/]*|\.ci)/", name)]


def test_the_installed_package_works_away_from_the_tree(python, tmp_path):
    pip(python, "check")
    code = "import masume; print(masume.__file__); print(masume.get_include())"
    where, include = run(python, "-c", code, cwd=tmp_path).split()
    assert str(python.parent.parent) in where
    assert Path(include, "masume", "game.h").is_file()
    assert masume.games()[0] in run(python.parent / "masume", "info", cwd=tmp_path)
    assert json.loads(run(python, "-m", "masume", "info", "--json", cwd=tmp_path))
    tests = ("tests/test_plugin.py", "tests/kakomimasu/test_vectors.py")
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cwd=ROOT)


@pytest.mark.nightly
@pytest.mark.skipif(platform.machine() != "x86_64", reason="levels are those of x86-64")
@pytest.mark.skipif(shutil.which("qemu-x86_64-static") is None, reason="qemu-user-static is not installed")
@pytest.mark.parametrize(("cpu", "level"), [("Nehalem", "v2"), ("Haswell", "v3")])
def test_the_installed_package_works_on_older_processors(python, tmp_path, cpu, level):
    """On an emulated processor without AVX2, or without AVX-512, no instruction that it lacks is executed."""
    emulated = ("qemu-x86_64-static", "-cpu", cpu, python, "-m", "masume")
    found = json.loads(run(*emulated, "doctor", "--json", cwd=tmp_path))
    assert (found["processor"]["best level"], {*found["checks"].values()}) == (level, {None})
    command = [str(word) for word in (*emulated, "info", "nezumi")]
    wrong = subprocess.run(command, env=ENVIRONMENT | {"MASUME_CPU": "v4"}, capture_output=True, text=True, check=False)
    assert (wrong.returncode, "masume: MASUME_CPU: expected one of v2" in wrong.stderr) == (1, True)


def test_the_adapters_work_with_the_lowest_versions_of_their_libraries(wheel, tmp_path):
    """`make test` uses the newest versions; these are the lowest that the extras allow."""
    found = new_venv(tmp_path / "venv")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    lowest = [name.replace(">=", "==") for extra in ("envs", "openspiel") for name in extras[extra]]
    pip(found, "install", wheel, *lowest, "pytest", "pytest-benchmark", "hypothesis")
    told = run(found, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/envs", cwd=ROOT)
    (passed,) = re.findall(r"^(\d+) passed", told, re.MULTILINE)
    assert int(passed) > 250, told  # what is skipped is of libraries that have no lowest version here


@pytest.mark.parametrize("example", ["plugin_game", "driver"])
def test_examples_run_on_the_installed_package(python, examples, example):
    assert run(python, "demo.py", cwd=examples / example)


@pytest.mark.usefixtures("examples")
def test_a_game_of_another_package_is_played_like_masumes_own(python, tmp_path):
    """masume finds it only through its entry point."""

    def masume(*arguments):
        return run(python.parent / "masume", *arguments, cwd=tmp_path)

    assert "connect_four" in masume("info")
    about = json.loads(masume("info", "connect_four", "--set", "width=8", "--json"))
    assert (about["actions"], about["config"]) == (8, {"width": 8})
    assert about["agents"][:2] == ["random", "careful"]
    shown = masume("play", "connect_four", "--agents", "random", "careful", "--out", "one.jsonl")
    assert "Connect Four 7×6, X to move\n   a  b  c  d  e  f  g\n" in shown
    assert (
        masume("view", "one.jsonl").count("Connect Four 7×6")
        == len((tmp_path / "one.jsonl").read_text().split("\n")) - 2
    )
    options = ("--agents", "careful", "random", "--games", "20")
    assert "20 games in" in masume("selfplay", "connect_four", *options, "--set", "width=5", "--out", "run")
    masume("view", "run", "-o", "run.html")
    assert "stone of X" in (tmp_path / "run.html").read_text()
    assert json.loads(masume("match", "connect_four", *options, "--json"))["games"]
    assert json.loads(masume("perft", "connect_four", "--depth", "3", "--json"))["sequences"] == 7**3
    assert "connect_four" in masume("selfplay", "all", "--games", "50", "--starts", "1")
    code = "import pickle, masume; g = masume.load('connect_four', width=4); print(pickle.loads(pickle.dumps(g)) == g)"
    assert run(python, "-c", code, cwd=tmp_path) == "True\n"
    run(python, "-c", "import connect_four, doctest; assert doctest.testmod(connect_four) == (0, 2)", cwd=tmp_path)


@pytest.mark.usefixtures("examples")
def test_methods_of_a_plug_in_refuse_a_foreign_self(python, tmp_path):
    told = run(python, ROOT / "tests" / "foreign.py", "connect_four._engine", cwd=tmp_path)
    assert told.endswith("count_stones\n1 methods\n"), told
    code = "import masume; print(masume.load('connect_four').new_state().count_stones())"
    assert run(python, "-c", code, cwd=tmp_path).strip() == "0"


@pytest.mark.usefixtures("examples")
def test_the_driver_drives_the_plugged_in_game(python, tmp_path):
    """Two third parties that do not know each other work together through the table."""
    code = """
import masume, winrate
game = masume.load("connect_four")
wins, plies = winrate.count(game.capsule, games=500, seed=3)
batch = game.batch(500, seed=3)
assert batch.playout() == plies
assert (batch.rewards > 0).sum(axis=0).tolist() == wins
assert wins[0] > wins[1] > 0
"""
    run(python, "-c", code, cwd=tmp_path)


@pytest.mark.nightly
def test_what_the_source_makes_works_in_a_clean_environment(source, wheel, clean, tmp_path):
    pip(clean, "install", f"{wheel}[test,data,rating,envs,openspiel,web]")
    pip(clean, "check")
    code = "import masume; s = masume.load('kakomimasu').new_state(); s.apply([0] * len(s.slots)); print(s.played)"
    assert run(clean, "-c", code, cwd=tmp_path).strip() == "1"
    tests = ("tests/contract/test_twins.py", "tests/test_plugin.py", "tests/test_docs.py", "tests/test_packaging.py")
    told = run(clean, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cwd=source)
    assert re.search(r"^\d+ passed", told, re.MULTILINE), told

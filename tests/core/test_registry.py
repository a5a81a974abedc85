"""Games of other packages are found by their entry points, and a broken one does not stop the others."""

import pickle
import sys

import pytest

import masume
from masume.core import registry
from shell import run, run_json

MODULE = """
import dataclasses

import toy
from masume.core import config


@dataclasses.dataclass(frozen=True)
class Config(config.Config):
    pass


COUNTING = toy.Counting(memory=False)


def table(config):
    return COUNTING
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that installs modules, with an entry point for each name."""
    caches = (registry._others, registry.package_of, registry.part_of, registry.parts)

    def forget():
        for cache in caches:
            cache.cache_clear()

    def add_points(**points):
        for module in {*points.values()}:
            (tmp_path / f"{module}.py").write_text(MODULE)
        folder = tmp_path / "others-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
        lines = [f"{name} = {module}\n" for name, module in points.items()]
        (folder / "entry_points.txt").write_text("".join([f"[{registry.GROUP}]\n", *lines]))
        monkeypatch.syspath_prepend(tmp_path)
        forget()

    yield add_points
    forget()
    sys.modules.pop("simplest", None)


def test_a_module_with_a_table_and_a_config_is_a_game(install, tmp_path, capsys):
    """The module has no starts, fields, text boards, drawing or agents."""
    install(counting="simplest")
    assert "counting" in masume.games()
    game = masume.load("counting")
    assert game == pickle.loads(pickle.dumps(game))
    assert game.part("render") is None
    assert run_json(capsys, "info", "counting")["config"] == {}
    assert "counting" in run(capsys, "info", "counting")[1]
    assert run_json(capsys, "play", "counting", "--agents", "highest", "--out", tmp_path / "one.jsonl")["plies"] == 6
    assert run_json(capsys, "view", tmp_path / "one.jsonl")["replays"][0]["game"] == "counting"
    found = run_json(capsys, "selfplay", "counting", "--games", 9, "--out", tmp_path / "run")
    assert found["games"]
    for option in (("--board", "x"), ("--set", "length=3")):
        code, _, error = run(capsys, "info", "counting", *option)
        assert (code, error.count("\n")) == (1, 1)
    code, _, error = run(capsys, "selfplay", "counting", "--starts", "2")
    assert (code, error) == (1, "masume: game: counting has no boards, maps or stages\n")
    code, _, error = run(capsys, "bench", "counting")
    assert (code, error[:29]) == (1, "masume: game: expected one of")


def test_a_name_is_that_of_the_table(install):
    install(adding="simplest")
    with pytest.raises(masume.ConfigError, match="game: 'adding': its table says that it is 'counting'"):
        masume.load("adding")


def test_no_package_takes_the_name_of_a_game_of_masumes_own(install):
    install(nezumi="simplest")
    assert masume.load("nezumi").package.__name__ == "masume.nezumi"


def test_a_package_that_cannot_be_imported_stops_no_other(install, tmp_path, capsys):
    install(counting="simplest")
    (tmp_path / "simplest.py").write_text("import no_such_module")
    with pytest.raises(masume.ConfigError, match="game: 'counting': its package cannot be imported: No module named"):
        masume.load("counting")
    assert "counting" not in registry.parts("bench")
    run_json(capsys, "play", "nezumi", "--stage", "pantry", "--out", tmp_path / "one.jsonl")
    assert run_json(capsys, "view", tmp_path / "one.jsonl")["replays"][0]["game"] == "nezumi"


def test_a_package_without_a_table_is_no_game(install, tmp_path):
    install(counting="simplest")
    (tmp_path / "simplest.py").write_text("table = None")
    with pytest.raises(masume.ConfigError, match="must name a package with Config and table"):
        masume.load("counting")

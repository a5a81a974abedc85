"""Games of other packages are found by their entry points, and a broken one does not stop the others."""

import pickle
import re
import sys
from pathlib import Path

import pytest

import masume
from masume.core import registry
from shell import run, run_json

ROOT = Path(__file__).parents[2]
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
    assert (code, error) == (
        1,
        "masume: game: 'counting' has no part bench.py, whose cases are timed (docs/plugins.md)\n",
    )


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


def test_a_package_without_a_config_is_no_game(install, tmp_path):
    install(counting="simplest")
    (tmp_path / "simplest.py").write_text("def table(config): ...")
    with pytest.raises(masume.ConfigError, match="must name a package with Config and table"):
        masume.load("counting")


def test_a_part_that_no_game_can_have_is_an_error(install):
    install(counting="simplest")
    for name in ("counting", *registry.own_names()):
        with pytest.raises(masume.ConfigError, match=r"^part: unknown part 'agent' .*; did you mean 'agents'\?\)$"):
            masume.load(name).part("agent")
        with pytest.raises(masume.ConfigError, match="unknown part 'Config'"):
            masume.load(name).part("Config")
    with pytest.raises(masume.ConfigError, match="unknown part 'agent'"):
        registry.parts("agent")


def test_a_module_named_almost_like_a_missing_part_is_warned_about(install, tmp_path):
    install(counting="simplest")
    folder = tmp_path / "simplest"
    folder.mkdir()
    (tmp_path / "simplest.py").rename(folder / "__init__.py")
    for name in ("agent", "boards", "knowledge", "points", "point"):
        (folder / f"{name}.py").touch()
    with pytest.warns(UserWarning, match="reads its module 'agent'; did you mean 'agents'") as told:
        game = masume.load("counting")
    assert len(told) == 1  # `point` lies beside `points`
    assert game.part("agents") is None


def test_no_module_of_our_games_is_named_almost_like_a_part():
    for name in registry.own_names():
        assert registry.find_misspelt(registry.package_of(name)) == {}


def test_every_part_is_one_that_a_game_has():
    """And is requested by a name that is listed."""
    folders = [registry.HOME / name for name in registry.own_names()]
    for name in registry.PARTS:
        if name[0].isupper() or name in ("table", "starts"):
            assert all(hasattr(registry.package_of(game), name) for game in registry.own_names()), name
        else:
            assert any((folder / path).exists() for folder in folders for path in (name, name.removesuffix(".py"))), (
                name
            )
    asked = set()
    for path in (ROOT / "python").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        asked |= set(re.findall(r"(?:game|self)\.part\(\"(\w+)\"\)", text))
        asked |= set(re.findall(r"registry\.parts?(?:_of)?\([^\"\n]*\"(\w+)\"\)", text))
    assert len(asked) > 12
    assert asked <= set(registry.MODULES)


def test_the_pages_list_the_parts():
    """docs/plugins.md has a row for each; CONTRIBUTING.md names no other module of a game."""
    rows = "".join(f"| `{name}` | {holds} |\n" for name, holds in registry.PARTS.items())
    assert f"| part of the package | holds |\n|---|---|\n{rows}\n" in (ROOT / "docs" / "plugins.md").read_text("utf-8")
    _, _, text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("\n## Add a game\n")
    named = set(re.findall(r"`([a-z_]+\.(?:py|npz|jsonl))`", text))
    others = {"config.py", "boards.py", "maps.py", "stages.py", "__init__.py", "campaign.py", "entrances.py"}
    assert len(named & registry.PARTS.keys()) > 10
    assert named - others <= registry.PARTS.keys()

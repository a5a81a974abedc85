"""The documents are correct: code runs, commands parse, links resolve, both READMEs say the same."""

import ast
import dataclasses
import doctest
import importlib
import importlib.metadata
import pkgutil
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import masume
from cases import GAMES
from masume import agent, cli, commands
from masume.agents.make import agents_of
from masume.records.arrays import fields_of

ROOT = Path(__file__).parent.parent
READMES = ("README.md", "README.ja.md")
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

SESSIONS = [name for name in PAGES if ">>> " in (ROOT / name).read_text()]


def blocks(text, language=""):
    """Return the fenced blocks of a page in this language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [code for marked, code in found if marked == language]


def test_both_readmes_have_sessions():
    assert set(READMES) <= set(SESSIONS)


@pytest.mark.parametrize("name", SESSIONS)
def test_the_sessions_of_a_page_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, attempted = doctest.testfile(str(ROOT / name), module_relative=False)
    assert (failed, attempted > 1) == (0, True)


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_are_commands(name):
    text = (ROOT / name).read_text()
    for line in [line for block in blocks(text) for line in block.splitlines() if line.startswith("masume ")]:
        words = shlex.split(re.split(r"\s{3,}", line.partition(">")[0])[0])[1:]
        assert words[0] in commands.NAMES, line
        assert cli.parser().parse_args(words).command == words[0], line


def test_the_page_of_records_tells_every_field():
    games = [masume.load("chaser"), masume.load("terraforming")]
    text = (ROOT / "docs/records.md").read_text()
    for field in fields_of(games, ["legal"], True):
        assert f"`{field}`" in text, field


@pytest.mark.parametrize("name", READMES)
def test_the_readme_names_every_command(name):
    text = (ROOT / name).read_text()
    lines = [line for block in blocks(text) for line in block.splitlines() if line.startswith("masume ")]
    assert {line.split()[1] for line in lines} == set(commands.NAMES)
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", text, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_agent_of_the_readme_is_one():
    (code,) = [block for block in blocks((ROOT / "README.md").read_text(), "python") if "class Quiet" in block]
    scope = {}
    exec(compile(ast.parse(code), "README.md", "exec"), scope)
    quiet = scope["Quiet"]()
    assert isinstance(quiet, agent.Agent)
    state = masume.load("kakomimasu").new_state()
    assert quiet.act(agent.View(state, 1)) == [0] * 8


def test_both_readmes_say_the_same():
    def frame(name):
        """Return what no translation changes: code without comments, links to twins, ranks of headings, table rows."""
        text = (ROOT / name).read_text()
        code = [re.sub(r"#.*", "#", line) for block in blocks(text, "python") for line in block.splitlines()]
        shell = [line for block in blocks(text)[:3] for line in block.splitlines()]
        commands = [re.split(r"\s{3,}", line)[0] for line in shell]
        links = re.findall(r"\]\(([^)]+)\)", text.replace(".ja.md)", ".md)").replace(".ja.md#", ".md#"))
        ranks = re.findall(r"^#+ ", text, re.MULTILINE)
        return code, commands, links, ranks, text.count("\n|")

    assert frame("README.md") == frame("README.ja.md")


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    page = ROOT / name
    for link in re.findall(r"""(?:\]\(|src="|href=")([^)"#]+)""", page.read_text()):
        if "://" not in link:
            assert (page.parent / link).exists(), link


PICTURES = runpy.run_path(str(ROOT / "docs/pictures.py"))


@pytest.mark.parametrize("name", PICTURES["pictures"]())
def test_pictures_are_those_of_today(name):
    drawn = PICTURES["draw"](PICTURES["pictures"]()[name])
    assert (ROOT / f"docs/games/{name}.svg").read_text("utf-8") == drawn, "`python docs/pictures.py` draws it anew"


def test_every_example_of_a_docstring_runs():
    attempted = 0
    for module in pkgutil.walk_packages(masume.__path__, "masume."):
        other = "masume.core.system." + ("posix" if sys.platform == "win32" else "windows")
        if module.name not in ("masume.__main__", other, "masume.__pyinstaller.hook-masume"):
            try:
                imported = importlib.import_module(module.name)
            except masume.ExtraError:  # of an extra that only the slow tests install
                continue
            result = doctest.testmod(imported)
            assert result.failed == 0, module.name
            attempted += result.attempted
    result = doctest.testmod(masume)
    assert result.failed == 0
    assert attempted + result.attempted > 5


SIZES = {
    "players": "num_players",
    "slots": "num_slots",
    "actions": "num_actions",
    "actions a slot": "num_actions",
    "plies": "max_game_length",
    "bytes of a state": "state_size",
    "bytes of what both players have seen": "memory_size",
}
"""Rows of the tables of docs/games/, and the attribute of a Game that each of them gives."""


def rows_of(name):
    """Return the rows of all tables on the page of a game."""
    lines = (ROOT / f"docs/games/{name}.md").read_text("utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_tells_its_sizes(name):
    rows = {row[0]: row[2:4] for row in rows_of(name) if row[0] in SIZES and len(row) > 3}
    game = masume.load(name)
    ends = [masume.load(name, **fields) for fields in getattr(GAMES[name], "EXTREMES", ())]
    assert {"players", "slots"} < rows.keys()
    for row, (default, bounds) in rows.items():
        assert default in ("", str(getattr(game, SIZES[row]))), row
        if ends and bounds:
            assert bounds == "..".join(str(getattr(end, SIZES[row])) for end in ends), row


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_tells_every_field_of_its_config(name):
    config = masume.load(name).config
    fields = {field.name: field.default for field in dataclasses.fields(config)}
    told = {}
    for first, value, *_ in rows_of(name):
        names = re.findall(r"`(\w+)`", first)
        if names and {*names} <= fields.keys():
            values = value.split(", ") if len(names) > 1 and "," in value else [value] * len(names)
            told = dict(zip(names, values, strict=True)) | told
    assert told.keys() == fields.keys()

    def show(value):
        return ", ".join(map(str, value)) if isinstance(value, tuple) else str(getattr(value, "name", value))

    for field, default in fields.items():
        assert told[field].strip('"`') in (show(default), show(getattr(config, field))), field


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_tells_every_array_of_its_observation(name):
    game = masume.load(name)
    told = {row[0]: re.fullmatch(r"(\w+) ?\[(.*)\]", row[1]) for row in rows_of(name)}
    for field, (shape, dtype) in game.observation_spec.items():
        kind, sizes = told[f"`{field}`"].groups()
        sizes = re.sub(r"(\d)([A-Z])", r"\1 * \2", sizes)
        assert (kind, eval(f"[{sizes}]", GAMES[name].letters(game.config))) == (str(dtype), [*shape]), field


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_tells_every_kind_of_action(name):
    """Each text in the section on actions matches legal actions of random games, and each of these matches one text."""
    text = (ROOT / f"docs/games/{name}.md").read_text("utf-8")
    section = re.search(r"^## Actions$(.*?)^## ", text, re.MULTILINE | re.DOTALL)[1]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)[0].splitlines()
    head, _, *rows = [[cell.strip(" `") for cell in line[1:-1].split("|")] for line in table]
    column = {*head} & {"text", "command"}  # without one, the texts are before the table
    told = [row[head.index(*column)].replace("`", "") for row in rows] if column else re.findall("`(.+ .+)`", section)
    kinds = GAMES[name].ACTIONS
    assert told == [*kinds]
    met = set()
    for config in [*GAMES[name].CASES, *GAMES[name].FUZZED]:
        for seed in range(3):
            state, rng = masume.load(name, **config).new_state(seed), masume.core.rng.Rng(seed)
            for _ in range(300):
                if state.is_terminal():
                    break
                chosen = []
                for slot in range(len(state.slots)):
                    legal = state.legal_actions(slot)
                    for action in legal[:: 1 + len(legal) // 40]:
                        said = state.action_to_text(int(action), slot)
                        (kind,) = [kind for kind, its in kinds.items() if re.fullmatch(its, said)]
                        met.add(kind)
                    chosen.append(int(legal[rng.below(len(legal))]))
                state.apply(chosen if state.game.is_simultaneous else chosen[0])
    assert met == kinds.keys()


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_tells_its_presets_agents_and_starts(name):
    game = masume.load(name)
    text = (ROOT / f"docs/games/{name}.md").read_text("utf-8")
    for one in [*game.config.presets(), *game.policies[1:], *agents_of(game)]:
        assert f"`{one}`" in text, one
    starts = {start for row in rows_of(name) for start in row[0].split(", ")}
    assert starts >= game.package.starts.load_shipped().keys()


def test_the_text_board_of_the_games_page_can_be_read():
    (board,) = [block for block in blocks((ROOT / "docs/games/kakomimasu.md").read_text()) if block.startswith("AAA.")]
    game = masume.load("kakomimasu", width=4, height=3, n_agents=2)
    assert str(game.parse(board)).split() == board.split()


def test_the_package_offers_what_it_lists():
    assert masume.__version__ == importlib.metadata.version("masume")
    for name in masume.__all__:
        assert getattr(masume, name).__doc__
    assert set(masume.errors.__all__) <= set(masume.__all__)
    headers = Path(masume.get_include()) / "masume"
    assert {path.name for path in headers.iterdir()} >= {"game.h", "rng.h"}


def test_importing_masume_imports_little():
    """Only NumPy and light modules of the standard library are imported."""
    code = "import sys, masume; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert "numpy" in loaded
    assert not loaded & {"asyncio", "concurrent", "http", "argparse", "rich", "pyarrow", "multiprocessing", "xml"}
    code = "import sys, masume; print(*[name for name in sys.modules if name.startswith('masume.')])"
    own = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    assert not own & {
        "masume.kakomimasu",
        "masume.render",
        "masume.records",
        "masume.play.selfplay",
        "masume.records.replay",
        "masume.cli",
    }

"""`masume new bot`: folders with bots in six languages, which are built and play."""

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import masume
from masume.bots import LANGUAGES, kind_of, plan, write
from masume.contest import runner
from masume.contest.events import StageDrawn
from masume.contest.kept import Contest
from masume.errors import ConfigError
from masume.referee.check import check, check_games
from masume.referee.match import play_match
from masume.referee.process import Child
from masume.referee.seats import make_seat
from shell import run, run_json

SMALL = {
    "battleship": {"preset": "submarine", "max_rounds": 20},
    "chaser": {"turn_limit": 10},
    "kakomimasu": {"width": 5, "height": 4, "n_agents": 2, "total_turns": 6},
    "nezumi": {"stage": "garden", "turns": 6},
    "terraforming": {"radius": 2, "max_turns": 2},
}
SLOW = {"java", "rust", "cpp"}  # to build and to start


def of(language):
    """Return the parameter of a language: compilers take seconds."""
    return pytest.param(language, marks=[pytest.mark.slow] if language in SLOW else [])


async def hold(game, command, player, seed):
    """Return the record of a game of a program on a seat; commands without effect count as faults, too."""
    seats = [make_seat(f"cmd:{command}" if seat == player else "random", game) for seat in range(game.num_players)]
    try:
        record = await play_match(game, seats, seed)
    finally:
        await asyncio.gather(*(seat.close() for seat in seats))
    assert [remark for remark in record.remarks if remark.player == player] == []
    return record


@pytest.mark.parametrize("language", [of(language) for language in LANGUAGES])
@pytest.mark.parametrize("name", masume.games())
def test_a_new_bot_is_built_and_follows_the_protocol(tmp_path, name, language):
    commands = write(masume.load(name), language, tmp_path / "bot")
    for command in filter(None, (commands.build, LANGUAGES[language].run)):
        tool = command.split()[0]
        if not tool.startswith("./") and shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    if commands.build:
        subprocess.run(commands.build, shell=True, cwd=tmp_path / "bot", check=True)
    command = f"cd {tmp_path / 'bot'} && exec {LANGUAGES[language].run}"
    game = masume.load(name, **SMALL.get(name, {}))
    if kind_of(game, LANGUAGES[language]) == "cmd":
        points = asyncio.run(check_games(lambda player, seed: hold(game, command, player, seed), game))
    else:
        points = asyncio.run(check(lambda: Child.start(command, capacity=1 << 21), game))
    assert [(point.name, point.answer) for point in points if not point.is_passed] == []


def test_the_first_bot_of_chaser_takes_what_lies_beside_it(tmp_path):
    """Its rules come before chance: against a bot that stands still it ends with items."""
    write(masume.load("chaser"), "python", tmp_path / "bot")
    scope = {}
    exec((tmp_path / "bot" / "bot.py").read_text(encoding="utf-8").partition("\nquestion = None")[0], scope)
    legal = list(range(16))
    assert scope["choose"](legal, {}, "1020203020") == 1  # an item to the right
    assert scope["choose"](legal, {}, "1020203010") == 15  # the opponent below
    assert scope["choose"](legal, {}, "1222200222") == 1  # the only floor


@pytest.mark.parametrize("name", ["chaser", "battleship"])
def test_a_new_bot_plays_on_the_server_of_its_game(tmp_path, name):
    """In Python: the same file is a client of the game's own server; what it sends is what the server takes."""
    write(masume.load(name), "python", tmp_path / "bot")
    command = f"client:{sys.executable} {tmp_path / 'bot' / 'bot.py'} {{port}} {{host}} {{name}}"
    fields = 'preset = "submarine"\n[set]\nmax_rounds = 20\n' if name == "battleship" else "[set]\nturn_limit = 10\n"
    record = play_clients(tmp_path, f'game = "{name}"\n' + fields, command)
    assert record.faults == []
    assert {*record.replay.names} == {"a", "b"}


def play_clients(folder, head, command):
    """Return the record of a game between two clients that masume starts."""
    entries = "".join(f'[[entry]]\nname = "{name}"\nplay = "{command}"\n' for name in "ab")
    (folder / "contest.toml").write_text(
        'format = "single"\ngames = 1\ntimeout = 60\n' + head + entries, encoding="utf-8"
    )
    contest = Contest(folder)
    contest.do(StageDrawn(0, [1, 2]))

    async def main():
        plan, match = contest.plan, contest.state.step().match
        venue = None if plan.venue is None else plan.venue(plan.venue_settings(), lambda _: None)
        if venue is not None:
            await venue.open()
        try:
            return await runner.play_match(contest, match, lambda _: None, None, venue)
        finally:
            if venue is not None:
                await venue.close()

    return asyncio.run(main())[0]


def test_a_new_bot_plays_on_the_match_server(tmp_path, monkeypatch):
    pytest.importorskip("uvicorn")
    from masume.kakomimasu.server import hall

    monkeypatch.setattr(hall, "START_S", 0)
    monkeypatch.setattr("masume.http.server.LEAVE_S", 0.0)
    write(masume.load("kakomimasu"), "python", tmp_path / "bot")
    command = f"client:{sys.executable} {tmp_path / 'bot' / 'bot.py'} http://{{host}}:{{port}} {{token}}"
    head = "port = 0\n[set]\nwidth = 5\nheight = 4\nn_agents = 2\n"
    head += "total_turns = 3\noperation_sec = 1\ntransition_sec = 0.2\n"
    record = play_clients(tmp_path, 'game = "kakomimasu"\n' + head, command)
    assert [remark for remark in record.remarks if "impossible" in remark.detail] == []
    assert len(record.replay.moves) == 3


def test_the_commands_of_the_readme_work(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = run_json(capsys, "new", "bot", "chaser", "--language", "python", "mine")
    monkeypatch.chdir("mine")
    python = f"{Path(sys.executable)} bot.py"
    for name in ("run", "watch", "test"):
        assert told[name] in Path("README.md").read_text(encoding="utf-8")
        words = told[name].replace("python3 bot.py", "BOT").replace('"json:BOT"', "json:BOT").split()[1:]
        assert run(capsys, *(word.replace("BOT", python) for word in words))[0] == 0
    assert Path("games.html").is_file()


def test_a_folder_that_is_not_empty_is_left_alone(capsys, tmp_path):
    (tmp_path / "mine").mkdir()
    assert run(capsys, "new", "bot", "nezumi", tmp_path / "mine")[0] == 0
    before = sorted(path.name for path in (tmp_path / "mine").iterdir())
    assert before == ["README.md", "bot.py"]
    code, _, error = run(capsys, "new", "bot", "nezumi", "--language", "c", tmp_path / "mine")
    assert (code, error.startswith("masume: dir: expected a new or an empty folder")) == (1, True)
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]  # nothing half-written beside it
    with pytest.raises(ConfigError, match="did you mean 'rust'"):
        write(masume.load("nezumi"), "rus", tmp_path / "other")


def test_a_game_of_another_package_gets_a_bot_too(tmp_path):
    """Without a part `bot` a game has the plain template: a random legal action."""
    import types

    game = types.SimpleNamespace(name="toy", num_players=4, part=lambda name: None)
    for language, its in LANGUAGES.items():
        write(game, language, tmp_path / language)
        text = (tmp_path / language / its.file).read_text(encoding="utf-8")
        assert "RULES" not in text
        assert "@" not in text.replace("@Override", "")
    assert plan(game, "python").run.count("random") == 3

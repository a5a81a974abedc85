"""JSON lines: complete games over stdin and stdout and over TCP, every message and error, and faulty programs."""

import asyncio
import contextlib
import json
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import masume
from masume import chaser, cli
from masume.agent import View
from masume.referee import jsonlines, match
from masume.referee.clock import TimeControl
from masume.referee.seats import make_seat

HERE = Path(__file__).parents[1]
BOTS = HERE.parent / "examples" / "bots"
PYTHON = shlex.quote(sys.executable)
SMALL = {
    "battleship": {"preset": "classic"},
    "chaser": {"turn_limit": 9},
    "kakomimasu": {"width": 5, "height": 4, "n_agents": 2, "total_turns": 6},
    "terraforming": {"radius": 2, "max_turns": 5},
}


def small(name):
    return masume.load(name, **SMALL.get(name, {}))


@pytest.fixture(scope="module")
def c_bot(tmp_path_factory):
    """The command of the bot in C."""
    binary = tmp_path_factory.mktemp("c") / "random_bot"
    subprocess.run(
        ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-o", binary, BOTS / "random_bot.c"], check=True
    )
    return shlex.quote(str(binary))


@pytest.fixture(scope="module", params=["python", "c"])
def bot(request, c_bot):
    """The command of each example bot."""
    return {"python": f"{PYTHON} {shlex.quote(str(BOTS / 'random_bot.py'))}", "c": c_bot}[request.param]


def command(mode, *arguments):
    """Return the command of the test bot."""
    return " ".join([PYTHON, *map(shlex.quote, (str(HERE / "json_bot.py"), mode, *map(str, arguments)))])


def play(game, specs, seed=3, control=None, retries=0, count=1, said=None):
    """Play `count` matches between these players and return their records."""

    async def run():
        seats = [make_seat(spec, game, retries, said.append if said is not None else lambda _: None) for spec in specs]
        try:
            return [await asyncio.wait_for(match.play_match(game, seats, seed, control), 100) for _ in range(count)]
        finally:
            await asyncio.gather(*(seat.close() for seat in seats))

    records = asyncio.run(run())
    for record in records:
        if record.is_played:
            record.replay.to_lines()  # verifies it by playing it again
    return records


class Wire:
    """A list for the messages of `make_seat`: when it reports that it waits, the test bot connects."""

    def __init__(self, mode, *arguments):
        self.arguments = (mode, *map(str, arguments))
        self.processes = []

    def append(self, news):
        port = re.fullmatch(r"waiting for a bot on 127\.0\.0\.1:(\d+)", news)[1]
        self.processes.append(
            subprocess.Popen([sys.executable, HERE / "json_bot.py", *self.arguments, port], stderr=subprocess.DEVNULL)
        )


@pytest.fixture(params=["stdio", "tcp"])
def against(request):
    """Play matches of the test bot in a mode, as player 0, against `random`; return the records."""

    def run(mode, *arguments, game=None, **options):
        game = game or small("chaser")
        if request.param == "stdio":
            return play(game, [f"json:{command(mode, *arguments)}", "random"], **options)
        wire = Wire(mode, *arguments)
        try:
            return play(game, ["tcp:0", "random"], said=wire, **options)
        finally:
            for process in wire.processes:
                process.kill()
                process.wait()

    return run


def read_heard(path):
    """Return the messages that the test bot received."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def faults(record):
    return [(fault.player, fault.cause) for fault in record.faults]


# -- games without faults -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", masume.games())
def test_every_game_is_played_to_the_end(name, bot):
    game = small(name)
    for record in play(game, [f"json:{bot}", *["random"] * (game.num_players - 1)], count=2):
        assert record.faults == []
        assert record.replay.names[0].startswith("random bot")
        assert [*record.replay.states()][-1].is_terminal()


@pytest.mark.parametrize("name", masume.games())
def test_a_bot_may_play_every_seat_over_tcp(name, against):
    game = small(name)
    if game.num_players > 2:
        game = small("kakomimasu")
    (record,) = against("good", game=game)
    assert (record.faults, record.replay.names) == ([], ["good bot", "random"])


def test_all_messages_of_a_match(against, tmp_path):
    """[14.2], in a game of imperfect information."""
    control = TimeControl(main_ms=60_000, floor_ms=1000)
    records = against("good", tmp_path / "log", control=control, count=2)
    hello, setup, *messages = read_heard(tmp_path / "log")
    assert hello == {"t": "hello", "protocol": "masume-stdio", "version": 1, "games": ["chaser"], "referee": "masume"}
    config = small("chaser").config.to_dict() | {"seed": None}
    assert setup == {
        "t": "setup", "match": "m1", "game": "chaser", "config": config, "player": 0, "players": 2,
        "names": ["good bot", "random"], "sides": [0, 1], "simultaneous": False, "actions": 16,
        "clock": {"mode": "floor", "main_ms": 60_000, "floor_ms": 1000},
    }  # fmt: skip
    errors = [message for message in messages if message["t"] == "error"]  # after its `ready` of no known match
    assert [(error["code"], error["fatal"]) for error in errors] == [("bad_seq", False)] * 2
    assert messages[-1] == {"t": "bye"}
    for number, record in enumerate(records, 1):
        mine = [message for message in messages if message.get("match") == f"m{number}" and message["t"] != "setup"]
        *talk, result = mine
        assert [message["seq"] for message in talk] == [*range(1, len(talk) + 1)]
        assert [message["tick"] for message in talk if message["t"] == "act"] == [
            ply for ply, state in enumerate(record.replay.states()) if state.current_player == 0
        ]
        wanted = []
        for state in record.replay.states():
            wanted += state.events(0)
        assert [event for message in talk for event in message["events"]] == wanted
        act = talk[0]
        assert act["t"] == "act"
        assert (act["phase"], act["legal"], act["left_ms"][1]) == ("play", [*range(16)], 60_000)
        assert 0 < act["left_ms"][0] <= 60_000
        assert "state" not in act
        returns = record.replay.returns
        won = [returns.index(1)] if any(returns) else []
        assert result == {
            "t": "result", "match": f"m{number}", "returns": returns, "winners": won,
            "reason": record.replay.reason, "scores": record.replay.scores,
        }  # fmt: skip


def test_a_game_that_hides_nothing_tells_its_state(against, tmp_path):
    game = small("kakomimasu")
    (record,) = against("good", tmp_path / "log", game=game)
    states = [*record.replay.states()]
    messages = read_heard(tmp_path / "log")
    assert [message["state"] for message in messages if message["t"] == "act"] == [one.to_dict() for one in states[:-1]]
    (setup,) = [message for message in messages if message["t"] == "setup"]
    assert (setup["simultaneous"], setup["actions"]) == (True, game.num_actions)
    assert setup["config"] == game.config.to_dict()
    (act, *_) = [message for message in messages if message["t"] == "act"]
    assert act["legal"] == [states[0].legal_actions(slot).tolist() for slot in (0, 1)]
    assert act["left_ms"] == [None, None]
    assert messages[-2]["reveal"] == states[-1].to_dict()


def test_the_clock_as_bots_are_told_it():
    """[14.4]"""
    game = small("chaser")
    view = View(game.new_state(), 0)
    for control, told in (
        (TimeControl(), {"mode": "none"}),
        (TimeControl(move_ms=9), {"mode": "per_move", "move_ms": 9}),
        (TimeControl(main_ms=9, inc_ms=2), {"mode": "floor", "main_ms": 9, "floor_ms": 0, "inc_ms": 2}),
    ):
        assert jsonlines.setup(view, ["a", "b"], "m1", control)["clock"] == told


def test_exact_actions_have_no_number():
    view = View(small("terraforming").new_state(), 1)
    assert jsonlines.setup(view, ["a", "b", "c"], "m1", TimeControl())["actions"] is None


MAP = "N:island\nT:30\nD:0,3,2,0\nD:3,0,3,0\nD:0,0,0,3\nC:0,0\nH:3,0\n"


@pytest.mark.parametrize(
    ("name", "fields", "hidden"),
    [
        ("battleship", {"terrain_map": "...../..%../.#.../...../....^"}, {"terrain_map"}),
        ("battleship", {"preset": "submarine", "terrain_map": ".#../..../...#"}, set()),
        ("chaser", {"map": MAP}, {"map", "seed", "n_blocks", "n_items"}),
        ("chaser", {"seed": 8}, {"seed"}),
        ("kakomimasu", {"seed": 8}, set()),
        ("terraforming", {"seed": 8}, set()),
    ],
)
def test_a_hidden_start_is_told_nobody(name, fields, hidden):
    """9.1, CH-R32: neither programs nor agents receive it."""
    game = masume.load(name, **fields)
    config = game.config.to_dict()
    view = View(game.new_state(), 0)
    told = jsonlines.setup(view, [], "m1", TimeControl())["config"]
    assert told == {field: None if field in hidden else value for field, value in config.items()}
    shown = view.game.config.to_dict()
    assert {field for field in config if shown[field] != config[field]} <= hidden
    for field in hidden:
        assert shown[field] == type(game.config).__dataclass_fields__[field].default
    assert (view.game is game) == (not hidden)
    assert view.game.observation_spec == game.observation_spec
    assert view.game.num_actions == game.num_actions


def test_comments_are_logged(against):
    (record,) = against("comment")
    lines = record.logs[0].splitlines()
    assert re.fullmatch(r"m1 1: 1 か{340}", lines[0])  # its first 1 KiB
    assert all(line.startswith("m1 ") for line in lines)


# -- faulty bots --------------------------------------------------------------------------------------

BAD = {
    "garbage": "bad_json", "nan": "bad_json", "deep": "bad_json", "list": "bad_json", "long": "too_long",
    "type": "bad_type", "seq type": "bad_type", "seq bool": "bad_type", "illegal": "illegal_action",
    "text": "illegal_action", "null": "illegal_action", "object": "illegal_action", "bool": "illegal_action",
    "huge": "illegal_action",
}  # fmt: skip


@pytest.mark.parametrize("mode", BAD)
def test_a_bad_answer_counts_as_an_illegal_action(mode, against, tmp_path):
    """14.3: in a game without forfeits the next question follows as usual."""
    (record,) = against(mode, tmp_path / "log")
    assert faults(record) == [(0, "illegal")]
    assert record.faults[0].detail.startswith(BAD[mode])
    assert (record.replay.returns, record.replay.reason) == ([-1, 1], "FOUL")
    *_, result, bye = read_heard(tmp_path / "log")
    (error,) = [one for one in read_heard(tmp_path / "log") if one["t"] == "error" and "seq" in one]
    assert (error["code"], error["fatal"], error["match"], error["seq"]) == (BAD[mode], True, "m1", 1)
    assert (result["returns"], bye["t"]) == ([-1, 1], "bye")


@pytest.mark.parametrize("mode", ["garbage", "long", "illegal"])
def test_where_nobody_forfeits_a_bad_answer_costs_its_turn(mode, against):
    (record,) = against(mode, game=small("kakomimasu"))
    assert faults(record) == [(0, "illegal")] * 6
    assert all(actions[:2] == [0, 0] for actions in record.replay.moves)


def test_of_several_units_the_one_that_errs_stays(against, tmp_path):
    """The actions of the other units count. [section 6 of docs/rules/kakomimasu.md]"""
    (record,) = against("one unit", tmp_path / "log", game=small("kakomimasu"))
    assert faults(record) == [(0, "illegal")] * 6
    legal = [message["legal"] for message in read_heard(tmp_path / "log") if message["t"] == "act"]
    assert [actions[:2] for actions in record.replay.moves] == [[codes[0][-1], 0] for codes in legal]
    assert any(actions[0] for actions in record.replay.moves)


@pytest.mark.parametrize("mode", ["garbage", "long", "type", "illegal"])
def test_a_bad_answer_may_be_given_anew(mode, against, tmp_path):
    """14.3, retry:n."""
    (record,) = against(mode, tmp_path / "log", retries=1)
    assert record.faults == []
    errors = [one for one in read_heard(tmp_path / "log") if one["t"] == "error" and "seq" in one]
    acts = [one for one in read_heard(tmp_path / "log") if one["t"] == "act"]
    assert [(one["code"], one["fatal"], one["seq"]) for one in errors] == [
        (BAD[mode], False, one["seq"]) for one in acts
    ]


def test_stale_and_unasked_messages_are_ignored(against, tmp_path):
    """14.3, bad_seq and protocol."""
    (record,) = against("stray", tmp_path / "log")
    assert record.faults == []
    messages = read_heard(tmp_path / "log")
    acts = sum(one["t"] == "act" for one in messages)
    errors = [(one["code"], one["fatal"]) for one in messages if one["t"] == "error"][1:]
    assert errors == [("protocol", False), ("bad_seq", False), ("bad_seq", False)] * acts
    (record,) = against("twice")
    assert record.faults == []


def test_a_slow_bot_loses_on_time(against, tmp_path):
    (record,) = against("slow", tmp_path / "log", control=TimeControl(move_ms=1000))
    assert faults(record) == [(0, "timeout")]
    assert record.replay.returns == [-1, 1]


def test_a_bot_that_exits_has_lost_this_match_and_plays_the_next(against):
    """14.3, end of file: it is started again, or connects again."""
    first, second = against("exit", count=2)
    assert faults(first) == faults(second) == [(0, "closed")]
    assert len(first.replay.moves) == len(second.replay.moves) > 1
    assert first.replay.returns == second.replay.returns == [-1, 1]


@pytest.mark.parametrize("mode", ["no name", "no hello", "other ready"])
def test_a_bot_that_cannot_begin_has_lost(mode, against):
    (record,) = against(mode)
    assert faults(record) == [(0, "protocol")]
    assert len(record.replay.moves) == 1


def test_a_bot_that_ends_at_once_plays_nothing(against):
    """It is started three times for the first game, and once for each other."""
    records = against("early exit", count=2)
    assert [faults(record) for record in records] == [[(0, "not started")]] * 2
    assert [record.is_played for record in records] == [False, False]
    assert [record.replay.returns for record in records] == [[-1, 1]] * 2


def test_a_bot_that_does_not_connect_again_plays_nothing(monkeypatch):
    monkeypatch.setattr("masume.referee.seats.AGAIN_S", 0.1)
    wire = Wire("exit")

    def once(news):
        if not wire.processes:
            wire.append(news)

    class Once:
        append = staticmethod(once)

    try:
        first, *others = play(small("chaser"), ["tcp:0", "random"], count=3, said=Once)
    finally:
        wire.processes[0].wait()
    assert faults(first) == [(0, "closed")]
    assert [faults(record) for record in others] == [[(0, "not started")]] * 2
    assert others[0].faults[0].detail.endswith("after 0.1 s")


def test_a_late_bot_that_answers_later_is_not_started_again(tmp_path):
    """Its late answer is waited for by a ping; one that hangs is started again (tests/journeys)."""
    bot = tmp_path / "bot.py"
    bot.write_text(LATE, encoding="utf-8")
    records = play(
        small("chaser"), [f"json:{PYTHON} {shlex.quote(str(bot))}", "random"], control=TimeControl(move_ms=300), count=2
    )
    assert [faults(record) for record in records] == [[(0, "timeout")], []]
    assert [record.logs[0].split() for record in records] == [["late"], ["process", "of", "1", "game"]]


LATE = """
import json, sys, time
games = 0
def say(**told): print(json.dumps(told), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if m["t"] == "hello":
        say(t="hello", version=1, name="late", accept=m["games"])
    elif m["t"] == "setup":
        if games:
            print("process of", games, "game", file=sys.stderr, flush=True)
        say(t="ready", match=m["match"])
        games += 1
    elif m["t"] == "ping":
        say(t="pong", n=m["n"])
    elif m["t"] == "act":
        if games == 1:
            print("late", file=sys.stderr, flush=True)
            time.sleep(0.8)
        say(t="action", match=m["match"], seq=m["seq"], action=m["legal"][-1])
"""


def test_a_program_that_ends_between_games_is_told_in_the_next(tmp_path):
    """It lost neither game; what it said is shown."""
    bot = tmp_path / "bot.py"
    text = LATE.replace("time.sleep(0.8)", "pass").replace(
        'elif m["t"] == "act"', 'elif m["t"] == "result":\n        raise KeyError(games)\n    elif m["t"] == "act"'
    )
    bot.write_text(text, encoding="utf-8")

    async def run():
        game = small("chaser")
        seats = [make_seat(f"json:{PYTHON} {shlex.quote(str(bot))}", game), make_seat("random", game)]
        try:
            first = await match.play_match(game, seats, 3)
            while seats[0]._peer.link.inbox.ended is None:
                await asyncio.sleep(0.01)
            return [first, await match.play_match(game, seats, 3)]
        finally:
            await asyncio.gather(*(seat.close() for seat in seats))

    first, second = asyncio.run(run())
    assert faults(second) == []
    told = first.faults or second.remarks  # whichever game it was
    assert "the program ended with exit code 1" in told[0].detail
    assert "KeyError: 1" in told[0].log


@pytest.mark.parametrize(("mode", "name"), [("mute", "HELLO_S"), ("no ready", "READY_S")])
def test_a_bot_that_does_not_say_hello_or_ready_has_lost(mode, name, against, monkeypatch):
    monkeypatch.setattr(jsonlines, name, 1.0)
    (record,) = against(mode)
    assert faults(record) == [(0, "timeout")]


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("other version", "version: expected 1, got 2"),
        ("other game", "the game is chaser, which other game bot does not accept"),
    ],
)
def test_a_bot_of_another_version_or_game_plays_no_match(mode, message, against):
    """14.3: no player loses."""
    with pytest.raises(masume.errors.MatchError, match=message):
        against(mode)


def test_a_config_that_is_too_long_is_no_match(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonlines, "CAPACITY", 200)
    with pytest.raises(masume.errors.MatchError, match="the config takes more than"):
        play(small("chaser"), [f"json:{command('good', tmp_path / 'log')}", "random"])
    (error,) = [one for one in read_heard(tmp_path / "log") if one["t"] == "error"][:1]
    assert (error["code"], error["fatal"]) == ("config", True)


def test_a_match_that_ends_without_a_result_says_so(tmp_path):
    """14.3, internal."""
    game = small("chaser")

    async def run():
        seat = make_seat(f"json:{command('good', tmp_path / 'log')}", game)
        await seat.open(game, TimeControl())
        await seat.start(View(game.new_state(), 0), ["a", "b"], 0)
        await seat.close()

    asyncio.run(run())
    *_, error, bye = read_heard(tmp_path / "log")
    assert (error["code"], error["fatal"], error["match"], bye) == ("internal", True, "m1", {"t": "bye"})


@pytest.mark.parametrize("name", ["kakomimasu", "nezumi"])
def test_who_is_late_is_asked_again_where_the_rules_say_so(name, against, tmp_path):
    """KM-R21 and NZ-R28: only the late decision is lost, and its answer is ignored."""
    (record,) = against("late", tmp_path / "log", game=small(name), control=TimeControl(move_ms=1000))
    assert faults(record) == [(0, "timeout")]
    states = [*record.replay.states()]
    assert states[-1].is_terminal()
    messages = read_heard(tmp_path / "log")
    asked = [ply for ply, state in enumerate(states[:-1]) if name == "kakomimasu" or state.current_player == 0]
    assert [one["tick"] for one in messages if one["t"] == "act"] == asked
    assert record.faults[0].ply == asked[1]
    errors = [(one["code"], one["fatal"]) for one in messages if one["t"] == "error"][1:]
    assert errors == [("timeout", True), ("bad_seq", False)]


@pytest.mark.parametrize("mode", ["flood", "endless"])
def test_a_flood_ends(mode, against):
    (record,) = against(mode, control=TimeControl(move_ms=5000))
    assert record.faults[0].cause in ("flood", "timeout", "closed")
    assert record.replay.returns == [-1, 1]


def test_what_a_bot_has_forked_does_not_keep_the_match():
    (record,) = play(
        small("chaser"), [f"json:{command('fork')}", "random"], control=TimeControl(move_ms=1000)
    )  # its child holds the pipe
    assert faults(record) == [(0, "timeout")]


def test_battleship_is_lost_by_whatever_a_bot_does_wrong():
    """BS-R51, BS-R52, BS-R63: a fault before play is a forfeit in the first turn."""
    game = small("battleship")
    (record,) = play(game, [f"json:{command('illegal')}", "random"])
    assert faults(record) == [(0, "illegal")]
    assert record.replay.returns == [-1, 1]
    assert record.replay.moves[-1] == (0, "illegal")
    (record,) = play(game, ["random", f"json:{command('exit')}"])
    assert faults(record) == [(1, "closed")]
    assert record.replay.moves[-1] == (1, "timeout")
    assert record.replay.returns == [1, -1]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cmd:", "agents: 'cmd:': expected a command after cmd:"),
        ("json: ", "agents: 'json: ': expected a command after json:"),
        ("tcp:http", "agents: 'tcp:http': expected the number of a port"),
        ("tcp:65536", "agents: tcp: expected 0..65535, got 65536"),
    ],
)
def test_what_is_no_program_is_refused(spec, message):
    with pytest.raises(masume.ConfigError, match=message):
        make_seat(spec, small("chaser"))


def test_two_bots_cannot_wait_at_one_port():
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(masume.ConfigError, match=f"agents: tcp:{port}: 127.0.0.1:{port}: Address already in use"):
            play(small("chaser"), [f"tcp:{port}", "random"])


# -- from the command line ----------------------------------------------------------------------------


def test_match_keeps_the_log_of_a_bot_and_gives_it_its_retries(capsys):
    arguments = ["match", "chaser", "--map", "duel", "--agents", f"json:{command('illegal')}", "random", "--json"]
    assert cli.main(arguments) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert (game["names"], game["winners"]) == (["illegal bot", "random"], [1])
    assert [fault["cause"] for fault in game["faults"]] == ["illegal"]
    assert cli.main([*arguments, "--retries", "1"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["faults"] == []
    assert cli.main(["match", "chaser", "--agents", f"cmd:{command('exit')}", "random", "--json"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["logs"] == ["I have had enough\n", ""]


def test_match_gives_battleship_its_own_clock(capsys, tmp_path):
    arguments = ["match", "battleship", "--preset", "classic", "--agents", f"json:{command('good', tmp_path / 'log')}"]
    assert cli.main([*arguments, "random", "--games", "2"]) == 0
    assert cli.main([*arguments, "random", "--clock", "none"]) == 0
    clocks = [message["clock"] for message in read_heard(tmp_path / "log") if message["t"] == "setup"]
    own = {"mode": "floor", "main_ms": 1_200_000, "floor_ms": 60_000}
    assert clocks == [own, own, {"mode": "none"}]
    players = [message["player"] for message in read_heard(tmp_path / "log") if message["t"] == "setup"]
    assert players == [0, 1, 0]
    phases = [message["phase"] for message in read_heard(tmp_path / "log") if message["t"] == "act"]
    assert phases[:4] == ["setup", "setup", "setup", "play"]


def test_arena_rates_bots(capsys):
    bot = f"json:{command('good')}"
    assert cli.main(["arena", "chaser", "--map", "duel", "--agents", bot, "random", "--games", "2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {row["name"]: (row["games"], row["faults"]) for row in result["standings"]} == {
        bot: (2, 0),
        "random": (2, 0),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["arena", "chaser", "--agents", "tcp:5000", "random"], "agents: tcp:5000: an arena plays several games"),
        (["play", "chaser", "--agents", "cmd:true"], "agents: 'cmd:true': programs play in matches"),
        (["match", "chaser", "--agents", "cmd:true", "--retries", "-1"], "retries: expected 0..1000, got -1"),
    ],
)
def test_where_programs_do_not_play(arguments, message, capsys):
    assert cli.main(arguments) == 1
    assert message in capsys.readouterr().err


# -- the conformance test -----------------------------------------------------------------------------


def test_check_passes_the_example_bots(bot, capsys):
    assert cli.main(["match", "battleship", "--preset", "classic", "--check", f"cmd:{bot}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:10] for line in lines[::2]] == ["passed    "] * 9
    assert lines[1].strip().startswith("'random bot")
    assert lines[-1].strip().startswith("the program has closed its output after ")


@pytest.mark.parametrize(
    ("mode", "failed", "answer"),
    [
        ("early exit", "hello", "closed: the program ended with exit code 3"),
        ("other game", "hello", "unknown_game: the game is chaser"),
        ("no hello", "hello", "protocol: expected hello, got ready"),
        ("illegal", "act", "illegal_action: action 1000000 is not allowed now"),
        ("garbage", "act", "bad_json: "),
        ("long", "act", "too_long: "),
        ("twice", "error", "protocol: expected pong 2, got action"),
        ("exit", "retry", "closed: the program ended with exit code 5"),
    ],
)
def test_check_says_what_is_wrong(mode, failed, answer, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(["match", "chaser", "--map", "duel", "--check", f"json:{command(mode)}", "--json"])
    assert caught.value.code == 1
    points = json.loads(capsys.readouterr().out)["points"]
    names = [point["name"] for point in points]
    assert names == ["hello", "ping", "setup", "act", "error", "retry", "game", "seats", "bye"]
    number = names.index(failed)
    assert [point["is_passed"] for point in points] == [True] * number + [False] * (len(points) - number)
    assert points[number]["answer"].startswith(answer)
    assert all(point["answer"] is None for point in points[number + 1 :])


def test_check_wants_a_bot_that_speaks_json_lines(capsys):
    assert cli.main(["match", "chaser", "--check", "greedy"]) == 1
    assert "check: expected a bot" in capsys.readouterr().err


# -- the page -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["json-lines.md", "json-lines.ja.md"])
def test_the_match_of_the_page_is_one(page, tmp_path):
    """A program that sends the page's B lines, one after each question, receives the page's R lines."""
    text = (HERE.parent / "docs" / "tutorials" / page).read_text(encoding="utf-8")
    talk = re.findall(r"^([RB]) (\{.*)$", text, re.MULTILINE)
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import json, sys\n"
        f"answers = iter({[line for side, line in talk if side == 'B']!r})\n"
        "for line in sys.stdin:\n"
        "    print(line, end='', file=sys.stderr, flush=True)\n"
        "    if json.loads(line)['t'] in ('hello', 'setup', 'act'):\n"
        "        print(next(answers), flush=True)\n"
    )
    game = masume.load("chaser", map=chaser.maps.load_shipped()["duel"])

    async def run():
        seat = make_seat(f"json:{PYTHON} {shlex.quote(str(bot))}", game)
        other = make_seat("random", game)
        await match.play_match(game, [seat, other], 1)
        await seat.close()
        await other.close()
        return seat.log

    assert asyncio.run(run()).splitlines() == [line for side, line in talk if side == "R"]


@pytest.mark.parametrize("page", ["json-lines.md", "json-lines.ja.md"])
def test_the_page_names_every_message_and_error(page):
    text = (HERE.parent / "docs" / "tutorials" / page).read_text(encoding="utf-8")
    for name in (*jsonlines.TYPES, "setup", "observe", "act", "error", "result", "ping", "bye"):
        assert f"| `{name}` |" in text
    codes = {value for name, value in vars(jsonlines).items() if name in CODES}
    assert len(codes) == 11
    for code in codes:
        assert f"`{code}`" in text
    for command_line in re.findall(r"^masume [a-z].*$", text, re.MULTILINE):
        cli.parser().parse_args(shlex.split(command_line)[1:])


CODES = (
    "BAD_JSON", "TOO_LONG", "BAD_TYPE", "BAD_SEQ", "ILLEGAL_ACTION", "LATE", "BAD_VERSION", "UNKNOWN_GAME", "CONFIG",
    "MISPLACED", "INTERNAL",
)  # fmt: skip

"""Replays are written as JSON lines and read by playing every move again; errors name the place."""

import errno
import json
import os

import pytest

import masume
from masume.agents.make import make_agent
from masume.chaser.maps import load_shipped
from masume.play.driver import play_game
from masume.play.selfplay import selfplay
from masume.records import replay
from masume.records.replay import Forfeit, Replay
from toy import Counting

COUNTING = masume.load(Counting(length=4))
TOGETHER = masume.load(Counting(length=3, units=2, name=b"together"))
EXACT = masume.load(Counting(length=4, exact=True, name=b"exact"))
KAKOMIMASU = masume.load("kakomimasu", width=5, height=4, n_agents=2, total_turns=6, seed=3)
PLUGINS = [COUNTING, TOGETHER, EXACT]
GAMES = [*PLUGINS, KAKOMIMASU]


def play(game, seed=5, policy="random"):
    agents = [make_agent(policy, game) for _ in range(game.num_players)]
    return play_game(game, agents, seed).to_replay(seed, [f"名{player}" for player in range(game.num_players)])


def facts(one):
    return (one.game.name, one.seed, one.names, one.moves, one.ms, one.returns, one.scores, one.reason, one.start)


def same_game(one, other):
    """Return whether both are the same game: plug-ins by identity, others by config, whose board may be written out."""
    if one.config is None:
        return one is other
    return one.name == other.name and one.config.to_dict() == other.config.to_dict()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_saved_replay_loads_equal(game, tmp_path):
    written = [play(game, seed) for seed in (1, 2)]
    path = tmp_path / "games.jsonl"
    replay.save(path, written)
    read = replay.load(path, PLUGINS)
    assert [facts(one) for one in read] == [facts(one) for one in written]
    assert all(same_game(one.game, game) for one in read)
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_states_are_the_positions_of_the_game(game):
    one = play(game)
    states = list(one.states())
    assert len(states) == len(one.moves) + 1
    assert states[0].to_bytes() == game.new_state(5).to_bytes()
    assert len({state.key for state in states}) == len(states)
    assert not states[-2].is_terminal()
    assert states[-1].is_terminal()
    assert states[-1].scores().tolist() == one.scores
    assert states[-1].returns().tolist() == one.returns


def test_lines_say_who_moved_and_how_long_it_took():
    lines = [json.loads(line) for line in play(COUNTING).to_lines()]
    assert [line["t"] for line in lines] == ["replay", "move", "move", "move", "move", "result"]
    assert lines[0] == {
        "t": "replay", "version": 1, "game": "counting", "config": None, "seed": 5, "names": ["名0", "名1"],
    }  # fmt: skip
    assert [line["player"] for line in lines[1:-1]] == [0, 1, 0, 1]
    assert all(line["ms"] >= 0 for line in lines[1:-1])
    together = [json.loads(line) for line in play(TOGETHER).to_lines()]
    assert {line["player"] for line in together[1:-1]} == {-1}
    assert {len(line["action"]) for line in together[1:-1]} == {4}
    assert {len(line["ms"]) for line in together[1:-1]} == {2}


def test_a_game_may_start_anywhere_and_end_by_forfeit(tmp_path):
    state = COUNTING.new_state(9)
    state.apply(1)
    start = state.to_dict()
    state.apply(2)
    state.forfeit(1, 7)
    moves = [2, Forfeit(1, 7)]
    returns, scores = state.returns().tolist(), state.scores().tolist()
    one = Replay(COUNTING, 9, ["a", "b"], moves, returns, scores, reason="timeout", start=start)
    replay.save(tmp_path / "r", [one])
    (read,) = replay.load(tmp_path / "r", PLUGINS)
    assert facts(read) == facts(one)
    assert returns == [1.0, -1.0]


def test_a_verdict_stands_where_the_game_knows_no_forfeits(tmp_path):
    game = masume.load("nezumi")
    state = game.new_state(3)
    moves = [int(state.legal_actions()[0]), Forfeit(0, "FORFEIT")]
    state.apply(moves[0])
    one = Replay(game, 3, ["a", "b"], moves, [-1.0, 1.0], state.scores().tolist(), reason="FORFEIT")
    replay.save(tmp_path / "r", [one])
    (read,) = replay.load(tmp_path / "r")
    assert facts(read) == facts(one)
    first, after, last = read.states()
    assert first.key != after.key == last.key == state.key


def test_an_unfinished_game_is_a_replay_too(tmp_path):
    one = play(KAKOMIMASU)
    first = list(one.states())[1]
    short = Replay(KAKOMIMASU, 5, one.names, one.moves[:1], [0.0, 0.0], first.scores().tolist())
    replay.save(tmp_path / "r", [short])
    assert facts(replay.load(tmp_path / "r")[0]) == facts(short)


def test_a_replay_that_lies_is_not_written(tmp_path):
    one = play(COUNTING)
    one.scores = [0, 0]
    with pytest.raises(masume.ReplayError, match=r"scores: the file says \[0, 0\], replaying gives"):
        replay.save(tmp_path / "r", [play(COUNTING), one])
    one = play(COUNTING)
    one.moves[1] = 9
    with pytest.raises(masume.ReplayError, match="move 2: action 9 of player 1 is not allowed"):
        one.to_lines()
    assert [path.name for path in tmp_path.iterdir()] == []


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "r"
    replay.save(path, [play(COUNTING)])
    before = path.read_bytes()

    def fail(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left on device") as caught:
        replay.save(path, [play(COUNTING, 6)])
    assert caught.value.filename == str(path)
    assert path.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_unknown_keys_are_ignored(tmp_path):
    lines = [json.dumps(json.loads(line) | {"comment": "x"}) for line in play(COUNTING).to_lines()]
    (tmp_path / "r").write_text("\n".join(lines))
    assert facts(replay.load(tmp_path / "r", [COUNTING])[0]) == facts(play_without_ms(lines))


def play_without_ms(lines):
    """Return the replay of these lines; the result may differ from playing it again only in the times."""
    one = play(COUNTING)
    one.ms = [json.loads(line)["ms"] for line in lines[1:-1]]
    return one


def change(line, **fields):
    """Return a mutator that overwrites fields of a line (None: deletes them)."""

    def mutate(lines):
        found = json.loads(lines[line]) | fields
        lines[line] = json.dumps({key: value for key, value in found.items() if value is not ...})
        return lines

    return mutate


BROKEN = {
    "empty": (lambda lines: [], 0, "empty"),
    "no header": (lambda lines: lines[1:], 1, "t: expected replay, got 'move'"),
    "no result": (
        lambda lines: lines[:-1],
        7,
        "expected a line of type move or forfeit or result, got the end of the file",
    ),
    "half a line": (lambda lines: [*lines[:-1], lines[-1][:20]], 8, "not JSON"),
    "header alone": (lambda lines: lines[:1], 1, "got the end of the file"),
    "a second header": (lambda lines: [lines[0], lines[0], *lines[1:]], 2, "t: expected move or forfeit or result"),
    "blank line": (lambda lines: [lines[0], "", *lines[1:]], 2, "not JSON"),
    "a list": (lambda lines: ["[]", *lines[1:]], 1, "expected a JSON object, got list"),
    "deep": (lambda lines: ["[" * 100_000, *lines[1:]], 1, "not JSON"),
    "NaN": (lambda lines: [*lines[:-1], lines[-1].replace("[", "[NaN,", 1)], 8, "not JSON: expected a number, got NaN"),
    "trailing": (lambda lines: [*lines, "{}"], 9, "t: expected replay, got None"),
    "version": (change(0, version=2), 1, "version: expected 1, got 2"),
    "no version": (change(0, version=...), 1, "version: missing"),
    "version is true": (change(0, version=True), 1, "version: expected an int, got True"),
    "game": (change(0, game="chess"), 1, "game: unknown game 'chess'"),
    "plug-in": (change(0, game="counting", config=None), 1, "game: 'counting' is a plug-in that was not given"),
    "config": (change(0, config={"width": 99}), 1, "width: expected 1..30, got 99"),
    "config field": (change(0, config={"depth": 9}), 1, "depth: no such field"),
    "config game": (change(0, config={"game": "x"}), 1, "game: no such field"),
    "config list": (change(0, config=[]), 1, r"config: expected dict \| None"),
    "names": (change(0, names=["a"]), 1, "names: expected 2 values, got 1"),
    "names type": (change(0, names=["a", 5]), 1, r"names\[1\]: expected a string, got 5"),
    "no names": (change(0, names=...), 1, "names: missing"),
    "seed": (change(0, seed=-1), 1, "seed: expected"),
    "seed text": (change(0, seed="1"), 1, "seed: expected an int, got '1'"),
    "start": (change(0, start={"played": 1}), 1, "version: missing"),
    "start type": (change(0, start=5), 1, "start: expected a dict"),
    "player": (change(2, player=1), 3, "player: 1, but -1 is to move"),
    "action length": (change(2, action=[0, 0]), 3, "action: expected 4 values, got 2"),
    "action type": (change(2, action=0), 3, "action: expected a list, got 0"),
    "action item": (change(2, action=[0, 0, 0, 1.5]), 3, r"action\[3\]: expected an int, got 1.5"),
    "action bool": (change(2, action=[0, True, 0, 0]), 3, r"action\[1\]: expected an int, got True"),
    "illegal": (change(2, action=[0, 0, 999, 0]), 3, "999"),
    "huge": (change(2, action=[0, 0, 10**30, 0]), 3, "is not allowed here"),
    "ms": (change(2, ms=[1]), 3, "ms: expected 2 values, got 1"),
    "ms type": (change(2, ms=["1", 2]), 3, r"ms\[0\]: expected int \| float \| None, got '1'"),
    "too long": (lambda lines: [*lines[:7], lines[6], lines[7]], 8, "player: -1, but -2 is to move"),
    "too short": (lambda lines: [*lines[:6], lines[7]], 7, "the file says"),
    "forfeit": (lambda lines: [lines[0], '{"t":"forfeit","player":1,"cause":1}', lines[-1]], 3, r"gives \[1.0, -1.0\]"),
    "forfeit player": (
        lambda lines: [lines[0], '{"t":"forfeit","player":2,"cause":1}', lines[-1]],
        2,
        "expected 0..1, got 2",
    ),
    "forfeit twice": (
        lambda lines: [lines[0], *2 * ['{"t":"forfeit","player":0,"cause":1}'], lines[-1]],
        3,
        "was over",
    ),
    "forfeit at the end": (
        lambda lines: [*lines[:-1], '{"t":"forfeit","player":0,"cause":1}', lines[-1]],
        8,
        "nobody forfeits",
    ),
    "forfeit cause": (lambda lines: [lines[0], '{"t":"forfeit","player":0}', lines[-1]], 2, "cause: missing"),
    "returns": (change(-1, returns=[0.25, -0.25]), 8, r"returns: the file says \[0.25, -0.25\], replaying gives"),
    "returns huge": (change(-1, returns=[10**400, 0]), 8, r"returns: the file says \[1000"),
    "returns length": (change(-1, returns=[0.0]), 8, "returns: expected 2 values, got 1"),
    "scores": (change(-1, scores=[10**6, 0]), 8, r"scores: the file says \[1000000, 0\], replaying gives"),
    "scores type": (change(-1, scores=[0.5, 1]), 8, r"scores\[0\]: expected an int, got 0.5"),
    "winners": (change(-1, winners=[0, 1]), 8, r"winners: the file says \[0, 1\], replaying gives"),
    "no winners": (change(-1, winners=...), 8, "winners: missing"),
    "reason": (change(-1, reason=3), 8, "reason: expected a string"),
}


@pytest.mark.parametrize(("mutate", "line", "message"), BROKEN.values(), ids=BROKEN)
def test_a_broken_replay_is_refused_where_it_breaks(mutate, line, message, tmp_path):
    lines = mutate(play(KAKOMIMASU).to_lines())
    path = tmp_path / "broken.jsonl"
    path.write_text("".join(text + "\n" for text in lines))
    with pytest.raises(masume.ReplayError, match=message) as caught:
        replay.load(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert "\n" not in str(caught.value)


def test_every_truncation_is_noticed(tmp_path):
    text = "".join(line + "\n" for line in play(KAKOMIMASU).to_lines())
    path = tmp_path / "cut"
    for length in range(0, len(text) - 2, 7):
        path.write_text(text[:length])
        with pytest.raises(masume.ReplayError, match="cut:"):
            replay.load(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "r").write_bytes(b"\xff\xfe{}")
    with pytest.raises(masume.ReplayError, match="not UTF-8"):
        replay.load(tmp_path / "r")
    with pytest.raises(FileNotFoundError):
        replay.load(tmp_path / "none")


def test_times_that_are_not_one_a_move_are_not_saved(tmp_path):
    game = masume.load("nezumi", stage="garden")
    state = game.new_state(1)
    action = int(state.legal_actions()[0])
    state.apply(action)
    one = replay.Replay(game, 1, ["a", "b"], [action], state.returns().tolist(), state.scores().tolist(), ms=[1, 2])
    with pytest.raises(masume.ReplayError, match="ms: expected 1, got 2"):
        replay.save(tmp_path / "x.jsonl", [one])
    assert not list(tmp_path.iterdir())


def test_a_folder_is_all_its_replays(tmp_path):
    game = masume.load("chaser", map=load_shipped()["duel"])
    selfplay([game], ["random"], num_games=5, seed=3, out=tmp_path / "run")
    played = replay.load(tmp_path / "run" / "replays" / "0000.jsonl")
    assert len(played) == 5
    assert replay.load(tmp_path / "run") == replay.load(tmp_path / "run" / "replays") == played
    (tmp_path / "run" / "replays" / ".0001.jsonl.tmp").write_text("half of it")
    replay.save(tmp_path / "run" / "replays" / "0001.jsonl", played[:2])
    assert replay.load(tmp_path / "run") == [*played, *played[:2]]
    (tmp_path / "run" / "replays" / "0002.jsonl").write_text("nothing of the kind")
    with pytest.raises(masume.ReplayError, match=r"0002\.jsonl:1: not JSON"):
        replay.load(tmp_path / "run")
    (tmp_path / "empty").mkdir()
    with pytest.raises(masume.ReplayError, match="empty: no replays are in this folder"):
        replay.load(tmp_path / "empty")

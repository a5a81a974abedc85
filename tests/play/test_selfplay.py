"""Self-play gives the same games with any threads, machines, interruptions and kinds of agents."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import masume
import players
import sealed
from masume import cli
from masume.agent import PolicyAgent, View
from masume.agents.make import make_agent
from masume.core import _playout
from masume.core.rng import Rng, stream
from masume.play import report as pages
from masume.play import run as plan
from masume.play.driver import play_game
from masume.play.run import CHUNK_ACTIONS, CHUNK_PYTHON, CHUNK_TOGETHER, Run
from masume.play.selfplay import selfplay
from masume.records import replay
from masume.records.arrays import FORMATS, seeds_of
from masume.records.store import Store
from toy import Counting

SMALL = {"width": 5, "height": 4, "n_agents": 2, "total_turns": 6}
KAKOMIMASU = masume.load("kakomimasu", **SMALL, seed=3)
THREE = masume.load("kakomimasu", **SMALL, n_players=3, seed=4)
COUNTING = masume.load(Counting(length=5))
EXACT = masume.load(Counting(length=5, exact=True, name=b"exact"))
TOGETHER = masume.load(Counting(length=4, units=2, name=b"together"))
EVERY = [KAKOMIMASU, THREE, COUNTING, EXACT, TOGETHER]
RECORDED = ("game", "config", "seed", "agents", "length", "returns", "scores", "ply", "player", "actions")


def name_of(game):
    return f"{game.name}-{game.num_players}-{game.num_slots}-{game.policies[-1]}"


def files(folder):
    """Return {path: bytes} of all files of a run that do not depend on time."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("[rgp]*/*")}


def timeless(folder):
    """Return the manifest without its times."""
    header, *shards = lines(folder)
    for shard in shards:
        del shard["finished_s"]
        for tally in shard["tallies"].values():
            del tally["busy_s"]
    return header, sorted(shards, key=lambda shard: shard["chunk"])


def lines(folder):
    """Return the lines of a manifest without their checksums."""
    return sealed.read_lines(folder / "manifest.jsonl")


# -- one game ---------------------------------------------------------------------------------


def test_seeds_are_streams_of_the_run():
    ks = np.array([0, 1, 2, 1000, 2**40])
    for seed in (0, 1, 2**64 - 1):
        assert seeds_of(seed, ks).tolist() == [stream(seed, k) >> 1 for k in ks.tolist()]


@pytest.mark.parametrize("game", EVERY, ids=name_of)
@pytest.mark.parametrize("make", [lambda: PolicyAgent("random"), players.Random], ids=["policy", "python"])
def test_a_python_loop_plays_the_games_of_the_native_one(game, make):
    seeds = seeds_of(7, np.arange(5))
    recorded = _playout.record(game, seeds, np.zeros(game.num_players, np.int32))
    played = [play_game(game, [make() for _ in range(game.num_players)], seed) for seed in seeds.tolist()]
    assert recorded["length"].tolist() == [len(one.players) for one in played]
    assert recorded["player"].tolist() == [player for one in played for player in one.players]
    assert recorded["actions"].tolist() == [row for one in played for row in one.actions]
    assert recorded["returns"].tolist() == [one.state.returns().tolist() for one in played]
    assert recorded["scores"].tolist() == [one.state.scores().tolist() for one in played]


def test_every_position_is_watched_and_every_act_timed():
    seen = []
    played = play_game(TOGETHER, [players.Random(), players.Random()], 3, lambda state: seen.append(state.key))
    assert len(seen) == len(played.players) + 1 == 5
    assert all(len(used) == 2 and min(used) >= 0 for used in played.ms)
    played = play_game(COUNTING, [players.Sleepy(), players.Random()], 3)
    assert played.players == [0, 1, 0, 1, 0]
    assert min(played.ms[0::2]) >= 4 > min(played.ms[1::2])


@pytest.mark.parametrize(
    ("agent", "what"),
    [
        (players.Raises(), "raises: player 1, game of seed 9, ply 0: KeyError: 'lost\\\\nits way'"),
        (players.RaisesAtStart(), "raises at start: player 1, game of seed 9, ply 0: RuntimeError: no message"),
        (players.Illegal(), "illegal: player 1, game of seed 9, ply 1: .*is not allowed here$"),
        (players.Short(), "short: player 1, game of seed 9, ply 0: expected 2 actions.* got .[-0-9]"),
        (players.Text(), "text: player 1, game of seed 9, ply 0: expected 2 actions.* got .STAY"),
        (players.Stops(), "stops: player 1, game of seed 9, ply 0: StopIteration: no message"),
        (players.Exits(), "exits: player 1, game of seed 9, ply 0: SystemExit: 3"),
        (players.Thoughtless(), "thoughtless: player 1, game of seed 9, ply 0: ZeroDivisionError: no thought"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_bad_agent_is_named(agent, what):
    with pytest.raises(masume.AgentError, match=what) as caught:
        play_game(KAKOMIMASU, [players.Random(), agent], 9)
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("Stops", r"^stops: player 1, game of seed \d+, ply 0: StopIteration: no message"),
        ("StopsTogether", r"^stops together: player 1, game of seed \d+, ply 0: StopIteration: no message"),
        ("Answers", r"^answers: player 1, game of seed \d+, ply 0: TypeError: cannot unpack"),
        ("Exits", r"^exits: player 1, game of seed \d+, ply 0: SystemExit: 3"),
        ("RaisesAtClose", r"^raises at close: close: KeyError: 'lost\\nits way'"),
        ("RaisesWhenMade", r"^agents: py:players:RaisesWhenMade: ZeroDivisionError: no message"),
    ],
)
def test_whatever_an_agent_raises_in_a_run_is_an_error_of_its_own(agent, message, tmp_path):
    with pytest.raises(masume.AgentError, match=message):
        selfplay([KAKOMIMASU], ["random", f"py:players:{agent}"], num_games=2, out=tmp_path / "run")


def test_an_agent_that_raises_when_it_is_closed_ends_a_game_with_its_name(capsys):
    fields = [part for name, value in SMALL.items() for part in ("--set", f"{name}={value}")]
    code = cli.main(["play", "kakomimasu", *fields, "--agents", "random", "py:players:RaisesAtClose", "--json"])
    first, *traceback = capsys.readouterr().err.splitlines()
    assert (code, first) == (1, "masume: raises at close: close: KeyError: 'lost\\nits way'")
    assert any("players.py" in line for line in traceback)


def test_a_bad_answer_in_a_game_of_one_slot_is_named_too():
    text = "ply 0: action: expected an int, got 'STAY'"
    for agent, what in ((players.Illegal(), "ply 2: action 3 is not allowed here"), (players.Text(), text)):
        with pytest.raises(masume.AgentError, match=what):
            play_game(COUNTING, [agent, players.Random()], 9)


# -- a run ------------------------------------------------------------------------------------


def test_records_replay_to_what_they_say(tmp_path):
    games = [KAKOMIMASU, masume.load("kakomimasu", **SMALL | {"n_agents": 3}, seed=9), THREE]
    agents = ["random", "py:players:Random"]
    summary = selfplay(games, agents, num_games=20, seed=11, out=tmp_path)
    records = masume.load_records(tmp_path)
    assert records["game"].tolist() == list(range(20))
    assert records["config"].tolist() == [k % 3 for k in range(20)]
    assert records["seed"].tolist() == [stream(11, k) >> 1 for k in range(20)]
    assert records["names"].tolist() == agents
    starts = [json.loads(text) for text in records["configs"].tolist()]
    ends = np.cumsum(records["length"])
    won = np.zeros(3, int)
    for k in range(20):
        start = starts[records["config"][k]]
        game = masume.load(start["game"], **start["config"])
        seats = [(player + k // 3) % 2 for player in range(game.num_players)]
        assert records["agents"][k].tolist() == seats + [-1] * (3 - game.num_players)
        state = game.new_state(int(records["seed"][k]))
        for row in range(ends[k] - records["length"][k], ends[k]):
            assert records["ply"][row] == row - (ends[k] - records["length"][k])
            assert records["player"][row] == -1
            state.apply(records["actions"][row, : game.num_slots].astype(np.int32))
            assert (records["actions"][row, game.num_slots :] == -1).all()
        assert state.is_terminal()
        assert records["returns"][k, : game.num_players].tolist() == state.returns().tolist()
        assert records["scores"][k, : game.num_players].tolist() == state.scores().tolist()
        assert np.isnan(records["returns"][k, game.num_players :]).all()
        won[: game.num_players] += state.returns() == 1
    (row,) = summary.rows()
    assert (row["games"], row["plies"], row["mean_length"]) == (20, 120, 6.0)
    assert row["moves"] == int((records["actions"] >= 0).sum()) == 6 * (7 * 4 + 7 * 6 + 6 * 6)
    assert row["won"] == won.tolist()
    assert row["drawn"] == 20 - won.sum()
    assert sum(seats for seats, _ in row["agents"].values()) == 7 * 2 + 7 * 2 + 6 * 3
    assert sum(wins for _, wins in row["agents"].values()) == won.sum()
    assert row["moves_per_s"] == pytest.approx(row["moves"] / summary.seconds)


def test_native_and_python_agents_write_the_same_games(tmp_path):
    games = [KAKOMIMASU, COUNTING, EXACT]
    for name, agents in (("policy", ["random"]), ("python", ["py:players:Random"])):
        selfplay(games, agents, num_games=20, seed=5, out=tmp_path / name)
    policy, python = masume.load_records(tmp_path / "policy"), masume.load_records(tmp_path / "python")
    for field in RECORDED:
        np.testing.assert_array_equal(policy[field], python[field], err_msg=field)


def test_threads_change_nothing(tmp_path):
    for threads in (1, 3):
        selfplay(
            [KAKOMIMASU, THREE], ["random", "py:players:Random"], num_games=45, seed=2, threads=threads,
            out=tmp_path / str(threads),
        )  # fmt: skip
    assert files(tmp_path / "1") == files(tmp_path / "3")
    assert timeless(tmp_path / "1") == timeless(tmp_path / "3")
    assert len(files(tmp_path / "1")) == 2 * -(-45 // CHUNK_PYTHON)


def test_native_chunks_on_threads_change_nothing():
    num_games = 2 * CHUNK_ACTIONS // (6 * 5) + 5  # 4 or 6 unit actions in each of 6 plies: more than two chunks
    one, two = (
        selfplay([KAKOMIMASU, THREE], ["random"], num_games=num_games, seed=2, threads=threads).rows()
        for threads in (1, 2)
    )
    for row in (*one, *two):
        del row["moves_per_s"]
    assert one == two
    assert one[0]["games"] == num_games


def test_seats_rotate_once_the_starts_are_through(tmp_path):
    selfplay([COUNTING, TOGETHER], ["random", "highest"], num_games=8, out=tmp_path)
    assert masume.load_records(tmp_path)["agents"].tolist() == [[0, 1], [0, 1], [1, 0], [1, 0]] * 2


def test_equal_agents_do_not_play_alike():
    """The agents of a game start from different streams, even if their names are equal."""
    played = play_game(COUNTING, [PolicyAgent("random"), PolicyAgent("random")], 1)
    assert stream(1, 0) != stream(1, 1)
    first, second = PolicyAgent("random"), PolicyAgent("random")
    first.start(COUNTING, 0, stream(1, 0))
    second.start(COUNTING, 1, stream(1, 1))
    assert first._rng.state != second._rng.state
    assert len(played.players) == 5


def test_mixed_games_are_told_apart(tmp_path):
    summary = selfplay([KAKOMIMASU, COUNTING, TOGETHER], ["random"], num_games=9, out=tmp_path)
    assert list(summary.games) == ["kakomimasu", "counting", "together"]
    assert [tally.games for tally in summary.games.values()] == [3, 3, 3]
    records = masume.load_records(tmp_path)
    assert records["player"].tolist()[:6] == [-1] * 6
    assert records["player"].tolist()[6:11] == [0, 1, 0, 1, 0]
    assert [tally.moves for tally in summary.games.values()] == [3 * 6 * 4, 3 * 5, 3 * 4 * 4]
    found = replay.load(tmp_path / "replays" / "0000.jsonl", [COUNTING, TOGETHER])[:2]
    assert [one.game.name for one in found] == ["kakomimasu", "counting"]


def test_a_limited_number_of_replays_is_written(tmp_path):
    selfplay([KAKOMIMASU], ["py:players:Random"], num_games=20, replays=10, out=tmp_path / "ten")
    assert [len(replay.load(path)) for path in sorted((tmp_path / "ten" / "replays").iterdir())] == [8, 2]
    selfplay([KAKOMIMASU], ["random"], num_games=3, replays=0, out=tmp_path / "none")
    assert not (tmp_path / "none" / "replays").exists()
    assert "<html" in (tmp_path / "none" / "report.html").read_text()


def test_the_report_shows_the_first_games(tmp_path):
    selfplay([KAKOMIMASU], ["random", "py:players:Random"], num_games=12, seed=1, out=tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "py:players:Random" in page
    for k in range(8):  # the games of the first chunk
        assert str(stream(1, k) >> 1) in page


def test_the_report_shows_every_game_and_no_more_than_it_has_room_for(tmp_path, monkeypatch):
    assert pages.REPORT_MOVES == 2**14
    monkeypatch.setattr(pages, "REPORT_MOVES", 2**9)  # as many games, on a small board
    starts = [masume.load("battleship"), KAKOMIMASU, masume.load("terraforming", radius=2, max_turns=10)]
    selfplay(starts, ["random"], num_games=12, out=tmp_path)
    (packed,) = re.findall(
        r'<script type="application/json"[^>]*>(.*?)</script>', (tmp_path / "report.html").read_text()
    )
    found = json.loads(packed)
    shown = [game["title"].split()[0].strip(",") for game in found["games"]]
    assert (shown[0], found["good"]) == ("Kakomimasu", 3)  # it opens on a good game of those that hide nothing
    assert sorted(shown[:3]) == ["Battleship", "Kakomimasu", "Terraforming"]
    assert shown[3:] == ["Battleship", "Kakomimasu", "Terraforming"] + ["Battleship", "Kakomimasu"] * 2
    contents = [("long", 20_000), ("short", 10), ("long", 10), ("short", 10), *[("short", 9_000)] * 3]
    monkeypatch.undo()
    assert pages.choose_replays(contents) == [0, 1]
    assert pages.choose_replays(contents[1:]) == [0, 1, 2, 3]


def test_of_long_games_fewer_are_kept_as_replays_unless_told(tmp_path, monkeypatch):
    assert plan.REPLAY_PLIES == 2**16
    monkeypatch.setattr(plan, "REPLAY_PLIES", limit := 2**11)  # as many games, on a small board
    long = masume.load("terraforming", radius=2, max_turns=20)
    selfplay([long], ["random"], num_games=12, out=tmp_path / "few")
    few = replay.load(tmp_path / "few")
    plies = [len(one.moves) for one in few]
    assert sum(plies) <= limit < sum(plies) * 2
    selfplay([long], ["random"], num_games=12, replays=9, out=tmp_path / "nine")
    assert len(replay.load(tmp_path / "nine")) == 9


def test_seconds_end_a_run_behind_a_chunk_and_count_all_its_parts(tmp_path):
    def run():
        return selfplay([KAKOMIMASU], ["py:players:Sleepy"], seconds=0.5, out=tmp_path)

    summary = run()
    assert summary.seconds > 0
    assert summary.games["kakomimasu"].games % CHUNK_PYTHON == 0
    before = timeless(tmp_path)
    again = run()
    assert timeless(tmp_path) == before
    assert again.seconds == summary.seconds
    assert again.games == summary.games


def test_however_short_a_run_it_plays_a_chunk():
    assert selfplay([COUNTING], ["py:players:Random"], seconds=1e-9).games["counting"].games == CHUNK_PYTHON
    assert selfplay([COUNTING], ["random"], num_games=1).rows()[0]["moves_per_s"] > 0


def test_the_sooner_of_two_bounds_ends_a_run():
    assert selfplay([COUNTING], ["random"], num_games=10, seconds=60).games["counting"].games == 10


def test_progress_is_told_games_and_seconds():
    told = []
    selfplay([COUNTING], ["py:players:Random"], num_games=20, progress=lambda *state: told.append(state))
    assert told[0][0] == 0
    assert told[-1][0] == 20
    assert told == sorted(told)
    assert {games for games, _ in told} == set(range(21))


def test_agents_are_closed_as_often_as_they_are_made():
    players.Counted.made = players.Counted.closed = 0
    selfplay([KAKOMIMASU], ["py:players:Counted", "random"], num_games=20)
    assert players.Counted.made == players.Counted.closed == 1 + 3 * 2  # one to check it, one per seat and chunk
    with pytest.raises(masume.AgentError):
        selfplay([KAKOMIMASU], ["py:players:Counted", "py:players:Raises"], num_games=20)
    assert players.Counted.made == players.Counted.closed


def test_throughput_adds_up():
    summary = selfplay([KAKOMIMASU], ["py:players:Random"], num_games=9 * CHUNK_PYTHON)
    assert len(summary.series) == 2
    ends = [0.0, *(seconds for seconds, _ in summary.series)]
    games = sum(rate * (end - start) for start, end, (_, rate) in zip(ends, ends[1:], summary.series, strict=False))
    assert games == pytest.approx(9 * CHUNK_PYTHON)
    assert ends == sorted(ends)
    assert ends[-1] == summary.seconds


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"games": []}, "games: expected a list of at least one"),
        ({"games": COUNTING}, "games: expected a list of at least one"),
        ({"games": [COUNTING, masume.load(Counting(length=9))]}, "games: two plug-ins are named 'counting'"),
        ({"agents": []}, "agents: expected a list of names"),
        ({"agents": "random"}, "agents: expected a list of names or agents, got 'random'"),
        ({"agents": ["random", 5]}, "agents: expected names, agents, or what makes them, got 5"),
        ({"agents": ["random", "alphago"]}, r"agents: unknown agent 'alphago' \(known: random"),
        ({"agents": ["py:players:Nobody"]}, "agents: py:players:Nobody"),
        ({"agents": ["py:players:Incomplete"]}, "agents: py:players:Incomplete: .* lacks"),
        ({"num_games": None}, "num_games: expected num_games or seconds"),
        ({"num_games": 0}, "num_games: expected"),
        ({"num_games": 2.5}, "num_games: expected an int"),
        ({"seconds": 0}, "seconds: expected a positive number, got 0"),
        ({"seconds": "5"}, "seconds: expected a positive number, got 5"),
        ({"seconds": float("nan")}, "seconds: expected a positive number, got nan"),
        ({"seconds": float("inf")}, "seconds: expected a positive number, got inf"),
        ({"seed": -1}, "seed: expected"),
        ({"threads": -1}, "threads: expected"),
        ({"replays": -1}, "replays: expected"),
        ({"records": "csv"}, "records: expected one of npz, parquet, got 'csv'"),
        ({"keep": ["pixels"]}, "keep: expected one of legal, planes, scalars, "),
        ({"keep": ["legal", "legal"]}, "keep: expected a list of different names"),
        ({"keep": "legal"}, "keep: expected a list of different names, got 'legal'"),
        ({"games": [KAKOMIMASU, THREE], "keep": ["planes"]}, "keep: 'planes' is not the same in all games"),
        ({"agents": ["tcp:2000"]}, "agents: tcp:2000: self-play plays several games at once"),
        ({"agents": ["net:players:Nobody"]}, "agents: net:players:Nobody: "),
        ({"agents": ["net:players:Network:0"]}, "agents: net:players:Network:0: expected a number of simulations"),
        ({"agents": ["net:players:Network:9:0"]}, "agents: net:players:Network:9:0: leaves: expected 1.*, got 0"),
        ({"agents": ["net:players:Counted"]}, "agents: net:players:Counted: expected a function"),
        ({"ray": "auto", "threads": 3}, "threads: expected 0 or 1 with a cluster, got 3"),
    ],
)
def test_bad_arguments_are_named_before_anything_is_written(changed, message, tmp_path):
    arguments = {"games": [KAKOMIMASU], "agents": ["random"], "num_games": 5} | changed
    with pytest.raises(masume.ConfigError, match=message):
        selfplay(arguments.pop("games"), arguments.pop("agents"), **arguments, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("threads", [1, 3])
def test_a_bad_agent_ends_the_run_and_finished_chunks_stay(threads, tmp_path):
    with pytest.raises(masume.AgentError, match=r"illegal: player 1, game of seed \d+, ply 1: "):
        selfplay([KAKOMIMASU], ["random", "py:players:Illegal"], num_games=40, threads=threads, out=tmp_path)
    assert not (tmp_path / "report.html").exists()
    assert len(lines(tmp_path)) == 1


# -- a folder ---------------------------------------------------------------------------------


def run_small(out, **changed):
    return selfplay([KAKOMIMASU], ["random"], **{"num_games": 9, "seed": 1} | changed, out=out)


def test_a_folder_is_one_run(tmp_path):
    run_small(tmp_path)
    for changed, message in (
        ({"seed": 2}, "holds a run with other seed: 1, not 2"),
        ({"num_games": 10}, "holds a run with other num_games: 9, not 10"),
        ({"seconds": 5.0}, "holds a run with other seconds: None, not 5.0"),
        ({"replays": 3}, "holds a run with other replays: None, not 3"),
    ):
        with pytest.raises(masume.ConfigError, match=message):
            run_small(tmp_path, **changed)
    with pytest.raises(masume.ConfigError, match="holds a run with other games"):
        selfplay([THREE], ["random"], num_games=9, seed=1, out=tmp_path)
    with pytest.raises(masume.ConfigError, match=r"with other agents: \['random'\], not \['random', 'random'\]"):
        selfplay([KAKOMIMASU], ["random", "random"], num_games=9, seed=1, out=tmp_path)


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(masume.ConfigError, match="is not empty, and holds no self-play run"):
        run_small(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_two_runs_cannot_share_a_folder(tmp_path):
    with Store(tmp_path, {}), pytest.raises(masume.ConfigError, match="is in use by another run"):
        run_small(tmp_path)


def test_a_finished_run_is_not_played_again(tmp_path):
    summary = run_small(tmp_path)
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.glob("[rgp]*/*")}
    again = run_small(tmp_path)
    assert again.games == summary.games
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("[rgp]*/*")} == stamps


def test_leftovers_of_a_kill_are_cleared_away(tmp_path):
    run_small(tmp_path)
    (tmp_path / "records" / ".0001.npz.123-4.tmp").write_bytes(b"half")
    (tmp_path / ".manifest.jsonl.123-4.tmp").write_bytes(b"half")
    run_small(tmp_path)
    assert [path.name for path in (tmp_path / "records").iterdir()] == ["0000.npz"]
    assert not list(tmp_path.glob(".*"))


OTHERS = (".notes.txt.tmp", ".notes.txt.1-2.tmp", ".manifest.jsonl.tmp", "records/.0001.npz.1-2.tmp.bak")


def test_files_of_others_are_left_alone(tmp_path):
    run_small(tmp_path)
    for name in OTHERS:
        (tmp_path / name).write_bytes(b"mine")
    (tmp_path / ".report.html.1-2.tmp").symlink_to("manifest.jsonl")
    run_small(tmp_path)
    assert [(tmp_path / name).read_bytes() for name in OTHERS] == [b"mine"] * len(OTHERS)
    assert (tmp_path / ".report.html.1-2.tmp").is_symlink()


def test_nothing_is_removed_from_a_folder_that_holds_no_run_of_these_arguments(tmp_path):
    leftovers = [tmp_path / name for name in (".report.html.1-2.tmp", "records/.0001.npz.1-2.tmp")]
    (tmp_path / "records").mkdir()
    for path in leftovers:
        path.write_bytes(b"half")
    with pytest.raises(masume.ConfigError, match="is not empty, and holds no self-play run"):
        run_small(tmp_path)
    assert all(path.exists() for path in leftovers)
    (tmp_path / "records").rename(tmp_path / ".records")
    run_small(tmp_path)
    (tmp_path / "records" / leftovers[1].name).write_bytes(b"half")
    leftovers[0].write_bytes(b"half")
    with pytest.raises(masume.ConfigError, match="holds a run with other seed"):
        run_small(tmp_path, seed=77)
    assert all(path.exists() for path in leftovers)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda end: end.name)
@pytest.mark.parametrize(("threads", "form"), [(1, "npz"), (2, "parquet")])
def test_an_interrupted_run_goes_on_to_the_same_result(end, threads, form, tmp_path):
    """Every file equals the uninterrupted run's except for times, and no completed shard is written again."""
    command = [
        sys.executable, "-m", "masume", "selfplay", "kakomimasu", "--agents", "py:players:Mortal", "random",
        "--games", "64", "--seed", "3", "--threads", str(threads), "--replays", "20", "--records", form,
        *(part for name, value in SMALL.items() for part in ("--set", f"{name}={value}")),
    ]  # fmt: skip
    whole, broken = tmp_path / "whole", tmp_path / "broken"

    def run(folder, **environment):
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])} | environment
        return subprocess.run([*command, "--out", folder], env=environment, capture_output=True, text=True)

    assert run(whole).returncode == 0
    cut = run(broken, MORTAL_SIGNAL=str(int(end)))
    assert cut.returncode == (130 if end == signal.SIGINT else -end)
    assert ("masume: interrupted" in cut.stderr) == (end == signal.SIGINT)
    assert "Traceback" not in cut.stderr
    finished = list_files(broken)
    assert 1 <= len(lines(broken)) - 1 < 8
    stamps = {name: (broken / name).stat().st_mtime_ns for name in finished}
    assert run(broken).returncode == 0
    assert files(broken) == files(whole)
    assert len(files(whole)) == 8 * len(FORMATS[form]) + 3
    assert timeless(broken) == timeless(whole)
    assert {name: (broken / name).stat().st_mtime_ns for name in finished} == stamps
    for field, array in masume.load_records(whole).items():
        np.testing.assert_array_equal(masume.load_records(broken)[field], array, err_msg=field)


def list_files(folder):
    """Return the files that the manifest of a run lists."""
    return [entry["file"] for shard in lines(folder)[1:] for entry in shard["files"].values()]


# -- agents that are asked about many games at once, and programs -----------------------------

CHASER = masume.load("chaser", preset="contest", height=7, width=7, n_blocks=4, n_items=5, turn_limit=12)
BOT = f"json:{sys.executable} {Path(__file__).parents[1] / 'json_bot.py'} good"


def test_an_evaluator_sees_many_games_at_once(tmp_path):
    players.Network.sizes.clear()
    selfplay([CHASER], ["net:players:Chaser"], num_games=CHUNK_TOGETHER + 3, seed=4, out=tmp_path)
    assert max(players.Network.sizes) == CHUNK_TOGETHER
    assert sum(players.Network.sizes) == masume.load_records(tmp_path).num_plies
    records = masume.load_records(tmp_path)
    assert records.verify() == CHUNK_TOGETHER + 3
    batch = next(records.batches(10**6))
    mover = records["player"].astype(int)
    rows = np.arange(len(mover))
    assert records["value"][rows, mover].tolist() == [0.5 - player for player in mover.tolist()]
    assert np.isnan(records["value"][rows, 1 - mover]).all()
    for seed, length, first in zip(
        records["seed"].tolist(), records["length"].tolist(),
        (np.cumsum(records["length"]) - records["length"]).tolist(), strict=True,
    ):  # fmt: skip
        state = CHASER.new_state(seed)
        wanted = state.legal_mask() * np.arange(1.0, 17)
        np.testing.assert_allclose(batch["policy"][first, 0], wanted / wanted.sum(), rtol=1e-6)
        assert length > 0


def test_an_agents_name_asks_for_full_batches():
    """256 games of a fixed length side by side fill calls for 256 leaves; without the number a call is for 16."""
    for name, most in (("net:players:Kakomimasu:12:256", 256), ("net:players:Kakomimasu:12", 16)):
        players.Network.sizes.clear()
        selfplay([KAKOMIMASU], [name], num_games=256, seed=4)
        sizes = players.Network.sizes
        assert max(sizes) == most
        assert sum(sizes) > 0.9 * most * len(sizes)


def test_an_evaluator_plays_as_often_as_its_policy_says():
    """Of 16 codes with priors 1..16 the higher ones are played more often."""
    state = CHASER.new_state(1)
    net = make_agent("net:players:Chaser", CHASER)
    seeds = list(range(4000))
    found = net.act_many([View(state, 0)] * len(seeds), seeds)
    (policy,) = found[0][1].policy
    counts = np.array([sum(action == answer for answer, _ in found) for action in policy[0]])
    np.testing.assert_allclose(counts / len(seeds), policy[1], atol=0.03)
    net.start(CHASER, 0, 9)
    assert net.act(View(state, 0)) == net.act_many([View(state, 0)], [Rng(9).next()])[0][0]
    assert net.thought.value == 0.5


@pytest.mark.parametrize(("game", "net"), [(CHASER, "Chaser"), (KAKOMIMASU, "Kakomimasu")], ids=["in turn", "at once"])
@pytest.mark.parametrize("budget", ["", ":8"], ids=["priors", "search"])
def test_evaluators_play_beside_others_on_any_number_of_threads(game, net, budget, tmp_path):
    agents = [f"net:players:{net}{budget}", "py:players:Random", "random"]
    for threads in (1, 2):
        selfplay([game], agents, num_games=10, seed=2, threads=threads, out=tmp_path / str(threads))
    assert files(tmp_path / "1") == files(tmp_path / "2")
    records = masume.load_records(tmp_path / "1")
    assert records.verify() == 10
    nets = np.repeat(records["agents"] == 0, records["length"], axis=0)
    decided = np.ones_like(nets) if game.is_simultaneous else np.arange(2) == records["player"][:, None]
    assert (np.isfinite(records["value"]) == (nets & decided)).all()
    policy = next(records.batches(10**6, fields=["policy"]))["policy"]
    slots = game.num_slots // 2 if game.is_simultaneous else 1
    np.testing.assert_allclose(policy.sum(axis=(1, 2)), slots * (nets & decided).sum(axis=1), rtol=1e-5)


@pytest.mark.parametrize("budget", ["", ":8"], ids=["priors", "search"])
@pytest.mark.parametrize(
    ("net", "what"),
    [
        ("Unsure", ".*values: "),
        ("Flat", "ValueError: .*priors: expected "),
        ("Silent", r"ValueError: .*expected \(priors, values\), got None"),
        ("Fails", "RuntimeError: no weights"),
        ("Broken", ".*priors: "),
    ],
)
def test_whatever_an_evaluator_answers_is_named_with_its_game(net, what, budget, tmp_path):
    where = rf"net:players:{net}{budget}: player \d, game of seed \d+, ply \d+: "
    with pytest.raises(masume.AgentError, match=where + what):
        selfplay([CHASER], ["random", f"net:players:{net}{budget}"], num_games=5, out=tmp_path)
    with pytest.raises(masume.ReplayError, match="no shard is finished yet"):
        masume.load_records(tmp_path)


def test_of_several_games_the_one_with_the_fault_is_named():
    seeds = seeds_of(0, np.arange(5)).tolist()
    where = f"net:players:BrokenAtOnce: player 0, game of seed {seeds[-1]}, ply 0: priors: "
    with pytest.raises(masume.AgentError, match=where):
        selfplay([CHASER], ["net:players:BrokenAtOnce"], num_games=5)


def test_an_evaluator_at_fault_is_named():
    with pytest.raises(masume.AgentError, match=r"net:players:Broken: player 0, .*, ply 0: priors: "):
        selfplay([CHASER], ["net:players:Broken"], num_games=3)
    with pytest.raises(masume.AgentError, match=r"net:players:Kakomimasu: player 0, .*: priors: expected shape"):
        selfplay([CHASER], ["net:players:Kakomimasu"], num_games=3)


@pytest.mark.parametrize("game", [CHASER, KAKOMIMASU], ids=["in turn", "at once"])
def test_programs_play_beside_agents(game, tmp_path):
    """The bot plays the first legal action of each slot."""
    told = []
    selfplay(
        [game],
        [BOT, "py:players:Thinker"],
        num_games=4,
        seed=6,
        out=tmp_path,
        progress=lambda *state: told.append(state),
    )
    records = masume.load_records(tmp_path)
    assert records.verify() == 4
    assert {games for games, _ in told} == set(range(5))
    bot = np.repeat(records["agents"] == 0, records["length"], axis=0)
    starts = np.cumsum(records["length"]) - records["length"]
    for seed, row, seats in zip(records["seed"].tolist(), starts.tolist(), records["agents"].tolist(), strict=True):
        state = game.new_state(seed)
        while not state.is_terminal():
            for slot, player in enumerate(state.slots.tolist()):
                if seats[player] == 0:
                    assert records["actions"][row, slot] == state.legal_actions(slot)[0]
            actions = records["actions"][row].tolist()
            state.apply(actions if game.num_slots > 1 else actions[0])
            row += 1
    decided = np.ones_like(bot) if game.is_simultaneous else np.arange(2) == records["player"][:, None]
    assert (np.isfinite(records["value"]) == (~bot & decided)).all()
    assert len(replay.load(tmp_path / "replays" / "0000.jsonl")) == 4


def test_a_program_at_fault_ends_the_run(tmp_path):
    with pytest.raises(masume.AgentError, match=r"json_bot\.py garbage: player 0, game of seed \d+, ply 0: illegal: "):
        selfplay([CHASER], [BOT.replace("good", "garbage"), "random"], num_games=4, out=tmp_path)
    assert len(lines(tmp_path)) == 1
    with pytest.raises(masume.ConfigError, match="expected a command after json:"):
        selfplay([CHASER], ["json: "], num_games=4)


# -- all games --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "bounds"),
    [
        ("npz", ["--games", "30", "--replays", "3"]),
        ("parquet", ["--games", "30", "--replays", "3"]),
        pytest.param("npz", ["--seconds", "8"], marks=pytest.mark.slow),
    ],
    ids=["npz", "parquet", "8 seconds"],
)
def test_all_games_are_recorded_and_verified(form, bounds, tmp_path, capsys):
    command = ["selfplay", "all", *bounds, "--records", form, "--out", str(tmp_path), "--json"]
    assert cli.main(command) == 0
    told = json.loads(capsys.readouterr().out)
    records = masume.load_records(tmp_path)
    assert {game.name for game in records.games} == set(masume.games())
    assert records.verify(2) == records.num_games == sum(row["games"] for row in told["games"])


def test_chunks_have_about_so_many_actions():
    for game in (KAKOMIMASU, CHASER, masume.load("terraforming", max_turns=3)):

        def moves(chunk, game=game, **kept):
            plan = Run.make([game], ["random"], 0, chunk, None, 0, "npz", **{"keep": []} | kept)
            return plan.chunk, plan.play(0, lambda _: None)[1][game.name].moves

        chunk, _ = moves(1)
        _, played = moves(chunk // 16)
        assert 0.8 < 16 * played / CHUNK_ACTIONS < 1.25
        kept, _ = moves(1, keep=["planes"])
        assert kept < chunk / 4


def test_a_chunk_is_what_was_asked(tmp_path):
    game = masume.load("nezumi", turns=4)
    with pytest.raises(masume.ConfigError, match="chunk"):
        selfplay([game], ["random"], num_games=4, chunk=0)
    selfplay([game], ["random"], num_games=7, chunk=3, out=tmp_path / "run")
    lengths = [len(np.load(file)["game"]) for file in sorted((tmp_path / "run" / "records").iterdir())]
    assert lengths == [3, 3, 1]
    with pytest.raises(masume.ConfigError, match="other chunk"):
        selfplay([game], ["random"], num_games=7, chunk=4, out=tmp_path / "run")

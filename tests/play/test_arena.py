"""Arenas: rotating seats, runs that continue where they stopped, tables that rank the agents."""

import ctypes
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import masume
import sealed
from masume import cli
from masume.errors import ConfigError, MatchError, ReplayError
from masume.nezumi.stages import generate
from masume.play import arena
from masume.play.arena import Arena, Tournament
from masume.play.pairing import PairingGame
from masume.search import solve
from shell import run_json

pytest.importorskip("choix")
pytest.importorskip("openskill")

BOT = Path(__file__).parents[1] / "json_bot.py"
FIELDS = {"preset": "contest", "turn_limit": 6}


def plan(*agents, games=4, **more):
    return Tournament(masume.load("chaser", **FIELDS), agents, games, **more)


def four_player_plan(*agents, games=4):
    game = masume.load("kakomimasu", width=3, height=3, n_players=4, n_agents=1, total_turns=3)
    return Tournament(game, agents, games)


def test_every_agent_sits_on_every_seat_of_every_seed(tmp_path):
    run = Arena(plan("greedy", "safe", "random", games=4, seed=7), tmp_path)
    run.run()
    assert len(run.games) == 3 * 4
    pairs = [tuple(one.seats) for one in run.games]
    assert Counter(pairs) == dict.fromkeys(((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)), 2)
    seeds = [one.seed for one in arena.replays(tmp_path)]
    assert len(set(seeds)) == 2
    assert all(seeds.count(seed) == 6 for seed in seeds)


def test_each_seed_has_its_board_where_the_config_draws_it(tmp_path):
    """Both games of a pairing are on one board, which the others do not have; a given board is that of all games."""
    small = {"width": 5, "height": 4, "n_agents": 1, "total_turns": 3}
    given = {"points": list(range(20))}
    for name, fields in (("drawn", small), ("given", small | given)):
        run = Arena(Tournament(masume.load("kakomimasu", **fields), ("greedy", "random"), 6, seed=7), tmp_path / name)
        run.run()
        boards = [tuple(one.game.config.board_points()) for one in arena.replays(tmp_path / name)]
        assert boards[::2] == boards[1::2]
        assert len(set(boards)) == (3 if name == "drawn" else 1)
    assert set(boards) == {tuple(range(20))}


def test_as_many_agents_as_seats_are_one_line_up():
    run = Arena(four_player_plan("greedy", "random", "random", "random"))
    run.run()
    assert run.plan.names == ["greedy", "random"]
    assert [one.seats for one in run.games] == [[0, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 1, 1]]
    assert [row.games for row in run.standings()] == [4, 4]


def test_jobs_and_interruptions_change_nothing(tmp_path):
    whole, two = Arena(plan("greedy", "safe", "random"), tmp_path / "one"), Arena(plan("greedy", "safe", "random"))
    whole.run()
    two.run(jobs=2)
    assert whole.games == two.games
    assert whole.standings() == two.standings()
    path = tmp_path / "one" / "games.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:3]) + lines[3][:20])  # a power cut
    again = Arena(plan("greedy", "safe", "random"), tmp_path / "one")
    assert len(again.pairings) == 2
    again.run()
    assert again.games == whole.games


def test_a_killed_run_goes_on(tmp_path):
    code = (
        "import masume\nfrom masume.play.arena import Arena, Tournament\n"
        "if __name__ == '__main__':\n"
        f"    Arena(Tournament(masume.load('chaser', **{FIELDS}), ('greedy', 'mcts:300'), 80), r'{tmp_path}').run(2)\n"
    )
    script = tmp_path / "run.py"
    script.write_text(code)
    process = subprocess.Popen([sys.executable, script], start_new_session=True)
    path = tmp_path / "games.jsonl"
    while not path.exists() or path.read_bytes().count(b"\n") < 4:
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    run = Arena(plan("greedy", "mcts:300", games=80), tmp_path)
    played = dict(run.pairings)
    assert 3 <= len(played) < 40
    run.run(2)
    fresh = Arena(plan("greedy", "mcts:300", games=80))
    fresh.run(2)
    assert run.games == fresh.games
    assert run.standings() == fresh.standings()
    assert all(run.pairings[number] == games for number, games in played.items())


def test_a_full_disk_is_named_and_what_was_played_before_is_kept(tmp_path):
    code = (
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))  # a worker may have to build\n"
        "from masume import cli\n"
        "if __name__ == '__main__':\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, -1))\n"
        "    sys.exit(cli.main(sys.argv[1:]))\n"
    )
    (tmp_path / "run.py").write_text(code)
    games = [*COMMAND, "--agents", "greedy", "safe", "--games", "60", "--out", str(tmp_path / "out"), "--json"]
    run = subprocess.run([sys.executable, tmp_path / "run.py", *games], capture_output=True, text=True, check=False)
    path = tmp_path / "out" / "games.jsonl"
    assert (run.returncode, run.stderr) == (1, f"masume: {path}: File too large\n")
    lines = path.read_bytes().split(b"\n")
    again = Arena(plan("greedy", "safe", games=60), tmp_path / "out")
    assert len(again.pairings) == len(lines) - 2 > 5  # a header, and the torn line
    again.run(2)
    assert len(again.games) == 60


def test_two_runs_do_not_share_a_folder(tmp_path):
    """Otherwise both would play, and record, the pairings that neither has found there."""
    first, second = (Arena(plan("greedy", "safe", games=8), tmp_path) for _ in range(2))
    refused = []

    def look(_):
        for start in (lambda: Arena(plan("greedy", "safe", games=8), tmp_path), second.run):
            with pytest.raises(ConfigError, match=r"out: .* is in use by another run") as caught:
                start()
            refused.append(caught.value)

    first.run(progress=look)
    assert refused
    second.run()
    assert second.games == first.games
    pairings = [json.loads(line)["pairing"] for line in (tmp_path / "games.jsonl").read_text().splitlines()[1:]]
    assert sorted(pairings) == [0, 1, 2, 3]


def test_another_plan_does_not_go_on_in_the_same_folder(tmp_path):
    Arena(plan("greedy", "safe"), tmp_path)
    with pytest.raises(ConfigError, match=r"out: .* holds a run with other arguments"):
        Arena(plan("greedy", "safe", games=6), tmp_path)


GAME = '{"seats": [0, 1], "returns": [1, -1], "scores": [1, 0], "plies": 3, "reason": null, "faults": []}'


SECOND = GAME.replace("[0, 1]", "[1, 0]")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"pairing": 0, "games": [{}]}', "missing"),
        ('{"pairing": 0, "games": []}', "games: expected 2, got 0"),
        (f'{{"pairing": 2, "games": [{GAME}, {SECOND}]}}', r"pairing: expected 0\.\.1, got 2"),
        (f'{{"pairing": "0", "games": [{GAME}, {SECOND}]}}', "pairing: expected a number from 0, got '0'"),
        (f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("[0, 1]", "[0]")}]}}', r"games\[1\]\.seats: expected 2"),
        (f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("[0, 1]", "[0, -1]")}]}}', "expected a number from 0"),
        (f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("[0, 1]", "[0, 2]")}]}}', "expected 0..1, got 2"),
        (f'{{"pairing": 0, "games": [{GAME}, {GAME}]}}', r"games\[1\]\.seats: expected \[1, 0\], the rotated seats"),
        (f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("-1", "null")}]}}', r"returns\[1\]: expected a number from"),
        (f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("-1", "NaN")}]}}', "expected a number, got NaN"),
        (
            f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("[1, 0]", "[1, []]")}]}}',
            r"scores\[1\]: expected a number from",
        ),
        (f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("3", "1e400")}]}}', "plies: expected a number from 0"),
        (f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("null", "[]")}]}}', "reason: expected str . None"),
        (f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("[]", "[[]]")}]}}', r"faults\[0\]: expected an array of 5"),
        (
            f'{{"pairing": 0, "games": [{GAME}, {GAME.replace("[]", "[[7, 0, 0, 0, 0]]")}]}}',
            r"faults\[0\]\[1\]: expected a string",
        ),
        (f'{{"pairing": {"9" * 5000}, "games": []}}', "not JSON: Exceeds the limit"),
        (f'{{"pairing": 0, "games": {"[" * 5000 + "]" * 5000}}}', "nested too deep"),
        (f'{{"pairing": 0, "games": {"[" * 950 + "]" * 950}}}', ""),
        ("[]", "line: expected an object"),
        ("\ufffd", "Expecting value"),
        ("\0", "Expecting value"),
    ],
)
def test_a_damaged_run_is_no_run(tmp_path, line, message):
    Arena(plan("greedy", "safe"), tmp_path)
    path = tmp_path / "games.jsonl"
    with path.open("ab") as file:
        file.write(f"{line}\n{{".encode())
    before = path.read_bytes()
    with pytest.raises(ReplayError, match=rf"games\.jsonl:2: .*{message}"):
        Arena(plan("greedy", "safe"), tmp_path)
    assert path.read_bytes() == before


def test_a_flipped_bit_of_a_run_is_noticed(tmp_path):
    Arena(plan("greedy", "safe"), tmp_path).run()
    path = tmp_path / "games.jsonl"
    whole = path.read_bytes()
    for at in range(len(whole) - 1):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with pytest.raises((ReplayError, ConfigError), match=r"games\.jsonl:|other arguments"):
            Arena(plan("greedy", "safe"), tmp_path)


def test_a_run_of_before_there_were_checksums_goes_on(tmp_path):
    whole = Arena(plan("greedy", "safe", "random"), tmp_path)
    whole.run()
    path = tmp_path / "games.jsonl"
    header, *lines = sealed.read_lines(path)
    assert all(b'"sha256":"' in line for line in path.read_bytes().splitlines()[1:])
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *lines[:3])))
    again = Arena(plan("greedy", "safe", "random"), tmp_path)
    assert len(again.pairings) == 3
    again.run()
    assert again.games == whole.games


def test_a_pairing_that_is_listed_twice_is_refused(tmp_path):
    Arena(plan("greedy", "safe"), tmp_path).run()
    path = tmp_path / "games.jsonl"
    header, first, *_ = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(header + first + first)
    with pytest.raises(ReplayError, match=r"games\.jsonl:3: pairing: 0 is in an earlier line too"):
        Arena(plan("greedy", "safe"), tmp_path)


def test_a_run_that_is_no_text_is_another(tmp_path):
    (tmp_path / "games.jsonl").write_bytes(b"\xff\xfe\n")
    with pytest.raises(ConfigError, match="holds a run with other arguments"):
        Arena(plan("greedy", "safe"), tmp_path)


def test_ctrl_c_ends_what_is_under_way(tmp_path):
    """A worker whose game never moves must be ended: otherwise it would hold the pipe open."""
    (tmp_path / "still.py").write_text(
        "import pathlib, time\nfrom players import Random\n"
        "class Still(Random):\n"
        "    def act(self, view):\n"
        f"        pathlib.Path(r'{tmp_path}', 'acts').touch()\n"
        "        time.sleep(10**6)\n"
    )
    (tmp_path / "run.py").write_text(
        "import masume\nfrom masume.play.arena import Arena, Tournament\n"
        "if __name__ == '__main__':\n"
        f"    Arena(Tournament(masume.load('chaser', **{FIELDS}), ('greedy', 'py:still:Still'), 8)).run()\n"
    )
    paths = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    process = subprocess.Popen(
        [sys.executable, tmp_path / "run.py"], env=os.environ | paths, start_new_session=True, stderr=subprocess.PIPE
    )
    while not (tmp_path / "acts").exists():
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    told = process.communicate(timeout=100)[1]
    assert process.returncode == -signal.SIGINT
    assert told.count(b"Traceback") == 1  # from the main process, none from a worker


def test_a_worker_that_is_killed_ends_the_run():
    run = Arena(plan("greedy", "py:players:Kills"))
    with pytest.raises(MatchError, match="arena: a worker process was killed"):
        run.run()


def test_swiss_rounds_pair_neighbours_who_have_not_met(tmp_path):
    agents = ("greedy", "safe", "random", "py:players:Random", "mcts:20")
    run = Arena(plan(*agents, games=2, rounds=3), tmp_path)
    run.run(2)
    line_ups = [frozenset(run.pairings[number][0].seats) for number in sorted(run.pairings)]
    assert len(line_ups) == 6  # two pairs per round, one agent rests
    assert len(set(line_ups)) == 6
    again = Arena(plan(*agents, games=2, rounds=3), tmp_path)
    again.run()
    assert again.games == run.games


def test_everybody_rests_in_turn():
    """Otherwise the last agent of the table would never play."""
    run = Arena(plan("greedy", "safe", "random", "py:players:Random", "mcts:20", games=2, rounds=5))
    resting = []
    for line_ups in run._line_ups():
        resting += {0, 1, 2, 3, 4}.difference(*line_ups)
        for seats in line_ups:  # the first in the names always wins
            returns = [1, -1] if seats[0] < seats[1] else [-1, 1]
            run.pairings[len(run.pairings)] = [PairingGame(list(seats), returns, [], 0, None, [])] * 2
    assert sorted(resting) == [0, 1, 2, 3, 4]


def test_games_beyond_the_verdict_do_not_count():
    """Several jobs play ahead by a random number of games."""
    ahead, exact = (Arena(plan("greedy", "safe", games=400, stop_at=0.6)) for _ in range(2))
    won = [PairingGame([0, 1], [1, -1], [1, 0], 9, None, []), PairingGame([1, 0], [-1, 1], [0, 1], 9, None, [])]
    ahead.pairings = dict.fromkeys(range(60), won)
    ahead.run()
    assert ahead.verdict == "above"
    exact.pairings = dict.fromkeys(range(len(ahead.pairings)), won)
    exact.run()
    assert 5 <= len(exact.pairings) == len(ahead.pairings) < 60


def test_a_clear_case_ends_early():
    run = Arena(plan("greedy", "random", games=400, stop_at=0.6))
    run.run()
    assert run.verdict == "above"
    assert len(run.games) < 100
    other = Arena(plan("random", "greedy", games=400, stop_at=0.6))
    other.run(2)
    assert other.verdict == "below"


def test_the_table_counts_what_was_played():
    run = Arena(plan("greedy", "safe"))
    run.pairings = {
        0: [
            PairingGame([0, 1], [1, -1], [3, 0], 9, None, []),
            PairingGame([1, 0], [0, 0], [1, 1], 9, None, [[1, "x", "", 3, ""]]),
        ]
    }
    first, second = run.standings()
    assert (first.name, first.wins, first.draws, first.losses, first.score) == ("greedy", 1, 1, 0, 0.75)
    assert (second.name, second.wins, second.draws, second.losses, second.faults) == ("safe", 0, 1, 1, 1)
    assert run.cross_table() == [[None, 0.75], [0.25, None]]
    assert run.seat_scores() == [0.75, 0.25]
    assert first.rating.elo > 0 > second.rating.elo


def test_an_agent_on_several_seats_wins_with_any_of_them():
    run = Arena(four_player_plan("greedy", "random", "random", "random"))
    returns = [[1, -1, -1, -1], [-1, 1, -1, -1], [0, 0, -1, -1], [-1, 0, 0, -1]]
    run.pairings = {0: [PairingGame([0, 1, 1, 1], one, [0] * 4, 9, None, []) for one in returns]}
    table = {row.name: (row.wins, row.draws, row.losses) for row in run.standings(rated=False)}
    assert table == {"greedy": (1, 1, 2), "random": (2, 1, 1)}


def test_a_shared_first_place_is_half_a_win():
    one = PairingGame([0, 1, 1], [1, 1, -1], [], 0, None, [])
    assert (one.score(0), one.score(1)) == (0.5, 0.25)
    assert PairingGame([0, 1, 1], [-1, 1, -1], [], 0, None, []).score(1) == 0.5


@pytest.mark.parametrize(
    ("agents", "more", "message"),
    [
        (("greedy",), {}, "agents: expected 2..256, got 1"),
        (("greedy", "greedy"), {}, "agents: expected at least two different ones, got only greedy"),
        (("greedy", "safe", "safe"), {}, "agents: a name may repeat only if"),
        (("greedy", "safe"), {"games": 3}, "games: expected 1, or a multiple"),
        (("greedy", "safe"), {"games": 0}, "games: expected 1..1000000, got 0"),
        (("greedy", "safe"), {"seed": -1}, "seed: expected 0..18446744073709551615, got -1"),
        (("greedy", "safe"), {"rounds": 2}, "swiss: expected more than 2 agents, got 2"),
        (("greedy", "safe", "random"), {"stop_at": 0.5}, "stop_at: expected two different agents"),
        (("greedy", "safe"), {"stop_at": 1.5}, "stop_at: expected 0.05..0.95, got 1.5"),
    ],
)
def test_plans_are_checked(agents, more, message):
    with pytest.raises(ConfigError, match=message):
        plan(*agents, **more)


def test_an_agent_that_is_none_stops_the_run(tmp_path):
    with pytest.raises(ConfigError, match=r"agents: unknown agent 'gready'.*did you mean 'greedy'"):
        Arena(plan("gready", "safe"), tmp_path).run()
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 1


def test_a_crashing_agent_is_at_fault_not_the_run():
    run = Arena(plan("greedy", "py:players:Raises"))
    run.run()
    standing = {row.name: row for row in run.standings()}
    assert standing["py:players:Raises"].faults == 4
    assert standing["greedy"].wins == 4
    json.dumps([dataclasses.asdict(row) for row in run.standings()])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system has no such setting")
@pytest.mark.parametrize(("bot", "is_dumpable"), [("safe", 1), (f"json:{sys.executable} {BOT} first", 0)])
def test_the_memory_of_a_run_is_private_while_programs_play(bot, is_dumpable):
    """The programs started by its workers could otherwise read its memory."""
    prctl = ctypes.CDLL(None).prctl
    seen = []
    run = Arena(plan("greedy", bot, games=2))
    run.run(progress=lambda _: seen.append(prctl(3, 0, 0, 0, 0)))  # PR_GET_DUMPABLE
    assert set(seen) == {is_dumpable}
    assert prctl(3, 0, 0, 0, 0) == 1


# -- the command ------------------------------------------------------------------------------------

COMMAND = ["arena", "chaser", "--preset", "contest", "--set", "turn_limit=6", "--games", "4", "--jobs", "2"]


def test_the_command_prints_a_table_and_leaves_games_and_a_page(tmp_path, capsys):
    folder = tmp_path / "run"
    assert cli.main([*COMMAND, "--agents", "greedy", "safe", "random", "--out", str(folder)]) == 0
    told = capsys.readouterr().out
    assert re.search(r"# +agent +rating +score +95 % +games +won +drawn +lost +faults", told)
    assert re.match(r"1 +greedy", told.splitlines()[1])
    assert "mean score of each seat: " in told
    assert (folder / "arena.html").read_text().count("greedy") > 1
    table = json.loads((folder / "table.json").read_text())
    assert cli.main([*COMMAND, "--agents", "greedy", "safe", "random", "--out", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == table
    assert table["standings"][0]["games"] == 8
    assert table["cross"]["greedy"].keys() == {"safe", "random"}
    assert {"elo", "interval", "skill", "deviation"} < table["standings"][0].keys()
    assert "rating" not in table["standings"][0]


def test_the_command_says_what_was_decided(capsys):
    agents = ["--agents", "greedy", "random", "--stop-at", "0.6"]
    assert cli.main([*COMMAND, *agents, "--games", "200"]) == 0
    assert "the score of greedy is above 0.6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--agents", "greedy", "human"], "agents: human: an arena plays several games"),
        (["--agents", "greedy", "safe", "--jobs", "-1"], "jobs: expected"),
        (["--agents", "greedy", "safe", "--games", "5"], "games: expected 1, or a multiple of 2"),
        (["--agents", "greedy", "safe", "random", "--swiss", "0"], "swiss: expected 1..1000, got 0"),
        (["--agents", "greedy"], "agents: expected 2..256, got 1"),
    ],
)
def test_bad_arguments_of_the_command_are_named(more, message, capsys):
    assert cli.main([*COMMAND, *more]) == 1
    assert capsys.readouterr().err.startswith(f"masume: {message}")


def test_all_players_of_a_game_and_the_exact_scores_of_its_start(capsys, tmp_path):
    stage = generate(1, 5, 5, 20, 2, 2, 4, 3, 2)
    (tmp_path / "tiny.stage").write_text(stage)
    command = ["arena", "nezumi", "--stage", str(tmp_path / "tiny.stage"), "--agents", "all"]
    result = run_json(capsys, *command, "--games", "2", "--jobs", "1")
    names = {row["name"] for row in result["standings"]}
    assert names == {"random", "prowler", "greedy", "crafty", "mcts:1000", "alphabeta:5000"}
    solution = solve(masume.load("nezumi", stage=stage).new_state())
    assert result["exact"] == {"scores": list(solution.values), "positions": solution.num_states}

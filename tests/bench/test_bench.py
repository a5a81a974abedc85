"""The workloads, the evaluation of their times, and the arithmetic of the speed gate. Nothing here reads a clock."""

import dataclasses
import functools
import importlib.util
import itertools
import json
import re
import shutil
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import masume
from installs import copy_of_checkout
from masume import bench, cli
from masume.bench import _loops
from masume.core import _wide
from masume.kakomimasu import _engine
from masume.nezumi.notation import ADD, CAT1, MOVE, REACT
from toy import Counting

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benches"))
import pages  # noqa: E402
import peers  # noqa: E402
import scaling  # noqa: E402
import table  # noqa: E402
from peers import floor  # noqa: E402

CASES = [pytest.param(name, case, id=f"{name} {case.name}") for name in bench.workloads() for case in bench.cases(name)]


@pytest.fixture(scope="module")
def instructions():
    """Return the module benches/instructions.py."""
    spec = importlib.util.spec_from_file_location("instructions", ROOT / "benches" / "instructions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def plays():
    """Return the play of each game, with one set besides the recorded one: a case shows with two that it can change."""
    return {name: bench.Midgame(name, sets=1) for name in bench.workloads()}


# -- workloads ------------------------------------------------------------------------------------


def test_every_game_has_a_workload_and_every_gate_a_row():
    assert set(bench.workloads()) == set(masume.games())
    for name, workload in bench.workloads().items():
        names = [row.name for row in bench.rows(name, {case.name: [1.0] for case in bench.cases(name)})]
        assert len(set(names)) == len(names)
        assert set(workload.gates) <= set(names)


def test_the_positions_of_kakomimasu_are_1024_different_ones_of_midgame(plays):
    play = plays["kakomimasu"]
    assert len({state.key for state in play.states}) == len(play) == 1024
    assert [state.turn for state in play.states] == [turn for turn in range(25, 57) for _ in range(32)]
    placed = np.array([(state.agents >= 0).mean() for state in play.states])
    territory = np.array([(state.territory >= 0).sum() for state in play.states])
    assert placed.mean() > 0.9
    assert (territory > 0).mean() > 0.5


def test_the_positions_of_battleship_are_1024_different_ones_of_midgame(plays):
    play = plays["battleship"]
    assert len({state.key for state in play.states}) == len(play) == 1024
    assert all(state.phase == 1 for state in play.states)
    assert np.mean([state.round for state in play.states]) > 8
    assert np.mean([(state.array["ship_hp"] == 0).sum() for state in play.states]) > 0.5
    for i, twin in zip(play.picked, play.slow, strict=True):
        for player in range(2):
            assert twin.information_state(player) == play.states[i].information_state(player)


def test_the_positions_of_chaser_are_1024_different_ones_of_midgame(plays):
    play = plays["chaser"]
    assert len({state.key for state in play.states}) == len(play) == 1024
    assert [state.half for state in play.states] == [half for half in range(24, 56) for _ in range(32)]
    assert np.mean([state.items.sum() for state in play.states]) > 5
    for i, twin in zip(play.picked, play.slow, strict=True):
        for player in range(2):
            assert twin.information_state(player) == play.states[i].information_state(player)


def test_the_positions_of_nezumi_are_1024_different_ones_of_midgame(plays):
    play = plays["nezumi"]
    assert len({state.key for state in play.states}) == len(play) == 1024
    assert {state.phase for state in play.states} == {CAT1, ADD, MOVE, REACT}
    assert np.mean([state.on_board for state in play.states]) > 6


def test_the_positions_of_terraforming_are_1024_different_ones_of_midgame(plays):
    play = plays["terraforming"]
    assert len({state.key for state in play.states}) == len(play) == 1024
    assert min(state.turn for state in play.states) > 10
    assert np.mean([(state.owner >= 0).sum() for state in play.states]) > 100
    assert np.mean([(state.building > 0).sum() for state in play.states]) > 8


@pytest.mark.parametrize("name", bench.workloads())
def test_a_round_sees_16384_positions_of_random_and_of_agents_play_each_once(name):
    play = bench.Midgame(name)
    assert "random" in play.game.policies
    found: set[int] = set()
    for number in range(1, 1 + bench.SETS):
        play.choose(number)
        assert len(play) == 1024
        found.update(state.key for state in play.states)
        for state, action, codes in zip(play.states, play.actions, play.codes.tolist(), strict=True):
            assert [state.encode(int(one)) for one in np.atleast_1d(action)] == codes
    assert len(found) == bench.SETS * 1024 == 16384
    one, other = (bench.Midgame(name, sets=2) for _ in range(2))
    one.choose(2)
    other.choose(2)
    assert one.after == other.after != bench.Midgame(name).after


def test_a_set_is_chosen_in_place_and_the_recorded_one_comes_back():
    play = bench.Midgame("nezumi", sets=1)
    states, actions, codes = play.states, play.actions, play.codes
    keys = play.each(lambda: [state.key for state in play.states])
    recorded = keys()
    play.choose(1)
    assert (play.states, play.actions, play.codes) == (states, actions, codes)
    assert keys() != recorded == play.each(lambda: recorded)()
    play.choose(0)
    assert [state.key for state in states] == recorded


@pytest.mark.parametrize(("name", "case"), CASES)
def test_the_answer_of_a_case_is_right(plays, name, case):
    work = case.ready(plays[name])
    assert work.units > 0
    if work.choose is None:  # else it has been prepared for another round already, on other positions
        work.before()
        work.run()
        work.check()


@pytest.mark.parametrize(("name", "case"), [case for case in CASES if case.values[1].counted])
def test_the_check_of_a_counted_case_notices_when_nothing_was_done(plays, monkeypatch, name, case):
    monkeypatch.setattr(_loops, "legal", lambda batch: 0)  # these two checks call it again
    monkeypatch.setattr(_loops, "key", lambda batch: 0)
    work = case.make(plays[name])
    work.before()
    with pytest.raises(AssertionError):
        work.check()


def test_load_takes_one_state_of_the_game_a_row(plays):
    play = plays["kakomimasu"]
    batch = play.game.batch(2, observe=None, masks=False)
    with pytest.raises(ValueError, match="states: expected 2, one for each row, got 1"):
        _loops.load(batch, play.states[:1])
    other = masume.load("kakomimasu", width=24, height=24, n_agents=14, seed=2)
    with pytest.raises(ValueError, match=r"states\[1\]: a state of another game"):
        _loops.load(batch, [play.states[0], other.new_state()])
    _loops.load(batch, play.states[5:7])
    assert batch.states.tobytes() == play.states[5].to_bytes() + play.states[6].to_bytes()


def test_load_knows_a_finished_game_from_one_in_progress():
    game = masume.load(Counting(length=2))
    state = game.new_state(3)
    batch = game.batch(1, observe=None, masks=False, autoreset="disabled")
    _loops.load(batch, [state])
    batch.step()
    assert batch.states.tobytes() != state.array.tobytes()
    state.apply(0)
    state.apply(0)
    _loops.load(batch, [state])
    batch.step()
    assert batch.states.tobytes() == state.array.tobytes()


def test_a_batch_without_the_buffer_is_refused():
    batch = masume.load(Counting()).batch(2, observe=None, masks=False)
    for function in (_loops.mask, _loops.mask_bits, _loops.observe, _engine.mark_territory):
        with pytest.raises(ValueError, match="batch: "):
            function(batch)


@pytest.mark.slow
def test_benches_pass_without_their_clock():
    """Run those of masume's own cases that are Nezumi's, since all were run above, and all others."""
    command = [sys.executable, "-m", "pytest", "-q", "benches", "-k", "peers or selfplay or server or nezumi"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    own = len(bench.cases("nezumi"))
    others = sum(len(peers.cases(name)) for name in bench.workloads())
    others += 1 + len(bench.workloads())  # the server, and records of self-play
    # Ray's is skipped, and the server's under load
    assert f"{own + others} passed, 2 skipped, {len(CASES) - own} deselected" in run.stdout


# -- floors and peers -----------------------------------------------------------------------------


def work(play):
    """Return the work of a case that is not run."""
    raise NotImplementedError


def test_a_peer_without_its_package_is_left_out_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "peers.search", raising=False)
    cases, absent = peers.find_cases.__wrapped__()
    assert any(line.startswith("peers.search is left out: ") for line in absent)
    assert "observation planes/floor" in {case.name for case in cases}


def test_a_floor_takes_arrays_whose_items_lie_one_after_the_other():
    out = np.zeros((3, 4), np.uint8)
    assert floor.call("fill", "fill", out, 3, 4)() == 3
    assert out.tolist() == [[1] * 4, [2] * 4, [1] * 4]
    with pytest.raises(ValueError, match=r"array of shape \(4, 3\): its items do not lie"):
        floor.call("fill", "fill", out.T, 4, 3)


# -- evaluation of times --------------------------------------------------------------------------


def times():
    """Return three rounds of any game: 100, 200 and 150 ns for every case."""
    return {case.name: [100.0, 200.0, 150.0] for name in bench.workloads() for case in bench.cases(name)}


def row(name, found):
    return next(row for row in bench.rows("kakomimasu", found) if row.name == name)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"name": "chess"}, "name: expected one of battleship, chaser, kakomimasu, nezumi, terraforming, got 'chess'"),
        ({"rounds": 0}, "rounds: expected 1..2147483647, got 0"),
    ],
)
def test_what_is_to_be_measured_is_checked(bad, message):
    with pytest.raises(masume.ConfigError, match=message):
        bench.measure(**{"name": "nezumi", **bad})


def test_measure_times_every_case_in_every_round(monkeypatch):
    monkeypatch.setattr(bench.times, "SETS", 1)  # the next tests count the runs
    monkeypatch.setattr(bench.times, "Midgame", functools.partial(bench.Midgame, sets=1))
    found = bench.measure("nezumi", rounds=2)
    assert list(found) == [case.name for case in bench.cases("nezumi")]
    assert all(len(values) == 2 and min(values) > 0 for values in found.values())


def test_what_takes_long_is_told_in_cpu_time_where_it_has_one_thread():
    asleep = bench.Work(lambda: time.sleep(0.01), 1, lambda: None)
    found = bench.time_works({"alone": asleep, "shared": dataclasses.replace(asleep, threaded=True)}, rounds=1)
    assert found["shared"][0] >= 10_000_000 > found["alone"][0]


def test_what_is_short_runs_twice_in_a_round():
    made = []
    work = bench.Work(lambda: made.append("run"), 1, lambda: None, lambda: made.append("before"))
    assert len(bench.time_works({"short": work}, rounds=2)["short"]) == 2
    assert made == ["before", "run"] * 4


def test_what_has_sets_runs_once_in_each():
    made = []
    work = bench.Work(lambda: made.append("run"), 1, lambda: None, lambda: made.append("before"), choose=made.append)
    bench.time_works({"fresh": work}, rounds=1)
    assert made == [one for number in range(1 + bench.SETS) for one in (number, "before", "run")] + [0]


def test_random_games_are_others_in_every_round(plays):
    case = next(case for case in bench.cases("nezumi") if case.name == "playout garden/batch")
    work, plies = case.make(plays["nezumi"]), set()
    for _ in range(3):
        work.before()
        plies.add(work.run())
    assert len(plies) > 1


def test_rows_are_medians_and_ratios_are_taken_within_a_round():
    found = times() | {
        "turn/table": [100.0, 300.0, 200.0],
        "turn/batch": [110.0, 330.0, 260.0],
        "turn/batch, 2 threads": [55.0, 220.0, 130.0],
        "turn/reference": [1000.0, 9000.0, 4000.0],
        "search 8x8/mcts": [150.0, 200.0, 300.0],
    }
    assert row("turn/table", found) == bench.Row("turn/table", 200.0, "ns/turn", 5e6, 100.0, 20.0)
    assert row("batch beyond the turn", found).value == 30.0
    assert row("two threads", found).value == 2.0
    assert row("search 8x8 by its playouts", found).value == 1.5
    assert row("turn/reference", found).reference is None
    assert row("turn/table", found).floor is None
    assert row("state", found) == bench.Row("state", 448, "bytes", gate="<= 640", ok=True)


def test_rows_of_an_operation_stand_together_beside_its_floor():
    more = [bench.Case("other/peer", "turn", "peers", work), bench.Case("turn/floor", "turn", "peers", work)]
    found = times() | {"turn/table": [20.0, 90.0, 40.0], "turn/floor": [10.0, 30.0, 40.0], "other/peer": [1.0] * 3}
    rows = bench.rows("kakomimasu", found, more)
    assert [row.floor for row in rows if row.name == "turn/table"] == [2.0]
    assert [row.floor for row in rows if row.name == "turn/floor"] == [None]
    operations = [row.name.partition("/")[0] for row in rows]
    assert [name for name, _ in itertools.groupby(operations)] == list(dict.fromkeys(operations))
    assert operations.index("other") > operations.index("search 8x8")


@pytest.mark.parametrize(
    ("level", "gate", "ok"),
    [("v2", "<= 340", True), ("neon", "<= 340", True), ("v3", "<= 210", False), ("v4", "<= 210", False)],
)
def test_a_gate_is_laxer_where_there_is_no_avx2(monkeypatch, level, gate, ok):
    monkeypatch.setattr(bench.times, "level", lambda: level)
    found = row("enclosure/table", times() | {"enclosure/table": [300.0] * 3})
    assert (found.gate, found.ok) == (gate, ok)


def test_a_gate_may_be_a_floor():
    assert bench.Gate(1.7, at_least=True).accepts(1.7, "v3")
    assert not bench.Gate(1.7, at_least=True).accepts(1.69, "v3")
    assert bench.Gate(30).accepts(30, "v2")
    assert not bench.Gate(30).accepts(30.1, "v2")


# -- the command ----------------------------------------------------------------------------------


@pytest.fixture
def measured(monkeypatch):
    """Replace what `masume bench` measures; the test may change it."""
    found = times()
    monkeypatch.setattr(bench.times, "measure", lambda name, rounds, seed, more: found)
    return found


def test_bench_prints_a_table(measured, capsys):
    measured["turn/batch"] = [901.0] * 3
    assert cli.main(["bench", "kakomimasu"]) == 0
    lines = {line.split("  ")[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert lines["turn/batch"] == [
        "901.00",
        "ns/turn",
        "1,109,878",
        "0",
        "<=",
        "550",
        "MISS",
    ]
    assert lines["turn/state"] == ["150.00", "ns/turn", "6,666,667", "1", "<=", "600", "ok"]
    assert lines["turn/reference"] == ["150.00", "ns/turn", "6,666,667"]


def test_bench_compares_with_an_earlier_report(measured, tmp_path, capsys):
    assert cli.main(["bench", "--json"]) == 0
    before = tmp_path / "before.json"
    before.write_text(capsys.readouterr().out)
    compare = ["bench", "--compare", str(before), "--fail-over", "5%"]
    assert cli.main(compare) == 0
    assert "cases compared, none slower by more than 5%\n" in capsys.readouterr().err
    measured["key/state"] = [104.0, 208.0, 156.0]
    assert cli.main(compare) == 0
    measured["key/state"] = [110.0, 220.0, 165.0]
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        cli.main(compare)
    assert stop.value.code == 1
    assert "kakomimasu key/state: 150.00 -> 165.00 (+10.00%)" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"games": {"kakomimasu": {}}}', "no json"])
def test_bench_refuses_what_is_no_report(measured, tmp_path, capsys, text):
    path = tmp_path / "before.json"
    path.write_text(text)
    assert cli.main(["bench", "--compare", str(path)]) == 1
    assert "compare: " in capsys.readouterr().err


def test_bench_refuses_a_report_of_other_games(measured, tmp_path, capsys):
    assert cli.main(["bench", "kakomimasu", "--json"]) == 0
    path = tmp_path / "before.json"
    path.write_text(capsys.readouterr().out.replace('"kakomimasu"', '"nezumi"'))
    assert cli.main(["bench", "kakomimasu", "--compare", str(path)]) == 1
    assert capsys.readouterr().err == f"masume: compare: {path} has none of the measured cases\n"


@pytest.mark.parametrize("text", ["5", "x%", "-1%", "nan%"])
def test_bench_wants_a_percentage(text):
    with pytest.raises(SystemExit) as stop:
        cli.main(["bench", f"--fail-over={text}"])
    assert stop.value.code == 2


# -- the gate -------------------------------------------------------------------------------------


def test_the_verdict_names_what_grew_by_more_than_two_percent(instructions):
    before = {"a": 1000.0, "b": 1000.0, "c": 1000.0, "d": 1000.0}
    lines, wrong = instructions.verdict(before, {"a": 1030.0, "b": 1020.0, "c": 970.0, "d": 1000.0})
    assert wrong == ["a: 1,000.00 -> 1,030.00 (+3.00%)"]
    assert [line.split()[0] for line in lines] == ["WORSE", "ok", "better", "ok"]


def test_the_verdict_allows_five_percent_where_python_is_in_it(instructions):
    before = {"nezumi turn/state": 100.0, "nezumi turn/table": 100.0}
    _, wrong = instructions.verdict(before, dict.fromkeys(before, 104.0))
    assert wrong == ["nezumi turn/table: 100.00 -> 104.00 (+4.00%)"]
    assert len(instructions.verdict(before, dict.fromkeys(before, 106.0))[1]) == 2


def test_the_verdict_allows_mispredictions_that_moved_code_may_cause(instructions):
    before = {"turn/table, mispredicted": 2.0, "key/table, mispredicted": 0.0}
    assert instructions.verdict(before, {"turn/table, mispredicted": 2.5, "key/table, mispredicted": 0.02})[1] == []
    _, wrong = instructions.verdict(before, {"turn/table, mispredicted": 2.53, "key/table, mispredicted": 0.03})
    assert [line.split(",")[0] for line in wrong] == ["turn/table", "key/table"]


def test_the_verdict_names_cases_without_a_partner(instructions):
    lines, wrong = instructions.verdict({"old": 1.0, "same": 1.0}, {"same": 1.0, "new": 1.0})
    assert len(lines) == 1
    assert wrong == ["old: gone from the cases", "new: not in the baseline"]


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind counts")
def test_a_function_that_grew_is_named(instructions, tmp_path):
    """Compare with a copy in which every mix of a key does one more no-op, 5 % of it."""
    tree = copy_of_checkout(tmp_path / "tree")
    header = tree / "src" / "masume" / "rng.h"
    mix = "masume_mix(uint64_t x) {"
    assert mix in header.read_text()
    header.write_text(header.read_text().replace(mix, mix + ' __asm__ volatile("nop");'))
    before = instructions.count(["kakomimasu"])
    _, wrong = instructions.verdict(before, instructions.count_tree(tree, ["kakomimasu"]))
    assert [line.partition(":")[0] for line in wrong] == ["kakomimasu key/table"]


@pytest.fixture
def gate(instructions, monkeypatch, tmp_path):
    """Return gate() with a baseline of one case; `gate.now` is the count, `gate.base` that of the base commit."""
    baseline = tmp_path / "baseline.json"
    stored = {"tools": {"compiler": "gcc 1"}, "counts": {"turn": 100.0}, "walls": {"turn, by a mix": 3.0}}
    baseline.write_text(json.dumps(stored))
    monkeypatch.setattr(instructions, "walls", lambda: {"turn, by a mix": instructions.wall})
    monkeypatch.setattr(instructions, "wall", 3.0, raising=False)
    monkeypatch.setattr(instructions, "BASELINE", baseline)
    monkeypatch.setattr(instructions, "tools", lambda: {"compiler": instructions.compiler})
    monkeypatch.setattr(instructions, "count", lambda: {"turn": instructions.now})
    monkeypatch.setattr(instructions, "last_change", lambda path: "base-commit")
    monkeypatch.setattr(instructions, "count_commit", lambda commit: {"turn": {"base-commit": 200.0}[commit]})
    monkeypatch.setattr(instructions, "compiler", "gcc 1", raising=False)
    monkeypatch.setattr(instructions, "now", 100.0, raising=False)
    return instructions


def test_the_gate_is_open_for_the_same_count(gate, capsys):
    assert gate.gate() == 0
    assert "turn: 100.00 -> 100.00 (+0.00%)" in capsys.readouterr().out


def test_the_gate_is_shut_for_three_percent_more(gate, capsys):
    gate.now = 103.0
    assert gate.gate() == 1
    assert "gate: turn: 100.00 -> 103.00 (+3.00%)" in capsys.readouterr().out


def test_the_gate_is_shut_for_more_than_twice_the_time(gate, capsys):
    gate.wall = 5.9
    assert gate.gate() == 0
    gate.wall = 6.1
    assert gate.gate() == 1
    assert "gate: turn, by a mix: 3.00 -> 6.10 (+103.33%)" in capsys.readouterr().out


def test_the_gate_counts_the_base_commit_where_the_tools_are_others(gate, capsys):
    gate.compiler, gate.now = "gcc 2", 203.0
    assert gate.gate() == 0
    gate.now = 205.0
    assert gate.gate() == 1
    out = capsys.readouterr().out
    assert "compiler is gcc 2, the baseline's is gcc 1" in out
    assert "gate: turn: 200.00 -> 205.00 (+2.50%)" in out


def test_update_writes_the_baseline(gate):
    gate.now = 50.0
    gate.update()
    assert json.loads(gate.BASELINE.read_text()) == {
        "tools": {"compiler": "gcc 1"}, "counts": {"turn": 50.0}, "walls": {"turn, by a mix": 3.0},
    }  # fmt: skip


def test_the_baseline_holds_every_counted_case(instructions):
    baseline = json.loads((ROOT / "benches" / "baseline.json").read_text())
    counted = [f"{name} {case.name}" for name in bench.workloads() for case in bench.cases(name) if case.counted]
    missed = [f"{case}, mispredicted" for case in counted if not instructions.has_python(case)]
    assert sorted(baseline["counts"]) == sorted([*counted, *missed])
    assert list(baseline["walls"]) == [f"{name} turn/batch, by a mix" for name in bench.workloads()]
    assert set(baseline["tools"]) == {"compiler", "cython", "python", "libc"}


def test_the_counted_function_lets_errors_through():
    def fail():
        raise KeyError("here")

    with pytest.raises(KeyError, match="here"):
        _loops.count(fail)


# -- pages ----------------------------------------------------------------------------------------


def test_the_pages_say_what_the_newest_result_says():
    for path, text in pages.write_pages().items():
        assert path.read_text() == text, f"{path.name}: `python benches/pages.py` writes it anew"


def test_a_measured_part_is_written_anew_and_nothing_else():
    text = "a\n<!-- measured: one -->\nold\n<!-- end -->\nb\n<!-- measured: two -->\n<!-- end -->\n"
    new = pages.fill(text, {"one": lambda: "1\n", "two": lambda: "2\n"})
    assert new == "a\n<!-- measured: one -->\n1\n<!-- end -->\nb\n<!-- measured: two -->\n2\n<!-- end -->\n"
    assert pages.fill(new, {"one": lambda: "1\n", "two": lambda: "2\n"}) == new
    with pytest.raises(KeyError, match="two"):
        pages.fill(text, {"one": lambda: ""})


def test_the_history_is_told_by_the_oldest_report():
    def report(date, ns):
        row = {"name": "turn/batch", "value": ns, "best": ns}
        return {"date": date, "commit": date, "games": {"nezumi": {"rows": [row]}, "chaser": {"rows": [row]}}}

    drawn = pages.history(
        [report("2026-01-01 00:00", 40.0), report("2026-02-01 00:00", 20.0)], "Turn", lambda _: "turn/batch"
    )
    assert drawn.count("<polyline") == 2
    assert re.findall(r'points="60.0,([\d.]+) 490.0,([\d.]+)"', drawn)[0] == ("106.7", "173.3")


def test_a_kept_result_is_a_report_with_more(monkeypatch, tmp_path):
    monkeypatch.setattr(table, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(table, "at_level", lambda level, rounds: {f"nezumi turn/{level}": rounds / 3})
    monkeypatch.setattr(scaling, "measure", lambda name: {"of": name})
    row = {"name": "turn/batch", "value": 12.3456789, "best": 1.0}
    path = table.keep({"level": "v4", "games": {"nezumi": {"rows": [row]}}}, rounds=1)
    found = json.loads(path.read_text())
    assert bench.figures(path.read_text()) == {"nezumi turn/batch": 12.346}
    assert found["levels"] == {name: {f"nezumi turn/{name}": 0.33333} for name in _wide.levels() if name != "v4"}
    assert found["scaling"] == {name: {"of": name} for name in bench.workloads()}
    assert path.name.endswith(f"-{found['commit']}.json")
    assert found["packages"]["gymnasium"] == version("gymnasium")


# -- growth ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", bench.workloads())
@pytest.mark.parametrize("size", [1, 8, 512, 2048])
def test_batches_of_all_sizes_play_what_was_recorded(plays, name, size):
    work = scaling.steps(plays[name], size)
    assert work.units == max(size, 1024)
    for _ in range(2):
        work.before()
        with pytest.raises(AssertionError):
            work.check()
        work.run()
        work.check()


def test_growing_work_is_measured():
    found = scaling.measure("chaser", rounds=1)
    assert [row["size"] for row in found["sizes"]] == list(scaling.SIZES)
    assert all(row["1"] > 0 < row["2"] for row in found["sizes"])
    assert found["sizes"][0]["views"] > 0
    assert found["sizes"][-1]["views"] is None  # too many bytes
    assert {row["what"]: row["1"] / row["2"] for row in found["threads"]} == pytest.approx(
        {row["what"]: row["ratio"] for row in found["threads"]}
    )
    assert all(board["ns"] > 0 for board in found["growth"]["boards"])
    assert found["memory"]["state"] == masume.load("chaser").state_size


@pytest.mark.parametrize("name", bench.workloads())
def test_boards_grow(name):
    (smallest, *_), *_, (largest, *_) = found = list(scaling.grow(name, 0))
    assert smallest != largest
    assert all(work.units > 0 for *_, work in found)
    assert [row for row, *_ in found] == sorted(row for row, *_ in found)

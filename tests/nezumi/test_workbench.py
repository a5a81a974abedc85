"""`masume stage`: findings are true, balance counts the games of selfplay, solve prints the solver's value."""

import itertools
import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import masume
import shell
from masume import cli, render
from masume.core.rng import Rng
from masume.errors import StageError
from masume.nezumi import stages
from masume.nezumi.commands import EXCERPT, WORKBENCH
from masume.nezumi.stages import Stage, generate
from masume.nezumi.workbench import balance, findings, page
from masume.search import solve

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
HEAD = "nezumi-stage 1\nname: tiny\nmax_mice: 2\nrequire: 1\nturns: 6\nfood: a crumb 2mg\nfood: b cheese 5mg\nmap:\n"
TINY = HEAD + "Z.a..\nZ#.#b\n..a.C\n"


def run(capsys, *arguments):
    """Return (exit code, stdout, stderr) of the command."""
    try:
        code = cli.main(["stage", *map(str, arguments)])
    except SystemExit as caught:
        code = caught.code
    return code, *capsys.readouterr()


def run_json(capsys, *arguments):
    return shell.run_json(capsys, "stage", *arguments)


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.stage"
    path.write_text(TINY)
    return path


def make_stage(rows, food="a", max_mice=2, require=1, turns=6, amount="2mg"):
    """Return the stage of a map."""
    lines = [f"max_mice: {max_mice}", f"require: {require}", f"turns: {turns}", f"food: {food} crumb {amount}"]
    return Stage.parse("\n".join(["nezumi-stage 1", "name: own", *lines, "map:", *rows.split("/")]))


# -- all tasks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WORKBENCH)
def test_help_of_every_task_has_an_example(name, capsys):
    code, output, _ = run(capsys, name, "--help")
    text = " ".join(output.split())
    assert code == 0
    assert f"example: {WORKBENCH[name].example}" in text
    assert "--json" in text
    assert "--seed SEED" in text
    cli.parser().parse_args(WORKBENCH[name].example.split()[1:])


@pytest.mark.parametrize("name", ["check", "balance", "solve"])
@pytest.mark.parametrize("given", ["nowhere", "."])
def test_what_is_no_stage_is_an_error_of_one_line(name, given, capsys):
    code, output, error = run(capsys, name, given)
    assert (code, output) == (1, "")
    assert (
        error == f"masume: stage: no such file, and unknown stage {given!r} (known: {', '.join(stages.load_named())})\n"
    )


def test_common_options_may_stand_on_either_side(capsys):
    before = run(capsys, "--json", "check", "garden")
    assert before == run(capsys, "check", "garden", "--json")
    assert json.loads(before[1])["valid"]


# -- check ---------------------------------------------------------------------------------------


def test_check_tells_where_a_stage_is_wrong(capsys, tiny):
    tiny.write_text(TINY.replace("#b", "#q"))
    code, output, error = run(capsys, "check", tiny)
    assert (code, error) == (1, "")
    wrong, line, mark = output.splitlines()
    assert wrong == f"{tiny}: stage: line 10, column 5: map: 'q' has no food line [S12]"
    assert line[mark.index("^")] == "q"
    code, output, _ = run(capsys, "check", tiny, "--json")
    assert code == 1
    fault = {"code": "S12", "line": 10, "column": 5, "message": "map: 'q' has no food line"}
    assert json.loads(output) == {"stage": str(tiny), "valid": False, "error": fault}


def test_the_mark_is_under_the_column_whatever_is_on_the_line(capsys, tiny):
    tiny.write_text(TINY.replace("turns: 6", "turns:\t\x1b 6"))
    code, output, _ = run(capsys, "check", tiny)
    assert code == 1
    assert output.splitlines()[1:] == ["    turns:   6", "           ^"]


def test_of_a_long_line_the_part_around_the_column_is_shown(capsys, tiny):
    tiny.write_text(TINY.replace("turns: 6", f"turns:{' ' * 300}6x{' ' * 300}"))
    _, output, _ = run(capsys, "check", tiny)
    wrong, line, mark = output.splitlines()
    assert "turns: expected 1..9999, got '6x'" in wrong
    assert line[mark.index("^") :].startswith("6x")
    assert len(line) == 4 + EXCERPT


def test_check_of_other_tasks_is_an_error_too(capsys, tiny):
    tiny.write_text(TINY.replace("C", "."))
    for name in ("balance", "solve"):
        code, output, error = run(capsys, name, tiny)
        assert (code, output) == (1, "")
        assert error == "masume: stage: line 9, column 1: map: expected one C, got 0 [S10]\n"


def test_check_shows_a_stage_in_numbers(capsys, tiny):
    code, output, _ = run(capsys, "check", tiny)
    assert code == 0
    assert "\nZ.a..\nZ#.#b\n..a.C\n" in output
    assert output.endswith("Nothing is odd about it.\n")
    facts = run_json(capsys, "check", tiny)
    numbers = facts["numbers"]
    told = ("walls", "cells_of_the_cat", "cat_to_zone", "zone_to_food", "one_mouse_costs_mg", "food_mg")
    assert [numbers[name] for name in told] == [2, 13, 5, 2, 7, 9]
    assert (facts["stage"], facts["valid"], facts["findings"]) == (str(tiny), True, [])


@pytest.mark.parametrize("name", stages.NAMES)
def test_nothing_is_odd_about_the_shipped_stages(name):
    assert findings.findings(stages.load_shipped()[name]) == []


ODD = [
    ("cat-wins", make_stage("C....Z.....a", turns=8, max_mice=1), "0,0"),
    ("mice-win", make_stage("Za.#C/.....", amount="7mg"), "0,1"),
    ("stuck-cat", Stage("own", 1, 3, (0, 1, 0), (1, 0, 1), (0, 0, 0), 0, 1, 1, 1), "0,0"),
    ("never-meet", make_stage("Za......../.........C", turns=2, max_mice=1), ""),
    ("no-quota", make_stage("Z...a/....C", turns=2, max_mice=5, require=4), ""),
    ("no-surround", make_stage("Z.a......C", max_mice=3), ""),
    ("no-pay", make_stage("Z.....a/......C", max_mice=1, amount="5mg", turns=9), ""),
    ("far-food", make_stage("Z..a.a/.....C", turns=3, max_mice=1), "0,5"),
    ("jump-food", make_stage("ZZ...a/.....C", turns=3, max_mice=2), "0,5"),
    ("cut-off-zone", make_stage("Z.a#Z/..C#."), "0,4"),
    ("nowhere", make_stage("Z.a#./..C##"), "0,4"),
    ("unused-food", make_stage("Z.../...C"), ""),
]


def test_every_kind_of_finding_is_tested():
    assert [kind for kind, _, _ in ODD] == list(findings.KINDS)


@pytest.mark.parametrize(("kind", "stage", "places"), ODD, ids=findings.KINDS)
def test_what_is_odd_is_found(kind, stage, places):
    (finding,) = [one for one in findings.findings(stage) if one.kind == kind]
    assert " ".join(f"{cell // stage.width},{cell % stage.width}" for cell in finding.cells) == places
    for place in places.split():
        assert place in finding.text or len(finding.cells) == 1


def test_findings_come_in_the_order_of_their_weight(capsys, tmp_path):
    path = tmp_path / "odd.stage"
    path.write_text(ODD[0][1].to_text())
    told = run_json(capsys, "check", path)["findings"]
    kinds = [one["kind"] for one in told]
    assert kinds == sorted(kinds, key=findings.KINDS.index)
    assert {"cat-wins", "no-pay"} <= set(kinds)
    assert told[0]["cells"] == [[0, 0]]
    assert run(capsys, "check", path)[1].splitlines()[-len(told) :] == [one["text"] for one in told]


def random_stage(seed, width, most):
    """Return a stage of up to three rows of up to `width` cells, with 1..most mice and 1..most turns."""
    rng = Rng(seed)
    while True:
        height, columns = 1 + rng.below(3), 2 + rng.below(width - 1)
        cells = range(height * columns)
        wall = [int(rng.below(4) == 0) for _ in cells]
        zone = [int(not is_wall and rng.below(3) == 0) for is_wall in wall]
        food = [0 if is_wall or rng.below(2) else 1 + rng.below(5) for is_wall in wall]
        mice = 1 + rng.below(most)
        numbers = (rng.below(len(cells)), mice, 1 + rng.below(mice), 1 + rng.below(most))
        try:
            return Stage("tiny", height, columns, wall, zone, food, *numbers)
        except StageError:
            continue


def test_whom_a_plan_lets_win_wins_with_perfect_play():
    known = {"cat-wins": 1, "mice-win": -1}
    seen = []
    for seed in range(600):
        stage = random_stage(seed, 4, 3)
        kinds = [one.kind for one in findings.findings(stage) if one.kind in known]
        if kinds:
            value = solve(masume.load("nezumi", stage=stage).new_state(), "returns").values[0]
            assert [known[kind] for kind in kinds] == [value], seed
            seen += kinds
    assert min(seen.count(kind) for kind in known) >= 20


def test_what_is_said_not_to_happen_does_not():
    seen = dict.fromkeys(("never-meet", "no-quota", "no-surround", "no-pay", "far-food", "stuck-cat"), 0)
    for seed in range(1500):
        stage = random_stage(seed, 12, 5)
        odd = {one.kind: one for one in findings.findings(stage)}
        for kind in seen.keys() & odd.keys():
            seen[kind] += 1
        for state in ends(stage, seed) if seen.keys() & odd.keys() else ():
            if "never-meet" in odd:
                assert (state.captured, state.result) == (0, 3)
            if "no-quota" in odd:
                assert state.result != 2
            if "no-surround" in odd:
                assert state.result != 1
            if "no-pay" in odd and not state.captured:
                assert state.result == 1 or state.score < 0
            if "far-food" in odd:
                assert all(state.food.flat[cell] for cell in odd["far-food"].cells)
            if "stuck-cat" in odd:
                assert state.cat == divmod(stage.cat, stage.width)
    assert min(seen.values()) >= 3, seen


def ends(stage, seed):
    """Yield the final states of random games."""
    rng = Rng(seed)
    game = masume.load("nezumi", stage=stage)
    for _ in range(8):
        state = game.new_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply(int(legal[rng.below(len(legal))]))
        yield state


# -- balance -------------------------------------------------------------------------------------


def test_balance_counts_what_selfplay_plays(capsys, tiny, tmp_path):
    out = tmp_path / "out"
    command = ("balance", tiny, "--agents", "random", "greedy", "--games", 9, "--seed", 4, "--out", out)
    told = run_json(capsys, *command)
    assert [(row["cat"], row["mice"]) for row in told["pairings"]] == [
        ("random", "random"), ("random", "greedy"), ("greedy", "random"), ("greedy", "greedy"),
    ]  # fmt: skip
    assert json.loads((out / "balance.json").read_text()) == told
    records = masume.load_records(out / "games" / "0-1")
    for row, turn in zip(told["pairings"][1:3], (0, 1), strict=True):
        mine = records["agents"][:, 0] == turn
        assert row["games"] == mine.sum() == 9
        assert row["mice_won"] == (records["returns"][mine, 1] == 1).sum()
        assert row["score"]["mean"] == pytest.approx(records["scores"][mine, 1].mean())
        assert (row["score"]["min"], row["score"]["max"]) == (
            records["scores"][mine, 1].min(), records["scores"][mine, 1].max()
        )  # fmt: skip
        assert sum(row["ends"].values()) == 9
    for row in told["pairings"]:
        assert row["food"]["mean"] - row["cost"]["mean"] == pytest.approx(row["score"]["mean"])
        assert 0 <= row["captured"]["min"] <= row["captured"]["max"] <= 1
        assert row["turns"]["max"] <= 6
        for measure in balance.MEASURES:
            bars = np.array(row[measure]["bars"])
            assert bars.sum(axis=0).tolist() == [9 - row["mice_won"], row["mice_won"]]
            assert len(bars) == len(told["edges"][measure]) - 1 <= balance.BINS + 1
    assert run_json(capsys, *command) == told  # the games are kept, not played again
    assert run_json(capsys, *command[:-2]) == told
    assert run_json(capsys, *command[:-2], "--threads", 2) == told


def test_balance_prints_a_table_and_what_it_says(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, output, _ = run(capsys, "balance", "garden", "--agents", "crafty", "random", "--games", 5, "--out", "out")
    assert code == 0
    head, *rows = output.split("\n\n")[0].splitlines()
    assert re.split(r"  +", head)[:8] == [
        "cat", "mice", "games", "mice won", "95 %", "by surround", "by captures", "by turns"
    ]  # fmt: skip
    assert re.split(r"  +", head)[8:] == list(balance.MEASURES)
    assert [row.split()[:3] for row in rows] == [
        [cat, mice, "5"] for cat in ("crafty", "random") for mice in ("crafty", "random")
    ]
    assert "\nThe best cat of these is crafty: no mice win more than" in output
    assert output.endswith("page: out/balance.html\n")
    page = (tmp_path / "out" / "balance.html").read_text()
    assert page.count('<svg class="masume"') == 4 * len(balance.MEASURES)
    for link in re.findall(r'<a href="([^"]+)"', page):
        assert (tmp_path / "out" / link).exists()
    told = re.search(r'<meta http-equiv="Content-Security-Policy" content="[^"]+">', render.page([], title="x"))
    policy = told[0]
    assert page.index(policy) < page.index("<style>")
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace(policy, "")


def pairing(cat, mice, won, of=10):
    """Return a Pairing of which the mice won `won` games, all at the turn limit."""
    scores = np.arange(of) - of // 2
    measures = dict.fromkeys(balance.MEASURES, scores)
    return balance.Pairing(cat, mice, measures, np.full(of, 3), np.arange(of) < won, None)


@pytest.mark.parametrize(
    ("won", "told"),
    [
        ((1, 2, 3, 0), "Hard for the mice: against the best cat the best mice should win 30% or more."),
        ((8, 9, 10, 9), "Easy for the mice: against the best cat the best mice should win 70% or less."),
        ((3, 5, 8, 2), None),
    ],
)
def test_a_stage_is_judged_by_its_best_players(won, told):
    pairs = [(cat, mice) for cat in "ab" for mice in "ab"]
    said = balance.judge([pairing(*names, count) for names, count in zip(pairs, won, strict=True)])
    best = max((min(won[0], won[2]), "a"), (min(won[1], won[3]), "b"))
    cat = min((max(won[:2]), "a"), (max(won[2:]), "b"))
    assert said[0] == f"The best mice of these are {best[1]}: they win {best[0] / 10:.1%} or more against every cat."
    assert said[1] == f"The best cat of these is {cat[1]}: no mice win more than {cat[0] / 10:.1%} against it."
    assert said[-1] == "No game ended by surround or captures."
    assert said[2:-1] == ([told] if told else [])


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([3, 3], [3, 4]),
        ([-2, 1], [-2, -1, 0, 1, 2]),
        ([-7, 30], [-10, -5, 0, 5, 10, 15, 20, 25, 30, 35]),
        ([0, 10**6], list(range(0, 1_000_001 + 100_000, 100_000))),
    ],
)
def test_the_bars_of_a_histogram_have_round_edges(values, wanted):
    one = pairing("a", "b", 1, 2)._replace(measures={"score": np.array(values)})
    edges = balance.edges_of([one], "score")
    assert edges.tolist() == wanted
    bars = balance.bars_of(one, "score", edges)
    assert np.array(bars).sum(axis=0).tolist() == [1, 1]


@pytest.mark.parametrize(("number", "told"), [(0, "0"), (-999, "-999"), (1000, "1k"), (-3400, "-3.4k"), (10**6, "1M")])
def test_large_numbers_are_told_in_few_letters(number, told):
    assert page._brief(number) == told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "0"], "masume: games: expected 1..1000000, got 0"),
        (["--agents", "deep"], "masume: agents: unknown agent 'deep' (known: random, prowler, greedy, crafty"),
        (["--threads", "-1"], "masume: threads: expected"),
        (["--out", "/dev/null/x"], "masume: /dev/null/x/games/0: Not a directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_balance_refuses_what_it_cannot_do(arguments, message, capsys):
    code, _, error = run(capsys, "balance", "garden", *arguments)
    assert code == 1
    assert error.splitlines()[-1].startswith(message)


# -- solve ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", ["scores", "returns"])
def test_solve_says_what_solve_finds(objective, capsys, tiny):
    game = masume.load("nezumi", stage=TINY)
    known = solve(game.new_state(), objective)
    told = run_json(capsys, "solve", tiny, "--objective", objective)
    assert (told["value"], told["states"], told["objective"]) == (known.values[1], known.num_states, objective)
    assert len(told["lines"]) == len(known.lines)
    for parts, line in zip(told["lines"], known.lines, strict=True):
        state = game.new_state()
        players = []
        for part in parts:
            players.append(state.current_player)
            for text in part:
                assert state.current_player == players[-1]
                state.apply(state.text_to_action(text))
        assert state.is_terminal()
        assert state.history is None or list(state.history) == list(line)
        assert all(one != other for one, other in itertools.pairwise(players))
        assert (state.scores() if objective == "scores" else state.returns())[1] == told["value"]


def test_solve_names_the_winner(capsys, tmp_path):
    path = tmp_path / "own.stage"
    for stage, score, winner in ((make_stage("Za.#C/.....", amount="7mg"), "+", "mice"), (ODD[0][1], "-", None)):
        path.write_text(stage.to_text())
        told = run_json(capsys, "solve", path)
        assert f"{told['value']:+}"[0] == score or told["value"] == 0
        assert told["winner"] == winner
        _, output, _ = run(capsys, "solve", path)
        assert f"the mice end with {told['value']:+} mg" in output
        assert ("The mice win with perfect play." in output) == (winner == "mice")
        assert ("--objective returns shows" in output) == (winner is None)
    assert run_json(capsys, "solve", path, "--objective", "returns")["winner"] == "cat"
    assert "The cat wins with perfect play." in run(capsys, "solve", path, "--objective", "returns")[1]


def test_a_value_of_the_rules(capsys, tmp_path):
    """Section 4.4 gives the value of perfect play on this stage."""
    path = tmp_path / "generated.stage"
    path.write_text(generate(1, 6, 6, 20, 2, 3, 5, 0, 2))
    assert run_json(capsys, "solve", path)["value"] == -5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["garden", "--max-states", "1000"],
            "masume: solve: stopped after max_states=1000 positions; pass a larger max_states\n",
        ),
        (["garden", "--max-states", "0"], "masume: max_states: expected"),
    ],
)
def test_solve_refuses_what_is_too_large(arguments, message, capsys):
    code, output, error = run(capsys, "solve", *arguments)
    assert (code, output) == (1, "")
    assert error.startswith(message)


# -- the tutorial --------------------------------------------------------------------------------


def blocks(name):
    """Return the fenced blocks of a tutorial."""
    return re.findall(r"^```\n(.*?)^```$", (TUTORIALS / name).read_text("utf-8"), re.MULTILINE | re.DOTALL)


EDITS = {  # by number of the following command: the changes that the tutorial asks for
    1: [("..a.d", "..a.c")],
    2: [("food: b bean 4mg\n", ""), ("turns: 4", "turns: 12")],
    3: [("crumb 2mg", "crumb 3mg"), ("cheese 8mg", "cheese 12mg")],
}


def test_the_tutorial_goes_as_it_says(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stage, *rest = blocks("nezumi-stage.md")
    path = Path("cellar.stage")
    path.write_text(stage, encoding="utf-8")
    commands = 0
    told = ""
    for block in rest:
        if not block.startswith("masume "):
            assert block in told
            continue
        for old, new in EDITS.get(commands, ()):
            assert old in path.read_text(encoding="utf-8")
            path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        if commands == 2:
            assert run(capsys, "check", path)[1].endswith("Nothing is odd about it.\n")
        arguments = shlex.split(block)[1:]
        cli.parser().parse_args(arguments)
        if arguments[0] == "stage":
            told = "".join(run(capsys, *arguments[1:])[1:])
        commands += 1
    assert commands == 7
    assert Path("cellar/balance.html").exists()


def test_both_tutorials_show_the_same():
    assert blocks("nezumi-stage.md") == blocks("nezumi-stage.ja.md")

"""The text that programs read and write: state blocks, the lines of a turn, names. [section 14]"""

import pytest

import masume
from masume.core.rng import Rng
from masume.errors import NotationError, StateError
from masume.records.replay import Replay
from masume.referee.seat import TIMEOUT, Fault
from masume.terraforming import blocks, hexes, protocol
from masume.terraforming.blocks import Turn, block, name_of, parse_block
from masume.terraforming.buildings import BUILDABLE
from masume.terraforming.config import Config
from masume.terraforming.maps import Map, generate
from masume.terraforming.notation import FINISH
from masume.terraforming.reference import State

from .conftest import cell, config_of, play

TOWN = ". . . / . a4 AX0 AX0 / . AX0 AQ2+4 a0 AX0 / . #a3 b6 . / # . cBI2".replace("cBI2", "BI2")
CONTEST = Config.make(ruleset="contest", radius=2)


def town():
    return State.parse(CONTEST, "player 1 / ply 5 / " + TOWN)


# -- blocks -----------------------------------------------------------------------------------------


def test_lines_of_a_block(implementation):
    state = implementation.parse("player 1 / ply 5 / " + TOWN, ruleset="contest")
    lines = block(config_of(state), state.to_dict(), 1).splitlines()
    assert lines[:3] == ["START", "2 200 1", "3 19"]
    assert lines[-1] == "EOS"
    assert len(lines) == 19 + 4
    told = {tuple(map(int, line.split()[:2])): line.split(" ", 2)[2] for line in lines[3:-1]}
    assert list(told) == list(hexes.cells(2))
    assert told[0, 0] == "0 2 0 base town"
    assert told[1, 0] == "0 0 4 settlement none"
    assert told[-1, 1] == "0 3 0 hole hole"
    assert told[-2, 2] == "-1 0 0 hole hole"
    assert told[-2, 0] == "-1 0 0 wasteland none"
    assert told[0, 2] == "1 2 0 base initial"
    assert told[0, 1] == "1 6 1 settlement none"


def test_every_word_is_written_and_read(implementation):
    """TF-R36, 14.7: each ruleset has its words; the landforms are the same."""
    for ruleset, listed in BUILDABLE.items():
        letters = "FTXBPQSU"[: len(listed)]
        bonus = {"U": "+10"}
        tokens = [f"A{letter}1{bonus.get(letter, '')}" for letter in letters] + ["."] * (19 - len(letters))
        cells = iter(tokens)
        board = " / ".join(" ".join(next(cells) for _ in row) for row in hexes.rows(2))
        state = implementation.parse(board, ruleset=ruleset)
        config = config_of(state)
        text = block(config, state.to_dict(), 0)
        assert {line.split()[-1] for line in text.splitlines()[3:-1]} == {"none", *(one.word for one in listed)}
        assert parse_block(config, text) == state.to_dict()


def test_a_block_reads_back_but_for_what_it_does_not_tell(implementation):
    """Section 4.3: a block has no moved and no phase, nor the bonuses of towns, which may be given. [TF-R39]"""
    state = implementation.parse("player 1 / ply 5 / phase move / " + TOWN.replace("b6", "b6/2"), ruleset="contest")
    text = block(CONTEST, state.to_dict(), 1)
    fresh = town().to_dict()
    bare = parse_block(CONTEST, text)
    assert bare == fresh | {"bonus": [0] * 19}
    assert parse_block(CONTEST, text, {(0, 0): 4}) == fresh
    assert implementation.from_dict(bare, ruleset="contest", radius=2).to_dict() == bare
    assert parse_block(CONTEST, text.replace("\n", "\r\n"), {(0, 0): 4}) == fresh
    assert parse_block(CONTEST, text.removesuffix("\n"), {(0, 0): 4}) == fresh


def test_cells_of_a_block_may_come_in_any_order():
    lines = block(CONTEST, town().to_dict(), 1).splitlines()
    mixed = lines[:3] + lines[3:-1][::-1] + ["EOS"]
    assert parse_block(CONTEST, "\n".join(mixed), {(0, 0): 4}) == town().to_dict()


def test_a_replay_as_state_blocks():
    """One block per turn, for the player whose turn it is, as it was written in the match. [14.1]"""
    game = masume.load("terraforming", radius=2, max_turns=4)
    state, rng = game.new_state(6), Rng(2)
    sent, moves = [block(game.config, state.to_dict(), 0)], []
    while not state.is_terminal():
        legal = state.legal_actions()
        moves.append(int(legal[rng.below(len(legal))]))
        state.apply(moves[-1])
        if moves[-1] == FINISH and not state.is_terminal():
            sent.append(block(game.config, state.to_dict(), state.current_player))
    replay = Replay(game, 6, ["x"] * 3, moves, state.returns().tolist(), state.scores().tolist())
    assert list(blocks.blocks(replay.states())) == sent
    assert [text.split()[1:4] for text in sent[:4]] == [
        ["1", "4", "0"],
        ["1", "4", "1"],
        ["1", "4", "2"],
        ["2", "4", "0"],
    ]
    assert len(sent) == 12


def test_the_block_of_the_name_phase():
    config = Config(radius=1)
    variables = generate(config, 1).variables()
    for player in range(3):
        text = block(config, variables, player)
        assert text.splitlines()[1] == f"0 200 {player}"
        assert parse_block(config, text) == variables


GOOD = block(CONTEST, town().to_dict(), 1).splitlines()
BAD = {
    "no start": ([*GOOD[1:]], 1),
    "empty": ([""], 1),
    "cut off": (GOOD[:10], 10),
    "no end": (GOOD[:-1], 22),
    "another end": ([*GOOD[:-1], "EOF"], 23),
    "a line more": ([*GOOD, "START"], 23),
    "turn above the last": ([GOOD[0], "201 200 1", *GOOD[2:]], 2),
    "turn below 0": ([GOOD[0], "-1 200 1", *GOOD[2:]], 2),
    "player 3": ([GOOD[0], "2 200 3", *GOOD[2:]], 2),
    "max_turns of another game": ([GOOD[0], "2 100 1", *GOOD[2:]], 2),
    "two numbers": ([GOOD[0], "2 200", *GOOD[2:]], 2),
    "a plus sign": ([GOOD[0], "+2 200 1", *GOOD[2:]], 2),
    "two blanks": ([GOOD[0], "2  200 1", *GOOD[2:]], 2),
    "size of no board": ([*GOOD[:2], "3 20", *GOOD[3:]], 3),
    "another board": (
        block(Config(radius=1, max_turns=200), generate(Config(radius=1), 1).variables(), 1).splitlines(),
        3,
    ),
    "a cell twice": ([*GOOD[:4], GOOD[3], *GOOD[5:]], 5),
    "a cell off the board": ([*GOOD[:3], "9 0 -1 0 0 wasteland none", *GOOD[4:]], 4),
    "owner 3": ([*GOOD[:3], GOOD[3].replace("-1 0 0 w", "3 0 0 w"), *GOOD[4:]], 4),
    "robots below 0": ([*GOOD[:3], GOOD[3].replace("-1 0 0 w", "1 -1 1 w"), *GOOD[4:]], 4),
    "a word of the other ruleset": ([line.replace("excavator", "pit") for line in GOOD], 8),
    "a landform that does not fit": ([line.replace("settlement", "base") for line in GOOD], 12),
    "a number of letters": ([*GOOD[:3], GOOD[3].replace(" 0 0 w", " x 0 w"), *GOOD[4:]], 4),
}


@pytest.mark.parametrize(("lines", "line"), BAD.values(), ids=BAD)
def test_blocks_that_are_refused(lines, line):
    with pytest.raises(NotationError) as caught:
        parse_block(CONTEST, "\n".join(lines))
    assert caught.value.line == line
    assert caught.value.column >= 1


def test_material_must_be_what_it_is():
    text = "\n".join(GOOD).replace("0 0 4 settlement", "0 0 3 settlement")
    with pytest.raises(StateError, match=r"^material: 3 on \(1, 0\), where it is 4"):
        parse_block(CONTEST, text)


@pytest.mark.parametrize("bonuses", [{(0, 0): 41}, {(0, 0): -1}, {(0, 0): True}, {(1, 0): 1}, {(9, 9): 1}])
def test_bonuses_that_cannot_be(bonuses):
    with pytest.raises(StateError, match=r"^bonuses: "):
        parse_block(CONTEST, "\n".join(GOOD), bonuses)


def test_a_square_has_no_bonus():
    config = Config(radius=2)
    state = State.parse(config, "ply 5 / player 1 / " + TOWN.replace("+4", ""))
    text = block(config, state.to_dict(), 1)
    assert parse_block(config, text) == state.to_dict()
    with pytest.raises(StateError, match=r"^bonuses: "):
        parse_block(config, text, {(0, 0): 1})


def test_an_impossible_block_is_the_states_to_refuse():
    text = "\n".join(GOOD).replace("0 1 1 6 1 settlement none", "0 1 -1 6 0 wasteland none")
    with pytest.raises(StateError, match=r"^owner"):
        State.from_dict(CONTEST, parse_block(CONTEST, text))


def test_a_block_makes_a_map():
    """Section 4.3: only a block of ply 0 is a map."""
    config = Config(radius=1)
    its = generate(config, 1)
    assert Map.parse(block(config, its.variables(), 2)) == its
    with pytest.raises(masume.ConfigError, match=r"^map: "):
        Map.parse(block(config, State.new(config, 1).to_dict(), 0))


# -- the lines of a turn ----------------------------------------------------------------------------

LINES = {
    "move 0 0 r 3": "ok",
    "  move 0 0 r 3 \t": "ok",
    "move  0   0 r +3": "ok",
    "move 0 0 r 003": "ok",
    "move -0 +0 r 3": "ok",
    "\x00move 0 0 r 3\x1f": "ok",
    "move 0 0 r -3": "illegal",
    "move 0 0 r 2147483647": "illegal",
    "move 0 0 r -2147483648": "illegal",
    "move 2147483647 0 r 1": "illegal",
    "move 0 0 r 2147483648": "bad",
    "move 0 0 r -2147483649": "bad",
    "move 0 0 r " + "9" * 5000: "bad",
    "move 0 0 r " + "0" * 5000 + "3": "ok",
    "move 0 0 r 3 4": "bad",
    "move 0 0 r": "bad",
    "move 0 0 R 3": "bad",
    "move 0 0 right 3": "bad",
    "move 0\t0 r 3": "bad",
    "move 0 0 r 3.0": "bad",
    "move 0 0 r ３": "bad",
    "move 0 0 r 0x3": "bad",
    "Move 0 0 r 3": "bad",
    "move": "bad",
    "": "bad",
    "   ": "bad",
    "go": "bad",
    "build 0 0 house": "ok",
    "build 0 0 h": "ok",
    "build 0 0 ho": "ok",
    "build 0 0 houses": "bad",
    "build 0 0 t": "bad",
    "build 0 0 to": "bad",
    "build 0 0 tow": "bad",
    "build 0 0 town": "illegal",
    "build 0 0 initial": "bad",
    "build 0 0 i": "bad",
    "build 0 0 none": "bad",
    "build 0 0 House": "bad",
    "build 0 0 park": "bad",
    "build 0 0": "bad",
    "build 0 0 house 1": "bad",
    "build 9 0 house": "illegal",
    "reset": "ok",
    " reset ": "ok",
    "reset 1": "bad",
    "finish": "finish",
    " \tfinish\r": "finish",
    "finish now": "bad",
    "finish.": "bad",
    "FINISH": "bad",
}
OPEN = "ply 4 / . . . / . a30 a9 . / . a9 a30 a9 . / . . . . / . . ."


@pytest.mark.parametrize(("line", "verdict"), LINES.items(), ids=[ascii(line)[:40] for line in LINES])
def test_a_line(implementation, line, verdict):
    """14.5, TF-R33, TF-R45: malformed lines have no effect, illegal commands are skipped."""
    state = implementation.parse(OPEN, ruleset="contest")
    before = state.to_dict()
    turn = Turn(config_of(state), state)
    assert turn.take(line) == verdict
    if verdict in ("bad", "finish"):
        assert turn.state.to_dict() == before
    assert len(turn.actions) == (verdict == "ok" and "reset" not in line)
    assert state.to_dict() == before


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("p", "bad"),
        ("s", "bad"),
        ("pa", "ok"),
        ("pi", "ok"),
        ("pu", "illegal"),
        ("sq", "illegal"),
        ("b", "illegal"),
    ],
)
def test_prefixes_of_the_rulebook(implementation, line, verdict):
    state = implementation.parse(OPEN)
    assert Turn(config_of(state), state).take(f"build 0 0 {line}") == verdict


def test_tf_r35_reset(implementation):
    """TF-R35: `reset` may be repeated and frees the choice of the turn; the rulebook does not have it."""
    state = implementation.parse(OPEN, ruleset="contest")
    turn = Turn(config_of(state), state)
    for _ in range(2):
        assert [turn.take(line) for line in ("move 0 0 r 3", "build 0 0 house", "reset")] == ["ok", "illegal", "ok"]
        assert turn.actions == []
        assert turn.state.to_dict() == state.to_dict()
    assert turn.take("build 0 0 house") == "ok"
    assert turn.take("move 1 0 r 1") == "illegal"
    assert turn.take("reset") == "ok"
    assert turn.take("build 0 0 bridge") == "illegal"  # it locks the turn
    assert turn.take("build 0 0 house") == "illegal"
    rulebook = implementation.parse(OPEN)
    assert Turn(config_of(rulebook), rulebook).take("reset") == "bad"


def test_tf_r33_a_turn_is_what_was_legal(implementation):
    """TF-R33: the recorded actions of a turn lead to the same position as its lines. [TF-R19]"""
    state = implementation.parse(OPEN, ruleset="contest")
    lines = ["move 0 0 r 3", "junk", "move 0 0 r 99", "move 9 9 r 1", "build 0 0 house", "move 0 0 dl 5", "finish"]
    turn = Turn(config_of(state), state)
    assert [turn.take(line) for line in lines] == ["ok", "bad", "illegal", "illegal", "illegal", "ok", "finish"]
    again = state.clone()
    for action in turn.actions:
        again.apply(action)
    assert again.to_dict() == turn.state.to_dict()
    assert cell(again, -1, 1) == "a5/5"


def test_the_lock_of_a_command_without_a_code(implementation):
    """TF-R26: whatever is on the first cell, whose code replaces those of cells off the board."""
    for first in (".", "#", "a99", "#a99", "AI99"):
        board = f"{first} a99 a99 / a99 a99 a99 a99 / . a30 a30 a9 . / . . . . / . . ."
        state = implementation.parse(board, ruleset="contest")
        before = state.to_dict()
        found, verdicts = play(state, "build 9 9 house")
        assert verdicts == ["illegal"]
        assert found.to_dict() == before | {"phase": 2}


def test_random_lines_never_harm(implementation):
    """With protocol words in any order, each line has a verdict and the position keeps its invariants."""
    words = [
        "move",
        "build",
        "finish",
        "reset",
        "0",
        "1",
        "-1",
        "9",
        "r",
        "dl",
        "house",
        "to",
        "",
        "\t",
        "x",
        "99999999999",
    ]
    rng = Rng(5)
    state = implementation.parse(OPEN, ruleset="contest", illegal_locks=False)
    seen = set()
    for _ in range(3000):
        line = " ".join(words[rng.below(len(words))] for _ in range(rng.below(7)))
        if rng.below(2):
            parts = ("-1", "0", "1"), ("-1", "0", "1"), hexes.DIRECTIONS, ("0", "1", "2")
            line = " ".join(["move", *(part[rng.below(len(part))] for part in parts)])
        state, verdicts = play(state, line)
        seen |= set(verdicts)
        state.check()
    assert seen == {"ok", "illegal", "bad"}


# -- names and penalties ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("bot", "bot"),
        ("  my bot\t\r", "my bot"),
        ("", "nanashi"),
        (" \t\x00", "nanashi"),
        ("x" * 30, "x" * 20),
        (" " + "ab" * 15, "ab" * 10),
        ("ボット", "ボット"),
    ],
)
def test_tf_r45_names(line, name):
    """TF-R45"""
    assert name_of(line) == name


def test_tf_r34_times():
    """TF-R34, TF-R41: the limits of section 14.6."""
    assert (blocks.NAME_MS, blocks.TURN_MS, blocks.ALLOWANCE_MS) == (5000, 1000, 5000)


def test_a_fault_costs_the_rest_of_the_turn():
    """14.6: the commands read so far are executed, and `finish` is applied."""
    state = masume.load("terraforming", radius=2).new_state(1)
    action = int(state.legal_actions()[1])
    assert protocol.penalty(state, 0, Fault(TIMEOUT, "late")) == [FINISH]
    assert protocol.penalty(state, 0, Fault(TIMEOUT, "late", actions=[action, FINISH])) == [action, FINISH]


@pytest.mark.parametrize(
    ("board", "fields", "reason"),
    [
        ("player 2 / ply 3 / . . . / . . . . / . . a5 . . / . . . . / . . .", {"max_turns": 1}, "max_turns"),
        ("ply 4 / . . . / . . . . / . . AP5 . . / . . . . / . . .", {"score_limit": 3}, "score_limit"),
        ("ply 10 / CI0 AX0 / BI0 AX2 AX0 / AX0 AI9", {}, "end_all_developed"),
    ],
)
def test_reasons(board, fields, reason):
    radius = 1 if "CI0" in board else 2
    state = masume.load("terraforming", radius=radius, **fields).parse(board)
    state.apply(FINISH)
    assert state.is_terminal()
    assert protocol.reason(state) == reason

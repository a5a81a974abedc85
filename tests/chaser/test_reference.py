"""Knowledge of players, possible positions and loaded positions, on the reference.

The differential test shows that the engine is equal.
"""

import itertools

import pytest

from masume.chaser.config import Config
from masume.chaser.maps import mirror
from masume.chaser.notation import CODES
from masume.chaser.reference import State, methods_of
from masume.core.rng import Rng, stream
from masume.errors import IllegalActionError, NotationError, StateError

from .conftest import draw_map, lines, meadow, play, positions, rows
from .worlds import is_consistent

SMALL = {"height": 7, "width": 8, "turn_limit": 20, "n_blocks": 4, "n_items": 12}


def start(text, turn_limit=100):
    return State.new(Config.make(map=draw_map(lines(text), turn_limit)))


def games(count, safe=True, **fields):
    """Yield every position of random games, before each method and at the end."""
    config = Config.make(**fields)
    for k in range(count):
        state, rng = State.new(config, stream(k, 0) >> 1), Rng(stream(k, 1))
        while not state.is_terminal():
            yield state
            mask = state.safe_mask if safe else state.legal_mask()
            codes = [code for code, bit in enumerate(mask) if bit]
            state.apply(codes[rng.below(len(codes))])
        yield state


# -- invariants -------------------------------------------------------------------------------------


@pytest.mark.parametrize("safe", [True, False])
def test_random_games_keep_the_invariants(safe):
    """Section 3: the variables change only as often and in the direction that the rules allow."""
    before = None
    for state in games(40, safe, **SMALL):
        state.check()
        variables = state.to_dict()
        half = variables["half"]
        if half:
            changes = [(was, now) for was, now in zip(before["cells"], variables["cells"], strict=True) if was != now]
            assert len(changes) <= 2
            assert {*changes} <= {(3, 0), (3, 2), (0, 2)}
            assert half == before["half"] + 1
            left = [sum(one["items"]) + one["cells"].count(3) for one in (before, variables)]
            assert left[1] <= left[0]
        if not state.is_terminal():
            assert all(state.raw(cell) == 0 for cell in state.position)
            assert state.turns_left == 20 - half // 2 > 0
        before = variables


def test_positions_come_back_from_text_and_dict():
    config = Config.make(**SMALL)
    for state in itertools.chain(games(15, True, **SMALL), games(15, False, **SMALL)):
        variables = state.to_dict()
        assert State.from_dict(config, variables).to_dict() == variables
        assert State.parse(config, str(state)).to_dict() == variables
        assert state.clone().to_dict() == variables
        if state.is_terminal():
            assert str(state).splitlines()[-1].startswith("over: ")


def test_a_clone_is_apart():
    state = start("C.*H")
    other = state.clone()
    play(other, "wr lu wr")
    assert state.to_dict() == start("C.*H").to_dict()
    assert state.information_state(0) == start("C.*H").information_state(0)
    assert state.events() == start("C.*H").events()
    assert other.clone().events() == other.events() != state.events()
    assert [other.clone().information_state(player) for player in range(2)] == [
        other.information_state(player) for player in range(2)
    ]


def test_methods_are_counted_in_turn():
    for since, half in itertools.combinations_with_replacement(range(9), 2):
        for player in range(2):
            assert methods_of(player, since, half) == sum(h % 2 == player for h in range(since, half))


# -- knowledge --------------------------------------------------------------------------------------


def test_knowledge_is_worked_out_from_the_infos_alone():
    """Section 9.4, computed by hand for a short game."""
    state = start("""
        .*..
        .C..
        ...H
    """)
    known = state.knowledge(0)
    assert known.place == (0, 0)
    assert known.last == {
        (r, c): (3 if (r, c) == (-1, 0) else 0, 0) for r in (-1, 0, 1) for c in (-1, 0, 1)
    }  # fmt: skip
    assert (known.sighting, known.items, known.last_action, known.visited) == (None, 0, -1, {(0, 0)})
    play(state, "wu")
    known = state.knowledge(0)
    assert (known.place, known.items, known.visited) == ((-1, 0), 1, {(0, 0), (-1, 0)})
    assert (known.first[-1, 0], known.last[-1, 0], known.last[0, 0]) == (3, (0, 1), (2, 1))
    assert (known.last[1, 0], known.last[-2, 1]) == ((0, 0), (2, 1))
    play(state, "wl sd")
    known = state.knowledge(0)
    assert known.last[1, 0] == (0, 3)
    assert known.sighting is None
    play(state, "wl ld")
    assert state.knowledge(0).sighting == ((1, 0), 5)
    assert state.knowledge(0).last[1, 0] == (0, 5)


def test_knowledge_agrees_with_the_truth():
    """Section 9.4: values seen at the present half are true, and the opponent is not on a cell seen to be empty."""
    for player, fields in itertools.product(range(2), (SMALL, {**SMALL, "n_items": 24})):
        for state in games(6, True, **fields):
            if state.half == 0:
                begin = state.position[player]
            known = state.knowledge(player)
            assert (begin[0] + known.place[0], begin[1] + known.place[1]) == state.position[player]
            assert known.items == state.items[player]
            for (row, column), (value, half) in known.last.items():
                now = state.raw((begin[0] + row, begin[1] + column))
                assert now in {2: (2,), 0: (0, 2), 3: (3, 0, 2)}[value]
                assert now == value or half < state.half
            assert begin in known.possible_starts(7, 8) or state.is_terminal()


def test_the_half_of_an_end_is_public():
    """An opponent's forfeit does not advance `half`; its winning method does."""
    state = start("C.H")
    play(state, "lu")
    other = state.clone()
    state.forfeit(1)
    assert state.knowledge(0).last[0, 0] == (0, 1)
    play(other, "wl wu")
    assert other.is_terminal()
    assert other.knowledge(1).last[0, -2] == (0, 3)
    assert other.knowledge(1).sighting == ((0, -2), 2)


def test_a_position_read_from_a_text_has_no_past():
    config = Config.make(map=meadow(3, 4))
    state = State.parse(config, "....\n.C*.\n...H\nhalf: 5\nitems: 2 1")
    assert state.information_state(0) == "C"
    assert state.information_state(1) == "H|R1302002222"
    assert state.knowledge(1).last[0, 0] == (0, 5)
    play(state, "wl wr")
    assert state.knowledge(0).last[0, 1] == (0, 7)
    assert state.knowledge(1).items == 1
    assert state.observation(0)["scalars"] == [0, 3, 100, 3, 0]
    assert state.contradictions(1, state.to_dict()) == []


def test_the_observation_is_what_section_9_7_says():
    state = start("""
        .*..
        .C..
        ...H
    """)
    play(state, "wu wl lr")
    seen = state.observation(0)
    assert list(seen) == ["ready", "last_action", "last_info", "scalars", "planes", "mask"]
    assert seen["ready"] == [2, 2, 2, 0, 0, 0, 0, 2, 0]
    assert seen["last_action"] == CODES.index("lr")
    assert seen["last_info"] == [1, 2, 2, 2, 0, 0, 2, 0, 0, 2]
    assert seen["scalars"] == [0, 1, 100, 1, -1]
    assert seen["mask"] == [1] * 16
    planes = seen["planes"]
    assert (len(planes), len(planes[0]), len(planes[0][0])) == (7, 2 * 3 + 17, 2 * 4 + 17)

    def at(plane, row, column):
        return planes[plane][row + 3 + 8][column + 4 + 8]

    assert [at(plane, -1, 0) for plane in range(7)] == [1, 0, 0, 0, 1, 1, 1 / 2]
    assert [at(plane, 0, 0) for plane in range(7)] == [0, 0, 1, 0, 0, 1, 1 / 2]
    assert [at(plane, 1, 0) for plane in range(7)] == [1, 0, 0, 0, 0, 0, 1 / 4]
    assert [at(plane, -1, 1) for plane in range(7)] == [1, 0, 0, 0, 0, 0, 1]
    assert [at(plane, 5, 5) for plane in range(7)] == [0] * 7
    assert state.observation(1)["last_action"] == CODES.index("wl")


def test_planes_hold_what_the_longest_look_sees():
    """Section 9.7: a search reaches nine cells beyond the far corner of the field."""
    state = start("""
        C..
        ...
        ..H
    """)
    play(state, "wd lu wd lu wr lu sd lu")
    planes = state.observation(0)["planes"]
    assert planes[2][2 * 3 + 8 + 2 + 3][3 + 8 + 1] == 1.0
    play(state, "sr")
    assert state.observation(0)["planes"][2][3 + 8 + 2][3 + 8 + 1 + 9] == 1.0


def test_omniscient_planes():
    state = start("""
        C*.
        #.H
    """)
    floor, item_or_block = state.full_observation()[0], state.full_observation()[1:3]
    assert floor == [[1, 0, 1], [0, 1, 1]]
    assert item_or_block == [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [0, 0, 0]]]
    assert state.full_observation()[3:] == [[[1, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 1]], [[0] * 3] * 2]
    play(state, "wr")
    assert state.full_observation()[5] == [[1.0] * 3] * 2
    state.forfeit(0)
    assert state.full_observation()[5] == [[0.0] * 3] * 2  # at the end nobody is to move


# -- possible positions -----------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [SMALL, {"height": 5, "width": 5, "n_blocks": 2, "n_items": 3, "turn_limit": 12}])
def test_the_true_state_is_never_contradicted(fields):
    for state in games(15, True, **fields):
        if not state.is_terminal():
            assert state.contradictions(state.mover, state.to_dict()) == []


def test_the_true_world_is_consistent():
    """Section 9.5, for games that end by a method and by a forfeit."""
    config = Config.make(**SMALL)
    for k in range(10):
        begin, rng, actions = State.new(config, k), Rng(k), []
        state = begin.clone()
        while not state.is_terminal():
            actions.append(rng.below(16))
            state.apply(actions[-1])
        assert all(is_consistent(state.information_state(player), begin, actions) for player in range(2))
        assert not is_consistent(state.information_state(0), begin, [*actions, 0])
        assert not is_consistent(state.information_state(0), begin, actions, 0)
        assert not is_consistent(state.information_state(0), begin, actions[:-1])
        assert begin.half == 0
    state = begin.clone()
    state.forfeit(1)
    assert is_consistent(state.information_state(0), begin, [], 1)
    assert is_consistent(state.information_state(0), begin, [], 0)  # the players do not learn who gave up
    assert not is_consistent(state.information_state(0), begin, [])


WORLD = """
    ......
    .C*...
    ......
    ...#..
    .....H
"""


def alter(state, **changes):
    """Return the position with some variables changed; list items are given by index."""
    variables = state.to_dict()
    for key, value in changes.items():
        if isinstance(value, dict):
            variables[key] = [value.get(n, old) for n, old in enumerate(variables[key])]
        else:
            variables[key] = value
    return variables


def break_state(state, player, **changes):
    """Return the names of the broken conditions."""
    return [line.partition(":")[0] for line in state.contradictions(player, alter(state, **changes))]


def test_every_kind_of_contradiction():
    """Section 9.6: each of D1 to D10 is broken alone or with the conditions it implies."""
    state = start(WORLD)
    play(state, "lr lu")
    assert state.contradictions(0, state.to_dict()) == []
    assert break_state(state, 0, half=4) == ["D1"]
    assert break_state(state, 0, winner=1, reason=5) == ["D1"]
    assert break_state(state, 0, items={0: 1}) == ["D2"]
    assert break_state(state, 0, cells={0: 2}) == ["D3", "D5", "D6"]  # seen just now
    assert "D4" in break_state(state, 0, row={0: 0}, col={0: 0})
    # the look has shown columns 2 to 4 of rows 0 to 2, the opponent has moved once since
    assert break_state(state, 0, cells={3: 2, 9: 2}) == []
    assert break_state(state, 0, cells={3: 2, 9: 2, 15: 2}) == ["D6"]
    assert break_state(state, 0, cells={3: 3}) == ["D5"]
    assert break_state(state, 0, cells={29: 3}) == ["D7"]
    assert break_state(state, 0, col={1: 4}) == []
    assert break_state(state, 0, items={1: 1}) == []
    assert break_state(state, 0, items={1: 2}) == ["D9"]
    assert break_state(state, 0, cells={23: 2, 28: 2}) == ["D10"]
    assert break_state(state, 0, row={1: 5}) == ["D7", "D10"]


def test_changes_are_counted_from_every_half_on():
    """D6: at most two changes per method among all cells last seen since any half."""
    state = start("""
        .......
        .......
        ...C...
        .......
        .......
        ......H
    """)
    play(state, "lu lu ld lu")
    above, below = (2, 3, 4), (30, 31)  # seen at half 1, two methods of the opponent ago, and at half 3, one ago
    assert break_state(state, 0, cells=dict.fromkeys(above, 2)) == []
    assert break_state(state, 0, cells=dict.fromkeys(below, 2)) == []
    assert break_state(state, 0, cells=dict.fromkeys(above[:2] + below, 2)) == []
    assert break_state(state, 0, cells=dict.fromkeys(above + below, 2)) == ["D6"]


def test_where_the_opponent_can_be():
    """D8: one step per method from its last sighting or, on a generated map, from its start if never seen."""
    near = start("""
        .....
        .CH..
        .....
        .....
    """)
    play(near, "wl lu")
    assert near.knowledge(0).sighting == ((0, 1), 0)
    assert break_state(near, 0, col={1: 3}) == []
    assert "D8" in break_state(near, 0, col={1: 4})

    config = Config.make(height=9, width=9, n_blocks=0, n_items=0)
    for seed in range(30):
        state = State.new(config, seed)
        play(state, "lu lu")
        row, column = mirror(state.position[0], 9, 9)
        known = state.knowledge(0)
        for target in ((row, column - 1), (row, column - 2)):
            relative = target[0] - state.position[0][0], target[1] - state.position[0][1]
            if known.sighting is None and relative not in known.last:
                found = break_state(state, 0, col={1: target[1]})
                assert found == ([] if target[1] == column - 1 else ["D8"])


def test_only_who_is_to_move_may_ask():
    state = start(WORLD)
    with pytest.raises(ValueError, match=r"^player: 1 is not to move"):
        state.contradictions(1, state.to_dict())
    with pytest.raises(StateError, match="row"):
        state.contradictions(0, alter(state, row=[0, 99]))


# -- loaded positions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "told"),
    [
        ("C..\n..", 2, 1, "expected 3 cells, got 2"),
        ("C..\n..H\n...", 3, 1, "the 2 rows end above"),
        ("C..", 1, 1, "expected 2 rows, got 1"),
        ("  C.x\n..H", 1, 5, "expected one of the cells"),
        ("C..\nC.H", 2, 1, "COOL is drawn 2 times"),
        ("C..\n..B", 2, 1, "COOL is drawn 2 times"),
        ("C..\n...", 2, 1, "HOT is neither drawn nor given"),
        ("C..\n..H\ncool: 0,1", 3, 1, "COOL is drawn on 0,0 and told on 0,1"),
        ("C..\n..H\nhot: 1", 3, 5, "hot: expected row,column, got '1'"),
        ("C..\n..H\nitems: 1", 3, 7, "items: expected two counts, got '1'"),
        ("C..\n..H\nhalf: -1", 3, 6, "half: expected a count, got '-1'"),
        ("C..\n..H\nhalf: 1\nhalf: 1", 4, 1, "half: given twice"),
        ("C..\n..H\nover: COOL", 3, 6, "over: expected a winner and a reason, got 'COOL'"),
        ("C..\n..H\nover: COOL NONE", 3, 6, "over: expected a winner and a reason, got 'COOL NONE'"),
        ("C..\n..H\nturn: 1", 3, 1, "expected one of cool, hot, items, half, over"),
    ],
)
def test_texts_that_are_no_board_say_where(text, line, column, told):
    with pytest.raises(NotationError, match=told) as caught:
        State.parse(Config.make(map=meadow(2, 3)), text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_text_may_tell_everything(implementation):
    state = implementation.parse("""
        .#C#
        ...H

        cool: 0, 2
        items: 1 0
        half: 3
        over: HOT FOUL
    """)
    assert rows(state) == [".#C#", "...H"]
    assert str(state).splitlines()[2:] == ["cool: 0,2", "hot: 1,3", "items: 1 0", "half: 3", "over: HOT FOUL"]
    assert positions(state) == [(0, 2), (1, 3)]


def test_players_off_the_floor_are_told(implementation):
    buried = implementation.parse("#.H\n...\ncool: 0,0\nhalf: 1\nover: HOT COLLISION")
    assert rows(buried) == ["#.H", "..."]
    gone = implementation.parse("..H\n...\ncool: -1,0\nhalf: 1\nover: HOT COLLISION")
    assert positions(gone)[0] == (-1, 0)


GOOD = State.new(Config.make(map=draw_map(["C.*", "..H"]))).to_dict()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"height": 3}, "height"),
        ({"width": "3"}, "width: expected an int"),
        ({"turn_limit": 99}, "turn_limit"),
        ({"cells": [0] * 5}, "cells: expected 6 values, got 5"),
        ({"cells": [0, 0, 1, 0, 0, 0]}, r"cells\[2\]: expected 0, 2 or 3, got 1"),
        ({"cells": [0, 0, 4, 0, 0, 0]}, r"cells\[2\]: expected .*, got 4"),
        ({"cells": [0, 0, True, 0, 0, 0]}, r"cells\[2\]: expected an int"),
        ({"cells": [3, 0, 0, 0, 0, 0]}, r"row\[0\]: COOL does not stand on floor"),
        ({"row": [2, 1]}, "winner: -1 by NONE, but the position says 1 by ATTACK"),
        ({"row": [3, 1]}, r"row\[0\]: expected .*, got 3"),
        ({"row": [2, 1], "col": [3, 2]}, r"row\[0\]: 2,3 is more than a step outside"),
        ({"items": [1, 0]}, r"items\[0\]: 1 of 0 methods of COOL"),
        ({"items": [0, 1], "half": 1}, r"items\[1\]: 1 of 0 methods of HOT"),
        ({"items": [0, -1]}, r"items\[1\]: expected .*, got -1"),
        ({"half": 201}, "half: expected .*, got 201"),
        ({"half": 200}, "winner: -1 by NONE, but the position says 2 by SCORE"),
        ({"winner": 3}, "winner: expected .*, got 3"),
        ({"winner": 0}, "reason: NONE with winner 0"),
        ({"reason": 1}, "reason: ATTACK with winner -1"),
        ({"winner": 0, "reason": 1, "half": 1}, "winner: 0 by ATTACK, but the position says -1 by NONE"),
        ({"winner": 2, "reason": 5}, "winner: 2 by a foul"),
        ({"winner": 1, "reason": 5, "half": 200}, "winner: -1 by NONE, but the position says 2 by SCORE"),
        ({"cells": [0, 2, 0, 2, 0, 0], "winner": 1, "reason": 2}, "half: 0, but over by TRAPPED"),
        ({"cells": [0, 2, 0, 2, 0, 0]}, "winner: -1 by NONE, but the position says 1 by TRAPPED"),
        ({"row": [-1, 1], "half": 2, "winner": 1, "reason": 1}, r"row\[0\]: COOL is outside"),
        ({"seed": 1}, "seed: no such key"),
    ],
)
def test_dicts_that_are_no_position(changes, told):
    config = Config.make(map=meadow(2, 3))
    with pytest.raises(StateError, match=f"^({told})"):
        State.from_dict(config, GOOD | changes)


def test_dicts_lack_nothing():
    config = Config.make(map=meadow(2, 3))
    for key in GOOD:
        with pytest.raises(StateError, match=f"^{key}: missing"):
            State.from_dict(config, {name: value for name, value in GOOD.items() if name != key})
    for bad in (None, [], 5):
        with pytest.raises(StateError, match=r"^dict: expected a dict"):
            State.from_dict(config, bad)


def test_check_raises_with_the_position():
    state = start("C.H")
    state.items[0] = 3
    with pytest.raises(AssertionError, match=r"items\[0\]: 3 of 0 methods(.|\n)*C\.H"):
        state.check()


def test_errors_show_the_action_and_the_board():
    with pytest.raises(IllegalActionError, match=r"action of player 0: expected 0..15, got 16(.|\n)*C\.H"):
        start("C.H").apply(16)

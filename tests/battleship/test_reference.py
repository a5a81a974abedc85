"""Features of the reference only: positions without history, contradictions, and events per call."""

import copy

import pytest

from masume.battleship import notation
from masume.battleship.config import Config
from masume.battleship.knowledge import Knowledge, calls
from masume.battleship.reference import State
from masume.core.rng import Rng
from masume.errors import StateError

from .conftest import REFERENCE, at, play

OPEN = Config()


@pytest.fixture
def state():
    found = REFERENCE.battle("B@C3 D@A1 S@E5", "B@D4 D@A5 S@E1", terrain_map="...../.#.../...../...../.....")
    play(found, "L1E T1A3")
    return found


def test_clones_are_apart(state):
    before, text = state.to_dict(), state.information_state(0)
    for twin in (state.clone(), copy.deepcopy(state)):
        assert twin.to_dict() == before
        assert twin.information_state(0) == text
        play(twin, "A0N")
        assert state.to_dict() == before
        assert state.information_state(0) == text


def test_a_position_of_a_dict_has_no_past(state):
    again = State.from_dict(state.config, state.to_dict())
    assert again.to_dict() == state.to_dict()
    assert again.information_state(0) == "0"
    assert again.events() == []
    for text in ("A0N", "M0W1"):
        play(state, text)
        play(again, text)
        assert again.events(1) == state.events(1)
    assert again.knowledge[1].mines == state.knowledge[1].mines
    assert again.knowledge[0].torpedoes == state.knowledge[0].torpedoes


def edits(state):
    """Yield (changed variables, the name in the error)."""
    base = state.to_dict()

    def but(**changes):
        found = copy.deepcopy(base)
        for name, (places, value) in changes.items():
            row = found[name]
            for step in places[:-1]:
                row = row[step]
            row[places[-1]] = value
        return found

    yield {**base, "phase": 3}, "phase"
    yield {**base, "phase": 0}, "order"
    yield {**base, "phase": 2}, "reason"
    yield {**base, "reason": 1}, "reason"
    yield {**base, "winners": 1}, "winners"
    yield {**base, "ptr": 1}, "ptr"
    yield {**base, "round": 0}, "round"
    yield {**base, "setup_i": 1}, "setup_i"
    yield {**base, "order": [1, 0]}, "order"
    yield {**base, "rng": -1}, "rng"
    yield {**base, "rng": True}, "rng"
    yield but(ship_cls=((0, 0), 1)), "ship_cls"
    yield but(ship_cls=((0, 0), -1)), "ship_cls"
    yield but(ship_pos=((0, 0), at(OPEN, "A1"))), "ship_pos"
    yield but(ship_pos=((0, 0), at(OPEN, "B2"))), "ship_pos"
    yield but(ship_pos=((0, 0), -1)), "ship_pos"
    yield but(ship_hp=((0, 0), 4)), "ship_hp"
    yield but(ship_fp=((0, 0), 101)), "ship_fp"
    yield but(ship_aux=((0, 0), 1)), "ship_aux"
    yield but(ship_flags=((0, 0), 8)), "ship_flags"
    yield but(ship_flags=((0, 0), 16)), "ship_flags"
    yield but(ship_hp=((0, 2), 0)), "ship_flags"
    yield but(reinf_left=((0,), 2)), "reinf_left"
    yield but(flag_left=((0,), 4)), "flag_left"
    yield but(qual=((1,), 0)), "qual"
    yield but(active=((1,), 0)), "active"
    yield but(torp_next=((1,), 0)), "torp_id"
    yield but(torp_pos=((1, 0), at(OPEN, "A3"))), "torp_pos"
    yield but(torp_tgt=((1, 1), 3)), "torp_tgt"
    yield but(mines=((0, 0), 256)), "mines"
    yield but(terrain=((0,), 5)), "terrain"
    yield but(known=((0,), 4)), "known"
    yield but(known=((at(OPEN, "C3"),), 0)), "known"
    yield but(mines=((1, 0), 217)), "mines"
    yield {**base, "mines": [[0] * 25, [9] * 25]}, "mines"


def test_positions_that_are_refused(state):
    for variables, name in edits(state):
        with pytest.raises(StateError, match=f"^{name}"):
            State.from_dict(state.config, variables)


def test_setups_that_are_refused():
    state = State.new(Config.make(mission="flagship"), 0)
    play(state, "KB KD KS F0 SA1")
    base = state.to_dict()
    for changes, name in (
        ({"setup_kind": 0}, "ship_"),
        ({"setup_i": 2}, "ship_pos"),
        ({"cur": 1}, "ship_"),
        ({"round": 1}, "round"),
        ({"known": [1] + [0] * 24}, "known"),
        ({"terrain": [0] * 24 + [1]}, "terrain"),
        ({"qual": [0, 1]}, "active"),
        ({"kills": [0, 1]}, "active"),
        ({"ship_hp": [[1, 0, 0], [0, 0, 0]]}, "ship_hp"),
    ):
        with pytest.raises(StateError, match=f"^{name}"):
            State.from_dict(state.config, {**base, **changes})
    picking = State.new(Config.make(), 0).to_dict()
    for changes, name in (({"setup_kind": 1}, "setup_kind|ship_cls"), ({"setup_i": 3}, "setup_i")):
        with pytest.raises(StateError, match=name):
            State.from_dict(Config.make(), {**picking, **changes})


def test_check_names_what_is_wrong(state):
    state.check()
    state.players[0].fleet[0].hp = 9
    with pytest.raises(AssertionError, match=r"ship_hp\[0\]\[0\]: 9"):
        state.check()


# -- contradictions -----------------------------------------------------------------------------------


def test_the_truth_contradicts_nothing(state):
    for player in range(2):
        assert state.contradictions(player, state.to_dict()) == []


def test_contradictions(state):
    """Player 1 knows its own values, the public ones and their consequences, and nothing else."""
    seen = State.from_dict(state.config, state.to_dict())
    base = seen.to_dict()
    base["known"] = [bits | 1 for bits in base["known"]]  # then a ship of player 0 may be anywhere

    def find(**changes):
        other = copy.deepcopy(base)
        for name, (places, value) in changes.items():
            row = other
            for step in (name, *places)[:-1]:
                row = row[step]
            row[(name, *places)[-1]] = value
        return [line.partition(":")[0] for line in seen.contradictions(1, other)]

    assert find(ship_pos=((0, 0), at(OPEN, "B3"))) == []
    assert find(ship_hp=((0, 0), 1)) == []
    assert find(ship_fp=((0, 0), 9)) == []
    assert find(mines=((0, 9), 1)) == []
    assert find(rng=((), 9)) == []
    assert find(ship_pos=((1,), base["ship_pos"][1][::-1])) == ["ship_pos[1]"]
    assert find(ship_fp=((1, 1), 79)) == ["ship_fp[1]"]
    assert find(mines=((1, 9), 1)) == ["mines[1]"]
    assert find(pass_run=((), 1)) == ["pass_run"]
    assert find(turns=((), 5)) == ["turns"]
    assert find(reinf_left=((0,), 0)) == ["reinf_left"]
    assert find(ship_hp=((0, 0), 0)) == ["ship_hp[0][0]"]
    assert find(known=((9,), 2)) == ["known"]
    assert find(terrain=((at(OPEN, "D4"),), 3)) == ["terrain"]


def test_positions_that_what_was_seen_excludes(state):
    play(state, "A0SE")  # a hit on D4 of an unnamed ship, which can only be B
    other = state.to_dict()
    assert state.contradictions(0, other) == []
    other["known"] = [bits | 2 for bits in other["known"]]
    other["ship_pos"][1][0] = at(OPEN, "E4")
    other["ship_pos"][1][1] = at(OPEN, "D4")
    assert state.contradictions(0, other) == []
    other["ship_pos"][1][1] = at(OPEN, "A5")
    play(state, "A1N")
    other = state.to_dict()
    other["known"] = [bits | 2 for bits in other["known"]]
    other["ship_pos"][1][1] = at(OPEN, "C1")  # it shot at A4
    other["ship_pos"][1][0] = at(OPEN, "C2")
    other["ship_pos"][1][2] = at(OPEN, "D4")
    assert state.contradictions(0, other) == []


def test_counts_that_what_was_seen_excludes():
    """BS-R62: player 0 does not know the owners of two mines; each owner does."""
    config = Config.make(fleets=["D"], players=3, terrain=False, turn_order=[0, 1, 2])
    state = State.new(config, 1)
    play(state, "SA1 SE5 SA5")
    variables = state.to_dict()
    variables["mines"][1][2] = variables["mines"][2][2] = variables["mines"][2][3] = 1
    state = State.from_dict(config, variables)
    play(state, "M0E2")
    assert state.to_dict()["dealt"] == [0, 1, 1]
    assert state.to_dict()["kills"] == [0, 0, 1]
    other = state.to_dict() | {"dealt": [0, 2, 0], "kills": [0, 1, 0]}
    names = [[line.partition(":")[0] for line in state.contradictions(p, other)] for p in range(3)]
    assert names == [[], *2 * [["dealt[1]", "dealt[2]", "kills[1]", "kills[2]"]]]


def test_calls_are_found_again():
    """The events that a player sees can be split into calls."""
    for seed in range(12):
        preset = list(Config.presets())[seed % 5]
        state = State.new(Config.make(preset), seed)
        rng = Rng(seed)
        told = [[[] for _ in range(2)]]
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply(legal[rng.below(len(legal))])
            for player in range(2):
                views = [event.view(player) for event in state.last]
                told[-1][player] = [view for view in views if view is not None]
            told.append([[], []])
        for player in range(2):
            wanted = [both[player] for both in told if both[player]]
            assert calls(state.seen[player]) == wanted


def test_knowledge_is_rebuilt_from_events(state):
    known = Knowledge(state.config.public(), 1)
    assert known.ships == []
    for views in calls(notation.views_of(state.information_state(1))[1]):
        known.hear(views)
    assert [(ship.panel, ship.fp, ship.aux) for ship in known.ships] == [
        (at(OPEN, "D4"), 100, 0), (at(OPEN, "A5"), 80, 1), (at(OPEN, "E1"), 100, 3)
    ]  # fmt: skip
    assert known.torpedoes == {0: [at(OPEN, "A4"), at(OPEN, "A3")]}
    assert known.torp_next == [0, 1]
    assert sum(known.mines.values()) == 0
    assert known.alive == [[True] * 3, [True] * 3]
    assert known.cls[0] == [0, 1, 2]
    assert known.suspects[1] == [set(), set(), set()]

"""The candidate sets and samples of section 9.4 agree with an enumeration of all possible worlds."""

import pytest

import masume
from masume.core.rng import Rng

from .conftest import REFERENCE
from .worlds import PLAIN, Worlds

TURNS = 14


def games(fields, seeds):
    """Yield (state, worlds, living slots) after each call in play of random games, as player 0 sees them."""
    game = masume.load("battleship", **{**PLAIN, **fields})
    for seed in seeds:
        state, rng, worlds = game.new_state(seed), Rng(seed), None
        for _ in range(TURNS + sum(game.config.fleet_sizes)):
            legal = state.legal_actions()
            state.apply(int(legal[rng.below(len(legal))]))
            if state.phase != 1:
                if state.is_terminal():
                    break
                continue
            variables = state.to_dict()
            terrain = {q: code for q, code in enumerate(variables["terrain"]) if variables["known"][q] & 1}
            if worlds is None:
                worlds = Worlds(game.config, [q for q in variables["ship_pos"][0] if q >= 0])
            worlds.hear(state.views(0), terrain)
            assert in_worlds(worlds, variables), "the enumeration lost the truth"
            yield state, worlds, [slot for slot, hp in enumerate(variables["ship_hp"][1]) if hp > 0]


def in_worlds(worlds, variables):
    """Return whether the terrain and the fleet of player 1 are those of a world."""
    rows = zip(variables["ship_pos"][1], variables["ship_hp"][1], strict=True)
    fleet = [(q if hp else None, hp) for q, hp in rows if q >= 0]
    terrain = tuple(variables["terrain"])
    return any(its == terrain and [ship[:2] for ship in ships] == fleet for its, ships, _ in worlds.found)


def suspected(state, slot):
    return {q for q, bit in enumerate(state.suspects(0)[1, slot].ravel().tolist()) if bit}


OPEN = {"terrain": False, "width": 4, "height": 3}
MAP = {"terrain_map": ".#./.../..#", "terrain_known": True, "width": 3, "height": 3}
REEFS = {"terrain_weights": [3, 1, 0, 0, 0], "width": 3, "height": 3}


@pytest.mark.parametrize(
    "fields",
    [{**OPEN, "fleets": ["B"]}, {**MAP, "fleets": ["B"]}, {**MAP, "fleets": ["D"], "move_rule": "jump"}],
    ids=["open", "map", "jump"],
)
def test_one_ship_on_known_terrain_is_suspected_just_where_it_may_be(fields):
    """9.4: candidate sets and samples are exact there."""
    sizes = []
    for state, worlds, alive in games(fields, range(25)):
        for slot in alive:
            assert suspected(state, slot) == worlds.suspects(slot)
            sizes.append(len(worlds.suspects(slot)))
        assert all(in_worlds(worlds, state.resample(0, seed).to_dict()) for seed in range(3))
    assert {1, 2, 3} <= set(sizes)


@pytest.mark.parametrize(
    ("fields", "count", "share"),
    [({**OPEN, "fleets": ["BD"]}, 6, 0.6), ({**REEFS, "fleets": ["B"]}, 6, 0.85)],
    ids=["two ships", "reefs"],
)
def test_elsewhere_the_truth_and_all_that_may_be_is_suspected(fields, count, share):
    """9.4: candidate sets contain all possible panels and few others."""
    equal = total = 0
    for state, worlds, alive in games(fields, range(count)):
        for slot in alive:
            assert worlds.suspects(slot) <= suspected(state, slot)
            equal += worlds.suspects(slot) == suspected(state, slot)
            total += 1
    assert share < equal / total


STOPPED = {**PLAIN, "width": 3, "height": 3, "fleets": ["B", "B"], "turn_order": [1, 0], "terrain_map": ".#./.%./..."}


def test_a_ship_that_a_reef_stopped_is_beside_what_may_be_one(implementation):
    """9.4: it was hit on B2, could go one panel only, and was stopped: it is still there, next to a reef."""
    state = implementation.new(1, **STOPPED)
    for text in ("SA3", "SB3", "M0N1", "A0NE", "M0N1"):
        state.apply(state.text_to_action(text))
    assert [q for row in state.observation(0)["suspects"][0] for q in row] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    if implementation is REFERENCE:
        return
    for seed in range(200):
        sample = state.resample(0, seed).to_dict()
        assert sample["ship_pos"][1][0] == 4
        assert 1 in (sample["terrain"][q] for q in (1, 3, 5, 7))


def test_what_is_seen_of_a_stop_is_no_reef(implementation):
    """9.4: a stopped ship is removed from panels as soon as the viewer knows that no reef is next to them."""
    state = implementation.new(1, **{**STOPPED, "terrain_map": "..#/.../...", "fleets": ["B", "B"]})
    for text in ("SA3", "SA1", "M0E2", "A0N"):
        state.apply(state.text_to_action(text))
    found = [q for row in state.observation(0)["suspects"][0] for q in row]
    assert found[1] == 1  # it went east and stopped before a panel that may be a reef
    assert found[2] == found[5] == found[8] == 0  # nothing is ahead there

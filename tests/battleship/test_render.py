"""Pictures of Battleship, in full and for each player."""

import re
import xml.etree.ElementTree as ET

import pytest

import masume
from masume.battleship import render
from masume.battleship.notation import EVENTS
from masume.core.rng import Rng
from masume.render import svg, text

from .conftest import play

MAP = "...../.#.../..~%./.^.../....."


@pytest.fixture
def state(implementation):
    found = implementation.battle("B@A4 D@A1 S@E1", "B@D4 D@A5 S@B4", terrain_map=MAP)
    play(found, "L1E T1A3 A0N")
    return found


def test_the_full_view(state):
    frame = render.frame(state)
    assert frame.cells == MAP.replace("/", "").replace("^", ".")  # a ship has started on the wave
    assert frame.caption == "round 2, P1 to move"
    units = render.scene(state).units
    standing = {(units[n].player, units[n].name): place for n, place in enumerate(frame.places) if place >= 0}
    assert standing == {
        (0, "1"): 15, (0, "2"): 0, (0, "3"): 4, (1, "1"): 18, (1, "2"): 20, (1, "3"): 16, (1, "t"): 15
    }  # fmt: skip
    assert frame.notes == {1: "m1"}
    assert {frame.places[unit]: look for unit, look in frame.looks.items()} == {
        0: "D", 4: "S", 15: "B", 16: "S", 18: "B", 20: "D"
    }  # fmt: skip
    assert [frame.pips[unit] for unit in (0, 1, 2)] == [(3, 3), (2, 2), (1, 1)]
    assert frame.scores == [(150, 3), (150, 3)]
    assert "*  2:D2" in text(state)
    assert text(state).endswith("\n".join(frame.log))


def test_a_player_sees_its_own_and_what_is_told(state):
    shown = text(state, 0)
    assert "as P0 sees it" in shown
    assert "m1" in shown
    assert "*2:D2" in shown
    frame = render.frame(state, 0)
    assert frame.scores == [(None, 3), (None, 3)]
    known = state.to_dict()["known"]
    assert [mark == "?" for mark in frame.cells] == [not bits & 1 for bits in known]
    assert "fires a torpedo" not in "".join(frame.log)
    sure = [unit for unit, place in enumerate(frame.places) if place >= 0 and unit not in frame.faint]
    assert sure == [0, 1, 2]
    other = render.frame(state, 1)
    assert "m1" not in other.notes.values()
    assert sum(place >= 0 for place in other.places[6:]) == 1


def test_a_ship_that_can_be_in_one_place_only_is_drawn_pale(implementation):
    state = implementation.battle("B@C3", "D@C2 B@E5", preset="submarine")
    play(state, "A0N")
    frame = render.frame(state, 0)
    assert frame.places[2] == 7
    assert set(frame.faint) == {2}
    assert re.search(r"2 \. +\. +\? +1", text(state, 0))


def test_the_flagship_is_marked_for_its_owner(implementation):
    state = implementation.battle("B@C3* D@A1", "D@C1* B@E5", mission="flagship", terrain=False)

    def ships(player):
        frame = render.frame(state, player)
        return {frame.places[unit]: f"{look}{frame.pips[unit][0]}" for unit, look in frame.looks.items()}

    assert ships(None) == {0: "D2", 2: "DF2", 12: "BF3", 24: "B3"}
    assert ships(0) == {0: "D2", 12: "BF3"}
    assert "*1:BF3" in text(state, 0)


def test_the_title_tells_the_teams():
    def title(**fields):
        return render.scene(masume.load("battleship", **fields).new_state()).title

    assert title() == "Battleship 5×5, sea_control"
    assert title(preset="tag") == "Battleship 5×5, sea_control, P0 P2 against P1 P3"
    assert title(mission="retreat", defender=1) == "Battleship 5×5, retreat, P1 against P0"


def test_acts(implementation):
    state = implementation.battle("B@C3 D@A1", "D@C2 B@E5", terrain_map="...../...../...#./...../.....")

    def do(action):
        before = state.to_dict()
        play(state, action)
        return [[(act.unit, render.VERBS[act.verb].name, act.target, render.OUTCOMES[act.outcome].name)
                 for act in render.acts(before, None, state, player)] for player in (None, 0, 1)]  # fmt: skip

    shot = (0, "attack", 7, "hit")
    assert do("A0N") == [[shot], [shot], [(-1, "attack", 7, "hit")]]
    assert do("L0W") == [[(2, "mine", 6, "done")], [], [(2, "mine", 6, "done")]]
    move = (0, "move", 12, "stopped on the way")
    assert do("M0E2") == [[move], [move], []]
    assert do("A0NE")[1] == [(-1, "attack", 3, "missed")]
    launch = (1, "launch", 5, "done"), (-1, "torpedo", 5, "missed")
    assert do("T1A2")[0] == [*launch]


def test_every_event_has_words():
    """Random games of all presets, in full and as each player sees them."""
    heard = set()
    for seed in range(60):
        preset = ("standard", "multi", "tag", "submarine")[seed % 4]
        fields = {"mission": "blitz"} if preset in ("standard", "multi") and seed % 8 < 4 else {}
        fields |= {"fleets": ["BDSO"], "width": 6} if seed % 3 == 0 and preset != "submarine" else {}
        state, rng = masume.load("battleship", preset=preset, **fields).new_state(seed), Rng(seed)
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply(int(legal[rng.below(len(legal))]))
            for player in (None, 0, 1):
                for event in state.events(player):
                    heard.add(event["kind"])
                    words = render.describe(event)
                    assert words
                    assert "None" not in words
    assert heard == set(EVENTS)


def test_words():
    for event, words in [
        ({"kind": "HIT", "round": 1, "player": 1, "panel": "C3"}, "a ship of P1 is hit on C3"),
        ({"kind": "HIT", "round": 1, "player": 1, "slot": 0, "cls": "B", "panel": "C3", "hp": 2},
         "P1's 1B is hit on C3, 2 HP left"),
        ({"kind": "SPLASH", "round": 1, "player": 1, "slot": 2, "cls": "S", "panel": "C3"},
         "a splash by P1's 3S, near C3"),
        ({"kind": "MOVE", "round": 1, "player": 0, "slot": 0, "cls": "B", "dir": 1, "dist": 4, "stop": "reef"},
         "P0's 1B moves 4 E, but meets a reef"),
        ({"kind": "MOVE", "round": 1, "player": 0, "slot": 0, "cls": "S", "stop": "none"}, "P0's 1S moves unseen"),
        ({"kind": "ATTACK", "round": 1, "player": 0, "panel": "C3", "torpedo": 1}, "a torpedo of P0 goes off on C3"),
        ({"kind": "ATTACK", "round": 1, "player": 0, "panel": "C3", "torpedo": 0}, "P0 attacks C3"),
        ({"kind": "MINE_LAID", "round": 1, "player": 0}, "P0 lays a mine"),
        ({"kind": "STATUS", "round": 1, "player": 0, "slot": 1, "panel": "C3", "hp": 1, "fp": 20, "aux": 0, "flags": 0},
         "P0's ship 2 is on C3 with 1 HP, 20 FP, 0 Aux"),
        ({"kind": "REFUEL", "round": 1, "player": 0, "slot": 1, "target": 0, "n": 30},
         "P0's ship 2 gives 30 FP to ship 1"),
        ({"kind": "FLAG_CHANGED", "round": 1, "player": 0, "slot": 2}, "P0 changes its flagship to ship 3"),
        ({"kind": "GAME_OVER", "round": 1, "winners": [0], "reason": "round_limit"}, "the game is over: round limit"),
    ]:  # fmt: skip
        assert render.describe(event) == words


@pytest.mark.parametrize("preset", ["standard", "tag", "submarine"])
def test_pictures_of_whole_games(preset):
    game = masume.load("battleship", preset=preset, width=6, height=4)
    state, rng = game.new_state(3), Rng(5)
    while not state.is_terminal():
        for player in (None, 0, 1):
            frame, scene = render.frame(state, player), render.scene(state, player)
            assert len(frame.cells) == 24
            assert len(frame.places) == len(scene.units)
            assert len(scene.players) == len(frame.scores)
            ET.fromstring(svg(state, player))
        legal = [int(action) for action in state.legal_actions() if action != 1]
        state.apply(legal[rng.below(len(legal))] if legal else 1)
    assert "end in round" in text(state)

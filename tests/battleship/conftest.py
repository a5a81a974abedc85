"""The two implementations as one fixture, and battles written as text."""

import pytest

from implementations import Implementation, implementations
from masume.battleship import notation
from masume.battleship.config import Config

from . import vectors


class Drawn(Implementation):
    """Implementation with battles written as text, and positions with changed variables."""

    config = staticmethod(Config.make)

    def parse(self, text, **fields):
        """Return the position of a text board."""
        return self._parse(text, **fields)

    def battle(self, *fleets, seed=1, preset="standard", **fields):
        """Return the first turn of a battle between these fleets, one text `B@C3* D@A1` per player, in order 0, 1, ..

        The terrain is open unless the fields define it.
        """
        given = {"fleets": [[ship[0] for ship in fleet.split()] for fleet in fleets], "players": len(fleets)}
        given["turn_order"] = list(range(len(fleets)))
        if "terrain_map" not in fields:
            given["terrain"] = False
        given |= fields
        state = self.new(seed, preset=preset, **given)
        for text in vectors.setup(self.config(preset=preset, **given), fleets):
            state.apply(state.text_to_action(text))
        self.last = {"preset": preset, **given}
        return state

    def edit(self, state, **changes):
        """Return a position of the last battle with changed variables; a dict changes single items of a list."""
        variables = state.to_dict()
        for name, value in changes.items():
            if not isinstance(value, dict):
                variables[name] = value
                continue
            for place, item in value.items():
                inner = variables[name]
                for step in place[:-1] if isinstance(place, tuple) else ():
                    inner = inner[step]
                inner[place[-1] if isinstance(place, tuple) else place] = item
        return self.from_dict(variables, **self.last)


REFERENCE, ENGINE = implementations("battleship", Drawn)


@pytest.fixture(params=[REFERENCE, ENGINE], ids=lambda one: one.name, scope="session")
def implementation(request):
    return request.param


def play(state, text):
    """Play the actions of "A0N M1E2 ..."."""
    for word in text.split():
        state.apply(state.text_to_action(word))


def list_events(state, kind, player=None):
    """Return the events of this kind of the last call, as a player sees them, without kind and round."""
    found = [event for event in state.events(player) if event["kind"] == kind]
    return [{name: value for name, value in event.items() if name not in ("kind", "round")} for event in found]


def list_allowed(state):
    """Return the texts of the legal actions."""
    return {state.action_to_text(int(action)) for action in state.legal_actions()}


def ship(state, p, slot):
    """Return the variables of a ship: cls, pos, hp, fp, aux, flags."""
    variables = state.to_dict()
    return {name: variables[f"ship_{name}"][p][slot] for name in ("cls", "pos", "hp", "fp", "aux", "flags")}


def at(config, name):
    """Return the number of a panel."""
    return notation.panel_index(config, name)


def result(state):
    """Return (winning sides, reason), or None before the end."""
    variables = state.to_dict()
    if not state.is_terminal():
        return None
    sides = {side for side in range(4) if variables["winners"] >> side & 1}
    return sides, notation.REASONS[variables["reason"]]


def plain(state, kind, player=None):
    """Return the only event of this kind of the last call."""
    (event,) = list_events(state, kind, player)
    return event


def kinds(state, player=None):
    """Return the kinds of the last call's events."""
    return [event["kind"] for event in state.events(player)]

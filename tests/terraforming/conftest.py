"""The two implementations behind one fixture, and positions drawn as text."""

import textwrap

import pytest

from implementations import Implementation, implementations
from masume.terraforming import blocks, hexes, notation
from masume.terraforming.notation import FINISH
from masume.terraforming.reference import State


class Drawn(Implementation):
    """An implementation whose positions are drawn as text."""

    def parse(self, text, **fields):
        """Return the drawn position; its rows give the radius. Without a header, player 0 is in the first turn."""
        text = textwrap.dedent(text)
        if not {"player", "ply", "phase"} & set(text.split()):
            text = "ply 1\n" + text
        radius, _ = notation.read(text, fields.get("ruleset", "rulebook"))
        return self._parse(text, radius=radius, **fields)


@pytest.fixture(params=implementations("terraforming", Drawn), ids=lambda one: one.name, scope="session")
def implementation(request):
    return request.param


def config_of(state):
    """Return the config of a State of either implementation."""
    return state.config if isinstance(state, State) else state.game.config


def index_of(state, x, y):
    """Return the index of a cell of the state's board."""
    return hexes.indices(config_of(state).radius)[x, y]


def play(state, *lines):
    """Return the state after these lines, and the verdict on each: "ok", "illegal" or "bad". [section 14.5]"""
    config = config_of(state)
    turn = blocks.Turn(config, state)
    verdicts = []
    for line in lines:
        verdict = turn.take(line)
        if verdict == "finish":
            state = turn.state
            verdict = "ok" if state.attempt(FINISH) else "illegal"
            turn = blocks.Turn(config, state)
        verdicts.append(verdict)
    return turn.state, verdicts


def cell(state, x, y):
    """Return the token of a cell on a text board."""
    return notation.token(state.to_dict(), index_of(state, x, y))

"""The two implementations, behind one fixture, and positions drawn as text."""

import importlib.util
import textwrap

import pytest

from masume.terraforming import hexes, notation, protocol
from masume.terraforming.config import Config
from masume.terraforming.notation import FINISH
from masume.terraforming.reference import State


class Implementation:
    """How a test makes states of the reference or the engine; they answer to the same verbs."""

    def __init__(self, name, new, parse, from_dict):
        self.name, self.new, self.from_dict = name, new, from_dict
        self._parse = parse

    def parse(self, text, **fields):
        """The drawn position, whose rows give the radius. Without a header player 0 is in the first turn."""
        text = textwrap.dedent(text)
        if not {"player", "ply", "phase"} & set(text.split()):
            text = "ply 1\n" + text
        radius, _ = notation.read(text, fields.get("ruleset", "rulebook"))
        return self._parse(text, radius=radius, **fields)


def _reference():
    return Implementation(
        "reference",
        lambda seed=None, **fields: State.new(Config.make(**fields), seed),
        lambda text, **fields: State.parse(Config.make(**fields), text),
        lambda variables, **fields: State.from_dict(Config.make(**fields), variables),
    )


def _engine():
    import masume

    return Implementation(
        "engine",
        lambda seed=None, **fields: masume.load("terraforming", **fields).new_state(seed),
        lambda text, **fields: masume.load("terraforming", **fields).parse(text),
        lambda variables, **fields: masume.load("terraforming", **fields).state_from_dict(variables),
    )


MAKERS = {"reference": _reference, "engine": _engine}
if importlib.util.find_spec("masume._terraforming") is None:
    del MAKERS["engine"]


@pytest.fixture(params=list(MAKERS.values()), ids=list(MAKERS), scope="session")
def implementation(request):
    return request.param()


def config_of(state):
    """The config of a State of either kind."""
    return state.config if isinstance(state, State) else state.game.config


def index_of(state, x, y):
    """The index of a cell of the state's board."""
    return hexes.indices(config_of(state).radius)[x, y]


def play(state, *lines):
    """The state after these lines, and the verdict on each: "ok", "illegal" or "bad". [section 14.5]"""
    config = config_of(state)
    turn = protocol.Turn(config, state)
    verdicts = []
    for line in lines:
        verdict = turn.take(line)
        if verdict == "finish":
            state = turn.state
            verdict = "ok" if state.attempt(FINISH) else "illegal"
            turn = protocol.Turn(config, state)
        verdicts.append(verdict)
    return turn.state, verdicts


def cell(state, x, y):
    """What a text board shows of a cell."""
    return notation.token(state.to_dict(), index_of(state, x, y))

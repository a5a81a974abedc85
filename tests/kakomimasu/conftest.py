"""A fixture for the two implementations, and positions drawn as text."""

import re
import textwrap

import pytest

from masume.kakomimasu import notation
from masume.kakomimasu.config import Config
from masume.kakomimasu.reference import State


class Implementation:
    """Constructors of states of the reference or the engine, with the same interface."""

    def __init__(self, name, new, parse, from_dict):
        self.name, self.new, self._parse, self.from_dict = name, new, parse, from_dict

    def parse(self, text, **fields):
        """Return the drawn position; by default sizes, players and agents as drawn, points 1, five turns."""
        text = textwrap.dedent(text).strip()
        rows = [line.strip() for line in text.splitlines() if ":" not in line]
        agents = re.findall(r"([A-D])(\d+)@", text)
        letters = "".join(rows).upper() + "".join(player for player, _ in agents)
        drawn = {
            "width": len(rows[0]),
            "height": len(rows),
            "n_players": max(2, *("ABCD".find(letter) + 1 for letter in letters)),
            "n_agents": 1 + max((int(number) for _, number in agents), default=0),
            "total_turns": 5,
            "points": [1] * (len(rows) * len(rows[0])),
        }
        return self._parse(text, **{**drawn, **fields})


def _reference():
    return Implementation(
        "reference",
        lambda **fields: State.new(Config.make(**fields)),
        lambda text, **fields: State.parse(Config.make(**fields), text),
        State.from_dict,
    )


def _engine():
    import masume

    def from_dict(variables):
        fields = variables.get("config")
        game = masume.load("kakomimasu", **(fields if isinstance(fields, dict) else {}))
        return game.state_from_dict(variables)

    return Implementation(
        "engine",
        lambda **fields: masume.load("kakomimasu", **fields).new_state(),
        lambda text, **fields: masume.load("kakomimasu", **fields).parse(text),
        from_dict,
    )


@pytest.fixture(params=[_reference, _engine], ids=["reference", "engine"], scope="session")
def implementation(request):
    return request.param()


def entries(text):
    """Return [(player, (agent, type, x, y))] for a text such as "A0 MOVE 1,0; B0 STAY"."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, kind, *target = part.split()
        x, y = map(int, target[0].split(",")) if target else (0, 0)
        found.append(("ABCD".index(name[0]), (int(name[1:]), kind, x, y)))
    return found


def play(state, text, on_illegal="fallback"):
    """Play a turn in list form and return its result codes in the order of the text."""
    told = entries(text)
    lists = [[entry for player, entry in told if player == p] for p in range(len(state.to_dict()["pos"]))]
    codes = [iter(mine) for mine in state.apply_lists(lists, on_illegal=on_illegal)]
    return [next(codes[player]) for player, _ in told]


def rows(state):
    """Return the drawing of the board, one string per row."""
    return [line for line in str(state).splitlines() if ":" not in line]


def board(text):
    """Return the rows of a drawing written inside a test."""
    return textwrap.dedent(text).split()


def cells(state):
    """Return the (x, y) of each placed agent by its name in drawings: {"A0": (1, 0)}."""
    variables = state.to_dict()
    width = variables["config"]["width"]
    return {
        f"{notation.PLAYERS[p]}{a}": (cell % width, cell // width)
        for p, mine in enumerate(variables["pos"])
        for a, cell in enumerate(mine)
        if cell >= 0
    }

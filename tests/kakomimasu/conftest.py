"""The two implementations, behind one fixture, and positions drawn as text."""

import re
import textwrap

import pytest

from masume.kakomimasu import notation
from masume.kakomimasu.config import Config
from masume.kakomimasu.reference import State


class Implementation:
    """How a test makes states of the reference or the engine; they answer to the same verbs."""

    def __init__(self, name, new, parse, from_dict):
        self.name, self.new, self._parse, self.from_dict = name, new, parse, from_dict

    def parse(self, text, **fields):
        """The drawn position: sizes, players and agents as drawn unless told, points 1, five turns."""
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
    """[(player, (agent, type, x, y))] of "A0 MOVE 1,0; B0 STAY"."""
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
    """The drawing of the board, one string a row."""
    return [line for line in str(state).splitlines() if ":" not in line]


def board(text):
    """The rows of a drawing written inside a test."""
    return textwrap.dedent(text).split()


def cells(state):
    """The (x, y) of each placed agent by name, as drawn: {"A0": (1, 0)}."""
    variables = state.to_dict()
    width = variables["config"]["width"]
    return {
        f"{notation.PLAYERS[p]}{a}": (cell % width, cell // width)
        for p, mine in enumerate(variables["pos"])
        for a, cell in enumerate(mine)
        if cell >= 0
    }

"""A fixture for the two implementations, and positions drawn as text."""

import textwrap

import pytest

from implementations import Implementation, implementations
from masume.chaser.maps import FLOOR, Map
from masume.chaser.notation import CODES, LETTERS


def lines(text):
    """Return the lines of a drawing written inside a test."""
    return textwrap.dedent(text).split()


def draw_map(rows, turn_limit=100):
    """Return the Map that a drawing of a start shows."""
    cells = [[LETTERS[letter] for letter in row] for row in rows]
    starts = {letter: (r, c) for r, row in enumerate(rows) for c, letter in enumerate(row) if letter in "CH"}
    return Map(cells, starts["C"], starts["H"], turn_limit)


def meadow(height, width, turn_limit=100):
    """Return a Map of floor only, so that positions of any size can be read."""
    return Map([[FLOOR] * width] * height, (0, 0), (height - 1, width - 1), turn_limit)


class Drawn(Implementation):
    """Implementation that reads fields and positions from drawings."""

    def start(self, text, turn_limit=100):
        """Return the start on the drawn map."""
        rows = text if isinstance(text, list) else lines(text)
        return self.new(map=draw_map(rows, turn_limit))

    def parse(self, text, turn_limit=100):
        """Return the drawn position, in the middle of a game."""
        text = textwrap.dedent(text).strip()
        rows = [line.strip() for line in text.splitlines() if line.strip() and ":" not in line]
        return self._parse(text, map=meadow(len(rows), len(rows[0]), turn_limit))


@pytest.fixture(params=implementations("chaser", Drawn), ids=lambda one: one.name, scope="session")
def implementation(request):
    return request.param


def play(state, text):
    """Play the actions of "wr lu ..." and return the method info of each."""
    infos = []
    for code in text.split():
        player = state.current_player
        state.apply(CODES.index(code))
        infos += [event["info"] for event in state.events(player) if event["event"] == "method"]
    return infos


def read_info(state, player, event):
    """Return the digits of a player's info of this kind in the last call, or None."""
    found = [told["info"] for told in state.events(player) if told["event"] == event]
    return found[0] if found else None


def rows(state):
    """Return the drawing of the field, one string per row."""
    return [line for line in str(state).splitlines() if ":" not in line]


def positions(state):
    """Return (row, column) of COOL and HOT."""
    variables = state.to_dict()
    return list(zip(variables["row"], variables["col"], strict=True))


def result(state):
    """Return (winner, reason) as numbers."""
    variables = state.to_dict()
    return variables["winner"], variables["reason"]

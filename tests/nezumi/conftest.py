"""The two implementations behind one fixture, and positions drawn as text."""

import dataclasses

import pytest

from masume.nezumi import notation
from masume.nezumi.config import Config
from masume.nezumi.reference import State
from masume.nezumi.stages import Stage


class Sketch(Stage):
    """A stage that need not be playable, for positions in the middle of a game."""

    def check_playable(self):
        """Accept any stage."""


@dataclasses.dataclass
class Position:
    """A drawn position: its config and its variables (`State.to_dict`)."""

    config: Config
    variables: dict


def draw(rows, phase="MOVE", t=2, T=9, M=5, R=3, captured=0, food=0, cost=0, under=(), zone=(), flip=0):  # noqa: N803
    """Return the position of a diagram of section 10; `under` holds (row, column, mg), `zone` (row, column)."""
    marks = "".join(rows)
    height, width = len(rows), len(rows[0])
    amounts = [int(mark) if mark.isdigit() else 0 for mark in marks]
    for row, column, amount in under:
        amounts[row * width + column] = amount
    zones = [int(mark == "Z") for mark in marks]
    for row, column in zone:
        zones[row * width + column] = 1
    stage = Sketch(
        "drawn", height, width, [int(mark == "#") for mark in marks], zones, amounts, marks.index("C"), M, R, T
    )
    return Position(
        Config.make(stage=stage, surround_flip=bool(flip)),
        {
            "phase": notation.PHASES.index(phase),
            "t": t,
            "cat": marks.index("C"),
            "mouse": [" Mm".find(mark) if mark in "Mm" else 0 for mark in marks],
            "food": amounts,
            "captured": captured,
            "food_sum": food,
            "cost_sum": cost,
            "react_cell": -1,
            "react_from": 0,
            "result": 0,
        },
    )


def lines(text):
    """Return the rows of a drawing written inside a test, on separate lines or separated by |."""
    return text.replace("|", " ").split()


class Implementation:
    """A factory of states of the reference or the engine, with one interface for both."""

    def __init__(self, name, new, parse, from_dict):
        self.name, self._new, self._parse, self._from_dict = name, new, parse, from_dict

    def new(self, **fields):
        """Return the start of a game of the config with these fields."""
        return self._new(Config.make(**fields))

    def place(self, position):
        """Return the state of a Position."""
        return self._from_dict(position.config, position.variables)

    def from_dict(self, config, variables):
        """Return the state with these variables."""
        return self._from_dict(config, variables)

    def draw(self, text, **told):
        """Return the drawn position (`draw`); default: phase MOVE, turn 2 of 9."""
        return self.place(draw(lines(text), **told))

    def parse(self, config, text):
        """Return the position of a text board."""
        return self._parse(config, text)


def _reference():
    return Implementation("reference", State.new, State.parse, State.from_dict)


def _game(config):
    import masume

    return masume.load("nezumi", **{name: getattr(config, name) for name in config.__dataclass_fields__})


def _engine():
    return Implementation(
        "engine",
        lambda config: _game(config).new_state(),
        lambda config, text: _game(config).parse(text),
        lambda config, variables: _game(config).state_from_dict(variables),
    )


@pytest.fixture(params=[_reference, _engine], ids=["reference", "engine"], scope="session")
def implementation(request):
    return request.param()


def play(state, *texts):
    """Play actions given as text and return the events of the last one."""
    for text in texts:
        state.apply(state.text_to_action(text))
    return write_events(state)


def write_events(state):
    """Return the events of the last action as section 9 writes them: "jump(6,7,0) eat(7,9)"."""
    return " ".join(
        f"{event['event']}({','.join(str(value) for key, value in event.items() if key != 'event')})"
        for event in state.events()
    )


def legal(state):
    """Return the texts of the legal actions."""
    return {state.action_to_text(int(action)) for action in state.legal_actions()}


def config_of(state):
    """Return the config of a state of either implementation."""
    return state.config if hasattr(state, "config") else state.game.config


def rows(state):
    """Return the drawing of the board, one string per row."""
    return notation.board(config_of(state), state.to_dict())


def phase(state):
    """Return the phase by name."""
    return notation.PHASES[state.to_dict()["phase"]]


def result(state):
    """Return how the game ended, by name."""
    return notation.RESULTS[state.to_dict()["result"]]


def winner(state):
    """Return the winner, None before the end."""
    returns = list(state.returns())
    return {(1, -1): "cat", (-1, 1): "mice", (0, 0): None}[tuple(returns)]


def board_counts(state):
    """Return (mice on the board, reserve), computed from the variables and the config."""
    variables = state.to_dict()
    on_board = sum(map(bool, variables["mouse"]))
    return on_board, config_of(state).start_stage.max_mice - on_board - variables["captured"]

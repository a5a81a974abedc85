"""How people play Connect Four on the page: the cell where a stone would land is pressed."""

from masume.render.canvas import Choice

from .notation import EMPTY, HEIGHT, marks

ABOUT = "Four of your stones in a line win."
HELP = ("Press a marked cell: your stone falls there.",)
LEVELS = ("random", "careful", "mcts:1000")
LEVEL = "careful"


def choices(state, player):  # noqa: ARG001
    """Return the columns that are not full, each with the cell where a stone lands."""
    width = state.game.config.width
    cells = marks(state.game.config, state.to_dict())
    columns = state.legal_actions().tolist()
    free = [max(row for row in range(HEIGHT) if cells[row * width + column] == EMPTY) for column in columns]
    return [Choice(columns, [row * width + column for row, column in zip(free, columns, strict=True)], 0)]

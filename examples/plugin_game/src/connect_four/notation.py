"""Texts: a position <-> a text board, a code <-> the letter of its column.

A text board has six rows, the highest first: X and O are stones of players 0 and 1, a dot is an empty cell.
"""

from masume.core.board import one_of, read_board
from masume.errors import NotationError

PLAYERS = "XO"
EMPTY = "."
HEIGHT = 6
COLUMN = HEIGHT + 1  # bits that a column takes in a word of stones
COLUMNS = "abcdefghi"


def places(width):
    """The bit of each cell in a word of stones, row by row from the highest."""
    return [COLUMN * column + row for row in reversed(range(HEIGHT)) for column in range(width)]


def marks(config, variables):
    """The letter of each cell of a position (`State.to_dict`), row by row from the highest."""
    first, second = variables["stones"]
    return "".join(
        PLAYERS[0] if first >> bit & 1 else PLAYERS[1] if second >> bit & 1 else EMPTY for bit in places(config.width)
    )


def to_text(config, variables):
    """The text board of a position."""
    letters = marks(config, variables)
    return "\n".join(letters[start : start + config.width] for start in range(0, len(letters), config.width))


def parse(config, text):
    """The variables of the position that a text board shows; NotationError, with line and column, where it is none."""
    board = read_board(text, config.width, HEIGHT, one_of(PLAYERS + EMPTY, "cells"), "cells")
    for entry in board.entries:
        raise NotationError(f"{entry.key!r} is no line of this board", entry.line, 1)
    cells = list(zip(places(config.width), board.letters, strict=True))
    return {"stones": [sum(1 << bit for bit, letter in cells if letter == player) for player in PLAYERS]}


def action_to_text(code):
    """The letter of the column."""
    return COLUMNS[code]


def text_to_action(config, text):
    """The code of a column's letter; NotationError for what is none."""
    columns = COLUMNS[: config.width]
    word = text.strip()
    if len(word) != 1 or word not in columns:
        raise NotationError(f"{text!r} is none of the columns {' '.join(columns)}")
    return columns.index(word)

"""Texts: conversion between a position and a text board, and between a code and the letter of its column.

A text board has six rows, the highest first: X and O are stones of players 0 and 1, a dot is an empty cell.
"""

from masume.core.board import one_of, read_board
from masume.errors import NotationError

PLAYERS = "XO"
EMPTY = "."
HEIGHT = 6
COLUMN = HEIGHT + 1  # bits per column in a word of stones
COLUMNS = "abcdefghi"


def places(width):
    """Return the bit of each cell in a word of stones, row by row from the highest."""
    return [COLUMN * column + row for row in reversed(range(HEIGHT)) for column in range(width)]


def marks(config, variables):
    """Return the letter of each cell of a position (`State.to_dict`), row by row from the highest."""
    first, second = variables["stones"]
    return "".join(
        PLAYERS[0] if first >> bit & 1 else PLAYERS[1] if second >> bit & 1 else EMPTY for bit in places(config.width)
    )


def to_text(config, variables):
    """Return the text board of a position."""
    letters = marks(config, variables)
    return "\n".join(letters[start : start + config.width] for start in range(0, len(letters), config.width))


def parse(config, text):
    """Return the variables of the position on a text board; raise NotationError, with line and column, if malformed."""
    board = read_board(text, config.width, HEIGHT, one_of(PLAYERS + EMPTY, "cells"), "cells")
    for entry in board.entries:
        raise NotationError(f"{entry.key!r} is no line of this board", entry.line, 1)
    cells = list(zip(places(config.width), board.letters, strict=True))
    return {"stones": [sum(1 << bit for bit, letter in cells if letter == player) for player in PLAYERS]}


def action_to_text(code):
    """Return the letter of the column."""
    return COLUMNS[code]


def text_to_action(config, text):
    """Return the code of a column's letter; raise NotationError for any other text."""
    columns = COLUMNS[: config.width]
    word = text.strip()
    if len(word) != 1 or word not in columns:
        raise NotationError(f"expected one of the columns {' '.join(columns)}, got {text!r}")
    return columns.index(word)

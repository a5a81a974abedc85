"""What CHaser looks like: blocks, items, the players as discs, what each method was aimed at and what it told.

A player's own view is a field of its own, twice as high and as wide, with the player's start in the middle: where on
the real one that is it never knows for sure. [section 9.4]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..render.canvas import Act, Frame, Outcome, Scene, Tile, Unit, Verb
from .maps import BLOCK, FLOOR, ITEM, PLAYERS, STEPS
from .notation import CODES, COLLISION, CONFINED, LOOK, REASONS, SEARCH, WINNERS

OPPONENT = 1  # a digit [section 9.1]
MARKS = {FLOOR: ".", BLOCK: "#", ITEM: "*"}
OUTSIDE, UNKNOWN = " ", ":"
TILES = (
    Tile(MARKS[FLOOR], "plain", -1, "floor"),
    Tile(MARKS[BLOCK], "block", -1, "block"),
    Tile(MARKS[ITEM], "plain", -1, "item", "item"),
)
UNSEEN = (Tile(OUTSIDE, "void", -1, "outside the field"), Tile(UNKNOWN, "unknown", -1, "not seen yet"))
VERBS = (Verb("walk", "arrow"), Verb("look", "ring"), Verb("search", "ring"), Verb("put", "cross"))
DONE, TOOK, HIT, SHUT_IN = range(4)  # places in OUTCOMES
OUTCOMES = (
    Outcome("done", ""),
    Outcome("took an item", ""),
    Outcome("hit a block", "×"),
    Outcome("shut itself in", "!"),
)
KINDS = ("walks", "looks", "searches", "puts a block")
DIRECTIONS = ("up", "right", "left", "down")
INFOS = {"ready": "begins and sees", "method": "sees", "end": "ends and sees"}
AROUND = 8  # cells of an observation's planes farther from the start than any field reaches [section 9.7]


def scene(state: Any, player: int | None = None) -> Scene:
    """The field's size, its tiles and the two players. [CH-9]"""
    variables = state.to_dict()
    height, width = variables["height"], variables["width"]
    field: dict[str, Any] = {"height": height, "width": width, "tiles": TILES}
    if player is not None:
        field = {
            "height": 2 * height - 1,
            "width": 2 * width - 1,
            "tiles": (*UNSEEN, *TILES),
            "rows": [str(row) for row in range(1 - height, height)],
            "columns": [str(column) for column in range(1 - width, width)],
        }
    return Scene(
        title=f"CHaser {width}×{height}",
        players=PLAYERS,
        score_names=("items",),
        units=tuple(Unit(number, name[0]) for number, name in enumerate(PLAYERS)),
        verbs=VERBS,
        outcomes=OUTCOMES,
        hides=True,
        **field,
    )


def frame(state: Any, player: int | None = None) -> Frame:
    """Blocks, items and players of one position; who has left the field is nowhere."""
    variables = state.to_dict()
    log = [_describe(event) for event in state.events(player)]
    if player is not None:
        return _view(state, variables, player, log)
    width, height = variables["width"], variables["height"]
    return Frame(
        caption=_caption(variables),
        scores=[(count,) for count in variables["items"]],
        cells="".join(MARKS[value] for value in variables["cells"]),
        places=tuple(
            _cell(row, column, width, height) for row, column in zip(variables["row"], variables["col"], strict=True)
        ),
        log=log,
    )


def acts(before: Any, move: Any, after: Any, player: int | None = None) -> list[Act]:
    """What the player tried: a look aims at the middle of its square, a search at the last cell inside the picture.

    move : the action, or what stands in its place where a player forfeited. player : sees none but its own.
    """
    start, end = before.to_dict(), after.to_dict()
    mover = start["half"] % 2
    if not isinstance(move, int) or player not in (None, mover):
        return []
    kind, direction = divmod(move, 4)
    down, right = STEPS[direction]
    width, height = start["width"], start["height"]
    row, column = start["row"][mover], start["col"][mover]
    if player is not None:
        (row,), (column,) = np.nonzero(_planes(before, player)[4])
        width, height = 2 * width - 1, 2 * height - 1
    distances = {LOOK: (2,), SEARCH: range(9, 0, -1)}.get(kind, (1,))
    cells = (_cell(int(row) + down * n, int(column) + right * n, width, height) for n in distances)
    target = next((cell for cell in cells if cell >= 0), -1)
    outcome = {COLLISION: HIT, CONFINED: SHUT_IN}.get(end["reason"])
    if outcome is None:
        outcome = TOOK if end["items"][mover] > start["items"][mover] else DONE
    return [Act(mover, kind, target, outcome)]


def _view(state: Any, variables: dict[str, Any], player: int, log: list[str]) -> Frame:
    """What the player last read of each cell, and where it last saw its opponent. [section 9.4]"""
    height, width = variables["height"], variables["width"]
    floor, item, block, opponent, own, *_ = planes = _planes(state, player) > 0
    marks = np.full(planes.shape[1:], UNKNOWN)
    for value, plane in ((FLOOR, floor), (ITEM, item), (BLOCK, block)):
        marks[plane] = MARKS[value]
    inside = floor | item
    inside[height - 1, width - 1] = True  # its start
    # whichever cell of the field that is, all of these are in the field, which reaches no farther from any of them
    for line, size, marked in ((inside.any(1), height, marks), (inside.any(0), width, marks.T)):
        first, last = np.flatnonzero(line)[[0, -1]]
        marked[: max(0, last - size + 1)] = OUTSIDE
        marked[first + size :] = OUTSIDE
    places = [int(found[0]) if (found := np.flatnonzero(plane)).size else -1 for plane in (own, opponent)]
    scalars = state.observation(player)["scalars"]
    return Frame(
        caption=_caption(variables) if variables["winner"] < 0 else "the game is over",
        scores=[(int(scalars[3]),) if who == player else (None,) for who in range(2)],
        cells="".join(marks.flat),
        places=places if player == 0 else places[::-1],
        faint=[1 - player] if scalars[4] > 0 else [],
        log=log,
    )


def _planes(state: Any, player: int) -> NDArray[Any]:
    """What the player knows of the cells that can be in the field, of which its start is the middle. [section 9.7]"""
    inside = slice(AROUND + 1, -AROUND - 1)
    return np.asarray(state.observation(player)["planes"])[:, inside, inside]


def _describe(event: dict[str, Any]) -> str:
    """An event in words; what is seen with the letters of text boards, three cells at a time. [section 9.3]"""
    player = event["player"]
    if event["event"] == "action":
        kind, direction = divmod(CODES.index(event["action"]), 4)
        return f"{PLAYERS[player]} {KINDS[kind]} {DIRECTIONS[direction]}"
    letters = MARKS | {OPPONENT: PLAYERS[1 - player][0]}
    seen = "".join(letters[int(digit)] for digit in event["info"][1:])
    return f"{PLAYERS[player]} {INFOS[event['event']]} {seen[:3]} {seen[3:6]} {seen[6:]}"


def _cell(row: int, column: int, width: int, height: int) -> int:
    """The number of a cell, -1 outside the board."""
    return row * width + column if 0 <= row < height and 0 <= column < width else -1


def _caption(variables: dict[str, Any]) -> str:
    """When it is, and in the end who won and why. [section 8]"""
    half, limit = variables["half"], variables["turn_limit"]
    if variables["winner"] < 0:
        return f"turn {half // 2 + 1} of {limit}, {PLAYERS[half % 2]} to move"
    who, reason = WINNERS[variables["winner"]], REASONS[variables["reason"]]
    played = "1 method" if half == 1 else f"{half} methods"
    return f"end after {played}: {who if who == 'draw' else f'{who} wins'}, {reason}"

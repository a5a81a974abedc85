"""Drawing of CHaser: blocks, items, the players, the target of each method and its info.

The view of one player is a separate field, twice as high and as wide, with the player's start in the middle, because
a player may never know where on the real field its start is. [section 9.4]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.language import say, translate
from ..core.language import translate as _
from ..render.canvas import TOGETHER, Act, Frame, Outcome, Scene, Tile, Unit, Verb
from .maps import BLOCK, FLOOR, ITEM, PLAYERS, STEPS
from .notation import CODES, COLLISION, CONFINED, LOOK, REASONS, SEARCH, WINNERS
from .shapes import SHAPES

OPPONENT = 1  # digit of an info [section 9.1]
MARKS = {FLOOR: ".", BLOCK: "#", ITEM: "*"}
OUTSIDE, UNKNOWN = " ", ":"
TILES = (
    Tile(MARKS[FLOOR], "plain", -1, "floor"),
    Tile(MARKS[BLOCK], "block", -1, "block"),
    Tile(MARKS[ITEM], "plain", -1, "item", "item"),
)
UNSEEN = (Tile(OUTSIDE, "void", -1, "outside the field"), Tile(UNKNOWN, "unknown", -1, "not seen yet"))
VERBS = (Verb("walk", "arrow"), Verb("look", "ring"), Verb("search", "ring"), Verb("put a block", "cross"))
DONE, TOOK, HIT, SHUT_IN = range(4)  # indices into OUTCOMES
OUTCOMES = (
    Outcome("done", ""),
    Outcome("took an item", ""),
    Outcome("hit a block", "×"),
    Outcome("shut itself in", "!"),
)
KINDS = (
    "{player} walks {direction}",
    "{player} looks {direction}",
    "{player} searches {direction}",
    "{player} puts a block {direction}",
)
DIRECTIONS = ("up", "right", "left", "down")
INFOS = {
    "ready": "{player} begins and sees {cells}",
    "method": "{player} sees {cells}",
    "end": "{player} ends and sees {cells}",
}
SEEN_TOGETHER = True
REACH = 9  # cells that a search shows [section 9.1]
AROUND = 8  # margin, in cells, of an observation's planes that no field reaches [section 9.7]


def scene(state: Any, player: int | None = None) -> Scene:
    """Return the fixed part of the drawing: the size of the field, its tiles and the two players. [CH-9]"""
    variables = state.to_dict()
    height, width = variables["height"], variables["width"]
    field: dict[str, Any] = {"height": height, "width": width, "tiles": TILES}
    if player == TOGETHER:
        field["tiles"] = (*UNSEEN, *TILES)
    elif player is not None:
        field = {
            "height": 2 * height - 1,
            "width": 2 * width - 1,
            "tiles": (*UNSEEN, *TILES),
            "rows": [str(row) for row in range(1 - height, height)],
            "columns": [str(column) for column in range(1 - width, width)],
        }
    return Scene(
        title=f"{_('CHaser')} {width}×{height}",
        players=PLAYERS,
        score_names=("items",),
        units=tuple(Unit(number, name[0], name) for number, name in enumerate(PLAYERS)),
        shapes=SHAPES,
        verbs=VERBS,
        outcomes=OUTCOMES,
        hides=True,
        **field,
    )


def frame(state: Any, player: int | None = None) -> Frame:
    """Return blocks, items and players of one position; a player outside the field has no place."""
    variables = state.to_dict()
    log = [_describe(event) for event in state.events(None if player == TOGETHER else player)]
    if player not in (None, TOGETHER):
        return _view(state, variables, player, log)
    width, height = variables["width"], variables["height"]
    cells = "".join(MARKS[value] for value in variables["cells"])
    if player == TOGETHER and not state.is_terminal():
        seen = _seen(state, variables)
        cells = "".join(mark if is_seen else UNKNOWN for mark, is_seen in zip(cells, seen.flat, strict=True))
    return Frame(
        caption=_caption(variables),
        scores=[(count,) for count in variables["items"]],
        cells=cells,
        places=tuple(
            _cell(row, column, width, height) for row, column in zip(variables["row"], variables["col"], strict=True)
        ),
        log=log,
    )


def acts(before: Any, move: Any, after: Any, player: int | None = None) -> list[Act]:
    """Return the action of one move; a look aims at the middle of its square, a search at its last visible cell.

    Parameters
    ----------
    before, after : State
        The positions before and after the move.
    move : int or Forfeit
        The action, or the forfeit of a player.
    player : int, optional
        The player whose view is drawn; it sees only its own actions. None or TOGETHER: the actions of both.
    """
    start, end = before.to_dict(), after.to_dict()
    mover = start["half"] % 2
    if not isinstance(move, int) or player not in (None, TOGETHER, mover):
        return []
    kind, direction = divmod(move, 4)
    down, right = STEPS[direction]
    width, height = start["width"], start["height"]
    row, column = start["row"][mover], start["col"][mover]
    if player not in (None, TOGETHER):
        (row,), (column,) = np.nonzero(_planes(before, player)[4])
        width, height = 2 * width - 1, 2 * height - 1
    distances = {LOOK: (2,), SEARCH: range(REACH, 0, -1)}.get(kind, (1,))
    cells = (_cell(int(row) + down * n, int(column) + right * n, width, height) for n in distances)
    target = next((cell for cell in cells if cell >= 0), -1)
    outcome = {COLLISION: HIT, CONFINED: SHUT_IN}.get(end["reason"])
    if outcome is None:
        outcome = TOOK if end["items"][mover] > start["items"][mover] else DONE
    return [Act(mover, kind, target, outcome)]


def _seen(state: Any, variables: dict[str, Any]) -> NDArray[np.bool_]:
    """Return which cells of the field one of the players has seen, bool[height, width]."""
    height, width = variables["height"], variables["width"]
    found = np.zeros((height, width), bool)
    for player, place in enumerate(zip(variables["row"], variables["col"], strict=True)):
        floor, item, block, _opponent, own, *_ = _planes(state, player) > 0
        (row,), (column,) = np.nonzero(own)  # on a field whose middle is the player's start
        down, right = row - place[0], column - place[1]
        found |= (floor | item | block | own)[down : down + height, right : right + width]
    return found


def _view(state: Any, variables: dict[str, Any], player: int, log: list[str]) -> Frame:
    """Return the last observation of each cell by a player, and of its opponent. [section 9.4]"""
    height, width = variables["height"], variables["width"]
    floor, item, block, opponent, own, *_ = planes = _planes(state, player) > 0
    marks = np.full(planes.shape[1:], UNKNOWN)
    for value, plane in ((FLOOR, floor), (ITEM, item), (BLOCK, block)):
        marks[plane] = MARKS[value]
    inside = floor | item
    inside[height - 1, width - 1] = True  # its start
    # all of these cells are in the field, so no cell a whole field's size away from one of them can be
    for line, size, marked in ((inside.any(1), height, marks), (inside.any(0), width, marks.T)):
        first, last = np.flatnonzero(line)[[0, -1]]
        marked[: max(0, last - size + 1)] = OUTSIDE
        marked[first + size :] = OUTSIDE
    places = [int(indices[0]) if (indices := np.flatnonzero(plane)).size else -1 for plane in (own, opponent)]
    scalars = state.observation(player)["scalars"]
    return Frame(
        caption=_caption(variables) if variables["winner"] < 0 else translate("the game is over"),
        scores=[(int(scalars[3]),) if who == player else (None,) for who in range(2)],
        cells="".join(marks.flat),
        places=places if player == 0 else places[::-1],
        faint=[1 - player] if scalars[4] > 0 else [],
        log=log,
    )


def _planes(state: Any, player: int) -> NDArray[Any]:
    """Return the planes of an observation, cut to the cells that can be in the field. [section 9.7]"""
    inside = slice(AROUND + 1, -AROUND - 1)
    return np.asarray(state.observation(player)["planes"])[:, inside, inside]


def _describe(event: dict[str, Any]) -> str:
    """Return an event in words; the cells of an info as letters of text boards, in groups of three. [section 9.3]"""
    player = event["player"]
    if event["event"] == "action":
        kind, direction = divmod(CODES.index(event["action"]), 4)
        return say(KINDS[kind], player=PLAYERS[player], direction=translate(DIRECTIONS[direction]))
    letters = MARKS | {OPPONENT: PLAYERS[1 - player][0]}
    seen = "".join(letters[int(digit)] for digit in event["info"][1:])
    return say(INFOS[event["event"]], player=PLAYERS[player], cells=f"{seen[:3]} {seen[3:6]} {seen[6:]}")


def _cell(row: int, column: int, width: int, height: int) -> int:
    """Return the number of a cell, -1 outside the board."""
    return row * width + column if 0 <= row < height and 0 <= column < width else -1


def _caption(variables: dict[str, Any]) -> str:
    """Return the turn and, at the end, the winner and the reason. [section 8]"""
    half, limit = variables["half"], variables["turn_limit"]
    if variables["winner"] < 0:
        return say(
            "turn {turn} of {turns}, {player} to move", turn=half // 2 + 1, turns=limit, player=PLAYERS[half % 2]
        )
    who, reason = WINNERS[variables["winner"]], REASONS[variables["reason"]]
    ending = translate("draw") if who == "draw" else say("{player} wins", player=who)
    template = "end after 1 method: {ending}, {reason}" if half == 1 else "end after {half} methods: {ending}, {reason}"
    return say(template, half=half, ending=ending, reason=translate(reason))

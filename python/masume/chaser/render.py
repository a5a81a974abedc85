"""What CHaser looks like: blocks solid, items hatched, the players as discs, what each method was aimed at."""

from __future__ import annotations

from typing import Any

from ..render.canvas import Act, Frame, Outcome, Scene, Tile, Unit, Verb
from .maps import BLOCK, FLOOR, ITEM, PLAYERS, STEPS
from .notation import COLLISION, CONFINED, LOOK, REASONS, SEARCH, WINNERS

MARKS = {FLOOR: ".", BLOCK: "#", ITEM: "*"}
VERBS = (Verb("walk", "arrow"), Verb("look", "ring"), Verb("search", "ring"), Verb("put", "cross"))
DONE, TOOK, HIT, SHUT_IN = range(4)  # places in OUTCOMES
OUTCOMES = (
    Outcome("done", ""),
    Outcome("took an item", ""),
    Outcome("hit a block", "×"),
    Outcome("shut itself in", "!"),
)


def scene(state: Any) -> Scene:
    """The field's size, its tiles and the two players. [CH-9]"""
    variables = state.to_dict()
    width, height = variables["width"], variables["height"]
    return Scene(
        title=f"CHaser {width}×{height}",
        width=width,
        height=height,
        players=PLAYERS,
        score_names=("items",),
        # blocks and items are nobody's: they have the looks of the players there never are
        tiles=(
            Tile(MARKS[FLOOR], "plain", -1, "floor"),
            Tile(MARKS[BLOCK], "solid", 2, "block"),
            Tile(MARKS[ITEM], "hatch", 3, "item"),
        ),
        units=tuple(Unit(player, name[0]) for player, name in enumerate(PLAYERS)),
        verbs=VERBS,
        outcomes=OUTCOMES,
    )


def frame(state: Any) -> Frame:
    """Blocks, items and players of one position; who has left the field is nowhere."""
    variables = state.to_dict()
    width, height = variables["width"], variables["height"]
    return Frame(
        caption=_caption(variables),
        scores=[(count,) for count in variables["items"]],
        cells="".join(MARKS[value] for value in variables["cells"]),
        places=tuple(
            _cell(row, column, width, height) for row, column in zip(variables["row"], variables["col"], strict=True)
        ),
    )


def acts(before: Any, move: Any, after: Any) -> list[Act]:
    """What the player tried: a look aims at the middle of its square, a search at the last cell inside the field.

    move : the action, or what stands in its place where a player forfeited.
    """
    if not isinstance(move, int):
        return []
    start, end = before.to_dict(), after.to_dict()
    player = start["half"] % 2
    kind, direction = divmod(move, 4)
    down, right = STEPS[direction]
    distances = {LOOK: (2,), SEARCH: range(9, 0, -1)}.get(kind, (1,))
    cells = (
        _cell(start["row"][player] + down * n, start["col"][player] + right * n, start["width"], start["height"])
        for n in distances
    )
    target = next((cell for cell in cells if cell >= 0), -1)
    outcome = {COLLISION: HIT, CONFINED: SHUT_IN}.get(end["reason"])
    if outcome is None:
        outcome = TOOK if end["items"][player] > start["items"][player] else DONE
    return [Act(player, kind, target, outcome)]


def _cell(row: int, column: int, width: int, height: int) -> int:
    """The number of a cell, -1 outside the field."""
    return row * width + column if 0 <= row < height and 0 <= column < width else -1


def _caption(variables: dict[str, Any]) -> str:
    """When it is, and in the end who won and why. [section 8]"""
    half, limit = variables["half"], variables["turn_limit"]
    if variables["winner"] < 0:
        return f"turn {half // 2 + 1} of {limit}, {PLAYERS[half % 2]} to move"
    who, reason = WINNERS[variables["winner"]], REASONS[variables["reason"]]
    played = "1 method" if half == 1 else f"{half} methods"
    return f"end after {played}: {who if who == 'draw' else f'{who} wins'}, {reason}"

"""What a client of another server knows: a State that is kept from its infos alone. [sections 9.2 to 9.4]

The field, the start and the opponent's methods are hidden from a client. So after each turn a field is made that
explains it: one that the player considers possible, in which the infos were as received, and a method of the opponent
that causes the next ready info. The engine plays both methods on it, so the player's memory, and all samples of the
State, are those of the player in the real game.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..agent import View
from ..errors import MatchError, StateError
from .knowledge import Knowledge, ahead, info_cells, square
from .maps import BLOCK, FLOOR, ITEM, OPPONENT, Cell
from .notation import CODES, PUT, WALK

if TYPE_CHECKING:
    from ..core._state import State
    from ..game import Game

WAIT = CODES.index("su")  # changes nothing [CH-31]
STARTS = 20_000  # generated fields that are tried for the first info


class ToldView(View):
    """The view of a client: all that it was told.

    heard : its events so far. method : the events of its own method, to which the opponent has not answered yet.
    """

    def __init__(
        self,
        state: State,
        player: int,
        heard: str,
        left_ms: int | None = None,
        each_ms: int = 0,
        method: list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(state, player, left_ms, each_ms)
        self._heard, self._method = heard, method

    @property
    def slots(self) -> list[int]:
        """Slots that the player decides now."""
        return super().slots if self._method is None else []

    def events(self) -> list[dict[str, Any]]:
        """Return the events of the last action, as the player sees them."""
        return super().events() if self._method is None else self._method

    def information_state(self) -> str:
        """Return all events of the player."""
        return self._heard


class Turn(NamedTuple):
    """A turn: its ready info, the method, and the info of the method; ten digits each."""

    ready: str
    action: int
    info: str


class Answer(NamedTuple):
    """A method of the opponent that may have led to an info.

    place : its cell before the method, relative to the player's; None: anywhere. item : a cell that had an item.
    """

    place: Cell | None
    action: int
    item: Cell | None = None


class Told:
    """What the player of one seat knows from its infos.

    Parameters
    ----------
    game : Game
        The game. If it has an explicit map, only its size and turn limit are used; otherwise the field is taken to be
        point-symmetric, as generated ones are, until the infos contradict it.
    player : int
        0 COOL, 1 HOT.
    """

    def __init__(self, game: Game, player: int) -> None:
        self._game, self._player = game.public, player
        config: Any = game.config
        self.is_mirrored = config.map is None
        self._turns: list[Turn] = []
        self._ready = ""
        self._known = Knowledge(player, (), 0, 0, 0)
        self._heard = "CH"[player]
        self._state: State | None = None

    def ready(self, info: str) -> None:
        """Take in the ready info of the next turn; raise MatchError if no field of this size explains it."""
        self._ready = info
        try:
            self._state = (
                self._begin(info) if self._state is None else self._advance(self._state, self._turns[-1], info)
            )
        except _Unexplained:
            if not self.is_mirrored:
                raise self._error(info) from None
            self.is_mirrored = False
            self._state = self._replay(info)
        self._hear(f"R{info}")

    def _hear(self, *events: str) -> None:
        self._heard += "".join(f"|{event}" for event in events)
        self._known.hear(events)

    def played(self, action: int, info: str) -> None:
        """Take in the player's own method and its info."""
        self._hear(f"A{CODES[action]}", f"M{info}")
        self._turns.append(Turn(self._ready, action, info))

    @property
    def has_begun(self) -> bool:
        """Whether there was a ready info."""
        return self._state is not None

    @property
    def items(self) -> int:
        """Number of items that the player has collected."""
        return self._known.items

    def after_method(self) -> View:
        """Return the view after the player's own method, in which it cannot decide yet."""
        assert self._state is not None, "a ready info comes first"
        turn = self._turns[-1]
        events = [
            {"player": self._player, "event": "action", "action": CODES[turn.action]},
            {"player": self._player, "event": "method", "info": turn.info},
        ]
        return ToldView(self._state.clone(), self._player, self._heard, method=events)

    def view(self, left_ms: int | None = None, each_ms: int = 0) -> View:
        """Return the view in which the player decides."""
        assert self._state is not None, "a ready info comes first"
        return ToldView(self._state.clone(), self._player, self._heard, left_ms, each_ms)

    def _replay(self, last: str) -> State:
        """Return the State after all turns, on a field that need not be symmetric."""
        infos = [*(turn.ready for turn in self._turns), last]
        self._known = Knowledge(self._player, (), 0, 0, 0)
        try:
            state = self._begin(infos[0])
            for turn, info in zip(self._turns, infos[1:], strict=True):
                self._known.hear([f"R{turn.ready}", f"A{CODES[turn.action]}", f"M{turn.info}"])
                state = self._advance(state, turn, info)
        except _Unexplained:
            raise self._error(last) from None
        return state

    def _error(self, info: str) -> MatchError:
        config: Any = self._game.config
        size = f"{config.height} x {config.width}"
        return MatchError(f"info {info}: no field of {size} explains what the server has sent; --set height=, width=")

    # -- the first info -----------------------------------------------------------------------------

    def _begin(self, info: str) -> State:
        """Return a State at the first decision."""
        if self.is_mirrored:
            for seed in range(STARTS):
                state = self._game.new_state(seed)
                if self._player:
                    state.apply(WAIT)
                if _ready_of(state, self._player) == info:
                    return state
            raise _Unexplained
        place = self._game.config.height // 2, self._game.config.width // 2  # type: ignore[union-attr]
        variables = self._game.new_state(0).to_dict()
        variables["cells"] = [FLOOR] * len(variables["cells"])
        at = (0, 0)
        for cell, digit in zip(square(place), info[1:], strict=True):
            if int(digit) == OPPONENT:
                at = cell
            else:
                variables["cells"][cell[0] * variables["width"] + cell[1]] = int(digit)
        for player, cell in ((self._player, place), (1 - self._player, at)):
            variables["row"][player], variables["col"][player] = cell
        state = self._game.state_from_dict(variables)
        if self._player:
            state.apply(WAIT)
        if _ready_of(state, self._player) != info:
            raise _Unexplained
        return state

    # -- the following infos --------------------------------------------------------------------------

    def _advance(self, state: State, turn: Turn, info: str) -> State:
        """Return a State after this turn, which is known already, at the decision with this ready info."""
        try:
            memory = state.resample(self._player, 0).to_bytes()[self._game.state_size :]  # the opponent knows nothing
        except ValueError:
            raise _Unexplained from None
        fields = _Fields(self._game, self._known, turn, info, self.is_mirrored)
        quiet, others = _answers(turn, info)
        for start in fields.starts():
            for answer in fields.possible(start, quiet, others):
                found = self._play(fields.variables(start, answer), memory, turn, answer)
                if found is not None and _ready_of(found, self._player) == info:
                    return found
        raise _Unexplained

    def _play(self, variables: dict[str, Any], memory: bytes, turn: Turn, answer: Answer) -> State | None:
        """Return the State after both methods, begun in this position; None if that cannot be."""
        size = self._game.state_size
        try:
            state = self._game.state_from_bytes(self._game.state_from_dict(variables).to_bytes()[:size] + memory)
        except StateError:
            return None
        state.apply(turn.action)
        told = [event["info"] for event in state.events(self._player) if event["event"] == "method"]
        if state.is_terminal() or told != [turn.info]:
            return None
        state.apply(answer.action)
        return None if state.is_terminal() else state


class _Fields:
    """The fields on which the last of some turns can have been played. [section 9.6]"""

    def __init__(self, game: Game, known: Knowledge, turn: Turn, info: str, is_mirrored: bool) -> None:
        self._known, self._turn, self._is_mirrored = known, turn, is_mirrored
        kind, direction = divmod(turn.action, 4)
        self._own = known.place if kind != WALK else ahead(known.place, direction, -1)  # at the ready info
        self._items = known.items - (
            kind == WALK and int(turn.ready[1 + square((0, 0)).index(_place_after(turn.action))]) == ITEM
        )
        self._half = known.half - 2
        self._now = zip(square(known.place), info[1:], strict=True)
        config: Any = game.config
        self._height, self._width = config.height, config.width
        self._empty = game.new_state(0).to_dict()

    def starts(self) -> list[Cell]:
        """Return the cells where the player can have begun. [section 9.4]"""
        known = self._known
        inside = {cell for cell in known.first if known.first[cell] != BLOCK or known.last[cell][0] != BLOCK}
        inside |= known.visited | {cell for cell, digit in self._now if int(digit) != BLOCK}
        rows, columns = zip(*inside, strict=True)
        return [
            (row, column)
            for row in range(-min(rows), self._height - max(rows))
            for column in range(-min(columns), self._width - max(columns))
        ]

    def possible(self, start: Cell, quiet: Answer | None, others: list[Answer]) -> Iterator[Answer]:
        """Yield the answers that the opponent can have given if the player began there, the quiet ones first."""
        sighting = self._known.sighting
        since = 0 if sighting is None else sighting[1]
        reach = sum(half % 2 != self._known.player for half in range(since, self._half + 1))
        middle = self._height - 1 - 2 * start[0], self._width - 1 - 2 * start[1]
        if sighting is not None:
            middle = sighting[0]
        elif not self._is_mirrored:
            reach = self._height + self._width

        def is_within(place: Cell) -> bool:
            row, column = self._own[0] + place[0], self._own[1] + place[1]
            return (
                0 <= start[0] + row < self._height
                and 0 <= start[1] + column < self._width
                and self._known.last.get((row, column), (FLOOR, 0))[0] != BLOCK
                and abs(row - middle[0]) + abs(column - middle[1]) <= reach
            )

        if quiet is not None and quiet.place is not None:
            yield quiet
        elif quiet is not None:
            turn = self._turn
            hidden = {*square((0, 0)), *info_cells(turn.action, _place_after(turn.action))}
            near = sorted(
                (abs(row - start[0] - middle[0]) + abs(column - start[1] - middle[1]), row, column)
                for row in range(self._height)
                for column in range(self._width)
            )
            for _, row, column in near:
                place = row - start[0] - self._own[0], column - start[1] - self._own[1]
                if place not in hidden and is_within(place):
                    yield Answer(place, quiet.action)
        for answer in others:
            if answer.place is not None and is_within(answer.place):
                yield answer

    def variables(self, start: Cell, answer: Answer) -> dict[str, Any]:
        """Return the position at the ready info of the last turn."""
        turn, me = self._turn, self._known.player
        seen = {cell: value for cell, (value, _) in self._known.last.items()}
        after = zip(info_cells(turn.action, _place_after(turn.action)), turn.info[1:], strict=True)
        now = dict(after) | dict(zip(square((0, 0)), turn.ready[1:], strict=True))
        for (row, column), digit in now.items():
            seen[self._own[0] + row, self._own[1] + column] = FLOOR if int(digit) == OPPONENT else int(digit)
        assert answer.place is not None
        foe = self._own[0] + answer.place[0], self._own[1] + answer.place[1]
        seen[foe] = FLOOR
        if answer.item is not None:
            seen[self._own[0] + answer.item[0], self._own[1] + answer.item[1]] = ITEM
        cells = [FLOOR] * (self._height * self._width)
        for (row, column), value in seen.items():
            if 0 <= start[0] + row < self._height and 0 <= start[1] + column < self._width:
                cells[(start[0] + row) * self._width + start[1] + column] = value
        found: dict[str, Any] = {"half": self._half, "cells": cells, "items": [0, 0], "row": [0, 0], "col": [0, 0]}
        found["items"][me] = self._items
        for player, (row, column) in ((me, self._own), (1 - me, foe)):
            found["row"][player], found["col"][player] = start[0] + row, start[1] + column
        return {**self._empty, **found}


class _Unexplained(Exception):  # noqa: N818 - a question that has no answer
    """No position explains an info."""


def _ready_of(state: State, player: int) -> str:
    """Return the ready info of the last events."""
    return next((event["info"] for event in state.events(player) if event["event"] == "ready"), "")


def _place_after(action: int) -> Cell:
    kind, direction = divmod(action, 4)
    return ahead((0, 0), direction) if kind == WALK else (0, 0)


def _answers(turn: Turn, info: str) -> tuple[Answer | None, list[Answer]]:
    """Return the methods of the opponent after which the cells at hand are as in the info: a quiet one, and others.

    The quiet one changes nothing; it is None if something has changed.
    """
    own = _place_after(turn.action)
    around = square(own)
    wanted = [int(digit) for digit in info[1:]]
    known = {cell: int(digit) for cell, digit in zip(square((0, 0)), turn.ready[1:], strict=True)}
    kind, direction = divmod(turn.action, 4)
    if kind == PUT:
        known[ahead((0, 0), direction)] = BLOCK
    elif kind == WALK and known[own] == ITEM:
        known |= {(0, 0): BLOCK, own: FLOOR}
    known |= {
        cell: int(digit) for cell, digit in zip(info_cells(turn.action, own), turn.info[1:], strict=True)
    }  # fmt: skip
    seen = next((cell for cell, digit in known.items() if digit == OPPONENT), None)
    values = {cell: FLOOR if digit == OPPONENT else digit for cell, digit in known.items()}
    is_same = [OPPONENT if cell == seen else values[cell] for cell in around] == wanted
    quiet = Answer(seen, WAIT) if is_same else None
    others = []
    near = {ahead(cell, side) for cell in around for side in range(4)} - known.keys()
    for place in sorted(near) if seen is None else [seen]:
        for kind in (WALK, PUT):
            for direction in range(4):
                target = ahead(place, direction)
                items = (None,) if target in known else (None, target)
                others += [
                    Answer(place, 4 * kind + direction, item)
                    for item in items
                    if _leads_to(values, place, kind, target, item, own) == wanted
                ]
    return quiet, others


def _leads_to(
    values: dict[Cell, int], place: Cell, kind: int, target: Cell, item: Cell | None, own: Cell
) -> list[int] | None:
    """Return the digits around the player after the opponent's walk or put; None if it would end the game."""
    found = {**values, **({} if item is None else {item: ITEM})}
    if kind == PUT:
        if target == own:
            return None
        found[target] = BLOCK
    else:
        if found.get(target, FLOOR) == BLOCK:
            return None
        if found.get(target, FLOOR) == ITEM:
            found |= {target: FLOOR, place: BLOCK}
        place = target
    return [
        BLOCK if found[cell] == BLOCK else OPPONENT if cell == place else found[cell] for cell in square(own)
    ]  # fmt: skip

"""What a client of another server knows: a State that is kept from its infos alone. [sections 9.2 to 9.4]

The field, the start and the opponent's methods are hidden from a client. So after each turn a field is made that
explains it: one that the player considers possible, in which the infos were as received, and a method of the opponent
that causes the next ready info. The engine plays both methods on it, so the player's memory, and all samples of the
State, are those of the player in the real game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..agent import View
from ..core._state import State
from ..errors import ConfigError, StateError
from ..game import Game, load
from .knowledge import Knowledge, ahead, info_cells, square
from .maps import BLOCK, FLOOR, ITEM, OPPONENT, SIZES, TURN_LIMITS, Cell
from .notation import CODES, PUT, WALK

WAIT = CODES.index("su")  # changes nothing [CH-31]
STARTS = 20_000  # generated fields that are tried for the first info
TRIES = 50_000  # cells of the positions that are tried for each further info; as a rule the first one explains it
ROUND = 8  # sizes that are made up are multiples of it


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


class Belief(NamedTuple):
    """What is taken for granted: the size of the field, and whether it is point-symmetric."""

    height: int
    width: int
    is_mirrored: bool


class Told:
    """What the player of one seat knows from its infos.

    A belief that explains the infos no more is replaced by a weaker one: other sizes, then a field that need not be
    symmetric, with room for all that has been seen. If that explains them no more, all that was seen before the last
    info is forgotten. So no info is ever refused, whatever the server's rules are.

    Parameters
    ----------
    game : Game
        The game. If it has an explicit map, only its size and turn limit are used; otherwise the field is taken to be
        point-symmetric, as generated ones are, until the infos contradict it.
    player : int
        0 COOL, 1 HOT.
    sizes : sequence of (int, int), optional
        Rows and columns that a symmetric field may have besides those of the game; none if the size is known.

    Attributes
    ----------
    game : Game
        The game as it is believed to be.
    belief : Belief
        What is believed.
    has_forgotten : bool
        Whether the last ready info was explained by nothing.
    """

    def __init__(self, game: Game, player: int, sizes: Sequence[tuple[int, int]] = ()) -> None:
        self.game, self._player = game.public, player
        config: Any = game.config
        given = config.height, config.width
        others = [size for size in sizes if size != given]
        self.belief = Belief(*given, config.map is None)
        self._sizes = [given, *others]
        self._others = [Belief(*size, True) for size in others] if self.belief.is_mirrored else []
        self.has_forgotten = False
        self._before = self._items = 0  # own turns that are forgotten, and the items collected in them
        self._turns: list[Turn] = []
        self._ready = ""
        self._known = self._begin_knowledge()
        self._heard = "CH"[player]
        self._state: State | None = None

    def ready(self, info: str) -> None:
        """Take in the ready info of the next turn."""
        self._ready = info
        self.has_forgotten = False
        config: Any = self.game.config
        try:
            if self._before + len(self._turns) >= config.turn_limit:  # the server's is another
                self._believe(self.belief, min(2 * config.turn_limit, TURN_LIMITS[1]))
                state = self._replay(info)
            elif not self._turns:
                state = self._begin(info)
            elif self._state is not None:
                state = self._advance(self._state, self._turns[-1], info)
            else:
                raise _Unexplained
            self._state = _sampled(state, self._player)
        except _Unexplained:
            self._state = self._weaken(info)
        self._hear(f"R{info}")

    def _hear(self, *events: str) -> None:
        self._heard += "".join(f"|{event}" for event in events)
        self._known.hear(events)

    def played(self, action: int, info: str) -> None:
        """Take in the player's own method and its info."""
        self._hear(f"A{CODES[action]}", f"M{info}")
        self._turns.append(Turn(self._ready, action, info))

    @property
    def is_mirrored(self) -> bool:
        """Whether the field is taken to be point-symmetric."""
        return self.belief.is_mirrored

    @property
    def is_possible(self) -> bool:
        """Whether there is a position in which the player decides: none if it should have lost already."""
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

    # -- beliefs ------------------------------------------------------------------------------------

    def _believe(self, belief: Belief, turn_limit: int) -> None:
        """Take another belief, and the game that it is about."""
        config: Any = self.game.config
        counts = {name: getattr(config, name) for name in ("n_blocks", "n_items")} if belief.is_mirrored else {}
        fields: dict[str, Any] = {"height": belief.height, "width": belief.width, "turn_limit": turn_limit}
        self.belief = belief
        if fields != {name: getattr(config, name) for name in fields}:
            try:
                self.game = load("chaser", **fields, **counts)
            except ConfigError:  # no field of this size is generated
                raise _Unexplained from None

    def _weaken(self, info: str) -> State | None:
        """Return the State after all turns in the next belief that explains them, else one of this info alone."""
        config: Any = self.game.config
        roomy = self._find_room(info)
        weaker = [roomy] if roomy is not None and roomy != self.belief else []
        while self._others or weaker:
            try:
                self._believe((self._others or weaker).pop(0), config.turn_limit)
                return _sampled(self._replay(info), self._player)
            except _Unexplained:
                continue
        self.has_forgotten = True
        self.belief = self.belief._replace(is_mirrored=False)
        self._before, self._items, self._turns = self._before + len(self._turns), self.items, []
        self._known = self._begin_knowledge()
        try:
            return self._position(info)
        except StateError:
            return None

    def _find_room(self, info: str) -> Belief | None:
        """Return the first size of a field that has room for all that is seen; None if none has."""
        (top, bottom), (left, right) = _bounds(self._known, info)
        height, width = bottom - top + 1, right - left + 1
        given = self._sizes[0]
        rounded = max(given[0], -(-height // ROUND) * ROUND), max(given[1], -(-width // ROUND) * ROUND)
        for size in (*self._sizes, rounded):
            if height <= size[0] <= SIZES[1] and width <= size[1] <= SIZES[1]:
                return Belief(*size, False)
        return None

    def _begin_knowledge(self) -> Knowledge:
        return Knowledge(self._player, (), 2 * self._before + self._player, 0, self._items)

    def _replay(self, last: str) -> State:
        """Return the State after all turns that are remembered."""
        infos = [*(turn.ready for turn in self._turns), last]
        self._known = self._begin_knowledge()
        state = self._begin(infos[0])
        for turn, info in zip(self._turns, infos[1:], strict=True):
            self._known.hear([f"R{turn.ready}", f"A{CODES[turn.action]}", f"M{turn.info}"])
            state = self._advance(state, turn, info)
        return state

    # -- the first info -----------------------------------------------------------------------------

    def _begin(self, info: str) -> State:
        """Return a State at the first decision that is remembered."""
        if not self.is_mirrored:
            try:
                state = self._position(info)
            except StateError:
                raise _Unexplained from None
            if _ready_of(state, self._player) != info:
                raise _Unexplained
            return state
        if _may_be_generated(info):
            for seed in range(STARTS):
                state = self.game.new_state(seed)
                if self._player:
                    state.apply(WAIT)
                if _ready_of(state, self._player) == info:
                    return state
        raise _Unexplained

    def _position(self, info: str) -> State:
        """Return a State in the middle of an empty field with these nine cells; raise StateError if it is over."""
        config: Any = self.game.config
        place = config.height // 2, config.width // 2
        variables = self.game.new_state(0).to_dict()
        variables["cells"] = [FLOOR] * (config.height * config.width)
        at = (0, 0)
        for (row, column), digit in zip(square(place), info[1:], strict=True):
            if int(digit) == OPPONENT:
                at = row, column
            elif (row, column) != place and 0 <= row < config.height and 0 <= column < config.width:
                variables["cells"][row * config.width + column] = int(digit)
        for player, cell in ((self._player, place), (1 - self._player, at)):
            variables["row"][player], variables["col"][player] = cell
        if self._before:
            variables["half"] = 2 * self._before + self._player
            variables["items"][self._player] = self._items
        state = self.game.state_from_dict(variables)
        if self._player and not self._before:
            state.apply(WAIT)
        return state

    # -- the following infos --------------------------------------------------------------------------

    def _advance(self, state: State, turn: Turn, info: str) -> State:
        """Return a State after this turn, which is known already, at the decision with this ready info."""
        try:
            memory = state.resample(self._player, 0).to_bytes()[self.game.state_size :]  # the opponent knows nothing
        except ValueError:
            raise _Unexplained from None
        fields = _Fields(self.game, self._known, turn, info, self.is_mirrored)
        quiet, others = _answers(turn, info)
        config: Any = self.game.config
        tries = TRIES // (config.height * config.width)
        for start in fields.starts():
            for answer in fields.possible(start, quiet, others):
                if tries == 0:
                    raise _Unexplained
                tries -= 1
                following = self._play(fields.variables(start, answer), memory, turn, answer)
                if following is not None and _ready_of(following, self._player) == info:
                    return following
        raise _Unexplained

    def _play(self, variables: dict[str, Any], memory: bytes, turn: Turn, answer: Answer) -> State | None:
        """Return the State after both methods, begun in this position; None if that cannot be."""
        size = self.game.state_size
        try:
            state = self.game.state_from_bytes(self.game.state_from_dict(variables).to_bytes()[:size] + memory)
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
        self._info = info
        config: Any = game.config
        self._height, self._width = config.height, config.width
        self._empty = game.new_state(0).to_dict()

    def starts(self) -> list[Cell]:
        """Return the cells where the player can have begun. [section 9.4]"""
        (top, bottom), (left, right) = _bounds(self._known, self._info)
        return [
            (row, column) for row in range(-top, self._height - bottom) for column in range(-left, self._width - right)
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
        known: dict[str, Any] = {"half": self._half, "cells": cells, "items": [0, 0], "row": [0, 0], "col": [0, 0]}
        known["items"][me] = self._items
        for player, (row, column) in ((me, self._own), (1 - me, foe)):
            known["row"][player], known["col"][player] = start[0] + row, start[1] + column
        return {**self._empty, **known}


class _Unexplained(Exception):  # noqa: N818 - a question that has no answer
    """No position explains an info."""


def _sampled(state: State, player: int) -> State:
    """Return the State, of which an agent can draw samples."""
    try:
        state.resample(player, 0)
    except ValueError:
        raise _Unexplained from None
    return state


def _bounds(known: Knowledge, info: str) -> tuple[Cell, Cell]:
    """Return the first and last row, and column, of the cells that are in the field, with those of a ready info."""
    inside = {cell for cell in known.first if known.first[cell] != BLOCK or known.last[cell][0] != BLOCK}
    inside |= {cell for cell, digit in zip(square(known.place), info[1:], strict=True) if int(digit) != BLOCK}
    rows, columns = zip(*(inside | known.visited), strict=True)
    return (min(rows), max(rows)), (min(columns), max(columns))


def _may_be_generated(info: str) -> bool:
    """Return whether a first info can be one of a generated field: no item, block or player is next to a start."""
    sides = {1: (0, 1, 2), 3: (0, 3, 6), 5: (2, 5, 8), 7: (6, 7, 8)}
    digits = [int(digit) for digit in info[1:]]
    return OPPONENT not in digits and all(
        digits[side] == FLOOR or all(digits[cell] == BLOCK for cell in edge) for side, edge in sides.items()
    )


def _ready_of(state: State, player: int) -> str:
    """Return the ready info of the last events."""
    return next((event["info"] for event in state.events(player) if event["event"] == "ready"), "")


def _place_after(action: int) -> Cell:
    kind, direction = divmod(action, 4)
    return ahead((0, 0), direction) if kind == WALK else (0, 0)


def _answers(turn: Turn, info: str) -> tuple[Answer | None, list[Answer]]:
    """Return the methods of the opponent after which the cells at hand are as in the info: a quiet one, and others.

    The quiet one changes nothing; it is None if something has changed. None of them begins where the opponent was not
    at the ready info of the turn, which some servers' infos would need.
    """
    own = _place_after(turn.action)
    around = square(own)
    wanted = [int(digit) for digit in info[1:]]
    known = {cell: int(digit) for cell, digit in zip(square((0, 0)), turn.ready[1:], strict=True)}
    at_first = next((cell for cell, digit in known.items() if digit == OPPONENT), None)
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
    if at_first != seen and (at_first is not None or seen in square((0, 0))):
        return None, []
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
    after = {**values, **({} if item is None else {item: ITEM})}
    if kind == PUT:
        if target == own:
            return None
        after[target] = BLOCK
    else:
        if after.get(target, FLOOR) == BLOCK:
            return None
        if after.get(target, FLOOR) == ITEM:
            after |= {target: FLOOR, place: BLOCK}
        place = target
    return [
        BLOCK if after[cell] == BLOCK else OPPONENT if cell == place else after[cell] for cell in square(own)
    ]  # fmt: skip

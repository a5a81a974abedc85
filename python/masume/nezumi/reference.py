"""Nezumi, the rule book in plain Python: slow twin of the engine.

Implements NZ-1 to NZ-58 and NZ-R1 to NZ-R27 of docs/rules/nezumi.md (NZ-R28 is the engine's error here, and a
referee's there). Mice are two sets of cells, those that have moved this turn and those that have not; food is a dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from ..core.checks import action_of, index, number, numbers, place, same_keys
from ..errors import GameOverError, IllegalActionError, StateError
from . import notation
from .config import Config
from .notation import (
    ADD,
    CAPTURES,
    CAT,
    CAT1,
    CAT2,
    MICE,
    MOVE,
    MOVED,
    NONE,
    OVER,
    PHASES,
    PLACE,
    PUT,
    REACT,
    RESULTS,
    RETIRE,
    SURROUND,
    TURNS,
    UNMOVED,
)
from .stages import DIAGONALS, MAX_AMOUNT, SIDES, STEPS, Cell

MAX_FOOD = SIDES[1] ** 2 * MAX_AMOUNT  # mg, more than any stage has
MAX_CHARGE = 128 * 128  # mg at the end of one turn: 255 mice, half of them captured [trap 12]


def ahead(cell: Cell, step: Cell) -> Cell:
    """The cell one step away."""
    return cell[0] + step[0], cell[1] + step[1]


class State:
    """A position, changed in place by `apply`.

    config : what the game is built from. floor, zone : the cells that are no wall, and those where mice come in.
    phase : who decides about what, a place in `notation.PHASES`. turn : 0 while mice are placed, then 1 to the limit.
    cat : its (row, column). unmoved, moved : the cells of the mice that have not, and have, moved this turn.
    food : mg left on each cell that has food. captured : mice captured so far. food_sum, cost_sum : mg eaten and paid.
    arrival : the cell on which a mouse has arrived on or beside the cat, which is to decide, or None.
    arrival_from : the phase that goes on then. result : how the game ended, a place in `notation.RESULTS`.
    """

    def __init__(self, config: Config) -> None:
        stage = config.start_stage
        self.config = config
        self.floor = {cell for cell, wall in self._cells(stage.wall) if not wall}
        self.zone = {cell for cell, zone in self._cells(stage.zone) if zone}
        self.phase = PLACE  # section 4.1 [NZ-R1]
        self.turn = 0
        self.cat: Cell = divmod(stage.cat, stage.width)  # NZ-22
        self.unmoved: set[Cell] = set()
        self.moved: set[Cell] = set()
        self.food = {cell: amount for cell, amount in self._cells(stage.food) if amount}  # NZ-50
        self.captured = 0
        self.food_sum = self.cost_sum = 0
        self.arrival: Cell | None = None
        self.arrival_from = PLACE
        self.result = NONE
        self.last: list[dict[str, Any]] = []  # the events of the last action

    def _cells(self, values: Iterable[Any]) -> Iterator[tuple[Cell, Any]]:
        """((row, column), value) of each cell."""
        for n, value in enumerate(values):
            yield divmod(n, self.config.start_stage.width), value

    def _number(self, cell: Cell) -> int:
        return cell[0] * self.config.start_stage.width + cell[1]

    @classmethod
    def new(cls, config: Config, seed: int | None = None) -> Self:  # noqa: ARG003
        """The start of a game; the stage is all of it, so that the seed changes nothing."""
        return cls(config)

    @classmethod
    def parse(cls, config: Config, text: str) -> Self:
        """The position that a text board shows; NotationError or StateError where it is none."""
        return cls.from_dict(config, notation.parse(config, text))

    @classmethod
    def from_dict(cls, config: Config, variables: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; StateError, which names the key and the value, where it is no position."""
        given = _read_variables(config, variables)
        state = cls(config)
        state.phase, state.turn = given["phase"], given["t"]
        state.cat = divmod(given["cat"], config.start_stage.width)
        state.unmoved = {cell for cell, flag in state._cells(given["mouse"]) if flag == UNMOVED}
        state.moved = {cell for cell, flag in state._cells(given["mouse"]) if flag == MOVED}
        state.food = {cell: amount for cell, amount in state._cells(given["food"]) if amount}
        state.captured = given["captured"]
        state.food_sum, state.cost_sum = given["food_sum"], given["cost_sum"]
        if given["react_cell"] >= 0:
            state.arrival = divmod(given["react_cell"], config.start_stage.width)
        state.arrival_from = given["react_from"]
        state.result = given["result"]
        fault = next(state._faults(), None)
        if fault is not None:
            raise StateError(fault)
        return state

    def to_dict(self) -> dict[str, Any]:
        """The variables of section 3 under their names, as plain JSON types."""
        cells = [cell for cell, _ in self._cells(self.config.start_stage.wall)]
        return {
            "phase": self.phase,
            "t": self.turn,
            "cat": self._number(self.cat),
            "mouse": [UNMOVED if cell in self.unmoved else MOVED if cell in self.moved else 0 for cell in cells],
            "food": [self.food.get(cell, 0) for cell in cells],
            "captured": self.captured,
            "food_sum": self.food_sum,
            "cost_sum": self.cost_sum,
            "react_cell": -1 if self.arrival is None else self._number(self.arrival),
            "react_from": self.arrival_from,
            "result": self.result,
        }

    def clone(self) -> Self:
        """A new State equal to this one."""
        other = type(self)(self.config)
        other.phase, other.turn, other.cat = self.phase, self.turn, self.cat
        other.unmoved, other.moved, other.food = set(self.unmoved), set(self.moved), dict(self.food)
        other.captured, other.food_sum, other.cost_sum = self.captured, self.food_sum, self.cost_sum
        other.arrival, other.arrival_from = self.arrival, self.arrival_from
        other.result, other.last = self.result, list(self.last)
        return other

    def __str__(self) -> str:
        return notation.to_text(self.config, self.to_dict())

    # -- what a position is ---------------------------------------------------------------------------

    @property
    def mice(self) -> set[Cell]:
        """The cells of all mice on the board."""
        return self.unmoved | self.moved

    @property
    def on_board(self) -> int:
        """How many mice are on the board; one that waits on the cat's cell is not. [section 3]"""
        return len(self.unmoved) + len(self.moved)

    @property
    def reserve(self) -> int:
        """How many mice can still be put: neither on the board nor captured. [NZ-R6]"""
        return self.config.start_stage.max_mice - self.on_board - self.captured

    @property
    def score(self) -> int:
        """mg eaten less mg paid. [NZ-14]"""
        return self.food_sum - self.cost_sum

    @property
    def reported_score(self) -> int:
        """The score, or its opposite where `surround_flip` turns the negative score of a surround. [NZ-20] [NZ-R23]"""
        flips = self.config.surround_flip and self.result == SURROUND and self.score < 0
        return -self.score if flips else self.score

    def is_surrounded(self) -> bool:
        """Whether mice hold each diagonal neighbour of the cat that is floor, and there is one. [7.5] [NZ-8] [NZ-R17]

        Who moved last does not matter. [NZ-9]
        """
        diagonals = {ahead(self.cat, step) for step in DIAGONALS} & self.floor
        return bool(diagonals) and diagonals <= self.mice

    def _is_beside_cat(self, cell: Cell) -> bool:
        return cell in [ahead(self.cat, step) for step in STEPS]

    def _free_zone(self) -> set[Cell]:
        """The cells where a mouse may be put now, if one is left. [NZ-25] [NZ-R26]"""
        return self.zone - self.mice - {self.cat} if self.reserve > 0 else set()

    def check(self) -> None:
        """Check the invariants of section 3; AssertionError with the position where one does not hold."""
        fault = next(self._faults(), None)
        assert fault is None, f"{fault}\n{self}"

    def _faults(self) -> Iterator[str]:
        """What of the position cannot be, beginning with the variable's name."""
        stage = self.config.start_stage
        if self.cat not in self.floor:
            yield f"cat: {self.cat[0]},{self.cat[1]} is a wall"
        for cell in sorted(self.mice):
            if cell not in self.floor or cell == self.cat:
                yield f"mouse[{self._number(cell)}]: {'the cat' if cell == self.cat else 'a wall'} is there too"
            if cell in self.food:
                yield f"food[{self._number(cell)}]: {self.food[cell]} under a mouse"
        for cell, amount in self.food.items():
            if amount != stage.food[self._number(cell)]:
                yield f"food[{self._number(cell)}]: {amount} is not the stage's {stage.food[self._number(cell)]}"
        if self.reserve < 0:
            yield f"mouse: {self.on_board} mice and {self.captured} captured are more than {stage.max_mice}"
        if self.food_sum + sum(self.food.values()) > MAX_FOOD:
            yield f"food_sum: {self.food_sum} with what is left is more than {MAX_FOOD}"
        charges = self.turn + (self.result == TURNS)
        if self.cost_sum > MAX_CHARGE * charges:
            yield f"cost_sum: {self.cost_sum} is more than {charges} turns can cost"
        if (self.phase == OVER) != (self.result != NONE):
            yield f"result: {RESULTS[self.result]} in the phase {PHASES[self.phase]}"
        yield from self._faults_of_end() if self.phase == OVER else self._faults_of_phase()

    def _faults_of_phase(self) -> Iterator[str]:
        phase = self.arrival_from if self.phase == REACT else self.phase
        if (phase == PLACE) != (self.turn == 0):
            yield f"t: {self.turn} in the phase {PHASES[phase]}"
        if self.phase == REACT:
            yield from self._faults_of_arrival()
        elif self.arrival is not None or self.arrival_from != PLACE:
            yield f"react_cell: {self.to_dict()['react_cell']} in the phase {PHASES[self.phase]}"
        if phase != MOVE and self.moved:
            yield f"mouse: {len(self.moved)} have moved in the phase {PHASES[phase]}"
        if self.captured >= self.config.start_stage.require:
            yield f"captured: {self.captured} of {self.config.start_stage.require}, but no end"
        if self.is_surrounded():
            yield "mouse: the cat is surrounded, but no end"
        if self.phase in (PLACE, ADD) and not self._free_zone():
            yield f"phase: {PHASES[self.phase]}, but no mouse can be put"
        if self.phase == MOVE and not self.unmoved:
            yield "phase: MOVE, but no mouse is to move"

    def _faults_of_arrival(self) -> Iterator[str]:
        if self.arrival_from not in (PLACE, ADD, MOVE):
            yield f"react_from: {self.arrival_from} is none of {PLACE}, {ADD}, {MOVE}"
        if self.arrival is None:
            yield "react_cell: -1 in the phase REACT"
            return
        named = f"react_cell: {self._number(self.arrival)}"
        if self.arrival == self.cat:
            if self.arrival_from != MOVE or self.reserve < 1:
                yield f"{named} is the cat's, where no mouse can have come"
        elif self.arrival not in (self.moved if self.arrival_from == MOVE else self.unmoved):
            yield f"{named} has no mouse that has just come"
        elif not self._is_beside_cat(self.arrival):
            yield f"{named} is not beside the cat"
        elif self.arrival_from != MOVE and self.arrival not in self.zone:
            yield f"{named} is not in the zone"

    def _faults_of_end(self) -> Iterator[str]:
        stage = self.config.start_stage
        if self.arrival is not None or self.arrival_from != PLACE:
            yield f"react_cell: {self.to_dict()['react_cell']} in the phase OVER"
        if self.is_surrounded() != (self.result == SURROUND):
            yield f"result: {RESULTS[self.result]}, but the position says otherwise of a surround"
        if self.result != SURROUND and (self.captured == stage.require) != (self.result == CAPTURES):
            yield f"result: {RESULTS[self.result]} with {self.captured} captured of {stage.require}"
        if self.result == TURNS and self.turn != stage.turns:
            yield f"result: TURNS in turn {self.turn} of {stage.turns}"

    # -- who decides, and among what ------------------------------------------------------------------

    @property
    def slots(self) -> list[int]:
        """The player to move, alone; empty at the end. [section 5]"""
        if self.phase == OVER:
            return []
        return [CAT if self.phase in (CAT1, CAT2, REACT) else MICE]

    @property
    def current_player(self) -> int:
        """The player to move, -2 at the end."""
        return self.slots[0] if self.slots else -2

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.phase == OVER

    def legal_actions(self, slot: int = 0) -> list[int]:
        """The legal ids of section 6, ascending; none at the end."""
        place("slot", slot, 1)
        cells = len(self.config.start_stage.wall)
        nothing = 5 * cells
        if self.phase in (PLACE, ADD):
            found = [5 * self._number(cell) + PUT for cell in self._free_zone()]
            if self.phase == ADD or self.on_board + self.captured >= 1:  # NZ-R5
                found.append(nothing)
        elif self.phase in (CAT1, CAT2):  # NZ-40, NZ-42
            found = [nothing] + [nothing + 1 + d for d in range(4) if ahead(self.cat, STEPS[d]) in self.floor]
        elif self.phase == MOVE:
            found = [5 * self._number(mouse) + what for mouse in self.unmoved for what in self._ways(mouse)]
        elif self.phase == REACT:  # NZ-35, NZ-36, NZ-37
            found = [nothing, nothing + 5]
        else:
            found = []
        return sorted(found)

    def _ways(self, mouse: Cell) -> list[int]:
        """The directions without a wall, or what is left to a mouse that has none: to retire. [NZ-26] [NZ-R10]"""
        open_ways = [d for d in range(4) if ahead(mouse, STEPS[d]) in self.floor]
        return open_ways or [RETIRE]

    def legal_mask(self, slot: int = 0) -> list[int]:
        """A number for each id: 1 where it is legal."""
        legal = self.legal_actions(slot)
        return [int(action in legal) for action in range(5 * len(self.config.start_stage.wall) + 6)]

    def action_to_text(self, action: int, slot: int = 0) -> str:
        """The action's text in this phase (`notation.action_to_text`)."""
        place("slot", slot, 1)
        return notation.action_to_text(self.config, self.phase, index("action", action))

    def text_to_action(self, text: str, slot: int = 0) -> int:
        """The inverse of `action_to_text` (`notation.text_to_action`)."""
        place("slot", slot, 1)
        return notation.text_to_action(self.config, self.phase, text)

    # -- an action ------------------------------------------------------------------------------------

    def apply(self, action: int) -> None:
        """Play one action of the player to move. [section 7]

        Raises IllegalActionError for an action that is not legal, GameOverError at the end, ValueError for what is no
        int; the state is then as it was. [NZ-R28]
        """
        chosen = action_of(self, "action", action)
        if self.is_terminal():
            raise GameOverError(f"the game is over: action {action!r} cannot be played\n{self}")
        if chosen not in self.legal_actions():
            raise IllegalActionError(f"action {action!r} is not legal in the phase {PHASES[self.phase]}\n{self}")
        self.last = []
        number, what = divmod(chosen, 5)
        cells = len(self.config.start_stage.wall)
        cell = divmod(number, self.config.start_stage.width)
        sign = chosen - 5 * cells  # 0 pass, 1..4 a step of the cat, 5 capture; below 0: something on `cell`
        if self.phase in (CAT1, CAT2):
            self._move_cat(sign)
        elif self.phase == REACT:
            self._react(captures=sign != 0)
        elif sign == 0:
            self._pass()
        elif self.phase == MOVE:
            self._move_mouse(cell, what)
        else:
            self._tell("put", cell=number)
            self._arrive(cell, self.phase)

    def _tell(self, event: str, **facts: Any) -> None:
        self.last.append({"event": event, **facts})

    def _pass(self) -> None:
        if self.phase == PLACE:  # DONE
            self._end_turn()
        else:  # no addition
            self._resume(ADD)

    def _arrive(self, cell: Cell, phase: int) -> None:
        """7.1: a mouse comes to `cell`, which is floor without a mouse, in this phase."""
        if cell in self.food:  # step 1 [NZ-51]: before the cat reacts [NZ-R15]
            amount = self.food.pop(cell)
            self.food_sum += amount
            self._tell("eat", cell=self._number(cell), mg=amount)
        if cell != self.cat:  # step 2; cat and mouse never share a cell [NZ-R12] [NZ-R8]
            (self.moved if phase == MOVE else self.unmoved).add(cell)
            if self.is_surrounded():  # NZ-7, NZ-49 [NZ-R18]
                self._finish(SURROUND)
                return
        if cell == self.cat or self._is_beside_cat(cell):  # step 3 [NZ-35] [NZ-36] [NZ-R13]
            self.phase, self.arrival, self.arrival_from = REACT, cell, phase
            self._tell("enter", cell=self._number(cell))
        else:  # step 4
            self._resume(phase)

    def _react(self, captures: bool) -> None:
        """7.1 step 5: the cat captures the mouse that has arrived, or leaves it; it does not move. [NZ-R14]"""
        assert self.arrival is not None
        cell, phase = self.arrival, self.arrival_from
        self.arrival, self.arrival_from = None, PLACE
        if captures:
            self.unmoved.discard(cell)
            self.moved.discard(cell)
            self._capture(cell)
            if self.captured >= self.config.start_stage.require:  # NZ-13 [NZ-R20]
                self._finish(CAPTURES)
                return
        else:  # NZ-37
            self._tell("spare", cell=self._number(cell))
            if cell == self.cat:  # the mouse is in the reserve [NZ-R12]
                self._tell("leave", cell=self._number(cell))
        self._resume(phase)

    def _capture(self, cell: Cell) -> None:
        self.captured += 1
        self._tell("capture", cell=self._number(cell))

    def _resume(self, phase: int) -> None:
        """7.1 step 6: go on with the mice's half of the turn, and end it where nothing is left to decide. [NZ-R25]"""
        if phase == PLACE:  # NZ-23
            self.phase = PLACE
            if not self._free_zone():
                self._end_turn()
        else:
            self.phase = MOVE
            if not self.unmoved:  # NZ-28
                self._end_turn()

    def _move_mouse(self, mouse: Cell, what: int) -> None:
        """7.2: every mouse moves once a turn, in any order [NZ-27] [NZ-R9]; one that is shut in retires. [NZ-R10]"""
        target = self._landing_cell(mouse, what)
        self.unmoved.remove(mouse)
        if target is None:  # NZ-32: into the reserve, not counted [NZ-33] [NZ-34]
            self._tell("leave", cell=self._number(mouse))
            self._resume(MOVE)
        else:
            over = abs(target[0] - mouse[0]) + abs(target[1] - mouse[1]) - 1
            self._tell("jump", **{"from": self._number(mouse), "to": self._number(target), "over": over})
            self._arrive(target, MOVE)

    def _landing_cell(self, mouse: Cell, what: int) -> Cell | None:
        """The cell where a mouse that goes this way stops; None where it retires or meets a wall. [NZ-32] [NZ-R10]"""
        if what == RETIRE:
            return None
        cell = ahead(mouse, STEPS[what])
        while cell in self.mice:  # NZ-29, NZ-30, NZ-31: also over those that have moved [NZ-R11]
            cell = ahead(cell, STEPS[what])
        return cell if cell in self.floor else None

    def _move_cat(self, sign: int) -> None:
        """7.3: the cat stays or steps, and captures what it steps onto. [NZ-26] [NZ-40] [NZ-41] [NZ-43]"""
        captures = False
        if sign:
            self.cat = ahead(self.cat, STEPS[sign - 1])
            self._tell("cat", cell=self._number(self.cat))  # food below it stays [NZ-52]
            captures = self.cat in self.unmoved
            if captures:
                self.unmoved.remove(self.cat)
                self._capture(self.cat)
            if self.is_surrounded():  # before the quota [NZ-R18] [NZ-R19]
                self._finish(SURROUND)
                return
            if captures and self.captured >= self.config.start_stage.require:
                self._finish(CAPTURES)
                return
        if self.phase == CAT1 and captures:  # NZ-41: one more step, and no third [NZ-44] [NZ-R16]
            self.phase = CAT2
        elif self._free_zone():  # mice that the cat now stands beside are safe [NZ-45] [NZ-46]
            self.phase = ADD  # NZ-25 [NZ-R7]
        else:
            self._resume(ADD)

    def _end_turn(self) -> None:
        """7.4: the mice pay for the turn, and the next begins. [NZ-15] [NZ-24] [NZ-R3]"""
        charge = self.on_board * (self.captured + 1)  # NZ-16
        self.cost_sum += charge
        self._tell("charge", mg=charge)
        if self.turn == self.config.start_stage.turns:  # NZ-13
            self._finish(TURNS)
            return
        self.turn += 1  # NZ-21 [NZ-R2]
        self.unmoved, self.moved = self.mice, set()
        self.phase = CAT1

    def _finish(self, result: int) -> None:
        """End the game; a turn that is broken off costs nothing. [NZ-R4]"""
        self.phase, self.result = OVER, result
        self._tell("end", result=RESULTS[result])

    # -- scores and what is seen ----------------------------------------------------------------------

    def scores(self) -> list[int]:
        """The mice's score in mg, and its opposite for the cat. [NZ-18]"""
        return [-self.score, self.score]

    def returns(self) -> list[float]:
        """1 for the winner and -1 for the other: (cat, mice); 0 each before the end. [section 8]"""
        if not self.is_terminal():
            return [0.0, 0.0]
        mice_win = self.result == SURROUND or self.score >= 0  # NZ-18, NZ-19 [NZ-R22]
        return [-1.0, 1.0] if mice_win else [1.0, -1.0]

    def events(self, player: int | None = None) -> list[dict[str, Any]]:
        """What the last action caused, in order; both players see all of it. [section 9]

        Each is {"event": name, ...}: put, enter, capture, spare, leave and cat with "cell"; jump with "from", "to"
        and "over", the number of mice jumped; eat with "cell" and "mg"; charge with "mg"; end with "result".
        """
        if player is not None:
            place("player", player, 2)
        return [dict(event) for event in self.last]

    def observation(self, player: int) -> dict[str, Any]:
        """The arrays of section 9, the same for both players, as nested lists; mg as shares of all the stage's food.

        planes : float[7][H][W]: wall, zone, cat, unmoved mice, moved mice, food, arrival.
        scalars : float[16]: the phase one-hot (zeros at the end), t/T, captured/R, on_board/M, reserve/M, M, R, T,
        food_sum, cost_sum, food left.
        """
        place("player", player, 2)
        stage = self.config.start_stage
        whole = max(1, sum(stage.food))
        shares = {cell: amount / whole for cell, amount in self.food.items()}
        arrival = set() if self.arrival is None else {self.arrival}
        ones = (self.zone, {self.cat}, self.unmoved, self.moved, arrival)
        zone, cat, unmoved, moved, react = (dict.fromkeys(cells, 1.0) for cells in ones)
        wall = {cell: 1.0 for cell, is_wall in self._cells(stage.wall) if is_wall}
        return {
            "planes": [
                [[plane.get((row, column), 0.0) for column in range(stage.width)] for row in range(stage.height)]
                for plane in (wall, zone, cat, unmoved, moved, shares, react)
            ],
            "scalars": [
                *(float(self.phase == phase) for phase in range(OVER)),
                self.turn / stage.turns,
                self.captured / stage.require,
                self.on_board / stage.max_mice,
                self.reserve / stage.max_mice,
                *map(float, (stage.max_mice, stage.require, stage.turns)),
                *(amount / whole for amount in (self.food_sum, self.cost_sum, sum(self.food.values()))),
            ],
        }


def _read_variables(config: Config, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Read the variables of section 3, each of its type and in its range; StateError, which names the key, if not."""
    if not isinstance(variables, Mapping):
        raise StateError(f"dict: a dict is wanted, not {variables!r}")
    stage = config.start_stage
    cells = stage.height * stage.width
    single = {
        "phase": (PLACE, OVER),
        "t": (0, stage.turns),
        "cat": (0, cells - 1),
        "captured": (0, stage.require),
        "food_sum": (0, MAX_FOOD),
        "cost_sum": (0, MAX_CHARGE * (stage.turns + 1)),
        "react_cell": (-1, cells - 1),
        "react_from": (PLACE, MOVE),
        "result": (NONE, TURNS),
    }
    several = {"mouse": (cells, 0, MOVED), "food": (cells, 0, MAX_AMOUNT)}
    same_keys("", variables, [*single, *several])
    found: dict[str, Any] = {name: number(name, variables[name], *limits) for name, limits in single.items()}
    return found | {name: numbers(name, variables[name], *limits) for name, limits in several.items()}

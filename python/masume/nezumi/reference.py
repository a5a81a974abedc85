"""Nezumi reference: the rules in plain Python, written to be read; slow twin of the engine.

Implements NZ-1 to NZ-58 and NZ-R1 to NZ-R27 of docs/rules/nezumi.md. Of NZ-R28, `apply` implements the error and the
referee the rest. Mice are two sets of cells, those that have moved this turn and those that have not; food is a dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from ..core.checks import action_of, place
from ..core.positions import Reference
from ..core.shapes import Int, Items, read
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

MAX_FOOD = SIDES[1] ** 2 * MAX_AMOUNT  # mg, an upper bound for any stage
MAX_CHARGE = 128 * 128  # mg at the end of one turn: 255 mice, half of them captured [trap 12]


def ahead(cell: Cell, step: Cell) -> Cell:
    """Return the cell one step away."""
    return cell[0] + step[0], cell[1] + step[1]


class State(Reference[Config]):
    """A Nezumi position, changed in place by `apply`. Player 0 is the cat, player 1 the mice.

    A cell is (row, column), row 0 on top.

    Attributes
    ----------
    config : Config
        The settings of the game.
    floor, zone : set of (int, int)
        Cells without a wall; cells where mice are put.
    phase : int
        The kind of the next decision, an index into `notation.PHASES`.
    turn : int
        0 during the placement, then 1 to the turn limit.
    cat : (int, int)
        Cell of the cat.
    unmoved, moved : set of (int, int)
        Cells of the mice that have not moved this turn, and of those that have.
    food : dict of (int, int) to int
        mg left, for each cell with food.
    captured : int
        Number of mice captured so far.
    food_sum, cost_sum : int
        mg eaten, mg paid.
    arrival : (int, int) or None
        Cell where a mouse has just arrived on or next to the cat; the cat must decide. None in other phases.
    arrival_from : int
        Phase that continues after the arrival; 0 without an arrival.
    result : int
        Why the game ended, an index into `notation.RESULTS`; 0 before the end.
    """

    notation = notation

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
        """Yield ((row, column), value) for each cell."""
        for n, value in enumerate(values):
            yield divmod(n, self.config.start_stage.width), value

    def _number(self, cell: Cell) -> int:
        return cell[0] * self.config.start_stage.width + cell[1]

    @classmethod
    def new(cls, config: Config, seed: int | None = None) -> Self:  # noqa: ARG003
        """Return the start of a game; the seed has no effect, because the stage fixes the start."""
        return cls(config)

    def _load(self, variables: Mapping[str, Any]) -> None:
        stage = self.config.start_stage
        width, cells = stage.width, stage.height * stage.width
        shape = {
            "phase": Int(PLACE, OVER), "t": Int(0, stage.turns), "cat": Int(0, cells - 1),
            "mouse": Items(Int(0, MOVED), cells), "food": Items(Int(0, MAX_AMOUNT), cells),
            "captured": Int(0, stage.require), "food_sum": Int(0, MAX_FOOD),
            "cost_sum": Int(0, MAX_CHARGE * (stage.turns + 1)), "react_cell": Int(-1, cells - 1),
            "react_from": Int(PLACE, MOVE), "result": Int(NONE, TURNS),
        }  # fmt: skip
        values = read("", variables, shape, StateError)
        self.phase, self.turn = values["phase"], values["t"]
        self.cat = divmod(values["cat"], width)
        self.unmoved = {cell for cell, flag in self._cells(values["mouse"]) if flag == UNMOVED}
        self.moved = {cell for cell, flag in self._cells(values["mouse"]) if flag == MOVED}
        self.food = {cell: amount for cell, amount in self._cells(values["food"]) if amount}
        self.captured = values["captured"]
        self.food_sum, self.cost_sum = values["food_sum"], values["cost_sum"]
        if values["react_cell"] >= 0:
            self.arrival = divmod(values["react_cell"], width)
        self.arrival_from = values["react_from"]
        self.result = values["result"]

    def to_dict(self) -> dict[str, Any]:
        """Return the variables of section 3 under their names, as plain JSON types."""
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
        """Return a new State equal to this one."""
        other = type(self)(self.config)
        other.phase, other.turn, other.cat = self.phase, self.turn, self.cat
        other.unmoved, other.moved, other.food = set(self.unmoved), set(self.moved), dict(self.food)
        other.captured, other.food_sum, other.cost_sum = self.captured, self.food_sum, self.cost_sum
        other.arrival, other.arrival_from = self.arrival, self.arrival_from
        other.result, other.last = self.result, list(self.last)
        return other

    def __str__(self) -> str:
        return notation.to_text(self.config, self.to_dict())

    # -- the position ---------------------------------------------------------------------------------

    @property
    def mice(self) -> set[Cell]:
        """The cells of all mice on the board."""
        return self.unmoved | self.moved

    @property
    def on_board(self) -> int:
        """Number of mice on the board, without one that waits on the cat's cell. [section 3]"""
        return len(self.unmoved) + len(self.moved)

    @property
    def reserve(self) -> int:
        """Number of mice that can still be put: neither on the board nor captured. [NZ-R6]"""
        return self.config.start_stage.max_mice - self.on_board - self.captured

    @property
    def score(self) -> int:
        """mg eaten minus mg paid. [NZ-14]"""
        return self.food_sum - self.cost_sum

    @property
    def reported_score(self) -> int:
        """The score as reported; `surround_flip` turns the negative score of a surround positive. [NZ-20] [NZ-R23]"""
        flips = self.config.surround_flip and self.result == SURROUND and self.score < 0
        return -self.score if flips else self.score

    def is_surrounded(self) -> bool:
        """Return whether mice hold every floor diagonal neighbour of the cat, at least one. [7.5] [NZ-8] [NZ-R17]

        It does not matter who moved last. [NZ-9]
        """
        diagonals = {ahead(self.cat, step) for step in DIAGONALS} & self.floor
        return bool(diagonals) and diagonals <= self.mice

    def _is_beside_cat(self, cell: Cell) -> bool:
        return cell in [ahead(self.cat, step) for step in STEPS]

    def _free_zone(self) -> set[Cell]:
        """Return the cells where a mouse may be put now; none if the reserve is empty. [NZ-25] [NZ-R26]"""
        return self.zone - self.mice - {self.cat} if self.reserve > 0 else set()

    def _faults(self) -> Iterator[str]:
        """Yield each broken invariant as a message that begins with the variable's name."""
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
                yield f"food[{self._number(cell)}]: expected the stage's {stage.food[self._number(cell)]}, got {amount}"
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
            yield f"react_from: expected {PLACE}, {ADD} or {MOVE}, got {self.arrival_from}"
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

    # -- player to move and legal actions -------------------------------------------------------------

    @property
    def slots(self) -> list[int]:
        """A list with the player to move; empty at the end. [section 5]"""
        if self.phase == OVER:
            return []
        return [CAT if self.phase in (CAT1, CAT2, REACT) else MICE]

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.phase == OVER

    def legal_actions(self, slot: int = 0) -> list[int]:
        """Return the legal action ids of section 6, ascending; empty at the end."""
        place("slot", slot, 1)
        cells = len(self.config.start_stage.wall)
        nothing = 5 * cells
        if self.phase in (PLACE, ADD):
            actions = [5 * self._number(cell) + PUT for cell in self._free_zone()]
            if self.phase == ADD or self.on_board + self.captured >= 1:  # NZ-R5
                actions.append(nothing)
        elif self.phase in (CAT1, CAT2):  # NZ-40, NZ-42
            actions = [nothing] + [nothing + 1 + d for d in range(4) if ahead(self.cat, STEPS[d]) in self.floor]
        elif self.phase == MOVE:
            actions = [5 * self._number(mouse) + what for mouse in self.unmoved for what in self._ways(mouse)]
        elif self.phase == REACT:  # NZ-35, NZ-36, NZ-37
            actions = [nothing, nothing + 5]
        else:
            actions = []
        return sorted(actions)

    def _ways(self, mouse: Cell) -> list[int]:
        """Return the directions without a wall, or RETIRE alone if all four are walls. [NZ-26] [NZ-R10]"""
        open_ways = [d for d in range(4) if ahead(mouse, STEPS[d]) in self.floor]
        return open_ways or [RETIRE]

    def legal_mask(self, slot: int = 0) -> list[int]:
        """Return a list with 1 for each legal id and 0 for the others, of length 5 * N + 6."""
        legal = self.legal_actions(slot)
        return [int(action in legal) for action in range(5 * len(self.config.start_stage.wall) + 6)]

    def _context(self, slot: int) -> tuple[Config, int]:
        place("slot", slot, 1)
        return self.config, self.phase

    # -- an action ------------------------------------------------------------------------------------

    def apply(self, action: int) -> None:
        """Play one action of the player to move. [section 7]

        Parameters
        ----------
        action : int or str
            A legal action id, or its text.

        Raises
        ------
        IllegalActionError
            If the action is not legal; the state is unchanged. [NZ-R28]
        GameOverError
            If the game is over.
        ValueError
            If the action is neither an int nor the text of an action (NotationError).
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
        sign = chosen - 5 * cells  # 0 pass, 1..4 a step of the cat, 5 capture; below 0: an action on `cell`
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
        """Resolve the arrival of a mouse on `cell`, a floor cell without a mouse, in this phase. [7.1]"""
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
        """Capture the mouse that has arrived, or leave it; the cat does not move. [7.1 step 5] [NZ-R14]"""
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
        """Continue the mice's half-turn, and end the turn if nothing is left to decide. [7.1 step 6] [NZ-R25]"""
        if phase == PLACE:  # NZ-23
            self.phase = PLACE
            if not self._free_zone():
                self._end_turn()
        else:
            self.phase = MOVE
            if not self.unmoved:  # NZ-28
                self._end_turn()

    def _move_mouse(self, mouse: Cell, what: int) -> None:
        """Move a mouse: each moves once a turn, in any order; a walled-in one retires. [7.2, NZ-27, NZ-R9, NZ-R10]"""
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
        """Return the cell where a mouse that goes this way stops; None if it retires or hits a wall. [NZ-32, NZ-R10]"""
        if what == RETIRE:
            return None
        cell = ahead(mouse, STEPS[what])
        while cell in self.mice:  # NZ-29, NZ-30, NZ-31: also over those that have moved [NZ-R11]
            cell = ahead(cell, STEPS[what])
        return cell if cell in self.floor else None

    def _move_cat(self, sign: int) -> None:
        """Move the cat: it stays or steps, and captures a mouse it steps onto. [7.3] [NZ-26] [NZ-40] [NZ-41] [NZ-43]"""
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
        elif self._free_zone():  # mice now next to the cat are safe [NZ-45] [NZ-46]
            self.phase = ADD  # NZ-25 [NZ-R7]
        else:
            self._resume(ADD)

    def _end_turn(self) -> None:
        """Charge the mice for the turn and begin the next one. [7.4] [NZ-15] [NZ-24] [NZ-R3]"""
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
        """End the game; a turn that is broken off is not charged. [NZ-R4]"""
        self.phase, self.result = OVER, result
        self._tell("end", result=RESULTS[result])

    # -- scores, events and observations --------------------------------------------------------------

    def scores(self) -> list[int]:
        """Return [cat's score, mice's score] in mg; the cat's is the opposite of the mice's. [NZ-18]"""
        return [-self.score, self.score]

    def returns(self) -> list[float]:
        """Return [cat's result, mice's result]: 1 for the winner, -1 for the loser, 0 before the end. [section 8]"""
        if not self.is_terminal():
            return [0.0, 0.0]
        mice_win = self.result == SURROUND or self.score >= 0  # NZ-18, NZ-19 [NZ-R22]
        return [-1.0, 1.0] if mice_win else [1.0, -1.0]

    def events(self, player: int | None = None) -> list[dict[str, Any]]:
        """Return the events of the last action, in order; both players see all of them. [section 9]

        Each event is {"event": name, ...}: put, enter, capture, spare, leave and cat with "cell"; jump with "from",
        "to" and "over", the number of mice jumped; eat with "cell" and "mg"; charge with "mg"; end with "result".
        """
        if player is not None:
            place("player", player, 2)
        return [dict(event) for event in self.last]

    def observation(self, player: int) -> dict[str, Any]:
        """Return the arrays of section 9 as nested lists; they are the same for both players.

        Food and cost are given as fractions of the stage's total food.

        Returns
        -------
        dict
            planes : float[7][H][W]: wall, zone, cat, unmoved mice, moved mice, food, arrival.
            scalars : float[16]: the phase one-hot (6 values, all 0 at the end), t/T, captured/R, on_board/M, reserve/M,
            M, R, T, food_sum, cost_sum, food left.
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

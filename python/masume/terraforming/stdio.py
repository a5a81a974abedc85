"""The seat of a program that speaks the contest's protocol over stdin and stdout. [section 14]

blocks.py makes and reads the text; this module reads, writes and watches the clock.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Any

from ..agent import View
from ..game import Game
from ..referee.clock import Clock, TimeControl, Timer
from ..referee.lines import CAPACITY
from ..referee.process import Child, Limits
from ..referee.seat import NOT_STARTED, PROTOCOL, TIMEOUT, Fault, GameEnd, Seat
from . import hexes, notation
from .blocks import ALLOWANCE_MS, NAME_MS, NAMELESS, TURN_MS, Turn, block, name_block, name_of
from .config import Config
from .notation import FINISH
from .reference import State

TIMES = TimeControl(main_ms=ALLOWANCE_MS, move_ms=TURN_MS)
MAX_LINE = CAPACITY  # bytes without the LF
CUT = b"..."
GRACE_S = 0.2  # for a program to exit after the end of its input
WHY = {
    "finished": "the game is over",
    "M1": "no robot moves in a turn in which something was built",
    "M2": "at least one robot must move",
    "M3": "there is no cell in that direction",
    "M4": "robots in a hole do not come out",
    "M5": "the cell is not yours",
    "M6": "not so many robots that may still move are there",
    "M7": "another player's building is on the target",
    "B1": "a building needs a turn of its own, without moves",
    "B4": "the cell is not yours",
    "B5": "a building is there already",
    "B6": "only a bridge is built on a hole, and nothing else",
    "B7": "not enough robots are on the cell",
    "B8": "there is not enough material on and around the cell",
}
"""What each rule of section 6.1 forbids, by its name in the rules."""


class ProgramSeat(Seat):
    """The seat of a program: one process per game, killed when it is late or the game is over.

    Parameters
    ----------
    command : str
        Shell command that starts the program.
    limits : Limits, optional
        Limits of the process.
    name_ms : int, optional
        Time for the name, in ms. Default 5000. [TF-R41]

    Notes
    -----
    In a match without a clock the times of section 14.6 hold. Output that the program has not read is buffered here; it
    never exceeds the blocks of one game.
    """

    def __init__(self, command: str, limits: Limits | None = None, name_ms: int = NAME_MS) -> None:
        self.name = NAMELESS
        self._command, self._limits, self._name_ms = command, limits, name_ms
        self._child: Child | None = None

    async def open(self, game: Game, control: TimeControl) -> None:
        """Start the program. [14.1]"""
        await self.close()
        self.name, self.log, self.remarks = NAMELESS, "", []
        self._clock = Clock(control if control.is_limited else TIMES, game.num_players)
        self._child = await Child.start(self._command, self._limits)

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Send the block before the first turn and read the name. [14.4]

        Raises
        ------
        Fault
            If the name is late, or there is no such program; the program is stopped.
        """
        child = self._running()
        self._write(child, name_block(_config(view), view.state.to_dict(), view.player))
        try:
            self.name = name_of(await self._line(child, time.monotonic() + self._name_ms / 1000))
        except Fault as fault:
            if fault.cause == TIMEOUT or child.is_missing:
                await self._stop(0)
                raise Fault(TIMEOUT if fault.cause == TIMEOUT else NOT_STARTED, fault.detail) from None

    async def act(self, view: View, timer: Timer) -> list[int]:
        """Play a turn of the program and return its actions, FINISH last. [14.5] [14.6]

        Raises
        ------
        Fault
            If the turn is late or the output ends; its `actions` are the commands before that. The program is stopped.
        """
        child, config, state = self._running(), _config(view), view.state
        turn = Turn(config, state)
        own = self._clock.start(view.player)
        self._write(child, block(config, state.to_dict(), view.player))
        timer.restart()
        own.restart()
        assert own.deadline is not None
        try:
            while turn.take(await self._line(child, own.deadline)) != "finish":
                pass
        except Fault as fault:
            timer.stop()
            child.note(f"fault: {fault}")  # while its transcript is open
            await self._stop(0)
            self.remarks = turn.remarks(why_illegal)
            raise Fault(fault.cause, fault.detail, actions=turn.actions) from None
        timer.stop()
        own.stop()
        self.remarks = turn.remarks(why_illegal)  # after the clock was stopped
        for remark in self.remarks:
            child.note(f"skipped: {remark}")
        return [*turn.actions, FINISH]

    async def end(self, outcome: GameEnd) -> None:
        """End the program's input; the protocol has no message for the end of the game. [14.1]"""
        await self.close()

    def note(self, text: str) -> None:
        """Write a line into the program's transcript."""
        if self._child is not None:
            self._child.note(text)

    def log_so_far(self) -> str:
        """Return the end of the program's stderr."""
        return self.log if self._child is None else self._child.log

    async def close(self) -> None:
        """End the program."""
        await self._stop(GRACE_S)

    def _running(self) -> Child:
        assert self._child is not None  # a match calls `open` first
        return self._child

    def _write(self, child: Child, text: str) -> None:
        with contextlib.suppress(Fault):  # a program that reads no more may have answered in advance [14.2]
            child.write(text.encode("ascii"))

    async def _line(self, child: Child, deadline: float) -> str:
        """Return the next line, even one written in advance; raise Fault at the deadline or at the end of the output.

        A line that is too long is cut and ends in `...`, which makes it malformed.
        """
        head: bytes | None = None
        while True:
            try:
                line = await child.line(MAX_LINE, deadline)
            except Fault as fault:
                if fault.cause != PROTOCOL:
                    raise
                piece = child.inbox.take(MAX_LINE)
                head = piece if head is None else head
                continue
            if time.monotonic() > deadline:
                raise Fault(TIMEOUT, "no finish in time")
            return (line if head is None else head + CUT).decode(errors="replace")

    async def _stop(self, grace_s: float) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.close(grace_s)
            self.log = child.log


def _config(view: View) -> Config:
    assert isinstance(view.game.config, Config)
    return view.game.config


def why_illegal(config: Config, state: Any, line: str) -> str:
    """Return why a command is illegal in a position, by the reference."""
    command = notation.read_command(config.ruleset, line)
    if isinstance(command, notation.Move | notation.Build) and command.cell not in hexes.indices(config.radius):
        return f"the board has no cell {command.cell[0]} {command.cell[1]}"
    action = notation.action_of(config, command)
    rule = "M2" if action is None else State.from_dict(config, state.to_dict()).why_illegal(action)
    return f"{WHY.get(str(rule), 'not now')} [{rule}]"

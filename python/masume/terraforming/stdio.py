"""The seat of a program that speaks the contest's protocol over its stdin and stdout. [section 14]

The text is `blocks.py`'s; this reads, writes and looks at the clock.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..agent import View
from ..referee.clock import Clock, TimeControl, Timer
from ..referee.lines import CAPACITY
from ..referee.process import Child, Limits
from ..referee.seat import PROTOCOL, TIMEOUT, Fault, Outcome, Seat
from .blocks import ALLOWANCE_MS, NAME_MS, NAMELESS, TURN_MS, Turn, block, name_block, name_of
from .config import Config
from .notation import FINISH

if TYPE_CHECKING:
    from ..game import Game

TIMES = TimeControl(main_ms=ALLOWANCE_MS, move_ms=TURN_MS)
MAX_LINE = CAPACITY  # bytes without the LF
CUT = b"..."
GRACE_S = 0.2  # for a program to see the end of the game and of its input


class ProgramSeat(Seat):
    """A program's place: in each game a process of its own, which is killed when it is late or the game is over.

    command : of the shell. limits : of the process. name_ms : for the name. [TF-R41]

    A match without a clock gives it the times of section 14.6. What it has not read waits here, in all no more than
    the blocks of a game.
    """

    def __init__(self, command: str, limits: Limits | None = None, name_ms: int = NAME_MS) -> None:
        self.name = NAMELESS
        self._command, self._limits, self._name_ms = command, limits, name_ms
        self._child: Child | None = None

    async def open(self, game: Game, control: TimeControl) -> None:
        """Start the program. [14.1]"""
        await self.close()
        self.name, self.log = NAMELESS, ""
        self._clock = Clock(control if control.is_limited else TIMES, game.num_players)
        self._child = await Child.start(self._command, self._limits)

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Write the block before the first turn, read the name; Fault, and the end, where it is late. [14.4]"""
        child = self._running()
        self._write(child, name_block(_config(view), view.state.to_dict(), view.player))
        try:
            self.name = name_of(await self._line(child, time.monotonic() + self._name_ms / 1000))
        except Fault as fault:
            if fault.cause == TIMEOUT:
                await self._stop(0)
                raise

    async def act(self, view: View, timer: Timer) -> list[int]:
        """The turn that the program plays, `finish` and all; at its Fault the commands before. [14.5] [14.6]"""
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
            await self._stop(0)
            raise Fault(fault.cause, fault.detail, actions=turn.actions) from None
        timer.stop()
        own.stop()
        return [*turn.actions, FINISH]

    async def end(self, outcome: Outcome) -> None:
        """The program is told nothing: its input ends. [14.1]"""
        await self.close()

    async def close(self) -> None:
        """End the program."""
        await self._stop(GRACE_S)

    def _running(self) -> Child:
        assert self._child is not None  # else the match would not ask
        return self._child

    def _write(self, child: Child, text: str) -> None:
        with contextlib.suppress(Fault):  # who takes no more may have written all its answers ahead [14.2]
            child.write(text.encode("ascii"))

    async def _line(self, child: Child, deadline: float) -> str:
        """The next line, wherever it was written; Fault at the deadline, and where nothing more comes.

        A line that is too long is cut and ends in `...`, as no command does.
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

"""A match that is watched and played: its phases, moves, pace and listeners, and how they are kept on the disk."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import secrets
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.language import translate as _
from ..errors import ConfigError
from ..game import Game
from ..play.lessons import OPEN, Attempt
from ..records.course import Course
from ..records.replay import Blame, Forfeit, Replay, play_move
from ..referee.match import Moment
from ..results import reason_of
from .journals import Journal
from .listeners import Listeners
from .people import HaltedError, PersonSeat, tell_halt
from .setting_up import SetUp

if TYPE_CHECKING:
    from .rematch import Rematch

TRY_S = 0.5  # how often a match that nothing can be kept of tries again
LOOK_S = 0.05  # how often a match of another thread looks whether it may go on


def report(error: BaseException) -> None:
    """Print an error that is a mistake of the program."""
    traceback.print_exception(error, file=sys.stderr)


class Phase(enum.StrEnum):
    """State of a match."""

    WAITING = "waiting"  # for players
    READY = "ready"  # for somebody who presses start
    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"
    BROKEN = "broken"  # it could not be played


class Playback:
    """Playback speed of matches.

    delay_s : seconds between two turns. waits : whether a match waits at its start until somebody presses start.
    """

    def __init__(self, delay_s: float = 0.0, waits: bool = False) -> None:
        self.delay_s, self.waits = delay_s, waits


class Match:
    """A match that can be watched; all its methods but the function of `follower` are called in the page's loop.

    Attributes
    ----------
    id : str
        Its name in addresses.
    game : Game
        The game.
    names : list of str
        Names of the players.
    phase : Phase
        State of the match.
    moves : list
        What was played, as in a Replay.
    seats : dict
        The seats of people, by player.
    notes : list of Blame
        After its end: what players did wrong.
    version : int
        Number of its changes.
    share : str or None
        The address for whose share of what is played it counts; None: for none.
    is_open : bool
        Whether everybody may see all of it: agents of the page play it, and nobody else.
    is_aside : bool
        Whether it is set aside: another Match goes on with it when somebody comes back.
    attempt : Attempt or None
        The lesson that is played; its outcome ends the match. None: a whole game is played.
    is_shown : bool
        Whether its solution was played, to be looked at.
    rematch : Rematch or None
        After its end: what its people are asked to play next (`rematch.rematch_of` makes it).
    course : Course
        How its scores went.
    changed_at : float
        Seconds of time.monotonic of its last change.
    on_change : callable
        Called after each change.
    """

    def __init__(
        self,
        game: Game,
        seed: int,
        names: Sequence[str],
        playback: Playback,
        start: dict[str, Any] | None = None,
        name: str = "",
        attempt: Attempt | None = None,
    ) -> None:
        self.id = name or secrets.token_urlsafe(6)
        self.game, self.seed, self.names = game, seed, list(names)
        self.phase, self.detail = Phase.WAITING, ""
        self.reason: str | None = None
        self.moves: list[Any] = []
        self.left_ms: list[int | None] = [None] * game.num_players
        self.attempt, self.is_shown = attempt, False
        if attempt is not None:
            self.state = attempt.state
        else:
            self.state = game.new_state(seed) if start is None else game.state_from_dict(start)
        self.first = self.state.clone()
        self.returns: list[float] = []
        self.notes: list[Blame] = []
        self.seats: dict[int, PersonSeat] = {}
        self.recipe: dict[str, Any] | None = None
        self.share: str | None = None
        self.is_open = self.is_aside = False
        self.rematch: Rematch | None = None
        self.course = Course(game.num_players)
        self.course.take(self.state.scores().tolist())
        self.version, self.at = 0, time.time()
        self.delay_s, self.is_started, self.is_paused = playback.delay_s, not playback.waits, False
        self.listeners, self.changed_at = Listeners(), time.monotonic()
        self.on_change: Callable[[], None] = lambda: None
        self._num_followed, self._mover = 0, -2
        self.journal: Journal | None = None
        self.halted = ""  # why nothing can be kept: then the match stands still
        self.able = asyncio.Event()
        self.able.set()
        self._trying: asyncio.Task[None] | None = None

    def note(self) -> None:
        """Wake everybody who watches."""
        self.version += 1
        self.changed_at = time.monotonic()
        self.listeners.wake()
        self.on_change()

    # -- what is kept ------------------------------------------------------------------------------

    def now(self) -> dict[str, Any]:
        """Return its seats and its pace, for the journal."""
        return {
            "seats": {
                str(player): [seat.name, seat.token, seat.invitation, seat.is_taken]
                for player, seat in self.seats.items()
            },
            "paused": self.is_paused,
            "delay_ms": int(1000 * self.delay_s),
        }

    def make_seat(self, player: int, name: str) -> PersonSeat:
        """Return the new seat of a person, whose answers are kept."""

        def keep(*answer: Any) -> None:
            self._keep(lambda journal: journal.answer(player, len(self.moves), *answer))

        seat = self.seats[player] = PersonSeat(name, self.note, keep)
        if (self.recipe or {}).get("ready"):
            seat.set_up = SetUp(self.game, player, self.seed)
        return seat

    def sit(self, player: int, name: str) -> None:
        """Seat somebody, once that is kept; HaltedError if it cannot be."""
        seat, now = self.seats[player], self.now()
        now["seats"][str(player)] = [name or seat.name, seat.token, seat.invitation, True]
        self._keep(lambda journal: journal.note(now))
        self.names[player] = name or seat.name
        seat.sit_down(name)

    def rename(self, player: int, name: str) -> None:
        """Give the person of a seat another name, once that is kept; HaltedError if it cannot be."""
        seat, now = self.seats[player], self.now()
        now["seats"][str(player)][0] = name
        self._keep(lambda journal: journal.note(now))
        seat.name = self.names[player] = name
        self.note()

    def _keep(self, write: Callable[[Journal], None]) -> None:
        """Write to the journal, if there is one; raise HaltedError if that fails, and stand still until it does not."""
        if self.journal is None or self.journal.is_gone:
            return
        if not self.halted:
            try:
                write(self.journal)
                return
            except OSError as error:
                self.halt(error, self.journal.try_again)
        raise HaltedError(self.halted)

    async def keep_moves(self, moves: Sequence[Any], ms: Sequence[Any]) -> None:
        """Write the moves that are new; wait until that is possible."""
        while True:
            try:
                self._keep(lambda journal: journal.add(moves, ms))
                return
            except HaltedError:
                await self.able.wait()

    def set_aside(self) -> None:
        """Let nobody play it any more, and tell those who watch."""
        self.is_aside = True
        if self.journal is not None:
            self.journal.is_gone = True
        for seat in self.seats.values():
            seat.question = None
        self.note()

    def halt(self, error: OSError, write: Callable[[], None]) -> None:
        """Stand still until `write`, which is called in a thread every TRY_S, no longer raises OSError."""
        if self.halted:
            return
        self.halted = error.strerror or str(error)
        self.able.clear()
        print(f"{self.id}: {tell_halt(self.halted)}", file=sys.stderr, flush=True)
        for seat in self.seats.values():
            seat.pause()
        self._trying = asyncio.get_running_loop().create_task(self._try(write))
        self.note()

    async def _try(self, write: Callable[[], None]) -> None:
        is_done = False
        while not is_done:
            await asyncio.sleep(TRY_S)
            with contextlib.suppress(OSError):
                await asyncio.to_thread(write)
                is_done = True
            if self.journal is not None and self.journal.is_gone:
                return
        self.halted = ""
        self.able.set()
        print(_("{match}: resumed").format(match=self.id), file=sys.stderr, flush=True)
        for seat in self.seats.values():
            seat.go_on()
        self.note()

    # -- what is played ----------------------------------------------------------------------------

    def advance(self, moves: Sequence[Any], names: Sequence[str], left_ms: Sequence[int | None]) -> None:
        """Take what was played since the last call."""
        for move in moves:
            mover = self.state.current_player
            play_move(self.state, move, self.moves[-1:])
            self.moves.append(move)
            if self.attempt is not None and not isinstance(move, Forfeit):
                self.attempt.apply(move)
            if mover < 0 or self.state.current_player != mover:  # the turn is complete
                self.course.take(self.state.scores().tolist())
        self.names, self.left_ms = list(names), list(left_ms)
        if self.phase is not Phase.OVER:
            self.phase = self._phase_of_pace()
        self.note()

    def go_on(self, moves: Sequence[Any]) -> None:
        """Take what was played before a restart, or before it was set aside."""
        if moves:
            self.advance(moves, self.names, self.left_ms)
            self._num_followed = len(moves)

    def finish(self, record: Replay) -> None:
        """Take the result."""
        self.names, self.returns = list(record.names), list(record.returns)
        self.reason, self.notes = record.reason or reason_of(self.state), list(record.notes)
        self.phase = Phase.OVER
        self.note()

    @property
    def is_decided(self) -> bool:
        """Whether it is a lesson whose outcome is known."""
        return self.attempt is not None and self.attempt.outcome != OPEN

    def finish_lesson(self) -> None:
        """End a lesson; without an outcome it has failed."""
        if self.attempt is not None:
            self.attempt.fail()
        self.phase = Phase.OVER
        self.note()

    def fail(self, detail: str) -> None:
        """Note that the match cannot be played."""
        self.phase, self.detail = Phase.BROKEN, detail
        self.note()

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens."""
        return self.phase in (Phase.OVER, Phase.BROKEN)

    @property
    def hides(self) -> bool:
        """Whether there is something that not everybody may see now."""
        return not (self.game.is_perfect_information or self.is_over or self.is_open)

    # -- its pace ----------------------------------------------------------------------------------

    def _phase_of_pace(self) -> Phase:
        return Phase.PAUSED if self.is_paused else Phase.RUNNING if self.is_started else Phase.READY

    def press(self, what: str, delay_s: float | None = None) -> None:
        """Start, pause, resume, or set the pace; HaltedError if that cannot be kept."""
        is_started, is_paused = self.is_started or what == "start", self.is_paused
        if what in ("pause", "resume"):
            is_paused = what == "pause"
        elif what != "start" and (what != "pace" or delay_s is None):
            raise ConfigError(f"do: expected start, pause, resume or pace, got {what!r}")
        delay_s = delay_s if what == "pace" and delay_s is not None else self.delay_s
        now = self.now() | {"paused": is_paused, "delay_ms": int(1000 * delay_s)}
        self._keep(lambda journal: journal.note(now))
        self.is_started, self.is_paused, self.delay_s = is_started, is_paused, delay_s
        if self.phase in (Phase.READY, Phase.RUNNING, Phase.PAUSED):
            self.phase = self._phase_of_pace()
        self.note()

    def follower(self, call: Callable[..., Any], is_live: bool = False) -> Callable[[Moment], Any]:
        """Return what `play_match` awaits; `call` runs a function in the loop of the page, from any thread.

        is_live : whether the match keeps its own time, in which nobody can hold it up.
        """

        async def follow(moment: Moment) -> None:
            moves, self._num_followed = list(moment.moves[self._num_followed :]), len(moment.moves)
            call(self.advance, moves, moment.names, moment.left_ms)
            mover = moment.state.current_player
            is_turn, self._mover = mover != self._mover or mover < 0, mover
            since = time.monotonic()
            while not (is_live or moment.state.is_terminal()) and (
                self.is_paused or not self.is_started or (is_turn and moves and time.monotonic() < since + self.delay_s)
            ):
                await asyncio.sleep(LOOK_S if self.delay_s > LOOK_S or not self.delay_s else self.delay_s)

        return follow

"""The matches that a page shows: those that are played here, those of other parts of masume, and finished ones."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import enum
import functools
import os
import re
import secrets
import sys
import time
import traceback
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import system
from ..core.files import make_folder
from ..core.language import speaking
from ..core.language import translate as _
from ..errors import ConfigError, ExtraError, MatchError, ReplayError
from ..records import replay
from ..records.reading import load_fields, parsing, tell_left_out
from ..records.replay import Blame, Replay, play_move
from ..referee.clock import TimeControl
from ..referee.match import Begun, Moment, Record, play_match
from ..referee.seat import Seat
from ..referee.seats import make_seat
from ..render.drawing import drawing_of
from ..results import reason_of, winners
from . import journals
from .films import Film
from .journals import Journal, Syncer
from .people import HaltedError, PersonSeat, tell_halt

if TYPE_CHECKING:
    from ..game import Game

STEP = 16  # moves drawn before others have their turn
TRY_S = 0.5  # how often a match that nothing can be kept of tries again
LOOK_S = 0.05  # how often a match of another thread looks whether it may go on
MAX_NOTES = 200  # faults and remarks of a match that are listed
MAX_FILES = 60  # of the folder that are shown, and games of one file
MAX_MATCHES = 500  # the oldest finished ones are forgotten
MAX_MOVES = 2**20  # of all finished ones together
MAX_PLAYED = 100  # matches between people and agents at the same time
LEFT_S = 600.0  # a match that nobody has looked at for so long makes room for others
MAX_FILM = 2**26  # bytes of the films of finished matches
NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


class BusyError(Exception):
    """The page has no room for another match."""


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
    BROKEN = "broken"  # it could not be held


class Pace:
    """Playback speed of matches.

    delay_s : seconds between two turns. waits : whether a match waits at its start until somebody presses start.
    """

    def __init__(self, delay_s: float = 0.0, waits: bool = False) -> None:
        self.delay_s, self.waits = delay_s, waits


class Bell(asyncio.Event):
    """What a stream waits for: a change, or a beat, which only shows that the connection stands.

    is_beat : whether it was rung by a beat and nothing else.
    """

    is_beat = False

    def ring(self) -> None:
        """Tell of a change."""
        self.is_beat = False
        self.set()

    def beat(self) -> None:
        """Ring without a change, unless there is one."""
        if not self.is_set():
            self.is_beat = True
            self.set()


class Listeners:
    """The streams that wait for a change."""

    def __init__(self) -> None:
        self._events: set[Bell] = set()

    def wake(self) -> None:
        """Ring the bell of each stream."""
        for event in self._events:
            event.ring()

    @contextlib.contextmanager
    def hearing(self) -> Iterator[Bell]:
        """Yield a bell that rings at each change."""
        event = Bell()
        self._events.add(event)
        try:
            yield event
        finally:
            self._events.discard(event)


class Match:
    """A match that can be watched; all its methods but `follow` are called in the loop of the page.

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
    host : str or None
        The secret of those who may start, pause and pace it, in addition to the owners of its seats.
    """

    def __init__(
        self,
        game: Game,
        seed: int,
        names: Sequence[str],
        pace: Pace,
        start: dict[str, Any] | None = None,
        name: str = "",
    ) -> None:
        self.id = name or secrets.token_urlsafe(6)
        self.game, self.seed, self.names, self.start = game, seed, list(names), start
        self.phase, self.detail = Phase.WAITING, ""
        self.reason: str | None = None
        self.moves: list[Any] = []
        self.values: dict[int, float] = {}  # of a search, by the number of moves before the position
        self.left_ms: list[int | None] = [None] * game.num_players
        self.state = game.new_state(seed) if start is None else game.state_from_dict(start)
        self.returns: list[float] = []
        self.notes: list[Blame] = []
        self.seats: dict[int, PersonSeat] = {}
        self.host: str | None = None
        self.recipe: dict[str, Any] | None = None
        self.version, self.at = 0, time.time()
        self.delay_s, self.is_started, self.is_paused = pace.delay_s, not pace.waits, False
        self.first = self.state.clone()
        self._films: dict[tuple[int | None, str], Film] = {}
        self.listeners = Listeners()
        self._fed, self._mover = 0, -2
        self.news: dict[Hashable, tuple[int, bytes]] = {}  # kept for the application, by audience: (version, event)
        self._facts: dict[str, tuple[int, dict[str, Any]]] = {}
        self._on_change: Callable[[Match], None] = lambda _: None
        self._on_film: Callable[[Match], None] = lambda _: None
        self.journal: Journal | None = None
        self.halted = ""  # why nothing can be kept: then the match stands still
        self.able = asyncio.Event()
        self.able.set()
        self._trying: asyncio.Task[None] | None = None
        self.num_watching, self.left_at = 0, time.monotonic()

    # -- what happens ------------------------------------------------------------------------------

    def note(self) -> None:
        """Wake everybody who watches."""
        self.version += 1
        self.listeners.wake()
        self._on_change(self)

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

    # -- what is kept ------------------------------------------------------------------------------

    def make_seat(self, player: int, name: str, num_asked: int = 0) -> PersonSeat:
        """Return the new seat of a person, whose answers are kept."""

        def keep(*answer: Any) -> None:
            self._keep(lambda journal: journal.answer(player, len(self.moves), *answer))

        seat = self.seats[player] = PersonSeat(name, self.note, num_asked, keep)
        return seat

    def sit(self, player: int, name: str) -> None:
        """Seat somebody, once that is kept; HaltedError if it cannot be."""
        seat, now = self.seats[player], self.now()
        now["seats"][str(player)] = [name or seat.name, seat.token, seat.invitation, True]
        self._keep(lambda journal: journal.note(now))
        seat.sit_down(name)

    def _keep(self, write: Callable[[Journal], None]) -> None:
        """Write to the journal, if there is one; raise HaltedError if that fails, and stand still until it does not."""
        if self.journal is None:
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
            play_move(self.state, move, self.moves[-1:])
            self.moves.append(move)
        self.names, self.left_ms = list(names), list(left_ms)
        if self.phase is not Phase.OVER:
            self.phase = Phase.PAUSED if self.is_paused else Phase.RUNNING if self.is_started else Phase.READY
        self.note()

    def finish(self, record: Replay) -> None:
        """Take the result."""
        self.names, self.returns, self.reason = list(record.names), list(record.returns), record.reason
        self.notes = list(record.notes)
        self.reason = self.reason or reason_of(self.state)
        self.phase = Phase.OVER
        self.note()

    def fail(self, detail: str) -> None:
        """Note that the match cannot be held."""
        self.phase, self.detail = Phase.BROKEN, detail
        self.note()

    def press(self, what: str, delay_s: float | None = None) -> None:
        """Start, pause, go on, or set the pace; HaltedError if that cannot be kept."""
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
            self.phase = Phase.PAUSED if self.is_paused else Phase.RUNNING if self.is_started else Phase.READY
        self.note()

    @contextlib.contextmanager
    def watching(self) -> Iterator[Bell]:
        """Yield a bell that rings at each change, and count who watches."""
        self.num_watching += 1
        try:
            with self.listeners.hearing() as event:
                yield event
        finally:
            self.num_watching -= 1
            self.left_at = time.monotonic()

    def follower(self, call: Callable[..., Any], is_live: bool = False) -> Callable[[Moment], Any]:
        """Return what `play_match` awaits; `call` runs a function in the loop of the page, from any thread.

        is_live : whether the match keeps its own time, in which nobody can hold it up.
        """

        async def follow(moment: Moment) -> None:
            moves, self._fed = list(moment.moves[self._fed :]), len(moment.moves)
            call(self.advance, moves, moment.names, moment.left_ms)
            mover = moment.state.current_player
            is_turn, self._mover = mover != self._mover or mover < 0, mover
            since = time.monotonic()
            while not (is_live or moment.state.is_terminal()) and (
                self.is_paused or not self.is_started or (is_turn and moves and time.monotonic() < since + self.delay_s)
            ):
                await asyncio.sleep(LOOK_S if self.delay_s > LOOK_S or not self.delay_s else self.delay_s)

        return follow

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens."""
        return self.phase in (Phase.OVER, Phase.BROKEN)

    @property
    def hides(self) -> bool:
        """Whether there is something that not everybody may see now."""
        return not self.game.is_perfect_information and not self.is_over

    async def film(self, player: int | None, language: str) -> Film:
        """Return the film for a viewer, up to date."""
        key = (player if not self.game.is_perfect_information else None, language)
        film = self._films.get(key)
        if film is not None and film.plies[-1] == len(self.moves) and not self.is_over:
            return film
        if film is None:
            film = self._films[key] = Film(self.first, key[0], language)
        while film.follow(self.moves, STEP):
            await asyncio.sleep(0)
        self._on_film(self)
        return film

    @property
    def film_size(self) -> int:
        """Bytes of its films."""
        return sum(film.size for film in self._films.values())

    def forget_films(self) -> None:
        """Free its films, which are made again if somebody wants to watch."""
        self._films.clear()

    def facts(self, language: str) -> dict[str, Any]:
        """Return what everybody may know of the match, beside its board."""
        version, facts = self._facts.get(language, (-1, {}))
        if version != self.version:
            facts = self._tell(language)
            self._facts[language] = self.version, facts
        return facts

    def _tell(self, language: str) -> dict[str, Any]:
        with speaking(language):
            scene = drawing_of(self.first).scene(self.first)
            halted = tell_halt(self.halted) if self.halted else ""
            why = _(self.reason).replace("_", " ") if self.reason else ""
            players = [_(name) for name in scene.players]
        mover = -2 if self.is_over else self.state.current_player
        return {
            "id": self.id,
            "game": self.game.name,
            "title": scene.title,
            "players": players,
            "names": self.names,
            "phase": self.phase,
            "mover": mover,
            "deciding": [] if self.is_over else sorted({int(player) for player in self.state.slots}),
            "plies": len(self.moves) if not self.hides else None,
            "left_ms": self.left_ms,
            "returns": self.returns,
            "winners": winners(self.returns) if self.returns else [],
            "why": why,
            "detail": self.detail,
            "halted": halted,
            "delay_ms": int(1000 * self.delay_s),
            "hides": self.hides,
            "missing": [player for player, seat in self.seats.items() if not seat.is_taken],
            "people": sorted(self.seats),
            "at": self.at,
        }

    def noted(self, language: str) -> list[list[Any]]:
        """Return what players did wrong, after the end: (player, moves before, cause, detail), without their logs."""
        with speaking(language):
            return [[note.player, note.ply, _(note.cause), note.detail] for note in self.notes[:MAX_NOTES]]

    def to_replay(self) -> Replay:
        """Return the finished match as a replay."""
        scores = self.state.scores().tolist()
        return Replay(
            self.game, self.seed, self.names, self.moves, self.returns, scores, None, self.reason, self.start,
            tuple(self.notes),
        )  # fmt: skip


class Matches:
    """All matches of a page.

    Parameters
    ----------
    pace : Pace
        Playback speed of new matches.
    folder : Path, optional
        Where finished matches are kept as replays, and where those of earlier runs are.
    """

    def __init__(self, pace: Pace | None = None, folder: Path | None = None) -> None:
        self.pace, self.folder = pace or Pace(), folder
        self.found: dict[str, Match] = {}
        self.wall: dict[str, Any] = {}  # the next pairing and standings, for the wall
        self.listeners = Listeners()
        self._tasks: dict[str, asyncio.Task[None]] = {}  # of the matches that are played here, by id
        self._filmed: dict[str, Match] = {}  # finished matches with films, the one watched last at the end
        self._lock: int | None = None  # of the folder of journals
        self._syncer = Syncer()
        self.keeps = False  # whether matches go on after a restart

    def _note(self, _match: Match | None = None) -> None:
        self.listeners.wake()

    def announce(self, wall: dict[str, Any]) -> None:
        """Show the next pairing and the standings on the wall."""
        self.wall = wall
        self._note()

    def add(self, match: Match) -> Match:
        """Show a match."""
        over = [one for one in self.found.values() if one.is_over]
        moves = sum(len(one.moves) for one in over)
        while over and (len(self.found) >= MAX_MATCHES or moves > MAX_MOVES):
            old = over.pop(0)
            moves -= len(old.moves)
            del self.found[old.id]
        self.found[match.id] = match
        match._on_change, match._on_film = self._note, self._note_film
        self._note()
        return match

    def _note_film(self, match: Match) -> None:
        """Free the films of finished matches that were watched longest ago, if there are too many."""
        if not match.is_over or next(reversed(self._filmed), None) == match.id:
            return
        self._filmed.pop(match.id, None)
        self._filmed[match.id] = match
        size = sum(one.film_size for one in self._filmed.values())
        for name in [name for name, one in self._filmed.items() if one is not match and not one.num_watching]:
            if size <= MAX_FILM:
                return
            old = self._filmed.pop(name)
            size -= old.film_size
            old.forget_films()

    def new(self, game: Game, seed: int, names: Sequence[str]) -> Match:
        """Show a match that is about to begin."""
        return self.add(Match(game, seed, names, self.pace))

    def add_replays(self, replays: Iterable[Replay], name: str = "") -> None:
        """Show finished games; `name`, that of their file, is their id, so that links to them stay."""
        for number, one in enumerate(replays):
            known = f"{name}-{number}" if number else name
            known = known if NAME.fullmatch(known) and known not in self.found else ""
            match = Match(one.game, one.seed, one.names, Pace(), one.start, known)
            match.advance(one.moves, one.names, match.left_ms)
            match.finish(one)
            self.add(match)

    def add_folder(self) -> list[str]:
        """Show the newest games of the folder; return what is no replay there, a line for each."""
        if self.folder is None:
            return []
        troubles: list[str] = []

        def leave_out(error: ReplayError | OSError) -> None:
            troubles.append(tell_left_out(error))

        found: list[tuple[str, list[Replay]]] = []
        for path in sorted(replay.files_of(self.folder, leave_out), key=os.path.getmtime, reverse=True):
            if len(found) == MAX_FILES:
                break
            try:
                found.append((path.stem, replay.load(path)[:MAX_FILES]))
            except (ReplayError, OSError) as error:
                leave_out(error)
        for name, replays in reversed(found):
            self.add_replays(replays, name)
        return troubles

    def listed(self) -> list[Match]:
        """Return the matches, those that are played first, then the newest first."""
        newest = list(self.found.values())[::-1]
        return sorted(newest, key=lambda match: match.is_over)

    # -- matches that are played here --------------------------------------------------------------

    def play(
        self,
        game: Game,
        seats: Sequence[str],
        names: Sequence[str],
        seed: int,
        control: TimeControl,
        recipe: dict[str, Any] | None = None,
    ) -> Match:
        """Begin a match between people and agents.

        Parameters
        ----------
        seats : sequence of str
            "me", "guest" (another person) or an agent's name, by player.
        names : sequence of str
            The names of the people, by player.
        recipe : dict, optional
            What was asked for, with which a rematch begins.

        Whoever is "me" has sat down. Raises ConfigError if an agent is unknown, BusyError if too many matches are
        played, HaltedError if nothing can be kept.
        """
        left = self._find_left()
        match = Match(game, seed, [name or seat for name, seat in zip(names, seats, strict=True)], Pace())
        match.delay_s = self.pace.delay_s
        found: list[Seat] = []
        for player, (seat, name) in enumerate(zip(seats, names, strict=True)):
            if seat in ("me", "guest"):
                found.append(match.make_seat(player, name or _("guest")))
                if seat == "me":
                    match.seats[player].sit_down("")
            else:
                found.append(make_seat(seat, game))
        match.recipe = recipe
        if self.keeps and self.folder is not None:
            head = {
                "id": match.id, "game": game.name, "seed": seed, "names": match.names,
                "config": None if game.config is None else game.config.to_dict(),
                "seats": ["" if seat in ("me", "guest") else seat for seat in seats],
                "clock": dataclasses.asdict(control), "recipe": recipe or {},
            }  # fmt: skip
            try:
                match.journal = self._journal_of(match)
                match.journal.begin(head, match.now())
            except OSError as error:
                raise HaltedError(error.strerror or str(error)) from None
        if left is not None:
            self._drop(left)
        self.add(match)
        self._begin(match, found, control, None)
        return match

    def _journal_of(self, match: Match) -> Journal:
        assert self.folder is not None
        journal = Journal(self.folder, match.id, self._syncer, lambda error: match.halt(error, journal.try_again))
        return journal

    def _find_left(self) -> Match | None:
        """Return the match that must make room for another, if too many are played: the one left for longest.

        Raises BusyError if all are watched.
        """
        if len(self._tasks) < MAX_PLAYED:
            return None
        left = [match for name in self._tasks if (match := self.found[name]).num_watching == 0]
        oldest = min(left, key=lambda match: match.left_at, default=None)
        if oldest is None or time.monotonic() - oldest.left_at < LEFT_S:
            raise BusyError(_("too many matches are being played: try again later"))
        return oldest

    def _drop(self, match: Match) -> None:
        """End a match that nobody looks at."""
        self._tasks.pop(match.id).cancel()
        if match.journal is not None:
            match.journal.remove()
        del self.found[match.id]

    def _begin(self, match: Match, seats: Sequence[Seat], control: TimeControl, begun: Begun | None) -> None:
        task = asyncio.get_running_loop().create_task(self._hold(match, seats, control, begun))
        self._tasks[match.id] = task
        task.add_done_callback(lambda _task: self._tasks.pop(match.id, None))

    async def _hold(self, match: Match, seats: Sequence[Seat], control: TimeControl, begun: Begun | None) -> None:
        """Hold a match to its end, whatever happens: whoever watches learns of it."""

        def call(function: Callable[..., Any], *arguments: Any) -> None:
            function(*arguments)

        follow = match.follower(call)

        async def write_and_follow(moment: Moment) -> None:
            await match.keep_moves(moment.moves, moment.ms)
            await follow(moment)

        try:
            try:
                record = await play_match(match.game, seats, match.seed, control, follow=write_and_follow, begun=begun)
            finally:
                await asyncio.gather(*(seat.close() for seat in seats))
            if not record.is_played:
                raise MatchError(record.faults[-1].detail)
            match.finish(record.replay)
            keep = functools.partial(self.keep, match.id, record)
            try:
                await asyncio.to_thread(keep)
            except OSError as error:
                match.halt(error, keep)
                await match.able.wait()
        except MatchError as error:
            match.fail(str(error))
        except Exception as error:
            report(error)
            what = f"{type(error).__name__}: {error}".partition("\n")[0]
            if match.is_over:  # only its replay could not be kept, and the journal stays
                return
            match.fail(_("a mistake of the program ended it: {error}").format(error=what))
        if match.journal is not None:
            match.journal.remove()

    def resume(self) -> list[str]:
        """Go on with the matches of an earlier run; return what could not be read, a line for each.

        From then on matches are kept in the folder so that a later run can go on with them.
        """
        if self.folder is None:
            return []
        folder = self.folder / journals.FOLDER
        try:
            self._lock = system.lock_folder(make_folder(folder, 0o700))
        except BlockingIOError:
            return [_("{folder}: another page uses it; matches end with this page").format(folder=folder)]
        except OSError as error:
            told = _("{path}: {error}; matches end with this page")
            return [told.format(path=folder, error=error.strerror)]
        self.keeps, troubles = True, []
        paths = sorted((path for path in folder.glob("*.jsonl") if path.is_file()), key=os.path.getmtime)
        for path in paths[-MAX_PLAYED:]:
            try:
                if path.stem in self.found:  # it was over, and its replay is kept
                    path.unlink()
                else:
                    self._resume(path)
            except (ReplayError, ExtraError, OSError) as error:  # also a match of another version of masume
                told = _("this match cannot go on, and its file stays as it is: {error}")
                troubles.append(told.format(error=str(error).partition("\n")[0]))
        return troubles

    def _resume(self, path: Path) -> None:
        head, now, begun, answers = journals.read(path)
        with parsing(str(path)):
            if head["id"] != path.stem:  # a copy; two matches may not share their seats
                raise ReplayError(f"id: expected {path.stem}, got {head['id']:.60}")
            game = load_fields(head["game"], head["config"] or {})
            match = Match(game, head["seed"], head["names"], Pace(now["delay_ms"] / 1000), name=path.stem)
            state = game.new_state(head["seed"])
            for number, (move, used) in enumerate(zip(begun.moves, begun.ms, strict=True)):
                if isinstance(used, list) != (game.is_simultaneous and used is not None):
                    raise ReplayError(f"ms: expected {'one for each player' if game.is_simultaneous else 'a number'}")
                if isinstance(used, list) and len(used) != game.num_players:
                    raise ReplayError(f"ms: expected {game.num_players} numbers, got {len(used)}")
                play_move(state, move, begun.moves[:number][-1:])
            control = TimeControl(**head["clock"])
            if len(head["seats"]) != game.num_players:
                raise ReplayError(f"seats: expected {game.num_players}, got {len(head['seats'])}")
            seats: list[Seat] = []
            for player, name in enumerate(head["seats"]):
                if name:
                    seats.append(make_seat(name, game))
                    continue
                seat = match.make_seat(player, "", len(begun.moves) + 1)
                seat.name, seat.token, seat.invitation, seat.is_taken = now["seats"][str(player)]
                if seat.is_taken:
                    seat.sat_down.set()
                if player in answers:
                    seat.note_answer(answers[player]["ask"], answers[player]["nonce"])
                    seat.given = journals.rest_of(answers[player], begun, state)
                seats.append(seat)
        match.is_paused, match.recipe = now["paused"], head["recipe"]
        match.journal = self._journal_of(match)
        match.journal.go_on(len(begun.moves), match.now())
        self.add(match)
        self._begin(match, seats, control, begun)

    def keep(self, name: str, record: Record) -> None:
        """Write the replay of a match, if there is a folder."""
        if self.folder is not None:
            replay.save(self.folder / f"{name}.jsonl", [record.replay])

    async def close(self) -> None:
        """End the matches that are played here; those in the folder go on with the next run."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._syncer.sync()
        if self._lock is not None:
            os.close(self._lock)
            self._lock, self.keeps = None, False

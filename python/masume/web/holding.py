"""The matches that people play on a page, from their beginning to their end, also over a restart of the page."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core import system
from ..core._state import State
from ..core.files import make_folder
from ..core.language import translate as _
from ..errors import ExtraError, MatchError, ReplayError
from ..game import Game
from ..http.limits import FullError, Shares
from ..play import lessons
from ..play.lessons import Attempt, make_opponent
from ..records import replay
from ..records.reading import load_fields, parsing
from ..records.replay import play_move
from ..referee.clients import NamedSeat
from ..referee.clock import TimeControl
from ..referee.match import Interrupted, Moment, Record, play_match
from ..referee.seat import AgentSeat, Seat
from ..referee.seats import make_seat
from ..render import escape_text
from . import journals
from .gallery import Gallery
from .journals import Journal, Kept, Syncer
from .match import Match, Playback, report
from .people import HaltedError

MAX_PLAYED = 100  # matches between people and agents at the same time
MAX_ASIDE = 1000  # matches that are set aside
LEFT_S = 600.0  # a match that nobody has looked at for so long is set aside
AWAY_S = 10.0  # a match that nobody has looked at for so long makes room for others
RETRY_S = 60.0  # until somebody tries again for whom there was no room, if all matches are looked at
ELSE = ""  # the share of matches of an earlier run
PEOPLE = ("me", "guest")


class Aside(NamedTuple):
    """A match that is set aside: for whose share it counts, what it is called, who has which seat, and if it is listed.

    A token opens a seat for as long as nobody else sits down there.
    """

    share: str | None
    game: str
    names: list[str]
    tokens: dict[str, int]
    is_listed: bool


class LessonOver(Exception):  # noqa: N818 - no fault of anybody
    """The outcome of a lesson is known, and nothing more is played."""


class Holding:
    """The matches that are played on a page.

    Parameters
    ----------
    gallery : Gallery
        Where they are shown, and whose folder keeps their replays and, once `resume` was called, their journals.
    """

    def __init__(self, gallery: Gallery) -> None:
        self.gallery = gallery
        self._tasks: dict[Match, asyncio.Task[None]] = {}
        self._shares, self._aside_shares = Shares(MAX_PLAYED), Shares(MAX_ASIDE)
        self._aside: dict[str, Aside] = {}  # by id, the one that was set aside longest ago first
        self._lock: int | None = None  # of the folder of journals
        self._syncer = Syncer()

    @property
    def _keeps(self) -> bool:
        """Whether matches go on after a restart."""
        return self._lock is not None

    # -- one match ---------------------------------------------------------------------------------

    def play(
        self,
        game: Game,
        seats: Sequence[str],
        names: Sequence[str],
        seed: int,
        control: TimeControl,
        recipe: dict[str, Any] | None = None,
        share: str | None = None,
        attempt: Attempt | None = None,
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
        share : str or None
            The address for whose share it counts; None: for none.
        attempt : Attempt, optional
            The lesson that is played: then every seat but those of people is that of its opponents.

        Whoever is "me" has sat down. Raises ConfigError if an agent is unknown, FullError if too many matches are
        played, HaltedError if nothing can be kept.
        """
        abandoned = self._find_abandoned(share)
        called = [name or seat for name, seat in zip(names, seats, strict=True)]
        match = Match(game, seed, called, Playback(), attempt=attempt)
        match.delay_s, match.recipe, match.share = self.gallery.playback.delay_s, recipe, share
        players: list[Seat] = []
        for player, (seat, name) in enumerate(zip(seats, names, strict=True)):
            is_person = seat in PEOPLE
            players.append(match.make_seat(player, name or _("guest")) if is_person else _seat_of(match, seat))
            if seat == "me":
                match.seats[player].sit_down("")
        if self._keeps:
            head = {
                "id": match.id, "game": game.name, "seed": seed, "names": match.names,
                "config": None if game.config is None else game.config.to_dict(),
                "seats": ["" if seat in PEOPLE else seat for seat in seats],
                "clock": dataclasses.asdict(control), "recipe": recipe or {},
            }  # fmt: skip
            try:
                match.journal = self._open_journal(match)
                match.journal.begin(head, match.now())
            except OSError as error:
                raise HaltedError(error.strerror or str(error)) from None
        if abandoned is not None:
            self._set_aside(abandoned)
        self._tidy()
        self._begin(match, players, control, None)
        return match

    def exhibit(self, game: Game, seats: Sequence[str], names: Sequence[str], seed: int, delay_s: float) -> Match:
        """Begin a match of agents for those who watch, which everybody may see and nobody keeps.

        Parameters
        ----------
        seats, names : sequence of str
            The agents and what they are called, by player.
        delay_s : float
            Seconds between two turns.
        """
        match = Match(game, seed, names, Playback(delay_s))
        match.is_open = True
        players = [make_seat(seat, game) for seat in seats]
        for player, name in zip(players, names, strict=True):
            player.name = name
        self._begin(match, players, TimeControl(), None)
        return match

    def _open_journal(self, match: Match) -> Journal:
        assert self.gallery.folder is not None
        journal = Journal(
            self.gallery.folder, match.id, self._syncer, lambda error: match.halt(error, journal.try_again)
        )
        return journal

    def _find_abandoned(self, share: str | None) -> Match | None:
        """Return the match that must make room for one of this share, if too many are played: the one left for longest.

        Raises FullError if there is none. One that somebody looks at makes room only if its address has more than its
        fair share, and it can go on later.
        """
        if share is None or self._shares.has_room(share):
            return None
        debtor = self._shares.debtor(share)
        among = debtor or self._shares.largest(share)
        # one that is over waits for room on the disk, and its journal is all that is left of it
        found = [match for match in self._tasks if match.share == among and not (match.is_over or match.halted)]
        is_firm = debtor is None or not self._keeps
        found = [match for match in found if not (is_firm and match.listeners)]
        oldest = min(found, key=lambda match: (bool(match.listeners), match.listeners.left_at), default=None)
        wait_s = RETRY_S
        if oldest is not None:
            patience = AWAY_S if self._keeps or debtor else LEFT_S
            wait_s = oldest.listeners.left_at + patience - time.monotonic()
            if wait_s <= 0 or not is_firm:
                return oldest
        raise FullError(_("too many matches are being played: try again in {seconds} s"), wait_s)

    def _tidy(self) -> None:
        """Set aside the matches that nobody has looked at for long, if they can go on later."""
        until = time.monotonic() - LEFT_S
        for match in list(self._tasks):
            is_left = not match.listeners and match.listeners.left_at <= until
            if match.journal and is_left and not (match.is_over or match.halted):
                self._set_aside(match)

    def _set_aside(self, match: Match) -> None:
        """End a match; what is kept of it goes on when somebody comes back."""
        self._release(match).cancel()
        match.set_aside()
        if match.journal is not None:
            tokens = {seat.token if seat.is_taken else seat.invitation: one for one, seat in match.seats.items()}
            aside = Aside(match.share, match.game.name, match.names, tokens, match.attempt is None)
            self._keep_aside(match.id, aside)
        self.gallery.forget(match)

    def _keep_aside(self, name: str, aside: Aside) -> None:
        """Keep what is set aside; close for good the oldest of who has the most, if there is no room."""
        if aside.share is not None:
            if not self._aside_shares.has_room(aside.share):
                largest = self._aside_shares.largest(aside.share)
                oldest = next(one for one, other in self._aside.items() if other.share == largest)
                self._take_back(oldest)
                self._path_of(oldest).unlink(missing_ok=True)
                text = _("{match}: too many matches are set aside, so the oldest one is closed")
                print(escape_text(text.format(match=oldest)), file=sys.stderr, flush=True)
            self._aside_shares.take(aside.share)
        self._aside[name] = aside

    def _take_back(self, name: str) -> None:
        aside = self._aside.pop(name)
        if aside.share is not None:
            self._aside_shares.give_back(aside.share)

    def find_aside(self, tokens: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
        """Return the id, the game and the names of each match set aside of whose seats these are secrets, by its id."""
        return [
            {"id": name, "game": aside.game, "names": aside.names}
            for name, aside in ((name, self._aside[name]) for name in tokens if name in self._aside)
            if aside.is_listed and not aside.tokens.keys().isdisjoint(tokens[name])
        ]

    def leave(self, match: Match) -> None:
        """End a match for good, and show it no longer: nobody wants to go on with it."""
        if match in self._tasks:
            self._release(match).cancel()
        match.set_aside()
        if match.journal is not None:
            match.journal.remove()
        self.gallery.forget(match)

    def _path_of(self, name: str) -> Path:
        assert self.gallery.folder is not None
        return self.gallery.folder / journals.FOLDER / f"{name}.jsonl"

    def find(self, name: str, share: str | None) -> Match | None:
        """Return a match by its id; one that was set aside goes on, for this share. FullError if it has no room."""
        if name in self._aside:
            abandoned = self._find_abandoned(share)
            self._take_back(name)
            try:
                self._resume(self._path_of(name), share)
            except (ReplayError, ExtraError, OSError) as error:  # something has happened to its file
                print(escape_text(_tell(error)), file=sys.stderr, flush=True)
                return None
            if abandoned is not None:
                self._set_aside(abandoned)
        return self.gallery.found.get(name)

    def find_seat(self, token: str) -> tuple[str, int] | None:
        """Return the id of the match and the player of the seat that a link opens."""
        for match in self.gallery.found.values():
            for player, seat in match.seats.items():
                if seat.opens_to(token):
                    return match.id, player
        return next(((name, aside.tokens[token]) for name, aside in self._aside.items() if token in aside.tokens), None)

    def _release(self, match: Match) -> asyncio.Task[None]:
        """Count a match no longer as played; return its task."""
        if match.share is not None:
            self._shares.give_back(match.share)
        return self._tasks.pop(match)

    def _begin(self, match: Match, seats: Sequence[Seat], control: TimeControl, begun: Interrupted | None) -> None:
        """Show a match, and play it in a task."""
        self.gallery.add(match)
        task = asyncio.get_running_loop().create_task(self._play_to_end(match, seats, control, begun))
        self._tasks[match] = task
        if match.share is not None:
            self._shares.take(match.share)
        task.add_done_callback(lambda _task: match in self._tasks and self._release(match))

    async def _play_to_end(
        self, match: Match, seats: Sequence[Seat], control: TimeControl, begun: Interrupted | None
    ) -> None:
        """Play a match to its end, whatever happens: whoever watches learns of it."""
        try:
            record = await _referee(match, seats, control, begun)
            if match.attempt is not None:
                raise LessonOver
            match.finish(record.replay)
            if match.is_open:
                return
            save = functools.partial(self._save, match.id, record)
            try:
                await asyncio.to_thread(save)
            except OSError as error:
                match.halt(error, save)
                await match.able.wait()
        except LessonOver:
            match.finish_lesson()
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

    def _save(self, name: str, record: Record) -> None:
        """Write the replay of a match, if there is a folder."""
        if self.gallery.folder is not None:
            replay.save(self.gallery.folder / f"{name}.jsonl", [record.replay])

    # -- from one run of the page to the next ------------------------------------------------------

    def resume(self) -> list[str]:
        """Go on with the matches of an earlier run; return what could not be read, a line for each.

        From then on matches are kept in the folder so that a later run can go on with them.
        """
        if self.gallery.folder is None:
            return []
        folder = self.gallery.folder / journals.FOLDER
        try:
            self._lock = system.lock_folder(make_folder(folder, 0o700))
        except BlockingIOError:
            return [_("{folder}: another page uses it; matches end with this page").format(folder=folder)]
        except OSError as error:
            template = _("{path}: {error}; matches end with this page")
            return [template.format(path=folder, error=error.strerror)]
        troubles = []
        paths = sorted((path for path in folder.glob("*.jsonl") if path.is_file()), key=os.path.getmtime)
        for number, path in enumerate(paths, MAX_PLAYED - len(paths)):
            try:
                if path.stem in self.gallery.found:  # it was over, and its replay is kept
                    path.unlink()
                elif number < 0:
                    kept = journals.read(path)
                    is_listed = "lesson" not in kept.head["recipe"]
                    aside = Aside(ELSE, kept.head["game"], kept.head["names"], _tokens_of(kept), is_listed)
                    self._keep_aside(path.stem, aside)
                else:
                    self._resume(path, ELSE)
            except (ReplayError, ExtraError, OSError) as error:  # also a match of another version of masume
                troubles.append(_tell(error))
        return troubles

    def _resume(self, path: Path, share: str | None) -> None:
        kept = journals.read(path)
        head, now, begun = kept.head, kept.now, kept.begun
        with parsing(str(path)):
            if head["id"] != path.stem:  # a copy; two matches may not share their seats
                raise ReplayError(f"id: expected {path.stem}, got {head['id']:.60}")
            game = load_fields(head["game"], head["config"] or {})
            pace = Playback(now["delay_ms"] / 1000)
            match = Match(game, head["seed"], head["names"], pace, name=path.stem, attempt=_attempt_of(kept, game))
            match.recipe = head["recipe"]
            state = _play_again(match.first, begun)
            control = TimeControl(**head["clock"])
            seats = _seat_again(match, kept, state)
        for player, seat in match.seats.items():
            match.names[player] = seat.name
        match.is_paused, match.share = now["paused"], share
        match.journal = self._open_journal(match)
        match.journal.go_on(len(begun.moves), match.now())
        match.go_on(begun.moves)
        self._begin(match, seats, control, begun)

    async def close(self) -> None:
        """End the matches that are played here; those in the folder go on with the next run."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._syncer.sync()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


async def _referee(match: Match, seats: Sequence[Seat], control: TimeControl, begun: Interrupted | None) -> Record:
    """Return the record of a match that the referee plays; every move is kept before anybody sees it."""

    def call(function: Callable[..., Any], *arguments: Any) -> None:
        function(*arguments)

    follow = match.follower(call)

    async def keep_and_follow(moment: Moment) -> None:
        await match.keep_moves(moment.moves, moment.ms)
        await follow(moment)
        if match.is_decided:
            raise LessonOver

    start = None if match.attempt is None else match.first
    try:
        record = await play_match(
            match.game, seats, match.seed, control, follow=keep_and_follow, begun=begun, start=start
        )
    finally:
        await asyncio.gather(*(seat.close() for seat in seats))
    if not record.is_played:
        raise MatchError(record.faults[-1].detail)
    return record


def _tell(error: Exception) -> str:
    template = _("this match cannot go on, and its file stays as it is: {error}")
    return template.format(error=str(error).partition("\n")[0])


def _tokens_of(kept: Kept) -> dict[str, int]:
    seats = kept.now["seats"].items()
    return {token if is_taken else invitation: int(one) for one, (_name, token, invitation, is_taken) in seats}


def _seat_of(match: Match, name: str, moves: Sequence[Any] = ()) -> Seat:
    """Return the seat of an agent; in a lesson, that of its opponents after these moves, under this name."""
    if match.attempt is None:
        return make_seat(name, match.game)
    return NamedSeat(AgentSeat(make_opponent(match.attempt.lesson, match.game, moves)), name)


def _attempt_of(journal: Kept, game: Game) -> Attempt | None:
    """Return the lesson of a journal, at its beginning; ReplayError if it is played on another game now."""
    if "lesson" not in journal.head["recipe"]:
        return None
    lesson = lessons.find_lesson(game.name, journal.head["recipe"]["lesson"])
    if lessons.game_of(game.name, lesson) != game:
        raise ReplayError(f"lesson: {lesson.name}: it is played on another board now")
    return Attempt(lesson, game)


def _play_again(start: State, begun: Interrupted) -> State:
    """Return the position after the moves of a journal; ReplayError for times that are not those of its players."""
    state, game = start.clone(), start.game
    for number, (move, used) in enumerate(zip(begun.moves, begun.ms, strict=True)):
        if isinstance(used, list) != (game.is_simultaneous and used is not None):
            raise ReplayError(f"ms: expected {'one for each player' if game.is_simultaneous else 'a number'}")
        if isinstance(used, list) and len(used) != game.num_players:
            raise ReplayError(f"ms: expected {game.num_players} numbers, got {len(used)}")
        play_move(state, move, begun.moves[:number][-1:])
    return state


def _seat_again(match: Match, journal: Kept, state: State) -> list[Seat]:
    """Return the seats of a journal: agents anew, people with their secrets and what they had answered."""
    if len(journal.head["seats"]) != match.game.num_players:
        raise ReplayError(f"seats: expected {match.game.num_players}, got {len(journal.head['seats'])}")
    seats: list[Seat] = []
    for player, name in enumerate(journal.head["seats"]):
        if name:
            seats.append(_seat_of(match, name, journal.begun.moves))
            continue
        seat = match.make_seat(player, "")
        seat.name, seat.token, seat.invitation, seat.is_taken = journal.now["seats"][str(player)]
        if seat.is_taken:
            seat.sat_down.set()
        if player in journal.answers:
            answer = journal.answers[player]
            seat.note_answer(answer["ask"], answer["nonce"])
            seat.given = journals.rest_of(answer, journal.begun, state)
        seats.append(seat)
    return seats

"""The organiser's desk: words from a terminal or a page become steps of the contest, one after the other."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import dataclasses
import functools
import shlex
import shutil
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, assert_never

from ..agents.names import distinct, split_name
from ..core.language import LANGUAGES, language, speaking
from ..core.language import translate as _
from ..core.tables import table
from ..errors import ConfigError, ConfigTypeError, MatchError, ReplayError
from ..pairings.tables import NOBODY, Fixture
from ..play.pairing import Show
from ..referee.clients import Venue
from ..referee.match import Record
from . import orders, words
from .events import Attended, Change, Confirmed, Entered, HandedIn, Played, StageDrawn
from .exchange import write_csv, write_zip
from .kept import Contest
from .orders import (
    Advance,
    Attend,
    Automate,
    Confirm,
    Continue,
    Decide,
    Draw,
    Enter,
    HandIn,
    Order,
    Pause,
    Prepare,
    Replay,
    ShowScreen,
    Start,
    Stop,
    Undo,
)
from .plan import check_name
from .programs import adopt
from .runner import check_play, is_client, kinds_of_play, make_accounts, name_of, play_match, try_play
from .state import LOT, State
from .steps import ChooseAdvancing, ConfirmResult, DecideTie, DrawStage, FillIn, Over, PlayMatch
from .together import play_together

Result = TypeVar("Result")
MAX_REPLAYS = 3
MAX_NEWS = 8
OUT = "out"
Told = str | Callable[[], str]
"""A line for people, or what makes it in the language that is spoken where it is called."""


class Refused(Exception):  # noqa: N818 - an answer to the organiser
    """What was asked is not possible now; the text says why."""


@dataclasses.dataclass(frozen=True)
class Pauses:
    """Seconds that autoplay shows the table, a pairing and a result, for the hall."""

    table_s: float = 0.0
    pairing_s: float = 0.0
    result_s: float = 0.0


class Desk:
    """The organiser's desk.

    Parameters
    ----------
    contest : Contest
        The contest.
    say : callable
        Called with each line for the organiser.
    show : Show, optional
        Where games are shown.
    pauses : Pauses, optional
        Pauses of autoplay.
    on_change : callable, optional
        Called after each change, for pages.
    jobs : int, optional
        Number of matches that autoplay plays at once, without `show`. Default 1.

    Attributes
    ----------
    prepared : str or None
        The match that is on the wall: the next "next" starts it.
    playing : str or None
        The match that is played now.
    is_auto : bool
        Whether autoplay runs.
    is_left : bool
        Whether the organiser has left the desk.
    news : list of dict
        The last lines for the organiser, each by language.
    trouble : dict or None
        Why the last thing that lasts, such as a match, was not done, by language.
    screen : ShowScreen
        What the hall's screen shows.
    changes : int
        How often something has changed.
    """

    def __init__(
        self, contest: Contest, say: Callable[[str], None] = print, show: Show | None = None,
        pauses: Pauses | None = None, on_change: Callable[[], None] = lambda: None, jobs: int = 1,
    ) -> None:  # fmt: skip
        self.contest, self._say, self._show, self.jobs = contest, say, show, jobs
        self._pauses, self._on_change = pauses or Pauses(), on_change
        self.prepared: str | None = None
        self.playing: str | None = None
        self.is_auto = self.is_left = False
        self.news: list[dict[str, str]] = []
        self.trouble: dict[str, str] | None = None
        self.screen = ShowScreen()
        self.changes = self._num_said = 0
        self._context = contextvars.copy_context()  # the language of the terminal
        self._map: str | None = None  # of the match that is played
        self._task: asyncio.Task[Any] | None = None
        self._venue: Venue | None = None
        self._asked: tuple[int, ...] = ()
        self._turn = asyncio.Lock()  # one order after the other
        self._lasting: asyncio.Task[str | None] | None = None
        self._is_paused = asyncio.Event()

    def attend(self, show: Show, pauses: Pauses, on_change: Callable[[], None]) -> None:
        """Show games from now on, with pauses of autoplay, and report changes."""
        self._show, self._pauses, self._on_change = show, pauses, on_change

    async def open(self) -> None:
        """Open the server of the game's clients, if entries need it; make the accounts that they lack."""
        plan, entries = self.contest.plan, self.state.entries.values()
        if plan.venue is None or not any(is_client(entry.play) for entry in entries):
            return
        path = make_accounts(plan, entries)
        if path is not None:
            self.say(lambda: _("new tokens of players are in {path}: give each team its own").format(path=path))
        if self._venue is None:
            venue = plan.venue(plan.venue_settings(), self.say)
            await venue.open()
            self._venue = venue

    async def close(self) -> None:
        """End what a page has begun, and close that server."""
        if self._lasting is not None:
            self.stop()
            await asyncio.gather(self._lasting, return_exceptions=True)
        venue, self._venue = self._venue, None
        if venue is not None:
            await venue.close()

    def say(self, line: Told) -> None:
        """Tell the organiser a line, which is news."""
        self.news = [*self.news[1 - MAX_NEWS :], _in_all_languages(line)]
        self._num_said += 1
        self._print(line)
        self._note()

    def _print(self, line: Told) -> None:
        """Tell a line that is no news, in the language of the terminal."""
        self._say(self._context.run(_in_words, line))

    def _note(self) -> None:
        self.changes += 1
        self._on_change()

    @property
    def stamp(self) -> str:
        """What an order from a page must have seen: it changes with all that decides what the order does."""
        return f"{len(self.contest.journal.lines)} {self.prepared} {self.playing} {self.is_auto}"

    def to_dict(self) -> dict[str, Any]:
        """Return what pages show of the desk, as plain JSON types: the phase, the match, its map and its sides."""
        step, stage = self.state.step(), self.state.stage
        phase = "table"
        match: str | None = None
        if self.playing is not None:
            phase, match = "game", self.playing
        elif isinstance(step, ConfirmResult | DecideTie):
            phase, match = "result", step.match.id
        elif isinstance(step, Over):
            phase = "over"
        elif self.prepared is not None:
            phase, match = "pairing", self.prepared
        located = None if match is None else self.state.find(match)
        map_name, seats = None, list[list[int]]()
        if located is not None and stage is not None:
            attempts = self.state.played.get(located[1].id, [])
            attempt = max(0, len(attempts) - (phase == "result"))
            map_name, _seed = self.contest.plan.start(stage.name, located[1], attempt)
            if phase == "result":
                map_name = attempts[-1].map
            elif phase == "game":
                map_name = self._map
            seats = [list(order) for order in self.contest.plan.orders(stage.name, located[1], attempt)]
        return {
            "phase": phase, "match": match, "map": map_name, "orders": seats, "is_auto": self.is_auto,
            "screen": {"screen": self.screen.screen, "text": self.screen.text}, "desk": self._to_organiser(),
        }  # fmt: skip

    @functools.cached_property
    def _kinds(self) -> tuple[str, ...]:
        return kinds_of_play(self.contest.plan)

    def _to_organiser(self) -> dict[str, Any]:
        """Return what only the organiser sees: the news, and what may be chosen."""
        spoken, last = language(), next(reversed(self.contest.counting.values()), None)
        return {
            "seen": self.stamp, "news": [told[spoken] for told in self.news],
            "trouble": self.trouble[spoken] if self.trouble else "",
            "next": words.step_line(self.state, is_typed=False),
            "undo": "" if last is None else self.describe(last), "maps": self.contest.plan.all_maps,
            "why_not_late": words.why_not_late(self.state), "places": words.places(self.state),
            "plays": {number: entry.play for number, entry in self.state.entries.items()},
            "kinds": self._kinds, "python": "python" if shutil.which("python") else "python3",
        }  # fmt: skip

    @property
    def state(self) -> State:
        """The state of the contest."""
        return self.contest.state

    async def do(self, line: str) -> bool:
        """Do what a line says; an empty one is "next". Return whether it was possible; problems are told."""
        async with self._turn:
            trouble = await self._attempt(lambda: self._read(line))
            for line in (trouble or "").splitlines():
                self.say(line)
        return trouble is None

    def _read(self, line: str) -> Order | None:
        """Return the order that a line gives; None if the line is about the terminal, and done."""
        said, *given = shlex.split(line) or ["next"]
        if said not in WORDS:
            raise Refused(_("{word}: no such word; `help` lists them").format(word=said))
        return WORDS[said].read(self, given)

    async def _attempt(self, read: Callable[[], Order | None]) -> str | None:
        """Carry out the order that `read` returns; return why it was not possible, None if it was."""
        try:
            order = read()
            if order is not None:
                await self._carry_out(order)
        except MatchError as error:
            return f"{error}\n" + _("nothing was played: start the match again, or mark an entry as absent")
        except OSError as error:
            template = _("{path}: {why}: this step is not kept; do it again when it can be written")
            return template.format(path=error.filename, why=error.strerror)
        except (Refused, ConfigError, ConfigTypeError, ReplayError, ValueError) as error:
            return str(error)
        finally:
            self._note()
        return None

    async def take(self, order: Order, seen: str) -> dict[str, Any]:
        """Do what a page orders; return when it is done, or begun if it lasts.

        Parameters
        ----------
        order : Order
            The order.
        seen : str
            The `stamp` that the page showed to the organiser: an order that depends on what comes next is refused if
            that has changed since.

        Returns
        -------
        dict
            "said": lines for the organiser. "gone": for an `Undo` that names no events, what it would take back, as
            pairs of number and text; nothing has happened then.

        Raises
        ------
        Refused
            If it is not possible; the text says why, and what to do.
        """
        match order:
            case Stop() if order.match != self.playing:
                raise Refused(_("this match is not played any more: nothing was stopped"))
            case Stop():
                self.stop()
            case Pause():
                self.pause()
            case ShowScreen():
                self._show_screen(order)
            case Undo(gone=()):
                try:
                    gone = self.contest.depends(self.contest.last_of(order.match))
                except ConfigError:
                    raise Refused(_("there is nothing to take back")) from None
                return {"gone": [[number, self.describe(change)] for number, change in gone.items()]}
            case _:
                return await self._take_turn(order, seen)
        self._note()
        return {"said": []}

    async def _take_turn(self, order: Order, seen: str) -> dict[str, Any]:
        """Do an order that must wait for no other."""
        if self._turn.locked():
            if self.is_auto:
                raise Refused(_("autoplay is on: stop it first"))
            if self.playing is not None:
                raise Refused(_("a match is played: do this when it is over, or stop it"))
            raise Refused(_("the desk is busy with the order before: wait a moment, then press again"))
        if (
            isinstance(order, Draw | Prepare | Start | Confirm | Decide | Replay | Advance | Automate)
            and seen != self.stamp
        ):
            raise Refused(_("the contest has gone on since you looked: look at what comes next, then press again"))
        await self._turn.acquire()
        self.trouble, before = None, self._num_said
        self._lasting = asyncio.create_task(self._hold(order))
        if isinstance(order, Start | Replay | Automate):
            await asyncio.sleep(0)  # until it waits for the match, or is refused
        else:
            await asyncio.wait([self._lasting])
        trouble = self._lasting.result() if self._lasting.done() else None
        news = self.news[-min(MAX_NEWS, self._num_said - before) :] if self._num_said > before else []
        said = [told[language()] for told in news]
        if trouble is not None:
            self.trouble = None  # the answer says it
            raise Refused("\n".join([*said, trouble]))
        return {"said": said}

    async def _hold(self, order: Order) -> str | None:
        """Carry out an order whose turn it is, and end the turn; return why it was not possible."""
        try:
            trouble = await self._attempt(lambda: order)
        finally:
            self._turn.release()
        if trouble is not None:
            self.trouble = dict.fromkeys(LANGUAGES, trouble)
            self._print(trouble)
            self._note()
        return trouble

    async def _carry_out(self, order: Order) -> None:
        match order:
            case Continue():
                await self._next()
            case Draw():
                self._draw_by(order)
            case Prepare():
                self._prepare(order.match)
            case Start():
                await self._start(order.match)
            case Stop():
                self.stop()
            case Pause():
                self.pause()
            case Confirm():
                self._confirm()
            case Decide():
                self._decide(order.winner, order.why)
            case Replay():
                await self._replay(order.map)
            case Advance():
                self._advance(order.entries)
            case Undo():
                self._undo(order)
            case Attend():
                self._attend(order)
            case Enter():
                await self._enter(order.name, order.play)
            case HandIn():
                await self._hand_in(order.entry, order.play)
            case Automate():
                await self._automate()
            case ShowScreen():
                self._show_screen(order)
            case _:
                assert_never(order)

    def stop(self) -> None:
        """End autoplay, and the match that is played, which is then not kept."""
        self.pause()
        if self._task is not None:
            self._task.cancel()

    def pause(self) -> None:
        """End autoplay after the match that is played."""
        self.is_auto = False
        self._is_paused.set()

    def leave(self) -> None:
        """Leave the desk."""
        self.is_left = True

    def tell_step(self) -> None:
        """Tell what comes next, at the terminal: pages show it."""
        self._print(lambda: words.step_line(self.state))
        self._note()

    def _show_screen(self, order: ShowScreen) -> None:
        """Choose what the hall sees."""
        if order.screen == orders.TEXT and not order.text.strip():
            raise Refused(_("the hall's text is empty: write one"))
        if len(order.text) > orders.MAX_TEXT:
            raise Refused(_("the hall's text has more than {count} letters").format(count=orders.MAX_TEXT))
        self.screen = order

    # -- the next step ---------------------------------------------------------------------------------

    def _do_and_tell(self, change: Change) -> None:
        self.contest.do(change)
        self.tell_step()

    async def _next(self) -> None:
        step = self.state.step()
        match step:
            case DrawStage():
                self._draw(step.entries)
            case PlayMatch() if self.prepared != step.match.id:
                self._prepare()
            case PlayMatch():
                await self._start()
            case ConfirmResult():
                self._confirm()
            case _:
                self.tell_step()

    def _draw(self, entries: Sequence[int]) -> None:
        self._do_and_tell(StageDrawn(len(self.state.stages), list(entries)))

    def _draw_by(self, order: Draw) -> None:
        """Draw the next stage, by lot or in an order."""
        step = self.state.step()
        if not isinstance(step, DrawStage):
            raise Refused(words.step_line(self.state))
        if sorted(order.entries or step.entries) != sorted(step.entries):
            raise Refused(_("the draw needs each of these entries once: {entries}").format(
                entries=" ".join(map(str, sorted(step.entries)))
            ))  # fmt: skip
        self._draw(self.state.drawn_by_lot(step.entries) if order.is_by_lot else order.entries or step.entries)
        if order.is_by_lot:
            self.say(lambda: _("drawn by lot"))

    def _prepare(self, name: str | None = None) -> None:
        """Show the next pairing, or that of another match, on the wall."""
        match, stage = self._match(name), self.state.stage
        assert stage is not None
        self.prepared = match.id
        map_name, _seed = self.contest.plan.start(stage.name, match, len(self.state.played.get(match.id, ())))

        def tell() -> str:
            told = words.pairing(self.state, stage, match)
            return told + (_(", map {map}").format(map=map_name) if map_name else "") + _("; `start` begins it")

        self._print(tell)

    def _match(self, name: str | None) -> Fixture:
        """Return the match of this id, or the next one; raise Refused if it cannot be played now."""
        step, stage = self.state.step(), self.state.stage
        if name is not None:
            found = {match.id: match for match in self.state.waiting(stage)} if stage else {}
            if name not in found or not found[name].is_known:
                raise Refused(_("{match} cannot be played now").format(match=name))
            if self.state.missing(found[name]):
                raise Refused(_("{match}: a program is missing").format(match=name))
            return found[name]
        if not isinstance(step, PlayMatch | DecideTie):
            raise Refused(words.step_line(self.state))
        return step.match

    async def _start(self, name: str | None = None) -> None:
        match = self._match(name or self.prepared)
        if match.id in self.state.played and not isinstance(self.state.step(), DecideTie):
            raise Refused(words.step_line(self.state))
        await self._play(match)

    async def _replay(self, map_name: str | None) -> None:
        step = self.state.step()
        if not isinstance(step, DecideTie):
            raise Refused(words.step_line(self.state))
        if map_name is not None and map_name not in self.contest.plan.all_maps:
            maps = ", ".join(self.contest.plan.all_maps)
            raise Refused(_("{map}: no map of this contest; its maps: {maps}").format(map=map_name, maps=maps or "-"))
        await self._play(step.match, map_name)

    async def _play(self, match: Fixture, map_name: str | None = None) -> None:
        """Play a match; None: on the map of the plan."""
        stage = self.state.stage
        assert stage is not None
        planned, _seed = self.contest.plan.start(stage.name, match, len(self.state.played.get(match.id, ())))
        self.prepared, self.playing, self._map = None, match.id, map_name or planned
        self.screen = ShowScreen()
        self._note()
        try:
            records = await self._until_stopped(
                play_match(self.contest, match, self.say, self._show, self._venue, self._map)
            )
        finally:
            self.playing = self._map = None
        self._tell_faults(records)
        self.tell_step()

    async def _until_stopped(self, playing: Coroutine[Any, Any, Result]) -> Result:
        """Return what comes of playing; raise Refused if it is stopped."""
        self._task = asyncio.create_task(playing)
        try:
            return await asyncio.shield(self._task)
        except asyncio.CancelledError:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            this = asyncio.current_task()
            if this is not None and this.cancelling():
                raise
            raise Refused(_("the match was stopped: nothing of it is kept")) from None
        finally:
            self._task = None

    async def _play_together(self) -> None:
        """Play matches side by side and confirm them, until one is tied or something else is to be done."""

        def keep(played: Played, records: Sequence[Record]) -> bool:
            self.contest.do(played)
            self._tell_faults(records)
            if isinstance(self.state.step(), ConfirmResult):
                self._confirm()
            return self.is_auto and not isinstance(self.state.step(), DecideTie)

        await self._until_stopped(play_together(self.contest, self.jobs, self.say, self._venue, keep))

    def _tell_faults(self, records: Sequence[Record]) -> None:
        for number, record in enumerate(records, 1):
            for who, ply, cause, detail, log in record.faults:
                values = {"number": number, "name": record.replay.names[who], "move": ply + 1, "detail": detail}

                def tell(values: dict[str, Any] = values, cause: str = cause) -> str:
                    told = _("game {number}: {name}, move {move}: {cause}: {detail}")
                    return "  " + told.format(cause=_(cause), **values)

                self.say(tell)
                for line in log.splitlines():
                    self.say("    " + line)

    def _confirm(self) -> None:
        step = self.state.step()
        if not isinstance(step, ConfirmResult):
            raise Refused(words.step_line(self.state))
        self._do_and_tell(Confirmed(step.match.id, None, ""))

    def _decide(self, winner: int | None, why: str) -> None:
        """Decide a match for an entry, by lot (None), or against both."""
        step = self.state.step()
        if not isinstance(step, DecideTie | ConfirmResult):
            raise Refused(words.step_line(self.state))
        if winner is None:
            winner, why = self.state.lot(step.match), LOT
        if winner not in (*step.match.entries, NOBODY):
            raise Refused(_("{name} does not play in {match}").format(name=winner, match=step.match.id))
        if not why.strip():
            raise Refused(_("a decision needs a reason"))
        self._do_and_tell(Confirmed(step.match.id, winner, why.strip()[: orders.MAX_WHY]))

    def _advance(self, named: Sequence[int]) -> None:
        """Confirm who advances: those who are sure, and of those tied at the line the ones that are named."""
        step = self.state.step()
        if isinstance(step, DrawStage):
            self._draw(step.entries)
            return
        if not isinstance(step, ChooseAdvancing):
            raise Refused(words.step_line(self.state))
        chosen = [*step.sure, *(number for number in named if number not in step.sure)]
        if len(chosen) != step.places:
            left = [f"{number} {name_of(self.state, number)}" for number in step.tied if number not in chosen]
            template = (
                _("{number} more must advance, of {names}")
                if len(chosen) < step.places
                else _("too many advance: {places} places are left for those who are tied")
            )
            raise Refused(
                template.format(
                    number=step.places - len(chosen), names=", ".join(left), places=step.places - len(step.sure)
                )
            )
        self._draw(self.state.seeds(chosen))

    # -- taking back -----------------------------------------------------------------------------------

    def _undo(self, order: Undo) -> None:
        """Take back the last step, or a match; what depends on it goes only if the organiser has seen that it will."""
        numbers = self.contest.last_of(order.match)
        gone = self.contest.depends(numbers)
        if order.gone and tuple(gone) != order.gone:
            raise Refused(_("the contest has gone on since you looked: look at what comes next, then press again"))
        if not order.gone and len(gone) > len(numbers) and tuple(gone) != self._asked:
            self._asked = tuple(gone)
            for change in gone.values():
                self._print("  " + self.describe(change))
            raise Refused(_("this undoes all of the above; repeat `undo` to confirm"))
        what = [_in_all_languages(functools.partial(self.describe, change)) for change in gone.values()]
        self.contest.undo(numbers)
        self._asked, self.prepared = (), None
        self.say(lambda: _("taken back: {what}").format(what="; ".join(one[language()] for one in what)))
        self.tell_step()

    def describe(self, change: Change) -> str:
        """Return a change as people say it."""
        match change:
            case Played():
                return _("match {match} played").format(match=change.match)
            case Confirmed():
                return _("result of {match} confirmed").format(match=change.match)
            case StageDrawn():
                return _("draw of the {stage}").format(stage=_(words.STAGES[self.contest.plan.stages[change.stage]]))
            case Entered():
                return _("late entry {name}").format(name=change.name)
            case HandedIn():
                return _("program of {name}").format(name=name_of(self.state, change.number))
            case Attended():
                template = _("{name} absent") if change.is_absent else _("{name} is here")
                return template.format(name=name_of(self.state, change.number))
            case _:
                assert_never(change)

    # -- entries ---------------------------------------------------------------------------------------

    def number(self, given: Sequence[str]) -> int:
        """Return the number of the entry that the first of these words names, by number or name."""
        if not given:
            raise Refused(_("expected the number of an entry"))
        text, entries = given[0], self.state.entries
        if text.isdecimal() and len(text) < 6 and int(text) in entries:
            return int(text)
        for entry in entries.values():
            if entry.name == text:
                return int(entry.number)
        raise Refused(_("{text}: no entry has this number or name").format(text=text))

    def _name(self, number: int) -> str:
        if number not in self.state.entries:
            raise Refused(_("{text}: no entry has this number or name").format(text=number))
        return name_of(self.state, number)

    def _attend(self, order: Attend) -> None:
        name = self._name(order.entry)
        if (order.entry in self.state.absent) == order.is_absent:
            raise Refused(self.describe(Attended(order.entry, order.is_absent)))
        try:
            self.contest.do(Attended(order.entry, order.is_absent))
        except ConfigError:
            raise Refused(_("{name}: matches were played since: take them back first").format(name=name)) from None
        if order.is_absent:
            self.say(lambda: _("{name} is absent: its other matches are walkovers").format(name=name))
        else:
            self.say(lambda: _("{name} is here").format(name=name))
        self.tell_step()

    async def _enter(self, name: str, play: str) -> None:
        """Add an entry; `play` is "" if its program comes later."""
        if not self.state.takes_entries:
            raise Refused(words.why_not_late(self.state))
        if not name.strip():
            raise Refused(_("the entry needs a name"))
        name = distinct([*(entry.name for entry in self.state.entries.values()), check_name(name)])[-1]
        number = len(self.state.entries) + 1
        self.contest.do(Entered(number, name, *await self._adopt(number, play)))
        self.say(lambda: _("{name} has the number {number}").format(name=name, number=number))
        await self.open()

    async def _hand_in(self, number: int, play: str) -> None:
        name = self._name(number)
        for match in self.state.unconfirmed():
            if number in match.entries:
                raise Refused(_("{name}: programs are not exchanged during a match: confirm {match} first").format(
                    name=name, match=match.id
                ))  # fmt: skip
        self.contest.do(HandedIn(number, *await self._adopt(number, play)))
        self.say(lambda: _("{name} plays with {play}").format(name=name, play=play or "-"))
        await self.open()
        self.tell_step()

    async def _adopt(self, number: int, play: str) -> tuple[str, str]:
        """Return what plays for an entry, its files copied into the contest's folder, and their SHA-256.

        Raise Refused if it cannot be started.
        """
        kept, digest = adopt(self.contest.folder, number, check_play(self.contest.plan, play))
        lines = await try_play(self.contest.plan, kept)
        for line in lines:
            self.say(line)
        if lines:
            raise Refused(_("nothing was handed in"))
        return kept, digest

    # -- all by itself ---------------------------------------------------------------------------------

    async def _automate(self) -> None:
        """Go on alone until the end, a tie at the line, a missing program, or `stop`."""
        self.is_auto = True
        self._is_paused.clear()
        self._note()
        try:
            while self.is_auto:
                step = self.state.step()
                match step:
                    case DrawStage():
                        self._draw(step.entries)
                    case PlayMatch() if self.jobs > 1:
                        await self._play_together()
                    case PlayMatch():
                        await self._wait(self._pauses.table_s)
                        if self.is_auto:
                            self._prepare()
                            self._note()
                            await self._wait(self._pauses.pairing_s)
                        if self.is_auto:
                            await self._play(step.match)
                            await self._wait(self._pauses.result_s)
                    case ConfirmResult():
                        self._confirm()
                    case DecideTie() if len(self.state.played[step.match.id]) <= MAX_REPLAYS:
                        await self._play(step.match)
                    case DecideTie():
                        self._decide(None, "")
                    case ChooseAdvancing() | FillIn() | Over():
                        break
                    case _:
                        assert_never(step)
        finally:
            self.is_auto = False
            self._note()
        if not self.state.is_over:
            self.tell_step()

    async def _wait(self, seconds: float) -> None:
        """Wait, but not longer than autoplay runs."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_paused.wait()

    # -- what there is ---------------------------------------------------------------------------------

    def list_lines(self, lines: Iterable[str]) -> None:
        """Print lines that are not news."""
        for line in lines:
            self._print(line)

    def list_words(self) -> None:
        """Print the words of the desk."""
        self.list_lines(f"{word.usage:22} {_(word.help)}" for word in WORDS.values())

    def list_entries(self) -> None:
        """Print the entries and what plays for them."""
        for entry in self.state.entries.values():
            note = _(" (absent)") if entry.number in self.state.absent else ""
            self._print(f"{entry.number:4}  {entry.name}{note}  {entry.play or _('no program yet')}")

    def tell_written(self, paths: Iterable[Path]) -> None:
        """Tell what was written."""
        for path in paths:
            self.say(_("written: {path}").format(path=path))


def lines_of(state: State) -> list[str]:
    """Return tables and results of a contest as lines."""

    lines = []
    for stage in state.stages:
        rows = words.table_rows(state, stage)
        lines += ["", _(words.STAGES[stage.name]).upper()]
        heads = {name: _(words.HEADS.get(name, words.PARTS.get(name, name))) for name in rows[0]}
        lines += table([row.values() for row in rows], list(heads.values())).split("\n")
        found = [[row["match"], row["title"], row["names"], row["result"]] for row in words.match_rows(state, stage)]
        if found:
            lines += ["", *table(found, [_("match"), _("what"), _("who"), _("result")]).split("\n")]
    return [*lines, "", *filter(None, [words.lots_line(state)]), words.step_line(state)]


def _in_words(line: Told) -> str:
    return line if isinstance(line, str) else line()


def _in_all_languages(line: Told) -> dict[str, str]:
    told = {}
    for name in LANGUAGES:
        with speaking(name):
            told[name] = _in_words(line)
    return told


# -- words of the terminal -----------------------------------------------------------------------------


def _first(given: Sequence[str]) -> str | None:
    return given[0] if given else None


def _join(given: Sequence[str]) -> str:
    """Return words as one, those with spaces in quotes again if they are not all."""
    return given[0] if len(given) == 1 else " ".join(shlex.quote(one) if " " in one else one for one in given)


def _read_late(_desk: Desk, given: Sequence[str]) -> Order:
    if not given:
        raise Refused(_("expected NAME=PROGRAM"))
    name, play = split_name(_join(given))
    return Enter(play) if name is None else Enter(name, play)


def _read_draw(desk: Desk, given: Sequence[str]) -> Order:
    if _first(given) == LOT:
        return Draw(is_by_lot=True)
    return Draw(tuple(desk.number([one]) for one in given))


def _read_decide(desk: Desk, given: Sequence[str]) -> Order:
    if not given:
        raise Refused(words.step_line(desk.state))
    who, why = given[0], " ".join(given[1:])
    if who == LOT:
        return Decide(None)
    winner = NOBODY if who == OUT else desk.number([who])
    if not why:
        raise Refused(_("a decision needs a reason: `decide {who} REASON`").format(who=who))
    return Decide(winner, why)


class Word(NamedTuple):
    """A word of the desk at the terminal.

    read : returns the order that it gives, with what follows the word; None if it is about the terminal, and done.
    usage, help : for people.
    """

    read: Callable[[Desk, Sequence[str]], Order | None]
    usage: str
    help: str


WORDS: dict[str, Word] = {
    "next": Word(lambda _desk, _given: Continue(), "(Enter), next", "the next step: draw, prepare, start, confirm"),
    "draw": Word(
        _read_draw, "draw [lot|NUMBER ...]", "draw the next stage: by lot, or with the entries in this order"
    ),
    "prepare": Word(
        lambda _desk, given: Prepare(_first(given)), "prepare [MATCH]", "show the next pairing, or another one"
    ),
    "start": Word(lambda _desk, given: Start(_first(given)), "start [MATCH]", "play it"),
    "confirm": Word(lambda _desk, _given: Confirm(), "confirm", "confirm the result"),
    "decide": Word(
        _read_decide, "decide NUMBER REASON", "decide a tied match; `decide out REASON`: both are out; `decide lot`"
    ),
    "replay": Word(
        lambda _desk, given: Replay(_first(given)), "replay [MAP]", "replay a tied match, on the next map or this one"
    ),
    "advance": Word(
        lambda desk, given: Advance(tuple(desk.number([one]) for one in given)), "advance NUMBER ...",
        "choose who advances among those tied at the line",
    ),
    "undo": Word(
        lambda _desk, given: Undo(_first(given)), "undo [MATCH]",
        "take back the last step, or a match with all that depends on it",
    ),
    "absent": Word(
        lambda desk, given: Attend(desk.number(given), is_absent=True), "absent NUMBER",
        "an entry does not play any more",
    ),
    "here": Word(
        lambda desk, given: Attend(desk.number(given), is_absent=False), "here NUMBER", "an absent entry is back"
    ),
    "late": Word(_read_late, "late NAME=PROGRAM", "one more entry"),
    "hand": Word(
        lambda desk, given: HandIn(desk.number(given), _join(given[1:]) if given[1:] else ""), "hand NUMBER PROGRAM",
        "a program is handed in, between matches",
    ),
    "auto": Word(lambda _desk, _given: Automate(), "auto", "go on alone; it stops where somebody has to decide"),
    "pause": Word(lambda _desk, _given: Pause(), "pause", "end auto after the match that is played"),
    "stop": Word(
        lambda _desk, _given: Stop(), "stop", "end auto and the match that is played now, of which nothing is kept"
    ),
    "table": Word(lambda desk, _given: desk.list_lines(lines_of(desk.state)), "table", "tables and results"),
    "entries": Word(lambda desk, _given: desk.list_entries(), "entries", "the entries"),
    "csv": Word(
        lambda desk, given: desk.tell_written(write_csv(desk.contest, *given[:1])), "csv [DIR]", "write results as CSV"
    ),
    "zip": Word(
        lambda desk, given: desk.tell_written([write_zip(desk.contest.folder, *given[:1])]), "zip [FILE]",
        "write the whole contest as a zip",
    ),
    "help": Word(lambda desk, _given: desk.list_words(), "help", "list the words"),
    "quit": Word(lambda desk, _given: desk.leave(), "quit", "leave; the same command goes on"),
}  # fmt: skip

"""The organiser's desk: words from a terminal or a page become steps of the contest, one after the other."""

from __future__ import annotations

import asyncio
import dataclasses
import shlex
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, assert_never

from ..agents.names import distinct, split_name
from ..core.language import translate as _
from ..core.tables import table
from ..errors import ConfigError, ConfigTypeError, MatchError, ReplayError
from ..pairings.tables import NOBODY, Fixture
from ..play.pairing import Show
from ..referee.clients import Venue
from ..referee.match import Record
from . import words
from .events import Attended, Change, Confirmed, Entered, HandedIn, Played, StageDrawn
from .exchange import write_csv, write_zip
from .kept import Contest
from .plan import check_name
from .programs import adopt
from .runner import check_play, is_client, make_accounts, name_of, play_match, try_play
from .state import State
from .steps import ChooseAdvancing, ConfirmResult, DecideTie, DrawStage, FillIn, Over, PlayMatch
from .together import play_together

Result = TypeVar("Result")
MAX_REPLAYS = 3
LOT, OUT = "lot", "out"


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
    news : list of str
        The last lines for the organiser.
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
        self.news: list[str] = []
        self.changes = 0
        self._task: asyncio.Task[Any] | None = None
        self._venue: Venue | None = None
        self._asked: tuple[int, ...] = ()

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
            self.say(_("new tokens of players are in {path}: give each team its own").format(path=path))
        if self._venue is None:
            venue = plan.venue(plan.venue_settings(), self.say)
            await venue.open()
            self._venue = venue

    async def close(self) -> None:
        """Close that server."""
        venue, self._venue = self._venue, None
        if venue is not None:
            await venue.close()

    def say(self, line: str) -> None:
        """Tell the organiser a line."""
        self.news = [*self.news[-7:], line]
        self._say(line)
        self._note()

    def _note(self) -> None:
        self.changes += 1
        self._on_change()

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
            attempt = max(0, len(self.state.played.get(located[1].id, ())) - (phase == "result"))
            map_name, _seed = self.contest.plan.start(stage.name, located[1], attempt)
            seats = [list(order) for order in self.contest.plan.orders(stage.name, located[1], attempt)]
        return {
            "phase": phase, "match": match, "map": map_name, "orders": seats, "is_auto": self.is_auto,
            "news": self.news,
        }  # fmt: skip

    @property
    def state(self) -> State:
        """The state of the contest."""
        return self.contest.state

    async def do(self, line: str) -> bool:
        """Do what a line says; an empty one is "next". Return whether it was possible; problems are told."""
        try:
            said, *words = shlex.split(line) or ["next"]
            if said not in WORDS:
                raise Refused(_("{word}: no such word; `help` lists them").format(word=said))
            done = WORDS[said].do(self, words)
            if done is not None:
                await done
        except MatchError as error:
            self.say(str(error))
            self.say(_("nothing was played: begin again with `start`, or `absent NUMBER`"))
            return False
        except OSError as error:
            template = _("{path}: {why}: this step is not kept; do it again when it can be written")
            self.say(template.format(path=error.filename, why=error.strerror))
            return False
        except (Refused, ConfigError, ConfigTypeError, ReplayError, ValueError) as error:
            self.say(str(error))
            return False
        finally:
            self._note()
        return True

    def stop(self) -> None:
        """End autoplay, and the match that is played, which is then not kept."""
        self.is_auto = False
        if self._task is not None:
            self._task.cancel()

    def leave(self) -> None:
        """Leave the desk."""
        self.is_left = True

    def tell_step(self) -> None:
        """Tell what comes next."""
        self.say(words.step_line(self.state))

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

    def _prepare(self, name: str | None = None) -> None:
        """Show the next pairing, or that of another match, on the wall."""
        match, stage = self._match(name), self.state.stage
        assert stage is not None
        self.prepared = match.id
        map_name, _seed = self.contest.plan.start(stage.name, match, len(self.state.played.get(match.id, ())))
        told = words.pairing(self.state, stage, match)
        self.say(told + (_(", map {map}").format(map=map_name) if map_name else "") + _("; `start` begins it"))

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

    async def _replay(self) -> None:
        step = self.state.step()
        if not isinstance(step, DecideTie):
            raise Refused(words.step_line(self.state))
        await self._play(step.match)

    async def _play(self, match: Fixture) -> None:
        self.prepared, self.playing = None, match.id
        self._note()
        try:
            records = await self._until_stopped(play_match(self.contest, match, self.say, self._show, self._venue))
        finally:
            self.playing = None
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
                told = _("game {number}: {name}, move {move}: {cause}: {detail}")
                name = record.replay.names[who]
                self.say("  " + told.format(number=number, name=name, move=ply + 1, cause=_(cause), detail=detail))
                for line in log.splitlines():
                    self.say("    " + line)

    def _confirm(self) -> None:
        step = self.state.step()
        if not isinstance(step, ConfirmResult):
            raise Refused(words.step_line(self.state))
        self._do_and_tell(Confirmed(step.match.id, None, ""))

    def _decide(self, who: str, why: str) -> None:
        """Decide a match for an entry, by lot, or against both; `who` is "" if none was named."""
        step = self.state.step()
        if not isinstance(step, DecideTie | ConfirmResult) or not who:
            raise Refused(words.step_line(self.state))
        if who == LOT:
            winner, why = self.state.lot(step.match), why or _("lot")
        else:
            winner = NOBODY if who == OUT else self._number([who])
        if not why:
            raise Refused(_("a decision needs a reason: `decide {who} REASON`").format(who=who))
        self._do_and_tell(Confirmed(step.match.id, winner, why))

    def _advance(self, named: Sequence[str]) -> None:
        """Confirm who advances: those who are sure, and of those tied at the line the ones that are named."""
        step = self.state.step()
        if isinstance(step, DrawStage):
            self._draw(step.entries)
            return
        if not isinstance(step, ChooseAdvancing):
            raise Refused(words.step_line(self.state))
        chosen = [*step.sure, *(number for one in named if (number := self._number([one])) not in step.sure)]
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

    def _undo(self, match: str | None = None) -> None:
        """Take back the last step, or a match; what depends on it goes only if it is asked for a second time."""
        numbers = self.contest.last_of(match)
        gone = self.contest.depends(numbers)
        if len(gone) > len(numbers) and tuple(gone) != self._asked:
            self._asked = tuple(gone)
            for change in gone.values():
                self.say("  " + self.describe(change))
            raise Refused(_("this undoes all of the above; repeat `undo` to confirm"))
        self.contest.undo(numbers)
        self._asked, self.prepared = (), None
        self.say(_("taken back: {what}").format(what="; ".join(map(self.describe, gone.values()))))
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

    def _number(self, given: Sequence[str]) -> int:
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

    def _leave(self, number: int) -> None:
        self.contest.do(Attended(number, is_absent=True))
        self.say(_("{name} is absent: its other matches are walkovers").format(name=name_of(self.state, number)))
        self.tell_step()

    async def _late(self, name: str, play: str) -> None:
        """Add an entry; `play` is "" if its program comes later."""
        name = distinct([*(entry.name for entry in self.state.entries.values()), check_name(name)])[-1]
        number = len(self.state.entries) + 1
        self.contest.do(Entered(number, name, *await self._take(number, play)))
        self.say(_("{name} has the number {number}").format(name=name, number=number))
        await self.open()

    async def _hand(self, number: int, play: str) -> None:
        self.contest.do(HandedIn(number, *await self._take(number, play)))
        self.say(_("{name} plays with {play}").format(name=name_of(self.state, number), play=play or "-"))
        await self.open()
        self.tell_step()

    async def _take(self, number: int, play: str) -> tuple[str, str]:
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

    async def _auto(self) -> None:
        """Go on alone until the end, a tie at the line, a missing program, or `stop`."""
        self.is_auto = True
        try:
            while self.is_auto:
                step = self.state.step()
                match step:
                    case DrawStage():
                        self._draw(step.entries)
                    case PlayMatch() if self.jobs > 1:
                        await self._play_together()
                    case PlayMatch():
                        await asyncio.sleep(self._pauses.table_s)
                        self._prepare()
                        await asyncio.sleep(self._pauses.pairing_s)
                        if self.is_auto:
                            await self._play(step.match)
                            await asyncio.sleep(self._pauses.result_s)
                    case ConfirmResult():
                        self._confirm()
                    case DecideTie() if len(self.state.played[step.match.id]) <= MAX_REPLAYS:
                        await self._play(step.match)
                    case DecideTie():
                        self._decide(LOT, "")
                    case ChooseAdvancing() | FillIn() | Over():
                        break
                    case _:
                        assert_never(step)
        finally:
            self.is_auto = False
        if not self.state.is_over:
            self.tell_step()

    # -- what there is ---------------------------------------------------------------------------------

    def _list(self, lines: Iterable[str]) -> None:
        """Print lines that are not news."""
        for line in lines:
            self._say(line)

    def _list_words(self) -> None:
        self._list(f"{word.usage:22} {_(word.help)}" for word in WORDS.values())

    def _entry_lines(self) -> Iterable[str]:
        for entry in self.state.entries.values():
            note = _(" (absent)") if entry.number in self.state.absent else ""
            yield f"{entry.number:4}  {entry.name}{note}  {entry.play or _('no program yet')}"

    def _tell_written(self, paths: Iterable[Path]) -> None:
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


def _late_entry(given: Sequence[str]) -> tuple[str, str]:
    """Return the name and the program of a late entry."""
    if not given:
        raise Refused(_("expected NAME=PROGRAM"))
    name, play = split_name(" ".join(given))
    return (play, "") if name is None else (name, play)


def _program(given: Sequence[str]) -> str:
    return " ".join(given[1:])


class Word(NamedTuple):
    """A word of the desk.

    do : does it, with what follows the word. usage, help : for people. is_on_page : whether a page may say it: such a
    word runs no command of this machine and chooses no file to write. program : returns the program that it hands in.
    """

    do: Callable[[Desk, Sequence[str]], Awaitable[None] | None]
    usage: str
    help: str
    is_on_page: bool = True
    program: Callable[[Sequence[str]], str] = lambda _given: ""


WORDS: dict[str, Word] = {
    "next": Word(lambda desk, _given: desk._next(), "(Enter), next", "the next step: draw, prepare, start, confirm"),
    "prepare": Word(
        lambda desk, given: desk._prepare(*given[:1]), "prepare [MATCH]", "show the next pairing, or another one"
    ),
    "start": Word(lambda desk, given: desk._start(*given[:1]), "start [MATCH]", "play it"),
    "confirm": Word(lambda desk, _given: desk._confirm(), "confirm", "confirm the result"),
    "decide": Word(
        lambda desk, given: desk._decide("".join(given[:1]), " ".join(given[1:])), "decide NUMBER REASON",
        "decide a tied match; `decide out REASON`: both are out; `decide lot`",
    ),
    "replay": Word(lambda desk, _given: desk._replay(), "replay", "replay a tied match on the next map"),
    "advance": Word(
        lambda desk, given: desk._advance(given), "advance NUMBER ...",
        "choose who advances among those tied at the line",
    ),
    "undo": Word(
        lambda desk, given: desk._undo(*given[:1]), "undo [MATCH]",
        "take back the last step, or a match with all that depends on it",
    ),
    "absent": Word(
        lambda desk, given: desk._leave(desk._number(given)), "absent NUMBER", "an entry does not play any more"
    ),
    "here": Word(
        lambda desk, given: desk._do_and_tell(Attended(desk._number(given), is_absent=False)), "here NUMBER",
        "an absent entry is back",
    ),
    "late": Word(
        lambda desk, given: desk._late(*_late_entry(given)), "late NAME=PROGRAM", "one more entry",
        program=lambda given: _late_entry(given)[1],
    ),
    "hand": Word(
        lambda desk, given: desk._hand(desk._number(given), _program(given)), "hand NUMBER PROGRAM",
        "a program is handed in, between matches", program=_program,
    ),
    "auto": Word(lambda desk, _given: desk._auto(), "auto", "go on alone; it stops where somebody has to decide"),
    "stop": Word(
        lambda desk, _given: desk.stop(), "stop",
        "end auto and the match that is played now, of which nothing is kept",
    ),
    "table": Word(lambda desk, _given: desk._list(lines_of(desk.state)), "table", "tables and results", False),
    "entries": Word(lambda desk, _given: desk._list(desk._entry_lines()), "entries", "the entries", False),
    "csv": Word(
        lambda desk, given: desk._tell_written(write_csv(desk.contest, *given[:1])), "csv [DIR]",
        "write results as CSV", False,
    ),
    "zip": Word(
        lambda desk, given: desk._tell_written([write_zip(desk.contest.folder, *given[:1])]), "zip [FILE]",
        "write the whole contest as a zip", False,
    ),
    "help": Word(lambda desk, _given: desk._list_words(), "help", "list the words", False),
    "quit": Word(lambda desk, _given: desk.leave(), "quit", "leave; the same command goes on", False),
}  # fmt: skip

"""The organiser's desk: words from a terminal or a page become steps of the contest, one after the other."""

from __future__ import annotations

import asyncio
import dataclasses
import shlex
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.language import translate as _
from ..errors import ConfigError, ConfigTypeError, MatchError, ReplayError
from ..play.names import distinct, split_name
from ..referee.match import Record
from . import words
from .exchange import write_csv, write_zip
from .formats import NOBODY
from .kept import Contest
from .plan import check_name
from .runner import Show, check_play, is_client, make_accounts, name_of, play_match
from .state import CHOOSE, CONFIRM, DECIDE, DRAWN, FILL, OVER, PLAY, Event

if TYPE_CHECKING:
    from ..referee.clients import Venue

MAX_REPLAYS = 3


@dataclasses.dataclass(frozen=True)
class Pauses:
    """Seconds that autoplay shows the table, a pairing and a result, for the hall."""

    table_s: float = 0.0
    pairing_s: float = 0.0
    result_s: float = 0.0


class Refused(Exception):  # noqa: N818 - an answer to the organiser
    """What was asked is not possible now; the text says why."""


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

    Attributes
    ----------
    prepared : str or None
        The match that is on the wall: the next "next" starts it.
    playing : str or None
        The match that is played now.
    is_auto : bool
        Whether autoplay runs.
    news : list of str
        The last lines for the organiser.
    changes : int
        How often something has changed.
    """

    def __init__(
        self, contest: Contest, say: Callable[[str], None] = print, show: Show | None = None,
        pauses: Pauses | None = None, on_change: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self.contest, self._say, self._show = contest, say, show
        self._pauses, self._on_change = pauses or Pauses(), on_change
        self.prepared: str | None = None
        self.playing: str | None = None
        self.is_auto = False
        self.news: list[str] = []
        self.changes = 0
        self._task: asyncio.Task[Any] | None = None
        self._venue: Venue | None = None
        self._asked: tuple[int, ...] = ()
        self._does: dict[str, Callable[[Sequence[str]], Awaitable[None]]] = {
            "next": self._next, "prepare": self._prepare, "start": self._start, "confirm": self._confirm,
            "replay": self._replay, "decide": self._decide, "advance": self._advance, "undo": self._undo,
            "absent": self._absent, "here": self._here, "late": self._late, "hand": self._hand, "auto": self._auto,
            "table": self._table, "entries": self._entries, "csv": self._csv, "zip": self._zip, "help": self._help,
        }  # fmt: skip

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
        phase, match = "table", None
        if self.playing is not None:
            phase, match = "game", self.playing
        elif step.kind in (CONFIRM, DECIDE):
            phase, match = "result", step.match.id
        elif step.kind == OVER:
            phase = "over"
        elif self.prepared is not None:
            phase, match = "pairing", self.prepared
        found = None if match is None else self.state.find(match)
        map_name, orders = None, []
        if found is not None and stage is not None:
            attempt = len(self.state.played.get(match, ())) - (phase == "result")
            map_name, _seed = self.contest.plan.start(stage.name, found[1], max(0, attempt))
            orders = [list(order) for order in self.contest.plan.orders(stage.name, found[1], max(0, attempt))]
        return {
            "phase": phase, "match": match, "map": map_name, "orders": orders, "is_auto": self.is_auto,
            "news": self.news,
        }  # fmt: skip

    @property
    def state(self) -> Any:
        """The state of the contest."""
        return self.contest.state

    async def do(self, line: str) -> bool:
        """Do what a line says; an empty one is "next". Return whether it was possible; problems are told."""
        try:
            said = shlex.split(line) or ["next"]
            if said[0] not in self._does:
                raise Refused(_("{word}: no such word; `help` lists them").format(word=said[0]))
            await self._does[said[0]](said[1:])
        except MatchError as error:
            self.say(str(error))
            self.say(_("nothing was played: begin again with `start`, or `absent NUMBER`"))
            return False
        except OSError as error:
            told = _("{path}: {why}: this step is not kept; do it again when it can be written")
            self.say(told.format(path=error.filename, why=error.strerror))
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

    def tell_step(self) -> None:
        """Tell what comes next."""
        self.say(words.step_line(self.state))

    # -- the next step ---------------------------------------------------------------------------------

    async def _next(self, _given: Sequence[str]) -> None:
        step = self.state.step()
        if step.kind == DRAWN:
            self._draw(step.sure)
        elif step.kind == PLAY and self.prepared != step.match.id:
            await self._prepare(())
        elif step.kind == PLAY:
            await self._start(())
        elif step.kind == CONFIRM:
            await self._confirm(())
        else:
            self.tell_step()

    def _draw(self, entries: Sequence[int]) -> None:
        self.contest.do({"t": "draw", "stage": len(self.state.stages), "entries": list(entries)})
        self.tell_step()

    async def _prepare(self, given: Sequence[str]) -> None:
        """Show the next pairing, or that of another match, on the wall."""
        match = self._match(given)
        stage = self.state.stage
        self.prepared = match.id
        map_name, _seed = self.contest.plan.start(stage.name, match, len(self.state.played.get(match.id, ())))
        told = words.pairing(self.state, stage, match)
        self.say(told + (_(", map {map}").format(map=map_name) if map_name else "") + _("; `start` begins it"))

    def _match(self, given: Sequence[str]) -> Any:
        """Return the match of this id, or the next one; raise Refused if it cannot be played now."""
        step, stage = self.state.step(), self.state.stage
        if given:
            found = {match.id: match for match in self.state.waiting(stage)} if stage else {}
            if given[0] not in found or not found[given[0]].is_known:
                raise Refused(_("{match} cannot be played now").format(match=given[0]))
            match = found[given[0]]
            if self.state.missing(match):
                raise Refused(_("{match}: a program is missing").format(match=given[0]))
            return match
        if step.kind not in (PLAY, DECIDE):
            raise Refused(words.step_line(self.state))
        return step.match

    async def _start(self, given: Sequence[str]) -> None:
        if not given and self.prepared:
            given = [self.prepared]
        match = self._match(given)
        if match.id in self.state.played and self.state.step().kind != DECIDE:
            raise Refused(words.step_line(self.state))
        await self._play(match)

    async def _replay(self, _given: Sequence[str]) -> None:
        step = self.state.step()
        if step.kind != DECIDE:
            raise Refused(words.step_line(self.state))
        await self._play(step.match)

    async def _play(self, match: Any) -> None:
        self.prepared, self.playing = None, match.id
        self._note()
        self._task = asyncio.create_task(play_match(self.contest, match, self.say, self._show, self._venue))
        try:
            records = await asyncio.shield(self._task)
        except asyncio.CancelledError:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            this = asyncio.current_task()
            if this is not None and this.cancelling():
                raise
            raise Refused(_("the match was stopped: nothing of it is kept")) from None
        finally:
            self.playing = self._task = None
        self._tell_faults(records)
        self.tell_step()

    def _tell_faults(self, records: Sequence[Record]) -> None:
        for number, record in enumerate(records, 1):
            for who, ply, cause, detail, log in record.faults:
                told = _("game {number}: {name}, move {move}: {cause}: {detail}")
                name = record.replay.names[who]
                self.say("  " + told.format(number=number, name=name, move=ply + 1, cause=_(cause), detail=detail))
                for line in log.splitlines():
                    self.say("    " + line)

    async def _confirm(self, _given: Sequence[str]) -> None:
        step = self.state.step()
        if step.kind != CONFIRM:
            raise Refused(words.step_line(self.state))
        self.contest.do({"t": "confirm", "match": step.match.id, "winner": None, "why": ""})
        self.tell_step()

    async def _decide(self, given: Sequence[str]) -> None:
        """Decide a tie: `decide NUMBER REASON`, `decide out REASON`, `decide lot`."""
        step = self.state.step()
        if step.kind not in (DECIDE, CONFIRM) or not given:
            raise Refused(words.step_line(self.state))
        why = " ".join(given[1:])
        if given[0] == "lot":
            winner, why = self.state.lot(step.match), why or _("lot")
        else:
            winner = NOBODY if given[0] == "out" else self._number(given[0])
        if not why:
            raise Refused(_("a decision needs a reason: `decide {who} REASON`").format(who=given[0]))
        self.contest.do({"t": "confirm", "match": step.match.id, "winner": winner, "why": why})
        self.tell_step()

    async def _advance(self, given: Sequence[str]) -> None:
        """Confirm who advances: those who are sure, and of those tied at the line the ones that are named."""
        step = self.state.step()
        if step.kind == DRAWN:
            self._draw(step.sure)
            return
        if step.kind != CHOOSE:
            raise Refused(words.step_line(self.state))
        chosen = [*step.sure, *(number for one in given if (number := self._number(one)) not in step.sure)]
        if len(chosen) != step.number:
            raise Refused(words.step_line(self.state))
        self._draw(self.state.seeds(chosen))

    # -- taking back -----------------------------------------------------------------------------------

    async def _undo(self, given: Sequence[str]) -> None:
        """Take back the last step, or a match; what depends on it goes only if it is asked for a second time."""
        numbers = self.contest.last_of(given[0] if given else None)
        gone = self.contest.depends(numbers)
        asked = tuple(event["n"] for event in gone)
        if len(gone) > len(numbers) and asked != self._asked:
            self._asked = asked
            for event in gone:
                self.say("  " + self.describe(event))
            raise Refused(_("all of this would be taken back: the same `undo` again does it"))
        self.contest.undo(numbers)
        self._asked, self.prepared = (), None
        self.say(_("taken back: {what}").format(what="; ".join(map(self.describe, gone))))
        self.tell_step()

    def describe(self, event: Event) -> str:
        """Return an event as people say it."""
        kind = event["t"]
        if kind in ("played", "confirm"):
            return (_("match {match} played") if kind == "played" else _("result of {match} confirmed")).format(
                match=event["match"]
            )
        if kind == "draw":
            return _("draw of the {stage}").format(stage=_(words.STAGES[self.contest.plan.stages[event["stage"]]]))
        name = event["name"] if kind == "entry" else name_of(self.state, event["number"])
        if kind == "entry":
            return _("late entry {name}").format(name=name)
        if kind == "play":
            return _("program of {name}").format(name=name)
        return (_("{name} absent") if event["is_absent"] else _("{name} is here")).format(name=name)

    # -- entries ---------------------------------------------------------------------------------------

    def _number(self, text: str) -> int:
        """Return the number of an entry, given by number or name."""
        entries = self.state.entries
        if text.isdecimal() and len(text) < 6 and int(text) in entries:
            return int(text)
        for entry in entries.values():
            if entry.name == text:
                return int(entry.number)
        raise Refused(_("{text}: no entry has this number or name").format(text=text))

    def _one(self, given: Sequence[str]) -> int:
        if not given:
            raise Refused(_("expected the number of an entry"))
        return self._number(given[0])

    async def _absent(self, given: Sequence[str]) -> None:
        number = self._one(given)
        self.contest.do({"t": "absent", "number": number, "is_absent": True})
        self.say(_("{name} is absent: its other matches are walkovers").format(name=name_of(self.state, number)))
        self.tell_step()

    async def _here(self, given: Sequence[str]) -> None:
        self.contest.do({"t": "absent", "number": self._one(given), "is_absent": False})
        self.tell_step()

    async def _late(self, given: Sequence[str]) -> None:
        """Add an entry: `late NAME=PROGRAM`, or `late NAME` for one whose program comes later."""
        if not given:
            raise Refused(_("expected NAME=PROGRAM"))
        name, play = split_name(" ".join(given))
        name, play = (play, "") if name is None else (name, play)
        name = distinct([*(entry.name for entry in self.state.entries.values()), check_name(name)])[-1]
        number = len(self.state.entries) + 1
        self.contest.do({"t": "entry", "number": number, "name": name, "play": check_play(self.contest.plan, play)})
        self.say(_("{name} has the number {number}").format(name=name, number=number))
        await self.open()

    async def _hand(self, given: Sequence[str]) -> None:
        """Hand in a program: `hand NUMBER PROGRAM`."""
        number = self._one(given)
        play = check_play(self.contest.plan, " ".join(given[1:]))
        self.contest.do({"t": "play", "number": number, "play": play})
        self.say(_("{name} plays with {play}").format(name=name_of(self.state, number), play=play or "-"))
        await self.open()
        self.tell_step()

    # -- all by itself ---------------------------------------------------------------------------------

    async def _auto(self, _given: Sequence[str]) -> None:
        """Go on alone until the end, a tie at the line, a missing program, or `stop`."""
        self.is_auto = True
        try:
            while self.is_auto:
                step = self.state.step()
                if step.kind in (OVER, CHOOSE, FILL):
                    break
                if step.kind == PLAY:
                    await asyncio.sleep(self._pauses.table_s)
                    await self._prepare(())
                    await asyncio.sleep(self._pauses.pairing_s)
                    if self.is_auto:
                        await self._play(step.match)
                        await asyncio.sleep(self._pauses.result_s)
                elif step.kind == CONFIRM:
                    await self._confirm(())
                elif step.kind == DECIDE:
                    if len(self.state.played[step.match.id]) <= MAX_REPLAYS:
                        await self._play(step.match)
                    else:
                        await self._decide(["lot"])
                else:
                    self._draw(step.sure)
        finally:
            self.is_auto = False
        if self.state.step().kind != OVER:
            self.tell_step()

    # -- what there is ---------------------------------------------------------------------------------

    async def _table(self, _given: Sequence[str]) -> None:
        for line in lines_of(self.state):
            self._say(line)

    async def _entries(self, _given: Sequence[str]) -> None:
        for entry in self.state.entries.values():
            note = _(" (absent)") if entry.number in self.state.absent else ""
            self._say(f"{entry.number:4}  {entry.name}{note}  {entry.play or _('no program yet')}")

    async def _csv(self, given: Sequence[str]) -> None:
        for path in write_csv(self.contest, given[0] if given else None):
            self.say(_("written: {path}").format(path=path))

    async def _zip(self, given: Sequence[str]) -> None:
        path = write_zip(self.contest.folder, given[0] if given else None)
        self.say(_("written: {path}").format(path=path))

    async def _help(self, _given: Sequence[str]) -> None:
        for said, what in HELP.items():
            self._say(f"{said:26} {_(what)}")


HELP = {
    "(Enter), next": "the next step: draw, prepare, start, confirm",
    "confirm": "confirm the result",
    "decide NUMBER REASON": "decide a tied match; `decide out REASON`: both are out; `decide lot`",
    "replay": "replay a tied match on the next map",
    "advance NUMBER ...": "choose who goes on among those tied at the line",
    "prepare MATCH, start": "play another match first",
    "undo [MATCH]": "take back the last step, or a match with all that depends on it",
    "absent NUMBER, here NUMBER": "an entry does not play any more; it is back",
    "late NAME=PROGRAM": "one more entry",
    "hand NUMBER PROGRAM": "a program is handed in, between matches",
    "auto": "go on alone; it stops where somebody has to decide",
    "stop": "end auto and the match that is played now, of which nothing is kept",
    "table, entries": "tables and results; the entries",
    "csv [DIR], zip [FILE]": "write results as CSV; the whole contest as a zip",
    "quit": "leave; the same command goes on",
}


def lines_of(state: Any) -> list[str]:
    """Return tables and results of a contest as lines."""
    from ..commands.output import table

    lines = []
    for stage in state.stages:
        rows = words.table_rows(state, stage)
        lines += ["", _(words.STAGES[stage.name]).upper()]
        heads = {name: _(words.HEADS.get(name, words.PARTS.get(name, name))) for name in rows[0]}
        lines += table([row.values() for row in rows], list(heads.values())).split("\n")
        found = [[row["match"], row["title"], row["names"], row["result"]] for row in words.match_rows(state, stage)]
        if found:
            lines += ["", *table(found, [_("match"), _("what"), _("who"), _("result")]).split("\n")]
    return [*lines, "", words.step_line(state)]

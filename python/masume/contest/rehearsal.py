"""Before the evening: whether every program plays, whether ports are free, how long it takes; a sheet to print."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import html
import itertools
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from ..core.language import language, say
from ..core.language import translate as _
from ..errors import ConfigError, MatchError
from ..game import Game
from ..pairings.tables import Fixture
from ..play.pairing import play_pairing
from ..records.replay import Replay
from ..referee.match import Follow, Moment, end_of
from ..referee.seats import make_seat
from ..referee.tcp import Port
from . import programs, words
from .desk import Pauses
from .events import StageDrawn
from .kept import Contest
from .plan import Entry
from .runner import is_client, name_of, seat_of
from .state import Stage, State
from .steps import DrawStage

SHORT_S = 30.0
"""Seconds after which a game of the rehearsal is stopped: the program has shown that it plays."""
FAILED, UNCHECKED, FINE = "failed", "not checked", "plays"


@dataclasses.dataclass(frozen=True)
class Finding:
    """What came out about an entry.

    Attributes
    ----------
    entry : Entry
        The entry.
    verdict : {"plays", "not checked", "failed"}
        Whether it plays.
    detail : str
        Why not, in words; lines of its log below.
    seconds : float or None
        How long its game against `random` took; None without a game, SHORT_S for one that was stopped.
    """

    entry: Entry
    verdict: str
    detail: str
    seconds: float | None = None


async def rehearse(contest: Contest, seed: int = 0) -> AsyncIterator[Finding]:
    """Let every entry play a game against `random`, at most SHORT_S long, one after the other.

    Clients that connect by themselves are not awaited.
    """
    for entry in contest.state.entries.values():
        yield await _try(contest, entry, seed)


async def _try(contest: Contest, entry: Entry, seed: int) -> Finding:
    plan = contest.plan
    if not entry.play:
        return Finding(entry, FAILED, _("no program yet"))
    if is_client(entry.play) and plan.venue is not None:
        return Finding(entry, UNCHECKED, _("it plays on the game's own server"))
    if entry.play.startswith(("port:", "tcp:")):
        return Finding(entry, UNCHECKED, _("it connects by itself"))
    game = plan.game(next(iter(plan.maps(plan.stages[0])), None)).redrawn(seed)
    began, watch = time.monotonic(), _Watch()
    try:
        own = seat_of(plan, game, programs.locate(plan.folder, entry.play), entry.name, lambda _line: None)
        others = [make_seat("random", game) for _ in range(game.num_players - 1)]
        async with asyncio.timeout(SHORT_S):
            orders = [range(game.num_players)]
            (record,) = await play_pairing(game, [own, *others], orders, seed, plan.clock(game), watch)
    except TimeoutError:
        if not watch.has_moved:
            return Finding(entry, FAILED, say("it has not moved within {seconds} seconds", seconds=f"{SHORT_S:g}"))
        return Finding(entry, FINE, _("its game was stopped in the middle"), SHORT_S)
    except (ConfigError, MatchError) as error:
        return Finding(entry, FAILED, str(error))
    seconds = time.monotonic() - began
    faults = [fault for fault in record.faults if fault.player == 0]
    if faults:
        told = _("move {move}: {cause}: {detail}").format(
            move=faults[0].ply + 1, cause=_(faults[0].cause), detail=faults[0].detail
        )
        return Finding(entry, FAILED, "\n".join(filter(None, [told, end_of(record.logs[0])])), seconds)
    return Finding(entry, FINE, programs.describe_change(contest.folder, entry), seconds)


class _Watch:
    """Notes whether the player of the first seat has decided anything (`play.pairing.Show`)."""

    has_moved = _is_asked = False

    def begin(self, game: Game, seed: int, names: Sequence[str], is_live: bool = False) -> Follow:
        """Return what is called with the first position, and after each move."""
        return self._follow

    def finish(self, one: Replay) -> None:
        """Do nothing."""

    async def _follow(self, moment: Moment) -> None:
        self.has_moved |= self._is_asked
        self._is_asked = 0 in moment.state.slots.tolist()


def check_ports(contest: Contest) -> list[str]:
    """Return a line for each port of the contest that is not free."""
    plan = contest.plan
    host = str(plan.data.get("host", "127.0.0.1"))
    wanted = [
        entry.play.partition(":")[2] for entry in contest.state.entries.values() if entry.play.startswith("port:")
    ]
    numbers = {int(port) for port in wanted if port.isdecimal()}
    if plan.venue is not None and isinstance(port := plan.data.get("port"), int):
        numbers.add(port)
    lines = []
    for number in sorted(numbers):
        port = Port(host, number, "port")
        try:
            port.listen()
        except ConfigError as error:
            lines.append(str(error))
        finally:
            port.close()
    return lines


def count_matches(contest: Contest) -> list[tuple[str, int]]:
    """Return for each stage its name and how many matches it has at most; later stages as if all places were taken."""
    plan, state = contest.plan, contest.state
    entries = [number for number in state.entries if number not in state.absent]
    found = []
    for stage in plan.stages:
        form = plan.make(stage, entries)
        found.append((stage, len(form.matches({}))))
        number = plan.advance(stage) * (len({row.group for row in form.standings({})}) if stage == "groups" else 1)
        entries = entries[: max(2, min(number, len(entries)))]
    return found


def estimate(contest: Contest, findings: Sequence[Finding], pauses: Pauses) -> float:
    """Return how many seconds the contest takes with autoplay: games as long as those of the rehearsal, and pauses."""
    times = [finding.seconds for finding in findings if finding.seconds is not None]
    game_s = contest.plan.seats * sum(times) / len(times) if times else 0.0
    pause_s = pauses.table_s + pauses.pairing_s + pauses.result_s
    return sum(
        number * (contest.plan.games(stage) * game_s + pause_s) for stage, number in count_matches(contest)
    )  # fmt: skip


# -- the sheet ------------------------------------------------------------------------------------

STYLE = (
    "body{font:14px/1.4 system-ui,sans-serif;margin:2em}table{border-collapse:collapse;width:100%;margin:1em 0}"
    "th,td{border:1px solid #888;padding:.4em .6em;text-align:left;vertical-align:top}th{background:#eee}"
    "td.blank{min-width:6em}h2{break-before:auto}tr{break-inside:avoid}@page{margin:15mm}"
)


def sheet(contest: Contest) -> str:
    """Return a page to print: entries, and for each stage its matches with seats and room for results."""
    state = _drawn(contest.state)
    parts = [f"<h1>{html.escape(state.plan.title)}</h1>"]
    told = words.lots_line(contest.state)
    if told:
        parts.append(f"<p>{html.escape(told)}</p>")
    heads = [_("no."), _("name"), _("program"), _("present")]
    rows = [[entry.number, entry.name, _shorten(entry.play), None] for entry in state.entries.values()]
    parts += [f"<h2>{html.escape(_('entries'))}</h2>", _table(heads, rows)]
    for stage in state.stages:
        parts.append(f"<h2>{html.escape(_(words.STAGES[stage.name]))}</h2>")
        heads = [_("match"), _("what"), _("map"), _("seats of each game"), _("result"), _("winner")]
        parts.append(_table(heads, [_row(state, stage, match) for match in state.matches(stage)]))
    for name, number in count_matches(contest)[len(state.stages) :]:
        parts.append(f"<h2>{html.escape(_(words.STAGES[name]))}</h2>")
        parts.append(_table([_("match"), _("who"), _("result"), _("winner")], [[None] * 4] * number))
    title = html.escape(state.plan.title)
    return (
        f'<!doctype html><html lang="{language()}"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
        f"{''.join(parts)}</html>\n"
    )


def _drawn(state: State) -> State:
    """Return the contest with its first stage drawn."""
    step = state.step()
    if state.stages or not isinstance(step, DrawStage) or len(step.entries) < 2:
        return state
    drawn = copy.deepcopy(state)
    drawn.apply(StageDrawn(0, list(step.entries)))
    return drawn


def _row(state: State, stage: Stage, match: Fixture) -> list[Any]:
    map_name, _seed = state.plan.start(stage.name, match, 0)
    orders = state.plan.orders(stage.name, match) if match.is_known else []
    sides = getattr(state.plan.game(map_name).part("people"), "SEATS", None)
    seats = [
        ", ".join(
            f"{_(sides[seat]) if sides else seat + 1}: {name_of(state, entry)}" for seat, entry in enumerate(order)
        )
        for order in orders
    ]
    known = words.outcome(state, match, state.results(stage).get(match.id)) or None
    return [match.id, f"{words.title_of(stage, match)}: {' – '.join(words.names_of(state, match))}", map_name or "",
            "\n".join(f"{n}. {one}" for n, one in enumerate(seats, 1)), known, None]  # fmt: skip


def _shorten(play: str) -> str:
    return play if len(play) <= 60 else f"{play[:57]}..."


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table; None is a cell to write in."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = itertools.chain.from_iterable(
        ("<tr>", *('<td class="blank"></td>' if cell is None else f"<td>{_cell(cell)}</td>" for cell in row), "</tr>")
        for row in rows
    )
    return f"<table><tr>{head}</tr>{''.join(body)}</table>"


def _cell(value: Any) -> str:
    return html.escape(str(value)).replace("\n", "<br>")

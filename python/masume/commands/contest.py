"""`masume contest`: hold a contest: plan it, play it match by match, show it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..agents.names import split_name
from ..contest import lots, words
from ..contest.desk import Desk, Pauses, lines_of
from ..contest.exchange import read_entries, read_zip, write_csv, write_zip
from ..contest.journal import FILE as JOURNAL
from ..contest.journal import EventLog
from ..contest.kept import Contest
from ..contest.plan import FILE, STAGES, ContestPlan, check_name, quote
from ..contest.programs import adopt, named_files
from ..contest.rehearsal import FAILED, FINE, UNCHECKED, Finding, check_ports, count_matches, estimate, rehearse, sheet
from ..contest.runner import check_play, make_accounts, try_play
from ..core import system
from ..core.config import integer
from ..core.files import check_writable, locked, make_folder, write_atomic
from ..core.language import LANGUAGES, say, speaking
from ..core.language import translate as _
from ..errors import ConfigError
from ..game import load
from ..render import escape_text
from .common import Command, add_commands, program_options, programs, read_seed
from .output import print_json
from .showing import PageShow, open_page, page_options, print_links

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ..contest.orders import Order
    from ..web.server import PageServer

SUMMARY = "hold a contest: groups, leagues, brackets, Swiss rounds"
EXAMPLE = "masume contest run cup"

OPTIONAL = {
    "groups": (
        "# number = 4                 # of groups",
        "# advance = 2                # of each group",
        '# order = "parallel"          # or "sequence"',
    ),
    "bracket": ("# third = true               # play for the third place", '# maps = ["rooms"]', "# games = 2"),
    "league": ("# legs = 1                   # how often each pair meets",),
    "qualifier": ("# advance = 8", "# games = 1"),
    "swiss": ("# rounds = 4",),
}
"""What else a stage may have, as comments of `contest.toml`."""
PAUSES = Pauses(6, 5, 6)  # before a hall
NOTES = {"clock": "             # time of programs, as in `masume match`"}


def _new_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="folder of the contest, which is made")
    parser.add_argument("--from", dest="source", metavar="FILE.zip", help="unpack a contest in place of making one")
    parser.add_argument("--game", metavar="GAME", help="the game")
    parser.add_argument("--title", metavar="TEXT", help="name of the contest")
    parser.add_argument("--format", choices=tuple(STAGES), default="groups", help="default: groups, then a bracket")
    parser.add_argument("--preset", metavar="NAME", help="a named config of the game")
    parser.add_argument(
        "--maps", nargs="+", default=[], metavar="MAP", help="a map for each round, in turn: names or files"
    )
    parser.add_argument("--games", type=int, metavar="N", help="games of a match (default: every order of the seats)")
    parser.add_argument("--points", metavar="RULE", help="how points are counted (default: the game's own way)")
    parser.add_argument("--bot", metavar="AGENT", help="whom everybody plays in a qualifier")
    parser.add_argument(
        "--agents", nargs="+", default=[], metavar="NAME=AGENT",
        help="the entries: an agent or program as in `masume match`, client:COMMAND, port:NUMBER, or NAME= for later",
    )  # fmt: skip
    parser.add_argument("--entries", metavar="FILE.csv", help="more entries, from the columns name and play")


def _new(arguments: argparse.Namespace) -> None:
    """`masume contest new DIR`: make the folder of a contest."""
    folder = Path(arguments.folder)
    if (folder / FILE).exists():
        raise ConfigError(f"contest: {folder} holds a contest already")
    if arguments.source is not None:
        read_zip(Path(arguments.source), make_folder(folder))
        Contest(folder)
    else:
        if arguments.game is None:
            raise ConfigError("game: missing: --game GAME")
        entries = [_entry(spec) for spec in arguments.agents]
        entries += read_entries(Path(arguments.entries)) if arguments.entries else []
        data: dict[str, Any] = {"title": arguments.title or folder.resolve().name, "game": arguments.game}
        for name in ("preset", "format", "points", "games", "seed"):
            if getattr(arguments, name) is not None:
                data[name] = getattr(arguments, name)
        game = load(arguments.game, arguments.preset)
        if game.hook("clock") is None:
            data["clock"] = "move=5000"  # else a program that does not answer holds up the hall
        if arguments.maps:
            data["maps"] = arguments.maps
        if arguments.format == "qualifier":
            data["qualifier"] = {"bot": arguments.bot or ""}
        plan = ContestPlan({**data, "entry": entries}, Path())
        for play in [one["play"] for one in entries] + ([arguments.bot] if arguments.bot else []):
            check_play(plan, play)
        make_folder(folder)
        for number, one in enumerate(entries, 1):
            one["play"], one["sha256"] = adopt(folder, number, one["play"])
        if arguments.bot:
            data["qualifier"]["bot"], _digest = adopt(folder, 0, arguments.bot)
        if arguments.seed is None:
            data["lots"] = lots.make(folder)
        write_atomic(folder / FILE, to_toml(data, entries).encode())
    contest = Contest(folder)
    with system.private_memory():
        for entry in contest.state.entries.values():
            for line in asyncio.run(try_play(contest.plan, entry.play)):
                print(escape_text(f"{entry.name}: {line}"), file=sys.stderr)
    users = make_accounts(contest.plan, contest.state.entries.values())
    if arguments.json:
        print_json({"folder": str(folder), **words.to_dict(contest.state)})
    else:
        print(say("made: {path}", path=escape_text(str(folder / FILE))))
        if contest.plan.sealed is not None:
            print(escape_text(words.lots_line(contest.state)))
            print(say("tell it to all; {path} stays with you until the end", path=escape_text(str(folder / lots.FILE))))
        if users is not None:
            print(say("new tokens of players are in {path}: give each team its own", path=escape_text(str(users))))
        print(say("next: `masume contest run {folder}`", folder=escape_text(str(folder))))


def _entry(spec: str) -> dict[str, str]:
    name, play = (spec[:-1], "") if spec.endswith("=") else split_name(spec)
    return {"name": check_name(play if name is None else name), "play": play}


def to_toml(data: dict[str, Any], entries: list[dict[str, str]]) -> str:
    """Return a plan as the text of `contest.toml`, with what else may be in it as comments."""

    def value(one: Any) -> str:
        if isinstance(one, list):
            return "[" + ", ".join(map(value, one)) + "]"
        return quote(one) if isinstance(one, str) else str(one)

    lines = [f"{name} = {value(one)}{NOTES.get(name, '')}" for name, one in data.items() if not isinstance(one, dict)]
    lines += [
        *([] if "clock" in data else ['# clock = "move=1000"          # time of programs, as in `masume match`']),
        '# host = "0.0.0.0"            # where network clients connect; without it this machine only',
    ]
    if ContestPlan({**data, "entry": []}, Path()).venue is not None:
        lines += [
            "# port = 8880                 # of the match server for network clients",
            '# allow = ["192.0.2.0/24"]    # who may connect to it',
        ]
    else:
        lines.append("# timeout = 5.0               # seconds for each line of a network client")
    lines.append("")
    for stage in STAGES[data["format"]]:
        lines += [
            f"[{stage}]",
            *(f"{name} = {value(one)}" for name, one in data.get(stage, {}).items()),
            *OPTIONAL[stage],
            "",
        ]
    for one in entries:
        lines += ["[[entry]]", *(f"{name} = {quote(text)}" for name, text in one.items() if text or name == "play"), ""]
    return "\n".join(lines)


def _run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="folder of the contest")
    parser.add_argument("--auto", action="store_true", help="go on alone; it stops where somebody has to decide")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="J",
        help="matches at once with --auto and without --watch, at most half as many as processors (default: 1)",
    )  # fmt: skip
    program_options(parser)
    parser.add_argument("--watch", action="store_true", help="show it on a page, for the organiser and for the hall")
    page_options(parser)
    parser.set_defaults(page_delay=500)


def _hold(arguments: argparse.Namespace) -> None:
    """`masume contest run DIR`: play the contest step by step; what was confirmed is never lost."""
    folder = Path(arguments.folder)
    if not (folder / FILE).exists():
        raise ConfigError(f"contest: {folder} holds no {FILE}: `masume contest new` makes one")
    jobs = integer("jobs", arguments.jobs, 1, max(1, system.count_cpus() // 2))
    if jobs > 1 and (arguments.watch or not arguments.auto):
        raise ConfigError(f"jobs: expected 1 without --auto, or before a hall (--watch), got {jobs}")
    with locked(folder), programs(arguments), system.private_memory():
        contest = Contest(folder)
        for entry in contest.state.entries.values():
            check_play(contest.plan, entry.play)
        desk = Desk(contest, _print, jobs=jobs)
        for entry in contest.state.entries.values():
            if named_files(entry.play):
                told = _("{name}: its files are not in the contest's folder: `hand {number} PROGRAM` copies them there")
                desk.say(told.format(name=entry.name, number=entry.number))
        if contest.is_changed:
            desk.say(_("contest.toml has changed since the contest began: these changes are ignored"))
        is_whole = asyncio.run(_session(desk, arguments))
        if arguments.json:
            print_json(words.to_dict(contest.state))
        elif contest.state.is_over:
            for line in lines_of(contest.state):
                print(escape_text(line))
    if not is_whole:
        raise SystemExit(1)


async def _session(desk: Desk, arguments: argparse.Namespace) -> bool:
    """Do what the organiser types or presses, one line after the other; `stop` does not wait.

    Return False if --auto has ended because a step was not possible.
    """
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def take(line: str | None) -> None:
        if line == "stop":
            desk.stop()
        elif line == "pause":
            desk.pause()
        else:
            lines.put_nowait(line)

    def read() -> None:
        with contextlib.suppress(RuntimeError, ValueError):  # the loop or stdin is closed: nobody waits
            for line in sys.stdin:
                loop.call_soon_threadsafe(take, line.strip())
            loop.call_soon_threadsafe(take, None)

    def order(given: Order, seen: str) -> Future[dict[str, Any]]:
        return asyncio.run_coroutine_threadsafe(desk.take(given, seen), loop)

    page = _open(desk, arguments, order) if arguments.watch else None
    try:
        await desk.open()
        desk.tell_step()
        if arguments.auto:
            is_done = await desk.do("auto")
            if page is None:
                return is_done
        threading.Thread(target=read, name="masume desk", daemon=True).start()
        while not desk.is_left:
            line = await lines.get()
            if line is not None:
                await desk.do(line)
            elif page is None:  # without a terminal the page goes on
                break
        return True
    finally:
        await desk.close()
        if page is not None:
            page.stop()


def _print(line: str) -> None:
    print(escape_text(line), flush=True)


def _open(
    desk: Desk, arguments: argparse.Namespace, order: Callable[[Order, str], Future[dict[str, Any]]]
) -> PageServer:
    """Return the page of the contest, which runs in a thread of its own."""
    from ..web.contest import ContestBoard

    board = ContestBoard(order)
    page = open_page(arguments, contest=board)

    def tell() -> None:
        shown = {}
        for name in LANGUAGES:
            with speaking(name):
                shown[name] = words.to_dict(desk.state) | desk.to_dict()
        page.call(board.set, shown)
        page.call(page.gallery.announce, {"contest": desk.changes})

    page.start()
    desk.attend(PageShow(page), PAUSES, tell)
    print_links(page, _print)  # not into the news: these are secrets
    _print(say("hall: {address} (the screen of the hall: it sees every board)", address=page.hall_link))
    tell()
    return page


def _check_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="folder of the contest")
    parser.add_argument("--sheet", metavar="FILE.html", help="write a page to print: pairings, seats, room for results")
    program_options(parser)


def _check(arguments: argparse.Namespace) -> None:
    """`masume contest check DIR`: before the evening: does everything start, and how long does it take."""
    folder = Path(arguments.folder)
    if arguments.sheet is not None:
        check_writable(arguments.sheet)
    with programs(arguments), system.private_memory():
        contest = Contest(folder)
        findings = asyncio.run(_rehearse(contest, read_seed(arguments), arguments.json))
        ports = check_ports(contest)
    seconds = estimate(contest, findings, PAUSES)
    if arguments.sheet is not None:
        write_atomic(arguments.sheet, sheet(contest).encode())
    if arguments.json:
        print_json({
            "entries": [
                {"number": one.entry.number, "name": one.entry.name, "verdict": one.verdict, "detail": one.detail,
                 "seconds": one.seconds}
                for one in findings
            ],
            "ports": ports, "matches": dict(count_matches(contest)), "minutes": round(seconds / 60, 1),
        })  # fmt: skip
    else:
        for line in ports:
            print(escape_text(line))
        maps = list(dict.fromkeys(name for stage in contest.plan.stages for name in contest.plan.maps(stage)))
        if maps:
            print(escape_text(say("maps: {names}", names=", ".join(maps))))
        for stage, number in count_matches(contest):
            games = contest.plan.games(stage)
            name = _(words.STAGES[stage])
            print(say("{stage}: {number} matches, {games} games each", stage=name, number=number, games=games))
        print(say("with `auto` it takes about {minutes} minutes", minutes=max(1, round(seconds / 60))))
        if arguments.sheet is not None:
            print(say("written: {path}", path=escape_text(arguments.sheet)))
    if ports or any(one.verdict == FAILED for one in findings):
        raise SystemExit(1)


async def _rehearse(contest: Contest, seed: int, is_quiet: bool) -> list[Finding]:
    """Return what comes out about each entry, and print it as it comes."""
    findings = []
    async for one in rehearse(contest, seed):
        findings.append(one)
        if not is_quiet:
            first, *rest = one.detail.split("\n")
            took = "" if one.seconds is None else say(" ({seconds} s a game)", seconds=f"{one.seconds:.1f}")
            verdict = {FAILED: _("failed"), UNCHECKED: _("not checked"), FINE: _("plays")}[one.verdict]
            told = f"{one.entry.number:4}  {one.entry.name}: {verdict}{took}" + (f": {first}" if first else "")
            for line in [told, *(f"      {line}" for line in rest)]:
                print(escape_text(line), flush=True)
    return findings


def _show_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="folder of the contest")
    parser.add_argument("--csv", metavar="DIR", help="write standings.csv and games.csv there")
    parser.add_argument("--zip", metavar="FILE", help="write the whole contest as a zip")


def _show(arguments: argparse.Namespace) -> None:
    """`masume contest show DIR`: tables, brackets and results."""
    contest = Contest(arguments.folder)
    written = [] if arguments.csv is None else write_csv(contest, arguments.csv)
    if arguments.zip is not None:
        written.append(write_zip(contest.folder, arguments.zip))
    matches = contest.check_lots()
    if arguments.json:
        print_json(words.to_dict(contest.state) | {"written": [str(path) for path in written]})
        return
    for line in [contest.plan.title, *lines_of(contest.state)]:
        print(escape_text(line))
    if contest.state.is_over and contest.plan.sealed is not None:
        print(say("the starts of all {number} matches follow from the lots", number=matches))
    for path in written:
        print(say("written: {path}", path=escape_text(str(path))))


def _mend_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="folder of the contest")


def _mend(arguments: argparse.Namespace) -> None:
    """`masume contest mend DIR`: cut off a damaged end of the journal, after asking."""
    folder = Path(arguments.folder)
    if not (folder / JOURNAL).exists():
        raise ConfigError(f"contest: {folder} holds no {JOURNAL}: nothing has been played")
    with locked(folder):
        damage = EventLog.find_damage(folder)
        if damage is None:
            print(_("the journal is whole: nothing to mend"))
            return
        print(escape_text(damage.why))
        for number, line in enumerate(damage.lost, damage.number + 1):
            print(escape_text(say("lost: line {number}: {what}", number=number, what=line)))
        print(say("kept: {number} lines. Type yes to cut off the others:", number=damage.number), flush=True)
        if sys.stdin.readline().strip() != "yes":
            print(_("nothing was changed"))
            raise SystemExit(1)
        print(escape_text(say("the journal as it was: {path}", path=damage.cut())))


TASKS = {
    "new": Command(
        "make the folder of a contest",
        "masume contest new cup --game chaser --maps rooms spiral --agents A=greedy B=safe C=random",
        _new_options,
        _new,
    ),
    "check": Command(
        "before the evening: start every program, look at ports and maps, tell how long it takes",
        "masume contest check cup --sheet cup.html",
        _check_options,
        _check,
    ),
    "run": Command("play a contest, step by step or alone", "masume contest run cup --auto", _run_options, _hold),
    "mend": Command(
        "cut off a damaged end of the journal, after telling what would be lost",
        "masume contest mend cup",
        _mend_options,
        _mend,
    ),
    "show": Command("show tables, brackets and results", "masume contest show cup --csv out", _show_options, _show),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_commands(parser, TASKS, "task")


def run(arguments: argparse.Namespace) -> None:
    """`masume contest TASK DIR`: hold a contest."""
    TASKS[arguments.task].run(arguments)

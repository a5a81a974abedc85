"""`masume match`, `masume arena` and `masume serve`: programs and agents against each other, and what came of it."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
import json
import os
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import render, replay
from .cli import (
    FAILED,
    _agents_option,
    _boards,
    _fields,
    _game,
    _game_options,
    _print_board,
    _print_json,
    _rooms,
    _seed,
    _shown,
    _table,
    command,
)
from .config import integer
from .errors import ConfigError
from .files import check_writable, write_atomic
from .progress import Progress
from .rng import stream

if TYPE_CHECKING:
    from ._state import State
    from .game import Game
    from .referee.clock import TimeControl
    from .referee.match import Record

MAX_GAMES = 1_000_000
PAGE_GAMES = 20  # that the page of an arena shows
NEWS = 8  # lines that stay above a moving board
FRAME_S = 0.05  # a terminal shows no more boards than eyes can follow


def _seeds(arguments: argparse.Namespace, game: Game) -> list[int]:
    """The seed of each game: the one given for a single one, else as in self-play."""
    num_games = integer("games", arguments.games, 1, MAX_GAMES)
    seed = _seed(arguments, game)
    return [seed] if num_games == 1 else [stream(seed, k) >> 1 for k in range(num_games)]


def _control(arguments: argparse.Namespace, game: Game) -> TimeControl:
    """The clock that --clock gives, or else the game's own."""
    from .referee.clock import TimeControl
    from .referee.hooks import hook

    if arguments.clock is not None:
        return TimeControl.parse(arguments.clock)
    own = hook(game, "clock")
    return TimeControl() if own is None else own(game.config)


# -- match ---------------------------------------------------------------------------------------


def _match_options(parser: argparse.ArgumentParser) -> None:
    _game_options(parser)
    _agents_option(parser)
    parser.add_argument("--games", type=int, default=1, metavar="N", help="default: 1; seats rotate from game to game")
    parser.add_argument(
        "--clock", metavar="CLOCK",
        help="milliseconds of each player, such as move=1000 or main=60000,inc=500,floor=1000, or none "
        "(default: the game's own, else none)",
    )  # fmt: skip
    parser.add_argument(
        "--retries", type=int, default=0, metavar="N",
        help="bad answers to one question that a JSON-lines program may give anew (default: 0)",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", help="save the replays")
    parser.add_argument(
        "--check", metavar="AGENT",
        help="instead of a match test whether a bot (cmd:, json: or tcp:) speaks JSON lines as it must",
    )  # fmt: skip


@command(
    "match",
    "play games between programs, and judge them",
    "masume match chaser --map duel --agents greedy safe --games 4 --clock move=1000",
    _match_options,
)
def _match(arguments: argparse.Namespace) -> None:
    """`masume match GAME`: whoever errs, stalls or crashes is judged by the rules, and the match goes on."""
    import asyncio  # here, as all that needs it: no other command does

    game = _game(arguments)
    if arguments.check is not None:
        _check(arguments, game)
        return
    seeds = _seeds(arguments, game)
    control = _control(arguments, game)
    retries = integer("retries", arguments.retries, 0, 1000)
    if len(arguments.agents) > game.num_players:
        raise ConfigError(f"agents: {len(arguments.agents)} for {game.num_players} seats")
    if arguments.out is not None:
        check_writable(arguments.out)
    is_long = len(seeds) > 1 and not arguments.json and "human" not in arguments.agents
    with contextlib.ExitStack() as stack:
        progress = stack.enter_context(Progress(len(seeds), None)) if is_long else None
        records = asyncio.run(_played(game, arguments.agents, seeds, control, retries, progress))
    if arguments.out is not None:
        replay.save(arguments.out, [record.replay for record in records])
    if arguments.json:
        _print_json({"game": game.name, "agents": arguments.agents, "games": [record.to_dict() for record in records]})
        return
    for k, record in enumerate(records, 1):
        print("\n".join(_shown(line) for line in _verdict(k, record).split("\n")))
    print(f"\n{_standings(records)}")


def _check(arguments: argparse.Namespace, game: Game) -> None:
    """Test a bot, point by point; SystemExit(1) where one failed."""
    import asyncio

    from .referee.check import check
    from .referee.hooks import hook
    from .referee.seats import connector

    spec = arguments.check
    connect = connector(spec, lambda news: print(news, file=sys.stderr))
    if connect is None:
        raise ConfigError(f"check: {spec!r} is no bot: cmd:COMMAND, json:COMMAND or tcp:PORT")
    if spec.startswith("cmd:") and hook(game, "program") is not None:
        raise ConfigError(f"check: cmd: is {game.name}'s own protocol; json:COMMAND is a bot that speaks JSON lines")
    points = asyncio.run(check(connect, game, _seed(arguments, game), _control(arguments, game)))
    if arguments.json:
        _print_json({"game": game.name, "agent": spec, "points": [dataclasses.asdict(point) for point in points]})
    else:
        for point in points:
            verdict = "not tried" if point.answer is None else "passed" if point.is_passed else "FAILED"
            print(f"{verdict:9}  {point.tried}")
            if point.answer is not None:
                print(f"{'':9}  {_shown(point.answer)}")
    if not all(point.is_passed for point in points):
        raise SystemExit(FAILED)


async def _played(
    game: Game, agents: list[str], seeds: list[int], control: TimeControl, retries: int, progress: Progress | None
) -> list[Record]:
    """The record of each game; contestant c, of as many as there are seats, is agents[c % len(agents)]."""
    import asyncio

    from .referee.match import play
    from .referee.seats import make_seat

    records = []
    started = time.monotonic()
    contestants = [
        make_seat(agents[c % len(agents)], game, retries, lambda news: print(news, file=sys.stderr))
        for c in range(game.num_players)
    ]
    try:
        for k, seed in enumerate(seeds):
            turn = k % len(contestants)
            records.append(await play(game, [*contestants[turn:], *contestants[:turn]], seed, control))
            if progress:
                progress(k + 1, time.monotonic() - started)
    finally:
        await asyncio.gather(*(seat.close() for seat in contestants))
    return records


def _verdict(number: int, record: Record) -> str:
    """A game in a line, and a line for each fault; players by their number, for names may be equal."""
    one = record.replay
    scores = ", ".join(f"{name} {score:,}" for name, score in zip(one.names, one.scores, strict=True))
    won = " and ".join(f"player {player} ({one.names[player]})" for player in replay.winners(one.returns))
    lines = [f"game {number}: {scores}: {won or 'nobody'} won" + (f", {one.reason}" if one.reason else "")]
    faults = (f"  player {who}, move {ply + 1}: {cause}: {detail}" for who, ply, cause, detail in record.faults)
    return "\n".join([*lines, *faults])


def _standings(records: list[Record]) -> str:
    """For each name how many games it has had, won and lost a fault in."""
    rows: dict[str, list[Any]] = {}
    for record in records:
        won = replay.winners(record.replay.returns)
        at_fault = {fault.player for fault in record.faults}
        for player, name in enumerate(record.replay.names):
            row = rows.setdefault(_shown(name), [0, 0, 0])
            row[0] += 1
            row[1] += player in won
            row[2] += player in at_fault
    return _table(([name, *row] for name, row in rows.items()), ("name", "seats", "won", "at fault"))


# -- arena ---------------------------------------------------------------------------------------


def _arena_options(parser: argparse.ArgumentParser) -> None:
    _game_options(parser)
    parser.add_argument(
        "--agents", nargs="+", required=True, metavar="AGENT",
        help="as in `masume play`: one for each seat (then they may repeat), or more, of whom all choices meet",
    )  # fmt: skip
    parser.add_argument("--games", type=int, default=100, metavar="N", help="of each line-up (default: 100)")
    parser.add_argument("--swiss", type=int, default=0, metavar="R", help="R rounds of a Swiss system, N games in each")
    parser.add_argument(
        "--stop-at", type=float, metavar="SCORE",
        help="with two agents: end when the first's mean score is clearly above or below, such as 0.6",
    )  # fmt: skip
    parser.add_argument("--clock", metavar="CLOCK", help="as in `masume match`")
    parser.add_argument("--jobs", type=int, default=0, metavar="J", help="0: as many as the machine has (default)")
    parser.add_argument("--out", metavar="DIR", help="keep games, table and page here; the same command goes on")


@command(
    "arena",
    "find out which agents are stronger",
    "masume arena chaser --preset contest --agents greedy safe mcts:500 --games 20 --out arena",
    _arena_options,
)
def _arena(arguments: argparse.Namespace) -> None:
    """`masume arena GAME`: everybody meets everybody on the same seeds from every seat; ratings with intervals."""
    from .arena import Arena, Plan, replays
    from .ratings import check_extra

    check_extra()
    game = _game(arguments)
    control = _control(arguments, game)
    for agent in arguments.agents:
        if agent == "human" or agent.startswith("tcp:"):
            raise ConfigError(f"agents: {agent}: an arena plays several games at once")
    plan = Plan(
        game, tuple(arguments.agents), arguments.games, _seed(arguments, game), arguments.swiss, control,
        arguments.stop_at,
    )  # fmt: skip
    arena = Arena(plan, arguments.out)
    jobs = integer("jobs", arguments.jobs, 0, 1024) or os.cpu_count() or 1
    with contextlib.ExitStack() as stack:
        progress = None if arguments.json else stack.enter_context(Progress(arena.total, None))
        started = time.monotonic()

        def show(games: int) -> None:
            if progress:
                progress(games, time.monotonic() - started)

        arena.run(jobs, show)
    result = arena.to_dict()
    if arguments.out is not None:
        folder = Path(arguments.out)
        write_atomic(folder / "table.json", (json.dumps(result, indent=2) + "\n").encode())
        one_each = itertools.islice(replays(folder), PAGE_GAMES)
        title = f"{game.name}: {len(arena.games)} games between {len(plan.names)} agents"
        write_atomic(folder / "arena.html", render.page(one_each, title=title, summary=_rows(result)).encode())
    if arguments.json:
        _print_json(result)
        return
    rows = _rows(result)
    print(_table([row.values() for row in rows], list(rows[0])))
    print(f"\nseats: {', '.join(f'{score:.3f}' for score in result['seats'])} (mean score of each)")
    if plan.stop_at is not None:
        told = {"above": "is above", "below": "is below", None: "may be on either side of"}[arena.verdict]
        print(f"the score of {_shown(plan.names[0])} {told} {plan.stop_at}")
    if arguments.out is not None:
        print(f"page: {_shown(str(folder / 'arena.html'))}")


def _rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The table of an arena for people: standings, then what was won against each of the others."""
    rows = []
    names = [row["name"] for row in result["standings"]]
    for row in result["standings"]:
        shown: dict[str, Any] = {
            "agent": _shown(row["name"]),
            "rating": f"{row['elo']:+.0f} ±{row['interval']:.0f}",
            "score": f"{row['score']:.3f}",
            "95 %": f"{row['low']:.3f}-{row['high']:.3f}",
            "games": row["games"],
            "won": row["wins"],
            "drawn": row["draws"],
            "lost": row["losses"],
            "faults": row["faults"],
        }
        for other in names:
            share = result["cross"][row["name"]].get(other)
            shown[f"vs {_shown(other)}"] = "" if share is None else f"{share:.3f}"
        rows.append(shown)
    return rows


# -- serve ---------------------------------------------------------------------------------------


def _serve_options(parser: argparse.ArgumentParser) -> None:
    _game_options(parser, sorted(_SERVED))
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: 127.0.0.1; 0.0.0.0: everywhere)")
    parser.add_argument(
        "--games", type=int, metavar="N", help="how many (default: 1; kakomimasu: until Ctrl-C, any number at a time)"
    )
    parser.add_argument(
        "--out", default="replays", metavar="DIR", help="where the replay of each game goes (default: replays)"
    )
    parser.add_argument(
        "--port", type=int, metavar="PORT", help="default: 2000 (battleship), 8880 (kakomimasu); 0: a free one"
    )
    battleship = parser.add_argument_group("battleship")
    battleship.add_argument("--dialect", choices=("new", "old"), default="new", help="of the clients (default: new)")
    battleship.add_argument(
        "--loop", type=int, default=0, metavar="N",
        help="for clients of the loop server: N games on one connection, last words with a full stop",
    )  # fmt: skip
    battleship.add_argument("--first", metavar="AGENT", help="plays in place of the client that comes first")
    battleship.add_argument("--second", metavar="AGENT", help="plays in place of the client that comes second")
    chaser = parser.add_argument_group("chaser")
    chaser.add_argument("--cool-port", type=int, default=2009, metavar="PORT", help="default: 2009; 0: a free one")
    chaser.add_argument("--hot-port", type=int, default=2010, metavar="PORT", help="default: 2010; 0: a free one")
    chaser.add_argument("--cool", metavar="AGENT", help="plays in place of a client of the COOL port")
    chaser.add_argument("--hot", metavar="AGENT", help="plays in place of a client of the HOT port")
    chaser.add_argument("--swap", action="store_true", help="in every second game the ports change sides")
    chaser.add_argument("--timeout", type=float, default=5.0, metavar="S", help="for each line (default: 5)")
    chaser.add_argument("--connect-timeout", type=float, metavar="S", help="for both clients to come (default: none)")
    chaser.add_argument("--strict-crlf", action="store_true", help="clients' lines must end with CR LF")
    kakomimasu = parser.add_argument_group(
        "kakomimasu",
        "--board: served beside the shipped ones, and given to whoever asks for none; --set: for all boards",
    )
    kakomimasu.add_argument("--users", metavar="FILE", help="the accounts: a JSON array of objects with a name")
    kakomimasu.add_argument("--register", action="store_true", help="whoever asks gets an account")


@command(
    "serve",
    "let programs connect and play each other",
    "masume serve chaser --map duel --hot greedy --games 2 --swap",
    _serve_options,
)
def _serve(arguments: argparse.Namespace) -> None:
    """`masume serve GAME`: the game's own protocol, news for people, and a replay of each game."""
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    check_writable(folder / "0001.jsonl")
    played = _SERVED[arguments.game](arguments)
    if arguments.json:
        _print_json({"game": arguments.game, "games": played})


def _one_by_one(arguments: argparse.Namespace, agents: tuple[str, str], make_play: MakePlay) -> list[dict[str, Any]]:
    """Games one after the other, each with a board that moves and a verdict; `agents`: the options that name some."""
    import asyncio

    arguments.games = 1 if arguments.games is None else arguments.games
    game = _game(arguments)
    seeds = _seeds(arguments, game)
    is_live = sys.stdout.isatty() and "human" not in (getattr(arguments, name) for name in agents)
    screen = _Screen(is_silent=arguments.json, is_live=is_live)
    play = make_play(arguments, game, screen)
    played: list[dict[str, Any]] = []

    async def serve() -> None:
        for k, seed in enumerate(seeds):
            record = await play(k, seed)
            path = _free(Path(arguments.out))
            replay.save(path, [record.replay])
            screen.say(f"{_verdict(k + 1, record)}\nreplay: {path}")
            played.append(record.to_dict() | {"replay": str(path)})

    asyncio.run(serve())
    return played


Play = Callable[[int, int], Awaitable["Record"]]
"""Game k of a server, from its seed."""
MakePlay = Callable[[argparse.Namespace, "Game", "_Screen"], Play]


def _serve_chaser(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    return _one_by_one(arguments, ("cool", "hot"), _chaser_play)


def _chaser_play(arguments: argparse.Namespace, game: Game, screen: _Screen) -> Play:
    from .chaser.server import Server, Settings

    settings = Settings(
        cool_port=arguments.cool_port, hot_port=arguments.hot_port, host=arguments.host, timeout_s=arguments.timeout,
        connect_timeout_s=arguments.connect_timeout, strict_crlf=arguments.strict_crlf,
    )  # fmt: skip
    server = Server(game, settings, (arguments.cool, arguments.hot), screen.say)
    return lambda k, seed: server.play(seed, arguments.swap and k % 2 == 1, screen.show)


def _serve_battleship(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    if arguments.preset is None:
        arguments.preset = "submarine"  # the only one that is served
    return _one_by_one(arguments, ("first", "second"), _battleship_play)


def _battleship_play(arguments: argparse.Namespace, game: Game, screen: _Screen) -> Play:
    from .battleship.server import Server, Settings

    port = Settings.port if arguments.port is None else arguments.port
    settings = Settings(port=port, host=arguments.host, dialect=arguments.dialect, loop=arguments.loop)
    if settings.loop and arguments.games % settings.loop:
        raise ConfigError(f"games: {arguments.games} is no multiple of loop, {settings.loop}")
    server = Server(game, settings, (arguments.first, arguments.second), screen.say)
    return lambda _, seed: server.play(seed, screen.show)


def _serve_kakomimasu(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Matches on the shipped boards and those of --board, any number at a time."""
    import asyncio

    boards = _rooms("kakomimasu")
    given = {board.name: board for name in arguments.boards for board in _boards("kakomimasu", name)}
    fields = {"put_on_enemy_wall": "server", **_fields("kakomimasu", arguments)}
    if arguments.preset is not None:
        raise ConfigError(f"preset: {arguments.preset!r} is none of a server's, which plays on boards")
    users = () if arguments.users is None else _accounts(Path(arguments.users))
    try:
        from .kakomimasu.server import Server, Settings
    except ModuleNotFoundError as error:
        raise ConfigError(f"kakomimasu: {error.name} is missing: pip install 'masume[web]'") from None
    port = Settings.port if arguments.port is None else arguments.port
    settings = Settings(port, arguments.host, arguments.games, arguments.register, Path(arguments.out))
    screen = _Screen(is_silent=arguments.json, is_live=False)
    shipped = boards.shipped()
    server = Server(settings, {**shipped, **given}, fields, list(given or shipped), users, _seed(arguments), screen.say)
    asyncio.run(server.serve())
    return [match.to_json() for match in server.played]


def _accounts(path: Path) -> list[Any]:
    """The accounts of a file; ConfigError, which names the file, where it holds anything else."""
    from .kakomimasu.accounts import User

    try:
        found = json.loads(path.read_bytes())
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise ConfigError("an array of objects is wanted")
        return [User.make(one) for one in found]
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"users: {path}: {error}") from None


_SERVED = {"battleship": _serve_battleship, "chaser": _serve_chaser, "kakomimasu": _serve_kakomimasu}
"""Of each game what serves it, and then says what was played."""


def _free(folder: Path) -> Path:
    """The first of 0001.jsonl, 0002.jsonl, ... that is not there."""
    number = 1
    while (path := folder / f"{number:04d}.jsonl").exists():
        number += 1
    return path


class _Screen:
    """What a server shows people: news as lines; on a terminal the board under them, moving."""

    def __init__(self, is_silent: bool, is_live: bool) -> None:
        self._is_silent, self._is_live = is_silent, is_live
        self._news: deque[str] = deque(maxlen=NEWS)
        self._drawn_s = float("-inf")

    def say(self, news: str) -> None:
        """One or more lines of news."""
        if not self._is_silent:
            lines = [_shown(line) for line in news.split("\n")]
            self._news += lines
            print("\n".join(lines), flush=True)

    def show(self, state: State) -> None:
        """A position: on a terminal, if the last one has been there long enough; the end of a game everywhere."""
        if self._is_silent:
            return
        if self._is_live and (state.is_terminal() or time.monotonic() - self._drawn_s >= FRAME_S):
            print("\x1b[H\x1b[J" + "\n".join(self._news), end="\n\n")
            _print_board(state)
            self._drawn_s = time.monotonic()
        elif state.is_terminal():
            _print_board(state)
        sys.stdout.flush()

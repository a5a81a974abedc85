"""Playing the matches of a contest: entries become seats, and games become events."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..agent import View
from ..agents.asking import close_agent
from ..agents.make import is_program, make_agent
from ..agents.names import split_name
from ..core.files import make_folder, write_atomic
from ..core.language import say
from ..errors import ConfigError, MatchError
from ..game import Game
from ..pairings.tables import BOT, Fixture
from ..play.pairing import PairingGame, Show, play_pairing
from ..referee.clients import ClientSeat, ClientSettings, LaunchedSeat, NamedSeat, Venue, VenueMatch
from ..referee.match import Record, end_of
from ..referee.seat import NOT_STARTED, Fault, Seat
from ..referee.seats import connector, make_seat
from . import programs
from .events import CountedGame, Played
from .kept import Contest
from .plan import NONE_YET, USERS, ContestPlan, Entry
from .state import State

CONNECT_S = 120.0
CLIENTS = ("client", "port", "user")
SIDE = "side"
EXAMPLES = {
    "cmd": "cmd:x", "client": "client:x {port} {token}", "port": "port:2000", "side": f"port:{SIDE}", "user": "user:x",
}  # fmt: skip
"""Kinds of programs and clients, and one of each."""


def name_of(state: State, entry: int) -> str:
    """Return the name of an entry, or of the organiser's bot."""
    return str(state.plan.option("qualifier", "bot")) if entry == BOT else state.entries[entry].name


def play_of(state: State, entry: int) -> str:
    """Return the agent or program that plays for an entry, with the paths of its files on this machine."""
    play = str(state.plan.option("qualifier", "bot")) if entry == BOT else state.entries[entry].play
    return programs.locate(state.plan.folder, play)


def is_client(play: str) -> bool:
    """Return whether a client of the game's own network protocol plays."""
    return play.partition(":")[0] in CLIENTS


def check_play(plan: ContestPlan, play: str) -> str:
    """Return `play` if it can play for an entry; raise ConfigError if not.

    play : an agent or a program as in a match (`make_seat`), `client:COMMAND` for a client of the game's own network
    protocol that masume starts, `port:NUMBER` or `port:side` for one that connects by itself, `user:NAME` for one that
    joins under an account of the game's server, or "" for nothing yet.
    """
    if play == NONE_YET:
        return play
    given, play = play, programs.locate(plan.folder, play)
    game = plan.game(next(iter(plan.maps(plan.stages[0])), None))
    if is_client(play) and plan.venue is not None:
        _check_account(game, play)
    elif is_client(play):
        seat_of(plan, game, play, "", lambda _: None)
    elif play == "human" or split_name(play)[0] is not None:
        raise ConfigError(f"play: expected an agent or a program, got {play!r:.80}")
    elif is_program(play):
        connector(play, lambda _: None)
    else:
        close_agent(make_agent(play, game))
    return given


def kinds_of_play(plan: ContestPlan) -> tuple[str, ...]:
    """Return what may play for an entry, besides agents: the kinds of EXAMPLES that the game has."""
    found = []
    for kind, example in EXAMPLES.items():
        with contextlib.suppress(ConfigError):
            check_play(plan, example)
            found.append(kind)
    return tuple(found)


async def try_play(plan: ContestPlan, play: str) -> list[str]:
    """Start a program that plays for an entry, and end it; return why it cannot be started, as lines for people.

    Nothing else that it may do wrong is told, and clients and bots that connect by themselves are not awaited.
    """
    if is_client(play) or not is_program(play) or play.startswith("tcp:"):
        return []
    game = plan.game(next(iter(plan.maps(plan.stages[0])), None))
    seat = make_seat(programs.locate(plan.folder, play), game)
    try:
        await seat.open(game, plan.clock(game))
        await seat.start(View(game.new_state(0), 0), [""] * game.num_players, 0)
    except Fault as fault:
        if fault.cause == NOT_STARTED:
            refusal = say("{play} cannot be started here: {why}", play=play, why=fault.detail)
            return [refusal, *(f"  {line}" for line in end_of(seat.log_so_far()).splitlines())]
    except MatchError as error:
        return [str(error)]
    finally:
        await seat.close()
    return []


def _check_account(game: Game, play: str) -> None:
    """Raise ConfigError unless a client of the game's server plays, which joins under an account."""
    kind, _, rest = play.partition(":")
    if kind == "port":
        raise ConfigError(f"play: {game.name}'s clients share the port of its server: use user:NAME, got {play!r:.60}")
    if kind == "user" and not 1 <= len(rest.strip()) <= 60:
        raise ConfigError(f"play: expected user: and the name of an account, got {play!r:.80}")
    for word in ("{port}", "{token}"):
        if kind == "client" and word not in rest:
            raise ConfigError(f"{play:.80}: expected {word} where the program takes its {word[1:-1]}")


def make_accounts(plan: ContestPlan, entries: Iterable[Entry]) -> Path | None:
    """Make the accounts that entries play under and that do not exist; return their file if there is a new one."""
    wanted = {rest: entry.name for entry in entries for kind, _, rest in [entry.play.partition(":")] if kind == "user"}
    path = plan.folder / USERS
    if plan.venue is not None and wanted and plan.venue.make_accounts(path, wanted):
        return path
    return None


def seat_at(table: VenueMatch, play: str, name: str, say: Callable[[str], None]) -> Seat:
    """Return the seat of an entry in a match of the game's server."""
    kind, _, rest = play.partition(":")
    if not is_client(play):
        return table.guest(NamedSeat(make_seat(play, table.game, say=say), name))
    client = table.client(rest if kind == "user" else None, ClientSettings(0, name=name, connect_s=CONNECT_S, say=say))
    return NamedSeat(client if kind == "user" else LaunchedSeat(client, rest), name)


def seat_of(plan: ContestPlan, game: Game, play: str, name: str, say: Callable[[str], None]) -> Seat:
    """Return the seat of an entry, under its name; raise ConfigError if `play` names nothing."""
    kind, _, rest = play.partition(":")
    if not is_client(play):
        return NamedSeat(make_seat(play, game, say=say), name)
    if kind == "user":
        raise ConfigError(f"play: {game.name} has no server with accounts: use port:NUMBER, got {play!r:.60}")
    make: type[ClientSeat] | None = getattr(game.part("server"), "PortSeat", None)
    if make is None:
        raise ConfigError(
            f"play: {game.name} has no network protocol of its own for {kind}: use tcp:PORT or cmd:COMMAND"
        )
    port: int | None = 0
    if kind == "port" and rest == SIDE:
        port = None
    elif kind == "port":
        if not (rest.isascii() and rest.isdecimal() and 0 < int(rest[:9]) < 65536):
            raise ConfigError(f"play: expected port:1..65535 or port:{SIDE}, got {play!r:.60}")
        port = int(rest)
    host = "127.0.0.1" if kind == "client" else str(plan.data.get("host", "127.0.0.1"))
    settings = ClientSettings(port, host, name, float(plan.data.get("timeout", 5.0)), CONNECT_S, say)
    client = make(settings)
    return NamedSeat(client if kind == "port" else LaunchedSeat(client, rest), name)


async def play_match(
    contest: Contest, match: Fixture, say: Callable[[str], None], show: Show | None = None, venue: Venue | None = None,
    on_map: str | None = None,
) -> list[Record]:  # fmt: skip
    """Play all games of a match (`hold_match`), keep and return them; nothing is kept if it ends early."""
    records, played = await hold_match(contest, match, say, show, venue, on_map)
    contest.do(played)
    return records


async def hold_match(
    contest: Contest, match: Fixture, say: Callable[[str], None], show: Show | None = None, venue: Venue | None = None,
    on_map: str | None = None,
) -> tuple[list[Record], Played]:  # fmt: skip
    """Play all games of a match, and write its replay and what its programs told.

    on_map : the map; None: that of the plan.

    Returns
    -------
    records : list of Record
        The games.
    played : Played
        The event, which is not in the journal yet.

    Raises
    ------
    MatchError
        If it cannot be held and nobody is to blame, such as when a client does not connect.
    """
    state = contest.state
    stage = state.stage
    assert stage is not None
    plan = contest.plan
    attempt = len(state.played.get(match.id, ()))
    planned, seed = plan.start(stage.name, match, attempt)
    map_name = on_map or planned
    game = plan.game(map_name).redrawn(seed)
    control = plan.clock(game)
    players = [(play_of(state, entry), name_of(state, entry)) for entry in match.entries]
    own = [state.entries.get(entry) for entry in match.entries]  # None: the organiser's bot
    for entry in filter(None, own):
        if line := programs.describe_change(contest.folder, entry):
            say(line)
    digests = ["" if entry is None else programs.digest_of(contest.folder, entry.play) for entry in own]
    table = venue.table(game, seed) if venue is not None and any(is_client(play) for play, _name in players) else None
    if table is None:
        contestants = [seat_of(plan, game, *player, say) for player in players]
    else:
        game, control = table.game, table.control(control)
        contestants = [seat_at(table, *player, say) for player in players]
    orders = plan.orders(stage.name, match, attempt)
    places = [[match.entries.index(entry) for entry in order] for order in orders]

    try:
        records = await play_pairing(game, contestants, places, seed, control, show, is_live=table is not None)
    except ExceptionGroup as group:  # of the players of a game in which all decide at once
        raise group.exceptions[0] from None
    finally:
        if table is not None:
            table.close()
    games: list[CountedGame] = []
    for order, record in zip(orders, records, strict=True):
        parts: list[dict[str, int]] = [{} for _ in order]  # a walkover is a game won, without points
        if record.is_played:
            (last,) = collections.deque(record.replay.states(), maxlen=1)
            parts = [dict(numbers) for numbers in state.rule.count(last)]
        games.append(CountedGame.count(PairingGame.of(order, record), parts))
    stem = f"{match.id.replace(':', '_')}" + (f"-replay{attempt}" if attempt else "")
    _write_logs(contest.folder / "logs", stem, records)
    lines = [line for record in records if record.is_played for line in record.replay.to_lines()]
    folder, name = make_folder(contest.folder / "replays"), f"{stem}.jsonl" if lines else ""
    if name:
        write_atomic(folder / name, "".join(line + "\n" for line in lines).encode())
    return records, Played(match.id, list(match.entries), map_name, seed, games, name and f"replays/{name}", digests)


def _write_logs(folder: Path, stem: str, records: Sequence[Record]) -> None:
    """Keep what the programs wrote to stderr, one game after the other."""
    logs: dict[str, str] = dict.fromkeys(records[0].replay.names, "")
    for record in records:
        for name, log in zip(record.replay.names, record.logs, strict=True):
            logs[name] += log
    for k, log in enumerate(logs.values()):
        if log:
            write_atomic(make_folder(folder) / f"{stem}-{k}.txt", log.encode())

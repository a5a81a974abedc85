"""A match server for contests: clients play under their accounts, in real time, on the seats that the contest gives.

The server's match keeps the time: when a turn is over, the referee is told what the clients have sent, and it tells the
server in time what programs and agents answer. So both play the same game.
"""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..agent import View
from ..core.config import integer
from ..core.extras import extra
from ..core.language import translate as _
from ..errors import MatchError
from ..game import Game, load
from ..http.limits import read_networks
from ..referee import clients
from ..referee.clients import ClientSettings, NamedSeat, VenueSettings
from ..referee.clock import TimeControl, Timer
from ..referee.seat import ILLEGAL, TIMEOUT, Fault, Seat
from ..referee.tcp import Port
from .boards import Board
from .protocol import Entry
from .server import hall
from .server.accounts import User, read_users, write_users
from .server.hall import Entrant, NotYet, Phase, Refusal, ServedMatch, Tournament, codes_of

PORT = 8880
MARGIN_MS = 100  # from the answer of a program to the end of the turn, at most half of the turn
RULES = {"put_on_enemy_wall": "server"}
EFFECTS = {1: "another agent had the same target", 2: "something was in the way", 4: "no such agent", 5: "impossible"}
"""Why an action had no effect, by its result code. [section 6]"""


def _users(path: Path) -> list[User]:
    return read_users(path) if path.exists() else []


class Reserved(ServedMatch):
    """A match whose seats belong to accounts and to programs of the referee; it starts when the referee is ready.

    Parameters
    ----------
    board, fields, name
        As in `ServedMatch`.
    seats : sequence of (str or Entrant)
        The id of the account of each seat, or the entrant of a program.

    Attributes
    ----------
    news : asyncio.Event
        Set at the next change, when another one takes its place.
    codes : list of list of int
        The codes that each turn was played as.
    silent : list of set of int
        The seats from which nothing came in each turn.
    """

    def __init__(self, board: Board, fields: Mapping[str, Any], name: str, seats: Sequence[str | Entrant]) -> None:
        wanted = [one for one in seats if isinstance(one, str)]
        super().__init__(board, fields, kind="self", name=name, reserved=wanted)
        self._wanted = {one: seat for seat, one in enumerate(seats) if isinstance(one, str)}
        self.here = {seat: one for seat, one in enumerate(seats) if isinstance(one, Entrant)}
        self.news = asyncio.Event()
        self.codes: list[list[int]] = []
        self.silent: list[set[int]] = []
        self._note()

    def _note(self) -> None:
        self.entrants = [self.here[seat] for seat in sorted(self.here)]
        self.news.set()
        self.news = asyncio.Event()

    def join(self, entrant: Entrant, at: float) -> int:
        """Give the entrant the seat of its account."""
        self._line = None
        seat = self._wanted[entrant.user or ""]
        self.here[seat] = entrant
        self._note()
        return seat

    def taken_by(self, user: str | None) -> tuple[int, Entrant] | None:
        """Return the seat that the account has; its client may have begun again."""
        seat = self._wanted.get(user or "")
        return (seat, self.here[seat]) if seat in self.here else None

    def is_open(self, turn: int) -> bool:
        """Return whether actions of a turn, counted from 0, are taken now."""
        return self.phase is Phase.OPERATION and self.state.played == turn

    def start(self, now: float) -> None:
        """Fix the start time, as the last player does that joins an ordinary match."""
        self._line = None
        self.phase, self.started_at = Phase.READY, math.floor(now) + hall.START_S

    def step(self) -> bool:
        """Begin the next step."""
        told = super().step()
        self._note()
        return told

    def _resolve(self) -> None:
        turn = [list(entrant.stored.values()) for entrant in self.entrants]
        self.codes.append(codes_of(self.state, turn))
        self.silent.append({seat for seat, entries in enumerate(turn) if not entries})
        super()._resolve()


class Venue:
    """The match server of a contest.

    Parameters
    ----------
    settings : VenueSettings
        Its settings.
    say : callable
        Called with each line of news for people.
    """

    def __init__(self, settings: VenueSettings, say: Callable[[str], None]) -> None:
        extra("uvicorn", "web")
        from .server.app import Server, Settings

        self.settings, self._say = settings, say
        port = PORT if settings.port is None else settings.port
        inner = Settings(port, settings.host, allow=read_networks(settings.allow), is_inner=True)
        users = _users(settings.users)
        self._server = Server(inner, {}, {}, [], users, say=say)
        self.hall = self._server.hall
        self.hall.choose = self._choose
        self._tournament = Tournament(str(uuid.uuid4()), settings.title, "", "round-robin", "")
        self._tournament.users = [user.id for user in users]
        self.hall.add_tournament(self._tournament)
        self._serving: asyncio.Task[None] | None = None
        self.matches: list[Reserved] = []  # those that are played now

    @staticmethod
    def check(settings: VenueSettings) -> None:
        """Raise ConfigError if the settings or the file of accounts are wrong."""
        read_networks(settings.allow)
        if settings.port is not None:
            integer("port", settings.port, 0, 65535)
        _users(settings.users)

    @staticmethod
    def make_accounts(path: Path, wanted: Mapping[str, str]) -> bool:
        """Add accounts and tokens that the file lacks, by name and name to show; return whether there were any."""
        users = _users(path)
        known = {name for user in users for name in (user.name, user.id)}
        new = [User.make({"name": name, "screenName": label}) for name, label in wanted.items() if name not in known]
        is_changed = bool(new) or not all(user.is_token_given for user in users)
        if is_changed:
            write_users(path, [*users, *new])
        return is_changed

    @property
    def port(self) -> int:
        """Number of the port."""
        return self._server.port

    async def open(self) -> None:
        """Listen; raise ConfigError if the port is not available."""
        self._server.listen()
        self._serving = asyncio.create_task(self._server.serve())
        up = asyncio.create_task(self._server.is_up.wait())
        await asyncio.wait([up, self._serving], return_when=asyncio.FIRST_COMPLETED)
        up.cancel()
        if self._serving.done():
            self._serving.result()  # raises what went wrong

    async def close(self) -> None:
        """End the server."""
        if self._serving is not None:
            self._server.stop()
            await asyncio.gather(self._serving, return_exceptions=True)

    def account(self, name: str) -> User:
        """Return an account of the file by its name or id, which may be new there; raise MatchError if it has none."""
        user = self.hall.accounts.find(name)
        if user is None:
            for one in _users(self.settings.users):
                if name in (one.name, one.id):
                    user = one
                    self.hall.accounts.add(user)
        if user is None:
            raise MatchError(f"{name}: {self.settings.users} has no such account")
        if user.id not in self._tournament.users:
            self._tournament.users.append(user.id)
        return user

    def table(self, game: Game, seed: int) -> Table:
        """Return the table of a match of some games from one start."""
        return Table(self, game, seed)

    def show(self, match: Reserved) -> None:
        """Open a match to its clients."""
        self.hall.open(match, self._server.now())
        self._tournament.add_game(match.id)
        self.matches.append(match)

    def start(self, match: Reserved) -> None:
        """Start a match whose seats are all taken."""
        match.start(self._server.now())
        self.hall.begin(match)

    def hide(self, match: Reserved) -> None:
        """Forget a match that is not played to its end; one that is over stays for those who ask."""
        self.matches.remove(match)
        if not match.state.is_terminal() and not match.is_gone:
            self.hall.forget(match)

    def _choose(self, entrant: Entrant) -> ServedMatch:
        """Return the match that an account plays now."""
        if entrant.user is None:
            raise Refusal(204)
        for match in self.matches:
            if entrant.user in match.reserved and not match.state.is_terminal():
                return match
        raise NotYet

    async def until(self, match: Reserved, is_so: Callable[[], bool]) -> None:
        """Wait until something about a match is so; raise MatchError if the server or the match ends before."""
        while not is_so():
            if self._serving is None or self._serving.done() or match.is_gone:
                raise MatchError(_("the match server has ended"))
            waiting = asyncio.create_task(match.news.wait())
            try:
                await asyncio.wait([waiting, self._serving], return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()


class Table:
    """The seats of a match of a contest, game by game.

    Attributes
    ----------
    venue : Venue
        The server.
    game : Game
        The game by the rules of the server.
    match : Reserved
        The match of the game that is played now.
    """

    match: Reserved

    def __init__(self, venue: Venue, game: Game, seed: int) -> None:
        self.venue, self._seed = venue, seed
        config: Any = game.config
        self.game = load(game.name, **{field.name: getattr(config, field.name) for field in fields(config)} | RULES)
        self._coming: dict[int, str | Entrant] = {}
        self._gathered: asyncio.Future[Reserved] | None = None
        self._accounts: list[str] = []

    def control(self, control: TimeControl) -> TimeControl:
        """Return the time of programs: the contest's for each move if it has one, at most what a turn takes."""
        config: Any = self.game.config
        turn_ms = 1000 * config.operation_sec
        most = max(1, int(max(turn_ms / 2, turn_ms - MARGIN_MS)))
        return TimeControl(move_ms=min(most, control.move_ms or most))

    def client(self, account: str | None, settings: ClientSettings) -> VenueSeat:
        """Return the seat of a client: that of an account of the file, or None for an account of its own."""
        if account is None:
            user = User.make({"name": f"{settings.name} {uuid.uuid4()}", "screenName": settings.name})
            self.venue.hall.accounts.add(user)
        else:
            user = self.venue.account(account)
        if user.id in self._accounts:
            raise MatchError(f"{user.name}: an account cannot play against itself")
        self._accounts.append(user.id)
        return VenueSeat(settings, self, user)

    def guest(self, seat: Seat) -> Seat:
        """Return the seat of a program or an agent, in the time of the server."""
        return GuestSeat(self, seat)

    def close(self) -> None:
        """End the match."""
        self._leave()

    def _leave(self) -> None:
        if getattr(self, "match", None) in self.venue.matches:
            self.venue.hide(self.match)

    async def gather(self, player: int, who: str | Entrant) -> Reserved:
        """Return the match of the next game, when all of its seats have come."""
        if self._gathered is None:
            self._leave()
            self._coming, self._gathered = {}, asyncio.get_running_loop().create_future()
        gathered = self._gathered
        self._coming[player] = who
        if len(self._coming) == self.game.num_players:
            self._gathered = None
            self.match = self._make([self._coming[seat] for seat in sorted(self._coming)])
            self.venue.show(self.match)
            gathered.set_result(self.match)
        return await gathered

    def _make(self, seats: Sequence[str | Entrant]) -> Reserved:
        config: Any = self.game.new_state(self._seed).game.config
        title = self.venue.settings.title
        names = {field.name for field in fields(Board)} - {"name", "points"}
        board = Board(title, points=config.board_points(), **{name: getattr(config, name) for name in names})
        return Reserved(board, {"put_on_enemy_wall": config.put_on_enemy_wall}, title, seats)

    def start(self) -> None:
        """Start the game, unless it has started."""
        if self.match.phase is Phase.FREE:
            self.venue.start(self.match)


class VenueSeat(clients.ClientSeat):
    """Seat of a client of the match server, which joins under its account; it may join again during a game."""

    NEEDED = ("port", "token")

    def __init__(self, settings: ClientSettings, table: Table, user: User) -> None:
        super().__init__(settings)
        self._table, self._user = table, user

    def port(self) -> Port:
        """Return the port of the server."""
        return Port(self._table.venue.settings.host, self._table.venue.port)

    def words(self) -> dict[str, str]:
        """Return what a command may say in braces."""
        host = self._table.venue.settings.host
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return {"port": str(self.port().number), "host": host, "name": self.settings.name, "token": self._user.token}

    async def wait(self, game: Game) -> Seat:
        """Return the seat of the client, when it has joined."""
        match = await self._table.gather(self.player, self._user.id)
        told = _("{name}: waiting for {user} on {address}")
        self.settings.say(told.format(name=self.name, user=self._user.label, address=self.port().address))
        await self._table.venue.until(match, lambda: match.taken_by(self._user.id) is not None)
        return JoinedSeat(self._table, self.player, self.name)

    def stop(self) -> None:
        """Listen on: the server is for all matches."""


class JoinedSeat(Seat):
    """Seat of a client that has joined: its actions are what the server has at the end of a turn."""

    def __init__(self, table: Table, player: int, name: str) -> None:
        self.name = name
        self._table, self._player = table, player
        self._turn = 0

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Begin the game."""
        self._table.start()

    async def act(self, view: View, timer: Timer) -> list[int]:
        """Return the client's actions at the end of the turn; raise Fault at the first of some turns without any."""
        match, turn, player = self._table.match, self._turn, self._player
        self._turn += 1
        await self._table.venue.until(match, lambda: match.state.played > turn)
        timer.restart()  # the server has kept the time
        timer.stop()
        if player in match.silent[turn] and (turn == 0 or player not in match.silent[turn - 1]):
            raise Fault(TIMEOUT, f"no actions in turn {turn + 1}", is_final=False)
        self.remarks = _remarks(match, turn, player)
        first, number = player * match.config.n_agents, match.config.n_agents
        return match.codes[turn][first : first + number]


def _remarks(match: Reserved, turn: int, player: int) -> list[str]:
    """Return the actions of a turn that had no effect, and why."""
    played, results = match.turns()[turn][player], match.results()[turn][player]
    return [
        f"agent {agent}: {kind} {x},{y}: {EFFECTS[code]}"
        for (agent, kind, x, y), code in zip(played, results, strict=True)
        if code in EFFECTS and kind != "STAY"
    ]


class GuestSeat(NamedSeat):
    """Seat of a program or an agent in a match of the server, which has its answers in time or not at all."""

    def __init__(self, table: Table, seat: Seat) -> None:
        super().__init__(seat, seat.name)
        self._table = table
        self._turn = 0

    async def open(self, game: Game, control: TimeControl) -> None:
        """Take the seat, and get ready."""
        self._entrant = Entrant(self.name, "", f"{uuid.uuid4()}")
        await self._table.gather(self.player, self._entrant)
        await super().open(game, control)

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Begin the game."""
        self._turn = 0
        self._table.start()
        await super().start(view, names, seed)

    async def act(self, view: View, timer: Timer) -> Sequence[int]:
        """Return the answer, if it came before the end of the turn."""
        match, turn = self._table.match, self._turn
        self._turn += 1
        await self._table.venue.until(match, lambda: match.is_open(turn) or match.state.played > turn)
        try:
            actions = await super().act(view, timer)
        except Fault as fault:
            if fault.cause == ILLEGAL:
                self._store(match, turn, view, fault.actions)
            raise
        if not self._store(match, turn, view, actions):
            raise Fault(TIMEOUT, f"the answer came after turn {turn + 1}", is_final=False)
        return actions

    def _store(self, match: Reserved, turn: int, view: View, actions: Sequence[int | None]) -> bool:
        """Give the server those actions that are legal; return False if the turn is over."""
        if not match.is_open(turn):
            return False
        entries: list[Entry] = []
        for agent, (slot, code) in enumerate(zip(view.slots, actions, strict=False)):
            if len(actions) == len(view.slots) and code in view.legal_actions(slot):
                kind, _space, target = match.state.action_to_text(int(code or 0), slot).partition(" ")
                if target:  # STAY needs no entry
                    x, y = map(int, target.split(","))
                    entries.append((agent, kind, x, y))
        match.store(self._entrant, entries, replaces=True)
        return True

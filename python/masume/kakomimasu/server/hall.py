"""Accounts, matches and timing of a match server. [section 14]

This module has no HTTP and no clock: `api.py` translates requests, and callers pass the time to `Hall.advance`.
"""

from __future__ import annotations

import dataclasses
import enum
import heapq
import itertools
import json
import math
import re
import secrets
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...agent import View
from ...core.rng import Rng, stream
from ...errors import ConfigError
from ...game import load
from ...http.limits import Bucket, Shares
from ..agents import AGENTS
from ..boards import Board
from ..fields import HARD_RANGES
from ..protocol import TYPES, Entry, Turn, field, log_turn, sides, tile, to_line
from .accounts import Accounts, User

START_S = 5  # from the last join, rounded down to a second, to the start
PICS = 1_000_000
COMPUTERS = ("none", "a1", "a2", "a3", "a4")
MAX_PLAYERS = HARD_RANGES["n_players"][1]
COMPUTER_PLAYERS = 2  # players of a match against a computer
MAX_MATCHES, MAX_USERS, MAX_TOURNAMENTS = 4000, 10_000, 1000
MAX_GAMES = 1000  # that a tournament remembers, the last ones
MAX_OVER = 1000  # finished matches that are kept
MAX_ENTRIES = 100_000  # actions of a match: its Game object must fit in an answer
LEFT_S = 600  # a match that nobody has asked about for this long can make room for a new one
GUESSES, GUESS_S = 20, 10.0  # wrong codes that an address may send to a match; seconds until it may send one more

MESSAGES = {
    1: "nothing search query",
    2: "invalid content-type",
    3: "invalid syntax",
    4: "unauthorized",
    5: "not found",
    6: "invalid request",
    100: "can not find game",
    101: "game is not free",
    102: "can not find ai",
    104: "invalid action",
    105: "during the transition step",
    106: "invalid query parameter",
    203: "already registered name",
    204: "can not find user",
    206: "already registered user",
    207: "invalid user authorization",
    302: "invalid id",
    303: "nothing id",
    400: "invalid board name",
}
"""Messages of the error codes that this server sends. [section 14.1]"""


PIC = re.compile("[0-9]{6}", re.ASCII)
LOG = "the log"
FIELD = "the board"
_LOG_LINE, _FIELD_LINE = to_line(LOG), to_line(FIELD)
_OWNERS = range(-1, MAX_PLAYERS)
_TILES = {owners: to_line(tile(*owners)) for owners in itertools.product(_OWNERS, _OWNERS)}


class Refusal(Exception):  # noqa: N818 - told, not only raised
    """Refusal of a request.

    Parameters
    ----------
    code : int
        Error code, a key of MESSAGES; or 0, together with a message and status 500.
    message : str, optional
        Message; that of the code by default.
    status : int, optional
        HTTP status.
    wait_s : float, optional
        Seconds after which the same request may succeed.
    """

    def __init__(self, code: int, message: str | None = None, status: int = 400, wait_s: float | None = None) -> None:
        super().__init__(MESSAGES[code] if message is None else message)
        self.code, self.status, self.wait_s = code, status, wait_s


class NotYet(Refusal):
    """Refusal of a request that may succeed soon: the server asks again for a while before it answers."""

    def __init__(self) -> None:
        super().__init__(0, "no match for you yet", 500, 1.0)


# -- a match -------------------------------------------------------------------------------------


class Phase(enum.Enum):
    """Phase of a match. [section 5]"""

    FREE = enum.auto()
    READY = enum.auto()
    OPERATION = enum.auto()
    TRANSITION = enum.auto()
    OVER = enum.auto()


@dataclasses.dataclass
class Entrant:
    """A player of a match.

    Attributes
    ----------
    id : str
        Id of the account, or name of the guest or the computer.
    spec : str
        Description that the player sent.
    pic : str
        Code of six digits that authorises the player's actions.
    user : str or None
        Id of the account; None for guests and computers.
    agent : Agent or None
        The computer opponent.
    stored : dict of int to entry
        This turn's actions by agent number, in the order in which the agents first got one. [section 14.6]
    address : str
        Address from which the player joined.
    label : str
        Name to show to people; the id by default.
    """

    id: str
    spec: str
    pic: str
    user: str | None = None
    agent: Any = None
    stored: dict[int, Entry] = dataclasses.field(default_factory=dict)
    address: str = ""
    label: str = ""

    def __post_init__(self) -> None:
        self.label = self.label or self.id

    @property
    def type(self) -> str:
        """Type of the player in the Game object."""
        return "guest" if self.user is None and self.agent is None else "account"


class ServedMatch:
    """A match on a board.

    Parameters
    ----------
    board : Board
        The board.
    fields : mapping
        Config fields that replace those of the board.
    kind : {"normal", "self", "personal"}, optional
        Type of the match.
    name : str, optional
        Name of the match.
    reserved : sequence of str, optional
        Ids of the accounts that may join; empty: everybody may.
    owner : str, optional
        Id of the account that owns a personal match.
    address : str, optional
        Address of the client that created the match.
    """

    def __init__(
        self,
        board: Board,
        fields: Mapping[str, Any],
        kind: str = "normal",
        name: str | None = None,
        reserved: Sequence[str] = (),
        owner: str | None = None,
        address: str = "",
    ) -> None:
        self.id = str(uuid.uuid4())
        self.board, self.kind, self.name, self.reserved, self.owner = board, kind, name, list(reserved), owner
        self.fields, self.address = dict(fields), address
        self.game = load("kakomimasu", board=board, **fields)
        self.config: Any = self.game.config
        self.state: Any = self.game.new_state()
        self.entrants: list[Entrant] = []
        self.phase = Phase.FREE
        self.started_at: int | None = None
        self.asked_at = -math.inf  # time of the last request about it, Unix seconds
        self.is_gone = False  # whether the server has dropped it
        self.number = 0  # position in the order of starts
        self._turns: list[bytes] = []  # entries of the log
        self._cells: list[bytes] = []  # `state.agents` before each turn
        self._guesses: dict[str, Bucket] = {}
        self._points_line: bytes | None = None
        self._line: bytes | None = None  # cache of `line`, reset by every change

    # -- time --------------------------------------------------------------------------------------

    @property
    def moment(self) -> float:
        """Start of its next step in Unix seconds; infinite if time changes nothing. [section 14.5]"""
        if self.started_at is None or self.phase is Phase.OVER:
            return math.inf
        if self.phase is Phase.READY:
            return self.started_at
        begun: float = self.started_at + self._period * self.state.played
        return begun if self.phase is Phase.TRANSITION else begun + self.config.operation_sec

    @property
    def next_turn_at(self) -> float | None:
        """Start of the next turn in Unix seconds; None while free and after the end. [section 14.9]"""
        if self.started_at is None or self.status == "ended":
            return None
        return self.started_at + self._period * self.turn

    @property
    def _period(self) -> float:
        period: float = self.config.operation_sec + self.config.transition_sec  # an int if both are
        return period

    def step(self) -> bool:
        """Begin the next step; return whether streams must be notified. [section 14.5] [section 14.7]"""
        self._line = None
        if self.phase is Phase.OPERATION:
            self._resolve()
            self.phase = Phase.TRANSITION
            return False
        self.phase = Phase.OVER if self.state.is_terminal() else Phase.OPERATION
        if self.phase is Phase.OPERATION:
            self._ask_computers()
        return True

    def _resolve(self) -> None:
        self.play([list(entrant.stored.values()) for entrant in self.entrants])
        for entrant in self.entrants:
            entrant.stored.clear()

    def play(self, turn: Turn) -> None:
        """Play a turn and append it to the log."""
        self._cells.append(self.state.agents.tobytes())
        self._turns.append(to_line(log_turn(self.state, turn)))

    def turns(self) -> list[Turn]:
        """Return the turns played so far, in list form."""
        return [
            [
                [(one["agentId"], TYPES[one["type"]], one["x"], one["y"]) for one in player["actions"]]
                for player in json.loads(line)["players"]
            ]
            for line in self._turns
        ]

    def cells(self) -> list[list[list[int]]]:
        """Return the cell of each agent of each player before each turn, -1 if it is not placed."""
        like = self.state.agents
        return [np.frombuffer(line, like.dtype).reshape(like.shape).tolist() for line in self._cells]

    def results(self) -> list[list[list[int]]]:
        """Return the result codes of each player's actions of each turn. [section 6]"""
        return [
            [[one["res"] for one in player["actions"]] for player in json.loads(line)["players"]]
            for line in self._turns
        ]

    def _ask_computers(self) -> None:
        for player, entrant in enumerate(self.entrants):
            if entrant.agent is not None:
                codes = entrant.agent.act(View(self.state, player))
                first = player * self.config.n_agents
                for agent, code in enumerate(codes):
                    kind, _, target = self.state.action_to_text(code, first + agent).partition(" ")
                    if target:  # STAY needs no entry
                        x, y = map(int, target.split(","))
                        entrant.stored[agent] = (agent, kind, x, y)

    # -- players -----------------------------------------------------------------------------------

    def join(self, entrant: Entrant, at: float) -> int:
        """Give the entrant the next seat and return its number; the last seat sets the start time."""
        self._line = None
        self.entrants.append(entrant)
        if len(self.entrants) == self.config.n_players:
            self.phase, self.started_at = Phase.READY, math.floor(at) + START_S
        return len(self.entrants) - 1

    def taken_by(self, _user: str | None) -> tuple[int, Entrant] | None:
        """Return the seat that the account has and may take again; None: each seat is given once."""
        return None

    def new_pic(self) -> str:
        """Return a code of six digits that no entrant of the match has."""
        taken = {entrant.pic for entrant in self.entrants}
        while (pic := f"{secrets.randbelow(PICS):06d}") in taken:
            pass
        return pic

    def identify(self, pic: str, address: str, known: set[tuple[str, int]], now: float) -> Entrant | None:
        """Return the entrant with this code.

        Parameters
        ----------
        pic : str
            The code.
        address : str
            Address of the client that sends it.
        known : set of (str, int)
            Seats whose code was correct before on this connection; they are always accepted. Updated in place.
        now : float
            The time in Unix seconds.

        Returns
        -------
        Entrant or None
            None if no entrant has the code.

        Raises
        ------
        Refusal
            After too many wrong codes.

        Notes
        -----
        A code is one of a million, so wrong codes are counted: per address if a player joined from it, otherwise
        together. After too many, correct codes from there are refused too; otherwise guessing could continue.
        """
        first = None
        for index, entrant in enumerate(self.entrants):  # all of them, so that the time taken reveals nothing
            if entrant.agent is None and secrets.compare_digest(_bytes(pic), _bytes(entrant.pic)):
                first = index, entrant
        if first is not None and (self.id, first[0]) in known:
            return first[1]
        if not PIC.fullmatch(pic):
            return None
        key = address if any(entrant.address == address for entrant in self.entrants) else ""
        bucket = self._guesses.setdefault(key, Bucket(GUESSES, GUESS_S, now))
        wait_s = bucket.wait_s(now)
        if wait_s:
            raise Refusal(207, wait_s=wait_s)
        if first is None:
            bucket.take(now)
            return None
        known.add((self.id, first[0]))
        return first[1]

    def store(self, entrant: Entrant, entries: Iterable[Entry], replaces: bool) -> None:
        """Store actions for this turn; each replaces an earlier one of the same agent. [section 14.6]

        Nothing is stored after the end.

        Parameters
        ----------
        entrant : Entrant
            The player.
        entries : iterable of entries
            The actions, as (agent, type, x, y).
        replaces : bool
            Whether the actions replace all stored ones.

        Raises
        ------
        Refusal
            If more nonexistent agents would have actions than the player has agents.
        """
        if self.state.is_terminal():
            return
        merged = ({} if replaces else entrant.stored) | {entry[0]: entry for entry in entries}
        if sum(not 0 <= agent < self.config.n_agents for agent in merged) > self.config.n_agents:
            raise Refusal(6)
        entrant.stored = merged

    def claims(self) -> list[str]:
        """Return the ids of the accounts that it refers to, whether they play or not."""
        return self.reserved if self.owner is None else [*self.reserved, self.owner]

    # -- Game object -------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """Status in the Game object. [section 14.4]"""
        if self.phase in (Phase.FREE, Phase.READY):
            return self.phase.name.lower()
        return "ended" if self.state.is_terminal() else "gaming"

    @property
    def turn(self) -> int:
        """Turn in the Game object: 0 before the start, then 1..T. [section 14.4]"""
        return 0 if self.phase in (Phase.FREE, Phase.READY) else self.state.turn

    @property
    def is_changing(self) -> bool:
        """Whether it is in a transition step that precedes a turn: error 105. [section 14.5]"""
        return self.phase is Phase.TRANSITION and not self.state.is_terminal()

    def pair_sides(self) -> list[tuple[Entrant, dict[str, Any]]]:
        """Return each entrant with its `agents` and `point`."""
        cells = self.state.agents.tolist()
        return list(zip(self.entrants, sides(self.config, self.state, cells), strict=False))

    @property
    def line(self) -> bytes:
        """Game object as one line of JSON, cached until something changes."""
        if self._line is None:
            board: list[bytes] = [b"null"] if self.phase is Phase.FREE else self._field_line()
            head, _, rest = to_line(self._shown(FIELD, [LOG])).partition(_FIELD_LINE)
            middle, _, tail = rest.partition(_LOG_LINE)
            self._line = b"".join((head, *board, middle, b",".join(self._turns), tail))
        return self._line

    def _field_line(self) -> list[bytes]:
        """Return the JSON of `field`; the constant part is cached."""
        if self._points_line is None:
            config = self.config
            found = {"width": config.width, "height": config.height, "points": list(config.board_points())}
            self._points_line = to_line(found)[:-1] + b',"tiles":['
        owners = zip(self.state.walls.ravel().tolist(), self.state.territory.ravel().tolist(), strict=True)
        return [self._points_line, b",".join([_TILES[pair] for pair in owners]), b"]}"]

    def to_json(self) -> dict[str, Any]:
        """Return the Game object. [section 14.4]"""
        return self._shown(self._field(), [json.loads(line) for line in self._turns])

    def summary(self) -> dict[str, Any]:
        """Return the Game object with an empty log."""
        return self._shown(self._field(), [])

    def _field(self) -> dict[str, Any] | None:
        return None if self.phase is Phase.FREE else field(self.config, self.state)

    def _shown(self, board: Any, log: list[Any]) -> dict[str, Any]:
        config = self.config
        facts = {
            "id": self.id,
            "status": self.status,
            "turn": self.turn,
            "totalTurn": config.total_turns,
            "nPlayer": config.n_players,
            "nAgent": config.n_agents,
            "operationSec": config.operation_sec,
            "transitionSec": config.transition_sec,
            "startedAtUnixTime": self.started_at,
            "field": board,
            "log": log,
            "players": [
                {"id": entrant.id, "spec": entrant.spec, "type": entrant.type, **side}
                for entrant, side in self.pair_sides()
            ],
            "reservedUsers": self.reserved,
            "type": self.kind,
        }
        return facts if self.name is None else {**facts, "name": self.name}


def codes_of(state: Any, turn: Turn) -> list[int]:
    """Return a turn as one code for each agent: what is missing, illegal or given twice is played as STAY. [KM-R19]"""
    slots = len(state.slots) // len(turn)
    codes = [state.fallback(slot) for slot in range(len(state.slots))]
    for player, entries in enumerate(turn):
        given = [agent for agent, *_ in entries]
        for agent, kind, x, y in entries:
            slot = player * slots + agent
            if given.count(agent) == 1 and 0 <= agent < slots and kind in ("PUT", "MOVE", "REMOVE"):
                text = f"{kind} {x},{y}"
                legal = {state.action_to_text(int(code), slot): int(code) for code in state.legal_actions(slot)}
                codes[slot] = legal.get(text, codes[slot])
    return codes


@dataclasses.dataclass
class Tournament:
    """A tournament: a record that clients keep, which decides nothing. [section 14.11]

    Attributes
    ----------
    id : str
        UUID of the tournament.
    name, organizer, kind, remarks : str
        What its creator said; `kind` is the API's `type`.
    users : list of str
        Ids of the accounts that take part, in the order of their entry.
    games : list of str
        Ids of its last matches, in the order of their creation.
    address : str
        Address of the client that created it.
    """

    id: str
    name: str
    organizer: str
    kind: str
    remarks: str
    users: list[str] = dataclasses.field(default_factory=list)
    games: list[str] = dataclasses.field(default_factory=list)
    address: str = ""

    def add_game(self, match_id: str) -> None:
        """Add a match."""
        self.games = [*self.games, match_id][-MAX_GAMES:]


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


# -- all matches ---------------------------------------------------------------------------------


class Hall:
    """The accounts and matches of a server.

    Parameters
    ----------
    boards : mapping of str to Board
        Boards that clients can request, by name.
    fields : mapping
        Config fields that replace those of every board.
    open_boards : sequence of str
        Names of the boards for matches without a requested board; one is drawn for each.
    users : iterable of User, optional
        The accounts.
    seed : int, optional
        Seed of the draws.
    tell : callable, optional
        Called with a match whenever the streams must be notified of it.
    end : callable, optional
        Called with a match that is over.

    Attributes
    ----------
    choose : callable or None
        Returns the match that an entrant who asks for any match gets, or raises Refusal; None: the oldest free match,
        or a new one.

    Raises
    ------
    ConfigError
        If a board cannot be played with `fields`.
    """

    def __init__(
        self,
        boards: Mapping[str, Board],
        fields: Mapping[str, Any],
        open_boards: Sequence[str],
        users: Iterable[User] = (),
        seed: int = 0,
        tell: Callable[[ServedMatch], None] = lambda _: None,
        end: Callable[[ServedMatch], None] = lambda _: None,
    ) -> None:
        self.boards = dict(boards)
        self.matches: dict[str, ServedMatch] = {}
        self.accounts = Accounts(users)
        self.choose: Callable[[Entrant], ServedMatch] | None = None
        self.tournaments: dict[str, Tournament] = {}
        self._fields, self._open_boards, self._tell, self._end = dict(fields), list(open_boards), tell, end
        self._rng = Rng(stream(seed, 0))
        # a heap of (start of the next step, number, match); a match that a request advanced is in it twice
        self._steps: list[tuple[float, int, ServedMatch]] = []
        self._num_started = 0  # order of the matches whose steps begin at the same time
        self._of_account: dict[str, dict[str, ServedMatch]] = {}  # the matches in which each account has a seat
        self._claims: Counter[str] = Counter()  # number of matches that refer to each account, by its id
        self._free: dict[str, ServedMatch] = {}  # the free matches of type normal
        self._over: dict[str, ServedMatch] = {}
        self._shares = Shares(MAX_MATCHES)
        self._user_shares = Shares(MAX_USERS)
        self._tournament_shares = Shares(MAX_TOURNAMENTS)
        for board in self.boards.values():
            load("kakomimasu", board=board, **self._fields)  # fail now if it cannot be played

    # -- time --------------------------------------------------------------------------------------

    @property
    def moment(self) -> float:
        """Time of the next change without a request, in Unix seconds."""
        return self._steps[0][0] if self._steps else math.inf

    def advance(self, now: float, most: int | None = None) -> bool:
        """Begin the steps that are due, in the order of their times.

        Parameters
        ----------
        now : float
            The time in Unix seconds.
        most : int, optional
            Maximum number of steps to begin.

        Returns
        -------
        bool
            Whether all due steps have begun.
        """
        while self.moment <= now:
            if most is not None:
                most -= 1
                if most < 0:
                    return False
            moment, _, match = heapq.heappop(self._steps)
            if not match.is_gone and match.moment == moment:
                self._step(match)
                self._await(match)
        return True

    def advance_match(self, match: ServedMatch, now: float) -> None:
        """Begin the due steps of one match, ahead of other matches."""
        if match.moment <= now:
            while match.moment <= now:
                self._step(match)
            self._await(match)

    def _await(self, match: ServedMatch) -> None:
        if match.moment < math.inf and not match.is_gone:
            heapq.heappush(self._steps, (match.moment, match.number, match))

    def _step(self, match: ServedMatch) -> None:
        was_over = match.state.is_terminal()
        is_told = match.step()
        if match.state.is_terminal() and not was_over:
            self._end(match)
        if is_told:
            self._tell(match)
        if match.phase is Phase.OVER:
            self._over[match.id] = match
            if len(self._over) > MAX_OVER:
                self.forget(next(iter(self._over.values())))

    # -- matches -----------------------------------------------------------------------------------

    def make(self, board: Board | None, fields: Mapping[str, Any], **keywords: Any) -> ServedMatch:
        """Return a new match that is not open yet.

        Parameters
        ----------
        board : Board or None
            The board; None: one of the open boards is drawn.
        fields : mapping
            Config fields that replace those of the board.
        **keywords
            Further arguments of `ServedMatch`.

        Raises
        ------
        Refusal
            If the fields are invalid or the match could have too many actions.
        """
        if board is None:
            board = self.boards[self._open_boards[self._rng.below(len(self._open_boards))]]
        try:
            match = ServedMatch(board, {**self._fields, **fields}, **keywords)
        except ConfigError:  # for example, an official match
            raise Refusal(6) from None
        config = match.config
        if fields and config.n_players * config.n_agents * config.total_turns > MAX_ENTRIES:
            raise Refusal(6)
        return match

    def open(self, match: ServedMatch, now: float) -> None:
        """Publish a match; raise Refusal if there are too many."""
        if not self._shares.has_room(match.address):
            self._make_room(match.address, now)
        self.keep(match, now)
        self._tell(match)

    def keep(self, match: ServedMatch, now: float) -> None:
        """Add a match to those of the server."""
        match.asked_at = now
        self._shares.take(match.address)
        self.matches[match.id] = match
        self._claims.update(match.claims())
        if match.kind == "normal" and match.phase is Phase.FREE:
            self._free[match.id] = match
        for entrant in match.entrants:
            self._seat(match, entrant)
        if match.started_at is not None:
            self._begin(match)

    def _make_room(self, address: str, now: float) -> None:
        """Drop a match that is over or that nobody asks about; raise Refusal if there is none."""
        largest = self._shares.largest(address)
        if largest != address and self._over:  # the server is full: drop the oldest finished match of any address
            self.forget(next(iter(self._over.values())))
            return
        found = [match for match in self.matches.values() if match.address == largest]
        match = min(found, key=lambda one: (one.phase is not Phase.OVER, one.asked_at), default=None)
        if match is None or (match.phase is not Phase.OVER and match.asked_at > now - LEFT_S):
            raise Refusal(0, "too many matches", 500)
        self.forget(match)

    def forget(self, match: ServedMatch) -> None:
        """Drop a match."""
        match.is_gone = True
        del self.matches[match.id]
        self._shares.give_back(match.address)
        self._free.pop(match.id, None)
        self._over.pop(match.id, None)
        for entrant in match.entrants:
            if entrant.user is not None:
                places = self._of_account.get(entrant.user, {})
                places.pop(match.id, None)
                if not places:
                    self._of_account.pop(entrant.user, None)
        gone = [*match.claims(), *(entrant.user for entrant in match.entrants if entrant.user is not None)]
        self._claims.subtract(gone)
        for user in gone:
            if user in self._claims and not self._claims[user]:
                del self._claims[user]
        self._tell(match)

    def join(self, match: ServedMatch, entrant: Entrant, at: float) -> int:
        """Give an entrant the next seat of a match; return the number of the seat."""
        index = match.join(entrant, at)
        if entrant.agent is not None:
            self.wake(match, index)
        self._seat(match, entrant)
        if match.phase is Phase.READY:
            self._free.pop(match.id, None)
            self._begin(match)
        self._tell(match)
        return index

    def begin(self, match: ServedMatch) -> None:
        """Begin the steps of a match whose start time is known, and tell its players."""
        self._begin(match)
        self._tell(match)

    def wake(self, match: ServedMatch, index: int) -> None:
        """Start the computer opponent of a seat."""
        match.entrants[index].agent.start(match.game, index, self._rng.next())

    def _seat(self, match: ServedMatch, entrant: Entrant) -> None:
        if entrant.user is not None:
            self._of_account.setdefault(entrant.user, {})[match.id] = match
            self._claims[entrant.user] += 1

    def _begin(self, match: ServedMatch) -> None:
        match.number = self._num_started
        self._num_started += 1
        self._await(match)

    def matches_of(self, user: User) -> list[ServedMatch]:
        """Return the matches in which the account has a seat, by start time; those without one last."""
        mine = self._of_account.get(user.id, {}).values()
        return sorted(mine, key=lambda match: math.inf if match.started_at is None else match.started_at)

    def free_match(self) -> ServedMatch | None:
        """Return the oldest free match of type normal, or None."""
        return next(iter(self._free.values()), None)

    def register(self, user: User) -> None:
        """Add an account that a client has created; raise Refusal if there are too many.

        At the limit, the oldest account that no match refers to is removed first.
        """
        address = user.address or ""
        if not self._user_shares.has_room(address):
            largest = self._user_shares.largest(address)
            oldest = next(
                (one for one in self.accounts if one.address == largest and not self.is_claimed(one.id)), None
            )
            if oldest is None:
                raise Refusal(0, "too many users", 500)
            self.remove(oldest)
        self._user_shares.take(address)
        self.accounts.add(user)

    def remove(self, user: User) -> None:
        """Remove an account."""
        self.accounts.remove(user)
        if user.address is not None:
            self._user_shares.give_back(user.address)

    def is_claimed(self, user_id: str) -> bool:
        """Return whether a match refers to the account with this id; the account may be gone."""
        return user_id in self._claims

    def add_tournament(self, tournament: Tournament) -> None:
        """Add a tournament; raise Refusal if there are too many."""
        if not self._tournament_shares.has_room(tournament.address):
            raise Refusal(0, "too many tournaments", 500)
        self._tournament_shares.take(tournament.address)
        self.tournaments[tournament.id] = tournament

    def remove_tournament(self, tournament: Tournament) -> None:
        """Remove a tournament; its matches stay."""
        del self.tournaments[tournament.id]
        self._tournament_shares.give_back(tournament.address)

    def make_computer(self, name: str) -> Entrant:
        """Return a new entrant for a computer opponent. [section 14.3]"""
        return Entrant(name, "", "", agent=AGENTS[name]())

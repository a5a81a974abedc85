"""What a match server keeps: accounts, matches and their time. [section 14]

No HTTP here, and no clock: `api.py` asks, and whoever calls `Hall.advance` says what time it is.
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

from ...agent import View
from ...core.rng import Rng, stream
from ...errors import ConfigError
from ...game import load
from ..agents import AGENTS
from ..boards import Board
from ..fields import HARD_RANGES
from ..protocol import TYPES, Entry, Turn, field, log_turn, sides, tile, to_line
from .accounts import Accounts, User
from .limits import Bucket, Shares

START_S = 5  # from the last player's joining to the start, after the whole second
PICS = 1_000_000
COMPUTERS = ("none", "a1", "a2", "a3", "a4")
MAX_PLAYERS = HARD_RANGES["n_players"][1]
COMPUTER_PLAYERS = 2  # in a match against one
MAX_MATCHES, MAX_USERS = 4000, 10_000
MAX_OVER = 1000  # of the matches, those that are over
MAX_ENTRIES = 100_000  # actions that a match can have: its Game object has to fit in an answer
LEFT_S = 600  # a match that nobody has asked about for so long makes room for a new one
GUESSES, GUESS_S = 20, 10.0  # wrong codes that an address may send to a match, and the seconds until one more

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
    400: "invalid board name",
}
"""Of the codes that this server answers with. [section 14.1]"""


PIC = re.compile("[0-9]{6}", re.ASCII)
LOG = "the log"
FIELD = "the board"
_LOG_LINE, _FIELD_LINE = to_line(LOG), to_line(FIELD)
_OWNERS = range(-1, MAX_PLAYERS)
_TILES = {owners: to_line(tile(*owners)) for owners in itertools.product(_OWNERS, _OWNERS)}


class Refusal(Exception):  # noqa: N818 - told, not only raised
    """A request that is refused, by its code in MESSAGES; code 0 has a message of its own and is status 500.

    wait_s : after how many seconds the same request may be answered.
    """

    def __init__(self, code: int, message: str | None = None, status: int = 400, wait_s: float | None = None) -> None:
        super().__init__(MESSAGES[code] if message is None else message)
        self.code, self.status, self.wait_s = code, status, wait_s


# -- a match -------------------------------------------------------------------------------------


class Phase(enum.Enum):
    """Where a match is. [section 5]"""

    FREE = enum.auto()
    READY = enum.auto()
    OPERATION = enum.auto()
    TRANSITION = enum.auto()
    OVER = enum.auto()


@dataclasses.dataclass
class Entrant:
    """A player of a match.

    id : an account's, a guest's name or the computer's. user : the account's id, None of others. agent : the computer.
    stored : this turn's actions by the agent, in the order in which the agents first had one. [section 14.6]
    address : where it joined from.
    """

    id: str
    spec: str
    pic: str
    user: str | None = None
    agent: Any = None
    stored: dict[int, Entry] = dataclasses.field(default_factory=dict)
    address: str = ""

    @property
    def type(self) -> str:
        """As the Game object tells it."""
        return "guest" if self.user is None and self.agent is None else "account"


class Match:
    """A match of `kind` "normal", "self" or "personal" on a board.

    fields : of the config, in the place of the board's. reserved : ids of the accounts that may join, nobody: all.
    owner : the account whose personal match it is. address : of the client that made it.
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
        self.asked_at = -math.inf  # when somebody last wanted to know of it or to play in it
        self.is_gone = False  # whether the server keeps it no more
        self.number = 0  # in the order of those that began
        self._turns: list[bytes] = []  # of the log
        self._guesses: dict[str, Bucket] = {}
        self._points_line: bytes | None = None
        self._line: bytes | None = None  # what `line` is, until something changes

    # -- time --------------------------------------------------------------------------------------

    @property
    def moment(self) -> float:
        """When its next step begins, in Unix seconds; infinite where time changes nothing. [section 14.5]"""
        if self.started_at is None or self.phase is Phase.OVER:
            return math.inf
        if self.phase is Phase.READY:
            return self.started_at
        begun: float = self.started_at + self._period * self.state.played
        return begun if self.phase is Phase.TRANSITION else begun + self.config.operation_sec

    @property
    def next_turn_at(self) -> float | None:
        """When the next turn begins; None while free and after the end. [section 14.9]"""
        if self.started_at is None or self.status == "ended":
            return None
        return self.started_at + self._period * self.turn

    @property
    def _period(self) -> float:
        period: float = self.config.operation_sec + self.config.transition_sec  # an int where both are
        return period

    def step(self) -> bool:
        """Begin the next step; whether streams are told. [section 14.5] [section 14.7]"""
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
        """Play a turn, and keep it in the log."""
        self._turns.append(to_line(log_turn(self.state, turn)))

    def turns(self) -> list[Turn]:
        """The turns that were played, in list form."""
        return [
            [
                [(one["agentId"], TYPES[one["type"]], one["x"], one["y"]) for one in player["actions"]]
                for player in json.loads(line)["players"]
            ]
            for line in self._turns
        ]

    def _ask_computers(self) -> None:
        for player, entrant in enumerate(self.entrants):
            if entrant.agent is not None:
                codes = entrant.agent.act(View(self.state, player))
                first = player * self.config.n_agents
                for agent, code in enumerate(codes):
                    kind, _, target = self.state.action_to_text(code, first + agent).partition(" ")
                    if target:  # whoever stays says nothing
                        x, y = map(int, target.split(","))
                        entrant.stored[agent] = (agent, kind, x, y)

    # -- players -----------------------------------------------------------------------------------

    def join(self, entrant: Entrant, at: float) -> int:
        """Take the next place, and fix the start if it is the last; the place's number."""
        self._line = None
        self.entrants.append(entrant)
        if len(self.entrants) == self.config.n_players:
            self.phase, self.started_at = Phase.READY, math.floor(at) + START_S
        return len(self.entrants) - 1

    def new_pic(self) -> str:
        """Six digits that no entrant of the match has."""
        taken = {entrant.pic for entrant in self.entrants}
        while (pic := f"{secrets.randbelow(PICS):06d}") in taken:
            pass
        return pic

    def identify(self, pic: str, address: str, known: set[tuple[str, int]], now: float) -> Entrant | None:
        """Return the entrant with this code, None where nobody has it; Refusal after too many wrong codes.

        known : the seats whose code was right before on this connection, which are answered at any time.

        A seat has one of a million codes. So wrong ones are counted: by the address they come from, if a player joined
        from there, and otherwise together. Then right ones from there are refused too, or guessing would go on.
        """
        found = None
        for index, entrant in enumerate(self.entrants):  # all of them: how long it takes says nothing
            if entrant.agent is None and secrets.compare_digest(_bytes(pic), _bytes(entrant.pic)):
                found = index, entrant
        if found is not None and (self.id, found[0]) in known:
            return found[1]
        if not PIC.fullmatch(pic):
            return None
        key = address if any(entrant.address == address for entrant in self.entrants) else ""
        bucket = self._guesses.setdefault(key, Bucket(GUESSES, GUESS_S, now))
        wait_s = bucket.wait_s(now)
        if wait_s:
            raise Refusal(207, wait_s=wait_s)
        if found is None:
            bucket.take(now)
            return None
        known.add((self.id, found[0]))
        return found[1]

    def store(self, entrant: Entrant, entries: Iterable[Entry], replaces: bool) -> None:
        """Store actions for this turn, each in the place of the agent's earlier one.

        Refusal of actions for more agents that the player has not than it has.

        replaces : in the place of all that was stored. Nothing is stored after the end. [section 14.6]
        """
        if self.state.is_terminal():
            return
        merged = ({} if replaces else entrant.stored) | {entry[0]: entry for entry in entries}
        if sum(not 0 <= agent < self.config.n_agents for agent in merged) > self.config.n_agents:
            raise Refusal(6)
        entrant.stored = merged

    def claims(self) -> list[str]:
        """The ids of accounts that mean something to it, whether they play or not."""
        return self.reserved if self.owner is None else [*self.reserved, self.owner]

    # -- what is told ------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """As the Game object tells it. [section 14.4]"""
        if self.phase in (Phase.FREE, Phase.READY):
            return self.phase.name.lower()
        return "ended" if self.state.is_terminal() else "gaming"

    @property
    def turn(self) -> int:
        """0 before the start, then 1..T. [section 14.4]"""
        return 0 if self.phase in (Phase.FREE, Phase.READY) else self.state.turn

    @property
    def is_changing(self) -> bool:
        """Whether it is in a transition step after which a turn comes: error 105. [section 14.5]"""
        return self.phase is Phase.TRANSITION and not self.state.is_terminal()

    def pair_sides(self) -> list[tuple[Entrant, dict[str, Any]]]:
        """Pair the entrants with `agents` and `point` of each."""
        cells = self.state.agents.tolist()
        return list(zip(self.entrants, sides(self.config, self.state, cells), strict=False))

    @property
    def line(self) -> bytes:
        """The Game object in one line, written once for all who ask before it changes."""
        if self._line is None:
            board: list[bytes] = [b"null"] if self.phase is Phase.FREE else self._field_line()
            head, _, rest = to_line(self._shown(FIELD, [LOG])).partition(_FIELD_LINE)
            middle, _, tail = rest.partition(_LOG_LINE)
            self._line = b"".join((head, *board, middle, b",".join(self._turns), tail))
        return self._line

    def _field_line(self) -> list[bytes]:
        """The board as `field` has it, of which the most is written already."""
        if self._points_line is None:
            config = self.config
            found = {"width": config.width, "height": config.height, "points": list(config.board_points())}
            self._points_line = to_line(found)[:-1] + b',"tiles":['
        owners = zip(self.state.walls.ravel().tolist(), self.state.territory.ravel().tolist(), strict=True)
        return [self._points_line, b",".join([_TILES[pair] for pair in owners]), b"]}"]

    def to_json(self) -> dict[str, Any]:
        """The Game object. [section 14.4]"""
        return self._shown(self._field(), [json.loads(line) for line in self._turns])

    def summary(self) -> dict[str, Any]:
        """The Game object, but for the log."""
        return self._shown(self._field(), [])

    def _field(self) -> dict[str, Any] | None:
        return None if self.phase is Phase.FREE else field(self.config, self.state)

    def _shown(self, board: Any, log: list[Any]) -> dict[str, Any]:
        config = self.config
        found = {
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
        return found if self.name is None else {**found, "name": self.name}


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


# -- all of it -----------------------------------------------------------------------------------


class Hall:
    """The accounts and matches of a server.

    boards : that matches can ask for, by name. fields : of the config, in the place of every board's. open_boards :
    names of those that matches get which ask for none, drawn from `seed`. users : the accounts.
    tell : called with a match whenever streams are to be told of it. end : called with a match that is over.
    """

    def __init__(
        self,
        boards: Mapping[str, Board],
        fields: Mapping[str, Any],
        open_boards: Sequence[str],
        users: Iterable[User] = (),
        seed: int = 0,
        tell: Callable[[Match], None] = lambda _: None,
        end: Callable[[Match], None] = lambda _: None,
    ) -> None:
        self.boards = dict(boards)
        self.matches: dict[str, Match] = {}
        self.accounts = Accounts(users)
        self._fields, self._open_boards, self._tell, self._end = dict(fields), list(open_boards), tell, end
        self._rng = Rng(stream(seed, 0))
        # a heap: when the next step begins, of all that time changes; one that was begun on request stands there twice
        self._steps: list[tuple[float, int, Match]] = []
        self._num_started = 0  # which of them goes first at one time
        self._of_account: dict[str, dict[str, Match]] = {}  # those in which it has a place
        self._claims: Counter[str] = Counter()  # the matches that have a place for an account, by its id
        self._free: dict[str, Match] = {}  # those of type normal that are free
        self._over: dict[str, Match] = {}
        self._shares = Shares(MAX_MATCHES)
        self._user_shares = Shares(MAX_USERS)
        for board in self.boards.values():
            load("kakomimasu", board=board, **self._fields)  # what cannot be played is an error now

    # -- time --------------------------------------------------------------------------------------

    @property
    def moment(self) -> float:
        """When something changes by itself, in Unix seconds."""
        return self._steps[0][0] if self._steps else math.inf

    def advance(self, now: float, most: int | None = None) -> bool:
        """Let steps begin that have begun by `now`, in the order of their times; whether that is all of them.

        most : how many at most.
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

    def advance_match(self, match: Match, now: float) -> None:
        """Let the steps of one match begin, before those of others that have begun."""
        if match.moment <= now:
            while match.moment <= now:
                self._step(match)
            self._await(match)

    def _await(self, match: Match) -> None:
        if match.moment < math.inf and not match.is_gone:
            heapq.heappush(self._steps, (match.moment, match.number, match))

    def _step(self, match: Match) -> None:
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

    def make(self, board: Board | None, fields: Mapping[str, Any], **keywords: Any) -> Match:
        """A new match that is not open yet, without a board on one of the open ones; Refusal of what does not fit."""
        if board is None:
            board = self.boards[self._open_boards[self._rng.below(len(self._open_boards))]]
        try:
            match = Match(board, {**self._fields, **fields}, **keywords)
        except ConfigError:  # of an official match, for one
            raise Refusal(6) from None
        config = match.config
        if fields and config.n_players * config.n_agents * config.total_turns > MAX_ENTRIES:
            raise Refusal(6)
        return match

    def open(self, match: Match, now: float) -> None:
        """Let a match be seen; Refusal where there are too many."""
        if not self._shares.has_room(match.address):
            self._make_room(match.address, now)
        self.keep(match, now)
        self._tell(match)

    def keep(self, match: Match, now: float) -> None:
        """Keep a match."""
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
        """Forget a match that is over, or that nobody asks about; Refusal where there is none."""
        largest = self._shares.largest(address)
        if largest != address and self._over:  # the server is full: anybody's will do
            self.forget(next(iter(self._over.values())))
            return
        found = [match for match in self.matches.values() if match.address == largest]
        match = min(found, key=lambda one: (one.phase is not Phase.OVER, one.asked_at), default=None)
        if match is None or (match.phase is not Phase.OVER and match.asked_at > now - LEFT_S):
            raise Refusal(0, "too many matches", 500)
        self.forget(match)

    def forget(self, match: Match) -> None:
        """Keep a match no more."""
        match.is_gone = True
        del self.matches[match.id]
        self._shares.give_back(match.address)
        self._free.pop(match.id, None)
        self._over.pop(match.id, None)
        for entrant in match.entrants:
            if entrant.user is not None:
                mine = self._of_account.get(entrant.user, {})
                mine.pop(match.id, None)
                if not mine:
                    self._of_account.pop(entrant.user, None)
        gone = [*match.claims(), *(entrant.user for entrant in match.entrants if entrant.user is not None)]
        self._claims.subtract(gone)
        for user in gone:
            if user in self._claims and not self._claims[user]:
                del self._claims[user]
        self._tell(match)

    def join(self, match: Match, entrant: Entrant, at: float) -> int:
        """Take a place; its number."""
        index = match.join(entrant, at)
        if entrant.agent is not None:
            self.wake(match, index)
        self._seat(match, entrant)
        if match.phase is Phase.READY:
            self._free.pop(match.id, None)
            self._begin(match)
        self._tell(match)
        return index

    def wake(self, match: Match, index: int) -> None:
        """Let the computer at a place begin to play."""
        match.entrants[index].agent.start(match.game, index, self._rng.next())

    def _seat(self, match: Match, entrant: Entrant) -> None:
        if entrant.user is not None:
            self._of_account.setdefault(entrant.user, {})[match.id] = match
            self._claims[entrant.user] += 1

    def _begin(self, match: Match) -> None:
        match.number = self._num_started
        self._num_started += 1
        self._await(match)

    def matches_of(self, user: User) -> list[Match]:
        """Those in which the account has a place, by their start, those not started last."""
        mine = self._of_account.get(user.id, {}).values()
        return sorted(mine, key=lambda match: math.inf if match.started_at is None else match.started_at)

    def free_match(self) -> Match | None:
        """The oldest match of type normal that is free."""
        return next(iter(self._free.values()), None)

    def register(self, user: User) -> None:
        """Keep an account that a client has made; Refusal where there are too many.

        When there are as many as there may be, one that has a place in no match makes room.
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
        """Forget an account."""
        self.accounts.remove(user)
        if user.address is not None:
            self._user_shares.give_back(user.address)

    def is_claimed(self, user_id: str) -> bool:
        """Whether a match has a place for the account with this id, which may be gone."""
        return user_id in self._claims

    def make_computer(self, name: str) -> Entrant:
        """Make the entrant of a computer opponent. [section 14.3]"""
        return Entrant(name, "", "", agent=AGENTS[name]())

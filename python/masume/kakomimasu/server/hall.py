"""What a match server keeps: accounts, matches and their time. [section 14]

No HTTP here, and no clock: `api.py` asks, and whoever calls `Hall.advance` says what time it is.
"""

from __future__ import annotations

import dataclasses
import enum
import heapq
import math
import secrets
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...agent import View
from ...core.rng import Rng, stream
from ...errors import ConfigError
from ...game import load
from ..agents import AGENTS
from ..boards import Board
from ..protocol import Entry, field, log_turn, sides, to_line
from .accounts import Accounts, User

START_S = 5  # from the last player's joining to the start, after the whole second
PICS = 1_000_000
COMPUTERS = ("none", "a1", "a2", "a3", "a4")
COMPUTER_PLAYERS = 2  # in a match against one
MAX_STORED = 1000  # agents of a player that have an action in a turn, the impossible ones counted
MAX_MATCHES, MAX_USERS = 10_000, 100_000

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


class Refusal(Exception):  # noqa: N818 - told, not only raised
    """A request that is refused, by its code in MESSAGES; code 0 has a message of its own and is status 500."""

    def __init__(self, code: int, message: str | None = None, status: int = 400) -> None:
        super().__init__(MESSAGES[code] if message is None else message)
        self.code, self.status = code, status


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
    """

    id: str
    spec: str
    pic: str
    user: str | None = None
    agent: Any = None
    stored: dict[int, Entry] = dataclasses.field(default_factory=dict)

    @property
    def type(self) -> str:
        """As the Game object tells it."""
        return "guest" if self.user is None and self.agent is None else "account"


class Match:
    """A match of `kind` "normal", "self" or "personal" on a board.

    fields : of the config, in the place of the board's. reserved : ids of the accounts that may join, nobody: all.
    owner : the account whose personal match it is.
    """

    def __init__(
        self,
        board: Board,
        fields: Mapping[str, Any],
        kind: str = "normal",
        name: str | None = None,
        reserved: Sequence[str] = (),
        owner: str | None = None,
    ) -> None:
        self.id = str(uuid.uuid4())
        self.board, self.kind, self.name, self.reserved, self.owner = board, kind, name, list(reserved), owner
        self.game = load("kakomimasu", board=board, **fields)
        self.config: Any = self.game.config
        self.state: Any = self.game.new_state()
        self.entrants: list[Entrant] = []
        self.phase = Phase.FREE
        self.started_at: int | None = None
        self._log: list[dict[str, Any]] = []
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
        self._log.append(log_turn(self.state, [list(entrant.stored.values()) for entrant in self.entrants]))
        for entrant in self.entrants:
            entrant.stored.clear()

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

    def store(self, entrant: Entrant, entries: Iterable[Entry], replaces: bool) -> None:
        """Store actions for this turn, each in the place of the agent's earlier one; Refusal of too many agents.

        replaces : in the place of all that was stored. Nothing is stored after the end. [section 14.6]
        """
        if self.state.is_terminal():
            return
        merged = ({} if replaces else entrant.stored) | {entry[0]: entry for entry in entries}
        if len(merged) > MAX_STORED:
            raise Refusal(6)
        entrant.stored = merged

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
        return list(zip(self.entrants, sides(self.config, self.state), strict=False))

    @property
    def line(self) -> bytes:
        """The Game object in one line, written once for all who ask before it changes."""
        if self._line is None:
            self._line = to_line(self.to_json())
        return self._line

    def to_json(self) -> dict[str, Any]:
        """The Game object. [section 14.4]"""
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
            "field": None if self.phase is Phase.FREE else field(config, self.state),
            "players": [
                {"id": entrant.id, "spec": entrant.spec, "type": entrant.type, **side}
                for entrant, side in self.pair_sides()
            ],
            "log": self._log,
            "reservedUsers": self.reserved,
            "type": self.kind,
        }
        return found if self.name is None else {"name": self.name, **found}


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
        self._steps: list[tuple[float, int, Match]] = []  # a heap: when the next step begins, of all that time changes
        self._num_started = 0  # which of them goes first at one time
        self._of_account: dict[str, dict[str, Match]] = {}  # those in which it has a place
        for board in self.boards.values():
            load("kakomimasu", board=board, **self._fields)  # what cannot be played is an error now

    # -- time --------------------------------------------------------------------------------------

    @property
    def moment(self) -> float:
        """When something changes by itself, in Unix seconds."""
        return self._steps[0][0] if self._steps else math.inf

    def advance(self, now: float) -> None:
        """Let all steps begin that have begun by `now`, in the order of their times."""
        while self.moment <= now:
            _, number, match = self._steps[0]
            was_over = match.state.is_terminal()
            is_told = match.step()
            if match.phase is Phase.OVER:
                heapq.heappop(self._steps)
            else:
                heapq.heapreplace(self._steps, (match.moment, number, match))
            if match.state.is_terminal() and not was_over:
                self._end(match)
            if is_told:
                self._tell(match)

    # -- matches -----------------------------------------------------------------------------------

    def make(self, board: Board | None, fields: Mapping[str, Any], **keywords: Any) -> Match:
        """A new match that is not open yet, without a board on one of the open ones; Refusal of what does not fit."""
        if board is None:
            board = self.boards[self._open_boards[self._rng.below(len(self._open_boards))]]
        try:
            return Match(board, {**self._fields, **fields}, **keywords)
        except ConfigError:  # of an official match, for one
            raise Refusal(6) from None

    def open(self, match: Match) -> None:
        """Let a match be seen; Refusal where there are too many."""
        if len(self.matches) >= MAX_MATCHES:
            raise Refusal(0, "too many matches", 500)
        self.matches[match.id] = match
        self._tell(match)

    def join(self, match: Match, entrant: Entrant, at: float) -> int:
        """Take a place; its number."""
        index = match.join(entrant, at)
        if entrant.agent is not None:
            entrant.agent.start(match.game, index, self._rng.next())
        if entrant.user is not None:
            self._of_account.setdefault(entrant.user, {})[match.id] = match
        if match.phase is Phase.READY:
            heapq.heappush(self._steps, (match.moment, self._num_started, match))
            self._num_started += 1
        self._tell(match)
        return index

    def matches_of(self, user: User) -> list[Match]:
        """Those in which the account has a place, by their start, those not started last."""
        mine = self._of_account.get(user.id, {}).values()
        return sorted(mine, key=lambda match: math.inf if match.started_at is None else match.started_at)

    def free_match(self) -> Match | None:
        """The oldest match of type normal that is free."""
        found = (match for match in self.matches.values() if match.kind == "normal" and match.phase is Phase.FREE)
        return next(found, None)

    def make_computer(self, name: str) -> Entrant:
        """Make the entrant of a computer opponent. [section 14.3]"""
        return Entrant(name, "", "", agent=AGENTS[name]())

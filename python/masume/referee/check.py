"""Conformance test for authors of JSON-lines bots: every message that a match may send, and complete games."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ..agent import PolicyAgent, View
from ..core._state import State
from ..core.rng import stream
from ..game import Game
from ..results import winners
from .clock import Clock, TimeControl, Timer
from .jsonlines import (
    BAD_SEQ,
    BYE_S,
    ILLEGAL_ACTION,
    MISPLACED,
    PONG_S,
    READY_S,
    Connect,
    Peer,
    RejectedLine,
    actions_of,
    field,
    question,
    setup,
)
from .match import Record, end_of
from .seat import TIMEOUT, Fault

SHOWN = 5  # faults and skipped commands of a game that are listed
ACTION_S = 60.0  # for an answer in a match without a clock
UNKNOWN = {"x-unknown": {"to": ["be", "ignored"]}}


@dataclasses.dataclass(frozen=True)
class Point:
    """One point of the conformance test.

    Attributes
    ----------
    name : str
        Name of the point.
    tried : str
        What the program was asked to do.
    answer : str or None
        What it did and, below what failed, the end of its stderr; None if the point was skipped because an earlier one
        failed.
    is_passed : bool
        Whether it passed.
    """

    name: str
    tried: str
    answer: str | None
    is_passed: bool

    @property
    def has_failed(self) -> bool:
        """Whether it was tried in vain."""
        return self.answer is not None and not self.is_passed


async def check(connect: Connect, game: Game, seed: int = 0, control: TimeControl | None = None) -> list[Point]:
    """Test a program that speaks JSON lines.

    The program plays every seat of the game once, against `random`, on starts drawn from the seed.

    Parameters
    ----------
    connect : callable
        Connects to the program (`seats.connector`).
    game : Game
        The game.
    seed : int, optional
        Seed of the starts.
    control : TimeControl, optional
        Time of each player; no limit by default, but 60 s per action.

    Returns
    -------
    list of Point
        The points in order; after one that fails the others are skipped.
    """
    peer = Peer(await connect())
    try:
        points = await _Check(peer, game, seed, control or TimeControl()).run()
    finally:
        await peer.close()
    log = end_of(getattr(peer.link, "log", ""))
    return [
        dataclasses.replace(point, answer=f"{point.answer}\n{log}") if log and point.has_failed else point
        for point in points
    ]


Hold = Callable[[int, int], Awaitable[Record]]
"""Plays a game with the program as this player, from this seed, against `random`."""


async def check_games(hold: Hold, game: Game, seed: int = 0) -> list[Point]:
    """Test a program that speaks a protocol of the game's own: it plays a game from every seat.

    Parameters
    ----------
    hold : callable
        Plays one game, and returns its record.
    game : Game
        The game.
    seed : int, optional
        Seed of the starts.

    Returns
    -------
    list of Point
        A point for each seat and, if the protocol skips commands, one for its commands; all are tried.
    """
    points = []
    for player in range(game.num_players):
        record = await hold(player, stream(seed, player) >> 1)
        faults = [fault for fault in record.faults if fault.player == player]
        remarks = [remark for remark in record.remarks if remark.player == player]
        listed = "; ".join(f"move {fault.ply + 1}: {fault.cause}: {fault.detail}" for fault in faults[:SHOWN])
        log = next((f"\n{fault.log}" for fault in faults if fault.log), "")
        one = record.replay
        good = f"{one.names[player]!r}: {len(one.moves)} moves, scores {one.scores}"
        points.append(Point("whole", TRIED["whole"], f"player {player}: {listed + log or good}", not faults))
        if remarks:
            listed = "; ".join(f"move {remark.ply + 1}: {remark.detail}" for remark in remarks[:SHOWN])
            more = f"; {len(remarks) - SHOWN} more" if len(remarks) > SHOWN else ""
            points.append(Point("commands", TRIED["commands"], f"player {player}: skipped: {listed}{more}", False))
    return points


TRIED = {
    "hello": "hello: it says hello with version, name and the game in accept",
    "ping": "ping, with an unknown field: it says pong with the same n",
    "setup": "setup: it says ready with the same match",
    "act": "act: it gives an allowed action with the same match and seq",
    "error": "an error that is not fatal, of no act: it ignores the error, and says pong to a ping",
    "retry": "illegal_action that is not fatal, of an act: it gives another action",
    "game": "the rest of the game, and its result: it gives allowed actions in time",
    "seats": "a match from each other seat, on the same connection",
    "bye": f"bye: it ends within {BYE_S:g} s",
    "whole": "a game from this seat, against random: it answers everything in time, by the rules",
    "commands": "each of its commands in this game has an effect",
}
"""The points of a check, by name."""


class _Check:
    def __init__(self, peer: Peer, game: Game, seed: int, control: TimeControl) -> None:
        self._peer, self._game, self._seed, self._control = peer, game, seed, control
        self._matches = 0
        self._match: _Trial | None = None

    async def run(self) -> list[Point]:
        steps: dict[str, Callable[[], Awaitable[str]]] = {
            "hello": self._hello, "ping": self._ping, "setup": self._setup, "act": self._act, "error": self._error,
            "retry": self._retry, "game": self._play, "seats": self._seats, "bye": self._bye,
        }  # fmt: skip
        points: list[Point] = []
        for name, step in steps.items():
            if points and not points[-1].is_passed:
                points.append(Point(name, TRIED[name], None, False))
                continue
            try:
                points.append(Point(name, TRIED[name], await step(), True))
            except (RejectedLine, Fault) as error:
                points.append(Point(name, TRIED[name], str(error), False))
        return points

    async def _hello(self) -> str:
        await self._peer.greet(self._game)
        return f"{self._peer.name!r}, which plays {', '.join(self._peer.accept)}"

    async def _ping(self) -> str:
        await self._peer.ask({"t": "ping", "n": 1, **UNKNOWN})
        return await self._pong(1)

    async def _pong(self, n: int) -> str:
        """Receive the next message, which must be this pong."""
        started = time.monotonic()
        message = await self._peer.hear(started + PONG_S)
        if message["t"] != "pong" or message.get("n") != n:
            told = f"pong {message.get('n')!r:.60}" if message["t"] == "pong" else message["t"]
            raise RejectedLine(MISPLACED, f"expected pong {n}, got {told}")
        return f"pong after {1000 * (time.monotonic() - started):.0f} ms"

    async def _setup(self) -> str:
        return await self._begin(0)

    async def _begin(self, player: int) -> str:
        self._matches += 1
        names = ["random"] * self._game.num_players
        names[player] = self._peer.name
        self._match = _Trial(self._peer, self._game, player, f"check{self._matches}", self._control)
        return await self._match.start(names, stream(self._seed, self._matches) >> 1)

    async def _act(self) -> str:
        return await self._its_match().act()

    async def _error(self) -> str:
        self._peer.error(BAD_SEQ, "an error of the test: ignore it", fatal=False)
        await self._peer.ask({"t": "ping", "n": 2})
        return await self._pong(2)

    async def _retry(self) -> str:
        return await self._its_match().act(is_retried=True)

    async def _play(self) -> str:
        return await self._its_match().play()

    async def _seats(self) -> str:
        told = []
        for player in range(1, self._game.num_players):
            await self._begin(player)
            told.append(f"as player {player} {await self._its_match().play()}")
        return "; ".join(told) or "there is no other"

    async def _bye(self) -> str:
        peer, started = self._peer, time.monotonic()
        peer.say({"t": "bye"})
        while peer.link.inbox.ended is None:
            peer.link.inbox.take(len(peer.link.inbox.data))
            try:
                await peer.link.inbox.more(started + BYE_S)
            except TimeoutError:
                raise Fault(TIMEOUT, f"it is still running after {BYE_S:g} s") from None
        return f"{peer.link.inbox.ended} after {1000 * (time.monotonic() - started):.0f} ms"

    def _its_match(self) -> _Trial:
        assert self._match is not None
        return self._match


class _Trial:
    """A match of the program, as one player, against `random`."""

    def __init__(self, peer: Peer, game: Game, player: int, name: str, control: TimeControl) -> None:
        self._peer, self._game, self._player, self._name = peer, game, player, name
        self._clock = Clock(control, game.num_players)
        self._others = PolicyAgent("random")
        self._events: list[dict[str, Any]] = []
        self._seq = self._tick = self._answers = 0
        self._slowest_ms = 0.0

    async def start(self, names: list[str], seed: int) -> str:
        self._state: State = self._game.new_state(seed)
        self._others.start(self._game, self._player, seed)
        self._events = self._state.events(self._player)
        started = time.monotonic()
        await self._peer.ask(setup(self._view(), names, self._name, self._clock.control) | UNKNOWN)
        await self._peer.answer("ready", READY_S, match=self._name)
        return f"ready after {1000 * (time.monotonic() - started):.0f} ms"

    def _view(self) -> View:
        return View(self._state, self._player, self._clock.left_ms(self._player))

    async def act(self, is_retried: bool = False) -> str:
        """Play until the program has acted once; return what it did, or that the game ended before."""
        while not self._state.is_terminal():
            before = self._answers
            told = await self._turn(is_retried)
            if self._answers > before:
                return told
        return "the game ended before it was asked"

    async def play(self) -> str:
        """Play to the end and send the result."""
        while not self._state.is_terminal():
            await self._turn()
        self._observe()
        returns = self._state.returns().tolist()
        result = {"returns": returns, "winners": winners(returns), "scores": self._state.scores().tolist()}
        await self._peer.ask({"t": "result", "match": self._name, **result, "reason": None, **UNKNOWN})
        return f"{self._answers} actions, the slowest after {self._slowest_ms:.0f} ms, returns {returns}"

    async def _turn(self, is_retried: bool = False) -> str:
        """Play one apply; return what the program did for it, if anything."""
        detail = ""
        actions = [0] * len(self._state.slots)
        for player in sorted(set(self._state.slots.tolist())):
            view = View(self._state, player)
            if player == self._player:
                answered = await self._ask(is_retried)
                detail = f"{answered if self._game.num_slots > 1 else answered[0]} is allowed"
            else:
                answer = self._others.act(view)
                answered = answer if self._game.num_slots > 1 else [answer]
            for slot, action in zip(view.slots, answered, strict=True):
                actions[slot] = int(action)
        self._state.apply(actions if self._game.num_slots > 1 else actions[0])
        self._tick += 1
        self._events += self._state.events(self._player)
        if self._player not in self._state.slots:
            self._observe()
        return detail

    async def _ask(self, is_retried: bool) -> list[int]:
        """Ask the program for its actions; with `is_retried` its first answer is refused, whatever it is."""
        view, timer = self._view(), self._clock.start(self._player)
        left_ms = [self._clock.left_ms(player) for player in range(self._game.num_players)]
        message = question(view, self._name, self._next_seq(), self._tick, left_ms)
        events, self._events = self._events, []
        await self._peer.ask(message | {"events": events} | UNKNOWN)
        timer.restart()
        actions = await self._take(view, timer)
        if is_retried:
            where = {"match": self._name, "seq": self._seq}
            self._peer.error(ILLEGAL_ACTION, "an error of the test: answer again", fatal=False, **where)
            actions = await self._take(view, timer)
        self._slowest_ms = max(self._slowest_ms, timer.stop())
        self._answers += 1
        if timer.is_late:
            raise Fault(TIMEOUT, f"the action came after {timer.stop():.0f} ms")
        return actions

    async def _take(self, view: View, timer: Timer) -> list[int]:
        message = await self._peer.hear(timer.deadline or time.monotonic() + ACTION_S)
        if message["t"] != "action":
            raise RejectedLine(MISPLACED, f"expected action, got {message['t']}")
        found = field(message, "match", str, "a string"), field(message, "seq", int, "an int")
        if found != (self._name, self._seq):
            raise RejectedLine(BAD_SEQ, f"expected {self._name} {self._seq}, got {found[0]:.60} {found[1]!r:.60}")
        return actions_of(message, view)

    def _observe(self) -> None:
        events, self._events = self._events, []
        if events:
            message = {"t": "observe", "match": self._name, "seq": self._next_seq(), "events": events}
            self._peer.say(message)

    def _next_seq(self) -> int:
        self._seq += 1
        return self._seq

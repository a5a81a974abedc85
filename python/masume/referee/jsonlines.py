"""JSON lines: the protocol of programs that play any game, over stdin and stdout or over TCP.

`Peer` is the connection to a program and its messages; `JsonSeat` plays matches with it. [section 14 of
docs/rules/battleship.md]
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NoReturn

from ..agent import View, position_of
from ..errors import MatchError, NotationError
from ..game import Game
from .clock import TimeControl, Timer
from .lines import Link
from .seat import CLOSED, FLOOD, ILLEGAL, NOT_STARTED, PROTOCOL, TIMEOUT, Fault, GameEnd, Seat

NAME, VERSION = "masume-stdio", 1
MAX_LINE = 1 << 20  # bytes without the LF [14.1]
CAPACITY = MAX_LINE + 1  # bytes of an inbox that holds the longest line
HELLO_S, READY_S, PONG_S, BYE_S = 10.0, 10.0, 5.0, 2.0  # [14.2]
ENDED_WELL = "the program ended with exit code 0"
SEND_S = 10.0  # for the system to accept a message: until then no clock runs
MAX_COMMENT = 1024  # bytes
MAX_LOG = 65_536  # characters of comments, at most
MAX_NAME = 64  # characters
MAX_STRAY = 1000  # unexpected messages between a question and its answer

BAD_JSON, TOO_LONG, BAD_TYPE, BAD_SEQ, ILLEGAL_ACTION, LATE, BAD_VERSION, UNKNOWN_GAME, CONFIG, MISPLACED, INTERNAL = (
    "bad_json", "too_long", "bad_type", "bad_seq", "illegal_action", "timeout", "version", "unknown_game", "config",
    "protocol", "internal",
)  # fmt: skip
"""Codes of errors. [14.3]"""

TYPES = ("hello", "ready", "action", "pong")  # that a program may send


class RejectedLine(Exception):  # noqa: N818 - a pending verdict, not an error of masume
    """A line that does not answer the question. code : of 14.3. detail : for people, one line. actions : see Fault."""

    def __init__(self, code: str, detail: str, actions: Sequence[int | None] = ()) -> None:
        super().__init__(f"{code}: {detail}")
        self.code, self.detail, self.actions = code, detail, actions


SHOWN = 16  # allowed actions that are listed


def encode(message: dict[str, Any]) -> bytes:
    """Return the message as a line. [14.1]"""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """Return the message in a line without LF; raise RejectedLine (bad_json, bad_type) if malformed. [14.1, 14.3]"""
    try:
        message = json.loads(line.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        detail = "it is nested too deep" if isinstance(error, RecursionError) else str(error).partition("\n")[0]
        place = 0
        if not line.lstrip().startswith((b"{", b"[")):
            detail = "expected a message; what is for people goes to stderr"
        elif isinstance(error, UnicodeDecodeError):
            place = error.start
        elif isinstance(error, json.JSONDecodeError):
            place = len(error.doc[: error.pos].encode())
        raise RejectedLine(BAD_JSON, f"{_around(line, place)}: {detail}") from None
    if not isinstance(message, dict):
        raise RejectedLine(BAD_JSON, f"{_around(line, 0)}: not an object")
    if message.get("t") not in TYPES:
        raise RejectedLine(BAD_TYPE, f"t: expected one of {', '.join(TYPES)}, got {message.get('t')!r:.60}")
    return message


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"expected a number, got {name}")


def _around(line: bytes, place: int) -> str:
    """Return the 40 bytes of a line around a place, for people."""
    begin = max(0, min(place - 20, len(line) - 40))
    return ("..." if begin else "") + repr(line[begin : begin + 40])[1:] + ("..." if len(line) > begin + 40 else "")


def field(message: dict[str, Any], name: str, kind: type, told: str) -> Any:
    """Return a field of a message; raise RejectedLine (bad_type) if it has another type. A bool is not an int."""
    value = message.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RejectedLine(BAD_TYPE, f"{name}: expected {told}, got {value!r:.60}")
    return value


class Peer:
    """A program at the other end of a link.

    Attributes
    ----------
    link : Link
        The connection.
    name : str
        The name that the program gave in `hello`.
    accept : list of str
        The games that it plays.
    """

    def __init__(self, link: Link) -> None:
        self.link = link
        self.name = ""
        self.accept: list[str] = []

    # -- one message ----------------------------------------------------------------------------------

    def say(self, message: dict[str, Any]) -> None:
        """Send a message without waiting; raise Fault if the program is gone."""
        self.link.write(encode(message))

    async def ask(self, message: dict[str, Any]) -> None:
        """Send a message and wait until the system has accepted it; raise Fault if it has not in time."""
        await self.link.send(encode(message), time.monotonic() + SEND_S)

    def error(self, code: str, detail: str, *, fatal: bool, **where: Any) -> None:
        """Send an error message, if the program is still there. [14.3]"""
        with contextlib.suppress(Fault):
            self.say({"t": "error", "code": code, "message": detail, "fatal": fatal, **where})

    async def hear(self, deadline: float | None) -> dict[str, Any]:
        """Return the next message. A line that is too long is discarded up to its end.

        Raises RejectedLine for a malformed line, Fault at the deadline or if the program is gone.
        """
        inbox = self.link.inbox
        try:
            return decode(await self.link.line(MAX_LINE, deadline))
        except Fault as fault:
            if fault.cause != PROTOCOL:
                raise
        while (end := inbox.data.find(b"\n")) < 0:
            inbox.take(len(inbox.data))
            if inbox.ended is not None:
                await self.link.line(MAX_LINE, deadline)  # raises the Fault that says why
            try:
                await inbox.more(deadline)
            except TimeoutError:
                raise Fault(TIMEOUT, f"a line of more than {MAX_LINE} bytes has no end") from None
        inbox.take(end + 1)
        raise RejectedLine(TOO_LONG, f"a line of more than {MAX_LINE} bytes")

    async def answer(self, wanted: str, seconds: float, **fields: Any) -> dict[str, Any]:
        """Return the next message, which must have this type and these fields and arrive within `seconds`.

        Answers to earlier questions are ignored. Raises as `hear` does.
        """
        deadline = time.monotonic() + seconds
        for _ in range(MAX_STRAY):
            message = await self.hear(deadline)
            if message["t"] == wanted and fields.items() <= message.items():
                return message
            if message["t"] not in (wanted, "action"):
                raise RejectedLine(MISPLACED, f"expected {wanted}, got {message['t']}")
            if time.monotonic() > deadline:
                raise Fault(TIMEOUT, f"no {wanted} within {seconds:g} s")
            told = "".join(f", {name} {value}" for name, value in fields.items())
            self.error(BAD_SEQ, f"expected {wanted}{told}", fatal=False)
        raise Fault(FLOOD, f"{MAX_STRAY} messages that nobody asked for")

    # -- talks ----------------------------------------------------------------------------------------

    async def greet(self, game: Game) -> None:
        """Send hello and check its answer. [14.2]

        Raises RejectedLine (also version, unknown_game), or Fault.
        """
        await self.ask(
            {"t": "hello", "protocol": NAME, "version": VERSION, "games": [game.name], "referee": "masume"}
        )  # fmt: skip
        hello = await self.answer("hello", HELLO_S)
        version = field(hello, "version", int, "an int")
        name = field(hello, "name", str, "a string")
        accept = field(hello, "accept", list, "a list")
        if version != VERSION:
            raise RejectedLine(BAD_VERSION, f"version: expected {VERSION}, got {version}")
        self.name = "".join(char for char in name if char.isprintable())[:MAX_NAME].strip()
        self.accept = [one for one in accept if isinstance(one, str)]
        if game.name not in self.accept:
            raise RejectedLine(UNKNOWN_GAME, f"the game is {game.name}, which {self.name or 'the bot'} does not accept")

    async def ping(self, n: int) -> None:
        """Send ping and await its pong; raise RejectedLine or Fault. [14.2]"""
        await self.ask({"t": "ping", "n": n})
        await self.answer("pong", PONG_S, n=n)

    async def close(self) -> None:
        """Send bye; cut the program off if it does not end in BYE_S. [14.2]"""
        with contextlib.suppress(Fault):
            self.say({"t": "bye"})
        await self.link.close(BYE_S)


def setup(view: View, names: Sequence[str], match: str, control: TimeControl) -> dict[str, Any]:
    """Return the message that begins a match: the public game and the names of the players. [14.2] [9.1]"""
    game = position_of(view).game
    config = None
    if game.config is not None:
        config = {**game.config.to_dict(), **dict.fromkeys(game.config.list_hidden())}
    is_exact = view.legal_actions(0).dtype.itemsize == 8  # actions are larger than the codes of the mask
    return {
        "t": "setup",
        "match": match,
        "game": game.name,
        "config": config,
        "player": view.player,
        "players": game.num_players,
        "names": list(names),
        "sides": list(getattr(game.config, "sides", range(game.num_players))),
        "simultaneous": game.is_simultaneous,
        "actions": None if is_exact else game.num_actions,
        "clock": control.to_dict(),
    }


def question(view: View, match: str, seq: int, tick: int, left_ms: list[int | None]) -> dict[str, Any]:
    """Return the message that asks for an action, without events. [14.2]

    legal : ids; in games with several units a list of lists, one per unit. state : `State.to_dict()`, in games of
    perfect information.
    """
    phase = view.game.hook("phase")
    legal = [view.legal_actions(slot).tolist() for slot in view.slots]
    message = {
        "t": "act",
        "match": match,
        "seq": seq,
        "tick": tick,
        "phase": phase(position_of(view)) if phase else "play",
        "legal": legal if view.game.num_slots > 1 else legal[0],
        "left_ms": left_ms,
    }
    return message | {"state": position_of(view).to_dict()} if view.game.is_perfect_information else message


def actions_of(message: dict[str, Any], view: View) -> list[int]:
    """Return the actions of an `action` message, one for each slot, given as ids or texts.

    Raises RejectedLine (illegal_action) if one is malformed or illegal.
    """
    slots = view.slots
    listed = message.get("action")
    if view.game.num_slots == 1:
        return [_action(listed, view, slots[0])]
    if not isinstance(listed, list) or len(listed) != len(slots):
        raise RejectedLine(ILLEGAL_ACTION, f"action: expected a list of {len(slots)}, got {listed!r:.60}")
    actions: dict[int, int] = {}
    first: RejectedLine | None = None
    for one, slot in zip(listed, slots, strict=True):
        try:
            actions[slot] = _action(one, view, slot)
        except RejectedLine as refused:
            first = first or refused
    if first is not None:
        raise RejectedLine(first.code, first.detail, [actions.get(slot) for slot in slots])
    return list(actions.values())


def _action(value: Any, view: View, slot: int) -> int:
    state = position_of(view)
    if isinstance(value, str):
        try:
            action = int(state.text_to_action(value, slot))
        except NotationError as error:
            raise RejectedLine(ILLEGAL_ACTION, str(error).partition("\n")[0]) from None
    elif isinstance(value, int) and not isinstance(value, bool):
        action = value
    else:
        raise RejectedLine(ILLEGAL_ACTION, f"action: expected an id or a text, got {value!r:.60}")
    if not view.is_legal(action, slot):
        where = f" of unit {view.slots.index(slot)}" if view.game.num_slots > 1 else ""
        legal = view.legal_actions(slot)[: SHOWN + 1].tolist()
        allowed = ", ".join(map(str, legal[:SHOWN])) + (", ..." if len(legal) > SHOWN else "")
        raise RejectedLine(ILLEGAL_ACTION, f"action {value!r:.60}{where} is not allowed now; these are: {allowed}")
    return action


Connect = Callable[[], Awaitable[Link]]


class JsonSeat(Seat):
    """Seat of a program that speaks JSON lines.

    The program is connected before the first match and stays for all of them. A program that has ended, or could not
    begin its last game, or owes an answer and gives no pong, is ended and connected anew for its next game.

    Parameters
    ----------
    name : str
        Name of the player until the program sends one.
    connect : callable
        Coroutine function that connects to the program and returns a Link.
    retries : int, optional
        How often a bad answer may be repeated, with the clock running, before the rules of the game judge it. [14.3]
    """

    def __init__(self, name: str, connect: Connect, retries: int = 0) -> None:
        self.name = name
        self._connect, self._retries = connect, retries
        self._peer: Peer | None = None
        self._is_lost = False  # it cannot play another game on this connection
        self._is_owing = False  # it was asked, and has not answered yet
        self._control = TimeControl()
        self._matches = self._player = self._seq = self._tick = 0
        self._events: list[dict[str, Any]] = []  # to be sent with the next message
        self._is_playing = self._has_heard_end = False
        self._before = self._comments = ""  # what it wrote after the game before if it ended there, and its comments

    @property
    def _match(self) -> str:
        return f"m{self._matches}"

    async def open(self, game: Game, control: TimeControl) -> None:
        """Connect to the program and exchange hello, unless that is done and it can play on."""
        self._control, self._before, self._comments = control, "", ""
        if self._peer is not None and await self._can_play_on(self._peer):
            self._peer.link.begin_log()
            return
        await self._leave()
        self._peer, self._is_lost, self._is_owing = Peer(await self._connect()), False, False
        try:
            await self._judge(self._peer.greet(game))
        except RejectedLine as refused:
            raise MatchError(f"{self.name}: {refused.detail}") from None
        except Fault as fault:
            if fault.cause == CLOSED:
                raise Fault(NOT_STARTED, fault.detail) from None
            raise
        self.name = self._peer.name or self.name

    async def _can_play_on(self, peer: Peer) -> bool:
        """Return whether the program is fit for another game; a late one may still be thinking, or hang."""
        if self._is_lost:
            return False
        if peer.link.inbox.ended is not None:
            fault = await self._failure(peer)
            if fault is not None:  # such as a crash at the result, of which no record tells
                self._before = peer.link.log
                self.remarks = [f"after the game before {fault.detail}"]
            return False
        if self._is_owing:
            try:
                await peer.ping(self._matches)
            except (Fault, RejectedLine):
                return False
            self._is_owing = False
        return True

    async def _failure(self, peer: Peer) -> Fault | None:
        """Return how the program has ended, if it has and that was not its own wish."""
        ended = peer.link.inbox.ended
        if ended is None:
            return None
        fault = await peer.link.explain(Fault(CLOSED, ended))
        return None if fault.detail in (ended, ENDED_WELL) else fault

    async def _judge(self, talk: Awaitable[Any]) -> None:
        """Run a talk before the first question; report errors to the program and raise Fault, or RejectedLine."""
        peer = self._its_peer()
        try:
            await talk
        except RejectedLine as refused:
            peer.error(refused.code, refused.detail, fatal=True)
            if refused.code in (BAD_VERSION, UNKNOWN_GAME, CONFIG):
                raise
            self._is_lost = True
            raise Fault(PROTOCOL, str(refused)) from None
        except Fault as fault:
            self._is_lost = True
            if fault.cause == TIMEOUT:
                peer.error(LATE, fault.detail, fatal=True)
            raise

    async def start(self, view: View, names: Sequence[str], seed: int) -> None:
        """Send setup and await ready; raise MatchError if the config cannot be sent."""
        self._matches += 1
        self._player = view.player
        self._seq = self._tick = 0
        self._events = view.events()
        self._is_playing, self._has_heard_end = True, False
        try:
            await self._judge(self._set_up(setup(view, names, self._match, self._control)))
        except RejectedLine as refused:
            raise MatchError(f"{self.name}: {refused.detail}") from None

    async def _set_up(self, message: dict[str, Any]) -> None:
        if len(encode(message)) > CAPACITY:
            raise RejectedLine(CONFIG, f"the config takes more than {MAX_LINE} bytes")
        peer = self._its_peer()
        await peer.ask(message)
        await peer.answer("ready", READY_S, match=self._match)

    async def act(self, view: View, timer: Timer) -> list[int]:
        """Send act and return the actions of its answer. [14.2]"""
        peer = self._its_peer()
        left_ms = [timer.clock.left_ms(player) for player in range(view.game.num_players)]
        message = question(view, self._match, self._next_seq(), self._tick, left_ms)
        await peer.ask(message | {"events": self._new_events()})
        timer.restart()
        where = {"match": self._match, "seq": self._seq}
        self._is_owing = True
        try:
            actions = await self._answer(view, timer)
        except RejectedLine as refused:
            timer.stop()
            peer.error(refused.code, refused.detail, fatal=True, **where)
            raise Fault(ILLEGAL, str(refused), actions=refused.actions, is_final=False) from None
        except Fault as fault:
            timer.stop()
            if fault.cause in (TIMEOUT, FLOOD):
                peer.error(LATE if fault.cause == TIMEOUT else MISPLACED, fault.detail, fatal=True, **where)
            if fault.cause == TIMEOUT:  # a later answer has an old `seq` and is ignored
                fault.is_final = False
            self._is_lost |= fault.is_final
            raise
        if timer.is_late:
            peer.error(LATE, "the action came too late", fatal=True, **where)
        return actions

    async def _answer(self, view: View, timer: Timer) -> list[int]:
        """Return the actions of the first good answer; raise RejectedLine after too many bad ones. [14.3]"""
        peer = self._its_peer()
        tries = 0
        for _ in range(MAX_STRAY):
            try:
                return self._take(await peer.hear(timer.deadline), view, timer)
            except RejectedLine as refused:
                if refused.code in (BAD_SEQ, MISPLACED):  # ignored
                    peer.error(refused.code, refused.detail, fatal=False)
                elif tries == self._retries:
                    raise
                else:
                    tries += 1
                    peer.error(refused.code, refused.detail, fatal=False, match=self._match, seq=self._seq)
            if timer.deadline is not None and time.monotonic() > timer.deadline:
                raise Fault(TIMEOUT, "no action in time")
        raise Fault(FLOOD, f"{MAX_STRAY} messages that nobody asked for")

    def _take(self, message: dict[str, Any], view: View, timer: Timer) -> list[int]:
        """Return the actions of an answer; raise RejectedLine if it is malformed or illegal."""
        if message["t"] != "action":
            raise RejectedLine(MISPLACED, f"expected action, got {message['t']}")
        match = field(message, "match", str, "a string")
        seq = field(message, "seq", int, "an int")
        if (match, seq) != (self._match, self._seq):
            raise RejectedLine(BAD_SEQ, f"expected {self._match} {self._seq}, got {match:.60} {seq!r:.60}")
        self._is_owing = False
        actions = actions_of(message, view)
        timer.stop()
        comment = message.get("comment")
        if isinstance(comment, str):
            shown = comment.encode(errors="replace")[:MAX_COMMENT].decode(errors="ignore")
            self._comments = f"{self._comments}{match} {seq}: {shown}\n"[-MAX_LOG:]
        return actions

    async def tell(self, view: View) -> None:
        """Send observe, unless the player decides next: then the events are sent with its `act`. [14.2]"""
        self._tick += 1
        self._events += view.events()
        self._has_heard_end = position_of(view).is_terminal()
        if not view.slots:
            try:
                self._observe()
            except Fault as fault:
                self._is_lost = True
                raise await self._its_peer().link.explain(fault) from None

    def _observe(self) -> None:
        events = self._new_events()
        if events:
            peer = self._its_peer()
            peer.say({"t": "observe", "match": self._match, "seq": self._next_seq(), "events": events})

    async def end(self, outcome: GameEnd) -> None:
        """Send the remaining events, and result. [14.2]

        reveal : the last state, in games of perfect information; in others the same start may be played once more.
        """
        from ..results import winners

        state = outcome.state
        result: dict[str, Any] = {"t": "result", "match": self._match, "returns": outcome.returns}
        result |= {"winners": winners(outcome.returns), "reason": outcome.reason, "scores": state.scores().tolist()}
        if state.game.is_perfect_information:
            result["reveal"] = state.to_dict()
        if not self._is_playing:
            return
        self._is_playing = False
        peer = self._its_peer()
        with contextlib.suppress(Fault):  # of a program that is gone
            if not self._has_heard_end:  # the game ended by a forfeit
                self._events += state.events(self._player)
            self._observe()
            peer.say(result)
        fault = None if self._is_lost else await self._failure(peer)  # if it is lost it has been judged
        self.log = self.log_so_far()
        if fault is not None:
            self._is_lost = True
            raise fault

    async def close(self) -> None:
        """Send bye and close the connection."""
        if self._peer is not None and self._is_playing:
            self._peer.error(INTERNAL, "the match has ended without a result", fatal=True, match=self._match)
        await self._leave()

    async def _leave(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            await peer.close()
            self.log = self._before + peer.link.log + self._comments

    # -- of one match ----------------------------------------------------------------------------------

    def _its_peer(self) -> Peer:
        assert self._peer is not None, "open comes first"
        return self._peer

    def _next_seq(self) -> int:
        self._seq += 1
        return self._seq

    def _new_events(self) -> list[dict[str, Any]]:
        events, self._events = self._events, []
        return events

    def note(self, text: str) -> None:
        """Write a line into the program's transcript."""
        if self._peer is not None:
            self._peer.link.note(text)

    def log_so_far(self) -> str:
        """Return the program's stderr, then the comments of its actions."""
        return self.log if self._peer is None else self._before + self._peer.link.log + self._comments

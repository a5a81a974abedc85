"""The event stream: which matches somebody watches, and what they are told. [section 14.7]"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Collection, Iterable, Mapping

from ..protocol import to_line
from .hall import Match, Refusal

MAX_RANGE, DEFAULT_RANGE = 50, 20
MAX_STREAMS, MAX_WAITING = 256, 1000  # and the messages that a stream may be behind
KEEP_ALIVE_S = 10.0
NOT_STARTED = 10_000_000_000  # where matches stand that have no start time yet
STATES = {"is:waiting": "free", "is:gaming": "gaming", "is:finished": "ended"}
SORTS = {"sort:startAtUnixTime-asc": False, "sort:startAtUnixTime-desc": True}
"""Whether the last comes first."""
Waiting = asyncio.Queue[bytes | None]
"""What a stream is still to be sent; None ends it."""


class Watch:
    """What one stream is about; Refusal 106 for a range that is none.

    viewer : the id of the account that asks.
    """

    def __init__(self, query: Mapping[str, str], viewer: str | None) -> None:
        self._q, self._viewer = query.get("q", ""), viewer
        self._start = _index(query, "startIndex", 0)
        self._end = _index(query, "endIndex", self._start + DEFAULT_RANGE)
        if abs(self._end - self._start) > MAX_RANGE:
            raise Refusal(106)
        self._allows_new = query.get("allowNewGame") == "true"
        tokens = self._q.split(" ")
        self._states = [STATES[token] for token in tokens if token in STATES]
        self._kinds = [token[5:] for token in tokens if token in ("type:self", "type:normal", "type:personal")]
        self._ids = [token[3:] for token in tokens if token.startswith("id:")]
        self._sort = next((token for token in tokens if token in SORTS), None)
        self._watched: set[str] = set()

    def first(self, matches: Iterable[Match]) -> bytes:
        """The initial message; the matches in it are watched from now on."""
        found = [match for match in matches if self._is_wanted(match)]
        if self._sort is not None:
            found.sort(key=_start_time, reverse=SORTS[self._sort])
        shown = found[self._start : self._end]
        self._watched = {match.id for match in shown}
        head = {"type": "initial", "q": self._q, "startIndex": self._start, "endIndex": self._end}
        games = b",".join(match.line for match in shown)
        return b'%s,"games":[%s],"gamesNum":%d}' % (to_line(head)[:-1], games, len(found))

    def notice(self, match: Match) -> str | None:
        """Return the type of the message about a match that is sent now, if there is one."""
        if match.id in self._watched:
            if self._is_in_state(match):
                return "update"
            self._watched.remove(match.id)
            return "remove"
        if self._allows_new and self._is_wanted(match):
            self._watched.add(match.id)
            return "add"
        return None

    def _is_in_state(self, match: Match) -> bool:
        return all(match.status == state for state in self._states)

    def _is_wanted(self, match: Match) -> bool:
        return (
            self._is_in_state(match)
            and all(match.id == one for one in self._ids)
            and all(match.kind == kind for kind in self._kinds)
            and ("personal" not in self._kinds or (match.owner is not None and match.owner == self._viewer))
        )


class Streams:
    """All streams that are open, and what each is still to be sent."""

    def __init__(self) -> None:
        self._waiting: dict[Watch, Waiting] = {}

    def open(self, query: Mapping[str, str], viewer: str | None, matches: Collection[Match]) -> AsyncIterator[bytes]:
        """The events of a new stream, which begins when they are first asked for; Refusal where there is none."""
        watch = Watch(query, viewer)
        if len(self._waiting) >= MAX_STREAMS:
            raise Refusal(0, "too many streams", 500)
        return self._events(watch, matches)

    async def _events(self, watch: Watch, matches: Collection[Match]) -> AsyncIterator[bytes]:
        waiting = self._waiting[watch] = Waiting(MAX_WAITING)
        waiting.put_nowait(watch.first(matches))
        loop = asyncio.get_running_loop()
        keep_alive_at = loop.time() + KEEP_ALIVE_S
        try:
            while True:
                try:
                    async with asyncio.timeout_at(keep_alive_at):
                        message = await waiting.get()
                except TimeoutError:
                    keep_alive_at = loop.time() + KEEP_ALIVE_S
                    yield b": keep-alive\n\n"
                    continue
                if message is None:
                    break
                yield b"event: message\ndata: %s\n\n" % message
        finally:
            self._waiting.pop(watch, None)

    def tell(self, match: Match) -> None:
        """Tell each stream what the change of a match is to it."""
        messages: dict[str, bytes] = {}  # by type; streams share them
        for watch in list(self._waiting):
            kind = watch.notice(match)
            if kind is not None:
                if kind not in messages:
                    messages[kind] = _message(kind, match)
                self._send(watch, messages[kind])

    def end(self) -> None:
        """Let all streams end."""
        for watch in list(self._waiting):
            self._send(watch, None)

    def _send(self, watch: Watch, message: bytes | None) -> None:
        waiting = self._waiting[watch]
        if waiting.full():  # nobody reads any more: it ends, and what waited is forgotten
            del self._waiting[watch]
            while not waiting.empty():
                waiting.get_nowait()
            message = None
        waiting.put_nowait(message)


def _message(kind: str, match: Match) -> bytes:
    if kind == "remove":
        return to_line({"type": kind, "gameId": match.id})
    return b'{"type":"%s","game":%s}' % (kind.encode(), match.line)


def _start_time(match: Match) -> float:
    return NOT_STARTED if match.started_at is None else match.started_at


def _index(query: Mapping[str, str], key: str, default: int) -> int:
    text = query.get(key)
    if text is None:
        return default
    if not re.fullmatch("[0-9]{1,9}", text, re.ASCII):
        raise Refusal(106)
    return int(text)

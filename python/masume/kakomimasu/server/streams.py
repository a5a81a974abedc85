"""The event stream: the matches that a client watches, and the messages it receives. [section 14.7]"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping

from ...http.limits import Shares
from ..protocol import to_line
from .hall import Refusal, ServedMatch

MAX_RANGE, DEFAULT_RANGE = 50, 20
MAX_STREAMS = 4096
MAX_WAITING, MAX_BYTES = 1000, 8_000_000  # unsent messages of a stream, and their bytes
MAX_Q, MAX_TOKENS = 1000, 16  # characters of `q`, and number of its conditions that are used
KEEP_ALIVE_S = 10.0
NOT_STARTED = 10_000_000_000  # sort key of matches without a start time, Unix seconds
STATES = {"is:waiting": "free", "is:gaming": "gaming", "is:finished": "ended"}
SORTS = {"sort:startAtUnixTime-asc": False, "sort:startAtUnixTime-desc": True}
"""Whether the order is descending."""


class Watch:
    """The selection of matches that one stream watches; Refusal 106 for an invalid range.

    `viewer` is the id of the account that watches.
    """

    def __init__(self, query: Mapping[str, str], viewer: str | None) -> None:
        self._q, self._viewer = query.get("q", ""), viewer
        self._start = _index(query, "startIndex", 0)
        self._end = _index(query, "endIndex", self._start + DEFAULT_RANGE)
        if abs(self._end - self._start) > MAX_RANGE or len(self._q) > MAX_Q:
            raise Refusal(106)
        self.allows_new = query.get("allowNewGame") == "true"
        tokens = self._q.split(" ", MAX_TOKENS)[:MAX_TOKENS]
        self._states = {STATES[token] for token in tokens if token in STATES}
        self._kinds = {token[5:] for token in tokens if token in ("type:self", "type:normal", "type:personal")}
        self.ids = {token[3:] for token in tokens if token.startswith("id:")}
        self._sort = next((token for token in tokens if token in SORTS), None)
        self.watched: set[str] = set()

    def first(self, matches: Iterable[ServedMatch]) -> bytes:
        """Return the initial message and watch the matches in it from now on."""
        return b"".join(self.first_parts(matches))

    def first_parts(self, matches: Iterable[ServedMatch]) -> list[bytes]:
        """Return the initial message in parts; the parts of the matches are shared with other streams."""
        found = [match for match in matches if self._is_wanted(match)]
        if self._sort is not None:
            found.sort(key=_start_time, reverse=SORTS[self._sort])
        shown = found[self._start : self._end]
        self.watched = {match.id for match in shown}
        head = {"type": "initial", "q": self._q, "startIndex": self._start, "endIndex": self._end}
        parts = [to_line(head)[:-1], b',"games":[']
        for number, match in enumerate(shown):
            parts += [b","] * (number > 0) + [match.line]
        return [*parts, b'],"gamesNum":%d}' % len(found)]

    def notice(self, match: ServedMatch) -> str | None:
        """Return the type of the message to send about a changed match, or None."""
        if match.id in self.watched:
            if self._is_in_state(match) and not match.is_gone:
                return "update"
            self.watched.remove(match.id)
            return "remove"
        if self.allows_new and not match.is_gone and self._is_wanted(match):
            self.watched.add(match.id)
            return "add"
        return None

    def _is_in_state(self, match: ServedMatch) -> bool:
        return not self._states or {match.status} == self._states

    def _is_wanted(self, match: ServedMatch) -> bool:
        return (
            self._is_in_state(match)
            and (not self.ids or {match.id} == self.ids)
            and (not self._kinds or {match.kind} == self._kinds)
            and ("personal" not in self._kinds or (match.owner is not None and match.owner == self._viewer))
        )


class Stream:
    """The messages for one client, with a keep-alive when there are none.

    `watch` is its selection of matches, `address` the address of its client.
    """

    def __init__(self, streams: Streams, watch: Watch, matches: Iterable[ServedMatch], address: str) -> None:
        self.watch, self.address = watch, address
        self._streams, self._is_over = streams, False
        self._first: list[bytes] = watch.first_parts(matches)
        self._waiting: deque[bytes] = deque()
        self._bytes = 0  # in `_waiting`
        self._is_news = asyncio.Event()

    async def events(self) -> AsyncIterator[bytes]:
        """Yield the events in pieces; a long event consists of several."""
        yield b"event: message\ndata: "
        first, self._first = self._first, []
        for part in first:
            yield part
        yield b"\n\n"
        loop = asyncio.get_running_loop()
        keep_alive_at = loop.time() + KEEP_ALIVE_S
        while not self._is_over:
            if self._waiting:
                message = self._waiting.popleft()
                self._bytes -= len(message)
                yield b"event: message\ndata: %s\n\n" % message
                continue
            self._is_news.clear()
            try:
                async with asyncio.timeout_at(keep_alive_at):
                    await self._is_news.wait()
            except TimeoutError:
                keep_alive_at = loop.time() + KEEP_ALIVE_S
                yield b": keep-alive\n\n"

    def send(self, message: bytes) -> None:
        """Queue a message; end the stream if too much waits, because the client no longer reads."""
        self._waiting.append(message)
        self._bytes += len(message)
        if len(self._waiting) > MAX_WAITING or self._bytes > MAX_BYTES:
            self.end()
        self._is_news.set()

    def end(self) -> None:
        """End the stream and drop the waiting messages."""
        self._is_over = True
        self._waiting.clear()
        self._is_news.set()
        self._streams.forget(self)


class Streams:
    """All open streams."""

    def __init__(self) -> None:
        self.shares = Shares(MAX_STREAMS)
        self._all: dict[Watch, Stream] = {}
        self._of_match: dict[str, dict[Watch, None]] = {}  # the streams that watch each match
        self._open: dict[Watch, None] = {}  # the streams that also watch new matches

    def __len__(self) -> int:
        return len(self._all)

    def open(
        self, query: Mapping[str, str], viewer: str | None, matches: Mapping[str, ServedMatch], address: str = ""
    ) -> Stream:
        """Return a new stream, which receives all changes from now on; raise Refusal if there are too many."""
        watch = Watch(query, viewer)
        if not self.shares.has_room(address):
            raise Refusal(0, "too many streams", 500)
        self.shares.take(address)
        found = [matches[one] for one in watch.ids if one in matches] if watch.ids else matches.values()
        stream = self._all[watch] = Stream(self, watch, found, address)
        for match_id in watch.watched:
            self._of_match.setdefault(match_id, {})[watch] = None
        if watch.allows_new:
            self._open[watch] = None
        return stream

    def forget(self, stream: Stream) -> None:
        """Stop sending to a stream."""
        if self._all.pop(stream.watch, None) is None:
            return
        self.shares.give_back(stream.address)
        self._open.pop(stream.watch, None)
        for match_id in stream.watch.watched:
            self._unwatch(match_id, stream.watch)

    def tell(self, match: ServedMatch) -> None:
        """Send each stream its message about a changed match."""
        messages: dict[str, bytes] = {}  # by type, shared by the streams
        for watch in list(self._of_match.get(match.id, {}) | self._open):
            stream = self._all.get(watch)
            if stream is None:
                continue
            kind = watch.notice(match)
            if kind is None:
                continue
            if kind == "add":
                self._of_match.setdefault(match.id, {})[watch] = None
            elif kind == "remove":
                self._unwatch(match.id, watch)
            if kind not in messages:
                messages[kind] = _message(kind, match)
            stream.send(messages[kind])

    def _unwatch(self, match_id: str, watch: Watch) -> None:
        watching = self._of_match.get(match_id, {})
        watching.pop(watch, None)
        if not watching:
            self._of_match.pop(match_id, None)

    def end(self) -> None:
        """End all streams."""
        for stream in list(self._all.values()):
            stream.end()


def _message(kind: str, match: ServedMatch) -> bytes:
    if kind == "remove":
        return to_line({"type": kind, "gameId": match.id})
    return b'{"type":"%s","game":%s}' % (kind.encode(), match.line)


def _start_time(match: ServedMatch) -> float:
    return NOT_STARTED if match.started_at is None else match.started_at


def _index(query: Mapping[str, str], key: str, default: int) -> int:
    text = query.get(key)
    if text is None:
        return default
    if not re.fullmatch("[0-9]{1,9}", text, re.ASCII):
        raise Refusal(106)
    return int(text)

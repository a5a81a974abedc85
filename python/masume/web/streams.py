"""Streams: server-sent events, their number, and the beat that all of them share."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator, Iterator
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ..core.language import translate as _
from ..http.limits import FullError, Shares
from .films import to_bytes
from .listeners import Bell, Listeners
from .match import report
from .requests import viewer_of

KIND = "text/event-stream"
KEEP_ALIVE_S = 10.0
MAX_STREAMS = 1000
RETRY_S = 10.0  # until somebody who found no room tries again
BEAT = b"event: beat\ndata: {}\n\n"  # tells a page that the connection stands


def event(kind: str, data: Any) -> bytes:
    """Return an event with a value as JSON."""
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), to_bytes(data))


class Streams:
    """All streams of a page.

    Attributes
    ----------
    boot : str
        The name of this run of the page: numbers of events mean something only within it.
    count : int
        Number of open streams.
    shares : Shares
        Those that are not the host's, by address.
    is_ending : bool
        Whether the page ends, and all streams with it.
    """

    def __init__(self) -> None:
        self.boot = secrets.token_hex(4)
        self.count = 0
        self.shares = Shares(MAX_STREAMS)
        self.is_ending = False
        self._bells: set[Bell] = set()
        self._open: dict[str, dict[_Stream, None]] = {}  # by address, the oldest first

    def open(self, request: Request, events: AsyncGenerator[bytes, None]) -> Response:
        """Return the answer that sends these events; FullError if there are too many streams."""
        address = viewer_of(request).share
        if address is not None and not self.shares.has_room(address):
            debtor = self.shares.debtor(address)
            if debtor is None:
                raise FullError(_("too many people watch: try again in {seconds} s"), RETRY_S)
            self.leave(next(iter(self._open[debtor]))).cancel()
        if request.method == "HEAD":
            return Response(media_type=KIND)
        return _Stream(self, events, address)

    def enter(self, stream: _Stream) -> None:
        """Count a stream that has begun."""
        self.count += 1
        if stream.address is not None:
            self.shares.take(stream.address)
            self._open.setdefault(stream.address, {})[stream] = None

    def leave(self, stream: _Stream) -> asyncio.Task[Any]:
        """Count a stream no longer, if it is; return its task."""
        if stream.address in self._open and self._open[stream.address].pop(stream, 0) is None:
            self.shares.give_back(stream.address)
            if not self._open[stream.address]:
                del self._open[stream.address]
        return stream.task

    def end(self) -> None:
        """End all streams, which would never end by themselves."""
        self.is_ending = True
        for bell in self._bells:
            bell.ring()

    @contextlib.contextmanager
    def hearing(self, listeners: Listeners) -> Iterator[Bell]:
        """Yield a bell that rings at each change, and after KEEP_ALIVE_S in which no bell did."""
        with listeners.hearing() as bell:
            self._bells.add(bell)
            if len(self._bells) == 1:
                self._timer = asyncio.get_running_loop().call_later(KEEP_ALIVE_S, self._beat)
            try:
                yield bell
            finally:
                self._bells.discard(bell)
                if not self._bells:
                    self._timer.cancel()

    def _beat(self) -> None:
        for bell in self._bells:
            bell.beat()
        self._timer = asyncio.get_running_loop().call_later(KEEP_ALIVE_S, self._beat)

    async def wait(self, bell: Bell) -> bool:
        """Return True at a change and at the end of the page; False at a beat."""
        await bell.wait()
        if bell.is_beat:
            bell.clear()
        return bell.is_set()


class _Stream(StreamingResponse):
    """A stream that is counted, and ends with its connection, not when it is collected as garbage."""

    def __init__(self, streams: Streams, events: AsyncGenerator[bytes, None], address: str | None) -> None:
        super().__init__(events, media_type=KIND)
        self._streams, self._events, self.address = streams, events, address
        self.task = cast("asyncio.Task[Any]", asyncio.current_task())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with contextlib.aclosing(self._events):
            await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        """Send the events; a mistake of ours is told, else the page would connect again and again."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        self._streams.enter(self)
        is_more = True
        try:
            while is_more:
                try:
                    data = await anext(self._events)
                except StopAsyncIteration:
                    data, is_more = b"", False
                except Exception as error:
                    report(error)
                    data, is_more = event("broken", {"text": f"{type(error).__name__}"}), False
                await send({"type": "http.response.body", "body": data, "more_body": is_more})
        finally:
            self._streams.count -= 1
            self._streams.leave(self)

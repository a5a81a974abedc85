"""A server of an application for tests, in a thread."""

import asyncio
import socket
import threading
import time

from masume.http.front import Front
from masume.http.server import Server

WAIT_S = 30.0


def wait_until(condition):
    """Wait for what happens in the server's thread."""
    until = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.002)


class Running:
    """A server in a thread. `answer` is the application for requests; those that wait do so for `go`."""

    def __init__(self, answer, front=None, **given):
        self._answer, self.front = answer, front or Front()
        self.front.listen()
        self.server = Server(self._serve_one, self.front, **given)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self._thread.start()
        wait_until(lambda: self.server._uvicorn.started)

    async def _run(self):
        self.going, self._loop = asyncio.Event(), asyncio.get_running_loop()
        await self.server.serve()

    async def _serve_one(self, scope, receive, send):
        if scope["type"] != "lifespan":
            await self._answer(scope, receive, send, self.going)
            return
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})

    @property
    def connections(self):
        return list(self.server.connections._all.values())

    def connect(self, data=b""):
        found = socket.create_connection(("127.0.0.1", self.front.port), timeout=WAIT_S)
        found.sendall(data)
        return found

    def go(self):
        """Answer what waits."""
        self._loop.call_soon_threadsafe(self.going.set)

    def stop(self):
        self.server.stop()
        self._thread.join(WAIT_S)

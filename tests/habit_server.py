"""A server for one client and one game, in a thread: what the scripted servers of all games share."""

import contextlib
import socket
import struct
import threading

SILENCE_S = 30  # for a line of the client; no game of a test waits so long


class HabitServer:
    """One game for a client on the port `port`; `join` waits for its end. A game is what `_play` does.

    Attributes
    ----------
    port : int
        The port.
    faults : list of str
        What the client did wrong.
    is_over : bool
        Whether the game was played to its end.
    name : bytes
        The first line of the client, if the protocol begins with its name.
    """

    def __init__(self, stay_s=0.3):
        self.faults, self.is_over, self.name, self._stay_s = [], False, b"", stay_s
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def join(self):
        self._thread.join(120)
        assert not self._thread.is_alive(), "the game does not end"
        assert self.is_over, "the game has not ended"

    def _serve(self):
        with self._listener:
            self._link, _ = self._listener.accept()
        with self._link:
            self._link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._link.settimeout(SILENCE_S)
            self._lines = self._link.makefile("rb")
            with self._lines, contextlib.suppress(ConnectionError):
                self._play()

    def _leave(self, end):
        """End the connection: "reset", "open" (nothing more for a while), else as servers close it."""
        if end == "reset":
            self._link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        if end == "open":
            self._link.settimeout(self._stay_s)
            with contextlib.suppress(TimeoutError):
                self._lines.read()
            return
        with contextlib.suppress(OSError):
            self._link.shutdown(socket.SHUT_WR)
            self._lines.read()

"""A client for CHaser's servers, this one and others, with the calls of the common libraries.

    with Client(2009, "me") as client:
        while not client.is_over:
            info = client.get_ready()
            ...

Every call returns an info of ten numbers: 1 (0 after the end of the game), then nine cells in the order of section 9
of the rules, each 0 floor, 1 opponent, 2 block or outside, 3 item. A turn consists of `get_ready` and one more call,
unless the game is over. Some servers end a game without an info: they close the connection, or do not answer the last
method. Then the last cells come once more, after a 0.
"""

from __future__ import annotations

import contextlib
import socket
import time
from types import TracebackType
from typing import Self

from ..errors import GameOverError
from .maps import BLOCK, FLOOR, ITEM, OPPONENT
from .protocol import ANSWER_S, COOL_PORT, END_MARK, GET_READY, TURN, TURN_WORD, message

__all__ = ["BLOCK", "FLOOR", "ITEM", "OPPONENT", "Client"]

INFO_DIGITS = 10
RETRY_S = 0.05


class Client:
    """A connection to one game.

    Parameters
    ----------
    port : int, optional
        2009 for COOL, 2010 for HOT.
    name : str, optional
        Name of the team; servers show its first four characters.
    host : str, optional
        Host of the server.
    wait_s : float, optional
        Seconds during which a failed connection is retried.

    Attributes
    ----------
    is_over : bool
        Whether an info has reported the end of the game.

    Raises
    ------
    ConnectionError
        If no server listens within `wait_s`; from any call if the server closes the connection before the first turn
        is over, or sends what is no info.
    GameOverError
        From any call after the end of the game.
    """

    def __init__(self, port: int = COOL_PORT, name: str = "", host: str = "127.0.0.1", wait_s: float = 10.0) -> None:
        self.is_over = False
        self._last: list[int] = []  # the info of the last method
        deadline = time.monotonic() + wait_s
        while True:
            try:
                self._socket = socket.create_connection((host, port))
                break
            except ConnectionError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(RETRY_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = self._socket.makefile("rb")
        self._send(name.encode())

    def close(self) -> None:
        """Close the connection; during a game this loses it."""
        self._stream.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def get_ready(self) -> list[int]:
        """Wait for the turn and return the 3 x 3 cells around the player, row by row. [CH-22] [CH-23]"""
        self._check()
        word = self._word()
        while word.startswith(b"1"):  # an info that nobody asked for
            word = self._word()
        if word == TURN:
            self._send(GET_READY)
            word = self._answer()
        return self._info(word)  # without @ after a foul: this info is the last message of the server

    def walk_up(self) -> list[int]:
        """Step up; return the 3 x 3 cells around the new place. [CH-26] to [CH-28]"""
        return self._play("wu")

    def walk_right(self) -> list[int]:
        """Step to the right; return the 3 x 3 cells around the new place."""
        return self._play("wr")

    def walk_left(self) -> list[int]:
        """Step to the left; return the 3 x 3 cells around the new place."""
        return self._play("wl")

    def walk_down(self) -> list[int]:
        """Step down; return the 3 x 3 cells around the new place."""
        return self._play("wd")

    def look_up(self) -> list[int]:
        """Return the 3 x 3 cells around the cell two steps up, row by row. [CH-29] [CH-30]"""
        return self._play("lu")

    def look_right(self) -> list[int]:
        """Return the 3 x 3 cells around the cell two steps to the right, row by row."""
        return self._play("lr")

    def look_left(self) -> list[int]:
        """Return the 3 x 3 cells around the cell two steps to the left, row by row."""
        return self._play("ll")

    def look_down(self) -> list[int]:
        """Return the 3 x 3 cells around the cell two steps down, row by row."""
        return self._play("ld")

    def search_up(self) -> list[int]:
        """Return the nine cells above, nearest first. [CH-31]"""
        return self._play("su")

    def search_right(self) -> list[int]:
        """Return the nine cells to the right, nearest first."""
        return self._play("sr")

    def search_left(self) -> list[int]:
        """Return the nine cells to the left, nearest first."""
        return self._play("sl")

    def search_down(self) -> list[int]:
        """Return the nine cells below, nearest first."""
        return self._play("sd")

    def put_up(self) -> list[int]:
        """Put a block above; return the 3 x 3 cells around the player. [CH-32] [CH-33]"""
        return self._play("pu")

    def put_right(self) -> list[int]:
        """Put a block to the right; return the 3 x 3 cells around the player."""
        return self._play("pr")

    def put_left(self) -> list[int]:
        """Put a block to the left; return the 3 x 3 cells around the player."""
        return self._play("pl")

    def put_down(self) -> list[int]:
        """Put a block below; return the 3 x 3 cells around the player."""
        return self._play("pd")

    def _play(self, code: str) -> list[int]:
        self._check()
        self._send(code.encode())
        self._socket.settimeout(ANSWER_S)
        self._last = self._info(self._answer())
        self._socket.settimeout(None)
        self._send(END_MARK)
        return self._last

    def _check(self) -> None:
        if self.is_over:
            raise GameOverError("the game is over: no call follows an info that begins with 0")

    def _send(self, content: bytes) -> None:
        with contextlib.suppress(ConnectionError):  # the server has closed: reading returns its last message or fails
            self._socket.sendall(message(content))

    def _answer(self) -> bytes:
        """Read the next word that is no `@`, which some servers repeat."""
        while (word := self._word()) == TURN:
            pass
        return word

    def _word(self) -> bytes:
        """Read `@` or the ten digits of an info; b"" if there is nothing more.

        Line ends are skipped because some servers send none, and so is what else is said. [CH-42] [CH-44]
        """
        text = b""
        while byte := self._read():
            if byte == TURN:
                return byte
            if byte in b"\r\n" or byte == END_MARK:
                if text == TURN_WORD:
                    return TURN
                text = b""
            elif not text and byte.isdigit():
                return self._digits(byte)
            else:
                text += byte
        return b""

    def _digits(self, word: bytes) -> bytes:
        while len(word) < INFO_DIGITS and word.isdigit() and (byte := self._read()):
            word += byte
        return word.rstrip(b"\r\n")

    def _read(self) -> bytes:
        try:
            return self._stream.read(1)
        except (TimeoutError, ConnectionError):  # the game is over, and the server does not say so
            return b""

    def _info(self, word: bytes) -> list[int]:
        if not word and self._last:
            self.is_over = True
            return [0, *self._last[1:]]
        if not word:
            raise ConnectionError("the server has closed the connection")
        if len(word) != INFO_DIGITS or not word.isdigit():
            raise ConnectionError(f"expected an info, got {word!r}")
        self.is_over = word.startswith(b"0")
        return [int(digit) for digit in word.decode()]

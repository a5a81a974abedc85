"""The line protocol of CHaser's servers: its messages and the penalty for violations. [section 14]

A server sends `@` at each turn, then infos of ten digits. A client sends its name once, then in each turn `gr`, a
method and `#`.
"""

from __future__ import annotations

from typing import Any

from ..records.replay import Forfeit
from .notation import CODES, REASONS

COOL_PORT, HOT_PORT = 2009, 2010  # CH-39, CH-40, CH-R33
SIDES_OF_PORTS = {COOL_PORT: 0, HOT_PORT: 1, 40000: 0, 50000: 1}  # the latter by a known server [section 14.10]
TURN, GET_READY, END_MARK = b"@", b"gr", b"#"  # CH-42, CH-43, CH-47
TURN_WORD = b"Ready"
"""What a known server says in place of `@`; at the end of a game it says `#`. [section 14.10]"""
ANSWER_S = 10.0
"""Seconds in which a server answers a method, unless the game is over: known servers leave the last method of a game
without an answer. [section 14.10]
"""
METHODS = {code.encode(): action for action, code in enumerate(CODES)}
"""Actions by the two letters of the method. [CH-45]"""
NAME_BYTES = 1024
LINE_BYTES = 64
BLANK_LINES = 9


def message(content: bytes) -> bytes:
    """Return the content with the line end of every message. [CH-43] [CH-44] [CH-R30]"""
    return content + b"\r\n"


def penalty(_state: Any, player: int, _fault: Any) -> Forfeit:
    """Return the penalty for any violation: the player loses at once. [CH-20] [CH-R24]"""
    return Forfeit(player, "FOUL")


def reason(state: Any) -> str:
    """Return the name, as in section 8, of the reason why the game ended."""
    return REASONS[state.reason]

"""The line protocol of CHaser's servers: its messages, parsed and written, and what breaking it costs.

Section 14 of the rules. A server sends `@` at each turn, then infos of ten digits; a client sends its name once, then
in each turn `gr`, a method and `#`.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from ..records.replay import Forfeit
from .notation import CODES, REASONS

COOL_PORT, HOT_PORT = 2009, 2010  # CH-39, CH-40, CH-R33
TURN, GET_READY, END_MARK = b"@", b"gr", b"#"  # CH-42, CH-43, CH-47
METHODS = {code.encode(): action for action, code in enumerate(CODES)}
"""The action of each method's two letters. [CH-45]"""
NAME_BYTES = 1024
LINE_BYTES = 64
BLANK_LINES = 9
DROPPED = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
"""Unicode categories that a name does not keep, the ASCII space apart."""


def message(content: bytes) -> bytes:
    """The content with the end that every message has. [CH-43] [CH-44] [CH-R30]"""
    return content + b"\r\n"


def clean_name(data: bytes) -> str:
    """The name that the bytes before the first LF give, in full: UTF-8, else CP932, without what cannot be shown.

    [CH-41] [section 14.4]
    """
    data = data.rstrip(b"\r")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("cp932", errors="replace")
    return "".join(char for char in text if char == " " or unicodedata.category(char) not in DROPPED)


def penalty(_state: Any, player: int, _fault: Any) -> Forfeit:
    """Whatever a player does wrong, it has lost at once. [CH-20] [CH-R24]"""
    return Forfeit(player, "FOUL")


def reason(state: Any) -> str:
    """Why the game ended, by the name of section 8."""
    return REASONS[state.reason]

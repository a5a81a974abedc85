"""A client that plays on a server of others. [sections 14.1 to 14.6]"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.language import translate as _
from ..errors import MatchError
from ..referee.joining import GRACE_S, Guest, Report, Server
from .maps import BLOCK, OPPONENT, PLAYERS
from .notation import CODES, PUT, WALK
from .protocol import END_MARK, GET_READY, TURN, message
from .told import WAIT, Told

if TYPE_CHECKING:
    from ..game import Game

DIGITS = 10
SIDES = (1, 5, 3, 7)
"""Indices, in the nine digits of a ready info, of the cells in direction 0..3."""


async def play(server: Server, guest: Guest, game: Game, player: int, name: str, tell: Callable[[str], None]) -> Report:
    """Play one game over a connection.

    Parameters
    ----------
    server : Server
        The connection; it is closed at the end.
    guest : Guest
        The agent.
    game : Game
        The game.
    player : int
        0 COOL, 1 HOT.
    name : str
        Name of the team; it is sent in Shift_JIS, as the contests' clients do.
    tell : callable
        Called with news for people.

    Returns
    -------
    dict
        The report: also the `turns` and `items` of the player.

    Raises
    ------
    MatchError
        If the server ends, hangs, or sends what is no info.
    AgentError
        If the agent fails.
    """
    told = Told(game, player)
    facts: Report = {"player": PLAYERS[player], "name": name, "result": None, "turns": 0, "items": 0}
    try:
        server.say(message(name.encode("cp932", errors="replace")))
        while True:
            word = await _word(server)
            if word != TURN:  # over, by the opponent or by a foul
                facts["result"] = _by_others(_info(server, word))
                break
            server.say(message(GET_READY))
            ready = _info(server, await _word(server))
            if ready[0] == "0":
                facts["result"] = _by_others(ready)
                break
            action = await _decide(guest, told, ready, facts, tell)
            server.say(message(CODES[action].encode()))
            info = _info(server, await _word(server))
            if info[0] == "0":
                facts["turns"] += 1
                facts["result"] = _by_method(ready, action, info)
                break
            server.say(message(END_MARK))
            told.played(action, info)
            facts["turns"] += 1
            facts["items"] = told.items
            await guest.tell(told.after_method())
    finally:
        await server.close(GRACE_S)
    return facts


async def _decide(guest: Guest, told: Told, ready: str, facts: Report, tell: Callable[[str], None]) -> int:
    """Return the method after a ready info; a search, which waits, if the agent is too late."""
    is_first, was_mirrored = not told.has_begun, told.is_mirrored
    told.ready(ready)
    if was_mirrored and not told.is_mirrored:
        tell(_("the field is not symmetric"))
    view = told.view(*guest.times())
    await (guest.start(view) if is_first else guest.tell(view))
    actions = await guest.act(view)
    if actions is None:
        tell(_("turn {turn}: the agent was too late, and waits").format(turn=facts["turns"] + 1))
        return WAIT
    return actions[0]


async def _word(server: Server) -> bytes:
    """Return `@` or ten digits; line ends are skipped because some servers send none. [CH-42] [CH-44]"""
    word = await server.take(1, b"\r\n")
    return word + await server.take(DIGITS - 1) if word.isdigit() else word


def _info(server: Server, word: bytes) -> str:
    if len(word) != DIGITS or not word.isdigit() or not set(word[1:]) <= set(b"0123"):
        told = _("{address}: expected an info of ten digits, got {word}")
        raise MatchError(told.format(address=server.peer, word=repr(word)[1:]))
    return word.decode()


def _by_others(info: str) -> str | None:
    """Return what an end info says of a game that ended in the turn of the opponent, or by a foul; None: nothing."""
    digits = [int(digit) for digit in info[1:]]
    is_shut = all(digits[side] == BLOCK for side in SIDES)
    return "lost" if digits[4] == BLOCK or is_shut else None


def _by_method(ready: str, action: int, info: str) -> str | None:
    """Return what the player's own method came to, if the infos show it; None if they do not."""
    kind, direction = divmod(action, 4)
    before = int(ready[1 + SIDES[direction]])
    if kind == PUT and before == OPPONENT:
        return "won"
    if kind == WALK and before == BLOCK:
        return "lost"
    is_shut = kind in (PUT, WALK) and all(int(info[1 + side]) == BLOCK for side in SIDES)
    return "lost" if is_shut else None

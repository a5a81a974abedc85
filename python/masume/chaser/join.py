"""A client that plays on a server of others. [sections 14.1 to 14.6]

Servers differ [section 14.10]: a game can also end by `#`, by a closed connection, or by a method that is not answered.
So after the first method all these are the end of the game, whose result is what the infos have shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ..core.language import say
from ..core.language import translate as _
from ..errors import ConfigError, MatchError
from ..game import Game
from ..referee.joining import GRACE_S, Guest, Report, Server
from .maps import BLOCK, OPPONENT, PLAYERS
from .notation import CODES, PUT, WALK
from .protocol import ANSWER_S, END_MARK, GET_READY, NAME_BYTES, TURN, TURN_WORD, message
from .told import WAIT, Belief, Told

DIGITS = 10
TEXT_BYTES = 200  # of a line of text that are shown
SIDES = (1, 5, 3, 7)
"""Indices, in the nine digits of a ready info, of the cells in direction 0..3."""


def encode_name(name: str, encoding: str | None, tell: Callable[[str], None]) -> bytes:
    """Return the bytes of a name; without an encoding UTF-8, with a warning if servers may read it differently.

    Raises ConfigError if it cannot be written, or is no line.
    """
    try:
        data = name.encode(encoding or "utf-8")
    except UnicodeEncodeError as error:
        raise ConfigError(f"name: {error.object[error.start]!r} cannot be written in {encoding}") from None
    if not name.isprintable() or len(data) > NAME_BYTES:
        raise ConfigError(f"name: expected a line of at most {NAME_BYTES} bytes, got {name!r:.60}")
    if encoding is None and data != name.encode("cp932", errors="replace"):
        tell(say("name {name}: sent in UTF-8; --encoding shift_jis for servers that read Shift_JIS", name=name))
    return data


async def play(
    server: Server, guest: Guest, told: Told, player: int, name: bytes, tell: Callable[[str], None]
) -> Report:
    """Play one game over a connection.

    Parameters
    ----------
    server : Server
        The connection; it is closed at the end.
    guest : Guest
        The agent.
    told : Told
        What the player knows: nothing yet.
    player : int
        0 COOL, 1 HOT.
    name : bytes
        Name of the team, as it is sent.
    tell : callable
        Called with news for people.

    Returns
    -------
    dict
        The report: also the `turns` and `items` of the player.

    Raises
    ------
    MatchError
        If the server ends before the first method, hangs, or sends what is no info.
    AgentError
        If the agent fails.
    """
    game = _Game(server, guest, told, player, tell)
    try:
        server.say(message(name))
        while await game.play_turn():
            pass
    finally:
        await server.close(GRACE_S)
    return game.facts


class _Over(Exception):  # noqa: N818 - what a game comes to
    """The game is over without an info that says so."""


class _Game:
    """A game on a server of others. `facts` is its report."""

    def __init__(self, server: Server, guest: Guest, told: Told, player: int, tell: Callable[[str], None]) -> None:
        self._server, self._guest, self._told, self._tell = server, guest, told, tell
        self._is_asked = False
        self.facts: Report = {"player": PLAYERS[player], "result": None, "turns": 0, "items": 0}

    async def play_turn(self) -> bool:
        """Play the next turn; return whether the game goes on."""
        try:
            return await self._play_turn()
        except _Over as over:
            self._tell(str(over))
            return False

    async def _play_turn(self) -> bool:
        word = await self._word()
        while word != TURN and word.startswith(b"1"):  # an info that nobody asked for
            word = await self._word()
        if word != TURN:  # over, by the opponent or by a foul
            return self._end_by_others(_info(self._server, word))
        self._say(GET_READY)
        ready = _info(self._server, await self._answer())
        if ready[0] == "0":
            return self._end_by_others(ready)
        action = await self._decide(ready)
        self.facts["result"] = _by_method(ready, action)  # as far as it is known without the answer
        self._say(CODES[action].encode())
        self.facts["turns"] += 1
        info = _info(self._server, await self._answer_to_method())
        self.facts["result"] = _by_method(ready, action, info)
        self._told.played(action, info)
        self.facts["items"] = self._told.items
        if info[0] == "0":
            return False
        self._say(END_MARK)
        if self._told.is_possible:
            await self._guest.tell(self._told.after_method())
        return True

    def _end_by_others(self, info: str) -> bool:
        self.facts["result"] = _by_others(info) or self.facts["result"]
        return False

    # -- the agent ----------------------------------------------------------------------------------

    async def _decide(self, ready: str) -> int:
        """Return the method after a ready info; a search, which waits, if the agent is too late or cannot be asked."""
        tracker, turn = self._told, self.facts["turns"] + 1
        game, belief = tracker.game, tracker.belief
        tracker.ready(ready)
        self._report(game, belief)
        if not tracker.is_possible:
            self._tell(say("turn {turn}: by the rules the game is over; waiting", turn=turn))
            return WAIT
        view = tracker.view(*self._guest.times())
        if not self._is_asked:
            await self._guest.start(view)
        elif tracker.game is game:
            await self._guest.tell(view)
        if tracker.game is not game:
            await self._guest.change(tracker.game, view)
        self._is_asked = True
        actions = await self._guest.act(view)
        if actions is None:
            self._tell(say("turn {turn}: the agent was too late, and waits", turn=turn))
            return WAIT
        return actions[0]

    def _report(self, game: Game, belief: Belief) -> None:
        """Say what has turned out to be otherwise."""
        told, turn = self._told, self.facts["turns"] + 1
        if told.has_forgotten:
            self._tell(
                say("turn {turn}: nothing explains what the server sent; only what is seen now counts", turn=turn)
            )
        elif told.belief[:2] != belief[:2]:
            shape = _("{width} wide and {height} high")
            old, new = (shape.format(width=one.width, height=one.height) for one in (belief, told.belief))
            self._tell(say("turn {turn}: the field is not {old}, but perhaps {new}", turn=turn, old=old, new=new))
        if belief.is_mirrored and not told.is_mirrored:
            self._tell(_("the field is not symmetric"))
        if told.game.config.turn_limit != game.config.turn_limit:  # type: ignore[union-attr]
            self._tell(say("the server goes on after turn {turn}", turn=turn - 1))

    # -- the server ---------------------------------------------------------------------------------

    def _say(self, content: bytes) -> None:
        """Send a message; a server that is gone is noticed when it is listened to."""
        if self._server.inbox.ended is None:
            self._server.say(message(content))

    async def _answer(self) -> bytes:
        """Return the next word that is no `@`, which some servers repeat."""
        while (word := await self._word()) == TURN:
            pass
        return word

    async def _answer_to_method(self) -> bytes:
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._answer()
        except (TimeoutError, MatchError, _Over):
            turn = self.facts["turns"]
            if self.facts["result"] is None:  # after the turn limit
                self.facts["turns"] -= 1
            raise _Over(say("turn {turn}: the server did not answer the method: the game is over", turn=turn)) from None

    async def _word(self) -> bytes:
        """Return `@` or ten digits; what else is said is reported, and the connection's end is that of the game.

        Line ends are skipped because some servers send none. [CH-42] [CH-44]
        """
        try:
            while True:
                word = await self._server.take(1, b"\r\n")
                if word.isdigit():
                    return word + await self._server.take(DIGITS - 1)
                if word == TURN or (word != END_MARK and await self._read_text(word) == TURN_WORD):
                    return TURN
        except MatchError:
            if self._server.inbox.ended is None or self.facts["turns"] == 0:
                raise
            raise _Over(_("the server has closed the connection: the game is over")) from None

    async def _read_text(self, text: bytes) -> bytes:
        """Return a text that begins so; it ends with its line, or before a mark of the protocol. Report it."""
        try:
            while await self._server.peek() not in (b"\n", TURN, END_MARK):
                text = (text + await self._server.take(1))[:TEXT_BYTES]
        finally:
            text = text.strip()
            if text != TURN_WORD:
                self._tell(say("the server says: {text}", text=text.decode("utf-8", errors="replace")))
        return text


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


def _by_method(ready: str, action: int, info: str | None = None) -> str | None:
    """Return what the player's own method came to, if the infos show it; None if they do not."""
    kind, direction = divmod(action, 4)
    before = int(ready[1 + SIDES[direction]])
    if kind == PUT and before == OPPONENT:
        return "won"
    if kind == WALK and before == BLOCK:
        return "lost"
    is_shut = info is not None and kind in (PUT, WALK) and all(int(info[1 + side]) == BLOCK for side in SIDES)
    return "lost" if is_shut else None

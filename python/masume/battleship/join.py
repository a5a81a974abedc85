"""A client of the course protocol that plays on a server of others. [section 13]

A game whose first turn has begun ends with its last word, or with the connection: servers stop when a program has left
or sent what they cannot read. Then the result is what the last message has told, if it told any.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from ..agent import View
from ..core.language import translate as _
from ..errors import ConfigError, MatchError
from ..game import Game, load
from ..referee.joining import GRACE_S, Guest, Report, Server
from . import maps
from .maps import REEF, SEA
from .protocol import DIALECTS, LOSE, SETUP, WAITING, WIN, YOUR_TURN, Dialect
from .told import Told, action_text, places_text

LINE_BYTES = 1 << 20
LAST_WORD_S = 10.0  # for the last word of a game whose result is known
RESULTS = {WIN: "won", LOSE: "lost", **{dialect.draw: "draw" for dialect in DIALECTS.values()}}
"""Results by the last word of a game."""


class Client:
    """A client of one connection, which plays all games of a loop.

    Parameters
    ----------
    server : Server
        The connection; `play` closes it.
    game : Game
        The game; its size and map are replaced by those that the server sends.
    make_guest : callable
        Makes the agent for a game.
    player : int
        Player that the agent takes itself for while it places its ships: 0 moves first, 1 second. The server says it
        only after that.
    name : str
        Name of the player.
    tell : callable
        Called with news for people.
    """

    def __init__(
        self,
        server: Server,
        game: Game,
        make_guest: Callable[[Game], Guest],
        player: int,
        name: str,
        tell: Callable[[str], None],
    ) -> None:
        self._server, self._game, self._make_guest, self._player = server, game, make_guest, player
        self._name, self._say = name, tell
        self._guest: Guest | None = None
        self._dialect = DIALECTS["new"]
        self.reports: list[Report] = []

    async def play(self) -> list[Report]:
        """Play the games of the connection; return their reports, which also count the `turns`.

        Raises
        ------
        MatchError
            If the server ends before the first turn, hangs, or sends what is not of the protocol.
        AgentError
            If the agent fails.
        """
        try:
            self._dialect = await self._greet()
            while await self._play_one():
                pass
        finally:
            if self._guest is not None:
                await self._guest.close()
            await self._server.close(GRACE_S)
        return self.reports

    async def _greet(self) -> Dialect:
        greeting = await self._line()
        for dialect in DIALECTS.values():
            if greeting.split() == dialect.greeting.split():
                if dialect.has_map:
                    self._send(self._name)
                return dialect
        raise self._unexpected(_("a greeting of the course protocol"), greeting)

    async def _play_one(self) -> bool:
        """Play a game; return whether another one follows."""
        if self._dialect.has_map:
            self._read_map(await self._line())
        if self._guest is None:
            self._guest = self._make_guest(self._game)
        guest, player = self._guest, self._player
        places = await self._place(guest, player)
        self._send(places_text(self._game.config, places))  # type: ignore[arg-type]
        line = await self._line()
        if line in (YOUR_TURN, WAITING) and (first := int(line == WAITING)) != player:
            player = first
            await guest.start(View(Told(self._game, player, places, self._dialect).state, player))
        tracker = Told(self._game, player, places, self._dialect)
        await guest.tell(tracker.view())
        facts: Report = {"player": player, "name": self._name, "result": None, "turns": 0}
        self.reports.append(facts)
        word = await self._play_turns(guest, tracker, line, facts)
        if word is None:
            return False
        facts["result"] = RESULTS[word.removesuffix(".")]
        if self._dialect.has_map or not word.endswith("."):
            return word.endswith(".") and await self._goes_on()
        return await self._goes_on() and await self._line() == self._dialect.greeting

    async def _play_turns(self, guest: Guest, tracker: Told, line: str, facts: Report) -> str | None:
        """Play to the last word of the game, and return it; None if the server ends without it."""
        text = ""
        while line.removesuffix(".") not in RESULTS:
            if line == YOUR_TURN:
                text = json.dumps(await self._decide(guest, tracker.view(*guest.times())))
                self._send(text)
            elif line.startswith("{"):
                facts["turns"] += 1
                await self._hear(guest, tracker, text, line, facts)
                text = ""
            elif line and line != WAITING:
                self._say(_("the server says: {text}").format(text=line))
            try:
                async with asyncio.timeout(LAST_WORD_S if facts["result"] else None):
                    line = await self._line()
            except (MatchError, TimeoutError):
                if facts["result"] is None and self._server.inbox.ended is None:
                    raise
                self._say(_("the server has closed the connection: the game is over"))
                return None
        return line

    async def _hear(self, guest: Guest, tracker: Told, text: str, line: str, facts: Report) -> None:
        """Take in the message about a turn, whose action is `text` if it is an own one."""
        message = self._read(line)
        outcome, seen = message.get("outcome"), message.get(self._dialect.observation)
        if outcome is None and isinstance(seen, dict) and {} in (seen.get("me"), seen.get(self._dialect.opponent)):
            outcome = bool(seen.get("me"))  # a fleet is sunk
        if outcome is not None:
            facts["result"] = "won" if outcome else "lost"
        if facts["result"] is not None:
            return
        try:
            tracker.heard(text, message)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise self._unexpected(_("a position"), line) from None
        view = tracker.view()
        if not tracker.has_forgotten:
            await guest.tell(view)
            return
        said = _("turn {turn}: nothing explains what the server sent; only what is seen now counts")
        self._say(said.format(turn=facts["turns"]))
        await guest.change(self._game, view)

    async def _place(self, guest: Guest, player: int) -> list[int]:
        """Return the actions that place the ships, as the agent decides."""
        state: Any = self._game.new_state(0)
        await guest.start(View(state.clone(), player))
        places: list[int] = []
        while state.phase == SETUP:
            if state.current_player != player:
                state.apply(state.fallback())
                continue
            actions = await guest.act(View(state.clone(), player, *guest.times()))
            places.append(int(state.fallback()) if actions is None else actions[0])
            state.apply(places[-1])
        return places

    async def _decide(self, guest: Guest, view: View) -> dict[str, Any]:
        """Return the message of the agent's action."""
        actions = await guest.act(view)
        state: Any = view._state
        if actions is None:
            self._say(_("the agent was too late"))
            return action_text(state, int(state.fallback()))
        return action_text(state, actions[0])

    def _read_map(self, line: str) -> None:
        """Take over the size and the reefs of the server's map."""
        message = self._read(line)
        try:
            width, height = int(message["width"]), int(message["height"])
            rocks = {(int(x), int(y)) for x, y in message.get("rock", ())}
            fields: dict[str, Any] = {"width": width, "height": height}
            if rocks:
                letters = {True: maps.LETTERS[REEF], False: maps.LETTERS[SEA]}
                rows = ("".join(letters[(x, y) in rocks] for x in range(width)) for y in range(height))
                fields[maps.KIND] = "\n".join(rows)
            config: Any = self._game.config
            times = {name: getattr(config, name) for name in ("max_rounds", "time_main_s", "time_floor_s")}
            game = load("battleship", "submarine", **times, **fields)
        except (KeyError, TypeError, ValueError) as error:
            what = "" if isinstance(error, KeyError) else f": {error}"
            raise self._unexpected(_("a map") + what, line) from None
        if game != self._game:
            self._game, self._guest = game, None

    async def _goes_on(self) -> bool:
        """Return whether the server sends more."""
        inbox = self._server.inbox
        while not inbox.data and inbox.ended is None:
            await inbox.more(None)
        return bool(inbox.data)

    def _read(self, line: str) -> dict[str, Any]:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise self._unexpected(_("a JSON object"), line)
        return message

    async def _line(self) -> str:
        inbox = self._server.inbox
        try:
            line = await self._server.hear(LINE_BYTES)
        except MatchError:
            if inbox.ended is None or not inbox.data:
                raise
            line = inbox.take(len(inbox.data))  # a last line without an end
        return line.decode(errors="replace").strip()

    def _send(self, message: str | dict[str, Any]) -> None:
        """Send a line; a server that is gone is noticed when it is listened to."""
        text = message if isinstance(message, str) else json.dumps(message)
        if self._server.inbox.ended is None:
            self._server.say(text.encode() + b"\n")

    def _unexpected(self, wanted: str, line: str) -> MatchError:
        told = _("{address}: expected {wanted}, got {line}")
        return MatchError(told.format(address=self._server.peer, wanted=wanted, line=f"{line!r:.80}"))


def the_game(game: Game) -> Game:
    """Return the game; raise ConfigError if the protocol does not support it."""
    from .protocol import is_spoken

    config: Any = game.config
    if not is_spoken(config):
        raise ConfigError("preset: only submarine is played, with any size, map, max_rounds and times")
    return game

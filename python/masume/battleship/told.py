"""The state of a client of the course protocol, computed from the messages of the server. [section 13]

The messages hide only where the opponent's ships are placed; they name every move. `Told` therefore searches for places
of the opponent's ships with which the server would have sent exactly the messages received, and plays the actions of
both sides from there. The memory and the samples of this State equal those of the player in the real game.

Some servers go on after our last round, or let ships attack from afar. So what no places explain is forgotten, and the
last message is where the game begins.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from ..agent import View
from ..core._state import State
from ..errors import ConfigError, NotationError
from ..game import Game
from . import notation
from .config import Config
from .notation import PLACE, Action
from .protocol import SETUP, SHIPS, Dialect, observation, read_action, result, target_of

Panel = tuple[int, int]
PANEL, EFFECTS = 5, 5  # the column of an event's panel, and the number of columns after it
MAX_PLAYED = 20_000  # turns that are played to find places of the opponent's ships that explain a message


class ToldView(View):
    """The view of a client that has forgotten what was before a position: `past` are events that lead there."""

    def __init__(self, state: State, player: int, left_ms: int | None, each_ms: int, past: str) -> None:
        super().__init__(state, player, left_ms, each_ms)
        self._past = past

    def information_state(self) -> str:
        """Return the events that lead to the position, and those since then."""
        player, bar, since = super().information_state().partition("|")
        return f"{player}|{self._past}{bar}{since}"


class Told:
    """What the player of one seat knows from the messages of a server.

    Parameters
    ----------
    game : Game
        The game, of a config that the protocol supports.
    player : int
        0 moves first, 1 second.
    places : list of int
        The actions that placed the player's own ships.
    dialect : Dialect
        Dialect of the messages.

    Attributes
    ----------
    state : State
        The position, with all that the player knows.
    has_forgotten : bool
        Whether no places of the opponent's ships explained the last message.
    """

    def __init__(self, game: Game, player: int, places: list[int], dialect: Dialect) -> None:
        self._game, self._player, self._places, self._dialect = game, player, places, dialect
        self._seen: dict[str, Any] | None = None  # the position in which the turns begin; None: after the placement
        self._past = ""  # events that lead there
        self.has_forgotten = False
        self.state = self._begin_again()

    def heard(self, text: str, message: dict[str, Any]) -> None:
        """Take in the message about an action; for the opponent's, `text` is empty.

        Raises KeyError, TypeError or ValueError if it shows no position.
        """
        try:
            self.has_forgotten = not self._explains(text, message)
        except (AttributeError, KeyError, TypeError):
            self.has_forgotten = True
        if not self.has_forgotten:
            return
        self._seen, self._past = self._position(message, self._player if not text else 1 - self._player)
        self.state = self._begin_again()

    def view(self, left_ms: int | None = None, each_ms: int = 0) -> View:
        """Return the view of the player."""
        if self._seen is None:
            return View(self.state.clone(), self._player, left_ms, each_ms)
        return ToldView(self.state.clone(), self._player, left_ms, each_ms, self._past)

    def _explains(self, text: str, message: dict[str, Any]) -> bool:
        """Return whether some places explain all messages so far; `state` then has them."""
        self._turns.append((text, message))
        for slot, letter in enumerate(SHIPS):
            self._candidates[slot].hear(letter, message, is_own=bool(text))
        if not self._play(self.state, text, message):
            found = self._explain()
            if found is None:
                return False
            self.state = found
        return not self.state.is_terminal()  # the server knows another end

    def _begin_again(self) -> State:
        """Return a State in which no turn has been played since the first position."""
        self._turns: list[tuple[str, dict[str, Any]]] = []  # the action of each turn, and its message
        hp = (0,) if self._seen is None else self._seen["ship_hp"][1 - self._player]
        sunk = set() if self._seen is None else {slot for slot, left in enumerate(hp) if not left}
        self._candidates = [_Candidates(self._game, slot, slot in sunk) for slot in range(len(SHIPS))]
        state = self._explain()
        if state is None:
            raise ValueError("no ships can be there")
        return state

    def _explain(self) -> State | None:
        """Return a State in which the server would have sent these messages; None if none is found."""
        played = 0
        for starts in self._starts():
            state = self._begin(starts)
            if state is None:
                continue
            for turn in self._turns:
                played += 1
                if not self._play(state, *turn):
                    break
            else:
                return state
            if played >= MAX_PLAYED:
                break
        return None

    def _position(self, message: dict[str, Any], mover: int) -> tuple[dict[str, Any], str]:
        """Return a position with the ships of a message, in which a player is to move, and events that lead there."""
        state: Any = self._game.new_state()
        while state.phase == SETUP:
            state.apply(state.fallback())
        events = [list(view) for view in notation.views_of(state.information_state(self._player))[1]]
        if state.current_player != mover:
            state.apply(state.fallback())
        config: Any = self._game.config
        variables: dict[str, Any] = state.to_dict()
        seen = message[self._dialect.observation]
        for player, key in ((self._player, "me"), (1 - self._player, self._dialect.opponent)):
            for slot, letter in enumerate(SHIPS):
                hp = variables["ship_hp"][player][slot] = int(seen[key].get(letter, {}).get("hp", 0))
                place = -1
                if hp and player == self._player:
                    x, y = seen[key][letter]["position"]
                    place = variables["ship_pos"][player][slot] = int(y) * config.width + int(x)
                    events[slot][PANEL] = place
                unchanged = [variables[name][player][slot] for name in ("ship_fp", "ship_aux", "ship_flags")]
                event = [1, player, slot, variables["ship_cls"][player][slot], place]
                if not hp:
                    events.append([notation.KINDS.index("SUNK"), *event, 0, *[-1] * (EFFECTS - 1)])
                elif player == self._player:
                    events.append([notation.KINDS.index("STATUS"), *event, hp, *unchanged, -1])
        events.append([notation.KINDS.index("TURN"), 1, mover, *[-1] * (3 + EFFECTS)])
        return variables, "|".join(",".join(map(str, event)) for event in events)

    def _starts(self) -> Iterator[tuple[Panel, ...]]:
        """Yield possible places of the opponent's ships at the start."""
        for starts in itertools.product(*(sorted(one.starts) for one in self._candidates)):
            if len(set(starts)) == len(starts) and self._can_shoot(starts):
                yield starts

    def _can_shoot(self, starts: tuple[Panel, ...]) -> bool:
        """Return whether a living ship of the opponent was in range of each of its attacks."""
        shots = self._candidates[0].shots
        return all(
            any(_is_near(self._candidates[slot].panel(start, time), target, 1) for slot, start in enumerate(starts)
                if self._candidates[slot].is_alive(time))
            for time, target in shots
        )  # fmt: skip

    def _begin(self, starts: tuple[Panel, ...]) -> State | None:
        """Return the position before the first turn; None if ships cannot be there."""
        config: Any = self._game.config
        panels = [y * config.width + x for x, y in starts]
        try:
            if self._seen is not None:
                places = [*self._seen["ship_pos"]]
                places[1 - self._player] = panels
                return self._game.state_from_dict({**self._seen, "ship_pos": places})
            theirs = [notation.encode(config, Action(PLACE, where=panel)) for panel in panels]
            state = self._game.new_state(0)
            for action in [*self._places, *theirs] if self._player == 0 else [*theirs, *self._places]:
                state.apply(action)
        except ValueError:
            return None
        return state

    def _play(self, state: State, text: str, message: dict[str, Any]) -> bool:
        """Play a turn; return whether the server would then have sent this message."""
        config: Any = self._game.config
        if state.is_terminal() or (state.current_player == self._player) != bool(text):
            return False
        try:
            state.apply(read_action(state, text or self._text_of(state, message)))
        except (NotationError, KeyError, TypeError):
            return False
        sent = result(config, state.events(self._player), self._player)
        sent |= observation(state, self._player, self._dialect)
        return bool(_sorted({key: message.get(key) for key in sent}) == _sorted(sent))

    def _text_of(self, state: Any, message: dict[str, Any]) -> str:
        """Return the opponent's action as it may have sent it."""
        config = state.game.config
        told = message["result"]
        if "attacked" in told:
            return json.dumps({"attack": {"to": told["attacked"]["position"]}})
        ship, (dx, dy) = told["moved"]["ship"], told["moved"]["distance"]
        y, x = divmod(state.to_dict()["ship_pos"][1 - self._player][SHIPS.index(ship)], config.width)
        return json.dumps({"move": {"ship": ship, "to": [x + dx, y + dy]}})


class _Candidates:
    """The places where a ship of the opponent may have begun, from what the messages tell of this ship alone."""

    def __init__(self, game: Game, slot: int, is_sunk: bool = False) -> None:
        config: Any = game.config
        self._letter = SHIPS[slot]
        self.starts = {(x, y) for y in range(config.height) for x in range(config.width)}
        self._size = config.width, config.height
        self._moved: list[tuple[int, Panel]] = []  # time and distance of each move
        self._time = 0
        self._sunk_at = -1 if is_sunk else None
        self.shots: list[tuple[int, Panel]] = []  # the opponent's attacks

    def panel(self, start: Panel, time: int) -> Panel:
        """Return the place at this time of a ship that began at `start`."""
        moves = [distance for at, distance in self._moved if at < time]
        return start[0] + sum(dx for dx, _ in moves), start[1] + sum(dy for _, dy in moves)

    def is_alive(self, time: int) -> bool:
        """Return whether the ship was alive at this time."""
        return self._sunk_at is None or time <= self._sunk_at

    def hear(self, letter: str, message: dict[str, Any], is_own: bool) -> None:
        """Take in a message: of an own action, or of the opponent's."""
        result = message.get("result") or {}
        attacked, moved = result.get("attacked"), result.get("moved")
        if attacked is not None and not is_own:
            self.shots.append((self._time, tuple(attacked["position"])))
        elif attacked is not None and self._sunk_at is None:
            at = tuple(attacked["position"])
            is_hit, is_near = attacked.get("hit") == letter, letter in attacked.get("near", ())
            self.starts = {
                start
                for start in self.starts
                if is_hit == ((place := self.panel(start, self._time)) == at)
                and (is_hit or is_near == _is_near(place, at, 1))
            }
            others: dict[str, Any] = next((message[key] for key in ("observation", "condition") if key in message), {})
            living = next((others[key] for key in ("opponent", "enemy") if key in others), None)
            if is_hit and living is not None and letter not in living:
                self._sunk_at = self._time
        elif moved is not None and moved["ship"] == letter and not is_own:
            self._moved.append((self._time, tuple(moved["distance"])))
            width, height = self._size
            ends = {start: self.panel(start, self._time + 1) for start in self.starts}
            self.starts = {start for start, (x, y) in ends.items() if 0 <= x < width and 0 <= y < height}
        self._time += 1


def _is_near(one: Panel, other: Panel, most: int) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) <= most


def _sorted(value: Any) -> Any:
    """Return a value in which the order of the ships near a shot does not matter."""
    if isinstance(value, dict):
        return {key: sorted(one) if key == "near" else _sorted(one) for key, one in value.items()}
    return value


def places_text(config: Config, places: list[int]) -> dict[str, list[int]]:
    """Return the message that places the ships."""
    panels = [notation.decode(config, action).where for action in places]
    return {ship: [panel % config.width, panel // config.width] for ship, panel in zip(SHIPS, panels, strict=True)}


def action_text(state: Any, action: int) -> dict[str, Any]:
    """Return the message of an action in play."""
    config = state.game.config
    said = notation.decode(config, action)
    target = target_of(config, said, state.to_dict()["ship_pos"][state.current_player])
    to = [target % config.width, target // config.width]
    if said.kind == notation.ATTACK:
        return {"attack": {"to": to}}
    if said.kind == notation.MOVE:
        return {"move": {"ship": SHIPS[said.slot], "to": to}}
    raise ConfigError(f"action {action}: the course protocol has no words for it")

"""Replays: whole games as JSON lines, verified by playing them again.

A file holds one game or several, one after the other. Each is a header line, one line a move, a result line:

    {"t": "replay", "version": 1, "game": .., "config": {..}, "seed": n, "names": [..], "start": {..}?}
    {"t": "move", "player": p, "action": a, "ms": used?}        player -1: all at once, a list of one action a slot
    {"t": "forfeit", "player": p, "cause": c}                   in the place of a move
    {"t": "result", "returns": [..], "scores": [..], "winners": [..], "reason": r?}

`start` is the `State.to_dict()` of a game that did not begin with `new_state(seed)`. `ms` (a number, or a
list with one number or null a player where all move at once) is absent where nobody measured. Keys that are
not listed here are ignored.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.files import write_atomic
from ..errors import ReplayError
from .reading import describe, load_fields, parse_json, parsing

if TYPE_CHECKING:
    from ..core._state import State
    from ..game import Game

VERSION = 1
HEAD = '{"t":"replay"'  # as written


class Forfeit(NamedTuple):
    """In the place of a move: `player` lost by a cause of the game's own (`State.forfeit`).

    In a game that knows none (`game.has_forfeits`) it is the referee's verdict, the last of the moves, and no position.
    """

    player: int
    cause: Any


def winners(returns: Iterable[float]) -> list[int]:
    """The players who won: those whose return is 1, which no game gives for a shared first place."""
    return [player for player, value in enumerate(returns) if value == 1]


@dataclasses.dataclass
class Replay:
    """One game with all that was played.

    game, seed. names : of the players. moves : the action of each `apply` (one a slot where the game has
    several), or a Forfeit. returns, scores : of the last position. ms : milliseconds each move took, None
    where nobody measured. reason : why the game ended, where somebody said so. start : the `to_dict()` of the
    first position, None where it is `game.new_state(seed)`.
    """

    game: Game
    seed: int
    names: list[str]
    moves: Sequence[int | list[int] | Forfeit]
    returns: list[float]
    scores: list[int]
    ms: Sequence[Any] | None = None
    reason: str | None = None
    start: dict[str, Any] | None = None

    def states(self) -> Iterator[State]:
        """The first position and the one after each move, each a State of its own.

        ReplayError, which says the number of the move, where one is not allowed.
        """
        state = self.game.new_state(self.seed) if self.start is None else self.game.state_from_dict(self.start)
        yield state.clone()
        for number, move in enumerate(self.moves, 1):
            try:
                _play(state, move, self.moves[: number - 1])
            except Exception as error:
                raise ReplayError(f"move {number}: {describe(error)}") from None
            yield state.clone()

    def to_lines(self) -> list[str]:
        """The game as JSON lines, without line ends; ReplayError where the moves do not lead to the result."""
        if self.ms is not None and len(self.ms) != len(self.moves):
            raise ReplayError(f"ms: {len(self.moves)} are wanted, not {len(self.ms)}")
        header: dict[str, Any] = {
            "t": "replay",
            "version": VERSION,
            "game": self.game.name,
            "config": None if self.game.config is None else self.game.config.to_dict(),
            "seed": self.seed,
            "names": self.names,
        }
        lines = [header if self.start is None else header | {"start": self.start}]
        for number, (state, move) in enumerate(zip(self.states(), [*self.moves, None], strict=True)):
            if isinstance(move, Forfeit):
                lines.append({"t": "forfeit", "player": move.player, "cause": move.cause})
            elif move is not None:
                line: dict[str, Any] = {"t": "move", "player": state.current_player, "action": move}
                used = None if self.ms is None else self.ms[number]
                lines.append(line if used is None else line | {"ms": used})
        difference = _difference(state, self.moves, self.returns, self.scores)
        if difference:
            raise ReplayError(difference)
        won = winners(self.returns)
        result: dict[str, Any] = {"t": "result", "returns": self.returns, "scores": self.scores, "winners": won}
        lines.append(result if self.reason is None else result | {"reason": self.reason})
        return [json.dumps(line, separators=(",", ":"), allow_nan=False) for line in lines]


def save(path: str | os.PathLike[str], replays: Iterable[Replay]) -> None:
    """Write the games to a file, which is replaced only when all are written."""
    lines = [line for replay in replays for line in replay.to_lines()]
    write_atomic(path, "".join(line + "\n" for line in lines).encode())


def load(path: str | os.PathLike[str], plugins: Sequence[Game] = ()) -> list[Replay]:
    """The games of a file, each played again: moves must be legal, and lead to the returns and scores of the file.

    path : a file of this format or of a game's own servers (`replays.py` of the game's package), or a folder with such
    files, as `files_of` finds them. plugins : games that `masume.load` does not know by name, for replays of such.
    ReplayError names the file, the line and what is wrong with it.
    """
    path = Path(path)
    if not path.is_dir():
        return _load(path, plugins)
    files = files_of(path)
    if not files:
        raise ReplayError(f"{path}: no replays are in this folder")
    return [one for file in files for one in _load(file, plugins)]


def files_of(folder: Path) -> list[Path]:
    """The replay files of a run of self-play, of an arena or of a server, in order: those of its folder `replays`.

    A folder without one holds nothing but replays. Hidden files are none.
    """
    inner = folder / "replays"
    files = (inner if inner.is_dir() else folder).iterdir()
    return sorted(file for file in files if file.is_file() and not file.name.startswith("."))


def load_some(
    path: str | os.PathLike[str], choose: Callable[[list[tuple[str, int]]], Iterable[int]], plugins: Sequence[Game] = ()
) -> list[Replay]:
    """The games of a file as `save` and self-play write it that `choose` picks; the others are not played again.

    choose : is given the name and the number of lines of every game, and gives places in that list.
    """
    path = Path(path)
    reader = _Reader(_text(path), plugins)
    with _blame(path, reader):
        contents = reader.contents()
    places = list(choose(contents))
    with _blame(path, reader):
        return [reader.replay_at(place) for place in places]


def _load(path: Path, plugins: Sequence[Game]) -> list[Replay]:
    text = _text(path)
    with parsing(str(path)):
        official = _official(text)
    if official is not None:
        return official
    reader = _Reader(text, plugins)
    with _blame(path, reader):
        return list(reader.replays())


def _text(path: Path) -> str:
    data = path.read_bytes()  # of a pipe, too
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ReplayError(f"{path}: not UTF-8: {error}") from None


def _blame(path: Path, reader: _Reader) -> contextlib.AbstractContextManager[None]:
    """Errors name the file and the line."""
    return parsing(lambda: f"{path}:{reader.number}")


def _official(text: str) -> list[Replay] | None:
    """The games of a text in the format of a game's own servers; None where no game knows it."""
    from ..core import registry

    for replays in registry.parts("replays").values():
        found: list[Replay] | None = replays.read_text(text)
        if found is not None:
            return found
    return None


class _Reader:
    """The games of a text; `number` is the line that was read last."""

    def __init__(self, text: str, plugins: Sequence[Game]) -> None:
        self.number = 0
        self._lines = text.split("\n")
        if self._lines[-1] == "":
            self._lines.pop()
        self._plugins = {game.name: game for game in plugins}
        self._heads: list[int] = []

    def contents(self) -> list[tuple[str, int]]:
        """The name and the number of lines of every game."""
        self._heads = [n for n, line in enumerate(self._lines) if line.startswith(HEAD)]
        found = []
        for start, end in itertools.pairwise([*self._heads, len(self._lines)]):
            self.number = start
            found.append((_field(self._next(("replay",)), "game", str), end - start))
        return found

    def replay_at(self, place: int) -> Replay:
        """The game at this place of the contents."""
        self.number = self._heads[place]
        return self._replay()

    def replays(self) -> Iterator[Replay]:
        if not self._lines:
            raise ReplayError("empty")
        while self.number < len(self._lines):
            yield self._replay()

    def _replay(self) -> Replay:
        header = self._next(("replay",))
        version = _field(header, "version", int)
        if version != VERSION:
            raise ReplayError(f"version: {version}; this masume reads {VERSION}")
        game = self._game(_field(header, "game", str), _field(header, "config", dict | None))
        seed = _field(header, "seed", int)
        start = _field(header, "start", dict) if "start" in header else None
        names = _items(header, "names", str, game.num_players)
        state = game.new_state(seed) if start is None else game.state_from_dict(start)
        moves: list[int | list[int] | Forfeit] = []
        ms: list[Any] = []
        while (line := self._next(("move", "forfeit", "result")))["t"] != "result":
            move, used = _move(line, state)
            _play(state, move, moves)
            moves.append(move)
            ms.append(used)
        returns = _items(line, "returns", int | float, game.num_players)
        scores = _items(line, "scores", int, game.num_players)
        won = _items(line, "winners", int)
        reason = _field(line, "reason", str) if "reason" in line else None
        difference = _difference(state, moves, returns, scores)
        if not difference and won != winners(returns):
            difference = f"winners: the file says {won}, replaying gives {winners(returns)}"
        if difference:
            raise ReplayError(difference)
        returns = [float(value) for value in returns]  # only now: not every int of a file is a float
        measured = any(used is not None for used in ms)
        return Replay(game, seed, names, moves, returns, scores, ms if measured else None, reason, start)

    def _next(self, kinds: tuple[str, ...]) -> dict[str, Any]:
        """The object of the next line, whose "t" is one of `kinds`."""
        if self.number == len(self._lines):
            raise ReplayError(f"the file ends where a line of type {' or '.join(kinds)} is wanted")
        self.number += 1
        line = parse_json(self._lines[self.number - 1])
        if not isinstance(line, dict):
            raise ReplayError(f"a JSON object is wanted, not {type(line).__name__}")
        if line.get("t") not in kinds:
            raise ReplayError(f"t: {' or '.join(kinds)} is wanted, not {line.get('t')!r}")
        return line

    def _game(self, name: str, config: dict[str, Any] | None) -> Game:
        if name in self._plugins:
            return self._plugins[name]
        if config is None:
            raise ReplayError(f"game: {name!r} is a plug-in that was not given")
        return load_fields(name, config)


def _move(line: dict[str, Any], state: State) -> tuple[int | list[int] | Forfeit, Any]:
    """The move of a line, and the milliseconds it took (None: not measured)."""
    player = _field(line, "player", int)
    if line["t"] == "forfeit":
        if "cause" not in line:
            raise ReplayError("cause: missing")
        return Forfeit(player, line["cause"]), None
    if player != state.current_player:
        raise ReplayError(f"player: {player}, but {state.current_player} is to move")
    game = state.game
    several = game.num_slots > 1
    action = _items(line, "action", int, game.num_slots) if several else _field(line, "action", int)
    if "ms" not in line:
        return action, None
    if game.is_simultaneous:
        return action, _items(line, "ms", int | float | None, game.num_players)
    return action, _field(line, "ms", int | float)


def results(state: State, moves: Sequence[Any]) -> list[float]:
    """The results after these moves: those of the position, or by a verdict -1 of the player and 1 of the others."""
    last = moves[-1] if moves else None
    if isinstance(last, Forfeit) and not state.game.has_forfeits:
        return [-1.0 if player == last.player else 1.0 for player in range(state.game.num_players)]
    found: list[float] = state.returns().tolist()
    return found


def _play(state: State, move: int | list[int] | Forfeit, before: Sequence[Any]) -> None:
    """Play a move behind those before it; ValueError where it is not allowed."""
    is_verdict = not state.game.has_forfeits
    if is_verdict and before and isinstance(before[-1], Forfeit):
        raise ReplayError("the game was over by a forfeit")
    if not isinstance(move, Forfeit):
        state.apply(move)
    elif not is_verdict:
        state.forfeit(move.player, move.cause)
    elif not 0 <= move.player < state.game.num_players:
        raise ReplayError(f"player: {move.player} is not in 0..{state.game.num_players - 1}")
    elif state.is_terminal():
        raise ReplayError("the game is over: nobody forfeits")


def _difference(state: State, moves: Sequence[Any], returns: Sequence[float], scores: Sequence[int]) -> str:
    """What of the result differs from what the moves lead to; "" where nothing does."""
    for name, told, found in (
        ("returns", returns, results(state, moves)),
        ("scores", scores, state.scores().tolist()),
    ):
        if list(told) != found:
            return f"{name}: the file says {list(told)}, replaying gives {found}"
    return ""


def _field(line: dict[str, Any], name: str, wanted: Any) -> Any:
    """The value under a name, which must be there and of the wanted type; a bool is no number."""
    if name not in line:
        raise ReplayError(f"{name}: missing")
    return _check_type(line[name], name, wanted)


def _items(line: dict[str, Any], name: str, wanted: Any, length: int | None = None) -> list[Any]:
    """The list under a name, of this length and with items of the wanted type."""
    items = _field(line, name, list)
    if length is not None and len(items) != length:
        raise ReplayError(f"{name}: {length} are wanted, not {len(items)}")
    return [_check_type(item, f"{name}[{k}]", wanted) for k, item in enumerate(items)]


def _check_type(value: Any, name: str, wanted: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, wanted):
        kind = wanted.__name__ if isinstance(wanted, type) else str(wanted)
        raise ReplayError(f"{name}: {kind} is wanted, not {value!r:.60}")
    return value

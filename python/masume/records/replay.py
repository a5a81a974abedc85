"""Replays: complete games as JSON lines, verified by playing them again.

A file holds one or more games. Each is a header line, one line per move and a result line:

    {"t": "replay", "version": 1, "game": .., "config": {..}, "seed": n, "names": [..], "start": {..}?}
    {"t": "move", "player": p, "action": a, "ms": used?}        player -1: all at once, a list of one action per slot
    {"t": "forfeit", "player": p, "cause": c}                   in place of a move
    {"t": "result", "returns": [..], "scores": [..], "winners": [..], "reason": r?, "notes": [..]?}

`start` is the `State.to_dict()` of a game that did not begin with `new_state(seed)`. `ms` (a number, or a list with one
number or null per player if all move at once) is absent if it was not measured. `notes` tells what players did wrong,
as the referee saw it: {"player": p, "ply": moves before it, "cause": c, "detail": d, "log": l} each. Keys that are not
listed here are ignored.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core._state import State
from ..core.files import write_atomic
from ..core.shapes import Items
from ..core.shapes import read as read_shape
from ..errors import ReplayError
from ..game import Game
from ..results import winners
from .places import Remote, is_url
from .reading import describe, load_fields, parse_json, parsing

VERSION = 1
UNFINISHED = "unfinished"  # folder in that of a server's replays, for the journals of matches that are not over
HEAD = '{"t":"replay"'  # as written


class Forfeit(NamedTuple):
    """An entry in place of a move: `player` lost by a cause that the game defines (`State.forfeit`).

    In a game without forfeits (`game.has_forfeits`) it is the referee's verdict: the last entry, which
    leads to no new position.
    """

    player: int
    cause: Any


class Blame(NamedTuple):
    """What a player did wrong, as it is recorded: a fault, or a remark about something that had no effect.

    Attributes
    ----------
    player : int
        The player.
    ply : int
        Number of moves played before it.
    cause : str
        Of a fault: "timeout", "closed", "protocol", "illegal", "flood" or "crash" (referee/seat.py). Of a remark:
        "skipped".
    detail : str
        One line for people.
    log : str
        What its author needs, of several lines: an agent's traceback, or the last lines of a program's stderr.
    """

    player: int
    ply: int
    cause: str
    detail: str
    log: str = ""


@dataclasses.dataclass
class Replay:
    """A game with everything that was played.

    Parameters
    ----------
    game : Game
        The game.
    seed : int
        Its seed.
    names : list of str
        Names of the players.
    moves : sequence
        The argument of each `apply` (an action, or a list of one per slot in games with several), or a Forfeit.
    returns : list of float
        The result of each player in the last position, -1..1.
    scores : list of int
        The points of each player in the last position.
    ms : sequence, optional
        Milliseconds that each move took (one per player if all move at once); None if not measured.
    reason : str, optional
        Why the game ended, if known.
    start : dict, optional
        The `State.to_dict()` of the first position; None if it is `game.new_state(seed)`.
    notes : list of Blame, optional
        What players did wrong, by ply, if a referee recorded it.
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
    notes: Sequence[Blame] = ()

    def states(self) -> Iterator[State]:
        """Yield the first position and the position after each move.

        Yields
        ------
        State
            A new object each time.

        Raises
        ------
        ReplayError
            If a move is illegal; the message gives its number.
        """
        state = self.game.new_state(self.seed) if self.start is None else self.game.state_from_dict(self.start)
        yield state.clone()
        for number, move in enumerate(self.moves, 1):
            try:
                play_move(state, move, self.moves[: number - 1])
            except Exception as error:
                raise ReplayError(f"move {number}: {describe(error)}") from None
            yield state.clone()

    def _repr_html_(self) -> str:
        from ..render import notebook

        facts = {
            "players": self.names,
            "seed": str(self.seed),
            "plies": len(self.moves),
            "scores": self.scores,
            "returns": self.returns,
            **({} if self.reason is None else {"reason": self.reason}),
        }
        try:
            (last,) = collections.deque(self.states(), maxlen=1)
        except ReplayError as error:
            return notebook.draw_card(f"Replay of {self.game.name}", facts | {"error": error})
        return notebook.draw_card(f"Replay of {self.game.name}", facts, notebook.draw_position(last))

    def to_lines(self) -> list[str]:
        """Return the game as JSON lines, without line ends.

        Returns
        -------
        list of str
            A header, one line per move, and the result.

        Raises
        ------
        ReplayError
            If a move is illegal, or if the moves do not lead to `returns` and `scores`.
        """
        if self.ms is not None and len(self.ms) != len(self.moves):
            raise ReplayError(f"ms: expected {len(self.moves)}, got {len(self.ms)}")
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
        result |= {} if self.reason is None else {"reason": self.reason}
        lines.append(result | ({"notes": [note._asdict() for note in self.notes]} if self.notes else {}))
        return [json.dumps(line, separators=(",", ":"), allow_nan=False) for line in lines]


def save(path: str | os.PathLike[str], replays: Iterable[Replay]) -> None:
    """Write games to a file, which is replaced only when all are written.

    Parameters
    ----------
    path : path-like
        The file.
    replays : iterable of Replay
        The games.

    Raises
    ------
    ReplayError
        If the moves of a game do not lead to its result.
    OSError
        If the file cannot be written.
    """
    lines = [line for replay in replays for line in replay.to_lines()]
    write_atomic(path, "".join(line + "\n" for line in lines).encode())


LeaveOut = Callable[[ReplayError | OSError], None]
"""Receives the error of a file that is left out."""


def load(path: str | os.PathLike[str], plugins: Sequence[Game] = (), leave_out: LeaveOut | None = None) -> list[Replay]:
    """Load replays, playing each game again: moves must be legal and lead to the recorded returns and scores.

    Parameters
    ----------
    path : path-like
        A file of this format or of the official format of a game, or a folder of such files (`files_of`); also a URL
        of one of these, as in `selfplay`.
    plugins : sequence of Game, optional
        Games that `masume.load` does not know by name.
    leave_out : callable, optional
        Receives the error of each file of a folder that cannot be read or is no replay; the file is then left out.

    Returns
    -------
    list of Replay
        The games, in order.

    Raises
    ------
    ReplayError
        If a file is malformed or a game differs; the message names the file, the line and the defect. Also if a folder
        has no replays.
    OSError
        If a file cannot be read.
    """
    place = Remote(str(path)) if is_url(path) else Path(path)
    files: dict[str, Callable[[], bytes]]
    if isinstance(place, Remote):
        if place.is_file():
            return _load(place.read(), str(place), plugins)
        names = [f"replays/{name}" for name in place.names("replays")] or place.names()
        files = {place.at(name): functools.partial(place.read, name) for name in names}
    elif place.is_dir():
        files = {str(file): file.read_bytes for file in files_of(place, leave_out)}
    else:
        return _load(place.read_bytes(), str(place), plugins)  # a pipe too
    replays: list[Replay] = []
    for where, read in files.items():
        try:
            replays += _load(read(), where, plugins)
        except (ReplayError, OSError) as error:
            if leave_out is None:
                raise
            leave_out(error)
    if not replays:
        raise ReplayError(f"{place}: no replays are {'in this folder' if isinstance(place, Path) else 'at this URL'}")
    return replays


def files_of(folder: Path, leave_out: LeaveOut | None = None) -> list[Path]:
    """Return the replay files of a run of self-play, an arena, a contest or a server, in order.

    Parameters
    ----------
    folder : Path
        The folder of a run, whose files are in its folder `replays`, or a folder that holds replays and folders of
        either kind only.
    leave_out : callable, optional
        Receives the error of each inner folder that cannot be read; it is then left out.

    Returns
    -------
    list of Path
        The files by name, without hidden ones, and without a server's matches that are not over.
    """
    inner = folder / "replays"
    found = sorted(one for one in (inner if inner.is_dir() else folder).iterdir() if not one.name.startswith("."))
    files = [one for one in found if one.is_file()]
    for one in found:
        if one.is_dir() and not one.is_symlink() and one.name != UNFINISHED:
            try:
                files += files_of(one, leave_out)
            except OSError as error:
                if leave_out is None:
                    raise
                leave_out(error)
    return files


def choose_some(
    data: bytes, where: str, choose: Callable[[list[tuple[str, int]]], Iterable[int]], plugins: Sequence[Game] = ()
) -> list[Replay]:
    """Load selected games of a file that `save` or self-play wrote; the others are not played again.

    data : the bytes of the file. where : its name, for errors. choose : receives a list with (name of the game, number
    of lines) of every game, and returns indices into it. plugins : as in `load`. Raises ReplayError as `load` does.
    """
    reader = _Reader(_text(data, where), plugins)
    with _blame(where, reader):
        contents = reader.contents()
    places = list(choose(contents))
    with _blame(where, reader):
        return [reader.replay_at(place) for place in places]


def _load(data: bytes, where: str, plugins: Sequence[Game]) -> list[Replay]:
    text = _text(data, where)
    with parsing(where):
        official = _official(text)
        if official is None:
            _check_other(text)
    if official is not None:
        return official
    reader = _Reader(text, plugins)
    with _blame(where, reader):
        return list(reader.replays())


def _text(data: bytes, where: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ReplayError(f"{where}: not UTF-8: {error}") from None


def _blame(path: str, reader: _Reader) -> contextlib.AbstractContextManager[None]:
    """Return a context in which errors name the file and the line."""
    return parsing(lambda: f"{path}:{reader.number}")


def _official(text: str) -> list[Replay] | None:
    """Return the games of a text in a game's official format; None if no game recognises it."""
    from ..core import registry

    for replays in registry.parts("replays").values():
        found: list[Replay] | None = replays.read_text(text)
        if found is not None:
            return found
    return None


def _check_other(text: str) -> None:
    """Raise ReplayError, which names the keys, if the text is one JSON object and no line of a replay."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(found, dict) and found and "t" not in found:
        keys = ", ".join(map(repr, itertools.islice(found, 6)))
        raise ReplayError(f"JSON with the keys {keys}, and no replay")


class _Reader:
    """Reader of the games of a text; `number` is the line read last."""

    def __init__(self, text: str, plugins: Sequence[Game]) -> None:
        self.number = 0
        self._lines = text.split("\n")
        if self._lines[-1] == "":
            self._lines.pop()
        self._plugins = {game.name: game for game in plugins}
        self._heads: list[int] = []

    def contents(self) -> list[tuple[str, int]]:
        """Return the name and the number of lines of every game."""
        self._heads = [n for n, line in enumerate(self._lines) if line.startswith(HEAD)]
        found = []
        for start, end in itertools.pairwise([*self._heads, len(self._lines)]):
            self.number = start
            found.append((_field(self._next(("replay",)), "game", str), end - start))
        return found

    def replay_at(self, place: int) -> Replay:
        """Return the game at this index of the contents."""
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
            raise ReplayError(f"version: expected {VERSION}, got {version}")
        game = self._game(_field(header, "game", str), _field(header, "config", dict | None))
        seed = _field(header, "seed", int)
        start = _field(header, "start", dict) if "start" in header else None
        names = _items(header, "names", str, game.num_players)
        state = game.new_state(seed) if start is None else game.state_from_dict(start)
        moves: list[int | list[int] | Forfeit] = []
        ms: list[Any] = []
        while (line := self._next(("move", "forfeit", "result")))["t"] != "result":
            move, used = _move(line, state)
            play_move(state, move, moves)
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
        returns = [float(value) for value in returns]  # only after the check: a huge int has no float
        measured = any(used is not None for used in ms)
        notes = tuple(_note(note, game, len(moves)) for note in _items(line, "notes", dict)) if "notes" in line else ()
        return Replay(game, seed, names, moves, returns, scores, ms if measured else None, reason, start, notes)

    def _next(self, kinds: tuple[str, ...]) -> dict[str, Any]:
        """Return the object of the next line, whose "t" must be one of `kinds`."""
        if self.number == len(self._lines):
            raise ReplayError(f"expected a line of type {' or '.join(kinds)}, got the end of the file")
        self.number += 1
        line = parse_json(self._lines[self.number - 1])
        if not isinstance(line, dict):
            raise ReplayError(f"expected a JSON object, got {type(line).__name__}")
        if line.get("t") not in kinds:
            raise ReplayError(f"t: expected {' or '.join(kinds)}, got {line.get('t')!r}")
        return line

    def _game(self, name: str, config: dict[str, Any] | None) -> Game:
        if name in self._plugins:
            return self._plugins[name]
        if config is None:
            raise ReplayError(f"game: {name!r} is a plug-in that was not given")
        return load_fields(name, config)


def _note(line: dict[str, Any], game: Game, plies: int) -> Blame:
    """Return a note of the result line."""
    player, ply = _field(line, "player", int), _field(line, "ply", int)
    if not (0 <= player < game.num_players and 0 <= ply <= plies):
        raise ReplayError(f"notes: expected a player of the game and 0..{plies} plies, got {player} and {ply}")
    return Blame(player, ply, *(_field(line, name, str) for name in ("cause", "detail", "log")))


def _move(line: dict[str, Any], state: State) -> tuple[int | list[int] | Forfeit, Any]:
    """Return the move of a line, and the milliseconds it took (None: not measured)."""
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
    """Return the results after these moves: the position's, or after a verdict -1 for the player, 1 for the others."""
    last = moves[-1] if moves else None
    if isinstance(last, Forfeit) and not state.game.has_forfeits:
        return [-1.0 if player == last.player else 1.0 for player in range(state.game.num_players)]
    found: list[float] = state.returns().tolist()
    return found


def play_move(state: State, move: int | list[int] | Forfeit, before: Sequence[Any]) -> None:
    """Play a move after those before it; raise ValueError if it is illegal."""
    is_verdict = not state.game.has_forfeits
    if is_verdict and before and isinstance(before[-1], Forfeit):
        raise ReplayError("the game was over by a forfeit")
    if not isinstance(move, Forfeit):
        state.apply(move)
    elif not is_verdict:
        state.forfeit(move.player, move.cause)
    elif not 0 <= move.player < state.game.num_players:
        raise ReplayError(f"player: expected 0..{state.game.num_players - 1}, got {move.player}")
    elif state.is_terminal():
        raise ReplayError("the game is over: nobody forfeits")


def _difference(state: State, moves: Sequence[Any], returns: Sequence[float], scores: Sequence[int]) -> str:
    """Describe the first difference between the result and the moves; "" if they agree."""
    for name, told, found in (
        ("returns", returns, results(state, moves)),
        ("scores", scores, state.scores().tolist()),
    ):
        if list(told) != found:
            return f"{name}: the file says {list(told)}, replaying gives {found}"
    return ""


def _field(line: dict[str, Any], name: str, shape: Any) -> Any:
    """Return the value under a name, which must exist and have the shape."""
    if name not in line:
        raise ReplayError(f"{name}: missing")
    return read_shape(name, line[name], shape, ReplayError)


def _items(line: dict[str, Any], name: str, shape: Any, length: int | None = None) -> list[Any]:
    """Return the list under a name, of this length and with items of the shape."""
    return list(_field(line, name, Items(shape, length)))

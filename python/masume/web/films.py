"""Films: a match as one viewer sees it in one language, packed once for all viewers with the same view and language.

A film plays the match again from its start by itself, so that it can begin at any time and never sees more than the
viewer: every frame is drawn by the game's `render` module for that viewer alone.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..core.language import say, speaking
from ..records.replay import Forfeit, play_move
from ..render import canvas
from ..render.drawing import drawing_of
from ..render.pack import empty_frame, pack_acts, pack_frame, pack_scene

if TYPE_CHECKING:
    from ..core._state import State
    from .match import Match

STEP = 16  # moves drawn before others have their turn
MAX_SIZE = 2**26  # bytes of the films of finished matches
KEY = 256  # frames from one whole frame to the next
VERSION = 1  # of the wire format


def to_bytes(data: Any) -> bytes:
    """Return data as JSON without line ends: pure ASCII, without "<"."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c").encode()


class Film:
    """The frames of a match for one viewer.

    Parameters
    ----------
    start : State
        The first position; it is copied.
    player : int or None
        The viewer; None sees everything.
    language : str
        The language of its texts.

    Attributes
    ----------
    scene : dict
        The packed scene.
    frames : list of bytes
        Each frame as JSON: the differences from the one before.
    turns : list of int
        The turn of each frame: in games of several actions in a turn, several frames have the same one.
    plies : list of int
        The number of moves before each frame.
    size : int
        Number of bytes of its frames.
    """

    def __init__(self, start: State, player: int | None, language: str) -> None:
        self._language, self._state = language, start.clone()
        self._drawing = drawing_of(start)
        scene = self._drawing.scene(start)
        self._is_hiding = scene.hides and player is not None
        self._view = {"player": player} if self._is_hiding else {}
        self.frames: list[bytes] = []
        self.turns: list[int] = []
        self.plies: list[int] = []
        self._wholes: list[bytes] = []
        self._whole: bytes | None = None
        self._moves = 0
        self._mover: int | None = None
        self._is_coarse = getattr(self._drawing, "WHOLE_TURNS", False)
        self._acts: dict[Any, canvas.Act] = {}
        self._is_open = False  # a turn that is drawn as a whole
        self.size = 0
        with speaking(language):
            self._scene = self._drawing.scene(start, **self._view)
            self._last = self._drawing.frame(start, **self._view)
            self.scene = pack_scene(self._scene) | {"v": VERSION, "hides": scene.hides}
        self._empty = empty_frame(self._scene, self._last)
        self._append(pack_frame(self._empty, self._last), 0)

    def follow(self, moves: Sequence[Any], most: int) -> bool:
        """Add the frames of at most so many moves beyond those seen; return whether more are left."""
        with speaking(self._language):
            for move in moves[self._moves : self._moves + most]:
                self._play(move, moves)
        return self._moves < len(moves)

    def _play(self, move: Any, moves: Sequence[Any]) -> None:
        before, mover = self._state.clone(), self._state.current_player
        play_move(self._state, move, moves[max(0, self._moves - 1) : self._moves])
        self._moves += 1
        if not isinstance(move, Forfeit):
            for act in self._drawing.acts(before, move, self._state, **self._view):
                self._acts[act.unit, act.verb, act.target, tuple(act.via)] = act
            if self._is_coarse and self._state.current_player == mover:
                self._is_open = True  # the turn goes on
                return
        self._draw(mover, move)

    def close(self) -> None:
        """Add the frame of a turn that the match has ended in, of a game that draws whole turns."""
        if self._is_open:
            with speaking(self._language):
                self._draw(self._state.current_player, None)

    def _draw(self, mover: int, move: Any) -> None:
        """Add the frame of the position after a move or a turn."""
        self._is_open = False
        acts, self._acts = list(self._acts.values()), {}
        frame = self._drawing.frame(self._state, **self._view)
        if isinstance(move, Forfeit):
            name = self._scene.players[move.player]
            frame = dataclasses.replace(
                frame, log=[*frame.log, say("{player} forfeits: {cause}", player=name, cause=move.cause)]
            )
        packed = pack_frame(self._last, frame)
        packed |= {"acts": pack_acts(acts)} if acts else {}
        is_news = len(packed) > 1 or frame.caption != self._last.caption
        self._last = frame
        if self._is_hiding and not is_news:
            return  # what this viewer does not notice has no frame, not even a number
        turn = self.turns[-1] + (mover != self._mover or mover < 0 or self._is_hiding)
        self._mover = mover
        self._append(packed, turn)

    def _append(self, packed: dict[str, Any], turn: int) -> None:
        number = len(self.frames)
        self._whole = None
        self.turns.append(turn)
        self.plies.append(self._moves)
        self.frames.append(to_bytes(packed | self._place()))
        if number % KEY == 0:
            self._wholes.append(self.whole())
            self.size += len(self._wholes[-1])
        self.size += len(self.frames[-1])

    def whole(self) -> bytes:
        """Return the last frame as JSON, complete; it is made once for all who come before the next."""
        if self._whole is None:
            packed = pack_frame(self._empty, self._last)
            self._whole = to_bytes(packed | {"whole": True, **self._place()})
        return self._whole

    def _place(self) -> dict[str, int]:
        """Return the numbers of the last frame and its turn and, for viewers who see everything, of its moves."""
        place = {"n": len(self.turns) - 1, "turn": self.turns[-1]}
        return place if self._is_hiding else place | {"ply": self.plies[-1]}

    def piece(self, number: int) -> bytes:
        """Return piece `number` of the film as JSON: a list of up to KEY frames, the first of which is whole."""
        first = number * KEY
        if not 0 <= first < len(self.frames):
            return b"[]"
        return b"[" + b",".join([self._wholes[number], *self.frames[first + 1 : first + KEY]]) + b"]"


class Films:
    """The films of matches, each made once for all viewers with the same view and language."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[Match, dict[tuple[int | None, str], Film]] = WeakKeyDictionary()
        self._latest: Match | None = None  # the finished one that was watched last; it is the last one in `_made`

    async def get(self, match: Match, player: int | None, language: str) -> Film:
        """Return the film of a match for a viewer, up to date."""
        films = self._made.setdefault(match, {})
        key = (player if not match.game.is_perfect_information else None, language)
        film = films.get(key)
        if film is not None and film.plies[-1] == len(match.moves) and not match.is_over:
            return film
        if film is None:
            film = films[key] = Film(match.first, key[0], language)
        while film.follow(match.moves, STEP):
            await asyncio.sleep(0)
        if match.is_over:
            film.close()
        if match.is_over and match is not self._latest:
            self._latest = match
            self._made[match] = self._made.pop(match, films)
            self._forget()
        return film

    def size_of(self, match: Match) -> int:
        """Return the bytes of the films of a match."""
        return sum(film.size for film in self._made.get(match, {}).values())

    def _forget(self) -> None:
        """Forget the films of finished matches that were watched longest ago, if there are too many."""
        finished = [match for match in self._made if match.is_over]
        size = sum(map(self.size_of, finished))
        for match in finished[:-1]:
            if size <= MAX_SIZE:
                return
            if not match.listeners:
                size -= self.size_of(match)
                del self._made[match]


def draw(state: State, player: int | None, language: str) -> bytes:
    """Return one position as a whole frame in JSON, as a player sees it: a draft."""
    drawing = drawing_of(state)
    with speaking(language):
        view = {"player": player} if player is not None and drawing.scene(state).hides else {}
        scene, frame = drawing.scene(state, **view), drawing.frame(state, **view)
        return to_bytes(pack_frame(empty_frame(scene, frame), frame) | {"whole": True})

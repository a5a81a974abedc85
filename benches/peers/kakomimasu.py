"""The floors of Kakomimasu: kakomimasu.c on the positions of the cases."""

from collections.abc import Callable
from typing import Any

import numpy as np

from masume.bench import Case, Midgame, Work, _loops
from masume.kakomimasu import _engine

from .floor import call

SIDE, AGENTS, CHUNKS, LANES = 24, 14, 6, 4
BOARD = np.dtype(
    {
        "names": ["walls", "territory", "agents", "played"],
        "formats": [("u4", (CHUNKS, 2, LANES)), ("u4", (CHUNKS, 2, LANES)), ("i2", (2, AGENTS)), "i4"],
        "offsets": [0, 192, 384, 440],
        "itemsize": 448,
    }
)
"""Layout of a Board of kakomimasu.c."""


def cases() -> list[Case]:
    return [
        Case("turn/floor", "turn", "peers", turn, game="kakomimasu"),
        Case("enclosure/floor", "position", "peers", enclosure, game="kakomimasu"),
    ]


def boards(states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return positions, [n] of the engine's `state_dtype`, as Boards of kakomimasu.c, aligned for vectors."""
    space = np.zeros(len(states) * BOARD.itemsize + 64, np.uint8)
    found = space[-space.ctypes.data % 64 :][: len(states) * BOARD.itemsize].view(BOARD)
    for name in ("walls", "territory"):  # row r is lane r // CHUNKS of chunk r % CHUNKS
        found[name] = states[name].reshape(-1, 2, LANES, CHUNKS).transpose(0, 3, 1, 2)
    cells = states["agents"].astype(np.int16)
    found["agents"] = np.where(cells < 0, -1, cells // SIDE * 32 + cells % SIDE)
    found["played"] = states["played"]
    return found


def work_on(
    function: str, play: Midgame, sets: Callable[[], tuple[np.ndarray[Any, Any], ...]], *arguments: Any
) -> Work:
    """Return the work of a function of kakomimasu.c; `sets` returns the positions of a set before and after it."""
    each = play.each(lambda: tuple(boards(positions) for positions in sets()))
    now = boards(sets()[0])

    def again() -> None:
        now[:] = each()[0]

    def check() -> None:
        assert np.array_equal(now, each()[1])

    return Work(call("kakomimasu", function, now, *arguments, len(now)), len(now), check, again, choose=play.choose)


def turn(play: Midgame) -> Work:
    """Do the work of "turn/table": the actions of each position."""
    call("kakomimasu", "prepare")()
    return work_on(
        "turn", play, lambda: (play.batch().states, np.frombuffer(play.after, play.game.state_dtype)), play.codes
    )


def enclosure(play: Midgame) -> Work:
    """Do the work of "enclosure/table": all territory from walls alone."""

    def convert() -> tuple[np.ndarray[Any, Any], ...]:
        batch = play.batch()
        before = np.frombuffer(bytearray(batch.states), batch.states.dtype)  # with its padding, which a copy omits
        before["territory"] = 0
        _loops.load(batch, [play.game.state_from_bytes(state.tobytes()) for state in before])
        _engine.mark_territory(batch)
        return before, batch.states

    return work_on("enclosure", play, convert)

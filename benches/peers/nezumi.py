"""The floor of Nezumi: nezumi.c on the recorded positions, on the rounds of 16 mice, and on the random games."""

import functools

import numpy as np

from masume import load
from masume.bench import Case, Midgame, Work
from masume.bench.cases import PLAYOUTS
from masume.nezumi.bench import Rounds
from masume.nezumi.stages import DIAGONALS, STEPS, Stage, neighbours

from .floor import call, playouts

WORDS = 3
CELLS = 64 * WORDS
GAME = np.dtype(
    [
        ("unmoved", "u8", WORDS),
        ("moved", "u8", WORDS),
        ("food", "u8", WORDS),
        ("eaten", "i8"),
        ("paid", "i8"),
        ("turn", "i4"),
        ("cat", "i4"),
        ("arrival", "i4"),
        ("ways", "i4"),
        ("moved_ways", "i4"),
        ("mice", "i4"),
        ("captured", "i4"),
        ("phase", "i4"),
        ("from", "i4"),
        ("result", "i4"),
    ],
    align=True,
)
"""A game of nezumi.c."""
NAMES = {"eaten": "food_sum", "paid": "cost_sum", "arrival": "react_cell", "mice": "on_board", "from": "react_from"}
"""What a game of masume calls them."""
STAGE = np.dtype(
    [
        ("amount", "i8", CELLS),
        ("zone", "u8", WORDS),
        ("size", "i4"),
        ("mice", "i4"),
        ("require", "i4"),
        ("turns", "i4"),
        ("first", "i4"),
        ("last", "i4"),
        ("step", "i4", 4),
        ("diagonal", "i4", (CELLS, 4)),
        ("ways", "u1", CELLS),
        ("count", "u1", CELLS),
        ("row", "u1", CELLS),
        ("column", "u1", CELLS),
        ("close", "u1", 2 * CELLS),
        ("nth", "u1", (32, 5)),
    ],
    align=True,
)
"""A stage of nezumi.c."""


def cases() -> list[Case]:
    playouts = [
        Case(f"playout {stage}/floor", "playout", "peers", functools.partial(playout, stage=stage), game="nezumi")
        for stage in ("granary", "garden")
    ]
    return [
        Case("turn/floor", "turn", "peers", turn, game="nezumi"),
        Case("round/floor", "round", "peers", rounds, game="nezumi"),
        *playouts,
    ]


def stage_of(stage: Stage) -> np.ndarray:
    """A stage of nezumi.c."""
    found = np.zeros(1, STAGE)
    s, size, width = found[0], stage.height * stage.width, stage.width
    s["amount"][:size] = stage.food
    s["zone"] = np.packbits(np.resize(stage.zone + CELLS * (0,), CELLS), bitorder="little").view("u8")
    words = np.flatnonzero(s["zone"])
    s["first"], s["last"] = words[0], words[-1] + 1
    s["size"], s["mice"], s["require"], s["turns"] = size, stage.max_mice, stage.require, stage.turns
    s["step"] = [down * width + right for down, right in STEPS]
    for down, right in ((0, 0), *STEPS, *DIAGONALS):
        s["close"][CELLS + down * width + right] = 1
    for ways in range(32):
        places = [way for way in range(5) if ways >> way & 1]
        s["nth"][ways, : len(places)] = places
    for cell in range(size):
        ways = 0
        for direction, step in enumerate(STEPS):
            ways |= any(not stage.wall[near] for near in neighbours(cell, stage.height, width, [step])) << direction
        s["ways"][cell] = ways or 16
        s["count"][cell] = int(s["ways"][cell]).bit_count()
        s["row"][cell], s["column"][cell] = divmod(cell, width)
        found_near = [near for near in neighbours(cell, stage.height, width, DIAGONALS) if not stage.wall[near]]
        s["diagonal"][cell] = (found_near + 4 * found_near[:1] or 4 * [size])[:4]
    return found


def games(states: np.ndarray) -> np.ndarray:
    """Rows of a batch as games of nezumi.c."""
    found = np.zeros(len(states), GAME)
    groups = states["cells"].shape[1]
    for place, name in enumerate(("unmoved", "food", "moved")):
        found[name][:, :groups] = states["cells"][:, :, place]
    for name in (GAME.names or ())[3:]:
        found[name] = states[NAMES.get(name, name)]
    return found


def _work(before: np.ndarray, after: np.ndarray, stage: Stage, codes: np.ndarray, units: int) -> Work:
    """The codes [steps, games], played; `after` must come of it."""
    now = before.copy()

    def check() -> None:
        assert np.array_equal(now, after)

    def again() -> None:
        now[:] = before

    return Work(call("nezumi", "play", stage_of(stage), now, codes, *codes.shape), units, check, again)


def turn(play: Midgame) -> Work:
    """What "turn/table" does: the action recorded, in each position."""
    before = games(np.array([state.array for state in play.states]))
    after = games(np.frombuffer(play.after, play.game.state_dtype))
    codes = np.ascontiguousarray(play.codes.T)
    return _work(before, after, play.game.config.start_stage, codes, len(before))


def rounds(play: Midgame) -> Work:
    """What "round/batch" does."""
    played = Rounds(play)
    before = games(np.array([state.array for state in played.begun]))
    after = games(np.frombuffer(played.after, played.batch.game.state_dtype))
    codes = np.ascontiguousarray(np.array(played.actions)[:, :, 0])
    return _work(before, after, played.batch.game.config.start_stage, codes, played.rounds)


def playout(play: Midgame, stage: str) -> Work:
    """What "playout STAGE/batch" does: the same random games."""
    batch = load("nezumi", stage=stage).batch(PLAYOUTS, seed=play.seed, observe=None, masks=False)
    return playouts("nezumi", batch, play.seed, games, stage_of(batch.game.config.start_stage))

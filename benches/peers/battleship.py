"""The floor of BattleShipGame: battleship.c on the recorded positions, and on the starts of the random games."""

import numpy as np

from masume import load
from masume.bench import Case, Midgame, Work
from masume.bench.cases import PLAYOUTS

from .floor import call, playouts

SHIP = np.dtype(
    [
        ("fp", "i2"),
        ("cls", "i1"),
        ("pos", "i1"),
        ("hp", "i1"),
        ("aux", "i1"),
        ("flags", "u1"),
        ("padding", "u1"),
    ]
)
"""A Ship of battleship.c."""
GAME = np.dtype(
    [
        ("rng", "u8"),
        ("known", "u4", 2),
        ("land", "u4", 4),
        ("ships", SHIP, (2, 3)),
        ("round", "i4"),
        ("turns", "i4"),
        ("pass_run", "i2"),
        ("torp_next", "i2", 2),
        ("dealt", "i2", 2),
        ("kills", "i2", 2),
        ("phase", "i1"),
        ("setup_kind", "i1"),
        ("setup_i", "i1"),
        ("cur", "i1"),
        ("ptr", "i1"),
        ("order", "i1", 2),
        ("torp_n", "i1", 2),
        ("reinf_left", "i1", 2),
        ("qual", "i1", 2),
        ("active", "i1", 2),
        ("winners", "i1"),
        ("reason", "i1"),
        ("torp_pos", "i1", (2, 8)),
        ("torp_tgt", "i1", (2, 8)),
        ("mines", "u1", (2, 25)),
    ],
    align=True,
)
"""A Game of battleship.c."""


def cases() -> list[Case]:
    return [
        Case("turn/floor", "turn", "peers", turn, game="battleship"),
        Case("playout 5x5/floor", "playout", "peers", playout, game="battleship"),
    ]


def games(states: np.ndarray) -> np.ndarray:
    """Rows of a batch of the default game as Games of battleship.c."""
    found = np.zeros(len(states), GAME)
    for name in GAME.names or ():
        if name in ("known", "land"):
            found[name] = states[name][..., 0]  # of two words
        elif name == "ships":
            for part in ("fp", "cls", "pos", "hp", "aux", "flags"):
                found[name][part] = states[f"ship_{part}"]
        else:
            found[name] = states[name]
    return found


def turn(play: Midgame) -> Work:
    """What "turn/table" does: the command recorded, in each position."""
    before, commands = games(np.array([state.array for state in play.states])), np.ascontiguousarray(play.codes[:, 0])
    now = before.copy()
    after = games(np.frombuffer(play.after, play.game.state_dtype))

    def check() -> None:
        assert np.array_equal(now, after)

    def again() -> None:
        now[:] = before

    return Work(call("battleship", "turn", now, commands, len(now)), len(now), check, again)


def playout(play: Midgame) -> Work:
    """What "playout 5x5/batch" does: the same random games."""
    batch = load("battleship").batch(PLAYOUTS, seed=play.seed, observe=None, masks=False)
    return playouts("battleship", batch, play.seed, games)

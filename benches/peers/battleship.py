"""The floor of BattleShipGame: battleship.c on the positions of the cases, and on the starts of the random games."""

import numpy as np

from masume import load
from masume.bench import Case, Midgame, Work
from masume.bench.cases import PLAYOUTS

from .floor import call, playouts

GAME = np.dtype(
    [
        ("rng", "u8"),
        ("known", "u4", 2),
        ("land", "u4", 4),
        ("mined", "u4"),
        ("fp", "i2", (2, 4)),
        ("least", "i2", (2, 4)),
        ("round", "i4"),
        ("turns", "i4"),
        ("pass_run", "i2"),
        ("torp_next", "i2", 2),
        ("dealt", "i2", 2),
        ("kills", "i2", 2),
        ("cls", "i1", (2, 4)),
        ("pos", "i1", (2, 4)),
        ("hp", "i1", (2, 4)),
        ("aux", "i1", (2, 4)),
        ("alive", "u1", 2),
        ("stealth", "u1", 2),
        ("surfaced", "u1", 2),
        ("out", "u1", 2),
        ("oilers", "u1", 2),
        ("subs", "u1", 2),
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
"""Layout of a Game of battleship.c."""


LEAST = (10, 8, 10, 10)
"""Least FP with which a ship of each class can attack or move."""


def cases() -> list[Case]:
    return [
        Case("turn/floor", "turn", "peers", turn, game="battleship"),
        Case("playout 5x5/floor", "playout", "peers", playout, game="battleship"),
    ]


def games(states: np.ndarray) -> np.ndarray:
    """Return rows of a batch of the default game as Games of battleship.c."""
    found = np.zeros(len(states), GAME)
    cls = states["ship_cls"]
    kept = {"stealth": 0, "surfaced": 1, "out": 2}  # in the order of struct Sets, cython/masume/battleship/state.pxd
    sets = {
        "alive": states["ship_hp"] > 0,
        "oilers": (cls == 3) & played(states),
        "subs": (cls == 2) & played(states),
    }
    for name in GAME.names or ():
        if name in ("known", "land"):
            found[name] = states[name][..., 0]  # of two words
        elif name == "mined":
            found[name] = (states["mines"].any(axis=1) << np.arange(25, dtype=np.uint32)).sum(axis=1)
        elif name == "least":
            found[name][..., :3] = np.where(played(states), np.array(LEAST)[cls], 0)
        elif name in ("qual", "active"):  # bits of players
            found[name] = states[name][:, None] >> np.arange(2, dtype=np.uint8) & 1
        elif name in kept:
            found[name] = states["sets"][..., kept[name]]
        elif name in sets:
            found[name] = (sets[name] << np.arange(3)).sum(axis=2)
        elif name in ("fp", "cls", "pos", "hp", "aux"):
            found[name][..., :3] = states[f"ship_{name}"]
        else:
            found[name] = states[name]
    return found


def played(states: np.ndarray) -> np.ndarray:
    """Return whether play has begun, for the ships of each state."""
    begun: np.ndarray = (states["phase"] > 0)[:, None, None]
    return begun


def turn(play: Midgame) -> Work:
    """Do the work of "turn/table": the command of each position."""
    before = play.each(lambda: games(np.array([state.array for state in play.states])))
    now, commands = before().copy(), play.codes.reshape(-1)

    def check() -> None:
        assert np.array_equal(now, games(np.frombuffer(play.after, play.game.state_dtype)))

    def again() -> None:
        now[:] = before()

    return Work(call("battleship", "turn", now, commands, len(now)), len(now), check, again, choose=play.choose)


def playout(play: Midgame) -> Work:
    """Do the work of "playout 5x5/batch": the same random games."""
    batch = load("battleship").batch(PLAYOUTS, seed=play.seed, observe=None, masks=False)
    return playouts("battleship", batch, play.seed, games)

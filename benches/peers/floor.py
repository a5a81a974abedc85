"""Floors: the smallest C loops that do the work of a case, on the same positions.

`<name>.c` is plain C without the engine's headers: functions over arrays of positions, each of which returns an
int64_t. `<name>.py` next to it converts the recorded positions (masume.bench.Midgame) to such arrays and has
`cases()`, in which "turn/floor" corresponds to "turn/table". A floor is compiled when it is first called, with the
compiler and the flags of the engines, for the CPU level whose kernels run.

The floor shared by all games is here too and serves as an example: the time of fill.c for "observation planes/floor".
"""

import ctypes
import functools
import itertools
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from masume import Batch, bench
from masume.bench import Case, Midgame, Work
from masume.core.rng import Rng, stream

COMPILER = os.environ.get("CC", "cc")
FLAGS = ["-std=c11", "-O3", "-fno-strict-aliasing", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
LEVELS = {"v2": [], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4"]}

if shutil.which(COMPILER) is None:
    raise ImportError(f"no C compiler {COMPILER!r}")


@functools.cache
def library(name: str) -> ctypes.CDLL:
    """Return <name>.c, compiled and loaded."""
    source = Path(__file__).with_name(f"{name}.c")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / f"{name}.so"
        subprocess.run([COMPILER, *FLAGS, *LEVELS[bench.level()], source, "-o", built, "-lm"], check=True)
        return ctypes.CDLL(str(built))


def call(name: str, function: str, *arguments: np.ndarray | int) -> Callable[[], int]:
    """Return a prepared call of a function of <name>.c; it returns the function's result.

    arguments : arrays, which the function receives as pointers to their first items and which stay alive with the call;
    integers, which it receives as int64_t. ValueError for an array that is not contiguous.
    """
    found = library(name)[function]
    found.restype = ctypes.c_int64
    given = [_to_ctypes(argument) for argument in arguments]
    found.argtypes = [type(argument) for argument in given]
    return functools.partial(found, *given)


def playouts(
    name: str, batch: Batch, seed: int, games: Callable[[np.ndarray], np.ndarray], *first: np.ndarray | int
) -> Work:
    """Do the work of "playout/floor": the random games of a new Batch of this seed, then those of the next seed.

    games : converts rows of `batch.states` for <name>.c. first : arguments before games, generators and their number.
    """
    now, rngs = games(batch.states), np.zeros(len(batch), np.uint64)
    seeds = itertools.count(seed)

    def check() -> None:
        batch.playout()
        assert np.array_equal(now, games(batch.states))

    def again() -> None:
        one = next(seeds)
        batch.reset(one)
        now[:] = games(batch.states)
        generators = [Rng(stream(one, i)) for i in range(len(batch))]
        for generator in generators:
            generator.next()  # the seed of the game
        rngs[:] = [generator.state for generator in generators]

    return Work(call(name, "playout", *first, now, rngs, len(now)), len(now), check, again)


def _to_ctypes(argument: np.ndarray | int) -> ctypes.c_void_p | ctypes.c_int64:
    if not isinstance(argument, np.ndarray):
        return ctypes.c_int64(argument)
    if not argument.flags.c_contiguous:
        raise ValueError(f"array of shape {argument.shape}: its items do not lie one after the other")
    return argument.ctypes.data_as(ctypes.c_void_p)


def cases() -> list[Case]:
    return [Case("observation planes/floor", "view", "peers", planes)]


def planes(play: Midgame) -> Work:
    """Write as many bytes as the planes of all views have."""
    shape, dtype = play.game.observation_spec["planes"]
    out = np.zeros((len(play) * play.num_views, math.prod(shape) * np.dtype(dtype).itemsize), np.uint8)

    def check() -> None:
        assert (out[0::2] == 1).all()
        assert (out[1::2] == 2).all()

    return Work(call("fill", "fill", out, *out.shape), len(out), check)

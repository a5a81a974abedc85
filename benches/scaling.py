"""Cost of a game as work grows: batch size, threads, board and players, memory.

    python benches/scaling.py [GAME ...] [--rounds 7]

Measurements are made as in masume.bench: everything once per round, medians, ratios within a round.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import gc
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import masume
from masume import bench
from masume.bench import Midgame, Work, _loops
from masume.bench.cases import keep_awake
from masume.core import registry
from masume.errors import ConfigError
from masume.play.run import Run
from masume.play.selfplay import selfplay
from masume.search import MCTS

ROUNDS = 7
SIZES = (1, 8, 64, 512, 4096, 65_536)
MAX_BYTES = 2**28  # largest batch with masks and planes that is measured
GAMES = 64  # random games on growing boards
PLIES = 200_000  # approximate size of the work that threads share


# -- the batch ------------------------------------------------------------------------------------


def steps(play: Midgame, size: int, **options: Any) -> Work:
    """Return the work of playing turns of games in batches of this size.

    A batch smaller than the recorded positions continues from the first of them, so that it is used as in practice, and
    there are as many batches as needed; in a larger one every position occurs several times.
    """
    turns = min(len(play) // play.num_games, max(1, len(play) // size))
    rows = np.arange(max(size, len(play) // turns))
    first = rows % play.num_games + rows // play.num_games * turns * play.num_games
    order = (first + np.arange(turns)[:, None] * play.num_games) % len(play)  # [turns, rows]
    parts = np.split(order, len(rows) // size, axis=1)
    codes = [play.codes[part] for part in parts]
    batches = [play.game.batch(size, **({"observe": None, "masks": False} | options)) for _ in parts]
    starts = [[play.states[i] for i in part[0]] for part in parts]

    def before() -> None:
        for batch, states in zip(batches, starts, strict=True):
            if batch.pool is not None:
                keep_awake(batch)
            _loops.load(batch, states)

    def run() -> None:
        for batch, played in zip(batches, codes, strict=True):
            for actions in played:
                batch.step(actions)

    def check() -> None:
        after = np.frombuffer(play.after, np.uint8).reshape(len(play), -1)
        for batch, part in zip(batches, parts, strict=True):
            assert np.array_equal(batch.states.view(np.uint8).reshape(size, -1), after[part[-1]])

    return Work(run, order.size, check, before)


def bytes_of(batch: masume.Batch) -> int:
    """Return the size of a batch's arrays."""
    arrays = [batch.actions, batch.rewards, batch.terminated, batch.current_player, batch.seeds]
    arrays += [array for array in (batch.masks, batch.masks_packed) if array is not None]
    return sum(
        array.nbytes for array in [*arrays, *batch.observations.values(), *batch._blocks.values()] if array is not None
    )


def use_wall_clock(work: Work) -> Work:
    """Return the work timed by wall clock, with one thread as with two."""
    return dataclasses.replace(work, threaded=True)


# -- threads --------------------------------------------------------------------------------------


def longest(play: Midgame) -> tuple[masume.Game, int]:
    """Return (the game of the first playouts, the number of its games that have PLIES plies)."""
    title, *_ = play.workload.playouts
    game = masume.load(play.game.name, **play.workload.playouts[title])
    plies = game.batch(GAMES, seed=play.seed, observe=None, masks=False).playout()
    return game, PLIES * GAMES // plies


def playouts(play: Midgame, threads: int) -> Work:
    """Return the work of whole random games in a batch."""
    game, count = longest(play)
    batch = game.batch(count, seed=play.seed, observe=None, masks=False, threads=threads)

    def check() -> None:
        assert batch.terminated.all()

    return Work(batch.playout, count, check, lambda: batch.reset(play.seed))


def simulations(play: Midgame, threads: int) -> Work:
    """Return the work of a search from the start."""
    game, count = longest(play)
    state, search = game.new_state(play.seed), MCTS(game, simulations=count, threads=threads)
    found: list[Any] = []

    def run() -> None:
        found[:] = [search.search(state, seed=1)]

    def check() -> None:
        assert found[0].simulations == count

    return Work(run, count, check)


def games(play: Midgame, threads: int) -> Work:
    """Return the work of self-play by random agents whose records are not kept."""
    game, _ = longest(play)
    count = 2 * Run.make([game], ["random"], 0, 1, None, 0, "npz", []).chunk  # one for each thread
    found: list[Any] = []

    def run() -> None:
        found[:] = [selfplay([game], ["random"], num_games=count, seed=1, threads=threads, replays=0)]

    def check() -> None:
        assert found[0].games[game.name].games == count

    return Work(run, count, check)


THREADED: dict[str, tuple[str, Callable[[Midgame, int], Work]]] = {
    "turn, 1,024 games": ("turn", lambda play, threads: steps(play, 1024, threads=threads)),
    "playout": ("game", playouts),
    "search": ("simulation", simulations),
    "self-play": ("game", games),
}


# -- the board ------------------------------------------------------------------------------------


def growth_of(name: str) -> bench.Growth:
    """Return the growth of a game's boards, from its bench."""
    found: bench.Growth = registry.parts("bench")[name].GROWTH
    return found


def grow(name: str, seed: int) -> Iterator[tuple[Any, Any, masume.Game, Work]]:
    """Yield (row, column, game, work of random games with a ply as unit) for each config that the game allows."""
    growth = growth_of(name)
    for row in growth.rows:
        for column in growth.columns:
            with contextlib.suppress(ConfigError):  # this board has no room for so many units
                game = masume.load(name, **growth.fields(row, column))
                batch = game.batch(GAMES, seed=seed, observe=None, masks=False)
                plies = batch.playout()
                assert batch.terminated.all()
                yield row, column, game, Work(batch.playout, plies, lambda: None, functools.partial(batch.reset, seed))


# -- measuring ------------------------------------------------------------------------------------


def measure(name: str, rounds: int = ROUNDS, seed: int = 0) -> dict[str, Any]:
    """Return all figures of a game as JSON types; times in ns per unit."""
    play = Midgame(name, seed)
    works: dict[str, Work] = {}
    sizes: list[dict[str, Any]] = []
    for size in SIZES:
        sizes.append({"size": size})
        for threads in (1, 2):
            works[f"{size} {threads}"] = use_wall_clock(steps(play, size, threads=threads))
        views = play.game.batch(1, observe=("planes", "scalars"), masks=True)
        if size * bytes_of(views) <= MAX_BYTES:
            works[f"{size} views"] = steps(play, size, observe=("planes", "scalars"), masks=True)
    for what, (_, make) in THREADED.items():
        for threads in (1, 2):
            works[f"{what} {threads}"] = use_wall_clock(make(play, threads))
    boards = []
    for row, column, game, work in grow(name, seed):
        works[f"board {row} {column}"] = work
        boards.append({"row": row, "column": column, "bytes": game.state_size})
    for work in works.values():
        work.before()
        work.run()
        work.check()
    times = {what: np.array(values) for what, values in bench.time_works(works, rounds).items()}
    medians = {what: float(np.median(values)) for what, values in times.items()}
    for entry in sizes:
        for way in ("1", "2", "views"):
            entry[way] = medians.get(f"{entry['size']} {way}")
    for board in boards:
        board["ns"] = medians[f"board {board['row']} {board['column']}"]
    threads = [
        {
            "what": what, "unit": unit, "1": medians[f"{what} 1"], "2": medians[f"{what} 2"],
            "ratio": float(np.median(times[f"{what} 1"] / times[f"{what} 2"])),
        }
        for what, (unit, _) in THREADED.items()
    ]  # fmt: skip
    return {
        "sizes": sizes,
        "threads": threads,
        "growth": {"row": growth_of(name).row, "column": growth_of(name).column, "boards": boards},
        "memory": memory(play),
    }


def memory(play: Midgame) -> dict[str, int]:
    """Return the bytes of a position, of its players' memory, and of a game in a batch."""
    game = play.game
    return {
        "state": game.state_size,
        "memory of its players": game.memory_size,
        "game in a batch, bare": bytes_of(game.batch(64, observe=None, masks=False)) // 64,
        "game in a batch, packed masks": bytes_of(game.batch(64, observe=None, masks="packed")) // 64,
        "game in a batch, masks and planes": bytes_of(game.batch(64)) // 64,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(bench.workloads()), help="default: all")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    gc.disable()
    print(json.dumps({name: measure(name, arguments.rounds) for name in arguments.games}, indent=1))


if __name__ == "__main__":
    main()

"""Print checksums of what masume computes: equal on every compiler, CPU level, system and Python.

    python tests/checksums.py          one line for each game and each CPU level of this machine

walks: every position of random games, with its variables, legal codes, masks, observations, events and scores. keys: of
those positions. playouts: random games in a batch, and games of each policy. perft: counts of small boards.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np

import cases
import masume
from masume.core import _perft, _playout
from masume.core._wide import levels
from masume.core.rng import Rng

PLIES = 150
GAMES = 24
MAX_LEAVES = 500_000
SEED = 20


def walks(games: list[masume.Game]) -> Iterator[bytes]:
    """Yield everything that positions of random games report."""
    for state in positions(games):
        yield repr(state.to_dict()).encode()
        for slot in range(len(state.slots)):
            yield np.asarray(state.legal_actions(slot), np.int64).tobytes() + state.legal_mask(slot).tobytes()
        yield state.scores().tobytes() + state.returns().tobytes()
        for player in range(state.game.num_players):
            yield from (field.tobytes() for field in state.observation(player).values())
            yield repr(state.events(player)).encode()


def keys(games: list[masume.Game]) -> Iterator[bytes]:
    """Yield the keys of those positions."""
    for state in positions(games):
        yield state.key.to_bytes(8, "little")


def positions(games: list[masume.Game]) -> Iterator[masume.State]:
    """Yield the first positions of a random game of each."""
    for game in games:
        rng, state = Rng(SEED), game.new_state(SEED)
        for _ in range(PLIES):
            yield state
            if state.is_terminal():
                break
            codes = [state.legal_actions(slot) for slot in range(len(state.slots))]
            chosen = [int(legal[rng.below(len(legal))]) for legal in codes]
            state.apply(chosen if game.is_simultaneous else chosen[0])


def playouts(games: list[masume.Game]) -> Iterator[bytes]:
    """Yield the results of random games in a batch, and of games of each policy."""
    for game in games:
        batch = game.batch(GAMES, seed=SEED)
        yield batch.playout().to_bytes(8, "little") + batch.states.tobytes() + batch.rewards.tobytes()
        yield from (array.tobytes() for array in batch.observations.values())
        for policy in range(len(game.policies)):
            seeds = np.arange(SEED, SEED + GAMES, dtype=np.uint64)
            played = _playout.record(game, seeds, np.full(game.num_players, policy, np.int32))
            yield from (played[name].tobytes() for name in sorted(played))


def perft(name: str) -> Iterator[bytes]:
    """Yield the perft counts of small boards."""
    for line in (cases.TESTS / name / "golden.perft").read_text().splitlines():
        case = json.loads(line)
        state = masume.load(name, **case["config"]).new_state(case["seed"])
        depth = sum(count <= MAX_LEAVES for count in case["counts"])
        yield str([_perft.perft(state, d) for d in range(1, depth + 1)]).encode()


def main() -> None:
    """Print the lines of the level that MASUME_CPU names, or of all levels."""
    level = os.environ.get("MASUME_CPU")
    if not level:
        print(f"{'game':14}{'level':7}{'keys':18}{'perft':18}{'playouts':18}walks", flush=True)
        for name in levels():
            subprocess.run([sys.executable, *sys.orig_argv[1:]], env=os.environ | {"MASUME_CPU": name}, check=True)
        return
    for name, its in cases.GAMES.items():
        games = [masume.load(name, **fields) for fields in its.CASES]
        found = (keys(games), perft(name), playouts(games), walks(games))
        sums = [hashlib.sha256(b"".join(parts)).hexdigest()[:16] for parts in found]
        print(f"{name:14}{level:7}{'  '.join(sums)}", flush=True)


if __name__ == "__main__":
    main()

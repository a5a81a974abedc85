"""Record the draws and estimates that no rule fixes and no twin repeats, so that they stay as they are.

    python tests/golden.py             write tests/<game>/golden.draws anew

A seed gives the same games on every machine: of policies, of random play, and positions that a player cannot tell from
the true one. A line is a game of `games_of`, with a checksum for each of these, and with forecasts. After a
change that is meant to draw otherwise, write the files anew, and say in the changelog that seeds give other games.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import cases
import masume
from lockstep import game_at
from masume.core import _playout
from masume.core.function_table import FunctionTable
from masume.core.rng import Rng, stream

GAMES = 12
POSITIONS = 40  # of each game: of random games and of those of policies, evenly
SAMPLES = 3
RANDOM = 40
SEED = 31


def path_of(name: str) -> Path:
    """Return the file of a game."""
    return cases.TESTS / name / "golden.draws"


def games_of(name: str) -> list[masume.Game]:
    """Return the games that are recorded: those of the cases; where things are hidden, some of the campaign's too."""
    its = cases.GAMES[name]
    found = [masume.load(name, **fields) for fields in (*its.CASES, its.SMALL, *getattr(its, "HIDDEN", ()))]
    if not found[0].is_perfect_information:
        draw = importlib.import_module(f"{name}.campaign").random_config
        found += [game_at(name, draw(Rng(stream(SEED, k)))) for k in range(RANDOM)]
    return found


def record(game: masume.Game) -> dict[str, Any]:
    """Return what a line holds of a game."""
    found, table = positions(game), FunctionTable(game)
    line: dict[str, Any] = {
        "playouts": checksum(playouts(game)),
        "policies": checksum(policies(game)),
        "choices": checksum(choices(found)),
        "samples": checksum(samples(found)),
        "news": checksum(news(table, found)),
        "keys": checksum(state.key.to_bytes(8, "little") for state in found),
    }
    if table.has("forecast"):
        line["forecasts"] = [forecast(table, state) for state in found[:: max(1, len(found) // 20)]]
    return line


def check(name: str) -> None:
    """Raise AssertionError unless the games of the file give what it holds."""
    lines, games = path_of(name).read_text(encoding="utf-8").splitlines(), games_of(name)
    assert len(lines) == len(games)
    for k, (line, game) in enumerate(zip(lines, games, strict=True)):
        wanted, found = json.loads(line), {"game": k, **record(game)}
        forecasts = np.array(wanted.pop("forecasts", [])), np.array(found.pop("forecasts", []))
        assert found == wanted, game
        assert np.allclose(*forecasts, rtol=1e-9, atol=1e-9), game  # the last bits are the C library's


def checksum(parts: Iterable[bytes]) -> str:
    """Return a checksum of bytes, none of which may be absent."""
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def positions(game: masume.Game) -> list[masume.State]:
    """Return positions of games that begin at random and are played on by policies."""
    found: list[masume.State] = []
    seed = 0
    while len(found) < POSITIONS:
        seed += 1
        rng, state, policy = Rng(stream(SEED, seed)), game.new_state(seed), game.policies[seed % len(game.policies)]
        while not state.is_terminal():
            codes: list[int] = []
            for player in sorted({*state.slots.tolist()}):
                chosen, _ = state._choose(player, policy, rng.next())
                codes += chosen
            if rng.below(4) == 0:
                legal = [state.legal_actions(slot) for slot in range(len(state.slots))]
                codes = [int(its[rng.below(len(its))]) for its in legal]
            state.apply(codes if game.is_simultaneous else codes[0])
            if rng.below(5) == 0:
                found.append(state.clone())
        found.append(state)
    return found


def playouts(game: masume.Game) -> Iterator[bytes]:
    """Yield random games, played by the loops of a batch."""
    batch = game.batch(GAMES, seed=SEED, observe=None)
    yield batch.playout().to_bytes(8, "little") + batch.states.tobytes() + batch.rewards.tobytes()


def policies(game: masume.Game) -> Iterator[bytes]:
    """Yield games of each policy against itself."""
    seeds = np.arange(SEED, SEED + GAMES, dtype=np.uint64)
    for policy in range(len(game.policies)):
        played = _playout.record(game, seeds, np.full(game.num_players, policy, np.int32))
        yield from (played[name].tobytes() for name in sorted(played))


def choices(found: list[masume.State]) -> Iterator[bytes]:
    """Yield what each policy chooses for those who decide."""
    for n, state in enumerate(found):
        for player in sorted({*state.slots.tolist()}):
            for policy in state.game.policies:
                yield repr(state._choose(player, policy, stream(SEED, n))).encode()


def samples(found: list[masume.State]) -> Iterator[bytes]:
    """Yield samples of the positions for each player, of games that hide something."""
    for n, state in enumerate(found):
        for player in range(state.game.num_players if not state.game.is_perfect_information else 0):
            for k in range(SAMPLES):
                try:
                    yield state.resample(player, stream(SEED, n * SAMPLES + k)).to_bytes()
                except ValueError as error:
                    yield str(error).encode()


def forecast(table: FunctionTable, state: masume.State) -> list[float]:
    """Return the scores that the engine expects."""
    out = np.zeros(state.game.num_players)
    table.call("forecast", table.parts_of(state)[0], out)
    return out.tolist()


def news(table: FunctionTable, found: list[masume.State]) -> Iterator[bytes]:
    """Yield the hashes of what an action tells each player."""
    for n, state in enumerate(found if table.has("news") else ()):
        if state.is_terminal():
            continue
        data, memory = table.parts_of(state)
        legal, codes = state.legal_actions(), np.zeros(state.game.num_slots, np.int32)
        codes[0] = state.encode(int(legal[Rng(n).below(len(legal))]))
        table.call("apply", data, memory, codes)
        for player in range(state.game.num_players):
            yield table.call("news", data, memory, player, codes).to_bytes(8, "little")


def main() -> None:
    """Write all files."""
    for name in cases.GAMES:
        lines = [json.dumps({"game": k, **record(game)}) for k, game in enumerate(games_of(name))]
        path_of(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()

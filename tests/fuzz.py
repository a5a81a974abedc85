"""Hostile input: pass mutations of masume's output to everything that reads.

    python tests/fuzz.py --cases 100000 --seed 1 [--game kakomimasu] [--files]

A case is one seed: a game, a position, an entrance and a mutation. The entrance must accept the input or raise a
documented error; an accepted position must pass check() and can be played on, copied and written. The cases run in a
child process, so that a crash or a hang costs one case and is reported like any other failure. Prints the seed of
each failure, then a total; the exit status is 1 if there was one. Repeat a failure with `--cases 1 --seed SEED` and
the same --game. With --files the entrances are those of fuzz_files.py: damaged runs, arenas and replays, which take
longer.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import json
import mmap
import os
import pickle
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import callers
import fuzz_edge
import fuzz_files
import masume
from cases import GAMES, find
from masume.records import replay
from mutations import (
    Entrance,
    Sample,
    load_last,
    must,
    mutate_bytes,
    mutate_text,
    mutate_value,
    odd_actions,
    odd_value,
    play_on,
)

HANG_S = 60

# -- requirements ---------------------------------------------------------------------------------


def assert_sound(rng: random.Random, state: masume.State) -> None:
    """Check that an accepted position is valid: check it, write it, read it back, observe it and play on."""
    game = state.game
    state.check()
    variables, key, data = state.to_dict(), state.key, state.to_bytes()
    json.dumps(variables, allow_nan=False)
    twins = {"clone": state.clone(), "bytes": game.state_from_bytes(data)}
    is_outgrown = getattr(GAMES[game.name], "is_outgrown", None)
    if is_outgrown is None or not is_outgrown(state):
        twins |= {"dict": game.state_from_dict(variables), "text": game.parse(str(state))}
    for name, twin in twins.items():
        must(twin.to_dict() == variables, f"{name}: another dict")
        must(twin.key == key, f"{name}: another key")
    for player in range(game.num_players):
        state.observation(player)
    for slot in range(len(state.slots)):
        must(int(state.legal_mask(slot).sum()) == len(state.legal_actions(slot)) > 0, "mask and legal actions differ")
    must(state.to_bytes() == data, "looking changed the state")
    play_on(rng, state, rng.choice((1, 3)))
    state.check()
    state.scores()
    must(state.is_terminal() or not state.returns().any(), "returns before the end")


# -- entrances: each passes mutated input in, and returns the resulting position, if any ---------------


def state_bytes(s: Sample) -> masume.State:
    return s.game.state_from_bytes(mutate_bytes(s.rng, s.state.to_bytes()))


def state_dict(s: Sample) -> masume.State:
    return s.game.state_from_dict(mutate_value(s.rng, s.state.to_dict()))


def text_board(s: Sample) -> masume.State:
    return s.game.parse(mutate_text(s.rng, str(s.state)))


def action_text(s: Sample) -> None:
    slot = s.rng.randrange(max(1, len(s.state.slots)))
    legal = s.state.legal_actions(slot)
    text = s.state.action_to_text(int(s.rng.choice(legal)), slot) if len(legal) else "0"
    action = s.state.text_to_action(mutate_text(s.rng, text), slot)
    must(s.state.text_to_action(s.state.action_to_text(action, slot), slot) == action, "another action")


def actions(s: Sample) -> masume.State:
    codes, before, history = s.codes(), s.state.to_bytes(), copy.copy(s.state.history)
    several = s.game.num_slots > 1
    given = odd_actions(s.rng, s.game, codes) if several else odd_value(s.rng, s.state.decode(codes[0]))
    try:
        s.state.apply(given)
    except ValueError:
        must(s.state.to_bytes() == before and s.state.history == history, "a refused action changed the state")
        raise
    return s.state


def batch_actions(s: Sample) -> None:
    size = s.rng.choice((1, 3))
    batch = s.game.batch(size, on_illegal=s.rng.choice(("raise", "fallback")), observe=None)
    batch.sample_actions()
    given = batch.actions.ravel().tolist()
    before = batch.states.tobytes()
    array = odd_actions(s.rng, s.game, given)
    if s.rng.random() < 0.5 and isinstance(array, np.ndarray) and array.size == len(given):
        array = array.reshape(size, -1)
    try:
        batch.step(array)
    except masume.IllegalActionError:
        pass
    except ValueError:
        must(batch.states.tobytes() == before, "refused actions changed a state")
        raise
    for row in range(size):
        assert_sound(s.rng, batch.state(row, without_memory=True))


def numbers(s: Sample) -> None:
    """Pass invalid players, slots, codes, actions and seeds."""
    value = odd_value(s.rng, s.rng.randrange(3))
    small = value if value != 2**31 - 1 else -1  # a batch of that size would be created
    game, state, before = s.game, s.state, s.state.to_bytes()
    calls: list[Callable[[], Any]] = [
        lambda: state.legal_actions(value), lambda: state.legal_mask(value), lambda: state.legal_mask(0, value),
        lambda: state.observation(value), lambda: state.observation(0, value),
        lambda: state.observation(0, {"planes": value}), lambda: state.information_state(value),
        lambda: state.decode(value), lambda: state.encode(value),
        lambda: state.action_to_text(value), lambda: state.text_to_action(value),
        lambda: state.forfeit(value, 0), lambda: state.forfeit(0, value), lambda: state.copy_from(value),
        lambda: state.resample(value, 1), lambda: state.resample(0, value),
        lambda: masume.load(value), lambda: masume.load(s.name, value), lambda: masume.load(s.name, preset=value),
        lambda: game.new_state(value), lambda: game.parse(value),
        lambda: game.state_from_bytes(value), lambda: game.state_from_dict(value),
        lambda: game.batch(small, observe=None, masks=False), lambda: game.batch(1, seed=value),
        lambda: game.batch(1, threads=small), lambda: game.batch(1, observe=value), lambda: game.batch(1, masks=value),
        lambda: game.batch(1, rewards=value), lambda: game.batch(1, autoreset=value),
        lambda: game.batch(1, buffers=value), lambda: game.batch(1, buffers={"rewards": value}),
        lambda: game.batch(1).reset(seed=value), lambda: game.batch(1).reset(mask=value),
    ]  # fmt: skip
    try:
        s.rng.choice(calls)()
    finally:
        must(state.to_bytes() == before or state.is_terminal(), "the state changed")


def config(s: Sample) -> masume.State:
    fields = dict(s.fields) or s.game.config.to_dict()
    fields = mutate_value(s.rng, s.rng.choice((fields, s.game.config.to_dict())))
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise masume.ConfigError("what is no keyword cannot be given")
    game = masume.load(s.name, **fields)
    again = masume.load(s.name, **game.config.to_dict())
    must(again.config.to_dict() == game.config.to_dict(), "the config does not read back")
    must(pickle.loads(pickle.dumps(game)) == game, "the game does not read back")
    return game.new_state()


def replay_file(s: Sample) -> masume.State:
    """Read a whole game, or a game's beginning as `start`, with a mutation in a line, in its JSON, or in the bytes."""
    rng, game = s.rng, s.game
    start = s.state.to_dict() if rng.random() < 0.5 and game.memory_size == 0 else None
    seed = rng.randrange(2**63)
    state = game.new_state(seed) if start is None else s.state.clone()
    moves: list[Any] = []
    while not state.is_terminal() and len(moves) < 30:
        chosen = [int(rng.choice(state.legal_actions(slot))) for slot in range(len(state.slots))]
        moves.append(chosen if game.num_slots > 1 else chosen[0])
        state.apply(moves[-1])
    results = state.returns().tolist(), state.scores().tolist()
    lines = replay.Replay(game, seed, ["x"] * game.num_players, moves, *results, start=start).to_lines()
    data = "".join(line + "\n" for line in lines).encode()
    way = rng.randrange(3)
    if way == 0:
        data = mutate_bytes(rng, data)
    elif way == 1:
        data = mutate_text(rng, data.decode()).encode(errors="surrogatepass")
    else:
        at = rng.randrange(len(lines))
        lines[at] = json.dumps(mutate_value(rng, json.loads(lines[at])), default=str, skipkeys=True)
        data = "\n".join(lines).encode(errors="surrogatepass")
    return load_last(data)


ENTRANCES: dict[Entrance, tuple[type[Exception], ...]] = (
    {
        state_bytes: (masume.StateError,),
        state_dict: (masume.StateError,),
        text_board: (masume.NotationError, masume.StateError),
        action_text: (masume.NotationError,),
        actions: (ValueError,),
        batch_actions: (ValueError,),
        numbers: (ValueError, TypeError),
        config: (masume.ConfigError, masume.NotationError),
        replay_file: (masume.ReplayError,),
    }
    | callers.ENTRANCES
    | fuzz_edge.ENTRANCES
)
OWN_ENTRANCES: dict[str, dict[Entrance, tuple[type[Exception], ...]]] = {
    name: its.ENTRANCES for name, its in find("entrances").items()
}


# -- running --------------------------------------------------------------------------------------


def run_case(seed: int, names: tuple[str, ...], files: bool = False) -> tuple[str, bool]:
    """Return (the entrance of this seed, whether it accepted the input); undocumented exceptions are raised."""
    rng = random.Random(seed)
    sample = Sample(rng, rng.choice(names))
    entrances = fuzz_files.ENTRANCES if files else ENTRANCES | OWN_ENTRANCES.get(sample.name, {})
    entrance = rng.choice(list(entrances))
    try:
        state = entrance(sample)
    except entrances[entrance]:
        return entrance.__name__, False
    if state is not None:
        assert_sound(rng, state)
    return entrance.__name__, True


def failures(
    seed: int, cases: int, names: tuple[str, ...], counts: dict[str, list[int]], files: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield (seed, error) of each case that fails; counts[entrance] = [cases, accepted]."""
    last = seed + cases
    while seed < last:
        with mmap.mmap(-1, 8) as now:  # the case that the child is running
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(read)
                try:
                    _run_cases(seed, last, names, files, now, write)
                finally:
                    os._exit(0)
            os.close(write)
            status = _wait(child, now)
            with os.fdopen(read) as pipe:
                report = json.loads(pipe.read() or "{}")
            at = int.from_bytes(now[:], "little")
        for name, (done, accepted) in report.get("counts", {}).items():
            total = counts.setdefault(name, [0, 0])
            total[0] += done
            total[1] += accepted
        if "failure" in report:
            yield at, report["failure"]
        elif status:
            hung = f": no end after {HANG_S} s" if status == signal.SIGKILL else ""
            yield at, f"killed by {signal.Signals(status).name}{hung}"
        elif not report:
            yield at, "the process ended"
        else:
            return
        seed = at + 1


def _run_cases(seed: int, last: int, names: tuple[str, ...], files: bool, now: mmap.mmap, write: int) -> None:
    """Run the cases in the child, up to the first that fails."""
    report: dict[str, Any] = {"counts": {}}
    for case in range(seed, last):
        now[:] = case.to_bytes(8, "little")
        try:
            entrance, accepted = run_case(case, names, files)
        except BaseException:
            report["failure"] = traceback.format_exc()
            break
        count = report["counts"].setdefault(entrance, [0, 0])
        count[0] += 1
        count[1] += accepted
    with os.fdopen(write, "w") as pipe:
        json.dump(report, pipe)


def _wait(child: int, now: mmap.mmap) -> int:
    """Return the signal that ended the child, 0 if none did; a child that stays at one case for too long is killed."""
    case, since = now[:], time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status & 0x7F
        if now[:] != case:
            case, since = now[:], time.monotonic()
        elif time.monotonic() - since > HANG_S:
            os.kill(child, signal.SIGKILL)
            since = time.monotonic()
        time.sleep(0.005)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Mutations of what masume writes, given to everything that reads.")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", choices=tuple(GAMES))
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args(arguments)
    faulthandler.enable()
    names = (options.game,) if options.game else tuple(GAMES)
    counts: dict[str, list[int]] = {}
    failed = 0
    for seed, what in failures(options.seed, options.cases, names, counts, options.files):
        failed += 1
        print(f"seed {seed}: {what}", flush=True)
    for name, (done, accepted) in sorted(counts.items()):
        print(f"{name}: {done} cases, {accepted} let in")
    print(f"{options.cases} cases from seed {options.seed}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The optional functions of a table do what the required ones do, only faster."""

import numpy as np
import pytest

from masume.core.function_table import TERMINAL, FunctionTable
from masume.core.rng import Rng, stream

GAMES_PLAYED = 8
MAX_PLIES = 400


def walk(game, seed):
    """Yield the positions of a random game, up to MAX_PLIES, the last one too."""
    state, rng = game.new_state(seed), Rng(stream(seed, 5))
    for _ in range(MAX_PLIES):
        yield state
        if state.is_terminal():
            return
        legal = [state.legal_actions(slot) for slot in range(len(state.slots))]
        codes = [state.encode(int(its[rng.below(len(its))])) for its in legal]
        actions = [state.decode(code) for code in codes]
        state.apply(actions if game.num_slots > 1 else actions[0])


def positions(game, every=7):
    """Yield positions of random games, the first of each and the last among them."""
    for seed in range(GAMES_PLAYED):
        for ply, state in enumerate(walk(game, seed)):
            if (ply + seed) % every == 0 or ply == 0 or state.is_terminal():
                yield state


def skip_without(table, name):
    if not table.has(name):
        pytest.skip(f"the game has no {name}")


def test_a_playout_is_sample_and_apply_to_the_end(game):
    """The same draws, state, number of plies and generator."""
    table = FunctionTable(game)
    skip_without(table, "playout")
    players, codes = np.zeros(game.num_slots, np.int32), np.zeros(game.num_slots, np.int32)
    for n, state in enumerate(positions(game)):
        quick, slow = table.parts_of(state)[0], table.parts_of(state)[0]
        rngs = np.array([n + 1], np.uint64), np.array([n + 1], np.uint64)
        plies, count = 0, table.call("slots", slow, players)
        while count:
            for slot in range(count):
                codes[slot] = table.call("sample", slow, slot, rngs[1])
            status = table.call("apply", slow, None, codes)
            assert status in (0, TERMINAL)
            plies += 1
            count = table.call("slots", slow, players)
            assert (count == 0) == (status == TERMINAL)
        assert table.call("playout", quick, rngs[0]) == plies
        assert quick.tobytes() == slow.tobytes()
        assert rngs[0] == rngs[1]


def test_many_steps_are_one_apply_each(game):
    """Legal codes, illegal ones and games that are over, with memory and without."""
    table = FunctionTable(game)
    skip_without(table, "step_many")
    rng = Rng(3)
    states = [state.clone() for state in positions(game)]
    codes = np.array([rng.below(game.num_actions + 2) - 1 for _ in states], np.int32)
    for n, state in enumerate(states):
        if n % 3 and not state.is_terminal():
            legal = state.legal_actions()
            codes[n] = state.encode(int(legal[rng.below(len(legal))]))
    for with_memory in (False, True):
        parts = [table.parts_of(state) for state in states]
        remembers = with_memory and parts[0][1] is not None
        many = np.concatenate([state for state, _ in parts])
        memories = np.concatenate([memory for _, memory in parts]) if remembers else None
        statuses, movers = np.full(len(states), 99, np.int32), np.full(len(states), 99, np.int32)
        table.call("step_many", len(states), many, memories, codes, statuses, movers)
        players, illegal = np.zeros(1, np.int32), 0
        for n, (state, memory) in enumerate(parts):
            over = states[n].is_terminal()
            status = -1 if over else table.call("apply", state, memory if remembers else None, codes[n : n + 1])
            illegal += status < 0
            assert statuses[n] == status
            assert many[n * len(state) : (n + 1) * len(state)].tobytes() == state.tobytes()
            if remembers:
                assert memories[n * len(memory) : (n + 1) * len(memory)].tobytes() == memory.tobytes()
            if status == 0:
                assert table.call("slots", state, players) == 1
                assert movers[n] == players[0]
        assert 0 < illegal < len(states)


def test_a_mask_in_bits_is_the_mask_in_bytes_and_the_list_of_codes(game):
    """And one code of it is drawn, as `sample` says."""
    table = FunctionTable(game)
    words = (game.num_actions + 31) // 32
    for n, state in enumerate(positions(game)):
        data, _ = table.parts_of(state)
        for slot in range(len(state.slots)):
            mask, codes = np.full(game.num_actions, 7, np.uint8), np.zeros(game.num_actions, np.int32)
            table.call("mask", data, slot, mask)
            legal = codes[: table.call("legal", data, slot, codes)].tolist()
            assert np.flatnonzero(mask).tolist() == legal
            assert set(mask.tolist()) <= {0, 1}
            if table.has("mask_bits"):
                bits = np.full(words, 0xFFFFFFFF, np.uint32)
                table.call("mask_bits", data, slot, bits)
                unpacked = np.unpackbits(bits.view(np.uint8), bitorder="little")
                assert unpacked[: game.num_actions].tolist() == mask.tolist()
                assert not unpacked[game.num_actions :].any()
            rng, drawn = Rng(n), np.array([n], np.uint64)
            assert table.call("sample", data, slot, drawn) == legal[rng.below(len(legal))]
            assert drawn[0] == rng.state
            assert table.call("fallback", data, slot) in legal


def test_an_observation_writes_the_fields_that_are_asked_for_and_no_others(game):
    table, spec = FunctionTable(game), game.observation_spec.values()
    data, memory = table.parts_of(game.new_state(1))
    views = [np.full(int(np.prod(shape)) * dtype.itemsize, 0x5A, np.uint8) for shape, dtype in spec]
    addresses = np.array([view.ctypes.data for view in views], np.uint64)
    for field in range(len(views)):
        for view in views:
            view[:] = 0x5A
        table.call("observe", data, memory, 0, 1 << field, addresses)
        written = [bool((view != 0x5A).any()) for view in views]
        assert written == [number == field for number in range(len(views))]

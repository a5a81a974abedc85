# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""record: whole games of native players, with all they played."""
cimport numpy as cnp
import numpy as np
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy
from masume._game cimport MASUME_MAX_PLAYERS, MASUME_MAX_SLOTS, MASUME_SIMULTANEOUS, Table, masume_game, masume_stream

cnp.import_array()


cdef struct Tape:
    int64_t used, capacity     # plies
    int64_t *actions           # [capacity, num_slots]
    int8_t *players            # [capacity]: who decided, -1 all at once


cdef int grow(Tape *tape, int64_t slots) noexcept nogil:
    """Room for one ply more; -1 without memory."""
    cdef int64_t capacity
    cdef void *moved
    if tape.used < tape.capacity:
        return 0
    capacity = tape.capacity * 2 if tape.capacity else 1024
    moved = realloc(tape.actions, capacity * slots * sizeof(int64_t))
    if moved == NULL:
        return -1
    tape.actions = <int64_t *>moved
    moved = realloc(tape.players, capacity)
    if moved == NULL:
        return -1
    tape.players = <int8_t *>moved
    tape.capacity = capacity
    return 0


cdef void choose(const masume_game *g, const void *state, const void *memory, const int32_t *players, int32_t count,
                 const int32_t *policies, uint64_t *rngs, int32_t *codes) noexcept nogil:
    """Each slot's code by its player's policy: 0 is random, k the table's policy k - 1."""
    cdef int32_t chosen[MASUME_MAX_SLOTS]
    cdef int32_t slot, player, k
    for player in range(<int32_t>g.num_players):
        k = 0
        for slot in range(count):
            if players[slot] != player:
                continue
            if policies[player] == 0:
                codes[slot] = g.sample(g, state, slot, &rngs[player])
            else:
                if k == 0:
                    g.policy(g, state, memory, policies[player] - 1, player, &rngs[player], chosen)
                codes[slot] = chosen[k]
                k += 1


cdef int64_t play(const masume_game *g, uint64_t seed, const int32_t *policies, void *state, void *memory,
                  Tape *tape) noexcept nogil:
    """One game on the tape; returns its plies, -1 without memory, -2 for an illegal choice."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef uint64_t rngs[MASUME_MAX_PLAYERS]
    cdef int32_t count, slot
    cdef uint32_t player
    cdef int64_t plies = 0
    for player in range(g.num_players):
        rngs[player] = masume_stream(seed, player)
    g.init(g, state, memory, seed)
    while True:
        count = g.slots(g, state, players)
        if count == 0:
            return plies
        if grow(tape, g.num_slots) < 0:
            return -1
        choose(g, state, memory, players, count, policies, rngs, codes)
        for slot in range(<int32_t>g.num_slots):
            tape.actions[tape.used * g.num_slots + slot] = (
                -1 if slot >= count else g.decode(g, state, codes[slot]) if g.decode != NULL else codes[slot])
        tape.players[tape.used] = <int8_t>(-1 if g.flags & MASUME_SIMULTANEOUS else players[0])
        if g.apply(g, state, memory, codes) < 0:
            return -2
        tape.used += 1
        plies += 1


def record(Table game not None, cnp.ndarray seeds not None, cnp.ndarray policies not None):
    """Play the games of `seeds` with native players and keep all they did.

    seeds : uint64[k], C-contiguous. policies : int32[players], places in `game.policies`.
    The generator of player p in the game of seed s starts at stream(s, p).

    Returns a dict: lengths int64[k] (plies), players int8[plies] (-1: all at once), actions
    int64[plies, slots], returns float32[k, players], scores int64[k, players].
    """
    cdef const masume_game *g = game.g
    cdef int64_t k, n = cnp.PyArray_SIZE(seeds), status = 0
    cdef Tape tape = Tape(0, 0, NULL, NULL)
    if cnp.PyArray_TYPE(seeds) != cnp.NPY_UINT64 or not cnp.PyArray_ISCARRAY_RO(seeds):
        raise ValueError(f"seeds: a contiguous uint64 array is wanted, not {seeds.dtype}")
    if (cnp.PyArray_TYPE(policies) != cnp.NPY_INT32 or not cnp.PyArray_ISCARRAY_RO(policies)
            or cnp.PyArray_SIZE(policies) != g.num_players):
        raise ValueError(f"policies: int32[{g.num_players}] is wanted, "
                         f"not {policies.dtype}{list((<object>policies).shape)}")
    for policy in policies:
        if not 0 <= policy <= <int64_t>g.num_policies:
            raise ValueError(f"policies: {policy} is not in 0..{g.num_policies}")
    lengths = np.zeros(n, np.int64)
    returns = np.zeros((n, g.num_players), np.float32)
    scores = np.zeros((n, g.num_players), np.int64)
    cdef const uint64_t *seed = <const uint64_t *>cnp.PyArray_DATA(seeds)
    cdef const int32_t *which = <const int32_t *>cnp.PyArray_DATA(policies)
    cdef int64_t *length = <int64_t *>cnp.PyArray_DATA(lengths)
    cdef float *result = <float *>cnp.PyArray_DATA(returns)
    cdef int64_t *score = <int64_t *>cnp.PyArray_DATA(scores)
    cdef uint8_t *block = <uint8_t *>calloc(g.state_size + g.memory_size, 1)
    if block == NULL:
        raise MemoryError
    try:
        with nogil:
            for k in range(n):
                status = play(g, seed[k], which, block, block + g.state_size if g.memory_size else NULL, &tape)
                if status < 0:
                    break
                length[k] = status
                g.returns(g, block, result + k * g.num_players)
                g.scores(g, block, score + k * g.num_players)
        if status == -1:
            raise MemoryError
        if status == -2:
            raise AssertionError(f"seed {seed[k]}: a native player of {game.name} chose an illegal code")
        players = np.empty(tape.used, np.int8)
        actions = np.empty((tape.used, g.num_slots), np.int64)
        if tape.used:
            memcpy(cnp.PyArray_DATA(players), tape.players, tape.used)
            memcpy(cnp.PyArray_DATA(actions), tape.actions, tape.used * g.num_slots * sizeof(int64_t))
    finally:
        free(block)
        free(tape.actions)
        free(tape.players)
    return {"lengths": lengths, "players": players, "actions": actions, "returns": returns, "scores": scores}

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Whole games: `record` lets policies play them, `replay` plays recorded games again."""
cimport numpy as cnp
import numpy as np
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset
from masume.core._game cimport (
    MASUME_ILLEGAL_SLOT, MASUME_MAX_FIELDS, MASUME_MAX_PLAYERS, MASUME_MAX_SLOTS, MASUME_SIMULTANEOUS, Table,
    check_whole, masume_game, masume_stream)
from masume.core._playout cimport mask_bits
from masume.core.arrays cimport check_array

from masume.errors import ConfigError, ReplayError

cnp.import_array()


cdef struct Tape:
    int64_t used, capacity     # plies
    int64_t *actions           # [capacity, num_slots]
    int8_t *players            # who decided; -1: all at once


cdef enum Trouble:
    NO_TROUBLE
    ILLEGAL
    LONG
    SHORT


cdef struct Again:
    const int64_t *actions
    int64_t ply                        # counted over all games
    int32_t slot                       # of the illegal action
    int32_t views                      # per observation
    uint8_t *state
    uint8_t *memory
    int8_t *players
    uint32_t *masks
    uint32_t fields
    uint8_t *out[MASUME_MAX_FIELDS]
    int64_t stride[MASUME_MAX_FIELDS]  # bytes per view


cdef int grow(Tape *tape, int64_t slots) noexcept nogil:
    """Make room for one more ply; return -1 without memory."""
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


cdef int64_t play(const masume_game *g, uint64_t seed, const int32_t *policies, void *state, void *memory,
                  Tape *tape) noexcept nogil:
    """Play one game onto the tape; return its plies, -1: no memory, -2: an illegal choice, -3: no start."""
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
            return plies if plies else -3
        if grow(tape, g.num_slots) < 0:
            return -1
        for player in range(g.num_players):
            codes_of(g, state, memory, players, count, <int32_t>player, policies[player], &rngs[player], codes)
        for slot in range(<int32_t>g.num_slots):
            tape.actions[tape.used * g.num_slots + slot] = (
                -1 if slot >= count else g.decode(g, state, codes[slot]) if g.decode != NULL else codes[slot])
        tape.players[tape.used] = <int8_t>(-1 if g.flags & MASUME_SIMULTANEOUS else players[0])
        if g.apply(g, state, memory, codes) < 0:
            return -2
        tape.used += 1
        plies += 1


def check_start(game, seed):
    """Raise ConfigError for a seed that has no start; the message is that of `game.new_state` if it raises one."""
    game.new_state(seed)
    raise ConfigError(f"seed: {game.name} has nothing to decide at the start of {seed}")


def record(Table game not None, cnp.ndarray seeds not None, cnp.ndarray policies not None):
    """Play the games of `seeds` by policies and record them.

    The generator of player p in the game of seed s starts at stream(s, p).

    Parameters
    ----------
    game : Table
        The game.
    seeds : ndarray of uint64
        uint64[k], C-contiguous.
    policies : ndarray of int32
        int32[players], indices into `game.policies`.

    Returns
    -------
    dict
        length: int64[k], in plies. player: int8[plies], -1 if all decide at once. actions: int64[plies, slots].
        returns: float32[k, players]. scores: int64[k, players].

    Raises
    ------
    ConfigError
        If a seed has no start.
    """
    cdef const masume_game *g = game.g
    cdef int64_t k, n, status = 0
    cdef Tape tape = Tape(0, 0, NULL, NULL)
    check_whole(game)
    seeds = own(seeds, "seeds", np.uint64, (cnp.PyArray_SIZE(seeds),))
    policies = own(policies, "policies", np.int32, (g.num_players,))
    n = len(seeds)
    for policy in policies:
        if not 0 <= policy <= <int64_t>g.num_policies:
            raise ValueError(f"policies: expected 0..{g.num_policies}, got {policy}")
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
        if status == -3:
            check_start(game, int(seed[k]))
        if status == -2:
            raise AssertionError(f"seed {seed[k]}: a policy of {game.name} chose an illegal code")
        players = np.empty(tape.used, np.int8)
        actions = np.empty((tape.used, g.num_slots), np.int64)
        if tape.used:
            memcpy(cnp.PyArray_DATA(players), tape.players, tape.used)
            memcpy(cnp.PyArray_DATA(actions), tape.actions, tape.used * g.num_slots * sizeof(int64_t))
    finally:
        free(block)
        free(tape.actions)
        free(tape.players)
    return {"length": lengths, "player": players, "actions": actions, "returns": returns, "scores": scores}


def replay(Table game not None, cnp.ndarray seeds not None, cnp.ndarray lengths not None, cnp.ndarray actions not None,
           bint masks=False, fields=(), numbers=None):
    """Play recorded games again, each from `new_state(seed)` through its actions to its end.

    Parameters
    ----------
    game : Table
        The game.
    seeds : ndarray of uint64
        uint64[k], C-contiguous.
    lengths : ndarray of int64
        int64[k], with sum m; C-contiguous.
    actions : ndarray of int64
        int64[m, slots], C-contiguous; -1 for a slot that is not pending.
    masks : bool
        Whether to return the legal codes.
    fields : sequence of str
        The observation fields to return.
    numbers : sequence of int or None
        Numbers of the games for error messages. None: 0, 1, 2, ...

    Returns
    -------
    dict
        player: int8[m], -1 if all decide at once. returns: float32[k, players]. scores: int64[k, players].
        From before each ply: legal: uint32[m, slots, words], where bit c % 32 of word c // 32 is code c; and each
        field: [m, *shape], the view of the player to move, or [m, players, *shape] if all decide at once.

    Raises
    ------
    ReplayError
        If an action is not allowed or the end comes at another ply; names the game and the ply.
    """
    cdef const masume_game *g = game.g
    cdef int64_t n, m
    cdef Again again
    cdef cnp.ndarray array
    check_whole(game)
    seeds = own(seeds, "seeds", np.uint64, (cnp.PyArray_SIZE(seeds),))
    n = len(seeds)
    m = cnp.PyArray_DIM(actions, 0) if cnp.PyArray_NDIM(actions) else 0
    actions = own(actions, "actions", np.int64, (m, g.num_slots))
    lengths = own(lengths, "lengths", np.int64, (n,))
    if n and not 0 <= lengths.min() <= lengths.max() <= m or lengths.sum() != m:
        raise ValueError(f"lengths: expected int64[{n}] of sum {m}, got one of sum {lengths.sum()}")
    memset(&again, 0, sizeof(Again))
    words = (g.num_actions + 31) // 32
    found = {
        "player": np.empty(m, np.int8),
        "returns": np.zeros((n, g.num_players), np.float32),
        "scores": np.zeros((n, g.num_players), np.int64),
    }
    if masks:
        found["legal"] = np.zeros((m, g.num_slots, words), np.uint32)
        again.masks = <uint32_t *>cnp.PyArray_DATA(<cnp.ndarray>found["legal"])
    again.views = g.num_players if g.flags & MASUME_SIMULTANEOUS else 1
    for place, (name, (shape, dtype)) in enumerate(game.observation_spec.items()):
        if name in fields:
            views = [m, again.views] if g.flags & MASUME_SIMULTANEOUS else [m]
            array = found[name] = np.zeros((*views, *shape), dtype)
            again.fields |= <uint32_t>1 << <uint32_t>place
            again.out[place] = <uint8_t *>cnp.PyArray_DATA(array)
            again.stride[place] = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    again.players = <int8_t *>cnp.PyArray_DATA(<cnp.ndarray>found["player"])
    again.actions = <const int64_t *>cnp.PyArray_DATA(actions)
    again.state = <uint8_t *>calloc(g.state_size + g.memory_size, 1)
    if again.state == NULL:
        raise MemoryError
    # memories are updated only if something is observed
    again.memory = again.state + g.state_size if g.memory_size and again.fields else NULL
    cdef const uint64_t *seed = <const uint64_t *>cnp.PyArray_DATA(seeds)
    cdef const int64_t *length = <const int64_t *>cnp.PyArray_DATA(lengths)
    cdef float *result = <float *>cnp.PyArray_DATA(<cnp.ndarray>found["returns"])
    cdef int64_t *score = <int64_t *>cnp.PyArray_DATA(<cnp.ndarray>found["scores"])
    cdef int64_t k, first
    cdef Trouble trouble = NO_TROUBLE
    try:
        with nogil:
            for k in range(n):
                first = again.ply
                trouble = play_again(g, seed[k], length[k], &again)
                if trouble != NO_TROUBLE:
                    break
                g.returns(g, again.state, result + k * g.num_players)
                g.scores(g, again.state, score + k * g.num_players)
    finally:
        free(again.state)
    if trouble == NO_TROUBLE:
        return found
    number = k if numbers is None else numbers[k]
    if trouble == ILLEGAL:
        raise ReplayError(f"game {number}, ply {again.ply - first}: slot {again.slot}: action "
                          f"{again.actions[again.ply * g.num_slots + again.slot]} is not allowed")
    if trouble == LONG:
        raise ReplayError(f"game {number}, ply {again.ply - first}: the game is over, "
                          f"and {length[k]} plies are recorded")
    raise ReplayError(f"game {number}: it goes on after the {length[k]} plies that are recorded")


cdef Trouble play_again(const masume_game *g, uint64_t seed, int64_t length, Again *again) noexcept nogil:
    """Play one game of `length` plies from `again.ply` on; at its end, `again.ply` is the next game's first."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int64_t end = again.ply + length
    cdef int32_t count
    g.init(g, again.state, again.memory, seed)
    while True:
        count = g.slots(g, again.state, players)
        if again.ply == end:
            return SHORT if count else NO_TROUBLE
        if count == 0:
            return LONG
        look(g, again, players, count)
        again.slot = apply_recorded(g, again, count)
        if again.slot >= 0:
            return ILLEGAL
        again.ply += 1


cdef void look(const masume_game *g, Again *again, const int32_t *players, int32_t count) noexcept nogil:
    """Record who decides, the masks and the observations."""
    cdef void *out[MASUME_MAX_FIELDS]
    cdef uint32_t words = (g.num_actions + 31) // 32
    cdef uint32_t k
    cdef int32_t slot, view
    again.players[again.ply] = <int8_t>(-1 if g.flags & MASUME_SIMULTANEOUS else players[0])
    if again.masks != NULL:
        for slot in range(count):
            mask_bits(g, again.state, slot, again.masks + (again.ply * g.num_slots + slot) * words)
    if again.fields:
        for view in range(again.views):
            for k in range(g.num_fields):
                if again.fields >> k & 1:
                    out[k] = again.out[k] + (again.ply * again.views + view) * again.stride[k]
            g.observe(g, again.state, again.memory, view if g.flags & MASUME_SIMULTANEOUS else players[0],
                      again.fields, out)


cdef int32_t apply_recorded(const masume_game *g, Again *again, int32_t count) noexcept nogil:
    """Play the ply's actions; return the first slot whose action is not allowed, else -1."""
    cdef const int64_t *actions = again.actions + again.ply * g.num_slots
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef int32_t slot, status
    for slot in range(<int32_t>g.num_slots):
        if slot >= count:
            if actions[slot] != -1:
                return slot
        elif g.apply_action == NULL:
            if not 0 <= actions[slot] < g.num_actions:
                return slot
            codes[slot] = <int32_t>actions[slot]
    if g.apply_action != NULL:
        status = g.apply_action(g, again.state, again.memory, actions[0])
    else:
        status = g.apply(g, again.state, again.memory, codes)
    return MASUME_ILLEGAL_SLOT(status) if status < 0 else -1


cdef cnp.ndarray own(cnp.ndarray array, str name, dtype, tuple shape):
    """Return a private copy of an array, which no other thread can change; ValueError for another dtype or shape."""
    check_array(name, array, np.dtype(dtype), shape, False)
    return np.array(array, subok=False)

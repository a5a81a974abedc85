# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""perft: count the action sequences of a given length, through the table."""
from math import prod

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from masume.core._game cimport MASUME_MAX_SLOTS, masume_game
from masume.core._state cimport State

from masume.core.config import integer
from masume.errors import ConfigError

MAX_ROOTS = 1_000_000

cdef enum:
    VISITS_A_LOOK = 1 << 16        # positions between two checks for Ctrl-C


cdef struct Level:                 # data of one ply of the walk
    uint8_t *state
    int32_t *legal                 # [num_slots, max_legal]
    int32_t count                  # number of slots
    int32_t counts[MASUME_MAX_SLOTS]    # legal codes of each slot
    int32_t at[MASUME_MAX_SLOTS]   # index of the code being tried


cdef int open_level(const masume_game *g, const void *state, Level *level) noexcept nogil:
    """List the legal codes of every slot; return 0 at the end of the game."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t slot
    level.count = g.slots(g, state, players)
    for slot in range(level.count):
        level.counts[slot] = g.legal(g, state, slot, level.legal + slot * g.max_legal)
        level.at[slot] = 0
    return level.count


cdef bint next_joint(Level *level) noexcept nogil:
    """Advance to the next combination, the last slot fastest; return False after the last one."""
    cdef int32_t slot = level.count - 1
    while slot >= 0:
        level.at[slot] += 1
        if level.at[slot] < level.counts[slot]:
            return True
        level.at[slot] = 0
        slot -= 1
    return False


cdef inline void joint(const masume_game *g, const Level *level, int32_t *codes) noexcept nogil:
    cdef int32_t slot
    for slot in range(level.count):
        codes[slot] = level.legal[slot * g.max_legal + level.at[slot]]


cdef struct Count:
    uint64_t sequences
    uint64_t visits                # positions visited


cdef int walk(const masume_game *g, const void *state, int32_t depth, Level *level, Count *count) except -1 nogil:
    """Add the number of sequences of `depth` actions from this position."""
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef uint64_t product = 1
    cdef int32_t slot
    count.visits += 1
    if count.visits % VISITS_A_LOOK == 0:
        with gil:
            PyErr_CheckSignals()
    if depth == 0:
        count.sequences += 1
        return 0
    if open_level(g, state, level) == 0:
        return 0
    # the last actions need not be played to be counted
    if depth == 1:
        for slot in range(level.count):
            product *= level.counts[slot]
        count.sequences += product
        return 0
    while True:
        joint(g, level, codes)
        memcpy(level.state, state, g.state_size)
        g.apply(g, level.state, NULL, codes)
        walk(g, level.state, depth - 1, level + 1, count)
        if not next_joint(level):
            return 0


cdef object total_of(State state, int depth, dict found):
    """Return the number of sequences of `depth` actions; put the counts by first action into `found` if given."""
    cdef const masume_game *g = state.g
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef size_t legal_size = g.num_slots * g.max_legal * sizeof(int32_t)
    cdef Level *levels
    cdef uint8_t *block
    cdef Count part = Count(0, 0)
    cdef int k
    state = state.clone()      # a private copy: the walk releases the GIL
    options = [len(state.legal_actions(slot)) for slot in range(len(state.slots))]
    roots = prod(options) if options else 0
    if roots > MAX_ROOTS:      # 28 agents on an empty board have too many joint actions to enumerate
        raise ConfigError(f"depth: {depth}: {roots} first actions are more than {MAX_ROOTS}, "
                          "which is all that is walked")
    levels = <Level *>malloc(depth * sizeof(Level))
    block = <uint8_t *>malloc(depth * (g.state_size + legal_size))
    total = 0
    try:
        if levels == NULL or block == NULL:
            raise MemoryError
        for k in range(depth):
            levels[k].state = block + k * g.state_size
            levels[k].legal = <int32_t *>(block + depth * g.state_size + k * legal_size)
        # walk from each first action alone, to have its count
        if open_level(g, state.data, levels):
            while True:
                joint(g, levels, codes)
                memcpy(levels[0].state, state.data, g.state_size)
                g.apply(g, levels[0].state, NULL, codes)
                part.sequences = 0
                with nogil:
                    walk(g, levels[0].state, depth - 1, levels + 1, &part)
                total += part.sequences
                if found is not None:
                    action = tuple(state.decode(codes[k]) for k in range(levels[0].count))
                    found[action if g.num_slots > 1 else action[0]] = part.sequences
                if not next_joint(levels):
                    break
    finally:
        free(levels)
        free(block)
    return total


def divide(State state not None, depth):
    """Return the number of action sequences behind each first action.

    Parameters
    ----------
    state : State
        The position to start from; it is not changed.
    depth : int
        Length of the sequences, 1..64. A game that ends sooner counts nothing.

    Returns
    -------
    dict
        {action: count}. Keys are tuples if several slots decide.

    Raises
    ------
    ConfigError
        If the depth is out of range, or there are more than a million first actions.
    """
    found = {}
    total_of(state, integer("depth", depth, 1, 64), found)
    return found


def perft(State state not None, depth):
    """Return the number of sequences of exactly `depth` legal actions.

    If several slots decide, an action is a joint one.

    Parameters
    ----------
    state : State
        The position to start from; it is not changed.
    depth : int
        Length of the sequences, 0..64. A game that ends sooner counts nothing.

    Returns
    -------
    int
        The count.

    Raises
    ------
    ConfigError
        If the depth is out of range, or at depths above 1 there are more than a million first actions.

    Examples
    --------
    >>> import masume
    >>> perft(masume.load("nezumi", stage="garden").new_state(), 2)
    16
    """
    if integer("depth", depth, 0, 64) == 0:
        return 1
    if depth == 1:
        return prod(len(state.legal_actions(slot)) for slot in range(len(state.slots))) if len(state.slots) else 0
    return total_of(state, depth, None)

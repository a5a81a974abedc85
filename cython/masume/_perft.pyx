# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""perft: the number of action sequences of a length, over the table."""
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from masume._game cimport MASUME_MAX_SLOTS, masume_game
from masume._state cimport State


cdef struct Level:                 # where one ply of the walk keeps its things
    uint8_t *state
    int32_t *legal                 # [num_slots, max_legal]
    int32_t count                  # slots
    int32_t counts[64]             # legal codes of each slot
    int32_t at[64]                 # which of them is tried now


cdef int open_level(const masume_game *g, const void *state, Level *level) noexcept nogil:
    """List the legal codes of every slot; 0 at the end of the game."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t slot
    level.count = g.slots(g, state, players)
    for slot in range(level.count):
        level.counts[slot] = g.legal(g, state, slot, level.legal + slot * g.max_legal)
        level.at[slot] = 0
    return level.count


cdef bint next_joint(Level *level) noexcept nogil:
    """On to the next combination, the last slot fastest; False after the last one."""
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


cdef uint64_t walk(const masume_game *g, const void *state, int32_t depth, Level *level) noexcept nogil:
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef uint64_t total = 1
    cdef int32_t slot
    if depth == 0:
        return 1
    if open_level(g, state, level) == 0:
        return 0
    if depth == 1:
        for slot in range(level.count):
            total *= level.counts[slot]
        return total
    total = 0
    while True:
        joint(g, level, codes)
        memcpy(level.state, state, g.state_size)
        g.apply(g, level.state, NULL, codes)
        total += walk(g, level.state, depth - 1, level + 1)
        if not next_joint(level):
            return total


def divide(State state not None, int depth):
    """{action: sequences of `depth` actions that begin with it}; keys are tuples where several slots decide.

    depth : 1.. (ValueError below). A game that ends sooner counts nothing.
    """
    cdef const masume_game *g = state.g
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef Level *levels
    cdef size_t legal_size = g.num_slots * g.max_legal * sizeof(int32_t)
    cdef uint8_t *block
    cdef uint64_t found
    cdef int k
    if not 1 <= depth <= 64:
        raise ValueError(f"depth: {depth} is not in 1..64")
    levels = <Level *>malloc(depth * sizeof(Level))
    block = <uint8_t *>malloc(depth * (g.state_size + legal_size))
    result = {}
    try:
        if levels == NULL or block == NULL:
            raise MemoryError
        for k in range(depth):
            levels[k].state = block + k * g.state_size
            levels[k].legal = <int32_t *>(block + depth * g.state_size + k * legal_size)
        if open_level(g, state.data, levels):
            while True:
                joint(g, levels, codes)
                memcpy(levels[0].state, state.data, g.state_size)
                g.apply(g, levels[0].state, NULL, codes)
                with nogil:
                    found = walk(g, levels[0].state, depth - 1, levels + 1)
                PyErr_CheckSignals()
                action = tuple(state.decode(codes[k]) for k in range(levels[0].count))
                result[action if g.num_slots > 1 else action[0]] = found
                if not next_joint(levels):
                    break
    finally:
        free(levels)
        free(block)
    return result


def perft(State state not None, int depth):
    """The number of sequences of exactly `depth` legal actions (joint ones where several slots decide)."""
    if depth == 0:
        return 1
    return sum(divide(state, depth).values())

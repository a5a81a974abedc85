# cython: language_level=3
"""Random play over the table, and masks as bits, for cimport."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from masume.core._game cimport MASUME_MAX_ACTIONS, MASUME_MAX_SLOTS, masume_game


cdef inline int32_t sample_codes(const masume_game *g, const void *state, uint64_t *rng, int32_t *codes) noexcept nogil:
    """Draw a uniform legal code for each slot, in slot order; return the number of slots, 0 at the end."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t slot, count = g.slots(g, state, players)
    for slot in range(count):
        codes[slot] = g.sample(g, state, slot, rng)
    return count


cdef inline int64_t playout(const masume_game *g, void *state, uint64_t *rng) noexcept nogil:
    """Play at random to the end; return the plies."""
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef int64_t plies = 0
    if g.playout != NULL:
        return g.playout(g, state, rng)
    while sample_codes(g, state, rng, codes):
        g.apply(g, state, NULL, codes)
        plies += 1
    return plies


cdef inline void mask_bits(const masume_game *g, const void *state, int32_t slot, uint32_t *out) noexcept nogil:
    """Write the mask of a slot as bits; built from the byte mask if the table has no own function."""
    cdef uint8_t mask[MASUME_MAX_ACTIONS]
    cdef uint32_t k
    if g.mask_bits != NULL:
        g.mask_bits(g, state, slot, out)
        return
    memset(out, 0, (g.num_actions + 31) // 32 * sizeof(uint32_t))
    g.mask(g, state, slot, mask)
    for k in range(g.num_actions):
        out[k >> 5] |= <uint32_t>mask[k] << (k & 31)


cdef inline void codes_of(const masume_game *g, const void *state, const void *memory, const int32_t *players,
                          int32_t count, int32_t player, int32_t policy, uint64_t *rng, int32_t *codes) noexcept nogil:
    """Write the codes of a player's slots by its policy: 0 is random, k the table's policy k - 1. Skip other slots."""
    cdef int32_t chosen[MASUME_MAX_SLOTS]
    cdef int32_t slot, k = 0
    for slot in range(count):
        if players[slot] != player:
            continue
        if policy == 0:
            codes[slot] = g.sample(g, state, slot, rng)
            continue
        if k == 0:
            g.policy(g, state, memory, policy - 1, player, rng, chosen)
        codes[slot] = chosen[k]
        k += 1

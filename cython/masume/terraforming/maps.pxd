# cython: language_level=3, cdivision=True
"""Terraforming: the map of a seed. [section 4]"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset
from masume.terraforming.state cimport *

cdef extern from "masume/rng.h" nogil:
    uint64_t masume_lcg(uint64_t)
    int32_t masume_lcg_below(uint64_t *, int32_t)

cdef enum:
    MAX_ATTEMPTS = 100000          # to make a map [section 4.2]

cdef enum:                         # values of Params.map_check
    NO_CHECK
    THIRD_CHECK
    FULL_CHECK


cdef inline int32_t flood(const Params *k, int32_t home, uint8_t *closed) noexcept nogil:
    """Return the number of cells connected to the home, and mark them as closed."""
    cdef int16_t stack[MAX_CELLS]
    cdef int32_t depth = 1, count = 1, cell, i
    stack[0] = <int16_t>home
    closed[home] = True
    while depth > 0:
        depth -= 1
        cell = stack[depth]
        for i in range(1, k.within[cell][1]):
            if not closed[k.near[cell][i]]:
                closed[k.near[cell][i]] = True
                stack[depth] = k.near[cell][i]
                depth += 1
                count += 1
    return count


cdef inline bint is_valid(const Params *k, const uint8_t *hole, int32_t holes, int32_t home) noexcept nogil:
    """Apply the map check of the config to a third with this number of holes. [TF-R4]"""
    cdef uint8_t closed[MAX_CELLS]
    cdef int32_t second = k.rotated[home], third = k.rotated[second], n, cell, reached
    if k.map_check == NO_CHECK:
        return True
    memcpy(closed, hole, k.cells)
    if k.map_check == THIRD_CHECK:
        reached = flood(k, home, closed)
        return closed[second] and 2 * reached >= k.cells - 3 * holes
    for n in range(k.third_size):
        cell = k.third[n]
        if hole[cell]:
            closed[k.rotated[cell]] = closed[k.rotated[k.rotated[cell]]] = True
    reached = flood(k, home, closed)
    return closed[second] and closed[third] and 2 * (reached - 3) > k.cells - 3 * holes - 3


cdef inline int32_t draw_home(const Params *k, uint64_t *lcg) noexcept nogil:
    """Return a random index into the scan order of T0, whose rows have `radius` cells."""
    cdef int32_t row = masume_lcg_below(lcg, k.radius + 1)
    return row * k.radius + masume_lcg_below(lcg, k.radius)


cdef inline bint generate(const Params *k, void *state, uint64_t seed) noexcept nogil:
    """Write the map of a seed on a board of zeros; return whether there is one. [section 4.2, TF-23 to TF-25]"""
    cdef uint64_t lcg = masume_lcg(seed)
    cdef uint8_t hole[MAX_CELLS]
    cdef int16_t others[MAX_THIRD]
    cdef uint8_t *land = land_of(k, state)
    cdef int32_t n, j, home, cell, player, holes, left = MAX_ATTEMPTS
    while left > 0:
        left -= 1
        memset(hole, 0, k.cells)
        if k.by_chance:
            holes = 0
            for n in range(k.third_size):
                hole[k.third[n]] = masume_lcg_below(&lcg, k.hole_divisor) == 0
                holes += hole[k.third[n]]
            home = k.third[draw_home(k, &lcg)]
            holes -= hole[home]
            hole[home] = False
            if holes >= k.hole_cap:
                continue
        else:
            n = draw_home(k, &lcg)
            home = k.third[n]
            memcpy(others, k.third, k.third_size * sizeof(int16_t))
            memcpy(others + n, k.third + n + 1, (k.third_size - 1 - n) * sizeof(int16_t))
            holes = k.holes_per_third
            for n in range(holes):
                j = n + masume_lcg_below(&lcg, k.third_size - 1 - n)
                cell = others[j]
                others[j] = others[n]
                hole[cell] = True
        if not is_valid(k, hole, holes, home):
            continue
        for player in range(NUM_PLAYERS):
            land[home] = HOME | owned_by(player)                             # TF-26, TF-R6
            home = k.rotated[home]
        for n in range(k.third_size):
            cell = k.third[n]
            if hole[cell]:
                land[cell] = land[k.rotated[cell]] = land[k.rotated[k.rotated[cell]]] = HOLE
        return True
    return False

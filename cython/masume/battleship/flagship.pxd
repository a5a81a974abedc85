# cython: language_level=3, cdivision=True
"""Battleship: the flagship and its change [section 7.11]."""
from libc.stdint cimport int16_t, int32_t
from masume.battleship.events cimport tell
from masume.battleship.state cimport *


cdef inline int32_t flagship_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """The slot of the flagship, or -1."""
    cdef int32_t slot
    for slot in range(k.sizes[p]):
        if flags_of(k, b)[p * k.ships + slot] & FLAGSHIP:
            return slot
    return -1


cdef inline void change_flagship(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.11, BS-68, BS-122, BS-R37]"""
    cdef int32_t old = p * k.ships + flagship_of(k, b, p)
    fp_of(k, b)[old] -= <int16_t>k.flagship_cost
    flags_of(k, b)[old] &= ~FLAGSHIP
    flags_of(k, b)[p * k.ships + c.slot] |= FLAGSHIP
    b.flag_left[p] -= 1
    tell(b, log, EV_FLAG_CHANGED, 1 << p, k.everybody, HIDE_SLOT, p, c.slot)


cdef inline bint may_change_flagship(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Whether the flagship can hand over. [BS-89, BS-123, BS-124, BS-R36]"""
    cdef int32_t i
    if not (k.has_flagship and b.flag_left[p] > 0):
        return False
    i = p * k.ships + flagship_of(k, b, p)
    return hp_of(k, b)[i] > 0 and fp_of(k, b)[i] >= k.flagship_cost

# cython: language_level=3, cdivision=True
"""Battleship: the flagship and its change [section 7.11]."""
from libc.stdint cimport int32_t, uint16_t, uint32_t
from masume.battleship.events cimport tell
from masume.battleship.state cimport *


cdef inline int32_t flagship_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return the slot of the flagship, or -1."""
    cdef uint32_t found = sets_of(k, b, p).flagship
    return bits_first(found) if found else -1


cdef inline void change_flagship(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """Make another ship the flagship. [section 7.11, BS-68, BS-122, BS-R37]"""
    cdef int32_t old = flagship_of(k, b, p), i = p * k.ships + old
    put_fp(k, b, p, old, cls_of(k, b)[i], fp_of(k, b)[i] - k.flagship_cost)
    sets_of(k, b, p).flagship = <uint16_t>(1 << c.slot)
    flag_left_of(k, b)[p] -= 1
    tell(b, log, EV_FLAG_CHANGED, 1 << p, k.everybody, HIDE_SLOT, p, c.slot)


cdef inline bint may_change_flagship(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return whether the player may change its flagship. [BS-89, BS-123, BS-124, BS-R36]"""
    cdef int32_t i
    if not (k.has_flagship and flag_left_of(k, b)[p] > 0):
        return False
    i = p * k.ships + flagship_of(k, b, p)
    return hp_of(k, b)[i] > 0 and fp_of(k, b)[i] >= k.flagship_cost

# cython: language_level=3, cdivision=True
"""Battleship: stealth: the trait of Submarines, fog and shallows [section 7.8]."""
from libc.stdint cimport int32_t, uint8_t
from masume.battleship.events cimport tell
from masume.battleship.state cimport *


cdef inline void update_stealth(const Params *k, Board *b, Told *log, int32_t p, int32_t slot) noexcept nogil:
    """What the panel and the cycle make of the ship's stealth. [7.8, BS-139, BS-195, BS-197, BS-R30, BS-R53, BS-R59]"""
    cdef int32_t i = p * k.ships + slot, cls = cls_of(k, b)[i], q = pos_of(k, b)[i]
    cdef uint8_t *flags = flags_of(k, b) + i
    cdef bint dives = cls == k.diver
    cdef bint now = is_land(b, FOG, q) or (dives and not flags[0] & SURF and not is_land(b, SHALLOWS, q))
    if now == (flags[0] & STEALTH):
        return
    flags[0] ^= STEALTH
    if dives:
        tell(b, log, EV_DIVED if now else EV_SURFACED, k.everybody, 0, 0, p, slot, cls)
    else:
        tell(b, log, EV_STEALTH, 1 << p, 0, 0, p, slot, -1, -1, now)

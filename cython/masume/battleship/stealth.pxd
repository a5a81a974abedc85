# cython: language_level=3, cdivision=True
"""Battleship: stealth by the trait of Submarines and by fog, and its loss in shallows [section 7.8]."""
from libc.stdint cimport int32_t, uint16_t, uint32_t
from masume.battleship.events cimport tell
from masume.battleship.state cimport *


cdef inline uint32_t hidden_slots(const Sets *s) noexcept nogil:
    """Return the slots of ships that belong in stealth by their panels and the cycle. [BS-139, BS-195, BS-197, BS-R59]

    Bits of sunk ships have no meaning.
    """
    return s.fog | s.divers & ~(s.surf | s.shallows)


cdef inline void put_stealth(const Params *k, Board *b, Told *log, int32_t p, Sets *s, uint32_t stealth) noexcept nogil:
    """Make these the ships of p, whose sets are `s`, in stealth. [section 7.8, BS-R30, BS-R53]"""
    cdef uint32_t switched
    cdef int32_t slot, now
    if Told is Log:
        switched = s.stealth ^ stealth
        while switched:
            slot = bits_first(switched)
            switched &= switched - 1
            now = stealth >> slot & 1
            if s.divers >> slot & 1:
                tell(b, log, EV_DIVED if now else EV_SURFACED, k.everybody, 0, 0, p, slot, k.diver)
            else:
                tell(b, log, EV_STEALTH, 1 << p, 0, 0, p, slot, -1, -1, now)
    s.stealth = <uint16_t>stealth

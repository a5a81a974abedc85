# cython: language_level=3, cdivision=True
"""Battleship: reinforcements, sunk ships that come back [section 7.7]."""
from libc.stdint cimport int8_t, int32_t, int64_t, uint16_t, uint32_t
from masume.battleship.events cimport sink, tell
from masume.battleship.judging cimport judge
from masume.battleship.mines cimport tell_mines, touch_mines
from masume.battleship.state cimport *


cdef inline int64_t reinforce_cost(const Params *k, const Board *b, int32_t fp) noexcept nogil:
    """Return the FP that a ship with `fp` FP left pays to come back now. [section 7.7, BS-176, BS-R35]"""
    cdef int64_t numerator
    if not k.has_fuel:                                                       # BS-R60
        return 0
    numerator = fp * (k.reinforce_num + <int64_t>((b.round - 1) // k.reinforce_step_rounds) * k.reinforce_num_step)
    return max(1, (numerator + k.reinforce_den - 1) // k.reinforce_den)


cdef inline void reinforce(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """Bring back a sunk ship. [section 7.7, BS-172, BS-174]"""
    cdef int32_t used[MAX_PLAYERS]
    cdef int32_t i = p * k.ships + c.slot, cls = cls_of(k, b)[i], damage
    cdef uint32_t bit = <uint32_t>1 << c.slot
    cdef Sets *s = sets_of(k, b, p)
    put_fp(k, b, p, c.slot, cls, <int32_t>(fp_of(k, b)[i] - reinforce_cost(k, b, fp_of(k, b)[i])))
    reinf_left_of(k, b)[p] -= 1
    hp_of(k, b)[i] = <int8_t>k.hp[cls]                                       # BS-178
    aux_of(k, b)[i] = <int8_t>k.aux[cls]
    put_ship(k, b, p, c.slot, c.at)
    s.alive |= <uint16_t>bit
    s.stealth |= <uint16_t>(bit & s.divers)
    tell(b, log, EV_REINFORCED, 1 << p, k.everybody, HIDE_PANEL, p, c.slot, cls, c.at)
    damage = touch_mines(k, b, p, c.slot, c.at, used)                              # BS-148, BS-180
    if damage:
        tell_mines(k, b, log, p, c.slot, c.at, damage, used)
        if hp_of(k, b)[i] == 0:
            sink(k, b, log, p, c.slot, BY_MINE)
    judge(k, b, log)


cdef inline bint may_reinforce(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return whether the player may bring back any ship. [BS-103, BS-177]"""
    return reinf_left_of(k, b)[p] > 0 and b.qual >> p & 1 and b.round <= k.reinforce_last_round


cdef inline bint may_return(const Params *k, const Board *b, int32_t i) noexcept nogil:
    """Return whether the ship is sunk and can pay to come back. [BS-172 to BS-175]"""
    return hp_of(k, b)[i] == 0 and fp_of(k, b)[i] >= reinforce_cost(k, b, fp_of(k, b)[i])


cdef inline cells_t landings_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return the panels where a ship of the player may come back. [BS-179]"""
    return known_of(k, b, p) & ~(land_of(k, b, REEF) | fleet_panels(k, b, p))

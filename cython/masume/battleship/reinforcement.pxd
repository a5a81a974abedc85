# cython: language_level=3, cdivision=True
"""Battleship: ships that come back [section 7.7]."""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t
from masume.battleship.events cimport sink, tell
from masume.battleship.judging cimport judge
from masume.battleship.mines cimport tell_mines, touch_mines
from masume.battleship.state cimport *


cdef inline int64_t reinforce_cost(const Params *k, const Board *b, int32_t fp) noexcept nogil:
    """FP that a ship with so many left pays to come back now. [section 7.7, BS-176, BS-R35]"""
    cdef int64_t numerator
    if not k.has_fuel:                                                       # BS-R60
        return 0
    numerator = fp * (k.reinforce_num + <int64_t>((b.round - 1) // k.reinforce_step_rounds) * k.reinforce_num_step)
    return max(1, (numerator + k.reinforce_den - 1) // k.reinforce_den)


cdef inline void reinforce(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.7, BS-172, BS-174]"""
    cdef int32_t used[MAX_PLAYERS]
    cdef int32_t i = p * k.ships + c.slot, cls = cls_of(k, b)[i], damage
    fp_of(k, b)[i] -= <int16_t>reinforce_cost(k, b, fp_of(k, b)[i])
    b.reinf_left[p] -= 1
    hp_of(k, b)[i] = <int8_t>k.hp[cls]                                       # BS-178
    aux_of(k, b)[i] = <int8_t>k.aux[cls]
    pos_of(k, b)[i] = <int8_t>c.at
    flags_of(k, b)[i] = (flags_of(k, b)[i] & FLAGSHIP) | (STEALTH if k.has_stealth and cls == SUBMARINE else 0)
    tell(b, log, EV_REINFORCED, 1 << p, k.everybody, HIDE_PANEL, p, c.slot, cls, c.at)
    damage = touch_mines(k, b, p, c.slot, used)                              # BS-148, BS-180
    if damage:
        tell_mines(k, b, log, p, c.slot, c.at, damage, used)
        if hp_of(k, b)[i] == 0:
            sink(k, b, log, p, c.slot, BY_MINE)
    judge(k, b, log)


cdef inline bint may_reinforce(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Whether the player may bring back a ship at all. [BS-103, BS-177]"""
    return b.reinf_left[p] > 0 and b.qual[p] and b.round <= k.reinforce_last_round


cdef inline bint may_return(const Params *k, const Board *b, int32_t i) noexcept nogil:
    """Whether the ship is sunk and can pay to come back. [BS-172 to BS-175]"""
    return hp_of(k, b)[i] == 0 and fp_of(k, b)[i] >= reinforce_cost(k, b, fp_of(k, b)[i])


cdef inline cells_t landings_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Where a ship of the player may come back. [BS-179]"""
    return cells_load(b.known[p]) & ~(known_reef(b, p) | fleet_panels(k, b, p))

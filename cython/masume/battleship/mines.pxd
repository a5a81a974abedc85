# cython: language_level=3, cdivision=True
"""Battleship: mines: laid, touched, swept [sections 7.2, 7.4 and 7.5]."""
from libc.stdint cimport int16_t, int32_t, uint8_t
from libc.string cimport memset
from masume.battleship.events cimport tell
from masume.battleship.state cimport *


cdef inline bint is_mined(const Params *k, const Board *b, int32_t q) noexcept nogil:
    """Whether anybody has a mine there."""
    cdef const uint8_t *mine = mines_of(k, b, 0) + q
    cdef uint8_t found = mine[0]
    cdef int32_t _p
    for _p in range(1, k.players):
        mine += k.panels
        found |= mine[0]
    return found != 0


cdef inline int32_t take_mine(const Params *k, Board *b, int32_t q) noexcept nogil:
    """Remove a mine there; its owner, tried from the next player on to the one to move, or -1. [BS-R23]"""
    cdef int32_t place = b.ptr
    cdef uint8_t *mine
    if not is_mined(k, b, q):
        return -1
    while True:                                    # ends: somebody has one
        place = place + 1 if place + 1 < k.players else 0
        mine = mines_of(k, b, b.order[place]) + q
        if mine[0]:
            mine[0] -= 1
            return b.order[place]


cdef inline int32_t touch_mines(const Params *k, Board *b, int32_t p, int32_t slot, int32_t *used) noexcept nogil:
    """The ship is on a panel it has entered; the damage, and `used` mines of each player. [7.4, BS-98, BS-147]"""
    cdef int32_t i = p * k.ships + slot, damage = 0, owner
    if not is_mined(k, b, pos_of(k, b)[i]):
        return 0
    memset(used, 0, MAX_PLAYERS * sizeof(int32_t))
    while hp_of(k, b)[i] > 0:
        owner = take_mine(k, b, pos_of(k, b)[i])
        if owner < 0:
            break
        hp_of(k, b)[i] -= 1
        damage += 1
        used[owner] += 1
        if k.enemies[p] >> owner & 1:
            b.dealt[owner] += 1
            b.kills[owner] += hp_of(k, b)[i] == 0
    return damage


cdef inline void tell_mines(const Params *k, const Board *b, Told *log, int32_t p, int32_t slot, int32_t q,
                            int32_t damage, const int32_t *used) noexcept nogil:
    """What a mined panel did to the ship, and whose mines it took. [section 7.3]"""
    cdef int32_t owner
    tell(b, log, EV_MINE_HIT, 1 << p, k.everybody, HIDE_PANEL, p, slot, cls_of(k, b)[p * k.ships + slot], q, damage)
    for owner in range(k.players):
        if used[owner]:
            tell(b, log, EV_MINE_LOST, 1 << owner, 0, 0, owner, -1, -1, q, used[owner], 0)


cdef inline void lay_mine(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.5, BS-142, BS-144, BS-145, BS-R24]"""
    cdef int32_t i = p * k.ships + c.slot, q = k.near[pos_of(k, b)[i]][c.at]
    aux_of(k, b)[i] -= 1
    fp_of(k, b)[i] -= <int16_t>k.mine_cost
    mines_of(k, b, p)[q] += 1
    tell(b, log, EV_MINE_LAID, 1 << p, k.everybody, HIDE_SLOT | HIDE_PANEL, p, c.slot, -1, q)

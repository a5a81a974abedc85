# cython: language_level=3, cdivision=True
"""Battleship: mines that are laid, touched and swept [sections 7.2, 7.4 and 7.5]."""
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset
from masume.battleship.events cimport tell
from masume.battleship.state cimport *


cdef inline bint is_mined(const Params *k, const Board *b, int32_t q) noexcept nogil:
    """Return whether any player has a mine on the panel."""
    return has_panel(mined_at(k, b), q)


cdef inline int32_t take_mine(const Params *k, Board *b, int32_t q) noexcept nogil:
    """Remove a mine and return its owner, the first in turn order after the player to move; -1 if none. [BS-R23]"""
    cdef int32_t place = b.ptr, n
    cdef uint8_t *mine
    cdef uint8_t left = 0
    if not is_mined(k, b, q):
        return -1
    while True:                                    # ends: some player has a mine
        place = place + 1 if place + 1 < k.players else 0
        mine = mines_of(k, b, b.order[place]) + q
        if mine[0]:
            break
    mine[0] -= 1
    for n in range(k.players):
        left |= mines_of(k, b, n)[q]
    mined_at(k, b)[q >> 5] ^= <uint32_t>(left == 0) << (q & 31)
    return b.order[place]


cdef inline int32_t touch_mines(const Params *k, Board *b, int32_t p, int32_t slot, int32_t q,
                                int32_t *used) noexcept nogil:
    """Explode the mines where a ship has entered; return the damage, and `used` per owner. [7.4, BS-98, BS-147]"""
    cdef int32_t i = p * k.ships + slot, damage = 0, owner
    if not is_mined(k, b, q):
        return 0
    memset(used, 0, MAX_PLAYERS * sizeof(int32_t))
    while hp_of(k, b)[i] > 0:
        owner = take_mine(k, b, q)
        if owner < 0:
            break
        hp_of(k, b)[i] -= 1
        damage += 1
        used[owner] += 1
        if k.enemies[p] >> owner & 1:
            dealt_of(k, b)[owner] += 1
            kills_of(k, b)[owner] += hp_of(k, b)[i] == 0
    return damage


cdef inline void tell_mines(const Params *k, const Board *b, Told *log, int32_t p, int32_t slot, int32_t q,
                            int32_t damage, const int32_t *used) noexcept nogil:
    """Write the events of a mined panel: the damage to the ship, and the mines lost per owner. [section 7.3]"""
    cdef int32_t owner
    tell(b, log, EV_MINE_HIT, 1 << p, k.everybody, HIDE_PANEL, p, slot, cls_of(k, b)[p * k.ships + slot], q, damage)
    for owner in range(k.players):
        if used[owner]:
            tell(b, log, EV_MINE_LOST, 1 << owner, 0, 0, owner, -1, -1, q, used[owner], 0)


cdef inline void lay_mine(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """Lay a mine. [section 7.5, BS-142, BS-144, BS-145, BS-R24]"""
    cdef int32_t i = p * k.ships + c.slot, q = k.near[pos_of(k, b)[i]][c.at]
    aux_of(k, b)[i] -= 1
    put_fp(k, b, p, c.slot, cls_of(k, b)[i], fp_of(k, b)[i] - k.mine_cost)
    mines_of(k, b, p)[q] += 1
    add_panel(mined_at(k, b), q)
    tell(b, log, EV_MINE_LAID, 1 << p, k.everybody, HIDE_SLOT | HIDE_PANEL, p, c.slot, -1, q)

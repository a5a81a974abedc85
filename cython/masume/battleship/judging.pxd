# cython: language_level=3, cdivision=True
"""Battleship: scores, who is defeated or out, and how a game ends [section 8]."""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset
from masume.battleship.events cimport tell
from masume.battleship.fuel cimport is_fuel_out
from masume.battleship.state cimport *


cdef inline bint counts_sunk(const Params *k, int32_t cls, int32_t hp, int32_t fp) noexcept nogil:
    """Whether it is sunk, or an Oiler that cannot attack. [BS-74]"""
    return hp == 0 or (cls == OILER and fp < k.attack_cost[OILER])


cdef inline int64_t score_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """The score of a player. [section 8.4, BS-R44]"""
    cdef int32_t i
    cdef int64_t found = k.score_sunk * b.kills[p] + k.score_hit * b.dealt[p]
    for i in range(p * k.ships, p * k.ships + k.sizes[p]):
        if not counts_sunk(k, cls_of(k, b)[i], hp_of(k, b)[i], fp_of(k, b)[i]):
            found += k.score_ship + k.score_hp * hp_of(k, b)[i]
    return found


cdef inline uint32_t sides_of(const Params *k, const uint8_t *flags) noexcept nogil:
    """Bits of the sides of players whose flag is set."""
    cdef int32_t p
    cdef uint32_t found = 0
    for p in range(k.players):
        if flags[p]:
            found |= 1 << k.side[p]
    return found


cdef inline void finish(const Params *k, Board *b, Told *log, uint32_t winners, int32_t reason) noexcept nogil:
    b.phase = OVER
    b.winners = <uint8_t>winners
    b.reason = <int8_t>reason
    tell(b, log, EV_GAME_OVER, k.everybody, 0, 0, -1, -1, -1, -1, winners, reason)


cdef inline uint32_t best_sides(const Params *k, const Board *b, uint32_t sides) noexcept nogil:
    """Those of the sides whose members' average score is highest. [BS-95]"""
    cdef int64_t sums[MAX_PLAYERS]
    cdef int32_t p, side, best = -1
    cdef uint32_t found = 0
    memset(sums, 0, sizeof(sums))
    for p in range(k.players):
        sums[k.side[p]] += score_of(k, b, p)
    for side in range(k.num_sides):
        if not sides >> side & 1:
            continue
        if best < 0 or sums[side] * k.side_size[best] > sums[best] * k.side_size[side]:
            best = side
            found = 0
        if sums[side] * k.side_size[best] == sums[best] * k.side_size[side]:
            found |= 1 << side
    return found


cdef inline void adjudicate(const Params *k, Board *b, Told *log, int32_t reason) noexcept nogil:
    """End a game that has no victor. [section 8.3, BS-9, BS-11, BS-78]"""
    cdef int32_t lost[MAX_PLAYERS]
    cdef int32_t p
    if k.is_retreat:                                                         # BS-15
        finish(k, b, log, 1 << k.side[k.defender], reason)
        return
    if k.is_team_match:                                                      # BS-80, BS-93
        memset(lost, 0, sizeof(lost))
        for p in range(k.players):
            lost[k.side[p]] += not b.qual[p]
        if lost[0] != lost[1]:
            finish(k, b, log, 1 if lost[0] < lost[1] else 2, reason)
            return
    if k.by_score:                                                           # BS-79
        finish(k, b, log, best_sides(k, b, sides_of(k, b.qual)), reason)
    else:                                                                    # BS-R45
        finish(k, b, log, sides_of(k, b.qual) | sides_of(k, b.active), reason)


cdef inline void remove_player(const Params *k, Board *b, Told *log, int32_t p, int32_t cause) noexcept nogil:
    """The player is out with its fleet and torpedoes; its mines stay. [section 7.13 REMOVE, BS-150, BS-183, BS-R28]"""
    cdef int32_t i
    if b.qual[p]:
        b.qual[p] = 0
        tell(b, log, EV_DEFEATED, k.everybody, 0, 0, p, -1, -1, -1, cause)
    b.active[p] = 0
    for i in range(p * k.ships, p * k.ships + k.sizes[p]):
        hp_of(k, b)[i] = 0
        flags_of(k, b)[i] &= FLAGSHIP
    memset(torp_pos_of(k, b, p), 0, k.torpedoes)
    memset(torp_tgt_of(k, b, p), 0, k.torpedoes)
    memset(torp_id_of(k, b, p), 0, k.torpedoes * sizeof(int16_t))
    b.torp_n[p] = 0
    tell(b, log, EV_OUT, k.everybody, 0, 0, p, -1, -1, -1, cause)


cdef inline int32_t defeat_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Why the player loses its qualification now: ANNIHILATED or FLAGSHIP_LOST, else -1.

    [section 8.1, BS-73, BS-76, BS-126, BS-R39]
    """
    cdef const int8_t *cls = cls_of(k, b)
    cdef const int8_t *hp = hp_of(k, b)
    cdef const int16_t *fp = fp_of(k, b)
    cdef int32_t i
    cdef bint fights = False
    for i in range(p * k.ships, p * k.ships + k.sizes[p]):
        if not counts_sunk(k, cls[i], hp[i], fp[i]):
            fights = True
            if not k.has_flagship:
                break
        if k.has_flagship and hp[i] == 0 and flags_of(k, b)[i] & FLAGSHIP:
            return FLAGSHIP_LOST
    return -1 if fights else ANNIHILATED


cdef inline bint has_able_ship(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Whether a ship of the player is alive and not out of fuel. [BS-101]"""
    cdef int32_t i
    for i in range(p * k.ships, p * k.ships + k.sizes[p]):
        if hp_of(k, b)[i] > 0 and not is_fuel_out(k, cls_of(k, b)[i], fp_of(k, b)[i]):
            return True
    return False


cdef inline bint has_lost_ally(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Whether a player of the same side is not qualified. [BS-12]"""
    cdef int32_t ally
    for ally in range(k.players):
        if not b.qual[ally] and k.side[ally] == k.side[p]:
            return True
    return False


cdef inline bint fuel_decides(const Board *b, int32_t p, int32_t cls) noexcept nogil:
    """Whether p can be defeated or out because such a ship has less FP: an Oiler, or any if p is not qualified."""
    return cls == OILER or not b.qual[p]


cdef inline void judge(const Params *k, Board *b, Told *log) noexcept nogil:
    """CHECK: who is defeated or out now, and whether that ends the game. [section 8.2, BS-77, BS-92, BS-100, BS-R40]

    It finds what the one before it found unless a ship has lost HP, or FP that decide: only then is it made.
    """
    cdef uint8_t before[MAX_PLAYERS]
    cdef int32_t p, cause
    cdef uint32_t sides
    cdef bint all_qualified = True
    for p in range(k.players):
        before[p] = b.qual[p]
        if b.qual[p]:
            cause = defeat_of(k, b, p)
            if cause < 0:
                continue
            b.qual[p] = 0
            tell(b, log, EV_DEFEATED, k.everybody, 0, 0, p, -1, -1, -1, cause)
        all_qualified = False
    if all_qualified:
        return
    if k.is_rescue:                                                          # BS-12, whatever the cause
        for p in range(k.players):
            if b.qual[p] and has_lost_ally(k, b, p):
                b.qual[p] = 0
                tell(b, log, EV_DEFEATED, k.everybody, 0, 0, p, -1, -1, -1, ALLY_LOST)
    for p in range(k.players):                                               # BS-104, BS-R48
        if b.active[p] and not b.qual[p] and not has_able_ship(k, b, p):
            remove_player(k, b, log, p, UNABLE)
    sides = sides_of(k, b.qual)
    if sides == 0:                                                           # BS-R45
        finish(k, b, log, sides_of(k, before) | sides_of(k, b.active), BY_MUTUAL)
    elif sides & (sides - 1) == 0:
        finish(k, b, log, sides, BY_VICTORY)

# cython: language_level=3, cdivision=True
"""Battleship: scores, defeated players and the end of the game [section 8]."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset
from masume.battleship.events cimport tell
from masume.battleship.state cimport *


cdef inline bint counts_sunk(const Params *k, int32_t cls, int32_t hp, int32_t fp) noexcept nogil:
    """Return whether a ship is sunk, or an Oiler that cannot attack. [BS-74]"""
    return hp == 0 or (cls == OILER and fp < k.attack_cost[OILER])


cdef inline int64_t score_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return the score of a player. [section 8.4, BS-R44]"""
    cdef int32_t i
    cdef int64_t found = k.score_sunk * kills_of(k, b)[p] + k.score_hit * dealt_of(k, b)[p]
    for i in range(p * k.ships, p * k.ships + k.sizes[p]):
        if not counts_sunk(k, cls_of(k, b)[i], hp_of(k, b)[i], fp_of(k, b)[i]):
            found += k.score_ship + k.score_hp * hp_of(k, b)[i]
    return found


cdef inline uint32_t sides_of(const Params *k, uint32_t players) noexcept nogil:
    """Return the sides of these players, as bits."""
    cdef uint32_t found = 0
    if not k.is_team_match:                        # each player is a side
        return players
    while players:
        found |= <uint32_t>1 << k.side[bits_first(players)]
        players &= players - 1
    return found


cdef inline void finish(const Params *k, Board *b, Told *log, uint32_t winners, int32_t reason) noexcept nogil:
    b.phase = OVER
    b.winners = <uint8_t>winners
    b.reason = <int8_t>reason
    tell(b, log, EV_GAME_OVER, k.everybody, 0, 0, -1, -1, -1, -1, winners, reason)


cdef inline uint32_t best_sides(const Params *k, const Board *b, uint32_t sides) noexcept nogil:
    """Return the sides with the highest average score of their members. [BS-95]"""
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
    """End a game without a victor by the rules of the mission. [section 8.3, BS-9, BS-11, BS-78]"""
    cdef int32_t lost[MAX_PLAYERS]
    cdef int32_t p
    if k.is_retreat:                                                         # BS-15
        finish(k, b, log, 1 << k.side[k.defender], reason)
        return
    if k.is_team_match:                                                      # BS-80, BS-93
        memset(lost, 0, sizeof(lost))
        for p in range(k.players):
            lost[k.side[p]] += not b.qual >> p & 1
        if lost[0] != lost[1]:
            finish(k, b, log, 1 if lost[0] < lost[1] else 2, reason)
            return
    if k.by_score:                                                           # BS-79
        finish(k, b, log, best_sides(k, b, sides_of(k, b.qual)), reason)
    else:                                                                    # BS-R45
        finish(k, b, log, sides_of(k, b.qual) | sides_of(k, b.active), reason)


cdef inline void remove_player(const Params *k, Board *b, Told *log, int32_t p, int32_t cause) noexcept nogil:
    """Remove a player with its fleet and torpedoes; its mines stay. [section 7.13 REMOVE, BS-150, BS-183, BS-R28]"""
    cdef uint32_t others = ~(<uint32_t>1 << p)
    cdef Sets *s = sets_of(k, b, p)
    if b.qual >> p & 1:
        b.qual &= <uint8_t>others
        tell(b, log, EV_DEFEATED, k.everybody, 0, 0, p, -1, -1, -1, cause)
    b.active &= <uint8_t>others
    memset(hp_of(k, b) + p * k.ships, 0, k.sizes[p])
    s.alive = s.stealth = s.surf = s.fuelout = 0
    memset(torp_pos_of(k, b, p), 0, k.torpedoes)
    memset(torp_tgt_of(k, b, p), 0, k.torpedoes)
    memset(torp_id_of(k, b, p), 0, k.torpedoes)
    torp_n_of(k, b)[p] = 0
    tell(b, log, EV_OUT, k.everybody, 0, 0, p, -1, -1, -1, cause)


cdef inline int32_t defeat_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return the cause for which the player loses its qualification now, ANNIHILATED or FLAGSHIP_LOST, else -1.

    [section 8.1, BS-73, BS-76, BS-126, BS-R39]
    """
    cdef const Sets *s = sets_of(k, b, p)
    if s.flagship & ~s.alive:
        return FLAGSHIP_LOST
    if s.alive & ~s.oilers:
        return -1
    if s.alive & ~slots_below(fp_of(k, b) + p * k.ships, k.attack_cost[OILER]):      # see `counts_sunk`
        return -1
    return ANNIHILATED


cdef inline bint has_able_ship(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return whether a ship of the player is alive and not out of fuel. [BS-101]"""
    cdef const Sets *s = sets_of(k, b, p)
    return s.alive & ~s.poor != 0


cdef inline bint has_lost_ally(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return whether a player of the same side is not qualified. [BS-12]"""
    cdef int32_t ally
    for ally in range(k.players):
        if not b.qual >> ally & 1 and k.side[ally] == k.side[p]:
            return True
    return False


cdef inline bint fuel_decides(const Board *b, int32_t p, int32_t cls) noexcept nogil:
    """Return whether p can be defeated or out because a ship of this class lost FP: an Oiler, or p is not qualified."""
    return (cls == OILER) | (~b.qual >> p & 1)


cdef inline void judge(const Params *k, Board *b, Told *log) noexcept nogil:
    """CHECK: find players who are defeated or out now; end the game if due. [section 8.2, BS-77, BS-92, BS-100, BS-R40]

    A CHECK can only find something new after a ship has lost HP, or decisive FP; callers skip it otherwise.
    """
    cdef uint32_t before = b.qual, sides, left
    cdef int32_t p, cause
    left = before
    while left:
        p = bits_first(left)
        left &= left - 1
        cause = defeat_of(k, b, p)
        if cause >= 0:
            b.qual &= <uint8_t>~(<uint32_t>1 << p)
            tell(b, log, EV_DEFEATED, k.everybody, 0, 0, p, -1, -1, -1, cause)
    if b.qual == k.everybody:
        return
    if k.is_rescue:                                                          # BS-12, for every cause
        for p in range(k.players):
            if b.qual >> p & 1 and has_lost_ally(k, b, p):
                b.qual &= <uint8_t>~(<uint32_t>1 << p)
                tell(b, log, EV_DEFEATED, k.everybody, 0, 0, p, -1, -1, -1, ALLY_LOST)
    for p in range(k.players):                                               # BS-104, BS-R48
        if (b.active & ~b.qual) >> p & 1 and not has_able_ship(k, b, p):
            remove_player(k, b, log, p, UNABLE)
    sides = sides_of(k, b.qual)
    if sides == 0:                                                           # BS-R45
        finish(k, b, log, sides_of(k, before) | sides_of(k, b.active), BY_MUTUAL)
    elif sides & (sides - 1) == 0:
        finish(k, b, log, sides, BY_VICTORY)

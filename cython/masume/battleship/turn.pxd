# cython: language_level=3, cdivision=True
"""Battleship: the course of turns [section 5]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint32_t, uint64_t
from masume.battleship.events cimport read_status, tell, tell_status
from masume.battleship.fire cimport attack, fire_torpedo, fly_torpedoes
from masume.battleship.flagship cimport change_flagship
from masume.battleship.fuel cimport flag_fuel, is_fuel_out, refuel
from masume.battleship.judging cimport adjudicate, judge, remove_player
from masume.battleship.mines cimport lay_mine
from masume.battleship.movement cimport move
from masume.battleship.reinforcement cimport reinforce
from masume.battleship.state cimport *
from masume.battleship.stealth cimport update_stealth


cdef inline void begin_turn(const Params *k, Board *b, Told *log, int32_t p) noexcept nogil:
    """[section 5.2, BS-138, BS-139, BS-R29]"""
    cdef Status before
    cdef uint32_t alive = alive_slots(k, b, p), diving, out = 0
    cdef int32_t slot, i
    tell(b, log, EV_TURN, k.everybody, 0, 0, p)
    if Told is Log:
        read_status(k, b, p, &before)
    if k.surface_period > 0:
        diving = class_slots(k, b, p, k.diver) & alive
        while diving:
            slot = bits_first(diving)
            diving &= diving - 1
            i = p * k.ships + slot
            if b.round % k.surface_period == 0 and not is_land(b, FOG, pos_of(k, b)[i]):      # BS-199
                flags_of(k, b)[i] |= SURF
            else:
                flags_of(k, b)[i] &= ~SURF
            update_stealth(k, b, log, p, slot)
    if k.has_fuel:
        out = flag_fuel(k, b, log, p, alive)
    if Told is Log:
        tell_status(k, b, log, p, &before)
    if out & ~alive_slots(k, b, p):                # somebody has sunk
        judge(k, b, log)


cdef inline bint end_turn(const Params *k, Board *b, Told *log, int32_t p, const Status *before,
                          bint changed) noexcept nogil:
    """The turn of p ends; whether a combat ship of it can surely still do something. [5.5 from (2), BS-R30, BS-R34]

    changed : whether a CHECK can find something new even if no more happens (see `judge`).
    """
    cdef int16_t *fp = fp_of(k, b) + p * k.ships
    cdef const int8_t *pos = pos_of(k, b) + p * k.ships
    cdef uint64_t land[2]                          # neither sea nor reef
    cdef uint32_t alive = alive_slots(k, b, p), oilers = class_slots(k, b, p, OILER), some = 0, out = 0
    cdef int32_t slot, q
    for slot in range(2):
        land[slot] = b.land[SHALLOWS - 1][slot] | b.land[FOG - 1][slot] | b.land[WAVE - 1][slot]
    for slot in range(k.sizes[p] - 1, -1, -1):
        q = pos[slot]
        some = some << 1 | <uint32_t>(land[q >> 6] >> (q & 63) & 1)
    some |= class_slots(k, b, p, k.diver) & ~flag_slots(k, b, p, SURF_BIT) ^ flag_slots(k, b, p, STEALTH_BIT)
    some &= alive
    while some:                                    # the others stay as they are
        slot = bits_first(some)
        some &= some - 1
        if is_land(b, WAVE, pos[slot]):                                      # BS-201
            fp[slot] = <int16_t>max(0, fp[slot] - k.wave_cost)
            changed = True
        update_stealth(k, b, log, p, slot)
    if k.has_refuel:
        some = oilers & alive & ~flag_slots(k, b, p, STEALTH_BIT)
        while some:
            slot = bits_first(some)
            some &= some - 1
            if fp[slot] > 0:
                refuel(k, b, log, p, slot)
                changed = True
    if k.has_fuel:
        out = flag_fuel(k, b, log, p, alive)
        if out & ~alive_slots(k, b, p):
            changed = True
    if Told is Log:
        tell_status(k, b, log, p, before)
    if changed:
        judge(k, b, log)
        return False
    return alive & ~(oilers | out) != 0


cdef inline bint all_fuel_out(const Params *k, const Board *b) noexcept nogil:
    """Whether no alive combat ship of anybody can do anything. [BS-127, BS-R41]"""
    cdef const int8_t *cls = cls_of(k, b)
    cdef const int8_t *hp = hp_of(k, b)
    cdef const int16_t *fp = fp_of(k, b)
    cdef int32_t i
    for i in range(k.fleet):
        if hp[i] > 0 and cls[i] != OILER and not is_fuel_out(k, cls[i], fp[i]):
            return False
    return True


cdef inline bint is_stalled(const Params *k, const Board *b) noexcept nogil:
    """Whether everybody has passed in a row and nothing is in flight. [BS-R42]"""
    cdef int32_t p, count = 0
    if b.pass_run == 0:
        return False
    for p in range(k.players):
        count += b.active[p]
        if b.torp_n[p] > 0:
            return False
    return b.pass_run >= count


cdef inline void advance(const Params *k, Board *b, Told *log) noexcept nogil:
    """The next player's turn begins, if the rounds are not over. [5.1, BS-21, BS-22, BS-72]"""
    cdef int32_t p
    while True:                                    # ends: somebody is active, or the game was over before
        b.ptr += 1
        if b.ptr == k.players:
            b.ptr = 0
            if k.round_limit and b.round >= k.round_limit:                   # BS-108
                adjudicate(k, b, log, BY_ROUND_LIMIT)
                return
            if k.max_rounds and b.round >= k.max_rounds:                     # BS-R43
                adjudicate(k, b, log, BY_MAX_ROUNDS)
                return
            b.round += 1
        p = b.order[b.ptr]
        if not b.active[p]:
            continue
        b.cur = <int8_t>p
        b.turns += 1
        begin_turn(k, b, log, p)
        if b.phase == OVER or b.active[p]:
            return


cdef inline void after_turn(const Params *k, Board *b, Told *log, bint goes_on) noexcept nogil:
    """[section 5.6]

    goes_on : whether it is sure that a combat ship of somebody can still do something.
    """
    if k.has_fuel and not goes_on and all_fuel_out(k, b):
        adjudicate(k, b, log, BY_FUEL)
    elif is_stalled(k, b):
        adjudicate(k, b, log, BY_STALL)
    else:
        advance(k, b, log)


cdef inline void give_up(const Params *k, Board *b, Told *log, int32_t p, int32_t cause) noexcept nogil:
    """The player to move leaves the game. [section 7.13, BS-106, BS-181 to BS-183]"""
    b.pass_run = 0
    remove_player(k, b, log, p, cause)
    judge(k, b, log)
    if b.phase != OVER:
        after_turn(k, b, log, False)


cdef inline void take_turn(const Params *k, Board *b, Told *log, const Command *c) noexcept nogil:
    """A legal command of the player to move, and all it leads to. [sections 5.4 to 5.6]"""
    cdef Status before
    cdef int32_t p = b.cur
    cdef bint changed, goes_on
    if c.kind == RESIGN:
        give_up(k, b, log, p, RESIGNED)
        return
    if Told is Log:
        read_status(k, b, p, &before)
    if c.kind == PASS:
        b.pass_run += 1
        tell(b, log, EV_PASS, k.everybody, 0, 0, p)
    else:
        b.pass_run = 0
        if c.kind == ATTACK:
            attack(k, b, log, p, c)
        elif c.kind == MOVE:
            move(k, b, log, p, c)
        elif c.kind == TORPEDO:
            fire_torpedo(k, b, log, p, c)
        elif c.kind == MINE:
            lay_mine(k, b, log, p, c)
        elif c.kind == REINFORCE:
            reinforce(k, b, log, p, c)
        else:
            change_flagship(k, b, log, p, c)
    changed = c.kind >= MINE and (c.kind == FLAG or not b.qual[p])          # what these cost may decide
    if b.phase != OVER:
        fly_torpedoes(k, b, log, p, changed)
    if b.phase == OVER:
        if Told is Log:
            tell_status(k, b, log, p, &before)
        return
    goes_on = end_turn(k, b, log, p, &before, changed)
    if b.phase != OVER:
        after_turn(k, b, log, goes_on)

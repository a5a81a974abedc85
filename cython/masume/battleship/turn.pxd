# cython: language_level=3, cdivision=True
"""Battleship: the course of turns [section 5]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint16_t, uint32_t
from masume.battleship.events cimport differing, read_status, tell, tell_ships, tell_status
from masume.battleship.fire cimport attack, fire_torpedo, fly_torpedoes
from masume.battleship.flagship cimport change_flagship
from masume.battleship.fuel cimport flag_fuel, refuel
from masume.battleship.judging cimport adjudicate, judge, remove_player
from masume.battleship.legal cimport is_legal, may_attack, may_move
from masume.battleship.mines cimport lay_mine
from masume.battleship.movement cimport move
from masume.battleship.reinforcement cimport reinforce
from masume.battleship.state cimport *
from masume.battleship.stealth cimport hidden_slots, put_stealth


cdef inline void begin_turn(const Params *k, Board *b, Told *log, int32_t p) noexcept nogil:
    """Begin the turn of p. [section 5.2, BS-138, BS-139, BS-R29]"""
    cdef Sets *s = sets_of(k, b, p)
    cdef uint32_t divers = s.divers & s.alive, up, sunk = 0
    cdef Sets before = s[0]                        # all that can change, but for HP of ships that sink
    tell(b, log, EV_TURN, k.everybody, 0, 0, p)
    if k.surface_period > 0:
        up = divers & ~s.fog & -<uint32_t>(b.round % k.surface_period == 0)          # BS-199
        s.surf = <uint16_t>up
        put_stealth(k, b, log, p, s, s.stealth & ~divers | hidden_slots(s) & divers)
    if k.has_fuel:
        sunk = flag_fuel(k, b, log, p, s, divers & s.stealth)
    if Told is Log:
        tell_ships(k, b, log, p, differing(s, &before) | sunk)
    if sunk:
        judge(k, b, log)


cdef inline void end_turn(const Params *k, Board *b, Told *log, int32_t p, const Status *before,
                          bint changed) noexcept nogil:
    """End the turn of p. [5.5 from (2), BS-R30, BS-R34]

    changed : whether a CHECK may find something new even if nothing more happens (see `judge`).
    """
    cdef Sets *s = sets_of(k, b, p)
    cdef int16_t *fp = fp_of(k, b) + p * k.ships
    cdef uint32_t alive = s.alive, oilers = s.oilers & alive, hidden = hidden_slots(s) & alive, some = s.waves & alive
    cdef int32_t slot
    if some:
        changed |= some & (oilers | -(~<uint32_t>b.qual >> p & 1)) != 0
    while some:                                                              # BS-201
        slot = bits_first(some)
        some &= some - 1
        put_fp(k, b, p, slot, cls_of(k, b)[p * k.ships + slot], max(0, fp[slot] - k.wave_cost))
    put_stealth(k, b, log, p, s, hidden)
    if k.has_refuel:
        some = oilers & ~hidden
        while some:
            slot = bits_first(some)
            some &= some - 1
            if fp[slot] > 0:
                refuel(k, b, log, p, slot, alive & ~(oilers | hidden))
                changed = True
    if k.has_fuel:
        changed |= flag_fuel(k, b, log, p, s, s.divers & hidden) != 0           # a ship has sunk
    if Told is Log:
        tell_status(k, b, log, p, before)
    if changed:
        judge(k, b, log)


cdef inline bint all_fuel_out(const Params *k, const Board *b) noexcept nogil:
    """Return whether no living combat ship of any player can act. [BS-127, BS-R41]"""
    cdef const Sets *s
    cdef int32_t p
    for p in range(k.players):
        s = sets_of(k, b, p)
        if s.alive & ~(s.oilers | s.poor):
            return False
    return True


cdef inline bint is_stalled(const Params *k, const Board *b) noexcept nogil:
    """Return whether all active players have passed in a row and no torpedo is in flight. [BS-R42]"""
    cdef int32_t p, count = 0
    if b.pass_run == 0:
        return False
    for p in range(k.players):
        count += b.active >> p & 1
        if torp_n_of(k, b)[p] > 0:
            return False
    return b.pass_run >= count


cdef inline void advance(const Params *k, Board *b, Told *log) noexcept nogil:
    """Begin the next player's turn, or end the game after the last round. [5.1, BS-21, BS-22, BS-72]"""
    cdef int32_t p, wraps
    while True:                                    # ends: some player is active in every game that goes on
        wraps = b.ptr + 1 == k.players
        b.ptr = <int8_t>((b.ptr + 1) & (wraps - 1))
        if k.last_round and wraps and b.round >= k.last_round:               # BS-108, BS-R43
            adjudicate(k, b, log, BY_ROUND_LIMIT if b.round == k.round_limit else BY_MAX_ROUNDS)
            return
        b.round += wraps
        p = b.order[b.ptr]
        if not b.active >> p & 1:
            continue
        b.cur = <int8_t>p
        b.turns += 1
        begin_turn(k, b, log, p)
        if b.phase == OVER or b.active >> p & 1:
            return


cdef inline void after_turn(const Params *k, Board *b, Told *log) noexcept nogil:
    """End the game if due, or go on with the next turn. [section 5.6]"""
    if k.has_fuel and all_fuel_out(k, b):
        adjudicate(k, b, log, BY_FUEL)
    elif is_stalled(k, b):
        adjudicate(k, b, log, BY_STALL)
    else:
        advance(k, b, log)


cdef inline void give_up(const Params *k, Board *b, Told *log, int32_t p, int32_t cause) noexcept nogil:
    """Remove the player to move from the game. [section 7.13, BS-106, BS-181 to BS-183]"""
    b.pass_run = 0
    remove_player(k, b, log, p, cause)
    judge(k, b, log)
    if b.phase != OVER:
        after_turn(k, b, log)


cdef inline bint take_turn(const Params *k, Board *b, Told *log, const Command *c, bint is_sure) noexcept nogil:
    """Play a command of the player to move and all its consequences; return False if it is illegal.

    is_sure : whether it is known to be legal. Otherwise each kind is tested where it is played, because processors
    predict the branches by a command's kind badly: there is one. [sections 5.4 to 5.6]
    """
    cdef Status before
    cdef int32_t p = b.cur
    cdef bint changed = False
    if Told is Log:
        read_status(k, b, p, &before)
    if c.kind == ATTACK:
        if not (is_sure or may_attack(k, b, p, c)):
            return False
        b.pass_run = 0
        attack(k, b, log, p, c)
    elif c.kind == MOVE:
        if not (is_sure or may_move(k, b, p, c)):
            return False
        b.pass_run = 0
        move(k, b, log, p, c)
    else:
        if not (is_sure or is_legal(k, b, p, c)):
            return False
        if c.kind == RESIGN:
            give_up(k, b, log, p, RESIGNED)
            return True
        act_otherwise(k, b, log, p, c)
        changed = c.kind >= MINE and (c.kind == FLAG or not b.qual >> p & 1)          # the FP it costs may be decisive
    if b.phase != OVER and torp_n_of(k, b)[p]:
        fly_torpedoes(k, b, log, p, changed)
    if b.phase == OVER:
        if Told is Log:
            tell_status(k, b, log, p, &before)
        return True
    end_turn(k, b, log, p, &before, changed)
    if b.phase != OVER:
        after_turn(k, b, log)
    return True


cdef inline void act_otherwise(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """Play a legal command that is neither an attack nor a move, nor a resignation."""
    if c.kind == PASS:
        b.pass_run += 1
        tell(b, log, EV_PASS, k.everybody, 0, 0, p)
        return
    b.pass_run = 0
    if c.kind == TORPEDO:
        fire_torpedo(k, b, log, p, c)
    elif c.kind == MINE:
        lay_mine(k, b, log, p, c)
    elif c.kind == REINFORCE:
        reinforce(k, b, log, p, c)
    else:
        change_flagship(k, b, log, p, c)

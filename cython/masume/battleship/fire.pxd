# cython: language_level=3, cdivision=True
"""Battleship: guns, torpedoes and their explosions [sections 7.1, 7.2 and 7.6]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t
from libc.string cimport memmove
from masume.battleship.events cimport learn, sink, tell
from masume.battleship.judging cimport fuel_decides, judge
from masume.battleship.mines cimport is_mined, take_mine
from masume.battleship.state cimport *
from masume.core._game cimport masume_below


cdef inline void tell_splashes(const Params *k, const Board *b, Log *log, int32_t p, int32_t q) noexcept nogil:
    """Write a SPLASH for each ship of p's enemies around q that is not in stealth. [BS-58, BS-136]"""
    cdef int32_t v, slot, i
    cdef uint32_t seen
    for v in range(k.players):
        if k.enemies[p] >> v & 1:
            seen = sets_of(k, b, v).alive & ~sets_of(k, b, v).stealth
            while seen:
                slot = bits_first(seen)
                seen &= seen - 1
                i = v * k.ships + slot
                if cells_has(k.nearby[q], pos_of(k, b)[i]):
                    tell(b, log, EV_SPLASH, k.everybody, 0, 0, v, slot, cls_of(k, b)[i], q)


cdef inline bint explode(const Params *k, Board *b, Told *log, int32_t p, int32_t q) noexcept nogil:
    """Explode a shell or torpedo of p on panel q; return whether it hit.

    [section 7.2, BS-52, BS-56, BS-58, BS-97, BS-99, BS-149, BS-R14, BS-R15]
    """
    cdef int32_t v, slot, i, owner
    cdef uint32_t enemies = k.enemies[p], found
    cdef bint was_hit = False
    learn(k, b, log, p, q)
    while enemies:
        v = bits_first(enemies)
        enemies &= enemies - 1
        found = slots_at(k, b, v, q)
        if found == 0:
            continue
        slot = bits_first(found)
        was_hit = True
        i = v * k.ships + slot
        hp_of(k, b)[i] -= 1
        dealt_of(k, b)[p] += 1
        tell(b, log, EV_HIT, 1 << v, k.everybody,
             (0 if k.hit_reveals_class else HIDE_SLOT | HIDE_CLS) | (0 if k.public_hp else HIDE_A),
             v, slot, cls_of(k, b)[i], q, hp_of(k, b)[i])
        if hp_of(k, b)[i] == 0:
            kills_of(k, b)[p] += 1
            sink(k, b, log, v, slot, BY_ATTACK)
    if not was_hit:
        tell(b, log, EV_MISS, k.everybody, 0, 0, -1, -1, -1, q)
    if Told is Log:
        if not was_hit or k.splash_on_hit:
            tell_splashes(k, b, log, p, q)
    owner = take_mine(k, b, q)
    if owner >= 0:
        tell(b, log, EV_MINE_SWEPT, k.everybody, 0, 0, -1, -1, -1, q)
        tell(b, log, EV_MINE_LOST, 1 << owner, 0, 0, owner, -1, -1, q, 1, 1)
    return was_hit


cdef inline void attack(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """Attack a panel with a gun. [section 7.1, BS-50, BS-60, BS-109, BS-R13]"""
    cdef int32_t i = p * k.ships + c.slot, cls = cls_of(k, b)[i], q = k.near[pos_of(k, b)[i]][c.at]
    put_fp(k, b, p, c.slot, cls, fp_of(k, b)[i] - k.attack_cost[cls])
    tell(b, log, EV_ATTACK, 1 << p, k.everybody, HIDE_SLOT | HIDE_CLS | HIDE_B | HIDE_C, p, c.slot, cls, q, 0, 0, -1)
    if explode(k, b, log, p, q) or fuel_decides(b, p, cls):
        judge(k, b, log)


cdef inline void fire_torpedo(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """Fire a torpedo. [section 7.6, BS-155, BS-156]"""
    cdef int32_t i = p * k.ships + c.slot, n = torp_n_of(k, b)[p], number = torp_next_of(k, b)[p]
    aux_of(k, b)[i] -= 1
    put_fp(k, b, p, c.slot, cls_of(k, b)[i], fp_of(k, b)[i] - k.torpedo_cost)
    torp_pos_of(k, b, p)[n] = pos_of(k, b)[i]
    torp_tgt_of(k, b, p)[n] = <int8_t>c.at
    torp_id_of(k, b, p)[n] = <uint8_t>number
    tell(b, log, EV_TORP_FIRED, 1 << p, k.everybody, HIDE_SLOT | HIDE_PANEL | HIDE_A, p, c.slot, -1, c.at, number)
    torp_n_of(k, b)[p] = <int8_t>(n + 1)
    torp_next_of(k, b)[p] = <int16_t>(number + 1)


cdef inline void fly_torpedoes(const Params *k, Board *b, Told *log, int32_t p, bint changed) noexcept nogil:
    """Move each torpedo of p by one panel; some explode. [section 7.6, BS-158 to BS-171, BS-R26]

    changed : whether a CHECK may find something new even if nothing is hit (see `judge`).
    """
    cdef int8_t *pos = torp_pos_of(k, b, p)
    cdef int8_t *target = torp_tgt_of(k, b, p)
    cdef uint8_t *ids = torp_id_of(k, b, p)
    cdef int32_t n = 0, count = torp_n_of(k, b)[p], right, down, across, along, q, why, number = 0, rest
    cdef bint sideways, stops
    while n < count:
        right = k.column[target[n]] - k.column[pos[n]]
        down = k.row[target[n]] - k.row[pos[n]]
        across = (right ^ right >> 31) - (right >> 31)       # without branches: nothing about them can be predicted
        along = (down ^ down >> 31) - (down >> 31)
        sideways = along == 0
        if across * along != 0:
            sideways = <int32_t>masume_below(&b.rng, across + along) < across
        q = pos[n] + ((right >> 31 | 1) & -<int32_t>sideways) + (((down >> 31 | 1) * k.width) & (<int32_t>sideways - 1))
        pos[n] = <int8_t>q
        if Told is Log:
            number = torpedo_number(k, b, p, n)
        tell(b, log, EV_TORP_MOVE, 1 << p, 0, 0, p, -1, -1, q, number)
        stops = (q == target[n]) | is_mined(k, b, q) | is_land(k, b, REEF, q)
        if not stops:
            n += 1
            continue
        why = 0 if q == target[n] else 1 if is_mined(k, b, q) else 2
        count -= 1
        rest = count - n
        if rest > 0:
            memmove(pos + n, pos + n + 1, rest)
            memmove(target + n, target + n + 1, rest)
            memmove(ids + n, ids + n + 1, rest)
        pos[count] = 0
        target[count] = 0
        ids[count] = 0
        torp_n_of(k, b)[p] = <int8_t>count
        tell(b, log, EV_ATTACK, 1 << p, k.everybody, HIDE_SLOT | HIDE_CLS | HIDE_B | HIDE_C, p, -1, -1, q, 1, why,
             number)
        if explode(k, b, log, p, q) or changed:
            judge(k, b, log)
        if b.phase == OVER or torp_n_of(k, b)[p] == 0:                        # 0 too if p is out
            return

# cython: language_level=3, cdivision=True
"""Battleship: moves of ships [section 7.3]."""
from libc.stdint cimport int32_t, uint32_t
from masume.battleship.events cimport learn, sink, tell
from masume.battleship.judging cimport fuel_decides, judge
from masume.battleship.mines cimport tell_mines, touch_mines
from masume.battleship.state cimport *


cdef inline void move(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """Move a ship. [section 7.3, BS-61, BS-65, BS-66, BS-R21]"""
    cdef int32_t used[MAX_STEPS + 1][MAX_PLAYERS]
    cdef int32_t mined[MAX_STEPS + 1]
    cdef int32_t damage[MAX_STEPS + 1]
    cdef int32_t noted[MAX_STEPS + 1]
    cdef int32_t i = p * k.ships + c.slot, cls = cls_of(k, b)[i], j, stop = STOP_NONE, following
    cdef int32_t num_mined = 0, num_noted = 0, first = c.steps if k.jumps else 1
    cdef int32_t fp = fp_of(k, b)[i] - k.move_fp[cls][c.steps]               # the commanded distance [BS-R20]
    cdef int32_t q = pos_of(k, b)[i]
    cdef bint hidden = sets_of(k, b, p).stealth >> c.slot & 1
    cdef cells_t path = path_of(k, q, c)
    if Told is Nobody:
        if path & (land_of(k, b, REEF) | land_of(k, b, WAVE) | panels_load(mined_at(k, b))) == 0:    # no step matters
            panels_add(known_at(k, b, p), path, k.words)
            put_fp(k, b, p, c.slot, cls, fp)
            put_ship(k, b, p, c.slot, q + c.steps * k.step[c.at])
            if fuel_decides(b, p, cls):
                judge(k, b, log)
            return
    if k.jumps:
        q += (c.steps - 1) * k.step[c.at]
    for j in range(first, c.steps + 1):
        following = q + k.step[c.at]
        if j > first and is_land(k, b, WAVE, q) and fp < k.wave_cost:        # BS-202
            stop = STOP_WAVE
            break
        if is_land(k, b, REEF, following):                                      # BS-191, BS-192
            if Told is Log:
                noted[num_noted] = following
                num_noted += 1
            else:
                learn(k, b, log, p, following)
            stop = STOP_REEF
            break
        if j > first and is_land(k, b, WAVE, q):                           # BS-200, BS-R22
            fp -= k.wave_cost
        q = following
        if Told is Log:
            noted[num_noted] = following
            num_noted += 1
        else:
            learn(k, b, log, p, following)
        damage[num_mined] = touch_mines(k, b, p, c.slot, q, used[num_mined])
        if damage[num_mined]:
            mined[num_mined] = following
            num_mined += 1
            if hp_of(k, b)[i] == 0:
                stop = STOP_SUNK
                break
    put_fp(k, b, p, c.slot, cls, fp)
    put_ship(k, b, p, c.slot, q)
    tell(b, log, EV_MOVE, 1 << p, 0, 0, p, c.slot, cls, q, c.at, c.steps, stop)
    tell(b, log, EV_MOVE, 0, k.everybody & ~(<uint32_t>1 << p), HIDE_PANEL | (HIDE_A | HIDE_B if hidden else 0), p,
         c.slot, cls, q, c.at, c.steps, STOP_NONE if hidden and stop == STOP_WAVE else stop)
    if Told is Log:
        for j in range(num_noted):
            learn(k, b, log, p, noted[j])
    for j in range(num_mined):
        tell_mines(k, b, log, p, c.slot, mined[j], damage[j], used[j])
    if stop == STOP_SUNK:
        sink(k, b, log, p, c.slot, BY_MINE)
    if num_mined or fuel_decides(b, p, cls):
        judge(k, b, log)

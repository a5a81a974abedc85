# cython: language_level=3, cdivision=True
"""Battleship: moves [section 7.3]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint32_t
from masume.battleship.events cimport learn, sink, tell
from masume.battleship.judging cimport fuel_decides, judge
from masume.battleship.mines cimport tell_mines, touch_mines
from masume.battleship.state cimport *


cdef inline void move(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.3, BS-61, BS-65, BS-66, BS-R21]"""
    cdef int32_t used[MAX_STEPS + 1][MAX_PLAYERS]
    cdef int32_t mined[MAX_STEPS + 1]
    cdef int32_t damage[MAX_STEPS + 1]
    cdef int32_t noted[MAX_STEPS + 1]
    cdef int32_t i = p * k.ships + c.slot, cls = cls_of(k, b)[i], j, stop = STOP_NONE, following
    cdef int32_t num_mined = 0, num_noted = 0, first = c.steps if k.jumps else 1
    cdef int16_t *fp = fp_of(k, b) + i
    cdef int8_t *pos = pos_of(k, b) + i
    cdef bint hidden = flags_of(k, b)[i] & STEALTH
    fp[0] -= <int16_t>k.move_fp[cls][c.steps]                                # the commanded distance [BS-R20]
    if k.jumps:
        pos[0] += <int8_t>((c.steps - 1) * k.step[c.at])
    for j in range(first, c.steps + 1):
        following = pos[0] + k.step[c.at]
        if j > first and is_land(b, WAVE, pos[0]) and fp[0] < k.wave_cost:        # BS-202
            stop = STOP_WAVE
            break
        if is_land(b, REEF, following):                                      # BS-191, BS-192
            noted[num_noted] = following
            num_noted += 1
            stop = STOP_REEF
            break
        if j > first and is_land(b, WAVE, pos[0]):                           # BS-200, BS-R22
            fp[0] -= <int16_t>k.wave_cost
        pos[0] = <int8_t>following
        noted[num_noted] = following
        num_noted += 1
        damage[num_mined] = touch_mines(k, b, p, c.slot, used[num_mined])
        if damage[num_mined]:
            mined[num_mined] = following
            num_mined += 1
            if hp_of(k, b)[i] == 0:
                stop = STOP_SUNK
                break
    tell(b, log, EV_MOVE, 1 << p, 0, 0, p, c.slot, cls, pos[0], c.at, c.steps, stop)
    tell(b, log, EV_MOVE, 0, k.everybody & ~(<uint32_t>1 << p), HIDE_PANEL | (HIDE_A | HIDE_B if hidden else 0), p,
         c.slot, cls, pos[0], c.at, c.steps, STOP_NONE if hidden and stop == STOP_WAVE else stop)
    for j in range(num_noted):
        learn(b, log, p, noted[j])
    for j in range(num_mined):
        tell_mines(k, b, log, p, c.slot, mined[j], damage[j], used[j])
    if stop == STOP_SUNK:
        sink(k, b, log, p, c.slot, BY_MINE)
    if num_mined or fuel_decides(b, p, cls):
        judge(k, b, log)

# cython: language_level=3, cdivision=True
"""Battleship: fuel, ships that have run out of it, and refuelling by Oilers [sections 3.3, 7.9 and 7.10]."""
from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t
from masume.battleship.events cimport sink, tell
from masume.battleship.state cimport *


cdef inline bint is_fuel_out(const Params *k, int32_t cls, int32_t fp) noexcept nogil:
    """Return whether a ship with this class and FP can neither attack nor move. [BS-112]"""
    return fp < k.least[cls]


cdef inline void refuel(const Params *k, Board *b, Told *log, int32_t p, int32_t oiler,
                        uint32_t takers) noexcept nogil:
    """Refuel the ships around one Oiler from its FP. [section 7.9, BS-71, BS-128 to BS-135, BS-R33]

    takers : slots of the living ships that may take fuel: no Oilers, not in stealth.
    """
    cdef int32_t slots[MAX_SHIPS]
    cdef int32_t lacks[MAX_SHIPS]
    cdef int32_t gives[MAX_SHIPS]
    cdef int32_t ranks[MAX_SHIPS]
    cdef int32_t base = p * k.ships, count = 0, needed = 0, lacking = 0, slot, i, n, m, most, budget, rest, left
    cdef int16_t *fp = fp_of(k, b) + base
    cdef cells_t around = k.nearby[pos_of(k, b)[base + oiler]]
    budget = fp[oiler]
    while takers:
        slot = bits_first(takers)
        takers &= takers - 1
        i = base + slot
        if cells_has(around, pos_of(k, b)[i]) and fp[slot] < k.max_fp[cls_of(k, b)[i]]:
            slots[count] = slot
            lacks[count] = k.max_fp[cls_of(k, b)[i]] - fp[slot]
            lacking += lacks[count]
            needed += min(k.refuel_max, lacks[count])
            count += 1
    rest = left = budget
    for n in range(count):
        gives[n] = min(k.refuel_max, lacks[n])
        if needed > budget:
            gives[n] = min(gives[n], budget * lacks[n] // lacking)
        rest -= gives[n]
        m = n                                      # ranks: by decreasing lack, then by slot
        while m > 0 and lacks[ranks[m - 1]] < lacks[n]:
            ranks[m] = ranks[m - 1]
            m -= 1
        ranks[m] = n
    while needed > budget and rest > 0:            # ends: the ships need more than the rest
        for m in range(count):
            n = ranks[m]
            most = min(k.refuel_max, lacks[n])
            if rest > 0 and gives[n] < most:
                gives[n] += 1
                rest -= 1
    for n in range(count):
        if gives[n] > 0:
            put_fp(k, b, p, slots[n], cls_of(k, b)[base + slots[n]], fp[slots[n]] + gives[n])
            left -= gives[n]
            put_fp(k, b, p, oiler, OILER, left)
            b.pass_run = 0                                                   # BS-R42
            tell(b, log, EV_REFUEL, 1 << p, 0, 0, p, oiler, -1, -1, slots[n], gives[n])


cdef inline uint32_t flag_fuel(const Params *k, Board *b, Told *log, int32_t p, Sets *s, uint32_t dived) noexcept nogil:
    """FUEL_FLAGS: flag the living ships that are out of fuel; sink dived Submarines among them and return their slots.

    s : the sets of p. dived : the slots of living Submarines in stealth. [section 7.10, BS-112, BS-140, BS-R31]
    """
    cdef uint32_t out = s.poor & s.alive, sinks = out & dived, news
    cdef int32_t slot
    if Told is Log:
        news = out & ~s.fuelout | sinks
    else:
        news = sinks
    while news:
        slot = bits_first(news)
        news &= news - 1
        if Told is Log:
            if not s.fuelout >> slot & 1:
                tell(b, log, EV_FUEL_OUT, k.everybody, 0, 0, p, slot, cls_of(k, b)[p * k.ships + slot])
        if sinks >> slot & 1:
            sink(k, b, log, p, slot, BY_FUEL_OUT)
    s.fuelout = <uint16_t>(out & ~sinks)
    return sinks

# cython: language_level=3, cdivision=True
"""Battleship: fuel, who has run out of it, and what Oilers give [sections 3.3, 7.9 and 7.10]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t
from masume.battleship.events cimport sink, tell
from masume.battleship.state cimport *


cdef inline bint is_fuel_out(const Params *k, int32_t cls, int32_t fp) noexcept nogil:
    """Whether such a ship can neither attack nor move. [BS-112]"""
    return fp < k.least[cls]


cdef inline uint32_t fuel_out_slots(const Params *k, const Board *b, int32_t p, uint32_t slots) noexcept nogil:
    """Those of the slots whose ships can neither attack nor move. [BS-112]"""
    cdef const int16_t *fp = fp_of(k, b) + p * k.ships
    cdef const int8_t *cls = cls_of(k, b) + p * k.ships
    cdef uint32_t found = slots_below(fp, k.enough) & slots, doubtful
    cdef int32_t slot
    doubtful = found & ~slots_below(fp, k.scarce)
    while doubtful:                                # it depends on the class: of few FP
        slot = bits_first(doubtful)
        doubtful &= doubtful - 1
        if not is_fuel_out(k, cls[slot], fp[slot]):
            found ^= <uint32_t>1 << slot
    return found


cdef inline void refuel(const Params *k, Board *b, Told *log, int32_t p, int32_t oiler) noexcept nogil:
    """One Oiler gives what it has to the ships around it. [section 7.9, BS-71, BS-128 to BS-135, BS-R33]"""
    cdef int32_t slots[MAX_SHIPS]
    cdef int32_t lacks[MAX_SHIPS]
    cdef int32_t gives[MAX_SHIPS]
    cdef int32_t ranks[MAX_SHIPS]
    cdef int32_t base = p * k.ships, count = 0, needed = 0, lacking = 0, slot, i, n, m, most, budget, rest
    cdef int16_t *fp = fp_of(k, b) + base
    cdef cells_t around = k.nearby[pos_of(k, b)[base + oiler]]
    cdef uint32_t takers = alive_slots(k, b, p) & ~(class_slots(k, b, p, OILER) | flag_slots(k, b, p, STEALTH_BIT))
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
    rest = budget
    for n in range(count):
        gives[n] = min(k.refuel_max, lacks[n])
        if needed > budget:
            gives[n] = min(gives[n], budget * lacks[n] // lacking)
        rest -= gives[n]
        m = n                                      # ranks: by decreasing lack, the lower slot first
        while m > 0 and lacks[ranks[m - 1]] < lacks[n]:
            ranks[m] = ranks[m - 1]
            m -= 1
        ranks[m] = n
    while needed > budget and rest > 0:            # ends: the needs are more than there is
        for m in range(count):
            n = ranks[m]
            most = min(k.refuel_max, lacks[n])
            if rest > 0 and gives[n] < most:
                gives[n] += 1
                rest -= 1
    for n in range(count):
        if gives[n] > 0:
            fp[slots[n]] += <int16_t>gives[n]
            fp[oiler] -= <int16_t>gives[n]
            b.pass_run = 0                                                   # BS-R42
            tell(b, log, EV_REFUEL, 1 << p, 0, 0, p, oiler, -1, -1, slots[n], gives[n])


cdef inline uint32_t flag_fuel(const Params *k, Board *b, Told *log, int32_t p, uint32_t alive) noexcept nogil:
    """FUEL_FLAGS: which of the alive ships are out of fuel; who is so in the depth sinks.

    alive : bits of slots. [section 7.10, BS-112, BS-140, BS-R31]
    """
    cdef uint32_t out = fuel_out_slots(k, b, p, alive)
    cdef uint32_t sinks = out & class_slots(k, b, p, k.diver) & flag_slots(k, b, p, STEALTH_BIT)
    cdef uint32_t news = (out ^ flag_slots(k, b, p, FUELOUT_BIT)) & alive | sinks
    cdef uint8_t *flags = flags_of(k, b) + p * k.ships
    cdef int32_t slot
    while news:
        slot = bits_first(news)
        news &= news - 1
        if not out >> slot & 1:
            flags[slot] &= ~FUELOUT
            continue
        if not flags[slot] & FUELOUT:
            flags[slot] |= FUELOUT
            tell(b, log, EV_FUEL_OUT, k.everybody, 0, 0, p, slot, cls_of(k, b)[p * k.ships + slot])
        if sinks >> slot & 1:
            sink(k, b, log, p, slot, BY_FUEL_OUT)
    return out

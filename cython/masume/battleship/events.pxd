# cython: language_level=3, cdivision=True
"""Battleship: events, written into a Log if there is one, and the changes that cause one at once [section 9.2]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from masume.battleship.state cimport *


cdef inline int16_t *records_of(const Log *log) noexcept nogil:
    return <int16_t *>(<uint8_t *>log + sizeof(Log))


cdef inline void tell(const Board *b, Told *log, int32_t kind, uint32_t full, uint32_t part, uint32_t hide,
                      int32_t player, int32_t slot=-1, int32_t cls=-1, int32_t panel=-1, int32_t a=-1, int32_t b_=-1,
                      int32_t c=-1, int32_t d=-1) noexcept nogil:
    """Write an event if there is a log; `full` and `part` are bits of players. [section 9.2]"""
    cdef int16_t *record
    if Told is Log:
        record = records_of(log) + log.count * COLUMNS
        log.count += 1
        record[COL_KIND] = <int16_t>kind
        record[COL_FULL] = <int16_t>full
        record[COL_PART] = <int16_t>part
        record[COL_HIDE] = <int16_t>hide
        record[COL_ROUND] = <int16_t>min(b.round, 32767)
        record[COL_PLAYER] = <int16_t>player
        record[COL_SLOT] = <int16_t>slot
        record[COL_CLS] = <int16_t>cls
        record[COL_PANEL] = <int16_t>panel
        record[COL_A] = <int16_t>a
        record[COL_B] = <int16_t>b_
        record[COL_C] = <int16_t>c
        record[COL_D] = <int16_t>d
        record[COL_E] = -1
        record[COL_E + 1] = 0
        record[COL_E + 2] = 0


cdef inline void read_status(const Params *k, const Board *b, int32_t p, Status *before) noexcept nogil:
    """Copy the fleet of a player, and the bytes after it, to detect changes later."""
    cdef int32_t i = p * k.ships
    memcpy(before.fp, fp_of(k, b) + i, sizeof(before.fp))
    memcpy(before.pos, pos_of(k, b) + i, sizeof(before.pos))
    memcpy(before.hp, hp_of(k, b) + i, sizeof(before.hp))
    memcpy(before.aux, aux_of(k, b) + i, sizeof(before.aux))
    before.sets = sets_of(k, b, p)[0]


cdef inline void tell_status(const Params *k, const Board *b, Log *log, int32_t p, const Status *before) noexcept nogil:
    """Write a STATUS event for each ship that has changed. [section 9.2]"""
    cdef int32_t i = p * k.ships
    tell_ships(k, b, log, p, k.slots[p] & (
        slots_differing16(fp_of(k, b) + i, before.fp) | slots_differing(pos_of(k, b) + i, before.pos)
        | slots_differing(hp_of(k, b) + i, before.hp) | slots_differing(aux_of(k, b) + i, before.aux)
        | differing(sets_of(k, b, p), &before.sets)))


cdef inline uint32_t differing(const Sets *s, const Sets *before) noexcept nogil:
    """Return the slots of the ships whose flags differ; these are the first four sets."""
    cdef uint64_t found, other
    memcpy(&found, s, sizeof(found))
    memcpy(&other, before, sizeof(other))
    found ^= other
    found |= found >> 32
    return <uint16_t>(found | found >> 16)


cdef inline void tell_ships(const Params *k, const Board *b, Log *log, int32_t p, uint32_t changed) noexcept nogil:
    """Write a STATUS event for each of these ships."""
    cdef const int16_t *fp = fp_of(k, b) + p * k.ships
    cdef const int8_t *pos = pos_of(k, b) + p * k.ships
    cdef const int8_t *hp = hp_of(k, b) + p * k.ships
    cdef const int8_t *aux = aux_of(k, b) + p * k.ships
    cdef int32_t slot
    while changed:
        slot = bits_first(changed)
        changed &= changed - 1
        tell(b, log, EV_STATUS, 1 << p, 0, 0, p, slot, -1, pos[slot], hp[slot], fp[slot], aux[slot],
             flags_at(k, b, p, slot))


cdef inline void learn(const Params *k, Board *b, Told *log, int32_t p, int32_t q) noexcept nogil:
    """Let the player know the terrain of the panel from now on. [BS-188]"""
    if Told is Log:
        if not has_panel(known_at(k, b, p), q):
            tell(b, log, EV_TERRAIN, 1 << p, 0, 0, p, -1, -1, q, terrain_at(k, b, q))
    add_panel(known_at(k, b, p), q)


cdef inline void sink(const Params *k, Board *b, Told *log, int32_t p, int32_t slot, int32_t cause) noexcept nogil:
    """Sink the ship; its fp, aux and pos stay. [section 7.2 SINK, BS-53, BS-57]"""
    cdef int32_t i = p * k.ships + slot
    cdef uint16_t others = <uint16_t>~(<uint32_t>1 << slot)
    cdef Sets *s = sets_of(k, b, p)
    hp_of(k, b)[i] = 0
    s.alive &= others
    s.stealth &= others
    s.surf &= others
    s.fuelout &= others
    tell(b, log, EV_SUNK, k.everybody if cause == BY_ATTACK else 1 << p, k.everybody, HIDE_PANEL, p, slot,
         cls_of(k, b)[i], pos_of(k, b)[i], cause)

# cython: language_level=3, cdivision=True
"""Battleship: the legal codes [section 6.2]: their number, the n-th of them, and all of them as bits."""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from masume.battleship.legal cimport ATTACKS, MINES, MOVES, TORPEDOERS, Options
from masume.battleship.setup cimport free_starts, is_legal_setup
from masume.battleship.state cimport *
from masume.core._game cimport masume_below


cdef inline uint32_t legal_classes(const Params *k, const Board *b) noexcept nogil:
    """Return the classes that may be picked, as bits."""
    cdef Command oiler = Command(PICK, 0, OILER, 0)
    return 0xF if is_legal_setup(k, b, &oiler) else 0xF ^ 1 << OILER


cdef inline int32_t num_setups(const Params *k, const Board *b) noexcept nogil:
    if b.setup_kind == PICKING:
        return bits_count(legal_classes(k, b))
    return k.sizes[b.cur] if b.setup_kind == FLAGGING else cells_count(free_starts(k, b))


cdef inline int32_t nth_setup(const Params *k, const Board *b, int32_t n) noexcept nogil:
    """Return the n-th legal setup decision."""
    if b.setup_kind == PICKING:
        return k.first[PICK] + bits_select(legal_classes(k, b), n)
    return k.first[FLAG] + n if b.setup_kind == FLAGGING else k.first[PLACE] + cells_select(free_starts(k, b), n)


cdef inline int32_t draw_setup(const Params *k, const Board *b, uint64_t *rng) noexcept nogil:
    """Return a uniformly random legal setup decision."""
    cdef cells_t starts
    if b.setup_kind == PLACING:
        starts = free_starts(k, b)
        return k.first[PLACE] + cells_select(starts, <int32_t>masume_below(rng, cells_count(starts)))
    return nth_setup(k, b, <int32_t>masume_below(rng, num_setups(k, b)))


cdef inline int32_t num_options(const Params *k, const Options *o) noexcept nogil:
    return o.count + k.may_resign + (o.count == 0)


cdef inline int32_t find_slot(const Options *o, int32_t kind, int32_t *n) noexcept nogil:
    """Return the slot with the n-th action of a kind (a byte of `Options.ends`), and make n its number there."""
    cdef int32_t slot = ends_find(o.ends, kind, n[0])
    if slot:
        n[0] -= o.ends[slot - 1] >> kind & 0xFF
    return slot


cdef inline int32_t nth_option(const Params *k, const Board *b, const Options *o, int32_t n) noexcept nogil:
    """Return the n-th legal command."""
    cdef uint32_t ends = o.ends[k.sizes[b.cur] - 1]
    cdef int32_t slot, count, place
    if o.count == 0:
        return n                                   # pass, and resign if allowed
    n -= k.may_resign
    if n < 0:
        return k.first[RESIGN]
    count = ends >> ATTACKS & 0xFF
    if n < count:
        slot = find_slot(o, ATTACKS, &n)
        return k.first[ATTACK] + slot * NINE + ways_select(o.ways[slot] & 0xFFFF, n)
    n -= count
    count = ends >> MOVES & 0xFF
    if n < count:
        slot = find_slot(o, MOVES, &n)
        return k.first[MOVE] + slot * 4 * k.reach + bits_select(o.moves[slot], n)
    n -= count
    count = ends >> MINES & 0xFF
    if n < count:
        slot = find_slot(o, MINES, &n)
        return k.first[MINE] + slot * NINE + ways_select(o.ways[slot] >> 16, n)
    n -= count
    count = (ends >> TORPEDOERS) * (k.panels - 1)
    if n < count:
        place = n % (k.panels - 1)
        n //= k.panels - 1
        slot = find_slot(o, TORPEDOERS, &n)
        return k.first[TORPEDO] + slot * k.panels + place + (place >= pos_of(k, b)[b.cur * k.ships + slot])
    n -= count
    if n < o.num_reinforcements:
        slot = bits_select(o.reinforcements, n // o.num_landings)
        return k.first[REINFORCE] + slot * k.panels + cells_select(o.landings, n % o.num_landings)
    return k.first[FLAG] + bits_select(o.flagships, n - o.num_reinforcements)


cdef inline void put_bits(uint32_t *out, int32_t first, uint32_t bits) noexcept nogil:
    """Set bits of `out`, beginning at bit number `first`."""
    cdef uint64_t both = <uint64_t>bits << (first & 31)
    if bits:                                       # otherwise `first` may be past the end of `out`
        out[first >> 5] |= <uint32_t>both
        if both >> 32:
            out[(first >> 5) + 1] |= <uint32_t>(both >> 32)


cdef inline void put_cells(uint32_t *out, int32_t first, cells_t cells) noexcept nogil:
    while cells:
        put_bits(out, first, <uint32_t>cells_low(cells))
        cells = cells_down(cells, 32)
        first += 32

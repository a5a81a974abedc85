# cython: language_level=3, cdivision=True
"""Battleship: the legal actions of the player to move [section 6.1]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint32_t, uint64_t
from masume.battleship.flagship cimport may_change_flagship
from masume.battleship.reinforcement cimport landings_of, may_reinforce, may_return
from masume.battleship.state cimport *


cdef struct Options:                   # legal actions of the player to move, in play
    uint32_t ways[MAX_SHIPS]           # bits of directions: of attacks, and from bit 16 of mines
    uint32_t moves[MAX_SHIPS]          # in the order of their codes
    uint32_t ends[MAX_SHIPS]           # numbers of actions up to each slot: a byte for each of four kinds
    uint32_t torpedoes                 # bits of slots
    uint32_t reinforcements            # bits of slots; each may come back on all of `landings`
    uint32_t flagships                 # bits of slots
    cells_t landings
    int32_t count                      # number of all these actions
    int32_t num_reinforcements
    int32_t num_landings

cdef enum:                             # the lowest bits of these bytes
    ATTACKS = 0
    MOVES = 8                          # of a ship at most 16
    MINES = 16
    TORPEDOERS = 24                    # ships that may fire, each at all panels but its own


cdef struct Word:                      # a set of panels on a map of up to 64
    uint64_t set

cdef struct Pair:                      # the same on a larger map
    cells_t set

ctypedef fused Panels:                 # the search for options is compiled for both
    Word
    Pair


cdef inline uint32_t pays(const Params *k, int32_t cls, int32_t aux, int32_t fp) noexcept nogil:
    """Return what a ship with these values can pay for, as bits. [BS-50, BS-111, BS-142 to BS-146, BS-151 to BS-157]"""
    return slots_below(k.prices[cls], fp + 1) & ~(-<uint32_t>(aux == 0) << PAYS_MINE)


cdef inline void spare_reefs(const Params *k, Options *o, const int8_t *pos, int32_t size,
                             const Panels *reefs) noexcept nogil:
    """Remove the attacks of ships on the panels `pos` on these reefs, which their player knows. [BS-R16]"""
    cdef int32_t slot, direction
    cdef uint32_t ways, lost = 0
    for slot in range(size):
        ways = o.ways[slot] & 0xFFFF
        while ways:
            direction = bits_first(ways)
            ways &= ways - 1
            if reefs.set >> k.near[pos[slot]][direction] & 1:
                o.ways[slot] ^= <uint32_t>1 << direction
                lost += 1
        o.ends[slot] -= lost << ATTACKS


cdef inline void find_bars(const Params *k, const int8_t *pos, uint32_t alive, const Panels *reefs, Panels *rows,
                           Panels *columns) noexcept nogil:
    """Write the panels that bar moves of a player's ships, its living ships and the reefs that it knows.

    rows : the panels as always. columns : the same counted down the columns.
    """
    cdef Panels left = reefs[0]
    cdef int32_t q
    rows.set = left.set
    columns.set = 0
    while alive:
        q = pos[bits_first(alive)]
        alive &= alive - 1
        rows.set |= k.only[q]
        columns.set |= k.turned[q]
    while left.set:
        columns.set |= k.turned[bits_first64(left.set) if Panels is Word else cells_first(left.set)]
        left.set &= left.set - 1


cdef inline uint32_t legal_moves(const Params *k, int32_t q, uint32_t paid, const Panels *rows,
                                 const Panels *columns) noexcept nogil:
    """Return the legal moves of a living ship: Dm bits per heading, bit n = n + 1 panels.

    paid : `pays`. rows, columns : panels that bar moves (`find_bars`); the ship's own bars nothing.
    [BS-61 to BS-64, BS-111, BS-118 to BS-120, BS-R18, BS-R19]
    """
    cdef uint64_t row = <uint64_t>(rows.set >> k.row_start[q]) & (1 << NINE) - 1
    cdef uint64_t column = <uint64_t>(columns.set >> k.column_start[q]) & (1 << NINE) - 1
    return (k.rays[q] & k.every_heading * (paid & (1 << MAX_STEPS) - 1)
            & ~(k.row_bars[k.column[q]][row] | k.column_bars[k.row[q]][column]))


cdef inline uint32_t count_moves(const Params *k, uint32_t moves) noexcept nogil:
    cdef uint32_t found = k.num_ways[moves & 0xFF] + k.num_ways[moves >> 8 & 0xFF]
    if k.reach > 4:
        found += k.num_ways[moves >> 16 & 0xFF] + k.num_ways[moves >> 24]
    return found


cdef inline void find_options(const Params *k, const Board *b, Options *o) noexcept nogil:
    """Find all legal actions of the player to move, except passing and resigning."""
    cdef Word word
    cdef Pair pair
    pair.set = known_reef(k, b, b.cur)
    if k.panels <= 64:
        word.set = cells_low(pair.set)
        find_beside(k, b, o, &word)
    else:
        find_beside(k, b, o, &pair)


cdef inline void find_beside(const Params *k, const Board *b, Options *o, const Panels *reefs) noexcept nogil:
    """Do the work of `find_options`, given the reefs that the player to move knows."""
    cdef int32_t p = b.cur, slot, q, first = p * k.ships, size = k.sizes[p]
    cdef const int16_t *fp = fp_of(k, b) + first
    cdef const int8_t *classes = cls_of(k, b) + first
    cdef const int8_t *pos = pos_of(k, b) + first
    cdef const int8_t *aux = aux_of(k, b) + first
    cdef Panels rows, columns
    cdef uint32_t alive = sets_of(k, b, p).alive, sunk = k.slots[p] & ~alive, torpedoes = 0, ends = 0, paid, able, moves
    find_bars(k, pos, alive, reefs, &rows, &columns)
    for slot in range(size):
        q = pos[slot]
        paid = pays(k, classes[slot], aux[slot], fp[slot]) & -(alive >> slot & 1)
        able = paid >> PAYS_ATTACK & 7
        moves = legal_moves(k, q, paid, &rows, &columns)
        torpedoes |= (able >> (PAYS_TORPEDO - PAYS_ATTACK)) << slot
        ends += (k.numbers[q] & k.paid_numbers[able]) + (count_moves(k, moves) << MOVES)
        o.ways[slot] = k.ways[q] & k.paid_ways[able]
        o.moves[slot] = moves
        o.ends[slot] = ends
    if k.shuns_reefs:
        spare_reefs(k, o, pos, size, reefs)
        ends = o.ends[size - 1]
    o.torpedoes = torpedoes
    o.reinforcements = o.flagships = 0
    o.landings = 0
    o.num_reinforcements = o.num_landings = 0
    if sunk and may_reinforce(k, b, p):
        while sunk:
            slot = bits_first(sunk)
            sunk &= sunk - 1
            o.reinforcements |= <uint32_t>may_return(k, b, first + slot) << slot
        if o.reinforcements:
            o.landings = landings_of(k, b, p)
            o.num_landings = cells_count(o.landings)
            o.num_reinforcements = bits_count(o.reinforcements) * o.num_landings
    if may_change_flagship(k, b, p):
        o.flagships = alive & ~sets_of(k, b, p).flagship
    o.count = ((ends >> ATTACKS & 0xFF) + (ends >> MOVES & 0xFF) + (ends >> MINES & 0xFF)
               + (ends >> TORPEDOERS) * (k.panels - 1) + o.num_reinforcements + bits_count(o.flagships))


cdef inline bint may_attack(const Params *k, const Board *b, int32_t p, const Command *c) noexcept nogil:
    """Return whether the player may attack so."""
    cdef int32_t i = p * k.ships + c.slot, q = pos_of(k, b)[i]
    if not (sets_of(k, b, p).alive >> c.slot & 1                             # BS-54
            and k.ways[q] >> c.at & 1 and fp_of(k, b)[i] >= k.attack_cost[cls_of(k, b)[i]]):
        return False
    return not k.shuns_reefs or not cells_has(known_reef(k, b, p), k.near[q][c.at])


cdef inline bint may_move(const Params *k, const Board *b, int32_t p, const Command *c) noexcept nogil:
    """Return whether the player may move so: the path is tested at once (`legal_moves`)."""
    cdef const int8_t *pos = pos_of(k, b) + p * k.ships
    cdef int32_t q = pos[c.slot], slot
    cdef uint32_t alive = sets_of(k, b, p).alive
    cdef cells_t bars
    if not (alive >> c.slot & 1 and k.rays[q] >> (k.reach * c.at + c.steps - 1) & 1
            and fp_of(k, b)[p * k.ships + c.slot] >= k.move_fp[cls_of(k, b)[p * k.ships + c.slot]][c.steps]):
        return False
    bars = known_reef(k, b, p)
    for slot in range(k.sizes[p]):
        bars |= k.only[pos[slot]] & -<cells_t>(alive >> slot & 1)
    return path_of(k, q, c) & bars == 0


cdef inline bint must_pass(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return whether the player can do nothing else but resign. [BS-48, BS-R49]"""
    cdef const Sets *s = sets_of(k, b, p)
    cdef Options options
    cdef uint32_t alive = s.alive, paid = 0
    cdef int32_t i
    while alive:
        i = p * k.ships + bits_first(alive)
        alive &= alive - 1
        paid |= pays(k, cls_of(k, b)[i], aux_of(k, b)[i], fp_of(k, b)[i])
    if paid == 0 and not may_reinforce(k, b, p) and not may_change_flagship(k, b, p):        # most often
        return True
    find_options(k, b, &options)
    return options.count == 0


cdef inline bint is_legal(const Params *k, const Board *b, int32_t p, const Command *c) noexcept nogil:
    """Return whether the player may play this command, neither an attack nor a move."""
    cdef int32_t i = p * k.ships + c.slot, q
    cdef uint32_t paid
    if c.kind == PASS:
        return must_pass(k, b, p)
    if c.kind == RESIGN:                                                     # BS-184
        return k.may_resign
    if c.kind > FLAG or c.slot >= k.sizes[p]:
        return False
    if c.kind == REINFORCE:
        return may_reinforce(k, b, p) and may_return(k, b, i) and cells_has(landings_of(k, b, p), c.at)
    if not sets_of(k, b, p).alive >> c.slot & 1:                             # BS-54
        return False
    q = pos_of(k, b)[i]
    paid = pays(k, cls_of(k, b)[i], aux_of(k, b)[i], fp_of(k, b)[i])
    if c.kind == MINE:
        return paid >> PAYS_MINE & k.ways[q] >> (16 + c.at) & 1
    if c.kind == TORPEDO:
        return paid >> PAYS_TORPEDO & 1 and c.at != q
    return may_change_flagship(k, b, p) and not sets_of(k, b, p).flagship >> c.slot & 1

# cython: language_level=3, cdivision=True
"""Battleship: the legal actions of the player to move [section 6.1]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint32_t, uint64_t
from masume.battleship.flagship cimport may_change_flagship
from masume.battleship.reinforcement cimport landings_of, may_reinforce, may_return
from masume.battleship.state cimport *


cdef struct Options:                   # legal actions of the player to move, in play
    uint32_t attacks[MAX_SHIPS]        # bits of directions
    uint32_t moves[MAX_SHIPS]          # in the order of their codes
    uint32_t mines[MAX_SHIPS]          # bits of directions
    uint32_t torpedoes                 # bits of slots
    uint32_t reinforcements            # bits of slots; each may come back on all of `landings`
    uint32_t flagships                 # bits of slots
    cells_t landings
    int32_t count                      # number of all these actions
    int32_t num_attacks
    int32_t num_moves
    int32_t num_mines
    int32_t num_torpedoes
    int32_t num_reinforcements
    int32_t num_landings


cdef struct Word:                      # a set of panels on a map of up to 64
    uint64_t set

cdef struct Pair:                      # the same on a larger map
    cells_t set

ctypedef fused Panels:                 # the search for options is compiled for both
    Word
    Pair


cdef inline uint32_t legal_attacks(const Params *k, int32_t q, int32_t cls, int32_t fp,
                                   const Panels *reefs) noexcept nogil:
    """Return the directions in which a living ship with these values may attack. [BS-50, BS-51, BS-111, BS-R16]

    reefs : those that its player knows.
    """
    cdef uint32_t found = k.targets[q] & -<uint32_t>(fp >= k.attack_cost[cls]), ways
    cdef int32_t direction
    if k.shuns_reefs:
        ways = found
        while ways:
            direction = bits_first(ways)
            ways &= ways - 1
            if reefs.set >> k.near[q][direction] & 1:
                found ^= <uint32_t>1 << direction
    return found


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


cdef inline uint32_t legal_moves(const Params *k, int32_t q, int32_t cls, int32_t fp, const Panels *rows,
                                 const Panels *columns) noexcept nogil:
    """Return the legal moves of a ship: Dm bits per heading, bit n = n + 1 panels.

    rows, columns : panels that bar moves (`find_bars`); the ship's own bars nothing.
    [BS-61 to BS-64, BS-111, BS-118 to BS-120, BS-R18, BS-R19]
    """
    cdef uint64_t row = <uint64_t>(rows.set >> k.row_start[q]) & (1 << NINE) - 1
    cdef uint64_t column = <uint64_t>(columns.set >> k.column_start[q]) & (1 << NINE) - 1
    return (k.rays[q] & k.every_heading * slots_below(k.steps_fp[cls], fp + 1)
            & ~(k.row_bars[k.column[q]][row] | k.column_bars[k.row[q]][column]))


cdef inline int32_t count_moves(const Params *k, uint32_t moves) noexcept nogil:
    cdef int32_t found = k.num_ways[moves & 0xFF] + k.num_ways[moves >> 8 & 0xFF]
    if k.reach > 4:
        found += k.num_ways[moves >> 16 & 0xFF] + k.num_ways[moves >> 24]
    return found


cdef inline bint may_lay_mine(const Params *k, int32_t cls, int32_t aux, int32_t fp) noexcept nogil:
    """Return whether a living ship with these values may lay a mine. [BS-142 to BS-146]"""
    return (aux > 0) & (fp >= k.mine_least[cls])


cdef inline bint may_fire_torpedo(const Params *k, int32_t cls, int32_t aux, int32_t fp) noexcept nogil:
    """Return whether a living ship with these values may fire a torpedo. [BS-151 to BS-157]"""
    return (aux > 0) & (fp >= k.torpedo_least[cls])


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
    cdef int32_t p = b.cur, slot, q, cls, fuel, first = p * k.ships
    cdef const int16_t *fp = fp_of(k, b) + first
    cdef const int8_t *classes = cls_of(k, b) + first
    cdef const int8_t *pos = pos_of(k, b) + first
    cdef const int8_t *aux = aux_of(k, b) + first
    cdef Panels rows, columns
    cdef bint hands_over = may_change_flagship(k, b, p), back = may_reinforce(k, b, p)
    cdef uint32_t alive = sets_of(k, b, p).alive, left = k.slots[p] & ~alive, attacks, moves, mines, ready
    cdef uint32_t torpedoes = 0, reinforcements = 0, flagships = 0
    cdef int32_t num_attacks = 0, num_moves = 0, num_mines = 0, num_ready = 0, num_sunk = 0, num_flagships = 0
    find_bars(k, pos, alive, reefs, &rows, &columns)
    while left:
        slot = bits_first(left)
        left &= left - 1
        o.attacks[slot] = o.moves[slot] = o.mines[slot] = 0
        if back and may_return(k, b, first + slot):
            reinforcements |= <uint32_t>1 << slot
            num_sunk += 1
    left = alive
    while left:
        slot = bits_first(left)
        left &= left - 1
        q = pos[slot]
        cls = classes[slot]
        fuel = fp[slot]
        attacks = legal_attacks(k, q, cls, fuel, reefs)
        moves = legal_moves(k, q, cls, fuel, &rows, &columns)
        mines = k.around[q] & -<uint32_t>may_lay_mine(k, cls, aux[slot], fuel)
        ready = may_fire_torpedo(k, cls, aux[slot], fuel)
        num_attacks += k.num_ways[attacks]
        num_moves += count_moves(k, moves)
        num_mines += k.num_ways[mines]
        torpedoes |= ready << slot
        num_ready += ready
        o.attacks[slot] = attacks
        o.moves[slot] = moves
        o.mines[slot] = mines
    if hands_over:
        flagships = alive & ~sets_of(k, b, p).flagship
        num_flagships = bits_count(flagships)
    o.landings = 0
    o.num_landings = 0
    if reinforcements:
        o.landings = landings_of(k, b, p)
        o.num_landings = cells_count(o.landings)
    o.torpedoes = torpedoes
    o.reinforcements = reinforcements
    o.flagships = flagships
    o.num_attacks = num_attacks
    o.num_moves = num_moves
    o.num_mines = num_mines
    o.num_torpedoes = num_ready * (k.panels - 1)
    o.num_reinforcements = num_sunk * o.num_landings
    o.count = num_attacks + num_moves + num_mines + o.num_torpedoes + o.num_reinforcements + num_flagships


cdef inline bint may_attack(const Params *k, const Board *b, int32_t p, const Command *c) noexcept nogil:
    """Return whether the player may attack so."""
    cdef int32_t i = p * k.ships + c.slot, q = pos_of(k, b)[i]
    if not (sets_of(k, b, p).alive >> c.slot & 1                             # BS-54
            and k.targets[q] >> c.at & 1 and fp_of(k, b)[i] >= k.attack_cost[cls_of(k, b)[i]]):
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


cdef inline bint is_legal(const Params *k, const Board *b, int32_t p, const Command *c) noexcept nogil:
    """Return whether the player may play this command, neither an attack nor a move."""
    cdef Options options
    cdef int32_t i = p * k.ships + c.slot, q, cls, fp
    if c.kind == PASS:                                                       # BS-48, BS-R49
        find_options(k, b, &options)
        return options.count == 0
    if c.kind == RESIGN:                                                     # BS-184
        return k.may_resign
    if c.kind > FLAG or c.slot >= k.sizes[p]:
        return False
    if c.kind == REINFORCE:
        return may_reinforce(k, b, p) and may_return(k, b, i) and cells_has(landings_of(k, b, p), c.at)
    if not sets_of(k, b, p).alive >> c.slot & 1:                             # BS-54
        return False
    q = pos_of(k, b)[i]
    cls = cls_of(k, b)[i]
    fp = fp_of(k, b)[i]
    if c.kind == MINE:
        return may_lay_mine(k, cls, aux_of(k, b)[i], fp) and k.around[q] >> c.at & 1
    if c.kind == TORPEDO:
        return may_fire_torpedo(k, cls, aux_of(k, b)[i], fp) and c.at != q
    return may_change_flagship(k, b, p) and not sets_of(k, b, p).flagship >> c.slot & 1

# cython: language_level=3, cdivision=True
"""Battleship: what the player to move may do [section 6.1]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t
from masume.battleship.flagship cimport may_change_flagship
from masume.battleship.reinforcement cimport landings_of, may_reinforce, may_return
from masume.battleship.setup cimport is_legal_setup
from masume.battleship.state cimport *


cdef struct Options:                   # of the player to move, in play
    uint32_t attacks[MAX_SHIPS]        # bits of directions
    uint32_t moves[MAX_SHIPS]          # in the order of their codes
    uint32_t mines[MAX_SHIPS]          # bits of directions
    uint32_t torpedoes                 # bits of slots
    uint32_t reinforcements            # bits of slots, each on all of `landings`
    uint32_t flagships                 # bits of slots
    cells_t landings
    int32_t count                      # of all of these
    int32_t num_attacks
    int32_t num_moves
    int32_t num_mines
    int32_t num_torpedoes
    int32_t num_reinforcements
    int32_t num_landings


cdef inline uint32_t legal_attacks(const Params *k, const Board *b, int32_t p, int32_t q, int32_t cls,
                                   int32_t fp) noexcept nogil:
    """Directions in which such an alive ship of p may attack. [BS-50, BS-51, BS-111, BS-R16]"""
    cdef uint32_t found = k.targets[q] & -<uint32_t>(fp >= k.attack_cost[cls]), ways
    cdef int32_t direction
    cdef cells_t reefs
    if k.shuns_reefs:
        reefs = known_reef(b, p)
        ways = found
        while ways:
            direction = bits_first(ways)
            ways &= ways - 1
            if cells_has(reefs, k.near[q][direction]):
                found ^= <uint32_t>1 << direction
    return found


cdef inline uint32_t legal_moves(const Params *k, int32_t q, int32_t cls, int32_t fp, const int8_t *pos,
                                 uint32_t others, cells_t reefs) noexcept nogil:
    """How such a ship may move: Dm bits a direction, bit n = n + 1 panels. [BS-61 to BS-64, BS-111, BS-118 to BS-120]

    pos : where the own ships are; others : the slots of the other alive ones. reefs : those that the player knows.
    [BS-R18, BS-R19]
    """
    cdef const uint32_t *shadow = k.shadow[q]
    cdef uint32_t barred = 0
    while others:
        barred |= shadow[pos[bits_first(others)]]
        others &= others - 1
    reefs &= k.cross[q]
    while reefs:
        barred |= shadow[cells_first(reefs)]
        reefs &= reefs - 1
    return k.rays[q] & k.every_heading * slots_below(k.steps_fp[cls], fp + 1) & ~barred


cdef inline int32_t count_moves(const Params *k, uint32_t moves) noexcept nogil:
    cdef int32_t found = k.num_ways[moves & 0xFF] + k.num_ways[moves >> 8 & 0xFF]
    if moves >> 16:                                # never on the smaller maps
        found += k.num_ways[moves >> 16 & 0xFF] + k.num_ways[moves >> 24]
    return found


cdef inline bint may_lay_mine(const Params *k, int32_t cls, int32_t aux, int32_t fp) noexcept nogil:
    """Whether such an alive ship may lay a mine. [BS-142 to BS-146]"""
    return (aux > 0) & (fp >= k.mine_least[cls])


cdef inline bint may_fire_torpedo(const Params *k, int32_t cls, int32_t aux, int32_t fp) noexcept nogil:
    """Whether such an alive ship may fire a torpedo. [BS-151 to BS-157]"""
    return (aux > 0) & (fp >= k.torpedo_least[cls])


cdef inline void find_options(const Params *k, const Board *b, Options *o) noexcept nogil:
    """All that the player to move may do but pass and resign."""
    cdef int32_t p = b.cur, slot, q, cls, fuel, first = p * k.ships, size = k.sizes[p]
    cdef const int16_t *fp = fp_of(k, b) + first
    cdef const int8_t *classes = cls_of(k, b) + first
    cdef const int8_t *pos = pos_of(k, b) + first
    cdef const int8_t *aux = aux_of(k, b) + first
    cdef const uint8_t *flags = flags_of(k, b) + first
    cdef cells_t reefs = known_reef(b, p)
    cdef bint hands_over = may_change_flagship(k, b, p), back = may_reinforce(k, b, p)
    cdef uint32_t alive = alive_slots(k, b, p), attacks, moves, mines, ready
    cdef uint32_t torpedoes = 0, reinforcements = 0, flagships = 0
    cdef int32_t num_attacks = 0, num_moves = 0, num_mines = 0, num_ready = 0, num_sunk = 0, num_flagships = 0
    for slot in range(size):
        attacks = moves = mines = 0
        if alive >> slot & 1:
            q = pos[slot]
            cls = classes[slot]
            fuel = fp[slot]
            attacks = legal_attacks(k, b, p, q, cls, fuel)
            moves = legal_moves(k, q, cls, fuel, pos, alive ^ <uint32_t>1 << slot, reefs)
            mines = k.around[q] & -<uint32_t>may_lay_mine(k, cls, aux[slot], fuel)
            ready = may_fire_torpedo(k, cls, aux[slot], fuel)
            num_attacks += k.num_ways[attacks]
            num_moves += count_moves(k, moves)
            num_mines += k.num_ways[mines]
            torpedoes |= ready << slot
            num_ready += ready
            if hands_over and not flags[slot] & FLAGSHIP:
                flagships |= <uint32_t>1 << slot
                num_flagships += 1
        elif back and may_return(k, b, first + slot):
            reinforcements |= <uint32_t>1 << slot
            num_sunk += 1
        o.attacks[slot] = attacks
        o.moves[slot] = moves
        o.mines[slot] = mines
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


cdef inline bint is_legal(const Params *k, const Board *b, const Command *c) noexcept nogil:
    """Whether the player to move may play this."""
    cdef Options options
    cdef int32_t p = b.cur, i = p * k.ships + c.slot, q, cls, fp
    if b.phase == SETUP:
        return is_legal_setup(k, b, c)
    if c.kind == PASS:                                                       # BS-48, BS-R49
        find_options(k, b, &options)
        return options.count == 0
    if c.kind == RESIGN:                                                     # BS-184
        return k.may_resign
    if c.kind > FLAG or c.slot >= k.sizes[p]:
        return False
    if c.kind == REINFORCE:
        return may_reinforce(k, b, p) and may_return(k, b, i) and cells_has(landings_of(k, b, p), c.at)
    if hp_of(k, b)[i] == 0:                                                  # BS-54
        return False
    q = pos_of(k, b)[i]
    cls = cls_of(k, b)[i]
    fp = fp_of(k, b)[i]
    if c.kind == ATTACK:
        return legal_attacks(k, b, p, q, cls, fp) >> c.at & 1
    if c.kind == MOVE:
        return (legal_moves(k, q, cls, fp, pos_of(k, b) + p * k.ships,
                            alive_slots(k, b, p) ^ <uint32_t>1 << c.slot, known_reef(b, p))
                >> (k.reach * c.at + c.steps - 1) & 1)
    if c.kind == MINE:
        return may_lay_mine(k, cls, aux_of(k, b)[i], fp) and k.around[q] >> c.at & 1
    if c.kind == TORPEDO:
        return may_fire_torpedo(k, cls, aux_of(k, b)[i], fp) and c.at != q
    return may_change_flagship(k, b, p) and not flags_of(k, b)[i] & FLAGSHIP

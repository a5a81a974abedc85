# cython: language_level=3, cdivision=True
"""Terraforming: moves, builds, shields and towers, and what happens as turns begin and end. [sections 5 and 7]

Inline, as all rules are, so that whoever needs them compiles the same text.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint64_t
from libc.string cimport memset
from masume.core._game cimport MASUME_TERMINAL
from masume.terraforming.state cimport *


# -- a move [section 7.1] -----------------------------------------------------------------------------

cdef inline void capture(const Params *k, void *state, int32_t cell, int32_t player) noexcept nogil:
    """The player becomes the owner of a cell without building. [TF-37, TF-39, TF-R23]"""
    cdef uint8_t *land = land_of(k, state) + cell
    cdef Header *header = header_of(state)
    cdef int32_t old = owner_of(land[0])
    if old >= 0:
        drop(set_of(k, state, OWNED + old), cell)
    put(set_of(k, state, OWNED + player), cell)
    if land[0] & HOLE:
        land[0] = HOLE | owned_by(player)
        return
    if old >= 0:
        header.scores[old] -= TERRITORY_POINTS
    header.scores[player] += TERRITORY_POINTS
    land[0] = owned_by(player)
    worth_of(k, state)[cell] = material_of(k, land_of(k, state), cell, player)


cdef inline void move(const Params *k, void *state, int32_t cell, int32_t direction, int32_t amount) noexcept nogil:
    """A legal move of so many robots."""
    cdef Header *header = header_of(state)
    cdef int32_t *robots = robots_of(k, state)
    cdef int32_t *moved = moved_of(k, state)
    cdef uint8_t *moves = moves_of(k, state)
    cdef uint64_t *manned = set_of(k, state, MANNED)
    cdef int32_t target = k.step[cell][direction], player = header.player
    cdef uint8_t before = moves[cell]
    robots[cell] -= amount                                                   # step 1
    moves[cell] = make_moves(before & DIRECTIONS, robots[cell] - moved[cell])
    header.num_moves += <int16_t>(k.weight[moves[cell]] - k.weight[before])
    if moves[cell] == 0:
        drop(set_of(k, state, READY), cell)
    if robots[cell] == 0:
        drop(manned, cell)
    if owner_of(land_of(k, state)[target]) == player:                        # step 2 [TF-R20]
        robots[target] += amount
        moved[target] += amount
        put(manned, target)
    elif amount > robots[target]:                                            # step 3 [TF-5, TF-37, TF-39, TF-40, TF-42]
        robots[target] = amount - robots[target]
        moved[target] = robots[target]
        put(manned, target)
        capture(k, state, target, player)
    else:                                                                    # step 4 [TF-38, TF-R21]
        robots[target] -= amount
        if robots[target] == 0:
            drop(manned, target)
    header.phase = MOVE


# -- a build [section 7.3] ----------------------------------------------------------------------------

cdef inline void forget_moves(const Params *k, void *state) noexcept nogil:
    """No robot may move."""
    memset(moves_of(k, state), 0, k.cells)
    memset(set_of(k, state, READY), 0, k.words * sizeof(uint64_t))
    header_of(state).num_moves = 0


cdef inline void develop(const Params *k, void *state, int32_t cell, int32_t building, uint8_t bonus) noexcept nogil:
    """A cell of the player without building becomes a base. [TF-8]"""
    cdef Header *header = header_of(state)
    cdef uint8_t *land = land_of(k, state) + cell
    header.scores[header.player] += <int16_t>(BASE_POINTS + bonus - (0 if land[0] & HOLE else TERRITORY_POINTS))
    header.num_bases += 1
    land[0] = <uint8_t>(owned_by(header.player) | building)
    worth_of(k, state)[cell] = bonus


cdef inline void build(const Params *k, void *state, int32_t cell, int32_t building) noexcept nogil:
    """A legal build. [TF-43, TF-R42]"""
    cdef Header *header = header_of(state)
    cdef uint8_t *land = land_of(k, state)
    cdef uint8_t *worth = worth_of(k, state)
    cdef int32_t *robots = robots_of(k, state)
    cdef const int16_t *near = k.near[cell]
    cdef uint8_t mine = owned_by(header.player), bonus = 0
    cdef int32_t i, reach = 0
    if building == PUBLIC:
        bonus = PUBLIC_BONUS
        reach = 2
    elif building == PLAZA:
        reach = 1
        if k.contest:
            bonus = <uint8_t>(material_sum(k, state, cell, header.player) - TOWN_MATERIAL)
    robots[cell] -= k.price[building]
    if robots[cell] == 0:
        drop(set_of(k, state, MANNED), cell)
    drop(set_of(k, state, HOLES), cell)                                      # TF-11
    if building == FACTORY or building == TOWER or building == SHIELD:
        put(set_of(k, state, DEVICES), cell)
    develop(k, state, cell, building, bonus)
    if building == PIT:                                                      # TF-R43
        for i in range(1, k.within[cell][1]):
            worth[near[i]] += land[near[i]] == mine
    for i in range(1, k.within[cell][reach]):                                # TF-54, TF-55, TF-R28
        if land[near[i]] == mine:
            develop(k, state, near[i], PARK, 0)
    forget_moves(k, state)
    header.phase = BUILT


# -- shields and towers [sections 7.4 and 7.5] ------------------------------------------------------------

cdef inline void leave(const Params *k, void *state, int32_t cell, int32_t left) noexcept nogil:
    """So many robots are left of those of a cell; the owner stays. [TF-R17]"""
    robots_of(k, state)[cell] = left
    if left == 0:
        drop(set_of(k, state, MANNED), cell)


cdef inline void halve_around(const Params *k, void *state, int32_t shield, int32_t player) noexcept nogil:
    """The player's robots around one of its shields. [TF-29, TF-R9 to TF-R12]"""
    cdef const uint8_t *land = land_of(k, state)
    cdef const int16_t *near = k.near[shield]
    cdef int32_t *robots = robots_of(k, state)
    cdef int32_t i, cell
    for i in range(1, k.within[shield][1]):
        cell = near[i]
        if owner_of(land[cell]) == player:
            leave(k, state, cell, robots[cell] >> 1)


cdef inline void double_around(const Params *k, void *state, int32_t shield, int32_t player) noexcept nogil:
    """The player's robots around one of its shields. [TF-33, TF-49, TF-R44]"""
    cdef const uint8_t *land = land_of(k, state)
    cdef const int16_t *near = k.near[shield]
    cdef int32_t *robots = robots_of(k, state)
    cdef int32_t i
    for i in range(1, k.within[shield][1]):
        if owner_of(land[near[i]]) == player:
            robots[near[i]] *= 2


cdef inline void fire_at_nearest(const Params *k, const void *state, int32_t tower, int32_t player, uint64_t *hits,
                                 int32_t *left) noexcept nogil:
    """A rulebook tower fires at the nearest enemies: their cells into `hits`, of whom so many will be left.

    The robots themselves stay, for all towers fire at once. [TF-34, TF-50, TF-R13 to TF-R16]
    """
    cdef const uint64_t *manned = set_of(k, state, MANNED)
    cdef const uint64_t *own = set_of(k, state, OWNED + player)
    cdef const uint64_t *ring
    cdef const int32_t *robots = robots_of(k, state)
    cdef uint64_t found, bits
    cdef int32_t reach, word, cell
    for reach in range(TOWER_RANGE):
        ring = k.rings + (tower * TOWER_RANGE + reach) * k.words
        found = 0
        for word in range(k.words):
            bits = ring[word] & manned[word] & ~own[word]
            found |= bits
            while bits:
                cell = next_of(&bits, word)
                if not hits[word] >> (cell & 63) & 1:
                    left[cell] = robots[cell]
                put(hits, cell)
                left[cell] = max(0, left[cell] - max(1, robots[cell] // 10))     # TF-R15
        if found:
            return


cdef inline void fire_along_axes(const Params *k, void *state, int32_t tower, int32_t player) noexcept nogil:
    """A contest tower fires along the axes. [TF-R18]"""
    cdef const uint64_t *own = set_of(k, state, OWNED + player)
    cdef const uint64_t *manned = set_of(k, state, MANNED)
    cdef const uint64_t *reach = k.reach + tower * k.words
    cdef uint64_t bits
    cdef int32_t word, cell
    for word in range(k.words):
        bits = reach[word] & manned[word] & ~own[word]
        while bits:
            cell = next_of(&bits, word)
            leave(k, state, cell, max(0, robots_of(k, state)[cell] - SHOT))


# -- a turn [section 5] -------------------------------------------------------------------------------

cdef inline void offer_moves(const Params *k, void *state) noexcept nogil:
    """Find where the robots of the player may go, of a state that has no moves yet."""
    cdef Header *header = header_of(state)
    cdef const uint8_t *land = land_of(k, state)
    cdef const int32_t *robots = robots_of(k, state)
    cdef const int32_t *moved = moved_of(k, state)
    cdef const uint64_t *own = set_of(k, state, OWNED + header.player)
    cdef const uint64_t *manned = set_of(k, state, MANNED)
    cdef const uint64_t *holes = set_of(k, state, HOLES)
    cdef uint64_t *ready = set_of(k, state, READY)
    cdef uint8_t *moves = moves_of(k, state)
    cdef uint64_t bits
    cdef int32_t word, cell, count = 0
    for word in range(k.words):
        bits = own[word] & manned[word] & ~holes[word]
        while bits:
            cell = next_of(&bits, word)
            moves[cell] = make_moves(directions_of(k, land, cell, header.player), robots[cell] - moved[cell])
            if moves[cell]:
                ready[word] |= <uint64_t>1 << (cell & 63)
                count += k.weight[moves[cell]]
    header.num_moves = <int16_t>count


cdef inline void begin_turn(const Params *k, void *state) noexcept nogil:
    """Begin a turn, in the order of section 5.2. [TF-R38]"""
    cdef Header *header = header_of(state)
    cdef int32_t player = header.player, word, cell, building
    cdef const uint64_t *own = set_of(k, state, OWNED + player)
    cdef const uint64_t *devices = set_of(k, state, DEVICES)
    cdef const uint8_t *land = land_of(k, state)
    cdef int32_t *robots = robots_of(k, state)
    cdef uint64_t bits
    for word in range(k.words):                                              # step 1 [TF-28, TF-R8]
        bits = own[word] & devices[word]
        while bits:
            cell = next_of(&bits, word)
            building = land[cell] & BUILDING
            if building <= FACTORY:
                robots[cell] += HOME_MAKES if building == HOME else FACTORY_MAKES
                put(set_of(k, state, MANNED), cell)
    for word in range(k.words):                                              # step 2
        bits = own[word] & devices[word]
        while bits:
            cell = next_of(&bits, word)
            building = land[cell] & BUILDING
            if building == SHIELD:
                halve_around(k, state, cell, player)
            elif building == TOWER and k.contest:
                fire_along_axes(k, state, cell, player)
    memset(moved_of(k, state), 0, k.cells * sizeof(int32_t))                 # step 3
    header.ply += 1
    header.phase = CHOOSE
    forget_moves(k, state)
    offer_moves(k, state)


cdef inline bint is_over(const Params *k, const void *state) noexcept nogil:
    """Whether the game ends with this turn. [section 8.2]"""
    cdef const Header *header = header_of(state)
    cdef int32_t player
    if header.ply >= k.last_ply:                                             # TF-18
        return True
    if k.end_all_developed and header.num_bases == k.cells:                  # TF-17, TF-R31
        return True
    if k.score_limit:
        for player in range(NUM_PLAYERS):
            if header.scores[player] >= k.score_limit:
                return True
    return False


cdef inline void end_effects(const Params *k, void *state) noexcept nogil:
    """Shields and towers of a rulebook turn's end. [section 5.3 step 1]"""
    cdef int32_t player = header_of(state).player, word, cell, building
    cdef const uint64_t *own = set_of(k, state, OWNED + player)
    cdef const uint64_t *devices = set_of(k, state, DEVICES)
    cdef const uint8_t *land = land_of(k, state)
    cdef uint64_t hits[MAX_WORDS]
    cdef int32_t left[MAX_CELLS]                         # of the cells in `hits`
    cdef uint64_t bits
    memset(hits, 0, sizeof(hits))
    for word in range(k.words):
        bits = own[word] & devices[word]
        while bits:                                      # shields touch own robots, towers those of others
            cell = next_of(&bits, word)
            building = land[cell] & BUILDING
            if building == SHIELD:
                double_around(k, state, cell, player)
            elif building == TOWER:
                fire_at_nearest(k, state, cell, player, hits, left)
    for word in range(k.words):
        while hits[word]:
            cell = next_of(&hits[word], word)
            leave(k, state, cell, left[cell])


cdef inline int32_t end_turn(const Params *k, void *state) noexcept nogil:
    """0, or MASUME_TERMINAL where the game is over. [section 5.3, TF-R37]"""
    cdef Header *header = header_of(state)
    if not k.contest:
        end_effects(k, state)
    header.player = 0 if header.player == NUM_PLAYERS - 1 else header.player + 1
    if not is_over(k, state):
        begin_turn(k, state)
        return 0
    header.finished = True
    header.phase = CHOOSE
    memset(moved_of(k, state), 0, k.cells * sizeof(int32_t))
    forget_moves(k, state)
    return MASUME_TERMINAL


# -- what follows from robots, moved, land and worth ---------------------------------------------------

cdef inline void derive(const Params *k, void *state) noexcept nogil:
    """Fill in the sets, the moves, what the header counts and the worth of what is no base."""
    cdef Header *header = header_of(state)
    cdef const uint8_t *land = land_of(k, state)
    cdef int32_t cell, owner, building
    memset(set_of(k, state, 0), 0, NUM_SETS * k.words * sizeof(uint64_t))
    memset(header.scores, 0, sizeof(header.scores))
    header.num_bases = 0
    forget_moves(k, state)
    for cell in range(k.cells):
        owner = owner_of(land[cell])
        building = land[cell] & BUILDING
        if land[cell] & HOLE:
            put(set_of(k, state, HOLES), cell)
        if building == 0:
            worth_of(k, state)[cell] = 0
        if owner < 0:
            continue
        put(set_of(k, state, OWNED + owner), cell)
        if robots_of(k, state)[cell] > 0:
            put(set_of(k, state, MANNED), cell)
        if building != 0:
            header.num_bases += 1
            header.scores[owner] += BASE_POINTS + worth_of(k, state)[cell]
            if building == HOME or building == FACTORY or building == TOWER or building == SHIELD:
                put(set_of(k, state, DEVICES), cell)
        elif not land[cell] & HOLE:
            header.scores[owner] += TERRITORY_POINTS
            worth_of(k, state)[cell] = material_of(k, land, cell, owner)
    if header.phase <= MOVE and not header.finished:
        offer_moves(k, state)

# cython: language_level=3, cdivision=True
"""Terraforming: moves, builds, shields and towers, and the beginning and end of turns. [sections 5 and 7]

Inline, like all rules, so that every user compiles the same text.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint64_t
from libc.string cimport memset
from masume.core._game cimport MASUME_TERMINAL
from masume.core._wide cimport WIDE_BLOCK
from masume.terraforming.state cimport *


# -- a move [section 7.1] -----------------------------------------------------------------------------

cdef inline void capture(const Params *k, void *state, int32_t cell, int32_t player) noexcept nogil:
    """Make the player the owner of a cell without building. [TF-37, TF-39, TF-R23]"""
    cdef Header *header = header_of(state)
    cdef Sets *sets = sets_of(state) + (cell >> 6)
    cdef uint8_t *land = land_of(k, state) + cell
    cdef uint8_t hole = land[0] & HOLE
    cdef int32_t old = owner_of(land[0]), is_land = hole == 0
    if old >= 0:
        sets.owned[old] ^= bit_of(cell)
        header.scores[old] -= <int16_t>(TERRITORY_POINTS * is_land)
    sets.owned[player] |= bit_of(cell)
    header.scores[player] += <int16_t>(TERRITORY_POINTS * is_land)
    land[0] = hole | owned_by(player)
    moves_of(k, state)[cell] = directions_of(k, land_of(k, state), cell, player) & <uint8_t>-is_land         # [M4]
    worth_of(k, state)[cell] = <uint8_t>is_land
    if is_land and header.specials >> player & 1:
        worth_of(k, state)[cell] = material_of(k, land_of(k, state), cell, player)


cdef inline void move(const Params *k, void *state, uint32_t cell, uint32_t direction, int32_t amount) noexcept nogil:
    """Play a legal move of `amount` robots.

    Nobody can predict which cells become empty and who wins, so nothing branches on it but what only land needs.
    """
    cdef Header *header = header_of(state)
    cdef int32_t *robots = robots_of(k, state)
    cdef int32_t *moved = moved_of(k, state)
    cdef uint8_t *moves = moves_of(k, state) + cell
    cdef int32_t player = header.player
    cdef uint32_t target = <uint32_t>k.step[cell][direction]
    cdef Sets *here = sets_of(state) + (cell >> 6)
    cdef Sets *there = sets_of(state) + (target >> 6)
    cdef uint8_t *land = land_of(k, state) + target
    cdef int32_t left = robots[cell] - amount, met = robots[target], more = amount - met, arrived
    cdef int32_t joins = owner_of(land[0]) == player, wins = (joins ^ 1) & (more > 0)
    cdef uint8_t before = moves[0]
    cdef uint32_t after = offer(k, left - moved[cell], before & DIRECTIONS)
    robots[cell] = left                                                      # step 1
    moves[0] = <uint8_t>after
    header.num_moves += <int16_t>((after >> 8) - k.weight[before])
    header.phase = MOVE
    here.ready ^= <uint64_t>(after < 256) << (cell & 63)
    here.manned ^= <uint64_t>(left == 0) << (cell & 63)
    arrived = met + amount if joins else max(more, -more)                    # steps 2 to 4 [TF-5, TF-38 to TF-42]
    robots[target] = arrived
    moved[target] += amount & -joins | more & -wins                          # [TF-R20]; of others none have moved
    there.manned ^= <uint64_t>((met != 0) != (arrived != 0)) << (target & 63)    # [TF-R21]
    if wins:
        capture(k, state, <int32_t>target, player)


# -- a build [section 7.3] ----------------------------------------------------------------------------

cdef inline void forget_moves(const Params *k, void *state) noexcept nogil:
    """Remove all moves of the player to move."""
    cdef uint8_t *moves = moves_of(k, state)
    cdef int32_t word, cell
    for cell in range(k.cells):
        moves[cell] &= DIRECTIONS
    for word in range(k.words):
        sets_of(state)[word].ready = 0
    header_of(state).num_moves = 0


cdef inline uint8_t special_of(int32_t building, int32_t player) noexcept nogil:
    """Return the bits of `specials` for a building of the player."""
    return <uint8_t>((building == PIT) << player | (building == TOWER or building == SHIELD) << ARMED_AT + player)


cdef inline void develop(const Params *k, void *state, int32_t cell, int32_t building, uint8_t bonus) noexcept nogil:
    """Turn a cell of the player without building into a base, which others may no longer enter. [TF-8, M7]"""
    cdef Header *header = header_of(state)
    cdef uint8_t *lands = land_of(k, state)
    cdef uint8_t *land = lands + cell
    cdef uint8_t *moves = moves_of(k, state)
    cdef const int16_t *step = k.step[cell]
    cdef int32_t d
    header.scores[header.player] += <int16_t>(BASE_POINTS + bonus - (0 if land[0] & HOLE else TERRITORY_POINTS))
    header.num_bases += 1
    land[0] = <uint8_t>(owned_by(header.player) | building)                  # TF-11
    worth_of(k, state)[cell] = bonus
    moves[cell] = directions_of(k, lands, cell, header.player)
    for d in range(NUM_DIRECTIONS):                      # without a neighbour, the step is to the cell itself
        if owner_of(lands[step[d]]) != header.player:
            moves[step[d]] &= ~k.opposite[d]


cdef inline void build(const Params *k, void *state, int32_t cell, int32_t building) noexcept nogil:
    """Play a legal build. [TF-43, TF-R42]"""
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
        sets_of(state)[cell >> 6].manned &= ~bit_of(cell)
    if building == FACTORY or building == TOWER or building == SHIELD:
        sets_of(state)[cell >> 6].devices |= bit_of(cell)
    header.specials |= special_of(building, header.player)
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
    """Set the robots of a cell to `left`; the owner stays. [TF-R17]"""
    robots_of(k, state)[cell] = left
    if left == 0:
        sets_of(state)[cell >> 6].manned &= ~bit_of(cell)


cdef inline void halve_around(const Params *k, void *state, int32_t shield, int32_t player) noexcept nogil:
    """Halve the player's robots around one of its shields. [TF-29, TF-R9 to TF-R12]"""
    cdef const uint8_t *land = land_of(k, state)
    cdef const int16_t *near = k.near[shield]
    cdef int32_t *robots = robots_of(k, state)
    cdef int32_t i, cell
    for i in range(1, k.within[shield][1]):
        cell = near[i]
        if owner_of(land[cell]) == player:
            leave(k, state, cell, robots[cell] >> 1)


cdef inline void double_around(const Params *k, void *state, int32_t shield, int32_t player) noexcept nogil:
    """Double the player's robots around one of its shields. [TF-33, TF-49, TF-R44]"""
    cdef const uint8_t *land = land_of(k, state)
    cdef const int16_t *near = k.near[shield]
    cdef int32_t *robots = robots_of(k, state)
    cdef int32_t i
    for i in range(1, k.within[shield][1]):
        if owner_of(land[near[i]]) == player:
            robots[near[i]] *= 2


cdef inline void fire_at_nearest(const Params *k, const void *state, int32_t tower, int32_t player, uint64_t *hits,
                                 int32_t *left) noexcept nogil:
    """Fire a rulebook tower at the nearest enemies: put their cells into `hits` and the remaining robots into `left`.

    The robots of the state do not change, because all towers fire at once. [TF-34, TF-50, TF-R13 to TF-R16]
    """
    cdef const Sets *sets = sets_of(state)
    cdef const uint64_t *ring
    cdef const int32_t *robots = robots_of(k, state)
    cdef uint64_t found, bits
    cdef int32_t reach, word, cell
    for reach in range(TOWER_RANGE):
        ring = k.rings + (tower * TOWER_RANGE + reach) * k.words
        found = 0
        for word in range(k.words):
            bits = ring[word] & sets[word].manned & ~sets[word].owned[player]
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
    """Fire a contest tower along the axes. [TF-R18]"""
    cdef const Sets *sets = sets_of(state)
    cdef const uint64_t *reach = k.reach + tower * k.words
    cdef uint64_t bits
    cdef int32_t word, cell
    for word in range(k.words):
        bits = reach[word] & sets[word].manned & ~sets[word].owned[player]
        while bits:
            cell = next_of(&bits, word)
            leave(k, state, cell, max(0, robots_of(k, state)[cell] - SHOT))


# -- a turn [section 5] -------------------------------------------------------------------------------

cdef inline void offer_moves(const Params *k, void *state, const int32_t *movable, int32_t *moved) noexcept nogil:
    """Find the moves of the player's robots, of which `movable` of each cell have not moved; set `moved` to zeros."""
    cdef Header *header = header_of(state)
    cdef Sets *sets = sets_of(state)
    cdef uint64_t ready[MAX_WORDS]
    cdef int32_t word
    header.num_moves = <int16_t>k.kernels.offers(k.cells, movable, land_of(k, state), ANY_OWNER,
                                                 owned_by(header.player), moves_of(k, state), moved, ready)
    for word in range(k.words):
        sets[word].ready = ready[word]


cdef inline void begin_turn(const Params *k, void *state) noexcept nogil:
    """Begin a turn, in the order of section 5.2. [TF-R38]"""
    cdef Header *header = header_of(state)
    cdef int32_t player = header.player, word, cell, building
    cdef Sets *sets = sets_of(state)
    cdef const uint8_t *land = land_of(k, state)
    cdef int32_t *robots = robots_of(k, state)
    cdef uint64_t bits
    for word in range(k.words):                                              # step 1 [TF-28, TF-R8]
        bits = sets[word].owned[player] & sets[word].devices
        while bits:
            cell = next_of(&bits, word)
            building = land[cell] & BUILDING
            if building <= FACTORY:
                robots[cell] += HOME_MAKES if building == HOME else FACTORY_MAKES
                sets[word].manned |= bit_of(cell)
    if header.specials >> ARMED_AT >> player & 1:
        for word in range(k.words):                                          # step 2
            bits = sets[word].owned[player] & sets[word].devices
            while bits:
                cell = next_of(&bits, word)
                building = land[cell] & BUILDING
                if building == SHIELD:
                    halve_around(k, state, cell, player)
                elif building == TOWER and k.contest:
                    fire_along_axes(k, state, cell, player)
    header.ply += 1                                                          # step 3
    header.phase = CHOOSE
    offer_moves(k, state, robots, moved_of(k, state))


cdef inline bint is_over(const Params *k, const void *state) noexcept nogil:
    """Return whether the game ends with this turn. [section 8.2]"""
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
    """Apply the shields and towers at the end of a rulebook turn. [section 5.3 step 1]"""
    cdef int32_t player = header_of(state).player, word, cell, building
    cdef Sets *sets = sets_of(state)
    cdef const uint8_t *land = land_of(k, state)
    cdef uint64_t hits[MAX_WORDS]
    cdef int32_t left[MAX_CELLS]                         # remaining robots of the cells in `hits`
    cdef uint64_t bits
    cdef bint has_fired = False                          # then `hits` has a value
    for word in range(k.words):
        bits = sets[word].owned[player] & sets[word].devices
        while bits:                                      # shields affect own robots, towers those of others
            cell = next_of(&bits, word)
            building = land[cell] & BUILDING
            if building == SHIELD:
                double_around(k, state, cell, player)
            elif building == TOWER:
                if not has_fired:
                    memset(hits, 0, sizeof(hits))
                    has_fired = True
                fire_at_nearest(k, state, cell, player, hits, left)
    if has_fired:
        for word in range(k.words):
            while hits[word]:
                cell = next_of(&hits[word], word)
                leave(k, state, cell, left[cell])


cdef inline int32_t end_turn(const Params *k, void *state) noexcept nogil:
    """End a turn; return 0, or MASUME_TERMINAL if the game is over. [section 5.3, TF-R37]"""
    cdef Header *header = header_of(state)
    if not k.contest and header.specials >> ARMED_AT >> header.player & 1:
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


# -- derived values -----------------------------------------------------------------------------------

cdef inline void derive(const Params *k, void *state) noexcept nogil:
    """Compute the sets, the moves, the counts in the header and the worth of cells that are not bases."""
    cdef Header *header = header_of(state)
    cdef const uint8_t *land = land_of(k, state)
    cdef int32_t movable[MAX_CELLS + WIDE_BLOCK]
    cdef int32_t unused[MAX_CELLS]
    cdef int32_t cell, owner, building
    cdef Sets *sets = sets_of(state)
    memset(sets, 0, k.words * sizeof(Sets))
    memset(header.scores, 0, sizeof(header.scores))
    header.num_bases = 0
    header.num_moves = 0
    header.specials = 0
    memset(moves_of(k, state), 0, k.cells)
    for cell in range(k.cells):
        owner = owner_of(land[cell])
        building = land[cell] & BUILDING
        if building == 0:
            worth_of(k, state)[cell] = 0
        if owner < 0:
            continue
        sets[cell >> 6].owned[owner] |= bit_of(cell)
        if robots_of(k, state)[cell] > 0:
            sets[cell >> 6].manned |= bit_of(cell)
        if building != 0:
            header.num_bases += 1
            header.specials |= special_of(building, owner)
            header.scores[owner] += BASE_POINTS + worth_of(k, state)[cell]
            if building == HOME or building == FACTORY or building == TOWER or building == SHIELD:
                sets[cell >> 6].devices |= bit_of(cell)
        elif not land[cell] & HOLE:
            header.scores[owner] += TERRITORY_POINTS
            worth_of(k, state)[cell] = material_of(k, land, cell, owner)
        if not land[cell] & HOLE:                                            # [M4]
            moves_of(k, state)[cell] = directions_of(k, land, cell, owner)
    if header.phase <= MOVE and not header.finished:
        for cell in range(k.cells):
            movable[cell] = robots_of(k, state)[cell] - moved_of(k, state)[cell]
        offer_moves(k, state, movable, unused)

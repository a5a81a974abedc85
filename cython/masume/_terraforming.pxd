# cython: language_level=3, cdivision=True
"""Terraforming: the layout of a state and the rules, inline, so that whoever needs them compiles the same text.

A state is a header, seven sets of cells as bits, and five arrays of a value a cell. What the rules speak of is in
`robots`, `moved`, `land` (building, hole, owner) and `worth` (the Material of a territory, the bonus of a base);
the sets, `moves` and what the header counts follow from these and are kept up to date.

A player's robots can go nowhere new within a turn, for bases change by a build alone, which ends all moves: so the
directions of each cell are found once, when the turn begins.

Widths: a position from outside holds at most 2^24 robots, each of 10000 rounds makes at most 5 a cell, and shields
multiply by 64: below 2^31, so robots are int32. Scores are at most 331 * 43, legal moves at most 24 * 331: int16.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from masume._game cimport MASUME_TERMINAL, masume_below
from masume._provide cimport wide_level

cdef extern from *:
    int __builtin_ctzll(unsigned long long) nogil


cdef enum:
    NUM_PLAYERS = 3
    MAX_RADIUS = 10
    MAX_CELLS = 331
    MAX_WORDS = 6
    MAX_THIRD = 110
    MAX_RINGS = 9930               # cells * TOWER_RANGE * words
    MAX_REACH = 1986               # cells * words
    MAX_KINDS = 8
    NUM_DIRECTIONS = 6
    NUM_BUCKETS = 4
    CELL_CODES = 24                # RL codes of a cell's moves
    NEAR = 19                      # cells at distance 0..2
    TOWER_RANGE = 5
    MAX_MATERIAL_SUM = 49
    MAX_STATE_WORDS = 504          # of 64 bits
    MANY = 63                      # robots: more make no difference to what can be built

cdef enum:                         # phases [section 3.2]
    CHOOSE
    MOVE
    BUILT
    PRE

cdef enum:                         # buildings [section 2]
    EMPTY
    HOME
    FACTORY
    TOWER
    PIT
    BRIDGE
    PARK
    PLAZA
    SHIELD
    PUBLIC
    NUM_BUILDINGS

cdef enum:                         # of a `land`: a building, and these; 0 is wasteland
    BUILDING = 15
    HOLE = 16
    OWNER_AT = 5                   # owner + 1 from this bit on
    NUM_LANDS = 128

cdef enum:                         # the sets of a state
    OWNED                          # + player
    MANNED = 3                     # cells with robots
    HOLES
    DEVICES                        # home bases, factories, towers, shields
    READY                          # cells whose `moves` are not 0
    NUM_SETS

cdef enum:                         # of a `moves`: a bit for each direction, and
    OFFERED_AT = 6                 # amounts offered less one from this bit on
    DIRECTIONS = 63

cdef enum:                         # points, production, damage
    TERRITORY_POINTS = 1           # TF-22
    BASE_POINTS = 3                # TF-21
    PUBLIC_BONUS = 10              # TF-20, TF-R29
    HOME_MAKES = 5                 # TF-27
    FACTORY_MAKES = 1              # TF-51
    TOWN_MATERIAL = 9              # TF-R39
    SHOT = 2                       # robots that a contest tower takes [TF-R18]


cdef struct Header:
    int16_t ply
    int16_t num_moves              # legal RL codes of moves
    int16_t scores[NUM_PLAYERS]
    int16_t num_bases
    uint8_t player
    uint8_t phase
    uint8_t finished
    uint8_t padding


cdef struct Params:
    const wide_level *level
    int32_t radius
    int32_t cells                  # N
    int32_t words                  # of a set
    int32_t kinds                  # B
    int32_t first_build            # RL code
    int32_t actions                # RL codes
    int32_t last_ply               # 3 * max_turns
    int32_t score_limit            # 0: none
    bint contest
    bint end_all_developed
    bint shared                    # tie_break="shared"
    bint illegal_locks
    bint generated                 # else every game starts at `start`
    bint by_chance                 # hole_mode="chance"
    int32_t holes_per_third
    int32_t hole_divisor
    int32_t hole_cap
    int32_t map_check
    int32_t third_size             # cells of T0
    uint32_t robots_at             # bytes from the start of a state
    uint32_t moved_at
    uint32_t moves_at
    uint32_t land_at
    uint32_t worth_at
    uint32_t state_size
    int32_t price[NUM_BUILDINGS]                 # robots that a building costs
    int32_t least[NUM_BUILDINGS]                 # robots that must be there [TF-R24]
    int32_t recipe[NUM_BUILDINGS]                # least Material sum
    uint8_t by_material[MAX_MATERIAL_SUM + 1]    # bit w - 2 where building w needs no more
    uint8_t by_robots[MANY + 1]
    uint8_t enterable[NUM_PLAYERS][NUM_LANDS]    # 1 where the player's robots may go [M7]
    uint8_t weight[256]                          # RL codes of a `moves`
    uint8_t ones[256]                            # how many bits are set
    uint8_t nth[256][8]                          # which bit is the k-th that is set
    uint32_t spread[256]                         # RL codes of a `moves` as bits
    uint8_t pattern[256][CELL_CODES]             # and as bytes
    uint8_t places[256][CELL_CODES]              # and one after the other; then zeros
    int16_t third[MAX_THIRD]                     # T0 in scan order
    int16_t rotated[MAX_CELLS]                   # rot120
    uint8_t on_board[MAX_CELLS]                  # bit d where there is a neighbour in direction d
    int16_t step[MAX_CELLS][NUM_DIRECTIONS]      # the neighbour, the cell itself where there is none
    int8_t self_share[MAX_CELLS]                 # 1 less the directions of which the latter is true
    uint8_t within[MAX_CELLS][3]                 # how many cells are at distance 0..i
    int16_t near[MAX_CELLS][NEAR]                # these cells, the nearest first
    uint64_t rings[MAX_RINGS]                    # [cell][distance - 1][words]
    uint64_t reach[MAX_REACH]                    # [cell][words]: all that a tower reaches
    int16_t flat[NUM_PLAYERS][MAX_CELLS]         # where the canonical view of a seat shows each cell
    int16_t square[NUM_PLAYERS][MAX_CELLS]       # and where on the square grid
    uint64_t hash_keys[MAX_STATE_WORDS]
    uint64_t start[MAX_STATE_WORDS]               # the board of an explicit map, else zeros


# -- the parts of a state -------------------------------------------------------------------------

cdef inline Header *header_of(const void *state) noexcept nogil:
    return <Header *>state


cdef inline uint64_t *set_of(const Params *k, const void *state, int32_t which) noexcept nogil:
    """One of the sets, words."""
    return <uint64_t *>(<uint8_t *>state + sizeof(Header)) + which * k.words


cdef inline int32_t *robots_of(const Params *k, const void *state) noexcept nogil:
    return <int32_t *>(<uint8_t *>state + k.robots_at)


cdef inline int32_t *moved_of(const Params *k, const void *state) noexcept nogil:
    return <int32_t *>(<uint8_t *>state + k.moved_at)


cdef inline uint8_t *moves_of(const Params *k, const void *state) noexcept nogil:
    """Where the robots of each cell may go, and how many amounts the RL codes offer; 0 where none may."""
    return <uint8_t *>state + k.moves_at


cdef inline uint8_t *land_of(const Params *k, const void *state) noexcept nogil:
    return <uint8_t *>state + k.land_at


cdef inline uint8_t *worth_of(const Params *k, const void *state) noexcept nogil:
    return <uint8_t *>state + k.worth_at


cdef inline uint8_t owned_by(int32_t player) noexcept nogil:
    """The land that is the player's territory."""
    return <uint8_t>((player + 1) << OWNER_AT)


cdef inline int32_t owner_of(uint8_t land) noexcept nogil:
    """-1 where it is nobody's."""
    return (land >> OWNER_AT) - 1


# -- sets -----------------------------------------------------------------------------------------

cdef inline void put(uint64_t *cells, int32_t cell) noexcept nogil:
    cells[cell >> 6] |= <uint64_t>1 << (cell & 63)


cdef inline void drop(uint64_t *cells, int32_t cell) noexcept nogil:
    cells[cell >> 6] &= ~(<uint64_t>1 << (cell & 63))


cdef inline int32_t next_of(uint64_t *bits, int32_t word) noexcept nogil:
    """Take the first cell out of a word, which is number `word` of its set and not 0."""
    cdef int32_t cell = word * 64 + __builtin_ctzll(bits[0])
    bits[0] &= bits[0] - 1
    return cell


# -- Material, directions, amounts --------------------------------------------------------------------

cdef inline uint8_t material_of(const Params *k, const uint8_t *land, int32_t cell, int32_t player) noexcept nogil:
    """The Material of a cell that is the player's territory. [section 3.3, TF-R27]"""
    cdef const int16_t *near = k.near[cell]
    cdef uint8_t pit = PIT | owned_by(player), material = 1
    cdef int32_t i
    for i in range(1, k.within[cell][1]):
        material += land[near[i]] == pit
    return material


cdef inline int32_t material_sum(const Params *k, const void *state, int32_t cell, int32_t player) noexcept nogil:
    """The Material of the player's territory among the cell and its neighbours. [TF-45]"""
    cdef const uint8_t *land = land_of(k, state)
    cdef const uint8_t *worth = worth_of(k, state)
    cdef const int16_t *step = k.step[cell]
    cdef uint8_t mine = owned_by(player)
    cdef int32_t d, sum = worth[cell] * k.self_share[cell] & -<int32_t>(land[cell] == mine)
    for d in range(NUM_DIRECTIONS):
        sum += worth[step[d]] & -<int32_t>(land[step[d]] == mine)
    return sum


cdef inline uint8_t make_moves(uint8_t directions, int32_t movable) noexcept nogil:
    """The `moves` of a cell with so many movable robots. [section 6.4]"""
    cdef int32_t offered = (movable > 1) + (movable > 2) + (movable > 4)
    return <uint8_t>(directions | offered << OFFERED_AT) if movable > 0 and directions else 0


cdef inline uint8_t directions_of(const Params *k, const uint8_t *land, int32_t cell, int32_t player) noexcept nogil:
    """Bit d where the player's robots may go from the cell in direction d. [M3, M7]"""
    cdef const uint8_t *enterable = k.enterable[player]
    cdef const int16_t *step = k.step[cell]
    cdef int32_t d, found = 0
    for d in range(NUM_DIRECTIONS):
        found |= enterable[land[step[d]]] << d
    return <uint8_t>(found & k.on_board[cell])


cdef inline int32_t amount_of(int32_t movable, int32_t bucket) noexcept nogil:
    """All, the greater half, a quarter rounded up, one. [section 6.4]"""
    return 1 if bucket == 3 else (movable + (1 << bucket) - 1) >> bucket


cdef inline uint32_t builds_of(const Params *k, const void *state, int32_t cell) noexcept nogil:
    """Bit w - 2 where the player, whose cell it is, may build w there in CHOOSE. [B5 to B8]"""
    cdef uint8_t land = land_of(k, state)[cell]
    cdef int32_t robots = robots_of(k, state)[cell]
    cdef uint32_t found = k.by_robots[robots if robots < MANY else MANY]
    if found == 0 or land & BUILDING:
        return 0
    if land & HOLE:                                                          # TF-12, B6
        found &= 1 << BRIDGE - FACTORY
    else:
        found &= ~(1 << BRIDGE - FACTORY)
    return found & k.by_material[material_sum(k, state, cell, header_of(state).player)]


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
    if owner_of(land_of(k, state)[target]) == player:                        # step 2; no more of them can move
        robots[target] += amount
        moved[target] += amount
        put(manned, target)
    elif amount > robots[target]:                                            # step 3 [TF-38, TF-39]
        robots[target] = amount - robots[target]
        moved[target] = robots[target]
        put(manned, target)
        capture(k, state, target, player)
    else:                                                                    # step 4 [TF-R21]
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
    """A legal build."""
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
    drop(set_of(k, state, HOLES), cell)
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
    """The player's robots around one of its shields. [TF-29, TF-R9]"""
    cdef const uint8_t *land = land_of(k, state)
    cdef const int16_t *near = k.near[shield]
    cdef int32_t *robots = robots_of(k, state)
    cdef int32_t i, cell
    for i in range(1, k.within[shield][1]):
        cell = near[i]
        if owner_of(land[cell]) == player:
            leave(k, state, cell, robots[cell] >> 1)


cdef inline void double_around(const Params *k, void *state, int32_t shield, int32_t player) noexcept nogil:
    """The player's robots around one of its shields. [TF-33]"""
    cdef const uint8_t *land = land_of(k, state)
    cdef const int16_t *near = k.near[shield]
    cdef int32_t *robots = robots_of(k, state)
    cdef int32_t i
    for i in range(1, k.within[shield][1]):
        if owner_of(land[near[i]]) == player:
            robots[near[i]] *= 2


cdef inline void aim(const Params *k, const void *state, int32_t tower, int32_t player, uint64_t *hits,
                     int32_t *left) noexcept nogil:
    """A rulebook tower aims at the nearest enemies: their cells into `hits`, of whom so many will be left.

    The robots themselves stay, for all towers fire at once. [TF-34, TF-R13 to TF-R16]
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


cdef inline void shoot(const Params *k, void *state, int32_t tower, int32_t player) noexcept nogil:
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
    """[section 5.2]"""
    cdef Header *header = header_of(state)
    cdef int32_t player = header.player, word, cell, building
    cdef const uint64_t *own = set_of(k, state, OWNED + player)
    cdef const uint64_t *devices = set_of(k, state, DEVICES)
    cdef const uint8_t *land = land_of(k, state)
    cdef int32_t *robots = robots_of(k, state)
    cdef uint64_t bits
    for word in range(k.words):                                              # step 1 [TF-28]
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
                shoot(k, state, cell, player)
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
                aim(k, state, cell, player, hits, left)
    for word in range(k.words):
        while hits[word]:
            cell = next_of(&hits[word], word)
            leave(k, state, cell, left[cell])


cdef inline int32_t end_turn(const Params *k, void *state) noexcept nogil:
    """0, or MASUME_TERMINAL where the game is over. [section 5.3]"""
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


# -- RL codes [section 6.4] -----------------------------------------------------------------------------

cdef inline bint is_playing(const void *state) noexcept nogil:
    """Whether somebody decides."""
    return header_of(state).phase != PRE and not header_of(state).finished


cdef inline int32_t play(const Params *k, void *state, int32_t code) noexcept nogil:
    """0, MASUME_TERMINAL, or -1 for an illegal code, with nothing changed; somebody must decide."""
    cdef const Header *header = header_of(state)
    cdef int32_t cell, rest, moves
    if code == 0:
        return end_turn(k, state)
    if not 0 < code < k.actions:
        return -1
    if code < k.first_build:
        cell = (code - 1) // CELL_CODES
        rest = (code - 1) % CELL_CODES
        moves = moves_of(k, state)[cell]                 # 0 where M1, M4, M5 or M6 forbid any move
        if not moves >> (rest >> 2) & 1 or rest & 3 > moves >> OFFERED_AT:
            return -1
        move(k, state, cell, rest >> 2, amount_of(robots_of(k, state)[cell] - moved_of(k, state)[cell], rest & 3))
        return 0
    cell = (code - k.first_build) // k.kinds
    rest = (code - k.first_build) % k.kinds
    if (header.phase != CHOOSE or owner_of(land_of(k, state)[cell]) != header.player
            or not builds_of(k, state, cell) >> rest & 1):
        return -1
    build(k, state, cell, FACTORY + rest)
    return 0


cdef inline int32_t move_code(const Params *k, const void *state, int32_t left) noexcept nogil:
    """The RL code of the move before which there are `left` others."""
    cdef const uint64_t *ready = set_of(k, state, READY)
    cdef const uint8_t *moves = moves_of(k, state)
    cdef uint64_t bits
    cdef int32_t word, cell, weight, offered
    for word in range(k.words):
        bits = ready[word]
        while bits:
            cell = next_of(&bits, word)
            weight = k.weight[moves[cell]]
            if left < weight:
                offered = (moves[cell] >> OFFERED_AT) + 1
                return (1 + CELL_CODES * cell + NUM_BUCKETS * k.nth[moves[cell] & DIRECTIONS][left // offered]
                        + left % offered)
            left -= weight
    return 0


cdef inline int32_t pick(const Params *k, const void *state, uint64_t *rng) noexcept nogil:
    """A legal RL code, all as likely, one draw always; somebody must decide."""
    cdef const Header *header = header_of(state)
    cdef const uint64_t *own = set_of(k, state, OWNED + header.player)
    cdef const uint64_t *manned = set_of(k, state, MANNED)
    cdef int16_t sites[MAX_CELLS]
    cdef uint8_t builds[MAX_CELLS]
    cdef uint64_t bits
    cdef int32_t word, cell, left, count = 0, total = 1 + header.num_moves, site = 0
    if header.phase == CHOOSE:
        for word in range(k.words):
            bits = own[word] & manned[word]
            while bits:
                cell = next_of(&bits, word)
                builds[count] = <uint8_t>builds_of(k, state, cell)
                sites[count] = <int16_t>cell
                total += k.ones[builds[count]]
                count += builds[count] != 0
    left = <int32_t>masume_below(rng, total) - 1
    if left < 0:
        return 0
    if left < header.num_moves:
        return move_code(k, state, left)
    left -= header.num_moves
    while left >= k.ones[builds[site]]:                  # ends: `left` builds come before the chosen one
        left -= k.ones[builds[site]]
        site += 1
    return k.first_build + k.kinds * sites[site] + k.nth[builds[site]][left]

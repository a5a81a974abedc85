# cython: language_level=3, cdivision=True
"""Terraforming: the layout of a state, and what all rules ask of it.

A state is a header, seven sets of cells as bits, and five arrays of a value a cell. What the rules speak of is in
`robots`, `moved`, `land` (building, hole, owner) and `worth` (the Material of a territory, the bonus of a base);
the sets, `moves` and what the header counts follow from these and are kept up to date.

A player's robots can go nowhere new within a turn, for bases change by a build alone, which ends all moves: so the
directions of each cell are found once, when the turn begins.

Widths: a position from outside holds at most 2^24 robots, each of 10000 rounds makes at most 5 a cell, and shields
multiply by 64: below 2^31, so robots are int32. Scores are at most 331 * 43, legal moves at most 24 * 331: int16.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t, uint64_t
from masume.core.bits cimport bits_first64
from masume.core._game cimport masume_game
from masume.core._wide cimport wide_level


cdef enum:
    NUM_PLAYERS = 3
    MAX_CELLS = 331
    MAX_WORDS = 6
    MAX_THIRD = 110
    MAX_RINGS = 9930               # cells * TOWER_RANGE * words
    MAX_REACH = 1986               # cells * words
    NUM_DIRECTIONS = 6
    NUM_BUCKETS = 4
    CELL_CODES = 24                # RL codes of a cell's moves
    NEAR = 19                      # cells at distance 0..2
    TOWER_RANGE = 5
    AXIS_RANGE = 2                 # of a contest tower [TF-R18]
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
    bint is_generated              # else every game starts at `start`
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

cdef inline const Params *params_of(const masume_game *g) noexcept nogil:
    return <const Params *>g.params


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
    """The land that is the player's territory. [TF-4]"""
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
    cdef int32_t cell = word * 64 + bits_first64(bits[0])
    bits[0] &= bits[0] - 1
    return cell


# -- Material, directions, amounts --------------------------------------------------------------------

cdef inline uint8_t material_of(const Params *k, const uint8_t *land, int32_t cell, int32_t player) noexcept nogil:
    """The Material of a cell that is the player's territory. [TF-6, TF-52, TF-R27]"""
    cdef const int16_t *near = k.near[cell]
    cdef uint8_t pit = PIT | owned_by(player), material = 1
    cdef int32_t i
    for i in range(1, k.within[cell][1]):
        material += land[near[i]] == pit
    return material


cdef inline int32_t material_sum(const Params *k, const void *state, int32_t cell, int32_t player) noexcept nogil:
    """The Material of the player's territory among the cell and its neighbours. [TF-45, TF-46]"""
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

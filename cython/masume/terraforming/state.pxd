# cython: language_level=3, cdivision=True
"""Terraforming: the layout of a state, and the helpers that all rules use.

A state is a header, six sets of cells as bits, interleaved by 64 cells, and five arrays with a value per cell. The
variables of the rules are in `robots`, `moved`, `land` (building, hole, owner) and `worth` (the Material of a
territory, the bonus of a base). The sets, `moves` and the counts in the header are derived from these and kept up to
date.

A `moves` holds the directions in which the robots of the cell's owner can go, whoever is to move. Only its owner and
the bases around it decide them, so they change only when a cell is taken or a base is built next to it. What else a
turn needs is found for all cells at once, by a kernel at its beginning.

Widths: a position from outside holds at most 2^24 robots, each of 10000 rounds makes at most 5 per cell, and shields
multiply by 64; the total is below 2^31, so robots are int32. Scores are at most 331 * 43 and legal moves at most
24 * 331, so they are int16.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from masume.core.bits cimport bits_first64
from masume.core._game cimport masume_game
from masume.core._wide cimport wide_level

cdef extern from "masume/terraforming/kernels.h" nogil:
    ctypedef struct terraforming_level:
        int32_t (*offers)(int32_t, const int32_t *, const uint8_t *, uint8_t, uint8_t, uint8_t *, int32_t *,
                          uint64_t *) noexcept nogil

    const terraforming_level *terraforming_pick(const char *)


cdef enum:
    NUM_PLAYERS = 3
    MAX_CELLS = 331
    MAX_COLUMNS = 21
    COLUMN_WORDS = 3               # of eight bytes, for the longest column
    MAX_WORDS = 6
    MAX_THIRD = 110
    MAX_RINGS = 9930               # cells * TOWER_RANGE * words
    MAX_REACH = 1986               # cells * words
    NUM_DIRECTIONS = 6
    NUM_BUCKETS = 4
    CELL_CODES = 24                # RL codes of moves per cell
    NEAR = 19                      # cells at distance 0..2
    TOWER_RANGE = 5
    AXIS_RANGE = 2                 # of a contest tower [TF-R18]
    MAX_MATERIAL_SUM = 49
    MAX_STATE_WORDS = 504          # 64 bits each
    MANY = 63                      # robots; more robots allow no further buildings

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

cdef enum:                         # bits of a `land`, with the code of the building; 0 is wasteland
    BUILDING = 15
    HOLE = 16
    OWNER_AT = 5                   # owner + 1 from this bit on
    ANY_OWNER = 96
    NUM_LANDS = 128

cdef enum:                         # bits of a `moves`: one for each direction, and
    OFFERED_AT = 6                 # of `ready` cells the number of amounts offered minus one, from this bit on
    DIRECTIONS = 63
    NUM_OFFERS = 6                 # movable robots; more of them make no difference

cdef enum:
    ARMED_AT = 3                   # in `specials`, see there

cdef enum:                         # points, production, damage
    TERRITORY_POINTS = 1           # TF-22
    BASE_POINTS = 3                # TF-21
    PUBLIC_BONUS = 10              # TF-20, TF-R29
    HOME_MAKES = 5                 # TF-27
    FACTORY_MAKES = 1              # TF-51
    TOWN_MATERIAL = 9              # TF-R39
    SHOT = 2                       # robots that a contest tower removes [TF-R18]


cdef struct Header:
    int16_t ply
    int16_t num_moves              # number of legal RL codes of moves
    int16_t scores[NUM_PLAYERS]
    int16_t num_bases
    uint8_t player
    uint8_t phase
    uint8_t finished
    uint8_t specials               # bit p: player p has a mining device; bit ARMED_AT + p: a tower or a shield


cdef struct Sets:                  # sets of 64 cells, as bits
    uint64_t owned[NUM_PLAYERS]
    uint64_t manned                # cells with robots
    uint64_t devices               # home bases, factories, towers, shields
    uint64_t ready                 # cells with moves of the player to move


cdef struct Column:                # cells of one x, neighbours in the order of cells
    uint64_t cells[COLUMN_WORDS]   # a byte of ones for each, then zeros
    int32_t first                  # number of the first cell
    int32_t place                  # its place in a field with room around the board, see `add_up`


cdef struct Params:
    const wide_level *level        # CPU level
    const terraforming_level *kernels
    int32_t radius
    int32_t cells                  # N
    int32_t words                  # 64-bit words of a set
    int32_t kinds                  # B
    int32_t first_build            # RL code of the first build
    int32_t actions                # number of RL codes
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
    uint32_t robots_at             # byte offsets in a state
    uint32_t moved_at
    uint32_t moves_at
    uint32_t land_at
    uint32_t worth_at
    uint32_t state_size
    int32_t price[NUM_BUILDINGS]                 # robots that a building costs
    int32_t least[NUM_BUILDINGS]                 # robots required on the site [TF-R24]
    int32_t recipe[NUM_BUILDINGS]                # Material sum required
    uint8_t by_material[MAX_MATERIAL_SUM + 1]    # bit w - 2: this Material sum suffices for building w
    uint8_t by_robots[MANY + 1]                  # bit w - 2: this number of robots suffices for building w
    uint8_t enterable[NUM_PLAYERS][NUM_LANDS]    # 1 if the player's robots may enter [M7]
    uint8_t opposite[NUM_DIRECTIONS]             # bit of the opposite direction
    uint16_t offers[NUM_OFFERS][DIRECTIONS + 1]  # see `offer`
    uint8_t weight[256]                          # number of RL codes of a `moves`
    uint8_t ones[256]                            # number of bits set
    uint8_t nth[256][8]                          # position of the k-th bit set
    uint32_t spread[256]                         # RL codes of a `moves`, as bits
    uint8_t pattern[256][CELL_CODES]             # the same as bytes
    uint8_t places[256][CELL_CODES]              # the same as a list, then zeros
    int16_t third[MAX_THIRD]                     # T0 in scan order
    int16_t rotated[MAX_CELLS]                   # rot120
    uint8_t on_board[MAX_CELLS]                  # bit d: there is a neighbour in direction d
    int16_t step[MAX_CELLS][NUM_DIRECTIONS]      # the neighbour, or the cell itself if there is none
    Column columns[MAX_COLUMNS]                  # 2 * radius + 1
    int8_t self_share[MAX_CELLS]                 # 1 minus the number of directions without a neighbour
    uint8_t within[MAX_CELLS][3]                 # number of cells at distance 0..i
    int16_t near[MAX_CELLS][NEAR]                # these cells, nearest first
    uint64_t rings[MAX_RINGS]                    # [cell][distance - 1][words]
    uint64_t around[MAX_CELLS][MAX_WORDS]        # the neighbours
    uint64_t reach[MAX_REACH]                    # [cell][words]: all cells in range of a tower
    int16_t flat[NUM_PLAYERS][MAX_CELLS]         # place of each cell in the canonical view of a seat
    int16_t square[NUM_PLAYERS][MAX_CELLS]       # the same on the square grid
    uint64_t hash_keys[MAX_STATE_WORDS]
    uint64_t start[MAX_STATE_WORDS]               # the board of an explicit map, else zeros


# -- the parts of a state -------------------------------------------------------------------------

cdef inline const Params *params_of(const masume_game *g) noexcept nogil:
    return <const Params *>g.params


cdef inline Header *header_of(const void *state) noexcept nogil:
    return <Header *>state


cdef inline Sets *sets_of(const void *state) noexcept nogil:
    """Return the sets: cell c is bit c % 64 of a word in element c / 64."""
    return <Sets *>(<uint8_t *>state + sizeof(Header))


cdef inline int32_t *robots_of(const Params *k, const void *state) noexcept nogil:
    return <int32_t *>(<uint8_t *>state + k.robots_at)


cdef inline int32_t *moved_of(const Params *k, const void *state) noexcept nogil:
    return <int32_t *>(<uint8_t *>state + k.moved_at)


cdef inline uint8_t *moves_of(const Params *k, const void *state) noexcept nogil:
    """Return, per cell, the directions of its owner's robots and, of `ready` cells, the amounts offered as RL codes."""
    return <uint8_t *>state + k.moves_at


cdef inline uint8_t *land_of(const Params *k, const void *state) noexcept nogil:
    return <uint8_t *>state + k.land_at


cdef inline uint8_t *worth_of(const Params *k, const void *state) noexcept nogil:
    return <uint8_t *>state + k.worth_at


cdef inline uint8_t owned_by(int32_t player) noexcept nogil:
    """Return the `land` of the player's territory. [TF-4]"""
    return <uint8_t>((player + 1) << OWNER_AT)


cdef inline int32_t owner_of(uint8_t land) noexcept nogil:
    """Return the owner, -1 for nobody."""
    return (land >> OWNER_AT) - 1


# -- sets -----------------------------------------------------------------------------------------

cdef inline uint64_t bit_of(int32_t cell) noexcept nogil:
    """Return the cell's bit in its word."""
    return <uint64_t>1 << (cell & 63)


cdef inline void put(uint64_t *cells, int32_t cell) noexcept nogil:
    """Put a cell into a set whose words are consecutive."""
    cells[cell >> 6] |= bit_of(cell)


cdef inline int32_t next_of(uint64_t *bits, int32_t word) noexcept nogil:
    """Remove the first cell from a word and return it; the word is number `word` of its set and not 0."""
    cdef int32_t cell = word * 64 + bits_first64(bits[0])
    bits[0] &= bits[0] - 1
    return cell


# -- Material, directions, amounts --------------------------------------------------------------------

cdef inline uint8_t material_of(const Params *k, const uint8_t *land, int32_t cell, int32_t player) noexcept nogil:
    """Return the Material of a cell that is the player's territory. [TF-6, TF-52, TF-R27]"""
    cdef const int16_t *near = k.near[cell]
    cdef uint8_t pit = PIT | owned_by(player), material = 1
    cdef int32_t i
    for i in range(1, k.within[cell][1]):
        material += land[near[i]] == pit
    return material


cdef inline int32_t material_sum(const Params *k, const void *state, int32_t cell, int32_t player) noexcept nogil:
    """Return the Material of the player's territory among the cell and its neighbours. [TF-45, TF-46]"""
    cdef const uint8_t *land = land_of(k, state)
    cdef const uint8_t *worth = worth_of(k, state)
    cdef const int16_t *step = k.step[cell]
    cdef uint8_t mine = owned_by(player)
    cdef int32_t d, sum = worth[cell] * k.self_share[cell] & -<int32_t>(land[cell] == mine)
    for d in range(NUM_DIRECTIONS):
        sum += worth[step[d]] & -<int32_t>(land[step[d]] == mine)
    return sum


cdef inline uint8_t make_moves(uint8_t directions, int32_t movable) noexcept nogil:
    """Return the `moves` of a cell of the player to move with this number of movable robots. [section 6.4]"""
    cdef int32_t offered = (movable > 1) + (movable > 2) + (movable > 4)
    return <uint8_t>(directions | offered << OFFERED_AT) if directions else 0


cdef inline uint32_t offer(const Params *k, int32_t movable, uint8_t directions) noexcept nogil:
    """Return the same from a table, and from bit 8 on its number of RL codes, 0 if it is not ready."""
    return k.offers[min(movable, NUM_OFFERS - 1)][directions]


cdef inline uint8_t directions_of(const Params *k, const uint8_t *land, int32_t cell, int32_t player) noexcept nogil:
    """Return the directions in which the player's robots may leave the cell, no hole, one bit each. [M3, M7]"""
    cdef const uint8_t *enterable = k.enterable[player]
    cdef const int16_t *step = k.step[cell]
    cdef int32_t d, found = 0
    for d in range(NUM_DIRECTIONS):
        found |= enterable[land[step[d]]] << d
    return <uint8_t>(found & k.on_board[cell])


cdef inline int32_t amount_of(int32_t movable, int32_t bucket) noexcept nogil:
    """Return the amount of a bucket of a cell with movable robots: all, the greater half, a quarter rounded up, one.

    A branch on the bucket would be unpredictable. [section 6.4]
    """
    cdef uint32_t halvings = <uint32_t>0x1F020100 >> 8 * bucket & 31         # 0, 1, 2, and enough for any number
    return <int32_t>((<uint32_t>movable + ((<uint32_t>1 << halvings) - 1)) >> halvings)


cdef inline uint32_t builds_of(const Params *k, const void *state, int32_t cell) noexcept nogil:
    """Return the buildings w that the owner of the cell may build there in CHOOSE, as bits w - 2. [B5 to B8]"""
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

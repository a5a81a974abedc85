# cython: language_level=3
"""Kakomimasu: the layout of a state and the rules, as inline functions that every module compiles from one text.

A state is a header, the walls of each player as bit rows (bit x = column x [KM-8]; rows padded to a multiple of
four, at least sixteen), the territory in the same form, and the cell of each agent. Within a turn a cell is a place,
y * 32 + x (mod 1024): boards have at most 30 columns and rows, so a step off the board ends on a column or a
row that is not in `field`. Reading rows -1 to 31 of a smaller board stays within the state, and `field` masks
the values read.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset
from masume.core.bits cimport bits_first64
from masume.core._game cimport MASUME_ILLEGAL, MASUME_TERMINAL, masume_below
from masume.core._wide cimport WIDE_BLOCK, wide_level

cdef extern from "masume/grid.h" nogil:
    const int8_t GRID_DX[8]
    const int8_t GRID_DY[8]

cdef extern from "masume/kakomimasu/kernels.h" nogil:
    enum:
        MAX_ROWS
        MAX_PLAYERS

    ctypedef struct kakomimasu_level:
        void (*territory)(int32_t, int32_t, const uint32_t *, uint32_t *) noexcept nogil
        int64_t (*weigh)(int32_t, const uint32_t *, int32_t, const uint32_t *, const int32_t *) noexcept nogil

    const kakomimasu_level *kakomimasu_pick(const char *)


cdef enum:
    MAX_CELLS = 900
    MAX_VIEW = 15                  # planes of a view
    MAX_SLOTS = 64
    MAX_PLANES = 16                # bits of a point value
    STREAM_WORDS = 30              # for FIRST_PUT + MAX_CELLS bits, and a word for bits that a row might leave
    PLACES = 1024
    PLACED = 1024                  # flag of a place: the agent is placed

cdef enum:                         # kinds of action [section 6]; those that build are odd
    STAY
    MOVE
    REMOVE
    PUT
    NO_KIND                        # of a code out of range

cdef enum:                         # codes: 0 STAY, then these
    FIRST_MOVE = 1                 # + direction, clockwise from north
    FIRST_REMOVE = 9               # + direction
    FIRST_PUT = 17                 # + cell

cdef enum:                         # result codes [section 6]
    SUCCESS = 0
    CONFLICT = 1
    REVERT = 2
    ERR_ONLY_ONE_TURN = 3
    ERR_ILLEGAL_AGENT = 4
    ERR_ILLEGAL_ACTION = 5
    UNKNOWN = 8                    # a code out of range: never reported, always illegal
    BUILDS = 16                    # flags of a verdict: a valid PUT or MOVE, a valid REMOVE
    REMOVES = 32


cdef struct Header:
    int32_t played                 # resolved turns
    int32_t padding


cdef struct Params:
    const wide_level *level        # CPU level
    const kakomimasu_level *kernels    # of the CPU level
    int32_t width
    int32_t height
    int32_t cells                  # width * height
    int32_t rows                   # 4 * chunks
    int32_t chunks
    int32_t players
    int32_t agents                 # per player
    int32_t slots                  # players * agents
    int32_t actions                # FIRST_PUT + cells
    int32_t total_turns
    bint server                    # put_on_enemy_wall="server" [KM-R6, KM-R34]
    uint32_t territory_at          # bytes from the start of a state
    uint32_t agents_at
    uint32_t end_at
    uint32_t field[MAX_ROWS + 2]                 # row y of the board at y + 1
    uint32_t prized[MAX_ROWS]                    # cells of positive points
    uint8_t verdict[128]                         # result of `judge` at `verdict_at`, with BUILDS or REMOVES if in K
    uint8_t kind[FIRST_PUT + MAX_CELLS + 1]      # by code; `actions` stands for all codes out of range
    uint16_t step[FIRST_PUT + MAX_CELLS + 1]     # by code: from the agent's place, 0 if it has none, to the target
    int16_t stride[FIRST_PUT + MAX_CELLS + 1]    # by code: from the agent's cell, -1 if it has none, to the target
    uint16_t place[1 + MAX_CELLS]                # of cell n at n + 1, with PLACED; 0 at 0 for no cell
    uint64_t stand[1 + MAX_CELLS]                # of cell n at n + 1: its row << 32 | its bit; 0 at 0
    uint8_t ring[512]                            # 3x3 bits -> bit d set if the neighbour in direction d is
    uint8_t ones[256]                            # number of set bits
    uint8_t nth[256][8]                          # position of the k-th set bit
    int16_t points[MAX_CELLS]
    float point_plane[MAX_CELLS]                 # points / 16 [section 9]
    uint8_t point_bytes[MAX_CELLS + WIDE_BLOCK]  # points + 16
    uint32_t board_stream[STREAM_WORDS]          # every cell
    int32_t num_point_planes
    int32_t num_worth_planes
    int32_t point_weights[MAX_PLANES]            # weight of each bit of a point value in two's complement
    int32_t worth_weights[MAX_PLANES]            # weight of each bit of an absolute value
    uint32_t point_planes[MAX_PLANES * MAX_ROWS]         # [plane][rows]: cells whose value has the bit
    uint32_t worth_planes[MAX_PLANES * MAX_ROWS]


# -- the parts of a state -------------------------------------------------------------------------

cdef inline int32_t *played_of(const void *state) noexcept nogil:
    """Return a pointer to the number of resolved turns."""
    return &(<Header *>state).played


cdef inline uint32_t *walls_of(const void *state) noexcept nogil:
    """Return the walls, bit rows [players][rows]."""
    return <uint32_t *>(<uint8_t *>state + sizeof(Header))


cdef inline uint32_t *territory_of(const Params *k, const void *state) noexcept nogil:
    """Return the territory, bit rows [players][rows]."""
    return <uint32_t *>(<uint8_t *>state + k.territory_at)


cdef inline int16_t *agents_of(const Params *k, const void *state) noexcept nogil:
    """Return the cell of each agent, -1 if it is not placed, [players][agents]."""
    return <int16_t *>(<uint8_t *>state + k.agents_at)


cdef inline uint32_t all_walls(const uint32_t *walls, int32_t rows, int32_t players, int32_t y) noexcept nogil:
    """Return the walls of all players in row y, -1..31; arbitrary bits for rows off the board."""
    cdef uint32_t wall = walls[y] | walls[rows + y]
    if players > 2:
        wall |= walls[2 * rows + y]
    if players > 3:
        wall |= walls[3 * rows + y]
    return wall


# -- legal actions ------------------------------------------------------------------------------------

cdef inline int32_t judge(int32_t kind, bint placed, bint on_board, bint wall, bint own, bint server) noexcept nogil:
    """Return the result code of an action on the board at the start of the turn. [section 6, KM-R4]

    placed : the agent is. on_board, wall, own : the target is on the board, a wall, the player's own wall.
    """
    if kind == NO_KIND:
        return UNKNOWN
    if kind == STAY:                                                         # KM-21, KM-R19
        return SUCCESS
    if placed == (kind == PUT):                                              # KM-14, KM-15, KM-17, KM-R3
        return ERR_ILLEGAL_ACTION
    if not on_board:                                                         # KM-22, KM-31, KM-R3
        return ERR_ILLEGAL_ACTION
    if kind == REMOVE:                                                       # KM-27, KM-32, KM-40, KM-R11
        return SUCCESS if wall else ERR_ILLEGAL_ACTION
    if wall and not own and not (kind == PUT and server):                    # KM-19, KM-24, KM-33, KM-R6
        return REVERT
    return SUCCESS


cdef inline uint32_t verdict_at(uint32_t kind, uint32_t placed, uint32_t on_board, uint32_t wall,
                                uint32_t own) noexcept nogil:
    """Return the index into `Params.verdict` of these arguments of `judge`."""
    return kind | placed << 3 | on_board << 4 | wall << 5 | own << 6


cdef inline uint32_t ring_of(const Params *k, uint32_t above, uint32_t here, uint32_t below, int32_t x) noexcept nogil:
    """Return bit d set if the neighbour of column x in direction d is set."""
    return k.ring[(above << 1 >> x & 7) | (here << 1 >> x & 7) << 3 | (below << 1 >> x & 7) << 6]


cdef inline void find_steps(const Params *k, const void *state, int32_t player, int32_t cell,
                            uint32_t *moves, uint32_t *removes) noexcept nogil:
    """Compute the directions, as bits d, in which an agent on `cell` may MOVE and REMOVE. [section 6]"""
    cdef int32_t place = k.place[cell + 1] - PLACED
    cdef int32_t rows = k.rows, players = k.players, x = place & 31, y = place >> 5
    cdef const uint32_t *walls = walls_of(state) + y
    cdef const uint32_t *own = walls + player * rows
    cdef const uint32_t *field = k.field + 1 + y
    cdef uint32_t above = all_walls(walls, rows, players, -1) & field[-1]
    cdef uint32_t here = all_walls(walls, rows, players, 0)
    cdef uint32_t below = all_walls(walls, rows, players, 1) & field[1]
    removes[0] = ring_of(k, above, here, below, x)
    moves[0] = ring_of(k, field[-1] & (own[-1] | ~above), field[0] & (own[0] | ~here), field[1] & (own[1] | ~below), x)


cdef inline void find_puts(const Params *k, const void *state, int32_t player, uint32_t *rows) noexcept nogil:
    """Compute the cells of each row on which an agent may be PUT. [KM-17, KM-19, KM-R34]"""
    cdef const uint32_t *walls = walls_of(state)
    cdef int32_t y
    for y in range(k.height):
        rows[y] = k.field[y + 1]
        if not k.server:
            rows[y] &= walls[player * k.rows + y] | ~all_walls(walls, k.rows, k.players, y)


cdef inline int32_t ones_of(const Params *k, uint32_t row) noexcept nogil:
    """Return the number of set bits."""
    return k.ones[row & 255] + k.ones[row >> 8 & 255] + k.ones[row >> 16 & 255] + k.ones[row >> 24]


cdef inline int32_t pick_put(const Params *k, const uint32_t *rows, uint64_t *rng) noexcept nogil:
    """Return a random code among STAY and the PUTs on these cells: the below(number)-th."""
    cdef int32_t left, y = 0, code = FIRST_PUT, count = 0
    cdef uint32_t row
    for y in range(k.height):
        count += ones_of(k, rows[y])
    left = <int32_t>masume_below(rng, 1 + count) - 1
    if left < 0:
        return 0
    y = 0
    while left >= ones_of(k, rows[y]):                   # ends: `left` cells come before the chosen one
        left -= ones_of(k, rows[y])
        code += k.width
        y += 1
    row = rows[y]
    while left >= k.ones[row & 255]:
        left -= k.ones[row & 255]
        code += 8
        row >>= 8
    return code + k.nth[row & 255][left]


cdef inline int32_t pick_step(const Params *k, uint32_t moves, uint32_t removes, uint64_t *rng) noexcept nogil:
    """Return a random code among STAY, these moves and these removes: the below(number)-th."""
    cdef int32_t count = k.ones[moves]
    cdef int32_t chosen = <int32_t>masume_below(rng, 1 + count + k.ones[removes]) - 1
    cdef int32_t later = -<int32_t>(chosen >= count)     # all ones: a REMOVE. A branch would be unpredictable
    cdef int32_t code = FIRST_MOVE + (later & FIRST_REMOVE - FIRST_MOVE)
    code += k.nth[moves ^ ((moves ^ removes) & <uint32_t>later)][(chosen - (count & later)) & 7]
    return code & -<int32_t>(chosen >= 0)                # otherwise STAY


cdef inline int32_t pick(const Params *k, const void *state, int32_t player, int32_t cell,
                         uint64_t *rng) noexcept nogil:
    """Return a random legal code of an agent on `cell` (-1: not placed): the below(number)-th, always one draw."""
    cdef uint32_t moves, removes
    cdef uint32_t rows[MAX_ROWS]
    if cell < 0:
        find_puts(k, state, player, rows)
        return pick_put(k, rows, rng)
    find_steps(k, state, player, cell, &moves, &removes)
    return pick_step(k, moves, removes, rng)


# -- a turn -------------------------------------------------------------------------------------------

cdef struct Aim:                                         # action of an agent in a turn
    uint32_t build                                       # bit of the target of a PUT or MOVE in K, else 0
    uint32_t remove                                      # bit of the target of a REMOVE in K, else 0
    uint32_t stands                                      # bit of the agent's cell, 0 if it is not placed
    int16_t cell                                         # the target
    uint8_t row                                          # row of the target
    uint8_t home                                         # row of the agent

cdef struct Codes:                                       # result codes of the slots, if a caller asks
    int8_t of[MAX_SLOTS]

cdef struct NoCodes:
    int8_t unused

ctypedef fused codes_t:
    Codes
    NoCodes

cdef struct Board:                                       # working data of a turn, in bit rows
    Aim aims[MAX_SLOTS]
    uint32_t wall[MAX_ROWS]                              # walls before the turn
    uint32_t aimed[MAX_ROWS]                             # targets in K
    uint32_t shared[MAX_ROWS]                            # targets of two or more in K
    uint32_t held[MAX_ROWS]                              # B: cells of agents that do not leave
    uint32_t removed[MAX_ROWS]
    uint32_t built[MAX_PLAYERS][MAX_ROWS]


cdef inline void begin_turn(const Params *k, const uint32_t *walls, Board *board) noexcept nogil:
    """Set the board of a turn before any agent takes aim."""
    cdef int32_t y
    memset(board.aimed, 0, (4 + k.players) * sizeof(board.aimed))              # and the arrays after it
    for y in range(k.rows):
        board.wall[y] = all_walls(walls, k.rows, k.players, y)


cdef inline void take_aim(const Params *k, Board *board, Aim *aim, int16_t cell, uint32_t code, uint32_t place,
                          uint32_t builds, uint32_t removes) noexcept nogil:
    """Set the target of an agent, in K if it builds or removes.

    cell : of the agent, -1 if it is not placed. place : of the target.
    """
    cdef uint32_t x = place & 31, y = place >> 5, bit
    cdef uint64_t stand = k.stand[cell + 1]
    aim.build = builds << x
    aim.remove = removes << x
    aim.stands = <uint32_t>stand
    aim.cell = cell + k.stride[code]
    aim.row = <uint8_t>y
    aim.home = <uint8_t>(stand >> 32)
    bit = aim.build | aim.remove
    board.shared[y] |= board.aimed[y] & bit
    board.aimed[y] |= bit


cdef inline int32_t play(const Params *k, void *state, const int32_t *codes, codes_t *results,
                         bint strict) noexcept nogil:
    """Play one turn [section 7]; return 0, MASUME_TERMINAL, or MASUME_ILLEGAL(slot) with the state unchanged.

    strict : an invalid action is illegal; otherwise it counts as STAY and its result code gives the reason. A code out
    of range is always illegal.
    """
    cdef const uint32_t *walls = walls_of(state)
    cdef const int16_t *cells = agents_of(k, state)
    cdef int32_t agents = k.agents, slots = k.slots, rows = k.rows
    cdef uint32_t actions = <uint32_t>k.actions
    cdef Board board
    cdef Aim *aim = board.aims
    cdef int32_t p, i
    cdef uint8_t verdicts[MAX_SLOTS]
    cdef uint32_t x, y, code, origin, place, verdict, trouble = 0
    cdef const uint32_t *own = walls
    if played_of(state)[0] >= k.total_turns:
        return MASUME_ILLEGAL(0)
    begin_turn(k, walls, &board)
    for p in range(k.players):                           # step 2: validity
        for i in range(p * agents, (p + 1) * agents):
            code = min(<uint32_t>codes[i], actions)
            origin = k.place[cells[i] + 1]
            place = (k.step[code] + origin) & (PLACES - 1)   # of a PUT of a placed agent: anywhere, it is never valid
            x = place & 31
            y = place >> 5
            verdict = k.verdict[verdict_at(k.kind[code], origin >> 10, k.field[y + 1] >> x & 1, board.wall[y] >> x & 1,
                                           own[y] >> x & 1)]
            trouble |= verdict
            verdicts[i] = <uint8_t>verdict
            if codes_t is Codes:
                results.of[i] = verdict & 7
            take_aim(k, &board, aim, cells[i], code, place, verdict >> 4 & 1, verdict >> 5)
            aim += 1
        own += rows
    if trouble & (UNKNOWN | 7 if strict else UNKNOWN):
        for i in range(slots):
            if verdicts[i] & (UNKNOWN | 7 if strict else UNKNOWN):
                return MASUME_ILLEGAL(i)
    resolve(k, state, &board, results)
    return MASUME_TERMINAL if played_of(state)[0] == k.total_turns else 0


cdef inline void resolve(const Params *k, void *state, Board *board, codes_t *results) noexcept nogil:
    """Carry out steps 3 to 8 of a turn, simultaneously, after all agents have taken aim. [KM-55, KM-R27]"""
    cdef uint32_t *walls = walls_of(state)
    cdef int16_t *cells = agents_of(k, state)
    cdef int32_t players = k.players, agents = k.agents, slots = k.slots, rows = k.rows
    cdef bint server = k.server
    cdef Aim *aim
    cdef int32_t p, i, y
    cdef uint32_t bit, again
    cdef uint64_t blocked
    for i in range(slots):                               # step 3: same target [KM-7, KM-20, KM-25, KM-30, KM-35, KM-R7]
        aim = &board.aims[i]
        bit = board.shared[aim.row] & (aim.build | aim.remove)
        if codes_t is Codes:
            results.of[i] |= bit != 0                    # SUCCESS becomes CONFLICT
        aim.build &= ~bit
        aim.remove &= ~bit
        board.held[aim.home] |= aim.stands & (<uint32_t>(aim.build != 0) - 1)

    again = 1
    while again:                                         # step 4: blocked movers [KM-26, KM-36, KM-R8, KM-R9]
        blocked = 0
        for i in range(slots):
            blocked |= <uint64_t>((board.held[board.aims[i].row] & board.aims[i].build) != 0) << i
        again = 0                                        # ends: a round that removes nothing from K is the last
        while blocked:
            i = bits_first64(blocked)
            aim = &board.aims[i]
            blocked &= blocked - 1
            if codes_t is Codes:
                results.of[i] = REVERT
            aim.build = 0
            board.held[aim.home] |= aim.stands
            again |= board.aimed[aim.home] & aim.stands  # an agent may aim at this cell

    for p in range(players):
        for i in range(p * agents, (p + 1) * agents):
            aim = &board.aims[i]
            y = aim.row
            bit = aim.remove & board.held[y]             # step 5: blocked removes [KM-29]
            if codes_t is Codes:
                results.of[i] |= (bit != 0) << 1         # SUCCESS becomes REVERT
            board.removed[y] |= aim.remove & ~bit        # step 6 [KM-1, KM-5, KM-18, KM-22, KM-23, KM-R13]
            bit = aim.build
            if server:                                   # a PUT on an enemy wall does nothing [KM-R34]
                bit &= walls[p * rows + y] | ~board.wall[y]
            board.built[p][y] |= bit
            cells[i] ^= (cells[i] ^ aim.cell) & -<int16_t>(bit != 0)
    for p in range(players):
        for y in range(rows):
            walls[p * rows + y] = (walls[p * rows + y] & ~board.removed[y]) | board.built[p][y]
    k.kernels.territory(players, k.chunks, walls, territory_of(k, state))    # step 7 [section 7.2]
    played_of(state)[0] += 1                                                 # step 8

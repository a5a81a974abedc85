# cython: language_level=3, cdivision=True
"""Nezumi: the layout of states and the rules, inline, so that every user compiles the same text.

A cell is row * width + column. Mice and food are stored as bits, 64 cells per group. A state has only the groups that
the stage needs, for one bit more than there are cells: no mouse is ever on cell `size`.

The ways of a mouse are its legal codes before it has moved: one bit for each direction without a wall, whatever is on
the neighbour, or bit 4, to retire, if all four are walls [section 6]. They depend on the stage alone. A random choice
among them needs only the number of ways of all mice, which is updated as mice come and go.

What a code of MOVE means is looked up. Cells that index tables are 64 bits wide there, else compilers extend each of
them. Functions take the cell of a code where their caller knows it, which saves the look-up in random games.
"""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from masume.core.bits cimport bits_count64, bits_first64
from masume.core._game cimport MASUME_ILLEGAL, MASUME_TERMINAL, masume_below, masume_game
from masume.core._wide cimport wide_level

cdef enum:
    MAX_CELLS = 1024               # 32 x 32
    MAX_GROUPS = 17
    CODES_PER_CELL = 5
    RETIRE = 4                     # code of a cell in MOVE
    PUT = 4                        # code of a cell in PLACE and ADD
    NUM_OTHERS = 6                 # codes from 5 * size on
    PASS = 0                       # offset from 5 * size: done, stay, no addition, leave
    STEP = 1                       # + direction
    CAPTURE = 5
    NUM_DIRECTIONS = 4
    NUM_FIXED = 2

cdef enum:                         # in place of a neighbour: a wall, and the code is
    BARRED = -1                    # illegal
    WALLED = -2                    # legal, to retire: there are walls all around

cdef enum:                         # players
    CAT
    MICE

cdef enum:                         # phases [section 3]
    PLACE
    CAT1
    CAT2
    ADD
    MOVE
    REACT
    OVER
    NUM_PHASES

cdef enum:                         # results
    NONE
    SURROUND
    CAPTURES
    TURNS

cdef enum:                         # squares of the distance to the cat; 0: on its cell
    BESIDE = 1                     # on an orthogonal neighbour
    DIAGONAL = 2
    FAR                            # farther away


cdef struct Group:                 # 64 cells, a bit each
    uint64_t unmoved               # mice that have not moved this turn
    uint64_t food                  # food left; between the mice, else compilers join those in one slow load
    uint64_t mice                  # all mice

cdef struct Board:                 # a state; it is cut after the groups that the stage needs
    int64_t food_sum
    int64_t cost_sum
    int16_t turn
    int16_t cat
    int16_t react_cell             # -1 outside REACT
    int16_t ways                   # number of ways of the mice that have not moved
    int16_t moved_ways             # number of ways of the mice that have moved
    uint8_t on_board               # number of mice
    uint8_t captured
    uint8_t phase
    uint8_t react_from
    uint8_t result
    uint8_t padding
    Group groups[MAX_GROUPS]
    uint64_t rest                  # fills the last cache line

cdef struct Move:                  # the meaning of a code of MOVE
    int16_t cell
    int16_t next                   # the neighbour that way, BARRED or WALLED

cdef struct Params:
    Move moves[CODES_PER_CELL * MAX_CELLS]
    const wide_level *level
    int32_t height
    int32_t width
    int32_t size                   # height * width
    int32_t first_other            # CODES_PER_CELL * size
    int32_t groups
    int32_t zone_begin             # range of the groups with zone cells
    int32_t zone_end
    int32_t max_mice
    int32_t require
    int32_t turns
    bint surround_flip
    int64_t total_food
    int32_t mover[NUM_PHASES]      # CAT or MICE [section 5]
    int32_t step[NUM_DIRECTIONS]   # difference between a cell and its neighbour
    uint8_t ways[MAX_CELLS]
    uint8_t num_ways[MAX_CELLS]
    uint8_t row[MAX_CELLS]
    uint8_t column[MAX_CELLS]
    uint8_t close[2 * MAX_CELLS]   # at MAX_CELLS + the difference of two cells: 0 if they cannot be neighbours
    int16_t diagonals[MAX_CELLS][4]    # the passable diagonals, padded with the first one; `size` if there is none
    uint8_t ones[64]               # number of ones in a mask of six bits
    uint8_t nth[64][NUM_OTHERS]    # positions of the ones in that mask, then zeros
    uint8_t pattern[64][8]         # that mask as bytes
    uint64_t open[NUM_DIRECTIONS][MAX_GROUPS]      # the cells with a way in each direction
    uint64_t floor[MAX_GROUPS]
    uint64_t zone[MAX_GROUPS]
    uint32_t fixed[NUM_FIXED][2 * MAX_GROUPS]      # planes that never change, as bits: walls, zone
    int64_t amount[MAX_CELLS]      # mg of food at the start
    float share[MAX_CELLS]         # the same as a share of all the food
    uint8_t share_bytes[MAX_CELLS]  # and as one of the levels of that plane
    const uint8_t *far             # [size + 1][size]: steps from a cell, or the zone, to a cell; NULL over MAPPED cells
    Board start


cdef inline const Params *params_of(const masume_game *g) noexcept nogil:
    return <const Params *>g.params


# -- cells ----------------------------------------------------------------------------------------

cdef inline uint64_t bit_of(int64_t cell) noexcept nogil:
    """Return the cell's bit in its group."""
    return <uint64_t>1 << (cell & 63)


cdef inline uint64_t moved_of(const Group *group) noexcept nogil:
    """Return the mice that have moved this turn."""
    return group.mice ^ group.unmoved


cdef inline bint is_mouse(const Board *board, int64_t cell) noexcept nogil:
    return board.groups[cell >> 6].mice & bit_of(cell) != 0


cdef inline int32_t distance2(const Params *k, int64_t one, int64_t other) noexcept nogil:
    """Return the square of the distance of two cells."""
    cdef int32_t down = k.row[one] - k.row[other], right = k.column[one] - k.column[other]
    return down * down + right * right


cdef inline bint is_surrounded(const Params *k, const Board *board) noexcept nogil:
    """Return whether mice hold every passable diagonal neighbour of the cat, at least one. [NZ-8] [NZ-9] [NZ-R17]"""
    cdef const int16_t *cells = k.diagonals[board.cat]
    return (is_mouse(board, cells[0]) and is_mouse(board, cells[1])
            and is_mouse(board, cells[2]) and is_mouse(board, cells[3]))


cdef inline int32_t reserve_of(const Params *k, const Board *board) noexcept nogil:
    """Return the number of mice that can still be put. [NZ-R6]"""
    return k.max_mice - board.on_board - board.captured


cdef inline uint64_t free_zone(const Params *k, const Board *board, int32_t group) noexcept nogil:
    """Return the cells of a group where a mouse may be put. [NZ-R26]"""
    cdef uint64_t cells = k.zone[group] & ~board.groups[group].mice
    return cells & ~bit_of(board.cat) if board.cat >> 6 == group else cells


cdef inline bint can_put(const Params *k, const Board *board) noexcept nogil:
    """Return whether there is a mouse to put and a cell for it."""
    cdef int32_t n
    if reserve_of(k, board) == 0:
        return False
    for n in range(k.zone_begin, k.zone_end):
        if free_zone(k, board, n):
            return True
    return False


cdef inline int32_t cell_of(int32_t code) noexcept nogil:
    """Return the cell of a code, which must not be negative."""
    return <int32_t>(<uint32_t>code // CODES_PER_CELL)


# -- legal codes ----------------------------------------------------------------------------------

cdef inline uint32_t others(const Params *k, const Board *board) noexcept nogil:
    """Return the legal codes from 5 * size on, one bit each. [section 6]"""
    if board.phase == CAT1 or board.phase == CAT2:
        return 1 << PASS | <uint32_t>(k.ways[board.cat] & 15) << STEP        # NZ-40, NZ-42
    if board.phase == REACT:
        return 1 << PASS | 1 << CAPTURE
    if board.phase == ADD:
        return 1 << PASS
    if board.phase == PLACE:
        return <uint32_t>(board.on_board + board.captured > 0) << PASS       # NZ-R5
    return 0


cdef inline bint can_move(const Params *k, const Board *board, int32_t code) noexcept nogil:
    """Return whether a mouse that has not moved is there and has this way. [NZ-26, NZ-27, NZ-R10]"""
    cdef int64_t cell = k.moves[code].cell
    return board.groups[cell >> 6].unmoved & bit_of(cell) != 0 and k.moves[code].next != BARRED


cdef inline bint is_legal(const Params *k, const Board *board, int32_t code) noexcept nogil:
    cdef int32_t cell
    cdef uint32_t other
    if <uint32_t>code >= <uint32_t>k.first_other:
        other = <uint32_t>code - <uint32_t>k.first_other
        return other < NUM_OTHERS and others(k, board) >> other & 1
    cell = cell_of(code)
    if board.phase == MOVE:
        return can_move(k, board, code)
    if board.phase == ADD or board.phase == PLACE:                           # NZ-23, NZ-25
        return (code - CODES_PER_CELL * cell == PUT and (free_zone(k, board, cell >> 6) & bit_of(cell)) != 0
                and reserve_of(k, board) > 0)
    return False


cdef inline int32_t nth_way(const Params *k, const Board *board, int32_t n, int32_t *way) noexcept nogil:
    """Return the cell of the n-th legal code of MOVE, and write its way.

    The loop visits all mice: stopping at the right one would cost a mispredicted branch (playouts 6 to 15 % slower).
    """
    cdef int32_t group, cell, found = 0
    cdef uint32_t rest = <uint32_t>n, count
    cdef uint64_t cells
    for group in range(k.groups):
        cells = board.groups[group].unmoved
        while cells:
            cell = 64 * group + bits_first64(cells)
            count = k.num_ways[cell]
            found = cell if rest < count else found
            n = <int32_t>rest if rest < count else n
            rest -= count
            cells &= cells - 1
    way[0] = k.nth[k.ways[found]][n]
    return found


cdef inline int32_t pick_other(const Params *k, const Board *board, uint64_t *rng) noexcept nogil:
    """Return a uniformly random legal code of a phase other than MOVE."""
    cdef int32_t group, n, count = 0
    cdef uint64_t cells
    cdef uint32_t mask = others(k, board)
    if board.phase == ADD or board.phase == PLACE:
        for group in range(k.zone_begin, k.zone_end):
            count += bits_count64(free_zone(k, board, group))
        n = <int32_t>masume_below(rng, count + k.ones[mask])
        if n < count:
            for group in range(k.zone_begin, k.zone_end):
                cells = free_zone(k, board, group)
                while cells:
                    if n == 0:
                        return CODES_PER_CELL * (64 * group + bits_first64(cells)) + PUT
                    n -= 1
                    cells &= cells - 1
        n -= count
    else:
        n = <int32_t>masume_below(rng, k.ones[mask])
    return k.first_other + k.nth[mask][n]


cdef inline int32_t pick(const Params *k, const Board *board, uint64_t *rng) noexcept nogil:
    """Return a uniformly random legal code."""
    cdef int32_t cell, way = 0
    if board.phase != MOVE:
        return pick_other(k, board, rng)
    cell = nth_way(k, board, <int32_t>masume_below(rng, board.ways), &way)
    return CODES_PER_CELL * cell + way


# -- phases ---------------------------------------------------------------------------------------

cdef inline int32_t finish(Board *board, int32_t result) noexcept nogil:
    """End the game; a turn that is broken off is not charged. [NZ-R4]"""
    board.phase = OVER
    board.result = <uint8_t>result
    return MASUME_TERMINAL


cdef inline int32_t end_turn(const Params *k, Board *board) noexcept nogil:
    """Charge the turn and begin the next one, if there is one. [NZ-15] [NZ-24] [NZ-R3]"""
    cdef int32_t n
    board.cost_sum += board.on_board * (board.captured + 1)                  # NZ-16
    if board.turn == k.turns:                                                # NZ-13
        return finish(board, TURNS)
    board.turn += 1                                                          # NZ-21, NZ-R2
    board.phase = CAT1
    board.ways += board.moved_ways
    board.moved_ways = 0
    for n in range(k.groups):
        board.groups[n].unmoved = board.groups[n].mice
    return 0


cdef inline int32_t resume(const Params *k, Board *board, int32_t phase) noexcept nogil:
    """Continue with PLACE, ADD or MOVE; a phase without a choice is skipped. [section 7.1 step 6] [NZ-R25]"""
    if phase == PLACE:
        board.phase = PLACE
        return 0 if can_put(k, board) else end_turn(k, board)
    board.phase = MOVE
    return 0 if board.ways else end_turn(k, board)


cdef inline int32_t begin_mice(const Params *k, Board *board) noexcept nogil:
    """Begin the mice's half-turn. [NZ-25] [NZ-45] [NZ-46] [NZ-R7]"""
    if can_put(k, board):
        board.phase = ADD
        return 0
    return resume(k, board, ADD)


# -- an action ------------------------------------------------------------------------------------

cdef inline int32_t arrive(const Params *k, Board *board, int64_t cell, int32_t phase) noexcept nogil:
    """Resolve the arrival of a mouse on a cell without a mouse, or in the reserve (negative). [section 7.1]

    At the call the mouse is on no cell, but counted in on_board.
    """
    cdef Group *group
    cdef uint64_t here
    cdef int32_t away
    if cell < 0:                                                             # NZ-28, NZ-32 to NZ-34
        board.on_board -= 1
        return resume(k, board, phase)
    group = &board.groups[cell >> 6]
    here = bit_of(cell)
    if group.food & here:                                                    # NZ-51, NZ-R15
        group.food ^= here
        board.food_sum += k.amount[cell]
    away = distance2(k, cell, board.cat) if k.close[MAX_CELLS + cell - board.cat] else FAR
    if away == 0:                                                            # NZ-R12
        board.on_board -= 1
    else:
        group.mice |= here
        if phase == MOVE:
            board.moved_ways += k.num_ways[cell]
        else:                                                                # NZ-R8
            group.unmoved |= here
            board.ways += k.num_ways[cell]
    if away > DIAGONAL:
        return resume(k, board, phase)
    if away == DIAGONAL:                                                     # NZ-7, NZ-19, NZ-49, NZ-R18
        return finish(board, SURROUND) if is_surrounded(k, board) else resume(k, board, phase)
    board.phase = REACT                                                      # NZ-35, NZ-36, NZ-R13
    board.react_cell = <int16_t>cell
    board.react_from = <uint8_t>phase
    return 0


cdef inline int64_t jump(const Params *k, const Board *board, int64_t code, int64_t cell) noexcept nogil:
    """Return the first cell without a mouse from `cell` on, in the direction of the code; negative: a wall. [NZ-R11]"""
    if cell < 0:
        return cell
    while is_mouse(board, cell):
        code += CODES_PER_CELL * (cell - k.moves[code].cell)
        cell = k.moves[code].next
        if cell < 0:
            break
    return cell


cdef inline int64_t landing_cell(const Params *k, const Board *board, int64_t code) noexcept nogil:
    """Return the cell where a mouse stops, negative for the reserve. [NZ-29, NZ-30, NZ-31, NZ-R10]"""
    return jump(k, board, code, k.moves[code].next)


cdef inline int32_t move_mouse(const Params *k, Board *board, int64_t cell, int32_t code) noexcept nogil:
    """Move the mouse on a cell: it steps, jumps or retires. [section 7.2] [NZ-R9]"""
    cdef int64_t next = k.moves[code].next
    cdef Group *group = &board.groups[cell >> 6]
    group.unmoved ^= bit_of(cell)
    group.mice ^= bit_of(cell)
    board.ways -= k.num_ways[cell]
    return arrive(k, board, jump(k, board, code, next), MOVE)


cdef inline int32_t move_cat(const Params *k, Board *board, int32_t direction) noexcept nogil:
    """Move the cat one step and capture a mouse it steps onto. [section 7.3]"""
    cdef int32_t cell = board.cat + k.step[direction], phase = board.phase
    cdef bint took = is_mouse(board, cell)
    board.cat = <int16_t>cell                                                # food below it stays [NZ-52]
    if took:                                                                 # NZ-41, NZ-43
        board.groups[cell >> 6].unmoved ^= bit_of(cell)
        board.groups[cell >> 6].mice ^= bit_of(cell)
        board.ways -= k.num_ways[cell]
        board.on_board -= 1
        board.captured += 1
    if is_surrounded(k, board):                                              # before the quota [NZ-R19]
        return finish(board, SURROUND)
    if took and board.captured >= k.require:                                 # NZ-R20
        return finish(board, CAPTURES)
    if took and phase == CAT1:                                               # NZ-44, NZ-R16
        board.phase = CAT2
        return 0
    return begin_mice(k, board)


cdef inline int32_t react(const Params *k, Board *board, bint captures) noexcept nogil:
    """Capture the mouse that has arrived, or leave it. [section 7.1 step 5] [NZ-37] [NZ-R14]"""
    cdef int32_t cell = board.react_cell, phase = board.react_from
    cdef Group *group = &board.groups[cell >> 6]
    board.react_cell = -1
    board.react_from = 0
    if captures:
        if cell != board.cat:
            board.on_board -= 1
            group.mice ^= bit_of(cell)
            if phase == MOVE:
                board.moved_ways -= k.num_ways[cell]
            else:
                group.unmoved ^= bit_of(cell)
                board.ways -= k.num_ways[cell]
        board.captured += 1
        if board.captured >= k.require:
            return finish(board, CAPTURES)
    return resume(k, board, phase)


cdef inline int32_t play_other(const Params *k, Board *board, int32_t code) noexcept nogil:
    """Play a legal code of a phase other than MOVE; return 0, or MASUME_TERMINAL if it ends the game."""
    cdef int32_t other = code - k.first_other
    if other < 0:                                                            # NZ-23, NZ-25
        board.on_board += 1
        return arrive(k, board, cell_of(code), board.phase)
    if board.phase == REACT:
        return react(k, board, other == CAPTURE)
    if other >= STEP:
        return move_cat(k, board, other - STEP)
    if board.phase == PLACE:                                                 # done
        return end_turn(k, board)
    if board.phase == ADD:                                                   # no addition
        return resume(k, board, ADD)
    return begin_mice(k, board)                                              # the cat stays


# -- scores ---------------------------------------------------------------------------------------

cdef inline int64_t score_of(const Board *board) noexcept nogil:
    """Return the current score in mg; at the end, the final score. [NZ-14]"""
    return board.food_sum - board.cost_sum


cdef inline int64_t left_of(const Params *k, const Board *board) noexcept nogil:
    """Return the food left, mg."""
    cdef int64_t total = 0
    cdef int32_t group
    cdef uint64_t cells
    for group in range(k.groups):
        cells = board.groups[group].food
        while cells:
            total += k.amount[64 * group + bits_first64(cells)]
            cells &= cells - 1
    return total

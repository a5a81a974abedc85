# cython: language_level=3, cdivision=True
"""CHaser: the layout of a state and the rules, as inline functions that every module compiles from one text.

A cell is two bits, its value of section 3 with bit 1 inverted: a block is 0, and so is everything around the field. A
place is a cell's number in rows of `stride` = width + 9, (row + 1) * stride + column, so that the nine cells left or
right of the field are in no other row of it. Rows -1 and `height` are stored; all places farther out are blocks, which
their number alone shows.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from masume.core.bits cimport (
    bits_count64, bits_count_both, bits_first, bits_first64, bits_last, bits_low64, bits_reverse,
    bits_select64, bits_shuffle, bits_spread, bits_sum, bits_unshuffle,
)
from masume.core._game cimport MASUME_TERMINAL
from masume.core._wide cimport wide_level

cdef extern from "masume/chaser/kernels.h" nogil:
    ctypedef struct chaser_level:
        void (*age)(int32_t, uint8_t, uint8_t *) noexcept nogil

    const chaser_level *chaser_pick(const char *)

cdef enum:
    MAX_CELLS = 4096               # of a field of 64 x 64
    MAX_PAIRS = 2048
    MAX_SIDE = 64
    MAX_ODDS = 100
    MARGIN = 9                     # cells that a search sees
    MAX_WORDS = 301                # of a field of 64 x 64
    HEADER = 12                    # bytes of a Board before its cells
    NUM_ACTIONS = 16
    NINE = 9
    NOWHERE = -30000               # no place
    NEAR_WIDTH = 128               # of the canvas of a crop

cdef enum:                         # kinds of method [section 6]
    WALK
    LOOK
    SEARCH
    PUT

cdef enum:                         # around: actions 0..15, then the cells of a ready or end info
    AT_HAND = 16

cdef enum:                         # 4 * kind of method + stored value of the target cell
    MORE_BLOCKS = 1 << 1 | 1 << 13 | 1 << 14   # bit set for a walk on an item, a block put on an item or on floor
    INTO_BLOCK = 0
    MAY_END = 1 << 1 | 1 << 13 | 1 << 14 | 1 << 0    # the same bits, and that of a walk into a block

cdef enum:                         # values of a cell; OPPONENT occurs only as a digit [sections 3 and 9.1]
    FLOOR
    OPPONENT
    BLOCK
    ITEM

cdef enum:                         # stored values
    TURNED = 2                     # stored value = value ^ TURNED
    STORED_BLOCK = 0
    STORED_ITEM = 1
    STORED_FLOOR = 2

cdef enum:                         # of `winner`
    ONGOING = -1
    DRAW = 2

cdef enum:                         # of `reason` [section 8]
    NONE
    ATTACK
    TRAPPED
    COLLISION
    CONFINED
    FOUL
    SCORE

cdef extern from *:
    """
    #if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    #error "cells are read across words, as they lie where the lowest byte comes first"
    #endif
    """

cdef struct Board:                 # a state; it has only the words of cells that the field needs
    int16_t half                   # methods played by both players
    int16_t place[2]
    int16_t items[2]
    int8_t winner
    int8_t reason
    uint32_t cells[MAX_WORDS]

cdef struct Shape:                 # the cells of an info: a rectangle
    int32_t rows
    int32_t columns
    int32_t place                  # offset from the player's place to the first cell
    int32_t cell                   # the same offset in a grid
    int32_t in_frame               # the same offset in a frame
    bint backwards                 # its digits begin with the last cell

cdef struct Canvas:                # an array of cells that a player's infos are drawn on
    int32_t width
    int32_t step[NUM_ACTIONS]      # from the player's cell to the one after an action
    int32_t rows[NUM_ACTIONS]      # the same as rows and columns
    int32_t columns[NUM_ACTIONS]
    int16_t cells[NUM_ACTIONS][NINE]   # from the player's cell to those of the info that answers the action
    int32_t least[NUM_ACTIONS]     # of these
    int32_t most[NUM_ACTIONS]

cdef struct Params:
    int32_t (*play_any)(const Params *, Board *, void *, int32_t) noexcept nogil     # see `play_quiet`
    int32_t height
    int32_t width
    int32_t size                   # height * width
    int32_t stride
    int32_t places
    int32_t words
    int32_t last_half              # 2 * turn_limit
    int32_t n_blocks
    int32_t n_items
    bint is_generated              # otherwise every game starts at `start`
    const wide_level *level        # CPU level
    const chaser_level *kernels
    int32_t end                    # end of row height - 1: all places from here on are blocks
    int32_t grid_width             # 2 * width + 17
    int32_t grid_size
    int32_t centre                 # middle of a grid
    int32_t frame_height           # height + 2 * MARGIN
    int32_t frame_width
    int32_t frame_size
    uint32_t plane_size            # bytes of a plane of a frame
    uint32_t knowledge_size        # bytes of a Knowledge with its planes and methods
    int32_t step[4]                # from a place to the next one, by direction
    int32_t grid_step[4]
    int32_t frame_step[4]
    Shape shapes[AT_HAND + 1]
    Canvas grid
    Canvas frame
    Canvas near                    # of a crop, NEAR_WIDTH columns wide
    int32_t num_candidates
    int16_t candidates[MAX_CELLS]  # cells where COOL may start [CH-GEN-1 step 2]
    uint8_t may_start[MAX_CELLS]   # whether COOL may start there
    double odds[MAX_ODDS + 1]      # probability that n given cells of a generated map are blocks
    int16_t place_of[MAX_CELLS]
    uint32_t floor[MAX_WORDS]      # a field of floor only
    Board start                    # start on the map of the config; if it is generated, a field of floor


# -- cells ----------------------------------------------------------------------------------------

cdef inline int32_t row_of(const Params *k, int32_t place) noexcept nogil:
    """Return the row of a place at most one column outside the field."""
    return (place + 1) // k.stride - 1


cdef inline int32_t column_of(const Params *k, int32_t place) noexcept nogil:
    """Return the column of a place at most one column outside the field."""
    return (place + 1) % k.stride - 1


cdef inline bint is_inside(const Params *k, int32_t place) noexcept nogil:
    return 0 <= row_of(k, place) < k.height and 0 <= column_of(k, place) < k.width


cdef inline uint32_t load_cell(const Board *board, int32_t place) noexcept nogil:
    """Return the two bits of a cell; the place must be in rows -1..height."""
    return board.cells[place >> 4] >> (place & 15) * 2 & 3


cdef inline void turn(Board *board, int32_t place, uint32_t bits) noexcept nogil:
    """Invert these bits of a cell."""
    board.cells[place >> 4] ^= bits << (place & 15) * 2


cdef inline int32_t methods_of(int32_t player, int32_t since, int32_t half) noexcept nogil:
    """Return the number of the player's methods among `since`, ..., half - 1."""
    return (half + 1 - player) // 2 - (since + 1 - player) // 2


cdef inline int32_t distance(int32_t row, int32_t column, int32_t other_row, int32_t other_column) noexcept nogil:
    """Return the number of steps between two cells."""
    return ((row - other_row if row > other_row else other_row - row)
            + (column - other_column if column > other_column else other_column - column))


# -- a method -------------------------------------------------------------------------------------

cdef inline bint is_buried(const Board *board, int32_t place) noexcept nogil:
    """Return whether the cell is a block or outside. [section 7 step 4]"""
    return load_cell(board, place) == STORED_BLOCK


cdef inline bint is_boxed(const Params *k, const Board *board, int32_t place) noexcept nogil:
    """Return whether all four neighbours of a cell of the field are blocks or outside. [CH-18] [CH-R8]"""
    return (load_cell(board, place - k.stride) | load_cell(board, place - 1)
            | load_cell(board, place + 1) | load_cell(board, place + k.stride)) == STORED_BLOCK


cdef inline int32_t verdict(int32_t winner, int32_t reason) noexcept nogil:
    """Return winner and reason as one number, 0 while the game is ongoing."""
    return reason * 4 + winner + 1


cdef inline int32_t judge(const Params *k, const Board *board) noexcept nogil:
    """Return the verdict after the last method. [CH-12] [CH-R4] [section 7 steps 4 and 5]"""
    cdef int32_t o = board.half & 1, p = 1 - o
    if is_buried(board, board.place[o]):                                     # CH-17; the opponent first [CH-R9]
        return verdict(p, ATTACK)
    if is_boxed(k, board, board.place[o]):
        return verdict(p, TRAPPED)
    if is_buried(board, board.place[p]):                                     # CH-19
        return verdict(o, COLLISION)
    if is_boxed(k, board, board.place[p]):
        return verdict(o, CONFINED)
    if board.half < k.last_half:                                             # CH-R18
        return 0
    if board.items[0] == board.items[1]:                                     # CH-21
        return verdict(DRAW, SCORE)
    return verdict(board.items[1] > board.items[0], SCORE)                   # CH-16


cdef inline uint32_t three_cells(const Board *board, int32_t place) noexcept nogil:
    """Return the stored values of a cell and its left and right neighbours."""
    cdef uint16_t word
    memcpy(&word, <const uint8_t *>board.cells + ((place - 1) >> 2), sizeof(word))
    return word >> ((place - 1) & 3) * 2


cdef inline bint is_lost(const Params *k, const Board *board, int32_t place) noexcept nogil:
    """Return whether a player there is buried or boxed in; a place outside may lack stored neighbours."""
    cdef uint32_t cells = three_cells(board, place)
    if not cells & 0xC:
        return True
    return ((cells & 0x33) | load_cell(board, place - k.stride) | load_cell(board, place + k.stride)) == 0


cdef inline bint act(const Params *k, Board *board, int32_t player, int32_t *own, int32_t other,
                     int32_t action) noexcept nogil:
    """Carry out a method of the player at `own` in an ongoing game; return whether a player has lost.

    [section 7 steps 2 and 4]

    No player is buried or boxed in before the method. So after it a player has lost only if it walked into a block or
    a block was added: a player who walks on floor leaves floor next to it.
    """
    cdef int32_t here = own[0], step = k.step[action & 3], target = here + step
    cdef uint32_t cell = load_cell(board, target), walks = action < 4 * LOOK, what = (action & 12) | cell
    own[0] = here + (step & -<int32_t>walks)                                 # CH-27, CH-R7, CH-R10
    if MORE_BLOCKS >> what & 1:
        turn(board, target, cell | walks << 1)                               # CH-32, CH-R11 to CH-R13; an item to floor
        turn(board, here, walks * (STORED_FLOOR ^ STORED_BLOCK))             # CH-15, CH-R5, CH-R6
        board.items[player] += <int16_t>walks
        return is_lost(k, board, other) or is_lost(k, board, own[0])
    return what == INTO_BLOCK


cdef inline int32_t end(const Params *k, Board *board) noexcept nogil:
    """Set the result of a game that the last method has ended."""
    cdef int32_t found = judge(k, board)
    board.winner = <int8_t>((found & 3) - 1)
    board.reason = <int8_t>(found >> 2)
    return MASUME_TERMINAL


cdef inline int32_t play(const Params *k, Board *board, int32_t action) noexcept nogil:
    """Play one method of the player to move; return 0, or MASUME_TERMINAL if it ends the game. [section 7]"""
    cdef int32_t p = board.half & 1, own = board.place[p]
    cdef bint lost = act(k, board, p, &own, board.place[1 - p], action)
    board.place[p] = <int16_t>own
    board.half += 1
    if lost or board.half == k.last_half:                                    # CH-R18
        return end(k, board)
    return 0


cdef inline bint play_quiet(const Params *k, Board *board, int32_t action) noexcept nogil:
    """Play a method of an ongoing game if it adds no block and cannot end the game; return whether it was played.

    Most methods are quiet. The others are left to `Params.play_any`: a pointer, because compilers would put the code of
    a known function into the loops of quiet methods, which would then save and restore all registers.
    """
    cdef int32_t p = board.half & 1, half = board.half + 1, here = board.place[p], step = k.step[action & 3]
    if MAY_END >> ((action & 12) | load_cell(board, here + step)) & 1 or half == k.last_half:
        return False
    board.place[p] = <int16_t>(here + (step if action < 4 * LOOK else 0))    # CH-27, CH-R7, CH-R10
    board.half = <int16_t>half
    return True

# cython: language_level=3, cdivision=True
"""CHaser: the layout of states and memories and the rules, inline, so that whoever needs them compiles the same text.

A cell is two bits, its value of section 3 with bit 1 turned over: a block is 0, and so is all that lies around the
field. A place is a cell's number in rows of `stride` = width + 9, (row + 1) * stride + column, so that nine cells
left or right of the field belong to no other row of it; rows -1 and `height` are stored, what is farther is known
to be nothing but blocks by its number alone.

What a player has seen is kept in a grid of its own, large enough for all it can ever see: the middle is its start,
so that nothing in there tells where on the field that is.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from masume._game cimport MASUME_TERMINAL

cdef enum:
    MAX_CELLS = 4096               # of a field of 64 x 64
    MAX_PAIRS = 2048
    MARGIN = 9                     # how far a search sees
    MAX_WORDS = 301                # of a field of 64 x 64
    HEADER = 12                    # bytes of a Board before its cells
    NUM_ACTIONS = 16
    NINE = 9
    NOWHERE = -30000               # no place

cdef enum:                         # kinds of method [section 6]
    WALK
    LOOK
    SEARCH
    PUT

cdef enum:                         # around: actions 0..15, then the cells of a ready or end info
    AT_HAND = 16

cdef enum:                         # values of a cell; OPPONENT is a digit alone [sections 3 and 9.1]
    FLOOR
    OPPONENT
    BLOCK
    ITEM

cdef enum:                         # a value as it is stored
    TURNED = 2                     # exclusive or
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

cdef enum:                         # flags of a Sight
    SEEN = 4                       # beside a value
    VISITED = 8


cdef struct Board:                 # a state; as many words of cells as the field needs
    int16_t half                   # methods played by both
    int16_t place[2]
    int16_t items[2]
    int8_t winner
    int8_t reason
    uint32_t cells[MAX_WORDS]

cdef struct Sight:                 # what a player knows of a cell [section 9.4]
    int16_t half                   # when it was last seen
    uint8_t first                  # SEEN | the first value; 0: never seen
    uint8_t last                   # SEEN | the last value, and VISITED

cdef struct Known:                 # what a player has seen; its grid of Sights follows
    int32_t at                     # its own cell in the grid
    int32_t foe                    # where it last saw the opponent, 0 if it never did
    int16_t foe_half               # when, -1 if it never did
    int8_t last_action             # -1 before the first
    uint8_t mirrored               # it knows that the opponent started opposite, and the map was symmetric
    uint8_t ready[NINE]            # the digits of its last ready info
    uint8_t last_info[1 + NINE]    # of its last method info, zeros before the first
    uint8_t padding

cdef struct Memory:                # both Knowns follow
    int32_t begin                  # the half since which the players remember
    int32_t fouled                 # 1 once a foul has ended the game

cdef struct Params:
    int32_t height
    int32_t width
    int32_t size                   # height * width
    int32_t stride
    int32_t places
    int32_t words
    int32_t last_half              # 2 * turn_limit
    int32_t n_blocks
    int32_t n_items
    bint generated                 # else every game starts at `start`
    int32_t grid_width             # 2 * width + 17
    int32_t grid_size
    int32_t centre                 # of a grid
    uint32_t known_size            # bytes of a Known and its grid
    int32_t step[4]                # from a place to the next one
    int32_t grid_step[4]
    int16_t around[AT_HAND + 1][NINE]       # from the own place to the cells of an info
    int16_t grid_around[AT_HAND + 1][NINE]
    int32_t num_candidates
    int16_t candidates[MAX_CELLS]  # cells where COOL may start [CH-GEN-1 step 2]
    int16_t place_of[MAX_CELLS]
    uint32_t floor[MAX_WORDS]      # a field of nothing else
    Board start                    # of the map of the config; of generated ones `floor`


# -- the parts of a memory ------------------------------------------------------------------------

cdef inline Known *known_of(const Params *k, const void *memory, int32_t player) noexcept nogil:
    """What the player has seen."""
    return <Known *>(<uint8_t *>memory + sizeof(Memory) + player * k.known_size)


cdef inline Sight *grid_of(const Known *known) noexcept nogil:
    """What it knows of each cell, the middle one being its start."""
    return <Sight *>(<uint8_t *>known + sizeof(Known))


# -- cells ----------------------------------------------------------------------------------------

cdef inline int32_t row_of(const Params *k, int32_t place) noexcept nogil:
    """The row of a place at most one column outside the field."""
    return (place + 1) // k.stride - 1


cdef inline int32_t column_of(const Params *k, int32_t place) noexcept nogil:
    """Its column."""
    return (place + 1) % k.stride - 1


cdef inline bint is_inside(const Params *k, int32_t place) noexcept nogil:
    return 0 <= row_of(k, place) < k.height and 0 <= column_of(k, place) < k.width


cdef inline uint32_t stored(const Board *board, int32_t place) noexcept nogil:
    """The cell's two bits; the place must be in rows -1..height."""
    return board.cells[place >> 4] >> (place & 15) * 2 & 3


cdef inline void turn(Board *board, int32_t place, uint32_t bits) noexcept nogil:
    """Turn over these bits of a cell."""
    board.cells[place >> 4] ^= bits << (place & 15) * 2


cdef inline int32_t methods_of(int32_t player, int32_t since, int32_t half) noexcept nogil:
    """How many of the methods `since`, ..., half - 1 were the player's."""
    return (half + 1 - player) // 2 - (since + 1 - player) // 2


# -- a method -------------------------------------------------------------------------------------

cdef inline bint is_buried(const Board *board, int32_t place) noexcept nogil:
    """Whether the cell is a block or outside. [section 7 step 4]"""
    return stored(board, place) == STORED_BLOCK


cdef inline bint is_boxed(const Params *k, const Board *board, int32_t place) noexcept nogil:
    """Whether all four neighbours of a cell inside are blocks or outside. [CH-18] [CH-R8]"""
    return (stored(board, place - k.stride) | stored(board, place - 1)
            | stored(board, place + 1) | stored(board, place + k.stride)) == STORED_BLOCK


cdef inline int32_t verdict(int32_t winner, int32_t reason) noexcept nogil:
    """The two in one number, 0 while the game goes on."""
    return reason * 4 + winner + 1


cdef inline int32_t judge(const Params *k, const Board *board) noexcept nogil:
    """The verdict after the last method. [section 7 steps 4 and 5]"""
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


cdef inline int32_t play(const Params *k, Board *board, int32_t action) noexcept nogil:
    """One method of the player to move: 0, or MASUME_TERMINAL where it ends the game. [section 7]"""
    cdef int32_t p = board.half & 1, kind = action >> 2
    cdef int32_t here = board.place[p], target = here + k.step[action & 3], found
    if kind == WALK:                                                         # CH-27, CH-R7, CH-R10
        board.place[p] = <int16_t>target
        if stored(board, target) == STORED_ITEM:
            turn(board, target, STORED_ITEM ^ STORED_FLOOR)
            turn(board, here, STORED_FLOOR ^ STORED_BLOCK)                   # CH-15, CH-R5, CH-R6
            board.items[p] += 1
    elif kind == PUT:                                                        # CH-32, CH-R12, CH-R13
        turn(board, target, stored(board, target))                           # outside they are zeros [CH-R11]
    board.half += 1
    found = judge(k, board)
    if found == 0:
        return 0
    board.winner = <int8_t>((found & 3) - 1)
    board.reason = <int8_t>(found >> 2)
    return MASUME_TERMINAL


# -- what a player is told ------------------------------------------------------------------------

cdef inline int32_t read_info(const Params *k, const Board *board, int32_t player, int32_t around,
                              uint8_t *digits) noexcept nogil:
    """The nine cells of an info; which of them the opponent is on, -1 if on none. [sections 9.1 and 9.2]

    around : the action that it answers, or AT_HAND.
    """
    cdef int32_t n, place, own = board.place[player], foe = board.place[1 - player], met = -1
    cdef const int16_t *steps = k.around[around]
    if board.winner != ONGOING and not is_inside(k, foe):                    # 2 comes before 1 [CH-R15]
        foe = NOWHERE
    for n in range(NINE):
        place = own + steps[n]
        digits[n] = <uint8_t>(BLOCK if <uint32_t>place >= <uint32_t>k.places else stored(board, place) ^ TURNED)
        if place == foe:
            met = n
    if met >= 0:
        digits[met] = OPPONENT
    return met


cdef inline void see(const Params *k, const Board *board, Known *known, int32_t around, const uint8_t *digits,
                     int32_t met) noexcept nogil:
    """Remember the cells of an info, of which the opponent is on number `met`. [section 9.4]"""
    cdef Sight *own = grid_of(known) + known.at
    cdef const int16_t *steps = k.grid_around[around]
    cdef Sight *sight
    cdef uint8_t mark
    cdef int32_t n
    for n in range(NINE):
        sight = own + steps[n]
        mark = SEEN | (FLOOR if n == met else digits[n])
        sight.half = board.half
        sight.last = (sight.last & VISITED) | mark
        if sight.first == 0:
            sight.first = mark
    if met >= 0:
        known.foe = known.at + steps[met]
        known.foe_half = board.half


cdef inline void tell_ready(const Params *k, const Board *board, void *memory, int32_t player) noexcept nogil:
    """The ready info of the player whose turn begins. [CH-23]"""
    cdef Known *known = known_of(k, memory, player)
    see(k, board, known, AT_HAND, known.ready, read_info(k, board, player, AT_HAND, known.ready))


cdef inline void tell_end(const Params *k, const Board *board, void *memory, int32_t player) noexcept nogil:
    """The end info."""
    cdef uint8_t digits[NINE]
    see(k, board, known_of(k, memory, player), AT_HAND, digits, read_info(k, board, player, AT_HAND, digits))


cdef inline void tell_method(const Params *k, const Board *board, void *memory, int32_t player,
                             int32_t action) noexcept nogil:
    """The info that answers the player's method. [CH-28 to CH-33, CH-46]"""
    cdef Known *known = known_of(k, memory, player)
    known.last_action = <int8_t>action
    if action >> 2 == WALK:
        known.at += k.grid_step[action]
        grid_of(known)[known.at].last |= VISITED
    known.last_info[0] = board.winner == ONGOING                             # CH-35, CH-R17
    see(k, board, known, action, known.last_info + 1, read_info(k, board, player, action, known.last_info + 1))


cdef inline void tell(const Params *k, const Board *board, void *memory, int32_t action) noexcept nogil:
    """What both are told after a method. [section 7 step 6]"""
    cdef int32_t o = board.half & 1
    tell_method(k, board, memory, 1 - o, action)
    if board.winner == ONGOING:
        tell_ready(k, board, memory, o)
    else:
        tell_end(k, board, memory, o)


cdef inline void forget(const Params *k, Known *known, bint mirrored) noexcept nogil:
    """The player has seen nothing and stands on its start."""
    memset(known, 0, k.known_size)
    known.at = k.centre
    known.foe_half = -1
    known.last_action = -1
    known.mirrored = mirrored
    grid_of(known)[k.centre].last = VISITED


cdef inline void begin(const Params *k, const Board *board, void *memory, bint mirrored) noexcept nogil:
    """The players of a position without a past: the one to move has received its ready info."""
    (<Memory *>memory).begin = board.half
    (<Memory *>memory).fouled = False
    forget(k, known_of(k, memory, 0), mirrored)
    forget(k, known_of(k, memory, 1), mirrored)
    if board.winner == ONGOING:
        tell_ready(k, board, memory, board.half & 1)

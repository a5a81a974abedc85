# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Connect Four, plugged into masume: `masume.load(connect_four.game)`.

Two players drop stones into seven columns of six cells in turn; four in a line win, a full board is a draw.
Code c drops a stone into column c. A column takes seven bits of a word, its lowest cell first; the seventh
is always empty, so that no line runs over from one column into the next:

     6 13 20 27 34 41 48    always empty
     5 12 19 26 33 40 47
     : :  :  :  :  :  :
     0  7 14 21 28 35 42
"""
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from masume.core._game cimport (
    MASUME_GAME_ABI, MASUME_GAME_CAPSULE, MASUME_ILLEGAL, MASUME_TERMINAL,
    masume_below, masume_field, masume_game, masume_stream)

cdef extern from *:
    int32_t count_bits "__builtin_popcountll"(uint64_t) noexcept nogil

cdef enum:
    WIDTH = 7
    HEIGHT = 6
    COLUMN = HEIGHT + 1                    # bits
    DIAGONAL_UP = COLUMN + 1               # to the next cell that way
    DIAGONAL_DOWN = COLUMN - 1

cdef uint64_t BOTTOM = 0x0040810204081     # the lowest cell of every column
cdef uint64_t CELLS = BOTTOM * 0x3F

ctypedef struct Board:
    uint64_t stones[2]                     # of each player


# -- rules: C only ------------------------------------------------------------------------------

cdef inline uint64_t taken(const Board *b) noexcept nogil:
    return b.stones[0] | b.stones[1]


cdef inline int32_t mover(const Board *b) noexcept nogil:
    return count_bits(taken(b)) & 1


cdef inline bint has_line(uint64_t stones) noexcept nogil:
    """Whether four of the stones stand in a line."""
    cdef uint64_t up = stones & stones >> 1, across = stones & stones >> COLUMN
    cdef uint64_t rising = stones & stones >> DIAGONAL_UP, falling = stones & stones >> DIAGONAL_DOWN
    return (up & up >> 2 | across & across >> 2 * COLUMN
            | rising & rising >> 2 * DIAGONAL_UP | falling & falling >> 2 * DIAGONAL_DOWN) != 0


cdef inline bint is_over(const Board *b) noexcept nogil:
    """Whether the last stone made a line or filled the board."""
    return has_line(b.stones[1 - mover(b)]) or taken(b) == CELLS


cdef inline uint64_t landing(const Board *b, int32_t column) noexcept nogil:
    """The cell where a stone dropped into the column comes to rest; 0 where it is full."""
    cdef uint64_t cells = <uint64_t>0x3F << COLUMN * column
    return (taken(b) + (<uint64_t>1 << COLUMN * column)) & cells


# -- the table, in the order of masume/game.h -----------------------------------------------------

cdef void init(const masume_game *g, void *state, void *memory, uint64_t seed) noexcept nogil:
    memset(state, 0, sizeof(Board))        # every game starts alike: the seed changes nothing


cdef int32_t slots(const masume_game *g, const void *state, int32_t *players) noexcept nogil:
    players[0] = mover(<const Board *>state)
    return not is_over(<const Board *>state)


cdef int32_t legal(const masume_game *g, const void *state, int32_t slot, int32_t *codes) noexcept nogil:
    cdef int32_t column, count = 0
    for column in range(WIDTH):
        if landing(<const Board *>state, column):
            codes[count] = column
            count += 1
    return count


cdef void mask(const masume_game *g, const void *state, int32_t slot, uint8_t *out) noexcept nogil:
    cdef int32_t column
    for column in range(WIDTH):
        out[column] = landing(<const Board *>state, column) != 0


cdef int32_t sample(const masume_game *g, const void *state, int32_t slot, uint64_t *rng) noexcept nogil:
    cdef int32_t codes[WIDTH]
    return codes[masume_below(rng, legal(g, state, slot, codes))]


cdef int32_t fallback(const masume_game *g, const void *state, int32_t slot) noexcept nogil:
    cdef int32_t codes[WIDTH]
    legal(g, state, slot, codes)
    return codes[0]


cdef int32_t apply(const masume_game *g, void *state, void *memory, const int32_t *codes) noexcept nogil:
    cdef Board *b = <Board *>state
    if is_over(b) or not 0 <= codes[0] < WIDTH or not landing(b, codes[0]):
        return MASUME_ILLEGAL(0)           # slot 0: there is no other
    b.stones[mover(b)] |= landing(b, codes[0])
    return MASUME_TERMINAL if is_over(b) else 0


cdef void scores(const masume_game *g, const void *state, int64_t *out) noexcept nogil:
    cdef int32_t player
    for player in range(2):
        out[player] = has_line((<const Board *>state).stones[player])


cdef void returns(const masume_game *g, const void *state, float *out) noexcept nogil:
    cdef int64_t lines[2]
    scores(g, state, lines)
    out[0] = <float>(lines[0] - lines[1])
    out[1] = -out[0]


cdef void observe(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                  void *const *out) noexcept nogil:
    cdef const Board *b = <const Board *>state
    cdef int32_t plane, row, column
    cdef float *cell
    if fields & 1:                         # planes: my stones, the other's; row 0 on top
        cell = <float *>out[0]
        for plane in range(2):
            for row in range(HEIGHT):
                for column in range(WIDTH):
                    cell[0] = b.stones[player ^ plane] >> (COLUMN * column + HEIGHT - 1 - row) & 1
                    cell += 1
    if fields & 2:                         # scalars: how full the board is
        (<float *>out[1])[0] = <float>count_bits(taken(b)) / (WIDTH * HEIGHT)


cdef uint64_t key(const masume_game *g, const void *state) noexcept nogil:
    return masume_stream((<const Board *>state).stones[0], (<const Board *>state).stones[1])


cdef const char *check(const masume_game *g, const void *state, const void *memory) noexcept nogil:
    """Trusts nothing: it is what makes bytes from outside safe."""
    cdef const Board *b = <const Board *>state
    cdef uint64_t all_stones = taken(b)
    if b.stones[0] & b.stones[1]:
        return "stones: two in one cell"
    if all_stones & ~CELLS:
        return "stones: off the board"
    if (all_stones + BOTTOM) & all_stones:
        return "stones: one hangs in the air"
    if count_bits(b.stones[0]) != (count_bits(all_stones) + 1) // 2:
        return "stones: the players have not taken turns"
    if has_line(b.stones[mover(b)]):
        return "stones: play went on after a line"
    return NULL


cdef void policy(const masume_game *g, const void *state, const void *memory, int32_t which, int32_t player,
                 uint64_t *rng, int32_t *codes) noexcept nogil:
    """careful: win if possible, else stop the other's win, else anything."""
    cdef const Board *b = <const Board *>state
    cdef int32_t other, column
    cdef uint64_t cell
    for other in range(2):
        for column in range(WIDTH):
            cell = landing(b, column)
            if cell and has_line(b.stones[player ^ other] | cell):
                codes[0] = column
                return
    codes[0] = sample(g, state, 0, rng)


# -- the provider: what masume.load takes ---------------------------------------------------------

cdef masume_field STATE_FIELDS[1]
STATE_FIELDS[0] = masume_field(name="stones", dtype="u8", ndim=1, shape=[2, 0, 0, 0], offset=0)
cdef masume_field FIELDS[2]
FIELDS[0] = masume_field(name="planes", dtype="f4", ndim=3, shape=[2, HEIGHT, WIDTH, 0], offset=0)
FIELDS[1] = masume_field(name="scalars", dtype="f4", ndim=1, shape=[1, 0, 0, 0], offset=0)
cdef const char *POLICIES[1]
POLICIES[0] = "careful"
cdef masume_game TABLE                     # global, so it lives as long as any capsule; optional entries stay NULL
TABLE.abi, TABLE.struct_size, TABLE.name = MASUME_GAME_ABI, sizeof(masume_game), "connect_four"
TABLE.state_size, TABLE.num_players, TABLE.num_slots = sizeof(Board), 2, 1
TABLE.num_actions = TABLE.max_legal = WIDTH
TABLE.max_game_length = WIDTH * HEIGHT
TABLE.num_state_fields, TABLE.state_fields = 1, STATE_FIELDS
TABLE.num_fields, TABLE.fields = 2, FIELDS
TABLE.num_policies, TABLE.policy_names, TABLE.policy = 1, POLICIES, policy
TABLE.init, TABLE.slots, TABLE.legal, TABLE.mask, TABLE.sample = init, slots, legal, mask, sample
TABLE.fallback, TABLE.apply, TABLE.returns, TABLE.scores = fallback, apply, returns, scores
TABLE.observe, TABLE.key, TABLE.check = observe, key, check


class ConnectFour:
    """The provider; `game` is the only one."""

    def __masume_game__(self):
        return PyCapsule_New(&TABLE, MASUME_GAME_CAPSULE, NULL)

    def __reduce__(self):
        return "game"                      # pickled by name: another process finds its own, and games stay equal


game = ConnectFour()

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Engine of Connect Four: its rules, and the function table that `table` returns to masume.

Two players drop stones into columns of six cells in turn; four in a line win, a full board is a draw.
Code c drops a stone into column c. A column is seven bits of a word, its lowest cell first; the seventh is always
empty, so that no line continues from one column into the next:

     6 13 20 27 34 41 48    always empty
     5 12 19 26 33 40 47
     : :  :  :  :  :  :
     0  7 14 21 28 35 42
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from masume.core._game cimport (
    MASUME_ILLEGAL, MASUME_TERMINAL, masume_below, masume_field, masume_game, masume_stream)
from masume.core._state cimport State as Position
from masume.core.guard cimport guard_methods
from masume.core.provide cimport block_of, lay_out, new_capsule

cdef extern from *:
    int32_t count_bits "__builtin_popcountll"(uint64_t) noexcept nogil

cdef enum:
    MAX_WIDTH = 9                          # 63 bits
    HEIGHT = 6
    COLUMN = HEIGHT + 1                    # bits
    DIAGONAL_UP = COLUMN + 1               # bits to the next cell in this direction
    DIAGONAL_DOWN = COLUMN - 1

ctypedef struct Board:
    uint64_t stones[2]                     # by player

ctypedef struct Table:
    masume_game game                       # first, because the capsule points at it
    int32_t width                          # fixed by the config; `game.params` points at the Table
    uint64_t bottom                        # the lowest cell of every column
    uint64_t cells
    masume_field state_fields[1]
    masume_field fields[2]
    const char *policies[1]


# -- rules: C only ------------------------------------------------------------------------------

cdef inline uint64_t taken(const Board *b) noexcept nogil:
    return b.stones[0] | b.stones[1]


cdef inline int32_t mover(const Board *b) noexcept nogil:
    return count_bits(taken(b)) & 1


cdef inline bint has_line(uint64_t stones) noexcept nogil:
    """Return whether four of the stones are in a line."""
    cdef uint64_t up = stones & stones >> 1, across = stones & stones >> COLUMN
    cdef uint64_t rising = stones & stones >> DIAGONAL_UP, falling = stones & stones >> DIAGONAL_DOWN
    return (up & up >> 2 | across & across >> 2 * COLUMN
            | rising & rising >> 2 * DIAGONAL_UP | falling & falling >> 2 * DIAGONAL_DOWN) != 0


cdef inline bint is_over(const Table *table, const Board *b) noexcept nogil:
    """Return whether the last stone made a line or filled the board."""
    return has_line(b.stones[1 - mover(b)]) or taken(b) == table.cells


cdef inline uint64_t landing(const Board *b, int32_t column) noexcept nogil:
    """Return the cell where a stone dropped into the column lands; 0 if the column is full."""
    cdef uint64_t cells = <uint64_t>0x3F << COLUMN * column
    return (taken(b) + (<uint64_t>1 << COLUMN * column)) & cells


# -- the functions of the table, in the order of masume/game.h ------------------------------------

cdef inline const Table *table_of(const masume_game *g) noexcept nogil:
    return <const Table *>g.params


cdef void init(const masume_game *g, void *state, void *memory, uint64_t seed) noexcept nogil:
    memset(state, 0, sizeof(Board))        # all games start alike: the seed is not used


cdef int32_t slots(const masume_game *g, const void *state, int32_t *players) noexcept nogil:
    players[0] = mover(<const Board *>state)
    return not is_over(table_of(g), <const Board *>state)


cdef int32_t legal(const masume_game *g, const void *state, int32_t slot, int32_t *codes) noexcept nogil:
    cdef int32_t column, count = 0
    for column in range(table_of(g).width):
        if landing(<const Board *>state, column):
            codes[count] = column
            count += 1
    return count


cdef void mask(const masume_game *g, const void *state, int32_t slot, uint8_t *out) noexcept nogil:
    cdef int32_t column
    for column in range(table_of(g).width):
        out[column] = landing(<const Board *>state, column) != 0


cdef int32_t sample(const masume_game *g, const void *state, int32_t slot, uint64_t *rng) noexcept nogil:
    cdef int32_t codes[MAX_WIDTH]
    return codes[masume_below(rng, legal(g, state, slot, codes))]


cdef int32_t fallback(const masume_game *g, const void *state, int32_t slot) noexcept nogil:
    cdef int32_t codes[MAX_WIDTH]
    legal(g, state, slot, codes)
    return codes[0]


cdef int32_t apply(const masume_game *g, void *state, void *memory, const int32_t *codes) noexcept nogil:
    cdef Board *b = <Board *>state
    if is_over(table_of(g), b) or not 0 <= codes[0] < table_of(g).width or not landing(b, codes[0]):
        return MASUME_ILLEGAL(0)           # slot 0 is the only one
    b.stones[mover(b)] |= landing(b, codes[0])
    return MASUME_TERMINAL if is_over(table_of(g), b) else 0


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
    cdef int32_t plane, row, column, width = table_of(g).width
    cdef float *cell
    if fields & 1:                         # planes: the player's stones, the opponent's; row 0 is the top
        cell = <float *>out[0]
        for plane in range(2):
            for row in range(HEIGHT):
                for column in range(width):
                    cell[0] = b.stones[player ^ plane] >> (COLUMN * column + HEIGHT - 1 - row) & 1
                    cell += 1
    if fields & 2:                         # scalars: filled share of the board
        (<float *>out[1])[0] = <float>count_bits(taken(b)) / (width * HEIGHT)


cdef uint64_t key(const masume_game *g, const void *state) noexcept nogil:
    return masume_stream((<const Board *>state).stones[0], (<const Board *>state).stones[1])


cdef const char *check(const masume_game *g, const void *state, const void *memory) noexcept nogil:
    """Return what is wrong with a state, or NULL; trusts nothing, so that foreign bytes are safe."""
    cdef const Board *b = <const Board *>state
    cdef uint64_t all_stones = taken(b)
    if b.stones[0] & b.stones[1]:
        return "stones: two in one cell"
    if all_stones & ~table_of(g).cells:
        return "stones: off the board"
    if (all_stones + table_of(g).bottom) & all_stones:
        return "stones: one hangs in the air"
    if count_bits(b.stones[0]) != (count_bits(all_stones) + 1) // 2:
        return "stones: the players have not taken turns"
    if has_line(b.stones[mover(b)]):
        return "stones: play went on after a line"
    return NULL


cdef void policy(const masume_game *g, const void *state, const void *memory, int32_t which, int32_t player,
                 uint64_t *rng, int32_t *codes) noexcept nogil:
    """Play `careful`: win if possible, else stop the opponent's win, else play at random."""
    cdef const Board *b = <const Board *>state
    cdef int32_t other, column
    cdef uint64_t cell
    for other in range(2):
        for column in range(table_of(g).width):
            cell = landing(b, column)
            if cell and has_line(b.stones[player ^ other] | cell):
                codes[0] = column
                return
    codes[0] = sample(g, state, 0, rng)


# -- interface to masume ----------------------------------------------------------------------------

def table(config):
    """Return the capsule of the function table for a Config; it owns the table and everything that it points at."""
    capsule = new_capsule(sizeof(Table))   # zeroed: optional entries stay NULL
    cdef Table *its = <Table *>block_of(capsule)
    cdef masume_game *g = &its.game
    cdef int32_t column
    its.width = config.width
    for column in range(its.width):
        its.bottom |= <uint64_t>1 << COLUMN * column
    its.cells = its.bottom * 0x3F
    lay_out(&its.state_fields[0], "stones", "u8", 0, (2,))
    lay_out(&its.fields[0], "planes", "f4", 0, (2, HEIGHT, its.width))
    lay_out(&its.fields[1], "scalars", "f4", 0, (1,))
    its.policies[0] = "careful"
    g.params, g.name = its, "connect_four"
    g.state_size, g.num_players, g.num_slots = sizeof(Board), 2, 1
    g.num_actions = g.max_legal = its.width
    g.max_game_length = its.width * HEIGHT
    g.num_state_fields, g.state_fields = 1, its.state_fields
    g.num_fields, g.fields = 2, its.fields
    g.num_policies, g.policy_names, g.policy = 1, its.policies, policy
    g.init, g.slots, g.legal, g.mask, g.sample = init, slots, legal, mask, sample
    g.fallback, g.apply, g.returns, g.scores = fallback, apply, returns, scores
    g.observe, g.key, g.check = observe, key, check
    return capsule


cdef class State(Position):
    """A position that reads its own bytes; the package's State adds the texts."""

    def __cinit__(self, *_):
        if self.g.init != init:              # another game's position has other bytes
            raise TypeError(f"game: {self.game!r} is not connect_four")

    def count_stones(self):
        """Return the number of stones on the board."""
        return count_bits(taken(<const Board *>self.data))


guard_methods(globals())                     # so that count_stones takes no other object for a State

# cython: language_level=3, cdivision=True
"""CHaser: the infos that players receive, and their knowledge from them. [section 9]

Each player has a frame with the cells it has seen, as large as the field plus a margin of MARGIN cells. The frame moves
when necessary so that it contains the cells known to be inside the field with MARGIN cells around them; so its position
does not reveal the position on the field. It stores the first and the last sight of each cell, two bits each, in planes
of single bits. The time of a sight follows from the player's methods, which are stored too. A grid is the frame
unfolded: it covers all cells that may be around the start, with the start in the middle.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.chaser.rules cimport *

cdef enum:
    MAX_GRID = 145 * 145           # of a field of 64 x 64
    GRID_WORDS = 332               # words of one of its planes, and two more
    MAX_FRAME = 82 * 82
    FRAME_WORDS = 106

cdef enum:                         # a sight: a digit with bit 0 inverted, or UNSEEN
    TOLD = 1                       # sight = digit ^ TOLD
    UNSEEN = 0                     # in an info: the opponent
    SAW_FLOOR = 1
    SAW_ITEM = 2
    SAW_BLOCK = 3

cdef enum:                         # planes: bit 0 and bit 1 of the last and first sights
    LAST_LOW
    LAST_HIGH
    FIRST_LOW
    FIRST_HIGH
    NUM_BITS

cdef enum:                         # an info in one word: bits 0 of its sights, then bits 1 of its sights
    NINE_BITS = 0x1FF
    HIGH = 16                      # shift of the bits 1
    GOES_ON = 0x200                # the first digit of a method info
    ZEROS = NINE_BITS              # an info of zeros, before the first

cdef struct Knowledge:             # knowledge of a player; the bit planes and its methods, two per byte, follow
    uint32_t ready                 # its last ready info
    uint32_t last_info             # its last method info
    int16_t start                  # its start in the frame
    int16_t at                     # its cell in the frame
    int16_t sighting               # cell of the last sighting of the opponent, 0 for none
    int16_t sighting_half          # half of the last sighting, -1 for none
    int16_t begin                  # half from which its events begin
    int16_t mirrored               # 1 if it knows that the map was symmetric and the opponent started opposite
    int8_t top                     # rows and columns known to be inside the field, relative to its start
    int8_t bottom
    int8_t left
    int8_t right

cdef struct Memory:                # the Knowledge of each player follows
    int32_t begin                  # half from which the players' events begin
    int32_t fouled                 # 1 once a foul has ended the game

cdef struct Trail:                 # iterator over the infos of a player, oldest first
    const uint8_t *methods
    int32_t n                      # number of the next info: 2 i before the i-th method, 2 i + 1 after it
    int32_t count                  # number of methods
    int32_t first                  # half of the first method
    int32_t half                   # half of the position
    bint ends                      # whether the last info is not followed by a method
    int32_t cell                   # cell of the player at the current info, in the grid
    int32_t around                 # the action that the current info answers, or AT_HAND
    int32_t told                   # half of the current info


# -- the parts of a memory ------------------------------------------------------------------------

cdef inline Knowledge *knowledge_of(const Params *k, const void *memory, int32_t player) noexcept nogil:
    """Return the knowledge of a player."""
    return <Knowledge *>(<uint8_t *>memory + sizeof(Memory) + player * k.knowledge_size)


cdef inline uint8_t *plane_of(const Params *k, const Knowledge *known, int32_t plane) noexcept nogil:
    """Return a plane of bits."""
    return <uint8_t *>known + sizeof(Knowledge) + plane * k.plane_size


cdef inline uint8_t *methods_in(const Params *k, const Knowledge *known) noexcept nogil:
    """Return the player's methods since `begin`, the first in bits 0 to 3."""
    return plane_of(k, known, NUM_BITS)


cdef inline uint64_t bits_at(const uint8_t *bits, int32_t n) noexcept nogil:
    """Return the bits n, ..., n + 63."""
    cdef uint64_t word
    memcpy(&word, bits + (n >> 3), sizeof(word))
    return word >> (n & 7) | <uint64_t>bits[(n >> 3) + 8] << 1 << (63 - (n & 7))


cdef inline uint32_t sight_at(const Params *k, const Knowledge *known, int32_t cell, int32_t planes) noexcept nogil:
    """Return the last (LAST_LOW) or the first sight (FIRST_LOW) of a cell."""
    cdef const uint8_t *low = plane_of(k, known, planes) + (cell >> 3)
    return low[0] >> (cell & 7) & 1 | (low[k.plane_size] >> (cell & 7) & 1) << 1


cdef inline int32_t grid_cell(const Params *k, const Knowledge *known, int32_t cell) noexcept nogil:
    """Return the cell of the grid for a cell of the frame."""
    return (k.centre + (cell // k.frame_width - known.start // k.frame_width) * k.grid_width
            + cell % k.frame_width - known.start % k.frame_width)


cdef inline void put_word(uint64_t *bits, int32_t n, uint64_t word) noexcept nogil:
    """Set bit n + i for each bit i of the word."""
    bits[n >> 6] |= word << (n & 63)
    bits[(n >> 6) + 1] |= word >> 1 >> (63 - (n & 63))


cdef inline void unfold(const Params *k, const Knowledge *known, int32_t count,
                        uint64_t (*out)[GRID_WORDS]) noexcept nogil:
    """Write the first `count` planes, at least 2, as planes of a grid."""
    cdef int32_t column, n, place, cell = 0, corner = grid_cell(k, known, 0)
    cdef uint64_t low, high, mask
    for n in range(count):
        memset(out[n], 0, (k.grid_size // 64 + 3) * sizeof(uint64_t))
    for _ in range(k.frame_height):
        for column in range(0, k.frame_width, 64):
            mask = bits_low64(min(<int32_t>64, k.frame_width - column))
            place = corner + column
            low = bits_at(plane_of(k, known, LAST_LOW), cell + column) & mask
            high = bits_at(plane_of(k, known, LAST_HIGH), cell + column) & mask
            if low | high:
                put_word(out[LAST_LOW], place, low)
                put_word(out[LAST_HIGH], place, high)
                for n in range(FIRST_LOW, count):
                    put_word(out[n], place, bits_at(plane_of(k, known, n), cell + column) & mask)
        cell += k.frame_width
        corner += k.grid_width


cdef inline void move_frame(const Params *k, Knowledge *known, int32_t by) noexcept nogil:
    """Move the content of the frame by `by` cells."""
    cdef uint64_t wide[3 * FRAME_WORDS + 2]                # a plane between zeros
    cdef uint64_t *words
    cdef int32_t plane, n, count = <int32_t>k.plane_size // 8, from_word = count - (by >> 6), bits = by & 63
    memset(wide, 0, (3 * count + 2) * sizeof(uint64_t))
    for plane in range(NUM_BITS):
        words = <uint64_t *>plane_of(k, known, plane)
        memcpy(&wide[count], words, k.plane_size)
        for n in range(count):
            words[n] = wide[from_word + n] << bits | wide[from_word + n - 1] >> 1 >> (63 - bits)
    known.start += <int16_t>by
    known.at += <int16_t>by
    if known.sighting_half >= 0:
        known.sighting += <int16_t>by


cdef inline int32_t keep_between(int32_t at, int32_t least, int32_t most) noexcept nogil:
    """Return `at` if it is in least..most, else their middle, so that the next move is far off."""
    return at if least <= at <= most else (least + most) // 2


cdef inline void keep_in_frame(const Params *k, Knowledge *known) noexcept nogil:
    """Move the frame if it does not contain the known part of the field with MARGIN cells around it."""
    cdef int32_t row = keep_between(known.start // k.frame_width, MARGIN - known.top,
                                    k.frame_height - 1 - MARGIN - known.bottom)
    cdef int32_t column = keep_between(known.start % k.frame_width, MARGIN - known.left,
                                       k.frame_width - 1 - MARGIN - known.right)
    if row * k.frame_width + column != known.start:
        move_frame(k, known, row * k.frame_width + column - known.start)


cdef inline int32_t last_action_of(const Params *k, const Knowledge *known, int32_t player,
                                   int32_t half) noexcept nogil:
    """Return the player's last method; -1 before the first."""
    cdef int32_t n = methods_of(player, known.begin, half) - 1
    return methods_in(k, known)[n >> 1] >> 4 * (n & 1) & 15 if n >= 0 else -1


# -- infos ----------------------------------------------------------------------------------------

cdef inline uint32_t nine_cells(const Params *k, const Board *board, int32_t place) noexcept nogil:
    """Return the stored values of nine cells in a row; the first, or else none, is in a row of the field."""
    cdef uint32_t word
    if <uint32_t>place >= <uint32_t>k.end:
        return 0
    memcpy(&word, <const uint8_t *>board.cells + (place >> 2), sizeof(word))
    return word >> (place & 3) * 2


cdef inline uint32_t read_rows(const Params *k, const Board *board, int32_t place, int32_t rows, int32_t columns,
                               int32_t foe, int32_t *met) noexcept nogil:
    """Return stored rows of cells from a place on, two bits each; set `met` to the index of `foe` if it is there."""
    cdef uint32_t cells = 0
    cdef int32_t n = 0
    for _ in range(rows):
        cells |= (nine_cells(k, board, place) & ((<uint32_t>1 << 2 * columns) - 1)) << 2 * n
        if <uint32_t>(foe - place) < <uint32_t>columns:
            met[0] = n + foe - place
        place += k.stride
        n += columns
    return cells


cdef inline uint32_t read_info(const Params *k, const Board *board, int32_t player, int32_t around,
                               int32_t *met) noexcept nogil:
    """Return the sights of an info. [CH-7] [CH-34] [CH-R16]

    around : the action that it answers, or AT_HAND. met : set to the index of the opponent's cell, -1 for none.
    """
    cdef const Shape *shape = &k.shapes[around]
    cdef int32_t place = board.place[player] + shape.place, foe = board.place[1 - player]
    cdef uint32_t cells
    met[0] = -1
    if board.winner != ONGOING and not is_inside(k, foe):                    # 2 comes before 1 [CH-R15]
        foe = NOWHERE
    if shape.columns == 3:                                                   # most often
        cells = read_rows(k, board, place, 3, 3, foe, met)
    else:
        cells = read_rows(k, board, place, shape.rows, shape.columns, foe, met)
    cells ^= 0x3FFFF                                                         # TURNED ^ TOLD
    if met[0] >= 0:
        cells &= ~(<uint32_t>3 << 2 * met[0])
    return bits_unshuffle(cells)


cdef inline uint8_t digit_of(const Params *k, uint32_t info, int32_t around, int32_t n) noexcept nogil:
    """Return the n-th of the nine digits of an info. [CH-36] [CH-37]"""
    if k.shapes[around].backwards:
        n = NINE - 1 - n
    return <uint8_t>((info >> n & 1 | (info >> HIGH >> n & 1) << 1) ^ TOLD)


cdef inline uint32_t sixteen_at(const uint8_t *bytes) noexcept nogil:
    cdef uint16_t word
    memcpy(&word, bytes, sizeof(word))
    return word


cdef inline void put_sixteen(uint8_t *bytes, uint32_t bits) noexcept nogil:
    cdef uint16_t word = <uint16_t>bits
    memcpy(bytes, &word, sizeof(word))


cdef inline uint32_t put_rows(const Params *k, Knowledge *known, int32_t cell, int32_t rows, int32_t columns,
                              uint32_t low, uint32_t high, int32_t *from_row, int32_t *to_row) noexcept nogil:
    """Store rows of sights from a cell on; return the columns, and set the rows, newly found to be inside the field."""
    cdef uint8_t *bytes
    cdef uint32_t size = k.plane_size, mask = (<uint32_t>1 << columns) - 1, opened = 0
    cdef uint32_t here, its_low, its_high, old_low, old_high, fresh
    cdef int32_t row
    for row in range(rows):
        bytes = plane_of(k, known, LAST_LOW) + (cell >> 3)
        here = mask << (cell & 7)
        its_low = (low & mask) << (cell & 7)
        its_high = (high & mask) << (cell & 7)
        old_low = sixteen_at(bytes)
        old_high = sixteen_at(bytes + size)
        put_sixteen(bytes, (old_low & ~here) | its_low)
        put_sixteen(bytes + size, (old_high & ~here) | its_high)
        fresh = here & ~(old_low | old_high)
        if fresh:                                                            # they have no first sight either
            bytes += 2 * size
            put_sixteen(bytes, sixteen_at(bytes) | (its_low & fresh))
            put_sixteen(bytes + size, sixteen_at(bytes + size) | (its_high & fresh))
            fresh &= its_low ^ its_high                                      # without blocks
            if fresh:
                from_row[0] = row if opened == 0 else from_row[0]
                to_row[0] = row
                opened |= fresh >> (cell & 7)
        low >>= columns
        high >>= columns
        cell += k.frame_width
    return opened


cdef inline void see(const Params *k, const Board *board, Knowledge *known, int32_t around, uint32_t info,
                     int32_t met) noexcept nogil:
    """Store the cells of an info; `met` is the index of the opponent's cell, -1 for none. [section 9.4]"""
    cdef const Shape *shape = &k.shapes[around]
    cdef uint32_t low = info & NINE_BITS, high = info >> HIGH, opened
    cdef int32_t row, cell = known.at + shape.in_frame, from_row = 0, to_row = 0
    if met >= 0:
        low |= <uint32_t>SAW_FLOOR << met
        known.sighting = <int16_t>(cell + met // shape.columns * k.frame_width + met % shape.columns)
        known.sighting_half = board.half
    if shape.columns == 3:                                                   # most often
        opened = put_rows(k, known, cell, 3, 3, low, high, &from_row, &to_row)
    else:
        opened = put_rows(k, known, cell, shape.rows, shape.columns, low, high, &from_row, &to_row)
    if opened:
        cell = known.at + shape.in_frame
        row = cell // k.frame_width - known.start // k.frame_width
        cell = cell % k.frame_width - known.start % k.frame_width
        known.top = <int8_t>min(<int32_t>known.top, row + from_row)
        known.bottom = <int8_t>max(<int32_t>known.bottom, row + to_row)
        known.left = <int8_t>min(<int32_t>known.left, cell + bits_first(opened))
        known.right = <int8_t>max(<int32_t>known.right, cell + bits_last(opened))
        keep_in_frame(k, known)


cdef inline void tell_at_hand(const Params *k, const Board *board, Knowledge *known, int32_t player) noexcept nogil:
    """Give the player its ready info at the beginning of its turn, or the end info. [CH-23]"""
    cdef int32_t met
    cdef uint32_t info = read_info(k, board, player, AT_HAND, &met)
    if board.winner == ONGOING:
        known.ready = info
    see(k, board, known, AT_HAND, info, met)


cdef inline void tell_method(const Params *k, const Board *board, Knowledge *known, int32_t player,
                             int32_t action) noexcept nogil:
    """Give the player the info that answers its method. [CH-28 to CH-33, CH-46]"""
    cdef int32_t met, n = methods_of(player, known.begin, board.half) - 1
    cdef uint32_t info = read_info(k, board, player, action, &met)
    methods_in(k, known)[n >> 1] |= <uint8_t>(action << 4 * (n & 1))
    if action >> 2 == WALK:
        known.at += <int16_t>k.frame_step[action]
    see(k, board, known, action, info, met)
    known.last_info = info | GOES_ON * (board.winner == ONGOING)             # CH-35, CH-R17


cdef inline void forget(const Params *k, Knowledge *known, int32_t half, bint mirrored) noexcept nogil:
    """Reset the knowledge: the player has seen nothing and is on its start."""
    memset(known, 0, k.knowledge_size)
    known.start = known.at = <int16_t>(k.frame_height // 2 * k.frame_width + k.frame_width // 2)
    known.ready = known.last_info = ZEROS
    known.sighting_half = -1
    known.begin = <int16_t>half
    known.mirrored = mirrored


cdef inline void begin(const Params *k, const Board *board, void *memory, bint mirrored) noexcept nogil:
    """Reset the knowledge of both players; the player to move has received its ready info."""
    cdef int32_t p = board.half & 1
    (<Memory *>memory).begin = board.half
    (<Memory *>memory).fouled = False
    forget(k, knowledge_of(k, memory, 0), board.half, mirrored)
    forget(k, knowledge_of(k, memory, 1), board.half, mirrored)
    if board.winner == ONGOING:
        tell_at_hand(k, board, knowledge_of(k, memory, p), p)


# -- iteration over past infos --------------------------------------------------------------------

cdef inline Trail trail_of(const Params *k, const Board *board, const void *memory, int32_t player) noexcept nogil:
    """Return the player's trail before its first info."""
    cdef const Memory *both = <const Memory *>memory
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef Trail trail
    trail.methods = methods_in(k, known)
    trail.n = 0
    trail.count = methods_of(player, known.begin, board.half)
    trail.first = known.begin + ((known.begin ^ player) & 1)
    trail.half = board.half
    trail.ends = both.fouled or (player == board.half & 1 and (board.winner == ONGOING or both.begin < board.half))
    trail.cell = k.centre
    trail.around = AT_HAND
    trail.told = -1
    return trail


cdef inline bint go_on(const Params *k, Trail *trail) noexcept nogil:
    """Advance to the next info; return whether there is one."""
    if trail.n >= 2 * trail.count + trail.ends:
        return False
    trail.around = AT_HAND
    if trail.n & 1:
        trail.around = trail.methods[trail.n >> 2] >> (trail.n & 2) * 2 & 15
        if trail.around >> 2 == WALK:
            trail.cell += k.grid_step[trail.around]
    trail.told = min(trail.first + trail.n, trail.half)
    trail.n += 1
    return True

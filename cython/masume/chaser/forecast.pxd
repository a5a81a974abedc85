# cython: language_level=3, cdivision=True
"""CHaser: estimate of the final numbers of items, used by searches that stop before the end."""
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.chaser.rules cimport *
from masume.core._game cimport masume_game
from masume.core.bits cimport bits_count

cdef enum:
    ROOM = 16                      # cells to walk on; a player with fewer is shut in
    LEFT = 15                      # columns left of the player of which its room may be
    COLUMNS = 29                   # with those on the right; two bits for each fit in a word at any offset
    ODD_BITS = 0x55555555          # the lower bit of each cell

cdef extern from *:            # how they were fitted: docs/notes/search.md
    """
    static const double EVEN = 0.0025; /* share of the items left that each of two players takes per half left */
    static const double MOST_EVEN = 0.4; /* largest share of one of two players */
    static const double ALONE = 0.00375; /* the same of a player whose opponent is shut in */
    static const double MOST_ALONE = 0.5;
    """
    const double EVEN, MOST_EVEN, ALONE, MOST_ALONE


cdef inline uint64_t cells_around(const Params *k, const Board *board, int32_t place, int32_t down) noexcept nogil:
    """Return COLUMNS cells of a row `down` rows below a place, two bits each, from LEFT columns left of the place on.

    The first and the last ones may be of other rows: nine blocks or more are between them and those of this row.
    """
    cdef uint64_t word
    cdef int32_t first = place + down * k.stride - LEFT
    if not k.stride <= place + down * k.stride < k.end:
        return 0
    memcpy(&word, <const uint8_t *>board.cells + (first >> 2), sizeof(word))
    return word >> (first & 3) * 2 & bits_low64(2 * COLUMNS)


cdef inline bint is_shut_in(const Params *k, const Board *board, int32_t place, int32_t *items) noexcept nogil:
    """Return whether a player there has fewer than ROOM cells to walk on; if so, set `items` to those among them."""
    cdef uint64_t cells[2 * ROOM + 1]
    cdef uint64_t reached[2 * ROOM + 1]
    cdef uint64_t above, here, ways, new
    cdef int32_t row, top = ROOM, bottom = ROOM, count
    memset(reached, 0, sizeof(reached))
    for row in range(ROOM - 1, ROOM + 2):
        cells[row] = cells_around(k, board, place, row - ROOM)
    reached[ROOM] = <uint64_t>1 << 2 * LEFT
    while True:
        above = new = 0
        count = 0
        for row in range(top - 1, bottom + 2):
            here = reached[row]
            ways = (cells[row] | cells[row] >> 1) & (<uint64_t>ODD_BITS << 32 | ODD_BITS)
            reached[row] = (above | reached[row + 1] | here | here << 2 | here >> 2) & ways
            above = here
            new |= here ^ reached[row]
            count += bits_count64(reached[row])
        if count >= ROOM:
            return False
        if new == 0:
            break
        if reached[top - 1]:
            top -= 1
            cells[top - 1] = cells_around(k, board, place, top - 1 - ROOM)
        if reached[bottom + 1]:
            bottom += 1
            cells[bottom + 1] = cells_around(k, board, place, bottom + 1 - ROOM)
    items[0] = 0
    for row in range(top, bottom + 1):
        items[0] += bits_count64(reached[row] & cells[row] & ~(cells[row] >> 1))
    return True


cdef inline int32_t items_on(const Params *k, const Board *board) noexcept nogil:
    """Return the number of items on the field."""
    cdef int32_t n, count = 0
    for n in range(k.words):
        count += bits_count(board.cells[n] & ~(board.cells[n] >> 1) & ODD_BITS)
    return count


cdef inline void forecast(const masume_game *g, const void *state, double *out) noexcept nogil:
    """Write the items that each player is expected to have at the end; one that is shut in takes all in its reach."""
    cdef const Params *k = <const Params *>g.params
    cdef const Board *board = <const Board *>state
    cdef int32_t player, halves = k.last_half - board.half, items
    cdef int32_t within[2]
    cdef bint is_shut[2]
    out[0] = board.items[0]
    out[1] = board.items[1]
    if board.winner != ONGOING:
        return
    items = items_on(k, board)
    for player in range(2):
        is_shut[player] = is_shut_in(k, board, board.place[player], &within[player])
    for player in range(2):
        if is_shut[player]:
            out[player] += within[player]
        elif is_shut[1 - player]:
            out[player] += items * min(MOST_ALONE, ALONE * halves)
        else:
            out[player] += items * min(MOST_EVEN, EVEN * halves)

# cython: language_level=3, cdivision=True
"""CHaser: checks that external bytes are a position, and that its players can have seen their memory. [section 3]"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t
from libc.string cimport memset
from masume.chaser.knowledge cimport *
from masume.chaser.rules cimport *
from masume.core._game cimport masume_game


cdef inline const char *check_board(const masume_game *g, const Params *k, const Board *board) noexcept nogil:
    """Check the ranges and invariants of section 3, and that the result follows from the last method."""
    cdef uint32_t field
    cdef int32_t n, q, found
    if not 0 <= board.half <= k.last_half:
        return "half: out of range"
    if not (ONGOING <= board.winner <= DRAW and NONE <= board.reason <= SCORE):
        return "winner, reason: out of range"
    for n in range(k.words):
        field = k.floor[n] | k.floor[n] >> 1
        if board.cells[n] & ~field or board.cells[n] & board.cells[n] >> 1 & 0x55555555:
            return "cells: outside the field, or none of 0, 2, 3"
    for n in range(HEADER + k.words * <int32_t>sizeof(uint32_t), <int32_t>g.state_size):
        if (<const uint8_t *>board)[n] != 0:
            return "padding: not zero"
    for q in range(2):
        if not (0 <= board.place[q] < k.places and is_near(k, row_of(k, board.place[q]), column_of(k, board.place[q]))):
            return "row, col: more than a step outside the field"
        if not 0 <= board.items[q] <= min(k.size - 2, methods_of(q, 0, board.half)):
            return "items: more than the player's methods, or than there can be"
    if (board.winner == ONGOING) != (board.reason == NONE):
        return "reason: there is one before the end, or none at the end"
    found = judge(k, board)
    if board.reason == FOUL:
        if board.winner == DRAW or found != 0:
            return "reason: a foul ends a game that goes on, and not in a draw"
    elif found != verdict(board.winner, board.reason) or (board.half == 0 and found != 0):
        return "winner, reason: not those of the position"
    for q in range(2):
        if q == 1 - board.winner and board.reason == COLLISION:
            continue
        if q == 1 - board.winner and board.reason == ATTACK:
            if not is_inside(k, board.place[q]):
                return "row, col: a block was put on a player outside the field"
        elif load_cell(board, board.place[q]) != STORED_FLOOR:
            return "row, col: a player does not stand on floor"
    return NULL


cdef inline bint is_near(const Params *k, int32_t row, int32_t column) noexcept nogil:
    """Return whether a cell is inside the field or one step from it."""
    return (0 <= row < k.height and -1 <= column <= k.width) or (0 <= column < k.width and -1 <= row <= k.height)


cdef inline int32_t age_of(uint32_t sight) noexcept nogil:
    """Return the age of a cell: an item turns into floor or a block, floor into a block, a block never changes."""
    return 0 if sight == SAW_ITEM else 1 if sight == SAW_FLOOR else 2


cdef inline const char *check_sight(const Params *k, const Board *board, uint32_t first, uint32_t last, int32_t half,
                                    int32_t row, int32_t column) noexcept nogil:
    """Check that the player may have seen these values of a cell, the last at `half`, given its present value."""
    cdef uint32_t now
    if (first == UNSEEN) != (half < 0) or (last == UNSEEN) != (half < 0):
        return "memory: a sight that there is not"
    if half < 0:
        return NULL
    if not (0 <= row < k.height and 0 <= column < k.width):
        if first != SAW_BLOCK or last != SAW_BLOCK:
            return "memory: no block outside the field"
        return NULL
    now = load_cell(board, (row + 1) * k.stride + column) ^ TURNED ^ TOLD
    if board.winner == ONGOING and not (age_of(first) <= age_of(last) <= age_of(now)  # not after the end, as the cell
                                        and (half < board.half or last == now)):      # of a buried player reads floor
        return "memory: a cell was seen that is another"
    return NULL


cdef inline const char *check_methods(const Params *k, const Board *board, const void *memory, int32_t player,
                                      int32_t row, int32_t column) noexcept nogil:
    """Check that the player's methods led it through the field from this start to its cell."""
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef const uint8_t *methods = methods_in(k, known)
    cdef int32_t n, step, count = methods_of(player, known.begin, board.half), cell = known.start
    for n in range(count):
        if not (0 <= row < k.height and 0 <= column < k.width):
            return "memory: a method outside the field"
        step = methods[n >> 1] >> 4 * (n & 1) & 15
        if step >> 2 == WALK:
            cell += k.frame_step[step]
            row += (step == 3) - (step == 0)
            column += (step == 1) - (step == 2)
    if known.at != cell:
        return "memory: the own cell is not where its methods led"
    if count & 1 and methods[count >> 1] >> 4:
        return "memory: a method that is still to come"
    for n in range((count + 1) // 2, (k.last_half // 2 + 1) // 2):
        if methods[n]:
            return "memory: a method that is still to come"
    return NULL


cdef inline const char *check_knowledge(const Params *k, const Board *board, const void *memory,
                                        int32_t player) noexcept nogil:
    """Check that the player may have seen the content of its memory on the way to this position."""
    cdef int16_t halves[MAX_FRAME]                         # half of the last sight of each cell
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef const Memory *both = <const Memory *>memory
    cdef const Shape *shape
    cdef Trail trail
    cdef int32_t middle = known.start // k.frame_width, centre = known.start % k.frame_width
    cdef int32_t n, i, row, column, foe_row, foe_column, since, away, met, action, cell, down, across
    cdef int32_t place = board.place[player], foe = board.place[1 - player], top = 0, bottom = 0, left = 0, right = 0
    cdef uint32_t info, first
    cdef const char *fault
    if not (0 <= known.start < k.frame_size and 0 <= known.at < k.frame_size and 0 <= known.sighting < k.frame_size
            and -1 <= known.sighting_half <= board.half and 0 <= known.begin <= both.begin
            and 0 <= known.mirrored <= 1):
        return "memory: out of range"
    if (known.ready | (known.last_info & ~<uint32_t>GOES_ON)) & ~<uint32_t>(NINE_BITS | NINE_BITS << HIGH):
        return "memory: no digits of an info"
    row = row_of(k, place) - known.at // k.frame_width + middle
    column = column_of(k, place) - known.at % k.frame_width + centre
    if not (0 <= row < k.height and 0 <= column < k.width) and (board.winner == ONGOING or known.at != known.start):
        return "memory: a start outside the field"         # a player who lost there may have no earlier events
    fault = check_methods(k, board, memory, player, row, column)
    if fault != NULL:
        return fault
    memset(halves, -1, k.frame_size * sizeof(int16_t))
    trail = trail_of(k, board, memory, player)
    while go_on(k, &trail):
        shape = &k.shapes[trail.around]
        for n in range(NINE):
            cell = trail.cell + shape.cell + n // shape.columns * k.grid_width + n % shape.columns
            down = middle + cell // k.grid_width - k.centre // k.grid_width
            across = centre + cell % k.grid_width - k.grid_width // 2
            if not (0 <= down < k.frame_height and 0 <= across < k.frame_width):
                return "memory: a frame that does not hold what was seen"
            halves[down * k.frame_width + across] = <int16_t>trail.told
    for n in range(k.frame_size):
        first = sight_at(k, known, n, FIRST_LOW)
        down = n // k.frame_width - middle
        across = n % k.frame_width - centre
        fault = check_sight(k, board, first, sight_at(k, known, n, LAST_LOW), halves[n], row + down, column + across)
        if fault != NULL:
            return fault
        if first != UNSEEN and first != SAW_BLOCK:
            top = min(top, down)
            bottom = max(bottom, down)
            left = min(left, across)
            right = max(right, across)
    if not (known.top == top and known.bottom == bottom and known.left == left and known.right == right):
        return "memory: not the part of the frame that is inside the field"
    if not (MARGIN <= middle + top and middle + bottom < k.frame_height - MARGIN
            and MARGIN <= centre + left and centre + right < k.frame_width - MARGIN):
        return "memory: a frame that does not hold what was seen"
    for i in range(NUM_BITS):
        for n in range(k.frame_size, <int32_t>k.plane_size * 8):
            if plane_of(k, known, i)[n >> 3] >> (n & 7) & 1:
                return "memory: a sight that there is not"
    if known.sighting_half >= 0:
        since = known.sighting_half
        foe_row = row + known.sighting // k.frame_width - middle
        foe_column = column + known.sighting % k.frame_width - centre
    elif known.sighting != 0:
        return "memory: out of range"
    else:
        since = 0
        foe_row = k.height - 1 - row
        foe_column = k.width - 1 - column
    away = distance(foe_row, foe_column, row_of(k, foe), column_of(k, foe))
    if (known.sighting_half >= 0 or known.mirrored) and away > methods_of(1 - player, since, board.half):
        return "memory: the opponent cannot have come so far"
    if board.winner == ONGOING and player == board.half & 1:
        info = read_info(k, board, player, AT_HAND, &met)
        if info != known.ready or (met >= 0 and known.sighting_half != board.half):
            return "memory: the ready info is not the position's"
    elif player != board.half & 1 and board.reason != FOUL and both.begin < board.half:
        action = last_action_of(k, known, player, board.half)
        info = read_info(k, board, player, action, &met) | GOES_ON * (board.winner == ONGOING)
        if info != known.last_info:
            return "memory: the last info is not the position's"
    return NULL

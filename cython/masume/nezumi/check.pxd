# cython: language_level=3, cdivision=True
"""Nezumi: checks of the bytes of a position, which may hold any values. [section 3]"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy
from masume.core._game cimport masume_game
from masume.nezumi.rules cimport *

cdef enum:
    MAX_CHARGE = 128 * 128         # mg per turn: 255 mice, half of them captured

cdef extern from *:
    """
    #define MAX_AMOUNT 1000000000000 /* mg of one food */
    """
    const int64_t MAX_AMOUNT


cdef inline int32_t count_mice(const Params *k, Board *board) noexcept nogil:
    """Set the fields derived from the mice; return the number of mice, which may exceed a byte."""
    cdef int32_t group, cell, count = 0
    cdef uint64_t cells
    board.ways = board.moved_ways = 0
    for group in range(k.groups):
        cells = board.groups[group].mice
        while cells:
            cell = 64 * group + bits_first64(cells)
            count += 1
            if moved_of(&board.groups[group]) & bit_of(cell):
                board.moved_ways += k.num_ways[cell]
            else:
                board.ways += k.num_ways[cell]
            cells &= cells - 1
    board.on_board = <uint8_t>count
    return count


cdef inline const char *fault_of_arrival(const Params *k, const Board *board) noexcept nogil:
    """Return an error unless a mouse can just have arrived on react_cell from react_from. [section 7.1]"""
    cdef int32_t cell = board.react_cell
    cdef const Group *group
    if board.react_from != PLACE and board.react_from != ADD and board.react_from != MOVE:
        return "react_from: none of PLACE, ADD and MOVE"
    if not 0 <= cell < k.size:
        return "react_cell: no cell, in the phase REACT"
    if cell == board.cat:
        if board.react_from != MOVE or reserve_of(k, board) == 0:
            return "react_cell: the cat's, where no mouse can have come"
        return NULL
    group = &board.groups[cell >> 6]
    if not (moved_of(group) if board.react_from == MOVE else group.unmoved) & bit_of(cell):
        return "react_cell: no mouse has just come there"
    if distance2(k, cell, board.cat) != BESIDE:
        return "react_cell: not beside the cat"
    if board.react_from != MOVE and not k.zone[cell >> 6] & bit_of(cell):
        return "react_cell: not in the zone"
    return NULL


cdef inline const char *fault_of_phase(const Params *k, const Board *board) noexcept nogil:
    """Return a broken invariant of a position before the end, or NULL. [section 3]"""
    cdef int32_t n, phase = board.react_from if board.phase == REACT else board.phase
    cdef const char *fault
    if (phase == PLACE) != (board.turn == 0):
        return "t: not in this phase"
    if board.phase == REACT:
        fault = fault_of_arrival(k, board)
        if fault != NULL:
            return fault
    elif board.react_cell != -1 or board.react_from != 0:
        return "react_cell, react_from: not in this phase"
    if phase != MOVE:
        for n in range(k.groups):
            if moved_of(&board.groups[n]):
                return "mouse: one has moved, in another phase than MOVE"
    if board.captured >= k.require:
        return "captured: the quota, but no end"
    if is_surrounded(k, board):
        return "mouse: the cat is surrounded, but no end"
    if (board.phase == PLACE or board.phase == ADD) and not can_put(k, board):
        return "phase: no mouse can be put"
    if board.phase == MOVE and board.ways == 0:
        return "phase: no mouse is to move"
    return NULL


cdef inline const char *fault_of_end(const Params *k, const Board *board) noexcept nogil:
    """Return an error if the result does not agree with the position, else NULL. [section 8]"""
    if board.react_cell != -1 or board.react_from != 0:
        return "react_cell, react_from: not in this phase"
    if is_surrounded(k, board) != (board.result == SURROUND):
        return "result: a surround or none, the position says otherwise"
    if board.result != SURROUND and (board.captured == k.require) != (board.result == CAPTURES):
        return "result: the quota or not, captured says otherwise"
    if board.result == TURNS and board.turn != k.turns:
        return "result: the turn limit, but t is another"
    return NULL


cdef inline const char *fault_of_board(const masume_game *g, const Params *k, const Board *board) noexcept nogil:
    """Return a value out of range or a broken invariant of section 3 or of the derived fields, or NULL."""
    cdef Board counted
    cdef const Group *group
    cdef int32_t n
    if not (board.phase <= OVER and board.react_from <= MOVE and board.result <= TURNS and board.padding == 0):
        return "phase, react_from, result: out of range"
    if not (0 <= board.turn <= k.turns and board.captured <= k.require):
        return "t, captured: out of range"
    if not (0 <= board.cat < k.size and k.floor[board.cat >> 6] & bit_of(board.cat)):
        return "cat: not on the floor"
    for n in range(k.groups):
        group = &board.groups[n]
        if group.mice & ~k.floor[n]:
            return "mouse: not on the floor"
        if group.unmoved & ~group.mice:
            return "mouse: one that is not there has not moved"
        if group.food & ~k.start.groups[n].food or group.food & group.mice:
            return "food: where there was none, or under a mouse"
    if is_mouse(board, board.cat):
        return "mouse: the cat is there too"
    for n in range(<int32_t>(<const uint8_t *>&board.groups[k.groups] - <const uint8_t *>board), <int32_t>g.state_size):
        if (<const uint8_t *>board)[n] != 0:
            return "padding: not zero"
    memcpy(&counted, board, g.state_size)
    if (count_mice(k, &counted) != board.on_board or counted.ways != board.ways
            or counted.moved_ways != board.moved_ways):
        return "mouse: counted wrongly"
    if reserve_of(k, board) < 0:
        return "mouse, captured: more than there are"
    if not 0 <= board.food_sum <= MAX_CELLS * MAX_AMOUNT - left_of(k, board):
        return "food_sum: out of range"
    if not 0 <= board.cost_sum <= MAX_CHARGE * <int64_t>(board.turn + (board.result == TURNS)):
        return "cost_sum: out of range"
    if (board.phase == OVER) != (board.result != NONE):
        return "result: there is one before the end, or none at the end"
    return fault_of_end(k, board) if board.phase == OVER else fault_of_phase(k, board)


cdef inline const char *check(const masume_game *g, const void *state, const void *memory) noexcept nogil:
    return fault_of_board(g, params_of(g), <const Board *>state)

# cython: language_level=3, cdivision=True
"""The policy of Nezumi, the prowler: it chooses for either side, one code at a time, from the position alone.

It weighs the cells to which its codes lead, as the agent crafty does but with less care, so that a choice takes about
as long as a few forecasts. Weights are in sixteenths of a step.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset
from masume.core.bits cimport bits_first64
from masume.core._game cimport masume_below
from masume.nezumi.forecast cimport reach, spread
from masume.nezumi.rules cimport *

cdef enum:
    NO_WAY = 64                    # steps, if no path exists or it is longer
    PRIZE = 1 << 20                # the game is won
    TIES = 64                      # equal codes are chosen at random

cdef enum:                         # weights
    CAPTURED = 480                 # a capture that does not end the game
    THREATENED = 640               # one gap left that the mice can fill; less with more of them
    HUNTED = 12                    # a step to the nearest mouse
    GUARDED = 10                   # a step to the food, by shares of it
    EATEN = 240                    # food; as much again for a larger share
    BESIDE_CAT = 480               # the cat may capture at once,
    NEAR_CAT = 64                  # or soon
    LEFT = 240                     # a mouse leaves the board
    HELD = 80                      # a diagonal of the cat, if there is nothing else to go for


cdef inline void measure(const Params *k, const uint64_t *sources, uint8_t *steps) noexcept nogil:
    """Write for each cell the steps to the nearest of the sources."""
    cdef uint64_t near[2][MAX_GROUPS]
    cdef uint64_t left[MAX_GROUPS]
    cdef uint64_t more = 1, found
    cdef int32_t n, now = 0, step = 0
    memset(steps, NO_WAY, k.size)
    for n in range(k.groups):
        near[0][n] = sources[n]
        left[n] = k.floor[n]
    # breadth first from all sources at once
    while more and step < NO_WAY:
        more = 0
        for n in range(k.groups):
            found = near[now][n] & left[n]
            more |= found
            reach(n, found, left, step, steps)
        spread(k, near[now], near[1 - now])
        now = 1 - now
        step += 1


cdef inline void measure_from(const Params *k, int32_t cell, uint8_t *steps) noexcept nogil:
    """Write for each cell the steps to this one."""
    cdef uint64_t source[MAX_GROUPS]
    memset(source, 0, sizeof(source))
    source[cell >> 6] = bit_of(cell)
    measure(k, source, steps)


# -- the mice -------------------------------------------------------------------------------------

cdef inline int32_t gaps_of(const Params *k, const Board *board, int32_t cat, int32_t gone,
                            int32_t come) noexcept nogil:
    """Return how many diagonals of a cat on `cat` are open once a mouse has left cell `gone` and holds cell `come`."""
    cdef const int16_t *cells = k.diagonals[cat]
    cdef int32_t n, count = 0
    for n in range(4):
        if n == 0 or cells[n] != cells[0]:
            count += cells[n] != come and (cells[n] == gone or not is_mouse(board, cells[n]))
    return count


cdef inline bint pays(const Params *k, const Board *board, int32_t cell) noexcept nogil:
    """Return whether one more mouse on this cell may eat more than it costs."""
    cdef int64_t left = k.turns - board.turn + 1, food = 0
    cdef uint8_t steps[MAX_CELLS]
    cdef uint64_t cells
    cdef int32_t n, at
    if board.on_board + board.captured == 0 or k.total_food <= k.turns:
        return True
    measure_from(k, cell, steps)
    for n in range(k.groups):
        cells = board.groups[n].food
        while cells:
            at = 64 * n + bits_first64(cells)
            cells &= cells - 1
            if steps[at] < left:
                food += k.amount[at]
    return 6 * food > 10 * left * (board.captured + 1) * (board.on_board + 1)


cdef inline void find_goals(const Params *k, const Board *board, const uint8_t *to_cat, uint64_t *goals) noexcept nogil:
    """Write where the mice go: food that they reach before the cat, which no moved mouse is next to; else other food,
    or the open diagonals of the cat."""
    cdef uint64_t mice[MAX_GROUPS]
    cdef uint64_t moved[MAX_GROUPS]
    cdef uint64_t taken[MAX_GROUPS]
    cdef uint8_t to_mice[MAX_CELLS]
    cdef uint64_t cells, found = 0, whole = 0
    cdef int32_t n, cell
    for n in range(k.groups):
        whole |= board.groups[n].food
        goals[n] = 0
    # no food is left, or the stage has little for its turns: go for the cat
    if whole == 0 or k.total_food <= k.turns:
        for n in range(4):
            cell = k.diagonals[board.cat][n]
            if cell < k.size and not is_mouse(board, cell):
                goals[cell >> 6] |= bit_of(cell)
        return
    # food that the mice reach no later than the cat, without that on or next to the cells of moved mice
    for n in range(k.groups):
        mice[n] = board.groups[n].unmoved
        moved[n] = moved_of(&board.groups[n])
    measure(k, mice, to_mice)
    spread(k, moved, taken)
    for n in range(k.groups):
        cells = board.groups[n].food & ~taken[n]
        while cells:
            cell = 64 * n + bits_first64(cells)
            if to_mice[cell] <= to_cat[cell]:
                goals[n] |= cells & -cells
            cells &= cells - 1
        found |= goals[n]
    # else all food
    if found == 0:
        for n in range(k.groups):
            goals[n] = board.groups[n].food


cdef inline int32_t choose_move(const Params *k, const Board *board, uint64_t *rng) noexcept nogil:
    """Return the code of MOVE with the best cell."""
    cdef uint64_t goals[MAX_GROUPS]
    cdef uint8_t to_cat[MAX_CELLS]
    cdef uint8_t to_goal[MAX_CELLS]
    cdef uint64_t cells
    cdef int32_t n, way, cell, target, gaps, merit, highest = -PRIZE * TIES, best = -1
    measure_from(k, board.cat, to_cat)
    find_goals(k, board, to_cat, goals)
    measure(k, goals, to_goal)
    for n in range(k.groups):
        cells = board.groups[n].unmoved
        while cells:
            cell = 64 * n + bits_first64(cells)
            cells &= cells - 1
            for way in range(RETIRE + 1):
                if not k.ways[cell] >> way & 1:
                    continue
                target = landing_cell(k, board, CODES_PER_CELL * cell + way)
                if target < 0:
                    merit = -LEFT
                else:
                    # near a goal, on food, away from the cat, or on its diagonals, above all on the last open one
                    merit = -16 * to_goal[target]
                    if board.groups[target >> 6].food & bit_of(target):
                        merit += EATEN + <int32_t>(EATEN * k.share[target])
                    if to_cat[target] <= 1:
                        merit -= BESIDE_CAT
                    elif to_cat[target] == 2:
                        merit -= NEAR_CAT
                    if k.close[MAX_CELLS + target - board.cat] and distance2(k, target, board.cat) == DIAGONAL:
                        gaps = gaps_of(k, board, board.cat, cell, target)
                        merit += PRIZE if gaps == 0 else HELD // gaps
                merit = merit * TIES + <int32_t>masume_below(rng, TIES)
                if merit > highest:
                    highest = merit
                    best = CODES_PER_CELL * cell + way
    return best


cdef inline int32_t choose_put(const Params *k, const Board *board, uint64_t *rng) noexcept nogil:
    """Return the code of PLACE or ADD: a mouse that pays, near the food and away from the cat; else none."""
    cdef uint64_t food[MAX_GROUPS]
    cdef uint8_t to_cat[MAX_CELLS]
    cdef uint8_t to_food[MAX_CELLS]
    cdef uint64_t cells
    cdef int32_t n, cell, merit, highest = -PRIZE * TIES, best = k.first_other
    measure_from(k, board.cat, to_cat)
    for n in range(k.groups):
        food[n] = board.groups[n].food
    measure(k, food, to_food)
    for n in range(k.zone_begin, k.zone_end):
        cells = free_zone(k, board, n)
        while cells:
            cell = 64 * n + bits_first64(cells)
            cells &= cells - 1
            merit = -to_food[cell] - (BESIDE_CAT if to_cat[cell] <= 2 else 0)
            merit = merit * TIES + <int32_t>masume_below(rng, TIES)
            # it closes the last gap, whatever it costs
            if gaps_of(k, board, board.cat, -1, cell) == 0:
                merit = PRIZE
            if merit > highest:
                highest = merit
                best = cell
    if highest < PRIZE and not pays(k, board, best):
        return k.first_other
    return CODES_PER_CELL * best + PUT


# -- the cat --------------------------------------------------------------------------------------

cdef inline int32_t worth_of_capture(const Params *k, const Board *board) noexcept nogil:
    """Return the worth to the cat of one more capture: nothing if it is of the only mouse, and the mice pay enough."""
    if board.captured + 1 >= k.require:
        return PRIZE if score_of(board) < 0 else -PRIZE
    return CAPTURED if board.on_board > 1 or score_of(board) < 0 else -1


cdef inline int32_t worth_of_cell(const Params *k, const Board *board, int32_t cell, const uint8_t *to_mice,
                                  int32_t whole) noexcept nogil:
    """Return the worth of a cell to the cat. to_mice : steps to the nearest mouse. whole : shares of the food left."""
    cdef uint8_t steps[MAX_CELLS]
    cdef uint64_t cells
    cdef const int16_t *diagonals = k.diagonals[cell]
    cdef int32_t n, at, merit = 0, gaps = gaps_of(k, board, cell, cell, -1), filled = 0
    cdef double far = 0
    # can the mice surround the cat there: do they already, or can they fill each gap, from a step away or the reserve
    if diagonals[0] < k.size:
        if gaps == 0:
            return -2 * PRIZE
        for n in range(4):
            at = diagonals[n]
            if (n == 0 or at != diagonals[0]) and not is_mouse(board, at):
                if to_mice[at] <= 1 or reserve_of(k, board) > 0 and (k.zone[at >> 6] & bit_of(at)) != 0:
                    filled += 1
        if filled == gaps and gaps <= board.on_board + reserve_of(k, board):
            merit -= THREATENED // gaps
    if to_mice[cell] < NO_WAY:
        merit -= HUNTED * to_mice[cell]
    # stay near the food: steps to it, by its shares
    if whole:
        measure_from(k, cell, steps)
        for n in range(k.groups):
            cells = board.groups[n].food
            while cells:
                at = 64 * n + bits_first64(cells)
                cells &= cells - 1
                far += k.share[at] * steps[at]
        merit -= <int32_t>(GUARDED * far)
    return merit


cdef inline int32_t choose_step(const Params *k, const Board *board, uint64_t *rng) noexcept nogil:
    """Return the code of CAT1 or CAT2."""
    cdef uint64_t mice[MAX_GROUPS]
    cdef uint8_t to_mice[MAX_CELLS]
    cdef int32_t n, direction, cell, merit, highest = -PRIZE * TIES, best = k.first_other, whole = 0
    for n in range(k.groups):
        mice[n] = board.groups[n].mice
        whole |= board.groups[n].food != 0
    measure(k, mice, to_mice)
    for direction in range(-1, NUM_DIRECTIONS):
        cell = board.cat
        if direction >= 0:
            if not k.ways[cell] >> direction & 1:
                continue
            cell += k.step[direction]
        merit = worth_of_cell(k, board, cell, to_mice, whole)
        if is_mouse(board, cell) and merit > -PRIZE:
            merit += worth_of_capture(k, board)
        merit = max(1 - PRIZE, min(PRIZE, merit)) * TIES + <int32_t>masume_below(rng, TIES)
        if merit > highest:
            highest = merit
            best = k.first_other + STEP + direction
    return best


cdef inline int32_t prowl(const Params *k, const Board *board, uint64_t *rng) noexcept nogil:
    """Return the prowler's code; the game must be running."""
    if board.phase == MOVE:
        return choose_move(k, board, rng)
    if board.phase == PLACE or board.phase == ADD:
        return choose_put(k, board, rng)
    if board.phase == REACT:
        return k.first_other + (CAPTURE if worth_of_capture(k, board) > 0 else PASS)
    return choose_step(k, board, rng)

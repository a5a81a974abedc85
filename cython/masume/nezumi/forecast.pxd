# cython: language_level=3, cdivision=True
"""Nezumi: estimate of the final score, used by searches that stop before the end."""
from libc.math cimport exp, fabs, log
from libc.stdint cimport int16_t, int32_t, uint8_t, uint64_t
from masume.core._game cimport masume_game
from masume.nezumi.rules cimport *

cdef enum:
    MOST_TURNS = 64                # limit of the look-ahead for food
    NEAR_TURNS = 8                 # limit of the look-ahead for a surround
    MOST_LIKELY = 500              # upper limit of a log-odds value, so that exp stays finite
    MAPPED = 256                   # cells up to which the steps between all of them are known
    MANY_MICE = 24                 # from here on waves are faster than asking for each mouse
    NO_WAY = 255                      # steps: no way, or too long to matter

cdef extern from *:            # how they were fitted: docs/search.md
    """
    static const double FADE = 0.6; /* share of its value that food loses if reaching it takes all turns */
    static const double CONTEST = 3.0; /* lead in turns with which the mice get three quarters of a food */
    static const double HUNT = 0.4; /* share of the food that is lost if the cat is where the mice are */
    static const double CLOSER = 0.55; /* probability per step that a mouse reaches a diagonal of the cat */
    static const double DOUBT = 0.05; /* relative error of what is still to be eaten and paid */
    """
    const double FADE, CONTEST, HUNT, CLOSER, DOUBT


cdef inline void spread(const Params *k, const uint64_t *cells, uint64_t *out) noexcept nogil:
    """Write the cells and those one step from them."""
    cdef int32_t n, last = k.groups - 1, width = k.width
    cdef const uint64_t *north = k.open[0]
    cdef const uint64_t *east = k.open[1]
    cdef const uint64_t *south = k.open[2]
    cdef const uint64_t *west = k.open[3]
    cdef uint64_t found
    for n in range(k.groups):
        found = cells[n] | (cells[n] & north[n]) >> width | (cells[n] & east[n]) << 1
        found |= (cells[n] & south[n]) << width | (cells[n] & west[n]) >> 1
        if n > 0:
            found |= (cells[n - 1] & east[n - 1]) >> 63 | (cells[n - 1] & south[n - 1]) >> (64 - width)
        if n < last:
            found |= (cells[n + 1] & west[n + 1]) << 63 | (cells[n + 1] & north[n + 1]) << (64 - width)
        out[n] = found


cdef inline uint64_t reach(int32_t group, uint64_t cells, uint64_t *left, int32_t turn, uint8_t *turns) noexcept nogil:
    """Record the turn in which cells of a group are reached first; return the cells not yet reached."""
    cells &= left[group]
    left[group] ^= cells
    while cells:
        turns[64 * group + bits_first64(cells)] = <uint8_t>turn
        cells &= cells - 1
    return left[group]


cdef struct Herd:                  # the mice of a position, on a stage whose steps are known
    int32_t count
    const uint8_t *steps[MANY_MICE]    # from each mouse to every cell
    int32_t late[MANY_MICE]            # 1 for a mouse that has moved, which is a turn behind


cdef inline bint gather(const Params *k, const Board *board, Herd *herd) noexcept nogil:
    """Describe the mice on the board; return False if there are too many of them or the steps are not known."""
    cdef uint64_t cells
    cdef int32_t n, cell
    herd.count = 0
    if k.far == NULL or board.on_board >= MANY_MICE:
        return False
    for n in range(k.groups):
        cells = board.groups[n].mice
        while cells:
            cell = 64 * n + bits_first64(cells)
            herd.steps[herd.count] = k.far + cell * k.size
            herd.late[herd.count] = not board.groups[n].unmoved & bit_of(cell)
            herd.count += 1
            cells &= cells - 1
    return True


cdef inline int32_t turns_to(const Herd *herd, int32_t cell) noexcept nogil:
    """Return the first turn, from 1, in which a mouse can be on a cell; at least NO_WAY if none can."""
    cdef int32_t n, turns, least = 2 * NO_WAY
    for n in range(herd.count):
        turns = herd.steps[n][cell] + herd.late[n]
        least = min(least, turns)
    return max(1, least)


cdef inline double harvest_by_steps(const Params *k, const Board *board, Herd *herd, int32_t turns) noexcept nogil:
    """Return what `harvest_of` returns, from the steps between cells."""
    cdef const uint8_t *of_cat = k.far + board.cat * k.size
    cdef int16_t foods[MAPPED]
    cdef uint8_t mouse_turns[MAPPED]
    cdef uint8_t cat_turns[MAPPED]
    cdef uint64_t cells
    cdef double total = 0, lead
    cdef int32_t n, cell, count = 0, last = 1, met = NO_WAY, most = min(turns, MOST_TURNS)
    cdef bint is_late = board.phase != CAT1 and board.phase != CAT2          # the mice move before the cat
    if most < 1:
        return 0
    for n in range(herd.count):                              # steps are the same both ways
        met = min(met, <int32_t>herd.steps[n][board.cat])
    if board.on_board == 0:                                  # the mice start from the zone
        herd.count = 1
        herd.steps[0] = k.far + k.size * k.size
        herd.late[0] = 0
    for n in range(k.groups):
        cells = board.groups[n].food
        while cells:
            cell = 64 * n + bits_first64(cells)
            foods[count] = <int16_t>cell
            mouse_turns[count] = <uint8_t>min(NO_WAY, turns_to(herd, cell))
            cat_turns[count] = <uint8_t>max(1, <int32_t>of_cat[cell])
            last = max(last, max(<int32_t>mouse_turns[count], <int32_t>cat_turns[count]))
            count += 1
            cells &= cells - 1
    # nobody looks further than until all food is reached by both
    last = min(last, most)
    for n in range(count):
        if mouse_turns[n] > last:
            continue
        lead = 1
        if cat_turns[n] <= last:
            lead = (cat_turns[n] + is_late - mouse_turns[n]) / CONTEST
            lead /= 1 + fabs(lead)
        total += k.amount[foods[n]] * (1 - FADE * mouse_turns[n] / (turns + 1)) * (1 + lead) / 2
    met = max(1, met)
    return total * (1 - HUNT / (met + 1)) if met <= last else total


cdef inline double harvest_of(const Params *k, const Board *board, int32_t turns) noexcept nogil:
    """Return the food, mg, that the mice may eat in this many turns.

    Distant food and food that the cat reaches sooner count less. Without mice on the board, the mice are assumed to
    start from the zone.
    """
    cdef uint64_t mice[2][MAX_GROUPS]
    cdef uint64_t cats[2][MAX_GROUPS]
    cdef uint64_t for_mice[MAX_GROUPS]
    cdef uint64_t for_cat[MAX_GROUPS]
    cdef uint8_t mouse_turns[MAX_CELLS]
    cdef uint8_t cat_turns[MAX_CELLS]
    cdef uint64_t cells, left = 1
    cdef double total = 0, lead
    cdef int32_t n, cell, turn = 0, now = 0, met = 0, most = min(turns, MOST_TURNS)
    cdef bint is_late = board.phase != CAT1 and board.phase != CAT2          # the mice move before the cat
    for n in range(k.groups):
        mice[0][n] = board.groups[n].unmoved if board.on_board else k.zone[n]
        cats[0][n] = 0
        for_mice[n] = for_cat[n] = board.groups[n].food
    cats[0][board.cat >> 6] = bit_of(board.cat)
    while left and turn < most:
        turn += 1
        spread(k, mice[now], mice[1 - now])
        spread(k, cats[now], cats[1 - now])
        now = 1 - now
        left = 0
        for n in range(k.groups):
            mice[now][n] |= board.groups[n].mice
            if met == 0 and cats[now][n] & board.groups[n].mice:
                met = turn
            left |= reach(n, mice[now][n], for_mice, turn, mouse_turns)
            left |= reach(n, cats[now][n], for_cat, turn, cat_turns)
    for n in range(k.groups):
        cells = board.groups[n].food & ~for_mice[n]
        while cells:
            cell = 64 * n + bits_first64(cells)
            lead = 1
            if not for_cat[n] & bit_of(cell):
                lead = (cat_turns[cell] + is_late - mouse_turns[cell]) / CONTEST
                lead /= 1 + fabs(lead)
            total += k.amount[cell] * (1 - FADE * mouse_turns[cell] / (turns + 1)) * (1 + lead) / 2
            cells &= cells - 1
    return total * (1 - HUNT / (met + 1)) if met else total


cdef inline double surround_of(const Params *k, const Board *board, const Herd *herd) noexcept nogil:
    """Return the probability, 0..1, that the cat is surrounded soon, from the mice's distances to its diagonals.

    herd : the mice; NULL if waves have to find the distances.
    """
    cdef uint64_t mice[2][MAX_GROUPS]
    cdef const int16_t *diagonals = k.diagonals[board.cat]
    cdef bint is_open[4]
    cdef double chance = 1, near = 1
    cdef int32_t n, place, turn, gaps = 0, now = 0
    cdef int32_t arrival[4]
    for n in range(4):
        is_open[n] = diagonals[n] < k.size and (n == 0 or diagonals[n] != diagonals[0]) and not is_mouse(
            board, diagonals[n])
        gaps += is_open[n]
    if diagonals[0] == k.size or gaps > board.on_board + reserve_of(k, board):
        return 0
    if herd != NULL:
        for n in range(4):
            arrival[n] = turns_to(herd, diagonals[n]) if is_open[n] else 0
        for turn in range(1, NEAR_TURNS + 1):
            near *= CLOSER
            for n in range(4):
                if arrival[n] == turn:
                    gaps -= 1
                    chance *= near
            if gaps == 0:
                return chance
        return 0
    for n in range(k.groups):
        mice[0][n] = board.groups[n].unmoved
    for _ in range(NEAR_TURNS):
        spread(k, mice[now], mice[1 - now])
        now = 1 - now
        near *= CLOSER
        for n in range(k.groups):
            mice[now][n] |= board.groups[n].mice
        for n in range(4):
            place = diagonals[n]
            if is_open[n] and mice[now][place >> 6] & bit_of(place):
                is_open[n] = False
                gaps -= 1
                chance *= near
        if gaps == 0:
            return chance
    return 0


cdef inline void forecast(const masume_game *g, const void *state, double *out) noexcept nogil:
    """Write the score that is worth as much to the mice as the position, and its opposite for the cat.

    The estimate is the current score plus the food in reach minus the cost of the mice on the board, with an error
    that grows with both; a possible surround improves it.
    """
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef int32_t charges = k.turns - board.turn + 1, mice = max(1, <int32_t>board.on_board)
    cdef double score, doubt, cost, harvest, surround
    cdef Herd herd
    out[MICE] = score_of(board)
    out[CAT] = -out[MICE]
    if board.phase == OVER or board.on_board == 0 and reserve_of(k, board) == 0:
        return
    if gather(k, board, &herd):
        surround = surround_of(k, board, &herd)
        harvest = harvest_by_steps(k, board, &herd, charges - (board.turn == 0))
    else:
        surround = surround_of(k, board, NULL)
        harvest = harvest_of(k, board, charges - (board.turn == 0))
    cost = charges * mice * (board.captured + 1)
    score = out[MICE] + harvest - cost
    if board.on_board == 0:                                  # a mouse enters only if it pays
        score = max(score, out[MICE])
    if surround > 0:                                         # convert the odds of winning back into a score
        doubt = 1 + DOUBT * (harvest + cost)
        score = doubt * log((exp(min(score / doubt, MOST_LIKELY)) + surround) / (1 - surround))
    out[MICE] = score
    out[CAT] = -score

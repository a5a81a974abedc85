# cython: language_level=3, cdivision=True
"""CHaser: the forager, the wary player and the planner, policies for playouts.

They use only the knowledge of their player. So they can play in a real game as well as in a sampled one, and a search
that uses them for playouts does not rely on hidden information.
"""
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset
from masume.chaser.knowledge cimport *
from masume.chaser.rules cimport *
from masume.core._game cimport masume_below

cdef enum:
    MAX_ROWS = 82                  # of the frame of a field of 64 x 64
    FAR = 31                       # columns that it considers to either side
    RECENT = 10                    # halves after which the wary player forgets where it saw the opponent
    AHEAD = 4                      # steps that the planner tries in every order; at most MARGIN - 2
    AROUND = 9                     # rows to either side in which it looks for more
    PLAN_ROWS = 2 * AROUND + 3     # and one of blocks above and below
    MOST_STEPS = 15                # to a goal after these steps; it fits in four bits
    WORTH = 4096                   # of an item now; it is 4 / 5 of that a step later
    ONE = 256                      # of hopes


cdef struct Rows:                  # part of a player's frame, one word of bits per row
    const uint8_t *low
    const uint8_t *high
    uint64_t mask                  # considered columns
    uint64_t own                   # column of the player
    int32_t at                     # row of the player
    int32_t across                 # columns to either side
    int32_t foe                    # row of an opponent in sight, NOWHERE if there is none
    uint64_t foe_bit
    uint64_t blocks[MAX_ROWS]
    uint64_t unseen[MAX_ROWS]
    uint64_t ways[MAX_ROWS]        # floor that is not next to an opponent in sight
    uint64_t items[MAX_ROWS]       # items that are not next to an opponent in sight
    uint64_t reached[MAX_ROWS]


cdef struct Route:                 # what a planner knows and hopes; rows from AROUND + 1 above it to as many below it
    uint64_t items[PLAN_ROWS]
    uint64_t closed[PLAN_ROWS]     # known blocks, and cells next to an opponent in sight
    uint64_t unseen[PLAN_ROWS]
    uint64_t to_item[PLAN_ROWS][4]     # steps to the nearest item, 0 to MOST_STEPS, as four planes of bits
    uint64_t to_unseen[PLAN_ROWS][4]
    int32_t worth[AHEAD + MOST_STEPS + 1]   # of an item after so many steps
    int32_t item_hope              # chance of an item on a cell never seen, in ONEs
    int32_t sight_hope             # worth of the sight of such a cell, likewise


cdef inline bint is_known(const Params *k, const Knowledge *known, int32_t cell, uint32_t sight) noexcept nogil:
    """Return whether the last sight of the cell was `sight`."""
    return sight_at(k, known, cell, LAST_LOW) == sight


cdef inline int32_t ways_out(const Params *k, const Knowledge *known, int32_t cell) noexcept nogil:
    """Return the number of sides of a cell that are not known to be blocks."""
    cdef int32_t direction, count = 0
    for direction in range(4):
        count += not is_known(k, known, cell + k.frame_step[direction], SAW_BLOCK)
    return count


cdef inline int32_t ways_seen(const Params *k, const Knowledge *known, int32_t cell) noexcept nogil:
    """Return the number of sides of a cell that were seen and were not blocks."""
    cdef int32_t direction, count = 0
    cdef uint32_t sight
    for direction in range(4):
        sight = sight_at(k, known, cell + k.frame_step[direction], LAST_LOW)
        count += sight != UNSEEN and sight != SAW_BLOCK
    return count


cdef inline int32_t strike(const Params *k, const Knowledge *known) noexcept nogil:
    """Return an action that wins at once against an opponent in sight: a block on it or its last way out; or -1."""
    cdef int32_t direction, side
    for direction in range(4):
        if known.at + k.frame_step[direction] == known.sighting:
            return 4 * PUT + direction
    if known.sighting == known.at:         # taking an item turns the shared cell into a block, under the opponent
        for direction in range(4):
            if is_known(k, known, known.at + k.frame_step[direction], SAW_ITEM):
                return 4 * WALK + direction
        return -1
    if ways_out(k, known, known.sighting) > 1:
        return -1
    for direction in range(4):
        side = known.at + k.frame_step[direction]
        if is_beside(k, side, known.sighting) and not is_known(k, known, side, SAW_BLOCK):
            return 4 * PUT + direction
    return -1


cdef inline bint is_beside(const Params *k, int32_t cell, int32_t other) noexcept nogil:
    """Return whether two cells of a frame share a side."""
    cdef int32_t away = cell - other if cell > other else other - cell
    return away == 1 or away == k.frame_width


cdef inline void look_at(const Params *k, const Knowledge *known, Rows *rows, int32_t row) noexcept nogil:
    """Load a row; nothing in it is reached yet."""
    cdef int32_t cell = known.at - rows.across + (row - rows.at) * k.frame_width
    cdef uint64_t low = bits_at(rows.low, cell), high = bits_at(rows.high, cell), safe = rows.mask
    if row == rows.foe:
        safe &= ~(rows.foe_bit | rows.foe_bit << 1 | rows.foe_bit >> 1)
    elif row == rows.foe - 1 or row == rows.foe + 1:
        safe &= ~rows.foe_bit
    rows.blocks[row] = low & high
    rows.unseen[row] = rows.mask & ~(low | high)
    rows.ways[row] = low & ~high & safe
    rows.items[row] = high & ~low & safe
    rows.reached[row] = 0


cdef inline uint64_t beside(uint64_t above, uint64_t row, uint64_t below) noexcept nogil:
    """Return the cells of a row that share a side with one of these cells."""
    return above | below | row << 1 | row >> 1


cdef inline uint64_t worth_taking(const Rows *rows, int32_t row) noexcept nogil:
    """Return the cells with at least two sides that are not known to be blocks."""
    cdef uint64_t above = ~rows.blocks[row - 1], below = ~rows.blocks[row + 1], open = ~rows.blocks[row]
    return ((above | below) & (open << 1 | open >> 1)) | (above & below) | (open << 1 & open >> 1)


cdef inline int32_t way_to_go(const Params *k, const Knowledge *known, int32_t half, uint64_t *rng) noexcept nogil:
    """Return the first step to the nearest safe known item, else to the nearest cell next to an unseen one, or -1.

    Paths use cells seen open that are not next to an opponent in sight and at most FAR columns away.
    """
    cdef Rows rows
    cdef uint64_t goals[MAX_ROWS]
    cdef uint64_t edges[MAX_ROWS]
    cdef int32_t turned = <int32_t>masume_below(rng, 4)    # random choice among equal paths
    cdef int32_t column = known.at % k.frame_width, left, right
    cdef int32_t top, bottom, row, steps = 0, edge_steps = 0, edge_top = 0, edge_bottom = 0
    cdef uint64_t above, here, new, found, at_edge, spread
    rows.low = plane_of(k, known, LAST_LOW)
    rows.high = plane_of(k, known, LAST_HIGH)
    rows.across = FAR
    left = min(<int32_t>FAR, column)                       # the columns that the frame has
    right = min(<int32_t>FAR, k.frame_width - 1 - column)
    rows.mask = ~<uint64_t>0 >> (63 - left - right) << (FAR - left)
    rows.own = <uint64_t>1 << rows.across
    rows.at = known.at // k.frame_width
    # `look_at` bars the cell of an opponent in sight, and the four beside it
    rows.foe = NOWHERE
    rows.foe_bit = 0
    if known.sighting_half == half:
        rows.foe = rows.at + (known.sighting - known.at + k.frame_width + 1) // k.frame_width - 1
        rows.foe_bit = <uint64_t>1 << (rows.across + known.sighting - known.at - (rows.foe - rows.at) * k.frame_width)
    top = bottom = rows.at
    for row in range(top - 2, bottom + 3):
        look_at(k, known, &rows, row)
    rows.reached[rows.at] = rows.own
    # breadth first, a row of cells at a time: each round is one step more
    while True:
        steps += 1
        above = found = at_edge = spread = 0
        for row in range(top - 1, bottom + 2):
            here = rows.reached[row]
            new = beside(above, here, rows.reached[row + 1]) & ~here
            above = here
            goals[row] = new & rows.items[row]
            if goals[row]:
                goals[row] &= worth_taking(&rows, row)
                found |= goals[row]
            new &= rows.ways[row]
            rows.reached[row] = here | new
            spread |= new
            # cells next to unseen ones: only the nearest count
            if edge_steps == 0:
                edges[row] = new & beside(rows.unseen[row - 1], rows.unseen[row], rows.unseen[row + 1])
                at_edge |= edges[row]
        if found:
            return first_step(&rows, goals, top - 1, bottom + 1, steps, turned)
        # kept in case no item is in reach
        if at_edge:
            edge_steps, edge_top, edge_bottom = steps, top - 1, bottom + 1
        if spread == 0:
            break
        # the search has reached the last row on a side: load one more
        if rows.reached[top - 1]:
            top -= 1
            look_at(k, known, &rows, top - 2)
        if rows.reached[bottom + 1]:
            bottom += 1
            look_at(k, known, &rows, bottom + 2)
    return first_step(&rows, edges, edge_top, edge_bottom, edge_steps, turned) if edge_steps else -1


cdef inline int32_t first_step(const Rows *rows, uint64_t *goals, int32_t top, int32_t bottom, int32_t steps,
                               int32_t turned) noexcept nogil:
    """Return a direction that leads to a goal in rows top..bottom in `steps` steps: the first one from `turned` on."""
    cdef uint64_t above, here
    cdef int32_t row, n, direction
    for _ in range(1, steps):              # back from the goals to the cells next to the player
        above = 0
        for row in range(top, bottom + 1):
            here = goals[row]
            goals[row] |= beside(above, here, goals[row + 1] if row < bottom else 0) & rows.ways[row]
            above = here
    for n in range(4):
        direction = (n + turned) & 3
        if direction == 0:
            here = goals[rows.at - 1]
        elif direction == 3:
            here = goals[rows.at + 1]
        else:
            here = goals[rows.at] << 1 if direction == 2 else goals[rows.at] >> 1
        if here & rows.own:
            return direction
    return -1


cdef inline int32_t forage(const Params *k, const Knowledge *known, int32_t half, uint64_t *rng) noexcept nogil:
    """Return the forager's action at the beginning of its turn: strike, collect, explore, or else wait."""
    cdef int32_t code = -1
    if known.sighting_half == half:
        code = strike(k, known)
    return code if code >= 0 else go_for_items(k, known, half, rng)


cdef inline int32_t go_for_items(const Params *k, const Knowledge *known, int32_t half, uint64_t *rng) noexcept nogil:
    """Return the forager's action if it does not strike."""
    return go_on_way(k, known, way_to_go(k, known, half, rng), rng)


cdef inline int32_t go_on_way(const Params *k, const Knowledge *known, int32_t direction,
                              uint64_t *rng) noexcept nogil:
    """Return the action of a step: a walk, a look at an item that may be a trap, or a search if there is no step."""
    cdef int32_t cell
    if direction < 0:
        return 4 * SEARCH + <int32_t>masume_below(rng, 4)
    cell = known.at + k.frame_step[direction]
    if is_known(k, known, cell, SAW_ITEM) and ways_seen(k, known, cell) < 2:
        return 4 * LOOK + direction
    return 4 * WALK + direction


cdef inline int32_t be_wary(const Params *k, const Knowledge *known, int32_t items, int32_t half, bint plans,
                            uint64_t *rng) noexcept nogil:
    """Return the action of the wary player or, if it `plans`, of the planner; `items`: its own.

    It is a forager that stays where it is once it has more than half of the items, which cannot be caught up, and that
    looks before it steps next to a cell where an opponent seen a few turns ago can be by now. The planner chooses its
    steps by the items that it can reach one after the other, and by the cells that it sees on the way.
    """
    cdef int32_t code = -1, direction = -1, age = half - known.sighting_half
    if known.sighting_half == half:
        code = strike(k, known)
    if code >= 0:
        return code
    if known.mirrored and 2 * items > k.n_items:
        return 4 * SEARCH + <int32_t>masume_below(rng, 4)
    if plans:
        direction = way_to_plan(k, known, half, rng)
    code = go_for_items(k, known, half, rng) if direction < 0 else go_on_way(k, known, direction, rng)
    if code >> 2 == WALK and known.sighting_half >= 0 and 0 < age <= RECENT and steps_between(
            k, known.at + 2 * k.frame_step[code], known.sighting) <= (age + 1) // 2:
        return 4 * LOOK + code
    return code


cdef inline int32_t steps_between(const Params *k, int32_t cell, int32_t other) noexcept nogil:
    """Return the steps from a cell of a frame to another without blocks."""
    cdef int32_t rows = cell // k.frame_width - other // k.frame_width
    cdef int32_t columns = cell % k.frame_width - other % k.frame_width
    return (rows if rows > 0 else -rows) + (columns if columns > 0 else -columns)


cdef inline int32_t hope_at(const Route *route, int32_t row, int32_t column) noexcept nogil:
    """Return what the best goal in reach is worth after the last step that the planner tries."""
    cdef int32_t to_item = 0, to_unseen = 0, n, worth = 0
    for n in range(4):
        to_item |= <int32_t>(route.to_item[row][n] >> column & 1) << n
        to_unseen |= <int32_t>(route.to_unseen[row][n] >> column & 1) << n
    if to_item < MOST_STEPS:                               # if it was here, it is taken: the next is 2 steps away
        worth = route.worth[AHEAD + (to_item if to_item else 2)]
    if to_unseen < MOST_STEPS:
        worth = max(worth, route.worth[AHEAD + (to_unseen if to_unseen else 1)] * route.item_hope // ONE)
    return worth


cdef inline int32_t sights_around(Route *route, int32_t row, int32_t column) noexcept nogil:
    """Take the nine cells around a cell out of those never seen; return how many of them these are."""
    cdef uint64_t nine = <uint64_t>7 << (column - 1)
    cdef int32_t n, count = 0
    for n in range(row - 1, row + 2):
        count += bits_count64(route.unseen[n] & nine)
        route.unseen[n] &= ~nine
    return count


cdef inline bint is_trap(const Route *route, int32_t row, int32_t column, int32_t direction) noexcept nogil:
    """Return whether a cell entered in a direction has no way out once the cell left behind is a block."""
    return ((direction == 3 or route.closed[row - 1] >> column & 1)
            and (direction == 0 or route.closed[row + 1] >> column & 1)
            and (direction == 1 or route.closed[row] >> (column - 1) & 1)
            and (direction == 2 or route.closed[row] >> (column + 1) & 1))


cdef inline int32_t worth_of_step(Route *route, int32_t row, int32_t column, int32_t direction,
                                  int32_t steps) noexcept nogil:
    """Return what a step, the `steps`-th, and the best ones after it are worth; -1 if it is not a way."""
    cdef int32_t to_row = row + (direction == 3) - (direction == 0)
    cdef int32_t to_column = column + (direction == 1) - (direction == 2), worth
    cdef uint64_t target = <uint64_t>1 << to_column, own = <uint64_t>1 << column
    cdef uint64_t above, here, below
    if route.closed[to_row] & target:
        return -1
    # an item: take it, which makes a block of the cell left behind, try the steps after it, and undo both
    if route.items[to_row] & target:
        if is_trap(route, to_row, to_column, direction):
            return -1
        route.items[to_row] ^= target                      # CH-15
        route.closed[row] |= own
        worth = route.worth[steps] + best_worth(route, to_row, to_column, direction, steps)
        route.items[to_row] ^= target
        route.closed[row] &= ~own
        return worth
    # any other cell: what is seen from it, and an item that may be there if it was never seen
    above, here, below = route.unseen[to_row - 1], route.unseen[to_row], route.unseen[to_row + 1]
    worth = sights_around(route, to_row, to_column) * route.sight_hope + (route.item_hope if here & target else 0)
    worth = worth * route.worth[steps] // ONE
    worth += best_worth(route, to_row, to_column, direction, steps) * (235 if here & target else ONE) // ONE
    route.unseen[to_row - 1], route.unseen[to_row], route.unseen[to_row + 1] = above, here, below
    return worth


cdef inline int32_t best_worth(Route *route, int32_t row, int32_t column, int32_t direction,
                               int32_t steps) noexcept nogil:
    """Return what the best next steps are worth after `steps`, the last of them in a direction."""
    cdef int32_t n, most = 0
    if steps == AHEAD:
        return hope_at(route, row, column)
    for n in range(4):
        if n != 3 - direction:                             # never straight back
            most = max(most, worth_of_step(route, row, column, n, steps + 1))
    return most


cdef inline void count_steps(const uint64_t *goals, const uint64_t *open_cells, uint64_t (*steps)[4]) noexcept nogil:
    """Write the steps from each cell to the nearest goal, MOST_STEPS if there are as many or no way."""
    cdef uint64_t front[PLAN_ROWS]
    cdef uint64_t reached[PLAN_ROWS]
    cdef uint64_t near = (<uint64_t>2 << 2 * AHEAD) - 1 << (FAR - AHEAD)     # columns where the AHEAD steps may end
    cdef uint64_t above, new, left, spread
    cdef int32_t row, n, count
    memset(steps, 0, PLAN_ROWS * sizeof(steps[0]))
    memcpy(front, goals, sizeof(front))
    memcpy(reached, goals, sizeof(reached))
    # breadth first from all goals at once; `left`: cells where the AHEAD steps may end that have no count yet
    for count in range(1, MOST_STEPS):
        above = left = spread = 0
        for row in range(1, PLAN_ROWS - 1):
            new = beside(above, front[row], front[row + 1]) & open_cells[row] & ~reached[row]
            above = front[row]
            front[row] = new
            reached[row] |= new
            spread |= new
            if AROUND + 1 - AHEAD <= row <= AROUND + 1 + AHEAD:
                left |= open_cells[row] & ~reached[row] & near
            for n in range(4):
                steps[row][n] |= new & -<uint64_t>(count >> n & 1)
        if left == 0 or spread == 0:
            break
    # MOST_STEPS, which has all four bits, where nothing came
    for row in range(1, PLAN_ROWS - 1):
        for n in range(4):
            steps[row][n] |= ~reached[row]


cdef inline void load_route(const Params *k, const Knowledge *known, int32_t half, Route *route) noexcept nogil:
    """Load what the planner knows; column FAR of row AROUND + 1 is its own cell."""
    cdef const uint8_t *low = plane_of(k, known, LAST_LOW)
    cdef const uint8_t *high = plane_of(k, known, LAST_HIGH)
    cdef uint64_t open_cells[PLAN_ROWS]
    cdef uint64_t mask, lows, highs
    cdef int32_t at_row = known.at // k.frame_width, column = known.at % k.frame_width, row, n, cell, hope
    cdef int32_t left = min(<int32_t>FAR, column), right = min(<int32_t>FAR, k.frame_width - 1 - column)
    mask = ~<uint64_t>0 >> (63 - left - right) << (FAR - left)
    memset(route, 0, sizeof(Route))
    # everything outside the frame is closed, and so are the first row and the last
    for n in range(PLAN_ROWS):
        row = at_row + n - AROUND - 1
        route.closed[n] = ~<uint64_t>0
        open_cells[n] = 0
        if n == 0 or n == PLAN_ROWS - 1 or not 0 <= row < k.frame_height:
            continue
        cell = known.at - FAR + (row - at_row) * k.frame_width
        lows = bits_at(low, cell)
        highs = bits_at(high, cell)
        route.closed[n] = (lows & highs) | ~mask
        route.items[n] = highs & ~lows & mask
        route.unseen[n] = ~(lows | highs) & mask
        open_cells[n] = ~route.closed[n]
    count_steps(route.items, open_cells, route.to_item)
    count_steps(route.unseen, open_cells, route.to_unseen)
    if known.sighting_half == half:                        # it does not step next to an opponent in sight
        row = AROUND + 1 + (known.sighting - known.at + k.frame_width + 1) // k.frame_width - 1
        column = FAR + known.sighting - known.at - (row - AROUND - 1) * k.frame_width
        route.closed[row] |= <uint64_t>7 << (column - 1)
        route.closed[row - 1] |= <uint64_t>1 << column
        route.closed[row + 1] |= <uint64_t>1 << column
    route.worth[0] = WORTH
    for n in range(1, AHEAD + MOST_STEPS + 1):
        route.worth[n] = route.worth[n - 1] * 4 // 5
    hope = ONE - ONE * 4 // 5 * half // k.last_half        # most items are taken by the end
    route.item_hope = hope * k.n_items // k.size if known.mirrored else hope // 5
    route.sight_hope = route.item_hope // 2


cdef inline int32_t way_to_plan(const Params *k, const Knowledge *known, int32_t half, uint64_t *rng) noexcept nogil:
    """Return the first step of the best route, which begins with AHEAD steps tried in every order, or -1."""
    cdef Route route
    cdef int32_t turned = <int32_t>masume_below(rng, 4), n, worth, most = 0, best = -1
    load_route(k, known, half, &route)
    for n in range(turned, turned + 4):
        worth = worth_of_step(&route, AROUND + 1, FAR, n & 3, 1)
        if worth > most:
            most = worth
            best = n & 3
    return best

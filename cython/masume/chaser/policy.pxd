# cython: language_level=3, cdivision=True
"""CHaser: the forager and the wary player, policies for playouts.

They use only the knowledge of their player. So they can play in a real game as well as in a sampled one, and a search
that uses them for playouts does not rely on hidden information.
"""
from libc.stdint cimport int32_t, uint8_t, uint64_t
from masume.chaser.knowledge cimport *
from masume.chaser.rules cimport *
from masume.core._game cimport masume_below

cdef enum:
    MAX_ROWS = 82                  # of the frame of a field of 64 x 64
    FAR = 31                       # columns that it considers to either side
    RECENT = 10                    # halves after which the wary player forgets where it saw the opponent


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
    rows.foe = NOWHERE
    rows.foe_bit = 0
    if known.sighting_half == half:
        rows.foe = rows.at + (known.sighting - known.at + k.frame_width + 1) // k.frame_width - 1
        rows.foe_bit = <uint64_t>1 << (rows.across + known.sighting - known.at - (rows.foe - rows.at) * k.frame_width)
    top = bottom = rows.at
    for row in range(top - 2, bottom + 3):
        look_at(k, known, &rows, row)
    rows.reached[rows.at] = rows.own
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
            if edge_steps == 0:
                edges[row] = new & beside(rows.unseen[row - 1], rows.unseen[row], rows.unseen[row + 1])
                at_edge |= edges[row]
        if found:
            return first_step(&rows, goals, top - 1, bottom + 1, steps, turned)
        if at_edge:
            edge_steps, edge_top, edge_bottom = steps, top - 1, bottom + 1
        if spread == 0:
            break
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
    cdef int32_t cell, direction = way_to_go(k, known, half, rng)
    if direction < 0:
        return 4 * SEARCH + <int32_t>masume_below(rng, 4)
    cell = known.at + k.frame_step[direction]
    if is_known(k, known, cell, SAW_ITEM) and ways_seen(k, known, cell) < 2:
        return 4 * LOOK + direction
    return 4 * WALK + direction


cdef inline int32_t be_wary(const Params *k, const Knowledge *known, int32_t items, int32_t half,
                            uint64_t *rng) noexcept nogil:
    """Return the wary player's action; `items`: its own.

    It is a forager that stays where it is once it has more than half of the items, which cannot be caught up, and that
    looks before it steps next to a cell where an opponent seen a few turns ago can be by now.
    """
    cdef int32_t code = -1, age = half - known.sighting_half
    if known.sighting_half == half:
        code = strike(k, known)
    if code >= 0:
        return code
    if known.mirrored and 2 * items > k.n_items:
        return 4 * SEARCH + <int32_t>masume_below(rng, 4)
    code = go_for_items(k, known, half, rng)
    if code >> 2 == WALK and known.sighting_half >= 0 and 0 < age <= RECENT and steps_between(
            k, known.at + 2 * k.frame_step[code], known.sighting) <= (age + 1) // 2:
        return 4 * LOOK + code
    return code


cdef inline int32_t steps_between(const Params *k, int32_t cell, int32_t other) noexcept nogil:
    """Return the steps from a cell of a frame to another without blocks."""
    cdef int32_t rows = cell // k.frame_width - other // k.frame_width
    cdef int32_t columns = cell % k.frame_width - other % k.frame_width
    return (rows if rows > 0 else -rows) + (columns if columns > 0 else -columns)

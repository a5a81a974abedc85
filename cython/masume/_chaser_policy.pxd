# cython: language_level=3, cdivision=True
"""CHaser: the forager, a native player for playouts.

It goes by what its player remembers and by nothing else, so that it may sit in a real game as well as in a sampled one,
and so that a search that plays it out does not believe that one sees in the dark.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint64_t
from libc.string cimport memset
from masume._chaser cimport *
from masume._game cimport masume_below

cdef enum:
    MAX_GRID = 145 * 145           # of a field of 64 x 64
    OWN_CELL = 4                   # of the nine digits of a ready info
    REACHED = 8                    # beside the direction of the first step


cdef inline bint is_known(const Sight *sight, int32_t value) noexcept nogil:
    """Whether the cell was of this value when it was last seen."""
    return sight.last & ~VISITED == SEEN | value


cdef inline bint is_open(const Sight *sight) noexcept nogil:
    """Whether the cell was seen and was no block."""
    return sight.last & SEEN and sight.last & 3 != BLOCK


cdef inline int32_t ways_out(const Params *k, const Sight *sight) noexcept nogil:
    """Sides of a cell that are not known to be blocks."""
    cdef int32_t direction, count = 0
    for direction in range(4):
        count += not is_known(sight + k.grid_step[direction], BLOCK)
    return count


cdef inline int32_t ways_seen(const Params *k, const Sight *sight) noexcept nogil:
    """Sides of a cell that are known to be open."""
    cdef int32_t direction, count = 0
    for direction in range(4):
        count += is_open(sight + k.grid_step[direction])
    return count


cdef inline int32_t strike(const Params *k, const Known *known) noexcept nogil:
    """What wins at once against an opponent in sight, or -1: a block on it, or on its last way out."""
    cdef const Sight *grid = grid_of(known)
    cdef int32_t direction, side
    for direction in range(4):
        if known.at + k.grid_step[direction] == known.foe:
            return 4 * PUT + direction
    if known.foe == known.at:              # the cell it leaves for an item turns into a block under the opponent
        for direction in range(4):
            if is_known(grid + known.at + k.grid_step[direction], ITEM):
                return 4 * WALK + direction
        return -1
    if ways_out(k, grid + known.foe) > 1:
        return -1
    for direction in range(4):
        side = known.at + k.grid_step[direction]
        if is_beside(k, side, known.foe) and not is_known(grid + side, BLOCK):
            return 4 * PUT + direction
    return -1


cdef inline bint is_beside(const Params *k, int32_t cell, int32_t other) noexcept nogil:
    """Whether two cells of a grid have a side in common."""
    cdef int32_t away = cell - other if cell > other else other - cell
    return away == 1 or away == k.grid_width


cdef inline int32_t way_to_go(const Params *k, const Known *known, int32_t half, uint64_t *rng) noexcept nogil:
    """The first step to the nearest known item that is no trap, else to the nearest cell beside one never seen, or -1.

    The ways lead over cells seen open that are not beside an opponent in sight.
    """
    cdef uint8_t marks[MAX_GRID]
    cdef int16_t queue[MAX_CELLS + 1]
    cdef const Sight *grid = grid_of(known)
    cdef const Sight *sight
    cdef int32_t foe = known.foe if known.foe_half == half else NOWHERE
    cdef int32_t n, direction, cell, side, mark, head = 0, tail = 1, unseen = -1
    cdef int32_t turned = <int32_t>masume_below(rng, 4)    # of equal ways any
    memset(marks, 0, k.grid_size)
    marks[known.at] = REACHED
    queue[0] = <int16_t>known.at
    while head < tail:
        cell = queue[head]
        mark = marks[cell]
        head += 1
        for n in range(4):
            direction = (n + turned) & 3
            side = cell + k.grid_step[direction]
            sight = grid + side
            if marks[side]:
                continue
            if head > 1:
                direction = mark & 3
            if not sight.last & SEEN:
                if unseen < 0:
                    unseen = direction
                continue
            marks[side] = <uint8_t>(REACHED | direction)
            if sight.last & 3 == BLOCK or side == foe or is_beside(k, side, foe):
                continue
            if sight.last & 3 == ITEM:
                if ways_out(k, sight) >= 2:
                    return direction
                continue
            queue[tail] = <int16_t>side
            tail += 1
    return unseen


cdef inline int32_t forage(const Params *k, const Known *known, int32_t half, uint64_t *rng) noexcept nogil:
    """The action of the forager, whose turn begins: strike, collect, explore, and with nothing left to do wait."""
    cdef int32_t direction, code
    if known.foe_half == half:
        code = strike(k, known)
        if code >= 0:
            return code
    direction = way_to_go(k, known, half, rng)
    if direction < 0:
        return 4 * SEARCH + <int32_t>masume_below(rng, 4)
    if (is_known(grid_of(known) + known.at + k.grid_step[direction], ITEM)
            and ways_seen(k, grid_of(known) + known.at + k.grid_step[direction]) < 2):
        return 4 * LOOK + direction
    return 4 * WALK + direction

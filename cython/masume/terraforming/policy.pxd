# cython: language_level=3, cdivision=True
"""The settler, a policy of Terraforming: it chooses one code at a time, from the position alone.

In a turn it builds what gains the most, or takes all the land it can, starting with the land that costs the fewest
robots, and then moves robots without land to take next to them towards such land.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from masume.core._game cimport masume_below
from masume.terraforming.state cimport *

cdef enum:
    LASTING = 6                    # value of a point of developed land, relative to land that can be taken again
    NO_WAY = 255                   # steps, if no path exists


cdef inline bint is_prize(uint8_t land, uint8_t mine) noexcept nogil:
    """Return whether the player gains this cell as land by entering it."""
    return land & ~(7 << OWNER_AT) == 0 and land != mine


# -- builds ---------------------------------------------------------------------------------------

cdef inline int32_t land_around(const Params *k, const uint8_t *land, int32_t site, int32_t reach,
                                uint8_t mine) noexcept nogil:
    """Return how many cells of the player's territory are around a cell, within `reach` steps."""
    cdef const int16_t *near = k.near[site]
    cdef int32_t i, count = 0
    for i in range(1, k.within[site][reach]):
        count += land[near[i]] == mine
    return count


cdef inline int32_t gain_of(const Params *k, const void *state, int32_t site, int32_t building,
                            int32_t player) noexcept nogil:
    """Return the points that a building adds."""
    cdef const uint8_t *land = land_of(k, state)
    cdef uint8_t mine = owned_by(player)
    if building == BRIDGE:
        return 3
    if building == PUBLIC:
        return 2 + PUBLIC_BONUS + 2 * land_around(k, land, site, 2, mine)
    if building == PLAZA:
        return (2 + 2 * land_around(k, land, site, 1, mine)
                + (material_sum(k, state, site, player) - TOWN_MATERIAL if k.contest else 0))
    return 2


cdef inline int32_t choose_build(const Params *k, const void *state, int32_t *gain, uint64_t *rng) noexcept nogil:
    """Return the code of the building that gains the most points, of these the cheapest; write its gain, 0 for none.

    Of equal sites it takes the one with the least Material, so that the others remain for later builds.
    """
    cdef int32_t player = header_of(state).player, word, cell, building, points, best = 0, merit, highest = -0x7FFFFFFF
    cdef const Sets *sets = sets_of(state)
    cdef uint64_t bits
    cdef uint32_t rest
    gain[0] = 0
    for word in range(k.words):
        bits = sets[word].owned[player] & sets[word].manned
        while bits:
            cell = next_of(&bits, word)
            rest = builds_of(k, state, cell)
            while rest:
                building = FACTORY + k.nth[rest & 255][0]
                rest &= rest - 1
                points = gain_of(k, state, cell, building, player)
                merit = ((points * 64 - k.price[building]) * 64 - material_sum(k, state, cell, player)) * 64
                merit += <int32_t>masume_below(rng, 64)
                if merit > highest:
                    highest = merit
                    gain[0] = points
                    best = k.first_build + k.kinds * cell + building - FACTORY
    return best


# -- moves ----------------------------------------------------------------------------------------

cdef inline int32_t land_in_reach(const Params *k, const void *state) noexcept nogil:
    """Return an estimate of the number of cells that the player can take in this turn."""
    cdef uint8_t mine = owned_by(header_of(state).player)
    cdef const uint8_t *land = land_of(k, state)
    cdef const int32_t *robots = robots_of(k, state)
    cdef const int32_t *moved = moved_of(k, state)
    cdef const Sets *sets = sets_of(state)
    cdef uint64_t taken[MAX_WORDS]
    cdef uint64_t bits
    cdef int32_t word, cell, d, target, movable, count = 0
    memset(taken, 0, sizeof(taken))
    for word in range(k.words):
        bits = sets[word].ready
        while bits:
            cell = next_of(&bits, word)
            movable = robots[cell] - moved[cell]
            for d in range(NUM_DIRECTIONS):
                target = k.step[cell][d]
                if (moves_of(k, state)[cell] >> d & 1 and is_prize(land[target], mine) and robots[target] < movable
                        and not taken[target >> 6] >> (target & 63) & 1):
                    put(taken, target)
                    movable -= robots[target] + 1
                    count += 1
    return count


cdef inline int32_t move_of(const Params *k, const void *state, int32_t cell, int32_t direction,
                            int32_t price) noexcept nogil:
    """Return the code of the move with the fewest robots, but at least `price`."""
    cdef int32_t movable = robots_of(k, state)[cell] - moved_of(k, state)[cell]
    cdef int32_t bucket = moves_of(k, state)[cell] >> OFFERED_AT
    while bucket > 0 and amount_of(movable, bucket) < price:
        bucket -= 1
    return 1 + CELL_CODES * cell + NUM_BUCKETS * direction + bucket


cdef inline int32_t choose_capture(const Params *k, const void *state, uint64_t *rng) noexcept nogil:
    """Return the code of the move that takes land with the fewest robots; 0 if there is none."""
    cdef uint8_t mine = owned_by(header_of(state).player)
    cdef const uint8_t *land = land_of(k, state)
    cdef const int32_t *robots = robots_of(k, state)
    cdef const int32_t *moved = moved_of(k, state)
    cdef const Sets *sets = sets_of(state)
    cdef uint64_t bits
    cdef int32_t word, cell, d, target, price, merit, lowest = 0x7FFFFFFF, best = 0
    for word in range(k.words):
        bits = sets[word].ready
        while bits:
            cell = next_of(&bits, word)
            for d in range(NUM_DIRECTIONS):
                target = k.step[cell][d]
                price = robots[target] + 1
                if (not moves_of(k, state)[cell] >> d & 1 or not is_prize(land[target], mine)
                        or price > robots[cell] - moved[cell]):
                    continue
                merit = min(price, 1 << 20) * 256 + <int32_t>masume_below(rng, 256)
                if merit < lowest:
                    lowest = merit
                    best = move_of(k, state, cell, d, price)
    return best


cdef inline void steps_to_prizes(const Params *k, const void *state, uint8_t *steps) noexcept nogil:
    """Write for each cell the steps over own land to the nearest land that can be taken; 0 on such land."""
    cdef int32_t player = header_of(state).player, begin = 0, end = 0, cell, side, d
    cdef uint8_t mine = owned_by(player)
    cdef const uint8_t *land = land_of(k, state)
    cdef int16_t queue[MAX_CELLS]
    memset(steps, NO_WAY, k.cells)
    for cell in range(k.cells):
        if is_prize(land[cell], mine):
            steps[cell] = 0
            queue[end] = <int16_t>cell
            end += 1
    while begin < end:
        cell = queue[begin]
        begin += 1
        for d in range(1, k.within[cell][1]):
            side = k.near[cell][d]
            if steps[side] == NO_WAY and owner_of(land[side]) == player and not land[side] & HOLE:
                steps[side] = <uint8_t>min(NO_WAY - 1, steps[cell] + 1)
                queue[end] = <int16_t>side
                end += 1


cdef inline int32_t choose_march(const Params *k, const void *state, uint64_t *rng) noexcept nogil:
    """Return the code of a move one step closer to land that can be taken; 0 if there is none."""
    cdef const Sets *sets = sets_of(state)
    cdef uint8_t steps[MAX_CELLS]
    cdef uint64_t bits
    cdef int32_t word, cell, d, merit, lowest = 0x7FFFFFFF, best = 0
    steps_to_prizes(k, state, steps)
    for word in range(k.words):
        bits = sets[word].ready
        while bits:
            cell = next_of(&bits, word)
            if steps[cell] <= 1 or steps[cell] == NO_WAY:
                continue
            for d in range(NUM_DIRECTIONS):
                if moves_of(k, state)[cell] >> d & 1 and steps[k.step[cell][d]] < steps[cell]:
                    merit = steps[cell] * 256 + <int32_t>masume_below(rng, 256)
                    if merit < lowest:
                        lowest = merit
                        best = 1 + CELL_CODES * cell + NUM_BUCKETS * d
    return best


cdef inline int32_t settle(const Params *k, const void *state, uint64_t *rng) noexcept nogil:
    """Return the settler's code; the game must be running."""
    cdef int32_t code, gain
    if header_of(state).phase == BUILT:
        return 0
    if header_of(state).phase == CHOOSE:
        code = choose_build(k, state, &gain, rng)
        if LASTING * gain > land_in_reach(k, state):
            return code
    code = choose_capture(k, state, rng)
    return code if code else choose_march(k, state, rng)

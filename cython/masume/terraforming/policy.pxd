# cython: language_level=3, cdivision=True
"""The policies of Terraforming: each chooses one code at a time, from the position alone.

The settler builds in a turn what gains the most, or takes all the land it can, starting with the land that costs the
fewest robots, and then moves robots without land to take next to them towards such land.

The builder aims at one site, and brings all robots there that have no land to take next to them: a town, where the
Material suffices, or a mining device for one. It builds as soon as the robots are there.

Under the rulebook, where developed land is cheap and cannot be taken, it also weighs what a building does to the
Material around it, and whether others stand beside it; robots that the site does not need go where land can be taken.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from masume.core._game cimport masume_below
from masume.core.bits cimport bits_count64
from masume.terraforming.state cimport *

cdef enum:
    LASTING = 6                    # value of a point of developed land, relative to land that can be taken again
    NO_WAY = 255                   # steps, if no path exists
    HOPED = 4                      # Material that may be lacking where a town may become possible
    FEW = 3                        # cells: a town develops at least so many around it

cdef enum:                         # the builder under the rulebook; worths are tenths of a point
    NUM_HOPES = 10
    PIT_WORTH = 19
    BRIDGE_WORTH = 5               # it takes eleven robots off the land
    BESIDE_OTHERS = 20             # land beside that of another player,
    BESIDE_MORE = 40               # which has more robots there
    PATIENCE = 9                   # robots: more of it for sites that take long
    NEARLY_OVER = 4                # rounds in which land that can be taken counts as much as points
    ROBOT = 256                    # price of land: a robot,
    OF_OTHERS = 128                # less for land of others,
    OF_NEIGHBOUR = 32              # and for each own neighbour

cdef extern from *:
    """
    /* worth of land by its Material sum: what it may be developed into; 9 suffice for a town */
    static const signed char HOPES[10] = {0, -2, 0, 0, 1, 2, 6, 6, 10, 26};
    """
    const signed char HOPES[NUM_HOPES]


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
    # take each cell once, and move each robot once
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


cdef inline int32_t choose_capture(const Params *k, const void *state, int32_t kept, uint64_t *rng) noexcept nogil:
    """Return the code of the move that takes land with the fewest robots, none from cell `kept`; 0 if there is none."""
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
                if (cell == kept or not moves_of(k, state)[cell] >> d & 1 or not is_prize(land[target], mine)
                        or price > robots[cell] - moved[cell]):
                    continue
                merit = min(price, 1 << 20) * 256 + <int32_t>masume_below(rng, 256)
                if merit < lowest:
                    lowest = merit
                    best = move_of(k, state, cell, d, price)
    return best


cdef inline void steps_over_land(const Params *k, const void *state, int32_t goal, uint8_t *steps) noexcept nogil:
    """Write for each cell the steps over own land to cell `goal`, or, for -1, to the nearest land that can be taken."""
    cdef int32_t player = header_of(state).player, begin = 0, end = 0, cell, side, d
    cdef uint8_t mine = owned_by(player)
    cdef const uint8_t *land = land_of(k, state)
    cdef int16_t queue[MAX_CELLS]
    memset(steps, NO_WAY, k.cells)
    # breadth first from all goals at once
    for cell in range(k.cells):
        if cell == goal or goal < 0 and is_prize(land[cell], mine):
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


cdef inline int32_t choose_march(const Params *k, const void *state, int32_t goal, uint64_t *rng) noexcept nogil:
    """Return the code of a move one step closer to cell `goal`, or, for -1, to land that can be taken; 0: none."""
    cdef const Sets *sets = sets_of(state)
    cdef uint8_t steps[MAX_CELLS]
    cdef uint64_t bits
    cdef int32_t word, cell, d, merit, lowest = 0x7FFFFFFF, best = 0, there = 0 if goal >= 0 else 1
    steps_over_land(k, state, goal, steps)
    for word in range(k.words):
        bits = sets[word].ready
        while bits:
            cell = next_of(&bits, word)
            # robots that are there, or next to land that can be taken, stay; of the others the nearest go first
            if steps[cell] <= there or steps[cell] == NO_WAY:
                continue
            for d in range(NUM_DIRECTIONS):
                if moves_of(k, state)[cell] >> d & 1 and steps[k.step[cell][d]] < steps[cell]:
                    merit = steps[cell] * 256 + <int32_t>masume_below(rng, 256)
                    if merit < lowest:
                        lowest = merit
                        best = 1 + CELL_CODES * cell + NUM_BUCKETS * d
    return best


# -- the settler ----------------------------------------------------------------------------------

cdef inline int32_t settle(const Params *k, const void *state, uint64_t *rng) noexcept nogil:
    """Return the settler's code; the game must be running."""
    cdef int32_t code, gain
    if header_of(state).phase == BUILT:
        return 0
    if header_of(state).phase == CHOOSE:
        code = choose_build(k, state, &gain, rng)
        if LASTING * gain > land_in_reach(k, state):
            return code
    code = choose_capture(k, state, -1, rng)
    return code if code else choose_march(k, state, -1, rng)


# -- the builder ----------------------------------------------------------------------------------

cdef struct Plan:                  # what the player's robots gather for
    int32_t cell                   # -1: nothing
    int32_t building
    int32_t merit


cdef struct Country:               # the player's land without buildings
    uint64_t land[MAX_WORDS]
    uint64_t promising[MAX_WORDS]  # sites where a town may become possible
    int16_t sum[MAX_CELLS]         # Material sum
    int16_t around[MAX_CELLS]      # number of cells of `land` next to a cell of it
    int32_t home                   # -1: none


cdef inline void survey(const Params *k, const void *state, Country *own) noexcept nogil:
    """Describe the player's country."""
    cdef int32_t player = header_of(state).player, word, other, cell
    cdef uint8_t mine = owned_by(player)
    cdef const uint8_t *land = land_of(k, state)
    cdef uint64_t bits
    memset(own.land, 0, sizeof(own.land))
    memset(own.promising, 0, sizeof(own.promising))
    own.home = -1
    # the cells of the country
    for word in range(k.words):
        bits = sets_of(state)[word].owned[player]
        while bits:
            cell = next_of(&bits, word)
            if land[cell] == mine:
                put(own.land, cell)
            elif land[cell] == (mine | HOME):
                own.home = cell
    # what can be built on each, once all cells are known
    for word in range(k.words):
        bits = own.land[word]
        while bits:
            cell = next_of(&bits, word)
            own.sum[cell] = <int16_t>material_sum(k, state, cell, player)
            own.around[cell] = 0
            for other in range(k.words):
                own.around[cell] += <int16_t>bits_count64(own.land[other] & k.around[cell][other])
            if own.sum[cell] + HOPED >= TOWN_MATERIAL and own.around[cell] >= FEW:
                put(own.promising, cell)


cdef inline bint is_promising(const Params *k, const Country *own, int32_t cell) noexcept nogil:
    """Return whether a house on this cell would take Material from a site where a town may become possible."""
    cdef int32_t word
    cdef uint64_t found = own.promising[cell >> 6] & bit_of(cell)
    for word in range(k.words):
        found |= own.promising[word] & k.around[cell][word]
    return found != 0


cdef inline int32_t worth_of_pit(const Params *k, const void *state, const Country *own, int32_t cell) noexcept nogil:
    """Return the points of the best town that a mining device helps to make possible, less if others are needed."""
    cdef int32_t i, town, word, lacking, gained, worth, best = 0
    for i in range(1, k.within[cell][2]):
        town = k.near[cell][i]
        if not own.land[town >> 6] >> (town & 63) & 1 or own.around[town] < FEW or own.sum[town] >= TOWN_MATERIAL:
            continue
        # own cells around both gain 1; so does the town if it is beside the device, but it loses the device's cell
        lacking = TOWN_MATERIAL - own.sum[town]
        gained = 0
        for word in range(k.words):
            gained += bits_count64(own.land[word] & k.around[cell][word] & k.around[town][word])
        worth = 2 + 2 * own.around[town]
        if i < k.within[cell][1]:
            gained += 1 - worth_of(k, state)[cell]
            worth -= 2
        if 0 < gained < lacking:
            worth = worth * gained * 7 // (10 * lacking)
        if gained > 0:
            best = max(best, worth)
    return best


cdef inline int32_t hexes_between(const Params *k, int32_t one, int32_t other) noexcept nogil:
    """Return the distance of two cells; one more than the range of a tower if they are farther apart."""
    cdef int32_t far
    if one == other:
        return 0
    for far in range(TOWER_RANGE):
        if k.rings[(one * TOWER_RANGE + far) * k.words + (other >> 6)] >> (other & 63) & 1:
            return far + 1
    return TOWER_RANGE + 1


cdef inline void weigh(const Params *k, const void *state, const Country *own, Plan *plan, int32_t cell,
                       int32_t building, int32_t worth, int32_t patience) noexcept nogil:
    """Keep this building if it is worth more in relation to the time that it takes.

    worth : in tenths of a point. The time: of the home base to make missing robots, or of these to go there.
    patience : robots that count as missing for every site.
    """
    cdef int32_t missing = max(0, k.least[building] - robots_of(k, state)[cell]), merit
    if missing and own.home >= 0:
        missing = max(missing, HOME_MAKES * hexes_between(k, cell, own.home))
    merit = 1000 * max(1, worth) // (patience + missing)
    if merit > plan.merit:
        plan[0] = Plan(cell=cell, building=building, merit=merit)


cdef inline void make_plan(const Params *k, const void *state, Plan *plan) noexcept nogil:
    """Choose the site to build on, now or as soon as the robots are there."""
    cdef int32_t word, cell, player = header_of(state).player
    cdef Country own
    cdef uint64_t bits
    survey(k, state, &own)
    plan[0] = Plan(cell=-1, building=EMPTY, merit=0)
    for word in range(k.words):
        bits = own.land[word]
        while bits:
            cell = next_of(&bits, word)
            if own.sum[cell] >= TOWN_MATERIAL:
                weigh(k, state, &own, plan, cell, PLAZA, 10 * gain_of(k, state, cell, PLAZA, player), HOME_MAKES)
            if own.sum[cell] >= k.recipe[PARK]:
                weigh(k, state, &own, plan, cell, PARK, 2 if is_promising(k, &own, cell) else 20, HOME_MAKES)
            if own.sum[cell] >= k.recipe[PIT]:
                weigh(k, state, &own, plan, cell, PIT, 20 + 5 * worth_of_pit(k, state, &own, cell), HOME_MAKES)


# -- the builder under the rulebook -------------------------------------------------------------------

cdef inline int32_t hope_of(int32_t sum) noexcept nogil:
    """Return the worth of land with this Material sum."""
    return HOPES[max(0, min(sum, NUM_HOPES - 1))]


cdef inline bint has(const uint64_t *cells, int32_t cell) noexcept nogil:
    """Return whether a cell is in a set whose words are consecutive."""
    return cells[cell >> 6] >> (cell & 63) & 1


cdef inline int32_t effect_of(const Params *k, const void *state, const Country *own, int32_t cell,
                              int32_t building) noexcept nogil:
    """Return how much worth the player's land gains, or loses, by a building on one of its cells."""
    cdef const int16_t *near = k.near[cell]
    cdef int32_t i, n, word, land, sum, effect = 0
    for i in range(k.within[cell][2]):
        land = near[i]
        if not has(own.land, land):
            continue
        # the worth that the cell has is lost; that of its new Material sum is gained, unless it is developed
        effect -= hope_of(own.sum[land])
        if i == 0 or building == PLAZA and i < k.within[cell][1]:            # it is developed
            continue
        sum = own.sum[land]
        # a mining device adds 1 to each own cell around it
        if building == PIT:
            sum += i < k.within[cell][1]
            for word in range(k.words):
                sum += bits_count64(own.land[word] & k.around[cell][word] & k.around[land][word])
        # developed land gives no Material: that around a town, or the building's own cell
        if building == PLAZA:
            for n in range(1, k.within[cell][1]):
                if has(own.land, near[n]) and has(k.around[land], near[n]):
                    sum -= worth_of(k, state)[near[n]]
        elif i < k.within[cell][1]:
            sum -= worth_of(k, state)[cell]
        effect += hope_of(sum)
    return effect


cdef inline int32_t danger_of(const Params *k, const void *state, const Country *own, int32_t cell, int32_t reach,
                              int32_t player) noexcept nogil:
    """Return the worth of keeping others off the player's land within `reach` steps of a cell."""
    cdef const int32_t *robots = robots_of(k, state)
    cdef const uint8_t *land = land_of(k, state)
    cdef int32_t i, n, here, side, owner, worst, danger = 0
    for i in range(k.within[cell][reach]):
        here = k.near[cell][i]
        worst = 0
        if has(own.land, here):
            for n in range(1, k.within[here][1]):
                side = k.near[here][n]
                owner = owner_of(land[side])
                if owner >= 0 and owner != player and not land[side] & HOLE:
                    worst = max(worst, BESIDE_MORE if robots[side] > robots[here] else BESIDE_OTHERS)
        danger += worst
    return danger


cdef inline void make_wary_plan(const Params *k, const void *state, Plan *plan) noexcept nogil:
    """Choose the site to build on under the rulebook."""
    cdef const uint8_t *land = land_of(k, state)
    cdef int32_t word, cell, owner, worth, player = header_of(state).player
    cdef Country own
    cdef uint64_t bits
    survey(k, state, &own)
    plan[0] = Plan(cell=-1, building=EMPTY, merit=0)
    for word in range(k.words):
        bits = own.land[word]
        while bits:
            cell = next_of(&bits, word)
            if own.sum[cell] >= TOWN_MATERIAL:
                worth = 10 * gain_of(k, state, cell, PLAZA, player) + effect_of(k, state, &own, cell, PLAZA)
                weigh(k, state, &own, plan, cell, PLAZA, worth + danger_of(k, state, &own, cell, 1, player), PATIENCE)
            if own.sum[cell] >= k.recipe[PARK]:
                worth = 20 + effect_of(k, state, &own, cell, PARK)
                weigh(k, state, &own, plan, cell, PARK, worth + danger_of(k, state, &own, cell, 0, player), PATIENCE)
            if own.sum[cell] >= k.recipe[PIT]:
                worth = PIT_WORTH + effect_of(k, state, &own, cell, PIT)
                weigh(k, state, &own, plan, cell, PIT, worth + danger_of(k, state, &own, cell, 0, player), PATIENCE)
    for cell in range(k.cells):
        if land[cell] & HOLE:
            owner = owner_of(land[cell])
            if ((owner == player or robots_of(k, state)[cell] == 0)
                    and material_sum(k, state, cell, player) >= k.recipe[BRIDGE]):
                weigh(k, state, &own, plan, cell, BRIDGE, BRIDGE_WORTH, PATIENCE)


cdef inline int32_t choose_bargain(const Params *k, const void *state, int32_t kept, int32_t least,
                                   uint64_t *rng) noexcept nogil:
    """Return the code of the move that takes the best land for its price, leaving `least` robots on cell `kept`; or 0.

    Land of others is worth more, and land with own neighbours.
    """
    cdef uint8_t mine = owned_by(header_of(state).player)
    cdef const uint8_t *land = land_of(k, state)
    cdef const int32_t *robots = robots_of(k, state)
    cdef const int32_t *moved = moved_of(k, state)
    cdef const Sets *sets = sets_of(state)
    cdef uint64_t bits
    cdef int32_t word, other, cell, d, target, price, merit, lowest = 0x7FFFFFFF, best = 0
    cdef int32_t player = header_of(state).player
    for word in range(k.words):
        bits = sets[word].ready
        while bits:
            cell = next_of(&bits, word)
            for d in range(NUM_DIRECTIONS):
                target = k.step[cell][d]
                price = robots[target] + 1
                if (not moves_of(k, state)[cell] >> d & 1 or not is_prize(land[target], mine)
                        or price > robots[cell] - moved[cell] or cell == kept and robots[cell] - price < least):
                    continue
                # the price in robots, less what the land is worth: the lowest is the best
                merit = min(price, 1 << 16) * ROBOT + <int32_t>masume_below(rng, 16)
                merit -= OF_OTHERS * (owner_of(land[target]) >= 0)
                for other in range(k.words):
                    merit -= OF_NEIGHBOUR * bits_count64(sets[other].owned[player] & k.around[target][other])
                if merit < lowest:
                    lowest = merit
                    best = move_of(k, state, cell, d, price)
    return best


cdef inline int32_t build_up_warily(const Params *k, const void *state, uint64_t *rng) noexcept nogil:
    """Return the builder's code under the rulebook; the game must be running."""
    cdef int32_t code, gain, least, rounds = (k.last_ply - header_of(state).ply) // NUM_PLAYERS
    cdef Plan plan
    if header_of(state).phase == BUILT:
        return 0
    make_wary_plan(k, state, &plan)
    if plan.cell < 0:
        code = choose_bargain(k, state, -1, 0, rng)
        return code if code else choose_march(k, state, -1, rng)
    if (header_of(state).phase == CHOOSE and owner_of(land_of(k, state)[plan.cell]) == header_of(state).player
            and builds_of(k, state, plan.cell) >> plan.building - FACTORY & 1):
        # build now, unless it is nearly over and land counts more
        gain = gain_of(k, state, plan.cell, plan.building, header_of(state).player)
        if rounds >= NEARLY_OVER or gain >= land_in_reach(k, state):
            return k.first_build + k.kinds * plan.cell + plan.building - FACTORY
    # else take land, or march: to the site until it has its robots, then to land that can be taken
    least = k.least[plan.building]
    code = choose_bargain(k, state, plan.cell, least, rng)
    return code if code else choose_march(k, state, -1 if robots_of(k, state)[plan.cell] >= least else plan.cell, rng)


cdef inline int32_t build_up(const Params *k, const void *state, uint64_t *rng) noexcept nogil:
    """Return the builder's code; the game must be running."""
    cdef int32_t code
    cdef Plan plan
    if not k.contest:
        return build_up_warily(k, state, rng)
    if header_of(state).phase == BUILT:
        return 0
    make_plan(k, state, &plan)
    if (plan.cell >= 0 and header_of(state).phase == CHOOSE
            and builds_of(k, state, plan.cell) >> plan.building - FACTORY & 1):
        return k.first_build + k.kinds * plan.cell + plan.building - FACTORY
    code = choose_capture(k, state, plan.cell, rng)
    return code if code else choose_march(k, state, plan.cell, rng)

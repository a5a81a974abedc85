# cython: language_level=3, cdivision=True
"""Battleship: the gunner and the keeper, policies for playouts.

They use only what their player has heard. So they can play in real games as well as in sampled ones, and a search that
uses them in playouts does not assume that every shot hits.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.battleship.legal cimport Options
from masume.battleship.knowledge cimport *
from masume.battleship.state cimport *
from masume.core._game cimport masume_below

cdef enum:
    HIT = 1 << 20                  # value of a certain hit
    LATER = 5                      # value of a hit that may come a turn later, in twelfths of HIT
    TORPEDO_HIT = 6                # value of a hit by a torpedo, in twelfths of HIT
    PATIENT = 2                    # for the keeper: value of a hit that may come a turn later, in twelfths of HIT
    DANGER = 6                     # for the keeper: value of a hit by the next shot of a foe, in twelfths of HIT
    ONE = 256                      # of chances
    PARTS = 16                     # of such a one
    IDLE = -100                    # below the value of any move, which ends at most 8 panels from its goal


cdef struct Plan:                  # the best code found, and the number of equal ones
    int32_t worth
    int32_t count
    int32_t code


cdef inline void consider(Plan *plan, int32_t worth, int32_t code, uint64_t *rng) noexcept nogil:
    """Keep the code if it is better than the plan; among equals each is equally likely."""
    if worth < plan.worth:
        return
    if worth > plan.worth:
        plan.worth = worth
        plan.count = 0
    plan.count += 1
    if plan.count == 1 or masume_below(rng, plan.count) == 0:
        plan.code = code


cdef inline int32_t find_heat(const Params *k, const Memory *memory, int32_t player, int32_t *heat) noexcept nogil:
    """Write the expected hits of a shot at each panel, each enemy uniform on its suspects; return the best panel."""
    cdef uint32_t enemies = k.enemies[player]
    cdef int32_t q, target = 0
    cdef bint anew = True
    while enemies:
        q = bits_first(enemies)
        enemies &= enemies - 1
        target = k.kernels.share(k.panels, k.sizes[q], suspects_of(k, memory, player, q * k.ships), k.shares, anew,
                                 heat)
        anew = False
    return target


cdef inline int32_t find_best(const Params *k, const int32_t *heat, int32_t *best) noexcept nogil:
    """Write the expected hits of the best shot from each panel; return the panel with the highest."""
    return k.kernels.highest(&k.grid, k.attacks_own, heat, best)


cdef inline void plan_attacks(const Params *k, const Board *b, const Options *o, const int32_t *heat, Plan *plan,
                              uint64_t *rng) noexcept nogil:
    """Consider shots by their expected hits."""
    cdef int32_t slot, direction, worth, code = k.first[ATTACK]
    cdef uint32_t ways
    cdef const int8_t *near
    for slot in range(k.sizes[b.cur]):
        near = k.near[pos_of(k, b)[b.cur * k.ships + slot]]
        ways = o.ways[slot] & 0xFFFF
        while ways:
            direction = bits_first(ways)
            ways &= ways - 1
            worth = heat[near[direction]]
            consider(plan, worth if worth else IDLE, code + direction, rng)
        code += NINE


cdef inline void plan_moves(const Params *k, const Board *b, const Options *o, const int32_t *best, int32_t goal,
                            Plan *plan, uint64_t *rng) noexcept nogil:
    """Consider moves of combat ships by the best shot they lead to, and by the distance to the best of all panels."""
    cdef int32_t slot, code, first, q, i
    cdef uint32_t moves
    cdef const Command *c
    for slot in range(k.sizes[b.cur]):
        i = b.cur * k.ships + slot
        if cls_of(k, b)[i] == OILER:
            continue
        moves = o.moves[slot]
        first = k.first[MOVE] + slot * 4 * k.reach
        while moves:
            code = first + bits_first(moves)
            moves &= moves - 1
            c = &k.commands[code]
            q = pos_of(k, b)[i] + k.step[c.at] * c.steps
            consider(plan, best[q] * LATER // 12 - k.apart[goal][q], code, rng)


cdef inline void plan_others(const Params *k, const Board *b, const Options *o, const int32_t *heat, int32_t target,
                             const int32_t *best, Plan *plan, uint64_t *rng) noexcept nogil:
    """Consider torpedoes at the panel with the most expected hits, and reinforcements."""
    cdef int32_t slot, q
    cdef cells_t landings
    for slot in range(k.sizes[b.cur]):
        if o.torpedoes >> slot & 1 and pos_of(k, b)[b.cur * k.ships + slot] != target:
            consider(plan, heat[target] * TORPEDO_HIT // 12, k.first[TORPEDO] + slot * k.panels + target, rng)
        if o.reinforcements >> slot & 1:
            landings = o.landings
            while landings:
                q = cells_first(landings)
                landings &= landings - 1
                consider(plan, HIT + best[q] * LATER // 12, k.first[REINFORCE] + slot * k.panels + q, rng)


cdef inline int32_t gun(const Params *k, const Board *b, const Memory *memory, const Options *o,
                        uint64_t *rng) noexcept nogil:
    """Return the gunner's command for the player to move in play, or -1 if it has nothing to do."""
    cdef int32_t heat[GRID_CELLS]
    cdef int32_t best[GRID_CELLS]
    cdef int32_t target = find_heat(k, memory, b.cur, heat), goal
    cdef Plan plan
    plan.worth = 2 * IDLE
    plan.count = 0
    plan.code = -1
    plan_attacks(k, b, o, heat, &plan, rng)
    if plan.worth < heat[target] * TORPEDO_HIT // 12 or o.num_reinforcements:     # otherwise nothing is better
        goal = find_best(k, heat, best)
        plan_moves(k, b, o, best, goal, &plan, rng)
        plan_others(k, b, o, heat, target, best, &plan, rng)
    return plan.code


# -- the keeper ----------------------------------------------------------------------------------------

cdef inline int32_t find_reach(const Params *k, const Memory *memory, int32_t player, int32_t foe,
                               int32_t *reach) noexcept nogil:
    """Write the chance that a ship of the foe is next to each panel, in ONEs; return 0 if it has no ship."""
    cdef cells_t cells
    cdef int32_t slot, q, count, found = 0
    for q in range(k.panels):
        reach[q] = ONE                     # the chance of none so far
    for slot in range(k.sizes[foe]):
        cells = cells_load(suspects_of(k, memory, player, foe * k.ships + slot))
        if cells == 0:
            continue
        found = 1
        count = cells_count(cells)
        for q in range(k.panels):
            reach[q] = reach[q] * (count - cells_count(cells & k.nearby[q])) // count
    for q in range(k.panels):
        reach[q] = ONE - reach[q]
    return found


cdef inline void add_news(const Params *k, const Memory *memory, int32_t player, int32_t *worth) noexcept nogil:
    """Add the worth of what a splash, or none, would tell after a shot at each panel."""
    cdef cells_t cells
    cdef int32_t i, q, near, count
    for i in range(k.fleet):
        if not k.enemies[player] >> i // k.ships & 1:
            continue
        cells = cells_load(suspects_of(k, memory, player, i))
        if cells == 0:
            continue
        count = cells_count(cells)
        for q in range(k.panels):
            near = cells_count(cells & k.nearby[q])
            worth[q] += HIT // 2 // count * min(near, count - near)


cdef inline int32_t fear(const Params *k, const Board *b, const cells_t *told, const int32_t *reach, int32_t moved,
                         int32_t to) noexcept nogil:
    """Return the hits that a foe's next shot is expected to make, weighed as a value.

    It shoots at a panel in proportion to the square of the hits that it hopes for. told : where it may believe each of
    the player's ships to be. reach : `find_reach`. moved, to : a slot, and the panel where it will be.
    """
    cdef int32_t hopes[MAX_PANELS]
    cdef int32_t slot, q, count
    cdef int64_t total = 0, hits = 0
    cdef cells_t cells, places = 0
    memset(hopes, 0, k.panels * sizeof(int32_t))
    # what the foe hopes for at each panel: the chances that ships are there, and that it can shoot there
    for slot in range(k.sizes[b.cur]):
        cells = told[slot]
        if cells == 0:
            continue
        places |= cells_one(to if slot == moved else pos_of(k, b)[b.cur * k.ships + slot])
        count = cells_count(cells)
        while cells:
            q = cells_first(cells)
            cells &= cells - 1
            hopes[q] += reach[q] * ONE // count
    # the chance of a panel is the square of its hopes over their total; a shot at a ship hits if it is in reach
    for q in range(k.panels):
        total += <int64_t>hopes[q] * hopes[q]
    while places:
        q = cells_first(places)
        places &= places - 1
        hits += <int64_t>hopes[q] * hopes[q] * reach[q]
    return <int32_t>(hits * PARTS // total) * (HIT // ONE // PARTS) * DANGER // 12 if total else 0


cdef inline int32_t fear_after_shot(const Params *k, const Board *b, const cells_t *told, const int32_t *reach,
                                    int32_t target) noexcept nogil:
    """Return the fear of a foe once it has heard of a shot at a panel: a ship is next to it."""
    cdef cells_t known[MAX_SHIPS]
    cdef cells_t near = k.nearby[target] | (cells_one(target) if k.attacks_own else <cells_t>0)
    cdef int32_t slot, only = -1, count = 0
    for slot in range(k.sizes[b.cur]):
        known[slot] = told[slot]
        if told[slot] & near:
            only = slot
            count += 1
    if count == 1:
        known[only] &= near
    return fear(k, b, known, reach, -1, 0)


cdef inline int32_t fear_after_move(const Params *k, const Board *b, const Memory *memory, int32_t foe,
                                    const cells_t *told, const int32_t *reach, int32_t slot, const Command *c,
                                    int32_t to) noexcept nogil:
    """Return the fear of a foe once it has heard of a move of a ship to a panel."""
    cdef cells_t known[MAX_SHIPS]
    cdef cells_t barred
    find_sure(k, memory, foe, b.cur, slot, &barred)
    memcpy(known, told, k.sizes[b.cur] * sizeof(cells_t))
    if sets_of(k, b, b.cur).stealth >> slot & 1:
        known[slot] = after_hidden_move(k, b, foe, known[slot], barred, 0)
    else:
        known[slot] = after_visible_move(k, b, foe, known[slot], barred, c.at, c.steps, 0)
    return fear(k, b, known, reach, slot, to)


cdef inline int32_t keep(const Params *k, const Board *b, const Memory *memory, const Options *o,
                         uint64_t *rng) noexcept nogil:
    """Return the command of the keeper, a gunner that fears the next shots of its foes; -1 if it has nothing to do.

    The terrain must be known to all: then what the foes know of its ships follows from what the player has heard.
    """
    cdef int32_t heat[GRID_CELLS]
    cdef int32_t worth[GRID_CELLS]
    cdef int32_t best[GRID_CELLS]
    cdef int32_t reach[MAX_PLAYERS][MAX_PANELS]
    cdef cells_t told[MAX_PLAYERS][MAX_SHIPS]
    cdef int32_t foes[MAX_PLAYERS]
    cdef int32_t p = b.cur, target = find_heat(k, memory, p, heat), num_foes = 0, q, slot, direction, gain, code, n
    cdef int32_t other, elsewhere
    cdef uint32_t ways
    cdef const Command *c
    cdef const int8_t *pos = pos_of(k, b) + p * k.ships
    cdef Plan plan
    plan.worth = 2 * IDLE - 2 * HIT
    plan.count = 0
    plan.code = -1
    # the worth of a shot: its hits, and what it tells
    memset(worth, 0, sizeof(worth))
    memcpy(worth, heat, k.panels * sizeof(int32_t))
    add_news(k, memory, p, worth)
    find_best(k, worth, best)
    plan_others(k, b, o, heat, target, best, &plan, rng)
    # the foes that have ships: where they can shoot, and where they may believe the player's ships to be
    for q in range(k.players):
        if k.enemies[p] >> q & 1 and find_reach(k, memory, p, q, reach[num_foes]):
            for slot in range(k.sizes[p]):
                told[num_foes][slot] = cells_load(suspects_of(k, memory, q, p * k.ships + slot))
            foes[num_foes] = q
            num_foes += 1
    # shots: their worth, less what each foe that hears of them makes the player fear
    for slot in range(k.sizes[p]):
        ways = o.ways[slot] & 0xFFFF
        while ways:
            direction = bits_first(ways)
            ways &= ways - 1
            q = k.near[pos[slot]][direction]
            gain = worth[q]
            if gain >= plan.worth:                         # otherwise it cannot be the best
                for n in range(num_foes):
                    gain -= fear_after_shot(k, b, told[n], reach[n], q)
                consider(&plan, gain, k.first[ATTACK] + slot * NINE + direction, rng)
    # moves: the best shot a turn later, by this ship or another one, less the same fears
    for slot in range(k.sizes[p]):
        ways = o.moves[slot]
        elsewhere = 0
        for other in range(k.sizes[p]):
            if other != slot and sets_of(k, b, p).alive >> other & 1:
                elsewhere = max(elsewhere, best[pos[other]])
        while ways:
            code = k.first[MOVE] + slot * 4 * k.reach + bits_first(ways)
            ways &= ways - 1
            c = &k.commands[code]
            q = pos[slot] + k.step[c.at] * c.steps
            gain = max(elsewhere, best[q] if cls_of(k, b)[p * k.ships + slot] != OILER else 0) * PATIENT // 12
            if gain >= plan.worth:
                for n in range(num_foes):
                    gain -= fear_after_move(k, b, memory, foes[n], told[n], reach[n], slot, c, q)
                consider(&plan, gain, code, rng)
    return plan.code

# cython: language_level=3, cdivision=True
"""Battleship: the gunner, a policy for playouts.

It uses only the memory of its player. So it can play in real games as well as in sampled ones, and a search that uses
it in playouts does not assume that every shot hits.
"""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memset
from masume.battleship.legal cimport Options
from masume.battleship.knowledge cimport *
from masume.battleship.state cimport *
from masume.core._game cimport masume_below

cdef enum:
    HIT = 1 << 20                  # value of a certain hit
    LATER = 5                      # value of a hit that may come a turn later, in twelfths of HIT
    TORPEDO_HIT = 6                # value of a hit by a torpedo, in twelfths of HIT
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
    """Write the expected hits of a shot at each panel, with each enemy uniform on its suspects; return the maximum."""
    cdef cells_t cells
    cdef int32_t q, slot, share, most = 0
    memset(heat, 0, MAX_PANELS * sizeof(int32_t))
    for q in range(k.players):
        if not k.enemies[player] >> q & 1:
            continue
        for slot in range(k.sizes[q]):
            cells = cells_load(suspects_of(k, memory, player, q * k.ships + slot))
            if cells == 0:
                continue
            share = HIT // cells_count(cells)
            while cells:
                heat[cells_first(cells)] += share
                most = max(most, heat[cells_first(cells)])
                cells &= cells - 1
    return most


cdef inline int32_t distance(const Params *k, int32_t q, int32_t r) noexcept nogil:
    """Return the distance of two panels in steps of a chess king."""
    cdef int32_t right = k.column[q] - k.column[r], down = k.row[q] - k.row[r]
    return max(right if right > 0 else -right, down if down > 0 else -down)


cdef inline int32_t find_best(const Params *k, const int32_t *heat, int32_t *best) noexcept nogil:
    """Write the expected hits of the best shot from each panel; return the panel with the highest."""
    cdef int32_t q, direction, top = 0
    cdef uint32_t ways
    for q in range(k.panels):
        best[q] = 0
        ways = k.targets[q]
        while ways:
            direction = bits_first(ways)
            best[q] = max(best[q], heat[k.near[q][direction]])
            ways &= ways - 1
        if best[q] > best[top]:
            top = q
    return top


cdef inline void plan_attacks(const Params *k, const Board *b, const Options *o, const int32_t *heat, Plan *plan,
                              uint64_t *rng) noexcept nogil:
    """Consider shots by their expected hits."""
    cdef int32_t slot, direction, worth
    cdef uint32_t ways
    for slot in range(k.sizes[b.cur]):
        ways = o.attacks[slot]
        while ways:
            direction = bits_first(ways)
            ways &= ways - 1
            worth = heat[k.near[pos_of(k, b)[b.cur * k.ships + slot]][direction]]
            consider(plan, worth if worth else IDLE, k.first[ATTACK] + slot * NINE + direction, rng)


cdef inline void plan_moves(const Params *k, const Board *b, const Options *o, const int32_t *best, int32_t goal,
                            Plan *plan, uint64_t *rng) noexcept nogil:
    """Consider moves of combat ships by the best shot they lead to, and by the distance to the best of all panels."""
    cdef int32_t slot, code, q, i
    cdef uint32_t moves
    cdef const Command *c
    for slot in range(k.sizes[b.cur]):
        i = b.cur * k.ships + slot
        moves = o.moves[slot]
        while moves and cls_of(k, b)[i] != OILER:
            code = k.first[MOVE] + slot * 4 * k.reach + bits_first(moves)
            moves &= moves - 1
            c = &k.commands[code]
            q = pos_of(k, b)[i] + k.step[c.at] * c.steps
            consider(plan, best[q] * LATER // 12 - distance(k, q, goal), code, rng)


cdef inline void plan_others(const Params *k, const Board *b, const Options *o, const int32_t *heat,
                             const int32_t *best, Plan *plan, uint64_t *rng) noexcept nogil:
    """Consider torpedoes at the panel with the most expected hits, and reinforcements."""
    cdef int32_t slot, q, target = 0
    cdef cells_t landings
    for q in range(1, k.panels):
        if heat[q] > heat[target]:
            target = q
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
    cdef int32_t heat[MAX_PANELS]
    cdef int32_t best[MAX_PANELS]
    cdef int32_t hottest = find_heat(k, memory, b.cur, heat), goal
    cdef Plan plan
    plan.worth = 2 * IDLE
    plan.count = 0
    plan.code = -1
    plan_attacks(k, b, o, heat, &plan, rng)
    if plan.worth < hottest * TORPEDO_HIT // 12 or o.num_reinforcements:     # otherwise nothing is better
        goal = find_best(k, heat, best)
        plan_moves(k, b, o, best, goal, &plan, rng)
        plan_others(k, b, o, heat, best, &plan, rng)
    return plan.code

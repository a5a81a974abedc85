# cython: language_level=3, cdivision=True
"""Battleship: random positions that a player cannot distinguish from the true one. [section 9.4]

The player's own values and the public ones stay as they are. Ships of the others are placed on panels of their
candidate sets: an assignment is always found, because the true one exists. Then terrain is drawn that explains the
positions; if there is none, everything is drawn again, at most TRIES times.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset
from masume.battleship.events cimport records_of
from masume.battleship.fuel cimport is_fuel_out
from masume.battleship.judging cimport defeat_of, has_able_ship
from masume.battleship.knowledge cimport *
from masume.battleship.state cimport *
from masume.core._game cimport masume_below

cdef enum:
    MAX_SHELLS = 200               # shots of a player that are paid for one by one
    TRIES = 40                     # draws of classes and of flights before the last resort; draws of fleets


cdef inline int32_t draw_cell(cells_t cells, uint64_t *rng) noexcept nogil:
    """Draw a panel uniformly; the set must not be empty."""
    return cells_select(cells, <int32_t>masume_below(rng, cells_count(cells)))


cdef inline int32_t draw_slot(uint32_t slots, uint64_t *rng) noexcept nogil:
    """Draw a slot uniformly; -1 if there is none."""
    return bits_select(slots, <int32_t>masume_below(rng, bits_count(slots))) if slots else -1


# -- before play ---------------------------------------------------------------------------------------

cdef inline void redraw_setup(const Params *k, Board *b, int32_t player, uint64_t *rng) noexcept nogil:
    """Draw the setup decisions of the other players anew; their number and kinds stay the same."""
    cdef int32_t q, slot, i, picked, placed
    cdef bint has_combat
    cdef cells_t free
    for q in range(b.cur + 1):
        if q == player:
            continue
        # how many decisions q has made
        picked = b.setup_i if q == b.cur and b.setup_kind == PICKING else k.sizes[q]
        placed = k.sizes[q] if q < b.cur else b.setup_i if b.setup_kind == PLACING else 0
        # classes: the last ship is no oiler if all before it are
        has_combat = False
        for slot in range(picked if not k.is_fixed else 0):
            i = q * k.ships + slot
            cls_of(k, b)[i] = <int8_t>masume_below(
                rng, NUM_CLASSES if has_combat or slot + 1 < k.sizes[q] else OILER)
            has_combat = has_combat or cls_of(k, b)[i] != OILER
        # panels: one for each ship, none of them a reef
        free = k.all_panels & ~land_of(k, b, REEF)
        for slot in range(placed):
            i = q * k.ships + slot
            pos_of(k, b)[i] = <int8_t>draw_cell(free, rng)
            free ^= cells_one(pos_of(k, b)[i])
        if sets_of(k, b, q).flagship:
            sets_of(k, b, q).flagship = <uint16_t>(1 << masume_below(rng, k.sizes[q]))


# -- in play -------------------------------------------------------------------------------------------

cdef inline bint find_panel(const cells_t *choices, int8_t *at, uint32_t placed, int32_t slot, cells_t *visited,
                            uint64_t *rng) noexcept nogil:
    """Place the ship on a panel of its choices; if none is free, move ships placed before. False if impossible."""
    cdef cells_t taken = 0, free, rest
    cdef int32_t other, q
    # the simple case: a panel is free
    for other in range(MAX_SHIPS):
        if placed >> other & 1:
            taken |= cells_one(at[other])
    free = choices[slot] & ~taken
    if free:
        at[slot] = <int8_t>draw_cell(free, rng)
        return True
    # else take the panel of another ship, if that one finds a new panel (an augmenting path)
    while True:                                    # ends: `visited` grows
        rest = choices[slot] & ~visited[0]
        if rest == 0:
            return False
        q = draw_cell(rest, rng)
        visited[0] |= cells_one(q)
        other = 0
        while not (placed >> other & 1 and at[other] == q):
            other += 1
        if find_panel(choices, at, placed, other, visited, rng):
            at[slot] = <int8_t>q
            return True


cdef inline bint place_fleet(const Params *k, Board *b, const Memory *memory, int32_t player, int32_t q,
                             uint64_t *rng) noexcept nogil:
    """Place the living ships of q, those with the fewest choices first; False if impossible."""
    cdef cells_t choices[MAX_SHIPS]
    cdef cells_t visited
    cdef int8_t *at = pos_of(k, b) + q * k.ships
    cdef int32_t slot, best, count, least
    cdef uint32_t waiting = memory.alive[q], placed = 0
    for slot in range(k.sizes[q]):
        choices[slot] = cells_load(suspects_of(k, memory, player, q * k.ships + slot))
    while waiting:
        # the ship with the fewest choices
        best = -1
        least = MAX_PANELS + 1
        for slot in range(k.sizes[q]):
            if waiting >> slot & 1:
                count = cells_count(choices[slot])
                if count < least:
                    least = count
                    best = slot
        visited = 0
        if not find_panel(choices, at, placed, best, &visited, rng):
            return False
        waiting ^= <uint32_t>1 << best
        placed |= <uint32_t>1 << best
    return True


cdef inline void draw_classes(const Params *k, Board *b, const Memory *memory, int32_t q, uint64_t *rng) noexcept nogil:
    """Draw the classes that are not public, with a living combat ship and ships for q's mines and torpedoes."""
    cdef const Notice *notice = notices_of(k, memory) + q * k.ships
    cdef int8_t *cls = cls_of(k, b) + q * k.ships
    cdef int32_t slot
    cdef uint32_t open = 0, lays = 0, fires = 0, fights = 0, alive = memory.alive[q]
    # draw each class that is not public, and note what the fleet can do then
    for slot in range(k.sizes[q]):
        if notice[slot].named >= 0:
            cls[slot] = notice[slot].named
        else:
            open |= <uint32_t>1 << slot
            cls[slot] = <int8_t>masume_below(rng, NUM_CLASSES)
        lays |= <uint32_t>(cls[slot] == DESTROYER) << slot
        fires |= <uint32_t>(cls[slot] == DESTROYER or cls[slot] == SUBMARINE) << slot
        fights |= <uint32_t>(cls[slot] != OILER) << slot
    # change one ship if nobody could have laid the mines, fired the torpedoes, or fought on
    if open and memory.laid[q] > 0 and not lays:
        slot = draw_slot(open, rng)
        cls[slot] = DESTROYER
        fires |= <uint32_t>1 << slot
        fights |= <uint32_t>1 << slot
    if open and torp_next_of(k, b)[q] > 0 and not fires:
        slot = draw_slot(open, rng)
        cls[slot] = <int8_t>(DESTROYER + masume_below(rng, 2))
        fights |= <uint32_t>1 << slot
    if open and not fights & alive:
        slot = draw_slot(open & alive if open & alive else open if not fights else 0, rng)
        if slot >= 0:
            cls[slot] = <int8_t>masume_below(rng, OILER)


cdef inline void draw_damage(const Params *k, Board *b, const Memory *memory, int32_t q, uint64_t *rng) noexcept nogil:
    """Draw HP: known damage is subtracted; each other hit goes to a random ship that survives it."""
    cdef const Notice *notice = notices_of(k, memory) + q * k.ships
    cdef int8_t *hp = hp_of(k, b) + q * k.ships
    cdef int32_t slot, _n
    cdef uint32_t open = 0
    for slot in range(k.sizes[q]):
        if memory.alive[q] >> slot & 1:
            hp[slot] = <int8_t>max(1, k.hp[cls_of(k, b)[q * k.ships + slot]] - notice[slot].damage)
            open |= <uint32_t>(hp[slot] > 1) << slot
    for _n in range(memory.hits[q]):
        slot = draw_slot(open, rng)
        if slot < 0:
            return
        hp[slot] -= 1
        if hp[slot] == 1:
            open ^= <uint32_t>1 << slot


cdef inline void draw_fuel(const Params *k, Board *b, const Memory *memory, int32_t q, uint64_t *rng) noexcept nogil:
    """Draw FP: visible moves are paid for, shots by random ships; a ship is out of fuel only if it was announced."""
    cdef const Notice *notice = notices_of(k, memory) + q * k.ships
    cdef const int8_t *cls = cls_of(k, b) + q * k.ships
    cdef int16_t *fp = fp_of(k, b) + q * k.ships
    cdef int32_t slot, _n, least
    for slot in range(k.sizes[q]):
        fp[slot] = <int16_t>max(0, k.max_fp[cls[slot]] - notice[slot].spent)
    for _n in range(min(memory.shells[q], MAX_SHELLS)):
        slot = <int32_t>masume_below(rng, k.sizes[q])
        if fp[slot] >= k.attack_cost[cls[slot]] + k.least[cls[slot]]:
            fp[slot] -= <int16_t>k.attack_cost[cls[slot]]
    for slot in range(k.sizes[q]):
        least = k.least[cls[slot]]
        if not memory.alive[q] >> slot & 1:
            continue
        if not notice[slot].fuelout:
            fp[slot] = <int16_t>min(k.max_fp[cls[slot]], max(fp[slot], least))
        elif fp[slot] >= least:
            fp[slot] = <int16_t>(least - 1)


cdef inline void draw_uses(const Params *k, Board *b, const Memory *memory, int32_t q, uint64_t *rng) noexcept nogil:
    """Draw Aux: Destroyers have laid the mines; Destroyers and Submarines have fired the torpedoes."""
    cdef const int8_t *cls = cls_of(k, b) + q * k.ships
    cdef int8_t *aux = aux_of(k, b) + q * k.ships
    cdef int32_t slot, n
    cdef uint32_t lays, fires
    for slot in range(k.sizes[q]):
        aux[slot] = <int8_t>k.aux[cls[slot]]
    for n in range(memory.laid[q] + torp_next_of(k, b)[q]):
        lays = fires = 0
        for slot in range(k.sizes[q]):
            if aux[slot] > 0:
                lays |= <uint32_t>(cls[slot] == DESTROYER) << slot
                fires |= <uint32_t>(cls[slot] == DESTROYER or cls[slot] == SUBMARINE) << slot
        slot = draw_slot(lays if n < memory.laid[q] else fires, rng)
        if slot >= 0:
            aux[slot] -= 1


cdef inline void draw_flagship(const Params *k, Board *b, int32_t q, uint64_t *rng) noexcept nogil:
    """Draw the flagship: a living ship, or a sunk one if the player is not qualified."""
    cdef int32_t slot
    cdef uint32_t alive = 0, sunk = 0
    for slot in range(k.sizes[q]):
        if hp_of(k, b)[q * k.ships + slot] > 0:
            alive |= <uint32_t>1 << slot
        else:
            sunk |= <uint32_t>1 << slot
    slot = draw_slot(alive if b.qual >> q & 1 or not sunk else sunk, rng)
    sets_of(k, b, q).flagship = <uint16_t>(1 << slot)


cdef inline bint is_fit(const Params *k, Board *b, int32_t q) noexcept nogil:
    """Return whether the fleet agrees with the player's `qual` and `active`."""
    find_sets(k, b, q, sets_of(k, b, q))
    if b.qual >> q & 1:
        return defeat_of(k, b, q) < 0
    return not b.active >> q & 1 or has_able_ship(k, b, q)


cdef inline void make_fit(const Params *k, Board *b, const Memory *memory, int32_t q, uint64_t *rng) noexcept nogil:
    """Repair a fleet as a last resort: fill all fuel, and give a ship of unknown class a class that can act."""
    cdef int32_t slot, i, cls
    cdef uint32_t open = 0, classes = 0, fights = 0
    for slot in range(k.sizes[q]):
        i = q * k.ships + slot
        fights |= <uint32_t>(cls_of(k, b)[i] != OILER) << slot
        if hp_of(k, b)[i] > 0:
            fp_of(k, b)[i] = <int16_t>k.max_fp[cls_of(k, b)[i]]
            open |= <uint32_t>(notices_of(k, memory)[i].named < 0) << slot
    if is_fit(k, b, q):
        return
    slot = draw_slot(open, rng)                    # exists, with a fitting class: the true fleet is fit
    for cls in range(NUM_CLASSES):
        if (cls != OILER or fights & ~(<uint32_t>1 << slot)) and not is_fuel_out(k, cls, k.max_fp[cls]):
            classes |= <uint32_t>1 << cls
    if b.qual >> q & 1:
        classes = (1 << OILER) - 1
    i = q * k.ships + slot
    cls = draw_slot(classes, rng)
    cls_of(k, b)[i] = <int8_t>cls
    hp_of(k, b)[i] = <int8_t>min(hp_of(k, b)[i], k.hp[cls])
    fp_of(k, b)[i] = <int16_t>k.max_fp[cls]


cdef inline bint redraw_terrain(const Params *k, Board *b, const Memory *memory, int32_t player,
                                uint64_t *rng) noexcept nogil:
    """Draw the terrain that the player does not know, by the weights, except what the ships there exclude.

    Return False if some ship was stopped by a reef and no panel ahead of it can be one.
    """
    cdef cells_t known = known_of(k, b, player), ships = 0, dived = 0, up = 0, sea = 0, reefs
    cdef int32_t weights[NUM_TERRAINS]
    cdef int32_t q, slot, i, t, r, total
    # what the ships of the others exclude: reefs below ships and wrecks, shallows below a dived submarine, fog above
    # one at the surface, and all terrain below a ship that has not moved
    for q in range(k.players):
        for slot in range(k.sizes[q]):
            i = q * k.ships + slot
            if q == player:
                continue
            if hp_of(k, b)[i] == 0:
                if notices_of(k, memory)[i].wreck >= 0:
                    ships |= cells_one(notices_of(k, memory)[i].wreck)
                continue
            ships |= cells_one(pos_of(k, b)[i])
            if notices_of(k, memory)[i].way == UNMOVED:
                sea |= cells_one(pos_of(k, b)[i])
            if k.has_stealth and cls_of(k, b)[i] == SUBMARINE:
                if notices_of(k, memory)[i].depth < 0:
                    up |= cells_one(pos_of(k, b)[i])
                else:
                    dived |= cells_one(pos_of(k, b)[i])
    # forget unknown terrain, and draw each panel by the weights of what it may be
    for t in range(NUM_TERRAINS - 1):
        panels_store(land_at(k, b, t + 1), land_of(k, b, t + 1) & known, k.words)
    for q in range(k.panels):
        if cells_has(known | sea, q):
            continue
        memcpy(weights, k.weights, sizeof(weights))
        if cells_has(ships, q):
            weights[REEF] = 0
        if cells_has(dived, q):
            weights[SHALLOWS] = 0
        if cells_has(up, q):
            weights[FOG] = 0
        total = 0
        for t in range(NUM_TERRAINS):
            total += weights[t]
        r = <int32_t>masume_below(rng, total)
        t = SEA
        while r >= weights[t]:
            r -= weights[t]
            t += 1
        if t != SEA:
            add_panel(land_at(k, b, t), q)
    # a ship that was stopped has a reef ahead: make one where the draw gave none
    for q in range(k.players):
        for slot in range(k.sizes[q]):
            i = q * k.ships + slot
            if q == player or hp_of(k, b)[i] == 0 or notices_of(k, memory)[i].way <= FREE:
                continue
            reefs = cells_beside(k, pos_of(k, b)[i], notices_of(k, memory)[i].way)
            if reefs & land_of(k, b, REEF):
                continue
            reefs &= ~(known | ships)
            if reefs == 0:
                return False
            reefs = cells_one(draw_cell(reefs, rng))
            for t in range(NUM_TERRAINS - 1):
                panels_store(land_at(k, b, t + 1), land_of(k, b, t + 1) & ~reefs, k.words)
            panels_store(land_at(k, b, REEF), land_of(k, b, REEF) | reefs, k.words)
    return True


cdef inline cells_t cells_beside(const Params *k, int32_t q, int32_t way) noexcept nogil:
    """Return the panels where the reef may be that stopped a ship on panel q."""
    cdef cells_t found = 0
    cdef int32_t direction
    for direction in range(4):
        if (way == STOPPED + direction or way == STOPPED_UNSEEN) and k.near[q][2 * direction] != NO_PANEL:
            found |= cells_one(k.near[q][2 * direction])
    return found


cdef inline void settle_fleet(const Params *k, Board *b, const Memory *memory, int32_t q, uint64_t *rng) noexcept nogil:
    """Set the flags that follow from notices and terrain, the panels of wrecks, and the terrain that q knows."""
    cdef const Notice *notice = notices_of(k, memory) + q * k.ships
    cdef cells_t known = cells_load(memory.shot[q]), open = k.all_panels & ~land_of(k, b, REEF)
    cdef Sets *s = sets_of(k, b, q)
    cdef int32_t slot, i
    s.stealth = s.surf = s.fuelout = 0
    for slot in range(k.sizes[q]):
        i = q * k.ships + slot
        if hp_of(k, b)[i] == 0:
            pos_of(k, b)[i] = notice[slot].wreck
            if notice[slot].wreck < 0 or not cells_has(open, notice[slot].wreck):
                pos_of(k, b)[i] = <int8_t>draw_cell(open, rng)
            known |= cells_one(pos_of(k, b)[i])
        else:
            known |= cells_one(pos_of(k, b)[i])
            if k.has_stealth and cls_of(k, b)[i] == SUBMARINE:
                if notice[slot].depth >= 0:
                    s.stealth |= <uint16_t>(1 << slot)
                elif not is_land(k, b, SHALLOWS, pos_of(k, b)[i]):
                    s.surf |= <uint16_t>(1 << slot)
            elif is_land(k, b, FOG, pos_of(k, b)[i]):
                s.stealth |= <uint16_t>(1 << slot)
            if notice[slot].fuelout and is_fuel_out(k, cls_of(k, b)[i], fp_of(k, b)[i]):
                s.fuelout |= <uint16_t>(1 << slot)
    panels_store(known_at(k, b, q), k.all_panels if k.is_known else known, k.words)


cdef inline void redraw_counts(const Params *k, Board *b, const Memory *memory, int32_t player,
                               uint64_t *rng) noexcept nogil:
    """Draw the owners of mines whose damage the player cannot attribute, and set the number of passes in a row."""
    cdef uint32_t layers = layers_but(k, memory, player)
    cdef int32_t p, q, _n, count = 0
    cdef bint flies = False
    memcpy(dealt_of(k, b), memory.dealt[player], k.players * sizeof(int16_t))
    memcpy(kills_of(k, b), memory.kills[player], k.players * sizeof(int16_t))
    for p in range(k.players):
        count += b.active >> p & 1
        flies = flies or torp_n_of(k, b)[p] > 0
        for _n in range(memory.stray[player][p]):
            q = draw_slot(layers & k.enemies[p], rng)
            if q >= 0:
                dealt_of(k, b)[q] += 1
        for _n in range(memory.stray_kills[player][p]):
            q = draw_slot(layers & k.enemies[p], rng)
            if q >= 0:
                kills_of(k, b)[q] += 1
    b.pass_run = <int16_t>min(memory.passes[player], MAX_COUNT if flies else count - 1)


cdef inline void redraw_mines(const Params *k, Board *b, const Memory *memory, int32_t player,
                              uint64_t *rng) noexcept nogil:
    """Draw the mines of the others, in the same number, near their Destroyers and off panels the player knows clear."""
    cdef int32_t left[MAX_PLAYERS]
    cdef int32_t q, n, _n, p, slot, total = 0
    cdef uint32_t layers
    cdef cells_t open = k.all_panels & ~cells_load(memory.clear[player]), near
    # take the mines of the others away; each has as many left to lay as it has laid
    for q in range(k.players):
        left[q] = 0
        if q != player:
            left[q] = memory.laid[q]
            for n in range(k.panels):
                total += mines_of(k, b, q)[n]
                mines_of(k, b, q)[n] = 0
    if open == 0:
        open = k.all_panels
    for _n in range(total):
        # whose mine it is: the rest of them has exploded
        layers = 0
        for q in range(k.players):
            layers |= <uint32_t>(left[q] > 0) << q
        p = draw_slot(layers if layers else k.everybody & ~(<uint32_t>1 << player), rng)
        left[p] -= 1
        # where it is: next to a Destroyer if that can be
        near = 0
        for slot in range(k.sizes[p]):
            q = p * k.ships + slot
            if hp_of(k, b)[q] > 0 and cls_of(k, b)[q] == DESTROYER:
                near |= k.nearby[pos_of(k, b)[q]] | cells_one(pos_of(k, b)[q])
        q = draw_cell(near & open if near & open else open, rng)
        mines_of(k, b, p)[q] += 1


cdef inline void redraw_torpedoes(const Params *k, Board *b, int32_t q, uint64_t *rng) noexcept nogil:
    """Draw the torpedoes of q, in the same number, anywhere on their way."""
    cdef int32_t n, far, target, pos, right, down, tries, count = torp_n_of(k, b)[q]
    for n in range(count):
        far = k.torpedoes - (count - n)            # the greatest distance left at this age
        tries = TRIES
        while True:
            target = <int32_t>masume_below(rng, k.panels)
            pos = <int32_t>masume_below(rng, k.panels)
            if tries == 0:                         # the last resort: one step before the target
                pos = target + 1 if k.column[target] == 0 else target - 1
            right = k.column[target] - k.column[pos]
            down = k.row[target] - k.row[pos]
            right = (right if right >= 0 else -right) + (down if down >= 0 else -down)
            if 1 <= right <= far:
                break
            tries -= 1
        torp_pos_of(k, b, q)[n] = <int8_t>pos
        torp_tgt_of(k, b, q)[n] = <int8_t>target
        torp_id_of(k, b, q)[n] = <uint8_t>(torp_next_of(k, b)[q] - count + n)


cdef inline int32_t redraw_play(const Params *k, Board *b, const Memory *memory, int32_t player,
                                uint64_t *rng) noexcept nogil:
    """Draw fleets, terrain, mines and torpedoes; -1 if no draw explained what the player has seen."""
    cdef int32_t q, _tries
    for _tries in range(TRIES):
        if not redraw_fleets(k, b, memory, player, rng):
            return -1
        if k.is_known or redraw_terrain(k, b, memory, player, rng):
            break
    else:
        return -1
    for q in range(k.players):
        if q != player:
            settle_fleet(k, b, memory, q, rng)
            redraw_torpedoes(k, b, q, rng)
    redraw_mines(k, b, memory, player, rng)
    redraw_counts(k, b, memory, player, rng)
    complete(k, b)
    return 0


cdef inline bint redraw_fleets(const Params *k, Board *b, const Memory *memory, int32_t player,
                               uint64_t *rng) noexcept nogil:
    """Draw the other fleets from their candidate sets; False if a fleet cannot be placed."""
    cdef int32_t q, _tries
    for q in range(k.players):
        if q == player:
            continue
        if not place_fleet(k, b, memory, player, q, rng):
            return False
        # everything else about the ships, until they can do what is known of the player
        for _tries in range(TRIES):
            draw_classes(k, b, memory, q, rng)
            draw_damage(k, b, memory, q, rng)
            draw_fuel(k, b, memory, q, rng)
            memset(sets_of(k, b, q), 0, sizeof(Sets))
            if k.has_flagship:
                draw_flagship(k, b, q, rng)
            if is_fit(k, b, q):
                break
        else:
            make_fit(k, b, memory, q, rng)
        draw_uses(k, b, memory, q, rng)
    return True


cdef inline void keep_views(const Params *k, Log *log, int32_t player) noexcept nogil:
    """Reduce the log of the last call to the player's view."""
    cdef const int16_t *r = records_of(log)
    cdef int16_t *kept = records_of(log)
    cdef int32_t _n, column, count = 0
    for _n in range(log.count):
        if (r[COL_FULL] | r[COL_PART]) >> player & 1:
            memmove(kept, r, COLUMNS * sizeof(int16_t))
            for column in range(COL_PLAYER, COL_E + 1):
                if not kept[COL_FULL] >> player & 1 and kept[COL_HIDE] >> (column - COL_PLAYER) & 1:
                    kept[column] = -1
            kept[COL_FULL] = <int16_t>(1 << player)
            kept[COL_PART] = kept[COL_HIDE] = 0
            kept += COLUMNS
            count += 1
        r += COLUMNS
    log.count = count


cdef inline void keep_memory(const Params *k, const Board *b, Memory *memory, int32_t player) noexcept nogil:
    """Reduce a memory to public knowledge and that of the player; the others keep nothing more."""
    cdef int32_t v, p, slot
    keep_views(k, log_of(k, memory), player)
    for v in range(k.players):
        if v == player:
            continue
        memset(memory.clear[v], 0, sizeof(memory.clear[v]))
        memory.passes[v] = b.pass_run
        memcpy(memory.dealt[v], dealt_of(k, b), k.players * sizeof(int16_t))
        memcpy(memory.kills[v], kills_of(k, b), k.players * sizeof(int16_t))
        memset(memory.stray[v], 0, sizeof(memory.stray[v]))
        memset(memory.stray_kills[v], 0, sizeof(memory.stray_kills[v]))
        if k.is_known:                             # the suspects of others follow from public events
            continue
        for p in range(k.players):
            for slot in range(k.sizes[p]):
                if p != v and memory.alive[p] >> slot & 1:
                    cells_store(suspects_of(k, memory, v, p * k.ships + slot), k.all_panels & ~known_reef(k, b, v))

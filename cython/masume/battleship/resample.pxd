# cython: language_level=3, cdivision=True
"""Battleship: positions that a player cannot tell from the true one, drawn from what it has seen. [section 9.4]

What is the player's own or public stays as it is. Ships of the others are placed on panels where they are suspected:
an assignment is always found, as the truth is one. Terrain is drawn that explains why they are there; where there is
none, all is drawn again, TRIES times at most.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset
from masume.battleship.events cimport records_of
from masume.battleship.flagship cimport flagship_of
from masume.battleship.fuel cimport is_fuel_out
from masume.battleship.judging cimport defeat_of, has_able_ship
from masume.battleship.knowledge cimport *
from masume.battleship.state cimport *
from masume.core._game cimport masume_below

cdef enum:
    MAX_SHELLS = 200               # of a player that are paid one by one
    TRIES = 40                     # of classes and flights before the last resort; of fleets


cdef inline int32_t draw_cell(cells_t cells, uint64_t *rng) noexcept nogil:
    """One of the panels, each as likely; there must be one."""
    return cells_select(cells, <int32_t>masume_below(rng, cells_count(cells)))


cdef inline int32_t draw_slot(uint32_t slots, uint64_t *rng) noexcept nogil:
    """One of the slots, each as likely, or -1 if there is none."""
    return bits_select(slots, <int32_t>masume_below(rng, bits_count(slots))) if slots else -1


# -- before play ---------------------------------------------------------------------------------------

cdef inline void redraw_setup(const Params *k, Board *b, int32_t player, uint64_t *rng) noexcept nogil:
    """Other decisions of as many kinds for the others."""
    cdef int32_t q, slot, i, picked, placed
    cdef bint has_combat
    cdef cells_t free
    for q in range(b.cur + 1):
        if q == player:
            continue
        picked = b.setup_i if q == b.cur and b.setup_kind == PICKING else k.sizes[q]
        placed = k.sizes[q] if q < b.cur else b.setup_i if b.setup_kind == PLACING else 0
        has_combat = False
        for slot in range(picked if not k.is_fixed else 0):
            i = q * k.ships + slot
            cls_of(k, b)[i] = <int8_t>masume_below(
                rng, NUM_CLASSES if has_combat or slot + 1 < k.sizes[q] else OILER)
            has_combat = has_combat or cls_of(k, b)[i] != OILER
        free = k.all_panels & ~cells_load(b.land[REEF - 1])
        for slot in range(placed):
            i = q * k.ships + slot
            pos_of(k, b)[i] = <int8_t>draw_cell(free, rng)
            free ^= cells_one(pos_of(k, b)[i])
        slot = flagship_of(k, b, q)
        if slot >= 0:
            flags_of(k, b)[q * k.ships + slot] = 0
            flags_of(k, b)[q * k.ships + masume_below(rng, k.sizes[q])] = FLAGSHIP


# -- in play -------------------------------------------------------------------------------------------

cdef inline bint find_panel(const cells_t *choices, int8_t *at, uint32_t placed, int32_t slot, cells_t *visited,
                            uint64_t *rng) noexcept nogil:
    """Give the ship a panel of its choices, moving others that are placed if there is no free one."""
    cdef cells_t taken = 0, free, rest
    cdef int32_t other, q
    for other in range(MAX_SHIPS):
        if placed >> other & 1:
            taken |= cells_one(at[other])
    free = choices[slot] & ~taken
    if free:
        at[slot] = <int8_t>draw_cell(free, rng)
        return True
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
    """Panels for the alive ships of q, the most certain first; False if there are none."""
    cdef cells_t choices[MAX_SHIPS]
    cdef cells_t visited
    cdef int8_t *at = pos_of(k, b) + q * k.ships
    cdef int32_t slot, best, count, least
    cdef uint32_t waiting = memory.alive[q], placed = 0
    for slot in range(k.sizes[q]):
        choices[slot] = cells_load(suspects_of(k, memory, player, q * k.ships + slot))
    while waiting:
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
    """Classes that nobody was told: any, but a combat ship, and one that lays mines or fires torpedoes if q has."""
    cdef const Notice *notice = notices_of(k, memory) + q * k.ships
    cdef int8_t *cls = cls_of(k, b) + q * k.ships
    cdef int32_t slot
    cdef uint32_t open = 0, lays = 0, fires = 0, fights = 0, alive = memory.alive[q]
    for slot in range(k.sizes[q]):
        if notice[slot].named >= 0:
            cls[slot] = notice[slot].named
        else:
            open |= <uint32_t>1 << slot
            cls[slot] = <int8_t>masume_below(rng, NUM_CLASSES)
        lays |= <uint32_t>(cls[slot] == DESTROYER) << slot
        fires |= <uint32_t>(cls[slot] == DESTROYER or cls[slot] == SUBMARINE) << slot
        fights |= <uint32_t>(cls[slot] != OILER) << slot
    if open and memory.laid[q] > 0 and not lays:
        slot = draw_slot(open, rng)
        cls[slot] = DESTROYER
        fires |= <uint32_t>1 << slot
        fights |= <uint32_t>1 << slot
    if open and b.torp_next[q] > 0 and not fires:
        slot = draw_slot(open, rng)
        cls[slot] = <int8_t>(DESTROYER + masume_below(rng, 2))
        fights |= <uint32_t>1 << slot
    if open and not fights & alive:
        slot = draw_slot(open & alive if open & alive else open if not fights else 0, rng)
        if slot >= 0:
            cls[slot] = <int8_t>masume_below(rng, OILER)


cdef inline void draw_damage(const Params *k, Board *b, const Memory *memory, int32_t q, uint64_t *rng) noexcept nogil:
    """HP: what was told is lost, and the other hits are anybody's who can take one."""
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
    """FP: what visible moves took is gone, shells were anybody's who could pay; nobody is out of fuel unannounced."""
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
    """Aux: mines were laid by Destroyers, torpedoes fired by these and Submarines."""
    cdef const int8_t *cls = cls_of(k, b) + q * k.ships
    cdef int8_t *aux = aux_of(k, b) + q * k.ships
    cdef int32_t slot, n
    cdef uint32_t lays, fires
    for slot in range(k.sizes[q]):
        aux[slot] = <int8_t>k.aux[cls[slot]]
    for n in range(memory.laid[q] + b.torp_next[q]):
        lays = fires = 0
        for slot in range(k.sizes[q]):
            if aux[slot] > 0:
                lays |= <uint32_t>(cls[slot] == DESTROYER) << slot
                fires |= <uint32_t>(cls[slot] == DESTROYER or cls[slot] == SUBMARINE) << slot
        slot = draw_slot(lays if n < memory.laid[q] else fires, rng)
        if slot >= 0:
            aux[slot] -= 1


cdef inline void draw_flagship(const Params *k, Board *b, int32_t q, uint64_t *rng) noexcept nogil:
    """Any alive ship, or any sunk one of a player who is not qualified."""
    cdef int32_t slot
    cdef uint32_t alive = 0, sunk = 0
    for slot in range(k.sizes[q]):
        if hp_of(k, b)[q * k.ships + slot] > 0:
            alive |= <uint32_t>1 << slot
        else:
            sunk |= <uint32_t>1 << slot
    slot = draw_slot(alive if b.qual[q] or not sunk else sunk, rng)
    flags_of(k, b)[q * k.ships + slot] |= FLAGSHIP


cdef inline bint is_fit(const Params *k, const Board *b, int32_t q) noexcept nogil:
    """Whether the fleet is one of a player so qualified and active."""
    if b.qual[q]:
        return defeat_of(k, b, q) < 0
    return not b.active[q] or has_able_ship(k, b, q)


cdef inline void make_fit(const Params *k, Board *b, const Memory *memory, int32_t q, uint64_t *rng) noexcept nogil:
    """The last resort: all alive ships have all their fuel, and one of a class nobody was told can do with it."""
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
    slot = draw_slot(open, rng)                    # there is one, and a class for it, as the truth is fit
    for cls in range(NUM_CLASSES):
        if (cls != OILER or fights & ~(<uint32_t>1 << slot)) and not is_fuel_out(k, cls, k.max_fp[cls]):
            classes |= <uint32_t>1 << cls
    if b.qual[q]:
        classes = (1 << OILER) - 1
    i = q * k.ships + slot
    cls = draw_slot(classes, rng)
    cls_of(k, b)[i] = <int8_t>cls
    hp_of(k, b)[i] = <int8_t>min(hp_of(k, b)[i], k.hp[cls])
    fp_of(k, b)[i] = <int16_t>k.max_fp[cls]


cdef inline bint redraw_terrain(const Params *k, Board *b, const Memory *memory, int32_t player,
                                uint64_t *rng) noexcept nogil:
    """Terrain that the player does not know: by the weights, but what the ships there show it is not.

    False if no reef can have stopped a ship that was stopped.
    """
    cdef cells_t known = cells_load(b.known[player]), ships = 0, dived = 0, up = 0, sea = 0, reefs
    cdef int32_t weights[NUM_TERRAINS]
    cdef int32_t q, slot, i, t, r, total
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
    for t in range(NUM_TERRAINS - 1):
        cells_store(b.land[t], cells_load(b.land[t]) & known)
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
            b.land[t - 1][q >> 6] |= <uint64_t>1 << (q & 63)
    for q in range(k.players):
        for slot in range(k.sizes[q]):
            i = q * k.ships + slot
            if q == player or hp_of(k, b)[i] == 0 or notices_of(k, memory)[i].way <= FREE:
                continue
            reefs = cells_beside(k, pos_of(k, b)[i], notices_of(k, memory)[i].way)
            if reefs & cells_load(b.land[REEF - 1]):
                continue
            reefs &= ~(known | ships)
            if reefs == 0:
                return False
            reefs = cells_one(draw_cell(reefs, rng))
            for t in range(NUM_TERRAINS - 1):
                cells_store(b.land[t], cells_load(b.land[t]) & ~reefs)
            cells_store(b.land[REEF - 1], cells_load(b.land[REEF - 1]) | reefs)
    return True


cdef inline cells_t cells_beside(const Params *k, int32_t q, int32_t way) noexcept nogil:
    """The panels of the reef that stopped a ship there."""
    cdef cells_t found = 0
    cdef int32_t direction
    for direction in range(4):
        if (way == STOPPED + direction or way == STOPPED_UNSEEN) and k.near[q][2 * direction] != NO_PANEL:
            found |= cells_one(k.near[q][2 * direction])
    return found


cdef inline void settle_fleet(const Params *k, Board *b, const Memory *memory, int32_t q, uint64_t *rng) noexcept nogil:
    """Flags that follow from notices and terrain, wrecks, and what q knows of the terrain."""
    cdef const Notice *notice = notices_of(k, memory) + q * k.ships
    cdef cells_t known = cells_load(memory.shot[q]), open = k.all_panels & ~cells_load(b.land[REEF - 1])
    cdef int32_t slot, i
    cdef uint8_t flags
    for slot in range(k.sizes[q]):
        i = q * k.ships + slot
        flags = flags_of(k, b)[i] & FLAGSHIP
        if hp_of(k, b)[i] == 0:
            pos_of(k, b)[i] = notice[slot].wreck
            if notice[slot].wreck < 0 or not cells_has(open, notice[slot].wreck):
                pos_of(k, b)[i] = <int8_t>draw_cell(open, rng)
            known |= cells_one(pos_of(k, b)[i])
        else:
            known |= cells_one(pos_of(k, b)[i])
            if k.has_stealth and cls_of(k, b)[i] == SUBMARINE:
                if notice[slot].depth >= 0:
                    flags |= STEALTH
                elif not is_land(b, SHALLOWS, pos_of(k, b)[i]):
                    flags |= SURF
            elif is_land(b, FOG, pos_of(k, b)[i]):
                flags |= STEALTH
            if notice[slot].fuelout and is_fuel_out(k, cls_of(k, b)[i], fp_of(k, b)[i]):
                flags |= FUELOUT
        flags_of(k, b)[i] = flags
    cells_store(b.known[q], k.all_panels if k.is_known else known)


cdef inline void redraw_counts(const Params *k, Board *b, const Memory *memory, int32_t player,
                               uint64_t *rng) noexcept nogil:
    """What counts for whom where the player cannot tell whose mines it was, and passes that no refuelling has cut."""
    cdef uint32_t layers = layers_but(k, memory, player)
    cdef int32_t p, q, _n, count = 0
    cdef bint flies = False
    memcpy(b.dealt, memory.dealt[player], sizeof(b.dealt))
    memcpy(b.kills, memory.kills[player], sizeof(b.kills))
    for p in range(k.players):
        count += b.active[p]
        flies = flies or b.torp_n[p] > 0
        for _n in range(memory.stray[player][p]):
            q = draw_slot(layers & k.enemies[p], rng)
            if q >= 0:
                b.dealt[q] += 1
        for _n in range(memory.stray_kills[player][p]):
            q = draw_slot(layers & k.enemies[p], rng)
            if q >= 0:
                b.kills[q] += 1
    b.pass_run = <int16_t>min(memory.passes[player], MAX_COUNT if flies else count - 1)


cdef inline void redraw_mines(const Params *k, Board *b, const Memory *memory, int32_t player,
                              uint64_t *rng) noexcept nogil:
    """As many mines of the others as there are, near a Destroyer of the layer, where the player has not been since."""
    cdef int32_t left[MAX_PLAYERS]
    cdef int32_t q, n, _n, p, slot, total = 0
    cdef uint32_t layers
    cdef cells_t open = k.all_panels & ~cells_load(memory.clear[player]), near
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
        layers = 0
        for q in range(k.players):
            layers |= <uint32_t>(left[q] > 0) << q
        p = draw_slot(layers if layers else k.everybody & ~(<uint32_t>1 << player), rng)
        left[p] -= 1
        near = 0
        for slot in range(k.sizes[p]):
            q = p * k.ships + slot
            if hp_of(k, b)[q] > 0 and cls_of(k, b)[q] == DESTROYER:
                near |= k.nearby[pos_of(k, b)[q]] | cells_one(pos_of(k, b)[q])
        q = draw_cell(near & open if near & open else open, rng)
        mines_of(k, b, p)[q] += 1


cdef inline void redraw_torpedoes(const Params *k, Board *b, int32_t q, uint64_t *rng) noexcept nogil:
    """As many torpedoes as are in flight, anywhere on their way."""
    cdef int32_t n, far, target, pos, right, down, tries, count = b.torp_n[q]
    for n in range(count):
        far = k.torpedoes - (count - n)            # the most that one of this age can still have to go
        tries = TRIES
        while True:
            target = <int32_t>masume_below(rng, k.panels)
            pos = <int32_t>masume_below(rng, k.panels)
            if tries == 0:
                pos = target + 1 if k.column[target] == 0 else target - 1
            right = k.column[target] - k.column[pos]
            down = k.row[target] - k.row[pos]
            right = (right if right >= 0 else -right) + (down if down >= 0 else -down)
            if 1 <= right <= far:
                break
            tries -= 1
        torp_pos_of(k, b, q)[n] = <int8_t>pos
        torp_tgt_of(k, b, q)[n] = <int8_t>target
        torp_id_of(k, b, q)[n] = <int16_t>(b.torp_next[q] - count + n)


cdef inline int32_t redraw_play(const Params *k, Board *b, const Memory *memory, int32_t player,
                                uint64_t *rng) noexcept nogil:
    """Other fleets, terrain, mines and torpedoes; -1 if none was found that explains what the player has seen."""
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
    return 0


cdef inline bint redraw_fleets(const Params *k, Board *b, const Memory *memory, int32_t player,
                               uint64_t *rng) noexcept nogil:
    """Other fleets where they are suspected; False if they can be nowhere."""
    cdef int32_t q, _tries
    for q in range(k.players):
        if q == player:
            continue
        if not place_fleet(k, b, memory, player, q, rng):
            return False
        for _tries in range(TRIES):
            draw_classes(k, b, memory, q, rng)
            draw_damage(k, b, memory, q, rng)
            draw_fuel(k, b, memory, q, rng)
            memset(flags_of(k, b) + q * k.ships, 0, k.ships)
            if k.has_flagship:
                draw_flagship(k, b, q, rng)
            if is_fit(k, b, q):
                break
        else:
            make_fit(k, b, memory, q, rng)
        draw_uses(k, b, memory, q, rng)
    return True


cdef inline void keep_views(const Params *k, Log *log, int32_t player) noexcept nogil:
    """Of the last call only what the player was told."""
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
    """What all know, and what the player does; the others know nothing more."""
    cdef int32_t v, p, slot
    keep_views(k, log_of(k, memory), player)
    for v in range(k.players):
        if v == player:
            continue
        memset(memory.clear[v], 0, sizeof(memory.clear[v]))
        memory.passes[v] = b.pass_run
        memcpy(memory.dealt[v], b.dealt, sizeof(b.dealt))
        memcpy(memory.kills[v], b.kills, sizeof(b.kills))
        memset(memory.stray[v], 0, sizeof(memory.stray[v]))
        memset(memory.stray_kills[v], 0, sizeof(memory.stray_kills[v]))
        if k.is_known:                             # what others suspect follows from what all have been told
            continue
        for p in range(k.players):
            for slot in range(k.sizes[p]):
                if p != v and memory.alive[p] >> slot & 1:
                    cells_store(suspects_of(k, memory, v, p * k.ships + slot), k.all_panels & ~known_reef(b, v))

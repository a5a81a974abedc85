# cython: language_level=3, cdivision=True
"""Battleship: fleets, turn order and terrain before play [section 4]."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.battleship.events cimport tell
from masume.battleship.state cimport *
from masume.battleship.turn cimport advance
from masume.core._game cimport masume_below


cdef inline int32_t first_setup(const Params *k) noexcept nogil:
    """Return the kind of a player's first setup decision."""
    return FLAGGING if k.is_fixed and k.has_flagship else PLACING if k.is_fixed else PICKING


cdef inline cells_t free_starts(const Params *k, const Board *b) noexcept nogil:
    """Return the panels where the player may place its next ship. [BS-39, BS-40, BS-41, BS-193]"""
    cdef cells_t found = k.all_panels & ~land_of(k, b, REEF)        # reefs before play are known terrain
    cdef int32_t slot
    for slot in range(b.setup_i):
        found &= ~k.only[pos_of(k, b)[b.cur * k.ships + slot]]
    return found


cdef inline bint is_legal_setup(const Params *k, const Board *b, const Command *c) noexcept nogil:
    """Return whether the setup decision is legal. [section 4.4, BS-82, BS-85]"""
    cdef int32_t p = b.cur, slot
    if b.setup_kind == PICKING:
        if c.kind != PICK or c.at != OILER or b.setup_i + 1 < k.sizes[p]:
            return c.kind == PICK
        for slot in range(b.setup_i):                                        # BS-86
            if cls_of(k, b)[p * k.ships + slot] != OILER:
                return True
        return False
    if b.setup_kind == FLAGGING:
        return c.kind == FLAG and c.slot < k.sizes[p]
    return c.kind == PLACE and cells_has(free_starts(k, b), c.at)


cdef inline void set_up(const Params *k, Board *b, Told *log, const Command *c) noexcept nogil:
    """Play a legal setup decision. [section 4.4, BS-38, BS-81]"""
    cdef int32_t p = b.cur
    b.setup_i += 1
    if c.kind == PLACE:
        pos_of(k, b)[p * k.ships + b.setup_i - 1] = <int8_t>c.at
        if b.setup_i == k.sizes[p]:
            if p + 1 == k.players:
                start_play(k, b, log)
                return
            b.cur += 1
            b.setup_kind = <int8_t>first_setup(k)
            b.setup_i = 0
        return
    if c.kind == PICK:
        cls_of(k, b)[p * k.ships + b.setup_i - 1] = <int8_t>c.at
        if b.setup_i < k.sizes[p]:
            return
    else:
        sets_of(k, b, p).flagship = <uint16_t>(1 << c.slot)
    b.setup_kind = FLAGGING if c.kind == PICK and k.has_flagship else PLACING
    b.setup_i = 0


cdef inline void shuffle(uint64_t *rng, int8_t *values, int32_t count) noexcept nogil:
    """Shuffle the values in place. [section 4.3]"""
    cdef int32_t i, j
    cdef int8_t value
    for i in range(count - 1, 0, -1):
        j = <int32_t>masume_below(rng, i + 1)
        value = values[i]
        values[i] = values[j]
        values[j] = value


cdef inline void draw_order(const Params *k, Board *b) noexcept nogil:
    """Draw the turn order. [section 4.3, BS-44, BS-46, BS-R9]"""
    cdef int8_t members[2][MAX_PLAYERS]
    cdef int32_t counts[2]
    cdef int32_t taken[2]
    cdef int32_t p, side, n
    if k.has_order:
        memcpy(b.order, k.order, sizeof(b.order))
        return
    if not k.is_team_match:
        for p in range(k.players):
            b.order[p] = <int8_t>p
        shuffle(&b.rng, b.order, k.players)
        return
    memset(counts, 0, sizeof(counts))
    memset(taken, 0, sizeof(taken))
    for p in range(k.players):
        side = k.side[p]
        members[side][counts[side]] = <int8_t>p
        counts[side] += 1
    for side in range(2):
        shuffle(&b.rng, members[side], counts[side])
    side = <int32_t>masume_below(&b.rng, 2) if counts[0] == counts[1] else counts[1] > counts[0]
    for n in range(k.players):
        if taken[side] == counts[side]:
            side = 1 - side
        b.order[n] = members[side][taken[side]]
        taken[side] += 1
        side = 1 - side


cdef inline void draw_terrain(const Params *k, Board *b, cells_t starts) noexcept nogil:
    """Draw the terrain of all panels except the starts. [section 4.5, BS-186, BS-189, BS-R11]"""
    cdef uint32_t land[NUM_TERRAINS * PANEL_WORDS]   # sea too: a panel is written whatever it is
    cdef int32_t q, t, terrain, r
    memset(land, 0, sizeof(land))
    for q in range(k.panels):
        if cells_has(starts, q):
            continue
        r = <int32_t>masume_below(&b.rng, k.total_weight)
        terrain = SEA
        for t in range(NUM_TERRAINS - 1):
            terrain += r >= k.bounds[t]
        add_panel(land + terrain * k.words, q)
    memcpy(land_at(k, b, REEF), land + k.words, (NUM_TERRAINS - 1) * k.words * sizeof(uint32_t))


cdef inline void make_terrain(const Params *k, Board *b) noexcept nogil:
    """Set the terrain, and each player's knowledge of it, after all ships are placed. [section 4.5]"""
    cdef cells_t starts = 0
    cdef int32_t p, t
    for p in range(k.players):
        starts |= fleet_panels(k, b, p)
        panels_store(known_at(k, b, p), k.all_panels if k.is_known else fleet_panels(k, b, p), k.words)
    if k.is_generated:
        draw_terrain(k, b, starts)
    elif not k.is_shown:
        for t in range(NUM_TERRAINS - 1):
            panels_store(land_at(k, b, t + 1), cells_load(k.land[t]) & ~starts, k.words)


cdef inline void start_play(const Params *k, Board *b, Told *log) noexcept nogil:
    """Begin play after the last placement. [section 4.4]"""
    cdef int32_t p, slot, i, cls
    for p in range(k.players):
        for slot in range(k.sizes[p]):
            i = p * k.ships + slot
            cls = cls_of(k, b)[i]
            hp_of(k, b)[i] = <int8_t>k.hp[cls]
            aux_of(k, b)[i] = <int8_t>k.aux[cls]
            fp_of(k, b)[i] = <int16_t>k.max_fp[cls]
    draw_order(k, b)
    make_terrain(k, b)
    for p in range(k.players):
        for slot in range(k.sizes[p]):
            i = p * k.ships + slot
            tell(b, log, EV_SETUP, 1 << p, 0, 0, p, slot, cls_of(k, b)[i], pos_of(k, b)[i],
                 sets_of(k, b, p).flagship >> slot & 1)
    tell(b, log, EV_START, k.everybody, 0, 0, -1, -1, -1, -1, b.order[0], b.order[1],
         b.order[2] if k.players > 2 else -1, b.order[3] if k.players > 3 else -1)
    b.phase = PLAY
    for p in range(k.players):
        find_sets(k, b, p, sets_of(k, b, p))                                    # the mined panels have not changed
        sets_of(k, b, p).stealth = sets_of(k, b, p).divers
    b.setup_kind = 0
    b.setup_i = 0
    b.round = 1
    advance(k, b, log)

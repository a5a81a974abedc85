# cython: language_level=3, cdivision=True
"""Battleship: the players' knowledge, derived from the events of each call and from nothing else.

A Notice holds the public knowledge of a ship. The suspects are, per viewer and ship of another player, the panels
where the ship may be: the candidate sets of section 9.4, which always contain the true panel. Each event narrows them.
Terrain that a viewer learns in a call counts for all events of the call.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.battleship.events cimport records_of
from masume.battleship.reinforcement cimport reinforce_cost
from masume.battleship.state cimport *

cdef enum:
    MAX_SPENT = 30000

cdef enum:                         # knowledge about the last move of a ship
    UNMOVED = -1                   # it has not moved since the start
    FREE
    STOPPED                        # by a reef, going N, E, S, W; it has not moved since
    STOPPED_UNSEEN = 5             # the same, in an unseen direction

cdef struct Notice:
    int8_t named                   # its class if public, else -1
    int8_t depth                   # 1 after DIVED, -1 after SURFACED, else 0
    uint8_t fuelout                # 1 after FUEL_OUT
    uint8_t damage                 # HP it is known to have lost
    int16_t spent                  # FP of its visible moves, at most MAX_SPENT
    int8_t wreck                   # panel where it sank if public, else -1
    int8_t way                     # UNMOVED, FREE, STOPPED + direction or STOPPED_UNSEEN

cdef struct Memory:                # the notices, the suspects and the log follow
    uint64_t swept[2]              # panels swept of mines since the last one was laid
    uint64_t shot[MAX_PLAYERS][2]  # panels that each player has attacked
    uint64_t clear[MAX_PLAYERS][2]      # panels that each player knows to be free of others' mines
    int32_t shells[MAX_PLAYERS]    # shots fired by guns
    int32_t passes[MAX_PLAYERS]    # passes in a row, as each player sees them
    int16_t laid[MAX_PLAYERS]      # mines laid
    int16_t dealt[MAX_PLAYERS][MAX_PLAYERS]      # per viewer: damage that certainly counts for a player
    int16_t kills[MAX_PLAYERS][MAX_PLAYERS]
    int16_t stray[MAX_PLAYERS][MAX_PLAYERS]      # per viewer: HP that a player lost to mines of unknown owners
    int16_t stray_kills[MAX_PLAYERS][MAX_PLAYERS]
    int16_t hits[MAX_PLAYERS]      # hits on unnamed ships of the player
    int8_t last_attack[MAX_PLAYERS]     # panel of the player's last attack, -1 before the first
    uint8_t is_hit[MAX_PLAYERS]    # whether that attack hit
    uint16_t alive[MAX_PLAYERS]    # slots of living ships as bits

ctypedef fused Cells:              # a set of panels: of a map of up to 64, or of any map
    cells64_t
    cells_t

cdef struct Shot:                  # an ATTACK and its results
    int32_t panel
    int32_t attacker
    bint is_gun
    bint is_miss
    bint is_swept
    uint32_t hits                  # bits of players
    int32_t named[MAX_PLAYERS]     # the slot that was hit if public, else -1
    uint32_t sunk[MAX_PLAYERS]     # bits of slots
    uint32_t splashed[MAX_PLAYERS]


cdef inline Notice *notices_of(const Params *k, const void *memory) noexcept nogil:
    return <Notice *>(<uint8_t *>memory + k.at_notices)


cdef inline uint64_t *suspects_of(const Params *k, const void *memory, int32_t viewer, int32_t i) noexcept nogil:
    """Return two words: the panels where ship i may be for the viewer; 0 if it is sunk or the viewer's own."""
    return <uint64_t *>(<uint8_t *>memory + k.at_suspects) + 2 * (viewer * k.fleet + i)


cdef inline void put_panels(uint64_t *words, Cells cells) noexcept nogil:
    """Write a set of panels; the second word is 0 on a map of up to 64."""
    if Cells is cells64_t:
        words[0] = cells
    else:
        cells_store(words, cells)


cdef inline void mark(uint64_t *words, int32_t q) noexcept nogil:
    """Add a panel to a set of two words."""
    words[q >> 6] |= <uint64_t>1 << (q & 63)


cdef inline Log *log_of(const Params *k, const void *memory) noexcept nogil:
    return <Log *>(<uint8_t *>memory + k.at_log)


cdef inline Log *begin_log(const Params *k, void *memory) noexcept nogil:
    """Empty the log for the events of a call and return it."""
    log_of(k, memory).count = 0
    return log_of(k, memory)


cdef inline size_t used_of(const Params *k, const void *memory) noexcept nogil:
    """Return the size of a memory up to its last record, in bytes; the bytes after it need not be copied."""
    return k.at_log + sizeof(Log) + log_of(k, memory).count * COLUMNS * sizeof(int16_t)


cdef inline void begin(const Params *k, const Board *b, Memory *memory) noexcept nogil:
    """Begin a memory: the players know only their own ships and public values."""
    cdef Notice *notice = notices_of(k, memory)
    cdef int32_t p, q, slot, i, v
    memset(memory, 0, k.at_log + sizeof(Log))
    for p in range(k.players):
        memory.last_attack[p] = -1
        memory.passes[p] = b.pass_run
        memcpy(memory.dealt[p], dealt_of(k, b), k.players * sizeof(int16_t))
        memcpy(memory.kills[p], kills_of(k, b), k.players * sizeof(int16_t))
        for q in range(k.panels):
            memory.laid[p] += mines_of(k, b, p)[q]
        for slot in range(k.ships):
            i = p * k.ships + slot
            notice[i].named = k.classes[i] if k.is_fixed else -1
            notice[i].wreck = -1
            if b.phase == SETUP or slot >= k.sizes[p] or hp_of(k, b)[i] == 0:
                continue
            memory.alive[p] |= <uint16_t>(1 << slot)
            for v in range(k.players):
                if v != p:
                    cells_store(suspects_of(k, memory, v, i), k.all_panels & ~known_reef(k, b, v))


# -- candidate sets [section 9.4] ----------------------------------------------------------------------

cdef inline Cells shift(const Params *k, Cells cells, int32_t direction) noexcept nogil:
    """Shift panels by one step in one of the 4 directions; panels that leave the map are dropped."""
    if direction == 0:
        return cells >> k.width
    if direction == 1:
        return (cells & <Cells>~k.last_column) << 1
    if direction == 2:
        return cells << k.width & <Cells>k.all_panels
    return (cells & <Cells>~k.first_column) >> 1


cdef inline cells_t may_be(const Params *k, const Board *b, int32_t viewer, int32_t terrain) noexcept nogil:
    """Return the panels that may have this terrain (not SEA) as far as the viewer knows."""
    return k.all_panels & (land_of(k, b, terrain) | ~known_of(k, b, viewer))


cdef inline Cells beside_reef(const Params *k, Cells reefs, int32_t way) noexcept nogil:
    """Return the panels on which one of these reefs may have stopped a ship in this way."""
    cdef Cells found = 0
    cdef int32_t direction
    for direction in range(4):
        if way == STOPPED + direction or way == STOPPED_UNSEEN:
            found |= shift(k, reefs, (direction + 2) & 3)
    return found


cdef inline void find_sure(const Params *k, const Memory *memory, int32_t viewer, int32_t p, int32_t slot,
                           Cells *found) noexcept nogil:
    """Write the panels that the viewer knows to hold the ships of p other than `slot`."""
    cdef Cells cells
    cdef int32_t other
    found[0] = 0
    for other in range(k.sizes[p]):
        cells = <Cells>cells_load(suspects_of(k, memory, viewer, p * k.ships + other))
        found[0] |= cells & -<Cells>(other != slot and is_one(cells))


cdef inline Cells after_visible_move(const Params *k, const Board *b, int32_t viewer, Cells cells, Cells barred,
                                     int32_t direction, int32_t steps, int32_t stop) noexcept nogil:
    """Return the panels where a ship from one of `cells` may be after a visible move; `barred` holds its own ships."""
    cdef Cells reefs = <Cells>known_reef(k, b, viewer), waves = <Cells>may_be(k, b, viewer, WAVE), found = 0
    cdef Cells stops = shift(k, <Cells>may_be(k, b, viewer, REEF), (direction + 2) & 3), ahead = <Cells>k.all_panels
    cdef int32_t j, _j, back = (direction + 2) & 3
    for _j in range(steps):                        # the commanded destination was on the map
        ahead = shift(k, ahead, back)
    cells &= ahead
    if barred:
        for j in range(1, steps + 1):
            barred = shift(k, barred, back)
            if not k.jumps or j == steps:
                cells &= ~barred
    for j in range(steps + 1):
        if j > 0:
            cells = shift(k, cells, direction)
            if not k.jumps or j == steps:
                cells &= ~reefs
        if stop == STOP_REEF:
            if j < steps:
                found |= cells & stops
        elif stop == STOP_WAVE:
            if 0 < j < steps:
                found |= cells & waves
        elif j == steps or (j > 0 and stop == STOP_SUNK and not k.jumps):
            found |= cells
    return found


cdef inline Cells after_hidden_move(const Params *k, const Board *b, int32_t viewer, Cells cells, Cells barred,
                                    int32_t stop) noexcept nogil:
    """Return the panels where a ship from one of `cells` may be after a hidden move."""
    cdef Cells bars = <Cells>known_reef(k, b, viewer) | barred, reefs = <Cells>may_be(k, b, viewer, REEF)
    cdef Cells found = 0, ahead, last
    cdef int32_t direction, _j
    for direction in range(4):
        ahead = cells
        last = <Cells>k.all_panels
        if stop == STOP_REEF:
            last = shift(k, reefs, (direction + 2) & 3)
            found |= cells & last
        for _j in range(k.reach):
            ahead = shift(k, ahead, direction)
            if not k.jumps:
                ahead &= ~bars
            found |= ahead & ~bars & last
    return found


cdef inline bint is_one(Cells cells) noexcept nogil:
    """Return whether this is a single panel, or none."""
    return cells & (cells - 1) == 0


cdef inline void single_out(const Params *k, Memory *memory, int32_t viewer, int32_t p,
                            Cells all_panels) noexcept nogil:
    """Remove the certain panel of each ship from the candidate sets of the other ships of p.

    Needed after a panel has become certain, or a set has grown: callers skip it otherwise.
    """
    cdef uint64_t *own = suspects_of(k, memory, viewer, p * k.ships)
    cdef Cells left = all_panels, found = 0, cells
    cdef int32_t slot, size = k.sizes[p]
    for slot in range(size):
        cells = <Cells>cells_load(own + 2 * slot)
        found |= cells & -<Cells>is_one(cells)
    while found:                                   # ends: `left` shrinks
        left &= ~found
        found = 0
        for slot in range(size):
            cells = <Cells>cells_load(own + 2 * slot)
            if cells & ~left and not is_one(cells):
                cells &= left
                put_panels(own + 2 * slot, cells)
                found |= cells & -<Cells>is_one(cells)


cdef inline bint narrow(const Params *k, Memory *memory, int32_t viewer, int32_t p, Cells where) noexcept nogil:
    """Use that a living ship of p is on one of these panels: if only one ship can be, restrict it to them.

    Return whether the panel of that ship has become certain.
    """
    cdef uint64_t *own = suspects_of(k, memory, viewer, p * k.ships)
    cdef uint32_t here = 0
    cdef int32_t slot
    cdef Cells cells, fewer
    for slot in range(k.sizes[p]):                 # sunk ships have no panels
        here |= <uint32_t>(<Cells>cells_load(own + 2 * slot) & where != 0) << slot
    if here == 0 or here & (here - 1):
        return False
    own += 2 * bits_first(here)
    cells = <Cells>cells_load(own)
    fewer = cells & where
    put_panels(own, fewer)
    return is_one(fewer) & (fewer != cells)


cdef inline void resolve_shot(const Params *k, const Board *b, Memory *memory, int32_t viewer, int32_t p,
                              const Shot *shot, Cells at) noexcept nogil:
    """Narrow the candidate sets of p's ships by an attack on the panel `at`."""
    cdef const Notice *notice = notices_of(k, memory) + p * k.ships
    cdef uint64_t *first = suspects_of(k, memory, viewer, p * k.ships)
    cdef uint64_t *own
    cdef Cells near = <Cells>k.nearby[shot.panel], sides = near, kept = ~<Cells>0, known, fog, cells, before
    cdef uint32_t alive = memory.alive[p]
    cdef int32_t slot, named = shot.named[p]
    cdef bint found = False
    if shot.attacker == p:
        if k.attacks_own:
            sides |= at
        if shot.is_gun and narrow(k, memory, viewer, p, sides):
            single_out(k, memory, viewer, p, <Cells>k.all_panels)
        return
    if not k.enemies[p] >> shot.attacker & 1:
        return
    known = <Cells>known_of(k, b, viewer)
    fog = <Cells>land_of(k, b, FOG)
    if named >= 0 or not shot.hits >> p & 1:
        kept = ~at
    while alive:
        slot = bits_first(alive)
        alive &= alive - 1
        own = first + 2 * slot
        before = <Cells>cells_load(own)
        cells = at if slot == named else before & kept
        if shot.is_miss or k.splash_on_hit:
            if shot.splashed[p] >> slot & 1:
                cells &= near
                if notice[slot].named != k.diver:
                    cells &= ~(known & fog)
            elif not shot.sunk[p] >> slot & 1 and notice[slot].named >= 0:
                if notice[slot].named != k.diver:
                    cells &= ~(near & known & ~fog)
                elif notice[slot].depth < 0:
                    cells &= ~near
        found |= (cells != before) & is_one(cells)
        put_panels(own, cells)
    if shot.hits >> p & 1 and named < 0:
        found |= narrow(k, memory, viewer, p, at)
    if found:
        single_out(k, memory, viewer, p, <Cells>k.all_panels)


# -- events --------------------------------------------------------------------------------------------

cdef inline void read_shot(const Params *k, const Board *b, Memory *memory, const int16_t *r, const int16_t *end,
                           Shot *shot, Cells all_panels) noexcept nogil:
    """Read the ATTACK in record r and its results, up to the record `end`; take in terrain and classes."""
    cdef int32_t p, kind
    cdef uint32_t kinds = 0
    shot.panel = r[COL_PANEL]
    shot.attacker = r[COL_PLAYER]
    shot.is_gun = r[COL_A] == 0
    shot.hits = 0
    memset(shot.named, -1, sizeof(shot.named))
    memset(shot.sunk, 0, sizeof(shot.sunk))
    memset(shot.splashed, 0, sizeof(shot.splashed))
    while r != end:
        r += COLUMNS
        p = r[COL_PLAYER]
        kind = r[COL_KIND]
        if kind == EV_HIT:
            shot.hits |= 1 << p
            if k.hit_reveals_class:
                shot.named[p] = r[COL_SLOT]
        elif kind == EV_SUNK and r[COL_A] == BY_ATTACK:
            shot.named[p] = r[COL_SLOT]
            shot.sunk[p] |= <uint32_t>1 << r[COL_SLOT]
        elif kind == EV_SPLASH:
            shot.splashed[p] |= <uint32_t>1 << r[COL_SLOT]
            notices_of(k, memory)[p * k.ships + r[COL_SLOT]].named = <int8_t>r[COL_CLS]
        elif kind == EV_TERRAIN:
            see_terrain(k, b, memory, r, all_panels)
        elif not (1 << EV_MISS | 1 << EV_MINE_SWEPT | 1 << EV_MINE_LOST) >> kind & 1:
            break
        kinds |= <uint32_t>1 << kind
    shot.is_miss = kinds >> EV_MISS & 1
    shot.is_swept = kinds >> EV_MINE_SWEPT & 1


cdef inline void see_attack(const Params *k, const Board *b, Memory *memory, const int16_t *r, const int16_t *end,
                            Cells all_panels) noexcept nogil:
    """Remember the ATTACK in record r, whose results follow it up to the record `end`."""
    cdef Shot shot
    cdef int32_t p, v
    read_shot(k, b, memory, r, end, &shot, all_panels)
    memory.last_attack[shot.attacker] = <int8_t>shot.panel
    memory.is_hit[shot.attacker] = shot.hits != 0
    mark(memory.shot[shot.attacker], shot.panel)
    memory.shells[shot.attacker] += shot.is_gun
    for p in range(k.players if shot.hits else 0):
        if shot.hits >> p & 1:
            for v in range(k.players):
                memory.dealt[v][shot.attacker] += 1
                memory.kills[v][shot.attacker] += shot.sunk[p] != 0
            if shot.named[p] >= 0:
                notices_of(k, memory)[p * k.ships + shot.named[p]].damage += 1
            else:
                memory.hits[p] += 1
    for p in range(k.players):
        if not shot.is_swept:
            mark(memory.clear[p], shot.panel)
        for v in range(k.players):
            if v != p:
                resolve_shot(k, b, memory, v, p, &shot, <Cells>k.only[shot.panel])


cdef inline void see_move(const Params *k, const Board *b, Memory *memory, const int16_t *r,
                          Cells all_panels) noexcept nogil:
    """Remember a MOVE as the others see it."""
    cdef int32_t p = r[COL_PLAYER], i = p * k.ships + r[COL_SLOT], v
    cdef uint64_t *own
    cdef bint hidden = r[COL_HIDE] & HIDE_A
    cdef Notice *notice = notices_of(k, memory) + i
    cdef Cells cells, barred, fog, known
    notice.named = <int8_t>r[COL_CLS]
    if not hidden:
        notice.spent = <int16_t>min(MAX_SPENT, notice.spent + k.move_fp[r[COL_CLS]][r[COL_B]])
    for v in range(k.players):
        if v != p:
            own = suspects_of(k, memory, v, i)
            cells = <Cells>cells_load(own)
            if notice.named != k.diver:            # only fog hides it
                fog = <Cells>land_of(k, b, FOG)
                known = <Cells>known_of(k, b, v)
                cells &= fog | ~known if hidden else ~(fog & known)
            find_sure(k, memory, v, p, r[COL_SLOT], &barred)
            if hidden:
                cells = after_hidden_move(k, b, v, cells, barred, r[COL_C])
            else:
                cells = after_visible_move(k, b, v, cells, barred, r[COL_A], r[COL_B], r[COL_C])
            put_panels(own, cells)
            single_out(k, memory, v, p, all_panels)
    notice.way = FREE
    if r[COL_C] == STOP_REEF:
        notice.way = <int8_t>(STOPPED_UNSEEN if hidden else STOPPED + r[COL_A])


cdef inline void see_terrain(const Params *k, const Board *b, Memory *memory, const int16_t *r,
                             Cells all_panels) noexcept nogil:
    """Narrow the learner's candidate sets by the terrain of a panel: no ship there, or no reef to stop a ship."""
    cdef const Notice *notice = notices_of(k, memory)
    cdef int32_t v = r[COL_PLAYER], terrain = r[COL_A], p, slot, i
    cdef bint tells = terrain != SEA, found
    cdef Cells at = <Cells>k.only[r[COL_PANEL]], reefs, cells, before
    cdef uint64_t *own
    for i in range(0 if tells else k.fleet):
        tells |= notice[i].way > FREE
    if not tells:
        return
    reefs = <Cells>may_be(k, b, v, REEF)
    for p in range(k.players):
        if p == v:
            continue
        found = False
        for slot in range(k.sizes[p]):
            i = p * k.ships + slot
            own = suspects_of(k, memory, v, i)
            before = cells = <Cells>cells_load(own)
            if terrain == REEF or (terrain != SEA and notice[i].way == UNMOVED):
                cells &= ~at
            elif notice[i].way > FREE:
                cells &= beside_reef(k, reefs, notice[i].way)
            found |= (cells != before) & is_one(cells)
            put_panels(own, cells)
        if found:
            single_out(k, memory, v, p, all_panels)


cdef inline uint32_t layers_but(const Params *k, const Memory *memory, int32_t viewer) noexcept nogil:
    """Return the players other than the viewer who have laid mines, as bits."""
    cdef int32_t p
    cdef uint32_t found = 0
    for p in range(k.players):
        found |= <uint32_t>(p != viewer and memory.laid[p] > 0) << p
    return found


cdef inline void credit(const Params *k, int16_t *sure, int16_t *stray, int32_t victim, uint32_t owners,
                        int32_t count) noexcept nogil:
    """Add to the count of the only possible owner, if it is an enemy of the victim; to `stray` if there are several."""
    if owners & (owners - 1):
        stray[victim] += <int16_t>count
    elif owners & k.enemies[victim]:
        sure[bits_first(owners)] += <int16_t>count


cdef inline void credit_contact(const Params *k, const Board *b, Memory *memory, const int16_t *r,
                                const int16_t *end) noexcept nogil:
    """Credit the damage of the MINE_HIT in record r, as far as each player knows the owners. [sections 7.2 and 8.4]"""
    cdef int32_t used[MAX_PLAYERS]
    cdef int32_t victim = r[COL_PLAYER], damage = r[COL_A], v, q, step, place = 0, last
    cdef uint32_t others
    cdef bint is_sunk
    memset(used, 0, sizeof(used))
    while r != end and r[COLUMNS + COL_KIND] == EV_MINE_LOST:
        r += COLUMNS
        used[r[COL_PLAYER]] = r[COL_A]
    is_sunk = r != end and r[COLUMNS + COL_KIND] == EV_SUNK and r[COLUMNS + COL_A] == BY_MINE
    while b.order[place] != victim:
        place += 1
    for v in range(k.players):
        others = layers_but(k, memory, v)
        credit(k, memory.dealt[v], memory.stray[v], victim, <uint32_t>1 << v, used[v])
        credit(k, memory.dealt[v], memory.stray[v], victim, others, damage - used[v])
        if is_sunk:
            last = victim                          # the last possible owner in the order of the owners
            for step in range(1, k.players + 1):
                q = b.order[(place + step) % k.players]
                if q == v or others >> q & 1:
                    last = q
            if used[v] == damage or (used[v] > 0 and last == v):
                others = <uint32_t>1 << v
            credit(k, memory.kills[v], memory.stray_kills[v], victim, others, 1)


cdef inline void see_loss(const Params *k, Memory *memory, int32_t p, int32_t slot) noexcept nogil:
    """Record the loss of a ship: its hits are known now, and its candidate sets become empty."""
    cdef Notice *notice = notices_of(k, memory) + p * k.ships + slot
    cdef int32_t v
    if notice.named >= 0:
        memory.hits[p] = <int16_t>max(0, memory.hits[p] - max(0, k.hp[notice.named] - notice.damage))
    notice.damage = 0
    notice.fuelout = 0
    memory.alive[p] &= <uint16_t>~(1 << slot)
    for v in range(k.players):
        cells_store(suspects_of(k, memory, v, p * k.ships + slot), 0)


cdef inline void see_reinforced(const Params *k, const Board *b, Memory *memory, int32_t p, int32_t slot,
                                Cells all_panels) noexcept nogil:
    """Record that a ship has come back, on any panel."""
    cdef Notice *notice = notices_of(k, memory) + p * k.ships + slot
    cdef int32_t v, left = max(0, k.max_fp[notice.named] - notice.spent)
    notice.damage = 0
    notice.fuelout = 0
    notice.depth = 0
    notice.way = FREE
    notice.spent += <int16_t>min(left, reinforce_cost(k, b, left))
    memory.alive[p] |= <uint16_t>(1 << slot)
    for v in range(k.players):
        if v != p:
            cells_store(suspects_of(k, memory, v, p * k.ships + slot), k.all_panels & ~known_reef(k, b, v))
            single_out(k, memory, v, p, all_panels)


cdef inline uint32_t quiet_kinds() noexcept nogil:
    """Return the kinds of events that do not change a memory, or only together with the event before, as bits."""
    return (1 << EV_TURN | 1 << EV_MISS | 1 << EV_MINE_LOST | 1 << EV_TORP_MOVE | 1 << EV_STEALTH | 1 << EV_STATUS
            | 1 << EV_DEFEATED | 1 << EV_GAME_OVER | 1 << EV_SETUP | 1 << EV_SPLASH)


cdef inline bint is_action(const int16_t *r) noexcept nogil:
    """Return whether the event is a player's action other than a pass."""
    cdef int32_t kind = r[COL_KIND]
    cdef uint32_t actions = (1 << EV_OUT | 1 << EV_MOVE | 1 << EV_MINE_LAID | 1 << EV_TORP_FIRED | 1 << EV_REINFORCED
                             | 1 << EV_FLAG_CHANGED | 1 << EV_ATTACK)
    if not actions >> kind & 1:
        return False
    return r[COL_A] == 0 if kind == EV_ATTACK else kind != EV_OUT or r[COL_A] != UNABLE


cdef inline void see_start(const Params *k, const Board *b, Memory *memory, Cells all_panels) noexcept nogil:
    """Record that all fleets are complete; effects of the same call on them follow in later records."""
    cdef int32_t p, slot, v
    for p in range(k.players):
        for slot in range(k.sizes[p]):
            memory.alive[p] |= <uint16_t>(1 << slot)
            notices_of(k, memory)[p * k.ships + slot].way = UNMOVED
            for v in range(k.players):
                if v != p:
                    cells_store(suspects_of(k, memory, v, p * k.ships + slot), k.all_panels & ~known_reef(k, b, v))
        for v in range(k.players):
            if v != p:
                single_out(k, memory, v, p, all_panels)


cdef inline void see(const Params *k, const Board *b, Memory *memory, Cells all_panels) noexcept nogil:
    """Take in the events of the last call; `all_panels` has the type of all sets."""
    cdef const int16_t *r = records_of(log_of(k, memory)) - COLUMNS
    cdef const int16_t *end = r + log_of(k, memory).count * COLUMNS      # the last record
    cdef int32_t kind, p, slot, v, j
    cdef Notice *notice
    while r != end:
        r += COLUMNS
        kind = r[COL_KIND]
        if quiet_kinds() >> kind & 1:
            continue
        p = r[COL_PLAYER]
        slot = r[COL_SLOT]
        notice = notices_of(k, memory) + p * k.ships + slot
        if is_action(r):
            memset(memory.passes, 0, sizeof(memory.passes))
        if kind == EV_START:
            see_start(k, b, memory, all_panels)
        elif kind == EV_ATTACK:
            see_attack(k, b, memory, r, end, all_panels)
        elif kind == EV_MOVE:
            if r[COL_FULL] == 0:
                see_move(k, b, memory, r, all_panels)
            elif r[COL_C] != STOP_SUNK and r[COL_C] != STOP_REEF:
                mark(memory.clear[p], r[COL_PANEL])
        elif kind == EV_HIT and k.hit_reveals_class:
            notice.named = <int8_t>r[COL_CLS]
        elif kind == EV_SUNK:
            notice.named = <int8_t>r[COL_CLS]
            notice.depth = 0
            notice.wreck = <int8_t>(r[COL_PANEL] if r[COL_A] == BY_ATTACK else -1)
            see_loss(k, memory, p, slot)
        elif kind == EV_PASS:
            for v in range(k.players):
                memory.passes[v] += 1
        elif kind == EV_REFUEL:
            memory.passes[p] = 0
        elif kind == EV_MINE_HIT:
            credit_contact(k, b, memory, r, end)
            notice.named = <int8_t>r[COL_CLS]
            notice.damage += <uint8_t>r[COL_A]
        elif kind == EV_MINE_LAID:
            memory.laid[p] += 1
            memset(memory.swept, 0, sizeof(memory.swept))
            for v in range(k.players):
                if v != p:
                    memset(memory.clear[v], 0, sizeof(memory.clear[v]))
        elif kind == EV_MINE_SWEPT:
            mark(memory.swept, r[COL_PANEL])
        elif kind == EV_SURFACED or kind == EV_DIVED:
            notice.named = <int8_t>r[COL_CLS]
            notice.depth = 1 if kind == EV_DIVED else -1
        elif kind == EV_FUEL_OUT:
            notice.named = <int8_t>r[COL_CLS]
            notice.fuelout = 1
        elif kind == EV_REINFORCED:
            notice.named = <int8_t>r[COL_CLS]
            see_reinforced(k, b, memory, p, slot, all_panels)
        elif kind == EV_OUT:
            for j in range(k.sizes[p]):
                see_loss(k, memory, p, j)
        elif kind == EV_TERRAIN:
            see_terrain(k, b, memory, r, all_panels)


cdef inline void hear(const Params *k, const Board *b, Memory *memory) noexcept nogil:
    """Take in the events of the last call."""
    if k.panels <= 64:
        see(k, b, memory, <cells64_t>k.all_panels)
    else:
        see(k, b, memory, k.all_panels)

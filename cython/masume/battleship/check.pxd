# cython: language_level=3, cdivision=True
"""Battleship: checks that bytes from outside are a position and a memory its players can have [section 3]."""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t
from masume.battleship.events cimport records_of
from masume.battleship.judging cimport defeat_of, has_able_ship, has_lost_ally, sides_of
from masume.battleship.knowledge cimport (
    MAX_SPENT, STOPPED_UNSEEN, UNMOVED, Memory, Notice, log_of, notices_of, suspects_of)
from masume.battleship.state cimport *
from masume.core._game cimport masume_game

cdef enum:
    MAX_ROUND = 1 << 30
    MAX_USES = 2 * MAX_SHIPS * 9       # mines and torpedoes of a fleet and its reinforcements


cdef inline bint is_zero(const uint8_t *first, int64_t count) noexcept nogil:
    cdef int64_t n
    for n in range(count):
        if first[n]:
            return False
    return True


cdef inline bint has_outside(const Params *k, const uint32_t *panels) noexcept nogil:
    """Return whether a set has panels outside the map."""
    return panels[k.words - 1] >> (k.panels - 1 & 31) >> 1 != 0


cdef inline const char *check_fixed(const Params *k, const Board *b) noexcept nogil:
    """Check the ranges of single values and of values per player."""
    cdef int32_t p
    cdef cells_t land = 0
    if not (SETUP <= b.phase <= OVER and 0 <= b.cur < k.players and -1 <= b.ptr < k.players):
        return "phase, cur, ptr: out of range"
    if not (0 <= b.round <= MAX_ROUND and 0 <= b.turns <= MAX_ROUND and 0 <= b.pass_run <= MAX_COUNT):
        return "round, turns, pass_run: out of range"
    if not PICKING <= b.setup_kind <= PLACING:
        return "setup_kind: out of range"
    if not (BY_NOTHING <= b.reason <= BY_MUTUAL and b.winners < 1 << k.num_sides):
        return "winners, reason: out of range"
    for p in range(NUM_TERRAINS - 1):
        if land_of(k, b, p + 1) & land or has_outside(k, land_at(k, b, p + 1)):
            return "terrain: two at once, or outside the map"
        land |= land_of(k, b, p + 1)
        if k.is_known and land_of(k, b, p + 1) != cells_load(k.land[p]):
            return "terrain: not the map that all know"
    if not (b.qual & ~b.active == 0 and b.active <= k.everybody):
        return "qual, active: qualified and not active, or no player"
    for p in range(MAX_PLAYERS):
        if p < k.players:
            if not (0 <= torp_next_of(k, b)[p] <= MAX_COUNT and 0 <= dealt_of(k, b)[p] <= MAX_COUNT
                    and 0 <= kills_of(k, b)[p] <= MAX_COUNT):
                return "torp_next, dealt, kills: out of range"
            if not (0 <= reinf_left_of(k, b)[p] <= k.reinforcements
                    and 0 <= flag_left_of(k, b)[p] <= k.flagship_changes):
                return "reinf_left, flag_left: out of range"
            if not 0 <= torp_n_of(k, b)[p] <= k.torpedoes:
                return "torp_n: out of range"
            if has_outside(k, known_at(k, b, p)):
                return "known: outside the map"
        elif b.order[p]:
            return "order: of a player there is not"
    return NULL


cdef inline const char *check_setup(const masume_game *g, const Params *k, const Board *b) noexcept nogil:
    """Check that a position before play follows from the start by setup decisions. [section 3.2]"""
    cdef int32_t p, slot, i, picked, placed, flags, combat
    cdef cells_t taken
    if b.round or b.turns or b.pass_run or b.winners or b.reason != BY_NOTHING or b.ptr != -1:
        return "round, turns, pass_run, ptr, winners, reason: not those of a setup"
    if (b.setup_kind == PICKING and k.is_fixed) or (b.setup_kind == FLAGGING and not k.has_flagship):
        return "setup_kind: nothing of that kind is decided"
    if not 0 <= b.setup_i < (1 if b.setup_kind == FLAGGING else k.sizes[b.cur]):
        return "setup_i: out of range"
    for p in range(k.players):
        if (b.order[p] != -1 or not b.qual >> p & 1 or torp_n_of(k, b)[p] or torp_next_of(k, b)[p] or dealt_of(k, b)[p]
                or kills_of(k, b)[p] or reinf_left_of(k, b)[p] != k.reinforcements
                or flag_left_of(k, b)[p] != k.flagship_changes):
            return "order, qual, active, reinf_left, flag_left, torp_n, torp_next, dealt, kills: not those of a setup"
        if known_of(k, b, p) != (k.all_panels if k.is_shown else 0):
            return "known: not that of a setup"
        picked = k.sizes[p] if p < b.cur or (p == b.cur and b.setup_kind != PICKING) else 0
        placed = k.sizes[p] if p < b.cur else 0
        if p == b.cur and b.setup_kind == PICKING:
            picked = b.setup_i
        if p == b.cur and b.setup_kind == PLACING:
            placed = b.setup_i
        flags = combat = 0
        taken = 0
        for slot in range(k.sizes[p]):
            i = p * k.ships + slot
            if hp_of(k, b)[i] or fp_of(k, b)[i] or aux_of(k, b)[i]:
                return "ship_hp, ship_fp, ship_aux: not 0 before play"
            if k.is_fixed:
                if cls_of(k, b)[i] != k.classes[i]:
                    return "ship_cls: not the fixed fleet"
            elif slot < picked:
                if not BATTLESHIP <= cls_of(k, b)[i] <= OILER:
                    return "ship_cls: out of range"
            elif cls_of(k, b)[i] != -1:
                return "ship_cls: of a ship not yet picked"
            combat += cls_of(k, b)[i] != OILER
            if flags_at(k, b, p, slot) & ~<uint32_t>FLAGSHIP:
                return "ship_flags: more than the flagship before play"
            flags += flags_at(k, b, p, slot) == FLAGSHIP
            if slot < placed:
                if not (0 <= pos_of(k, b)[i] < k.panels) or cells_has(taken, pos_of(k, b)[i]):
                    return "ship_pos: off the map, or two ships on a panel"
                if is_land(k, b, REEF, pos_of(k, b)[i]):
                    return "ship_pos: on a reef"
                taken |= cells_one(pos_of(k, b)[i])
            elif pos_of(k, b)[i] != -1:
                return "ship_pos: of a ship not yet placed"
        if combat == 0:
            return "ship_cls: Oilers alone"
        if flags != (k.has_flagship and (p < b.cur or (p == b.cur and b.setup_kind == PLACING))):
            return "ship_flags: a flagship that is missing, or one too many"
    if not k.is_shown and not is_zero(<const uint8_t *>b + sizeof(Board), k.at_known[0] - sizeof(Board)):
        return "terrain: not yet drawn"
    if not is_zero(<const uint8_t *>b + k.at_torp_id, k.used - k.at_torp_id):
        return "torpedoes, mines: before play"
    return NULL


cdef inline const char *check_torpedoes(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Check that the torpedoes can have been fired in successive turns and are still on their way. [section 12, T7]"""
    cdef const int8_t *pos = torp_pos_of(k, b, p)
    cdef const int8_t *target = torp_tgt_of(k, b, p)
    cdef const uint8_t *ids = torp_id_of(k, b, p)
    cdef int32_t n, right, down, flown, previous = -1, count = torp_n_of(k, b)[p]
    for n in range(k.torpedoes):
        if n >= count:
            if pos[n] or target[n] or ids[n]:
                return "torp_pos, torp_tgt, torp_id: of a torpedo there is not"
            continue
        if not (0 <= pos[n] < k.panels and 0 <= target[n] < k.panels
                and previous < torpedo_number(k, b, p, n) < torp_next_of(k, b)[p]):
            return "torp_pos, torp_tgt, torp_id: out of range"
        previous = torpedo_number(k, b, p, n)
        right = k.column[target[n]] - k.column[pos[n]]
        down = k.row[target[n]] - k.row[pos[n]]
        flown = count - n - (b.phase == OVER)     # least number of panels it has flown
        right = (right if right >= 0 else -right) + (down if down >= 0 else -down)
        if not 1 <= right <= k.torpedoes - flown:
            return "torp_pos, torp_tgt: at its target, or farther from it than it can be"
    return NULL


cdef inline const char *check_fleet(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Check the ships and mines of a player in play."""
    cdef int32_t slot, i, cls, q, flags = 0, combat = 0, uses = 9 * reinf_left_of(k, b)[p]
    cdef uint32_t bits
    cdef cells_t taken = 0
    for slot in range(k.sizes[p]):
        i = p * k.ships + slot
        cls = cls_of(k, b)[i]
        q = pos_of(k, b)[i]
        bits = flags_at(k, b, p, slot)
        if k.is_fixed and cls != k.classes[i]:
            return "ship_cls: not the fixed fleet"
        if not cells_has(known_of(k, b, p), q):
            return "known: not a panel where an own ship is, or has sunk"
        if not (0 <= hp_of(k, b)[i] <= k.hp[cls] and 0 <= fp_of(k, b)[i] <= k.max_fp[cls]
                and 0 <= aux_of(k, b)[i] <= k.aux[cls]):
            return "ship_hp, ship_fp, ship_aux: out of range"
        if bits & FUELOUT and not k.has_fuel:
            return "ship_flags: bits there are not"
        if bits & SURF and not (k.has_stealth and cls == SUBMARINE):
            return "ship_flags: surfaced, and no submarine"
        combat += cls != OILER
        flags += bits & FLAGSHIP != 0
        uses += aux_of(k, b)[i]
        if is_land(k, b, REEF, q):
            return "ship_pos: on a reef"
        if hp_of(k, b)[i] == 0:
            if bits & ~<uint32_t>FLAGSHIP:
                return "ship_flags: of a sunk ship"
            continue
        if not b.active >> p & 1:
            return "ship_hp: of a player who is out"
        if cells_has(taken, q):
            return "ship_pos: two ships on a panel"
        if (not (k.has_stealth and cls == SUBMARINE) and b.phase == PLAY
                and <bint>(bits & STEALTH) != is_land(k, b, FOG, q)):
            return "ship_flags: stealth without fog, or fog without it"
        taken |= cells_one(q)
    if combat == 0:
        return "ship_cls: Oilers alone"
    if flags != k.has_flagship:
        return "ship_flags: a flagship that is missing, or one too many"
    for q in range(k.panels):
        uses += mines_of(k, b, p)[q]
    if uses > MAX_USES:
        return "mines: more than can have been laid"
    return NULL


cdef inline const char *check_play(const Params *k, const Board *b) noexcept nogil:
    """Check a position in play or at the end."""
    cdef const char *fault
    cdef uint32_t seen = 0, sides = sides_of(k, b.qual)
    cdef int32_t p
    for p in range(k.players):
        if not 0 <= b.order[p] < k.players or (k.has_order and b.order[p] != k.order[p]):
            return "order: not the players in turn"
        seen |= 1 << b.order[p]
    if seen != k.everybody:
        return "order: not the players in turn"
    if b.ptr < 0 or b.round < 1 or b.turns < 1 or b.setup_kind or b.setup_i:
        return "ptr, round, turns, setup_kind, setup_i: not those of play"
    if (k.round_limit and b.round > k.round_limit) or (k.max_rounds and b.round > k.max_rounds):
        return "round: past the limit"
    if b.phase == PLAY:
        if b.order[b.ptr] != b.cur:
            return "cur, ptr: not the same player"
        if b.winners or b.reason != BY_NOTHING:
            return "winners, reason: before the end"
        if not b.active >> b.cur & 1 or sides & (sides - 1) == 0:
            return "qual, active: the game would be over"
    elif b.winners == 0 or b.reason == BY_NOTHING:
        return "winners, reason: none at the end"
    for p in range(k.players):
        if k.is_known and known_of(k, b, p) != k.all_panels:
            return "known: not all, though all is known"
        if torp_n_of(k, b)[p] and not b.active >> p & 1:
            return "torp_n: of a player who is out"
        fault = check_torpedoes(k, b, p)
        if fault == NULL:
            fault = check_fleet(k, b, p)
        if fault == NULL and b.phase == PLAY:
            if b.qual >> p & 1 and (defeat_of(k, b, p) >= 0 or (k.is_rescue and has_lost_ally(k, b, p))):
                fault = "qual: of a player who is defeated"
            elif (b.active & ~b.qual) >> p & 1 and not has_able_ship(k, b, p):
                fault = "active: of a player who can do nothing"
        if fault != NULL:
            return fault
    return NULL


cdef inline const char *check_ranges(const Params *k, const Board *b) noexcept nogil:
    """Check that ships in play have a class and are on the map, so that their sets can be found."""
    cdef int32_t p, slot, i
    for p in range(k.players):
        for slot in range(k.sizes[p] if b.phase != SETUP else 0):
            i = p * k.ships + slot
            if not BATTLESHIP <= cls_of(k, b)[i] <= OILER:
                return "ship_cls: out of range"
            if not 0 <= pos_of(k, b)[i] < k.panels:
                return "ship_pos: off the map"
    return NULL


cdef inline const char *check_sets(const Params *k, const Board *b) noexcept nogil:
    """Check the sets of slots and of mined panels: those that follow from arrays are what the arrays say."""
    cdef const Sets *s
    cdef Sets found
    cdef int32_t p
    for p in range(k.players):
        s = sets_of(k, b, p)
        if (s.stealth | s.surf | s.fuelout | s.flagship) & ~k.slots[p]:
            return "ship_flags: of a slot there is not"
        find_sets(k, b, p, &found)
        if (s.alive != found.alive or s.poor != found.poor or s.oilers != found.oilers or s.divers != found.divers
                or s.shallows != found.shallows or s.fog != found.fog or s.waves != found.waves):
            return "sets: not those of the ships"
    if has_outside(k, mined_at(k, b)) or panels_load(mined_at(k, b)) & k.all_panels != find_mined(k, b):
        return "mined: not the panels of the mines"
    return NULL


cdef inline const char *check_board(const masume_game *g, const Params *k, const Board *b) noexcept nogil:
    """Check the ranges and invariants of section 3; return the fault, or NULL."""
    cdef const char *fault = check_fixed(k, b)
    cdef int32_t p, slot, i
    if fault != NULL:
        return fault
    if not (b.padding == 0 and is_zero(<const uint8_t *>b + k.used, g.state_size - k.used)):
        return "padding: not zero"
    for p in range(k.players):
        for slot in range(k.sizes[p], k.ships):
            i = p * k.ships + slot
            if (cls_of(k, b)[i] != -1 or pos_of(k, b)[i] != -1 or hp_of(k, b)[i] or fp_of(k, b)[i] or aux_of(k, b)[i]):
                return "ship_cls, ship_pos: of a slot there is not"
    fault = check_ranges(k, b)
    if fault == NULL:
        fault = check_sets(k, b)
    if fault == NULL:
        fault = check_setup(g, k, b) if b.phase == SETUP else check_play(k, b)
    return fault


cdef inline const char *check_records(const Params *k, const Log *log) noexcept nogil:
    """Check the ranges of the events of the last call."""
    cdef const int16_t *r = records_of(log)
    cdef int32_t _n
    if not 0 <= log.count <= k.log_capacity:
        return "memory: more events than there can be"
    for _n in range(log.count):
        if not (0 <= r[COL_KIND] < NUM_EVENTS and -1 <= r[COL_CLS] <= OILER and -1 <= r[COL_PANEL] < k.panels
                and -1 <= r[COL_PLAYER] < k.players and -1 <= r[COL_SLOT] < k.ships and 0 <= r[COL_HIDE] < 512
                and 0 <= r[COL_FULL] <= <int32_t>k.everybody and 0 <= r[COL_PART] <= <int32_t>k.everybody
                and has_words(r)):
            return "memory: no event"
        r += COLUMNS
    return NULL


cdef inline bint has_words(const int16_t *r) noexcept nogil:
    """Return whether all columns that are printed as words have a value with a word."""
    cdef int32_t kind = r[COL_KIND]
    if kind == EV_SUNK:
        return -1 <= r[COL_A] <= BY_FUEL_OUT
    if kind == EV_MOVE:
        return -1 <= r[COL_C] <= STOP_SUNK
    if kind == EV_MINE_LOST:
        return -1 <= r[COL_B] <= 1
    if kind == EV_DEFEATED or kind == EV_OUT:
        return -1 <= r[COL_A] <= UNABLE
    return kind != EV_GAME_OVER or -1 <= r[COL_B] <= BY_MUTUAL


cdef inline bint is_tally(const int16_t *sure, const int16_t *stray) noexcept nogil:
    """Return whether no player's count can exceed the limit, whatever the owners of the strays."""
    cdef int32_t p, most = 0, strays = 0
    for p in range(MAX_PLAYERS):
        if sure[p] < 0 or stray[p] < 0:
            return False
        most = max(most, sure[p])
        strays += stray[p]
    return most + strays <= MAX_COUNT


cdef inline const char *check_memory(const Params *k, const Board *b, const Memory *memory) noexcept nogil:
    """Check that the players can have this memory in this position."""
    cdef const Notice *notice = notices_of(k, memory)
    cdef int32_t p, slot, i, v
    cdef bint alive
    cdef cells_t cells
    for p in range(MAX_PLAYERS):
        if not -1 <= memory.last_attack[p] < k.panels or memory.is_hit[p] > 1:
            return "memory: out of range"
        if (cells_load(memory.shot[p]) | cells_load(memory.clear[p]) | cells_load(memory.swept)) & ~k.all_panels:
            return "memory: outside the map"
        if memory.passes[p] < 0 or not (is_tally(memory.dealt[p], memory.stray[p])
                                        and is_tally(memory.kills[p], memory.stray_kills[p])):
            return "memory: a count out of range"
    for p in range(k.players):
        for slot in range(k.ships):
            i = p * k.ships + slot
            alive = b.phase != SETUP and slot < k.sizes[p] and hp_of(k, b)[i] > 0
            if alive != (memory.alive[p] >> slot & 1):
                return "memory: a ship that is alive and counts as sunk, or the reverse"
            if not (-1 <= notice[i].depth <= 1 and UNMOVED <= notice[i].way <= STOPPED_UNSEEN
                    and notice[i].fuelout <= 1 and notice[i].damage <= 9
                    and 0 <= notice[i].spent <= MAX_SPENT and -1 <= notice[i].wreck < k.panels):
                return "memory: out of range"
            if notice[i].named != cls_of(k, b)[i] and (k.is_fixed or notice[i].named != -1):
                return "memory: a ship known to be what it is not"
            if alive and notice[i].depth < 0 and sets_of(k, b, p).stealth >> slot & 1:
                return "memory: a ship in stealth that has surfaced"
            for v in range(k.players):
                cells = cells_load(suspects_of(k, memory, v, i))
                if v == p or not alive:
                    if cells:
                        return "memory: suspects of a ship that is sunk or one's own"
                elif cells & ~k.all_panels or not cells_has(cells, pos_of(k, b)[i]):
                    return "memory: a ship is where it is not suspected"
    return check_records(k, log_of(k, memory))

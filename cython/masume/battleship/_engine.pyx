# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Battleship engine: hidden fleets on hidden terrain, with fuel, mines, torpedoes and a mission.

Implements sections 3 to 9 of docs/rules/battleship.md. Slow twin: masume.battleship.reference, held equal by
tests/test_campaigns.py. Each system of the rule book has a file here, and a twin of the same name in
python/masume/battleship/rules: setup, turn, legal, fire, movement, mines, stealth, fuel, reinforcement, flagship,
judging, events, observation and check. All of them work on the layout of states in state.pxd. knowledge.pxd, the twin
of knowledge.py, keeps the players' knowledge. codes.pxd enumerates the legal codes, resample.pxd draws positions, and
policy.pxd contains the gunner and the keeper.
"""
from bisect import bisect_left

cimport numpy as cnp
cimport masume.core._state as _state
import numpy as np
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.battleship.check cimport check_board, check_fixed, check_memory, check_ranges
from masume.battleship.codes cimport (
    draw_setup, legal_classes, nth_option, nth_setup, num_options, num_setups, put_bits, put_cells)
from masume.battleship.events cimport records_of
from masume.battleship.flagship cimport flagship_of
from masume.battleship.judging cimport score_of
from masume.battleship.knowledge cimport Memory, Notice, begin, begin_log, hear, log_of, suspects_of, used_of
from masume.battleship.legal cimport ATTACKS, MINES, TORPEDOERS, Options, find_options
from masume.battleship.observation cimport (
    NUM_GLOBALS, NUM_PLANES, PER_SHIP, observe_bits, observe_planes, observe_scalars, observe_suspects)
from masume.battleship.policy cimport HIT, gun, keep
from masume.battleship.resample cimport keep_memory, redraw_play, redraw_setup
from masume.battleship.setup cimport first_setup, free_starts, is_legal_setup, set_up
from masume.battleship.state cimport *
from masume.battleship.turn cimport give_up, take_turn
from masume.core._game cimport (
    MASUME_BITS, MASUME_ILLEGAL, MASUME_IMPERFECT, MASUME_TERMINAL, masume_below, masume_field, masume_form,
    masume_game, masume_mix, masume_next, masume_plane)
from masume.core._wide cimport kernels_of
from masume.core.guard cimport guard_methods
from masume.core.provide cimport block_of, fill_required, lay_out, new_capsule, set_bits, set_levels, set_linear

from masume.core.checks import items, number, numbers, same_keys
from masume.errors import StateError

cnp.import_array()

cdef enum:
    MAX_WORDS = 83                 # 32-bit words of a mask as bits
    SIZE_STEP = 64                 # each state begins on a cache line
    NUM_STATE_FIELDS = 33

CAUSES = ("resign", "timeout", "illegal")


cdef inline const Params *params_of(const masume_game *g) noexcept nogil:
    return <const Params *>g.params


# -- play ----------------------------------------------------------------------------------------------

cdef void init(const masume_game *g, void *state, void *memory, uint64_t seed) noexcept nogil:
    """Write the position before the first setup decision. [section 3.2]"""
    cdef const Params *k = params_of(g)
    cdef Board *b = <Board *>state
    cdef int32_t p, t
    memset(state, 0, g.state_size)
    b.rng = seed
    b.setup_kind = <int8_t>first_setup(k)
    b.ptr = -1
    b.reason = BY_NOTHING
    memset(cls_of(k, b), -1, k.fleet)
    memset(pos_of(k, b), -1, k.fleet)
    for p in range(k.players):
        b.order[p] = -1
        reinf_left_of(k, b)[p] = <int8_t>k.reinforcements
        flag_left_of(k, b)[p] = <int8_t>k.flagship_changes
        if k.is_shown:
            panels_store(known_at(k, b, p), k.all_panels, k.words)
    b.qual = b.active = <uint8_t>k.everybody
    for t in range(NUM_TERRAINS - 1 if k.is_shown else 0):
        panels_store(land_at(k, b, t + 1), cells_load(k.land[t]), k.words)
    if k.is_fixed:
        memcpy(cls_of(k, b), k.classes, k.fleet)
    if memory != NULL:
        begin(k, b, <Memory *>memory)


cdef int32_t slots(const masume_game *g, const void *state, int32_t *players) noexcept nogil:
    """Write the player to move; return the number of slots: 1, or 0 at the end."""
    players[0] = (<const Board *>state).cur
    return (<const Board *>state).phase != OVER


cdef inline bint follow(const Params *k, Board *b, Told *log, const Command *c, bint is_sure) noexcept nogil:
    """Play a decision and all its consequences; return False if it is illegal, which is not tested if `is_sure`."""
    if b.phase == PLAY:
        return take_turn(k, b, log, c, is_sure)
    if not (is_sure or is_legal_setup(k, b, c)):
        return False
    set_up(k, b, log, c)
    return True


cdef int32_t apply(const masume_game *g, void *state, void *memory, const int32_t *codes) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef Board *b = <Board *>state
    cdef const Command *c
    cdef Log *log
    cdef int32_t count
    if b.phase == OVER or not 0 <= codes[0] < k.num_actions:
        return MASUME_ILLEGAL(0)
    c = &k.commands[codes[0]]
    if memory == NULL:
        if not follow(k, b, <Nobody *>NULL, c, False):
            return MASUME_ILLEGAL(0)
    else:
        log = log_of(k, memory)
        count = log.count
        log.count = 0
        if not follow(k, b, log, c, False):
            log.count = count
            return MASUME_ILLEGAL(0)
        hear(k, b, <Memory *>memory)
    return MASUME_TERMINAL if b.phase == OVER else 0


cdef int32_t forfeit(const masume_game *g, void *state, void *memory, int32_t player, int32_t cause) noexcept nogil:
    """Let the player to move lose: it resigned, ran out of time or played an illegal action. [section 6.1]"""
    cdef const Params *k = params_of(g)
    cdef Board *b = <Board *>state
    if not RESIGNED <= cause <= PLAYED_ILLEGALLY or b.phase != PLAY or player != b.cur:
        return -1
    if memory == NULL:
        give_up(k, b, <Nobody *>NULL, player, cause)
    else:
        give_up(k, b, begin_log(k, <Memory *>memory), player, cause)
        hear(k, b, <Memory *>memory)
    return MASUME_TERMINAL if b.phase == OVER else 0


cdef void returns(const masume_game *g, const void *state, float *out) noexcept nogil:
    """Write each player's result: the winning sides share what the losing ones give. [section 8.5]"""
    cdef const Params *k = params_of(g)
    cdef const Board *b = <const Board *>state
    cdef int32_t p, won = bits_count(b.winners), lost = k.num_sides - won
    for p in range(k.players):
        if b.phase != OVER or lost == 0:
            out[p] = 0
        elif b.winners >> k.side[p] & 1:
            out[p] = <float>(<double>lost / ((k.num_sides - 1) * won))
        else:
            out[p] = <float>(-1.0 / (k.num_sides - 1))


cdef void scores(const masume_game *g, const void *state, int64_t *out) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef int32_t p
    for p in range(k.players):
        out[p] = score_of(k, <const Board *>state, p)


# -- legal actions, in the order of their codes [section 6.2] ------------------------------------------

cdef int32_t sample(const masume_game *g, const void *state, int32_t slot, uint64_t *rng) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef const Board *b = <const Board *>state
    cdef Options options
    if b.phase == SETUP:
        return draw_setup(k, b, rng)
    find_options(k, b, &options)
    return nth_option(k, b, &options, <int32_t>masume_below(rng, num_options(k, &options)))


cdef int32_t fallback(const masume_game *g, const void *state, int32_t slot) noexcept nogil:
    """Return the code of passing if it is legal, else the lowest legal code other than resigning."""
    cdef const Params *k = params_of(g)
    cdef const Board *b = <const Board *>state
    cdef Options options
    if b.phase == SETUP:
        return nth_setup(k, b, 0)
    find_options(k, b, &options)
    return nth_option(k, b, &options, k.may_resign if options.count else 0)


cdef void mask_bits(const masume_game *g, const void *state, int32_t slot, uint32_t *out) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef const Board *b = <const Board *>state
    cdef Options o
    cdef int32_t n
    memset(out, 0, (k.num_actions + 31) // 32 * sizeof(uint32_t))
    if b.phase == SETUP:
        if b.setup_kind == PICKING:
            put_bits(out, k.first[PICK], legal_classes(k, b))
        elif b.setup_kind == FLAGGING:
            put_bits(out, k.first[FLAG], (<uint32_t>1 << k.sizes[b.cur]) - 1)
        else:
            put_cells(out, k.first[PLACE], free_starts(k, b))
        return
    find_options(k, b, &o)
    out[0] = (o.count == 0) << PASS | k.may_resign << RESIGN
    for n in range(k.sizes[b.cur]):
        put_bits(out, k.first[ATTACK] + n * NINE, o.ways[n] & 0xFFFF)
        put_bits(out, k.first[MOVE] + n * 4 * k.reach, o.moves[n])
        put_bits(out, k.first[MINE] + n * NINE, o.ways[n] >> 16)
        if o.torpedoes >> n & 1:
            put_cells(out, k.first[TORPEDO] + n * k.panels,
                      k.all_panels ^ cells_one(pos_of(k, b)[b.cur * k.ships + n]))
        if o.reinforcements >> n & 1:
            put_cells(out, k.first[REINFORCE] + n * k.panels, o.landings)
    put_bits(out, k.first[FLAG], o.flagships)


cdef void mask(const masume_game *g, const void *state, int32_t slot, uint8_t *out) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef uint32_t words[MAX_WORDS]
    cdef uint64_t bytes
    cdef int32_t n, whole = k.num_actions // 8
    mask_bits(g, state, slot, words)
    for n in range(whole):
        bytes = bits_spread((<const uint8_t *>words)[n])
        memcpy(out + 8 * n, &bytes, 8)
    bytes = bits_spread((<const uint8_t *>words)[whole])
    memcpy(out + 8 * whole, &bytes, k.num_actions - 8 * whole)


cdef int32_t legal(const masume_game *g, const void *state, int32_t slot, int32_t *codes) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef uint32_t words[MAX_WORDS]
    cdef uint32_t word
    cdef int32_t n, count = 0
    mask_bits(g, state, slot, words)
    for n in range((k.num_actions + 31) // 32):
        word = words[n]
        while word:
            codes[count] = 32 * n + bits_first(word)
            count += 1
            word &= word - 1
    return count


cdef int64_t playout(const masume_game *g, void *state, uint64_t *rng) noexcept nogil:
    """Play random commands to the end, drawn as by `sample`; return their number."""
    cdef const Params *k = params_of(g)
    cdef Board *b = <Board *>state
    cdef Options options
    cdef int64_t plies = 0
    cdef int32_t code
    while b.phase != OVER:
        plies += 1
        if b.phase == SETUP:
            code = draw_setup(k, b, rng)
        else:
            find_options(k, b, &options)
            code = nth_option(k, b, &options, <int32_t>masume_below(rng, num_options(k, &options)))
        follow(k, b, <Nobody *>NULL, &k.commands[code], True)
    return plies


# -- observations --------------------------------------------------------------------------------------

cdef void observe(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                  void *const *out) noexcept nogil:
    """Write the requested fields; their bits are in the order of `table`."""
    cdef const Params *k = params_of(g)
    cdef const Board *b = <const Board *>state
    if fields & 1:
        observe_planes(k, b, <const Memory *>memory, player, g.planes[0], <float *>out[0])
    if fields & 2:
        observe_scalars(k, b, <const Memory *>memory, player, <float *>out[1])
    if fields & 4:
        observe_suspects(k, b, <const Memory *>memory, player, <uint8_t *>out[2])


cdef void observe_compact(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                          const masume_form *form, void *const *out) noexcept nogil:
    """Write the planes, the only compact field."""
    cdef const Params *k = params_of(g)
    if form.dtype == MASUME_BITS:
        observe_bits(k, <const Board *>state, <const Memory *>memory, player, g.planes[0], <uint8_t *>out[0])
    else:
        observe_planes(k, <const Board *>state, <const Memory *>memory, player, g.planes[0], <uint8_t *>out[0])


cdef uint64_t key(const masume_game *g, const void *state) noexcept nogil:
    """Return a hash: the mixed sum of mix(eight bytes + a constant of their place in the state)."""
    cdef const uint64_t *words = <const uint64_t *>state
    cdef uint64_t place = 0x9E3779B97F4A7C15U, sum = 0
    cdef uint32_t n
    for n in range((params_of(g).used + 7) // 8):
        place += 0xD1B54A32D192ED03U
        sum += masume_mix(words[n] + place)
    return masume_mix(sum)


# -- positions from outside, and other positions -------------------------------------------------------

cdef const char *check(const masume_game *g, const void *state, const void *memory) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef const char *fault = check_board(g, k, <const Board *>state)
    if fault != NULL or memory == NULL:
        return fault
    return check_memory(k, <const Board *>state, <const Memory *>memory)


cdef int32_t resample(const masume_game *g, const void *state, const void *memory, int32_t player, uint64_t seed,
                      void *out_state, void *out_memory) noexcept nogil:
    """Draw a position that the player cannot distinguish from this one; at the end, copy this one. [section 9.4]"""
    cdef const Params *k = params_of(g)
    cdef Board *b = <Board *>out_state
    cdef uint64_t rng = seed
    if memory == NULL:
        return -1
    memcpy(out_state, state, g.state_size)
    if b.phase != OVER:
        b.rng = masume_next(&rng)
    if b.phase == SETUP:
        redraw_setup(k, b, player, &rng)
    elif b.phase == PLAY and redraw_play(k, b, <const Memory *>memory, player, &rng) < 0:
        return -1
    if out_memory != NULL:
        memcpy(out_memory, memory, used_of(k, memory))
        keep_memory(k, b, <Memory *>out_memory, player)
    return 0


cdef uint64_t news(const masume_game *g, const void *state, const void *memory, int32_t player,
                   const int32_t *codes) noexcept nogil:
    """Return a hash of what the player sees of the records of the last call. [section 9.2]"""
    cdef const Log *log = log_of(params_of(g), memory)
    cdef const int16_t *r = records_of(log)
    cdef uint64_t words[4]         # COLUMNS of 16 bits
    cdef int16_t *seen = <int16_t *>words
    cdef uint64_t hash = 0
    cdef int32_t _n, column
    for _n in range(log.count):
        if (r[COL_FULL] | r[COL_PART]) >> player & 1:
            memcpy(seen, r, sizeof(words))
            if not r[COL_FULL] >> player & 1:
                for column in range(COL_PLAYER, COL_E + 1):
                    if r[COL_HIDE] >> (column - COL_PLAYER) & 1:
                        seen[column] = -1
            seen[COL_FULL] = seen[COL_PART] = seen[COL_HIDE] = 0       # players do not see the recipients of an event
            for column in range(4):
                hash = masume_mix(hash ^ words[column])
        r += COLUMNS
    return hash


# -- the policy ----------------------------------------------------------------------------------------

cdef void policy(const masume_game *g, const void *state, const void *memory, int32_t which, int32_t player,
                 uint64_t *rng, int32_t *codes) noexcept nogil:
    """Return the action of the gunner (0) or, where all terrain is known, of the keeper (1). (policy.pxd)

    In setup they choose combat ships, and random panels.
    """
    cdef const Params *k = params_of(g)
    cdef const Board *b = <const Board *>state
    cdef Options options
    if b.phase == SETUP:
        codes[0] = nth_setup(k, b, <int32_t>masume_below(
            rng, OILER if b.setup_kind == PICKING else num_setups(k, b)))
        return
    find_options(k, b, &options)
    if which and k.is_known:
        codes[0] = keep(k, b, <const Memory *>memory, &options, rng)
    else:
        codes[0] = gun(k, b, <const Memory *>memory, &options, rng)
    if codes[0] < 0:
        codes[0] = nth_option(k, b, &options, k.may_resign if options.count else 0)


# -- the table of a config -----------------------------------------------------------------------------

cdef struct Kit:
    masume_game table
    const char *policy_names[2]
    masume_field state_fields[NUM_STATE_FIELDS]
    masume_field fields[3]
    const masume_plane *planes[3]
    masume_plane kinds[NUM_PLANES]
    float levels[3][256]           # of hp, fuel, aux
    Params params


cdef void make_panels(Params *k, bint jumps):
    """Fill the tables of the map. [section 3.1]"""
    cdef int32_t q, x, y, n, j, back, row, between
    right, down = (0, 1, 1, 1, 0, -1, -1, -1, 0), (-1, -1, 0, 1, 1, 1, 0, -1, 0)
    k.all_panels = cells_below(k.panels)
    k.grid.width = k.width
    k.grid.count = k.panels
    for n in range(1, k.panels + 1):
        k.shares[n] = HIT // n
    for n in range(1 << NINE):
        k.num_ways[n] = <uint8_t>bits_count(n)
    for n in range(4):
        k.step[n] = down[2 * n] * k.width + right[2 * n]
        k.every_heading |= <uint32_t>1 << k.reach * n
    for q in range(k.panels):
        k.column[q] = <int8_t>(q % k.width)
        k.row[q] = <int8_t>(q // k.width)
        k.only[q] = cells_one(q)
        k.turned[q] = cells_one(k.column[q] * k.height + k.row[q])
        k.row_start[q] = <int8_t>(k.row[q] * k.width)
        k.column_start[q] = <int8_t>(k.column[q] * k.height)
        if k.column[q] == 0:
            k.first_column |= cells_one(q)
        if k.column[q] == k.width - 1:
            k.last_column |= cells_one(q)
        for n in range(k.panels):
            k.apart[q][n] = <int8_t>max(abs(k.column[q] - n % k.width), abs(k.row[q] - n // k.width))
        k.grid.west[q] = -(k.column[q] > 0)
        k.grid.east[q] = -(k.column[q] < k.width - 1)
        for n in range(NINE):
            x = k.column[q] + right[n]
            y = k.row[q] + down[n]
            k.near[q][n] = NO_PANEL
            if 0 <= x < k.width and 0 <= y < k.height:
                k.near[q][n] = <int8_t>(y * k.width + x)
                k.ways[q] |= <uint32_t>1 << (16 + n)
                if n != CENTRE:
                    k.nearby[q] |= cells_one(y * k.width + x)
        for n in range(4):
            for j in range(k.reach):
                x = k.column[q] + (j + 1) * right[2 * n]
                y = k.row[q] + (j + 1) * down[2 * n]
                if 0 <= x < k.width and 0 <= y < k.height:
                    k.rays[q] |= <uint32_t>1 << (k.reach * n + j)
                    k.ahead[q][n] |= cells_one(y * k.width + x)
    for x in range(NINE):                          # rows lead up to E (1), down to W (3); columns to S (2) and N (0)
        for row in range(1 << NINE):
            for j in range(k.reach):
                for back in range(2):
                    y = x - j - 1 if back else x + j + 1
                    if not 0 <= y < NINE:
                        continue
                    between = 1 << y if jumps else (1 << x) - (1 << y) if back else (2 << y) - (2 << x)
                    if row & between:
                        k.row_bars[x][row] |= <uint32_t>1 << (k.reach * (3 if back else 1) + j)
                        k.column_bars[x][row] |= <uint32_t>1 << (k.reach * (0 if back else 2) + j)


cdef void make_commands(Params *k):
    """Fill the table that decodes action codes. [section 6.2]"""
    cdef int32_t code = 0, kind, slot, n
    counts = (1, 1, NINE, 4 * k.reach, NINE, k.panels, k.panels, 1, NUM_CLASSES, k.panels)
    for kind in range(PLACE + 1):
        k.first[kind] = code
        for slot in range(k.ships if ATTACK <= kind <= FLAG else 1):
            for n in range(counts[kind]):
                k.commands[code] = Command(<uint8_t>kind, <uint8_t>slot,
                                           <uint8_t>(n // k.reach if kind == MOVE else n),
                                           <uint8_t>(n % k.reach + 1 if kind == MOVE else 0))
                code += 1
    k.num_actions = code


cdef void make_fleets(Params *k, object config):
    """Fill in the sides, the fleets, and the values and costs of ships. [sections 3.3, 4.1, 4.2]"""
    cdef int32_t p, v, n, cls
    k.fleet = k.players * k.ships
    k.everybody = (<uint32_t>1 << k.players) - 1
    k.is_team_match = config.teams is not None
    k.is_fixed = config.fleets is not None
    memset(k.classes, -1, sizeof(k.classes))
    for p in range(k.players):
        k.sizes[p] = config.fleet_sizes[p]
        k.slots[p] = (<uint32_t>1 << k.sizes[p]) - 1
        k.side[p] = config.sides[p]
        k.num_sides = max(k.num_sides, k.side[p] + 1)
        k.side_size[k.side[p]] += 1
        if k.is_fixed:
            for n in range(k.sizes[p]):
                k.classes[p * k.ships + n] = config.fleets[p][n]
        if config.turn_order is not None:
            k.order[p] = config.turn_order[p]
    k.has_order = config.turn_order is not None
    for p in range(k.players):
        for v in range(k.players):
            if k.side[p] != k.side[v]:
                k.enemies[p] |= 1 << v
    for cls in range(NUM_CLASSES):
        for n in range(SLOTS):
            k.prices[cls][n] = UNPAID
            if n < k.reach:
                k.prices[cls][n] = <int16_t>min(UNPAID, config.move_fp(cls, n + 1) if config.fuel else 0)
        k.hp[cls] = config.hp[cls]
        k.aux[cls] = config.aux[cls]
        if config.fuel:
            k.max_fp[cls] = config.max_fp(cls)
            k.attack_cost[cls] = config.attack_cost[cls]
            for n in range(1, MAX_STEPS + 1):
                k.move_fp[cls][n] = config.move_fp(cls, n)
            k.least[cls] = min(config.attack_cost[cls], config.move_cost[cls])
    if config.fuel:
        k.torpedo_cost = config.torpedo_cost
        k.mine_cost = config.mine_cost
        k.flagship_cost = config.flagship_cost
        k.wave_cost = config.wave_cost


cdef void make_rules(Params *k, object config):
    """Fill in the switches and numbers of section 2.2."""
    from masume.battleship.config import SCORE_MISSIONS
    cdef int32_t t, q
    k.has_flagship = config.has_flagship
    k.is_rescue = config.mission == "rescue"
    k.is_retreat = config.mission == "retreat"
    k.by_score = config.mission in SCORE_MISSIONS
    k.defender = config.defender
    k.round_limit = config.round_limit
    k.max_rounds = config.max_rounds
    k.last_round = min(k.round_limit or k.max_rounds, k.max_rounds or k.round_limit)
    k.has_fuel = config.fuel
    k.has_refuel = config.fuel and config.refuel
    k.refuel_max = config.refuel_max
    for t in range(NUM_CLASSES):
        k.prices[t][PAYS_ATTACK] = <int16_t>k.attack_cost[t]
        if config.mines and t == DESTROYER:
            k.prices[t][PAYS_MINE] = <int16_t>k.mine_cost
        if config.torpedoes and t in (DESTROYER, SUBMARINE):
            k.prices[t][PAYS_TORPEDO] = <int16_t>k.torpedo_cost
    k.has_stealth = config.stealth
    k.diver = SUBMARINE if config.stealth else NUM_CLASSES
    k.surface_period = config.surface_period
    k.reinforcements = config.reinforce_max
    k.reinforce_last_round = config.reinforce_last_round
    k.reinforce_step_rounds = config.reinforce_step_rounds
    k.reinforce_num = config.reinforce_num
    k.reinforce_num_step = config.reinforce_num_step
    k.reinforce_den = config.reinforce_den
    k.flagship_changes = config.flagship_changes
    k.is_known = not config.terrain or config.terrain_known
    k.is_shown = config.terrain and config.terrain_known
    k.is_generated = config.terrain and config.terrain_map is None
    for t in range(NUM_TERRAINS):
        k.weights[t] = config.terrain_weights[t]
        k.total_weight += k.weights[t]
        if t < NUM_TERRAINS - 1:
            k.bounds[t] = k.total_weight
    if config.terrain_map is not None:
        from masume.battleship.maps import codes
        for q, terrain in enumerate(codes(config.terrain_map)):
            t = terrain
            if t != SEA:
                k.land[t - 1][q >> 6] |= <uint64_t>1 << (q & 63)
    k.hit_reveals_class = config.hit_reveals_class
    k.splash_on_hit = config.splash_on_hit
    k.public_hp = config.public_hp
    k.shuns_reefs = not config.attack_known_reef
    k.jumps = config.move_rule == "jump"
    k.attacks_own = config.attack_own_cell
    for q in range(k.panels):
        k.ways[q] |= k.ways[q] >> 16 & ~<uint32_t>(0 if k.attacks_own else 1 << CENTRE)
        k.numbers[q] = (<uint32_t>bits_count(k.ways[q] & 0xFFFF) << ATTACKS
                        | <uint32_t>bits_count(k.ways[q] >> 16) << MINES | <uint32_t>1 << TORPEDOERS)
    for t in range(8):
        k.paid_ways[t] = (0xFFFF if t & 1 else 0) | <uint32_t>(0xFFFF if t & 2 else 0) << 16
        k.paid_numbers[t] = (<uint32_t>(0xFF if t & 1 else 0) << ATTACKS | <uint32_t>(0xFF if t & 2 else 0) << MINES
                             | <uint32_t>(0xFF if t & 4 else 0) << TORPEDOERS)
    k.score_sunk = config.score_sunk
    k.score_hit = config.score_hit
    k.score_ship = config.score_ship
    k.score_hp = config.score_hp
    k.may_resign = config.allow_resign


cdef void make_layout(Params *k):
    """Compute the offsets of the arrays in states and memories, and the capacity of the log."""
    cdef int32_t others = k.players - 1, shot, turn, p
    cdef uint32_t each = sizeof(int16_t) * k.players
    k.at_mined = sizeof(Board) + (NUM_TERRAINS - 1 + k.players) * k.words * sizeof(uint32_t)
    k.at_fp = k.at_mined + k.words * sizeof(uint32_t) + k.players * sizeof(Sets)
    for p in range(k.players):
        k.at_known[p] = k.at_mined - (k.players - p) * k.words * sizeof(uint32_t)
        k.at_sets[p] = k.at_fp - (k.players - p) * sizeof(Sets)
    k.at_torp_next = k.at_fp + k.fleet * sizeof(int16_t)
    k.at_dealt = k.at_torp_next + each
    k.at_kills = k.at_dealt + each
    k.at_cls = k.at_kills + each
    k.at_pos = k.at_cls + k.fleet
    k.at_hp = k.at_pos + k.fleet
    k.at_aux = k.at_hp + k.fleet
    k.at_torp_n = k.at_aux + k.fleet
    k.at_reinf_left = k.at_torp_n + k.players
    k.at_flag_left = k.at_reinf_left + k.players
    k.at_torp_id = k.at_flag_left + k.players
    k.at_torp_pos = k.at_torp_id + k.players * k.torpedoes
    k.at_torp_tgt = k.at_torp_pos + k.players * k.torpedoes
    k.at_mines = k.at_torp_tgt + k.players * k.torpedoes
    k.used = k.at_mines + k.players * k.panels
    k.at_notices = sizeof(Memory)
    k.at_suspects = k.at_notices + k.fleet * sizeof(Notice)
    k.at_log = k.at_suspects + k.players * k.fleet * 2 * sizeof(uint64_t)
    shot = 5 + others * (2 + min(8, k.ships))     # ATTACK, TERRAIN, MISS, two of mines; HIT, SUNK and SPLASH
    turn = 1 + 4 * k.ships                         # TURN; DIVED or SURFACED, FUEL_OUT, SUNK, STATUS
    k.log_capacity = (
        2 + k.reach + 1 + k.reach * (1 + k.players) + 1         # MOVE, TERRAIN, mines, SUNK; or an attack
        + shot + k.torpedoes * (1 + shot)
        + k.ships * (4 + min(8, k.ships))          # the end of a turn: the events of its beginning, and REFUEL
        + k.players * turn + 2 * k.players + 1     # DEFEATED, OUT, GAME_OVER
        + k.fleet + 1)                             # SETUP, START


cdef void lay_out_state(masume_field *fields, const Params *k):
    cdef Board b
    cdef const uint8_t *first = <uint8_t *>&b
    each, ships, flights = (k.players,), (k.players, k.ships), (k.players, k.torpedoes)
    lay_out(&fields[0], "rng", "u8", <uint32_t>(<uint8_t *>&b.rng - first), ())
    lay_out(&fields[1], "round", "i4", <uint32_t>(<uint8_t *>&b.round - first), ())
    lay_out(&fields[2], "turns", "i4", <uint32_t>(<uint8_t *>&b.turns - first), ())
    lay_out(&fields[3], "pass_run", "i2", <uint32_t>(<uint8_t *>&b.pass_run - first), ())
    lay_out(&fields[4], "order", "i1", <uint32_t>(<uint8_t *>&b.order - first), each)
    lay_out(&fields[5], "phase", "i1", <uint32_t>(<uint8_t *>&b.phase - first), ())
    lay_out(&fields[6], "setup_kind", "i1", <uint32_t>(<uint8_t *>&b.setup_kind - first), ())
    lay_out(&fields[7], "setup_i", "i1", <uint32_t>(<uint8_t *>&b.setup_i - first), ())
    lay_out(&fields[8], "cur", "i1", <uint32_t>(<uint8_t *>&b.cur - first), ())
    lay_out(&fields[9], "ptr", "i1", <uint32_t>(<uint8_t *>&b.ptr - first), ())
    lay_out(&fields[10], "reason", "i1", <uint32_t>(<uint8_t *>&b.reason - first), ())
    lay_out(&fields[11], "winners", "u1", <uint32_t>(<uint8_t *>&b.winners - first), ())
    lay_out(&fields[12], "qual", "u1", <uint32_t>(<uint8_t *>&b.qual - first), ())
    lay_out(&fields[13], "active", "u1", <uint32_t>(<uint8_t *>&b.active - first), ())
    lay_out(&fields[14], "land", "u4", sizeof(Board), (NUM_TERRAINS - 1, k.words))
    lay_out(&fields[15], "known", "u4", k.at_known[0], (k.players, k.words))
    lay_out(&fields[16], "mined", "u4", k.at_mined, (k.words,))
    lay_out(&fields[17], "sets", "u2", k.at_sets[0], (k.players, sizeof(Sets) // sizeof(uint16_t)))
    lay_out(&fields[18], "ship_fp", "i2", k.at_fp, ships)
    lay_out(&fields[19], "torp_next", "i2", k.at_torp_next, each)
    lay_out(&fields[20], "dealt", "i2", k.at_dealt, each)
    lay_out(&fields[21], "kills", "i2", k.at_kills, each)
    lay_out(&fields[22], "ship_cls", "i1", k.at_cls, ships)
    lay_out(&fields[23], "ship_pos", "i1", k.at_pos, ships)
    lay_out(&fields[24], "ship_hp", "i1", k.at_hp, ships)
    lay_out(&fields[25], "ship_aux", "i1", k.at_aux, ships)
    lay_out(&fields[26], "torp_n", "i1", k.at_torp_n, each)
    lay_out(&fields[27], "reinf_left", "i1", k.at_reinf_left, each)
    lay_out(&fields[28], "flag_left", "i1", k.at_flag_left, each)
    lay_out(&fields[29], "torp_id", "u1", k.at_torp_id, flights)
    lay_out(&fields[30], "torp_pos", "i1", k.at_torp_pos, flights)
    lay_out(&fields[31], "torp_tgt", "i1", k.at_torp_tgt, flights)
    lay_out(&fields[32], "mines", "u1", k.at_mines, (k.players, k.panels))


cdef list make_levels(const int32_t *most):
    """Return the shares of all numbers up to those of the classes, ascending; 256 even ones if they are more."""
    cdef int32_t cls, n
    found = {0.0}
    for cls in range(NUM_CLASSES):
        for n in range(1, min(256, most[cls]) + 1):
            found.add(<float>n / <float>most[cls])
    return sorted(found) if len(found) <= 256 and max([most[cls] for cls in range(NUM_CLASSES)]) <= 256 else [
        n / 255.0 for n in range(256)]


cdef void make_kinds(Kit *kit):
    """Describe the bytes of the planes. [section 9.3]"""
    set_bits(kit.kinds, 0, NUM_PLANES)
    for n in (4, 5, 6, 15):
        kit.kinds[n].is_bits = False
    set_levels(&kit.kinds[4], kit.levels[0], make_levels(kit.params.hp))
    set_levels(&kit.kinds[5], kit.levels[1], make_levels(kit.params.max_fp))
    for n in range(2):
        for share in range(256):
            kit.params.first_level[n][share] = min(255, bisect_left(list(kit.levels[n]), (share - 0.5) / 255))
    set_levels(&kit.kinds[6], kit.levels[2], [n / 9.0 for n in range(256)])
    set_linear(&kit.kinds[15], 0.25, 0)
    kit.planes[0] = kit.kinds


def table(config):
    """Return a capsule with the function table of a config (src/masume/game.h).

    Parameters
    ----------
    config : masume.battleship.Config
        Options of the game.

    Raises
    ------
    TypeError
        If `config` is not a `masume.battleship.Config`.
    """
    from masume.battleship.config import Config
    cdef Kit *kit
    cdef masume_game *g
    cdef Params *k
    cdef int32_t p, decisions = 0
    if not isinstance(config, Config):
        raise TypeError(f"config: expected a masume.battleship.Config, got {config!r}")
    capsule = new_capsule(sizeof(Kit))
    kit = <Kit *>block_of(capsule)
    k = &kit.params
    k.players = config.players
    k.width = config.width
    k.height = config.height
    k.panels = config.panels
    k.words = (k.panels + 31) // 32
    k.ships = config.max_fleet
    k.torpedoes = config.max_torpedoes
    k.reach = config.max_distance
    make_panels(k, config.move_rule == "jump")
    make_commands(k)
    make_fleets(k, config)
    make_rules(k, config)
    make_layout(k)
    k.kernels = battleship_pick(kernels_of(None).name)
    lay_out_state(kit.state_fields, k)
    lay_out(&kit.fields[0], "planes", "f4", 0, (NUM_PLANES, k.height, k.width))
    lay_out(&kit.fields[1], "scalars", "f4", 0, (NUM_GLOBALS + k.players + k.players * (2 + PER_SHIP * k.ships),))
    lay_out(&kit.fields[2], "suspects", "u1", 0, ((k.players - 1) * k.ships, k.height, k.width))
    for p in range(k.players):
        decisions += k.sizes[p] * (1 if k.is_fixed else 2) + k.has_flagship
    g = &kit.table
    g.name = "battleship"
    g.params = k
    g.state_size = (k.used + SIZE_STEP - 1) // SIZE_STEP * SIZE_STEP
    g.memory_size = k.at_log + sizeof(Log) + k.log_capacity * COLUMNS * sizeof(int16_t)
    g.num_players = k.players
    g.num_slots = 1
    g.num_actions = k.num_actions
    g.max_legal = k.num_actions
    g.flags = MASUME_IMPERFECT
    if k.last_round:
        g.max_game_length = decisions + k.players * k.last_round
    fill_required(g, kit.state_fields, NUM_STATE_FIELDS, kit.fields, 3, init, slots, legal, mask, sample, fallback,
                  apply, returns, scores, observe, key, check)
    make_kinds(kit)
    g.planes = kit.planes
    g.observe_compact = observe_compact
    g.forfeit = forfeit
    g.resample = resample
    g.num_policies = 2
    kit.policy_names[0] = "gunner"
    kit.policy_names[1] = "keeper"
    g.policy_names = kit.policy_names
    g.policy = policy
    g.playout = playout
    g.mask_bits = mask_bits
    g.news = news
    return capsule


# -- Python face ---------------------------------------------------------------------------------------

cdef tuple view_of_record(const int16_t *r, int32_t player):
    """Return (kind, round, player, slot, cls, panel, a, ..., e) as the player sees them (-1: unmasked), or None."""
    cdef int32_t n
    cdef uint32_t hidden = 0
    if player >= 0 and not r[COL_FULL] >> player & 1:
        if not r[COL_PART] >> player & 1:
            return None
        hidden = r[COL_HIDE]
    return (r[COL_KIND], r[COL_ROUND],
            *[-1 if hidden >> (n - COL_PLAYER) & 1 else r[n] for n in range(COL_PLAYER, COL_E + 1)])


cdef class State(_state.State):
    """Position of Battleship with everything its players have seen; `apply` changes it in place."""
    cdef const Params *k
    cdef Board *b

    def __cinit__(self, *_):
        if self.g.init != init:
            raise TypeError(f"game: {self.game!r} is not battleship")
        self.k = <const Params *>self.g.params
        self.b = <Board *>self.data

    cdef int forget(self) except -1:
        begin(self.k, self.b, <Memory *>self.memory)
        return 0

    cdef void _copy(self, _state.State other):
        memcpy(self.data, other.data, self.g.state_size)
        memcpy(self.memory, other.memory, used_of(self.k, other.memory))
        self.copy_history(other)

    def to_bytes(self):
        """Return the flat bytes of the position and of the players' memory, with zeros after the last event."""
        cdef size_t used = used_of(self.k, self.memory)
        return self.data[:self.g.state_size] + self.memory[:used] + bytes(self.g.memory_size - used)

    # -- nouns ------------------------------------------------------------------------------

    @property
    def phase(self):
        """Phase of the game: 0 setup, 1 play, 2 over. [section 3.2]"""
        return self.b.phase

    @property
    def round(self):
        """Current round, counted from 1; 0 before play. [BS-22]"""
        return self.b.round

    @property
    def order(self):
        """Turn order, int8[players]: the first player to move, the second, ...; all -1 before play. [BS-44]"""
        return np.array([self.b.order[n] for n in range(self.k.players)], np.int8)

    @property
    def winners(self):
        """Bit mask of the sides that have won; several bits in a draw, 0 before the end. [section 8]"""
        return self.b.winners

    @property
    def reason(self):
        """Reason of the end as an index into `notation.REASONS`; -1 before the end. [section 8]"""
        return self.b.reason

    @property
    def terrain(self):
        """Terrain, uint8[height, width]: 0 sea, 1 reef, 2 shallows, 3 fog, 4 high wave. [section 3.1]"""
        return self._map([terrain_at(self.k, self.b, q) for q in range(self.k.panels)])

    @property
    def known(self):
        """Known terrain, uint8[players, height, width]: 1 if the player knows the terrain of the panel. [BS-188]"""
        return np.stack([self._map([has_panel(known_at(self.k, self.b, p), q) for q in range(self.k.panels)])
                         for p in range(self.k.players)])

    @property
    def mines(self):
        """Number of mines, uint8[players, height, width], per owner and panel. [BS-142]"""
        return np.stack([self._map([mines_of(self.k, self.b, p)[q] for q in range(self.k.panels)])
                         for p in range(self.k.players)])

    def _map(self, list values):
        return np.array(values, np.uint8).reshape(self.k.height, self.k.width)

    def ship_at(self, player, panel):
        """Return the slot of a player's living ship on a panel, or None.

        Parameters
        ----------
        player : int
            Owner of the ship, 0..players-1.
        panel : int
            Number of the panel, row * width + column. [section 3.1]

        Raises
        ------
        ValueError
            If the player or the panel does not exist.
        """
        cdef int32_t who = self.to_player(player)
        cdef int64_t q = _state.to_int64(panel, "panel")
        cdef uint32_t found
        if not 0 <= q < self.k.panels:
            raise ValueError(f"panel: expected 0..{self.k.panels - 1}, got {panel}")
        found = slots_at(self.k, self.b, who, <int32_t>q)
        return bits_first(found) if found else None

    def suspects(self, player):
        """Return the candidate sets of a player: the panels where each ship of the others may be. [section 9.4]

        Parameters
        ----------
        player : int
            Player whose knowledge counts, 0..players-1.

        Returns
        -------
        numpy.ndarray of uint8, shape (players, ships, height, width)
            1 on the panels where the ship may be. The true panel is always among them. All 0 for the player's own
            ships, for sunk ships, and before play.
        """
        cdef int32_t i, q, who = self.to_player(player)
        cdef cells_t cells
        found = np.zeros((self.k.players, self.k.ships, self.k.height, self.k.width), np.uint8)
        cdef uint8_t *out = <uint8_t *>cnp.PyArray_DATA(<cnp.ndarray>found)
        for i in range(self.k.fleet):
            cells = cells_load(suspects_of(self.k, self.memory, who, i))
            for q in range(self.k.panels):
                out[i * self.k.panels + q] = cells_has(cells, q)
        return found

    # -- views of players -----------------------------------------------------------------------

    def views(self, player=None):
        """Return the events of the last call as tuples of ints. [section 9.2]

        Parameters
        ----------
        player : int, optional
            Player whose view is returned; None returns all records with nothing hidden.

        Returns
        -------
        list of tuple of int
            Per event 11 ints: kind, round, player, slot, cls, panel, a, b, c, d, e; -1 if a value is hidden or absent.
        """
        cdef int32_t n, only = -1 if player is None else self.to_player(player)
        cdef const Log *log = log_of(self.k, self.memory)
        found = [view_of_record(records_of(log) + n * COLUMNS, only) for n in range(log.count)]
        return [view for view in found if view is not None]

    def events(self, player=None):
        """Return the events of the last call in order, as dicts (`notation.event_to_dict`).

        Parameters
        ----------
        player : int, optional
            Player whose view is returned; None returns all events with nothing hidden.
        """
        from masume.battleship.notation import event_to_dict
        config = self.game.config
        return [event_to_dict(config, view) for view in self.views(player)]

    def information_state(self, player):
        """Return all that `player` has seen, as text; before play, its setup decisions. [section 9.1]

        The format is that of `notation.information_state` and `notation.setup_state`. A position that was read from
        bytes, a dict or a text has no history: events before it are not included.
        """
        from masume.battleship.notation import information_state, setup_state
        cdef int32_t who = self.to_player(player)
        if self.b.phase == SETUP:
            return setup_state(self.game.config, who, self.b.cur, self._decided(who))
        game, origin, history, past = self.game, self.origin, self.history, self.past
        parts = []
        while True:
            state = game.state_from_bytes(origin, without_memory=True)     # records tell what each action showed
            views = []
            for action in history:
                if action < 0:
                    state.forfeit(state.current_player, CAUSES[-1 - action])
                else:
                    state.apply(action)
                views += state.views(who)
            parts.append(views)
            if past is None or past[0] != who:     # a sample keeps the past of one player only
                return information_state(who, [view for views in reversed(parts) for view in views])
            _, game, origin, history, past = past

    def _decided(self, int player):
        """Return the setup decisions of a player as notation.Action, in order. [section 4.4]"""
        from masume.battleship import notation
        cdef const Params *k = self.k
        cdef int32_t slot, i, first = player * k.ships, last = first + k.sizes[player]
        found = []
        for i in range(first, last):
            if not k.is_fixed and cls_of(k, self.b)[i] >= 0:
                found.append(notation.Action(notation.PICK, where=cls_of(k, self.b)[i]))
        slot = flagship_of(k, self.b, player)
        if slot >= 0:
            found.append(notation.Action(notation.FLAG, slot))
        for i in range(first, last):
            if pos_of(k, self.b)[i] >= 0:
                found.append(notation.Action(notation.PLACE, where=pos_of(k, self.b)[i]))
        return found

    # -- the end ------------------------------------------------------------------------------

    def forfeit(self, player, cause):
        """Let the player to move lose by resignation, timeout or an illegal action. [section 6.1]

        Parameters
        ----------
        player : int
            Player to move; the game must be in play.
        cause : {"resign", "timeout", "illegal"}
            Cause of the forfeit.

        Raises
        ------
        ValueError
            If the player is not to move, the cause is unknown, or the game is in setup.
        GameOverError
            If the game is over.

        Notes
        -----
        The history records a forfeit as -1 minus the index of its cause in the list above.
        """
        if self.to_player(player) != self.b.cur and self.b.phase == PLAY:
            raise ValueError(f"player: {player} is not to move")
        _state.State.forfeit(self, player, cause)
        self.note(-1 - CAUSES.index(cause))

    def _cause(self, cause):
        if not isinstance(cause, str) or cause not in CAUSES:
            raise ValueError(f"cause: battleship knows no forfeit by {cause!r}, only by {', '.join(CAUSES)}")
        if self.b.phase != PLAY:
            raise ValueError("player: nobody forfeits before play")
        return RESIGNED + CAUSES.index(cause)

    # -- dict and text ------------------------------------------------------------------------

    def to_dict(self):
        """Return the variables of section 3.2 by name, as plain JSON types, without the players' memory."""
        cdef int32_t p, q, slot
        array = self.array
        found = {name: array[name].tolist() for name in (
            "rng", "phase", "setup_kind", "setup_i", "cur", "order", "ptr", "round", "turns", "pass_run", "ship_cls",
            "ship_pos", "ship_hp", "ship_fp", "ship_aux")}
        found["ship_flags"] = [[flags_at(self.k, self.b, p, slot) for slot in range(self.k.ships)]
                               for p in range(self.k.players)]
        found["terrain"] = self.terrain.ravel().tolist()
        found["known"] = [sum([has_panel(known_at(self.k, self.b, p), q) << p for p in range(self.k.players)])
                          for q in range(self.k.panels)]
        for name in ("mines", "torp_n", "torp_pos", "torp_tgt"):
            found[name] = array[name].tolist()
        found["torp_id"] = [[torpedo_number(self.k, self.b, p, q) if q < torp_n_of(self.k, self.b)[p] else 0
                             for q in range(self.k.torpedoes)] for p in range(self.k.players)]
        for name in ("torp_next", "reinf_left", "flag_left"):
            found[name] = array[name].tolist()
        for name in ("qual", "active"):
            found[name] = [int(array[name]) >> p & 1 for p in range(self.k.players)]
        for name in ("dealt", "kills", "winners", "reason"):
            found[name] = array[name].tolist()
        return found

    cdef int load(self, dict variables) except -1:
        """Become the position of a dict, without history; raise StateError, which names the key, if it is invalid."""
        cdef const Params *k = self.k
        cdef Board *b
        cdef Sets *s
        cdef int32_t p, q, bits
        own = self.to_dict()
        same_keys("", variables, own)
        array = np.zeros((), self.game.state_dtype)
        for name, value in own.items():
            if name not in ("terrain", "known", "ship_flags", "qual", "active", "torp_id"):
                limits = np.iinfo(array[name].dtype)
                array[name] = numbers_like(name, variables[name], value, int(limits.min), int(limits.max))
        terrain = numbers("terrain", variables["terrain"], k.panels, SEA, WAVE)
        known = numbers("known", variables["known"], k.panels, 0, k.everybody)
        flags = numbers_like("ship_flags", variables["ship_flags"], own["ship_flags"], 0, 15)
        ids = numbers_like("torp_id", variables["torp_id"], own["torp_id"], 0, MAX_COUNT)
        array["torp_id"] = np.array(ids, np.int16).astype(np.uint8).reshape(array["torp_id"].shape)
        qual = numbers("qual", variables["qual"], k.players, 0, 1)
        active = numbers("active", variables["active"], k.players, 0, 1)
        block = array.tobytes()
        b = <Board *><char *>block
        for p in range(k.players):
            b.qual |= <uint8_t>(<uint32_t>qual[p] << p)
            b.active |= <uint8_t>(<uint32_t>active[p] << p)
            s = sets_of(k, b, p)
            for q in range(k.ships):
                bits = flags[p][q]
                s.stealth |= <uint16_t>((bits & STEALTH != 0) << q)
                s.surf |= <uint16_t>((bits & SURF != 0) << q)
                s.fuelout |= <uint16_t>((bits & FUELOUT != 0) << q)
                s.flagship |= <uint16_t>((bits & FLAGSHIP != 0) << q)
        for q in range(k.panels):
            if terrain[q] != SEA:
                add_panel(land_at(k, b, terrain[q]), q)
            for p in range(k.players):
                if known[q] >> p & 1:
                    add_panel(known_at(k, b, p), q)
        self.accept(check_fixed(k, b))
        self.accept(check_ranges(k, b))
        complete(k, b)
        self.accept(check_board(self.g, k, b))
        for p in range(k.players):
            for q in range(k.torpedoes):
                if ids[p][q] != (torpedo_number(k, b, p, q) if q < torp_n_of(k, b)[p] else 0):
                    raise StateError("torp_id: not those of torpedoes in flight")
        memcpy(self.data, b, self.g.state_size)
        self.forget()
        return self.begin_history()

    def __str__(self):
        from masume.battleship import notation
        return notation.to_text(self.game.config, self.to_dict())

    def _context(self, slot):
        return (self.game.config,)


cdef object numbers_like(str name, object value, object like, object low, object high):
    """Return `value` if it has the list structure of `like` and ints in low..high; raise StateError otherwise."""
    if not isinstance(like, list):
        return number(name, value, low, high)
    return [numbers_like(f"{name}[{n}]", item, like[n], low, high)
            for n, item in enumerate(items(name, value, len(like)))]


guard_methods(globals())

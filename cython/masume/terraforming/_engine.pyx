# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Terraforming engine: three players settle an asteroid of hexagonal cells with robots.

Implements sections 2 to 9 of docs/rules/terraforming.md. Slow twin: masume.terraforming.reference, compared by
tests/terraforming/campaign.py. The parts: layout of states (state.pxd), moves, builds and turns (rules.pxd), maps
(maps.pxd), codes (codes.pxd), observations (observation.pxd), checks (check.pxd) and policies (policy.pxd).
"""
cimport numpy as cnp
cimport masume.core._state as _state
import numpy as np
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.core._game cimport (
    MASUME_BITS, MASUME_ILLEGAL, masume_field, masume_form, masume_game, masume_mix, masume_plane)
from masume.core.guard cimport guard_methods
from masume.core.provide cimport block_of, fill_required, lay_out, new_capsule, set_bits
from masume.core._wide cimport WIDE_BLOCK, kernels_of
from masume.terraforming.check cimport MAX_BONUS, MAX_ROBOTS, check
from masume.terraforming.codes cimport (
    B1, LEGAL, M1, apply_action, decode, encode, fault_of, is_playing, pick, play, play_legal)
from masume.terraforming.maps cimport MAX_ATTEMPTS, generate
from masume.terraforming.observation cimport (
    NUM_PLANES, NUM_SCALARS, Sight, look, observe_bytes, observe_planes, observe_scalars)
from masume.terraforming.policy cimport build_up, settle
from masume.terraforming.rules cimport begin_turn, derive, forget_moves
from masume.terraforming.state cimport *

from masume.core import checks
from masume.core.checks import items, number, numbers, same_keys
from masume.errors import ConfigError, GameOverError, IllegalActionError, StateError
from masume.terraforming import hexes

cnp.import_array()

cdef extern from "masume/hash.h" nogil:
    uint64_t hash_words(const uint64_t *, const uint64_t *, int32_t)

cdef enum:
    SIZE_STEP = 64                 # bytes; every state begins on a cache line
    NUM_FIELDS = 5
    NUM_STATE_FIELDS = 14
    MAX_MASK_WORDS = 332           # 32 bits each, for 1 + (24 + 8) * 331 codes

cdef double LASTS = 0.2            # value of a point of land while many rounds are left in which it can be lost

STEPS = ((1, 0), (1, -1), (0, 1), (-1, 0), (0, -1), (-1, 1))
ROTATED = (5, 2, 3, 1, 0, 4)
CHECKS = ("none", "third", "full")
RECIPES = {"rulebook": (4, 5, 5, 4, 4, 9, 6, 19), "contest": (4, 5, 4, 4, 4, 9)}
PRICES = {"rulebook": (50, 25, 20, 10, 1, 1, 25, 1), "contest": (50, 25, 25, 15, 10, 10)}
FAULTS = (None, "6.4", "pre", "finished", "M1", "M2", "M3", "M4", "M5", "M6", "M7", "B1", "B4", "B5", "B6", "B7", "B8")


# -- table entries ------------------------------------------------------------------------------------

cdef void init(const masume_game *g, void *state, void *memory, uint64_t seed) noexcept nogil:
    """Begin the first turn on the config's map, or on the map of the seed; if it has none, set finished with ply 0."""
    cdef const Params *k = params_of(g)
    memcpy(state, k.start, k.state_size)
    if k.is_generated and not generate(k, state, seed):
        header_of(state).finished = True
        return
    header_of(state).phase = PRE
    derive(k, state)
    begin_turn(k, state)


cdef int32_t slots(const masume_game *g, const void *state, int32_t *players) noexcept nogil:
    """Write the player to move; no slot before the start and at the end."""
    players[0] = header_of(state).player
    return is_playing(state)


cdef int32_t legal(const masume_game *g, const void *state, int32_t slot, int32_t *codes) noexcept nogil:
    """Write finish, the moves, and in CHOOSE the builds. [section 6.1]"""
    cdef const Params *k = params_of(g)
    cdef const Header *header = header_of(state)
    cdef const Sets *sets = sets_of(state)
    cdef uint64_t bits
    cdef uint32_t rest
    cdef uint8_t moves
    cdef int32_t word, cell, n, count = 1
    codes[0] = 0
    for word in range(k.words):
        bits = sets[word].ready
        while bits:
            cell = next_of(&bits, word)
            moves = moves_of(k, state)[cell]
            for n in range(CELL_CODES):                  # surplus codes are overwritten; max_legal leaves room
                codes[count + n] = 1 + CELL_CODES * cell + k.places[moves][n]
            count += k.weight[moves]
    if header.phase != CHOOSE:
        return count
    for word in range(k.words):
        bits = sets[word].owned[header.player] & sets[word].manned
        while bits:
            cell = next_of(&bits, word)
            rest = builds_of(k, state, cell)
            while rest:
                codes[count] = k.first_build + k.kinds * cell + bits_first64(rest)
                rest &= rest - 1
                count += 1
    return count


cdef inline void put_moves(uint32_t *out, int32_t at, uint32_t bits) noexcept nogil:
    """Set bits from bit `at` on, without a branch: the bits of builds follow, so there is a next word."""
    cdef uint64_t both = <uint64_t>bits << (at & 31)
    out[at >> 5] |= <uint32_t>both
    out[(at >> 5) + 1] |= <uint32_t>(both >> 32)


cdef inline void put_builds(uint32_t *out, int32_t at, uint32_t bits) noexcept nogil:
    """Set bits from bit `at` on; there may be no next word."""
    cdef uint64_t both = <uint64_t>bits << (at & 31)
    out[at >> 5] |= <uint32_t>both
    if both >> 32:
        out[(at >> 5) + 1] |= <uint32_t>(both >> 32)


cdef void mask_bits(const masume_game *g, const void *state, int32_t slot, uint32_t *out) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef const Header *header = header_of(state)
    cdef const Sets *sets = sets_of(state)
    cdef uint64_t bits
    cdef uint32_t builds
    cdef int32_t word, cell
    memset(out, 0, (k.actions + 31) // 32 * sizeof(uint32_t))
    out[0] = 1
    for word in range(k.words):
        bits = sets[word].ready
        while bits:
            cell = next_of(&bits, word)
            put_moves(out, 1 + CELL_CODES * cell, k.spread[moves_of(k, state)[cell]])
        if header.phase == CHOOSE:
            bits = sets[word].owned[header.player] & sets[word].manned
            while bits:
                cell = next_of(&bits, word)
                builds = builds_of(k, state, cell)
                if builds:
                    put_builds(out, k.first_build + k.kinds * cell, builds)


cdef void mask(const masume_game *g, const void *state, int32_t slot, uint8_t *out) noexcept nogil:
    cdef uint32_t bits[MAX_MASK_WORDS]
    mask_bits(g, state, slot, bits)
    params_of(g).level.bytes(bits, <int32_t>g.num_actions, out)


cdef int32_t sample(const masume_game *g, const void *state, int32_t slot, uint64_t *rng) noexcept nogil:
    return pick(params_of(g), state, rng)


cdef int32_t fallback(const masume_game *g, const void *state, int32_t slot) noexcept nogil:
    """Return finish, which is always legal. [section 6.1]"""
    return 0


cdef int32_t apply(const masume_game *g, void *state, void *memory, const int32_t *codes) noexcept nogil:
    cdef int32_t status = play(params_of(g), state, codes[0]) if is_playing(state) else -1
    return status if status >= 0 else MASUME_ILLEGAL(0)


cdef void step_many(const masume_game *g, int64_t n, void *states, void *memories, const int32_t *codes,
                    int32_t *statuses, int32_t *movers) noexcept nogil:
    cdef uint8_t *state = <uint8_t *>states
    cdef int64_t i
    for i in range(n):
        statuses[i] = apply(g, state, NULL, codes + i)
        movers[i] = header_of(state).player
        state += g.state_size


cdef int64_t playout(const masume_game *g, void *state, uint64_t *rng) noexcept nogil:
    """Play random codes to the end, drawn as `sample` draws them; return their number."""
    cdef const Params *k = params_of(g)
    cdef int64_t plies = 0
    while is_playing(state):
        play_legal(k, state, pick(k, state, rng))
        plies += 1
    return plies


cdef void scores(const masume_game *g, const void *state, int64_t *out) noexcept nogil:
    """Write the points of land, bases and bonuses. [TF-20 to TF-22, TF-R23, TF-R30]"""
    cdef int32_t player
    for player in range(NUM_PLAYERS):
        out[player] = header_of(state).scores[player]


cdef void forecast(const masume_game *g, const void *state, double *out) noexcept nogil:
    """Write expected points: bases count fully, land counts less the more rounds are left in which it can be lost."""
    cdef const Params *k = params_of(g)
    cdef const Header *header = header_of(state)
    cdef int32_t player, cell, rounds = (k.last_ply - header.ply) // NUM_PLAYERS
    cdef double lost = (1 - LASTS) * rounds / (1 + rounds)
    for player in range(NUM_PLAYERS):
        out[player] = header.scores[player]
    for cell in range(k.cells):
        player = owner_of(land_of(k, state)[cell])
        if player >= 0 and land_of(k, state)[cell] == owned_by(player):
            out[player] -= lost


cdef inline bint is_above(const Params *k, const Header *header, int32_t one, int32_t other) noexcept nogil:
    """Return whether a player ranks above another. [section 8.3, TF-R32]"""
    if header.scores[one] == header.scores[other]:
        return not k.shared and one > other
    return header.scores[one] > header.scores[other]


cdef void returns(const masume_game *g, const void *state, float *out) noexcept nogil:
    """Write (players ranked below - players ranked above) / 2. [section 8.3]"""
    cdef const Params *k = params_of(g)
    cdef const Header *header = header_of(state)
    cdef int32_t player, other, sum
    for player in range(NUM_PLAYERS):
        sum = 0
        for other in range(NUM_PLAYERS):
            sum += is_above(k, header, player, other) - is_above(k, header, other, player)
        out[player] = <float>(0.5 * sum) if header.finished else 0


cdef uint64_t key(const masume_game *g, const void *state) noexcept nogil:
    """Return a hash of all bytes; each byte belongs to a variable, is derived from variables or is zero."""
    cdef const Params *k = params_of(g)
    return hash_words(<const uint64_t *>state, k.hash_keys, k.state_size // (2 * sizeof(uint64_t)))


cdef void observe(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                  void *const *out) noexcept nogil:
    """Write the fields of `table`, in its order."""
    cdef const Params *k = params_of(g)
    cdef int32_t side = 2 * k.radius + 1
    cdef Sight seen
    if fields & ~2:                                      # shared by all planes
        look(k, state, player, &seen)
    if fields & 1:
        observe_planes(k, state, player, &seen, k.flat[0], k.cells, <float *>out[0])
    if fields & 2:
        observe_scalars(k, state, player, <float *>out[1])
    if fields & 4:
        observe_planes(k, state, player, &seen, k.square[0], side * side, <float *>out[2])
    if fields & 8:
        observe_planes(k, state, player, &seen, k.flat[player], k.cells, <float *>out[3])
    if fields & 16:
        observe_planes(k, state, player, &seen, k.square[player], side * side, <float *>out[4])


cdef void observe_compact(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                          const masume_form *form, void *const *out) noexcept nogil:
    """Write the planes and grids."""
    cdef const Params *k = params_of(g)
    cdef int32_t side = 2 * k.radius + 1
    if fields & 1:
        write_view(k, state, player, k.flat[0], k.cells, form, g.planes[0], <uint8_t *>out[0])
    if fields & 4:
        write_view(k, state, player, k.square[0], side * side, form, g.planes[2], <uint8_t *>out[2])
    if fields & 8:
        write_view(k, state, player, k.flat[player], k.cells, form, g.planes[3], <uint8_t *>out[3])
    if fields & 16:
        write_view(k, state, player, k.square[player], side * side, form, g.planes[4], <uint8_t *>out[4])


cdef void write_view(const Params *k, const void *state, int32_t player, const int16_t *shown, int32_t size,
                     const masume_form *form, const masume_plane *kinds, uint8_t *out) noexcept nogil:
    """Write the planes of `size` places each in a compact form; cell c is at place shown[c]."""
    observe_bytes(k, state, player, shown, size, kinds if form.dtype == MASUME_BITS else NULL, out)


cdef enum:                         # policies
    SETTLER
    BUILDER
    NUM_POLICIES

cdef const char *POLICY_NAMES[NUM_POLICIES]
POLICY_NAMES[:] = [b"settler", b"builder"]


cdef void policy(const masume_game *g, const void *state, const void *memory, int32_t which, int32_t player,
                 uint64_t *rng, int32_t *codes) noexcept nogil:
    """Write the policy's code; the game must be running."""
    if which == BUILDER:
        codes[0] = build_up(params_of(g), state, rng)
    else:
        codes[0] = settle(params_of(g), state, rng)


# -- the table of a config ----------------------------------------------------------------------------

cdef struct Kit:
    masume_game table
    masume_field state_fields[NUM_STATE_FIELDS]
    masume_field fields[NUM_FIELDS]
    const masume_plane *planes[NUM_FIELDS]
    masume_plane kinds[NUM_PLANES]
    Params params


cdef void make_board(Params *k):
    """Fill in the geometry of section 3.1."""
    cdef int32_t n, d, i, away, x, y, other_x, other_y, side = 2 * k.radius + 1
    cells = hexes.cells(k.radius)
    index = {cell: n for n, cell in enumerate(cells)}
    for n, (x, y) in enumerate(cells):
        k.rotated[n] = index[-(x + y), x]
        for d, (i, away) in enumerate(STEPS):
            target = index.get((x + i, y + away))
            k.step[n][d] = n if target is None else target
            k.on_board[n] |= (target is not None) << d
        k.self_share[n] = <int8_t>((<object>k.on_board[n]).bit_count() - 5)
        found = []
        for i, (other_x, other_y) in enumerate(cells):
            away = max(abs(x - other_x), abs(y - other_y), abs(x + y - other_x - other_y))
            if away <= 2:
                found.append((away, i))
            if 0 < away <= TOWER_RANGE:
                put(k.rings + (n * TOWER_RANGE + away - 1) * k.words, i)
                if away == 1:
                    put(k.around[n], i)
                on_axis = x == other_x or y == other_y or x + y == other_x + other_y
                if not k.contest or (away <= AXIS_RANGE and on_axis):
                    put(k.reach + n * k.words, i)
        for i, (distance, other) in enumerate(sorted(found)):
            k.near[n][i] = other
            for away in range(distance, 3):
                k.within[n][away] = i + 1
    for n, (x, y) in enumerate([(x, y) for y in range(k.radius + 1) for x in range(1 - y, k.radius - y + 1)]):
        k.third[n] = index[x, y]
        k.third_size = n + 1
    n = 0
    for x in range(-k.radius, k.radius + 1):
        y = max(-k.radius, -x - k.radius)
        i = x + k.radius
        k.columns[i].first = n
        k.columns[i].place = (i + 1) * (side + 1) + y + k.radius
        memset(k.columns[i].cells, 1, side - abs(x))
        for y in range(COLUMN_WORDS):
            k.columns[i].cells[y] *= 255
        n += side - <int32_t>abs(x)
    for n in range(k.cells):
        k.flat[0][n] = n
        k.flat[1][n] = k.rotated[k.rotated[n]]           # the viewer's third becomes T0
        k.flat[2][n] = k.rotated[n]
        for i in range(NUM_PLAYERS):
            x, y = cells[k.flat[i][n]]
            k.square[i][n] = (y + k.radius) * side + x + k.radius


cdef void make_tables(Params *k):
    """Fill in the tables indexed by the bytes of lands and moves."""
    cdef int32_t n, d, bucket, count, player, building
    cdef uint8_t moves
    for n in range(256):
        count = 0
        for d in range(8):
            if n >> d & 1:
                k.nth[n][count] = d
                count += 1
        k.ones[n] = count
    for n in range(256):
        k.weight[n] = k.ones[n & DIRECTIONS] * ((n >> OFFERED_AT) + 1)
        for d in range(NUM_DIRECTIONS):
            for bucket in range((n >> OFFERED_AT) + 1):
                k.pattern[n][NUM_BUCKETS * d + bucket] = n >> d & 1
                k.spread[n] |= <uint32_t>(n >> d & 1) << NUM_BUCKETS * d + bucket
        count = 0
        for d in range(CELL_CODES):
            if k.spread[n] >> d & 1:
                k.places[n][count] = <uint8_t>d
                count += 1
    for n in range(NUM_OFFERS):
        for d in range(DIRECTIONS + 1):
            moves = make_moves(<uint8_t>d, n)
            k.offers[n][d] = <uint16_t>(moves | (k.weight[moves] << 8 if n else 0))
    for d in range(NUM_DIRECTIONS):
        k.opposite[d] = 1 << <int32_t>STEPS.index((-STEPS[d][0], -STEPS[d][1]))
    for player in range(NUM_PLAYERS):
        for n in range(NUM_LANDS):
            k.enterable[player][n] = not n & BUILDING or owner_of(n) == player
    for building in range(FACTORY, FACTORY + k.kinds):
        for n in range(k.recipe[building], MAX_MATERIAL_SUM + 1):
            k.by_material[n] |= 1 << building - FACTORY
        for n in range(k.least[building], MANY + 1):
            k.by_robots[n] |= 1 << building - FACTORY


cdef void make_params(Params *k, object config):
    cdef int32_t n
    cdef size_t size
    k.radius = config.radius
    k.cells = 3 * k.radius * (k.radius + 1) + 1
    k.words = (k.cells + 63) // 64
    k.contest = config.ruleset == "contest"
    k.kinds = len(PRICES[config.ruleset])
    k.first_build = 1 + CELL_CODES * k.cells
    k.actions = k.first_build + k.kinds * k.cells
    k.last_ply = NUM_PLAYERS * config.max_turns
    k.score_limit = config.score_limit
    k.end_all_developed = config.end_all_developed
    k.shared = config.tie_break == "shared"
    k.illegal_locks = config.illegal_locks
    k.is_generated = config.map is None
    k.by_chance = config.hole_mode == "chance"
    k.holes_per_third = config.holes_per_third
    k.hole_divisor = config.hole_divisor
    k.hole_cap = config.hole_cap
    k.map_check = CHECKS.index(config.map_check)
    k.robots_at = sizeof(Header) + k.words * sizeof(Sets)
    k.moved_at = k.robots_at + k.cells * sizeof(int32_t)
    k.moves_at = k.moved_at + k.cells * sizeof(int32_t)
    k.land_at = k.moves_at + (k.cells + WIDE_BLOCK - 1) // WIDE_BLOCK * WIDE_BLOCK       # the kernel's are whole blocks
    k.worth_at = k.land_at + k.cells
    size = max(<size_t>(k.worth_at + k.cells),           # kernels read whole blocks of robots and land
               <size_t>(k.robots_at + (k.cells + WIDE_BLOCK - 1) * sizeof(int32_t)),
               <size_t>(k.land_at + k.cells + WIDE_BLOCK - 1))
    k.state_size = <uint32_t>((size + SIZE_STEP - 1) // SIZE_STEP * SIZE_STEP)
    for n, (price, recipe) in enumerate(zip(PRICES[config.ruleset], RECIPES[config.ruleset], strict=True), FACTORY):
        k.price[n] = price
        k.least[n] = price if k.contest else price + 1
        k.recipe[n] = recipe
    for n in range(MAX_STATE_WORDS):
        k.hash_keys[n] = masume_mix(n)
    make_board(k)
    make_tables(k)
    if not k.is_generated:
        cells = hexes.cells(k.radius)
        for n, home in enumerate(config.map.homes):
            land_of(k, k.start)[<int32_t>cells.index(home)] = HOME | owned_by(n)
        for hole in config.map.holes:
            land_of(k, k.start)[<int32_t>cells.index(hole)] = HOLE


def table(config, level=None):
    """Return a capsule with the function table of a config (src/masume/game.h).

    Parameters
    ----------
    config : masume.terraforming.Config
    level : {"v2", "v3", "v4"}, optional
        CPU level of the kernels. Default: the level in the environment variable MASUME_CPU, else the best one of this
        machine.

    Raises
    ------
    TypeError
        If `config` is not a Terraforming Config.
    ConfigError
        If the machine lacks the level.
    """
    from masume.terraforming.config import Config
    cdef Kit *kit
    cdef masume_game *g
    cdef Params *k
    cdef int32_t n, side
    if not isinstance(config, Config):
        raise TypeError(f"config: expected a masume.terraforming.Config, got {config!r}")
    capsule = new_capsule(sizeof(Kit))
    kit = <Kit *>block_of(capsule)
    k = &kit.params
    make_params(k, config)
    k.level = kernels_of(level)
    k.kernels = terraforming_pick(k.level.name)
    side = 2 * k.radius + 1
    lay_out(&kit.state_fields[0], "ply", "i2", 0, ())
    lay_out(&kit.state_fields[1], "num_moves", "i2", 2, ())
    lay_out(&kit.state_fields[2], "scores", "i2", 4, (NUM_PLAYERS,))
    lay_out(&kit.state_fields[3], "num_bases", "i2", 10, ())
    lay_out(&kit.state_fields[4], "player", "u1", 12, ())
    lay_out(&kit.state_fields[5], "phase", "u1", 13, ())
    lay_out(&kit.state_fields[6], "finished", "u1", 14, ())
    lay_out(&kit.state_fields[7], "sets", "u8", sizeof(Header), (k.words, sizeof(Sets) // sizeof(uint64_t)))
    lay_out(&kit.state_fields[8], "robots", "i4", k.robots_at, (k.cells,))
    lay_out(&kit.state_fields[9], "moved", "i4", k.moved_at, (k.cells,))
    lay_out(&kit.state_fields[10], "moves", "u1", k.moves_at, (k.cells,))
    lay_out(&kit.state_fields[11], "land", "u1", k.land_at, (k.cells,))
    lay_out(&kit.state_fields[12], "worth", "u1", k.worth_at, (k.cells,))
    lay_out(&kit.state_fields[13], "specials", "u1", 15, ())
    lay_out(&kit.fields[0], "planes", "f4", 0, (NUM_PLANES, k.cells))
    lay_out(&kit.fields[1], "scalars", "f4", 0, (NUM_SCALARS,))
    lay_out(&kit.fields[2], "grid", "f4", 0, (NUM_PLANES, side, side))
    lay_out(&kit.fields[3], "canonical_planes", "f4", 0, (NUM_PLANES, k.cells))
    lay_out(&kit.fields[4], "canonical_grid", "f4", 0, (NUM_PLANES, side, side))
    g = &kit.table
    g.name = "terraforming"
    g.params = k
    g.state_size = k.state_size
    g.num_players = NUM_PLAYERS
    g.num_slots = 1
    g.num_actions = k.actions
    g.max_legal = 1 + (k.kinds - 1) * k.cells            # on a cell either a bridge or other buildings are legal
    for n in range(k.cells):
        g.max_legal += k.weight[make_moves(k.on_board[n], MANY)]
    fill_required(g, kit.state_fields, NUM_STATE_FIELDS, kit.fields, NUM_FIELDS, init, slots, legal, mask, sample,
                  fallback, apply, returns, scores, observe, key, check)
    set_bits(kit.kinds, 0, NUM_PLANES)
    for n in range(14, 23):                              # counts; more than 255 are shown as 255
        kit.kinds[n].is_bits = False
    for n in (0, 2, 3, 4):
        kit.planes[n] = kit.kinds
    g.planes = kit.planes
    g.observe_compact = observe_compact
    g.decode = decode
    g.encode = encode
    g.apply_action = apply_action
    g.playout = playout
    g.step_many = step_many
    g.mask_bits = mask_bits
    g.policy = policy
    g.forecast = forecast
    g.num_policies = NUM_POLICIES
    g.policy_names = POLICY_NAMES
    return capsule


# -- codes of the canonical view [section 9] -------------------------------------------------------------

def canonical_codes(config):
    """Return the RL codes of the canonical view of each seat. [section 9]

    Parameters
    ----------
    config : masume.terraforming.Config

    Returns
    -------
    int32[3, num_actions]
        [seat, RL code]: the code that the canonical view of the seat shows for the code.
        `shown[canonical_codes(config)[v]] = mask` turns a mask into the mask of the board as seat v sees it.

    Raises
    ------
    TypeError
        If `config` is not a Terraforming Config.
    """
    return rotate_codes(config, NUM_BUCKETS)


def canonical_indices(config):
    """Return the indices of exact codes in the canonical view of each seat. [section 6.4] [section 9]

    Parameters
    ----------
    config : masume.terraforming.Config

    Returns
    -------
    int32[3, 1 + (6 + B) N]
        [seat, index]: the index that the canonical view of the seat shows; the amount of a code does not change.

    Raises
    ------
    TypeError
        If `config` is not a Terraforming Config.
    """
    return rotate_codes(config, 1)


cdef object rotate_codes(object config, int buckets):
    """Rotate cells and directions by 240 degrees for seat 1 and by 120 for seat 2; amounts and buildings stay."""
    capsule = table(config)
    cdef const Params *k = &(<Kit *>block_of(capsule)).params
    cdef int32_t n, d, b, seat, step = NUM_DIRECTIONS * buckets
    found = np.zeros((NUM_PLAYERS, 1 + (step + k.kinds) * k.cells), np.int32)
    cdef int32_t *out = <int32_t *>cnp.PyArray_DATA(found)
    for seat in range(NUM_PLAYERS):
        out += 1
        for n in range(k.cells):
            for d in range(NUM_DIRECTIONS):
                turned = (d, ROTATED[ROTATED[d]], ROTATED[d])[seat]
                for b in range(buckets):
                    out[0] = 1 + step * k.flat[seat][n] + buckets * <int32_t>turned + b
                    out += 1
        for n in range(k.cells):
            for b in range(k.kinds):
                out[0] = 1 + step * k.cells + k.kinds * k.flat[seat][n] + b
                out += 1
    return found


# -- Python face --------------------------------------------------------------------------------------

cdef class State(_state.State):
    """A Terraforming position, changed in place by `apply`.

    Actions are exact codes, codes are RL codes. [section 6.4] Players, cells and arrays are those of section 3; N is
    the number of cells.
    """
    cdef const Params *k

    def __cinit__(self, *_):
        if self.g.init != init:
            raise TypeError(f"game: {self.game!r} is not terraforming")
        self.k = <const Params *>self.g.params

    def __init__(self, game, seed=0):
        if header_of(self.data).ply == 0:
            raise ConfigError(f"hole_mode: no valid map in {MAX_ATTEMPTS} attempts from seed {seed}")

    # -- properties -------------------------------------------------------------------------

    @property
    def player(self):
        """The player whose turn it is, 0..2; at the end, the player who would be next. [section 3.2]"""
        return header_of(self.data).player

    @property
    def ply(self):
        """Number of player turns begun, 0 before the first. [section 3.2]"""
        return header_of(self.data).ply

    @property
    def turn(self):
        """The round, from 1; 0 before the first. [TF-R7]"""
        return (header_of(self.data).ply + 2) // NUM_PLAYERS

    @property
    def phase(self):
        """0 CHOOSE, 1 MOVE, 2 BUILT, 3 PRE. [section 3.2]"""
        return header_of(self.data).phase

    @property
    def finished(self):
        """Whether the game is over. [section 8.2]"""
        return bool(header_of(self.data).finished)

    @property
    def owner(self):
        """int8[N]: owner of each cell, -1 for none. [section 3.2]"""
        return (np.frombuffer(self.lands(), np.uint8) >> OWNER_AT).astype(np.int8) - np.int8(1)

    @property
    def hole(self):
        """bool[N]: whether each cell is a hole without a bridge. [TF-10]"""
        return np.frombuffer(self.lands(), np.uint8) & HOLE != 0

    @property
    def building(self):
        """uint8[N]: code of the building on each cell, 0 for none. [section 2]"""
        return np.frombuffer(self.lands(), np.uint8) & BUILDING

    cdef bytes lands(self):
        return land_of(self.k, self.data)[:self.k.cells]

    @property
    def robots(self):
        """int32[N]: robots on each cell, which belong to its owner; a read-only view."""
        return _state.view_of(self, robots_of(self.k, self.data), np.dtype(np.int32), (self.k.cells,), False)

    @property
    def moved(self):
        """int32[N]: robots on each cell that may no longer move this turn; a read-only view. [TF-35]"""
        return _state.view_of(self, moved_of(self.k, self.data), np.dtype(np.int32), (self.k.cells,), False)

    @property
    def bonus(self):
        """uint8[N]: extra points of each building. [TF-20, TF-R39]"""
        return self.worth_where(True)

    @property
    def material(self):
        """uint8[N]: Material of each cell for its owner, 0..7. [section 3.3]"""
        return self.worth_where(False)

    cdef object worth_where(self, bint is_base):
        cdef bytes worth = worth_of(self.k, self.data)[:self.k.cells]
        return np.where((self.building > 0) == is_base, np.frombuffer(worth, np.uint8), np.uint8(0))

    def material_sum(self, cell, player):
        """Return the Material, 0..49, that `player` can build with on the cell of this index. [section 3.3]"""
        cdef int32_t who = self.to_player(player)
        return material_sum(self.k, self.data, checks.place("cell", cell, self.k.cells), who)

    @property
    def ranks(self):
        """The rank of each player by its current score, 1 to 3. [section 8.3]"""
        cdef const Header *header = header_of(self.data)
        cdef int32_t one, other
        return [1 + sum([is_above(self.k, header, other, one) for other in range(NUM_PLAYERS)])
                for one in range(NUM_PLAYERS)]

    @property
    def winner(self):
        """The player with rank 1, -1 if several share it. [TF-2, TF-19]"""
        ranks = self.ranks
        return ranks.index(1) if ranks.count(1) == 1 else -1

    def is_terminal(self):
        """Return whether the game is over; False before the start, although nobody is to move."""
        return self.finished

    # -- play -------------------------------------------------------------------------------

    def start(self):
        """Begin the first turn, after which player 0 decides; IllegalActionError if the game has begun."""
        if header_of(self.data).phase != PRE:
            raise IllegalActionError(f"start: the game has begun\n{self}")
        begin_turn(self.k, self.data)

    def why_illegal(self, action):
        """Return the first rule of section 6.1 that forbids an exact code, None if the code is legal.

        Parameters
        ----------
        action : int
            Exact code. [section 6.4]

        Returns
        -------
        str or None
            "M1" to "M7" or "B1" to "B8". Before these, "6.4" for a code that is not an action, "pre" before the start,
            "finished" at the end.

        Raises
        ------
        ValueError
            If the action is not an int.
        """
        return FAULTS[fault_of(self.k, self.data, _state.to_int64(action, "action"))]

    def attempt(self, action):
        """Play an exact code if it is legal, and return whether it was: the referee's entry. [section 6.3]

        An illegal code changes nothing, with one exception: under `illegal_locks`, in CHOOSE, an illegal move makes the
        turn one of moves, and an illegal build uses up the build. [TF-R26]

        Raises
        ------
        ValueError
            If the action is not an int.
        """
        cdef int64_t wanted = _state.to_int64(action, "action")
        cdef int32_t fault = fault_of(self.k, self.data, wanted)
        cdef Header *header = header_of(self.data)
        if fault == LEGAL:
            self.g.apply_action(self.g, self.data, NULL, wanted)
        elif fault >= M1 and self.k.illegal_locks and header.phase == CHOOSE:
            header.phase = MOVE if fault < B1 else BUILT
            if header.phase == BUILT:
                forget_moves(self.k, self.data)
        return fault == LEGAL

    def _illegal(self, int slot, action):
        fault = self.why_illegal(action)
        if self.finished:
            return GameOverError(f"the game is over: action {action!r} cannot be played\n{self}")
        return IllegalActionError(f"action {action!r} of player {self.player} breaks {fault}\n{self}")

    # -- dict and text ------------------------------------------------------------------------

    def to_dict(self):
        """Return the variables of section 3.2 under their names, as plain JSON types; lists are in cell index order."""
        return {
            "owner": self.owner.tolist(),
            "robots": self.robots.tolist(),
            "moved": self.moved.tolist(),
            "hole": self.hole.tolist(),
            "building": self.building.tolist(),
            "bonus": self.bonus.tolist(),
            "player": self.player,
            "ply": self.ply,
            "phase": self.phase,
            "finished": self.finished,
        }

    cdef int load(self, dict variables) except -1:
        """Set the position from a dict; StateError names the faulty key."""
        cdef Header *header
        cdef int32_t n
        cdef uint64_t loaded[MAX_STATE_WORDS]
        same_keys("", variables, self.to_dict())
        count = self.k.cells
        owner = numbers("owner", variables["owner"], count, -1, NUM_PLAYERS - 1)
        robots = numbers("robots", variables["robots"], count, 0, MAX_ROBOTS)
        moved = numbers("moved", variables["moved"], count, 0, MAX_ROBOTS)
        hole = [boolean(f"hole[{n}]", value) for n, value in enumerate(items("hole", variables["hole"], count))]
        building = numbers("building", variables["building"], count, 0, FACTORY + self.k.kinds - 1)
        bonus = numbers("bonus", variables["bonus"], count, 0, MAX_BONUS)
        memset(loaded, 0, sizeof(loaded))
        header = header_of(loaded)
        header.player = number("player", variables["player"], 0, NUM_PLAYERS - 1)
        header.ply = number("ply", variables["ply"], 0, self.k.last_ply)
        header.phase = number("phase", variables["phase"], CHOOSE, PRE)
        header.finished = boolean("finished", variables["finished"])
        if sum(robots) > MAX_ROBOTS:
            raise StateError(f"robots: expected at most {MAX_ROBOTS} in all, got {sum(robots)}")
        for n in range(count):
            robots_of(self.k, loaded)[n] = robots[n]
            moved_of(self.k, loaded)[n] = moved[n]
            land_of(self.k, loaded)[n] = (<int>owner[n] + 1) << OWNER_AT | <int>building[n] | (HOLE if hole[n] else 0)
            worth_of(self.k, loaded)[n] = bonus[n]
            if bonus[n] and not building[n]:
                raise StateError(f"bonus[{n}]: {bonus[n]} without a building")
        derive(self.k, loaded)
        self.accept(check(self.g, loaded, NULL))
        memcpy(self.data, loaded, self.k.state_size)
        return 0

    def __str__(self):
        from masume.terraforming import notation
        return notation.to_text(self.to_dict())

    def _context(self, slot):
        return (self.game.config,)


cdef bint boolean(str name, object value) except -1:
    if not isinstance(value, bool):
        raise StateError(f"{name}: expected True or False, got {value!r}")
    return value


guard_methods(globals())

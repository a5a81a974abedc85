# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Kakomimasu engine: 2 to 4 players whose agents simultaneously build walls and enclose territory.

Implements sections 2 to 9 of docs/rules/kakomimasu.md. Slow twin: masume.kakomimasu.reference, held equal by
tests/kakomimasu/campaign.py. The rules are in rules.pxd, territory in kernels.h.
"""
from collections import Counter

cimport numpy as cnp
cimport masume.core._state as _state
import numpy as np
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from masume.core._batch cimport Loop
from masume.core._game cimport (
    MASUME_BITS, MASUME_ILLEGAL_SLOT, MASUME_MAX_SLOTS, MASUME_SIMULTANEOUS, masume_batch, masume_field, masume_form,
    masume_game, masume_mix, masume_next, masume_plane)
from masume.core.guard cimport guard_methods
from masume.core.provide cimport block_of, fill_required, lay_out, new_capsule, set_bits, set_levels, set_linear
from masume.kakomimasu.rules cimport *
from masume.core._wide cimport WIDE_BLOCK, kernels_of, wide_level, wide_plane

from masume.core.checks import items, number, numbers, same_keys
from masume.errors import ConfigError, GameOverError, IllegalActionError, StateError

cnp.import_array()

cdef enum:
    SIZE_STEP = 64                 # states begin on a cache line
    MIN_CHUNKS = 4                 # least number of chunks that the kernels accept

cdef enum:                         # maps of `policy`
    PITCH = 32                     # cell (x, y) is at (y + 1) * PITCH + x + 1, which leaves a margin
    MAP = 1024
    NOTHING = -(1 << 28)           # gain of a place that no agent may enter

cdef double RISK = 0.05            # share of a wall next to an enemy's agent that is lost, for each of two turns

cdef const char *POLICY_NAMES[1]
POLICY_NAMES[:] = [b"gather"]

KINDS = ("STAY", "PUT", "MOVE", "REMOVE")
DIRECTIONS = tuple((GRID_DX[d], GRID_DY[d]) for d in range(8))    # clockwise from north
BOARD_MAKERS = ("seed", "symmetry", "positive_ratio", "max_point", "min_point")        # make `points`; no other effect
VERSION = 1

cdef int32_t AROUND[8]             # steps on a map, by direction
cdef int32_t direction
for direction in range(8):
    AROUND[direction] = GRID_DY[direction] * PITCH + GRID_DX[direction]


# -- table entries ------------------------------------------------------------------------------------

cdef inline const Params *params_of(const masume_game *g) noexcept nogil:
    return <const Params *>g.params


cdef void init(const masume_game *g, void *state, void *memory, uint64_t seed) noexcept nogil:
    """Set the initial position: nothing built, no agent placed. [KM-12, section 4.1]"""
    cdef const Params *k = params_of(g)
    cdef int32_t i
    memset(state, 0, g.state_size)
    for i in range(k.slots):
        agents_of(k, state)[i] = -1


cdef int32_t slots(const masume_game *g, const void *state, int32_t *players) noexcept nogil:
    """Write the player of each slot player * agents + agent; no slots after the last turn. [KM-6, KM-58]"""
    cdef const Params *k = params_of(g)
    cdef int32_t p, i
    if played_of(state)[0] >= k.total_turns:
        return 0
    for p in range(k.players):
        for i in range(p * k.agents, (p + 1) * k.agents):
            players[i] = p
    return k.slots


cdef int32_t legal(const masume_game *g, const void *state, int32_t slot, int32_t *codes) noexcept nogil:
    """Write the legal codes, ascending: STAY, then MOVEs, REMOVEs and PUTs. [section 6]"""
    cdef const Params *k = params_of(g)
    cdef int32_t player = slot // k.agents, cell = agents_of(k, state)[slot]
    cdef int32_t x, y, count = 1
    cdef uint32_t moves, removes
    cdef uint32_t rows[MAX_ROWS]
    codes[0] = 0
    if cell >= 0:
        find_steps(k, state, player, cell, &moves, &removes)
        moves |= removes << (FIRST_REMOVE - FIRST_MOVE)
        for x in range(FIRST_PUT - FIRST_MOVE):
            if moves >> x & 1:
                codes[count] = FIRST_MOVE + x
                count += 1
        return count
    find_puts(k, state, player, rows)
    for y in range(k.height):
        for x in range(k.width):
            if rows[y] >> x & 1:
                codes[count] = FIRST_PUT + y * k.width + x
                count += 1
    return count


cdef inline void pour(const Params *k, const uint32_t *rows, int32_t start, uint32_t *stream) noexcept nogil:
    """Write bit start + n of the stream for each cell n in rows [height], and 0 before them (start < 32) and after them
    to the end of the word. Words are stored as they are loaded: a load of several stores would wait for all of them.
    """
    cdef uint64_t bits = 0
    cdef int32_t y
    for y in range(k.height):
        bits |= <uint64_t>rows[y] << start
        stream[0] = <uint32_t>bits
        start += k.width
        stream += start >> 5
        bits >>= start & 32
        start &= 31
    stream[0] = <uint32_t>bits


cdef inline void pour_puts(const Params *k, const void *state, int32_t player, int32_t start,
                           uint32_t *stream) noexcept nogil:
    """Write the stream with bit start + n set if an agent may be PUT on cell n."""
    cdef uint32_t rows[MAX_ROWS]
    find_puts(k, state, player, rows)
    pour(k, rows, start, stream)


cdef void mask(const masume_game *g, const void *state, int32_t slot, uint8_t *out) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef int32_t d, player = slot // k.agents, cell = agents_of(k, state)[slot]
    cdef uint32_t moves, removes
    cdef uint32_t stream[STREAM_WORDS]
    if cell >= 0:
        find_steps(k, state, player, cell, &moves, &removes)
        memset(out + FIRST_PUT, 0, k.cells)
        for d in range(8):
            out[FIRST_MOVE + d] = moves >> d & 1
            out[FIRST_REMOVE + d] = removes >> d & 1
    else:
        memset(out, 0, FIRST_PUT)
        pour_puts(k, state, player, 0, stream)
        k.level.bytes(stream, k.cells, out + FIRST_PUT)
    out[0] = 1


cdef void mask_bits(const masume_game *g, const void *state, int32_t slot, uint32_t *out) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef int32_t player = slot // k.agents, cell = agents_of(k, state)[slot]
    cdef int32_t words = (k.actions + 31) >> 5
    cdef uint32_t moves, removes
    cdef uint32_t stream[STREAM_WORDS]
    if cell >= 0:
        find_steps(k, state, player, cell, &moves, &removes)
        memset(out, 0, words * sizeof(uint32_t))
        out[0] = 1 | moves << FIRST_MOVE | removes << FIRST_REMOVE
    else:
        pour_puts(k, state, player, FIRST_PUT, stream)
        stream[0] |= 1
        memcpy(out, stream, words * sizeof(uint32_t))


cdef int32_t sample(const masume_game *g, const void *state, int32_t slot, uint64_t *rng) noexcept nogil:
    cdef const Params *k = params_of(g)
    return pick(k, state, slot // k.agents, agents_of(k, state)[slot], rng)


cdef int32_t fallback(const masume_game *g, const void *state, int32_t slot) noexcept nogil:
    """Return STAY. [section 6]"""
    return 0


cdef int32_t apply(const masume_game *g, void *state, void *memory, const int32_t *codes) noexcept nogil:
    return play(params_of(g), state, codes, <NoCodes *>NULL, True)


cdef int64_t playout(const masume_game *g, void *state, uint64_t *rng) noexcept nogil:
    """Play to the end with the draws of `sample`; the codes are legal, so agents take aim without further checks."""
    cdef const Params *k = params_of(g)
    cdef const uint32_t *walls = walls_of(state)
    cdef const int16_t *cells = agents_of(k, state)
    cdef int32_t rows = k.rows, height = k.height
    cdef uint64_t around[MAX_ROWS + 2]           # row y at y + 1: (walls | cells that the player may enter << 32) << 1
    cdef uint64_t columns = 0x700000007          # three columns of each
    cdef uint32_t puts[MAX_ROWS]
    cdef Board board
    cdef Aim *aim
    cdef uint64_t seen, draws = rng[0]
    cdef uint32_t open, origin, code, row
    cdef int64_t turns = k.total_turns - played_of(state)[0]
    cdef int32_t p, i, y
    around[0] = around[height + 1] = 0
    while played_of(state)[0] < k.total_turns:
        begin_turn(k, walls, &board)
        aim = board.aims
        for p in range(k.players):
            for y in range(height):
                open = k.field[y + 1] & (walls[p * rows + y] | ~board.wall[y])
                around[y + 1] = <uint64_t>open << 33 | <uint64_t>board.wall[y] << 1
            for i in range(p * k.agents, (p + 1) * k.agents):
                origin = k.place[cells[i] + 1]
                if origin == 0:
                    find_puts(k, state, p, puts)
                    code = pick_put(k, puts, &draws)
                    take_aim(k, &board, aim, -1, code, k.step[code], code != 0, 0)
                else:
                    row = origin >> 5 & 31
                    seen = ((around[row] >> (origin & 31) & columns)
                            | (around[row + 1] >> (origin & 31) & columns) << 3
                            | (around[row + 2] >> (origin & 31) & columns) << 6)
                    code = pick_step(k, k.ring[seen >> 32], k.ring[seen & 511], &draws)
                    take_aim(k, &board, aim, cells[i], code, k.step[code] + origin & PLACES - 1,
                             code - FIRST_MOVE < FIRST_REMOVE - FIRST_MOVE, code >= FIRST_REMOVE)
                aim += 1
        resolve(k, state, &board, <NoCodes *>NULL)
    rng[0] = draws
    return turns


cdef inline int32_t best_around(const int32_t *gains, int32_t at) noexcept nogil:
    """Return the highest gain next to a place of a map, at least 0."""
    cdef int32_t d, best = 0
    for d in range(8):
        best = max(best, gains[at + AROUND[d]])
    return best


cdef inline int32_t on_map(const Params *k, int32_t cell) noexcept nogil:
    return (cell // k.width + 1) * PITCH + cell % k.width + 1


cdef void map_gains(const Params *k, const void *state, int32_t player, uint32_t *enemy, int32_t *gains) noexcept nogil:
    """Compute the rows of enemy walls, and the gain of a wall of the player on each place, in eighths of a point.

    The gain is the change of the own score minus the others'; a quarter of it if an enemy is on the cell.
    """
    cdef const uint32_t *walls = walls_of(state)
    cdef const uint32_t *territory = territory_of(k, state)
    cdef const int16_t *cells = agents_of(k, state)
    cdef int32_t i, x, y, at, points, worth
    cdef uint32_t own, mine, theirs
    for at in range(MAP):
        gains[at] = NOTHING
    for y in range(k.height):
        own = walls[player * k.rows + y]
        enemy[y] = all_walls(walls, k.rows, k.players, y) & ~own
        mine = territory[player * k.rows + y]
        theirs = all_walls(territory, k.rows, k.players, y) & ~mine
        at = (y + 1) * PITCH + 1
        for x in range(k.width):
            points = k.points[y * k.width + x]
            worth = points if points > 0 else -points
            points += points * <int32_t>(enemy[y] >> x & 1)
            points += worth * (<int32_t>(theirs >> x & 1) - <int32_t>(mine >> x & 1))
            gains[at + x] = 8 * points & <int32_t>((own >> x & 1) - 1)
    for i in range(k.slots):
        if cells[i] >= 0:
            at = on_map(k, cells[i])
            gains[at] = NOTHING if player * k.agents <= i < (player + 1) * k.agents else gains[at] // 4


cdef void policy(const masume_game *g, const void *state, const void *memory, int32_t which, int32_t player,
                 uint64_t *rng, int32_t *codes) noexcept nogil:
    """Choose the codes of the policy "gather", agent by agent.

    Each agent takes the target with the greatest gain plus half the best gain next to it, a quarter for a wall that
    must be removed first. Small random draws decide between nearly equal targets. No agent chooses a cell that a
    team mate occupies or aims at.
    """
    cdef const Params *k = params_of(g)
    cdef int32_t gains[MAP]
    cdef uint32_t enemy[MAX_ROWS]
    cdef int32_t i, d, n, at, gain, best, target, code, first = player * k.agents
    cdef uint32_t is_wall, draw
    map_gains(k, state, player, enemy, gains)
    for i in range(first, first + k.agents):
        best = NOTHING
        code = target = 0          # place 0 is off the board
        draw = <uint32_t>(masume_next(rng) >> 32)
        n = agents_of(k, state)[i]
        if n >= 0:
            for d in range(8):
                at = on_map(k, n) + AROUND[d]
                if gains[at] == NOTHING:
                    continue
                is_wall = enemy[n // k.width + GRID_DY[d]] >> (n % k.width + GRID_DX[d]) & 1
                gain = gains[at] + (best_around(gains, at) >> 1 + is_wall) + <int32_t>(draw >> 3 * d & 7)
                if gain > best:
                    best, target = gain, at
                    code = (FIRST_REMOVE if is_wall else FIRST_MOVE) + d
        else:
            for n in range(k.cells):
                at = on_map(k, n)
                if gains[at] == NOTHING or enemy[n // k.width] >> n % k.width & 1:
                    continue
                gain = gains[at] + (best_around(gains, at) >> 1) + <int32_t>(draw >> (n & 15) & 7)
                if gain > best:
                    best, target = gain, at
                    code = FIRST_PUT + n
        codes[i - first] = code
        gains[target] = NOTHING


cdef inline int64_t wall_points(const Params *k, const void *state, int32_t player) noexcept nogil:
    """Return the sum of the signed points under the player's walls. [KM-2, KM-46]"""
    return k.kernels.weigh(k.chunks, walls_of(state) + player * k.rows, k.num_point_planes, k.point_planes,
                           k.point_weights)


cdef inline int64_t territory_points(const Params *k, const void *state, int32_t player) noexcept nogil:
    """Return the sum of the absolute points of the player's territory. [KM-4, KM-47]"""
    return k.kernels.weigh(k.chunks, territory_of(k, state) + player * k.rows, k.num_worth_planes, k.worth_planes,
                           k.worth_weights)


cdef void scores(const masume_game *g, const void *state, int64_t *out) noexcept nogil:
    """Write wall points plus territory points of each player. [KM-45]"""
    cdef const Params *k = params_of(g)
    cdef int32_t p
    for p in range(k.players):
        out[p] = wall_points(k, state, p) + territory_points(k, state, p)


cdef void forecast(const masume_game *g, const void *state, double *out) noexcept nogil:
    """Write the scores, less a tenth of the walls that an enemy can remove now; half of that in the last turn.

    In the last turn no time is left to build a wall on the cell. Agents guard the walls under them. Walls of no or
    negative points are not counted: nobody gains by removing them.
    """
    cdef const Params *k = params_of(g)
    cdef const uint32_t *walls = walls_of(state)
    cdef const int16_t *cells = agents_of(k, state)
    cdef uint32_t near[MAX_PLAYERS][MAX_ROWS + 2]                # an enemy is next to row y at y + 1
    cdef uint32_t held[MAX_PLAYERS][MAX_ROWS]                    # own agents
    cdef uint32_t exposed[MAX_ROWS]
    cdef int64_t points[MAX_PLAYERS]
    cdef uint64_t stand
    cdef uint32_t around
    cdef int32_t p, q, i, y, left = min(k.total_turns - played_of(state)[0], 2)
    scores(g, state, points)
    for p in range(k.players):
        out[p] = <double>points[p]
    if left == 0:
        return
    memset(near, 0, k.players * sizeof(near[0]))
    memset(held, 0, k.players * sizeof(held[0]))
    for p in range(k.players):
        for i in range(p * k.agents, (p + 1) * k.agents):
            stand = k.stand[cells[i] + 1]
            y = <int32_t>(stand >> 32)
            held[p][y] |= <uint32_t>stand
            around = <uint32_t>(stand | stand << 1) | <uint32_t>stand >> 1
            for q in range(k.players):
                if q != p:
                    near[q][y] |= around
                    near[q][y + 1] |= around
                    near[q][y + 2] |= around
    for p in range(k.players):
        for y in range(k.rows):
            exposed[y] = walls[p * k.rows + y] & near[p][y + 1] & ~held[p][y] & k.prized[y]
        out[p] -= RISK * left * <double>k.kernels.weigh(k.chunks, exposed, k.num_point_planes, k.point_planes,
                                                        k.point_weights)


cdef void returns(const masume_game *g, const void *state, float *out) noexcept nogil:
    """Write +1 for a sole leader by (total, wall points), 0 for tied leaders, else -1. [KM-49 to KM-51, KM-R22]"""
    cdef const Params *k = params_of(g)
    cdef int64_t total[MAX_PLAYERS]
    cdef int64_t wall[MAX_PLAYERS]
    cdef int32_t p, best = 0, first = 0
    memset(out, 0, k.players * sizeof(float))
    if played_of(state)[0] < k.total_turns:
        return
    scores(g, state, total)
    for p in range(k.players):
        wall[p] = wall_points(k, state, p)
        if total[p] > total[best] or total[p] == total[best] and wall[p] > wall[best]:
            best = p
    for p in range(k.players):
        first += total[p] == total[best] and wall[p] == wall[best]
    for p in range(k.players):
        if total[p] != total[best] or wall[p] != wall[best]:
            out[p] = -1
        elif first == 1:
            out[p] = 1


ctypedef fused agent_t:
    float
    uint8_t


cdef inline void draw_planes(const Params *k, const void *state, int32_t player,
                             uint32_t (*streams)[STREAM_WORDS], wide_plane *planes) noexcept nogil:
    """Fill in the planes of bits of a view."""
    cdef const uint32_t *walls = walls_of(state)
    cdef const uint32_t *territory = territory_of(k, state)
    cdef uint32_t neutral[MAX_ROWS]
    cdef int32_t j, p, y, players = k.players
    memset(planes, 0, MAX_VIEW * sizeof(wide_plane))
    for j in range(players):
        p = (player + j) % players
        pour(k, walls + p * k.rows, 0, streams[j])
        pour(k, territory + p * k.rows, 0, streams[players + j])
        planes[j].stream = streams[j]
        planes[players + j].stream = streams[players + j]
    memcpy(neutral, k.field + 1, k.height * sizeof(uint32_t))
    for p in range(players):
        for y in range(k.height):
            neutral[y] &= ~(walls[p * k.rows + y] | territory[p * k.rows + y])
    pour(k, neutral, 0, streams[2 * players])
    planes[3 * players].stream = streams[2 * players]
    planes[3 * players + 2].stream = <const uint32_t *>k.board_stream


cdef inline void draw_agents(const Params *k, const void *state, int32_t player, agent_t *out) noexcept nogil:
    """Write, on a plane of zeros, the number of each agent of a player, from 1; as floats, its share of all."""
    cdef const int16_t *cells = agents_of(k, state) + player * k.agents
    cdef int32_t i
    for i in range(k.agents):
        if cells[i] >= 0:
            if agent_t is float:
                out[cells[i]] = <float>(<double>(i + 1) / k.agents)
            else:
                out[cells[i]] = <uint8_t>(i + 1)


cdef inline void observe_planes(const Params *k, const void *state, int32_t player, float *out) noexcept nogil:
    cdef uint32_t streams[2 * MAX_PLAYERS + 1][STREAM_WORDS]
    cdef float agents[MAX_PLAYERS][MAX_CELLS]
    cdef wide_plane planes[MAX_VIEW]
    cdef int32_t j, players = k.players
    draw_planes(k, state, player, streams, planes)
    for j in range(players):
        memset(agents[j], 0, k.cells * sizeof(float))
        draw_agents(k, state, (player + j) % players, &agents[j][0])
        planes[2 * players + j].values = agents[j]
    planes[3 * players + 1].values = <const float *>k.point_plane
    k.level.planes(k.cells, 3 * players + 3, planes, out)


cdef void observe_compact(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                          const masume_form *form, void *const *out) noexcept nogil:
    """Write the planes, the only compact field."""
    cdef const Params *k = params_of(g)
    cdef uint32_t streams[2 * MAX_PLAYERS + 1][STREAM_WORDS]
    cdef uint8_t agents[MAX_PLAYERS][MAX_CELLS + WIDE_BLOCK]
    cdef wide_plane planes[MAX_VIEW]
    cdef int32_t j, players = k.players
    draw_planes(k, state, player, streams, planes)
    for j in range(players):
        memset(agents[j], 0, k.cells)
        draw_agents(k, state, (player + j) % players, &agents[j][0])
        planes[2 * players + j].bytes = agents[j]
    planes[3 * players + 1].bytes = <const uint8_t *>k.point_bytes
    k.level.compact(k.cells, 3 * players + 3, planes, g.planes[0] if form.dtype == MASUME_BITS else NULL,
                    <uint8_t *>out[0])


cdef inline void observe_scalars(const Params *k, const void *state, int32_t player, float *out) noexcept nogil:
    cdef int32_t j, p, i, placed
    cdef int64_t wall, territory
    out[0] = <float>(<double>played_of(state)[0] / k.total_turns)
    out[1] = <float>(1.0 / k.total_turns)
    for j in range(k.players):
        p = (player + j) % k.players
        placed = 0
        for i in range(p * k.agents, (p + 1) * k.agents):
            placed += agents_of(k, state)[i] >= 0
        wall = wall_points(k, state, p)
        territory = territory_points(k, state, p)
        out[2 + 4 * j] = <float>(<double>placed / k.agents)
        out[3 + 4 * j] = <float>(<double>wall / 256)
        out[4 + 4 * j] = <float>(<double>territory / 256)
        out[5 + 4 * j] = <float>(<double>(wall + territory) / 256)


cdef inline void copy_rows(const uint32_t *rows, int32_t height, uint32_t *out) noexcept nogil:
    """Copy rows, four at a time: one memcpy of variable length would take twice as long."""
    cdef int32_t y = 0
    while y + 4 <= height:
        memcpy(out + y, rows + y, 4 * sizeof(uint32_t))
        y += 4
    while y < height:
        out[y] = rows[y]
        y += 1


cdef inline void observe_packed(const Params *k, const void *state, int32_t player, uint32_t *out) noexcept nogil:
    """Write walls, territory and agents as bit rows [3 * players][height], players from `player` on."""
    cdef int32_t j, p, i, height = k.height
    cdef uint64_t stand
    cdef const int16_t *cells
    cdef const uint32_t *rows = walls_of(state)
    for _ in range(2):                           # the territory follows the walls
        for j in range(k.players):
            p = player + j if player + j < k.players else player + j - k.players
            copy_rows(rows + p * k.rows, height, out)
            out += height
        rows += k.players * k.rows
    memset(out, 0, k.players * height * sizeof(uint32_t))
    for j in range(k.players):
        p = player + j if player + j < k.players else player + j - k.players
        cells = agents_of(k, state) + p * k.agents
        for i in range(k.agents):
            stand = k.stand[cells[i] + 1]
            out[stand >> 32] |= <uint32_t>stand
        out += height


cdef void observe(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                  void *const *out) noexcept nogil:
    """Write the requested observation fields, in the order of `table`. [section 9]"""
    cdef const Params *k = params_of(g)
    if fields & 1:
        observe_planes(k, state, player, <float *>out[0])
    if fields & 2:
        observe_scalars(k, state, player, <float *>out[1])
    if fields & 4:
        memcpy(out[2], agents_of(k, state) + player * k.agents, k.agents * sizeof(int16_t))
    if fields & 8:
        observe_packed(k, state, player, <uint32_t *>out[3])


cdef uint64_t key(const masume_game *g, const void *state) noexcept nogil:
    """Return the sum of mixes of (place in the state, value), two rows per mix; the mixes run in parallel."""
    cdef const Params *k = params_of(g)
    cdef const uint32_t *rows = walls_of(state)
    cdef const int16_t *cells = agents_of(k, state)
    cdef uint64_t place = 0x9E3779B97F4A7C15U, sum = masume_mix(<uint64_t>played_of(state)[0])
    cdef int32_t i
    for i in range(0, 2 * k.players * k.rows, 2):        # the territory follows the walls
        sum += masume_mix((<uint64_t>rows[i] | <uint64_t>rows[i + 1] << 32) + place)
        place += 0xD1B54A32D192ED03U
    for i in range(k.slots):
        sum += masume_mix(<uint64_t><uint16_t>cells[i] + place)
        place += 0xD1B54A32D192ED03U
    return masume_mix(sum)


cdef const char *check(const masume_game *g, const void *state, const void *memory) noexcept nogil:
    """Check ranges, padding and the invariants (i) to (iii) of section 3."""
    cdef const Params *k = params_of(g)
    cdef const uint32_t *walls = walls_of(state)
    cdef const uint32_t *territory = territory_of(k, state)
    cdef const int16_t *cells = agents_of(k, state)
    cdef uint32_t taken[MAX_ROWS]
    cdef uint32_t bit
    cdef int32_t p, i, y, place
    if not 0 <= played_of(state)[0] <= k.total_turns:
        return "played: out of range"
    if (<const Header *>state).padding != 0:
        return "padding: not zero"
    for i in range(<int32_t>k.end_at, <int32_t>g.state_size):
        if (<const uint8_t *>state)[i] != 0:
            return "padding: not zero"
    memset(taken, 0, sizeof(taken))
    for p in range(k.players):
        for y in range(k.rows):
            if (walls[p * k.rows + y] | territory[p * k.rows + y]) & ~k.field[y + 1]:
                return "walls, territory: off the board"
            if walls[p * k.rows + y] & taken[y]:
                return "walls, territory: a cell has two owners"
            taken[y] |= walls[p * k.rows + y]
            if territory[p * k.rows + y] & taken[y]:
                return "walls, territory: a cell has two owners"
            taken[y] |= territory[p * k.rows + y]
    memset(taken, 0, sizeof(taken))
    for p in range(k.players):
        for i in range(p * k.agents, (p + 1) * k.agents):
            if not -1 <= cells[i] < k.cells:
                return "agents: a cell is out of range"
            if cells[i] >= 0:
                place = k.place[cells[i] + 1] - PLACED
                bit = <uint32_t>1 << (place & 31)
                if taken[place >> 5] & bit:
                    return "agents: two share a cell"
                if not walls[p * k.rows + (place >> 5)] & bit:
                    return "agents: one stands on no wall of its own"
                taken[place >> 5] |= bit
    return NULL


# -- the table of a config ----------------------------------------------------------------------------

cdef struct Kit:
    masume_game table
    masume_field state_fields[4]
    masume_field fields[4]
    const masume_plane *planes[4]
    masume_plane kinds[MAX_VIEW]
    float levels[256]              # of agents
    Params params


cdef int32_t make_planes(const Params *k, const int32_t *values, bint signed, uint32_t *planes, int32_t *weights):
    """Write the bits of each cell's value as bit rows [planes][rows]; return the number of planes."""
    cdef int32_t n, bit, count = 0
    for n in range(k.cells):
        while not (-(1 << count) <= 2 * values[n] < 1 << count if signed else values[n] < 1 << count):
            count += 1
    for bit in range(count):
        weights[bit] = -(1 << bit) if signed and bit == count - 1 else 1 << bit
        for n in range(k.cells):
            planes[bit * k.rows + n // k.width] |= <uint32_t>(values[n] >> bit & 1) << n % k.width
    return count


cdef void make_params(Params *k, object config, const wide_level *level):
    cdef int32_t n, d, bits, kind, flags, x, y, count
    cdef int32_t values[MAX_CELLS]
    k.level = level
    k.kernels = kakomimasu_pick(level.name)
    k.width = config.width
    k.height = config.height
    k.cells = k.width * k.height
    k.chunks = max(MIN_CHUNKS, (k.height + 3) // 4)
    k.rows = 4 * k.chunks
    k.players = config.n_players
    k.agents = config.n_agents
    k.slots = k.players * k.agents
    k.actions = FIRST_PUT + k.cells
    k.total_turns = config.total_turns
    k.server = config.put_on_enemy_wall == "server"
    k.territory_at = sizeof(Header) + k.players * k.rows * sizeof(uint32_t)
    k.agents_at = k.territory_at + k.players * k.rows * sizeof(uint32_t)
    k.end_at = k.agents_at + k.slots * sizeof(int16_t)
    for y in range(k.height):
        k.field[y + 1] = (<uint32_t>1 << k.width) - 1
    for flags in range(128):
        kind = flags & 7
        k.verdict[flags] = judge(kind, flags >> 3 & 1, flags >> 4 & 1, flags >> 5 & 1, flags >> 6 & 1, k.server)
        if k.verdict[flags] == SUCCESS and kind != STAY:
            k.verdict[flags] = REMOVES if kind == REMOVE else BUILDS
    k.kind[0] = STAY
    k.kind[k.actions] = NO_KIND
    for d, (x, y) in enumerate(DIRECTIONS):
        k.kind[FIRST_MOVE + d] = MOVE
        k.kind[FIRST_REMOVE + d] = REMOVE
        k.step[FIRST_MOVE + d] = k.step[FIRST_REMOVE + d] = <uint16_t>(y * 32 + x & PLACES - 1)
        k.stride[FIRST_MOVE + d] = k.stride[FIRST_REMOVE + d] = <int16_t>(y * k.width + x)
        for bits in range(512):
            k.ring[bits] |= (bits >> 3 * (y + 1) + x + 1 & 1) << d
    for n in range(k.cells):
        k.kind[FIRST_PUT + n] = PUT
        k.step[FIRST_PUT + n] = <uint16_t>(n // k.width * 32 + n % k.width)
        k.stride[FIRST_PUT + n] = <int16_t>(n + 1)
        k.place[n + 1] = k.step[FIRST_PUT + n] | PLACED
        k.stand[n + 1] = <uint64_t>(n // k.width) << 32 | <uint64_t>1 << n % k.width
    for bits in range(256):
        count = 0
        for d in range(8):
            if bits >> d & 1:
                k.nth[bits][count] = d
                count += 1
        k.ones[bits] = count
    for n, points in enumerate(config.board_points()):
        values[n] = k.points[n] = points
        k.prized[n // k.width] |= <uint32_t>(points > 0) << n % k.width
        k.point_plane[n] = <float>(<double>k.points[n] / 16)
        k.point_bytes[n] = <uint8_t>(k.points[n] + 16)
    pour(k, k.field + 1, 0, k.board_stream)
    k.num_point_planes = make_planes(k, values, True, k.point_planes, k.point_weights)
    for n in range(k.cells):
        values[n] = abs(values[n])                       # KM-47
    k.num_worth_planes = make_planes(k, values, False, k.worth_planes, k.worth_weights)


def table(config, level=None):
    """Return a capsule with the function table of a config (src/masume/game.h).

    Parameters
    ----------
    config : masume.kakomimasu.Config
        Config of the game.
    level : str, optional
        CPU level of the kernels, one of `masume.core._wide.levels()`. None: the level in MASUME_CPU, else the best.

    Raises
    ------
    TypeError
        If `config` is not a config of this game.
    ConfigError
        If this machine does not support the level.
    """
    from masume.kakomimasu.config import Config
    cdef const wide_level *kernels
    cdef Kit *kit
    cdef masume_game *g
    cdef Params *k
    if not isinstance(config, Config):
        raise TypeError(f"config: expected a masume.kakomimasu.Config, got {config!r}")
    kernels = kernels_of(level)
    capsule = new_capsule(sizeof(Kit))
    kit = <Kit *>block_of(capsule)
    k = &kit.params
    make_params(k, config, kernels)
    lay_out(&kit.state_fields[0], "played", "i4", 0, ())
    lay_out(&kit.state_fields[1], "walls", "u4", sizeof(Header), (k.players, k.rows))
    lay_out(&kit.state_fields[2], "territory", "u4", k.territory_at, (k.players, k.rows))
    lay_out(&kit.state_fields[3], "agents", "i2", k.agents_at, (k.players, k.agents))
    lay_out(&kit.fields[0], "planes", "f4", 0, (3 * k.players + 3, k.height, k.width))
    lay_out(&kit.fields[1], "scalars", "f4", 0, (2 + 4 * k.players,))
    lay_out(&kit.fields[2], "agent_cells", "i2", 0, (k.agents,))
    lay_out(&kit.fields[3], "packed", "u4", 0, (3 * k.players, k.height))
    g = &kit.table
    g.name = "kakomimasu"
    g.params = k
    g.state_size = (k.end_at + SIZE_STEP - 1) // SIZE_STEP * SIZE_STEP
    g.num_players = k.players
    g.num_slots = k.slots
    g.num_actions = k.actions
    g.max_legal = 1 + max(k.cells, 2 * (min(k.width, 3) * min(k.height, 3) - 1))
    g.flags = MASUME_SIMULTANEOUS
    g.max_game_length = k.total_turns
    fill_required(g, kit.state_fields, 4, kit.fields, 4, init, slots, legal, mask, sample, fallback,
                  apply, returns, scores, observe, key, check)
    g.playout = playout
    g.policy = policy
    g.forecast = forecast
    g.num_policies = 1
    g.policy_names = POLICY_NAMES
    g.mask_bits = mask_bits
    set_bits(kit.kinds, 0, 3 * k.players + 3)
    for n in range(2 * k.players, 3 * k.players):
        kit.kinds[n].is_bits = False
        set_levels(&kit.kinds[n], kit.levels, [i / <double>k.agents for i in range(k.agents + 1)])
    kit.kinds[3 * k.players + 1].is_bits = False
    set_linear(&kit.kinds[3 * k.players + 1], 0.0625, -1)      # points / 16
    kit.planes[0] = kit.kinds
    g.planes = kit.planes
    g.observe_compact = observe_compact
    return capsule


def mark_territory(Loop batch not None):
    """Recompute the territory of every row of a batch by the rules of its first game. [section 7.2]

    This function is for benches; `apply` marks territory itself.

    Raises
    ------
    ValueError
        If the batch is of another game.
    """
    cdef const masume_batch *b = &batch.b
    cdef const masume_game *g = batch.table()
    cdef const Params *k = params_of(g)
    cdef uint8_t *state
    cdef int64_t i
    if g.init != init:
        raise ValueError(f"batch: {g.name.decode()} has no territory")
    with nogil:
        for i in range(b.n):
            state = b.states + i * g.state_size
            k.kernels.territory(k.players, k.chunks, walls_of(state), territory_of(k, state))


# -- Python face --------------------------------------------------------------------------------------

cdef class State(_state.State):
    """A Kakomimasu position, changed in place by `apply`.

    Slot player * n_agents + agent decides for an agent.
    """
    cdef const Params *k
    cdef int32_t codes[MASUME_MAX_SLOTS]      # of the last turn
    cdef int8_t last[MASUME_MAX_SLOTS]        # their result codes

    def __cinit__(self, *_):
        if self.g.init != init:
            raise TypeError(f"game: {self.game!r} is not kakomimasu")
        self.k = <const Params *>self.g.params
        memset(self.codes, 0, sizeof(self.codes))
        memset(self.last, 0, sizeof(self.last))

    cdef void _copy(self, _state.State other):
        _state.State._copy(self, other)
        memcpy(self.codes, (<State>other).codes, self.k.slots * sizeof(int32_t))
        memcpy(self.last, (<State>other).last, self.k.slots)

    # -- nouns ------------------------------------------------------------------------------

    @property
    def played(self):
        """Number of resolved turns, 0..total_turns. [KM-R26]"""
        return played_of(self.data)[0]

    @property
    def turn(self):
        """Number of the turn to be played, from 1; total_turns after the end. [KM-R26]"""
        return min(played_of(self.data)[0] + 1, self.k.total_turns)

    cdef object owners(self, const uint32_t *rows):
        """Return int8[height, width]: the player whose bit is set, -1 for none."""
        cdef cnp.npy_intp shape[2]
        cdef int32_t p, y, x
        cdef int8_t *out
        shape[0] = self.k.height
        shape[1] = self.k.width
        found = cnp.PyArray_SimpleNew(2, shape, cnp.NPY_INT8)
        out = <int8_t *>cnp.PyArray_DATA(found)
        memset(out, -1, self.k.cells)
        for p in range(self.k.players):
            for y in range(self.k.height):
                for x in range(self.k.width):
                    if rows[p * self.k.rows + y] >> x & 1:
                        out[y * self.k.width + x] = p
        return found

    @property
    def walls(self):
        """int8[height, width]: owner of the wall on each cell, -1 for none. [section 3]"""
        return self.owners(walls_of(self.data))

    @property
    def territory(self):
        """int8[height, width]: owner of the territory mark on each cell, -1 for none. [section 3]"""
        return self.owners(territory_of(self.k, self.data))

    @property
    def agents(self):
        """int16[n_players, n_agents]: cell y * width + x of each agent, -1 if not placed; a read-only view."""
        return _state.view_of(self, agents_of(self.k, self.data), np.dtype(np.int16),
                              (self.k.players, self.k.agents), False)

    @property
    def points(self):
        """int16[height, width]: points of each cell; a read-only view. [KM-10]"""
        return _state.view_of(self, <void *>self.k.points, np.dtype(np.int16), (self.k.height, self.k.width), False)

    @property
    def wall_points(self):
        """int64[n_players]: sum of the signed points under each player's walls. [KM-46]"""
        return np.array([wall_points(self.k, self.data, p) for p in range(self.k.players)], np.int64)

    @property
    def territory_points(self):
        """int64[n_players]: sum of the absolute points of each player's territory. [KM-47]"""
        return np.array([territory_points(self.k, self.data, p) for p in range(self.k.players)], np.int64)

    @property
    def results(self):
        """int8[slots]: result codes of the last turn that this State played, zeros before. [section 6]

        0 success, 1 conflict, 2 revert, 3 several actions, 5 invalid. An output, not part of the position.
        """
        cdef cnp.npy_intp count = self.k.slots
        found = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_INT8)
        memcpy(cnp.PyArray_DATA(found), self.last, count)
        return found

    def events(self, player=None):
        """Return the agents' actions in the last turn, which all players see, in slot order. [section 9]

        Parameters
        ----------
        player : int, optional
            The player who looks; all players see the same.

        Returns
        -------
        list of dict
            {"player": p, "event": "action", "agent": a, "action": code, "result": result code} for each agent,
            except those with a plain STAY.
        """
        cdef int32_t slot
        if player is not None:
            self.to_player(player)
        return [
            {"player": slot // self.k.agents, "event": "action", "agent": slot % self.k.agents,
             "action": self.codes[slot], "result": self.last[slot]}
            for slot in range(self.k.slots) if self.codes[slot] or self.last[slot]
        ]

    # -- play -------------------------------------------------------------------------------

    cdef int32_t apply_codes(self, const int32_t *codes) except? -1000:
        return self.play_codes(codes, True)

    cdef int32_t play_codes(self, const int32_t *codes, bint strict):
        """Call `play`; keep the codes and the results if the turn was played."""
        cdef Codes results
        cdef int32_t status = play(self.k, self.data, codes, &results, strict)
        if status >= 0:
            memcpy(self.codes, codes, self.k.slots * sizeof(int32_t))
            memcpy(self.last, results.of, self.k.slots)
        return status

    def apply(self, actions, on_illegal="raise"):
        """Play a turn and store the result codes in `results`. [section 6]

        Parameters
        ----------
        actions : int32[slots], or sequence of int or str
            One code, or text as of `action_to_text`, per slot.
        on_illegal : {"raise", "fallback"}, optional
            "fallback" plays an invalid action as STAY; `results` contains the reason.

        Raises
        ------
        IllegalActionError
            If an action is invalid (with "raise") or out of range (always).
        GameOverError
            If the game is over.
        ValueError
            If an array has another dtype, shape or memory order.

        Notes
        -----
        The state is unchanged after an error.
        """
        cdef int32_t codes[MASUME_MAX_SLOTS]
        cdef int32_t status
        cdef bint strict = is_strict(on_illegal)
        actions = self.read_codes(actions, codes)
        status = self.play_codes(codes, strict)
        if status < 0:
            raise self._illegal(MASUME_ILLEGAL_SLOT(status), actions[MASUME_ILLEGAL_SLOT(status)])

    def _illegal(self, int slot, action):
        if self.is_terminal():
            return GameOverError(f"the game is over: no turn can be played\n{self}")
        return self._forbidden(slot // self.k.agents, slot % self.k.agents, action)

    def _forbidden(self, player, agent, action):
        return IllegalActionError(f"player {player}, agent {agent}: action {action} is not allowed here\n{self}")

    def apply_lists(self, lists, on_illegal="raise"):
        """Play a turn given as lists and return the result codes. [KM-16, KM-R5, KM-R20, KM-R21]

        Parameters
        ----------
        lists : sequence
            Per player a list of entries (agent, type, x, y), type one of "STAY", "PUT", "MOVE", "REMOVE"; (x, y) is
            the target cell, ignored for STAY. Agents may be missing, repeated or out of range.
        on_illegal : {"raise", "fallback"}, optional
            As in `apply`; with "raise", result codes 3 and 4 raise too.

        Returns
        -------
        list of list of int
            The result codes, in the shape of `lists`.

        Raises
        ------
        ValueError
            If an entry is malformed or the number of lists is wrong; checked first.
        IllegalActionError, GameOverError
            As in `apply`.
        """
        cdef int32_t codes[MASUME_MAX_SLOTS]
        cdef int32_t status, p, agent, slot
        cdef bint strict = is_strict(on_illegal)
        turn = read_lists(lists, self.k.players)
        if self.is_terminal():
            raise self._illegal(0, None)
        memset(codes, 0, sizeof(codes))
        found = []
        for p, entries in enumerate(turn):
            named = Counter(entry[0] for entry in entries)
            for who, kind, x, y in entries:
                result = SUCCESS
                if not 0 <= who < self.k.agents:
                    result = ERR_ILLEGAL_AGENT
                elif named[who] > 1:
                    result = ERR_ONLY_ONE_TURN
                else:
                    slot = p * self.k.agents + <int32_t>who
                    codes[slot] = self.code_of(slot, kind, x, y)
                    if codes[slot] < 0:
                        codes[slot] = 0
                        result = ERR_ILLEGAL_ACTION
                if result != SUCCESS and strict:
                    raise self._forbidden(p, who, f"{kind} {x},{y}")
                found.append([p, who, result])
        status = self.play_codes(codes, strict)
        if status < 0:
            p, agent = MASUME_ILLEGAL_SLOT(status) // self.k.agents, MASUME_ILLEGAL_SLOT(status) % self.k.agents
            who, kind, x, y = next(entry for entry in turn[p] if entry[0] == agent)
            raise self._forbidden(p, who, f"{kind} {x},{y}")
        answer = [[] for _ in turn]
        for p, who, result in found:
            if result != ERR_ILLEGAL_AGENT:
                slot = p * self.k.agents + <int32_t>who
                if result != SUCCESS:
                    self.last[slot] = result
                result = self.last[slot]
            answer[p].append(result)
        return answer

    cdef int32_t code_of(self, int32_t slot, str kind, object x, object y) except? -2:
        """Return the code of an action aimed at (x, y); -1 if there is none, so that it is invalid. [KM-R3, KM-31]"""
        cdef int32_t cell = agents_of(self.k, self.data)[slot]
        if kind == "STAY":
            return 0
        if not (0 <= x < self.k.width and 0 <= y < self.k.height):
            return -1
        if kind == "PUT":
            return FIRST_PUT + y * self.k.width + x
        step = (x - cell % self.k.width, y - cell // self.k.width)
        if cell < 0 or step not in DIRECTIONS:
            return -1
        return (FIRST_MOVE if kind == "MOVE" else FIRST_REMOVE) + DIRECTIONS.index(step)

    # -- dict and text ------------------------------------------------------------------------

    def to_dict(self):
        """Return the serialised dict of section 3: version, config, played, wall, area, pos."""
        return {
            "version": VERSION,
            "config": self.game.config.to_dict(),
            "played": self.played,
            "wall": self.walls.ravel().tolist(),
            "area": self.territory.ravel().tolist(),
            "pos": self.agents.tolist(),
        }

    cdef int load(self, dict variables) except -1:
        """Load a serialised dict of this game; raise StateError, which names the key, if it is not one."""
        own = self.to_dict()
        same_keys("", variables, own)
        number("version", variables["version"], VERSION, VERSION)
        if not isinstance(variables["config"], dict):
            raise StateError(f"config: expected a dict, got {variables['config']!r}")
        same_keys("config.", variables["config"], own["config"])
        if variables["config"]["points"] is None:
            raise StateError("config.points: expected the points of all cells, got None")
        try:
            config = type(self.game.config)(**variables["config"]).to_dict()
        except ConfigError as error:
            raise StateError(f"config.{error}") from None
        for name, wanted in own["config"].items():
            if name not in BOARD_MAKERS and config[name] != wanted:
                raise StateError(f"config.{name}: expected this game's {wanted!r}, got {config[name]!r}")
        played = number("played", variables["played"], 0, self.k.total_turns)
        walls = numbers("wall", variables["wall"], self.k.cells, -1, self.k.players - 1)
        territory = numbers("area", variables["area"], self.k.cells, -1, self.k.players - 1)
        agents = [numbers(f"pos[{p}]", cells, self.k.agents, -1, self.k.cells - 1)
                  for p, cells in enumerate(items("pos", variables["pos"], self.k.players))]
        return self.fill(played, walls, territory, agents)

    cdef int fill(self, int32_t played, list walls, list territory, list agents) except -1:
        """Set these variables, all in range; raise StateError if they break an invariant."""
        cdef int16_t *cells = agents_of(self.k, self.data)
        cdef int32_t n
        init(self.g, self.data, NULL, 0)
        played_of(self.data)[0] = played
        self.mark(walls_of(self.data), walls)
        self.mark(territory_of(self.k, self.data), territory)
        for n in range(self.k.slots):
            cells[n] = agents[n // self.k.agents][n % self.k.agents]
        self.accept(self.g.check(self.g, self.data, NULL))
        return 0

    cdef int mark(self, uint32_t *rows, list owners) except -1:
        """Set the bit of each owned cell in the rows of its owner."""
        cdef int32_t n, owner, place
        for n in range(self.k.cells):
            owner = owners[n]
            if owner >= 0:
                place = self.k.place[n + 1] - PLACED
                rows[owner * self.k.rows + (place >> 5)] |= <uint32_t>1 << (place & 31)
        return 0

    def __str__(self):
        from masume.kakomimasu import notation
        return notation.to_text(self.to_dict())

    def _context(self, slot):
        return self.game.config, agents_of(self.k, self.data)[slot]


cdef int is_strict(object on_illegal) except -1:
    if on_illegal not in ("raise", "fallback"):
        raise ValueError(f"on_illegal: expected 'raise' or 'fallback', got {on_illegal!r}")
    return on_illegal == "raise"


cdef list read_lists(object lists, int32_t players):
    """Return the entries of a turn as tuples (int, str, int, int); raise ValueError if one is malformed."""
    if not isinstance(lists, (list, tuple)) or len(lists) != players:
        raise ValueError(f"lists: expected {players} lists, one for each player, got {lists!r}")
    turn = []
    for p, entries in enumerate(lists):
        if not isinstance(entries, (list, tuple)):
            raise ValueError(f"lists[{p}]: expected a list, got {entries!r}")
        read = []
        for j, entry in enumerate(entries):
            if not isinstance(entry, (list, tuple)) or len(entry) != 4 or entry[1] not in KINDS:
                raise ValueError(f"lists[{p}][{j}]: expected (agent, type, x, y), got {entry!r}")
            agent, kind, x, y = entry
            try:
                who, column, row = [_state.to_int64(value, "") for value in (agent, x, y)]
            except ValueError:
                raise ValueError(f"lists[{p}][{j}]: agent, x and y must be ints, not {entry!r}") from None
            read.append((who, str(kind), column, row))
        turn.append(read)
    return turn


guard_methods(globals())

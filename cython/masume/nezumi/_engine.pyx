# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Nezumi engine: one cat against many mice, which eat the food on a walled grid and can surround the cat.

Implements sections 2 to 9 of docs/rules/nezumi.md. Slow twin: masume.nezumi.reference, compared by
tests/nezumi/campaign.py. The rules are in rules.pxd; observation.pxd, forecast.pxd, policy.pxd and check.pxd hold
the rest.
"""
cimport numpy as cnp
cimport masume.core._state as _state
import numpy as np
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.core._game cimport MASUME_ILLEGAL, masume_field, masume_form, masume_game, masume_mix, masume_plane
from masume.nezumi.check cimport MAX_AMOUNT, MAX_CHARGE, check, count_mice, fault_of_board
from masume.nezumi.forecast cimport MAPPED, NO_WAY, forecast, spread
from masume.nezumi.observation cimport (
    FOOD, NUM_PLANES, NUM_SCALARS, observe_compact_planes, observe_planes, observe_scalars, put_word)
from masume.nezumi.policy cimport prowl
from masume.nezumi.rules cimport *
from masume.core.guard cimport guard_methods
from masume.core.provide cimport block_of, fill_required, lay_out, new_capsule, set_bits, set_levels
from masume.core._wide cimport kernels_of, wide_level

from masume.core.checks import number, numbers, same_keys
from masume.errors import StateError

cnp.import_array()

cdef enum:
    SIZE_STEP = 64                 # bytes; every state begins on a cache line
    NUM_PLAYERS = 2
    NUM_STATE_FIELDS = 13

RESULTS = ("NONE", "SURROUND", "CAPTURES", "TURNS")


# -- table entries ------------------------------------------------------------------------------------

cdef void init(const masume_game *g, void *state, void *memory, uint64_t seed) noexcept nogil:
    """Set the stage's start; the mice are to be placed. [section 4.1] [NZ-R1]"""
    memcpy(state, &params_of(g).start, g.state_size)


cdef int32_t slots(const masume_game *g, const void *state, int32_t *players) noexcept nogil:
    cdef const Board *board = <const Board *>state
    players[0] = params_of(g).mover[board.phase]
    return board.phase != OVER


cdef int32_t legal(const masume_game *g, const void *state, int32_t slot, int32_t *codes) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef int32_t group, cell, n, count = 0
    cdef uint32_t mask
    cdef uint64_t cells
    if board.phase == MOVE:
        for group in range(k.groups):
            cells = board.groups[group].unmoved
            while cells:
                cell = 64 * group + bits_first64(cells)
                for n in range(NUM_DIRECTIONS):          # max_legal leaves room for four codes per mouse
                    codes[count + n] = CODES_PER_CELL * cell + k.nth[k.ways[cell]][n]
                count += k.num_ways[cell]
                cells &= cells - 1
        return count
    if board.phase == ADD or board.phase == PLACE:
        for group in range(k.zone_begin, k.zone_end):
            cells = free_zone(k, board, group)
            while cells:
                codes[count] = CODES_PER_CELL * (64 * group + bits_first64(cells)) + PUT
                count += 1
                cells &= cells - 1
    mask = others(k, board)
    for n in range(k.ones[mask]):
        codes[count + n] = k.first_other + k.nth[mask][n]
    return count + k.ones[mask]


cdef void mask(const masume_game *g, const void *state, int32_t slot, uint8_t *out) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef int32_t group, cell, n
    cdef uint32_t rest
    cdef uint64_t cells
    memset(out, 0, g.num_actions)
    if board.phase == MOVE:
        for group in range(k.groups):
            cells = board.groups[group].unmoved
            while cells:
                cell = 64 * group + bits_first64(cells)
                # 8 bytes are copied; the last ones belong to the next cell, which is written later
                memcpy(out + CODES_PER_CELL * cell, k.pattern[k.ways[cell]], sizeof(k.pattern[0]))
                cells &= cells - 1
        return
    if board.phase == ADD or board.phase == PLACE:
        for group in range(k.zone_begin, k.zone_end):
            cells = free_zone(k, board, group)
            while cells:
                out[CODES_PER_CELL * (64 * group + bits_first64(cells)) + PUT] = 1
                cells &= cells - 1
    rest = others(k, board)
    for n in range(NUM_OTHERS):
        out[k.first_other + n] = rest >> n & 1


cdef inline void put_bits(uint32_t *out, int32_t place, uint32_t bits) noexcept nogil:
    """Set up to six bits, from bit `place` on."""
    cdef uint64_t both = <uint64_t>bits << (place & 31)
    out[place >> 5] |= <uint32_t>both
    if both >> 32:
        out[(place >> 5) + 1] |= <uint32_t>(both >> 32)


cdef void mask_bits(const masume_game *g, const void *state, int32_t slot, uint32_t *out) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef int32_t group, cell
    cdef uint64_t cells
    memset(out, 0, (g.num_actions + 31) // 32 * sizeof(uint32_t))
    if board.phase == MOVE:
        for group in range(k.groups):
            cells = board.groups[group].unmoved
            while cells:
                cell = 64 * group + bits_first64(cells)
                put_bits(out, CODES_PER_CELL * cell, k.ways[cell])
                cells &= cells - 1
        return
    if board.phase == ADD or board.phase == PLACE:
        for group in range(k.zone_begin, k.zone_end):
            cells = free_zone(k, board, group)
            while cells:
                put_bits(out, CODES_PER_CELL * (64 * group + bits_first64(cells)) + PUT, 1)
                cells &= cells - 1
    put_bits(out, k.first_other, others(k, board))


cdef int32_t sample(const masume_game *g, const void *state, int32_t slot, uint64_t *rng) noexcept nogil:
    return pick(params_of(g), <const Board *>state, rng)


cdef int32_t fallback(const masume_game *g, const void *state, int32_t slot) noexcept nogil:
    """Return the pass if it is legal, else the lowest legal code. [NZ-R28]"""
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef int32_t group, cell, way = 0
    if others(k, board) >> PASS & 1:
        return k.first_other
    if board.phase == MOVE:
        cell = nth_way(k, board, 0, &way)
        return CODES_PER_CELL * cell + way
    for group in range(k.zone_begin, k.zone_end):
        if free_zone(k, board, group):
            return CODES_PER_CELL * (64 * group + bits_first64(free_zone(k, board, group))) + PUT
    return -1                      # the game is over


cdef int32_t play_checked(const Params *k, Board *board, int32_t code) noexcept nogil:
    """Play any code; return 0, MASUME_TERMINAL, or MASUME_ILLEGAL(0) with the board unchanged."""
    if not is_legal(k, board, code):
        return MASUME_ILLEGAL(0)
    return move_mouse(k, board, k.moves[code].cell, code) if board.phase == MOVE else play_other(k, board, code)


cdef inline int32_t play(const Params *k, Board *board, int32_t code) noexcept nogil:
    """Do the same; the most frequent case is inline."""
    if (board.phase == MOVE and <uint32_t>code < <uint32_t>k.first_other and k.moves[code].next >= 0
            and can_move(k, board, code)):
        return move_mouse(k, board, k.moves[code].cell, code)
    return play_checked(k, board, code)


cdef int32_t apply(const masume_game *g, void *state, void *memory, const int32_t *codes) noexcept nogil:
    return play(params_of(g), <Board *>state, codes[0])


cdef void step_many(const masume_game *g, int64_t n, void *states, void *memories, const int32_t *codes,
                    int32_t *statuses, int32_t *movers) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef uint8_t *state = <uint8_t *>states
    cdef size_t size = g.state_size
    cdef int64_t i
    for i in range(n):
        statuses[i] = play(k, <Board *>state, codes[i])
        movers[i] = k.mover[(<Board *>state).phase]
        state += size


cdef int64_t playout(const masume_game *g, void *state, uint64_t *rng) noexcept nogil:
    """Play random codes to the end, drawn as `sample` draws them; return their number."""
    cdef const Params *k = params_of(g)
    cdef Board *board = <Board *>state
    cdef int64_t plies = 0
    cdef int32_t cell, way = 0
    while board.phase != OVER:
        if board.phase == MOVE:
            cell = nth_way(k, board, <int32_t>masume_below(rng, board.ways), &way)
            move_mouse(k, board, cell, CODES_PER_CELL * cell + way)
        else:
            play_other(k, board, pick_other(k, board, rng))
        plies += 1
    return plies


cdef inline bint mice_win(const Board *board) noexcept nogil:
    """Return whether the mice have won a game that is over. [NZ-18, NZ-19, NZ-R22]"""
    return board.result == SURROUND or score_of(board) >= 0


cdef void returns(const masume_game *g, const void *state, float *out) noexcept nogil:
    """Write 1 for the winner and -1 for the loser; 0 each before the end. [section 8]"""
    cdef const Board *board = <const Board *>state
    out[MICE] = 0 if board.phase != OVER else 1 if mice_win(board) else -1
    out[CAT] = 0 if board.phase != OVER else -out[MICE]


cdef void scores(const masume_game *g, const void *state, int64_t *out) noexcept nogil:
    """Write the mice's score in mg, and its opposite for the cat. [NZ-18]"""
    out[MICE] = score_of(<const Board *>state)
    out[CAT] = -out[MICE]


cdef void observe(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                  void *const *out) noexcept nogil:
    """Write the fields of `table`, in its order; both players see everything. [section 9]"""
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    if fields & 1:
        observe_planes(k, board, <float *>out[0])
    if fields & 2:
        observe_scalars(k, board, <float *>out[1])


cdef void observe_compact(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                          const masume_form *form, void *const *out) noexcept nogil:
    """Write the planes, the only compact field."""
    observe_compact_planes(params_of(g), <const Board *>state, form, g.planes[0], <uint8_t *>out[0])


cdef uint64_t key(const masume_game *g, const void *state) noexcept nogil:
    """Return a hash: the sum of mixes of (place in the state, value)."""
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef uint64_t step = 0xD1B54A32D192ED03U, place = 0x9E3779B97F4A7C15U, sum
    cdef const Group *group
    cdef int32_t n
    sum = masume_mix(<uint64_t>board.turn | <uint64_t>board.cat << 16 | <uint64_t>(board.react_cell + 1) << 32
                     | <uint64_t>board.phase << 48 | <uint64_t>board.react_from << 52 | <uint64_t>board.result << 56)
    sum += masume_mix(<uint64_t>board.food_sum + place)
    sum += masume_mix((<uint64_t>board.cost_sum << 8 | board.captured) + place + step)
    for n in range(k.groups):
        group = &board.groups[n]
        place += 3 * step
        sum += masume_mix(group.mice + place)
        sum += masume_mix(moved_of(group) + place + step)
        sum += masume_mix(group.food + place + 2 * step)
    return masume_mix(sum)


cdef enum:                         # policies
    NUM_POLICIES = 1

cdef const char *POLICY_NAMES[NUM_POLICIES]
POLICY_NAMES[:] = [b"prowler"]


cdef void policy(const masume_game *g, const void *state, const void *memory, int32_t which, int32_t player,
                 uint64_t *rng, int32_t *codes) noexcept nogil:
    """Write the prowler's code; the game must be running. (policy.pxd)"""
    codes[0] = prowl(params_of(g), <const Board *>state, rng)


# -- the table of a config ----------------------------------------------------------------------------

cdef struct Kit:
    masume_game table
    masume_field state_fields[NUM_STATE_FIELDS]
    masume_field fields[2]
    const masume_plane *planes[2]
    masume_plane kinds[NUM_PLANES]
    float levels[256]              # of food
    Params params


cdef void make_params(Params *k, object config, const wide_level *level):
    from masume.nezumi.stages import DIAGONALS, STEPS, neighbours
    cdef int32_t cell, n, direction, place
    stage = config.start_stage
    k.level = level
    k.height = stage.height
    k.width = stage.width
    k.size = k.height * k.width
    k.first_other = CODES_PER_CELL * k.size
    k.groups = k.size // 64 + 1
    k.max_mice = stage.max_mice
    k.require = stage.require
    k.turns = stage.turns
    k.surround_flip = config.surround_flip
    k.total_food = sum(stage.food)
    k.mover[PLACE] = k.mover[ADD] = k.mover[MOVE] = MICE
    for n in range(64):
        for place in range(NUM_OTHERS):
            k.pattern[n][place] = n >> place & 1
            if n >> place & 1:
                k.nth[n][k.ones[n]] = <uint8_t>place
                k.ones[n] += 1
    for direction, (down, right) in enumerate(STEPS):
        k.step[direction] = down * k.width + right
    for down, right in ((0, 0), *STEPS, *DIAGONALS):
        k.close[MAX_CELLS + down * k.width + right] = 1
    for cell in range(k.size):
        k.row[cell] = <uint8_t>(cell // k.width)
        k.column[cell] = <uint8_t>(cell % k.width)
        for direction, step in enumerate(STEPS):
            if any(not stage.wall[near] for near in neighbours(cell, k.height, k.width, [step])):
                k.ways[cell] |= 1 << direction
                k.open[direction][cell >> 6] |= bit_of(cell)
        if k.ways[cell] == 0:
            k.ways[cell] = 1 << RETIRE
        k.num_ways[cell] = k.ones[k.ways[cell]]
        for n in range(CODES_PER_CELL):
            k.moves[CODES_PER_CELL * cell + n].cell = <int16_t>cell
            k.moves[CODES_PER_CELL * cell + n].next = BARRED
            if k.ways[cell] >> n & 1:
                k.moves[CODES_PER_CELL * cell + n].next = WALLED if n == RETIRE else <int16_t>(cell + k.step[n])
        found = [near for near in neighbours(cell, k.height, k.width, DIAGONALS) if not stage.wall[near]]
        for n in range(4):
            k.diagonals[cell][n] = found[n if n < len(found) else 0] if found else k.size
        if not stage.wall[cell]:
            k.floor[cell >> 6] |= bit_of(cell)
        if stage.zone[cell]:
            k.zone[cell >> 6] |= bit_of(cell)
            if k.zone_end == 0:
                k.zone_begin = cell >> 6
            k.zone_end = (cell >> 6) + 1
        if stage.food[cell]:
            k.start.groups[cell >> 6].food |= bit_of(cell)
        k.amount[cell] = stage.food[cell]
        k.share[cell] = <float>(<double>k.amount[cell] / max(1, k.total_food))
    for n in range(k.groups):
        put_word(k.fixed[0], n, ~k.floor[n])             # bits after the last cell are never read
        put_word(k.fixed[1], n, k.zone[n])
    k.start.cat = stage.cat
    k.start.react_cell = -1


cdef void make_far(Params *k, uint8_t *far):
    """Fill in the steps between all cells, from waves of the stage's ways."""
    cdef uint64_t waves[2][MAX_GROUPS]
    cdef uint64_t fresh, left
    cdef int32_t source, n, step
    memset(far, NO_WAY, (k.size + 1) * k.size)
    for source in range(k.size + 1):
        memset(waves, 0, sizeof(waves))
        if source < k.size:
            waves[1][source >> 6] = bit_of(source)
        else:
            memcpy(waves[1], k.zone, sizeof(k.zone))
        for step in range(NO_WAY):
            left = 0
            for n in range(k.groups):
                fresh = waves[1][n] & ~waves[0][n]
                left |= fresh
                while fresh:
                    far[source * k.size + 64 * n + bits_first64(fresh)] = <uint8_t>step
                    fresh &= fresh - 1
            if left == 0:
                break
            memcpy(waves[0], waves[1], sizeof(k.zone))
            spread(k, waves[0], waves[1])
    k.far = far


cdef list make_shares(Params *k):
    """Fill in the bytes of the shares; return the levels: 0, then each share. Over 255 shares go together."""
    cdef int32_t cell
    shares = sorted({k.share[cell] for cell in range(k.size)} - {0.0})
    levels = [0.0] * (1 + min(255, len(shares)))
    byte_of = {0.0: 0}
    for n, share in enumerate(shares):
        byte_of[share] = 1 + n * min(255, len(shares)) // len(shares)
        levels[byte_of[share]] = share
    for cell in range(k.size):
        k.share_bytes[cell] = byte_of[k.share[cell]]
    return levels


cdef inline uint32_t offset_of(const Board *board, const void *field) noexcept:
    """Return the offset in bytes of a field in a board."""
    return <uint32_t>(<const uint8_t *>field - <const uint8_t *>board)


def table(config, level=None):
    """Return a capsule with the function table of a config (src/masume/game.h).

    Parameters
    ----------
    config : masume.nezumi.Config
    level : {"v2", "v3", "v4"}, optional
        CPU level of the kernels. Default: the level in the environment variable MASUME_CPU, else the best one of this
        machine.

    Raises
    ------
    TypeError
        If `config` is not a Nezumi Config.
    ConfigError
        If the machine lacks the level.
    """
    from masume.nezumi.config import Config
    cdef Kit *kit
    cdef masume_game *g
    cdef Params *k
    cdef const Board *board
    if not isinstance(config, Config):
        raise TypeError(f"config: expected a masume.nezumi.Config, got {config!r}")
    cells = config.start_stage.height * config.start_stage.width
    capsule = new_capsule(sizeof(Kit) + ((cells + 1) * cells if cells <= MAPPED else 0))
    kit = <Kit *>block_of(capsule)
    k = &kit.params
    make_params(k, config, kernels_of(level))
    if cells <= MAPPED:
        make_far(k, <uint8_t *>(kit + 1))
    set_bits(kit.kinds, 0, NUM_PLANES)
    kit.kinds[FOOD].is_bits = False
    set_levels(&kit.kinds[FOOD], kit.levels, make_shares(k))
    board = &k.start
    lay_out(&kit.state_fields[0], "food_sum", "i8", offset_of(board, &board.food_sum), ())
    lay_out(&kit.state_fields[1], "cost_sum", "i8", offset_of(board, &board.cost_sum), ())
    lay_out(&kit.state_fields[2], "turn", "i2", offset_of(board, &board.turn), ())
    lay_out(&kit.state_fields[3], "cat", "i2", offset_of(board, &board.cat), ())
    lay_out(&kit.state_fields[4], "react_cell", "i2", offset_of(board, &board.react_cell), ())
    lay_out(&kit.state_fields[5], "ways", "i2", offset_of(board, &board.ways), ())
    lay_out(&kit.state_fields[6], "moved_ways", "i2", offset_of(board, &board.moved_ways), ())
    lay_out(&kit.state_fields[7], "on_board", "u1", offset_of(board, &board.on_board), ())
    lay_out(&kit.state_fields[8], "captured", "u1", offset_of(board, &board.captured), ())
    lay_out(&kit.state_fields[9], "phase", "u1", offset_of(board, &board.phase), ())
    lay_out(&kit.state_fields[10], "react_from", "u1", offset_of(board, &board.react_from), ())
    lay_out(&kit.state_fields[11], "result", "u1", offset_of(board, &board.result), ())
    lay_out(&kit.state_fields[12], "cells", "u8", offset_of(board, &board.groups), (k.groups, 3))
    lay_out(&kit.fields[0], "planes", "f4", 0, (NUM_PLANES, k.height, k.width))
    lay_out(&kit.fields[1], "scalars", "f4", 0, (NUM_SCALARS,))
    g = &kit.table
    g.name = "nezumi"
    g.params = k
    g.state_size = (offset_of(board, &board.groups[k.groups]) + SIZE_STEP - 1) // SIZE_STEP * SIZE_STEP
    g.num_players = NUM_PLAYERS
    g.num_slots = 1
    g.num_actions = k.first_other + NUM_OTHERS
    g.max_legal = min(<int32_t>g.num_actions, max(NUM_OTHERS, k.size + 1, 4 * k.max_mice))
    g.max_game_length = 2 * k.max_mice + 1 + k.turns * (4 + 2 * k.max_mice)
    fill_required(g, kit.state_fields, NUM_STATE_FIELDS, kit.fields, 2, init, slots, legal, mask, sample, fallback,
                  apply, returns, scores, observe, key, check)
    kit.planes[0] = kit.kinds
    g.planes = kit.planes
    g.observe_compact = observe_compact
    g.playout = playout
    g.step_many = step_many
    g.mask_bits = mask_bits
    g.policy = policy
    g.num_policies = NUM_POLICIES
    g.policy_names = POLICY_NAMES
    g.forecast = forecast
    return capsule


# -- Python face --------------------------------------------------------------------------------------

cdef struct Last:                  # the last action and the values before it, from which events are derived
    int64_t cost_sum
    int32_t code                   # -1: none
    int16_t turn
    int16_t cat
    int16_t react_cell
    int16_t landing                # cell where a mouse arrived, -1: none
    uint8_t phase
    uint8_t captured
    uint8_t ate                    # 1 if there was food on `landing`


cdef Last last_of(const Params *k, const Board *board, int32_t code) noexcept nogil:
    """Return the record of a code that is about to be played; undefined if the code is illegal."""
    cdef Last last
    cdef int32_t cell = cell_of(code)
    last.code = code
    last.cost_sum = board.cost_sum
    last.turn = board.turn
    last.cat = board.cat
    last.react_cell = board.react_cell
    last.phase = board.phase
    last.captured = board.captured
    last.landing = -1
    if 0 <= code < k.first_other:
        last.landing = <int16_t>cell
        if board.phase == MOVE:
            last.landing = <int16_t>landing_cell(k, board, code)
    last.ate = last.landing >= 0 and board.groups[last.landing >> 6].food & bit_of(last.landing) != 0
    return last


cdef class State(_state.State):
    """A Nezumi position, changed in place by `apply`. Player 0 is the cat, player 1 the mice."""
    cdef const Params *k
    cdef const Board *board
    cdef Last last

    def __cinit__(self, *_):
        if self.g.init != init:
            raise TypeError(f"game: {self.game!r} is not nezumi")
        self.k = <const Params *>self.g.params
        self.board = <const Board *>self.data
        self.last.code = -1

    cdef int32_t apply_codes(self, const int32_t *codes) except? -1000:
        cdef Last last = last_of(self.k, self.board, codes[0])
        cdef int32_t status = apply(self.g, self.data, NULL, codes)
        if status >= 0:
            self.last = last
        return status

    cdef void _copy(self, _state.State other):
        _state.State._copy(self, other)
        self.last = (<State>other).last

    # -- properties -------------------------------------------------------------------------

    cdef tuple _row_column(self, int32_t cell):
        return (cell // self.k.width, cell % self.k.width)

    cdef object _cells(self, int kind):
        """Return the array of mice (0) or food (1)."""
        cdef int32_t cell
        cdef const Group *group
        found = np.zeros((self.k.height, self.k.width), np.uint8 if kind == 0 else np.int64)
        flat = found.reshape(-1)
        for cell in range(self.k.size):
            group = &self.board.groups[cell >> 6]
            if kind == 0 and group.mice & bit_of(cell):
                flat[cell] = 2 if moved_of(group) & bit_of(cell) else 1
            elif kind == 1 and group.food & bit_of(cell):
                flat[cell] = self.k.amount[cell]
        return found

    @property
    def phase(self):
        """The kind of the next decision, an index into `notation.PHASES`. [section 3]"""
        return self.board.phase

    @property
    def turn(self):
        """0 during the placement, then 1 to the turn limit. [NZ-R2]"""
        return self.board.turn

    @property
    def cat(self):
        """(row, column) of the cat. [NZ-22]"""
        return self._row_column(self.board.cat)

    @property
    def mice(self):
        """uint8[height, width]: 0 none, 1 a mouse that has not moved this turn, 2 a mouse that has. [section 3]"""
        return self._cells(0)

    @property
    def food(self):
        """int64[height, width]: mg of food left on each cell. [NZ-50]"""
        return self._cells(1)

    @property
    def on_board(self):
        """Number of mice on the board, without one that waits on the cat's cell. [section 3]"""
        return self.board.on_board

    @property
    def captured(self):
        """Number of mice captured so far. [NZ-13]"""
        return self.board.captured

    @property
    def reserve(self):
        """Number of mice that can still be put: neither on the board nor captured. [NZ-R6]"""
        return reserve_of(self.k, self.board)

    @property
    def food_sum(self):
        """mg eaten. [NZ-51]"""
        return self.board.food_sum

    @property
    def cost_sum(self):
        """mg paid. [NZ-15]"""
        return self.board.cost_sum

    @property
    def score(self):
        """mg eaten minus mg paid. [NZ-14]"""
        return score_of(self.board)

    @property
    def reported_score(self):
        """The score as reported; `surround_flip` turns the negative score of a surround positive. [NZ-20] [NZ-R23]"""
        cdef int64_t score = score_of(self.board)
        return -score if self.k.surround_flip and self.board.result == SURROUND and score < 0 else score

    @property
    def arrival(self):
        """(row, column) where a mouse has just arrived on or next to the cat; None outside the phase REACT. [NZ-R13]"""
        return None if self.board.react_cell < 0 else self._row_column(self.board.react_cell)

    @property
    def arrival_from(self):
        """The phase that continues after the arrival; 0 without an arrival. [section 3]"""
        return self.board.react_from

    @property
    def result(self):
        """Why the game ended, an index into `notation.RESULTS`; 0 before the end. [section 8]"""
        return self.board.result

    def is_surrounded(self):
        """Return whether mice hold every passable diagonal neighbour of the cat, and there is at least one. [NZ-8]"""
        return bool(is_surrounded(self.k, self.board))

    # -- events -----------------------------------------------------------------------------

    def events(self, player=None):
        """Return the events of the last action, in order; both players see all of them. [section 9]

        Parameters
        ----------
        player : int, optional
            0 or 1; the events are the same for both.

        Returns
        -------
        list of dict
            Each event is {"event": name, ...}: put, enter, capture, spare, leave and cat with "cell"; jump with "from",
            "to" and "over", the number of mice jumped; eat with "cell" and "mg"; charge with "mg"; end with "result".
            Cells are row * width + column. Empty for a position that was not reached by an action.
        """
        cdef const Last *last = &self.last
        cdef int32_t other = last.code - self.k.first_other
        if player is not None:
            self.to_player(player)
        if last.code < 0:
            return []
        found = []
        if last.phase == REACT:
            found.append({"event": "capture" if other == CAPTURE else "spare", "cell": last.react_cell})
            if other == PASS and last.react_cell == last.cat:
                found.append({"event": "leave", "cell": last.react_cell})
        elif last.phase == MOVE:
            self._tell_move(found, cell_of(last.code))
        elif other < 0:
            found.append({"event": "put", "cell": last.landing})
            self._tell_arrival(found)
        elif other >= STEP:
            found.append({"event": "cat", "cell": self.board.cat})
            if self.board.captured > last.captured:
                found.append({"event": "capture", "cell": self.board.cat})
        if self.board.turn > last.turn or self.board.result == TURNS:
            found.append({"event": "charge", "mg": self.board.cost_sum - last.cost_sum})
        if self.board.phase == OVER:
            found.append({"event": "end", "result": RESULTS[self.board.result]})
        return found

    cdef int _tell_move(self, list found, int32_t cell) except -1:
        cdef int32_t way = self.last.code - CODES_PER_CELL * cell, landing = self.last.landing
        if landing < 0:
            found.append({"event": "leave", "cell": cell})
            return 0
        found.append({"event": "jump", "from": cell, "to": landing, "over": (landing - cell) // self.k.step[way] - 1})
        return self._tell_arrival(found)

    cdef int _tell_arrival(self, list found) except -1:
        cdef int32_t cell = self.last.landing
        if self.last.ate:
            found.append({"event": "eat", "cell": cell, "mg": self.k.amount[cell]})
        if self.board.phase == REACT:
            found.append({"event": "enter", "cell": cell})
        return 0

    # -- dict and text ------------------------------------------------------------------------

    def to_dict(self):
        """Return the variables of section 3 under their names, as plain JSON types."""
        return {
            "phase": self.board.phase,
            "t": self.board.turn,
            "cat": self.board.cat,
            "mouse": self.mice.ravel().tolist(),
            "food": self.food.ravel().tolist(),
            "captured": self.board.captured,
            "food_sum": self.board.food_sum,
            "cost_sum": self.board.cost_sum,
            "react_cell": self.board.react_cell,
            "react_from": self.board.react_from,
            "result": self.board.result,
        }

    cdef int load(self, dict variables) except -1:
        """Set the position from a dict; StateError names the faulty key."""
        cdef Board board
        cdef int32_t cell
        cdef const Params *k = self.k
        same_keys("", variables, self.to_dict())
        memset(&board, 0, sizeof(Board))
        board.phase = number("phase", variables["phase"], PLACE, OVER)
        board.turn = number("t", variables["t"], 0, k.turns)
        board.cat = number("cat", variables["cat"], 0, k.size - 1)
        board.captured = number("captured", variables["captured"], 0, k.require)
        board.food_sum = number("food_sum", variables["food_sum"], 0, MAX_CELLS * MAX_AMOUNT)
        board.cost_sum = number("cost_sum", variables["cost_sum"], 0, MAX_CHARGE * (k.turns + 1))
        board.react_cell = number("react_cell", variables["react_cell"], -1, k.size - 1)
        board.react_from = number("react_from", variables["react_from"], PLACE, MOVE)
        board.result = number("result", variables["result"], NONE, TURNS)
        for cell, value in enumerate(numbers("mouse", variables["mouse"], k.size, 0, 2)):
            if value:
                board.groups[cell >> 6].mice |= bit_of(cell)
            if value == 1:
                board.groups[cell >> 6].unmoved |= bit_of(cell)
        for cell, value in enumerate(numbers("food", variables["food"], k.size, 0, MAX_AMOUNT)):
            if value and value != k.amount[cell]:
                raise StateError(f"food[{cell}]: expected the stage's {k.amount[cell]}, got {value}")
            if value:
                board.groups[cell >> 6].food |= bit_of(cell)
        count_mice(k, &board)
        self.accept(fault_of_board(self.g, k, &board))
        memcpy(self.data, &board, self.g.state_size)
        self.last.code = -1
        return 0

    def __str__(self):
        from masume.nezumi import notation
        return notation.to_text(self.game.config, self.to_dict())

    def _context(self, slot):
        return self.game.config, self.board.phase


guard_methods(globals())

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""CHaser engine: two players who see only nearby cells collect items and wall each other in.

Implements sections 2 to 9 of docs/rules/chaser.md. Slow twin: masume.chaser.reference, held equal by
tests/test_campaigns.py. The rules are in rules.pxd, the infos and knowledge of players in knowledge.pxd (as in
knowledge.py), the checks of positions in check.pxd, arrays in observation.pxd, sampled positions in resample.pxd, the
policies in policy.pxd, and the forecast in forecast.pxd.
"""
cimport numpy as cnp
cimport masume.core._state as _state
import numpy as np
from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.chaser.changes cimport Note, observe_changed_planes
from masume.chaser.check cimport check_board, check_knowledge, is_near
from masume.chaser.forecast cimport forecast
from masume.chaser.knowledge cimport *
from masume.chaser.observation cimport NUM_PLANES, RECENCY, observe_compact_planes, observe_planes, write_digits
from masume.chaser.policy cimport be_wary, forage
from masume.chaser.rules cimport *
from masume.chaser.resample cimport One, Sampler, draw_position, make_sampler, num_guesses, sampler_size
from masume.core._game cimport (
    MASUME_ILLEGAL, MASUME_IMPERFECT, MASUME_OPEN_NEWS, MASUME_TERMINAL, masume_below, masume_field, masume_form,
    masume_game, masume_mix, masume_plane)
from masume.core.guard cimport guard_methods
from masume.core.provide cimport block_of, fill_required, lay_out, new_capsule, set_bits, set_levels
from masume.core._wide cimport kernels_of, wide_level

from masume.core.checks import number, numbers, same_keys
from masume.errors import StateError

cnp.import_array()

cdef enum:
    SIZE_STEP = 64                 # states begin on a cache line
    SEARCH_UP = 8
    LETTERS = 12                   # letters of an info: |, its kind, ten digits
    TURN = 4                       # letters of an action: |, A, its two letters
    TELLING = TURN + 2 * LETTERS   # most letters that one method adds for one player

CODES = tuple(kind + direction for kind in "wlsp" for direction in "urld")
CAUSES = ("FOUL",)


# -- table entries ------------------------------------------------------------------------------------

cdef inline const Params *params_of(const masume_game *g) noexcept nogil:
    return <const Params *>g.params


cdef void generate(const Params *k, Board *board, uint64_t seed) noexcept nogil:
    """Generate the map of a seed by CH-GEN-1, on a field of floor. [section 4.1]"""
    cdef int16_t free_cells[MAX_PAIRS]
    cdef uint64_t rng = seed
    cdef int32_t last = k.size - 1
    cdef int32_t cool = k.candidates[masume_below(&rng, k.num_candidates)], hot = last - cool      # step 3
    cdef int32_t n, i, j, row, column, count = 0, need = k.n_blocks // 2 + k.n_items // 2
    cdef int32_t cool_row = cool // k.width, cool_column = cool % k.width
    cdef int32_t hot_row = hot // k.width, hot_column = hot % k.width
    cdef uint32_t bits
    board.place[0] = k.place_of[cool]
    board.place[1] = k.place_of[hot]
    row = column = 0
    for n in range(k.size // 2):                                                                   # step 4
        free_cells[count] = <int16_t>n
        count += (distance(row, column, cool_row, cool_column) >= 2
                  and distance(row, column, hot_row, hot_column) >= 2)
        column += 1
        if column == k.width:
            column = 0
            row += 1
    need = min(need, count)                        # the public game of an explicit map may be too small for them
    for i in range(need):                                                                          # step 5
        j = i + <int32_t>masume_below(&rng, count - i)
        n = free_cells[j]
        free_cells[j] = free_cells[i]
        bits = STORED_FLOOR ^ (STORED_BLOCK if i < k.n_blocks // 2 else STORED_ITEM)
        turn(board, k.place_of[n], bits)
        turn(board, k.place_of[last - n], bits)
    if k.n_items & 1:                                                                              # step 6
        turn(board, k.place_of[last // 2], STORED_FLOOR ^ STORED_ITEM)


cdef void init(const masume_game *g, void *state, void *memory, uint64_t seed) noexcept nogil:
    """Set the start on the map of the config, or on the map generated from the seed. [section 4]"""
    cdef const Params *k = params_of(g)
    memcpy(state, &k.start, g.state_size)
    if k.is_generated:
        generate(k, <Board *>state, seed)
    if memory != NULL:
        begin(k, <const Board *>state, memory, k.is_generated)


cdef int32_t slots(const masume_game *g, const void *state, int32_t *players) noexcept nogil:
    """Write the player to move: COOL first, then alternating. [CH-3, CH-4, CH-R2]"""
    cdef const Board *board = <const Board *>state
    players[0] = board.half & 1
    return board.winner == ONGOING


cdef int32_t legal(const masume_game *g, const void *state, int32_t slot, int32_t *codes) noexcept nogil:
    """Write all 16 methods. [CH-8, CH-R23]"""
    cdef int32_t n
    for n in range(NUM_ACTIONS):
        codes[n] = n
    return NUM_ACTIONS


cdef void mask(const masume_game *g, const void *state, int32_t slot, uint8_t *out) noexcept nogil:
    memset(out, 1, NUM_ACTIONS)


cdef void mask_bits(const masume_game *g, const void *state, int32_t slot, uint32_t *out) noexcept nogil:
    out[0] = (1 << NUM_ACTIONS) - 1


cdef int32_t sample(const masume_game *g, const void *state, int32_t slot, uint64_t *rng) noexcept nogil:
    return <int32_t>masume_below(rng, NUM_ACTIONS)


cdef int32_t fallback(const masume_game *g, const void *state, int32_t slot) noexcept nogil:
    """Return a search, which waits: it changes nothing. [CH-R23]"""
    return SEARCH_UP


cdef void tell(const Params *k, const Board *board, void *memory, int32_t action) noexcept nogil:
    """Give both players their infos after a method. [section 7 step 6]"""
    cdef int32_t o = board.half & 1
    tell_method(k, board, knowledge_of(k, memory, 1 - o), 1 - o, action)
    tell_at_hand(k, board, knowledge_of(k, memory, o), o)


cdef int32_t play_any(const Params *k, Board *board, void *memory, int32_t action) noexcept nogil:
    """Play any method, check it, and give the players their infos; return as `apply` does."""
    cdef int32_t status
    if board.winner != ONGOING or not 0 <= action < NUM_ACTIONS:
        return MASUME_ILLEGAL(0)
    status = play(k, board, action)
    if memory != NULL:
        tell(k, board, memory, action)
    return status


cdef inline int32_t apply_to(const Params *k, Board *board, void *memory, int32_t action) noexcept nogil:
    if (memory == NULL and board.winner == ONGOING and 0 <= action < NUM_ACTIONS
            and play_quiet(k, board, action)):
        return 0
    return k.play_any(k, board, memory, action)


cdef int32_t apply(const masume_game *g, void *state, void *memory, const int32_t *codes) noexcept nogil:
    return apply_to(params_of(g), <Board *>state, memory, codes[0])


cdef void step_many(const masume_game *g, int64_t n, void *states, void *memories, const int32_t *codes,
                    int32_t *statuses, int32_t *movers) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef uint8_t *state = <uint8_t *>states
    cdef uint8_t *memory = <uint8_t *>memories
    cdef uint32_t state_size = g.state_size, memory_size = g.memory_size if memories != NULL else 0
    cdef int64_t i
    for i in range(n):
        statuses[i] = apply_to(k, <Board *>state, memory, codes[i])
        movers[i] = (<Board *>state).half & 1
        state += state_size
        memory += memory_size


cdef int64_t playout(const masume_game *g, void *state, uint64_t *rng) noexcept nogil:
    """Play random methods, drawn as by `sample`, to the end; return their number."""
    cdef const Params *k = params_of(g)
    cdef Board *board = <Board *>state
    cdef uint64_t draws = rng[0]
    cdef int32_t half = board.half, p = half & 1, own = board.place[p], other = board.place[1 - p], first = half
    cdef bint lost
    if board.winner != ONGOING:
        return 0
    while True:
        lost = act(k, board, half & 1, &own, other, <int32_t>masume_below(&draws, NUM_ACTIONS))
        half += 1
        if lost or half == k.last_half:
            break
        own, other = other, own
    p = half & 1
    board.half = <int16_t>half
    board.place[1 - p] = <int16_t>own
    board.place[p] = <int16_t>other
    end(k, board)
    rng[0] = draws
    return half - first


cdef int32_t forfeit(const masume_game *g, void *state, void *memory, int32_t player, int32_t cause) noexcept nogil:
    """End the game with a loss of `player`; only the result changes. [CH-20, CH-R24]"""
    cdef const Params *k = params_of(g)
    cdef Board *board = <Board *>state
    if cause != 0:
        return -1
    board.winner = <int8_t>(1 - player)
    board.reason = FOUL
    if memory != NULL:
        (<Memory *>memory).fouled = True
        tell_at_hand(k, board, knowledge_of(k, memory, 0), 0)
        tell_at_hand(k, board, knowledge_of(k, memory, 1), 1)
    return MASUME_TERMINAL


cdef void returns(const masume_game *g, const void *state, float *out) noexcept nogil:
    """Write 1 for the winner and -1 for the loser. [section 8]"""
    cdef int32_t winner = (<const Board *>state).winner
    out[0] = <float>((winner == 0) - (winner == 1))
    out[1] = -out[0] if out[0] != 0 else 0


cdef void scores(const masume_game *g, const void *state, int64_t *out) noexcept nogil:
    """Write the items of each player."""
    out[0] = (<const Board *>state).items[0]
    out[1] = (<const Board *>state).items[1]


cdef void observe(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                  void *const *out) noexcept nogil:
    """Write the fields in the order of `table`, from public facts and the player's knowledge only. [section 9.7]"""
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef int32_t *scalars
    cdef int32_t last_action
    if fields & 1:
        write_digits(k, known.ready, AT_HAND, <uint8_t *>out[0])
    if fields & 6:
        last_action = last_action_of(k, known, player, board.half)
        if fields & 2:
            (<int8_t *>out[1])[0] = <int8_t>last_action
        if fields & 4:
            (<uint8_t *>out[2])[0] = (known.last_info & GOES_ON) != 0
            write_digits(k, known.last_info, last_action if last_action >= 0 else AT_HAND, <uint8_t *>out[2] + 1)
    if fields & 8:
        scalars = <int32_t *>out[3]
        scalars[0] = player
        scalars[1] = board.half // 2
        scalars[2] = k.last_half // 2
        scalars[3] = board.items[player]
        scalars[4] = board.half - known.sighting_half if known.sighting_half >= 0 else -1
    if fields & 16:
        observe_planes(k, board, memory, player, <float *>out[4])
    if fields & 32:
        memset(out[5], board.winner == ONGOING, NUM_ACTIONS)


cdef void observe_compact(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                          const masume_form *form, void *const *out) noexcept nogil:
    """Write the planes, the only compact field."""
    observe_compact_planes(params_of(g), <const Board *>state, memory, player, form, g.planes[4], <uint8_t *>out[4])


cdef int32_t observe_changes(const masume_game *g, const void *state, const void *memory, int32_t player,
                             uint32_t fields, const masume_form *form, const uint16_t *const *halves, void *note,
                             void *const *out) noexcept nogil:
    """Write what has changed in the planes since the note."""
    return observe_changed_planes(params_of(g), <const Board *>state, memory, player, form, halves[4], <Note *>note,
                                  <uint8_t *>out[4])


cdef uint64_t key(const masume_game *g, const void *state) noexcept nogil:
    """Return the sum of mixes of (place in the state, value), two words of cells at a time."""
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef uint64_t place = 0x9E3779B97F4A7C15U, sum
    cdef int32_t n
    sum = masume_mix(<uint64_t>board.half | <uint64_t>board.place[0] << 16 | <uint64_t>board.place[1] << 32
                     | <uint64_t>board.items[0] << 48)
    sum += masume_mix((<uint64_t>board.items[1] | <uint64_t>verdict(board.winner, board.reason) << 16) + place)
    for n in range(0, k.words - 1, 2):
        place += 0xD1B54A32D192ED03U
        sum += masume_mix((<uint64_t>board.cells[n] | <uint64_t>board.cells[n + 1] << 32) + place)
    if k.words & 1:
        place += 0xD1B54A32D192ED03U
        sum += masume_mix(<uint64_t>board.cells[k.words - 1] + place)
    return masume_mix(sum)


# -- check --------------------------------------------------------------------------------------------

cdef const char *check(const masume_game *g, const void *state, const void *memory) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef const char *fault = check_board(g, k, board)
    cdef int32_t player
    if fault != NULL or memory == NULL:
        return fault
    if not (0 <= (<const Memory *>memory).begin <= board.half
            and 0 <= (<const Memory *>memory).fouled <= (board.reason == FOUL)):
        return "memory: out of range"
    for player in range(2):
        fault = check_knowledge(k, board, memory, player)
        if fault != NULL:
            return fault
    return NULL


# -- resample -----------------------------------------------------------------------------------------

cdef int32_t resample(const masume_game *g, const void *state, const void *memory, int32_t player, uint64_t seed,
                      void *out_state, void *out_memory) noexcept nogil:
    """Draw a position that satisfies D1 to D10 (resample.pxd). [section 9.6]"""
    cdef One sampler
    if make_sampler(params_of(g), <const Board *>state, memory, player, 1, &sampler.sampler) < 0:
        return -1
    return draw(g, &sampler, seed, out_state, out_memory)


cdef int32_t prepare(const masume_game *g, const void *state, const void *memory, int32_t player,
                     void *sampler) noexcept nogil:
    """Prepare the sampler that all samples of a position share."""
    cdef const Params *k = params_of(g)
    return make_sampler(k, <const Board *>state, memory, player, num_guesses(k), <Sampler *>sampler)


cdef int32_t draw(const masume_game *g, void *sampler, uint64_t seed, void *out_state, void *out_memory) noexcept nogil:
    """Draw one sample of a position."""
    cdef const Params *k = params_of(g)
    cdef const Sampler *of = <const Sampler *>sampler
    cdef uint64_t rng = seed
    memset(out_state, 0, g.state_size)
    if draw_position(k, <Sampler *>sampler, <Board *>out_state, &rng) < 0:
        return -1
    if out_memory != NULL:
        (<Memory *>out_memory).begin = of.now.half
        (<Memory *>out_memory).fouled = False
        memcpy(knowledge_of(k, out_memory, of.player), of.known, k.knowledge_size)
        forget(k, knowledge_of(k, out_memory, 1 - of.player), of.now.half, False)
    return 0


cdef uint64_t news(const masume_game *g, const void *state, const void *memory, int32_t player,
                   const int32_t *codes) noexcept nogil:
    """Return a hash of the player's new info: method info of the mover, else ready or end info. [section 9.2]"""
    cdef const Board *board = <const Board *>state
    cdef int32_t met
    cdef uint32_t info = read_info(params_of(g), board, player, AT_HAND if board.half & 1 == player else codes[0], &met)
    return masume_mix(info | GOES_ON * (board.winner == ONGOING))


# -- the policy ---------------------------------------------------------------------------------------

cdef void policy(const masume_game *g, const void *state, const void *memory, int32_t which, int32_t player,
                 uint64_t *rng, int32_t *codes) noexcept nogil:
    """Choose the action of the forager (0), the wary player (1) or the planner (2). (policy.pxd)"""
    cdef const Params *k = params_of(g)
    cdef const Board *board = <const Board *>state
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    if which == 0:
        codes[0] = forage(k, known, board.half, rng)
    else:
        codes[0] = be_wary(k, known, board.items[player], board.half, which == 2, rng)


# -- the table of a config ----------------------------------------------------------------------------

cdef struct Kit:
    masume_game table
    const char *policy_names[3]
    masume_field state_fields[6]
    masume_field fields[6]
    const masume_plane *planes[6]
    int32_t seen[6][2]
    masume_plane kinds[NUM_PLANES]
    float levels[256]              # of recency
    Params params


def cells_around(int around):
    """Return the offsets (rows, columns) from a player to the nine cells of an info, in order. [section 9.2]

    Parameters
    ----------
    around : int
        The action that the info answers, 0..15, or 16 for a ready or end info.
    """
    from masume.chaser.maps import STEPS
    kind, direction = divmod(around, 4)
    down, right = STEPS[direction % 4]
    if kind == SEARCH:                                                       # CH-31: nearest first
        return [(n * down, n * right) for n in range(1, 1 + NINE)]
    away = 2 if kind == LOOK else 0                                          # CH-29, CH-30, CH-R14
    return [(away * down + n // 3 - 1, away * right + n % 3 - 1) for n in range(NINE)]


cdef void set_canvas(Canvas *canvas, int32_t width):
    """Fill in a canvas of this width."""
    from masume.chaser.maps import STEPS
    canvas.width = width
    for code in range(NUM_ACTIONS):
        down, right = STEPS[code % 4] if code // 4 == WALK else (0, 0)
        canvas.rows[code] = down
        canvas.columns[code] = right
        canvas.step[code] = down * width + right
        for n, (row, column) in enumerate(cells_around(code)):
            canvas.cells[code][n] = <int16_t>(row * width + column)
        canvas.least[code] = min([canvas.cells[code][n] for n in range(NINE)])
        canvas.most[code] = max([canvas.cells[code][n] for n in range(NINE)])


cdef void make_params(Params *k, object config):
    from masume.chaser.maps import STEPS, start_cells
    cdef int32_t n, around, down, right, row, column
    cdef Shape *shape
    k.play_any = play_any
    k.height = config.height
    k.width = config.width
    k.size = k.height * k.width
    k.stride = k.width + MARGIN
    k.places = (k.height + 1) * k.stride + k.width + 1
    k.words = (k.places + 15) // 16
    k.last_half = 2 * config.turn_limit
    k.n_blocks = config.n_blocks
    k.n_items = config.n_items
    k.is_generated = config.map is None
    for n in range(MAX_ODDS + 1):
        k.odds[n] = (<double>max(k.n_blocks, 1) / k.size) ** n
    k.grid_width = 2 * k.width + 17
    k.grid_size = (2 * k.height + 17) * k.grid_width
    k.centre = k.grid_size // 2
    k.end = (k.height + 1) * k.stride
    k.frame_height = k.height + 2 * MARGIN
    k.frame_width = k.width + 2 * MARGIN
    k.frame_size = k.frame_height * k.frame_width
    k.plane_size = (k.frame_size + 63) // 64 * 8
    k.knowledge_size = sizeof(Knowledge) + NUM_BITS * k.plane_size + (config.turn_limit + 15) // 16 * 8
    for n, (down, right) in enumerate(STEPS):
        k.step[n] = down * k.stride + right
        k.grid_step[n] = down * k.grid_width + right
        k.frame_step[n] = down * k.frame_width + right
    for around in range(AT_HAND + 1):
        cells = cells_around(around)
        shape = &k.shapes[around]
        shape.rows = len({row for row, _ in cells})
        shape.columns = len({column for _, column in cells})
        down, right = min(cells)
        shape.place = down * k.stride + right
        shape.cell = down * k.grid_width + right
        shape.in_frame = down * k.frame_width + right
        shape.backwards = cells[0] != (down, right)
    set_canvas(&k.grid, k.grid_width)
    set_canvas(&k.frame, k.frame_width)
    set_canvas(&k.near, NEAR_WIDTH)
    k.start.winner = ONGOING
    for n in range(k.size):
        k.place_of[n] = <int16_t>((n // k.width + 1) * k.stride + n % k.width)
        turn(&k.start, k.place_of[n], STORED_FLOOR)
    memcpy(k.floor, k.start.cells, sizeof(k.floor))
    if k.is_generated:
        for row, column in start_cells(k.height, k.width):
            k.candidates[k.num_candidates] = <int16_t>(row * k.width + column)
            k.may_start[row * k.width + column] = 1
            k.num_candidates += 1
        return
    for n, (row, column) in enumerate(config.map.starts):
        k.start.place[n] = k.place_of[row * k.width + column]
    for n in range(k.size):
        turn(&k.start, k.place_of[n], FLOOR ^ <uint32_t>config.map.rows[n // k.width][n % k.width])


def table(config, level=None):
    """Return a capsule with the function table of a config (src/masume/game.h).

    Parameters
    ----------
    config : masume.chaser.Config
        Config of the game.
    level : str, optional
        CPU level of the kernels, "v2", "v3" or "v4". None: the level in MASUME_CPU, else the best.

    Raises
    ------
    TypeError
        If `config` is not a config of this game.
    ConfigError
        If this machine does not support the level.
    """
    from masume.chaser.config import Config
    cdef const wide_level *kernels = kernels_of(level)
    cdef Kit *kit
    cdef masume_game *g
    cdef Params *k
    if not isinstance(config, Config):
        raise TypeError(f"config: expected a masume.chaser.Config, got {config!r}")
    capsule = new_capsule(sizeof(Kit))
    kit = <Kit *>block_of(capsule)
    k = &kit.params
    make_params(k, config)
    k.level = kernels
    k.kernels = chaser_pick(kernels.name)
    lay_out(&kit.state_fields[0], "half", "i2", 0, ())
    lay_out(&kit.state_fields[1], "places", "i2", 2, (2,))
    lay_out(&kit.state_fields[2], "items", "i2", 6, (2,))
    lay_out(&kit.state_fields[3], "winner", "i1", 10, ())
    lay_out(&kit.state_fields[4], "reason", "i1", 11, ())
    lay_out(&kit.state_fields[5], "cells", "u4", HEADER, (k.words,))
    lay_out(&kit.fields[0], "ready", "u1", 0, (NINE,))
    lay_out(&kit.fields[1], "last_action", "i1", 0, ())
    lay_out(&kit.fields[2], "last_info", "u1", 0, (1 + NINE,))
    lay_out(&kit.fields[3], "scalars", "i4", 0, (5,))
    lay_out(&kit.fields[4], "planes", "f4", 0, (NUM_PLANES, 2 * k.height + 17, k.grid_width))
    lay_out(&kit.fields[5], "mask", "u1", 0, (NUM_ACTIONS,))
    g = &kit.table
    g.name = "chaser"
    g.params = k
    least = HEADER + max(k.words * 4, k.end // 4 + 4, (k.end + k.width + 7) // 4)  # `nine_cells`, `cells_around`
    g.state_size = (least + SIZE_STEP - 1) // SIZE_STEP * SIZE_STEP
    g.memory_size = sizeof(Memory) + 2 * k.knowledge_size
    g.num_players = 2
    g.num_slots = 1
    g.num_actions = NUM_ACTIONS
    g.max_legal = NUM_ACTIONS
    g.flags = MASUME_IMPERFECT | MASUME_OPEN_NEWS
    g.max_game_length = k.last_half
    fill_required(g, kit.state_fields, 6, kit.fields, 6, init, slots, legal, mask, sample, fallback,
                  apply, returns, scores, observe, key, check)
    g.forfeit = forfeit
    g.resample = resample
    g.num_policies = 3
    kit.policy_names[0] = "forager"
    kit.policy_names[1] = "wary"
    kit.policy_names[2] = "planner"
    g.policy_names = kit.policy_names
    g.policy = policy
    g.playout = playout
    g.step_many = step_many
    g.mask_bits = mask_bits
    g.news = news
    g.forecast = forecast
    set_bits(kit.kinds, 0, RECENCY)
    set_levels(&kit.kinds[RECENCY], kit.levels, [0, *(1.0 / n for n in range(1, 256))])
    kit.planes[4] = kit.kinds
    g.planes = kit.planes
    g.centred = 1 << 4
    g.observe_compact = observe_compact
    g.observe_changes = observe_changes
    kit.seen[4][0] = k.frame_height
    kit.seen[4][1] = k.frame_width
    g.seen = &kit.seen[0][0]
    g.note_size = sizeof(Note)
    g.changing = 1 << 4
    g.sampler_size = sampler_size(k)
    g.prepare = prepare
    g.draw = draw
    return capsule


# -- infos and events as text -------------------------------------------------------------------------

cdef char *write_info(const Params *k, const Board *board, int32_t player, int32_t around, char *out) noexcept:
    """Write the ten digits of an info; return a pointer behind them."""
    cdef int32_t n, met
    cdef uint32_t info = read_info(k, board, player, around, &met)
    out[0] = c"1" if board.winner == ONGOING else c"0"
    for n in range(NINE):
        out[1 + n] = <char>(c"0" + digit_of(k, info, around, n))
    return out + 1 + NINE


cdef char *write_event(const Params *k, const Board *board, int32_t player, char kind, int32_t around,
                       char *out) noexcept:
    """Write an info in the form of an information state; return a pointer behind it. [section 9.3]"""
    out[0] = c"|"
    out[1] = kind
    return write_info(k, board, player, around, out + 2)


cdef str write_events(const Params *k, Board *board, object history, int32_t player, bint fouled):
    """Return the player's events from this position on: its first ready info, then those of the actions.

    The actions are played on `board`. fouled : a foul ended the game after them, if it was not over.
    """
    cdef bytearray text = bytearray((len(history) // 2 + 2) * TELLING)
    cdef char *first = PyByteArray_AS_STRING(text)
    cdef char *out = first
    cdef int32_t code
    if board.winner == ONGOING and board.half & 1 == player:
        out = write_event(k, board, player, c"R", AT_HAND, out)
    for action in history:
        if board.winner != ONGOING or not 0 <= action < NUM_ACTIONS:
            raise ValueError(f"history: action {action} cannot have been played")
        code = action
        play(k, board, code)
        if board.half & 1 != player:
            out[0] = c"|"
            out[1] = c"A"
            memcpy(out + 2, <const char *>b"wlsp" + (code >> 2), 1)
            memcpy(out + 3, <const char *>b"urld" + (code & 3), 1)
            out = write_event(k, board, player, c"M", code, out + TURN)
        else:
            out = write_event(k, board, player, c"R" if board.winner == ONGOING else c"E", AT_HAND, out)
    if fouled and board.winner == ONGOING:
        board.winner = DRAW                # any result: the digits begin with 0
        out = write_event(k, board, player, c"E", AT_HAND, out)
    return first[:out - first].decode()


# -- Python face --------------------------------------------------------------------------------------

cdef class State(_state.State):
    """A CHaser position with the events that its players have seen, changed in place by `apply`.

    Player 0 is COOL, player 1 is HOT.
    """
    cdef const Params *k
    cdef const Board *board

    def __cinit__(self, *_):
        if self.g.init != init:
            raise TypeError(f"game: {self.game!r} is not chaser")
        self.k = <const Params *>self.g.params
        self.board = <const Board *>self.data

    cdef int forget(self) except -1:
        begin(self.k, self.board, self.memory, False)
        return 0

    # -- nouns ------------------------------------------------------------------------------

    @property
    def cells(self):
        """uint8[height, width]: 0 floor, 2 block, 3 item; players are not included. [section 3]"""
        cdef int32_t n
        cdef cnp.npy_intp shape[2]
        shape[0] = self.k.height
        shape[1] = self.k.width
        found = cnp.PyArray_SimpleNew(2, shape, cnp.NPY_UINT8)
        cdef uint8_t *out = <uint8_t *>cnp.PyArray_DATA(found)
        for n in range(self.k.size):
            out[n] = <uint8_t>(load_cell(self.board, self.k.place_of[n]) ^ TURNED)
        return found

    @property
    def positions(self):
        """int16[2, 2]: (row, column) of COOL and HOT, one step outside the field after walking off."""
        return np.array([(row_of(self.k, self.board.place[q]), column_of(self.k, self.board.place[q]))
                         for q in range(2)], np.int16)

    @property
    def items(self):
        """int32[2]: number of items that COOL and HOT have collected. [CH-15]"""
        return np.array([self.board.items[q] for q in range(2)], np.int32)

    @property
    def half(self):
        """Number of methods played by both players. [section 3]"""
        return self.board.half

    @property
    def turns_left(self):
        """Remaining turns of the player to move, including this one; 0 at the turn limit. [CH-5]"""
        return (self.k.last_half - self.board.half + 1) // 2

    @property
    def winner(self):
        """Result: -1 ongoing, 0 COOL, 1 HOT, 2 draw. [section 8]"""
        return self.board.winner

    @property
    def reason(self):
        """Reason for the end, an index into `notation.REASONS`; 0 before the end. [section 8]"""
        return self.board.reason

    @property
    def safe_mask(self):
        """uint8[16]: legal mask without the walks onto cells that read 2 in the ready info. [section 6]"""
        cdef cnp.ndarray found = self.legal_mask()
        cdef uint8_t *out = <uint8_t *>cnp.PyArray_DATA(found)
        cdef int32_t p = self.board.half & 1, direction
        if self.board.winner == ONGOING:
            for direction in range(4):
                out[4 * WALK + direction] = not is_buried(self.board, self.board.place[p] + self.k.step[direction])
        return found

    # -- views of the players -----------------------------------------------------------------

    def events(self, player=None):
        """Return the events of the last call, in order. [section 9.3]

        Parameters
        ----------
        player : int, optional
            The player whose events are returned; None: those of both.

        Returns
        -------
        list of dict
            {"player": p, "event": "action", "action": two letters} or
            {"player": p, "event": "ready" | "method" | "end", "info": ten digits}. A new game or position causes
            the ready event of the player to move.
        """
        cdef int32_t only = -1 if player is None else self.to_player(player)
        cdef int32_t mover = self.board.half & 1, last = 1 - mover, action
        cdef bint ongoing = self.board.winner == ONGOING
        found = []
        if (<const Memory *>self.memory).fouled:
            found = [self._make_event(0, "end", AT_HAND), self._make_event(1, "end", AT_HAND)]
        elif (<const Memory *>self.memory).begin < self.board.half:
            action = last_action_of(self.k, knowledge_of(self.k, self.memory, last), last, self.board.half)
            found = [{"player": last, "event": "action", "action": CODES[action]},
                     self._make_event(last, "method", action),
                     self._make_event(mover, "ready" if ongoing else "end", AT_HAND)]
        elif ongoing:
            found = [self._make_event(mover, "ready", AT_HAND)]
        return [event for event in found if only < 0 or event["player"] == only]

    def _make_event(self, int player, str event, int around):
        cdef char text[1 + NINE]
        write_info(self.k, self.board, player, around, text)
        return {"player": player, "event": event, "info": text[:1 + NINE].decode()}

    def information_state(self, player):
        """Return all events of `player`: C or H, then |R digits, |A letters, |M digits, |E digits. [section 9.3]

        A position read from bytes, a dict or a text does not include the events before it.
        """
        cdef Board board
        cdef bytes origin = self.origin
        cdef bint fouled = self.board.reason == FOUL
        who = self.to_player(player)
        history, past, text = self.history, self.past, ""
        while True:
            memcpy(&board, <const char *>origin, self.g.state_size)
            text = write_events(self.k, &board, history, who, fouled) + text
            if past is None or past[0] != who:     # in a sample, only this player has the earlier events
                return "CH"[who] + text
            _, _, origin, history, past = past
            fouled = False
            text = text[LETTERS:]                  # the ready info at which it was drawn is in both parts

    def full_observation(self):
        """Return float32[6, height, width], hidden from the players.

        The planes are floor, block, item, COOL, HOT, and ones if HOT is to move.
        """
        cells = self.cells
        planes = np.zeros((6, self.k.height, self.k.width), np.float32)
        for plane, value in enumerate((FLOOR, BLOCK, ITEM)):
            planes[plane] = cells == value
        for q in range(2):
            if is_inside(self.k, self.board.place[q]):
                planes[3 + q][tuple(self.positions[q])] = 1
        planes[5] = self.current_player == 1
        return planes

    def resample(self, player, seed):
        """Return a random State that `player` considers possible: it satisfies D1 to D10. [section 9.6]

        Parameters
        ----------
        player : int
            The player to move.
        seed : int
            Seed of the draws.

        Returns
        -------
        State
            `player` has seen the same as before, and its opponent nothing. The last event of the sample is the
            ready info of `player`.

        Raises
        ------
        ValueError
            If `player` is not to move, or no position was found in a bounded number of tries.

        Notes
        -----
        The start is drawn from all possible ones: uniformly or, on a generated map, weighted by the probability of
        the seen blocks that would be in the field. The opponent's cell is drawn uniformly from its possible cells;
        if there is none, both are drawn again. The opponent has taken the items that are seen to be gone, and as many
        unseen ones as make it as successful as `player`.
        """
        if self.to_player(player) != self.current_player:
            raise ValueError(f"player: {player} is not to move")
        return _state.State.resample(self, player, seed)

    # -- the end ------------------------------------------------------------------------------

    def _cause(self, cause):
        if not isinstance(cause, str) or cause not in CAUSES:
            raise ValueError(f"cause: chaser knows no forfeit by {cause!r}, only by {', '.join(CAUSES)}")
        return CAUSES.index(cause)

    # -- dict and text ------------------------------------------------------------------------

    def to_dict(self):
        """Return the variables of section 3 under their names; seen events are not included."""
        places = self.positions.tolist()
        return {
            "height": self.k.height,
            "width": self.k.width,
            "turn_limit": self.k.last_half // 2,
            "cells": self.cells.ravel().tolist(),
            "row": [row for row, _ in places],
            "col": [column for _, column in places],
            "items": self.items.tolist(),
            "half": self.board.half,
            "winner": self.board.winner,
            "reason": self.board.reason,
        }

    cdef int load(self, dict variables) except -1:
        """Load a dict, without earlier events; raise StateError, which names the key, if it is not a position."""
        cdef Board board
        cdef int32_t n, q
        own = self.to_dict()
        same_keys("", variables, own)
        for name in ("height", "width", "turn_limit"):
            number(name, variables[name], own[name], own[name])
        cells = numbers("cells", variables["cells"], self.k.size, FLOOR, ITEM)
        rows = numbers("row", variables["row"], 2, -1, self.k.height)
        columns = numbers("col", variables["col"], 2, -1, self.k.width)
        items = numbers("items", variables["items"], 2, 0, self.k.size - 2)
        memset(&board, 0, sizeof(Board))
        board.half = number("half", variables["half"], 0, self.k.last_half)
        board.winner = number("winner", variables["winner"], ONGOING, DRAW)
        board.reason = number("reason", variables["reason"], NONE, SCORE)
        for n, value in enumerate(cells):
            if value == OPPONENT:
                raise StateError(f"cells[{n}]: expected 0, 2 or 3, got 1")
            turn(&board, self.k.place_of[n], <uint32_t>value ^ TURNED)
        for q in range(2):
            if not is_near(self.k, rows[q], columns[q]):
                raise StateError(f"row[{q}]: {rows[q]},{columns[q]} is more than a step outside the field")
            board.place[q] = <int16_t>((rows[q] + 1) * self.k.stride + columns[q])
            board.items[q] = items[q]
        self.accept(check_board(self.g, self.k, &board))
        memcpy(self.data, &board, self.g.state_size)
        self.forget()
        return self.begin_history()

    def __str__(self):
        from masume.chaser import notation
        return notation.to_text(self.to_dict())

    def _context(self, slot):
        return ()


guard_methods(globals())

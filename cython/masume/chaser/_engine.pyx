# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""CHaser engine: two players in the dark collect items and wall each other in.

Implements sections 2 to 9 of docs/rules/chaser.md. Slow twin: masume.chaser.reference, held equal by
tests/test_campaigns.py. The rules are in rules.pxd, what players are told and know in knowledge.pxd (as in
knowledge.py), what is no position in check.pxd, arrays in observation.pxd, positions that a player cannot tell apart in
resample.pxd, and the forager in policy.pxd.
"""
cimport numpy as cnp
cimport masume.core._state as _state
import numpy as np
from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.chaser.check cimport check_board, check_knowledge, is_near
from masume.chaser.knowledge cimport *
from masume.chaser.observation cimport NUM_PLANES, observe_planes, write_digits
from masume.chaser.policy cimport forage
from masume.chaser.rules cimport *
from masume.chaser.resample cimport One, Sampler, draw_position, make_sampler, num_guesses, sampler_size
from masume.core._game cimport (
    MASUME_ILLEGAL, MASUME_IMPERFECT, MASUME_OPEN_NEWS, MASUME_TERMINAL, masume_below, masume_field, masume_game,
    masume_mix)
from masume.core.provide cimport block_of, fill_required, lay_out, new_capsule
from masume.core._wide cimport kernels_of, wide_level

from masume.core.checks import number, numbers, same_keys
from masume.errors import StateError

cnp.import_array()

cdef enum:
    SIZE_STEP = 64                 # states begin on a cache line
    SEARCH_UP = 8
    LETTERS = 12                   # of an info: |, its kind, ten digits
    TURN = 4                       # letters of an action: |, A, its two
    TELLING = TURN + 2 * LETTERS   # of all that a method tells one player, at most

CODES = tuple(kind + direction for kind in "wlsp" for direction in "urld")
CAUSES = ("FOUL",)


# -- table entries ------------------------------------------------------------------------------------

cdef inline const Params *params_of(const masume_game *g) noexcept nogil:
    return <const Params *>g.params


cdef void generate(const Params *k, Board *board, uint64_t seed) noexcept nogil:
    """The map CH-GEN-1 makes of a seed, on a field of floor. [section 4.1]"""
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
    need = min(need, count)                        # of the public game of a map, which may be too small to be generated
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
    """The start on the map of the config, or on the one made of the seed. [section 4]"""
    cdef const Params *k = params_of(g)
    memcpy(state, &k.start, g.state_size)
    if k.is_generated:
        generate(k, <Board *>state, seed)
    if memory != NULL:
        begin(k, <const Board *>state, memory, k.is_generated)


cdef int32_t slots(const masume_game *g, const void *state, int32_t *players) noexcept nogil:
    """The player to move: COOL first, then in turn. [CH-3, CH-4, CH-R2]"""
    cdef const Board *board = <const Board *>state
    players[0] = board.half & 1
    return board.winner == ONGOING


cdef int32_t legal(const masume_game *g, const void *state, int32_t slot, int32_t *codes) noexcept nogil:
    """All 16 methods. [CH-8, CH-R23]"""
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
    """Waiting: a search changes nothing. [CH-R23]"""
    return SEARCH_UP


cdef void tell(const Params *k, const Board *board, void *memory, int32_t action) noexcept nogil:
    """What both are told after a method. [section 7 step 6]"""
    cdef int32_t o = board.half & 1
    tell_method(k, board, knowledge_of(k, memory, 1 - o), 1 - o, action)
    tell_at_hand(k, board, knowledge_of(k, memory, o), o)


cdef int32_t apply(const masume_game *g, void *state, void *memory, const int32_t *codes) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef Board *board = <Board *>state
    cdef int32_t status
    if board.winner != ONGOING or not 0 <= codes[0] < NUM_ACTIONS:
        return MASUME_ILLEGAL(0)
    status = play(k, board, codes[0])
    if memory != NULL:
        tell(k, board, memory, codes[0])
    return status


cdef void step_many(const masume_game *g, int64_t n, void *states, void *memories, const int32_t *codes,
                    int32_t *statuses, int32_t *movers) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef Board *board
    cdef int64_t i
    for i in range(n):
        board = <Board *>(<uint8_t *>states + i * g.state_size)
        if board.winner != ONGOING or not 0 <= codes[i] < NUM_ACTIONS:
            statuses[i] = MASUME_ILLEGAL(0)
            continue
        statuses[i] = play(k, board, codes[i])
        movers[i] = board.half & 1
        if memories != NULL:
            tell(k, board, <uint8_t *>memories + i * g.memory_size, codes[i])


cdef int64_t playout(const masume_game *g, void *state, uint64_t *rng) noexcept nogil:
    """Random methods to the end, drawn as `sample` would; returns how many."""
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
    """`player` cannot go on; nothing but the result changes. [CH-20, CH-R24]"""
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
    """1 for the winner, -1 for the other. [section 8]"""
    cdef int32_t winner = (<const Board *>state).winner
    out[0] = <float>((winner == 0) - (winner == 1))
    out[1] = -out[0] if out[0] != 0 else 0


cdef void scores(const masume_game *g, const void *state, int64_t *out) noexcept nogil:
    """The items of each player."""
    out[0] = (<const Board *>state).items[0]
    out[1] = (<const Board *>state).items[1]


cdef void observe(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                  void *const *out) noexcept nogil:
    """The fields of `table`, in its order, of what is public and what the player knows alone. [section 9.7]"""
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


cdef uint64_t key(const masume_game *g, const void *state) noexcept nogil:
    """Sum of mixes of (place in the state, value), two words of cells at a time."""
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
    """A position that satisfies D1 to D10 (resample.pxd). [section 9.6]"""
    cdef One sampler
    if make_sampler(params_of(g), <const Board *>state, memory, player, 1, &sampler.sampler) < 0:
        return -1
    return draw(g, &sampler, seed, out_state, out_memory)


cdef int32_t prepare(const masume_game *g, const void *state, const void *memory, int32_t player,
                     void *sampler) noexcept nogil:
    """What all samples of a position have in common."""
    cdef const Params *k = params_of(g)
    return make_sampler(k, <const Board *>state, memory, player, num_guesses(k), <Sampler *>sampler)


cdef int32_t draw(const masume_game *g, void *sampler, uint64_t seed, void *out_state, void *out_memory) noexcept nogil:
    """One of the samples of a position."""
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
    """The method info of who has moved, the ready or end info of the other. [section 9.2]"""
    cdef const Board *board = <const Board *>state
    cdef int32_t met
    cdef uint32_t info = read_info(params_of(g), board, player, AT_HAND if board.half & 1 == player else codes[0], &met)
    return masume_mix(info | GOES_ON * (board.winner == ONGOING))


# -- the policy ---------------------------------------------------------------------------------------

cdef void policy(const masume_game *g, const void *state, const void *memory, int32_t which, int32_t player,
                 uint64_t *rng, int32_t *codes) noexcept nogil:
    """The forager's action (policy.pxd)."""
    cdef const Params *k = params_of(g)
    codes[0] = forage(k, knowledge_of(k, memory, player), (<const Board *>state).half, rng)


# -- the table of a config ----------------------------------------------------------------------------

cdef struct Kit:
    masume_game table
    const char *policy_names[1]
    masume_field state_fields[6]
    masume_field fields[6]
    Params params


def cells_around(int around):
    """The nine (rows, columns) from a player to the cells of an info, by number. [section 9.2]

    around : the action that the info answers, or 16 for a ready or end info.
    """
    from masume.chaser.maps import STEPS
    kind, direction = divmod(around, 4)
    down, right = STEPS[direction % 4]
    if kind == SEARCH:                                                       # CH-31: nearest first
        return [(n * down, n * right) for n in range(1, 1 + NINE)]
    away = 2 if kind == LOOK else 0                                          # CH-29, CH-30, CH-R14
    return [(away * down + n // 3 - 1, away * right + n % 3 - 1) for n in range(NINE)]


cdef void make_params(Params *k, object config):
    from masume.chaser.maps import STEPS, start_cells
    cdef int32_t n, around, down, right, row, column
    cdef Shape *shape
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
    """A capsule with the function table of a config (src/masume/game.h).

    config : masume.chaser.Config; TypeError for another. level : the CPU level of its kernels, "v2", "v3" or "v4";
    None: the one MASUME_CPU names, else the best. ConfigError for a level this machine lacks.
    """
    from masume.chaser.config import Config
    cdef const wide_level *kernels = kernels_of(level)
    cdef Kit *kit
    cdef masume_game *g
    cdef Params *k
    if not isinstance(config, Config):
        raise TypeError(f"config: a masume.chaser.Config is wanted, not {config!r}")
    capsule = new_capsule(sizeof(Kit))
    kit = <Kit *>block_of(capsule)
    k = &kit.params
    make_params(k, config)
    k.level = kernels
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
    least = HEADER + max(k.words * 4, k.end // 4 + 4, (k.end + k.width + 7) // 4)  # `nine_cells`, `three_cells`
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
    g.num_policies = 1
    kit.policy_names[0] = "forager"
    g.policy_names = kit.policy_names
    g.policy = policy
    g.playout = playout
    g.step_many = step_many
    g.mask_bits = mask_bits
    g.news = news
    g.sampler_size = sampler_size(k)
    g.prepare = prepare
    g.draw = draw
    return capsule


# -- what was told, as text ---------------------------------------------------------------------------

cdef char *write_info(const Params *k, const Board *board, int32_t player, int32_t around, char *out) noexcept:
    """The ten digits of an info; what follows them."""
    cdef int32_t n, met
    cdef uint32_t info = read_info(k, board, player, around, &met)
    out[0] = c"1" if board.winner == ONGOING else c"0"
    for n in range(NINE):
        out[1 + n] = <char>(c"0" + digit_of(k, info, around, n))
    return out + 1 + NINE


cdef char *write_event(const Params *k, const Board *board, int32_t player, char kind, int32_t around,
                       char *out) noexcept:
    """An info as it stands in an information state. [section 9.3]"""
    out[0] = c"|"
    out[1] = kind
    return write_info(k, board, player, around, out + 2)


cdef str write_events(const Params *k, Board *board, object history, int32_t player, bint fouled):
    """What the player is told from this position on: its first ready info, then what the actions cause.

    fouled : a foul ended the game after them, if it was not over. The position is played to the end of the history.
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
        board.winner = DRAW                # whoever has won, the digits begin with 0
        out = write_event(k, board, player, c"E", AT_HAND, out)
    return first[:out - first].decode()


# -- Python face --------------------------------------------------------------------------------------

cdef class State(_state.State):
    """A CHaser position and what its players have seen, changed in place by `apply`. Player 0 is COOL, 1 HOT."""
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
        """uint8[height, width]: 0 floor, 2 block, 3 item; players are not in it. [section 3]"""
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
        """int16[2, 2]: (row, column) of COOL and HOT, one step outside the field where one has walked off."""
        return np.array([(row_of(self.k, self.board.place[q]), column_of(self.k, self.board.place[q]))
                         for q in range(2)], np.int16)

    @property
    def items(self):
        """int32[2]: what COOL and HOT have collected. [CH-15]"""
        return np.array([self.board.items[q] for q in range(2)], np.int32)

    @property
    def half(self):
        """Methods played by both. [section 3]"""
        return self.board.half

    @property
    def turns_left(self):
        """Turns that the player to move still has, this one included; 0 at the turn limit. [CH-5]"""
        return (self.k.last_half - self.board.half + 1) // 2

    @property
    def winner(self):
        """-1 ongoing, 0 COOL, 1 HOT, 2 draw. [section 8]"""
        return self.board.winner

    @property
    def reason(self):
        """Why it is over, a place in `notation.REASONS`; 0 before the end. [section 8]"""
        return self.board.reason

    @property
    def safe_mask(self):
        """uint8[16]: the legal mask, without the walks onto a cell that reads 2 in the ready info. [section 6]"""
        cdef cnp.ndarray found = self.legal_mask()
        cdef uint8_t *out = <uint8_t *>cnp.PyArray_DATA(found)
        cdef int32_t p = self.board.half & 1, direction
        if self.board.winner == ONGOING:
            for direction in range(4):
                out[4 * WALK + direction] = not is_buried(self.board, self.board.place[p] + self.k.step[direction])
        return found

    # -- what a player sees -------------------------------------------------------------------

    def events(self, player=None):
        """What the last call caused, as `player` sees it (None: as both do), in order. [section 9.3]

        Each is {"player": p, "event": "action", "action": two letters} or, with the ten digits,
        {"player": p, "event": "ready" | "method" | "end", "info": digits}. The start of a game, or of a position
        without a past, causes the ready info of the player to move.
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
        """All that `player` has seen: C or H, then |R digits, |A letters, |M digits, |E digits. [section 9.3]

        A position read from bytes, a dict or a text has no past: what its players saw before is not in it.
        """
        cdef Board board
        cdef bytes origin = self.origin
        cdef bint fouled = self.board.reason == FOUL
        who = self.to_player(player)
        history, past, text = self.history, self.past, ""
        while True:
            memcpy(&board, <const char *>origin, self.g.state_size)
            text = write_events(self.k, &board, history, who, fouled) + text
            if past is None or past[0] != who:     # of a sample: another player is someone else in there
                return "CH"[who] + text
            _, _, origin, history, past = past
            fouled = False
            text = text[LETTERS:]                  # the ready info that it was drawn at is in both

    def full_observation(self):
        """float32[6, height, width], which no player may see: floor, block, item, COOL, HOT, ones if HOT is to move."""
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
        """A State sampled among those that `player`, who is to move, may be in: it satisfies D1 to D10. [section 9.6]

        The start is drawn from all possible ones: each as likely, or, on a generated map, by how likely the blocks
        are that would be in the field. Then the opponent's cell is drawn from all it can be on; both are drawn again
        where there is none. The opponent has taken what is gone, and as much that nobody saw as
        makes it as successful as `player`. What `player` has seen is as it was; its opponent has seen nothing.
        The last call of the sample is the ready info of `player`. ValueError if `player` is not to move, or if no such
        position was found in a bounded number of tries.
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
        """The variables of section 3 under their names; what was seen is not among them."""
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
        """Become the position of a dict, whose players have no past; StateError, which names the key, otherwise."""
        cdef Board board
        cdef int32_t n, q
        cdef const char *fault
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
                raise StateError(f"cells[{n}]: 1 is none of 0, 2, 3")
            turn(&board, self.k.place_of[n], <uint32_t>value ^ TURNED)
        for q in range(2):
            if not is_near(self.k, rows[q], columns[q]):
                raise StateError(f"row[{q}]: {rows[q]},{columns[q]} is more than a step outside the field")
            board.place[q] = <int16_t>((rows[q] + 1) * self.k.stride + columns[q])
            board.items[q] = items[q]
        fault = check_board(self.g, self.k, &board)
        if fault != NULL:
            raise StateError(fault.decode())
        memcpy(self.data, &board, self.g.state_size)
        self.forget()
        return self.begin_history()

    def __str__(self):
        from masume.chaser import notation
        return notation.to_text(self.to_dict())

    def action_to_text(self, action, slot=0):
        """The two letters of an action (`notation.action_to_text`). [CH-45]"""
        from masume.chaser import notation
        self.to_slot(slot)
        return notation.action_to_text(_state.to_int64(action, "action"))

    def text_to_action(self, str text not None, slot=0):
        """The inverse of `action_to_text`; NotationError for a text that is no action."""
        from masume.chaser import notation
        self.to_slot(slot)
        return notation.text_to_action(text)

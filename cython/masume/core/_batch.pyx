# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""The batch loop: n games stepped together through the function table, without the GIL.

Row i owns one generator, started at stream(seed, i). All random numbers of the row come from it, in
this order: the game it plays next (only if there are several), that game's seed, then each sampled code.
"""
from math import prod

cimport cython
cimport numpy as cnp
import numpy as np
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int8_t, int32_t, int64_t, intptr_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memchr, memcpy, memset
from masume.core._game cimport (
    MASUME_ILLEGAL_SLOT, MASUME_MAX_FIELDS, MASUME_MAX_PLAYERS, MASUME_MAX_SLOTS, MASUME_RESET_DISABLED,
    MASUME_RESET_SAME_STEP, MASUME_SIMULTANEOUS, MASUME_TERMINAL, Table, check_whole, masume_below, masume_next,
    masume_stream)
from masume.core._planes cimport Form, Views, observe_again, observe_view
from masume.core._playout cimport codes_of, mask_bits, playout, sample_codes
from masume.core._state cimport State, view_of
from masume.core.arrays cimport check_array
from masume.core.guard cimport guard_methods
from masume.core.platform cimport claim, release

from masume.core._playout import check_start
from masume.errors import IllegalActionError, StateError

cnp.import_array()

cdef extern from "masume/stream.h" nogil:
    void stream_copy(void *, const void *, int64_t)

cdef object BOOL = np.dtype(np.bool_)
cdef object INT8 = np.dtype(np.int8)
cdef object INT64 = np.dtype(np.int64)
cdef object UINT64 = np.dtype(np.uint64)
cdef frozenset DERIVED = frozenset(("over", "illegal", "notes"))      # blocks that follow from others, or say nothing
cdef str BUSY = "batch: another thread is inside; each thread needs a batch of its own"

cdef enum:
    MAX_WATCHED = 40
    CACHE_LINE = 64
    STREAM_FROM = 1 << 23          # bytes of all views of a field; of fewer, caches keep much until they are read
    MASKS = -1                     # in place of the number of a field
    NO_FIELD = -2
    STREAM_ROOM = 3 << 15          # bytes on the stack for one view of all fields that are streamed
    STRIP = 64                     # rows that a game steps at a time: few enough that their states stay in the cache


@cython.final
cdef class Pool:
    """Pool of worker threads; the calling thread is one of them.

    Parameters
    ----------
    threads : int, optional
        Number of threads, 1..1024. Default 1.
    """

    def __cinit__(self, int threads=1):
        if threads > 1024:
            raise ValueError(f"threads: expected at most 1024, got {threads}")
        self.p = masume_pool_new(threads)
        if self.p == NULL:
            raise MemoryError

    def __dealloc__(self):
        masume_pool_free(self.p)

    @property
    def threads(self):
        """Number of threads, including the caller."""
        return masume_pool_threads(self.p)


@cython.final
cdef class Block:
    """Zeroed block of `size` bytes that starts on a cache line; read-only from Python, through `view`."""

    def __cinit__(self, size_t size):
        if size > <size_t>1 << 60:
            raise MemoryError
        self.nbytes = size
        self.memory = np.zeros(size + CACHE_LINE, np.uint8)    # NumPy requests large pages
        self.start = <void *>((<uintptr_t>cnp.PyArray_DATA(self.memory) + CACHE_LINE - 1) // CACHE_LINE * CACHE_LINE)

    def view(self, dtype not None, tuple shape not None):
        """Return a read-only array of this dtype and shape over the whole block; ValueError if the size differs."""
        dtype = np.dtype(dtype)
        if (dtype.hasobject or dtype.itemsize * prod(shape) != self.nbytes
                or min(shape, default=1) < 0 or len(shape) > 8):
            raise ValueError(f"view: {dtype}{list(shape)} is not a block of {self.nbytes} bytes")
        return view_of(self, self.start, dtype, shape, False)


# -- one row --------------------------------------------------------------------------------

cdef inline const masume_game *game_of(const masume_batch *b, int64_t i) noexcept nogil:
    return b.games[b.game_index[i]]


cdef inline void *memory_of(const masume_batch *b, const masume_game *g, int64_t i) noexcept nogil:
    return b.memories + i * g.memory_size if b.memories != NULL else NULL


cdef inline void observe_row(const masume_batch *b, int64_t i, uint32_t fields, void *const *base,
                             const Views *views, int64_t place, int32_t player) noexcept nogil:
    """Write the fields that the player sees of the row's state, into view number `place` of the arrays."""
    cdef const masume_game *g = game_of(b, i)
    cdef void *out[MASUME_MAX_FIELDS]
    cdef uint32_t k
    for k in range(g.num_fields):
        if fields >> k & 1:
            out[k] = <uint8_t *>base[k] + place * views.stride[k]
    if views.streamed & fields and base == b.observations:
        stream_view(g, b.states + i * g.state_size, memory_of(b, g, i), player, fields, views, out)
    elif views.notes != NULL and base == b.observations:
        observe_again(g, b.states + i * g.state_size, memory_of(b, g, i), player, fields, views,
                      views.notes + place * views.note_size, out)
    else:
        observe_view(g, b.states + i * g.state_size, memory_of(b, g, i), player, fields, views, out)


cdef void stream_view(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                      const Views *views, void *const *out) noexcept nogil:
    """Write fields of a player's view; draw those that are streamed in the cache, then copy them."""
    cdef uint8_t room[STREAM_ROOM + CACHE_LINE]
    cdef uint8_t *start = room + (-<intptr_t>room & CACHE_LINE - 1)
    cdef void *drawn[MASUME_MAX_FIELDS]
    cdef uint32_t k
    for k in range(g.num_fields):
        if fields >> k & 1:
            drawn[k] = start + views.drawn_at[k] if views.streamed >> k & 1 else out[k]
    observe_view(g, state, memory, player, fields, views, drawn)
    for k in range(g.num_fields):
        if fields & views.streamed & 1 << k:
            stream_copy(out[k], drawn[k], views.stride[k])


cdef inline void refresh_row(const masume_batch *b, const masume_game *g, const Views *views,
                             int64_t i) noexcept nogil:
    """Update the row's player to move, masks and observations from its state."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t count = g.slots(g, b.states + i * g.state_size, players)
    b.current_player[i] = <int8_t>(-2 if count == 0 else -1 if g.flags & MASUME_SIMULTANEOUS else players[0])
    if b.masks != NULL or b.masks_packed != NULL or b.fields:
        show_row(b, g, views, i, count, players[0])


cdef void show_row(const masume_batch *b, const masume_game *g, const Views *views, int64_t i, int32_t count,
                   int32_t mover) noexcept nogil:
    """Write masks and observations of the row's state; `count` slots are pending, the first one `mover`'s."""
    cdef const uint8_t *state = b.states + i * g.state_size
    cdef bint together = (g.flags & MASUME_SIMULTANEOUS) != 0
    cdef int32_t slot, player
    cdef int64_t words
    if views.seats != NULL and count and mover != views.seats[i]:
        return
    if b.masks != NULL:
        for slot in range(<int32_t>g.num_slots):
            if slot < count:
                g.mask(g, state, slot, b.masks + (i * g.num_slots + slot) * g.num_actions)
            else:
                memset(b.masks + (i * g.num_slots + slot) * g.num_actions, 0, g.num_actions)
    if b.masks_packed != NULL:
        words = (g.num_actions + 31) // 32
        for slot in range(<int32_t>g.num_slots):
            if slot < count:
                mask_bits(g, state, slot, b.masks_packed + (i * g.num_slots + slot) * words)
            else:
                memset(b.masks_packed + (i * g.num_slots + slot) * words, 0, words * sizeof(uint32_t))
    if b.fields:
        if together:
            for player in range(<int32_t>g.num_players):
                observe_row(b, i, b.fields, b.observations, views, i * g.num_players + player, player)
        else:
            observe_row(b, i, b.fields, b.observations, views, i, mover if count else 0)


cdef inline int64_t views_of(const masume_game *g) noexcept nogil:
    """Return the number of views of a row."""
    return g.num_players if g.flags & MASUME_SIMULTANEOUS else 1


cdef inline void start_row(const masume_batch *b, const Views *views, int64_t i) noexcept nogil:
    """Start a new game in the row, from its generator; set `illegal` and `over` if the seed has no start."""
    cdef const masume_game *g
    if b.num_games > 1:
        b.game_index[i] = <int32_t>masume_below(&b.rngs[i], b.num_games)
    g = game_of(b, i)
    b.seeds[i] = masume_next(&b.rngs[i]) >> 1
    g.init(g, b.states + i * g.state_size, memory_of(b, g, i), b.seeds[i])
    enter_row(b, g, views, i)
    b.illegal[i] = b.over[i]


cdef inline void enter_row(const masume_batch *b, const masume_game *g, const Views *views, int64_t i) noexcept nogil:
    """Forget what belonged to the game before the one that is now in the row."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    if views.notes != NULL:
        memset(views.notes + i * views_of(g) * views.note_size, 0, views_of(g) * views.note_size)
    b.plies[i] = 0
    b.over[i] = g.slots(g, b.states + i * g.state_size, players) == 0
    if b.scores != NULL:
        g.scores(g, b.states + i * g.state_size, b.scores + i * g.num_players)


cdef inline void no_reward(const masume_batch *b, const masume_game *g, int64_t i) noexcept nogil:
    """Set the row's rewards to 0, one by one: compilers turn a loop into a call of memset."""
    cdef float *rewards = b.rewards + i * g.num_players
    rewards[0] = 0
    if g.num_players > 1:
        rewards[1] = 0
    if g.num_players > 2:
        rewards[2] = 0
    if g.num_players > 3:
        rewards[3] = 0


cdef inline void reward_row(const masume_batch *b, const masume_game *g, int64_t i, bint ended) noexcept nogil:
    """Write the row's rewards: the returns at the end, or the change of each score."""
    cdef float *rewards = b.rewards + i * g.num_players
    cdef int64_t now[MASUME_MAX_PLAYERS]
    cdef uint32_t k
    if b.scores != NULL:
        g.scores(g, b.states + i * g.state_size, now)
        for k in range(g.num_players):
            rewards[k] = <float>(now[k] - b.scores[i * g.num_players + k])
            b.scores[i * g.num_players + k] = now[k]
    elif ended:
        g.returns(g, b.states + i * g.state_size, rewards)
    else:
        no_reward(b, g, i)


cdef void end_row(const masume_batch *b, const masume_game *g, const Views *views, int64_t i) noexcept nogil:
    """Count a finished game and write its final observations."""
    cdef float returns[MASUME_MAX_PLAYERS]
    cdef uint32_t k
    g.returns(g, b.states + i * g.state_size, returns)
    for k in range(g.num_players):
        b.total_returns[i * g.num_players + k] += returns[k]
    b.finished[i] += 1
    b.total_plies[i] += b.plies[i]
    b.terminated[i] = 1
    b.over[i] = 1
    if b.final_fields:
        for k in range(g.num_players):
            observe_row(b, i, b.final_fields, b.final_observations, views, i * g.num_players + k, <int32_t>k)


cdef inline int32_t apply_row(const masume_batch *b, const masume_game *g, int64_t i) noexcept nogil:
    """Apply the row's codes, with fallback codes in place of illegal ones if that option is set.

    Works on a copy: another thread of the caller may change a code after the table has found it legal.
    """
    cdef const int32_t *given = b.actions + i * g.num_slots
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef uint32_t slot
    cdef int32_t status
    for slot in range(g.num_slots):
        codes[slot] = given[slot]
    status = g.apply(g, b.states + i * g.state_size, memory_of(b, g, i), codes)
    return mend_row(b, g, i, status) if status < 0 and b.fallback else status


cdef inline int32_t apply_exactly(const masume_batch *b, const masume_game *g, int64_t i,
                                  int64_t action) noexcept nogil:
    """Apply an action that may have no code; otherwise like `apply_row`."""
    cdef int32_t status = g.apply_action(g, b.states + i * g.state_size, memory_of(b, g, i), action)
    return mend_row(b, g, i, status) if status < 0 and b.fallback else status


cdef int32_t mend_row(const masume_batch *b, const masume_game *g, int64_t i, int32_t status) noexcept nogil:
    """Apply the row's codes, with fallback codes in place of illegal ones; `status` names the first of these."""
    cdef uint8_t *state = b.states + i * g.state_size
    cdef int32_t mended[MASUME_MAX_SLOTS]
    cdef int32_t slot, tries = <int32_t>g.num_slots
    memcpy(mended, b.actions + i * g.num_slots, g.num_slots * sizeof(int32_t))
    # each try gives another slot a legal code
    while status < 0 and tries > 0:
        slot = MASUME_ILLEGAL_SLOT(status)
        mended[slot] = g.fallback(g, state, slot)
        b.fallbacks[i] += 1
        status = g.apply(g, state, memory_of(b, g, i), mended)
        tries -= 1
    return status


# -- ranges of rows ---------------------------------------------------------------------------

cdef struct Job:
    const masume_batch *b
    const Views *views
    const uint8_t *chosen      # rows to work on, NULL: all
    const int64_t *exact       # actions to play, NULL: play the batch's codes
    uint64_t seed
    bint reseed
    const uint64_t *seeds      # of each row, instead of streams of `seed`
    bint skips_ends            # do not refresh masks and observations at an end
    bint asks                  # whether a running game's slots are needed, for masks, observations or the mover
    int64_t *plies             # of each row, for playout
    const int8_t *viewers      # of each row, for look
    void *const *out           # where look writes
    const int64_t *places      # row of `out` for each row
    const int8_t *policies     # of each row and player, for choose
    uint64_t *generators       # the same
    const int64_t *rows        # for load, whose range is positions: the row of each
    const int32_t *game_index  # of each position
    const uint8_t *positions   # state and memory of each
    int32_t learner            # for a single game: the seat of the learner, -1 in self-play
    const int32_t *codes       # the learner's codes
    const int32_t *slots       # the slot of each
    int32_t num_codes
    float *gained              # the rewards of the learner's step, by player
    int32_t tries              # games that may end before the learner can decide


cdef inline void renew_row(const Job *job, const masume_batch *b, const masume_game *g, int64_t i) noexcept nogil:
    """Start the next game in a row that is over, unless autoreset is disabled."""
    no_reward(b, g, i)
    if b.autoreset != MASUME_RESET_DISABLED:
        b.terminated[i] = 0
        start_row(b, job.views, i)
        refresh_row(b, game_of(b, i), job.views, i)


cdef inline void settle_row(const Job *job, const masume_batch *b, const masume_game *g, int64_t i,
                            int32_t status) noexcept nogil:
    """Update the row after its apply returned this status."""
    b.terminated[i] = 0
    if status < 0:
        b.illegal[i] = 1
        no_reward(b, g, i)
        return
    b.plies[i] += 1
    reward_row(b, g, i, status == MASUME_TERMINAL)
    if status == MASUME_TERMINAL:
        end_row(b, g, job.views, i)
        if b.autoreset == MASUME_RESET_SAME_STEP:
            start_row(b, job.views, i)
            g = game_of(b, i)
        elif job.skips_ends:
            b.current_player[i] = -2
            return
    if job.asks:
        refresh_row(b, g, job.views, i)
    else:
        b.current_player[i] = -2 if b.over[i] else -1


cdef void step_rows(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef const Job *job = <const Job *>job_
    cdef const masume_batch *b = job.b
    cdef const masume_game *g
    cdef int64_t i
    for i in range(begin, end):
        b.illegal[i] = 0
        if job.chosen != NULL and not job.chosen[i]:
            continue
        g = game_of(b, i)
        if b.over[i]:
            renew_row(job, b, g, i)
        else:
            settle_row(job, b, g, i, apply_row(b, g, i) if job.exact == NULL
                       else apply_exactly(b, g, i, job.exact[i]))


cdef void rest_of_row(const Job *job, const masume_batch *b, const masume_game *g, int64_t i,
                      int32_t status) noexcept nogil:
    """Finish what `step_strips` leaves: games that are over or just ended, and illegal codes."""
    if b.over[i]:
        renew_row(job, b, g, i)
    else:
        settle_row(job, b, g, i, mend_row(b, g, i, status) if status < 0 and b.fallback else status)


cdef inline void go_on(const masume_batch *b, const masume_game *g, int64_t begin, int64_t n, const int32_t *statuses,
                       const int32_t *movers) noexcept nogil:
    """Update a strip's rows whose games go on. Each loop writes one array, so that compilers vectorize it."""
    cdef uint8_t *terminated = b.terminated + begin
    cdef int64_t *plies = b.plies + begin
    cdef int8_t *current_player = b.current_player + begin
    cdef int64_t i
    for i in range(n):
        terminated[i] &= statuses[i] != 0
    for i in range(n):
        plies[i] += statuses[i] == 0
    for i in range(n):
        current_player[i] ^= (current_player[i] ^ movers[i]) & -(statuses[i] == 0)
    if b.scores == NULL:
        memset(b.rewards + begin * g.num_players, 0, n * g.num_players * sizeof(float))
        return
    for i in range(n):
        if statuses[i] == 0:
            reward_row(b, g, begin + i, False)


cdef void step_strips(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    """Step as `step_rows` does, for games that step many rows at a time; most games of a strip go on."""
    cdef const Job *job = <const Job *>job_
    cdef const masume_batch *b = job.b
    cdef const masume_game *g = b.games[0]
    cdef bint shows = b.masks != NULL or b.masks_packed != NULL or b.fields != 0
    cdef int32_t statuses[STRIP]
    cdef int32_t movers[STRIP]
    cdef int32_t codes[STRIP]      # a copy, for the reason given in `apply_row`
    cdef int32_t other
    cdef int64_t i, n
    while begin < end:
        n = min(<int64_t>STRIP, end - begin)
        memcpy(codes, b.actions + begin, n * sizeof(int32_t))
        # all rows of the strip together
        g.step_many(g, n, b.states + begin * g.state_size, memory_of(b, g, begin), codes, statuses, movers)
        memset(b.illegal + begin, 0, n)
        go_on(b, g, begin, n, statuses, movers)
        # one by one what that leaves: rows whose status is not 0, and what is shown
        other = 0
        for i in range(n):
            other |= statuses[i]
        if other or shows:
            for i in range(n):
                if statuses[i] != 0:
                    rest_of_row(job, b, g, begin + i, statuses[i])
                elif shows:
                    show_row(b, g, job.views, begin + i, 1, movers[i])
        begin += n


cdef void reset_rows(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef Job *job = <Job *>job_
    cdef const masume_batch *b = job.b
    cdef int64_t i
    for i in range(begin, end):
        b.illegal[i] = 0
        if job.chosen != NULL and not job.chosen[i]:
            continue
        if job.seeds != NULL:
            b.rngs[i] = masume_stream(job.seeds[i], 0)
        elif job.reseed:
            b.rngs[i] = masume_stream(job.seed, <uint64_t>i)
        start_row(b, job.views, i)
        no_reward(b, game_of(b, i), i)
        b.terminated[i] = 0
        refresh_row(b, game_of(b, i), job.views, i)


cdef void load_rows(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef const Job *job = <const Job *>job_
    cdef const masume_batch *b = job.b
    cdef const masume_game *g = b.games[0]
    cdef const uint8_t *position
    cdef int64_t i, k
    for k in range(begin, end):
        i = job.rows[k]
        position = job.positions + k * (g.state_size + g.memory_size)
        memcpy(b.states + i * g.state_size, position, g.state_size)
        if b.memories != NULL:
            memcpy(b.memories + i * g.memory_size, position + g.state_size, g.memory_size)
        b.game_index[i] = job.game_index[k]
        g = game_of(b, i)
        enter_row(b, g, job.views, i)
        no_reward(b, g, i)
        b.terminated[i] = b.over[i]
        refresh_row(b, g, job.views, i)


cdef void sample_rows(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef Job *job = <Job *>job_
    cdef const masume_batch *b = job.b
    cdef const masume_game *g
    cdef int64_t i
    for i in range(begin, end):
        if job.chosen != NULL and not job.chosen[i]:
            continue
        g = game_of(b, i)
        sample_codes(g, b.states + i * g.state_size, &b.rngs[i], <int32_t *>b.actions + i * g.num_slots)


cdef void choose_rows(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef Job *job = <Job *>job_
    cdef const masume_batch *b = job.b
    cdef const masume_game *g
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t *codes
    cdef uint8_t *state
    cdef int64_t i, at
    cdef int32_t count, player
    for i in range(begin, end):
        if job.chosen != NULL and not job.chosen[i]:
            continue
        g = game_of(b, i)
        state = b.states + i * g.state_size
        codes = <int32_t *>b.actions + i * g.num_slots
        count = g.slots(g, state, players)
        sample_codes(g, state, &b.rngs[i], codes)
        for player in range(<int32_t>g.num_players if count else 0):
            at = i * g.num_players + player
            if job.policies[at] and (g.flags & MASUME_SIMULTANEOUS or player == players[0]):
                codes_of(g, state, memory_of(b, g, i), players, count, player, job.policies[at],
                         &job.generators[at], codes)


cdef void advance_single(Job *job, const masume_batch *b) noexcept nogil:
    """Let policies move in the only game until the learner is to move, and add the rewards."""
    cdef int32_t player
    if job.policies == NULL or game_of(b, 0).flags & MASUME_SIMULTANEOUS:
        return
    while b.current_player[0] != -2 and b.current_player[0] != job.learner and not b.illegal[0]:
        choose_rows(job, 0, 1, 0)
        step_rows(job, 0, 1, 0)
        for player in range(<int32_t>game_of(b, 0).num_players):
            job.gained[player] += b.rewards[player]


cdef void step_single(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    """Play the learner's codes in the only game, and what others decide before the learner's next decision."""
    cdef Job *job = <Job *>job_
    cdef const masume_batch *b = job.b
    cdef const masume_game *g = game_of(b, 0)
    cdef int32_t *actions = <int32_t *>b.actions
    cdef int32_t k, who = max(job.learner if job.policies != NULL else b.current_player[0], 0)
    if job.policies != NULL and g.flags & MASUME_SIMULTANEOUS:
        choose_rows(job, 0, 1, 0)
    for k in range(job.num_codes):
        actions[job.slots[k]] = job.codes[k]
    step_rows(job, 0, 1, 0)
    if b.illegal[0]:
        return
    memcpy(job.gained, b.rewards, g.num_players * sizeof(float))
    advance_single(job, b)
    if b.over[0] and who and not g.flags & MASUME_SIMULTANEOUS:    # after the end the batch holds player 0's view
        observe_row(b, 0, b.fields, b.observations, job.views, 0, who)


cdef void start_single(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    """Start the next game with a decision for the learner; leave a game that is over if all tries had none."""
    cdef Job *job = <Job *>job_
    cdef const masume_batch *b = job.b
    cdef int32_t player
    for _ in range(job.tries):
        reset_rows(job, 0, 1, 0)
        if b.illegal[0]:
            return
        if job.policies != NULL:
            for player in range(<int32_t>game_of(b, 0).num_players):
                if job.policies[player]:
                    job.generators[player] = masume_stream(b.seeds[0], <uint64_t>player)
        advance_single(job, b)
        if not b.over[0]:
            return


cdef void look_rows(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef Job *job = <Job *>job_
    cdef const masume_batch *b = job.b
    cdef int64_t i
    for i in range(begin, end):
        if job.chosen == NULL or job.chosen[i]:
            observe_row(b, i, b.fields, job.out, job.views, job.places[i] if job.places != NULL else i, job.viewers[i])


cdef void playout_rows(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef Job *job = <Job *>job_
    cdef const masume_batch *b = job.b
    cdef const masume_game *g
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef uint8_t *state
    cdef int64_t i
    for i in range(begin, end):
        job.plies[i] = 0
        b.illegal[i] = 0
        if b.over[i]:
            continue
        g = game_of(b, i)
        state = b.states + i * g.state_size
        if b.memories != NULL:             # the memories are observed later
            while sample_codes(g, state, &b.rngs[i], codes):
                g.apply(g, state, memory_of(b, g, i), codes)
                job.plies[i] += 1
        else:
            job.plies[i] = playout(g, state, &b.rngs[i])
        b.plies[i] += job.plies[i]
        reward_row(b, g, i, True)
        end_row(b, g, job.views, i)
        refresh_row(b, g, job.views, i)


# -- the Python side --------------------------------------------------------------------------

cdef class Loop:
    """Loops of a Batch, over arrays that batch.py allocates and names."""

    def __cinit__(self, *_, **__):
        memset(&self.b, 0, sizeof(masume_batch))
        self.tables = NULL

    def __dealloc__(self):
        PyMem_Free(self.tables)

    def _bind(self, tuple games not None, dict arrays not None, dict observations not None, dict finals not None,
              dict blocks not None, tuple watched not None, Pool pool, int autoreset, bint score_rewards, bint fallback,
              dtype, crop):
        """Store the addresses of all arrays, once; `watched` are those the caller can reach."""
        cdef Table table, first
        cdef const masume_game *g
        cdef masume_batch *b = &self.b
        cdef int64_t k, n, slots, players, codes
        if self.tables != NULL:
            raise RuntimeError("batch: it has its arrays already")
        if not games:
            raise ValueError("game: expected at least one")
        for table in games:
            check_whole(table)
        first = games[0]
        g = first.g
        slots, players, codes = g.num_slots, g.num_players, g.num_actions
        for table in games:
            # rows of all games share one layout
            if (table.g.state_size, table.g.memory_size, table.g.num_players, table.g.num_slots, table.g.num_actions,
                    table.g.num_fields, table.g.note_size, table.g.changing) != (
                    g.state_size, g.memory_size, players, slots, codes, g.num_fields, g.note_size, g.changing):
                raise ValueError(f"game: {table!r} is of another size than {first!r}")
        if len(watched) > MAX_WATCHED:
            raise ValueError(f"buffers: more than {MAX_WATCHED}")
        n = len(arrays["terminated"])
        rows = [n, players] if first.is_simultaneous else [n]
        self.kept = [dict(arrays), dict(observations), dict(finals), dict(blocks), list(watched)]
        arrays, observations, finals, blocks = self.kept[:4]
        b.n = n
        b.num_games = <int32_t>len(games)
        b.autoreset = autoreset
        b.score_rewards = score_rewards
        b.fallback = fallback
        b.actions = <const int32_t *>address("actions", arrays, np.int32, (n, slots))
        b.rewards = <float *>address("rewards", arrays, np.float32, (n, players))
        b.terminated = <uint8_t *>address("terminated", arrays, np.bool_, (n,))
        b.current_player = <int8_t *>address("current_player", arrays, np.int8, (n,))
        b.seeds = <uint64_t *>address("seeds", arrays, np.uint64, (n,))
        b.masks = <uint8_t *>address("masks", arrays, np.uint8, (n, slots, codes))
        b.masks_packed = <uint32_t *>address("masks_packed", arrays, np.uint32, (n, slots, (codes + 31) // 32))
        b.states = <uint8_t *>room("states", blocks, n * g.state_size)
        b.memories = <uint8_t *>room("memories", blocks, n * g.memory_size)
        b.game_index = <int32_t *>room("game_index", blocks, n * sizeof(int32_t))
        b.rngs = <uint64_t *>room("rngs", blocks, n * sizeof(uint64_t))
        b.over = <uint8_t *>room("over", blocks, n)
        b.illegal = <uint8_t *>room("illegal", blocks, n)
        b.scores = <int64_t *>room("scores", blocks, n * players * sizeof(int64_t))
        b.plies = <int64_t *>room("plies", blocks, n * sizeof(int64_t))
        b.finished = <int64_t *>room("finished", blocks, n * sizeof(int64_t))
        b.total_plies = <int64_t *>room("total_plies", blocks, n * sizeof(int64_t))
        b.fallbacks = <int64_t *>room("fallbacks", blocks, n * sizeof(int64_t))
        b.total_returns = <double *>room("total_returns", blocks, n * players * sizeof(double))
        for name in ("actions", "rewards", "terminated", "current_player", "seeds"):
            if arrays.get(name) is None:
                raise ValueError(f"{name}: missing")
        for name in ("states", "game_index", "rngs", "over", "illegal", "plies", "finished", "total_plies", "fallbacks",
                     "total_returns", *(("scores",) if score_rewards else ()),
                     *(("memories",) if g.memory_size and (observations or finals) else ())):
            if blocks.get(name) is None:
                raise ValueError(f"{name}: missing")
        self.form = Form(first, dtype, crop)
        self.form.views.notes = <uint8_t *>room("notes", blocks, n * views_of(g) * g.note_size)
        for k, (name, (shape, dtype)) in enumerate(self.form.spec.items()):
            b.observations[k] = address(name, observations, dtype, (*rows, *shape))
            b.fields |= <uint32_t>(b.observations[k] != NULL) << k
            b.final_observations[k] = address(name, finals, dtype, (n, players, *shape))
            b.final_fields |= <uint32_t>(b.final_observations[k] != NULL) << k
        # `_check_buffers` compares these before each call
        for k, array in enumerate(watched):
            self.addresses[k] = cnp.PyArray_DATA(<cnp.ndarray?>array)
            self.sizes[k] = cnp.PyArray_NBYTES(<cnp.ndarray>array)
        names = list(self.form.spec)
        self.places = {name: (k, names.index(name) if name in names else MASKS if name == "masks" else NO_FIELD,
                              array.dtype, array.shape)
                       for k, array in enumerate(watched) for name, its in arrays.items() if its is array}
        self.games = games
        self.pool = pool
        self.num_watched = len(watched)
        self.watched = self.kept[4]
        self.tables = <const masume_game **>PyMem_Calloc(len(games), sizeof(void *))
        if self.tables == NULL:
            raise MemoryError
        for k, table in enumerate(games):
            self.tables[k] = table.g
        b.games = <const masume_game *const *>self.tables
        self.choose_streamed()

    cdef const masume_game *table(self) except NULL:
        """Return the table of the first game; RuntimeError before `_bind`."""
        if self.tables == NULL:
            raise RuntimeError("batch: it has no arrays yet; Batch(...) gives it some")
        return self.tables[0]

    cdef void choose_streamed(self) noexcept:
        """Choose the fields that are written past the caches."""
        cdef Views *views = &self.form.views
        cdef int64_t k, drawn = 0, count = self.b.n * views_of(self.tables[0])
        for k in range(self.tables[0].num_fields):
            if (self.b.observations[k] != NULL and views.notes == NULL
                    and count * views.stride[k] >= STREAM_FROM and drawn + views.stride[k] <= STREAM_ROOM):
                views.streamed |= <uint32_t>1 << k
                views.drawn_at[k] = <int32_t>drawn
                drawn += (views.stride[k] + CACHE_LINE - 1) // CACHE_LINE * CACHE_LINE

    def _swap(self, dict arrays not None):
        """Write masks and fields of the observations, {name: array}, into these arrays from now on."""
        cdef int64_t k, field
        self._check_buffers()
        arrays = dict(arrays)
        for name, array in arrays.items():
            k, field, dtype, shape = self.places.get(name) or (0, NO_FIELD, None, None)
            if field == NO_FIELD:
                raise ValueError(f"arrays: expected masks or an observed field, got {name!r}")
            if self.form.views.notes != NULL and name in self.form.changing:
                raise ValueError(f"arrays: of {name!r} only changes are written")
            check_array(name, array, dtype, shape)
        if claim(&self.is_busy):
            raise RuntimeError(BUSY)
        for name, array in arrays.items():
            k, field, _, _ = self.places[name]
            self.watched[k] = array
            self.addresses[k] = cnp.PyArray_DATA(<cnp.ndarray>array)
            self.kept[0][name] = array
            if field == MASKS:
                self.b.masks = <uint8_t *>self.addresses[k]
            else:
                self.kept[1][name] = array
                self.b.observations[field] = self.addresses[k]
        release(&self.is_busy)

    def _save(self):
        """Return what `_restore` needs to make another batch with the same options equal to this one."""
        self._check_buffers()
        if claim(&self.is_busy):
            raise RuntimeError(BUSY)
        try:
            arrays, _, finals, blocks, _ = self.kept
            return {
                "arrays": {name: array.copy() for name, array in arrays.items()},
                "finals": {name: array.copy() for name, array in finals.items()},
                "blocks": {name: bytes_of(block) for name, block in blocks.items() if name not in DERIVED},
                "seats": self.seats,
                "skips_ends": self.skips_ends,
            }
        finally:
            release(&self.is_busy)

    def _restore(self, dict saved not None):
        """Take over what `_save` returned; ValueError, and nothing changed, if it is of another batch or damaged."""
        cdef const masume_game *g = self.table()
        cdef const uint8_t *states
        cdef const uint8_t *memories = NULL
        cdef const int32_t *which
        cdef const char *message
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int64_t i
        # check everything before anything is written
        arrays, _, finals, blocks, _ = self.kept
        for mine, its in ((arrays, saved["arrays"]), (finals, saved["finals"])):
            for name, array in mine.items():
                check_array(name, its.get(name), array.dtype, (<object>array).shape, False)
        given = {name: its for name, its in saved["blocks"].items() if name not in DERIVED}
        sizes = {name: (<Block?>block).nbytes for name, block in blocks.items() if name not in DERIVED}
        if sizes != {name: len(<bytes?>its) for name, its in given.items()}:
            raise ValueError(f"blocks: expected {sizes}")
        room = {name: np.frombuffer(its, np.uint8).copy() for name, its in given.items()}      # aligned
        states = <const uint8_t *>cnp.PyArray_DATA(<cnp.ndarray>room["states"])
        which = <const int32_t *>cnp.PyArray_DATA(<cnp.ndarray>room["game_index"])
        if "memories" in room:
            memories = <const uint8_t *>cnp.PyArray_DATA(<cnp.ndarray>room["memories"])
        for i in range(self.b.n):
            if not 0 <= which[i] < self.b.num_games:
                raise ValueError(f"game_index: expected 0..{self.b.num_games - 1}, got {which[i]} of game {i}")
            g = self.b.games[which[i]]
            message = g.check(g, states + i * g.state_size, memories + i * g.memory_size if memories != NULL else NULL)
            if message != NULL:
                raise ValueError(f"states: game {i}: {message.decode()}")
        if claim(&self.is_busy):
            raise RuntimeError(BUSY)
        try:
            for mine, its in ((arrays, saved["arrays"]), (finals, saved["finals"])):
                for name, array in mine.items():
                    array[...] = its[name]
            for name, its in given.items():
                memcpy((<Block>blocks[name]).start, <const char *><bytes>its, sizes[name])
            # the derived blocks anew; notes of zeros make observations be written in full
            if "notes" in blocks:
                memset((<Block>blocks["notes"]).start, 0, (<Block>blocks["notes"]).nbytes)
            for i in range(self.b.n):
                g = game_of(&self.b, i)
                self.b.over[i] = g.slots(g, self.b.states + i * g.state_size, players) == 0
                self.b.illegal[i] = 0
        finally:
            release(&self.is_busy)
        self.skips_ends = saved["skips_ends"]
        if saved["seats"] is not None:
            self._show_only(saved["seats"])

    cdef int _check_buffers(self) except -1:
        """Raise ValueError if an array of the caller has moved or changed its size."""
        cdef int64_t k
        cdef cnp.ndarray array
        self.table()
        for k in range(self.num_watched):
            array = <cnp.ndarray>(<list>self.watched)[k]
            if cnp.PyArray_DATA(array) != self.addresses[k] or cnp.PyArray_NBYTES(array) != self.sizes[k]:
                raise ValueError(f"buffers: an array of the batch ({array.dtype}{list((<object>array).shape)}) was "
                                 "resized after the batch was made")
        return 0

    cdef int _run(self, masume_range_fn work, void *job_, int64_t n, masume_pace *pace) except -1:
        """Run the work over 0..n-1, in the pool if there is one; RuntimeError if a thread is already inside."""
        cdef Job *job = <Job *>job_
        if claim(&self.is_busy):
            raise RuntimeError(BUSY)
        if job.b == NULL:
            job.b = &self.b
        job.views = &self.form.views
        job.asks = (self.b.masks != NULL or self.b.masks_packed != NULL or self.b.fields != 0
                    or not self.tables[0].flags & MASUME_SIMULTANEOUS)
        with nogil:
            if self.pool is None:
                work(job, 0, n, 0)
            else:
                masume_pool_run(self.pool.p, work, job, n, pace)
        release(&self.is_busy)
        return 0

    def step(self, actions=None, mask=None, exact=None):
        """Play one code per slot in every game; the results are in the batch's arrays.

        A game that is over starts again instead, and its action is ignored; with ``autoreset="disabled"`` it stays as
        it is.

        Parameters
        ----------
        actions : ndarray of int32, optional
            int32[n, slots], or int32[n] in games of one slot; C-contiguous. None: play the codes in `actions`.
        mask : ndarray of bool, optional
            bool[n], the games to play in. The others, and their rows of all arrays, stay unchanged. None: all.
        exact : ndarray of int64, optional
            int64[n], actions instead of codes, for games whose actions are not codes (`Game.has_exact_actions`).

        Raises
        ------
        IllegalActionError
            With ``on_illegal="raise"``, if codes were illegal. The message names their games, which are unchanged; the
            other games have moved.
        ConfigError
            If a seed drawn for a new game has no start.
        ValueError
            If an array has another dtype, shape or order, or an array of the batch was resized.
        RuntimeError
            If another thread is inside the batch.
        """
        cdef Job job
        cdef masume_batch given
        cdef cnp.ndarray array
        cdef const masume_game *g
        self._check_buffers()
        g = self.tables[0]
        memset(&job, 0, sizeof(Job))
        choose(&job, mask, self.b.n)
        job.skips_ends = self.skips_ends
        if actions is not None:
            if not isinstance(actions, np.ndarray):
                raise ValueError(f"actions: expected an ndarray, got {type(actions).__name__}")
            array = actions
            if (cnp.PyArray_TYPE(array) != cnp.NPY_INT32 or not cnp.PyArray_ISCARRAY_RO(array)
                    or not (array.ndim == 2 or array.ndim == 1 and g.num_slots == 1)
                    or array.shape[0] != self.b.n or cnp.PyArray_SIZE(array) != self.b.n * g.num_slots):
                order = "" if array.flags.c_contiguous else ", not C-contiguous"
                raise ValueError(f"actions: expected int32[{self.b.n}, {g.num_slots}], got "
                                 f"{array.dtype}{list((<object>array).shape)}{order}")
            # the loops read the caller's array in place
            given = self.b
            given.actions = <const int32_t *>cnp.PyArray_DATA(array)
            job.b = &given
        if exact is not None:
            if actions is not None or g.apply_action == NULL:
                raise ValueError("exact: " + (f"the actions of {self.games[0].name} are codes" if actions is None
                                              else "actions are given too"))
            check_array("exact", exact, INT64, (self.b.n,), False)
            job.exact = <const int64_t *>cnp.PyArray_DATA(<cnp.ndarray>exact)
        if self.b.num_games == 1 and g.step_many != NULL and mask is None and job.exact == NULL:
            self._run(step_strips, &job, self.b.n, &self.of_steps)
        else:
            self._run(step_rows, &job, self.b.n, &self.of_steps)
        if memchr(self.b.illegal, 1, self.b.n) != NULL:
            self._raise_illegal()

    def _raise_illegal(self):
        for i in range(self.b.n):
            if self.b.illegal[i] and self.b.over[i]:
                check_start(self.games[self.b.game_index[i]], self.b.seeds[i])
        rows = [i for i in range(self.b.n) if self.b.illegal[i]]
        more = f" and {len(rows) - 8} more" if len(rows) > 8 else ""
        raise IllegalActionError(f"actions: illegal in game {', '.join(map(str, rows[:8]))}{more}: "
                                 "unchanged, the others have moved")

    def _reset(self, seed, mask):
        cdef Job job
        self._check_buffers()
        memset(&job, 0, sizeof(Job))
        choose(&job, mask, self.b.n)
        if isinstance(seed, np.ndarray):
            check_array("seed", seed, UINT64, (self.b.n,), False)
            job.seeds = <const uint64_t *>cnp.PyArray_DATA(<cnp.ndarray>seed)
        elif seed is not None:
            job.reseed = True
            job.seed = seed
        self._run(reset_rows, &job, self.b.n, &self.of_resets)
        if memchr(self.b.illegal, 1, self.b.n) != NULL:
            self._raise_illegal()

    def _read(self, int64_t row):
        """Return the bytes of a row's position, then those of what its players have seen, if the batch keeps them."""
        cdef const masume_game *g = self.table()
        if not 0 <= row < self.b.n:
            raise ValueError(f"row: expected 0..{self.b.n - 1}, got {row}")
        found = np.zeros(g.state_size + (g.memory_size if self.b.memories != NULL else 0), np.uint8)
        cdef uint8_t *out = <uint8_t *>cnp.PyArray_DATA(found)
        if claim(&self.is_busy):
            raise RuntimeError("batch: another thread is inside; each thread needs a batch of its own")
        memcpy(out, self.b.states + row * g.state_size, g.state_size)
        if self.b.memories != NULL:
            memcpy(out + g.state_size, self.b.memories + row * g.memory_size, g.memory_size)
        release(&self.is_busy)
        return found.tobytes()

    def _load(self, rows, tuple states not None):
        """Put States into rows, int64[k], after checking all of them."""
        cdef Job job
        cdef State state
        cdef uint8_t *position
        cdef const char *message
        cdef const masume_game *g = self.table()
        cdef int64_t k, count = len(states)
        memset(&job, 0, sizeof(Job))
        check_array("rows", rows, INT64, (count,), False)
        rows = np.array(rows, subok=False)             # another thread may change it after its check
        if count and not (0 <= rows.min() and rows.max() < self.b.n):
            raise ValueError(f"rows: expected 0..{self.b.n - 1}, got {rows.min()}..{rows.max()}")
        if np.unique(rows).size != count:
            raise ValueError("rows: expected each row once")
        games = np.array([self._place_of(k, states[k]) for k in range(count)], np.int32)
        positions = np.zeros(count * (g.state_size + g.memory_size), np.uint8)
        job.rows = <const int64_t *>cnp.PyArray_DATA(<cnp.ndarray>rows)
        job.game_index = <const int32_t *>cnp.PyArray_DATA(<cnp.ndarray>games)
        job.positions = position = <uint8_t *>cnp.PyArray_DATA(<cnp.ndarray>positions)
        for k in range(count):         # copied with the GIL: another thread may change a State while rows are written
            state = <State>states[k]
            memcpy(position, state.data, g.state_size)
            if state.memory != NULL:
                memcpy(position + g.state_size, state.memory, g.memory_size)
            if state.g != self.tables[job.game_index[k]]:
                message = g.check(self.tables[job.game_index[k]], position,
                                  position + g.state_size if g.memory_size else NULL)
                if message != NULL:
                    raise StateError(f"states[{k}]: {message.decode()}")
            position += g.state_size + g.memory_size
        self._check_buffers()          # after the last call of the caller's code (`__eq__` of a config)
        self._run(load_rows, &job, count, &self.of_loads)

    cdef int32_t _place_of(self, int64_t k, object state) except -1:
        """Return the index of a State's game among those of the batch; ValueError if it is none of them."""
        cdef const masume_game *g
        cdef int32_t at
        if not isinstance(state, State):
            raise ValueError(f"states[{k}]: expected a State, got {type(state).__name__}")
        for at in range(self.b.num_games):
            if self.tables[at] == (<State>state).g:
                return at
        g = (<State>state).g
        for at in range(self.b.num_games):
            if (self.tables[at].init == g.init and self.tables[at].state_size == g.state_size
                    and self.tables[at].memory_size == g.memory_size and self.games[at] == (<State>state).game):
                return at
        expected = f"one of the {len(self.games)} games" if len(self.games) > 1 else repr(self.games[0])
        raise ValueError(f"states[{k}]: expected a state of {expected}, got one of {(<State>state).game!r}")

    def sample_actions(self, mask=None):
        """Fill `actions` with uniformly random legal codes; rows of finished games are left alone.

        Parameters
        ----------
        mask : ndarray of bool, optional
            bool[n], the rows to fill; the generators of the others do not advance. None: all.

        Raises
        ------
        ValueError
            If `mask` has another dtype, shape or order.
        """
        cdef Job job
        self._check_buffers()
        memset(&job, 0, sizeof(Job))
        choose(&job, mask, self.b.n)
        self._run(sample_rows, &job, self.b.n, &self.of_samples)

    def choose_actions(self, policies, generators, mask=None):
        """Fill `actions` with the codes that policies of the game choose; rows of finished games are left alone.

        Parameters
        ----------
        policies : ndarray of int8
            int8[n, players], the policy of each player by its place in `game.policies`. 0, "random", draws its codes as
            `sample_actions` does.
        generators : ndarray of uint64
            uint64[n, players], the generators (`masume.core.rng.Rng.state`) from which the other policies draw; they
            advance.
        mask : ndarray of bool, optional
            bool[n], the rows to fill. None: all.

        Raises
        ------
        ValueError
            If an array has another dtype, shape or order, the game has no such policy, or its policies need what
            players have seen and the batch does not keep it.
        RuntimeError
            If another thread is inside the batch.
        """
        cdef Job job
        cdef const masume_game *g = self.table()
        cdef int64_t players = g.num_players
        self._check_buffers()
        memset(&job, 0, sizeof(Job))
        choose(&job, mask, self.b.n)
        check_array("policies", policies, INT8, (self.b.n, players), False)
        check_array("generators", generators, UINT64, (self.b.n, players), True)
        chosen = np.array(policies, subok=False)       # another thread may change it after its check
        if chosen.size and not (0 <= chosen.min() and chosen.max() <= <int64_t>g.num_policies):
            raise ValueError(f"policies: expected 0..{g.num_policies}, got {chosen.min()}..{chosen.max()}")
        if g.memory_size and self.b.memories == NULL:
            raise ValueError("policies: the batch keeps nothing of what players have seen; make it with memory=True")
        job.policies = <const int8_t *>cnp.PyArray_DATA(<cnp.ndarray>chosen)
        job.generators = <uint64_t *>cnp.PyArray_DATA(<cnp.ndarray>generators)
        self._run(choose_rows, &job, self.b.n, &self.of_samples)

    def _show_only(self, seats):
        """Write masks and observations only where the player of `seats`, int8[n], is to move, and at ends."""
        check_array("seats", seats, INT8, (self.b.n,), False)
        self.seats = np.array(seats, subok=False)
        self.form.views.seats = <const int8_t *>cnp.PyArray_DATA(<cnp.ndarray>self.seats)

    def look(self, players, mask=None, out=None):
        """Fill `observations` with the views of chosen players, in games where players decide in turn.

        Parameters
        ----------
        players : ndarray of int8
            int8[n], the viewer of each game; games that are over are included.
        mask : ndarray of bool, optional
            bool[n], the games to look at. None: all.
        out : dict, optional
            {field: array}, with dtypes and shapes of `observations`, to fill instead. Row k belongs to the k-th game
            that is looked at; there may be fewer than n rows, but as many as games that are looked at.

        Raises
        ------
        ValueError
            If the game has no such player, an array has another dtype, shape or order, or all players decide at once
            (then the observations already contain every player's view).
        """
        cdef Job job
        cdef int64_t i
        cdef void *pointers[MASUME_MAX_FIELDS]
        cdef const masume_game *g = self.table()
        self._check_buffers()
        memset(&job, 0, sizeof(Job))
        if g.flags & MASUME_SIMULTANEOUS:
            raise ValueError(f"players: the observations of {self.games[0].name} have every player's view already")
        spec = self.form.spec
        arrays = None if out is None else [out.get(name) for name in spec]     # kept alive for the threads
        least = self.b.n
        if mask is not None:           # copies here and below: other threads may change an array after its check
            check_array("mask", mask, BOOL, (self.b.n,), False)
            mask = np.array(mask, subok=False)
            choose(&job, mask, self.b.n)
            least = np.count_nonzero(mask)
        check_array("players", players, INT8, (self.b.n,), False)
        viewers = np.array(players, subok=False)
        job.viewers = <const int8_t *>cnp.PyArray_DATA(<cnp.ndarray>viewers)
        for i in range(self.b.n):
            if (job.chosen == NULL or job.chosen[i]) and not 0 <= job.viewers[i] < <int32_t>g.num_players:
                raise ValueError(f"players: expected 0..{g.num_players - 1}, got {job.viewers[i]} of game {i}")
        job.out = self.b.observations
        if arrays is not None:
            for i, (name, (shape, dtype)) in enumerate(spec.items()):
                if self.b.fields >> i & 1:
                    rows = self.b.n
                    if isinstance(arrays[i], np.ndarray) and cnp.PyArray_NDIM(<cnp.ndarray>arrays[i]):
                        rows = min(max(cnp.PyArray_DIM(<cnp.ndarray>arrays[i], 0), least), rows)
                    check_array("out", arrays[i], dtype, (rows, *shape), True, name)
                    pointers[i] = cnp.PyArray_DATA(<cnp.ndarray>arrays[i])
            job.out = pointers
            if mask is not None:
                places = np.cumsum(mask, dtype=np.int64) - 1
                job.places = <const int64_t *>cnp.PyArray_DATA(<cnp.ndarray>places)
        self._run(look_rows, &job, self.b.n, &self.of_looks)

    def playout(self):
        """Play every game at random to its end.

        `rewards` and `terminated` are those of the end; the states stay finished until the next step or reset.

        Returns
        -------
        int
            Number of plies played, over all games.
        """
        cdef Job job
        cdef int64_t i, total = 0
        self._check_buffers()
        memset(&job, 0, sizeof(Job))
        plies = np.zeros(self.b.n, np.int64)
        job.plies = <int64_t *>cnp.PyArray_DATA(plies)
        self._run(playout_rows, &job, self.b.n, &self.of_playouts)
        for i in range(self.b.n):
            total += job.plies[i]
        return total


@cython.final
cdef class Single:
    """The only game of a batch as an environment for one learner: a call does all that a step or a start takes.

    Policies of the game have the other seats. What it returns are copies.

    Parameters
    ----------
    loop : Loop
        A batch of one game with masks, whose finished games stay (``autoreset="disabled"``).
    learner : int
        The learner's seat; -1 in self-play, where the player to move is the learner.
    slots : sequence of int
        The slots that the learner decides.
    policies, generators : ndarray or None
        int8[1, players] and uint64[1, players], as for `choose_actions`: who has the other seats. None in self-play.
    neutral : ndarray of uint8
        uint8[slots, num_actions], the masks of a game that is over.
    fields : dict
        {field: array}, the views in the batch's arrays of what the learner sees, of all observed fields.
    read : callable
        Returns an action that is no int and no array of integers as codes in such an array, or raises.
    """
    cdef Loop loop
    cdef int32_t learner
    cdef object policies
    cdef cnp.ndarray generators, neutral
    cdef dict fields
    cdef object read
    cdef tuple shape
    cdef bint has_slots          # several slots: masks and actions have an axis for them
    cdef bint is_direct          # observations are written into the arrays that are returned
    cdef int32_t num_codes
    cdef int32_t slots[MASUME_MAX_SLOTS]

    def __cinit__(self, Loop loop not None, int learner, slots, policies, generators, neutral, dict fields not None,
                  read):
        cdef const masume_game *g = loop.table()
        cdef int32_t k
        if loop.b.n != 1 or loop.b.masks == NULL or loop.b.autoreset != MASUME_RESET_DISABLED:
            raise ValueError('loop: expected a batch of one game with masks and autoreset="disabled"')
        if not -1 <= learner < <int>g.num_players or (learner == -1) != (policies is None):
            raise ValueError(f"learner: expected a seat with policies, or -1 without, got {learner}")
        slots = [int(slot) for slot in slots]
        if not 0 < len(slots) <= <Py_ssize_t>g.num_slots or not (0 <= min(slots) and max(slots) < <int>g.num_slots):
            raise ValueError(f"slots: expected some of 0..{g.num_slots - 1}, got {slots}")
        check_array("neutral", neutral, np.dtype(np.uint8), (g.num_slots, g.num_actions), False)
        for k, slot in enumerate(slots):
            self.slots[k] = slot
        self.num_codes = <int32_t>len(slots)
        self.has_slots = (g.flags & MASUME_SIMULTANEOUS) != 0
        self.shape = (self.num_codes,) if self.has_slots else ()
        if policies is not None:
            check_array("policies", policies, INT8, (1, g.num_players), False)
            check_array("generators", generators, UINT64, (1, g.num_players), True)
            policies = np.array(policies, subok=False)
            if not (0 <= policies.min() and policies.max() <= <int64_t>g.num_policies):
                raise ValueError(f"policies: expected 0..{g.num_policies}, got {policies.min()}..{policies.max()}")
            if g.memory_size and loop.b.memories == NULL:
                raise ValueError("policies: the batch keeps nothing of what players have seen; make it with "
                                 "memory=True")
            self.generators = generators
        # not where only changes are written, or where the views of others are written too
        self.is_direct = loop.form.views.notes == NULL and not (self.has_slots and learner >= 0)
        if set(fields) != set(loop.kept[1]):
            raise ValueError(f"fields: expected {sorted(loop.kept[1])}, got {sorted(fields)}")
        for name, array in fields.items():
            shape, dtype = loop.form.spec[name]
            shape = (g.num_players, *shape) if self.has_slots and learner < 0 else shape
            check_array("fields", array, dtype, shape, False, name)
        self.loop, self.learner, self.policies, self.neutral = loop, learner, policies, np.array(neutral, subok=False)
        self.fields = {name: fields[name] for name in loop.form.spec if name in fields}
        self.read = read

    @property
    def is_over(self):
        """Whether the game is over."""
        return self.loop.b.over[0] != 0

    cdef dict aim(self, Job *job, masume_batch *b, float *gained):
        """Set up a job over the game, with `b` for its arrays; return the arrays that it fills for the caller."""
        cdef cnp.ndarray array
        cdef int64_t k
        memset(job, 0, sizeof(Job))
        b[0] = self.loop.b
        job.b = b
        memset(gained, 0, MASUME_MAX_PLAYERS * sizeof(float))
        job.learner = self.learner
        job.gained = gained
        if self.policies is not None:
            job.policies = <const int8_t *>cnp.PyArray_DATA(<cnp.ndarray>self.policies)
            job.generators = <uint64_t *>cnp.PyArray_DATA(self.generators)
        if not self.is_direct:
            return None
        found = {}
        k = 0
        for name, field in self.fields.items():
            while b.observations[k] == NULL:
                k += 1
            array = <cnp.ndarray>field
            array = cnp.PyArray_EMPTY(array.ndim, cnp.PyArray_DIMS(array), cnp.PyArray_TYPE(array), 0)
            b.observations[k] = cnp.PyArray_DATA(array)
            found[name] = array
            k += 1
        return found

    def step(self, action):
        """Play the learner's action, then the others until the learner is to move or the game is over.

        Parameters
        ----------
        action : int or ndarray
            A code; in simultaneous games an array of one code for each of the learner's slots.

        Returns
        -------
        tuple
            Observation, reward, whether the game is over, False, and info, as `Env.step` returns them.

        Raises
        ------
        IllegalActionError
            With ``on_illegal="raise"``, if a code is illegal; the game is unchanged.
        RuntimeError
            If another thread is inside the batch.
        """
        cdef Job job
        cdef float gained[MASUME_MAX_PLAYERS]
        cdef int32_t codes[MASUME_MAX_SLOTS]
        cdef masume_batch b
        cdef int32_t who = max(self.loop.b.current_player[0] if self.learner < 0 else self.learner, 0)
        self.read_codes(action, codes)
        self.loop._check_buffers()
        found = self.aim(&job, &b, gained)
        job.codes, job.slots, job.num_codes = codes, self.slots, self.num_codes
        self.loop._run(step_single, &job, 1, &self.loop.of_steps)
        if b.illegal[0]:
            self.loop._raise_illegal()
        return self.copies() if found is None else found, gained[who], b.over[0] != 0, False, self.info()

    def start(self, int tries):
        """Start the next game, and another one up to `tries` times if it ends before the learner can decide.

        Returns
        -------
        tuple or None
            Observation and info, as `Env.reset` returns them; None if all games ended before.

        Raises
        ------
        ConfigError
            If the seed drawn for a game has no start.
        RuntimeError
            If another thread is inside the batch.
        """
        cdef Job job
        cdef float gained[MASUME_MAX_PLAYERS]
        cdef masume_batch b
        self.loop._check_buffers()
        found = self.aim(&job, &b, gained)
        job.tries = tries
        self.loop._run(start_single, &job, 1, &self.loop.of_resets)
        if b.illegal[0]:
            self.loop._raise_illegal()
        return None if b.over[0] else (self.copies() if found is None else found, self.info())

    cdef int read_codes(self, action, int32_t *codes) except -1:
        """Write the codes of an action; what `read` raises if it is none."""
        cdef int64_t code
        cdef int32_t k
        if not self.has_slots and (type(action) is int or type(action) is INT64.type):
            if -0x80000000 <= action <= 0x7FFFFFFF:
                codes[0] = <int32_t>action
                return 0
        given = action
        if not (type(given) is np.ndarray and (<cnp.ndarray>given).dtype is INT64
                and cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray>given) and self.fits(<cnp.ndarray>given)):
            given = np.array(self.read(action, self.shape), np.int64, subok=False)
            if not self.fits(<cnp.ndarray>given):
                raise ValueError(f"actions: expected shape {self.shape}, got {given.shape}")
        for k in range(self.num_codes):
            code = (<int64_t *>cnp.PyArray_GETPTR1(<cnp.ndarray>given, k) if self.has_slots
                    else <int64_t *>cnp.PyArray_DATA(<cnp.ndarray>given))[0]
            if code != <int32_t>code:
                self.read(action, self.shape)      # which says what is wrong
            codes[k] = <int32_t>code
        return 0

    cdef bint fits(self, cnp.ndarray given) noexcept:
        """Return whether an array has the shape of an action."""
        return cnp.PyArray_NDIM(given) == self.has_slots and cnp.PyArray_SIZE(given) == self.num_codes

    cdef dict copies(self):
        return {name: cnp.PyArray_NewCopy(<cnp.ndarray>array, cnp.NPY_CORDER) for name, array in self.fields.items()}

    cdef dict info(self):
        cdef masume_batch *b = &self.loop.b
        cdef const masume_game *g = self.loop.tables[0]
        cdef cnp.npy_intp dims[2]
        cdef const uint8_t *masks = b.masks if not b.over[0] else <uint8_t *>cnp.PyArray_DATA(self.neutral)
        cdef cnp.ndarray mask
        cdef uint8_t *out
        cdef int32_t k
        dims[0], dims[1] = self.num_codes, g.num_actions
        mask = (cnp.PyArray_EMPTY(2, dims, cnp.NPY_INT8, 0) if self.has_slots
                else cnp.PyArray_EMPTY(1, &dims[1], cnp.NPY_INT8, 0))
        out = <uint8_t *>cnp.PyArray_DATA(mask)
        for k in range(self.num_codes):
            memcpy(out + k * g.num_actions, masks + self.slots[k] * g.num_actions, g.num_actions)
        if self.learner >= 0:
            return {"action_mask": mask}
        dims[0] = g.num_players
        rewards = cnp.PyArray_EMPTY(1, dims, cnp.NPY_FLOAT32, 0)
        memcpy(cnp.PyArray_DATA(rewards), b.rewards, g.num_players * sizeof(float))
        return {"action_mask": mask, "current_player": INT8.type(b.current_player[0]), "rewards": rewards}


cdef bytes bytes_of(Block block):
    return (<const char *>block.start)[:block.nbytes]


cdef int choose(Job *job, object mask, int64_t n) except -1:
    """Restrict the job to the rows where `mask`, bool[n], is True; None: all."""
    if mask is not None:
        check_array("mask", mask, BOOL, (n,), False)
        job.chosen = <const uint8_t *>cnp.PyArray_DATA(<cnp.ndarray>mask)
    return 0


cdef void *address(str name, dict arrays, dtype, tuple shape) except? NULL:
    """Return the address of the named array's data; NULL if there is no such array."""
    array = arrays.get(name)
    if array is None:
        return NULL
    check_array(name, array, np.dtype(dtype), shape)
    return cnp.PyArray_DATA(<cnp.ndarray>array)


cdef void *room(str name, dict blocks, size_t size) except? NULL:
    """Return the address of the named block, which must have `size` bytes; NULL if there is no such block."""
    cdef Block block = blocks.get(name)
    if block is None:
        return NULL
    if block.nbytes != size:
        raise ValueError(f"{name}: expected a block of {size} bytes, got {block.nbytes}")
    return block.start


guard_methods(globals())

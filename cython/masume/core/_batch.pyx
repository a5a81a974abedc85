# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""The batch loop: n games stepped together, over the function table and without the GIL.

Row i owns one generator, started at stream(seed, i). All that is drawn for the row comes from it in
order: the game it plays next (only where there are several), that game's seed, then each sampled code.
"""
from math import prod

cimport cython
cimport numpy as cnp
import numpy as np
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memchr, memcpy, memset
from masume.core._game cimport (
    MASUME_ILLEGAL_SLOT, MASUME_MAX_FIELDS, MASUME_MAX_PLAYERS, MASUME_MAX_SLOTS, MASUME_RESET_DISABLED,
    MASUME_RESET_SAME_STEP, MASUME_SIMULTANEOUS, MASUME_TERMINAL, Table, check_whole, masume_below, masume_next,
    masume_stream)
from masume.core._playout cimport mask_bits, playout, sample_codes
from masume.core._state cimport check_array, view_of
from masume.core.platform cimport claim, release

from masume.core._playout import check_start
from masume.errors import IllegalActionError

cnp.import_array()

cdef object BOOL = np.dtype(np.bool_)
cdef object INT8 = np.dtype(np.int8)
cdef object INT64 = np.dtype(np.int64)

cdef enum:
    MAX_WATCHED = 40
    CACHE_LINE = 64
    STRIP = 64            # rows that a game steps at a time: their states are still near when they are looked at


@cython.final
cdef class Pool:
    """Threads that wait for work: `Pool(threads)`, the caller being one of them."""

    def __cinit__(self, int threads=1):
        if threads > 1024:
            raise ValueError(f"threads: {threads} are more than 1024")
        self.p = masume_pool_new(threads)
        if self.p == NULL:
            raise MemoryError

    def __dealloc__(self):
        masume_pool_free(self.p)

    @property
    def threads(self):
        """How many work, the caller included."""
        return masume_pool_threads(self.p)


@cython.final
cdef class Block:
    """Zeroed memory on a cache line's edge, which Python can look at and not change."""

    def __cinit__(self, size_t size):
        if size > <size_t>1 << 60:
            raise MemoryError
        self.nbytes = size
        self.memory = np.zeros(size + CACHE_LINE, np.uint8)    # NumPy asks for large pages
        self.start = <void *>((<uintptr_t>cnp.PyArray_DATA(self.memory) + CACHE_LINE - 1) // CACHE_LINE * CACHE_LINE)

    def view(self, dtype not None, tuple shape not None):
        """A read-only array of this dtype and shape, which takes the whole of the block."""
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
                             const int64_t *stride, int64_t place, int32_t player) noexcept nogil:
    """The fields that player sees of the row's state, into view number `place` of the arrays."""
    cdef const masume_game *g = game_of(b, i)
    cdef void *out[MASUME_MAX_FIELDS]
    cdef uint32_t k
    for k in range(g.num_fields):
        if fields >> k & 1:
            out[k] = <uint8_t *>base[k] + place * stride[k]
    g.observe(g, b.states + i * g.state_size, memory_of(b, g, i), player, fields, out)


cdef inline void refresh_row(const masume_batch *b, const masume_game *g, const int64_t *stride,
                             int64_t i) noexcept nogil:
    """Player to move, masks and observations of the row's state as it stands."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t count = g.slots(g, b.states + i * g.state_size, players)
    b.current_player[i] = <int8_t>(-2 if count == 0 else -1 if g.flags & MASUME_SIMULTANEOUS else players[0])
    if b.masks != NULL or b.masks_packed != NULL or b.fields:
        show_row(b, g, stride, i, count, players[0])


cdef void show_row(const masume_batch *b, const masume_game *g, const int64_t *stride, int64_t i, int32_t count,
                   int32_t mover) noexcept nogil:
    """Masks and observations of the row's state, which wants `count` decisions, the first of them by `mover`."""
    cdef const uint8_t *state = b.states + i * g.state_size
    cdef bint together = (g.flags & MASUME_SIMULTANEOUS) != 0
    cdef int32_t slot, player
    cdef int64_t words
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
                observe_row(b, i, b.fields, b.observations, stride, i * g.num_players + player, player)
        else:
            observe_row(b, i, b.fields, b.observations, stride, i, mover if count else 0)


cdef inline void start_row(const masume_batch *b, int64_t i) noexcept nogil:
    """A new game in the row, drawn from its generator; `illegal` and `over` where its seed has no start."""
    cdef const masume_game *g
    cdef int32_t players[MASUME_MAX_SLOTS]
    if b.num_games > 1:
        b.game_index[i] = <int32_t>masume_below(&b.rngs[i], b.num_games)
    g = game_of(b, i)
    b.seeds[i] = masume_next(&b.rngs[i]) >> 1
    g.init(g, b.states + i * g.state_size, memory_of(b, g, i), b.seeds[i])
    b.plies[i] = 0
    b.over[i] = g.slots(g, b.states + i * g.state_size, players) == 0
    b.illegal[i] = b.over[i]
    if b.scores != NULL:
        g.scores(g, b.states + i * g.state_size, b.scores + i * g.num_players)


cdef inline void no_reward(const masume_batch *b, const masume_game *g, int64_t i) noexcept nogil:
    """The row's rewards are 0; written one by one, since a loop becomes a call of memset."""
    cdef float *rewards = b.rewards + i * g.num_players
    rewards[0] = 0
    if g.num_players > 1:
        rewards[1] = 0
    if g.num_players > 2:
        rewards[2] = 0
    if g.num_players > 3:
        rewards[3] = 0


cdef inline void reward_row(const masume_batch *b, const masume_game *g, int64_t i, bint ended) noexcept nogil:
    """The row's rewards: returns at the end, or what each score changed by."""
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


cdef void end_row(const masume_batch *b, const masume_game *g, const int64_t *stride, int64_t i) noexcept nogil:
    """Count a finished game and keep its last observations."""
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
            observe_row(b, i, b.final_fields, b.final_observations, stride, i * g.num_players + k, <int32_t>k)


cdef inline int32_t apply_row(const masume_batch *b, const masume_game *g, int64_t i) noexcept nogil:
    """Apply the row's codes; where told so, with the neutral code in the place of an illegal one.

    A copy of them: what the table has found legal, another thread of the caller's may change.
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
    """Apply an action that may have no code; otherwise as `apply_row`."""
    cdef int32_t status = g.apply_action(g, b.states + i * g.state_size, memory_of(b, g, i), action)
    return mend_row(b, g, i, status) if status < 0 and b.fallback else status


cdef int32_t mend_row(const masume_batch *b, const masume_game *g, int64_t i, int32_t status) noexcept nogil:
    """Apply the row's codes with neutral ones in the place of the illegal ones, of which `status` names the first."""
    cdef uint8_t *state = b.states + i * g.state_size
    cdef int32_t mended[MASUME_MAX_SLOTS]
    cdef int32_t slot, tries = <int32_t>g.num_slots
    memcpy(mended, b.actions + i * g.num_slots, g.num_slots * sizeof(int32_t))
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
    const int64_t *stride
    const uint8_t *chosen      # the rows that are meant, NULL: all
    const int64_t *exact       # actions to play, NULL: the batch's codes
    uint64_t seed
    bint reseed
    bint skips_ends            # an end is not looked at
    bint asks                  # for the slots of a game that goes on: they are shown, or say who decides
    int64_t *plies             # of each row, of playout
    const int8_t *viewers      # of each row, of look
    void *const *out           # where look writes, and at which row of it
    const int64_t *places


cdef inline void renew_row(const Job *job, const masume_batch *b, const masume_game *g, int64_t i) noexcept nogil:
    """A row that is over: the next game, where there is to be one."""
    no_reward(b, g, i)
    if b.autoreset != MASUME_RESET_DISABLED:
        b.terminated[i] = 0
        start_row(b, i)
        refresh_row(b, game_of(b, i), job.stride, i)


cdef inline void settle_row(const Job *job, const masume_batch *b, const masume_game *g, int64_t i,
                            int32_t status) noexcept nogil:
    """What comes of the row's apply, which gave this status."""
    b.terminated[i] = 0
    if status < 0:
        b.illegal[i] = 1
        no_reward(b, g, i)
        return
    b.plies[i] += 1
    reward_row(b, g, i, status == MASUME_TERMINAL)
    if status == MASUME_TERMINAL:
        end_row(b, g, job.stride, i)
        if b.autoreset == MASUME_RESET_SAME_STEP:
            start_row(b, i)
            g = game_of(b, i)
        elif job.skips_ends:
            b.current_player[i] = -2
            return
    if job.asks:
        refresh_row(b, g, job.stride, i)
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
    """What `step_strips` leaves to do: a game that is over or ends, an illegal code."""
    if b.over[i]:
        renew_row(job, b, g, i)
    else:
        settle_row(job, b, g, i, mend_row(b, g, i, status) if status < 0 and b.fallback else status)


cdef inline void go_on(const masume_batch *b, const masume_game *g, int64_t begin, int64_t n, const int32_t *statuses,
                       const int32_t *movers) noexcept nogil:
    """A strip's rows whose games go on; loops that compilers make into vectors, so each has one array."""
    cdef uint8_t *terminated = b.terminated + begin
    cdef int64_t *plies = b.plies + begin
    cdef int8_t *current_player = b.current_player + begin
    cdef int64_t i
    for i in range(n):
        terminated[i] &= statuses[i] != 0
    for i in range(n):
        plies[i] += statuses[i] == 0
    for i in range(n):
        current_player[i] = <int8_t>movers[i] if statuses[i] == 0 else current_player[i]
    if b.scores == NULL:
        memset(b.rewards + begin * g.num_players, 0, n * g.num_players * sizeof(float))
        return
    for i in range(n):
        if statuses[i] == 0:
            reward_row(b, g, begin + i, False)


cdef void step_strips(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    """The same where the game steps many rows at a time, most of which go on."""
    cdef const Job *job = <const Job *>job_
    cdef const masume_batch *b = job.b
    cdef const masume_game *g = b.games[0]
    cdef bint shows = b.masks != NULL or b.masks_packed != NULL or b.fields != 0
    cdef int32_t statuses[STRIP]
    cdef int32_t movers[STRIP]
    cdef int32_t codes[STRIP]      # a copy, as in `apply_row`
    cdef int32_t other
    cdef int64_t i, n
    while begin < end:
        n = min(<int64_t>STRIP, end - begin)
        memcpy(codes, b.actions + begin, n * sizeof(int32_t))
        g.step_many(g, n, b.states + begin * g.state_size, memory_of(b, g, begin), codes, statuses, movers)
        memset(b.illegal + begin, 0, n)
        go_on(b, g, begin, n, statuses, movers)
        other = 0
        for i in range(n):
            other |= statuses[i]
        if other or shows:
            for i in range(n):
                if statuses[i] != 0:
                    rest_of_row(job, b, g, begin + i, statuses[i])
                elif shows:
                    show_row(b, g, job.stride, begin + i, 1, movers[i])
        begin += n


cdef void reset_rows(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef Job *job = <Job *>job_
    cdef const masume_batch *b = job.b
    cdef int64_t i
    for i in range(begin, end):
        b.illegal[i] = 0
        if job.chosen != NULL and not job.chosen[i]:
            continue
        if job.reseed:
            b.rngs[i] = masume_stream(job.seed, <uint64_t>i)
        start_row(b, i)
        no_reward(b, game_of(b, i), i)
        b.terminated[i] = 0
        refresh_row(b, game_of(b, i), job.stride, i)


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


cdef void look_rows(void *job_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef Job *job = <Job *>job_
    cdef const masume_batch *b = job.b
    cdef int64_t i
    for i in range(begin, end):
        if job.chosen == NULL or job.chosen[i]:
            observe_row(b, i, b.fields, job.out, job.stride, job.places[i] if job.places != NULL else i, job.viewers[i])


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
        if b.memories != NULL:             # somebody will look at what the players have seen
            while sample_codes(g, state, &b.rngs[i], codes):
                g.apply(g, state, memory_of(b, g, i), codes)
                job.plies[i] += 1
        else:
            job.plies[i] = playout(g, state, &b.rngs[i])
        b.plies[i] += job.plies[i]
        reward_row(b, g, i, True)
        end_row(b, g, job.stride, i)
        refresh_row(b, g, job.stride, i)


# -- the Python side --------------------------------------------------------------------------

cdef class Loop:
    """The loops of a Batch over arrays that batch.py has made and named."""

    def __cinit__(self, *_, **__):
        memset(&self.b, 0, sizeof(masume_batch))
        self.tables = NULL

    def __dealloc__(self):
        PyMem_Free(self.tables)

    def _bind(self, tuple games, dict arrays, dict observations, dict finals, dict blocks, tuple watched, Pool pool,
              int autoreset, bint score_rewards, bint fallback):
        """Take the addresses of all arrays, once; `watched` are those the caller can reach."""
        cdef Table table, first = games[0]
        cdef const masume_game *g = first.g
        cdef masume_batch *b = &self.b
        cdef int64_t k, n, slots = g.num_slots, players = g.num_players, codes = g.num_actions
        if self.tables != NULL:
            raise RuntimeError("batch: it has its arrays already")
        for table in games:
            check_whole(table)
            if (table.g.state_size, table.g.memory_size, table.g.num_players, table.g.num_slots, table.g.num_actions,
                    table.g.num_fields) != (g.state_size, g.memory_size, players, slots, codes, g.num_fields):
                raise ValueError(f"game: {table!r} is of another size than {first!r}")
        if len(watched) > MAX_WATCHED:
            raise ValueError(f"buffers: more than {MAX_WATCHED}")
        n = len(arrays["terminated"])
        views = [n, players] if first.is_simultaneous else [n]
        self.kept = [dict(arrays), dict(observations), dict(finals), dict(blocks), watched]
        arrays, observations, finals, blocks, watched = self.kept
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
        for k, (name, (shape, dtype)) in enumerate(first.observation_spec.items()):
            self.stride[k] = dtype.itemsize
            for length in shape:
                self.stride[k] *= length
            b.observations[k] = address(name, observations, dtype, (*views, *shape))
            b.fields |= <uint32_t>(b.observations[k] != NULL) << k
            b.final_observations[k] = address(name, finals, dtype, (n, players, *shape))
            b.final_fields |= <uint32_t>(b.final_observations[k] != NULL) << k
        for k, array in enumerate(watched):
            self.addresses[k] = cnp.PyArray_DATA(<cnp.ndarray?>array)
            self.sizes[k] = cnp.PyArray_NBYTES(<cnp.ndarray>array)
        self.games = games
        self.pool = pool
        self.num_watched = len(watched)
        self.watched = watched
        self.tables = <const masume_game **>PyMem_Calloc(len(games), sizeof(void *))
        if self.tables == NULL:
            raise MemoryError
        for k, table in enumerate(games):
            self.tables[k] = table.g
        b.games = <const masume_game *const *>self.tables

    cdef const masume_game *table(self) except NULL:
        """The first game's; RuntimeError without arrays."""
        if self.tables == NULL:
            raise RuntimeError("batch: it has no arrays yet; Batch(...) gives it some")
        return self.tables[0]

    cdef int _check_buffers(self) except -1:
        """ValueError if an array of the caller is no longer where, or as large as, it was."""
        cdef int64_t k
        cdef cnp.ndarray array
        self.table()
        for k in range(self.num_watched):
            array = <cnp.ndarray>(<tuple>self.watched)[k]
            if cnp.PyArray_DATA(array) != self.addresses[k] or cnp.PyArray_NBYTES(array) != self.sizes[k]:
                raise ValueError(f"buffers: an array of the batch ({array.dtype}{list((<object>array).shape)}) was "
                                 "resized after the batch was made")
        return 0

    cdef int _run(self, masume_range_fn work, void *job_, masume_pace *pace) except -1:
        """The work over all rows, by the pool if there is one; RuntimeError where a thread is at it."""
        cdef Job *job = <Job *>job_
        if claim(&self.is_busy):
            raise RuntimeError("batch: another thread is inside; each thread needs a batch of its own")
        if job.b == NULL:
            job.b = &self.b
        job.stride = self.stride
        job.asks = (self.b.masks != NULL or self.b.masks_packed != NULL or self.b.fields != 0
                    or not self.tables[0].flags & MASUME_SIMULTANEOUS)
        with nogil:
            if self.pool is None:
                work(job, 0, self.b.n, 0)
            else:
                masume_pool_run(self.pool.p, work, job, self.b.n, pace)
        release(&self.is_busy)
        return 0

    def step(self, actions=None, mask=None, exact=None):
        """Play one code a slot in every game; the results are in the buffers.

        actions : int32[n, slots] (or int32[n] where there is one slot), C-contiguous; None: `actions` in place.
        mask : bool[n], the games to play in; the others, and their rows of all arrays, stay as they are.
        exact : int64[n], actions in the place of codes, where games have more of them (`has_exact_actions`).

        A game that is over starts anew instead, its action ignored ("disabled": it stays as it is). With
        on_illegal="raise", IllegalActionError names the games whose codes were illegal: they stand as they
        stood, the others have moved. ConfigError where a seed drawn for a new game has no start. ValueError for
        an array of another dtype, shape or order, or if an array of the batch was resized.
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
                raise ValueError(f"actions: an ndarray is wanted, not {type(actions).__name__}")
            array = actions
            if (cnp.PyArray_TYPE(array) != cnp.NPY_INT32 or not cnp.PyArray_ISCARRAY_RO(array)
                    or not (array.ndim == 2 or array.ndim == 1 and g.num_slots == 1)
                    or array.shape[0] != self.b.n or cnp.PyArray_SIZE(array) != self.b.n * g.num_slots):
                order = "" if array.flags.c_contiguous else ", not C-contiguous"
                raise ValueError(f"actions: int32[{self.b.n}, {g.num_slots}] is wanted, not "
                                 f"{array.dtype}{list((<object>array).shape)}{order}")
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
            self._run(step_strips, &job, &self.of_steps)
        else:
            self._run(step_rows, &job, &self.of_steps)
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
        if seed is not None:
            job.reseed = True
            job.seed = seed
        self._run(reset_rows, &job, &self.of_resets)
        if memchr(self.b.illegal, 1, self.b.n) != NULL:
            self._raise_illegal()

    def sample_actions(self, mask=None):
        """Fill `actions` with uniform legal codes (rows of finished games are left alone).

        mask : bool[n], the rows to fill; the others draw nothing.
        """
        cdef Job job
        self._check_buffers()
        memset(&job, 0, sizeof(Job))
        choose(&job, mask, self.b.n)
        self._run(sample_rows, &job, &self.of_samples)

    def look(self, players, mask=None, out=None):
        """Fill `observations` with what other players than the one to move see.

        players : int8[n], the viewer of each game, over or not. mask : bool[n], the games to look at; None: all.
        out : {field: array} as `observations`, filled in their place: row k with the k-th game that is looked at.

        ValueError for a player that the game does not have, for arrays of another dtype, shape or order, and in
        simultaneous games, whose observations have every player's view already.
        """
        cdef Job job
        cdef int64_t i, place = 0
        cdef void *pointers[MASUME_MAX_FIELDS]
        cdef int64_t *places
        cdef const masume_game *g = self.table()
        self._check_buffers()
        memset(&job, 0, sizeof(Job))
        if g.flags & MASUME_SIMULTANEOUS:
            raise ValueError(f"players: the observations of {self.games[0].name} have every player's view already")
        spec = self.games[0].observation_spec
        arrays = None if out is None else [out.get(name) for name in spec]     # kept while threads write
        choose(&job, mask, self.b.n)
        check_array("players", players, INT8, (self.b.n,), False)
        viewers = np.array(players, np.int8, subok=False)      # copies: other threads may change what was checked
        job.viewers = <const int8_t *>cnp.PyArray_DATA(<cnp.ndarray>viewers)
        rows = np.zeros(self.b.n, np.int64)
        places = <int64_t *>cnp.PyArray_DATA(<cnp.ndarray>rows)
        chosen = None if mask is None else np.array(mask, np.bool_, subok=False)
        choose(&job, chosen, self.b.n)
        for i in range(self.b.n):
            places[i] = place
            if job.chosen == NULL or job.chosen[i]:
                place += 1
                if not 0 <= job.viewers[i] < <int32_t>g.num_players:
                    raise ValueError(f"players: {job.viewers[i]} of game {i} is not in 0..{g.num_players - 1}")
        job.out = self.b.observations
        if arrays is not None:
            for i, (name, (shape, dtype)) in enumerate(spec.items()):
                if self.b.fields >> i & 1:
                    check_array("out", arrays[i], dtype, (self.b.n, *shape), True, name)
                    pointers[i] = cnp.PyArray_DATA(<cnp.ndarray>arrays[i])
            job.out = pointers
            job.places = places if mask is not None else NULL
        self._run(look_rows, &job, &self.of_looks)

    def playout(self):
        """Play every game at random to its end and return the plies played.

        Rewards and `terminated` are those of the end; the states stay there until the next step or reset.
        """
        cdef Job job
        cdef int64_t i, total = 0
        self._check_buffers()
        memset(&job, 0, sizeof(Job))
        plies = np.zeros(self.b.n, np.int64)
        job.plies = <int64_t *>cnp.PyArray_DATA(plies)
        self._run(playout_rows, &job, &self.of_playouts)
        for i in range(self.b.n):
            total += job.plies[i]
        return total


cdef int choose(Job *job, object mask, int64_t n) except -1:
    """The job is about the rows where `mask`, bool[n], is True, or about all where it is None."""
    if mask is not None:
        check_array("mask", mask, BOOL, (n,), False)
        job.chosen = <const uint8_t *>cnp.PyArray_DATA(<cnp.ndarray>mask)
    return 0


cdef void *address(str name, dict arrays, dtype, tuple shape) except? NULL:
    """Where the data of an array begin; NULL if there is none of this name."""
    array = arrays.get(name)
    if array is None:
        return NULL
    check_array(name, array, np.dtype(dtype), shape)
    return cnp.PyArray_DATA(<cnp.ndarray>array)


cdef void *room(str name, dict blocks, size_t size) except? NULL:
    """Where a block of so many bytes begins; NULL if there is none of this name."""
    cdef Block block = blocks.get(name)
    if block is None:
        return NULL
    if block.nbytes != size:
        raise ValueError(f"{name}: a block of {size} bytes is wanted, not one of {block.nbytes}")
    return block.start

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""The table's functions, one at a time, over the rows of a batch: timed by bench.py and counted by the gate.

Rows are those of the batch's first game. Only what the caller of a bench may get wrong is checked.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from masume.core._batch cimport Block, Loop, masume_pace, masume_pool_run
from masume.core._game cimport (
    MASUME_MAX_FIELDS, MASUME_MAX_SLOTS, MASUME_SIMULTANEOUS, masume_batch, masume_game, masume_mix,
)
from masume.core._planes cimport observe_view
from masume.core._state cimport State

cdef extern from *:
    """
    #if defined(__clang__)
    #define MASUME_COMPILER "clang " __clang_version__
    #elif defined(__GNUC__)
    #define MASUME_COMPILER "gcc " __VERSION__
    #else
    #define MASUME_COMPILER "unknown"
    #endif

    /* Exported and never inlined: callgrind must find this symbol, in stripped builds too. */
    __attribute__((visibility("default"), noinline)) int masume_counted(PyObject *function) {
      PyObject *result = PyObject_CallNoArgs(function);
      Py_XDECREF(result);
      return result == NULL ? -1 : 0;
    }
    """
    const char *MASUME_COMPILER
    enum: CYTHON_HEX_VERSION
    int masume_counted(object function) except -1


def describe_build():
    """Return {"compiler": name and version, "cython": version} of this module's build."""
    cdef uint32_t version = CYTHON_HEX_VERSION
    return {"compiler": MASUME_COMPILER.decode().strip(),
            "cython": f"{version >> 24}.{version >> 16 & 255}.{version >> 8 & 255}"}


def count(function not None):
    """Call `function()`. Under callgrind, `masume.bench.counting` counts only what happens inside this call."""
    masume_counted(function)


def calibrate(int64_t steps):
    """Run a chain of `steps` dependent mixes: the unit in which a machine's wall times are expressed."""
    cdef uint64_t word = 1
    with nogil:
        while steps > 0:
            word = masume_mix(word)
            steps -= 1
    return word


cdef struct Start:
    const masume_batch *b
    const uint8_t **states             # of each row
    const uint8_t **memories


cdef void start_rows(void *start_, int64_t begin, int64_t end, int32_t worker) noexcept nogil:
    cdef const Start *start = <const Start *>start_
    cdef const masume_batch *b = start.b
    cdef const masume_game *g = b.games[0]
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int64_t i
    for i in range(begin, end):
        memcpy(b.states + i * g.state_size, start.states[i], g.state_size)
        if b.memories != NULL:
            memcpy(b.memories + i * g.memory_size, start.memories[i], g.memory_size)
        b.game_index[i] = 0
        b.plies[i] = 0
        b.terminated[i] = 0
        b.over[i] = g.slots(g, start.states[i], players) == 0


def load(Loop batch not None, list states not None):
    """Put a position into each row, as a game in progress; seeds and generators are unchanged.

    Threads share the rows as in a step, so that each row is in the same cache as after a step.
    states : one State of the batch's game per row; ValueError otherwise.
    """
    cdef const masume_game *g = batch.table()
    cdef Start start = Start(&batch.b, NULL, NULL)
    cdef masume_pace pace = batch.of_steps
    cdef State state
    cdef int64_t i
    cdef tuple held = tuple(states)
    if len(held) != batch.b.n:
        raise ValueError(f"states: expected {batch.b.n}, one for each row, got {len(held)}")
    for i, state in enumerate(held):
        if state is None or state.g != g:
            raise ValueError(f"states[{i}]: a state of another game, {state!r}")
    start.states = <const uint8_t **>malloc(2 * batch.b.n * sizeof(void *))
    if start.states == NULL:
        raise MemoryError
    start.memories = start.states + batch.b.n
    for i, state in enumerate(held):
        start.states[i] = state.data
        start.memories[i] = state.memory
    if batch.pool is None:
        start_rows(&start, 0, batch.b.n, 0)
    else:
        masume_pool_run(batch.pool.p, start_rows, &start, batch.b.n, &pace)
    free(start.states)
    if batch.form.views.notes != NULL:         # of other games
        memset(batch.form.views.notes, 0, (<Block?>(<dict>batch.kept[3])["notes"]).nbytes)


cdef inline uint8_t *state_of(const masume_batch *b, const masume_game *g, int64_t i) noexcept nogil:
    return b.states + i * g.state_size


cdef inline void *memory_of(const masume_batch *b, const masume_game *g, int64_t i) noexcept nogil:
    return b.memories + i * g.memory_size if b.memories != NULL else NULL


def apply(Loop batch not None):
    """Apply each row's actions; return the number of rows whose game goes on."""
    cdef const masume_batch *b = &batch.b
    cdef const masume_game *g = batch.table()
    cdef int64_t i, going = 0
    with nogil:
        for i in range(b.n):
            going += g.apply(g, state_of(b, g, i), memory_of(b, g, i), b.actions + i * g.num_slots) == 0
    return going


def mask(Loop batch not None):
    """Fill `masks`, every slot of every row; no game may be over."""
    cdef const masume_batch *b = &batch.b
    cdef const masume_game *g = batch.table()
    cdef int64_t i
    cdef int32_t slot
    if b.masks == NULL:
        raise ValueError("batch: it has no masks")
    with nogil:
        for i in range(b.n):
            for slot in range(<int32_t>g.num_slots):
                g.mask(g, state_of(b, g, i), slot, b.masks + (i * g.num_slots + slot) * g.num_actions)


def mask_bits(Loop batch not None):
    """Fill `masks_packed`, every slot of every row; no game may be over."""
    cdef const masume_batch *b = &batch.b
    cdef const masume_game *g = batch.table()
    cdef int64_t i, words = (g.num_actions + 31) // 32
    cdef int32_t slot
    if b.masks_packed == NULL or g.mask_bits == NULL:
        raise ValueError("batch: it has no packed masks, or its game does not pack them itself")
    with nogil:
        for i in range(b.n):
            for slot in range(<int32_t>g.num_slots):
                g.mask_bits(g, state_of(b, g, i), slot, b.masks_packed + (i * g.num_slots + slot) * words)


def legal(Loop batch not None):
    """List the legal codes of every slot of every row; return their number. No game may be over."""
    cdef const masume_batch *b = &batch.b
    cdef const masume_game *g = batch.table()
    cdef int64_t i, count = 0
    cdef int32_t slot
    cdef char *block = <char *>malloc(g.max_legal * sizeof(int32_t) + 64)
    cdef int32_t *codes = <int32_t *>(block + 64 - <uintptr_t>block % 64)   # vector loops count the same in every run
    if block == NULL:
        raise MemoryError
    with nogil:
        for i in range(b.n):
            for slot in range(<int32_t>g.num_slots):
                count += g.legal(g, state_of(b, g, i), slot, codes)
    free(block)
    return count


def observe(Loop batch not None):
    """Fill `observations`: every player's view if all decide at once, else player 0's."""
    cdef const masume_batch *b = &batch.b
    cdef const masume_game *g = batch.table()
    cdef void *out[MASUME_MAX_FIELDS]
    cdef int64_t i, views = g.num_players if g.flags & MASUME_SIMULTANEOUS else 1
    cdef int32_t player
    cdef uint32_t k
    if b.fields == 0:
        raise ValueError("batch: it has no observations")
    with nogil:
        for i in range(b.n):
            for player in range(<int32_t>views):
                for k in range(g.num_fields):
                    if b.fields >> k & 1:
                        out[k] = <uint8_t *>b.observations[k] + (i * views + player) * batch.form.views.stride[k]
                observe_view(g, state_of(b, g, i), memory_of(b, g, i), player, b.fields, &batch.form.views, out)


def key(Loop batch not None):
    """Hash every row; return the exclusive or of the keys."""
    cdef const masume_batch *b = &batch.b
    cdef const masume_game *g = batch.table()
    cdef uint64_t mixed = 0
    cdef int64_t i
    with nogil:
        for i in range(b.n):
            mixed ^= g.key(g, state_of(b, g, i))
    return mixed

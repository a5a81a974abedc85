# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""solve: the exact value of a position of a two-player game of bounded length, over the table.

Alpha-beta with a table of all positions met, which are compared by their bytes, so that two positions are never
confused. Values are those of player 0; those of player 1 are their negatives. The fields that count points are left out
of the comparison, and the bounds of a position are stored relative to these points.

A Prover keeps the table for the positions of one game, and gives up when its budget is used up.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport log2
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset
from masume.core._game cimport (
    MASUME_IMPERFECT, MASUME_MAX_PLAYERS, MASUME_SIMULTANEOUS, Table, masume_game, masume_mix)
from masume.core._state cimport State, check_state
from masume.core.guard cimport guard_methods
from masume.core.platform cimport claim, now_s, release

from masume.errors import SearchError

cdef enum:
    VISITS_A_LOOK = 1 << 14        # positions between two checks for Ctrl-C
    VISITS_A_GLANCE = 1 << 6       # positions between two readings of the clock
    GAMES_MEASURED = 8
    MAX_SUMS = 16                  # fields of points
    MAX_LENGTH = 10000             # plies; each takes some of the C stack

cdef int64_t UPSET = <int64_t>1 << 58       # counts more than all points
cdef int64_t LOWEST = INT64_MIN // 4       # leaves room for sums
cdef int64_t HIGHEST = INT64_MAX // 4


cdef struct Bounds:                # bounds of a position; its bytes follow
    int64_t lower
    int64_t upper
    int64_t best                   # the best code, -1 if there is none yet

cdef struct Slot:                  # of the hash table
    uint32_t tag                   # the upper half of the hash
    uint32_t number                # of the position, from 1; 0: empty

cdef struct Level:                 # data of one ply
    uint8_t *state
    int32_t *codes                 # [max_legal]

cdef struct Search:
    const masume_game *g
    bint by_returns
    int32_t num_sums
    uint32_t offsets[MAX_SUMS]
    uint32_t sizes[MAX_SUMS]
    int64_t max_states
    int64_t num_states
    int64_t capacity
    uint64_t visits
    uint64_t max_visits            # 0: no bound
    double deadline                # 0: none
    bint by_upsets                 # an end that is won whatever the points counts more than them
    uint8_t *probe                 # [state_size]
    uint8_t *scratch               # [state_size]: a position without its points
    uint8_t *records               # [capacity]: Bounds and the bytes of a position
    int64_t record_size
    Slot *slots                    # [num_slots]
    uint64_t num_slots             # a power of two, at least twice the capacity
    int64_t *merits                # [2, num_actions]: number of cutoffs that a player's code caused
    Level *levels                  # [max_game_length + 1], allocated when first used


cdef inline int64_t least(int64_t one, int64_t other) noexcept nogil:
    return one if one < other else other


cdef inline int64_t most(int64_t one, int64_t other) noexcept nogil:
    return one if one > other else other


# -- positions ------------------------------------------------------------------------------------

cdef uint64_t hash_of(const uint8_t *data, uint32_t size) noexcept nogil:
    """Return a hash of bytes, eight at a time: the size of a state is a multiple of 8."""
    cdef uint64_t word, sum = 0
    cdef uint32_t at
    for at in range(0, size, 8):
        memcpy(&word, data + at, 8)
        sum = masume_mix(sum ^ word)
    return sum


cdef inline Bounds *bounds_of(const Search *s, int64_t number) noexcept nogil:
    """Return the bounds of a position."""
    return <Bounds *>(s.records + (number - 1) * s.record_size)


cdef inline const uint8_t *bytes_of(const Search *s, int64_t number) noexcept nogil:
    """Return the bytes that identify a position."""
    return s.records + (number - 1) * s.record_size + sizeof(Bounds)


cdef int make_room(Search *s, int64_t capacity) except -1 nogil:
    """Make room for `capacity` positions."""
    cdef uint8_t *records = <uint8_t *>realloc(s.records, capacity * s.record_size)
    cdef uint64_t num_slots = 2, at, hash
    cdef int64_t number
    cdef Slot *slots
    while num_slots < 2 * <uint64_t>capacity:
        num_slots *= 2
    if records != NULL:
        s.records = records
    slots = <Slot *>calloc(num_slots, sizeof(Slot))
    if records == NULL or slots == NULL:
        free(slots)
        with gil:
            raise MemoryError
    free(s.slots)
    s.slots = slots
    s.num_slots = num_slots
    s.capacity = capacity
    # put all positions into the new hash table
    for number in range(1, s.num_states + 1):
        hash = hash_of(bytes_of(s, number), s.g.state_size)
        at = hash & (num_slots - 1)
        while slots[at].number:
            at = (at + 1) & (num_slots - 1)
        slots[at] = Slot(<uint32_t>(hash >> 32), <uint32_t>number)
    return 0


cdef int64_t number_of(Search *s, const uint8_t *state) except -1 nogil:
    """Return the position's number in the table, adding it if it is new; SearchError if the table is full."""
    cdef uint64_t hash, at
    cdef int32_t n
    memcpy(s.scratch, state, s.g.state_size)
    for n in range(s.num_sums):
        memset(s.scratch + s.offsets[n], 0, s.sizes[n])
    hash = hash_of(s.scratch, s.g.state_size)
    at = hash & (s.num_slots - 1)
    while s.slots[at].number:
        if (s.slots[at].tag == <uint32_t>(hash >> 32)
                and memcmp(bytes_of(s, s.slots[at].number), s.scratch, s.g.state_size) == 0):
            return s.slots[at].number
        at = (at + 1) & (s.num_slots - 1)
    if s.num_states == s.max_states:
        with gil:
            raise SearchError(f"solve: stopped after max_states={s.max_states} positions; pass a larger max_states")
    if s.num_states == s.capacity:
        make_room(s, least(s.max_states, 2 * s.capacity))
        return number_of(s, state)
    s.num_states += 1
    s.slots[at] = Slot(<uint32_t>(hash >> 32), <uint32_t>s.num_states)
    bounds_of(s, s.num_states)[0] = Bounds(LOWEST, HIGHEST, -1)
    memcpy(<void *>bytes_of(s, s.num_states), s.scratch, s.g.state_size)
    return s.num_states


cdef int open_level(Search *s, int64_t depth) except -1 nogil:
    """Allocate the data of a ply."""
    cdef Level *level = &s.levels[depth]
    if level.state == NULL:
        level.state = <uint8_t *>malloc(s.g.state_size + s.g.max_legal * sizeof(int32_t))
        if level.state == NULL:
            with gil:
                raise MemoryError
        level.codes = <int32_t *>(level.state + s.g.state_size)
    return 0


# -- values ---------------------------------------------------------------------------------------

cdef bint is_upset(const Search *s, const uint8_t *state) noexcept nogil:
    """Return whether a finished game has the same result whichever sum outweighs the others."""
    cdef float returns[MASUME_MAX_PLAYERS]
    cdef float first = 0
    cdef int32_t n
    cdef int64_t high
    memcpy(s.probe, state, s.g.state_size)
    for n in range(s.num_sums):
        memset(s.probe + s.offsets[n], 0, s.sizes[n])
    # set a high byte of each sum in turn, with all others 0
    for n in range(s.num_sums):
        high = s.offsets[n] + least(s.sizes[n], 4) - 1
        s.probe[high] = 0x10
        s.g.returns(s.g, s.probe, returns)
        s.probe[high] = 0
        if n and returns[0] != first:
            return False
        first = returns[0]
    return True


cdef int points(const Search *s, const uint8_t *state, int64_t *out) except -1 nogil:
    """Write the points of player 0; SearchError if those of player 1 are not their negative."""
    cdef int64_t scores[MASUME_MAX_PLAYERS]
    cdef float returns[MASUME_MAX_PLAYERS]
    if s.by_returns:
        s.g.returns(s.g, state, returns)
        scores[0] = <int64_t>returns[0]
        scores[1] = <int64_t>returns[1]
        if scores[0] != returns[0]:
            with gil:
                raise SearchError(f"objective: expected whole numbers as returns, got {returns[0]}")
    else:
        s.g.scores(s.g, state, scores)
    if scores[0] != -scores[1] or not LOWEST < scores[0] < HIGHEST:
        with gil:
            name = "returns" if s.by_returns else "scores"
            raise SearchError(f"objective: expected opposite {name} for the players, got {scores[0]} and {scores[1]}")
    out[0] = scores[0]
    return 0


cdef void order(int32_t *codes, int32_t count, const int64_t *merits, int32_t first) noexcept nogil:
    """Sort the codes: the earlier best code first, then by the number of cutoffs."""
    cdef int32_t n, k, code
    for n in range(1, count):
        code = codes[n]
        k = n
        while k > 0 and (code == first or (codes[k - 1] != first and merits[codes[k - 1]] < merits[code])):
            codes[k] = codes[k - 1]
            k -= 1
        codes[k] = code


cdef int search(Search *s, const uint8_t *state, int64_t alpha, int64_t beta, int64_t depth, int64_t *value,
                int32_t *best) except -1 nogil:
    """Write the position's value if it is inside (alpha, beta), else a bound on the same side.

    best : the code that achieves it, -1 at the end.
    """
    cdef const masume_game *g = s.g
    cdef int32_t players[1]
    cdef int32_t codes[1]
    cdef int32_t n, count, unused
    cdef int64_t number, base = 0, low, high, found
    cdef Level *level
    cdef Bounds *bounds
    cdef bint maximises
    cdef float returns[MASUME_MAX_PLAYERS]
    s.visits += 1
    if s.visits % VISITS_A_LOOK == 0:
        with gil:
            PyErr_CheckSignals()
    if (s.max_visits and s.visits >= s.max_visits
            or s.deadline and s.visits % VISITS_A_GLANCE == 0 and now_s() >= s.deadline):
        with gil:
            raise SearchError("solve: the budget is used up")
    best[0] = -1
    if g.slots(g, state, players) == 0:
        points(s, state, value)
        if s.by_upsets and is_upset(s, state):
            s.g.returns(s.g, state, returns)
            value[0] += UPSET if returns[0] > 0 else -UPSET
        return 0
    maximises = players[0] == 0
    if s.num_sums:
        points(s, state, &base)
    number = number_of(s, state)
    bounds = bounds_of(s, number)
    best[0] = <int32_t>bounds.best
    # what is known may be enough; otherwise it narrows the window
    low = bounds.lower + base
    high = bounds.upper + base
    if low >= beta or low == high:
        value[0] = low
        return 0
    if high <= alpha:
        value[0] = high
        return 0
    low = alpha = most(alpha, low)
    high = beta = least(beta, high)
    open_level(s, depth)
    level = &s.levels[depth]
    count = g.legal(g, state, 0, level.codes)
    order(level.codes, count, s.merits + players[0] * g.num_actions, best[0])
    value[0] = LOWEST if maximises else HIGHEST
    for n in range(count):
        codes[0] = level.codes[n]
        memcpy(level.state, state, g.state_size)
        g.apply(g, level.state, NULL, codes)
        search(s, level.state, low, high, depth + 1, &found, &unused)
        if found > value[0] if maximises else found < value[0]:
            value[0] = found
            best[0] = codes[0]
        if maximises:
            low = most(low, found)
        else:
            high = least(high, found)
        if low >= high:
            s.merits[players[0] * g.num_actions + codes[0]] += 1
            break
    bounds = bounds_of(s, number)          # the records may have moved
    bounds.best = best[0]
    # inside the window both bounds are the value
    if value[0] > alpha:
        bounds.lower = value[0] - base
    if value[0] < beta:
        bounds.upper = value[0] - base
    return 0


cdef int64_t value_of(Search *s, const uint8_t *state, int64_t guess) except? -1 nogil:
    """Return the position's value, found by repeated searches with a zero window, the first near a guess (MTD(f))."""
    cdef int64_t low = LOWEST, high = HIGHEST, value = guess, asked
    cdef int32_t unused
    while low < high:
        asked = value + 1 if value == low else value
        search(s, state, asked - 1, asked, 0, &value, &unused)
        if value < asked:
            high = value
        else:
            low = value
    return value


cdef list line_from(Search *s, State state, int64_t value):
    """Return the actions that both players take from here to the end, each one keeping the value."""
    cdef int64_t found
    cdef int32_t best
    actions = []
    while True:
        search(s, state.data, value - 1, value + 1, 0, &found, &best)
        if best < 0:
            return actions
        action = state.decode(best)
        actions.append(action)
        state.apply(action)


cdef void open_search(Search *s, State state, int64_t max_states, list sums) except *:
    """Allocate a search of a game. SearchError if it is of another kind."""
    cdef int64_t k, length = state.g.max_game_length
    cdef uint32_t size = state.g.state_size
    if (state.g.num_players != 2 or state.g.num_slots != 1 or state.g.flags & (MASUME_SIMULTANEOUS | MASUME_IMPERFECT)
            or not 1 <= length <= MAX_LENGTH or not 1 <= max_states <= 0x7FFFFFFF):
        raise SearchError(f"{state.game.name}: expected a game of two players that ends, with turns and perfect "
                          "information")
    if len(sums) > MAX_SUMS:
        raise SearchError(f"sums: expected at most {MAX_SUMS} fields, got {len(sums)}")
    s.g = state.g
    s.max_states = max_states
    s.record_size = sizeof(Bounds) + size
    s.num_sums = <int32_t>len(sums)
    for k, (offset, width) in enumerate(sums):
        if not (0 <= offset <= size and 0 <= width <= size - offset):
            raise SearchError(f"sums: expected a field within the state of {size} bytes, got {width} bytes at {offset}")
        s.offsets[k] = offset
        s.sizes[k] = width
    s.scratch = <uint8_t *>malloc(size)
    s.probe = <uint8_t *>malloc(size)
    s.merits = <int64_t *>calloc(2 * state.g.num_actions, sizeof(int64_t))
    s.levels = <Level *>calloc(length + 1, sizeof(Level))
    if s.scratch == NULL or s.probe == NULL or s.merits == NULL or s.levels == NULL:
        raise MemoryError
    make_room(s, least(max_states, 1024))


cdef void close_search(Search *s) noexcept:
    """Free a search, also one that `open_search` could not allocate completely."""
    cdef int64_t k
    if s.levels != NULL:
        for k in range(s.g.max_game_length + 1):
            free(s.levels[k].state)
    free(s.levels)
    free(s.merits)
    free(s.slots)
    free(s.records)
    free(s.scratch)
    free(s.probe)


cdef class Prover:
    """Table of the positions of one game, which finds the exact values of its positions within budgets.

    state : any position of the game. max_states : positions to keep. by_upsets : whether an end that is won whatever
    the points counts more than all points; else only points count.
    """
    cdef Search s
    cdef int64_t guess             # the last value found
    cdef Table game
    cdef int is_busy

    def __cinit__(self, State state not None, int64_t max_states, list sums, bint by_upsets):
        self.game = state.game
        open_search(&self.s, state, max_states, sums)
        self.s.by_upsets = by_upsets

    def __dealloc__(self):
        close_search(&self.s)

    @property
    def visits(self):
        """Positions visited by the last `prove`."""
        return self.s.visits

    def measure(self, State state not None):
        """Return the size of the tree below a position in bits: the mean over some random games of it.

        A proof visits about the square root of so many positions.
        """
        self.enter(state)
        try:
            return self.bits_of(state)
        finally:
            release(&self.is_busy)

    def prove(self, State state not None, uint64_t max_visits, double seconds):
        """Return (value of player 0, the actions of a perfect game); None if the budget (0: none) does not suffice."""
        self.enter(state)
        try:
            return self.value_and_line(state.clone(), max_visits, seconds)     # a private copy: it releases the GIL
        except SearchError:
            return None
        finally:
            release(&self.is_busy)

    cdef int enter(self, State state) except -1:
        """Claim the tables for a position of the game; ValueError for one of another game."""
        check_state(state, self.game)
        if claim(&self.is_busy):
            raise RuntimeError("search: it is running")
        return 0

    cdef double bits_of(self, State state) except -1:
        cdef const masume_game *g = self.s.g
        cdef Level *level
        cdef int32_t players[1]
        cdef int32_t codes[1]
        cdef uint64_t rng = 0
        cdef double bits = 0
        open_level(&self.s, 0)
        level = &self.s.levels[0]
        for _ in range(GAMES_MEASURED):
            memcpy(level.state, state.data, g.state_size)
            while g.slots(g, level.state, players):
                bits += log2(g.legal(g, level.state, 0, level.codes))
                codes[0] = g.sample(g, level.state, 0, &rng)
                g.apply(g, level.state, NULL, codes)
        return bits / GAMES_MEASURED

    cdef tuple value_and_line(self, State state, uint64_t max_visits, double seconds):
        cdef Search *s = &self.s
        cdef int64_t value
        s.visits = 0
        s.max_visits = max_visits
        s.deadline = now_s() + seconds if seconds else 0
        if s.num_states > s.max_states - s.max_states // 8:        # the last proof has filled it
            s.num_states = 0
            memset(s.slots, 0, s.num_slots * sizeof(Slot))
        with nogil:
            value = value_of(s, state.data, self.guess)
        self.guess = value
        return value, line_from(s, state, value)


def solve(State state not None, bint by_returns, int64_t max_states, list sums):
    """Return (value of player 0, [a line for each first action that keeps the value], number of positions).

    sums : (offset, size) of the fields that count points. SearchError if there are more than max_states positions, or
    if one player's gain is not the other's loss.
    """
    cdef Search s
    cdef int64_t value, found
    cdef int32_t unused
    cdef bint maximises
    state = state.clone()      # a private copy: the search releases the GIL
    memset(&s, 0, sizeof(Search))
    try:
        open_search(&s, state, max_states, sums)
        s.by_returns = by_returns
        with nogil:
            value = value_of(&s, state.data, 0)
        lines = []
        maximises = state.current_player == 0
        for action in state.legal_actions().tolist():
            following = state.clone()
            following.apply(action)
            search(&s, (<State>following).data, value - 1, value + 1, 0, &found, &unused)
            if found >= value if maximises else found <= value:
                lines.append([action, *line_from(&s, following, value)])
        return value, lines, s.num_states
    finally:
        close_search(&s)


guard_methods(globals())

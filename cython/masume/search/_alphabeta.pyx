# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Ladder: alpha-beta search with iterative deepening over the function table, for two players who see everything.

The value of a position is the lead of the player to move: at an end of the game, its result before all points; where
the search stops earlier, the table's forecast, or the scores. All positions go into a table of fixed size, by their
key, with a bound of their value; a position whose value depends on no forecast is never searched again.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy
from masume.core._game cimport (
    MASUME_IMPERFECT, MASUME_MAX_PLAYERS, MASUME_SIMULTANEOUS, Table, check_whole, masume_game)
from masume.core._state cimport State, check_state
from masume.core.guard cimport guard_methods
from masume.core.platform cimport claim, release, now_s

cdef enum:
    FAULT = -0x7FFFFFFF            # an exception, if PyErr_Occurred
    MAX_PLIES = 256                # longest line, and greatest depth
    WHOLE = MAX_PLIES              # depth of an entry that saw everything that follows
    NODES_A_LOOK = 1 << 6          # nodes between two readings of the clock
    BUCKET = 4                     # entries in which a position can be stored
    FEW = 1 << 10                  # entries of the table that are used at first
    FIRST_REDUCED = 2              # actions from this one on are tried one ply less deep,
    LEAST_REDUCED = 3              # if at least this many plies are left

cdef enum Bound:
    NOTHING
    AT_LEAST
    AT_MOST
    EXACT

cdef int64_t WIN = <int64_t>1 << 60
cdef double MOST = 2.0 ** 58       # largest value of a lead in points
cdef double GRAIN = 64             # value of a point
cdef int64_t ENDLESS = <int64_t>1 << 61     # greater than every value
cdef double GLANCE_S = 0.02        # seconds between two checks for Ctrl-C


cdef struct Entry:                 # an entry of the table of positions
    uint64_t key
    int64_t value                  # for the player to move
    int32_t code                   # the best, -1: unknown
    int16_t depth                  # depth of its search
    uint8_t bound
    uint8_t age                    # number of the search that wrote it

cdef struct Level:                 # data of one ply
    uint8_t *state
    int32_t *codes                 # [max_legal]

cdef struct Search:
    const masume_game *g
    Entry *entries                 # [num_entries], a power of two
    uint64_t num_entries
    uint64_t used                  # entries that are used so far, a power of two: a new table costs no memory at once
    Level levels[MAX_PLIES]
    int64_t *merits                # [2, num_actions]: cutoffs that a player's code caused, weighted by depth
    uint8_t age
    uint64_t nodes
    uint64_t max_nodes             # 0: no bound
    double deadline                # 0: none
    double next_glance
    uint64_t guesses               # values used that depend on a forecast
    int32_t code                   # the best at the root so far
    int64_t value
    bint stops
    bint may_stop                  # false until every action of the root has been tried


# -- values ---------------------------------------------------------------------------------------

cdef inline int64_t lead_of(double points) noexcept nogil:
    """Return a lead in points as a value."""
    return <int64_t>max(-MOST, min(MOST, GRAIN * points))


cdef inline int64_t end_value(const Search *s, const void *state, int32_t player) noexcept nogil:
    """Return the value of a finished game for a player."""
    cdef int64_t points[MASUME_MAX_PLAYERS]
    cdef float returns[MASUME_MAX_PLAYERS]
    cdef int64_t result
    s.g.scores(s.g, state, points)
    s.g.returns(s.g, state, returns)
    result = (returns[player] > returns[1 - player]) - (returns[player] < returns[1 - player])
    return result * WIN + lead_of(<double>(points[player] - points[1 - player]))


cdef inline int64_t guess(const Search *s, const void *state, int32_t player) noexcept nogil:
    """Return the estimated value of an unfinished game for a player."""
    cdef int64_t scores[MASUME_MAX_PLAYERS]
    cdef double points[MASUME_MAX_PLAYERS]
    if s.g.forecast == NULL:
        s.g.scores(s.g, state, scores)
        return lead_of(<double>(scores[player] - scores[1 - player]))
    s.g.forecast(s.g, state, points)
    return lead_of(points[player] - points[1 - player])


# -- positions ------------------------------------------------------------------------------------

cdef inline Entry *find(const Search *s, uint64_t key) noexcept nogil:
    """Return the entry of a position, or NULL."""
    cdef Entry *bucket = s.entries + (key & (s.used - BUCKET))
    cdef int32_t n
    for n in range(BUCKET):
        if bucket[n].key == key and bucket[n].bound != NOTHING:
            return bucket + n
    return NULL


cdef inline int32_t merit_of(const Search *s, const Entry *entry) noexcept nogil:
    """Return the priority of keeping an entry: none, then old, then new ones; deeper ones first."""
    return -1 if entry.bound == NOTHING else entry.depth + (entry.age == s.age) * 2 * MAX_PLIES


cdef void grow(Search *s) noexcept nogil:
    """Use twice as many entries: each bucket gives to its new twin what belongs there, both in the order of writing."""
    cdef Entry *bucket
    cdef Entry *twin
    cdef uint64_t number
    cdef int32_t n, kept, given
    for number in range(s.used // BUCKET):
        bucket = s.entries + BUCKET * number
        twin = bucket + s.used
        kept = given = 0
        for n in range(BUCKET):
            if bucket[n].bound == NOTHING:
                break
            if bucket[n].key & s.used:
                twin[given] = bucket[n]
                given += 1
            else:
                bucket[kept] = bucket[n]
                kept += 1
        for n in range(kept, kept + given):
            bucket[n].bound = NOTHING
    s.used *= 2


cdef inline void keep(Search *s, uint64_t key, int32_t code, int32_t depth, int64_t value,
                      int32_t bound) noexcept nogil:
    """Store what was found about a position; what is known of others goes only when the whole table is used."""
    cdef Entry *bucket = s.entries + (key & (s.used - BUCKET))
    cdef Entry *place = find(s, key)
    cdef int32_t n
    if place == NULL:
        while bucket[BUCKET - 1].bound != NOTHING and s.used < s.num_entries:
            grow(s)
            bucket = s.entries + (key & (s.used - BUCKET))
        place = bucket
        for n in range(1, BUCKET):
            if merit_of(s, bucket + n) < merit_of(s, place):
                place = bucket + n
    elif code < 0:
        code = place.code
    place[0] = Entry(key, value, code, <int16_t>depth, <uint8_t>bound, s.age)


cdef void order(const Search *s, int32_t *codes, int32_t count, int32_t player, int32_t first) noexcept nogil:
    """Sort the codes: the best known code first, then by how often they caused cutoffs."""
    cdef const int64_t *merits = s.merits + player * s.g.num_actions
    cdef int32_t n, k, code
    for n in range(1, count):
        code = codes[n]
        k = n
        while k > 0 and (code == first or codes[k - 1] != first and merits[codes[k - 1]] < merits[code]):
            codes[k] = codes[k - 1]
            k -= 1
        codes[k] = code


cdef int look_up(Search *s) except -1 nogil:
    """Stop when the budget is used up, and let signal handlers raise."""
    cdef double now
    if s.max_nodes and s.nodes >= s.max_nodes:
        s.stops = s.may_stop
    if s.nodes % NODES_A_LOOK:
        return 0
    now = now_s()
    if s.deadline and now >= s.deadline:
        s.stops = s.may_stop
    if now >= s.next_glance:
        s.next_glance = now + GLANCE_S
        with gil:
            PyErr_CheckSignals()
    return 0


cdef int64_t search(Search *s, const uint8_t *state, int64_t alpha, int64_t beta, int32_t depth, int32_t ply,
                    int32_t player) except? FAULT nogil:
    """Return the value of the position for a player if it is inside (alpha, beta), else a bound on the same side.

    The return value is meaningless while s.stops is set.
    """
    cdef const masume_game *g = s.g
    cdef int32_t players[1]
    cdef int32_t codes[1]
    cdef int32_t n, count, left, less, best = -1
    cdef int64_t value = -ENDLESS, low = alpha, found
    cdef uint64_t key, guesses = s.guesses
    cdef Level *level
    cdef Entry *entry
    if g.slots(g, state, players) == 0:
        return end_value(s, state, player)
    if players[0] != player:
        return -search(s, state, -beta, -alpha, depth, ply, players[0])
    s.nodes += 1
    look_up(s)
    if s.stops:
        return 0
    if depth <= 0 or ply == MAX_PLIES:
        s.guesses += 1
        return guess(s, state, player)
    key = g.key(g, state)
    entry = find(s, key)
    # known from a search at least as deep; not used at the root, which needs a code
    if entry != NULL and ply and entry.depth >= depth and (
            entry.bound == EXACT or entry.bound == AT_LEAST and entry.value >= beta
            or entry.bound == AT_MOST and entry.value <= alpha):
        s.guesses += entry.depth < WHOLE
        return entry.value
    level = &s.levels[ply]
    count = g.legal(g, state, 0, level.codes)
    order(s, level.codes, count, player, entry.code if entry != NULL else -1)
    left = depth - (count > 1)             # a forced action costs no depth
    for n in range(count):
        codes[0] = level.codes[n]
        memcpy(level.state, state, g.state_size)
        g.apply(g, level.state, NULL, codes)
        less = n >= FIRST_REDUCED and depth >= LEAST_REDUCED
        if n:                              # test with a zero window whether it beats the best
            found = search(s, level.state, low, low + 1, left - less, ply + 1, player)
        # search in full the first code, and each that beat the best without a cutoff or at less depth
        if n == 0 or found > low and (found < beta or less):
            found = search(s, level.state, low, beta, left, ply + 1, player)
        if s.stops:
            return 0
        if found > value:
            value = found
            best = codes[0]
            if ply == 0:
                s.code = best
                s.value = value
        low = max(low, found)
        if low >= beta:
            # a cutoff: try this code earlier from now on
            s.merits[player * g.num_actions + best] += depth * depth
            break
    # if no code beat alpha, none is known to be the best
    keep(s, key, best if value > alpha else -1, WHOLE if s.guesses == guesses else depth, value,
         AT_LEAST if value >= beta else AT_MOST if value <= alpha else EXACT)
    return value


cdef class Ladder:
    """Table of positions of one game, and iterative deepening searches that use it.

    num_entries : entries of the table, a power of two, at least BUCKET.
    """
    cdef readonly Table game
    cdef readonly bint was_interrupted
    cdef readonly int depth        # deepest completed search
    cdef readonly bint is_whole    # nothing that follows was guessed
    cdef Search s
    cdef int is_busy

    def __cinit__(self, Table game not None, uint64_t num_entries):
        cdef int32_t n
        cdef const masume_game *g = game.g
        check_whole(game)
        if g.num_players != 2 or g.num_slots != 1 or g.flags & (MASUME_SIMULTANEOUS | MASUME_IMPERFECT):
            raise ValueError(f"game: {game!r} is not one of two players who see everything and decide in turn")
        if num_entries < BUCKET or num_entries & (num_entries - 1):
            raise ValueError(f"num_entries: expected a power of two of at least {BUCKET}, got {num_entries}")
        self.game = game
        self.s.g = g
        self.s.num_entries = num_entries
        self.s.used = min(num_entries, <uint64_t>FEW)
        self.s.entries = <Entry *>calloc(num_entries, sizeof(Entry))
        self.s.merits = <int64_t *>calloc(2 * g.num_actions, sizeof(int64_t))
        if self.s.entries == NULL or self.s.merits == NULL:
            raise MemoryError
        for n in range(MAX_PLIES):
            self.s.levels[n].state = <uint8_t *>malloc(g.state_size + g.max_legal * sizeof(int32_t))
            if self.s.levels[n].state == NULL:
                raise MemoryError
            self.s.levels[n].codes = <int32_t *>(self.s.levels[n].state + g.state_size)

    def __dealloc__(self):
        cdef int32_t n
        for n in range(MAX_PLIES):
            free(self.s.levels[n].state)
        free(self.s.entries)
        free(self.s.merits)

    def run(self, State state not None, uint64_t max_nodes, double seconds):
        """Search a position of an unfinished game, to a number of nodes or seconds (0: no bound).

        Return (code, result, lead in points, [codes of the line], nodes, seconds), for the player to move; the result
        is None unless it is certain. Ctrl-C ends the search and sets `was_interrupted`; the return value is what was
        found until then. Other exceptions of signal handlers are passed on.
        """
        if claim(&self.is_busy):
            raise RuntimeError("search: it is running")
        try:
            return self.deepen(state.clone(), max_nodes, seconds)      # a private copy: the search releases the GIL
        finally:
            release(&self.is_busy)

    cdef tuple deepen(self, State state, uint64_t max_nodes, double seconds):
        cdef Search *s = &self.s
        cdef int32_t depth, player = state.current_player
        cdef uint64_t guesses
        cdef int64_t n
        cdef double began = now_s()
        check_state(state, self.game)
        if player < 0:
            raise ValueError("state: the game is over")
        s.age += 1
        # cutoffs of earlier searches count half
        for n in range(2 * <int64_t>s.g.num_actions):
            s.merits[n] //= 2
        s.nodes = 0
        s.max_nodes = max_nodes
        s.deadline = began + seconds if seconds else 0
        s.next_glance = began + GLANCE_S
        s.stops = s.may_stop = False
        s.code = state.encode(state.legal_actions()[0])
        s.value = 0
        self.depth = 0
        self.was_interrupted = self.is_whole = False
        try:
            for depth in range(1, WHOLE):
                guesses = s.guesses
                with nogil:
                    search(s, state.data, -ENDLESS, ENDLESS, depth, 0, player)
                if s.stops:
                    break
                s.may_stop = True
                self.depth = depth
                if s.guesses == guesses:
                    self.is_whole = True
                    break
        except KeyboardInterrupt:
            self.was_interrupted = True
        # certain if nothing was guessed, or if a win or a loss was found
        result = None
        if self.is_whole or abs(s.value) > WIN // 2:
            result = (s.value > WIN // 2) - (s.value < -WIN // 2)
        lead = (s.value - (result or 0) * WIN) / GRAIN
        return s.code, result, lead, self.line(state, s.code), s.nodes, now_s() - began

    cdef list line(self, State state, int32_t code):
        """Return the codes that both players are expected to play, this one first, as far as the table reaches."""
        cdef const masume_game *g = self.game.g
        cdef Entry *entry
        found = []
        state = state.clone()
        while True:
            found.append(code)
            state.apply(state.decode(code))
            entry = find(&self.s, g.key(g, state.data))
            if state.is_terminal() or entry == NULL or entry.code < 0 or len(found) == MAX_PLIES:
                return found
            code = entry.code
            if not state.legal_mask()[code]:       # the entry is of another position with the same key
                return found


guard_methods(globals())

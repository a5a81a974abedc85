# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Ending: the last turns of a game of two players who decide at once, solved exactly over the function table.

A turn is a matrix game: one side's joint codes (a code for each of its slots) are the rows, the other's the columns. An
entry is the value of the position after both, which before the last turn is that of another matrix game. Few joint
codes matter, so each side begins with one. The matrix of these is solved by the simplex method; then each side adds its
best answer to the other's mixed strategy, until no answer gains more than the tolerance (double oracle). What each side
can be sure of encloses the value. Joint codes with the effect of others, or worse than others, are not added.
"""
cimport numpy as cnp
import numpy as np
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from masume.core._game cimport (
    MASUME_MAX_PLAYERS, MASUME_MAX_SLOTS, MASUME_SIMULTANEOUS, Table, check_whole, masume_game)
from masume.core._state cimport State, check_state
from masume.core.guard cimport guard_methods
from masume.core.platform cimport claim, now_s, release, system_alloc, system_free
from masume.search.glance cimport is_time_up

cnp.import_array()

cdef double LEAD_SHARE = 0.02      # value of an endless lead, where the result counts 1
cdef double HALF_LEAD = 100        # points that count half as much
cdef double TOLERANCE = 1e-6       # of a value; the first point of a lead counts 2e-4
cdef double TINY = 1e-10           # what counts as 0 in the simplex method

cdef enum:
    MAX_TURNS = 3
    MAX_CHOSEN = 64                # joint codes of a side that a matrix may hold
    MAX_PIVOTS = 1000              # of the simplex method, should it go round in circles
    POOL = 1 << 20                 # entries of all matrices
    CACHE = 1 << 14                # positions after which values are kept, a power of two
    ROUNDS = 4                     # answers of a side that a matrix is expected to take

cdef enum Outcome:
    ENDED = -1                     # the budget or the memory ended first
    SOLVED = 0

ctypedef struct Side:              # of a matrix
    int32_t num_slots, num_chosen
    int64_t count                  # joint codes
    int32_t slots[MASUME_MAX_SLOTS]
    int32_t sizes[MASUME_MAX_SLOTS]            # legal codes of each slot
    int64_t chosen[MAX_CHOSEN]
    double weights[MAX_CHOSEN]     # mixed strategy
    double *entries[MAX_CHOSEN]    # of a chosen joint code against all of the other side

ctypedef struct Level:             # a turn
    uint8_t *state                 # where it begins
    int32_t *legal                 # [num_slots][max_legal]
    Side sides[2]                  # the player, whose value the entries are, and the other

ctypedef struct Known:
    uint64_t key                   # of a position; 0: none
    double value


# -- a small matrix game ------------------------------------------------------------------------------

ctypedef struct Tableau:
    int32_t rows, columns
    double cells[MAX_CHOSEN + 1][MAX_CHOSEN + 1]   # the last row is the objective, the last column the bounds
    int32_t basic[MAX_CHOSEN]      # the variable of each row: column variables first, then slacks
    int32_t nonbasic[MAX_CHOSEN]   # the variable of each column


cdef inline void pivot(Tableau *t, int32_t row, int32_t column) noexcept nogil:
    """Exchange the variables of a row and a column."""
    cdef double by = 1 / t.cells[row][column], factor
    cdef int32_t i, k
    for k in range(t.columns + 1):
        t.cells[row][k] *= by
    t.cells[row][column] = by
    for i in range(t.rows + 1):
        if i == row:
            continue
        factor = t.cells[i][column]
        t.cells[i][column] = 0
        for k in range(t.columns + 1):
            t.cells[i][k] -= factor * t.cells[row][k]
    t.basic[row], t.nonbasic[column] = t.nonbasic[column], t.basic[row]


cdef inline int32_t entering(const Tableau *t) noexcept nogil:
    """Return the column of the variable that increases the objective fastest, or -1."""
    cdef int32_t k, best = -1
    cdef double least = -TINY
    for k in range(t.columns):
        if t.cells[t.rows][k] < least:
            best, least = k, t.cells[t.rows][k]
    return best


cdef inline int32_t leaving(const Tableau *t, int32_t column) noexcept nogil:
    """Return the row that bounds the column's variable most; of nearly equal ones that with the largest pivot."""
    cdef int32_t i, best = -1
    cdef double bound = -1, least = 0
    for i in range(t.rows):
        if t.cells[i][column] > TINY and (bound < 0 or t.cells[i][t.columns] < bound * t.cells[i][column]):
            bound = max(0.0, t.cells[i][t.columns] / t.cells[i][column])
    for i in range(t.rows):
        if t.cells[i][column] > max(TINY, least) and t.cells[i][t.columns] <= (bound + TINY) * t.cells[i][column]:
            best, least = i, t.cells[i][column]
    return best


cdef void balance(Level *level, Tableau *t) noexcept nogil:
    """Write mixed strategies of both sides of which neither can do better within the chosen joint codes."""
    cdef Side *own = &level.sides[0]
    cdef Side *other = &level.sides[1]
    cdef double sums[2]
    cdef double low = own.entries[0][other.chosen[0]], high = low, entry
    cdef int32_t i, k, row, column, rows = own.num_chosen, columns = other.num_chosen
    for i in range(rows):
        for k in range(columns):
            entry = own.entries[i][other.chosen[k]]
            low = min(low, entry)
            high = max(high, entry)
    # the linear program of the other side: the largest sum of weights for which no row's sum exceeds 1
    t.rows, t.columns = rows, columns
    for i in range(rows):          # entries become 1..2
        for k in range(columns):
            entry = own.entries[i][other.chosen[k]]
            t.cells[i][k] = 1 + (entry - low) / (high - low) if high > low else 1
        t.cells[i][columns] = 1
        t.basic[i] = columns + i
    for k in range(columns):
        t.cells[rows][k] = -1
        t.nonbasic[k] = k
    t.cells[rows][columns] = 0
    for _ in range(MAX_PIVOTS):
        column = entering(t)
        row = leaving(t, column) if column >= 0 else -1
        if row < 0:
            break
        pivot(t, row, column)
    # the bounds hold the other side's weights; the objective's row, which solves the dual, the player's
    memset(own.weights, 0, sizeof(own.weights))
    memset(other.weights, 0, sizeof(other.weights))
    sums[0] = sums[1] = 0
    for i in range(rows):
        if t.basic[i] < columns:
            other.weights[t.basic[i]] = max(0.0, t.cells[i][columns])
            sums[1] += other.weights[t.basic[i]]
    for k in range(columns):
        if t.nonbasic[k] >= columns:
            own.weights[t.nonbasic[k] - columns] = max(0.0, t.cells[rows][k])
            sums[0] += own.weights[t.nonbasic[k] - columns]
    for i in range(rows):
        own.weights[i] /= sums[0]
    for k in range(columns):
        other.weights[k] /= sums[1]


cdef class Ending:
    """Solver of the last turns of `game`, and its memory."""

    cdef readonly Table game
    cdef readonly bint was_interrupted
    cdef readonly int64_t simulations          # turns played
    cdef readonly double value                 # of the game left, for the player
    cdef const masume_game *g
    cdef int32_t player
    cdef Level levels[MAX_TURNS]
    cdef uint8_t *states                       # [MAX_TURNS + 1] blocks, the last for ends
    cdef int32_t *legal                        # [MAX_TURNS][num_slots][max_legal]
    cdef double *pool                          # [POOL]
    cdef int64_t used                          # entries of the pool
    cdef Known *cache                          # [CACHE]
    cdef Tableau *tableau
    cdef size_t block
    cdef int64_t limit                         # simulations
    cdef double end, glance                    # end of the time (0: none), next check for Ctrl-C
    cdef int is_busy

    def __cinit__(self, Table game not None):
        check_whole(game)
        if game.g.num_players != 2 or not game.g.flags & MASUME_SIMULTANEOUS:
            raise ValueError(f"{game.g.name.decode()}: expected two players who decide at once")
        self.game = game
        self.g = game.g
        self.block = (<size_t>self.g.state_size + 63) // 64 * 64
        self.states = <uint8_t *>system_alloc((MAX_TURNS + 1) * self.block)
        self.legal = <int32_t *>malloc(MAX_TURNS * <size_t>self.g.num_slots * self.g.max_legal * sizeof(int32_t))
        self.pool = <double *>malloc(POOL * sizeof(double))
        self.cache = <Known *>malloc(CACHE * sizeof(Known))
        self.tableau = <Tableau *>malloc(sizeof(Tableau))
        if (self.states == NULL or self.legal == NULL or self.pool == NULL or self.cache == NULL
                or self.tableau == NULL):
            raise MemoryError
        cdef int32_t t
        for t in range(MAX_TURNS):
            self.levels[t].state = self.states + t * self.block
            self.levels[t].legal = self.legal + t * <size_t>self.g.num_slots * self.g.max_legal

    def __dealloc__(self):
        system_free(self.states)
        free(self.legal)
        free(self.pool)
        free(self.cache)
        free(self.tableau)

    # -- values -------------------------------------------------------------------------------------

    cdef inline double value_of_end(self, const void *state) noexcept nogil:
        """Return the value of a game that is over: the result, -1..1, and a little of the lead."""
        cdef float returns[MASUME_MAX_PLAYERS]
        cdef int64_t scores[MASUME_MAX_PLAYERS]
        cdef int32_t other = 1 - self.player
        cdef double lead
        self.g.returns(self.g, state, returns)
        self.g.scores(self.g, state, scores)
        lead = <double>scores[self.player] - scores[other]
        return (<double>returns[self.player] - returns[other]) / 2 + LEAD_SHARE * lead / (HALF_LEAD + fabs(lead))

    cdef int value_of(self, int32_t t, double *value) except -2 nogil:
        """Write the value of the position in the block of turn t; return SOLVED or ENDED."""
        cdef const uint8_t *state = self.states + t * self.block
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef uint64_t key
        cdef Known *known
        if self.g.slots(self.g, state, players) == 0:
            value[0] = self.value_of_end(state)
            return SOLVED
        if t == MAX_TURNS:
            return ENDED
        key = self.g.key(self.g, state)
        known = &self.cache[key & CACHE - 1]
        if key == 0 or known.key != key:
            if self.solve(t, value) == ENDED:
                return ENDED
            known[0] = Known(key, value[0])
        value[0] = known.value
        return SOLVED

    # -- a turn -------------------------------------------------------------------------------------

    cdef int64_t open(self, int32_t t) noexcept nogil:
        """Find the joint codes of both sides in the block of turn t; return their number, at most POOL + 1."""
        cdef Level *level = &self.levels[t]
        cdef Side *side
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t slot, size, count = self.g.slots(self.g, level.state, players)
        for slot in range(2):
            level.sides[slot].num_slots = level.sides[slot].num_chosen = 0
            level.sides[slot].count = 1
        for slot in range(count):
            side = &level.sides[players[slot] != self.player]
            size = self.g.legal(self.g, level.state, slot, level.legal + slot * <int64_t>self.g.max_legal)
            side.slots[side.num_slots] = slot
            side.sizes[side.num_slots] = size
            side.num_slots += 1
            side.count *= size
            if side.count > POOL:
                return POOL + 1
        return min(level.sides[0].count + level.sides[1].count, POOL + 1)

    cdef inline void spell(self, int32_t t, int32_t side, int64_t joint, int32_t *codes) noexcept nogil:
        """Write the codes of a side's joint code."""
        cdef const Level *level = &self.levels[t]
        cdef int32_t n, size
        for n in range(level.sides[side].num_slots):
            size = level.sides[side].sizes[n]
            codes[level.sides[side].slots[n]] = level.legal[level.sides[side].slots[n] * <int64_t>self.g.max_legal
                                                            + joint % size]
            joint //= size

    cdef inline double *take(self, int64_t count) noexcept nogil:
        """Return room for entries, or NULL."""
        self.used += count
        return self.pool + self.used - count if self.used <= POOL else NULL

    cdef int choose(self, int32_t t, int32_t side, int64_t joint) except -2 nogil:
        """Add a joint code to a side, and its entries; return SOLVED or ENDED."""
        cdef Side *own = &self.levels[t].sides[side]
        cdef int64_t k, count = self.levels[t].sides[1 - side].count
        cdef int32_t codes[MASUME_MAX_SLOTS]
        cdef double *entries = self.take(count)
        if entries == NULL or own.num_chosen == MAX_CHOSEN or self.limit and self.simulations + count > self.limit:
            return ENDED
        if now_s() >= self.glance:
            with gil:
                if is_time_up(self.end, &self.glance):
                    return ENDED
        self.simulations += count
        self.spell(t, side, joint, codes)
        for k in range(count):
            self.spell(t, 1 - side, k, codes)
            memcpy(self.states + (t + 1) * self.block, self.levels[t].state, self.g.state_size)
            self.g.apply(self.g, self.states + (t + 1) * self.block, NULL, codes)
            if self.value_of(t + 1, entries + k) == ENDED:
                return ENDED
        own.chosen[own.num_chosen] = joint
        own.entries[own.num_chosen] = entries
        own.num_chosen += 1
        return SOLVED

    cdef double find_answer(self, int32_t t, int32_t side, double *sums, int64_t *joint) noexcept nogil:
        """Write a side's best joint code against the other's mixed strategy; return the player's value.

        sums : room for an entry for each joint code of the side.
        """
        cdef const Side *other = &self.levels[t].sides[1 - side]
        cdef int64_t k, best = 0, count = self.levels[t].sides[side].count
        cdef int32_t n
        cdef double weight
        cdef const double *entries
        memset(sums, 0, count * sizeof(double))
        for n in range(other.num_chosen):
            weight = other.weights[n]
            entries = other.entries[n]
            if weight:
                for k in range(count):
                    sums[k] += weight * entries[k]
        for k in range(count):
            if sums[k] < sums[best] if side else sums[k] > sums[best]:
                best = k
        joint[0] = best
        return sums[best]

    cdef inline bint has_chosen(self, int32_t t, int32_t side, int64_t joint) noexcept nogil:
        cdef int32_t n
        for n in range(self.levels[t].sides[side].num_chosen):
            if self.levels[t].sides[side].chosen[n] == joint:
                return True
        return False

    cdef int solve(self, int32_t t, double *value) except -2 nogil:
        """Solve the matrix game of the position in the block of turn t; return SOLVED or ENDED."""
        cdef int64_t used = self.used
        cdef int64_t answers[2]
        cdef double bounds[2]
        cdef double *sums = self.take(self.open(t))
        cdef int32_t side
        cdef bint has_grown
        if sums == NULL or self.choose(t, 0, 0) == ENDED or self.choose(t, 1, 0) == ENDED:
            return ENDED
        while True:
            balance(&self.levels[t], self.tableau)
            # the player's best answer bounds the value from above, the other's from below
            for side in range(2):
                bounds[side] = self.find_answer(t, side, sums, &answers[side])
            if bounds[0] - bounds[1] <= TOLERANCE:
                value[0] = (bounds[0] + bounds[1]) / 2
                self.used = used
                return SOLVED
            # else the matrix grows by both answers
            has_grown = False
            for side in range(2):
                if not self.has_chosen(t, side, answers[side]):
                    has_grown = True
                    if self.choose(t, side, answers[side]) == ENDED:
                        return ENDED
            if not has_grown:      # only rounding errors can bring it here
                return ENDED

    # -- the last turns -----------------------------------------------------------------------------

    cdef int32_t count_turns(self) noexcept nogil:
        """Return the turns to the end if all slots play fallbacks, at most MAX_TURNS + 1."""
        cdef uint8_t *state = self.states + MAX_TURNS * self.block
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t codes[MASUME_MAX_SLOTS]
        cdef int32_t slot, count, turns = 0
        memcpy(state, self.levels[0].state, self.g.state_size)
        while turns <= MAX_TURNS:
            count = self.g.slots(self.g, state, players)
            if count == 0:
                break
            for slot in range(count):
                codes[slot] = self.g.fallback(self.g, state, slot)
            self.g.apply(self.g, state, NULL, codes)
            turns += 1
        return turns

    def run(self, State state not None, int player, int64_t simulations, double seconds):
        """Solve the game left from `state` for `player` within bounds (0: none).

        Return the player's mixed strategy, its joint codes, int32[joint codes, slots] (0 for the other's slots), and
        their chances, float64[joint codes]; None if the game left was not solved. It is not tried if it is expected to
        take more than `simulations`: with k joint codes of both sides together and t turns left, ROUNDS * k ** t.
        Ctrl-C ends it and sets `was_interrupted`.
        """
        if claim(&self.is_busy):
            raise RuntimeError("ending: it is running")
        try:
            check_state(state, self.game)
            if not 0 <= player < 2:
                raise ValueError(f"player: expected 0..1, got {player}")
            return self.strategy() if self.attempt(state, player, simulations, seconds) == SOLVED else None
        finally:
            release(&self.is_busy)

    cdef int attempt(self, State state, int32_t player, int64_t simulations, double seconds) except -2:
        cdef double expected = ROUNDS
        cdef int32_t turns
        self.player = player
        self.simulations = 0
        self.used = 0
        self.limit = simulations
        self.end = now_s() + seconds if seconds else 0
        self.glance = 0
        self.was_interrupted = False
        memcpy(self.levels[0].state, state.data, self.g.state_size)
        turns = self.count_turns()
        for _ in range(turns):
            expected *= self.open(0)
        if not 1 <= turns <= MAX_TURNS or simulations and expected > simulations:
            return ENDED
        memset(self.cache, 0, CACHE * sizeof(Known))
        try:
            with nogil:
                return self.solve(0, &self.value)
        except KeyboardInterrupt:
            self.was_interrupted = True
            return ENDED

    cdef tuple strategy(self):
        """Return the player's mixed strategy in the first turn, as `run` does."""
        cdef const Side *side = &self.levels[0].sides[0]
        cdef int32_t n, kept = 0
        cdef cnp.ndarray codes = np.zeros((side.num_chosen, self.g.num_slots), np.int32)
        cdef cnp.ndarray chances = np.empty(side.num_chosen)
        for n in range(side.num_chosen):
            if side.weights[n] > 0:
                self.spell(0, 0, side.chosen[n], <int32_t *>cnp.PyArray_DATA(codes) + kept * <int64_t>self.g.num_slots)
                (<double *>cnp.PyArray_DATA(chances))[kept] = side.weights[n]
                kept += 1
        return codes[:kept], chances[:kept]


guard_methods(globals())

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Layers: beam search over the function table for games whose players decide several slots at once.

There is always a plan: a code for each slot in each turn ahead. A pass frees one of the searcher's slots, keeps the
rest of the plan fixed, and searches, layer by layer, for codes of that slot that increase the gain of the whole plan.
Whole turns are played, so all interactions of the slots count. A planned code that has become illegal is replaced by
the table's fallback. A plan is played in up to two worlds, in which the other players act differently; its gain is a
mean of the gains there.
"""
cimport numpy as cnp
import numpy as np
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset
from masume.core._game cimport (
    MASUME_ILLEGAL_SLOT, MASUME_MAX_PLAYERS, MASUME_MAX_SLOTS, Table, check_whole, masume_below, masume_game,
    masume_mix, masume_stream)
from masume.core._state cimport State, check_state
from masume.core.arrays cimport check_array
from masume.core.guard cimport guard_methods
from masume.core.platform cimport claim, release, now_s, system_alloc, system_free
from masume.search.glance cimport is_time_up

cnp.import_array()

cdef object CODE_DTYPE = np.dtype(np.int32)
cdef int32_t MAX_NODES = 1 << 26   # over all layers

cdef enum Outcome:                 # of a pass
    ENDED = -1                     # the budget ended before the pass did
    SAME = 0
    BETTER = 1

cdef enum:                         # worlds
    STILL                          # the others play the table's fallback
    LIVELY                         # the others play the table's first policy
    MAX_WORLDS

cdef enum:                         # special values of a code
    AS_PLANNED = -1
    OVER = -2                      # nothing was played: the game is over

ctypedef struct Node:
    double gain                    # up to this node
    uint64_t key                   # of the states
    int32_t parent, code           # parent: index in the layer above; code: played there by the free slot


# -- a layer: a heap with the least gain on top ---------------------------------------------------------

cdef inline void sink(Node *layer, int32_t at, int32_t count) noexcept nogil:
    """Move a node down to its place; it may gain more than those below it."""
    cdef Node node = layer[at]
    cdef int32_t child = 2 * at + 1
    while child < count:
        if child + 1 < count and layer[child + 1].gain < layer[child].gain:
            child += 1
        if node.gain <= layer[child].gain:
            break
        layer[at] = layer[child]
        at = child
        child = 2 * at + 1
    layer[at] = node


cdef inline void rise(Node *layer, int32_t at) noexcept nogil:
    """Move a node up to its place; it may gain less than those above it."""
    cdef Node node = layer[at]
    while at and layer[(at - 1) // 2].gain > node.gain:
        layer[at] = layer[(at - 1) // 2]
        at = (at - 1) // 2
    layer[at] = node


cdef inline int32_t offer(Node *layer, int32_t count, int32_t width, const Node *node) noexcept nogil:
    """Add a node to a layer if it is among the best of different positions; return the size of the layer."""
    cdef int32_t k
    for k in range(count):
        # the same position: the better way to it stays
        if layer[k].key == node.key:
            if node.gain > layer[k].gain:
                layer[k] = node[0]
                sink(layer, k, count)
            return count
    if count < width:
        layer[count] = node[0]
        rise(layer, count)
        return count + 1
    layer[0] = node[0]             # it gains more than the least node: the caller has checked
    sink(layer, 0, count)
    return count


cdef class Layers:
    """Plan of a player of `game`, and memory for the layers of a pass.

    depth : turns ahead. width, widest : initial and maximum number of nodes per layer. discount : weight of a point
    that is gained one turn later. policy_share : weight of the world in which the others play the first policy, if the
    table has one.
    """
    cdef readonly Table game
    cdef readonly bint was_interrupted, is_done
    cdef readonly int64_t simulations
    cdef readonly double gain
    cdef const masume_game *g
    cdef int32_t depth, width, widest, player, length, worlds
    cdef bint is_own[MASUME_MAX_SLOTS]         # whether the player decides the slot in any turn of the plan
    cdef double discount
    cdef double weights[MAX_WORLDS]
    cdef size_t block
    cdef int32_t *plan             # [depth][MASUME_MAX_SLOTS]
    cdef int32_t *legal            # [max_legal]
    cdef Node *nodes               # [1 + depth][widest]
    cdef uint8_t *states           # [2][widest][worlds] blocks: of this layer and the next
    cdef uint8_t *root             # a block
    cdef uint8_t *after            # [worlds] blocks
    cdef uint64_t seed, rng
    cdef int64_t limit             # simulations
    cdef double end, glance        # end of the budget (0: limited by simulations), next check for Ctrl-C
    cdef int is_busy

    def __cinit__(self, Table game not None, int depth, int width, int widest, double discount, double policy_share):
        check_whole(game)
        if min(depth, width) < 1 or widest < width or depth > MAX_NODES // widest:
            raise ValueError(f"depth, width, widest: expected 1 or more each, got {depth}, {width} and {widest}")
        self.game = game
        self.g = game.g
        self.depth = depth
        self.width = width
        self.widest = widest
        self.discount = discount
        self.worlds = 2 if policy_share > 0 and self.g.num_policies and not self.g.memory_size else 1
        self.weights[LIVELY] = policy_share if self.worlds == 2 else 0
        self.weights[STILL] = 1 - self.weights[LIVELY]
        self.block = (<size_t>self.g.state_size + 63) // 64 * 64
        self.plan = <int32_t *>malloc(depth * MASUME_MAX_SLOTS * sizeof(int32_t))
        self.legal = <int32_t *>malloc(self.g.max_legal * sizeof(int32_t))
        self.nodes = <Node *>malloc((1 + <size_t>depth) * widest * sizeof(Node))
        self.states = <uint8_t *>system_alloc(2 * <size_t>widest * self.worlds * self.block)
        self.root = <uint8_t *>system_alloc(self.block)
        self.after = <uint8_t *>system_alloc(self.worlds * self.block)
        if (self.plan == NULL or self.legal == NULL or self.nodes == NULL or self.states == NULL or self.root == NULL
                or self.after == NULL):
            raise MemoryError

    def __dealloc__(self):
        free(self.plan)
        free(self.legal)
        free(self.nodes)
        system_free(self.states)
        system_free(self.root)
        system_free(self.after)

    # -- turns --------------------------------------------------------------------------------------

    cdef inline double lead(self, const void *state) noexcept nogil:
        """Return the lead of the player over the best of the others, by the table's forecast or the scores."""
        cdef double points[MASUME_MAX_PLAYERS]
        cdef int64_t scores[MASUME_MAX_PLAYERS]
        cdef int32_t p, players = <int32_t>self.g.num_players
        cdef double best
        if self.g.forecast != NULL:
            self.g.forecast(self.g, state, points)
        else:
            self.g.scores(self.g, state, scores)
            for p in range(players):
                points[p] = <double>scores[p]
        if players == 1:
            return points[0]
        best = points[(self.player + 1) % players]
        for p in range(players):
            if p != self.player:
                best = max(best, points[p])
        return points[self.player] - best

    cdef inline void play(self, void *state, int32_t *codes) noexcept nogil:
        """Play a turn; replace illegal codes by fallbacks."""
        cdef int32_t slot, status = self.g.apply(self.g, state, NULL, codes)
        while status < 0:          # terminates: fallbacks are legal, and the number of slots is finite
            slot = MASUME_ILLEGAL_SLOT(status)
            codes[slot] = self.g.fallback(self.g, state, slot)
            status = self.g.apply(self.g, state, NULL, codes)

    cdef bint expect(self, const void *state, int32_t t, int32_t world, int32_t *codes) noexcept nogil:
        """Write the planned and expected codes of turn t in a world; return whether there is a turn."""
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t answer[MASUME_MAX_SLOTS]
        cdef int32_t p, n, slot, count = self.g.slots(self.g, state, players)
        cdef uint64_t rng = masume_stream(self.seed, t)
        memcpy(codes, self.plan + t * MASUME_MAX_SLOTS, MASUME_MAX_SLOTS * sizeof(int32_t))
        if world == STILL:
            return count > 0
        for p in range(<int32_t>self.g.num_players):
            n = 0
            for slot in range(count):
                if p != self.player and players[slot] == p:
                    if n == 0:
                        self.g.policy(self.g, state, NULL, 0, p, &rng, answer)
                    codes[slot] = answer[n]
                    n += 1
        return count > 0

    cdef inline void play_expected(self, void *state, const int32_t *expected, int32_t slot,
                                   int32_t code) noexcept nogil:
        """Play the codes of `expect`, with this code in this slot."""
        cdef int32_t codes[MASUME_MAX_SLOTS]
        memcpy(codes, expected, sizeof(codes))
        if code != AS_PLANNED:
            codes[slot] = code
        self.play(state, codes)

    # -- plans --------------------------------------------------------------------------------------

    def set_root(self, State state not None, int player, uint64_t seed, cnp.ndarray plan not None):
        """Start planning for `player` from `state`, with the initial plan `plan`, int32[turns, slots], then fallbacks.

        In the plan the other players always play the table's fallback.
        """
        cdef const int32_t *given = <const int32_t *>cnp.PyArray_DATA(plan)
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t *codes = self.plan
        check_array("plan", plan, CODE_DTYPE, (cnp.PyArray_DIM(plan, 0) if cnp.PyArray_NDIM(plan) else 0,
                                               self.g.num_slots), False)
        if self.is_busy:
            raise RuntimeError("search: it is running")
        check_state(state, self.game)
        if not 0 <= player < <int>self.g.num_players:
            raise ValueError(f"player: expected 0..{self.g.num_players - 1}, got {player}")
        cdef int32_t expected[MASUME_MAX_SLOTS]
        cdef int32_t t, slot, world, count, num_slots = <int32_t>self.g.num_slots
        cdef double weight = 1, after
        cdef double before[MAX_WORLDS]
        cdef uint8_t *here
        memcpy(self.root, state.data, self.g.state_size)
        memset(self.plan, 0, self.depth * MASUME_MAX_SLOTS * sizeof(int32_t))
        memset(self.is_own, 0, sizeof(self.is_own))
        self.player = player
        self.seed = self.rng = seed
        self.simulations = 0
        self.gain = 0
        self.length = 0
        self.is_done = False
        # play the plan in each world, and add up what it gains
        for world in range(self.worlds):
            memcpy(self.after + world * self.block, self.root, self.g.state_size)
            before[world] = self.lead(self.root)
        for t in range(self.depth):
            count = self.g.slots(self.g, self.after, players)
            if count == 0:
                break
            for slot in range(count):
                if players[slot] == player:
                    self.is_own[slot] = True
                if players[slot] == player and t < cnp.PyArray_DIM(plan, 0):
                    codes[slot] = given[t * num_slots + slot]
                else:
                    codes[slot] = self.g.fallback(self.g, self.after, slot)
            # this also puts fallbacks in place of illegal codes of the plan
            self.play(self.after, codes)
            for world in range(self.worlds):
                here = self.after + world * self.block
                if world != STILL and self.expect(here, t, world, expected):
                    self.play(here, expected)
                after = self.lead(here)
                self.gain += weight * self.weights[world] * (after - before[world])
                before[world] = after
            weight *= self.discount
            codes += MASUME_MAX_SLOTS
            self.length += 1

    cdef inline uint64_t key_of(self, const uint8_t *states) noexcept nogil:
        """Return a key of the states of all worlds."""
        cdef uint64_t key = self.g.key(self.g, states)
        if self.worlds == 2:
            key += masume_mix(self.g.key(self.g, states + self.block))
        return key

    cdef int32_t widen(self, int32_t slot, int32_t width, int32_t t, int32_t count, double weight,
                       const uint8_t *here) except -2 nogil:
        """Fill the layer below the `count` nodes of layer t, whose states are in `here`; return its size, or ENDED."""
        cdef const Node *above = self.nodes + t * <int64_t>self.widest
        cdef Node *layer = self.nodes + (t + 1) * <int64_t>self.widest
        cdef const uint8_t *state
        cdef uint8_t *after
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t expected[MAX_WORLDS][MASUME_MAX_SLOTS]
        cdef bint is_on[MAX_WORLDS]
        cdef double before[MAX_WORLDS]
        cdef int32_t n, k, world, slots, codes, found = 0
        cdef Node node
        for n in range(count):
            state = here + n * self.worlds * self.block
            node = above[n]
            node.parent = n
            slots = self.g.slots(self.g, state, players)
            if slots == 0:
                node.code = OVER
                if found < width or node.gain > layer[0].gain:
                    found = offer(layer, found, width, &node)
                continue
            self.legal[0] = AS_PLANNED
            codes = 1
            if slot < slots and players[slot] == self.player:
                codes = self.g.legal(self.g, state, slot, self.legal)
            if self.limit and self.simulations + codes * self.worlds > self.limit:
                return ENDED
            if now_s() >= self.glance:
                with gil:
                    if is_time_up(self.end, &self.glance):
                        return ENDED
            self.simulations += codes * self.worlds
            # what is the same for all codes of the slot: all other codes of the turn, and the lead before it
            for world in range(self.worlds):
                is_on[world] = self.expect(state + world * self.block, t, world, expected[world])
                before[world] = self.lead(state + world * self.block)
            for k in range(codes):
                node.code = self.legal[k]
                node.gain = above[n].gain
                for world in range(self.worlds):
                    after = self.after + world * self.block
                    memcpy(after, state + world * self.block, self.g.state_size)
                    if is_on[world]:
                        self.play_expected(after, expected[world], slot, node.code)
                    node.gain += weight * self.weights[world] * (self.lead(after) - before[world])
                # keys cost time, so only nodes that may stay get one
                if found < width or node.gain > layer[0].gain:
                    node.key = self.key_of(self.after)
                    found = offer(layer, found, width, &node)
        return found

    cdef int search_slot(self, int32_t slot, int32_t width) except -2 nogil:
        """Run one pass: free this slot, and put the codes with the highest gain into the plan."""
        cdef uint8_t *here = self.states
        cdef uint8_t *below = self.states + self.widest * self.worlds * self.block
        cdef uint8_t *state
        cdef int32_t expected[MASUME_MAX_SLOTS]
        cdef Node *layer = self.nodes
        cdef int32_t t, n, world, best = 0, count = 1
        cdef double weight = 1
        for world in range(self.worlds):
            memcpy(here + world * self.block, self.root, self.g.state_size)
        layer[0] = Node(gain=0, key=self.key_of(here), parent=0, code=OVER)
        for t in range(self.length):
            count = self.widen(slot, width, t, count, weight, here)
            if count == ENDED:
                return ENDED
            layer = self.nodes + (t + 1) * <int64_t>self.widest
            # nodes have no states: play the turns of those that stayed again, each from its parent's
            for n in range(count):
                for world in range(self.worlds):
                    state = below + (n * self.worlds + world) * self.block
                    memcpy(state, here + (layer[n].parent * self.worlds + world) * self.block, self.g.state_size)
                    if layer[n].code != OVER and self.expect(state, t, world, expected):
                        self.play_expected(state, expected, slot, layer[n].code)
            here, below = below, here
            weight *= self.discount
        # the best node of the last layer, if it gains more than the plan
        for n in range(1, count):
            if layer[n].gain > layer[best].gain:
                best = n
        if layer[best].gain <= self.gain + 1e-9:           # tolerance: the same gain summed in another order
            return SAME
        self.gain = layer[best].gain
        # its codes, from the last turn up, become the plan of the slot
        for t in range(self.length, 0, -1):
            layer = self.nodes + t * <int64_t>self.widest
            if layer[best].code >= 0:
                self.plan[(t - 1) * MASUME_MAX_SLOTS + slot] = layer[best].code
            best = layer[best].parent
        return BETTER

    def run(self, int64_t simulations, double seconds):
        """Improve the plan, for a number of simulations or seconds (0: no bound); return the seconds taken.

        The search ends earlier, and sets `is_done`, if no single slot finds better codes in layers of `widest` nodes.
        Ctrl-C ends it too and sets `was_interrupted`; the plan is then the best found so far.
        """
        if claim(&self.is_busy):
            raise RuntimeError("search: it is running")
        try:
            return self.improve(simulations, seconds)
        finally:
            release(&self.is_busy)

    cdef double improve(self, int64_t simulations, double seconds) except? -1:
        cdef double began = now_s()
        cdef int32_t order[MASUME_MAX_SLOTS]
        cdef int32_t n, k, mine, outcome, width = self.width
        cdef bint is_better
        self.limit = simulations
        self.end = began + seconds if seconds else 0
        self.glance = 0
        self.was_interrupted = False
        try:
            with nogil:
                while not self.is_done:
                    # a pass for each slot of the player, in random order
                    mine = 0
                    for n in range(MASUME_MAX_SLOTS):
                        if self.is_own[n]:
                            k = <int32_t>masume_below(&self.rng, mine + 1)
                            order[mine] = order[k]
                            order[k] = n
                            mine += 1
                    is_better = False
                    outcome = SAME
                    for n in range(mine):
                        outcome = self.search_slot(order[n], width)
                        if outcome == ENDED:
                            break
                        is_better = is_better or outcome == BETTER
                    if outcome == ENDED:
                        break
                    # no pass helped: wider layers, or the end if they are as wide as they may be
                    if not is_better:
                        self.is_done = width == self.widest
                        width = min(2 * width, self.widest)
        except KeyboardInterrupt:
            self.was_interrupted = True
        return now_s() - began

    def codes(self):
        """Return the plan as int32[turns, slots]."""
        cdef int32_t t, slot
        cdef cnp.ndarray found = np.empty((self.length, self.g.num_slots), np.int32)
        cdef int32_t *codes = <int32_t *>cnp.PyArray_DATA(found)
        for t in range(self.length):
            for slot in range(<int32_t>self.g.num_slots):
                codes[t * <int32_t>self.g.num_slots + slot] = self.plan[t * MASUME_MAX_SLOTS + slot]
        return found


guard_methods(globals())

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Forest: Monte Carlo tree search over the function table, for any number of players and slots, and hidden information.

A tree stores no states. Each simulation starts with a copy of the root (in games of imperfect information, with a state
sampled from what the searcher knows), plays the codes chosen by the bandits of the nodes on its way, adds one node,
and backs up each player's result. A node has a bandit for each slot that decides there, and each bandit uses only
the result of its own player: UCT with max^n in turn-based games, decoupled UCT or regret matching if players decide
at once. In games of imperfect information a node stands for what the searcher has learned on the way.
"""
cimport numpy as cnp
import numpy as np
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport exp, log, pow, sqrt, tanh
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset
from masume.core.bits cimport bits_first, bits_pick, bits_total
from masume.core._batch cimport Pool, masume_pace, masume_pool_run
from masume.core._game cimport (
    MASUME_IMPERFECT, MASUME_MAX_FIELDS, MASUME_MAX_PLAYERS, MASUME_MAX_SLOTS, MASUME_OPEN_NEWS, Table, check_whole,
    masume_below, masume_game, masume_mix, masume_next, masume_stream)
from masume.core._planes cimport Form, Views, observe_view
from masume.core._playout cimport codes_of, mask_bits, playout
from masume.core._state cimport State, check_state
from masume.core.platform cimport claim, release, now_s, system_alloc, system_free

from masume.errors import ConfigError

cnp.import_array()

cdef enum:
    MAX_DEPTH = 256                # plies of a simulation inside the tree
    MAX_TREES = 1 << 24
    CLOCK_EVERY = 8                # simulations between two readings of the clock
    TRIES = 16                     # samples drawn per simulation before the search gives up
    SMALLEST = 1 << 8              # initial capacity of a tree in nodes, slots and arms; at least the arms of a root
    FEW_ARMS = 4                   # initial capacity of a bandit
    CALM = 50                      # visits added to the most visited arm's, as in `Forest.improve`
    FEW_VISITS = 128               # bonuses are cached for arms with fewer visits

cdef uint32_t NOWHERE = 0xFFFFFFFF
cdef double GLANCE_S = 0.02        # seconds between two checks for Ctrl-C

cdef enum Fault:
    WAITS = 1                      # not a fault: the leaf waits for its evaluation
    FINE = 0
    NO_SAMPLE = -1
    NO_CODE = -2                   # the table refused a code that it had listed as legal


ctypedef struct Arm:
    int32_t code, visits
    int32_t offered                # times it was legal when its slot chose; imperfect information only
    float prior
    double total                   # sum of the values of its slot's player
    double regret, average         # of regret matching; regret: noise and logarithm of the prior at a root that halves

ctypedef struct Hope:              # a legal code and its prior, from the evaluator
    float prior                    # -1: it has an arm
    int32_t code

ctypedef struct Slot:
    uint32_t arms                  # index of the first arm; the others follow
    int32_t num, capacity          # open arms, and capacity
    uint32_t hopes                 # index of the first hope
    int32_t num_hopes
    int32_t limit                  # number of legal codes; perfect information only
    int32_t visits, player
    bint has_priors

ctypedef struct Node:
    uint64_t edge, key             # edge: hash of the way from the parent; key: of the state, perfect information only
    uint32_t parent, slots         # slots: NOWHERE until a second simulation arrives
    int32_t visits, count          # count: slots that decide here

ctypedef struct Settings:
    double exploration, wide, widening, scale, lead_share, noise
    int32_t per_sample             # simulations that begin with the same sample
    int32_t policy, horizon        # of playouts: 0 random, k the table's policy k - 1; plies, 0: to the end
    int32_t prior                  # the policy whose choice has half of the prior, as `policy`
    bint regret                    # regret matching instead of UCB
    bint evaluates                 # leaves wait for an evaluator
    int32_t considered             # codes of a root's slot that sequential halving begins with; 0: bounds choose
    double trust                   # of values against priors and noise, when it halves

ctypedef struct Step:
    uint32_t node
    int32_t count
    int32_t players[MASUME_MAX_SLOTS]
    int32_t arms[MASUME_MAX_SLOTS]
    float chances[MASUME_MAX_SLOTS]     # probabilities with which regret matching chose

ctypedef struct Leaf:
    uint32_t node
    int32_t depth
    Step *path
    uint8_t *state                 # followed by its memory

ctypedef struct Bonus:
    int32_t visits                 # of the slot, when the bonus was computed
    double bonus

ctypedef struct Sum:               # of an arm, over all trees of a root
    int64_t visits
    double total, average, prior

cdef struct Tree:
    const masume_game *g
    Node *nodes
    Slot *slots
    Arm *arms
    Hope *hopes
    uint32_t *index                # open addressing; NOWHERE is empty
    uint32_t num_nodes, num_slots, num_arms, num_hopes, max_nodes, max_slots, max_arms, max_hopes, index_mask
    int64_t limit                  # bytes
    uint8_t *root                  # blocks of a state and its memory
    uint8_t *state
    uint8_t *sample                # the last one drawn; imperfect information only
    int32_t sample_left            # simulations that still begin with it
    void *sampler                  # of the root; NULL if the game has none
    int32_t words                  # words of a set of codes; bit c % 32 of word c // 32
    uint32_t *legal                # the legal codes, as such a set
    uint32_t *fresh                # the legal codes without an arm
    int32_t room_visits            # slots of a node have equal visits: their bounds' shared part is computed once
    int32_t width_visits
    double room, width             # for a slot with that many visits
    Bonus bonuses[FEW_VISITS]      # cached by the visits of an arm
    Step *path                     # [MAX_DEPTH]
    int32_t player                 # the searcher
    int32_t simulations, left      # done since the root was set; still to do
    int32_t budget                 # simulations of this search
    uint64_t rng
    int32_t fault
    bint is_full                   # no node could be added for lack of memory

cdef struct Job:
    Tree *trees
    const Settings *settings
    int32_t slice
    double deadline                # of this slice; 0: none


# -- the arena ------------------------------------------------------------------------------------------

cdef inline int64_t bytes_of(const Tree *t) noexcept nogil:
    return (t.max_nodes * <int64_t>sizeof(Node) + t.max_slots * <int64_t>sizeof(Slot)
            + t.max_arms * <int64_t>sizeof(Arm) + t.max_hopes * <int64_t>sizeof(Hope)
            + (t.index_mask + <int64_t>1) * sizeof(uint32_t)
            + <int64_t>t.g.sampler_size)


cdef inline int room(Tree *t, void **block, uint32_t used, uint32_t wanted, uint32_t *most, size_t size) noexcept nogil:
    """Make room for `wanted` more, doubling the block; return -1 if the limit or the memory is reached."""
    cdef uint32_t more = most[0]
    cdef void *moved
    if used + wanted <= more:
        return 0
    while more < used + wanted:
        if more >= NOWHERE // 2:
            return -1
        more *= 2
    if bytes_of(t) + (more - most[0]) * <int64_t>size > t.limit:
        return -1
    moved = realloc(block[0], more * size)
    if moved == NULL:
        return -1
    block[0] = moved
    most[0] = more
    return 0


cdef inline void enter(Tree *t, uint32_t node) noexcept nogil:
    """Put a node into the index."""
    cdef uint32_t at = <uint32_t>t.nodes[node].edge & t.index_mask
    while t.index[at] != NOWHERE:
        at = (at + 1) & t.index_mask
    t.index[at] = node


cdef inline uint32_t find(const Tree *t, uint64_t edge, uint32_t parent) noexcept nogil:
    """Return the node behind an edge, or NOWHERE."""
    cdef uint32_t at = <uint32_t>edge & t.index_mask
    while t.index[at] != NOWHERE:
        if t.nodes[t.index[at]].edge == edge and t.nodes[t.index[at]].parent == parent:
            return t.index[at]
        at = (at + 1) & t.index_mask
    return NOWHERE


cdef int index_again(Tree *t, uint32_t size) noexcept nogil:
    """Build an index of `size` places (a power of two) with all nodes; return -1 without memory."""
    cdef uint32_t node
    cdef uint32_t *index = <uint32_t *>malloc(size * sizeof(uint32_t))
    if index == NULL:
        return -1
    free(t.index)
    t.index = index
    t.index_mask = size - 1
    memset(index, 0xFF, size * sizeof(uint32_t))
    for node in range(1, t.num_nodes):
        enter(t, node)
    return 0


cdef uint32_t add_node(Tree *t, uint64_t edge, uint32_t parent) noexcept nogil:
    """Add an unvisited node and return it, or NOWHERE if the tree is full."""
    cdef uint32_t node = t.num_nodes, size = t.index_mask + 1
    if (room(t, <void **>&t.nodes, node, 1, &t.max_nodes, sizeof(Node))
            or node >= size // 2 and (bytes_of(t) + size * <int64_t>sizeof(uint32_t) > t.limit or size > NOWHERE // 4
                                      or index_again(t, 2 * size))):
        t.is_full = True
        return NOWHERE
    t.nodes[node] = Node(edge=edge, key=0 if t.g.flags & MASUME_IMPERFECT else t.g.key(t.g, t.state), parent=parent,
                         slots=NOWHERE, visits=0, count=0)
    t.num_nodes = node + 1
    if parent != NOWHERE:
        enter(t, node)
    return node


cdef int take_arms(Tree *t, Slot *slot, int32_t capacity) noexcept nogil:
    """Give a bandit room for `capacity` arms; return -1 if the tree is full."""
    if room(t, <void **>&t.arms, t.num_arms, capacity, &t.max_arms, sizeof(Arm)):
        t.is_full = True
        return -1
    if slot.num:
        memcpy(&t.arms[t.num_arms], &t.arms[slot.arms], slot.num * sizeof(Arm))
    slot.arms = t.num_arms
    slot.capacity = capacity
    t.num_arms += capacity
    return 0


cdef int add_slots(Tree *t, uint32_t node, const int32_t *players, int32_t count) noexcept nogil:
    """Give a node the bandits of its slots, whose limit is not known yet; return -1 if the tree is full."""
    cdef int32_t k
    cdef Slot *slot
    if room(t, <void **>&t.slots, t.num_slots, count, &t.max_slots, sizeof(Slot)):
        t.is_full = True
        return -1
    for k in range(count):
        slot = &t.slots[t.num_slots + k]
        memset(slot, 0, sizeof(Slot))
        slot.player = players[k]
    t.nodes[node].slots = t.num_slots
    t.nodes[node].count = count
    t.num_slots += count
    return 0


cdef int open_arm(Tree *t, Slot *slot, int32_t code) noexcept nogil:
    """Add an arm to a bandit; return -1 if the tree is full."""
    if slot.num == slot.capacity and take_arms(t, slot, 2 * slot.capacity if slot.capacity else FEW_ARMS):
        return -1
    memset(&t.arms[slot.arms + slot.num], 0, sizeof(Arm))
    t.arms[slot.arms + slot.num].code = code
    slot.num += 1
    return 0


cdef void take_hopes(Tree *t, Slot *slot, int32_t legal, const float *priors) noexcept nogil:
    """Give a bandit the `legal` codes in t.legal as its hopes, by their priors; none if the tree is full."""
    cdef int32_t n
    cdef uint32_t left
    cdef double total = 0
    cdef Hope *hope
    if room(t, <void **>&t.hopes, t.num_hopes, legal, &t.max_hopes, sizeof(Hope)):
        t.is_full = True
        return
    slot.hopes = t.num_hopes
    slot.num_hopes = legal
    hope = &t.hopes[slot.hopes]
    for n in range(t.words):
        left = t.legal[n]
        while left:
            hope.code = 32 * n + bits_first(left)
            hope.prior = priors[hope.code]
            left &= left - 1
            total += hope.prior
            hope += 1
    hope = &t.hopes[slot.hopes]
    for n in range(legal):
        hope[n].prior = <float>(hope[n].prior / total) if total > 0 else <float>1 / legal
    t.num_hopes += legal


cdef int open_hopes(Tree *t, Slot *slot) noexcept nogil:
    """Give every hope an arm, as a root has; return -1 if the tree is full, with the bandit unchanged."""
    cdef int32_t n, waiting = 0
    cdef Hope *hope
    for n in range(slot.num_hopes):
        waiting += t.hopes[slot.hopes + n].prior >= 0
    if waiting and take_arms(t, slot, slot.num + waiting):
        return -1
    for n in range(slot.num_hopes):
        hope = &t.hopes[slot.hopes + n]
        if hope.prior >= 0:
            open_arm(t, slot, hope.code)
            t.arms[slot.arms + slot.num - 1].prior = hope.prior
    slot.num_hopes = 0
    return 0


# -- bandits --------------------------------------------------------------------------------------------

cdef inline int32_t see_legal(Tree *t, const void *state, int32_t k) noexcept nogil:
    """Put the legal codes of slot k into t.legal; return their number."""
    mask_bits(t.g, state, k, t.legal)
    return bits_total(t.legal, t.words)


cdef inline bint has(const uint32_t *codes, int32_t code) noexcept nogil:
    return codes[code >> 5] >> (code & 31) & 1


cdef inline bint may_widen(Tree *t, const Settings *s, const Slot *slot) noexcept nogil:
    """Return whether a bandit may open another arm now: always while it has few, then ever more slowly."""
    if t.room_visits != slot.visits:
        t.room_visits = slot.visits
        t.room = s.wide * pow(slot.visits + 1, s.widening)
    return slot.num + 1 <= t.room


cdef inline int32_t new_code(Tree *t, const Slot *slot, int32_t fresh) noexcept nogil:
    """Draw one of the `fresh` codes in t.legal that have neither an arm nor a hope, uniformly."""
    cdef int32_t k, code
    memcpy(t.fresh, t.legal, t.words * sizeof(uint32_t))
    for k in range(slot.num):
        code = t.arms[slot.arms + k].code
        t.fresh[code >> 5] &= ~(<uint32_t>1 << (code & 31))
    for k in range(slot.num_hopes):
        code = t.hopes[slot.hopes + k].code
        t.fresh[code >> 5] &= ~(<uint32_t>1 << (code & 31))
    return bits_pick(t.fresh, <int32_t>masume_below(&t.rng, fresh))


cdef inline double bonus_of(Tree *t, const Settings *s, int32_t visits, int32_t of) noexcept nogil:
    """Return the bonus that the bound of an arm adds to its mean; `of`: visits of its slot."""
    cdef double bonus
    cdef Bonus *kept = &t.bonuses[visits & (FEW_VISITS - 1)]
    if visits < FEW_VISITS and kept.visits == of:
        return kept.bonus
    if t.width_visits != of:
        t.width_visits = of
        t.width = log(<double>of + 1)
    bonus = s.exploration * sqrt(t.width / visits)
    if visits < FEW_VISITS:
        kept.visits = of
        kept.bonus = bonus
    return bonus


cdef inline int32_t best_arm(Tree *t, const Settings *s, const Slot *slot, const uint32_t *legal, int32_t fresh,
                             float prior) noexcept nogil:
    """Return the arm with the highest bound, the first of equals; if `legal` is not NULL, only arms in that set count.

    With priors, return -1 if one of the `fresh` codes without an arm, each of this prior, has a higher bound.
    """
    cdef int32_t k, best = -1
    cdef double bound, highest = 0, mean = 0, root = 0
    cdef const Arm *arm
    if slot.has_priors:
        root = sqrt(<double>slot.visits)
        for k in range(slot.num):
            mean += t.arms[slot.arms + k].total
        mean = mean / slot.visits if slot.visits else 0
    for k in range(slot.num):
        arm = &t.arms[slot.arms + k]
        if legal != NULL and not has(legal, arm.code):
            continue
        if slot.has_priors:
            bound = s.exploration * arm.prior * (root + 1e-3)
            bound = arm.total / arm.visits + bound / (1 + arm.visits) if arm.visits else mean + bound
        elif arm.visits == 0:
            return k
        elif legal != NULL:
            bound = arm.total / arm.visits + s.exploration * sqrt(log(<double>arm.offered + 1) / arm.visits)
        else:
            bound = arm.total / arm.visits + bonus_of(t, s, arm.visits, slot.visits)
        if best < 0 or bound > highest:
            best = k
            highest = bound
    if slot.has_priors and fresh and mean + s.exploration * prior * (root + 1e-3) > highest:
        return -1
    return best


cdef inline int32_t matched_arm(Tree *t, const Settings *s, const Slot *slot, float *chance) noexcept nogil:
    """Draw an arm in proportion to its positive regret, with some noise, and add the strategy to the average."""
    cdef int32_t k
    cdef int32_t chosen = -1
    cdef double total = 0, part, draw
    cdef Arm *arm
    for k in range(slot.num):
        total += max(0.0, t.arms[slot.arms + k].regret)
    draw = (masume_next(&t.rng) >> 11) * (1.0 / 9007199254740992.0)
    for k in range(slot.num):
        arm = &t.arms[slot.arms + k]
        part = max(0.0, arm.regret) / total if total > 0 else 1.0 / slot.num
        arm.average += part
        part = (1 - s.noise) * part + s.noise / slot.num
        if draw >= 0 and part > 0:         # keep the last one, in case the parts sum to less than the draw
            chosen = k
            chance[0] = <float>part
        draw -= part
    return chosen


cdef inline bint trusts_policy(const Tree *t, const Settings *s) noexcept nogil:
    """Return whether bandits start from a policy's choice, since much is legal and results are noisy."""
    return s.policy and not s.evaluates and not s.regret


cdef int32_t guided_arm(Tree *t, const Settings *s, Slot *slot, const void *state, int32_t k, int32_t count,
                        int32_t fresh, int32_t first) noexcept nogil:
    """Return the arm that the bandit of slot k tries; `first` gets half of the prior, all other codes the rest.

    count, fresh : number of legal codes (in t.legal if they vary), and of those without an arm. first : the policy's
    choice, -1 if it already has an arm.
    """
    cdef bint varies = (t.g.flags & MASUME_IMPERFECT) != 0
    cdef float prior = <float>0.5 / max(1, count - 1)
    cdef int32_t arm, code = first
    slot.has_priors = True
    if code >= 0:
        prior = 0.5
    else:
        arm = best_arm(t, s, slot, t.legal if varies else NULL, fresh, prior)
        if arm >= 0 or fresh == 0:
            return arm
        if not varies:
            see_legal(t, state, k)
        code = new_code(t, slot, fresh)
    if open_arm(t, slot, code):
        return -1
    t.arms[slot.arms + slot.num - 1].offered = 1
    t.arms[slot.arms + slot.num - 1].prior = prior
    return slot.num - 1


cdef inline int32_t visits_due(int32_t considered, int32_t budget, int32_t done) noexcept nogil:
    """Return how many visits the arm has that sequential halving tries after `done` of `budget` simulations.

    `considered` arms share the first phase, half of them the next, at last two; each phase has an equal part of the
    budget, and at least a visit for each of its arms.
    """
    cdef int32_t phases = 0, visits = 0, more
    while 1 << phases < considered:
        phases += 1
    if phases == 0:
        return done
    while True:
        more = max(1, budget // (phases * considered))
        if done < more * considered:
            return visits + done // considered
        done -= more * considered
        visits += more
        considered = max(2, considered // 2)


cdef inline int32_t halving_arm(const Tree *t, const Settings *s, const Slot *slot, const uint32_t *legal,
                                int32_t visits) noexcept nogil:
    """Return the best arm with so many visits, by prior, noise and value; -1 if there is none.

    legal : as in `best_arm`. If nothing is hidden, those that are considered are the first ones.
    """
    cdef int32_t k, best = -1, most = 0
    cdef int32_t count = slot.num if t.g.flags & MASUME_IMPERFECT else min(s.considered, slot.num)
    cdef double score, highest = 0
    cdef const Arm *arm
    for k in range(count):
        most = max(most, t.arms[slot.arms + k].visits)
    for k in range(count):
        arm = &t.arms[slot.arms + k]
        if arm.visits != visits or legal != NULL and not has(legal, arm.code):
            continue
        score = arm.regret
        if visits:
            score += s.trust * (CALM + most) * arm.total / visits
        if best < 0 or score > highest:
            best = k
            highest = score
    return best


cdef int32_t root_arm(Tree *t, const Settings *s, uint32_t at, const void *state, int32_t k) noexcept nogil:
    """Return the arm of slot k of the root that sequential halving tries; -1 if it cannot tell."""
    cdef Slot *slot = &t.slots[at]
    cdef const uint32_t *legal = NULL
    if t.g.flags & MASUME_IMPERFECT:
        see_legal(t, state, k)
        legal = t.legal
    return halving_arm(t, s, slot, legal, visits_due(min(s.considered, slot.num), t.budget - 1, slot.visits))


cdef inline double gumbel(uint64_t *rng) noexcept nogil:
    """Draw from the standard Gumbel distribution."""
    return -log(-log(((masume_next(rng) >> 11) + 0.5) * (1.0 / 9007199254740992.0)))


cdef void prepare_halving(Tree *t, const Settings *s, Slot *slot) noexcept nogil:
    """Draw the noise of a root's arms; if nothing is hidden, put those that are considered first."""
    cdef Arm *arms = &t.arms[slot.arms]
    cdef Arm kept
    cdef int32_t n, k, best
    for n in range(slot.num):
        arms[n].regret = gumbel(&t.rng) + log(arms[n].prior + 1e-12)
    if t.g.flags & MASUME_IMPERFECT:
        return
    for n in range(min(s.considered, slot.num)):
        best = n
        for k in range(n + 1, slot.num):
            if arms[k].regret > arms[best].regret:
                best = k
        kept = arms[n]
        arms[n] = arms[best]
        arms[best] = kept


cdef int32_t hoped_arm(Tree *t, const Settings *s, Slot *slot, const void *state, int32_t k) noexcept nogil:
    """Return the arm of slot k that an evaluator's priors and the values suggest, a new one if a hope is the best.

    -1 if it cannot have one.
    """
    cdef bint varies = (t.g.flags & MASUME_IMPERFECT) != 0
    cdef int32_t n, arm, code, fresh = 0, waiting = 0, best = -1
    cdef float prior = 0
    cdef const uint32_t *legal = NULL
    cdef Hope *hopes = &t.hopes[slot.hopes]
    if varies:                             # the legal codes depend on the sample
        fresh = see_legal(t, state, k)
        legal = t.legal
        for n in range(slot.num):
            fresh -= has(legal, t.arms[slot.arms + n].code)
    for n in range(slot.num_hopes):
        if hopes[n].prior >= 0:
            waiting += 1
            if legal == NULL or has(legal, hopes[n].code):
                fresh -= varies
                if best < 0 or hopes[n].prior > prior:
                    best = n
                    prior = hopes[n].prior
    if fresh > 0:
        code = new_code(t, slot, fresh)
        prior = <float>1 / (slot.num + waiting + 1)          # it was not legal when the evaluator was asked
    else:
        arm = best_arm(t, s, slot, legal, best >= 0, prior)
        if arm >= 0 or best < 0:
            return arm
        code = hopes[best].code
    if open_arm(t, slot, code):
        return best_arm(t, s, slot, legal, 0, 0)
    t.arms[slot.arms + slot.num - 1].prior = prior
    if s.considered:
        t.arms[slot.arms + slot.num - 1].regret = log(prior + 1e-12)
    if fresh <= 0:
        hopes[best].prior = -1
    return slot.num - 1


cdef int32_t choose(Tree *t, const Settings *s, uint32_t at, const void *state, int32_t k, int32_t first,
                    float *chance) noexcept nogil:
    """Return the arm that the bandit of slot k tries (`first`: see `guided_arm`); -1 if it cannot have one."""
    cdef Slot *slot = &t.slots[at]
    cdef int32_t n, count = slot.limit, arm = -1, fresh = slot.limit - slot.num
    cdef bint varies = (t.g.flags & MASUME_IMPERFECT) != 0
    if s.evaluates:
        return hoped_arm(t, s, slot, state, k)
    if varies:                             # the legal codes depend on the sample
        count = see_legal(t, state, k)
        fresh = count
        for n in range(slot.num):
            if has(t.legal, t.arms[slot.arms + n].code):
                t.arms[slot.arms + n].offered += 1
                fresh -= 1
    if trusts_policy(t, s):
        return guided_arm(t, s, slot, state, k, count, fresh, first)
    if fresh > 0 and (fresh == count or may_widen(t, s, slot)):
        if not varies:
            see_legal(t, state, k)
        if open_arm(t, slot, new_code(t, slot, fresh)) == 0:
            arm = slot.num - 1
            t.arms[slot.arms + arm].offered = 1
            if not s.regret:
                return arm
    if slot.num == 0:
        return -1
    if s.regret:
        return matched_arm(t, s, slot, chance)
    return best_arm(t, s, slot, t.legal if varies else NULL, 0, 0)


# -- a simulation ---------------------------------------------------------------------------------------

cdef inline bint is_of_the_world(const Tree *t, const Settings *s, int32_t player) noexcept nogil:
    """Return whether a player has no bandits: with hidden information and a policy, the others follow the policy.

    Their choices depend on things that a node does not distinguish, since it stands for what the searcher knows.
    """
    return t.g.flags & MASUME_IMPERFECT and s.policy and not s.evaluates and player != t.player


cdef inline uint64_t edge_of(const Tree *t, uint64_t from_edge, const int32_t *players, const int32_t *codes,
                             int32_t count) noexcept nogil:
    """Return the edge from a node to t.state: `from_edge` mixed with what the searcher knows of the codes.

    A node is identified by its edge, since its index may change.
    """
    cdef uint64_t edge = masume_mix(from_edge)
    cdef int32_t k
    cdef bint sees_all = not t.g.flags & MASUME_IMPERFECT
    for k in range(count):
        if sees_all or players[k] == t.player:
            edge = masume_mix(edge ^ <uint32_t>codes[k])
    if not sees_all and t.g.news != NULL:
        edge = masume_mix(edge ^ t.g.news(t.g, t.state, t.state + t.g.state_size, t.player, codes))
    return edge


cdef inline void value_of(const Tree *t, const Settings *s, bint ended, double *values) noexcept nogil:
    """Write the value of the position for each player, -1..1: the lead by the forecast, at the end also the result."""
    cdef float returns[MASUME_MAX_PLAYERS]
    cdef int64_t scores[MASUME_MAX_PLAYERS]
    cdef int32_t p, q
    cdef double points[MASUME_MAX_PLAYERS]
    cdef double other, lead
    t.g.returns(t.g, t.state, returns)
    for p in range(<int32_t>t.g.num_players):
        values[p] = returns[p]
    if s.scale <= 0:
        return
    if ended or t.g.forecast == NULL:
        t.g.scores(t.g, t.state, scores)
        for p in range(<int32_t>t.g.num_players):
            points[p] = scores[p]
    else:
        t.g.forecast(t.g, t.state, points)
    for p in range(<int32_t>t.g.num_players):
        other = points[(p + 1) % <int32_t>t.g.num_players] if t.g.num_players > 1 else 0
        for q in range(<int32_t>t.g.num_players):
            if q != p:
                other = max(other, points[q])
        lead = tanh((points[p] - other) / s.scale)
        if ended:
            values[p] = (1 - s.lead_share) * values[p] + s.lead_share * lead
        else:
            values[p] = lead


cdef inline void policy_codes(Tree *t, int32_t policy, const int32_t *players, int32_t count,
                              int32_t *codes) noexcept nogil:
    """Write the codes that a policy chooses in t.state."""
    cdef int32_t player
    for player in range(<int32_t>t.g.num_players):
        codes_of(t.g, t.state, t.state + t.g.state_size if t.g.memory_size else NULL, players, count, player, policy,
                 &t.rng, codes)


cdef void play_out(Tree *t, const Settings *s, double *values) noexcept nogil:
    """Write the values after play to the end from t.state, or after the given number of plies."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef int32_t count, plies = 0
    if s.policy == 0 and s.horizon == 0:
        playout(t.g, t.state, &t.rng)
        value_of(t, s, True, values)
        return
    while True:
        count = t.g.slots(t.g, t.state, players)
        if count == 0 or s.horizon and plies == s.horizon:
            value_of(t, s, count == 0, values)
            return
        policy_codes(t, s.policy, players, count, codes)
        t.g.apply(t.g, t.state, t.state + t.g.state_size if needs_memory(t, s) else NULL, codes)
        plies += 1


cdef inline bint needs_memory(const Tree *t, const Settings *s) noexcept nogil:
    """Return whether a simulation must update what players see."""
    return t.g.memory_size and (s.policy or s.evaluates or (t.g.news != NULL and not t.g.flags & MASUME_OPEN_NEWS))


cdef int begin(Tree *t, const Settings *s) noexcept nogil:
    """Copy the root, or a sample of what the searcher knows, into t.state; return 0 or a fault."""
    cdef int64_t size = t.g.state_size + (t.g.memory_size if needs_memory(t, s) else 0)
    if not t.g.flags & MASUME_IMPERFECT:
        memcpy(t.state, t.root, t.g.state_size)
        return FINE
    if s.per_sample == 1:
        return take_sample(t, s, t.state)
    if t.sample_left == 0:
        if take_sample(t, s, t.sample):
            return NO_SAMPLE
        t.sample_left = s.per_sample
    t.sample_left -= 1
    memcpy(t.state, t.sample, size)
    return FINE


cdef int take_sample(Tree *t, const Settings *s, uint8_t *out) noexcept nogil:
    """Write a sample of what the searcher knows, followed by its memory; return 0 or a fault."""
    cdef uint8_t *memory = out + t.g.state_size
    for _ in range(TRIES):
        if t.sampler != NULL:
            if t.g.draw(t.g, t.sampler, masume_next(&t.rng), out, memory if needs_memory(t, s) else NULL) >= 0:
                return FINE
            continue
        memcpy(out, t.root, t.g.state_size + t.g.memory_size)
        if t.g.resample(t.g, t.root, t.root + t.g.state_size if t.g.memory_size else NULL, t.player,
                        masume_next(&t.rng), out, memory if t.g.memory_size else NULL) >= 0:
            return FINE
    return NO_SAMPLE


cdef void back_up(Tree *t, const Settings *s, const Step *path, int32_t depth, const double *values,
                  bint again) noexcept nogil:
    """Credit every bandit of the path with its player's result; `again`: the visits are already counted."""
    cdef int32_t n, k, arm
    cdef Slot *slot
    cdef Arm *chosen
    cdef double value
    for n in range(depth):
        if not again:
            t.nodes[path[n].node].visits += 1
        for k in range(path[n].count):
            slot = &t.slots[t.nodes[path[n].node].slots + k]
            chosen = &t.arms[slot.arms + path[n].arms[k]]
            value = values[slot.player]
            if again:
                chosen.total += value + 1                # take back the assumed loss
            else:
                slot.visits += 1
                chosen.visits += 1
                chosen.total += value
            if s.regret:
                for arm in range(slot.num):
                    t.arms[slot.arms + arm].regret -= value
                chosen.regret += value / path[n].chances[k]


cdef int simulate(Tree *t, const Settings *s, Leaf *leaf) noexcept nogil:
    """Run one simulation; return 0 or a fault. With an evaluator, return WAITS: the leaf has no value yet."""
    cdef int32_t codes[MASUME_MAX_SLOTS]
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef double values[MASUME_MAX_PLAYERS]
    cdef Step *path = t.path if leaf == NULL else leaf.path
    cdef Step *step
    cdef uint32_t node = 0
    cdef uint64_t edge = 0
    cdef int32_t depth = 0, count, k
    cdef bint is_leaf = False, is_new
    cdef uint8_t *memory = t.state + t.g.state_size if needs_memory(t, s) else NULL
    cdef int fault = begin(t, s)
    if fault:
        return fault
    count = t.g.slots(t.g, t.state, players)
    while count:
        if is_of_the_world(t, s, players[0]):
            t.g.policy(t.g, t.state, memory, s.policy - 1, players[0], &t.rng, codes)
        else:
            if depth:
                if t.g.flags & MASUME_IMPERFECT:
                    edge = masume_mix(edge ^ <uint32_t>players[0])
                k = depth - 1
                node = find(t, edge, path[k].node)
                if node == NOWHERE:
                    node = add_node(t, edge, path[k].node)
                    break
            if t.nodes[node].slots == NOWHERE:
                is_leaf = s.evaluates or add_slots(t, node, players, count) != 0
                if not is_leaf and not t.g.flags & MASUME_IMPERFECT:
                    for k in range(count):
                        t.slots[t.nodes[node].slots + k].limit = see_legal(t, t.state, k)
            if is_leaf or depth == MAX_DEPTH or t.nodes[node].count != count:
                break
            step = &path[depth]
            step.node = node
            step.count = count
            is_new = trusts_policy(t, s) and t.slots[t.nodes[node].slots].num == 0
            if is_new:
                policy_codes(t, s.prior, players, count, codes)
            for k in range(count):
                step.chances[k] = 1
                step.arms[k] = root_arm(t, s, t.nodes[0].slots + k, t.state, k) if s.considered and node == 0 else -1
                if step.arms[k] < 0:
                    step.arms[k] = choose(t, s, t.nodes[node].slots + k, t.state, k, codes[k] if is_new else -1,
                                          &step.chances[k])
                if step.arms[k] < 0:
                    is_leaf = True         # full, and no arm is legal here
                    break
                codes[k] = t.arms[t.slots[t.nodes[node].slots + k].arms + step.arms[k]].code
            if is_leaf:
                break
            depth += 1
            edge = t.nodes[node].edge
        if t.g.apply(t.g, t.state, memory, codes) < 0:
            return NO_CODE
        edge = edge_of(t, edge, players, codes, count)
        count = t.g.slots(t.g, t.state, players)
    if count == 0:
        value_of(t, s, True, values)
    elif s.evaluates:
        leaf.node = node
        leaf.depth = depth
        memcpy(leaf.state, t.state, t.g.state_size + t.g.memory_size)
        assume_loss(t, path, depth)
        return WAITS
    else:
        play_out(t, s, values)
    back_up(t, s, path, depth, values, False)
    return FINE


cdef void assume_loss(Tree *t, const Step *path, int32_t depth) noexcept nogil:
    """Count the visits of a waiting simulation as losses of every player, so that other simulations go elsewhere."""
    cdef int32_t n, k
    cdef Slot *slot
    for n in range(depth):
        t.nodes[path[n].node].visits += 1
        for k in range(path[n].count):
            slot = &t.slots[t.nodes[path[n].node].slots + k]
            slot.visits += 1
            t.arms[slot.arms + path[n].arms[k]].visits += 1
            t.arms[slot.arms + path[n].arms[k]].total -= 1


cdef void take_back(Tree *t, const Leaf *leaf) noexcept nogil:
    """Undo a waiting simulation and its assumed loss."""
    cdef int32_t n, k
    cdef const Step *step
    cdef Slot *slot
    for n in range(leaf.depth):
        step = &leaf.path[n]
        t.nodes[step.node].visits -= 1
        for k in range(step.count):
            slot = &t.slots[t.nodes[step.node].slots + k]
            slot.visits -= 1
            t.arms[slot.arms + step.arms[k]].visits -= 1
            t.arms[slot.arms + step.arms[k]].total += 1
    t.simulations -= 1
    t.left += 1


cdef void take_evaluation(Tree *t, const Settings *s, const Leaf *leaf, const float *priors,
                          const float *worth) noexcept nogil:
    """Finish a waiting simulation: give the leaf its hopes, a root also arms, and the path the leaf's value."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef double values[MASUME_MAX_PLAYERS]
    cdef int32_t count = t.g.slots(t.g, leaf.state, players), k
    cdef Slot *slot
    if leaf.node != NOWHERE and t.nodes[leaf.node].slots == NOWHERE and add_slots(t, leaf.node, players, count) == 0:
        for k in range(count):
            slot = &t.slots[t.nodes[leaf.node].slots + k]
            slot.has_priors = True
            take_hopes(t, slot, see_legal(t, leaf.state, k), priors + k * <int64_t>t.g.num_actions)
            if leaf.node == 0 and open_hopes(t, slot) == 0 and s.considered:
                prepare_halving(t, s, slot)
    for k in range(<int32_t>t.g.num_players):
        values[k] = worth[k]
    back_up(t, s, leaf.path, leaf.depth, values, True)


cdef int32_t improve_slot(Tree *t, const Settings *s, int32_t k, const float *logits, double value, int32_t *legal,
                          double *policy) noexcept nogil:
    """Write the improved policy of slot k of the root over its legal codes; return the code that is drawn.

    legal : [num_actions], room for the legal codes.
    """
    cdef int32_t n, drawn = -1, most = 0, best, num_legal = 0
    cdef uint32_t left
    cdef int64_t visited = 0
    cdef double highest, total = 0, known = 0, found = 0, weight, rest
    cdef const Slot *slot = &t.slots[t.nodes[0].slots + k] if t.nodes[0].slots != NOWHERE else NULL
    cdef const Arm *arms = &t.arms[slot.arms] if slot != NULL else NULL
    cdef const Arm *arm
    cdef int32_t num_arms = slot.num if slot != NULL else 0
    see_legal(t, t.root, k)
    for n in range(t.words):
        left = t.legal[n]
        while left:
            legal[num_legal] = 32 * n + bits_first(left)
            num_legal += 1
            left &= left - 1
    highest = logits[legal[0]]
    for n in range(1, num_legal):
        highest = max(highest, logits[legal[n]])
    for n in range(num_legal):
        policy[legal[n]] = exp(logits[legal[n]] - highest)
        total += policy[legal[n]]
    for n in range(num_legal):
        policy[legal[n]] /= total
    for n in range(num_arms):
        most = max(most, arms[n].visits)
    if slot != NULL:
        best = halving_arm(t, s, slot, NULL, most)
        drawn = arms[best].code if best >= 0 else -1
    most = 0
    for n in range(num_arms):
        arm = &arms[n]
        if arm.visits and has(t.legal, arm.code):
            visited += arm.visits
            most = max(most, arm.visits)
            known += policy[arm.code]
            found += policy[arm.code] * (arm.total / arm.visits)
    weight = s.trust * (CALM + most)
    rest = weight * (value + (visited * (found / known) if known > 0 else 0)) / (1 + visited)
    for n in range(num_legal):
        policy[legal[n]] = log(policy[legal[n]] + 1e-12)
    for n in range(num_arms):                     # those not tried are below
        arm = &arms[n]
        if arm.visits and has(t.legal, arm.code):
            policy[arm.code] += weight * (arm.total / arm.visits) - rest
    highest = policy[legal[0]]
    best = 0
    for n in range(1, num_legal):
        if policy[legal[n]] > highest:
            highest = policy[legal[n]]
            best = n
    total = 0
    for n in range(num_legal):
        policy[legal[n]] = exp(policy[legal[n]] - highest)
        total += policy[legal[n]]
    for n in range(num_legal):
        policy[legal[n]] /= total
    return drawn if drawn >= 0 and has(t.legal, drawn) else legal[best]


ctypedef struct Show:              # where the fields of positions are written
    int32_t num_fields
    int32_t field[MASUME_MAX_FIELDS]
    int64_t size[MASUME_MAX_FIELDS]    # bytes of a view
    uint8_t *start[MASUME_MAX_FIELDS]
    int8_t *movers                 # NULL: all players decide at once

cdef void show_states(const masume_game *g, uint8_t *const *states, int64_t count, int32_t views, const Views *form,
                      const Show *show) noexcept nogil:
    """Write the views of positions, each followed by its memory, and who moves in them."""
    cdef void *pointers[MASUME_MAX_FIELDS]
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t view, k
    cdef int64_t n
    cdef uint32_t fields = 0
    for k in range(show.num_fields):
        fields |= <uint32_t>1 << show.field[k]
    for n in range(count):
        if show.movers != NULL:
            g.slots(g, states[n], players)
            show.movers[n] = <int8_t>players[0]
        for view in range(views):
            for k in range(show.num_fields):
                pointers[show.field[k]] = show.start[k] + (n * views + view) * show.size[k]
            observe_view(g, states[n], states[n] + g.state_size if g.memory_size else NULL,
                         view if show.movers == NULL else players[0], fields, form, pointers)


cdef inline bint is_suspect(const float *numbers, int64_t count) noexcept nogil:
    """Return whether some numbers are not finite, or have a sign: infinity and NaN have bits from 0x7F800000 on.

    That is several times faster than comparing floats, which compilers do one by one.
    """
    cdef const uint32_t *bits = <const uint32_t *>numbers
    cdef int64_t n
    cdef uint32_t found = 0
    for n in range(count):
        found |= bits[n] | (bits[n] + <uint32_t>0x00800000)
    return found >> 31


# -- a tree ---------------------------------------------------------------------------------------------

cdef int plant(Tree *t) noexcept nogil:
    """Reset the tree to a single node for t.root."""
    t.num_nodes = t.num_slots = t.num_arms = t.num_hopes = 0
    t.simulations = t.sample_left = 0
    t.is_full = False
    memset(t.index, 0xFF, (t.index_mask + <int64_t>1) * sizeof(uint32_t))
    memcpy(t.state, t.root, t.g.state_size + t.g.memory_size)
    add_node(t, 0, NOWHERE)
    return 0


cdef int replant(Tree *t, uint32_t root) noexcept nogil:
    """Make a node the root and keep only what is below it; return -1 without memory, with the tree unchanged."""
    cdef uint32_t *places = <uint32_t *>malloc(t.num_nodes * sizeof(uint32_t))
    cdef Node *nodes = <Node *>malloc(t.max_nodes * sizeof(Node))
    cdef Slot *slots = <Slot *>malloc(t.max_slots * sizeof(Slot))
    cdef Arm *arms = <Arm *>malloc(t.max_arms * sizeof(Arm))
    cdef Hope *hopes = <Hope *>malloc(t.max_hopes * sizeof(Hope))
    cdef uint32_t node, kept = 0, num_slots = 0, num_arms = 0, num_hopes = 0
    cdef int32_t k
    cdef Slot *slot
    if places == NULL or nodes == NULL or slots == NULL or arms == NULL or hopes == NULL:
        free(places)
        free(nodes)
        free(slots)
        free(arms)
        free(hopes)
        return -1
    for node in range(t.num_nodes):        # parents come before their children
        places[node] = NOWHERE
        if node != root and (t.nodes[node].parent == NOWHERE or places[t.nodes[node].parent] == NOWHERE):
            continue
        places[node] = kept
        nodes[kept] = t.nodes[node]
        nodes[kept].parent = NOWHERE if node == root else places[t.nodes[node].parent]
        if nodes[kept].slots != NOWHERE:
            nodes[kept].slots = num_slots
            for k in range(nodes[kept].count):
                slot = &slots[num_slots]
                slot[0] = t.slots[t.nodes[node].slots + k]
                memcpy(&arms[num_arms], &t.arms[slot.arms], slot.num * sizeof(Arm))
                slot.arms = num_arms
                slot.capacity = slot.num
                num_slots += 1
                num_arms += slot.num
                memcpy(&hopes[num_hopes], &t.hopes[slot.hopes], slot.num_hopes * sizeof(Hope))
                slot.hopes = num_hopes
                num_hopes += slot.num_hopes
        kept += 1
    free(places)
    free(t.nodes)
    free(t.slots)
    free(t.arms)
    free(t.hopes)
    t.nodes, t.slots, t.arms, t.hopes = nodes, slots, arms, hopes
    t.num_nodes, t.num_slots, t.num_arms, t.num_hopes = kept, num_slots, num_arms, num_hopes
    t.simulations = nodes[0].visits
    t.is_full = False
    memset(t.index, 0xFF, (t.index_mask + <int64_t>1) * sizeof(uint32_t))
    for node in range(1, kept):
        enter(t, node)
    for k in range(nodes[0].count if nodes[0].slots != NOWHERE else 0):
        open_hopes(t, &t.slots[t.nodes[0].slots + k])
    return 0


cdef void fell(Tree *t) noexcept:
    free(t.nodes)
    free(t.slots)
    free(t.arms)
    free(t.hopes)
    free(t.index)
    system_free(t.root)
    system_free(t.state)
    system_free(t.sample)
    free(t.sampler)
    free(t.legal)
    free(t.fresh)
    free(t.path)


cdef int sow(Tree *t, const masume_game *g, int64_t limit) except -1:
    """Create a tree without a root; MemoryError if there is no room for it."""
    cdef size_t block = (g.state_size + g.memory_size + 63) // 64 * 64
    t.g = g
    t.limit = limit
    t.max_nodes = t.max_slots = t.max_arms = SMALLEST
    while t.max_arms < g.num_slots * max(g.max_legal, <uint32_t>FEW_ARMS):
        t.max_arms *= 2
    t.max_hopes = t.max_arms
    t.nodes = <Node *>malloc(t.max_nodes * sizeof(Node))
    t.slots = <Slot *>malloc(t.max_slots * sizeof(Slot))
    t.arms = <Arm *>malloc(t.max_arms * sizeof(Arm))
    t.hopes = <Hope *>malloc(t.max_hopes * sizeof(Hope))
    t.root = <uint8_t *>system_alloc(block)
    t.state = <uint8_t *>system_alloc(block)
    t.sample = <uint8_t *>system_alloc(block)
    t.sampler = malloc(g.sampler_size) if g.draw != NULL else NULL
    t.words = (<int32_t>g.num_actions + 31) // 32
    t.legal = <uint32_t *>malloc(t.words * sizeof(uint32_t))
    t.fresh = <uint32_t *>malloc(t.words * sizeof(uint32_t))
    t.room_visits = t.width_visits = -1
    t.path = <Step *>malloc(MAX_DEPTH * sizeof(Step))
    if (t.nodes == NULL or t.slots == NULL or t.arms == NULL or t.hopes == NULL or t.root == NULL or t.state == NULL
            or t.sample == NULL or (g.draw != NULL and t.sampler == NULL) or t.legal == NULL or t.fresh == NULL
            or t.path == NULL or index_again(t, 2 * SMALLEST)):
        raise MemoryError
    if bytes_of(t) > limit:
        raise ConfigError(f"memory_mb: expected at least {bytes_of(t)} bytes for each tree, got {limit}")
    return 0


cdef void work(void *data, int64_t first, int64_t last, int32_t worker) noexcept nogil:
    """Run a slice of the simulations of some trees."""
    cdef Job *job = <Job *>data
    cdef int64_t n
    cdef int32_t k
    cdef Tree *t
    for n in range(first, last):
        t = &job.trees[n]
        for k in range(min(job.slice, t.left)):
            if t.fault or job.deadline and k % CLOCK_EVERY == 0 and k and now_s() > job.deadline:
                break
            t.fault = simulate(t, job.settings, NULL)
            t.simulations += 1
            t.left -= 1


cdef class Forest:
    """Trees for `roots` positions of a game, `threads` for each, searched together and joined at the root.

    game : if it hides anything it needs `resample`. roots, threads : at least 1. limit : bytes per tree.
    settings : exploration (weight of the bounds), wide and widening (a bandit visited n times may have
    wide * n ** widening arms), scale (lead in points that is nearly a win; 0: returns alone), lead_share (of a lead in
    the value of an end), per_sample (simulations that begin with one sample), policy and horizon (of
    playouts), prior (the policy whose choice has half of the prior), regret (regret matching), noise (of its draws).
    leaves : leaves per call of the evaluator, 0 without one. observe : the observation fields that it receives, in this
    form. considered, trust : of sequential halving at the root, which needs an evaluator and one tree for each root.
    """
    cdef readonly Table game
    cdef readonly bint was_interrupted
    cdef Tree *trees
    cdef Leaf *leaves
    cdef uint8_t **states          # of the leaves
    cdef Settings s
    cdef Pool pool
    cdef masume_pace pace
    cdef int32_t num_roots, threads, num_leaves
    cdef tuple observe
    cdef Form form
    cdef int is_busy

    def __cinit__(self, Table game not None, int roots, int threads, int64_t limit, *, double exploration, double wide,
                  double widening, double scale, double lead_share, int per_sample, int policy, int prior,
                  int horizon, bint regret, double noise, int leaves, tuple observe, object crop=None,
                  int considered=0, double trust=0):
        cdef int32_t n
        cdef size_t block = (game.g.state_size + game.g.memory_size + 63) // 64 * 64
        check_whole(game)
        if min(roots, threads) < 1 or threads > 1024 or roots > MAX_TREES // threads or not 0 <= leaves <= MAX_TREES:
            raise ValueError(f"roots, threads, leaves: {roots}, {threads} and {leaves} are too few or too many")
        if per_sample < 1:
            raise ValueError(f"per_sample: expected at least 1, got {per_sample}")
        if not 0 <= policy <= <int64_t>game.g.num_policies:
            raise ValueError(f"policy: expected 0..{game.g.num_policies}, got {policy}")
        if not 0 <= prior <= <int64_t>game.g.num_policies:
            raise ValueError(f"prior: expected 0..{game.g.num_policies}, got {prior}")
        self.form = Form(game, "float32", crop)
        for name in observe:
            if name not in self.form.spec:
                raise ValueError(f"observe: {game.name} has no field {name!r}")
        self.game = game
        self.s = Settings(exploration=exploration, wide=wide, widening=widening, scale=scale,
                          lead_share=lead_share, per_sample=per_sample, policy=policy, prior=prior, horizon=horizon,
                          regret=regret, noise=noise, evaluates=leaves > 0, considered=considered, trust=trust)
        self.num_roots = roots
        self.threads = threads
        self.observe = observe
        self.pool = Pool(threads) if threads > 1 else None
        self.trees = <Tree *>calloc(roots * threads, sizeof(Tree))
        if self.trees == NULL:
            raise MemoryError
        for n in range(roots * threads):
            sow(&self.trees[n], game.g, limit)
        if leaves:
            self.leaves = <Leaf *>calloc(leaves, sizeof(Leaf))
            self.states = <uint8_t **>calloc(leaves, sizeof(uint8_t *))
            if self.leaves == NULL or self.states == NULL:
                raise MemoryError
            self.num_leaves = leaves
            for n in range(leaves):
                self.leaves[n].path = <Step *>malloc(MAX_DEPTH * sizeof(Step))
                self.leaves[n].state = self.states[n] = <uint8_t *>system_alloc(block)
                if self.leaves[n].path == NULL or self.leaves[n].state == NULL:
                    raise MemoryError

    def __dealloc__(self):
        cdef int32_t n
        if self.trees != NULL:
            for n in range(self.num_roots * self.threads):
                fell(&self.trees[n])
        for n in range(self.num_leaves):
            free(self.leaves[n].path)
            system_free(self.leaves[n].state)
        free(self.trees)
        free(self.leaves)
        free(self.states)

    def set_root(self, int place, State state not None, int player, uint64_t seed):
        """Set the position that a root searches for `player`; return the simulations in the kept parts of its trees.

        In games of perfect information the subtree of this position is kept, and the generators continue.
        """
        cdef int32_t n, kept = 0
        cdef uint32_t node, root
        cdef Tree *t
        cdef const masume_game *g = self.game.g
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef uint64_t its
        check_state(state, self.game)
        self.check_place(place)
        if not 0 <= player < <int>g.num_players:
            raise ValueError(f"player: expected 0..{g.num_players - 1}, got {player}")
        if g.slots(g, state.data, players) == 0:
            raise ValueError("state: the game is over")
        its = g.key(g, state.data)
        for n in range(self.threads):
            t = &self.trees[place * self.threads + n]
            root = NOWHERE
            if t.num_nodes and not g.flags & MASUME_IMPERFECT and t.simulations and not self.s.considered:
                for node in range(t.num_nodes):
                    if (t.nodes[node].key == its and t.nodes[node].visits
                            and (root == NOWHERE or t.nodes[node].visits > t.nodes[root].visits)):
                        root = node
            t.player = player
            t.fault = FINE
            memcpy(t.root, state.data, g.state_size)
            if g.memory_size:
                memcpy(t.root + g.state_size, state.memory, g.memory_size)
            if t.sampler != NULL and g.prepare(g, t.root, t.root + g.state_size, player, t.sampler) < 0:
                t.fault = NO_SAMPLE
            if root == NOWHERE or root > 0 and replant(t, root):
                t.rng = masume_stream(seed, n)
                plant(t)
            kept += t.simulations
        return kept

    def run(self, int64_t simulations, double seconds, evaluator=None):
        """Search all roots for a number of simulations each or of seconds (0: no bound); return the seconds taken.

        ValueError for a position without samples, and for a bad answer of the evaluator. Ctrl-C ends the search and
        sets `was_interrupted`; the trees keep what was found until then.
        """
        if evaluator is None and self.num_leaves or evaluator is not None and not self.num_leaves:
            raise ValueError("evaluator: expected one if the search has leaves, and None otherwise")
        if claim(&self.is_busy):
            raise RuntimeError("search: it is running")
        try:
            return self.search(simulations, seconds, evaluator)
        finally:
            release(&self.is_busy)

    cdef double search(self, int64_t simulations, double seconds, object evaluator) except? -1:
        cdef Job job
        cdef int64_t n, count = self.num_roots * self.threads
        cdef int32_t share
        cdef double began = now_s(), glanced, end = began + seconds if seconds else 0
        cdef bint goes_on = True
        self.was_interrupted = False
        self.check_roots()
        for n in range(count):
            share = <int32_t>(n % self.threads)
            self.trees[n].left = 0x7FFFFFFF - self.trees[n].simulations       # a tree counts no further than this
            if simulations:
                self.trees[n].left = <int32_t>min(self.trees[n].left, simulations // self.threads
                                                  + (share < simulations % self.threads))
            self.trees[n].budget = self.trees[n].left
        job.trees = self.trees
        job.settings = &self.s
        job.slice = 1
        try:
            while goes_on:
                glanced = now_s()
                if evaluator is not None:
                    goes_on = self._evaluate(evaluator, end)
                else:
                    job.deadline = min(end, glanced + 4 * GLANCE_S) if end else 0
                    with nogil:
                        if self.pool is None:
                            work(&job, 0, count, 0)
                        else:
                            masume_pool_run(self.pool.p, work, &job, count, &self.pace)
                    goes_on = False
                    for n in range(count):
                        self._raise(&self.trees[n])
                        goes_on = goes_on or self.trees[n].left > 0
                    if now_s() - glanced < GLANCE_S and job.slice < 1 << 20:
                        job.slice *= 2
                if end and now_s() >= end:
                    goes_on = False
                PyErr_CheckSignals()
        except KeyboardInterrupt:
            self.was_interrupted = True
        return now_s() - began

    cdef int check_place(self, int place) except -1:
        """Raise RuntimeError while a search runs, also from its callbacks; ValueError for an invalid root number."""
        if self.is_busy:
            raise RuntimeError("search: it is running")
        if not 0 <= place < self.num_roots:
            raise ValueError(f"place: expected 0..{self.num_roots - 1}, got {place}")
        return 0

    cdef int _raise(self, Tree *t) except -1:
        """Raise the exception of a tree's fault, if it has one."""
        if t.fault == FINE:
            return 0
        if t.fault == NO_SAMPLE:
            raise ValueError(f"state: no sample in {TRIES} tries that player {t.player} cannot tell from the position")
        raise AssertionError(f"{self.game.name}: the table refused a code that it had called legal")

    cdef bint _evaluate(self, object evaluator, double end) except -1:
        """Collect one batch of leaves and let the evaluator value them; return whether there is more to do.

        After `end`, 0: never, no more leaves are collected: near the end of a game most simulations need no evaluator.
        If a call fails, the waiting simulations are taken back and earlier results are kept.
        """
        cdef int32_t n, waiting = 0, count = self.num_roots * self.threads
        cdef int64_t rounds = 0
        cdef int32_t[:] owners = np.zeros(self.num_leaves, np.int32)
        cdef bint got = True, is_first = True
        cdef Tree *t
        try:
            while got and waiting < self.num_leaves:   # in turn, so that all trees grow at the same rate
                got = False
                for n in range(count):
                    t = &self.trees[n]
                    if t.left == 0 or waiting == self.num_leaves:
                        continue
                    if not is_first and t.nodes[0].slots == NOWHERE:
                        continue                       # a root without arms is the leaf of every simulation
                    t.left -= 1
                    t.simulations += 1
                    got = True
                    t.fault = simulate(t, &self.s, &self.leaves[waiting])
                    if t.fault == WAITS:
                        t.fault = FINE
                        owners[waiting] = n
                        waiting += 1
                    self._raise(t)
                is_first = False
                rounds += 1
                if rounds % CLOCK_EVERY == 0:
                    PyErr_CheckSignals()
                    if end and now_s() >= end:
                        break
            if waiting:
                self._ask(evaluator, owners, waiting)
        except BaseException:
            for n in range(waiting):
                take_back(&self.trees[owners[n]], &self.leaves[n])
            raise
        for n in range(count):
            if self.trees[n].left > 0:
                return True
        return False

    cdef tuple look(self, uint8_t *const *states, int64_t count):
        """Return what the evaluator sees of positions: the fields by name, and int8[count], who moves."""
        cdef const masume_game *g = self.game.g
        cdef int32_t views = g.num_players if self.game.is_simultaneous else 1
        cdef Show show
        cdef cnp.ndarray array, movers
        lead = [count, views] if self.game.is_simultaneous else [count]
        arrays = {}
        show.num_fields = 0
        for field, (name, (shape, kind)) in enumerate(self.form.spec.items()):
            if name in self.observe:
                array = arrays[name] = np.empty((*lead, *shape), kind)
                show.field[show.num_fields] = field
                show.size[show.num_fields] = cnp.PyArray_NBYTES(array) // (count * views)
                show.start[show.num_fields] = <uint8_t *>cnp.PyArray_DATA(array)
                show.num_fields += 1
        movers = np.full(count, -1, np.int8)
        show.movers = NULL if self.game.is_simultaneous else <int8_t *>cnp.PyArray_DATA(movers)
        with nogil:
            show_states(g, states, count, views, &self.form.views, &show)
        return {name: arrays[name] for name in self.observe}, movers

    cdef int _ask(self, object evaluator, int32_t[:] owners, int32_t waiting) except -1:
        cdef const masume_game *g = self.game.g
        cdef int32_t n
        cdef cnp.ndarray priors, values
        told = evaluator(*self.look(self.states, waiting))
        try:
            told_priors, told_values = told
        except (TypeError, ValueError):
            raise ValueError(f"evaluator: expected (priors, values), got {told!r}") from None
        priors = check_array("evaluator: priors", told_priors, (waiting, g.num_slots, g.num_actions), True)
        values = check_array("evaluator: values", told_values, (waiting, g.num_players), False)
        with nogil:
            for n in range(waiting):
                take_evaluation(&self.trees[owners[n]], &self.s, &self.leaves[n],
                                <const float *>cnp.PyArray_DATA(priors) + n * <int64_t>g.num_slots * g.num_actions,
                                <const float *>cnp.PyArray_DATA(values) + n * <int64_t>g.num_players)
        return 0

    # -- what a network learns from ----------------------------------------------------------------------

    def observe_roots(self):
        """Return what the evaluator sees of the roots: {field: array[roots, *shape]} and int8[roots], who moves.

        If players decide at once, all views, {field: array[roots, num_players, *shape]}, and -1. ValueError unless all
        roots are set; RuntimeError while a search runs.
        """
        cdef int32_t n
        cdef uint8_t **states = <uint8_t **>malloc(self.num_roots * sizeof(uint8_t *))
        if states == NULL:
            raise MemoryError
        if claim(&self.is_busy):
            free(states)
            raise RuntimeError("search: it is running")
        try:
            self.check_roots()
            for n in range(self.num_roots):
                states[n] = self.trees[n * self.threads].root
            return self.look(states, self.num_roots)
        finally:
            release(&self.is_busy)
            free(states)

    def improve(self, logits, values):
        """Return the code that sequential halving has drawn for each slot, and a policy improved by what was found.

        A code that was tried has the mean result that was found; any other has the mixed value of the position, from
        `values` and what was tried. The improved policy is softmax(logits + trust * (50 + most visits) * value) over
        the legal codes (completed action values, Gumbel AlphaZero). Drawing from it is what adding Gumbel noise and
        taking the best does. Of samples, a code may be legal only in some: those that are not legal in the position do
        not count, and in the place of one that was drawn stands the code with the highest improved probability.

        Parameters
        ----------
        logits : ndarray of float32
            float32[roots, num_slots, num_actions], the policy of each slot, finite.
        values : ndarray of float32
            float32[roots, num_slots], what the slot's player expects, -1..1.

        Returns
        -------
        codes : ndarray of int64
            int64[roots, num_slots]; -1 for a slot that decides nothing.
        policies : ndarray of float64
            float64[roots, num_slots, num_actions], probabilities; -1 where a code is not legal.

        Raises
        ------
        ValueError
            If an array has another shape or is not finite, a root is not set, or the search does not halve.
        RuntimeError
            While a search runs.
        """
        cdef const masume_game *g = self.game.g
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t n, k, count
        cdef int32_t *legal
        cdef int64_t at
        cdef cnp.ndarray given, expected, codes, policies
        if not self.s.considered:
            raise ValueError("improve: expected a search that halves")
        given = check_array("logits", logits, (self.num_roots, g.num_slots, g.num_actions), False)
        expected = check_array("values", values, (self.num_roots, g.num_slots), False)
        codes = np.full((self.num_roots, g.num_slots), -1, np.int64)
        policies = np.full((self.num_roots, g.num_slots, g.num_actions), -1.0)
        legal = <int32_t *>malloc(g.num_actions * sizeof(int32_t))
        if legal == NULL:
            raise MemoryError
        if claim(&self.is_busy):
            free(legal)
            raise RuntimeError("search: it is running")
        try:
            self.check_roots()
            with nogil:
                for n in range(self.num_roots):
                    count = g.slots(g, self.trees[n].root, players)
                    for k in range(count):
                        at = n * <int64_t>g.num_slots + k
                        (<int64_t *>cnp.PyArray_DATA(codes))[at] = improve_slot(
                            &self.trees[n], &self.s, k, <const float *>cnp.PyArray_DATA(given) + at * g.num_actions,
                            (<const float *>cnp.PyArray_DATA(expected))[at], legal,
                            <double *>cnp.PyArray_DATA(policies) + at * g.num_actions)
        finally:
            release(&self.is_busy)
            free(legal)
        return codes, policies

    cdef int check_roots(self) except -1:
        """Raise ValueError unless all roots are set."""
        cdef int64_t n
        for n in range(self.num_roots * self.threads):
            if self.trees[n].num_nodes == 0:
                raise ValueError(f"place: {n // self.threads} has no root")
        return 0

    # -- results ----------------------------------------------------------------------------------------

    def slots(self, int place):
        """Return a dict for each slot of a root: player, drawn, and arrays codes, visits, values (means) and weights.

        weights : proportional to the policy: visits, the average strategy of regret matching, or the priors if only the
        root itself was evaluated. drawn : the code that sequential halving has come to; -1 without it. The trees of a
        root are joined: visits are sums. The list is empty before the first search.
        """
        self.check_place(place)
        cdef const Tree *first = &self.trees[place * self.threads]
        cdef int32_t n, k, codes = <int32_t>self.game.g.num_actions
        cdef int32_t *order
        cdef Sum *sums
        found = []
        for n in range(self.threads):
            if first[n].num_nodes and first[n].nodes[0].slots != NOWHERE:
                break
        else:
            return found
        order = <int32_t *>calloc(codes, sizeof(int32_t))
        sums = <Sum *>malloc(codes * sizeof(Sum))
        try:
            if order == NULL or sums == NULL:
                raise MemoryError
            for k in range(first[n].nodes[0].count):
                found.append(self.join(first, k, first[n].slots[first[n].nodes[0].slots + k].player, order, sums))
        finally:
            free(order)
            free(sums)
        return found

    cdef dict join(self, const Tree *trees, int32_t k, int32_t player, int32_t *order, Sum *sums):
        """Return the joined bandits of slot k of the roots. order : [num_actions], zeros; sums : [num_actions]."""
        cdef int32_t n, arm, code, num_codes = <int32_t>self.game.g.num_actions
        cdef cnp.npy_intp count = 0
        cdef int64_t visited = 0
        cdef const Slot *slot
        cdef const Arm *at
        cdef Sum *sum
        for n in range(self.threads):
            if trees[n].num_nodes == 0 or trees[n].nodes[0].slots == NOWHERE:
                continue
            slot = &trees[n].slots[trees[n].nodes[0].slots + k]
            for arm in range(slot.num):
                at = &trees[n].arms[slot.arms + arm]
                if order[at.code] == 0:
                    sums[count] = Sum(visits=0, total=0, average=0, prior=0)
                    count += 1
                    order[at.code] = <int32_t>count
                sum = &sums[order[at.code] - 1]
                sum.visits += at.visits
                sum.total += at.total
                sum.average += at.average
                sum.prior += at.prior
                visited += at.visits
        codes = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_INT32)
        visits = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_INT64)
        values = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_FLOAT64)
        weights = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_FLOAT64)
        n = 0
        for code in range(num_codes):
            if order[code] == 0:
                continue
            sum = &sums[order[code] - 1]
            order[code] = 0
            (<int32_t *>cnp.PyArray_DATA(codes))[n] = code
            (<int64_t *>cnp.PyArray_DATA(visits))[n] = sum.visits
            (<double *>cnp.PyArray_DATA(values))[n] = sum.total / max(sum.visits, 1)
            (<double *>cnp.PyArray_DATA(weights))[n] = (
                sum.average if self.s.regret else sum.visits if visited else sum.prior)
            n += 1
        drawn = -1
        if self.s.considered:
            slot = &trees[0].slots[trees[0].nodes[0].slots + k]
            arm = halving_arm(trees, &self.s, slot, NULL, np.max(visits, initial=0))
            drawn = trees[0].arms[slot.arms + arm].code if arm >= 0 else -1
        return {"player": player, "drawn": drawn, "codes": codes, "visits": visits, "values": values,
                "weights": weights}

    def sizes(self, int place):
        """Return (simulations, nodes, bytes, whether a tree is full) for a root's trees together."""
        cdef int32_t n
        cdef Tree *t
        self.check_place(place)
        simulations = nodes = size = 0
        is_full = False
        for n in range(self.threads):
            t = &self.trees[place * self.threads + n]
            simulations += t.simulations
            nodes += t.num_nodes
            size += bytes_of(t)
            is_full = is_full or t.is_full
        return simulations, nodes, size, is_full

    def line(self, int place, list first not None):
        """Return the line that the first tree of a root expects after the codes `first`: a list of codes per ply.

        In games of imperfect information the line consists of `first` alone.
        """
        cdef int32_t codes[MASUME_MAX_SLOTS]
        cdef int32_t players[MASUME_MAX_SLOTS]
        self.check_place(place)
        cdef Tree *t = &self.trees[place * self.threads]
        cdef const masume_game *g = self.game.g
        cdef uint32_t node = 0
        cdef int32_t k, arm, best, count
        cdef Slot *slot
        found = [first]
        if g.flags & MASUME_IMPERFECT or t.num_nodes == 0:
            return found
        if len(first) != g.slots(g, t.root, players):
            raise ValueError(f"first: expected one code for each slot, got {first!r}")
        memset(codes, 0, sizeof(codes))
        for k, code in enumerate(tuple(first)):
            codes[k] = code
        memcpy(t.state, t.root, g.state_size)
        while True:
            count = g.slots(g, t.state, players)
            if g.apply(g, t.state, NULL, codes):
                return found
            node = find(t, edge_of(t, t.nodes[node].edge, players, codes, count), node)
            if node == NOWHERE or t.nodes[node].slots == NOWHERE:
                return found
            count = t.nodes[node].count
            for k in range(count):
                slot = &t.slots[t.nodes[node].slots + k]
                best = 0
                for arm in range(1, slot.num):
                    if t.arms[slot.arms + arm].visits > t.arms[slot.arms + best].visits:
                        best = arm
                if slot.num == 0 or t.arms[slot.arms + best].visits == 0:
                    return found
                codes[k] = t.arms[slot.arms + best].code
            found.append([codes[k] for k in range(count)])


cdef object check_array(str name, object told, tuple shape, bint is_positive):
    """Return what a network answers as a contiguous float32 array of this shape; ValueError otherwise.

    All numbers must be finite, and at least 0 if `is_positive`.
    """
    cdef cnp.ndarray array
    try:
        array = np.asarray(told, np.float32, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None
    if is_positive and array.ndim == 2 and shape[1] == 1:
        array = array[:, None]
    if (<object>array).shape != shape:
        raise ValueError(f"{name}: expected float32{list(shape)}, got {list((<object>array).shape)}")
    if not is_suspect(<const float *>cnp.PyArray_DATA(array), cnp.PyArray_SIZE(array)):
        return array
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: not all are finite")
    if is_positive and (<object>array < 0).any():
        raise ValueError(f"{name}: one is negative")
    return array

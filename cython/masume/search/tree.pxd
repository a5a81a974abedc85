# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""MCTS: the nodes, slots and arms of a tree, and the room for them."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset
from masume.core.bits cimport bits_first
from masume.core._game cimport MASUME_IMPERFECT, MASUME_MAX_PLAYERS, MASUME_MAX_SLOTS, masume_game
from masume.core.platform cimport system_alloc, system_free

cdef enum:
    MAX_DEPTH = 256                # plies of a simulation inside the tree
    SMALLEST = 1 << 8              # initial capacity of a tree in nodes, slots and arms; at least the arms of a root
    FEW_ARMS = 4                   # initial capacity of a bandit
    FEW_VISITS = 128               # bonuses are cached for arms with fewer visits
    FEW_OFFERS = 8192              # the parts of a bound are read from tables for arms with fewer offers

cdef extern from *:
    """
    #define NOWHERE UINT32_C(0xFFFFFFFF)
    """
    const uint32_t NOWHERE

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
    double playout_share           # share of a playout in the value of such a leaf
    int32_t considered             # codes of a root's slot that sequential halving begins with; 0: bounds choose
    double trust                   # of values against priors and noise, when it halves
    const double *widths           # [FEW_OFFERS]: sqrt(log(n + 1))
    const double *shrinks          # [FEW_OFFERS]: 1 / sqrt(n)

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
    double played[MASUME_MAX_PLAYERS]   # the values of a playout, 0 without one

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


cdef inline int index_again(Tree *t, uint32_t size) noexcept nogil:
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


cdef inline uint32_t add_node(Tree *t, uint64_t edge, uint32_t parent) noexcept nogil:
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


cdef inline int take_arms(Tree *t, Slot *slot, int32_t capacity) noexcept nogil:
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


cdef inline int add_slots(Tree *t, uint32_t node, const int32_t *players, int32_t count) noexcept nogil:
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


cdef inline int open_arm(Tree *t, Slot *slot, int32_t code) noexcept nogil:
    """Add an arm to a bandit; return -1 if the tree is full."""
    if slot.num == slot.capacity and take_arms(t, slot, 2 * slot.capacity if slot.capacity else FEW_ARMS):
        return -1
    memset(&t.arms[slot.arms + slot.num], 0, sizeof(Arm))
    t.arms[slot.arms + slot.num].code = code
    slot.num += 1
    return 0


cdef inline void take_hopes(Tree *t, Slot *slot, int32_t legal, const float *priors) noexcept nogil:
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
    # make the priors sum to 1; all are equal if the evaluator gives none to legal codes
    hope = &t.hopes[slot.hopes]
    for n in range(legal):
        hope[n].prior = <float>(hope[n].prior / total) if total > 0 else <float>1 / legal
    t.num_hopes += legal


cdef inline int open_hopes(Tree *t, Slot *slot) noexcept nogil:
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


cdef inline int plant(Tree *t) noexcept nogil:
    """Reset the tree to a single node for t.root."""
    t.num_nodes = t.num_slots = t.num_arms = t.num_hopes = 0
    t.simulations = t.sample_left = 0
    t.is_full = False
    memset(t.index, 0xFF, (t.index_mask + <int64_t>1) * sizeof(uint32_t))
    memcpy(t.state, t.root, t.g.state_size + t.g.memory_size)
    add_node(t, 0, NOWHERE)
    return 0


cdef inline int replant(Tree *t, uint32_t root) noexcept nogil:
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
        # copy its bandits, with no room to spare
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
    # the copies replace what the tree had
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
    # a root has arms for all codes
    for k in range(nodes[0].count if nodes[0].slots != NOWHERE else 0):
        open_hopes(t, &t.slots[t.nodes[0].slots + k])
    return 0


cdef inline void fell(Tree *t) noexcept nogil:
    """Free what a tree has."""
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


cdef inline int sow(Tree *t, const masume_game *g, int64_t limit) noexcept nogil:
    """Create a tree without a root; return -1 without memory."""
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
        return -1
    return 0

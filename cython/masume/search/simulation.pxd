# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""MCTS: a simulation, from a copy of the root or a sample to the values that it backs up."""
from libc.math cimport tanh
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from masume.core._game cimport (
    MASUME_IMPERFECT, MASUME_MAX_PLAYERS, MASUME_MAX_SLOTS, MASUME_OPEN_NEWS, masume_mix, masume_next)
from masume.core._playout cimport codes_of, playout
from masume.search.bandits cimport choose, prepare_halving, root_arm, see_legal, trusts_policy
from masume.search.tree cimport *

cdef enum:
    TRIES = 16                     # samples drawn per simulation before the search gives up


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
        # the lead over the best of the others
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


cdef inline void play_out(Tree *t, const Settings *s, double *values) noexcept nogil:
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


cdef inline int begin(Tree *t, const Settings *s) noexcept nogil:
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


cdef inline int take_sample(Tree *t, const Settings *s, uint8_t *out) noexcept nogil:
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


cdef inline void back_up(Tree *t, const Settings *s, const Step *path, int32_t depth, const double *values,
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
            # regrets against an estimate: the chosen arm gives value / chance, the others 0
            if s.regret:
                for arm in range(slot.num):
                    t.arms[slot.arms + arm].regret -= value
                chosen.regret += value / path[n].chances[k]


cdef inline int simulate(Tree *t, const Settings *s, Leaf *leaf) noexcept nogil:
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
    # go down to a new node, one that cannot choose, or the end; codes of the world leave no step on the path
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
            # the first choice here: add bandits; those of an evaluator come with its answer
            if t.nodes[node].slots == NOWHERE:
                is_leaf = s.evaluates or add_slots(t, node, players, count) != 0
                if not is_leaf and not t.g.flags & MASUME_IMPERFECT:
                    for k in range(count):
                        t.slots[t.nodes[node].slots + k].limit = see_legal(t, t.state, k)
            # too deep, or this sample has another number of slots to decide
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
    # the value of the end, of the evaluator, which has yet to answer, or of a playout
    if count == 0:
        value_of(t, s, True, values)
    elif s.evaluates:
        leaf.node = node
        leaf.depth = depth
        memcpy(leaf.state, t.state, t.g.state_size + t.g.memory_size)
        assume_loss(t, path, depth)
        if s.playout_share:
            play_out(t, s, leaf.played)
        return WAITS
    else:
        play_out(t, s, values)
    back_up(t, s, path, depth, values, False)
    return FINE


cdef inline void assume_loss(Tree *t, const Step *path, int32_t depth) noexcept nogil:
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


cdef inline void take_back(Tree *t, const Leaf *leaf) noexcept nogil:
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


cdef inline void take_evaluation(Tree *t, const Settings *s, const Leaf *leaf, const float *priors,
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
        values[k] = (1 - s.playout_share) * worth[k] + s.playout_share * leaf.played[k]
    back_up(t, s, leaf.path, leaf.depth, values, True)

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""MCTS: which arm of a bandit a simulation tries, and the policy that a network learns from a root."""
from libc.math cimport exp, log, pow, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from masume.core.bits cimport bits_first, bits_pick, bits_total
from masume.core._game cimport MASUME_IMPERFECT, masume_below, masume_next
from masume.core._playout cimport mask_bits
from masume.search.tree cimport *

cdef enum:
    CALM = 50                      # visits added to the most visited arm's: with few visits the values still count


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


cdef inline double bound_of(const Settings *s, const Arm *arm) noexcept nogil:
    """Return the bound of an arm that is not always legal: mean + exploration * sqrt(log(offered + 1) / visits)."""
    cdef double width, shrink
    if arm.offered < FEW_OFFERS:           # it was tried at most as often
        width = s.widths[arm.offered]
        shrink = s.shrinks[arm.visits]
    else:
        width = sqrt(log(<double>arm.offered + 1))
        shrink = 1 / sqrt(<double>arm.visits)
    return shrink * (arm.total * shrink + s.exploration * width)


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
        # with priors, an arm that was not tried is expected to give the mean of the others
        if slot.has_priors:
            bound = s.exploration * arm.prior * (root + 1e-3)
            bound = arm.total / arm.visits + bound / (1 + arm.visits) if arm.visits else mean + bound
        elif arm.visits == 0:
            return k
        elif legal != NULL:
            bound = bound_of(s, arm)
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


cdef inline int32_t guided_arm(Tree *t, const Settings *s, Slot *slot, const void *state, int32_t k, int32_t count,
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


cdef inline int32_t root_arm(Tree *t, const Settings *s, uint32_t at, const void *state, int32_t k) noexcept nogil:
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


cdef inline void prepare_halving(Tree *t, const Settings *s, Slot *slot) noexcept nogil:
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


cdef inline int32_t hoped_arm(Tree *t, const Settings *s, Slot *slot, const void *state, int32_t k) noexcept nogil:
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
    # the legal hope with the highest prior; what remains of `fresh` is neither arm nor hope
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


cdef inline int32_t choose(Tree *t, const Settings *s, uint32_t at, const void *state, int32_t k, int32_t first,
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
    # a new code, if no legal one has an arm or widening allows it
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


cdef inline int32_t improve_slot(Tree *t, const Settings *s, int32_t k, const float *logits, double value,
                                 int32_t *legal, double *policy) noexcept nogil:
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
    # the network's policy over the legal codes
    highest = logits[legal[0]]
    for n in range(1, num_legal):
        highest = max(highest, logits[legal[n]])
    for n in range(num_legal):
        policy[legal[n]] = exp(logits[legal[n]] - highest)
        total += policy[legal[n]]
    for n in range(num_legal):
        policy[legal[n]] /= total
    # what halving has come to: the best of the arms with most visits
    for n in range(num_arms):
        most = max(most, arms[n].visits)
    if slot != NULL:
        best = halving_arm(t, s, slot, NULL, most)
        drawn = arms[best].code if best >= 0 else -1
    # what was found: the mean of the codes tried, weighted by the policy
    most = 0
    for n in range(num_arms):
        arm = &arms[n]
        if arm.visits and has(t.legal, arm.code):
            visited += arm.visits
            most = max(most, arm.visits)
            known += policy[arm.code]
            found += policy[arm.code] * (arm.total / arm.visits)
    # the mixed value of the position, which a code that was not tried would have
    weight = s.trust * (CALM + most)
    rest = weight * (value + (visited * (found / known) if known > 0 else 0)) / (1 + visited)
    # to the logits of the codes tried, add what their values exceed the mixed value by
    for n in range(num_legal):
        policy[legal[n]] = log(policy[legal[n]] + 1e-12)
    for n in range(num_arms):                     # those not tried are below
        arm = &arms[n]
        if arm.visits and has(t.legal, arm.code):
            policy[arm.code] += weight * (arm.total / arm.visits) - rest
    # the softmax again, and its best code
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

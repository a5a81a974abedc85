# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""Forest: Monte Carlo tree search over the function table, for any number of players and slots, and hidden information.

A tree stores no states. Each simulation starts with a copy of the root (in games of imperfect information, with a state
sampled from what the searcher knows), plays the codes chosen by the bandits of the nodes on its way, adds one node,
and backs up each player's result. A node has a bandit for each slot that decides there, and each bandit uses only
the result of its own player: UCT with max^n in turn-based games, decoupled UCT or regret matching if players decide
at once. In games of imperfect information a node stands for what the searcher has learned on the way.

Trees are in tree.pxd, the choice of an arm in bandits.pxd, and what happens between root and leaf in simulation.pxd.
"""
cimport numpy as cnp
import numpy as np
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport log, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from masume.core._batch cimport Pool, masume_pace, masume_pool_run
from masume.core._game cimport (
    MASUME_IMPERFECT, MASUME_MAX_FIELDS, MASUME_MAX_SLOTS, Table, check_whole, masume_game, masume_stream)
from masume.core._planes cimport Form, Views, observe_view
from masume.core._state cimport State, check_state
from masume.core.guard cimport guard_methods
from masume.core.platform cimport claim, release, now_s, system_alloc, system_free
from masume.search.bandits cimport halving_arm, improve_slot
from masume.search.simulation cimport TRIES, edge_of, simulate, take_back, take_evaluation
from masume.search.tree cimport *

from masume.core.planes import MASKS
from masume.errors import ConfigError

cnp.import_array()

cdef enum:
    MAX_TREES = 1 << 24
    CLOCK_EVERY = 8                # simulations between two readings of the clock

cdef double GLANCE_S = 0.02        # seconds between two checks for Ctrl-C
cdef double WIDTHS[FEW_OFFERS]     # the parts of a bound, see Settings
cdef double SHRINKS[FEW_OFFERS]
cdef int32_t _n
for _n in range(1, FEW_OFFERS):
    WIDTHS[_n] = sqrt(log(<double>_n + 1))
    SHRINKS[_n] = 1 / sqrt(<double>_n)


cdef struct Job:
    Tree *trees
    const Settings *settings
    int32_t slice
    double deadline                # of this slice; 0: none


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


cdef void show_masks(const masume_game *g, uint8_t *const *states, int64_t count, uint8_t *masks) noexcept nogil:
    """Write the masks of all slots of positions; masks : zeros."""
    cdef int32_t players[MASUME_MAX_SLOTS]
    cdef int32_t slot
    cdef int64_t n
    for n in range(count):
        for slot in range(g.slots(g, states[n], players)):
            g.mask(g, states[n], slot, masks + (n * g.num_slots + slot) * g.num_actions)


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
    form, and MASKS for the legal codes. playout_share : of a playout in the value of such a leaf. considered, trust :
    of sequential halving at the root, which needs leaves and one tree for each root.
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
    cdef int32_t waiting           # leaves that `collect` has shown
    cdef cnp.ndarray owners        # int32[leaves], their trees
    cdef int is_busy

    def __cinit__(self, Table game not None, int roots, int threads, int64_t limit, *, double exploration, double wide,
                  double widening, double scale, double lead_share, int per_sample, int policy, int prior,
                  int horizon, bint regret, double noise, int leaves, tuple observe, object dtype="float32",
                  object crop=None, int considered=0, double trust=0, double playout_share=0):
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
        self.form = Form(game, dtype, crop)
        for name in observe:
            if name not in self.form.spec and name != MASKS:
                raise ValueError(f"observe: {game.name} has no field {name!r}")
        self.game = game
        self.s = Settings(exploration=exploration, wide=wide, widening=widening, scale=scale,
                          lead_share=lead_share, per_sample=per_sample, policy=policy, prior=prior, horizon=horizon,
                          regret=regret, noise=noise, evaluates=leaves > 0, playout_share=playout_share,
                          considered=considered, trust=trust, widths=&WIDTHS[0], shrinks=&SHRINKS[0])
        self.num_roots = roots
        self.threads = threads
        self.observe = observe
        self.pool = Pool(threads) if threads > 1 else None
        self.trees = <Tree *>calloc(roots * threads, sizeof(Tree))
        if self.trees == NULL:
            raise MemoryError
        for n in range(roots * threads):
            if sow(&self.trees[n], game.g, limit):
                raise MemoryError
            if bytes_of(&self.trees[n]) > limit:
                raise ConfigError(f"memory_mb: expected at least {bytes_of(&self.trees[n])} bytes for each tree, "
                                  f"got {limit}")
        self.owners = np.zeros(leaves, np.int32)
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
        if self.waiting:
            raise RuntimeError("set_root: leaves wait for their answers")
        its = g.key(g, state.data)
        for n in range(self.threads):
            t = &self.trees[place * self.threads + n]
            root = NOWHERE
            # the most visited node of this position, if the tree may be used again
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
            # keep what is below it; without it, or without memory, begin anew
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
        # slices double until one takes GLANCE_S, so that Ctrl-C is noticed soon at little cost
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
        cdef uint8_t *masks = NULL
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
        if MASKS in self.observe:
            array = arrays[MASKS] = np.zeros((count, g.num_slots, g.num_actions), np.uint8)
            masks = <uint8_t *>cnp.PyArray_DATA(array)
        with nogil:
            show_states(g, states, count, views, &self.form.views, &show)
            if masks != NULL:
                show_masks(g, states, count, masks)
        return {name: arrays[name] for name in self.observe}, movers

    cdef int _ask(self, object evaluator, int32_t[:] owners, int32_t waiting) except -1:
        told = evaluator(*self.look(self.states, waiting))
        try:
            told_priors, told_values = told
        except (TypeError, ValueError):
            raise ValueError(f"evaluator: expected (priors, values), got {told!r}") from None
        return self.take("evaluator: ", told_priors, told_values, owners, waiting)

    cdef int take(self, str where, object told_priors, object told_values, int32_t[:] owners,
                  int32_t waiting) except -1:
        """Back up what an evaluator answers about the first `waiting` leaves; ValueError for other shapes."""
        cdef const masume_game *g = self.game.g
        cdef int32_t n
        cdef cnp.ndarray priors, values
        priors = check_array(f"{where}priors", told_priors, (waiting, g.num_slots, g.num_actions), True)
        values = check_array(f"{where}values", told_values, (waiting, g.num_players), False)
        with nogil:
            for n in range(waiting):
                take_evaluation(&self.trees[owners[n]], &self.s, &self.leaves[n],
                                <const float *>cnp.PyArray_DATA(priors) + n * <int64_t>g.num_slots * g.num_actions,
                                <const float *>cnp.PyArray_DATA(values) + n * <int64_t>g.num_players)
        return 0

    # -- leaves out, answers in -----------------------------------------------------------------------------

    def grant(self, int place, int64_t simulations):
        """Let `collect` give a root's tree so many simulations more."""
        cdef Tree *t
        self.check_place(place)
        t = &self.trees[place]
        t.left = t.budget = <int32_t>min(0x7FFFFFFF - t.simulations, simulations)

    def collect(self):
        """Simulate until a leaf of each tree waits for an answer or its simulations are used up.

        Each place has one tree. Return what the evaluator sees of the leaves, as `observe_roots` does, and
        int32[leaves], their places; None if no leaf waits. ValueError for a position without samples and unless all
        roots are set; RuntimeError while a search runs or leaves wait for their answers.
        """
        cdef int32_t n
        cdef Tree *t
        cdef int32_t[:] owners = self.owners
        if claim(&self.is_busy):
            raise RuntimeError("collect: the forest is used in another thread")
        try:
            if self.waiting:
                raise RuntimeError(f"collect: {self.waiting} leaves wait for their answers")
            self.check_roots()
            with nogil:
                for n in range(self.num_roots):
                    t = &self.trees[n]
                    while t.left > 0 and t.fault == FINE:
                        t.left -= 1
                        t.simulations += 1
                        t.fault = simulate(t, &self.s, &self.leaves[self.waiting])
                    if t.fault == WAITS:
                        t.fault = FINE
                        owners[self.waiting] = n
                        self.waiting += 1
            try:
                for n in range(self.num_roots):
                    self._raise(&self.trees[n])
                if self.waiting == 0:
                    return None
                return (*self.look(self.states, self.waiting), self.owners[:self.waiting].copy())
            except BaseException:
                for n in range(self.waiting):
                    take_back(&self.trees[owners[n]], &self.leaves[n])
                self.waiting = 0
                raise
        finally:
            release(&self.is_busy)

    def answer(self, priors, values):
        """Back up the answers about the leaves that `collect` has returned.

        priors : float32[leaves, num_slots, num_actions]. values : float32[leaves, num_players]. ValueError for another
        shape or bad numbers, after which the leaves go on waiting; RuntimeError if none wait.
        """
        if claim(&self.is_busy):
            raise RuntimeError("answer: the forest is used in another thread")
        try:
            if self.waiting == 0:
                raise RuntimeError("answer: no leaves wait for an answer")
            self.take("", priors, values, self.owners, self.waiting)
            self.waiting = 0
        finally:
            release(&self.is_busy)

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
                raise ValueError(f"tree {n // self.threads} has no root")
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
        # add up the arms of all trees by code; order[code] is the number of its sum, from 1
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
        # write the sums in the order of codes, and leave `order` zero for the next slot
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
        # play the codes, find the node that they lead to, and take the arm with most visits in each slot
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
    if not cnp.PyArray_ISALIGNED(array):       # asarray takes it as it is
        array = array.copy()
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


guard_methods(globals())

# cython: language_level=3, cdivision=True
"""Terraforming: checks of the bytes of a position, which may hold any values. [section 3.2]"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy, memset
from masume.core._game cimport masume_game
from masume.terraforming.rules cimport derive
from masume.terraforming.state cimport *

cdef enum:
    MAX_ROBOTS = 1 << 24           # total of a position from outside
    MAX_BONUS = 40                 # bonus of a town


cdef inline bint is_bonus(const Params *k, int32_t building, int32_t bonus) noexcept nogil:
    """Return whether a base may have these extra points."""
    if building == PUBLIC:
        return bonus == PUBLIC_BONUS
    return 0 <= bonus <= (MAX_BONUS if building == PLAZA and k.contest else 0)


cdef inline const char *fault_of_cell(const Params *k, const void *state, int32_t cell) noexcept nogil:
    """Return a value out of range or a broken invariant of a cell, or NULL. [section 3.2]"""
    cdef const Header *header = header_of(state)
    cdef uint8_t land = land_of(k, state)[cell]
    cdef int32_t robots = robots_of(k, state)[cell], moved = moved_of(k, state)[cell], building = land & BUILDING
    if land >= NUM_LANDS or building > FACTORY + k.kinds - 1 or (building and (land & HOLE or owner_of(land) < 0)):
        return "hole, building: on a hole, of nobody, or none of the ruleset's"
    if robots < 0 or (robots > 0 and owner_of(land) < 0):
        return "robots: fewer than none, or nobody's"
    if not 0 <= moved <= robots or (moved > 0 and (owner_of(land) != header.player or header.finished)):
        return "moved: more than the robots, or not of the player to move"
    if building and not is_bonus(k, building, worth_of(k, state)[cell]):
        return "bonus: the building has another"
    return NULL


cdef inline const char *fault_of_counts(const Params *k, const void *state) noexcept nogil:
    """Return an error if there are too many robots for int32, or a map is not one, else NULL. [section 4.3]

    Robots doubled by shields, of players who are not to move, are counted as they will be after the halving.
    """
    cdef const Header *header = header_of(state)
    cdef const uint8_t *land = land_of(k, state)
    cdef int64_t total = 0
    cdef int32_t cell, owner, i, shields, homes = 0
    for cell in range(k.cells):
        owner = owner_of(land[cell])
        if owner < 0:
            continue
        shields = 0
        if owner != header.player or header.finished:
            for i in range(1, k.within[cell][1]):
                shields += land[k.near[cell][i]] == SHIELD | owned_by(owner)
        total += robots_of(k, state)[cell] >> shields
        if header.ply == 0:
            if land[cell] & BUILDING != HOME or robots_of(k, state)[cell] or homes >> owner & 1:
                return "owner: a map has one home of each player, without robots, and nothing else is owned"
            homes |= 1 << owner
    if header.ply == 0 and homes != 7:
        return "building: a map has one home of each player"
    if total > MAX_ROBOTS + (header.ply + 2) // 3 * HOME_MAKES * k.cells:
        return "robots: too many"
    return NULL


cdef inline const char *check(const masume_game *g, const void *state, const void *memory) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef const Header *header = header_of(state)
    cdef uint64_t derived[MAX_STATE_WORDS]
    cdef const char *fault
    cdef int32_t cell
    if not (0 <= header.ply <= k.last_ply and header.phase <= PRE and header.finished <= 1):
        return "ply, phase, finished: out of range"
    if (header.ply == 0) != (header.phase == PRE) or (header.finished and header.phase != CHOOSE):
        return "phase: not that of the ply, or of the end"
    if header.player != max(0, header.ply - (0 if header.finished else 1)) % NUM_PLAYERS:
        return "player: not that of the ply"
    for cell in range(k.cells):
        fault = fault_of_cell(k, state, cell)
        if fault != NULL:
            return fault
    fault = fault_of_counts(k, state)
    if fault != NULL:
        return fault
    memset(derived, 0, k.state_size)
    memcpy(derived, state, sizeof(Header))
    (<Header *>derived).specials = 0
    memcpy(robots_of(k, derived), robots_of(k, state), 2 * k.cells * sizeof(int32_t))
    memcpy(land_of(k, derived), land_of(k, state), 2 * k.cells)
    derive(k, derived)
    if memcmp(derived, state, k.state_size) != 0:
        return "scores, material, sets, moves: not what follows from the rest"
    return NULL

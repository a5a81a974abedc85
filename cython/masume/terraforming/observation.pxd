# cython: language_level=3, cdivision=True
"""Terraforming: what a player sees, as planes and scalars. [section 9]"""
from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from masume.core._wide cimport WIDE_TAIL, wide_match
from masume.terraforming.state cimport *

cdef enum:
    NUM_PLANES = 24
    NUM_SCALARS = 12

cdef enum:                         # of views
    MAX_PLACES = 441               # of the square grid
    ON_BOARD = 128
    IS_BASE_AT = 8
    IS_BASE = 256
    OWNER_BITS = 96                # of a `land`

cdef struct Sight:                 # what the planes of a view are made of, a place after the other
    uint32_t lands[MAX_PLACES + WIDE_TAIL]       # where there is a cell its land, ON_BOARD, IS_BASE; 0 elsewhere
    float robots[MAX_PLACES + WIDE_TAIL]
    float movable[MAX_PLACES + WIDE_TAIL]        # robots that have not moved
    float worth[MAX_PLACES + WIDE_TAIL]
    float sums[MAX_PLACES + WIDE_TAIL]           # of the viewer's land: Material, the neighbours' too


cdef inline void look(const Params *k, const void *state, int32_t viewer, Sight *seen) noexcept nogil:
    """A view whose places are the cells."""
    cdef const uint8_t *land = land_of(k, state)
    cdef const uint8_t *worth = worth_of(k, state)
    cdef const int32_t *robots = robots_of(k, state)
    cdef const int32_t *moved = moved_of(k, state)
    cdef uint8_t own_worth[MAX_CELLS]
    cdef uint8_t mine = owned_by(viewer)
    cdef uint64_t bits
    cdef int32_t cell, word, d, sum
    for cell in range(k.cells):
        seen.lands[cell] = land[cell] | ON_BOARD | <uint32_t>((land[cell] & BUILDING) != 0) << IS_BASE_AT
        seen.robots[cell] = <float>robots[cell]
        seen.movable[cell] = <float>(robots[cell] - moved[cell])
        seen.worth[cell] = <float>worth[cell]
        own_worth[cell] = worth[cell] & -<int32_t>(land[cell] == mine)
    for word in range(k.words):
        bits = set_of(k, state, OWNED + viewer)[word]
        while bits:
            cell = next_of(&bits, word)
            sum = own_worth[cell] * k.self_share[cell]
            for d in range(NUM_DIRECTIONS):
                sum += own_worth[k.step[cell][d]]
            seen.sums[cell] = <float>sum


cdef inline void arrange(const Sight *seen, const int16_t *shown, int32_t cells, int32_t size,
                         Sight *out) noexcept nogil:
    """The same view on `size` places, cell c being at place shown[c]."""
    cdef int32_t cell, place
    memset(out.lands, 0, size * sizeof(uint32_t))
    for cell in range(cells):
        place = shown[cell]
        out.lands[place] = seen.lands[cell]
        out.robots[place] = seen.robots[cell]
        out.movable[place] = seen.movable[cell]
        out.worth[place] = seen.worth[cell]
        out.sums[place] = seen.sums[cell]


cdef inline void match(wide_match *plane, uint32_t mask, uint32_t value, const float *values) noexcept nogil:
    plane.mask = mask
    plane.value = value
    plane.values = values


cdef inline void count_devices(const Params *k, const void *state, int32_t viewer, const int16_t *shown,
                               float *shields, float *towers) noexcept nogil:
    """Into planes of zeros: how many shields of its owner each cell has around it, how many towers of the viewer's."""
    cdef const uint8_t *land = land_of(k, state)
    cdef uint64_t bits, rest
    cdef int32_t word, cell, i, building
    for word in range(k.words):
        bits = set_of(k, state, DEVICES)[word]
        while bits:
            cell = next_of(&bits, word)
            building = land[cell] & BUILDING
            if building == SHIELD:
                for i in range(1, k.within[cell][1]):
                    if owner_of(land[k.near[cell][i]]) == owner_of(land[cell]):
                        shields[shown[k.near[cell][i]]] += 1
            elif building == TOWER and owner_of(land[cell]) == viewer:
                for i in range(k.words):
                    rest = k.reach[cell * k.words + i]
                    while rest:
                        towers[shown[next_of(&rest, i)]] += 1


cdef inline void observe_planes(const Params *k, const void *state, int32_t viewer, const Sight *seen,
                                const int16_t *shown, int32_t size, float *out) noexcept nogil:
    """The planes of what `look` has seen, of `size` places each; cell c is at place shown[c]."""
    cdef Sight arranged
    cdef wide_match planes[NUM_PLANES]
    cdef uint32_t whose = ON_BOARD | OWNER_BITS
    cdef int32_t i
    if shown != k.flat[0]:
        arrange(seen, shown, k.cells, size, &arranged)
        seen = &arranged
    for i in range(NUM_PLAYERS):
        match(&planes[i], whose, ON_BOARD | owned_by((viewer + i) % NUM_PLAYERS), NULL)
        match(&planes[14 + i], whose, planes[i].value, seen.robots)
    match(&planes[3], whose, ON_BOARD, NULL)
    match(&planes[4], HOLE, HOLE, NULL)
    for i in range(HOME, NUM_BUILDINGS):
        match(&planes[4 + i], BUILDING, i, NULL)
    match(&planes[17], whose | HOLE, ON_BOARD | owned_by(header_of(state).player), seen.movable)
    match(&planes[18], ON_BOARD | IS_BASE, ON_BOARD, seen.worth)
    match(&planes[19], whose | IS_BASE, ON_BOARD | owned_by(viewer), seen.sums)
    match(&planes[20], IS_BASE, IS_BASE, seen.worth)
    match(&planes[21], 0, 1, NULL)                       # nowhere
    match(&planes[22], 0, 1, NULL)
    match(&planes[23], ON_BOARD, ON_BOARD, NULL)
    k.level.matches(size, seen.lands, NUM_PLANES, planes, out)
    count_devices(k, state, viewer, shown, out + 21 * size, out + 22 * size)


cdef inline void observe_scalars(const Params *k, const void *state, int32_t viewer, float *out) noexcept nogil:
    """The share of rounds begun, the phase of three, scores, the seat, whose turn it is, the limit."""
    cdef const Header *header = header_of(state)
    cdef int32_t n
    out[0] = <float>(<double>((header.ply + 2) // 3) / (k.last_ply // NUM_PLAYERS))
    for n in range(3):
        out[1 + n] = header.phase == n
        out[4 + n] = header.scores[(viewer + n) % NUM_PLAYERS]
        out[7 + n] = viewer == n
    out[10] = <float>((header.player + NUM_PLAYERS - viewer) % NUM_PLAYERS)
    out[11] = <float>k.score_limit

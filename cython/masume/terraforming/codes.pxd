# cython: language_level=3, cdivision=True
"""Terraforming: RL codes and exact codes: conversion, legality and a random choice. [section 6]"""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from masume.core._game cimport MASUME_ILLEGAL, masume_below, masume_game
from masume.terraforming.rules cimport build, end_turn, move
from masume.terraforming.state cimport *

cdef enum:
    AMOUNT_AT = 16                 # exact code = index + 65536 * amount

cdef enum:                         # rule that forbids an action, an index into FAULTS
    LEGAL
    NO_ACTION
    NOT_BEGUN
    IS_FINISHED
    M1
    M2
    M3
    M4
    M5
    M6
    M7
    B1
    B4
    B5
    B6
    B7
    B8


# -- RL codes [section 6.4] -----------------------------------------------------------------------------

cdef inline bint is_playing(const void *state) noexcept nogil:
    """Return whether a player is to move."""
    return header_of(state).phase != PRE and not header_of(state).finished


cdef inline void play_move(const Params *k, void *state, uint32_t place) noexcept nogil:
    """Play the legal move of RL code place + 1."""
    cdef uint32_t cell = place // CELL_CODES, rest = place % CELL_CODES
    move(k, state, cell, rest // NUM_BUCKETS,
         amount_of(robots_of(k, state)[cell] - moved_of(k, state)[cell], rest % NUM_BUCKETS))


cdef inline int32_t play(const Params *k, void *state, int32_t code) noexcept nogil:
    """Play an RL code; return 0, MASUME_TERMINAL, or -1 for an illegal code, with nothing changed.

    The game must be running.
    """
    cdef const Header *header = header_of(state)
    cdef uint32_t place = <uint32_t>code - 1, cell, rest
    if code == 0:
        return end_turn(k, state)
    if place < <uint32_t>(k.first_build - 1):
        cell = place // CELL_CODES                       # not ready if M1, M4, M5 or M6 forbid every move
        if not (sets_of(state)[cell >> 6].ready >> (cell & 63)
                & k.spread[moves_of(k, state)[cell]] >> place % CELL_CODES & 1):
            return -1
        play_move(k, state, place)
        return 0
    if place >= <uint32_t>(k.actions - 1):
        return -1
    cell = (<uint32_t>code - k.first_build) // <uint32_t>k.kinds
    rest = (<uint32_t>code - k.first_build) % <uint32_t>k.kinds
    if (header.phase != CHOOSE or owner_of(land_of(k, state)[cell]) != header.player
            or not builds_of(k, state, cell) >> rest & 1):
        return -1
    build(k, state, cell, FACTORY + rest)
    return 0


cdef inline void play_legal(const Params *k, void *state, int32_t code) noexcept nogil:
    """Play an RL code that is known to be legal."""
    if code == 0:
        end_turn(k, state)
    elif code < k.first_build:
        play_move(k, state, code - 1)
    else:
        build(k, state, (code - k.first_build) // k.kinds, FACTORY + (code - k.first_build) % k.kinds)


cdef inline int32_t move_code(const Params *k, const void *state, int32_t left) noexcept nogil:
    """Return the RL code of the move that has `left` moves before it."""
    cdef const Sets *sets = sets_of(state)
    cdef const uint8_t *moves = moves_of(k, state)
    cdef uint64_t bits
    cdef int32_t word, cell, weight
    for word in range(k.words):
        bits = sets[word].ready
        while bits:
            cell = next_of(&bits, word)
            weight = k.weight[moves[cell]]
            if left < weight:
                return 1 + CELL_CODES * cell + k.places[moves[cell]][left]
            left -= weight
    return 0


cdef inline int32_t pick(const Params *k, const void *state, uint64_t *rng) noexcept nogil:
    """Return a uniformly random legal RL code, with exactly one draw; the game must be running."""
    cdef const Header *header = header_of(state)
    cdef const Sets *sets = sets_of(state)
    cdef int16_t sites[MAX_CELLS]
    cdef uint8_t builds[MAX_CELLS]
    cdef uint64_t bits
    cdef int32_t word, cell, left, count = 0, total = 1 + header.num_moves, site = 0
    if header.phase == CHOOSE:
        for word in range(k.words):
            bits = sets[word].owned[header.player] & sets[word].manned
            while bits:
                cell = next_of(&bits, word)
                builds[count] = <uint8_t>builds_of(k, state, cell)
                sites[count] = <int16_t>cell
                total += k.ones[builds[count]]
                count += builds[count] != 0
    left = <int32_t>masume_below(rng, total) - 1
    if left < 0:
        return 0
    if left < header.num_moves:
        return move_code(k, state, left)
    left -= header.num_moves
    while left >= k.ones[builds[site]]:                  # ends: the chosen build has `left` builds before it
        left -= k.ones[builds[site]]
        site += 1
    return k.first_build + k.kinds * sites[site] + k.nth[builds[site]][left]


# -- exact codes [section 6] ----------------------------------------------------------------------------

cdef inline int64_t decode(const masume_game *g, const void *state, int32_t code) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef uint32_t place = <uint32_t>code - 1, index = place // NUM_BUCKETS, cell
    cdef int32_t movable
    if place >= <uint32_t>(k.first_build - 1):
        if code == 0:
            return 0
        return code - 18 * k.cells if 0 < code < k.actions else -1       # RL codes have 18 more moves per cell
    cell = place // CELL_CODES
    movable = robots_of(k, state)[cell] - moved_of(k, state)[cell]
    if movable <= 1 << place % NUM_BUCKETS >> 1:
        return -1
    return 1 + index + (<int64_t>amount_of(movable, place % NUM_BUCKETS) << AMOUNT_AT)


cdef inline int32_t encode(const masume_game *g, const void *state, int64_t action) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef int64_t amount = action >> AMOUNT_AT
    cdef int32_t index = <int32_t>(action & (1 << AMOUNT_AT) - 1), cell, movable, bucket
    if action < 0:
        return -1
    if index == 0 or index > NUM_DIRECTIONS * k.cells:
        index += 18 * k.cells if index else 0
        return index if amount == 0 and index < k.actions else -1
    cell = (index - 1) // NUM_DIRECTIONS
    movable = robots_of(k, state)[cell] - moved_of(k, state)[cell]
    if movable == 0:
        return -1
    for bucket in range((make_moves(1, movable) >> OFFERED_AT) + 1):
        if amount == amount_of(movable, bucket):
            return 1 + NUM_BUCKETS * (index - 1) + bucket
    return -1


cdef inline int32_t fault_of_move(const Params *k, const void *state, int32_t cell, int32_t direction,
                                  int64_t amount) noexcept nogil:
    """Return the first of M1 to M7 that forbids a move, or LEGAL."""
    cdef const Header *header = header_of(state)
    cdef const uint8_t *land = land_of(k, state)
    if header.phase != CHOOSE and header.phase != MOVE:                      # TF-30, TF-R25
        return M1
    if amount < 1:                                                           # TF-R22
        return M2
    if not k.on_board[cell] >> direction & 1:
        return M3
    if land[cell] & HOLE:                                                    # TF-10, TF-41
        return M4
    if owner_of(land[cell]) != header.player:
        return M5
    if amount > robots_of(k, state)[cell] - moved_of(k, state)[cell]:        # TF-35, TF-R20
        return M6
    if not k.enterable[header.player][land[k.step[cell][direction]]]:        # TF-9, TF-36
        return M7
    return LEGAL


cdef inline int32_t fault_of_build(const Params *k, const void *state, int32_t cell, int32_t building) noexcept nogil:
    """Return the first of B1 to B8 that forbids a build, or LEGAL; no code can break B2 or B3."""
    cdef const Header *header = header_of(state)
    cdef uint8_t land = land_of(k, state)[cell]
    if header.phase != CHOOSE:                                               # TF-30, TF-R25
        return B1
    if owner_of(land) != header.player:                                      # TF-13
        return B4
    if land & BUILDING:                                                      # TF-15
        return B5
    if (land & HOLE != 0) != (building == BRIDGE):                           # TF-12, TF-16, TF-48
        return B6
    if robots_of(k, state)[cell] < k.least[building]:                        # TF-44
        return B7
    if material_sum(k, state, cell, header.player) < k.recipe[building]:     # TF-45
        return B8
    return LEGAL


cdef inline int32_t fault_of(const Params *k, const void *state, int64_t action) noexcept nogil:
    """Return the rule that forbids an exact code, or LEGAL."""
    cdef int64_t amount = action >> AMOUNT_AT
    cdef int32_t index = <int32_t>(action & (1 << AMOUNT_AT) - 1), moves = NUM_DIRECTIONS * k.cells
    if action < 0 or index > moves + k.kinds * k.cells or (amount > 0 and not 1 <= index <= moves):
        return NO_ACTION
    if header_of(state).phase == PRE:
        return NOT_BEGUN
    if header_of(state).finished:
        return IS_FINISHED
    if index == 0:                                                           # TF-32
        return LEGAL
    if index <= moves:
        return fault_of_move(k, state, (index - 1) // NUM_DIRECTIONS, (index - 1) % NUM_DIRECTIONS, amount)
    index -= 1 + moves
    return fault_of_build(k, state, index // k.kinds, FACTORY + index % k.kinds)


cdef inline int32_t apply_action(const masume_game *g, void *state, void *memory, int64_t action) noexcept nogil:
    cdef const Params *k = params_of(g)
    cdef int32_t index = <int32_t>(action & (1 << AMOUNT_AT) - 1), moves = NUM_DIRECTIONS * k.cells
    if fault_of(k, state, action) != LEGAL:
        return MASUME_ILLEGAL(0)
    if index == 0:
        return end_turn(k, state)
    if index <= moves:
        move(k, state, (index - 1) // NUM_DIRECTIONS, (index - 1) % NUM_DIRECTIONS, <int32_t>(action >> AMOUNT_AT))
    else:
        index -= 1 + moves
        build(k, state, index // k.kinds, FACTORY + index % k.kinds)
    return 0

# cython: language_level=3, cdivision=True
"""Battleship: observations, the arrays that a player receives of a position [section 9.3]."""
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy, memset
from masume.battleship.knowledge cimport Memory, Notice, notices_of, suspects_of
from masume.battleship.state cimport *
from masume.core._game cimport masume_plane

cdef enum:
    NUM_PLANES = 26
    NUM_GLOBALS = 5                # scalars before the scalars of players
    PER_SHIP = 8                   # scalars per ship
    SET_BYTES = 16                 # of a cells_t


cdef inline int32_t player_from(const Params *k, const Board *b, int32_t player, int32_t r) noexcept nogil:
    """Return the player r places after this one in turn order; in setup, by number."""
    cdef int32_t place = 0
    if b.phase == SETUP:
        return (player + r) % k.players
    while b.order[place] != player:
        place += 1
    return b.order[(place + r) % k.players]


ctypedef fused value_t:
    float
    uint8_t


cdef inline void draw_cells(value_t *plane, const Params *k, cells_t cells) noexcept nogil:
    """Write 1 on these panels, and 0 on the others and on up to seven values after the plane."""
    if value_t is float:
        plane_draw(plane, min(k.panels, 64), cells_low(cells))
        if k.panels > 64:
            plane_draw(plane + 64, k.panels - 64, cells_low(cells_down(cells, 64)))
    else:
        plane_draw_bytes(plane, min(k.panels, 64), cells_low(cells))
        if k.panels > 64:
            plane_draw_bytes(plane + 64, k.panels - 64, cells_low(cells_down(cells, 64)))


cdef inline value_t level_of(const masume_plane *plane, const uint8_t *first, float value,
                             const value_t *unused) noexcept nogil:
    """Return the value, or the byte of the first level that is not below it.

    first[n] : the byte of the first level that is not below (n - 1/2) / 255.
    """
    cdef int32_t byte
    if value_t is float:
        return value
    else:
        byte = first[min(255, <int32_t>(value * 255))]
        while byte < 255 and plane.levels[byte] < value:
            byte += 1
        return <uint8_t>byte


cdef inline void observe_planes(const Params *k, const Board *b, const Memory *memory, int32_t player,
                                const masume_plane *kinds, value_t *out) noexcept nogil:
    """Write the planes, as floats or bytes."""
    cdef int32_t size = k.panels, slot, i, q, cls, t, r, n
    cdef cells_t known = known_of(k, b, player), sea = known, swept
    cdef const uint8_t *mine = mines_of(k, b, player)
    cdef bint placed
    cdef uint8_t flags
    memset(out, 0, 9 * size * sizeof(out[0]))
    for t in range(REEF, NUM_TERRAINS):            # upwards: each plane spills into the next one
        sea &= ~land_of(k, b, t)
    draw_cells(out + 9 * size, k, sea)
    for t in range(REEF, NUM_TERRAINS):
        draw_cells(out + (9 + t) * size, k, known & land_of(k, b, t))
    draw_cells(out + 14 * size, k, k.all_panels & ~known)
    memset(out + 15 * size, 0, (NUM_PLANES - 15) * size * sizeof(out[0]))
    if memory.laid[player]:
        for q in range(size):
            if value_t is float:
                out[15 * size + q] = <float>0.25 * mine[q]
            else:
                out[15 * size + q] = mine[q]
    for slot in range(k.sizes[player]):
        i = player * k.ships + slot
        q = pos_of(k, b)[i]
        placed = b.phase == SETUP and q >= 0
        if not placed and hp_of(k, b)[i] == 0:
            continue
        cls = cls_of(k, b)[i]
        flags = <uint8_t>flags_at(k, b, player, slot)
        out[cls * size + q] = 1
        out[4 * size + q] = level_of(&kinds[4], k.first_level[0],
                                     1 if placed else <float>hp_of(k, b)[i] / k.hp[cls], out)
        if k.has_fuel:
            out[5 * size + q] = level_of(&kinds[5], k.first_level[1],
                                         1 if placed else <float>fp_of(k, b)[i] / k.max_fp[cls], out)
        i = k.aux[cls] if placed else aux_of(k, b)[i]
        if value_t is float:
            out[6 * size + q] = <float>i / 9
        else:
            out[6 * size + q] = <uint8_t>i
        out[7 * size + q] = flags & STEALTH != 0
        out[8 * size + q] = flags & FLAGSHIP != 0
        out[18 * size + q] = flags & FUELOUT != 0
        out[19 * size + q] = flags & SURF != 0
    for n in range(torp_n_of(k, b)[player]):
        out[16 * size + torp_pos_of(k, b, player)[n]] = 1
        out[17 * size + torp_tgt_of(k, b, player)[n]] = 1
    for r in range(1, k.players):
        q = memory.last_attack[player_from(k, b, player, r)]
        if q >= 0:
            out[(19 + r) * size + q] = 1
    q = memory.last_attack[player]
    if q >= 0:
        out[(23 if memory.is_hit[player] else 24) * size + q] = 1
    swept = cells_load(memory.swept)
    while swept:
        out[25 * size + cells_first(swept)] = 1
        swept &= swept - 1


cdef inline uint8_t *put_sets(const cells_t *sets, int32_t count, int32_t size, uint8_t *out) noexcept nogil:
    """Write sets in `size` bytes each and return the end; up to 15 bytes after it are written too."""
    cdef int32_t n
    for n in range(count):
        memcpy(out, &sets[n], SET_BYTES)
        out += size
    return out


cdef inline void observe_bits(const Params *k, const Board *b, const Memory *memory, int32_t player,
                              const masume_plane *kinds, uint8_t *out) noexcept nogil:
    """Write the planes as MASUME_BITS: a plane of 0 and 1 is a set of panels."""
    cdef cells_t sets[NUM_PLANES]
    cdef cells_t sea = known_of(k, b, player), at
    cdef uint8_t view[NUM_PLANES * MAX_PANELS + SET_BYTES]
    cdef uint8_t *levels
    cdef uint8_t *end
    cdef uint8_t values[MAX_SHIPS][4]      # of each ship: panel, and bytes of planes 4 to 6
    cdef int32_t size = k.panels, count = 0, slot, i, q, cls, t, r, n
    cdef bint placed
    cdef uint8_t flags
    memset(sets, 0, sizeof(sets))
    for t in range(REEF, NUM_TERRAINS):
        sea &= ~land_of(k, b, t)
        sets[9 + t] = known_of(k, b, player) & land_of(k, b, t)
    sets[9] = sea
    sets[14] = k.all_panels & ~known_of(k, b, player)
    for slot in range(k.sizes[player]):
        i = player * k.ships + slot
        q = pos_of(k, b)[i]
        placed = b.phase == SETUP and q >= 0
        if not placed and hp_of(k, b)[i] == 0:
            continue
        cls = cls_of(k, b)[i]
        flags = <uint8_t>flags_at(k, b, player, slot)
        at = cells_one(q)
        sets[cls] |= at
        sets[7] |= at & -<cells_t>(flags & STEALTH != 0)
        sets[8] |= at & -<cells_t>(flags & FLAGSHIP != 0)
        sets[18] |= at & -<cells_t>(flags & FUELOUT != 0)
        sets[19] |= at & -<cells_t>(flags & SURF != 0)
        values[count][0] = <uint8_t>q
        values[count][1] = level_of(&kinds[4], k.first_level[0], 1 if placed else <float>hp_of(k, b)[i] / k.hp[cls],
                                    <const uint8_t *>NULL)
        values[count][2] = 0
        if k.has_fuel:
            values[count][2] = level_of(&kinds[5], k.first_level[1],
                                        1 if placed else <float>fp_of(k, b)[i] / k.max_fp[cls], <const uint8_t *>NULL)
        values[count][3] = <uint8_t>(k.aux[cls] if placed else aux_of(k, b)[i])
        count += 1
    for n in range(torp_n_of(k, b)[player]):
        sets[16] |= cells_one(torp_pos_of(k, b, player)[n])
        sets[17] |= cells_one(torp_tgt_of(k, b, player)[n])
    for r in range(1, k.players):
        q = memory.last_attack[player_from(k, b, player, r)]
        if q >= 0:
            sets[19 + r] |= cells_one(q)
    q = memory.last_attack[player]
    if q >= 0:
        sets[23 if memory.is_hit[player] else 24] = cells_one(q)
    sets[25] = cells_load(memory.swept)
    end = put_sets(sets, 4, (size + 7) // 8, view)
    levels = end
    memset(end, 0, 3 * size)
    end = put_sets(sets + 7, 8, (size + 7) // 8, end + 3 * size)
    if memory.laid[player]:
        memcpy(end, mines_of(k, b, player), size)
    else:
        memset(end, 0, size)
    end = put_sets(sets + 16, NUM_PLANES - 16, (size + 7) // 8, end + size)
    for n in range(count):
        for r in range(3):
            levels[r * size + values[n][0]] = values[n][1 + r]
    memcpy(out, view, end - view)


cdef inline void observe_scalars(const Params *k, const Board *b, const Memory *memory, int32_t player,
                                 float *out) noexcept nogil:
    cdef const Notice *notice
    cdef int32_t r, p, slot, i, cls, count = NUM_GLOBALS + k.players + k.players * (2 + PER_SHIP * k.ships)
    memset(out, 0, count * sizeof(float))
    out[0] = <float>(b.round / 40.0)
    out[1] = <float>((k.round_limit - b.round) / 20.0 if k.round_limit else 0.0)
    out[2] = reinf_left_of(k, b)[player]
    out[3] = flag_left_of(k, b)[player]
    out[4] = memory.passes[player]
    out += NUM_GLOBALS
    if b.phase != SETUP:
        for r in range(k.players):
            out[r] = b.order[r] == player
    out += k.players
    for r in range(k.players):
        p = player_from(k, b, player, r)
        out[0] = b.qual >> p & 1
        out[1] = b.active >> p & 1
        out += 2
        for slot in range(k.sizes[p]):
            i = p * k.ships + slot
            notice = notices_of(k, memory) + i
            cls = cls_of(k, b)[i] if p == player else notice.named
            out[0] = hp_of(k, b)[i] > 0 or (p == player and b.phase == SETUP and pos_of(k, b)[i] >= 0)
            out[1 + (cls if cls >= 0 else NUM_CLASSES)] = 1
            out[6] = notice.fuelout
            out[7] = notice.depth
            out += PER_SHIP
        out += PER_SHIP * (k.ships - k.sizes[p])


cdef inline void observe_suspects(const Params *k, const Board *b, const Memory *memory, int32_t player,
                                  uint8_t *out) noexcept nogil:
    """Write the candidate sets of the other players' ships. [section 9.4]"""
    cdef int32_t r, slot, p
    cdef cells_t cells
    memset(out, 0, (k.players - 1) * k.ships * k.panels)
    for r in range(1, k.players):
        p = player_from(k, b, player, r)
        for slot in range(k.ships):
            cells = cells_load(suspects_of(k, memory, player, p * k.ships + slot))
            while cells:
                out[cells_first(cells)] = 1
                cells &= cells - 1
            out += k.panels

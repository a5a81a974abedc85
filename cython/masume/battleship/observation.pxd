# cython: language_level=3, cdivision=True
"""Battleship: what a player sees of a position, as arrays [section 9.3]."""
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset
from masume.battleship.knowledge cimport Memory, Notice, notices_of, suspects_of
from masume.battleship.state cimport *

cdef enum:
    NUM_PLANES = 26
    NUM_GLOBALS = 5                # scalars before those of the players
    PER_SHIP = 8                   # scalars of a ship


cdef inline int32_t player_from(const Params *k, const Board *b, int32_t player, int32_t r) noexcept nogil:
    """The player r places after this one: in turn order, in setup by number."""
    cdef int32_t place = 0
    if b.phase == SETUP:
        return (player + r) % k.players
    while b.order[place] != player:
        place += 1
    return b.order[(place + r) % k.players]


cdef inline void draw_cells(float *plane, const Params *k, cells_t cells) noexcept nogil:
    """Ones on these panels, zeros on the others, and on up to three floats behind the plane."""
    plane_draw(plane, min(k.panels, 64), cells_low(cells))
    if k.panels > 64:
        plane_draw(plane + 64, k.panels - 64, cells_low(cells_down(cells, 64)))


cdef inline void observe_planes(const Params *k, const Board *b, const Memory *memory, int32_t player,
                                float *out) noexcept nogil:
    cdef int32_t size = k.panels, slot, i, q, cls, t, r, n
    cdef cells_t known = cells_load(b.known[player]), sea = known, swept
    cdef const uint8_t *mine = mines_of(k, b, player)
    cdef bint placed
    cdef uint8_t flags
    memset(out, 0, 9 * size * sizeof(float))
    for t in range(REEF, NUM_TERRAINS):            # planes that are drawn whole: upwards, as each spills into the next
        sea &= ~cells_load(b.land[t - 1])
    draw_cells(out + 9 * size, k, sea)
    for t in range(REEF, NUM_TERRAINS):
        draw_cells(out + (9 + t) * size, k, known & cells_load(b.land[t - 1]))
    draw_cells(out + 14 * size, k, k.all_panels & ~known)
    memset(out + 15 * size, 0, (NUM_PLANES - 15) * size * sizeof(float))
    if memory.laid[player]:
        for q in range(size):
            out[15 * size + q] = <float>0.25 * mine[q]
    for slot in range(k.sizes[player]):
        i = player * k.ships + slot
        q = pos_of(k, b)[i]
        placed = b.phase == SETUP and q >= 0
        if not placed and hp_of(k, b)[i] == 0:
            continue
        cls = cls_of(k, b)[i]
        flags = flags_of(k, b)[i]
        out[cls * size + q] = 1
        out[4 * size + q] = 1 if placed else <float>hp_of(k, b)[i] / k.hp[cls]
        if k.has_fuel:
            out[5 * size + q] = 1 if placed else <float>fp_of(k, b)[i] / k.max_fp[cls]
        out[6 * size + q] = <float>(k.aux[cls] if placed else aux_of(k, b)[i]) / 9
        out[7 * size + q] = flags & STEALTH != 0
        out[8 * size + q] = flags & FLAGSHIP != 0
        out[18 * size + q] = flags & FUELOUT != 0
        out[19 * size + q] = flags & SURF != 0
    for n in range(b.torp_n[player]):
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


cdef inline void observe_scalars(const Params *k, const Board *b, const Memory *memory, int32_t player,
                                 float *out) noexcept nogil:
    cdef const Notice *notice
    cdef int32_t r, p, slot, i, cls, count = NUM_GLOBALS + k.players + k.players * (2 + PER_SHIP * k.ships)
    memset(out, 0, count * sizeof(float))
    out[0] = <float>(b.round / 40.0)
    out[1] = <float>((k.round_limit - b.round) / 20.0 if k.round_limit else 0.0)
    out[2] = b.reinf_left[player]
    out[3] = b.flag_left[player]
    out[4] = memory.passes[player]
    out += NUM_GLOBALS
    if b.phase != SETUP:
        for r in range(k.players):
            out[r] = b.order[r] == player
    out += k.players
    for r in range(k.players):
        p = player_from(k, b, player, r)
        out[0] = b.qual[p]
        out[1] = b.active[p]
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
    """Where each ship of the others may be, for all that the player has seen. [section 9.4]"""
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

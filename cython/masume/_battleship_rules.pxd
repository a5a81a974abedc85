# cython: language_level=3, cdivision=True
"""Battleship: the layout of states and the rules, inline, so that whoever needs them compiles the same text.

A Board is the fixed part of a state; the arrays whose size the config fixes follow at offsets of Params. Ship `slot`
of player `p` is number p * ships + slot in each of them. Sets of panels are words of 128 bits (cells.h). Without fuel
all costs are 0, so that nobody pays.

Events are written into a Log where there is one; for Nobody, who is a NULL in its place, nothing that only players see
is computed. What takes either (Told) is compiled for each.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset
from masume._game cimport MASUME_TERMINAL, masume_below

cdef extern from "masume/cells.h" nogil:
    ctypedef unsigned long long cells_t            # of 128 bits
    cells_t cells_load(const uint64_t *)
    void cells_store(uint64_t *, cells_t)
    cells_t cells_one(int32_t)
    cells_t cells_below(int32_t)
    bint cells_has(cells_t, int32_t)
    int32_t cells_count(cells_t)
    int32_t cells_first(cells_t)
    int32_t cells_last(cells_t)
    int32_t cells_select(cells_t, int32_t)
    uint64_t cells_low(cells_t)
    cells_t cells_up(cells_t, int32_t)
    cells_t cells_down(cells_t, int32_t)

cdef extern from "masume/bits.h" nogil:
    int32_t bits_count(uint32_t)
    int32_t bits_first(uint32_t)
    int32_t bits_select(uint32_t, int32_t)
    int32_t bits_first64(uint64_t)
    uint64_t bits_spread(uint8_t)

cdef extern from "masume/battleship.h" nogil:
    enum: SLOTS
    uint32_t slots_equal(const int8_t *, int32_t)
    uint32_t slots_positive(const int8_t *)
    uint32_t slots_flagged(const uint8_t *, int32_t)
    uint32_t slots_below(const int16_t *, int32_t)
    void plane_draw(float *, int32_t, uint64_t)

cdef enum:
    MAX_PLAYERS = 4
    MAX_SHIPS = 12
    MAX_PANELS = 81
    MAX_ACTIONS = 2643                 # of 9 x 9 panels and 12 ships [section 6.2]
    MAX_STEPS = 8                      # of a move
    NUM_CLASSES = 4
    NINE = 9                           # directions; the last one is the own panel
    CENTRE = 8
    COLUMNS = 16                       # of an event
    NO_PANEL = -1
    NEVER = 1 << 30                    # more FP than there can be
    UNPAID = 32767                     # the same in 16 bits
    MAX_COUNT = 30000                  # of what counts up in 16 bits, so that a turn more never overflows

cdef enum:                             # classes [section 2.1]
    BATTLESHIP
    DESTROYER
    SUBMARINE
    OILER

cdef enum:                             # terrain [section 3.1]; a Board has a set of panels for each but sea
    SEA
    REEF
    SHALLOWS
    FOG
    WAVE
    NUM_TERRAINS

cdef enum:                             # phases
    SETUP
    PLAY
    OVER

cdef enum:                             # setup_kind
    PICKING
    FLAGGING
    PLACING

cdef enum:                             # ship_flags
    STEALTH = 1
    SURFACED = 2
    FUEL_OUT = 4
    FLAGSHIP = 8
    STEALTH_BIT = 0
    SURFACED_BIT = 1
    FUEL_OUT_BIT = 2

cdef enum:                             # kinds of command, in the order of section 6.2
    PASS
    RESIGN
    ATTACK
    MOVE
    LAY
    TORPEDO
    REINFORCE
    REFLAG
    PICK
    PLACE

cdef enum:                             # reasons of the end [section 3.2]
    BY_NOTHING = -1
    BY_VICTORY
    BY_FUEL
    BY_STALL
    BY_ROUND_LIMIT
    BY_MAX_ROUNDS
    BY_MUTUAL

cdef enum:                             # causes of DEFEATED and OUT [section 9.2]
    ANNIHILATED
    FLAGSHIP_LOST
    ALLY_LOST
    RESIGNED
    TIMED_OUT
    PLAYED_ILLEGALLY
    UNABLE

cdef enum:                             # causes of SUNK
    BY_ATTACK
    BY_MINE
    BY_FUEL_OUT

cdef enum:                             # where a move stopped
    STOP_NONE
    STOP_REEF
    STOP_WAVE
    STOP_SUNK

cdef enum:                             # kinds of event [section 9.2]
    EV_TURN
    EV_ATTACK
    EV_HIT
    EV_MISS
    EV_SPLASH
    EV_SUNK
    EV_MOVE
    EV_MINE_HIT
    EV_MINE_LAID
    EV_MINE_LOST
    EV_MINE_SWEPT
    EV_TORP_FIRED
    EV_TORP_MOVE
    EV_SURFACED
    EV_DIVED
    EV_STEALTH
    EV_FUEL_OUT
    EV_REFUEL
    EV_REINFORCED
    EV_FLAG_CHANGED
    EV_TERRAIN
    EV_STATUS
    EV_PASS
    EV_DEFEATED
    EV_OUT
    EV_GAME_OVER
    EV_START
    EV_SETUP
    NUM_EVENTS

cdef enum:                             # columns of an event
    COL_KIND
    COL_FULL
    COL_PART
    COL_HIDE
    COL_ROUND
    COL_PLAYER
    COL_SLOT
    COL_CLS
    COL_PANEL
    COL_A
    COL_B
    COL_C
    COL_D
    COL_E

cdef enum:                             # columns that part_mask does not show
    HIDE_SLOT = 1 << (COL_SLOT - COL_PLAYER)
    HIDE_CLS = 1 << (COL_CLS - COL_PLAYER)
    HIDE_PANEL = 1 << (COL_PANEL - COL_PLAYER)
    HIDE_A = 1 << (COL_A - COL_PLAYER)
    HIDE_B = 1 << (COL_B - COL_PLAYER)
    HIDE_C = 1 << (COL_C - COL_PLAYER)


cdef struct Board:                     # section 3.2; players there are not have zeros
    uint64_t rng
    uint64_t known[MAX_PLAYERS][2]     # panels whose terrain each player knows
    uint64_t land[NUM_TERRAINS - 1][2]      # panels of reef, shallows, fog, wave
    int32_t round
    int32_t turns
    int16_t pass_run
    int16_t torp_next[MAX_PLAYERS]
    int16_t dealt[MAX_PLAYERS]
    int16_t kills[MAX_PLAYERS]
    int8_t phase
    int8_t setup_kind
    int8_t setup_i
    int8_t cur
    int8_t order[MAX_PLAYERS]
    int8_t ptr
    int8_t torp_n[MAX_PLAYERS]
    int8_t reinf_left[MAX_PLAYERS]
    int8_t flag_left[MAX_PLAYERS]
    uint8_t qual[MAX_PLAYERS]
    uint8_t active[MAX_PLAYERS]
    uint8_t winners
    int8_t reason
    uint8_t padding[7]

cdef struct Command:                   # what a code stands for
    uint8_t kind
    uint8_t slot
    uint8_t at                         # direction, class or panel
    uint8_t steps

cdef struct Log:                       # events of a call; the records follow
    int32_t count
    int32_t padding

cdef struct Nobody:                    # NULL in the place of a Log that nobody keeps
    int32_t none

ctypedef fused Told:                   # the rules are compiled for each
    Log
    Nobody

cdef struct Before:                    # a fleet as it was
    int16_t fp[MAX_SHIPS]
    int8_t pos[MAX_SHIPS]
    int8_t hp[MAX_SHIPS]
    int8_t aux[MAX_SHIPS]
    uint8_t flags[MAX_SHIPS]

cdef struct Params:                    # what a turn looks at again and again comes first
    int32_t players
    int32_t ships                      # S
    uint32_t at_fp                     # where the arrays of a state begin
    uint32_t at_torp_id
    uint32_t at_cls
    uint32_t at_pos
    uint32_t at_hp
    uint32_t at_aux
    uint32_t at_flags
    uint32_t at_torp_pos
    uint32_t at_torp_tgt
    uint32_t at_mines
    int32_t fleet                      # players * ships
    int32_t panels                     # N
    int32_t width
    int32_t height
    int32_t torpedoes                  # T
    int32_t reach                      # Dm
    int32_t num_actions
    int32_t first[PLACE + 1]           # code of each kind of command
    int32_t num_sides
    int32_t sizes[MAX_PLAYERS]         # ships of each player
    uint32_t slots[MAX_PLAYERS]        # bits of their slots
    int32_t side[MAX_PLAYERS]
    int32_t side_size[MAX_PLAYERS]
    uint32_t foes[MAX_PLAYERS]         # bits of players
    uint32_t everybody
    bint is_team_match
    bint is_fixed
    int8_t classes[MAX_PLAYERS * MAX_SHIPS]
    bint has_order
    int8_t order[MAX_PLAYERS]
    bint has_flagship
    bint is_rescue
    bint is_retreat
    bint by_score                      # time-up is decided so
    int32_t defender
    int32_t round_limit                # 0: none
    int32_t max_rounds                 # 0: none
    bint has_fuel
    bint has_refuel
    int32_t hp[NUM_CLASSES]
    int32_t aux[NUM_CLASSES]
    int32_t max_fp[NUM_CLASSES]
    int32_t attack_cost[NUM_CLASSES]
    int32_t move_fp[NUM_CLASSES][MAX_STEPS + 1]
    int16_t steps_fp[NUM_CLASSES][SLOTS]      # the same from one step on, UNPAID where nobody can go so far
    int32_t least[NUM_CLASSES]         # FP with which a ship can still attack or move
    int32_t enough                     # FP with which a ship of any class can
    int32_t scarce                     # FP with which a ship of some class can
    int32_t torpedo_cost
    int32_t mine_cost
    int32_t flagship_cost
    int32_t wave_cost
    int32_t refuel_max
    int32_t mine_least[NUM_CLASSES]    # FP with which a ship of the class that has an aux left can lay, or NEVER
    int32_t torpedo_least[NUM_CLASSES]      # the same of firing
    bint has_stealth
    int32_t diver                      # the class that has the stealth trait, or none
    int32_t surface_period
    int32_t reinforcements
    int32_t reinforce_last_round
    int32_t reinforce_step_rounds
    int32_t reinforce_num
    int32_t reinforce_num_step
    int32_t reinforce_den
    int32_t flagship_changes
    bint is_generated                  # terrain is drawn
    bint is_known                      # terrain is known from the start: there is none, or `terrain_known`
    bint is_shown                      # it lies there before play
    int32_t weights[NUM_TERRAINS]
    int32_t total_weight
    uint64_t land[NUM_TERRAINS - 1][2]      # of terrain_map
    bint hit_reveals_class
    bint splash_on_hit
    bint public_hp
    bint shuns_reefs                   # attacking a known reef is illegal
    bint jumps
    uint32_t attack_ways               # bits of directions
    int64_t score_sunk
    int64_t score_hit
    int64_t score_ship
    int64_t score_hp
    bint may_resign
    cells_t all_panels
    cells_t first_column
    cells_t last_column
    cells_t only[MAX_PANELS]           # the panel itself
    cells_t nearby[MAX_PANELS]         # the up to 8 around
    cells_t cross[MAX_PANELS]          # where a ship could move if nothing barred it
    uint32_t every_heading             # times the moves of one of the 4 directions
    uint32_t rays[MAX_PANELS]          # the same as moves: Dm bits a direction, bit n = n + 1 panels
    uint32_t shadow[MAX_PANELS][MAX_PANELS]      # moves that something on the second panel bars
    int8_t near[MAX_PANELS][NINE]      # panel in each of the 9 directions, or NO_PANEL
    uint16_t around[MAX_PANELS]        # bits of the directions that have one
    uint8_t num_ways[1 << NINE]        # of bits of directions
    int8_t row[MAX_PANELS]
    int8_t column[MAX_PANELS]
    int32_t step[4]
    Command commands[MAX_ACTIONS]
    uint32_t used                      # bytes of a state without its padding
    uint32_t at_notices                # where the arrays of a memory begin
    uint32_t at_suspects
    uint32_t at_log
    int32_t log_capacity


# -- the arrays of a state -----------------------------------------------------------------------------

cdef inline int16_t *fp_of(const Params *k, const Board *b) noexcept nogil:
    return <int16_t *>(<uint8_t *>b + k.at_fp)

cdef inline int8_t *cls_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_cls

cdef inline int8_t *pos_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_pos

cdef inline int8_t *hp_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_hp

cdef inline int8_t *aux_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_aux

cdef inline uint8_t *flags_of(const Params *k, const Board *b) noexcept nogil:
    return <uint8_t *>b + k.at_flags

cdef inline int8_t *torp_pos_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    return <int8_t *>b + k.at_torp_pos + p * k.torpedoes

cdef inline int8_t *torp_tgt_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    return <int8_t *>b + k.at_torp_tgt + p * k.torpedoes

cdef inline int16_t *torp_id_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    return <int16_t *>(<uint8_t *>b + k.at_torp_id) + p * k.torpedoes

cdef inline uint8_t *mines_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    return <uint8_t *>b + k.at_mines + p * k.panels


# -- panels --------------------------------------------------------------------------------------------

cdef inline bint is_land(const Board *b, int32_t terrain, int32_t q) noexcept nogil:
    """Whether the panel is of this terrain, which is not sea."""
    return b.land[terrain - 1][q >> 6] >> (q & 63) & 1


cdef inline int32_t terrain_at(const Board *b, int32_t q) noexcept nogil:
    cdef int32_t terrain
    for terrain in range(REEF, NUM_TERRAINS):
        if is_land(b, terrain, q):
            return terrain
    return SEA


cdef inline cells_t known_reef(const Board *b, int32_t p) noexcept nogil:
    return cells_load(b.known[p]) & cells_load(b.land[REEF - 1])


cdef inline cells_t fleet_panels(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Where the alive ships of a player are."""
    cdef const int8_t *pos = pos_of(k, b) + p * k.ships
    cdef const int8_t *hp = hp_of(k, b) + p * k.ships
    cdef cells_t found = 0
    cdef int32_t slot
    for slot in range(k.sizes[p]):
        if hp[slot] > 0:
            found |= k.only[pos[slot]]
    return found


cdef inline int32_t ship_at(const Params *k, const Board *b, int32_t p, int32_t q) noexcept nogil:
    """The slot of the alive ship of p there, or -1. [section 3.3]"""
    cdef uint32_t found = slots_equal(pos_of(k, b) + p * k.ships, q) & alive_slots(k, b, p)
    return bits_first(found) if found else -1


cdef inline bint is_mined(const Params *k, const Board *b, int32_t q) noexcept nogil:
    """Whether anybody has a mine there."""
    cdef const uint8_t *mine = mines_of(k, b, 0) + q
    cdef uint8_t found = mine[0]
    cdef int32_t _p
    for _p in range(1, k.players):
        mine += k.panels
        found |= mine[0]
    return found != 0


# -- ships ---------------------------------------------------------------------------------------------

cdef inline bint is_fuel_out(const Params *k, int32_t cls, int32_t fp) noexcept nogil:
    """Whether such a ship can neither attack nor move. [BS-112]"""
    return fp < k.least[cls]


cdef inline uint32_t alive_slots(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Bits of the slots of alive ships."""
    return slots_positive(hp_of(k, b) + p * k.ships) & k.slots[p]


cdef inline uint32_t class_slots(const Params *k, const Board *b, int32_t p, int32_t cls) noexcept nogil:
    """Bits of the slots of a class, and others behind the fleet."""
    return slots_equal(cls_of(k, b) + p * k.ships, cls)


cdef inline uint32_t flag_slots(const Params *k, const Board *b, int32_t p, int32_t bit) noexcept nogil:
    """Bits of the slots of ships with this bit of ship_flags, and others behind the fleet."""
    return slots_flagged(flags_of(k, b) + p * k.ships, bit)


cdef inline uint32_t fuel_out_slots(const Params *k, const Board *b, int32_t p, uint32_t slots) noexcept nogil:
    """Those of the slots whose ships can neither attack nor move. [BS-112]"""
    cdef const int16_t *fp = fp_of(k, b) + p * k.ships
    cdef const int8_t *cls = cls_of(k, b) + p * k.ships
    cdef uint32_t found = slots_below(fp, k.enough) & slots, doubtful
    cdef int32_t slot
    doubtful = found & ~slots_below(fp, k.scarce)
    while doubtful:                                # it depends on the class: of few FP
        slot = bits_first(doubtful)
        doubtful &= doubtful - 1
        if not is_fuel_out(k, cls[slot], fp[slot]):
            found ^= <uint32_t>1 << slot
    return found


cdef inline bint counts_sunk(const Params *k, int32_t cls, int32_t hp, int32_t fp) noexcept nogil:
    """Whether it is sunk, or an Oiler that cannot attack. [BS-74]"""
    return hp == 0 or (cls == OILER and fp < k.attack_cost[OILER])


# -- events --------------------------------------------------------------------------------------------

cdef inline int16_t *records_of(const Log *log) noexcept nogil:
    return <int16_t *>(<uint8_t *>log + sizeof(Log))


cdef inline void tell(const Board *b, Told *log, int32_t kind, uint32_t full, uint32_t part, uint32_t hide,
                      int32_t player, int32_t slot=-1, int32_t cls=-1, int32_t panel=-1, int32_t a=-1, int32_t b_=-1,
                      int32_t c=-1, int32_t d=-1) noexcept nogil:
    """Write an event, if anybody keeps a log: full and part are bits of players. [section 9.2]"""
    cdef int16_t *record
    if Told is Log:
        record = records_of(log) + log.count * COLUMNS
        log.count += 1
        record[COL_KIND] = <int16_t>kind
        record[COL_FULL] = <int16_t>full
        record[COL_PART] = <int16_t>part
        record[COL_HIDE] = <int16_t>hide
        record[COL_ROUND] = <int16_t>min(b.round, 32767)
        record[COL_PLAYER] = <int16_t>player
        record[COL_SLOT] = <int16_t>slot
        record[COL_CLS] = <int16_t>cls
        record[COL_PANEL] = <int16_t>panel
        record[COL_A] = <int16_t>a
        record[COL_B] = <int16_t>b_
        record[COL_C] = <int16_t>c
        record[COL_D] = <int16_t>d
        record[COL_E] = -1
        record[COL_E + 1] = 0
        record[COL_E + 2] = 0


cdef inline void remember(const Params *k, const Board *b, int32_t p, Before *before) noexcept nogil:
    """Keep the fleet of a player, and what lies behind it, to tell later what has changed."""
    cdef int32_t i = p * k.ships
    memcpy(before.fp, fp_of(k, b) + i, sizeof(before.fp))
    memcpy(before.pos, pos_of(k, b) + i, sizeof(before.pos))
    memcpy(before.hp, hp_of(k, b) + i, sizeof(before.hp))
    memcpy(before.aux, aux_of(k, b) + i, sizeof(before.aux))
    memcpy(before.flags, flags_of(k, b) + i, sizeof(before.flags))


cdef inline void tell_status(const Params *k, const Board *b, Log *log, int32_t p, const Before *before) noexcept nogil:
    """A STATUS event for each ship that is not as it was. [section 9.2]"""
    cdef const int16_t *fp = fp_of(k, b) + p * k.ships
    cdef const int8_t *pos = pos_of(k, b) + p * k.ships
    cdef const int8_t *hp = hp_of(k, b) + p * k.ships
    cdef const int8_t *aux = aux_of(k, b) + p * k.ships
    cdef const uint8_t *flags = flags_of(k, b) + p * k.ships
    cdef int32_t slot
    for slot in range(k.sizes[p]):
        if ((fp[slot] ^ before.fp[slot]) | (pos[slot] ^ before.pos[slot]) | (hp[slot] ^ before.hp[slot])
                | (aux[slot] ^ before.aux[slot]) | (flags[slot] ^ before.flags[slot])):
            tell(b, log, EV_STATUS, 1 << p, 0, 0, p, slot, -1, pos[slot], hp[slot], fp[slot], aux[slot], flags[slot])


# -- the end [section 8] -------------------------------------------------------------------------------

cdef inline int64_t score_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """The score of a player. [section 8.4, BS-R44]"""
    cdef int32_t i
    cdef int64_t found = k.score_sunk * b.kills[p] + k.score_hit * b.dealt[p]
    for i in range(p * k.ships, p * k.ships + k.sizes[p]):
        if not counts_sunk(k, cls_of(k, b)[i], hp_of(k, b)[i], fp_of(k, b)[i]):
            found += k.score_ship + k.score_hp * hp_of(k, b)[i]
    return found


cdef inline uint32_t sides_with(const Params *k, const uint8_t *flags) noexcept nogil:
    """Bits of the sides of players whose flag is set."""
    cdef int32_t p
    cdef uint32_t found = 0
    for p in range(k.players):
        if flags[p]:
            found |= 1 << k.side[p]
    return found


cdef inline void finish(const Params *k, Board *b, Told *log, uint32_t winners, int32_t reason) noexcept nogil:
    b.phase = OVER
    b.winners = <uint8_t>winners
    b.reason = <int8_t>reason
    tell(b, log, EV_GAME_OVER, k.everybody, 0, 0, -1, -1, -1, -1, winners, reason)


cdef inline uint32_t best_sides(const Params *k, const Board *b, uint32_t sides) noexcept nogil:
    """Those of the sides whose members' average score is highest. [BS-95]"""
    cdef int64_t sums[MAX_PLAYERS]
    cdef int32_t p, side, best = -1
    cdef uint32_t found = 0
    memset(sums, 0, sizeof(sums))
    for p in range(k.players):
        sums[k.side[p]] += score_of(k, b, p)
    for side in range(k.num_sides):
        if not sides >> side & 1:
            continue
        if best < 0 or sums[side] * k.side_size[best] > sums[best] * k.side_size[side]:
            best = side
            found = 0
        if sums[side] * k.side_size[best] == sums[best] * k.side_size[side]:
            found |= 1 << side
    return found


cdef inline void adjudicate(const Params *k, Board *b, Told *log, int32_t reason) noexcept nogil:
    """End a game that has no victor. [section 8.3]"""
    cdef int32_t lost[MAX_PLAYERS]
    cdef int32_t p
    if k.is_retreat:                                                         # BS-15
        finish(k, b, log, 1 << k.side[k.defender], reason)
        return
    if k.is_team_match:                                                      # BS-80, BS-93
        memset(lost, 0, sizeof(lost))
        for p in range(k.players):
            lost[k.side[p]] += not b.qual[p]
        if lost[0] != lost[1]:
            finish(k, b, log, 1 if lost[0] < lost[1] else 2, reason)
            return
    if k.by_score:                                                           # BS-79
        finish(k, b, log, best_sides(k, b, sides_with(k, b.qual)), reason)
    else:                                                                    # BS-R45
        finish(k, b, log, sides_with(k, b.qual) | sides_with(k, b.active), reason)


cdef inline void remove_player(const Params *k, Board *b, Told *log, int32_t p, int32_t cause) noexcept nogil:
    """The player is out with its fleet and torpedoes; its mines stay. [section 7.13 REMOVE, BS-183]"""
    cdef int32_t i
    if b.qual[p]:
        b.qual[p] = 0
        tell(b, log, EV_DEFEATED, k.everybody, 0, 0, p, -1, -1, -1, cause)
    b.active[p] = 0
    for i in range(p * k.ships, p * k.ships + k.sizes[p]):
        hp_of(k, b)[i] = 0
        flags_of(k, b)[i] &= FLAGSHIP
    memset(torp_pos_of(k, b, p), 0, k.torpedoes)
    memset(torp_tgt_of(k, b, p), 0, k.torpedoes)
    memset(torp_id_of(k, b, p), 0, k.torpedoes * sizeof(int16_t))
    b.torp_n[p] = 0
    tell(b, log, EV_OUT, k.everybody, 0, 0, p, -1, -1, -1, cause)


cdef inline int32_t defeat_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Why the player loses its qualification now: ANNIHILATED or FLAGSHIP_LOST, else -1. [section 8.1]"""
    cdef const int8_t *cls = cls_of(k, b)
    cdef const int8_t *hp = hp_of(k, b)
    cdef const int16_t *fp = fp_of(k, b)
    cdef int32_t i
    cdef bint fights = False
    for i in range(p * k.ships, p * k.ships + k.sizes[p]):
        if not counts_sunk(k, cls[i], hp[i], fp[i]):
            fights = True
            if not k.has_flagship:
                break
        if k.has_flagship and hp[i] == 0 and flags_of(k, b)[i] & FLAGSHIP:
            return FLAGSHIP_LOST
    return -1 if fights else ANNIHILATED


cdef inline bint is_able(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Whether a ship of the player is alive and not out of fuel. [BS-101]"""
    cdef int32_t i
    for i in range(p * k.ships, p * k.ships + k.sizes[p]):
        if hp_of(k, b)[i] > 0 and not is_fuel_out(k, cls_of(k, b)[i], fp_of(k, b)[i]):
            return True
    return False


cdef inline bint has_lost_ally(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Whether a player of the same side is not qualified. [BS-12]"""
    cdef int32_t ally
    for ally in range(k.players):
        if not b.qual[ally] and k.side[ally] == k.side[p]:
            return True
    return False


cdef inline bint fuel_decides(const Board *b, int32_t p, int32_t cls) noexcept nogil:
    """Whether p can be defeated or out because such a ship has less FP: an Oiler, or any if p is not qualified."""
    return cls == OILER or not b.qual[p]


cdef inline void judge(const Params *k, Board *b, Told *log) noexcept nogil:
    """CHECK: who is defeated or out now, and whether that ends the game. [section 8.2, BS-R40]

    It finds what the one before it found unless a ship has lost HP, or FP that decide: only then is it made.
    """
    cdef uint8_t before[MAX_PLAYERS]
    cdef int32_t p, cause
    cdef uint32_t sides
    cdef bint all_qualified = True
    for p in range(k.players):
        before[p] = b.qual[p]
        if b.qual[p]:
            cause = defeat_of(k, b, p)
            if cause < 0:
                continue
            b.qual[p] = 0
            tell(b, log, EV_DEFEATED, k.everybody, 0, 0, p, -1, -1, -1, cause)
        all_qualified = False
    if all_qualified:
        return
    if k.is_rescue:                                                          # BS-12, whatever the cause
        for p in range(k.players):
            if b.qual[p] and has_lost_ally(k, b, p):
                b.qual[p] = 0
                tell(b, log, EV_DEFEATED, k.everybody, 0, 0, p, -1, -1, -1, ALLY_LOST)
    for p in range(k.players):                                               # BS-104
        if b.active[p] and not b.qual[p] and not is_able(k, b, p):
            remove_player(k, b, log, p, UNABLE)
    sides = sides_with(k, b.qual)
    if sides == 0:                                                           # BS-R45
        finish(k, b, log, sides_with(k, before) | sides_with(k, b.active), BY_MUTUAL)
    elif sides & (sides - 1) == 0:
        finish(k, b, log, sides, BY_VICTORY)


# -- what happens to panels and ships ------------------------------------------------------------------

cdef inline void learn(Board *b, Told *log, int32_t p, int32_t q) noexcept nogil:
    """The player knows the terrain of the panel from now on. [BS-188]"""
    cdef uint64_t bit = <uint64_t>1 << (q & 63)
    if not b.known[p][q >> 6] & bit:
        b.known[p][q >> 6] |= bit
        if Told is Log:
            tell(b, log, EV_TERRAIN, 1 << p, 0, 0, p, -1, -1, q, terrain_at(b, q))


cdef inline void sink(const Params *k, Board *b, Told *log, int32_t p, int32_t slot, int32_t cause) noexcept nogil:
    """The ship is no more; fp, aux and pos stay. [section 7.2 SINK, BS-57]"""
    cdef int32_t i = p * k.ships + slot
    hp_of(k, b)[i] = 0
    flags_of(k, b)[i] &= FLAGSHIP
    tell(b, log, EV_SUNK, k.everybody if cause == BY_ATTACK else 1 << p, k.everybody, HIDE_PANEL, p, slot,
         cls_of(k, b)[i], pos_of(k, b)[i], cause)


cdef inline int32_t take_mine(const Params *k, Board *b, int32_t q) noexcept nogil:
    """Remove a mine there; its owner, tried from the next player on to the one to move, or -1. [BS-R23]"""
    cdef int32_t place = b.ptr
    cdef uint8_t *mine
    if not is_mined(k, b, q):
        return -1
    while True:                                    # ends: somebody has one
        place = place + 1 if place + 1 < k.players else 0
        mine = mines_of(k, b, b.order[place]) + q
        if mine[0]:
            mine[0] -= 1
            return b.order[place]


cdef inline void tell_splashes(const Params *k, const Board *b, Log *log, int32_t p, int32_t q) noexcept nogil:
    """A SPLASH for each ship of p's enemies around q that is not in stealth. [BS-58, BS-136]"""
    cdef int32_t v, slot, i
    for v in range(k.players):
        if k.foes[p] >> v & 1:
            for slot in range(k.sizes[v]):
                i = v * k.ships + slot
                if (hp_of(k, b)[i] > 0 and not flags_of(k, b)[i] & STEALTH
                        and cells_has(k.nearby[q], pos_of(k, b)[i])):
                    tell(b, log, EV_SPLASH, k.everybody, 0, 0, v, slot, cls_of(k, b)[i], q)


cdef inline bint explode(const Params *k, Board *b, Told *log, int32_t p, int32_t q) noexcept nogil:
    """A shell or torpedo of p goes off there; whether it hit. [section 7.2, BS-52, BS-58, BS-99, BS-149]"""
    cdef int32_t v, slot, i, owner
    cdef uint32_t foes = k.foes[p]
    cdef bint was_hit = False
    learn(b, log, p, q)
    while foes:
        v = bits_first(foes)
        foes &= foes - 1
        slot = ship_at(k, b, v, q)
        if slot < 0:
            continue
        was_hit = True
        i = v * k.ships + slot
        hp_of(k, b)[i] -= 1
        b.dealt[p] += 1
        tell(b, log, EV_HIT, 1 << v, k.everybody,
             (0 if k.hit_reveals_class else HIDE_SLOT | HIDE_CLS) | (0 if k.public_hp else HIDE_A),
             v, slot, cls_of(k, b)[i], q, hp_of(k, b)[i])
        if hp_of(k, b)[i] == 0:
            b.kills[p] += 1
            sink(k, b, log, v, slot, BY_ATTACK)
    if not was_hit:
        tell(b, log, EV_MISS, k.everybody, 0, 0, -1, -1, -1, q)
    if Told is Log:
        if not was_hit or k.splash_on_hit:
            tell_splashes(k, b, log, p, q)
    owner = take_mine(k, b, q)
    if owner >= 0:
        tell(b, log, EV_MINE_SWEPT, k.everybody, 0, 0, -1, -1, -1, q)
        tell(b, log, EV_MINE_LOST, 1 << owner, 0, 0, owner, -1, -1, q, 1, 1)
    return was_hit


cdef inline int32_t touch_mines(const Params *k, Board *b, int32_t p, int32_t slot, int32_t *used) noexcept nogil:
    """The ship is on a panel it has entered; the damage, and `used` mines of each player. [section 7.4, BS-147]"""
    cdef int32_t i = p * k.ships + slot, damage = 0, owner
    if not is_mined(k, b, pos_of(k, b)[i]):
        return 0
    memset(used, 0, MAX_PLAYERS * sizeof(int32_t))
    while hp_of(k, b)[i] > 0:
        owner = take_mine(k, b, pos_of(k, b)[i])
        if owner < 0:
            break
        hp_of(k, b)[i] -= 1
        damage += 1
        used[owner] += 1
        if k.foes[p] >> owner & 1:
            b.dealt[owner] += 1
            b.kills[owner] += hp_of(k, b)[i] == 0
    return damage


cdef inline void tell_mines(const Params *k, const Board *b, Told *log, int32_t p, int32_t slot, int32_t q,
                            int32_t damage, const int32_t *used) noexcept nogil:
    """What a mined panel did to the ship, and whose mines it took. [section 7.3]"""
    cdef int32_t owner
    tell(b, log, EV_MINE_HIT, 1 << p, k.everybody, HIDE_PANEL, p, slot, cls_of(k, b)[p * k.ships + slot], q, damage)
    for owner in range(k.players):
        if used[owner]:
            tell(b, log, EV_MINE_LOST, 1 << owner, 0, 0, owner, -1, -1, q, used[owner], 0)


# -- commands [section 7] ------------------------------------------------------------------------------

cdef inline void attack(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.1]"""
    cdef int32_t i = p * k.ships + c.slot, cls = cls_of(k, b)[i], q = k.near[pos_of(k, b)[i]][c.at]
    fp_of(k, b)[i] -= <int16_t>k.attack_cost[cls]
    tell(b, log, EV_ATTACK, 1 << p, k.everybody, HIDE_SLOT | HIDE_CLS | HIDE_B | HIDE_C, p, c.slot, cls, q, 0, 0, -1)
    if explode(k, b, log, p, q) or fuel_decides(b, p, cls):
        judge(k, b, log)


cdef inline void move(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.3]"""
    cdef int32_t used[MAX_STEPS + 1][MAX_PLAYERS]
    cdef int32_t mined[MAX_STEPS + 1]
    cdef int32_t damage[MAX_STEPS + 1]
    cdef int32_t noted[MAX_STEPS + 1]
    cdef int32_t i = p * k.ships + c.slot, cls = cls_of(k, b)[i], j, stop = STOP_NONE, following
    cdef int32_t num_mined = 0, num_noted = 0, first = c.steps if k.jumps else 1
    cdef int16_t *fp = fp_of(k, b) + i
    cdef int8_t *pos = pos_of(k, b) + i
    cdef bint hidden = flags_of(k, b)[i] & STEALTH
    fp[0] -= <int16_t>k.move_fp[cls][c.steps]                                # the commanded distance [BS-R20]
    if k.jumps:
        pos[0] += <int8_t>((c.steps - 1) * k.step[c.at])
    for j in range(first, c.steps + 1):
        following = pos[0] + k.step[c.at]
        if j > first and is_land(b, WAVE, pos[0]) and fp[0] < k.wave_cost:        # BS-202
            stop = STOP_WAVE
            break
        if is_land(b, REEF, following):                                      # BS-192
            noted[num_noted] = following
            num_noted += 1
            stop = STOP_REEF
            break
        if j > first and is_land(b, WAVE, pos[0]):                           # BS-200, BS-R22
            fp[0] -= <int16_t>k.wave_cost
        pos[0] = <int8_t>following
        noted[num_noted] = following
        num_noted += 1
        damage[num_mined] = touch_mines(k, b, p, c.slot, used[num_mined])
        if damage[num_mined]:
            mined[num_mined] = following
            num_mined += 1
            if hp_of(k, b)[i] == 0:
                stop = STOP_SUNK
                break
    tell(b, log, EV_MOVE, 1 << p, 0, 0, p, c.slot, cls, pos[0], c.at, c.steps, stop)
    tell(b, log, EV_MOVE, 0, k.everybody & ~(<uint32_t>1 << p), HIDE_PANEL | (HIDE_A | HIDE_B if hidden else 0), p,
         c.slot, cls, pos[0], c.at, c.steps, STOP_NONE if hidden and stop == STOP_WAVE else stop)
    for j in range(num_noted):
        learn(b, log, p, noted[j])
    for j in range(num_mined):
        tell_mines(k, b, log, p, c.slot, mined[j], damage[j], used[j])
    if stop == STOP_SUNK:
        sink(k, b, log, p, c.slot, BY_MINE)
    if num_mined or fuel_decides(b, p, cls):
        judge(k, b, log)


cdef inline void lay_mine(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.5]"""
    cdef int32_t i = p * k.ships + c.slot, q = k.near[pos_of(k, b)[i]][c.at]
    aux_of(k, b)[i] -= 1
    fp_of(k, b)[i] -= <int16_t>k.mine_cost
    mines_of(k, b, p)[q] += 1
    tell(b, log, EV_MINE_LAID, 1 << p, k.everybody, HIDE_SLOT | HIDE_PANEL, p, c.slot, -1, q)


cdef inline void fire_torpedo(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.6]"""
    cdef int32_t i = p * k.ships + c.slot, n = b.torp_n[p]
    aux_of(k, b)[i] -= 1
    fp_of(k, b)[i] -= <int16_t>k.torpedo_cost
    torp_pos_of(k, b, p)[n] = pos_of(k, b)[i]
    torp_tgt_of(k, b, p)[n] = <int8_t>c.at
    torp_id_of(k, b, p)[n] = b.torp_next[p]
    tell(b, log, EV_TORP_FIRED, 1 << p, k.everybody, HIDE_SLOT | HIDE_PANEL | HIDE_A, p, c.slot, -1, c.at,
         b.torp_next[p])
    b.torp_n[p] += 1
    b.torp_next[p] += 1


cdef inline int64_t reinforce_cost(const Params *k, const Board *b, int32_t fp) noexcept nogil:
    """FP that a ship with so many left pays to come back now. [section 7.7, BS-176, BS-R35]"""
    cdef int64_t numerator
    if not k.has_fuel:                                                       # BS-R60
        return 0
    numerator = fp * (k.reinforce_num + <int64_t>((b.round - 1) // k.reinforce_step_rounds) * k.reinforce_num_step)
    return max(1, (numerator + k.reinforce_den - 1) // k.reinforce_den)


cdef inline void reinforce(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.7]"""
    cdef int32_t used[MAX_PLAYERS]
    cdef int32_t i = p * k.ships + c.slot, cls = cls_of(k, b)[i], damage
    fp_of(k, b)[i] -= <int16_t>reinforce_cost(k, b, fp_of(k, b)[i])
    b.reinf_left[p] -= 1
    hp_of(k, b)[i] = <int8_t>k.hp[cls]                                       # BS-178
    aux_of(k, b)[i] = <int8_t>k.aux[cls]
    pos_of(k, b)[i] = <int8_t>c.at
    flags_of(k, b)[i] = (flags_of(k, b)[i] & FLAGSHIP) | (STEALTH if k.has_stealth and cls == SUBMARINE else 0)
    tell(b, log, EV_REINFORCED, 1 << p, k.everybody, HIDE_PANEL, p, c.slot, cls, c.at)
    damage = touch_mines(k, b, p, c.slot, used)                              # BS-180
    if damage:
        tell_mines(k, b, log, p, c.slot, c.at, damage, used)
        if hp_of(k, b)[i] == 0:
            sink(k, b, log, p, c.slot, BY_MINE)
    judge(k, b, log)


cdef inline int32_t flagship_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """The slot of the flagship, or -1."""
    cdef int32_t slot
    for slot in range(k.sizes[p]):
        if flags_of(k, b)[p * k.ships + slot] & FLAGSHIP:
            return slot
    return -1


cdef inline void change_flagship(const Params *k, Board *b, Told *log, int32_t p, const Command *c) noexcept nogil:
    """[section 7.11]"""
    cdef int32_t old = p * k.ships + flagship_of(k, b, p)
    fp_of(k, b)[old] -= <int16_t>k.flagship_cost
    flags_of(k, b)[old] &= ~FLAGSHIP
    flags_of(k, b)[p * k.ships + c.slot] |= FLAGSHIP
    b.flag_left[p] -= 1
    tell(b, log, EV_FLAG_CHANGED, 1 << p, k.everybody, HIDE_SLOT, p, c.slot)


# -- the parts of a turn [section 5] -------------------------------------------------------------------

cdef inline void fly_torpedoes(const Params *k, Board *b, Told *log, int32_t p, bint changed) noexcept nogil:
    """Each torpedo of p goes on by a panel, and perhaps off. [section 7.6, BS-158, BS-164 to BS-171]

    changed : whether a CHECK can find something new even if nothing is hit (see `judge`).
    """
    cdef int8_t *pos = torp_pos_of(k, b, p)
    cdef int8_t *target = torp_tgt_of(k, b, p)
    cdef int16_t *ids = torp_id_of(k, b, p)
    cdef int32_t n = 0, right, down, across, along, q, why, number, rest
    if b.torp_n[p] == 0:
        return
    while n < b.torp_n[p]:
        right = k.column[target[n]] - k.column[pos[n]]
        down = k.row[target[n]] - k.row[pos[n]]
        across = right if right >= 0 else -right
        along = down if down >= 0 else -down
        if along == 0 or (across > 0 and <int32_t>masume_below(&b.rng, across + along) < across):
            pos[n] += 1 if right > 0 else -1
        else:
            pos[n] += <int8_t>(k.width if down > 0 else -k.width)
        q = pos[n]
        number = ids[n]
        tell(b, log, EV_TORP_MOVE, 1 << p, 0, 0, p, -1, -1, q, number)
        why = 0 if q == target[n] else 1 if is_mined(k, b, q) else 2 if is_land(b, REEF, q) else -1
        if why < 0:
            n += 1
            continue
        b.torp_n[p] -= 1
        rest = b.torp_n[p] - n
        memmove(pos + n, pos + n + 1, rest)
        memmove(target + n, target + n + 1, rest)
        memmove(ids + n, ids + n + 1, rest * sizeof(int16_t))
        pos[b.torp_n[p]] = 0
        target[b.torp_n[p]] = 0
        ids[b.torp_n[p]] = 0
        tell(b, log, EV_ATTACK, 1 << p, k.everybody, HIDE_SLOT | HIDE_CLS | HIDE_B | HIDE_C, p, -1, -1, q, 1, why,
             number)
        if explode(k, b, log, p, q) or changed:
            judge(k, b, log)
        if b.phase == OVER:
            return


cdef inline void update_stealth(const Params *k, Board *b, Told *log, int32_t p, int32_t slot) noexcept nogil:
    """What the panel and the cycle make of the ship's stealth. [section 7.8, BS-195, BS-197, BS-R30, BS-R59]"""
    cdef int32_t i = p * k.ships + slot, cls = cls_of(k, b)[i], q = pos_of(k, b)[i]
    cdef uint8_t *flags = flags_of(k, b) + i
    cdef bint dives = cls == k.diver
    cdef bint now = is_land(b, FOG, q) or (dives and not flags[0] & SURFACED and not is_land(b, SHALLOWS, q))
    if now == (flags[0] & STEALTH):
        return
    flags[0] ^= STEALTH
    if dives:
        tell(b, log, EV_DIVED if now else EV_SURFACED, k.everybody, 0, 0, p, slot, cls)
    else:
        tell(b, log, EV_STEALTH, 1 << p, 0, 0, p, slot, -1, -1, now)


cdef inline void refuel_around(const Params *k, Board *b, Told *log, int32_t p, int32_t oiler) noexcept nogil:
    """One Oiler gives what it has to the ships around it. [section 7.9, BS-128 to BS-134, BS-R33]"""
    cdef int32_t slots[MAX_SHIPS]
    cdef int32_t lacks[MAX_SHIPS]
    cdef int32_t gives[MAX_SHIPS]
    cdef int32_t ranks[MAX_SHIPS]
    cdef int32_t base = p * k.ships, count = 0, needed = 0, lacking = 0, slot, i, n, m, most, budget, rest
    cdef int16_t *fp = fp_of(k, b) + base
    cdef cells_t around = k.nearby[pos_of(k, b)[base + oiler]]
    cdef uint32_t takers = alive_slots(k, b, p) & ~(class_slots(k, b, p, OILER) | flag_slots(k, b, p, STEALTH_BIT))
    budget = fp[oiler]
    while takers:
        slot = bits_first(takers)
        takers &= takers - 1
        i = base + slot
        if cells_has(around, pos_of(k, b)[i]) and fp[slot] < k.max_fp[cls_of(k, b)[i]]:
            slots[count] = slot
            lacks[count] = k.max_fp[cls_of(k, b)[i]] - fp[slot]
            lacking += lacks[count]
            needed += min(k.refuel_max, lacks[count])
            count += 1
    rest = budget
    for n in range(count):
        gives[n] = min(k.refuel_max, lacks[n])
        if needed > budget:
            gives[n] = min(gives[n], budget * lacks[n] // lacking)
        rest -= gives[n]
        m = n                                      # ranks: by decreasing lack, the lower slot first
        while m > 0 and lacks[ranks[m - 1]] < lacks[n]:
            ranks[m] = ranks[m - 1]
            m -= 1
        ranks[m] = n
    while needed > budget and rest > 0:            # ends: the needs are more than there is
        for m in range(count):
            n = ranks[m]
            most = min(k.refuel_max, lacks[n])
            if rest > 0 and gives[n] < most:
                gives[n] += 1
                rest -= 1
    for n in range(count):
        if gives[n] > 0:
            fp[slots[n]] += <int16_t>gives[n]
            fp[oiler] -= <int16_t>gives[n]
            b.pass_run = 0                                                   # BS-R42
            tell(b, log, EV_REFUEL, 1 << p, 0, 0, p, oiler, -1, -1, slots[n], gives[n])


cdef inline uint32_t flag_fuel(const Params *k, Board *b, Told *log, int32_t p, uint32_t alive) noexcept nogil:
    """FUEL_FLAGS: which of the alive ships are out of fuel; who is so in the depth sinks. [section 7.10, BS-112, BS-140]

    alive : bits of slots.
    """
    cdef uint32_t out = fuel_out_slots(k, b, p, alive)
    cdef uint32_t sinks = out & class_slots(k, b, p, k.diver) & flag_slots(k, b, p, STEALTH_BIT)
    cdef uint32_t news = (out ^ flag_slots(k, b, p, FUEL_OUT_BIT)) & alive | sinks
    cdef uint8_t *flags = flags_of(k, b) + p * k.ships
    cdef int32_t slot
    while news:
        slot = bits_first(news)
        news &= news - 1
        if not out >> slot & 1:
            flags[slot] &= ~FUEL_OUT
            continue
        if not flags[slot] & FUEL_OUT:
            flags[slot] |= FUEL_OUT
            tell(b, log, EV_FUEL_OUT, k.everybody, 0, 0, p, slot, cls_of(k, b)[p * k.ships + slot])
        if sinks >> slot & 1:
            sink(k, b, log, p, slot, BY_FUEL_OUT)
    return out


cdef inline void begin_turn(const Params *k, Board *b, Told *log, int32_t p) noexcept nogil:
    """[section 5.2, BS-138, BS-139]"""
    cdef Before before
    cdef uint32_t alive = alive_slots(k, b, p), diving, out = 0
    cdef int32_t slot, i
    tell(b, log, EV_TURN, k.everybody, 0, 0, p)
    if Told is Log:
        remember(k, b, p, &before)
    if k.surface_period > 0:
        diving = class_slots(k, b, p, k.diver) & alive
        while diving:
            slot = bits_first(diving)
            diving &= diving - 1
            i = p * k.ships + slot
            if b.round % k.surface_period == 0 and not is_land(b, FOG, pos_of(k, b)[i]):      # BS-199
                flags_of(k, b)[i] |= SURFACED
            else:
                flags_of(k, b)[i] &= ~SURFACED
            update_stealth(k, b, log, p, slot)
    if k.has_fuel:
        out = flag_fuel(k, b, log, p, alive)
    if Told is Log:
        tell_status(k, b, log, p, &before)
    if out & ~alive_slots(k, b, p):                # somebody has sunk
        judge(k, b, log)


cdef inline bint end_turn(const Params *k, Board *b, Told *log, int32_t p, const Before *before,
                          bint changed) noexcept nogil:
    """The turn of p ends; whether it is sure that a combat ship of it can still do something. [section 5.5, from step 2]

    changed : whether a CHECK can find something new even if no more happens (see `judge`).
    """
    cdef int16_t *fp = fp_of(k, b) + p * k.ships
    cdef const int8_t *pos = pos_of(k, b) + p * k.ships
    cdef uint64_t land[2]                          # neither sea nor reef
    cdef uint32_t alive = alive_slots(k, b, p), oilers = class_slots(k, b, p, OILER), some = 0, out = 0
    cdef int32_t slot, q
    for slot in range(2):
        land[slot] = b.land[SHALLOWS - 1][slot] | b.land[FOG - 1][slot] | b.land[WAVE - 1][slot]
    for slot in range(k.sizes[p] - 1, -1, -1):
        q = pos[slot]
        some = some << 1 | <uint32_t>(land[q >> 6] >> (q & 63) & 1)
    some |= class_slots(k, b, p, k.diver) & ~flag_slots(k, b, p, SURFACED_BIT) ^ flag_slots(k, b, p, STEALTH_BIT)
    some &= alive
    while some:                                    # the others stay as they are
        slot = bits_first(some)
        some &= some - 1
        if is_land(b, WAVE, pos[slot]):                                      # BS-201
            fp[slot] = <int16_t>max(0, fp[slot] - k.wave_cost)
            changed = True
        update_stealth(k, b, log, p, slot)
    if k.has_refuel:
        some = oilers & alive & ~flag_slots(k, b, p, STEALTH_BIT)
        while some:
            slot = bits_first(some)
            some &= some - 1
            if fp[slot] > 0:
                refuel_around(k, b, log, p, slot)
                changed = True
    if k.has_fuel:
        out = flag_fuel(k, b, log, p, alive)
        if out & ~alive_slots(k, b, p):
            changed = True
    if Told is Log:
        tell_status(k, b, log, p, before)
    if changed:
        judge(k, b, log)
        return False
    return alive & ~(oilers | out) != 0


cdef inline bint all_fuel_out(const Params *k, const Board *b) noexcept nogil:
    """Whether no alive combat ship of anybody can do anything. [BS-127, BS-R41]"""
    cdef const int8_t *cls = cls_of(k, b)
    cdef const int8_t *hp = hp_of(k, b)
    cdef const int16_t *fp = fp_of(k, b)
    cdef int32_t i
    for i in range(k.fleet):
        if hp[i] > 0 and cls[i] != OILER and not is_fuel_out(k, cls[i], fp[i]):
            return False
    return True


cdef inline bint is_stalled(const Params *k, const Board *b) noexcept nogil:
    """Whether everybody has passed in a row and nothing is in flight. [BS-R42]"""
    cdef int32_t p, count = 0
    if b.pass_run == 0:
        return False
    for p in range(k.players):
        count += b.active[p]
        if b.torp_n[p] > 0:
            return False
    return b.pass_run >= count


cdef inline void advance(const Params *k, Board *b, Told *log) noexcept nogil:
    """The next player's turn begins, if the rounds are not over. [section 5.1]"""
    cdef int32_t p
    while True:                                    # ends: somebody is active, or the game was over before
        b.ptr += 1
        if b.ptr == k.players:
            b.ptr = 0
            if k.round_limit and b.round >= k.round_limit:                   # BS-108
                adjudicate(k, b, log, BY_ROUND_LIMIT)
                return
            if k.max_rounds and b.round >= k.max_rounds:                     # BS-R43
                adjudicate(k, b, log, BY_MAX_ROUNDS)
                return
            b.round += 1
        p = b.order[b.ptr]
        if not b.active[p]:
            continue
        b.cur = <int8_t>p
        b.turns += 1
        begin_turn(k, b, log, p)
        if b.phase == OVER or b.active[p]:
            return


cdef inline void after_turn(const Params *k, Board *b, Told *log, bint goes_on) noexcept nogil:
    """[section 5.6]

    goes_on : whether it is sure that a combat ship of somebody can still do something.
    """
    if k.has_fuel and not goes_on and all_fuel_out(k, b):
        adjudicate(k, b, log, BY_FUEL)
    elif is_stalled(k, b):
        adjudicate(k, b, log, BY_STALL)
    else:
        advance(k, b, log)


cdef inline void give_up(const Params *k, Board *b, Told *log, int32_t p, int32_t cause) noexcept nogil:
    """The player to move leaves the game. [section 7.13, BS-106]"""
    b.pass_run = 0
    remove_player(k, b, log, p, cause)
    judge(k, b, log)
    if b.phase != OVER:
        after_turn(k, b, log, False)


cdef inline void take_turn(const Params *k, Board *b, Told *log, const Command *c) noexcept nogil:
    """A legal command of the player to move, and all it leads to. [sections 5.4 to 5.6]"""
    cdef Before before
    cdef int32_t p = b.cur
    cdef bint changed, goes_on
    if c.kind == RESIGN:
        give_up(k, b, log, p, RESIGNED)
        return
    if Told is Log:
        remember(k, b, p, &before)
    if c.kind == PASS:
        b.pass_run += 1
        tell(b, log, EV_PASS, k.everybody, 0, 0, p)
    else:
        b.pass_run = 0
        if c.kind == ATTACK:
            attack(k, b, log, p, c)
        elif c.kind == MOVE:
            move(k, b, log, p, c)
        elif c.kind == TORPEDO:
            fire_torpedo(k, b, log, p, c)
        elif c.kind == LAY:
            lay_mine(k, b, log, p, c)
        elif c.kind == REINFORCE:
            reinforce(k, b, log, p, c)
        else:
            change_flagship(k, b, log, p, c)
    changed = c.kind >= LAY and (c.kind == REFLAG or not b.qual[p])          # what these cost may decide
    if b.phase != OVER:
        fly_torpedoes(k, b, log, p, changed)
    if b.phase == OVER:
        if Told is Log:
            tell_status(k, b, log, p, &before)
        return
    goes_on = end_turn(k, b, log, p, &before, changed)
    if b.phase != OVER:
        after_turn(k, b, log, goes_on)


# -- setup [section 4.4] -------------------------------------------------------------------------------

cdef inline int32_t first_setup(const Params *k) noexcept nogil:
    """What a player decides first."""
    return FLAGGING if k.is_fixed and k.has_flagship else PLACING if k.is_fixed else PICKING


cdef inline void shuffle(uint64_t *rng, int8_t *values, int32_t count) noexcept nogil:
    """[section 4.3]"""
    cdef int32_t i, j
    cdef int8_t value
    for i in range(count - 1, 0, -1):
        j = <int32_t>masume_below(rng, i + 1)
        value = values[i]
        values[i] = values[j]
        values[j] = value


cdef inline void draw_order(const Params *k, Board *b) noexcept nogil:
    """[section 4.3, BS-44, BS-46, BS-R9]"""
    cdef int8_t members[2][MAX_PLAYERS]
    cdef int32_t counts[2]
    cdef int32_t taken[2]
    cdef int32_t p, side, n
    if k.has_order:
        memcpy(b.order, k.order, sizeof(b.order))
        return
    if not k.is_team_match:
        for p in range(k.players):
            b.order[p] = <int8_t>p
        shuffle(&b.rng, b.order, k.players)
        return
    memset(counts, 0, sizeof(counts))
    memset(taken, 0, sizeof(taken))
    for p in range(k.players):
        side = k.side[p]
        members[side][counts[side]] = <int8_t>p
        counts[side] += 1
    for side in range(2):
        shuffle(&b.rng, members[side], counts[side])
    side = <int32_t>masume_below(&b.rng, 2) if counts[0] == counts[1] else counts[1] > counts[0]
    for n in range(k.players):
        if taken[side] == counts[side]:
            side = 1 - side
        b.order[n] = members[side][taken[side]]
        taken[side] += 1
        side = 1 - side


cdef inline void draw_terrain(const Params *k, Board *b, cells_t starts) noexcept nogil:
    """[section 4.5, BS-186, BS-189, BS-R11]"""
    cdef int32_t q, terrain, r
    for q in range(k.panels):
        if cells_has(starts, q):
            continue
        r = <int32_t>masume_below(&b.rng, k.total_weight)
        terrain = SEA
        while r >= k.weights[terrain]:
            r -= k.weights[terrain]
            terrain += 1
        if terrain != SEA:
            b.land[terrain - 1][q >> 6] |= <uint64_t>1 << (q & 63)


cdef inline void make_terrain(const Params *k, Board *b) noexcept nogil:
    """Terrain and what is known of it once all ships are placed. [section 4.5]"""
    cdef cells_t starts = 0
    cdef int32_t p, t
    for p in range(k.players):
        starts |= fleet_panels(k, b, p)
        cells_store(b.known[p], k.all_panels if k.is_known else fleet_panels(k, b, p))
    if k.is_generated:
        draw_terrain(k, b, starts)
    elif not k.is_shown:
        for t in range(NUM_TERRAINS - 1):
            cells_store(b.land[t], cells_load(k.land[t]) & ~starts)


cdef inline void start_play(const Params *k, Board *b, Told *log) noexcept nogil:
    """All is chosen and placed: the battle begins. [section 4.4]"""
    cdef int32_t p, slot, i, cls
    for p in range(k.players):
        for slot in range(k.sizes[p]):
            i = p * k.ships + slot
            cls = cls_of(k, b)[i]
            hp_of(k, b)[i] = <int8_t>k.hp[cls]
            aux_of(k, b)[i] = <int8_t>k.aux[cls]
            fp_of(k, b)[i] = <int16_t>k.max_fp[cls]
            if k.has_stealth and cls == SUBMARINE:
                flags_of(k, b)[i] |= STEALTH
    draw_order(k, b)
    make_terrain(k, b)
    for p in range(k.players):
        for slot in range(k.sizes[p]):
            i = p * k.ships + slot
            tell(b, log, EV_SETUP, 1 << p, 0, 0, p, slot, cls_of(k, b)[i], pos_of(k, b)[i],
                 flags_of(k, b)[i] & FLAGSHIP != 0)
    tell(b, log, EV_START, k.everybody, 0, 0, -1, -1, -1, -1, b.order[0], b.order[1],
         b.order[2] if k.players > 2 else -1, b.order[3] if k.players > 3 else -1)
    b.phase = PLAY
    b.setup_kind = 0
    b.setup_i = 0
    b.round = 1
    advance(k, b, log)


cdef inline void set_up(const Params *k, Board *b, Told *log, const Command *c) noexcept nogil:
    """A legal setup decision. [section 4.4]"""
    cdef int32_t p = b.cur
    b.setup_i += 1
    if c.kind == PLACE:
        pos_of(k, b)[p * k.ships + b.setup_i - 1] = <int8_t>c.at
        if b.setup_i == k.sizes[p]:
            if p + 1 == k.players:
                start_play(k, b, log)
                return
            b.cur += 1
            b.setup_kind = <int8_t>first_setup(k)
            b.setup_i = 0
        return
    if c.kind == PICK:
        cls_of(k, b)[p * k.ships + b.setup_i - 1] = <int8_t>c.at
        if b.setup_i < k.sizes[p]:
            return
    else:
        flags_of(k, b)[p * k.ships + c.slot] |= FLAGSHIP
    b.setup_kind = FLAGGING if c.kind == PICK and k.has_flagship else PLACING
    b.setup_i = 0


cdef inline void follow(const Params *k, Board *b, Told *log, const Command *c) noexcept nogil:
    """A legal decision, and all it leads to."""
    if b.phase == SETUP:
        set_up(k, b, log, c)
    else:
        take_turn(k, b, log, c)


# -- what is legal [section 6.1] -----------------------------------------------------------------------

cdef struct Options:                   # of the player to move, in play
    uint32_t attacks[MAX_SHIPS]        # bits of directions
    uint32_t moves[MAX_SHIPS]          # in the order of their codes
    uint32_t mines[MAX_SHIPS]          # bits of directions
    uint32_t torpedoes                 # bits of slots
    uint32_t reinforcements            # bits of slots, each on all of `landings`
    uint32_t flagships                 # bits of slots
    cells_t landings
    int32_t count                      # of all of these
    int32_t num_attacks
    int32_t num_moves
    int32_t num_mines
    int32_t num_torpedoes
    int32_t num_reinforcements
    int32_t num_landings


cdef inline uint32_t attacks_of(const Params *k, const Board *b, int32_t p, int32_t q, int32_t cls,
                                int32_t fp) noexcept nogil:
    """Directions in which such an alive ship of p may attack. [BS-50, BS-51, BS-111]"""
    cdef uint32_t found = k.around[q] & k.attack_ways & -<uint32_t>(fp >= k.attack_cost[cls]), ways
    cdef int32_t direction
    cdef cells_t reefs
    if k.shuns_reefs:
        reefs = known_reef(b, p)
        ways = found
        while ways:
            direction = bits_first(ways)
            ways &= ways - 1
            if cells_has(reefs, k.near[q][direction]):
                found ^= <uint32_t>1 << direction
    return found


cdef inline uint32_t moves_of(const Params *k, int32_t q, int32_t cls, int32_t fp, const int8_t *pos, uint32_t alive,
                              cells_t reefs) noexcept nogil:
    """How such a ship may move: Dm bits a direction, bit n = n + 1 panels. [BS-61 to BS-64, BS-111, BS-118 to BS-120]

    pos : where the own ships are, alive : which of them are so. reefs : those that the player knows. [BS-R18, BS-R19]
    """
    cdef const uint32_t *shadow = k.shadow[q]
    cdef uint32_t barred = 0
    while alive:
        barred |= shadow[pos[bits_first(alive)]]
        alive &= alive - 1
    reefs &= k.cross[q]
    while reefs:
        barred |= shadow[cells_first(reefs)]
        reefs &= reefs - 1
    return k.rays[q] & k.every_heading * slots_below(k.steps_fp[cls], fp + 1) & ~barred


cdef inline int32_t count_moves(const Params *k, uint32_t moves) noexcept nogil:
    cdef int32_t found = k.num_ways[moves & 0xFF] + k.num_ways[moves >> 8 & 0xFF]
    if moves >> 16:                                # never on the smaller maps
        found += k.num_ways[moves >> 16 & 0xFF] + k.num_ways[moves >> 24]
    return found


cdef inline bint may_lay(const Params *k, int32_t cls, int32_t aux, int32_t fp) noexcept nogil:
    """Whether such an alive ship may lay a mine. [BS-142 to BS-146]"""
    return (aux > 0) & (fp >= k.mine_least[cls])


cdef inline bint may_fire(const Params *k, int32_t cls, int32_t aux, int32_t fp) noexcept nogil:
    """Whether such an alive ship may fire a torpedo. [BS-151 to BS-157]"""
    return (aux > 0) & (fp >= k.torpedo_least[cls])


cdef inline bint may_reinforce(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Whether the player may bring back a ship at all. [BS-103, BS-177]"""
    return b.reinf_left[p] > 0 and b.qual[p] and b.round <= k.reinforce_last_round


cdef inline bint may_return(const Params *k, const Board *b, int32_t i) noexcept nogil:
    """Whether the ship is sunk and can pay to come back. [BS-172 to BS-175]"""
    return hp_of(k, b)[i] == 0 and fp_of(k, b)[i] >= reinforce_cost(k, b, fp_of(k, b)[i])


cdef inline cells_t landings_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Where a ship of the player may come back. [BS-179]"""
    return cells_load(b.known[p]) & ~(known_reef(b, p) | fleet_panels(k, b, p))


cdef inline bint may_reflag(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Whether the flagship can hand over. [BS-68, BS-89, BS-123, BS-124]"""
    cdef int32_t i
    if not (k.has_flagship and b.flag_left[p] > 0):
        return False
    i = p * k.ships + flagship_of(k, b, p)
    return hp_of(k, b)[i] > 0 and fp_of(k, b)[i] >= k.flagship_cost


cdef inline void find_options(const Params *k, const Board *b, Options *o) noexcept nogil:
    """All that the player to move may do but pass and resign."""
    cdef int32_t p = b.cur, slot, q, cls, fuel, first = p * k.ships, size = k.sizes[p]
    cdef const int16_t *fp = fp_of(k, b) + first
    cdef const int8_t *classes = cls_of(k, b) + first
    cdef const int8_t *pos = pos_of(k, b) + first
    cdef const int8_t *aux = aux_of(k, b) + first
    cdef const uint8_t *flags = flags_of(k, b) + first
    cdef cells_t reefs = known_reef(b, p)
    cdef bint reflag = may_reflag(k, b, p), back = may_reinforce(k, b, p)
    cdef uint32_t alive = alive_slots(k, b, p), attacks, moves, mines, ready, torpedoes = 0, reinforcements = 0, flagships = 0
    cdef int32_t num_attacks = 0, num_moves = 0, num_mines = 0, num_ready = 0, num_sunk = 0, num_flagships = 0
    for slot in range(size):
        attacks = moves = mines = 0
        if alive >> slot & 1:
            q = pos[slot]
            cls = classes[slot]
            fuel = fp[slot]
            attacks = attacks_of(k, b, p, q, cls, fuel)
            moves = moves_of(k, q, cls, fuel, pos, alive, reefs)
            mines = k.around[q] & -<uint32_t>may_lay(k, cls, aux[slot], fuel)
            ready = may_fire(k, cls, aux[slot], fuel)
            num_attacks += k.num_ways[attacks]
            num_moves += count_moves(k, moves)
            num_mines += k.num_ways[mines]
            torpedoes |= ready << slot
            num_ready += ready
            if reflag and not flags[slot] & FLAGSHIP:
                flagships |= <uint32_t>1 << slot
                num_flagships += 1
        elif back and may_return(k, b, first + slot):
            reinforcements |= <uint32_t>1 << slot
            num_sunk += 1
        o.attacks[slot] = attacks
        o.moves[slot] = moves
        o.mines[slot] = mines
    o.landings = 0
    o.num_landings = 0
    if reinforcements:
        o.landings = landings_of(k, b, p)
        o.num_landings = cells_count(o.landings)
    o.torpedoes = torpedoes
    o.reinforcements = reinforcements
    o.flagships = flagships
    o.num_attacks = num_attacks
    o.num_moves = num_moves
    o.num_mines = num_mines
    o.num_torpedoes = num_ready * (k.panels - 1)
    o.num_reinforcements = num_sunk * o.num_landings
    o.count = num_attacks + num_moves + num_mines + o.num_torpedoes + o.num_reinforcements + num_flagships


cdef inline bint is_legal_setup(const Params *k, const Board *b, const Command *c) noexcept nogil:
    """[section 4.4]"""
    cdef int32_t p = b.cur, slot
    if b.setup_kind == PICKING:
        if c.kind != PICK or c.at != OILER or b.setup_i + 1 < k.sizes[p]:
            return c.kind == PICK
        for slot in range(b.setup_i):                                        # BS-86
            if cls_of(k, b)[p * k.ships + slot] != OILER:
                return True
        return False
    if b.setup_kind == FLAGGING:
        return c.kind == REFLAG and c.slot < k.sizes[p]
    return c.kind == PLACE and cells_has(free_starts(k, b), c.at)


cdef inline cells_t free_starts(const Params *k, const Board *b) noexcept nogil:
    """Where the player who sets up may place a ship. [BS-39, BS-40, BS-193]"""
    cdef cells_t found = k.all_panels & ~cells_load(b.land[REEF - 1])        # none before play, unless it is known
    cdef int32_t slot
    for slot in range(b.setup_i):
        found &= ~cells_one(pos_of(k, b)[b.cur * k.ships + slot])
    return found


cdef inline bint is_legal(const Params *k, const Board *b, const Command *c) noexcept nogil:
    """Whether the player to move may play this."""
    cdef Options options
    cdef int32_t p = b.cur, i = p * k.ships + c.slot, q, cls, fp
    if b.phase == SETUP:
        return is_legal_setup(k, b, c)
    if c.kind == PASS:                                                       # BS-48
        find_options(k, b, &options)
        return options.count == 0
    if c.kind == RESIGN:
        return k.may_resign
    if c.kind > REFLAG or c.slot >= k.sizes[p]:
        return False
    if c.kind == REINFORCE:
        return may_reinforce(k, b, p) and may_return(k, b, i) and cells_has(landings_of(k, b, p), c.at)
    if hp_of(k, b)[i] == 0:                                                  # BS-54
        return False
    q = pos_of(k, b)[i]
    cls = cls_of(k, b)[i]
    fp = fp_of(k, b)[i]
    if c.kind == ATTACK:
        return attacks_of(k, b, p, q, cls, fp) >> c.at & 1
    if c.kind == MOVE:
        return (moves_of(k, q, cls, fp, pos_of(k, b) + p * k.ships, alive_slots(k, b, p), known_reef(b, p))
                >> (k.reach * c.at + c.steps - 1) & 1)
    if c.kind == LAY:
        return may_lay(k, cls, aux_of(k, b)[i], fp) and k.around[q] >> c.at & 1
    if c.kind == TORPEDO:
        return may_fire(k, cls, aux_of(k, b)[i], fp) and c.at != q
    return may_reflag(k, b, p) and not flags_of(k, b)[i] & FLAGSHIP

# cython: language_level=3, cdivision=True
"""Battleship: the layout of states, and what all rules ask of it.

Rules are inline functions over it, in a file for each system of the rule book, so that whoever needs them compiles the
same text.

A Board is the fixed part of a state; the arrays whose size the config fixes follow at offsets of Params. Ship `slot`
of player `p` is number p * ships + slot in each of them. Sets of panels are words of 128 bits (cells.h). Without fuel
all costs are 0, so that nobody pays.

Events are written into a Log where there is one; for Nobody, who is a NULL in its place, nothing that only players see
is computed. What takes either (Told) is compiled for each.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from masume.core.bits cimport bits_count, bits_first, bits_first64, bits_select, bits_spread

cdef extern from "masume/cells.h" nogil:
    ctypedef unsigned long long cells_t            # of 128 bits
    cells_t cells_load(const uint64_t *)
    void cells_store(uint64_t *, cells_t)
    cells_t cells_one(int32_t)
    cells_t cells_below(int32_t)
    bint cells_has(cells_t, int32_t)
    int32_t cells_count(cells_t)
    int32_t cells_first(cells_t)
    int32_t cells_select(cells_t, int32_t)
    uint64_t cells_low(cells_t)
    cells_t cells_up(cells_t, int32_t)
    cells_t cells_down(cells_t, int32_t)

cdef extern from "masume/battleship/slots.h" nogil:
    enum: SLOTS
    uint32_t slots_equal(const int8_t *, int32_t)
    uint32_t slots_positive(const int8_t *)
    uint32_t slots_flagged(const uint8_t *, int32_t)
    uint32_t slots_below(const int16_t *, int32_t)
    uint32_t slots_differing(const void *, const void *)
    uint32_t slots_differing16(const int16_t *, const int16_t *)
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
    SURF = 2
    FUELOUT = 4
    FLAGSHIP = 8
    STEALTH_BIT = 0
    SURF_BIT = 1
    FUELOUT_BIT = 2

cdef enum:                             # kinds of command, in the order of section 6.2
    PASS
    RESIGN
    ATTACK
    MOVE
    MINE
    TORPEDO
    REINFORCE
    FLAG
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

cdef struct Status:                    # a fleet as it was
    int16_t fp[SLOTS]
    int8_t pos[SLOTS]
    int8_t hp[SLOTS]
    int8_t aux[SLOTS]
    uint8_t flags[SLOTS]

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
    uint32_t enemies[MAX_PLAYERS]      # bits of players
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
    bint attacks_own                   # a ship may attack its own panel
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
    uint16_t targets[MAX_PANELS]       # bits of those in which a ship may attack
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


# -- ships ---------------------------------------------------------------------------------------------

cdef inline uint32_t alive_slots(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Bits of the slots of alive ships."""
    return slots_positive(hp_of(k, b) + p * k.ships) & k.slots[p]

cdef inline uint32_t class_slots(const Params *k, const Board *b, int32_t p, int32_t cls) noexcept nogil:
    """Bits of the slots of a class, and others behind the fleet."""
    return slots_equal(cls_of(k, b) + p * k.ships, cls)

cdef inline uint32_t flag_slots(const Params *k, const Board *b, int32_t p, int32_t bit) noexcept nogil:
    """Bits of the slots of ships with this bit of ship_flags, and others behind the fleet."""
    return slots_flagged(flags_of(k, b) + p * k.ships, bit)

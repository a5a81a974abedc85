# cython: language_level=3, cdivision=True
"""Battleship: the layout of states, and accessors that all rules use.

The rules are inline functions over this layout, in one file per system of the rule book, so that every module that
needs them compiles the same source.

A Board is the fixed part of a state. The arrays whose size depends on the config follow it at the offsets in Params:
first sets of panels of `words` 32-bit words each, then Sets of ships, then values. Ship `slot` of player `p` has index
p * ships + slot in each array per ship. In calculations sets of panels are 128-bit words (cells.h). Without fuel all
costs are 0.

Events are written into a Log. Nobody is the type of a NULL in place of a Log: then nothing is computed that only
events need. Functions that take either type (the fused type Told) are compiled once for each.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from masume.core.bits cimport bits_count, bits_first, bits_first64, bits_select, bits_spread

cdef extern from "masume/cells.h" nogil:
    ctypedef unsigned long long cells_t            # of 128 bits
    ctypedef unsigned long cells64_t               # of 64
    cells_t cells_load(const uint64_t *)
    void cells_store(uint64_t *, cells_t)
    cells_t cells_one(int32_t)
    cells_t cells_below(int32_t)
    bint cells_has(cells_t, int32_t)
    int32_t cells_count(cells_t)
    int32_t cells_first(cells_t)
    int32_t cells_select(cells_t, int32_t)
    uint64_t cells_low(cells_t)
    cells_t cells_down(cells_t, int32_t)

cdef extern from "masume/battleship/kernels.h" nogil:
    enum: GRID_CELLS

    ctypedef struct battleship_grid:
        int32_t width
        int32_t count
        int32_t west[GRID_CELLS]
        int32_t east[GRID_CELLS]

    ctypedef struct battleship_level:
        int32_t (*share)(int32_t, int32_t, const uint64_t *, const int32_t *, int32_t, int32_t *) noexcept nogil
        int32_t (*highest)(const battleship_grid *, int32_t, const int32_t *, int32_t *) noexcept nogil

    const battleship_level *battleship_pick(const char *)

cdef extern from "masume/battleship/slots.h" nogil:
    enum: SLOTS
    uint32_t slots_equal(const int8_t *, int32_t)
    uint32_t slots_below(const int16_t *, int32_t)
    uint32_t slots_differing(const void *, const void *)
    uint32_t slots_differing16(const int16_t *, const int16_t *)
    int32_t ways_select(uint32_t, int32_t)
    int32_t ends_find(const uint32_t *, int32_t, int32_t)
    cells_t panels_load(const uint32_t *)
    void panels_store(uint32_t *, cells_t, int32_t)
    void panels_add(uint32_t *, cells_t, int32_t)
    void plane_draw(float *, int32_t, uint64_t)
    void plane_draw_bytes(uint8_t *, int32_t, uint64_t)

cdef enum:
    MAX_PLAYERS = 4
    MAX_SHIPS = 12
    MAX_PANELS = 81
    PANEL_WORDS = 3                    # of 32 bits, for all panels
    MAX_ACTIONS = 2643                 # with 9 x 9 panels and 12 ships [section 6.2]
    MAX_STEPS = 8                      # panels of a move
    NUM_CLASSES = 4
    NINE = 9                           # directions; the last one is the own panel
    CENTRE = 8
    COLUMNS = 16                       # int16 values per event
    NO_PANEL = -1
    UNPAID = 32767                     # more FP than a ship can have
    MAX_COUNT = 30000                  # of 16-bit counters: one more turn never overflows

cdef enum:                             # what a ship's FP pays for, by bit; the lower bits: moves of 1, 2, ... panels
    PAYS_ATTACK = MAX_STEPS
    PAYS_MINE
    PAYS_TORPEDO

cdef enum:                             # classes [section 2.1]
    BATTLESHIP
    DESTROYER
    SUBMARINE
    OILER

cdef enum:                             # terrain [section 3.1]; a Board has a set of panels for each except sea
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

cdef enum:                             # why a move stopped
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

cdef enum:                             # columns hidden from the players in COL_PART
    HIDE_SLOT = 1 << (COL_SLOT - COL_PLAYER)
    HIDE_CLS = 1 << (COL_CLS - COL_PLAYER)
    HIDE_PANEL = 1 << (COL_PANEL - COL_PLAYER)
    HIDE_A = 1 << (COL_A - COL_PLAYER)
    HIDE_B = 1 << (COL_B - COL_PLAYER)
    HIDE_C = 1 << (COL_C - COL_PLAYER)


cdef struct Board:                     # section 3.2; `order` is 0 for players that do not exist
    uint64_t rng
    int32_t round
    int32_t turns
    int16_t pass_run
    int8_t order[MAX_PLAYERS]
    int8_t phase
    int8_t setup_kind
    int8_t setup_i
    int8_t cur
    int8_t ptr
    int8_t reason
    uint8_t winners                    # bits of sides
    uint8_t qual                       # bits of players
    uint8_t active
    uint8_t padding

cdef struct Sets:                      # of a player's slots, bit n = slot n; all empty before play, but the flagship
    uint16_t stealth                   # the flags of section 3.2; sunk ships keep the flagship only
    uint16_t surf
    uint16_t fuelout
    uint16_t flagship
    uint16_t alive                     # from here on, what follows from the arrays, so that no rule goes through them
    uint16_t poor                      # too little FP to attack or move, sunk ships too
    uint16_t oilers                    # by class
    uint16_t divers                    # the class with the stealth trait
    uint16_t shallows                  # by the terrain of the panel, sunk ships too
    uint16_t fog
    uint16_t waves

cdef struct Command:                   # a decoded action code
    uint8_t kind
    uint8_t slot
    uint8_t at                         # direction, class or panel
    uint8_t steps

cdef struct Log:                       # events of one call; the records follow
    int32_t count
    int32_t padding

cdef struct Nobody:                    # type of the NULL passed if no Log is kept
    int32_t none

ctypedef fused Told:                   # the rules are compiled for both
    Log
    Nobody

cdef struct Status:                    # copy of a fleet, to detect changes
    int16_t fp[SLOTS]
    int8_t pos[SLOTS]
    int8_t hp[SLOTS]
    int8_t aux[SLOTS]
    Sets sets

cdef struct Params:                    # the fields that each turn reads come first
    int32_t players
    int32_t ships                      # S
    int32_t words                      # of a set of panels
    uint32_t at_known[MAX_PLAYERS]     # byte offsets of the arrays of a state; of these two, of each player's part
    uint32_t at_sets[MAX_PLAYERS]
    uint32_t at_mined
    uint32_t at_fp
    uint32_t at_torp_next
    uint32_t at_dealt
    uint32_t at_kills
    uint32_t at_cls
    uint32_t at_pos
    uint32_t at_hp
    uint32_t at_aux
    uint32_t at_torp_n
    uint32_t at_reinf_left
    uint32_t at_flag_left
    uint32_t at_torp_id
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
    int32_t first[PLACE + 1]           # first code of each kind of command
    int32_t num_sides
    int32_t sizes[MAX_PLAYERS]         # ships of each player
    uint32_t slots[MAX_PLAYERS]        # their slots as bits
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
    bint by_score                      # the score decides when time is up
    int32_t defender
    int32_t round_limit                # 0: none
    int32_t max_rounds                 # 0: none
    int32_t last_round                 # the first of both limits; 0: none
    bint has_fuel
    const battleship_level *kernels    # of the CPU level
    battleship_grid grid           # the map
    int32_t shares[MAX_PANELS + 1]     # of HIT, of each panel of a set: by its size
    bint has_refuel
    int32_t hp[NUM_CLASSES]
    int32_t aux[NUM_CLASSES]
    int32_t max_fp[NUM_CLASSES]
    uint8_t first_level[2][256]        # of HP and FP: where the search for the byte of a share begins
    int32_t attack_cost[NUM_CLASSES]
    int32_t move_fp[NUM_CLASSES][MAX_STEPS + 1]
    int16_t prices[NUM_CLASSES][SLOTS]        # FP that each bit of `pays` takes; UNPAID if the class never does that
    int32_t least[NUM_CLASSES]         # least FP with which a ship can attack or move
    int32_t torpedo_cost
    int32_t mine_cost
    int32_t flagship_cost
    int32_t wave_cost
    int32_t refuel_max
    bint has_stealth
    int32_t diver                      # the class with the stealth trait; NUM_CLASSES if none
    int32_t surface_period
    int32_t reinforcements
    int32_t reinforce_last_round
    int32_t reinforce_step_rounds
    int32_t reinforce_num
    int32_t reinforce_num_step
    int32_t reinforce_den
    int32_t flagship_changes
    bint is_generated                  # terrain is drawn
    bint is_known                      # terrain is known from the start: none, or `terrain_known`
    bint is_shown                      # terrain is on the map before play
    int32_t weights[NUM_TERRAINS]
    int32_t total_weight
    int32_t bounds[NUM_TERRAINS - 1]   # sums of the weights: of the first, of the first two, ...
    uint64_t land[NUM_TERRAINS - 1][2]      # terrain_map
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
    cells_t only[MAX_PANELS]           # the panel alone
    cells_t nearby[MAX_PANELS]         # the 3 to 8 panels around
    cells_t turned[MAX_PANELS]         # the panel alone where panels are counted down the columns
    cells_t ahead[MAX_PANELS][4]       # the panels in each of the 4 directions, to the edge of the map
    uint32_t every_heading             # a multiplier: copies the bits of one heading to all 4
    uint32_t rays[MAX_PANELS]          # moves on an empty map: Dm bits per heading, bit n = n + 1 panels
    int8_t row_start[MAX_PANELS]       # number of the first panel of its row
    int8_t column_start[MAX_PANELS]    # the same for its column where panels are counted down the columns
    uint32_t row_bars[NINE][1 << NINE]      # moves from this column that these panels of the row bar
    uint32_t column_bars[NINE][1 << NINE]   # the same along a column
    int8_t near[MAX_PANELS][NINE]      # panel in each of the 9 directions, or NO_PANEL
    uint32_t ways[MAX_PANELS]          # bits of the directions of attacks, and from bit 16 of mines
    uint32_t numbers[MAX_PANELS]       # how many attacks, mines and torpedoers that makes, as in `Options.ends`
    uint32_t paid_ways[8]              # the bits of `ways` that are kept, by the bits of `pays` from PAYS_ATTACK on
    uint32_t paid_numbers[8]           # the same of `numbers`
    uint8_t num_ways[1 << NINE]        # number of bits in a set of directions
    int8_t row[MAX_PANELS]
    int8_t column[MAX_PANELS]
    int32_t step[4]
    int8_t apart[MAX_PANELS][MAX_PANELS]        # steps of a chess king between two panels
    Command commands[MAX_ACTIONS]
    uint32_t used                      # bytes of a state without its padding
    uint32_t at_notices                # byte offsets of the arrays of a memory
    uint32_t at_suspects
    uint32_t at_log
    int32_t log_capacity


# -- the arrays of a state -----------------------------------------------------------------------------

cdef inline uint32_t *land_at(const Params *k, const Board *b, int32_t terrain) noexcept nogil:
    """Return the set of the panels with this terrain, which must not be SEA."""
    return <uint32_t *>(<uint8_t *>b + sizeof(Board)) + (terrain - 1) * k.words

cdef inline uint32_t *known_at(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return the set of the panels whose terrain the player knows."""
    return <uint32_t *>(<uint8_t *>b + k.at_known[p])

cdef inline uint32_t *mined_at(const Params *k, const Board *b) noexcept nogil:
    """Return the set of the panels with mines of any player."""
    return <uint32_t *>(<uint8_t *>b + k.at_mined)

cdef inline Sets *sets_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    return <Sets *>(<uint8_t *>b + k.at_sets[p])

cdef inline int16_t *fp_of(const Params *k, const Board *b) noexcept nogil:
    return <int16_t *>(<uint8_t *>b + k.at_fp)

cdef inline int16_t *torp_next_of(const Params *k, const Board *b) noexcept nogil:
    return <int16_t *>(<uint8_t *>b + k.at_torp_next)

cdef inline int16_t *dealt_of(const Params *k, const Board *b) noexcept nogil:
    return <int16_t *>(<uint8_t *>b + k.at_dealt)

cdef inline int16_t *kills_of(const Params *k, const Board *b) noexcept nogil:
    return <int16_t *>(<uint8_t *>b + k.at_kills)

cdef inline int8_t *cls_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_cls

cdef inline int8_t *pos_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_pos

cdef inline int8_t *hp_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_hp

cdef inline int8_t *aux_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_aux

cdef inline int8_t *torp_n_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_torp_n

cdef inline int8_t *reinf_left_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_reinf_left

cdef inline int8_t *flag_left_of(const Params *k, const Board *b) noexcept nogil:
    return <int8_t *>b + k.at_flag_left

cdef inline uint8_t *torp_id_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return the low bytes of the numbers of the player's torpedoes (`torpedo_number`)."""
    return <uint8_t *>b + k.at_torp_id + p * k.torpedoes

cdef inline int8_t *torp_pos_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    return <int8_t *>b + k.at_torp_pos + p * k.torpedoes

cdef inline int8_t *torp_tgt_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    return <int8_t *>b + k.at_torp_tgt + p * k.torpedoes

cdef inline uint8_t *mines_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    return <uint8_t *>b + k.at_mines + p * k.panels

cdef inline int32_t torpedo_number(const Params *k, const Board *b, int32_t p, int32_t n) noexcept nogil:
    """Return the number of the n-th torpedo in flight: the last one with this low byte. [section 12, T7]"""
    cdef int32_t following = torp_next_of(k, b)[p]
    return following - (following - torp_id_of(k, b, p)[n] & 0xFF)


# -- panels --------------------------------------------------------------------------------------------

cdef inline cells_t land_of(const Params *k, const Board *b, int32_t terrain) noexcept nogil:
    """Return the panels with this terrain, which must not be SEA."""
    return panels_load(land_at(k, b, terrain)) & k.all_panels

cdef inline cells_t known_of(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return the panels whose terrain the player knows."""
    return panels_load(known_at(k, b, p)) & k.all_panels

cdef inline bint has_panel(const uint32_t *panels, int32_t q) noexcept nogil:
    return panels[q >> 5] >> (q & 31) & 1

cdef inline void add_panel(uint32_t *panels, int32_t q) noexcept nogil:
    panels[q >> 5] |= <uint32_t>1 << (q & 31)

cdef inline bint is_land(const Params *k, const Board *b, int32_t terrain, int32_t q) noexcept nogil:
    """Return whether the panel has this terrain, which must not be SEA."""
    return has_panel(land_at(k, b, terrain), q)

cdef inline int32_t terrain_at(const Params *k, const Board *b, int32_t q) noexcept nogil:
    cdef int32_t terrain
    for terrain in range(REEF, NUM_TERRAINS):
        if is_land(k, b, terrain, q):
            return terrain
    return SEA

cdef inline cells_t known_reef(const Params *k, const Board *b, int32_t p) noexcept nogil:
    return panels_load(known_at(k, b, p)) & land_of(k, b, REEF)

cdef inline cells_t fleet_panels(const Params *k, const Board *b, int32_t p) noexcept nogil:
    """Return the panels of a player's living ships."""
    cdef const int8_t *pos = pos_of(k, b) + p * k.ships
    cdef const int8_t *hp = hp_of(k, b) + p * k.ships
    cdef cells_t found = 0
    cdef int32_t slot
    for slot in range(k.sizes[p]):
        if hp[slot] > 0:
            found |= k.only[pos[slot]]
    return found

cdef inline uint32_t slots_at(const Params *k, const Board *b, int32_t p, int32_t q) noexcept nogil:
    """Return the slot of the living ship of p on panel q as a bit, or 0. [section 3.3]"""
    return slots_equal(pos_of(k, b) + p * k.ships, q) & sets_of(k, b, p).alive


cdef inline cells_t path_of(const Params *k, int32_t q, const Command *c) noexcept nogil:
    """Return the panels that a move from q enters; it ends on the map."""
    cdef int32_t end = q + k.step[c.at] * c.steps
    return k.only[end] if k.jumps else k.ahead[q][c.at] ^ k.ahead[end][c.at]


# -- ships ---------------------------------------------------------------------------------------------

cdef inline uint32_t flags_at(const Params *k, const Board *b, int32_t p, int32_t slot) noexcept nogil:
    """Return the ship_flags of a ship. [section 3.2]"""
    cdef const Sets *s = sets_of(k, b, p)
    return (s.stealth >> slot & 1 | (s.surf >> slot & 1) * SURF | (s.fuelout >> slot & 1) * FUELOUT
            | (s.flagship >> slot & 1) * FLAGSHIP)


cdef inline void put_fp(const Params *k, Board *b, int32_t p, int32_t slot, int32_t cls, int32_t fp) noexcept nogil:
    """Give a ship this FP. [BS-112]"""
    cdef Sets *s = sets_of(k, b, p)
    fp_of(k, b)[p * k.ships + slot] = <int16_t>fp
    s.poor = <uint16_t>(s.poor & ~(<uint32_t>1 << slot) | <uint32_t>(fp < k.least[cls]) << slot)


cdef inline void put_ship(const Params *k, Board *b, int32_t p, int32_t slot, int32_t q) noexcept nogil:
    """Put a ship on a panel."""
    cdef Sets *s = sets_of(k, b, p)
    cdef uint32_t others = ~(<uint32_t>1 << slot)
    pos_of(k, b)[p * k.ships + slot] = <int8_t>q
    s.shallows = <uint16_t>(s.shallows & others | <uint32_t>is_land(k, b, SHALLOWS, q) << slot)
    s.fog = <uint16_t>(s.fog & others | <uint32_t>is_land(k, b, FOG, q) << slot)
    s.waves = <uint16_t>(s.waves & others | <uint32_t>is_land(k, b, WAVE, q) << slot)


cdef inline void find_sets(const Params *k, const Board *b, int32_t p, Sets *s) noexcept nogil:
    """Write the sets of a player that follow from the arrays; a position in setup has none."""
    cdef int32_t slot, i, cls
    s.alive = s.poor = s.oilers = s.divers = s.shallows = s.fog = s.waves = 0
    for slot in range(k.sizes[p] if b.phase != SETUP else 0):
        i = p * k.ships + slot
        cls = cls_of(k, b)[i]
        s.alive |= <uint16_t>((hp_of(k, b)[i] > 0) << slot)
        s.poor |= <uint16_t>((fp_of(k, b)[i] < k.least[cls]) << slot)
        s.oilers |= <uint16_t>((cls == OILER) << slot)
        s.divers |= <uint16_t>((cls == k.diver) << slot)
        s.shallows |= <uint16_t>(is_land(k, b, SHALLOWS, pos_of(k, b)[i]) << slot)
        s.fog |= <uint16_t>(is_land(k, b, FOG, pos_of(k, b)[i]) << slot)
        s.waves |= <uint16_t>(is_land(k, b, WAVE, pos_of(k, b)[i]) << slot)


cdef inline cells_t find_mined(const Params *k, const Board *b) noexcept nogil:
    """Return the panels with mines from their numbers."""
    cdef cells_t found = 0
    cdef int32_t p, q
    for p in range(k.players):
        for q in range(k.panels):
            if mines_of(k, b, p)[q]:
                found |= k.only[q]
    return found


cdef inline void complete(const Params *k, Board *b) noexcept nogil:
    """Set all sets that follow from arrays."""
    cdef int32_t p
    for p in range(k.players):
        find_sets(k, b, p, sets_of(k, b, p))
    panels_store(mined_at(k, b), find_mined(k, b), k.words)

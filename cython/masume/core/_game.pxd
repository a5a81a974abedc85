# cython: language_level=3
"""The function table of src/masume/game.h, for cimport."""
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "masume/game.h" nogil:
    enum: MASUME_GAME_ABI
    enum: MASUME_GAME_MIN_SIZE
    enum: MASUME_MAX_PLAYERS
    enum: MASUME_MAX_SLOTS
    enum: MASUME_MAX_ACTIONS
    enum: MASUME_MAX_FIELDS
    enum: MASUME_MAX_DIMS
    enum: MASUME_MAX_CROP
    enum: MASUME_MAX_NOTE
    enum: MASUME_SIMULTANEOUS
    enum: MASUME_IMPERFECT
    enum: MASUME_OPEN_NEWS
    enum: MASUME_TERMINAL
    int32_t MASUME_ILLEGAL(int32_t slot)
    int32_t MASUME_ILLEGAL_SLOT(int32_t status)
    const char *MASUME_GAME_CAPSULE

    ctypedef struct masume_field:
        const char *name
        const char *dtype
        uint32_t ndim
        uint32_t shape[4]
        uint32_t offset

    enum: MASUME_BYTES
    enum: MASUME_BITS
    enum: MASUME_FLOATS
    enum: MASUME_HALVES

    ctypedef struct masume_plane:
        const float *levels
        float scale
        float offset
        uint32_t is_bits

    ctypedef struct masume_form:
        int32_t dtype
        int32_t rows
        int32_t columns
        int32_t part

    enum: MASUME_AROUND
    enum: MASUME_SEEN

    enum: MASUME_RESET_SAME_STEP
    enum: MASUME_RESET_NEXT_STEP
    enum: MASUME_RESET_DISABLED

    ctypedef struct masume_game

    ctypedef struct masume_batch:
        int64_t n
        const masume_game *const *games
        int32_t num_games
        int32_t autoreset
        int32_t score_rewards
        int32_t fallback
        const int32_t *actions
        int32_t *game_index
        uint8_t *states
        uint8_t *memories
        uint64_t *rngs
        uint64_t *seeds
        float *rewards
        uint8_t *terminated
        uint8_t *over
        uint8_t *illegal
        int8_t *current_player
        uint8_t *masks
        uint32_t *masks_packed
        uint32_t fields
        uint32_t final_fields
        void *observations[16]
        void *final_observations[16]
        int64_t *scores
        int64_t *plies
        int64_t *finished
        int64_t *total_plies
        int64_t *fallbacks
        double *total_returns

    ctypedef struct masume_game:
        uint32_t abi
        uint32_t struct_size
        const char *name
        const void *params
        uint32_t state_size
        uint32_t memory_size
        uint32_t num_players
        uint32_t num_slots
        uint32_t num_actions
        uint32_t max_legal
        uint32_t flags
        int64_t max_game_length
        uint32_t num_state_fields
        uint32_t num_fields
        const masume_field *state_fields
        const masume_field *fields
        uint32_t num_policies
        const char *const *policy_names
        void (*init)(const masume_game *, void *, void *, uint64_t) noexcept nogil
        int32_t (*slots)(const masume_game *, const void *, int32_t *) noexcept nogil
        int32_t (*legal)(const masume_game *, const void *, int32_t, int32_t *) noexcept nogil
        void (*mask)(const masume_game *, const void *, int32_t, uint8_t *) noexcept nogil
        int32_t (*sample)(const masume_game *, const void *, int32_t, uint64_t *) noexcept nogil
        int32_t (*fallback)(const masume_game *, const void *, int32_t) noexcept nogil
        int32_t (*apply)(const masume_game *, void *, void *, const int32_t *) noexcept nogil
        void (*returns)(const masume_game *, const void *, float *) noexcept nogil
        void (*scores)(const masume_game *, const void *, int64_t *) noexcept nogil
        void (*observe)(const masume_game *, const void *, const void *, int32_t, uint32_t,
                        void *const *) noexcept nogil
        uint64_t (*key)(const masume_game *, const void *) noexcept nogil
        const char *(*check)(const masume_game *, const void *, const void *) noexcept nogil
        int64_t (*decode)(const masume_game *, const void *, int32_t) noexcept nogil
        int32_t (*encode)(const masume_game *, const void *, int64_t) noexcept nogil
        int32_t (*apply_action)(const masume_game *, void *, void *, int64_t) noexcept nogil
        int32_t (*forfeit)(const masume_game *, void *, void *, int32_t, int32_t) noexcept nogil
        int32_t (*resample)(const masume_game *, const void *, const void *, int32_t, uint64_t,
                            void *, void *) noexcept nogil
        void (*policy)(const masume_game *, const void *, const void *, int32_t, int32_t,
                       uint64_t *, int32_t *) noexcept nogil
        int64_t (*playout)(const masume_game *, void *, uint64_t *) noexcept nogil
        void (*step_many)(const masume_game *, int64_t, void *, void *, const int32_t *,
                          int32_t *, int32_t *) noexcept nogil
        void (*mask_bits)(const masume_game *, const void *, int32_t, uint32_t *) noexcept nogil
        uint64_t (*news)(const masume_game *, const void *, const void *, int32_t, const int32_t *) noexcept nogil
        void (*forecast)(const masume_game *, const void *, double *) noexcept nogil
        int32_t (*prepare)(const masume_game *, const void *, const void *, int32_t, void *) noexcept nogil
        int32_t (*draw)(const masume_game *, void *, uint64_t, void *, void *) noexcept nogil
        uint64_t sampler_size
        void (*observe_compact)(const masume_game *, const void *, const void *, int32_t, uint32_t,
                                const masume_form *, void *const *) noexcept nogil
        const masume_plane *const *planes
        uint32_t centred
        int32_t (*observe_changes)(const masume_game *, const void *, const void *, int32_t, uint32_t,
                                   const masume_form *, const uint16_t *const *, void *, void *const *) noexcept nogil
        uint32_t note_size
        uint32_t changing
        const int32_t *seen

cdef extern from "masume/rng.h" nogil:
    uint64_t masume_next(uint64_t *)
    uint32_t masume_below(uint64_t *, uint32_t)
    uint64_t masume_mix(uint64_t)
    uint64_t masume_stream(uint64_t, uint64_t)


cdef class Table:
    cdef const masume_game *g              # owned by the capsule
    cdef readonly object capsule
    cdef readonly object observation_spec  # read-only {field: (shape, dtype)} of `observation`
    cdef readonly object state_dtype       # the structured dtype of a state's bytes
    cdef readonly bint is_simultaneous         # whether all players decide at once
    cdef readonly bint is_perfect_information  # whether every player sees the whole state


cdef int check_whole(Table game) except -1

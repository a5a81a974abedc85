# cython: language_level=3
"""The forms of observations, for cimport: which dtype planes have, and which part of them is shown."""
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t
from masume.core._game cimport Table, masume_form, masume_game, masume_plane
from masume.core._wide cimport wide_level

cdef enum:                         # what is made of the bytes of compact planes
    AS_THEY_ARE
    FLOATS
    HALVES

cdef struct Views:
    uint32_t compact               # fields that are written in `form`; the others by `observe`
    masume_form form
    int32_t expansion
    const wide_level *level
    int64_t stride[16]             # bytes of a view of each field
    int32_t num_planes[16]
    int32_t cells[16]              # of each plane
    const uint16_t *halves[16]     # [planes][256]: what is written for each byte
    const int32_t *runs[16]        # [num_runs][2]: first plane and number of neighbours whose bytes mean the same
    int32_t num_runs[16]
    const int8_t *seats            # of each row of a batch: the only player whose views are written; NULL: every mover
    uint32_t changing              # fields of which a batch writes only what has changed
    masume_form changes            # their form
    uint32_t note_size             # bytes
    uint8_t *notes                 # of each view of a batch; NULL: everything is written
    uint32_t streamed              # fields of a batch that are written past the caches
    int32_t drawn_at[16]           # where in STREAM_ROOM bytes a view of each of them is drawn


cdef class Form:
    cdef Views views
    cdef readonly str dtype
    cdef readonly object crop      # (rows, columns), "seen" or None
    cdef readonly object spec      # {field: (shape, dtype)}
    cdef readonly dict planes      # {field: PlaneSpec}, of the compact fields
    cdef readonly frozenset changing   # fields of which only changes can be written
    cdef readonly uint32_t note_size   # bytes of a note on a view
    cdef list kept
    cdef Table game


cdef inline void observe_view(const masume_game *g, const void *state, const void *memory, int32_t player,
                              uint32_t fields, const Views *views, void *const *out) noexcept nogil:
    """Write fields of a player's view in their forms."""
    cdef uint32_t compact = fields & views.compact
    if fields & ~compact:
        g.observe(g, state, memory, player, fields & ~compact, out)
    if compact:
        observe_compact(g, state, memory, player, compact, views, out)


cdef inline void observe_again(const masume_game *g, const void *state, const void *memory, int32_t player,
                               uint32_t fields, const Views *views, void *note, void *const *out) noexcept nogil:
    """Do the same where the arrays hold the view that the note describes."""
    cdef uint32_t changing = fields & views.changing
    if changing and g.observe_changes(g, state, memory, player, changing, &views.changes, views.halves, note, out):
        fields &= ~changing
    observe_view(g, state, memory, player, fields, views, out)


cdef void observe_compact(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                          const Views *views, void *const *out) noexcept nogil

# cython: language_level=3
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from masume.core._game cimport Table, masume_game


cdef class State:
    cdef const masume_game *g
    cdef uint8_t *data           # state_size bytes, on a cache line's edge
    cdef uint8_t *memory         # memory_size bytes, or NULL
    cdef void *block             # the allocation that holds both
    cdef size_t block_lines      # size in cache lines
    cdef int64_t *noted          # the actions since `origin`; empty in games of perfect information
    cdef size_t num_noted, max_noted     # number of actions, and room for them
    cdef readonly Table game
    cdef readonly bytes origin   # the state's bytes where `history` begins; None in games of perfect information
    cdef readonly tuple past     # of a sample: (viewer, game, origin, history, past) it was drawn from; else None
    cdef tuple arguments         # constructor arguments of clones, created by the first clone and shared
    cdef int32_t apply_codes(self, const int32_t *codes) except? -1000
    cdef int32_t to_slot(self, object slot) except -1
    cdef int32_t to_player(self, object player) except -1
    cdef int accept(self, const char *fault) except -1
    cdef int forget(self) except -1
    cdef int begin_history(self) except -1
    cdef int make_room(self, size_t wanted) except -1
    cdef int note(self, int64_t action) except -1
    cdef void copy_history(self, State other)
    cdef void _copy(self, State other)
    cdef bint is_twin(self, State other) except -1
    cdef object read_codes(self, object actions, int32_t *codes)
    cdef int load_bytes(self, bytes data, bint without_memory) except -1
    cdef int load(self, dict variables) except -1
    cdef int remember(self, object history, object origin, object past) except -1


cpdef State from_bytes(type kind, Table game, data, bint without_memory=*)
cdef int check_state(State state, Table game) except -1
cdef object view_of(object owner, void *data, object dtype, tuple shape, bint writable)
cdef int64_t to_int64(object value, str name) except? -1

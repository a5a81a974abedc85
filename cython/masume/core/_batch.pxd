# cython: language_level=3
cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t
from masume.core._game cimport masume_batch, masume_game
from masume.core._planes cimport Form

cdef extern from "masume/pool.h" nogil:
    ctypedef struct masume_pool
    ctypedef struct masume_pace:
        pass
    ctypedef void (*masume_range_fn)(void *, int64_t, int64_t, int32_t) noexcept nogil
    masume_pool *masume_pool_new(int32_t)
    void masume_pool_free(masume_pool *)
    int32_t masume_pool_threads(const masume_pool *)
    void masume_pool_run(masume_pool *, masume_range_fn, void *, int64_t, masume_pace *)


cdef class Pool:
    cdef masume_pool *p


cdef class Block:
    cdef cnp.ndarray memory      # not shared
    cdef void *start
    cdef readonly size_t nbytes


cdef class Loop:
    cdef masume_batch b
    cdef readonly tuple games    # of Table
    cdef readonly Pool pool
    cdef list kept               # keeps every array that b points into alive
    cdef const masume_game **tables
    cdef Form form               # of the observations
    cdef object seats            # keeps an array of form.views alive
    cdef public bint skips_ends  # `step` leaves masks and observations of a finished game unchanged
    cdef int is_busy             # nonzero while a thread runs over the rows
    cdef masume_pace of_steps, of_samples, of_looks, of_resets, of_playouts, of_loads
    cdef list watched            # the arrays that the caller can reach, whose address and size are checked
    cdef dict places             # of those with a name: (place in `watched`, number of the field, dtype, shape)
    cdef int64_t num_watched
    cdef void *addresses[40]
    cdef int64_t sizes[40]
    cdef const masume_game *table(self) except NULL
    cdef void choose_streamed(self) noexcept
    cdef int _check_buffers(self) except -1
    cdef int _run(self, masume_range_fn work, void *job_, int64_t n, masume_pace *pace) except -1
    cdef int32_t _place_of(self, int64_t k, object state) except -1

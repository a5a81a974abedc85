# cython: language_level=3
"""The clock of the searches."""
from libc.stdint cimport int64_t

cdef extern from "<time.h>" nogil:
    ctypedef int clockid_t
    struct timespec:
        int64_t tv_sec
        long tv_nsec
    int clock_gettime(clockid_t, timespec *)
    clockid_t CLOCK_MONOTONIC


cdef inline double now_s() noexcept nogil:
    """Seconds since some moment; it never goes back."""
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return t.tv_sec + t.tv_nsec * 1e-9

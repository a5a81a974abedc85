# cython: language_level=3
"""The clock of the searches, and memory for states."""
cdef extern from "masume/system.h" nogil:
    double system_now_ns()
    void *system_alloc(size_t)
    void system_free(void *)


cdef inline double now_s() noexcept nogil:
    """Seconds since some moment; it never goes back."""
    return system_now_ns() * 1e-9

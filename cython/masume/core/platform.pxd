# cython: language_level=3
"""Clock of the searches, memory for states, and a lock that admits one thread at a time."""
cdef extern from "masume/system.h" nogil:
    double system_now_ns()
    void *system_alloc(size_t)
    void system_free(void *)


cdef extern from *:
    """
    static inline int claim(int *busy) { return __atomic_exchange_n(busy, 1, __ATOMIC_ACQUIRE); }
    static inline void release(int *busy) { __atomic_store_n(busy, 0, __ATOMIC_RELEASE); }
    """
    int claim(int *busy)           # returns nonzero if it was already claimed
    void release(int *busy)


cdef inline double now_s() noexcept nogil:
    """Return seconds of a monotonic clock."""
    return system_now_ns() * 1e-9

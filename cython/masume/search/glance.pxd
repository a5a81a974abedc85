# cython: language_level=3
"""A look at the clock and at Ctrl-C, for searches of one thread."""
from cpython.exc cimport PyErr_CheckSignals
from masume.core.platform cimport now_s


cdef inline int is_time_up(double end, double *glance) except -1:
    """Raise KeyboardInterrupt after Ctrl-C; return whether the time is up, and write when to look next.

    end : of the time, 0 for none.
    """
    cdef double now = now_s()
    if end and now >= end:
        return 1
    PyErr_CheckSignals()
    glance[0] = now + 0.02         # seconds
    if end:
        glance[0] = min(glance[0], end)
    return 0

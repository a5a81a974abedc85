# cython: language_level=3, freethreading_compatible=True
"""The kernels of src/wide.c, for cimport: a copy in every engine would take 55 KB each."""

cdef extern from "masume/wide.h" nogil:
    const wide_level *wide_pick(const char *)


cdef const wide_level *pick_level(const char *name) noexcept nogil:
    """Return the level of this name, or the best one if name is NULL; NULL where this build or this CPU has none."""
    return wide_pick(name)

# cython: language_level=3
"""The kernels of src/masume/wide.h, compiled into one module for all engines."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

cdef extern from "masume/wide.h" nogil:
    enum:
        WIDE_MAX_PLAYERS
        WIDE_MAX_ROWS
        WIDE_TAIL

    ctypedef struct wide_plane:
        const uint32_t *stream
        const float *values

    ctypedef struct wide_match:
        const float *values
        uint32_t mask
        uint32_t value

    ctypedef struct wide_level:
        const char *name
        void (*territory)(int32_t, int32_t, const uint32_t *, uint32_t *) noexcept nogil
        int64_t (*weigh)(int32_t, const uint32_t *, int32_t, const uint32_t *, const int32_t *) noexcept nogil
        void (*planes)(int32_t, int32_t, const wide_plane *, float *) noexcept nogil
        void (*matches)(int32_t, const uint32_t *, int32_t, const wide_match *, float *) noexcept nogil
        void (*bytes)(const uint32_t *, int32_t, uint8_t *) noexcept nogil


cdef const wide_level *kernels_of(object level) except NULL

# cython: language_level=3
"""The kernels for all rooms, compiled into one module (src/masume/wide.h)."""
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from masume.core._game cimport masume_plane

cdef extern from "masume/wide.h" nogil:
    enum:
        WIDE_TAIL
        WIDE_BLOCK

    ctypedef struct wide_plane:
        const uint32_t *stream
        const float *values
        const uint8_t *bytes

    ctypedef struct wide_byte_match:
        const uint8_t *values
        uint8_t mask
        uint8_t value

    ctypedef struct wide_match:
        const float *values
        uint32_t mask
        uint32_t value

    ctypedef struct wide_level:
        const char *name
        void (*planes)(int32_t, int32_t, const wide_plane *, float *) noexcept nogil
        void (*matches)(int32_t, const uint32_t *, int32_t, const wide_match *, float *) noexcept nogil
        void (*compact)(int32_t, int32_t, const wide_plane *, const masume_plane *, uint8_t *) noexcept nogil
        void (*byte_matches)(int32_t, const uint8_t *, int32_t, const wide_byte_match *, uint8_t *) noexcept nogil
        void (*bit_matches)(int32_t, const uint8_t *, int32_t, const wide_byte_match *, const masume_plane *,
                            uint8_t *) noexcept nogil
        void (*floats)(int32_t, const uint8_t *, const float *, float, float, float *) noexcept nogil
        void (*halves)(int32_t, const uint8_t *, const uint16_t *, uint16_t *) noexcept nogil
        void (*bytes)(const uint32_t *, int32_t, uint8_t *) noexcept nogil


cdef const wide_level *kernels_of(object level) except NULL

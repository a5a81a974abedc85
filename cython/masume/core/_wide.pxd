# cython: language_level=3
"""The kernels of src/masume/wide.h, compiled into one module for all engines."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from masume.core._game cimport masume_plane

cdef extern from "masume/wide.h" nogil:
    enum:
        WIDE_MAX_PLAYERS
        WIDE_MAX_ROWS
        WIDE_TAIL
        WIDE_BLOCK
        WIDE_MAX_CELLS

    ctypedef struct wide_grid:
        int32_t width
        int32_t count
        int32_t west[WIDE_MAX_CELLS]
        int32_t east[WIDE_MAX_CELLS]

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
        void (*territory)(int32_t, int32_t, const uint32_t *, uint32_t *) noexcept nogil
        int64_t (*weigh)(int32_t, const uint32_t *, int32_t, const uint32_t *, const int32_t *) noexcept nogil
        void (*planes)(int32_t, int32_t, const wide_plane *, float *) noexcept nogil
        void (*matches)(int32_t, const uint32_t *, int32_t, const wide_match *, float *) noexcept nogil
        void (*compact)(int32_t, int32_t, const wide_plane *, const masume_plane *, uint8_t *) noexcept nogil
        void (*byte_matches)(int32_t, const uint8_t *, int32_t, const wide_byte_match *, uint8_t *) noexcept nogil
        void (*bit_matches)(int32_t, const uint8_t *, int32_t, const wide_byte_match *, const masume_plane *,
                            uint8_t *) noexcept nogil
        void (*floats)(int32_t, const uint8_t *, const float *, float, float, float *) noexcept nogil
        void (*halves)(int32_t, const uint8_t *, const uint16_t *, uint16_t *) noexcept nogil
        void (*age)(int32_t, uint8_t, uint8_t *) noexcept nogil
        void (*bytes)(const uint32_t *, int32_t, uint8_t *) noexcept nogil
        int32_t (*offers)(int32_t, const int32_t *, const uint8_t *, uint8_t, uint8_t, uint8_t *, int32_t *,
                          uint64_t *) noexcept nogil
        int32_t (*share)(int32_t, int32_t, const uint64_t *, const int32_t *, int32_t, int32_t *) noexcept nogil
        int32_t (*highest)(const wide_grid *, int32_t, const int32_t *, int32_t *) noexcept nogil
        void (*add_rows)(int32_t, const int32_t *, const float *, int32_t, const float *, float *) noexcept nogil


cdef const wide_level *kernels_of(object level) except NULL

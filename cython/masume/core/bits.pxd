# cython: language_level=3
"""Sets of up to 64 things as words, of src/masume/bits.h, for cimport."""
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

cdef extern from "masume/bits.h" nogil:
    int32_t bits_count(uint32_t)
    int32_t bits_first(uint32_t)
    int32_t bits_last(uint32_t)
    int32_t bits_select64(uint64_t, int32_t)
    int32_t bits_select(uint32_t, int32_t)
    int32_t bits_total(const uint32_t *, int32_t)
    int32_t bits_pick(const uint32_t *, int32_t)
    int32_t bits_count64(uint64_t)
    int32_t bits_first64(uint64_t)
    uint64_t bits_spread(uint8_t)
    uint64_t bits_low64(int32_t)
    uint32_t bits_reverse(uint32_t, int32_t)
    uint64_t bits_shuffle(uint32_t, uint32_t)
    uint32_t bits_unshuffle(uint32_t)
    uint64_t bits_count_both(uint32_t, uint32_t)
    int32_t bits_sum(uint64_t)

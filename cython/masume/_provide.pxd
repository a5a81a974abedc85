# cython: language_level=3
"""What a provider of a function table begins with: the block that a capsule holds, the layout of fields, kernels."""
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free
from masume._game cimport MASUME_GAME_ABI, MASUME_GAME_CAPSULE, masume_field, masume_game

cdef extern from "masume/wide.h" nogil:
    enum:
        WIDE_TAIL
    ctypedef struct wide_plane:
        const uint32_t *stream
        const float *values
    ctypedef struct wide_match:
        const float *values
        uint32_t mask
        uint32_t value
    ctypedef struct wide_level:
        void (*planes)(int32_t, int32_t, const wide_plane *, float *) noexcept nogil
        void (*matches)(int32_t, const uint32_t *, int32_t, const wide_match *, float *) noexcept nogil
        void (*bytes)(const uint32_t *, int32_t, uint8_t *) noexcept nogil
    const wide_level *wide_pick(const char *)


cdef inline void discard(object capsule) noexcept:
    free(PyCapsule_GetPointer(capsule, MASUME_GAME_CAPSULE))


cdef inline object new_capsule(size_t size):
    """A capsule that owns `size` zeroed bytes: a masume_game, abi and struct_size filled in, and what it points at."""
    cdef masume_game *g = <masume_game *>calloc(1, size)
    if g == NULL:
        raise MemoryError
    g.abi = MASUME_GAME_ABI
    g.struct_size = sizeof(masume_game)
    return PyCapsule_New(g, MASUME_GAME_CAPSULE, discard)


cdef inline void *block_of(object capsule) except NULL:
    """The bytes that a capsule of `new_capsule` owns."""
    return PyCapsule_GetPointer(capsule, MASUME_GAME_CAPSULE)


cdef inline void lay_out(masume_field *field, const char *name, const char *dtype, uint32_t offset, tuple shape):
    """Describe a named array; offset is that in the state, 0 in an observation."""
    cdef uint32_t i
    field.name = name
    field.dtype = dtype
    field.offset = offset
    field.ndim = <uint32_t>len(shape)
    for i in range(field.ndim):
        field.shape[i] = shape[i]


cdef inline tuple levels_here():
    """The CPU levels this machine has, the slowest first: "v2" (portable), "v3" (AVX2), "v4" (AVX-512VL)."""
    return tuple([name for name in ("v2", "v3", "v4") if wide_pick(name.encode()) != NULL])


cdef inline const wide_level *kernels_of(object level) except NULL:
    """The kernels of a CPU level; None: of the one MASUME_CPU names, else the best. ConfigError for an absent one."""
    import os

    from masume.errors import ConfigError
    cdef const wide_level *found
    cdef bytes name = ((os.environ.get("MASUME_CPU") or "") if level is None else level).encode()
    found = wide_pick(<const char *>name if level is not None or name else <const char *>NULL)
    if found == NULL:
        raise ConfigError(f"{'MASUME_CPU' if level is None else 'level'}: {name.decode()!r} is none of "
                          f"{', '.join(levels_here())}, the levels of this machine")
    return found

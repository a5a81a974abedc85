# cython: language_level=3
"""What a provider of a function table begins with: the block that a capsule holds, the layout of fields."""
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free
from masume.core._game cimport MASUME_GAME_ABI, MASUME_GAME_CAPSULE, masume_field, masume_game


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

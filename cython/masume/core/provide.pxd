# cython: language_level=3
"""What a provider of a function table begins with: the block that a capsule holds, the layout of fields."""
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
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


cdef inline void fill_required(
    masume_game *g, const masume_field *state_fields, uint32_t num_state_fields, const masume_field *fields,
    uint32_t num_fields, void (*init)(const masume_game *, void *, void *, uint64_t) noexcept nogil,
    int32_t (*slots)(const masume_game *, const void *, int32_t *) noexcept nogil,
    int32_t (*legal)(const masume_game *, const void *, int32_t, int32_t *) noexcept nogil,
    void (*mask)(const masume_game *, const void *, int32_t, uint8_t *) noexcept nogil,
    int32_t (*sample)(const masume_game *, const void *, int32_t, uint64_t *) noexcept nogil,
    int32_t (*fallback)(const masume_game *, const void *, int32_t) noexcept nogil,
    int32_t (*apply)(const masume_game *, void *, void *, const int32_t *) noexcept nogil,
    void (*returns)(const masume_game *, const void *, float *) noexcept nogil,
    void (*scores)(const masume_game *, const void *, int64_t *) noexcept nogil,
    void (*observe)(const masume_game *, const void *, const void *, int32_t, uint32_t, void *const *) noexcept nogil,
    uint64_t (*key)(const masume_game *, const void *) noexcept nogil,
    const char *(*check)(const masume_game *, const void *, const void *) noexcept nogil,
) noexcept:
    """The entries that every game has: its arrays, and the functions that must not be NULL."""
    g.state_fields = state_fields
    g.num_state_fields = num_state_fields
    g.fields = fields
    g.num_fields = num_fields
    g.init = init
    g.slots = slots
    g.legal = legal
    g.mask = mask
    g.sample = sample
    g.fallback = fallback
    g.apply = apply
    g.returns = returns
    g.scores = scores
    g.observe = observe
    g.key = key
    g.check = check

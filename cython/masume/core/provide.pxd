# cython: language_level=3
"""Helpers for providers of a function table: the capsule's memory block, and field layouts."""
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from masume.core._game cimport MASUME_GAME_ABI, MASUME_GAME_CAPSULE, masume_field, masume_game, masume_plane


cdef inline void discard(object capsule) noexcept:
    free(PyCapsule_GetPointer(capsule, MASUME_GAME_CAPSULE))


cdef inline object new_capsule(size_t size):
    """Return a capsule that owns `size` zeroed bytes: a masume_game with abi and struct_size set, and its data."""
    cdef masume_game *g = <masume_game *>calloc(1, size)
    if g == NULL:
        raise MemoryError
    g.abi = MASUME_GAME_ABI
    g.struct_size = sizeof(masume_game)
    return PyCapsule_New(g, MASUME_GAME_CAPSULE, discard)


cdef inline void *block_of(object capsule) except NULL:
    """Return the bytes that a capsule of `new_capsule` owns."""
    return PyCapsule_GetPointer(capsule, MASUME_GAME_CAPSULE)


cdef inline void lay_out(masume_field *field, const char *name, const char *dtype, uint32_t offset, tuple shape):
    """Describe a named array; `offset` is its place in the state, 0 in an observation."""
    cdef uint32_t i
    field.name = name
    field.dtype = dtype
    field.offset = offset
    field.ndim = <uint32_t>len(shape)
    for i in range(field.ndim):
        field.shape[i] = shape[i]


cdef inline void set_bits(masume_plane *planes, int32_t first, int32_t end):
    """Say of planes first..end-1 that they hold only 0 and 1."""
    cdef int32_t n
    for n in range(first, end):
        set_linear(&planes[n], 1, 0)
        planes[n].is_bits = True


cdef inline void set_linear(masume_plane *plane, float scale, float offset):
    """Say of a plane that its floats are byte * scale + offset."""
    plane.scale = scale
    plane.offset = offset


cdef inline void set_levels(masume_plane *plane, float *levels, values):
    """Say of a plane that its floats are these, 1 to 256 of them, by byte; `levels`, float[256], receives them."""
    cdef int32_t n
    for n in range(256):
        levels[n] = values[min(n, len(values) - 1)]
    plane.levels = levels


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
    """Set the required entries: field lists, and the functions that must not be NULL."""
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

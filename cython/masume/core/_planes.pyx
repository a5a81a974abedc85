# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, freethreading_compatible=True
"""The forms of observations: planes as bytes, bits or other floats, and the part of them around the viewer."""
from math import prod
from types import MappingProxyType

cimport numpy as cnp
import numpy as np
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy
from masume.core._game cimport (
    MASUME_AROUND, MASUME_BITS, MASUME_BYTES, MASUME_FLOATS, MASUME_HALVES, MASUME_MAX_CROP, MASUME_MAX_FIELDS,
    MASUME_SEEN, Table, check_whole, masume_game, masume_plane)
from masume.core._wide cimport WIDE_BLOCK, kernels_of, wide_level, wide_plane
from masume.core.arrays cimport check_array
from masume.core.guard cimport guard_methods

from masume.core.config import choice, integer
from masume.core.planes import DTYPES, PlaneSpec, halves_of
from masume.errors import ConfigError

cnp.import_array()

cdef str SEEN = "seen"             # a crop
cdef object FLOAT32 = np.dtype(np.float32), BOOL = np.dtype(np.bool_), UINT8 = np.dtype(np.uint8)

cdef enum:
    MAX_CELLS = 0x7FFFFFFF - 64    # of the planes of a view


cdef class Form:
    """How observations of a game are written.

    Parameters
    ----------
    game : Table
        The game.
    dtype : str
        One of `masume.core.planes.DTYPES`.
    crop : int, (int, int), "seen" or None
        Odd numbers of rows and columns of the part around the viewer; "seen": what it has seen; None: everything.

    Raises
    ------
    ConfigError
        If the game has no such form.
    """

    def __init__(self, Table game not None, dtype, crop):
        cdef const masume_game *g
        cdef Views *views = &self.views
        cdef uint32_t k, cut = 0
        check_whole(game)
        g = game.g
        self.game = game
        self.kept = []
        self.dtype = choice("dtype", dtype, DTYPES)
        self.crop = None if crop is None else sides_of(crop)
        described = 0
        for k in range(g.num_fields):
            described |= (g.planes != NULL and g.planes[k] != NULL) << k
        if self.crop == SEEN:
            for k in range(g.num_fields):
                cut |= <uint32_t>(g.seen != NULL and g.seen[2 * k] != 0) << k
            if not cut:
                raise ConfigError(f"crop: expected another value, as all of {game.name} may be seen, got {crop!r}")
        elif crop is not None:
            cut = g.centred
            if not cut:
                raise ConfigError(f"crop: expected None, as a player of {game.name} is not in one place, got {crop!r}")
        if dtype != "float32" and not described:
            raise ConfigError(f"dtype: expected 'float32', as {game.name} has no compact planes, got {dtype!r}")
        views.compact = described if dtype != "float32" else cut
        views.form.dtype = MASUME_BITS if dtype == "bits" else MASUME_BYTES
        views.expansion = (FLOATS if dtype == "float32" else HALVES if dtype in ("float16", "bfloat16")
                           else AS_THEY_ARE)
        views.level = kernels_of(None)
        views.form.part = MASUME_SEEN if self.crop == SEEN else MASUME_AROUND
        for k in range(g.num_fields):
            if self.crop == SEEN and cut >> k & 1:
                views.form.rows, views.form.columns = g.seen[2 * k], g.seen[2 * k + 1]
        if crop is not None and self.crop != SEEN:
            views.form.rows, views.form.columns = self.crop
        views.changing = g.changing
        views.changes = views.form
        if views.expansion == HALVES:
            views.changes.dtype = MASUME_HALVES
        elif views.expansion == FLOATS:
            views.changes.dtype = MASUME_FLOATS
        views.note_size = self.note_size = g.note_size
        self.changing = frozenset([name for k, name in enumerate(game.observation_spec) if g.changing >> k & 1])
        spec = {}
        self.planes = {}
        for k, (name, (shape, kind)) in enumerate(game.observation_spec.items()):
            if views.compact >> k & 1:
                if self.crop == SEEN and cut >> k & 1:
                    shape = (shape[0], g.seen[2 * k], g.seen[2 * k + 1])
                elif cut >> k & 1:
                    *others, rows, columns = shape
                    if self.crop[0] > rows or self.crop[1] > columns:
                        raise ConfigError(f"crop: expected at most {[rows, columns]}, the size of {name!r}, "
                                          f"got {list(self.crop)}")
                    shape = (*others, *self.crop)
                planes = self.planes[name] = spec_of(g.planes[k], shape, self.dtype)
                views.num_planes[k] = shape[0]
                views.cells[k] = prod(shape[1:])
                runs = runs_of(g.planes[k], shape[0])
                self.kept.append(runs)
                views.runs[k] = <const int32_t *>cnp.PyArray_DATA(runs)
                views.num_runs[k] = len(runs)
                if views.expansion == HALVES:
                    table = halves_of(planes.levels, dtype)
                    self.kept.append(table)
                    views.halves[k] = <const uint16_t *>cnp.PyArray_DATA(table)
                shape, kind = planes.array_shape, planes.array_dtype
            spec[name] = shape, kind
            views.stride[k] = prod(shape) * kind.itemsize
        self.spec = MappingProxyType(spec)

    def __reduce__(self):
        return type(self), (self.game, self.dtype, self.crop)


cdef object sides_of(crop):
    """Return the rows and columns of a crop, or SEEN; raise ConfigError if it is neither SEEN nor odd numbers."""
    if isinstance(crop, str):
        return choice("crop", crop, (SEEN,))
    sides = tuple(crop) if isinstance(crop, (tuple, list)) else (crop, crop)
    if len(sides) != 2:
        raise ConfigError(f"crop: expected rows and columns, or one number for both, got {crop!r}")
    for side in sides:
        if integer("crop", side, 1, MASUME_MAX_CROP) % 2 == 0:
            raise ConfigError(f"crop: expected odd numbers, as the player is in the middle, got {crop!r}")
    return sides


cdef object spec_of(const masume_plane *planes, tuple shape, str dtype):
    """Return the PlaneSpec of a field of this shape."""
    cdef int32_t n, byte, count = shape[0]
    levels = np.empty((count, 256), np.float32)
    scale, offset = np.empty(count, np.float32), np.empty(count, np.float32)
    is_bits = np.zeros(count, np.bool_)
    for n in range(count):
        is_bits[n] = planes[n].is_bits
        scale[n] = planes[n].scale if planes[n].levels == NULL else np.nan
        offset[n] = planes[n].offset if planes[n].levels == NULL else np.nan
        if planes[n].levels == NULL:
            levels[n] = np.arange(256, dtype=np.float32) * scale[n] + offset[n]
        else:
            for byte in range(256):
                levels[n, byte] = planes[n].levels[byte]
    for array in (levels, scale, offset, is_bits):
        array.flags.writeable = False
    return PlaneSpec(shape, dtype, levels, scale, offset, is_bits)


cdef cnp.ndarray runs_of(const masume_plane *planes, int32_t count):
    """Return int32[runs, 2], the first plane and the number of those that follow one another and mean the same."""
    cdef int32_t p
    cdef list runs = []
    for p in range(count):
        if p and is_alike(&planes[p - 1], &planes[p]):
            runs[len(runs) - 1][1] += 1
        else:
            runs.append([p, 1])
    return np.array(runs, np.int32)


cdef cnp.ndarray own(str name, object array, object dtype, tuple shape):
    """Return a copy of an array of a PlaneSpec; ValueError for another dtype, shape or order."""
    check_array(f"spec: {name}", array, dtype, shape, False)
    return np.array(array, subok=False)


cdef tuple shape_of(cnp.ndarray array):
    """Return the shape of an array, which a class that extends ndarray may tell otherwise."""
    cdef int k
    return tuple([<int64_t>cnp.PyArray_DIM(array, k) for k in range(cnp.PyArray_NDIM(array))])


cdef inline bint is_alike(const masume_plane *one, const masume_plane *other) noexcept nogil:
    """Return whether the bytes of two planes mean the same floats."""
    return one.levels == other.levels and one.scale == other.scale and one.offset == other.offset


cdef void observe_compact(const masume_game *g, const void *state, const void *memory, int32_t player, uint32_t fields,
                          const Views *views, void *const *out) noexcept nogil:
    """Write compact fields; floats are made of the bytes in place, from the end of their room."""
    cdef void *bytes[MASUME_MAX_FIELDS]
    cdef const masume_plane *plane
    cdef const uint8_t *given
    cdef uint32_t k
    cdef const int32_t *run
    cdef int32_t n, p, cells
    cdef int64_t size
    for k in range(g.num_fields):
        if fields >> k & 1:
            size = <int64_t>views.num_planes[k] * views.cells[k]
            bytes[k] = <uint8_t *>out[k] + (size * 3 if views.expansion == FLOATS else size * views.expansion // 2)
    g.observe_compact(g, state, memory, player, fields, &views.form, bytes)
    if views.expansion == AS_THEY_ARE:
        return
    for k in range(g.num_fields):
        if not fields >> k & 1:
            continue
        cells = views.cells[k]
        given = <const uint8_t *>bytes[k]
        run = views.runs[k]
        for n in range(views.num_runs[k]):                    # each is written as one plane
            p = run[2 * n]
            plane = &g.planes[k][p]
            if views.expansion == FLOATS:
                views.level.floats(run[2 * n + 1] * cells, given + p * cells, plane.levels, plane.scale, plane.offset,
                                   <float *>out[k] + p * cells)
            else:
                views.level.halves(run[2 * n + 1] * cells, given + p * cells, views.halves[k] + 256 * p,
                                   <uint16_t *>out[k] + p * cells)


def expand(planes, spec not None, dtype="float32", out=None):
    """Return planes in another dtype: `masume.planes.expand`.

    Raises
    ------
    ConfigError
        If there is no such dtype.
    ValueError
        If an array, also one of `spec`, has another dtype, shape or order, or `out` overlaps `planes`.
    """
    cdef const wide_level *level = kernels_of(None)
    cdef int32_t p, count, num_planes, packed
    cdef int64_t views
    cdef cnp.ndarray scale, offset, levels, is_bits, tables = None
    cdef bint to_floats, to_bytes, has_bits
    choice("dtype", dtype, tuple([name for name in DTYPES if name != "bits"]))
    to_floats, to_bytes = dtype == "float32", dtype == "uint8"
    compact = choice("spec", spec.dtype, ("uint8", "bits"))
    has_bits = compact == "bits"
    shape = tuple([integer("spec: shape", side, 0, MAX_CELLS) for side in spec.shape])
    if len(shape) < 2 or prod([max(side, 1) for side in shape]) > MAX_CELLS:
        raise ValueError(f"spec: shape: expected (planes, rows, columns) or (planes, cells), got {shape}")
    num_planes, count = shape[0], prod(shape[1:])
    packed = (count + 7) // 8
    # copies: another thread may change an array after its check
    levels = own("levels", spec.levels, FLOAT32, (num_planes, 256))
    scale = own("scale", spec.scale, FLOAT32, (num_planes,))
    offset = own("offset", spec.offset, FLOAT32, (num_planes,))
    is_bits = own("is_bits", spec.is_bits, BOOL, (num_planes,))
    last = (sum([packed if bit else count for bit in is_bits.tolist()]),) if has_bits else shape
    if not isinstance(planes, cnp.ndarray):
        raise ValueError(f"planes: expected an ndarray, got {type(planes).__name__}")
    views_shape = shape_of(planes)[:max(cnp.PyArray_NDIM(planes) - <int>len(last), 0)]
    check_array("planes", planes, UINT8, (*views_shape, *last), False)
    kind = np.dtype("uint16" if dtype == "bfloat16" else dtype)
    if out is None:
        out = np.empty((*views_shape, *shape), kind)
    check_array("out", out, kind, (*views_shape, *shape))
    if np.may_share_memory(planes, out):
        raise ValueError("out: it overlaps planes")
    views = prod(views_shape) if num_planes and count else 0
    if not (to_floats or to_bytes):
        tables = halves_of(levels, dtype)
    cdef const uint8_t *source = <const uint8_t *>cnp.PyArray_DATA(<cnp.ndarray>planes)
    cdef uint8_t *target = <uint8_t *>cnp.PyArray_DATA(<cnp.ndarray>out)
    cdef cnp.ndarray room = np.zeros(count + WIDE_BLOCK, np.uint8), stream = np.zeros(count // 32 + 2, np.uint32)
    cdef uint8_t *bytes = <uint8_t *>cnp.PyArray_DATA(room)
    cdef uint32_t *bits = <uint32_t *>cnp.PyArray_DATA(stream)
    cdef const float *table
    cdef wide_plane plane
    cdef const uint8_t *cells
    with nogil:
        for _ in range(views):
            for p in range(num_planes):
                # unpack bits to bytes; then copy, scale or look up the bytes
                cells = source
                if has_bits and (<uint8_t *>cnp.PyArray_DATA(is_bits))[p]:
                    memcpy(bits, source, packed)
                    plane = wide_plane(stream=bits, values=NULL, bytes=NULL)
                    level.compact(count, 1, &plane, NULL, target if to_bytes else bytes)
                    cells = bytes
                    source += packed
                else:
                    if to_bytes:
                        memcpy(target, source, count)
                    source += count
                if to_bytes:
                    target += count
                elif to_floats:
                    # a scale that is not NaN replaces the plane's table
                    table = <const float *>cnp.PyArray_DATA(levels) + 256 * p
                    if (<const float *>cnp.PyArray_DATA(scale))[p] == (<const float *>cnp.PyArray_DATA(scale))[p]:
                        table = NULL
                    level.floats(count, cells, table, (<const float *>cnp.PyArray_DATA(scale))[p],
                                 (<const float *>cnp.PyArray_DATA(offset))[p], <float *>target)
                    target += count * sizeof(float)
                else:
                    level.halves(count, cells, <const uint16_t *>cnp.PyArray_DATA(tables) + 256 * p,
                                 <uint16_t *>target)
                    target += count * sizeof(uint16_t)
    return out


guard_methods(globals())

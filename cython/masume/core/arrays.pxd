# cython: language_level=3
"""What an array from Python must be before C takes its address."""
cimport numpy as cnp

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyArray_Descr:
        pass
    bint PyArray_EquivTypes(PyArray_Descr *, PyArray_Descr *) noexcept


cdef inline bint is_array(object array, object dtype, tuple shape, bint writable=True) noexcept:
    """Return whether `array` is an aligned, C-contiguous (writable) ndarray of this dtype and shape; runs no Python."""
    cdef int k
    if not isinstance(array, cnp.ndarray) or cnp.PyArray_NDIM(array) != len(shape):
        return False
    if not (cnp.PyArray_ISCARRAY(array) if writable else cnp.PyArray_ISCARRAY_RO(array)):
        return False
    if (<void *>cnp.PyArray_DESCR(array) != <void *>dtype
            and not PyArray_EquivTypes(<PyArray_Descr *>cnp.PyArray_DESCR(array), <PyArray_Descr *>dtype)):
        return False
    for k in range(cnp.PyArray_NDIM(array)):
        if cnp.PyArray_DIM(array, k) != <cnp.npy_intp>shape[k]:
            return False
    return True


cdef inline int check_array(str name, object array, dtype, tuple shape, bint writable=True, field=None) except -1:
    """Raise ValueError unless `is_array` accepts `array` (`field` of a mapping of this name)."""
    if is_array(array, dtype, shape, writable):
        return 0
    if field is not None:
        name = f"{name}[{field!r}]"
    if not isinstance(array, cnp.ndarray):
        raise ValueError(f"{name}: expected an ndarray, got {type(array).__name__}")
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(f"{name}: expected {dtype}{list(shape)}, got {array.dtype}{list(array.shape)}")
    raise ValueError(f"{name}: expected an aligned, C-contiguous{', writable' if writable else ''} array")

# cython: language_level=3, boundscheck=False, wraparound=False, freethreading_compatible=True
"""Lender: arrays of one shape and dtype, whose memory is used again once nobody refers to them; Infos: dicts."""
from math import prod

cimport cython
cimport numpy as cnp
import numpy as np
from cpython.dict cimport PyDict_Size
from libc.stdint cimport uintptr_t
from masume.core._state cimport view_of
from masume.core.guard cimport guard_methods

cnp.import_array()

cdef enum:
    CACHE_LINE = 64
    MAX_SPARES = 2             # more come back only where somebody let go of many at once


@cython.final
@cython.auto_pickle(False)
@cython.no_gc_clear            # what it holds is whole until the last array on it is gone
cdef class Loan:
    """Memory of a lent array, which every array that shares it keeps alive."""
    cdef object memory
    cdef list spares           # where the memory goes then

    def __dealloc__(self):
        if self.spares is not None and len(self.spares) < MAX_SPARES:
            self.spares.append(self.memory)


@cython.final
cdef class Lender:
    """Source of arrays of one shape and dtype, into which an engine writes and which the caller may keep.

    shape, dtype : of the arrays.
    """
    cdef object dtype
    cdef tuple shape
    cdef list spares
    cdef size_t size

    def __cinit__(self, tuple shape not None, dtype):
        self.dtype = np.dtype(dtype)
        if self.dtype.hasobject or min(shape, default=1) < 0 or len(shape) > 8:
            raise ValueError(f"Lender: {self.dtype}{list(shape)} cannot be lent")
        self.shape = shape
        self.size = prod(shape) * self.dtype.itemsize
        self.spares = []

    def take(self):
        """Return an array that nobody else refers to, on a cache line and of arbitrary contents."""
        cdef Loan loan = Loan.__new__(Loan)
        try:
            loan.memory = self.spares.pop()
        except IndexError:
            loan.memory = np.empty(self.size + CACHE_LINE, np.uint8)     # NumPy requests large pages
        loan.spares = self.spares
        return view_of(loan, <void *>((<uintptr_t>cnp.PyArray_DATA(<cnp.ndarray>loan.memory) + CACHE_LINE - 1)
                                      // CACHE_LINE * CACHE_LINE), self.dtype, self.shape, True)


cdef extern from *:
    """
    /* whether anything but one list refers to the item */
    static inline int masume_held(PyObject *list, Py_ssize_t k) { return Py_REFCNT(PyList_GET_ITEM(list, k)) != 1; }
    """
    bint masume_held(list, Py_ssize_t) noexcept


@cython.final
cdef class Infos:
    """Source of lists of empty dicts, which the caller may keep and change.

    count : dicts of a list.
    """
    cdef list last, next       # in turns: the caller still has the dicts of the last list

    def __cinit__(self, Py_ssize_t count):
        if count < 0:
            raise ValueError(f"count: expected 0 or more, got {count}")
        self.last = [{} for _ in range(count)]
        self.next = [{} for _ in range(count)]

    def __reduce__(self):
        return Infos, (len(self.last),)

    def take(self):
        """Return a list of empty dicts to which nobody else refers."""
        cdef Py_ssize_t k
        with cython.critical_section(self):
            self.last, self.next = self.next, self.last
            for k in range(len(self.last)):
                if masume_held(self.last, k) or PyDict_Size(self.last[k]):
                    self.last[k] = {}
            return list(self.last)


guard_methods(globals())

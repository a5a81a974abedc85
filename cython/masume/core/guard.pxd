# cython: language_level=3
"""The check that keeps compiled methods from a foreign self; for plug-ins as well (docs/plugins.md)."""

cdef extern from "masume/guard.h":
    # called with globals() at the end of a module: guards the methods of its extension types
    int guard_methods "masume_guard_methods"(dict names) except -1

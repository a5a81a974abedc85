# cython: language_level=3, freethreading_compatible=True
"""The kernels for all rooms, for cimport: a copy in every engine would take 55 KB each."""
import os

from masume.errors import ConfigError

cdef extern from "masume/wide.h" nogil:
    const wide_level *wide_pick(const char *)


def levels():
    """Return this machine's CPU levels, the slowest first: "v2", "v3" (AVX2), "v4" (AVX-512VL); on aarch64 "neon"."""
    return tuple([name for name in ("neon", "v2", "v3", "v4") if wide_pick(name.encode()) != NULL])


def level():
    """Return the level that MASUME_CPU names, else this machine's best. Raise ConfigError if the machine lacks it."""
    return kernels_of(None).name.decode()


cdef const wide_level *kernels_of(object level) except NULL:
    """Return the kernels of a level; None: of the default level (see `level`). ConfigError if the machine lacks it."""
    cdef bytes name = ((os.environ.get("MASUME_CPU") or "") if level is None else level).encode()
    cdef const wide_level *found = wide_pick(<const char *>name if level is not None or name else <const char *>NULL)
    if found == NULL:
        raise ConfigError(f"{'MASUME_CPU' if level is None else 'level'}: expected one of {', '.join(levels())}, "
                          f"the levels of this machine, got {name.decode()!r}")
    return found

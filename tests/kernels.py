"""Kernels compiled with vectors and without, for tests that compare both."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np

SRC, CYTHON = (Path(__file__).parents[1] / name for name in ("src", "cython"))
POINTER, INT, BYTE, FLOAT = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint8, ctypes.c_float


def compile_levels(folder, fields, room="wide"):
    """Return level v2 of a room's kernels, with vectors and without.

    fields : {name of a kernel: its types, the first is that of the result}, in the order of the level.
    """
    functions = [(name, ctypes.CFUNCTYPE(*types)) for name, types in fields.items()]
    table = type("Level", (ctypes.Structure,), {"_fields_": [("name", ctypes.c_char_p), *functions]})
    found = []
    for name, options in (("vectors", ()), ("plain", ("-DMASUME_NO_VECTORS",))):
        library = folder / f"{name}.so"
        flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{SRC}", f"-I{CYTHON}"]
        if room != "wide":
            flags.append(f'-DKERNELS="masume/{room}/kernels.h"')
        subprocess.run(["cc", *flags, *options, SRC / "wide.c", "-o", library], check=True)
        pick = ctypes.CDLL(str(library))[f"{room}_pick"]
        pick.argtypes, pick.restype = (ctypes.c_char_p,), ctypes.POINTER(table)
        found.append(pick(b"v2").contents)
        assert bool(pick(b"v3")) <= (name == "vectors")
    return found


def both(levels, size, dtype, call):
    """Return what call(level, out) writes to an array at one level, after comparing it with the other's."""
    found = []
    for level in levels:
        out = np.full(size, 3, dtype)
        call(level, out.ctypes.data)
        found.append(out)
    assert np.array_equal(*found)
    return found[0]

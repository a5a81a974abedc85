"""Facts about the installation and the machine, and a self-test: the report of `masume doctor`."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import masume

from ..bench import _loops
from ..bench.workload import workloads
from ..core import _state, _wide, system
from ..core.files import write_atomic
from ..core.machine import cpu
from ..core.rng import Rng
from ..game import load

PROGRAMS = ("cc", "gcc", "clang", "valgrind")
PLIES = 12


def facts() -> dict[str, dict[str, Any]]:
    """Return facts about the installation and the machine, by subject, as plain JSON types.

    The signature of a game is the checksum of a walk of its reference, from which its check tells whether the engine
    plays the same game.
    """
    built = _loops.describe_build()
    return {
        "masume": {
            "version": masume.__version__,
            "package": str(Path(masume.__file__).parent),
            "compiled modules": str(Path(_state.__file__).parent),
            "compiled by": f"{built['compiler']}, Cython {built['cython']}",
        },
        "python": {
            "version": f"{platform.python_version()} {platform.python_implementation()}",
            "program": sys.executable,
            "free-threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
            "numpy": np.__version__,
        },
        "system": {"name": platform.platform(), "C library": " ".join(platform.libc_ver()).strip() or None},
        "processor": {
            "name": cpu(),
            "usable": system.count_cpus(),
            "best level": _wide.levels()[-1],
            "level": os.environ.get("MASUME_CPU") or _wide.levels()[-1],
        },
        "programs": {name: _version(name) for name in PROGRAMS},
        "extras": _extras(),
        "signatures": {name: f"{workload.checksum:08x}" for name, workload in workloads().items()},
    }


def _version(program: str) -> str | None:
    """Return the first line of `program --version`; None if it is not installed."""
    if shutil.which(program) is None:
        return None
    run = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    return (run.stdout or run.stderr).partition("\n")[0]


def _extras() -> dict[str, str | None]:
    """Return {"extra: package": version, or None if missing} for every package of masume's extras."""
    found = {}
    for requirement in importlib.metadata.requires("masume") or ():
        one = re.match(r"""([\w.-]+).*;.*\bextra == ["']([\w-]+)["']""", requirement)
        if one:
            try:
                version = importlib.metadata.version(one[1])
            except importlib.metadata.PackageNotFoundError:
                version = None
            found[f"{one[2]}: {one[1]}"] = version
    return found


# -- the self-test ------------------------------------------------------------------------------------


def checks() -> dict[str, str | None]:
    """Run the self-test: {check: None, or its error}. It takes about a second."""
    found = {name: _fault(_play, name) for name in workloads()}
    return {**found, "threads": _fault(_threads), "files": _fault(_files)}


def _fault(check: Callable[..., None], *arguments: str) -> str | None:
    """Return any error of the check in one line, None without one: a report needs no traceback."""
    try:
        check(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    return None


def _play(name: str) -> None:
    """A walk of the engine ends with the reference's checksum."""
    found = walk(load(name).new_state(1))
    expected = workloads()[name].checksum
    if found != expected:
        raise AssertionError(f"{name}: expected checksum {expected:08x}, got {found:08x}")


def walk(state: Any) -> int:
    """Return the checksum of the positions of PLIES random plies, from a State of an engine or of a reference."""
    rng = Rng(1)
    checksum = 0
    for _ in range(PLIES):
        actions = []
        for slot in range(len(state.slots)):
            legal = state.legal_actions(slot)
            actions.append(int(legal[rng.below(len(legal))]))
        state.apply(actions if len(actions) > 1 else actions[0])
        checksum = zlib.crc32(json.dumps(state.to_dict(), sort_keys=True).encode(), checksum)
    return checksum


def _threads() -> None:
    """Two threads play the same games as one."""
    alone, both = (load(next(iter(workloads()))).batch(256, seed=1, threads=threads) for threads in (1, 2))
    if (alone.playout(), alone.states.tobytes()) != (both.playout(), both.states.tobytes()):
        raise AssertionError("two threads played other games than one")


def _files() -> None:
    """A file is replaced as a whole, and no temporary file remains."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for text in (b"old", b"new"):
            write_atomic(path, text)
        if (path.read_bytes(), list(path.parent.iterdir())) != (b"new", [path]):
            raise AssertionError(f"{tempfile.gettempdir()}: a file is not what was written")

"""Differences between Linux, macOS and Windows; the rest of masume does not ask which system it runs on.

`posix.py` (Linux and macOS) and `windows.py` define the same names.
"""

from __future__ import annotations

import sys

from .bounds import OPTIONS, Bounds

if sys.platform == "win32":
    from .windows import (
        KEPT,
        MAX_WORKERS,
        Program,
        allow_files,
        check_bounds,
        claim_port,
        count_cpus,
        load_average,
        lock_folder,
        on_terminate,
        prepare_terminal,
        private_memory,
        sync_file,
        sync_folder,
        wait_for_one,
    )
else:
    from .posix import (
        KEPT,
        MAX_WORKERS,
        Program,
        allow_files,
        check_bounds,
        claim_port,
        count_cpus,
        load_average,
        lock_folder,
        on_terminate,
        prepare_terminal,
        private_memory,
        sync_file,
        sync_folder,
        wait_for_one,
    )

__all__ = [
    "KEPT",
    "MAX_WORKERS",
    "OPTIONS",
    "Bounds",
    "Program",
    "allow_files",
    "check_bounds",
    "claim_port",
    "count_cpus",
    "load_average",
    "lock_folder",
    "on_terminate",
    "prepare_terminal",
    "private_memory",
    "sync_file",
    "sync_folder",
    "wait_for_one",
]

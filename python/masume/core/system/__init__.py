"""What differs between Linux, macOS and Windows; nothing else in masume asks which system it runs on.

Both files have the same names: `posix.py` is for Linux and macOS, `windows.py` for Windows.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from .windows import (
        KEPT,
        MAX_WORKERS,
        Program,
        allow_files,
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
    "Program",
    "allow_files",
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

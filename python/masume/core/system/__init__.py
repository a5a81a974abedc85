"""Differences between Linux, macOS and Windows; the rest of masume does not ask which system it runs on.

`posix.py` (Linux and macOS) and `windows.py` define the same names.
"""

from __future__ import annotations

import sys

from .bounds import OPTIONS as OPTIONS
from .bounds import Bounds as Bounds

if sys.platform == "win32":
    from .windows import KEPT as KEPT
    from .windows import MAX_WORKERS as MAX_WORKERS
    from .windows import Program as Program
    from .windows import allow_files as allow_files
    from .windows import check_bounds as check_bounds
    from .windows import claim_port as claim_port
    from .windows import count_cpus as count_cpus
    from .windows import list_addresses as list_addresses
    from .windows import load_average as load_average
    from .windows import lock_folder as lock_folder
    from .windows import on_terminate as on_terminate
    from .windows import prepare_terminal as prepare_terminal
    from .windows import private_memory as private_memory
    from .windows import sync_file as sync_file
    from .windows import sync_folder as sync_folder
    from .windows import wait_for_one as wait_for_one
else:
    from .posix import KEPT as KEPT
    from .posix import MAX_WORKERS as MAX_WORKERS
    from .posix import Program as Program
    from .posix import allow_files as allow_files
    from .posix import check_bounds as check_bounds
    from .posix import claim_port as claim_port
    from .posix import count_cpus as count_cpus
    from .posix import list_addresses as list_addresses
    from .posix import load_average as load_average
    from .posix import lock_folder as lock_folder
    from .posix import on_terminate as on_terminate
    from .posix import prepare_terminal as prepare_terminal
    from .posix import private_memory as private_memory
    from .posix import sync_file as sync_file
    from .posix import sync_folder as sync_folder
    from .posix import wait_for_one as wait_for_one

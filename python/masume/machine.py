"""The machine that masume runs on: its processor, and the level of the kernels."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from . import _bench


def cpu() -> str:
    """Return the processor's name, or its kind where the system does not tell."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def level() -> str:
    """Return the CPU level of the kernels: what MASUME_CPU names, else the best of this machine."""
    return os.environ.get("MASUME_CPU") or _bench.best_level()

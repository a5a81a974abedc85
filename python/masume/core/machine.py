"""The processor that masume runs on."""

from __future__ import annotations

import platform
from pathlib import Path


def cpu() -> str:
    """Return the processor's name, or its architecture if the system does not report a name."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())

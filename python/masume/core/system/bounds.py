"""Bounds: what a program and everything that it starts may use together."""

from __future__ import annotations

from typing import NamedTuple

OPTIONS = ("memory", "cpu-seconds", "procs", "no-network", "files-under")
"""The options of commands, in the order of the fields of Bounds."""


class Bounds(NamedTuple):
    """Limits of a tree of processes; None and True: no limit.

    memory_mb : resident memory in MiB. cpu_s : seconds of processors. procs : processes at the same time. network :
    whether it may use the network. files_under : the only folder in which it may write files.
    """

    memory_mb: int | None = None
    cpu_s: int | None = None
    procs: int | None = None
    network: bool = True
    files_under: str | None = None

    @property
    def is_watched(self) -> bool:
        """Whether there is a limit that is checked from time to time."""
        return (self.memory_mb, self.cpu_s, self.procs) != (None, None, None)

    @property
    def is_sealed(self) -> bool:
        """Whether the network or the files are limited."""
        return not self.network or self.files_under is not None

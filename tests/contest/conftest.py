"""Contests without waiting for the disk; one test sees that the disk is waited for."""

import pytest

from masume.core import system


@pytest.fixture(autouse=True)
def synced(monkeypatch):
    """Return a list that grows by the size of each file that is flushed to the disk, which is not waited for."""
    import os

    found = []
    monkeypatch.setattr(system, "sync_file", lambda number: found.append(os.fstat(number).st_size))
    monkeypatch.setattr(system, "sync_folder", lambda _path: None)
    return found

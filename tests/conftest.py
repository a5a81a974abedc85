"""Set up all tests: the toy game's folder on the path, Hypothesis without deadlines, Ctrl-C as in a terminal."""

import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
from skips import pytest_addoption, pytest_sessionfinish, pytest_terminal_summary  # noqa: F401

settings.register_profile("masume", deadline=None, derandomize=True, max_examples=200)
settings.load_profile("masume")

signal.signal(signal.SIGINT, signal.default_int_handler)  # else ignored in a shell's background jobs


@pytest.fixture(autouse=True)
def small_numbers():
    """Undo what training sets: torch makes its thread take the smallest numbers for 0, and other tests need them."""
    yield
    if "torch" in sys.modules:
        sys.modules["torch"].set_flush_denormal(False)

"""Progress is one line per second in a file and a bar on a terminal."""

import importlib.util
import io
import time

import pytest

from masume.core import progress
from masume.core.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def plain(monkeypatch):
    """Simulate a machine without rich."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def test_a_file_gets_a_line_a_second_and_the_last_one():
    stream = io.StringIO()
    with Progress(100, None, stream) as shown:
        for games in range(0, 51, 10):
            shown(games, games / 10)
    assert stream.getvalue().splitlines() == [
        "  0% 0/100 games, 0.00 games/s",
        " 50% 50/100 games, 10.00 games/s, 5 s left",
    ]


def test_lines_come_a_second_apart(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    with Progress(100, None, stream) as shown:
        for step in range(31):
            now[0] = step / 10
            shown(step, now[0])
    assert [line.split()[1] for line in stream.getvalue().splitlines()] == ["0/100", "10/100", "20/100", "30/100"]


def test_an_earlier_part_counts_for_the_share_but_not_for_the_rate():
    stream = io.StringIO()
    with Progress(100, None, stream) as shown:
        shown(80, 1000.0)
        shown(90, 1001.0)
    assert stream.getvalue().splitlines()[-1] == " 90% 90/100 games, 10.00 games/s, 1 s left"


def test_time_bounds_a_run_too():
    stream = io.StringIO()
    with Progress(None, 20, stream) as shown:
        shown(0, 0)
        shown(50, 5)
    assert stream.getvalue().splitlines()[-1] == " 25% 50 games, 10.00 games/s, 15 s left"
    stream = io.StringIO()
    with Progress(100, 20, stream) as shown:
        shown(0, 0)
        shown(10, 10)
        shown(20, 30)
    assert stream.getvalue().splitlines()[-1] == "100% 20/100 games, 0.67 games/s, 0 s left"


def test_a_terminal_gets_one_line_written_over(plain):
    stream = Terminal()
    with Progress(4, None, stream) as shown:
        shown(0, 0)
        shown(4, 1)
    text = stream.getvalue()
    assert text.count("\n") == 1
    assert text.endswith("\n")
    first, last = text.strip("\n").split("\r")[1:]
    assert first == "[" + "." * progress.WIDTH + "]   0% 0/4 games, 0.00 games/s"
    assert last == "[" + "#" * progress.WIDTH + "] 100% 4/4 games, 4.00 games/s, 0 s left"


def test_what_was_longer_is_wiped(plain):
    stream = Terminal()
    with Progress(10**9, None, stream) as shown:
        shown(10**8, 0.0)
        shown._shown = float("-inf")
        shown(10**9, 10**9)
    lines = stream.getvalue().strip("\n").split("\r")[1:]
    assert len(lines[1]) >= len(lines[0])


def test_nothing_is_written_where_nothing_happened(plain):
    for stream in (io.StringIO(), Terminal()):
        with Progress(4, None, stream):
            pass
        assert stream.getvalue() == ""


@pytest.mark.slow
def test_rich_draws_the_bar_where_it_is_installed():
    pytest.importorskip("rich", reason="the extra `rich` is not installed")
    stream = Terminal()
    with Progress(4, None, stream) as shown:
        shown(0, 0)
        shown(4, 1)
    assert "4/4 games, 4.00 games/s" in stream.getvalue()
    assert "100%" in stream.getvalue()

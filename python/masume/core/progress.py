"""Progress of a long run, on stderr: a bar on a terminal, otherwise one line per second."""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
from types import TracebackType
from typing import Self, TextIO

from .language import translate as _

WIDTH = 30


class Progress:
    """Context manager that reports progress: call it with what is done, `progress(games, seconds)`.

    total : total number of games, None if unbounded. seconds : total time, None if unbounded. At least one is given.
    stream : output stream. A terminal gets a bar with rate and time left (drawn by rich if it is installed), anything
    else one line per second.
    """

    def __init__(self, total: int | None, seconds: float | None, stream: TextIO | None = None) -> None:
        self._total, self._seconds = total, seconds
        self._stream = stream or sys.stderr
        self._lock = threading.Lock()
        self._first: tuple[int, float] | None = None  # games of an earlier run are not part of the rate
        self._news: tuple[float, str] | None = None  # latest report, if not shown yet
        self._shown = float("-inf")
        if not self._stream.isatty():
            self._view: _Lines | _Bar = _Lines(self._stream)
        elif importlib.util.find_spec("rich"):
            self._view = _RichBar(self._stream)
        else:
            self._view = _Bar(self._stream)

    def __call__(self, games: int, seconds: float) -> None:
        """Show that `games` are finished after `seconds`; any thread may call this, at any rate."""
        with self._lock:
            self._first = self._first or (games, seconds)
            rate = (games - self._first[0]) / max(seconds - self._first[1], 1e-9)
            self._news = self._share(games, seconds), self._text(games, seconds, rate)
            if time.monotonic() - self._shown >= self._view.interval:
                self._show()

    def _show(self) -> None:
        if self._news:
            self._view.show(*self._news)
        self._news = None
        self._shown = time.monotonic()

    def _share(self, games: int, seconds: float) -> float:
        """Return the finished share of the run, 0..1."""
        by_games = games / self._total if self._total else 0.0
        by_time = seconds / self._seconds if self._seconds else 0.0
        return min(1.0, max(by_games, by_time))

    def _text(self, games: int, seconds: float, rate: float) -> str:
        left = []
        if self._total is not None and rate > 0:
            left.append((self._total - games) / rate)
        if self._seconds is not None:
            left.append(self._seconds - seconds)
        of = f"/{self._total:,}" if self._total is not None else ""
        text = _("{games} games, {rate} games/s")
        if left:
            text = _("{games} games, {rate} games/s, {left} s left")
        return text.format(
            games=f"{games:,}{of}",
            rate=f"{rate:,.{0 if rate >= 100 else 2}f}",
            left=f"{max(0.0, min(left, default=0)):.0f}",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._show()
        self._view.close()


class _Lines:
    """Progress as separate lines."""

    interval = 1.0  # between two lines

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, share: float, text: str) -> None:
        print(f"{share:4.0%} {text}", file=self._stream, flush=True)

    def close(self) -> None:
        """Do nothing: nothing is open."""


class _Bar(_Lines):
    """Progress as one line that is overwritten."""

    interval = 0.1

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._drawn = 0

    def show(self, share: float, text: str) -> None:
        filled = round(share * WIDTH)
        line = f"[{'#' * filled}{'.' * (WIDTH - filled)}] {share:4.0%} {text}"
        print("\r" + line.ljust(self._drawn), end="", file=self._stream, flush=True)
        self._drawn = len(line)

    def close(self) -> None:
        if self._drawn:
            print(file=self._stream, flush=True)


class _RichBar(_Lines):
    """Progress bar drawn by rich."""

    interval = 0.1

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (BarColumn(), TextColumn("{task.percentage:3.0f}% {task.description}"))
        self._bar = Bar(*columns, console=Console(file=stream))
        self._task = self._bar.add_task("", total=1.0)

    def show(self, share: float, text: str) -> None:
        self._bar.start()
        self._bar.update(self._task, completed=share, description=text)

    def close(self) -> None:
        self._bar.stop()

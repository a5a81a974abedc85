"""A contest on the page: what the hall sees, and what the organiser does.

The contest lives in another thread, which gives the page a snapshot in each language after every change. The streams
of the lobby tell browsers that there is a new one (`wall.contest`); they fetch it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from ..contest.desk import WORDS, Refused

MAX_LINE = 200
SAFE = re.compile(r"|port:[a-z0-9]+|[a-z_]+|(?!cmd|json|client|py|net|tcp)[a-z_]+:[a-z0-9]+")
"""What a page may hand in: nothing, a client that connects by itself, an agent of masume."""


class ContestBoard:
    """A contest as the page knows it.

    Parameters
    ----------
    ask : callable
        Called with a line for the desk, in the thread of the page.

    Attributes
    ----------
    version : int
        Number of the snapshot.
    """

    def __init__(self, ask: Callable[[str], None]) -> None:
        self.ask = ask
        self.version = 0
        self._shown: Mapping[str, dict[str, Any]] = {}

    def set(self, shown: Mapping[str, dict[str, Any]]) -> None:
        """Take a snapshot by language; called in the thread of the page."""
        self._shown = shown
        self.version += 1

    def facts(self, language: str, is_host: bool) -> dict[str, Any]:
        """Return what a viewer may know: the organiser's news are for the organiser."""
        shown = self._shown.get(language) or next(iter(self._shown.values()), {})
        return shown if is_host else {name: value for name, value in shown.items() if name != "news"}

    @staticmethod
    def refusal(line: str) -> str | None:
        """Return why the page may not say a line; None if it may."""
        try:
            said = shlex.split(line)  # as the desk does
        except ValueError:
            said = []
        word = WORDS.get(said[0]) if said else None
        if len(line) > MAX_LINE or "\n" in line or word is None or not word.is_on_page:
            return "this command cannot be given on the page"
        try:
            is_safe = SAFE.fullmatch(word.program(said[1:]))
        except Refused:
            return None  # the desk says so
        if not is_safe:
            return "programs that run on this machine are handed in at the terminal"
        return None

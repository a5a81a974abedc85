"""A contest on the page: what the hall sees, and what the organiser does.

The contest lives in another thread, which gives the page a snapshot in each language after every change. The streams
of the lobby tell browsers that there is a new one (`wall.contest`); they fetch it. An order of the organiser goes to
that thread and has an answer; a browser that sends it twice, under one nonce, gets the same answer.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from ..contest.orders import Enter, HandIn, Order

MAX_ANSWERS = 200  # that are kept for browsers which send an order again
SAFE = re.compile(r"|port:[a-z0-9]+|[a-z_]+|user:.{1,60}|(?!cmd|json|client|py|net|tcp)[a-z_]+:[a-z0-9]+")
"""What every browser may hand in: nothing, a client that connects by itself, an agent of masume."""
Answer = dict[str, Any]


class ContestBoard:
    """A contest as the page knows it.

    Parameters
    ----------
    order : callable
        Called with an order and what the organiser has seen (`Desk.stamp`), in the thread of the page; returns the
        answer of the desk.

    Attributes
    ----------
    version : int
        Number of the snapshot.
    """

    def __init__(self, order: Callable[[Order, str], Future[Answer]]) -> None:
        self._order = order
        self.version = 0
        self._shown: Mapping[str, dict[str, Any]] = {}
        self._answers: dict[str, asyncio.Future[Answer]] = {}

    def set(self, shown: Mapping[str, dict[str, Any]]) -> None:
        """Take a snapshot by language; called in the thread of the page."""
        self._shown = shown
        self.version += 1

    def facts(self, language: str, is_host: bool, is_here: bool = False) -> dict[str, Any]:
        """Return what a viewer may know: what is on the desk is for the organiser.

        is_here : whether the viewer may hand in programs of this machine.
        """
        shown = self._shown.get(language) or next(iter(self._shown.values()), {})
        if is_host:
            return {**shown, "desk": {**shown.get("desk", {}), "is_here": is_here}}
        return {name: value for name, value in shown.items() if name != "desk"}

    async def take(self, nonce: str, order: Order, seen: str) -> Answer:
        """Return the desk's answer to an order; raise Refused if it refuses it. The same nonce gets the same answer."""
        if nonce not in self._answers:
            self._answers[nonce] = asyncio.wrap_future(self._order(order, seen))
            while len(self._answers) > MAX_ANSWERS:
                del self._answers[next(iter(self._answers))]
        return await asyncio.shield(self._answers[nonce])

    @staticmethod
    def needs_machine(order: Order) -> bool:
        """Return whether an order hands in what runs on this machine: a command, which may do anything."""
        match order:
            case Enter() | HandIn():
                return not SAFE.fullmatch(order.play)
            case _:
                return False

"""The event stream: which matches somebody watches, and what they are told. [section 14.7]"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .hall import Match, Refusal

MAX_RANGE, DEFAULT_RANGE = 50, 20
NOT_STARTED = 10_000_000_000  # where matches stand that have no start time yet
STATES = {"is:waiting": "free", "is:gaming": "gaming", "is:finished": "ended"}
SORTS = {"sort:startAtUnixTime-asc": False, "sort:startAtUnixTime-desc": True}
"""Whether the last comes first."""


class Watch:
    """What one stream is about; Refusal 106 for a range that is none.

    viewer : the id of the account that asks.
    """

    def __init__(self, query: Mapping[str, str], viewer: str | None) -> None:
        self._q, self._viewer = query.get("q", ""), viewer
        self._start = _index(query, "startIndex", 0)
        self._end = _index(query, "endIndex", self._start + DEFAULT_RANGE)
        if abs(self._end - self._start) > MAX_RANGE:
            raise Refusal(106)
        self._allows_new = query.get("allowNewGame") == "true"
        tokens = self._q.split(" ")
        self._states = [STATES[token] for token in tokens if token in STATES]
        self._kinds = [token[5:] for token in tokens if token in ("type:self", "type:normal", "type:personal")]
        self._ids = [token[3:] for token in tokens if token.startswith("id:")]
        self._sort = next((token for token in tokens if token in SORTS), None)
        self._watched: set[str] = set()

    def first(self, matches: Iterable[Match]) -> dict[str, Any]:
        """The initial message; the matches in it are watched from now on."""
        found = [match for match in matches if self._is_wanted(match)]
        if self._sort is not None:
            found.sort(key=_start_time, reverse=SORTS[self._sort])
        shown = found[self._start : self._end]
        self._watched = {match.id for match in shown}
        return {
            "type": "initial",
            "q": self._q,
            "startIndex": self._start,
            "endIndex": self._end,
            "games": [match.to_json() for match in shown],
            "gamesNum": len(found),
        }

    def told(self, match: Match) -> dict[str, Any] | None:
        """The message about a match that is sent now, if there is one."""
        if match.id in self._watched:
            if self._is_in_state(match):
                return {"type": "update", "game": match.to_json()}
            self._watched.remove(match.id)
            return {"type": "remove", "gameId": match.id}
        if self._allows_new and self._is_wanted(match):
            self._watched.add(match.id)
            return {"type": "add", "game": match.to_json()}
        return None

    def _is_in_state(self, match: Match) -> bool:
        return all(match.status == state for state in self._states)

    def _is_wanted(self, match: Match) -> bool:
        return (
            self._is_in_state(match)
            and all(match.id == one for one in self._ids)
            and all(match.kind == kind for kind in self._kinds)
            and ("personal" not in self._kinds or (match.owner is not None and match.owner == self._viewer))
        )


def _start_time(match: Match) -> float:
    return NOT_STARTED if match.started_at is None else match.started_at


def _index(query: Mapping[str, str], key: str, default: int) -> int:
    text = query.get(key)
    if text is None:
        return default
    if not re.fullmatch("[0-9]{1,9}", text, re.ASCII):
        raise Refusal(106)
    return int(text)

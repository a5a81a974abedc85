"""report: a run of self-play as a page, with games to step through."""

from __future__ import annotations

import collections
from collections.abc import Sequence

from ..game import Game
from ..records.replay import load_some
from ..records.store import Store
from ..render import page
from .summary import Summary

REPORT_GAMES = 9
REPORT_MOVES = 2**14  # 4 s of Terraforming's, and 2 MB


def report(store: Store, plugins: Sequence[Game], summary: Summary) -> str:
    """The run as an HTML page: the table, the throughput, and games to step through."""
    first = store.shards[0]["files"].get("replays", {}).get("file")
    games = load_some(store.folder / first, choose_replays, plugins) if first else []
    return page(games, title="masume self-play", summary=summary.table(), throughput=summary.series)


def choose_replays(contents: Sequence[tuple[str, int]]) -> list[int]:
    """The replays of a report: the first one of every game, then the second ones, ..., and so many as it has room for.

    They end at REPORT_GAMES; but for the first ones they have no more than REPORT_MOVES together.
    """
    rounds: collections.Counter[str] = collections.Counter()
    order = []
    for place, (name, lines) in enumerate(contents):
        order.append((rounds[name], place, lines))
        rounds[name] += 1
    shown = []
    moves = 0
    for nth, place, lines in sorted(order)[:REPORT_GAMES]:
        if nth == 0 or moves + lines <= REPORT_MOVES:
            shown.append(place)
            moves += lines
    return sorted(shown)

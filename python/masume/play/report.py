"""HTML report of a run of self-play, with games to step through."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Sequence

from ..core import registry
from ..core.language import translate as _
from ..game import Game
from ..records.replay import Replay, choose_some, load
from ..records.store import RemoteStore, Store
from ..render import page
from .summary import Summary

REPORT_GAMES = 9
REPORT_MOVES = 2**14  # 4 s to replay in Terraforming, and 2 MB


def report(store: Store | RemoteStore, plugins: Sequence[Game], summary: Summary) -> str:
    """Return the run as an HTML page: the table, the throughput, and games to step through.

    A run of several games opens on a good game, recorded before: the shortest of those that hide nothing.
    """
    first = store.shards[0]["files"].get("replays", {}).get("file")
    games = choose_some(store.place.read(first), store.place.at(first), choose_replays, plugins) if first else []
    return page(
        games,
        title=_("masume self-play"),
        summary=summary.table(),
        throughput=summary.series,
        good=good_games(summary.games) if len(summary.games) > 1 else (),
        num_games=sum(tally.games for tally in summary.games.values()),
    )


def good_games(names: Iterable[str]) -> list[Replay]:
    """Return the recorded good game of each of these games that has one, the easiest to follow first."""
    recorded = registry.recorded()
    found = [one for name in names if name in recorded for one in load(recorded[name])]
    return sorted(found, key=lambda one: (not one.game.is_perfect_information, len(one.moves)))


def choose_replays(contents: Sequence[tuple[str, int]]) -> list[int]:
    """Choose the replays of a report: the first one of every game, then the second ones, and so on while there is room.

    At most REPORT_GAMES are chosen. Those after the first of each game are added only while all have at most
    REPORT_MOVES moves together.
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

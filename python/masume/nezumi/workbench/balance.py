"""Balance of a stage: win rates between agents, how games end, and the distributions of scores and counts."""

from __future__ import annotations

import contextlib
import itertools
import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.language import say
from ...core.language import translate as _
from ...game import Game, load
from ...play.ratings import score_interval
from ...play.selfplay import selfplay
from ...records.arrays import load_records
from ...records.store import REPORT
from ...render import escape_text
from ..notation import CAT, MICE, RESULTS
from ..stages import Stage
from .findings import numbers

AIM = (0.3, 0.7)  # target for the mice's win rate between players who know the stage [section 4.3]
MEASURES = ("score", "turns", "captured", "food", "cost")
BINS = 16  # maximal number of bars of a histogram
SHOWN_GAMES = 6  # games per run that are kept as replays


class Pairing(NamedTuple):
    """The games of one agent as the cat against one as the mice.

    Attributes
    ----------
    cat, mice : str
        Names of the agents.
    measures : dict of str to int64[games]
        One array for each of MEASURES; score, food and cost in mg.
    results : int64[games]
        Indices into RESULTS.
    won : bool[games]
        Whether the mice won.
    report : Path or None
        Page of the games; None if the games are not kept.
    """

    cat: str
    mice: str
    measures: dict[str, NDArray[np.int64]]
    results: NDArray[np.int64]
    won: NDArray[np.bool_]
    report: Path | None

    @property
    def share(self) -> float:
        """Share of the games that the mice won, 0..1."""
        return float(self.won.mean())


def balance(
    stage: Stage,
    agents: Sequence[str],
    num_games: int,
    *,
    seed: int = 0,
    threads: int = 0,
    out: Path | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> list[Pairing]:
    """Play every agent as the cat against every agent as the mice.

    Parameters
    ----------
    stage : Stage
    agents : sequence of str
        Names of agents; duplicates are dropped.
    num_games : int
        Number of games of each pairing.
    seed, threads, progress : optional
        As in `selfplay`; `progress` receives the number of games of all pairings and the time in s.
    out : Path, optional
        Folder for the games. An interrupted run with the same arguments continues there. Default: nothing is kept.

    Returns
    -------
    list of Pairing
        One for each (cat, mice) pair, ordered by cat, then by mice.

    Notes
    -----
    Errors of `selfplay` are passed on.
    """
    game = load("nezumi", stage=stage)
    names = list(dict.fromkeys(agents))
    pairings: dict[tuple[int, ...], Pairing] = {}
    before = 0
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        folder = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="masume-")))
        for one, other in itertools.combinations_with_replacement(range(len(names)), 2):
            both = [one] if one == other else [one, other]  # seats rotate: the second is the cat in odd games
            run = folder / "-".join(f"{n}" for n in both)
            total = num_games * len(both)

            def tick(games: int, _: float, before: int = before) -> None:
                if progress:
                    progress(before + games, time.monotonic() - started)

            selfplay(
                [game], [names[n] for n in both], num_games=total, seed=seed, threads=threads, out=run,
                replays=SHOWN_GAMES, progress=tick,
            )  # fmt: skip
            before += total
            records = load_records(run)
            for turn in range(len(both)):
                cat, mice = both[turn], both[turn - 1]
                rows = np.flatnonzero(records["agents"][:, CAT] == turn)
                ended = _ends(game, records, rows)
                report = None if out is None else run / REPORT
                pairings[cat, mice] = Pairing(names[cat], names[mice], *ended, report)
    return [pairings[pair] for pair in itertools.product(range(len(names)), repeat=2)]


def _ends(
    game: Game, records: Mapping[str, NDArray[Any]], rows: NDArray[np.int64]
) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.int64], NDArray[np.bool_]]:
    """Return (measures, results, won) of these games of a run; each is replayed to its end."""
    ends = np.cumsum(records["length"])
    found = []
    for row in rows:
        state: Any = game.new_state(int(records["seed"][row]))
        for action in records["actions"][ends[row] - records["length"][row] : ends[row], 0].tolist():
            state.apply(action)
        found.append((state.score, state.turn, state.captured, state.food_sum, state.cost_sum, state.result))
    *measures, results = np.array(found, np.int64).T
    return dict(zip(MEASURES, measures, strict=True)), results, records["returns"][rows, MICE] == 1


def _spread(values: NDArray[np.int64]) -> dict[str, float]:
    """Return mean, minimum, maximum and quartiles."""
    low, first, median, third, high = np.percentile(values, [0, 25, 50, 75, 100]).tolist()
    return {"mean": float(values.mean()), "min": low, "q1": first, "median": median, "q3": third, "max": high}


def edges_of(pairings: Sequence[Pairing], measure: str) -> NDArray[np.int64]:
    """Return the edges of a histogram of a measure, the same for all pairings.

    Returns
    -------
    int64[bars + 1]
        Equidistant; the step is 1, 2 or 5 times a power of ten.
    """
    values = np.concatenate([one.measures[measure] for one in pairings])
    low, high = int(values.min()), int(values.max())
    rough = max(1.0, (high - low + 1) / BINS)
    power: int = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return np.arange(low // step, high // step + 2) * step


def bars_of(one: Pairing, measure: str, edges: NDArray[np.int64]) -> list[list[int]]:
    """Return [games won by the cat, games won by the mice] for each bar of a histogram.

    Parameters
    ----------
    one : Pairing
    measure : str
        One of MEASURES.
    edges : int64[bars + 1]
        As `edges_of` returns them.
    """
    values = one.measures[measure]
    return [
        [int(((values >= low) & (values < high) & (one.won == won)).sum()) for won in (False, True)]
        for low, high in itertools.pairwise(edges)
    ]


def judge(pairings: Sequence[Pairing]) -> list[str]:
    """Return the conclusions from the win rates, as sentences.

    They compare the best agents of both sides with the target range AIM, and name the ends that never occurred.
    """
    cats = {pairing.cat: max(same.share for same in pairings if same.cat == pairing.cat) for pairing in pairings}
    mice = {pairing.mice: min(same.share for same in pairings if same.mice == pairing.mice) for pairing in pairings}
    cat, best = min(cats, key=cats.__getitem__), max(mice, key=mice.__getitem__)
    low, high = mice[best], cats[cat]
    sentences = [
        say(
            "The best mice of these are {mice}: they win {share} or more against every cat.",
            mice=best,
            share=f"{low:.1%}",
        ),
        say("The best cat of these is {cat}: no mice win more than {share} against it.", cat=cat, share=f"{high:.1%}"),
    ]
    if high < AIM[0]:
        sentences.append(
            say(
                "Hard for the mice: against the best cat the best mice should win {share} or more.",
                share=f"{AIM[0]:.0%}",
            )
        )
    elif low > AIM[1]:
        sentences.append(
            say(
                "Easy for the mice: against the best cat the best mice should win {share} or less.",
                share=f"{AIM[1]:.0%}",
            )
        )
    never = [
        RESULTS[n].lower()
        for n in range(1, len(RESULTS))
        if not any((pairing.results == n).any() for pairing in pairings)
    ]
    if never:
        sentences.append(say("No game ended by {results}.", results=_(" or ").join(map(_, never))))
    return sentences


def describe(stage: Stage, seed: int, pairings: Sequence[Pairing]) -> dict[str, Any]:
    """Return the results as plain JSON types.

    Returns
    -------
    dict
        stage : name of the stage. numbers : as `findings.numbers`. seed : as passed in. judged : as `judge`.
        edges : for each measure, the edges of its histogram. pairings : for each pairing, cat, mice, games, mice_won,
        interval (of the mice's win rate), ends (number of games by result), and for each measure its mean, min, q1,
        median, q3, max and bars.
    """
    edges = {measure: edges_of(pairings, measure) for measure in MEASURES}
    return {
        "stage": stage.name,
        "numbers": numbers(stage),
        "seed": seed,
        "judged": judge(pairings),
        "edges": {measure: values.tolist() for measure, values in edges.items()},
        "pairings": [
            {
                "cat": pairing.cat,
                "mice": pairing.mice,
                "games": len(pairing.won),
                "mice_won": int(pairing.won.sum()),
                "interval": score_interval(pairing.won.tolist())[1:],
                "ends": {name.lower(): int((pairing.results == n).sum()) for n, name in enumerate(RESULTS) if n},
                **{
                    measure: _spread(pairing.measures[measure]) | {"bars": bars_of(pairing, measure, edges[measure])}
                    for measure in MEASURES
                },
            }
            for pairing in pairings
        ],
    }


def rows_of(pairings: Sequence[Pairing]) -> list[dict[str, Any]]:
    """Return the rows of the printed table: shares of the games, then means."""
    rows = []
    for one in pairings:
        mean, low, high = score_interval(one.won.tolist())
        row = {_("cat"): escape_text(one.cat), _("mice"): escape_text(one.mice), _("games"): len(one.won)}
        row |= {_("mice won"): f"{mean:.1%}", "95 %": f"{low:.1%}-{high:.1%}"}
        row |= {
            say("by {result}", result=_(name.lower())): f"{(one.results == n).mean():.1%}"
            for n, name in enumerate(RESULTS)
            if n
        }
        rows.append(row | {measure: round(float(values.mean()), 1) for measure, values in one.measures.items()})
    return rows

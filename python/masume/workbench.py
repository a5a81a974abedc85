"""`masume stage`: check, balance and solve, for the authors of Nezumi's stages."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import render
from .cli import COMMON, FAILED, _agents_option, _print_json, _seed, _shown, _table, command
from .config import integer
from .errors import ConfigError, StageError
from .files import write_atomic
from .game import Game, load
from .nezumi.notation import CAT, MICE, PLAYERS, RESULTS
from .nezumi.stages import DIAGONALS, STEPS, Stage, distances, facts, load_file, neighbours, shipped
from .progress import Progress
from .ratings import score_interval
from .records import load_records
from .render.html import _table as _html_table
from .render.svg import style
from .search.solve import DEFAULT, OBJECTIVES, solve
from .selfplay import selfplay
from .store import REPORT

EVERYBODY = ["random", "greedy", "crafty"]
AIM = (0.3, 0.7)  # of the mice's wins, between players who know the stage [section 4.3]
MEASURES = ("score", "turns", "captured", "food", "cost")
BINS = 16  # bars of a histogram, at most
SHOWN_GAMES = 6  # of two players, that can be watched
MAX_GAMES = 1_000_000


class Task(NamedTuple):
    """What can be done with a stage: how it is described, what it takes beside the stage, what it does."""

    summary: str
    example: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]


def _stage_options(parser: argparse.ArgumentParser) -> None:
    tasks = parser.add_subparsers(dest="task", required=True, metavar="TASK")
    for name, task in TASKS.items():
        one = tasks.add_parser(
            name, help=task.summary, description=f"{task.summary[0].upper()}{task.summary[1:]}.",
            epilog=f"example: {task.example}",
        )  # fmt: skip
        one.add_argument("stage", metavar="FILE", help="a stage file, or the name of a shipped stage")
        task.options(one)
        for option, keywords in COMMON.items():
            one.add_argument(option, **(keywords | {"default": argparse.SUPPRESS}))


@command("stage", "check, balance or solve a Nezumi stage", "masume stage check garden", _stage_options)
def _stage(arguments: argparse.Namespace) -> None:
    """`masume stage TASK FILE`: the workbench of Nezumi's stages."""
    TASKS[arguments.task].run(arguments)


def _found(given: str) -> Stage:
    """The stage that is meant by what was given for FILE."""
    if given in shipped():
        return shipped()[given]
    if not Path(given).is_file():
        raise ConfigError(f"stage: {given!r} is no file, and none of {', '.join(shipped())}")
    return next(iter(load_file(Path(given)).values()))


# -- check ---------------------------------------------------------------------------------------


class Finding(NamedTuple):
    """What an author may not have meant. kind : one of KINDS. text : a sentence. cells : where, if anywhere."""

    kind: str
    text: str
    cells: tuple[int, ...] = ()


KINDS = (
    "cat-wins",  # the cat has a plan that no mice can beat
    "mice-win",  # the mice have a plan that no cat can beat
    "stuck-cat",  # the cat cannot move
    "never-meet",  # cat and mice stay apart
    "no-quota",  # the quota of captures cannot be met
    "no-surround",  # no cell is one where the cat can be surrounded
    "no-pay",  # the food does not pay for the way to it
    "far-food",  # food that no mouse can get to in time
    "jump-food",  # food that only jumps get to in time
    "cut-off-zone",  # zone cells without a way to the cat
    "nowhere",  # cells that nobody can get to
    "unused-food",  # food that is described and not on the map
)


def findings(stage: Stage) -> list[Finding]:
    """What is odd about a valid stage, in the order of KINDS; nothing is said that is not certain."""
    ground = _Ground(stage)
    told = itertools.chain.from_iterable(look(ground) for look in (_plans, _bounds, _food, _cells))
    return sorted(told, key=lambda finding: KINDS.index(finding.kind))


class _Ground:
    """How far it is on a stage.

    cat : steps from the cat's start to each cell that it can get to. zone : the cells of the zone among them.
    jumps : by cell the turns that a mouse from there needs at least, if others stand wherever it could jump.
    walks : the same without jumps.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.cat = distances(stage.cat, stage.height, stage.width, stage.wall)
        self.zone = [cell for cell in self.cat if stage.zone[cell]]
        self.walks = self._turns(1)
        self.jumps = self._turns(stage.max_mice)

    def _turns(self, longest: int) -> dict[int, int]:
        """Turns to each cell by moves of up to so many cells straight on."""
        found = dict.fromkeys(self.zone, 0)
        edge = self.zone
        while edge:
            reached = dict.fromkeys(cell for start in edge for cell in self._straight(start, longest))
            turns = found[edge[0]] + 1
            edge = [cell for cell in reached if cell not in found]
            found |= dict.fromkeys(edge, turns)
        return found

    def _straight(self, start: int, longest: int) -> Iterator[int]:
        stage = self.stage
        for step in STEPS:
            cell = start
            for _ in range(longest):
                ahead = neighbours(cell, stage.height, stage.width, [step])
                if not ahead or stage.wall[ahead[0]]:
                    break
                cell = ahead[0]
                yield cell

    def open_diagonals(self, cell: int) -> int:
        """How many diagonal neighbours of a cell are no wall. [NZ-R17]"""
        stage = self.stage
        return sum(not stage.wall[near] for near in neighbours(cell, stage.height, stage.width, DIAGONALS))

    def is_safe(self, cell: int) -> bool:
        """Whether a cat there is never surrounded: nothing is open, or more than there are mice. [NZ-R17]"""
        return not 1 <= self.open_diagonals(cell) <= self.stage.max_mice

    def place(self, cell: int) -> str:
        """The cell as action texts write it."""
        return f"{cell // self.stage.width},{cell % self.stage.width}"

    def places(self, cells: Iterable[int]) -> str:
        """Several of them."""
        return " ".join(map(self.place, cells))


def _plans(ground: _Ground) -> Iterator[Finding]:
    """Plans that win whatever the other side does."""
    stage = ground.stage
    if _most(ground) < 0 and ground.is_safe(stage.cat):
        yield Finding(
            "cat-wins",
            "The cat wins by staying where it is and capturing nobody: it is never surrounded there, and the food does "
            "not pay for the way to it.",
            (stage.cat,),
        )
    whole = stage.turns + 1  # what a mouse costs that is on the board from first to last [NZ-R3]
    for food in _sure(ground):
        if stage.food[food] >= whole:
            yield Finding(
                "mice-win",
                f"The mice win with a single mouse: no cat can keep it from the {stage.food[food]:,} mg on "
                f"{ground.place(food)}, which pay for all {whole} charges.",
                (food,),
            )
            return


def _most(ground: _Ground) -> int:
    """A score that the mice cannot beat, against a cat that captures nobody, without a surround.

    To eat food that is k turns away they must have paid k charges, or one where it is in the zone.
    """
    stage = ground.stage
    best, eaten = -1, 0  # nothing eaten: the charge of the placement [NZ-R5]
    for turns, food in sorted((ground.jumps[cell], cell) for cell, amount in enumerate(stage.food) if amount):
        if turns <= stage.turns:
            eaten += stage.food[food]
            best = max(best, eaten - max(1, turns))
    return best


def _sure(ground: _Ground) -> list[int]:
    """The foods that a single mouse gets to, whatever the cat does.

    A mouse is safe on a cell where it arrives in turn n if the cat started n + 2 steps away or farther: it can neither
    react there nor step onto it in the next turn. Its last step may lead anywhere, as it eats before the cat reacts.
    """
    stage = ground.stage
    safe = {cell: 0 for cell in ground.zone if ground.cat[cell] >= 2}
    edge = list(safe)
    found = dict.fromkeys(cell for cell in ground.zone if stage.food[cell] and cell != stage.cat)
    for turn in range(1, stage.turns + 1):
        reached = [cell for start in edge for cell in neighbours(start, stage.height, stage.width)]
        reached = [cell for cell in dict.fromkeys(reached) if not stage.wall[cell]]
        found |= dict.fromkeys(cell for cell in reached if stage.food[cell])
        edge = [cell for cell in reached if cell not in safe and ground.cat[cell] >= turn + 2]
        safe |= dict.fromkeys(edge, turn)
    return list(found)


def _bounds(ground: _Ground) -> Iterator[Finding]:
    """What cannot happen: a step of the cat, a meeting, the quota, a surround, a score of the mice without one."""
    stage = ground.stage
    if len(ground.cat) == 1:
        yield Finding("stuck-cat", "The cat cannot move: there are walls on all its sides.", (stage.cat,))
    near = {cell for cell, steps in ground.cat.items() if steps <= stage.turns}
    far = [cell for cell, turns in ground.jumps.items() if turns <= stage.turns]
    around = (*STEPS, *DIAGONALS, (0, 0))
    if not any(near.intersection(neighbours(cell, stage.height, stage.width, around)) for cell in far):
        yield Finding("never-meet", f"Cat and mice cannot meet in {stage.turns} turns: nothing but the food decides.")
    come = len(ground.zone) + stage.turns  # of whom the cat may capture some, each time it can be put there
    if min(ground.cat[cell] for cell in ground.zone) > 1 and come < stage.require:
        yield Finding(
            "no-quota",
            f"The quota of {stage.require} captures cannot be met: no more than {come} mice can come in, "
            f"{len(ground.zone)} at first and one a turn.",
        )
    if all(map(ground.is_safe, ground.cat)):
        yield Finding(
            "no-surround",
            f"Nowhere can {stage.max_mice} mice surround the cat: each cell has more open diagonals, or none.",
        )
    if _most(ground) < 0:
        yield Finding(
            "no-pay",
            "The food does not pay for the way to it: against a cat that captures nobody the mice need a surround.",
        )


def _food(ground: _Ground) -> Iterator[Finding]:
    """Food that is too far away, or not there."""
    stage = ground.stage
    for cell, amount in enumerate(stage.food):
        if amount and ground.jumps[cell] > stage.turns:
            yield Finding(
                "far-food",
                f"No mouse can get to the {amount:,} mg on {ground.place(cell)}: even with jumps it takes "
                f"{ground.jumps[cell]} turns, and there are {stage.turns}.",
                (cell,),
            )
        elif amount and ground.walks[cell] > stage.turns:
            yield Finding(
                "jump-food",
                f"Without jumps no mouse gets to the {amount:,} mg on {ground.place(cell)}: it takes "
                f"{ground.walks[cell]} turns, and there are {stage.turns}.",
                (cell,),
            )
    for food in stage.foods:
        if food.letter not in stage.letters:
            yield Finding("unused-food", f"The food {food.letter} ({food.kind}) is not on the map.")


def _cells(ground: _Ground) -> Iterator[Finding]:
    """Cells that are no wall and have no way to the cat."""
    stage = ground.stage
    apart = [cell for cell, zone in enumerate(stage.zone) if zone and cell not in ground.cat]
    if apart:
        yield Finding(
            "cut-off-zone",
            f"No way leads from the zone on {ground.places(apart)} to the cat and the food.",
            tuple(apart),
        )
    entered = {near for cell in apart for near in distances(cell, stage.height, stage.width, stage.wall)}
    lost = [cell for cell, wall in enumerate(stage.wall) if not (wall or cell in ground.cat or cell in entered)]
    if lost:
        yield Finding("nowhere", f"Nobody can get to {ground.places(lost)}.", tuple(lost))


def _numbers(stage: Stage) -> dict[str, Any]:
    """The stage in numbers: `facts`, and how far it is. Distances are in steps."""
    ground = _Ground(stage)
    return {
        **facts(stage.name, stage),
        "walls": sum(stage.wall),
        "cells_of_the_cat": len(ground.cat),
        "cat_to_zone": min(ground.cat[cell] for cell in ground.zone),
        "zone_to_food": min((ground.walks[cell] for cell, amount in enumerate(stage.food) if amount), default=None),
        "one_mouse_costs_mg": stage.turns + 1,
    }


def _check_options(parser: argparse.ArgumentParser) -> None:
    """Nothing but the stage."""


def _check(arguments: argparse.Namespace) -> None:
    """`masume stage check FILE`: numbers, and what is odd; where it is not valid, what is wrong, and exit code 1."""
    given = arguments.stage
    try:
        stage = _found(given)
    except StageError as error:
        fault = {"code": error.code, "line": error.line, "column": error.column, "message": error.args[0]}
        if arguments.json:
            _print_json({"stage": given, "valid": False, "error": fault})
        else:
            print(f"{_shown(given)}: {_shown(str(error))}\n{_excerpt(given, error)}")
        sys.exit(FAILED)
    numbers, odd = _numbers(stage), findings(stage)
    if arguments.json:
        cells = [[list(divmod(cell, stage.width)) for cell in one.cells] for one in odd]
        told = [{"kind": one.kind, "text": one.text, "cells": at} for one, at in zip(odd, cells, strict=True)]
        _print_json({"stage": given, "valid": True, "numbers": numbers, "findings": told})
        return
    print(f"{_shown(given)}: a valid stage\n")
    print("\n".join(stage.rows), end="\n\n")
    print(_table([(name.replace("_", " "), str(value)) for name, value in numbers.items()]), end="\n\n")
    print("\n".join(one.text for one in odd) or "Nothing is odd about it.")


def _excerpt(given: str, error: StageError) -> str:
    """The line that is wrong, and a mark under the column."""
    line = Path(given).read_bytes().decode().split("\n")[error.line - 1]
    return f"    {''.join(char if char.isprintable() else ' ' for char in line)}\n    {' ' * (error.column - 1)}^"


# -- balance -------------------------------------------------------------------------------------


class Pairing(NamedTuple):
    """What came of the games of a cat and mice.

    measures : of MEASURES int64[games] each. results : int64[games], places in RESULTS. won : bool[games], by the mice.
    report : the page of the games, None where nothing is kept.
    """

    cat: str
    mice: str
    measures: dict[str, NDArray[np.int64]]
    results: NDArray[np.int64]
    won: NDArray[np.bool_]
    report: Path | None

    @property
    def share(self) -> float:
        """Of the games, those that the mice have won."""
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
    """Every agent as the cat against every agent as the mice, in `num_games` games each: cat by cat.

    seed, threads, progress : as in `selfplay`. out : a folder for the games, which `selfplay` fills; a run that was
    interrupted goes on there. Raises what `selfplay` raises.
    """
    game = load("nezumi", stage=stage)
    names = list(dict.fromkeys(agents))
    found: dict[tuple[int, ...], Pairing] = {}
    before = 0
    started = time.monotonic()
    with contextlib.ExitStack() as stack:
        folder = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="masume-")))
        for one, other in itertools.combinations_with_replacement(range(len(names)), 2):
            both = [one] if one == other else [one, other]  # seats rotate: in odd games the second is the cat
            run = folder / "-".join(f"{n}" for n in both)
            run.mkdir(parents=True, exist_ok=True)
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
                found[cat, mice] = Pairing(names[cat], names[mice], *ended, report)
    return [found[pair] for pair in itertools.product(range(len(names)), repeat=2)]


def _ends(
    game: Game, records: Mapping[str, NDArray[Any]], rows: NDArray[np.int64]
) -> tuple[dict[str, NDArray[np.int64]], NDArray[np.int64], NDArray[np.bool_]]:
    """(measures, results, won) of these games of a run, each played again to its end."""
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
    """Mean and quartiles."""
    low, first, median, third, high = np.percentile(values, [0, 25, 50, 75, 100]).tolist()
    return {"mean": float(values.mean()), "min": low, "q1": first, "median": median, "q3": third, "max": high}


def _edges(pairings: Sequence[Pairing], measure: str) -> NDArray[np.int64]:
    """int64[bars + 1]: where the bars of a histogram begin, the same for all, each of a round number of values."""
    values = np.concatenate([one.measures[measure] for one in pairings])
    low, high = int(values.min()), int(values.max())
    rough = max(1.0, (high - low + 1) / BINS)
    power: int = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return np.arange(low // step, high // step + 2) * step


def _bars(one: Pairing, measure: str, edges: NDArray[np.int64]) -> list[list[int]]:
    """[games won by the cat, by the mice] of each bar."""
    values = one.measures[measure]
    return [
        [int(((values >= low) & (values < high) & (one.won == won)).sum()) for won in (False, True)]
        for low, high in itertools.pairwise(edges)
    ]


def _judged(pairings: Sequence[Pairing]) -> list[str]:
    """What the win rates say, in sentences."""
    cats = {one.cat: max(other.share for other in pairings if other.cat == one.cat) for one in pairings}
    mice = {one.mice: min(other.share for other in pairings if other.mice == one.mice) for one in pairings}
    cat, best = min(cats, key=cats.__getitem__), max(mice, key=mice.__getitem__)
    low, high = mice[best], cats[cat]
    told = [
        f"The best mice of these are {best}: they win {low:.1%} or more against every cat.",
        f"The best cat of these is {cat}: no mice win more than {high:.1%} against it.",
    ]
    if high < AIM[0]:
        told.append(f"Hard for the mice: against the best cat the best mice should win {AIM[0]:.0%} or more.")
    elif low > AIM[1]:
        told.append(f"Easy for the mice: against the best cat the best mice should win {AIM[1]:.0%} or less.")
    never = [
        RESULTS[n].lower() for n in range(1, len(RESULTS)) if not any((one.results == n).any() for one in pairings)
    ]
    if never:
        told.append(f"No game ended by {' or '.join(never)}.")
    return told


def _balance_dict(stage: Stage, seed: int, pairings: Sequence[Pairing]) -> dict[str, Any]:
    """All of it as plain JSON types."""
    edges = {measure: _edges(pairings, measure) for measure in MEASURES}
    return {
        "stage": stage.name,
        "numbers": _numbers(stage),
        "seed": seed,
        "judged": _judged(pairings),
        "edges": {measure: values.tolist() for measure, values in edges.items()},
        "pairings": [
            {
                "cat": one.cat,
                "mice": one.mice,
                "games": len(one.won),
                "mice_won": int(one.won.sum()),
                "interval": score_interval(one.won.tolist())[1:],
                "ends": {name.lower(): int((one.results == n).sum()) for n, name in enumerate(RESULTS) if n},
                **{
                    measure: _spread(one.measures[measure]) | {"bars": _bars(one, measure, edges[measure])}
                    for measure in MEASURES
                },
            }
            for one in pairings
        ],
    }


def _balance_rows(pairings: Sequence[Pairing]) -> list[dict[str, Any]]:
    """The table for people: shares of the games, then means."""
    rows = []
    for one in pairings:
        mean, low, high = score_interval(one.won.tolist())
        row = {"cat": _shown(one.cat), "mice": _shown(one.mice), "games": len(one.won)}
        row |= {"mice won": f"{mean:.1%}", "95 %": f"{low:.1%}-{high:.1%}"}
        row |= {f"by {name.lower()}": f"{(one.results == n).mean():.1%}" for n, name in enumerate(RESULTS) if n}
        rows.append(row | {measure: round(float(values.mean()), 1) for measure, values in one.measures.items()})
    return rows


def _balance_options(parser: argparse.ArgumentParser) -> None:
    _agents_option(parser)
    parser.set_defaults(agents=EVERYBODY)
    parser.add_argument(
        "--games", type=int, default=100, metavar="N", help="of each cat against each kind of mice (default: 100)"
    )
    parser.add_argument("--threads", type=int, default=0, metavar="T", help="0: as many as the machine has (default)")
    parser.add_argument(
        "--out", metavar="DIR", help="write balance.json, a page with charts, and games; the same command goes on"
    )


def _balance(arguments: argparse.Namespace) -> None:
    """`masume stage balance FILE`: who wins, how, and how much of everything there is in the games."""
    stage = _found(arguments.stage)
    num_games, seed = integer("games", arguments.games, 1, MAX_GAMES), _seed(arguments)
    out = None if arguments.out is None else Path(arguments.out)
    agents = list(dict.fromkeys(arguments.agents))
    with contextlib.ExitStack() as stack:
        progress = None if arguments.json else stack.enter_context(Progress(num_games * len(agents) ** 2, None))
        pairings = balance(
            stage, agents, num_games, seed=seed, threads=arguments.threads, progress=progress,
            out=None if out is None else out / "games",
        )  # fmt: skip
    result = _balance_dict(stage, seed, pairings)
    if out is not None:
        write_atomic(out / "balance.json", (json.dumps(result, indent=2) + "\n").encode())
        write_atomic(out / "balance.html", _page(stage, pairings, out).encode())
    if arguments.json:
        _print_json(result)
        return
    rows = _balance_rows(pairings)
    print(_table([row.values() for row in rows], list(rows[0])), end="\n\n")
    print("\n".join(map(_shown, result["judged"])))
    if out is not None:
        print(f"page: {_shown(str(out / 'balance.html'))}")


# -- the page ------------------------------------------------------------------------------------

WIDTH, HEIGHT, SIDE, TOP, BOTTOM = 170, 84, 8, 8, 20  # of a histogram, and the room around its bars
LOOKS = """
.flow { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; margin-bottom: 1rem; }
.flow > *, .scroll { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.flow > * { padding: .6rem .75rem; }
.flow > .start { flex: 1 1 24rem; max-width: 36rem; }
.flow > .says { flex: 1 1 24rem; }
.start svg { display: block; width: 100%; height: auto; }
.says p { margin: .35rem 0; }
.scroll { margin-bottom: 1rem; }
.charts td { padding: .2rem .35rem; }
.charts td svg { display: block; width: 170px; }
.charts th[scope=row] { font-weight: 400; color: var(--ink); border-top: 1px solid var(--line); }
.meter, .meter i, .key { display: block; border-radius: 3px; background: currentColor; }
.meter { width: 7rem; height: .6rem; margin: .25rem 0; }
.meter i { height: 100%; }
.key { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 .8rem; }
"""


def _page(stage: Stage, pairings: Sequence[Pairing], out: Path) -> str:
    """One HTML document that needs nothing else: the stage, the table, a histogram of each measure of each pairing."""
    start = load("nezumi", stage=stage).new_state()
    looks = style() + (resources.files(render) / "page.css").read_text("utf-8") + LOOKS
    title = escape(f"{stage.name or 'a stage'}: balance of {sum(len(one.won) for one in pairings):,} games")
    parts = [("What the games say", _judged(pairings)), ("What is odd", [one.text for one in findings(stage)])]
    told = "".join(
        f"<h2>{head}</h2>" + "".join(f"<p>{escape(text)}</p>" for text in texts) for head, texts in parts if texts
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>\n{looks}</style>\n</head>\n<body>\n"
        f'<main class="masume">\n<h1>{title}</h1>\n'
        f'<div class="flow"><div class="start">{render.svg(start)}</div><div class="says">{told}</div></div>\n'
        f"{_html_table(_balance_rows(pairings))}\n"
        '<h2>Games <span class="key p0"></span>won by the cat <span class="key p1"></span>won by the mice</h2>\n'
        f"{_charts(pairings, out)}</main>\n</body>\n</html>\n"
    )


def _charts(pairings: Sequence[Pairing], out: Path) -> str:
    """A row for each pairing, a column for each measure, all of a column to one scale."""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("pairing", *MEASURES))
    edges = {measure: _edges(pairings, measure) for measure in MEASURES}
    rows = ""
    for one in pairings:
        who = f"{escape(_shown(one.cat))} cat<br>{escape(_shown(one.mice))} mice"
        if one.report:
            who = f'<a href="{escape(one.report.relative_to(out).as_posix())}">{who}</a>'
        meter = f'<span class="meter p0"><i class="p1" style="width:{one.share:.1%}"></i></span>mice {one.share:.1%}'
        label = f"{one.cat} as the cat, {one.mice} as the mice"
        cells = "".join(
            f"<td>{_histogram(_bars(one, measure, edges[measure]), edges[measure], f'{measure}: {label}')}</td>"
            for measure in MEASURES
        )
        rows += f'<tr><th scope="row">{who}{meter}</th>{cells}</tr>\n'
    return (
        f'<div class="scroll charts" tabindex="0" role="region" aria-label="Distributions"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )


def _histogram(bars: Sequence[Sequence[int]], edges: NDArray[np.int64], label: str) -> str:
    """Bars of two parts as an SVG picture, the first player's below, with the least and the greatest value, and 0."""
    width, height = WIDTH - 2 * SIDE, HEIGHT - TOP - BOTTOM
    floor = TOP + height
    scale = height / max(map(sum, bars))
    step = width / len(bars)
    parts = [f'<path class="rule" d="M{SIDE} {floor}h{width}"/>']
    if edges[0] < 0 < edges[-1]:
        at = f"{SIDE + width * -edges[0] / (edges[-1] - edges[0]):.1f}"
        parts.append(
            f'<path class="rule" d="M{at} {TOP}V{floor}"/><text class="tick" x="{at}" y="{floor + 14}">0</text>'
        )
    for n, bar in enumerate(bars):
        low, first, last = float(floor), edges[n], edges[n + 1] - 1
        title = f"{first:,}" if first == last else f"{first:,} to {last:,}"
        title += f": {', '.join(f'{name} {count}' for name, count in zip(PLAYERS, bar, strict=True))}"
        for player, count in enumerate(bar):
            if count:
                low -= count * scale
                parts.append(
                    f'<rect class="solid p{player}" x="{SIDE + n * step + 0.5:.1f}" y="{low:.1f}" '
                    f'width="{step - 1:.1f}" height="{count * scale:.1f}"><title>{title}</title></rect>'
                )
    for n, anchor, value in ((0, "start", edges[0]), (len(bars), "end", edges[-1] - 1)):
        parts.append(
            f'<text class="tick" style="text-anchor:{anchor}" x="{SIDE + n * step:.1f}" y="{floor + 14}">'
            f"{_brief(int(value))}</text>"
        )
    inside = "".join(parts)
    return f'<svg class="masume" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{inside}</svg>'


def _brief(number: int) -> str:
    """A number of few letters: 12, 3.4k, 1M."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if abs(number) >= size:
            return f"{number / size:.3g}{letter}"
    return str(number)


# -- solve ---------------------------------------------------------------------------------------


def _solve_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-states", type=int, default=DEFAULT, metavar="N", help=f"positions to keep (default: {DEFAULT:,})"
    )
    parser.add_argument(
        "--objective", choices=OBJECTIVES, default=OBJECTIVES[0],
        help="what both play for: the final score (default), or to win, which takes more positions",
    )  # fmt: skip


def _solve(arguments: argparse.Namespace) -> None:
    """`masume stage solve FILE`: what perfect play comes to, and how it begins."""
    game = load("nezumi", stage=_found(arguments.stage))
    solution = solve(game.new_state(), arguments.objective, arguments.max_states)
    value = solution.values[MICE]
    is_score = arguments.objective == "scores"
    winner = PLAYERS[MICE] if value > 0 or (value == 0 and is_score) else None if is_score else PLAYERS[CAT]
    lines = [_told(game, line) for line in solution.lines]
    if arguments.json:
        told = {"objective": arguments.objective, "value": value, "winner": winner, "states": solution.num_states}
        _print_json({"stage": arguments.stage, **told, "lines": lines})
        return
    if is_score:
        print(f"With perfect play for the score the mice end with {value:+,} mg.")
    if winner:
        print(f"The {winner} win{'s' * (winner == PLAYERS[CAT])} with perfect play.")
    else:
        print("The cat can keep them below 0; --objective returns tells whether it can be surrounded meanwhile.")
    print(f"{solution.num_states:,} positions", end="\n\n")
    for line in lines:
        print(" | ".join(" ".join(part) for part in line), end="\n\n")


def _told(game: Game, actions: Iterable[int]) -> list[list[str]]:
    """The texts of a line of play, those of one player in a row together; the mice begin."""
    state = game.new_state()
    parts: list[list[str]] = []
    last = None
    for action in actions:
        if state.current_player != last:
            parts.append([])
        last = state.current_player
        parts[-1].append(state.action_to_text(action))
        state.apply(action)
    return parts


TASKS = {
    "check": Task(
        "tell whether a stage is valid, and what is odd about it",
        "masume stage check garden",
        _check_options,
        _check,
    ),
    "balance": Task(
        "let players play on a stage from both sides",
        "masume stage balance garden --games 20 --out garden",
        _balance_options,
        _balance,
    ),
    "solve": Task(
        "work out what perfect play comes to",
        "masume stage solve tiny.stage --max-states 5000000",
        _solve_options,
        _solve,
    ),
}

"""Time the cases of a game, in rounds, and report the times.

Times are medians over rounds in which every case runs, so that other load of the machine affects all cases alike;
ratios and differences are taken within a round.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import json
import math
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from ..core import system
from ..core._wide import level
from ..core.config import choice, integer
from ..core.machine import cpu
from ..errors import ConfigError
from ..game import load
from . import _loops
from .cases import cases
from .workload import SETS, Case, Midgame, Work, workloads

ROUNDS = 25
SHORT = 2_000_000  # ns: longer work is timed in CPU time; shorter work that has no sets runs twice, the second counts

# -- measuring ------------------------------------------------------------------------------------


def measure(name: str, rounds: int = ROUNDS, seed: int = 0, more: Sequence[Case] = ()) -> dict[str, list[float]]:
    """Return {case: ns per unit in each round} of a game, after checking every answer; `more` cases follow its own.

    ConfigError for a game that has no benches, or no rounds.
    """
    choice("name", name, workloads())
    integer("rounds", rounds, 1, 2**31 - 1)
    play = Midgame(name, seed)
    return time_works({entry.name: entry.ready(play) for entry in [*cases(name), *more]}, rounds)


def time_works(works: Mapping[str, Work], rounds: int) -> dict[str, list[float]]:
    """Return {name: ns per unit in each round} of prepared works."""
    found: dict[str, list[float]] = {key: [] for key in works}
    with _no_collection():
        for _ in range(rounds):
            for key, work in works.items():
                taken = _time_once(work) if work.choose is None else _time_sets(work, work.choose)
                found[key].append(taken / work.units)
    return found


def _time_once(work: Work) -> float:
    """Return the nanoseconds of a run; a short one is run again, as the previous work has left cold caches."""
    taken = _time(work)
    return _time(work) if taken < SHORT else taken


def _time_sets(work: Work, choose: Callable[[int], None]) -> float:
    """Return the mean nanoseconds of a run over the sets of positions; the recorded one only warms the caches."""
    taken = 0
    for number in range(1 + SETS):
        choose(number)
        taken += _time(work) * (number > 0)
    choose(0)
    return taken / SETS


def _time(work: Work) -> int:
    """Return the nanoseconds of one run."""
    work.before()
    began, start = time.thread_time_ns(), time.perf_counter_ns()
    work.run()
    taken = time.perf_counter_ns() - start
    # long enough that the system may have run another process meanwhile
    return time.thread_time_ns() - began if taken >= SHORT and not work.threaded else taken


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Disable garbage collection in the block."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@dataclasses.dataclass(frozen=True)
class Row:
    """Line of the report.

    value : in `unit`. reference : time of the reference as a multiple of this. floor : this time as a multiple of
    the floor's.
    """

    name: str
    value: float
    unit: str
    per_s: float | None = None
    best: float | None = None
    reference: float | None = None
    floor: float | None = None
    gate: str | None = None
    ok: bool | None = None


def rows(name: str, measured: Mapping[str, Sequence[float]], more: Sequence[Case] = ()) -> list[Row]:
    """Return the rows of a game: its cases and `more`, what follows from them, and the size of a state."""
    times = {key: np.array(values) for key, values in measured.items()}
    entries = [*cases(name), *more]
    operations = list(dict.fromkeys(entry.operation for entry in entries))
    own = level()

    def ratio(numerator: str, denominator: str) -> float | None:
        """Return the median of the ratios within a round, if both were measured."""
        return (
            float(np.median(times[numerator] / times[denominator]))
            if numerator != denominator and {numerator, denominator} <= times.keys()
            else None
        )

    def row(key: str, value: float, unit: str, **more: Any) -> Row:
        gate = workloads()[name].gates.get(key)
        if gate is None:
            return Row(key, value, unit, **more)
        sign = ">=" if gate.at_least else "<="
        return Row(key, value, unit, gate=f"{sign} {gate.limit(own):,.6g}", ok=gate.accepts(value, own), **more)

    lines = []
    for entry in sorted(entries, key=lambda entry: operations.index(entry.operation)):
        values = times[entry.name]
        median = float(np.median(values))
        more_of = {
            "per_s": 1e9 / median,
            "best": float(values.min()),
            "reference": ratio(f"{entry.operation}/reference", entry.name),
            "floor": ratio(entry.name, entry.floor or f"{entry.operation}/floor"),
        }
        lines.append(row(entry.name, median, f"ns/{entry.unit}", **more_of))
    for title in workloads()[name].playouts:
        with_tree, without = times[f"search {title}/mcts"], times[f"playout {title}/batch"]
        lines.append(row(f"search {title} by its playouts", float(np.median(with_tree / without)), "x"))
    alone, batch, threads = times["turn/table"], times["turn/batch"], times["turn/batch, 2 threads"]
    return [
        *lines,
        row("batch beyond the turn", float(np.median(batch - alone)), "ns/turn"),
        row("two threads", float(np.median(batch / threads)), "x"),
        row("state", load(name, **workloads()[name].fields).state_size, "bytes"),
    ]


def report(
    names: Sequence[str], rounds: int = ROUNDS, seed: int = 0, more: Callable[[str], Sequence[Case]] = lambda _: ()
) -> dict[str, Any]:
    """Return the report of `masume bench` as JSON types: the build, the machine, and the rows of each game.

    more : the additional cases of a game.
    """
    before = system.load_average()
    measured = {
        name: {
            "positions": workloads()[name].title,
            "rows": [vars(row) for row in rows(name, measure(name, rounds, seed, more(name)), more(name))],
        }
        for name in names
    }
    return {
        "masume": version("masume"),
        **_loops.describe_build(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": {
            "cpu": cpu(),
            "cores": system.count_cpus(),
            "system": platform.platform(),
            "load": [None if load is None else round(load, 2) for load in (before, system.load_average())],
        },
        "level": level(),
        "rounds": rounds,
        "seed": seed,
        "games": measured,
    }


def text(report: Mapping[str, Any]) -> str:
    """Return a report as tables for a terminal, one per game."""
    machine = report["machine"]
    said = (
        f"masume {report['masume']}, {report['compiler']}, Cython {report['cython']}, Python {report['python']}, "
        f"NumPy {report['numpy']}\n{machine['cpu']}, {machine['cores']} cores, level {report['level']}"
    )
    if None not in machine["load"]:
        said += f", load {machine['load'][0]} before, {machine['load'][1]} after"
    for name, game in report["games"].items():
        width = max(len(row["name"]) for row in game["rows"])
        said += f"\n\n{name}: {game['positions']}\n"
        said += f"{'case':{width}}  {'median':>12} {'unit':13} {'per second':>14}"
        said += f"  {'x reference':>11}  {'x floor':>7}  gate"
        for row in game["rows"]:
            value = f"{row['value']:,.{0 if row['value'] >= 1000 else 2}f}"
            per_s = f"{row['per_s']:,.0f}" if row["per_s"] else ""
            reference = f"{row['reference']:,.0f}" if row["reference"] else ""
            floor = f"{row['floor']:.2f}" if row["floor"] else ""
            gate = f"{row['gate']} {'ok' if row['ok'] else 'MISS'}" if row["gate"] else ""
            line = f"{row['name']:{width}}  {value:>12} {row['unit']:13} {per_s:>14}"
            said += f"\n{line}  {reference:>11}  {floor:>7}  {gate}".rstrip()
    return said


# -- comparing ------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Change:
    """Old and new value of a figure; less is better."""

    name: str
    before: float
    after: float

    @property
    def share(self) -> float:
        """Return the relative growth; negative if it shrank."""
        growth = self.after - self.before
        return growth / self.before if self.before else math.inf * growth if growth else 0.0

    def __str__(self) -> str:
        return f"{self.name}: {self.before:,.2f} -> {self.after:,.2f} ({self.share:+.2%})"


def changes(before: Mapping[str, float], after: Mapping[str, float]) -> list[Change]:
    """Return the figures that both have, in the order of `after`."""
    return [Change(name, before[name], value) for name, value in after.items() if name in before]


def figures(text: str | bytes) -> dict[str, float]:
    """Return {"game case": ns per unit} from a report as JSON text; ConfigError for other text."""
    try:
        found = {
            f"{name} {row['name']}": float(row["value"])
            for name, game in json.loads(text)["games"].items()
            for row in game["rows"]
            if row["best"] is not None
        }
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise ConfigError(f"compare: not a report of `masume bench --json`: {error}") from None
    for name, value in found.items():
        if not value > 0:
            raise ConfigError(f"compare: {name}: expected a positive time, got {value} ns")
    return found

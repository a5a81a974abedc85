"""Time the cases of a game, in rounds, and make a report of the times.

Times are medians over rounds in which every case runs, so that whatever else the machine does hits all alike; ratios
and differences are taken within a round.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import json
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
from .workload import Case, Midgame, Work, workloads

ROUNDS = 25
SHORT = 2_000_000  # ns: what takes less runs twice in a round, and counts the second time; what takes more, in CPU time

# -- measuring ------------------------------------------------------------------------------------


def measure(name: str, rounds: int = ROUNDS, seed: int = 0, more: Sequence[Case] = ()) -> dict[str, list[float]]:
    """{case: ns a unit in each round} of a game, every answer checked first; `more` cases after its own.

    ConfigError for a game that has no benches, or no rounds.
    """
    choice("name", name, workloads())
    integer("rounds", rounds, 1, 2**31 - 1)
    play = Midgame(name, seed)
    return time_works({entry.name: entry.ready(play) for entry in [*cases(name), *more]}, rounds)


def time_works(works: Mapping[str, Work], rounds: int) -> dict[str, list[float]]:
    """{name: ns a unit in each round} of works that are ready."""
    found: dict[str, list[float]] = {key: [] for key in works}
    with _no_collection():
        for _ in range(rounds):
            for key, work in works.items():
                taken = _time(work)
                if taken < SHORT:  # what ran before has taken the caches
                    taken = _time(work)
                found[key].append(taken / work.units)
    return found


def _time(work: Work) -> int:
    """Nanoseconds that it takes now."""
    work.before()
    began, start = time.thread_time_ns(), time.perf_counter_ns()
    work.run()
    taken = time.perf_counter_ns() - start
    # long enough for the system to have given the processor to somebody else meanwhile
    return time.thread_time_ns() - began if taken >= SHORT and not work.threaded else taken


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection inside."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of the report.

    value : of `unit`. reference : how many times as long the reference takes. floor : by how many times this takes as
    long as the floor of the same operation.
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


def rows(name: str, found: Mapping[str, Sequence[float]], more: Sequence[Case] = ()) -> list[Row]:
    """The rows of a game: its cases and `more`, what follows from them, and the size of a state."""
    times = {key: np.array(values) for key, values in found.items()}
    entries = [*cases(name), *more]
    operations = list(dict.fromkeys(entry.operation for entry in entries))
    own = level()

    def ratio(one: str, other: str) -> float | None:
        """The median of the ratios within a round, where both were measured."""
        return float(np.median(times[one] / times[other])) if one != other and {one, other} <= times.keys() else None

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
            "floor": ratio(entry.name, f"{entry.operation}/floor"),
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
    """What `masume bench` prints, as plain JSON types: how it was built, the machine, and the rows of each game.

    more : the cases that a game has beside its own.
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
    """A report as tables for a terminal, one a game."""
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
    """What a figure was and is: less is better."""

    name: str
    before: float
    after: float

    @property
    def share(self) -> float:
        """By what share it grew; negative where it shrank."""
        return (self.after - self.before) / self.before

    def __str__(self) -> str:
        return f"{self.name}: {self.before:,.2f} -> {self.after:,.2f} ({self.share:+.2%})"


def changes(before: Mapping[str, float], after: Mapping[str, float]) -> list[Change]:
    """The figures that both have, in the order of `after`."""
    return [Change(name, before[name], value) for name, value in after.items() if name in before]


def figures(text: str | bytes) -> dict[str, float]:
    """{"game case": ns a unit} of a report as JSON text; ConfigError for text that is none."""
    try:
        found = {
            f"{name} {row['name']}": float(row["value"])
            for name, game in json.loads(text)["games"].items()
            for row in game["rows"]
            if row["best"] is not None
        }
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise ConfigError(f"compare: no report of `masume bench --json`: {error}") from None
    for name, value in found.items():
        if not value > 0:
            raise ConfigError(f"compare: {name} takes {value} ns")
    return found

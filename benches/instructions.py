"""The speed gate: compare what hot functions cost under callgrind with benches/baseline.json.

    python benches/instructions.py             compare; exit with 1 if a case takes over 2 % more instructions than the
                                               baseline (5 % for cases that include Python code), or mispredicts more
    python benches/instructions.py --update    make this count the baseline
    python benches/instructions.py --count [GAME ...]    print the count, of all games or these, as JSON

Every case of masume.bench that is marked `counted` runs once to warm up, on positions that do not occur again, and is
counted on the recorded ones by `masume.bench.count_instructions`: instructions, and for cases in C also the
mispredictions of valgrind's model of a processor. Two processes count at the same time and must agree within a fifth of
the limit, since counts of Python code depend on addresses.

Counts do not show cache misses, so a step of each game's batch is also timed, relative to a
chain of mixes in the same process: twice the baseline's ratio fails the gate.

Counts are comparable only for the same compiler, Cython, Python and C library. If these differ from the baseline's,
the commit that last changed the baseline is built and counted here, and its count is the baseline.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BASELINE = Path(__file__).with_name("baseline.json")
ROOT = Path(__file__).parents[1]
LIMIT = 0.02
LIMIT_PYTHON = 0.05  # for methods of State in a Python loop
LIMIT_MISSED = 0.25  # for mispredictions: the model's table is indexed by addresses; an unchanged engine moved by 14 %
FEW_MISSED = 0.02  # that a unit may always mispredict more
MISSED = ", mispredicted"
LIMIT_WALL = 1.0  # for times: the machine or its load may differ
ROUNDS = 50  # of timing; the shortest counts
MIXES = 100_000
BY_MIX = ", by a mix"
LEVEL = "v3"
SEVERAL = 2  # number of processes that must agree


# -- counted work ---------------------------------------------------------------------------------


def works(*games: str) -> Iterator[tuple[str, Callable[[], object], int]]:
    """Yield every case of these games, or of all, that is marked `counted`: run once, then reset to its start."""
    from masume import bench

    for name in games or bench.workloads():
        play = bench.Midgame(name, sets=1)
        for entry in bench.cases(name):
            if entry.counted:
                work = entry.make(play)
                play.choose(int(work.choose is not None))  # the predictor must not know the positions that are counted
                work.before()
                work.run()
                play.choose(0)
                work.before()
                yield f"{name} {entry.name}", work.run, work.units


# -- counting -------------------------------------------------------------------------------------


def count(games: Sequence[str] = ()) -> dict[str, float]:
    """Return {case: number per unit} for the masume that this Python imports, for all games or these."""
    from masume import bench  # rebuilds an editable install here, not under valgrind

    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda _: bench.count_instructions(works, *games, mispredictions=True), range(SEVERAL)))
    found = {case: count for case, count in results[0].items() if not (is_missed(case) and has_python(case))}
    for other in results[1:]:
        for case, count in found.items():
            if abs(other[case] - count) > limit_of(case, count) / 2:  # an array that grows is copied or not: 0.6 %
                raise SystemExit(f"gate: {case}: {count} a unit, then {other[case]}: not repeatable")
    return found


def tools() -> dict[str, str]:
    """Return the tools that a count depends on."""
    from masume.bench import _loops

    return {**_loops.describe_build(), "python": platform.python_version(), "libc": " ".join(platform.libc_ver())}


def last_change(path: Path) -> str:
    """Return the commit that last changed the file."""
    log = ["git", "log", "-1", "--format=%H", "--", path]
    return subprocess.run(log, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def count_commit(commit: str) -> dict[str, float]:
    """Return the count of a commit."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        return count_tree(Path(folder))


def count_tree(tree: Path, games: Sequence[str] = ()) -> dict[str, float]:
    """Return the count of a source tree, built in a temporary folder with the tools of this Python."""
    with tempfile.TemporaryDirectory() as site:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]
        subprocess.run([*install, "--target", site, tree], check=True)
        # -S: without the .pth file of the editable install
        paths = os.pathsep.join([site, sysconfig.get_path("purelib")])
        counted = subprocess.run(
            [sys.executable, "-S", tree / "benches" / "instructions.py", "--count", *games],
            env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        found: dict[str, float] = json.loads(counted.stdout)
        return found


def walls() -> dict[str, float]:
    """Return {case: time of a turn in a batch divided by the time of a mix} for each game."""
    command = [sys.executable, __file__, "--walls"]
    environment = os.environ | {"MASUME_CPU": LEVEL}
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(run.stdout)
    return found


def walls_here() -> dict[str, float]:
    """Return `walls`, measured in this process."""
    from masume import bench
    from masume.bench import _loops

    gc.disable()
    found = {}
    for name in bench.workloads():
        play = bench.Midgame(name)
        work = next(entry for entry in bench.cases(name) if entry.name == "turn/batch").make(play)
        turn, mix = [], []
        for number in range(ROUNDS):
            play.choose(1 + number % bench.SETS)
            work.before()
            turn.append(_time(work.run) / work.units)
            mix.append(_time(lambda: _loops.calibrate(MIXES)) / MIXES)
        found[f"{name} turn/batch{BY_MIX}"] = round(min(turn) / min(mix), 2)
    return found


def _time(run: Callable[[], object]) -> int:
    """Return the nanoseconds of a call."""
    start = time.perf_counter_ns()
    run()
    return time.perf_counter_ns() - start


# -- the verdict ----------------------------------------------------------------------------------


def is_missed(case: str) -> bool:
    """Return whether the figure is one of mispredictions."""
    return case.endswith(MISSED)


def has_python(case: str) -> bool:
    """Return whether the case includes a loop in Python."""
    return "/state" in case or "evaluated/" in case


def limit_of(case: str, before: float) -> float:
    """Return the amount by which a case may grow."""
    if case.endswith(BY_MIX):
        return LIMIT_WALL * before
    if is_missed(case):
        return LIMIT_MISSED * before + FEW_MISSED
    return (LIMIT_PYTHON if has_python(case) else LIMIT) * before


def verdict(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Return (a line per case, failures): cases that grew by more than their limit, are gone, or lack a baseline."""
    from masume.bench import changes

    wrong = [f"{case}: gone from the cases" for case in before if case not in after]
    wrong += [f"{case}: not in the baseline" for case in after if case not in before]
    lines = []
    for change in changes(before, after):
        limit, growth = limit_of(change.name, change.before), change.after - change.before
        word = "WORSE" if growth > limit else "better" if growth < -limit else "ok"
        lines.append(f"{word:7}{change}")
        if growth > limit:
            wrong.append(str(change))
    return lines, wrong


def gate() -> int:
    """Compare with the baseline; return the exit code."""
    baseline = json.loads(BASELINE.read_text())
    before, own = baseline["counts"], tools()
    differing = [name for name, value in own.items() if baseline["tools"].get(name) != value]
    if differing:
        commit = last_change(BASELINE)
        for name in differing:
            print(f"gate: {name} is {own[name]}, the baseline's is {baseline['tools'].get(name)}")
        print(f"gate: counting commit {commit[:12]}, which last changed the baseline, with the tools of this machine")
        before = count_commit(commit)
    lines, wrong = verdict(before | baseline["walls"], count() | walls())
    print("\n".join(lines))
    for line in wrong:
        print(f"gate: {line}")
    if wrong:
        print("gate: if this is meant, say why in the commit and run `make gate-update`")
    return bool(wrong)


def update() -> None:
    """Make this count the baseline."""
    BASELINE.write_text(json.dumps({"tools": tools(), "counts": count(), "walls": walls()}, indent=2) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="Count instructions and compare them with benches/baseline.json.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--update", action="store_true", help="make this count the baseline")
    mode.add_argument("--count", nargs="*", metavar="GAME", help="print this count as JSON, of all games or these")
    mode.add_argument("--walls", action="store_true", help="print the times in mixes as JSON")
    arguments = parser.parse_args()
    if arguments.walls:
        print(json.dumps(walls_here()))
    elif arguments.count is not None:
        print(json.dumps(count(arguments.count)))
    elif arguments.update:
        update()
    else:
        return gate()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The speed gate: instructions of the hot functions, counted by callgrind, against benches/baseline.json.

    python benches/instructions.py             compare; exit 1 where a case takes over 2 % more than the baseline (5 %
                                               where Python is in it)
    python benches/instructions.py --update    make this count the baseline
    python benches/instructions.py --count [GAME ...]    print the count, of all games or these, as JSON

Every case of masume.bench that is marked `counted` runs once to warm up and is counted by
`masume.bench.count_instructions`. Two processes count at the same time and have to agree within a fifth of what a case
may grow: where Python is in it, addresses tell.

Counts know nothing of cache misses and mispredicted branches, so a step of each game's batch is timed as well, by the
time of a chain of mixes in the same process: twice the baseline's ratio shuts the gate.

A count means nothing beside one that another compiler, Cython, Python or C library made. Where they differ
from the baseline's, the commit that last changed the baseline is built and counted here, in its place.
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
LIMIT_PYTHON = 0.05  # of methods of State in a loop of Python's
LIMIT_WALL = 1.0  # of times: another machine, other work on this one
ROUNDS = 50  # of timing, the shortest counts
MIXES = 100_000
BY_MIX = ", by a mix"
LEVEL = "v3"
SEVERAL = 2  # processes that must agree


# -- what is counted ------------------------------------------------------------------------------


def works(*games: str) -> Iterator[tuple[str, Callable[[], object], int]]:
    """Yield every case of these games, or of all, that is marked `counted`: warm, and set back to its start."""
    from masume import bench

    for name in games or bench.workloads():
        play = bench.Midgame(name)
        for entry in bench.cases(name):
            if entry.counted:
                work = entry.make(play)
                work.before()
                work.run()
                work.before()
                yield f"{name} {entry.name}", work.run, work.units


# -- counting -------------------------------------------------------------------------------------


def count(games: Sequence[str] = ()) -> dict[str, float]:
    """{case: instructions per unit} of the masume that this Python imports, of all games or these."""
    from masume import bench  # an editable install is built anew here, not under valgrind

    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda _: bench.count_instructions(works, *games), range(SEVERAL)))
    for other in results[1:]:
        for case, instructions in results[0].items():
            if abs(other[case] - instructions) > limit_of(case) / 5 * instructions:
                raise SystemExit(
                    f"gate: {case}: {instructions} instructions a unit, then {other[case]}: not repeatable"
                )
    return results[0]


def tools() -> dict[str, str]:
    """What a count depends on beside the code."""
    from masume.bench import _loops

    return {**_loops.describe_build(), "python": platform.python_version(), "libc": " ".join(platform.libc_ver())}


def last_change(path: Path) -> str:
    """The commit that last changed the file."""
    log = ["git", "log", "-1", "--format=%H", "--", path]
    return subprocess.run(log, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def count_commit(commit: str) -> dict[str, float]:
    """The count of a commit."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        return count_tree(Path(folder))


def count_tree(tree: Path, games: Sequence[str] = ()) -> dict[str, float]:
    """The count of a source tree, built in a temporary folder with the tools of this Python."""
    with tempfile.TemporaryDirectory() as site:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]
        subprocess.run([*install, "--target", site, tree], check=True)
        # -S: without the .pth file that leads to the editable install
        paths = os.pathsep.join([site, sysconfig.get_path("purelib")])
        counted = subprocess.run(
            [sys.executable, "-S", tree / "benches" / "instructions.py", "--count", *games],
            env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        found: dict[str, float] = json.loads(counted.stdout)
        return found


def walls() -> dict[str, float]:
    """{case: what a turn in a batch takes, by what a mix takes} for each game."""
    command = [sys.executable, __file__, "--walls"]
    environment = os.environ | {"MASUME_CPU": LEVEL}
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(run.stdout)
    return found


def walls_here() -> dict[str, float]:
    """`walls`, measured in this process."""
    from masume import bench
    from masume.bench import _loops

    gc.disable()
    found = {}
    for name in bench.workloads():
        play = bench.Midgame(name)
        work = next(entry for entry in bench.cases(name) if entry.name == "turn/batch").make(play)
        turn, mix = [], []
        for _ in range(ROUNDS):
            work.before()
            turn.append(_time(work.run) / work.units)
            mix.append(_time(lambda: _loops.calibrate(MIXES)) / MIXES)
        found[f"{name} turn/batch{BY_MIX}"] = round(min(turn) / min(mix), 2)
    return found


def _time(run: Callable[[], object]) -> int:
    """Nanoseconds that it takes."""
    start = time.perf_counter_ns()
    run()
    return time.perf_counter_ns() - start


# -- the verdict ----------------------------------------------------------------------------------


def limit_of(case: str) -> float:
    """The share by which a case may grow."""
    if case.endswith(BY_MIX):
        return LIMIT_WALL
    return LIMIT_PYTHON if "/state" in case else LIMIT


def verdict(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """(a line a case, what is wrong): a case that grew by more than its limit, is gone, or has no baseline."""
    from masume.bench import changes

    wrong = [f"{case}: gone from the cases" for case in before if case not in after]
    wrong += [f"{case}: not in the baseline" for case in after if case not in before]
    lines = []
    for change in changes(before, after):
        limit = limit_of(change.name)
        word = "WORSE" if change.share > limit else "better" if change.share < -limit else "ok"
        lines.append(f"{word:7}{change}")
        if change.share > limit:
            wrong.append(str(change))
    return lines, wrong


def gate() -> int:
    """Compare with the baseline; the exit code."""
    baseline = json.loads(BASELINE.read_text())
    before, own = baseline["instructions"], tools()
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
    BASELINE.write_text(json.dumps({"tools": tools(), "instructions": count(), "walls": walls()}, indent=2) + "\n")


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

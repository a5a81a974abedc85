"""The speed gate: instructions of the hot functions, counted by callgrind, against benches/baseline.json.

    python benches/instructions.py             compare; exit 1 where a case takes over 2 % more than the baseline
    python benches/instructions.py --update    make this count the baseline
    python benches/instructions.py --count     print the count as JSON

Every case of masume.bench that is marked `counted` runs once to warm up and once inside `masume_counted`, the
function of masume._bench that callgrind looks for; nothing else is counted. Two processes count at the same
time and have to agree to the instruction. Kernels run at level v3: valgrind knows no AVX-512.

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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

BASELINE = Path(__file__).with_name("baseline.json")
ROOT = Path(__file__).parents[1]
LIMIT = 0.02
LEVEL = "v3"
SEVERAL = 2  # processes that must agree


# -- under valgrind -------------------------------------------------------------------------------


def count_here() -> None:
    """Run what is counted, an empty region first, and print [[case, units], ...]."""
    from masume import _bench, bench

    gc.disable()
    _bench.counted(lambda: None)
    counted = []
    for name in bench.WORKLOADS:
        play = bench.Midgame(name)
        for entry in bench.cases(name):
            if entry.counted:
                work = entry.make(play)
                work.before()
                work.run()
                work.before()
                _bench.counted(work.run)
                counted.append([f"{name} {entry.name}", work.units])
    print(json.dumps(counted))


# -- counting -------------------------------------------------------------------------------------


def count() -> dict[str, float]:
    """{case: instructions per unit} of the masume that this Python imports."""
    import masume  # noqa: F401 - an editable install is built anew here, not under valgrind

    with tempfile.TemporaryDirectory() as folder:
        runs = [_start(Path(folder) / str(k)) for k in range(SEVERAL)]
        results = [finish() for finish in runs]
    for other in results[1:]:
        for case, instructions in results[0].items():
            if other[case] != instructions:
                raise SystemExit(
                    f"gate: {case}: {instructions} instructions a unit, then {other[case]}: not repeatable"
                )
    return results[0]


def _start(out: Path) -> Callable[[], dict[str, float]]:
    """Count in a process of its own; call the result to wait for what it found."""
    command = [
        "valgrind", "--tool=callgrind", "--quiet", "--toggle-collect=masume_counted", "--dump-after=masume_counted",
        f"--callgrind-out-file={out}", sys.executable, *(["-S"] if sys.flags.no_site else []), __file__, "--here",
    ]  # fmt: skip
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ} | {
        "MASUME_CPU": LEVEL, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    def finish() -> dict[str, float]:
        printed, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"gate: {' '.join(command)} failed with {process.returncode}")
        totals = [_total(out.with_name(f"{out.name}.{part}")) for part in range(1, 2 + len(json.loads(printed)))]
        return per_unit(totals, json.loads(printed))

    return finish


def _total(dump: Path) -> int:
    """The instructions of one of callgrind's dumps."""
    return next(int(line.split()[1]) for line in dump.read_text().splitlines() if line.startswith("totals:"))


def per_unit(totals: list[int], counted: list[list[Any]]) -> dict[str, float]:
    """{case: instructions per unit}; totals[0] is the empty region, which every other one holds too."""
    return {
        case: round((total - totals[0]) / units, 2) for total, (case, units) in zip(totals[1:], counted, strict=True)
    }


def tools() -> dict[str, str]:
    """What a count depends on beside the code."""
    from masume import _bench

    return {**_bench.built_with(), "python": platform.python_version(), "libc": " ".join(platform.libc_ver())}


def last_change(path: Path) -> str:
    """The commit that last changed the file."""
    log = ["git", "log", "-1", "--format=%H", "--", path]
    return subprocess.run(log, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def count_commit(commit: str) -> dict[str, float]:
    """The count of a commit, built in a temporary folder with the tools of this Python."""
    with tempfile.TemporaryDirectory() as folder:
        tree, site = Path(folder, "tree"), Path(folder, "site")
        tree.mkdir()
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-x", "-C", tree], input=archive, check=True)
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]
        subprocess.run([*install, "--target", site, tree], check=True)
        # -S: without the .pth file that leads to the editable install
        paths = os.pathsep.join([str(site), sysconfig.get_path("purelib")])
        counted = subprocess.run(
            [sys.executable, "-S", tree / "benches" / "instructions.py", "--count"],
            env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        found: dict[str, float] = json.loads(counted.stdout)
        return found


# -- the verdict ----------------------------------------------------------------------------------


def verdict(
    before: Mapping[str, float], after: Mapping[str, float], limit: float = LIMIT
) -> tuple[list[str], list[str]]:
    """(a line a case, what is wrong): a case that grew by more than `limit`, is gone, or has no baseline."""
    from masume.bench import changes

    wrong = [f"{case}: gone from the cases" for case in before if case not in after]
    wrong += [f"{case}: not in the baseline" for case in after if case not in before]
    lines = []
    for change in changes(before, after):
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
    lines, wrong = verdict(before, count())
    print("\n".join(lines))
    for line in wrong:
        print(f"gate: {line}")
    if wrong:
        print("gate: if this is meant, say why in the commit and run `make gate-update`")
    return bool(wrong)


def update() -> None:
    """Make this count the baseline."""
    BASELINE.write_text(json.dumps({"tools": tools(), "instructions": count()}, indent=2) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="Count instructions and compare them with benches/baseline.json.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--update", action="store_true", help="make this count the baseline")
    mode.add_argument("--count", action="store_true", help="print this count as JSON")
    mode.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        count_here()
    elif arguments.count:
        print(json.dumps(count()))
    elif arguments.update:
        update()
    else:
        return gate()
    return 0


if __name__ == "__main__":
    sys.exit(main())

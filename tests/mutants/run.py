"""Mutation testing: change the engines in hundreds of places, and see whether the tests notice each change.

    make mutants                                        all, going on where an interrupted run stopped
    python tests/mutants/run.py --game nezumi           the mutants of one game
    python tests/mutants/run.py --mutant 17             one mutant again, with what its tests print
    python tests/mutants/run.py --list                  the mutants: number, place, change

The mutants are drawn by SEED (`sites.choose`) and compiled into one build, in build/mutants; MASUME_MUTANT says which
one is on when an engine is loaded. Each runs the tests of its game (`steps_of`) in a forked process, as many at a time
as --jobs says, until one fails: then the mutant is killed. A crash kills it too, and so does a step that takes LIMIT
times the CPU time that it takes without a mutant. Results are kept in build/mutants/results.json. After a change of the
tests only the survivors run again; after a change of the sources all do.

A survivor is a test that is missing, or a change that cannot be seen; then equivalent.txt says why. The last lines are
the table by game. The status is 1 if a survivor is not in equivalent.txt, or if more than 3 % of the mutants are.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import importlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TESTS, ROOT = HERE.parent, HERE.parents[1]
BUILD = ROOT / "build" / "mutants"
SITE, SOURCE, LOGS = BUILD / "site", BUILD / "source", BUILD / "logs"
sys.path[:1] = [str(SITE), str(TESTS)]  # in place of this folder

from installs import copy_of_checkout, list_tracked  # noqa: E402
from mutants import sites  # noqa: E402
from mutants.sites import Site  # noqa: E402

GAMES = ("battleship", "chaser", "kakomimasu", "nezumi", "terraforming")
SEED = 20261122
FIRST_GAMES, ALL_GAMES = 6, 300  # of the campaign: before the tests, and in all
LIMIT, LEAST_LIMIT_S = 4, 10  # CPU time of a step: as a multiple of what it takes without a mutant
MOST_S = 1800  # of one mutant that waits, for something that does not come
TIMEOUTS = (-signal.SIGXCPU, -signal.SIGKILL)
MOST_EQUIVALENT = 0.03
UNRELATED = (  # files of tests that are about players, starts, and what is written and shown
    "agents", "api", "boards", "client", "docs", "examples", "maps", "match", "matches", "protocol", "render", "server",
    "server_limits", "soak", "stages", "stdio", "workbench",
)  # fmt: skip

REWRITTEN_LATE = "ignore::pytest.PytestAssertRewriteWarning"  # of what is imported before pytest starts

HEADER = """/* Which change is on: 0 for none. */
#include <stdlib.h>
static int masume_mutant;
__attribute__((constructor)) static void masume_read_mutant(void)
{
    const char *told = getenv("MASUME_MUTANT");
    masume_mutant = told ? atoi(told) : 0;
}
"""
DECLARATION = 'cdef extern from "mutant.h" nogil:\n    int masume_mutant\n'


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A numbered site in the file of a game."""

    number: int
    game: str
    file: str
    site: Site

    def __str__(self) -> str:
        return f"{self.number:4} {self.file}:{self.site.line} {self.site.function}: {self.change}"

    @property
    def change(self) -> str:
        """The statement and what becomes of it."""
        return f"{self.site.statement}  [{self.site.change}]"

    @property
    def places(self) -> Iterator[tuple[str, int]]:
        """(file, line) of each line of the statement."""
        return ((self.file, line) for line in range(self.site.line, self.site.line + self.site.height))

    @property
    def name(self) -> tuple[str, str, str, str]:
        """Return the name used in equivalent.txt, which stays when lines move."""
        return self.file, self.site.function, self.site.statement, self.site.change


# -- the build -----------------------------------------------------------------------------------------


def sources_of(game: str) -> dict[str, str]:
    """Return the sources of an engine by file name."""
    folder = ROOT / "cython" / "masume" / game
    paths = sorted(path for path in folder.glob("*.p*") if path.name != "__init__.pxd")
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def fingerprint(*folders: str) -> str:
    """Return a hash of the files under some folders that git knows, other than those of this folder."""
    names = [f"{folder}/{name}" for folder in folders for name in list_tracked(folder)]
    paths = [path for name in sorted(names) if (path := ROOT / name).is_file() and path.parent != HERE]
    return hashlib.sha256(b"".join(str(path).encode() + path.read_bytes() for path in paths)).hexdigest()


def stamp_of_build() -> str:
    """Return a hash of what is built: the sources, and the first choice of changes."""
    first = [sites.choose(sources_of(game), sites.SAMPLED, SEED, set()) for game in GAMES]
    return hashlib.sha256(f"{fingerprint('cython', 'src', 'python', 'cmake')} {first}".encode()).hexdigest()


def choose(game: str, first: int) -> list[Mutant]:
    """Return the mutants of a game and write its rewritten sources; what Cython refuses gives way to the next."""
    sources, banned = sources_of(game), set()
    while True:
        chosen = sites.choose(sources, sites.SAMPLED, SEED, banned)
        found = [Mutant(first + n, game, name, site) for n, (name, site) in enumerate(chosen)]
        for name, text in sources.items():
            numbered = {mutant.number: mutant.site for mutant in found if mutant.file == name}
            (SOURCE / name).write_text(sites.rewrite(text, numbered), encoding="utf-8")
        refused = set(refused_lines(game))
        if not refused:
            return found
        guilty = {(one.file, one.site.line, one.site.change) for one in found if refused & set(one.places)}
        assert guilty, f"{game}: Cython refuses {sorted(refused)[:5]}, which are no mutants"
        banned |= guilty


def refused_lines(game: str) -> Iterator[tuple[str, int]]:
    """Yield (file, line) of Cython's errors."""
    engine = f"cython/masume/{game}/_engine.pyx"
    command = (sys.executable, "-m", "cython", "-3", "-I", "cython", engine, "-o", str(BUILD / f"{game}.c"))
    told = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    for file, line in re.findall(r"^(?:warning: )?(\S+\.p(?:yx|xd)):(\d+):\d+: ", told.stderr, re.M):
        if f"warning: {file}:{line}:" not in told.stderr:
            yield Path(file).resolve().relative_to(SOURCE).as_posix() if Path(file).is_absolute() else file, int(line)
    assert told.returncode == 0 or re.search(r"\.p(yx|xd):\d+:\d+: ", told.stderr), told.stderr


def build() -> tuple[str, list[Mutant]]:
    """Return what the build is of, and its mutants; build them unless that was done."""
    stamp = stamp_of_build()
    path = BUILD / "mutants.json"
    if path.exists() and (kept := json.loads(path.read_text(encoding="utf-8")))["stamp"] == stamp:
        return stamp, [Mutant(**{**one, "site": Site(**one["site"])}) for one in kept["mutants"]]
    print("-- build", flush=True)
    shutil.rmtree(SOURCE, ignore_errors=True)
    copy_of_checkout(SOURCE)
    (SOURCE / "cython" / "mutant.h").write_text(HEADER, encoding="utf-8")
    (SOURCE / "cython" / "masume" / "mutant.pxd").write_text(DECLARATION, encoding="utf-8")
    cmake = SOURCE / "CMakeLists.txt"
    built_sooner = cmake.read_text(encoding="utf-8").replace("set(optimise -O3)", "set(optimise -O1)")
    cmake.write_text(built_sooner, encoding="utf-8")
    mutants: list[Mutant] = []
    for game in GAMES:
        mutants += choose(game, len(mutants) + 1)
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--no-build-isolation", "--upgrade", "--target", str(SITE), "-C", f"build-dir={BUILD / 'cmake'}", str(SOURCE)],
        check=True,
    )  # fmt: skip
    write_json(path, {"stamp": stamp, "mutants": [dataclasses.asdict(mutant) for mutant in mutants]})
    return stamp, mutants


def write_json(path: Path, content: Any) -> None:
    """Write a file whole or not at all."""
    scratch = path.with_suffix(".tmp")
    scratch.write_text(json.dumps(content, indent=1), encoding="utf-8")
    scratch.replace(path)


# -- the tests of a mutant -------------------------------------------------------------------------------


def preload() -> None:
    """Import what all tests need, and no engine: an engine reads MASUME_MUTANT when it is loaded."""
    importlib.invalidate_caches()  # SITE may be younger than this process
    for name in ("hypothesis", "numpy", "pytest", "masume", "lockstep", "masume.core.rng"):
        importlib.import_module(name)
    loaded = [game for game in GAMES if f"masume.{game}._engine" in sys.modules]
    assert not loaded, f"loaded too early: {loaded}"
    import masume

    assert Path(masume.__file__).is_relative_to(SITE), masume.__file__


class KilledError(Exception):
    """A test fails."""


class EngineOnly:
    """A plug-in of pytest that leaves out what runs on the reference alone."""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if "[reference" not in item.nodeid]


def steps_of(game: str, games: int) -> dict[str, Callable[[], bool]]:
    """Return the tests of a game by name, the quick ones first; each says whether it passes, or raises."""
    import pytest

    import golden
    import lockstep

    lockstep.FAILURES = LOGS / "failures"
    own = [path for path in sorted((TESTS / game).glob("test_*.py")) if path.stem[5:] not in UNRELATED]
    first = [path for path in own if path.stem in ("test_vectors", "test_rules")]
    table = TESTS / "contract" / "test_table.py"
    contract = sorted({*table.parent.glob("test_*.py")} - {table, table.with_name("test_golden.py")})
    options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", REWRITTEN_LATE)

    def pass_tests(paths: list[Path], *more: str) -> bool:
        return pytest.main([*options, *map(str, paths), *more], plugins=[EngineOnly()]) == 0

    def play_games(begin: int, end: int) -> bool:
        play = importlib.import_module(f"{game}.campaign").play
        return sum(map(play, range(begin, end))) > 0

    quick_steps: dict[str, Callable[[], bool]] = {
        "golden": lambda: golden.check(game) is None,
        "a few games": lambda: play_games(0, FIRST_GAMES),
        "vectors and rules": lambda: pass_tests(first),
        "table": lambda: pass_tests([table], "-k", game),
    }
    slow_steps: dict[str, Callable[[], bool]] = {
        "tests": lambda: pass_tests([path for path in own if path not in first]),
        "contract": lambda: pass_tests(contract, "-k", game),
        "campaign": lambda: play_games(FIRST_GAMES, games),
    }
    return quick_steps | (slow_steps if games else {})


def judge(game: str, games: int, limits: dict[str, float]) -> Iterator[tuple[str, float]]:
    """Run the tests of a game; yield (step, CPU seconds) of each that passes; raise KilledError at one that fails.

    limits : CPU seconds of each step, after which the system ends the process.
    """
    for name, step in steps_of(game, games).items():
        began = time.process_time()
        if name in limits:
            most = int(began + limits[name]) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        print(f"-- {name}", flush=True)
        try:
            passed = step()
        except BaseException as error:
            raise KilledError from error
        if not passed:
            raise KilledError
        yield name, time.process_time() - began


def start(mutant: int, game: str, games: int, limits: dict[str, float], quiet: bool = True) -> int:
    """Fork a process that judges a mutant; return its id. Its status is 0 for a survivor."""
    child = os.fork()
    if child:
        return child
    status = 2
    try:
        os.setsid()
        os.environ["MASUME_MUTANT"] = str(mutant)
        os.environ["PYTHONPATH"] = f"{SITE}{os.pathsep}{TESTS}"
        os.chdir(ROOT)
        if quiet:
            log = os.open(log_of(mutant, game), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
        passed = dict(judge(game, games, limits))
        print(json.dumps(passed))
        status = 0
    except KilledError:
        status = 1
        traceback.print_exc()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def log_of(mutant: int, game: str) -> Path:
    """Return the file of what the tests of a mutant print."""
    LOGS.mkdir(parents=True, exist_ok=True)
    return LOGS / f"{mutant}-{game}.txt"


def last_step(mutant: int, game: str) -> str:
    """Return the step at which a mutant was killed."""
    lines = log_of(mutant, game).read_text(encoding="utf-8", errors="replace").splitlines()
    return next((line[3:] for line in reversed(lines) if line.startswith("-- ")), "the start")


def judge_all(
    tasks: list[tuple[int, str]], jobs: int, games: int, limits: dict[str, dict[str, float]]
) -> Iterator[tuple[int, str, str, float]]:
    """Yield (mutant, game, how it ended, seconds) of each as it ends: "survived", or what killed it."""
    running: dict[int, tuple[int, str, float]] = {}
    waiting = list(reversed(tasks))
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                number, game = waiting.pop()
                child = start(number, game, games, limits.get(game, {}) if number else {})
                running[child] = number, game, time.monotonic()
            time.sleep(0.05)
            for child, (number, game, began) in list(running.items()):
                ended, status = os.waitpid(child, os.WNOHANG)
                seconds = time.monotonic() - began
                if ended:
                    del running[child]
                    code = os.waitstatus_to_exitcode(status)
                    assert code != 2, f"mutant {number}: not a test's failure; see {log_of(number, game)}"
                    how = "a failure" if code == 1 else "a timeout" if code in TIMEOUTS else f"a crash ({code})"
                    yield number, game, f"{how} in {last_step(number, game)}" if code else "survived", seconds
                elif seconds > MOST_S:
                    end(child)
                    del running[child]
                    yield number, game, f"a timeout in {last_step(number, game)}", seconds
    finally:
        for child in running:
            end(child)


def end(child: int) -> None:
    """End a forked process and all that it started."""
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)


# -- the results -------------------------------------------------------------------------------------------


def read_equivalents() -> dict[tuple[str, ...], str]:
    """Return why each mutant of equivalent.txt cannot be seen."""
    lines = (HERE / "equivalent.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" :: ") for line in lines if line and not line.startswith("#")]
    return {tuple(row[:4]): row[4] for row in rows}


def run(mutants: list[Mutant], stamp: str, jobs: int, games: int) -> dict[str, Any]:
    """Judge those mutants that no earlier run has judged, and return the results of all that were."""
    path, tests = BUILD / "results.json", f"{fingerprint('tests')} {games}"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if kept.get("stamp") != stamp:
        kept = {"stamp": stamp, "limits": {}, "results": {}}
    results = kept["results"]
    todo = [one for one in mutants if results.get(str(one.number), {}).get("tests") not in (tests, "killed")]
    todo.sort(key=lambda one: str(one.number) in results)  # survivors of other tests take long
    unknown = sorted({one.game for one in todo if kept["limits"].get(one.game, {}).get("of") != tests})
    for _, game, how, seconds in judge_all([(0, game) for game in unknown], jobs, games, {}):
        assert how == "survived", f"{game}: {how} without a mutant; see {log_of(0, game)}"
        took = json.loads(log_of(0, game).read_text(encoding="utf-8").splitlines()[-1])
        steps = {step: max(LEAST_LIMIT_S, LIMIT * cpu) for step, cpu in took.items()}
        kept["limits"][game] = {"of": tests, "steps": steps}
        print(f"-- {game} without a mutant: {seconds:.0f} s", flush=True)
        write_json(path, kept)
    limits = {game: its["steps"] for game, its in kept["limits"].items()}
    by_number = {one.number: one for one in todo}
    for number, _, how, seconds in judge_all([(one.number, one.game) for one in todo], jobs, games, limits):
        killed = how != "survived"
        results[str(number)] = {"how": how, "seconds": round(seconds, 1), "tests": "killed" if killed else tests}
        write_json(path, kept)
        if not killed:
            print(f"survived: {by_number[number]}", flush=True)
    return results


def print_table(mutants: list[Mutant], results: dict[str, Any]) -> bool:
    """Print the survivors and the table by game; return whether all is well."""
    equivalents = read_equivalents()
    judged = [one for one in mutants if str(one.number) in results]
    survivors = [one for one in judged if results[str(one.number)]["how"] == "survived"]
    missed = [one for one in survivors if one.name not in equivalents]
    for one in survivors:
        print(f"{one}\n     {equivalents.get(one.name, 'NOT KILLED')}")
    print(f"{'game':14}{'mutants':>8}{'killed':>8}{'share':>8}{'equivalent':>12}{'missed':>8}{'minutes':>9}")
    for game in [*sorted({one.game for one in judged}), "all"]:
        its = [one for one in judged if game in (one.game, "all")]
        alive, lost = (sum(one in its for one in some) for some in (survivors, missed))
        minutes = sum(results[str(one.number)]["seconds"] for one in its) / 60
        share = f"{1 - alive / len(its):.1%}" if its else "-"
        print(f"{game:14}{len(its):8}{len(its) - alive:8}{share:>8}{alive - lost:12}{lost:8}{minutes:9.1f}")
    return not missed and len(survivors) <= MOST_EQUIVALENT * max(len(judged), sites.SAMPLED)


def main() -> int:
    parser = argparse.ArgumentParser(description="Change the engines in many places; see whether the tests notice.")
    parser.add_argument("--game", choices=GAMES)
    parser.add_argument("--mutant", type=int, help="run this mutant again, and show what its tests print")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--games", type=int, default=ALL_GAMES, help="of the campaign (default %(default)s); 0: quick tests only"
    )
    options = parser.parse_args()
    stamp, mutants = build()
    mutants = [one for one in mutants if options.game in (None, one.game) and options.mutant in (None, one.number)]
    if options.list:
        print(*mutants, sep="\n")
        return 0
    preload()
    if options.mutant is not None:
        for one in mutants:
            print(one, flush=True)
            _, status = os.waitpid(start(one.number, one.game, options.games, {}, quiet=False), 0)
            print("survived" if status == 0 else "killed")
        return 0
    try:
        return 0 if print_table(mutants, run(mutants, stamp, options.jobs, options.games)) else 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here")
        return 130


if __name__ == "__main__":
    sys.exit(main())

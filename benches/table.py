"""The performance table of a game, from one process: masume, the reference, the floors, and the installed peers.

    python benches/table.py [GAME ...] [--rounds 25]     print it
    python benches/table.py --keep                       and keep the table of all games in benches/results/

A kept table also contains the times at the other CPU levels, and growing work (scaling.py); it takes ten minutes.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gc
import json
import os
import statistics
import subprocess
import sys
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import peers
import scaling
from masume import bench
from masume.core import _wide

RESULTS = Path(__file__).with_name("results")
PACKAGES = ("numba", "open_spiel", "gymnasium", "pettingzoo", "envpool")


def at_level(level: str, rounds: int) -> dict[str, float]:
    """Return {"game case": median ns per unit} of masume's own ways with the kernels of a CPU level."""
    command = [sys.executable, __file__, "--rounds", str(rounds), "--own"]
    run = subprocess.run(command, env=os.environ | {"MASUME_CPU": level}, stdout=subprocess.PIPE, check=True)
    found: dict[str, float] = json.loads(run.stdout)
    return found


def own(rounds: int) -> dict[str, float]:
    """Return `at_level` for this process."""
    found = {}
    for name in bench.workloads():
        play = bench.Midgame(name)
        works = {case.name: case.ready(play) for case in bench.cases(name) if not case.name.endswith("/reference")}
        for case, values in bench.time_works(works, rounds).items():
            found[f"{name} {case}"] = statistics.median(values)
    return found


def keep(report: dict[str, Any], rounds: int) -> Path:
    """Write the report, with everything that `--keep` adds, to a new file of benches/results/; return its path."""
    commit = ["git", "-C", Path(__file__).parent, "describe", "--always", "--dirty", "--exclude=*"]
    head = subprocess.run(commit, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M")
    others = [level for level in _wide.levels() if level != report["level"]]
    report = {
        "date": now,
        "commit": head,
        "packages": {name: find_version(name) for name in PACKAGES},
        "peers": {name: [entry.name for entry in peers.cases(name)] for name in bench.workloads()},
        **report,
        "levels": {level: at_level(level, rounds) for level in others},
        "scaling": {name: scaling.measure(name) for name in bench.workloads()},
    }
    path = RESULTS / f"{now.replace(' ', '-').replace(':', '')}-{head}.json"
    RESULTS.mkdir(exist_ok=True)
    path.write_text(json.dumps(round_figures(report)) + "\n")
    return path


def round_figures(value: Any) -> Any:
    """Round all figures to five digits."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: round_figures(one) for key, one in value.items()}
    return [round_figures(one) for one in value] if isinstance(value, list) else value


def find_version(package: str) -> str | None:
    """Return the version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(bench.workloads()), help="default: all")
    parser.add_argument("--rounds", type=int, default=bench.ROUNDS)
    parser.add_argument("--keep", action="store_true", help="keep all games' in benches/results/")
    parser.add_argument("--json", action="store_true", help="print it as JSON, as `masume bench --json` does")
    parser.add_argument("--own", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # from the peers
    if arguments.own:
        print(json.dumps(own(arguments.rounds)))
        return
    for line in peers.find_cases()[1]:
        print(line, file=sys.stderr)
    games = list(bench.workloads()) if arguments.keep else arguments.games
    report = bench.report(games, arguments.rounds, more=peers.cases)
    print(json.dumps(report) if arguments.json else bench.text(report))
    if arguments.keep:
        gc.disable()
        print(keep(report, arguments.rounds))


if __name__ == "__main__":
    main()

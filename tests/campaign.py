"""Compare engine and reference over any number of games.

    python tests/campaign.py kakomimasu --games 100000 --jobs 2 --seed 1

Game k is `play(seed + k)` of tests/<game>/campaign.py, which steps engine and reference in lockstep, raises
DifferenceError at the first difference and returns the turns compared. Progress is kept in build/campaign/, and the
same command resumes it unless the code of the game has changed. A difference ends the run with status 1 and a report:
the difference, the action, both boards, and the file of the case, which `--case FILE` plays again. The last line
reports how many games and turns were compared.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import multiprocessing
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import cases
import masume
from lockstep import DifferenceError, play_case

TESTS = Path(__file__).resolve().parent
PROGRESS = TESTS.parent / "build" / "campaign"
CHUNK = 20  # games per report of a worker


def play_chunk(task: tuple[str, int, int]) -> tuple[int, str | None]:
    """Return the turns compared in the games `begin` to `end`, and the error in the last of them, if any."""
    game, begin, end = task
    play = importlib.import_module(f"{game}.campaign").play
    turns = 0
    for seed in range(begin, end):
        try:
            turns += play(seed)
        except DifferenceError as error:
            causes = traceback.format_exception(error.__cause__)
            return (
                turns,
                f"{error}\n       python tests/campaign.py {game} --games 1 --seed {seed}\n\n{''.join(causes)}",
            )
    return turns, None


def play(game: str, begin: int, end: int, jobs: int) -> Iterator[tuple[int, int]]:
    """Yield (games so far, turns of the last chunk), chunk by chunk in order; DifferenceError names the seed."""
    tasks = [(game, start, min(start + CHUNK, end)) for start in range(begin, end, CHUNK)]
    pool = multiprocessing.get_context("spawn").Pool(jobs) if jobs > 1 else None
    try:
        results = pool.imap(play_chunk, tasks) if pool else map(play_chunk, tasks)
        for (_, _, stop), (turns, fault) in zip(tasks, results, strict=True):
            if fault is not None:
                raise DifferenceError(fault)
            yield stop - begin, turns
    finally:
        if pool:
            pool.terminate()


def fingerprint(game: str) -> str:
    """Return a hash of everything that a comparison depends on."""
    package = Path(masume.__file__).parent
    files = [Path(importlib.import_module(f"masume.{game}._engine").__file__ or "")]
    files += sorted((package / game).glob("*.py")) + sorted((TESTS / game).glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def run(game: str, games: int, jobs: int, seed: int) -> None:
    """Run the campaign from where it stopped; raise DifferenceError at the first difference."""
    path = PROGRESS / f"{game}-{seed}.json"
    done = {"fingerprint": fingerprint(game), "games": 0, "turns": 0}
    if path.exists() and (kept := json.loads(path.read_text()))["fingerprint"] == done["fingerprint"]:
        done = kept
        print(f"{done['games']} games of an earlier run are counted")
    path.parent.mkdir(parents=True, exist_ok=True)
    first, told = done["games"], time.monotonic()
    for count, turns in play(game, seed + first, seed + games, jobs):
        done |= {"games": first + count, "turns": done["turns"] + turns}
        scratch = path.with_suffix(".tmp")
        scratch.write_text(json.dumps(done))
        scratch.replace(path)
        if time.monotonic() > told + 10:
            told = time.monotonic()
            print(f"{done['games']} games, {done['turns']} turns", flush=True)
    print(f"{game}: {done['games']} games, {done['turns']} turns, 0 differences")


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare engine and reference over random games.")
    parser.add_argument("game", choices=tuple(cases.GAMES))
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=Path, help="play this case again instead")
    options = parser.parse_args()
    try:
        if options.case:
            play_case(options.game, options.case)
            print(f"{options.case}: no difference")
        else:
            run(options.game, options.games, options.jobs, options.seed)
    except DifferenceError as difference:
        print(difference)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

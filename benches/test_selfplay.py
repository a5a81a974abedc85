"""Self-play of random agents: what keeping records costs, and what Ray makes of the same two processors.

Each bench plays the same games in all its ways in turn, round after round, and tells the medians of the ratios within a
round: whatever else the machine does hits all alike.
"""

import importlib.util
import statistics
import time

import pytest

import masume
from masume.records import FORMATS
from masume.selfplay import LOCAL, Plan, selfplay

ROUNDS = 5
SECONDS = 60.0  # of the bench of Ray


def chunks(game, count):
    """As many games as so many chunks have."""
    return count * Plan.make([game], ["random"], 0, 1, None, 0, "npz", []).chunk


def timed(game, num_games, threads, **kept):
    """The seconds that a run took."""
    started = time.perf_counter()
    selfplay([game], ["random"], num_games=num_games, seed=1, threads=threads, replays=0, **kept)
    return time.perf_counter() - started


@pytest.mark.parametrize("name", masume.games())
def test_records(benchmark, name, tmp_path):
    """Games/s with records by games/s without: the share that is left."""
    game = masume.load(name)
    num_games = chunks(game, 8) if benchmark.enabled else 64
    timed(game, num_games // 64, 1, out=tmp_path / "warm", records="parquet")
    rounds = []

    def play():
        plain = timed(game, num_games, 1)
        rounds.append(
            {form: plain / timed(game, num_games, 1, out=tmp_path / f"{form}-{len(rounds)}", records=form)
             for form in FORMATS} | {"games_per_s": num_games / plain}
        )  # fmt: skip

    benchmark.group = "self-play: games/s with records by games/s without"
    benchmark.pedantic(play, rounds=ROUNDS)
    told = {what: round(statistics.median(found[what] for found in rounds), 3) for what in rounds[0]}
    size = sum(path.stat().st_size for path in tmp_path.glob("parquet-0/[gp]*/*.parquet"))
    benchmark.extra_info.update(told, parquet_bytes_per_game=round(size / num_games, 1))
    print(f"\n{name}: {benchmark.extra_info}")


def test_ray(benchmark, tmp_path):
    """Games/s of two Ray workers by games/s of two threads, from the first finished chunk on."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    if not benchmark.enabled:
        pytest.skip("tests/test_cluster.py plays with Ray")
    game = masume.load("kakomimasu")

    def rate(where):
        seen = []
        out = tmp_path / str(where)
        selfplay(
            [game], ["random"], seconds=SECONDS, threads=2, replays=0, records="parquet", out=out, ray=where,
            progress=lambda *state: seen.append(state),
        )  # fmt: skip
        (first, start), (last, end) = next(state for state in seen if state[0]), seen[-1]
        return (last - first) / (end - start)

    found = benchmark.pedantic(lambda: {where: rate(where) for where in (None, LOCAL)}, rounds=1)
    benchmark.group = "self-play: games/s of Ray by games/s of threads"
    benchmark.extra_info.update(threads=round(found[None]), ray=round(found[LOCAL]), ratio=found[LOCAL] / found[None])
    print(f"\n{benchmark.extra_info}")
